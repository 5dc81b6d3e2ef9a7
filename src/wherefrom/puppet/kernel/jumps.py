"""What leaves code early: `next`, `return` and `break`.

They are no errors. A function raises one, and whoever it is meant for catches it: lambdas, functions and bodies of
classes in the compiled code, iterations in the functions that iterate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...provenance.origins import Guarded, Origin
from .values import Value

if TYPE_CHECKING:
    from ...base.source import Span
    from ...provenance.origins import Guard


class Jump(Exception):
    """A function that leaves its caller: not an error; the construct that it leaves catches it."""

    def __init__(self, value: Value, origin: Origin, span: Span | None) -> None:
        super().__init__()
        self.value = value
        self.origin = origin
        self.span = span

    @property
    def guard(self) -> Guard | None:
        """The tests that led to the jump."""
        return self.origin.guard if isinstance(self.origin, Guarded) else None


class Next(Jump):
    """`next(value)`: ends the innermost lambda with this value.  Caught where lambdas and functions are called."""


class Return(Jump):
    """`return(value)`: ends the innermost function, class or define.  Passes through lambdas."""


class Break(Jump):
    """`break()`: ends the innermost iteration.  Caught by the iterating functions here."""
