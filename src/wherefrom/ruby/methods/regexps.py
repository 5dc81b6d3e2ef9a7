"""Regexp and MatchData, and what String does with them.

`$~` is set through `set_match`: the method leaves it in the interpreter, and the call that ran the method takes it
into the caller's activation; a block sees it at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...base.keys import Symbol
from ..classes import MATCH_DATA, REGEXP, class_name, error, is_string, long_of, method, methods, singleton, text_of
from ..hashing import key_of
from ..interpreter import Interpreter
from ..procs import BlockProc
from ..showing import equal, inspect_regexp, quote, regexp_text, to_s
from ..support import look_up, slice_range
from ..values import MatchData, Range, Regexp, Text, Value, truth
from .objects import Args


def set_match(i: Interpreter, match: MatchData | None, block: object = None) -> None:
    """`$~ = match`"""
    i.globals["$~"] = match
    if isinstance(block, BlockProc):
        block.activation.match = match


def check_text(text: str) -> str:
    """Refuse bytes that are no text, as Ruby's matcher does."""
    if not text.isascii() and any(0xDC80 <= ord(char) <= 0xDCFF for char in text):
        raise error("ArgumentError", "invalid byte sequence in UTF-8")
    return text


def as_pattern(i: Interpreter, value: Value) -> Regexp:
    """A Regexp, or one that matches a String literally."""
    if type(value) is Regexp:
        return value
    if is_string(value):
        return i.regexp(re.sub(r"([\\.*+?()\[\]{}|^$/\-])", r"\\\1", text_of(value)))
    foreign = i.foreign.get(type(value))
    if foreign is not None and foreign.find("to_regexp") is not None:
        pattern: Regexp = i.send(value, "to_regexp")
        return pattern
    shown = {None: "nil", True: "true", False: "false"}[value] if value is None or type(value) is bool else None
    raise error("TypeError", f"wrong argument type {shown or class_name(value)} (expected Regexp)")


def search(i: Interpreter, pattern: Regexp, text: str, start: int = 0) -> MatchData | None:
    """The first match at or after `start`."""
    hit = pattern.pattern.search(check_text(text), start)
    return None if hit is None else MatchData(hit, pattern, text)


def matches(i: Interpreter, pattern: Regexp, text: str) -> Iterator[MatchData]:
    """All matches that do not overlap."""
    check_text(text)
    for count, hit in enumerate(pattern.pattern.finditer(text), 1):
        if count & 255 == 0:
            i.budget.draw("steps", 256, "matching", i.at)
        yield MatchData(hit, pattern, text)


def group_names(value: Regexp | MatchData) -> dict[str, int]:
    """The named groups and their numbers."""
    regexp = value.regexp if isinstance(value, MatchData) else value
    return dict(regexp.pattern.pattern.groupindex)


def group(match: MatchData, which: Value) -> Value:
    """`match[which]`"""
    if isinstance(which, Range):
        return slice_range(_all(match), which)
    if type(which) is Symbol or is_string(which):
        return match.match.group(group_number(match, which))
    number, count = long_of(which), match.regexp.pattern.groups
    if number < 0:  # the whole match has no number from the end
        number += count + 1
        return match.match.group(number) if number > 0 else None
    return match.match.group(number) if number <= count else None


def group_number(match: MatchData, which: Value) -> int:
    """The number of a group that has a name."""
    name = which.name if type(which) is Symbol else text_of(which)
    number = group_names(match).get(name)
    if number is None:
        raise error("IndexError", f"undefined group name reference: {name}")
    return number


_BACKREFERENCE = re.compile(r"\\(?:(\d)|k<(\w+)>|([&`'\\0]))")


def expand(template: str, match: MatchData) -> str:
    r"""A replacement with `\1`, `\k<name>`, `\0`, `\&`, `` \` ``, `\'` and `\\`."""
    if "\\" not in template:
        return template

    def replace(reference: re.Match[str]) -> str:
        digit, name, other = reference.groups()
        if digit is not None:
            number = int(digit)
            if number and group_names(match):
                return ""  # where groups have names, only these and the whole are meant
            return (match.match.group(number) or "") if number <= match.regexp.pattern.groups else ""
        if name is not None:
            place = group_names(match).get(name)
            if place is None:
                raise error("IndexError", f"undefined group name reference: {name}")
            return match.match.group(place) or ""
        if other == "&":
            return str(match.match.group())
        if other == "`":
            return match.text[: match.match.start()]
        if other == "'":
            return match.text[match.match.end() :]
        return "\\"

    return _BACKREFERENCE.sub(replace, template)


def substitute(i: Interpreter, text: str, a: Args, block: Any, everywhere: bool) -> str:
    """`text.sub(...)` and `text.gsub(...)`."""
    is_literal = is_string(a[0])
    if len(a) == 2 and not isinstance(a[1], dict):
        template = text_of(a[1])
    elif len(a) == 1 and block is None:
        raise error("ArgumentError", "wrong number of arguments (given 1, expected 2)")
    else:
        template = None
    if is_literal and template is not None and "\\" not in template:
        i.make_text(len(text) + text.count(text_of(a[0])) * max(0, len(template) - len(text_of(a[0]))))
        return text.replace(text_of(a[0]), template, -1 if everywhere else 1)
    pattern = as_pattern(i, a[0])
    parts: list[str] = []
    at = 0
    total = 0
    last: MatchData | None = None
    for match in matches(i, pattern, text):
        last = match
        parts.append(text[at : match.match.start()])
        if template is not None:
            piece = expand(template, match)
        elif len(a) == 2:
            piece = to_s(i, hash_value(i, a[1], match.match.group()))
        else:
            set_match(i, match, block)
            piece = to_s(i, block.one(match.match.group()))
        parts.append(piece)
        total += len(piece)
        if total > 100_000:
            i.make_text(total)
            total = 0
        at = match.match.end()
        if not everywhere:
            break
    set_match(i, last, block)
    parts.append(text[at:])
    result = "".join(parts)
    i.make_text(len(result))
    return result


def hash_value(i: Interpreter, mapping: object, key: Value) -> Value:
    """`mapping[key]`, defaults included."""
    return look_up(i, mapping, key_of(i, key), key)


def scan(i: Interpreter, text: str, a: Args, block: Any) -> Value:
    """`text.scan(pattern)`"""
    values: list[Value] = []
    last: MatchData | None = None
    for match in matches(i, as_pattern(i, a[0]), text):
        last = match
        item = list(match.match.groups()) if match.regexp.pattern.groups else match.match.group()
        if block is not None:
            set_match(i, match, block)
            block.one(item)
        else:
            values.append(item)
    set_match(i, last, block)
    return text if block is not None else values


def match_method(i: Interpreter, pattern: Value, subject: Value, a: Args, block: Any) -> Value:
    """`pattern.match(subject)`"""
    if subject is None:
        set_match(i, None)
        return None
    text = subject.name if type(subject) is Symbol else text_of(subject)
    start = long_of(a[0]) if a else 0
    match = search(i, as_source(i, pattern), text, start if start >= 0 else len(text) + start)
    set_match(i, match, block)
    return block.one(match) if match is not None and block is not None else match


def as_source(i: Interpreter, value: Value) -> Regexp:
    """A Regexp, or a String read as one (as `match` does)."""
    return i.regexp(text_of(value)) if is_string(value) else as_pattern(i, value)


def test(i: Interpreter, pattern: Value, subject: Value, a: Args) -> bool:
    """`pattern.match?(subject, start)`; sets nothing."""
    if subject is None:
        return False
    text = check_text(subject.name if type(subject) is Symbol else text_of(subject))
    start = long_of(a[0]) if a else 0
    if start:
        start = start + len(text) if start < 0 else start
        return 0 <= start <= len(text) and search(i, as_source(i, pattern), text, start) is not None
    return bool(as_source(i, pattern).pattern.test(text))


# --- Regexp ----------------------------------------------------------------------------------------------------------

_SPECIAL = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\v": "\\v", " ": "\\ "}


def escape(text: str) -> str:
    """`Regexp.escape`"""
    return re.sub(
        r"[\[\]{}()|\-*.\\?+^$# \n\t\r\f\v]",
        lambda character: _SPECIAL.get(character.group(), "\\" + character.group()),
        text,
    )


def _options(value: Value) -> int:
    if type(value) is int:
        return value & 7
    if is_string(value):
        return sum({"i": 1, "x": 2, "m": 4}.get(letter, 0) for letter in set(text_of(value)))
    return 1 if truth(value) else 0


@singleton(REGEXP, "new compile", 1, 3)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if type(a[0]) is Regexp:
        return a[0]
    return i.regexp(text_of(a[0]), _options(a[1]) if len(a) > 1 else 0)


@singleton(REGEXP, "union", 0, -1)
def union(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    values = a[0] if len(a) == 1 and type(a[0]) is list else a
    if not values:
        return i.regexp("(?!)")
    if len(values) == 1 and type(values[0]) is Regexp:
        return values[0]
    parts = [regexp_text(v) if type(v) is Regexp else escape(to_s(i, v)) for v in values]
    return i.regexp("|".join(parts))


@singleton(REGEXP, "last_match", 0, 1)
def last_match(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    match = i.globals.get("$~")
    return match if not a or match is None else group(match, a[0])


methods(REGEXP, 1, 1, {"escape quote": lambda i, s, a, b: escape(text_of(a[0]))}, own=True)


@method(REGEXP, "=~", 1)
def match_operator(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    match = match_method(i, self, a[0], [], None)
    return None if match is None else match.match.start()


def _case(i: Interpreter, pattern: Regexp, value: Value) -> bool:
    if not is_string(value) and type(value) is not Symbol:
        set_match(i, None)
        return False
    return match_method(i, pattern, value, [], None) is not None


methods(
    REGEXP,
    0,
    0,
    {
        "source": lambda i, s, a, b: s.source,
        "to_s": lambda i, s, a, b: regexp_text(s),
        "inspect": lambda i, s, a, b: inspect_regexp(s),
        "options": lambda i, s, a, b: s.options,
        "casefold?": lambda i, s, a, b: bool(s.options & 1),
        "names": lambda i, s, a, b: list(group_names(s)),
        "named_captures": lambda i, s, a, b: {name: [at] for name, at in s.pattern.pattern.groupindex.items()},
        "fixed_encoding?": lambda i, s, a, b: not s.source.isascii(),
    },
)
methods(
    REGEXP,
    1,
    1,
    {
        "===": lambda i, s, a, b: _case(i, s, a[0]),
        "== eql?": lambda i, s, a, b: s == a[0],
    },
)
methods(
    REGEXP,
    1,
    2,
    {
        "match": lambda i, s, a, b: match_method(i, s, a[0], a[1:], b),
        "match?": lambda i, s, a, b: test(i, s, a[0], a[1:]),
    },
)

# --- MatchData -------------------------------------------------------------------------------------------------------


def _offset(match: MatchData, which: Value, end: bool) -> Value:
    number = group_number(match, which) if type(which) is Symbol or is_string(which) else long_of(which)
    if not 0 <= number <= match.regexp.pattern.groups:
        raise error("IndexError", f"index {number} out of matches")
    at = match.match.end(number) if end else match.match.start(number)
    return None if at < 0 else at


def _named(match: MatchData) -> Value:
    return {name: match.match.group(number) for name, number in group_names(match).items()}


def _values_at(i: Interpreter, match: MatchData, a: Args) -> list[Value]:
    """`match.values_at(...)`"""
    values: list[Value] = []
    for which in a:
        values += i.send(_all(match), "values_at", [which]) if isinstance(which, Range) else [group(match, which)]
    return values


def _all(match: MatchData) -> list[Value]:
    return [match.match.group(), *match.match.groups()]


methods(
    MATCH_DATA,
    0,
    0,
    {
        "captures": lambda i, s, a, b: list(s.match.groups()),
        "to_a": lambda i, s, a, b: _all(s),
        "to_s": lambda i, s, a, b: s.match.group(),
        "pre_match": lambda i, s, a, b: s.text[: s.match.start()],
        "post_match": lambda i, s, a, b: s.text[s.match.end() :],
        "string": lambda i, s, a, b: s.text,
        "regexp": lambda i, s, a, b: s.regexp,
        "names": lambda i, s, a, b: list(group_names(s)),
        "size length": lambda i, s, a, b: s.regexp.pattern.groups + 1,
    },
)
methods(
    MATCH_DATA,
    1,
    1,
    {
        "begin": lambda i, s, a, b: _offset(s, a[0], False),
        "end": lambda i, s, a, b: _offset(s, a[0], True),
        "offset": lambda i, s, a, b: [_offset(s, a[0], False), _offset(s, a[0], True)],
        "==": lambda i, s, a, b: isinstance(a[0], MatchData) and s.text == a[0].text and equal(i, _all(s), _all(a[0])),
    },
)
methods(MATCH_DATA, 0, 0, {"named_captures": lambda i, s, a, b: _named(s)})
methods(MATCH_DATA, 0, -1, {"values_at": lambda i, s, a, b: _values_at(i, s, a)})
methods(
    MATCH_DATA,
    1,
    2,
    {"[]": lambda i, s, a, b: group(s, a[0]) if len(a) == 1 else i.send(_all(s), "[]", a)},
)

__all__ = ["Text", "quote"]
