"""A diagnostic is shown once for each place."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import wherefrom
from wherefrom.cli.main import status_of
from wherefrom.cli.main import wherefrom as command

MANIFEST = """notice("a \\q b \\q c \\q")
notice("\\q \\w")
[1, 2].each |$n| { warning('said by the manifest') }
"""


def test_check_tells_once(tmp_path: Path) -> None:
    """Three odd escapes of one kind in one string are one warning; another kind, and another string, are others."""
    (tmp_path / "site.pp").write_text(MANIFEST)
    answer = json.loads(CliRunner().invoke(command, ["check", "--json", str(tmp_path / "site.pp")]).stdout)
    told = [(problem["line"], problem["message"][-2:]) for problem in answer["diagnostics"]]
    assert told == [(1, "q'"), (2, "q'"), (2, "w'")]
    assert len(wherefrom.check(str(tmp_path / "site.pp"))) == 3


def test_compile_tells_once(tmp_path: Path) -> None:
    """The same among the lines of a compilation; what the manifest itself says twice is there twice."""
    (tmp_path / "site.pp").write_text(MANIFEST)
    logs = [log.message for log in wherefrom.compile(str(tmp_path / "site.pp")).logs if log.level == "warning"]
    assert [line for line in logs if "escape" in line] == [
        "Unrecognized escape sequence '\\q'",
        "Unrecognized escape sequence '\\q'",
        "Unrecognized escape sequence '\\w'",
    ]
    assert logs.count("said by the manifest") == 2


def test_modules_are_told_once(tmp_path: Path) -> None:
    """Also of a file that is read while a catalog is compiled."""
    manifests = tmp_path / "modules" / "m" / "manifests"
    manifests.mkdir(parents=True)
    (manifests / "init.pp").write_text('class m { notice("\\q \\q \\q") }\n')
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / "site.pp").write_text("include m\n")
    logs = [log.message for log in wherefrom.compile(str(tmp_path), no_cache=True).logs if log.level == "warning"]
    assert logs == ["Unrecognized escape sequence '\\q'"]


# In each language: a file with something wrong at two places, and two files that lead to it.
PROJECTS = {
    "puppet": {
        "manifests/site.pp": "include m\ninclude m\n",
        "manifests/zz.pp": "include m\n",
        "modules/m/manifests/init.pp": 'class m { notice("a \\q b \\q c \\q")\n notice("\\q") }\n',
    },
    "smartfrog": {
        "common.sf": "b extends {\n  x DATA;\n  y DATA;\n}\n",
        "one.sf": '#include "common.sf"\n#include "common.sf"\nsfConfig extends { a 1; }\n',
        "two.sf": '#include "common.sf"\nsfConfig extends { a 1; }\n',
    },
    "nix": {
        "common.nix": "let f = x: nowhere + x; in [\n nowhere (f 1) (f 2) ]\n",
        "one.nix": "[ (import ./common.nix) (import ./common.nix) ]\n",
        "two.nix": "import ./common.nix\n",
    },
}


@pytest.fixture(params=sorted(PROJECTS))
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A directory with files of one language, which is the current one."""
    for name, text in PROJECTS[request.param].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return str(request.param)


def ways_to_the_files() -> list[str]:
    """The current directory, by all the names that somebody might give it and the files in it."""
    files = sorted(str(path) for path in Path().rglob("*") if path.is_file())
    return [".", *files, str(Path.cwd()), *(f"./{file}" for file in files)]


@pytest.mark.usefixtures("project")
def test_json_tells_each_place_once() -> None:
    """However often a file is named or included, and by whatever names."""
    result = CliRunner().invoke(command, ["check", "--json", *ways_to_the_files()])
    answer = json.loads(result.stdout)
    told = Counter(
        (Path(one["file"]).name, one["line"], one["column"], one["message"]) for one in answer["diagnostics"]
    )
    assert len(told) == 2
    assert set(told.values()) == {1}
    assert answer["files"] == 3


@pytest.mark.usefixtures("project")
def test_text_tells_each_place_once() -> None:
    """The same for a person."""
    result = CliRunner().invoke(command, ["check", *ways_to_the_files()])
    assert len(re.findall(r"^ --> ", result.stderr, re.MULTILINE)) == 2
    assert "3 files checked: " in result.stdout


def test_running_tells_each_place_once(project: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Also when the configuration is run: what two files lead to, and what is evaluated twice."""
    words = {
        "puppet": ["compile", "."],
        "smartfrog": ["compile", "one.sf"],
        "nix": ["eval", "--strict", "one.nix"],
    }[project]
    status_of(words)
    stderr = capfd.readouterr().err
    places = re.findall(r"(?:^ --> |\()(\S*(?:init\.pp|common\.\w+):\d+:\d+)", stderr, re.MULTILINE)
    assert len(places) == len(set(places)) == 2
