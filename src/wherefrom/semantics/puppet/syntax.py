"""The abstract syntax of muPuppet: Figures 6 and 7 of the paper, and the annotations of the thesis.

Papers: Fu, Perera, Anderson, Cheney, *muPuppet: a declarative subset of the Puppet configuration language* (the paper);
Fu, *Semantics and provenance of configuration programming language muPuppet* (the thesis).

Letters, here and in all files of this package:

    e expression   s statement   m manifest   v plain value   H hash (attributes)   M matches   C cases   ρ parameters
    x variable   a, b class   u defined type   t built-in type   k key   w title   Q node specification   N node name
    α scope   σ variable store   κ definitions   vC catalog   β annotation   l label

A value is always an annotated one, `v^β`: what β is, the algebra of the run decides (`annotations`). `e^{+β}` and
`s^{+β}` carry the thesis' *outer annotation* (Figure 5.2): the inputs that decided that the construct is there at all.

Every node may carry the span of the source it was written as; spans take no part in equality.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from ...base.record import Record, field
from ...base.source import Span

# --- labels ---------------------------------------------------------------------------------------------------------


class Label:
    """A label l: one input of the compilation, a literal of the source unless `kind` says otherwise.

    Literals are numbered `l1`, `l2`, ... in source order; facts are called `fact:NAME`. Labels compare by identity: two
    runs of one program, with different values for some literals, share them.
    """

    __slots__ = ("kind", "name", "span", "v")

    def __init__(self, name: str, v: Data, span: Span | None = None, kind: str = "literal") -> None:
        self.name = name
        self.v = v
        self.span = span
        self.kind = kind

    def __repr__(self) -> str:
        return self.name

    @property
    def order(self) -> tuple[str, int, str]:
        """For sorting: facts, then literals in source order."""
        number = self.name[1:]
        return (self.kind, int(number) if self.kind == "literal" and number.isdigit() else 0, self.name)


# --- scopes (Figure 7) ----------------------------------------------------------------------------------------------

Scope: TypeAlias = str
"""α ::= :: | ::a | ::nd | α def.  Strings, because a store is searched by scope at every variable."""

TOP: Scope = "::"
NODE: Scope = "nd"
"""The paper's `::nd`, spelt so that it can not be taken for the scope of a class called `nd`."""

_DEF = " def"


def class_scope(a: str) -> Scope:
    """`::a`"""
    return f"::{a}"


def def_scope(α: Scope) -> Scope:
    """`α def`"""
    return α + _DEF


def is_def_scope(α: Scope) -> bool:
    """Whether α is `β def` for some β."""
    return α.endswith(_DEF)


def ambient_of(α: Scope) -> Scope:
    """β, of a scope `β def`."""
    return α.removesuffix(_DEF)


def class_of(α: Scope) -> str | None:
    """a, if α is `::a`; nothing for the other scopes."""
    return α[2:] if α.startswith("::") and α != TOP and not is_def_scope(α) else None


# --- expressions (Figure 6) -----------------------------------------------------------------------------------------


class Node(Record):
    """Anything that was written somewhere."""

    span: Span | None = field(kw_only=True, compare=False, default=None)


class Expression(Node):
    """e"""


class Undef(Record):
    """The value `undef`, which the paper leaves out and its section 5.3 describes."""

    def __repr__(self) -> str:
        return "undef"


UNDEF = Undef()


class Array(Record):
    """[v1, ..., vn]; every element keeps its own annotation."""

    items: tuple[Value, ...]


class Hash(Record):
    """{k1 ⇒ v1, ...}; keys carry no annotation."""

    entries: tuple[tuple[Key, Value], ...]


class Reference(Record):
    """t[w]"""

    t: str
    w: str


Key: TypeAlias = str | int
Data: TypeAlias = int | str | bool | Undef | Array | Hash | Reference
Outer: TypeAlias = Any
"""An outer annotation +β, of the algebra of the run; false when it is empty."""


class Value(Expression):
    """v^β.  In a program that was not annotated yet, β is the literal's `Label`."""

    v: Data
    β: Any


class Var(Expression):
    """$x"""

    x: str


class TopVar(Expression):
    """$::x"""

    x: str


class QualifiedVar(Expression):
    """$::a::x"""

    a: str
    x: str


class Arith(Expression):
    """e1 + e2, and - * / % << >>"""

    op: str
    e1: Expression
    e2: Expression


class Comp(Expression):
    """e1 > e2, and < >= <= == !="""

    op: str
    e1: Expression
    e2: Expression


class And(Expression):
    """e1 and e2"""

    e1: Expression
    e2: Expression


class Or(Expression):
    """e1 or e2"""

    e1: Expression
    e2: Expression


class Not(Expression):
    """!e"""

    e: Expression


class ArrayExp(Expression):
    """[A]"""

    A: tuple[Expression, ...]


class HashExp(Expression):
    """{H}"""

    H: tuple[tuple[Key, Expression], ...]


class Deref(Expression):
    """d[e]"""

    d: Expression
    e: Expression


class Ref(Expression):
    """t[e]"""

    t: str
    e: Expression


class Default(Node):
    """`default` as a case; β is its outer annotation (thesis, Figure 5.2)."""

    β: Outer = frozenset()


Case: TypeAlias = Expression | Default


class Match(Node):
    """c ⇒ e, one of the matches of a selector."""

    c: Case
    e: Expression


class Selector(Expression):
    """e ? {M}"""

    e: Expression
    M: tuple[Match, ...]


class PlusE(Expression):
    """e^{+β}"""

    e: Expression
    β: Outer


Attributes: TypeAlias = tuple[tuple[str, Expression], ...]
"""H ::= ε | k ⇒ e, H in a resource body."""


# --- statements (Figures 6 and 7) -----------------------------------------------------------------------------------


class Statement(Node):
    """s; also a manifest m."""


class Skip(Statement):
    """skip, the empty statement"""


SKIP = Skip()


class Expr(Statement):
    """e as a statement: its value is ignored."""

    e: Expression


class Seq(Statement):
    """s1 _ s2"""

    s1: Statement
    s2: Statement


class Assign(Statement):
    """$x = e"""

    x: str
    e: Expression


class If(Statement):
    """if e {s1} else {s2}"""

    e: Expression
    s1: Statement
    s2: Statement


class Unless(Statement):
    """unless e {s}"""

    e: Expression
    s: Statement


class Branch(Node):
    """c : {s}, one of the cases of a case statement."""

    c: Case
    s: Statement


class CaseOf(Statement):
    """case e {C}.  `passed` are the bodies whose tests have failed so far: rule R1 wants to know them in the end."""

    e: Expression
    C: tuple[Branch, ...]
    passed: tuple[Statement, ...] = ()


class Resource(Statement):
    """t {e : H}; once title and attributes are values, a resource value vR."""

    t: str
    e: Expression
    H: Attributes


class Defined(Statement):
    """u {e : H}"""

    u: str
    e: Expression
    H: Attributes


class ClassDecl(Statement):
    """class {a : H}"""

    a: str
    H: Attributes


class Include(Statement):
    """include a"""

    a: str


class Resume(Statement):
    """resume s, with s = include a or class {a : vH}: a has begun and its parent has run (only the rules make these)"""

    s: Include | ClassDecl


class In(Statement):
    """scope α s (Figure 7: only the rules make these)"""

    α: Scope
    s: Statement


class PlusS(Statement):
    """s^{+β}"""

    s: Statement
    β: Outer


def sequence(statements: Iterable[Statement]) -> Statement:
    """s1 _ (s2 _ ...); skip if there is none."""
    left = list(statements)
    if not left:
        return SKIP
    s = left.pop()
    while left:
        s1 = left.pop()
        s = Seq(s1, s, span=s1.span)
    return s


# --- manifests ------------------------------------------------------------------------------------------------------


class Param(Node):
    """$x or $x = e, a parameter of ρ."""

    x: str
    e: Expression | None


Parameters: TypeAlias = tuple[Param, ...]


class MSeq(Statement):
    """m1 _ m2"""

    m1: Statement
    m2: Statement


class NodeDef(Statement):
    """node Q {s}"""

    Q: NodeSpec
    s: Statement


class Define(Statement):
    """define u (ρ) {s}"""

    u: str
    ρ: Parameters
    s: Statement


class ClassDefinition(Statement):
    """class a {s}, class a (ρ) {s}, class a inherits b {s}, class a (ρ) inherits b {s}.

    The paper has four forms and a rule for each: ρ and b are nothing when they were not written.
    """

    a: str
    ρ: Parameters | None
    b: str | None
    s: Statement


class NodeName(Record):
    """N"""

    N: str


class NodeList(Record):
    """(N1, ..., Nk); a member may be a regular expression too."""

    members: tuple[NodeSpec, ...]


class NodeRegExp(Record):
    """r ∈ RegExp, as a Python pattern (the elaborator translates)."""

    r: str


class NodeDefault(Record):
    """default: matches when none of the manifest's other node specifications does (the paper's section 2.1)."""

    others: tuple[NodeSpec, ...]


NodeSpec: TypeAlias = NodeName | NodeList | NodeRegExp | NodeDefault


def manifest(items: Iterable[Statement]) -> Statement:
    """m1 _ (m2 _ ...); skip if there is none."""
    left = list(items)
    if not left:
        return SKIP
    m = left.pop()
    while left:
        m1 = left.pop()
        m = MSeq(m1, m, span=m1.span)
    return m


class Program(Record):
    """A manifest whose literals carry labels, and those labels in source order."""

    m: Statement
    labels: tuple[Label, ...]

    def label(self, name: str) -> Label:
        """The label called `name`."""
        return next(label for label in self.labels if label.name == name)


# --- definitions ----------------------------------------------------------------------------------------------------


class ClassDef(Record):
    """ClassDef(c_opt, ρ, s)"""

    b: str | None
    ρ: Parameters
    s: Statement


class DeclaredClass(Record):
    """DeclaredClass(α), with the annotation that repair R4 puts on it: what decided where α points."""

    α: Scope
    β: Outer


class BegunClass(Record):
    """BegunClass(d): a class that waits for its parent to run; d is its ClassDef (switch `begin_first`)."""

    d: ClassDef


class ResourceDef(Record):
    """ResourceDef(ρ, s)"""

    ρ: Parameters
    s: Statement


Definition: TypeAlias = ClassDef | BegunClass | DeclaredClass | ResourceDef


# --- plain data -----------------------------------------------------------------------------------------------------


def same(v1: Data, v2: Data) -> bool:
    """Equality as Puppet knows it: types count (`1` is not `'1'` nor `true`), the case of letters does not."""
    match v1, v2:
        case (str(), str()):
            return v1.lower() == v2.lower()
        case (bool(), bool()):
            return v1 is v2
        case (bool(), _) | (_, bool()):
            return False
        case (int(), int()):
            return v1 == v2
        case (Undef(), Undef()):
            return True
        case (Reference(), Reference()):
            return v1 == v2
        case (Array(a), Array(b)):
            return len(a) == len(b) and all(same(x.v, y.v) for x, y in zip(a, b))
        case (Hash(a), Hash(b)):
            other = dict(b)
            return len(a) == len(b) and all(k in other and same(x.v, other[k].v) for k, x in a)
        case _:
            return False


def plain(v: Data) -> Any:
    """A value without its annotations, as JSON-like data; references become `Type[title]`, undef `None`."""
    match v:
        case Array(items):
            return [plain(item.v) for item in items]
        case Hash(entries):
            return {k: plain(entry.v) for k, entry in entries}
        case Reference(t, w):
            return f"{capitalised(t)}[{w}]"
        case Undef():
            return None
        case _:
            return v


def capitalised(t: str) -> str:
    """A type's name as references and catalogs write it."""
    return "::".join(part.capitalize() for part in t.split("::"))
