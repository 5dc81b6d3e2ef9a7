"""Builtins that reach outside: the environment, which a host may show, and the network, which wherefrom never touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.diagnostics import Refused
from ..flakes.reference import BadReference, parse_reference
from ..kernel.values import Attrs, Slot, force
from .errors import BadArgument
from .registry import builtin
from .support import input_slot, need_plain_string

if TYPE_CHECKING:
    from ..kernel.world import Machine


@builtin("getEnv")
def get_env(machine: Machine, name: Slot) -> Slot:
    """An environment variable, or the empty string.  Only variables that were allowed by name can be seen.

    nix> builtins.getEnv "NO_SUCH_VARIABLE"
    ""
    """
    wanted = need_plain_string(name)
    return input_slot(machine, "environment", wanted, machine.host.environment(wanted) or "")


def _refuse(builtin_name: str, needs: str) -> Slot:
    raise Refused(
        f"'{builtin_name}' needs {needs}, and wherefrom does not use it",
        help="fetch it beforehand and refer to the local files, for example with -I NAME=DIRECTORY",
    )


@builtin("fetchurl")
def fetchurl(machine: Machine, source: Slot) -> Slot:
    """Refused: would download a file.

    nix> builtins.isFunction builtins.fetchurl
    true
    """
    force(source)
    return _refuse("fetchurl", "the network")


@builtin("fetchTarball")
def fetch_tarball(machine: Machine, source: Slot) -> Slot:
    """Refused: would download and unpack an archive.

    nix> builtins.isFunction fetchTarball
    true
    """
    force(source)
    return _refuse("fetchTarball", "the network")


@builtin("fetchGit")
def fetch_git(machine: Machine, source: Slot) -> Slot:
    """Refused: would clone a Git repository.

    nix> builtins.isFunction fetchGit
    true
    """
    force(source)
    return _refuse("fetchGit", "the network and Git")


@builtin("fetchMercurial")
def fetch_mercurial(machine: Machine, source: Slot) -> Slot:
    """Refused: would clone a Mercurial repository.

    nix> builtins.isFunction fetchMercurial
    true
    """
    force(source)
    return _refuse("fetchMercurial", "the network and Mercurial")


@builtin("fetchTree")
def fetch_tree(machine: Machine, source: Slot) -> Slot:
    """A source tree in a local directory (`"path:..."`) or git repository (`"git+file:..."`): `outPath`, `narHash`, ...

    Everything else is refused: it would have to be downloaded. Experimental in Nix.

    nix> builtins.isFunction fetchTree
    true
    """
    value = force(source)
    try:
        if type(value) is Attrs:
            reference = {name: force(slot) for name, slot in value.table.items()}
        else:
            reference = dict(parse_reference(need_plain_string(source)))
    except BadReference as problem:
        raise BadArgument(str(problem)) from None
    is_path = reference.get("type") == "path" and isinstance(reference.get("path"), str)
    if not is_path and not (reference.get("type") == "git" and str(reference.get("url", "")).startswith("file:")):
        return _refuse("fetchTree", "the network")
    return machine.fetch_directory(reference)
