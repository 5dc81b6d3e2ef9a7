"""The Nix syntax tree: one record per form of the grammar (`grammar.txt`), each with its exact span.

The tree is what the text says, with two exceptions that Nix itself makes while parsing and that `--parse` shows:
attribute paths in a set are merged into nested sets (`{ a.b = 1; a.c = 2; }` is one set `a`), and indented strings have
lost their indentation. Everything else (operators as calls of builtins, old `let { }`, ...) stays as written; the
printer and the compiler know what it means.
"""

from __future__ import annotations

from typing import TypeAlias

from ...base.record import Record, field
from ...base.source import Span


class Node(Record):
    """Base of all expressions.  `span` covers the text of the whole expression, without outer parentheses."""

    span: Span = field(kw_only=True, compare=False)


# --- literals -------------------------------------------------------------------------------------------------------


class IntLiteral(Node):
    """`42`"""

    value: int


class FloatLiteral(Node):
    """`1.5`, `.5e3`"""

    value: float


class StringLiteral(Node):
    """A string without interpolation, or a URI."""

    value: str


class PathLiteral(Node):
    """`./x`, `/x`, `~/x`: `text` as written; `value` the absolute path (without a trailing slash)."""

    text: str
    value: str

    @property
    def independent(self) -> str:
        """The path without the directory of the file: a relative one as it was written."""
        return self.value if self.text.startswith(("/", "~")) else self.text


class SearchPath(Node):
    """`<nixpkgs/lib>`: `text` is what stands between the brackets."""

    text: str


# --- strings and paths with parts -----------------------------------------------------------------------------------


class Interpolation(Node):
    """`"a${b}c"`: `parts` are `StringLiteral`s and other expressions.  Always gives a string."""

    parts: tuple[Expr, ...]


class PathInterpolation(Node):
    """`./a/${b}/c`: the first part is a `PathLiteral`, the rest are pieces of text and expressions."""

    parts: tuple[Expr, ...]


# --- names ----------------------------------------------------------------------------------------------------------


class Variable(Node):
    """`x`"""

    name: str


class CurrentPosition(Node):
    """`__curPos`: the place where it is written, as a set."""


# --- attribute sets -------------------------------------------------------------------------------------------------


class Attribute(Record):
    """One definition in a set or `let`: the name, its place, and the expression.

    `inherited` is true for `inherit x;`: then `value` is the `Variable` x, looked up *outside* a recursive set.
    `selected` is true for `inherit (e) x;`: then `value` is the `Select` of x from e, and e sees a recursive set's
    names. `span` is the place that `unsafeGetAttrPos` tells: the start of the attribute path that was written.
    """

    name: str
    value: Expr
    span: Span = field(compare=False)
    inherited: bool = False
    selected: bool = field(default=False, compare=False)


class DynamicAttribute(Record):
    """`${e} = value;`, or `"a${e}" = value;`.  If the name evaluates to null there is no attribute."""

    name: Expr
    value: Expr
    span: Span = field(compare=False)


class AttrSet(Node):
    """`{ ... }` and `rec { ... }`, with attribute paths already merged."""

    attributes: tuple[Attribute, ...]
    dynamic: tuple[DynamicAttribute, ...] = ()
    recursive: bool = False


class Let(Node):
    """`let bindings in body`; `bindings` is a recursive set without dynamic attributes."""

    bindings: AttrSet
    body: Expr


class OldLet(Node):
    """`let { ...; body = e; }`, which means `(rec { ... }).body`."""

    bindings: AttrSet


class ListLiteral(Node):
    """`[ a b c ]`"""

    elements: tuple[Expr, ...]


# --- selection ------------------------------------------------------------------------------------------------------

PathStep: TypeAlias = "str | Expr"
"""One step of an attribute path: a fixed name, or an expression that gives it."""


class Select(Node):
    """`set.a.b`, `set.a.${e} or default`.  `steps` are names or expressions, `step_spans` their places."""

    subject: Expr
    steps: tuple[PathStep, ...]
    default: Expr | None = None
    step_spans: tuple[Span, ...] = field(kw_only=True, compare=False)


class HasAttr(Node):
    """`set ? a.b`"""

    subject: Expr
    steps: tuple[PathStep, ...]


# --- functions ------------------------------------------------------------------------------------------------------


class Formal(Record):
    """One argument in a pattern: `x` or `x ? default`."""

    name: str
    default: Expr | None
    span: Span = field(compare=False)


class Lambda(Node):
    """`x: body`"""

    argument: str
    body: Expr
    argument_span: Span = field(kw_only=True, compare=False)


class PatternLambda(Node):
    """`{ a, b ? d, ... } @ name: body`; `name` may be missing, and may stand on either side."""

    formals: tuple[Formal, ...]
    ellipsis: bool
    name: str | None
    body: Expr


class Call(Node):
    """`f a b`: the function and its arguments, all those written in one chain."""

    function: Expr
    arguments: tuple[Expr, ...]


# --- control --------------------------------------------------------------------------------------------------------


class If(Node):
    """`if test then yes else no`"""

    test: Expr
    yes: Expr
    no: Expr


class Assert(Node):
    """`assert test; body`"""

    test: Expr
    body: Expr


class With(Node):
    """`with scope; body`"""

    scope: Expr
    body: Expr


# --- operators ------------------------------------------------------------------------------------------------------


class Binary(Node):
    """`left operator right`; the operator as written."""

    operator: str
    left: Expr
    right: Expr
    operator_span: Span = field(kw_only=True, compare=False)


class Not(Node):
    """`!e`"""

    operand: Expr


class Negate(Node):
    """`-e`"""

    operand: Expr


Expr: TypeAlias = Node
"""Any of the expressions above (all are `Node`s)."""
