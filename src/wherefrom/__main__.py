"""`python -m wherefrom`, and the `wherefrom` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from .cli.main import run

    run()


if __name__ == "__main__":
    main()
