"""The methods of String that change it in place; they receive the `Text` itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wherefrom.ruby.methods.strings as s

from ...base.keys import Symbol
from ..classes import STRING, error, is_string, long_of, method, methods, text_of
from ..counting import successor
from ..interpreter import Interpreter
from ..showing import quote
from ..support import index_range
from ..values import MatchData, Range, Regexp, Text, Value
from .objects import Args
from .regexps import group_number, search, set_match, substitute


def writable(text: Text) -> Text:
    """Refuse to change a frozen string."""
    if text.frozen:
        raise error("FrozenError", f"can't modify frozen String: {quote(text.value)}", receiver=text)
    return text


def change(text: Text, new: str) -> Value:
    """Put the new text in; nil if nothing changed."""
    writable(text)
    if text.value == new:
        return None
    text.value = new
    return text


def append(i: Interpreter, self: Text, a: Args) -> Text:
    """`self << value`"""
    writable(self)
    for value in a:
        more = chr(value) if type(value) is int else text_of(value)
        i.make_text(len(self.value) // 16 + len(more))
        if len(self.value) + len(more) > 100_000_000:
            i.make_text(len(self.value) + len(more))
        self.value += more
    return self


@method(STRING, "[]=", 2, 3, mutates=True)
def store(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(self)
    text = self.value
    start, end = _place(i, text, a[:-1], a[-1])
    new = text_of(a[-1])
    self.value = text[:start] + new + text[end:]
    return a[-1]


def _place(i: Interpreter, text: str, a: Args, new: Value = "") -> tuple[int, int]:
    """Where a part of a text begins and ends.  By number, what is put there is looked at first: it is a text."""
    first = a[0]
    if len(a) == 2 and type(first) is not Regexp:
        start, count = long_of(first), long_of(a[1])
        if count < 0:
            raise error("IndexError", f"negative length {count}")
        text_of(new)
        begin = start + len(text) if start < 0 else start
        if begin < 0 or begin > len(text):
            raise error("IndexError", f"index {start} out of string")
        return begin, min(len(text), begin + count)
    if type(first) is int or type(first) is float:
        first = long_of(first)
        text_of(new)
        if not -len(text) <= first < len(text):
            raise error("IndexError", f"index {first} out of string")
        begin = first % len(text)
        return begin, begin + 1
    if isinstance(first, Range):
        place = index_range(first, len(text))
        if place is None:
            raise error("RangeError", f"{i.send(first, 'to_s')} out of range")
        return place[0], place[0] + place[1]
    if type(first) is Regexp:
        match = search(i, first, text)
        set_match(i, match)
        if match is None:
            raise error("IndexError", "regexp not matched")
        span: tuple[int, int] = match.match.span(_group(match, a[1]) if len(a) == 2 else 0)
        return span
    if not is_string(first):
        long_of(first)
    at = text.find(text_of(first))
    if at < 0:
        raise error("IndexError", "string not matched")
    return at, at + len(text_of(first))


def _group(match: MatchData, which: Value) -> int:
    """The number of a group that is to be replaced: it has to be there."""
    if is_string(which) or type(which) is Symbol:
        number = group_number(match, which)
    else:
        number = given = long_of(which)
        count = match.regexp.pattern.groups
        if not -count <= given <= count:
            raise error("IndexError", f"index {given} out of regexp")
        number += count + 1 if given < 0 else 0
    if match.match.start(number) < 0:
        raise error("IndexError", f"regexp group {number} not matched")
    return number


@method(STRING, "slice!", 1, 2, mutates=True)
def slice_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(self)
    result = s.slice_text(i, self.value, a)
    if result is not None:
        start, end = _place(i, self.value, a)
        self.value = self.value[:start] + self.value[end:]
    return result


@method(STRING, "replace initialize_copy", 1, mutates=True)
def replace(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(self).value = text_of(a[0])
    return self


@method(STRING, "clear", 0, mutates=True)
def clear(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(self).value = ""
    return self


@method(STRING, "insert", 2, mutates=True)
def insert(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(self)
    at, more = long_of(a[0]), text_of(a[1])
    length = len(self.value)
    if not -length - 1 <= at <= length:
        raise error("IndexError", f"index {at} out of string")
    at = at + length + 1 if at < 0 else at
    self.value = self.value[:at] + more + self.value[at:]
    return self


@method(STRING, "prepend", 0, -1, mutates=True)
def prepend(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(self).value = "".join(map(text_of, a)) + self.value
    return self


def _changing(low: int, high: int, table: dict[str, Callable[[Interpreter, str, Args, Any], str]]) -> None:
    """`x!` for every `x`: nil if nothing changes."""
    for name, function in table.items():

        def run(i: Interpreter, self: Value, a: Args, block: Any, function: Any = function) -> Value:
            return change(self, function(i, self.value, a, block))

        methods(STRING, low, high, {name: run}, mutates=True)


_changing(
    0,
    -1,
    {
        "upcase!": lambda i, t, a, b: t.upper(),
        "downcase!": lambda i, t, a, b: t.lower(),
        "capitalize!": lambda i, t, a, b: s.capitalize(t),
        "swapcase!": lambda i, t, a, b: t.swapcase(),
        "strip!": lambda i, t, a, b: t.strip(s.BLANKS),
        "lstrip!": lambda i, t, a, b: t.lstrip(s.BLANKS),
        "rstrip!": lambda i, t, a, b: t.rstrip(s.BLANKS),
        "chomp!": lambda i, t, a, b: s.chomped(t, text_of(a[0]) if a else "\n"),
        "chop!": lambda i, t, a, b: t[:-1],
        "squeeze!": lambda i, t, a, b: s.squeeze(i, t, a),
        "delete!": lambda i, t, a, b: s.delete(i, t, a),
    },
)
_changing(
    1,
    2,
    {
        "sub!": lambda i, t, a, b: substitute(i, t, a, b, False),
        "gsub!": lambda i, t, a, b: substitute(i, t, a, b, True),
    },
)
_changing(
    2,
    2,
    {
        "tr!": lambda i, t, a, b: s.translate(i, t, text_of(a[0]), text_of(a[1])),
        "tr_s!": lambda i, t, a, b: s.translate(i, t, text_of(a[0]), text_of(a[1]), True),
    },
)
_changing(
    1,
    1,
    {
        "delete_prefix!": lambda i, t, a, b: t.removeprefix(text_of(a[0])),
        "delete_suffix!": lambda i, t, a, b: t.removesuffix(text_of(a[0])),
    },
)


def _always(i: Interpreter, text: Text, new: str) -> Value:
    writable(text).value = new
    return text


methods(
    STRING,
    0,
    -1,
    {
        "<< concat append_as_bytes": lambda i, t, a, b: append(i, t, a),
        "reverse!": lambda i, t, a, b: _always(i, t, t.value[::-1]),
        "succ! next!": lambda i, t, a, b: _always(i, t, successor(t.value)),
        "force_encoding": lambda i, t, a, b: t,
        "encode!": lambda i, t, a, b: _always(i, t, s.encode(i, t.value, a)),
        "scrub!": lambda i, t, a, b: _always(i, t, s.scrub(t.value, text_of(a[0]) if a else "\ufffd")),
        "unicode_normalize!": lambda i, t, a, b: t,
        "freeze": lambda i, t, a, b: _freeze(t),
    },
    mutates=True,
)


def _freeze(text: Text) -> Text:
    text.frozen = True
    return text
