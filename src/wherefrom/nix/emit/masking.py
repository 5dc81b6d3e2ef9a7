"""Masked programs in an evaluation: what their constants are made of, and the names that their code sees.

Apart from the code generator (`masked`), so that a program that comes from the cache does not need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernel.runtime import NAMES
from ..kernel.values import NixPath, delay
from .program import MAKERS, Image, Maker, Program, Recipe

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ..kernel.running import Masks
    from ..kernel.values import Thunk
    from ..kernel.world import Machine


def _masks(image: Image) -> Masks:
    masks = image.machine.masks
    assert masks is not None
    return masks


def _literal(image: Image, recipe: Recipe) -> Thunk:
    _, value, start, end = recipe
    return delay(None, value, _masks(image).bit("literal", "", image.source, start, end, value))


def _path_literal(image: Image, recipe: Recipe) -> Thunk:
    _, text, start, end = recipe
    text = image.absolute(text)
    return delay(None, NixPath(text), _masks(image).bit("literal", "", image.source, start, end, text))


def _part(image: Image, recipe: Recipe) -> int:
    _, kind, name, start, end = recipe
    return _masks(image).bit(kind, name, image.source, start, end)


MASKED_MAKERS: dict[str, Maker] = {**MAKERS, "literal": _literal, "path literal": _path_literal, "part": _part}


def image(program: Program, machine: Machine, source: SourceFile, directory: str) -> Image:
    """A masked program in an evaluation."""
    assert machine.masks is not None
    return Image(program, machine, source, directory, {**NAMES, **machine.masks.names}, MASKED_MAKERS)
