"""Sessions in the documentation: fenced blocks that show what a user types and what is printed.

A block ```` ```console ```` has lines that begin with `$ `, each a command, and below it what it prints; a line `...`
stands for any lines. A block with `title="FILE"` behind its language is a file that the reader writes. Most pages work
in the project's own directory; `COPIES` work in a copy of the example control repository with its history, and `GUIDES`
lead from an empty directory, where everything they say is done, file by file and command by command.

`Guide.follow` does it with the shell of a user, and says what differs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
COPIES = ("tutorial-puppet.md", "fleet.md")
GUIDES = tuple(page for page in PAGES if page.parent.name == "guides")
OURS = re.compile(r"(echo .*\| *)?wherefrom\b")
"""Commands of other pages than guides that are run; what else they show (`cd`, a benchmark) is for the reader."""
_BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?[^\n]*\n(.*?)^```", re.M | re.S)
_DIRECTORY = "\0"


@dataclass(frozen=True)
class Command:
    """What is typed, what the page shows below it, and where that is."""

    typed: str
    shown: str
    line: int


@dataclass(frozen=True)
class File:
    """A file that the reader writes."""

    name: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[tuple[str, str, str, int]]:
    """The fenced blocks of a page: language, title, text, line."""
    text = page.read_text()
    for match in _BLOCK.finditer(text):
        yield match[1], match[2] or "", match[3], text[: match.start()].count("\n") + 1


def commands(text: str, line: int = 0) -> list[Command]:
    """The commands of a session, each with the output shown below it."""
    out = []
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = command[:-1] + more.removeprefix("> ").strip()
        out.append(Command(command, shown, line))
    return out


def steps(page: Path) -> Iterator[Command | File]:
    """Everything that a guide has its reader do, in order."""
    for language, title, text, line in blocks(page):
        if title:
            yield File(title, text, line)
        elif language == "console":
            yield from commands(text, line)


def difference(actual: str, command: Command) -> str | None:
    """What is wrong with what a command printed, if anything."""
    lines = command.shown.strip("\n").split("\n")
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in lines)
    if re.fullmatch(pattern, actual.strip("\n") + "\n"):
        return None
    return f"line {command.line}: $ {command.typed}\n--- shown\n{command.shown}\n--- actual\n{actual}"


def updating() -> bool:
    """Whether pages are to be written again with what their commands print (`make docs`)."""
    return bool(os.environ.get("WHEREFROM_UPDATE"))


def write(page: Path, command: Command, printed: str) -> None:
    """Have a page show what a command prints; a session that leaves lines out (`...`) is for a person to correct."""
    if "\n...\n" in f"\n{command.shown}":
        return
    text, before = page.read_text(), f"$ {command.typed}\n"
    assert before + command.shown in text, command
    now = printed.strip("\n") + "\n" if printed.strip("\n") else ""
    page.write_text(text.replace(before + command.shown, before + now, 1))


def shell(typed: str, folder: Path, environ: Mapping[str, str]) -> tuple[str, Path]:
    """What a line prints in a shell, and the directory that the shell is in afterwards."""
    done = subprocess.run(
        ["bash", "-c", f"{typed}\nprintf '\\0%s' \"$PWD\""],
        cwd=folder, env=dict(environ), check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    out, _, directory = done.stdout.rpartition(_DIRECTORY)
    return out + done.stderr, Path(directory or folder)


def follow(page: Path, folder: Path, environ: Mapping[str, str], only_ours: bool = False) -> list[str]:
    """Do what a page says in a directory; everything that was printed otherwise.

    `only_ours`: commands that are not ours, other than `cd`, are left to the reader.
    """
    wrong = []
    for step in steps(page):
        if isinstance(step, File):
            path = folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text)
            continue
        if only_ours and not OURS.match(step.typed) and not re.match(r"cd |python examples/", step.typed):
            continue
        printed, folder = shell(step.typed, folder, environ)
        complaint = difference(printed, step)
        if complaint and updating():
            write(page, step, printed)
        elif complaint:
            wrong.append(complaint)
    return wrong


def environment(home: Path, commands_in: Path) -> dict[str, str]:
    """The variables of a user who has the command in `commands_in`, and nothing of ours."""
    kept = ("LANG", "TMPDIR", "SSL_CERT_FILE")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    person = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
              for what, value in (("NAME", "A Reader"), ("EMAIL", "reader@example.org"))}  # fmt: skip
    path = os.pathsep.join([str(commands_in), os.environ.get("PATH", os.defpath)])
    return {**environ, **person, "HOME": str(home), "PATH": path, "COLUMNS": "120", "GIT_CONFIG_NOSYSTEM": "1"}


def copy_of_control(folder: Path, ignored: bool = False) -> Path:
    """A copy of the example control repository with its history, and of what stands beside it.

    `ignored`: as most repositories are, whose modules are installed by their `Puppetfile` and are not in git.
    """
    script = [sys.executable, str(ROOT / "examples/control-history.py"), str(folder / "control")]
    subprocess.run([*script, *(["--ignore-modules"] if ignored else [])], check=True)
    shutil.copytree(ROOT / "examples/lan", folder / "lan")
    return folder / "control"
