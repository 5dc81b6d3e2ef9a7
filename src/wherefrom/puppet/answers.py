"""What a run of Puppet read, as questions that can be asked again of another state of the files.

A question is a kind and a name: the `content` of a file, the `names` in a directory, the `kind` of what is at a path,
where a `link` points, a `key` of a file of data, a `variable` of the process; the `clock` has no answer that lasts; of
`code` that did not run it is asked what it would do (`runtime.consulted`). A class or define is a question about every
file that its name may be defined in. Names below the environment are written
as seen from there (`{environment}/manifests/site.pp`), so that two directories can be asked the same.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from ..base.cache import Cache
from ..base.diagnostics import Diagnostic
from ..base.host import RealHost
from ..base.recording import Question, ReadSet
from ..language import Snapshot
from .hiera.reads import DataAnswers

if TYPE_CHECKING:
    from ..base.host import Host
    from .environment.environment import Environment

HERE = "{environment}"
BY_NAME = ("class", "define")
NO_PATHS = ("exports", "query")
"""Questions whose names are no paths: what other nodes export, and what a database was asked."""
MOST_ANSWERS = 20_000
"""Answers that are remembered; with more, all are asked for again."""
MOST_NAMES = 16_384
"""Paths that are remembered as seen from the environment: the nodes of a fleet ask for the same ones."""


def settled(reads: ReadSet, environment: Environment, root: str) -> None:
    """Turn names of definitions into the files that decide them, and write every path as seen from the environment."""
    own: dict[Question, None] = {}
    for kind, name in reads.own:
        if kind in BY_NAME:
            own.update(dict.fromkeys(environment.questions(kind, name)))
        else:
            own[kind, name] = None
    reads.shared.update(dict.fromkeys(_directories(environment)))
    reads.own = {(kind, name if kind in NO_PATHS else relative(name, root)): None for kind, name in own}
    reads.shared = {(kind, relative(name, root)): None for kind, name in reads.shared if kind not in BY_NAME}


def _directories(environment: Environment) -> Iterable[Question]:
    """Where modules may lie: a module that comes or goes changes which file defines a name."""
    for directory in environment.path.directories:
        yield "names", directory


@lru_cache(MOST_NAMES)
def relative(name: str, root: str) -> str:
    """A path as seen from the environment, if it lies below it."""
    path, mark, rest = name.partition("\0")
    path = posixpath.normpath(path) if path else path
    base = posixpath.normpath(root)
    if base == posixpath.curdir:
        inside = not path.startswith(("/", "../")) and path != ".."
        below = path
    else:
        inside = path == base or path.startswith(f"{base}/")
        below = path[len(base) + 1 :] or "."
    return f"{HERE}/{below}{mark}{rest}" if inside else f"{path}{mark}{rest}"


class EnvironmentSnapshot(Snapshot):
    """The answers that one state of the files gives."""

    def __init__(self, host: Host, root: str, digest_of: Callable[[str], str]) -> None:
        self._host = host
        self._root = root
        self._digest_of = digest_of
        self._data = DataAnswers(host)
        self._known: Cache[Question, bytes | None] = Cache(MOST_ANSWERS)

    def question(self, kind: str, path: str) -> Question:
        """A question about a path, as runs write it."""
        return kind, relative(path, self._root)

    def path_of(self, question: Question) -> str | None:
        """The path that a question is about, if it is one of the machine's files."""
        kind, name = question
        if kind not in ("content", "names", "key", "kind") or not isinstance(self._host, RealHost):
            return None
        return self._path(name.partition("\0")[0])

    def answer(self, question: Question) -> bytes | None:
        """The answer, as bytes that are equal only if the answers are; nothing if no answer lasts."""
        if question in self._known:
            return self._known[question]
        return self._known.keep(question, self._asked(*question))

    def _path(self, name: str) -> str:
        if name.startswith(f"{HERE}/"):
            return posixpath.normpath(f"{self._root}/{name[len(HERE) + 1 :]}")
        return name

    def _asked(self, kind: str, name: str) -> bytes | None:
        name = self._path(name)
        try:
            match kind:
                case "code":
                    return self._digest_of(name).encode("utf-8", "surrogateescape")
                case "content":
                    return b"file " + self._host.read_bytes(name)
                case "names":
                    return "\0".join(["names", *self._host.list_directory(name)]).encode("utf-8", "surrogateescape")
                case "kind":
                    return f"kind {self._host.kind(name)}".encode()
                case "link":
                    return f"link {self._host.link_target(name)}".encode("utf-8", "surrogateescape")
                case "key":
                    return f"key {self._data.answer(name)}".encode("utf-8", "surrogateescape")
                case "variable":
                    return f"variable {self._host.environment(name)!r}".encode()
        except Diagnostic as problem:
            return f"none: {problem.code}".encode()
        return None
