"""Reads `grammar.txt` and uses it: to recognise token sequences and to make random programs.

The recogniser follows all readings at once (a set of end positions per production and start), so ambiguity and order of
alternatives do not matter to it. It shares nothing with the parser but the tokens.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import wherefrom.puppet.syntax

PATH = Path(wherefrom.puppet.syntax.__file__).parent / "grammar.txt"

# A part of a production: ("seq" | "alt" | "opt" | "rep", parts) or ("tok" | "ref", name).
Part = tuple[str, object]

# End positions of productions by start position, as far as they are known.
Known = dict[tuple[str, int], frozenset[int]]

TOKENS = {"LIST": ("[", "L["), "INDEX": ("[",), "PAREN": ("(", "W("), "CALL": ("(",), "CHOICES": ("?{",)}


NOT_MADE = ("heredoc", "render_text", "render_expression")
"""What can not be written down token by token: the text of a heredoc stands elsewhere, that of a template around."""

SEMICOLON = ("seq", [("tok", ";")])
"""Always made between statements, so that one does not run into the next."""


class Grammar:
    """The productions by name, and the parser methods that the file names."""

    def __init__(self, text: str) -> None:
        self.productions: dict[str, Part] = {}
        self.methods = re.findall(r"^# by (\w+)$", text, re.M)
        code = re.sub(r"^#.*$", "", text, flags=re.M)
        self._words: list[str] = re.findall(r'"[^"]+"|\w+|[=|\[\]{}().]', code)
        self._at = 0
        while self._at < len(self._words):
            name = self._take()
            assert self._take() == "=", name
            self.productions[name] = self._alternatives()
            assert self._take() == ".", name

    def _take(self) -> str:
        self._at += 1
        return self._words[self._at - 1]

    def _alternatives(self) -> Part:
        options = [self._sequence()]
        while self._words[self._at] == "|":
            self._at += 1
            options.append(self._sequence())
        return options[0] if len(options) == 1 else ("alt", options)

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while self._words[self._at] not in ("|", ".", "]", "}", ")"):
            word = self._take()
            if word in ("[", "{", "("):
                inner = self._alternatives()
                self._at += 1
                parts.append(inner if word == "(" else ("opt" if word == "[" else "rep", inner))
            elif word.startswith('"'):
                parts.append(("tok", word[1:-1]))
            else:
                parts.append(("tok" if word.isupper() else "ref", word))
        return ("seq", parts)

    # --- recognising --------------------------------------------------------------------------------------------------

    def accepts(self, start: str, kinds: list[str]) -> bool:
        """Whether the tokens are a `start`."""
        return len(kinds) in self._ends(("ref", start), 0, kinds, {})

    def _ends(self, part: Part, at: int, kinds: list[str], known: Known) -> frozenset[int]:
        kind, inner = part
        if kind == "tok":
            assert isinstance(inner, str)
            fits = at < len(kinds) and kinds[at] in TOKENS.get(inner, (inner,))
            return frozenset([at + 1]) if fits else frozenset()
        if kind == "ref":
            assert isinstance(inner, str)
            if (inner, at) not in known:
                known[inner, at] = frozenset()
                known[inner, at] = self._ends(self.productions[inner], at, kinds, known)
            return known[inner, at]
        if kind == "opt":
            return self._ends(inner, at, kinds, known) | {at}  # type: ignore[arg-type]
        if kind == "rep":
            reached, fresh = {at}, {at}
            while fresh:
                fresh = {e for p in fresh for e in self._ends(inner, p, kinds, known)} - reached  # type: ignore[arg-type]
                reached |= fresh
            return frozenset(reached)
        assert isinstance(inner, list)
        if kind == "alt":
            return frozenset(e for each in inner for e in self._ends(each, at, kinds, known))
        ends = frozenset([at])
        for each in inner:
            ends = frozenset(e for p in ends for e in self._ends(each, p, kinds, known))
        return ends

    # --- making programs ----------------------------------------------------------------------------------------------

    def sentence(self, start: str, rng: random.Random, size: int = 40) -> list[str]:
        """A random token sequence.  `size` bounds how much is made before only the shortest ways are taken.

        `used` holds the productions that took part.
        """
        self._left = size
        self.used = set[str]()
        found: list[str] = []
        self._make(("ref", start), rng, found, 0)
        return found

    def _make(self, part: Part, rng: random.Random, found: list[str], depth: int) -> None:
        kind, inner = part
        tired = self._left <= 0 or depth > 120
        if kind == "tok":
            assert isinstance(inner, str)
            self._left -= 1
            found.append(inner)
        elif kind == "ref":
            assert isinstance(inner, str)
            self.used.add(inner)
            self._make(self.productions[inner], rng, found, depth + 1)
        elif kind == "alt":
            assert isinstance(inner, list)
            inner = [each for each in inner if not any(self._is(each, name) for name in NOT_MADE)]
            least = self._shortest(inner) if tired else inner
            self._make(rng.choice(least), rng, found, depth + 1)
        elif kind == "opt":
            if inner == SEMICOLON or (not tired and rng.random() < 0.35):
                self._make(inner, rng, found, depth + 1)  # type: ignore[arg-type]
        elif kind == "rep":
            while not tired and rng.random() < 0.3:
                self._make(inner, rng, found, depth + 1)  # type: ignore[arg-type]
                tired = self._left <= 0
        else:
            assert isinstance(inner, list)
            for each in inner:
                self._make(each, rng, found, depth + 1)

    def _is(self, part: Part, name: str) -> bool:
        return part == ("seq", [("ref", name)])

    def _shortest(self, options: list[Part]) -> list[Part]:
        depths = [self._height(each, frozenset()) for each in options]
        return [each for each, depth in zip(options, depths) if depth == min(depths)]

    def _height(self, part: Part, seen: frozenset[str]) -> float:
        kind, inner = part
        if kind == "tok":
            return 1
        if kind in ("opt", "rep"):
            return 0
        if kind == "ref":
            assert isinstance(inner, str)
            if inner in seen:
                return float("inf")
            key = inner
            self._heights = getattr(self, "_heights", {})
            if key not in self._heights:
                self._heights[key] = self._height(self.productions[inner], seen | {inner})
            return self._heights[key] + 0.1  # type: ignore[no-any-return]
        assert isinstance(inner, list)
        found = [self._height(each, seen) for each in inner]
        return min(found) if kind == "alt" else sum(found)


WORDS = {
    "NAME": ["foo", "bar::baz", "::qux", "include", "x1"],
    "WORD": ["foo-bar", "_x"],
    "REF": ["File", "Foo::Bar", "Integer", "::Baz"],
    "VAR": ["$x", "$a::b", "$::c", "$_d", "$0"],
    "STR": ["'text'", '"text"', "''", "'it\\'s'"],
    "NUM": ["0", "42", "0x2F", "017", "1.5", "2e3"],
    "BOOL": ["true", "false"],
    "REGEX": ["/a.*b/", "/\\/etc/"],
    "LIST": [" ["],
    "INDEX": ["["],
    "PAREN": ["("],
    "CALL": ["("],
    "CHOICES": ["{"],
    "DQPRE": ['"a ${', '"${'],
    "DQMID": ["} b ${", "}${"],
    "DQPOST": ['}"', '} c"'],
}


def write(tokens: list[str], rng: random.Random) -> str:
    """Tokens as text, with a blank before all but those that must touch what is before them."""
    text = ""
    for each in tokens:
        touch = each in ("INDEX", "CALL", "DQMID", "DQPOST") or text.endswith("${")
        text += ("" if touch else "\n" if each == ";" else " ") + rng.choice(WORDS.get(each, [each]))
    return text + "\n"


def load() -> Grammar:
    """The grammar beside the parser."""
    return Grammar(PATH.read_text())
