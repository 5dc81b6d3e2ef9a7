"""`--facts`: the forms a file of facts may have, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support import commands
from wherefrom.base.diagnostics import CannotRead
from wherefrom.cli.facts import BadFacts, read_facts

SAVED = """\
--- !ruby/object:Puppet::Node::Facts
name: web01
timestamp: '2020-01-01T10:00:00.123+00:00'
expiration: '2020-01-01T10:30:00.123+00:00'
values:
  kernel: Linux
"""


@pytest.mark.parametrize(
    ("name", "text", "facts"),
    [
        ("facts.yaml", "kernel: Linux\nos: { family: Debian, release: [12, 5] }\n",
         {"kernel": "Linux", "os": {"family": "Debian", "release": [12, 5]}}),
        ("facts.json", '{"kernel": "Linux", "ok": true, "load": 0.5}', {"kernel": "Linux", "ok": True, "load": 0.5}),
        ("saved.yaml", SAVED, {"kernel": "Linux"}),
        ("dates.yaml", "a: 2020-01-01\nb: 2020-01-01 10:00:00\n", {"a": "2020-01-01", "b": "2020-01-01 10:00:00"}),
        ("named.yaml", "name: web01\nvalues: [1]\n", {"name": "web01", "values": [1]}),
    ],
)  # fmt: skip
def test_forms(tmp_path: Path, name: str, text: str, facts: dict[str, Any]) -> None:
    """YAML, JSON, and what Puppet saves; dates are texts."""
    (tmp_path / name).write_text(text)
    assert read_facts(str(tmp_path / name), "web01") == facts


def test_a_directory_has_a_file_for_each_node(tmp_path: Path) -> None:
    """The file of the node that is asked for; without one, an error that names it."""
    (tmp_path / "web01.yaml").write_text("kernel: Linux\n")
    (tmp_path / "web02.json").write_text('{"kernel": "Other"}')
    assert read_facts(str(tmp_path), "web01") == {"kernel": "Linux"}
    assert read_facts(str(tmp_path), "web02") == {"kernel": "Other"}
    with pytest.raises(CannotRead, match=r"web03\.yaml.*no facts for this node"):
        read_facts(str(tmp_path), "web03")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("list.yaml", "- a\n", "expected a mapping from names to values, found list"),
        ("empty.yaml", "", "found NoneType"),
        ("broken.yaml", "a: [1\n", "while parsing a flow sequence"),
        ("broken.json", "{", "Expecting property name"),
        ("object.yaml", "a: !ruby/object:Thing x\n", "could not determine a constructor"),
    ],
)
def test_bad_facts(tmp_path: Path, name: str, text: str, reason: str) -> None:
    """What is no mapping, or no text of its kind, is refused with the reason."""
    (tmp_path / name).write_text(text)
    with pytest.raises(BadFacts, match=reason) as problem:
        read_facts(str(tmp_path / name), None)
    assert (problem.value.span is not None) == (name.startswith(("broken", "object")))


def test_facts_are_read_within_the_budget_that_is_asked_for(tmp_path: Path) -> None:
    """Very many facts meet a bound, and the option that its message names allows more."""
    (tmp_path / "site.pp").write_text("notice(length($facts['k']))\n")
    (tmp_path / "facts.yaml").write_text("k:\n" + "- {a: [1, {b: c}]}\n" * 100)
    command = ["compile", "site.pp", "--facts", "facts.yaml", "--budget"]
    refused = commands.wherefrom(*command, "nodes=300", cwd=tmp_path)
    assert (refused.returncode, "the budget of nodes is spent reading facts.yaml" in refused.stderr) == (1, True)
    assert "--budget nodes=3000" in refused.stderr
    allowed = commands.wherefrom(*command, "nodes=3000", cwd=tmp_path)
    assert (allowed.returncode, "notice: 100" in allowed.stdout + allowed.stderr) == (0, True), allowed.stderr
