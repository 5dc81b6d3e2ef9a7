"""What a command gives the language server: how to compile, with which settings.

The server compiles nothing itself, and knows no options. Whoever starts it (a command) says how, with the options,
settings and session that the command line has for every other question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from ..base.diagnostics import Diagnostic
from ..language import Outcome
from ..wishes import Answer


class Subject(Protocol):
    """How files are compiled.  Texts, by path, are read in place of what lies there."""

    def place(self, file: str) -> str | None:
        """What is to be compiled for the sake of a file: its environment, or itself; nothing if there is nothing."""

    def nodes(self, place: str) -> tuple[list[str], str | None]:
        """The nodes that are known there, and the one to begin with."""

    def run(self, place: str, node: str | None, facts: Mapping[str, str], texts: Mapping[str, str]) -> Outcome:
        """Compile, so that what each expression gave is known.  Raises `Diagnostic` or `ManyErrors`."""

    def propose(self, place: str, node: str | None, texts: Mapping[str, str], output: str, value: str) -> Answer:
        """Edits that give an output a value, each compiled; nobody makes them here."""

    def check(self, place: str, texts: Mapping[str, str]) -> list[Diagnostic]:
        """What is wrong with the whole, beyond what a compilation says."""

    def settings(self, place: str) -> list[Diagnostic]:
        """What is wrong with its settings."""


Prepare = Callable[[], object]
"""What is done first in the process that compiles."""
