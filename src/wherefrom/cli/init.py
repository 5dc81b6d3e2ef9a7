"""`wherefrom init`: write `wherefrom.toml` from what is found."""

from __future__ import annotations

import os
import re

import click

from ..base.diagnostics import UsageError
from ..base.folder import Folder
from ..base.writing import write_whole
from ..project import FILE_NAME
from ..sample_facts import SYSTEMS, facts_text, node_name
from ..survey import Survey, survey

EPILOG = """\b
Examples:
  wherefrom init
  wherefrom init ~/control-repo --force
  wherefrom init --facts debian-12,rocky-9      # with facts to start from
"""

_FACT_FILES = re.compile(r"[^/]+\.yaml")


@click.command(epilog=EPILOG)
@click.argument("directory", metavar="[DIR]", default=".")
@click.option(
    "--facts", "systems", metavar="SYSTEM,...",
    help="Also write example facts of operating systems: debian-12, ubuntu-24.04, rocky-9, ...",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite an existing wherefrom.toml.")
def command(directory: str, systems: str | None, force: bool) -> None:
    """Write a wherefrom.toml for DIR (default: the current directory) from the files found there."""
    if not os.path.isdir(directory):
        raise UsageError(f"{directory} is not a directory")
    path = os.path.join(directory, FILE_NAME)
    if os.path.islink(path):  # in somebody else's repository it could lead anywhere
        raise UsageError(f"{path} is a symbolic link: it is not overwritten")
    if os.path.exists(path) and not force:
        raise UsageError(f"{path} already exists; --force overwrites it")
    project = survey(directory)
    if project.sign is None and os.path.isfile(os.path.join(directory, "flake.nix")):
        raise UsageError(
            f"{directory} is a Nix flake, which needs no {FILE_NAME}: ask `wherefrom eval {directory}#ATTR`"
        )
    if project.sign is None:
        raise UsageError(
            f"{directory} does not look like Puppet code: "
            "it has no environment.conf, manifests/, Puppetfile or metadata.json"
        )
    if systems is not None:
        project = _with_examples(directory, project, list(filter(None, systems.split(","))))
    write_whole(path, _settings(project).encode("utf-8", "surrogateescape"))
    click.echo(f"wrote {path}")
    for line in _remarks(project):
        click.echo(f"  {line}")


def _with_examples(directory: str, project: Survey, systems: list[str]) -> Survey:
    """Write example facts, and look again.  What is there already is left alone."""
    for name in systems:
        if name not in SYSTEMS:
            raise UsageError(f"--facts {name}: unknown system; known are {', '.join(SYSTEMS)}")
    if project.facts is not None:
        raise UsageError(f"--facts: {os.path.join(directory, project.facts)} has facts already")
    folder = os.path.join(directory, "facts")
    if os.path.lexists(folder):
        raise UsageError(f"--facts: {folder} exists already")
    Folder(folder, _FACT_FILES).make()
    for number, name in enumerate(systems, 1):
        text = facts_text(name, number)
        write_whole(os.path.join(folder, f"{node_name(name)}.yaml"), text.encode())
    return survey(directory)


def _settings(project: Survey) -> str:
    """The file's text: what is known, and what could be said, as comments."""
    lines = ["# Read by every wherefrom command here and below; options on the command line win."]
    lines.append(f"environment = {_text(project.environment)}")
    lines += [f"# environment = {_text(other)}" for other in project.other_environments]
    if project.facts:
        lines.append(f"facts = {_text(project.facts)}")
    elif project.inventory is None or project.inventory_problem is not None:
        lines.append('# facts = "facts"        # one NODE.yaml or NODE.json each')
    if project.inventory:
        # With facts at hand, it is these that tell the nodes, unless somebody wants it otherwise.
        unused = project.facts or project.inventory_problem
        lines.append(f"{'# ' if unused else ''}inventory = {_text(project.inventory)}")
    if project.hiera is None and project.other_hieras:
        lines.append(f"hiera = {_text(project.other_hieras[0])}")
    outside = [entry for entry in project.modulepath if os.path.isabs(entry)]
    if outside:
        lines.append("# The modulepath names these. What they hold may be read when this line is no comment:")
        lines.append(f"# roots = [{', '.join(_text(entry) for entry in outside)}]")
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """A basic string of TOML: quotation marks, backslashes and control characters are escaped."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"'
        + "".join(character if character.isprintable() else f"\\U{ord(character):08X}" for character in escaped)
        + '"'
    )


def _remarks(project: Survey) -> list[str]:
    """What was found, and what to look at."""
    lines = [f"modules in {', '.join(project.modulepath)} ({project.sign})"]
    if project.environment != ".":
        lines.insert(0, f"environment {project.environment}")
    if project.other_environments:
        lines.insert(1, f"other environments: {', '.join(project.other_environments)}")
    if project.inventory_problem is not None:
        lines.append(f"{project.inventory} is not used: {project.inventory_problem}")
        lines.append("  save its targets: `bolt inventory show --detail --format json > targets.json`, --inventory")
    if project.hiera or project.other_hieras:
        lines.append(f"data by {project.hiera or project.other_hieras[0]}")
        if len(project.other_hieras) > 1:
            lines.append(f"  other hierarchies: {', '.join(project.other_hieras[1:6])}")
    if project.nodes:
        shown = ", ".join(project.nodes[:5]) + (f" and {len(project.nodes) - 5} more" if len(project.nodes) > 5 else "")
        lines.append(f"facts of {shown}")
    elif project.inventory and project.inventory_problem is None:
        lines.append(f"nodes of {project.inventory}; their facts are what it says, or with --facts DIR one file each")
    else:
        lines.append("no facts found: put `facter --json` of each node in facts/NODE.json")
    lines += [f"{entry} is in the modulepath and not here" for entry in project.absent_directories]
    if project.missing_modules:
        lines.append(f"the Puppetfile names modules that are not here: {', '.join(project.missing_modules)}")
    return lines
