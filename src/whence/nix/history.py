"""From recorded cells to origins: what `whence.provenance` can read.

While a program runs, each cell only notes a constant and its inputs (`trace`). Here those notes become the origins
of the provenance room, on demand and each once. A cell can be asked in two ways: for its *own* origin, how this
value in its outermost layer came about; and, for a list or set, for its *items*: the origins of its elements in the
same shape, with its own beside them. A step that read parts of a composite gets items for the parts it touched and
`Absent` for others.

The notes may be as deep as the computation was long, so the conversion keeps its own stack. They may also be circular,
since a set can hold values computed from the set itself (`rec`, fixed points); the origin of a part that is being
converted already is cut off as `Absent`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..provenance.origins import (
    BUILT_IN,
    Absent,
    Choice,
    Copy,
    Hidden,
    Items,
    Leaf,
    Origin,
    Overridden,
    Step,
)
from .printer import show
from .trace import How
from .values import Attrs, Builtin, NixPath, Thunk, Value, is_function

if TYPE_CHECKING:
    from ..base.source import Span

_OWN, _ALL = "own", "all"

Key = tuple[int, Any]
"""A thunk, by identity, and what is asked of it: `_OWN`, `_ALL` items, or the items touched (a tuple of identities)."""

Build = Callable[[list[Origin]], Origin]


class History:
    """The origins of one run's cells."""

    def __init__(self) -> None:
        self._done: dict[Key, Origin] = {}
        self._thunks: dict[int, Thunk] = {}
        self._touched: dict[int, frozenset[int]] = {}

    # --- questions ---

    def own(self, thunk: Thunk) -> Origin:
        """How the value came about, without its elements."""
        return self._convert(self._key(thunk, _OWN))

    def whole(self, thunk: Thunk) -> Origin:
        """How the value and everything evaluated in it came about."""
        return self._convert(self._key(thunk, _ALL))

    def replaced(self, container: Thunk, name: str, chosen: Origin) -> Origin:
        """`chosen`, the origin of an attribute of `container`, with the definitions that `//` hid from sight."""
        found = _hidden(container, name)
        return _overridden(chosen, found, [self.own(thunk) for thunk, _ in found]) if found else chosen

    # --- the conversion ---

    def _key(self, thunk: Thunk, mode: Any) -> Key:
        self._thunks[id(thunk)] = thunk
        return (id(thunk), mode)

    def _convert(self, key: Key) -> Origin:
        done = self._done
        plans: dict[Key, tuple[list[Key], Build]] = {}
        stack = [key]
        while stack:
            here = stack[-1]
            if here in done:
                stack.pop()
                continue
            if here not in plans:
                plans[here] = self._plan(here)
                missing = [each for each in plans[here][0] if each not in done and each not in plans]
                if missing:
                    stack.extend(missing)
                    continue
            children, build = plans[here]
            done[here] = build([done.get(each, _ITSELF) for each in children])
            stack.pop()
        return done[key]

    def _plan(self, key: Key) -> tuple[list[Key], Build]:
        """What must be converted before this, and how it is put together then."""
        thunk, mode = self._thunks[key[0]], key[1]
        if mode != _OWN and thunk.code is None and type(thunk.value) in (list, Attrs):
            return self._plan_items(thunk, mode)
        return self._plan_own(thunk)

    def _plan_items(self, thunk: Thunk, mode: Any) -> tuple[list[Key], Build]:
        value = thunk.value
        names = sorted(value.table) if type(value) is Attrs else None
        slots = [value.table[name] for name in names] if names is not None else value
        touched = None if mode == _ALL else self._touched[mode]
        wanted = [
            slot if type(slot) is Thunk and slot.code is None and (touched is None or id(slot) in touched) else None
            for slot in slots
        ]
        children = [self._key(thunk, _OWN)] + [self._key(slot, mode) for slot in wanted if slot is not None]

        def build(parts: list[Origin]) -> Origin:
            rest = iter(parts[1:])
            origins: list[Origin] = []
            for slot, given in zip(wanted, slots):
                if slot is not None:
                    origins.append(next(rest))
                elif type(given) is Thunk:
                    origins.append(Absent("not evaluated"))
                else:
                    origins.append(_constant(given))
            return Items(origins if names is None else dict(zip(names, origins)), parts[0])

        return children, build

    def _plan_own(self, thunk: Thunk) -> tuple[list[Key], Build]:
        note = thunk.origin
        if thunk.code is not None:
            return [], lambda parts: Absent("not evaluated", (), _place(thunk))
        if note is None:
            constant = BUILT_IN if is_function(thunk.value) else _constant(thunk.value)
            return [], lambda parts: constant
        if isinstance(note, Origin):
            return [], lambda parts: note
        how: How = note[0]
        return _PLANS[how.kind](self, thunk, how, note[1:])

    def _owns(self, thunks: Iterable[Thunk]) -> list[Key]:
        return [self._key(each, _OWN) for each in thunks]

    def _mode(self, touched: list[Thunk]) -> Any:
        if id(touched) not in self._touched:
            self._touched[id(touched)] = frozenset(id(each) for each in touched)
        return id(touched)

    # --- one plan per kind of note ---

    def _hand(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        return self._owns(inputs), lambda parts: Copy(how.op, parts[0], how.span)

    def _step(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        touched: list[Thunk] = []
        if inputs and type(inputs[-1]) is list:
            *inputs, touched = inputs
        mode = self._mode(touched) if touched else _OWN
        if how.op in ("==", "!=") and not touched:
            mode = self._mode(touched)
        operands = [self._key(each, mode) for each in inputs]
        looked = self._owns(touched)

        def build(parts: list[Origin]) -> Origin:
            made = Step(how.op, tuple(parts[: len(operands)]), how.span)
            tests = _telling(parts[len(operands) :])
            return Choice(tests, made, how.span) if tests else made

        return operands + looked, build

    def _choice(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        def build(parts: list[Origin]) -> Origin:
            return Choice(_telling(parts[1:]), parts[0], how.span, how.op)

        return self._owns(inputs), build

    def _call(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        def build(parts: list[Origin]) -> Origin:
            tests = _telling(each for each in parts[1:] if not _is_function_literal(each))
            return Choice(tests, parts[0], how.span) if tests else parts[0]

        return self._owns(inputs), build

    def _select(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        slot, container, *computed = inputs
        replaced = _hidden(container, how.op)
        children = self._owns([slot, container, *computed, *(each for each, _ in replaced)])

        def build(parts: list[Origin]) -> Origin:
            chosen, *tests = parts[: 2 + len(computed)]
            if replaced:
                chosen = _overridden(chosen, replaced, parts[2 + len(computed) :])
            if how.unused is not None:
                default = Hidden(show(how.unused), Absent("not evaluated"), "default not used", how.unused.span)
                chosen = Overridden(how.words, chosen, (default,), (), how.span)
            elif how.words:
                chosen = Copy(how.words, chosen, how.span)
            telling = _telling(tests)
            return Choice(telling, chosen, how.span) if telling else chosen

        return children, build

    def _element(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        def build(parts: list[Origin]) -> Origin:
            return Choice(_telling(parts), _constant(thunk.value), how.span, how.words or f"attribute {how.op}")

        return self._owns(inputs), build

    def _default(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        def build(parts: list[Origin]) -> Origin:
            return Choice(_telling(parts[1:]), parts[0], how.span, how.op)

        return self._owns(inputs), build

    def _set(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        return self._owns(inputs), lambda parts: Step(how.op, tuple(parts), how.span)

    def _function(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        leaf = Leaf("literal", "", how.span, thunk.value)
        return [], lambda parts: leaf

    def _builtin(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        arguments, touched, *result = inputs
        looked = [each for each in touched if all(each is not argument for argument in arguments)]
        if result:
            children = self._owns([result[0], *arguments, *(each for each in looked if each is not result[0])])

            def build_moved(parts: list[Origin]) -> Origin:
                tests = _telling(each for each in parts[1:] if not _is_function_literal(each))
                return Choice(tests, parts[0], how.span, how.op)

            return children, build_moved
        mode = self._mode(touched)
        children = [self._key(each, mode) for each in arguments] + self._owns(looked)

        def build(parts: list[Origin]) -> Origin:
            made = Step(how.op, tuple(parts[: len(arguments)]), how.span)
            tests = _telling(parts[len(arguments) :])
            return Choice(tests, made, how.span) if tests else made

        return children, build

    def _produced(self, thunk: Thunk, how: How, inputs: Any) -> tuple[list[Key], Build]:
        def build(parts: list[Origin]) -> Origin:
            tests = _telling(each for each in parts if not _is_function_literal(each))
            made = _constant(thunk.value)
            return Choice(tests, made, how.span, how.op) if tests else made

        return self._owns(inputs[0]), build


_PLANS: dict[str, Callable[[History, Thunk, How, Any], tuple[list[Key], Build]]] = {
    "hand": History._hand,
    "step": History._step,
    "choice": History._choice,
    "with": History._choice,
    "select": History._select,
    "element": History._element,
    "default": History._default,
    "set": History._set,
    "update": History._set,
    "concat": History._set,
    "has": History._step,
    "function": History._function,
    "call": History._call,
    "builtin": History._builtin,
    "produced": History._produced,
}

_ITSELF: Origin = Absent("the value itself")


def _telling(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    """Those origins that can have had another outcome: constants of the language say nothing."""
    return tuple(
        each
        for each in dict.fromkeys(origins)
        if not (isinstance(each, Step) and not each.inputs) and not (isinstance(each, Absent) and not each.causes)
    )


def _is_function_literal(origin: Origin) -> bool:
    """Whether a value is simply a function written in the program, or one of the language's own."""
    while isinstance(origin, Copy):
        origin = origin.source
    return origin is BUILT_IN or (isinstance(origin, Leaf) and is_function(origin.value))


def _hidden(container: Thunk, name: str) -> list[tuple[Thunk, Span | None]]:
    """The slots that `//` replaced in making `container`, nearest first, with the place of each `//`."""
    found: list[tuple[Thunk, Span | None]] = []
    waiting = [container]
    while waiting and len(found) < 100:
        here: Thunk = waiting.pop()
        note = here.origin
        while type(note) is tuple:
            how = note[0]
            if how.kind == "update":
                left, right = note[1], note[2]
                if name not in right.value.table:
                    here = left
                else:
                    slot = left.value.table.get(name)
                    if type(slot) is Thunk:
                        found.append((slot, how.span))
                        waiting.append(left)
                    here = right
            elif how.kind in ("hand", "choice", "with", "select", "default", "call"):
                here = note[1]
            elif how.kind == "builtin" and len(note) == 4:
                here = note[3]
            else:
                break
            note = here.origin
    return found


def _overridden(chosen: Origin, replaced: list[tuple[Thunk, Span | None]], origins: list[Origin]) -> Origin:
    hidden = tuple(
        Hidden(
            plain(thunk) if thunk.code is None else None,
            origin,
            "replaced by the right side of //",
            _place(thunk) or span,
        )
        for (thunk, span), origin in zip(replaced, origins)
    )
    return Overridden("// replaced it", chosen, hidden, (), replaced[0][1])


def _place(thunk: Thunk) -> Span | None:
    """Where a thunk was defined, if its note tells."""
    note = thunk.origin
    if type(note) is How:
        return note.span
    if type(note) is tuple:
        return note[0].span  # type: ignore[no-any-return]
    if isinstance(note, Leaf):
        return note.span
    return None


def _constant(value: Value) -> Origin:
    """A value that no input of the program made."""
    if is_function(value):
        return BUILT_IN
    return Step(f"value {json.dumps(plain(Thunk(None, value)), default=str)}", ())


def plain(thunk: Thunk, depth: int = 40, strict: bool = False) -> Any:
    """The value as plain data.  What is not evaluated stays away unless `strict`; functions are shown as Nix shows
    them.
    """
    return _plain(thunk, depth, strict, set())


def _plain(slot: Any, depth: int, strict: bool, above: set[int]) -> Any:
    if type(slot) is Thunk:
        if slot.code is not None and not strict:
            return "«thunk»"
        value = slot.force()
    else:
        value = slot
    kind = type(value)
    if kind is list or kind is Attrs:
        if id(value) in above or depth <= 0:
            return "«repeated»"
        above.add(id(value))
        try:
            if kind is list:
                return [_plain(each, depth - 1, strict, above) for each in value]
            return {name: _plain(value.table[name], depth - 1, strict, above) for name in value.sorted_names()}
        finally:
            above.discard(id(value))
    if kind is NixPath:
        return value.text
    if kind is Builtin:
        return "«primop»"
    if is_function(value):
        return "«lambda»"
    return str(value) if isinstance(value, str) else value
