"""The module-level functions: each is a run in a `Session` of its own.

    wherefrom.compile("web.sf").explain("web:port")     # where, formula, dependencies, chain, hidden values

Whoever makes more than one run of the same files is better served by a session, which remembers them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .base.diagnostics import Diagnostic
from .language import Outcome
from .languages import all_suffixes
from .session import Session, host_for

if TYPE_CHECKING:
    from .comparison import Comparison
    from .provenance.explain import Explanation
    from .provenance.impact import Impact


def compile(
    path: str,
    *,
    language: str | None = None,
    node: str | None = None,
    facts: Mapping[str, Any] | None = None,
    roots: Iterable[str] = (),
    **options: Any,
) -> Outcome:
    """Compile a file or directory.  `roots` are further directories it may read; `options` are the language's own.

    Raises `Diagnostic` or `ManyErrors` (both `WherefromError`) when the configuration is wrong.
    """
    return Session().compile(path, language=language, node=node, facts=facts, roots=roots, **options)


def evaluate(expression: str, *, language: str = "nix", roots: Iterable[str] = (), **options: Any) -> Outcome:
    """Evaluate an expression given as text."""
    return Session().evaluate(expression, language=language, roots=roots, **options)


def explain(path: str, value_path: str, **inputs: Any) -> Explanation:
    """Wherefrom the value at `value_path` came, in the outcome of `path`; `inputs` as for `compile`."""
    return Session().explain(path, value_path, **inputs)


def impact(path: str, target: str, **inputs: Any) -> Impact:
    """Which outputs of `path` may change when an input does; `inputs` as for `compile`."""
    return Session().impact(path, target, **inputs)


def diff(before: str, after: str, **inputs: Any) -> Comparison:
    """What differs between the outcomes of two paths, and which edit made each difference."""
    return Session().diff(before, after, **inputs)


def load(path: str) -> Outcome:
    """Read an outcome saved by `wherefrom compile --save`."""
    return Session().load(path)


def compare(a: Outcome, b: Outcome) -> Comparison:
    """What differs between two outcomes, and which edit made each difference."""
    from .comparison import compare

    return compare(a, b)


def check(path: str, *, language: str | None = None) -> list[Diagnostic]:
    """Parse and validate one file: every error and warning in it.  An unreadable file is an error too."""
    return Session().check(path, language=language)


def files_to_check(path: str) -> list[str]:
    """`path` itself, or every file below it that is written in a language of ours, sorted.

    Links to directories are followed, each directory once: a modulepath is often a directory of links.
    """
    if not os.path.isdir(path):
        return [path]
    files: list[str] = []
    folders = [path]
    seen: set[str] = set()
    while folders:
        folder = folders.pop()
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        host = host_for(folder)
        for name in host.list_directory(folder):
            below = name if folder == os.curdir else os.path.join(folder, name)
            if os.path.isdir(below):
                if not name.startswith("."):
                    folders.append(below)
            elif name.endswith(all_suffixes()):
                files.append(below)
    return sorted(files)
