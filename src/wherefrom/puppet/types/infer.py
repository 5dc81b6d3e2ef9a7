"""From values to types: the type of a value, in detail or reduced to what its elements have in common.

`infer([1, 'a'])` is `Array[ScalarData, 2, 2]`; `infer_set([1, 'a'])` keeps every element apart:
`Tuple[Integer[1, 1], String]`. Puppet's function `type` offers both, and the generalized form.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..kernel.values import (
    URI,
    Binary,
    Default,
    Deferred,
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
    key_value,
    weigh,
)
from .algebra import common_type
from .callables import RuntimeType, entry_type
from .containers import EMPTY_ARRAY, EMPTY_HASH, ArrayType, HashType, IteratorType, StructElement, StructType, TupleType
from .model import DEFAULT_TYPE, UNDEF, PuppetType, TypeType, variant_of
from .scalars import (
    BINARY,
    FALSE_TYPE,
    SEMVER,
    SEMVER_RANGE,
    TRUE_TYPE,
    FloatType,
    IntegerType,
    RegexpType,
    SemVerType,
    SensitiveType,
    StringType,
    TimespanType,
    TimestampType,
)


def infer(value: Value) -> PuppetType:
    """The type of `value`; elements of collections are reduced to their common type."""
    weigh(value)
    return _infer(value)


def _infer(value: Value) -> PuppetType:
    kind = type(value)
    if kind is str:
        return StringType(value=value)
    if kind is int:
        return IntegerType(value, value)
    if kind is bool:
        return TRUE_TYPE if value else FALSE_TYPE
    if value is None:
        return UNDEF
    if kind is list:
        return ArrayType(reduce_types(map(_infer, value)), _size(value)) if value else EMPTY_ARRAY
    if kind is dict:
        if not value:
            return EMPTY_HASH
        keys = reduce_types(_infer(key_value(key)) for key in value)
        return HashType(keys, reduce_types(map(_infer, value.values())), _size(value))
    return _infer_other(value)


def _infer_other(value: Value) -> PuppetType:
    match value:
        case float():
            return FloatType(value, value)
        case PuppetType():
            return TypeType(value)
        case Default():
            return DEFAULT_TYPE
        case Reference():
            return TypeType(entry_type(value))
        case Regexp():
            return RegexpType(value.source)
        case Sensitive():
            return SensitiveType(infer(value.value))
        case Timespan():
            return TimespanType(value.nanoseconds, value.nanoseconds)
        case Timestamp():
            return TimestampType(value.nanoseconds, value.nanoseconds)
        case SemVer():
            return SEMVER
        case SemVerRange():
            return SEMVER_RANGE
        case Binary():
            return BINARY
        case URI():
            from .uris import uri_type

            return uri_type(value)
        case Iterator():
            return IteratorType(value.element_type) if value.runtime is None else RuntimeType("ruby", value.runtime)
        case Deferred():
            from .objects import DEFERRED

            return DEFERRED
        case ObjectValue():
            return _infer_object(value)
    own = getattr(value, "puppet_type", None)
    if isinstance(own, PuppetType):
        return own
    kind = getattr(value, "ruby_kind", None)  # what Ruby code made and Puppet has no type for
    return RuntimeType("ruby", type(value).__name__ if kind is None else kind())


def _infer_object(value: ObjectValue) -> PuppetType:
    """The type of an object; its type parameters are the attributes of the same name."""
    from .objects import ObjectType, ObjectTypeExtension

    own: PuppetType = value.puppet_type
    known = own.type_parameters() if isinstance(own, ObjectType) else {}
    if not isinstance(own, ObjectType) or not known:
        return own
    for name in known:
        own.check_readable(name)
    given = {} if value.is_typed_early else value.attributes
    return ObjectTypeExtension(own, tuple(given.get(name) for name in known))


def infer_set(value: Value) -> PuppetType:
    """The type of `value` in detail: `Tuple` and `Struct` with the type of every element."""
    weigh(value)
    return _infer_set(value)


def _infer_set(value: Value) -> PuppetType:
    kind = type(value)
    if kind is list:
        return TupleType(tuple(map(_infer_set, value))) if value else EMPTY_ARRAY
    if kind is dict:
        if not value:
            return EMPTY_HASH
        if all(type(key) is str and key for key in value):
            return StructType(
                tuple(StructElement(StringType(value=key), _infer_set(element)) for key, element in value.items())
            )
        keys = variant_of(_infer_set(key_value(key)) for key in value)
        return HashType(keys, variant_of(map(_infer_set, value.values())), _size(value))
    if kind is SemVer:
        from .versions import exactly

        return SemVerType((exactly(value),))
    return _infer(value)


def infer_generalized(value: Value) -> PuppetType:
    """The type of `value` without sizes, ranges and literals."""
    return infer(value).generalize()


def shown_type(value: Value) -> str:
    """The type of a value as messages tell it: aliases and object types are written out, but not inside of others."""
    from .printing import type_text

    return type_text(infer_generalized(value))


def reduce_types(types: Iterable[PuppetType]) -> PuppetType | None:
    """The common type of all the types, from left to right."""
    result: PuppetType | None = None
    for kind in types:
        result = common_type(result, kind)
    return result


def _size(value: list[Value] | dict[object, Value]) -> IntegerType:
    return IntegerType(len(value), len(value))
