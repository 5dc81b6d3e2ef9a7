"""Trees of inputs: a directory, the store path that Nix would give it, and what Nix would know about it.

A tree that a flake uses lies in the store as far as Nix programs can tell: `./x` in its files is a path below its
store path.  `MountedHost` shows the real directory there; nothing is copied, and nothing is written.
"""

from __future__ import annotations

import os.path
import time
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ...base.diagnostics import CannotRead
from ...base.host import Host
from ...base.record import Record
from ..store.nar import archive_hash
from ..store.paths import Hash, fixed_output_path
from .repository import LINK, SUBMODULE, Entries, Repository, Snapshot

if TYPE_CHECKING:
    from ...base.source import Span


class Tree(Record):
    """A source tree: where it lies, its store path, and the attributes that its flake sees as `sourceInfo`."""

    directory: str
    store_path: str
    info: Mapping[str, object]
    host: Host | None = None
    """Who shows the tree, if the directory alone does not tell which files belong to it."""


def tree_at(host: Host, directory: str, locked: Mapping[str, object] | None = None) -> Tree:
    """The tree in a directory; `locked` are attributes that are already known of it (`rev`, `lastModified`, ...)."""
    if not host.exists(directory):
        raise CannotRead(directory, "no such file or directory")
    known = locked or {}
    modified = known.get("lastModified")
    return _tree(host, directory, known, modified if isinstance(modified, int) else newest(host, directory))


def _tree(host: Host, directory: str, known: Mapping[str, object], modified: int, shown_by: Host | None = None) -> Tree:
    content = archive_hash(host, directory)
    info: dict[str, object] = {"narHash": sri(content)}
    if "rev" in known:
        info |= {"rev": known["rev"], "shortRev": str(known["rev"])[:7]}
    for name in ("revCount", "submodules", "dirtyRev", "dirtyShortRev"):
        if name in known:
            info[name] = known[name]
    info["lastModified"] = modified
    info["lastModifiedDate"] = time.strftime("%Y%m%d%H%M%S", time.gmtime(modified))
    return Tree(directory, fixed_output_path(True, content, "source"), info, shown_by)


def git_directory(reference: Mapping[str, object]) -> str | None:
    """The directory of a local repository that a reference names; nothing if it is another kind of reference."""
    url = reference.get("url")
    if reference.get("type") != "git" or not isinstance(url, str) or not url.startswith("file:"):
        return None
    path = unquote(url.removeprefix("file:").partition("?")[0])
    return "/" + path.lstrip("/") if path.startswith("//") else path


def git_tree(host: Host, directory: str, reference: Mapping[str, object], says_dirty: bool) -> Tree:
    """The tree of a local git repository: the commit that `reference` names (`rev`, `ref`), or else the work tree.

    Of a work tree the files count that git tracks, as they are now.  If that is what was committed the tree has the
    commit's `rev`, else none (and, if `says_dirty`, as since Nix 2.17, a `dirtyRev`).
    """
    repository = Repository(host, directory)
    revision = reference.get("rev")
    known: dict[str, object] = {"submodules": bool(reference.get("submodules", False))}
    head = repository.head()
    if revision is None and "ref" not in reference and not repository.is_bare:
        tracked = repository.tracked()
        shown: Snapshot = Snapshot(repository, directory, present(repository, tracked), committed=False)
        if head is not None and repository.is_clean(repository.files(repository.commit(head).tree), tracked):
            revision = head
        elif head is not None and says_dirty:
            known |= {"dirtyRev": f"{head}-dirty", "dirtyShortRev": f"{head[:7]}-dirty"}
    else:
        revision = str(revision or repository.revision(str(reference.get("ref", "HEAD"))))
        files = repository.files(repository.commit(revision).tree)
        shown = Snapshot(repository, f"{directory}@{revision[:12]}", files, committed=True)
    if revision is not None:
        known |= {"rev": revision, "revCount": reference.get("revCount", None) or repository.count(revision)}
    last = revision or head
    modified = reference.get("lastModified")
    if not isinstance(modified, int):
        modified = repository.commit(last).time if last is not None else 0
    return _tree(shown, shown.directory, known, modified, shown)


def present(repository: Repository, tracked: Entries) -> dict[str, tuple[int, str]]:
    """Those of the tracked files that are in the work tree, as they are there."""
    there: dict[str, tuple[int, str]] = {}
    for name, (mode, digest) in tracked.items():
        path = os.path.join(repository.directory, name)
        if repository.host.link_target(path) is not None:
            there[name] = LINK, digest
        elif mode == SUBMODULE or repository.host.kind(path) == "file":
            there[name] = mode & ~LINK | 0o100000 if mode == LINK else mode, digest
    return there


def sri(content: Hash) -> str:
    """A hash as `narHash` holds it: the algorithm and base 64."""
    return f"{content.algorithm}-{b64encode(content.digest).decode()}"


def newest(host: Host, directory: str) -> int:
    """When something below `directory` was last changed, in seconds since 1970."""
    latest = 0
    waiting = [directory]
    while waiting:
        path = waiting.pop()
        latest = max(latest, host.modified(path))
        if host.link_target(path) is None and host.is_directory(path):
            waiting.extend(os.path.join(path, name) for name in host.list_directory(path))
    return latest


def mounting(host: Host) -> MountedHost:
    """A host to which trees can be mounted."""
    return host if isinstance(host, MountedHost) else MountedHost(host)


class MountedHost(Host):
    """A host that shows trees also under their store paths."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.mounts: dict[str, tuple[Host, str]] = {}
        """Who shows a store path, and the directory there."""

    def mount(self, tree: Tree) -> None:
        """Show a tree under its store path."""
        self.mounts[tree.store_path] = (tree.host, tree.directory) if tree.host is not None else self.at(tree.directory)

    def at(self, path: str) -> tuple[Host, str]:
        """Who knows what is at a path, and what it is called there."""
        if path.startswith("/nix/store/"):
            top, _, rest = path[len("/nix/store/") :].partition("/")
            mounted = self.mounts.get("/nix/store/" + top)
            if mounted is not None:
                host, directory = mounted
                return host, f"{directory}/{rest}" if rest else directory
        return self.host, path

    def real(self, path: str) -> str:
        """The path of the real file."""
        return self.at(path)[1]

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        host, real = self.at(path)
        return host.read_bytes(real, at)

    def kind(self, path: str) -> str | None:
        host, real = self.at(path)
        return host.kind(real)

    def is_file(self, path: str) -> bool:
        host, real = self.at(path)
        return host.is_file(real)

    def is_directory(self, path: str) -> bool:
        host, real = self.at(path)
        return host.is_directory(real)

    def exists(self, path: str) -> bool:
        host, real = self.at(path)
        return host.exists(real)

    def kind_asked(self, path: str) -> str | None:
        host, real = self.at(path)
        return host.kind_asked(real)

    def grant(self, environ: Mapping[str, str]) -> None:
        self.host.grant(environ)

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        host, real = self.at(path)
        return host.list_directory(real, at)

    def environment(self, name: str) -> str | None:
        return self.host.environment(name)

    def now(self) -> float:
        return self.host.now()

    def link_target(self, path: str) -> str | None:
        host, real = self.at(path)
        return host.link_target(real)

    def is_executable(self, path: str) -> bool:
        host, real = self.at(path)
        return host.is_executable(real)

    def modified(self, path: str) -> int:
        host, real = self.at(path)
        return host.modified(real)
