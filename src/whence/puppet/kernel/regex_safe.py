"""Regular expressions that could run forever: finding them, and matching them in bounded time.

A backtracking matcher takes exponential time when a repeat can divide the same text among its rounds in many ways, as
in `(a+)+$`. `is_risky` finds such patterns exactly, as far as they are regular: it builds the automaton of positions
(Glushkov, "The abstract theory of automata", 1961) with an edge for every way from one position to the next, and looks
for a cycle that can be walked in two ways on the same text (exponential ambiguity: Weber and Seidl, "On the degree of
ambiguity of finite automata", 1991). Sets of characters are represented by samples.

`SafeMatcher` runs such a pattern, and any pattern on a text too long for its number of overlapping repeats, as a
program of small instructions. It explores alternatives in the order a backtracking matcher would, so it finds the same
match and the same groups, but remembers every pair of instruction and place that was tried: a second visit cannot
succeed where the first one failed. Time is therefore at most instructions times length. Only back-references make what
happened before matter; with them, a budget of steps is all that bounds the search. Where only a yes or no is wanted
(types such as `Stdlib::Unixpath` have patterns of this kind), an automaton answers with one look-up per character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from ...base.diagnostics import LimitReached
from .regex_syntax import (
    LINE_START,
    Alt,
    Backref,
    Chars,
    Conditional,
    Empty,
    Group,
    Look,
    Mark,
    Node,
    Repeat,
    Seq,
    can_be_empty,
    write,
)
from .type_failures import BadRegex

SAMPLES = [chr(code) for code in range(128)] + list("äÄéßλΛжЖ中あ٣\u00a0\u0085\u2028😀")
MAXIMUM_STEPS = 10_000_000
MAXIMUM_BLIND_STEPS = 500_000
"""The same for patterns with back-references, where nothing can be remembered."""
MAXIMUM_PROGRAM = 50_000
MAXIMUM_POSITIONS = 400
COPIES = 4
"""Counted repeats are written out up to this many times for the analysis; larger ones count as unbounded."""


def _flags(inherited: int, written: str) -> int:
    on, _, off = written.partition("-")
    for letter, flag in (("i", re.IGNORECASE), ("s", re.DOTALL)):
        if letter in on:
            inherited |= flag
        if letter in off:
            inherited &= ~flag
    return inherited


# --- finding ambiguity -----------------------------------------------------------------------------------------------

_sample_cache: dict[tuple[str, int], frozenset[str]] = {}


def samples_of(source: str, flags: int) -> frozenset[str]:
    """The sample characters that a class of characters matches."""
    known = _sample_cache.get((source, flags))
    if known is None:
        pattern = re.compile(source, flags)
        known = frozenset(each for each in SAMPLES if pattern.match(each))
        _sample_cache[source, flags] = known
    return known


class _Positions:
    """The automaton of positions: what each one matches, and which ones can come next, by how many ways."""

    def __init__(self) -> None:
        self.sets: list[frozenset[str]] = []
        self.follow: list[dict[int, int]] = []

    def add(self, members: frozenset[str]) -> int:
        if len(self.sets) >= MAXIMUM_POSITIONS:
            raise OverflowError
        self.sets.append(members)
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
                at = self.add(samples_of(node.source, flags))
                return False, [at], [at]
            case Backref():
                at = self.add(frozenset(SAMPLES))
                return True, [at], [at]
            case Seq():
                return self.sequence([self.build(each, flags) for each in node.parts])
            case Alt():
                parts = [self.build(each, flags) for each in node.options]
                return (
                    any(empty for empty, _, _ in parts),
                    [at for _, first, _ in parts for at in first],
                    [at for _, _, last in parts for at in last],
                )
            case Group():
                return self.build(node.body, _flags(flags, node.flags))
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
        if node.low == node.high and not _varies(node.body):
            # A fixed number of rounds of a fixed length: one of them stands for all, there is no choice.
            return self.build(node.body, flags)
        empty, first, last = self.build(node.body, flags)
        self.connect(last, first)
        return empty or node.low == 0, first, last


def _varies(node: Node) -> bool:
    """Does the node leave a choice of how much it matches?"""
    match node:
        case Repeat():
            return node.low != node.high or _varies(node.body)
        case Alt():
            return True
        case Seq():
            return any(map(_varies, node.parts))
        case Group() | Look():
            return _varies(node.body)
    return False


def _parts(node: Node) -> Iterator[Node]:
    match node:
        case Seq():
            yield from node.parts
        case Alt():
            yield from node.options
        case Repeat() | Group() | Look():
            yield node.body
        case Conditional():
            yield node.yes
            yield node.no


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for each in _parts(node):
        yield from _walk(each)


def is_risky(tree: Node) -> bool:
    """Can matching take exponential time?"""
    repeats = [each for each in _walk(tree) if isinstance(each, Repeat) and _is_loop(each)]
    if not any(any(isinstance(inner, Repeat | Alt) for inner in _walk(each.body)) for each in repeats):
        return False
    roots = [tree, *(each.body for each in _walk(tree) if isinstance(each, Look) and each.kind != ">")]
    return any(_is_ambiguous(root) for root in roots)


def _is_loop(node: Repeat) -> bool:
    return node.high is None or node.high > COPIES


def _is_ambiguous(root: Node) -> bool:
    automaton = _Positions()
    try:
        automaton.build(root, 0)
    except OverflowError:
        return True  # too large to tell
    for component in _cycles(automaton.follow):
        inside = set(component)
        if any(
            ways > 1 for at in component for target, ways in automaton.follow[at].items() if target in inside
        ) or _walks_twice(automaton, inside):
            return True
    return False


def _cycles(follow: list[dict[int, int]]) -> list[list[int]]:
    """The strongly connected components that hold a cycle (Tarjan's algorithm, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found = []
    for root in range(len(follow)):
        if root in index:
            continue
        work = [(root, iter(follow[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            at, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(follow[target])))
                    break
                if target in on_stack:
                    low[at] = min(low[at], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == at:
                            break
                    if len(component) > 1 or at in follow[at]:
                        found.append(component)
    return found


def _walks_twice(automaton: _Positions, inside: set[int]) -> bool:
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


def overlapping_repeats(tree: Node) -> int:
    """How many unbounded repeats follow one another that can trade characters: the degree of the polynomial."""
    sets = [
        samples_of(each.body.source, 0)
        for each in _walk(tree)
        if isinstance(each, Repeat) and each.high is None and isinstance(each.body, Chars)
    ]
    longest = current = 1 if sets else 0
    for before, after in pairwise(sets):
        current = current + 1 if before & after else 1
        longest = max(longest, current)
    return longest


# --- matching with a memory ------------------------------------------------------------------------------------------

Instruction = tuple[Any, ...]


class SafeMatch:
    """What `re.Match` offers, for a match that `SafeMatcher` found."""

    __slots__ = ("_saved", "pattern", "string")

    def __init__(self, string: str, saved: tuple[int, ...], pattern: re.Pattern[str]) -> None:
        self.string = string
        self._saved = saved
        self.pattern = pattern

    @property
    def re(self) -> re.Pattern[str]:
        """The pattern for Python."""
        return self.pattern

    @property
    def lastindex(self) -> int | None:
        """The last group that took part."""
        return max((number for number in range(1, self.pattern.groups + 1) if self.start(number) >= 0), default=None)

    def _number(self, group: int | str) -> int:
        number = self.pattern.groupindex[group] if isinstance(group, str) else group
        if not 0 <= number <= self.pattern.groups:
            raise IndexError("no such group")
        return number

    def start(self, group: int | str = 0) -> int:
        """Where the group starts, or -1."""
        return self._saved[2 * self._number(group)]

    def end(self, group: int | str = 0) -> int:
        """Where the group ends, or -1."""
        return self._saved[2 * self._number(group) + 1]

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Start and end of the group."""
        return self.start(group), self.end(group)

    def __getitem__(self, group: int | str) -> str | None:
        start, end = self.span(group)
        return None if start < 0 else self.string[start:end]

    def group(self, *groups: int | str) -> Any:
        """The text of one group, or of several."""
        if len(groups) > 1:
            return tuple(self[each] for each in groups)
        return self[groups[0] if groups else 0]

    def groups(self, default: Any = None) -> tuple[Any, ...]:
        """The texts of all groups."""
        texts = (self[number] for number in range(1, self.pattern.groups + 1))
        return tuple(default if each is None else each for each in texts)

    def groupdict(self, default: Any = None) -> dict[str, Any]:
        """The texts of the named groups."""
        return {name: default if self[name] is None else self[name] for name in self.pattern.groupindex}


class SafeMatcher:
    """A pattern as a program, run with a memory of what was tried."""

    def __init__(self, tree: Node, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        slots = [2 * (pattern.groups + 1)]
        self.remembers = not any(isinstance(each, Backref | Conditional) for each in _walk(tree))
        self.program = _compile(tree, pattern, slots)
        self.slots = slots[0]
        self._automaton = _Automaton(self.program) if _is_plain(self.program) else None
        self._eager = re.compile(write(_possessive(tree)))

    def test(self, text: str) -> bool:
        """Is there a match at all?"""
        # Repeats that give nothing back find most of the matches there are, and quickly.
        if self._eager.search(text) is not None:
            return True
        if self._automaton is not None:
            return self._automaton.test(text)
        return self.search(text) is not None

    def search(self, text: str, start: int = 0) -> SafeMatch | None:
        """The leftmost match at or after `start`."""
        tried: set[tuple[int, int]] = set()
        budget = [MAXIMUM_STEPS if self.remembers else MAXIMUM_BLIND_STEPS]
        for at in range(start, len(text) + 1):
            saved = (at, *(-1,) * (self.slots - 1))
            found = _run(self.program, text, at, saved, tried if self.remembers else None, budget)
            if found is not None:
                end, groups = found
                return SafeMatch(text, (at, end, *groups[2:]), self.pattern)
        return None


def _run(
    program: list[Instruction],
    text: str,
    start: int,
    saved: tuple[int, ...],
    tried: set[tuple[int, int]] | None,
    budget: list[int],
) -> tuple[int, tuple[int, ...]] | None:
    """Run the program from `start`: where it ended and what it saved, or nothing."""
    stack = [(0, start, saved)]
    left = budget[0]
    while stack:
        pc, at, saved = stack.pop()
        while True:
            left -= 1
            if left < 0:
                limit = MAXIMUM_BLIND_STEPS if tried is None else MAXIMUM_STEPS
                raise LimitReached("a regular expression took too many steps", limit)
            instruction = program[pc]
            kind = instruction[0]
            if kind == "chars":
                found = instruction[1](text, at)
                if found is None:
                    break
                at = found.end()
                pc += 1
            elif kind == "split":
                if tried is not None:
                    if (pc, at) in tried:
                        break
                    tried.add((pc, at))
                stack.append((instruction[2], at, saved))
                pc = instruction[1]
            elif kind == "jump":
                pc = instruction[1]
            elif kind == "save":
                slot = instruction[1]
                saved = (*saved[:slot], at, *saved[slot + 1 :])
                pc += 1
            elif kind == "progress":
                # A round that matched nothing is the last one.
                pc = instruction[1] if saved[instruction[2]] == at else pc + 1
            elif kind == "mark":
                if instruction[1](text, at) is None:
                    break
                pc += 1
            elif kind == "inner":
                budget[0] = left
                result = _run(instruction[1], text, at, saved, set() if tried is not None else None, budget)
                left = budget[0]
                wanted, moves = instruction[2], instruction[3]
                if (result is not None) != wanted:
                    break
                if result is not None and wanted:
                    saved = result[1]
                    at = result[0] if moves else at
                pc += 1
            elif kind == "backref":
                first, last = saved[2 * instruction[1]], saved[2 * instruction[1] + 1]
                if first < 0 or not text.startswith(text[first:last], at):
                    break
                at += last - first
                pc += 1
            elif kind == "given":
                pc = pc + 1 if saved[2 * instruction[1] + 1] >= 0 else instruction[2]
            else:
                budget[0] = left
                return at, saved
    budget[0] = left
    return None


def _possessive(node: Node) -> Node:
    """The same pattern with possessive repeats: whatever it matches, the pattern itself matches too."""
    match node:
        case Repeat():
            return Repeat(_possessive(node.body), node.low, node.high, "+" if node.low != node.high else "")
        case Seq():
            return Seq(tuple(map(_possessive, node.parts)))
        case Alt():
            return Alt(tuple(map(_possessive, node.options)))
        case Group():
            return Group(_possessive(node.body), node.number, node.name, node.flags)
    return node


def _compile(tree: Node, pattern: re.Pattern[str], slots: list[int]) -> list[Instruction]:
    """The program of a tree.  `slots` counts what is saved: two per group, then one per loop that can be empty."""
    program: list[Instruction] = []

    def emit(*instruction: Any) -> int:
        if len(program) >= MAXIMUM_PROGRAM:
            raise BadRegex("regular expression too large")
        program.append(instruction)
        return len(program) - 1

    def add(node: Node, flags: int) -> None:
        match node:
            case Empty():
                pass
            case Chars():
                emit("chars", _matcher(node.source, flags), node.source)
            case Mark():
                emit("mark", _matcher(node.source, flags), node.source)
            case Seq():
                for each in node.parts:
                    add(each, flags)
            case Alt():
                add_alternatives(node.options, flags)
            case Group():
                inner = _flags(flags, node.flags)
                if node.number is None:
                    add(node.body, inner)
                else:
                    emit("save", 2 * node.number)
                    add(node.body, inner)
                    emit("save", 2 * node.number + 1)
            case Repeat():
                add_repeat(node, flags)
            case Look():
                add_look(node, flags)
            case Backref():
                emit("backref", group_number(node.group))
            case Conditional():
                test = emit("given", 0, 0)
                add(node.yes, flags)
                jump = emit("jump", 0)
                program[test] = ("given", group_number(node.group), len(program))
                add(node.no, flags)
                program[jump] = ("jump", len(program))

    def group_number(name: str) -> int:
        return int(name) if name.isdigit() else pattern.groupindex[name]

    def add_alternatives(options: tuple[Node, ...], flags: int) -> None:
        jumps = []
        for each in options[:-1]:
            split = emit("split", 0, 0)
            add(each, flags)
            jumps.append(emit("jump", 0))
            program[split] = ("split", split + 1, len(program))
        add(options[-1], flags)
        for jump in jumps:
            program[jump] = ("jump", len(program))

    def add_repeat(node: Repeat, flags: int) -> None:
        if node.mode == "+":
            greedy = Repeat(node.body, node.low, node.high, "")
            emit("inner", _compile_inner(greedy, flags, pattern, slots), True, True)
            return
        for _ in range(node.low):
            add(node.body, flags)
        if node.high is None:
            split = emit("split", 0, 0)
            slot = -1
            if can_be_empty(node.body):
                slot = slots[0]
                slots[0] += 1
                emit("save", slot)
            add(node.body, flags)
            if slot >= 0:
                progress = emit("progress", 0, slot)
            emit("jump", split)
            if slot >= 0:
                program[progress] = ("progress", len(program), slot)
            program[split] = choice(node.mode, split + 1, len(program))
        else:
            splits = []
            for _ in range(node.high - node.low):
                splits.append(emit("split", 0, 0))
                add(node.body, flags)
            for split in splits:
                program[split] = choice(node.mode, split + 1, len(program))

    def choice(mode: str, again: int, out: int) -> Instruction:
        return ("split", out, again) if mode == "?" else ("split", again, out)

    def add_look(node: Look, flags: int) -> None:
        if node.kind == ">":
            emit("inner", _compile_inner(node.body, flags, pattern, slots), True, True)
        elif node.kind in ("=", "!"):
            emit("inner", _compile_inner(node.body, flags, pattern, slots), node.kind == "=", False)
        else:
            emit("mark", _matcher(write(node), flags), write(node))

    add(tree, 0)
    emit("match")
    return program


def _compile_inner(node: Node, flags: int, pattern: re.Pattern[str], slots: list[int]) -> list[Instruction]:
    written = ("i" if flags & re.IGNORECASE else "") + ("s" if flags & re.DOTALL else "")
    return _compile(Group(node, flags=written) if written else node, pattern, slots)


def _matcher(source: str, flags: int) -> Callable[[str, int], Any]:
    return re.compile(source, flags).match


# --- yes or no -------------------------------------------------------------------------------------------------------

_ENDS = frozenset({r"\A", r"\Z", r"(?=\n?\Z)", LINE_START, "(?m:$)"})
MAXIMUM_STATES = 10_000
_UNKNOWN: Any = object()
_EDGES = ("", "\n")


def _is_plain(program: list[Instruction]) -> bool:
    """Can the program be run by an automaton?  Only ends of lines and of the text may be asserted."""
    for each in program:
        if each[0] in ("inner", "backref", "given") or (each[0] == "mark" and each[2] not in _ENDS):
            return False
        if each[0] == "chars" and each[2].startswith("(?>"):
            return False
    return True


class _State:
    """A set of instructions to go on with, and the states after it that are known already.

    `ordinary` has those for a next character in the middle of a line, by that character; `special` has those for the
    ends of lines and of the text, where assertions may hold, by the kind of place and the character.
    """

    __slots__ = ("instructions", "ordinary", "special")

    def __init__(self, instructions: frozenset[int]) -> None:
        self.instructions = instructions
        self.ordinary: dict[str, _State | None] = {}
        self.special: dict[tuple[int, str], _State | None] = {}


class _Automaton:
    """A program as an automaton whose states are made when first needed: one look-up per character."""

    def __init__(self, program: list[Instruction]) -> None:
        self.program = program
        self.states: dict[frozenset[int], _State] = {}

    def test(self, text: str) -> bool:
        """Is there a match anywhere in `text`?"""
        if len(self.states) > MAXIMUM_STATES:
            self.states.clear()
        state = self.state(frozenset((0,)))
        last = len(text)
        before = ""
        for at, char in enumerate(text):
            if before not in _EDGES and char != "\n" and at < last - 1:
                found = state.ordinary.get(char, _UNKNOWN)
                if found is _UNKNOWN:
                    found = state.ordinary[char] = self.step(state.instructions, before, char, False, False)
            else:
                found = self.special(state, before, char, at, last)
            if found is None:
                return True
            state = found
            before = char
        return self.special(state, before, "", last, last) is None

    def state(self, instructions: frozenset[int]) -> _State:
        known = self.states.get(instructions)
        if known is None:
            known = self.states[instructions] = _State(instructions)
        return known

    def special(self, state: _State, before: str, char: str, at: int, last: int) -> _State | None:
        place = (before == "") | (before == "\n") << 1 | (at == last - 1) << 2
        found = state.special.get((place, char), _UNKNOWN)
        if found is _UNKNOWN:
            made = self.step(state.instructions, before, char, at == last, at == last - 1)
            found = state.special[place, char] = made
        return found  # type: ignore[no-any-return]

    def step(self, state: frozenset[int], before: str, char: str, at_end: bool, is_last: bool) -> _State | None:
        """The state after `char`, or `None` if a match ends before it."""
        program = self.program
        reached: set[int] = set()
        pending = list(state)
        while pending:
            pc = pending.pop()
            if pc in reached:
                continue
            reached.add(pc)
            instruction = program[pc]
            kind = instruction[0]
            if kind == "match":
                return None
            if kind == "split":
                pending += instruction[1:3]
            elif kind == "jump":
                pending.append(instruction[1])
            elif kind == "save" or (kind == "mark" and _holds(instruction[2], before, char, at_end, is_last)):
                pending.append(pc + 1)
            elif kind == "progress":
                pending += (pc + 1, instruction[1])
        after = {0}
        if char:
            after.update(pc + 1 for pc in reached if program[pc][0] == "chars" and program[pc][1](char, 0) is not None)
        return self.state(frozenset(after))


def _holds(mark: str, before: str, char: str, at_end: bool, is_last: bool) -> bool:
    """Is an assertion true at a place between two characters (nothing at the ends of the text)?"""
    if mark == r"\A":
        return before == ""
    if mark == r"\Z":
        return at_end
    if mark == LINE_START:
        return before == "" or (before == "\n" and not at_end)
    if mark == "(?m:$)":
        return at_end or char == "\n"
    return at_end or (char == "\n" and is_last)
