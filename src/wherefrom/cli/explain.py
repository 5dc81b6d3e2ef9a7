"""`wherefrom explain`: where a value came from."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ..base.diagnostics import PathNotFound
from ..base.render import show, styled_diagnostic, visible
from ..base.source import lines_of
from ..language import failures_in
from ..uncertain import is_uncertain
from .helping import LanguageCommand
from .in_hand import MOST_NAMED, explain_against, places_with, text_at
from .options import Invocation, input_options, print_json, question
from .position import explain_position, position_in
from .what_if import what_if_options

if TYPE_CHECKING:
    from ..language import Outcome

EPILOG = """\b
Examples:
  wherefrom explain site.pp 'File[/etc/motd].mode' --node web01 --facts facts.yaml
  wherefrom explain examples/firewall/test.sf testServer
  wherefrom explain web.sf web:port --depends
  wherefrom explain . 'File[/etc/ntp.conf].content' --line 12
  wherefrom explain manifests/site.pp:14:19              # the expression at a place of a source
  wherefrom explain . 'File[/etc/ntp.conf].content' --find iburst --blame
  wherefrom explain /etc/ntp.conf:12 --node web01        # a line of a file of the machine
  wherefrom explain --find iburst --node web01           # wherever it is
  wherefrom explain -E 'with import ./lib.nix; hosts' web.port
  wherefrom explain /etc/ntp.conf --against ./ntp.conf --node web01   # the file as it really is
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("arguments", metavar="[FILE|DIR] PATH", nargs=-1)
@click.option("-E", "--expr", metavar="EXPR", help="Explain a value of this expression instead of a file's (Nix).")
@input_options
@what_if_options
@click.option("--where", "parts", flag_value="where", help="Only the place that it was copied from.")
@click.option("--how", "parts", flag_value="how", help="Only the formula, the decisions and the steps.")
@click.option("--depends", "parts", flag_value="depends", help="Only the inputs it depends on.")
@click.option("--missing", is_flag=True, help="Explain why nothing is at PATH.")
@click.option("--line", type=click.IntRange(min=1), metavar="N", help="Explain line N of a string.")
@click.option("--find", metavar="TEXT", help="Explain the first line that contains TEXT.")
@click.option("--against", metavar="FILE", help="Compare with the file as it really is; explain lines that differ.")
@click.option("--blame", is_flag=True, help="Say who last wrote the place to edit (git blame).")
@click.option("--lenient", is_flag=True, help="Skip code that fails, and explain the rest (Puppet).")
@click.option("--watch", "watching", is_flag=True, help="Explain again whenever a file changes.")
@click.option("--all", "everything", is_flag=True, help="Leave nothing out, not even library code (Nix).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    arguments: tuple[str, ...],
    expr: str | None,
    parts: str | None,
    missing: bool,
    line: int | None,
    find: str | None,
    against: str | None,
    blame: bool,
    lenient: bool,
    watching: bool,
    everything: bool,
    as_json: bool,
    **options: object,
) -> int:
    """Explain the value at PATH in the outcome of FILE or DIR (else of the project's environment).

    PATH is `File[/etc/motd].mode`, `Class[ntp]`, `web:port` or `services.web.port`, with `[i]` and `.key` into
    composites; or what is at hand: `/etc/motd`, `/etc/motd:3`, the name of a package or service; or a place in a
    source: FILE:LINE:COLUMN. With --find, PATH can be left out: everything is searched. With --against, it can be that
    of FILE.
    """
    if sum(option is not None for option in (line, find, against)) > 1:
        raise click.UsageError("--line, --find and --against cannot be combined")
    if find is not None and (not arguments or (len(arguments) == 1 and _is_place(arguments[0]))):
        arguments = (*arguments, "")
    if against is not None and (not arguments or (len(arguments) == 1 and _is_place(arguments[0]))):
        arguments = (*arguments, os.path.abspath(against))
    if expr is not None and len(arguments) > 1:
        raise click.UsageError("give either FILE or -E EXPR")
    path, value_path = question(arguments, "PATH") if expr is None else (None, "".join(arguments))
    invocation = Invocation(options if expr is None else {**options, "language": "nix"})
    if lenient:
        invocation = invocation.with_option("lenient", True)

    if expr is not None:
        invocation = invocation.with_option("expression", expr)
    whole = not (missing or line or find or against or blame or everything or expr is not None)
    position = position_in(value_path, path, invocation) if whole else None

    def answer() -> int:
        if position is not None:
            return explain_position(invocation, position, _parts(parts), as_json)
        return _answer(invocation, path, value_path, parts, missing, line, find, against, blame, everything, as_json)

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
    against: str | None,
    blame: bool,
    everything: bool,
    as_json: bool,
) -> int:
    """Compile, and answer the question."""
    outcome = invocation.run(path, trace=True)
    if failures_in(outcome):
        from .left_out import tell_left_out

        tell_left_out(outcome)
        if is_uncertain(outcome, value_path):
            sys.stderr.write(f"warning: {value_path} is not known: it depends on what was left out\n")
    elsewhere: list[str] = []
    searched = find is not None and not value_path
    if find is not None and not value_path:
        value_path, *elsewhere = places_with(outcome, find)
    elif not missing:
        lines = find is not None or against is not None
        value_path, asked, elsewhere = outcome.meant(value_path, 1 if lines else line)
        line = None if lines else asked
    if against is not None:
        return explain_against(outcome, value_path, against, as_json)
    if missing:
        from .missing import explain_missing

        status = explain_missing(outcome, value_path, invocation, path, as_json)
        if status is not None:
            return status
    also: list[int] = []
    if find is not None:
        value_path = text_at(outcome, value_path)[0]
        line, *also = _lines_with(outcome, value_path, find)
    explanation = outcome.dependencies(value_path) if parts == "depends" and line is None and not missing else None
    if explanation is None:
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
        if searched:
            print(visible(value_path))
        show(explanation.styled(_parts(parts)), sys.stdout)
        if also:
            print(f"also in line{'s' * (len(also) > 1)} {', '.join(map(str, also[:12]))}")
        if elsewhere:
            more = f" and {len(elsewhere) - MOST_NAMED} more" if len(elsewhere) > MOST_NAMED else ""
            print(f"also {'in ' if searched else ''}{', '.join(map(visible, elsewhere[:MOST_NAMED]))}{more}")
    if explanation.failure is None or missing:
        return 0
    if not as_json:
        sys.stdout.flush()
        show(styled_diagnostic(explanation.failure), sys.stderr)
    return 1


def _parts(chosen: str | None) -> frozenset[str]:
    """The parts of an explanation to print."""
    return frozenset({chosen}) if chosen else frozenset({"where", "how", "depends"})


def _is_place(argument: str) -> bool:
    """Whether an argument names what to compile, and no value in it."""
    from ..revisions import split_revision

    name = split_revision(argument)[0]
    return os.path.isdir(name) or (os.path.isfile(name) and name.endswith((".pp", ".sf", ".nix", ".json")))


def _lines_with(outcome: Outcome, path: str, text: str) -> list[int]:
    """The lines of the value at `path` that have `text` in them, counted from 1."""
    value = outcome.text_of(path)
    if value is None:
        raise PathNotFound(path, "the value is not a string, so it has no lines")
    numbers = [number for number, line in enumerate(lines_of(value), 1) if text in line]
    if not numbers:
        raise PathNotFound(path, f"no line contains {text!r}")
    return numbers
