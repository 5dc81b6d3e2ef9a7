"""Everything that can be wrong with a SmartFrog program: one class per error.

`S001` to `S007` are the paper's err1 to err7, number for number (err3 can not be written, err6 is a gap in the paper's
own numbering). `S010` to `S019` are about characters and syntax, `S020` about includes, `S030` is a warning,
`S031` a note for `wherefrom explain --missing`.
Limits are the house's `LimitReached`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..base.diagnostics import WARNING, Diagnostic, Label
from ..base.source import Span
from ..base.spell import nearest


class SmartFrogError(Diagnostic):
    """Any error in a SmartFrog program."""


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
            Label(since, f"`{_short(parent)}` is {kind} since here") if since is not None else None,
        )


class NoSuchParent(SmartFrogError):
    """err2: a placement goes into a component that does not exist (yet)."""

    code = "S002"

    def __init__(self, parent: str, inside: str, at: Span, known: Iterable[str]) -> None:
        meant = nearest(parent.rpartition(":")[2], known)
        where = inside or "the top level"
        super().__init__(
            f"cannot place an attribute into `{_short(parent)}`: there is no such component in {where} yet",
            Label(at, "placements are not searched for outwards, and must come after what they change"),
            help=meant and f"did you mean `{meant}`?",
        )


class BadPrototype(SmartFrogError):
    """err4: a prototype that does not exist, or is not a component."""

    code = "S004"

    def __init__(
        self, name: str, at: Span, kind: str | None, since: Span | None = None, known: Iterable[str] = ()
    ) -> None:
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
                Label(since, f"`{_short(name)}` is {kind} since here") if since is not None else None,
            )


class LinkToNothing(SmartFrogError):
    """err5: a link whose target does not exist."""

    code = "S005"

    def __init__(self, name: str, at: Span, known: Iterable[str]) -> None:
        meant = nearest(name.rpartition(":")[2], known)
        super().__init__(
            f"link to nothing: `{_short(name)}` is not defined",
            Label(at, "not found in this component, nor further out, before this line"),
            help=f"did you mean `{meant}`?"
            if meant
            else 'a link sees only what stands before it; text is quoted: "..."',
        )


class NoConfiguration(SmartFrogError):
    """err7: `sfConfig` is missing or is not a component."""

    code = "S007"

    def __init__(self, at: Span, kind: str | None) -> None:
        if kind is None:
            super().__init__(
                "there is no `sfConfig`: nothing to compile",
                Label(at, "this file defines no top-level component `sfConfig`"),
                help="the result of a SmartFrog program is its component `sfConfig`",
            )
        else:
            super().__init__(f"`sfConfig` is {kind}, not a component", Label(at, "must be a component"))


# --- characters and syntax ------------------------------------------------------------------------------------------


class Unexpected(SmartFrogError):
    """Something else than the grammar wants here."""

    code = "S010"

    def __init__(self, token: str, expected: str, at: Span, help: str | None = None, behind: bool = False) -> None:
        label = f"expected {expected} after this" if behind else f"expected {expected}"
        super().__init__(f"expected {expected}, found {token}", Label(at, label), help=help)


class UnterminatedString(SmartFrogError):
    """A string that is still open at the end of its line."""

    code = "S011"

    def __init__(self, at: Span) -> None:
        super().__init__(
            "this string has no end", Label(at, 'no closing `"` on this line'), help="write a line break as `\\n`"
        )


class UnterminatedComment(SmartFrogError):
    """A `/*` without `*/`."""

    code = "S012"

    def __init__(self, at: Span) -> None:
        super().__init__("this comment has no end", Label(at, "no `*/` follows"))


class UnterminatedBlock(SmartFrogError):
    """A `{` or `[` without its partner."""

    code = "S013"

    def __init__(self, opened: Span, what: str, closer: str, end: Span) -> None:
        super().__init__(
            f"this {what} has no end", Label(opened, f"no `{closer}` belongs to it"), Label(end, "the file ends here")
        )


class BadEscape(SmartFrogError):
    """A backslash followed by something that means nothing, or by half of a character."""

    code = "S014"

    def __init__(self, escape: str | None, at: Span) -> None:
        super().__init__(
            f"unknown escape `{escape}` in a string"
            if escape
            else "a `\\u` escape in this string is half of a character",
            at,
            help="known escapes: \\\" \\\\ \\/ \\' \\b \\f \\n \\r \\t \\uXXXX; a backslash itself is `\\\\`",
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
            Label(at, "this include closes the circle"),
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
