"""Files: nothing outside the roots is read, nothing that is no file is waited for, nothing is destroyed."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from attacks.running import wherefrom
from wherefrom.base import writing
from wherefrom.base.diagnostics import CannotRead, OutsideRoots
from wherefrom.base.host import RealHost
from wherefrom.base.opened import Opened, open_by_walking, open_quietly
from wherefrom.base.writing import write_whole

SECRET = b"the secret"


@pytest.mark.parametrize("opening", [open_quietly, open_by_walking])
@pytest.mark.parametrize("level", ["file", "directory"])
def test_swapping_a_link_while_reading_leaks_nothing(
    tmp_path: Path, opening: Callable[[str], Opened], level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link is turned from inside to outside and back as fast as possible; what is read is always from inside."""
    monkeypatch.setattr("wherefrom.base.host.open_quietly", opening)
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder, content in ((root / "in", b"fine"), (outside, SECRET)):
        folder.mkdir(parents=True)
        (folder / "data").write_bytes(content)
    inner, outer = (root / "in", outside) if level == "directory" else (root / "in/data", outside / "data")
    link, spare = root / "link", root / "spare"
    link.symlink_to(inner)
    asked = str(link / "data") if level == "directory" else str(link)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for target in (outer, inner):
                spare.symlink_to(target)
                os.replace(spare, link)

    swapper = threading.Thread(target=swap)
    swapper.start()
    host = RealHost([str(root)])
    contents = set()
    refused = 0
    try:
        for _ in range(4_000):
            try:
                contents.add(host.read_bytes(asked))
            except OutsideRoots:
                refused += 1
            except CannotRead:
                pass
    finally:
        stop.set()
        swapper.join()
    assert contents <= {b"fine"}
    assert refused


def test_both_ways_of_opening_agree(tmp_path: Path) -> None:
    """With and without the kernel's help, the same files are found at the same places."""
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_text("x")
    (tmp_path / "absolute").symlink_to(tmp_path / "a")
    (tmp_path / "a/up").symlink_to("../a/b/..")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "nowhere").symlink_to("none")
    for name in (
        ".",
        "a/b/file",
        "absolute/b/file",
        "a/up/b/file",
        "a/../a/b/",
        "loop",
        "nowhere",
        "a/b/file/",
        "none",
    ):
        path = os.path.join(tmp_path, name)
        answers = []
        for opening in (open_quietly, open_by_walking):
            try:
                with opening(path) as opened:
                    answers.append((opened.name, opened.status.st_ino))
            except OSError as problem:
                answers.append((type(problem).__name__, 0))
        assert answers[0] == answers[1], name


@pytest.fixture(params=["fifo", "socket", "device"])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A directory with something in it, at `odd`, that is no file."""
    place = tmp_path / "odd"
    if request.param == "fifo":
        os.mkfifo(place)
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as end:
            here = os.getcwd()
            os.chdir(tmp_path)
            try:
                end.bind("odd")
            finally:
                os.chdir(here)
    else:
        try:
            os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # /dev/zero: it never ends
        except PermissionError:
            pytest.skip("only root makes devices")
    return tmp_path


COMMANDS = {
    "check": (["check", "odd.pp", "odd.nix", "odd.sf"], {}),
    "compile": (["compile", "odd.pp"], {}),
    "include": (["compile", "main.sf"], {"main.sf": '#include "odd"\nsfConfig extends { a 1; }'}),
    "readFile": (["eval", "main.nix"], {"main.nix": "builtins.readFile ./odd"}),
    "import": (["eval", "main.nix"], {"main.nix": "import ./odd"}),
    "hashFile": (["eval", "main.nix"], {"main.nix": 'builtins.hashFile "sha256" ./odd'}),
    "facts": (["compile", "main.pp", "--facts", "odd"], {"main.pp": "notice(1)"}),
    "diff": (["diff", "odd.json", "odd.json"], {}),
    "hiera": (["compile", "main.pp", "--hiera", "odd"], {"main.pp": "notice(lookup('k'))"}),
    "step": (["step", "odd.pp"], {}),
    "parse": (["eval", "--parse", "odd.nix"], {}),
    "environment": (
        ["compile", "env", "--root", "."],
        {"env/manifests/site.pp": "notice(1)", "env/environment.conf": "manifest=../odd"},
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_waits_for_what_is_no_file(name: str, odd: Path) -> None:
    """Pipes, sockets and devices are refused at once, wherever a file is asked for."""
    arguments, files = COMMANDS[name]
    for suffix in ("pp", "nix", "sf", "json"):
        os.link(odd / "odd", odd / f"odd.{suffix}")
    for path, text in files.items():
        (odd / path).parent.mkdir(parents=True, exist_ok=True)
        (odd / path).write_text(text)
    ran = wherefrom(*arguments, cwd=odd)
    assert ran.status in (1, 2), ran
    assert b"not a regular file" in ran.err, ran


# --- writing ---


def test_save_keeps_devices_links_and_modes(tmp_path: Path) -> None:
    """A device is written to, a link leads on to its file, and a file keeps its mode."""
    (tmp_path / "a.sf").write_text("sfConfig extends { a 1; }")
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("target")
    assert wherefrom("compile", "a.sf", "--save", "link", cwd=tmp_path).status == 0
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.read_text().startswith("{")
    assert wherefrom("compile", "a.sf", "--save", "/dev/null", cwd=tmp_path).status == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert wherefrom("compile", "a.sf", "--save", "new.json", cwd=tmp_path).status == 0
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o666 & ~mask
    out = wherefrom("compile", "a.sf", "--save", "/dev/stdout", cwd=tmp_path)
    assert out.status == 0
    assert out.out.startswith(b"{")


def test_save_refuses_what_it_would_destroy_or_wait_for(tmp_path: Path) -> None:
    """A directory, a socket, a pipe that nobody reads, a full disk and a bad name: one line and status 2."""
    (tmp_path / "a.sf").write_text("sfConfig extends { a 1; }")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(os.path.relpath(tmp_path / "socket") if len(str(tmp_path)) > 90 else str(tmp_path / "socket"))
    for name in ("folder", "fifo", "socket", "/dev/full", "none/x", "folder/"):
        ran = wherefrom("compile", "a.sf", "--save", name, cwd=tmp_path)
        assert ran.status == 2, (name, ran)
        assert ran.err.count(b"\n") == 1, ran
    assert (tmp_path / "folder").is_dir()
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)


def test_nothing_is_left_beside_a_file_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new file goes away again."""

    def refuse(*names: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    (tmp_path / "file").write_text("old")
    with pytest.raises(Exception, match="no space left"):
        write_whole(str(tmp_path / "file"), b"new")
    assert sorted(os.listdir(tmp_path)) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_a_name_that_is_no_utf8_is_saved_and_compared(tmp_path: Path) -> None:
    """Names of files are bytes; they pass through a saved outcome."""
    name = os.fsencode(tmp_path) + b"/caf\xe9.sf"
    with open(name, "w") as file:
        file.write("sfConfig extends { a 1; }")
    assert wherefrom("compile", name, "--save", "saved.json", cwd=tmp_path).status == 0
    ran = wherefrom("diff", "saved.json", name, cwd=tmp_path)
    assert ran.status == 0, ran
    assert b"no differences" in ran.out, ran


# --- outside of the roots, in Puppet ---


OUTSIDE = {
    "modulepath": {"environment.conf": "modulepath={outside}", "manifests/site.pp": "include m"},
    "manifest": {"environment.conf": "manifest={outside}/m/manifests", "manifests/site.pp": "notice(1)"},
    "datadir": {
        "hiera.yaml": "version: 5\nhierarchy:\n- name: c\n  datadir: {outside}\n  path: c.yaml\n",
        "manifests/site.pp": "notice(lookup('k'))",
    },
    "climbing": {"environment.conf": "manifest=../outside/m/manifests"},
    "file": {"manifests/site.pp": "notice(file('{outside}/c.yaml'))"},
    "linked module": {"manifests/site.pp": "include m", "modules/m@": "{outside}/m"},
    "linked manifest": {"manifests@": "{outside}/m/manifests"},
    "linked file": {"manifests/site.pp@": "{outside}/m/manifests/init.pp"},
    "linked data": {
        "hiera.yaml": "version: 5\nhierarchy:\n- name: c\n  path: c.yaml\n",
        "data/c.yaml@": "{outside}/c.yaml",
        "manifests/site.pp": "notice(lookup('k'))",
    },
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_lies_outside_is_said_with_the_root_that_would_allow_it(name: str, tmp_path: Path) -> None:
    """Nothing is dropped in silence; and the option that the message names does allow it."""
    outside, environment = tmp_path / "outside", tmp_path / "environment"
    (outside / "m/manifests").mkdir(parents=True)
    (outside / "m/manifests/init.pp").write_text("class m { notify { 'from outside': } }")
    (outside / "c.yaml").write_text("k: from outside")
    for path, text in OUTSIDE[name].items():
        text = text.replace("{outside}", str(outside))
        place = environment / path.removesuffix("@")
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("@"):
            place.symlink_to(text)
        else:
            place.write_text(text)
    ran = wherefrom("compile", "environment", cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"is outside the allowed directories" in ran.err, ran
    root = ran.err.rpartition(b"--root ")[2].split()[0].decode()
    assert wherefrom("compile", "environment", "--root", root, cwd=tmp_path).status == 0


def test_a_link_in_a_module_path_opens_no_directory_but_a_module(tmp_path: Path) -> None:
    """Debian links modules into a common directory; a link to anything else opens nothing."""
    (tmp_path / "elsewhere/real/manifests").mkdir(parents=True)
    (tmp_path / "elsewhere/real/manifests/init.pp").write_text("class real { notify { 'real': } }")
    (tmp_path / "private").mkdir()
    (tmp_path / "private/secret").write_bytes(SECRET)
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules/real").symlink_to(tmp_path / "elsewhere/real")
    (tmp_path / "modules/evil").symlink_to(tmp_path / "private")
    (tmp_path / "code").mkdir()
    (tmp_path / "code/site.pp").write_text("include real")
    ran = wherefrom("compile", "code/site.pp", "--modulepath", "modules", cwd=tmp_path)
    assert ran.status == 0, ran
    assert b"real" in ran.out
    (tmp_path / "code/site.pp").write_text(f"notify {{ file('{tmp_path}/private/secret'): }}")
    ran = wherefrom("compile", "code/site.pp", "--modulepath", "modules", cwd=tmp_path)
    assert ran.status == 1, ran
    assert SECRET not in ran.out + ran.err


def test_directories_that_are_linked_into_each_other_end(tmp_path: Path) -> None:
    """Twelve links upwards in a directory name more paths than anybody can walk, and nobody does."""
    folders = ("manifests", "data", "modules/m/manifests", "modules/m/templates", "modules/m/lib/puppet/functions")
    for folder in folders:
        (tmp_path / "env" / folder).mkdir(parents=True)
        for number in range(12):
            (tmp_path / f"env/{folder}/up{number}").symlink_to(".")
    (tmp_path / "env/manifests/site.pp").write_text("notify { lookup('k'): }\n")
    (tmp_path / "env/manifests/.hidden.pp").write_text("notify { 'hidden': }\n")
    (tmp_path / "env/data/common.yaml").write_text("k: one\n")
    (tmp_path / "env/hiera.yaml").write_text("version: 5\nhierarchy: [{name: all, glob: '**/*.yaml'}]\n")
    for command in ("compile", "check"):
        ran = wherefrom(command, "env", "--budget", "steps=200000", cwd=tmp_path)
        assert ran.status == 0, ran
        assert (b"notify { 'one': }" in ran.out) == (command == "compile") and b"hidden" not in ran.out, ran


def _fill_and_end(file: IO[bytes], data: bytes, before: os.stat_result | None) -> None:
    file.write(data)
    file.flush()
    os._exit(7)


@pytest.mark.parametrize("there", [False, True])
def test_a_process_that_ends_while_it_writes_leaves_nothing(there: bool, tmp_path: Path) -> None:
    """As Ctrl-C ends it: no half of the new file, no file beside it, and the old one as it was."""
    path = tmp_path / "saved"
    if there:
        path.write_bytes(b"before")
    child = os.fork()
    if child == 0:
        writing._fill = _fill_and_end
        writing.write_whole(str(path), b"after" * 1000)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert [each.name for each in tmp_path.iterdir()] == (["saved"] if there else [])
    assert not there or path.read_bytes() == b"before"


@pytest.mark.parametrize("nameless", [True, False])
def test_written_whole(nameless: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With files that have no name at first, and where the system has none."""
    if not nameless:
        monkeypatch.setattr(writing, "_nameless", lambda folder: None)
    path = tmp_path / "saved"
    writing.write_whole(str(path), b"one")
    assert path.stat().st_mode & 0o777 == 0o666 & ~writing._umask()
    path.chmod(0o640)
    writing.write_whole(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["saved"]
