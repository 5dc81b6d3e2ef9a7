"""`wherefrom check`: parse and validate, all errors of all files."""

from __future__ import annotations

import os
from typing import Any

import click

from ..api import files_to_check
from ..base.diagnostics import ERROR, Diagnostic, once
from ..base.json_bytes import json_bytes
from ..base.plural import count_of
from .helping import LanguageCommand
from .options import Invocation, input_options, nodes_option, print_json
from .reports import report, with_progress
from .streams import hidden, write_bytes

EPILOG = """\b
Examples:
  wherefrom check                 # the environment that wherefrom.toml names
  wherefrom check site.pp
  wherefrom check modules/ --json
  wherefrom check . --format sarif > wherefrom.sarif
  wherefrom check --dead          # keys of the data that no node reads
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("paths", metavar="[FILE|DIR]...", nargs=-1)
@input_options
@nodes_option
@click.option("--dead", is_flag=True, help="Instead report keys and files of the data that no node reads (Puppet).")
@click.option("--json", "form", flag_value="json", help="Print one JSON document: the same as --format json.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    help="text for people, json, sarif for code scanning, github for annotations in a workflow.",
)
def command(paths: tuple[str, ...], nodes: str | None, dead: bool, form: str, **options: Any) -> int:
    """Check FILEs and all supported files below DIRs (default: the project's environment).

    With --dead, data that no node reads is reported, without a store. `wherefrom fleet dead` also lists classes,
    functions and parameters that no node in a store uses.
    """
    if dead:
        return _check_dead(paths, nodes, form, Invocation(options))
    language: str | None = options["language"]
    invocation = Invocation(options)
    paths = paths or (invocation.environment(),)
    # A file that two of the paths lead to is checked once, under the first name.
    named = [file for path in paths for file in files_to_check(path)]
    files = list({os.path.realpath(file): file for file in reversed(named)}.values())[::-1]
    problems: list[Diagnostic] = []
    for file in with_progress(files, "checking"):
        problems += invocation.check(file, language)
    for path in paths:
        if is_environment(path) and language in (None, "puppet"):
            problems += invocation.check_all(path)
    problems = sorted(once(problems), key=_place)
    errors = sum(problem.severity == ERROR for problem in problems)
    _print(problems, len(files), errors, form)
    return 1 if errors else 0


def _place(problem: Diagnostic) -> tuple[str, int]:
    """Where a diagnostic stands, for an order in which people go through them."""
    span = problem.span
    return ("", 0) if span is None else (span.file.name, span.start)


def is_environment(path: str) -> bool:
    """Whether a directory is a Puppet environment, to be checked as a whole."""
    signs = ("environment.conf", "hiera.yaml", "manifests/site.pp")
    return os.path.isdir(path) and any(os.path.exists(os.path.join(path, sign)) for sign in signs)


def _check_dead(paths: tuple[str, ...], nodes: str | None, form: str, invocation: Invocation) -> int:
    """Compile every node, and say which keys of the data none of them read."""
    from .dead import Census
    from .short import noted_failures

    if nodes and not paths and os.path.isdir(nodes):
        paths, nodes = (nodes,), ""
    if len(paths) > 1:
        raise click.UsageError("--dead takes one DIR, or none for the project's environment")
    path = paths[0] if paths else None
    census = Census()
    for node in with_progress(invocation.all_nodes(path, nodes or ""), "compiling"):
        census.add(invocation, path, node)
    everybody = [*census.nodes, *(node for node, _ in census.failures)]
    problems = [*noted_failures(census.failures, everybody), *census.dead()]
    files = len({file for file, _ in census.keys})
    _print(problems, files, sum(problem.severity == ERROR for problem in problems), form)
    return 1 if census.failures else 0


def _print(problems: list[Diagnostic], files: int, errors: int, form: str) -> None:
    match form:
        case "json":
            from ..base.render import diagnostic_json

            print_json(
                {"files": files, "errors": errors, "diagnostics": [diagnostic_json(problem) for problem in problems]}
            )
        case "sarif":
            from .formats import sarif

            write_bytes(json_bytes(sarif(problems, hidden), indent=True) + b"\n")
        case "github":
            from ..base.visible import made_visible
            from .formats import workflow_commands

            write_bytes(made_visible(workflow_commands(problems, hidden)).encode("utf-8", "backslashreplace"))
        case _:
            report(problems)
            counts = f"{count_of(errors, 'error')}, {count_of(len(problems) - errors, 'warning')}"
            print(f"{count_of(files, 'file')} checked: {counts}")
