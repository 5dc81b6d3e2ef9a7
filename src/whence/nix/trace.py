"""Recording how values came to be, while a program runs: what the recording code (`emit_traced`) calls.

A *cell* is an evaluated `Thunk`. Its `origin` is a `Leaf`, or a tuple `(how, *inputs)` whose first member is a
constant of the program and whose other members are thunks; `history` reads these tuples. The kinds of `how`:

| kind       | inputs                          | meaning |
|---|---|---|
| `hand`     | inner                           | passed on by an attribute, a `let`, an argument, an import |
| `step`     | operands [, list of touched]    | an operator computed it |
| `choice`   | chosen, tests...                | `if`, `assert`, a `select` with a default: the tests picked it |
| `with`     | chosen, sets asked...           | a variable found in a `with` |
| `select`   | slot, set [, name cell]         | an attribute of a set, or a formal argument of a function |
| `element`  | set [, name cell]               | an attribute that carries no history of its own (a builtin made it) |
| `default`  | chosen, set                     | a formal's default, because the set did not have it |
| `set`      | name cells...                   | a set, list or position written in the program |
| `update`   | left, right                     | `//` |
| `concat`   | left, right                     | `++` |
| `has`      | sets reached...                 | `?` |
| `function` |                                 | a function written in the program |
| `call`     | result, function                | the result of a function that was itself computed |
| `builtin`  | arguments, touched [, result]   | a builtin made it, or picked the slot `result` |
| `produced` | arguments                       | a plain value that a builtin made and gave to a function |

`arguments` and `touched` are tuples and lists of thunks. What a builtin touches is noted by `values.force`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..provenance.origins import Leaf
from . import operators, values
from .errors import NixError, NotCallable, TypeMismatch, UndefinedVariable
from .runtime import ABSENT, add_dynamic, attribute_name
from .values import Attrs, Builtin, NixPath, Slot, Thunk, Value, describe_type

if TYPE_CHECKING:
    from ..base.source import Span
    from .machine import Machine
    from .tree import Expr


class How:
    """How a cell came to be, as far as the program's text tells."""

    __slots__ = ("kind", "op", "span", "unused", "words")

    def __init__(self, kind: str, op: str, span: Span | None, words: str = "", unused: Expr | None = None) -> None:
        self.kind = kind
        self.op = op
        self.span = span
        self.words = words
        self.unused = unused
        """A default that was not used, for a formal argument that was given."""

    def __repr__(self) -> str:
        return f"How({self.kind} {self.op})"


def literal_cell(value: object, span: Span) -> Thunk:
    """The cell of a literal."""
    plain = value.text if isinstance(value, NixPath) else value
    return Thunk(None, value, Leaf("literal", "", span, plain))


def file_input(path: str, content: str) -> Thunk:
    """The cell of a file's content."""
    return Thunk(None, content, Leaf("file", path, None, content))


def argument_cell(name: str, value: Value) -> Thunk:
    """The cell of an argument from the command line."""
    return Thunk(None, value, Leaf("argument", name, None, value))


_PRODUCED = How("produced", "made by a builtin", None)
_current: tuple[Slot, ...] = ()
"""The arguments of the builtin that is running."""


def as_cell(slot: Slot) -> Thunk:
    """A slot as a thunk: what a builtin made and gave to a function knows at least that builtin's arguments."""
    return slot if type(slot) is Thunk else Thunk(None, slot, (_PRODUCED, _current))


def evaluate(thunk: Thunk) -> Thunk:
    """The same thunk, evaluated."""
    thunk.force()
    return thunk


def passed(slot: Thunk, how: How) -> Thunk:
    """A slot in another hand."""
    if slot.code is None:
        return Thunk(None, slot.value, (how, slot))
    return Thunk(lambda: evaluate(slot), None, how)


# --- builtins and calls ---------------------------------------------------------------------------------------------


def traced_call(builtin: Builtin, arguments: tuple[Slot, ...], how: How | None) -> Thunk:
    """Call a builtin with all its arguments, and note what it looked at."""
    global _current
    if how is None:
        how = How("builtin", f"call {builtin.name}", None)
    cells = tuple(as_cell(each) for each in arguments)
    outer_touched, outer_current = values.TOUCHED, _current
    touched: list[Thunk] = []
    values.TOUCHED, _current = touched, cells
    try:
        result = builtin.function(builtin.machine, *cells)
    except NixError as problem:
        problem.at(how.span)
        raise
    finally:
        values.TOUCHED, _current = outer_touched, outer_current
    if type(result) is not Thunk:
        return Thunk(None, result, (how, cells, touched))
    try:
        value = result.value if result.code is None else result.force()
    except NixError as problem:
        problem.at(how.span)
        raise
    return Thunk(None, value, (how, cells, touched, result))


def t_call(function: Thunk, slot: Thunk, how: How) -> Thunk:
    """Call a computed function."""
    value = function.value
    if type(value) is FunctionType:
        result = value(slot)
    elif type(value) is Builtin:
        try:
            result = value(slot)
        except NixError as problem:
            problem.at(how.span)
            raise
        if type(result) is Builtin:
            return Thunk(None, result, (how, function, slot))
    elif type(value) is Attrs:
        result = _call_functor(value, function, slot, how)
    else:
        raise NotCallable(value, how.span)
    if type(result) is not Thunk:
        return Thunk(None, result, (how, function))
    evaluated = result.value if result.code is None else result.force()
    return Thunk(None, evaluated, (how, result, function))


def _call_functor(attrs: Attrs, cell: Thunk, slot: Thunk, how: How) -> Slot:
    if "__functor" not in attrs.table:
        raise NotCallable(attrs, how.span)
    functor = as_cell(attrs.table["__functor"])
    functor.force()
    made = t_call(functor, cell, how)
    return t_call(made, slot, how)


# --- variables and sets ---------------------------------------------------------------------------------------------


def t_with(name: str, how: How, *sets: Thunk) -> Thunk:
    """A variable from the enclosing `with`s, innermost first."""
    known: list[str] = []
    for index, slot in enumerate(sets):
        attrs = slot.force()
        if type(attrs) is not Attrs:
            raise TypeMismatch(describe_type(attrs), "a set", how.span)
        found = attrs.table.get(name, ABSENT)
        if found is not ABSENT:
            chosen = t_select(slot, name, How("select", name, how.span))
            return Thunk(None, chosen.value, (how, chosen, *sets[:index]))
        known.extend(attrs.table)
    raise UndefinedVariable(name, how.span, known)


def t_select(subject: Thunk, name: str, how: How) -> Thunk:
    """`subject.name`"""
    try:
        slot = subject.value.table[name]
    except (AttributeError, KeyError):
        operators.missing(subject.value, name, how.span)
    if type(slot) is Thunk:
        return Thunk(None, slot.value if slot.code is None else slot.force(), (how, slot, subject))
    return Thunk(None, slot, (How("element", name, how.span), subject))


def t_select_computed(subject: Thunk, name: Thunk, how: How) -> Thunk:
    """`subject.${name}`"""
    assert how.span is not None
    text = attribute_name(name.value, how.span)
    cell = t_select(subject, text, How("select", text, how.span))
    cell.origin = (*cell.origin, name)
    return cell


Found = tuple[Thunk | None, list[Thunk]]
"""What an attribute path led to, if anything, and the cells looked at on the way."""


def t_find(subject: Thunk, *steps: str | Callable[[], Thunk]) -> Found:
    """Follow an attribute path; stop where something is missing or is no set."""
    here = subject
    seen: list[Thunk] = []
    for step in steps:
        here.force()
        seen.append(here)
        if isinstance(step, str):
            name = step
        else:
            computed = step()
            seen.append(computed)
            name = attribute_name(computed.value, None)  # type: ignore[arg-type]
        if type(here.value) is not Attrs or name not in here.value.table:
            return None, seen
        slot = here.value.table[name]
        if type(slot) is Thunk:
            how, container = How("select", name, None), here
            here = passed_from(slot, container, how)
        else:
            here = Thunk(None, slot, (How("element", name, None), here))
    return here, seen


def passed_from(slot: Thunk, container: Thunk, how: How) -> Thunk:
    """An attribute's slot together with the set it was taken from, not yet evaluated."""
    made = Thunk(None, None, None)

    def look() -> Value:
        value = slot.force()
        made.origin = (how, slot, container)
        return value

    if slot.code is None:
        made.value, made.origin = slot.value, (how, slot, container)
    else:
        made.code = look
    return made


def t_chosen(found: Found, how: How) -> Thunk:
    """An attribute that was there, although a default was given."""
    cell, seen = found
    assert cell is not None
    value = cell.force()
    return Thunk(None, value, (how, cell, *seen))


def t_default(found: Found, default: Thunk, how: How) -> Thunk:
    """The default of a `select`, because something on the path was not there."""
    return Thunk(None, default.value, (how, default, *found[1]))


def t_has(how: How, found: Found) -> Thunk:
    """`?`"""
    return Thunk(None, found[0] is not None, (how, *found[1]))


def t_dynamic(how: How, attrs: Attrs, *definitions: tuple[Thunk, Thunk, Span]) -> Thunk:
    """A set with computed names."""
    made = add_dynamic(attrs, *((name.value, slot, span) for name, slot, span in definitions))
    return Thunk(None, made, (how, *(name for name, _, _ in definitions)))


def t_formal(given: Thunk, slot: Slot, how: How) -> Thunk:
    """A formal argument that the set given has."""
    if type(slot) is Thunk:
        return passed_from(slot, given, how)
    return Thunk(None, slot, (How("element", how.op, how.span, how.words), given))


def t_default_formal(given: Thunk, default: Thunk, how: How) -> Thunk:
    """A formal argument's default."""
    made = Thunk(None, None, None)

    def look() -> Value:
        value = default.force()
        made.origin = (how, default, given)
        return value

    made.code = look
    return made


# --- operators ------------------------------------------------------------------------------------------------------


def _watched(compute: Callable[..., Value], *arguments: Any) -> tuple[Value, list[Thunk]]:
    """What `compute` gives, and what it forced."""
    outer = values.TOUCHED
    touched: list[Thunk] = []
    values.TOUCHED = touched
    try:
        return compute(*arguments), touched
    finally:
        values.TOUCHED = outer


def t_interpolate(machine: Machine, how: How, *parts: Thunk) -> Thunk:
    """`"${a}b"`"""
    texts = [part.value for part in parts]
    if all(type(text) is str for text in texts):
        return Thunk(None, "".join(texts), (how, *parts))
    value, touched = _watched(operators.interpolate, machine, how.span, *texts)
    return Thunk(None, value, (how, *parts, touched))


def t_interpolate_path(machine: Machine, how: How, *parts: Thunk) -> Thunk:
    """`./a${b}`"""
    value, touched = _watched(operators.interpolate_path, machine, how.span, *(part.value for part in parts))
    return Thunk(None, value, (how, *parts, touched))


def t_arithmetic(left: Thunk, right: Thunk, how: How, machine: Machine) -> Thunk:
    """`+ - * /`"""
    match how.op:
        case "+":
            value, touched = _watched(operators.add, left.value, right.value, how.span, machine)
            return Thunk(None, value, (how, left, right, touched) if touched else (how, left, right))
        case "-":
            value = operators.subtract(left.value, right.value, how.span)
        case "*":
            value = operators.multiply(left.value, right.value, how.span)
        case _:
            value = operators.divide(left.value, right.value, how.span)
    return Thunk(None, value, (how, left, right))


def t_negate(operand: Thunk, how: How) -> Thunk:
    """`-a`"""
    return Thunk(None, operators.subtract(0, operand.value, how.span), (how, operand))


def t_not(operand: Thunk, how: How) -> Thunk:
    """`!a`"""
    if type(operand.value) is not bool:
        operators.not_boolean(operand.value, how.span)
    return Thunk(None, not operand.value, (how, operand))


def t_less(left: Thunk, right: Thunk, how: How, negated: bool, swapped: bool) -> Thunk:
    """`< > <= >=`, as `left < right`, perhaps negated; `swapped` if the program wrote the operands the other way."""
    value, touched = _watched(operators.less_than, left.value, right.value, how.span)
    operands = (right, left) if swapped else (left, right)
    return Thunk(None, value is not negated, (how, *operands, touched) if touched else (how, *operands))


def t_equal(left: Thunk, right: Thunk, how: How) -> Thunk:
    """`a == b`"""
    value, touched = _watched(operators.equal, left.value, right.value)
    return Thunk(None, value, (how, left, right, touched) if touched else (how, left, right))


def t_unequal(left: Thunk, right: Thunk, how: How) -> Thunk:
    """`a != b`"""
    value, touched = _watched(operators.equal, left.value, right.value)
    return Thunk(None, not value, (how, left, right, touched) if touched else (how, left, right))


def t_update(left: Thunk, right: Thunk, how: How) -> Thunk:
    """`a // b`"""
    return Thunk(None, operators.update(left.value, right.value, how.span), (how, left, right))


def t_concatenate(left: Thunk, right: Thunk, how: How) -> Thunk:
    """`a ++ b`"""
    return Thunk(None, operators.concatenate(left.value, right.value, how.span), (how, left, right))


TRACED_NAMES: dict[str, Any] = {
    name: function
    for name, function in globals().items()
    if name.startswith("t_") or name in ("evaluate", "passed", "traced_call", "as_cell")
}
"""What recording code may call, besides `runtime.NAMES`."""
