"""Which names a file of a module may define.

A file of a module holds what its path says: `apache/manifests/mod/ssl.pp` may define `apache::mod::ssl` and names
below it, and nothing else may stand at its top level. Files elsewhere are free.
"""

from __future__ import annotations

MISPLACED = ""
"""The namespace of a file in a module but in none of the directories that hold code: nothing may be defined there."""


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
