"""Queries for exported resources, in words."""

from __future__ import annotations

from typing import Any

import pytest

from wherefrom.provenance.exported import condition_words

TAG = ["=", "tag", "lan"]
PORT = ["=", ["parameter", "port"], 80]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (TAG, "tag == lan"),
        (PORT, "port == 80"),
        (["=", "exported", True], "exported == true"),
        (["not", TAG], "tag != lan"),
        (["not", PORT], "port != 80"),
        (["and", TAG, PORT], "tag == lan and port == 80"),
        (["or", ["and", TAG, PORT], ["not", TAG]], "(tag == lan and port == 80) or tag != lan"),
        (["and", TAG, ["or", TAG, PORT]], "tag == lan and (tag == lan or port == 80)"),
    ],
)
def test_words(condition: list[Any], words: str) -> None:
    assert condition_words(condition) == words
