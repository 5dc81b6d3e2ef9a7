"""Functions written as newer libraries write them: loaders, rich data, wrapped values, layouts, HOCON; run by us.

What real Puppet said is recorded (`record_library.py`), so nothing need be installed.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from oracle.record_library import ANSWERS, LIBRARY
from oracle.record_stdlib import kept, request
from support.puppet_real import ours

ROWS: list[tuple[str, str, dict[str, Any]]] = [
    tuple(json.loads(line)) for line in ANSWERS.read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(("kind", "code", "answer"), ROWS, ids=[code for _, code, _ in ROWS])
def test_answers(kind: str, code: str, answer: dict[str, Any]) -> None:
    """The same values, catalogs, words of errors and logs."""
    assert json.loads(json.dumps(kept(kind, ours(request(kind, code, str(LIBRARY)))))) == answer
