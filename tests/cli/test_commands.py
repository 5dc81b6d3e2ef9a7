"""The command line: every command on a small program, exit statuses, bad input, start-up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support import commands

ROOT = Path(__file__).resolve().parents[2]

WEB = """\
Service extends { running true; port 80; }
sfConfig extends {
  web extends Service, { port 8080; }
  db extends Service
}
"""


def wherefrom(*arguments: str, given: str | bytes = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd, input=given)


@pytest.fixture
def web(tmp_path: Path) -> Path:
    (tmp_path / "web.sf").write_text(WEB)
    return tmp_path


def test_compile_prints_json_yaml_and_text(web: Path) -> None:
    """One outcome, three forms, order kept."""
    wanted = {"web": {"running": True, "port": 8080}, "db": {"running": True, "port": 80}}
    as_json = wherefrom("compile", "web.sf", "--json", cwd=web)
    assert json.loads(as_json.stdout) == wanted
    assert list(json.loads(as_json.stdout)["web"]) == ["running", "port"]
    assert "port: 8080" in wherefrom("compile", "web.sf", "--yaml", cwd=web).stdout
    assert "port 8080;" in wherefrom("compile", "web.sf", cwd=web).stdout
    assert wherefrom("compile", "web.sf", "--yaml", "--json", cwd=web).returncode == 2


def test_explain_json_keeps_the_contract(web: Path) -> None:
    """Path, value, where, expression, depends, chain, hidden."""
    document = json.loads(wherefrom("explain", "web.sf", "web:port", "--json", cwd=web).stdout)
    assert document["path"] == "web:port"
    assert document["value"] == 8080
    assert document["where"] == {"kind": "literal", "file": "web.sf", "line": 3, "column": 31, "text": "8080"}
    assert [each["value"] for each in document["hidden"]] == [80]
    assert {"expression", "depends", "chain"} <= document.keys()


def test_explain_shows_only_what_is_asked_for(web: Path) -> None:
    """--where, --how and --depends narrow the story."""
    assert "hides" not in wherefrom("explain", "web.sf", "web:port", "--where", cwd=web).stdout
    assert "hides" in wherefrom("explain", "web.sf", "web:port", "--how", cwd=web).stdout


def test_impact_names_what_may_change(web: Path) -> None:
    """The prototype's port reaches the component that does not override it."""
    document = json.loads(wherefrom("impact", "web.sf", "web.sf:1:38", "--json", cwd=web).stdout)
    assert [each["path"] for each in document["affected"]] == ["db:port"]
    assert document["unaffected"] == 3


@pytest.mark.parametrize("target", ["nonsense", "other.sf:3", "fact"])
def test_impact_of_no_input_is_wrong_usage(web: Path, target: str) -> None:
    """A misspelt input is status 2, not an empty answer."""
    assert wherefrom("impact", "web.sf", target, cwd=web).returncode == 2


def test_diff_names_the_edit(web: Path) -> None:
    """A changed output is blamed on the changed line; a saved outcome serves as well as a file."""
    (web / "new.sf").write_text(WEB.replace("8080", "8081"))
    wherefrom("compile", "web.sf", "--save", "old.json", cwd=web)
    for before in ("web.sf", "old.json"):
        document = json.loads(wherefrom("diff", before, "new.sf", "--json", cwd=web).stdout)
        (difference,) = document["differences"]
        assert (difference["path"], difference["before"], difference["after"]) == ("web:port", 8080, 8081)
        assert difference["edits"][0]["after"] == ["  web extends Service, { port 8081; }"]
    assert "no differences" in wherefrom("diff", "web.sf", "web.sf", cwd=web).stdout


def test_diff_sees_a_changed_order(tmp_path: Path) -> None:
    """Order is part of the meaning."""
    (tmp_path / "a.sf").write_text("sfConfig extends { x 1; y 2; }")
    (tmp_path / "b.sf").write_text("sfConfig extends { y 2; x 1; }")
    document = json.loads(wherefrom("diff", "a.sf", "b.sf", "--json", cwd=tmp_path).stdout)
    assert [each["change"] for each in document["differences"]] == ["order"]


def test_step_shows_the_rules(web: Path) -> None:
    """Each store with the definition that made it."""
    done = wherefrom("step", "web.sf", cwd=web)
    assert "Def 18 inherit" in done.stdout
    assert json.loads(wherefrom("step", "web.sf", "--json", cwd=web).stdout)["steps"]


def test_check_reports_all_errors_of_all_files(web: Path) -> None:
    """Good and bad files together: status 1, every bad one named."""
    (web / "bad.sf").write_text("a 1\nb 2;\nc [1,;\n")
    (web / "worse.sf").write_bytes(b"\xff\xfe")
    done = wherefrom("check", ".", "--json", cwd=web)
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert document["files"] == 3
    assert {Path(each["file"]).name for each in document["diagnostics"]} == {"bad.sf", "worse.sf"}
    assert wherefrom("check", "web.sf", cwd=web).returncode == 0


def test_batch_answers_every_line_in_order() -> None:
    """Requests, rubbish and errors each get one answer, flushed at once."""
    lines = [
        json.dumps({"id": 1, "language": "smartfrog", "manifest": "sfConfig extends { a 1; }"}),
        "not json",
        json.dumps({"id": 2, "language": "smartfrog", "manifest": "sfConfig extends { a b; }"}),
        json.dumps({"id": 3, "language": "klingon", "manifest": ""}),
        "[]",
    ]
    done = wherefrom("batch", given="\n".join(lines))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(answer["id"], answer["ok"]) for answer in answers] == [
        (1, True),
        (None, False),
        (2, False),
        (3, False),
        (None, False),
    ]
    assert answers[2]["error"]["line"] == 1


def test_errors_have_a_place_and_status_one(web: Path) -> None:
    """Wrong configuration: status 1, source line and caret on stderr, nothing on stdout."""
    (web / "bad.sf").write_text("sfConfig extends { a nosuch; }")
    done = wherefrom("compile", "bad.sf", "--json", cwd=web)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "bad.sf:1:22" in done.stderr
    assert "^^^^^^" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["compile"], 2),
        (["compile", "missing.sf"], 1),
        (["compile", "web.txt"], 1),
        (["comple"], 2),
        (["compile", "web.sf", "--nope"], 2),
        (["explain", "web.sf", "web:nope"], 1),
        (["explain", "web.sf", "web:nope", "--missing"], 0),
        (["completion", "tcsh"], 2),
        (["--help"], 0),
        (["explain", "--help"], 0),
        (["--version"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_exit_status(web: Path, arguments: list[str], status: int) -> None:
    """0 success, 1 wrong configuration, 2 wrong usage; never a traceback."""
    done = wherefrom(*arguments, cwd=web)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


def test_a_bug_of_ours_is_status_three(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An unforeseen exception says that it is our fault, without a traceback."""
    from wherefrom.cli import main

    def broken(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(main.wherefrom, "main", broken)
    assert main.status_of(["compile", "x.sf"]) == 3
    error = capsys.readouterr().err
    assert "bug in wherefrom" in error
    assert "Traceback" not in error


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    """Each shell gets a script that mentions our command."""
    assert "wherefrom" in wherefrom("completion", shell).stdout


def test_saved_outcomes_that_are_damaged_are_refused(web: Path) -> None:
    """A saved outcome cut in two, or a JSON file of something else, is an error with status 1."""
    wherefrom("compile", "web.sf", "--save", "old.json", cwd=web)
    (web / "cut.json").write_text((web / "old.json").read_text()[:200])
    (web / "other.json").write_text("{}")
    for name in ("cut.json", "other.json"):
        done = wherefrom("explain", name, "web:port", cwd=web)
        assert done.returncode == 1
        assert "W007" in done.stderr
    assert wherefrom("explain", "old.json", "web:port", cwd=web).stdout.startswith("web:port = 8080")


def test_small_things_start_without_heavy_imports(web: Path) -> None:
    """Neither rendering nor YAML is loaded to compile a small file; start-up stays quick."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "wherefrom", "compile", "web.sf", "--json"],
        capture_output=True,
        cwd=web,
        text=True,
        check=True,
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert not loaded & {"rich", "yaml", "dataclasses", "difflib", "asyncio", "hypothesis"}


def test_logs_from_notice_up_are_shown(tmp_path: Path) -> None:
    """What a configuration says quietly stays in the outcome; real modules say a lot."""
    (tmp_path / "a.pp").write_text("debug('one')\ninfo('two')\nnotice('three')\nwarning('four')\n")
    done = wherefrom("compile", "a.pp", cwd=tmp_path)
    assert [line.split(": ")[-1] for line in done.stderr.splitlines()] == ["three", "four"]
