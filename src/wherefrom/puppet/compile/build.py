"""The table of builders, one for each class of the tree, and the entry points of the compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ...provenance.origins import Origin, Step
from ..kernel.operations import NO_VALUE
from ..runtime.definitions import ParameterCode
from ..runtime.library import Code
from ..syntax import tree

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from ..runtime.library import Library
    from ..runtime.scope import Frame

Builder: TypeAlias = "Callable[[Any, Library, bool], Code]"

_BUILDERS: dict[type[tree.Node], Builder] = {}

MAX_FIXED = 30
"""How deep a type that is made only once may be nested; every level looks at those below."""

NOTHING: tuple[None, Origin] = (None, Step(NO_VALUE, ()))
"""What a statement without a value gives."""


def builds(*classes: type[tree.Node]) -> Callable[[Builder], Builder]:
    """Register the builder of some classes of the tree."""

    def register(builder: Builder) -> Builder:
        for kind in classes:
            _BUILDERS[kind] = builder
        return builder

    return register


def build(node: tree.Node, environment: Library, wanted: bool = True) -> Code:
    """The code of a node.  `wanted` is false if nobody looks at the value, so that it need not be made."""
    code = _BUILDERS[type(node)](node, environment, wanted)
    if not environment.observes(node.file.name) or isinstance(node, tree.Interpolation):
        return code  # it is the expression in it, which tells what it gave: `$x` in a text would have run twice
    return observed(node, code, wanted)


def observed(node: tree.Node, code: Code, wanted: bool) -> Code:
    """The same code, which also tells its run what it gave (`wherefrom.provenance.observed`)."""
    place = (node.file.name, node.start, node.end)
    target = node.left if isinstance(node, tree.Assignment) and isinstance(node.left, tree.Variable) else None

    def observed_code(frame: Frame) -> Traced:
        traced = code(frame)
        seen = frame.run.observed
        if seen is not None:
            seen.note(place, traced if wanted else None, frame.base)
            if target is not None:
                seen.note((place[0], target.start, target.end), traced, frame.base)
        return traced

    return observed_code


def observed_body(parameters: Sequence[tree.Parameter], body: Code) -> Code:
    """The code of a body, which first tells its run what its parameters are."""
    places = [
        (parameter.name, (parameter.file.name, parameter.variable_at, parameter.variable_at + 1 + len(parameter.name)))
        for parameter in parameters
    ]

    def observed_code(frame: Frame) -> Traced:
        seen = frame.run.observed
        if seen is not None:
            for name, place in places:
                seen.note(place, frame.vars.get(name), frame.base)
        return body(frame)

    return observed_code if places else body


def compile_parameters(parameters: Sequence[tree.Parameter], environment: Library) -> list[ParameterCode]:
    """The code of a list of parameters: of a class, define, function, lambda or template."""
    codes = []
    for parameter in parameters:
        default = None if parameter.default is None else build(parameter.default, environment)
        type_code = None if parameter.type is None else build(parameter.type, environment)
        default_span = None if parameter.default is None else parameter.default.span
        fixed = parameter.type is None or is_fixed(parameter.type)
        codes.append(
            ParameterCode(
                parameter.name, default, type_code, parameter.captures_rest, parameter.at, default_span, fixed
            )
        )
    return codes


def is_fixed_type(node: tree.Expression, levels: int = MAX_FIXED) -> bool:
    """Whether an expression is the same type in every run: one with arguments that are fixed themselves."""
    return (
        levels > 0
        and isinstance(node, tree.Access)
        and isinstance(node.target, tree.TypeName)
        and all(is_fixed(argument, levels) for argument in node.keys)
    )


def is_fixed(node: tree.Expression, levels: int = MAX_FIXED) -> bool:
    """Whether an expression is the same in every run: a type name, a literal, a type with such arguments."""
    if isinstance(node, tree.Literal):
        return not isinstance(node, tree.ReservedWord)
    return is_fixed_type(node, levels - 1)


def unfold(node: tree.Expression) -> tree.Expression:
    """The expression inside of parentheses."""
    while isinstance(node, tree.Parenthesized):
        node = node.inner
    return node
