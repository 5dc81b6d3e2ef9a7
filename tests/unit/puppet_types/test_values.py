"""Values: hash keys, equality, and the classes for what Python lacks."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import pytest

from wherefrom.puppet.kernel.values import (
    DEFAULT,
    Binary,
    Deferred,
    Iterator,
    Key,
    Regexp,
    SemVer,
    Sensitive,
    Timespan,
    Timestamp,
    hash_key,
    key_value,
    make_hash,
)
from wherefrom.puppet.types.model import ANY

DISTINCT: list[Any] = [1, 1.0, True, 0, 0.0, False, "1", None, DEFAULT, [1], [1.0], [], {}, {"a": 1}, Regexp("1")]


def test_keys_stay_apart() -> None:
    """`1`, `1.0` and `true` are three keys, and collections may be keys."""
    made = make_hash((each, index) for index, each in enumerate(DISTINCT))
    assert len(made) == len(DISTINCT)
    for index, each in enumerate(DISTINCT):
        assert made[hash_key(each)] == index
        back = key_value(hash_key(each))
        assert back == each and type(back) is type(each)


def test_plain_keys_are_themselves() -> None:
    """Strings and integers need no wrapping."""
    assert hash_key("a") == "a" and hash_key(3) == 3
    assert isinstance(hash_key(True), Key) and isinstance(hash_key(None), Key)


def test_keys_of_equal_content_are_one() -> None:
    """Equal collections are the same key, whatever the order of a hash."""
    assert hash_key([1, {"a": 2, "b": 3}]) == hash_key([1, {"b": 3, "a": 2}])
    assert hash_key([1]) != hash_key([True])


def test_later_key_replaces_earlier() -> None:
    """A key given twice keeps its place and gets the later value."""
    assert list(make_hash([("a", 1), ("b", 2), ("a", 3)]).items()) == [("a", 3), ("b", 2)]


@pytest.mark.parametrize(
    "value",
    [
        DEFAULT,
        Regexp("a+"),
        Sensitive([1]),
        Binary(b"x"),
        Timespan(5),
        Timestamp(7),
        SemVer(1, 2, 3),
        Deferred("f", [1]),
    ],
)
def test_values_survive_copying(value: Any) -> None:
    """Equality, hashing and pickling go by content."""
    again = pickle.loads(pickle.dumps(value))
    assert again == value and hash(again) == hash(value)


def test_default_is_one_object() -> None:
    """There is one `default`."""
    assert pickle.loads(pickle.dumps(DEFAULT)) is DEFAULT


def test_versions_are_ordered() -> None:
    """Pre-releases come before their release, numbers before words, and the build does not matter."""
    texts: list[tuple[int, int, int, tuple[str | int, ...]]] = [
        (1, 0, 0, (1,)),
        (1, 0, 0, (2,)),
        (1, 0, 0, ("a",)),
        (1, 0, 0, ()),
        (1, 0, 1, ()),
        (1, 2, 0, ()),
        (2, 0, 0, ()),
    ]
    versions = [SemVer(*each) for each in texts]
    assert all(a < b for a, b in pairwise(versions))
    assert SemVer(1, 0, 0, (), ("a",)) <= SemVer(1, 0, 0) <= SemVer(1, 0, 0, (), ("a",))
    assert SemVer(1, 0, 0, (), ("a",)) != SemVer(1, 0, 0)


def test_sensitive_hides_its_value() -> None:
    """The text of a sensitive value never shows what it hides."""
    assert "secret" not in repr(Sensitive("secret"))
    assert Sensitive([1, {"a": 2}]) == Sensitive([1, {"a": 2}]) != Sensitive([1])


def test_iterators_can_be_walked_again() -> None:
    """An iterator is made afresh for every walk."""
    made = Iterator(lambda: iter([1, 2]), ANY)
    assert list(made) == list(made) == [1, 2]
