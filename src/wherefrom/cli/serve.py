"""`wherefrom serve`: the outcome in a browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import UsageError
from ..base.host import PureHost
from ..session import host_for
from .helping import LanguageCommand
from .options import Invocation, input_options, shown_options, split_flake
from .step import derivation
from .watch import stamps

if TYPE_CHECKING:
    from ..language import Outcome
    from ..web.subject import Subject

EXTRA = "the explorer's server needs further packages: pip install 'wherefrom[web]'"

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
    **options: Any,
) -> None:
    """Show the outcome of FILE or DIR (else of the project's environment) in a browser, until interrupted.

    Only this machine can see it, and only who knows the address. What changes on disk is compiled again.
    """
    try:
        from ..web.server import serve
    except ModuleNotFoundError as problem:
        raise UsageError(f"{EXTRA} ({problem.name} is not installed)") from None
    from ..web.documents import Documents

    fleet = fleet_of(store_path, comparison)
    documents = Documents(subject_of(Invocation(options), path, nodes, since, fleet))

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
            raise UsageError("--diff is shown beside a fleet: name its store with --store")
        return None
    from ..fleet.charts import MOST_BARS
    from .fleet_plot import causes_of, reach_of

    causes = causes_of(comparison, MOST_BARS).to_json() if comparison is not None else None
    reach_of(store_path, 1)  # what is wrong with it is told at once

    def fleet() -> Any:
        document: dict[str, Any] = {"reach": reach_of(store_path, MOST_BARS).to_json()}
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
        raise UsageError("the explorer reads files again: standard input can not be")
    directory, attribute = split_flake(path or ".")
    places = invocation.watched(path)

    def run(revision: str | None, node: str | None, facts: Mapping[str, Any]) -> Outcome:
        if revision is not None and attribute is not None:
            raise UsageError("an output of a flake has no revisions here: name a file")
        asked = path if revision is None else f"{path or ''}@{revision}"
        return invocation.run(asked, node, facts, trace=True)

    def derive(name: str, text: str | None, options: Mapping[str, Any]) -> Any:
        host = host_for(name) if text is None else PureHost(files={name: text})
        if name.endswith(".sf"):
            options = {**options, "rules": True}  # SmartFrog has one set of definitions: say what they are
        return derivation(name, host, options).json()

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
        fleet,
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
