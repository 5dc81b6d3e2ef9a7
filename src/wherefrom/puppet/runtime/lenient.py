"""Compiling on where code fails: a statement that fails is left out, and what could depend on it is known.

Used to find all errors of a node at once, and, where the user wants it (`--lenient`), to explain and compare the rest
of a catalog. A statement of a class, a define, a node or a manifest that fails is noted (`LeftOut`) and the next one
runs. What the statement would have done is *absent because of the failure*, by the mechanism that a branch not taken
has: its effects, under a guard whose test is a leaf of kind `failure`. So whatever could be another value had it not
failed has that leaf among its inputs.

What fails only because something before it was left out is no error of its own: who reads a variable that is not there
because of a failure fails with `Follows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic, LimitReached
from ...provenance.extract import depends
from ...provenance.origins import Guard, Leaf
from ..kernel.edge_labels import LEFT_OUT
from .left_out import FAILURE, Follows, LeftOut

if TYPE_CHECKING:
    from ...base.source import Span
    from ...provenance.origins import Origin
    from .compilation import Compilation
    from .effects import Effects
    from .resources import Resource
    from .scope import Frame


def leave_out(frame: Frame, problem: Diagnostic, effects: Effects | None, span: Span | None) -> None:
    """Note that a statement failed; what it would have done is absent for that."""
    run = frame.run
    guard = _noted(run, frame.base.resource, problem, span, frame.guard)
    if effects is not None:
        run.note_absent(frame, effects, guard)


def leave_out_resource(run: Compilation, resource: Resource, problem: Diagnostic) -> None:
    """Note that a class or define as a whole failed: its parameters, or what it inherits from."""
    definition = resource.definition
    span = problem.span or resource.span or (definition.span if definition is not None else None)
    guard = _noted(run, resource, problem, span, resource.guard)
    effects = run.environment.body_effects(definition) if definition is not None else None
    if effects is not None:
        run.note_absent(run.class_scopes.get(definition.name, run.top) if definition is not None else run.top, effects,
                        guard)  # fmt: skip


def _noted(run: Compilation, owner: Resource, problem: Diagnostic, span: Span | None, above: Guard | None) -> Guard:
    assert run.left_out is not None
    run.left_out.append(LeftOut(owner.ref, problem, not isinstance(problem, Follows)))
    leaf = Leaf(FAILURE, owner.ref, None, problem.message)
    return Guard(leaf, above, span, LEFT_OUT)


def may_be_left_out(problem: Diagnostic) -> bool:
    """Whether a run may go on after a problem: not after a bound was met."""
    return not isinstance(problem, LimitReached)


def follows(run: Compilation, name: str, origin: Origin) -> bool:
    """Whether a variable may be missing because something was left out: by its history, or by whose it is."""
    if not run.left_out:
        return False
    owner = name.removeprefix("::").rpartition("::")[0].lower()
    if owner and any(entry.owner.lower() == f"class[{owner}]" for entry in run.left_out):
        return True
    return any(leaf.kind == FAILURE for leaf in depends(origin))
