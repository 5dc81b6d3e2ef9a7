"""Texts that are safe to print on a terminal.

A configuration, a data file or the name of a file may hold anything: sequences that rename the window, move the cursor
back over what was said, or write a line from right to left so that it reads as another. `made_visible` shows such
characters by their number (`\\x1b`, `\\u202e`) and leaves everything else, tabs and line ends included, as it is.

Made visible are the control characters (C0 and C1 of ISO 6429, and delete), the controls of writing direction (Unicode
standard annex 9), line and paragraph separators, and the invisible tag characters.
"""

from __future__ import annotations

import re

_DISTURBING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)


def made_visible(text: str) -> str:
    """`text` with disturbing characters shown by their number.

    >>> made_visible("a\\x1b]0;b\\x07 \\u202e\\ttab")
    'a\\\\x1b]0;b\\\\x07 \\\\u202e\\ttab'
    """
    if _DISTURBING.search(text) is None:
        return text
    return _DISTURBING.sub(_number, text)


def escaped_in_json(text: str) -> str:
    """JSON text with the same characters escaped, where JSON does not escape them itself."""
    if _DISTURBING.search(text) is None:
        return text
    return _DISTURBING.sub(_json_escape, text)


def _number(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
