"""Parsed trees kept on disk, so that a file that has not changed is not parsed again.

An entry is named by a hash of everything that decides the tree: the text, the kind of file, the settings, this version
of whence, of its parser and of Python. It holds the tree alone; the name of the file is not in it, since places are put
back into the file at hand. Only trees without any diagnostic are kept. Where entries lie, and why nobody else can write
one, is told in `whence.base.private_cache`.

The encoding is Python's pickle, because nothing else makes objects as fast. A pickle can call what it names and set
attributes of what it makes. Ours may name the classes of the tree and nothing else; what it gets for a name is not the
class but a function that looks at the type of every field before it makes a node; and neither nodes nor functions let
their attributes be set. Whatever is wrong with an entry, the file is parsed again.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any, NoReturn

from ...base.private_cache import PrivateCache, cache_directory, key_directory
from ...base.source import SourceFile
from . import tree
from .parser import DEFAULTS, ParseResult, Settings, parse, parse_epp

FORMAT = 2
MAX_TEXT = 4_000_000  # beyond this a tree costs more to keep than to make

_CLASSES = {each.__name__: each for each in tree.NODE_CLASSES}


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
            with suppress(RecursionError):  # nested too deeply for pickle
                self.entries.put(name, encode(result.program))
        return result

    def _name(self, text: str, epp: bool, settings: Settings) -> str:
        """The name of an entry."""
        from hashlib import blake2b

        if self._version is None:
            self._version = parser_version()
        kind = f"{self._version} {epp} {settings.strict} {settings.tasks} {settings.namespace}\n"
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
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=5)
    pickler.dispatch_table = _DISPATCH
    pickler.dump(program)
    return buffer.getvalue()


def decode(data: bytes | memoryview, source: SourceFile) -> tree.Program:
    """The tree that `encode` wrote, in `source`."""
    collecting = gc.isenabled()
    gc.disable()  # everything that is made here stays: looking for garbage meanwhile would take most of the time
    try:
        program = _Reader(io.BytesIO(data), source).load()
    finally:
        if collecting:
            gc.enable()
    if type(program) is not tree.Program:
        raise pickle.UnpicklingError("not a program")
    return program


def _this_file() -> SourceFile:
    """Stands in an entry for the file it is read for; the reader puts the file in its place."""
    raise pickle.UnpicklingError("a tree can not be read without its source")


def _reducer(made: type[tree.Node]) -> Callable[[Any], Any]:
    get = attrgetter(*made.__fields__)
    return lambda node: (made, get(node))


_DISPATCH: dict[type, Callable[[Any], Any]] = {each: _reducer(each) for each in tree.NODE_CLASSES}
_DISPATCH[SourceFile] = lambda source: (_this_file, ())


class _Reader(pickle.Unpickler):
    """Makes nodes of the tree and nothing else."""

    def __init__(self, file: io.BytesIO, source: SourceFile) -> None:
        super().__init__(file)
        self._source = source

    def find_class(self, module: str, name: str) -> Any:
        if module == tree.__name__ and name in _CLASSES:
            maker = _MAKERS.get(name)
            if maker is None:
                maker = _MAKERS[name] = checked_maker(_CLASSES[name])
            return maker
        if module == __name__ and name == "_this_file":
            source = self._source

            def this_file() -> SourceFile:
                return source

            this_file.__setstate__ = _refuse_state  # type: ignore[attr-defined]
            return this_file
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a tree")


# --- what a field may hold --------------------------------------------------------------------------------------------

_MAKERS: dict[str, Callable[..., tree.Node]] = {}
"""By the name of a node's class, what makes one from fields that were looked at; made when first asked for."""

_PLAIN = {"str": str, "int": int, "bool": bool, "float": float, "SourceFile": SourceFile, "None": type(None)}


def _refuse_state(*state: object) -> NoReturn:
    raise pickle.UnpicklingError("nodes are made whole")


def checked_maker(made: type[tree.Node]) -> Callable[..., tree.Node]:
    """A function that makes a node after it has looked at its fields.

    It is written out, so that it costs little more than making the node; the text is made of our own field names.
    """
    names: dict[str, Any] = {"_made": made, "_refuse": _refuse_state, "_type": type, "_is": isinstance}
    lines = [f"def make({', '.join(made.__fields__)}):"]
    for field, annotation in _annotations(made).items():
        test, after = _test(field, annotation, names)
        lines += [f" if not ({test}): _refuse({field!r})", *after]
    lines.append(f" return _made({', '.join(made.__fields__)})")
    exec("\n".join(lines), names)  # noqa: S102 - see the docstring
    maker: Callable[..., tree.Node] = names["make"]
    maker.__setstate__ = _refuse_state  # type: ignore[attr-defined]
    return maker


def _annotations(made: type[tree.Node]) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in reversed(made.__mro__):
        found.update({name: str(note) for name, note in vars(base).get("__annotations__", {}).items()})
    return {name: found[name] for name in made.__fields__}


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
