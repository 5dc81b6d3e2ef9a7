"""Records: positional fields, equality without spans, matching, pickling."""

from __future__ import annotations

import pickle

import pytest

from wherefrom.base.record import Record, field, replace


class Node(Record):
    """A node with a place."""

    span: str = field(kw_only=True, compare=False)


class Pair(Node):
    """Two things."""

    left: int
    right: int = 7


def test_places_take_no_part_in_equality_hash_and_repr() -> None:
    """Two trees are equal when their programs are."""
    assert Pair(1, 2, span="a") == Pair(1, 2, span="b")
    assert hash(Pair(1, 2, span="a")) == hash(Pair(1, 2, span="b"))
    assert repr(Pair(1, span="a")) == "Pair(1, 7)"
    assert Pair(1, 2, span="a") != Pair(1, 3, span="a")


def test_records_match_by_position() -> None:
    """`match` takes them apart."""
    match Pair(1, 2, span="a"):
        case Pair(left, right):
            assert (left, right) == (1, 2)


def test_records_survive_pickling_and_replacing() -> None:
    """The cache keeps them; `replace` changes a copy."""
    made = Pair(1, 2, span="a")
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again.span == "a"
    assert replace(made, right=9) == Pair(1, 9, span="")


def test_no_field_beyond_the_declared() -> None:
    """Slots: a typo is an error."""
    with pytest.raises(AttributeError):
        Pair(1, 2, span="a").typo = 3  # type: ignore[attr-defined]
