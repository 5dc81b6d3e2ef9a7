"""Object types: types that a program defines with attributes of their own.

    type Point = Object[{attributes => {x => Integer, y => {type => Integer, value => 0}}}]

An object type is named by the `type` statement that defines it, may have a parent, attributes (some with a default,
some constant), the types of its functions, and a say in which attributes equality looks at. Its instances are
`values.ObjectValue`. The definition is read on first use, so that an attribute may have the type that is being defined.

Functions of object types have no body in the Puppet language (they are written in Ruby, next to the type), so they are
known by type and cannot be called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from ..kernel.type_failures import RubyFailure, TypeProblem
from ..kernel.values import DEFAULT, Deferred, ObjectValue, Regexp, Value, freeze, key_value
from .callables import CallableType
from .containers import ArrayType, HashType, StructElement, StructType
from .model import (
    ANY,
    UNDEF,
    NotUndefType,
    OptionalType,
    PuppetType,
    TypeReference,
    TypeType,
    VariantType,
    real_type,
)
from .scalars import BOOLEAN, NON_EMPTY_STRING, REGEXP, STRING, EnumType, IntegerType, PatternType, StringType
from .services import SERVICES

CONSTANT = "constant"
DERIVED = "derived"
GIVEN_OR_DERIVED = "given_or_derived"
REFERENCE = "reference"
_NO_VALUE: object = object()

_MEMBER_NAME = PatternType((Regexp(r"\A[a-z_]\w*\z"),))
TYPE_NAME = PatternType((Regexp(r"\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z"),))


def struct_of(members: dict[str, PuppetType]) -> StructType:
    """A struct; a name that ends in `?` is optional."""
    elements = []
    for name, type in members.items():
        key: PuppetType = StringType(value=name.rstrip("?"))
        elements.append(StructElement(OptionalType(key) if name.endswith("?") else key, type))
    return StructType(tuple(elements))


_ATTRIBUTE = struct_of(
    {
        "type": TypeType(),
        "final?": BOOLEAN,
        "override?": BOOLEAN,
        "kind?": EnumType((CONSTANT, DERIVED, GIVEN_OR_DERIVED, REFERENCE)),
        "value?": ANY,
        "annotations?": ANY,
    }
)
_CALLABLE = TypeType(CallableType())
_FUNCTION = struct_of({"type": _CALLABLE, "final?": BOOLEAN, "override?": BOOLEAN, "annotations?": ANY})
_DEFINITION = struct_of(
    {
        "name?": TYPE_NAME,
        "parent?": TypeType(),
        "type_parameters?": HashType(_MEMBER_NAME, NotUndefType()),
        "attributes?": HashType(_MEMBER_NAME, NotUndefType()),
        "constants?": HashType(_MEMBER_NAME, ANY),
        "functions?": HashType(VariantType((_MEMBER_NAME, StringType(value="[]"))), NotUndefType()),
        "equality?": VariantType((_MEMBER_NAME, ArrayType(_MEMBER_NAME))),
        "equality_include_type?": BOOLEAN,
        "checks?": ANY,
        "annotations?": ANY,
    }
)


class ObjectMember:
    """An attribute or a function of an object type."""

    __slots__ = ("annotations", "final", "name", "override", "owner", "type")
    kind: str | None = None
    word = "member"

    def __init__(self, owner: ObjectType, name: str, given: dict[Any, Any]) -> None:
        self.owner = owner
        self.name = name
        self.type: PuppetType = given["type"]
        self.override: bool = given.get("override") or False
        self.final: bool = given.get("final") or False
        self.annotations: dict[Any, Value] | None = given.get("annotations")

    @property
    def label(self) -> str:
        """What messages call the member."""
        return f"{self.word} {self.owner.label}[{self.name}]"

    def check_override(self, inherited: Mapping[str, ObjectMember]) -> None:
        """Members of a parent may be replaced, but only knowingly and compatibly."""
        parent = inherited.get(self.name)
        if parent is None:
            if self.override:
                raise TypeProblem(
                    f"expected {self.label} to override an inherited {self.word}, but no such {self.word} was found"
                )
            return
        if type(parent) is not type(self):
            raise TypeProblem(f"{self.label} attempts to override {parent.label}")
        if parent.final and not (parent.kind == CONSTANT and self.kind == CONSTANT):
            raise TypeProblem(f"{self.label} attempts to override final {parent.label}")
        if not self.override:
            raise TypeProblem(f"{self.label} attempts to override {parent.label} without having override => true")
        if not parent.type.assignable(self.type):
            raise TypeProblem(f"{self.label} attempts to override {parent.label} with a type that does not match")

    def written(self) -> dict[Any, Any]:
        """The member as it would be written in full."""
        parts: dict[Any, object] = {"type": self.type}
        if self.annotations is not None:
            parts["annotations"] = self.annotations
        if self.final and self.kind != CONSTANT:
            parts["final"] = True
        if self.override:
            parts["override"] = True
        return parts

    def definition(self) -> Any:
        """The member as it would be written: its type alone if there is nothing else to say."""
        parts = self.written()
        return self.type if len(parts) == 1 else parts


class ObjectFunction(ObjectMember):
    """A function of an object type; what it does is written in Ruby, so only its type is known."""

    __slots__ = ()
    word = "function"

    def __init__(self, owner: ObjectType, name: str, given: Any) -> None:
        if isinstance(given, dict):
            SERVICES.assert_instance(f"initializer for function '{name}'", _FUNCTION, given)
        else:
            SERVICES.assert_instance(f"function {owner.label}[{name}]", _CALLABLE, given)
            given = {"type": given}
        super().__init__(owner, name, given)


class ObjectAttribute(ObjectMember):
    """One attribute of an object type."""

    __slots__ = ("kind", "value")
    word = "attribute"

    def __init__(self, owner: ObjectType, name: str, given: Any) -> None:
        if not isinstance(given, dict):
            SERVICES.assert_instance(f"attribute {owner.label}[{name}]", TypeType(), given)
            given = {"type": given}
            if isinstance(given["type"], OptionalType):
                given["value"] = None
        else:
            SERVICES.assert_instance(f"initializer for attribute {owner.label}[{name}]", _ATTRIBUTE, given)
        super().__init__(owner, name, given)
        self.kind: str | None = given.get("kind")
        self.value: Any = given.get("value", _NO_VALUE)
        if self.kind == CONSTANT:
            if "final" in given and not self.final:
                raise TypeProblem(f"{self.label} of kind 'constant' cannot be combined with final => false")
            self.final = True
            if not self.has_value:
                raise TypeProblem(f"{self.label} of kind 'constant' requires a value")
        if self.has_value:
            if self.kind in (DERIVED, GIVEN_OR_DERIVED):
                raise TypeProblem(f"{self.label} of kind '{self.kind}' cannot be combined with an attribute value")
            if self.value is not DEFAULT:
                SERVICES.assert_instance(f"{self.label} value", self.type, self.value)

    @property
    def has_value(self) -> bool:
        """Is there a default (or, for a constant, the value)?"""
        return self.value is not _NO_VALUE

    @property
    def is_plain_constant(self) -> bool:
        """Is it a constant whose type is that of its value, so that the value says it all?"""
        return self.kind == CONSTANT and self.type == SERVICES.infer(self.value).generalize()

    def written(self) -> dict[Any, Any]:
        parts = super().written()
        if self.kind is not None:
            parts["kind"] = self.kind
        if self.has_value:
            parts["value"] = self.value
        return parts


class TypeParameter(ObjectAttribute):
    """A type parameter of an object type; it may always be left out.

    One whose hash says no type is accepted, but nothing can be given for it.
    """

    __slots__ = ("is_untyped",)
    word = "type_parameter"

    def __init__(self, owner: ObjectType, name: str, given: Any) -> None:
        kept: dict[Any, object] = {}
        self.is_untyped = isinstance(given, dict) and given.get("type") is None
        if self.is_untyped and given.get("value") is not None:
            raise TypeProblem("")  # an error inside of Puppet, without words
        if isinstance(given, dict):
            kept = {key: given[key] for key in ("value",) if key in given}
            given = given.get("type", ANY) or ANY
        SERVICES.assert_instance(f"type_parameter {owner.label}[{name}]", TypeType(), given)
        kind = given if isinstance(given, OptionalType) else OptionalType(given)
        super().__init__(owner, name, {"type": kind, **kept})

    def definition(self) -> Any:
        assert isinstance(self.type, OptionalType)
        if self.is_untyped:
            return {"type": None}
        if not self.has_value or self.value is None:
            return self.type.type
        return {"type": self.type.type, "value": self.value}


class Implementation(Protocol):
    """What does the functions and derived attributes of an object type."""

    def call(
        self, name: str, frame: Any, values: Sequence[Any], origins: Sequence[Any], block: Any, span: Any
    ) -> tuple[Value, Any]:
        """Call one of an object, which is the first of `values`."""


class ObjectType(PuppetType):
    """`Object[{...}]`.  `definition` is the hash, or a function that makes it when it is first needed."""

    __slots__ = (
        "_attributes",
        "_definition",
        "_name",
        "_own",
        "_parent",
        "_reading",
        "_type_parameters",
        "annotations",
        "checks",
        "constants",
        "equality",
        "equality_include_type",
        "functions",
        "implementation",
    )
    simple_name = "Object"

    def __init__(self, definition: dict[Any, Any] | Callable[[], dict[Any, Any]], name: str | None = None) -> None:
        self._definition: Any = definition
        self._name = name
        self._own: dict[str, ObjectAttribute] | None = None
        self._reading = False
        self._parent: PuppetType | None = None
        self._type_parameters: dict[str, TypeParameter] = {}
        self.annotations: dict[Any, Value] | None = None
        self.functions: dict[str, ObjectFunction] = {}
        self.checks: Value = None
        self.equality_include_type = True
        self.constants: dict[str, Value] = {}
        self.equality: list[str] | None = None
        self.implementation: Implementation | None = None
        if isinstance(definition, dict) and definition:
            self.read()

    def read(self) -> ObjectType:
        """Read the definition, once.  Raises `TypeProblem` if it is not one."""
        if self._own is not None or self._reading:
            return self
        self._reading = True
        try:
            given = self._definition() if callable(self._definition) else self._definition
            self._read(given)
        finally:
            self._reading = False
        return self

    def _read(self, given: dict[Any, Any]) -> None:
        SERVICES.assert_instance("object initializer", _DEFINITION, given)
        self._name = self._name or given.get("name")
        self._parent = given.get("parent")
        self.annotations = given.get("annotations")
        self.checks = given.get("checks")
        self.equality_include_type = given.get("equality_include_type") is not False
        inherited: dict[str, ObjectMember] = {}
        parent = None if self._parent is None else real_type(self._parent)
        if isinstance(parent, TypeReference):
            raise TypeProblem(f"reference to unresolved type '{parent.type_string}'")
        above = parent
        while isinstance(above, ObjectType):
            if above is self:
                raise TypeProblem(f"The Object type '{self.label}' inherits from itself")
            above = None if above._parent is None else real_type(above._parent)
        if isinstance(parent, ObjectType):
            inherited = {**parent.attributes(), **parent.all_functions()}
        inherited_parameters = parent.type_parameters() if isinstance(parent, ObjectType) else {}
        self._type_parameters = {}
        for name, specification in (given.get("type_parameters") or {}).items():
            parameter = TypeParameter(self, name, specification)
            parameter.check_override(inherited_parameters)
            self._type_parameters[name] = parameter
        specifications = dict(given.get("attributes") or {})
        self.constants = dict(given.get("constants") or {})
        for name, value in self.constants.items():
            if name in specifications:
                raise TypeProblem(f"attribute {self.label}[{name}] is defined as both a constant and an attribute")
            specifications[name] = {
                "type": SERVICES.infer(value).generalize(),
                "value": value,
                "kind": CONSTANT,
                "override": name in inherited,
            }
        own: dict[str, ObjectAttribute] = {}
        for name, specification in specifications.items():
            own[name] = ObjectAttribute(self, name, specification)
            own[name].check_override(inherited)
        self.functions = {}
        for name, specification in (given.get("functions") or {}).items():
            function = ObjectFunction(self, name, specification)
            if name in own:
                raise TypeProblem(f"{function.label} conflicts with attribute with the same name")
            function.check_override(inherited)
            self.functions[name] = function
        self._own = own
        equality = given.get("equality")
        self.equality = [equality] if isinstance(equality, str) else equality
        if self.equality and not self.equality_include_type:
            raise TypeProblem("equality_include_type = false cannot be combined with non empty equality specification")
        taken = parent.equality_owners() if isinstance(parent, ObjectType) else {}
        for name in self.equality or ():
            attribute = self.attributes().get(name)
            if attribute is not None and name in taken:
                raise TypeProblem(
                    f"{self.label} equality is referencing {attribute.label} which is included in equality of "
                    f"{taken[name]}"
                )
            if attribute is None and name in self.all_functions():
                function = self.all_functions()[name]
                raise TypeProblem(
                    f"{self.label} equality is referencing {function.label}. Only attribute references are allowed"
                )
            if attribute is None:
                raise TypeProblem(f"{self.label} equality is referencing non existent attribute '{name}'")
            if attribute.kind == CONSTANT:
                raise TypeProblem(
                    f"{self.label} equality is referencing constant {attribute.label}. "
                    "Reference to constant is not allowed in equality"
                )

    @property
    def name(self) -> str:
        return self._name or "Object"

    @property
    def label(self) -> str:
        """What messages call the type."""
        return self._name or "Object"

    @property
    def parent(self) -> PuppetType | None:
        """The type this one inherits from."""
        self.read()
        return None if self._parent is None else real_type(self._parent)

    def is_nameless(self) -> bool:
        """Does nothing but its definition say which type it is?"""
        return self._name is None

    def is_default(self) -> bool:
        """Is this the bare `Object`, above all others?"""
        return self._name is None and not self._definition

    def _key(self) -> tuple[Any, ...]:
        if self._name:
            return (self._name,)
        if callable(self._definition):
            return (id(self._definition),)
        return (freeze(self._definition),) if self._definition else ()

    def accepts(self, value: Value) -> bool:
        if isinstance(value, ObjectValue):
            return self.assignable(value.puppet_type)
        if isinstance(value, PuppetType):
            # Types are objects too, of the types that describe them.
            return self.is_default()
        return isinstance(value, Deferred) and self.assignable(DEFERRED)

    def _takes(self, other: PuppetType) -> bool:
        if isinstance(other, ObjectTypeExtension):
            other = other.base
        while isinstance(other, ObjectType):
            if self.is_default() or self == other:
                return True
            parent = other.parent
            if parent is None:
                return False
            other = parent
        return False

    def children(self) -> Iterable[PuppetType]:
        return [attribute.type for attribute in (self._own or {}).values()]

    def iterable(self) -> bool:
        return self.parent is not None and self.parent.iterable()

    def iterable_type(self) -> PuppetType | None:
        """What the parent yields; Puppet stops with an error of Ruby's where there is none."""
        if self.parent is None:
            raise RubyFailure("undefined method `element_type' for false:FalseClass")
        return self.parent.iterable_type()

    def attributes(self) -> dict[str, ObjectAttribute]:
        """All attributes, the parent's first."""
        self.read()
        parent = self.parent
        above = parent.attributes() if isinstance(parent, ObjectType) else {}
        return {**above, **(self._own or {})}

    def type_parameters(self) -> dict[str, TypeParameter]:
        """All type parameters, the parent's first."""
        self.read()
        parent = self.parent
        above = parent.type_parameters() if isinstance(parent, ObjectType) else {}
        return {**above, **self._type_parameters}

    def all_functions(self) -> dict[str, ObjectFunction]:
        """All functions, the parent's included."""
        parent = self.parent
        return {**(parent.all_functions() if isinstance(parent, ObjectType) else {}), **self.functions}

    def compared_attributes(self) -> list[str]:
        """The attributes that equality of instances looks at."""
        parent = self.parent
        names = parent.compared_attributes() if isinstance(parent, ObjectType) else []
        own = self.equality
        if own is None:
            own = [
                attribute.name for attribute in (self._own or {}).values() if attribute.kind not in (CONSTANT, DERIVED)
            ]
        return names + [name for name in own if name not in names]

    def check_readable(self, name: str) -> None:
        """Whether an attribute can be looked at: one that is derived needs code, which is Ruby's."""
        attribute = self.attributes().get(name)
        if attribute is not None and attribute.kind == DERIVED:
            raise TypeProblem(f"no method is implemented for derived {attribute.label}")

    def compares_identity(self) -> bool:
        """Are instances equal to none but themselves?

        So if the first type compares neither types nor attributes, or has a parent that is no object type.
        """
        parent = self.parent
        if isinstance(parent, ObjectType):
            return parent.compares_identity()
        if parent is not None:
            return True
        return not self.equality_include_type and not self.compared_attributes()

    def equality_owners(self) -> dict[str, str]:
        """The attributes that equality of instances looks at, each with the type that says so."""
        parent = self.parent
        owners = parent.equality_owners() if isinstance(parent, ObjectType) else {}
        return {**dict.fromkeys(self.compared_attributes(), self.label), **owners}

    def own_constructor(self) -> Any:
        """What makes instances of a type that has a way of its own; nothing for all others."""
        return None

    def check_class(self) -> None:
        """Puppet makes a class of Ruby's for each type that something is made of, and can not always.

        The class of a type that has no name can not be named; `Pcore` is a module of Ruby's, and no class.
        """
        if self.is_nameless():
            raise RubyFailure("undefined method `sub' for nil:NilClass")
        if self is PCORE:
            raise RubyFailure("undefined method `initialize' for module `Puppet::Pops::Pcore'")
        if self.parent is PCORE:
            raise TypeProblem("superclass must be an instance of Class (given an instance of Module)")
        if isinstance(self.parent, ObjectType):
            self.parent.check_class()

    def initializer(self) -> StructType:
        """The hash that `new` takes: required attributes, and optional ones that have a default."""
        elements = []
        for attribute in self.attributes().values():
            if attribute.kind not in (CONSTANT, DERIVED):
                key: PuppetType = StringType(value=attribute.name)
                optional = attribute.has_value or attribute.type.assignable(UNDEF)
                elements.append(StructElement(OptionalType(key) if optional else key, attribute.type))
        return StructType(tuple(elements))

    def parameters(self) -> tuple[int, list[str]]:
        """The parameters that `new` takes by position, those with a default last; and how many are needed."""
        elements = self.initializer().elements
        known = self.attributes()
        ordered = sorted((element.name for element in elements), key=lambda name: known[name].has_value)
        return sum(not isinstance(element.key, OptionalType) for element in elements), ordered

    def definition(self, with_name: bool = True) -> dict[str, Any]:
        """The definition as it would be written."""
        self.read()
        written: dict[str, object] = {}
        if self.annotations is not None:
            written["annotations"] = self.annotations
        if with_name and self._name:
            written["name"] = self._name
        if self._parent is not None:
            written["parent"] = self._parent
        if self._type_parameters:
            written["type_parameters"] = {name: member.definition() for name, member in self._type_parameters.items()}
        own = (self._own or {}).items()
        attributes = {name: attribute.definition() for name, attribute in own if not attribute.is_plain_constant}
        if attributes:
            written["attributes"] = attributes
        constants = {name: attribute.value for name, attribute in own if attribute.is_plain_constant}
        if constants:
            written["constants"] = constants
        if self.functions:
            written["functions"] = {name: function.definition() for name, function in self.functions.items()}
        if self.equality is not None:
            written["equality"] = self.equality
        if self.checks is not None:
            written["checks"] = self.checks
        return written


class ObjectTypeExtension(PuppetType):
    """An object type with values for its type parameters, which the attributes of the same name must match."""

    __slots__ = ("base", "parameters")
    simple_name = "ObjectTypeExten"

    def __init__(self, base: ObjectType, given: tuple[Value, ...]) -> None:
        known = base.type_parameters()
        if not known:
            raise TypeProblem(f"The {base.label}-Type cannot be parameterized using []")
        self.base = base
        first = next(iter(known.values()))
        if len(given) == 1 and isinstance(given[0], dict) and not first.type.accepts(given[0]):
            named = given[0]
        else:
            named = dict(zip(known, given))
        self.parameters: dict[str, Value] = {}
        for name, value in named.items():
            if name not in known:
                key = key_value(name)
                shown = str(key).lower() if isinstance(key, bool) else "" if key is None else str(key)
                raise TypeProblem(f"'{shown}' is not a known type parameter for {base.label}-Type")
            if value is not DEFAULT:
                if known[name].is_untyped and value is not None:
                    raise TypeProblem("")
                self.parameters[name] = SERVICES.assert_instance(known[name].label, known[name].type, value)
        if not self.parameters:
            raise TypeProblem(f"The {base.label}-Type cannot be parameterized using an empty parameter list")

    @property
    def name(self) -> str:
        """The last part of the type's name, which is how Puppet calls it with parameters."""
        return self.base.label.rpartition("::")[2]

    def shown_parameters(self) -> list[Value] | dict[str, Value]:
        """The parameters as they are written: by place, or by name if there may be more than two."""
        known = self.base.type_parameters()
        if len(known) > 2:
            return self.parameters
        shown = [self.parameters.get(name, DEFAULT) for name in known]
        while shown[-1] is DEFAULT:
            shown.pop()
        return shown

    def _key(self) -> tuple[Any, ...]:
        return (self.base, freeze(self.parameters))

    def accepts(self, value: Value) -> bool:
        return self.base.accepts(value) and all(
            SERVICES.match(value.attributes.get(name), wanted) for name, wanted in self.parameters.items()
        )

    def _takes(self, other: PuppetType) -> bool:
        if not isinstance(other, ObjectTypeExtension) or not self.base.assignable(other.base):
            return False
        for name, wanted in self.parameters.items():
            if name not in other.parameters:
                return False
            given = other.parameters[name]
            both_types = isinstance(given, PuppetType) and isinstance(wanted, PuppetType)
            if not SERVICES.match(given, wanted) and not (both_types and wanted.assignable(given)):
                return False
        return True

    def generalize(self) -> PuppetType:
        return self.base


def with_annotations(struct: StructType) -> StructType:
    """The struct, where annotations must be hashes by types of annotations.  `Annotation` is itself an object type."""
    return StructType(
        tuple(
            StructElement(element.key, _ANNOTATIONS) if element.name == "annotations" else element
            for element in struct.elements
        )
    )


OBJECT = ObjectType({})
ANNOTATION = ObjectType({}, "Annotation")
_ANNOTATIONS = OptionalType(HashType(TypeType(ANNOTATION), HashType(_MEMBER_NAME, ANY)))
_DEFINITION = with_annotations(_DEFINITION)
_ATTRIBUTE = with_annotations(_ATTRIBUTE)
_FUNCTION = with_annotations(_FUNCTION)


def _error_definition() -> dict[Any, object]:
    from .aliases import DATA
    from .callables import CallableType
    from .containers import TupleType

    text = OptionalType(NON_EMPTY_STRING)
    kinds = (EnumType(), PatternType(), NotUndefType(), UNDEF)
    parameter = OptionalType(VariantType((STRING, REGEXP, *(TypeType(kind) for kind in kinds))))
    return {
        "type_parameters": {"kind": parameter, "issue_code": parameter},
        "attributes": {
            "msg": NON_EMPTY_STRING,
            "kind": {"type": text, "value": None},
            "details": {"type": OptionalType(HashType(NON_EMPTY_STRING, DATA)), "value": None},
            "issue_code": {"type": text, "value": None},
        },
        "functions": {"message": CallableType(TupleType((), IntegerType(0, 0)), None, NON_EMPTY_STRING)},
    }


ERROR = ObjectType(_error_definition, "Error")
DEFERRED = ObjectType(
    lambda: {
        "attributes": {
            "name": PatternType((Regexp(r"\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z"),)),
            "arguments": {"type": OptionalType(ArrayType(ANY)), "value": None},
        }
    },
    "Deferred",
)
ANNOTATION = ObjectType({}, "Annotation")
PCORE = ObjectType({}, "Pcore")
RUBY_METHOD = ObjectType(
    lambda: {
        "parent": ANNOTATION,
        "attributes": {"body": STRING, "parameters": {"type": OptionalType(NON_EMPTY_STRING), "value": None}},
    },
    "RubyMethod",
)
BUILTIN_OBJECTS: dict[str, ObjectType] = {
    kind.name.lower(): kind for kind in (ERROR, DEFERRED, ANNOTATION, PCORE, RUBY_METHOD)
}
