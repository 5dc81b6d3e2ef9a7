"""Parsed trees kept on disk, so that a file that has not changed is not parsed again.

An entry is named by a hash of everything that decides the tree: the text, the kind of file, the settings, this version
of wherefrom, of its parser and of Python. It holds the tree alone; the name of the file is not in it, since places are
put back into the file at hand. Only trees without any diagnostic are kept. Where entries lie, and why nobody else can
write one, is told in `wherefrom.base.private_cache`.

Trees that are in memory anyway, because an environment of the session has them, serve other environments with the same
files as they are (`Alive`): an environment with one file changed parses that file alone.

What an entry can say is told in `wherefrom.puppet.syntax.tree_words`: a tree or nothing. Whatever is wrong with an
entry, the file is parsed again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from weakref import WeakValueDictionary

from ...base.digests import blake2b
from ...base.private_cache import PrivateCache, cache_directory, key_directory
from ...base.source import SourceFile
from . import tree
from .parser import DEFAULTS, ParseResult, ParserSettings, parse, parse_epp
from .tree_words import NoTree, decode, encode

FORMAT = 4
MAX_TEXT = 4_000_000  # beyond this a tree costs more to keep than to make


def default_directory(environ: Mapping[str, str] = os.environ) -> str | None:
    """Where trees are kept for this user; nothing if there is no home."""
    base = cache_directory(environ)
    return None if base is None else os.path.join(base, "puppet-trees")


def parser_version() -> str:
    """What tells this parser from others: the versions, and when the newest of its files was changed."""
    package = os.path.dirname(tree.__file__)
    changed = max(os.stat(os.path.join(package, name)).st_mtime_ns for name in os.listdir(package))
    wherefrom = sys.modules[__name__.partition(".")[0]]
    return f"{wherefrom.__version__} {FORMAT} {sys.version_info[:2]} {sys.byteorder} {changed}"


class Alive(WeakValueDictionary[tuple[str, str, bool, ParserSettings], tree.Program]):
    """The trees that somebody holds, by the name and text of the file and how it was parsed."""


class TreeCache:
    """Trees by the hash of what they were made from.  Without a directory nothing is kept but what is `alive`."""

    def __init__(self, directory: str | None, keys: str | None = None, alive: Alive | None = None) -> None:
        self._alive = Alive() if alive is None else alive
        self.entries = PrivateCache(directory, key_directory() if keys is None else keys)
        self.hits = 0
        self.misses = 0
        self._version: str | None = None

    def parse(self, source: SourceFile, epp: bool = False, settings: ParserSettings = DEFAULTS) -> ParseResult:
        """As `parse` and `parse_epp`, from memory or from the cache if it is there."""
        key = (source.name, source.text, epp, settings)
        program = self._alive.get(key)
        if program is not None:
            return ParseResult(program, ())
        result = self._parsed(source, epp, settings)
        if not result.diagnostics:
            self._alive[key] = result.program
        return result

    def _parsed(self, source: SourceFile, epp: bool, settings: ParserSettings) -> ParseResult:
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
            with suppress(NoTree):
                self.entries.put(name, encode(result.program))
        return result

    def _name(self, text: str, epp: bool, settings: ParserSettings) -> str:
        """The name of an entry."""
        if self._version is None:
            self._version = parser_version()
        decided = f"{epp} {settings.strict} {settings.tasks} {settings.namespace} {settings.literal_types}"
        key = f"{self._version} {decided}\n{text}"
        return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()

    def _load(self, name: str, source: SourceFile) -> tree.Program | None:
        content = self.entries.get(name)
        if content is None:
            return None
        try:
            return decode(content, source)
        except NoTree:
            return None
