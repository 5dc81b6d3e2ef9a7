"""Everything that can be wrong with a SmartFrog program: one class per error.

`S001` to `S007` are the paper's err1 to err7, number for number (err3 can not be written, err6 is a gap in the paper's
own numbering). `S010` to `S019` are about characters and syntax, `S020` about includes, `S030` is a warning,
`S031` a note for `wherefrom explain --missing`.
Limits are the common `LimitReached`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..base.diagnostics import WARNING, Diagnostic, Label
from ..base.source import Span
from ..base.spell import nearest


class SmartFrogError(Diagnostic):
    """Any error in a SmartFrog program.

    `phase` is the phase of level production that found it, `kind` what the batch protocol calls it, where the class
    does not tell.
    """

    phase = ""
    kind = ""


def _short(name: str) -> str:
    """A name for a message, cut if it is absurdly long."""
    return name if len(name) <= 80 else name[:77] + "..."


# --- meaning (the paper's error numbers) ----------------------------------------------------------------------------


class ParentNotComponent(SmartFrogError):
    """err1: a placement goes into something that is not a component."""

    code = "S001"

    def __init__(self, parent: str, kind: str, at: Span, since: Span | None) -> None:
        super().__init__(
            f"cannot place an attribute into `{_short(parent)}`: it is {kind}, not a component",
            Label(at, f"`{_short(parent)}` must be a component here"),
            Label(since, f"`{_short(parent)}` was set to {kind} here") if since is not None else None,
        )


class NoSuchParent(SmartFrogError):
    """err2: a placement goes into a component that does not exist (yet)."""

    code = "S002"

    def __init__(self, parent: str, inside: str, at: Span, known: Iterable[str]) -> None:
        meant = nearest(parent.rpartition(":")[2], known)
        where = inside or "the top level"
        self.missed = parent.partition(":")[0]
        super().__init__(
            f"cannot place an attribute into `{_short(parent)}`: there is no such component in {where} yet",
            Label(at, "placements are not resolved in enclosing components, and must come after what they change"),
            help=meant and f"did you mean `{meant}`?",
        )


class BadPrototype(SmartFrogError):
    """err4: a prototype that does not exist, or is not a component."""

    code = "S004"

    def __init__(
        self, name: str, at: Span, kind: str | None, since: Span | None = None, known: Iterable[str] = ()
    ) -> None:
        self.missed = name.partition(":")[0] if kind is None else None
        if kind is None:
            meant = nearest(name.rpartition(":")[2], known)
            super().__init__(
                f"unknown prototype `{_short(name)}`",
                Label(at, "no component of this name is defined before this line"),
                help=meant and f"did you mean `{meant}`?",
            )
        else:
            super().__init__(
                f"`{_short(name)}` cannot be a prototype: it is {kind}, not a component",
                Label(at, "a prototype must be a component"),
                Label(since, f"`{_short(name)}` was set to {kind} here") if since is not None else None,
            )


class LinkToNothing(SmartFrogError):
    """err5: a link whose target does not exist."""

    code = "S005"

    def __init__(self, name: str, at: Span, known: Iterable[str], ahead: bool = False) -> None:
        meant = nearest(name.rpartition(":")[2], known)
        self.missed = name.partition(":")[0]
        place = "not found in this component or the ones around it" + ("" if ahead else ", before this line")
        sight = "" if ahead else "a link sees only what stands before it; "
        super().__init__(
            f"unresolved link: `{_short(name)}` is not defined",
            Label(at, place),
            help=f"did you mean `{meant}`?" if meant else f'{sight}a string is written in quotes: "..."',
        )


class LinkCycle(SmartFrogError):
    """A link that leads back to itself, or to a component that it stands in."""

    code = "S008"

    def __init__(
        self,
        name: str,
        at: Span,
        through: Sequence[Span] = (),
        inside: str | None = None,
        help: str | None = None,
    ) -> None:
        if inside is None:
            message = f"the link `{_short(name)}` leads back to itself"
            label = "following it from here leads back here"
        else:
            message = f"the link `{_short(name)}` leads to `{_short(inside)}`, which it is a part of"
            label = "the linked value would contain itself"
        links = [Label(span, "by this link") for span in through if span != at]
        super().__init__(message, Label(at, label), *links, help=help)


class NoConfiguration(SmartFrogError):
    """err7: `sfConfig` is missing or is not a component."""

    code = "S007"

    def __init__(self, at: Span, kind: str | None) -> None:
        self.lack = "missing" if kind is None else "not-a-component"
        if kind is None:
            super().__init__(
                "there is no `sfConfig`: nothing to compile",
                Label(at, "this file defines no top-level component `sfConfig`"),
                help="the result of a SmartFrog program is its component `sfConfig`",
            )
        else:
            super().__init__(f"`sfConfig` is {kind}, not a component", Label(at, "must be a component"))


# --- what level production adds -------------------------------------------------------------------------------------


class Unresolved(LinkToNothing):
    """A reference that leads nowhere at level production: S005 in other words."""

    def __init__(self, reference: str, part: str, at: Span, known: Iterable[str], why: str = "") -> None:
        meant = nearest(part, known)
        where = "" if reference == part else f" (in `{_short(reference)}`)"
        SmartFrogError.__init__(
            self,
            f"unresolved link: `{_short(part)}` does not exist{where}",
            Label(at, why or "not found"),
            help=f"did you mean `{meant}`?" if meant else None,
        )


class PrototypeCycle(SmartFrogError):
    """A component that is a prototype of itself, or of something inside of it."""

    code = "S009"

    def __init__(self, name: str, at: Span) -> None:
        super().__init__(
            f"`{_short(name)}` extends itself",
            Label(at, "this leads back to a component whose prototypes are being merged"),
        )


class FinalAttribute(SmartFrogError):
    """An attribute that is tagged `sfFinal` is given another value."""

    code = "S040"

    def __init__(self, name: str, at: Span, final: Span | None) -> None:
        super().__init__(
            f"`{_short(name)}` is final and cannot be overridden",
            Label(at, "overridden here"),
            Label(final, "tagged sfFinal here") if final is not None else None,
        )


class NothingToOverride(SmartFrogError):
    """An attribute that is tagged `sfOverride` and that no prototype has."""

    code = "S041"

    def __init__(self, name: str, at: Span, prototype: str, there: Span | None) -> None:
        super().__init__(
            f"`{_short(name)}` overrides nothing: `{_short(prototype)}` has no such attribute",
            Label(at, "tagged sfOverride here"),
            Label(there, "each item to the left must have it") if there is not None else None,
        )


class StillToBeDefined(SmartFrogError):
    """An attribute that is `TBD` to the end."""

    code = "S042"

    def __init__(self, name: str, at: Span) -> None:
        super().__init__(f"`{_short(name)}` is still to be defined", Label(at, "nothing overrides this TBD"))


class BadFunction(SmartFrogError):
    """A function that can not be computed from its arguments."""

    code = "S043"

    def __init__(
        self, function: str, reason: str, at: Span | None, *labels: Label | None, help: str | None = None
    ) -> None:
        super().__init__(
            f"{function}: {reason}", Label(at, "computed here") if at is not None else None, *labels, help=help
        )


class AssertionFailed(SmartFrogError):
    """An assertion or a schema that does not hold."""

    code = "S044"

    def __init__(self, reason: str, at: Span | None, *labels: Label | None) -> None:
        super().__init__(reason, Label(at, "required here") if at is not None else None, *labels)


class BadPhases(SmartFrogError):
    """A `phaseList` that is no list of names."""

    code = "S045"

    def __init__(self, at: Span) -> None:
        super().__init__('`phaseList` must be a literal vector of strings: `[|"type", "place"|]`', Label(at))


class NotPlaced(NoSuchParent):
    """A placement whose target is not there, or is no component, when nothing can be placed any more: also S002."""

    def __init__(self, text: str, at: Span, why: str, kind: str | None) -> None:
        if kind is not None:
            SmartFrogError.__init__(
                self, f"cannot place `{_short(text)}`", Label(at, f"its target is {kind}, not a component")
            )
        else:
            SmartFrogError.__init__(
                self,
                f"cannot place `{_short(text)}`: {why}",
                Label(at, "placements are not resolved in enclosing components"),
            )


# --- characters and syntax ------------------------------------------------------------------------------------------


class Unexpected(SmartFrogError):
    """Something else than the grammar wants here."""

    code = "S010"

    def __init__(self, token: str, expected: str, at: Span, help: str | None = None, behind: bool = False) -> None:
        self.expected = expected
        label = f"expected {expected} after this" if behind else f"expected {expected}"
        super().__init__(f"expected {expected}, found {token}", Label(at, label), help=help)


class UnterminatedString(SmartFrogError):
    """A string that is still open at the end of its line."""

    code = "S011"

    def __init__(self, at: Span) -> None:
        super().__init__(
            "unterminated string", Label(at, 'no closing `"` on this line'), help="write a line break as `\\n`"
        )


class UnterminatedComment(SmartFrogError):
    """A `/*` without `*/`."""

    code = "S012"

    def __init__(self, at: Span) -> None:
        super().__init__("unterminated comment", Label(at, "no `*/` follows"))


class UnterminatedBlock(SmartFrogError):
    """A `{` or `[` without its partner."""

    code = "S013"

    def __init__(self, opened: Span, what: str, closer: str, end: Span) -> None:
        super().__init__(
            f"this {what} is not closed", Label(opened, f"no matching `{closer}`"), Label(end, "the file ends here")
        )


class BadEscape(SmartFrogError):
    """A backslash followed by something that means nothing, or by half of a character."""

    code = "S014"

    def __init__(
        self, escape: str | None, at: Span, known: str = "\\\" \\\\ \\/ \\' \\b \\f \\n \\r \\t \\uXXXX"
    ) -> None:
        super().__init__(
            f"unknown escape `{escape}` in a string"
            if escape
            else "a `\\u` escape in this string is an unpaired surrogate",
            at,
            help=f"known escapes: {known}; a backslash itself is `\\\\`",
        )


class BadNumber(SmartFrogError):
    """Digits that do not make a number, or make one that is out of range."""

    code = "S015"

    def __init__(self, text: str, reason: str, at: Span) -> None:
        shown = text if len(text) <= 40 else text[:37] + "..."
        super().__init__(f"`{shown}` is not a number: {reason}", at)


class BadCharacter(SmartFrogError):
    """A character that has no place outside strings and comments."""

    code = "S016"

    def __init__(self, character: str, at: Span, help: str | None = None) -> None:
        shown = f"`{character}`" if character.isprintable() and character != "`" else f"U+{ord(character):04X}"
        super().__init__(f"unexpected character {shown}", at, help=help)


class ReservedName(SmartFrogError):
    """`true`, `false`, `NULL`, `DATA` or `extends` used as a name."""

    code = "S017"

    def __init__(self, name: str, at: Span) -> None:
        super().__init__(f"`{_short(name)}` is a reserved word and cannot be a name", at)


class IncludeCycle(SmartFrogError):
    """A file that includes itself, directly or through others."""

    code = "S020"

    def __init__(self, files: Sequence[str], at: Span) -> None:
        super().__init__(
            f"`{files[-1]}` includes itself",
            Label(at, "this include closes the cycle"),
            notes=["  includes  ".join(files)] if len(files) > 2 else (),
        )


# --- warnings -------------------------------------------------------------------------------------------------------


class OrderNotAsWritten(SmartFrogError):
    """Two attributes stand in another order than the one in which they are written (Anderson and Herry, section 10)."""

    code = "S030"
    severity = WARNING

    def __init__(self, first: str, second: str, component: str, at: Span, put: Span, by: str) -> None:
        super().__init__(
            f"in `{component}`, `{first}` is written before `{second}` but comes after it in the result",
            Label(at, f"written here, after `{first}`"),
            Label(put, f"`{by}` put `{second}` first, and overriding keeps that place"),
            help=f"where order matters, change it in `{by}`, or do not inherit these attributes",
        )


class NotThere(SmartFrogError):
    """Why a component has no attribute of some name: an answer, not an error."""

    code = "S031"
    severity = "note"
