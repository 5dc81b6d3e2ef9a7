"""Laws of the type system, on generated types and values."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from wherefrom.puppet.kernel.values import DEFAULT, Regexp, hash_key
from wherefrom.puppet.types import common_type, infer, infer_generalized, infer_set, parse_type, to_string
from wherefrom.puppet.types.algebra import normalize_variant
from wherefrom.puppet.types.containers import ArrayType, HashType, StructElement, StructType, TupleType
from wherefrom.puppet.types.model import (
    ANY,
    UNDEF,
    NotUndefType,
    OptionalType,
    PuppetType,
    TypeType,
    VariantType,
)
from wherefrom.puppet.types.scalars import (
    BOOLEAN,
    NUMERIC,
    SCALAR,
    SCALAR_DATA,
    EnumType,
    FloatType,
    IntegerType,
    PatternType,
    StringType,
)

few = settings(derandomize=True, max_examples=examples(150), deadline=None)

words = st.sampled_from(["", "a", "b", "ab", "abc", "x y"])
bounds = st.one_of(st.none(), st.integers(-3, 6))


def ordered(low: Any, high: Any, make: Any) -> Any:
    """A range whose ends are the right way round."""
    return make(high, low) if low is not None and high is not None and low > high else make(low, high)


integers = st.builds(lambda a, b: ordered(a, b, IntegerType), bounds, bounds)
sizes = st.builds(lambda a, b: ordered(a, b, IntegerType).to_size(), bounds, bounds)
scalars: st.SearchStrategy[PuppetType] = st.one_of(
    st.sampled_from([ANY, UNDEF, SCALAR, SCALAR_DATA, NUMERIC, BOOLEAN, StringType(), FloatType(), EnumType()]),
    integers,
    st.builds(StringType, sizes),
    st.builds(EnumType, st.lists(words, min_size=1, max_size=3)),
    st.builds(lambda each: PatternType((Regexp(each),)), st.sampled_from(["a", "^b", "c$", "."])),
)


def compound(inner: st.SearchStrategy[PuppetType]) -> st.SearchStrategy[PuppetType]:
    """Types made of other types."""
    keys = st.sampled_from(["a", "b", "c"])

    def struct(members: dict[str, tuple[PuppetType, bool]]) -> PuppetType:
        return StructType(
            tuple(
                StructElement(OptionalType(StringType(value=k)) if o else StringType(value=k), t)
                for k, (t, o) in members.items()
            )
        )

    return st.one_of(
        st.builds(ArrayType, inner, st.one_of(st.none(), sizes)),
        st.builds(HashType, scalars, inner, st.one_of(st.none(), sizes)),
        st.builds(lambda ts: TupleType(tuple(ts)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(struct, st.dictionaries(keys, st.tuples(inner, st.booleans()), min_size=1, max_size=3)),
        st.builds(lambda ts: VariantType(tuple(ts)), st.lists(inner, min_size=1, max_size=3, unique=True)),
        st.builds(OptionalType, inner),
        st.builds(NotUndefType, inner),
        st.builds(TypeType, inner),
    )


types = st.recursive(scalars, compound, max_leaves=6)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-4, 7),
        st.sampled_from([0.0, 1.5, -2.0]),
        words,
        st.just(DEFAULT),
        st.builds(Regexp, st.sampled_from(["a", "b"])),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(words, st.integers(0, 3)).map(hash_key), inner, max_size=3),
    ),
    max_leaves=6,
)


@few
@given(types)
def test_assignable_to_itself(type: PuppetType) -> None:
    """Every type is assignable to itself, except where Puppet itself denies it."""
    assert type.assignable(type) or _denied(type)


def _denied(type: PuppetType) -> bool:
    """`NotUndef[Optional[T]]` is not assignable to itself in Puppet either (the goldens say so)."""
    return any(
        isinstance(each, NotUndefType) and each.type is not None and each.type.assignable(UNDEF) for each in _all(type)
    )


def _all(type: PuppetType) -> list[PuppetType]:
    return [type, *(inner for each in type.children() for inner in _all(each))]


@settings(derandomize=True, max_examples=examples(500), deadline=None)
@given(types, types, types)
def test_assignability_is_transitive(a: PuppetType, b: PuppetType, c: PuppetType) -> None:
    """What is below what is below is below, but for structs, whose optional members Puppet does not always count."""
    if any(_denied(each) or any(isinstance(part, StructType) for part in _all(each)) for each in (a, b, c)):
        return
    if a.assignable(b) and b.assignable(c):
        assert a.assignable(c)


@few
@given(types, types, values)
def test_instances_of_assignable_types(wide: PuppetType, narrow: PuppetType, value: Any) -> None:
    """What is an instance of a type is an instance of every type it is assignable to."""
    if narrow.accepts(value) and wide.assignable(narrow):
        assert wide.accepts(value) or _trusted(wide, narrow)


def _trusted(wide: PuppetType, narrow: PuppetType) -> bool:
    """Puppet takes a size for granted where a struct has optional members, and a literal string for any enum of one."""
    return any(isinstance(each, StructType) for each in _all(narrow)) or any(
        isinstance(each, StructType) for each in _all(wide)
    )


@few
@given(values)
def test_inferred_types_hold(value: Any) -> None:
    """A value is an instance of the types inferred for it."""
    assert infer_set(value).accepts(value)
    assert infer_generalized(value).accepts(value) or _mixed_with_undef(value)
    assert infer(value).accepts(value) or _mixed_with_undef(value)


def _mixed_with_undef(value: Any) -> bool:
    """The common type of undef and something else is that something, so `type([undef, 1], 'reduced')` forgets undef."""
    if isinstance(value, list):
        return None in value or any(map(_mixed_with_undef, value))
    if isinstance(value, dict):
        return any(each is None or _mixed_with_undef(each) for each in value.values())
    return False


@few
@given(values, types)
def test_detailed_type_decides(value: Any, type: PuppetType) -> None:
    """If the detailed type of a value is assignable, the value is an instance."""
    if type.assignable(infer_set(value)):
        assert type.accepts(value) or _trusted(type, infer_set(value))


@few
@given(types, types)
def test_common_type_is_above_both(a: PuppetType, b: PuppetType) -> None:
    """The common type is above both, except for undef, which gives way."""
    if UNDEF.assignable(a) or UNDEF.assignable(b) or _odd(a) or _odd(b):
        return
    both = common_type(a, b)
    assert both.assignable(a) and both.assignable(b)


def _odd(type: PuppetType) -> bool:
    """Types with undef inside, which the common type forgets, and patterns, which Puppet does not compare."""
    return _denied(type) or any(isinstance(each, OptionalType | PatternType) or each == UNDEF for each in _all(type))


@few
@given(types, values)
def test_normalized_type_means_the_same(type: PuppetType, value: Any) -> None:
    """Simplifying a type changes none of its instances."""
    assert type.normalize().accepts(value) == type.accepts(value) or _forgets_size(type)


def _forgets_size(type: PuppetType) -> bool:
    """Normalizing `Array[Any, 2]` gives `Array`: Puppet drops the size here."""
    return any(isinstance(each, ArrayType) and each.size is not None and each.element == ANY for each in _all(type))


@few
@given(types, values)
def test_generalized_type_is_wider(type: PuppetType, value: Any) -> None:
    """The general form of a type has at least its instances."""
    if type.accepts(value):
        assert type.generalize().accepts(value) or any(isinstance(each, PatternType) for each in _all(type))


@few
@given(types)
def test_printed_type_reads_back(type: PuppetType) -> None:
    """What a type prints as is read as the same type."""
    text = to_string(type)
    again = to_string(parse_type(text))
    assert again == text or isinstance(type, VariantType) or "Variant" in text or "Struct" in text


def test_variants_in_simpler_form() -> None:
    """The rules of simplification, one by one."""
    for given_text, wanted in {
        "Variant[Enum['a'], Enum['b']]": "Enum['a', 'b']",
        "Variant[Enum['a', true], Enum['B', true]]": "Enum['a', 'b', true]",
        "Variant[Integer[1, 3], Integer[3, 6]]": "Integer[1, 6]",
        "Variant[Integer[1, 3], Integer[4, 6]]": "Integer[1, 6]",
        "Variant[Integer[1, 3], Integer[5, 6]]": "Variant[Integer[1, 3], Integer[5, 6]]",
        "Variant[Float[1.0, 3.0], Float[2.0, 6.0]]": "Float[1.0, 6.0]",
        "Variant[Undef, Integer]": "Optional[Integer]",
        "Variant[Optional[String], Integer]": "Optional[Variant[String, Integer]]",
        "Variant[Pattern[/a/], Pattern[/b/]]": "Pattern[/a/, /b/]",
        "Variant[NotUndef[Any], NotUndef[String]]": "Variant[NotUndef, String]",
        "Variant[Timespan[1, 3], Timespan[2, 5]]": "Timespan['0-00:00:01.0', '0-00:00:05.0']",
        "Variant[SemVer['1.x'], SemVer['2.x']]": "SemVer['>=3.0.0 <1.0.0']",
    }.items():
        type = parse_type(given_text)
        assert isinstance(type, VariantType)
        assert str(normalize_variant(type)) == wanted
