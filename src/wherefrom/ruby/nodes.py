"""The tree of Ruby that the compiler works on: names are resolved, sugar is gone, every node knows its place.

A local variable is a pair (depth, slot): how many blocks outwards its frame is, and where in that frame it stands. A
name is local from its first assignment in the text, as in Ruby, so this is known before anything runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.record import Record, field
from ..base.source import Span


class Node(Record):
    """Anything that can be evaluated."""

    span: Span = field(kw_only=True, compare=False)


class Constant(Node):
    """nil, true, false, a number or a symbol."""

    value: Any


class Self(Node):
    """`self`"""


class Str(Node):
    """A string without interpolation."""

    value: str


class Interpolated(Node):
    """A string, symbol or regular expression with `#{...}`: parts are texts and nodes."""

    parts: tuple[str | Node, ...]
    kind: str = "string"
    """`string`, `symbol` or `regexp`."""
    options: str = ""


class Regex(Node):
    """A regular expression without interpolation."""

    source: str
    options: str


class ArrayLiteral(Node):
    """`[a, *b]`"""

    items: tuple[Node, ...]


class HashLiteral(Node):
    """`{a => b, **c}`: a pair without key is a splat.  `keywords`: written as arguments of a call, without braces."""

    pairs: tuple[tuple[Node | None, Node], ...]
    keywords: bool = False


class RangeLiteral(Node):
    """`a..b`"""

    first: Node
    last: Node
    exclusive: bool


class Splat(Node):
    """`*a` among arguments or items."""

    value: Node


class Local(Node):
    """A local variable.  As a target of assignments too."""

    name: str
    depth: int
    slot: int


class InstanceVariable(Node):
    """`@a`"""

    name: str


class ClassVariable(Node):
    """`@@a`"""

    name: str


class GlobalVariable(Node):
    """`$a`; `$1` and `$~` are `MatchVariable`."""

    name: str


class MatchVariable(Node):
    """`$~`, `$1`, `` $` ``, `$'`, `$&`, `$+`."""

    name: str


class ConstantName(Node):
    """`A`, `B::A`, `::A` (`top`)."""

    scope: Node | None
    name: str
    top: bool = False


class Index(Node):
    """`a[b]`: a call of `[]`, and a target."""

    object: Node
    arguments: tuple[Node, ...]


class Attribute(Node):
    """`a.b` as a target."""

    object: Node
    name: str
    safe: bool = False


class Targets(Node):
    """`a, (b, *c), d` on the left: `splat` is the place of the starred one, or nothing."""

    targets: tuple[Node, ...]
    splat: int | None


class Nowhere(Node):
    """A target that keeps nothing: the bare `*`."""


class Assign(Node):
    """`target = value`"""

    target: Node
    value: Node


class OperatorAssign(Node):
    """`target op= value`; the operator is `||`, `&&` or the name of a method."""

    target: Node
    operator: str
    value: Node


class And(Node):
    left: Node
    right: Node


class Or(Node):
    left: Node
    right: Node


class Not(Node):
    value: Node


class Defined(Node):
    """`defined?(value)`"""

    value: Node


class Parameters(Record):
    """Parameters of a method or block.  Entries are slots, or `Targets` for `(a, b)`.

    `keywords`: (name, slot, default); the default is a node, or `REQUIRED`.
    """

    required: tuple[int | Targets, ...]
    optional: tuple[tuple[int, Node], ...]
    rest: int | None
    post: tuple[int | Targets, ...]
    keywords: tuple[tuple[str, int, Any], ...]
    keyword_rest: int | None
    block: int | None
    names: tuple[tuple[str, str], ...]
    """Kind and name of each, for `parameters` and messages."""
    trailing_comma: bool = False


class _Required:
    """The type of `REQUIRED`."""


REQUIRED = _Required()


class Block(Node):
    """`{ |a| body }`, or a lambda's."""

    parameters: Parameters
    body: Node
    slots: int
    is_lambda: bool
    has_next: bool
    has_break: bool


class Call(Node):
    """`receiver.name(arguments) { block }`"""

    receiver: Node | None
    name: str
    arguments: tuple[Node, ...]
    block: Block | None = None
    block_argument: Node | None = None
    safe: bool = False
    is_word: bool = False
    """A bare word that could have been a variable."""


class Super(Node):
    """`super(...)`, or, without any list of arguments, with those of the method."""

    arguments: tuple[Node, ...] | None
    block: Block | None
    block_argument: Node | None


class Yield(Node):
    arguments: tuple[Node, ...]


class LambdaLiteral(Node):
    """`->(a) { ... }`"""

    block: Block


class If(Node):
    test: Node
    yes: Node
    no: Node


class While(Node):
    test: Node
    body: Node
    until: bool
    body_first: bool


class For(Node):
    target: Node
    values: Node
    body: Node


class When(Record):
    """`when patterns then body`"""

    patterns: tuple[Node, ...]
    body: Node


class Case(Node):
    subject: Node | None
    whens: tuple[When, ...]
    otherwise: Node


class Rescue(Record):
    """`rescue classes => target; body`"""

    classes: tuple[Node, ...]
    target: Node | None
    body: Node


class Begin(Node):
    """`begin ... rescue ... else ... ensure ... end`"""

    body: Node
    rescues: tuple[Rescue, ...]
    otherwise: Node | None
    ensure: Node | None


class Sequence(Node):
    """Statements one after the other; the value is the last one's."""

    statements: tuple[Node, ...]


class Return(Node):
    value: Node


class Break(Node):
    value: Node


class Next(Node):
    value: Node


class Retry(Node):
    pass


class Redo(Node):
    pass


class Define(Node):
    """`def name(...)`; `singleton` is the object of `def object.name`."""

    name: str
    parameters: Parameters
    body: Node
    slots: int
    singleton: Node | None


class DefineClass(Node):
    path: ConstantName
    superclass: Node | None
    body: Node
    slots: int


class DefineModule(Node):
    path: ConstantName
    body: Node
    slots: int


class SingletonClass(Node):
    """`class << object`"""

    object: Node
    body: Node
    slots: int


class Alias(Node):
    new: str
    old: str


class Undefine(Node):
    names: tuple[str, ...]


class Unsupported(Node):
    """Something outside the closed part: an error only if it is reached."""

    what: str
    refused: bool = False


class TemplateText(Node):
    """A stretch of literal text of a template."""

    text: str


class TemplateOutput(Node):
    """`<%= value %>`"""

    value: Node


class Root(Record):
    """A whole file: body, number of slots, and what the file says about its strings."""

    body: Node
    slots: int
    frozen_strings: bool
    changes_strings: bool


def inside(root: Record) -> Iterator[Record]:
    """All records of a tree, in the order of the text."""
    waiting: list[object] = [root]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting.extend(reversed(part))
        elif isinstance(part, Record):
            yield part
            waiting.extend(getattr(part, name) for name in reversed(part.__fields__))
