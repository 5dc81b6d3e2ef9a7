"""What an explorer shows: a configuration, the nodes it can be compiled for, and derivations to walk through.

The explorer compiles nothing itself. Whoever starts it (a command) says how: with the options, settings and session
that the command line has for every other question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..base.budget import Budget
from ..base.record import Record
from ..causes import Again
from ..language import Outcome
from ..wishes import Answer
from .trying import Attempt

Run = Callable[[str | None, str | None, Mapping[str, Any]], Outcome]
"""Compile at a revision (or as it is now), for a node (or the only one), with some facts changed."""

Side = tuple[str | None, str | None, Mapping[str, Any]]
"""What `Run` is given."""

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
    again: Callable[[Side, Side], Again | None] = lambda before, after: None
    """Who compiles one of two sides again with some edits taken back, which proves what caused a difference."""
    fleet: Callable[[], Any] | None = None
    """What a store says about all nodes, if one was named: `reach`, and `causes` of a comparison."""
    budget: Budget = Budget()
    """What one question may use."""
    propose: Callable[[str | None, str, str | None], Answer] | None = None
    """Edits that give an output of a node another value, or that remove it; they are made by nobody here."""
    attempt: Attempt | None = None
    """Compile with texts in place of files, which nobody saves."""
    only: tuple[str, ...] = ()
    """Of a report: the paths to tell of, if not all."""
