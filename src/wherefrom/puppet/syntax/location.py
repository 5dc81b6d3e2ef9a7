"""Which names a file of a module may define.

A file of a module holds what its path says: `apache/manifests/mod/ssl.pp` may define `apache::mod::ssl` and names
below it, and nothing else may stand at its top level. Files elsewhere are free.
"""

from __future__ import annotations

import re

MISPLACED = ""
"""The namespace of a file in a module but in none of the directories that hold code: nothing may be defined there."""


_OTHERS = {"manifests", "functions", "types", "templates"}
_PLAN = re.compile(r"^\s*plan\s+[\w:]+\s*[({]", re.MULTILINE)


def is_plan(path: str, text: str) -> bool:
    """Whether a file is a plan of Bolt, which has words (`plan`, `apply`) and rules of its own.

    It stands below a directory `plans`; where directories above it are called otherwise, too, the text decides.

    >>> is_plan("modules/app/plans/deploy/all.pp", "")
    True
    >>> is_plan("modules/app/manifests/plans/all.pp", "class app::plans::all { }")
    False
    """
    folders = path.split("/")[:-1]
    return "plans" in folders and (_OTHERS.isdisjoint(folders) or _PLAN.search(text) is not None)


def file_namespace(path: str) -> str:
    """The namespace of a file, from its path below the module directory.

    >>> file_namespace("apache/manifests/mod/ssl.pp")
    'apache::mod::ssl'
    >>> file_namespace("apache/manifests/init.pp")
    'apache'
    >>> file_namespace("apache/lib/x.pp")
    ''
    """
    parts = path.lower().split("/")
    if len(parts) < 3 or parts[1] not in ("manifests", "functions", "types", "plans"):
        return MISPLACED
    names = [parts[0], *parts[2:-1]]
    if not (len(parts) == 3 and parts[-1] == "init.pp"):
        names.append(parts[-1].removesuffix(".pp"))
    return "::".join(names)
