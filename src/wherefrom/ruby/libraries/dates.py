"""Date and DateTime, as far as functions use them: made from numbers, a text or the world's clock, and written."""

from __future__ import annotations

from datetime import date, datetime

from ..classes import COMPARABLE, OBJECT, error, integer_of, methods, singleton, text_of
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


def _parsed(i: Interpreter, a: Args) -> Moment:
    try:
        datetime.fromisoformat(text_of(a[0]).strip()[:10])
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
    moment = make(i, [*a[:6], *(-4712, 1, 1)[len(a[:3]) :]] if len(a) < 3 else a[:6])
    return DayTime(moment.nanoseconds)


@singleton(DATE_TIME, "parse iso8601", 1, 3)
def parse_date_time(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    moment = _parsed(i, a)
    return DayTime(moment.nanoseconds, moment.offset, moment.is_utc)


def _moved(self: Moment, days: int) -> Moment:
    return type(self)(self.nanoseconds + days * DAY, self.offset, self.is_utc)


def _difference(self: Moment, other: Value) -> Value:
    if isinstance(other, Moment):
        return (self.nanoseconds - other.nanoseconds) // DAY
    return _moved(self, -integer_of(other))


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
        "+": lambda i, s, a, b: _moved(s, integer_of(a[0])),
        "-": lambda i, s, a, b: _difference(s, a[0]),
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
