"""Debian's `stdlib`, run by us: every recorded answer of real Puppet again.

The modules are Debian's packages; where they are not installed nothing is compared. Functions that answer by chance,
and what differs for a reason that docs/puppet.md names, are listed in `DIFFERENT`.
"""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from typing import Any

import pytest

from oracle.record_stdlib import GOLDENS, MODULES, kept, request
from support.puppet_real import ours

pytestmark = pytest.mark.skipif(not (MODULES / "stdlib").is_dir(), reason="Debian's stdlib is not installed")

DIFFERENT: frozenset[str] = frozenset()
"""Calls whose answer differs, for reasons that docs/puppet.md tells."""


def answers() -> dict[str, list[tuple[str, str, dict[str, Any]]]]:
    """What Puppet said: kind, code and answer, by function."""
    by_name: dict[str, list[tuple[str, str, dict[str, Any]]]] = defaultdict(list)
    for line in lzma.decompress(GOLDENS.read_bytes()).decode().splitlines():
        name, kind, code, answer = json.loads(line)
        by_name[name].append((kind, code, answer))
    return by_name


ANSWERS = answers()


def test_every_function_has_answers() -> None:
    """At least five for each function that the module ships, errors among them."""
    assert len(ANSWERS) >= 163
    assert min(map(len, ANSWERS.values())) >= 5
    assert all(any("error" in answer for _, _, answer in rows) for rows in ANSWERS.values())


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_answers(name: str) -> None:
    """The same values, catalogs, words of errors and logs."""
    wrong = []
    for kind, code, answer in ANSWERS[name]:
        if code in DIFFERENT:
            continue
        mine = json.loads(json.dumps(kept(kind, ours(request(kind, code, str(MODULES))))))
        if mine != answer:
            wrong.append(f"{code}\n   ours: {json.dumps(mine)[:300]}\n   real: {json.dumps(answer)[:300]}")
    assert not wrong, f"{len(wrong)} of {len(ANSWERS[name])}:\n" + "\n".join(wrong[:8])
