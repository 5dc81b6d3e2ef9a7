"""What a question to a store needs of the files: nodes are compiled once more to tell what their values depend on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from ..base.diagnostics import CannotRead, UsageError
from ..base.render import show, visible
from ..fleet.compiling import known_nodes, usable
from ..fleet.graph_making import make
from ..fleet.origins import OriginsFile
from ..fleet.questions import Questions
from ..fleet.requests import FleetRequest
from ..fleet.rounds import Exchange
from ..fleet.store import Store
from .options import Invocation, input_parameters


def questions_of(store_path: str, progress: Callable[..., Any] | None = None, jobs: int | None = None) -> Questions:
    """A store that is asked."""
    store = Store(os.path.abspath(store_path))
    return Questions(store, lambda nodes: make_graphs(store, nodes, progress, jobs))


def base_of(store_path: str) -> tuple[str, str]:
    """The directory in which a store was compiled, and what was compiled, as names of files in it begin."""
    request = Store(os.path.abspath(store_path)).request()
    if request is None or not os.path.isdir(request.directory):
        return os.getcwd(), "."
    with inside(request.directory):
        return request.directory, Invocation(options_of(request)).settled(request.path)[0]


def request_of(path: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """What was asked to be compiled, so that it can be asked again: the options as they were given."""
    return {"directory": os.getcwd(), "path": path, "options": options}


def start_anew(store: Store) -> None:
    """Where a store, or a file of it, can not be used, and the sources are here: begin without it, and say so."""
    for words in usable(store):
        show([(f"warning: {visible(words)}\n", "error")], sys.stderr)


def make_graphs(
    store: Store, nodes: Sequence[str], progress: Callable[..., Any] | None = None, jobs: int | None = None
) -> None:
    """See to it that nodes of a store have graphs of what their values depend on.

    Where the files are not there which they were compiled from, what was made has to do.
    """
    request = store.request()
    if request is not None and request.asks and not request.is_own:
        _require_all(
            store,
            nodes,
            "its request.json was not written by you, and names something outside of its directory: "
            f"{'; '.join(request.asks)}. If this is intended, run `wherefrom trust {store.path}`, "
            "or compile into the store",
        )
        return
    if request is None or not os.path.isdir(request.directory):
        _require_all(store, nodes, "the files that it was compiled from no longer exist")
        return
    with inside(request.directory):
        path = request.path
        try:
            invocation = Invocation(options_of(request))
            side = invocation.side(path, store.key())
        except CannotRead as problem:
            _require_all(store, nodes, problem.message)
            return
        exchange = side.exchange = Exchange.of_store(store.path)
        exchange.others = invocation.database
        known = known_nodes(store)
        exchange.join([*known])

        def run(node: str, reads: object) -> Any:
            more: dict[str, Any] = {"exports": exchange, "storeconfigs": True}
            return invocation.run(path, node, trace=True, reads=reads, **more)

        with store.relied_on(), invocation.standing_still(path):
            make(OriginsFile(store.path), nodes, known, run, side, jobs, progress or (lambda results, count: results))


def options_of(request: FleetRequest) -> dict[str, object]:
    """The options of a request, as the command has them.  Raises `UsageError` for what is none."""
    context = click.Context(click.Command("compile"))
    options: dict[str, object] = {}
    left = request.given
    for parameter in input_parameters():
        name = parameter.name or ""
        options[name] = left.pop(name) if name in left else parameter.get_default(context)
        if not _is_value(parameter, options[name]):
            raise UsageError(f"the store's request.json lacks a usable option {name!r}: compile into it again")
    if left:
        raise UsageError(f"the store's request.json has an unknown option {min(left)!r}: compile into it again")
    return options


def _is_value(parameter: click.Parameter, value: object) -> bool:
    """Whether a value is one that a parameter of the command line can have."""
    if parameter.multiple:
        return value is None or (isinstance(value, tuple) and all(_is_one(parameter, part) for part in value))
    return value is None or _is_one(parameter, value)


def _is_one(parameter: click.Parameter, value: object) -> bool:
    if parameter.nargs > 1:
        return (
            isinstance(value, list | tuple)
            and len(value) == parameter.nargs
            and all(isinstance(word, str) for word in value)
        )
    kind = bool if getattr(parameter, "is_flag", False) else int if parameter.type is click.INT else str
    return type(value) is kind


def _require_all(store: Store, nodes: Sequence[str], problem: str) -> None:
    """Where nothing can be made: what was made has to do.  Raises `UsageError` if it does not."""
    known = OriginsFile(store.path).stamps()
    lacking = [node for node in nodes if node not in known]
    if lacking:
        raise UsageError(f"the dependencies of {lacking[0]} are not in the store and cannot be computed now: {problem}")


@contextmanager
def inside(directory: str) -> Iterator[None]:
    """Inside, names of files are below this directory."""
    before = os.getcwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)
