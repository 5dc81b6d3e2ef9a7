"""`wherefrom explain`: wherefrom a value came."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import PathNotFound
from ..base.render import show, styled_diagnostic
from .helping import LanguageCommand
from .options import Invocation, input_options, print_json, question

if TYPE_CHECKING:
    from ..language import Outcome

EPILOG = """\b
Examples:
  wherefrom explain site.pp 'File[/etc/motd].mode' --node web01 --facts facts.yaml
  wherefrom explain examples/firewall/test.sf testServer
  wherefrom explain web.sf web:port --depends
  wherefrom explain . 'File[/etc/ntp.conf].content' --line 12
  wherefrom explain . 'File[/etc/ntp.conf].content' --find iburst --blame
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("arguments", metavar="[FILE|DIR] PATH", nargs=-1)
@input_options
@click.option("--where", "parts", flag_value="where", help="Only the place it was copied from.")
@click.option("--how", "parts", flag_value="how", help="Only the formula, the hands and the tests.")
@click.option("--depends", "parts", flag_value="depends", help="Only the inputs it depends on.")
@click.option("--missing", is_flag=True, help="Say why nothing is at PATH.")
@click.option("--line", type=click.IntRange(min=1), metavar="N", help="Of a text, line N alone.")
@click.option("--find", metavar="TEXT", help="Of a text, the line that has TEXT in it.")
@click.option("--blame", is_flag=True, help="Say who last wrote the place to edit (git blame).")
@click.option("--watch", "watching", is_flag=True, help="Answer again whenever a file changes.")
@click.option("--all", "everything", is_flag=True, help="Leave nothing out, not even library code (Nix).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    arguments: tuple[str, ...],
    parts: str | None,
    missing: bool,
    line: int | None,
    find: str | None,
    blame: bool,
    watching: bool,
    everything: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Explain the value at PATH in the outcome of FILE or DIR (else of the project's environment).

    PATH is `File[/etc/motd].mode`, `Class[ntp]`, `web:port` or `services.web.port`, with `[i]` and `.key` into
    composites.
    """
    path, value_path = question(arguments, "PATH")
    if line is not None and find is not None:
        raise click.UsageError("--line and --find exclude each other")
    invocation = Invocation(options)

    def answer() -> int:
        return _answer(invocation, path, value_path, parts, missing, line, find, blame, everything, as_json)

    if not watching:
        return answer()
    from .watch import watch

    return watch(answer, invocation.watched(path))


def _answer(
    invocation: Invocation,
    path: str | None,
    value_path: str,
    parts: str | None,
    missing: bool,
    line: int | None,
    find: str | None,
    blame: bool,
    everything: bool,
    as_json: bool,
) -> int:
    """Compile, and answer the question."""
    outcome = invocation.run(path, trace=True)
    if missing:
        from .missing import explain_missing

        status = explain_missing(outcome, value_path, invocation, path, as_json)
        if status is not None:
            return status
    also: list[int] = []
    if find is not None:
        line, *also = _lines_with(outcome, value_path, find)
    explanation = outcome.explain(value_path) if line is None else outcome.explain_line(value_path, line)
    if everything:
        explanation = explanation.with_everything()
    if blame:
        from ..revisions import author_of

        explanation.by = author_of(explanation.edit_place)  # type: ignore[misc]  # nobody else has seen it yet
    if as_json:
        document = explanation.to_json()
        if parts and "error" not in document:
            kept = {"where": ["where"], "how": ["expression", "chain", "hidden", "guards", "order"]}
            names = ["path", "value", *kept.get(parts, ["depends"])]
            document = {name: document[name] for name in names if name in document}
        print_json(document)
    else:
        show(explanation.styled(frozenset({parts}) if parts else frozenset({"where", "how", "depends"})), sys.stdout)
        if also:
            print(f"also in line{'s' * (len(also) > 1)} {', '.join(map(str, also[:12]))}")
    if explanation.failure is None or missing:
        return 0
    if not as_json:
        sys.stdout.flush()
        show(styled_diagnostic(explanation.failure), sys.stderr)
    return 1


def _lines_with(outcome: Outcome, path: str, text: str) -> list[int]:
    """The lines of the value at `path` that have `text` in them, counted from 1."""
    value = outcome.select(path).value
    if not isinstance(value, str):
        raise PathNotFound(path, "only a text has lines")
    numbers = [number for number, line in enumerate(value.splitlines(), 1) if text in line]
    if not numbers:
        raise PathNotFound(path, f"no line of it has {text!r}")
    return numbers
