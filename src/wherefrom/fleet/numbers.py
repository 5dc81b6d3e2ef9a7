"""Numbers that are made from content: they need no counter, so parts written by different processes fit together."""

from __future__ import annotations

from hashlib import blake2b

MOST_REMEMBERED = 50_000
"""What a process remembers to have sent.  What it forgets it sends again, which does no harm: a store takes equal
shared rows as one.  So its memory does not grow with the nodes."""


def number_of(content: bytes) -> int:
    """The number that identifies some content: 63 bits of its digest."""
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big") >> 1


class Sent:
    """Which sets were sent, by their numbers.

    Half of what is remembered is forgotten at a time: the half that nobody asked for since the last time. What many
    nodes name stays, and what one node named goes.
    """

    def __init__(self) -> None:
        self._numbers: set[int] = set()
        self._earlier: set[int] = set()

    def first_time(self, number: int) -> bool:
        """Whether a set is to be sent: it was not, or that is forgotten."""
        if number in self._numbers:
            return False
        if len(self._numbers) >= MOST_REMEMBERED // 2:
            self._earlier = self._numbers
            self._numbers = set()
        self._numbers.add(number)
        return number not in self._earlier
