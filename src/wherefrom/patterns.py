"""Patterns of inputs and of outputs, as rules name them.

An input may be less than a pattern means, or more: a history has `fact os` where a rule says `fact:os.family`, or a
directory that was looked for in vain where a rule names files in it. Which of them counts is a matter of the question,
and must err on the safe side:

| the rule says               | an input counts if                                                                |
|-----------------------------|-----------------------------------------------------------------------------------|
| `never`                     | the pattern `touches` it: some of what it stands for is meant                     |
| `only`, `some`, `except`    | the pattern `covers` it: all of what it stands for is meant                       |

    InputPattern("fact:os.family").touches(<fact os>)      # True: it has the family in it
    InputPattern("fact:os.family").covers(<fact os>)       # False: it has the name in it too
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from .base.globs import Shape
from .base.record import Record
from .influence import Node, path_shape, path_signs, relative
from .provenance.origins import KINDS, Leaf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .base.source import Span

ENCRYPTED = "encrypted"
CLAIMED = "claimed"
WORDS = {ENCRYPTED: "encrypted data", CLAIMED: "what the machine says of itself: facts"}
"""Patterns that are no kind with a name, and no path."""
_FILES = (".pp", ".rb", ".epp", ".erb", ".yaml", ".yml", ".eyaml", ".json", ".conf", ".toml", ".nix", ".sf", ".lock")
"""Ends of names that are looked for as files; any other may be a directory's."""
_OF_NODE = (("node", ""), ("trusted", "certname"), ("trusted", "hostname"), ("trusted", "domain"))
_NODE_FACTS = ("clientcert",)
"""Other names of the node's name."""


class InputPattern(Record):
    """Inputs: `fact:os.*`, `hiera:KEY`, `trusted:*`, `encrypted`, `claimed`, or files: `data/security/**`."""

    text: str

    @property
    def kind(self) -> str:
        """A kind of inputs, one of the words, or nothing for files."""
        kind, colon, _ = self.text.partition(":")
        return kind if (colon and kind in KINDS and kind != "file") or self.text in WORDS else ""

    @property
    def name(self) -> str:
        """What stands behind the kind."""
        return self.text.partition(":")[2] or "*"

    @property
    def path(self) -> str:
        """The files that are meant, for a pattern of files."""
        return self.name if self.text.startswith("file:") else self.text

    def touches(self, node: Node, base: str) -> bool:
        """Whether some of what an input stands for is meant."""
        if not self.kind:
            return self._touches_file(node, base)
        return self._is_of_kind(node) and any(_touches(self.name, name) for name in self._names(node))

    def covers(self, node: Node, base: str) -> bool:
        """Whether all of what an input stands for is meant."""
        if not self.kind:
            return self._covers_file(node, base)
        if not self._is_of_kind(node):
            return False
        assert isinstance(node, Leaf)
        if node.kind != self.kind and self.text not in WORDS and node.kind == "trusted" and not node.name:
            return False  # all that is trusted is more than the node's name
        return all(_covers(self.name, name) for name in self._names(node))

    def could_be(self, node: Node, base: str) -> bool:
        """Whether an input shows that the pattern is no mistake: the pattern covers it, or means files below it."""
        if self.kind or self.covers(node, base):
            return self.covers(node, base)
        name = relative(file_of(node), base)
        head = re.split(r"[*?]", self.path, maxsplit=1)[0].removeprefix("./")
        return path_shape(self.path).fullmatch(name) or (_is_directory(node) and head.startswith(f"{name}/"))

    # --- inputs with names -------------------------------------------------------------------------------------------

    def _is_of_kind(self, node: Node) -> bool:
        if not isinstance(node, Leaf):
            return False
        if self.text == ENCRYPTED:
            return node.detail == "encrypted"
        if self.text == CLAIMED:
            return node.kind == "fact"
        return node.kind == self.kind or (self._is_of_node() and _is_node(node))

    def _is_of_node(self) -> bool:
        return self.kind == "node" or (self.kind == "trusted" and _covers(self.name, "certname"))

    def _names(self, node: Node) -> Sequence[str]:
        assert isinstance(node, Leaf)
        if self.text in WORDS:
            return ["*"]
        return node.names if node.kind == self.kind else [self.name]  # another name of the same input

    # --- files -------------------------------------------------------------------------------------------------------

    def _touches_file(self, node: Node, base: str) -> bool:
        file = file_of(node)
        if not file:
            return False
        name = relative(file, base)
        several = isinstance(node, Leaf) and node.absent and "*" in file  # looked for in several directories
        if not several and path_shape(self.path).fullmatch(name):
            return True
        signs = path_signs(self.path)
        if several and _reaches(signs, name, whole=True):
            return True
        return _is_directory(node) and _reaches(signs, f"{name.rstrip('/')}/")

    def _covers_file(self, node: Node, base: str) -> bool:
        file = file_of(node)
        if not file:
            return False
        name, shape = relative(file, base), path_shape(self.path)
        if name.startswith(("../", "$")) and not self.path.startswith(name[:2]):
            return False  # it lies outside of the project
        if isinstance(node, Leaf) and node.absent and "*" in name:
            return all(shape.fullmatch(name.replace("*", any_name)) for any_name in ("", "\0\0"))
        return shape.fullmatch(name) or (_is_directory(node) and shape.fullmatch(f"{name}/\0/\0\0"))


def file_of(node: Node) -> str:
    """The file that a node of a history stands in, or is."""
    span: Span | None = getattr(node, "span", None)
    if span is not None:
        return span.file.name
    if isinstance(node, Leaf):
        return node.name if node.kind == "file" else node.file
    return ""


def _is_node(leaf: Leaf) -> bool:
    if leaf.kind == "fact":
        return leaf.name in _NODE_FACTS
    return any(leaf.kind == kind and leaf.name in ("", name) for kind, name in _OF_NODE) or leaf.kind == "node"


def _is_directory(node: Node) -> bool:
    """Whether an input may be a directory, so that files in it are part of it."""
    is_file = isinstance(node, Leaf) and node.kind == "file" and node.span is None
    return is_file and not file_of(node).endswith(_FILES)


@lru_cache(8192)
def _covers(glob: str, name: str) -> bool:
    """Whether a name is meant, or one that it is a part of."""
    return name_shape(glob).fullmatch(name) or any(
        name_shape(f"{glob}{separator}*").fullmatch(name) for separator in ".["
    )


@lru_cache(8192)
def _touches(glob: str, name: str) -> bool:
    """The same, or a part of it is meant; the empty name is the whole of a kind."""
    if not name or _covers(glob, name):
        return True
    signs = tuple({"*": "**", "?": "??"}.get(sign, sign) for sign in glob)
    return any(_reaches(signs, name + separator) for separator in ".[")


@lru_cache(1024)
def name_shape(glob: str) -> Shape:
    """A pattern in which `*` stands for any text and `?` for any character."""
    return Shape.of(glob, "?")


def _reaches(signs: Sequence[str], text: str, whole: bool = False) -> bool:
    """Whether a text that a pattern means could begin with `text`; `whole`: could be `text`.

    A `*` in `text` stands for any name. The signs are those of `path_signs`, with `??` for any character at all.
    """
    here = set(_passed(signs, [(0, False)]))
    for character in text:
        if character != "*":
            here = set(_passed(signs, _after(signs, here, character)))
            continue
        more = here
        while more:
            more = set(_passed(signs, _after(signs, more, None))) - here
            here |= more
    return (len(signs), False) in here if whole else bool(here)


_State = tuple[int, bool]
"""How many signs are behind, and whether the next one, a `**/`, has begun."""


def _passed(signs: Sequence[str], states: Iterator[_State] | list[_State]) -> Iterator[_State]:
    """The states, with those behind signs that may stand for nothing."""
    for at, begun in states:
        yield at, begun
        while not begun and at < len(signs) and signs[at] in ("*", "**", "**/"):
            at += 1
            yield at, False


def _after(signs: Sequence[str], states: set[_State], character: str | None) -> Iterator[_State]:
    """The states behind one more character; nothing stands for any but a slash."""
    inside = character != "/"
    for at, _ in states:
        sign = signs[at] if at < len(signs) else ""
        if sign == "**/":
            yield at, True
        elif sign == "**" or (sign == "*" and inside):
            yield at, False
        is_it = sign == character or (character is None and sign != "/")
        is_any = sign == "??" or (sign == "?" and inside) or (sign == "**/" and not inside)
        if is_any or (len(sign) == 1 and sign not in "*?" and is_it):
            yield at + 1, False


# --- outputs ---------------------------------------------------------------------------------------------------------

_RESOURCE = re.compile(r"(?P<type>[^\[\]]+)\[(?P<title>.*?)\](?:\.(?P<attribute>.+))?", re.DOTALL)


class OutputPattern(Record):
    """Outputs: `File[/etc/ssh/*].mode` by type, title and attribute apart; of other languages by their whole path."""

    text: str

    def matches(self, parts: tuple[str, str, str] | None, path: str) -> bool:
        """Whether an output is meant; an attribute is meant with its elements."""
        if self.text == "*":
            return True
        if parts is None:
            return name_shape(self.text).fullmatch(path) or _is_inside(self.text, path)
        kind, title, attribute = parts
        titles = titles_of(self.text, kind, attribute)
        return titles is not None and _is_title(titles, kind, title)


@lru_cache(8192)
def titles_of(text: str, kind: str, attribute: str) -> str | None:
    """Of the resources of a type the titles that a pattern means, with this attribute; nothing if it means none."""
    shape = _RESOURCE.fullmatch(text)
    if shape is None or not name_shape(shape["type"].lower()).fullmatch(kind.lower()):
        return None
    wanted = shape["attribute"]
    if wanted is None or not attribute:
        is_meant = wanted is None and not attribute
    else:
        first, pattern = re.split(r"[.\[]", attribute, maxsplit=1)[0], name_shape(wanted)
        is_meant = pattern.fullmatch(attribute) or pattern.fullmatch(first)
    return shape["title"] if is_meant else None


def _is_title(titles: str, kind: str, title: str) -> bool:
    if titles == "*":
        return True
    if kind == "Class":
        titles, title = titles.lower().removeprefix("::"), title.lower()
    return name_shape(titles).fullmatch(title)


def _is_inside(glob: str, path: str) -> bool:
    return any(name_shape(glob + separator + "*").fullmatch(path) for separator in ".[:")
