"""Every command without the extras of the installation: what needs one says so and what to type, all else works."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from support.commands import ROOT, wherefrom
from wherefrom.base.extras import EXTRAS
from wherefrom.cli.main import COMMANDS

CONTROL = "examples/control"
NODE = ("--node", "web01.example.org")
PACKAGES = tuple(package for _, packages in EXTRAS.values() for package in packages)
WITHOUT = """
import contextlib, io, json, sys
lines, packages = json.loads(sys.stdin.read())

class Others:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in packages:
            for finder in finders:
                if spec := finder.find_spec(name, path, target):
                    return spec

    def find_distributions(self, *context):
        for finder in finders:
            yield from getattr(finder, "find_distributions", lambda *_: ())(*context)

finders = sys.meta_path[:]
sys.meta_path[:] = [Others()]
from wherefrom.cli.main import status_of
said = []
for line in lines:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as words:
        sys.stdin = io.StringIO("")
        sys.stdin.buffer = io.BytesIO(b"")
        said.append((status_of(line), words.getvalue()))
print(json.dumps(said))
"""
"""A process in which these packages can not be imported, as in an environment that does not have them."""

WORK: dict[str, list[str]] = {
    "compile": [CONTROL, *NODE],
    "eval": ["-E", "1 + 1"],
    "explain": [CONTROL, "File[/root/.pgpass].content", "--node", "db01.example.org"],
    "lookup": [CONTROL, "profile::db::password", "--node", "db01.example.org", "--eyaml-key",
               f"{CONTROL}/keys/private_key.pkcs7.pem"],
    "impact": [CONTROL, "fact:os.family", *NODE],
    "diff": ["examples/firewall/before/test.sf", "examples/firewall/test.sf"],
    "set": [CONTROL, "Class[Profile::Wiki].port=444", *NODE],
    "influence": [CONTROL, "File[/etc/motd].mode", *NODE],
    "policy": [CONTROL, "--rules", "TMP/rules.toml", "--nodes"],
    "step": ["examples/mupuppet/override.pp"],
    "graph": [CONTROL, *NODE],
    "report": [CONTROL, *NODE, "-o", "TMP/report.html"],
    "check": [CONTROL],
    "batch": [],
    "init": ["TMP/control"],
    "record": ["TMP/answers.yaml", CONTROL, *NODE, "--allow", "clock"],
    "trust": ["TMP/control"],
    "warm": ["examples/nix"],
    "man": [],
    "completion": ["bash"],
}  # fmt: skip
"""Commands that need no extra; among them an ERB template and encrypted data."""
RULE = """
[[policy]]
name = "no node has a mode of its own"
outputs = ["File[/etc/motd].mode"]
never = { depends = ["data/nodes/**"] }
"""
NEED: dict[str, tuple[str, list[str]]] = {
    "serve": ("web", [CONTROL, *NODE, "--no-browser"]),
    "lsp": ("editor", []),
    "fleet compile": ("fleet", [CONTROL, "--store", "TMP/new"]),
    "fleet diff": ("fleet", [CONTROL, CONTROL, "--store", "TMP/new"]),
    "fleet impact": ("fleet", ["fact:role", "--store", "TMP/store"]),
    "fleet where-used": ("fleet", [f"{CONTROL}/manifests/site.pp:8", "--store", "TMP/store"]),
    "fleet find": ("fleet", ["File", "--store", "TMP/store"]),
    "fleet lookup": ("fleet", ["profile::wiki::port", "--store", "TMP/store"]),
    "fleet dead": ("fleet", [CONTROL, "--store", "TMP/store"]),
    "fleet drift": ("fleet", ["--store", "TMP/store"]),
    "fleet sql": ("fleet", ["select 1", "--store", "TMP/store"]),
    "fleet plot": ("fleet", ["reach", "--store", "TMP/store", "-o", "TMP/a.svg"]),
    "report": ("fleet", [CONTROL, *NODE, "--store", "TMP/store", "-o", "TMP/a.html"]),
}


def without(packages: tuple[str, ...], lines: list[list[str]]) -> list[tuple[int, str]]:
    """The status of each command line and what it said on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        input=json.dumps([lines, packages]), cwd=ROOT, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    answers: list[tuple[int, str]] = json.loads(done.stdout)
    return answers


def named(lines: dict[str, list[str]], folder: Path) -> list[list[str]]:
    return [[*name.split(), *(word.replace("TMP", str(folder)) for word in words)] for name, words in lines.items()]


def all_commands() -> Iterator[str]:
    for name in COMMANDS:
        command: click.Command = import_module(f"wherefrom.cli.{name}").command
        yield from [f"{name} {below}" for below in command.commands] if isinstance(command, click.Group) else [name]


def test_every_command_is_tried() -> None:
    assert {*WORK, *NEED} == set(all_commands())


def test_what_needs_none_works(tmp_path: Path) -> None:
    """Status 0 and not a word about a package."""
    (tmp_path / "control/manifests").mkdir(parents=True)
    (tmp_path / "rules.toml").write_text(RULE)
    for name, (status, words) in zip(WORK, without(PACKAGES, named(WORK, tmp_path)), strict=True):
        assert status == 0 and "pip install" not in words and "error" not in words, (name, status, words)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with a store, which was written when the extra was there."""
    pytest.importorskip("duckdb")
    assert wherefrom("fleet", "compile", CONTROL, "--store", str(tmp_path / "store")).returncode == 0
    return tmp_path


def test_what_needs_one_says_so(folder: Path) -> None:
    """Status 2, one line that names the extra and what to type, and nothing is made."""
    lines = {name: words for name, (_, words) in NEED.items()}
    for (name, (extra, _)), (status, words) in zip(NEED.items(), without(PACKAGES, named(lines, folder)), strict=True):
        said = [line for line in words.splitlines() if not line.startswith("warning: ")]
        assert status == 2 and len(said) == 1, (name, status, words)
        assert said[0].startswith("wherefrom: ") and said[0].endswith(f": pip install 'wherefrom[{extra}]'"), words
        assert f"'{extra}'" in said[0] and "is not installed" in said[0]
    assert list(folder.iterdir()) == [folder / "store"]


def test_what_needs_one_more(folder: Path) -> None:
    """Where stores can be read: drawing, a cluster, the server."""
    store = str(folder / "store")
    lines = [
        ["fleet", "plot", "reach", "--store", store, "-o", str(folder / "reach.svg")],
        ["fleet", "compile", CONTROL, "--store", f"{store}2", "--ray", "local"],
        ["serve", CONTROL, *NODE, "--no-browser", "--store", store],
    ]
    packages = tuple(package for extra in ("plot", "ray", "web") for package in EXTRAS[extra][1])
    for extra, (status, words) in zip(("plot", "ray", "web"), without(packages, lines), strict=True):
        assert status == 2 and words.splitlines()[-1].endswith(f": pip install 'wherefrom[{extra}]'"), words


def test_an_installation_without_its_dependencies(tmp_path: Path) -> None:
    """An ordinary dependency that is missing (`pip install --no-deps`) is no bug of ours either."""
    [(status, words)] = without(("tree_sitter",), named({"explain": WORK["explain"]}, tmp_path))
    assert status == 2 and words.endswith(
        "the package tree_sitter is not installed; install wherefrom again with pip\n"
    )


def test_the_packages_are_those_of_the_project() -> None:
    """What an extra is said to bring is what the project's file has it bring."""
    written = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(written) - {"dev", "all"} == set(EXTRAS)
    assert written["all"] == [f"wherefrom[{','.join(EXTRAS)}]"]
    for name, (_, packages) in EXTRAS.items():
        for line in written[name]:
            package = line.partition(">")[0]
            assert package in packages or package.startswith("wherefrom["), line
