"""Reading and writing lengths and points of time, with the format letters that Puppet takes from Ruby.

A `Timespan` is formatted with `%D %H %M %S %L %N` (the highest letter used counts everything above it as well), a
`Timestamp` with Ruby's `strftime` letters (Ruby 3.1 core reference, Time#strftime and Date._strptime). Years have no
bounds, so the calendar is computed here (Howard Hinnant, "chrono-compatible low-level date algorithms") and not by
Python's `datetime`, which ends in the year 9999.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...base.budget import current
from .type_failures import ConversionError, FormatProblem
from .values import DEFAULT, NANOSECONDS, Timespan, Timestamp, Value

MINUTE = 60 * NANOSECONDS
HOUR = 60 * MINUTE
DAY = 24 * HOUR
MILLISECOND = 1_000_000

# --- lengths of time -------------------------------------------------------------------------------------------------

TIMESPAN_FORMATS = (
    "%D-%H:%M:%S.%-N",
    "%H:%M:%S.%-N",
    "%M:%S.%-N",
    "%S.%-N",
    "%D-%H:%M:%S",
    "%H:%M:%S",
    "%D-%H:%M",
    "%S",
)
_UNITS = {"D": DAY, "H": HOUR, "M": MINUTE, "S": NANOSECONDS, "L": MILLISECOND, "N": 1}
_WIDTHS = {"D": 1, "H": 2, "M": 2, "S": 2, "L": 3, "N": 9}
_ORDER = "NLSMHD"


def read_width(digits: str) -> int:
    """How wide a field is to be, drawn from the budget: a short format can ask for a long text."""
    budget = current()
    if len(digits) > 18:
        budget.over("characters", "writing a time")
    budget.draw("characters", int(digits), "writing a time")
    return int(digits)


class _Segment:
    """A format letter with its padding (`0`, blank or none), width, and whether it counts everything above."""

    __slots__ = ("letter", "pad", "total", "width")

    def __init__(self, letter: str, pad: str | None, width: int | None) -> None:
        self.letter = letter
        self.pad = pad
        self.width = width
        self.total = False

    def value(self, count: float) -> float:
        if self.letter == "N" and self.width is not None and self.width < 9:  # `%6N` counts microseconds
            whole = count // int(10 ** (9 - self.width))
            return whole if self.total else whole % int(10**self.width)
        whole = count // _UNITS[self.letter]
        if self.total or self.letter == "D":
            return whole
        return whole % {"H": 24, "M": 60, "S": 60, "L": 1000, "N": NANOSECONDS}[self.letter]

    def write(self, count: float) -> str:
        exact = self.value(count)
        value = int(exact)
        width = self.width or _WIDTHS[self.letter]
        if self.letter in "LN":
            # Puppet strips zeros of a whole number's digits; a float's do not end in them, for it ends in `.0`
            if not self.total and self.pad != "0" and isinstance(exact, int):
                value = int(str(value).rstrip("0") or "0")
            return str(value) if self.pad is None else str(value).ljust(width)
        if self.pad is None:
            return str(value)
        return str(value).rjust(width) if self.pad == " " else str(value).zfill(width)

    def pattern(self) -> str:
        width = _WIDTHS[self.letter]
        if self.width is None:
            if self.pad == " ":
                return r"\s*([0-9]+)" if self.total else rf"([0-9\s]{{1,{width}}})"
            return "([0-9]+)" if self.total else f"([0-9]{{1,{width}}})"
        if self.pad is None:
            return f"([0-9]{{1,{self.width}}})"
        return f"([0-9]{{{self.width}}})" if self.pad == "0" else rf"([0-9\s]{{{self.width}}})"

    def read(self, text: str) -> int:
        if self.letter in "LN":
            if self.total:
                raise FormatProblem(
                    "Format specifiers %L and %N denotes fractions and must be used together with a specifier "
                    "of higher magnitude"
                )
            missing = 9 - len(text)
            return int(text) if missing <= 0 else int(text) * 10**missing
        return int(text) * _UNITS[self.letter]


def _parse_timespan_format(text: str) -> list[str | _Segment]:
    parts: list[str | _Segment] = []
    at = 0
    while at < len(text):
        if text[at] != "%":
            parts.append(text[at])
            at += 1
            continue
        start, at = at, at + 1
        pad: str | None = "0"
        width = ""
        if text[at : at + 1] in ("-", "_"):
            pad = None if text[at] == "-" else " "
            at += 1
        while at < len(text) and text[at].isdigit():
            width += text[at]
            at += 1
        letter = text[at : at + 1]
        if letter == "%":
            parts.append("%")
        elif letter and letter in _UNITS:
            parts.append(_Segment(letter, pad, read_width(width.lstrip("0")) if width.lstrip("0") else None))
        else:
            position = at if letter else len(text) - 1
            raise FormatProblem(f"Bad format specifier '{text[start:position]}' in '{text}', at position {position}")
        at += 1
    segments = [part for part in parts if isinstance(part, _Segment)]
    if segments:
        highest = max(segments, key=lambda segment: _ORDER.index(segment.letter)).letter
        next(segment for segment in segments if segment.letter == highest).total = True
    return parts


def format_timespan(span: Timespan, format: str = TIMESPAN_FORMATS[0]) -> str:
    """The text of a length of time."""
    return format_nanoseconds(span.nanoseconds, format)


def format_nanoseconds(count: float, format: str = TIMESPAN_FORMATS[0]) -> str:
    """The text of a length of time; the bound of a type (`Timespan[1.5]`) may be a float."""
    parts = [part if isinstance(part, str) else part.write(abs(count)) for part in _parse_timespan_format(format)]
    return ("-" if count < 0 else "") + "".join(parts)


def parse_timespan(text: str, formats: str | Sequence[str] = TIMESPAN_FORMATS) -> Timespan:
    """A length of time from its text, by one format or the first of several that fits."""
    if isinstance(formats, str):
        timespan = _read_timespan(text, formats)
        if timespan is None:
            raise ConversionError(f"Unable to parse '{text}' using format '{formats}'")
        return timespan
    for candidate in formats:
        try:
            timespan = _read_timespan(text, candidate)
        except FormatProblem:
            timespan = None
        if timespan is not None:
            return timespan
    raise ConversionError(f"Unable to parse '{text}' using any of the formats {', '.join(formats)}")


def _read_timespan(text: str, format: str) -> Timespan | None:
    parts = _parse_timespan_format(format)
    pattern = "-?" + "".join(re.escape(part) if isinstance(part, str) else part.pattern() for part in parts)
    match = re.fullmatch(pattern, text)
    if match is None:
        return None
    total = 0
    for group, segment in zip(match.groups(), (part for part in parts if isinstance(part, _Segment))):
        digits = group.lstrip()
        if not digits.isdigit():
            return None
        total += segment.read(digits)
    return Timespan(-total if text.startswith("-") else total)


_FIELDS = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds")


def timespan_from_fields(negative: bool, *counts: int) -> Timespan:
    """A length of time from days, hours, minutes, seconds, milli-, micro- and nanoseconds."""
    units = (DAY, HOUR, MINUTE, NANOSECONDS, MILLISECOND, 1000, 1)
    total = sum(count * unit for count, unit in zip(counts, units))
    return Timespan(-total if negative else total)


def timespan_from_hash(given: dict[Any, Value]) -> Timespan:
    """A length of time from a hash with `string` and `format`, or with the fields by name."""
    if "string" in given:
        return parse_timespan(given["string"], given.get("format") or TIMESPAN_FORMATS)
    return timespan_from_fields(bool(given.get("negative")), *(given.get(unit) or 0 for unit in _FIELDS))


# --- points in time --------------------------------------------------------------------------------------------------

_WITHOUT_ZONE = ("%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F")
_WITH_ZONE = ("%FT%T.%N %Z", "%FT%T %Z", "%F %T.%N %Z", "%F %T %Z", "%F %Z")
TIMESTAMP_FORMATS = _WITH_ZONE + _WITHOUT_ZONE
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split()
_ZONES = {
    "utc": 0,
    "gmt": 0,
    "ut": 0,
    "z": 0,
    "wet": 0,
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
    "akst": -9,
    "hst": -10,
    "bst": 1,
    "cet": 1,
    "cest": 2,
    "met": 1,
    "mest": 2,
    "eet": 2,
    "eest": 3,
    "msk": 3,
    "ist": 5.5,
    "jst": 9,
    "aest": 10,
}


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the Gregorian calendar."""
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


def civil_from_days(days: int) -> tuple[int, int, int]:
    """The date that is `days` after 1970-01-01."""
    days += 719468
    era = days // 146097
    day_of_era = days - era * 146097
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + (3 if shifted < 10 else -9)
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def zone_offset(zone: str) -> int | None:
    """Seconds east of Greenwich, for `+05:30`, `-0800`, `UTC`, `EST`, ...; nothing if the zone is not known."""
    match = re.fullmatch(r"(?:gmt|utc?)?([-+])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?", zone, re.IGNORECASE)
    if match is not None:
        seconds = int(match[2]) * 3600 + int(match[3] or 0) * 60 + int(match[4] or 0)
        return -seconds if match[1] == "-" else seconds
    hours = _ZONES.get(zone.lower())
    return None if hours is None else int(hours * 3600)


def _offset_of(timezone: str) -> int:
    if timezone.lower() == "current":
        from time import localtime

        return localtime().tm_gmtoff
    offset = zone_offset(timezone)
    if offset is None:
        raise ConversionError(f"Illegal timezone '{timezone}'")
    return offset


def parse_timestamp(text: str, formats: str | Sequence[str] | None = None, timezone: Value = None) -> Timestamp:
    """A point in time from its text."""
    has_zone = bool(timezone) and timezone is not DEFAULT
    if formats is None:
        formats = _WITHOUT_ZONE if has_zone else TIMESTAMP_FORMATS
    fields: dict[str, Any] | None = None
    if isinstance(formats, str):
        fields = read_time(text, formats)
        if fields is None or fields["leftover"]:
            raise ConversionError(f"Unable to parse '{text}' using format '{formats}'")
        if has_zone and "zone" in fields:
            raise ConversionError(
                "Using a Timezone designator in format specification is mutually exclusive to providing an explicit "
                "timezone argument"
            )
    else:
        for candidate in formats:
            fields = read_time(text, candidate)
            if fields is not None and not fields["leftover"] and not (has_zone and "zone" in fields):
                break
            fields = None
        if fields is None:
            raise ConversionError(f"Unable to parse '{text}' using any of the formats {', '.join(formats)}")
    return _assemble(fields, timezone if has_zone else fields.get("zone"))


def _assemble(fields: dict[str, Any], zone: str | None) -> Timestamp:
    if "year" not in fields:
        raise ConversionError(
            "no implicit conversion of nil into Integer" if zone else "can't convert nil into an exact number"
        )
    days = days_from_civil(fields["year"], fields.get("month", 1), fields.get("day", 1))
    hour = fields.get("hour", 0)
    seconds = days * 86400 + hour * 3600 + fields.get("minute", 0) * 60 + fields.get("second", 0)
    if zone is not None:
        seconds -= _offset_of(zone)
    return Timestamp(seconds * NANOSECONDS + fields.get("fraction", 0))


def timestamp_from_hash(given: dict[Any, Value]) -> Timestamp:
    """A point in time from a hash with `string`, `format` and `timezone`."""
    return parse_timestamp(given.get("string") or "", given.get("format"), given.get("timezone"))


_NAMES = "|".join(_DAYS) + "|" + "|".join(day[:3] for day in _DAYS)
_MONTH_NAMES = "|".join(_MONTHS) + "|" + "|".join(month[:3] for month in _MONTHS)
_ZONE = r"(?:gmt|utc?)?[-+]\d+(?:[,.:]\d+(?::\d+)?)?|[A-Za-z]+(?:\sdst)?\b"
_READ = {
    "Y": ("year", r"[-+]?\d+"),
    "C": ("century", r"[-+]?\d{1,2}"),
    "y": ("short_year", r"\d{1,2}"),
    "m": ("month", r"\d{1,2}"),
    "B": ("month_name", _MONTH_NAMES),
    "b": ("month_name", _MONTH_NAMES),
    "h": ("month_name", _MONTH_NAMES),
    "d": ("day", r" ?\d{1,2}"),
    "e": ("day", r" ?\d{1,2}"),
    "j": ("day_of_year", r"\d{1,3}"),
    "H": ("hour", r" ?\d{1,2}"),
    "k": ("hour", r" ?\d{1,2}"),
    "I": ("hour12", r" ?\d{1,2}"),
    "l": ("hour12", r" ?\d{1,2}"),
    "M": ("minute", r"\d{1,2}"),
    "S": ("second", r"\d{1,2}"),
    "L": ("fraction", r"\d+"),
    "N": ("fraction", r"\d+"),
    "p": ("half", r"[AaPp]\.?[Mm]\.?"),
    "P": ("half", r"[AaPp]\.?[Mm]\.?"),
    "z": ("zone", _ZONE),
    "Z": ("zone", _ZONE),
    "A": ("", _NAMES),
    "a": ("", _NAMES),
    "u": ("", r"[1-7]"),
    "w": ("", r"[0-6]"),
    "s": ("epoch", r"-?\d+"),
    "n": ("", r"\s+"),
    "t": ("", r"\s+"),
}
_COMPOUND = {
    "F": "%Y-%m-%d",
    "T": "%H:%M:%S",
    "X": "%H:%M:%S",
    "D": "%m/%d/%y",
    "x": "%m/%d/%y",
    "R": "%H:%M",
    "r": "%I:%M:%S %p",
    "c": "%a %b %e %H:%M:%S %Y",
    "v": "%e-%^b-%Y",
    "+": "%a %b %e %H:%M:%S %Z %Y",
}


def read_time(text: str, format: str) -> dict[str, Any] | None:
    """The fields that `format` finds in `text`, with what is left over; nothing if it does not fit."""
    fields: dict[str, object] = {}
    at = 0
    pending = _read_directives(format)
    while pending:
        directive = pending.pop(0)
        if directive[:1] == "%" and len(directive) > 1:
            letter = directive[-1]
            if letter in _COMPOUND:
                pending[:0] = _read_directives(_COMPOUND[letter].replace("^", ""))
                continue
            if letter == "%":
                wanted: tuple[str, str] | None = ("", "%")
            elif letter == "Y" and pending and (pending[0].isdigit() or pending[0][-1] in _NUMERIC):
                wanted = ("year", r"[-+]?\d{1,4}")  # digits follow: a year has four
            else:
                wanted = _READ.get(letter)
            if wanted is None:
                return None
            match = re.compile(wanted[1], re.IGNORECASE).match(text, at)
            if match is None or not _set_field(fields, wanted[0], match[0].strip()):
                return None
            at = match.end()
        elif directive.isspace():
            while at < len(text) and text[at].isspace():
                at += 1
        else:
            if text[at : at + 1] != directive:
                return None
            at += 1
    fields["leftover"] = text[at:]
    return _complete(fields)


_NUMERIC = frozenset("CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy")
"""Letters of directives that begin with digits (Ruby's Date._strptime)."""


def _read_directives(format: str) -> list[str]:
    """The parts of a format for reading, which has no flags and widths: `%-d` is a `%`, a `-` and a `d`."""
    return re.findall(r"%(?:[EO]?[A-Za-z%+]|:{1,3}z)|.", format, re.DOTALL)


_LIMITS = {"month": (1, 12), "day": (1, 31), "hour": (0, 24), "hour12": (1, 12), "minute": (0, 59), "second": (0, 60)}


def _set_field(fields: dict[str, Any], name: str, text: str) -> bool:
    if name == "month_name":
        fields["month"] = [month[:3].lower() for month in _MONTHS].index(text[:3].lower()) + 1
    elif name == "fraction":
        fields["fraction"] = int(text[:9].ljust(9, "0"))
    elif name in ("zone", "half"):
        fields[name] = text
    elif name:
        number = int(text)
        low, high = _LIMITS.get(name, (number, number))
        if not low <= number <= high:
            return False
        fields[name] = number
    return True


def _complete(fields: dict[str, Any]) -> dict[str, object]:
    """Fields that follow from others: a short year, half a day, a day of the year."""
    if "short_year" in fields:
        century = fields.get("century", 19 if fields["short_year"] >= 69 else 20)
        fields["year"] = century * 100 + fields["short_year"]
    if "hour12" in fields:
        late = fields.get("half", "a")[0].lower() == "p"
        fields["hour"] = fields["hour12"] % 12 + (12 if late else 0)
    if "epoch" in fields and "year" not in fields and not fields["leftover"]:
        # Puppet reads seconds since 1970, and then looks for a year
        raise ConversionError("no implicit conversion of nil into Integer")
    if "day_of_year" in fields and "year" in fields:
        days = days_from_civil(fields["year"], 1, 1) + fields["day_of_year"] - 1
        fields["year"], fields["month"], fields["day"] = civil_from_days(days)
    return fields


# --- writing points in time ------------------------------------------------------------------------------------------


def format_timestamp(stamp: Timestamp, format: str = TIMESTAMP_FORMATS[0], timezone: Value = None) -> str:
    """The text of a point in time, in UTC unless a time zone is given."""
    offset = _offset_of(timezone) if timezone and timezone is not DEFAULT else None
    moment = _Moment(stamp.nanoseconds, offset)
    return _DIRECTIVE.sub(moment.write, format)


_DIRECTIVE = re.compile(r"%([-_0^#]*)(\d*)(:{0,3})([EO]?)([A-Za-z%])")
_MODIFIED = {"": None, "E": frozenset("cCxXyY"), "O": frozenset("deHkIlmMSuUVwWy")}
"""What the modifiers of other locales, which change nothing, may stand before."""


class _Moment:
    """The fields of a point in time, for `strftime`."""

    def __init__(self, count: int, offset: int | None) -> None:
        self.epoch = count // NANOSECONDS
        self.fraction = count % NANOSECONDS
        self.offset = offset
        local = self.epoch + (offset or 0)
        self.days, self.rest = divmod(local, 86400)
        self.year, self.month, self.day = civil_from_days(self.days)
        self.hour, self.minute, self.second = self.rest // 3600, self.rest // 60 % 60, self.rest % 60
        self.weekday = (self.days + 4) % 7  # Sunday is 0
        self.year_day = self.days - days_from_civil(self.year, 1, 1) + 1

    def write(self, directive: re.Match[str]) -> str:
        whole = directive[0]
        flags, width, colons, modifier, letter = directive.groups()
        modified = _MODIFIED[modifier]
        if (colons and letter != "z") or (modified is not None and letter not in modified):
            return whole
        number = self.number(letter)
        if number is not None:
            value, size, pad = number
            if "-" in flags:
                text = str(value)
            else:
                pad = " " if "_" in flags else "0" if "0" in flags else pad
                size = read_width(width) if width else size
                text = str(value).rjust(size) if pad == " " else str(value).zfill(size)
        elif letter in "LN":
            digits = read_width(width) if width else (3 if letter == "L" else 9)
            text = f"{self.fraction:09d}".ljust(digits, "0")[:digits]
        elif letter == "z":
            text = self.zone(colons)
        else:
            written = self.text(letter)
            if written is None:
                return whole
            text = written
            if width:
                text = text.zfill(read_width(width)) if "0" in flags else text.rjust(read_width(width))
        if "^" in flags:
            text = text.upper()
        if "#" in flags:
            text = text.lower() if letter in "pZ" else text.upper()
        return text

    def number(self, letter: str) -> tuple[int, int, str] | None:
        """Value, usual width and padding of a numeric field."""
        iso_year, iso_week = self.iso_week()
        simple = {
            "Y": (self.year, 4 if self.year >= 0 else 5, "0"),
            "C": (self.year // 100, 2, "0"),
            "y": (self.year % 100, 2, "0"),
            "m": (self.month, 2, "0"),
            "d": (self.day, 2, "0"),
            "e": (self.day, 2, " "),
            "j": (self.year_day, 3, "0"),
            "H": (self.hour, 2, "0"),
            "k": (self.hour, 2, " "),
            "I": ((self.hour - 1) % 12 + 1, 2, "0"),
            "l": ((self.hour - 1) % 12 + 1, 2, " "),
            "M": (self.minute, 2, "0"),
            "S": (self.second, 2, "0"),
            "s": (self.epoch, 1, "0"),
            "u": (self.weekday or 7, 1, "0"),
            "w": (self.weekday, 1, "0"),
            "G": (iso_year, 4, "0"),
            "g": (iso_year % 100, 2, "0"),
            "V": (iso_week, 2, "0"),
            "U": ((self.year_day + 6 - self.weekday) // 7, 2, "0"),
            "W": ((self.year_day + 6 - (self.weekday - 1) % 7) // 7, 2, "0"),
        }
        return simple.get(letter)

    def iso_week(self) -> tuple[int, int]:
        """Year and number of the week by ISO 8601: weeks start on Monday, the first holds the year's first Thursday."""
        thursday = self.days - (self.weekday - 1) % 7 + 3
        year = civil_from_days(thursday)[0]
        return year, (thursday - days_from_civil(year, 1, 1)) // 7 + 1

    def zone(self, colons: str) -> str:
        offset = self.offset or 0
        sign, size = ("-" if offset < 0 else "+"), abs(offset)
        hours, minutes, seconds = size // 3600, size // 60 % 60, size % 60
        if colons == "::":
            return f"{sign}{hours:02d}:{minutes:02d}:{seconds:02d}"
        if colons == ":::":  # as short as it can be
            rest = f":{minutes:02d}:{seconds:02d}" if seconds else f":{minutes:02d}" if minutes else ""
            return f"{sign}{hours:02d}{rest}"
        return f"{sign}{hours:02d}{':' if colons else ''}{minutes:02d}"

    def text(self, letter: str) -> str | None:
        """A field that is not a number."""
        if letter in _COMPOUND:
            return _DIRECTIVE.sub(self.write, _COMPOUND[letter])
        return {
            "B": _MONTHS[self.month - 1],
            "b": _MONTHS[self.month - 1][:3],
            "h": _MONTHS[self.month - 1][:3],
            "A": _DAYS[self.weekday],
            "a": _DAYS[self.weekday][:3],
            "p": "AM" if self.hour < 12 else "PM",
            "P": "am" if self.hour < 12 else "pm",
            "Z": "UTC" if self.offset is None else "",
            "n": "\n",
            "t": "\t",
            "%": "%",
        }.get(letter)
