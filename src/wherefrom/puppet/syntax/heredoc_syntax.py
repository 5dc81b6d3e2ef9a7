"""Checks of a heredoc's static text against the syntax its tag names: `@(END:json)`.

Puppet knows `json`, `base64`, `pp` and `epp`; a name with `+` is tried from its most to its least special form
(`a+json`, then `json`); other names mean nothing to it. The words of the JSON library differ from Ruby's.
"""

from __future__ import annotations

from ...base.source import SourceFile
from ..kernel.issues import full_message, verdict


def syntax_trouble(syntax: str, text: str) -> tuple[str, str] | None:
    """What is wrong with `text` as `syntax`: Puppet's issue code and words.  Nothing if it is fine or unknown."""
    segments = syntax.split("+")
    for index in range(len(segments)):
        name = "+".join(segments[index:])
        if name == "json":
            return _json(text)
        if name == "base64":
            return _base64(text)
        if name in ("pp", "epp"):
            return _puppet(name, text)
    return None


def _json(text: str) -> tuple[str, str] | None:
    import json

    try:
        json.loads(text)
    except ValueError as problem:
        at = getattr(problem, "pos", 0)
        words = f"unexpected token at '{text[at:]}'"[:100].replace("\r\n", "\\n").replace("\n", "\\n")
        return "ILLEGAL_JSON", f'JSON syntax checker: Cannot parse invalid JSON string. "{words}"'
    except RecursionError:
        return "ILLEGAL_JSON", 'JSON syntax checker: Cannot parse invalid JSON string. "nesting too deep"'
    return None


def _base64(text: str) -> tuple[str, str] | None:
    import base64
    import binascii

    cleaned = "".join(character for character in text if character not in "\r?\n \t")
    try:
        base64.b64decode(cleaned.encode("utf-8"), validate=True)
        return None
    except binascii.Error:
        pass
    reason = "contains letters outside strict base 64 range (or whitespace)"
    if (len(cleaned.encode("utf-8")) * 8) % 6 != 0:
        reason = "padding is not correct"
    return "ILLEGAL_BASE64", f"Base64 syntax checker: Cannot parse invalid Base64 string - {reason}"


def _puppet(name: str, text: str) -> tuple[str, str] | None:
    from .parser import parse, parse_epp

    problem = verdict((parse_epp if name == "epp" else parse)(SourceFile("", text)).diagnostics)
    if problem is None:
        return None
    words = full_message(problem)[:500].replace("\r\n", "\\n").replace("\n", "\\n")
    return f"ILLEGAL_{name.upper()}", f'{name.upper()} syntax checker: "{words}"'
