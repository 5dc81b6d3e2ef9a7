"""The installed command starts by its plain name in every common shell, with the completion that we ship loaded.

A name that is a builtin, a reserved word or an alias of a shell never reaches the program: `PATH` is not looked at. So
each shell is asked to run the command as a user types it, and what runs must be ours.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wherefrom import __version__

BIN = Path(sys.executable).parent
SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-c"],
    "dash": ["dash", "-c"],
    "zsh": ["zsh", "-f", "-c"],
    "ksh": ["ksh", "-c"],
    "fish": ["fish", "--no-config", "-c"],
    "tcsh": ["tcsh", "-f", "-c"],
    "pwsh": ["pwsh", "-NoProfile", "-Command"],
}
"""How each is started without anybody's settings."""
LOAD = {
    "bash": 'eval "$(wherefrom completion bash)"',
    "zsh": 'autoload -Uz compinit; compinit -D; eval "$(wherefrom completion zsh)"',
    "fish": "wherefrom completion fish | source",
}
"""How `wherefrom completion --help` says that completion is loaded."""
ASK = {
    "bash": 'COMP_WORDS=(wherefrom comp); COMP_CWORD=1; _wherefrom_completion wherefrom; echo "${COMPREPLY[@]}"',
    "zsh": 'echo "${_comps[wherefrom]}"; COMP_WORDS="wherefrom comp" COMP_CWORD=1 '
    "_WHEREFROM_COMPLETE=zsh_complete wherefrom",
    "fish": "complete -C 'wherefrom comp'",
}
"""What the shell offers after `wherefrom comp`; zsh completes only at a terminal, so its table is looked at."""

needs_command = pytest.mark.skipif(not (BIN / "wherefrom").exists(), reason="needs the installed command")


def say(shell: str, line: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in a shell that has nothing but the installed command and the system's on its path."""
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    environ = {"PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]), "HOME": str(home), "LANG": "C.UTF-8"}
    return subprocess.run(
        [*SHELLS[shell], line], cwd=home, env=environ, capture_output=True, text=True, timeout=120, check=False
    )


@needs_command
@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_starts_by_its_name(shell: str, tmp_path: Path) -> None:
    """What runs is the program, not something of the shell's own."""
    done = say(shell, "wherefrom --version", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"wherefrom {__version__}\n", "")


@needs_command
@pytest.mark.parametrize("shell", SHELLS)
def test_its_status_is_that_of_the_shell(shell: str, tmp_path: Path) -> None:
    """Nothing stands between the shell and the program."""
    done = say(shell, "wherefrom compile nothing.pp", tmp_path)
    assert done.returncode == 1 and "nothing.pp" in done.stderr


@needs_command
@pytest.mark.parametrize("shell", LOAD)
def test_with_completion_loaded(shell: str, tmp_path: Path) -> None:
    """The script loads without a word, the command still starts, and the shell completes our commands."""
    done = say(shell, f"{LOAD[shell]}\nwherefrom --version\n{ASK[shell]}", tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    version, _, offered = done.stdout.partition("\n")
    assert version == f"wherefrom {__version__}"
    assert "compile" in offered and "completion" in offered
    assert shell != "zsh" or offered.startswith("_wherefrom_completion\n")


def test_a_builtin_would_be_noticed(tmp_path: Path) -> None:
    """The test can fail: zsh and ksh have a builtin `whence`, which a program of that name never replaces."""
    program = tmp_path / "whence"
    program.write_text("#!/bin/sh\necho ours\n")
    program.chmod(0o755)
    assert say("zsh", f"PATH={tmp_path}:$PATH; whence", tmp_path).stdout == ""
