"""`wherefrom graph`: a catalog drawn."""

from __future__ import annotations

import click

from ..base.diagnostics import PathNotFound, UsageError
from ..base.graph import Graph, dot
from ..base.source import lines_of
from ..base.spell import nearest
from ..language import catalog_of
from .helping import PuppetCommand
from .options import Invocation, input_options, print_json
from .streams import hidden, write_document

EPILOG = """\b
Examples:
  wherefrom graph site.pp --node web01 > catalog.dot
  wherefrom graph --node web01 --format svg > catalog.svg
  wherefrom graph --node web01 --around 'Service[nginx]' --steps 1
"""


@click.command(cls=PuppetCommand, epilog=EPILOG)
@click.argument("path", metavar="[FILE|DIR]", required=False)
@input_options
@click.option("--around", metavar="RESOURCE", help="Only this resource and its neighbours.")
@click.option(
    "--steps",
    type=click.IntRange(0),
    default=2,
    metavar="N",
    help="Distance from that resource, in arrows (default: 2).",
)
@click.option("--json", "form", flag_value="json", help="Print one JSON document: the same as --format json.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["dot", "svg", "json"]),
    default="dot",
    help="dot for Graphviz; svg (needs Graphviz's program `dot`); json.",
)
def command(path: str | None, around: str | None, steps: int, form: str, **options: object) -> None:
    """Draw the catalog of FILE or DIR (else of the project's environment): what contains what, what comes before what.

    Cycles are red; an arrow's tooltip is the line that declares it.
    """
    graph = catalog_of(Invocation(options).run(path, trace=True)).graph()
    if around is not None:
        graph = _near(graph, around, steps)
    match form:
        case "json":
            print_json(graph.to_json())
        case "svg":
            write_document(_drawn(dot(graph.renamed(hidden))))
        case _:
            write_document(dot(graph.renamed(hidden)))


def _near(graph: Graph, name: str, steps: int) -> Graph:
    names = {node.name.lower(): node.name for node in graph.nodes}
    if name.lower() not in names:
        raise PathNotFound(name, "the catalog has no such resource", nearest(name, list(names.values())))
    return graph.around(names[name.lower()], steps)


def _drawn(text: str) -> str:
    """The picture, drawn by Graphviz."""
    import subprocess

    try:
        done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise UsageError("drawing SVG needs Graphviz: its program `dot` is not on the PATH") from None
    if done.returncode != 0:
        raise UsageError(f"dot: {lines_of(done.stderr.strip())[0] if done.stderr.strip() else 'failed'}")
    return done.stdout
