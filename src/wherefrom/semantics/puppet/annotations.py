"""The annotation algebra: one semantics, several provenances.

The rules of this package are written once, over an `Algebra`: what a literal is annotated with, what becomes of
annotations when an operator computes, what an outer annotation `+β` is. The thesis' three provenances are instances:

| instance                 | literal | operator  | outer annotation   | absence labels | defined in |
|--------------------------|---------|-----------|--------------------|----------------|------------|
| `Plain`                  | nothing | nothing   | none               | none           | the paper  |
| `Where`                  | l       | ⊥         | none               | none           | thesis 4.2 |
| `HowExpression`          | l       | β1 op β2  | none               | none           | thesis 4.3 |
| `Dependency("thesis")`   | {l}     | β1 ∪ β2   | union of the tests | none           | thesis 5.2 |
| `Dependency("repaired")` | {l}     | β1 ∪ β2   | union of the tests | recorded       | R1-R8      |

and `Product(...)` annotates with tuples of what its parts say, so that one run gives all of them.

Where outer annotations are empty, `s^{+β}` is `s`: chapter 4's rules are chapter 5's with nothing to add.

Arrays, hashes and resource references, which the thesis leaves to future work, need two operations more: `container`
annotates a composite value itself, apart from its elements; `whole` is the annotation of a composite together with all
that is in it, wanted where it is used as one value (compared, or asked for as a result).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeGuard

from ...base.record import Record
from .syntax import UNDEF, Array, Data, Hash, Label, Outer, Reference, Value, same

EMPTY: Outer = frozenset()
"""No outer annotation."""


class Algebra(ABC):
    """How one kind of provenance annotates.  The defaults are those of a provenance that ignores control flow."""

    name: str

    @abstractmethod
    def label(self, l: Label) -> Any:  # noqa: E741 - the thesis' letter
        """The annotation of a literal (or another input) labelled l."""

    @abstractmethod
    def operator(self, op: str, *operands: Any) -> object:
        """The annotation of what a primitive operation gives."""

    @abstractmethod
    def short_circuit(self, op: str, first: Any) -> object:
        """The annotation of `and`, `or` when the first operand decides."""

    @abstractmethod
    def container(self) -> object:
        """The annotation of an array or hash just built, apart from its elements."""

    @abstractmethod
    def whole(self, own: Any, v: Array | Hash, parts: Sequence[Any]) -> Any:
        """The annotation of a composite value with everything in it; `parts` are the elements' own wholes."""

    @abstractmethod
    def undef(self) -> object:
        """The annotation of undef when nothing was found."""

    def outer(self, *tests: object) -> Outer:
        """The outer annotation that values annotated so leave on what they decided."""
        return EMPTY

    def union(self, first: Outer, second: Outer) -> Outer:
        """+β then +β'."""
        return EMPTY

    def plus(self, β: object, outer: Outer) -> object:
        """(v^β)^{+β'}: the annotation of the value afterwards."""
        return β

    def absence(self, outer: Outer) -> Outer:
        """What the repaired rules record of a decision *not* to do something; nothing in the thesis."""
        return EMPTY


# --- plain and where ------------------------------------------------------------------------------------------------


class Plain(Algebra):
    """No annotations: the paper's own semantics."""

    name = "plain"

    def label(self, l: Label) -> None:  # noqa: E741
        return None

    def operator(self, op: str, *operands: object) -> None:
        return None

    def short_circuit(self, op: str, first: object) -> None:
        return None

    def container(self) -> None:
        return None

    def whole(self, own: object, v: Array | Hash, parts: Sequence[object]) -> None:
        return None

    def undef(self) -> None:
        return None


BOTTOM = None
"""⊥: no single source."""


class Where(Algebra):
    """Thesis 4.2: β ::= l | ⊥.  Copying keeps the label, computing loses it."""

    name = "where"

    def label(self, l: Label) -> Label:  # noqa: E741
        return l

    def operator(self, op: str, *operands: object) -> None:
        return BOTTOM

    def short_circuit(self, op: str, first: object) -> None:
        return BOTTOM

    def container(self) -> None:
        return BOTTOM

    def whole(self, own: object, v: Array | Hash, parts: Sequence[object]) -> None:
        return BOTTOM

    def undef(self) -> None:
        return BOTTOM


# --- expression -----------------------------------------------------------------------------------------------------


class Term(Record):
    """β1 op β2, !β, and for the extension `array`, `hash` (with its keys), `ref t` and `undef`.

    A short circuit is `β and _`: an `and` with one argument. Terms share their parts: they form a graph.
    """

    op: str
    arguments: tuple[Formula, ...]
    keys: tuple[Any, ...] = ()


Formula: TypeAlias = "Label | Term"


class HowExpression(Algebra):
    """Thesis 4.3: β is the term that computes the value.  (Its appendix C prints ⊥ for and, or, not: a slip.)"""

    name = "expression"

    def label(self, l: Label) -> Label:  # noqa: E741
        return l

    def operator(self, op: str, *operands: Any) -> Term:
        return Term(op, operands)

    def short_circuit(self, op: str, first: Any) -> Term:
        return Term(op, (first,))

    def container(self) -> None:
        return BOTTOM

    def whole(self, own: Any, v: Array | Hash, parts: Sequence[Any]) -> Term:
        match v:
            case Array():
                return Term("array", tuple(parts))
            case Hash(entries):
                return Term("hash", tuple(parts), tuple(k for k, _ in entries))

    def undef(self) -> Term:
        return Term("undef", ())


# --- dependency -----------------------------------------------------------------------------------------------------


Labels: TypeAlias = frozenset[Label]
NONE: Labels = frozenset()


class Dependency(Algebra):
    """Thesis chapter 5: β is a set of labels.  `mode` is `thesis`, to the letter, or `repaired`, by R1-R8."""

    def __init__(self, mode: str) -> None:
        if mode not in ("thesis", "repaired"):
            raise ValueError(f"dependency rules are 'thesis' or 'repaired', not {mode!r}")
        self.name = mode
        self._records_absence = mode == "repaired"

    def label(self, l: Label) -> Labels:  # noqa: E741
        return frozenset((l,))

    def operator(self, op: str, *operands: Any) -> Labels:
        return NONE.union(*operands)

    def short_circuit(self, op: str, first: Labels) -> Labels:
        return first

    def container(self) -> Labels:
        return NONE

    def whole(self, own: Labels, v: Array | Hash, parts: Sequence[Any]) -> Labels:
        return own.union(*parts)

    def undef(self) -> Labels:
        return NONE

    def outer(self, *tests: Any) -> Labels:
        return NONE.union(*tests)

    def union(self, first: Labels, second: Labels) -> Labels:
        return first | second

    def plus(self, β: Any, outer: Labels) -> Labels:
        labels: Labels = β
        return labels | outer

    def absence(self, outer: Labels) -> Labels:
        return outer if self._records_absence else NONE


# --- product --------------------------------------------------------------------------------------------------------


class Product(Algebra):
    """Several provenances at once: annotations are tuples, one entry for each part, in order."""

    name = "product"

    def __init__(self, *parts: Algebra) -> None:
        self.parts = parts

    def of(self, name: str, β: Any) -> Any:
        """What the part called `name` says in β, an annotation or a non-empty outer annotation."""
        return EMPTY if isinstance(β, frozenset) else β[self.index(name)]

    def index(self, name: str) -> int:
        """The place of the part called `name`."""
        return [part.name for part in self.parts].index(name)

    def label(self, l: Label) -> tuple[Any, ...]:  # noqa: E741
        return tuple([part.label(l) for part in self.parts])

    def operator(self, op: str, *operands: Any) -> tuple[object, ...]:
        return tuple([part.operator(op, *operand_labels) for part, *operand_labels in zip(self.parts, *operands)])

    def short_circuit(self, op: str, first: Any) -> tuple[object, ...]:
        return tuple([part.short_circuit(op, label) for part, label in zip(self.parts, first)])

    def container(self) -> tuple[object, ...]:
        return tuple([part.container() for part in self.parts])

    def whole(self, own: Any, v: Array | Hash, parts: Sequence[Any]) -> tuple[Any, ...]:
        return tuple([part.whole(own[i], v, [element[i] for element in parts]) for i, part in enumerate(self.parts)])

    def undef(self) -> tuple[object, ...]:
        return tuple([part.undef() for part in self.parts])

    def outer(self, *tests: Any) -> Outer:
        return _all_or_empty([part.outer(*test_labels) for part, *test_labels in zip(self.parts, *tests)])

    def union(self, first: Outer, second: Outer) -> Outer:
        if not first:
            return second
        if not second:
            return first
        return _all_or_empty([part.union(a, b) for part, a, b in zip(self.parts, first, second)])

    def plus(self, β: Any, outer: Outer) -> object:
        if not outer:
            return β
        return tuple([part.plus(label, o) for part, label, o in zip(self.parts, β, outer)])

    def absence(self, outer: Outer) -> Outer:
        if not outer:
            return EMPTY
        return _all_or_empty([part.absence(label) for part, label in zip(self.parts, outer)])


def _all_or_empty(parts: list[Outer]) -> Outer:
    return tuple(parts) if any(parts) else EMPTY


def everything() -> Product:
    """All provenances at once."""
    return Product(Where(), HowExpression(), Dependency("thesis"), Dependency("repaired"))


ALGEBRAS: dict[str, Callable[[], Algebra]] = {
    "plain": Plain,
    "where": Where,
    "expression": HowExpression,
    "thesis": lambda: Dependency("thesis"),
    "repaired": lambda: Dependency("repaired"),
    "all": everything,
}


def whole(algebra: Algebra, value: Value) -> Any:
    """The annotation of a value with everything in it; that of a scalar is its own."""
    v = value.v
    if isinstance(v, Array):
        return algebra.whole(value.β, v, [whole(algebra, item) for item in v.items])
    if isinstance(v, Hash):
        return algebra.whole(value.β, v, [whole(algebra, entry) for _, entry in v.entries])
    return value.β


# --- what terms mean ------------------------------------------------------------------------------------------------

INTEGER_BITS = 64
"""Puppet's integers have 64 bits; the paper's are those of mathematics. We get stuck beyond, which also bounds `<<`."""


def arithmetic(op: str, i1: int, i2: int) -> int | None:
    """i1 op i2 on integers, `/` and `%` rounding down as in Puppet; nothing if there is no result."""
    if op in ("/", "%") and i2 == 0:
        return None
    match op:
        case "+":
            result = i1 + i2
        case "-":
            result = i1 - i2
        case "*":
            result = i1 * i2
        case "/":
            result = i1 // i2
        case "%":
            result = i1 % i2
        case _:
            distance = i2 if op == "<<" else -i2
            if distance > INTEGER_BITS:
                return None if i1 else 0
            result = i1 << distance if distance >= 0 else i1 >> min(-distance, INTEGER_BITS)
    return result if -(1 << (INTEGER_BITS - 1)) <= result < 1 << (INTEGER_BITS - 1) else None


def comparison(op: str, v1: Data, v2: Data) -> bool | None:
    """v1 op v2; nothing if the operator is not defined on them.  Order is for integers alone (the paper's >ℤ)."""
    match op:
        case "==":
            return same(v1, v2)
        case "!=":
            return not same(v1, v2)
    if not is_integer(v1) or not is_integer(v2):
        return None
    return {">": v1 > v2, "<": v1 < v2, ">=": v1 >= v2, "<=": v1 <= v2}[op]


def is_integer(v: Data) -> TypeGuard[int]:
    """Whether v is an integer i (in Python, booleans are integers too; here they are not)."""
    return isinstance(v, int) and not isinstance(v, bool)


class NoValue(Exception):
    """A term that does not evaluate."""


def evaluate(term: Formula, μ: Callable[[Label], Data]) -> Data:
    """Figure 4.10, μ ⊨ β ∽ v, read as a function: the value of a term whose leaves have the values μ gives them."""
    done: dict[int, Data] = {}

    def visit(β: Formula) -> Data:
        if id(β) in done:
            return done[id(β)]
        result = μ(β) if isinstance(β, Label) else _apply(β, [visit(argument) for argument in β.arguments])
        done[id(β)] = result
        return result

    return visit(term)


def _apply(β: Term, v: list[Data]) -> Data:
    result: Data | None
    match β.op, v:
        case ("and" | "or", [first]):  # the short circuit: β and _
            result = first
        case ("and", [bool(b1), bool(b2)]):
            result = b1 and b2
        case ("or", [bool(b1), bool(b2)]):
            result = b1 or b2
        case ("!", [bool(b)]):
            result = not b
        case ("undef", []):
            result = UNDEF
        case ("array", _):
            result = Array(tuple(Value(element, None) for element in v))
        case ("hash", _):
            result = Hash(tuple(zip(β.keys, (Value(element, None) for element in v))))
        case (op, [str(w)]) if op.startswith("ref "):
            result = Reference(op.removeprefix("ref "), w)
        case (">" | "<" | ">=" | "<=" | "==" | "!=", [v1, v2]):
            result = comparison(β.op, v1, v2)
        case (_, [int(i1), int(i2)]) if is_integer(i1) and is_integer(i2):
            result = arithmetic(β.op, i1, i2)
        case _:
            result = None
    if result is None:
        raise NoValue(β.op)
    return result


def leaves(term: Formula | None) -> set[Label]:
    """The labels of a term."""
    labels: set[Label] = set()
    seen: set[int] = set()
    stack: list[Any] = [term]
    while stack:
        here = stack.pop()
        if here is None or id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Label):
            labels.add(here)
        else:
            stack.extend(here.arguments)
    return labels


def size(term: Formula) -> int:
    """How many different nodes a term has, shared ones counted once."""
    seen: set[int] = set()
    stack: list[object] = [term]
    while stack:
        here = stack.pop()
        if id(here) not in seen:
            seen.add(id(here))
            stack.extend(getattr(here, "arguments", ()))
    return len(seen)


def sorted_labels(labels: Iterable[Label]) -> list[Label]:
    """Labels in source order."""
    return sorted(labels, key=lambda label: label.order)
