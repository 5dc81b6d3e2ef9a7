"""What an explorer shows: a configuration, the nodes it can be compiled for, and derivations to walk through.

The explorer compiles nothing itself. Whoever starts it (a command) says how: with the options, settings and session
that the command line has for every other question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..base.record import Record
from ..language import Outcome

Run = Callable[[str | None, str | None, Mapping[str, Any]], Outcome]
"""Compile at a revision (or as it is now), for a node (or the only one), with some facts changed."""

Derive = Callable[[str, str | None, Mapping[str, Any]], Any]
"""The derivation of a file (of that name on disk, or with that text), as `wherefrom step --json` prints it."""


class Subject(Record):
    """A configuration.  `nodes` are those one may switch to; `looks` is different whenever a file has changed."""

    title: str
    run: Run
    derive: Derive
    looks: Callable[[], object]
    path: str | None = None
    """The file or directory, where there is one on disk."""
    nodes: tuple[str, ...] = ()
    node: str | None = None
    """The node to begin with."""
    since: str | None = None
    """The revision to compare with, if one was named."""
    fleet: Callable[[], Any] | None = None
    """What a store says about all nodes, if one was named: `reach`, and `causes` of a comparison."""
    only: tuple[str, ...] = ()
    """Of a report: the paths to tell of, if not all."""
