"""Names at compile time: what a variable in the text refers to.

Nix's scoping is lexical: the innermost function argument, `let` or `rec` that binds a name wins, then the language's
own globals. Only if none binds it do the enclosing `with`s count, innermost first, and those are asked when the
program runs. A name that nothing binds, outside every `with`, is an error before anything runs, wherever in the file
it stands: `check_names` walks the whole tree for that. (Whoever writes code for a file finds out by the way whether
there is such a name, and asks only then.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kernel.errors import UndefinedVariable
from ..kernel.names import global_names, is_global
from ..kernel.versions import OLD, Dialect
from .tree import (
    Assert,
    AttrSet,
    Binary,
    Call,
    Expr,
    HasAttr,
    If,
    Interpolation,
    Lambda,
    Let,
    ListLiteral,
    Negate,
    Not,
    OldLet,
    PathInterpolation,
    PatternLambda,
    Select,
    Variable,
    With,
)


class Names:
    """A chain of name sets, for checking alone; `dynamic` if a `with` encloses."""

    __slots__ = ("bound", "dynamic", "parent")

    def __init__(self, bound: frozenset[str], parent: Names | None, dynamic: bool) -> None:
        self.bound = bound
        self.parent = parent
        self.dynamic = dynamic

    def inside(self, bound: Iterable[str]) -> Names:
        """The names seen inside a construct that binds more."""
        return Names(frozenset(bound), self, self.dynamic)

    def has(self, name: str) -> bool:
        """Whether some enclosing construct binds `name`."""
        here: Names | None = self
        while here is not None:
            if name in here.bound:
                return True
            here = here.parent
        return False

    def all(self) -> Iterator[str]:
        """Every name that is bound."""
        here: Names | None = self
        while here is not None:
            yield from here.bound
            here = here.parent
        yield from global_names()


def check_names(tree: Expr, outside: Iterable[str] = (), dialect: Dialect = OLD) -> Iterator[UndefinedVariable]:
    """Every variable that nothing binds.  `outside` are names that the caller binds."""
    stack: list[tuple[Expr, Names]] = [(tree, Names(frozenset(outside), None, False))]
    while stack:
        node, names = stack.pop()
        match node:
            case Variable(name):
                if not (names.dynamic or names.has(name) or is_global(name, dialect)):
                    yield UndefinedVariable(name, node.span, names.all())
            case Lambda(argument, body):
                stack.append((body, names.inside((argument,))))
            case PatternLambda():
                bound = {formal.name for formal in node.formals}
                if node.name is not None:
                    bound.add(node.name)
                inside = names.inside(bound)
                stack.append((node.body, inside))
                stack.extend((formal.default, inside) for formal in node.formals if formal.default is not None)
            case AttrSet():
                _check_set(node, names, stack)
            case Let(bindings, body):
                stack.append((body, _check_set(bindings, names, stack)))
            case OldLet(bindings):
                _check_set(bindings, names, stack)
            case With(scope, body):
                stack.append((scope, names))
                stack.append((body, Names(frozenset(), names, True)))
            case _:
                stack.extend((child, names) for child in children(node))


def _check_set(tree: AttrSet, names: Names, stack: list[tuple[Expr, Names]]) -> Names:
    inside = names.inside(attribute.name for attribute in tree.attributes) if tree.recursive else names
    for attribute in tree.attributes:
        stack.append((attribute.value, names if attribute.inherited else inside))
    for dynamic in tree.dynamic:
        stack.append((dynamic.name, inside))
        stack.append((dynamic.value, inside))
    return inside


def children(node: Expr) -> Iterator[Expr]:
    """The expressions directly inside `node`, for the forms that bind no names."""
    match node:
        case Interpolation(parts) | PathInterpolation(parts) | ListLiteral(parts):
            yield from parts
        case Select(subject, steps, default):
            yield subject
            yield from (step for step in steps if not isinstance(step, str))
            if default is not None:
                yield default
        case HasAttr(subject, steps):
            yield subject
            yield from (step for step in steps if not isinstance(step, str))
        case Call(function, arguments):
            yield function
            yield from arguments
        case If(test, yes, no):
            yield test
            yield yes
            yield no
        case Assert(test, body):
            yield test
            yield body
        case Binary(_, left, right):
            yield left
            yield right
        case Not(operand) | Negate(operand):
            yield operand
