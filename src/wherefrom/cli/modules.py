"""Modules that are not in git: where those of a revision come from.

Most repositories have their modules in a folder that git ignores, put there by a `Puppetfile`. A revision that is
read (`DIR@REV`, `--since REV`) takes them from the work tree, unless it has them itself. That is right while the
`Puppetfile` is the same. Where it is not, the modules of the revision come from a directory that is named
(`--modules-from DIR`), or from one in which the command `bootstrap` of the settings has put them (`--bootstrap`);
without either, a comparison says which modules it could not compare (`wherefrom.cli.module_notes`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from ..base.diagnostics import Diagnostic, UsageError
from ..base.folder import scratch_folder
from ..base.source import lines_of
from ..base.writing import write_whole
from ..puppetfile import NAME, directory_of, modules_of
from ..revisions import split_revision
from ..session import host_for

if TYPE_CHECKING:
    from ..base.host import Host


class NotInstalled(Diagnostic):
    """The command that installs modules did not do it."""

    code = "W050"


class Modules:
    """What the command line says about the modules of revisions; shared by all that is made of one request."""

    def __init__(self, given: Sequence[str], bootstraps: bool) -> None:
        for folder in given:
            if not os.path.isdir(folder):
                raise UsageError(f"--modules-from {folder}: no such directory")
        self._given = [os.path.abspath(folder) for folder in given]
        self._bootstraps = bootstraps
        self._of: dict[str, str] | None = None
        self._installed: dict[str, str | None] = {}

    def assign(self, *paths: str | None) -> None:
        """Of several paths, the first that is a revision has the first directory, and so on."""
        revisions = [path for path in paths if path is not None and split_revision(path)[1] is not None]
        if len(self._given) > len(revisions):
            raise UsageError("--modules-from needs a revision (DIR@REV, --since REV), and is given once for each")
        if len(self._given) > 1 and len(set(revisions)) < len(revisions):
            raise UsageError("--modules-from can be given twice only for two different revisions")
        self._of = dict(zip(revisions, self._given))

    def of(self, asked: str, name: str, command: Sequence[str], reader: Callable[[], Host | None]) -> str | None:
        """The directory that has the modules of `asked`, a revision of `name`; nothing for the work tree's.

        `reader` reads the revision's `Puppetfile`; `command` the one of the settings that installs modules.
        """
        if self._of is None:
            self.assign(asked)
        given = (self._of or {}).get(asked)
        if given is not None or not self._bootstraps:
            return given
        if asked not in self._installed:
            self._installed[asked] = _install(name, command, reader())
        return self._installed[asked]


def _install(name: str, command: Sequence[str], read: Host | None) -> str | None:
    """Run the command that installs the modules of a revision, where they are not those of the work tree."""
    import subprocess

    file = os.path.join(name, NAME)
    text = text_of(read, file)
    if text is None or modules_of(text) == modules_of(text_of(host_for(name), file) or ""):
        return None
    if not command:
        raise UsageError('--bootstrap needs the setting bootstrap = ["PROGRAM", "ARGUMENT", ...]')
    folder = click.get_current_context().with_resource(scratch_folder("wherefrom-modules-"))
    write_whole(os.path.join(folder, NAME), text.encode("utf-8", "surrogateescape"))
    try:
        done = subprocess.run(
            list(command), cwd=folder, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
    except (OSError, ValueError) as problem:
        raise NotInstalled(f"{command[0]} cannot be run: {problem}") from None
    said = lines_of(done.stdout.decode("utf-8", "replace"))[-5:]
    if done.returncode != 0:
        raise NotInstalled(f"{command[0]} ended with status {done.returncode}", notes=[line for line in said if line])
    modules = os.path.join(folder, directory_of(text))
    if not os.path.realpath(modules).startswith(os.path.realpath(folder) + os.sep):
        raise NotInstalled(f"moduledir {directory_of(text)!r} in {file} is not below its directory")
    if not os.path.isdir(modules):
        raise NotInstalled(
            f"{command[0]} did not create a directory {directory_of(text)}", notes=[line for line in said if line]
        )
    return modules


def text_of(host: Host | None, file: str) -> str | None:
    """The text of a file, if it is there."""
    return host.source(file).text if host is not None and host.is_file(file) else None
