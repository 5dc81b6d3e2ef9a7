"""Data files are read as Puppet reads them, live: texts that nobody wrote, and recorded ones."""

from __future__ import annotations

from random import Random

import pytest

from support.yaml_texts import ask_puppet, ask_wherefrom, document

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("real_puppet")]


def differing(seed: int, count: int) -> list[tuple[str, list[str], list[str]]]:
    """Texts that are read differently; a node inside of which it is an alias is refused, which is documented."""
    random = Random(seed)
    texts = [document(random) for _ in range(count)]
    answers = [(text, real, ask_wherefrom(text)) for text, real in zip(texts, ask_puppet(texts), strict=True)]
    assert sum(real[0] == "ok" for _, real, _ in answers) > count // 4
    return [
        (text, real, ours)
        for text, real, ours in answers
        if real != ours
        and (real[0] == "ok" or ours[0] == "ok")
        and real != ["ok", "false"]  # nothing, which Puppet takes for a file without data
        and "inside of the very node" not in ours[1]
    ]


@pytest.mark.parametrize("seed", range(2))
def test_texts(seed: int) -> None:
    """The same values of the same types in the same order."""
    assert differing(seed, 600) == []


@pytest.mark.soak
def test_many_texts() -> None:
    """20,000 texts."""
    assert differing(80, 20_000) == []
