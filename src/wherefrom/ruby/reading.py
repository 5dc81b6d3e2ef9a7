"""What every part of the reader of Ruby needs: the text, places in it, and the local names in force."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import wherefrom.ruby.nodes as n

from ..base.source import SourceFile, Span
from .errors import RubySyntaxError

HEAD = 5
"""First slot of a frame that holds a local variable; see `frames`."""

TEXT_MARK = "erb_text_"
OUTPUT_MARK = "erb_output_"
"""The placeholders of a template's text and of its outputs in the Ruby code; see `erb`."""

SKIPPED = frozenset(("comment", "empty_statement", "heredoc_body", "uninterpreted"))


@lru_cache(maxsize=1)
def grammar() -> Any:
    import tree_sitter
    import tree_sitter_ruby

    return tree_sitter, tree_sitter.Language(tree_sitter_ruby.language())


class Places:
    """From byte offsets of the parsed text to spans of the file."""

    __slots__ = ("_chars", "_data", "_lengths", "_pieces", "_starts", "blanks", "file")

    def __init__(self, file: SourceFile, data: bytes, pieces: list[tuple[int, int, int]] | None = None) -> None:
        """`pieces`: (offset in the parsed text, offset in the file, length), in characters, sorted."""
        self.file = file
        self._data = data
        self._pieces = pieces
        self._starts = [piece[0] for piece in pieces] if pieces else []
        self._chars: list[int] | None = None if data.isascii() else _char_offsets(data)
        self.blanks: list[int] = []
        """Where the parsed text has a blank that the data has not, in order."""

    def offset(self, byte: int, is_end: bool = False) -> int:
        """The offset in the file of a byte of the parsed text."""
        byte = min(byte - bisect_left(self.blanks, byte), len(self._data))
        char = byte if self._chars is None else self._chars[byte]
        if self._pieces is None:
            return char
        index = bisect_right(self._starts, char - 1 if is_end and char else char) - 1
        if index < 0:
            return 0
        start, target, length = self._pieces[index]
        return target + min(char - start, length)

    def span(self, start: int, end: int) -> Span:
        """The span of the file for bytes [start, end) of the parsed text."""
        first = self.offset(start)
        return Span(self.file, first, max(first, self.offset(end, True)))


def _char_offsets(data: bytes) -> list[int]:
    offsets: list[int] = []
    count = -1
    for byte in data:
        if byte & 0xC0 != 0x80:
            count += 1
        offsets.append(count)
    offsets.append(count + 1)
    return offsets


_OPENING = re.compile(rb"<<[-~]?([\"'`]?)(.*?)\1\Z", re.DOTALL)
_VALUE_BEFORE = re.compile(rb"(?:[\])}]|(?<![\w@$])(?!(?:%s)\Z)[\w@$]*\w[?!]?)\Z" % b"|".join(
    b"and begin class do else elsif ensure if in not or rescue return then unless until when while yield".split()
))  # fmt: skip


def shifts(data: bytes, top: Any) -> list[int]:
    """Behind which `<<` there is an operand, though the grammar took it for the beginning of a heredoc.

    Ruby knows by what stands before: right behind a value it is an operator (`list<<item`), and behind a blank where
    the value is a variable (`list <<item`). The grammar does not know variables; where no line ends the heredoc, there
    is none.
    """
    places: list[int] = []
    stack = [top]
    while stack:
        node = stack.pop()
        if node.type == "heredoc_beginning":
            start, end = node.start_byte, node.end_byte
            opening = _OPENING.match(data[start:end])
            word = re.escape(opening[2]) if opening else b""
            ends = re.compile(rb"^[ \t]*%s\r?$" % word, re.MULTILINE)
            if _VALUE_BEFORE.search(data[max(0, start - 80) : start]) or not ends.search(data, end):
                places.append(start + 2)
        stack.extend(node.children)
    return sorted(places)


class Scope:
    """The local names of a method body or block."""

    __slots__ = ("is_block", "names", "numbered", "parent", "slots")

    def __init__(self, parent: Scope | None, is_block: bool) -> None:
        self.parent = parent
        self.is_block = is_block
        self.names: dict[str, int] = {}
        self.slots = HEAD
        self.numbered = 0

    def declare(self, name: str) -> int:
        """The slot of a name that is local here."""
        slot = self.names.get(name)
        if slot is None:
            slot = self.names[name] = self.slots
            self.slots += 1
        return slot

    def hidden(self) -> int:
        """A slot without a name."""
        self.slots += 1
        return self.slots - 1

    def find(self, name: str) -> tuple[int, int] | None:
        """Depth and slot of a name."""
        scope: Scope | None = self
        depth = 0
        while scope is not None:
            slot = scope.names.get(name)
            if slot is not None:
                return depth, slot
            scope = scope.parent if scope.is_block else None
            depth += 1
        return None


class Reading:
    """One text being turned into nodes: what it is made of and how parts of it are asked for."""

    def __init__(
        self,
        data: bytes,
        places: Places,
        chunks: list[tuple[str, Span]] | None = None,
        locals_: tuple[str, ...] = (),
    ) -> None:
        tree_sitter, language = grammar()
        self.data = data
        self.places = places
        self.chunks = chunks
        self.tree = tree_sitter.Parser(language).parse(data)
        if b"<<" in data:
            self._tell_shifts(tree_sitter.Parser(language))
        self.scope = Scope(None, False)
        for name in locals_:
            self.scope.declare(name)
        self.heredocs: dict[int, Any] = {}
        self.jumps: list[set[str]] = [set()]
        self.changes = False

    def _tell_shifts(self, parser: Any) -> None:
        """Parse again with blanks that tell operators from heredocs; one that was none hides all behind it."""
        whole = self.data if self.data.endswith(b"\n") else self.data + b"\n"  # the end of a heredoc is a whole line
        points: list[int] = []
        while True:
            self.data = b" ".join(whole[start:end] for start, end in pairwise([0, *points, len(whole)]))
            self.places.blanks = [point + number for number, point in enumerate(points)]
            self.tree = parser.parse(self.data)
            more = {place - bisect_left(self.places.blanks, place) for place in shifts(self.data, self.tree.root_node)}
            if more <= {*points}:
                return
            points = sorted({*points, *more})

    def arguments(self, node: object) -> tuple[tuple[n.Node, ...], n.Block | None, n.Node | None]:
        """The arguments below a node."""
        raise NotImplementedError

    def word(self, name: str, node: object) -> n.Node:
        """A bare word: a local variable or a call."""
        raise NotImplementedError

    def text(self, node: Any) -> str:
        """The source of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def span(self, node: Any) -> Span:
        """The place of a node in the user's file."""
        return self.places.span(node.start_byte, node.end_byte)

    def named(self, node: Any) -> list[Any]:
        """The named children that mean something."""
        return [child for child in node.named_children if child.type not in SKIPPED]

    def splatted(self, node: object) -> object:
        """What stands behind a `*` or `**`."""
        inside = self.named(node)
        if not inside:
            raise RubySyntaxError("syntax error: nothing behind the splat", self.span(node))
        return inside[0]

    def nothing(self, node: object) -> n.Node:
        """nil, where nothing is written."""
        return n.Constant(None, span=self.span(node))

    def sequence(self, node: object, skip: frozenset[str] = frozenset()) -> n.Node:
        """The statements below a node."""
        statements = [self.node(child) for child in self.named(node) if child.type not in skip]
        if len(statements) == 1:
            return statements[0]
        if not statements:
            return self.nothing(node)
        return n.Sequence(tuple(statements), span=self.span(node))

    def unsupported(self, node: object, what: str, refused: bool = False) -> n.Node:
        return n.Unsupported(what, refused, span=self.span(node))

    def node(self, node: Any) -> n.Node:
        """Any expression or statement."""
        method: Callable[[Any], n.Node] | None = getattr(self, "read_" + node.type, None)
        if method is None:
            return self.unsupported(node, f"`{node.type.replace('_', ' ')}`")
        return method(node)

    def optional(self, node: object, owner: object) -> n.Node:
        return self.nothing(owner) if node is None else self.node(node)
