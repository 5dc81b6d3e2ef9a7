"""Terms, environments and annotations as text, in the papers' notation.

Without annotations a program prints as Puppet source, so that it can be parsed again. With them, values carry theirs
behind `^`, outer annotations stand behind `^+`:

    $y = 2^{l2}          (include a)^+{l1, l3}          scope ::a { $y = 2^{l2} }
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .annotations import BOTTOM, Term, sorted_labels
from .judgement import Binding, ResourceValue
from .syntax import (
    NODE,
    And,
    Arith,
    Array,
    ArrayExp,
    Assign,
    BegunClass,
    CaseOf,
    ClassDecl,
    ClassDef,
    ClassDefinition,
    Comp,
    Data,
    DeclaredClass,
    Default,
    Define,
    Defined,
    Definition,
    Deref,
    Expr,
    Hash,
    HashExp,
    If,
    In,
    Include,
    Label,
    MSeq,
    NodeDef,
    NodeDefault,
    NodeList,
    NodeName,
    NodeRegExp,
    NodeSpec,
    Not,
    Or,
    Parameters,
    PlusE,
    PlusS,
    QualifiedVar,
    Ref,
    Reference,
    Resource,
    ResourceDef,
    Resume,
    Scope,
    Selector,
    Seq,
    Skip,
    TopVar,
    Undef,
    Unless,
    Value,
    Var,
    ambient_of,
    capitalised,
    is_def_scope,
)

LONGEST_TERM = 400
"""Terms share their parts, so that a small one may be very long when written out; beyond so many nodes we write `…`."""


# --- annotations ----------------------------------------------------------------------------------------------------


def show_labels(labels: Iterable[Label]) -> str:
    """`{l1, l3}`"""
    return "{" + ", ".join(label.name for label in sorted_labels(labels)) + "}"


def show_note(β: object) -> str:
    """An annotation of any algebra but plain: a label, ⊥, a term or a set; for a product all of them, between bars."""
    match β:
        case Label():
            return β.name
        case frozenset():
            return show_labels(β)
        case Term():
            return show_term(β)
        case tuple():
            return "⟨" + " | ".join(show_note(part) for part in β) + "⟩"
        case _ if β is BOTTOM:
            return "⊥"
        case _:
            return repr(β)


def show_term(β: Any) -> str:
    """An expression-provenance term: `((l1 + l2) > l4)`, `(l1 and _)` for a short circuit."""
    budget = [LONGEST_TERM]

    def visit(term: Any) -> str:
        budget[0] -= 1
        if budget[0] < 0:
            return "…"
        if isinstance(term, Label):
            return term.name
        if term is BOTTOM:
            return "⊥"
        parts = [visit(argument) for argument in term.arguments]
        match term.op:
            case "!":
                return "!" + parts[0]
            case "and" | "or" if len(parts) == 1:
                return f"({parts[0]} {term.op} _)"
            case "undef":
                return "undef"
            case "array":
                return "[" + ", ".join(parts) + "]"
            case "hash":
                return "{" + ", ".join(f"{show_data(k)} => {shown}" for k, shown in zip(term.keys, parts)) + "}"
            case op if op.startswith("ref "):
                return f"{capitalised(op.removeprefix('ref '))}[{parts[0]}]"
            case op:
                return f"({parts[0]} {op} {parts[1]})"

    return visit(β)


# --- values and scopes ----------------------------------------------------------------------------------------------


def show_scope(α: Scope) -> str:
    """A scope as the paper writes it."""
    if is_def_scope(α):
        return f"({show_scope(ambient_of(α))} def)"
    return "::nd" if α == NODE else α


def show_data(v: Data, notes: bool = False) -> str:
    """A value as Puppet writes it."""
    match v:
        case bool():
            return "true" if v else "false"
        case int():
            return str(v)
        case str():
            return "'" + v.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case Undef():
            return "undef"
        case Array(items):
            return "[" + ", ".join(show(item, notes) for item in items) + "]"
        case Hash(entries):
            return "{" + ", ".join(f"{show_data(k)} => {show(entry, notes)}" for k, entry in entries) + "}"
        case Reference(t, w):
            return f"{capitalised(t)}[{show_data(w)}]"


# --- terms ----------------------------------------------------------------------------------------------------------


def show(term: object, notes: bool = True) -> str:
    """Any term, on one line."""

    def go(part: object) -> str:
        return show(part, notes)

    match term:
        case Value(v, β):
            return show_data(v, notes) + (f"^{show_note(β)}" if notes else "")
        case Var(x):
            return f"${x}"
        case TopVar(x):
            return f"$::{x}"
        case QualifiedVar(a, x):
            return f"$::{a}::{x}"
        case Arith(op, e1, e2) | Comp(op, e1, e2):
            return f"({go(e1)} {op} {go(e2)})"
        case And(e1, e2):
            return f"({go(e1)} and {go(e2)})"
        case Or(e1, e2):
            return f"({go(e1)} or {go(e2)})"
        case Not(e):
            return f"!{go(e)}"
        case ArrayExp(A):
            return "[" + ", ".join(go(part) for part in A) + "]"
        case HashExp(H):
            return "{" + ", ".join(f"{show_data(k)} => {go(e)}" for k, e in H) + "}"
        case Deref(d, e):
            return f"{go(d)}[{go(e)}]"
        case Ref(t, e):
            return f"{capitalised(t)}[{go(e)}]"
        case Selector(e, M):
            return f"({go(e)} ? {{ " + ", ".join(f"{go(m.c)} => {go(m.e)}" for m in M) + " })"
        case Default(β):
            return "default" + (f"^{show_note(β)}" if notes and β else "")
        case PlusE(e, β) | PlusS(e, β):
            return f"({go(e)})^+{show_note(β)}" if notes else go(e)
        case Skip():
            return "skip"
        case Expr(e):
            return go(e)
        case Seq(s1, s2) | MSeq(s1, s2):
            return f"{go(s1)} _ {go(s2)}"
        case Assign(x, e):
            return f"${x} = {go(e)}"
        case If(e, s1, s2):
            return f"if {go(e)} {{ {go(s1)} }} else {{ {go(s2)} }}"
        case Unless(e, s):
            return f"unless {go(e)} {{ {go(s)} }}"
        case CaseOf(e, C, _):
            return f"case {go(e)} {{ " + " ".join(f"{go(branch.c)}: {{ {go(branch.s)} }}" for branch in C) + " }"
        case Resource(t, e, H) | Defined(t, e, H):
            return f"{t} {{ {go(e)}: {show_attributes(H, notes)} }}"
        case ClassDecl(a, H):
            return f"class {{ '{a}': {show_attributes(H, notes)} }}"
        case Include(a):
            return f"include {a}"
        case Resume(s):
            return f"resume {go(s)}"
        case In(α, s):
            return f"scope {show_scope(α)} {{ {go(s)} }}"
        case NodeDef(Q, s):
            return f"node {show_spec(Q)} {{ {go(s)} }}"
        case Define(u, ρ, s):
            return f"define {u} {show_parameters(ρ, notes)} {{ {go(s)} }}"
        case ClassDefinition(a, ρ, b, s):
            parameters = f" {show_parameters(ρ, notes)}" if ρ is not None else ""
            return f"class {a}{parameters}{f' inherits {b}' if b else ''} {{ {go(s)} }}"
        case tuple():
            return ", ".join(f"{part[0]} => {go(part[1])}" if isinstance(part, tuple) else go(part) for part in term)
        case _:
            return repr(term)


def show_attributes(H: Any, notes: bool) -> str:
    """`k => e, ...`"""
    return ", ".join(f"{k} => {show(e, notes)}" for k, e in H)


def show_parameters(ρ: Parameters, notes: bool) -> str:
    """`($x, $y = e)`"""
    return "(" + ", ".join(f"${p.x}" + (f" = {show(p.e, notes)}" if p.e is not None else "") for p in ρ) + ")"


def show_spec(Q: NodeSpec) -> str:
    """A node specification."""
    match Q:
        case NodeName(N):
            return show_data(N)
        case NodeList(members):
            return ", ".join(show_spec(member) for member in members)
        case NodeRegExp(r):
            return f"/{r.removeprefix('(?m)')}/"
        case NodeDefault():
            return "default"


# --- environments ---------------------------------------------------------------------------------------------------


def show_binding(α: Scope, x: str, bound: Binding, notes: bool = True) -> str:
    """`::a $y^+{l1, l3} : 2^{l1, l2, l3}`"""
    outer = f"^+{show_note(bound.β)}" if notes and bound.β else ""
    return f"{show_scope(α)} ${x}{outer} : {show(bound.value, notes)}"


def show_definition(d: Definition | None, notes: bool = True) -> str:
    """ClassDef, BegunClass, DeclaredClass or ResourceDef, bodies left out."""
    match d:
        case ClassDef(b, ρ, _):
            return f"ClassDef({b or '⊥'}, {show_parameters(ρ, notes) if ρ else 'ε'}, …)"
        case BegunClass(begun):
            return f"BegunClass({show_definition(begun, notes)})"
        case DeclaredClass(α, β):
            return f"DeclaredClass({show_scope(α)})" + (f"^{show_note(β)}" if notes and β else "")
        case ResourceDef(ρ, _):
            return f"ResourceDef({show_parameters(ρ, notes) if ρ else 'ε'}, …)"
        case None:
            return "undefined"


def show_resource(vR: ResourceValue, notes: bool = True) -> str:
    """A resource value; attributes that are undef are not part of the catalog and are marked so."""
    text = f"{vR.t} {{ {show(vR.w, notes)}: {show_attributes(vR.H, notes)} }}"
    return f"({text})^+{show_note(vR.β)}" if notes and vR.β else text
