"""NAR: a file tree as one canonical string of bytes (Dolstra's thesis, section 5.2.1, figure 5.2).

Times, owners and permissions other than "executable" are left out, and directory entries are sorted, so equal trees
have equal archives; the archive's hash is what names a source in the store. The tree is read through `Host` and never
kept in memory as a whole: pieces go straight into the hash.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ...base.diagnostics import CannotRead, LimitReached
from .paths import Hash

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import Span

MAX_ENTRIES = 1_000_000

Keep = Callable[[str, str], bool]
"""A filter: path and kind (`regular`, `directory`, `symlink`, `unknown`) to whether the entry is taken."""


def entry_kind(host: Host, path: str) -> str | None:
    """What `path` itself is, links not followed, in Nix's words; nothing if it is not there."""
    if host.link_target(path) is not None:
        return "symlink"
    return {"file": "regular", "directory": "directory", "symlink": "symlink", "other": "unknown"}.get(
        host.kind(path) or ""
    )


def _framed(*parts: bytes) -> bytes:
    """Each part with its length before it, padded with zeros to a multiple of eight."""
    return b"".join(len(part).to_bytes(8, "little") + part + bytes(-len(part) % 8) for part in parts)


def archive(host: Host, path: str, keep: Keep | None = None, at: Span | None = None) -> Iterator[bytes]:
    """The archive of the tree at `path`, piece by piece.  Every entry below the root is asked of `keep` first."""
    yield _framed(b"nix-archive-1")
    # Work still to do, last first: finished bytes, or the path of a node.
    waiting: list[bytes | str] = [path]
    entries = 0
    while waiting:
        item = waiting.pop()
        if isinstance(item, bytes):
            yield item
            continue
        kind = entry_kind(host, item)
        if kind == "regular":
            mode = (b"executable", b"") if host.is_executable(item) else ()
            yield _framed(b"(", b"type", b"regular", *mode, b"contents")
            yield _framed(host.read_bytes(item, at))
            yield _framed(b")")
        elif kind == "symlink":
            target = os.fsencode(host.link_target(item) or "")
            yield _framed(b"(", b"type", b"symlink", b"target", target, b")")
        elif kind == "directory":
            yield _framed(b"(", b"type", b"directory")
            todo: list[bytes | str] = []
            names = sorted(host.list_directory(item, at), key=os.fsencode)
            for name in names:
                child = f"{item.rstrip('/')}/{name}"
                if keep is not None and not keep(child, entry_kind(host, child) or "unknown"):
                    continue
                entries += 1
                if entries > MAX_ENTRIES:
                    raise LimitReached(f"too many files below {path}", MAX_ENTRIES, at)
                todo += [_framed(b"entry", b"(", b"name", os.fsencode(name), b"node"), child, _framed(b")")]
            waiting.append(_framed(b")"))
            waiting.extend(reversed(todo))
        else:
            reason = "no such file or directory" if kind is None else "has an unsupported type"
            raise CannotRead(item, reason, at)


def archive_hash(host: Host, path: str, keep: Keep | None = None, at: Span | None = None) -> Hash:
    """The SHA-256 of the archive of the tree at `path`."""
    import hashlib

    digest = hashlib.sha256(usedforsecurity=False)
    for piece in archive(host, path, keep, at):
        digest.update(piece)
    return Hash("sha256", digest.digest())
