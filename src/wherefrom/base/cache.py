"""A cache with a bound: what is asked for again and can be had again.

What one run learns serves the next, and a session may live for days, so everything that is kept beside a run is
bounded. A `Cache` is a dictionary whose values are put in by `keep`, which forgets the oldest entries first when there
are too many. Functions whose arguments say all use `functools.lru_cache`.
"""

from __future__ import annotations

from itertools import islice
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")
SHARE = 16
"""The part of a full cache that is forgotten at once, as one entry at a time would cost a walk for each."""


class Cache(dict[Key, Value]):
    """At most `most` entries.

    >>> squares = Cache(2)
    >>> [squares.keep(number, number**2) for number in (3, 4, 5)]
    [9, 16, 25]
    >>> list(squares)
    [4, 5]
    """

    __slots__ = ("most",)

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def keep(self, key: Key, value: Value) -> Value:
        """Remember a value, as the newest; returns it."""
        self.pop(key, None)
        if len(self) >= self.most:
            for oldest in list(islice(self, max(1, self.most // SHARE))):
                del self[oldest]
        self[key] = value
        return value
