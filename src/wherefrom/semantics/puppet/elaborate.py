"""From a Puppet tree to muPuppet's abstract syntax, or a refusal that names the construct and its place.

What is outside muPuppet (paper, appendix B) is refused with `OutsideMuPuppet`, a diagnostic. Four forms that the
paper's grammar leaves out are only shorter ways to write what it has, and are written out, with the same meaning and
the same provenance:

    if e1 {s1} elsif e2 {s2} else {s3}      if e1 {s1} else {if e2 {s2} else {s3}}
    unless e {s1} else {s2}                 if e {s2} else {s1}
    case e {c1, c2: {s} _ C}                case e {c1: {s} _ c2: {s} _ C}
    include a, b                            include a _ include b

Every literal occurrence gets a label of its own, numbered in source order: strings, barewords, numbers, booleans and
titles; not names of variables, classes, types and attributes, keys of hashes, `default`, or node names (thesis, 4.2.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from ...base.diagnostics import ERROR, Diagnostic, ManyErrors
from ...base.diagnostics import Label as Mark
from ...base.source import SourceFile
from ...puppet.syntax import tree as t
from . import syntax as mu

RELATIONSHIPS = ("before", "require", "notify", "subscribe", "tag", "stage")
"""Metaparameters that do more than set a value: edges, tags and run stages are not in muPuppet (paper, Figure 8)."""


PRESET = frozenset(
    "trusted server_facts environment servername serverip serverversion name module_name caller_module_name"
    " clientcert clientversion clientnoop".split()
)
"""Variables that real Puppet sets itself and muPuppet does not (paper, Figure 8).  Facts can be given to a run."""


class OutsideMuPuppet(Diagnostic):
    """A construct that muPuppet does not have."""

    code = "P901"

    def __init__(self, construct: str, node: t.Node) -> None:
        super().__init__(
            f"muPuppet has no {construct}",
            Mark(node.span, "outside the subset that the papers define"),
            help="`wherefrom compile` and `wherefrom explain` know the full language",
        )
        self.construct = construct


def refuse(construct: str, node: t.Node) -> NoReturn:
    """Raise `OutsideMuPuppet`."""
    raise OutsideMuPuppet(construct, node)


def elaborate_source(source: SourceFile, undef: bool = True) -> mu.Program:
    """Parse a manifest and elaborate it.  Raises what the parser found wrong, or `OutsideMuPuppet`."""
    from ...puppet.syntax.parser import parse

    parsed = parse(source)
    errors = [diagnostic for diagnostic in parsed.diagnostics if diagnostic.severity == ERROR]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ManyErrors(errors)
    return elaborate(parsed.program, undef)


def elaborate(program: t.Program, undef: bool = True) -> mu.Program:
    """The muPuppet program that a tree stands for.  Without `undef`, the literal `undef` is refused too."""
    return _Elaborator(program, undef).program()


class _Elaborator:
    """Walks one tree, handing out labels on the way."""

    def __init__(self, tree: t.Program, undef: bool) -> None:
        self.tree = tree
        self.undef = undef
        self.labels: list[mu.Label] = []
        self.defines = {
            normal(statement.name) for statement in tree.body.statements if isinstance(statement, t.DefinedType)
        }
        self.assigned = {
            node.left.name
            for node in t.walk(tree)
            if isinstance(node, t.Assignment) and isinstance(node.left, t.Variable)
        }
        self.in_define = False
        self.nodes = [statement for statement in tree.body.statements if isinstance(statement, t.NodeDefinition)]

    def program(self) -> mu.Program:
        m = mu.manifest(self.items())
        self.labels.sort(key=lambda label: label.span.start if label.span is not None else 0)
        for number, label in enumerate(self.labels, 1):
            label.name = f"l{number}"
        return mu.Program(m, tuple(self.labels))

    # --- manifests ---

    def items(self) -> Iterator[mu.Statement]:
        for statement in self.tree.body.statements:
            match statement:
                case t.ClassDefinition():
                    ρ = self.parameters(statement.parameters) or None
                    b = None if statement.parent is None else normal(statement.parent)
                    yield mu.ClassDefinition(
                        normal(statement.name), ρ, b, self.body(statement.body), span=statement.span
                    )
                case t.DefinedType():
                    self.in_define = True
                    ρ = self.parameters(statement.parameters)
                    yield mu.Define(normal(statement.name), ρ, self.body(statement.body), span=statement.span)
                    self.in_define = False
                case t.NodeDefinition():
                    yield mu.NodeDef(self.node_spec(statement), self.body(statement.body), span=statement.span)
                case _:
                    yield from self.statement(statement)

    def parameters(self, parameters: tuple[t.Parameter, ...]) -> mu.Parameters:
        ρ = []
        for parameter in parameters:
            if parameter.type is not None:
                refuse("data type annotations", parameter.type)
            if parameter.captures_rest:
                refuse("parameters that capture the rest", parameter)
            e = None if parameter.default is None else self.expression(parameter.default)
            ρ.append(mu.Param(parameter.name, e, span=parameter.span))
        return tuple(ρ)

    def node_spec(self, node: t.NodeDefinition) -> mu.NodeSpec:
        if node.parent is not None:
            refuse("inheritance between nodes", node.parent)
        specs = tuple(self.host(host, node) for host in node.hosts)
        return specs[0] if len(specs) == 1 else mu.NodeList(specs)

    def host(self, host: t.Expression, node: t.NodeDefinition) -> mu.NodeSpec:
        match host:
            case t.String(name) | t.Name(name):
                return mu.NodeName(name)
            case t.Default():
                others = (host for other in self.nodes for host in other.hosts if not isinstance(host, t.Default))
                return mu.NodeDefault(tuple(self.host(host, node) for host in others))
            case t.Regex(pattern):
                return mu.NodeRegExp(python_pattern(pattern, host))
            case _:
                refuse(f"node called by a {host.text_of()}", host)

    # --- statements ---

    def body(self, block: t.Block | None) -> mu.Statement:
        if block is None:
            return mu.SKIP
        return mu.sequence(s for statement in block.statements for s in self.statement(statement))

    def statement(self, node: t.Expression) -> Iterator[mu.Statement]:
        match node:
            case t.Assignment():
                yield self.assignment(node)
            case t.If() | t.Unless():
                yield self.conditional(node)
            case t.Case(test, options):
                branches = tuple(branch for option in options for branch in self.branches(option))
                yield mu.CaseOf(self.expression(test), branches, span=node.span)
            case t.Resource():
                yield self.resource(node)
            case t.Call(t.Name("include" | "::include"), arguments, None):
                for argument in arguments:
                    yield mu.Include(self.class_name(argument), span=node.span)
            case t.ClassDefinition() | t.DefinedType() | t.NodeDefinition():
                refuse(f"definitions inside other constructs ({node.text_of()})", node)
            case t.Block():
                yield self.body(node)
            case _:
                yield mu.Expr(self.expression(node), span=node.span)

    def assignment(self, node: t.Assignment) -> mu.Statement:
        if node.operator != "=":
            refuse(f"operator {node.operator}", node)
        if not isinstance(node.left, t.Variable):
            refuse("assignment to several variables", node.left)
        if "::" in node.left.name:
            refuse("assignment to a variable of another scope", node.left)
        return mu.Assign(node.left.name, self.expression(node.right), span=node.span)

    def conditional(self, node: t.If | t.Unless | t.Block | None) -> mu.Statement:
        match node:
            case t.If(test, then, otherwise):
                return mu.If(self.expression(test), self.body(then), self.conditional(otherwise), span=node.span)
            case t.Unless(test, then, None):
                return mu.Unless(self.expression(test), self.body(then), span=node.span)
            case t.Unless(test, then, otherwise):
                e, s = self.expression(test), self.body(then)
                return mu.If(e, self.body(otherwise), s, span=node.span)
            case _:
                return self.body(node)

    def branches(self, option: t.CaseOption) -> Iterator[mu.Branch]:
        cases = [self.case(value) for value in option.values]
        s = self.body(option.body)
        for c in cases:
            yield mu.Branch(c, s, span=option.span)

    def case(self, node: t.Expression) -> mu.Case:
        return mu.Default(span=node.span) if isinstance(node, t.Default) else self.expression(node)

    def resource(self, node: t.Resource) -> mu.Statement:
        if node.form != t.REGULAR:
            refuse(f"{node.form} resources", node)
        if not isinstance(node.type, t.Name):
            refuse("resource whose type is not a name", node.type)
        if len(node.bodies) != 1:
            refuse("several bodies in one resource declaration", node)
        body = node.bodies[0]
        kind = normal(node.type.value)
        if kind == "class":
            return mu.ClassDecl(self.class_name(body.title), self.attributes(body), span=node.span)
        if isinstance(body.title, t.Array):
            refuse("several titles in one resource declaration", body.title)
        e, H = self.expression(body.title), self.attributes(body)
        if kind in self.defines:
            return mu.Defined(kind, e, H, span=node.span)
        return mu.Resource(kind, e, H, span=node.span)

    def attributes(self, body: t.ResourceBody) -> mu.Attributes:
        H = []
        for operation in body.operations:
            if isinstance(operation, t.AttributeSplat):
                refuse("attributes from a hash (* =>)", operation)
            if operation.operator != "=>":
                refuse(f"operator {operation.operator}", operation)
            if operation.name in RELATIONSHIPS:
                refuse(f"metaparameter {operation.name}", operation)
            H.append((operation.name, self.expression(operation.value)))
        return tuple(H)

    def class_name(self, node: t.Expression) -> str:
        match node:
            case t.Name(name) | t.String(name):
                return normal(name)
            case _:
                refuse(f"class whose name is not written out ({node.text_of()})", node)

    # --- expressions ---

    def literal(self, v: mu.Data, node: t.Node) -> mu.Expression:
        label = mu.Label("l?", v, node.span)
        self.labels.append(label)
        return mu.Value(v, label, span=node.span)

    def expression(self, node: t.Expression) -> mu.Expression:
        span = node.span
        match node:
            case t.String(v) | t.Name(v) | t.Integer(v) | t.Boolean(v):
                return self.literal(v, node)
            case t.Minus(t.Integer(i)):
                return self.literal(-i, node)
            case t.Undef() if self.undef:
                return self.literal(mu.UNDEF, node)
            case t.Undef():
                refuse("undef", node)
            case t.Variable(name):
                return self.variable(name, node)
            case t.Parenthesized(inner):
                return self.expression(inner)
            case t.Not(operand):
                return mu.Not(self.expression(operand), span=span)
            case t.Arithmetic(op, left, right):
                return mu.Arith(op, self.expression(left), self.expression(right), span=span)
            case t.Comparison(op, left, right):
                return mu.Comp(op, self.expression(left), self.expression(right), span=span)
            case t.And(_, left, right):
                return mu.And(self.expression(left), self.expression(right), span=span)
            case t.Or(_, left, right):
                return mu.Or(self.expression(left), self.expression(right), span=span)
            case t.Selector(test, entries):
                e = self.expression(test)
                M = tuple(
                    mu.Match(self.case(entry.match), self.expression(entry.value), span=entry.span) for entry in entries
                )
                return mu.Selector(e, M, span=span)
            case t.Array(items):
                return mu.ArrayExp(tuple(self.expression(item) for item in items), span=span)
            case t.Hash(entries, True):
                return mu.HashExp(
                    tuple((self.key(entry.key), self.expression(entry.value)) for entry in entries), span=span
                )
            case t.Access(target, keys):
                return self.access(target, keys, node)
            case t.Interpolated() | t.Heredoc() | t.Interpolation():
                refuse("string interpolation", node)
            case t.Call(function, _, _):
                refuse(f"function calls ({getattr(function, 'value', 'of a computed name')})", node)
            case t.MethodCall():
                refuse(f"function calls ({node.name})", node)
            case t.If() | t.Unless() | t.Case() | t.Assignment() | t.Resource():
                refuse(f"{node.text_of()} as a value", node)
            case _:
                refuse(node.text_of(), node)

    def variable(self, name: str, node: t.Variable) -> mu.Expression:
        if name.isdigit():
            refuse("variables of regular expression matches", node)
        a, _, x = name.removeprefix("::").rpartition("::")
        if a == "settings" or (x in PRESET and x not in self.assigned and not a):
            refuse(f"pre-set variables (${name})", node)
        if name == "title" and not self.in_define:
            refuse("$title outside of defined types", node)
        if a:
            return mu.QualifiedVar(normal(a), x, span=node.span)
        return mu.TopVar(x, span=node.span) if name.startswith("::") else mu.Var(x, span=node.span)

    def key(self, node: t.Expression) -> mu.Key:
        match node:
            case t.String(k) | t.Name(k) | t.Integer(k):
                return k
            case _:
                refuse(f"hash key that is not a string or an integer ({node.text_of()})", node)

    def access(self, target: t.Expression, keys: tuple[t.Expression, ...], node: t.Access) -> mu.Expression:
        if len(keys) != 1 or isinstance(keys[0], t.Hash | t.Splat):
            refuse("access with more than one index", node)
        if isinstance(target, t.TypeName):
            if isinstance(keys[0], t.Array) or target.lower in ("class", "resource") or target.lower in DATA_TYPES:
                refuse(f"reference or type {target.value}[...]", node)
            return mu.Ref(target.lower, self.expression(keys[0]), span=node.span)
        return mu.Deref(self.expression(target), self.expression(keys[0]), span=node.span)


DATA_TYPES = frozenset(
    "any array binary boolean callable catalogentry collection data default deferred enum error float hash init integer"
    " iterable iterator notundef numeric object optional pattern regexp runtime scalar scalardata semver semverrange"
    " sensitive string struct target timespan timestamp tuple type typealias typereference typeset undef uri"
    " variant".split()
)
"""Types of data, whose `Type[...]` is no resource reference."""


def normal(name: str) -> str:
    """A name as κ knows it: lower case, no leading `::`."""
    return name.lower().removeprefix("::")


def python_pattern(pattern: str, node: t.Node) -> str:
    """A Ruby regular expression in Python's words; those it can not say are refused."""
    translated = "(?m)" + re.sub(r"\\(.)", lambda m: {"z": r"\Z", "h": "[0-9a-fA-F]"}.get(m[1], m[0]), pattern)
    try:
        re.compile(translated)
    except re.error:
        refuse(f"regular expression /{pattern}/", node)
    return translated
