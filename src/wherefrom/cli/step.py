"""`wherefrom step`: the derivation by the rules of the language's formal semantics."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from ..base.deep import with_deep_stack
from ..base.diagnostics import CannotRead
from ..base.host import Host
from ..languages import language_of
from ..project import find_project
from ..session import host_for
from .facts import read_facts
from .options import print_json

EPILOG = """\b
Examples:
  wherefrom step examples/firewall/test.sf
  wherefrom step site.pp --node web01 --annotate dependency --rules thesis
  wherefrom step site.pp --switches puppet --facts facts.yaml
  wherefrom step fact.nix --limit 50
  wherefrom step forward.sf --level forward
"""


@click.command(epilog=EPILOG)
@click.argument("path", metavar="FILE")
@click.option("--node", metavar="NAME", help="The node to compile for (Puppet).")
@click.option(
    "--annotate",
    type=click.Choice(["where", "expression", "dependency"]),
    help="Annotate every value with this provenance.",
)
@click.option(
    "--rules", type=click.Choice(["thesis", "repaired"]), default="repaired", help="Dependency rules (Puppet)."
)
@click.option("--switches", metavar="LIST", help="paper, lenient (the default), puppet, or names of switches (Puppet).")
@click.option("--facts", metavar="FILE", help="Facts as YAML or JSON, or a directory of NODE.yaml files (Puppet).")
@click.option(
    "--level",
    type=click.Choice(["core", "forward", "production"]),
    help="Language level (SmartFrog).",
)
@click.option("--limit", type=int, default=10_000, show_default=True, help="Stop after this many steps.")
@click.option("--until", metavar="RULE", help="Stop after this rule; for Puppet also at $x, $a::x or Type[title].")
@click.option("--root", metavar="DIR", multiple=True, help="A further directory that may be read.")
@click.option("--language", metavar="NAME", help="smartfrog, puppet or nix (default: by suffix).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(path: str, as_json: bool, root: tuple[str, ...], language: str | None, **options: Any) -> int:
    """Derive FILE step by step, naming the paper's rule for each step."""
    if not os.path.exists(path):
        raise CannotRead(path, "no such file")
    if path.endswith(".sf"):
        options["level"] = options["level"] or level_of_project(path)
    options["facts"] = read_facts(options["facts"], options["node"])
    report = derivation(path, host_for(path, root), options, language)
    if as_json:
        print_json(report.json())
    else:
        sys.stdout.write(report.text())
    return 1 if report.problem else 0


def level_of_project(path: str) -> str | None:
    """The level of SmartFrog that the settings of a file's project choose."""
    project = find_project(path)
    return project.level if project is not None else None


def derivation(path: str, host: Host, options: Mapping[str, object], language: str | None = None) -> Any:
    """The report on the derivation of a file by the rules of its language."""
    module = import_module(f"wherefrom.semantics.{language or language_of(path)}.step")
    return with_deep_stack(lambda: module.derive_and_show(path, host, options))
