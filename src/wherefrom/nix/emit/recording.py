"""Recording programs in an evaluation: the constants that recording code uses, made from their recipes.

Apart from the code generator (`traced`), so that a program that comes from the cache does not need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.source import Span
from ..kernel.runtime import NAMES
from ..kernel.values import NixPath
from ..trace.cells import TRACED_NAMES, How, literal_cell
from ..trace.merges import Watch, watched
from .program import MAKERS, Image, Maker, Program, Recipe

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ..kernel.world import Machine


def _how(image: Image, recipe: Recipe) -> How:
    _, kind, op, start, end, words, unused = recipe
    span = Span(image.source, start, end)
    if unused is None:
        return How(kind, op, span, words)
    text, begin, stop = unused
    return How(kind, op, span, words, (text, Span(image.source, begin, stop)))


def _held(image: Image, recipe: Recipe) -> tuple[object, ...]:
    _, inner, transfer = recipe
    cell = TRACED_MAKERS[inner[0]](image, inner)
    return (cell[0], _how(image, transfer), cell)


def _literal(image: Image, recipe: Recipe) -> tuple[object, ...]:
    _, value, start, end = recipe
    return literal_cell(value, Span(image.source, start, end))


TRACED_MAKERS: dict[str, Maker] = {
    **MAKERS,
    "how": _how,
    "held": _held,
    "selection": lambda image, recipe: How("select", recipe[1], None),
    "literal": _literal,
    "watch": lambda image, recipe: Watch(recipe[1], recipe[2], Span(image.source, recipe[3], recipe[4])),
    "path literal": lambda image, recipe: literal_cell(
        NixPath(image.absolute(recipe[1])), Span(image.source, recipe[2], recipe[3])
    ),
    "own": lambda image, recipe: (recipe[1], How("constant", "", Span(image.source, recipe[2], recipe[3]))),
    "thunk": lambda image, recipe: image.machine.builtin_cell(recipe[1]),
}

_TRACED_NAMES = {**NAMES, **TRACED_NAMES, "watched": watched}


def image(program: Program, machine: Machine, source: SourceFile, directory: str) -> Image:
    """A recording program in an evaluation."""
    return Image(program, machine, source, directory, _TRACED_NAMES, TRACED_MAKERS)
