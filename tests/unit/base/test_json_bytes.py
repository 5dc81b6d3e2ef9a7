"""JSON bytes: any value gives UTF-8 that any reader of JSON takes, and reads back as what it was."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wherefrom.base.json_bytes import json_bytes

TEXTS = st.text(st.characters(exclude_categories=[]))
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


def finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list) else value


@given(DOCUMENTS, st.booleans())
def test_every_document_is_json(document: Any, indent: bool) -> None:
    """Surrogates, infinities and control characters included."""
    data = json_bytes(document, indent)
    assert json.loads(data.decode("utf-8"), parse_constant=refuse) == finite(document)
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in data.decode() if letter != "\n")


def test_deep_values() -> None:
    """Deeper than Python's own stack."""
    value: Any = 1
    for _ in range(20_000):
        value = [value]
    assert json_bytes(value) == b"[" * 20_000 + b"1" + b"]" * 20_000
