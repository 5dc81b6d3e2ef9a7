"""The canonical text of a tree: what `nix-instantiate --parse` prints.

Everything is fully parenthesised and operators appear as Nix itself sees them (`a - b` is `(__sub a b)`). The
attributes of a set are sorted by name, dynamic ones last. The bindings of `let` and the formals of a pattern come in
the order they were written; Nix prints those in the order of its symbol table's addresses, which nobody can foretell.
"""

from __future__ import annotations

from .tree import (
    Assert,
    AttrSet,
    Binary,
    Call,
    CurrentPosition,
    Expr,
    FloatLiteral,
    HasAttr,
    If,
    Interpolation,
    IntLiteral,
    Lambda,
    Let,
    ListLiteral,
    Negate,
    Not,
    OldLet,
    PathInterpolation,
    PathLiteral,
    PathStep,
    PatternLambda,
    SearchPath,
    Select,
    StringLiteral,
    Variable,
    With,
)

_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "$": "\\$"})
_CALLED = {"-": "__sub", "*": "__mul", "/": "__div"}


def show(tree: Expr) -> str:
    """The text of an expression."""
    match tree:
        case IntLiteral(value):
            return str(value)
        case FloatLiteral(value):
            return f"{value:g}"
        case StringLiteral(value):
            return show_string(value)
        case PathLiteral(_, value):
            return value
        case SearchPath(text):
            return f"(__findFile __nixPath {show_string(text)})"
        case Interpolation(parts) | PathInterpolation(parts):
            return f"({' + '.join(map(show, parts))})"
        case Variable(name):
            return show_name(name)
        case CurrentPosition():
            return "__curPos"
        case AttrSet():
            return f"{'rec ' if tree.recursive else ''}{{ {_definitions(tree, True)}}}"
        case Let(bindings, body):
            return f"(let {_definitions(bindings, False)}in {show(body)})"
        case OldLet(bindings):
            return f"({show(bindings)}).body"
        case ListLiteral(elements):
            return f"[ {''.join(f'({show(element)}) ' for element in elements)}]"
        case Select(subject, steps, default):
            fallback = f" or ({show(default)})" if default is not None else ""
            return f"({show(subject)}).{show_path(steps)}{fallback}"
        case HasAttr(subject, steps):
            return f"(({show(subject)}) ? {show_path(steps)})"
        case Lambda(argument, body):
            return f"({show_name(argument)}: {show(body)})"
        case PatternLambda():
            return _pattern_lambda(tree)
        case Call(function, arguments):
            return f"({_function(function)}{''.join(' ' + show(argument) for argument in arguments)})"
        case If(test, yes, no):
            return f"(if {show(test)} then {show(yes)} else {show(no)})"
        case Assert(test, body):
            return f"assert {show(test)}; {show(body)}"
        case With(scope, body):
            return f"(with {show(scope)}; {show(body)})"
        case Binary():
            return _binary(tree)
        case Not(operand):
            return f"(! {show(operand)})"
        case Negate(operand):
            return f"(__sub 0 {show(operand)})"
        case _:
            raise TypeError(f"no such expression: {tree!r}")


def _binary(tree: Binary) -> str:
    left, right = show(tree.left), show(tree.right)
    match tree.operator:
        case "<":
            return f"(__lessThan {left} {right})"
        case ">":
            return f"(__lessThan {right} {left})"
        case "<=":
            return f"(! (__lessThan {right} {left}))"
        case ">=":
            return f"(! (__lessThan {left} {right}))"
        case operator if operator in _CALLED:
            return f"({_CALLED[operator]} {left} {right})"
        case operator:
            return f"({left} {operator} {right})"


def _function(function: Expr) -> str:
    """The function of a call.  An operator that is itself a call takes the further arguments into its own."""
    text = show(function)
    is_call = isinstance(function, Negate | SearchPath) or (
        isinstance(function, Binary) and (function.operator in _CALLED or function.operator in "<>")
    )
    return text[1:-1] if is_call else text


def _definitions(tree: AttrSet, in_order: bool) -> str:
    attributes = sorted(tree.attributes, key=lambda attribute: attribute.name) if in_order else tree.attributes
    gap = " " if in_order else ""  # Nix writes `inherit x ;` in a set but `inherit x;` in a `let`
    named = [
        f"inherit {show_name(attribute.name)}{gap}; "
        if attribute.inherited
        else f"{show_name(attribute.name)} = {show(attribute.value)}; "
        for attribute in attributes
    ]
    dynamic = [f'"${{{show(attribute.name)}}}" = {show(attribute.value)}; ' for attribute in tree.dynamic]
    return "".join(named + dynamic)


def _pattern_lambda(tree: PatternLambda) -> str:
    formals = [
        show_name(formal.name) + (f" ? {show(formal.default)}" if formal.default is not None else "")
        for formal in tree.formals
    ]
    if tree.ellipsis:
        formals.append("...")
    named = f" @ {tree.name}" if tree.name is not None else ""
    return f"({{ {', '.join(formals)} }}{named}: {show(tree.body)})"


def show_path(steps: tuple[PathStep, ...]) -> str:
    """An attribute path."""
    return ".".join(show_name(step) if isinstance(step, str) else f'"${{{show(step)}}}"' for step in steps)


def show_name(name: str) -> str:
    """A name as Nix prints it: in quotes if it is no identifier; of the keywords, `if` alone is quoted."""
    if name == "":
        return '""'
    plain = name.isascii() and name.replace("_", "a").replace("-", "0").replace("'", "0").isalnum()
    if plain and not (name[0].isdigit() or name[0] in "-'") and name != "if":
        return name
    return show_string(name)


def show_string(text: str) -> str:
    """A string literal."""
    return f'"{text.translate(_ESCAPES)}"'
