"""Resource bodies: Γ, H →α_H H' and Γ, e : H →α_R e' : H' (paper, C.3; thesis, A.3.3).  Nothing is annotated here."""

from __future__ import annotations

from typing import TypeGuard

from .expressions import step
from .judgement import Judgement, State
from .syntax import Attributes, Expression, Value

body = Judgement("puppet.resource_body", "paper, C.3; thesis, A.3.3")
resource = Judgement("puppet.resource", "paper, C.3; thesis, A.3.3")


@body.on("RbodyExp")
def r_body_exp(c: State) -> Attributes | None:
    """e → e'  ⟹  x ⇒ e, H →H x ⇒ e', H"""
    match c.term:
        case ((x, e), *rest) if (next := step(c, e)) is not None:
            return ((x, next), *rest)
    return None


@body.on("RbodyStep")
def r_body_step(c: State) -> Attributes | None:
    """H →H H'  ⟹  x ⇒ v^β, H →H x ⇒ v^β, H'.  (The thesis prints another premise in B.1.2 and 5.2.2.2: a slip.)"""
    match c.term:
        case ((_, Value()) as first, *rest) if (next := body.step(c.Γ, c.α, tuple(rest))) is not None:
            return (first, *next)
    return None


@resource.on("RName")
def r_name(c: State) -> tuple[Expression, Attributes] | None:
    """e → e'  ⟹  e : H →R e' : H"""
    e, H = c.term
    return None if (next := step(c, e)) is None else (next, H)


@resource.on("Rbody")
def r_body(c: State) -> tuple[Expression, Attributes] | None:
    """H →H H'  ⟹  v^β : H →R v^β : H'"""
    match c.term:
        case (Value() as v, H) if (next := body.step(c.Γ, c.α, H)) is not None:
            return v, next
    return None


def is_value(H: Attributes) -> TypeGuard[tuple[tuple[str, Value], ...]]:
    """Whether H is a hash value vH."""
    return all(isinstance(e, Value) for _, e in H)
