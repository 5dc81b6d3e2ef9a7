"""Binary operations on values (fig. 3.8) and equality of values.

`Operation(op, u1, u2)` is a state of the relation `nix.binop`; each rule gives the resulting value.
"""

from __future__ import annotations

from ...base.record import Record
from ..rules import Relation
from .syntax import Attrs, Bool, Int, Null, Str, Term


class Operation(Record):
    """u1 op u2"""

    op: str
    u1: Term
    u2: Term


binop: Relation[Operation] = Relation("nix.binop", cites="Broekhoff, thesis, fig. 3.8")


@binop.rule("BINOP-ADD-INT")
def binop_add_int(o: Operation) -> Term | None:
    """n1 + n2"""
    match o:
        case Operation("+", Int(n1), Int(n2)):
            return Int(n1 + n2)
    return None


@binop.rule("BINOP-ADD-STR")
def binop_add_str(o: Operation) -> Term | None:
    """s1 + s2: concatenation"""
    match o:
        case Operation("+", Str(s1), Str(s2)):
            return Str(s1 + s2)
    return None


@binop.rule("BINOP-MIN-INT")
def binop_min_int(o: Operation) -> Term | None:
    """n1 - n2  (printed with `+`; the artifact has minus)"""
    match o:
        case Operation("-", Int(n1), Int(n2)):
            return Int(n1 - n2)
    return None


@binop.rule("BINOP-DIV-INT")
def binop_div_int(o: Operation) -> Term | None:
    """n1 / n2 if n2 != 0, rounding down as the artifact does (Nix rounds towards zero)"""
    match o:
        case Operation("/", Int(n1), Int(n2)) if n2 != 0:
            return Int(n1 // n2)
    return None


@binop.rule("BINOP-LT-INT")
def binop_lt_int(o: Operation) -> Term | None:
    """n1 < n2"""
    match o:
        case Operation("<", Int(n1), Int(n2)):
            return Bool(n1 < n2)
    return None


@binop.rule("BINOP-LT-STR")
def binop_lt_str(o: Operation) -> Term | None:
    """s1 < s2, character by character

    The thesis' prose compares lengths first and its artifact's `string_lt` is no order at all; both differ from Nix,
    whose order, lexicographic by bytes, is meant.
    """
    match o:
        case Operation("<", Str(s1), Str(s2)):
            return Bool(s1.encode() < s2.encode())
    return None


@binop.rule("BINOP-EQ")
def binop_eq(o: Operation) -> Term | None:
    """v1 = v2 gives expreq(v1, v2)"""
    match o:
        case Operation("=", v1, v2):
            return Bool(expreq(v1, v2))
    return None


@binop.rule("BINOP-UPD-ATTRSET")
def binop_upd_attrset(o: Operation) -> Term | None:
    """{ b1 } // { b2 }: the members of both, those of b2 where both have one"""
    match o:
        case Operation("//", Attrs(b1), Attrs(b2)):
            return Attrs({**b1, **b2})
    return None


def expreq(v1: Term, v2: Term) -> bool:
    """Equality of values, top to bottom: anything not listed, functions and unevaluated members included, is unequal.

    `null` equals `null` as in fig. 3.8 (the artifact says otherwise, and so differs from Nix).
    """
    match v1, v2:
        case (Null(), Null()):
            return True
        case (Bool(a), Bool(b)) | (Int(a), Int(b)):
            return a == b
        case (Str(s), Str(t)):
            return s == t
        case (Attrs(b1), Attrs(b2)):
            return b1.keys() == b2.keys() and all(expreq(b1[x], b2[x]) for x in b1)
    return False
