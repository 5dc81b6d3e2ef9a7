"""`wherefrom completion`: a script that teaches a shell to complete our commands and options."""

from __future__ import annotations

import click

from .main import wherefrom

EPILOG = """\b
Examples:
  eval "$(wherefrom completion bash)"
  wherefrom completion fish > ~/.config/fish/completions/wherefrom.fish
"""


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None
    if shell == "bash":
        # Asking for the script would start bash to learn its version; the script itself does not need that.
        completion._check_version = staticmethod(lambda: None)  # type: ignore[attr-defined]
    print(completion(wherefrom, {}, "wherefrom", "_WHEREFROM_COMPLETE").source())
