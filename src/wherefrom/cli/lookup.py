"""`wherefrom lookup`: what each level of the data says about a key, on one node or on all.

The answer comes from a compilation, since the files that are asked depend on variables that manifests set.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import Diagnostic, ManyErrors, PathNotFound
from ..base.plural import count_of
from ..base.render import Styled, show, visible, width_of
from ..base.secrets import REDACTED
from ..base.spell import nearest
from ..provenance.explain import short
from ..provenance.ladder import CHOSEN, MERGED, Ladder
from .helping import PuppetCommand
from .options import Invocation, input_options, nodes_option, print_json
from .reports import node_list, report

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
@nodes_option
@click.option("--all", "everything", is_flag=True, help="Every key of the data, with its value here.")
@click.option(
    "--merge",
    type=click.Choice(["first", "unique", "hash", "deep"]),
    help="Join the levels so, whatever lookup_options say.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    arguments: tuple[str, ...],
    nodes: str | None,
    everything: bool,
    merge: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Look KEY up as the node's compilation does, and show every level: who says what, and who wins.

    Status 1 if no level has it and no class has a default for it.
    """
    path, key, nodes = _asked(arguments, nodes, everything)
    invocation = Invocation(options)
    if nodes is not None:
        return _over_nodes(invocation, path, key, invocation.all_nodes(path, nodes), merge, as_json)
    outcome = invocation.run(path, trace=True)
    if key is None:
        _print_all(_all_ladders(outcome), as_json)
        return 0
    ladder = outcome.lookup(key, merge)
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


class KeyNotFound(PathNotFound):
    """A key that no level of the data has."""


def _not_found(outcome: Outcome, key: str) -> KeyNotFound:
    known = {written.key for written in outcome.data_keys()}
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
    unread = "" if ladder.read else "  (not read here)"
    return [(f"{value:20}", "value"), ("  " + ", ".join(places), "place"), (unread + "\n", "dim")]


def _place(file: str, span: Any) -> str:
    return visible(f"{file}:{span.line}" if span is not None else file)


# --- over nodes ---


def _over_nodes(
    invocation: Invocation, path: str | None, key: str | None, nodes: list[str], merge: str | None, as_json: bool
) -> int:
    """Values over nodes, equal ones together; a node that does not compile is told and left out."""
    if key is None:
        raise click.UsageError("--all is about one node: name it with --node")
    ladders: list[Ladder] = []
    failed: list[str] = []
    for node in nodes:
        try:
            ladders.append(invocation.run(path, node, trace=True).lookup(key, merge))
        except ManyErrors as problems:
            failed.append(node)
            report(problems.diagnostics)
        except Diagnostic as problem:
            failed.append(node)
            report([problem])
    groups: dict[str, list[Ladder]] = {}
    for ladder in ladders:
        name = json.dumps([ladder.has_value, ladder.value], sort_keys=True, default=str)
        groups.setdefault(name, []).append(ladder)
    ordered = sorted(groups.values(), key=lambda group: (not group[0].has_value, -len(group)))
    if as_json:
        document: dict[str, Any] = {"key": key, "groups": [_group_json(group) for group in ordered]}
        print_json({**document, "failed": failed} if failed else document)
    else:
        show(_styled_groups(key, ordered, failed), sys.stdout)
    return 0 if not failed and any(ladder.has_value for ladder in ladders) else 1


def _group_json(group: list[Ladder]) -> dict[str, Any]:
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


def _styled_groups(key: str, groups: list[list[Ladder]], failed: list[str]) -> Styled:
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
    return out
