"""Semantic versions and ranges of them.

A range is written as npm does: `>=1.2.3 <2.0.0`, `1.x`, `~1.2`, `^1.2.3`, `1.0.0 - 2.0.0`, alternatives with `||`. It
is kept as a tuple of intervals. A version with a pre-release is only in an interval if one of the interval's ends
names a pre-release of the same three numbers.
"""

from __future__ import annotations

import re
from typing import Any

from ..kernel.type_failures import ConversionError, TypeProblem
from ..kernel.values import SemVer, SemVerRange

_PART = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
VERSION = re.compile(rf"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-({_PART}))?(?:\+({_PART}))?\n?", re.ASCII)
_X = r"(x|X|\*|0|[1-9][0-9]*)"
_PARTIAL = re.compile(rf"{_X}(?:\.{_X}(?:\.{_X}(?:-({_PART}))?(?:\+({_PART}))?)?)?")
_SIMPLE = re.compile(rf"(<=|>=|~>|~=|[<>=~^])?({_PARTIAL.pattern})")
_HYPHEN = re.compile(rf"({_PARTIAL.pattern})\s+-\s+({_PARTIAL.pattern})")


class Interval:
    """Versions between two ends; `None` is no end."""

    __slots__ = ("high", "high_open", "low", "low_open")

    def __init__(
        self, low: SemVer | None = None, low_open: bool = False, high: SemVer | None = None, high_open: bool = False
    ) -> None:
        self.low = low
        self.low_open = low_open
        self.high = high
        self.high_open = high_open

    def _key(self) -> tuple[Any, ...]:
        return (self.low, self.low_open, self.high, self.high_open)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        if self.low is None and self.high is None:
            return "*"
        if self.low is not None and self.low == self.high:
            return str(self.low)
        parts = []
        if self.low is not None:
            parts.append(f"{'>' if self.low_open else '>='}{self.low}")
        if self.high is not None:
            parts.append(f"{'<' if self.high_open else '<='}{self.high}")
        return " ".join(parts)

    def holds(self, version: SemVer) -> bool:
        """Is the version between the ends, whatever its pre-release?"""
        if self.low is not None and (version < self.low or (self.low_open and not self.low < version)):
            return False
        return self.high is None or (version < self.high or (not self.high_open and version <= self.high))

    def admits(self, version: SemVer) -> bool:
        """May a pre-release be in here?"""
        if not version.prerelease or (self.low is None and self.high is None):
            return True
        wanted = (version.major, version.minor, version.patch)
        return any(
            end is not None and end.prerelease and (end.major, end.minor, end.patch) == wanted
            for end in (self.low, self.high)
        )

    def is_empty(self) -> bool:
        """Can no version be in here?"""
        if self.low is None or self.high is None:
            return False
        return self.high < self.low or (not self.low < self.high and (self.low_open or self.high_open))

    def meet(self, other: Interval) -> Interval:
        """The versions in both."""
        low, low_open = self.low, self.low_open
        if low is None or (other.low is not None and (low < other.low or (other.low <= low and other.low_open))):
            low, low_open = other.low, other.low_open
        high, high_open = self.high, self.high_open
        if high is None or (other.high is not None and (other.high < high or (high <= other.high and other.high_open))):
            high, high_open = other.high, other.high_open
        return Interval(low, low_open, high, high_open)


NOTHING = Interval(None, False, SemVer(0, 0, 0), True)


def parse_version(text: str) -> SemVer:
    """`1.2.3-rc.1+build`; raises `ConversionError` for anything else."""
    parts = VERSION.fullmatch(text)
    if parts is None:
        raise ConversionError(f"Unable to parse '{text}' as a semantic version identifier")
    return SemVer(int(parts[1]), int(parts[2]), int(parts[3]), parse_prerelease(parts[4]), _build(parts[5]))


def parse_prerelease(text: str | None) -> tuple[str | int, ...]:
    """The identifiers of a pre-release; those of digits alone are numbers."""
    if not text:
        return ()
    identifiers: list[str | int] = []
    for identifier in text.split("."):
        if identifier.isdigit():
            if len(identifier) > 1 and identifier.startswith("0"):
                raise ConversionError("Numeric pre-release identifiers MUST NOT contain leading zeroes")
            identifiers.append(int(identifier))
        else:
            identifiers.append(identifier)
    return tuple(identifiers)


def _build(text: str | None) -> tuple[str, ...]:
    return tuple(text.split(".")) if text else ()


def parse_range(text: str) -> SemVerRange:
    """A range from its text; raises `ConversionError` for what is none."""
    tidy = re.sub(r"([><=~^])(?:\s+|\s*v)", r"\1", text)
    alternatives = re.split(r"\s*\|\|\s*", tidy)
    while alternatives and not alternatives[-1]:
        alternatives.pop()
    if not alternatives:
        return SemVerRange("*", (Interval(),))
    intervals: list[Interval] = []
    for alternative in alternatives:
        hyphen = _HYPHEN.fullmatch(alternative)
        if hyphen is not None:
            low, high = _full(_partial(hyphen[1])), _full(_partial(hyphen[7]))
            interval = Interval(low, False, high, False)
        else:
            interval = Interval()
            for simple in alternative.split():
                interval = interval.meet(_simple(simple, text))
        if interval not in intervals:
            intervals.append(NOTHING if interval.is_empty() else interval)
    return SemVerRange(text, tuple(_join(intervals)))


def between(low: SemVer | None, high: SemVer | None, high_open: bool = False) -> SemVerRange:
    """The range between two versions; Puppet shows the ends of such a range in the wrong order, and so do we."""
    shown_low = "0.0.0-" if low is None else str(low)
    shown_high = "Infinity.0.0" if high is None else str(high)
    text = f">={shown_high} <{shown_low}" if high_open else f"{shown_high} - {shown_low}"
    interval = Interval(low, False, high, high_open)
    return SemVerRange(text, (NOTHING if interval.is_empty() else interval,))


def exactly(version: SemVer) -> SemVerRange:
    """The range of one version."""
    return between(version, version)


Partial = tuple[int | None, int | None, int | None, tuple[str | int, ...], tuple[str, ...]]


def _partial(text: str) -> Partial:
    parts = _PARTIAL.fullmatch(text)
    assert parts is not None

    def digit(part: str | None) -> int | None:
        return None if part is None or part in "xX*" else int(part)

    return digit(parts[1]), digit(parts[2]), digit(parts[3]), parse_prerelease(parts[4]), _build(parts[5])


def _full(partial: Partial) -> SemVer:
    major, minor, patch, prerelease, build = partial
    return SemVer(major or 0, minor or 0, patch or 0, prerelease, build)


def _simple(text: str, whole: str) -> Interval:
    parts = _SIMPLE.fullmatch(text)
    if parts is None:
        raise ConversionError(f'Unparsable version range: "{whole}"')
    operator, partial = parts[1], _partial(parts[2])
    major, minor, patch, _, _ = partial
    if operator in ("~", "~>", "~="):
        return _updates(partial, "patch")
    if operator == "^":
        return _updates(partial, "patch" if major == 0 else "minor")
    if operator == ">":
        if major is None:
            return NOTHING
        if minor is None:
            return Interval(SemVer(major + 1, 0, 0))
        return Interval(SemVer(major, minor + 1, 0)) if patch is None else Interval(_full(partial), True)
    if operator == ">=":
        return Interval(_full(partial))
    if operator == "<":
        return Interval(None, False, _full(partial), True)
    if operator == "<=":
        if major is None:
            return Interval()
        if minor is None:
            return Interval(None, False, SemVer(major + 1, 0, 0), True)
        if patch is None:
            return Interval(None, False, SemVer(major, minor + 1, 0), True)
        return Interval(None, False, _full(partial), False)
    return _updates(partial, "none")


def _updates(partial: Partial, allowed: str) -> Interval:
    """From a version up to the next one that differs in more than what is allowed to change."""
    major, minor, patch, _, _ = partial
    if major is None:
        return Interval()
    if minor is None:
        return Interval(SemVer(major, 0, 0), False, SemVer(major + 1, 0, 0), True)
    next_major, next_minor = SemVer(major + 1, 0, 0), SemVer(major, minor + 1, 0)
    if patch is None:
        return Interval(SemVer(major, minor, 0), False, next_major if allowed == "minor" else next_minor, True)
    version = _full(partial)
    if allowed == "none":
        return Interval(version, False, version, False)
    return Interval(version, False, next_major if allowed == "minor" else next_minor, True)


def includes(range: SemVerRange, version: SemVer) -> bool:
    """Is the version in the range?"""
    return any(interval.holds(version) and interval.admits(version) for interval in range.alternatives)


def _ends(range: SemVerRange) -> Interval | None:
    return range.alternatives[0] if len(range.alternatives) == 1 else None


def covers(wide: SemVerRange, narrow: SemVerRange) -> bool:
    """Is every version of `narrow` in `wide`?  Ranges with alternatives are compared one by one."""
    return all(any(_covers(a, b) for a in wide.alternatives) for b in narrow.alternatives)


def _covers(a: Interval, b: Interval) -> bool:
    if a.low is not None and (b.low is None or b.low < a.low):
        return False
    if a.high is None:
        return True
    return b.high is not None and (b.high < a.high or (b.high <= a.high and (not a.high_open or b.high_open)))


def merge_ranges(ranges: list[SemVerRange]) -> list[SemVerRange]:
    """Ranges that overlap or touch become one, as Puppet puts them together, from the last to the first."""
    result: list[SemVerRange] = []
    while ranges:
        current = ranges.pop()
        apart = []
        for other in ranges:
            both = _merged(current, other)
            if both is None:
                apart.append(other)
            else:
                current = both
        result.append(current)
        ranges = apart
    result.reverse()
    return result


def _merged(a: SemVerRange, b: SemVerRange) -> SemVerRange | None:
    """One range for both, nothing if they have no version in common.

    The end of `a` counts as part of the result where `b` leaves it out and goes as far. A range with alternatives has
    no begin and no end: Puppet fails over it.
    """
    first, second = _ends(a), _ends(b)
    if _holds_begin(a, second) or _holds_begin(b, first):
        if first is None:
            raise TypeProblem("comparison of SemanticPuppet::Version with nil failed")
        if second is None:
            raise TypeProblem("comparison of NilClass with SemanticPuppet::Version failed")
        low = None if first.low is None or second.low is None else min(first.low, second.low)
        if first.high is None or second.high is None:
            return between(low, None)
        high = max(first.high, second.high)
        if first.high_open:
            is_open = high == first.high and (second.high < high or second.high_open)
        else:
            is_open = second.high_open and high == second.high and first.high < high
        return between(low, high, is_open)
    if first is None or second is None:
        return None
    if first.high_open and first.high == second.low:
        return between(first.low, second.high, second.high_open)
    if second.high_open and second.high == first.low:
        return between(second.low, first.high, first.high_open)
    return None


def _holds_begin(range: SemVerRange, other: Interval | None) -> bool:
    """Does the range include the begin of another, which has none if it has alternatives?"""
    if other is None:
        if any(interval.low is None or interval.low != interval.high for interval in range.alternatives):
            raise TypeProblem("A version range with alternatives cannot be combined with another")
        return False
    if other.low is None:
        return any(interval.low is None and interval is not NOTHING for interval in range.alternatives)
    return includes(range, other.low)


def _join(intervals: list[Interval]) -> list[Interval]:
    """Alternatives that overlap or touch become one."""
    result: list[Interval] = []
    for interval in intervals:
        for index, known in enumerate(result):
            both = _union(known, interval)
            if both is not None:
                result[index] = both
                break
        else:
            result.append(interval)
    return _join(result) if len(result) < len(intervals) else result


def _union(a: Interval, b: Interval) -> Interval | None:
    """One interval for both, if they have a version in common or one starts where the other ends."""
    if b.low is None or (a.low is not None and b.low < a.low):
        a, b = b, a
    # Now `a` starts first.
    if a.high is not None and b.low is not None:
        if a.high < b.low or (not b.low < a.high and a.high_open and b.low_open):
            return None
    low_open = a.low_open and (b.low_open or a.low != b.low)
    if a.high is None or b.high is None:
        return Interval(a.low, low_open)
    if a.high < b.high:
        return Interval(a.low, low_open, b.high, b.high_open)
    return Interval(a.low, low_open, a.high, a.high_open and (b.high_open or b.high < a.high))
