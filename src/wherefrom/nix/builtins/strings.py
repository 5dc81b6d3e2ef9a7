"""Builtins on strings.  Strings are bytes: lengths and positions count bytes of UTF-8, and context is kept
(but not by `match` and `split`, as in Nix)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...base.regex import BadRegex, RegexTooHard, RegexTooLarge
from ...base.regex.posix import PosixRegex, as_bytes_text, compile_regex, from_bytes_text
from ..kernel.operators import check_list_size, check_string_size
from ..kernel.values import Slot, context_of, from_bytes, to_bytes, with_context
from .errors import InvalidRegex, NegativeStart, RegexMemory, UnequalReplacements
from .registry import builtin
from .support import CALL, coerce_to_string, need_index, need_list, need_plain_string, need_string, walk_list

if TYPE_CHECKING:
    from ..kernel.world import Machine


@builtin("toString", forces=(0,))
def to_string(machine: Machine, value: Slot) -> Slot:
    """Any value that has a text as a string: also numbers, `true` ("1"), `false` and `null` (""), lists and paths.

    A set needs `__toString` or `outPath`. Unlike `"${path}"` a path is not copied to the store.

    nix> toString [ 1 true "x" null ]
    "1 1 x "
    """
    context: set[str] = set()
    text = coerce_to_string(machine, value, context, more=True, copy=False)
    return with_context(text, context)


@builtin("stringLength", forces=(0,))
def string_length(machine: Machine, text: Slot) -> Slot:
    """The number of bytes of a string.

    nix> builtins.stringLength "wörd"
    5
    """
    value = coerce_to_string(machine, text, set())
    return len(value) if value.isascii() else len(to_bytes(value))


@builtin("substring", forces=(0, 1, 2), checks=((0, "int"), (1, "int"), (2, "str")))
def substring(machine: Machine, start: Slot, length: Slot, text: Slot) -> Slot:
    """The part of `text` from byte `start`, at most `length` long; a negative length means up to the end.

    nix> builtins.substring 1 3 "wherefrom"
    "her"
    """
    begin = need_index(start)
    size = need_index(length)
    context: set[str] = set()
    value = coerce_to_string(machine, text, context)
    if begin < 0:
        raise NegativeStart()
    end = None if size < 0 else begin + size
    part = value[begin:end] if value.isascii() else from_bytes(to_bytes(value)[begin:end])
    return with_context(part, context)


@builtin("concatStringsSep", forces=(1,), checks=((0, "str"), (1, "list")))
def concat_strings_sep(machine: Machine, separator: Slot, parts: Slot) -> Slot:
    """The strings of a list, joined with a separator between them.

    nix> builtins.concatStringsSep "/" [ "usr" "local" "bin" ]
    "usr/local/bin"
    """
    between = need_string(separator)
    context = set(context_of(between))
    pieces = [coerce_to_string(machine, part, context) for part in walk_list(parts, "joining strings")]
    check_string_size(sum(map(len, pieces)) + len(between) * len(pieces), "'concatStringsSep'")
    return with_context(between.join(pieces), context)


@builtin("replaceStrings", forces=(0, 1, 2), checks=((0, "list"), (1, "list"), (2, "str")))
def replace_strings(machine: Machine, old: Slot, new: Slot, text: Slot) -> Slot:
    """`text` with every string of the list `old` replaced by the one at the same place in `new`.

    At each position the first of `old` that fits is taken; what was put in is not looked at again.

    nix> builtins.replaceStrings [ "oo" "a" ] [ "a" "i" ] "foobar"
    "fabir"
    """
    sought_slots = need_list(old)
    given_slots = need_list(new)
    if len(sought_slots) != len(given_slots):
        raise UnequalReplacements()
    sought = [str(need_string(slot)) for slot in sought_slots]
    if machine.dialect.version >= (2, 16):  # a replacement that is not used is not looked at
        given: Sequence[str] = _Later(given_slots)
    else:
        given = [need_string(slot) for slot in given_slots]
    value = need_string(text)
    context = set(context_of(value))
    return with_context("".join(_replaced(str(value), sought, given, context)), context)


class _Later(Sequence[str]):
    """Strings that are computed when they are looked at."""

    def __init__(self, slots: list[Slot]) -> None:
        self.slots = slots

    def __len__(self) -> int:
        return len(self.slots)

    def __getitem__(self, index: Any) -> Any:
        return need_string(self.slots[index])


def _replaced(value: str, sought: list[str], given: Sequence[str], context: set[str]) -> list[str]:
    """The pieces of the result.  `context` gains those of the replacements that were used.

    The first place where anything fits is found by one regular search for all the texts at once: a choice of literal
    texts, tried in order, is just what is wanted. An empty text fits everywhere, between characters and at the end.
    """
    import re

    # Between bytes, not characters: an empty text splits the bytes of a character as Nix does.
    in_bytes = "" in sought
    if in_bytes:
        value = as_bytes_text(value)
        sought = [as_bytes_text(word) for word in sought[: sought.index("") + 1]]
    if not sought:
        return [value]
    first: dict[str, int] = {}
    for number, one in enumerate(sought):
        first.setdefault(one, number)
    pattern = re.compile("|".join(map(re.escape, sought)))
    pieces: list[str] = []
    at = 0
    budget = current()
    check_string_size(len(value), "'replaceStrings'")
    while at <= len(value) and (hit := pattern.search(value, at)) is not None:
        replacement = given[first[hit.group()]]
        context |= context_of(replacement)
        budget.draw("steps", 4, "replacing strings")
        budget.draw("characters", len(replacement), "replacing strings")
        pieces.append(value[at : hit.start()])
        pieces.append(as_bytes_text(str(replacement)) if in_bytes else str(replacement))
        at = hit.end()
        if hit.end() == hit.start():
            pieces.append(value[at : at + 1])
            at += 1
    pieces.append(value[at:])
    return [from_bytes_text("".join(pieces))] if in_bytes else pieces


# --- regular expressions --------------------------------------------------------------------------------------------


LONG_PATTERN = 1_000
"""Characters; a longer pattern is drawn from the budget each time that it is used."""


def _compiled(pattern: str) -> PosixRegex:
    if len(pattern) > LONG_PATTERN:
        current().draw("steps", len(pattern), "reading a regular expression")
    try:
        return compile_regex(as_bytes_text(pattern))
    except RegexTooLarge:
        raise RegexMemory(pattern) from None
    except BadRegex:
        raise InvalidRegex(pattern) from None


@builtin("match", forces=(0, 1), checks=((0, "str"), (1, "str")))
def match(machine: Machine, pattern: Slot, text: Slot) -> Slot:
    """The groups of a POSIX extended regular expression that matches the whole text; null if it does not match.

    A group that took no part is null.

    nix> builtins.match "([a-z]+)-([0-9.]+)" "nginx-1.22"
    [ "nginx" "1.22" ]
    """
    expression = need_plain_string(pattern)
    regex = _compiled(expression)
    value = str(need_string(text))
    try:
        groups = regex.fullmatch(as_bytes_text(value))
    except RegexTooHard:
        raise RegexMemory(expression) from None
    if groups is None:
        return None
    return [None if group is None else from_bytes_text(group) for group in groups]


@builtin("split", forces=(0, 1), checks=((0, "str"), (1, "str")))
def split(machine: Machine, pattern: Slot, text: Slot) -> Slot:
    """The text cut at every match of a POSIX extended regular expression.

    The result has the texts between matches and, between those, for each match the list of its groups. The parts have
    no store context (nor have the groups of `match`), unless nothing matched and the text comes back whole.

    nix> builtins.split "([ac])" "xaycz"
    [ "x" [ "a" ] "y" [ "c" ] "z" ]
    """
    expression = need_plain_string(pattern)
    regex = _compiled(expression)
    raw = as_bytes_text(str(need_string(text)))
    pieces: list[Slot] = []
    at = 0
    try:
        for start, end, groups in regex.matches(raw):
            pieces.append(from_bytes_text(raw[at:start]))
            pieces.append([None if group is None else from_bytes_text(group) for group in groups])
            check_list_size(CALL * (1 + len(groups)), "'split'")
            at = end
    except RegexTooHard:
        raise RegexMemory(expression) from None
    if not pieces:
        return [text]
    pieces.append(from_bytes_text(raw[at:]))
    return pieces
