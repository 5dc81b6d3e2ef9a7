"""The `Puppetfile`: which modules an environment should have, as a hint when one of them is not there.

It is Ruby, but nearly always literal `mod` lines, which are read as text; nothing is run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...base.host import Host

_MOD = re.compile(r"""^[ \t]*mod[ \t(]*['"](?P<name>[\w./-]+)['"]""", re.MULTILINE)


def named_modules(host: Host, root: str | None) -> dict[str, str]:
    """The modules that the environment's `Puppetfile` names: `nginx` to `puppet/nginx`."""
    file = posixpath.join(root, "Puppetfile") if root is not None else ""
    if not file or not host.is_file(file):
        return {}
    names = [entry["name"] for entry in _MOD.finditer(host.source(file).text)]
    return {re.split(r"[/-]", name)[-1]: name for name in names}


def absent_module(host: Host, root: str | None, name: str, known: bool) -> str | None:
    """What to say about something named `name`, if its module is not there; `known`: whether it is."""
    module, mark, _ = name.lower().removeprefix("::").partition("::")
    if known:
        return None
    named = named_modules(host, root).get(module)
    if named is not None:
        return f"the Puppetfile names {named}, which is not in any directory of the modulepath"
    return f"module {module} is not in any directory of the modulepath" if mark else None


def absent_modules(host: Host, root: str | None, known: Callable[[str], bool]) -> str | None:
    """What to say about a function or a type that no module has, if modules are not there; `known`: whether one is.

    The names of resource types and of functions of the old interface, as the standard library has many, do not tell
    their module.
    """
    absent = [named for module, named in named_modules(host, root).items() if not known(module)]
    if not absent:
        return None
    them = ", ".join(absent[:4]) + (f" and {len(absent) - 4} more" if len(absent) > 4 else "")
    return f"it may belong to a module that is not installed: the Puppetfile names {them}"
