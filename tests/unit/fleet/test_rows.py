"""What a compiled node tells the store: values without secrets, and the same as its outputs."""

from __future__ import annotations

import json
import random

import pytest

from support.puppet_dependency_programs import SITE, World, make, run
from support.site_worlds import compiled
from wherefrom.base.json_bytes import json_bytes
from wherefrom.base.secrets import REDACTED
from wherefrom.fleet.exports import digest_of
from wherefrom.fleet.rows import CatalogColumns, json_text


@pytest.mark.parametrize("secret", ("'true'", "'null'", "'1234'", "1234", "'message'", "'[]{}'", "'site.pp'"))
def test_secrets_that_look_like_json(secret: str) -> None:
    """Whatever a secret looks like, rows without it are rows: truths and places in them stay, values in them do not."""
    more = "\n" * 1233 + "notify { 'z': message => 1234, noop => true }\n"
    program = f"notify {{ 'x': message => Sensitive({secret}) }}\nnotify {{ 'y': message => {secret} }}\n{more}"
    outcome = compiled(World({SITE: program}, {}, "n1", {}, {}))
    assert outcome is not None
    told = CatalogColumns(outcome, digest_of)
    values = {(title, name): json.loads(value) for _, title, name, value in zip(*told.attributes)}
    assert values["z", "noop"] is True
    assert secret == "'message'" or values["y", "message"] == REDACTED
    assert [line for _, title, _, line, _ in zip(*told.resources) if title == "z"] == [1236]
    assert "1234" not in secret or values["z", "message"] == REDACTED


def test_values_are_those_of_outputs() -> None:
    """Told without origins, they are what the outputs say, in the same order; over generated environments."""
    looked = 0
    for seed in range(120):
        outcome = run(make(random.Random(seed)))
        if outcome is None:
            continue
        rows = zip(outcome.values(), outcome.outputs(), strict=True)
        for (type_name, title, attribute, value), output in rows:
            path = f"{type_name}[{title}]" + (f".{attribute}" if attribute else "")
            assert (path, json_text(value)) == (output.path, json_text(output.value)), seed
            looked += 1
    assert looked > 500


@pytest.mark.parametrize(
    "value", ["", "plain", 'quo"ted', "back\\slash", "line\n\t\x00\x1f\x7f", "é", "\udcff", 1, 1.5, True, None]
)
def test_the_quick_way_writes_the_same(value: object) -> None:
    assert json_text(value) == json_bytes(value).decode("utf-8", "replace")
