"""`wherefrom check --format`: what other tools read."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from support import commands

BROKEN = "file { '/a':\n  mode =>\n}\n"
ODD_NAME = "odd,na:me %0A.pp"


def check(form: str, *paths: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return commands.wherefrom("check", "--format", form, *paths, cwd=cwd)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "good.pp").write_text("notice('x')\n")
    (tmp_path / "broken.pp").write_text(BROKEN)
    (tmp_path / "twice.pp").write_text("5\nif true { class c {} }\nif true { class d {} }\n")
    (tmp_path / "latin.pp").write_bytes(b"notice('\\xe9')\n".replace(b"\\xe9", bytes([0xE9])))
    return tmp_path


def test_sarif(files: Path) -> None:
    """One run; every result names a rule of the run, a file below the repository and a region."""
    done = check("sarif", ".", cwd=files)
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    assert all(rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"])
    places: dict[str, list[int]] = {}
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        place = result["locations"][0]["physicalLocation"]
        places.setdefault(place["artifactLocation"]["uri"], []).append(place["region"]["startLine"])
    assert places == {"broken.pp": [3], "latin.pp": [1], "twice.pp": [1, 2, 3]}


def test_a_fingerprint_outlives_new_lines_above(files: Path) -> None:
    """The same finding further down is the same finding."""

    def fingerprints() -> list[dict[str, str]]:
        results = json.loads(check("sarif", "broken.pp", cwd=files).stdout)["runs"][0]["results"]
        return [result["partialFingerprints"] for result in results]

    before = fingerprints()
    (files / "broken.pp").write_text("# one\n# two\n" + BROKEN)
    assert fingerprints() == before


def test_nothing_to_report_is_still_a_document(files: Path) -> None:
    """An empty run tells code scanning that everything is mended."""
    done = check("sarif", "good.pp", cwd=files)
    assert done.returncode == 0
    assert json.loads(done.stdout)["runs"][0]["results"] == []


def test_workflow_commands(files: Path) -> None:
    """One line each, with place and title; nothing in a name can end a property."""
    (files / ODD_NAME).write_text(BROKEN)
    done = check("github", "broken.pp", ODD_NAME, cwd=files)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert re.fullmatch(
        r"::error file=broken\.pp,line=3,col=1,endLine=3,endColumn=2,title=wherefrom P\d+::.+", lines[0]
    )
    assert lines[1].startswith("::error file=odd%2Cna%3Ame %250A.pp,line=3,")


def test_formats_are_checked(files: Path) -> None:
    """An unknown format is a wrong use."""
    assert check("html", "good.pp", cwd=files).returncode == 2
