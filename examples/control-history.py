"""The example control repository with a history: `python examples/control-history.py DIRECTORY [--ignore-modules]`.

Copies `examples/control` into an empty directory and makes a git repository of it, commit by commit, each with its
author and date, so that `wherefrom diff --since` and `wherefrom explain --blame` have something to tell. The last
commit has the very files of the example. With `--ignore-modules` git ignores `modules/`, as in repositories whose
`Puppetfile` brings the modules.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

CONTROL = Path(__file__).resolve().parent / "control"

COMMITS = [
    (
        "2026-01-12",
        "Ada",
        "A base for every machine",
        {
            "data/os/Debian.yaml": ("motd_mode: '0640'", "motd_mode: '0644'"),
            "data/common.yaml": ("worker_connections: 1024", "worker_connections: 512"),
            "data/role/web.yaml": ("profile::wiki::port: 443\n", ""),
        },
    ),
    (
        "2026-02-03",
        "Grace",
        "nginx: more connections everywhere",
        {
            "data/os/Debian.yaml": ("motd_mode: '0640'", "motd_mode: '0644'"),
            "data/role/web.yaml": ("profile::wiki::port: 443\n", ""),
        },
    ),
    (
        "2026-03-02",
        "Ada",
        "wiki: visitors come by TLS",
        {
            "data/os/Debian.yaml": ("motd_mode: '0640'", "motd_mode: '0644'"),
        },
    ),
    ("2026-03-20", "Edsger", "Debian: only root reads the message of the day", {}),
]
"""Date, author, subject, and how the files of the example differed then: file -> (text now, text then)."""


def make(directory: Path, ignored: str = "") -> None:
    """Write the repository, one commit after the other."""
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        raise SystemExit(f"{directory} is not empty")
    git(directory, "init", "-q", "-b", "main")
    if ignored:
        (directory / ".gitignore").write_text(f"/{ignored}/\n")
    for date, author, subject, differences in COMMITS:
        shutil.copytree(CONTROL, directory, dirs_exist_ok=True)
        for name, (now, then) in differences.items():
            text = (directory / name).read_text()
            if now not in text:
                raise SystemExit(f"{name} does not say {now!r}")
            (directory / name).write_text(text.replace(now, then))
        git(directory, "add", "-A")
        git(directory, "commit", "-q", "-m", subject, author=author, date=f"{date}T12:00:00Z")


def git(directory: Path, *arguments: str, author: str = "Ada", date: str = "2026-01-01T12:00:00Z") -> None:
    """Run git as one author at one time, whatever the machine's own settings are."""
    person = {"NAME": author, "EMAIL": f"{author.lower()}@example.org", "DATE": date}
    who = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in person.items()}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", str(directory), *arguments], check=True, env=environment)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--ignore-modules"]):
        raise SystemExit(__doc__)
    make(Path(sys.argv[1]), "modules" if sys.argv[2:] else "")
