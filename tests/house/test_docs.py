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
from shutil import copytree, rmtree
from tempfile import mkdtemp

import pytest

from support.commands import wherefrom

TUTORIAL = "tutorial-puppet.md"
FLEET = "fleet.md"
ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
PATH = re.compile(r"`((?:src|docs|tests|examples|bench|\.ci)/[\w./*<>-]+)`")
MODULE = re.compile(r"`(wherefrom(?:\.(?!toml\b)\w+)+)`")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
NEEDS_SHELL = re.compile(r"[|<>;&$`*?~\n]|^(?!wherefrom )")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


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
    found = []
    for page in PAGES:
        text = page.read_text()
        for match in CONSOLE.finditer(text):
            found.append((page, text[: match.start()].count("\n") + 1, match[1]))
    return found


@pytest.mark.parametrize("session", sessions(), ids=lambda session: f"{page_id(session[0])}:{session[1]}")
def test_sessions_show_real_output(session: tuple[Path, int, str]) -> None:
    """Every `$ wherefrom ...` in a console block prints just what the page shows; a line `...` stands for any lines."""
    page, _, text = session
    directory = control() if page.name in (TUTORIAL, FLEET) else ROOT
    if page.name == FLEET:
        pytest.importorskip("duckdb")  # the extra that the page is about
    for command, shown in commands(text):
        if not re.match(r"(echo .*\| *)?wherefrom\b", command):
            continue
        assert_shown(run(command, directory), shown, command)


@cache
def control() -> Path:
    """A copy of the example control repository with its history, which the tutorial works in."""
    directory = Path(mkdtemp()) / "control"
    atexit.register(rmtree, directory.parent, True)
    subprocess.run([sys.executable, str(ROOT / "examples/control-history.py"), str(directory)], check=True)
    copytree(ROOT / "examples/lan", directory.parent / "lan")
    return directory


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a session, each with the output shown below it."""
    parts = re.split(r"^\$ ", text, flags=re.M)[1:]
    out = []
    for part in parts:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = command[:-1] + more.removeprefix("> ").strip()
        out.append((command, shown))
    return out


def run(command: str, directory: Path = ROOT) -> str:
    """What a command prints; a shell is asked where there is something in it that only a shell understands."""
    if not NEEDS_SHELL.search(command):
        done = wherefrom(*shlex.split(command)[1:], cwd=directory)
        return done.stdout + done.stderr
    line = re.sub(r"(^|\| *)wherefrom\b", lambda match: f"{match[1]}{sys.executable} -m wherefrom", command)
    shell = subprocess.run(line, check=False, shell=True, cwd=directory, capture_output=True, text=True, timeout=120)
    return shell.stdout + shell.stderr


def assert_shown(actual: str, shown: str, command: str) -> None:
    lines = [r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in shown.strip("\n").split("\n")]
    assert re.fullmatch("".join(lines), actual.strip("\n") + "\n"), (
        f"$ {command}\n--- shown\n{shown}\n--- actual\n{actual}"
    )


def scripts() -> list[tuple[Path, int, str]]:
    found = []
    for page in PAGES:
        text = page.read_text()
        for match in PYTHON.finditer(text):
            found.append((page, text[: match.start()].count("\n") + 1, match[1]))
    return found


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
