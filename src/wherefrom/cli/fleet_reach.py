"""How far definitions of a file reach in a fleet, for an editor: what `fleet impact` says of their lines, counted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress

from ..base.diagnostics import UsageError, WherefromError
from ..fleet.compiling import Known, known_nodes
from ..fleet.graph_making import stamp_of
from ..fleet.origins import OriginsFile
from ..fleet.questions import Questions
from ..fleet.reaching import FleetReach, Stretch, reached_by, used_by
from ..fleet.store import Store
from .fleet_origins import inside, make_graphs, options_of
from .options import Invocation

MOST_MADE = 200
"""Nodes without a graph that are compiled for the sake of an editor; with more, `fleet impact` is asked first."""


def fleet_reach(store_path: str, file: str, stretches: Sequence[Stretch]) -> tuple[int, list[FleetReach], str]:
    """How many nodes the store has, how far each stretch of a file reaches, and why that is not known, if it is not."""
    store = Store(store_path)
    with closing(Questions(store, lambda nodes: make_graphs(store, nodes, None, 1))) as questions:
        reached = used_by(questions, stretches)
        count = questions.node_count()
        known = known_nodes(store)
        problem = _unlike(store, known.values(), file)
        if not problem:
            stamps = OriginsFile(store.path).stamps()
            lacking = [node for node in known if stamps.get(node, (None,))[0] != stamp_of(known[node])]
            if len(lacking) > MOST_MADE:
                problem = "ask `wherefrom fleet impact` once: it works out what values depend on"
        if not problem:
            request = store.request()
            base = request.directory if request is not None else os.getcwd()
            real = os.path.realpath(file)
            try:
                reached = reached_by(
                    questions, lambda name: os.path.realpath(os.path.join(base, name)) == real, stretches, reached
                )
            except UsageError as refused:
                problem = str(refused)
        return count, reached, problem


def _unlike(store: Store, nodes: Iterable[Known], file: str) -> str:
    """In words, that the nodes were compiled from another text than a file has now."""
    request = store.request()
    if request is None or not os.path.isdir(request.directory) or (request.asks and not request.is_own):
        return "the store says nothing of files that are here"
    with inside(request.directory), suppress(WherefromError):
        side = Invocation(options_of(request)).side(request.path, store.key())
        traces = {id(trace): trace for node in nodes for trace in (node.own, node.shared)}
        read = {entry[1:] for trace in traces.values() for entry in trace if entry[0] == "content"}
        for name, digest in read:
            path = side.answers.path_of(("content", name))
            if path is not None and os.path.realpath(path) == os.path.realpath(file):
                if side.digest(("content", name)) != digest:
                    return "the file was edited since: run `wherefrom fleet compile`"
        return ""
    return "what the nodes were compiled from cannot be read"
