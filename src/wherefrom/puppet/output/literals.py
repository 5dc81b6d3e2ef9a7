"""Values written as Puppet's literals, in the place of other literals.

A text stays in the quotes it stood in; a word without quotes stays one if the new one may be (`ensure => absent`).
What stands between two interpolations, or in a template, has no quotes of its own: of it the part that differs is
replaced, as it is and as it would be escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ...base.source import Span
from ...base.splices import narrowed

_WORD = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED = frozenset(
    "and application attr case component default define else elsif false function if in inherits node or plan private "
    "site true type undef unless class import produces consumes".split()
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "$": "\\$", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def literal_text(value: object, quote: str = "'") -> str:
    """A value as a literal; a text in `quote`, which is nothing for a word without any."""
    if value is None:
        return "undef"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal_text, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{literal_text(key)} => {literal_text(part)}" for key, part in value.items()) + " }"
    if not isinstance(value, str):
        return json.dumps(value)
    if not quote and _WORD.fullmatch(value) and value not in _RESERVED:
        return value
    if quote == '"' or not value.isprintable():
        return '"' + escaped(value) + '"'
    return "'" + re.sub(r"\\(?=[\\']|$)", r"\\\\", value).replace("'", "\\'") + "'"


def escaped(text: str) -> str:
    """A text as it stands between double quotes."""
    return "".join(_ESCAPES.get(character, character) for character in text)


def replacements(span: Span, old: object, new: object) -> Iterator[tuple[int, int, str]]:
    """What may take the place of a literal: where, and the text."""
    text = span.text
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        yield span.start, span.end, literal_text(new, text[0] if isinstance(new, str) else "'")
        return
    if not (isinstance(old, str) and isinstance(new, str)) or (old == text and _WORD.fullmatch(text)):
        yield span.start, span.end, literal_text(new, "" if old == text else "'")
    if isinstance(old, str) and isinstance(new, str):
        piece = narrowed(text, old, new)
        if piece is not None:
            for written in dict.fromkeys((piece[2], escaped(piece[2]))):
                yield span.start + piece[0], span.start + piece[1], written
        elif escaped(old) in text and text.count(escaped(old)) == 1:
            at = span.start + text.index(escaped(old))
            yield at, at + len(escaped(old)), escaped(new)
