"""The command line for Nix: printing, selection, environment, roots, versions, flakes, options."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support import commands

ROOT = Path(__file__).resolve().parents[2]


def wherefrom(*arguments: str, cwd: Path = ROOT, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd, **environ)


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        ("[ (1 + 1) ]", "[2]"),
        ("{ a = { b = 1 + 1; }; }", '{"a":{"b":2}}'),
        ("map (x: x + 1) [ 1 2 ]", "[2,3]"),
        ('"x"', '"x"'),
    ],
)
def test_json_is_whole_and_has_no_line_end(expression: str, printed: str) -> None:
    """`--json` evaluates everything, with and without `--strict`, and prints no line end, as Nix."""
    assert wherefrom("eval", "-E", expression, "--json").stdout == printed
    assert wherefrom("eval", "-E", expression, "--json", "--strict").stdout == printed


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a.x", "the expression selected by the selection path 'a.x' should be a set but is an integer"),
        ("a.0", "the expression selected by the selection path 'a.0' should be a list but is an integer"),
        ("l.x", "the expression selected by the selection path 'l.x' should be a set but is a list"),
        ("b", "attribute 'b' in selection path 'b' not found"),
        ("l.5", "list index 5 in selection path 'l.5' is out of range"),
    ],
)
def test_selection_paths_in_errors(path: str, message: str) -> None:
    """The words are Nix's."""
    done = wherefrom("eval", "-E", "{ a = 1; l = [ 1 ]; }", "-A", path)
    assert (done.returncode, done.stderr.splitlines()[0].partition(": ")[2]) == (1, message)


def test_home_and_environment() -> None:
    """Nothing is visible unless it is shown."""
    assert wherefrom("eval", "-E", 'builtins.getEnv "SECRET"', SECRET="x").stdout == '""\n'
    assert wherefrom("eval", "-E", 'builtins.getEnv "SHOWN"', "--env", "SHOWN", SHOWN="x").stdout == '"x"\n'
    assert wherefrom("eval", "-E", "~/x", "--home", "/somewhere").stdout == "/somewhere/x\n"
    assert wherefrom("eval", "-E", "~/x").returncode == 1


def test_the_search_path_of_the_environment(tmp_path: Path) -> None:
    """`NIX_PATH` counts if it is shown, and what it names may be read."""
    (tmp_path / "default.nix").write_text("41")
    arguments = ("eval", "-E", "import <x> + 1")
    assert wherefrom(*arguments, "--env", "NIX_PATH", NIX_PATH=f"x={tmp_path}").stdout == "42\n"
    assert wherefrom(*arguments, NIX_PATH=f"x={tmp_path}").returncode == 1


def test_what_is_looked_for_below_an_unknown_home(tmp_path: Path) -> None:
    """nixpkgs looks for its configuration below HOME: the error says how to name one."""
    text = 'builtins.pathExists (builtins.getEnv "HOME" + "/.config/nixpkgs/overlays.nix")'
    assert "--home and --root" in wherefrom("eval", "-E", text).stderr
    assert wherefrom("eval", "-E", text, "--home", str(tmp_path), "--root", str(tmp_path)).stdout == "false\n"


@pytest.mark.parametrize("builtin", ["pathExists", "readDir", "readFile", "readFileType"])
def test_looking_outside_the_roots(builtin: str, tmp_path: Path) -> None:
    """It is an error that names `--root`, never an answer."""
    (tmp_path / "in").mkdir()
    done = wherefrom("eval", "--nix", "latest", "-E", f"builtins.{builtin} /etc", cwd=tmp_path / "in")
    assert done.returncode == 1
    assert "--root" in done.stderr
    allowed = wherefrom("eval", "-E", "builtins.pathExists /etc", "--root", "/etc", cwd=tmp_path / "in")
    assert allowed.stdout == "true\n"
    below = wherefrom("eval", "-E", "builtins.pathExists ./nothing", cwd=tmp_path / "in")
    assert below.stdout == "false\n"


@pytest.mark.parametrize("value", ["1", '"a"', "1.5", "null", "[ ]", "{ }", "./x"])
def test_asking_a_literal_for_its_type_is_quiet(value: str) -> None:
    """Nothing but the answer is printed."""
    names = ("isNull", "builtins.isInt", "builtins.isString", "builtins.isList", "builtins.isAttrs")
    tests = " ".join(f"({name} {value})" for name in names)
    done = wherefrom("eval", "--no-cache", "--strict", "-E", f"[ {tests} ]")
    assert (done.returncode, done.stderr) == (0, "")


def test_versions() -> None:
    """`--nix` and `--feature`; a word that is neither is a mistake of the user's."""
    assert wherefrom("eval", "--nix", "2.18", "-E", "builtins.nixVersion").stdout == '"2.18.0"\n'
    assert wherefrom("eval", "--nix", "7", "-E", "1").returncode == 2
    assert wherefrom("eval", "--nix", "latest", "--feature", "nonsense", "-E", "1").returncode == 2


FLAKE = "examples/flake"


def test_outputs_of_a_flake() -> None:
    """`DIR#ATTR`, from anywhere, and with `path:`."""
    path = "nixosConfigurations.web.config.services.openssh.ports"
    assert wherefrom("eval", f"{FLAKE}#{path}", "--json").stdout == "[22,4022]"
    assert wherefrom("eval", f"path:{FLAKE}#{path}", "--json").stdout == "[22,4022]"
    assert wherefrom("eval", f".#{path}", "--json", cwd=ROOT / FLAKE).stdout == "[22,4022]"
    missing = wherefrom("eval", f"{FLAKE}#nixosConfigurations.wbe")
    assert (missing.returncode, "did you mean 'web'?" in missing.stderr) == (1, True)


def test_explaining_an_output_of_a_flake() -> None:
    """One argument or two; JSON has the option."""
    path = "nixosConfigurations.web.config.services.web.port"
    one = json.loads(wherefrom("explain", f"{FLAKE}#{path}", "--json").stdout)
    two = json.loads(wherefrom("explain", FLAKE, path, "--json").stdout)
    assert one == two
    assert [row["status"] for row in one["option"]["definitions"]] == ["hidden", "hidden", "chosen"]


def test_an_option_that_fails() -> None:
    """The table on standard output, the error on the other, status 1; with `--missing` it is what was asked for."""
    path = f"{FLAKE}#nixosConfigurations.db.config.services.backup.target"
    done = wherefrom("explain", path)
    assert (done.returncode, "no definition" in done.stdout, "used but not defined" in done.stderr) == (
        1,
        True,
        True,
    )
    assert wherefrom("explain", path, "--missing").returncode == 0
    document = json.loads(wherefrom("explain", path, "--json").stdout)
    assert document["option"]["definitions"] == []
    assert "used but not defined" in document["error"]["message"]


def test_overriding_an_input(tmp_path: Path) -> None:
    """Another library for the same machines."""
    other = tmp_path / "flake.nix"
    other.write_text('{ outputs = { self }: { lib.nixosSystem = { modules }: "other"; }; }')
    done = wherefrom("eval", f"{FLAKE}#nixosConfigurations.web", "--override-input", "nixlib", str(tmp_path))
    assert done.stdout == '"other"\n'


def test_explaining_an_expression() -> None:
    """`-E` in place of a file, with a path into its value or without."""
    done = wherefrom("explain", "-E", "let a = 1; in { b = a + 2; }", "b")
    assert done.stdout.startswith("b = 3\n")
    assert "«string»:1:9" in done.stdout
    assert json.loads(wherefrom("explain", "-E", "1 + 2", "--json").stdout)["value"] == 3
    assert wherefrom("explain", "-E", "1", "file.nix", "x").returncode == 2


def test_a_module_alone_says_how_to_ask(tmp_path: Path) -> None:
    """`configuration.nix` is a function: its options are asked of the host that it is part of."""
    (tmp_path / "configuration.nix").write_text("{ config, pkgs, ... }: { services.openssh.enable = true; }\n")
    done = wherefrom("explain", "configuration.nix", "services.openssh.enable", cwd=tmp_path)
    assert done.returncode == 1
    assert "import <nixpkgs/nixos> { configuration = ./configuration.nix; }" in done.stderr
