"""The names in an attribute path, as operations write it (`trace.operations`): `a."b.c".${...}`."""

from __future__ import annotations

import re

from ..syntax.lexer import unescape
from .cells import COMPUTED

_PATH_STEP = re.compile(r'"((?:[^"\\]|\\.)*)"|\$\{\.\.\.\}|[^.]+')


def path_steps(text: str) -> list[str | None]:
    """The names in an attribute path; nothing for a computed one.

    >>> path_steps('a."b.c".${...}')
    ['a', 'b.c', None]
    """
    return [
        unescape(step[1]) if step[1] is not None else None if step[0] == COMPUTED else step[0]
        for step in _PATH_STEP.finditer(text)
    ]
