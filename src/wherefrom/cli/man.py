"""`wherefrom man`: the manual page, made from what `--help` is made from."""

from __future__ import annotations

import re
import sys

import click

from .. import __version__
from ..base.source import lines_of
from .main import COMMANDS, STATUSES, wherefrom

EPILOG = """\b
Examples:
  wherefrom man | man -l -
  wherefrom man > ~/.local/share/man/man1/wherefrom.1
"""


@click.command(epilog=EPILOG)
def command() -> None:
    """Print the manual page in roff."""
    sys.stdout.write(page())


def page() -> str:
    """The whole page."""
    lines = [
        f'.TH WHEREFROM 1 "" "wherefrom {__version__}" "User Commands"',
        ".SH NAME",
        "wherefrom \\- compiles configurations, and says for every value where it came from",
        ".SH SYNOPSIS",
        ".B wherefrom",
        "COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH COMMANDS",
    ]
    context = click.Context(wherefrom, info_name="wherefrom")
    for name in COMMANDS:
        subcommand = wherefrom.get_command(context, name)
        assert subcommand is not None
        lines += _command(name, subcommand, context)
    lines.append(".SH EXIT STATUS")
    for status, meaning in STATUSES.items():
        lines += [".TP", str(status), _escaped(meaning)]
    return "\n".join(lines) + "\n"


def _command(name: str, subcommand: click.Command, above: click.Context) -> list[str]:
    context = click.Context(subcommand, info_name=name, parent=above)
    usage = " ".join(subcommand.collect_usage_pieces(context))
    lines = [f'.SS "wherefrom {_escaped(name)} {_escaped(usage)}"']
    lines += [".PP" if not part else _escaped(part) for part in _paragraphs(subcommand.help or "")]
    for parameter in subcommand.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            lines += [".TP", f".B {_escaped(record[0])}", _escaped(record[1])]
    examples = [line.strip() for line in lines_of(subcommand.epilog or "")[2:] if line.strip()]
    if examples:
        lines += [".PP", "Examples:", ".nf", *(f"  {_escaped(line)}" for line in examples), ".fi"]
    return lines


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in re.split(r"(\n\s*\n)", text)]


def _escaped(text: str) -> str:
    """Text that roff takes for nothing but text."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text
