"""Calculating with types: the common type of two, and simpler forms of variants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .callables import CALLABLE, CLASS, RESOURCE, CallableType, ClassType, ResourceType
from .containers import ArrayType, HashType
from .model import (
    ANY,
    NotUndefType,
    OptionalType,
    PuppetType,
    TypeType,
    UndefType,
    UnitType,
    VariantType,
    variant_of,
)
from .scalars import (
    ENUM,
    NUMERIC,
    REGEXP,
    SCALAR,
    SCALAR_DATA,
    STRING,
    EnumType,
    FloatType,
    IntegerType,
    PatternType,
    RegexpType,
    SemVerType,
    StringType,
    TimespanType,
    TimestampType,
)


def common_type(a: PuppetType | None, b: PuppetType | None) -> PuppetType:
    """The narrowest type that Puppet knows to be above both.  Undef and nothing give way to the other."""
    if a is None or isinstance(a, UndefType | UnitType):
        return b if b is not None else (a or ANY)
    if b is None or isinstance(b, UndefType | UnitType):
        return a
    if a.assignable(b):
        return a
    if b.assignable(a):
        return b
    common = _common_kind(a, b)
    if common is not None:
        return common
    for wide in (NUMERIC, SCALAR_DATA, SCALAR):
        if wide.assignable(a) and wide.assignable(b):
            return wide
    from .aliases import DATA, RICH_DATA

    if DATA.assignable(a) and DATA.assignable(b):
        return DATA
    if isinstance(a, TypeType) and isinstance(b, TypeType):
        return TypeType(common_type(a.type, b.type))
    if RICH_DATA.assignable(a) and RICH_DATA.assignable(b):
        return RICH_DATA
    return ANY


def _common_kind(a: PuppetType, b: PuppetType) -> PuppetType | None:
    """The common type of two types of the same kind, neither of which is above the other."""
    match a, b:
        case ArrayType(), ArrayType():
            return ArrayType(common_type(a.element, b.element))
        case HashType(), HashType():
            return HashType(common_type(a.key, b.key), common_type(a.value, b.value))
        case ClassType(), ClassType():
            return CLASS
        case ResourceType(), ResourceType():
            return ResourceType(a.type_name) if a.type_name == b.type_name else RESOURCE
        case IntegerType(), IntegerType():
            return IntegerType(_low(a, b), _high(a, b))
        case FloatType(), FloatType():
            return FloatType(_low(a, b), _high(a, b))
        case StringType(), EnumType():
            return ENUM if a.value is None else EnumType((*b.values, a.value))
        case StringType(), StringType():
            if a.size is None or b.size is None:
                return STRING if a.value is None or b.value is None else EnumType((a.value, b.value))
            size = common_type(a.size, b.size)
            return StringType(size if isinstance(size, IntegerType) else None)
        case PatternType(), PatternType():
            return PatternType(dict.fromkeys((*a.patterns, *b.patterns)))
        case EnumType(), EnumType():
            return EnumType((*a.values, *b.values))
        case EnumType(), StringType():
            return ENUM if b.value is None else EnumType((*a.values, b.value))
        case VariantType(), VariantType():
            return variant_of((*a.types, *b.types))
        case RegexpType(), RegexpType():
            return REGEXP
        case CallableType(), CallableType():
            return CALLABLE
    return None


def _low(a: Any, b: Any) -> Any:
    return None if a.low is None or b.low is None else min(a.low, b.low)


def _high(a: Any, b: Any) -> Any:
    return None if a.high is None or b.high is None else max(a.high, b.high)


def normalize_variant(variant: VariantType) -> PuppetType:
    """A variant in simpler form: optional if it admits undef, literals in one enum, ranges that meet in one range."""
    if not variant.types:
        return variant
    types = [member.normalize() for member in variant.types]
    changed = any(a is not b for a, b in zip(types, variant.types))
    if len(types) == 1:
        return types[0]
    if any(isinstance(member, UndefType | OptionalType) for member in types):
        inner = [member.type if isinstance(member, OptionalType) else member for member in types]
        kept = [member for member in inner if member is not None and not isinstance(member, UndefType)]
        return OptionalType(variant_of(kept)).normalize() if kept else OptionalType()
    flat: list[PuppetType] = []
    for member in types:
        flat.extend(member.types if isinstance(member, VariantType) else (member,))
    before = len(flat)
    for merge in _MERGES:
        if len(flat) > 1:
            flat = merge(flat)
    if len(flat) == 1:
        return flat[0]
    return variant_of(flat) if changed or len(flat) != before else variant


def _merge_not_undefs(types: list[PuppetType]) -> list[PuppetType]:
    chosen = [member for member in types if isinstance(member, NotUndefType)]
    if len(chosen) < 2:
        return types
    inner = variant_of(member.type or ANY for member in chosen).normalize()
    return [member for member in types if not isinstance(member, NotUndefType)] + [NotUndefType(inner)]


def _merge_enums(types: list[PuppetType]) -> list[PuppetType]:
    def is_exact(member: PuppetType) -> bool:
        if isinstance(member, EnumType):
            return bool(member.values) and not member.case_insensitive
        return isinstance(member, StringType) and member.value is not None

    chosen = [member for member in types if is_exact(member)]
    if len(chosen) > 1:
        values = [
            value
            for member in chosen
            for value in (member.values if isinstance(member, EnumType) else (_literal(member),))
        ]
        types = [member for member in types if not is_exact(member)] + [EnumType(values)]
    loose = [member for member in types if isinstance(member, EnumType) and member.values and member.case_insensitive]
    if len(loose) > 1:
        lower = [value.lower() for member in loose for value in member.values]
        types = [member for member in types if member not in loose] + [EnumType(lower, True)]
    return types


def _literal(type: PuppetType) -> str:
    return (type.value or "") if isinstance(type, StringType) else ""


def _merge_patterns(types: list[PuppetType]) -> list[PuppetType]:
    chosen = [member for member in types if isinstance(member, PatternType)]
    if len(chosen) < 2:
        return types
    patterns = dict.fromkeys(pattern for member in chosen for pattern in member.patterns)
    return [member for member in types if not isinstance(member, PatternType)] + [PatternType(patterns)]


def _merge_versions(types: list[PuppetType]) -> list[PuppetType]:
    chosen = [member for member in types if isinstance(member, SemVerType)]
    if len(chosen) < 2:
        return types
    merged = SemVerType(version_range for one in chosen for version_range in one.ranges)
    return [merged, *(member for member in types if not isinstance(member, SemVerType))]


def _merge_ranges(kind: type) -> Callable[[list[PuppetType]], list[PuppetType]]:
    """Ranges of one kind that overlap (or touch) become one; the last is taken first, as Puppet does."""

    def merge(types: list[PuppetType]) -> list[PuppetType]:
        ranges: list[Any] = [member for member in types if isinstance(member, kind)]
        if len(ranges) < 2:
            return types
        result: list[PuppetType] = []
        while ranges:
            current = ranges.pop()
            apart = []
            for other in ranges:
                both = current.merge(other)
                if both is None:
                    apart.append(other)
                else:
                    current = both
            result.append(current)
            ranges = apart
        return result + [member for member in types if not isinstance(member, kind)]

    return merge


_MERGES: tuple[Callable[[list[PuppetType]], list[PuppetType]], ...] = (
    _merge_not_undefs,
    _merge_enums,
    _merge_patterns,
    _merge_versions,
    _merge_ranges(IntegerType),
    _merge_ranges(FloatType),
    _merge_ranges(TimespanType),
    _merge_ranges(TimestampType),
)
