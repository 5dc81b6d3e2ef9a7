"""A host of NixOS, where a copy of nixpkgs is given: `NIXPKGS=DIR pytest tests/oracle/test_nixos_live.py`.

Derivations are those that Nix computes, what is said of an option is what the module system reports, and the questions
of `docs/tutorial-nixos.md` have their answers. `WHEREFROM_OPTIONS=N` asks for more options than the few of a quick run,
`WHEREFROM_SEED` for others. Written for nixpkgs of 2021 and later.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.nixos_hosts import write_hosts
from wherefrom.api import compile
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.language import Outcome

NIXPKGS = os.environ.get("NIXPKGS")
OPTIONS = int(os.environ.get("WHEREFROM_OPTIONS", "20"))
SEED = int(os.environ.get("WHEREFROM_SEED", "0"))

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(NIXPKGS is None, reason="no copy of nixpkgs was given (NIXPKGS=DIR)"),
]
with_nix = pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="Nix is not installed")

REPORTED = """
let
  host = import ./web-host.nix;
  lib = import <nixpkgs/lib>;
  isOption = value: value ? _type && value._type == "option";
  below = path: set: lib.concatLists (lib.mapAttrsToList (name: value:
    let here = path ++ [ name ]; in
    if lib.hasPrefix "_" name then [ ]
    else if isOption value then [ here ]
    else if builtins.isAttrs value then below here value
    else [ ]) set);
  safe = value:
    let tried = builtins.tryEval (builtins.deepSeq value value); in if tried.success then tried.value else null;
  told = path:
    let option = lib.attrByPath path null host.options;
    in { inherit path; files = safe (map toString option.files); priority = safe option.highestPrio; };
in
"""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two hosts."""
    return write_hosts(tmp_path_factory.mktemp("hosts"))


@cache
def outcome(file: Path) -> Outcome:
    """A host, recorded."""
    return compile(str(file), trace=True, search_path=[f"nixpkgs={NIXPKGS}"], roots=[str(NIXPKGS)])


def ask_nix(folder: Path, expression: str) -> Any:
    """What Nix gives, as JSON."""
    command = ["nix-instantiate", "--store", "dummy://", "--eval", "--strict", "--json", "-I", f"nixpkgs={NIXPKGS}"]
    done = subprocess.run(
        [*command, "-E", expression], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@with_nix
@pytest.mark.parametrize("name", ["web", "desk"])
def test_the_system_is_the_one_that_nix_computes(hosts: Path, name: str) -> None:
    """The whole machine, down to every package."""
    path = "config.system.build.toplevel.drvPath"
    host = hosts / f"{name}-host.nix"
    ours = compile(str(host), search_path=[f"nixpkgs={NIXPKGS}"], roots=[str(NIXPKGS)], attr_path=path)
    assert json.loads(ours.printed("json")) == ask_nix(hosts, f"(import {host}).{path}")  # type: ignore[attr-defined]


@with_nix
def test_options_are_told_as_the_module_system_reports_them(hosts: Path) -> None:
    """Of options picked at random: which files hold the definitions that count, and their priority.

    The module system throws away what is hidden or inactive; so these must have a greater number, or a false condition.
    """
    names = ask_nix(hosts, REPORTED + "below [ ] host.options")
    picked = Random(SEED).sample(sorted(names), min(OPTIONS, len(names)))
    quoted = " ".join("[ " + " ".join(json.dumps(step) for step in path) + " ]" for path in picked)
    run = outcome(hosts / "web-host.nix")
    told = 0
    for reported in ask_nix(hosts, f"{REPORTED} map told [ {quoted} ]"):
        path = ".".join(["config", *(json.dumps(step) for step in reported["path"])])
        try:
            option = run.explain(path).to_json().get("option")
        except Diagnostic:
            continue
        if option is None or reported["files"] is None or reported["priority"] is None:
            continue
        rows = option["definitions"]
        count = [row for row in rows if row["status"] in ("chosen", "merged")]
        places = [row.get("file") or (row["place"] or {}).get("file") for row in count if row.get("words") != "default"]
        told += 1
        files = sorted(os.path.realpath(place) for place in places if place is not None)
        if len(files) == len(count):  # a default stands where it is written, which may be in no module
            assert files == sorted(map(os.path.realpath, reported["files"])), path
        assert all(row["priority"] == reported["priority"] for row in count), path
        assert all(row["priority"] > reported["priority"] for row in rows if row["status"] == "hidden"), path
        for row in rows:
            if row["status"] == "inactive":
                assert any(condition["value"] is not True for condition in row["conditions"]), path
    print(f"{told} of {len(picked)} options compared")
    assert told > len(picked) // 2


@pytest.mark.parametrize(
    ("host", "question", "status", "place"),
    [
        ("web", "config.networking.hostName", "chosen", "web.nix:4"),
        ("web", "config.services.openssh.ports", "chosen", "web.nix:7"),
        ("web", "config.time.timeZone", "chosen", "base.nix:4"),
        ("desk", "config.time.timeZone", "chosen", "desk.nix:6"),
        ("desk", "config.services.openssh.enable", "chosen", "desk.nix:5"),
        ("desk", "config.services.openssh.enable", "hidden", "base.nix:9"),
        ("web", "config.users.users.alice.isNormalUser", "chosen", "users.nix:3"),
        ("web", "config.environment.systemPackages", "merged", "base.nix:5"),
    ],
)
def test_who_set_it(hosts: Path, host: str, question: str, status: str, place: str) -> None:
    """The definitions of the user's are found, with what became of them."""
    rows = outcome(hosts / f"{host}-host.nix").explain(question).to_json()["option"]["definitions"]
    places = [f"{Path(row['place']['file']).name}:{row['place']['line']}" for row in rows if row["status"] == status]
    assert place in places


def test_a_condition_names_the_option_of_the_user(hosts: Path) -> None:
    """Of the user that is asked about, and nothing else."""
    run = outcome(hosts / "web-host.nix")
    rows = run.explain("config.users.users.alice.home").to_json()["option"]["definitions"]
    chosen = next(row for row in rows if row["status"] == "chosen")
    assert [each["option"] for each in chosen["conditions"][0]["rests_on"]] == ["users.users.alice.isNormalUser"]


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("/etc/ssh/sshd_config", "MaxAuthTries", "web.nix:9"),
        ("/etc/motd-extra", "zone", "base.nix:4"),
        ("/etc/systemd/system/hello.service", "GREETING", "web.nix:14"),
    ],
)
def test_lines_of_files(hosts: Path, file: str, text: str, place: str) -> None:
    """A line of a file of the machine leads to the line of the user's that it came from."""
    run = outcome(hosts / "web-host.nix")
    path = run.meant(file, 1)[0]
    content = run.text_of(path)
    assert content is not None
    number = next(number for number, line in enumerate(content.splitlines(), 1) if text in line)
    shown = run.explain_line(path, number).text()
    assert place in shown
