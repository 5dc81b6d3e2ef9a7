"""Builtins that would download: they take what was fetched beforehand.

`--fetched URL=PATH` names the directory (of an archive, of a repository) or file for a URL. What a hash in the program
says is also looked for in the Nix store of this machine, where that may be read (`--root /nix/store`). The hash of what
is taken must be the one that the program has. As in Nix the program sees the store path of what was fetched; messages
name the real files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..flakes.reference import BadReference, parse_reference, show_reference
from ..flakes.sources import sri
from ..kernel.errors import RefusedInNix
from ..kernel.values import Attrs, Slot, force, with_context
from ..store.nar import archive_hash
from ..store.paths import Hash, compute_hash, fixed_output_path
from .errors import BadArgument, HashMismatch
from .files import base_name, need_hash
from .registry import builtin
from .support import look_at, need_attrs, need_plain_string, note_input

if TYPE_CHECKING:
    from ..kernel.world import Machine

DOWNLOADS = frozenset(("url", "sha256", "name"))
OF_GIT = frozenset(("url", "rev", "ref", "name", "submodules", "shallow", "allRefs", "narHash"))


def _refuse(builtin_name: str, url: str, needs: str = "the network") -> Slot:
    raise RefusedInNix(
        f"'{builtin_name}' needs {needs}, and wherefrom does not use it",
        help=f"download it and give its path: --fetched {url}=PATH"
        if url
        else "fetch it beforehand and refer to the local files",
    )


def _request(builtin_name: str, source: Slot, known: frozenset[str]) -> dict[str, Any]:
    """The arguments of a builtin that fetches: a URL, or a set with one."""
    value = force(source)
    if type(value) is not Attrs:
        return {"url": need_plain_string(source)}
    request = {name: force(slot) for name, slot in value.table.items()}
    for name in request:
        if name not in known:
            raise BadArgument(f"unsupported argument '{name}' to '{builtin_name}'")
    if "url" not in request:
        raise BadArgument(f"'url' argument required by '{builtin_name}'")
    request["url"] = need_plain_string(request["url"])
    return request


def _download(machine: Machine, builtin_name: str, source: Slot, unpacked: bool) -> Slot:
    """The store path of what was downloaded: of the file, or of the directory that an archive holds."""
    request = _request(builtin_name, source, DOWNLOADS)
    url = request["url"]
    name = need_plain_string(request["name"]) if "name" in request else "source" if unpacked else base_name(url)
    promised = need_hash(need_plain_string(request["sha256"]), "sha256") if "sha256" in request else None
    path = machine.fetched.get(url)
    if path is None and promised is not None:
        stored = fixed_output_path(unpacked, promised, name)
        path = stored if machine.host.kind(stored) is not None else None
    if path is None:
        return _refuse(builtin_name, url)
    look_at(machine, path)
    if machine.host.is_directory(path) is not unpacked:
        is_, wanted = ("a file", "the directory that the archive holds") if unpacked else ("a directory", "the file")
        raise BadArgument(f"--fetched gives {is_} for {url}: give {wanted}")
    content = archive_hash(machine.host, path) if unpacked else compute_hash("sha256", machine.host.read_bytes(path))
    if promised is not None and content != promised:
        raise HashMismatch(url, sri(promised), sri(content))
    store_path = _mounted(machine, path, content, name, unpacked)
    return with_context(store_path, (store_path,))


def _mounted(machine: Machine, path: str, content: Hash, name: str, recursive: bool = True) -> str:
    """The store path of what lies at `path`; it can be read there from now on."""
    store_path = fixed_output_path(recursive, content, name)
    machine.mount(path, store_path)
    note_input(machine, "file", path, store_path)
    return store_path


def _tree(machine: Machine, path: str, reference: Mapping[str, object], name: str) -> Slot:
    """What `fetchGit` and `fetchTree` give for a directory: what can be known of it, and no times or counts."""
    look_at(machine, path)
    content = archive_hash(machine.host, path)
    promised = reference.get("narHash")
    if promised is not None and promised != sri(content):
        raise HashMismatch(path, str(promised), sri(content))
    store_path = _mounted(machine, path, content, name)
    table: dict[str, Slot] = {"outPath": with_context(store_path, (store_path,)), "narHash": sri(content)}
    if "rev" in reference:
        table |= {"rev": reference["rev"], "shortRev": str(reference["rev"])[:7]}
    if "lastModified" in reference:
        table["lastModified"] = reference["lastModified"]
    return Attrs(table)


@builtin("fetchurl")
def fetchurl(machine: Machine, source: Slot) -> Slot:
    """The store path of a file that was fetched beforehand (`--fetched URL=FILE`); else refused.

    nix> builtins.isFunction builtins.fetchurl
    true
    """
    return _download(machine, "fetchurl", source, unpacked=False)


@builtin("fetchTarball")
def fetch_tarball(machine: Machine, source: Slot) -> Slot:
    """The store path of a directory that was fetched and unpacked beforehand (`--fetched URL=DIR`); else refused.

    nix> builtins.isFunction fetchTarball
    true
    """
    return _download(machine, "fetchTarball", source, unpacked=True)


@builtin("fetchGit")
def fetch_git(machine: Machine, source: Slot) -> Slot:
    """The tree of a Git repository that was fetched beforehand (`--fetched URL=DIR`): `outPath`, `narHash`, `rev`.

    nix> builtins.isFunction fetchGit
    true
    """
    request = _request("fetchGit", source, OF_GIT)
    path = machine.fetched.get(request["url"])
    if path is None:
        return _refuse("fetchGit", request["url"], "the network and Git")
    name = need_plain_string(request["name"]) if "name" in request else "source"
    return _tree(machine, path, request, name)


@builtin("fetchMercurial")
def fetch_mercurial(machine: Machine, source: Slot) -> Slot:
    """Refused: would clone a Mercurial repository.

    nix> builtins.isFunction fetchMercurial
    true
    """
    force(source)
    return _refuse("fetchMercurial", "", "the network and Mercurial")


@builtin("fetchTree")
def fetch_tree(machine: Machine, source: Slot) -> Slot:
    """A source tree in a local directory (`"path:..."`) or git repository (`"git+file:..."`): `outPath`, `narHash`, ...

    Another one must have been fetched beforehand (`--fetched REFERENCE=DIR`). Experimental in Nix.

    nix> builtins.isFunction fetchTree
    true
    """
    value = force(source)
    try:
        if type(value) is Attrs:
            reference = {name: force(slot) for name, slot in need_attrs(source).table.items()}
        else:
            reference = dict(parse_reference(need_plain_string(source)))
        shown = show_reference(reference)
    except BadReference as problem:
        raise BadArgument(str(problem)) from None
    path = machine.fetched.get(str(reference.get("url")), machine.fetched.get(shown))
    if path is not None:
        return _tree(machine, path, reference, "source")
    is_path = reference.get("type") == "path" and isinstance(reference.get("path"), str)
    if not is_path and not (reference.get("type") == "git" and str(reference.get("url", "")).startswith("file:")):
        return _refuse("fetchTree", shown)
    return machine.fetch_directory(reference)
