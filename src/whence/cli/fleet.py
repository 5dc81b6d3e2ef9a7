"""`whence fleet`: all nodes at once, kept in a store that can be asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..base.render import Styled, show, visible
from .diff import sides
from .helping import PuppetCommand
from .options import Invocation, input_options, nodes_option, print_json

if TYPE_CHECKING:
    from ..fleet.workers import Result

EPILOG = """\b
Examples:
  whence fleet compile --store fleet
  whence fleet diff --since main --store fleet
"""

DIFF_EPILOG = """\b
Examples:
  whence fleet diff --since main --store fleet
  whence fleet diff control@main control --store fleet --format markdown
  whence fleet diff --since main --store fleet --fail-on 'Service[*] removed'
  whence fleet diff fleet-before fleet-after       # two stores
"""

COMPILE_EPILOG = """\b
Examples:
  whence fleet compile --store fleet
  whence fleet compile control --store fleet --nodes 'web*' --jobs 4
"""


@click.group(epilog=EPILOG)
def command() -> None:
    """Compile all nodes into a store, and ask it about all of them."""


def store_option(function: Any) -> Any:
    """`--store`, which every question needs."""
    return click.option("--store", "store_path", metavar="STORE", required=True, help="The store's directory.")(
        function
    )


@command.command("compile", cls=PuppetCommand, epilog=COMPILE_EPILOG)
@click.argument("path", metavar="[DIR]", required=False)
@input_options
@nodes_option
@store_option
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="At most N processes; else one for each core.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def compile_command(
    path: str | None, nodes: str | None, store_path: str, jobs: int | None, as_json: bool, **options: Any
) -> int:
    """Compile every node of DIR (else of the project) into STORE; nodes for which nothing changed are kept."""
    from ..fleet.compiling import compile_fleet
    from ..fleet.store import Store

    store = Store(store_path)
    invocation = Invocation(options)
    names = invocation.all_nodes(path, nodes or "")
    side = invocation.side(path, store.key())

    def run(node: str, reads: Any) -> Any:
        return invocation.run(path, node, trace=True, reads=reads)

    summary = compile_fleet(store, names, run, side, jobs, not nodes, _progress)
    failed = [node for node, _ in summary.failed]
    if as_json:
        print_json(
            {
                "store": store_path,
                "generation": summary.generation,
                "compiled": sorted(summary.compiled),
                "kept": list(summary.kept),
                "failed": [{"node": node, "message": message} for node, message in summary.failed],
            }
        )
    else:
        out: Styled = []
        for node, message in summary.failed:
            first = message.splitlines()[0] if message else ""
            out += [(visible(node), "key"), ("  " + visible(first) + "\n", "error")]
        number = len(names)
        kept = sum(node not in failed for node in summary.kept)
        verdict = f"{len(summary.compiled)} compiled, {kept} kept, {len(failed)} failed"
        show([*out, (f"{number} node{'s' * (number != 1)}: {verdict}\n", "strong")], sys.stdout)
    return 1 if failed else 0


@command.command("diff", cls=PuppetCommand, epilog=DIFF_EPILOG)
@click.argument("paths", metavar="BASE HEAD", nargs=-1)
@input_options
@nodes_option
@click.option("--since", metavar="REV", help="Compare a git revision of DIR (else of the project) with now.")
@click.option("--store", "store_path", metavar="STORE", help="Where traces of BASE are kept from one time to the next.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="At most N processes; else one for each core.")
@click.option("--ignore", metavar="PATTERN", multiple=True, help="Leave out paths like `File[*].content`.")
@click.option("--why-not", metavar="NODE", help="Say why a node was compiled, or why it was not, and nothing else.")
@click.option("--fail-on", metavar="PATTERN", multiple=True, help="End with status 4 on `Service[*] removed` and such.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", help="How to answer."
)
def diff_command(
    paths: tuple[str, ...],
    nodes: str | None,
    since: str | None,
    store_path: str | None,
    jobs: int | None,
    ignore: tuple[str, ...],
    why_not: str | None,
    fail_on: tuple[str, ...],
    form: str,
    **options: Any,
) -> int:
    """Compare all nodes of BASE and HEAD: directories, revisions (DIR@REV) or two stores; equal differences together.

    Only nodes that read something which differs are compiled; all others are provably the same.
    """
    from .fleet_diff import FleetDiff, gates

    checks = gates(fail_on)
    before, after = sides(paths, since, False)
    return FleetDiff(Invocation(options), before, after, nodes or "", jobs, ignore, _progress).answer(
        store_path, why_not, checks, form
    )


def _progress(results: Iterator[tuple[str, Result]], count: int) -> Iterator[tuple[str, Result]]:
    """The results; if somebody looks, with a line that says how many nodes a second, and how long it will take."""
    if not sys.stderr.isatty() or count < 2:
        yield from results
        return
    import time

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("compiling"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    console = Console(file=getattr(sys.stderr, "terminal", sys.stderr))
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("compiling", total=count, rate="")
        begun = time.monotonic()
        for number, result in enumerate(results, 1):
            progress.update(task, advance=1, rate=f"{number / max(time.monotonic() - begun, 1e-9):.0f} nodes/s")
            yield result
