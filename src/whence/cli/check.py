"""`whence check`: parse and validate, all errors of all files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import click

from ..api import files_to_check
from ..base.diagnostics import ERROR, Diagnostic
from ..session import Session
from .main import report
from .options import print_json

MANY_FILES = 50
"""From this many files on, progress is shown when stderr is a terminal."""

EPILOG = """\b
Examples:
  whence check site.pp
  whence check modules/ --json
  whence check . --format sarif > whence.sarif
"""


@click.command(epilog=EPILOG)
@click.argument("paths", metavar="FILE|DIR...", nargs=-1, required=True)
@click.option("--language", metavar="NAME", help="smartfrog, puppet or nix, when the suffix does not tell.")
@click.option("--json", "form", flag_value="json", help="Print one JSON document: the same as --format json.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    help="text for people, json, sarif for code scanning, github for annotations in a workflow.",
)
@click.option(
    "--no-cache", is_flag=True, expose_value=False, help="Taken as elsewhere; a check reads every file anyway."
)
def command(paths: tuple[str, ...], language: str | None, form: str) -> int:
    """Check FILEs, and every file of our languages below DIRs."""
    files = [file for path in paths for file in files_to_check(path)]
    session = Session()
    problems: list[Diagnostic] = []
    for file in _with_progress(files):
        problems += session.check(file, language=language)
    errors = sum(problem.severity == ERROR for problem in problems)
    _print(problems, len(files), errors, form)
    return 1 if errors else 0


def _print(problems: list[Diagnostic], files: int, errors: int, form: str) -> None:
    match form:
        case "json":
            from ..base.render import diagnostic_json

            print_json({"files": files, "errors": errors, "diagnostics": [diagnostic_json(each) for each in problems]})
        case "sarif":
            from .formats import sarif

            print_json(sarif(problems))
        case "github":
            from .formats import workflow_commands

            sys.stdout.write(workflow_commands(problems))
        case _:
            report(problems)
            if files > 1 or not problems:
                warnings = len(problems) - errors
                counts = f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}"
                print(f"{files} file{'s' * (files != 1)} checked: {counts}")


def _with_progress(files: list[str]) -> Iterable[str]:
    if len(files) < MANY_FILES or not sys.stderr.isatty():
        return files
    return _tracked(files)


def _tracked(files: list[str]) -> Iterator[str]:
    from rich.console import Console
    from rich.progress import track

    yield from track(files, description="checking", console=Console(stderr=True), transient=True)
