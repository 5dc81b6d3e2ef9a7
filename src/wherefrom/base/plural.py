"""Numbers of things in sentences.

>>> count_of(1, "node"), count_of(0, "node"), count_of(12_000, "node")
('1 node', '0 nodes', '12000 nodes')
"""

from __future__ import annotations


def count_of(number: int, word: str, many: str = "") -> str:
    """A number of things, by the word for one of them, and for many where that is not the same with an `s`."""
    return f"{number} {word if number == 1 else many or word + 's'}"
