"""Local git repositories, read as files: which revision is checked out, which files it has, and what is in them.

A flake reference `git+file:...` means the files that git knows, and no others. Everything needed for that is in files
of a documented form (git's manual: "gitrepository-layout", "gitformat-index", "gitformat-pack"), so git itself is not
asked: nothing that a repository's settings name (hooks, filters, file system monitors, remotes) can be run or fetched,
and what is read is read through the host, below the allowed directories alone.

Filters and line endings that `.gitattributes` asks for are not applied, and submodules are empty directories.
"""

from __future__ import annotations

import os.path
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha1
from typing import TYPE_CHECKING

from ...base.budget import current
from ...base.diagnostics import CannotRead, Diagnostic, LimitReached
from ...base.host import MAX_FILE_BYTES, Host
from ...base.record import Record
from ...base.source import lines_of

if TYPE_CHECKING:
    from ...base.source import Span

LINK, EXECUTABLE, SUBMODULE = 0o120000, 0o100755, 0o160000
_DIRECTORY = 0o040000

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _REFERENCE_DELTA = 6, 7

_MAX_COMMITS = 2_000_000
_MAX_NAMES = 1_000_000
_MAX_CHAIN = 10_000


class BadRepository(Diagnostic):
    """A repository that is not there, or can not be read."""

    code = "N064"

    def __init__(self, directory: str, reason: str) -> None:
        super().__init__(f"git repository '{directory}' {reason}")


class Commit(Record):
    """A commit: its tree, its parents, and when it was made, in seconds since 1970."""

    tree: str
    parents: tuple[str, ...]
    time: int


Entries = Mapping[str, tuple[int, str]]
"""Files by their names: mode and the hash of the content."""


class Repository:
    """The repository of a work tree, or a bare one."""

    def __init__(self, host: Host, directory: str) -> None:
        self.host = host
        self.directory = directory
        if not host.is_directory(directory):
            raise BadRepository(directory, "does not exist")
        self.folder = self._git_directory()
        self.common = self._common_directory()
        self._packs: list[tuple[bytes, bytes]] | None = None
        self._stores: list[str] = []
        if self._text(os.path.join(self.folder, "HEAD")) is None:
            raise BadRepository(directory, "is not a git repository: it has neither .git nor HEAD")

    @property
    def is_bare(self) -> bool:
        """Whether there is no work tree."""
        return self.folder == self.directory

    def _git_directory(self) -> str:
        inside = os.path.join(self.directory, ".git")
        kind = self.host.kind(inside)
        if kind == "file":  # a work tree of another repository
            text = self._text(inside) or ""
            if text.startswith("gitdir: "):
                return os.path.normpath(os.path.join(self.directory, text.removeprefix("gitdir: ").strip()))
        return inside if kind == "directory" else self.directory

    def _common_directory(self) -> str:
        shared = self._text(os.path.join(self.folder, "commondir"))
        return self.folder if shared is None else os.path.normpath(os.path.join(self.folder, shared.strip()))

    def _text(self, path: str) -> str | None:
        if not self.host.is_file(path):
            return None
        return self.host.read_bytes(path).decode("utf-8", "surrogateescape")

    # --- names of revisions ---

    def branch(self) -> str | None:
        """What is checked out: `refs/heads/main`; nothing if it is a commit by itself."""
        head = (self._text(os.path.join(self.folder, "HEAD")) or "").strip()
        return head.removeprefix("ref: ") if head.startswith("ref: ") else None

    def head(self) -> str | None:
        """The commit that is checked out; nothing before the first."""
        branch = self.branch()
        if branch is None:
            return (self._text(os.path.join(self.folder, "HEAD")) or "").strip() or None
        return self._reference(branch)

    def revision(self, name: str) -> str:
        """The commit that a branch or tag names."""
        for prefix in ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"):
            digest = self.head() if prefix + name == "HEAD" else self._reference(prefix + name)
            if digest is not None:
                return self._peeled(digest)
        raise BadRepository(self.directory, f"has no branch or tag '{name}'")

    def _reference(self, name: str) -> str | None:
        if os.path.normpath(name) != name or name.startswith(("/", "..")):
            return None
        for _ in range(5):
            text = self._text(os.path.join(self.folder, name)) or self._text(os.path.join(self.common, name))
            if text is None or not text.startswith("ref: "):
                break
            name = text.removeprefix("ref: ").strip()
        if text is not None:
            return text.strip() if _is_digest(text.strip()) else None
        for line in lines_of(self._text(os.path.join(self.common, "packed-refs")) or ""):
            if line.endswith(" " + name):
                return line.partition(" ")[0]
        return None

    def _peeled(self, digest: str) -> str:
        for _ in range(10):
            kind, content = self._object(digest)
            if kind != "tag":
                break
            digest = content.split(b"\n", 1)[0].removeprefix(b"object ").decode()
        return digest

    # --- commits and their files ---

    def commit(self, digest: str) -> Commit:
        """The commit with this hash."""
        kind, content = self._object(digest)
        if kind != "commit":
            raise BadRepository(self.directory, f"has a {kind} called {digest}, where a commit is needed")
        tree, parents, time = "", [], 0
        with self._intact():
            for line in content.partition(b"\n\n")[0].split(b"\n"):
                word, _, rest = line.partition(b" ")
                if word == b"tree":
                    tree = rest.decode()
                elif word == b"parent":
                    parents.append(rest.decode())
                elif word == b"committer":
                    time = int(rest.split(b" ")[-2])
        return Commit(tree, tuple(parents), time)

    def count(self, digest: str) -> int:
        """How many commits led to this one, itself among them."""
        if self.host.is_file(os.path.join(self.common, "shallow")):
            raise BadRepository(self.directory, "is a shallow clone, so the number of its commits is unknown")
        waiting, counted = [digest], {digest}
        while waiting:
            for parent in self.commit(waiting.pop()).parents:
                if parent not in counted:
                    counted.add(parent)
                    waiting.append(parent)
            if len(counted) > _MAX_COMMITS:
                raise LimitReached(f"{self.directory} has too many commits", _MAX_COMMITS)
        return len(counted)

    def files(self, tree: str) -> dict[str, tuple[int, str]]:
        """Every file of a tree, by its path."""
        entries: dict[str, tuple[int, str]] = {}
        waiting = [("", tree, 0)]
        while waiting:
            prefix, digest, depth = waiting.pop()
            kind, content = self._object(digest)
            if kind != "tree" or depth > 1_000:
                raise BadRepository(self.directory, f"has a {kind} called {digest}, where a tree is needed")
            with self._intact():
                children = list(_tree_entries(content))
            for mode, name, child in children:
                if mode == _DIRECTORY:
                    waiting.append((f"{prefix}{name}/", child, depth + 1))
                else:
                    entries[prefix + name] = mode, child
            if len(entries) + len(waiting) > _MAX_NAMES:
                raise LimitReached(f"{self.directory} has too many files", _MAX_NAMES)
        return entries

    def tracked(self) -> dict[str, tuple[int, str]]:
        """The files that the index holds: those that git knows in the work tree."""
        path = os.path.join(self.folder, "index")
        if not self.host.is_file(path):
            return {}
        with self._intact():
            return _index_entries(self.host.read_bytes(path), self.directory)

    def is_clean(self, head: Entries, tracked: Entries) -> bool:
        """Whether index and work tree are as they were committed."""
        return dict(head) == dict(tracked) and all(
            self._is_unchanged(name, mode, digest) for name, (mode, digest) in tracked.items() if mode != SUBMODULE
        )

    def _is_unchanged(self, name: str, mode: int, digest: str) -> bool:
        path = os.path.join(self.directory, name)
        target = self.host.link_target(path)
        if (target is not None) != (mode == LINK):
            return False
        if target is not None:
            return _digest("blob", os.fsencode(target)) == digest
        if self.host.kind(path) != "file" or self.host.is_executable(path) != (mode == EXECUTABLE):
            return False
        return _digest("blob", self.host.read_bytes(path)) == digest

    def content(self, digest: str) -> bytes:
        """The content of a file, by its hash."""
        kind, content = self._object(digest)
        if kind != "blob":
            raise BadRepository(self.directory, f"has a {kind} called {digest}, where a file is needed")
        return content

    # --- objects ---

    def _object(self, digest: str) -> tuple[str, bytes]:
        with self._intact():
            return self._stored(digest)

    @contextmanager
    def _intact(self) -> Iterator[None]:
        """What is read inside is cut off or nonsense if it can not be taken apart."""
        try:
            yield
        except (ValueError, IndexError):
            raise BadRepository(self.directory, "is damaged: something in it is not in git's format") from None

    def _stored(self, digest: str) -> tuple[str, bytes]:
        if not _is_digest(digest):
            raise BadRepository(self.directory, f"names an object '{digest}', which is not a SHA-1 hash")
        for store in self._object_stores():
            path = os.path.join(store, digest[:2], digest[2:])
            if self.host.is_file(path):
                head, _, content = self._inflated(self.host.read_bytes(path)).partition(b"\0")
                return head.split(b" ")[0].decode(), content
        packed = self._packed(bytes.fromhex(digest))
        if packed is None:
            raise BadRepository(self.directory, f"does not have the object {digest}")
        return packed

    def _object_stores(self) -> list[str]:
        if not self._stores:
            self._stores = [os.path.join(self.common, "objects")]
            others = self._text(os.path.join(self.common, "objects", "info", "alternates")) or ""
            self._stores += [os.path.join(self._stores[0], line) for line in lines_of(others) if line]
        return self._stores

    def _inflated(self, data: bytes, size: int = MAX_FILE_BYTES) -> bytes:
        stream = zlib.decompressobj()
        try:
            content = stream.decompress(data, min(size, MAX_FILE_BYTES) + 1)
        except zlib.error:
            raise BadRepository(self.directory, "has an object that is damaged") from None
        if len(content) > min(size, MAX_FILE_BYTES):
            raise LimitReached(f"{self.directory} has an object that is too large", MAX_FILE_BYTES)
        current().draw("bytes", len(content), f"unpacking {self.directory}")  # many differences may be chained
        return content

    def _packed(self, digest: bytes) -> tuple[str, bytes] | None:
        if self._packs is None:
            self._packs = []
            for store in self._object_stores():
                folder = os.path.join(store, "pack")
                for name in self.host.list_directory(folder) if self.host.is_directory(folder) else ():
                    if name.endswith(".idx"):
                        pack = os.path.join(folder, name.removesuffix(".idx") + ".pack")
                        self._packs.append(
                            (self.host.read_bytes(os.path.join(folder, name)), self.host.read_bytes(pack))
                        )
        for index, objects in self._packs:
            at = _offset(index, digest)
            if at is not None:
                return self._unpacked(objects, at)
        return None

    def _unpacked(self, pack: bytes, at: int) -> tuple[str, bytes]:
        """The object at an offset of a pack: perhaps the last of a chain of differences."""
        deltas: list[bytes] = []
        for _ in range(_MAX_CHAIN):
            byte = pack[at]
            number, size, shift = (byte >> 4) & 7, byte & 15, 4
            start, at = at, at + 1
            while byte & 0x80:
                byte = pack[at]
                size |= (byte & 0x7F) << shift
                shift, at = shift + 7, at + 1
            if number == _OFFSET_DELTA:
                byte = pack[at]
                back, at = byte & 0x7F, at + 1
                while byte & 0x80:
                    byte = pack[at]
                    back, at = (back + 1 << 7) | (byte & 0x7F), at + 1
                deltas.append(self._inflated(pack[at : at + size + 1024 + size // 100], size))
                at = start - back
            elif number == _REFERENCE_DELTA:
                base = pack[at : at + 20].hex()
                deltas.append(self._inflated(pack[at + 20 : at + 20 + size + 1024 + size // 100], size))
                kind, content = self._object(base)
                return kind, self._patched(content, deltas)
            elif number in _KINDS and size <= MAX_FILE_BYTES:
                content = self._inflated(pack[at : at + size + 1024 + size // 100], size)
                return _KINDS[number], self._patched(content, deltas)
            else:
                break
        raise BadRepository(self.directory, "has a pack that is damaged, or an object that is too large")

    def _patched(self, content: bytes, deltas: list[bytes]) -> bytes:
        for delta in reversed(deltas):
            content = self._changed(content, delta)
        return content

    def _changed(self, base: bytes, delta: bytes) -> bytes:
        """A content, made from another by copying parts of it and inserting others."""
        at = 0
        for _ in range(2):  # two sizes: of the base, and of what it becomes
            while delta[at] & 0x80:
                at += 1
            at += 1
        pieces: list[bytes] = []
        total = 0
        while at < len(delta):
            order, at = delta[at], at + 1
            if order & 0x80:
                offset = size = 0
                for bit in range(7):
                    if order & (1 << bit):
                        if bit < 4:
                            offset |= delta[at] << (8 * bit)
                        else:
                            size |= delta[at] << (8 * (bit - 4))
                        at += 1
                piece = base[offset : offset + (size or 0x10000)]
            else:
                piece, at = delta[at : at + order], at + order
            total += len(piece)
            if total > MAX_FILE_BYTES or not piece:
                raise BadRepository(self.directory, "has a pack that is damaged, or an object that is too large")
            pieces.append(piece)
        return b"".join(pieces)


def _is_digest(text: str) -> bool:
    return len(text) == 40 and all(letter in "0123456789abcdef" for letter in text)


def _digest(kind: str, content: bytes) -> str:
    return sha1(f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()


def _tree_entries(content: bytes) -> Iterator[tuple[int, str, str]]:
    at = 0
    while at < len(content):
        space, end = content.index(b" ", at), content.index(b"\0", at)
        name = os.fsdecode(content[space + 1 : end])
        if name in ("", ".", "..", ".git") or "/" in name:
            raise ValueError(name)
        yield int(content[at:space], 8), name, content[end + 1 : end + 21].hex()
        at = end + 21


def _index_entries(data: bytes, directory: str) -> dict[str, tuple[int, str]]:
    """The entries of an index, of the versions 2 to 4.  One in conflict counts with its last stage."""
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise BadRepository(directory, f"has an index of version {version}, which is not supported")
    entries: dict[str, tuple[int, str]] = {}
    at, before = 12, b""
    for _ in range(count):
        mode = int.from_bytes(data[at + 24 : at + 28], "big")
        digest = data[at + 40 : at + 60].hex()
        flags = int.from_bytes(data[at + 60 : at + 62], "big")
        name_at = at + (64 if flags & 0x4000 else 62)
        if version == 4:  # only what differs from the name before it
            cut, name_at = _varint(data, name_at)
            end = data.index(b"\0", name_at)
            name = before[: len(before) - cut] + data[name_at:end]
            at = end + 1
        else:
            end = data.index(b"\0", name_at)
            name = data[name_at:end]
            at += (end - at) // 8 * 8 + 8
        before = name
        if not {b"", b".", b"..", b".git"}.isdisjoint(name.split(b"/")):
            raise ValueError(name)
        entries[os.fsdecode(name)] = mode, digest
    return entries


def _varint(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    value, at = byte & 0x7F, at + 1
    while byte & 0x80:
        byte = data[at]
        value, at = (value + 1 << 7) | (byte & 0x7F), at + 1
    return value, at


def _offset(index: bytes, digest: bytes) -> int | None:
    """Where an object stands in the pack of an index (version 2), if it is there."""
    if index[:8] != b"\xfftOc\0\0\0\2":
        return None

    def fan(number: int) -> int:
        return int.from_bytes(index[8 + 4 * number : 12 + 4 * number], "big")

    low, high, total = (fan(digest[0] - 1) if digest[0] else 0), fan(digest[0]), fan(255)
    names = 8 + 1024
    while low < high:
        middle = (low + high) // 2
        here = index[names + 20 * middle : names + 20 * middle + 20]
        if here == digest:
            offsets = names + 24 * total
            at = int.from_bytes(index[offsets + 4 * middle : offsets + 4 * middle + 4], "big")
            if at < 1 << 31:
                return at
            large = offsets + 4 * total + 8 * (at - (1 << 31))
            return int.from_bytes(index[large : large + 8], "big")
        if here < digest:
            low = middle + 1
        else:
            high = middle
    return None


class Snapshot(Host):
    """The files of a repository that count, shown below a directory: of a commit, or tracked ones of the work tree.

    Directories are those that files lie in. Links are followed within the files alone.
    """

    def __init__(self, repository: Repository, directory: str, entries: Entries, committed: bool) -> None:
        self.directory = directory
        self._repository = repository
        self._committed = committed
        """Whether contents come from the commit, and not from the work tree."""
        self._entries = dict(entries)
        self._children: dict[str, set[str]] = {"": set()}
        for name in entries:
            while name:
                parent, _, last = name.rpartition("/")
                self._children.setdefault(parent, set()).add(last)
                name = parent
        for name, (mode, _) in entries.items():
            if mode == SUBMODULE:
                self._children.setdefault(name, set())

    def _name(self, path: str) -> str | None:
        if path == self.directory:
            return ""
        prefix = self.directory + "/"
        return os.path.normpath(path[len(prefix) :]) if path.startswith(prefix) else None

    def _followed(self, path: str) -> str | None:
        """The name of what a path leads to; nothing if it leads nowhere or out."""
        name = self._name(path)
        left = [] if not name else name.split("/")
        done: list[str] = []
        for _ in range(len(left) + 40 * 64):
            if not left:
                return "/".join(done)
            step, *left = left
            if step == "..":
                if not done:
                    return None
                done.pop()
                continue
            here = "/".join([*done, step])
            if self._entries.get(here, (0, ""))[0] != LINK:
                done.append(step)
                continue
            target = self._link(here)
            if target.startswith("/"):
                return None
            left = [part for part in target.split("/") if part not in ("", ".")] + left
        return None

    def _link(self, name: str) -> str:
        if self._committed:
            return os.fsdecode(self._repository.content(self._entries[name][1]))
        return self._repository.host.link_target(os.path.join(self._repository.directory, name)) or ""

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        name = self._followed(path)
        if name is None or name not in self._entries or name in self._children:
            raise CannotRead(path, "is a directory" if name in self._children else "no such file or directory", at)
        if self._committed:
            return self._repository.content(self._entries[name][1])
        return self._repository.host.read_bytes(os.path.join(self._repository.directory, name), at)

    def kind(self, path: str) -> str | None:
        name = self._followed(path)
        if name is None:
            return "symlink" if self._name(path) in self._entries else None
        if name in self._children:
            return "directory"
        return "file" if name in self._entries else None

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        name = self._followed(path)
        if name is None or name not in self._children:
            raise CannotRead(path, "no such directory", at)
        return sorted(self._children[name])

    def link_target(self, path: str) -> str | None:
        name = self._name(path)
        return self._link(name) if name and self._entries.get(name, (0, ""))[0] == LINK else None

    def is_executable(self, path: str) -> bool:
        name = self._followed(path)
        if name is None:
            return False
        if self._committed:
            return self._entries.get(name, (0, ""))[0] == EXECUTABLE
        return self._repository.host.is_executable(os.path.join(self._repository.directory, name))

    def environment(self, name: str) -> str | None:
        return None

    def now(self) -> float:
        return self._repository.host.now()
