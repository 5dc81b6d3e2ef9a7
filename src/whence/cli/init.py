"""`whence init`: write `whence.toml` from what is found."""

from __future__ import annotations

import os

import click

from ..base.diagnostics import UsageError
from ..base.writing import write_whole
from ..project import FILE_NAME
from ..survey import Survey, survey

EPILOG = """\b
Examples:
  whence init
  whence init ~/control-repo --force
"""


@click.command(epilog=EPILOG)
@click.argument("directory", metavar="[DIR]", default=".")
@click.option("--force", is_flag=True, help="Write over a whence.toml that is there.")
def command(directory: str, force: bool) -> None:
    """Look at DIR (else the current directory) and write a whence.toml, so that commands need only their question."""
    if not os.path.isdir(directory):
        raise UsageError(f"{directory} is not a directory")
    path = os.path.join(directory, FILE_NAME)
    if os.path.islink(path):  # in somebody else's repository it could lead anywhere
        raise UsageError(f"{path} is a link; it is not written through")
    if os.path.exists(path) and not force:
        raise UsageError(f"{path} exists; --force writes over it")
    found = survey(directory)
    if found.sign is None:
        raise UsageError(
            f"{directory} does not look like Puppet code: "
            "it has no environment.conf, manifests/, Puppetfile or metadata.json"
        )
    write_whole(path, _settings(found).encode("utf-8", "surrogateescape"))
    click.echo(f"wrote {path}")
    for line in _remarks(found):
        click.echo(f"  {line}")


def _settings(found: Survey) -> str:
    """The file's text: what is known, and what could be said, as comments."""
    lines = ["# Read by every whence command here and below; options on the command line win.", 'environment = "."']
    if found.facts:
        lines.append(f"facts = {_text(found.facts)}")
    else:
        lines.append('# facts = "facts"        # one NODE.yaml or NODE.json each')
    if found.hiera is None and found.other_hieras:
        lines.append(f"hiera = {_text(found.other_hieras[0])}")
    outside = [entry for entry in found.modulepath if os.path.isabs(entry)]
    if outside:
        lines.append("# The modulepath names these. What they hold may be read when this line is no comment:")
        lines.append(f"# roots = [{', '.join(_text(entry) for entry in outside)}]")
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """A basic string of TOML: quotation marks, backslashes and control characters are escaped."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(each if each.isprintable() else f"\\U{ord(each):08X}" for each in escaped) + '"'


def _remarks(found: Survey) -> list[str]:
    """What was found, and what to look at."""
    lines = [f"modules in {', '.join(found.modulepath)} ({found.sign})"]
    if found.hiera or found.other_hieras:
        lines.append(f"data by {found.hiera or found.other_hieras[0]}")
        if len(found.other_hieras) > 1:
            lines.append(f"  other hierarchies: {', '.join(found.other_hieras[1:6])}")
    if found.nodes:
        shown = ", ".join(found.nodes[:5]) + (f" and {len(found.nodes) - 5} more" if len(found.nodes) > 5 else "")
        lines.append(f"facts of {shown}")
    else:
        lines.append("no facts found: put `facter --json` of each node in facts/NODE.json")
    lines += [f"{entry} is in the modulepath and not here" for entry in found.absent_directories]
    if found.missing_modules:
        lines.append(f"the Puppetfile names modules that are not here: {', '.join(found.missing_modules)}")
    return lines
