"""Types from text and from syntax trees.

The signatures of the built-in functions, `Type.new('...')`, `assert_type('...', value)` and type names in data are
texts that hold one type expression: names, literals, arrays, hashes and brackets, nothing that needs evaluation. A
reader of its own for that small language is much quicker than the front end and keeps this package free of it; trees
that the front end made (`type` statements, parameters) are read by `type_from_tree`.

Names that are not built in are given to the resolver; what it does not know either becomes a `TypeReference`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...base.cache import Cache
from ...base.diagnostics import ERROR
from ...base.patterns import compiled
from ..kernel.type_failures import TypeProblem
from ..kernel.values import DEFAULT, Regexp, Value, hash_key
from .model import PuppetType, TypeReference
from .names import named_type
from .specification import not_a_type, specify

if TYPE_CHECKING:
    from ..syntax.tree import Node

Resolver = Callable[[str], PuppetType | None]
Repeated = Callable[[str], None]

_BLANK = r"(?>\s+|\#[^\n]*+|/\*.*?\*/)*+"
"""What stands between tokens: space and comments, each read in one way only, whatever follows."""
_REST = compiled(_BLANK, re.DOTALL)
_TOKEN = compiled(
    _BLANK
    + r"""(?:
      (?P<type>(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*)
    | (?P<number>-?(?:0[xX][0-9A-Fa-f]+|\d+\.\d+(?:[eE]-?\d+)?|\d+(?:[eE]-?\d+)?))
    | (?P<single>'(?:[^'\\]|\\.)*')
    | (?P<double>"(?:[^"\\$]|\\.)*")
    | (?P<regex>/(?:[^/\\\n]|\\.)*/)
    | (?P<word>[a-z_][\w-]*(?:::[a-z_]\w*)*)
    | (?P<mark>=>|[\[\]{},])
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: dict[str, Value] = {"default": DEFAULT, "undef": None, "true": True, "false": False}
_CACHE: Cache[str, PuppetType] = Cache(4_096)


def parse_type(text: str, resolver: Resolver | None = None) -> PuppetType:
    """The type that `text` says.

    >>> print(parse_type("Hash[String, Optional[Integer[1, 10]]]"))
    Hash[String, Optional[Integer[1, 10]]]
    """
    known = _CACHE.get(text)
    if known is not None:
        return known
    reader = _Reader(text, resolver)
    kind = reader.value()
    if not isinstance(kind, PuppetType) or not reader.at_end():
        raise not_a_type(text)
    if resolver is None or not reader.resolved_names:
        _CACHE.keep(text, kind)
    return kind


def value_from_text(text: str, resolver: Resolver | None = None) -> Value:
    """The value of a text that holds literals and types only."""
    reader = _Reader(text, resolver)
    value = reader.value()
    if not reader.at_end():
        raise not_a_type(text)
    return value


def type_of_text(text: str, resolver: Resolver | None = None) -> PuppetType:
    """The type that a text of the program says.  What is no program at all fails as it would when it is parsed."""
    try:
        return parse_type(text.strip(), resolver)
    except TypeProblem as problem:
        from ...base.source import SourceFile
        from ..kernel.failures import EvaluationError
        from ..kernel.issues import PuppetError
        from ..syntax.parser import ParserSettings, parse

        parsed = parse(SourceFile("", text), ParserSettings(validated=False))
        first = next(iter(parsed.diagnostics), None)
        if not isinstance(first, PuppetError) or first.severity != ERROR:
            if problem.message == not_a_type(text.strip()).message:  # comments around it are not quoted
                statements = parsed.program.body.statements
                quoted = text[statements[0].span.start : statements[-1].span.end] if statements else ""
                raise not_a_type(quoted) from problem
            raise
        if first.reported != "place":
            raise TypeProblem(first.message) from problem
        raise EvaluationError(first.message, first.labels[0], issue=first.issue.name, lead="") from None


class _Reader:
    """One pass over the text, one method per form."""

    def __init__(self, text: str, resolver: Resolver | None) -> None:
        self.text = text
        self.at = 0
        self.resolver = resolver
        self.resolved_names = False

    def peek(self) -> tuple[str, str, int]:
        """Kind and text of the next token, and where it ends."""
        token = _TOKEN.match(self.text, self.at)
        if token is None or token.lastgroup is None:
            return "", "", self.at
        return token.lastgroup, token[token.lastgroup], token.end()

    def next(self) -> tuple[str, str]:
        kind, text, self.at = self.peek()
        return kind, text

    def at_end(self) -> bool:
        return _REST.fullmatch(self.text, self.at) is not None

    def expect(self, mark: str) -> None:
        if self.next() != ("mark", mark):
            raise not_a_type(self.text)

    def value(self) -> Value:
        kind, text = self.next()
        if kind == "type":
            return self.parameters(self.name(text), text)
        if kind == "number":
            if text.lstrip("-").lower().startswith("0x"):
                return int(text, 16)
            if any(mark in text for mark in ".eE"):
                return float(text)
            digits = text.lstrip("-")
            try:
                return int(text, 8) if digits.startswith("0") and len(digits) > 1 else int(text)
            except ValueError:  # an octal number with an eight
                raise not_a_type(self.text) from None
        if kind == "single":
            return re.sub(r"\\(['\\])", r"\1", text[1:-1])
        if kind == "double":
            return re.sub(
                r"\\(.)", lambda escape: {"n": "\n", "t": "\t", "s": " "}.get(escape[1], escape[1]), text[1:-1]
            )
        if kind == "regex":
            return Regexp(text[1:-1].replace("\\/", "/"))
        if kind == "word":
            return _WORDS.get(text, text)
        if text == "[":
            return self.items("]")
        if text == "{":
            return self.hash()
        raise not_a_type(self.text)

    def name(self, text: str) -> PuppetType:
        known = named_type(text)
        if known is None and self.resolver is not None:
            self.resolved_names = True
            known = self.resolver(text)
        return TypeReference(text.removeprefix("::")) if known is None else known

    def parameters(self, base: Value, name: str) -> Value:
        while self.peek()[:2] == ("mark", "["):
            start = self.at
            self.next()
            arguments = self.items("]")
            if not arguments or not isinstance(base, PuppetType):
                raise not_a_type(self.text)
            base = specify(base, name, arguments, name + self.text[start : self.at].strip())
        return base

    def items(self, end: str) -> list[Value]:
        values: list[Value] = []
        while self.peek()[1] != end:
            item = self.value()
            if self.peek()[1] == "=>":
                # bare entries, as in `Struct[a => Integer]`
                item = self.entries(item, end)
            values.append(item)
            if self.peek()[1] != end:
                self.expect(",")
        self.next()
        return values

    def hash(self) -> dict[Any, Value]:
        entries: dict[Any, Value] = {}
        if self.peek()[1] != "}":
            entries = self.entries(self.value(), "}")
        self.expect("}")
        return entries

    def entries(self, key: Value, end: str) -> dict[Any, Value]:
        entries: dict[Any, Value] = {}
        while True:
            self.expect("=>")
            entries[hash_key(key)] = self.value()
            if self.peek()[1] == end:
                return entries
            self.expect(",")
            if self.peek()[1] == end:
                return entries
            key = self.value()


def type_from_tree(node: Node, resolver: Resolver | None = None, text: str | None = None) -> PuppetType:
    """The type that a syntax tree says.  Raises `TypeProblem` for anything that is not a type expression.

    `text` is how messages quote the whole, if not as it is written.
    """
    kind = value_from_tree(node, resolver, text)
    if not isinstance(kind, PuppetType):
        raise not_a_type(text or node.span.text)
    return kind


def value_from_tree(node: Node, resolver: Resolver | None = None, text: str | None = None) -> Value:
    """The value of a tree that holds literals and types only."""
    from ..syntax import tree

    def value(part: Node) -> Value:
        return value_from_tree(part, resolver)

    match node:
        case tree.TypeName():
            known = named_type(node.value)
            if known is None and resolver is not None:
                known = resolver(node.value)
                if known is not None:
                    _settle(known)
            return TypeReference(node.value.removeprefix("::")) if known is None else known
        case tree.Access():
            arguments = [value(key) for key in node.keys]
            if not isinstance(node.target, tree.TypeName):
                raise not_a_type(node.span.text)
            return specify(value(node.target), node.target.value, arguments, text or node.span.text)
        case tree.String() | tree.Name() | tree.Integer() | tree.Float() | tree.Boolean():
            return node.value
        case tree.Regex():
            return Regexp(node.pattern)
        case tree.Default():
            return DEFAULT
        case tree.Undef():
            return None
        case tree.Array():
            return [value(item) for item in node.items]
        case tree.Hash():
            return {hash_key(value(entry.key)): value(entry.value) for entry in node.entries}
        case tree.Minus(operand):
            inner = value(operand)
            if isinstance(inner, int | float) and not isinstance(inner, bool):
                return -inner
        case tree.Parenthesized(inside):
            return value(inside)
        case tree.Heredoc():
            return value(node.text)
    raise not_a_type(node.span.text)


def object_definition(node: Node, resolver: Resolver | None = None) -> dict[Any, object]:
    """The hash between the brackets of `type A = Object[...]`.  Puppet tells anything else by its place in the tree."""
    from ..syntax import tree

    if not isinstance(node, tree.Hash):
        kind = type(node).__name__
        kind_name = _MODEL_NAMES.get(kind, f"{kind}Expression")
        raise TypeProblem(f"object initializer has wrong type, expects a Struct value, got Puppet::AST::{kind_name}")
    definition: dict[Any, object] = value_from_tree(node, resolver)
    return definition


_MODEL_NAMES = {
    **{kind: f"Literal{kind}" for kind in ("Undef", "Default", "Boolean", "Integer", "Float", "String")},
    "Regex": "LiteralRegularExpression",
    "Array": "LiteralList",
    "Name": "QualifiedName",
    "TypeName": "QualifiedReference",
    "Interpolated": "ConcatenatedString",
    "Minus": "UnaryMinusExpression",
    "Splat": "UnfoldExpression",
    "Call": "CallNamedFunctionExpression",
    "MethodCall": "CallMethodExpression",
    "Collector": "CollectExpression",
}
"""What Puppet calls parts of its tree, where that is not the name here with `Expression` behind it."""


def type_set_from_tree(name: str, node: Node, resolver: Resolver | None, repeated: Repeated) -> PuppetType:
    """The set of types that a hash in a syntax tree defines; its members know each other by their short names.

    Members are read when all are known, so that they may name each other in any order. `repeated` is called with keys
    that a member has more than once.
    """
    from ..syntax import tree
    from .type_sets import TypeSetType

    if not isinstance(node, tree.Hash):
        given = value_from_tree(node, resolver)
        if given is None:
            raise TypeProblem("The definition of a TypeSet must be a Hash. Got NilClass")
        return TypeSetType(given, name)
    known: list[TypeSetType] = []

    def resolve(wanted: str) -> PuppetType | None:
        member = known[0].member(wanted) if known else None
        return member or (resolver(wanted) if resolver is not None else None)

    definition: dict[Any, object] = {}
    for entry in node.entries:
        key = value_from_tree(entry.key)
        if key in ("types", "references") and isinstance(entry.value, tree.Hash):
            named: list[tuple[str, Node]] = [
                (
                    member.key.value if isinstance(member.key, tree.TypeName) else str(value_from_tree(member.key)),
                    member.value,
                )
                for member in entry.value.entries
            ]
            definition[hash_key(key)] = {
                short: named_definition(f"{name}::{short}", part, resolve, repeated)
                if key == "types"
                else value_from_tree(part, resolver)
                for short, part in named
            }
        else:
            definition[hash_key(key)] = value_from_tree(entry.value, resolver)
    type_set = TypeSetType(definition, name)
    known.append(type_set)
    for reference in type_set.references.values():
        reference.resolve(resolver or named_type)
    for member in type_set.types.values():
        _settle(member)
    return type_set


def _settle(member: PuppetType) -> None:
    """Work out what a type that a definition names is, so that what is wrong with it is told there."""
    from .model import TypeAlias
    from .objects import ObjectType

    if isinstance(member, ObjectType):
        member.read()
    elif isinstance(member, TypeAlias):
        _ = member.resolved


def named_definition(full: str, node: Node, resolver: Resolver | None, repeated: Repeated) -> PuppetType:
    """What a definition in a set of types is called: an object type has the name itself, anything else an alias.

    An object type is a hash, `Object[{...}]`, or a parent before the hash.
    """
    from ..syntax import tree
    from .model import TypeAlias
    from .objects import ObjectType

    target = node.target if isinstance(node, tree.Access) and len(node.keys) == 1 else None
    if isinstance(node, tree.Access) and isinstance(target, tree.TypeName):
        if target.lower == "object" and isinstance(node.keys[0], tree.Hash):
            node = node.keys[0]
        elif target.lower == "typeset":
            return type_set_from_tree(full, node.keys[0], resolver, repeated)
    if isinstance(node, tree.Hash):
        return ObjectType(lambda: value_from_tree(node, resolver), full)
    if isinstance(node, tree.ResourceDefaults) and isinstance(node.type, tree.TypeName):
        _tell_repeated(node, repeated)
        return ObjectType(lambda: _object_with_parent(node, resolver), full)
    return TypeAlias(full, lambda: type_from_tree(node, resolver))


def _tell_repeated(node: Any, repeated: Repeated) -> None:
    """`Parent { parent => ... }` and the like: told as soon as a set is read, whatever else is wrong with it."""
    known: set[object] = set() if node.type.value in ("Object", "TypeSet") else {"parent"}
    for operation in node.operations:
        name = getattr(operation, "name", None)
        if name in known:
            repeated(f"The key '{name}' is declared more than once")
        known.add(name)


def _object_with_parent(node: Any, resolver: Resolver | None) -> dict[Any, object]:
    """`Parent { attributes => ... }` as the hash that defines an object type; of a repeated key the last counts."""
    from ..syntax import tree

    given: dict[Any, object] = {}
    if node.type.value not in ("Object", "TypeSet"):
        given["parent"] = value_from_tree(node.type, resolver)
    for operation in node.operations:
        if not isinstance(operation, tree.Attribute):
            raise not_a_type(node.span.text)
        given[operation.name] = value_from_tree(operation.value, resolver)
    return given
