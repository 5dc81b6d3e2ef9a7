"""`wherefrom impact` and names of inputs: what nothing knows is an error with close names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support import commands

CONTROL = Path(__file__).resolve().parents[2] / "examples/control"
WEB = ("--node", "web01.example.org")


def impact(*arguments: str, cwd: Path = CONTROL) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom("impact", *arguments, cwd=cwd)


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("fact:os.familly", "os.family"),
        ("fact:os_family", "os.family"),
        ("fact:kernel_version", "kernelversion"),
        ("hiera:profile::base::motd_mod", "profile::base::motd_mode"),
        ("trusted:certnam", "certname"),
        ("classifier:profile::webb", "--absent"),
        ("file:data/comon.yaml", "data/common.yaml"),
        ("modules/nginx/manifests/int.pp", "modules/nginx/manifests/init.pp"),
    ],
)
def test_a_name_that_nothing_knows(asked: str, near: str) -> None:
    """It is wrong usage, and close names are told."""
    done = impact(".", asked, *WEB)
    assert done.returncode == 2
    assert near in done.stderr and "--absent" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    "asked",
    [
        "fact:role",  # the node has it
        "fact:mountpoints./srv",  # Facter defines it
        "fact:ipaddress_eth0",
        "fact:kernelversion",
        "hiera:nginx::worker_connections",  # a class's parameter
        "hiera:lookup_options",
        "trusted:extensions.pp_role",
        "file:data/common.yaml",
        "data/common.yaml",
        "modules/nginx/templates/server.epp",
    ],
)
def test_a_name_that_is_known(asked: str) -> None:
    """Whether anything depends on it or not."""
    done = impact(".", asked, *WEB)
    assert done.returncode == 0, done.stderr


def test_one_that_is_not_there_on_purpose() -> None:
    assert "no output depends on" in impact(".", "fact:nosuch", "--absent", *WEB).stdout


def test_what_other_code_and_other_nodes_know(tmp_path: Path) -> None:
    """A fact that a manifest mentions, or that another node has, is no slip."""
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/site.pp").write_text("node 'b' { notify { $facts['elsewhere']: } }\nnode default {}\n")
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts/a.yaml").write_text("role: web\n")
    (tmp_path / "facts/b.yaml").write_text("elsewhere: there\nonly_here: 1\n")
    for asked, status in (("elsewhere", 0), ("only_here", 0), ("only_her", 2), ("nowhere", 2)):
        done = impact(".", f"fact:{asked}", "--node", "a", "--facts", "facts", cwd=tmp_path)
        assert done.returncode == status, (asked, done.stdout, done.stderr)


def test_a_key_that_a_level_lacks() -> None:
    """Levels without the key are inputs too: their files are told, and no line."""
    done = impact(".", "hiera:profile::base::motd_mode", *WEB)
    assert done.returncode == 0
    assert "data/role/web.yaml  (not there)" in done.stdout
    assert "File[/etc/motd].mode" in done.stdout


def test_a_whole_file() -> None:
    """A path alone is all that stands in it."""
    done = impact(".", "data/os/Debian.yaml", *WEB)
    assert done.returncode == 0
    assert "File[/etc/motd].mode" in done.stdout


@pytest.mark.parametrize(
    ("name", "text", "options", "near"),
    [
        ("a.sf", "sfConfig extends { x PROPERTY host; }", ("--level", "production", "--property", "host=h"), "host"),
        ("a.nix", "{ host }: { x = host; }", ("--argstr", "host", "h"), "host"),
    ],
)
def test_arguments_of_other_languages(
    tmp_path: Path, name: str, text: str, options: tuple[str, ...], near: str
) -> None:
    """A misspelt argument is an error with close names; a true one is answered."""
    (tmp_path / name).write_text(text)
    done = impact(name, "argument:hots", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"did you mean {near}?" in done.stderr
    assert "1 may change" in impact(name, "argument:host", *options, cwd=tmp_path).stdout
    assert impact(name, "argument:hots", "--absent", *options, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("fact:rack.row", 0),
        ("fact:rack.column", 2),
        ("classifier:zone", 0),
        ("classifier:zonee", 2),
        ("hiera:tree.inner", 0),
        ("hiera:tree.outer", 2),
        ("hiera:list.1", 0),
        ("hiera:list.2", 2),
        ("hiera:mentioned", 0),
        ("trusted:zone", 2),
    ],
)
def test_what_only_a_text_mentions(tmp_path: Path, asked: str, status: int) -> None:
    """Code that nobody includes knows names too, those of parts by all their words; data knows its values."""
    files = {
        "hiera.yaml": "version: 5\n",
        "data/common.yaml": "tree:\n  inner: 1\nlist: [a, b]\n",
        "manifests/site.pp": "notify { 'a': message => lookup('tree') }\n",
        "modules/m/manifests/deep/down.pp": (
            "class m::deep::down {\n  notify { $facts['rack']['row']: message => [$::zone, lookup('mentioned')] }\n}\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert impact(".", asked, cwd=tmp_path).returncode == status
