"""Terms of muPuppet as Puppet source, to be read again or given to the compiler."""

from __future__ import annotations

from wherefrom.semantics.puppet.show import show, show_parameters, show_spec
from wherefrom.semantics.puppet.syntax import (
    CaseOf,
    ClassDefinition,
    Define,
    If,
    MSeq,
    NodeDef,
    Seq,
    Skip,
    Statement,
    Unless,
)


def show_source(m: Statement) -> str:
    """A manifest as Puppet source that elaborates to it again, one statement on a line."""
    lines: list[str] = []

    def block(s: Statement, indent: str) -> None:
        match s:
            case Seq(s1, s2) | MSeq(s1, s2):
                block(s1, indent)
                block(s2, indent)
            case Skip():
                pass
            case If(e, s1, s2):
                nest(f"if {show(e, False)}", s1, indent)
                if not isinstance(s2, Skip):
                    lines[-1] += " else {"
                    block(s2, indent + "  ")
                    lines.append(indent + "}")
            case Unless(e, s1):
                nest(f"unless {show(e, False)}", s1, indent)
            case CaseOf(e, C, _):
                lines.append(f"{indent}case {show(e, False)} {{")
                for branch in C:
                    nest(f"{show(branch.c, False)}:", branch.s, indent + "  ")
                lines.append(indent + "}")
            case NodeDef(Q, s1):
                nest(f"node {show_spec(Q)}", s1, indent)
            case Define(u, ρ, s1):
                nest(f"define {u} {show_parameters(ρ, False)}", s1, indent)
            case ClassDefinition(a, ρ, b, s1):
                head = f"class {a}" + (f" {show_parameters(ρ, False)}" if ρ is not None else "")
                nest(head + (f" inherits {b}" if b else ""), s1, indent)
            case _:
                lines.append(indent + show(s, False))

    def nest(head: str, s: Statement, indent: str) -> None:
        lines.append(f"{indent}{head} {{")
        block(s, indent + "  ")
        lines.append(indent + "}")

    block(m, "")
    return "".join(line + "\n" for line in lines)
