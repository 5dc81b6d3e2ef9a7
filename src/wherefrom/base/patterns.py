"""Regular expressions with possessive repeats, right on every Python that we run on.

Our lexers repeat possessively (`(?:...)*+`), so that the time of a match is linear in the text. Python has that since
3.11, but before 3.11.5 a possessive repeat whose body can match in several ways matches too little (CPython issue
106052): of `16` the expression `-?[0-9](?:[.]|(?<=e)[+]|[0-9])*+` matches the `1`. Debian 12 has 3.11.2. There, such a
repeat is compiled as the atomic group that it stands for, `(?>(?:...)*)`: the same matches, with more memory for long
texts.
"""

from __future__ import annotations

import re
from typing import Any

SOUND = re.fullmatch(r"-?[0-9](?:[.]|(?<=e)[+]|[0-9])*+", "16") is not None
"""Whether Python matches possessive repeats as it should."""


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that may have possessive repeats, compiled."""
    if SOUND or not _POSSESSIVE.search(pattern):
        return re.compile(pattern, flags)
    return atomic(pattern, flags)


def atomic(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern with atomic groups in place of possessive repeats.

    What the parser of Python's library gives is changed: only old versions need it, so its form is known.
    """
    from re import _compiler, _parser  # type: ignore[attr-defined]  # not public

    tree = _parser.parse(pattern, flags)
    _change(tree, _parser)
    expression: re.Pattern[str] = _compiler.compile(tree, flags)
    return expression


_POSSESSIVE = re.compile(r"[*+?}]\+")


def _change(tree: Any, parser: Any) -> None:
    """Replace the repeats of a parsed pattern, inner ones first."""
    for index, (operation, operand) in enumerate(tree.data):
        for part in operand if isinstance(operand, tuple | list) else (operand,):
            for inner in part if isinstance(part, list) else (part,):
                if isinstance(inner, parser.SubPattern):
                    _change(inner, parser)
        if operation is parser.POSSESSIVE_REPEAT:
            repeat = parser.SubPattern(tree.state, [(parser.MAX_REPEAT, operand)])
            tree.data[index] = (parser.ATOMIC_GROUP, repeat)
