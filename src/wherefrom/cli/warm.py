"""`wherefrom warm`: compile the Nix files of a directory before anybody asks about them."""

from __future__ import annotations

import os
from functools import partial

import click

from ..base.diagnostics import CannotRead
from ..base.plural import count_of
from .options import print_json

EPILOG = """\b
Examples:
  wherefrom warm ~/nixpkgs/nixos
  wherefrom warm . --nix 2.18
"""


@click.command(epilog=EPILOG)
@click.argument("directory", metavar="DIR")
@click.option("--nix", "nix_version", metavar="VERSION", help="Nix version to emulate: 2.8, 2.18, ..., latest.")
@click.option("--feature", "features", metavar="NAME", multiple=True, help="An experimental feature.")
@click.option("--flake", is_flag=True, help="Compile for flakes: with the feature `flakes`.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes (default: one for each processor).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    directory: str, nix_version: str | None, features: tuple[str, ...], flake: bool, jobs: int | None, as_json: bool
) -> None:
    """Compile all Nix files below DIR, so that later runs find them in the cache of compiled files.

    A file is found by its text, wherever it lies: another checkout of the same files finds it, too.
    """
    from ..fleet.workers import in_processes
    from ..nix.front.warming import warm

    if not os.path.isdir(directory):
        raise CannotRead(directory, "no such directory")
    spread = partial(in_processes, processes=jobs)
    warmed = warm(directory, nix_version, ["flakes", *features] if flake else features, spread)
    if as_json:
        print_json({"compiled": warmed.compiled, "known": warmed.known, "failed": warmed.failed})
        return
    words = [f"{warmed.compiled} compiled", f"{warmed.known} already there"]
    words += [f"{warmed.failed} can not be compiled"] if warmed.failed else []
    click.echo(f"{count_of(sum(warmed), 'file')}: {', '.join(words)}")
