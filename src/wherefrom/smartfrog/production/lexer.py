"""From characters to tokens, at level production.

Works as the core's lexer does: one regular expression, each match is white space and comments followed by one token,
and what is wrong becomes a token too. Names may hold `. _ - + @ # ~ $ % ^ &`, so operators need blanks around them. A
`\\uXXXX` may stand in names and strings.
"""

from __future__ import annotations

import re

from ...base.diagnostics import Diagnostic
from ...base.patterns import compiled
from ...base.source import SourceFile
from ..errors import BadCharacter, BadEscape, BadNumber, UnterminatedComment, UnterminatedString
from ..lexer import MAX_ERRORS, Tokens
from .values import INTEGERS, LONGS, ByteArray, Float, Long

NAME, NUMBER, STRING, MARK, INCLUDE, END, OPEN_STRING, OPEN_COMMENT, BYTES, OTHER = range(1, 11)
"""Kinds of tokens; those that the core has too have the core's numbers."""

RESERVED = frozenset(
    "APPLY ASSERT ATTRIB CONSTANT DATA ELSE ENDSWITCH ENVPROPERTY FI HERE HOST IENVPROPERTY IF IPROPERTY LAZY NULL "
    "OPTIONAL PARENT PROCESS PROPERTY ROOT SWITCH TBD THEN THIS VAR extends false true".split()
)

_LETTER = r"A-Za-z_$\u00a2-\u00a5\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff"
_UNICODE = r"\\u+[0-9a-fA-F]{4}"
_TOKEN = compiled(
    rf"""(?:[ \t\r\n\f]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+
    (?: (?!x\|)((?:[{_LETTER}]|{_UNICODE})(?:[{_LETTER}0-9.\-+@#~%^&]++|{_UNICODE})*+)
      | (-?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+[dDfFlL]?+)
      | ("(?:[^"\\\n\r]++|\\[^\n\r])*+" | \#\#(?:[^#\\]++|\\[\s\S])*+\#)
      | (\[\||\|\]|\|\||x\||\+\+|--|->|<>|==|!=|>=|<=|&&|[{{}}\[\]();:,+\-*/%<>!])
      | (\#include\b\??|\#codebase\b)
      | (\Z)
      | ("[^\n]*+|\#\#[\s\S]*+)
      | (/\*[\s\S]*+)
      | (\#(?:HEX|DEC|OCT|BIN|B64)\#[^#]*+\#)
      | (\#\w*+|[\s\S]) )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-3][0-7][0-7]|[\s\S])")
_ESCAPES = {'"': '"', "\\": "\\", "'": "'", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HELP = {"'": "strings are in double quotes", "#": "the directives are `#include`, `#include?` and `#codebase`"}
_WIDTHS = {"HEX": (2, 16), "DEC": (3, 10), "OCT": (3, 8), "BIN": (8, 2)}


def tokenize(source: SourceFile) -> tuple[Tokens, list[Diagnostic]]:
    """The tokens of `source`, and what is wrong with its characters."""
    kinds: list[int] = []
    texts: list[str] = []
    starts: list[int] = []
    for match in _TOKEN.finditer(source.text):
        kind = match.lastindex
        assert kind is not None  # every alternative is a group
        kinds.append(kind)
        texts.append(match[kind])
        starts.append(match.start(kind))
        if kind == END:
            break
    problems: list[Diagnostic] = []
    tokens = Tokens(source, kinds, texts, starts)
    if OPEN_STRING in kinds or OPEN_COMMENT in kinds or OTHER in kinds:
        return _mend(tokens, problems), problems
    return tokens, problems


def _mend(tokens: Tokens, problems: list[Diagnostic]) -> Tokens:
    """Report the tokens that are none, and leave out or close them so that parsing can go on."""
    source = tokens.source
    mended = Tokens(source, [], [], [])
    for kind, text, start in zip(tokens.kinds, tokens.texts, tokens.starts, strict=True):
        if kind == OPEN_STRING:
            shown = text.removesuffix("\r") if text[0] == '"' else text[:2]
            problems.append(UnterminatedString(source.span(start, start + len(shown))))
            kind, text = STRING, '""'
        elif kind == OPEN_COMMENT:
            problems.append(UnterminatedComment(source.span(start, start + 2)))
            continue
        elif kind == OTHER:
            if len(problems) < MAX_ERRORS:
                problems.append(BadCharacter(text[0], source.span(start, start + len(text)), _HELP.get(text[0])))
            continue
        mended.kinds.append(kind)
        mended.texts.append(text)
        mended.starts.append(start)
    return mended


def name_value(text: str) -> str:
    """What a name means."""
    return text if "\\" not in text else re.sub(_UNICODE, lambda match: chr(int(match[0][-4:], 16)), text)


def number_value(text: str, source: SourceFile, start: int) -> int | float:
    """What a number means.  Raises `BadNumber`."""
    if text.isdigit() and len(text) < 10:
        return int(text)
    span = source.span(start, start + len(text))
    kind = text[-1].lower() if text[-1].isalpha() else ""
    digits = text[:-1] if kind else text
    if kind in ("d", "f"):
        value = float(digits)
        return value if kind == "d" else Float(value)
    if not digits.lstrip("-").isdigit():
        if kind == "l":
            raise BadNumber(text, "a long must be an integer", span)
        if "e" in digits.lower():
            raise BadNumber(text, f"with an exponent it needs a suffix: `{text}D`", span)
        return float(digits)
    low, high = LONGS if kind else INTEGERS
    whole = int(digits) if len(digits) < 25 else high + 1
    if not low <= whole <= high:
        raise BadNumber(text, f"more than {63 if kind else 31} bits" + ("" if kind else f": write `{text}L`"), span)
    return Long(whole) if kind else whole


def string_value(text: str, source: SourceFile, start: int) -> str:
    """What a string (with what stands around it) means.  Raises `BadEscape`."""
    opening = 2 if text[0] == "#" else 1
    inside = text[opening:-1]
    if "\\" not in inside:
        return inside

    def replace(match: re.Match[str]) -> str:
        escape = match[1]
        if escape[0] == "u" and len(escape) > 4:
            return chr(int(escape[-4:], 16))
        if len(escape) == 3:
            return chr(int(escape, 8))
        if escape in _ESCAPES or escape == text[0]:
            return _ESCAPES.get(escape, escape)
        at = start + opening + match.start()
        raise BadEscape(
            match[0], source.span(at, at + len(match[0])), "\\\" \\\\ \\' \\b \\f \\n \\r \\t \\101 \\uXXXX"
        )

    value = _ESCAPE.sub(replace, inside)
    try:
        return value.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise BadEscape(None, source.span(start, start + len(text))) from None


def bytes_value(text: str, source: SourceFile, start: int) -> ByteArray:
    """What an array of bytes means.  Raises `BadNumber`."""
    kind, digits = text[1:4], "".join(text[5:-1].split())
    span = source.span(start, start + len(text))
    if kind not in _WIDTHS:
        raise BadNumber(text, "base 64 is not supported: write `#HEX#..#`", span)
    wide, base = _WIDTHS[kind]
    pieces = [digits[at : at + wide] for at in range(0, len(digits), wide)]
    try:
        if any(len(piece) != wide for piece in pieces):
            raise ValueError
        return ByteArray(int(piece, base) for piece in pieces)
    except ValueError:
        raise BadNumber(text, f"expected {wide} digits for each byte", span) from None
