"""Saying what is wrong with a value, in Puppet's words.

Comparing an expected with an actual type yields mismatches, each with the path to where it is (parameter, entry, index,
variant). Mismatches of the branches of a `Variant`, or of the signatures of a function, are merged into one sentence if
they are about the same place. How much of a type is shown depends on both sides: names alone where they differ in kind
("expects an Integer value, got String"), everything where the difference is in the details
("expects an Integer[1, 10] value, got Integer[11, 11]").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..kernel.type_failures import TypeMismatchError
from ..kernel.values import Value
from .callables import CallableType
from .containers import ArrayType, HashType, StructType, TupleType
from .infer import infer_set
from .model import (
    ANY,
    UNDEF,
    ContainedType,
    OptionalType,
    PuppetType,
    TypeAlias,
    UndefType,
    VariantType,
    find_unresolved,
    real_type,
    variant_of,
)
from .objects import ObjectType, ObjectTypeExtension
from .printing import to_string
from .scalars import ANY_SIZE, EnumType, IntegerType, PatternType, StringType, holds_any


class Step:
    """One element of the path to a mismatch.  `varying` elements (variants, signatures) do not tell places apart."""

    __slots__ = ("kind", "text", "varying")

    def __init__(self, kind: str, text: str, varying: bool = False) -> None:
        self.kind = kind
        self.text = text
        self.varying = varying

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and (self.kind, self.text) == (other.kind, other.text)

    def __hash__(self) -> int:
        return hash((self.kind, self.text))


Path = tuple[Step, ...]


def parameter_step(name: str) -> Step:
    """A parameter of a class, define or function."""
    return Step("parameter", f"parameter '{name}'")


def signature_step(index: int) -> Step:
    """One of several signatures."""
    return Step("signature", f"{index + 1}.", varying=True)


def _entry(name: str) -> Step:
    return Step("entry", f"entry '{name}'")


def _entry_key(name: str) -> Step:
    return Step("key", f"key of entry '{name}'")


def _index(at: int) -> Step:
    return Step("index", f"index {at}")


def _variant(at: int) -> Step:
    return Step("variant", f"variant {at}", varying=True)


BLOCK = Step("parameter", "block")
RETURN = Step("return", "return")


def article(text: str) -> str:
    """`a` or `an`, by Puppet's rule: the first letter, or the second after a quote; `y` counts as a vowel."""
    first = text[1:2] if text[:1] in "\"'" else text[:1]
    return "an" if first.lower() in ("a", "e", "i", "o", "u", "y") else "a"


class Mismatch:
    """Something wrong at the end of a path."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def place(self) -> Path:
        """The path without the elements that only say which alternative was looked at."""
        return tuple(step for step in self.path if not step.varying)

    def words(self) -> str:
        """What is said after the place."""
        raise NotImplementedError

    def merge(self, other: object) -> Mismatch:
        """One mismatch for this and another of the same kind at the same place."""
        return self

    def at(self, path: Path) -> Mismatch:
        """The same mismatch elsewhere."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.path = path
        return copy

    def without(self, index: int) -> Mismatch:
        """The same mismatch with one element of its path left out."""
        return self if index >= len(self.path) else self.at(self.path[:index] + self.path[index + 1 :])

    def format(self) -> str:
        """The whole sentence, with a blank in front."""
        path = self.path
        text = ""
        if path and path[0].kind == "signature":
            text = f" {path[0].text}"
            path = path[1:]
        if path:
            text += " " + " ".join(step.text for step in path)
        return f"{text} {self.words()}"


class _About(Mismatch):
    """A mismatch about a name: a key or a parameter."""

    def __init__(self, path: Path, name: str) -> None:
        super().__init__(path)
        self.name = name


class MissingKey(_About):
    """A struct lacks a key."""

    def words(self) -> str:
        return f"expects a value for key '{self.name}'"


class MissingParameter(_About):
    """A parameter without default was not given."""

    def words(self) -> str:
        return f"expects a value for parameter '{self.name}'"


class ExtraKey(_About):
    """A key that the struct does not have."""

    def words(self) -> str:
        return f"unrecognized key '{self.name}'"


class UnknownParameter(_About):
    """A parameter that does not exist."""

    def words(self) -> str:
        return f"has no parameter named '{self.name}'"


class UnresolvedReference(_About):
    """The expected type holds a name that is not known."""

    def words(self) -> str:
        return f"references an unresolved type '{self.name}'"


class UnexpectedBlock(Mismatch):
    """A lambda where none is wanted."""

    def words(self) -> str:
        return "does not expect a block"


class MissingBlock(Mismatch):
    """No lambda where one is wanted."""

    def words(self) -> str:
        return "expects a block"


class _Compared(Mismatch):
    """A mismatch between two types."""

    def __init__(self, path: Path, expected: PuppetType, actual: PuppetType) -> None:
        super().__init__(path)
        self.expected = expected.normalize()
        self.actual = actual.normalize()


class TypeMismatch(_Compared):
    """The types differ."""

    def merge(self, other: Any) -> Mismatch:
        return type(self)(self.path, variant_of((self.expected, other.expected)), self.actual)

    def words(self) -> str:
        expected, optional = self.expected, False
        if isinstance(expected, OptionalType) and expected.type is not None:
            expected, optional = expected.type, True
        options = list(expected.types) if isinstance(expected, VariantType) else [expected]
        if _in_detail(options, self.actual):
            shown = [to_string(option, expanded=True) for option in options]
            got = _actual_in_detail(options, self.actual)
        else:
            shown = list(dict.fromkeys(map(_short_name, options)))
            got = _short_name(self.actual)
        if optional:
            shown.insert(0, "Undef")
        if len(shown) == 1:
            return f"expects {article(shown[0])} {shown[0]} value, got {got}"
        if len(shown) == 2:
            return f"expects a value of type {shown[0]} or {shown[1]}, got {got}"
        return f"expects a value of type {', '.join(shown[:-1])}, or {shown[-1]}, got {got}"


class PatternMismatch(TypeMismatch):
    """A string that an `Enum` or `Pattern` does not match."""

    def words(self) -> str:
        expected, before = self.expected, ""
        if isinstance(expected, OptionalType) and expected.type is not None:
            expected, before = expected.type, "an undef value or "
        actual = self.actual
        literal = actual.value if isinstance(actual, StringType) else None
        got = _short_name(actual) if literal is None else f"'{literal}'"
        return f"expects {before}a match for {to_string(expected, expanded=True)}, got {got}"


class SizeMismatch(_Compared):
    """A collection of the wrong size."""

    expected: IntegerType
    actual: IntegerType

    def merge(self, other: Any) -> Mismatch:
        a, b = self.expected, other.expected
        low = min(a.low or 0, b.low or 0)
        high = None if a.high is None or b.high is None else max(a.high, b.high)
        return type(self)(self.path, IntegerType(low, high), self.actual)

    def words(self) -> str:
        return f"expects size to be {_size(self.expected, '0')}, got {_size(self.actual, '0')}"


class CountMismatch(SizeMismatch):
    """A wrong number of arguments."""

    def words(self) -> str:
        low, high = self.expected.low or 0, self.expected.high
        plural = "" if (low == 1 and high in (1, None)) or (low == 0 and high == 1) else "s"
        return f"expects {_size(self.expected, 'no')} argument{plural}, got {_size(self.actual, 'none')}"


def _size(size: IntegerType, zero: str) -> str:
    low, high = size.low or 0, size.high
    if low == high:
        return zero if low == 0 else str(low)
    if low == 0:
        return "unlimited" if high is None else f"at most {high}"
    return f"at least {low}" if high is None else f"between {low} and {high}"


def _short_name(type: PuppetType) -> str:
    if isinstance(type, ContainedType) and not holds_any(type.type):
        inner = type.type
        assert inner is not None
        return f"{type.name}[{'' if isinstance(inner, ObjectType) and inner.is_default() else inner.name}]"
    return type.name


def _same_kind(expected: PuppetType, actual: PuppetType) -> bool:
    """Do the two differ in the details alone?"""
    return (
        type(expected) is type(actual)
        or (isinstance(expected, ObjectType) and isinstance(actual, ObjectType))
        or isinstance(expected, TypeAlias)
        or isinstance(actual, TypeAlias)
        or (isinstance(expected, StructType) and isinstance(actual, HashType))
        or (isinstance(expected, TupleType) and isinstance(actual, ArrayType))
    )


def _bare(type: PuppetType) -> PuppetType:
    """The type of the same kind without parameters; an object type with some has none, and anything goes for it."""
    from .names import BUILTIN_TYPES

    if isinstance(real_type(type), ObjectTypeExtension):
        return ANY
    return BUILTIN_TYPES.get(real_type(type).simple_name.lower(), ANY)


def _in_detail(options: Sequence[PuppetType], actual: PuppetType) -> bool:
    return any(_same_kind(option, actual) for option in options) or any(
        _bare(option).assignable(actual) for option in options
    )


def _actual_in_detail(options: Sequence[PuppetType], actual: PuppetType) -> str:
    resolved = [real_type(option) for option in options]
    if any(_same_kind(option, actual) for option in resolved):
        return to_string(actual, expanded=True)
    general = actual.generalize()
    if any(option.assignable(general) for option in resolved):
        return to_string(actual, expanded=True)
    return actual.name if isinstance(actual, ObjectType | ObjectTypeExtension) else actual.simple_name


# --- finding mismatches ----------------------------------------------------------------------------------------------


def describe(expected: PuppetType, actual: PuppetType, path: Path) -> list[Mismatch]:
    """What keeps `actual` from being assignable to `expected`."""
    unresolved = find_unresolved(expected)
    if unresolved is not None:
        return [UnresolvedReference(path, unresolved)]
    if sum(step.varying for step in path) > MOST_ALTERNATIVES:
        return [TypeMismatch(path, expected, actual)]
    return _describe(expected.normalize(), expected, actual, path)


MOST_ALTERNATIVES = 32
"""How deep alternatives may stand in one another: those of `type A = Variant[Integer, Optional[A]]` have no end."""


def _describe(expected: PuppetType, original: PuppetType, actual: PuppetType, path: Path) -> list[Mismatch]:
    """`original` is the type as it was written: an alias, or the optional type around `expected`."""
    match expected:
        case VariantType():
            return _describe_variant(expected, original, actual, path)
        case StructType():
            return _describe_struct(expected, original, actual, path)
        case HashType():
            return _describe_hash(expected, original, actual, path)
        case TupleType():
            return _describe_tuple(expected, original, actual, path, SizeMismatch)
        case ArrayType():
            return _describe_array(expected, original, actual, path)
        case CallableType():
            return _describe_callable(expected, original, actual, path)
        case OptionalType():
            if isinstance(actual, UndefType) or expected.type is None:
                return []
            kept = original if isinstance(original, TypeAlias) else expected
            return _describe(expected.type, kept, actual, path)
        case PatternType() | EnumType():
            return [PatternMismatch(path, original, actual)]
        case TypeAlias():
            return _describe(expected.resolved.normalize(), expected, actual, path)
    return [] if expected.assignable(actual) else [TypeMismatch(path, original, actual)]


def _describe_variant(expected: VariantType, original: PuppetType, actual: PuppetType, path: Path) -> list[Mismatch]:
    types = expected.types
    if isinstance(original, OptionalType):
        types = (UNDEF, *types)
    alternatives = []
    for index, alternative in enumerate(types):
        problems = describe(alternative, actual, (*path, _variant(index)))
        if not problems:
            return []
        alternatives.append(problems)
    merged = merge_alternatives(len(path), SizeMismatch, alternatives)
    if isinstance(original, TypeAlias) and len(merged) == 1:
        return [TypeMismatch(path, original, actual)]
    return merged


def merge_alternatives(
    position: int, size_class: type[SizeMismatch], alternatives: Sequence[Sequence[Mismatch]]
) -> list[Mismatch]:
    """Mismatches of several alternatives as one, if each alternative has one of a kind at the same place."""
    problems = [problem for one in alternatives for problem in one]
    for kind in (size_class, MissingBlock, UnexpectedBlock, TypeMismatch):
        same = [problem for problem in problems if isinstance(problem, kind)]
        if len(same) == len(alternatives) and len({problem.place for problem in same}) == 1:
            merged: Mismatch = same[0]
            for problem in same[1:]:
                merged = merged.merge(problem)
            problems = [merged]
            break
    # Only what is said about blocks is said once; Puppet repeats the rest for every alternative.
    problems = list(
        {
            (type(problem), problem.place)
            if isinstance(problem, MissingBlock | UnexpectedBlock)
            else id(problem): problem
            for problem in problems
        }.values()
    )
    return [problems[0].without(position)] if len(problems) == 1 else problems


def _describe_array(expected: ArrayType, original: PuppetType, actual: PuppetType, path: Path) -> list[Mismatch]:
    if isinstance(actual, TupleType):
        size = expected.size or ANY_SIZE
        if not size.assignable(actual.own_size()):
            return [SizeMismatch(path, size, actual.own_size())]
        problems: list[Mismatch] = []
        for index, element in enumerate(actual.types):
            if not expected.element.assignable(element):
                problems += describe(expected.element, element, (*path, _index(index)))
        return problems
    if isinstance(actual, ArrayType):
        size = actual.size or ANY_SIZE
        if expected.size is None or expected.size.assignable(size):
            return [TypeMismatch(path, original, ArrayType(actual.element))]
        return [SizeMismatch(path, expected.size, size)]
    return [TypeMismatch(path, original, actual)]


def _describe_hash(expected: HashType, original: PuppetType, actual: PuppetType, path: Path) -> list[Mismatch]:
    if isinstance(actual, StructType):
        required = sum(not element.is_optional for element in actual.elements)
        size = IntegerType(required, len(actual.elements))
        if not (expected.size or ANY_SIZE).assignable(size):
            return [SizeMismatch(path, expected.size or ANY_SIZE, size)]
        problems: list[Mismatch] = []
        for element in actual.elements:
            if not expected.key.assignable(element.key):
                problems += describe(expected.key, element.key, (*path, _entry_key(element.name)))
            if not expected.value.assignable(element.value):
                problems += describe(expected.value, element.value, (*path, _entry(element.name)))
        return problems
    if isinstance(actual, HashType):
        size = actual.size or ANY_SIZE
        if expected.size is None or expected.size.assignable(size):
            return [TypeMismatch(path, original, HashType(actual.key, actual.value))]
        return [SizeMismatch(path, expected.size, size)]
    return [TypeMismatch(path, original, actual)]


def _describe_struct(expected: StructType, original: PuppetType, actual: PuppetType, path: Path) -> list[Mismatch]:
    if isinstance(actual, StructType):
        problems: list[Mismatch] = []
        rest = dict(actual.by_name)
        for mine in expected.elements:
            theirs = rest.pop(mine.name, None)
            if theirs is None:
                if not mine.is_optional:
                    problems.append(MissingKey(path, mine.name))
                continue
            if not mine.key.assignable(theirs.key):
                problems += describe(mine.key, theirs.key, (*path, _entry_key(mine.name)))
            if not mine.value.assignable(theirs.value):
                problems += describe(mine.value, theirs.value, (*path, _entry(mine.name)))
        return problems + [ExtraKey(path, name) for name in rest]
    if isinstance(actual, HashType):
        size = actual.size or ANY_SIZE
        required = sum(not element.is_optional for element in expected.elements)
        wanted = IntegerType(required, len(expected.elements))
        if wanted.assignable(size):
            return [TypeMismatch(path, original, HashType(actual.key, actual.value))]
        return [SizeMismatch(path, wanted, size)]
    return [TypeMismatch(path, original, actual)]


def _describe_tuple(
    expected: TupleType, original: PuppetType, actual: PuppetType, path: Path, size_class: type[SizeMismatch]
) -> list[Mismatch]:
    if expected == actual or (not expected.types and isinstance(actual, ArrayType)):
        return []
    wanted = expected.size_range()
    if isinstance(actual, TupleType):
        if not wanted.assignable(actual.size_range()):
            return [size_class(path, wanted, actual.size_range())]
        problems: list[Mismatch] = []
        for index, element in enumerate(actual.types if expected.types else ()):
            at = min(index, len(expected.types) - 1)
            problems += describe(expected.types[at], element, (*path, _index(at)))
        return problems
    if isinstance(actual, ArrayType):
        size = actual.size or ANY_SIZE
        if not wanted.assignable(size):
            return [size_class(path, wanted, size)]
        return [
            problem
            for index, element in enumerate(expected.types)
            for problem in describe(element, actual.element, (*path, _index(index)))
        ]
    return [TypeMismatch(path, original, actual)]


def _describe_callable(expected: CallableType, original: PuppetType, actual: PuppetType, path: Path) -> list[Mismatch]:
    if not isinstance(actual, CallableType):
        return [TypeMismatch(path, original, actual)]
    if expected.parameters is None or actual.parameters is None:
        problems: list[Mismatch] = []
    else:
        problems = _describe_tuple(expected.parameters, expected.parameters, actual.parameters, path, CountMismatch)
    if problems:
        return problems
    result, other = expected.result or ANY, actual.result or ANY
    if not result.assignable(other):
        return [TypeMismatch((*path, RETURN), result, other)]
    block, given = expected.block or UNDEF, actual.block or UNDEF
    if not given.assignable(block):
        return [TypeMismatch((*path, BLOCK), block, given)]
    return []


# --- what others call ------------------------------------------------------------------------------------------------


def describe_mismatch(subject: str, expected: PuppetType, actual: PuppetType) -> str:
    """One sentence (or several lines) about `subject`; empty if nothing is wrong."""
    problems = describe(expected, actual, (Step("subject", subject),))
    if len(problems) == 1:
        return problems[0].format().strip()
    return "\n ".join(problem.format() for problem in problems)


def assert_instance(subject: str, expected: PuppetType, value: Value) -> Value:
    """`value`, if it is an instance of `expected`."""
    if not expected.accepts(value):
        raise TypeMismatchError(describe_mismatch(f"{subject} has wrong type,", expected, infer_set(value)))
    return value


def check_parameters(
    subject: str,
    parameters: StructType,
    given: Mapping[str, Value],
    missing_allowed: bool = False,
    returned: Mapping[str, PuppetType | None] | None = None,
) -> None:
    """Unknown, wrong and missing parameters of a class, define or lambda, all in one error.

    `returned` has the parameters that are given as deferred calls, with the types they return if that is known.
    """
    problems: list[Mismatch] = [UnknownParameter((), name) for name in given if name not in parameters.by_name]
    for parameter in parameters.elements:
        if parameter.name in given:
            value = given[parameter.name]
            if returned and parameter.name in returned:
                kind = returned[parameter.name]
                if kind is not None and not parameter.value.generalize().assignable(kind.generalize()):
                    problems += describe(parameter.value, kind, (parameter_step(parameter.name),))
            elif not parameter.value.accepts(value):
                problems += describe(parameter.value, infer_set(value), (parameter_step(parameter.name),))
        elif not missing_allowed and not isinstance(parameter.key, OptionalType):
            problems.append(MissingParameter((), parameter.name))
    _raise(subject, problems)


def _raise(subject: str, problems: Sequence[Mismatch]) -> None:
    if len(problems) == 1:
        raise TypeMismatchError(f"{subject}:{problems[0].format()}")
    if problems:
        lines = "\n ".join(problem.format() for problem in problems)
        raise TypeMismatchError(f"{subject}:\n {lines}")
