"""What stands inside strings: escapes, and the tags, margins and texts of heredocs.

Puppet handles `\\u` before all other escapes, over the whole text, so that `\\u005cn` is a line end and not a backslash
and an n; the functions here work in the same two passes. An escape that means nothing stays as it is; in a
double-quoted string it is worth a warning.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ...base.patterns import compiled
from ...base.record import Record
from ..kernel import issues

if TYPE_CHECKING:
    from .lexer import Lexer


Warn: TypeAlias = Callable[..., None]
"""Called for an escape that is worth a warning, with the issue and its arguments."""


class IllegalUnicode(Exception):
    """An escape for a character that does not exist."""


_UNICODE = re.compile(r"((?:[^\\]|^)(?:\\\\)*)\\u(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]{1,6})\})", re.S | re.M)
_ESCAPE = re.compile(r"\\([^\r\n]|\r?\n)", re.S)
_MEANING = {"r": "\r", "n": "\n", "t": "\t", "s": " ", "\n": "", "\r\n": "", "\\": "\\", "$": "$", "'": "'", '"': '"'}
DOUBLE_ESCAPES = frozenset(["\\", "$", "'", '"', "r", "n", "t", "s", "u", "\r\n", "\n"])


def unescape(text: str, escapes: frozenset[str] | None, warn: Warn) -> str:
    """The meaning of text in double quotes, or of a heredoc's text under the escapes its tag asks for."""
    strict = escapes is None
    escapes = DOUBLE_ESCAPES if escapes is None else escapes
    if "u" in escapes and "\\u" in text:
        while True:  # neighbours share a character, so one pass may leave some
            text, count = _UNICODE.subn(_character, text)
            if not count:
                break

    def meaning(escape: re.Match[str]) -> str:
        letter = escape[1]
        if letter not in escapes:
            if strict:
                warn(issues.UNRECOGNIZED_ESCAPE, ch=letter)
            return escape[0]
        if letter == "u":
            warn(issues.ILLEGAL_UNICODE_ESCAPE)
            return escape[0]
        return _MEANING[letter]

    return _ESCAPE.sub(meaning, text)


def _character(escape: re.Match[str]) -> str:
    code = int(escape[2] or escape[3], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise IllegalUnicode
    return escape[1] + chr(code)


# --- heredocs ---------------------------------------------------------------------------------------------------------

_B = "[ \\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"  # Ruby's [[:blank:]]
_TAG = re.compile(rf"@\(([^:/\r\n)]+)(?::{_B}*([a-z][a-zA-Z0-9_+]+){_B}*)?(?:/((?:\w|[$])*){_B}*)?\)", re.A)
_ESCAPED_CHUNK = compiled(r"((?:[^\\$]++|\\.)*+)(\$\{?|\Z)", re.S)
_PLAIN_CHUNK = re.compile(r"([^$]*+)(\$\{?|\Z)", re.S)
_WHOLE = re.compile(r"(.*)(\Z)", re.S)


class HeredocTag(Record):
    """`@("END":json/tn$)`: what the tag says.  `chunk` finds literal text up to an interpolation."""

    end: int
    name: str
    interpolated: bool
    syntax: str
    escapes: frozenset[str]
    chunk: re.Pattern[str]


class HeredocBody(Record):
    """The text of a heredoc without its margin, and where each of its lines is in the file."""

    text: str
    next_line: int
    local_starts: list[int]
    outer_starts: list[int]

    def outside(self, at: int) -> int:
        """The offset in the file of offset `at` of the text.  Puppet counts the first margin to the text's start."""
        if at == 0:
            return self.outer_starts[0]
        line = max(bisect_right(self.local_starts, at) - 1, 0)
        return self.outer_starts[line] + at - self.local_starts[line]


def heredoc_tag(lexer: Lexer, start: int) -> HeredocTag:
    """Read the tag at `start`, or fail as Puppet does."""
    text = lexer.text
    end = text.find(")", start)
    if end < 0:
        raise lexer.fail(issues.HEREDOC_UNCLOSED_PARENTHESIS, start, followed_by=lexer.followed_by(start))
    end += 1
    match = _TAG.match(text[start:end])
    if match is None:
        raise lexer.fail(issues.HEREDOC_INVALID_SYNTAX, end)
    name = match[1].strip()
    interpolated = len(name) >= 2 and name[0] == name[-1] == '"'
    if interpolated:
        name = name[1:-1].strip()
    if not name:
        raise lexer.fail(issues.HEREDOC_EMPTY_ENDTAG, end)
    escapes: set[str] = set()
    if match[3] is not None:
        flags = match[3] or "trnsuL$"
        if len(set(flags)) != len(flags):
            raise lexer.fail(issues.HEREDOC_MULTIPLE_AT_ESCAPES, end, escapes=", ".join(flags))
        escapes.add("\\")
        for flag in flags:
            if flag not in "trnsuL$":
                raise lexer.fail(issues.HEREDOC_INVALID_ESCAPE, end, actual=flag)
            escapes.update(["\n", "\r\n"] if flag == "L" else [flag])
    chunk = _WHOLE
    if interpolated:
        chunk = _ESCAPED_CHUNK if "$" in escapes else _PLAIN_CHUNK
    return HeredocTag(end, name, interpolated, match[2] or "", frozenset(escapes), chunk)


def heredoc_body(lexer: Lexer, tag: HeredocTag, jump: int | None) -> HeredocBody:
    """The text that belongs to `tag`: from `jump` (where the heredoc before ended) or from the next line on."""
    text = lexer.text
    begin = jump
    if begin is None:
        begin = text.find("\n", tag.end) + 1
        if begin == 0:
            raise lexer.fail(issues.HEREDOC_WITHOUT_TEXT, tag.end)
    # The end tag may stand anywhere in its line, as long as only blanks, `|` and `-` precede it there or text does.
    closing = re.compile(rf"({_B}*)(?:(\|){_B}*)?(?:(-){_B}*)?{re.escape(tag.name)}{_B}*\r?(?:\n|\Z)")
    match = closing.search(text, begin)
    if match is None or begin >= len(text):
        raise lexer.fail(issues.HEREDOC_WITHOUT_END_TAGGED_LINE, begin)
    last_line = text.rfind("\n", begin, match.start()) + 1 or begin
    lines = re.findall(r"[^\n]*\n", text[begin:last_line])
    margin = match[1] if match[2] else ""
    local_starts, outer_starts, kept = [0], [begin], []
    local, outer = 0, begin
    for line in lines:
        cut = len(margin) if margin and line.startswith(margin) else 0
        if local or cut:
            local_starts.append(local)
            outer_starts.append(outer + cut)
        kept.append(line[cut:])
        local += len(line) - cut
        outer += len(line)
    whole = "".join(kept)
    if match[3]:
        whole = whole.removesuffix("\r\n").removesuffix("\n") if not whole.endswith("\r\n") else whole[:-2]
    return HeredocBody(whole, match.end(), local_starts, outer_starts)
