"""Splices: small replacements in texts of files, and what becomes of the files.

A change of a configuration is a few splices: each replaces a range of characters of one file by another text, or makes
a file that is not there. Everything outside of the ranges stays as it is, byte by byte; nothing is printed anew from a
tree, so comments and layout survive.

A value seldom stands in its source as it is: quotes, escapes, the indentation of a block and the tags of a template
stand between. `narrowed` therefore looks for the smallest piece round the characters that differ which stands in the
source exactly once, and replaces that alone.

    narrowed("Port: <%= $port %>\\n", "Port: ", "Ports: ")      # (3, 6, "rts: ")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from .host import as_bytes
from .record import Record
from .source import lines_of

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Gone:
    """That something is not there, or is not to be there."""

    def __repr__(self) -> str:
        return "GONE"


GONE = _Gone()


class Splice(Record):
    """Characters [start, end) of a file become `text`.  A file that is not there is empty."""

    file: str
    start: int
    end: int
    text: str


REPLACED = "value replaced"
ADDED_DATA = "data added"
DEFINED = "definition added"
ADDED = "parameter added at the declaration"
FORCED = "definition forced"
CONSTANT = "expression replaced by a constant"
REMOVED = "declaration removed"
OVERRIDE = "override added"
KINDS = (REPLACED, ADDED_DATA, DEFINED, FORCED, ADDED, REMOVED, CONSTANT, OVERRIDE)
"""Kinds of changes.  The first three leave the configuration's own ways from input to value as they are."""


class Rewrite(Record):
    """A change that may give an output the wanted value.  Nobody has compiled it yet.

    `words` say what it sets, `reach` the names by which a person calls how far it reaches (a level of the data),
    `through` the outputs on the way to the one that was asked about, which change with it.
    """

    kind: str
    words: str
    splices: tuple[Splice, ...]
    reach: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
    tried: tuple[Splice, ...] = ()
    """What is compiled in place of the splices, where nobody here can read what they write: an encrypted value."""
    is_among_secrets: bool = False
    """Whether a plain value goes into a file that is there for encrypted ones: people would put it elsewhere."""


class Obstacle(Record):
    """A place where a change was looked for, and why there is none."""

    what: str
    because: str


class Overlapping(Exception):
    """Two splices replace the same characters."""


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """A text with some splices made.  Several at one place are made in their order.  Raises `Overlapping`."""
    pieces: list[str] = []
    at = 0
    ordered = sorted(dict.fromkeys(splices), key=lambda splice: (splice.start, splice.end))
    for splice in ordered:
        if splice.start < at:
            raise Overlapping
        pieces += [text[at : splice.start], splice.text]
        at = splice.end
    return "".join([*pieces, text[at:]])


def changed_files(
    splices: Iterable[Splice], content: Callable[[str], bytes | None]
) -> dict[str, tuple[bytes | None, bytes]]:
    """What becomes of each file: its content before (nothing if it is new) and after.  Raises `Overlapping`."""
    by_file: dict[str, list[Splice]] = {}
    for splice in splices:
        by_file.setdefault(splice.file, []).append(splice)
    files: dict[str, tuple[bytes | None, bytes]] = {}
    for file, some in by_file.items():
        before = content(file)
        mark = BYTE_ORDER_MARK if before is not None and before.startswith(BYTE_ORDER_MARK) else b""
        text = (before or b"").removeprefix(mark).decode("utf-8")
        files[file] = before, mark + as_bytes(spliced(text, some))
    return files


def patch(files: Mapping[str, tuple[bytes | None, bytes]]) -> str:
    """The changes as a patch that `git apply` takes, below the directory that the names are relative to."""
    return "".join(line for name, (old, new) in files.items() for line in _patch(name, old, new))


def _patch(name: str, old: bytes | None, new: bytes) -> Iterator[str]:
    from difflib import unified_diff  # most runs write no patch

    before, after = (lines_of(content.decode("utf-8"), keep_ends=True) for content in (old or b"", new))
    yield f"diff --git a/{name} b/{name}\n"
    if old is None:
        yield "new file mode 100644\n"
    for line in unified_diff(before, after, "/dev/null" if old is None else f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def changed_lines(old: bytes | None, new: bytes) -> list[tuple[str, int, str]]:
    """The lines that differ: `-` or `+`, the number of the line (from 1) on its side, its text."""
    from .lines import changed_runs

    before, after = (lines_of(content.decode("utf-8")) for content in (old or b"", new))
    rows: list[tuple[str, int, str]] = []
    for i1, i2, j1, j2 in changed_runs(before, after):
        rows += [("-", number + 1, before[number]) for number in range(i1, i2)]
        rows += [("+", number + 1, after[number]) for number in range(j1, j2)]
    return rows


def narrowed(source: str, old: str, new: str, most: int = 200) -> tuple[int, int, str] | None:
    """Where in `source` the part stands by which `old` differs from `new`, and what takes its place.

    It is the smallest piece of `old` round the difference that occurs once; nothing if every piece occurs elsewhere
    too, or none does.
    """
    start, old_end, new_end = difference(old, new)
    for context in range(most):
        left, right = max(0, start - context), min(len(old), old_end + context)
        piece = old[left:right]
        count = source.count(piece) if piece else 0
        if count == 1:
            at = source.index(piece)
            return at + (start - left), at + (old_end - left), new[start:new_end]
        if (piece and not count) or (left == 0 and right == len(old)):
            break
    return None


def difference(old: str, new: str) -> tuple[int, int, int]:
    """Where two texts begin to differ, and where what differs ends in each."""
    start = 0
    shorter = min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    behind = 0
    while behind < shorter - start and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    return start, len(old) - behind, len(new) - behind
