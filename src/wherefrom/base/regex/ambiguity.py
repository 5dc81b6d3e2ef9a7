"""Which regular expressions could take a backtracking matcher for ever.

A backtracking matcher takes exponential time when a repeat can divide the same text among its rounds in many ways, as
in `(a+)+$`. `is_risky` finds such patterns exactly, as far as they are regular: it builds the automaton of positions
(Glushkov, "The abstract theory of automata", 1961) with an edge for every way from one position to the next, and looks
for a cycle that can be walked in two ways on the same text (exponential ambiguity: Weber and Seidl, "On the degree of
ambiguity of finite automata", 1991). Sets of characters are represented by samples.

In `(a+)+` the position of `a` follows itself by two edges, one of the inner repeat and one of the outer: n letters can
be divided in 2^(n-1) ways, and a matcher that fails at the end tries them all. In `(a|aa)+` there are three positions;
from the first, `aa` leads back to it by two rounds of the first branch, or by one of the second. In `(ab)+` each
position has one successor, so that a text is divided in one way only.

    >>> from wherefrom.base.regex.ruby_syntax import translate
    >>> [is_risky(translate(pattern)[1]) for pattern in ("(a+)+$", "(a|aa)+$", "(ab)+$", "(a|b)+$")]
    [True, True, False, False]
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ..components import cyclic_components
from .tree import Alt, Backref, Chars, Conditional, Group, Look, Node, Repeat, Seq, walk

SAMPLES = [chr(code) for code in range(128)] + list("äÄéßλΛжЖ中あ٣\u00a0\u0085\u2028😀")
MAXIMUM_POSITIONS = 400
COPIES = 4
"""Counted repeats are written out up to this many times for the analysis; larger ones count as unbounded."""


def flags_in(inherited: int, written: str) -> int:
    """The flags inside a group that is written with some of its own."""
    on, _, off = written.partition("-")
    for letter, flag in (("i", re.IGNORECASE), ("s", re.DOTALL)):
        if letter in on:
            inherited |= flag
        if letter in off:
            inherited &= ~flag
    return inherited


@lru_cache(maxsize=4096)
def samples_of(source: str, flags: int) -> frozenset[str]:
    """The sample characters that a class of characters matches."""
    pattern = re.compile(source, flags)
    return frozenset(sample for sample in SAMPLES if pattern.match(sample))


class Positions:
    """The automaton of positions: what each one matches, and which ones can come next, by how many ways."""

    def __init__(self) -> None:
        self.sets: list[frozenset[str]] = []
        self.sources: list[str] = []
        """What each one matches as a class of characters with its flags; empty for anything."""
        self.follow: list[dict[int, int]] = []

    def add(self, members: frozenset[str], source: str = "") -> int:
        if len(self.sets) >= MAXIMUM_POSITIONS:
            raise OverflowError
        self.sets.append(members)
        self.sources.append(source)
        self.follow.append({})
        return len(self.sets) - 1

    def connect(self, sources: Iterable[int], targets: Iterable[int]) -> None:
        targets = list(targets)
        for source in sources:
            edges = self.follow[source]
            for target in targets:
                edges[target] = edges.get(target, 0) + 1

    def build(self, node: Node, flags: int) -> tuple[bool, list[int], list[int]]:
        """Whether the node can match nothing, and its first and last positions."""
        match node:
            case Chars():
                letters = "".join(letter for letter, flag in (("i", re.I), ("s", re.S)) if flags & flag)
                source = f"(?{letters}:{node.source})" if letters else node.source
                at = self.add(samples_of(node.source, flags), source)
                return False, [at], [at]
            case Backref():
                at = self.add(frozenset(SAMPLES))
                return True, [at], [at]
            case Seq():
                return self.sequence([self.build(part, flags) for part in node.parts])
            case Alt():
                parts = [self.build(option, flags) for option in node.options]
                return (
                    any(empty for empty, _, _ in parts),
                    [at for _, first, _ in parts for at in first],
                    [at for _, _, last in parts for at in last],
                )
            case Group():
                return self.build(node.body, flags_in(flags, node.flags))
            case Look() if node.kind == ">":
                return self.build(node.body, flags)
            case Conditional():
                return self.build(Alt((node.yes, node.no)), flags)
            case Repeat():
                return self.repeat(node, flags)
        return True, [], []

    def sequence(self, parts: list[tuple[bool, list[int], list[int]]]) -> tuple[bool, list[int], list[int]]:
        empty, first, last = True, list[int](), list[int]()
        for part_empty, part_first, part_last in parts:
            self.connect(last, part_first)
            if empty:
                first = first + part_first
            last = last + part_last if part_empty else part_last
            empty = empty and part_empty
        return empty, first, last

    def repeat(self, node: Repeat, flags: int) -> tuple[bool, list[int], list[int]]:
        if node.high is not None and node.high <= COPIES:
            parts = [self.build(node.body, flags) for _ in range(node.high)]
            optional = [(empty or index >= node.low, first, last) for index, (empty, first, last) in enumerate(parts)]
            return self.sequence(optional)
        if node.low == node.high and not varies(node.body):
            # A fixed number of rounds of a fixed length: one of them stands for all, there is no choice.
            return self.build(node.body, flags)
        empty, first, last = self.build(node.body, flags)
        self.connect(last, first)
        return empty or node.low == 0, first, last


def varies(node: Node) -> bool:
    """Does the node leave a choice of how much it matches?"""
    match node:
        case Repeat():
            return node.low != node.high or varies(node.body)
        case Alt():
            return True
        case Seq():
            return any(map(varies, node.parts))
        case Group() | Look():
            return varies(node.body)
    return False


def is_risky(tree: Node) -> bool:
    """Can matching take exponential time?"""
    repeats = [inside for inside in walk(tree) if isinstance(inside, Repeat) and _is_loop(inside)]
    if not any(any(isinstance(inner, Repeat | Alt) for inner in walk(repeat.body)) for repeat in repeats):
        return False
    roots = [tree, *(inside.body for inside in walk(tree) if isinstance(inside, Look) and inside.kind != ">")]
    return any(_is_ambiguous(root) for root in roots)


def _is_loop(node: Repeat) -> bool:
    return node.high is None or node.high > COPIES


def _is_ambiguous(root: Node) -> bool:
    automaton = Positions()
    try:
        automaton.build(root, 0)
    except OverflowError:
        return True  # too large to tell
    for component in cyclic_components(dict(enumerate(automaton.follow))):
        inside = set(component)
        if any(
            ways > 1 for at in component for target, ways in automaton.follow[at].items() if target in inside
        ) or _walks_twice(automaton, inside):
            return True
    return False


def _walks_twice(automaton: Positions, inside: set[int]) -> bool:
    """Can two walks leave one position of a cycle, differ, and meet again, on the same text?"""
    steps = {at: [target for target in automaton.follow[at] if target in inside] for at in inside}
    pending = [
        (one, other)
        for at in inside
        for one in steps[at]
        for other in steps[at]
        if one < other and automaton.sets[one] & automaton.sets[other]
    ]
    seen = set(pending)
    while pending:
        a, b = pending.pop()
        for one in steps[a]:
            for other in steps[b]:
                common = automaton.sets[one] & automaton.sets[other]
                if not common:
                    continue
                if one == other:
                    return True
                pair = (min(one, other), max(one, other))
                if pair not in seen:
                    seen.add(pair)
                    pending.append(pair)
    return False
