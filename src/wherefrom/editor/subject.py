"""What a command gives the language server: how to compile, with which settings.

The server compiles nothing itself, and knows no options. Whoever starts it (a command) says how, with the options,
settings and session that the command line has for every other question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..base.diagnostics import Diagnostic
from ..language import Outcome
from ..wishes import Answer


class Subject(Protocol):
    """How files are compiled.  Texts, by path, are read in place of what lies there."""

    def place(self, file: str) -> str | None:
        """What is to be compiled for the sake of a file: its environment, or itself; nothing if there is nothing."""

    def nodes(self, place: str) -> tuple[list[str], str | None]:
        """The nodes that are known there, and the one to begin with."""

    def run(
        self,
        place: str,
        node: str | None,
        facts: Mapping[str, str],
        texts: Mapping[str, str],
        watched: Sequence[str],
    ) -> Outcome:
        """Compile, so that what each expression of the files `watched` gave is known.

        Raises `Diagnostic` or `ManyErrors`.
        """

    def run_with(self, place: str, node: str | None, files: Mapping[str, bytes | None]) -> Outcome:
        """Compile with other contents of some files than `run` was given last; nothing for one that is not there."""

    def propose(self, place: str, node: str | None, texts: Mapping[str, str], output: str, value: str) -> Answer:
        """Edits that give an output a value, each compiled; nobody makes them here."""

    def check(self, place: str, texts: Mapping[str, str]) -> list[Diagnostic]:
        """What is wrong with the whole, beyond what a compilation says."""

    @property
    def has_fleet(self) -> bool:
        """Whether there is a fleet whose store says how far something reaches on its nodes."""

    def fleet_stamp(self) -> object:
        """What is another one when the nodes of the fleet were compiled anew."""

    def fleet(self, file: str, stretches: Sequence[Sequence[Any]]) -> Mapping[str, object]:
        """How far stretches of a file (kind, name, first and last line) reach there.

        `nodes` is how many there are; of each of `rows`: on how many it is used, how many resources on how many nodes
        may change with it, where that is known; `said` is why not.
        """

    def settings(self, place: str) -> list[Diagnostic]:
        """What is wrong with its settings."""


Prepare = Callable[[], object]
"""What is done first in the process that compiles."""
