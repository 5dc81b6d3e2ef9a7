"""Quick JSON is Python's own, to the letter."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.base.deep import with_deep_stack
from wherefrom.base.json_text import indented

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers() | FLOATS | st.text()
KEYS = st.text() | st.integers() | st.booleans() | st.none() | FLOATS
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner) | st.tuples(inner, inner),
    max_leaves=30,
)


@given(DOCUMENTS)
def test_same_text(document: object) -> None:
    """Any document, with any text in it, whatever its keys are."""
    assert indented(document) == json.dumps(document, indent=2, ensure_ascii=False)


def test_kinds_of_their_own() -> None:
    """A subclass of a text or a container is written as what it is."""

    class Name(str):
        __slots__ = ()

    class Table(dict[str, object]):
        pass

    document = {"a": Name("x"), "b": Table(c=[Name("y")]), Name("d"): 1}
    assert indented(document) == json.dumps(document, indent=2, ensure_ascii=False)


def test_what_json_has_no_form_for() -> None:
    """Refused, as Python refuses it."""
    with pytest.raises(TypeError):
        indented({"a": {1, 2}})


def test_nesting() -> None:
    """As deep as the stack is; the same text."""
    document: list[object] = []
    for _ in range(2_000):
        document = [document]
    with pytest.raises(RecursionError):
        indented(document)
    text = with_deep_stack(lambda: indented(document))
    assert text.count("\n") == 4_000
    assert text.startswith("[\n  [\n    [")


def calls_of(work: Callable[[], object]) -> int:
    """How often functions are called, written in Python or in C, generators that go on included."""
    count = 0

    def event(frame: object, what: str, argument: object) -> None:
        nonlocal count
        count += what in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(event)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_it_is_quick() -> None:
    """Far fewer calls than the encoder that Python itself takes for indented text; otherwise this file has no use."""
    if sys.version_info >= (3, 14):
        pytest.skip("Python's own is quick here")
    document = {f"n{i}": {"port": i, "name": f"host{i}", "tags": ["a", "b"], "on": True} for i in range(2_000)}
    slow = calls_of(lambda: json.dumps(document, indent=2, ensure_ascii=False))
    assert calls_of(lambda: indented(document)) < slow / 2
