"""One shape of an answer for all languages: the same headings, in the same order."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from wherefrom import compile
from wherefrom.language import Outcome

ROOT = Path(__file__).resolve().parents[3]
HEADINGS = [
    "edit",
    "from",
    "by",
    "formula",
    "order",
    "in",
    "because",
    "via",
    "hides",
    "set",
    "after",
    "before",
    "changes with",
]
"""Those of the table in `wherefrom.provenance.explain`; `formula` is what `--how` and `--all` add."""


@cache
def outcome(name: str) -> Outcome:
    """What an example compiles to."""
    path = ROOT / name
    if name.endswith("control"):
        facts = yaml.safe_load((path / "facts" / "web01.example.org.yaml").read_text())
        return compile(str(path), node="web01.example.org", facts=facts, trace=True)
    if name.endswith("options"):
        return compile(str(path / "default.nix"), roots=[str(ROOT)], trace=True)
    return compile(str(path), trace=True)


def headings(text: str) -> list[str]:
    """The words that begin at the first column of the lines behind the first."""
    lines = [line for line in text.split("\n")[1:] if line and not line.startswith(" ")]
    found = [re.match(r"(changes with|\w+)(  |$| (?=\S))", line) for line in lines]
    assert all(found), lines
    return [match[1] for match in found if match is not None]


@pytest.mark.parametrize("everything", [False, True], ids=["short", "all"])
@pytest.mark.parametrize(
    "name",
    [
        "examples/control",
        "examples/mupuppet/override.pp",
        "examples/firewall/test.sf",
        "examples/smartfrog/servers.sf",
        "examples/nix/hosts.nix",
        "tests/cases/nix/options",
    ],
)
def test_every_answer_has_the_headings_of_all_languages(name: str, everything: bool) -> None:
    """Whatever the language, a heading is one of the list, and none comes before another that precedes it there."""
    run = outcome(name)
    seen: set[str] = set()
    for output in list(run.outputs())[:60]:
        explanation = run.explain(output.path)
        text = (explanation.with_everything() if everything else explanation).text()
        found = headings(text)
        assert set(found) <= set(HEADINGS), text
        assert found == sorted(found, key=HEADINGS.index), text
        assert len(set(found)) == len(found), text
        seen.update(found)
    assert "edit" in seen and len(seen) > 2


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("port", ["edit", "via", "hides", "changes with"]),
        ("pkgs", ["edit", "because", "via", "hides", "changes with"]),
        ("dep", ["edit", "from", "via", "changes with"]),
        ("plain", ["edit", "via", "changes with"]),
        ("nothing", ["edit", "via", "hides"]),
        ("unset", ["edit", "via"]),
    ],
)
def test_an_option_has_the_headings_of_all_languages(option: str, expected: list[str]) -> None:
    """Definitions that count are to be edited, their conditions are why, and what does not count is hidden."""
    assert headings(outcome("tests/cases/nix/options").explain(f"config.{option}").text()) == expected


def test_the_json_of_an_option_says_the_same() -> None:
    """What the text says under `because`, `via` and `hides` is in the fields that all languages have."""
    document = outcome("tests/cases/nix/options").explain("config.pkgs").to_json()
    assert [decision["text"] for decision in document["decisions"]] == ["config.on"]
    assert document["decisions"][0]["depends"][0]["name"] == "on"
    assert document["chain"][0]["how"] == "option pkgs (list of string)"
    assert [(hidden["value"], hidden["why"]) for hidden in document["hidden"]] == [
        (["base"], "the default of the option: overridden by priority 100"),
        (["never"], "condition is false"),
    ]
    assert [row["status"] for row in document["option"]["definitions"]].count("merged") == 3
