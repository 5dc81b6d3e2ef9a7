"""Who could change an output: its inputs by relation, with the shortest way from the output to each.

Three relations, which must not be confused:

| word      | inputs                                     | says                                                       |
|-----------|--------------------------------------------|------------------------------------------------------------|
| `made`    | the leaves of the formula                  | what is in the value                                       |
| `depends` | present inputs and code, tests included    | what made it so, for these nodes and facts                 |
| `may`     | the same, and what was looked for in vain  | who *could* change it, by adding a file, a key or a fact   |

`depends` and `may` are over-approximations that miss nothing (`wherefrom.provenance.extract.depends`); `made` says
nothing about influence. Files belong to parties by `CODEOWNERS`, as GitHub and GitLab read it: the last line that
matches wins.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from .base.globs import Shape
from .base.host import RealHost
from .base.record import Record
from .base.source import Span, lines_of
from .provenance import condensed
from .provenance.condensed import Condensed
from .provenance.extract import term_inputs
from .provenance.layout import leaf_words
from .provenance.origins import Choice, Copy, Guard, Leaf, Origin, Overridden, Step

MADE, DEPENDS, MAY = "made", "depends", "may"
RELATIONS = (MADE, DEPENDS, MAY)
CODE = "code"
"""The kind of a place of the program that is no literal: an operation, a test, a declaration."""

Node: TypeAlias = "Origin | Guard"
Below: TypeAlias = "Callable[[Node], Iterable[Node]]"


def below(relation: str) -> Below:
    """The part of a history that a relation goes through."""
    return _term_parts if relation == MADE else condensed.below


def graph_by(relation: str) -> Condensed:
    """A graph, still empty, for the inputs by a relation."""
    return Condensed(_term_parts, places=False) if relation == MADE else Condensed()


def _term_parts(node: Node) -> Iterable[Node]:
    return () if isinstance(node, Guard) else term_inputs(node)


def is_input(node: Node, relation: str) -> bool:
    """Whether a node of a history is an input by a relation."""
    if isinstance(node, Leaf):
        return relation == MAY or not node.absent
    return relation != MADE and getattr(node, "span", None) is not None


class Input(Record):
    """An input as it is told: a fact, a key, a place; `file` is empty for what stands in none."""

    kind: str
    name: str
    file: str
    line: int
    words: str
    absent: bool = False

    @property
    def place(self) -> str:
        """The file and the line, as far as there are any."""
        return f"{self.file}:{self.line}" if self.line else self.file


def input_of(node: Node) -> Input:
    """What a node is called."""
    span: Span | None = getattr(node, "span", None)
    line = span.line if span is not None else 0
    if isinstance(node, Leaf):
        file = span.file.name if span is not None else node.file or (node.name if node.kind == "file" else "")
        return Input(node.kind, node.name, file, line, leaf_words(node), node.absent)
    return Input(CODE, "", span.file.name if span is not None else "", line, words_of(node))


def words_of(node: Node) -> str:
    """What happened at a node, in a few words."""
    match node:
        case Leaf():
            return leaf_words(node)
        case Step():
            return str(node.op.shown)
        case Copy():
            return str(node.how)
        case Choice() | Overridden() | Guard():
            return str(node.how) if node.how is not None else "decided here"
        case _:
            return "passed on"


class Way(Record):
    """One step of a way from an output to an input."""

    words: str
    span: Span | None


def inputs_with_ways(
    origins: Sequence[Origin], relation: str, wanted: Callable[[Node], bool]
) -> Iterator[tuple[Node, int, list[Way]]]:
    """Every input that is `wanted`, each once, the nearest first, with the shortest way from an output to it.

    The number is the place of this output's origin among `origins`.
    """
    step = below(relation)
    above: dict[int, Node | None] = {}
    nodes: list[Node] = []  # kept, so that no identity is used again
    starts: dict[int, int] = {}
    for place, origin in enumerate(origins):
        if id(origin) not in above:
            above[id(origin)] = None
            starts[id(origin)] = place
            nodes.append(origin)
    waiting: deque[Node] = deque(nodes)
    told: set[object] = set()
    while waiting:
        node = waiting.popleft()
        if is_input(node, relation) and wanted(node):
            key = identity_of(node)
            if key not in told:
                told.add(key)
                chain = _chain(node, above)
                yield node, starts[id(chain[0])], list(_way(chain))
        for part in step(node):
            if id(part) not in above:
                above[id(part)] = node
                nodes.append(part)
                waiting.append(part)


def identity_of(node: Node) -> object:
    """What makes two nodes the same input for people: the places of the code on one line are one."""
    return (node.key, node.absent) if isinstance(node, Leaf) else (CODE, input_of(node).place)


def _chain(node: Node, above: Mapping[int, Node | None]) -> list[Node]:
    """The nodes from the output to a node."""
    chain: list[Node] = []
    here: Node | None = node
    while here is not None:
        chain.append(here)
        here = above[id(here)]
    return chain[::-1]


def _way(chain: Iterable[Node]) -> Iterator[Way]:
    """The steps of a chain that say something."""
    last: Way | None = None
    for step in chain:
        span: Span | None = getattr(step, "span", None)
        if span is None and not isinstance(step, Leaf):
            continue
        way = Way(words_of(step), span)
        if last is None or (way.words, way.span) != (last.words, last.span):
            yield way
        last = way


# --- paths -----------------------------------------------------------------------------------------------------------


@lru_cache(512)
def path_signs(glob: str) -> tuple[str, ...]:
    """A glob over paths in its signs: `*` within a directory, `**` and `**/` over directories, `?`, and characters."""
    text = glob.removeprefix("./")
    return tuple(re.findall(r"\*\*/|\*\*|.", f"{text}**" if text.endswith("/") else text, re.DOTALL))


_SHAPES = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@lru_cache(512)
def path_shape(glob: str) -> Shape:
    """What a glob over paths matches; a directory with a slash behind it is all that is in it."""
    return Shape("".join(_SHAPES.get(sign) or re.escape(sign) for sign in path_signs(glob)))


def relative(file: str, base: str) -> str:
    """A file's name below the project's directory, where it lies there."""
    return _relative(file, base or ".", os.getcwd()) if file else ""


@lru_cache(8192)
def _relative(file: str, base: str, here: str) -> str:
    """The same, as seen from the current directory; each input of a file asks for it."""
    return os.path.normpath(os.path.relpath(os.path.join(here, file), os.path.join(here, base)))


# --- owners ----------------------------------------------------------------------------------------------------------

_PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")


class Owners:
    """Who owns which file."""

    def __init__(self, rules: Sequence[tuple[str, tuple[str, ...]]] = (), file: str = "") -> None:
        self.file = file
        self._rules = [(_owned_shape(pattern), names) for pattern, names in rules]

    def of(self, path: str) -> tuple[str, ...]:
        """The owners of a file, named below the project's directory; nobody where no line matches."""
        owners: tuple[str, ...] = ()
        for shape, names in self._rules:
            if shape.fullmatch(path):
                owners = names
        return owners

    @property
    def known(self) -> set[str]:
        """Everybody who owns something."""
        return {name for _, names in self._rules for name in names}


def read_owners(base: str) -> Owners:
    """The `CODEOWNERS` of a project; one that says nothing where there is none."""
    host = RealHost([base or "."])
    for name in _PLACES:
        file = os.path.join(base, name)
        if host.is_file(file):
            return Owners(list(_owner_lines(host.source(file).text)), file)
    return Owners()


def _owner_lines(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in lines_of(text):
        words = line.partition("#")[0].split()
        if words and not words[0].startswith(("[", "^[")):  # sections of GitLab's
            yield words[0], tuple(words[1:])


def _owned_shape(pattern: str) -> Shape:
    """A pattern as gitignore has them: without a slash in it, it is meant at any depth."""
    anchored = "/" in pattern.rstrip("/")
    text = pattern.lstrip("/")
    shape = path_shape(text if anchored else f"**/{text}")
    return Shape(f"{shape.source}(?:/.*)?") if not text.endswith(("*", "/")) or text == "*" else shape
