"""What commands tell beside their answer: diagnostics on stderr, and names of nodes in a few words."""

from __future__ import annotations

import sys

from ..base.diagnostics import Diagnostic, once


def report(problems: list[Diagnostic]) -> None:
    """Diagnostics on stderr, each once."""
    from ..base.render import show, styled_diagnostic

    for number, problem in enumerate(once(problems)):
        if number:
            sys.stderr.write("\n")
        show(styled_diagnostic(problem), sys.stderr)


def node_list(nodes: list[str], limit: int = 8) -> str:
    """Some names, and how many more there are."""
    from ..base.render import visible

    shown = ", ".join(visible(name) for name in nodes[:limit])
    return shown + (f" and {len(nodes) - limit} more" if len(nodes) > limit else "")
