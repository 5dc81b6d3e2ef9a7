"""From text to tokens, as Nix's own scanner cuts them.

Nix's scanner takes the longest match and changes its rules inside strings and paths; after `${` the rules of ordinary
text hold again until the matching `}`. Here a stack of modes does the same: `DEFAULT`, `STRING` (`"..."`), `INDENTED`
(`''...''`) and `PATH` (after a path token, where `${` may follow without a blank). In ordinary text one regular
expression with its alternatives in the right order finds the longest match: no text can match two of `PATH`, `URI` and
`IDENTIFIER` to the same length, and where one of the first two matches it is longer than any other token.

Tokens are kept as parallel lists (kinds, texts, starts, ends): a large library has a million of them.
String tokens carry their text with escapes already replaced. An indented string's tokens also say whether their blanks
count as indentation: escapes never do.
"""

from __future__ import annotations

import re

from ...base.diagnostics import LimitReached
from ...base.source import SourceFile
from ..kernel.errors import SyntaxProblem

KEYWORDS = frozenset(["if", "then", "else", "assert", "with", "let", "in", "rec", "inherit", "or"])

MAX_SOURCE = 20_000_000
"""Characters of one file.  The largest file of the Nix packages collection has some 17 million."""

_PATH_CHAR = r"[a-zA-Z0-9._+-]"

_DEFAULT = re.compile(
    rf"""
    [ \t\r\n]*(?:
    (?P<SPACE>[ \t\r\n]+|\#[^\r\n]*|/\*(?:[^*]|\*+[^*/])*\*+/)
  | (?P<PATH>{_PATH_CHAR}*(?:/{_PATH_CHAR}+)+/?|{_PATH_CHAR}*/(?=\$\{{))
  | (?P<HPATH>~(?:/{_PATH_CHAR}+)+/?|~/(?=\$\{{))
  | (?P<SPATH><{_PATH_CHAR}+(?:/{_PATH_CHAR}+)*>)
  | (?P<URI>[a-zA-Z][a-zA-Z0-9+.-]*:[a-zA-Z0-9%/?:@&=+$,_.!~*'-]+)
  | (?P<FLOAT>(?:[1-9][0-9]*\.[0-9]*|0?\.[0-9]+)(?:[Ee][+-]?[0-9]+)?)
  | (?P<ID>[a-zA-Z_][a-zA-Z0-9_'-]*)
  | (?P<INT>[0-9]+)
  | (?P<OPERATOR>\.\.\.|==|!=|<=|>=|&&|\|\||\|>|<\||->|//|\+\+|\$\{{|''(?:[ ]*\n)?|.)
    )
    """,
    re.VERBOSE | re.DOTALL,
)

_STRING = re.compile(r'(?:[^$"\\]|\$[^{"\\]|\\.|\$\\.)*\$(?=")|(?:[^$"\\]|\$[^{"\\]|\\.|\$\\.)+', re.DOTALL)
_INDENTED = re.compile(r"(?:[^$']|\$[^{']|'[^'$])+", re.DOTALL)
_IN_PATH = re.compile(rf"{_PATH_CHAR}*(?:/{_PATH_CHAR}+)+/?|{_PATH_CHAR}*/|{_PATH_CHAR}+")
_ESCAPE = re.compile(r"\\(.)|\r\n?", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


class Tokens:
    """The tokens of one file.  The last one is `EOF`.

    A kind is a keyword or operator itself, or one of `ID INT FLOAT URI SPATH PATH HPATH STR IND_STR PATH_END EOF`; a
    string begins and ends with `"` or `''`.
    """

    __slots__ = ("ends", "kinds", "literal", "source", "starts", "texts")

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.literal: set[int] = set()
        """Indices of `IND_STR` tokens that came from an escape: their blanks are not indentation."""


def unescape(text: str) -> str:
    """The characters that an ordinary string's text stands for.  Line ends become `\\n`."""
    if "\\" not in text and "\r" not in text:
        return text
    return _ESCAPE.sub(lambda escape: "\n" if (c := escape.group(1)) is None else _ESCAPED.get(c, c), text)


def tokenize(source: SourceFile) -> Tokens:
    """All tokens of a file.  Raises `SyntaxProblem`."""
    if len(source.text) > MAX_SOURCE:
        raise LimitReached(f"{source.name} has {len(source.text):,} characters", MAX_SOURCE)
    return _Scanner(source).run()


class _Scanner:
    def __init__(self, source: SourceFile) -> None:
        self.text = source.text
        self.tokens = Tokens(source)
        self.modes: list[str] = []

    def add(self, kind: str, text: str, start: int, end: int) -> None:
        tokens = self.tokens
        tokens.kinds.append(kind)
        tokens.texts.append(text)
        tokens.starts.append(start)
        tokens.ends.append(end)

    def run(self) -> Tokens:
        at, end = 0, len(self.text)
        mode = "DEFAULT"
        self.modes = modes = [mode]
        step = {
            "DEFAULT": self.default,
            "STRING": self.string,
            "INDENTED": self.indented,
            "PATH": self.path,
        }
        while True:
            at = step[modes[-1]](at)
            if at >= end and modes[-1] != "PATH":
                break
        self.add("EOF", "", end, end)
        return self.tokens

    def default(self, at: int) -> int:
        """Ordinary text, up to a change of mode."""
        text, modes = self.text, self.modes
        match, keywords = _DEFAULT.match, KEYWORDS
        tokens = self.tokens
        kinds, texts, starts, ends = tokens.kinds, tokens.texts, tokens.starts, tokens.ends
        while (token := match(text, at)) is not None:
            kind = token.lastgroup
            assert kind is not None
            start, at = token.span(kind)
            if kind == "SPACE":
                continue
            word = text[start:at]
            if kind == "ID":
                if word in keywords:
                    kind = word
            elif kind == "OPERATOR":
                kind = "''" if word.startswith("''") else word
                if word == "/" and text.startswith("*", at):
                    raise SyntaxProblem("unterminated comment", tokens.source.span(start, at + 1))
            starts.append(start)
            ends.append(at)
            kinds.append(kind)
            texts.append(word)
            if kind == "{" or kind == "${":
                modes.append("DEFAULT")
            elif kind == "}":
                if len(modes) > 1:
                    modes.pop()
                    if modes[-1] != "DEFAULT":
                        return at
            elif kind == '"':
                modes.append("STRING")
                return at
            elif kind == "''":
                modes.append("INDENTED")
                return at
            elif kind == "PATH" or kind == "HPATH":
                modes.append("PATH")
                return at
        return len(text)

    def string(self, at: int) -> int:
        """Inside `"..."`."""
        text = self.text
        if text.startswith('"', at):
            self.add('"', '"', at, at + 1)
            self.modes.pop()
            return at + 1
        if text.startswith("${", at):
            self.add("${", "${", at, at + 2)
            self.modes.append("DEFAULT")
            return at + 2
        piece = _STRING.match(text, at)
        if piece is None:  # a lone `$` or backslash at the end of the file
            return len(text)
        self.add("STR", unescape(piece.group()), at, piece.end())
        return piece.end()

    def indented(self, at: int) -> int:
        """Inside `''...''`."""
        text = self.text
        if piece := _INDENTED.match(text, at):
            self.add("IND_STR", piece.group(), at, piece.end())
            return piece.end()
        if text.startswith("${", at):
            self.add("${", "${", at, at + 2)
            self.modes.append("DEFAULT")
            return at + 2
        if text.startswith("''$", at):
            return self.escape("$", at, at + 3)
        if text.startswith("'''", at):
            return self.escape("''", at, at + 3)
        if text.startswith("''\\", at) and at + 3 < len(text):
            return self.escape(unescape(text[at + 2 : at + 4]), at, at + 4)
        if text.startswith("''", at):
            self.add("''", "''", at, at + 2)
            self.modes.pop()
            return at + 2
        return self.escape(text[at : at + 1], at, at + 1)  # a lone `$` or quote

    def escape(self, text: str, start: int, end: int) -> int:
        """A token of an indented string whose text is no indentation."""
        self.tokens.literal.add(len(self.tokens.kinds))
        self.add("IND_STR", text, start, end)
        return end

    def path(self, at: int) -> int:
        """After a piece of a path: more of it, an interpolation, or its end."""
        text = self.text
        if text.startswith("${", at):
            self.add("${", "${", at, at + 2)
            self.modes.append("DEFAULT")
            return at + 2
        if piece := _IN_PATH.match(text, at):
            self.add("STR", piece.group(), at, piece.end())
            return piece.end()
        if text[at - 1] == "/":
            raise SyntaxProblem("path has a trailing slash", self.tokens.source.span(at - 1, at))
        self.modes.pop()
        self.add("PATH_END", "", at, at)
        return at
