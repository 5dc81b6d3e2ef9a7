"""How the command line feels: hints for names, standard input, colours, help about the command, a manual page."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support import commands
from wherefrom.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def wherefrom(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=ROOT, input=stdin, **environment)


def test_a_wrong_file_name_shows_the_nearest() -> None:
    """Not nineteen paths."""
    assert "did you mean examples/control?" in wherefrom("compile", "examples/controll").stderr
    assert "there is no directory exampels" in wherefrom("compile", "exampels/control").stderr
    node = ["--node", "web01.example.org"]
    done = wherefrom("impact", "examples/control", "bsae.pp:3", *node)
    assert done.returncode == 2
    assert done.stderr.strip().endswith("did you mean examples/control/site/profile/manifests/base.pp?")


def test_standard_input() -> None:
    """`-` is Puppet, unless another language is named; places in it are told."""
    done = wherefrom("explain", "-", "Notify[a].message", "--where", stdin="notify { 'a': message => 'hello' }\n")
    assert "'hello'   -:1:26" in done.stdout
    wrong = wherefrom("compile", "-", stdin="notice(1\n")
    assert (wrong.returncode, "-:1:7" in wrong.stderr) == (1, True)
    assert wherefrom("compile", "-", "--language", "smartfrog", stdin="sfConfig extends { a 1; }\n").stdout == (
        "sfConfig extends {\n  a 1;\n}\n"
    )


def test_colours() -> None:
    """`FORCE_COLOR` colours what goes into a pipe; `NO_COLOR` wins."""
    question = ["lookup", "examples/control", "nginx::package", "--node", "web01.example.org"]
    assert "\x1b[" not in wherefrom(*question).stdout
    assert "\x1b[" in wherefrom(*question, FORCE_COLOR="1").stdout
    assert "\x1b[" not in wherefrom(*question, FORCE_COLOR="1", NO_COLOR="1").stdout


@pytest.mark.parametrize(
    ("command", "there", "not_there"),
    [
        ("lookup", ["--facts", "Options for Puppet:"], ["--argstr", "--max-nesting", "--nix"]),
        ("graph", ["--facts"], ["--argstr", "--max-nesting"]),
        ("compile", ["--facts", "--max-nesting"], ["--argstr", "--feature"]),
        ("explain", ["--facts", "--argstr", "--max-nesting", "Options for Nix:"], ["(Puppet)"]),
    ],
)
def test_help_is_about_the_command(command: str, there: list[str], not_there: list[str]) -> None:
    """Only the options of the command's own languages are listed, by language."""
    text = wherefrom(command, "--help").stdout
    assert [each for each in there if each not in text] == []
    assert [each for each in not_there if each in text] == []


def test_the_manual_page() -> None:
    """Every command and option, from the same source as `--help`; roff takes it."""
    page = wherefrom("man").stdout
    assert [name for name in COMMANDS if f'.SS "wherefrom {name}' not in page] == []
    assert ".B \\-\\-eyaml\\-key FILE" in page
    if shutil.which("groff"):
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tascii"], input=page, capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stderr == ""


def test_modules_that_are_not_there(tmp_path: Path) -> None:
    """A type or define whose module is missing says so, and what the Puppetfile says."""
    (tmp_path / "manifests").mkdir()
    (tmp_path / "Puppetfile").write_text("mod 'puppet/nginx', '4.0.0'\n")
    (tmp_path / "manifests/site.pp").write_text("nginx::resource::server { 'a': }\n")
    done = wherefrom("compile", str(tmp_path))
    assert "the Puppetfile names puppet/nginx, which is not in any directory of the modulepath" in done.stderr
    (tmp_path / "manifests/site.pp").write_text("class a (Stdlib::Host $h = 'x') { }\ninclude a\n")
    assert "module stdlib is not in any directory of the modulepath" in wherefrom("compile", str(tmp_path)).stderr
    (tmp_path / "manifests/site.pp").write_text("notice(upcas('a'))\n")
    words = "did you mean upcase? it may belong to a module that is not installed: the Puppetfile names puppet/nginx"
    assert words in wherefrom("compile", str(tmp_path)).stderr
