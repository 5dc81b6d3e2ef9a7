"""What goes wrong while a manifest is evaluated.

Two kinds of trouble exist, as in Puppet. A *failure* (`FunctionFailure`, shared with the functions) has words but no
place: it is raised deep in a function, in the catalog or in the type system, and the innermost expression being
evaluated puts its own kind and place to it (`placed`). An `EvaluationError` has its place and passes through unchanged.

The words are Puppet's. `puppet_message` gives the whole line that Puppet prints, with place and node, for those who
compare the two; people get `message`, the place as a label and the source beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic, Label
from .codes import CATALOG, CODES, UNCLASSIFIED

if TYPE_CHECKING:
    from ...base.source import Span
    from .issues import PuppetError

EVALUATION = "Evaluation Error: "


class FunctionFailure(Diagnostic):
    """A function refused its arguments or could not do its work.

    `message` is what Puppet's function itself says. With the issue `RUNTIME_ERROR` (what Puppet makes of every error
    raised by a function) the evaluator puts "Error while evaluating a Function Call, " before it; with any other issue
    the message is complete. The evaluator also adds the place, if the failure has none. `kind` names the kind of error
    where Puppet has no issue for it; both have their codes in `wherefrom.puppet.kernel.codes`.
    """

    code: str = "P300"

    def __init__(
        self,
        message: str,
        *labels: Label | Span | None,
        issue: str = "RUNTIME_ERROR",
        kind: str | None = None,
        help: str | None = None,
    ) -> None:
        super().__init__(message, *labels, help=help)
        self.issue = issue
        self.kind = kind
        self.blame: Label | None = None  # a closer place than that of the expression that fails


class DataFailure(FunctionFailure):
    """A failure that carries data which a lambda may look at (`get` and `getvar` with a block)."""

    code = "P301"

    def __init__(self, message: str, kind: str, issue_code: str, details: Mapping[str, object]) -> None:
        super().__init__(message)
        self.kind = kind
        self.issue_code = issue_code
        self.details = details


class UnknownStage(FunctionFailure):
    """A class names a stage that is not there: an `ArgumentError` of Ruby, no error of Puppet's own."""


class EvaluationError(Diagnostic):
    """An error found while evaluating, at its place.  `issue` is Puppet's name for it, `kind` ours if it has none.

    `lead` is what Puppet prints before the message. `column` says whether Puppet knows the column (errors that come
    from its older parts have a line alone), `lineless` that it knows the file alone, `placeless` not even that: people
    get the place.
    Where people are shown a better place than the one that Puppet tells, `reported_at` is Puppet's.
    """

    code = UNCLASSIFIED
    lineless = False
    warnings: Sequence[Diagnostic] = ()
    """What was warned of in the code before this stopped an environment from being opened."""

    def __init__(
        self,
        message: str,
        at: Label | Span | None,
        *more: Label,
        issue: str | None = "RUNTIME_ERROR",
        lead: str = EVALUATION,
        column: bool = True,
        placeless: bool = False,
        kind: str | None = None,
        reported_at: Span | None = None,
        notes: Sequence[str] = (),
        help: str | None = None,
    ) -> None:
        super().__init__(message, at, *more, notes=notes, help=help)
        self.code = CODES.get(kind or issue or "", type(self).code)  # one class, many codes
        self.reported_at = reported_at
        self.issue = issue
        self.lead = lead
        self.column = column
        self.placeless = placeless
        self.nodeless = False
        """Whether Puppet stops before it can tell whose catalog it was compiling."""


class CatalogError(EvaluationError):
    """An error of the catalog as a whole, found after all code has run (dangling references, overrides of nothing)."""

    code = CATALOG


class CompilerFailed(CatalogError):
    """What fails inside of Puppet's compiler, while it evaluates defines and collectors, with no error of its own."""

    def __init__(self, cause: str, message: str, at: Label | Span | None, kind: str) -> None:
        words = f"Puppet::Parser::Compiler failed with error {cause}: {message}"
        super().__init__(words, at, issue=None, kind=kind, lead="", placeless=True)


class ParsingFailed(EvaluationError):
    """A file that could not be parsed or validated, as Puppet's compiler tells it.  `problems` are all its errors."""

    problems: Sequence[Diagnostic] = ()
    first: PuppetError | None = None


Failure = FunctionFailure
"""Words without a place; see the module's text."""


def too_large(number: int) -> Failure:
    """An integer from data or from Ruby that is handed to Puppet's older parts, which have no room for it."""
    from ...base.sprintf import hexadecimal

    end = "max" if number > 0 else "min"
    return Failure(f"Use of a Ruby Integer outside of Puppet Integer {end} range, got '{hexadecimal(number)}'")


def lead_of(problem: Diagnostic) -> str:
    """What Puppet prints before the message of `problem`."""
    if isinstance(problem, EvaluationError):
        return problem.lead
    return EVALUATION if problem.labels else ""  # what no expression was the place of is told without


def placed(failure: Diagnostic, kind: str, at: Span, arguments: Sequence[Span] = ()) -> Diagnostic:
    """`failure` with the place `at`, told as the failure of the `kind` of expression there ("Function Call").

    A failure that blames an argument by its index is put at that argument's place; one that was not written, but came
    out of an array or a splat, has none in Puppet.
    """
    if isinstance(failure, EvaluationError):
        return failure
    if not hasattr(failure, "issue"):
        if not failure.labels:
            failure.labels.append(Label(at))
        return failure
    issue = failure.issue
    blamed = getattr(failure, "argument", None) if arguments else None
    unwritten = blamed is not None and blamed >= len(arguments)
    if blamed is not None and not unwritten:
        at = arguments[blamed]
    message = failure.message
    if issue is None or issue == "RUNTIME_ERROR":
        issue = "RUNTIME_ERROR"
        message = f"Error while evaluating {a_an(kind)}, {message}"
    located = EvaluationError(
        message,
        getattr(failure, "blame", None) or at,
        *failure.labels,
        issue=issue,
        kind=getattr(failure, "kind", None),
        reported_at=at,
        placeless=unwritten,
        notes=failure.notes,
        help=failure.help,
    )
    if located.code == UNCLASSIFIED and type(failure) is not Failure:
        located.code = failure.code  # the failure's class says the kind
    return located


def of_catalog(failure: FunctionFailure) -> CatalogError:
    """A failure that is the place of no expression, as an error of the catalog; people get what it blames."""
    first = failure.blame or (failure.labels[0] if failure.labels else None)
    error = CatalogError(
        failure.message, first, issue=None, kind=failure.kind, lead="", placeless=True, help=failure.help
    )
    if error.code == CATALOG and type(failure) is not Failure:
        error.code = failure.code  # the failure's class says the kind
    return error


def a_an(label: str) -> str:
    """`label` with its article, as Puppet chooses it: quotes are skipped and `y` counts as a vowel."""
    letter = label[1:2] if label[:1] in "\"'" else label[:1]
    return f"{'an' if letter.lower() in 'aeiouy' else 'a'} {label}"


def a_an_uc(label: str) -> str:
    """As `a_an`, at the beginning of a sentence."""
    words = a_an(label)
    return words[0].upper() + words[1:]


def reported_place(problem: Diagnostic) -> Span | None:
    """The place that Puppet tells, if it tells any."""
    if getattr(problem, "placeless", False):
        return None
    return getattr(problem, "reported_at", None) or problem.span


def location(at: Span | None, column: bool = False) -> str:
    """`(file: F, line: L, column: C)`, as Puppet writes places into messages."""
    if at is None:
        return ""
    line, col = at.file.line_and_column(at.start)
    return f"(file: {at.file.name}, line: {line}, column: {col})" if column else f"(file: {at.file.name}, line: {line})"


def puppet_message(problem: Diagnostic, node: str) -> str:
    """The whole message as Puppet prints it."""
    text = lead_of(problem) + problem.message
    place = reported_place(problem)
    if place is not None and getattr(problem, "lineless", False):
        text += f" (file: {place.file.name.removeprefix('./')})"
    elif place is not None and not getattr(problem, "placeless", False):
        text += " " + location(place, getattr(problem, "column", True))
    return text if getattr(problem, "nodeless", False) else f"{text} on node {node}"
