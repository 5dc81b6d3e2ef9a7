"""A value and, beside it, its origin: what every compiled expression and function gives; data that is not there."""

from __future__ import annotations

from typing import TypeAlias

from ...provenance.origins import Absent, Guard, Origin
from .values import Value

Traced: TypeAlias = tuple[Value, Origin]
"""A value and, beside it, its origin."""


class NoData(Absent):
    """No level of the data has a value for `key`."""

    __slots__ = ("key",)

    def __init__(self, key: str, causes: tuple[Origin | Guard, ...] = ()) -> None:
        super().__init__(f"Hiera key {key}", causes)
        self.key = key
