"""Printing values exactly as `nix-instantiate --eval` prints them: Nix notation, JSON and XML.

The Nix notation is for people: what is not evaluated is `<CODE>`, functions are `<LAMBDA>`, `<PRIMOP>` and
`<PRIMOP-APP>`, floats have six significant digits, and a composite that was printed before is `«repeated»`. Sets and
longer lists are recognised by identity; a list of one or two elements lives inside the variable that holds it, so it
counts as the same only when reached through the same variable. (That is how Nix 2.8 stores them, and it shows.)

JSON and XML force what they meet if `strict`, or else complain (JSON) or print `<unevaluated />` (XML).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING

from ...base.budget import Budget, current
from ...base.diagnostics import LimitReached
from .errors import CannotConvert
from .operators import check_string_size, coerce_to_string
from .paths import file_name, line_and_column
from .values import (
    Attrs,
    Builtin,
    LoadLater,
    NixPath,
    Slot,
    Thunk,
    Value,
    describe_type,
    force,
    function_info,
    position_of,
    walk_order,
)

if TYPE_CHECKING:
    from ...base.source import Span
    from .world import Machine

_IDENTIFIER_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_IDENTIFIER_REST = _IDENTIFIER_START | frozenset("0123456789'-")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
MAX_DEPTH = 200_000
"""How deeply a value may nest if all of it is wanted."""

_ESCAPE_TABLE = str.maketrans(_ESCAPES)

COMPOSITE = 8
"""Steps that visiting a list or a set takes, besides one for each of its elements."""

PIECE = 4
"""Steps that writing one value takes: one that shares its parts may be small in memory and huge when written out."""


def quote(text: str) -> str:
    """A string as Nix writes it.

    >>> print(quote('say "hi" to ${name}'))
    "say \\"hi\\" to \\${name}"
    """
    return '"' + text.translate(_ESCAPE_TABLE).replace("${", "\\${") + '"'


def attribute_name(name: str) -> str:
    """An attribute's name as Nix prints it: quoted unless it is an identifier (`if` is quoted, other keywords not)."""
    if name and name != "if" and name[0] in _IDENTIFIER_START and all(char in _IDENTIFIER_REST for char in name):
        return name
    return '"' + name.translate(_ESCAPE_TABLE).replace("$", "\\$") + '"'


def format_float(number: float) -> str:
    """A float with six significant digits, as C++ streams print it."""
    if number != number:
        return "-nan"
    return f"{number:g}"


def format_json_float(number: float) -> str:
    """A float in JSON since Nix 2.12: the shortest digits that give it back, always with a point or an exponent.

    >>> format_json_float(1.0), format_json_float(1e10), format_json_float(1e20), format_json_float(1.5e-7)
    ('1.0', '10000000000.0', '1e+20', '1.5e-07')
    """
    if number != number or number in (float("inf"), float("-inf")):
        return "null"
    mantissa, _, exponent = f"{number!r}".partition("e")
    if exponent:
        mantissa = mantissa.removesuffix(".0")
        power = int(exponent)
        if 0 < power < 15:
            return f"{number:.1f}"
        return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02}"
    digits = mantissa.lstrip("-").partition(".")[0]
    if len(digits) > 15:  # 16 digits before the point: written with an exponent
        shortest = f"{number:.17e}"
        for precision in range(17):
            if float(f"{number:.{precision}e}") == number:
                shortest = f"{number:.{precision}e}"
                break
        return shortest
    return mantissa


# --- Nix notation ---------------------------------------------------------------------------------------------------


def print_value(slot: Slot, strict: bool = False) -> str:
    """The value in Nix notation.  The value itself is forced; what is inside only if `strict`."""
    value = force(slot)
    if strict:
        deep_force(value)
    pieces: list[str] = []
    _write(value, None, pieces, set())
    return "".join(pieces)


def deep_force(slot: Slot) -> None:
    """Force a value and everything in it, sets in the order of Nix's symbols; each composite once.

    Deep values are handled with a stack of our own; a value nested more than `MAX_DEPTH` deep is taken to have no end.
    """
    budget = current()
    seen: set[int] = set()
    keep: list[Value] = []  # identities are good only while the objects live
    levels: list[list[Slot]] = [[slot]]  # the elements still to be forced, by depth
    while levels:
        if not levels[-1]:
            levels.pop()
            continue
        value = force(levels[-1].pop())
        kind = type(value)
        if kind is not Attrs and kind is not list:
            continue
        if id(value) in seen:
            continue
        seen.add(id(value))
        keep.append(value)
        elements = [value.table[name] for name in walk_order(value.table)] if kind is Attrs else value
        budget.steps -= COMPOSITE + len(elements)
        if budget.steps < 0:
            budget.over("steps", "forcing a value and everything in it")
        levels.append(elements[::-1])
        if len(levels) > MAX_DEPTH:
            raise LimitReached("the value is nested too deeply: it may be infinite", MAX_DEPTH)


def _write(slot: Slot, holder: int | None, pieces: list[str], seen: set[int]) -> None:
    """Append the text of what is in `slot`; `holder` is the identity of the variable that holds it, if there is one."""
    if type(slot) is Thunk:
        if slot.code is not None and type(slot.code) is not LoadLater:
            pieces.append("<CODE>")
            return
        holder = id(slot)
        value = slot.force()
    else:
        value = force(slot)
    kind = type(value)
    if kind is Attrs:
        table = value.table
        if table:
            if id(table) in seen:
                pieces.append("«repeated»")
                return
            seen.add(id(table))
        pieces.append("{ ")
        for name in value.sorted_names():
            pieces.append(f"{attribute_name(name)} = ")
            _write(table[name], id(table[name]), pieces, seen)
            pieces.append("; ")
        pieces.append("}")
    elif kind is list:
        if value:
            identity = id(value) if len(value) > 2 or holder is None else holder
            if holder is not None or len(value) > 2:
                if identity in seen:
                    pieces.append("«repeated»")
                    return
                seen.add(identity)
        pieces.append("[ ")
        for element in value:
            _write(element, id(element), pieces, seen)
            pieces.append(" ")
        pieces.append("]")
    else:
        pieces.append(_atom(value))


def _atom(value: Value) -> str:
    kind = type(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        return format_float(value)
    if kind is NixPath:
        return str(value.text)
    if kind is FunctionType:
        return "<LAMBDA>"
    if kind is Builtin:
        return "<PRIMOP-APP>" if value.arguments else "<PRIMOP>"
    return quote(value)


# --- JSON -----------------------------------------------------------------------------------------------------------

_JSON_ESCAPES = str.maketrans(
    {
        **{chr(code): f"\\u{code:04x}" for code in range(32)},
        '"': '\\"',
        "\\": "\\\\",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
    }
)


def json_string(text: str) -> str:
    """A string in JSON."""
    return '"' + text.translate(_JSON_ESCAPES) + '"'


def print_json(
    machine: Machine, slot: Slot, strict: bool = True, context: set[str] | None = None, valid: bool = False
) -> str:
    """The value in JSON, without spaces.  Paths are copied to the store; `context` gathers the strings' contexts.

    Nix writes `inf` for an infinite number, which is no JSON; `valid` writes it as a text.
    """
    pieces: list[str] = []
    new = machine.dialect.version >= (2, 12)
    number = _json_number if valid else format_json_float if new else format_float
    _write_json(machine, slot, strict, context if context is not None else set(), pieces, current(), number)
    check_string_size(sum(map(len, pieces)), "writing JSON")
    text = "".join(pieces)
    if machine.dialect.version >= (2, 26) and not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as problem:
            raise CannotConvert(f"a string with the byte 0x{ord(text[problem.start]) & 0xFF:x}", "JSON") from None
    return text


def _json_number(number: float) -> str:
    if number != number or number in (float("inf"), float("-inf")):
        return '"NaN"' if number != number else '"Infinity"' if number > 0 else '"-Infinity"'
    return format_float(number)


def _write_json(
    machine: Machine,
    slot: Slot,
    strict: bool,
    context: set[str],
    pieces: list[str],
    budget: Budget,
    number: Callable[[float], str],
) -> None:
    budget.steps -= PIECE
    if budget.steps < 0:
        budget.over("steps", "writing JSON")
    if strict:
        value = force(slot)
    elif type(slot) is Thunk:
        if slot.code is not None:
            raise CannotConvert("a thunk", "JSON")
        value = slot.value
    else:
        value = force(slot)
    kind = type(value)
    if value is None:
        pieces.append("null")
    elif kind is bool:
        pieces.append("true" if value else "false")
    elif kind is int:
        pieces.append(str(value))
    elif kind is float:
        pieces.append(number(value))
    elif kind is Attrs:
        table = value.table
        if "__toString" in table:
            pieces.append(json_string(coerce_to_string(value, context, machine)))
        elif "outPath" in table:
            _write_json(machine, table["outPath"], strict, context, pieces, budget, number)
        else:
            separator = "{"
            for name in value.sorted_names():
                pieces.append(f"{separator}{json_string(name)}:")
                separator = ","
                _write_json(machine, table[name], strict, context, pieces, budget, number)
            pieces.append("}" if table else "{}")
    elif kind is list:
        separator = "["
        for element in value:
            pieces.append(separator)
            separator = ","
            _write_json(machine, element, strict, context, pieces, budget, number)
        pieces.append("]" if value else "[]")
    elif kind is FunctionType or kind is Builtin:
        raise CannotConvert(describe_type(value), "JSON")
    else:
        pieces.append(json_string(coerce_to_string(value, context, machine, copy=True)))


# --- XML ------------------------------------------------------------------------------------------------------------

_XML_ESCAPES = str.maketrans({'"': "&quot;", "<": "&lt;", ">": "&gt;", "&": "&amp;", "\n": "&#xA;"})


def print_xml(
    machine: Machine, slot: Slot, strict: bool = False, locations: bool = False, context: set[str] | None = None
) -> str:
    """The value as the XML document that `--xml` and `builtins.toXML` give; the latter without `locations`."""
    writer = _XmlWriter(machine, strict, locations, context if context is not None else set())
    writer.lines.append("<?xml version='1.0' encoding='utf-8'?>")
    writer.element("expr", {}, lambda: writer.write(force(slot)))
    return "\n".join(writer.lines) + "\n"


class _XmlWriter:
    """Writes one document; `lines` is what is finished."""

    def __init__(self, machine: Machine, strict: bool, locations: bool, context: set[str]) -> None:
        self.machine = machine
        self.strict = strict
        self.locations = locations
        self.context = context
        self.lines: list[str] = []
        self.budget = current()
        self.depth = 0
        self.derivations: set[str] = set()

    def add_line(self, text: str) -> None:
        """One more line, indented; the indentation of deep values counts, it grows with the square of the depth."""
        self.budget.steps -= PIECE
        if self.budget.steps < 0:
            self.budget.over("steps", "writing XML")
        self.budget.draw("characters", len(text) + 2 * self.depth, "writing XML")
        self.lines.append("  " * self.depth + text)

    def open_tag(self, name: str, attributes: dict[str, str], end: str) -> None:
        written = "".join(f' {key}="{attributes[key].translate(_XML_ESCAPES)}"' for key in sorted(attributes))
        self.add_line(f"<{name}{written}{end}>")

    def empty(self, name: str, attributes: dict[str, str]) -> None:
        self.open_tag(name, attributes, " /")

    def element(self, name: str, attributes: dict[str, str], inside: Callable[[], None]) -> None:
        self.open_tag(name, attributes, "")
        self.depth += 1
        inside()
        self.depth -= 1
        self.add_line(f"</{name}>")

    def location(self, span: Span | None) -> dict[str, str]:
        if span is None or not self.locations:
            return {}
        line, column = line_and_column(span)
        return {"path": file_name(span), "line": str(line), "column": str(column)}

    def write(self, slot: Slot) -> None:
        if self.strict:
            value = force(slot)
        elif type(slot) is Thunk:
            if slot.code is not None:
                self.empty("unevaluated", {})
                return
            value = slot.value
        else:
            value = force(slot)
        kind = type(value)
        if value is None:
            self.empty("null", {})
        elif kind is bool:
            self.empty("bool", {"value": "true" if value else "false"})
        elif kind is int:
            self.empty("int", {"value": str(value)})
        elif kind is float:
            self.empty("float", {"value": format_float(value)})
        elif kind is NixPath:
            self.empty("path", {"value": value.text})
        elif kind is list:
            self.element("list", {}, lambda: self.write_elements(value))
        elif kind is Attrs:
            self.write_set(value)
        elif kind is FunctionType:
            self.write_function(value)
        elif kind is Builtin:
            self.empty("unevaluated", {})
        else:
            self.context |= getattr(value, "context", frozenset())
            self.empty("string", {"value": value})

    def write_elements(self, elements: list[Slot]) -> None:
        for element in elements:
            self.write(element)

    def write_set(self, value: Attrs) -> None:
        table = value.table
        kind = self.peek(table.get("type"))
        if not (isinstance(kind, str) and kind == "derivation"):
            self.element("attrs", {}, lambda: self.write_attributes(value))
            return
        attributes: dict[str, str] = {}
        for name in ("drvPath", "outPath"):
            if name in table:
                attribute = force(table[name]) if self.strict else self.peek(table[name])
                if isinstance(attribute, str):
                    attributes[name] = attribute
        self.element("derivation", attributes, lambda: self.write_derivation(value, attributes.get("drvPath", "")))

    def write_derivation(self, value: Attrs, drv_path: str) -> None:
        if drv_path and drv_path not in self.derivations:
            self.derivations.add(drv_path)
            self.write_attributes(value)
        else:
            self.empty("repeated", {})

    def peek(self, slot: Slot) -> Value:
        """What is in a slot, forced only when that is wanted."""
        if self.strict:
            return force(slot)
        if type(slot) is Thunk:
            return slot.value if slot.code is None else None
        return force(slot)

    def write_attributes(self, value: Attrs) -> None:
        for name in value.sorted_names():
            attributes = {"name": name, **self.location(position_of(value, name))}
            self.element("attr", attributes, partial(self.write, value.table[name]))

    def write_function(self, function: FunctionType) -> None:
        info = function_info(function)

        def inside() -> None:
            if info.formals is None:
                self.empty("varpat", {"name": info.argument or ""})
                return
            attributes = {"name": info.argument} if info.argument else {}
            if info.ellipsis:
                attributes["ellipsis"] = "1"
            formals = sorted(info.names)
            self.element("attrspat", attributes, lambda: self.write_formals(formals))

        self.element("function", self.location(info.span), inside)

    def write_formals(self, names: list[str]) -> None:
        for name in names:
            self.empty("attr", {"name": name})
