"""`wherefrom lsp`: the language server, which an editor starts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import click

from .. import __version__
from ..base.diagnostics import Diagnostic, UsageError, WherefromError
from ..base.extras import extra
from ..language import Outcome
from ..languages import language_to_check
from ..project import find_project
from ..wishes import Answer, Wish
from .check import is_environment
from .containing import is_wanted, prepare_servant
from .helping import LanguageCommand
from .options import Invocation, input_options
from .set import answered

EPILOG = """\b
Examples:
  wherefrom lsp                    # started by an editor, see docs/editor.md
  wherefrom lsp --node web01
  wherefrom lsp --store store      # code lenses say how far something reaches in the fleet
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@input_options
@click.option("--stdio", is_flag=True, help="Speak on standard input and output: the only way, and the default.")
@click.option("--store", metavar="STORE", help="A fleet's store, to show how far definitions reach on its nodes.")
def command(stdio: bool, store: str | None, **options: object) -> None:
    """Serve an editor: diagnostics, values and where they come from, definitions, references, completion."""
    with extra("editor"):
        from ..editor.server import serve

    serve(Configured(Invocation(options), store), prepare_servant, is_wanted(), __version__)


class Configured:
    """How files are compiled by the options of the command line and the settings of their projects."""

    def __init__(self, invocation: Invocation, store: str | None = None) -> None:
        self._invocation = invocation
        self._store = None if store is None else os.path.abspath(store)

    def place(self, file: str) -> str | None:
        """The environment that a file belongs to, or the file itself."""
        language = None
        with suppress(UsageError):
            language = language_to_check(file)
        if language is None:
            return None
        if language != "puppet":
            return file
        with suppress(WherefromError):
            project = find_project(file)
            if project is not None and project.environment is not None and _is_below(file, project.environment):
                return os.path.abspath(project.environment)
        alone = file if file.endswith(".pp") else None
        folder = os.path.dirname(os.path.abspath(file))
        while True:
            if is_environment(folder) and not os.path.exists(os.path.join(folder, "metadata.json")):
                return folder
            above = os.path.dirname(folder)
            if above == folder:
                return alone
            folder = above

    def nodes(self, place: str) -> tuple[list[str], str | None]:
        """The nodes that are known, and the one to begin with."""
        named: str | None = None
        with suppress(WherefromError):
            named = self._invocation.settled(place)[1].node
        try:
            known = self._invocation.all_nodes(place)
        except WherefromError:
            known = []
        return known, named or (known[0] if known else None)

    def run(
        self,
        place: str,
        node: str | None,
        facts: Mapping[str, str],
        texts: Mapping[str, str],
        watched: Sequence[str],
    ) -> Outcome:
        """Compile with histories, and with what each expression of some files gave."""
        self._lay(place, texts)
        return self._invocation.run(place, node, facts or None, trace=True, observe=sorted(watched))

    def run_with(self, place: str, node: str | None, files: Mapping[str, bytes | None]) -> Outcome:
        """Compile with other contents of some files, over the texts that were given last."""
        return self._invocation.run_with(place, node, files)

    def propose(self, place: str, node: str | None, texts: Mapping[str, str], output: str, value: str) -> Answer:
        """What `wherefrom set` proposes."""
        self._lay(place, texts)
        return answered(self._invocation, place, [Wish(output, value)], for_node=node)

    def check(self, place: str, texts: Mapping[str, str]) -> list[Diagnostic]:
        """What `wherefrom check` says of an environment as a whole."""
        self._lay(place, texts)
        return self._invocation.check_all(place) if os.path.isdir(place) else []

    @property
    def has_fleet(self) -> bool:
        """Whether a store was named."""
        return self._store is not None

    def fleet_stamp(self) -> object:
        """When the store was last committed to."""
        with suppress(OSError):
            return os.stat(os.path.join(self._store or "", "current.json")).st_mtime_ns
        return None

    def fleet(self, file: str, stretches: Sequence[Sequence[Any]]) -> Mapping[str, object]:
        """How far stretches of a file reach on the nodes of the store."""
        if self._store is None:
            return {"nodes": 0, "rows": [], "said": ""}
        with extra("fleet"):
            from ..fleet.reaching import Stretch
            from .fleet_reach import fleet_reach

        count, rows, said = fleet_reach(self._store, file, [Stretch(*stretch) for stretch in stretches])
        return {"nodes": count, "rows": [[row.used, row.resources, row.nodes] for row in rows], "said": said}

    def settings(self, place: str) -> list[Diagnostic]:
        """What is wrong with the settings, or was left out of them."""
        try:
            project = find_project(place)
        except Diagnostic as problem:
            return [problem]
        return [project.untrusted] if project is not None and project.untrusted is not None else []

    def _lay(self, place: str, texts: Mapping[str, str]) -> None:
        self._invocation.settled(place)[1].session.overlay(texts)


def _is_below(file: str, folder: str) -> bool:
    return os.path.realpath(file).startswith(os.path.realpath(folder).rstrip(os.sep) + os.sep)
