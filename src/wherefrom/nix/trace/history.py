"""From recorded cells to origins: what `wherefrom.provenance` can read.

While a program runs, each cell only notes a constant and its inputs (`trace`). Here those notes become the origins
of the provenance package, on demand and each once. A cell can be asked in two ways: for its *own* origin, how this
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

from ...base.budget import current
from ...provenance.composites import unwrapped
from ...provenance.operations import FunctionCall
from ...provenance.origins import (
    BUILT_IN,
    Absent,
    Choice,
    Copy,
    Hidden,
    Items,
    LaterItems,
    Leaf,
    Origin,
    Overridden,
    Step,
)
from ..kernel.values import Attrs, Builtin, NixPath, PathText, Slot, Thunk, Value, force, is_function
from .cells import LOOKS, Cell, How, cell
from .operations import (
    COMPARISONS,
    FUNCTION,
    OVERRIDES,
    REPLACED,
    REPLACED_BY_OVERRIDES,
    REPLACING,
    UNUSED_DEFAULT,
    Attribute,
    Chosen,
    Constant,
    Element,
    Has,
    PassedOn,
    Picked,
    defaulted,
    missing_path,
    operation,
)
from .operations import chosen as chosen_by
from .steps import path_steps

if TYPE_CHECKING:
    from ...base.source import Span
    from ...provenance.origins import Elements

_OWN, _ALL = "own", "all"

COUNTED = 1_024
"""Notes that are drawn from the budget at once."""

_TESTING = frozenset(("choice", "with", "select", "default", "call", "builtin", "produced"))
"""The notes that hold tests beside what they pass on or compute."""

Key = tuple[int, Any]
"""A thunk, by identity, and what is asked of it: `_OWN`, `_ALL` items, or the items touched (a tuple of identities)."""

Build = Callable[[list[Origin]], Origin]

_FEW = 8
"""So many elements of a composite are looked through each time."""


class History:
    """The origins of one run's cells: all of them, or without the tests that were made at some places.

    What a test decided is most of what a value rests on in a program that uses libraries. Who asks for the formula of
    a value, and for its way through the program, does not need the tests of a library (`is_tested` says which places
    count); who asks what it depends on needs all.
    """

    def __init__(self, is_tested: Callable[[Span | None], bool] | None = None) -> None:
        self._is_tested = is_tested
        self._done: dict[Key, Origin] = {}
        self._slots: dict[int, Slot] = {}
        self._touched: dict[int, dict[int, Slot]] = {}
        self._members: dict[int, tuple[Value, frozenset[int]]] = {}

    @property
    def complete(self) -> bool:
        """Whether all tests are there."""
        return self._is_tested is None

    # --- questions ---

    def own(self, slot: Slot) -> Origin:
        """How the value came about, without its elements."""
        return self._convert(self._key(slot, _OWN))

    def whole(self, slot: Slot) -> Origin:
        """How the value and everything evaluated in it came about."""
        return self._convert(self._key(slot, _ALL))

    def replaced(self, container: Slot, name: str, chosen: Origin) -> Origin:
        """`chosen`, the origin of an attribute of `container`, with the definitions that `//` hid from sight."""
        covered = _hidden(container, name)
        return _overridden(chosen, covered, [self.own(slot) for slot, _ in covered]) if covered else chosen

    # --- the conversion ---

    def _key(self, slot: Slot, mode: object) -> Key:
        self._slots[id(slot)] = slot
        return (id(slot), mode)

    def _convert(self, key: Key) -> Origin:
        done = self._done
        plans: dict[Key, tuple[list[Key], Build]] = {}
        stack = [key]
        budget = current()
        rounds = 0
        while stack:
            rounds += 1
            if rounds % COUNTED == 0:
                budget.draw("steps", COUNTED, "telling where a value came from")
            here = stack[-1]
            if here in done:
                stack.pop()
                continue
            if here not in plans:
                plans[here] = self._plan(here)
                missing = [child for child in plans[here][0] if child not in done and child not in plans]
                if missing:
                    stack.extend(missing)
                    continue
            children, build = plans.pop(here)
            done[here] = build([done.get(child, _ITSELF) for child in children])
            stack.pop()
        return done[key]

    def _plan(self, key: Key) -> tuple[list[Key], Build]:
        """What must be converted before this, and how it is put together then."""
        slot, mode = self._slots[key[0]], key[1]
        if type(slot) is Thunk and slot.code is not None:
            return [], lambda parts: Absent("not evaluated", (), _place(slot))
        note = cell(slot)
        if mode != _OWN and type(note[0]) in (list, Attrs) and (self.complete or not is_derivation(note[0])):
            if mode in self._touched and len(note[0].table if type(note[0]) is Attrs else note[0]) > _FEW:
                return self._plan_touched(slot, note, mode)
            return self._plan_items(note, mode)
        how, inputs = note[1], note[2:]
        if self._is_tested is not None and how.kind in _TESTING and not self._is_tested(how.span):
            return self._plan_untested(note)
        return _PLANS[how.kind](self, note[0], how, inputs)

    def _plan_untested(self, note: Cell) -> tuple[list[Key], Build]:
        """As the plan of its kind, without the tests."""
        value, how, *inputs = note
        match how.kind:
            case "builtin" if len(inputs) == 3:
                return self._owns(inputs[2:]), lambda parts: Copy(Picked(how.op), parts[0], how.span)
            case "builtin":  # what it looked at inside of its arguments is a part of its formula
                arguments, touched = inputs
                mode, seen = self._mode(touched), _unchanged if how.words == LOOKS else _called
                children = [self._key(argument, mode) for argument in arguments]
                return children, lambda parts: Step(FunctionCall(how.op), tuple(map(seen, parts)), how.span)
            case "select" if how.words:
                return self._owns(inputs[:1]), lambda parts: Copy(Chosen(how.words), parts[0], how.span)
            case "select" | "call":
                return self._owns(inputs[:1]), lambda parts: parts[0]
            case "produced":
                return [], lambda parts: _constant(value)
            case _:
                return self._owns(inputs[:1]), lambda parts: Copy(Chosen(how.op), parts[0], how.span)

    def _plan_items(self, note: Cell, mode: Any) -> tuple[list[Key], Build]:
        value = note[0]
        names = sorted(value.table) if type(value) is Attrs else None
        slots = [value.table[name] for name in names] if names is not None else value
        touched: dict[int, Slot] | None = None
        if type(mode) is tuple:  # none of them was looked at, and so many tell that two lists differ in length
            slots, touched = slots[: mode[1]], {}
            names = names and names[: mode[1]]
        elif mode != _ALL:
            touched = self._touched[mode]
        wanted = [_is_evaluated(slot) and (touched is None or id(slot) in touched) for slot in slots]
        children = [self._key(note, _OWN)] + [self._key(slot, mode) for slot, want in zip(slots, wanted) if want]

        def build(parts: list[Origin]) -> Origin:
            rest = iter(parts[1:])
            origins: list[Origin] = []
            for position, (slot, want) in enumerate(zip(slots, wanted)):
                if want:
                    origins.append(next(rest))
                elif type(slot) in (Thunk, tuple):
                    origins.append(Absent("not evaluated"))
                else:
                    origins.append(_picked(parts[0], position if names is None else names[position], slot))
            return Items(origins if names is None else dict(zip(names, origins)), parts[0])

        return children, build

    def _plan_touched(self, slot: Slot, note: Cell, mode: object) -> tuple[list[Key], Build]:
        """The items of a large composite of which some were looked at: no work for the others unless somebody asks."""
        value = note[0]
        touched = [part for part in self._parts_among(value, mode, slot) if _is_evaluated(part)]

        def build(parts: list[Origin]) -> Origin:
            own, *origins = parts
            known = {id(part): origin for part, origin in zip(touched, origins)}

            def origin_of(key: str | int, part: Slot) -> Origin:
                if type(part) in (Thunk, tuple):
                    return known.get(id(part)) or Absent("not evaluated")
                return _picked(own, key, part)

            def elements() -> Elements:
                if type(value) is Attrs:
                    return {name: origin_of(name, value.table[name]) for name in sorted(value.table)}
                return [origin_of(position, part) for position, part in enumerate(value)]

            return LaterItems(elements, own, tuple(origins))

        return [self._key(note, _OWN), *(self._key(part, mode) for part in touched)], build

    def _parts_among(self, value: Value, mode: Any, container: Slot) -> list[Slot]:
        """Those of the slots that were looked at which are elements of `value`.

        Loops look at one end of a list that is new each time, or again and again into one and the same.
        """
        looked = self._touched[mode]
        others = len(looked) - (id(container) in looked)
        if not others:
            return []
        if type(value) is list:
            ends = {id(slot) for slot in (*value[:_FEW], *value[-_FEW:])} & looked.keys()
            if len(ends) == others:
                return [slot for identity, slot in looked.items() if identity in ends]
        members = self._members.get(id(value))
        if members is None:
            slots = value.table.values() if type(value) is Attrs else value
            members = self._members[id(value)] = value, frozenset(map(id, slots))
        return [slot for identity, slot in looked.items() if identity in members[1]]

    def _owns(self, slots: Iterable[Slot]) -> list[Key]:
        return [self._key(slot, _OWN) for slot in slots]

    def _mode(self, touched: list[Slot]) -> object:
        if id(touched) not in self._touched:
            self._touched[id(touched)] = {id(slot): slot for slot in touched}
        return id(touched)

    # --- one plan per kind of note ---

    def _leaf(self, value: Value, how: How, inputs: object) -> tuple[list[Key], Build]:
        assert how.leaf is not None
        leaf = how.leaf
        return [], lambda parts: leaf

    def _built_in(self, value: Value, how: How, inputs: object) -> tuple[list[Key], Build]:
        return [], lambda parts: _constant(value)

    def _transferred(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        return self._owns(inputs), lambda parts: Copy(PassedOn(how.op, how.words), parts[0], how.span)

    def _step(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        touched: list[Slot] = []
        if inputs and type(inputs[-1]) is list:
            *inputs, touched = inputs
        mode = self._mode(touched) if touched else _OWN
        op = operation(how.op)
        if op in COMPARISONS and not touched:
            mode = _enough(*inputs)
        operands = [self._key(operand, mode) for operand in inputs]
        looked = self._owns(touched)

        def build(parts: list[Origin]) -> Origin:
            step = Step(op, tuple(parts[: len(operands)]), how.span)
            tests = _telling(parts[len(operands) :])
            return Choice(tests, step, how.span) if tests else step

        return operands + looked, build

    def _has(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        """`?`: each set reached, with the one name that was asked for if it has it."""
        asked: list[str | None] = []
        rest = iter(inputs)
        for step, reached in zip(path_steps(how.op), rest):
            computed = next(rest, None) if step is None else None
            name = step if computed is None else computed[0]
            asked.append(name if type(reached[0]) is Attrs and name in reached[0].table else None)
            if computed is not None:
                asked.append(None)

        missing = _absent_argument(inputs, path_steps(how.op[2:]))

        def build(parts: list[Origin]) -> Origin:
            there = Absent("not evaluated")
            sets = (own if name is None else Items({name: there}, own) for own, name in zip(parts, asked))
            if missing is not None:
                return Choice((missing,), Step(Has(how.op), (Step(operation("set"), ()),), how.span), how.span)
            return Step(Has(how.op), tuple(sets), how.span)

        return self._owns(inputs), build

    def _choice(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        path = missing_path(how.op)
        missing = _absent_argument(inputs[1:], path_steps(path)) if path is not None else None

        def build(parts: list[Origin]) -> Origin:
            tests = (missing,) if missing is not None else _telling(parts[1:])
            return Choice(tests, parts[0], how.span, Chosen(how.op))

        return self._owns(inputs), build

    def _call(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        def build(parts: list[Origin]) -> Origin:
            tests = _telling(map(_called, parts[1:]))
            return Choice(tests, parts[0], how.span) if tests else parts[0]

        return self._owns(inputs), build

    def _select(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        slot, container, *computed = inputs
        replaced = _hidden(container, how.op)
        is_argument = _is_arguments(container)
        children = self._owns([slot, container, *computed, *(covered for covered, _ in replaced)])

        def build(parts: list[Origin]) -> Origin:
            chosen, *tests = parts[: 2 + len(computed)]
            if replaced:
                chosen = _overridden(chosen, replaced, parts[2 + len(computed) :])
            if how.unused is not None:
                text, place = how.unused
                default = Hidden(text, Absent("not evaluated"), UNUSED_DEFAULT, place)
                chosen = Overridden(chosen_by(how.words), chosen, (default,), (), how.span)
            elif how.words:
                chosen = Copy(Chosen(how.words), chosen, how.span)
            telling = _telling(tests[1:] if is_argument else tests)  # an argument that is there is its own input
            return Choice(telling, chosen, how.span) if telling else chosen

        return children, build

    def _element(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        def build(parts: list[Origin]) -> Origin:
            element = _picked(parts[0], how.op, value) if parts else _constant(value)
            return Choice(_telling(parts), element, how.span, Chosen(how.words or f"attribute {how.op}"))

        return self._owns(inputs), build

    def _default(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        missing = _absent_argument(inputs[1:], [defaulted(how.op)])

        def build(parts: list[Origin]) -> Origin:
            tests = (missing,) if missing is not None else _telling(parts[1:])
            return Choice(tests, parts[0], how.span, Chosen(how.op))

        return self._owns(inputs), build

    def _set(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        return self._owns(inputs), lambda parts: Step(operation(how.op), tuple(parts), how.span)

    def _update(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        return self._owns(inputs[:2]), lambda parts: Step(operation(how.op), tuple(parts), how.span)

    def _replaced_by_overrides(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        chosen, overrides, own = inputs

        def build(parts: list[Origin]) -> Origin:
            hidden = Hidden(
                plain(own) if _is_evaluated(own) else None, parts[2], REPLACED_BY_OVERRIDES, _place(own) or how.span
            )
            origin: Origin = Overridden(OVERRIDES, parts[0], (hidden,), (), how.span)
            tests = _telling(parts[1:2])
            return Choice(tests, origin, how.span) if tests else origin

        return self._owns([chosen, overrides, own]), build

    def _function(self, value: Value, how: How, inputs: object) -> tuple[list[Key], Build]:
        leaf = Leaf("literal", "", how.span, value)
        return [], lambda parts: leaf

    def _builtin(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        arguments, touched, *result = inputs
        seen = _unchanged if how.words == LOOKS else _called
        looked = [slot for slot in touched if all(slot is not argument for argument in arguments)]
        if result:
            children = self._owns([result[0], *arguments, *(slot for slot in looked if slot is not result[0])])

            def build_moved(parts: list[Origin]) -> Origin:
                tests = _telling(seen(part) for part in parts[1:])
                return Choice(tests, parts[0], how.span, Picked(how.op))

            return children, build_moved
        mode = self._mode(touched)
        children = [self._key(argument, mode) for argument in arguments] + self._owns(looked)

        def build(parts: list[Origin]) -> Origin:
            step = Step(FunctionCall(how.op), tuple([seen(part) for part in parts[: len(arguments)]]), how.span)
            tests = _telling(seen(part) for part in parts[len(arguments) :])
            return Choice(tests, step, how.span) if tests else step

        return children, build

    def _produced(self, value: Value, how: How, inputs: Any) -> tuple[list[Key], Build]:
        def build(parts: list[Origin]) -> Origin:
            tests = _telling(map(_called, parts))
            constant = _constant(value)
            return Choice(tests, constant, how.span, Chosen(how.op)) if tests else constant

        return self._owns(inputs[0]), build


def _is_arguments(slot: Slot) -> bool:
    """Whether a set is that of all arguments from the command line."""
    return _is_evaluated(slot) and _passed_on(slot)[1].kind == "arguments"


def _passed_on(slot: Slot) -> Cell:
    """The note of what a slot was passed on from."""
    note = cell(slot)
    while note[1].kind in ("transfer", "choice", "with", "select", "default", "call") and _is_evaluated(note[2]):
        note = cell(note[2])
    return note


def _absent_argument(reached: Iterable[Slot], path: list[str | None]) -> Leaf | None:
    """The argument from the command line that was looked for and not given, given the sets that were asked in turn."""
    sets = [slot for slot in reached if _is_evaluated(slot)]
    if len(sets) != 1 or not path or path[0] is None or not _is_arguments(sets[0]):
        return None
    return Leaf("argument", path[0], None, None, absent=True)


_PLANS: dict[str, Callable[[History, Value, How, Any], tuple[list[Key], Build]]] = {
    "leaf": History._leaf,
    "arguments": History._leaf,
    "constant": History._built_in,
    "transfer": History._transferred,
    "step": History._step,
    "choice": History._choice,
    "with": History._choice,
    "select": History._select,
    "element": History._element,
    "default": History._default,
    "set": History._set,
    "update": History._update,
    "overridden": History._replaced_by_overrides,
    "concat": History._set,
    "has": History._has,
    "function": History._function,
    "call": History._call,
    "builtin": History._builtin,
    "produced": History._produced,
}

_ITSELF: Origin = Absent("the value itself")


def _enough(left: Cell, right: Cell) -> object:
    """How much of two lists or sets a comparison needs that looked at none of their elements.

    They differ in length, or one has nothing: one element more than the shorter has says so.
    """
    lengths = [len(note[0]) if type(note[0]) is list else _MANY for note in (left, right)]
    return ("first", min(lengths) + 1)


_MANY = 1 << 40


def _telling(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    """Those origins that can have had another outcome: constants of the language say nothing."""
    return tuple(
        origin
        for origin in dict.fromkeys(origins)
        if not (isinstance(origin, Step) and not origin.inputs)
        and not (isinstance(origin, Absent) and not origin.causes)
    )


def _called(origin: Origin) -> Origin:
    """The origin of something that was only called, as far as it decided anything: the tests that picked the function.

    A function written in the program is no input of what it computes; what its body reads is. It is an input, by its
    head, where something looked at the function itself.
    """
    match origin:
        case Copy():
            inner = _called(origin.source)
            return origin if inner is origin.source else inner
        case Leaf() if is_function(origin.value):
            return Step(FUNCTION, (), origin.span)
        case Choice():
            chosen = _called(origin.chosen)
            return origin if chosen is origin.chosen else Choice(origin.tests, chosen, origin.span, origin.how)
        case Overridden():
            chosen = _called(origin.chosen)
            if chosen is origin.chosen:
                return origin
            return Overridden(origin.how, chosen, origin.hidden, origin.decided, origin.span)
        case _:
            return origin


def _unchanged(origin: Origin) -> Origin:
    return origin


def _is_evaluated(slot: Slot) -> bool:
    return type(slot) is tuple or (type(slot) is Thunk and slot.code is None)


def _hidden(container: Slot, name: str) -> list[tuple[Slot, Span | None]]:
    """The slots that `//` replaced in making `container`, nearest first, with the place of each `//`."""
    covered: list[tuple[Slot, Span | None]] = []
    waiting = [container]
    while waiting and len(covered) < 100:
        here: Slot = waiting.pop()
        while True:
            note = cell(here)
            kind = note[1].kind
            if kind == "update":
                left, right, merged = note[2:]
                if merged.is_from_left(name):
                    here = left
                    continue
                slot = merged.replaced.get(name)
                if type(slot) in (Thunk, tuple):
                    covered.append((slot, note[1].span))
                    waiting.append(left)
                here = right
            elif kind in ("transfer", "choice", "with", "select", "default", "call"):
                here = note[2]
            elif kind == "builtin" and len(note) == 5:
                here = note[4]
            else:
                break
    return covered


def _overridden(chosen: Origin, replaced: list[tuple[Slot, Span | None]], origins: list[Origin]) -> Origin:
    hidden = tuple(
        Hidden(
            plain(slot) if _is_evaluated(slot) else None,
            origin,
            REPLACED,
            _place(slot) or span,
        )
        for (slot, span), origin in zip(replaced, origins)
    )
    return Overridden(REPLACING, chosen, hidden, (), replaced[0][1])


def _place(slot: Slot) -> Span | None:
    """Where a slot was defined, if its note tells."""
    how = slot.origin if type(slot) is Thunk else slot
    if type(how) is tuple:
        how = how[1]
    return how.span if type(how) is How else None


def _picked(container: Origin, key: str | int, value: Value) -> Origin:
    """A part of a composite that a builtin computed: the builtin again, and the part of what it gives."""
    inner = unwrapped(container)[1]
    computed = isinstance(inner, Step) and inner.inputs and isinstance(inner.op, _COMPUTED)
    computed = computed or (isinstance(inner, Leaf) and isinstance(inner.value, list | dict))
    if not computed or is_function(value):
        return _constant(value)
    return Step(Element(key) if isinstance(key, int) else Attribute(key), (container,))


_COMPUTED = (FunctionCall, Attribute, Element)


def _constant(value: Value) -> Origin:
    """A value that no input of the program made."""
    if is_function(value):
        return BUILT_IN
    return Step(Constant(json.dumps(plain(value), default=str)), ())


NOT_COMPUTED = "…"
"""Stands for what the program did not compute, in a value that is shown as far as it was."""


def plain(slot: Slot, depth: int = 40, strict: bool = False) -> Any:
    """The value as plain data, functions as Nix shows them.  What is not evaluated stays away unless `strict`.

    A derivation is shown by its name: all that is in it would be a part of the whole package collection.
    """
    return _plain(slot, depth, strict, set())


def is_derivation(value: Value) -> bool:
    """Whether a value is what `derivation` gives, with whatever was added to it; it is not evaluated any further."""
    return type(value) is Attrs and "drvPath" in value.table


def _derivation_name(value: Attrs, strict: bool) -> str | None:
    """The name of a derivation; nothing for any other set."""
    kind, name = value.table.get("type"), value.table.get("name")
    if name is None or kind is None or not is_derivation(value):
        return None
    if not strict and any(type(slot) is Thunk and slot.code is not None for slot in (kind, name)):
        return None
    return str(force(name)) if force(kind) == "derivation" else None


def _plain(slot: Slot, depth: int, strict: bool, above: set[int]) -> Any:
    if type(slot) is Thunk and slot.code is not None and not strict:
        return NOT_COMPUTED
    value = force(slot)
    kind = type(value)
    if kind is list or kind is Attrs:
        if id(value) in above or depth <= 0:
            return "«repeated»"
        if kind is Attrs and (name := _derivation_name(value, strict)) is not None:
            return f"«derivation {name}»"
        above.add(id(value))
        try:
            if kind is list:
                return [_plain(element, depth - 1, strict, above) for element in value]
            return {name: _plain(value.table[name], depth - 1, strict, above) for name in value.sorted_names()}
        finally:
            above.discard(id(value))
    if kind is NixPath:
        return PathText(value.text)
    if kind is Builtin:
        return "«primop»"
    if is_function(value):
        return "«lambda»"
    return str(value) if isinstance(value, str) else value
