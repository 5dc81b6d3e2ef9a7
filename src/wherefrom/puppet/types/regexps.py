"""Regular expressions as texts: between slashes, as a group, and as catalogs carry them.

Ruby binds an expression to an encoding when something in it is no ASCII: a character, an escape (`\\u00e9`), a property
(`\\p{Alpha}`). To Puppet that is an option like any other, and an expression with options is written as a group that
fixes them (`/(?-mix:é)/`), which Ruby's `Regexp#to_s` makes; catalogs carry a group of Puppet's own making.
(Ruby 3.1, core reference: Regexp.)
"""

from __future__ import annotations

import re

_FLAGS = re.compile(r"\(\?([mix]*)(?:-([mix]*))?([:)])")
_NO_ASCII = re.compile(
    r"\\u\{(?P<several>[^}]*)\}|\\u(?P<one>[0-9A-Fa-f]{4})|\\(?P<property>[pP])\{|\\[\x00-\x7f]|[^\x00-\x7f]",
    re.DOTALL,
)


def has_encoding(source: str) -> bool:
    """Does Ruby bind the expression to an encoding?"""
    return any(map(_is_no_ascii, _NO_ASCII.finditer(source)))


def _is_no_ascii(part: re.Match[str]) -> bool:
    numbers = part["several"] or part["one"]
    if numbers is not None:
        return any(int(number, 16) > 0x7F for number in numbers.split())
    return part["property"] is not None or not part[0].isascii()


def literal_text(source: str) -> str:
    """Between slashes, as Ruby's `inspect` writes it."""
    return f"/{_escaped(source)}/"


def written_text(source: str) -> str:
    """Between slashes, as Puppet writes it."""
    return f"/{group_text(source)}/" if has_encoding(source) else literal_text(source)


def data_text(source: str) -> str:
    """As catalogs carry it, and as `String(...)` converts it."""
    return f"(?-imx:{source})" if has_encoding(source) else source


def group_text(source: str) -> str:
    """`Regexp#to_s`: the source in a group that fixes its options."""
    options: set[str] = set()
    while (flags := _FLAGS.match(source)) is not None:
        inner = source[flags.end() :]
        if flags[3] == ":":
            if not inner.endswith(")") or not _balanced(inner[:-1]):
                break
            inner = inner[:-1]
        options = (options | set(flags[1])) - set(flags[2] or "")
        source = inner
        if flags[3] == ":":
            break
    on = "".join(option for option in "mix" if option in options)
    off = "".join(option for option in "mix" if option not in options)
    return f"(?{on}{'-' if off else ''}{off}:{_escaped(source)})"


def _escaped(source: str) -> str:
    """With a backslash before every slash."""
    written = []
    escaped = False
    for character in source:
        written.append("\\/" if character == "/" and not escaped else character)
        escaped = character == "\\" and not escaped
    return "".join(written)


def _balanced(source: str) -> bool:
    depth = 0
    escaped = False
    for character in source:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0
