"""Types of single values: numbers, strings, regular expressions, booleans, times, versions, URIs, bytes.

The inheritance among the classes is the part of Puppet's type tree that assignability refers to: `Scalar` is above
everything here but `SemVerRange`, `URI` and `Binary`; `ScalarData` is above what JSON can hold; `Numeric` is above
`Integer` and `Float`.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

from ..kernel.type_failures import TypeProblem
from ..kernel.values import URI, Binary, Regexp, SemVer, SemVerRange, Sensitive, Timespan, Timestamp, Value
from .model import ANY, AnyType, ContainedType, PuppetType
from .services import SERVICES


def fold(text: str) -> str:
    """`text` in lower case as far as comparison ignores case: Ruby folds the letters A to Z and no others."""
    return text.lower() if text.isascii() else text.translate(_ASCII_LOWER)


_ASCII_LOWER = {upper: upper + 32 for upper in range(65, 91)}


_DATA = frozenset((str, int, float, bool))
_SCALARS = _DATA | {Regexp, SemVer, SemVerRange, Timespan, Timestamp}


class ScalarType(PuppetType):
    """`Scalar`: any single value that has a type of its own below this one."""

    __slots__ = ()
    simple_name = "Scalar"

    def accepts(self, value: Value) -> bool:
        return type(value) in _SCALARS

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, ScalarType | SemVerRangeType)


class ScalarDataType(ScalarType):
    """`ScalarData`: strings, numbers and booleans."""

    __slots__ = ()
    simple_name = "ScalarData"

    def accepts(self, value: Value) -> bool:
        return type(value) in _DATA

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, ScalarDataType)


class NumericType(ScalarDataType):
    """`Numeric`: integers and floats.  Subclasses have an inclusive range; `None` is no bound."""

    __slots__ = ("high", "low")
    simple_name = "Numeric"
    low: Any
    high: Any

    def __init__(self) -> None:
        self.low = None
        self.high = None

    def _key(self) -> tuple[Any, ...]:
        return (self.low, self.high)

    def accepts(self, value: Value) -> bool:
        kind = type(value)
        return kind is int or kind is float

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, NumericType)

    def _covers(self, other: Any) -> bool:
        return (self.low is None or (other.low is not None and self.low <= other.low)) and (
            self.high is None or (other.high is not None and self.high >= other.high)
        )

    def _meets(self, other: Any) -> bool:
        """Do the two ranges have a value in common?"""
        return not (
            (self.high is not None and other.low is not None and self.high < other.low)
            or (other.high is not None and self.low is not None and other.high < self.low)
        )


def _lowest(a: Any, b: Any) -> Any:
    return None if a is None or b is None else min(a, b)


def _highest(a: Any, b: Any) -> Any:
    return None if a is None or b is None else max(a, b)


class IntegerType(NumericType):
    """`Integer[low, high]`"""

    __slots__ = ()
    simple_name = "Integer"

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        self.low = low
        self.high = high

    def accepts(self, value: Value) -> bool:
        return (
            type(value) is int and (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
        )

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, IntegerType) and self._covers(other)

    def generalize(self) -> PuppetType:
        return INTEGER

    def is_finite(self) -> bool:
        """Has the range both ends?"""
        return self.low is not None and self.high is not None

    def merge(self, other: PuppetType) -> PuppetType | None:
        """The range that covers both, if they overlap or touch."""
        if not isinstance(other, IntegerType):
            return None
        touching = (self.high is not None and other.low is not None and self.high + 1 == other.low) or (
            other.high is not None and self.low is not None and other.high + 1 == self.low
        )
        if not touching and not self._meets(other):
            return None
        return IntegerType(_lowest(self.low, other.low), _highest(self.high, other.high))

    def to_size(self) -> IntegerType:
        """The same range as the size of something: nothing below zero."""
        if self.low is not None and self.low >= 0:
            return self
        return IntegerType(0, None if self.high is None else max(self.high, 0))

    def iterable(self) -> bool:
        return True

    def iterable_type(self) -> PuppetType | None:
        from .containers import IterableType

        return IterableType(INTEGER)


class FloatType(NumericType):
    """`Float[low, high]`"""

    __slots__ = ()
    simple_name = "Float"

    def __init__(self, low: float | None = None, high: float | None = None) -> None:
        self.low = None if low == -inf else low
        self.high = None if high == inf else high

    def accepts(self, value: Value) -> bool:
        return (
            type(value) is float
            and (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
        )

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, FloatType) and self._covers(other)

    def generalize(self) -> PuppetType:
        return FLOAT

    def merge(self, other: PuppetType) -> PuppetType | None:
        """The range that covers both, if they overlap."""
        if not isinstance(other, FloatType) or not self._meets(other):
            return None
        return FloatType(_lowest(self.low, other.low), _highest(self.high, other.high))


class StringType(ScalarDataType):
    """`String[min, max]`, or the type of one literal string (`value`), which inference makes."""

    __slots__ = ("size", "value")
    simple_name = "String"

    def __init__(self, size: IntegerType | None = None, value: str | None = None) -> None:
        self.size = None if size is None else size.to_size()
        self.value = value

    def _key(self) -> tuple[Any, ...]:
        return (self.size, self.value)

    def accepts(self, value: Value) -> bool:
        if type(value) is not str:
            return False
        size = self.size
        if size is None:
            return self.value is None or self.value == value
        return bool(len(value) >= size.low and (size.high is None or len(value) <= size.high))

    def _takes(self, other: PuppetType) -> bool:
        if isinstance(other, StringType):
            if self.size is not None:
                return self.size.assignable(other.derived_size())
            return self.value is None or self.value == other.value
        if isinstance(other, EnumType):
            if self.size is not None:
                if not other.values:
                    return self.size.assignable(ANY_SIZE)
                lengths = [len(word) for word in other.values]
                return self.size.accepts(min(lengths)) and self.size.accepts(max(lengths))
            # Puppet only asks that there is a single value; that it is the same one is not checked there.
            return self.value is None or (len(other.values) == 1 and not other.case_insensitive)
        if isinstance(other, PatternType):
            return self.size.assignable(ANY_SIZE) if self.size is not None else self.value is None
        return False

    def derived_size(self) -> IntegerType:
        """The size constraint, also of a literal."""
        if self.size is not None:
            return self.size
        if self.value is not None:
            return IntegerType(len(self.value), len(self.value))
        return ANY_SIZE

    def generalize(self) -> PuppetType:
        return STRING

    def children(self) -> Iterable[PuppetType]:
        return () if self.size is None else (self.size,)

    def iterable(self) -> bool:
        return True

    def iterable_type(self) -> PuppetType | None:
        from .containers import IterableType

        return IterableType(StringType(IntegerType(1, 1)))


class EnumType(ScalarDataType):
    """`Enum['a', 'b']`; with `true` at the end, letter case does not matter.  Without values: any string."""

    __slots__ = ("_set", "case_insensitive", "values")
    simple_name = "Enum"

    def __init__(self, values: Iterable[str] = (), case_insensitive: bool = False) -> None:
        self.values = tuple(sorted(set(values)))
        self.case_insensitive = case_insensitive
        self._set = frozenset(map(fold, self.values) if case_insensitive else self.values)

    def _key(self) -> tuple[Any, ...]:
        return (self.values, self.case_insensitive)

    def accepts(self, value: Value) -> bool:
        return type(value) is str and (fold(value) if self.case_insensitive else value) in self._set

    def _takes(self, other: PuppetType) -> bool:
        if not self.values and isinstance(other, StringType | EnumType | PatternType):
            return True
        if isinstance(other, StringType):
            return self.accepts(other.value)
        if isinstance(other, EnumType):
            return self == other or (
                bool(other.values)
                and (self.case_insensitive or not other.case_insensitive)
                and all(self.accepts(word) for word in other.values)
            )
        return False

    def generalize(self) -> PuppetType:
        if not self.values:
            return STRING
        lengths = [len(word) for word in self.values]
        return StringType(IntegerType(min(lengths), max(lengths)))

    def iterable(self) -> bool:
        return True

    def iterable_type(self) -> PuppetType | None:
        return STRING.iterable_type()


class RegexpType(ScalarType):
    """`Regexp[/pattern/]`"""

    __slots__ = ("pattern",)
    simple_name = "Regexp"

    def __init__(self, pattern: str | None = None) -> None:
        self.pattern = pattern

    def _key(self) -> tuple[Any, ...]:
        return (self.pattern,)

    def accepts(self, value: Value) -> bool:
        return isinstance(value, Regexp) and (self.pattern is None or self.pattern == value.source)

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, RegexpType) and (self.pattern is None or self.pattern == other.pattern)


class NoRegexpType(RegexpType):
    """`Regexp[...]` of an invalid regular expression, in the notation of types: an error when it is used."""

    __slots__ = ("problem",)

    def __init__(self, problem: TypeProblem) -> None:
        self.problem = problem

    @property
    def pattern(self) -> str | None:  # type: ignore[override]  # there is none
        raise self.problem

    def _key(self) -> tuple[Any, ...]:
        return (id(self),)

    def accepts(self, value: Value) -> bool:
        raise self.problem


class PatternType(ScalarDataType):
    """`Pattern[/a/, /b/]`: a string that one of the regular expressions matches somewhere."""

    __slots__ = ("patterns",)
    simple_name = "Pattern"

    def __init__(self, patterns: Iterable[Regexp] = ()) -> None:
        self.patterns = tuple(patterns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PatternType) and frozenset(self.patterns) == frozenset(other.patterns)

    def __hash__(self) -> int:
        return hash(("Pattern", frozenset(self.patterns)))

    def accepts(self, value: Value) -> bool:
        if type(value) is not str:
            return False
        if not self.patterns:
            return True
        for pattern in self.patterns:  # noqa: SIM110 - a generator costs more than the checks
            if pattern.compiled.test(value):
                return True
        return False

    def _takes(self, other: PuppetType) -> bool:
        if not self.patterns:
            return isinstance(other, StringType | EnumType | PatternType)
        if isinstance(other, StringType):
            return other.value is not None and self.accepts(other.value)
        if isinstance(other, EnumType):
            return bool(other.values) and all(self.accepts(word) for word in other.values)
        return self == other


class BooleanType(ScalarDataType):
    """`Boolean`, `Boolean[true]`, `Boolean[false]`"""

    __slots__ = ("value",)
    simple_name = "Boolean"

    def __init__(self, value: bool | None = None) -> None:
        self.value = value

    def _key(self) -> tuple[Any, ...]:
        return (self.value,)

    def accepts(self, value: Value) -> bool:
        return (value is True or value is False) and (self.value is None or self.value is value)

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, BooleanType) and (self.value is None or self.value is other.value)

    def generalize(self) -> PuppetType:
        return BOOLEAN


class TimeType(ScalarType):
    """What `Timestamp[from, to]` and `Timespan[from, to]` share: an inclusive range of nanoseconds.

    A bound that a program gives in seconds with a fraction stays a float, and is printed as one.
    """

    __slots__ = ("high", "low")

    def __init__(self, low: float | None = None, high: float | None = None) -> None:
        self.low = low
        self.high = high

    def _key(self) -> tuple[Any, ...]:
        return (self.low, self.high)

    @staticmethod
    def bound_text(count: float) -> str:
        """A bound as it is printed."""
        return str(Timestamp(int(count)))

    def _holds(self, count: float) -> bool:
        return (self.low is None or count >= self.low) and (self.high is None or count <= self.high)

    def _takes(self, other: PuppetType) -> bool:
        return (
            type(other) is type(self)
            and (self.low is None or (other.low is not None and self.low <= other.low))
            and (self.high is None or (other.high is not None and self.high >= other.high))
        )

    def merge(self, other: PuppetType) -> PuppetType | None:
        """The range that covers both, if they overlap."""
        if not isinstance(other, TimeType) or type(other) is not type(self):
            return None
        if (self.high is not None and other.low is not None and self.high < other.low) or (
            other.high is not None and self.low is not None and other.high < self.low
        ):
            return None
        return type(self)(_lowest(self.low, other.low), _highest(self.high, other.high))


class TimestampType(TimeType):
    """`Timestamp[from, to]`"""

    __slots__ = ()
    simple_name = "Timestamp"

    def accepts(self, value: Value) -> bool:
        return isinstance(value, Timestamp) and self._holds(value.nanoseconds)

    def generalize(self) -> PuppetType:
        return TIMESTAMP


class TimespanType(TimeType):
    """`Timespan[from, to]`"""

    __slots__ = ()
    simple_name = "Timespan"

    @staticmethod
    def bound_text(count: float) -> str:
        from ..kernel.times import format_nanoseconds

        return format_nanoseconds(count)

    def accepts(self, value: Value) -> bool:
        return isinstance(value, Timespan) and self._holds(value.nanoseconds)

    def generalize(self) -> PuppetType:
        return TIMESPAN


class SemVerType(ScalarType):
    """`SemVer[range, ...]`: a version that is in one of the ranges."""

    __slots__ = ("ranges",)
    simple_name = "SemVer"

    def __init__(self, ranges: Iterable[SemVerRange] = ()) -> None:
        self.ranges: tuple[SemVerRange, ...] = tuple(ranges)
        if len(self.ranges) > 1:
            from .versions import merge_ranges

            self.ranges = tuple(merge_ranges(list(self.ranges)))

    def _key(self) -> tuple[Any, ...]:
        return (self.ranges,)

    def accepts(self, value: Value) -> bool:
        from .versions import includes

        return isinstance(value, SemVer) and (
            not self.ranges or any(includes(versions, value) for versions in self.ranges)
        )

    def _takes(self, other: PuppetType) -> bool:
        from .versions import covers

        if not isinstance(other, SemVerType):
            return False
        if not self.ranges:
            return True
        return bool(other.ranges) and all(any(covers(mine, theirs) for mine in self.ranges) for theirs in other.ranges)


class SemVerRangeType(PuppetType):
    """`SemVerRange`"""

    __slots__ = ()
    simple_name = "SemVerRange"

    def accepts(self, value: Value) -> bool:
        return isinstance(value, SemVerRange)

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, SemVerRangeType)


class BinaryType(PuppetType):
    """`Binary`"""

    __slots__ = ()
    simple_name = "Binary"

    def accepts(self, value: Value) -> bool:
        return isinstance(value, Binary)

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, BinaryType)


URI_PARTS = ("scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque")


class URIType(PuppetType):
    """`URI[parts]`: parts are literals, regular expressions or types that the parts of a URI must match."""

    __slots__ = ("parameters",)
    simple_name = "URI"

    def __init__(self, parameters: dict[str, Value] | None = None) -> None:
        self.parameters = parameters or None

    def _key(self) -> tuple[Any, ...]:
        return () if self.parameters is None else tuple(self.parameters.items())

    def accepts(self, value: Value) -> bool:
        if not isinstance(value, URI):
            return False
        return self.parameters is None or all(
            SERVICES.match(getattr(value, part), wanted) for part, wanted in self.parameters.items()
        )

    def _takes(self, other: PuppetType) -> bool:
        if not isinstance(other, URIType):
            return False
        given = other.parameters or {}
        for part, wanted in (self.parameters or {}).items():
            if part not in given:
                return False
            actual = given[part]
            if not SERVICES.match(actual, wanted) and not (
                isinstance(actual, PuppetType) and isinstance(wanted, PuppetType) and wanted.assignable(actual)
            ):
                return False
        return True

    def generalize(self) -> PuppetType:
        return URI_TYPE


class SensitiveType(ContainedType):
    """`Sensitive[T]`: a hidden instance of T."""

    __slots__ = ()
    simple_name = "Sensitive"
    type: PuppetType

    def __init__(self, type: PuppetType | None = None) -> None:
        self.type = ANY if type is None else type.generalize()

    def accepts(self, value: Value) -> bool:
        return isinstance(value, Sensitive) and self.type.accepts(value.value)

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, SensitiveType) and self.type.assignable(other.type)


def holds_any(type: PuppetType | None) -> bool:
    """Is the contained type missing or `Any`, so that it need not be said?"""
    return type is None or isinstance(type, AnyType)


SCALAR = ScalarType()
SCALAR_DATA = ScalarDataType()
NUMERIC = NumericType()
INTEGER = IntegerType()
FLOAT = FloatType()
STRING = StringType()
NON_EMPTY_STRING = StringType(IntegerType(1))
BOOLEAN = BooleanType()
TRUE_TYPE = BooleanType(True)
FALSE_TYPE = BooleanType(False)
REGEXP = RegexpType()
ENUM = EnumType()
PATTERN = PatternType()
TIMESTAMP = TimestampType()
TIMESPAN = TimespanType()
SEMVER = SemVerType()
SEMVER_RANGE = SemVerRangeType()
BINARY = BinaryType()
URI_TYPE = URIType()
SENSITIVE = SensitiveType()
ANY_SIZE = IntegerType(0)
NO_SIZE = IntegerType(0, 0)
