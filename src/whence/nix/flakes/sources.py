"""Trees of inputs: a directory, the store path that Nix would give it, and what Nix would know about it.

A tree that a flake uses lies in the store as far as Nix programs can tell: `./x` in its files is a path below its
store path.  `MountedHost` shows the real directory there; nothing is copied, and nothing is written.
"""

from __future__ import annotations

import os.path
import time
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import CannotRead
from ...base.host import Host
from ...base.record import Record
from ..store.nar import archive_hash
from ..store.paths import Hash, fixed_output_path

if TYPE_CHECKING:
    from ...base.source import Span


class Tree(Record):
    """A source tree: where it lies, its store path, and the attributes that its flake sees as `sourceInfo`."""

    directory: str
    store_path: str
    info: Mapping[str, Any]


def tree_at(host: Host, directory: str, locked: Mapping[str, Any] | None = None) -> Tree:
    """The tree in a directory; `locked` are attributes that are already known of it (`rev`, `lastModified`, ...)."""
    if not host.exists(directory):
        raise CannotRead(directory, "no such file or directory")
    content = archive_hash(host, directory)
    info: dict[str, Any] = {"narHash": sri(content)}
    known = locked or {}
    if "rev" in known:
        info |= {"rev": known["rev"], "shortRev": str(known["rev"])[:7]}
    if "revCount" in known:
        info["revCount"] = known["revCount"]
    modified = known.get("lastModified")
    info["lastModified"] = modified if isinstance(modified, int) else newest(host, directory)
    info["lastModifiedDate"] = time.strftime("%Y%m%d%H%M%S", time.gmtime(info["lastModified"]))
    return Tree(directory, fixed_output_path(True, content, "source"), info)


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


class MountedHost(Host):
    """A host that shows directories also under their store paths."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.mounts: dict[str, str] = {}

    def real(self, path: str) -> str:
        """The path of the real file."""
        if not path.startswith("/nix/store/"):
            return path
        top, _, rest = path[len("/nix/store/") :].partition("/")
        directory = self.mounts.get("/nix/store/" + top)
        if directory is None:
            return path
        return f"{directory}/{rest}" if rest else directory

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        return self.host.read_bytes(self.real(path), at)

    def kind(self, path: str) -> str | None:
        return self.host.kind(self.real(path))

    def is_file(self, path: str) -> bool:
        return self.host.is_file(self.real(path))

    def is_directory(self, path: str) -> bool:
        return self.host.is_directory(self.real(path))

    def exists(self, path: str) -> bool:
        return self.host.exists(self.real(path))

    def grant(self, environ: Mapping[str, str]) -> None:
        self.host.grant(environ)

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        return self.host.list_directory(self.real(path), at)

    def environment(self, name: str) -> str | None:
        return self.host.environment(name)

    def now(self) -> float:
        return self.host.now()

    def link_target(self, path: str) -> str | None:
        return self.host.link_target(self.real(path))

    def is_executable(self, path: str) -> bool:
        return self.host.is_executable(self.real(path))

    def modified(self, path: str) -> int:
        return self.host.modified(self.real(path))
