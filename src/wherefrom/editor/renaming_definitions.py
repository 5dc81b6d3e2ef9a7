"""Renaming a class, a define, a function or a type: in all files that name it, with the file that is called after it.

A definition is named in many ways, and a rename that misses one breaks another file. So every place of the folder that
has the name in it is looked at, whatever it is, and each is one of these, or the rename is refused with the place:

| the place                                                           | what becomes of it                      |
|---------------------------------------------------------------------|-----------------------------------------|
| `include a::b`, `a::b { ... }`, `Class['a::b']`, `A::B['x']`        | the new name, in the case it is written |
| a text in quotes, or a value of the data, that is the name          | the same                                |
| `$a::b::x`, the key `a::b::x`, also below `lookup_options`          | its beginning is the new name           |
| `a::b::c`, where that is a definition of its own; a comment         | stays                                   |
| a function that is called as a class is, and the other way round    | stays                                   |
| part of another text (`"Class[a::b]"`), a fact, a file in Ruby      | refused                                 |
| a text with `${...}` in it that may become the name (`"a::${x}"`)   | refused                                 |

A value of the data counts where code looks its key up: so a fact that has the name is none. What is left is compiled
for nodes that are known, before and after (`wherefrom.editor.answers`): their catalogs must be equal up to the name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress

from ..base.diagnostics import Diagnostic, UsageError
from ..base.host import RealHost
from ..base.mentions import Mention
from ..base.record import Record
from ..base.source import SourceFile
from ..languages import language_to_check, load_language
from .names import Names
from .renaming import NoRename

DEFINED = ("class", "type", "function")
NOUNS = {"class": "class", "type": "define or type", "function": "function"}
_FOLDERS = {"class": "manifests", "type": "manifests", "function": "functions"}
_NAME = re.compile(r"[a-z]\w*(?:::[a-z]\w*)+\Z")
_ALIAS = re.compile(r"[A-Z]\w*(?:::[A-Z]\w*)+\Z")
_HOLE = re.compile(r"\$\{[^}\n]*\}|%\{[^}\n]*\}|#\{[^}\n]*\}|\$\w+(?:::\w+)*")
_COMPUTED = re.compile(rf"(?:[\w:]|{_HOLE.pattern})*(?:{_HOLE.pattern})(?:[\w:]|{_HOLE.pattern})*")
_COMMENT_IN_DATA = re.compile(r"(?:^|[ \t])#[^\n]*", re.MULTILINE)
_DATA = (".yaml", ".yml", ".eyaml")
_VALUE = re.compile(r"(?:^[ \t]*-|:|\[|,)[ \t]*['\"]?(?:::)?\Z")
_VALUE_ENDS = re.compile(r"['\"]?[ \t]*(?:$|[,\]}]|[ \t]#)", re.MULTILINE)
_OPTIONS = "lookup_options"
OTHERS = (".rb", ".json", ".toml", ".conf")
"""Files that may have a name in them which nothing here understands."""
LARGEST = 2_000_000
"""Bytes of such a file that is looked at."""


class Renamed(Record):
    """What a rename does: new texts for stretches of files, and other names for files."""

    edits: tuple[tuple[str, int, int, str], ...]
    """Path, first and last offset, and what is written there."""
    files: tuple[tuple[str, str], ...]
    old: str
    kept: tuple[str, ...]
    """Other definitions whose names begin as the old one does."""


class RenamingDefinitions:
    """Renames in a folder; `source` gives the text of a file, `others` the files that are not known by their names."""

    def __init__(
        self, names: Names, source: Callable[[str], SourceFile | None], others: Callable[[], Iterator[str]]
    ) -> None:
        self._names = names
        self._source = source
        self._others = others

    def check(self, path: str, mention: Mention) -> tuple[str, Mention]:
        """The file and the definition that is meant.  Raises `NoRename`."""
        rows = self._names.defined(path, mention)
        name = mention.name
        if not rows:
            raise NoRename(f"nothing in the folder defines {name}")
        if len(rows) > 1:
            raise NoRename(f"{name} is defined more than once: {rows[0][1].at.place} and {rows[1][1].at.place}")
        if "::" not in name:
            raise NoRename(f"{name} is the name of its module, too")
        [(file, definition)] = rows
        for other in self._names.of_file(file):
            if other.defines and other.kind in DEFINED and other.name != name:
                raise NoRename(f"{other.at.place} defines {other.name} in the same file")
        return file, definition

    def renamed(self, path: str, mention: Mention, new: str) -> Renamed:
        """The edits, and files that get another name.  Raises `NoRename`."""
        file, definition = self.check(path, mention)
        old = definition.name
        is_alias = definition.detail == "type"
        if not (_ALIAS if is_alias else _NAME).match(new):
            raise NoRename(f"{new!r} is not a valid name: expected the whole name, as {definition.at.text}")
        if new.partition("::")[0].lower() != old.partition("::")[0]:
            raise NoRename(f"{new} is in another module: a definition is renamed inside of its own")
        for kind in DEFINED:
            for _, taken in self._names.definitions_of(kind, new.lower()):
                raise NoRename(f"{new} is there already: {taken.at.place}")
        edits = [
            (place, start, end, new_text)
            for place in sorted(self._names.files)
            for start, end, new_text in self._in_file(place, definition, new)
        ]
        for place in self._others():
            source = None if place in self._names else self._read(place)
            for match in _occurrences(old).finditer(source.text) if source is not None else ():
                raise NoRename(_where(place, source, match.start(), f"has {match[0]}, which is not understood there"))
        known = (name for kind in DEFINED for name, _ in self._names.definitions(kind))
        kept = tuple(sorted(name for name in known if name.startswith(f"{old}::")))
        return Renamed(tuple(edits), tuple(self._moved(file, definition, new.lower())), old, kept)

    def _read(self, path: str) -> SourceFile | None:
        with suppress(OSError, Diagnostic):
            if os.path.getsize(path) <= LARGEST:
                return RealHost([os.path.dirname(path)]).source(path)
        return None

    def _moved(self, file: str, definition: Mention, new: str) -> Iterator[tuple[str, str]]:
        """The file that is called after the definition, and how it is called then."""
        folder = "types" if definition.detail == "type" else _FOLDERS[definition.kind]
        _, *parts = definition.name.split("::")
        tail = os.path.join(folder, *parts) + ".pp"
        root = file.removesuffix(tail)
        if root == file or not root.endswith(os.sep):
            return
        target = os.path.join(root, folder, *new.split("::")[1:]) + ".pp"
        if os.path.lexists(target):
            raise NoRename(f"{target} is there already")
        yield file, target

    # --- places ---

    def _in_file(self, path: str, definition: Mention, new: str) -> Iterator[tuple[int, int, str]]:
        source = self._source(path)
        old = definition.name
        if source is None:
            return
        comments = _comments(source)
        mentions = self._names.of_file(path)
        for match in _occurrences(old).finditer(source.text):
            start, end = match.span("name")
            if any(first <= start < last for first, last in comments):
                continue
            whole = match["name"] + match["rest"]
            here = [other for other in mentions if other.span.start <= start < other.span.end]
            if match["rest"]:
                stays = self._inside(whole.lower(), here, old)
                if stays:
                    continue
                if stays is None and not self._is_option(path, source, match):
                    raise NoRename(_where(path, source, start, f"has {whole}, which nothing defines"))
            elif not self._means(path, source, definition, here, start, end):
                continue
            yield start, end, _in_case(source.text[start:end], new)
        for match in _COMPUTED.finditer(source.text):
            if any(first <= match.start() < last for first, last in comments):
                continue
            if _may_become(match[0], old):
                raise NoRename(_where(path, source, match.start(), f"has {match[0]}, which may become {old}"))

    def _inside(self, whole: str, here: list[Mention], old: str) -> bool | None:
        """Whether a longer name has nothing to do with this one; nothing if that is not known."""
        if any(mention.kind in ("variable", "key") and whole in mention.names for mention in here):
            return whole.rpartition("::")[0] != old
        parts = whole.split("::")
        for count in range(len(parts), old.count("::") + 1, -1):
            name = "::".join(parts[:count])
            if any(any(self._names.definitions_of(kind, name)) for kind in DEFINED):
                return True
        return None

    def _is_option(self, path: str, source: SourceFile, match: re.Match[str]) -> bool:
        """Whether a key is one of those that `lookup_options` is about."""
        if not path.endswith(_DATA):
            return False
        line = source.text.rfind("\n", 0, match.start()) + 1
        written = source.text[line : match.start("name")].strip("'\" ")
        behind = source.text[match.end() : match.end() + 2].lstrip("'\"")
        return not written and behind.startswith(":") and self._key_around(path, match.start()) == _OPTIONS

    def _key_around(self, path: str, offset: int) -> str:
        """The key of the data whose value an offset is in."""
        return next(
            (
                mention.name
                for mention in self._names.of_file(path)
                if mention.defines and mention.kind == "key" and mention.extent is not None
                if mention.extent.start <= offset <= mention.extent.end
            ),
            "",
        )

    def _means(
        self, path: str, source: SourceFile, definition: Mention, here: list[Mention], start: int, end: int
    ) -> bool:
        """Whether the name at a place is that of the definition.  Raises `NoRename` where that can not be known."""
        kinds = {mention.kind for mention in here if definition.name in mention.names}
        if definition.kind in kinds:
            return True
        if kinds & {"function", "variable", "key", "template"}:
            return False
        line = source.text.rfind("\n", 0, start) + 1
        before, after = source.text[line:start], source.text[end : end + 80]
        if path.endswith(_DATA):
            key = self._key_around(path, start)
            is_read = any(self._names.uses_of("key", key)) or any(self._names.definitions_of("variable", key))
            if is_read and _VALUE.search(before) and _VALUE_ENDS.match(after):
                return self._is_only_one(path, source, definition, start)
            raise NoRename(_where(path, source, start, f"has {definition.name}, and no code looks that up"))
        quoted = re.search(r"(['\"])(?:::)?\Z", before)
        if quoted is not None and after.startswith(quoted[1]):
            return self._is_only_one(path, source, definition, start)
        if quoted is None and self._is_word(source, start, end):
            return self._is_only_one(path, source, definition, start)
        raise NoRename(_where(path, source, start, f"has {definition.name} in another text"))

    def _is_word(self, source: SourceFile, start: int, end: int) -> bool:
        """Whether a word of the code stands there, and no part of a text."""
        tokens = load_language("puppet").tokens(source)
        return any(token.start in (start, start - 2) and token.end == end for token in tokens)

    def _is_only_one(self, path: str, source: SourceFile, definition: Mention, start: int) -> bool:
        """A text names what it names: refuse where that may be a function as well as something else."""
        others = ("class", "type") if definition.kind == "function" else ("function",)
        if any(any(self._names.definitions_of(kind, definition.name)) for kind in others):
            raise NoRename(_where(path, source, start, f"has {definition.name}, of which there are two kinds"))
        return True


def same_but_for(text: str, old: str, new: str, kept: Collection[str]) -> str:
    """A text in which a definition has its new name; `kept` are the names of others that begin as it does."""

    def renamed(match: re.Match[str]) -> str:
        whole = (match["name"] + match["rest"]).lower()
        stays = any(whole == name or whole.startswith(f"{name}::") for name in kept)
        return match[0] if stays else f"{_in_case(match['name'], new)}{match['rest']}"

    return _occurrences(old).sub(renamed, text)


def _occurrences(name: str) -> re.Pattern[str]:
    """Where a name stands, with what is behind it as part of a longer one."""
    return re.compile(rf"(?<![\w])(?<!\w::)(?P<name>{re.escape(name)})(?!\w)(?P<rest>(?:::\w+)*(?:::)?)", re.IGNORECASE)


def _in_case(written: str, new: str) -> str:
    """The new name as the old one is written: `a::b` or `A::B`."""
    if written[:1].isupper():
        return new if new[:1].isupper() else "::".join(part[:1].upper() + part[1:] for part in new.split("::"))
    return new.lower()


def _may_become(text: str, name: str) -> bool:
    """Whether a text with something filled in may be the name, or the beginning of it: `a::${x}`, `${x}::b`."""
    literal = _HOLE.sub("", text)
    if not re.search(r"\w", literal):
        return False
    pattern, last = "", 0
    for hole in _HOLE.finditer(text):
        pattern += re.escape(text[last : hole.start()]) + r"[\w:]*"
        last = hole.end()
    pattern += re.escape(text[last:])
    return re.fullmatch(pattern, name, re.IGNORECASE) is not None


def _comments(source: SourceFile) -> list[tuple[int, int]]:
    """The comments of a file."""
    if source.name.endswith(_DATA):
        return [match.span() for match in _COMMENT_IN_DATA.finditer(source.text)]
    with suppress(UsageError):
        language = language_to_check(source.name)
        tokens = load_language(language).tokens(source) if language is not None else ()
        return [(token.start, token.end) for token in tokens if token.kind == "comment"]
    return []


def _where(path: str, source: SourceFile | None, offset: int, words: str) -> str:
    line = source.line_of(offset) if source is not None else 1
    return f"{path}:{line} {words}"
