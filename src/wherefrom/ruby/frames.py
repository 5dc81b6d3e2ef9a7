"""What a running method knows.

A frame is a Python list, so that a local variable is one look by number:

    [interpreter, self, block given to the method, `Activation`, frame of the enclosing block, local, ..., origins]

`SELF`, `BLOCK`, ... name the first places; `parser.HEAD` is the first local. The last place is for the origins of the
locals, where a program is tracked (`tracked`); nothing otherwise.
"""

from __future__ import annotations

from typing import Any

from .values import Method, Module, Value, Visibility

INTERPRETER, SELF, BLOCK, ACTIVATION, PARENT = range(5)
Frame = list[Any]


class Activation:
    """One run of a method or file body: what its blocks share with it.

    `nesting` are the modules round the text, innermost first: where constants are looked for. `definee` is where `def`
    puts methods; with `of_self` (in `instance_exec`), it makes them methods of `self` alone. `match` is `$~`.
    """

    __slots__ = ("arguments", "definee", "match", "method", "module_function", "nesting", "of_self", "visibility")

    def __init__(
        self,
        method: Method | None,
        arguments: list[Value] | None,
        nesting: tuple[Module, ...],
        definee: Module | None,
    ) -> None:
        self.method = method
        self.arguments = arguments
        self.nesting = nesting
        self.definee = definee
        self.match: Value = None
        self.visibility = Visibility.PUBLIC
        self.module_function = False
        self.of_self = False
