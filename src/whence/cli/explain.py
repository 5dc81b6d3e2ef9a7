"""`whence explain`: whence a value came."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..base.diagnostics import PathNotFound
from ..base.render import show, styled_diagnostic
from .options import Invocation, input_options, print_json, question

EPILOG = """\b
Examples:
  whence explain site.pp 'File[/etc/motd].mode' --node web01 --facts facts.yaml
  whence explain examples/firewall/test.sf testServer
  whence explain web.sf web:port --depends
  whence explain . 'File[/etc/ntp.conf].content' --line 12
"""


@click.command(epilog=EPILOG)
@click.argument("arguments", metavar="[FILE|DIR] PATH", nargs=-1)
@input_options
@click.option("--where", "parts", flag_value="where", help="Only the place it was copied from.")
@click.option("--how", "parts", flag_value="how", help="Only the formula, the hands and the tests.")
@click.option("--depends", "parts", flag_value="depends", help="Only the inputs it depends on.")
@click.option("--missing", is_flag=True, help="Say why nothing is at PATH.")
@click.option("--line", type=click.IntRange(min=1), metavar="N", help="Of a text, line N alone.")
@click.option("--all", "everything", is_flag=True, help="Leave nothing out, not even library code (Nix).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    arguments: tuple[str, ...],
    parts: str | None,
    missing: bool,
    line: int | None,
    everything: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Explain the value at PATH in the outcome of FILE or DIR (else of the project's environment).

    PATH is `File[/etc/motd].mode`, `Class[ntp]`, `web:port` or `services.web.port`, with `[i]` and `.key` into
    composites.
    """
    path, value_path = question(arguments, "PATH")
    outcome = Invocation(options).run(path, trace=True)
    try:
        explanation = outcome.explain(value_path) if line is None else outcome.explain_line(value_path, line)
    except PathNotFound as problem:
        if not missing:
            raise
        return _explain_missing(problem, outcome.missing(value_path), as_json)
    if everything:
        explanation = explanation.with_everything()
    if as_json:
        document = explanation.to_json()
        if parts and "error" not in document:
            kept = {"where": ["where"], "how": ["expression", "chain", "hidden", "guards", "order"]}
            names = ["path", "value", *kept.get(parts, ["depends"])]
            document = {name: document[name] for name in names if name in document}
        print_json(document)
    else:
        show(explanation.styled(frozenset({parts}) if parts else frozenset({"where", "how", "depends"})), sys.stdout)
    if explanation.failure is None or missing:
        return 0
    if not as_json:
        sys.stdout.flush()
        show(styled_diagnostic(explanation.failure), sys.stderr)
    return 1


def _explain_missing(problem: PathNotFound, reasons: list[Any], as_json: bool) -> int:
    from ..base.render import diagnostic_json

    if as_json:
        hint = {"help": problem.help} if problem.help and not reasons else {}
        print_json(
            {"path": problem.path, "missing": True, "reasons": [diagnostic_json(each) for each in reasons], **hint}
        )
        return 0
    if not reasons:
        print(f"{problem.message}\nno place in these sources names it; a computed name could still make it")
        if problem.help:
            print(problem.help)
    for number, reason in enumerate(reasons):
        if number:
            sys.stdout.write("\n")
        show(styled_diagnostic(reason), sys.stdout)
    return 0
