"""How much work a backtracking matcher has with a pattern and a text: one estimate, for a search and for a match.

A backtracking matcher that finds nothing has walked every way through the automaton of positions (`ambiguity`) that the
text allows. Where no cycle can be walked in two ways on the same text, the number of ways from one place is a
polynomial in how far they lead: its degree is that of the longest chain of cycles one after the other that can trade
characters, since a way is told by where it changes from one to the next (Weber and Seidl, 1991). So, for a text of `n`
characters,

    match:   ways * reach ** degree
    search:  ways * reach ** degree * n

`reach` is how far a way may lead: the longest stretch of the text that the characters of each cycle cover, and what
stands between the cycles. For `\\s+$` on a page it is the longest blank, and no page is too long; on a million blanks
it is a million, and the search needs 10^12 steps. `ways` counts the choices that are no cycles (`(a|b)c?`). Where a
cycle can be walked in two ways, the estimate is infinite. A pattern that begins with `\\A` is tried at one place.

`tests/unit/base/test_regex_work.py` counts the steps of a backtracking matcher and compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf

from ..components import cyclic_components
from .ambiguity import COPIES, Positions, is_risky, varies
from .tree import Alt, Backref, Chars, Conditional, Group, Look, Mark, Node, Repeat, Seq, can_be_empty, walk

MAXIMUM_WORK = 4 * 10**8
"""Steps, as far as they can be foreseen, that are left to Python's matcher: a few seconds at most."""

STEPS = 100
"""Steps of a matcher that count as one of the budget's."""

FEW_STEPS = 100_000
"""Steps that nobody looks at more closely."""

MOST_WAYS = 10**9
_UNKNOWN = ""


class Work:
    """The estimate for one pattern."""

    def __init__(self, tree: Node) -> None:
        roots = [tree, *(inside.body for inside in walk(tree) if isinstance(inside, Look) and inside.kind != ">")]
        self._risky = is_risky(tree) or any(map(_hides_ways, walk(tree)))
        self._anchored = _begins_the_text(tree)
        self._parts = [] if self._risky else [_Part(root) for root in roots]
        # What groups have matched is compared character by character.
        self._compares = any(isinstance(inside, Backref) for inside in walk(tree))

    def of(self, text: str, searching: bool, enough: float) -> float:
        """The steps that may be needed at most.  Below `enough` it need not be exact: a quick look may do."""
        if self._risky:
            return inf
        length = len(text) + 1
        places = 1.0 * (length if self._compares else 1)
        begin = float(length if searching else 0)  # to begin at a place costs something, even in vain
        if searching and not self._anchored:
            places *= length
        steps = places
        for part in self._parts:  # what looks ahead does so at every step
            steps *= part.steps(length)
        if steps + begin <= enough:
            return steps + begin
        steps = places
        for part in self._parts:
            steps *= part.steps(min(length, part.reach(text)))
        return steps + begin


class _Part:
    """A pattern, or what looks ahead within one."""

    def __init__(self, root: Node) -> None:
        self._width = _width(root)
        self._cycles: list[re.Pattern[str] | None] = []
        """What a character of each cycle is; nothing where that is not known."""
        self._degree = 0
        self._ways = 1.0
        automaton = Positions()
        try:
            _, first, _ = automaton.build(root, 0)
        except OverflowError:
            self._ways = inf  # too large to tell
            return
        self._measure(automaton, first)

    def _measure(self, automaton: Positions, first: list[int]) -> None:
        follow, sets = automaton.follow, automaton.sets
        cycles = [list(component) for component in cyclic_components(dict(enumerate(follow)))]
        cycle_of = {at: number for number, cycle in enumerate(cycles) for at in cycle}
        members = [frozenset[str]().union(*(sets[at] for at in cycle)) for cycle in cycles]
        chains = [0] * len(cycles)
        ways: dict[int, float] = {}
        # From the end: positions that follow others are ready before them, but for those of the same cycle.
        for unit in _in_order(follow, cycle_of, cycles):
            own = cycle_of.get(unit[0])
            inside = set(unit) if own is not None else set()
            together: dict[str, float] = {}  # by the next character: ways that the same text allows
            for at in unit:
                for to, many in follow[at].items():
                    if to not in inside:
                        for character in sets[to]:
                            together[character] = together.get(character, 0.0) + many * ways[to]
            many_ways = min(1.0 + max(together.values(), default=0.0), MOST_WAYS)
            if own is not None:
                chains[own] = 1 + max((chains[other] for other in _trading(automaton, own, cycles, members)), default=0)
            for at in unit:
                ways[at] = many_ways
        tried = max(map(len, (first, *follow)), default=1)  # one after the other, mostly in vain
        begun: dict[str, float] = {}
        for at in first:
            for character in sets[at]:
                begun[character] = begun.get(character, 0.0) + ways[at]
        self._ways = min(max(begun.values(), default=1.0) * max(1, tried), MOST_WAYS)
        self._degree = max(chains, default=0)
        for cycle in cycles:
            self._cycles.append(_characters({automaton.sources[at] for at in cycle}))

    def steps(self, reach: float) -> float:
        """The steps from one place, where ways lead so far."""
        if not self._degree:
            reach = min(reach, self._width)
            return self._ways * (1 + reach)
        return float(self._ways * (1.0 + reach) ** self._degree)

    def reach(self, text: str) -> float:
        """How far a way may lead in a text."""
        total = self._width
        for characters in self._cycles:
            if characters is None:
                return inf
            total += max((end - start for start, end in (hit.span() for hit in characters.finditer(text))), default=0)
        return total


def _trading(automaton: Positions, own: int, cycles: list[list[int]], members: list[frozenset[str]]) -> Iterator[int]:
    """The cycles after one that can trade characters with it: what leads from one to the other takes them as well."""
    for other, cycle in enumerate(cycles):
        common = members[own] & members[other]
        if other == own or not common:
            continue
        wanted = set(cycle)
        seen = set(cycles[own])
        stack = list(seen)
        while stack:
            at = stack.pop()
            if at in wanted:
                yield other
                break
            for to in automaton.follow[at]:
                if to not in seen and automaton.sets[to] & common:
                    seen.add(to)
                    stack.append(to)


def _in_order(follow: list[dict[int, int]], cycle_of: dict[int, int], cycles: list[list[int]]) -> list[list[int]]:
    """Positions that are on no cycle, and cycles, each after everything that can follow it."""
    order: list[list[int]] = []
    begun: set[int] = set()

    def unit_of(at: int) -> list[int]:
        return cycles[cycle_of[at]] if at in cycle_of else [at]

    for root in range(len(follow)):
        stack = [(root, False)]
        while stack:
            at, is_over = stack.pop()
            unit = unit_of(at)
            if is_over:
                order.append(unit)
                continue
            if unit[0] in begun:
                continue
            begun.add(unit[0])
            stack.append((at, True))
            inside = set(unit)
            stack += [(to, False) for member in unit for to in follow[member] if to not in inside]
    return order


def _characters(sources: set[str]) -> re.Pattern[str] | None:
    """A stretch of characters, each of which one of the classes matches."""
    if _UNKNOWN in sources:
        return None
    try:
        return re.compile(f"(?:{'|'.join(sorted(sources))})+")
    except re.error:
        return None


def _hides_ways(node: Node) -> bool:
    """Whether a repeat that is counted has rounds that can take nothing: which of them do, no text tells."""
    return isinstance(node, Repeat) and max(node.low, node.high or 0) > COPIES and can_be_empty(node.body)


def _begins_the_text(node: Node) -> bool:
    """Whether a pattern can only match where the text begins."""
    match node:
        case Mark():
            return node.source == r"\A"
        case Seq():
            return bool(node.parts) and _begins_the_text(node.parts[0])
        case Alt():
            return all(map(_begins_the_text, node.options))
        case Group():
            return _begins_the_text(node.body)
    return False


def _width(node: Node) -> float:
    """How many characters a node takes at most, of those that are on no cycle."""
    match node:
        case Chars() | Backref():
            return 1
        case Seq():
            return sum(map(_width, node.parts))
        case Alt():
            return max(map(_width, node.options), default=0)
        case Group() | Look():
            return _width(node.body)
        case Conditional():
            return max(_width(node.yes), _width(node.no))
        case Repeat():
            if node.high is not None and node.high <= COPIES:
                return node.high * _width(node.body)
            if node.low == node.high and not varies(node.body):
                return node.low * _width(node.body)
            return _width(node.body)
    return 0
