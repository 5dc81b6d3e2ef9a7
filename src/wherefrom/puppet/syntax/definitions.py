"""Definitions (classes, defines, nodes, functions, types) and everything with braces after a type: resources.

A brace after an expression in statement position always opens a resource body, even on the next line: Puppet's grammar
has no other reading for it. What stands before the brace decides what is meant: a name makes a resource (or, with
attributes and no title, a mistake that has its own message), a type name makes defaults, a reference an override.
"""

from __future__ import annotations

from ..kernel.issues import (
    NESTED_TOO_DEEPLY,
    NOT_A_RESOURCE,
    NOT_EXPORTED_RESOURCE,
    NOT_VIRTUAL_RESOURCE,
    RESOURCE_BODY_OR_HASH,
)
from .expressions import PREFIX, Expressions
from .tree import (
    EXPORTED,
    REGULAR,
    VIRTUAL,
    AbstractResource,
    Access,
    Apply,
    Attribute,
    AttributeSplat,
    Block,
    Call,
    ClassDefinition,
    DefinedType,
    Definition,
    Expression,
    FunctionDefinition,
    Hash,
    HashEntry,
    Name,
    NodeDefinition,
    Operation,
    Parameter,
    PlanDefinition,
    Resource,
    ResourceBody,
    ResourceDefaults,
    ResourceOverride,
    String,
    TypeAlias,
    TypeDefinition,
    TypeMapping,
    TypeName,
)

STATEMENT_CALLS = frozenset(
    "require realize include contain tag debug info notice warning err fail import break next return".split()
)
"""Functions that may be called without parentheses."""

ATTRIBUTE_NAMES = frozenset(
    """NAME and case class default define else elsif if in inherits node or undef unless type attr function private
    plan apply""".split()
)
MAX_CLASS_DEPTH = 500
EDGES = frozenset(["->", "~>", "<-", "<~"])
ASSIGNS = frozenset(["=", "+=", "-="])


class Definitions(Expressions):
    """The part of the parser that reads definitions and resources."""

    # --- resources ----------------------------------------------------------------------------------------------------

    def resource(self) -> Expression:
        """An expression with the resource bodies that follow it, or `@`, `@@` and a resource."""
        at = self.pos
        kind = self.kinds[at]
        if kind == "@" or kind == "@@":
            return self.virtual(at, kind)
        if kind == "class" and self.kinds[at + 1] == "{":
            left = self.class_resource(at)
        else:
            left = self.expression()
        while self.kinds[self.pos] == "{":
            left = self.resource_after(left)
        return left

    def virtual(self, at: int, kind: str) -> Expression:
        """`@resource`, `@@resource`"""
        self.pos = at + 1
        inner = self.resource()
        if not isinstance(inner, AbstractResource):
            if self.kinds[self.pos] == "ERROR":  # Puppet has looked at the next token to see whether a brace follows
                self.fail_here()
            self.fail(NOT_VIRTUAL_RESOURCE if kind == "@" else NOT_EXPORTED_RESOURCE, at)
        form = VIRTUAL if kind == "@" else EXPORTED
        file, start, end = self.file, self.starts[at], inner.end
        if isinstance(inner, Resource):
            bodies = tuple(
                ResourceBody(body.title, body.operations, file=file, start=body.start, end=body.end, resource_at=start)
                for body in inner.bodies
            )
            return Resource(form, inner.type, bodies, file=file, start=start, end=end)
        if isinstance(inner, ResourceDefaults):
            return ResourceDefaults(form, inner.type, inner.operations, file=file, start=start, end=end)
        assert isinstance(inner, ResourceOverride)
        return ResourceOverride(form, inner.references, inner.operations, file=file, start=start, end=end)

    def class_resource(self, at: int) -> Expression:
        """`class { title: attributes; ... }`"""
        self.pos = at + 2
        name = Name("class", file=self.file, start=self.starts[at], end=self.ends[at])
        bodies = [self.resource_body(name.start, None)]
        while self.kinds[self.pos] == ";":
            self.pos += 1
            if self.kinds[self.pos] == "}":
                break
            bodies.append(self.resource_body(name.start, None))
        self.expect("}")
        end = self.ends[self.pos - 1]
        return Resource(REGULAR, name, tuple(bodies), file=self.file, start=name.start, end=end)

    def resource_after(self, left: Expression) -> Expression:
        """`{ ... }` after `left`: bodies with titles, or attributes alone."""
        brace = self.pos
        self.pos = brace + 1
        kinds = self.kinds
        kind, following = kinds[brace + 1], kinds[brace + 2] if brace + 2 < len(kinds) else "END"
        untitled = (
            kind == "}"
            or kind == ","
            or (kind == "*" and following == "=>")
            or (kind in ATTRIBUTE_NAMES and (following in ("=>", "+>") or kind not in PREFIX))
        )
        if untitled:
            operations = self.attributes()
            self.expect("}")
            return self.without_title(left, operations, brace)
        title = self.expression()
        bodies = [self.resource_body(left.anchor, title)]
        while kinds[self.pos] == ";":
            self.pos += 1
            if kinds[self.pos] == "}":
                break
            bodies.append(self.resource_body(left.anchor, None))
        self.expect("}")
        end = self.ends[self.pos - 1]
        return Resource(REGULAR, left, tuple(bodies), file=self.file, start=left.start, end=end)

    def resource_body(self, resource_at: int, title: Expression | None) -> ResourceBody:
        """`title: attributes`"""
        if title is None:
            title = self.expression()
        colon = self.expect(":")
        operations = self.attributes()
        end = operations[-1].end if operations else self.ends[colon]
        return ResourceBody(title, operations, file=self.file, start=title.start, end=end, resource_at=resource_at)

    def attributes(self) -> tuple[Operation, ...]:
        kinds = self.kinds
        operations: list[Operation] = []
        if kinds[self.pos] == ",":
            self.pos += 1
        while True:
            at = self.pos
            kind = kinds[at]
            if kind in ATTRIBUTE_NAMES:
                arrow = kinds[at + 1]
                if arrow != "=>" and arrow != "+>":
                    self.pos = at + 1
                    self.fail_here()
                self.pos = at + 2
                value = self.expression()
                operations.append(
                    Attribute(self.values[at], arrow, value, file=self.file, start=self.starts[at], end=value.end)
                )
            elif kind == "*":
                self.pos = at + 1
                self.expect("=>")
                value = self.expression()
                operations.append(AttributeSplat(value, file=self.file, start=self.starts[at], end=value.end))
            else:
                break
            if kinds[self.pos] != ",":
                break
            self.pos += 1
        return tuple(operations)

    def without_title(self, left: Expression, operations: tuple[Operation, ...], brace: int) -> Expression:
        """Attributes without a title: defaults, an override, a call with a hash, or a mistake."""
        end = self.ends[self.pos - 1]
        if isinstance(left, TypeName):
            return ResourceDefaults(REGULAR, left, operations, file=self.file, start=left.start, end=end)
        if isinstance(left, Access):
            return ResourceOverride(REGULAR, left, operations, file=self.file, start=left.start, end=end)
        if not isinstance(left, Name):
            self.fail_at(NOT_A_RESOURCE, left)
        entries: list[HashEntry] = []
        start = self.starts[brace]
        for operation in operations:
            if isinstance(operation, AttributeSplat):
                key: Expression = String("*", file=self.file, start=operation.start, end=operation.start + 1)
            elif operation.operator == "+>":
                self.fail(RESOURCE_BODY_OR_HASH, brace)
            else:
                key = String(
                    operation.name, file=self.file, start=operation.start, end=operation.start + len(operation.name)
                )
            entries.append(
                HashEntry(key, operation.value, file=self.file, start=operation.start, end=operation.end, arrow=start)
            )
        hash = Hash(tuple(entries), file=self.file, start=start, end=end)
        if left.value in STATEMENT_CALLS:
            return Call(left, (hash,), None, True, file=self.file, start=left.start, end=end)
        return Block((left, hash), file=self.file, start=left.start, end=end)

    # --- definitions --------------------------------------------------------------------------------------------------

    def defined(self, definition: Definition) -> Definition:
        """Remember a definition."""
        self.definitions.append(definition)
        return definition

    def class_(self) -> Expression:
        """`class name(parameters) inherits parent { ... }`"""
        at = self.pos
        self.pos = at + 1
        written = self.definition_name()
        name = self.qualified(written)
        if len(self.namespace) >= MAX_CLASS_DEPTH:  # every name holds all those around it
            self.fail(NESTED_TOO_DEEPLY, at, limit=MAX_CLASS_DEPTH)
        self.namespace.append(written)
        parameters = self.parameter_list()
        parent = None
        if self.kinds[self.pos] == "inherits":
            self.pos += 1
            if self.kinds[self.pos] == "default":
                self.pos += 1
                parent = "default"
            else:
                parent = self.definition_name()
        body = self.block()
        self.namespace.pop()
        return self.defined(
            ClassDefinition(name, parameters, body, parent, file=self.file, start=self.starts[at], end=body.end)
        )

    def define(self) -> Expression:
        """`define name(parameters) { ... }`"""
        at = self.pos
        self.pos = at + 1
        name = self.qualified(self.definition_name())
        parameters = self.parameter_list()
        body = self.block()
        return self.defined(DefinedType(name, parameters, body, file=self.file, start=self.starts[at], end=body.end))

    def function(self) -> Expression:
        """`function name(parameters) >> Type { ... }`"""
        at = self.pos
        self.pos = at + 1
        name = self.definition_name()
        parameters = self.parameter_list()
        return_type = self.return_type()
        body = self.block()
        return self.defined(
            FunctionDefinition(name, parameters, body, return_type, file=self.file, start=self.starts[at], end=body.end)
        )

    def plan(self) -> Expression:
        """`plan name(parameters) { ... }`"""
        at = self.pos
        self.pos = at + 1
        written = self.definition_name()
        name = self.qualified(written)
        self.namespace.append(written)
        parameters = self.parameter_list()
        body = self.block()
        self.namespace.pop()
        return self.defined(PlanDefinition(name, parameters, body, file=self.file, start=self.starts[at], end=body.end))

    def apply(self) -> Expression:
        """`apply(targets) { ... }`"""
        at = self.pos
        self.pos = at + 1
        self.expect("(")
        if self.kinds[self.pos] == ")":
            self.fail_here()
        arguments = self.arguments(")")
        self.pos += 1
        body = self.block()
        return Apply(arguments, body, file=self.file, start=self.starts[at], end=body.end)

    def node(self) -> Expression:
        """`node matches { ... }`"""
        at = self.pos
        self.pos = at + 1
        hosts = [self.host()]
        while self.kinds[self.pos] == ",":
            self.pos += 1
            if self.kinds[self.pos] in ("{", "inherits"):
                break
            hosts.append(self.host())
        parent = None
        if self.kinds[self.pos] == "inherits":
            self.pos += 1
            parent = self.host()
        body = self.block()
        return self.defined(
            NodeDefinition(tuple(hosts), body, parent, file=self.file, start=self.starts[at], end=body.end)
        )

    def host(self) -> Expression:
        """What a node's name is matched with: a name with dots, a string, a regular expression or `default`."""
        at = self.pos
        kind = self.kinds[at]
        if kind in ("STR", "WORD", "DQPRE", "HEREDOC", "REGEX", "default"):
            return PREFIX[kind](self)
        if kind not in ("NAME", "NUM"):
            self.fail_here()
        parts = [self.values[at]]
        self.pos = at + 1
        while self.kinds[self.pos] == ".":
            self.pos += 1
            if self.kinds[self.pos] not in ("NAME", "NUM"):
                self.fail_here()
            parts.append(self.values[self.pos])
            self.pos += 1
        return String(".".join(parts), file=self.file, start=self.starts[at], end=self.ends[self.pos - 1])

    # --- types --------------------------------------------------------------------------------------------------------

    def type_(self) -> Expression:
        """`type Name = ...`, `type Name { ... }`, and the call `type(x)`"""
        at = self.pos
        following = self.kinds[at + 1]
        if following == "(":
            self.pos = at + 1
            return Name("type", file=self.file, start=self.starts[at], end=self.ends[at])
        self.pos = at + 1
        left = self.plain_type()
        if isinstance(left, TypeName) and self.kinds[self.pos] in ("{", "inherits"):
            return self.type_definition(at, left)
        self.expect("=")
        right = self.aliased()
        start, end = self.starts[at], self.ends[self.pos - 1]
        if isinstance(left, TypeName):
            return self.defined(TypeAlias(left.value, right, file=self.file, start=start, end=end, name_at=left.start))
        return self.defined(TypeMapping(left, right, file=self.file, start=start, end=end))

    def aliased(self) -> Expression:
        """The right side of a type alias; a hash stands for an `Object` type, after a name with that parent."""
        kind = self.kinds[self.pos]
        if kind == "{":
            return self.object_type(self.hash(), None)
        if kind in ("[", "L["):
            return self.array()
        left = self.type_name() if kind == "REF" else self.plain_type()
        assert isinstance(left, TypeName)
        kind = self.kinds[self.pos]
        if kind == "{":
            return self.object_type(self.hash(), left)
        if kind != "[":
            return left
        self.pos += 1
        keys = self.access_arguments(True)
        return Access(left, keys, file=self.file, start=left.start, end=self.ends[self.pos - 1])

    def object_type(self, body: Hash, parent: TypeName | None) -> Expression:
        """`{...}` to `Object[{...}]`, `Parent {...}` to `Object[{..., parent => Parent}]`."""
        file, start, end = self.file, (parent or body).start, body.end
        name = TypeName("Object", file=file, start=start, end=start)
        if parent is not None and parent.value in ("Object", "TypeSet"):
            name = parent
        elif parent is not None:
            key = Name("parent", file=file, start=parent.start, end=parent.start)
            entry = HashEntry(key, parent, file=file, start=parent.start, end=parent.end, arrow=body.start)
            body = Hash((*body.entries, entry), file=file, start=body.start, end=body.end)
        return Access(name, (body,), file=file, start=start, end=end)

    def type_definition(self, at: int, name: TypeName) -> Expression:
        """`type Name inherits Parent { ... }`"""
        parent = None
        if self.kinds[self.pos] == "inherits":
            self.pos += 1
            parent = self.values[self.expect("REF")]
        body = self.block()
        return self.defined(
            TypeDefinition(name.value, parent, body, file=self.file, start=self.starts[at], end=body.end)
        )

    # --- parameters ---------------------------------------------------------------------------------------------------

    def parameter_list(self) -> tuple[Parameter, ...]:
        """`(parameters)`, or nothing"""
        if self.kinds[self.pos] not in ("(", "W("):
            return ()
        self.pos += 1
        return self.parameters(")")

    def parameters(self, close: str) -> tuple[Parameter, ...]:
        kinds = self.kinds
        parameters: list[Parameter] = []
        while kinds[self.pos] != close:
            parameters.append(self.parameter())
            if kinds[self.pos] == ",":
                self.pos += 1
            elif kinds[self.pos] != close:
                self.fail_here()
        self.pos += 1
        return tuple(parameters)

    def parameter(self) -> Parameter:
        """`Type *$name = default`"""
        kinds = self.kinds
        start = self.starts[self.pos]
        type = self.plain_type() if kinds[self.pos] == "REF" else None
        rest = kinds[self.pos] == "*"
        if rest:
            self.pos += 1
        at = self.expect("VAR")
        default = None
        end = self.ends[at]
        if kinds[self.pos] == "=":
            self.pos += 1
            default = self.expression()
            end = default.end
        return Parameter(
            self.values[at],
            type,
            default,
            rest,
            file=self.file,
            start=start,
            end=end,
            variable_at=self.starts[at],
        )


PREFIX.update(
    {
        "class": Definitions.class_,
        "define": Definitions.define,
        "node": Definitions.node,
        "function": Definitions.function,
        "plan": Definitions.plan,
        "apply": Definitions.apply,
        "type": Definitions.type_,
    }
)
