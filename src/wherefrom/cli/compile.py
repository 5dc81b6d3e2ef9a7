"""`wherefrom compile`: the outcome itself."""

from __future__ import annotations

import os
import sys

import click

from ..base.deep import deeply
from ..base.secrets import Secrets
from ..base.writing import write_whole
from ..language import Outcome
from .helping import StoreCommand
from .options import Invocation, input_options, nodes_option, print_json
from .streams import hidden, write_document
from .streams import show_secrets as show_all
from .what_if import what_if_options

QUIET = ("debug", "info")
"""Levels that are kept in the outcome and not shown."""

EPILOG = """\b
Examples:
  wherefrom compile site.pp --node web01 --facts facts.yaml --json
  wherefrom compile examples/firewall/test.sf --yaml
  wherefrom compile site.pp --save before.json     # for `wherefrom diff`
  wherefrom compile --nodes --output catalogs --json
"""


@click.command(cls=StoreCommand, epilog=EPILOG)
@click.argument("path", metavar="[FILE|DIR]", required=False)
@input_options
@what_if_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML.")
@click.option("--save", metavar="FILE", help="Also save the outcome with its provenance.")
@click.option("--show-secrets", is_flag=True, help="Print sensitive values, as Puppet's own catalogs do.")
@nodes_option
@click.option("--output", metavar="DIR", help="With --nodes: write each node's catalog to DIR/NODE.json (.yaml, .pp).")
@click.option("--processes", type=click.IntRange(min=1), metavar="N", help="With --nodes: at most N processes.")
@click.option("--watch", "watching", is_flag=True, help="Compile again whenever a file changes.")
def command(
    path: str | None,
    as_json: bool,
    as_yaml: bool,
    save: str | None,
    show_secrets: bool,
    nodes: str | None,
    output: str | None,
    processes: int | None,
    watching: bool,
    **options: object,
) -> int:
    """Compile FILE or DIR (else the project's environment) and print the outcome."""
    if as_json and as_yaml:
        raise click.UsageError("--json and --yaml cannot be combined")
    if nodes is None and (output is not None or processes is not None):
        raise click.UsageError("--output and --processes need --nodes")
    if nodes and path is None and os.path.exists(nodes):
        path, nodes = nodes, ""
    invocation = Invocation(options)
    invocation.shows_secrets = show_secrets
    if show_secrets:
        show_all()
    form = "json" if as_json else "yaml" if as_yaml else "text"

    def answer() -> int:
        if nodes is None:
            return _compile(invocation, path, form, save)
        from .many import compile_nodes

        return compile_nodes(invocation, path, invocation.all_nodes(path, nodes), form, output, processes)

    if not watching:
        return answer()
    from .watch import watch

    return watch(answer, invocation.watched(path))


def _compile(invocation: Invocation, path: str | None, form: str, save: str | None) -> int:
    """Compile for one node and print the outcome."""
    outcome = invocation.run(path)
    print_logs(outcome)
    if save is not None:
        from ..saved import save as saved

        write_whole(save, deeply(lambda: saved(outcome, Secrets(outcome.secrets()))))
    if form == "json":
        print_json(deeply(outcome.document if invocation.shows_secrets else outcome.shown))
    elif form == "yaml":
        write_document(deeply(lambda: outcome.yaml(hidden, invocation.shows_secrets)))
    else:
        sys.stdout.write(deeply(outcome.text))
    return 0


def print_logs(outcome: Outcome) -> None:
    """What the configuration asked to have printed, on stderr: from `notice` up, as in Puppet."""
    for log in outcome.logs:
        if log.level not in QUIET:
            print(f"{log.level}: {log.message}{log.place and f' ({log.place})'}", file=sys.stderr)
