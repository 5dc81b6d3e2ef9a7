"""What can go wrong in the type system, in Puppet's words and with Puppet's issue codes.

A `TypeProblem` is a failure like that of a function: it has words but no place. The evaluator adds the place of the
expression it was evaluating, or that of the argument whose index is given, and, when the issue is `RUNTIME_ERROR`, the
words "Error while evaluating a ..., " in front.
"""

from __future__ import annotations

from .failures import FunctionFailure

RUNTIME_ERROR = "RUNTIME_ERROR"


class TypeProblem(FunctionFailure):
    """A type that is put together wrongly (`Integer['a']`, `Struct[1]`, ...)."""

    code: str = "P320"

    def __init__(self, message: str, issue: str = RUNTIME_ERROR, argument: int | None = None) -> None:
        super().__init__(message, issue=issue)
        # Which argument is to blame, or `None` for the whole expression.
        self.argument = argument


class TypeMismatchError(TypeProblem):
    """A value does not have the type it should have."""

    code = "P321"


class ConversionError(TypeProblem):
    """`new` cannot make an instance of a type from a value."""

    code = "P322"


class FormatProblem(TypeProblem):
    """A format directive that does not exist, or not for values of this type."""

    code = "P323"


class SignatureMismatch(TypeProblem):
    """A call whose arguments fit none of the function's signatures."""

    code = "P324"


class BadRegex(TypeProblem):
    """Text that is no regular expression, or one that cannot be carried over from Ruby's syntax to Python's."""

    code = "P325"


class AliasProblem(TypeProblem):
    """A type alias that never reaches a real type."""

    code = "P326"


class RubyFailure(TypeProblem):
    """An error of Ruby's own inside of Puppet's code: operators that explain what Puppet raises let it through."""

    code = "P327"
