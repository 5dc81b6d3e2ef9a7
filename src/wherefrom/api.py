"""The module-level functions: each is a run in a `Session` of its own.

    wherefrom.compile("web.sf").explain("web:port")     # where, formula, dependencies, chain, hidden values

For more than one run of the same files, a session is quicker: it remembers what it read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .base.diagnostics import Diagnostic
from .language import Outcome
from .languages import all_suffixes, part_suffixes
from .session import Session, host_for

if TYPE_CHECKING:
    from .causes import Again
    from .comparison import Comparison
    from .provenance.explain import Explanation
    from .provenance.impact import Impact


def compile(
    path: str,
    *,
    language: str | None = None,
    node: str | None = None,
    facts: Mapping[str, object] | None = None,
    roots: Iterable[str] = (),
    **options: object,
) -> Outcome:
    """Compile a file or directory.  `roots` are further directories it may read; `options` are the language's own.

    Raises `Diagnostic` or `ManyErrors` (both `WherefromError`) when the configuration is wrong.
    """
    return Session().compile(path, language=language, node=node, facts=facts, roots=roots, **options)


def evaluate(expression: str, *, language: str = "nix", roots: Iterable[str] = (), **options: object) -> Outcome:
    """Evaluate an expression given as text."""
    return Session().evaluate(expression, language=language, roots=roots, **options)


def explain(path: str, value_path: str, **inputs: object) -> Explanation:
    """Where the value at `value_path` came from, in the outcome of `path`; `inputs` as for `compile`."""
    return Session().explain(path, value_path, **inputs)


def impact(path: str, target: str, **inputs: object) -> Impact:
    """Which outputs of `path` may change when an input does; `inputs` as for `compile`."""
    return Session().impact(path, target, **inputs)


def diff(before: str, after: str, **inputs: object) -> Comparison:
    """What differs between the outcomes of two paths, and which edit made each difference."""
    return Session().diff(before, after, **inputs)


def load(path: str) -> Outcome:
    """Read an outcome saved by `wherefrom compile --save`."""
    return Session().load(path)


def compare(a: Outcome, b: Outcome, again: Again | None = None) -> Comparison:
    """What differs between two outcomes, and which edits made each difference.

    `again` compiles one of the two with some edits made or taken back (`Session.again`); without it, several edits that
    may be behind a difference are all named, and not proved.
    """
    from .comparison import compare

    return compare(a, b, again)


def check(path: str, *, language: str | None = None) -> list[Diagnostic]:
    """Parse and validate one file: every error and warning in it.  An unreadable file is an error too."""
    return Session().check(path, language=language)


def files_to_check(path: str) -> list[str]:
    """`path` itself, or every file below it that can be checked, sorted: programs, templates in Ruby, data of Hiera.

    A template stands below a directory `templates`; data below `data` or `hieradata` beside a `hiera.yaml` or the
    manifests that read it. Other files with these suffixes are not Puppet's.

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
            elif name.endswith(all_suffixes()) or _is_part(below):
                files.append(below)
    return sorted(files)


_DATA = ("data", "hieradata")
_BESIDE_DATA = ("hiera.yaml", "environment.conf", "manifests")


def _is_part(file: str) -> bool:
    """Whether a file is a template in Ruby or data of Hiera, by its suffix and by where it stands."""
    if not file.endswith(part_suffixes()):
        return False
    folder = os.path.dirname(os.path.abspath(file))
    wanted = ("templates",) if file.endswith(".erb") else _DATA
    while os.path.basename(folder):
        above = os.path.dirname(folder)
        if os.path.basename(folder) in wanted:
            return wanted is not _DATA or any(os.path.exists(os.path.join(above, name)) for name in _BESIDE_DATA)
        folder = above
    return False
