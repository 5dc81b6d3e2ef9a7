"""Mininix terms as text, in the thesis' notation, and strong values as Nix prints them."""

from __future__ import annotations

import json

from .syntax import (
    App,
    Assert,
    Attrs,
    Bindings,
    Bool,
    Closed,
    Force,
    Fun,
    HasAttr,
    Id,
    If,
    Int,
    Let,
    Matcher,
    MatchFun,
    Null,
    Op,
    Placeholder,
    Rec,
    RecBindings,
    Select,
    SelectOr,
    Str,
    Term,
    With,
)

LONGEST = 4_000
"""Terms repeat whole sets inside their own members; text past this many characters is cut."""


def show(e: Term, longest: int = LONGEST) -> str:
    """A term on one line."""
    writer = _Writer(longest)
    writer.term(e, 0)
    return "".join(writer.out)


class _Writer:
    def __init__(self, longest: int) -> None:
        self.out: list[str] = []
        self.left = longest

    def put(self, text: str) -> None:
        self.out.append(text)
        self.left -= len(text)

    def term(self, e: Term, level: int) -> None:
        """Write e; level 0 is the outermost, 1 an operand, 2 an argument or what stands before a dot."""
        if self.left <= 0:
            if not self.out or self.out[-1] != "…":
                self.out.append("…")
            return
        wrap = (
            level == 2
            and isinstance(e, App | If | Let | With | Assert | Op | HasAttr | Fun | MatchFun | Force | SelectOr)
        ) or (level == 1 and isinstance(e, If | Let | With | Assert | Op | HasAttr | Fun | MatchFun))
        if wrap:
            self.put("(")
        self._bare(e)
        if wrap:
            self.put(")")

    def _bare(self, e: Term) -> None:
        match e:
            case Bool(value):
                self.put("true" if value else "false")
            case Null():
                self.put("null")
            case Int(value):
                self.put(str(value))
            case Str(value):
                self.put(json.dumps(value, ensure_ascii=False))
            case Id(x):
                self.put(x)
            case Fun(x, body):
                self.put(f"{x}: ")
                self.term(body, 0)
            case MatchFun(m, body):
                self._matcher(m)
                self.put(": ")
                self.term(body, 0)
            case Attrs(b):
                self._bindings(b)
            case Rec(br):
                self.put("rec ")
                self._recursive(br, "{ ", "}")
            case Let(br, body):
                self.put("let ")
                self._recursive(br, "", "in ")
                self.term(body, 0)
            case Select(d, xs):
                self.term(d, 2)
                self.put("." + ".".join(xs))
            case SelectOr(d, xs, default):
                self.term(d, 2)
                self.put("." + ".".join(xs) + " or ")
                self.term(default, 2)
            case App(e1, e2):
                self.term(e1, 1 if isinstance(e1, App) else 2)
                self.put(" ")
                self.term(e2, 2)
            case If(e1, e2, e3):
                self.put("if ")
                self.term(e1, 0)
                self.put(" then ")
                self.term(e2, 0)
                self.put(" else ")
                self.term(e3, 0)
            case With(e1, e2):
                self.put("with ")
                self.term(e1, 0)
                self.put("; ")
                self.term(e2, 0)
            case Assert(e1, e2):
                self.put("assert ")
                self.term(e1, 0)
                self.put("; ")
                self.term(e2, 0)
            case Op(op, e1, e2):
                self.term(e1, 1)
                self.put(f" {op} ")
                self.term(e2, 1)
            case HasAttr(d, x):
                self.term(d, 1)
                self.put(f" ? {x}")
            case Force(d):
                self.put("force ")
                self.term(d, 2)
            case Closed(d):
                self.put("closed(")
                self.term(d, 0)
                self.put(")")
            case Placeholder(x, d):
                self.put(f"placeholder_{x}(")
                self.term(d, 0)
                self.put(")")

    def _bindings(self, b: Bindings) -> None:
        self.put("{ ")
        for x, e in b.items():
            self.put(f"{x} := ")
            self.term(e, 0)
            self.put("; ")
        self.put("}")

    def _recursive(self, br: RecBindings, start: str, end: str) -> None:
        self.put(start)
        for x, binding in br.items():
            self.put(f"{x} {':=_r' if binding.recursive else ':='} ")
            self.term(binding.e, 0)
            self.put("; ")
        self.put(end)

    def _matcher(self, m: Matcher) -> None:
        self.put("{ ")
        for number, (x, default) in enumerate(m.formals):
            self.put(f"{', ' if number else ''}{x}")
            if default is not None:
                self.put(" ? ")
                self.term(default, 1)
        if not m.strict:
            self.put(", ..." if m.formals else "...")
        self.put(" }")


def plain(v: Term) -> object:
    """A strong value as plain data; functions become the text `<LAMBDA>`."""
    match v:
        case Bool(value) | Int(value) | Str(value):
            return value
        case Null():
            return None
        case Attrs(b):
            return {x: plain(b[x]) for x in sorted(b)}
    return "<LAMBDA>"
