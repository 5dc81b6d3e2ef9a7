"""`wherefrom step` for SmartFrog: the sequence of stores, each with the definition that made it.

This is the presentation of the paper's proof of termination (section 7.1): the empty store, then one store for every
value bound (Def 24) and every prototype expanded (Def 18), and last the component `sfConfig` (Def 27). At level forward
it is one store for every value bound (Fwd 1), every prototype expanded (Fwd 2) and then every link followed (Fwd 5).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.deep import with_deep_stack
from ...base.diagnostics import Diagnostic, UsageError
from ...base.host import Host
from ...base.record import Record
from ...base.source import Span
from ...smartfrog.parser import load
from ...smartfrog.tree import Link, Node, Reference, Specification
from ..rules import EQUATIONS, Derivation
from . import forward
from .domains import Ref, Store, plain
from .domains import show as show_value
from .errors import Err
from .operations import paths
from .properties import leads_back, unique
from .valuation import listening, specification

NAMES = {
    "Def 18": "inherit",
    "Def 24": "value",
    "Def 27": "specification",
    "Fwd 1": "value",
    "Fwd 2": "prototypes",
    "Fwd 5": "replaceLink",
    "Fwd 6": "specification",
}
LAST = ("Def 27", "Fwd 6")
SPECIFICATIONS = {"core": specification, "forward": forward.specification}
WIDE = 100
"""Longest store that is shown on one line."""
SMALL = 100
"""Largest result (in paths) for which Theorem 2 is tried."""


class Moment(Record):
    """A store, the piece of text that made it, the path that was bound, and what is worth knowing about it."""

    store: Store
    at: Span | None = None
    path: Ref = Ref()
    remark: str = ""


class _Enough(Exception):
    """The reader wants no more steps."""


def trace(tree: Specification, limit: int | None = None, until: str | None = None) -> Derivation[Moment]:
    """The stores that the evaluation of `tree` goes through."""
    return _follow(tree, limit, until, "core")[0]


def _follow(
    tree: Specification, limit: int | None, until: str | None, level: str
) -> tuple[Derivation[Moment], Diagnostic | None, bool]:
    derivation: Derivation[Moment] = Derivation(Moment(Store()))

    def hear(by: str, piece: Node, ns: Ref, r: Ref, s: Store) -> None:
        if limit is not None and len(derivation.steps) >= limit:
            raise _Enough
        remark = ""
        named = piece.reference if isinstance(piece, Link) else piece
        at_once = by in ("Def 18", "Def 24", "Fwd 2")  # level forward keeps links for its second pass
        if at_once and isinstance(named, Reference) and leads_back(derivation.last.store, ns, Ref(named.names), r):
            remark = "leads back to what is being defined: a finite snapshot (Theorem 1)"
        derivation.add((f"{by} {NAMES[by]}",), Moment(s, None if by in LAST else piece.span, r, remark))
        if until is not None and until in derivation.steps[-1].rules[0].split():
            raise _Enough

    token = listening.set(hear)
    try:
        SPECIFICATIONS[level](tree)
    except _Enough:
        return derivation, None, False
    except Err as problem:
        return derivation, problem, True
    finally:
        listening.reset(token)
    return derivation, None, True


def derive(path: str, host: Host, limit: int | None = None) -> Derivation[Moment]:
    """The stores that the program at `path` goes through, `limit` of them at most."""
    return with_deep_stack(lambda: trace(load(host.source(path), host).checked().tree, limit))


def show(state: Moment) -> str:
    """One moment as text: the path, the piece of program bound to it, then the store."""
    lines = []
    if state.at is not None:
        text = " ".join(state.at.text.split())
        lines.append(f"{state.path!r} <- {text if len(text) <= 60 else text[:57] + '...'}  ({state.at.place})")
    if state.remark:
        lines.append(state.remark)
    lines += _show_store(state.store)
    return "\n".join(lines)


def _show_store(s: Store) -> list[str]:
    line = show_value(s)
    if len(line) <= WIDE or not s:
        return [line]
    lines = []
    for i, v in s:
        inner = _show_store(v) if isinstance(v, Store) else [show_value(v)]
        lines += [f"{i}:{inner[0]}"] if len(inner) == 1 else [f"{i}:", *(f"  {line}" for line in inner)]
    return lines


def show_json(state: Moment) -> dict[str, object]:
    """One moment as plain data."""
    shown: dict[str, object] = {"store": plain(state.store)}
    if state.at is not None:
        shown |= {
            "path": repr(state.path),
            "file": state.at.file.name,
            "line": state.at.line,
            "column": state.at.column,
            "text": state.at.text,
        }
    return shown | ({"remark": state.remark} if state.remark else {})


class Report:
    """What `wherefrom step` prints: the derivation, how it ended, and the definitions used."""

    def __init__(self, derivation: Derivation[Moment], problem: Diagnostic | None, finished: bool, rules: bool) -> None:
        self.derivation = derivation
        self.problem = problem
        self.finished = finished
        self._rules = rules

    def text(self) -> str:
        """For a person."""
        text = self.derivation.to_text(show)
        if self.problem is not None:
            text += f"      {self.problem}\n"
        elif not self.finished:
            text += "      ... stopped here as asked\n"
        elif len(paths(self.derivation.last.store)) <= SMALL and unique(self.derivation.last.store):
            text += "      every store has each identifier once (Theorem 2)\n"
        if self._rules:
            text += "\n" + "".join(f"{number}  {statement}\n" for number, statement in self._used())
        return text

    def json(self) -> object:
        """For a program."""
        document = self.derivation.to_json(show_json)
        document["finished"] = self.finished
        if self.problem is not None:
            document["error"] = {"code": self.problem.code, "message": self.problem.message}
        if self._rules:
            document["rules"] = dict(self._used())
        return document

    def _used(self) -> list[tuple[str, str]]:
        used = {" ".join(step.rules[0].split()[:2]) for step in self.derivation.steps}
        theories = {"Def": "smartfrog", "Fwd": "smartfrog-forward"}
        return [(number, EQUATIONS[f"{theories[number[:3]]}/{number}"].statement) for number in sorted(used)]


def derive_and_show(path: str, host: Host, options: Mapping[str, Any]) -> Report:
    """The front door of `wherefrom step`.  Options: `limit` (steps), `until` (a definition), `rules`, `level`."""
    level = options.get("level") or "core"
    if level not in SPECIFICATIONS:
        raise UsageError(
            f"there are no steps at level {level}: its phases change one tree in place, and no published rules "
            "derive it store by store; --level core and --level forward have steps"
        )

    def work() -> Report:
        tree = load(host.source(path), host).checked().tree
        derivation, problem, finished = _follow(tree, options.get("limit"), options.get("until"), level)
        return Report(derivation, problem, finished, options.get("rules") is True)

    return with_deep_stack(work)
