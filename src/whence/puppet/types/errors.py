"""What can go wrong in the type system: one exception with Puppet's wording and issue code.

The evaluator knows the place: it catches a `TypeProblem` that has none and adds the span of the expression, or of the
argument whose index is given. Codes: P200 a type used wrongly, P201 a value of the wrong type, P202 a value that
cannot be converted, P203 a bad format, P204 a bad regular expression, P205 a call that fits no signature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...base.diagnostics import Diagnostic, Label

if TYPE_CHECKING:
    from ...base.source import Span


class TypeProblem(Diagnostic):
    """A type that is put together wrongly (`Integer['a']`, `Struct[1]`, ...)."""

    code: ClassVar[str] = "P200"

    def __init__(self, message: str, issue: str | None = None, argument: int | None = None) -> None:
        super().__init__(message)
        # Puppet's issue code, for `batch` and for the tests against real Puppet.
        self.issue = issue
        # Which argument is to blame, or `None` for the whole expression.
        self.argument = argument

    def at(self, span: Span | None) -> TypeProblem:
        """The same problem with a place, if it has none yet."""
        if span is not None and not self.labels:
            self.labels.append(Label(span))
        return self


class TypeMismatchError(TypeProblem):
    """A value, or the arguments of a call, do not have the type they should have."""

    code = "P201"


class ConversionError(TypeProblem):
    """`new` cannot make an instance of a type from a value."""

    code = "P202"


class FormatProblem(TypeProblem):
    """A format directive that does not exist, or not for values of this type."""

    code = "P203"


class SignatureMismatch(TypeProblem):
    """A call whose arguments fit none of the function's signatures."""

    code = "P205"
