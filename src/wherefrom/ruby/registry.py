"""What the files of methods and libraries add to, and what an interpreter takes from: constants and tables.

The interpreter does not know who fills them (`builtins` does), so that methods can know the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable

from .values import Method, Module, Value


class Core:
    """Ruby's own constants and method tables, once they are loaded."""

    __slots__ = ("constants", "tables")

    constants: Callable[[], dict[str, Value]]
    tables: Callable[[], dict[type, dict[str, Method]]]


CORE = Core()


class PerRun:
    """A library that Ruby code may change (people patch it): every run makes its own when it first names it."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Module]) -> None:
        self.make = make


LIBRARY_CONSTANTS: dict[str, Value] = {}
"""Constants that the files of methods and libraries add: filled while they are loaded, never after."""


def library_module(name: str) -> Module:
    """A module of Ruby itself that only has methods of its own, as `JSON`."""
    module = Module(name, frozen=True)
    LIBRARY_CONSTANTS[name] = module
    return module
