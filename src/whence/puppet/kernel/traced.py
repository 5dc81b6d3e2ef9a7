"""A value and, beside it, its origin: what every compiled expression and every function gives."""

from __future__ import annotations

from typing import TypeAlias

from ...provenance.origins import Origin
from .values import Value

Traced: TypeAlias = tuple[Value, Origin]
"""A value and, beside it, its origin."""
