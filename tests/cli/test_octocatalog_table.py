"""The table against octocatalog-diff, row by row: commands run, options exist, and no option of it is left out."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from support.commands import wherefrom

PAGE = (Path(__file__).resolve().parents[2] / "docs/comparison.md").read_text()
TABLE = PAGE.partition("option by option")[2].partition("\n## ")[0]
ROWS = re.findall(r"^\| ([a-z_, ]+) \| (has|differs|no need|no) \| (.+) \|$", TABLE, re.M)
COMMANDS = [span for _, _, here in ROWS for span in re.findall(r"`(wherefrom [^`]+)`", here)]
OPTIONS = sorted({option for _, _, here in ROWS for option in re.findall(r"`(--[a-z-]+)`", here)})
FILES = {
    "manifests/site.pp": "include web\n",
    "modules/web/manifests/init.pp": """class web (Integer $port, String $mode = '0644') {
  file { '/etc/web.conf': content => "port ${port}\\n", mode => $mode }
  file { '/etc/acl': source => 'puppet:///modules/web/acl' }
  notify { $facts['os']['family']: }
}
""",
    "modules/web/files/acl": "admin rw\n",
    "hiera.yaml": "version: 5\nhierarchy:\n  - name: c\n    path: common.yaml\n",
    "data/common.yaml": "web::port: 80\n",
    "facts/web01.yaml": "os: {family: Debian}\n",
    "facts/web02.yaml": "os: {family: Debian}\n",
    "enc.yaml": "classes: [web]\nparameters: {tier: one}\n",
    "answers.yaml": "functions: {}\n",
    "wherefrom.toml": 'environment = "."\nfacts = "facts"\n',
}


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit, another port and another static file in the work tree, and a saved catalog."""
    root = tmp_path_factory.mktemp("control")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(["git", *person, *words], cwd=root, check=True)
    assert wherefrom("compile", "--node", "web01", "--save", "saved.json", cwd=root).returncode == 0
    (root / "data/common.yaml").write_text("web::port: 8080\n")
    (root / "modules/web/files/acl").write_text("admin rw\nguest r\n")
    (root / "modules/web/manifests/init.pp").write_text(FILES["modules/web/manifests/init.pp"].replace("0644", "0600"))
    return root


def test_every_option_has_a_row() -> None:
    """Octocatalog-diff defines an option, or several alike, in each of 82 files."""
    names = [name.strip() for options, _, _ in ROWS for name in options.split(",")]
    assert len(names) == len(set(names)) == 82


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_table(control: Path, command: str) -> None:
    """It succeeds, and a comparison says what the two edits did, as far as it was asked for that."""
    words = shlex.split(command)[1:]
    done = wherefrom(*words, cwd=control)
    assert done.returncode == 0, done.stderr
    if words[0] == "diff" and "--fact" in words:
        assert "Notify[RedHat]" in done.stdout
    elif words[0] == "diff" and "--format" not in words and "--json" not in words:
        assert 'changed File[/etc/web.conf].content: "port 80\\n" -> "port 8080\\n"' in done.stdout
        assert ("changed File[/etc/web.conf].mode" in done.stdout) is ("--ignore" not in words)
        if "saved.json" not in words:
            assert "guest r" in done.stdout


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_the_table(option: str) -> None:
    """Some command that compares or compiles has it."""
    helps = [wherefrom(*words, "--help").stdout for words in (["diff"], ["compile"], ["fleet", "diff"])]
    assert any(re.search(rf"{option}\b", text) for text in helps)


def test_a_reference_to_nothing_is_an_error(control: Path) -> None:
    """As with `--validate-references`, for all four relationships."""
    for name in ("before", "require", "notify", "subscribe"):
        (control / "bad.pp").write_text(f"notify {{ 'a': {name} => File['/none'] }}\n")
        done = wherefrom("compile", "bad.pp", "--node", "web01", cwd=control)
        assert (done.returncode, "File[/none]" in done.stderr) == (1, True)
