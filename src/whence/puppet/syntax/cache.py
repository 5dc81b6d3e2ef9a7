"""Parsed trees kept on disk, so that a file that has not changed is not parsed again.

An entry is named by a hash of everything that decides the tree: the text, the kind of file, the settings, this version
of whence, of its parser and of Python. It holds the tree alone; the name of the file is not in it, since places are put
back into the file at hand. Only trees without any diagnostic are kept. Where entries lie, and why nobody else can write
one, is told in `whence.base.private_cache`.

An entry is a table of class names and long texts, and a body in Python's pickle, because nothing else makes objects as
fast. A pickle can name what it likes, call it, set attributes of what it makes and ask for any amount of memory. Ours
is looked at before it is read: its operations may push a number, a short text, something out of the table or a tuple,
and call what was pushed. In the table are texts and, for the classes of the tree, functions that look at the type of
every field before they make a node. Whatever is wrong with an entry, the file is parsed again.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any, NoReturn

from ...base.collector import at_rest
from ...base.private_cache import PrivateCache, cache_directory, key_directory
from ...base.source import SourceFile
from . import tree
from .parser import DEFAULTS, ParseResult, Settings, parse, parse_epp

FORMAT = 3
MAX_TEXT = 4_000_000  # beyond this a tree costs more to keep than to make

_CLASSES = {node_class.__name__: node_class for node_class in tree.NODE_CLASSES}


def default_directory(environ: Mapping[str, str] = os.environ) -> str | None:
    """Where trees are kept for this user; nothing if there is no home."""
    base = cache_directory(environ)
    return None if base is None else os.path.join(base, "puppet-trees")


def parser_version() -> str:
    """What tells this parser from others: the versions, and when the newest of its files was changed."""
    package = os.path.dirname(tree.__file__)
    changed = max(os.stat(os.path.join(package, name)).st_mtime_ns for name in os.listdir(package))
    whence = sys.modules[__name__.partition(".")[0]]
    return f"{whence.__version__} {FORMAT} {sys.version_info[:2]} {changed}"


class TreeCache:
    """Trees by the hash of what they were made from.  Without a directory nothing is kept."""

    def __init__(self, directory: str | None, keys: str | None = None) -> None:
        self.entries = PrivateCache(directory, key_directory() if keys is None else keys)
        self.hits = 0
        self.misses = 0
        self._version: str | None = None

    def parse(self, source: SourceFile, epp: bool = False, settings: Settings = DEFAULTS) -> ParseResult:
        """As `parse` and `parse_epp`, from the cache if it is there."""
        if self.entries.directory is None or len(source.text) > MAX_TEXT:
            return (parse_epp if epp else parse)(source, settings)
        name = self._name(source.text, epp, settings)
        program = self._load(name, source)
        if program is not None:
            self.hits += 1
            return ParseResult(program, ())
        self.misses += 1
        result = (parse_epp if epp else parse)(source, settings)
        if not result.diagnostics and self.entries.usable:
            with suppress(RecursionError, pickle.PicklingError):  # nested too deeply for pickle
                self.entries.put(name, encode(result.program))
        return result

    def _name(self, text: str, epp: bool, settings: Settings) -> str:
        """The name of an entry."""
        from ...base.digests import blake2b

        if self._version is None:
            self._version = parser_version()
        decided = (epp, settings.strict, settings.tasks, settings.namespace, settings.literal_types)
        kind = f"{self._version} {' '.join(map(str, decided))}\n"
        return blake2b((kind + text).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()

    def _load(self, name: str, source: SourceFile) -> tree.Program | None:
        content = self.entries.get(name)
        if content is None:
            return None
        try:
            return decode(content, source)
        except Exception:  # whatever a broken entry may cause: it is parsed again
            return None


# --- encoding ---------------------------------------------------------------------------------------------------------


def encode(program: tree.Program) -> bytes:
    """A tree as bytes, without its source."""
    classes: dict[type[tree.Node], None] = {}
    texts: dict[int, str] = {}
    todo: list[object] = [program]
    while todo:
        value = todo.pop()
        if isinstance(value, tree.Node):
            classes[type(value)] = None
            todo.extend(_FIELDS[type(value)](value))
        elif isinstance(value, tuple):
            todo.extend(value)
        elif isinstance(value, str) and len(value.encode("utf-8", "surrogatepass")) > _SHORT:
            texts[id(value)] = value
    buffer = io.BytesIO()
    writer = _Writer(buffer, protocol=5)
    writer.memo = {id(part): (number, part) for number, part in enumerate([program.file, *classes, *texts.values()])}
    writer.dump(program)
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts.values()]
    names, lengths = (node_class.__name__ for node_class in classes), (str(len(text)) for text in encoded)
    return b"".join([f"{' '.join(names)}\n{' '.join(lengths)}\n".encode(), *encoded, buffer.getvalue()])


class _Writer(pickle.Pickler):
    """Writes nodes as calls of their classes, and knows nothing else."""

    def reducer_override(self, value: object) -> Any:
        if not isinstance(value, tree.Node):
            raise pickle.PicklingError(f"{type(value).__name__} has no place in a tree")
        return type(value), _FIELDS[type(value)](value)


_SHORT = 40  # bytes; the pattern below has a branch for each length, and is made at every start
_PROTOCOL = b"\x80\x05"
_NOTED = b"\x940"  # the table is what was noted (MEMOIZE) in the order of noting, and then dropped (POP)
_BODY = re.compile(
    rb"\x80\x05"  # the protocol
    rb"(?:[()tN\x85-\x89R\x94]"  # tuples, nothing, truth, a call, a further place in the table
    rb"|h.|j.{4}"  # something out of the table
    rb"|\x8c(?:" + b"|".join(b"\\x%02x.{%d}" % (size, size) for size in range(_SHORT + 1)) + rb")"  # short texts
    rb"|K.|M..|J.{4}|G.{8}"  # numbers
    rb"|\x8a(?:\x00|\x01.|\x02.{2}|\x03.{3}|\x04.{4}|\x05.{5}|\x06.{6}|\x07.{7}|\x08.{8}|\x09.{9})"
    rb"|\x95.{8}"  # how many bytes follow until the next of these
    rb")*+\.",
    re.DOTALL,
)
"""All that a body may consist of."""


def decode(data: bytes | memoryview, source: SourceFile) -> tree.Program:
    """The tree that `encode` wrote, in `source`."""
    names, lengths, rest = bytes(data).split(b"\n", 2)
    start = 0
    table = [_PROTOCOL, b"cfile\nit\n", _NOTED]
    for name in names.decode().split():
        table += (b"cclass\n", _CLASSES[name].__name__.encode(), b"\n", _NOTED)
    for length in lengths.split():
        end = start + int(length)
        if not start <= end <= len(rest):
            raise pickle.UnpicklingError("a text outside of the entry")
        table += (b"X", (end - start).to_bytes(4, "little"), rest[start:end], _NOTED)
        start = end
    if _BODY.fullmatch(rest, start) is None:
        raise pickle.UnpicklingError("an operation that has no place in a tree")
    table.append(rest[start + len(_PROTOCOL) :])
    with at_rest():  # everything that is made here stays: looking for garbage meanwhile would take most of the time
        program = _Reader(io.BytesIO(b"".join(table)), source).load()
    if type(program) is not tree.Program:
        raise pickle.UnpicklingError("not a program")
    return program


_FIELDS: dict[type[tree.Node], Callable[[Any], tuple[Any, ...]]] = {
    node_class: attrgetter(*node_class.__fields__) for node_class in tree.NODE_CLASSES
}


class _Reader(pickle.Unpickler):
    """Puts our own things into the table; a body has no operation that would ask for anything by its name."""

    def __init__(self, file: io.BytesIO, source: SourceFile) -> None:
        super().__init__(file)
        self._source = source

    def find_class(self, module: str, name: str) -> Any:
        if module == "file":
            return self._source
        return _MAKERS.get(name) or _maker(name)


# --- what a field may hold --------------------------------------------------------------------------------------------

_MAKERS: dict[str, Callable[..., tree.Node]] = {}
"""By the name of a node's class, what makes one from fields that were looked at; made when first asked for."""

_PLAIN = {"str": str, "int": int, "bool": bool, "float": float, "SourceFile": SourceFile, "None": type(None)}


def _refuse(field: str) -> NoReturn:
    raise pickle.UnpicklingError(f"{field} holds something else")


def _maker(name: str) -> Callable[..., tree.Node]:
    maker = _MAKERS[name] = checked_maker(_CLASSES[name])
    return maker


def checked_maker(node_class: type[tree.Node]) -> Callable[..., tree.Node]:
    """A function that makes a node after it has looked at its fields.

    It is written out, so that it costs little more than making the node; the text is made of our own field names.
    """
    names: dict[str, Any] = {"_made": node_class, "_refuse": _refuse, "_type": type, "_is": isinstance}
    lines = [f"def make({', '.join(node_class.__fields__)}):"]
    for field, annotation in _annotations(node_class).items():
        test, after = _test(field, annotation, names)
        lines += [f" if not ({test}): _refuse({field!r})", *after]
    lines.append(f" return _made({', '.join(node_class.__fields__)})")
    exec("\n".join(lines), names)  # noqa: S102 - see the docstring
    maker: Callable[..., tree.Node] = names["make"]
    return maker


def _annotations(node_class: type[tree.Node]) -> dict[str, str]:
    annotations: dict[str, str] = {}
    for base in reversed(node_class.__mro__):
        annotations.update({name: str(note) for name, note in vars(base).get("__annotations__", {}).items()})
    return {name: annotations[name] for name in node_class.__fields__}


def _test(field: str, annotation: str, names: dict[str, Any]) -> tuple[str, list[str]]:
    """Python text that tells whether a field holds what its annotation says, and lines that look at its elements."""
    optional = annotation.endswith(" | None")
    kinds = annotation.removesuffix(" | None")
    after: list[str] = []
    if kinds.startswith("tuple["):
        names[f"{field}_kinds"] = _kinds(kinds.removeprefix("tuple[").removesuffix(", ...]"))
        after = [
            f" for item in {field} or ():",
            f"  if not _is(item, {field}_kinds): _refuse({field!r})",
        ]
        test = f"_type({field}) is tuple"
    elif kinds in _PLAIN:
        names[f"{field}_kind"] = _PLAIN[kinds]
        test = f"_type({field}) is {field}_kind"
    else:
        names[f"{field}_kinds"] = _kinds(kinds)
        test = f"_is({field}, {field}_kinds)"
    return (f"{field} is None or {test}" if optional else test), after


def _kinds(annotation: str) -> tuple[type, ...]:
    return tuple(getattr(tree, name.strip()) for name in annotation.split("|"))
