"""The code generator of masked runs: fast code that also gathers which inputs a computation uses (`kernel.masks`).

It writes what `plain` writes, with these differences:

* Whoever looks at a thunk that is computed already adds its mask, so nothing looks at `Thunk.value` by itself, and a
  variable that was forced is not bound to its value: a closure made later would use the value without its mask.
* In a file of the user every literal is a thunk with a bit of its own; sets and lists have a bit for their names and
  their length, functions one for their body, and definitions (`name = value;`, in sets and `let`) one for all of it.
* Code of a library has no bits of its own. The file as a whole is one input, read where it is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.tree import (
    AttrSet,
    Binary,
    DynamicAttribute,
    Expr,
    FloatLiteral,
    IntLiteral,
    ListLiteral,
    Negate,
    PathLiteral,
    PatternLambda,
    Select,
    StringLiteral,
)
from .plain import Plain
from .walk import WORDS, Code, TransferSite
from .writer import Binding

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span
    from ..kernel.world import Machine

_DEFINING = frozenset(("attribute", "let"))
"""The transfers that a definition passes its value on by."""


class Masked(Plain):
    """Writes fast code that gathers masks."""

    def __init__(self, machine: Machine, source: SourceFile, own: bool) -> None:
        super().__init__(machine, source)
        self.own = own
        """Whether the file is the user's: its parts are inputs."""
        self._slots: dict[str, str] = {}
        """Code for a slot, by the code of the value: for values that have a bit of their own."""

    def part(self, kind: str, span: Span, name: str = "") -> str:
        """The bit of a part of the file."""
        return self.constant("part", kind, name, span.start, span.end)

    # --- values ---

    def literal(self, node: IntLiteral | FloatLiteral | StringLiteral | PathLiteral) -> Code:
        if not self.own:
            return super().literal(node)
        if isinstance(node, PathLiteral):
            return self._leaf("path literal", node.independent, node.span)
        return self._leaf("literal", node.value, node.span)

    def word(self, name: str, span: Span) -> Code:
        return self._leaf("literal", WORDS[name], span) if self.own else super().word(name, span)

    def _leaf(self, kind: str, value: object, span: Span) -> Code:
        slot = self.constant(kind, value, span.start, span.end)
        code = f"force({slot})"
        self._slots[code] = slot
        return code, ""

    def _noted(self, raw: str, bit: str) -> str:
        code = f"noted({bit}, {raw})"
        self._slots[code] = f"D(None, {raw}, {bit})"
        return code

    def bound(self, binding: Binding) -> Code:
        name = self.use(binding.python)
        if binding.kind:
            return name, binding.kind
        if not self.frame.hot:
            return f"force({name})", ""
        return f"({name} if {name}.__class__ is not T else force({name}))", ""

    def set_value(self, raw: str, node: AttrSet) -> Code:
        return (self._noted(raw, self.part("names", node.span)), "attrs") if self.own else (raw, "attrs")

    def dynamic_set(self, raw: str, parts: list[tuple[str, str, DynamicAttribute]], node: AttrSet) -> Code:
        code, kind = super().dynamic_set(raw, parts, node)
        return (f"noted({self.part('names', node.span)}, {code})", kind) if self.own else (code, kind)

    def list_value(self, raw: str, node: ListLiteral) -> Code:
        return (self._noted(raw, self.part("elements", node.span)), "list") if self.own else (raw, "list")

    def foreseen(self, value: Expr) -> str:
        return "" if self.own else super().foreseen(value)

    def equal(self, left: Expr, right: Expr) -> str:
        if self.own:
            return f"equal({self.strict(left)[0]}, {self.strict(right)[0]})"
        return super().equal(left, right)

    # --- slots ---

    def transferred(self, code: str, transfer: TransferSite | None) -> str:
        slot = self._slots.get(code)
        if slot is not None:
            return slot
        if code.isidentifier() and (bit := self._definition(transfer)):
            return f"D(passed, {code}, {bit})"
        return code

    def thunk_object(self, function: str, given: str, transfer: TransferSite | None) -> str:
        bit = self._definition(transfer)
        return f"D({function}, {given}, {bit})" if bit else super().thunk_object(function, given, transfer)

    def _definition(self, transfer: TransferSite | None) -> str:
        """The bit of the definition that passes a value on; nothing in a library."""
        if not self.own or transfer is None or transfer[0] not in _DEFINING:
            return ""
        return self.part("definition", transfer[2], transfer[1])

    def ready_arithmetic(self, node: Binary | Negate, transfer: TransferSite | None) -> str | None:
        return None if self.own else super().ready_arithmetic(node, transfer)

    def ready_selection(self, node: Select, binding: Binding) -> str | None:
        return None if self.own else super().ready_selection(node, binding)

    # --- functions ---

    def opened(self, node: PatternLambda, given: str, table: str, information: str) -> str:
        code = super().opened(node, given, table, information)
        if not self.own:
            return code
        assigned, _, matched = code.partition(" := ")
        return f"{assigned} := (seen({self.part('function', node.span)}) or {matched})"

    def watched(self, node: Expr, code: str) -> str:
        return f"(seen({self.part('function', node.span)}) or {code})" if self.own else code
