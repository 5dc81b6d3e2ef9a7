"""Time, in UTC unless an offset is given: made from numbers, or from the world's clock."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime, timedelta, timezone

from ..classes import COMPARABLE, OBJECT, error, integer_of, is_string, long_of, method, methods, singleton, text_of
from ..errors import NotSupported
from ..interpreter import Interpreter
from ..methods.numbers import is_number
from ..methods.objects import Args
from ..numerals import float_
from ..registry import LIBRARY_CONSTANTS
from ..values import Class, HostObject, Native, Value

TIME = Class("Time", OBJECT)
TIME.included.append(COMPARABLE)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


class Moment(HostObject):
    """A point in time: nanoseconds since 1970, and the offset it is shown in."""

    __slots__ = ("is_utc", "nanoseconds", "offset")
    ruby_class = TIME

    def __init__(self, nanoseconds: int, offset: int = 0, is_utc: bool = True) -> None:
        self.nanoseconds = nanoseconds
        self.offset = offset
        self.is_utc = is_utc

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moment) and other.nanoseconds == self.nanoseconds

    def __hash__(self) -> int:
        return hash(self.nanoseconds)

    @property
    def parts(self) -> datetime:
        """Year to second, as shown."""
        zone = timezone(timedelta(seconds=self.offset))
        seconds = self.nanoseconds // 1_000_000_000
        try:
            return datetime(1970, 1, 1, tzinfo=UTC).astimezone(zone) + timedelta(seconds=seconds)
        except OverflowError:
            raise error("RangeError", "time out of range") from None


def _zone(moment: Moment, colons: str = "") -> str:
    sign = "-" if moment.offset < 0 else "+"
    minutes = abs(moment.offset) // 60
    seconds = f":{abs(moment.offset) % 60:02d}"
    match colons:
        case "::":
            return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}{seconds}"
        case ":::":  # as short as it can be
            rest = seconds if seconds != ":00" else ""
            return f"{sign}{minutes // 60:02d}" + (f":{minutes % 60:02d}{rest}" if minutes % 60 or rest else "")
    return f"{sign}{minutes // 60:02d}{colons}{minutes % 60:02d}"


def _zone_name(moment: Moment) -> str:
    """`%Z`: times with an offset have none; dates have the offset."""
    if moment.ruby_class is TIME:
        return "UTC" if moment.is_utc else ""
    return _zone(moment, ":")


def shown(moment: Moment, fraction: str = "") -> str:
    """`time.to_s`"""
    return f"{moment.parts:%Y-%m-%d %H:%M:%S}{fraction} {'UTC' if moment.is_utc else _zone(moment)}"


def _fraction(moment: Moment) -> str:
    """What `time.inspect` shows behind the seconds."""
    return f".{moment.nanoseconds % 1_000_000_000:09d}".rstrip("0").rstrip(".")


def _rounded(moment: Moment, digits: int) -> Moment:
    """`time.round(digits)`: halves go up."""
    if digits < 0:
        raise error("ArgumentError", "negative ndigits given")
    unit = 10 ** (9 - min(digits, 9))
    return Moment((moment.nanoseconds + unit // 2) // unit * unit, moment.offset, moment.is_utc)


_DIRECTIVE = re.compile(r"%([-0^#_]*)(\d*)(:{0,3})([EO]?)([a-zA-Z%+])")
_NUMBERS = "YCymdejHkIlMSsuwGgVUWQ"
_COMPOUND = "FTXDxRrcv+"
_MODIFIED = {"E": "cCxXyY", "O": "deHkIlmMSuUVwWy"}
"""What the modifiers of other locales, which change nothing, may stand before."""


def formatted(i: Interpreter, moment: Moment, template: str) -> str:
    """`time.strftime(template)`"""
    parts = moment.parts

    def replace(match: re.Match[str]) -> str:
        flags, width, colons, modifier, letter = match.groups()
        if (colons and letter != "z") or (modifier and letter not in _MODIFIED[modifier]):
            return match.group()
        if letter == "z" and (width or set("-_") & set(flags)):
            raise NotSupported("%z with a width or a flag", i.at)
        value = _directive(moment, parts, colons, width, letter)
        if value is None:
            return match.group()
        text, fill, size = value
        padding = next((flag for flag in reversed(flags) if flag in "_0"), "")
        text = str(int(text)) if letter in _NUMBERS else text
        if text and ("-" not in flags or (letter in _COMPOUND and moment.ruby_class is TIME)):
            fill = {"_": " ", "0": "0"}.get(padding, fill)
            text = text.rjust(min(int(width), 1024) if width else size, fill)
        if "#" in flags and letter not in _COMPOUND:
            return text.lower() if letter in "pZ" else text.upper()
        return text.upper() if "^" in flags else text

    text = _DIRECTIVE.sub(replace, template)
    i.make_text(len(text))
    return text


def _directive(moment: Moment, parts: datetime, colons: str, width: str, letter: str) -> tuple[str, str, int] | None:
    """Text, filler and width of one directive."""
    if letter in "+Q" and moment.ruby_class is TIME:
        return None
    if letter == "Q":
        return str(moment.nanoseconds // 1_000_000), "0", 0
    compound = {
        "F": "%4Y-%m-%d", "T": "%H:%M:%S", "X": "%H:%M:%S", "D": "%m/%d/%y", "x": "%m/%d/%y", "R": "%H:%M",
        "r": "%I:%M:%S %p", "c": "%a %b %e %H:%M:%S %4Y", "v": "%e-%^b-%4Y",
        "+": f"%a %b %e %H:%M:%S {_zone(moment, ':')} %4Y",
    }  # fmt: skip
    if letter in compound:
        return (
            parts.strftime(
                compound[letter]
                .replace("%e", f"{parts.day:2d}")
                .replace("%^b", parts.strftime("%b").upper())
                .replace("%4Y", f"{parts.year:04d}")
            ),
            " ",
            0,
        )
    if letter in "YmdHMSjIyUWGVCgu":
        if letter == "Y":
            return str(parts.year), "0", 4
        if letter == "C":
            return str(parts.year // 100), "0", 2
        text = parts.strftime(f"%{letter}")
        return text, "0", len(text)
    hour = parts.hour % 12 or 12
    simple = {
        "e": (str(parts.day), " ", 2), "k": (str(parts.hour), " ", 2), "l": (str(hour), " ", 2),
        "n": ("\n", " ", 0), "t": ("\t", " ", 0), "%": ("%", " ", 0), "P": (parts.strftime("%p").lower(), " ", 0),
        "s": (str(moment.nanoseconds // 1_000_000_000), "0", 0), "Z": (_zone_name(moment), " ", 0),
        "z": (_zone(moment, colons), "0", 0), "w": (str((parts.weekday() + 1) % 7), "0", 1),
        "L": (f"{moment.nanoseconds % 10**9:09d}".ljust(min(int(width or 3), 1024), "0")[: int(width or 3)], "0", 0),
        "N": (f"{moment.nanoseconds % 10**9:09d}".ljust(min(int(width or 9), 1024), "0")[: int(width or 9)], "0", 0),
    }  # fmt: skip
    if letter in simple:
        return simple[letter]
    if letter in "aAbBhp":
        return parts.strftime(f"%{letter}"), " ", 0
    return None


def _local(a: Args) -> tuple[int, bool]:
    return _offset(a[0]) if a else (0, False)


def _moved(moment: Moment, offset: int, is_utc: bool) -> Moment:
    """The very time, shown in another offset from now on."""
    moment.offset, moment.is_utc = offset, is_utc
    return moment


def _offset(value: Value) -> tuple[int, bool]:
    if value is None:
        return 0, True
    if type(value) is int:
        return value, False
    text = text_of(value)
    if text in ("UTC", "Z"):
        return 0, True
    match = re.fullmatch(r"([+-])(\d\d):?(\d\d)", text)
    if match is None:
        raise error("ArgumentError", f'"+HH:MM", "-HH:MM", "UTC" or "A".."I","K".."Z" expected for utc_offset: {text}')
    seconds = int(match[2]) * 3600 + int(match[3]) * 60
    return (-seconds if match[1] == "-" else seconds), False


def make(i: Interpreter, a: Args, offset: Value = None) -> Moment:
    """A time from year to second."""
    values = [1970, 1, 1, 0, 0, 0]
    for at, value in enumerate(a[:6]):
        if value is not None:
            if at == 1 and is_string(value) and text_of(value).lower() in _MONTHS:
                values[at] = _MONTHS.index(text_of(value).lower()) + 1
            else:
                values[at] = int(float_(i, value))
    year, month, day, hour, minute, second = values
    if not (1 <= month <= 12 and 1 <= day <= 31 and 0 <= hour <= 24 and 0 <= minute <= 59 and 0 <= second <= 60):
        raise error("ArgumentError", "argument out of range")
    shift, is_utc = _offset(offset)
    days = min(day, 31)
    seconds = calendar.timegm((year, month, 1, hour, minute, second)) + (days - 1) * 86400 - shift
    fraction = float_(i, a[5]) % 1 if len(a) > 5 and a[5] is not None else 0
    return Moment(seconds * 10**9 + round(fraction * 10**9), shift, is_utc)


def now(i: Interpreter) -> Moment:
    """`Time.now`, as the world's clock says."""
    return Moment(int(i.world.now(i.at) * 10**9))


@singleton(TIME, "now", 0, 1)
def now_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return now(i)


@singleton(TIME, "new", 0, 7)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return make(i, a, a[6] if len(a) > 6 else None) if a else now(i)


@singleton(TIME, "at", 1, 3)
def at(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if isinstance(a[0], Moment):
        return Moment(a[0].nanoseconds)
    number = a[0] if is_number(a[0]) else float_(i, a[0])
    return Moment(number * 10**9 if type(number) is int else round(number * 10**9))


_ISO = re.compile(
    r"\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?\s*\Z"
)


@singleton(TIME, "parse iso8601 xmlschema", 1, 2)
def parse(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    match = _ISO.match(text_of(a[0]))
    if match is None:
        raise error("ArgumentError", f"no time information in {text_of(a[0])!r}".replace("'", '"'))
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    moment = make(
        i,
        [int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0)],
        None if zone in (None, "Z", "UTC", "GMT") else zone,
    )
    moment.nanoseconds += round(float(fraction or 0) * 10**9)
    return moment


def _is_day(weekday: int) -> Native:
    return lambda i, s, a, b: (s.parts.weekday() + 1) % 7 == weekday


methods(TIME, 1, 7, {"utc gm mktime local": lambda i, s, a, b: make(i, a)}, own=True)


@method(TIME, "-", 1)
def minus(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if isinstance(a[0], Moment):
        return (self.nanoseconds - a[0].nanoseconds) / 10**9
    return Moment(self.nanoseconds - round(a[0] * 10**9), self.offset, self.is_utc)


def _iso(moment: Moment, a: Args) -> str:
    digits = integer_of(a[0]) if a else 0
    fraction = f".{moment.nanoseconds % 10**9:09d}"[: digits + 1] if digits else ""
    return f"{moment.parts:%Y-%m-%dT%H:%M:%S}{fraction}{'Z' if moment.is_utc else _zone(moment, ':')}"


methods(
    TIME,
    0,
    0,
    {
        "to_s": lambda i, s, a, b: shown(s),
        "inspect": lambda i, s, a, b: shown(s, _fraction(s)),
        "to_i tv_sec": lambda i, s, a, b: s.nanoseconds // 10**9,
        "to_f": lambda i, s, a, b: s.nanoseconds / 10**9,
        "nsec": lambda i, s, a, b: s.nanoseconds % 10**9,
        "usec": lambda i, s, a, b: s.nanoseconds % 10**9 // 1000,
        "year": lambda i, s, a, b: s.parts.year,
        "month mon": lambda i, s, a, b: s.parts.month,
        "day mday": lambda i, s, a, b: s.parts.day,
        "hour": lambda i, s, a, b: s.parts.hour,
        "min": lambda i, s, a, b: s.parts.minute,
        "sec": lambda i, s, a, b: s.parts.second,
        "wday": lambda i, s, a, b: (s.parts.weekday() + 1) % 7,
        "yday": lambda i, s, a, b: s.parts.timetuple().tm_yday,
        "utc getutc gmtime getgm": lambda i, s, a, b: Moment(s.nanoseconds),
        "utc? gmt?": lambda i, s, a, b: s.is_utc,
        "utc_offset gmt_offset": lambda i, s, a, b: s.offset,
        "zone": lambda i, s, a, b: "UTC" if s.is_utc else None,
        "hash": lambda i, s, a, b: s.nanoseconds,
        "asctime ctime": lambda i, s, a, b: formatted(i, s, "%a %b %e %H:%M:%S %Y"),
        "rfc2822 rfc822": lambda i, s, a, b: formatted(
            i, s, "%a, %d %b %Y %H:%M:%S " + ("-0000" if s.is_utc else "%z")
        ),
        "httpdate": lambda i, s, a, b: formatted(i, Moment(s.nanoseconds), "%a, %d %b %Y %H:%M:%S GMT"),
        "dst? isdst": lambda i, s, a, b: False,
        "tv_usec": lambda i, s, a, b: s.nanoseconds % 10**9 // 1000,
        "tv_nsec": lambda i, s, a, b: s.nanoseconds % 10**9,
        "gmtoff": lambda i, s, a, b: s.offset,
        "to_time": lambda i, s, a, b: s,
        **{
            f"{day}?": _is_day(at)
            for at, day in enumerate(("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"))
        },
    },
)
methods(
    TIME,
    0,
    1,
    {
        "iso8601 xmlschema": lambda i, s, a, b: _iso(s, a),
        "getlocal": lambda i, s, a, b: Moment(s.nanoseconds, *_local(a)),
        "localtime": lambda i, s, a, b: _moved(s, *_local(a)),
        "round": lambda i, s, a, b: _rounded(s, long_of(a[0]) if a else 0),
    },
)
methods(
    TIME,
    1,
    1,
    {
        "+": lambda i, s, a, b: Moment(s.nanoseconds + round(a[0] * 10**9), s.offset, s.is_utc),
        "strftime": lambda i, s, a, b: formatted(i, s, text_of(a[0])),
        "<=>": lambda i, s, a, b: (
            (s.nanoseconds > a[0].nanoseconds) - (s.nanoseconds < a[0].nanoseconds)
            if isinstance(a[0], Moment)
            else None
        ),
        "== eql?": lambda i, s, a, b: s == a[0],
    },
)
TIME.frozen = True
LIBRARY_CONSTANTS["Time"] = TIME
