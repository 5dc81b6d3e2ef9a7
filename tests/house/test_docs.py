"""The docs name only things that exist, and every example in them is run."""

from __future__ import annotations

import atexit
import re
import shlex
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest

from support.commands import wherefrom
from support.sessions import (
    COPIES,
    GUIDES,
    OURS,
    PAGES,
    ROOT,
    Command,
    blocks,
    commands,
    copy_of_control,
    difference,
    environment,
    follow,
    updating,
    write,
)  # fmt: skip

PATH = re.compile(r"`((?:src|docs|tests|examples|bench|\.ci)/[\w./*<>-]+)`")
MODULE = re.compile(r"`(wherefrom(?:\.(?!toml\b)\w+)+)`")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
NEEDS_SHELL = re.compile(r"[|<>;&$`*?~\n]|^(?!wherefrom )")


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_pages_name_only_what_exists(page: Path) -> None:
    """Paths, modules and links in the docs point at real things."""
    text = page.read_text()
    missing = [path for path in PATH.findall(text) if "<" not in path and not list(ROOT.glob(path.rstrip("/")))]
    missing += [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    missing += [name for name in MODULE.findall(text) if not _importable(name)]
    assert missing == []


def _importable(name: str) -> bool:
    """Whether `name` is a module of ours, or an attribute of one."""
    module, _, attribute = name.rpartition(".")
    try:
        if find_spec(name) is not None:
            return True
    except ModuleNotFoundError:
        pass
    try:
        return hasattr(__import__(module, fromlist=[attribute]), attribute)
    except ImportError:
        return False


def sessions() -> list[tuple[Path, int, str]]:
    """Blocks of pages that are no guides."""
    pages = [page for page in PAGES if page not in GUIDES]
    return [(page, line, text) for page in pages for kind, _, text, line in blocks(page) if kind == "console"]


@pytest.mark.parametrize("session", sessions(), ids=lambda session: f"{page_id(session[0])}:{session[1]}")
def test_sessions_show_real_output(session: tuple[Path, int, str]) -> None:
    """Every `$ wherefrom ...` in a console block prints just what the page shows; a line `...` stands for any lines."""
    page, line, text = session
    directory = control() if page.name in COPIES else ROOT
    if page.name == "fleet.md":
        pytest.importorskip("duckdb")  # the extra that the page is about
    for command in commands(text, line):
        if OURS.match(command.typed):
            printed = run(command.typed, directory)
            if updating() and difference(printed, command):
                write(page, command, printed)
            else:
                assert (difference(printed, command) or "") == ""


def test_no_page_shows_a_command_that_was_cut() -> None:
    """A line break in a command would be recorded with what the command line says of the rest of it."""
    cut = [(page_id(page), line) for page in PAGES for _, _, text, line in blocks(page) if "\nError: " in text]
    assert cut == []


@pytest.mark.parametrize("page", GUIDES, ids=page_id)
def test_guides_lead_where_they_say(page: Path, tmp_path: Path) -> None:
    """From an empty directory, every file and every command of a guide, in a shell, prints what the guide shows."""
    if "wherefrom fleet" in page.read_text():
        pytest.importorskip("duckdb")
    (tmp_path / "bin").mkdir()
    ours = tmp_path / "bin/wherefrom"
    ours.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT / "src"}" exec "{sys.executable}" -m wherefrom "$@"\n')
    ours.chmod(0o755)
    (tmp_path / "home").mkdir()
    assert follow(page, tmp_path / "home", environment(tmp_path / "home", tmp_path / "bin")) == []


@cache
def control() -> Path:
    """A copy of the example control repository with its history, which the tutorial works in."""
    directory = Path(mkdtemp())
    atexit.register(rmtree, directory, True)
    return copy_of_control(directory)


def test_the_tutorial_where_modules_are_not_in_git(tmp_path: Path) -> None:
    """Every command of it answers the same if the modules of the `Puppetfile` are ignored by git, but for commits."""
    where = copy_of_control(tmp_path, ignored=True)
    kept = subprocess.run(["git", "ls-files", "modules"], cwd=where, check=True, capture_output=True, text=True)
    assert kept.stdout == "" and (where / "modules/nginx/manifests/init.pp").is_file()
    told = 0
    for _, line, text in (session for session in sessions() if session[0].name == "tutorial-puppet.md"):
        for command in commands(text, line):
            if OURS.match(command.typed):
                shown = re.sub(r"^by      [0-9a-f]{10}", "by      ...", command.shown, flags=re.M)
                printed = re.sub(r"^by      [0-9a-f]{10}", "by      ...", run(command.typed, where), flags=re.M)
                assert (difference(printed, Command(command.typed, shown, command.line)) or "") == ""
                told += 1
    assert told > 12


def run(command: str, directory: Path = ROOT) -> str:
    """What a command prints; a shell is asked where there is something in it that only a shell understands."""
    if not NEEDS_SHELL.search(command):
        done = wherefrom(*shlex.split(command)[1:], cwd=directory)
        return done.stdout + done.stderr
    line = re.sub(r"(^|\| *)wherefrom\b", lambda match: f"{match[1]}{sys.executable} -m wherefrom", command)
    shell = subprocess.run(line, check=False, shell=True, cwd=directory, capture_output=True, text=True, timeout=120)
    return shell.stdout + shell.stderr


def scripts() -> list[tuple[Path, int, str]]:
    return [(page, line, text) for page in PAGES for kind, _, text, line in blocks(page) if kind == "python"]


@pytest.mark.parametrize("script", scripts(), ids=lambda script: f"{page_id(script[0])}:{script[1]}")
def test_python_examples_run(script: tuple[Path, int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python block in the docs runs, and its doctest prompts show what they show."""
    import doctest

    monkeypatch.chdir(ROOT)
    _, _, text = script
    if ">>>" not in text:
        exec(compile(text, "docs", "exec"), {})  # noqa: S102 - our own docs
        return
    test = doctest.DocTestParser().get_doctest(text, {}, "docs", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.failures == 0
