"""Whether Ruby would refuse a regular expression, and with which words.

Puppet makes a Ruby `Regexp` of every `/pattern/` it reads, so a broken pattern is an error before anything is parsed.
This is a check of form alone: brackets, groups, repetition. It does not translate patterns.
"""

from __future__ import annotations

import re

_REPEAT = re.compile(r"[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\}")
_GROUP = re.compile(r"\(\?(?:[:=!>~|]|<[=!]|<[^\W\d]\w*>|'[^\W\d]\w*'|[imxadu]*(?:-[imx]*)?[:)]|#[^)]*\))", re.A)


def regex_trouble(pattern: str) -> str | None:
    """Ruby's message for a pattern that it refuses, or nothing.

    >>> regex_trouble("(a")
    'end pattern with unmatched parenthesis: /(a/'
    >>> regex_trouble("[a-z]+(b|c)?")
    """
    if pattern.isalnum():
        return None
    reason = _reason(pattern)
    return None if reason is None else f"{reason}: /{ruby_source(pattern)}/"


_UNESCAPED_SLASH = re.compile(r"\\.|/", re.S)


def ruby_source(pattern: str) -> str:
    """The pattern as Ruby shows it between slashes."""
    return _UNESCAPED_SLASH.sub(_escaped, pattern)


def _escaped(found: re.Match[str]) -> str:
    return "\\/" if found[0] == "/" else found[0]


def _reason(pattern: str) -> str | None:
    depth, position, repeatable = 0, 0, False
    while position < len(pattern):
        letter = pattern[position]
        if letter == "\\":
            if position + 1 >= len(pattern):
                return "too short escape sequence"
            position += 2
            repeatable = True
        elif letter == "[":
            end, reason = _class_end(pattern, position)
            if reason:
                return reason
            position = end
            repeatable = True
        elif letter == "(":
            position += 1
            repeatable = False
            if pattern.startswith("?", position):
                found = _GROUP.match(pattern, position - 1)
                if found is None:
                    return "undefined group option"
                position = found.end()
                if found[0].endswith(")"):
                    continue
            depth += 1
        elif letter == ")":
            if depth == 0:
                return "unmatched close parenthesis"
            depth -= 1
            position += 1
            repeatable = True
        elif letter in "*+?":
            if not repeatable:
                return "target of repeat operator is not specified"
            position += 1
        elif letter == "|" or letter == "^":
            position += 1
            repeatable = False
        else:
            found = _REPEAT.match(pattern, position) if letter == "{" else None
            if found is not None and not repeatable:
                return "target of repeat operator is not specified"
            position = found.end() if found else position + 1
            repeatable = True
    return "end pattern with unmatched parenthesis" if depth else None


def _class_end(pattern: str, position: int) -> tuple[int, str | None]:
    """Past the `]` that closes the class at `position`."""
    depth = 0
    start = position
    while position < len(pattern):
        letter = pattern[position]
        if letter == "\\":
            position += 2
            continue
        if letter == "[":
            named = re.compile(r"\[:\^?\w+:\]").match(pattern, position)
            if named and depth:
                position = named.end()
                continue
            depth += 1
            position += 1
            if pattern.startswith("^", position):
                position += 1
            if pattern.startswith("]", position):
                if "]" not in pattern[position + 1 :]:
                    return position, "empty char-class"
                position += 1  # a bracket right after the opening one stands for itself
            continue
        if letter == "]":
            depth -= 1
            if depth == 0:
                return position + 1, None
        position += 1
    return start, "premature end of char-class"
