"""Recording how values came to be, while a program runs: what the recording code (`emit_traced`) calls.

A *cell* is a tuple `(value, how, *inputs)`: `how` is a constant of the program, the inputs are slots (cells or thunks);
`history` reads them. An evaluated thunk keeps its cell as its `origin`. The kinds of `how`:

| kind       | inputs                          | meaning |
|---|---|---|
| `leaf`     |                                 | an input: a literal, a file, an argument |
| `arguments` |                                | all arguments from the command line |
| `edge_label`     | inner                           | passed on by an attribute, a `let`, an argument, an import |
| `step`     | operands [, list of touched]    | an operator computed it |
| `choice`   | chosen, tests...                | `if`, `assert`, a `select` with a default: the tests picked it |
| `with`     | chosen, sets asked...           | a variable found in a `with` |
| `select`   | slot, set [, name cell]         | an attribute of a set, or a formal argument of a function |
| `element`  | set [, name cell]               | an attribute that carries no history of its own (a builtin made it) |
| `default`  | chosen, set                     | a formal's default, because the set did not have it |
| `set`      | name cells...                   | a set, list or position written in the program |
| `update`   | left, right, what became of names | `//` (see `Merged`) |
| `concat`   | left, right                     | `++` |
| `has`      | sets reached...                 | `?` |
| `function` |                                 | a function written in the program; its place is that of its head |
| `overridden` | chosen, overrides, own        | an attribute of a recursive set that `__overrides` replaced |
| `call`     | result, function                | the result of a function that was itself computed |
| `builtin`  | arguments, touched [, result]   | a builtin made it, or picked the slot `result` |
| `produced` | arguments                       | a plain value that a builtin made; what `tryEval` says |

`arguments` and `touched` are tuples and lists of thunks. What a builtin touches is noted by `values.force`.

Recording is bounded: a step does not keep the texts, lists and sets it was made from, only how they came to be
(`forgotten`). A text that grows in a loop costs one cell for each step, not a copy of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from ...provenance.origins import Leaf
from ..kernel import operators
from ..kernel.errors import NixError, NotCallable, TypeMismatch, UndefinedVariable
from ..kernel.running import running_here
from ..kernel.runtime import add_dynamic, attribute_name, overriding_set
from ..kernel.values import Attrs, Builtin, NixPath, PathText, Slot, Thunk, Value, delay, describe_type, is_function

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.world import Machine


COMPUTED = "${...}"
"""A step of an attribute path whose name is computed, in the text of an operation."""

LOOKS = "looks at functions"
"""The words of a builtin's `How` if the builtin looks at functions as values and does not only call them."""


class How:
    """How a cell came to be, as far as the program's text tells."""

    __slots__ = ("kind", "leaf", "op", "span", "unused", "words")

    def __init__(
        self,
        kind: str,
        op: str,
        span: Span | None,
        words: str = "",
        unused: tuple[str, Span] | None = None,
        leaf: Leaf | None = None,
    ) -> None:
        self.kind = kind
        self.leaf = leaf
        self.op = op
        """The symbol of the operation or transfer, or the name that was asked for: see `operations`."""
        self.span = span
        self.words = words
        self.unused = unused
        """A default that was not used, for a formal argument that was given."""

    def __repr__(self) -> str:
        return f"How({self.kind} {self.op})"


Cell: TypeAlias = tuple[Any, ...]
"""`(value, how, *inputs)`"""


def literal_cell(value: object, span: Span) -> Cell:
    """The cell of a literal."""
    plain = PathText(value.text) if isinstance(value, NixPath) else value
    return (value, How("leaf", "", span, leaf=Leaf("literal", "", span, plain)))


def file_input(path: str, content: str) -> Cell:
    """The cell of a file's content."""
    return (content, How("leaf", "", None, leaf=Leaf("file", path, None, content)))


def argument_cell(name: str, value: Value, text: str) -> Cell:
    """The cell of an argument from the command line, given as `text`: that is what tells two composite ones apart."""
    recorded = text if type(value) in (Attrs, list) or is_function(value) else value
    return (value, How("leaf", "", None, leaf=Leaf("argument", name, None, recorded)))


def arguments_cell(arguments: dict[str, Slot]) -> Cell:
    """The cell of all arguments from the command line: one that is not among them is an input by its absence."""
    return (Attrs(arguments), How("arguments", "", None, leaf=Leaf("argument", "", None, sorted(arguments))))


_PRODUCED = How("produced", "made by a builtin", None)
_BUILT_IN = How("constant", "", None)


def cell(slot: Slot) -> Cell:
    """The cell of a slot, computed if need be.

    A plain value was made by a builtin and given to a function: it knows at least that builtin's arguments.
    """
    kind = type(slot)
    if kind is Thunk:
        value = slot.value if slot.code is None else slot.force()
        origin = slot.origin
        if type(origin) is not tuple:
            origin = slot.origin = (value, _BUILT_IN) if origin is None else (value, origin, (value, _BUILT_IN))
        cell: Cell = origin
        return cell
    if kind is tuple:
        cell = slot
        return cell
    return (slot, _PRODUCED, running_here().arguments)


def passed(slot: Slot, how: How) -> Slot:
    """A slot in another transfer."""
    if type(slot) is Thunk and slot.code is not None:
        return delay(cell, slot, how)
    inner = cell(slot)
    return (inner[0], how, inner)


FORGOTTEN = type("Forgotten", (), {"__slots__": (), "__repr__": lambda self: "FORGOTTEN"})()
"""Stands in a cell for a value that nobody will ask for."""

_LONG = 32
"""Texts shorter than this are not worth forgetting."""

_PASSING = frozenset(("transfer", "choice", "with", "select", "default", "call"))
_COMPUTING = frozenset(("step", "update", "concat", "set", "has"))


def forgotten(note: Cell) -> Cell:
    """A cell as an input of a step that does not need its value: without it, if it is long or composite."""
    kind = type(note[0])
    if (kind is str and len(note[0]) > _LONG) or kind is list or kind is Attrs:
        return _without_value(note, 4)
    return note


def forgotten_text(note: Cell) -> Cell:
    """The same, for texts alone."""
    return _without_value(note, 4) if type(note[0]) is str and len(note[0]) > _LONG else note


def _without_value(note: Cell, depth: int) -> Cell:
    kind = note[1].kind
    if kind in _COMPUTING:
        return (FORGOTTEN, *note[1:])
    if kind in _PASSING and depth:
        inner = note[2]
        if type(inner) is Thunk and inner.code is None:
            inner = inner.origin
        if type(inner) is tuple:
            return (FORGOTTEN, note[1], _without_value(inner, depth - 1), *note[3:])
    return note


# --- builtins and calls ---------------------------------------------------------------------------------------------


_HOW_CALLED: dict[str, How] = {}
"""How something came about that a builtin called through a value made: one for each builtin."""


def traced_call(builtin: Builtin, arguments: tuple[Slot, ...], how: How | None) -> Cell:
    """Call a builtin with all its arguments, and note what it looked at."""
    if how is None:
        how = _HOW_CALLED.get(builtin.name)
        if how is None:
            how = How("builtin", builtin.name, None, LOOKS if builtin.looks else "")
            _HOW_CALLED[builtin.name] = how
    here = running_here()
    outer = here.touched, here.arguments
    touched: list[Slot] = []
    here.touched, here.arguments = touched, arguments
    try:
        result = builtin.function(builtin.machine, *arguments)
    except NixError as problem:
        problem.at(how.span)
        problem.blame(touched)
        raise
    finally:
        here.touched, here.arguments = outer
    kind = type(result)
    if kind is tuple:
        return (result[0], how, arguments, touched, result)
    if kind is not Thunk:
        return (result, how, arguments, touched)
    try:
        return (cell(result)[0], how, arguments, touched, result)
    except NixError as problem:
        problem.at(how.span)
        problem.blame(touched)
        raise


def t_type_test(builtin: Builtin, slot: Slot, how: How, kinds: Container[type]) -> Cell:
    """Call a builtin that tests of which kind a value is."""
    if type(slot) is tuple:
        return (type(slot[0]) in kinds, how, (slot,), [slot])
    if type(slot) is Thunk and slot.code is None:
        return (type(slot.value) in kinds, how, (slot,), [slot])
    return traced_call(builtin, (slot,), how)


def t_call(function: Cell, slot: Slot, how: How) -> Cell:
    """Call a computed function."""
    value = function[0]
    try:
        if type(value) is FunctionType:
            result = value(slot)
            return (result[0], how, result, function)
        if type(value) is Builtin:
            arguments = (*value.arguments, slot)
            if len(arguments) < value.arity:
                result = value.given(arguments)
                return (result, how, (result, _BUILT_IN), function, slot)
            outcome = traced_call(value, arguments, None)
            return (outcome[0], how, outcome, function)
        if type(value) is Attrs and "__functor" in value.table:
            functor = cell(value.table["__functor"])
            return t_call(t_call(functor, function, how), slot, how)
    except NixError as problem:
        if type(value) is Builtin:
            problem.at(how.span)
        problem.blame(function)
        raise
    raise NotCallable(describe_type(value), how.span)


def t_call_two(function: Cell, first: Slot, second: Slot, how: How) -> Cell:
    """Call a computed function with two arguments."""
    value = function[0]
    try:
        if type(value) is FunctionType and value.__code__.co_argcount == 2:
            result = value(first, second)
        elif type(value) is Builtin and value.arity == len(value.arguments) + 2:
            result = traced_call(value, (*value.arguments, first, second), None)
        else:
            return t_call(t_call(function, first, how), second, how)
    except NixError as problem:
        if type(value) is Builtin:
            problem.at(how.span)
        problem.blame(function)
        raise
    return (result[0], how, result, function)


# --- variables and sets ---------------------------------------------------------------------------------------------


def t_with(name: str, how: How, *sets: Slot) -> Cell:
    """A variable from the enclosing `with`s, innermost first."""
    known: list[str] = []
    for index, slot in enumerate(sets):
        try:
            attrs = cell(slot)[0]
            if type(attrs) is not Attrs:
                raise TypeMismatch(describe_type(attrs), "a set", how.span)
            if name in attrs.table:
                chosen = t_select(cell(slot), name, How("select", name, how.span))
                return (chosen[0], how, chosen, *sets[:index])
        except NixError as problem:
            problem.blame(*sets[: index + 1])
            raise
        known.extend(attrs.table)
    raise UndefinedVariable(name, how.span, known)


def t_select(subject: Cell, name: str, how: How, looked: Cell | None = None) -> Cell:
    """`subject.name`; what was `looked` at before, if anything, led to a failure."""
    try:
        slot = subject[0].table[name]
    except (AttributeError, KeyError):
        operators.missing(subject[0], name, how.span)
    kind = type(slot)
    if kind is Thunk:
        if slot.code is None:
            return (slot.value, how, slot, subject)
        try:
            return (slot.force(), how, slot, subject)
        except NixError as problem:
            problem.blame(subject, looked)
            raise
    if kind is tuple:
        return (slot[0], how, slot, subject)
    return (slot, How("element", name, how.span), subject)


def t_select_computed(subject: Cell, name: Cell, how: How) -> Cell:
    """`subject.${name}`"""
    assert how.span is not None
    text = attribute_name(name[0], how.span)
    try:
        return (*t_select(subject, text, How("select", text, how.span)), name)
    except NixError as problem:
        problem.blame(name)
        raise


Reached: TypeAlias = tuple[Slot, list[Slot]]
"""What an attribute path led to (nothing: `None`), and the cells looked at on the way."""


def t_find(subject: Cell, *steps: str | Callable[[], Cell]) -> Reached:
    """Follow an attribute path; stop where something is missing or is no set."""
    here: Slot = subject
    seen: list[Slot] = []
    try:
        for step in steps:
            here = cell(here)
            seen.append(here)
            if isinstance(step, str):
                name = step
            else:
                computed = step()
                seen.append(computed)
                name = attribute_name(computed[0], None)
            if type(here[0]) is not Attrs or name not in here[0].table:
                return None, seen
            here = passed_from(here[0].table[name], here, How("select", name, None))
    except NixError as problem:
        problem.blame(seen)
        raise
    return here, seen


def t_select_if_any(subject: Cell, name: str, how: How, chosen: How) -> Cell | None:
    """`subject.name or ...`, if it is there; `how` is the constant of the selection, `chosen` that of the choice."""
    value = subject[0]
    if type(value) is not Attrs or name not in value.table:
        return None
    slot = value.table[name]
    kind = type(slot)
    if kind is Thunk:
        try:
            value = slot.value if slot.code is None else slot.force()
        except NixError as problem:
            problem.blame(subject)
            raise
        return (value, chosen, (value, how, slot, subject), subject)
    if kind is tuple:
        return (slot[0], chosen, (slot[0], how, slot, subject), subject)
    return (slot, chosen, (slot, How("element", name, how.span, how.words), subject), subject)


def passed_from(slot: Slot, container: Slot, how: How) -> Slot:
    """An attribute's slot together with the set it was taken from."""
    kind = type(slot)
    if kind is tuple:
        return (slot[0], how, slot, container)
    if kind is not Thunk:
        return (slot, How("element", how.op, how.span, how.words), container)
    if slot.code is None:
        return (slot.value, how, slot, container)
    return delay(partial(_taken_from, slot, container, how))


def _taken_from(slot: Thunk, container: Slot, how: How) -> Cell:
    try:
        return (slot.force(), how, slot, container)
    except NixError as problem:
        problem.blame(container)
        raise


def t_chosen(reached: Reached, how: How) -> Cell:
    """An attribute that was there, although a default was given."""
    slot, looked = reached
    try:
        inner = cell(slot)
    except NixError as problem:
        problem.blame(looked)
        raise
    return (inner[0], how, inner, *looked)


def t_default(default: Cell, how: How, looked: list[Slot]) -> Cell:
    """The default of a `select`, because something on the path was not there."""
    return (default[0], how, default, *looked)


def t_has_one(subject: Cell, name: str, how: How) -> Cell:
    """`subject ? name`"""
    value = subject[0]
    return (type(value) is Attrs and name in value.table, how, subject)


def t_has(how: How, reached: Reached) -> Cell:
    """`?`"""
    return (reached[0] is not None, how, *reached[1])


def t_dynamic(how: How, attrs: Attrs, *definitions: tuple[Cell, Slot, Span]) -> Cell:
    """A set with computed names."""
    extended = add_dynamic(attrs, *((name[0], slot, span) for name, slot, span in definitions))
    return (extended, how, *(name for name, _, _ in definitions))


def t_overriding(slot: Slot, span: Span) -> Cell:
    """The cell of `__overrides`."""
    overrides = cell(slot)
    overriding_set(overrides[0], span)
    return overrides


def t_overridden(own: Slot, overrides: Cell, name: str, how: How) -> Slot:
    """An attribute of a recursive set: its own, or what `__overrides` has in its place."""
    table = overrides[0].table
    if name not in table:
        return own
    slot = table[name]
    if type(slot) is Thunk and slot.code is not None:
        return delay(partial(_overridden_later, slot, overrides, own, how))
    chosen = cell(slot)
    return (chosen[0], how, chosen, overrides, own)


def _overridden_later(slot: Thunk, overrides: Cell, own: Slot, how: How) -> Cell:
    try:
        return (slot.force(), how, slot, overrides, own)
    except NixError as problem:
        problem.blame(overrides)
        raise


def t_default_formal(given: Slot, default: Slot, how: How) -> Slot:
    """A formal argument's default."""
    return delay(partial(_default_beside, default, given, how))


def _default_beside(default: Slot, given: Slot, how: How) -> Cell:
    try:
        return (cell(default)[0], how, default, given)
    except NixError as problem:
        problem.blame(given)
        raise


# --- operators ------------------------------------------------------------------------------------------------------


def _watched(compute: Callable[..., Value], *arguments: object) -> tuple[Value, list[Slot]]:
    """What `compute` gives, and what it forced."""
    here = running_here()
    touched: list[Slot] = []
    outer, here.touched = here.touched, touched
    try:
        return compute(*arguments), touched
    except NixError as problem:
        problem.blame(touched)
        raise
    finally:
        here.touched = outer


def t_fit(operand: Cell, check: Callable[[Value, Span], object], span: Span) -> Cell:
    """An operand whose type is checked before the next operand is computed."""
    check(operand[0], span)
    return operand


def t_interpolate(machine: Machine, how: How, *parts: Cell) -> Cell:
    """`"${a}b"`"""
    texts = [part[0] for part in parts]
    if all(type(text) is str for text in texts):
        return ("".join(texts), how, *map(forgotten_text, parts))
    try:
        value, touched = _watched(operators.interpolate, machine, how.span, *texts)
    except NixError as problem:
        problem.blame(*parts)
        raise
    return (value, how, *map(forgotten_text, parts), touched)


def t_interpolate_path(machine: Machine, how: How, *parts: Cell) -> Cell:
    """`./a${b}`"""
    try:
        value, touched = _watched(operators.interpolate_path, machine, how.span, *(part[0] for part in parts))
    except NixError as problem:
        problem.blame(*parts)
        raise
    return (value, how, *parts, touched)


def t_arithmetic(left: Cell, right: Cell, how: How, machine: Machine) -> Cell:
    """`+ - * /`"""
    match how.op:
        case "+":
            if type(left[0]) is str and type(right[0]) is str:
                value = operators.add(left[0], right[0], how.span, machine)
                return (value, how, forgotten_text(left), forgotten_text(right))
            try:
                value, touched = _watched(operators.add, left[0], right[0], how.span, machine)
            except NixError as problem:
                problem.blame(left, right)
                raise
            operands = (forgotten_text(left), forgotten_text(right))
            return (value, how, *operands, touched) if touched else (value, how, *operands)
        case "-":
            value = operators.subtract(left[0], right[0], how.span)
        case "*":
            value = operators.multiply(left[0], right[0], how.span)
        case _:
            value = operators.divide(left[0], right[0], how.span)
    return (value, how, left, right)


def t_negate(operand: Cell, how: How) -> Cell:
    """`-a`"""
    return (operators.subtract(0, operand[0], how.span), how, operand)


def t_not(operand: Cell, how: How, span: Span) -> Cell:
    """`!a`"""
    if type(operand[0]) is not bool:
        operators.not_boolean(operand[0], span)
    return (not operand[0], how, operand)


_SIMPLE = frozenset((int, str, bool))


def t_less(left: Cell, right: Cell, how: How, negated: bool, swapped: bool) -> Cell:
    """`< > <= >=`, as `left < right`, perhaps negated; `swapped` if the program wrote the operands the other way."""
    try:
        value, touched = _watched(operators.less_than, left[0], right[0], how.span)
    except NixError as problem:
        problem.blame(left, right)
        raise
    operands = (right, left) if swapped else (left, right)
    return (value is not negated, how, *operands, touched) if touched else (value is not negated, how, *operands)


def _compared(left: Cell, right: Cell) -> tuple[bool, list[Slot]]:
    """Whether two values are equal, and what was forced to know."""
    one, two = left[0], right[0]
    if type(one) is type(two) is list and not (one and two):
        return len(one) == len(two), []
    try:
        return _watched(operators.equal, one, two)
    except NixError as problem:
        problem.blame(left, right)
        raise


def t_equal(left: Cell, right: Cell, how: How) -> Cell:
    """`a == b`"""
    if type(left[0]) is type(right[0]) and type(left[0]) in _SIMPLE:
        return (left[0] == right[0], how, left, right)
    value, touched = _compared(left, right)
    return (value, how, left, right, touched) if touched else (value, how, left, right)


def t_unequal(left: Cell, right: Cell, how: How) -> Cell:
    """`a != b`"""
    if type(left[0]) is type(right[0]) and type(left[0]) in _SIMPLE:
        return (left[0] != right[0], how, left, right)
    value, touched = _compared(left, right)
    return (not value, how, left, right, touched) if touched else (not value, how, left, right)


class Merged:
    """What `//` did with names: the left side's slots that were `replaced`, and the names of the smaller side."""

    __slots__ = ("names", "replaced", "right_is_smaller")

    def __init__(self, left: dict[str, Slot], right: dict[str, Slot]) -> None:
        self.right_is_smaller = len(right) <= len(left)
        smaller, larger = (right, left) if self.right_is_smaller else (left, right)
        self.names = tuple(smaller) if len(smaller) < 8 else frozenset(smaller)
        self.replaced = {name: left[name] for name in smaller if name in larger}

    def is_from_left(self, name: str) -> bool:
        """Whether the attribute of this name is the left side's."""
        if self.right_is_smaller:
            return name not in self.names
        return name in self.names and name not in self.replaced


def t_update(left: Cell, right: Cell, how: How) -> Cell:
    """`a // b`"""
    value = operators.update(left[0], right[0], how.span)
    return (value, how, forgotten(left), forgotten(right), Merged(left[0].table, right[0].table))


def t_concatenate(left: Cell, right: Cell, how: How) -> Cell:
    """`a ++ b`"""
    return (operators.concatenate(left[0], right[0], how.span), how, forgotten(left), forgotten(right))


TRACED_NAMES: dict[str, object] = {
    name: function
    for name, function in globals().items()
    if name.startswith("t_") or name in ("cell", "passed", "passed_from", "traced_call")
}
"""What recording code may call, besides `runtime.NAMES`."""
