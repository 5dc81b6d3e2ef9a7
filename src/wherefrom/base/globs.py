"""Patterns of files, as Ruby's `Dir.glob` reads them: which paths there are, and in which order.

`*`, `?` and `[...]` stand for parts of one name and never for a leading dot, `{a,b}` for one text or the other, a
backslash takes the next letter as it is. `**/` stands for any directories, but leads neither into one that is hidden
nor through a link: so links that lead upwards end. Names come in their order, depth first; what braces name, in the
order of the braces, except below `**/`, where directories are walked through once for all of it.
(https://docs.ruby-lang.org/en/3.1/Dir.html#method-c-glob)

Where the pattern is not one of Ruby's (names of outputs, owners of files), `Shape` is what a text is compared with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Protocol, TypeAlias

from .budget import current

if TYPE_CHECKING:
    from .host import Host

Parts: TypeAlias = tuple[str, ...]
"""A pattern, taken apart at its slashes; from the first part with a brace on, the rest is one part."""

ANY = "**"
_WILD = re.compile(r"[*?\[\\]")


class Files(Protocol):
    """An object that can tell what is at a path: a host, a revision."""

    def names(self, directory: str) -> Sequence[str]:
        """The names in a directory, sorted; none if it is none."""

    def is_directory(self, path: str) -> bool:
        """Whether there is a directory, or a link to one."""

    def is_own_directory(self, path: str) -> bool:
        """Whether there is a directory itself, and no link."""

    def is_there(self, path: str) -> bool:
        """Whether there is anything."""


class HostFiles:
    """What a host can be asked."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def names(self, directory: str) -> Sequence[str]:
        return self._host.list_directory(directory) if self._host.is_directory(directory) else ()

    def is_directory(self, path: str) -> bool:
        return self._host.is_directory(path)

    def is_own_directory(self, path: str) -> bool:
        return self._host.kind(path) == "directory" and self._host.link_target(path) is None

    def is_there(self, path: str) -> bool:
        return self._host.kind(path) is not None


def glob(pattern: str, files: Files, base: str = "") -> list[str]:
    """The paths that match; `base` is a directory that the pattern begins in."""
    paths: list[str] = []
    start = "/" if pattern.startswith("/") else base
    waiting: list[tuple[str, list[Parts] | None]] = [(start, [_parts(pattern.lstrip("/"))])] if pattern else []
    while waiting:
        base, patterns = waiting.pop()
        if patterns is None:
            paths.append(base)
        else:
            waiting.extend(reversed(_step(base, patterns, files)))
    return paths


def _step(base: str, patterns: list[Parts], files: Files) -> list[tuple[str, list[Parts] | None]]:
    """What some patterns lead to from a directory: paths that match, and directories with what is to match there."""
    if len(patterns) == 1 and _braces(patterns[0][0]) is not None:
        return [(base, [_parts(text)]) for text in _alternatives(patterns[0][0])]
    if len(patterns) == 1 and not _WILD.search(patterns[0][0]):
        return _plain_step(base, patterns[0], files)
    steps: list[tuple[str, list[Parts] | None]] = []
    plain, deep = _taken_apart(patterns)
    if ("",) in plain and base:
        steps += _plain_step(base, ("",), files)
    tests = [(name_test(parts[0]), parts[1:]) for parts in plain]
    for name in files.names(base or "."):
        path = _joined(base, name)
        current().draw("steps", len(tests), "comparing names with a pattern")
        rests = [rest for test, rest in tests if test(name)]
        below = list(dict.fromkeys(rest for rest in rests if rest))
        if () in rests:
            steps.append((path, None))
        further = deep if deep and name[0] != "." and files.is_own_directory(path) else []
        if further or (below and files.is_directory(path)):
            steps.append((path, list(dict.fromkeys([*further, *below]))))
    return steps


def _plain_step(base: str, parts: Parts, files: Files) -> list[tuple[str, list[Parts] | None]]:
    """The same for one pattern that begins with a name: nobody needs to know what else is there."""
    if parts == ("",):  # it ends with a slash
        return [(f"{base.rstrip('/')}/", None)] if files.is_directory(base or ".") else []
    path = _joined(base, parts[0])
    if len(parts) > 1:
        return [(path, [parts[1:]])]
    return [(path, None)] if files.is_there(path) else []


def _taken_apart(patterns: Iterable[Parts]) -> tuple[list[Parts], list[Parts]]:
    """Patterns as they are read in one directory, without braces, `**/` standing for none; and those that begin so."""
    plain: dict[Parts, None] = {}
    deep: dict[Parts, None] = {}
    waiting = list(patterns)
    while waiting:
        parts = waiting.pop()
        if _braces(parts[0]) is not None:
            waiting.extend(_parts(text) for text in _alternatives(parts[0]))
        elif parts[0] == ANY and len(parts) > 1:
            deep[parts] = None
            waiting.append(parts[1:])
        else:
            plain[parts] = None
    return list(plain), list(deep)


def _joined(base: str, name: str) -> str:
    return f"{base.rstrip('/')}/{name}" if base else name


def _parts(pattern: str) -> Parts:
    """A pattern, taken apart."""
    parts: list[str] = []
    while pattern:
        part, slash, rest = pattern.partition("/")
        if "{" in part and _braces(pattern) is not None:
            return (*parts, pattern)
        if part == ANY and parts and parts[-1] == ANY and slash:
            pass  # any directories below any directories
        elif part or not rest:
            parts.append(part)
        pattern = rest
        if slash and not rest:
            parts.append("")
    return tuple(parts) or ("",)


def _braces(pattern: str) -> tuple[int, list[int], int] | None:
    """Where the first braces open, where the commas between them are, where they close; nothing if they do not."""
    start, depth, place = -1, 0, 0
    commas: list[int] = []
    while "{" in pattern and place < len(pattern):
        match pattern[place]:
            case "\\":
                place += 1
            case "{":
                start = place if start < 0 else start
                depth += 1
            case "," if depth == 1:
                commas.append(place)
            case "}" if depth:
                depth -= 1
                if not depth:
                    return start, commas, place
        place += 1
    return None


def _alternatives(pattern: str) -> list[str]:
    """A pattern without its braces, once for each choice of texts in them."""
    plain: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        current().draw("steps", 50 + len(text), "reading a pattern of files")  # `{a,b}{a,b}...` doubles each time
        braces = _braces(text)
        if braces is None:
            plain.append(text)
            continue
        start, commas, end = braces
        edges = [start, *commas, end]
        inside = [text[first + 1 : last] for first, last in pairwise(edges)]
        waiting.extend(text[:start] + chosen + text[end + 1 :] for chosen in reversed(inside))
    return plain


@lru_cache(maxsize=500)
def name_test(part: str) -> Callable[[str], bool]:
    """Whether a name matches one part of a pattern, as Ruby's `File.fnmatch` has it: `*` is for no leading dot."""
    if not _WILD.search(part):
        return part.__eq__
    from fnmatch import translate  # its expressions do not go back and forth, whatever the pattern

    text = "".join(_translated(part))
    matches = re.compile(translate(text)).match
    if part.startswith((".", "\\.")):
        return lambda name: matches(name) is not None
    return lambda name: not name.startswith(".") and matches(name) is not None


def _translated(part: str) -> Iterable[str]:
    """A part of a pattern in the words of Python's `fnmatch`, which knows no backslash and no `[^...]`."""
    place = 0
    while place < len(part):
        letter = part[place]
        if letter == "\\" and place + 1 < len(part):
            place += 1
            letter = part[place]
            yield f"[{letter}]" if letter in "*?[" else letter
        elif letter == "[" and part[place + 1 : place + 2] == "^":
            place += 1
            yield "[!"
        else:
            yield letter
        place += 1


# --- texts that are compared with a pattern ---

_FEW = 100_000
"""Steps of a matcher that goes back: a millisecond."""
_REPEATED = re.compile(r"(?<!\\)[*+]")


class Shape:
    """What a text must be like: a regular expression made from a pattern with signs that stand for any text.

    A pattern may be a stranger's, and so may the text. With many such signs Python's matcher tries every way to divide
    the text among them, and nobody can interrupt it. So it is given only what it ends soon with, whatever the text is;
    the rest is for the matcher with a memory (`wherefrom.base.regex`).
    """

    __slots__ = ("_pattern", "_repeats", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._pattern = re.compile(source, re.DOTALL)
        self._repeats = len(_REPEATED.findall(source))

    @classmethod
    def of(cls, text: str, one: str = "") -> Shape:
        """A pattern in which `*` matches any text, and each letter in `one` any letter."""
        return cls("".join(".*" if char == "*" else "." if char in one else re.escape(char) for char in text))

    def fullmatch(self, text: str) -> bool:
        """Whether a whole text is like that."""
        if comb(len(text) + self._repeats, self._repeats) <= _FEW:
            return self._pattern.fullmatch(text) is not None
        return self.fullmatch_with_memory(text)

    def fullmatch_with_memory(self, text: str) -> bool:
        """The same, in a time that does not hang on how many ways there are."""
        from .regex.ruby import compile_regex

        return compile_regex(rf"\A(?m:{self.source})\z").test(text)
