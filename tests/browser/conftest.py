"""One browser for all tests of this folder: the library that drives it runs only once in a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.browser import chromium

PICTURES = Path(__file__).resolve().parents[2] / "build/explorer"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with chromium() as one:
        yield one
