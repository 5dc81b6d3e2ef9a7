"""Two states of the code compared over a fleet: nodes that provably can not differ are not compiled.

A node's trace is taken from the store, if it holds for the first state, or by compiling the node there. If it holds for
the second state too, the two catalogs are equal, and nothing is compiled. Only the others are compiled, on the second
side alone; the first is compiled for one node of those that differ alike. New traces go to the store, so that the next
comparison begins with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..base.collector import set_aside, sweep
from ..base.record import Record
from .exports import ASKED
from .traces import DigestedSnapshot, Question, words_of
from .workers import Result, in_processes

if TYPE_CHECKING:
    from .compiling import Known

SWEEP_COMPARED = 16
"""Nodes after which a process that compares looks for what they left behind."""

Shown = Callable[[Iterator[tuple[str, Result]], int], Iterator[tuple[str, Result]]]
Compare = Callable[[str], Result]
"""Compiles a node on both sides and compares: a result that can be sent."""


class NodeVerdict(Record):
    """What became of a node: whether it was used again, and what it had read that is other now."""

    reused: bool
    changed: tuple[Question, ...]
    error: str = ""
    """Why it did not compile on the first side; on the second it would not either, if it is used again."""

    def words(self, node: str) -> str:
        """For a person."""
        if self.reused:
            return f"{node} was not compiled: no input of its compilation has changed\n"
        lines = [f"{node} was compiled because these inputs have changed\n"]
        return "".join([*lines, *(f"  {words_of(question)}\n" for question in self.changed)])


def verdicts(traces: dict[str, Known], nodes: Sequence[str], after: DigestedSnapshot) -> dict[str, NodeVerdict]:
    """For each node, whether its catalog is provably the same in the second state."""
    answers: dict[str, NodeVerdict] = {}
    for node in nodes:
        changed = tuple(traces[node].changed(node, after))
        answers[node] = NodeVerdict(not changed, changed, traces[node].error)
    return answers


def asked_again(verdict: NodeVerdict, trace: Known, node: str, after: DigestedSnapshot) -> NodeVerdict:
    """The verdict on a node whose collectors find something else in the second state than in the first."""
    asked = [entry for entry in trace.own if entry[0] == ASKED]
    changed = (*verdict.changed, *after.changed(node, asked))
    return NodeVerdict(False, tuple(dict.fromkeys(changed)), verdict.error)


def compared(
    nodes: Sequence[str], compare: Compare, processes: int | None, shown: Shown
) -> Iterator[tuple[str, Result]]:
    """The results of comparing nodes, in their order; one whose process ended is lost."""
    results: dict[str, Any] = dict(shown(in_processes(nodes, sweeping(compare), processes), len(nodes)))
    for node in nodes:
        yield node, results[node]


def sweeping(compare: Compare) -> Compare:
    """The same, in which what nodes leave behind is swept away now and then; what the first loaded stays for all."""
    runs = 0

    def compare_and_sweep(node: str) -> Result:
        nonlocal runs
        runs += 1
        if runs == 2:
            set_aside()
        elif runs % SWEEP_COMPARED == 0:
            sweep()
        return compare(node)

    return compare_and_sweep
