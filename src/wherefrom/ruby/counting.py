"""Counting texts up: `succ`, and ranges of strings.

>>> successor("az"), successor("Zz"), successor("1.9")
('ba', 'AAa', '2.0')
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .showing import compare
from .values import Value


def successor(text: str) -> str:
    """`text.succ`: the rightmost letter or digit is counted up, with a carry to the left."""
    if not text:
        return ""
    chars = list(text)
    places = [at for at, char in enumerate(chars) if char.isalnum()]
    if not places:
        return _next_code(chars)
    at = places.pop()
    while True:
        char = chars[at]
        if char not in "zZ9":
            chars[at] = chr(ord(char) + 1) if char.isascii() else _next_letter(char)
            return "".join(chars)
        chars[at] = {"z": "a", "Z": "A", "9": "0"}[char]
        if not places or not _carries(chars, places[-1], at):
            chars.insert(at, {"a": "a", "A": "A", "0": "1"}[chars[at]])
            return "".join(chars)
        at = places.pop()


def _next_letter(char: str) -> str:
    """The letter or digit after one that is not ASCII; one character that is neither may stand between."""
    near = (chr(ord(char) + step) for step in (1, 2))
    return next((other for other in near if other.isalnum()), chr(ord(char) + 1))


def _next_code(chars: list[str]) -> str:
    """Without letters and digits, the last character is counted up."""
    for at in range(len(chars) - 1, -1, -1):
        code = ord(chars[at])
        if code < 0x10FFFF:
            chars[at] = chr(code + 1 if code + 1 != 0xD800 else 0xE000)
            return "".join(chars)
        chars[at] = "\x01"
    return "\x01" + "".join(chars)


def _carries(chars: list[str], left: int, right: int) -> bool:
    """Whether a carry jumps over what stands between: `1.9` -> `2.0`, but `1.z` and `a-9` stay apart."""
    if left == right - 1:
        return True
    return chars[left].isdigit() == chars[right].isdigit()


def successors(i: Any, first: str, last: str | None, exclusive: bool) -> Iterator[Value]:
    """`first..last` of strings: counts up until the end is met or the text gets longer than it."""
    if last is not None and len(first) == 1 and len(last) == 1 and first.isascii() and last.isascii():
        for code in range(ord(first), ord(last) + (0 if exclusive else 1)):
            yield chr(code)
        return
    if last is not None and _is_number(first) and _is_number(last):
        low, high = int(first), int(last)
        i.budget.draw("steps", max(0, high - low), "going over a range", i.at)
        for number in range(low, high + (0 if exclusive else 1)):
            yield str(number).rjust(len(first), "0")
        return
    if last is None:
        text = first
        while True:
            i.budget.draw("steps", 1, "going over a range", i.at)
            yield text
            text = successor(text)
    order, longest = compare(i, first, last) or 0, len(_bytes(last))
    if order > 0 or (order == 0 and exclusive):  # by the letters, whichever is longer
        return
    text, behind = first, successor(last)
    while text != behind:
        i.budget.draw("steps", 1, "going over a range", i.at)
        yield text
        if text == last:
            return
        text = successor(text)
        if not text or len(_bytes(text)) > longest or (exclusive and text == last):
            return


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
