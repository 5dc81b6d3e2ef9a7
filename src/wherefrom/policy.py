"""Rules held against outcomes: which inputs may have a part in which outputs.

A clause of a rule (`never`, `only`, `some`, `owners`, by one relation) is a set of inputs, which break it or fulfil it.
The histories of all outputs that rules are about are one graph, condensed once for all clauses: a bit for each clause
goes up from each input that it means, and is at an output where one such input is below it. So what passes takes one
walk, however many rules and outputs there are. Only for a clause that is broken inputs are listed: one more walk, from
all outputs that break it at once, meets each with the shortest way to it; then a bit for each of these inputs goes up.

A `Finding` is an input that breaks a clause, with the outputs by which it does and one way to it: that is one thing to
mend. Of each output the nearest inputs are told, and not all.

A pass must not come from a typing mistake: a pattern of outputs that matches none on any node, and a pattern of inputs
that nothing could match, are errors.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any

from .base.collector import at_rest
from .base.diagnostics import ManyErrors
from .base.host import RealHost
from .base.plural import count_of
from .base.record import Record, replace
from .base.secrets import Secret
from .influence import (
    DEPENDS,
    MADE,
    Input,
    Node,
    Owners,
    Way,
    graph_by,
    identity_of,
    input_of,
    inputs_with_ways,
    is_input,
    path_shape,
    relative,
)
from .language import Outcome, Selected, declared_in
from .patterns import WORDS, InputPattern, OutputPattern, file_of
from .policy_rules import Accepted, BadRule, Rule
from .provenance.condensed import Condensed, members
from .provenance.impact import names_in
from .provenance.origins import Leaf

MOST_INPUTS = 20
"""Inputs that are told for each output that breaks a clause: the nearest."""
MOST_FILES = 200_000
Places = Mapping[str, tuple[str | None, ...]]
"""Outputs, each with the nodes that have it."""


# --- findings --------------------------------------------------------------------------------------------------------


class Finding(Record):
    """An input that breaks a clause of a rule (or, without one, that none fulfils it), and by which outputs.

    `way` is a shortest one, from the first of the outputs on the first of its nodes; `seen` are the outputs that were
    seen to change with the input, where that was tried.
    """

    rule: Rule
    clause: str
    relation: str
    input: Input | None
    way: tuple[Way, ...]
    words: str
    places: Places
    seen: frozenset[str] | None = None

    @property
    def key(self) -> Hashable:
        """What makes findings of several nodes one."""
        about = self.input
        words = self.words if about is None or about.kind == "literal" else ""  # several may stand on one line
        same = (about.kind, about.name, about.file, about.line, about.absent) if about is not None else None
        return self.rule.name, self.clause, self.relation, same, words

    @property
    def outputs(self) -> list[str]:
        """The outputs, each once."""
        return [*self.places]

    @property
    def nodes(self) -> list[str]:
        """The nodes, each once."""
        return list(dict.fromkeys(node for nodes in self.places.values() for node in nodes if node is not None))

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        from .base.render import span_json

        about, seen = self.input, self.seen
        return {
            "rule": self.rule.name,
            "clause": self.clause,
            **({"relation": self.relation} if self.relation else {}),
            **(
                {
                    "input": {
                        "kind": about.kind,
                        **({"name": about.name} if about.name else {}),
                        **({"file": about.file} if about.file else {}),
                        **({"line": about.line} if about.line else {}),
                        **({"absent": True} if about.absent else {}),
                    },
                    "path": [{"what": way.words, **span_json(way.span)} for way in self.way],
                }
                if about is not None
                else {}
            ),
            "message": self.words,
            "outputs": [
                {
                    "output": output,
                    "nodes": [node for node in nodes if node is not None],
                    **({} if seen is None else {"seen": output in seen}),
                }
                for output, nodes in self.places.items()
            ],
        }


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings of several nodes, equal ones as one."""
    first: dict[Hashable, Finding] = {}
    places: dict[Hashable, dict[str, list[str | None]]] = {}
    seen: dict[Hashable, frozenset[str]] = {}
    for finding in findings:
        key = finding.key
        first.setdefault(key, finding)
        here = places.setdefault(key, {})
        for output, nodes in finding.places.items():
            here.setdefault(output, []).extend(nodes)
        if finding.seen is not None:
            seen[key] = seen.get(key, frozenset()) | finding.seen
    return tuple(
        replace(finding, places={output: tuple(nodes) for output, nodes in places[key].items()}, seen=seen.get(key))
        for key, finding in first.items()
    )


class Report(Record):
    """What the rules say of some nodes: findings, and how many outputs each rule was about."""

    rules: tuple[Rule, ...]
    covered: Mapping[str, int]
    nodes: tuple[str | None, ...]
    findings: tuple[Finding, ...]
    accepted: tuple[tuple[Finding, str], ...]
    failed: tuple[str, ...] = ()
    """Nodes that did not compile: nothing is known of them."""

    @property
    def broken(self) -> set[str]:
        """The names of the rules that are broken."""
        return {finding.rule.name for finding in self.findings}

    def proves(self, rule: Rule) -> str:
        """What it says that a rule passed."""
        if not self.covered[rule.name]:
            return "nothing, these nodes have no such output"
        but = sum(
            len(nodes) for finding, _ in self.accepted if finding.rule is rule for nodes in finding.places.values()
        )
        return rule.proves() + (f"; but for {count_of(but, 'accepted finding')}" if but else "")

    def to_json(self) -> dict[str, Any]:
        """What `wherefrom policy --json` prints."""
        broken = self.broken
        return {
            "nodes": [node for node in self.nodes if node is not None],
            **({"failed": list(self.failed)} if self.failed else {}),
            "rules": [
                {
                    "name": rule.name,
                    "passed": rule.name not in broken and not self.failed,
                    "outputs": self.covered[rule.name],
                    **({} if rule.name in broken else {"proves": self.proves(rule)}),
                }
                for rule in self.rules
            ],
            "findings": [finding.to_json() for finding in self.findings],
            "accepted": [{**finding.to_json(), "reason": reason} for finding, reason in self.accepted],
        }


# --- clauses ---------------------------------------------------------------------------------------------------------


class Clause:
    """A clause of a rule: the inputs that break it (for `some`: that fulfil it)."""

    def __init__(self, rule: Rule, name: str, relation: str, means: Callable[[Node], bool], texts: str = "") -> None:
        self.rule = rule
        self.name = name
        self.relation = relation
        self.means = means
        self.texts = texts

    def counts(self, node: Node) -> bool:
        """Whether a node of a history is an input that the clause means."""
        return is_input(node, self.relation) and self.means(node)

    def is_broken(self, has: bool) -> bool:
        """Whether an output breaks it that has such an input, or has none."""
        return has is not (self.name == "some")


def _touched(patterns: Sequence[InputPattern], base: str) -> Callable[[Node], bool]:
    return lambda node: any(pattern.touches(node, base) for pattern in patterns)


def _covered(patterns: Sequence[InputPattern], base: str) -> Callable[[Node], bool]:
    return lambda node: any(pattern.covers(node, base) for pattern in patterns)


def _not_covered(patterns: Sequence[InputPattern], base: str) -> Callable[[Node], bool]:
    return lambda node: not any(pattern.covers(node, base) for pattern in patterns)


def _numbered(graph: Condensed, numbers: Set[int]) -> Callable[[Node], bool]:
    return lambda node: graph.number_of(node) in numbers


def clauses_of(rule: Rule, base: str, owners: Owners) -> Iterator[Clause]:
    """The clauses of a rule that are about inputs."""
    for relation, patterns in rule.never:
        yield Clause(rule, "never", relation, _touched(patterns, base))
    for relation, patterns in rule.only:
        yield Clause(rule, "only", relation, _not_covered(patterns, base))
    for relation, names in rule.owners:

        def foreign(node: Node, names: tuple[str, ...] = names) -> bool:
            """Whether it stands in a file that none of them owns."""
            file = file_of(node)
            return bool(file) and not set(owners.of(relative(file, base))) & set(names)

        yield Clause(rule, "owners", relation, foreign)
    for relation, patterns in rule.some:
        texts = ", ".join(pattern.text for pattern in patterns)
        yield Clause(rule, "some", relation, _covered(patterns, base), texts)


def marks_of(clauses: Sequence[Clause], inputs: Iterable[Node]) -> list[int]:
    """For each input a bit for each clause that means it; patterns see no lines, so those of a file are asked once."""
    known: dict[Hashable, int] = {}
    marks: list[int] = []
    for met in inputs:
        file = file_of(met)
        key = (met.kind, met.name, file, met.absent, met.detail, met.span is None) if isinstance(met, Leaf) else file
        mark = known.get(key)
        if mark is None:
            mark = known[key] = sum(1 << place for place, clause in enumerate(clauses) if clause.counts(met))
        marks.append(mark)
    return marks


class Told(Record):
    """An input that breaks a clause, and the way to it from the output at a path."""

    met: Node
    start: str = ""
    way: tuple[Way, ...] = ()


class Breaking(Record):
    """An output that breaks a clause: the parts of its name, its path, and a bit for each input by which it does."""

    parts: tuple[str, str, str] | None
    path: str
    bits: int


class Policy:
    """Rules, held against one node after the other."""

    def __init__(self, rules: Sequence[Rule], base: str, owners: Owners, today: datetime.date) -> None:
        self.rules = list(rules)
        self.base = base
        self.owners = owners
        self.today = today
        self.clauses = [clause for rule in self.rules for clause in clauses_of(rule, base, owners)]
        self.nodes: list[str | None] = []
        self.failed: list[str] = []
        self.unseen = 0
        """Nodes that were not asked about, and did not compile when their outputs were asked for."""
        self.findings: list[Finding] = []
        self.accepted: list[tuple[Finding, str]] = []
        self._known = {pattern for rule in self.rules for pattern in rule.outputs}
        self._covered: set[OutputPattern] = set()
        self._counts: dict[str, int] = {rule.name: 0 for rule in self.rules}
        self._possible: set[InputPattern] = set()
        self._files: list[str] | None = None

    def check(
        self, outcome: Outcome, node: str | None = None, confirmed: Callable[[Finding], Finding] | None = None
    ) -> list[Finding]:
        """Hold all rules against one node; `confirmed` is asked of each finding whether it was seen."""
        with at_rest():
            findings = self._checked(outcome, node)
        if confirmed is not None:
            findings = [confirmed(finding) for finding in findings]
        self.findings += findings
        return findings

    def _checked(self, outcome: Outcome, node: str | None) -> list[Finding]:
        self.nodes.append(node)
        graphs = {relation: graph_by(relation) for relation in (MADE, DEPENDS)}
        outputs = self._noted(outcome, graphs[DEPENDS])
        findings: list[Finding] = []
        for rule in self.rules:
            covered = [output for output, patterns in outputs if not patterns.isdisjoint(rule.outputs)]
            self._counts[rule.name] += len(covered)
            if rule.sensitive:
                bare = [output for output in covered if not isinstance(output.value, Secret)]
                broken = [Breaking(resource_parts(outcome, output.path), output.path, 0) for output in bare]
                findings += self._without_input(rule, "sensitive", "", "the value is not sensitive", broken, node)
        for relation, graph in graphs.items():
            clauses = [clause for clause in self.clauses if (clause.relation == MADE) == (relation == MADE)]
            if clauses:
                findings += self._of_clauses(clauses, graph, outputs, outcome, node)
        order = {rule.name: number for number, rule in enumerate(self.rules)}
        findings.sort(key=lambda finding: order[finding.rule.name])
        return findings

    def note(self, outcome: Outcome) -> None:
        """Which patterns a node that is not asked about has anything for: they are no mistakes."""
        self._noted(outcome, graph_by(DEPENDS))

    @property
    def is_settled(self) -> bool:
        """Whether all patterns have matched something."""
        rules = self.rules
        return all(pattern in self._covered for rule in rules for pattern in rule.outputs) and all(
            pattern in self._possible for rule in rules for pattern in rule.inputs
        )

    def _noted(self, outcome: Outcome, graph: Condensed) -> list[tuple[Selected, set[OutputPattern]]]:
        """The outputs, each with the patterns that match it."""
        outputs: list[tuple[Selected, set[OutputPattern]]] = []
        for output in outcome.outputs():
            parts = resource_parts(outcome, output.path)
            outputs.append((output, {pattern for pattern in self._known if pattern.matches(parts, output.path)}))
        self._covered.update(*(hits for _, hits in outputs))
        self._note_inputs(outcome, [output for output, _ in outputs], graph)
        return outputs

    def _of_clauses(
        self,
        clauses: Sequence[Clause],
        graph: Condensed,
        outputs: Sequence[tuple[Selected, set[OutputPattern]]],
        outcome: Outcome,
        node: str | None,
    ) -> Iterator[Finding]:
        """What breaks some clauses, by the one graph of the outputs that any of them is about."""
        meant: dict[frozenset[OutputPattern], int] = {}
        asked: list[tuple[Selected, int, int]] = []
        for output, patterns in outputs:
            if patterns:
                key = frozenset(patterns)
                if key not in meant:
                    meant[key] = sum(
                        1 << place
                        for place, clause in enumerate(clauses)
                        if not patterns.isdisjoint(clause.rule.outputs)
                    )
                if meant[key]:
                    asked.append((output, meant[key], graph.of(output.origin)))
        marks = marks_of(clauses, graph.met)
        has = graph.sets(marks)
        identities: list[object] = []
        for place, clause in enumerate(clauses):
            broken = [
                (output, number)
                for output, about, number in asked
                if about >> place & 1 and clause.is_broken(bool(has(number) >> place & 1))
            ]
            rows = [Breaking(resource_parts(outcome, output.path), output.path, 0) for output, _ in broken]
            if clause.name == "some":
                yield from self.told_without(clause, rows, node)
            elif broken:
                identities = identities or [identity_of(met) for met in graph.met]
                reached = graph.reached([number for _, number in broken])
                wanted = {number for number in reached if marks[number] >> place & 1}
                several = len({identities[number] for number in wanted})
                origins = [output.origin for output, _ in broken]
                nearest = inputs_with_ways(
                    origins,
                    clause.relation,
                    _numbered(graph, wanted),
                )
                inputs: list[Told] = []
                places: dict[object, int] = {}
                for met, start, way in islice(nearest, several):  # after the last, the walk would go on for nothing
                    places[identity_of(met)] = len(inputs)
                    inputs.append(Told(met, broken[start][0].path, tuple(way)))
                bits = [0] * len(marks)
                for number in wanted:
                    bits[number] = 1 << places[identities[number]]
                below = graph.sets(bits)
                rows = [replace(row, bits=below(number)) for row, (_, number) in zip(rows, broken)]
                yield from self.told(clause, inputs, rows, node)

    def told(
        self,
        clause: Clause,
        inputs: Sequence[Told],
        rows: Sequence[Breaking],
        node: str | None,
    ) -> Iterator[Finding]:
        """The findings of a node: for each input the outputs, but for what is accepted.

        `inputs` are in the order in which they are told, each with the output that the way to it begins at.
        """
        places: dict[int, dict[str, tuple[str | None, ...]]] = {}
        here = (node,)
        known: dict[int, list[dict[str, tuple[str | None, ...]]]] = {}
        exceptions = self._exceptions(clause, [one.met for one in inputs])
        for row in rows:
            bits = self._not_accepted(clause, exceptions, inputs, row, node) if exceptions else row.bits
            told = known.get(bits)
            if told is None:
                told = known[bits] = [places.setdefault(place, {}) for place in islice(members(bits), MOST_INPUTS)]
            for several in told:
                several[row.path] = here
        for place in sorted(places):
            one, outputs = inputs[place], places[place]
            if one.start in outputs:  # the way begins at the first
                outputs = {one.start: outputs[one.start], **outputs}
            yield self._finding(clause, one, outputs)

    def _finding(self, clause: Clause, one: Told, places: Places) -> Finding:
        about = self.input_of(one.met)
        way = one.way if one.start == next(iter(places)) else ()  # all of its outputs may be accepted
        words = self._words(about, clause.relation)
        return Finding(clause.rule, clause.name, clause.relation, about, way, words, places)

    def input_of(self, node: Node) -> Input:
        """What an input is called."""
        return input_of(node)

    def _words(self, about: Input, relation: str) -> str:
        """What an input does."""
        verb = {MADE: "is in the value", DEPENDS: "has a part in it"}.get(relation, "could change it")
        line = f":{about.line}" if about.line else ""
        return f"{about.words}{f' ({relative(about.file, self.base)}{line})' if about.file else ''} {verb}"

    # --- what is accepted --------------------------------------------------------------------------------------------

    def _exceptions(self, clause: Clause, inputs: Sequence[Node]) -> list[tuple[Accepted, int]]:
        """The exceptions of a rule that still hold, each with a bit for each input that it accepts."""
        return [
            (
                one,
                sum(
                    1 << place
                    for place, met in enumerate(inputs)
                    if one.input is None or one.input.covers(met, self.base)
                ),
            )
            for one in clause.rule.accepted
            if one.until >= self.today
        ]

    def _not_accepted(
        self,
        clause: Clause,
        exceptions: Sequence[tuple[Accepted, int]],
        inputs: Sequence[Told],
        row: Breaking,
        node: str | None,
    ) -> int:
        """The bits of an output that no exception is about; the others are kept with the reason."""
        bits = row.bits
        for one, about in exceptions:
            if bits & about and one.output.matches(row.parts, row.path):
                for place in members(bits & about):
                    self.accepted.append((self._finding(clause, inputs[place], {row.path: (node,)}), one.reason))
                bits &= ~about
        return bits

    def told_without(self, clause: Clause, rows: Iterable[Breaking], node: str | None) -> Iterator[Finding]:
        """The finding that no input fulfils a clause."""
        words = f"no input ({clause.relation}) is one of {clause.texts}"
        yield from self._without_input(clause.rule, clause.name, clause.relation, words, rows, node)

    def _without_input(
        self, rule: Rule, clause: str, relation: str, words: str, rows: Iterable[Breaking], node: str | None
    ) -> Iterator[Finding]:
        """The finding that some outputs do not have what they must have."""
        places: dict[str, tuple[str | None, ...]] = {}
        for row in rows:
            reason = next(
                (
                    one.reason
                    for one in rule.accepted
                    if one.input is None and one.until >= self.today and one.output.matches(row.parts, row.path)
                ),
                None,
            )
            if reason is None:
                places[row.path] = (node,)
            else:
                finding = Finding(rule, clause, relation, None, (), words, {row.path: (node,)})
                self.accepted.append((finding, reason))
        if places:
            yield Finding(rule, clause, relation, None, (), words, places)

    # --- a pass is no typing mistake ---------------------------------------------------------------------------------

    def _note_inputs(self, outcome: Outcome, outputs: Sequence[Selected], graph: Condensed) -> None:
        """Which patterns of inputs could match something here."""
        unknown = {pattern for rule in self.rules for pattern in rule.inputs} - self._possible
        if not unknown:
            return
        named: dict[str, dict[Any, Any]] = {}
        for (kind, name, _), value in (outcome.given() or {}).items():
            named.setdefault(kind, {})[name] = value
        names = {kind: [Leaf(kind, name, None, None) for name in names_in(values)] for kind, values in named.items()}
        met: list[Node] | None = None
        for pattern in unknown:
            is_there = pattern.text in WORDS or (pattern.kind != "" and pattern.name == "*")
            is_there = is_there or any(pattern.covers(leaf, self.base) for leaf in names.get(pattern.kind, ()))
            if not is_there and not pattern.kind:
                is_there = any(self._is_file(pattern, file) for file in self._project_files())
            if not is_there:  # whether any history has such an input
                if met is None:
                    for output in outputs:
                        graph.of(output.origin)
                    met = graph.met
                is_there = any(pattern.could_be(node, self.base) for node in met)
            if is_there:
                self._possible.add(pattern)

    def _is_file(self, pattern: InputPattern, file: str) -> bool:
        return path_shape(pattern.path).fullmatch(file)

    def _project_files(self) -> list[str]:
        if self._files is None:
            self._files = list(islice(_files_below(self.base), MOST_FILES))
        return self._files

    def finished(self) -> Report:
        """The report on all nodes.  Raises `ManyErrors` for rules that could not have failed."""
        problems: list[BadRule] = []
        unseen = f" ({count_of(self.unseen, 'node')} did not compile)" if self.unseen else ""
        for rule in self.rules:
            for pattern in rule.outputs if not self.failed else ():  # a node that failed may have something for it
                if pattern not in self._covered:
                    words = f"the rule {rule.name!r} is about {pattern.text}, which no node has{unseen}"
                    problems.append(BadRule(words, rule.span))
            for wanted in rule.inputs if not self.failed else ():
                if wanted not in self._possible:
                    words = f"the rule {rule.name!r} names {wanted.text}, which no input can match{unseen}"
                    problems.append(BadRule(words, rule.span))
            for _, names in rule.owners:
                missing = [name for name in names if name not in self.owners.known]
                if missing:
                    where = self.owners.file or "there is no CODEOWNERS"
                    words = f"the rule {rule.name!r} names the owner {missing[0]}, who owns no file ({where})"
                    problems.append(BadRule(words, rule.span))
            for exception in rule.accepted:
                if exception.until < self.today:
                    words = f"an exception of the rule {rule.name!r} ended on {exception.until}: {exception.reason}"
                    problems.append(BadRule(words, rule.span))
        if problems:
            raise ManyErrors(problems)
        return Report(
            tuple(self.rules),
            self._counts,
            tuple(self.nodes),
            merged(self.findings),
            tuple(self.accepted),
            tuple(self.failed),
        )


def resource_parts(outcome: Outcome, path: str) -> tuple[str, str, str] | None:
    """Type, title and attribute of an output of a catalog; nothing for other languages."""
    if outcome.language != "puppet":
        return None
    above = declared_in(outcome, path)
    reference, attribute = (above, path[len(above) + 1 :]) if above and path.startswith(f"{above}.") else (path, "")
    kind, _, title = reference.partition("[")
    return kind, title.removesuffix("]"), attribute


def _files_below(base: str) -> Iterator[str]:
    host = RealHost([base or "."])
    waiting = [base or "."]
    while waiting:
        folder = waiting.pop()
        for name in host.list_directory(folder):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                continue
            if host.is_directory(path):
                if name != ".git":
                    waiting.append(path)
            else:
                yield relative(path, base)
