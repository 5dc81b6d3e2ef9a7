"""`whence compile`: the outcome itself."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..base.deep import deeply
from ..base.writing import write_whole
from ..language import Outcome
from .options import Invocation, input_options, print_json

QUIET = ("debug", "info")
"""Levels that are kept in the outcome and not shown."""

EPILOG = """\b
Examples:
  whence compile site.pp --node web01 --facts facts.yaml --json
  whence compile examples/firewall/test.sf --yaml
  whence compile site.pp --save before.json     # for `whence diff`
"""


@click.command(epilog=EPILOG)
@click.argument("path", metavar="[FILE|DIR]", required=False)
@input_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML.")
@click.option("--save", metavar="FILE", help="Also save the outcome with its provenance.")
def command(path: str | None, as_json: bool, as_yaml: bool, save: str | None, **options: Any) -> None:
    """Compile FILE or DIR (else the project's environment) and print the outcome."""
    if as_json and as_yaml:
        raise click.UsageError("--json and --yaml exclude each other")
    outcome = Invocation(options).run(path)
    print_logs(outcome)
    if save is not None:
        from ..saved import save as saved

        write_whole(save, deeply(lambda: saved(outcome)))
    if as_json:
        print_json(deeply(outcome.document))
    elif as_yaml:
        sys.stdout.write(deeply(outcome.yaml))
    else:
        sys.stdout.write(deeply(outcome.text))


def print_logs(outcome: Outcome) -> None:
    """What the configuration asked to have printed, on stderr: from `notice` up, as in Puppet."""
    for log in outcome.logs:
        if log.level not in QUIET:
            print(f"{log.level}: {log.message}", file=sys.stderr)
