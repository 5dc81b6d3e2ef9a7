"""The fuel interpreter (thesis, chapter 4): eval n uf e.

`uf` says that the result is wanted *under force*, i.e. strong. Fuel goes down by one with every recursive call. The
thesis returns an option, so that an error and running out of fuel look alike; `run` keeps them apart (`STUCK`,
`NO_FUEL`) and `evaluate` is the thesis' function, which forgets the difference.

There is no sharing: a value used twice is computed twice. `work` bounds the number of calls in all, since a program of
a few lines can ask for exponentially many.
"""

from __future__ import annotations

from enum import Enum

from .matching import match_pattern
from .operators import Operation, binop
from .reduction import program
from .substitution import closeds, placeholders, recsubst, substitute
from .syntax import (
    App,
    Assert,
    Attrs,
    Bool,
    Closed,
    Force,
    Fun,
    HasAttr,
    If,
    Let,
    MatchFun,
    Op,
    Placeholder,
    Rec,
    Select,
    SelectOr,
    Term,
    With,
    is_value,
)


class Failure(Enum):
    """Why there is no value."""

    STUCK = "stuck"
    NO_FUEL = "out of fuel"


STUCK = Failure.STUCK
NO_FUEL = Failure.NO_FUEL


class _Stop(Exception):
    def __init__(self, why: Failure) -> None:
        self.why = why


def run(n: int, uf: bool, e: Term, work: int = 1_000_000) -> Term | Failure:
    """eval n uf e: a value, or which kind of nothing: an error, or out of fuel."""
    try:
        return _Interpreter(work).eval(n, uf, e)
    except _Stop as stop:
        return stop.why


def run_program(n: int, e: Term, strict: bool = True, work: int = 1_000_000) -> Term | Failure:
    """The artifact's `tl_eval`: substitute the prelude, then evaluate."""
    return run(n, strict, program(e, strict=False), work)


class _Interpreter:
    def __init__(self, work: int) -> None:
        self.work = work

    def eval(self, n: int, uf: bool, e: Term) -> Term:
        self.work -= 1
        if n == 0 or self.work <= 0:
            raise _Stop(NO_FUEL)
        n -= 1
        match e:
            case Force(d):
                return self.eval(n, True, d)
            case Closed(d) | Placeholder(_, d):
                return self.eval(n, uf, d)
            case Attrs(b) if uf:
                return Attrs({x: self.eval(n, True, d) for x, d in b.items()})
            case Rec(br):
                return self.eval(n, uf, Attrs(recsubst(br)))
            case Let(br, d):
                return self.eval(n, uf, substitute(d, closeds(recsubst(br))))
            case Select(d, (x, *ys)):
                b = self.attrs(n, d)
                if x not in b:
                    raise _Stop(STUCK)
                return self.eval(n, uf, Select(b[x], tuple(ys)) if ys else b[x])
            case SelectOr(d, (x, *ys), default):
                b = self.attrs(n, d)
                if x not in b:
                    return self.eval(n, uf, default)
                return self.eval(n, uf, SelectOr(b[x], tuple(ys), default) if ys else b[x])
            case App(e1, e2):
                return self.apply(n, uf, self.eval(n, False, e1), e2)
            case If(e1, e2, e3):
                match self.eval(n, False, e1):
                    case Bool(chosen):
                        return self.eval(n, uf, e2 if chosen else e3)
                raise _Stop(STUCK)
            case Assert(e1, e2):
                match self.eval(n, False, e1):
                    case Bool(True):
                        return self.eval(n, uf, e2)
                raise _Stop(STUCK)
            case With(e1, e2):
                scope = self.eval(n, False, e1)
                return self.eval(n, uf, substitute(e2, placeholders(scope.b)) if isinstance(scope, Attrs) else e2)
            case Op(op, e1, e2):
                applied = binop.apply(Operation(op, self.eval(n, False, e1), self.eval(n, False, e2)))
                if applied is None:
                    raise _Stop(STUCK)
                return self.eval(n, uf, applied[1])
            case HasAttr(d, x):
                v = self.eval(n, False, d)
                return Bool(isinstance(v, Attrs) and x in v.b)
        if is_value(e):
            return e
        raise _Stop(STUCK)  # a free name

    def attrs(self, n: int, e: Term) -> dict[str, Term]:
        v = self.eval(n, False, e)
        if not isinstance(v, Attrs):
            raise _Stop(STUCK)
        return dict(v.b)

    def apply(self, n: int, uf: bool, f: Term, argument: Term) -> Term:
        match f:
            case Fun(x, body):
                return self.eval(n, uf, substitute(body, {x: Closed(argument)}))
            case MatchFun(m, body):
                br = match_pattern(self.attrs(n, argument), m)
                if br is not None:
                    return self.eval(n, uf, Let(br, body))
            case Attrs(b) if "__functor" in b:
                return self.eval(n, uf, App(App(b["__functor"], f), argument))
        raise _Stop(STUCK)
