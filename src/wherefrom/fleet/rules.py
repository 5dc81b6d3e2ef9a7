"""Rules over all nodes of a store: by the graphs that it keeps of what values depend on.

Each clause of a rule is a set of inputs, worked out once for the store. One walk over the graph of a node then tells of
each output which of these inputs are below it. A store knows what values depend on (`depends`, `may`), not what they
are made of, and nothing of secrets: rules about these are for compilations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice

from ..base.diagnostics import UsageError
from ..influence import MADE, MAY, Input
from ..patterns import ENCRYPTED, WORDS, InputPattern
from ..policy import MOST_INPUTS, Finding, Policy, Report, Rule
from ..provenance.layout import ABSENT, leaf_name
from ..provenance.origins import Leaf
from .graphs import GraphInput, members
from .questions import Questions, path_of_output


class _Clause:
    """A clause of a rule: the inputs that break it (for `some`: that fulfil it), by their numbers in the store."""

    def __init__(self, rule: Rule, name: str, relation: str, inputs: set[int], texts: str) -> None:
        self.rule = rule
        self.name = name
        self.relation = relation
        self.inputs = inputs
        self.texts = texts


class StorePolicy(Policy):
    """Rules, held against a store."""

    def check_store(self, questions: Questions, nodes: Sequence[str] | None = None) -> Report:
        """Hold all rules against some nodes of a store (else all).  Raises `UsageError` for what it does not know."""
        for rule in self.rules:
            _require_known(rule)
        graphs = questions.graphs(nodes)
        inputs = {number: _leaf_of(entry) for number, entry in questions.inputs().items()}
        self._possible |= {
            pattern
            for rule in self.rules
            for pattern in rule.inputs
            if pattern.text in WORDS
            or (pattern.kind and pattern.name == "*")
            or any(pattern.could_be(leaf, self.base) for leaf in inputs.values())
            or (not pattern.kind and any(self._is_file(pattern, file) for file in self._project_files()))
        }
        clauses = [clause for rule in self.rules for clause in self._clauses(rule, inputs)]
        wanted = set().union(*(clause.inputs for clause in clauses)) if clauses else set()
        seen: Counter[tuple[str, str, str]] = Counter()
        meant: dict[tuple[str, str, str], tuple[int, ...]] = {}
        for node, numbers, graph in graphs:
            self.nodes.append(node)
            here = graph()
            places = [place for place, number in enumerate(numbers) if number in wanted]
            masks = [_mask(clause.inputs, numbers, places) for clause in clauses]
            sets = here.sets(places)
            for output in here.outputs:
                name = output[:3]
                seen[name] += 1
                if name not in meant:
                    meant[name] = tuple(self._meant(name, clauses))
                for number in meant[name]:
                    clause, bits = clauses[number], sets[output.node] & masks[number]
                    if (clause.name == "some") == (bits == 0):
                        leaves = (inputs[numbers[places[place]]] for place in members(bits))
                        self.findings += islice(self._told(clause, name, node, leaves), MOST_INPUTS)
        self._count(seen)
        if nodes is not None and not self.is_settled:
            self._note_others(questions, set(nodes))
        return self.finished()

    def _note_others(self, questions: Questions, nodes: Set[str]) -> None:
        """Which patterns of outputs the nodes have that are not asked about."""
        for node, _, graph in questions.graphs():
            if node not in nodes:
                names = {output[:3] for output in graph().outputs if output[0]}
                self._covered |= {
                    pattern
                    for rule in self.rules
                    for pattern in set(rule.outputs) - self._covered
                    if any(pattern.matches(name, path_of_output(*name)) for name in names)
                }

    def _clauses(self, rule: Rule, inputs: dict[int, Leaf]) -> Iterator[_Clause]:
        def chosen(relation: str, is_meant: Callable[[Leaf], bool]) -> set[int]:
            return {
                number for number, leaf in inputs.items() if (relation == MAY or not leaf.absent) and is_meant(leaf)
            }

        def touched(patterns: Sequence[InputPattern]) -> Callable[[Leaf], bool]:
            return lambda leaf: any(pattern.touches(leaf, self.base) for pattern in patterns)

        def covered(patterns: Sequence[InputPattern], wanted: bool = True) -> Callable[[Leaf], bool]:
            return lambda leaf: any(pattern.covers(leaf, self.base) for pattern in patterns) is wanted

        for relation, patterns in rule.never:
            yield _Clause(rule, "never", relation, chosen(relation, touched(patterns)), "")
        for relation, patterns in rule.only:
            yield _Clause(rule, "only", relation, chosen(relation, covered(patterns, False)), "")
        for relation, patterns in rule.some:
            texts = ", ".join(pattern.text for pattern in patterns)
            yield _Clause(rule, "some", relation, chosen(relation, covered(patterns)), texts)
        for relation, names in rule.owners:
            foreign = {
                number
                for number, leaf in inputs.items()
                if (relation == MAY or not leaf.absent) and self._is_foreign(leaf, names)
            }
            yield _Clause(rule, "owners", relation, foreign, "")

    def _meant(self, name: tuple[str, str, str], clauses: Sequence[_Clause]) -> Iterator[int]:
        """The clauses that are about an output, by their places."""
        path = path_of_output(*name)
        for number, clause in enumerate(clauses):
            if name[0] and any(pattern.matches(name, path) for pattern in clause.rule.outputs):
                yield number  # what has no type is a content, which is told beside its resource

    def _count(self, seen: Mapping[tuple[str, str, str], int]) -> None:
        """How many outputs each rule and each of its patterns is about, by how many nodes have which output."""
        for name, count in seen.items():
            path = path_of_output(*name)
            for rule in self.rules if name[0] else ():
                hits = [pattern for pattern in rule.outputs if pattern.matches(name, path)]
                self._counts[rule.name] += count if hits else 0
                self._covered.update(hits)

    def _told(
        self, clause: _Clause, name: tuple[str, str, str], node: str, leaves: Iterable[Leaf]
    ) -> Iterator[Finding]:
        path = path_of_output(*name)
        if clause.name == "some":
            words = f"no input ({clause.relation}) is one of {clause.texts}"
            finding = Finding(clause.rule, "some", clause.relation, path, node, None, (), words)
            if not self._accept(finding, name, None):
                yield finding
            return
        for leaf in leaves:
            about = _input_of(leaf)
            finding = Finding(
                clause.rule, clause.name, clause.relation, path, node, about, (), self._words(about, clause.relation)
            )
            if not self._accept(finding, name, leaf):
                yield finding


def _require_known(rule: Rule) -> None:
    relations = {relation for group in (rule.never, rule.only, rule.some, rule.owners) for relation, _ in group}
    asked = "made" if MADE in relations else "sensitive" if rule.sensitive else ""
    asked = asked or (ENCRYPTED if any(pattern.text == ENCRYPTED for pattern in rule.inputs) else "")
    if asked:
        raise UsageError(
            f"the rule {rule.name!r} asks for {asked!r}, which a store does not have: hold it against the nodes, "
            "without --store"
        )


def _leaf_of(entry: GraphInput) -> Leaf:
    """An input of the store as one that patterns are held against; a place of the code has the kind `place`."""
    leaf = Leaf(entry.kind, entry.name, None, None, entry.detail, entry.file, entry.absent)
    leaf.value = entry.line
    return leaf


def _input_of(leaf: Leaf) -> Input:
    line = leaf.value if isinstance(leaf.value, int) else 0
    if leaf.kind == "place":
        return Input("code", "", leaf.file, line, "code")
    words = leaf.kind if leaf.kind == "literal" else leaf_name(leaf) + (ABSENT if leaf.absent else "")
    return Input(leaf.kind, leaf.name, leaf.file, line, words, leaf.absent)


def _mask(inputs: set[int], numbers: Sequence[int], places: Sequence[int]) -> int:
    """A bit for each of a node's inputs that a clause is about."""
    return sum(1 << bit for bit, place in enumerate(places) if numbers[place] in inputs)
