"""Commands that the rows have in common."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bench.measure import Side

ROOT = Path(__file__).resolve().parents[2]
PUPPET = ["ruby", str(ROOT / "bench" / "puppet_catalogs.rb")]
NOT_INSTALLED = "not installed"


def ours(*arguments: str, **more: Any) -> Side:
    """A command of ours, from the start of its process to its end."""
    return Side([sys.executable, "-m", "wherefrom", *arguments], **more)


def driven(items: Iterable[Mapping[str, Any]], **more: Any) -> Side:
    """Work of ours done again and again in one process."""
    return Side([sys.executable, str(ROOT / "bench" / "drive.py")], lines(items), reports=True, **more)


def lines(items: Iterable[Mapping[str, Any]]) -> str:
    """Requests of a driver."""
    return "".join(json.dumps(item) + "\n" for item in items)
