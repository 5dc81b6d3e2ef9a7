"""Types as definitions and texts write them: `Base[parameters]` where nothing is evaluated.

Puppet has two readers of brackets. In an expression they are an operator (`access`). On the right of `type`, in the
hash of an object type or of a set of types, and in a text (`assert_type('Optional[1]', $x)`, `Type.new(...)`), they are
read by a parser of types, which counts and judges the parameters in other words, and lets pass what the operator
refuses: an array of a size alone, a value where a type could be, which then stands for its own type.

`specify` reads them so. What is right for both is made by `access`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernel.type_failures import TypeProblem
from ..kernel.values import DEFAULT, Regexp, Value
from .access import access, callable_type, charged, integer_range, ruby_class, runtime_type, struct_type, type_of
from .callables import CallableType, ClassType, InitType, ResourceType, RuntimeType, capitalize_segments
from .containers import ArrayType, CollectionType, HashType, IterableType, IteratorType, StructType, TupleType
from .model import (
    DEFAULT_TYPE,
    NotUndefType,
    OptionalType,
    PuppetType,
    TypeReference,
    TypeType,
    VariantType,
    variant_of,
)
from .objects import ObjectType
from .scalars import (
    BooleanType,
    EnumType,
    FloatType,
    IntegerType,
    NoRegexpType,
    PatternType,
    RegexpType,
    SemVerType,
    SensitiveType,
    StringType,
    TimespanType,
    TimestampType,
    URIType,
)
from .type_sets import TypeSetType

Parameters = list[Any]


def not_a_type(text: str) -> TypeProblem:
    """A text that says no type."""
    return TypeProblem(f"The expression <{text}> is not a valid type specification.")


def specify(base: PuppetType, name: str, parameters: Parameters, text: str) -> Value:
    """`name[parameters]`, written as `text`; `base` is what the name stands for.  A type, or what is none."""
    specification = _Specification(base, name, parameters, text)
    for kind in type(base).__mro__:
        read = _READ.get(kind)
        if read is not None:
            return charged(read(specification))
    raise TypeProblem(f"Not a parameterized type <{name}>")


class _Specification:
    """Brackets that are being read."""

    def __init__(self, base: PuppetType, name: str, parameters: Parameters, text: str) -> None:
        self.base = base
        self.name = name
        self.parameters = parameters
        self.text = text

    def count(self, least: int, most: int | None, words: str) -> None:
        """Fail unless there are so many parameters."""
        given = len(self.parameters)
        if given < least or (most is not None and given > most):
            raise TypeProblem(
                f"Invalid number of type parameters specified: {self.name} requires {words}, {given} provided"
            )

    def types(self, *values: Value) -> None:
        """Fail unless all are types."""
        if not all(isinstance(value, PuppetType) for value in values):
            raise not_a_type(self.text)

    def bounds(self, *values: Value) -> None:
        """Fail unless all are bounds of a size."""
        if not all(type(value) is int or value is DEFAULT or value == "default" for value in values):
            raise not_a_type(self.text)

    def size(self, *values: Value) -> IntegerType:
        """The size that one type of integers, or one or two bounds, give."""
        if len(values) == 1 and isinstance(values[0], IntegerType):
            return values[0]
        self.bounds(*values)
        return _range(*values)

    def accessed(self) -> PuppetType:
        """What the operator makes of the same parameters."""
        accessed: PuppetType = access(self.base, self.parameters)
        return accessed

    # one method per kind of type

    def array(self) -> PuppetType:
        self.count(1, 3, "1 to 3")
        first, *rest = self.parameters
        if len(rest) == 1 and not isinstance(first, PuppetType):
            self.bounds(first, *rest)
            return ArrayType(DEFAULT_TYPE, _range(first, *rest))
        self.types(first)
        if len(rest) == 2:
            self.bounds(*rest)
        return ArrayType(first, self.size(*rest) if rest else None)

    def hash(self) -> PuppetType:
        self.count(2, 4, "2 to 4")
        key, value, *rest = self.parameters
        if not rest and not (isinstance(key, PuppetType) and isinstance(value, PuppetType)):
            self.bounds(key, value)
            return HashType(DEFAULT_TYPE, DEFAULT_TYPE, _range(key, value))
        if len(rest) == 2:
            self.bounds(*rest)
        size = self.size(*rest) if rest else None
        self.types(key, value)
        return HashType(key, value, size)

    def sized(self) -> PuppetType:
        self.count(1, 2, "1 to 2")
        if len(self.parameters) == 2:
            self.bounds(*self.parameters)
        size = self.size(*self.parameters)
        return StringType(size) if isinstance(self.base, StringType) else CollectionType(size)

    def class_reference(self) -> PuppetType:
        self.count(1, 1, "1")
        given = self.parameters[0]
        return ClassType(given.removeprefix("::")) if isinstance(given, str) else self.accessed()

    def resource(self) -> PuppetType:
        assert isinstance(self.base, ResourceType)
        if self.base.type_name is not None:
            self.count(1, 1, "1")
            return self.accessed()
        given = self.parameters[0]
        if isinstance(given, TypeReference):
            given = given.type_string
        self.count(1, 2, "1 or 2")
        title = self.parameters[1] if len(self.parameters) == 2 else None
        if isinstance(given, ResourceType):
            return ResourceType(given.type_name, title)
        if not isinstance(given, str):
            raise TypeProblem(f"The type name cannot be a {ruby_class(given)}")
        named = capitalize_segments(given)
        _ = access(self.base, [named])  # is it a name?
        return ResourceType(named, title)

    def regexp(self) -> PuppetType:
        self.count(1, 1, "1")
        given = self.parameters[0]
        if not isinstance(given, str | Regexp):
            return NoRegexpType(TypeProblem(f"no implicit conversion of {ruby_class(given)} into String"))
        return self.accessed()

    def enum(self) -> PuppetType:
        words = self.parameters[:-1] if isinstance(self.parameters[-1], bool) else self.parameters
        if not words:
            raise TypeProblem("Invalid number of type parameters specified: Enum requires 1 or more, 0 provided")
        if not all(isinstance(word, str) for word in words):
            raise TypeProblem("Enum parameters must be identifiers or strings")
        return EnumType(words, self.parameters[-1] is True)

    def pattern(self) -> PuppetType:
        for given in self.parameters:
            if not isinstance(given, str | Regexp | RegexpType | PatternType):
                raise TypeProblem(
                    f"Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '{ruby_class(given)}"
                )
        return self.accessed()

    def uri(self) -> PuppetType:
        from .uris import uri_parameters

        self.count(1, 1, "1")
        return URIType(uri_parameters(self.parameters[0]))

    def variant(self) -> PuppetType:
        self.types(*self.parameters)
        return variant_of(self.parameters)

    def tuple(self) -> PuppetType:
        parameters = self.parameters
        size = None
        if len(parameters) > 1 and _is_bound(parameters[-2]):
            self.bounds(parameters[-1])
            low = 0 if parameters[-2] in (DEFAULT, "default") else parameters[-2]
            size, parameters = integer_range(low, parameters[-1]), parameters[:-2]
        elif _is_bound(parameters[-1]):
            low = 0 if parameters[-1] in (DEFAULT, "default") else parameters[-1]
            size, parameters = integer_range(low), parameters[:-1]
        return TupleType(tuple(map(type_of, parameters)), size)

    def callable(self) -> PuppetType:
        if len(self.parameters) > 1 and type(self.parameters[0]) is list:
            if len(self.parameters) != 2:
                raise TypeProblem(
                    "Invalid number of type parameters specified: callable requires 2 when first parameter is an "
                    f"array, {len(self.parameters)} provided"
                )
            return callable_type(self.parameters[0], type_of(self.parameters[1]))
        return callable_type(self.parameters)

    def struct(self) -> PuppetType:
        self.count(1, 1, "1")
        if not isinstance(self.parameters[0], dict):
            raise not_a_type(self.text)
        return struct_type(self.parameters[0])

    def boolean(self) -> PuppetType:
        self.count(1, 1, "1")
        if not isinstance(self.parameters[0], bool):
            raise TypeProblem("Boolean parameter must be true or false")
        return self.accessed()

    def number(self) -> PuppetType | None:
        self.count(1, 2, "1 or 2")
        whole = isinstance(self.base, IntegerType)
        kinds: tuple[type, ...] = (int,) if whole else (int, float)
        if len(self.parameters) == 1 and self.parameters[0] is not DEFAULT:
            if type(self.parameters[0]) not in kinds:
                return None  # Puppet forgot this case: what it makes is undef
        elif not whole:
            for given in self.parameters:
                if isinstance(given, str):
                    raise TypeProblem(f'invalid value for Float(): "{given}"')
        return self.accessed()

    def contained(self) -> PuppetType:
        """One type; `Optional` and `NotUndef` also take a text, and some may be without."""
        optional = isinstance(self.base, SensitiveType | NotUndefType)
        self.count(0 if optional else 1, 1, "0 to 1" if optional else "1")
        given = self.parameters[0]
        if not (isinstance(given, str) and isinstance(self.base, OptionalType | NotUndefType)):
            self.types(given)
        return self.accessed()

    def init(self) -> PuppetType:
        self.types(self.parameters[0])
        return self.accessed()

    def runtime(self) -> PuppetType:
        self.count(2, 2, "2")
        return runtime_type(*self.parameters)

    def time(self) -> PuppetType:
        self.count(0, 2, "0 to 2")
        return self.accessed()

    def versions(self) -> PuppetType:
        return self.accessed()

    def object(self) -> PuppetType:
        assert isinstance(self.base, ObjectType)
        if self.base.is_default():
            self.count(1, 1, "1")
        return self.accessed()

    def type_set(self) -> PuppetType:
        self.name = "Object"  # which is what Puppet calls it here
        self.count(1, 1, "1")
        return self.accessed()

    def reference(self) -> PuppetType:
        assert isinstance(self.base, TypeReference)
        if self.base.type_string == "UnresolvedReference":
            raise TypeProblem(f"Not a parameterized type <{self.name}>")
        return TypeReference(self.text)


def _is_bound(value: Value) -> bool:
    return type(value) is int or value is DEFAULT or value == "default"


def _range(low: Value, high: Value = DEFAULT) -> IntegerType:
    return integer_range(*(DEFAULT if bound == "default" else bound for bound in (low, high)))


_READ: dict[type, Callable[[_Specification], PuppetType | None]] = {
    ArrayType: _Specification.array,
    HashType: _Specification.hash,
    CollectionType: _Specification.sized,
    StringType: _Specification.sized,
    ClassType: _Specification.class_reference,
    ResourceType: _Specification.resource,
    RegexpType: _Specification.regexp,
    EnumType: _Specification.enum,
    PatternType: _Specification.pattern,
    URIType: _Specification.uri,
    VariantType: _Specification.variant,
    TupleType: _Specification.tuple,
    CallableType: _Specification.callable,
    StructType: _Specification.struct,
    BooleanType: _Specification.boolean,
    IntegerType: _Specification.number,
    FloatType: _Specification.number,
    OptionalType: _Specification.contained,
    NotUndefType: _Specification.contained,
    TypeType: _Specification.contained,
    SensitiveType: _Specification.contained,
    IterableType: _Specification.contained,
    IteratorType: _Specification.contained,
    InitType: _Specification.init,
    RuntimeType: _Specification.runtime,
    TimespanType: _Specification.time,
    TimestampType: _Specification.time,
    SemVerType: _Specification.versions,
    ObjectType: _Specification.object,
    TypeSetType: _Specification.type_set,
    TypeReference: _Specification.reference,
}
