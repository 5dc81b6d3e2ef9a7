"""Finding the module system in a program: which functions merge definitions, and what they were called with.

The module system of Nix is not part of the language but a library (nixpkgs' `lib`, "evalModules"), of which many
versions are about.  Two of its functions have kept their shape through all of them, and through the copies that other
projects carry:

    mergeDefinitions = loc: type: defs: rec { ... mergedValue = ...; isDefined = ...; optionalValue = ...; };
    evalOptionValue = loc: opt: defs: let ... in opt // { value, isDefined, definitions, files = ...; };

`merging_kind` knows the bodies of such functions, whatever they are called.  The recording code of such a body
is wrapped in a call of `watched`, which appends one `Merge` to the machine's list: the path, the type or option, the
definitions (still in their wrappers) and the set that came out.  That is all that happens while the program runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.values import Slot
    from ..syntax.tree import AttrSet, Expr
    from .cells import Cell

HINT = "optionalValue"
"""A text without this word has no function to watch."""

MERGE, OPTION = "merge", "option"

_MERGED = frozenset({"mergedValue", "optionalValue"})
_OPTION = frozenset({"value", "isDefined", "definitions", "files"})


class Watch(NamedTuple):
    """A function to watch: which of the two it is, the names of its three arguments, and its body's place."""

    kind: str
    arguments: tuple[str, str, str]
    span: Span


class Merge(NamedTuple):
    """One call of a watched function."""

    watch: Watch
    loc: Slot
    about: Slot
    """The type (`MERGE`) or the option as declared (`OPTION`)."""
    definitions: Slot
    result: Cell


def merging_kind(body: Expr) -> str | None:
    """Which of the two functions this is the body of, if of either."""
    from ..syntax.tree import AttrSet, Binary, Let  # a program that was compiled before needs no trees

    while isinstance(body, Let):
        body = body.body
    if isinstance(body, AttrSet) and body.recursive and _names(body) >= _MERGED:
        return MERGE
    if isinstance(body, Binary) and body.operator == "//" and isinstance(body.right, AttrSet):
        if _names(body.right) >= _OPTION:
            return OPTION
    return None


def _names(node: AttrSet) -> set[str]:
    return {attribute.name for attribute in node.attributes}


def watched(merges: list[Merge], watch: Watch, loc: Slot, about: Slot, definitions: Slot, result: Cell) -> Cell:
    """Note a call of a watched function; for generated code."""
    merges.append(Merge(watch, loc, about, definitions, result))
    return result
