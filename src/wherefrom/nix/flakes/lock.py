"""`flake.lock`: which revision of each input a flake was last used with.

A lock file (versions 5 to 7; Nix manual, "nix flake", section "Lock files") is a graph of nodes.  A node's `inputs` are
names of other nodes, or paths (lists) that are followed from the root.  It is only read, never written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ...base.diagnostics import Diagnostic
from ...base.record import Record
from ...base.source import SourceFile, Span

VERSIONS = (5, 6, 7)


class BadLock(Diagnostic):
    """A lock file that can not be used."""

    code = "N060"

    def __init__(self, name: str, reason: str, span: Span | None = None) -> None:
        super().__init__(f"lock file '{name}' {reason}", span)


class LockNode(Record):
    """One node: where its source was found, what the flake had asked for, and the nodes of its own inputs."""

    key: str
    inputs: Mapping[str, str | tuple[str, ...]]
    locked: Mapping[str, object] | None
    original: Mapping[str, object] | None
    is_flake: bool
    span: Span | None

    @property
    def revision(self) -> str:
        """What it is locked to, in words."""
        locked = self.locked or {}
        return str(locked.get("rev") or locked.get("narHash") or "no revision")


class Lock(Record):
    """A whole lock file."""

    nodes: Mapping[str, LockNode]
    root: LockNode


def read_lock(source: SourceFile) -> Lock:
    """The graph in a lock file.  Raises `BadLock`."""
    try:
        document = json.loads(source.text)
    except ValueError as problem:
        at = getattr(problem, "pos", 0)
        raise BadLock(source.name, "is not JSON", source.span(at)) from None
    if not isinstance(document, dict) or document.get("version") not in VERSIONS:
        version = document.get("version") if isinstance(document, dict) else None
        raise BadLock(source.name, f"has unsupported version {json.dumps(version)}")
    nodes = document.get("nodes")
    if not isinstance(nodes, dict) or document.get("root") not in nodes:
        raise BadLock(source.name, "has no nodes or no root")
    graph = {key: _node(source, key, node) for key, node in nodes.items()}
    for node in graph.values():
        for target in node.inputs.values():
            if isinstance(target, str) and target not in graph:
                raise BadLock(source.name, f"refers to a node '{target}' that does not exist", node.span)
    return Lock(graph, graph[document["root"]])


def _node(source: SourceFile, key: str, node: object) -> LockNode:
    if not isinstance(node, dict):
        raise BadLock(source.name, f"has a node '{key}' that is not an object")
    inputs = {
        name: tuple(target) if isinstance(target, list) else str(target)
        for name, target in (node.get("inputs") or {}).items()
    }
    locked, original = node.get("locked"), node.get("original")
    place = re.search(rf"{re.escape(json.dumps(key))}\s*:\s*{{", source.text)
    span = None if place is None else source.span(place.start(), place.start() + len(json.dumps(key)))
    return LockNode(key, inputs, locked, original, node.get("flake", True) is not False, span)
