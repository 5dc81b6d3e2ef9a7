"""From characters to tokens.

The paper leaves identifiers, numbers, strings, white space and comments open. Here a name is a letter or `_` followed
by letters, digits, `_`, `-` and `.`; numbers are whole or decimal, with an optional sign and exponent; strings are in
double quotes on one line with JSON's escapes (and `\\'`); `//` comments end with the line, `/* */` ones do not nest.

One regular expression does the work. Each of its matches is white space and comments followed by exactly one token, and
its last alternatives take any character at all, so a scan never skips anything and never fails: what is wrong becomes
a token too, with a diagnostic beside it, and the parser goes on. Quantifiers are possessive: time is linear in the
text, whatever the text.

Tokens are kept as three lists (kind, text, start) rather than as objects: a large program has half a million.
"""

from __future__ import annotations

import re

from ..base.diagnostics import Diagnostic
from ..base.patterns import compiled
from ..base.source import SourceFile
from .errors import BadCharacter, BadEscape, BadNumber, UnterminatedComment, UnterminatedString

NAME, NUMBER, STRING, MARK, INCLUDE, END, OPEN_STRING, OPEN_COMMENT, OTHER = range(1, 10)

RESERVED = frozenset({"true", "false", "NULL", "DATA", "extends"})

_TOKEN = compiled(
    r"""(?:[ \t\r\n\f\v]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+
    (?: ([^\W\d][\w.-]*+)
      | (-?[0-9](?:[\w.]|(?<=[eE])[+-])*+)
      | ("(?:[^"\\\n]++|\\[^\n])*+")
      | ([{}\[\];:,])
      | (\#include\b)
      | (\Z)
      | ("[^\n]*+)
      | (/\*[\s\S]*+)
      | (\#\w*+|[\s\S]) )""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[\s\S])")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "'": "'", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CHARACTER_HELP = {"'": "strings are in double quotes", "#": "the only directive is `#include`"}

MAX_ERRORS = 20
"""After so many errors of one file the rest is left out."""

MAX_DIGITS = 1_000
"""Longest number that is read; beyond it a number is a mistake (and costs more than linear time)."""


class Tokens:
    """The tokens of one file: three lists of equal length, the last token being the end of the file."""

    __slots__ = ("kinds", "source", "starts", "texts")

    def __init__(self, source: SourceFile, kinds: list[int], texts: list[str], starts: list[int]) -> None:
        self.source = source
        self.kinds = kinds
        self.texts = texts
        self.starts = starts


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
        if kind == END:  # the empty match at the end would be found once more after trailing white space
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
    garbage_end = -1
    for kind, text, start in zip(tokens.kinds, tokens.texts, tokens.starts, strict=True):
        if kind == OPEN_STRING:
            text = text.removesuffix("\r")
            problems.append(UnterminatedString(source.span(start, start + len(text))))
            kind, text = STRING, '""'
        elif kind == OPEN_COMMENT:
            problems.append(UnterminatedComment(source.span(start, start + 2)))
            continue
        elif kind == OTHER:
            if start != garbage_end and len(problems) < MAX_ERRORS:  # one message for a run of garbage
                span = source.span(start, start + len(text))
                problems.append(BadCharacter(text[0], span, _CHARACTER_HELP.get(text[0])))
            garbage_end = start + len(text)
            continue
        mended.kinds.append(kind)
        mended.texts.append(text)
        mended.starts.append(start)
    return mended


def number_value(text: str, source: SourceFile, start: int) -> int | float:
    """What a number means.  Raises `BadNumber`."""
    if len(text) <= 18 and text.isascii() and text.isdigit():
        return int(text)
    shape = _NUMBER.fullmatch(text)
    span = source.span(start, start + len(text))
    if shape is None:
        raise BadNumber(text, "expected digits, a fraction, an exponent", span)
    if len(text) > MAX_DIGITS:
        raise BadNumber(text, f"more than {MAX_DIGITS:,} digits", span)
    if shape[1] is None and shape[2] is None:
        return int(text)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise BadNumber(text, "too large for a decimal number", span)
    return value


def string_value(text: str, source: SourceFile, start: int) -> str:
    """What a string (with its quotes) means.  Raises `BadEscape`."""
    inside = text[1:-1]
    if "\\" not in inside:
        return inside

    def replace(match: re.Match[str]) -> str:
        escape = match[1]
        if len(escape) == 5:
            return chr(int(escape[1:], 16))
        if escape not in _ESCAPES:
            at = start + 1 + match.start()
            raise BadEscape(match[0], source.span(at, at + len(match[0])))
        return _ESCAPES[escape]

    value = _ESCAPE.sub(replace, inside)
    try:  # two \u escapes may make one character; half of a pair is no character
        return value.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise BadEscape(None, source.span(start, start + len(text))) from None
