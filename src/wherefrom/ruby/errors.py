"""What can go wrong in Ruby code, and the jumps that Ruby code makes on purpose.

`RubyError` is a Ruby exception on its way: Ruby code can rescue it. The diagnostics (`RubySyntaxError`, `NotSupported`,
`RubyRefused`, and the common `LimitReached`) are ours: no `rescue` catches them. `Jump`s are `break`, `next`, `return`
and `throw`; they never leave the interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.diagnostics import Diagnostic, Refused, WherefromError

if TYPE_CHECKING:
    from ..base.source import Span
    from .values import Exception_


class RubyError(WherefromError):
    """A Ruby exception that nobody has rescued so far.

    `exception` is the value; `span` the innermost place in a source file, `places` all of them, innermost first.
    """

    def __init__(self, exception: Exception_) -> None:
        super().__init__()
        self.exception = exception
        self.places: list[Span] = []
        self.crossed = True
        """Whether the next place belongs to a method that the list does not name yet."""

    def passes(self, span: Span) -> None:
        """The exception passes a call at `span`; the first one in each method is remembered."""
        if self.crossed:
            self.places.append(span)
            self.crossed = False

    @property
    def class_name(self) -> str:
        """The name of the exception's class, `ArgumentError`."""
        return self.exception.cls.name or "Class"

    @property
    def message(self) -> str:
        """The exception's message as text."""
        from .values import Text

        message = self.exception.message
        if message is None:
            return self.class_name
        return message.value if type(message) is Text else str(message)

    @property
    def span(self) -> Span | None:
        """The innermost place."""
        return self.places[0] if self.places else None

    def is_a(self, name: str) -> bool:
        """Whether the exception is of the class of that name or of one below it."""
        return any(module.name == name for module in self.exception.cls.line())

    def __str__(self) -> str:
        where = f"{self.span.place}: " if self.span is not None else ""
        return f"{where}{self.message} ({self.class_name})"


class RubySyntaxError(Diagnostic):
    """Text that is not Ruby."""

    code = "R001"


class NotSupported(Diagnostic):
    """Ruby that wherefrom's closed part of the language does not have."""

    code = "R002"


class RubyRefused(Refused):
    """Ruby that would reach out of the run: programs, network, files, evaluation of text."""

    code = "R003"


class Jump(Exception):
    """A jump that Ruby code makes; `value` goes with it."""

    def __init__(self, target: Any, value: Any) -> None:
        super().__init__()
        self.target = target
        self.value = value


class BreakJump(Jump):
    """`break`: ends the call that the block was given to."""


class NextJump(Jump):
    """`next`: ends this round of the block."""


class ReturnJump(Jump):
    """`return`: ends the method whose frame is `target`."""


class ThrowJump(Jump):
    """`throw tag, value`."""
