"""What if: facts, data and parameters that are otherwise in one run, without any file."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support import commands

CONTROL = Path(__file__).resolve().parents[2] / "examples/control"
MODE = "profile::base::motd_mode"
WEB = ("--node", "web01.example.org")


def wherefrom(*arguments: str, cwd: Path = CONTROL) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


def value(path: str, *options: str) -> object:
    """The value at a path of the example's catalog."""
    done = wherefrom("explain", ".", path, *WEB, *options, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["value"]


@pytest.mark.parametrize(
    ("path", "options", "expected"),
    [
        ("File[/etc/motd].mode", (), "0640"),
        ("File[/etc/motd].mode", ("--fact", "os.family=RedHat"), "0644"),
        ("File[/etc/motd].mode", ("--data", "profile::base::motd_mode='0444'"), "0444"),
        ("File[/etc/motd].mode", ("--param", "Class[profile::base].motd_mode='0111'"), "0111"),
        ("File[/etc/motd].mode", ("--param", "class[Profile::Base].motd_mode=x", "--data", f"{MODE}=y"), "x"),
        ("Nginx::Server[wiki].port", ("--param", "Nginx::Server[wiki].port=8080"), 8080),
        ("Class[profile::wiki].aliases", ("--param", "Class[profile::wiki].aliases=[a, b]"), ["a", "b"]),
        ("Class[profile::wiki].aliases[0]", ("--data", "profile::wiki::aliases=[first]"), "first"),
    ],
)  # fmt: skip
def test_values(path: str, options: tuple[str, ...], expected: object) -> None:
    """Typed as in YAML; a parameter has its value whatever declares it and whatever the data says."""
    assert value(path, *options) == expected


def test_where_they_are_said_to_come_from() -> None:
    """A level of its own, above all others, which merges as a level does; an argument."""
    shown = wherefrom("lookup", ".", "profile::wiki::aliases", *WEB, "--data", "profile::wiki::aliases=[new]").stdout
    assert '->    --data/data.yaml:2                   ["new"]\n' in shown
    assert "data/common.yaml:12" in shown
    shown = wherefrom(
        "explain", ".", "Class[profile::wiki].port", *WEB, "--param", "Class[profile::wiki].port=1"
    ).stdout
    assert "argument Class[profile::wiki].port" in shown


def test_a_difference_between_what_is_and_what_is_supposed() -> None:
    """Of one directory; each thing that is supposed is an edit, and a cause."""
    options = (
        "--fact", "virtual=physical", "--data", "profile::wiki::server_name=x.org", "--data",
        "profile::base::motd_mode='0444'", "--param", "Class[profile::wiki].port=8443",
    )  # fmt: skip
    document = json.loads(wherefrom("diff", ".", *WEB, *options, "--json").stdout)
    causes = {each["path"]: [edit["after_place"] for edit in each["edits"]] for each in document["differences"]}
    assert causes["Package[smartmontools]"] == ["fact virtual"]
    assert causes["Class[Profile::Wiki].server_name"] == ["--data/data.yaml:2"]
    assert causes["File[/etc/motd].mode"] == ["--data/data.yaml:4"]
    assert causes["Nginx::Server[wiki].tls"] == ["argument Class[profile::wiki].port"]
    assert len(causes["File[/etc/nginx/sites-enabled/wiki.conf].content"]) == 2
    assert all(each.get("proved", True) for each in document["differences"])


def test_for_many_nodes_and_whole_catalogs() -> None:
    shown = wherefrom("diff", ".", ".", "--nodes", "--fact", "os.family=Suse", "--json").stdout
    assert json.loads(shown)["changed"]
    catalog = wherefrom("compile", ".", *WEB, "--param", "Class[profile::base].motd_mode='0400'", "--json").stdout
    modes = {
        each["title"]: each["parameters"].get("mode")
        for each in json.loads(catalog)["resources"]
        if "parameters" in each
    }
    assert modes["/etc/motd"] == "0400"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--fact", "role"), "expected NAME=VALUE, as in --fact os.family=RedHat"),
        (("--data", "=1"), "expected NAME=VALUE"),
        (("--param", "ntp.servers=1"), "expected TYPE[TITLE].NAME=VALUE"),
        (("--data", "a=[1"), "is not a valid YAML value"),
        (("--param", "Class[profile::bas].motd_mode=1"), "Class[profile::bas] is not in the catalog"),
    ],
)
def test_what_can_not_be_supposed(options: tuple[str, ...], words: str) -> None:
    done = wherefrom("compile", ".", *WEB, *options)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_parameter_that_a_class_does_not_have() -> None:
    """As if it had been declared so."""
    done = wherefrom("compile", ".", *WEB, "--param", "Class[profile::base].nosuch=1")
    assert done.returncode == 1
    assert "has no parameter named 'nosuch'" in done.stderr


@pytest.mark.parametrize("nodes", [WEB, ("--nodes",)])
def test_a_name_that_nothing_knows_is_told(nodes: tuple[str, ...]) -> None:
    """No difference may be due to a slip; what something could look up is not told."""
    shown = wherefrom("diff", ".", *nodes, "--data", "profile::base::motd_mod=1", "--fact", "os.famly=x").stdout
    assert f"note: unknown key of the data profile::base::motd_mod; did you mean {MODE} or " in shown
    assert "note: unknown fact os.famly; did you mean os.family" in shown
    assert "unknown" not in wherefrom("diff", ".", *nodes, "--data", f"{MODE}='0640'", "--fact", "os.family=x").stdout
