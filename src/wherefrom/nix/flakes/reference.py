"""Flake references: `github:NixOS/nixpkgs/23.05?dir=lib` as text and as attributes.

Nix manual, "nix flake", section "Flake references"; `builtins.parseFlakeRef` and `builtins.flakeRefToString` (since
2.18) are these two functions.  Nothing is fetched here and nothing is looked up in a registry.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, unquote, urlencode

Attributes = dict[str, "str | int | bool"]
"""A reference as attributes; `type` says which others there may be."""

_REVISION = re.compile(r"[0-9a-fA-F]{40}")
_REF = re.compile(r"[a-zA-Z0-9@][a-zA-Z0-9_.@+/-]*")
_ID = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]*")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):(.*)", re.S)
_ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst")
_FORGES = ("github", "gitlab", "sourcehut")
_NUMBERS = ("lastModified", "revCount")
_FLAGS = ("shallow", "submodules", "allRefs", "exportIgnore", "lfs")


class BadReference(Exception):
    """A text or set that is no flake reference."""


def parse_reference(text: str) -> Attributes:
    """The attributes of a reference as written.  Raises `BadReference`.

    >>> parse_reference("github:NixOS/nixpkgs/23.05?dir=lib")
    {'type': 'github', 'owner': 'NixOS', 'repo': 'nixpkgs', 'ref': '23.05', 'dir': 'lib'}
    >>> parse_reference("nixpkgs")
    {'type': 'indirect', 'id': 'nixpkgs'}
    """
    whole, hash_mark, fragment = text.partition("#")
    if hash_mark and fragment:
        raise BadReference(f"unexpected fragment '{fragment}' in flake reference '{text}'")
    scheme = _SCHEME.fullmatch(whole)
    if scheme is None:
        if whole.startswith(("/", ".")):
            path, query = _split(whole)
            return _with_query({"type": "path", "path": unquote(path)}, query, text)
        return _indirect(whole, text)
    name, rest = scheme[1], scheme[2]
    path, query = _split(rest)
    if name == "flake":
        return _indirect(rest, text)
    if name == "path":
        return _with_query({"type": "path", "path": unquote(path)}, query, text)
    if name in _FORGES:
        return _forge(name, path, query, text)
    if name == "git" or name.startswith("git+"):
        return _with_query({"type": "git", "url": name.removeprefix("git+") + ":" + path}, query, text)
    if name.startswith("hg+"):
        return _with_query({"type": "hg", "url": name.removeprefix("hg+") + ":" + path}, query, text)
    transport, kind = (name.partition("+")[2], name.partition("+")[0]) if "+" in name else (name, "")
    if transport in ("http", "https", "file") and kind in ("", "tarball", "file"):
        kind = kind or ("tarball" if path.endswith(_ARCHIVES) else "file")
        kept = {key: value for key, value in query.items() if key not in ("dir", "narHash", "rev", *_NUMBERS)}
        url = f"{transport}:{path}" + (f"?{urlencode(kept)}" if kept else "")
        own = {key: value for key, value in query.items() if key not in kept}
        return _with_query({"type": kind, "url": url}, own, text)
    raise BadReference(f"input '{text}' is unsupported")


def _split(text: str) -> tuple[str, dict[str, str]]:
    path, _, query = text.partition("?")
    return path, dict(parse_qsl(query, keep_blank_values=True))


def _with_query(attributes: Attributes, query: Mapping[str, str], text: str) -> Attributes:
    for name, value in query.items():
        if name in _NUMBERS:
            if not value.isdigit():
                raise BadReference(f"'{name}' of flake reference '{text}' is not a number")
            attributes[name] = int(value)
        elif name in _FLAGS:
            attributes[name] = value == "1"
        else:
            if name == "rev" and not _REVISION.fullmatch(value):
                raise BadReference(f"hash '{value}' in flake reference '{text}' is not a revision")
            attributes[name] = value
    return attributes


def _indirect(text: str, whole: str) -> Attributes:
    parts = text.split("/")
    if not _ID.fullmatch(parts[0]) or len(parts) > 3 or not all(_REF.fullmatch(part) for part in parts[1:]):
        raise BadReference(f"'{whole}' is not a valid URL or flake reference")
    attributes: Attributes = {"type": "indirect", "id": parts[0]}
    return _with_revision(attributes, parts[1:], whole)


def _with_revision(attributes: Attributes, parts: list[str], whole: str) -> Attributes:
    for part in parts:
        name = "rev" if _REVISION.fullmatch(part) else "ref"
        if name in attributes:
            raise BadReference(f"'{whole}' has two {'revisions' if name == 'rev' else 'branches'}")
        attributes[name] = part
    return attributes


def _forge(kind: str, path: str, query: Mapping[str, str], text: str) -> Attributes:
    parts = [unquote(part) for part in path.split("/")]
    if len(parts) < 2 or not all(parts):
        raise BadReference(f"URL '{text}' is invalid")
    attributes: Attributes = {"type": kind, "owner": parts[0], "repo": parts[1]}
    if len(parts) == 3 and _REVISION.fullmatch(parts[2]):
        attributes["rev"] = parts[2]
    elif len(parts) >= 3:
        reference = "/".join(parts[2:])
        if not _REF.fullmatch(reference):
            raise BadReference(f"in URL '{text}', '{reference}' is not a commit hash or branch/tag name")
        attributes["ref"] = reference
    both = [name for name in ("ref", "rev") if name in query and ("ref" in attributes or "rev" in attributes)]
    if both:
        raise BadReference(f"URL '{text}' contains both a commit hash and a branch/tag name")
    return _with_query(attributes, query, text)


def show_reference(attributes: Mapping[str, object]) -> str:
    """The text of a reference.  Raises `BadReference`.

    >>> show_reference({"type": "github", "owner": "NixOS", "repo": "nixpkgs", "ref": "23.05", "dir": "lib"})
    'github:NixOS/nixpkgs/23.05?dir=lib'
    """
    left = {name: _text(value) for name, value in attributes.items()}
    kind = left.pop("type", None)
    if kind is None:
        raise BadReference("flake reference has no 'type'")
    try:
        if kind == "indirect":
            head = "flake:" + "/".join([left.pop("id"), *_taken(left, "ref", "rev")])
        elif kind in _FORGES:
            head = f"{kind}:" + "/".join([left.pop("owner"), left.pop("repo"), *_taken(left, "ref", "rev")])
        elif kind == "path":
            head = "path:" + quote(left.pop("path"), safe="/.~-_+@:=,!$&'()*;")
        elif kind in ("git", "hg"):
            url = left.pop("url")
            head = url if url.startswith(f"{kind}:") else f"{kind}+{url}"
        elif kind in ("tarball", "file"):
            url = left.pop("url")
            archive = url.partition("?")[0].endswith(_ARCHIVES)
            head = url if archive == (kind == "tarball") else f"{kind}+{url}"
        else:
            raise BadReference(f"input type '{kind}' is unsupported")
    except KeyError as problem:
        raise BadReference(f"attribute '{problem.args[0]}' is missing in a flake reference of type '{kind}'") from None
    if not left:
        return head
    return f"{head}{'&' if '?' in head else '?'}{urlencode(sorted(left.items()), safe='/:@+=', quote_via=quote)}"


def _taken(left: dict[str, str], *names: str) -> list[str]:
    return [left.pop(name) for name in names if name in left]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)
