"""What a store says that its nodes are compiled from, and whether that is the user's own word.

A question to a store may have to compile nodes once more, and `request.json` says of which files and with which
options. A store can come with somebody's repository, and then that file is a stranger's: it could name any directory of
the user's, or a server. So what is written here is signed with the user's own key, which lies outside of any
repository, for the place of the store. A request that is not signed may name what lies below the directory that the
store lies in, and nothing else; what asks for more (`FleetRequest.asks`) is refused until the user compiles into the
store, or says `wherefrom trust STORE`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from ..base.budget import BOUNDS, Budget
from ..base.diagnostics import UsageError
from ..base.private_cache import own_digest
from ..base.record import Record
from .place import CURRENT, REQUEST, place_of

_MOST = 1 << 24
_SIGNED = "signed"
_PATHS = "facts inventory hiera enc answers exports cert key ca inputs_directory home".split()
_LISTS = ("eyaml_key", "library", "root", "modules_from")
_FORBIDDEN = ("ruby", "trust", "bootstrap")
"""Options of a request that a query of a store never takes from the file: the caller has not allowed them."""


class FleetRequest(Record):
    """What was asked to be compiled: where, of what, and the options as they were given."""

    directory: str
    path: str | None
    options: Mapping[str, Any]
    is_own: bool = False
    asks: tuple[str, ...] = ()
    """In words, what in it asks for more than the directory that the store lies in."""

    @property
    def places(self) -> list[str]:
        """The files and directories that it names."""
        return [self.directory, *(path for _, path in _named(self))]

    @property
    def given(self) -> dict[str, Any]:
        """The options, as a command has them."""
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in self.options.items()}
        return {**given, **dict.fromkeys(_FORBIDDEN, False)}


def written(store: str, document: Mapping[str, object]) -> bytes:
    """A request as it lies in a store."""
    return json.dumps({**document, _SIGNED: _signature(store, document)}).encode()


def read(store: str) -> FleetRequest | None:
    """The request of the store at `store`; nothing if it has none, or none that has the shape of one."""
    try:
        document = json.loads(place_of(store).read(REQUEST, _MOST))
        signed = document.pop(_SIGNED, None)
        directory, path, options = document["directory"], document["path"], document["options"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(directory, str) or "\0" in directory or not isinstance(options, dict):
        return None
    if not (path is None or isinstance(path, str)):
        return None
    try:
        is_own = signed is not None and signed == _signature(store, document)
        request = FleetRequest(directory, path, options, is_own)
        return FleetRequest(directory, path, options, is_own, tuple(_asked(store, request)))
    except (ValueError, TypeError, AttributeError, UsageError):  # options of other kinds than options have
        return None


def sign(store: str) -> FleetRequest:
    """Take the request of a store for the user's own.  Raises `UsageError` where there is none, or no key."""
    request = read(store)
    if request is None:
        raise UsageError(f"{store} does not record what its nodes are compiled from: compile into it again")
    document = {"directory": request.directory, "path": request.path, "options": dict(request.options)}
    if _signature(store, document) is None:
        raise UsageError("no home directory to store a key in: compile into the store again")
    place_of(store).replace(REQUEST, written(store, document), 0o600)
    return request


def unsign(store: str) -> bool:
    """No longer take it for the user's own; whether it was."""
    request = read(store)
    if request is None or not request.is_own:
        return False
    document = {"directory": request.directory, "path": request.path, "options": dict(request.options)}
    place_of(store).replace(REQUEST, json.dumps(document).encode(), 0o600)
    return True


def is_store(path: str) -> bool:
    """Whether a directory looks like a store that says what it is compiled from."""
    return all(os.path.lexists(os.path.join(path, name)) for name in (CURRENT, REQUEST))


def _signature(store: str, document: Mapping[str, object]) -> str | None:
    content = json.dumps([os.path.realpath(store), document], sort_keys=True)
    digest = own_digest("request", content.encode("utf-8", "surrogatepass"))
    return None if digest is None else digest.hex()


def _asked(store: str, request: FleetRequest) -> Iterator[str]:
    inside = os.path.realpath(os.path.dirname(os.path.abspath(store)))
    for name, path in (("directory", request.directory), *_named(request)):
        real = os.path.realpath(path)
        if real != inside and not real.startswith(inside.rstrip(os.sep) + os.sep):
            yield f"{name} = {path!r} is outside of {inside}"
    options = request.options
    if options.get("puppetdb") is not None:
        yield f"puppetdb = {options['puppetdb']!r} is a server"
    if options.get("budget") is not None:
        limits = Budget.read(options["budget"]).limits
        larger = [bound for bound, (default, _) in BOUNDS.items() if limits[bound] > default]
        if larger:
            yield f"a larger budget ({', '.join(larger)})"
    for name in options.get("env") or ():
        yield f"env = {name!r} is a variable of the environment"
    if options.get("show_derived"):
        yield "show_derived = true shows what was computed from secrets"


def _named(request: FleetRequest) -> Iterator[tuple[str, str]]:
    """The options that are paths, each with the file or directory."""
    options = request.options

    def below(path: str) -> str:
        return os.path.join(request.directory, path)

    if request.path is not None:
        path = request.path
        yield "path", below(path if "@" not in path else path.rpartition("@")[0] or ".")
    for name in _PATHS:
        if options.get(name) is not None:
            yield name, below(options[name])
    for name in _LISTS:
        yield from ((name, below(path)) for path in options.get(name) or ())
    for path in (options.get("modulepath") or "").split(":"):
        if path:
            yield "modulepath", below(path)
    for word in options.get("include") or ():
        yield "include", below(word.partition("=")[2] or word)
    for word in options.get("fetched") or ():
        yield "fetched", below(word.rpartition("=")[2])
    for _, path in options.get("override_input") or ():
        yield "override_input", below(path)
