"""`wherefrom init`: write `wherefrom.toml` from what is found."""

from __future__ import annotations

import os

import click

from ..base.diagnostics import UsageError
from ..base.writing import write_whole
from ..project import FILE_NAME
from ..survey import Survey, survey

EPILOG = """\b
Examples:
  wherefrom init
  wherefrom init ~/control-repo --force
"""


@click.command(epilog=EPILOG)
@click.argument("directory", metavar="[DIR]", default=".")
@click.option("--force", is_flag=True, help="Write over a wherefrom.toml that is there.")
def command(directory: str, force: bool) -> None:
    """Look at DIR (else the current directory) and write a wherefrom.toml, so that commands need only their question."""
    if not os.path.isdir(directory):
        raise UsageError(f"{directory} is not a directory")
    path = os.path.join(directory, FILE_NAME)
    if os.path.islink(path):  # in somebody else's repository it could lead anywhere
        raise UsageError(f"{path} is a link; it is not written through")
    if os.path.exists(path) and not force:
        raise UsageError(f"{path} exists; --force writes over it")
    project = survey(directory)
    if project.sign is None:
        raise UsageError(
            f"{directory} does not look like Puppet code: "
            "it has no environment.conf, manifests/, Puppetfile or metadata.json"
        )
    write_whole(path, _settings(project).encode("utf-8", "surrogateescape"))
    click.echo(f"wrote {path}")
    for line in _remarks(project):
        click.echo(f"  {line}")


def _settings(project: Survey) -> str:
    """The file's text: what is known, and what could be said, as comments."""
    lines = ["# Read by every wherefrom command here and below; options on the command line win.", 'environment = "."']
    if project.facts:
        lines.append(f"facts = {_text(project.facts)}")
    elif project.inventory is None:
        lines.append('# facts = "facts"        # one NODE.yaml or NODE.json each')
    if project.inventory:
        # With facts at hand, it is these that tell the nodes, unless somebody wants it otherwise.
        lines.append(f"{'# ' if project.facts else ''}inventory = {_text(project.inventory)}")
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
    if project.hiera or project.other_hieras:
        lines.append(f"data by {project.hiera or project.other_hieras[0]}")
        if len(project.other_hieras) > 1:
            lines.append(f"  other hierarchies: {', '.join(project.other_hieras[1:6])}")
    if project.nodes:
        shown = ", ".join(project.nodes[:5]) + (f" and {len(project.nodes) - 5} more" if len(project.nodes) > 5 else "")
        lines.append(f"facts of {shown}")
    elif project.inventory:
        lines.append(f"nodes of {project.inventory}; their facts are what it says, or with --facts DIR one file each")
    else:
        lines.append("no facts found: put `facter --json` of each node in facts/NODE.json")
    lines += [f"{entry} is in the modulepath and not here" for entry in project.absent_directories]
    if project.missing_modules:
        lines.append(f"the Puppetfile names modules that are not here: {', '.join(project.missing_modules)}")
    return lines
