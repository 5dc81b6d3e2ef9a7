"""Debian's `stdlib`, run by us: every recorded answer of real Puppet again.

The modules are Debian's packages, so this is a comparison with the real tool. Logs are compared without the place at
their end: for a deprecation that is a line of Puppet's own Ruby. `KNOWN` counts the answers of each function that are
not Puppet's, by reason; docs/puppet.md tells the same.
"""

from __future__ import annotations

import json
import lzma
import re
from collections import defaultdict
from typing import Any

import pytest

from oracle.record_stdlib import GOLDENS, MODULES, kept, request
from support.puppet_real import ours
from wherefrom.base.diagnostics import WherefromError

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not (MODULES / "stdlib").is_dir(), reason="Debian's stdlib is not installed"),
]

NOT_OURS = {"str2saltedsha512": 1, "time": 2, "validate_cmd": 2, "validate_x509_rsa_key_pair": 4}
"""Refused on purpose: chance, the environment, temporary files, certificates."""

LIBRARIES = {"parsehocon": 1, "parsepson": 1, "parseyaml": 1}
"""Ruby libraries that wherefrom has not with every option, and their words for what is wrong with a text."""

BYTES = {"base64": 11, "pw_hash": 10, "stdlib::extname": 6}
"""Real Puppet sends texts without an encoding as Binary."""

CORNERS = {
    "deprecation": 3,
    "merge": 1,
    "parsejson": 1,
    "range": 2,
    "reject": 1,
    "shell_split": 1,
    "stdlib::str2resource": 1,
    "validate_legacy": 1,
}
"""Mostly arguments of the wrong type, for which Ruby has words of its own."""

OUTSIDE = {"glob": 4, "loadjson": 9, "loadyaml": 7}
"""Files outside of what may be read: refused, where Puppet says that they do not exist."""

KNOWN = NOT_OURS | LIBRARIES | BYTES | CORNERS | OUTSIDE

PLACE = re.compile(r"(?: at \[.*\])?:?\n   \((?:file|location)[^\n]*\)\Z", re.DOTALL)


def without_places(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer whose logs have lost the place at their end."""
    logs = [[level, PLACE.sub("", message)] for level, message in answer.get("logs", ())]
    return {**answer, "logs": logs}


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
    silent = {name for name, rows in ANSWERS.items() if not any("error" in answer for _, _, answer in rows)}
    assert silent == {"any2array", "flatten"}  # these take anything


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_answers(name: str) -> None:
    """The same values, catalogs, words of errors and logs."""
    wrong = []
    for kind, code, answer in ANSWERS[name]:
        try:
            mine = json.loads(json.dumps(kept(kind, ours(request(kind, code, str(MODULES))))))
        except WherefromError as problem:
            mine = {"error": str(problem)}
        if without_places(mine) != without_places(answer):
            wrong.append(f"{code}\n   ours: {json.dumps(mine)[:300]}\n   real: {json.dumps(answer)[:300]}")
    assert len(wrong) <= KNOWN.get(name, 0), f"{len(wrong)} of {len(ANSWERS[name])}:\n" + "\n".join(wrong[:8])
