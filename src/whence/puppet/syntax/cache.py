"""Parsed trees kept on disk, so that a file that has not changed is not parsed again.

An entry is named by a hash of everything that decides the tree: the text, the kind of file, the settings, this version
of whence, of its parser and of Python. It holds the tree alone; the name of the file is not in it, since places are put
back into the file at hand. Only trees without any diagnostic are kept.

The entries lie in the user's cache directory (`$XDG_CACHE_HOME/whence`, else `~/.cache/whence`). Any number of
processes may read and write at once: an entry is written to a file of its own and then renamed, and two processes that
write the same entry write the same bytes. An entry begins with a hash of the rest; one that is broken in any way is
treated as missing. Trouble with the directory (no space, no right) turns into a miss, never into an error. Entries that
nobody has used for a month are removed, about once a day.

The encoding is Python's pickle, because nothing else makes objects as fast. A pickle can call what it names; ours may
name the classes of the tree and nothing else, and the reader refuses the rest.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any

from ...base.collector import at_rest
from ...base.source import SourceFile
from . import tree
from .parser import DEFAULTS, ParseResult, Settings, parse, parse_epp

FORMAT = 1
DIGEST_BYTES = 16
DAY = 24 * 3600
KEEP = 30 * DAY
MAX_TEXT = 4_000_000  # beyond this a tree costs more to keep than to make

_CLASSES = {each.__name__: each for each in tree.NODE_CLASSES}


def default_directory(environ: Mapping[str, str] = os.environ) -> str | None:
    """Where trees are kept for this user; nothing if there is no home."""
    base = environ.get("XDG_CACHE_HOME")
    if not base or not os.path.isabs(base):
        home = environ.get("HOME")
        if not home:
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "whence", "puppet-trees")


def parser_version() -> str:
    """What tells this parser from others: the versions, and when the newest of its files was changed."""
    package = os.path.dirname(tree.__file__)
    changed = max(os.stat(os.path.join(package, name)).st_mtime_ns for name in os.listdir(package))
    whence = sys.modules[__name__.partition(".")[0]]
    return f"{whence.__version__} {FORMAT} {sys.version_info[:2]} {changed}"


class TreeCache:
    """Trees by the hash of what they were made from.  Without a directory nothing is kept."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory
        self.hits = 0
        self.misses = 0
        self._made = False
        self._version: str | None = None
        self._swept = False

    def parse(self, source: SourceFile, epp: bool = False, settings: Settings = DEFAULTS) -> ParseResult:
        """As `parse` and `parse_epp`, from the cache if it is there."""
        if self.directory is None or len(source.text) > MAX_TEXT:
            return (parse_epp if epp else parse)(source, settings)
        path = os.path.join(self.directory, self._name(source.text, epp, settings))
        program = self._load(path, source)
        if program is not None:
            self.hits += 1
            return ParseResult(program, ())
        self.misses += 1
        result = (parse_epp if epp else parse)(source, settings)
        if not result.diagnostics:
            self._store(path, result.program)
        return result

    def _name(self, text: str, epp: bool, settings: Settings) -> str:
        """The name of an entry."""
        from hashlib import blake2b

        if self._version is None:
            self._version = parser_version()
        kind = f"{self._version} {epp} {settings.strict} {settings.tasks} {settings.namespace}\n"
        return blake2b((kind + text).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()

    def _load(self, path: str, source: SourceFile) -> tree.Program | None:
        from hashlib import blake2b

        try:
            with open(path, "rb", buffering=0) as file:
                data = file.read()
                status = os.fstat(file.fileno())
            payload = memoryview(data)[DIGEST_BYTES:]
            if blake2b(payload, digest_size=DIGEST_BYTES).digest() != data[:DIGEST_BYTES]:
                return None
            program = decode(payload, source)
        except OSError:
            return None
        except Exception:  # whatever a broken entry may cause: it is parsed again
            return None
        self._keep(path, status.st_mtime)
        return program

    def _keep(self, path: str, modified: float) -> None:
        """Say that an entry is in use, about once a day."""
        import time

        if time.time() - modified > DAY:
            with suppress(OSError):
                os.utime(path)

    def _store(self, path: str, program: tree.Program) -> None:
        from hashlib import blake2b

        assert self.directory is not None
        try:
            payload = encode(program)
        except RecursionError:  # nested too deeply for pickle
            return
        temporary = f"{path}.{os.getpid()}.{id(program):x}"
        try:
            if not self._made:
                os.makedirs(self.directory, mode=0o700, exist_ok=True)
                self._made = True
            with open(temporary, "wb") as file:
                file.write(blake2b(payload, digest_size=DIGEST_BYTES).digest())
                file.write(payload)
            os.replace(temporary, path)
        except OSError:
            with suppress(OSError):
                os.unlink(temporary)
            return
        if not self._swept:
            self._swept = True
            self.sweep()

    def sweep(self, force: bool = False) -> int:
        """Remove entries that nobody has used for a month, if that was not done today.  Returns how many."""
        import time

        if self.directory is None:
            return 0
        now = time.time()
        removed = 0
        stamp = os.path.join(self.directory, "swept")
        try:
            if not force and os.path.exists(stamp) and now - os.stat(stamp).st_mtime < DAY:
                return 0
            with open(stamp, "w"):
                pass
            with os.scandir(self.directory) as entries:
                for each in entries:
                    if each.name != "swept" and now - each.stat().st_mtime > KEEP:
                        os.unlink(each.path)
                        removed += 1
        except OSError:
            pass
        return removed


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
    with at_rest():  # everything that is made here stays
        program = _Reader(io.BytesIO(data), source).load()
    if not isinstance(program, tree.Program):
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
            return _CLASSES[name]
        if module == __name__ and name == "_this_file":
            source = self._source
            return lambda: source
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a tree")
