"""Numbers that are made from content: they need no counter, so parts written by different processes fit together."""

from __future__ import annotations

from hashlib import blake2b

MOST_REMEMBERED = 50_000
"""What a process remembers to have sent.  With more it forgets all and sends some of it again, which does no harm: a
store takes equal shared rows as one.  So its memory does not grow with the nodes."""


def number_of(content: bytes) -> int:
    """A number that stands for some content: 63 bits of its digest."""
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big") >> 1


class Sent:
    """Which sets were sent, by their numbers."""

    def __init__(self) -> None:
        self._numbers: set[int] = set()

    def first_time(self, number: int) -> bool:
        """Whether a set is to be sent: it was not, or that is forgotten."""
        if number in self._numbers:
            return False
        if len(self._numbers) >= MOST_REMEMBERED:
            self._numbers.clear()
        self._numbers.add(number)
        return True
