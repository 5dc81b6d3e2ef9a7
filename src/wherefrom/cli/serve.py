"""`wherefrom serve`: the outcome in a browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import UsageError
from ..base.extras import extra
from ..base.host import PureHost
from ..session import host_for
from ..wishes import Answer, Wish
from .containing import is_wanted, prepare_servant
from .helping import LanguageCommand
from .options import Invocation, input_options, shown_options, split_flake
from .set import answered
from .step import derivation
from .watch import stamps

if TYPE_CHECKING:
    from ..causes import Again
    from ..language import Outcome
    from ..web.subject import Side, Subject

EPILOG = """\b
Examples:
  wherefrom serve --node web01
  wherefrom serve site.pp --node web01 --facts facts.yaml --no-browser
  wherefrom serve . --since main
  wherefrom serve examples/firewall/test.sf
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("path", metavar="[FILE|DIR]", required=False)
@input_options
@shown_options
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="The port (default: a free one).")
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
def command(
    path: str | None,
    nodes: str | None,
    since: str | None,
    store_path: str | None,
    comparison: str | None,
    port: int,
    no_browser: bool,
    **options: object,
) -> None:
    """Show the outcome of FILE or DIR (else of the project's environment) in a browser, until interrupted.

    Only this machine can reach it, and the address contains a secret. Changed files are compiled again.
    """
    with extra("web"):
        from ..web.server import serve
    from ..web.contained import ContainedDocuments
    from ..web.documents import Documents

    fleet = fleet_of(store_path, comparison)
    answering = Documents(subject_of(Invocation(options), path, nodes, since, fleet))
    documents = ContainedDocuments(answering, prepare_servant) if is_wanted() else answering

    def ready(address: str) -> None:
        print(f"{documents.subject.title}: {address}", flush=True)
        if not no_browser and sys.stdout.isatty():
            import webbrowser

            webbrowser.open(address)

    try:
        serve(documents, port, ready)
    except OSError as problem:
        raise UsageError(f"cannot listen on port {port}: {problem.strerror}") from None


def fleet_of(store_path: str | None, comparison: str | None) -> Callable[[], Any] | None:
    """What a store, and perhaps a comparison, say about all nodes: the store is asked anew each time."""
    if store_path is None:
        if comparison is not None:
            raise UsageError("--diff needs --store STORE")
        return None
    from ..fleet.charts import MOST_BARS
    from .fleet_plot import causes_of, reach_of

    causes = causes_of(comparison, MOST_BARS).to_json() if comparison is not None else None
    reach_of(store_path, 1)  # what is wrong with it is told at once

    def fleet() -> Any:
        document: dict[str, object] = {"reach": reach_of(store_path, MOST_BARS).to_json()}
        return {**document, "causes": causes} if causes is not None else document

    return fleet


def subject_of(
    invocation: Invocation,
    path: str | None,
    nodes: str | None,
    since: str | None,
    fleet: Callable[[], Any] | None = None,
) -> Subject:
    """What an explorer is to show, by the options of the command line."""
    from ..web.subject import Subject

    if path == "-":
        raise UsageError("the explorer cannot show standard input, because it reads files again when they change")
    directory, attribute = split_flake(path or ".")
    places = invocation.watched(path)

    def run(revision: str | None, node: str | None, facts: Mapping[str, object]) -> Outcome:
        if revision is not None and attribute is not None:
            raise UsageError("outputs of flakes cannot be compared by revision: name a file")
        return invocation.run(at(revision), node, facts, trace=True)

    def at(revision: str | None) -> str | None:
        return path if revision is None else f"{path or ''}@{revision}"

    def again(before: Side, after: Side) -> Again | None:
        if attribute is not None:
            return None
        more = [{"facts_changed": facts} for _, _, facts in (before, after)]
        return invocation.again(at(before[0]), at(after[0]), (before[1], after[1]), more=more)

    def derive(name: str, text: str | None, options: Mapping[str, object]) -> Any:
        host = host_for(name) if text is None else PureHost(files={name: text})
        if name.endswith(".sf"):
            level = invocation.level_of(name) if text is None else {}  # the examples are the paper's
            options = {**options, "rules": True, **level}  # all definitions that were used are told
        return derivation(name, host, options).json()

    def propose(node: str | None, output: str, value: str | None) -> Answer:
        return answered(invocation, path, [Wish(output, value)], for_node=node)

    def attempt(node: str | None, texts: Mapping[str, str]) -> Outcome:
        session = invocation.settled(path)[1].session
        session.overlay(texts)
        try:
            return invocation.run(path, node, trace=True, observe=True)
        finally:
            session.overlay({})

    known, first = _nodes(invocation, directory if path is not None else None, nodes)
    return Subject(
        path or os.path.basename(os.getcwd()),
        run,
        derive,
        lambda: stamps(places),
        directory if path is not None else places[0],
        tuple(known),
        first,
        since,
        again,
        fleet,
        invocation.budget_of(path),
        propose=propose,
        attempt=None if attribute is not None else attempt,
    )


def _nodes(invocation: Invocation, path: str | None, patterns: str | None) -> tuple[list[str], str | None]:
    """The nodes that one may switch to, and the one to begin with."""
    try:
        known = invocation.all_nodes(path, patterns or "")
    except UsageError:
        if patterns:
            raise
        return [], invocation.node
    first = invocation.node if invocation.node is not None or patterns is None else known[0]
    return list(dict.fromkeys([*([first] if first else []), *known])), first or known[0]
