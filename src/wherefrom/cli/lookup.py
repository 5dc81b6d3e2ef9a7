"""`wherefrom lookup`: what each level of the data says about a key, on one node or on all.

The answer comes from a compilation, since the files that are asked depend on variables that manifests set. Where the
node does not compile, the data alone is asked, as `puppet lookup` does without `--compile`: with the node's facts, and
without what manifests would set.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import Diagnostic, ManyErrors, PathNotFound, WherefromError
from ..base.plural import count_of
from ..base.render import Styled, show, visible, width_of
from ..base.secrets import REDACTED
from ..base.spell import nearest
from ..language import Data, data_of
from ..provenance.explain import short
from ..provenance.ladder import CHOSEN, MERGED, Ladder
from .helping import PuppetCommand
from .options import Invocation, input_options, nodes_option, print_json
from .reports import node_list, report
from .short import tell_failures
from .what_if import what_if_options

if TYPE_CHECKING:
    from ..language import Outcome

EPILOG = """\b
Examples:
  wherefrom lookup nginx::worker_connections --node web01
  wherefrom lookup nginx::worker_connections --nodes        # values over all nodes
  wherefrom lookup --all --node web01                       # every key that this node's files hold
"""


@click.command(cls=PuppetCommand, epilog=EPILOG)
@click.argument("arguments", metavar="[DIR] KEY", nargs=-1)
@input_options
@what_if_options
@nodes_option
@click.option("--all", "everything", is_flag=True, help="Every key of the data, with its value on this node.")
@click.option(
    "--merge",
    type=click.Choice(["first", "unique", "hash", "deep"]),
    help="Merge strategy, instead of the one in lookup_options.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    arguments: tuple[str, ...],
    nodes: str | None,
    everything: bool,
    merge: str | None,
    as_json: bool,
    **options: object,
) -> int:
    """Look up KEY as the node's compilation does, and show what every level says and which one wins.

    With --nodes, every level is asked on every node. `wherefrom fleet lookup` answers from a store, for keys that some
    node looked up. Status 1 if no level has KEY and no class has a default for it.
    """
    path, key, nodes = _asked(arguments, nodes, everything)
    invocation = Invocation(options)
    if nodes is not None:
        return _over_nodes(invocation, path, key, invocation.all_nodes(path, nodes), merge, as_json)
    outcome, problems = _outcome(invocation, path, None)
    if key is None:
        ladders = _all_ladders(outcome)
        _warn(problems)
        _print_all(ladders, as_json)
        return 0
    ladder = data_of(outcome).lookup(key, merge)
    _warn(problems)
    if as_json:
        print_json(ladder.to_json())
    else:
        show(ladder.styled(), sys.stdout)
    if ladder.has_value:
        return 0
    if not as_json:
        sys.stdout.flush()
        report([_not_found(outcome, key)])
    return 1


def _outcome(invocation: Invocation, path: str | None, node: str | None) -> tuple[Outcome, list[Diagnostic]]:
    """A node's compilation, or where that fails one of no code; and why it failed."""
    try:
        return invocation.run(path, node, trace=True), []
    except ManyErrors as several:
        problems = several.diagnostics
    except Diagnostic as problem:
        problems = [problem]
    try:
        return invocation.run(path, node, trace=True, data_only=True), problems
    except WherefromError:  # the data is broken too, or there is no environment
        raise (problems[0] if len(problems) == 1 else ManyErrors(problems)) from None


def _warn(problems: list[Diagnostic]) -> None:
    """Say on stderr that only the data was asked, if it was."""
    if not problems:
        return
    report(problems)
    sys.stderr.write(
        "\nwarning: the node does not compile: the data is looked up without variables that manifests set\n"
    )
    sys.stderr.flush()


class KeyNotFound(PathNotFound):
    """A key that no level of the data has."""


def _not_found(outcome: Outcome, key: str) -> KeyNotFound:
    known = {written.key for written in data_of(outcome).data_keys()}
    return KeyNotFound(key, "no level of the data has this key", nearest(key, known))


def _asked(
    arguments: tuple[str, ...], nodes: str | None, everything: bool
) -> tuple[str | None, str | None, str | None]:
    """The directory, the key and the nodes.  `--nodes KEY` is read as people mean it."""
    wanted = 0 if everything else 1
    if nodes and len(arguments) < wanted:
        arguments, nodes = (*arguments, nodes), ""
    if not wanted <= len(arguments) <= wanted + 1:
        what = "[DIR]" if everything else "[DIR] KEY"
        raise click.UsageError(f"expected {what}, found {count_of(len(arguments), 'argument')}")
    path = arguments[0] if len(arguments) > wanted else None
    return path, None if everything else arguments[-1], nodes


def _all_ladders(outcome: Outcome) -> list[Ladder]:
    if not isinstance(outcome, Data):
        return []
    return [outcome.lookup(key) for key in sorted({key.key for key in outcome.data_keys()})]


def _print_all(ladders: list[Ladder], as_json: bool) -> None:
    if as_json:
        print_json({"keys": [ladder.to_json() for ladder in ladders]})
        return
    wide = min(60, max((width_of(ladder.key) for ladder in ladders), default=0))
    out: Styled = []
    for ladder in ladders:
        out.append((visible(ladder.key) + " " * max(0, wide - width_of(ladder.key)) + "  ", "key"))
        out += _value_line(ladder)
    show(out or [("no data\n", "dim")], sys.stdout)


def _value_line(ladder: Ladder) -> Styled:
    value = ladder.shown if ladder.secret else short(ladder.shown, 50)
    places = [_place(rung.file, rung.span) for rung in ladder.rungs if rung.status in (CHOSEN, MERGED)]
    unread = "  (not used by this node)" if ladder.read is False else ""
    return [(f"{value:20}", "value"), ("  " + ", ".join(places), "place"), (unread + "\n", "dim")]


def _place(file: str, span: Any) -> str:
    return visible(f"{file}:{span.line}" if span is not None else file)


# --- over nodes ---


def _over_nodes(
    invocation: Invocation, path: str | None, key: str | None, nodes: list[str], merge: str | None, as_json: bool
) -> int:
    """Values over nodes, equal ones together; one that does not compile is told, and asked by its data alone."""
    if key is None:
        raise click.UsageError("--all works on one node: name it with --node")
    ladders: list[Ladder] = []
    failures: list[tuple[str, list[Diagnostic]]] = []
    for node in nodes:
        try:
            outcome, problems = _outcome(invocation, path, node)
            ladders.append(data_of(outcome).lookup(key, merge))
        except ManyErrors as several:
            problems = several.diagnostics
        except Diagnostic as problem:
            problems = [problem]
        if problems:
            failures.append((node, problems))
    tell_failures(failures, nodes)
    failed = [node for node, _ in failures]
    alone = bool({ladder.node for ladder in ladders}.intersection(failed))
    groups: dict[str, list[Ladder]] = {}
    for ladder in ladders:
        name = json.dumps([ladder.has_value, ladder.value], sort_keys=True, default=str)
        groups.setdefault(name, []).append(ladder)
    ordered = sorted(groups.values(), key=lambda group: (not group[0].has_value, -len(group)))
    if as_json:
        document: dict[str, object] = {"key": key, "groups": [_group_json(group) for group in ordered]}
        print_json({**document, "failed": failed} if failed else document)
    else:
        show(_styled_groups(key, ordered, failed, alone), sys.stdout)
    return 0 if not failed and any(ladder.has_value for ladder in ladders) else 1


def _group_json(group: list[Ladder]) -> dict[str, object]:
    first = group[0]
    return {
        "found": first.has_value,
        **({"value": first.shown} if first.has_value else {}),
        "nodes": [ladder.node for ladder in group],
        "places": [{"nodes": nodes, "from": list(places)} for places, nodes in _by_places(group).items()],
    }


def _by_places(group: list[Ladder]) -> dict[tuple[str, ...], list[str]]:
    nodes: dict[tuple[str, ...], list[str]] = {}
    for ladder in group:
        places = tuple(_place(rung.file, rung.span) for rung in ladder.rungs if rung.status in (CHOSEN, MERGED))
        nodes.setdefault(places if ladder.has_value else (), []).append(ladder.node)
    return nodes


def _styled_groups(key: str, groups: list[list[Ladder]], failed: list[str], alone: bool) -> Styled:
    count = sum(map(len, groups))
    out: Styled = [(visible(key), "key"), (f" on {count_of(count, 'node')}\n", "")]
    for group in groups:
        first = group[0]
        value = "no level has it" if not first.has_value else REDACTED if first.secret else short(first.shown, 100)
        number = count_of(len(group), "node")
        out += [("\n", ""), (value, "value" if first.has_value else "dim"), (f"   {number}\n", "strong")]
        for places, nodes in _by_places(group).items():
            where = ", ".join(places)
            out += [(f"        {node_list(nodes)}", ""), (f"   {where}\n" if where else "\n", "place")]
    if failed:
        out += [("\n", ""), (f"{len(failed)} did not compile: {node_list(failed)}\n", "error")]
    if alone:
        out.append(("their data is looked up without variables that manifests set\n", "dim"))
    return out
