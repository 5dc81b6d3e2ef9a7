"""What commands tell beside their answer: diagnostics on stderr, and names of nodes in a few words."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..base.diagnostics import Diagnostic, once

Failure = TypeVar("Failure")

MANY = 20
"""From this many items on, progress is shown when stderr is a terminal."""


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


def by_cause(
    failures: Iterable[tuple[str, Failure]], words: Callable[[Failure], str]
) -> list[tuple[list[str], Failure]]:
    """Failures of nodes, equal ones together: the nodes, and the failure of the first.

    `words` are those of one failure, with its place. Many errors of Puppet say which node was compiled, so the node's
    own name counts for nothing; in the path of a file it does.

    >>> by_cause([("web01", "a.pp:1: no class x for web01"), ("web02", "a.pp:1: no class x for web02")], str)
    [(['web01', 'web02'], 'a.pp:1: no class x for web01')]
    """
    alike: dict[str, tuple[list[str], Failure]] = {}
    for node, failure in failures:
        name = re.compile(rf"(?<![\w./-]){re.escape(node)}(?![\w/-]|\.\w)")
        alike.setdefault(name.sub("\0", words(failure)), ([], failure))[0].append(node)
    return [*alike.values()]


def with_progress(items: list[str], what: str) -> Iterable[str]:
    """Go through many items, with a line of progress if somebody looks."""
    if len(items) < MANY or not sys.stderr.isatty():
        return items
    return _tracked(items, what)


def _tracked(items: list[str], what: str) -> Iterator[str]:
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=what, console=Console(stderr=True), transient=True)
