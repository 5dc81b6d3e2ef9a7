"""The batch protocol of SmartFrog: requests for a level, answers with the typed store or the error's phase and kind.

    {"id": 1, "level": "production", "main": "main.sf", "files": {"main.sf": ".."}, "properties": {"p": "text"}}
    {"id": 1, "ok": true, "store": {..}, "tags": {"a:b": ["t"]}, "data_components": ["c"]}
    {"id": 1, "ok": false, "error": {"phase": "link", "kind": "unresolved", ..}}

Levels go by their names, or as the paper's readers call them: `CORE`, `FWD`, `PROD`. The store is in the form of
`production.output.typed`. Phases are `parse`, `build` (the one pass of the levels below production), those of level
production, and `limit`.
"""

from __future__ import annotations

from typing import Any

from ..base.diagnostics import CannotRead, Diagnostic, LimitReached
from ..base.render import diagnostic_json
from .errors import (
    AssertionFailed,
    BadFunction,
    BadPhases,
    BadPrototype,
    FinalAttribute,
    IncludeCycle,
    LinkCycle,
    LinkToNothing,
    NoConfiguration,
    NoSuchParent,
    NothingToOverride,
    NotPlaced,
    ParentNotComponent,
    PrototypeCycle,
    SmartFrogError,
    StillToBeDefined,
    Unresolved,
)
from .production.nodes import Application, Node
from .production.output import key_text, typed
from .store import Component

LEVELS = {"CORE": "core", "FWD": "forward", "PROD": "production"}
"""Other names of the levels."""

_KINDS: dict[type[Diagnostic], tuple[str, str]] = {
    ParentNotComponent: ("build", "parent-not-a-component"),
    NoSuchParent: ("build", "no-parent"),
    NotPlaced: ("place", "unresolved"),
    LinkToNothing: ("link", "unresolved"),
    Unresolved: ("link", "unresolved"),
    LinkCycle: ("link", "cycle"),
    PrototypeCycle: ("type", "cycle"),
    FinalAttribute: ("type", "final"),
    NothingToOverride: ("type", "override"),
    StillToBeDefined: ("link", "tbd"),
    BadFunction: ("function", "function"),
    AssertionFailed: ("link", "assertion"),
    BadPhases: ("parse", "phase-list"),
    IncludeCycle: ("parse", "include-cycle"),
    CannotRead: ("parse", "include-missing"),
    LimitReached: ("limit", "limit"),
}


def failed(name: object, problem: Diagnostic, level: str) -> dict[str, Any]:
    """The answer that a program is wrong."""
    phase, kind = _KINDS.get(type(problem), ("parse", "syntax"))
    if isinstance(problem, BadPrototype):
        phase, kind = "build", "unresolved" if problem.missed is not None else "not-a-component"
    elif isinstance(problem, NoConfiguration):
        phase, kind = "sfConfig", problem.lack if level == "production" else "missing"
    if isinstance(problem, SmartFrogError):
        phase, kind = problem.phase or phase, problem.kind or kind
    return {"id": name, "ok": False, "error": {"phase": phase, "kind": kind, **diagnostic_json(problem)}}


def compiled(name: object, store: Component) -> dict[str, Any]:
    """The answer with a store."""
    answer: dict[str, object] = {"id": name, "ok": True, "store": typed(store)}
    tags: dict[str, list[str]] = {}
    data: list[str] = []
    waiting: list[tuple[str, Component]] = [("", store)]
    while waiting:
        path, component = waiting.pop()
        if type(component) is not Node:
            continue
        for key, slot in component.entries.items():
            inside = f"{path}:{key_text(key)}" if path else key_text(key)
            if component.tags.get(key):
                tags[inside] = sorted(component.tags[key])
            value = slot.value
            if type(value) is Node:
                if value.data:
                    data.append(inside)
                waiting.append((inside, value))
            elif isinstance(value, Application):
                pass  # what is inside of a function is its own business
    if tags:
        answer["tags"] = tags
    if data:
        answer["data_components"] = sorted(data)
    return answer
