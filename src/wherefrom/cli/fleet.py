"""`wherefrom fleet`: all nodes at once, kept in a store that can be asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import Diagnostic
from ..base.plural import count_of
from ..base.render import Styled, show, visible
from ..base.source import lines_of
from ..language import catalog_of
from ..provenance.explain import short
from ..session import host_for
from .diff import sides
from .helping import PuppetCommand
from .options import Invocation, input_options, nodes_option, print_json
from .reports import by_cause, node_list

if TYPE_CHECKING:
    from ..fleet.questions import Affected, Odd, Questions
    from ..fleet.workers import Result

EPILOG = """\b
Examples:
  wherefrom fleet compile --store fleet
  wherefrom fleet diff --since main --store fleet
  wherefrom fleet impact fact:os.family --store fleet
"""

DIFF_EPILOG = """\b
Examples:
  wherefrom fleet diff --since main --store fleet
  wherefrom fleet diff control@main control --store fleet --format markdown
  wherefrom fleet diff --since main --store fleet --fail-on 'Service[*] removed'
  wherefrom fleet diff fleet-before fleet-after       # two stores
  wherefrom fleet diff --stored --puppetdb https://puppetdb:8081 --cert c.pem --key k.pem --ca ca.pem
"""

IMPACT_EPILOG = """\b
Examples:
  wherefrom fleet impact fact:os.family --store fleet
  wherefrom fleet impact data/common.yaml:12 --store fleet
"""
WHERE_USED_EPILOG = """\b
Example:
  wherefrom fleet where-used manifests/site.pp:3 --store fleet
"""
FIND_EPILOG = """\b
Examples:
  wherefrom fleet find 'File[/etc/ssh/*].mode != 0600' --store fleet
  wherefrom fleet find 'Package[nginx]' --store fleet
"""
LOOKUP_EPILOG = """\b
Example:
  wherefrom fleet lookup ntp::servers --store fleet
"""
DEAD_EPILOG = """\b
Examples:
  wherefrom fleet dead --store fleet
  wherefrom fleet dead control --store fleet --only 'site/*' --only 'data/*'
"""
DRIFT_EPILOG = """\b
Example:
  wherefrom fleet drift --store fleet --part 0.1
"""
PLOT_EPILOG = """\b
Examples:
  wherefrom fleet plot reach --store fleet -o reach.svg
  wherefrom fleet diff --since main --store fleet --format json | wherefrom fleet plot causes --diff - -o causes.png
"""
SQL_EPILOG = """\b
Example:
  wherefrom fleet sql 'select type, count(*) from resources group by type' --store fleet
"""

COMPILE_EPILOG = """\b
Examples:
  wherefrom fleet compile --store fleet
  wherefrom fleet compile control --store fleet --nodes 'web*' --jobs 4
  wherefrom fleet compile --store fleet --ray auto --parts s3://bucket/parts
"""
MOST_GROUPS, MOST_TOLD = 50, 10
"""Groups of odd values, and values of a group, that are shown to a person."""


class Subcommands(click.Group):
    """The subcommands, each listed with the whole first sentence of its help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, command.get_short_help_str(500)) for name, command in sorted(self.commands.items())]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(epilog=EPILOG, cls=Subcommands)
def command() -> None:
    """Compile all nodes into a store and query it."""


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
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="At most N processes (default: one per core).")
@click.option(
    "--ray", metavar="ADDRESS", help="Compile on a Ray cluster: its address, `auto`, or `local` to start one here."
)
@click.option("--parts", metavar="PLACE", help="With --ray: directory or URL that all machines share.")
@click.option("--batch", type=click.IntRange(min=1), metavar="N", help="With --ray: nodes per task (default: 50).")
@click.option("--send", is_flag=True, help="Send catalogs that export resources to PuppetDB.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def compile_command(
    path: str | None,
    nodes: str | None,
    store_path: str,
    jobs: int | None,
    ray: str | None,
    parts: str | None,
    batch: int | None,
    send: bool,
    as_json: bool,
    **options: object,
) -> int:
    """Compile every node of DIR (default: the project) into STORE; unchanged nodes are kept."""
    from ..fleet.compiling import compile_fleet
    from ..fleet.rounds import Exchange
    from ..fleet.store import Store
    from .fleet_origins import request_of, start_anew

    store = Store(store_path)
    given = dict(options)
    invocation = Invocation(options).of_fleet()
    if send and invocation.database is None:
        raise click.UsageError("--send needs --puppetdb URL")
    if ray is None and (parts is not None or batch is not None):
        raise click.UsageError("--parts and --batch need --ray ADDRESS")
    names = invocation.all_nodes(path, nodes or "")
    start_anew(store)
    side = invocation.side(path, store.key())
    click.get_current_context().with_resource(store.relied_on())
    exchange = Exchange.of_store(store_path)
    exchange.others = invocation.database

    def run(node: str, reads: object) -> Any:
        more: dict[str, Any] = {"exports": exchange, "storeconfigs": True}
        return invocation.run(path, node, trace=True, reads=reads, **more)

    elsewhere = None
    if ray is not None:
        from .fleet_cluster import cluster_of, on_ray

        elsewhere = on_ray(given, invocation, path, store, cluster_of(ray, parts, jobs, batch), exchange)
    store.remember(request_of(path, given))
    with invocation.standing_still(path):
        summary = compile_fleet(store, names, run, side, jobs, not nodes, _progress, elsewhere, exchange)
        sent = _send(invocation, exchange.exporters(summary.compiled), run) if send else []
    failed = [node for node, _ in summary.failed]
    if as_json:
        print_json(
            {
                **({"sent": sent} if send else {}),
                "store": store_path,
                "generation": summary.generation,
                "compiled": sorted(summary.compiled),
                "kept": list(summary.kept),
                "failed": [{"node": node, "message": message} for node, message in summary.failed],
                "touched": list(summary.touched),
            }
        )
    else:
        out: Styled = []
        messages = ((node, lines_of(message)[0] if message else "") for node, message in summary.failed)
        for several, first in by_cause(messages, str):
            out += [(node_list(several, 4), "key"), ("  " + visible(first) + "\n", "error")]
        number = len(names)
        kept = sum(node not in failed for node in summary.kept)
        verdict = f"{len(summary.compiled)} compiled, {kept} kept, {len(failed)} failed"
        show([*out, (f"{count_of(number, 'node')}: {verdict}\n", "strong")], sys.stdout)
        if summary.touched:
            many = count_of(len(summary.touched), "node")
            show([(f"files changed during the run: {many} will be compiled again next time\n", "error")], sys.stderr)
        if send:
            show([(f"{count_of(len(sent), 'catalog')} sent to PuppetDB\n", "dim")], sys.stdout)
    return 1 if failed else 0


def _send(invocation: Invocation, nodes: list[str], run: Any) -> list[str]:
    """Store the catalogs of nodes in PuppetDB; the nodes."""
    assert invocation.database is not None
    for node in nodes:
        invocation.database.replace_catalog(
            catalog_of(run(node, None), "PuppetDB stores Puppet catalogs, not").stored()
        )
    return nodes


@command.command("diff", cls=PuppetCommand, epilog=DIFF_EPILOG)
@click.argument("paths", metavar="BASE HEAD", nargs=-1)
@input_options
@nodes_option
@click.option("--since", metavar="REV", help="Compare a git revision of DIR (default: the project) with the work tree.")
@click.option("--store", "store_path", metavar="STORE", help="Directory that keeps the traces of BASE between runs.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="At most N processes (default: one per core).")
@click.option("--stored", is_flag=True, help="Compare PuppetDB's stored catalogs with HEAD.")
@click.option("--ignore", metavar="PATTERN", multiple=True, help="Leave out paths like `File[*].content`.")
@click.option("--why-not", metavar="NODE", help="Only say why a node was compiled or not.")
@click.option(
    "--fail-on",
    metavar="PATTERN",
    multiple=True,
    help="Exit with status 4 if a difference matches, such as `Service[*] removed`.",
)
@click.option("--all", "everything", is_flag=True, help="Show every attribute of added and removed resources.")
@click.option("--report", metavar="URL", help="URL of the full report, linked from a comment that had to be shortened.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "html"]),
    default="text",
    help="Output format.",
)
def diff_command(
    paths: tuple[str, ...],
    nodes: str | None,
    since: str | None,
    store_path: str | None,
    jobs: int | None,
    stored: bool,
    ignore: tuple[str, ...],
    why_not: str | None,
    fail_on: tuple[str, ...],
    everything: bool,
    report: str | None,
    form: str,
    **options: object,
) -> int:
    """Compare all nodes of BASE and HEAD: directories, revisions (DIR@REV) or two stores; equal differences together.

    Only nodes that read something that differs are compiled; all others are certainly unchanged. For some dozens of
    nodes, `wherefrom diff --nodes` does without a store.
    """
    from .fleet_diff import Display, FleetDiff, gates

    checks = gates(fail_on)
    shown = Display(form, everything, report)
    if stored:
        if len(paths) > 1 or since is not None or store_path is not None or why_not is not None:
            raise click.UsageError("--stored takes one HEAD, and cannot be combined with --since or --store")
        head = paths[0] if paths else None
        request = FleetDiff(Invocation(options).of_fleet(), None, head, nodes or "", jobs, ignore, _progress)
        return request.against_stored(checks, shown)
    before, after = sides(paths, since, False)
    given = dict(options)
    invocation = Invocation(options).of_fleet()
    invocation.modules.assign(before, after)
    return FleetDiff(invocation, before, after, nodes or "", jobs, ignore, _progress).answer(
        store_path, why_not, checks, shown, given
    )


@command.command("impact", epilog=IMPACT_EPILOG)
@click.argument("input_name", metavar="INPUT")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def impact_command(input_name: str, store_path: str, as_json: bool) -> None:
    """List the attributes, by node, that may change when INPUT (FILE:LINE, fact:NAME, hiera:KEY) changes.

    For all nodes of a store; `wherefrom impact` answers for one node, without a store.
    """
    questions = _questions(store_path)
    affected = questions.impact(input_name)
    nodes = {node for row in affected for node in row.nodes}
    outputs = count_of(len(affected), "output")
    verdict = f"{len(nodes)} of {questions.node_count()} nodes, {outputs} may change"
    _tell(store_path, affected, verdict, as_json, {"input": input_name, "nodes": sorted(nodes)})
    _hint_input(questions, input_name, bool(affected))


@command.command("where-used", epilog=WHERE_USED_EPILOG)
@click.argument("place", metavar="FILE:LINE")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def where_used_command(place: str, store_path: str, as_json: bool) -> None:
    """List the resources, by node, that a line of code or data contributes to."""
    from ..fleet.questions import by_resource
    from ..provenance.impact import parse_target

    if ":" not in place or parse_target(place).line is None:
        raise click.UsageError(f"expected FILE:LINE, found {place!r}")
    questions = _questions(store_path)
    resources = by_resource(questions.impact(place))
    nodes = {node for row in resources for node in row.nodes}
    verdict = f"used by {count_of(len(resources), 'resource')} on {count_of(len(nodes), 'node')}"
    _tell(store_path, resources, verdict, as_json, {"place": place, "nodes": sorted(nodes)})
    _hint_input(questions, place, bool(resources))


@command.command("find", epilog=FIND_EPILOG)
@click.argument("condition", metavar="CONDITION")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def find_command(condition: str, store_path: str, as_json: bool) -> None:
    """Find resources and attributes on all nodes (`File[/etc/ssh/*].mode != 0600`), grouped by value."""
    questions = _questions(store_path)
    matches = questions.find(condition)
    nodes = {node for row in matches for node in row.nodes}
    head = {"condition": condition, "nodes": sorted(nodes)}
    _tell(store_path, matches, f"found on {count_of(len(nodes), 'node')}", as_json, head, True)
    _hint(None if matches else questions.nearest_condition(condition))


@command.command("lookup", epilog=LOOKUP_EPILOG)
@click.argument("key", metavar="KEY")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def lookup_command(key: str, store_path: str, as_json: bool) -> int:
    """Show the value of KEY on every node, grouped by value, with level, file and line.

    For keys that some node looked up when it was compiled; `wherefrom lookup --nodes` looks up any key, without a
    store. Status 1 if no node gets a value.
    """
    from .fleet_lookup import answer

    return answer(_questions(store_path), key, as_json)


@command.command("dead", cls=PuppetCommand, epilog=DEAD_EPILOG)
@click.argument("path", metavar="[DIR]", required=False)
@input_options
@store_option
@click.option("--only", metavar="PATTERN", multiple=True, help="Only files that match, such as `site/*`.")
@click.option("--exit-code", is_flag=True, help="Exit with status 4 if anything is unused.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def dead_command(
    path: str | None, store_path: str, only: tuple[str, ...], exit_code: bool, as_json: bool, **options: object
) -> int:
    """List definitions, parameters and keys of DIR (default: the project) that no node in STORE uses.

    For keys and files of the data alone, `wherefrom check --dead` does without a store.
    """
    from ..fleet.store import Store
    from .fleet_dead import answer

    return answer(Invocation(options), path, Store(store_path), only, exit_code, as_json)


@command.command("drift", epilog=DRIFT_EPILOG)
@store_option
@click.option(
    "--part", type=click.FloatRange(0, 1), default=0.05, help="Report values that at most this share of the nodes has."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def drift_command(store_path: str, part: float, as_json: bool) -> None:
    """Find values that differ from those of most nodes, and the facts that caused them."""
    odd = _questions(store_path).drift(part)
    if as_json:
        rows = [
            {"path": row.path, "value": row.value, "usual": row.usual, "nodes": row.nodes, "facts": row.facts}
            for row in odd
        ]
        print_json({"part": part, "values": rows})
        return
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Odd]] = {}
    for row in odd:
        groups.setdefault((row.nodes, row.facts), []).append(row)
    out: Styled = []
    for (nodes, facts), values in sorted(groups.items(), key=lambda group: -len(group[1]))[:MOST_GROUPS]:
        because = f"  by fact {', '.join(facts)}" if facts else ""
        out += [(node_list(list(nodes), 4), "strong"), (visible(because) + "\n", "dim")]
        for row in values[:MOST_TOLD]:
            out += [("  ", ""), (visible(row.path), "key"), (f" = {short(row.value, 60)}", "value")]
            out.append((f"  else {short(row.usual, 60)}\n", "dim"))
        if len(values) > MOST_TOLD:
            out.append((f"  and {len(values) - MOST_TOLD} more (--json lists all)\n", "dim"))
    if len(groups) > MOST_GROUPS:
        out.append((f"and {len(groups) - MOST_GROUPS} more groups of nodes and facts (--json lists all)\n", "dim"))
    number = len(odd)
    verdict = f"{count_of(number, 'unusual value')}"
    show([*out, (verdict + "\n", "strong")], sys.stdout)


@command.command("plot", epilog=PLOT_EPILOG)
@click.argument("what", type=click.Choice(["reach", "causes"]))
@click.option("--store", "store_path", metavar="STORE", help="For reach: the store's directory.")
@click.option(
    "--diff", "comparison", metavar="FILE", help="For causes: output of `fleet diff --format json` (-: stdin)."
)
@click.option("--most", type=click.IntRange(min=1, max=60), default=15, metavar="N", help="Maximum number of bars.")
@click.option("-o", "--output", metavar="FILE", help="Output file: FILE.png or FILE.svg.")
@click.option("--json", "as_json", is_flag=True, help="Print the data of the plot as one JSON document.")
def plot_command(
    what: str, store_path: str | None, comparison: str | None, most: int, output: str | None, as_json: bool
) -> int:
    """Plot the lines that affect most outputs, or the edits that changed most nodes."""
    from .fleet_plot import draw

    return draw(what, store_path, comparison, most, output, as_json)


@command.command("sql", epilog=SQL_EPILOG)
@click.argument("query")
@store_option
@click.option("--nodes", metavar="PATTERN,...", default="", help="Nodes in the table `dependencies` (default: all).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def sql_command(query: str, store_path: str, nodes: str, as_json: bool) -> None:
    """Query the store's tables in SQL; the query cannot read anything else."""
    columns, rows = _questions(store_path).sql(query, nodes)
    if as_json:
        print_json({"columns": columns, "rows": [[_plain(value) for value in row] for row in rows]})
        return
    lines = [columns, *([str(_plain(value)) for value in row] for row in rows)]
    sys.stdout.write("".join("\t".join(visible(cell) for cell in line) + "\n" for line in lines))


def _plain(value: object) -> Any:
    return value if value is None or isinstance(value, str | int | float | bool | list | dict) else str(value)


def _questions(store_path: str) -> Questions:
    from .fleet_origins import questions_of

    return questions_of(store_path, _progress)


def _tell(
    store_path: str, rows: list[Affected], verdict: str, as_json: bool, head: dict[str, Any], values: bool = False
) -> None:
    from ..fleet.exports import ExportsFile
    from ..fleet.locks import SharedLock
    from ..fleet.place import RUNS, place_of

    with closing(SharedLock(place_of(store_path), RUNS)):  # histories are read when they are asked for
        snapshot, _ = ExportsFile(store_path).snapshot()
        exporters = [_exporters(row, snapshot.sources_of(row.path)) for row in rows]
    if as_json:
        listed = [
            {
                "path": row.path,
                **({"value": row.value} if values else {}),
                "nodes": list(row.nodes),
                **({"exported_by": [{"node": node, "place": place} for node, place in told]} if told else {}),
            }
            for row, told in zip(rows, exporters)
        ]
        print_json({**head, "affected": listed})
        return
    out: Styled = []
    for row, told in zip(rows, exporters):
        words = "".join(f"  exported by {node}" + (f", from {place}" if place else "") for node, place in told)
        out += [*_styled_row(row, values), (visible(words) + "\n", "dim")]
    show([*out, (verdict + "\n", "strong")], sys.stdout)


def _hint_input(questions: Questions, text: str, is_known: bool) -> None:
    """Where nothing depends on an input: that there is no such file in the store, or no such line in the file."""
    if is_known:
        return
    _hint(questions.nearest_input(text))
    behind = questions.last_line(text)
    if behind is not None:
        from ..provenance.impact import parse_target

        file, last = behind
        line, length = parse_target(text).line or 0, _length(file)
        if length is None:
            words = f"the store knows no line of {file} after {last}: does line {line} exist?"
        elif length < line:
            words = f"{file} has only {count_of(length, 'line')}, no line {line}"
        else:
            return
        show([(visible(words) + "\n", "dim")], sys.stderr)


def _length(file: str) -> int | None:
    """How many lines a source has, if it can be read here: a store may come from elsewhere."""
    try:
        return len(lines_of(host_for(file).read_bytes(file).decode("utf-8", "replace")))
    except Diagnostic:
        return None


def _hint(meant: str | None) -> None:
    """Where nothing was found because the store has nothing of that name."""
    if meant is not None:
        show([(f"the store has no such name: did you mean {visible(meant)}?\n", "dim")], sys.stderr)


def _exporters(row: Affected, told: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Who exported an output that was collected: those whose it is not everywhere."""
    return told if any(node not in dict(told) for node in row.nodes) else []


def _styled_row(row: Affected, values: bool) -> Styled:
    value = f" = {short(row.value, 60)}" if values else ""
    return [(visible(row.path), "key"), (value, "value"), (f"  {node_list(list(row.nodes), 4)}", "")]


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
