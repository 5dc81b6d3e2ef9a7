"""The tree of the Puppet language: one record per construct, every record with its place in the source.

The tree says what was written, not what it means: parentheses, `elsif`, barewords and quoted strings stay apart, so
that a tree can be printed back and so that messages can name what the user wrote. Only three things are settled here
because Puppet's own grammar settles them: a bare `include foo` is a `Call`, `${x}` in a string holds a `Variable`, and
names of nested classes are already qualified.

Places. A node stores its file and the offsets of its first and one-past-last characters; `node.span` makes a `Span` of
them when somebody asks. Puppet reports another place than the first character for some constructs (an operator for
`$a + $b`, the arrow for a hash entry, the variable for a parameter): `node.at` is the place that Puppet's messages and
the lines in its catalogs name, and `node.anchor` its offset. Places take no part in equality: two trees are equal when
their programs are.

Building nodes by hand (tests, transformations): `Variable("x", **located(span))`.

Sequences are tuples. `Node.children()` walks the parts in the order in which Puppet's validator visits them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ...base.record import Record, field
from ...base.source import SourceFile, Span


class Node(Record):
    """Any part of a program.  `label` is the name of the construct in Puppet's messages."""

    label: ClassVar[str] = "Object"

    file: SourceFile = field(kw_only=True, compare=False)
    start: int = field(kw_only=True, compare=False)
    end: int = field(kw_only=True, compare=False)

    @property
    def span(self) -> Span:
        """All the characters of the construct."""
        return Span(self.file, self.start, self.end)

    @property
    def anchor(self) -> int:
        """Offset of the place that Puppet names when it speaks about this node."""
        return self.start

    @property
    def at(self) -> Span:
        """The place that Puppet names when it speaks about this node, up to the end of the construct."""
        return Span(self.file, self.anchor, self.end)

    @property
    def line(self) -> int:
        """The line that Puppet reports for this node."""
        return self.file.line_of(self.anchor)

    def children(self) -> Iterator[Node]:
        """The nodes directly below this one, in source order."""
        for name in self.__compared__:
            part = getattr(self, name)
            if isinstance(part, Node):
                yield part
            elif isinstance(part, tuple):
                for child in part:
                    if isinstance(child, Node):
                        yield child

    def text_of(self) -> str:
        """How messages name the construct: its label, with the operator where there is one."""
        return self.label


class Expression(Node):
    """Anything that may stand as a statement or as a value."""


class Literal(Expression):
    """A literal without parts."""


class Definition(Expression):
    """A construct that defines something known beyond its place: class, define, node, function, type."""


# --- literals ---------------------------------------------------------------------------------------------------------


class Undef(Literal):
    """`undef`"""

    label = "'undef' expression"


class Default(Literal):
    """`default`, as a title, a case option, a selector entry, a type argument or a value"""

    label = "'default' expression"


class Boolean(Literal):
    """`true`, `false`"""

    label = "Boolean"
    value: bool


class Integer(Literal):
    """`42`, `0x2A` (radix 16), `052` (radix 8)"""

    label = "Literal Integer"
    value: int
    radix: int = 10


class Float(Literal):
    """`1.5`, `1e3`, `2.5E-3`"""

    label = "Literal Float"
    value: float


class String(Literal):
    """`'text'`, `"text"` without interpolation, a bareword that is no name (`foo-bar`), literal text in strings"""

    label = "String"
    value: str


class Regex(Literal):
    """`/pattern/`: the pattern between the slashes, with `\\/` written as `/`"""

    label = "Regular Expression"
    pattern: str


class Name(Literal):
    """A bareword: `foo`, `foo::bar`, `::foo`; a string where a value is wanted, a name before `{` or `(`"""

    label = "Name"
    value: str


class TypeName(Literal):
    """`File`, `Foo::Bar`, `::Foo`: the name of a type as written.  `lower` is the name Puppet looks up."""

    label = "Type-Name"
    value: str

    @property
    def lower(self) -> str:
        """The name in lower case without a leading `::`, as Puppet keeps it."""
        return self.value.lower().removeprefix("::")


class ReservedWord(Literal):
    """`private`, `attr`: always an error, with a message of its own"""

    word: str

    def text_of(self) -> str:
        return f"Reserved Word '{self.word}'"


class Array(Expression):
    """`[a, b]`; bare `key => value` elements become one `Hash` without braces"""

    label = "Array Expression"
    items: tuple[Expression, ...]


class HashEntry(Node):
    """`key => value`"""

    label = "Hash Entry"
    key: Expression
    value: Expression
    arrow: int = field(kw_only=True, compare=False)

    @property
    def anchor(self) -> int:
        return self.arrow


class Hash(Expression):
    """`{ a => 1, b => 2 }`; with `braces` false the bare entries of an argument list, an index or an array"""

    label = "Hash Expression"
    entries: tuple[HashEntry, ...]
    braces: bool = True

    @property
    def anchor(self) -> int:
        return self.start if self.braces else self.entries[0].arrow


# --- strings with parts -----------------------------------------------------------------------------------------------


class Interpolation(Expression):
    """`$x` or `${expression}` inside a string"""

    label = "Expression in Interpolated String"
    value: Expression


class Interpolated(Expression):
    """`"text $x text ${y}"`: parts are `String` and `Interpolation`; empty texts are left out"""

    label = "Double Quoted String"
    parts: tuple[String | Interpolation, ...]


class Heredoc(Expression):
    """`@(TAG:syntax/flags)` with its text: a `String`, or an `Interpolated` for a quoted tag"""

    syntax: str
    text: String | Interpolated

    def text_of(self) -> str:
        return f"'@({self.syntax})' expression"


# --- operators --------------------------------------------------------------------------------------------------------


class Variable(Expression):
    """`$x`, `$a::b`, `$::x`, `$0`: the name without `$`, as written"""

    label = "Variable"
    name: str


class Unary(Expression):
    """An operator before an operand"""

    operand: Expression


class Not(Unary):
    """`!operand`"""

    label = "'not' expression"


class Minus(Unary):
    """`-operand`"""

    label = "Unary Minus"


class Splat(Unary):
    """`*operand`: unfolds an array into the list it stands in"""

    label = "Unfold"


class Parenthesized(Expression):
    """`(inner)`"""

    label = "Parenthesized Expression"
    inner: Expression


class Binary(Expression):
    """An operator between two operands; `anchor` is the operator's place"""

    operator: str
    left: Expression
    right: Expression
    operator_at: int = field(kw_only=True, compare=False)

    @property
    def anchor(self) -> int:
        return self.operator_at

    def text_of(self) -> str:
        return f"'{self.operator}' expression"


class Arithmetic(Binary):
    """`left + right`, and `-` `*` `/` `%` `<<` `>>`"""


class Comparison(Binary):
    """`left == right`, and `!=` `<` `<=` `>` `>=`"""


class Match(Binary):
    """`left =~ right`, `left !~ right`"""


class In(Binary):
    """`left in right`"""


class And(Binary):
    """`left and right`"""


class Or(Binary):
    """`left or right`"""


class Relationship(Binary):
    """`left -> right`, and `~>` `<-` `<~`"""


class Assignment(Binary):
    """`$x = value`, `[$a, $b] = value`; `left` is the target.  `+=` and `-=` are parsed and then refused."""


class Access(Expression):
    """`target[key]`, `target[key, key]`: index, slice, resource reference or type with arguments"""

    label = "'[]' expression"
    target: Expression
    keys: tuple[Expression, ...]

    @property
    def anchor(self) -> int:
        return self.target.anchor


# --- calls ------------------------------------------------------------------------------------------------------------


class Parameter(Node):
    """`Type $name = default`, `*$rest`: a parameter of a class, define, function, lambda or template"""

    label = "Parameter Definition"
    name: str
    type: Expression | None = None
    default: Expression | None = None
    captures_rest: bool = False
    variable_at: int = field(kw_only=True, compare=False)

    @property
    def anchor(self) -> int:
        return self.variable_at


class Block(Expression):
    """Statements in sequence; the value is the last one's"""

    label = "Block Expression"
    statements: tuple[Expression, ...]


class Lambda(Expression):
    """`|parameters| >> Type { body }`"""

    label = "Lambda"
    parameters: tuple[Parameter, ...]
    body: Block
    return_type: Expression | None = None


class Call(Expression):
    """`name(arguments) |...| {...}`, `Type(arguments)`; `statement` when written without parentheses (`include x`)"""

    label = "Function Call"
    function: Expression
    arguments: tuple[Expression, ...]
    block: Lambda | None = None
    statement: bool = False

    @property
    def anchor(self) -> int:
        return self.function.anchor


class MethodCall(Expression):
    """`receiver.name(arguments) |...| {...}`; `parentheses` says whether `( )` were written

    Puppet names the place of `(`, or of the dot when there is none.
    """

    label = "Method call"
    receiver: Expression
    name: str
    arguments: tuple[Expression, ...]
    block: Lambda | None = None
    dot_at: int = field(kw_only=True, compare=False)
    call_at: int = field(kw_only=True, compare=False)

    @property
    def anchor(self) -> int:
        return self.call_at


# --- conditions -------------------------------------------------------------------------------------------------------


class If(Expression):
    """`if test { then } elsif ... else { ... }`; `otherwise` is an `If` for `elsif`, a `Block` for `else`"""

    label = "'if' statement"
    test: Expression
    then: Block
    otherwise: Block | If | None = None


class Unless(Expression):
    """`unless test { then } else { otherwise }`"""

    label = "'unless' Statement"
    test: Expression
    then: Block
    otherwise: Block | None = None


class CaseOption(Node):
    """`value, value: { body }`"""

    label = "Case Option"
    values: tuple[Expression, ...]
    body: Block
    colon: int = field(kw_only=True, compare=False)

    @property
    def anchor(self) -> int:
        return self.colon


class Case(Expression):
    """`case test { options }`"""

    label = "'case' statement"
    test: Expression
    options: tuple[CaseOption, ...]


class SelectorEntry(Node):
    """`match => value`"""

    label = "Selector Option"
    match: Expression
    value: Expression
    arrow: int = field(kw_only=True, compare=False)

    @property
    def anchor(self) -> int:
        return self.arrow


class Selector(Expression):
    """`test ? { match => value, ... }`"""

    label = "Selector Expression"
    test: Expression
    entries: tuple[SelectorEntry, ...]

    @property
    def anchor(self) -> int:
        return self.test.anchor


# --- the catalog ------------------------------------------------------------------------------------------------------


class Attribute(Node):
    """`name => value`, `name +> value`"""

    name: str
    operator: str
    value: Expression

    def text_of(self) -> str:
        return f"'{self.operator}' expression"


class AttributeSplat(Node):
    """`* => hash`: attributes from a hash"""

    label = "AttributesOperation"
    value: Expression


class ResourceBody(Node):
    """`title: attributes`

    Puppet gives a body no place of its own and names that of the whole resource: `anchor` is the resource's start.
    """

    label = "Resource Instance Definition"
    title: Expression
    operations: tuple[Attribute | AttributeSplat, ...]
    resource_at: int = field(kw_only=True, compare=False)

    @property
    def anchor(self) -> int:
        return self.resource_at


REGULAR, VIRTUAL, EXPORTED = "regular", "virtual", "exported"


class AbstractResource(Expression):
    """What `@` and `@@` may stand before; `form` is `regular`, `virtual` or `exported`"""

    form: str


class Resource(AbstractResource):
    """`type { title: attributes; title: attributes }`, with `@` virtual, with `@@` exported; `class { 'a': }` too"""

    label = "Resource Statement"
    type: Expression
    bodies: tuple[ResourceBody, ...]

    @property
    def anchor(self) -> int:
        return self.type.anchor if self.form == REGULAR else self.start


class ResourceDefaults(AbstractResource):
    """`File { attributes }`"""

    label = "Resource Defaults Expression"
    type: Expression
    operations: tuple[Attribute | AttributeSplat, ...]


class ResourceOverride(AbstractResource):
    """`File['/a', '/b'] { attributes }`, or any other `x[...]` before the brace"""

    label = "Resource Override"
    references: Expression
    operations: tuple[Attribute | AttributeSplat, ...]

    @property
    def anchor(self) -> int:
        return self.references.anchor if self.form == REGULAR else self.start


class Query(Node):
    """`<| condition |>`, exported `<<| condition |>>`"""

    exported: bool
    condition: Expression | None = None

    def text_of(self) -> str:
        return "Exported Query" if self.exported else "Virtual Query"


class Collector(Expression):
    """`Type <| query |> { attributes }`"""

    type: Expression
    query: Query
    operations: tuple[Attribute | AttributeSplat, ...] = ()

    @property
    def anchor(self) -> int:
        return self.type.anchor

    def text_of(self) -> str:
        return self.query.text_of()


# --- definitions ------------------------------------------------------------------------------------------------------


class NamedDefinition(Definition):
    """A definition with a name and parameters"""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block


class ClassDefinition(NamedDefinition):
    """`class name(parameters) inherits parent { body }`; the name of a nested class is already qualified"""

    label = "Host Class Definition"
    parent: str | None = None


class DefinedType(NamedDefinition):
    """`define name(parameters) { body }`"""

    label = "'define' expression"


class FunctionDefinition(NamedDefinition):
    """`function name(parameters) >> Type { body }`"""

    label = "Function Definition"
    return_type: Expression | None = None


class PlanDefinition(FunctionDefinition):
    """`plan name(parameters) { body }`: known only to a parser that is asked for tasks"""

    label = "Plan Definition"


class Apply(Expression):
    """`apply(targets) { body }`: known only to a parser that is asked for tasks"""

    label = "'apply' expression"
    arguments: tuple[Expression, ...]
    body: Block


class NodeDefinition(Definition):
    """`node 'a', /b/, default inherits c { body }`"""

    label = "Node Definition"
    hosts: tuple[Expression, ...]
    body: Block
    parent: Expression | None = None


class TypeAlias(Definition):
    """`type Name = Type`; `type Name = {...}` and `type Name = Parent {...}` hold the `Object[{...}]` they stand for"""

    label = "Type Alias"
    name: str
    type: Expression
    name_at: int = field(kw_only=True, compare=False)

    @property
    def anchor(self) -> int:
        return self.name_at


class TypeMapping(Definition):
    """`type Runtime[...] = Type`"""

    label = "Type Mapping"
    type: Expression
    mapping: Expression

    @property
    def anchor(self) -> int:
        return self.type.anchor


class TypeDefinition(Definition):
    """`type Name inherits Parent { body }`: parsed, and refused by the validator as Puppet does"""

    label = "Type Definition"
    name: str
    parent: str | None
    body: Block


# --- templates --------------------------------------------------------------------------------------------------------


class RenderText(Expression):
    """Literal text of a template, between tags"""

    label = "Epp Text"
    text: str


class RenderExpression(Expression):
    """`<%= value %>`; a `Block` for `<%= { ... } %>`"""

    label = "Epp Interpolated Expression"
    value: Expression


class Epp(Expression):
    """A whole template: `<%- | parameters | -%>` and its body; `parameters` is nothing if no block was written"""

    label = "Epp Template"
    parameters: tuple[Parameter, ...] | None
    body: Block


class Program(Node):
    """A whole file: its statements, or one `Epp` for a template.  `definitions` are those found anywhere in it.

    Definitions stand in the order in which their closing braces do, so a nested class comes before its outer one.
    """

    __slots__ = ("__weakref__",)

    body: Block
    definitions: tuple[Definition, ...] = field(default=(), compare=False, kw_only=True)


Operation = Attribute | AttributeSplat


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it, outer before inner, left to right.  Iterative: depth is no concern."""
    stack = [node]
    while stack:
        node_inside = stack.pop()
        yield node_inside
        parts = list(node_inside.children())
        parts.reverse()
        stack.extend(parts)


NODE_CLASSES: tuple[type[Node], ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, type) and issubclass(value, Node)
)
"""Every node class, for tests and for the tree cache."""
