"""Date and DateTime, as far as functions use them: made from numbers, a text or the world's clock, and written."""

from __future__ import annotations

import re
from datetime import date, datetime

from ..classes import COMPARABLE, OBJECT, error, integer_of, is_string, methods, singleton, text_of
from ..errors import NotSupported
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..registry import LIBRARY_CONSTANTS
from ..values import Class, Value
from .times import Moment, formatted, make, now
from .times import parse as parse_time

DATE = Class("Date", OBJECT)
DATE.included.append(COMPARABLE)
DATE_TIME = Class("DateTime", DATE)
DAY = 86_400 * 10**9


class Day(Moment):
    """A day of the calendar: its first moment."""

    __slots__ = ()
    ruby_class = DATE


class DayTime(Moment):
    """A day with a time of it."""

    __slots__ = ()
    ruby_class = DATE_TIME


def _day(moment: Moment) -> Day:
    shifted = moment.nanoseconds + moment.offset * 10**9
    return Day(shifted - shifted % DAY)


def _is_valid(a: Args) -> bool:
    try:
        date(*(integer_of(part) for part in a[:3]))
    except (ValueError, OverflowError):
        return False
    return True


@singleton(DATE, "new civil", 0, 4)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    values = [*a[:3], *(-4712, 1, 1)[len(a[:3]) :]]
    if not _is_valid(values):
        raise error("Date::Error", "invalid date")
    return _day(make(i, values))


@singleton(DATE, "today", 0, 1)
def today(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return _day(now(i))


_ISO = re.compile(r"\s*\d{4}-\d\d-\d\d")
_DATED = re.compile(r"\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat", re.IGNORECASE)
"""Where Ruby may find a date in a text, however it is written."""


def _parsed(i: Interpreter, a: Args) -> Moment:
    if len(a) > 1 and is_string(a[1]):
        raise NotSupported("reading a date by a format", i.at)
    text = text_of(a[0])
    if not _ISO.match(text) and _DATED.search(text):
        raise NotSupported(f"reading the date '{text}'", i.at)
    try:
        datetime.fromisoformat(text.strip()[:10])
        moment: Moment = parse_time(i, None, a[:1], None)
    except Exception as problem:
        if isinstance(problem, ValueError) or hasattr(problem, "exception"):
            raise error("Date::Error", "invalid date") from None
        raise
    return moment


@singleton(DATE, "parse iso8601 strptime", 1, 3)
def parse(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return _day(_parsed(i, a))


methods(DATE, 1, 4, {"valid_date? valid_civil?": lambda i, s, a, b: len(a) > 2 and _is_valid(a)}, own=True)


@singleton(DATE_TIME, "now", 0, 1)
def now_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return DayTime(now(i).nanoseconds)


@singleton(DATE_TIME, "new civil", 0, 7)
def new_time(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    offset = a[6] if len(a) > 6 else None
    if not (offset is None or offset == 0 or is_string(offset)):
        raise NotSupported("a DateTime whose offset is a number", i.at)
    moment = make(
        i,
        [*a[:6], *(-4712, 1, 1)[len(a[:3]) :]] if len(a) < 3 else a[:6],
        offset if is_string(offset) else None,
    )
    return DayTime(moment.nanoseconds, moment.offset, moment.is_utc)


@singleton(DATE_TIME, "parse iso8601", 1, 3)
def parse_date_time(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    moment = _parsed(i, a)
    return DayTime(moment.nanoseconds, moment.offset, moment.is_utc)


def _moved(i: Interpreter, self: Moment, days: Value, sign: int) -> Moment:
    """So many days later or, if `sign` is -1, earlier."""
    if type(days) is float and not days.is_integer():
        if type(self) is Day:
            raise NotSupported("a Date with a part of a day", i.at)
        return type(self)(self.nanoseconds + sign * round(days * DAY), self.offset, self.is_utc)
    return type(self)(self.nanoseconds + sign * integer_of(days) * DAY, self.offset, self.is_utc)


def _difference(i: Interpreter, self: Moment, other: Value) -> Value:
    if not isinstance(other, Moment):
        return _moved(i, self, other, -1)
    days, rest = divmod(self.nanoseconds - other.nanoseconds, DAY)
    if rest:
        raise NotSupported("a difference of parts of days, which is a Rational", i.at)
    return days


methods(
    DATE,
    0,
    0,
    {
        "to_s iso8601 xmlschema": lambda i, s, a, b: formatted(
            i, s, "%Y-%m-%d" if type(s) is Day else "%Y-%m-%dT%H:%M:%S%:z"
        ),
        "year": lambda i, s, a, b: s.parts.year,
        "month mon": lambda i, s, a, b: s.parts.month,
        "day mday": lambda i, s, a, b: s.parts.day,
        "hour": lambda i, s, a, b: s.parts.hour,
        "minute min": lambda i, s, a, b: s.parts.minute,
        "second sec": lambda i, s, a, b: s.parts.second,
        "wday": lambda i, s, a, b: (s.parts.weekday() + 1) % 7,
        "yday": lambda i, s, a, b: s.parts.timetuple().tm_yday,
        "to_date": lambda i, s, a, b: _day(s),
        "to_time": lambda i, s, a, b: Moment(s.nanoseconds),
        "hash": lambda i, s, a, b: s.nanoseconds,
        "leap?": lambda i, s, a, b: s.parts.year % 4 == 0 and (s.parts.year % 100 != 0 or s.parts.year % 400 == 0),
    },
)
methods(
    DATE,
    1,
    1,
    {
        "strftime": lambda i, s, a, b: formatted(i, s, text_of(a[0])),
        "+": lambda i, s, a, b: _moved(i, s, a[0], 1),
        "-": lambda i, s, a, b: _difference(i, s, a[0]),
        "<=>": lambda i, s, a, b: (
            (s.nanoseconds > a[0].nanoseconds) - (s.nanoseconds < a[0].nanoseconds)
            if isinstance(a[0], Moment)
            else None
        ),
        "== eql?": lambda i, s, a, b: s == a[0],
    },
)
DATE.frozen = DATE_TIME.frozen = True
LIBRARY_CONSTANTS["Date"] = DATE
LIBRARY_CONSTANTS["DateTime"] = DATE_TIME
