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
"""


@click.command(epilog=EPILOG)
@click.argument("paths", metavar="FILE|DIR...", nargs=-1, required=True)
@click.option("--language", metavar="NAME", help="smartfrog, puppet or nix, when the suffix does not tell.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(paths: tuple[str, ...], language: str | None, as_json: bool) -> int:
    """Check FILEs, and every file of our languages below DIRs."""
    files = [file for path in paths for file in files_to_check(path)]
    session = Session()
    problems: list[Diagnostic] = []
    for file in _with_progress(files):
        problems += session.check(file, language=language)
    errors = sum(problem.severity == ERROR for problem in problems)
    if as_json:
        from ..base.render import diagnostic_json

        print_json({"files": len(files), "errors": errors, "diagnostics": [diagnostic_json(each) for each in problems]})
    else:
        report(problems)
        if len(files) > 1 or not problems:
            warnings = len(problems) - errors
            counts = f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}"
            print(f"{len(files)} file{'s' * (len(files) != 1)} checked: {counts}")
    return 1 if errors else 0


def _with_progress(files: list[str]) -> Iterable[str]:
    if len(files) < MANY_FILES or not sys.stderr.isatty():
        return files
    return _tracked(files)


def _tracked(files: list[str]) -> Iterator[str]:
    from rich.console import Console
    from rich.progress import track

    yield from track(files, description="checking", console=Console(stderr=True), transient=True)
