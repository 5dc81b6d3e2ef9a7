"""Whether Ruby would refuse a regular expression, and with which words.

Puppet makes a Ruby `Regexp` of every `/pattern/` it reads, so a broken pattern is an error before anything is parsed.
This is a check of form alone: brackets, groups, repetition. It does not translate patterns.
"""

from __future__ import annotations

import re


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


def ruby_text(pattern: str) -> str:
    """The expression as Ruby turns it into a string: with its options, which a group around all of it may set.

    >>> ruby_text("a/b")
    '(?-mix:a\\\\/b)'
    >>> ruby_text("(?i:a)")
    '(?i-mx:a)'
    """
    on, inner = "", pattern
    whole = _OPTION_GROUP.fullmatch(pattern)
    if whole is not None and regex_trouble(whole[3]) is None:
        on, inner = "".join(option for option in "mix" if option in whole[1]), whole[3]
    off = "".join(option for option in "mix" if option not in on)
    return f"(?{on}{'-' if off else ''}{off}:{ruby_source(inner)})"


_OPTION_GROUP = re.compile(r"\(\?([mix]*)(-[mix]*)?:(.*)\)", re.S)


def _escaped(match: re.Match[str]) -> str:
    return "\\/" if match[0] == "/" else match[0]


_REPEAT = re.compile(r"\{(?:(\d+)(?:,(\d*))?|,(\d+))\}")
_GROUP = re.compile(r"\(\?(?:[:=!>~|]|<[=!]|<[^\W\d]\w*>|'[^\W\d]\w*'|[imxadu]*(?:-[imx]*)?[:)]|#[^)]*\))", re.A)
_CAPTURE = re.compile(r"\\.|\((?!\?)|\(\?[<'](?![=!])", re.S)
_NAMED_CLASS = re.compile(r"\[:\^?(\w+):\]")
_NAMED_CLASSES = frozenset(
    "alnum alpha blank cntrl digit graph lower print punct space upper xdigit word ascii".split()
)
_CLASS_ESCAPE = re.compile(r"\\(?:[wWdDsShHR]|[pP]\{[^}]*\})")


def _reason(pattern: str) -> str | None:
    depth, position, repeatable = 0, 0, False
    while position < len(pattern):
        letter = pattern[position]
        if letter == "\\":
            if position + 1 >= len(pattern):
                return "too short escape sequence"
            digit = pattern[position + 1]
            if digit in "123456789" and int(digit) > len([g for g in _CAPTURE.findall(pattern) if g[0] == "("]):
                return "invalid backref number/name"
            position += 2
            repeatable = True
        elif letter == "[":
            position, reason = _class_end(pattern, position)
            if reason:
                return reason
            repeatable = True
        elif letter == "(":
            repeatable = False
            if pattern.startswith("(?", position):
                match = _GROUP.match(pattern, position)
                if match is None:
                    return _bad_group(pattern[position + 2 :])
                position = match.end()
                if match[0].endswith(")"):
                    continue
            else:
                position += 1
            depth += 1
        elif letter == ")":
            if depth == 0:
                return "unmatched close parenthesis"
            depth -= 1
            position += 1
            repeatable = True
        elif letter == "|":
            position += 1
            repeatable = False
        else:
            repeat = _REPEAT.match(pattern, position) if letter == "{" else None
            if (letter in "*+?" or repeat is not None) and not repeatable:
                return "target of repeat operator is not specified"
            if repeat is not None and repeat[2] and int(repeat[1]) > int(repeat[2]):
                return "upper is smaller than lower in repeat range"
            position = repeat.end() if repeat else position + 1
            repeatable = True
    return "end pattern with unmatched parenthesis" if depth else None


def _bad_group(rest: str) -> str:
    """What is wrong with a group whose `(?` is followed by `rest`."""
    name = re.match(r"[<'](\w+)[>']", rest)
    if name is not None:
        return f"invalid group name <{name[1]}>"
    return "end pattern in group" if re.fullmatch(r"[imx-]*|#[^)]*", rest) else "undefined group option"


def _class_end(pattern: str, position: int) -> tuple[int, str | None]:
    """Past the `]` that closes the class at `position`, or what is wrong with it."""
    depth = 0
    low = ""  # the character that may begin a range, or `set` after what can not
    while position < len(pattern):
        letter = pattern[position]
        named = _NAMED_CLASS.match(pattern, position) if depth else None
        if named is not None:
            if named[1] not in _NAMED_CLASSES:
                return position, "invalid POSIX bracket type"
            position, low = named.end(), "set"
        elif letter == "[":
            depth += 1
            position += 1 + pattern.startswith("^", position + 1)
            if pattern.startswith("]", position):
                if "]" not in pattern[position + 1 :]:
                    return position, "empty char-class"
                position += 1  # a bracket right after the opening one stands for itself
            low = ""
        elif letter == "]":
            depth -= 1
            position += 1
            if depth == 0:
                return position, None
            low = "set"
        elif letter == "-" and low and position + 1 < len(pattern) and pattern[position + 1] not in "][":
            escape = _CLASS_ESCAPE.match(pattern, position + 1)
            if low == "set":
                return position, "unmatched range specifier in char-class"
            if escape is not None:
                return position, "char-class value at end of range"
            width = 2 if pattern[position + 1] == "\\" else 1
            high = pattern[position + width : position + width + 1]
            if width == 1 or not high.isalnum():
                if len(low) == 1 and high < low:
                    return position, "empty range in char class"
            position, low = position + 1 + width, ""
        else:
            escape = _CLASS_ESCAPE.match(pattern, position)
            if escape is not None:
                position, low = escape.end(), "set"
            elif letter == "\\":
                low = pattern[position + 1 : position + 2]
                low = low if not low.isalnum() else "any"
                position += 2
            else:
                position, low = position + 1, letter
    return position, "premature end of char-class"
