"""What can go wrong in Nix: one class per error, with stable codes `N0xx`.

Syntax and static errors know their place when they are raised. Run-time errors are raised where they are found, often
in a builtin that knows no place; the generated code that called it passes them its own span through `NixError.at`,
which keeps the first (innermost) place as the place of the error and further ones as the story of how it was reached.

`CATCHABLE` are the errors that `builtins.tryEval` turns into a value: `throw` and failed assertions, no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic, Label, Refused
from ...base.spell import nearest

if TYPE_CHECKING:
    from ...base.source import Span


class NixError(Diagnostic):
    """Any error in a Nix program."""

    code = "N000"
    because: Sequence[Any] = ()
    """With recording on: the slots that had been looked at where the error came by (see `trace.failures`)."""

    def blame(self, *slots: object) -> None:
        """Note what had been looked at when the error came by."""
        if not isinstance(self.because, list):
            self.because = []
        self.because.extend(slots)

    def at(self, span: Span | None, text: str = "") -> NixError:
        """Give the error a place if it has none yet."""
        if span is not None and not self.labels:
            self.labels.append(Label(span, text))
        return self


class RefusedInNix(Refused, NixError):
    """Something that evaluating a program must not do: build, reach the network.

    What needs it has no value; the rest of the configuration has.
    """


# --- syntax and static errors ---------------------------------------------------------------------------------------


class SyntaxProblem(NixError):
    """The text is not Nix."""

    code = "N001"

    def __init__(self, message: str, span: Span, label: str = "", help: str | None = None) -> None:
        super().__init__(f"syntax error, {message}", Label(span, label), help=help)


class AlreadyDefined(NixError):
    """An attribute or variable is defined twice in one set."""

    code = "N002"

    def __init__(self, path: str, again: Span, first: Span | None) -> None:
        labels = [Label(again, "defined again here")]
        if first is not None:
            labels.append(Label(first, "already defined here"))
        super().__init__(f"attribute '{path}' already defined", *labels)


class DuplicateFormal(NixError):
    """A function's pattern names an argument twice."""

    code = "N003"

    def __init__(self, name: str, at: Span, first: Span | None = None) -> None:
        super().__init__(
            f"duplicate formal function argument '{name}'",
            Label(at, "named again here"),
            *([Label(first, "first named here")] if first is not None else []),
        )


class DynamicNotAllowed(NixError):
    """`${...}` as a name where Nix wants a fixed one."""

    code = "N004"

    def __init__(self, where: str, at: Span) -> None:
        super().__init__(f"dynamic attributes not allowed in {where}", Label(at))


class UndefinedVariable(NixError):
    """A name that no enclosing scope binds."""

    code = "N010"

    def __init__(self, name: str, at: Span | None, known: Iterable[str] = ()) -> None:
        close = nearest(name, known)
        super().__init__(
            f"undefined variable '{name}'",
            at and Label(at, "not bound in any enclosing scope"),
            help=close and f"did you mean '{close}'?",
        )
        self.name = name


# --- run-time errors ------------------------------------------------------------------------------------------------


class TypeMismatch(NixError):
    """A value is not of the type that is needed."""

    code = "N020"

    def __init__(self, actual: str, expected: str, span: Span | None = None) -> None:
        super().__init__(f"value is {actual} while {expected} was expected", span)


class CannotCoerce(NixError):
    """A value can not be made a string."""

    code = "N021"

    def __init__(self, actual: str, to: str = "a string", span: Span | None = None) -> None:
        super().__init__(f"cannot coerce {actual} to {to}", span)


class AttributeMissing(NixError):
    """A set has no such attribute."""

    code = "N022"

    def __init__(self, name: str, known: Iterable[str] = (), span: Span | None = None) -> None:
        close = nearest(name, known)
        super().__init__(f"attribute '{name}' missing", span, help=close and f"did you mean '{close}'?")
        self.name = name


class NotCallable(NixError):
    """Something that is not a function was called."""

    code = "N023"

    def __init__(self, actual: str, span: Span | None = None) -> None:
        super().__init__(f"attempt to call something which is not a function but {actual}", span)


class MissingArgument(NixError):
    """A function was called without an argument that has no default."""

    code = "N024"

    def __init__(self, function: str, name: str, span: Span | None = None, pattern: Span | None = None) -> None:
        super().__init__(
            f"{function} called without required argument '{name}'",
            span,
            pattern and Label(pattern, "the function"),
        )


class UnexpectedArgument(NixError):
    """A function was called with an argument that it does not know."""

    code = "N025"

    def __init__(
        self,
        function: str,
        name: str,
        known: Iterable[str] = (),
        span: Span | None = None,
        pattern: Span | None = None,
    ) -> None:
        close = nearest(name, known)
        super().__init__(
            f"{function} called with unexpected argument '{name}'",
            span,
            pattern and Label(pattern, "the function"),
            help=close and f"did you mean '{close}'?",
        )


class IntegerOverflow(NixError):
    """A number that 64 bits do not hold (since Nix 2.25)."""

    code = "N029"

    def __init__(self, span: Span | None = None) -> None:
        super().__init__("integer overflow", span)


class DivisionByZero(NixError):
    """Integer division by zero."""

    code = "N026"

    def __init__(self, span: Span | None = None) -> None:
        super().__init__("division by zero", span)


class CannotCompare(NixError):
    """`<` between values that have no order."""

    code = "N027"

    def __init__(self, left: str, right: str, span: Span | None = None) -> None:
        super().__init__(f"cannot compare {left} with {right}", span)


class CannotAdd(NixError):
    """`+` between values that can not be added."""

    code = "N028"

    def __init__(self, right: str, left: str, span: Span | None = None) -> None:
        super().__init__(f"cannot add {right} to {left}", span)


class InfiniteRecursion(NixError):
    """A value needs itself.  While the error travels outwards it notes the thunks it passes: they are the cycle."""

    code = "N030"

    def __init__(self) -> None:
        super().__init__("infinite recursion encountered")
        self.cycle: list[tuple[Callable[..., Any], object]] = []

    def passed_through(self, code: Callable[..., Any], given: object) -> None:
        """Note that the error passes a thunk with this code, which it gives this (`machine` finds the places)."""
        if len(self.cycle) < 100:
            self.cycle.append((code, given))


class Thrown(NixError):
    """`builtins.throw`, and a search path entry that is not found.  `tryEval` catches it."""

    code = "N031"


class AssertionFailed(NixError):
    """`assert` found false.  `tryEval` catches it."""

    code = "N032"

    def __init__(self, condition: str, span: Span | None = None) -> None:
        super().__init__(f"assertion '{condition}' failed", span)


class Aborted(NixError):
    """`builtins.abort`."""

    code = "N033"

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(f"evaluation aborted with the following error message: '{message}'", span)


class CannotConvert(NixError):
    """A value that has no form in JSON."""

    code = "N106"

    def __init__(self, actual: str, to: str) -> None:
        super().__init__(f"cannot convert {actual} to {to}")


class PathProblem(NixError):
    """A path that can not be: not absolute, missing, or refers to the store."""

    code = "N042"


class WrongSelection(NixError):
    """A path of `-A` goes on where it can not."""

    code = "N070"

    def __init__(self, path: str, wanted: str, actual: str) -> None:
        super().__init__(f"the expression selected by the selection path '{path}' should be {wanted} but is {actual}")


class NothingSelected(NixError):
    """A path of `-A` leads nowhere."""

    code = "N071"

    def __init__(self, message: str, near: str | None = None) -> None:
        super().__init__(message, help=f"did you mean '{near}'?" if near else None)


class NothingHere(NixError):
    """A place that made a set what it is: why an attribute is not in it."""

    code = "N050"
    severity = "note"

    def __init__(self, words: str, span: Span) -> None:
        super().__init__(words, span)


CATCHABLE = (Thrown, AssertionFailed)
