"""The manual of the command line knows every command and every option."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click
import pytest

from wherefrom.cli.main import COMMANDS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "commands.md").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_in_the_manual(name: str) -> None:
    """Nothing that a user can type is missing from docs/commands.md (or, for eval, from docs/nix.md)."""
    command: click.Command = import_module(f"wherefrom.cli.{name}").command
    page = PAGE
    if name == "eval":
        page += (Path(__file__).resolve().parents[2] / "docs" / "nix.md").read_text()
    assert f"## wherefrom {name}" in PAGE
    commands = [command, *(command.commands.values() if isinstance(command, click.Group) else ())]
    parameters = [parameter for each in commands for parameter in each.params]
    options = [option for each in parameters for option in each.opts if option.startswith("--")]
    assert [option for option in options if option not in page] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does_and_shows_an_example(name: str) -> None:
    """`--help` has a sentence and an example."""
    command: click.Command = import_module(f"wherefrom.cli.{name}").command
    assert command.help
    assert command.epilog
    assert "Example" in command.epilog
