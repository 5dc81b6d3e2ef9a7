"""JSON that every reader takes: UTF-8, whatever the values.

Python writes `NaN` and `Infinity`, which are no JSON, and lone surrogates (bytes of a file name or a text that are no
UTF-8), which are no UTF-8. Here the three numbers that JSON has no words for are the texts `"NaN"`, `"Infinity"` and
`"-Infinity"`, and a lone surrogate is written as its escape (`\\udcff`), which readers of JSON know how to keep.
Characters that disturb a terminal are escaped too. Values may be nested as deeply as the languages allow.
"""

from __future__ import annotations

import json
import re

from .deep import with_deep_stack
from .json_text import indented
from .visible import escaped_in_json

DELETE = "\x7f"
"""The one control character of ASCII that JSON does not escape."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def json_bytes(document: object, indent: bool = False) -> bytes:
    """`document` as JSON, in one line unless `indent` says otherwise, without a line end.

    >>> json_bytes({"a": [float("inf"), "\\udcff", "é"]})
    b'{"a": ["Infinity", "\\\\udcff", "\\xc3\\xa9"]}'
    """
    try:
        text = _text(document, indent)
    except RecursionError:
        text = with_deep_stack(lambda: _text(document, indent))
    if text.isascii() and DELETE not in text:  # nothing to escape that the encoder did not, and seen at once
        return text.encode("ascii")
    return json_utf8(text)


def json_utf8(text: str) -> bytes:
    """A text in JSON as UTF-8, whatever characters are in its strings."""
    text = escaped_in_json(text)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode("utf-8")


def _text(document: object, indent: bool) -> str:
    write = indented if indent else _in_one_line
    try:
        return write(document)
    except ValueError:
        return write(_finite(document))


_in_one_line = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _finite(value: object) -> object:
    """The same with texts for what is not a number to JSON."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {(_finite(key) if isinstance(key, float) else key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value
