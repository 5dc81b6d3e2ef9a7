"""Names that decide what is declared, and those that are only words of the program.

`include ntp` names a class by a bare word: another word would be another program, and the papers give class names no
label. `include 'ntp'` and `include $role` name it by a value, and a value is an input. Then the names that no variable
of a program may have.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...provenance.origins import Items, Leaf, Origin, Step
from ..kernel.failures import Failure
from ..kernel.operations import ACCESS, CLASS_NAME

RESERVED = frozenset(("trusted", "facts", "server_facts"))
"""Variables that no code may set, in whatever scope."""


def is_word(origin: Origin) -> bool:
    """Whether a name is a bare word of the program, or a constant: what nobody can change without another program."""
    if isinstance(origin, Leaf):
        return origin.kind == "literal" and (origin.span is None or origin.span.text[:1] not in "'\"")
    return isinstance(origin, Step) and not origin.inputs


def is_program_text(origin: Origin) -> bool:
    """Whether a name, or every name in an array, is a bare word."""
    if isinstance(origin, Items):
        elements = origin.elements
        inside = elements.values() if isinstance(elements, Mapping) else elements
        return is_word(origin.own) and all(map(is_program_text, inside))
    if isinstance(origin, Step) and origin.inputs:  # `Class[a]`
        return origin.op in (ACCESS, CLASS_NAME) and all(map(is_program_text, origin.inputs))
    return is_word(origin)


def reserved(name: str) -> Failure:
    """What is said of a parameter or a local variable that has a reserved name."""
    words = f"Attempt to assign to a reserved variable name: '{name}'"
    return Failure(words, kind="ILLEGAL_RESERVED_ASSIGNMENT")
