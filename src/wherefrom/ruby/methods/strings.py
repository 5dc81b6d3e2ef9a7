"""String, without the methods that change it, and Symbol."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from ...base.keys import Symbol
from ..classes import STRING, SYMBOL, error, is_string, long_of, method, methods, singleton, text_of
from ..counting import successor, successors
from ..interpreter import Interpreter
from ..numerals import format_text, to_f, to_i
from ..showing import compare, equal, inspect, name_of, quote, symbol_text, to_s
from ..support import index_range
from ..values import Keywords, Range, Regexp, Text, Value, truth
from .blocks import given_each
from .objects import Args
from .regexps import (
    as_pattern,
    check_text,
    group,
    match_method,
    matches,
    scan,
    search,
    set_match,
    substitute,
    test,
)

BLANKS = " \t\n\v\f\r\0"


# --- case ------------------------------------------------------------------------------------------------------------


def capitalize(text: str) -> str:
    """First letter large, the others small."""
    return _upper(text[:1]) + text[1:].lower()


def _upper(text: str) -> str:
    return text.upper()


# --- parts -----------------------------------------------------------------------------------------------------------


def slice_text(i: Interpreter, text: str, a: Args) -> Value:
    """`text[...]`"""
    first = a[0]
    if len(a) == 2:
        if type(first) is Regexp:
            match = search(i, first, text)
            set_match(i, match)
            return None if match is None else group(match, a[1])
        start, count = long_of(first), long_of(a[1])
        if start < 0:
            start += len(text)
        if start < 0 or start > len(text) or count < 0:
            return None
        return text[start : start + count]
    if type(first) is int or type(first) is float:
        at = long_of(first)
        return text[at] if -len(text) <= at < len(text) else None
    if isinstance(first, Range):
        place = index_range(first, len(text))
        return None if place is None else text[place[0] : place[0] + place[1]]
    if type(first) is Regexp:
        match = search(i, first, text)
        set_match(i, match)
        return None if match is None else match.match.group()
    if not is_string(first):
        long_of(first)
    part = text_of(first)
    return part if part in text else None


def split(i: Interpreter, text: str, a: Args) -> list[Value]:
    """`text.split(pattern, limit)`"""
    pattern = a[0] if a else None
    limit = long_of(a[1]) if len(a) > 1 else 0
    if limit == 1 or not text:
        return [text] if text else []
    if pattern is None or (is_string(pattern) and text_of(pattern) == " "):
        parts = _split_blanks(text, limit)
    elif is_string(pattern) and text_of(pattern):
        check_text(text)
        parts = list(text.split(text_of(pattern), limit - 1 if limit > 0 else -1)) if text else []
    elif is_string(pattern):
        parts = list(text) if limit <= 0 else [*text[: limit - 1], text[limit - 1 :]]
        if limit < 0:
            parts.append("")
        if limit > 0 and len(text) < limit:
            parts = [*text, ""]
    else:
        parts = _split_pattern(i, text, as_pattern(i, pattern), limit)
    i.make_items(len(parts))
    if limit == 0:
        while parts and not parts[-1]:
            parts.pop()
    return parts


def _split_blanks(text: str, limit: int) -> list[Value]:
    parts: list[Value] = []
    at, end = 0, len(text)
    while at < end:
        while at < end and text[at] in BLANKS:
            at += 1
        if at >= end:
            if limit != 0 and parts:
                parts.append("")
            break
        if 0 < limit == len(parts) + 1:
            parts.append(text[at:])
            break
        start = at
        while at < end and text[at] not in BLANKS:
            at += 1
        parts.append(text[start:at])
        if at >= end:
            break
        if at == end - 1 and limit < 0:
            parts.append("")
            break
    return parts


def _split_pattern(i: Interpreter, text: str, pattern: Regexp, limit: int) -> list[Value]:
    parts: list[Value] = []
    if not text:
        return parts
    at = 0
    splits = 0
    for match in matches(i, pattern, text):
        start, end = match.match.start(), match.match.end()
        if 0 < limit <= splits + 1:
            break
        if start == end:
            if start >= len(text) or (start == at == 0 and start == 0 and end == 0):
                if start >= len(text):
                    break
                continue
            if start == at:
                continue
        parts.append(text[at:start])
        parts.extend(part for part in match.match.groups() if part is not None)
        at = end
        splits += 1
    parts.append(text[at:])
    return parts


def lines(text: str, separator: str = "\n", chomp: bool = False) -> list[Value]:
    """`text.lines`"""
    if not text:
        return []
    if not separator:
        return [part.removesuffix("\n") if chomp else part for part in _PARAGRAPH.findall(text)]
    parts = text.split(separator)
    pieces: list[Value] = [part + separator for part in parts[:-1]]
    if parts[-1]:
        pieces.append(parts[-1])
    return [chomped(line, separator) for line in pieces] if chomp else pieces


_PARAGRAPH = re.compile(r"(.+?\n\n|\n\n|.+?\Z)\n*", re.DOTALL)


def chomped(text: str, separator: str | None = "\n") -> str:
    """`text.chomp`"""
    if separator == "\n":
        if text.endswith("\r\n"):
            return text[:-2]
        return text[:-1] if text.endswith(("\n", "\r")) else text
    if separator == "":
        return text.rstrip("\n") if not text.endswith("\r\n") else text.rstrip("\r\n")
    return text.removesuffix(separator) if separator else text


def _line_options(a: Args) -> tuple[str, bool]:
    chomp = False
    if a and isinstance(a[-1], dict):
        chomp = truth(a[-1].get(Symbol("chomp")))
        a = a[:-1]
    return (text_of(a[0]) if a else "\n"), chomp


# --- sets of characters (tr, delete, squeeze, count) -----------------------------------------------------------------


def character_list(i: Interpreter, written: str) -> tuple[bool, list[str]]:
    """Whether a set is negated, and its characters: `a-z`, `^a-z`, `\\-`."""
    negated = len(written) > 1 and written.startswith("^")
    if negated:
        written = written[1:]
    characters: list[str] = []
    at = 0
    while at < len(written):
        char = written[at]
        if char == "\\" and at + 1 < len(written):
            at += 1
            char = written[at]
        if at + 2 < len(written) and written[at + 1] == "-":
            last = written[at + 2]
            if last == "\\" and at + 3 < len(written):
                at += 1
                last = written[at + 2]
            if ord(char) > ord(last):
                raise error("ArgumentError", f'invalid range "{char}-{last}" in string transliteration')
            i.make_items(ord(last) - ord(char))
            characters.extend(chr(code) for code in range(ord(char), ord(last) + 1))
            at += 3
        else:
            characters.append(char)
            at += 1
    return negated, characters


def _member_test(i: Interpreter, sets: Args) -> Any:
    tests = []
    for written in sets:
        negated, characters = character_list(i, text_of(written))
        tests.append((negated, frozenset(characters)))
    return lambda char: all((char in members) is not negated for negated, members in tests)


def translate(i: Interpreter, text: str, source: str, target: str, squeeze: bool = False) -> str:
    """`text.tr(source, target)`"""
    negated, characters = character_list(i, source)
    if not target:
        inside = frozenset(characters)
        return "".join(char for char in text if (char in inside) is negated)
    replacements = character_list(i, "\\" + target if target.startswith("^") else target)[1]
    mapping: dict[str, str] = {}
    if not negated:
        for at, char in enumerate(characters):
            mapping.setdefault(char, replacements[min(at, len(replacements) - 1)])
    inside = frozenset(characters)
    result: list[str] = []
    before = None
    for char in text:
        if negated:
            new = replacements[-1] if char not in inside else None
        else:
            new = mapping.get(char)
        if new is None:
            result.append(char)
            before = None
        elif not squeeze or new != before:
            result.append(new)
            before = new
    return "".join(result)


def delete(i: Interpreter, text: str, a: Args) -> str:
    """`text.delete(set)`"""
    if not a:
        raise error("ArgumentError", "wrong number of arguments (given 0, expected 1+)")
    if not text:  # Ruby does not look at the sets then
        return text
    member = _member_test(i, a)
    return "".join(char for char in text if not member(char))


def counted(i: Interpreter, text: str, a: Args) -> int:
    """`text.count(set)`"""
    if not a:
        raise error("ArgumentError", "wrong number of arguments (given 0, expected 1+)")
    return sum(map(_member_test(i, a), text))


def squeeze(i: Interpreter, text: str, a: Args) -> str:
    """`text.squeeze`"""
    member = _member_test(i, a) if a else lambda char: True
    result: list[str] = []
    for char in text:
        if not (result and result[-1] == char and member(char)):
            result.append(char)
    return "".join(result)


# --- the table -------------------------------------------------------------------------------------------------------


@singleton(STRING, "new", 0, -1)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    a = [value for value in a if type(value) is not Keywords]
    return Text(text_of(a[0]) if a else "")


def multiply(i: Interpreter, text: str, count: int) -> str:
    """`text * count`"""
    if count < 0:
        raise error("ArgumentError", "negative argument")
    i.make_text(len(text) * count)
    return text * count


def pad(i: Interpreter, text: str, a: Args, side: str) -> str:
    """`ljust`, `rjust` and `center`."""
    width = long_of(a[0])
    filler = text_of(a[1]) if len(a) > 1 else " "
    if not filler:
        raise error("ArgumentError", "zero width padding")
    missing = width - len(text)
    if missing <= 0:
        return text
    i.make_text(width)
    left = missing if side == "right" else 0 if side == "left" else missing // 2
    right = missing - left

    def fill(count: int) -> str:
        return (filler * (count // len(filler) + 1))[:count]

    return fill(left) + text + fill(right)


def each_line(i: Interpreter, text: str, a: Args, block: Any) -> Value:
    """`text.each_line`"""
    separator, chomp = _line_options(a)
    return given_each(text, lines(text, separator, chomp), block)


def find_index(i: Interpreter, text: str, a: Args) -> Value:
    """`text.index(pattern, start)`"""
    start = long_of(a[1]) if len(a) > 1 else 0
    if start < 0:
        start += len(text)
    if start < 0 or start > len(text):
        return None
    if is_string(a[0]):
        at = text.find(text_of(a[0]), start)
        return at if at >= 0 else None
    pattern = a[0] if type(a[0]) is Regexp else i.regexp(text_of(a[0]))
    match = search(i, pattern, text, start)
    set_match(i, match)
    return None if match is None else match.match.start()


def find_last_index(i: Interpreter, text: str, a: Args) -> Value:
    """`text.rindex(pattern, start)`"""
    end = long_of(a[1]) if len(a) > 1 else len(text)
    if end < 0:
        end += len(text)
    if end < 0:
        return None
    if is_string(a[0]):
        part = text_of(a[0])
        at = text.rfind(part, 0, end + len(part))
        return at if at >= 0 else None
    for start in range(min(end, len(text)), -1, -1):
        match = search(i, as_pattern(i, a[0]), text, start)
        if match is not None and match.match.start() == start:
            set_match(i, match)
            return start
    return None


def partition(i: Interpreter, text: str, pattern: Value) -> Value:
    """`text.partition(pattern)`"""
    if is_string(pattern):
        return list(text.partition(text_of(pattern))) if text_of(pattern) else ["", "", text]
    match = search(i, as_pattern(i, pattern), text)
    set_match(i, match)
    if match is None:
        return [text, "", ""]
    return [text[: match.match.start()], match.match.group(), text[match.match.end() :]]


def rpartition(i: Interpreter, text: str, pattern: Value) -> Value:
    """`text.rpartition(pattern)`"""
    if is_string(pattern):
        return list(text.rpartition(text_of(pattern))) if text_of(pattern) else [text, "", ""]
    at = find_last_index(i, text, [pattern])
    if at is None:
        return ["", "", text]
    match = i.globals["$~"]
    return [text[:at], match.match.group(), text[match.match.end() :]]


def starts_with(i: Interpreter, text: str, a: Args) -> bool:
    """`text.start_with?(...)`"""
    for value in a:
        if type(value) is Regexp:
            match = search(i, value, text)
            if match is not None and match.match.start() == 0:
                set_match(i, match)
                return True
        elif text.startswith(text_of(value)):
            return True
    return False


def compare_case(i: Interpreter, text: str, other: Value) -> Value:
    """`text.casecmp(other)`: letters of ASCII alone."""

    def fold(part: str) -> str:
        return "".join(char.lower() if char.isascii() else char for char in part)

    return compare(i, fold(text), fold(text_of(other)))


_DIGITS = frozenset("HhBb")
"""Directives of `unpack` that give digits: texts of ASCII."""


def unpack(i: Interpreter, text: str, template: str) -> list[Value]:
    """`text.unpack(...)`: the directives that modules use; texts of `a`, `A`, `Z` and `m` have no encoding."""
    from ..packing import unpack as run

    values = run(text.encode("utf-8", "surrogateescape"), template)
    if not _DIGITS.isdisjoint(template):
        return values
    return [i.binary(value) if type(value) is str else value for value in values]


def encode(i: Interpreter, text: str, a: Args) -> str:
    """`text.encode(...)`: texts are Unicode here, there is the replacing of what is invalid, marks and lines."""
    options = a[-1] if a and isinstance(a[-1], dict) else {}
    replacement = options.get(Symbol("replace"))
    if options.get(Symbol("invalid")) == Symbol("replace") or options.get(Symbol("undef")) == Symbol("replace"):
        text = scrub(text, to_s(i, replacement) if replacement is not None else "\ufffd")
    target = to_s(i, a[0]).upper() if a and not isinstance(a[0], dict) else "UTF-8"
    if truth(options.get(Symbol("universal_newline"))):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if truth(options.get(Symbol("crlf_newline"))):
        text = text.replace("\n", "\r\n")
    mode = options.get(Symbol("xml"))
    if mode is not None:
        text = _marked(text, to_s(i, mode), target in ("US-ASCII", "ASCII"))
        i.make_text(len(text))
    if target in ("US-ASCII", "ASCII") and not text.isascii():
        if options.get(Symbol("undef")) == Symbol("replace"):
            filler = to_s(i, replacement) if replacement is not None else "?"
            return "".join(char if char.isascii() else filler for char in text)
        odd = next(char for char in text if not char.isascii())
        raise error("Encoding::UndefinedConversionError", f"U+{ord(odd):04X} from UTF-8 to US-ASCII")
    return text


def _marked(text: str, mode: str, only_ascii: bool) -> str:
    """A text for XML: `text`, or `attr` in its quotes."""
    if mode not in ("text", "attr"):
        raise error("ArgumentError", f"unexpected value for xml option: {mode}")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if only_ascii:
        text = "".join(char if char.isascii() else f"&#x{ord(char):X};" for char in text)
    return text if mode == "text" else '"' + text.replace('"', "&quot;").replace("'", "&apos;") + '"'


def scrub(text: str, replacement: str) -> str:
    """`text.scrub`"""
    return "".join(replacement if 0xDC80 <= ord(char) <= 0xDCFF else char for char in text)


def is_valid(text: str) -> bool:
    """`text.valid_encoding?`"""
    return text.isascii() or not any(0xDC80 <= ord(char) <= 0xDCFF for char in text)


def _data(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _sum(values: bytes) -> int:
    return sum(values) & 0xFFFF


def _ord(text: str) -> int:
    if not text:
        raise error("ArgumentError", "empty string")
    return ord(text[0])


def _upto(i: Interpreter, text: str, a: Args, block: Any) -> Value:
    values = successors(i, text, text_of(a[0]), len(a) > 1 and truth(a[1]))
    return given_each(text, values, block)


def _percent(i: Interpreter, text: str, value: Value) -> str:
    return format_text(i, text, list(value) if type(value) is list else [value])


def _plus(i: Interpreter, text: str, other: Value) -> str:
    more = text_of(other)
    i.make_text(len(text) + len(more))
    return text + more


def _dig_hex(text: str) -> int:
    return to_i(text, 16)


methods(
    STRING,
    0,
    0,
    {
        "to_s to_str": lambda i, s, a, b: s,
        "inspect": lambda i, s, a, b: quote(s),
        "dump": lambda i, s, a, b: quote(s).encode("ascii", "backslashreplace").decode(),
        "to_sym intern": lambda i, s, a, b: Symbol(s),
        "to_f": lambda i, s, a, b: to_f(s),
        "to_r to_c": lambda i, s, a, b: to_i(s, 10),
        "hex": lambda i, s, a, b: _dig_hex(s),
        "oct": lambda i, s, a, b: (
            to_i(s, 0)
            if not s.lstrip("+- ")[:1].isdigit() or s.lower().lstrip("+- ")[1:2] in tuple("xbod")
            else to_i(s, 8)
        ),
        "each_char": lambda i, s, a, b: given_each(s, s, b),
        "each_byte": lambda i, s, a, b: given_each(s, _data(s), b),
        "length size": lambda i, s, a, b: len(s),
        "bytesize": lambda i, s, a, b: len(_data(s)),
        "bytes": lambda i, s, a, b: list(_data(s)) if b is None else given_each(s, _data(s), b),
        "codepoints": lambda i, s, a, b: [ord(char) for char in s] if b is None else given_each(s, map(ord, s), b),
        "chars": lambda i, s, a, b: list(s) if b is None else given_each(s, s, b),
        "empty?": lambda i, s, a, b: not s,
        "reverse": lambda i, s, a, b: s[::-1],
        "strip": lambda i, s, a, b: s.lstrip(BLANKS).rstrip(BLANKS),
        "lstrip": lambda i, s, a, b: s.lstrip(BLANKS),
        "rstrip": lambda i, s, a, b: s.rstrip(BLANKS),
        "chop": lambda i, s, a, b: s[:-2] if s.endswith("\r\n") else s[:-1],
        "chr": lambda i, s, a, b: s[:1],
        "succ next": lambda i, s, a, b: successor(s),
        "ord": lambda i, s, a, b: _ord(s),
        "sum": lambda i, s, a, b: _sum(_data(s)),
        "ascii_only?": lambda i, s, a, b: s.isascii(),
        "valid_encoding?": lambda i, s, a, b: is_valid(s),
        "b +@ -@ dedup": lambda i, s, a, b: s,
        "hash": lambda i, s, a, b: _crc(s),
        "encoding": lambda i, s, a, b: encoding_named("UTF-8"),
    },
)
methods(
    STRING,
    0,
    -1,
    {
        "upcase": lambda i, s, a, b: s.upper(),
        "downcase": lambda i, s, a, b: s.lower(),
        "capitalize": lambda i, s, a, b: capitalize(s),
        "swapcase": lambda i, s, a, b: s.swapcase(),
        "delete": lambda i, s, a, b: delete(i, s, a),
        "squeeze": lambda i, s, a, b: squeeze(i, s, a),
        "count": lambda i, s, a, b: counted(i, s, a),
        "start_with?": lambda i, s, a, b: starts_with(i, s, a),
        "end_with?": lambda i, s, a, b: any(s.endswith(text_of(value)) for value in a),
        "encode": lambda i, s, a, b: encode(i, s, a),
        "lines": lambda i, s, a, b: lines(s, *_line_options(a)) if b is None else each_line(i, s, a, b),
        "each_line": each_line,
        "unicode_normalize": lambda i, s, a, b: unicodedata.normalize("NFC" if not a else a[0].name.upper(), s),
    },
)
methods(
    STRING,
    1,
    1,
    {
        "+": lambda i, s, a, b: _plus(i, s, a[0]),
        "*": lambda i, s, a, b: multiply(i, s, long_of(a[0])),
        "%": lambda i, s, a, b: _percent(i, s, a[0]),
        "== ===": lambda i, s, a, b: equal(i, s, a[0]),
        "eql?": lambda i, s, a, b: is_string(a[0]) and equal(i, s, a[0]),
        "<=>": lambda i, s, a, b: compare(i, s, a[0]),
        "casecmp": lambda i, s, a, b: compare_case(i, s, a[0]) if is_string(a[0]) else None,
        "casecmp?": lambda i, s, a, b: s.casefold() == text_of(a[0]).casefold() if is_string(a[0]) else None,
        "include?": lambda i, s, a, b: text_of(a[0]) in s,
        "delete_prefix": lambda i, s, a, b: s.removeprefix(text_of(a[0])),
        "delete_suffix": lambda i, s, a, b: s.removesuffix(text_of(a[0])),
        "partition": lambda i, s, a, b: partition(i, s, a[0]),
        "rpartition": lambda i, s, a, b: rpartition(i, s, a[0]),
        "unpack": lambda i, s, a, b: unpack(i, s, text_of(a[0])),
        "unpack1": lambda i, s, a, b: (unpack(i, s, text_of(a[0])) or [None])[0],
        "getbyte": lambda i, s, a, b: _data(s)[a[0]] if a[0] < len(_data(s)) else None,
        "scan": scan,
        "crypt": lambda i, s, a, b: _crypt(i, s, a[0]),
    },
)
methods(
    STRING,
    1,
    2,
    {
        "[] slice": lambda i, s, a, b: slice_text(i, s, a),
        "byteslice": lambda i, s, a, b: _byteslice(s, a),
        "sub": lambda i, s, a, b: substitute(i, s, a, b, False),
        "gsub": lambda i, s, a, b: substitute(i, s, a, b, True),
        "match": lambda i, s, a, b: match_method(i, a[0], s, a[1:], b),
        "match?": lambda i, s, a, b: test(i, a[0], s, a[1:]),
        "index": lambda i, s, a, b: find_index(i, s, a),
        "rindex": lambda i, s, a, b: find_last_index(i, s, a),
        "ljust": lambda i, s, a, b: pad(i, s, a, "left"),
        "rjust": lambda i, s, a, b: pad(i, s, a, "right"),
        "center": lambda i, s, a, b: pad(i, s, a, "center"),
        "upto": _upto,
    },
)
methods(
    STRING,
    2,
    2,
    {
        "tr": lambda i, s, a, b: translate(i, s, text_of(a[0]), text_of(a[1])),
        "tr_s": lambda i, s, a, b: translate(i, s, text_of(a[0]), text_of(a[1]), True),
    },
)
methods(
    STRING,
    0,
    2,
    {
        "split": lambda i, s, a, b: split(i, s, a) if b is None else given_each(s, split(i, s, a), b),
        "to_i": lambda i, s, a, b: to_i(s, a[0] if a else 10),
        "chomp": lambda i, s, a, b: chomped(s, None if a and a[0] is None else text_of(a[0]) if a else "\n"),
        "scrub": lambda i, s, a, b: scrub(s, text_of(a[0]) if a else "\ufffd"),
    },
)


@method(STRING, "=~", 1)
def match_operator(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if is_string(a[0]):
        raise error("TypeError", "type mismatch: String given")
    match = match_method(i, a[0], self, [], None) if type(a[0]) is Regexp else i.send(a[0], "=~", [self])
    return match.match.start() if hasattr(match, "match") else match


def _crypt(i: Interpreter, text: str, salt: Value) -> Value:
    from ..libraries.crypt import crypt

    return i.binary(crypt(i, text, salt))


def _crc(text: str) -> int:
    import zlib

    return zlib.crc32(_data(text))


def _byteslice(text: str, a: Args) -> Value:
    data = _data(text)
    if isinstance(a[0], Range):
        place = index_range(a[0], len(data))
        return None if place is None else data[place[0] : place[0] + place[1]].decode("utf-8", "surrogateescape")
    start = a[0] if a[0] >= 0 else a[0] + len(data)
    count = a[1] if len(a) > 1 else 1
    return data[start : start + count].decode("utf-8", "surrogateescape") if 0 <= start <= len(data) else None


def encoding_named(name: str) -> Value:
    """An Encoding object."""
    from ..libraries.small import encoding

    return encoding(name)


# --- Symbol ----------------------------------------------------------------------------------------------------------

methods(
    SYMBOL,
    0,
    0,
    {
        "to_s id2name name": lambda i, s, a, b: s.name,
        "to_sym": lambda i, s, a, b: s,
        "inspect": lambda i, s, a, b: symbol_text(s.name),
        "to_proc": lambda i, s, a, b: _symbol_proc(i, s.name),
        "length size": lambda i, s, a, b: len(s.name),
        "empty?": lambda i, s, a, b: not s.name,
        "succ next": lambda i, s, a, b: Symbol(successor(s.name)),
    },
)
methods(
    SYMBOL,
    0,
    -1,
    {
        "upcase": lambda i, s, a, b: Symbol(s.name.upper()),
        "downcase": lambda i, s, a, b: Symbol(s.name.lower()),
        "capitalize": lambda i, s, a, b: Symbol(capitalize(s.name)),
        "swapcase": lambda i, s, a, b: Symbol(s.name.swapcase()),
        "[] slice": lambda i, s, a, b: slice_text(i, s.name, a),
        "start_with?": lambda i, s, a, b: starts_with(i, s.name, a),
        "end_with?": lambda i, s, a, b: any(s.name.endswith(text_of(value)) for value in a),
        "match": lambda i, s, a, b: match_method(i, a[0], s, a[1:], b),
        "match?": lambda i, s, a, b: test(i, a[0], s, a[1:]),
    },
)
methods(
    SYMBOL,
    1,
    1,
    {
        "== === eql? equal?": lambda i, s, a, b: type(a[0]) is Symbol and s == a[0],
        "<=>": lambda i, s, a, b: compare(i, s, a[0]),
        "=~": lambda i, s, a, b: match_operator(i, s.name, a, b),
        "casecmp": lambda i, s, a, b: compare_case(i, s.name, a[0].name) if type(a[0]) is Symbol else None,
        "casecmp?": lambda i, s, a, b: s.name.casefold() == a[0].name.casefold() if type(a[0]) is Symbol else None,
    },
)


def _symbol_proc(i: Interpreter, name: str) -> Value:
    from ..calling import symbol_proc

    return symbol_proc(i, name)


__all__ = ["inspect", "name_of", "re"]
