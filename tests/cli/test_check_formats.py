"""`wherefrom check --format`: what other tools read."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from support import commands
from support.sarif import problems

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


def test_sarif_keeps_to_its_schema(files: Path) -> None:
    """Of `check` with places of all sorts, and of `policy`; and what does not keep to it is noticed."""
    (files / "data").mkdir()
    (files / "hiera.yaml").write_text("version: 5\n")
    (files / "data/common.yaml").write_text("a: [1\n")
    (files / "open.pp").write_text("if true {\n")
    (files / ODD_NAME).write_text(BROKEN)
    checked = json.loads(check("sarif", ".", cwd=files).stdout)
    rules = commands.ROOT / "examples/policy/control.toml"
    where = ("policy", str(commands.ROOT / "examples/control"), "--rules", str(rules), "--format", "sarif")
    followed = json.loads(commands.wherefrom(*where, cwd=files).stdout)
    assert len(checked["runs"][0]["results"]) >= 7 and followed["runs"][0]["results"]
    for document in (checked, followed):
        assert document["$schema"].endswith("sarif-2.1.0.json")
        assert [*problems(document)] == []
        result = document["runs"][0]["results"][0]
        result["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
        result["severity"] = "high"
        del result["message"]
        assert len([*problems(document)]) == 3


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


PLAN = """plan app::deploy (TargetSpec $nodes) {
  apply($nodes) { include app }
  return run_task('app::restart', $nodes)
}
"""


def test_plans_have_rules_of_their_own(tmp_path: Path) -> None:
    """Words of Bolt in `plans`, and no resources there; elsewhere `plan` is no word of the language."""
    folder = tmp_path / "modules/app/plans"
    folder.mkdir(parents=True)
    (folder / "deploy.pp").write_text(PLAN)
    assert commands.wherefrom("check", ".", cwd=tmp_path).returncode == 0
    (folder / "bad.pp").write_text("plan app::bad () { file { '/x': ensure => file } }\n")
    (tmp_path / "modules/app/manifests").mkdir()
    (tmp_path / "modules/app/manifests/deploy.pp").write_text(PLAN)
    problems = json.loads(check("json", ".", cwd=tmp_path).stdout)["diagnostics"]
    assert [(Path(each["file"]).parent.name, each["line"], each["code"]) for each in problems] == [
        ("manifests", 1, "P035"),
        ("plans", 1, "P095"),
    ]


def test_a_file_a_folder_and_a_project_are_summed_up_alike(tmp_path: Path) -> None:
    """The same files, counts and words, with templates in Ruby and data; what only looks like these is left alone."""
    files = {
        "environment.conf": "modulepath = modules\n",
        "hiera.yaml": "version: 5\nhierarchy:\n  - name: c\n    path: common.yaml\n",
        "data/common.yaml": "a: [1\n",
        "manifests/site.pp": "include m\n",
        "modules/m/manifests/init.pp": "class m {\n  file { '/b': mode =>\n  }\n}\n",
        "modules/m/templates/t.erb": "<% if %>\n",
        "modules/m/files/data/list.json": "[1]\n",
        "modules/m/files/view.erb": "<% if %>\n",
        "wherefrom.toml": 'environment = "."\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for words in ((), (".",), ("data", "manifests", "modules"), (str(tmp_path),)):
        done = commands.wherefrom("check", *words, cwd=tmp_path)
        assert done.stdout == "4 files checked: 3 errors, 0 warnings\n", done.stderr
    for name in ("data/common.yaml", "modules/m/manifests/init.pp", "modules/m/templates/t.erb"):
        assert commands.wherefrom("check", name, cwd=tmp_path).stdout == "1 file checked: 1 error, 0 warnings\n"
    document = json.loads(check("json", cwd=tmp_path).stdout)
    assert [each["file"] for each in document["diagnostics"]] == sorted(
        each["file"] for each in document["diagnostics"]
    )


def test_formats_are_checked(files: Path) -> None:
    """An unknown format is a wrong use."""
    assert check("html", "good.pp", cwd=files).returncode == 2
