"""Nodes that do not compile: told with the place, equal ones together, and again when the place has moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fleets import write
from wherefrom.cli.main import status_of

pytest.importorskip("pyarrow")

FILES = {
    "environment.conf": "",
    "manifests/site.pp": "$port = 80\nif $facts['role'] == 'broken' {\n  fail('it is broken')\n}\n",
    "facts/a.yaml": "role: plain\n",
    "facts/b.yaml": "role: broken\n",
    "facts/c.yaml": "role: broken\n",
    "facts/d.yaml": "role: [a\n",
}


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "c", FILES)
    monkeypatch.chdir(tmp_path / "c")
    return tmp_path / "c"


def compiled(capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert status_of(["fleet", "compile", ".", "--facts", "facts", "--store", "../s", "--jobs", "1"]) == 1
    return capsys.readouterr().out.splitlines()


def test_failures_have_their_place(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Line and column; when code is put in above, the new ones."""
    told = compiled(capsys)
    assert told[0].startswith("b, c  manifests/site.pp:3:3: ") and told[0].endswith("it is broken")
    assert told[1].startswith("d  facts/d.yaml:1:7: cannot use facts/d.yaml as facts: ")
    assert told[2] == "4 nodes: 1 compiled, 0 kept, 3 failed"
    assert compiled(capsys)[2] == "4 nodes: 0 compiled, 1 kept, 3 failed"
    write(fleet, {"manifests/site.pp": "# a line\n" + FILES["manifests/site.pp"]})
    assert compiled(capsys)[0].startswith("b, c  manifests/site.pp:4:3: ")


def test_a_comment_says_who_fails_and_what_a_gate_stops(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever reads the comment need not look for them in the job's output; and no text in it gets out of its fence."""
    spoilt = "fail(\"a ``` fence\")\n"  # fmt: skip
    write(fleet, {"facts/d.yaml": "role: plain\n", "manifests/site.pp": "notify { 'n': }\n"})
    write(
        fleet.parent / "b",
        {**FILES, "facts/d.yaml": "", "manifests/site.pp": f"if $facts['role'] != 'plain' {{ {spoilt} }}"},
    )
    words = [".", "../b", "--facts", "facts", "--jobs", "1", "--format", "markdown", "--fail-on", "Notify[*] removed"]
    assert status_of(["fleet", "diff", *words]) == 1
    comment = capsys.readouterr().out
    assert (
        "**stopped by a gate**: &#39;Notify&#91;&#42;&#93; removed&#39;: Notify&#91;n&#93; removed on 2 nodes"
        in comment
    )
    assert "**does not compile**: 2 nodes: b, c\n\n````\nerror[" in comment
    assert comment.index("does not compile") < comment.index("<details>")
