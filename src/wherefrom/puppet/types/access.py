"""`Type[arguments]`: types with parameters, and references to resources and classes.

One function per kind of type, in a table. Arrays among the arguments are spread out first, as Puppet does everywhere
but for `Struct`, `Callable` and `Init`. Errors have Puppet's words and issue codes, including the names of Ruby's
classes that these words mention.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

from ...base.budget import current
from ...base.keys import FEW_PARTS
from ..kernel.type_failures import TypeProblem
from ..kernel.values import (
    DEFAULT,
    NANOSECONDS,
    URI,
    Binary,
    Default,
    Iterator,
    ObjectValue,
    Reference,
    Regexp,
    SemVer,
    SemVerRange,
    Sensitive,
    Timespan,
    Timestamp,
    Value,
)
from .callables import CallableType, ClassType, InitType, ResourceType, RuntimeType, capitalize_segments
from .containers import (
    ArrayType,
    CollectionType,
    HashType,
    IterableType,
    IteratorType,
    StructElement,
    StructType,
    TupleType,
)
from .infer import infer, infer_generalized
from .mismatch import article
from .model import (
    UNDEF,
    UNIT,
    AnyType,
    ContainedType,
    NotUndefType,
    OptionalType,
    PuppetType,
    TypeReference,
    TypeType,
    VariantType,
    variant_of,
)
from .objects import ERROR, TYPE_NAME, ObjectType, ObjectTypeExtension
from .printing import label, to_string
from .scalars import (
    BooleanType,
    EnumType,
    FloatType,
    IntegerType,
    PatternType,
    RegexpType,
    SemVerType,
    SensitiveType,
    StringType,
    TimespanType,
    TimestampType,
    URIType,
)
from .services import SERVICES
from .type_sets import TypeSetType

ARITY = "BAD_TYPE_SLICE_ARITY"
SLICE_TYPE = "BAD_TYPE_SLICE_TYPE"
SPECIALIZATION = "BAD_TYPE_SPECIALIZATION"
CLASS_REFERENCE = re.compile(r"(?:(?:::)?[A-Z]\w*)+", re.ASCII)
NAME = re.compile(r"(?:::)?[a-z]\w*(?:::[a-z]\w*)*", re.ASCII)

Arguments = list[Value]

STEPS_OF_A_PART = 20
"""Steps that are drawn for each part of a type when it is made: for the walks over it."""


def access(base: PuppetType, arguments: Arguments) -> Any:
    """`base[arguments]`"""
    for kind in type(base).__mro__:
        accessor = _ACCESS.get(kind)
        if accessor is not None:
            return charged(accessor(base, list(arguments) if kind in _AS_GIVEN else _flat(arguments)))
    raise TypeProblem(f"Operator '[]' is not applicable to {_a(label(base))}.", "OPERATOR_NOT_APPLICABLE")


def charged(constructed: object) -> object:
    """Charge the budget for a new type by its expanded size (shared parts count each time), and return it."""
    if isinstance(constructed, PuppetType):
        extent = constructed.extent()
        if extent > FEW_PARTS:
            largest = max((part.extent() for part in constructed.children()), default=0)
            current().draw("steps", STEPS_OF_A_PART * (extent - largest), "making a type")
    return constructed


def _flat(values: Arguments) -> Arguments:
    if not any(type(value) is list for value in values):
        return list(values)
    return [inner for value in values for inner in (_flat(value) if type(value) is list else (value,))]


def _a(text: str) -> str:
    return f"{article(text)} {text}"


def _capital_a(text: str) -> str:
    return _a(text).capitalize()[:1] + _a(text)[1:]


# --- words -----------------------------------------------------------------------------------------------------------

_RUBY_CLASSES: dict[type, str] = {
    str: "String",
    int: "Integer",
    float: "Float",
    list: "Array",
    dict: "Hash",
    Default: "Symbol",
    Regexp: "Regexp",
    Sensitive: "Puppet::Pops::Types::PSensitiveType::Sensitive",
    Binary: "Puppet::Pops::Types::PBinaryType::Binary",
    Timespan: "Puppet::Pops::Time::Timespan",
    Timestamp: "Puppet::Pops::Time::Timestamp",
    SemVer: "SemanticPuppet::Version",
    SemVerRange: "SemanticPuppet::VersionRange",
    Reference: "Puppet::Resource",
}
_URI_CLASSES = {
    **{name: f"URI::{name.upper()}" for name in ("http", "https", "ftp", "ldap", "ldaps", "ws", "wss")},
    "mailto": "URI::MailTo",
    "file": "URI::File",
}


def ruby_class(value: Value) -> str:
    """The name of Ruby's class for a value, where Puppet's messages show it."""
    if value is None:
        return "NilClass"
    if isinstance(value, bool):
        return "TrueClass" if value else "FalseClass"
    if isinstance(value, ObjectTypeExtension):
        return "Puppet::Pops::Types::PObjectTypeExtension"
    if isinstance(value, PuppetType):
        return f"Puppet::Pops::Types::P{value.simple_name}Type"
    if isinstance(value, URI):
        return _URI_CLASSES.get(value.scheme or "", "URI::Generic")
    if isinstance(value, Iterator):
        return value.ruby_class
    if isinstance(value, ObjectValue) and value.puppet_type == ERROR:
        return "Puppet::DataTypes::Error"
    return _RUBY_CLASSES.get(type(value), "Object")


def key_type_name(value: Value) -> str:
    """What a wrong argument is called: its type in general; types inside of it by their names."""
    if value is None:
        return "Undef"
    if value is DEFAULT:
        return "Default"
    kind = infer_generalized(value)
    return to_string(kind, expanded=isinstance(kind, ObjectType))


def _arity(base: str, actual: int, minimum: int, maximum: int | None) -> NoReturn:
    """`maximum` is `None` for no limit."""
    if maximum is None:
        words = f"{minimum} or more arguments"
    elif maximum != minimum:
        words = f"{minimum} to {maximum} arguments"
    else:
        words = f"{minimum} argument{'' if minimum == 1 else 's'}"
    raise TypeProblem(f"{base}[] accepts {words}. Got {actual}", ARITY)


def _not_a_type(base: str, value: Value, at: int) -> NoReturn:
    raise TypeProblem(f"{base}-Type[] arguments must be types. Got {ruby_class(value)}", SLICE_TYPE, at)


def _check(
    base: PuppetType, arguments: Arguments, minimum: int, maximum: int | None, kinds: tuple[Any, ...], names: str
) -> None:
    """The number of arguments and their kinds; `names` is what they should be."""
    if len(arguments) < minimum or (maximum is not None and len(arguments) > maximum):
        _arity(_capital_a(label(base)), len(arguments), 1, maximum)
    for index, argument in enumerate(arguments):
        if not isinstance(argument, kinds) or (isinstance(argument, bool) and bool not in kinds):
            raise TypeProblem(
                f"Error creating type specialization of {_a(label(base))}, "
                f"Cannot use {key_type_name(argument)} where {names} is expected",
                SPECIALIZATION,
                index,
            )


def _is_integer(value: Value) -> bool:
    return type(value) is int


def _is_range_end(value: Value) -> bool:
    return type(value) is int or value is DEFAULT or value == "default"


def _bounds(low: Value, high: Value, show: Callable[[Any], str] = str) -> tuple[Any, Any]:
    low = None if low is DEFAULT else low
    high = None if high is DEFAULT else high
    if low is not None and high is not None and low > high:
        raise TypeProblem(f"'from' must be less or equal to 'to'. Got ({show(low)}, {show(high)}")
    return low, high


def integer_range(low: Value, high: Value = DEFAULT) -> IntegerType:
    """`Integer[low, high]`, either end perhaps `default`."""
    return IntegerType(*_bounds(low, high))


def _size(arguments: Arguments, start: int) -> IntegerType:
    if len(arguments) == 1 and isinstance(arguments[0], IntegerType):
        return arguments[0]
    for index, argument in enumerate(arguments):
        if not _is_integer(argument) and argument is not DEFAULT:
            shown = f"{argument.simple_name}-Type" if isinstance(argument, PuppetType) else ruby_class(argument)
            raise TypeProblem(
                "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). "
                f"Got {_a(shown)}",
                "BAD_COLLECTION_SLICE_TYPE",
                start + index,
            )
    return integer_range(*arguments)


# --- one function per kind of type -----------------------------------------------------------------------------------


def _regexp(base: PuppetType, arguments: Arguments) -> PuppetType:
    if len(arguments) != 1:
        _arity(_capital_a(label(base)), len(arguments), 1, 1)
    _check(base, arguments, 1, 1, (str, Regexp), "String or Regexp")
    return RegexpType(_source(arguments[0]))


def _source(value: Value) -> str:
    return value.source if isinstance(value, Regexp) else str(value)


def _pattern(base: PuppetType, arguments: Arguments) -> PuppetType:
    kinds = (str, Regexp, PatternType, RegexpType)
    _check(base, arguments, 1, None, kinds, "String or Regexp or Pattern-Type or Regexp-Type")
    patterns: dict[Regexp, None] = {}
    for argument in arguments:
        if isinstance(argument, PatternType):
            patterns.update(dict.fromkeys(argument.patterns))
        elif isinstance(argument, RegexpType):
            patterns[Regexp(argument.pattern or "")] = None
        else:
            regexp = argument if isinstance(argument, Regexp) else Regexp(argument)
            _ = regexp.compiled  # to find errors here
            patterns[regexp] = None
    return PatternType(patterns)


def _boolean(base: PuppetType, arguments: Arguments) -> PuppetType:
    _check(base, arguments, 1, 1, (bool,), "TrueClass or FalseClass")
    return BooleanType(arguments[0])


def _enum(base: PuppetType, arguments: Arguments) -> PuppetType:
    insensitive = False
    if arguments and isinstance(arguments[-1], bool):
        insensitive = arguments.pop()
    _check(base, arguments, 1, None, (str,), "String")
    return EnumType(arguments, insensitive)


def _variant(base: PuppetType, arguments: Arguments) -> PuppetType:
    _check(base, arguments, 1, None, (PuppetType,), "Any-Type")
    return variant_of(arguments)


def _semver(base: PuppetType, arguments: Arguments) -> PuppetType:
    from .versions import parse_range

    _check(base, arguments, 1, None, (str, SemVerRange), "String or SemanticPuppet::VersionRange")
    return SemVerType(parse_range(argument) if isinstance(argument, str) else argument for argument in arguments)


def _time(base: PuppetType, arguments: Arguments) -> PuppetType:
    from ..kernel.times import parse_timespan, parse_timestamp, timespan_from_hash, timestamp_from_hash

    kind: type[TimespanType] | type[TimestampType]
    make: type[Timespan] | type[Timestamp]
    if isinstance(base, TimespanType):
        kind, make = TimespanType, Timespan
    else:
        kind, make = TimestampType, Timestamp
    if len(arguments) > 2:
        _arity(_capital_a(label(base)), len(arguments), 0, 2)

    def convert(given: Value) -> float | None:
        if given is None or given is DEFAULT:
            return None
        if isinstance(given, make):
            return given.nanoseconds
        if isinstance(given, str):
            return (parse_timespan(given) if make is Timespan else parse_timestamp(given)).nanoseconds
        if isinstance(given, int | float) and not isinstance(given, bool):
            return given * NANOSECONDS
        if isinstance(given, dict):
            return (timespan_from_hash(given) if make is Timespan else timestamp_from_hash(given)).nanoseconds
        raise TypeProblem(f"Unable to create a {_RUBY_CLASSES[make]} from a {ruby_class(given)}")

    ends = [convert(end) for end in arguments] + [None, None]
    return kind(*_bounds(ends[0], ends[1], kind.bound_text))


def _tuple(base: PuppetType, arguments: Arguments) -> PuppetType:
    types, size = _trailing_range(arguments)
    _check(base, types, 1, None, (PuppetType,), "Any-Type")
    return TupleType(tuple(types), size)


def _trailing_range(arguments: Arguments) -> tuple[Arguments, IntegerType | None]:
    """The arguments before a size at the end, and that size."""
    if len(arguments) > 1 and _is_range_end(arguments[-2]) and _is_range_end(arguments[-1]):
        return arguments[:-2], integer_range(*(DEFAULT if bound == "default" else bound for bound in arguments[-2:]))
    if arguments and _is_range_end(arguments[-1]):
        return arguments[:-1], integer_range(DEFAULT if arguments[-1] == "default" else arguments[-1])
    return arguments, None


def _callable(base: PuppetType, arguments: Arguments) -> PuppetType:
    result = None
    if arguments and type(arguments[0]) is list:
        if len(arguments) != 2:
            _arity(_capital_a(label(base)), len(arguments), 2, 2)
        if not isinstance(arguments[1], PuppetType):  # where Puppet stops with an error of Ruby's
            raise TypeProblem(f"The result of a Callable must be a type. Got {ruby_class(arguments[1])}")
        result = arguments[1]
        arguments = arguments[0]
    return callable_type(arguments, result)


def callable_type(arguments: Arguments, result: PuppetType | None = None) -> CallableType:
    """`Callable[arguments]`: types, then perhaps a size, then perhaps the block's type."""
    arguments = list(arguments)
    block = None
    if arguments and isinstance(arguments[-1], PuppetType) and arguments[-1].is_callable():
        block = arguments.pop()
    given, size = _trailing_range(arguments)
    types = [type_of(argument) for argument in given]
    if not types and size is not None and (size.high is None or size.high > 0):
        types = [UNIT]
    return CallableType(TupleType(tuple(types), size), block, result)


def _kind_of(value: Value) -> str:
    """The name of a value's type, without what is special about it."""
    return infer(value).simple_name


def type_of(value: Value) -> PuppetType:
    """A type given as itself, or by an example; text is the name of a class of the runtime."""
    if isinstance(value, PuppetType):
        return value
    return runtime_type("ruby", value) if isinstance(value, str) else infer_generalized(value)


def runtime_type(runtime: Value = None, name: Value = None) -> RuntimeType:
    """`Runtime[runtime, name]`: the name is a text, or a pattern with what it is replaced by."""
    if not isinstance(runtime, str):
        raise TypeProblem(f"Runtime 'runtime' has wrong type, expects a String value, got {_kind_of(runtime)}")
    is_pattern = isinstance(name, list) and [type(part) for part in name] == [Regexp, str]
    if not isinstance(name, str) and not is_pattern:
        mismatch = f"expects a value of type String or Tuple, got {_kind_of(name)}"
        raise TypeProblem(f"Runtime 'name_or_pattern' has wrong type, {mismatch}")
    if name == "":
        mismatch = "expects a value of type String[1] or Tuple[Regexp, String[1]], got String"
        raise TypeProblem(f"Runtime 'name_or_pattern' has wrong type, {mismatch}")
    return RuntimeType(runtime, name)


def _struct(base: PuppetType, arguments: Arguments) -> PuppetType:
    _check(base, arguments, 1, 1, (dict,), "Hash")
    return struct_type(arguments[0])


def struct_type(members: dict[Any, Value]) -> StructType:
    """`Struct[{...}]`: keys are strings, or types that hold a literal string."""
    from ..kernel.values import key_value

    elements = []
    for key, given in members.items():
        key, value = key_value(key), type_of(given)
        if isinstance(key, str):
            if not key:
                raise TypeProblem("Struct element key cannot be an empty String")
            literal: PuppetType = StringType(value=key)
            elements.append(StructElement(OptionalType(literal) if value.assignable(UNDEF) else literal, value))
        else:
            elements.append(StructElement(_struct_key(key), value))
    return StructType(tuple(elements))


def _struct_key(key: Value) -> PuppetType:
    inner: PuppetType | None
    match key:
        case NotUndefType():
            inner = key = key.type
        case OptionalType():
            inner = key.type
        case StringType():
            inner = key
        case EnumType():
            inner = StringType(value=key.values[0]) if len(key.values) == 1 else None
        case _:
            raise TypeProblem(
                f"Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {ruby_class(key)}"
            )
    if not isinstance(inner, StringType) or inner.value is None or not isinstance(key, PuppetType):
        raise TypeProblem(f"Unable to extract a non-empty literal string from Struct member key type {key}")
    return key


def _string(base: PuppetType, arguments: Arguments) -> PuppetType:
    if not 1 <= len(arguments) <= 2:
        raise TypeProblem(
            f"String supports [] with one or two arguments. Got {len(arguments)}", "BAD_STRING_SLICE_ARITY"
        )
    return StringType(_size(arguments, 0))


def _integer(base: PuppetType, arguments: Arguments) -> PuppetType:
    if not 1 <= len(arguments) <= 2:
        raise TypeProblem(
            f"Integer-Type supports [] with one or two arguments (from, to). Got {len(arguments)}",
            "BAD_INTEGER_SLICE_ARITY",
        )
    for index, argument in enumerate(arguments):
        if not _is_integer(argument) and argument is not DEFAULT:
            raise TypeProblem(
                f"Integer-Type [] requires all arguments to be integers (or default). Got {ruby_class(argument)}",
                "BAD_INTEGER_SLICE_TYPE",
                index,
            )
    return integer_range(*arguments)


def _float(base: PuppetType, arguments: Arguments) -> PuppetType:
    from .printing import float_text

    if not 1 <= len(arguments) <= 2:
        raise TypeProblem(
            f"Float-Type supports [] with one or two arguments (from, to). Got {len(arguments)}",
            "BAD_INTEGER_SLICE_ARITY",
        )
    for index, end in enumerate(arguments):
        if end is not DEFAULT and not (isinstance(end, int | float) and not isinstance(end, bool)):
            raise TypeProblem(
                f"Float-Type [] requires all arguments to be floats, or integers (or default). Got {ruby_class(end)}",
                "BAD_INTEGER_SLICE_TYPE",
                index,
            )
    ends = [DEFAULT if argument is DEFAULT else float(argument) for argument in arguments] + [DEFAULT]
    return FloatType(*_bounds(ends[0], ends[1], float_text))


def _contained(base: PuppetType, arguments: Arguments) -> PuppetType:
    """`Optional`, `Sensitive`, `Type`, `Iterable` and `Iterator` take one type; `Optional` also a literal string."""
    assert isinstance(base, ContainedType)
    if len(arguments) != 1:
        _arity(f"{base.simple_name}-Type", len(arguments), 1, 1)
    given = arguments[0]
    if isinstance(base, OptionalType) and isinstance(given, str):
        given = StringType(value=given)
    if not isinstance(given, PuppetType):
        _not_a_type(base.simple_name, given, 0)
    return type(base)(given)


def _not_undef(base: PuppetType, arguments: Arguments) -> PuppetType:
    if len(arguments) > 1:
        _arity("NotUndef-Type", len(arguments), 0, 1)
    if not arguments:
        return NotUndefType()
    given = arguments[0]
    if isinstance(given, str):
        given = StringType(value=given)
    if not isinstance(given, PuppetType):
        raise TypeProblem(
            f"NotUndef-Type[] argument must be a Type or a String. Got {ruby_class(given)}",
            "BAD_NOT_UNDEF_SLICE_TYPE",
            0,
        )
    return NotUndefType(None if isinstance(given, AnyType) else given)


def _init(base: PuppetType, arguments: Arguments) -> PuppetType:
    if not arguments or not isinstance(arguments[0], PuppetType):
        _not_a_type("Init", arguments[0] if arguments else None, 0)
    return InitType(arguments[0], tuple(arguments[1:]))


def _runtime(base: PuppetType, arguments: Arguments) -> PuppetType:
    _check(base, arguments, 2, 2, (str,), "String or String")
    return runtime_type(*arguments)


def _collection(base: PuppetType, arguments: Arguments) -> PuppetType:
    if not 1 <= len(arguments) <= 2:
        _arity("Collection-Type", len(arguments), 1, 2)
    return CollectionType(_size(arguments, 0))


def _array(base: PuppetType, arguments: Arguments) -> PuppetType:
    if not 1 <= len(arguments) <= 3:
        _arity("Array-Type", len(arguments), 1, 3)
    first = arguments[0]
    if isinstance(first, PuppetType):
        return ArrayType(first, _size(arguments[1:], 1) if len(arguments) > 1 else None)
    if len(arguments) == 2:
        return ArrayType(None, _size(arguments, 0))
    _not_a_type("Array", first, 0)


def _hash(base: PuppetType, arguments: Arguments) -> PuppetType:
    if len(arguments) == 2 and _is_integer(arguments[0]) and _is_integer(arguments[1]):
        return HashType(None, None, integer_range(*arguments))
    for index, argument in enumerate(arguments[:2]):
        if not isinstance(argument, PuppetType):
            _not_a_type("Hash", argument, index)
    if not 2 <= len(arguments) <= 4:
        _arity("Hash-Type", len(arguments), 2, 4)
    size = None
    if len(arguments) == 3:
        size = arguments[2] if isinstance(arguments[2], IntegerType) else _least(arguments[2])
    elif len(arguments) == 4:
        size = _size(arguments[2:], 2)
    return HashType(arguments[0], arguments[1], size)


def _least(bound: Value) -> IntegerType:
    """The size of a hash from one bound: any number will do for Puppet, whatever can be compared with one."""
    if isinstance(bound, str):
        raise TypeProblem("comparison of String with Infinity failed")
    if isinstance(bound, bool | Regexp | Sensitive | PuppetType):
        raise TypeProblem(f"undefined method `>' for {ruby_class(bound)}")
    return integer_range(bound)


def _uri(base: PuppetType, arguments: Arguments) -> PuppetType:
    from .uris import uri_parameters

    if len(arguments) != 1:
        _arity("URI-Type", len(arguments), 1, 1)
    parameters = uri_parameters(arguments[0])
    if parameters is None:
        _not_a_type("URI", arguments[0], 0)
    return URIType(parameters)


def _object(base: PuppetType, arguments: Arguments) -> PuppetType:
    """A type with a name takes parameters; one without is written anew, as if it were the bare `Object`."""
    assert isinstance(base, ObjectType)
    if not base.is_nameless():
        return ObjectTypeExtension(base, tuple(arguments))
    if len(arguments) != 1:
        _arity("Object-Type", len(arguments), 1, 1)
    given = arguments[0]
    if given is None or given in ({}, ""):
        return base if base.is_default() else ObjectType({})
    if isinstance(given, str | Default):
        return ObjectType({}, SERVICES.assert_instance("object name", TYPE_NAME, given))
    if not isinstance(given, dict):  # where Puppet stops with an error of Ruby's
        raise TypeProblem(f"The definition of an Object must be a Hash. Got {ruby_class(given)}")
    return ObjectType(given)


def _type_set(base: PuppetType, arguments: Arguments) -> PuppetType:
    if len(arguments) != 1:
        _arity("TypeSet-Type", len(arguments), 1, 1)
    given = arguments[0]
    if given in ({}, ""):
        return base
    if isinstance(given, str | Default):  # a set that has nothing but a name
        return TypeSetType(None, SERVICES.assert_instance("TypeSet name", TYPE_NAME, given))
    return TypeSetType(given)


def _reference(base: PuppetType, arguments: Arguments) -> NoReturn:
    assert isinstance(base, TypeReference)
    raise TypeProblem(f"Resource type not found: {base.type_string}", "UNKNOWN_RESOURCE_TYPE")


def _resource(base: PuppetType, arguments: Arguments) -> Any:
    assert isinstance(base, ResourceType)
    if not arguments:
        _arity(str(base), 0, 1, None)
    named = base.type_name is not None
    given: Value = base.type_name if named else arguments.pop(0)
    if isinstance(given, ResourceType):
        given = given.type_name
    if not isinstance(given, str):
        raise TypeProblem(
            f"First argument to Resource[] must be a resource type or a String. Got {key_type_name(given)}.",
            "ILLEGAL_RESOURCE_SPECIALIZATION",
            None if named else 0,
        )
    name = capitalize_segments(given)
    if not CLASS_REFERENCE.fullmatch(name):
        raise TypeProblem(
            f"Illegal type reference. The given name '{name}' does not conform to the naming rule",
            "ILLEGAL_CLASSREF",
            0,
        )
    if not arguments:
        return ResourceType(name)
    several = len(arguments) > 1 or type(arguments[0]) is list
    titles = [title for title in _flat(arguments) if title is not None]
    for index, title in enumerate(titles):
        if not isinstance(title, str):
            at = index + 1 if len(titles) != len(arguments) else index
            raise TypeProblem(
                f"Error creating type specialization of {_a(label(base))}, "
                f"Cannot use {key_type_name(title)} where a resource title String is expected",
                SPECIALIZATION,
                at,
            )
    references = [ResourceType(name, title) for title in titles]
    return references if several else (references[-1] if references else None)


def _class(base: PuppetType, arguments: Arguments) -> object:
    if not arguments:
        _arity(str(base), 0, 1, None)
    several = len(arguments) > 1 or type(arguments[0]) is list
    classes = []
    for index, argument in enumerate(argument for argument in _flat(arguments) if argument is not None):
        if not isinstance(argument, str):
            raise TypeProblem(
                f"Illegal Class name in class reference. {_capital_a(label(argument))} cannot be used "
                "where a String is expected",
                "ILLEGAL_HOSTCLASS_NAME",
                index,
            )
        name = argument.lower().removeprefix("::")
        if not NAME.fullmatch(name):
            raise TypeProblem(
                f"Illegal name. The given name '{argument}' does not conform to the naming rule "
                r"/^((::)?[a-z_]\w*)(::[a-z]\w*)*$/",
                "ILLEGAL_NAME",
                index,
            )
        classes.append(ClassType(name))
    return classes if several else (classes[-1] if classes else None)


_AS_GIVEN = frozenset({StructType, CallableType, InitType, ResourceType, ClassType})

_ACCESS: dict[type, Callable[[Any, Arguments], Any]] = {
    RegexpType: _regexp,
    PatternType: _pattern,
    BooleanType: _boolean,
    EnumType: _enum,
    VariantType: _variant,
    SemVerType: _semver,
    TimespanType: _time,
    TimestampType: _time,
    TupleType: _tuple,
    CallableType: _callable,
    StructType: _struct,
    StringType: _string,
    IntegerType: _integer,
    FloatType: _float,
    OptionalType: _contained,
    SensitiveType: _contained,
    TypeType: _contained,
    IterableType: _contained,
    IteratorType: _contained,
    NotUndefType: _not_undef,
    InitType: _init,
    RuntimeType: _runtime,
    CollectionType: _collection,
    ArrayType: _array,
    HashType: _hash,
    URIType: _uri,
    ObjectType: _object,
    TypeSetType: _type_set,
    TypeReference: _reference,
    ResourceType: _resource,
    ClassType: _class,
}
