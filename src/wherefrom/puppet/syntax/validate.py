"""What Puppet refuses before it evaluates anything.

The validator walks the tree once, outer nodes before inner ones, in the order in which Puppet's checker does, because
the order of its messages and their number are visible ("Language validation logged 3 errors. Giving up"). Each
construct has at most one `check_` method; questions that are asked of many constructs have one method each:

- `rvalue`: may this stand where a value is wanted?  (collectors and definitions may not)
- `idem`: does evaluating this change nothing?  (then it is pointless anywhere but last)
- `top`: may a definition stand here?
- `query`: may this stand in a collector's query?
- `assign`: may this be assigned to?

A block of one statement in the branches of a conditional does not exist for Puppet: the statement itself stands there.
`path` keeps that view, since what may stand where depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, ClassVar

from ...base.diagnostics import Diagnostic
from ..kernel import issues
from ..kernel.issues import DEPRECATION, Issue, PuppetError, a_an, a_an_uc
from .heredoc_syntax import syntax_trouble
from .location import MISPLACED
from .regexes import ruby_text
from .tree import (
    Access,
    And,
    Apply,
    Arithmetic,
    Array,
    Assignment,
    Attribute,
    AttributeSplat,
    Block,
    Boolean,
    Call,
    Case,
    CaseOption,
    ClassDefinition,
    Collector,
    Comparison,
    Default,
    DefinedType,
    Definition,
    Epp,
    Expression,
    Float,
    FunctionDefinition,
    Hash,
    HashEntry,
    Heredoc,
    If,
    In,
    Integer,
    Interpolated,
    Interpolation,
    Lambda,
    Literal,
    Match,
    MethodCall,
    Minus,
    Name,
    NamedDefinition,
    Node,
    NodeDefinition,
    Not,
    Or,
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
    Undef,
    Unless,
    Variable,
)

MAX_INTEGER = 0x7FFF_FFFF_FFFF_FFFF

DEFINITION_NAME = re.compile(r"[a-z]\w*(?:::[a-z]\w*)*", re.A)
TYPE_DEFINITION_NAME = re.compile(r"[A-Z]\w*(?:::[A-Z]\w*)*", re.A)
VARIABLE_NAME = re.compile(r"(?:::)?(?:[a-z]\w*::)*[a-z_]\w*", re.A)
NUMERIC_NAME = re.compile(r"0|[1-9][0-9]*")
PARAMETER_NAME = re.compile(r"[a-z_]\w*", re.A)
NUMERIC_PARAMETER = re.compile(r"(?:0x)?[0-9]+", re.M)
HOST_CHARACTERS = re.compile(r"[^-\w.]", re.A)

RESERVED_TYPE_NAMES = frozenset(
    """type any unit scalar boolean numeric integer float collection array hash tuple struct variant optional enum
    regexp pattern runtime init object sensitive semver semverrange string timestamp timespan typeset""".split()
)
FUTURE_RESERVED_WORDS = frozenset(["plan"])
RESERVED_PARAMETERS = frozenset(["name", "title"])

# Parts of each construct in the order in which Puppet visits them.  What is missing here has no parts.
PARTS: dict[type[Node], tuple[str, ...]] = {
    Array: ("items",),
    HashEntry: ("key", "value"),
    Hash: ("entries",),
    Interpolation: ("value",),
    Interpolated: ("parts",),
    Heredoc: ("text",),
    Not: ("operand",),
    Minus: ("operand",),
    Splat: ("operand",),
    Parenthesized: ("inner",),
    **dict.fromkeys((Arithmetic, Comparison, Match, In, And, Or, Relationship, Assignment), ("left", "right")),
    Access: ("target", "keys"),
    Parameter: ("default", "type"),
    Block: ("statements",),
    Lambda: ("parameters", "body", "return_type"),
    Call: ("function", "arguments", "block"),
    MethodCall: ("receiver", "arguments", "block"),
    If: ("test", "then", "otherwise"),
    Unless: ("test", "then", "otherwise"),
    CaseOption: ("values", "body"),
    Case: ("test", "options"),
    SelectorEntry: ("match", "value"),
    Selector: ("test", "entries"),
    Attribute: ("value",),
    AttributeSplat: ("value",),
    ResourceBody: ("title", "operations"),
    Resource: ("type", "bodies"),
    ResourceDefaults: ("type", "operations"),
    ResourceOverride: ("references", "operations"),
    Query: ("condition",),
    Collector: ("type", "query", "operations"),
    ClassDefinition: ("parameters", "body"),
    DefinedType: ("parameters", "body"),
    FunctionDefinition: ("parameters", "body", "return_type"),
    PlanDefinition: ("parameters", "body", "return_type"),
    Apply: ("arguments", "body"),
    NodeDefinition: ("parent", "hosts", "body"),
    TypeAlias: ("type",),
    TypeMapping: ("type", "mapping"),
    TypeDefinition: ("body",),
    RenderExpression: ("value",),
    Epp: ("parameters", "body"),
    Program: ("body",),
}

# Most nodes are these, and there is nothing to say about them.
QUIET = frozenset([String, Name, TypeName, Boolean, Undef, Default, Float, Regex, RenderText])

# Parts where Puppet sees a single statement instead of a block of one.
TRANSPARENT = frozenset([If, Unless, Program, RenderExpression])

DEFINITIONS = (
    *(ClassDefinition, DefinedType, FunctionDefinition, PlanDefinition, NodeDefinition),
    *(TypeAlias, TypeMapping, TypeDefinition),
)
UNARY = (Not, Minus, Splat, Parenthesized, Interpolation, RenderExpression)
NEEDS_RVALUE_CHECK = frozenset([Collector, *DEFINITIONS, *UNARY])


class Found(Exception):
    """An error that ends validation at once."""


class Validator:
    """Collects what is wrong with one program."""

    names_untitled = True
    checks: ClassVar[dict[type[Node], Callable[[Any, Any], None]]]

    def __init__(self, strict: str, namespace: str | None = None, literal_types: bool = False) -> None:
        self.literal_types = literal_types
        self.problems: list[Diagnostic] = []
        self.path: list[Node] = []
        self.strict = strict
        self.namespace = namespace
        # Answers for nodes that hand a question on, so that deep nesting does not ask it again at every level.
        self._innermost: dict[int, Node] = {}
        self._idem: dict[int, bool] = {}

    def accept(self, issue: Issue, node: Node, severity: str = "error", **arguments: Any) -> None:
        """Note an issue at the place that Puppet names for `node`."""
        self.problems.append(PuppetError(issue, node.at, severity=severity, **arguments))

    def run(self, program: Program) -> None:
        """Check a whole program."""
        if self.namespace is not None:
            self.check_top_constructs(program)
        with suppress(Found):
            self.visit(program)

    def check_top_constructs(self, program: Program) -> None:
        """A module's file has definitions at its top level, and no nodes."""
        for statement in program.body.statements:
            if not isinstance(statement, Definition) or isinstance(statement, NodeDefinition):
                self.accept(issues.ILLEGAL_TOP_CONSTRUCT_LOCATION, statement, what=f"This {statement.text_of()}")

    # --- the walk -----------------------------------------------------------------------------------------------------

    def visit(self, node: Node) -> None:
        """Check a node, then its parts."""
        kind = type(node)
        check = self.checks.get(kind)
        if check is not None:
            check(self, node)
        parts = PARTS.get(kind)
        if parts is None:
            return
        path = self.path
        path.append(node)
        transparent = kind in TRANSPARENT
        for name in parts:
            part = getattr(node, name)
            if part is None or type(part) in QUIET:
                continue
            if type(part) is tuple:
                for child in part:
                    if type(child) not in QUIET:
                        self.visit(child)
            elif type(part) is Block:
                statements = part.statements
                if len(statements) > 1 or (statements and not transparent) or name == "operand":
                    self.visit(part)
                elif statements and type(statements[0]) not in QUIET:
                    self.visit(statements[0])
            else:
                self.visit(part)
        path.pop()

    # --- questions ----------------------------------------------------------------------------------------------------

    def rvalue(self, node: Node) -> None:
        """Whether `node` gives a value; operators before an operand hand the question on."""
        passed: list[int] = []
        while isinstance(node, UNARY):
            if id(node) in self._innermost:
                node = self._innermost[id(node)]
            else:
                passed.append(id(node))
                node = inner_of(node)
        for child in passed:
            self._innermost[child] = node
        if isinstance(node, Collector | Definition):
            self.accept(issues.NOT_RVALUE, node, what=a_an_uc(node.text_of()))

    def rvalues(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if type(node) in NEEDS_RVALUE_CHECK:
                self.rvalue(node)

    def idem(self, node: Node | None) -> bool:
        """Whether evaluating `node` is known to change nothing."""
        if node is None or type(node) in ALWAYS_IDEM:
            return True
        if type(node) not in MAY_BE_IDEM:
            return False
        known = self._idem.get(id(node))
        if known is None:
            known = self._idem[id(node)] = all(self.idem(child) for child in self.parts_of(node))
        return known

    def parts_of(self, node: Node) -> Iterator[Node]:
        """The parts on which it depends whether a construct changes something."""
        for child in node.children():
            if isinstance(child, CaseOption):
                yield from child.children()
            else:
                yield child

    def top(self, definition: Definition) -> None:
        """Whether a definition may stand where it does: at top level or in a class."""
        absolute = isinstance(definition, FunctionDefinition | TypeAlias | TypeDefinition)
        for index in range(len(self.path) - 1, -1, -1):
            container = self.path[index]
            if isinstance(container, ClassDefinition | Program | Apply):
                return
            if type(container) is Block:
                if absolute and not isinstance(self.path[index - 1], Program):
                    what = a_an_uc(definition.text_of())
                    self.accept(issues.NOT_ABSOLUTE_TOP_LEVEL, definition, what=what)
                    return
                continue
            self.accept(issues.NOT_TOP_LEVEL, definition)
            return

    def assign(self, target: Expression) -> None:
        """Whether a value may be assigned to `target`."""
        if isinstance(target, Variable):
            if NUMERIC_NAME.fullmatch(target.name):
                self.accept(issues.ILLEGAL_NUMERIC_ASSIGNMENT, target, name=target.name)
            if "::" in target.name:
                self.accept(issues.CROSS_SCOPE_ASSIGNMENT, target, name=target.name)
        elif isinstance(target, Access):
            self.accept(issues.ILLEGAL_INDEXED_ASSIGNMENT, target)
        elif isinstance(target, Array):
            for item in target.items:
                self.assign(item)
        else:
            self.accept(issues.ILLEGAL_ASSIGNMENT, target, what=a_an(target.text_of()))

    def query(self, node: Expression) -> None:
        """Whether `node` may stand in a collector's query."""
        if isinstance(node, Comparison):
            if node.operator in ("==", "!="):
                return
        elif isinstance(node, And | Or):
            self.query(node.left)
            self.query(node.right)
            return
        elif isinstance(node, Parenthesized):
            self.query(node.inner)
            return
        elif isinstance(node, Variable | Name | Integer | Float | String | RenderText | Boolean):
            return
        self.accept(issues.ILLEGAL_QUERY_EXPRESSION, node, what=a_an_uc(node.text_of()))

    # --- expressions --------------------------------------------------------------------------------------------------

    def check_binary(self, node: Any) -> None:
        self.rvalues((node.left, node.right))

    def check_unary(self, node: Node) -> None:
        self.rvalue(inner_of(node))

    def check_interpolation(self, node: Interpolation) -> None:
        """Puppet takes the `true` of `${true}`, of `${true[1]}` and `${true.call}` for a variable, and breaks down."""
        self.rvalue(node.value)
        left = node.value
        while isinstance(left, Access | MethodCall):
            left = left.target if isinstance(left, Access) else left.receiver
        if isinstance(left, Boolean):
            self.accept(issues.BOOLEAN_VARIABLE, left, name="true" if left.value else "false")

    def check_assignment(self, node: Assignment) -> None:
        if node.operator == "=":
            self.assign(node.left)
            self.rvalues((node.right,))
        else:
            self.accept(issues.APPENDS_DELETES_NO_LONGER_SUPPORTED, node, operator=node.operator)

    def check_relationship(self, node: Relationship) -> None:
        self.rvalues(side for side in (node.left, node.right) if not isinstance(side, Collector))

    def check_variable(self, node: Variable) -> None:
        name = node.name
        if VARIABLE_NAME.fullmatch(name):
            return
        if name[:1].isdecimal():
            if not NUMERIC_NAME.fullmatch(name):
                self.accept(issues.ILLEGAL_NUMERIC_VAR_NAME, node, name=name)
        else:
            self.accept(issues.ILLEGAL_VAR_NAME, node, name=name)

    def check_integer(self, node: Integer) -> None:
        if node.value > MAX_INTEGER:
            what = a_an_uc(node.text_of())
            self.accept(issues.NUMERIC_OVERFLOW, node, what=what, bound="max", value=f"{node.value:+#x}")

    def check_array(self, node: Array) -> None:
        self.rvalues(node.items)

    def check_hash(self, node: Hash) -> None:
        if self.strict == "off":
            return
        seen: set[object] = set()
        for entry in node.entries:
            try:
                key, shown = literal_key(entry.key)
            except NotLiteral:
                continue
            if key in seen:
                severity = "error" if self.strict == "error" else "warning"
                self.accept(issues.DUPLICATE_KEY, entry, severity, key=shown)
            seen.add(key)

    def check_hash_entry(self, node: HashEntry) -> None:
        self.rvalues((node.key, node.value))

    def check_heredoc(self, node: Heredoc) -> None:
        if node.syntax and isinstance(node.text, String):
            trouble = syntax_trouble(node.syntax, node.text.value)
            if trouble is not None:
                name, words = trouble
                problem = PuppetError(issues.HEREDOC_SYNTAX_INVALID, node.text.at, syntax=node.syntax, detail=words)
                problem.checker = name
                self.problems = [problem]
                raise Found

    def check_call(self, node: Call) -> None:
        function = node.function
        if isinstance(function, Name | TypeName):
            return
        if isinstance(function, Access) and isinstance(function.target, TypeName):
            return
        if isinstance(function, RenderText):
            self.accept(issues.ILLEGAL_EPP_PARAMETERS, node)
        else:
            self.illegal(function, "function name", node)

    def illegal(self, node: Node, feature: str, container: Node) -> None:
        """Note that `node` can not play its part in `container`."""
        what = a_an_uc(node.text_of())
        self.accept(issues.ILLEGAL_EXPRESSION, node, what=what, feature=feature, container=a_an(container.text_of()))

    def check_reserved(self, node: ReservedWord) -> None:
        self.accept(issues.RESERVED_WORD, node, word=node.word)

    # --- conditions and blocks ----------------------------------------------------------------------------------------

    def check_test(self, node: Any) -> None:
        self.rvalues((node.test,))

    def check_case(self, node: Case) -> None:
        self.rvalues((node.test,))
        defaults = [value for option in node.options for value in option.values if isinstance(value, Default)]
        for default in defaults[1:]:
            self.accept(issues.DUPLICATE_DEFAULT, default, container=node.text_of())

    def check_case_option(self, node: CaseOption) -> None:
        self.rvalues(node.values)

    def check_selector(self, node: Selector) -> None:
        self.rvalues((node.test,))
        defaults = [entry.match for entry in node.entries if isinstance(entry.match, Default)]
        if len(defaults) > 1:
            self.accept(issues.DUPLICATE_DEFAULT, defaults[1], container=node.text_of())

    def check_selector_entry(self, node: SelectorEntry) -> None:
        self.rvalues((node.match,))

    def check_block(self, node: Block) -> None:
        if self.names_untitled and without_title(node):
            name = node.statements[0]
            assert isinstance(name, Name)
            self.accept(issues.RESOURCE_WITHOUT_TITLE, node, name=name.value)
            return
        for statement in node.statements[:-1]:
            if type(statement) in MAY_BE_IDEM and self.idem(statement):
                self.accept(issues.IDEM_EXPRESSION_NOT_LAST, statement, what=statement.text_of())
                return

    # --- the catalog --------------------------------------------------------------------------------------------------

    def check_attribute(self, node: Attribute) -> None:
        if node.operator == "+>":
            parent = self.path[-1]
            if not isinstance(parent, Collector | ResourceOverride):
                name = a_an(parent.text_of())
                self.accept(issues.ILLEGAL_ATTRIBUTE_APPEND, node, name=node.name, parent=name)
        self.rvalues((node.value,))

    def check_attribute_splat(self, node: AttributeSplat) -> None:
        self.rvalues((node.value,))

    def check_resource(self, node: Resource) -> None:
        if node.form != "regular" and isinstance(node.type, Name) and node.type.value == "class":
            self.accept(issues.CLASS_NOT_VIRTUALIZABLE, node)

    def check_resource_body(self, node: ResourceBody) -> None:
        splats = [operation for operation in node.operations if isinstance(operation, AttributeSplat)]
        for splat in splats[1:]:
            self.accept(issues.MULTIPLE_ATTRIBUTES_UNFOLD, splat)

    def check_not_virtual(self, node: ResourceDefaults | ResourceOverride) -> None:
        if node.form != "regular":
            self.accept(issues.NOT_VIRTUALIZEABLE, node)

    def check_collector(self, node: Collector) -> None:
        if not isinstance(node.type, TypeName):
            self.illegal(node.type, "type name", node)

    def check_query(self, node: Query) -> None:
        if node.condition is not None:
            self.query(node.condition)

    # --- definitions --------------------------------------------------------------------------------------------------

    def check_named(self, node: NamedDefinition) -> None:
        self.top(node)
        if not DEFINITION_NAME.fullmatch(node.name):
            self.accept(issues.ILLEGAL_DEFINITION_NAME, node, name=node.name, what=a_an(node.text_of()))
        if self.namespace is not None and (
            self.namespace == MISPLACED or not node.name.lower().startswith(self.namespace)
        ):
            self.accept(issues.ILLEGAL_DEFINITION_LOCATION, node, name=node.name, file=node.file.name)
        if node.name in RESERVED_TYPE_NAMES:
            self.accept(issues.RESERVED_TYPE_NAME, node, name=node.name, what=a_an(node.text_of()))
        if node.name in FUTURE_RESERVED_WORDS:
            self.accept(issues.FUTURE_RESERVED_WORD, node, DEPRECATION, word=node.name)

    def check_class_or_define(self, node: ClassDefinition | DefinedType) -> None:
        self.check_named(node)
        self.no_captures(node.parameters, node)
        self.unique_names(node.parameters)
        for parameter in node.parameters:
            if parameter.name in RESERVED_PARAMETERS:
                self.accept(issues.RESERVED_PARAMETER, parameter, name=parameter.name, container=node.text_of())
            if self.literal_types and parameter.type is not None and not is_literal_type(parameter.type):
                words = f"a {type(parameter.type).__name__} expression"
                self.accept(
                    issues.ILLEGAL_NONLITERAL_PARAMETER_TYPE,
                    parameter,
                    DEPRECATION,
                    name=parameter.name,
                    type_class=words,
                )
        self.no_idem_last(node.body, node)

    def check_function(self, node: FunctionDefinition) -> None:
        self.check_named(node)
        if node.return_type is not None:
            self.type_reference(node.return_type, node)
        self.unique_names(node.parameters)

    def check_node(self, node: NodeDefinition) -> None:
        for host in node.hosts:
            self.host(host, node)
        self.top(node)
        self.no_idem_last(node.body, node)
        if node.parent is not None:
            self.accept(issues.ILLEGAL_NODE_INHERITANCE, node.parent)

    def host(self, node: Expression, definition: NodeDefinition) -> None:
        """Whether `node` may name hosts."""
        if isinstance(node, String):
            if HOST_CHARACTERS.search(node.value):
                self.accept(issues.ILLEGAL_HOSTNAME_CHARS, node, hostname=node.value)
        elif isinstance(node, Interpolated):
            inner = next(part for part in node.parts if isinstance(part, Interpolation))
            self.accept(issues.ILLEGAL_HOSTNAME_INTERPOLATION, inner.value)
        elif not isinstance(node, Regex | Default):
            self.illegal(node, "hostname", definition)

    def check_type_alias(self, node: TypeAlias) -> None:
        self.top(node)
        if not TYPE_DEFINITION_NAME.fullmatch(node.name):
            self.accept(issues.ILLEGAL_DEFINITION_NAME, node, name=node.name, what=a_an(node.text_of()))
        self.type_reference(node.type, node)

    def check_type_mapping(self, node: TypeMapping) -> None:
        self.top(node)
        left, right = node.type, node.mapping
        runtime = isinstance(left, Access) and isinstance(left.target, TypeName) and left.target.value == "Runtime"
        if not runtime:
            self.accept(issues.UNSUPPORTED_EXPRESSION, node, what=a_an(node.text_of()))
            return
        assert isinstance(left, Access)
        pattern = len(left.keys) == 2 and is_replacement(left.keys[1])
        target = right.target if isinstance(right, Access) else right
        wrong = issues.ILLEGAL_REGEXP_TYPE_MAPPING if pattern else issues.ILLEGAL_SINGLE_TYPE_MAPPING
        good = is_replacement(right) if pattern else isinstance(target, TypeName) and not is_replacement(right)
        if not good:
            self.accept(wrong, node, what=a_an_uc(node.text_of()))

    def check_type_definition(self, node: TypeDefinition) -> None:
        self.top(node)
        self.accept(issues.UNSUPPORTED_EXPRESSION, node, what=a_an(node.text_of()))

    def type_reference(self, node: Expression, container: Node) -> None:
        """Whether `node` names a type."""
        name = node.target if isinstance(node, Access) else node
        if not isinstance(name, TypeName):
            self.illegal(node, "a type reference", container)
        elif name.lower in FUTURE_RESERVED_WORDS:
            self.accept(issues.FUTURE_RESERVED_WORD, node, DEPRECATION, word=name.lower)

    def no_idem_last(self, body: Block, container: Node) -> None:
        """The last statement of a class, define or node must do something."""
        if not body.statements:
            return
        last = body.statements[-1]
        if self.idem(last) and not (self.names_untitled and without_title(last)):
            what, whole = last.text_of(), a_an_uc(container.text_of())
            self.accept(issues.IDEM_NOT_ALLOWED_LAST, last, what=what, container=whole)

    # --- parameters ---------------------------------------------------------------------------------------------------

    def check_parameter(self, node: Parameter) -> None:
        name = node.name
        if not PARAMETER_NAME.fullmatch(name):
            if NUMERIC_PARAMETER.fullmatch(name):
                self.accept(issues.ILLEGAL_NUMERIC_PARAMETER, node, name=name)
            self.accept(issues.ILLEGAL_PARAM_NAME, node, name=name)
        if node.default is not None and type(node.default) not in QUIET:
            self.no_assignment(node.default)

    def no_assignment(self, node: Node) -> None:
        """No assignment in a default value, except inside lambdas."""
        stack: list[Node] = [node]
        while stack:
            inside = stack.pop()
            if isinstance(inside, Assignment):
                self.accept(issues.ILLEGAL_ASSIGNMENT_CONTEXT, inside)
            elif not isinstance(inside, Lambda) and type(inside) in PARTS:
                stack.extend(reversed(list(inside.children())))

    def check_lambda(self, node: Lambda) -> None:
        for parameter in node.parameters[:-1]:
            if parameter.captures_rest:
                self.accept(issues.CAPTURES_REST_NOT_LAST, parameter, name=parameter.name)
        if node.return_type is not None:
            self.type_reference(node.return_type, node)

    def check_epp(self, node: Epp) -> None:
        parameters = node.parameters or ()
        for parameter in parameters[:-1]:
            if parameter.captures_rest:
                self.accept(issues.CAPTURES_REST_NOT_LAST, parameter, name=parameter.name)
        self.no_captures(parameters, node)
        self.unique_names(parameters)

    def no_captures(self, parameters: Iterable[Parameter], container: Node) -> None:
        for parameter in parameters:
            if parameter.captures_rest:
                name = a_an(container.text_of())
                self.accept(issues.CAPTURES_REST_NOT_SUPPORTED, parameter, name=parameter.name, container=name)

    def unique_names(self, parameters: Iterable[Parameter]) -> None:
        seen: set[str] = set()
        for parameter in parameters:
            if parameter.name in seen:
                self.accept(issues.DUPLICATE_PARAMETER, parameter, name=parameter.name)
            seen.add(parameter.name)


Validator.checks = {
    **dict.fromkeys((Arithmetic, Comparison, Match, In, And, Or), Validator.check_binary),
    **dict.fromkeys(UNARY, Validator.check_unary),
    Interpolation: Validator.check_interpolation,
    Assignment: Validator.check_assignment,
    Relationship: Validator.check_relationship,
    Variable: Validator.check_variable,
    Integer: Validator.check_integer,
    Array: Validator.check_array,
    Hash: Validator.check_hash,
    HashEntry: Validator.check_hash_entry,
    Heredoc: Validator.check_heredoc,
    Call: Validator.check_call,
    ReservedWord: Validator.check_reserved,
    If: Validator.check_test,
    Unless: Validator.check_test,
    Case: Validator.check_case,
    CaseOption: Validator.check_case_option,
    Selector: Validator.check_selector,
    SelectorEntry: Validator.check_selector_entry,
    Block: Validator.check_block,
    Attribute: Validator.check_attribute,
    AttributeSplat: Validator.check_attribute_splat,
    Resource: Validator.check_resource,
    ResourceBody: Validator.check_resource_body,
    ResourceDefaults: Validator.check_not_virtual,
    ResourceOverride: Validator.check_not_virtual,
    Collector: Validator.check_collector,
    Query: Validator.check_query,
    ClassDefinition: Validator.check_class_or_define,
    DefinedType: Validator.check_class_or_define,
    FunctionDefinition: Validator.check_function,
    PlanDefinition: Validator.check_function,
    NodeDefinition: Validator.check_node,
    TypeAlias: Validator.check_type_alias,
    TypeMapping: Validator.check_type_mapping,
    TypeDefinition: Validator.check_type_definition,
    Parameter: Validator.check_parameter,
    Lambda: Validator.check_lambda,
    Epp: Validator.check_epp,
}


# --- idempotence ------------------------------------------------------------------------------------------------------

ALWAYS_IDEM = frozenset(
    (
        *(String, Name, TypeName, Boolean, Undef, Default, Integer, Float, Regex, ReservedWord),
        *(Array, Hash, Access, Variable, Not, Minus, Splat, Interpolation, Interpolated, Heredoc, Selector),
        *(Arithmetic, Comparison, In, And, Or),
    )
)
MAY_BE_IDEM = frozenset([*ALWAYS_IDEM, Parenthesized, Block, If, Unless, Case])


def without_title(node: Node) -> bool:
    """`name { ... }` without a title, which the parser leaves as a name and a hash."""
    if type(node) is not Block:
        return False
    statements = node.statements
    return len(statements) == 2 and isinstance(statements[0], Name) and isinstance(statements[1], Hash)


def inner_of(node: Any) -> Node:
    """The operand of a construct with one."""
    inner: Node
    if isinstance(node, Parenthesized):
        inner = node.inner
    elif isinstance(node, Interpolation | RenderExpression):
        inner = node.value
    else:
        inner = node.operand
    return inner


def is_replacement(node: Node) -> bool:
    """`[/pattern/, 'replacement']`"""
    return (
        isinstance(node, Array)
        and len(node.items) == 2
        and isinstance(node.items[0], Regex)
        and isinstance(node.items[1], String)
    )


# --- literal keys -----------------------------------------------------------------------------------------------------


class NotLiteral(Exception):
    """A key that is known only when the program runs."""


def literal_key(node: Expression) -> tuple[object, str]:
    """A key for comparison, in which 1 and 1.0 differ, and the same key as Puppet shows it."""
    if isinstance(node, String | Name):
        return node.value, node.value
    if isinstance(node, Integer | Float | Boolean):
        return (type(node), node.value), shown(node.value)
    if isinstance(node, Undef):
        return Undef, ""
    if isinstance(node, Default):
        return Default, "default"
    if isinstance(node, Regex):
        return (Regex, node.pattern), ruby_text(node.pattern)
    if isinstance(node, Array):
        parts = [literal_key(item) for item in node.items]
        return (
            Array,
            *(key for key, _ in parts),
        ), f"[{', '.join(quoted(e, s) for e, (_, s) in zip(node.items, parts))}]"
    if isinstance(node, Hash):
        pairs = [(entry, literal_key(entry.key), literal_key(entry.value)) for entry in node.entries]
        text = ", ".join(f"{quoted(e.key, k[1])}=>{quoted(e.value, v[1])}" for e, k, v in pairs)
        return (Hash, *((k[0], v[0]) for _, k, v in pairs)), f"{{{text}}}"
    raise NotLiteral


def quoted(node: Expression, text: str) -> str:
    """An element as Ruby's `inspect` shows it."""
    if isinstance(node, String | Name):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(node, Undef):
        return "nil"
    return f":{text}" if isinstance(node, Default) else text


def shown(value: bool | float) -> str:
    """A number or truth value as Ruby writes it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def is_literal_type(node: Node) -> bool:
    """Whether a type is written out: names, numbers, texts and patterns in brackets, and nothing to be computed."""
    waiting = [node]
    while waiting:
        inside = waiting.pop()
        if not isinstance(inside, Literal | Access | Array | Hash | HashEntry | Minus):
            return False
        waiting.extend(inside.children())
    return True


def validate(
    program: Program, strict: str = "warning", namespace: str | None = None, literal_types: bool = False
) -> list[Diagnostic]:
    """All that Puppet's validator would say about `program`; `namespace` is what its file may define."""
    validator = Validator(strict, namespace, literal_types)
    validator.run(program)
    return validator.problems
