"""`wherefrom trust`: let settings, and what a store is compiled from, ask for more than their directory."""

from __future__ import annotations

import os

import click

from ..base.diagnostics import UsageError
from ..base.render import visible
from ..fleet.requests import is_store, sign, unsign
from ..project import asked_by, find_project
from ..trust import forget, trust

EPILOG = """\b
Examples:
  wherefrom trust
  wherefrom trust control/wherefrom.toml
  wherefrom trust fleet
  wherefrom trust --forget
"""


@click.command(epilog=EPILOG)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--forget", "forgetting", is_flag=True, help="Withdraw the trust.")
def command(file: str | None, forgetting: bool) -> None:
    """Trust the settings in FILE (default: the nearest wherefrom.toml), as they are now.

    Settings may name directories elsewhere, keys and a larger budget: that takes effect only in a file that was
    trusted, and until it changes. Of a fleet's store (FILE is its directory) it is what the nodes are compiled from,
    which questions may have to read.
    """
    if file is not None and is_store(file):
        _trust_store(file, forgetting)
        return
    if file is None:
        project = find_project(".")
        if project is None:
            raise UsageError("no wherefrom.toml is here or above: name a FILE")
        file = project.file
    elif os.path.isdir(file):
        project = find_project(file)
        file = file if project is None else project.file
    if forgetting:
        click.echo(f"{visible(file)} is no longer trusted" if forget(file) else f"{visible(file)} was not trusted")
        return
    text, words = asked_by(file)
    trust(file, text)
    click.echo(
        f"trusted {visible(file)}, as it is now" + (":" if words else "; it names nothing outside of its directory")
    )
    for line in words:
        click.echo(f"  {visible(line)}")


def _trust_store(store: str, forgetting: bool) -> None:
    if forgetting:
        click.echo(f"{visible(store)} is no longer trusted" if unsign(store) else f"{visible(store)} was not trusted")
        return
    words = sign(store).asks
    click.echo(
        f"trusted {visible(store)}, as it is now" + (":" if words else "; it names nothing outside of its directory")
    )
    for line in words:
        click.echo(f"  {visible(line)}")
