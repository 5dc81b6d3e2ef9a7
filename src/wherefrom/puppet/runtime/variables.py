"""Reading variables by name, qualified or not, and what happens when there is none.

`$x` is looked for along the frames; `$::x` in the top scope; `$a::b` in the scope of class `a`, which must have been
evaluated, and then in the classes it inherits from. A variable that is not found is undef, with a warning, an error or
silence as the settings `strict_variables` and `strict` say; its origin is `Absent`, with everything that could have
made it present.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...provenance.origins import Absent, Guard, Leaf, Origin, Step
from ...provenance.secrecy import note_derived
from ..kernel.failures import EvaluationError
from ..kernel.operations import Group
from ..kernel.traced import Traced
from .left_out import Follows
from .lenient import follows
from .scope import BUILT_IN, Frame, not_shadowed

if TYPE_CHECKING:
    from ...base.source import Span
    from .scope import Scope


def read(frame: Frame, name: str) -> Traced | None:
    """The variable `name` as seen from `frame`, or nothing."""
    if "::" in name:
        return read_qualified(frame, name)[0]
    if name.isdecimal():
        return group(frame, int(name))
    return frame.seek(name)


def read_qualified(frame: Frame, name: str) -> tuple[Traced | None, list[Guard]]:
    """A qualified variable, and what could have made it present or another."""
    class_name, _, leaf = name.removeprefix("::").rpartition("::")
    if not class_name:
        top = frame.run.top
        variable = top.vars.get(leaf)
        causes: list[Guard] = list(top.absent.get(leaf, ())) if top.absent is not None else []
        if variable is not None and top.times is not None and frame.base is not top:
            frame.note_early(top.times.get(leaf), causes)
            if causes and top.times.get(leaf):
                variable = variable[0], not_shadowed(name, variable[1], causes)
        return variable, causes
    run = frame.run
    causes = []
    scope = run.class_scopes.get(class_name)
    if scope is None and class_name != class_name.lower():
        scope = run.class_scopes.get(class_name.lower())
    if scope is None and (run.absences.notes or run.absences.computed):
        absences, lower = run.absences, class_name.lower()
        causes.append(
            Guard(
                absences.later(
                    f"class {class_name}", lambda now: (*absences.of_class(lower, now), *absences.of_any_class(now))
                ),
                None,
            )
        )
    while scope is not None:
        variable = scope.vars.get(leaf)
        if variable is None and scope.binding is not None:
            variable = scope.binding.vars.get(leaf)
        if variable is not None:
            if scope.times is not None and scope is not frame.base:
                frame.note_early(scope.times.get(leaf), causes)
            return (variable[0], not_shadowed(name, variable[1], causes)) if causes else variable, causes
        if scope.absent is not None:
            causes.extend(scope.absent.get(leaf, ()))
        above = inherited(scope)
        if above is not None and scope.link is not None:  # had this class not been declared, nothing would be found
            causes.append(scope.link)
        scope = above
    return None, causes


def inherited(scope: Scope) -> Scope | None:
    """The scope of the class that this class inherits from."""
    parent = scope.source.parent if scope.source.kind == "class" else None
    return scope.run.class_scopes.get(parent) if parent is not None else None


def absence(frame: Frame, name: str, span: Span | None = None) -> Absent:
    """Why a variable is not there: what could have assigned it; of the top scope's, a fact or the classifier too."""
    causes: list[Origin | Guard] = []
    if "::" in name:
        causes += read_qualified(frame, name)[1]
    elif not name.isdecimal():
        causes += frame.find(name)[1]
    plain = name.removeprefix("::")
    if "::" not in plain and not plain.isdecimal():
        causes += (Leaf(kind, plain, None, None, absent=True) for kind in ("fact", "classifier"))
    return Absent(f"variable ${name}", tuple(causes), span)


def missing(frame: Frame, name: str, span: Span) -> Traced:
    """What a variable that is not defined gives: undef, after a complaint."""
    if not (name in BUILT_IN or name.removeprefix("::") in BUILT_IN):
        run = frame.run
        if run.left_out and follows(run, name, absence(frame, name, span)):
            raise Follows(f"${name} is not known: what sets it was left out", span)
        severity = "error" if run.strict_variables else run.strict
        if severity == "error":
            raise EvaluationError(
                f"Unknown variable: '{name}'.", span, issue="UNKNOWN_VARIABLE", help=_nearest(frame, name)
            )
        if severity == "warning":
            run.warn(f"Unknown variable: '{name}'.", span)
    return None, absence(frame, name, span)


def group(frame: Frame, index: int) -> Traced | None:
    """The group `$index` of the match in force; undef if there is none."""
    matched = frame.matched()
    if matched is None:
        return None
    groups, origins = matched
    value, origin = (groups[index] if index < len(groups) else None), Step(Group(index), origins)
    note_derived(value, origin)
    return value, origin


def existing(frame: Frame, name: str) -> Traced | None:
    """The variable that `defined('$name')` finds: of a class also those that its code would see without its name."""
    variable = read(frame, name)
    class_name, _, leaf = name.removeprefix("::").rpartition("::")
    if variable is None and class_name:
        scope = frame.run.class_scopes.get(class_name)
        variable = scope.seek(leaf) if scope is not None else None
    return variable


def _nearest(frame: Frame, name: str) -> str | None:
    from ...base.spell import nearest

    known: set[str] = set()
    here: Frame | None = frame
    while here is not None:
        known.update(here.vars)
        here = here.up
    near = nearest(name, known)
    return f"did you mean ${near}?" if near else None
