"""A tree back to Puppet source, in one canonical form.

For every tree that the parser makes, parsing the printed text gives an equal tree. A tree made by hand may need
parentheses that it does not have; they are added, and only they differ then.

Texts are put together from the inside out. A heredoc leaves a mark in its line; when the whole text stands, the bodies
are put below the lines that hold their marks. Line ends come from layout alone: those inside strings are written as
escapes, so nothing stands between a heredoc's line and its body.

Two statements on two lines may read as one: `$a` and `-1` make a subtraction. Statements that begin with such a sign
are kept apart by a semicolon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from wherefrom.base.deep import with_deep_stack
from wherefrom.puppet.syntax.expressions import BINARY, SELECT, UNARY
from wherefrom.puppet.syntax.lexer import BOOLEANS, TASK_KEYWORDS
from wherefrom.puppet.syntax.regexes import ruby_source
from wherefrom.puppet.syntax.tree import (
    AbstractResource,
    Access,
    Apply,
    Array,
    Assignment,
    Attribute,
    AttributeSplat,
    Binary,
    Block,
    Boolean,
    Call,
    Case,
    ClassDefinition,
    Collector,
    Default,
    DefinedType,
    Epp,
    Expression,
    Float,
    FunctionDefinition,
    Hash,
    HashEntry,
    Heredoc,
    If,
    Integer,
    Interpolated,
    Interpolation,
    Lambda,
    MethodCall,
    Minus,
    Name,
    Node,
    NodeDefinition,
    Not,
    Operation,
    Parameter,
    Parenthesized,
    PlanDefinition,
    Program,
    Query,
    Regex,
    Relationship,
    RenderExpression,
    RenderText,
    ReservedWord,
    Resource,
    ResourceBody,
    ResourceDefaults,
    ResourceOverride,
    Selector,
    SelectorEntry,
    Splat,
    String,
    TypeAlias,
    TypeDefinition,
    TypeMapping,
    TypeName,
    Unary,
    Undef,
    Unless,
    Variable,
)

WIDTH = 100
INDENT = "  "
MAX_INDENT = 40  # levels; deeper ones are not moved further right
# Characters that Unicode sets aside for inner use: around the number of a heredoc that waits for its body, and for
# the tags of a template while it is being put together.
MARK, UNMARK, OPEN, CLOSE = "\ufdd0\ufdd1\ufdd2\ufdd3"

_BARE_VARIABLE = re.compile(r"(?:::)?[a-z_](?:[\w-]*\w)?(?:::[a-z_](?:[\w-]*\w)?)*|[0-9]+", re.A)
_ESCAPES = {"\\": "\\\\", "$": "\\$", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_ESCAPES.update({each: f"\\u{{{ord(each):x}}}" for each in (MARK, UNMARK, OPEN, CLOSE)})
_NEEDS_ESCAPE = re.compile(f'[\\\\$"\n\t\r{MARK}-{CLOSE}]')
_UNFIT_FOR_QUOTES = re.compile(f"[\n\r{MARK}-{CLOSE}]")
_WAITING = re.compile(f"{MARK}(\\d+){UNMARK}")
_ATTRIBUTE_NAME = re.compile(r"(?:::)?[a-z]\w*(?:::[a-z]\w*)*", re.A)
_TEMPLATE_TAG = re.compile(r"<%|%%>")

Statement = Assignment | Relationship | AbstractResource


class Printer:
    """Prints one tree.  `depth` is the current indentation; `namespace` the classes being printed."""

    def __init__(self) -> None:
        self.depth = 0
        self.namespace: list[str] = []
        self.heredocs: list[str] = []
        self.epp = False

    # --- layout -------------------------------------------------------------------------------------------------------

    def line(self) -> str:
        """A line end and the indentation of the next line."""
        return "\n" + INDENT * min(self.depth, MAX_INDENT)

    def finished(self, text: str) -> str:
        """The text with the bodies of its heredocs in place."""
        if MARK not in text:
            return text
        lines = []
        for each in text.split("\n"):
            waiting = _WAITING.findall(each)
            lines.append(_WAITING.sub("", each))
            lines.extend(self.heredocs[int(number)] for number in waiting)
        return "\n".join(lines)

    def show(self, node: Node) -> str:
        """Any node."""
        return PRINTERS[type(node)](self, node)

    def listed(self, opening: str, items: Sequence[str], closing: str, space: str = "", comma: str = ",") -> str:
        """Items between brackets, on one line if they are short."""
        inline = f"{opening}{space}{', '.join(items)}{space}{closing}"
        if len(inline) + 2 * self.depth <= WIDTH and "\n" not in inline:
            return inline
        return self.broken(opening, items, closing, comma)

    def broken(self, opening: str, items: Sequence[str], closing: str, comma: str = ",") -> str:
        """Items between brackets, one to a line, with `comma` after the last.  They were printed one level deeper."""
        lines = f"{self.line()}{INDENT}" + f",{self.line()}{INDENT}".join(items) + comma
        return f"{opening}{lines}{self.line()}{closing}" if items else opening + closing

    def inner(self, nodes: Sequence[Node]) -> list[str]:
        """Nodes printed one level deeper."""
        self.depth += 1
        found = [self.show(each) for each in nodes]
        self.depth -= 1
        return found

    # --- literals -----------------------------------------------------------------------------------------------------

    def string(self, node: String) -> str:
        value = node.value
        if _UNFIT_FOR_QUOTES.search(value):
            return '"' + _NEEDS_ESCAPE.sub(_escape, value) + '"'
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def integer(self, node: Integer) -> str:
        return {16: f"0x{node.value:X}", 8: f"0{node.value:o}"}.get(node.radix, str(node.value))

    def float(self, node: Float) -> str:
        text = repr(node.value)
        if "inf" in text:
            return "1e999"
        mantissa, e, power = text.partition("e")
        return f"{mantissa}e{power.removeprefix('+')}" if e else text

    def array(self, node: Array) -> str:
        return self.listed("[", self.entries(node.items), "]")

    def entries(self, nodes: Sequence[Expression]) -> list[str]:
        """Elements or arguments, one level deeper; a hash without braces gives several."""
        found: list[str] = []
        for each in nodes:
            if isinstance(each, Hash) and not each.braces:
                found.extend(self.inner(each.entries))
            else:
                found.extend(self.inner([each]))
        return found

    def hash(self, node: Hash) -> str:
        return self.listed("{", self.inner(node.entries), "}", " " if node.entries else "")

    def pair(self, node: HashEntry | SelectorEntry) -> str:
        left = node.key if isinstance(node, HashEntry) else node.match
        return f"{self.show(left)} => {self.show(node.value)}"

    # --- strings with parts -------------------------------------------------------------------------------------------

    def interpolated(self, node: Interpolated) -> str:
        parts = [
            _NEEDS_ESCAPE.sub(_escape, each.value) if isinstance(each, String) else self.show(each)
            for each in node.parts
        ]
        return '"' + "".join(parts) + '"'

    def interpolation(self, node: Interpolation) -> str:
        text = self.show(node.value)
        left: Expression = node.value
        while isinstance(left, Access | MethodCall):
            left = left.target if isinstance(left, Access) else left.receiver
        if isinstance(left, Variable) and _BARE_VARIABLE.fullmatch(left.name):
            if left.name not in BOOLEANS and left.name not in TASK_KEYWORDS:
                text = text[1:]
        if MARK in text:  # the body of a heredoc must come before the string goes on
            text += "\n"
        return "${" + text + "}"

    def heredoc(self, node: Heredoc) -> str:
        """The tag, with a mark for the body."""
        parts = node.text.parts if isinstance(node.text, Interpolated) else (node.text,)
        quoted = isinstance(node.text, Interpolated)
        literal = "".join(each.value for each in parts if isinstance(each, String))
        last = parts[-1].value if parts and isinstance(parts[-1], String) else ""
        flags = ("$" if quoted and "$" in literal else "") + ("r" if last.endswith("\r") else "")
        text = ""
        for each in parts:
            if not isinstance(each, String):
                text += self.show(each)
            elif flags:
                value = each.value.replace("\\", "\\\\")
                value = value.replace("$", "\\$") if "$" in flags else value
                text += value.replace("\r", "\\r") if "r" in flags else value
            else:
                text += each.value
        whole = self.finished(text)
        tag, number = "END", 1
        while re.search(rf"{tag}[^\S\n]*$", whole, re.M):
            number += 1
            tag = f"END{number}"
        end = tag
        if not whole.endswith("\n"):
            end = f"- {tag}" if whole else tag
            whole += "\n" if whole else ""
        self.heredocs.append(whole + end)
        shown = f'"{tag}"' if quoted else tag
        syntax = f":{node.syntax}" if node.syntax else ""
        return f"@({shown}{syntax}{'/' if flags else ''}{flags}){MARK}{len(self.heredocs) - 1}{UNMARK}"

    # --- operators ----------------------------------------------------------------------------------------------------

    def operand(self, node: Expression, minimum: int, left: bool = False) -> str:
        """An operand, in parentheses if it would fall apart without them."""
        text = self.show(node)
        if isinstance(node, Assignment | Relationship | AbstractResource | Block):
            return f"({text})"
        if isinstance(node, Call) and node.statement:
            return f"({text})"
        power = UNARY + 1
        if isinstance(node, Binary):
            power = BINARY[node.operator][0]
        elif isinstance(node, Selector):
            power = UNARY if left else SELECT
        elif isinstance(node, Unary):
            power = UNARY
        return text if power >= minimum else f"({text})"

    def binary(self, node: Binary) -> str:
        power = BINARY[node.operator][0]
        return f"{self.operand(node.left, power, True)} {node.operator} {self.operand(node.right, power + 1)}"

    def unary(self, node: Unary) -> str:
        sign = "!" if isinstance(node, Not) else "-" if isinstance(node, Minus) else "*"
        return sign + self.operand(node.operand, UNARY)

    def postfix_operand(self, node: Expression) -> str:
        """What stands before `[`, `.` or `(`."""
        return self.operand(node, UNARY + (0 if isinstance(node, Selector) else 1), True)

    def access(self, node: Access) -> str:
        return self.listed(f"{self.postfix_operand(node.target)}[", self.entries(node.keys), "]", comma="")

    def relationship(self, node: Relationship) -> str:
        right = self.show(node.right)
        if isinstance(node.right, Relationship | Assignment):
            right = f"({right})"
        left = self.show(node.left)
        return f"{f'({left})' if isinstance(node.left, Assignment) else left}{self.line()}{node.operator} {right}"

    def assignment(self, node: Assignment) -> str:
        left = self.show(node.left)
        return f"{f'({left})' if isinstance(node.left, Assignment) else left} {node.operator} {self.show(node.right)}"

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, node: Call) -> str:
        if node.statement and self.is_untitled(node.arguments):
            return self.untitled_call(node.function, node.arguments[0])
        if node.statement:
            arguments = ", ".join(self.show(each) for each in node.arguments)
            if isinstance(node.arguments[0], Hash) and not node.arguments[0].braces:
                arguments = self.show(node.arguments[0])
            apart = ";" if arguments[:1] in tuple("-*/{(") else ""
            return f"{self.show(node.function)}{apart} {arguments}"
        function = self.postfix_operand(node.function)
        if isinstance(node.function, MethodCall) and function.endswith(f".{node.function.name}"):
            function += "()"  # else these parentheses would be the method's
        return self.listed(f"{function}(", self.entries(node.arguments), ")") + self.block_argument(node.block)

    def is_untitled(self, arguments: Sequence[Expression]) -> bool:
        """Whether a call's only argument is a hash that can be written as attributes: `notice { a => 1 }`."""
        if len(arguments) != 1 or not isinstance(arguments[0], Hash) or not arguments[0].braces:
            return False
        return all(
            isinstance(entry.key, String)
            and _ATTRIBUTE_NAME.fullmatch(entry.key.value)
            and not isinstance(entry.value, (*STATEMENTS, Block))
            for entry in arguments[0].entries
        )

    def untitled_call(self, function: Expression, hash: Expression) -> str:
        """`name { attributes }`, as a call without parentheses and as a resource without a title are written."""
        assert isinstance(hash, Hash)
        pairs = [f"{_key(entry.key)} => {self.operand(entry.value, 0)}" for entry in hash.entries]
        return f"{self.show(function)} {{ {', '.join(pairs)} }}"

    def method_call(self, node: MethodCall) -> str:
        text = f"{self.postfix_operand(node.receiver)}.{node.name}"
        if node.arguments:
            text = f"{text}({', '.join(self.entries(node.arguments))})"
        elif node.name == "type":  # after the keyword a slash would begin a regular expression
            text += "()"
        return text + self.block_argument(node.block)

    def block_argument(self, node: Lambda | None) -> str:
        return "" if node is None else f" {self.show(node)}"

    def lambda_(self, node: Lambda) -> str:
        returns = f" >> {self.show(node.return_type)}" if node.return_type is not None else ""
        return f"|{self.bar_parameters(node.parameters)}|{returns} {self.block(node.body)}"

    def bar_parameters(self, parameters: Sequence[Parameter]) -> str:
        """Parameters between bars; a comma keeps the closing bar from being read as the start of a lambda."""
        text = ", ".join(self.show(each) for each in parameters)
        default = parameters[-1].default if parameters else None
        return text + ("," if default is not None and not isinstance(default, SIMPLE) else "")

    def parameter(self, node: Parameter) -> str:
        type = f"{self.show(node.type)} " if node.type is not None else ""
        default = f" = {self.operand(node.default, 0)}" if node.default is not None else ""
        return f"{type}{'*' if node.captures_rest else ''}${node.name}{default}"

    # --- blocks and conditions ----------------------------------------------------------------------------------------

    def block(self, node: Block) -> str:
        """`{ statements }`"""
        if not node.statements:
            return "{}"
        self.depth += 1
        body = self.statements(node.statements)
        self.depth -= 1
        return f"{{{self.line()}{INDENT}{body}{self.line()}}}"

    def statements(self, nodes: Sequence[Expression]) -> str:
        """Statements on lines of their own; inside a template the line ends are inside its tags."""
        text = ""
        for index, each in enumerate(nodes):
            shown = self.show(each)
            if index:
                apart = shown[:1] in tuple("-*/{") or (self.epp and shown[:1] == "(")
                text += f"{';' if apart else ''}{self.line()}"
            text += shown
        return text

    def untitled(self, node: Block) -> str:
        """A block where an expression stands: `name { ... }` without a title."""
        return self.untitled_call(*node.statements)

    def if_(self, node: If) -> str:
        text = f"if {self.before_brace(node.test)} {self.block(node.then)}"
        if isinstance(node.otherwise, If):
            return f"{text}{self.line()}els{self.if_(node.otherwise)}"
        return text + self.else_(node.otherwise)

    def before_brace(self, node: Expression) -> str:
        """An expression before a brace that is not its own: a collector would take it for its attributes."""
        text = self.operand(node, 0)
        return text + " {}" if text.endswith(("|>", "|>>")) else text

    def else_(self, node: Block | None) -> str:
        return "" if node is None else f"{self.line()}else {self.block(node)}"

    def unless(self, node: Unless) -> str:
        return f"unless {self.before_brace(node.test)} {self.block(node.then)}{self.else_(node.otherwise)}"

    def case(self, node: Case) -> str:
        self.depth += 1
        options = [
            f"{self.line()}{', '.join(self.operand(value, 0) for value in option.values)}: {self.block(option.body)}"
            for option in node.options
        ]
        self.depth -= 1
        return f"case {self.before_brace(node.test)} {{{''.join(options)}{self.line()}}}"

    def selector(self, node: Selector) -> str:
        test = self.operand(node.test, SELECT, True)
        return self.broken(f"{test} ? {{", self.inner(node.entries), "}")

    # --- the catalog --------------------------------------------------------------------------------------------------

    def attributes(self, operations: Sequence[Operation]) -> str:
        """Attributes on lines of their own, their arrows below one another."""
        names = [each.name if isinstance(each, Attribute) else "*" for each in operations]
        width = max(map(len, names), default=0)
        self.depth += 1
        lines = "".join(
            f"{self.line()}{name:<{width}} {each.operator if isinstance(each, Attribute) else '=>'} "
            f"{self.operand(each.value, 0)},"
            for name, each in zip(names, operations)
        )
        self.depth -= 1
        return lines

    def resource(self, node: Resource) -> str:
        form = {"virtual": "@", "exported": "@@"}.get(node.form, "")
        left = self.show(node.type)
        left = f"{form}{left}{' {}' if left.endswith(('|>', '|>>')) else ''} {{"
        if len(node.bodies) == 1:
            (body,) = node.bodies
            attributes = self.attributes(body.operations)
            title = self.operand(body.title, 0)
            return f"{left} {title}:{attributes}{self.line() if attributes else ' '}}}"
        self.depth += 1
        bodies = [f"{self.line()}{self.body(each)};" for each in node.bodies]
        self.depth -= 1
        return f"{left}{''.join(bodies)}{self.line()}}}"

    def body(self, node: ResourceBody) -> str:
        return f"{self.operand(node.title, 0)}:{self.attributes(node.operations)}".removesuffix(",")

    def untitled_attributes(self, node: ResourceDefaults | ResourceOverride) -> str:
        form = {"virtual": "@", "exported": "@@"}.get(node.form, "")
        left = node.type if isinstance(node, ResourceDefaults) else node.references
        attributes = self.attributes(node.operations)
        return f"{form}{self.show(left)} {{{attributes}{self.line() if attributes else ' '}}}"

    def query(self, node: Query) -> str:
        inner = f" {self.show(node.condition)} " if node.condition is not None else " "
        return f"<<|{inner}|>>" if node.exported else f"<|{inner}|>"

    def collector(self, node: Collector) -> str:
        text = f"{self.postfix_operand(node.type)} {self.query(node.query)}"
        if not node.operations:
            return text
        return f"{text} {{{self.attributes(node.operations)}{self.line()}}}"

    # --- definitions --------------------------------------------------------------------------------------------------

    def relative(self, name: str) -> str:
        """A name without the classes around it, which the parser puts back."""
        around = "::".join(self.namespace) + "::" if self.namespace else ""
        return name.removeprefix(around)

    def parameter_list(self, parameters: Sequence[Parameter]) -> str:
        return self.broken("(", self.inner(parameters), ") ") if parameters else ""

    def class_(self, node: ClassDefinition) -> str:
        name = self.relative(node.name)
        parent = f"inherits {node.parent} " if node.parent is not None else ""
        self.namespace.append(name)
        text = f"class {name} {self.parameter_list(node.parameters)}{parent}{self.block(node.body)}"
        self.namespace.pop()
        return text

    def define(self, node: DefinedType) -> str:
        return f"define {self.relative(node.name)} {self.parameter_list(node.parameters)}{self.block(node.body)}"

    def function(self, node: FunctionDefinition) -> str:
        returns = f">> {self.show(node.return_type)} " if node.return_type is not None else ""
        return f"function {node.name} {self.parameter_list(node.parameters)}{returns}{self.block(node.body)}"

    def plan(self, node: PlanDefinition) -> str:
        name = self.relative(node.name)
        self.namespace.append(name)
        text = f"plan {name} {self.parameter_list(node.parameters)}{self.block(node.body)}"
        self.namespace.pop()
        return text

    def apply(self, node: Apply) -> str:
        return f"{self.listed('apply(', self.entries(node.arguments), ')')} {self.block(node.body)}"

    def node(self, node: NodeDefinition) -> str:
        parent = f"inherits {self.show(node.parent)} " if node.parent is not None else ""
        return f"node {', '.join(self.show(each) for each in node.hosts)} {parent}{self.block(node.body)}"

    def type_definition(self, node: TypeDefinition) -> str:
        parent = f"inherits {node.parent} " if node.parent is not None else ""
        return f"type {node.name} {parent}{self.block(node.body)}"

    # --- templates ----------------------------------------------------------------------------------------------------

    def render_text(self, node: RenderText) -> str:
        """Text between tags: the code around it is closed before and opened after."""
        if node.text == "":  # Puppet makes an empty text only at the very end, after a tag that trims
            return f"-%>\n{OPEN}"
        return CLOSE + _TEMPLATE_TAG.sub(lambda found: "<%%" if found[0] == "<%" else "%%%>", node.text) + OPEN

    def render_expression(self, node: RenderExpression) -> str:
        value = node.value
        if isinstance(value, (Block, *STATEMENTS)) or (isinstance(value, Call) and value.statement):
            statements = value.statements if isinstance(value, Block) else (value,)
            text = self.block(Block(statements, file=node.file, start=node.start, end=node.end))
        else:
            text = self.show(value)
        return f"{CLOSE}<%= {text}{self.line() if MARK in text else ' '}%>{OPEN}"

    def template(self, node: Epp) -> str:
        """A whole template.  Code is printed in tags that are opened at once and dropped where nothing is in them."""
        self.epp = True
        head = ""
        if node.parameters is not None:
            inside = self.bar_parameters(node.parameters)
            head = self.finished(f"<%- | {inside}{chr(10) if MARK in inside else ' '}| -%>")
        text = self.finished(f"{OPEN} {self.statements(node.body.statements)}\n{CLOSE}")
        text = _EMPTY_TAG.sub("", text).replace(OPEN, "<%").replace(CLOSE, "%>")
        return f"{head}\n{text}" if head and text else head + text


_EMPTY_TAG = re.compile(f"{OPEN}\\s*{CLOSE}")

SIMPLE = (Undef, Default, Boolean, Integer, Float, String, Regex, Name, Variable, Array, Hash, Interpolated)
STATEMENTS = (Assignment, Relationship, AbstractResource)


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES[found[0]]


def _key(node: Expression) -> str:
    return node.value if isinstance(node, String) else "*"


PRINTERS: dict[type[Node], Callable[[Printer, Any], str]] = {
    Undef: lambda printer, node: "undef",
    Default: lambda printer, node: "default",
    Boolean: lambda printer, node: "true" if node.value else "false",
    Integer: Printer.integer,
    Float: Printer.float,
    String: Printer.string,
    Regex: lambda printer, node: f"/{ruby_source(node.pattern)}/",
    Name: lambda printer, node: node.value,
    TypeName: lambda printer, node: node.value,
    ReservedWord: lambda printer, node: node.word,
    Variable: lambda printer, node: f"${node.name}",
    Array: Printer.array,
    Hash: Printer.hash,
    HashEntry: Printer.pair,
    Interpolated: Printer.interpolated,
    Interpolation: Printer.interpolation,
    Heredoc: Printer.heredoc,
    Parenthesized: lambda printer, node: f"({printer.show(node.inner)})",
    Not: Printer.unary,
    Minus: Printer.unary,
    Splat: Printer.unary,
    Access: Printer.access,
    Relationship: Printer.relationship,
    Assignment: Printer.assignment,
    Call: Printer.call,
    MethodCall: Printer.method_call,
    Lambda: Printer.lambda_,
    Parameter: Printer.parameter,
    Block: Printer.untitled,
    If: Printer.if_,
    Unless: Printer.unless,
    Case: Printer.case,
    Selector: Printer.selector,
    SelectorEntry: Printer.pair,
    Resource: Printer.resource,
    ResourceDefaults: Printer.untitled_attributes,
    ResourceOverride: Printer.untitled_attributes,
    Collector: Printer.collector,
    Query: Printer.query,
    ClassDefinition: Printer.class_,
    DefinedType: Printer.define,
    FunctionDefinition: Printer.function,
    PlanDefinition: Printer.plan,
    Apply: Printer.apply,
    NodeDefinition: Printer.node,
    TypeAlias: lambda printer, node: f"type {node.name} = {printer.show(node.type)}",
    TypeMapping: lambda printer, node: f"type {printer.show(node.type)} = {printer.show(node.mapping)}",
    TypeDefinition: Printer.type_definition,
    RenderText: Printer.render_text,
    RenderExpression: Printer.render_expression,
    AttributeSplat: lambda printer, node: f"* => {printer.operand(node.value, 0)}",
    Attribute: lambda printer, node: f"{node.name} {node.operator} {printer.operand(node.value, 0)}",
    ResourceBody: Printer.body,
}
PRINTERS.update({each: Printer.binary for _, each in BINARY.values()})


def to_source(node: Node) -> str:
    """`node` as Puppet source: a whole file, a template, or any part of one."""
    try:
        return _to_source(node)
    except RecursionError:
        return with_deep_stack(lambda: _to_source(node))


def _to_source(node: Node) -> str:
    printer = Printer()
    if isinstance(node, Program):
        statements = node.body.statements
        if len(statements) == 1 and isinstance(statements[0], Epp):
            return printer.template(statements[0])
        text = printer.finished(printer.statements(statements))
        return text + "\n" if text else ""
    if isinstance(node, Epp):
        return printer.template(node)
    if isinstance(node, Block):
        return printer.finished(printer.block(node))
    return printer.finished(printer.show(node))
