"""Our tree in the shape of real Puppet's model, to compare the two node by node, places included.

A node of the model is `[class, line, column, {attribute: value}]`, as `tests/oracle/puppet_syntax.rb` prints it. The
two differ in design, so this is a translation: Puppet wraps names of variables, keeps a method call as a call of a
named access, drops blocks of one statement in conditionals, and gives some nodes the place of what contains them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wherefrom.puppet.syntax import tree as t

Model = list[Any]


def model(node: t.Node) -> Model:
    """`node` as Puppet would have it."""
    method = globals()[f"_{type(node).__name__}"]
    name, parts = method(node)
    line, column = node.file.line_and_column(node.anchor)
    return [name, line, column, {key: value for key, value in parts.items() if value is not None}]


def program_model(program: t.Program) -> Model:
    """A whole program; its own place and empty body are nobody's concern."""
    return ["Program", None, None, {"body": _alone(program.body) or "nothing"}]


def simplified(found: Model) -> Model:
    """Puppet's model without what depends on Puppet's ways of making nodes: places of nodes that have none."""
    name, line, column, parts = found
    if name in UNPLACED:
        line = column = None
    if name == "HostClassDefinition" and parts.get("parent_class") is None:
        parts.pop("parent_class", None)
    return [name, line, column, {key: _simplify(value) for key, value in parts.items() if key not in IGNORED}]


UNPLACED = frozenset(
    "TextExpression BlockExpression ApplyBlockExpression LambdaExpression EppExpression RenderExpression".split()
)
"""Nodes that Puppet gives the place of something else, depending on how they came about."""
IGNORED = frozenset(["downcased_name", "rval_required", "parameters_specified", "future", "pattern"])


def _simplify(value: Any) -> Any:
    if isinstance(value, list):
        if len(value) == 4 and isinstance(value[0], str) and isinstance(value[3], dict):
            return simplified(value)
        return [_simplify(each) for each in value]
    return value


def _maybe(node: t.Node | None) -> Model | None:
    return None if node is None else model(node)


def _all(nodes: Sequence[t.Node]) -> list[Model]:
    return [model(each) for each in nodes]


def _alone(block: t.Block | t.If | None) -> Model | None:
    """A branch: a block of one is the statement itself, an empty one is nothing."""
    if block is None or isinstance(block, t.If):
        return _maybe(block)
    if len(block.statements) <= 1:
        return model(block.statements[0]) if block.statements else None
    return model(block)


def _body(block: t.Block) -> Model | None:
    return model(block) if block.statements else None


def _Undef(n: t.Undef) -> Any:
    return "LiteralUndef", {}


def _Default(n: t.Default) -> Any:
    return "LiteralDefault", {}


def _Boolean(n: t.Boolean) -> Any:
    return "LiteralBoolean", {"value": n.value}


def _Integer(n: t.Integer) -> Any:
    return "LiteralInteger", {"value": n.value, "radix": n.radix}


def _Float(n: t.Float) -> Any:
    text = repr(n.value)
    mantissa, exponent, power = text.partition("e")
    if exponent:
        mantissa += "" if "." in mantissa else ".0"
        text = f"{mantissa}e{power}"
    return "LiteralFloat", {"value": "Infinity" if text == "inf" else text}


def _String(n: t.String) -> Any:
    return "LiteralString", {"value": n.value}


def _Regex(n: t.Regex) -> Any:
    return "LiteralRegularExpression", {"value": n.pattern}


def _Name(n: t.Name) -> Any:
    return "QualifiedName", {"value": n.value}


def _TypeName(n: t.TypeName) -> Any:
    return "QualifiedReference", {"cased_value": n.value}


def _ReservedWord(n: t.ReservedWord) -> Any:
    return "ReservedWord", {"word": n.word}


def _Array(n: t.Array) -> Any:
    return "LiteralList", {"values": _all(n.items)}


def _HashEntry(n: t.HashEntry) -> Any:
    return "KeyedEntry", {"key": model(n.key), "value": model(n.value)}


def _Hash(n: t.Hash) -> Any:
    return "LiteralHash", {"entries": _all(n.entries)}


def _Interpolation(n: t.Interpolation) -> Any:
    return "TextExpression", {"expr": model(n.value)}


def _Interpolated(n: t.Interpolated) -> Any:
    return "ConcatenatedString", {"segments": _all(n.parts)}


def _Heredoc(n: t.Heredoc) -> Any:
    return "HeredocExpression", {"syntax": n.syntax, "text_expr": model(n.text)}


def _Variable(n: t.Variable) -> Any:
    line, column = n.file.line_and_column(n.start + 1)
    return "VariableExpression", {"expr": ["QualifiedName", line, column, {"value": n.name}]}


def _Not(n: t.Not) -> Any:
    return "NotExpression", {"expr": model(n.operand)}


def _Minus(n: t.Minus) -> Any:
    return "UnaryMinusExpression", {"expr": model(n.operand)}


def _Splat(n: t.Splat) -> Any:
    return "UnfoldExpression", {"expr": model(n.operand)}


def _Parenthesized(n: t.Parenthesized) -> Any:
    return "ParenthesizedExpression", {"expr": model(n.inner)}


def _binary(name: str, operator: bool) -> Any:
    def translate(n: t.Binary) -> Any:
        parts: dict[str, Any] = {"left_expr": model(n.left), "right_expr": model(n.right)}
        if operator:
            parts["operator"] = n.operator
        return name, parts

    return translate


_Arithmetic = _binary("ArithmeticExpression", True)
_Comparison = _binary("ComparisonExpression", True)
_Match = _binary("MatchExpression", True)
_Relationship = _binary("RelationshipExpression", True)
_Assignment = _binary("AssignmentExpression", True)
_In = _binary("InExpression", False)
_And = _binary("AndExpression", False)
_Or = _binary("OrExpression", False)


def _Access(n: t.Access) -> Any:
    return "AccessExpression", {"left_expr": model(n.target), "keys": _all(n.keys)}


def _Parameter(n: t.Parameter) -> Any:
    parts = {"name": n.name, "value": _maybe(n.default), "type_expr": _maybe(n.type)}
    return "Parameter", {**parts, "captures_rest": n.captures_rest or None}


def _Block(n: t.Block) -> Any:
    return "BlockExpression", {"statements": _all(n.statements)}


def _Lambda(n: t.Lambda) -> Any:
    parts = {"parameters": _all(n.parameters), "body": _body(n.body), "return_type": _maybe(n.return_type)}
    return "LambdaExpression", parts


def _Call(n: t.Call) -> Any:
    parts = {"functor_expr": model(n.function), "arguments": _all(n.arguments), "lambda": _maybe(n.block)}
    return "CallNamedFunctionExpression", parts


def _MethodCall(n: t.MethodCall) -> Any:
    line, column = n.file.line_and_column(n.dot_at)
    name = ["QualifiedName", line, column, {"value": n.name}]
    access = ["NamedAccessExpression", line, column, {"left_expr": model(n.receiver), "right_expr": name}]
    return "CallMethodExpression", {
        "functor_expr": access,
        "arguments": _all(n.arguments),
        "lambda": _maybe(n.block),
    }


def _If(n: t.If) -> Any:
    parts = {"test": model(n.test), "then_expr": _alone(n.then), "else_expr": _alone(n.otherwise)}
    return "IfExpression", parts


def _Unless(n: t.Unless) -> Any:
    parts = {"test": model(n.test), "then_expr": _alone(n.then), "else_expr": _alone(n.otherwise)}
    return "UnlessExpression", parts


def _CaseOption(n: t.CaseOption) -> Any:
    return "CaseOption", {"values": _all(n.values), "then_expr": _body(n.body)}


def _Case(n: t.Case) -> Any:
    return "CaseExpression", {"test": model(n.test), "options": _all(n.options)}


def _SelectorEntry(n: t.SelectorEntry) -> Any:
    return "SelectorEntry", {"matching_expr": model(n.match), "value_expr": model(n.value)}


def _Selector(n: t.Selector) -> Any:
    return "SelectorExpression", {"left_expr": model(n.test), "selectors": _all(n.entries)}


def _Attribute(n: t.Attribute) -> Any:
    parts = {"attribute_name": n.name, "operator": n.operator, "value_expr": model(n.value)}
    return "AttributeOperation", parts


def _AttributeSplat(n: t.AttributeSplat) -> Any:
    return "AttributesOperation", {"expr": model(n.value)}


def _ResourceBody(n: t.ResourceBody) -> Any:
    return "ResourceBody", {"title": model(n.title), "operations": _all(n.operations)}


def _Resource(n: t.Resource) -> Any:
    return "ResourceExpression", {"form": n.form, "type_name": model(n.type), "bodies": _all(n.bodies)}


def _ResourceDefaults(n: t.ResourceDefaults) -> Any:
    parts = {"form": n.form, "type_ref": model(n.type), "operations": _all(n.operations)}
    return "ResourceDefaultsExpression", parts


def _ResourceOverride(n: t.ResourceOverride) -> Any:
    parts = {"form": n.form, "resources": model(n.references), "operations": _all(n.operations)}
    return "ResourceOverrideExpression", parts


def _Query(n: t.Query) -> Any:
    return "ExportedQuery" if n.exported else "VirtualQuery", {"expr": _maybe(n.condition)}


def _Collector(n: t.Collector) -> Any:
    parts = {"type_expr": model(n.type), "query": model(n.query), "operations": _all(n.operations)}
    return "CollectExpression", parts


def _ClassDefinition(n: t.ClassDefinition) -> Any:
    parts = {"name": n.name, "parameters": _all(n.parameters), "body": _body(n.body), "parent_class": n.parent}
    return "HostClassDefinition", parts


def _DefinedType(n: t.DefinedType) -> Any:
    return "ResourceTypeDefinition", {"name": n.name, "parameters": _all(n.parameters), "body": _body(n.body)}


def _FunctionDefinition(n: t.FunctionDefinition) -> Any:
    parts = {"name": n.name, "parameters": _all(n.parameters), "body": _body(n.body)}
    return "FunctionDefinition", {**parts, "return_type": _maybe(n.return_type)}


def _PlanDefinition(n: t.PlanDefinition) -> Any:
    return "PlanDefinition", {"name": n.name, "parameters": _all(n.parameters), "body": _body(n.body)}


def _Apply(n: t.Apply) -> Any:
    body = ["ApplyBlockExpression", None, None, {"statements": _all(n.body.statements)}]
    return "ApplyExpression", {"arguments": _all(n.arguments), "body": body}


def _NodeDefinition(n: t.NodeDefinition) -> Any:
    return "NodeDefinition", {"host_matches": _all(n.hosts), "body": _body(n.body), "parent": _maybe(n.parent)}


def _TypeAlias(n: t.TypeAlias) -> Any:
    aliased = model(n.type)
    if isinstance(n.type, t.Access):  # made by hand in Puppet's grammar, and so without a place of its own
        aliased[1:3] = n.file.line_and_column(n.anchor)
    return "TypeAlias", {"name": n.name, "type_expr": aliased}


def _TypeMapping(n: t.TypeMapping) -> Any:
    return "TypeMapping", {"type_expr": model(n.type), "mapping_expr": model(n.mapping)}


def _TypeDefinition(n: t.TypeDefinition) -> Any:
    return "TypeDefinition", {"name": n.name, "parent": n.parent, "body": _body(n.body)}


def _RenderText(n: t.RenderText) -> Any:
    return "RenderStringExpression", {"value": n.text}


def _RenderExpression(n: t.RenderExpression) -> Any:
    value = _alone(n.value) if isinstance(n.value, t.Block) else model(n.value)
    return "RenderExpression", {"expr": value}


def _Epp(n: t.Epp) -> Any:
    body = _body(n.body)
    epp = ["EppExpression", None, None, {} if body is None else {"body": body}]
    return "LambdaExpression", {"parameters": _all(n.parameters or ()), "body": epp}
