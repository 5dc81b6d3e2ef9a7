"""Rules over all nodes of a store: by the graphs that it keeps of what values depend on.

Each clause of a rule is a set of inputs, worked out once for the store. One walk over the graph of a node then tells of
each output which of these inputs are below it. A store knows what values depend on (`depends`, `may`), not what they
are made of, and nothing of secrets: rules about these are for compilations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from ..base.diagnostics import UsageError
from ..base.record import replace
from ..influence import MADE, Input, Node
from ..patterns import ENCRYPTED, WORDS
from ..policy import Breaking, Clause, Finding, Policy, Report, Told, marks_of
from ..policy_rules import Rule
from ..provenance.condensed import members
from ..provenance.layout import ABSENT, leaf_name
from ..provenance.origins import Leaf
from .graphs import GraphInput, GraphOutput, OriginGraph
from .questions import Questions, path_of_output


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
        marks = dict(zip(inputs, marks_of(self.clauses, inputs.values())))
        seen: Counter[tuple[str, str, str]] = Counter()
        meant: dict[tuple[str, str, str], int] = {}
        needed = sum(1 << place for place, clause in enumerate(self.clauses) if clause.name == "some")
        for node, numbers, graph in graphs:
            self.nodes.append(node)
            here = graph()
            bits = [marks[number] for number in numbers]
            has = here.raised(bits)
            broken: dict[int, list[GraphOutput]] = {}
            for output in here.outputs:
                name = output[:3]
                about = meant.get(name)
                if about is None:
                    about = meant[name] = self._meant(name)
                if about:
                    seen[name] += 1
                    for place in members((has[output[3]] ^ needed) & about):
                        broken.setdefault(place, []).append(output)
            for place in sorted(broken):
                told = [Told(inputs[number]) if bit >> place & 1 else None for number, bit in zip(numbers, bits)]
                self.findings += self._of_broken(self.clauses[place], broken[place], told, here, node)
        for name, count in seen.items():
            for rule in self.rules:
                hits = [pattern for pattern in rule.outputs if pattern.matches(name, path_of_output(*name))]
                self._counts[rule.name] += count if hits else 0
                self._covered.update(hits)
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

    def _meant(self, name: tuple[str, str, str]) -> int:
        """A bit for each clause that is about an output."""
        if not name[0]:  # a content, which is told beside its resource
            return 0
        path = path_of_output(*name)
        return sum(
            1 << place
            for place, clause in enumerate(self.clauses)
            if any(pattern.matches(name, path) for pattern in clause.rule.outputs)
        )

    def _of_broken(
        self,
        clause: Clause,
        outputs: Sequence[GraphOutput],
        inputs: Sequence[Told | None],
        graph: OriginGraph,
        node: str,
    ) -> Iterator[Finding]:
        """What breaks a clause on a node, without ways; `inputs` are those that it means."""
        rows = [Breaking(output[:3], path_of_output(*output[:3]), 0) for output in outputs]
        if clause.name == "some":
            yield from self.told_without(clause, rows, node)
            return
        counted = [number for number, told in enumerate(inputs) if told is not None]
        below = graph.sets(counted)
        rows = [replace(row, bits=below[output.node]) for row, output in zip(rows, outputs)]
        yield from self.told(clause, [told for told in inputs if told is not None], rows, node)

    def input_of(self, node: Node) -> Input:
        assert isinstance(node, Leaf)
        return _input_of(node)


def _require_known(rule: Rule) -> None:
    relations = {relation for group in (rule.never, rule.only, rule.some, rule.owners) for relation, _ in group}
    asked = "made" if MADE in relations else "sensitive" if rule.sensitive else ""
    asked = asked or (ENCRYPTED if any(pattern.text == ENCRYPTED for pattern in rule.inputs) else "")
    if asked:
        raise UsageError(
            f"the rule {rule.name!r} needs {asked!r}, which a store does not have: check it without --store"
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
