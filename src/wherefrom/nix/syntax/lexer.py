"""From text to tokens, as Nix's own scanner cuts them.

Nix's scanner takes the longest match and changes its rules inside strings and paths; after `${` the rules of ordinary
text hold again until the matching `}`. Here a stack of modes does the same: `DEFAULT`, `STRING` (`"..."`), `INDENTED`
(`''...''`) and `PATH` (after the beginning of a path that goes on with `${`).

Ordinary text is cut in two strides, since one call for each token would be the most expensive thing that happens to it.
`_STRUCTURE` runs over everything that can not change the mode, to the next brace, or to the next string or path with
something interpolated. What lies between two changes of the mode is then cut at once: `_TOKENS` finds all its tokens,
with the blanks before each, and their places are sums of lengths. Both are made of the same pieces: their alternatives
stand in the order that makes the longest match the first. (No text can match two of path, URI and identifier to the
same length, and where one of the first two matches it is longer than any other token.)

Whether a path or a URI begins somewhere is known only where the run of characters that either may have ends. In a long
run of many tokens (`a.b.c`, `1.1.1`, `1+1+1`) each of them would look for that end, so `_CHAIN` is a run that is taken
apart by itself, with the end known (`chain`).

Tokens are kept as parallel lists (kinds, texts, starts, ends): a large library has a million of them. A string without
interpolation is one token, as written; pieces of other strings carry their text with escapes already replaced. An
indented string's tokens also say whether their blanks count as indentation: escapes never do.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain

from ...base.diagnostics import LimitReached
from ...base.patterns import compiled
from ...base.source import SourceFile
from ..kernel.errors import SyntaxProblem

KEYWORDS = frozenset(["if", "then", "else", "assert", "with", "let", "in", "rec", "inherit", "or"])

MAX_SOURCE = 20_000_000
"""Characters of one file.  The largest file of the Nix packages collection has some 17 million."""

_PATH_CHAR = r"[a-zA-Z0-9._+-]"
_URI_CHAR = r"[a-zA-Z0-9%/?:@&=+$,_.!~*'-]"

_COMMENT = r"\#[^\r\n]*+|/\*(?:[^*]++|\*++(?!/))*+\*++/"

_LONG = 256
"""Characters of a run that is a chain."""

_NAME = rf"[a-zA-Z_][a-zA-Z0-9_'-]*+(?!/|:{_URI_CHAR}|[.+](?:{_PATH_CHAR}{{0,{_LONG}}}+[/:]|{_PATH_CHAR}{{{_LONG}}}))"
"""An identifier of which the next characters show that it begins neither a path nor a URI: nearly every one."""

_CHAIN = rf"{_PATH_CHAR}{{{_LONG},}}+(?!/(?:{_PATH_CHAR}|\$\{{))"
"""A long run that is no beginning of a path."""

_WHOLE_PATH = rf"(?:~|{_PATH_CHAR}*+)(?:/{_PATH_CHAR}++)++(?!/|\$\{{)"
_PATH_BEGIN = rf"(?:~|{_PATH_CHAR}*+)(?:(?:/{_PATH_CHAR}++)++/?|/(?=\$\{{))"
"""The beginning of a path that goes on, or ends in a slash: what no `_WHOLE_PATH` matches."""

_LONGER = rf"<{_PATH_CHAR}++(?:/{_PATH_CHAR}++)*+>|[a-zA-Z][a-zA-Z0-9+.-]*+:{_URI_CHAR}++"
_STRING = r'"(?:[^$"\\]|\$[^{"\\]|\$?\\.)*+\$?"'
"""A string without interpolation."""

_SHORTER = (
    r"(?:[1-9][0-9]*+\.[0-9]*+|0?\.[0-9]++)(?:[Ee][+-]?[0-9]++)?|[a-zA-Z_][a-zA-Z0-9_'-]*+|[0-9]++"
    r"|\.\.\.|==|!=|<=|>=|&&|\|\||\|>|<\||->|//|\+\+"
)
_OPENING = r"\$\{|''(?:[ ]*+\n)?"

_TOKENS = compiled(
    rf"([ \t\r\n]*+(?:(?:{_COMMENT})[ \t\r\n]*+)*+)"
    rf"(?:({_NAME})|([;(){{}}\[\],:@]|=(?!=)|{_STRING}|{_WHOLE_PATH}|{_LONGER}|{_SHORTER}|{_OPENING}|.)|\Z)",
    re.DOTALL,
)
_STRUCTURE = compiled(
    rf"(?:[ \t\r\n;()\[\],:@=?!&|>*]++|{_NAME}|{_STRING}|{_COMMENT}|{_WHOLE_PATH}|{_LONGER}"
    rf"|(?!/\*|{_PATH_BEGIN}|{_CHAIN})(?:{_SHORTER}|[^\"'{{}}$]|\$(?!\{{)|'(?!')))*+"
    rf"({_OPENING}|/\*|[\"{{}}]|{_PATH_BEGIN}|{_CHAIN})?",
    re.DOTALL,
)

_LINK = re.compile(rf"{_SHORTER}|.")
_URI_REST = re.compile(f":{_URI_CHAR}")

_PIECE = re.compile(r'(?:[^$"\\]|\$[^{"\\]|\\.|\$\\.)*\$(?=")|(?:[^$"\\]|\$[^{"\\]|\\.|\$\\.)+', re.DOTALL)
_INDENTED = re.compile(r"(?:[^$']|\$[^{']|'[^'$])+", re.DOTALL)
_IN_PATH = re.compile(rf"{_PATH_CHAR}*(?:/{_PATH_CHAR}+)+/?|{_PATH_CHAR}*/|{_PATH_CHAR}+")
_ESCAPE = re.compile(r"\\(.)|\r\n?", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}

_KIND_OF_WORD = {word: word for word in KEYWORDS}
_KIND_OF_SIGN = {
    sign: sign for sign in '... == != <= >= && || |> <| -> // ++ ${ { } ( ) [ ] ; = : . , ? @ < > + - * / ! "'.split()
} | {"": "EOF"}


def _kind(token: str) -> str:
    """The kind of a token that is neither a sign nor plainly a name."""
    first = token[0]
    if first == '"':
        return "STRING"
    if first == "'":
        return token[:2]
    if len(token) > 1 and first == "<":
        return "SPATH"
    if ":" in token and len(token) > 1:
        return "URI"
    if "/" in token:
        return "PATH"
    if first in "0123456789" or (first == "." and len(token) > 1):
        return "INT" if token.isdigit() else "FLOAT"
    if first == "_" or (first.isascii() and first.isalpha()):
        return _KIND_OF_WORD.get(token, "ID")
    return token


class Tokens:
    """The tokens of one file.  The last one is `EOF`.

    A kind is a keyword or operator itself, or one of `ID INT FLOAT URI SPATH PATH STRING EOF`. A string that is not
    whole begins and ends with `"` or `''` and has pieces `STR` or `IND_STR`; such a path is `PATH_BEGIN`, pieces `STR`
    and `PATH_END`.
    """

    __slots__ = ("ends", "kinds", "literal", "source", "starts", "texts")

    def __init__(self, source: SourceFile, literal: set[int]) -> None:
        self.source = source
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.literal = literal
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
    """The scanner of one file.

    A token so far is what `_TOKENS` finds: blanks, a name, anything else. What stands inside strings and paths is
    written in the same way, so that all of them together are the whole text, and is told apart by `special`.
    """

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.text = source.text
        self.triples: list[tuple[str, str, str]] = []
        self.special: dict[int, tuple[str, str]] = {}
        """Kind and text of tokens that are not what they look like, by their indices."""
        self.literal: set[int] = set()
        self.modes: list[str] = []

    def run(self) -> Tokens:
        at, end = 0, len(self.text)
        self.modes = modes = ["DEFAULT"]
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
        return self.tokens()

    def tokens(self) -> Tokens:
        """What was found, as lists."""
        triples = self.triples
        tokens = Tokens(self.source, self.literal)
        word_kind, sign_kind = _KIND_OF_WORD.get, _KIND_OF_SIGN.get
        kinds = [word_kind(name, "ID") if name else sign_kind(other) or _kind(other) for _, name, other in triples]
        texts = [name or other for _, name, other in triples]
        for index, (kind, text) in self.special.items():
            kinds[index] = kind
            texts[index] = text
        places = list(accumulate(map(len, chain.from_iterable(triples)), initial=0))
        tokens.kinds, tokens.texts = kinds, texts
        tokens.starts, tokens.ends = places[1::3], places[3::3]
        return tokens

    def add(self, kind: str, text: str, start: int, end: int) -> None:
        """A token that is known; nothing but blanks may stand between it and the one before."""
        triples = self.triples
        blanks = self.blanks()
        self.special[len(triples)] = kind, text
        triples.append((blanks, self.text[start:end], ""))

    def blanks(self) -> str:
        """The blanks before the next token, if they are the last that was found."""
        triples = self.triples
        if triples and not (triples[-1][1] or triples[-1][2]) and len(triples) - 1 not in self.special:
            return triples.pop()[0]
        return ""

    def default(self, at: int) -> int:
        """Ordinary text, up to a change of mode."""
        text, modes, structure = self.text, self.modes, _STRUCTURE.match
        begin = at
        while True:
            stretch = structure(text, at)
            assert stretch is not None
            at = stretch.end()
            sign = stretch[1]
            if sign == "{" or sign == "${":
                modes.append("DEFAULT")
            elif sign == "}":
                if len(modes) == 1:
                    continue
                modes.pop()
                if modes[-1] != "DEFAULT":
                    self.cut(begin, at)
                    return at
            elif sign is None:
                self.cut(begin, at)
                return at
            elif sign == '"':
                self.cut(begin, at)
                modes.append("STRING")
                return at
            elif sign[0] == "'":
                self.cut(begin, at)
                modes.append("INDENTED")
                return at
            elif sign == "/*":
                raise SyntaxProblem("unterminated comment", self.source.span(*stretch.span(1)))
            elif "/" not in sign:
                self.cut(begin, stretch.start(1))
                begin = at = self.chain(stretch.start(1), at)
            else:
                start = stretch.start(1)
                self.cut(begin, start)
                self.add("PATH_BEGIN", sign, start, at)
                modes.append("PATH")
                return at

    def chain(self, start: int, end: int) -> int:
        """A long run of characters in which no path begins, token by token, up to the URI that may begin there.

        A URI begins at a letter after which no `_` comes before the colon.
        """
        text, triples = self.text, self.triples
        plain_until = text.rfind("_", start, end) + 1 if _URI_REST.match(text, end) else end
        while start < end and not (start >= plain_until and text[start].isalpha()):
            link = _LINK.match(text, start)
            assert link is not None
            triples.append((self.blanks(), "", link[0]))
            start = link.end()
        return start

    def cut(self, start: int, end: int) -> None:
        """All tokens of a stretch of ordinary text."""
        triples = self.triples
        triples += _TOKENS.findall(self.text, start, end)
        triples.pop()  # the last is always the empty one at the end

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
        piece = _PIECE.match(text, at)
        if piece is None:  # a lone `$` or backslash at the end of the file
            self.triples.append((text[at:], "", ""))
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
        self.literal.add(len(self.triples))
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
            raise SyntaxProblem("path has a trailing slash", self.source.span(at - 1, at))
        self.modes.pop()
        self.add("PATH_END", "", at, at)
        return at
