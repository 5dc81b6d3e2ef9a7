"""`python -m wherefrom`, and the `wherefrom` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from .cli.process import run

    run(_status_of)


def _status_of(arguments: list[str]) -> int:
    from .cli.main import status_of

    return status_of(arguments)


if __name__ == "__main__":
    main()
