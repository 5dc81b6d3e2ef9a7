"""How builtins register themselves.

A builtin is one Python function under `@builtin("name")`: it takes the machine and one *slot* for each argument, forces
what Nix forces, in Nix's order, and returns a slot (see `kernel.values`). Its docstring is its manual page: the
first line says what it does, and a line `nix> EXPRESSION` is an example whose result is on the next line. The manual is
generated from here, and every example is run by a test. No docstring, no registration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..kernel.values import Slot

Function = TypeVar("Function", bound=Callable[..., Slot])


class Entry:
    """One registered builtin.

    `forces` are the arguments (counted from 0) that it always forces, and forces before it could do anything else that
    can be observed: whoever calls it may compute them beforehand. `checks` are those whose type it insists on before it
    forces the next, in that order, each with the type. `looks` says that it looks at a function as a value and does not
    only call it. `repeats` are functions that it calls once for each element of something.
    """

    __slots__ = ("arity", "checks", "forces", "function", "looks", "name", "repeats")

    def __init__(
        self,
        name: str,
        arity: int,
        function: Callable[..., Slot],
        forces: tuple[int, ...] = (),
        checks: tuple[tuple[int, str], ...] = (),
        looks: bool = False,
        repeats: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self.arity = arity
        self.function = function
        self.forces = forces
        self.checks = checks
        self.looks = looks
        self.repeats = repeats

    @property
    def manual(self) -> str:
        """The builtin's manual page."""
        from inspect import cleandoc

        return cleandoc(self.function.__doc__ or "")

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments."""
        code: Any = self.function.__code__
        return tuple(code.co_varnames[1 : code.co_argcount])


REGISTRY: dict[str, Entry] = {}
"""Every builtin whose module is loaded, by name."""


def builtin(
    name: str,
    forces: tuple[int, ...] = (),
    checks: tuple[tuple[int, str], ...] = (),
    looks: bool = False,
    repeats: tuple[int, ...] = (),
) -> Callable[[Function], Function]:
    """Register the function below as the builtin `name`.  Its arity is its number of arguments after the machine.

    What is said of its arguments is explained at `Entry`; what is not said is that nothing is known.
    """

    def register(function: Function) -> Function:
        assert function.__doc__, f"builtin {name} has no manual page"
        arity = function.__code__.co_argcount - 1
        REGISTRY[name] = Entry(name, arity, function, forces, checks, looks, repeats)
        return function

    return register
