"""Placeholder until analysis is written."""

from __future__ import annotations

from typing import Any


def is_risky(tree: Any) -> bool:
    """Whether matching may take exponential time."""
    return False
