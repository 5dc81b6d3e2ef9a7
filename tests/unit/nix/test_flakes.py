"""Flakes without a network: what `flake.nix` and `flake.lock` say, and the values that Nix gives for them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from wherefrom.api import compare, compile
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.language import Outcome
from wherefrom.nix.flakes.reference import BadReference, parse_reference, show_reference

DEPENDENCY = '{ outputs = { self }: { lib.x = 41; own = self.narHash; where = "${self}"; path = ./flake.nix; }; }\n'
NAR_HASH = "sha256-VomS2Vr/qknv/f/fsqvgt70lK2/g+GfLDU3444q/Sc4="
"""What `nix hash path` gives for a directory with that one file."""


def flake(directory: Path, files: Mapping[str, str]) -> Path:
    """A directory with these files; `@` in a text stands for the directory."""
    for name, text in files.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("@", str(directory)))
    return directory


def run(directory: Path, **options: Any) -> Outcome:
    """The outputs of a flake."""
    return compile(str(directory), language="nix", flake=True, **options)


def value(directory: Path, path: str, **options: Any) -> Any:
    """One output."""
    return run(directory, **options).select(path).value


def failure(directory: Path, path: str = "x", **options: Any) -> Diagnostic:
    """The error that asking for an output gives."""
    with pytest.raises(Diagnostic) as caught:
        value(directory, path, **options)
    return caught.value


def test_what_lies_outside_does_not_exist(tmp_path: Path) -> None:
    """As for Nix, which looks at nothing else for a flake: nixpkgs asks for a configuration below HOME."""
    outputs = '{ outputs = { self }: { x = builtins.pathExists ((builtins.getEnv "HOME") + "/.config/nixpkgs"); }; }'
    assert value(flake(tmp_path, {"flake.nix": outputs}), "x") is False


# --- values ---------------------------------------------------------------------------------------------------------

PATHS = {
    "flake.nix": """{
      description = "a flake";
      inputs.dep.url = "path:@/dep";
      inputs.data = { url = "path:./data"; flake = false; };
      outputs = { self, dep, data }: {
        v = dep.lib.x + 1;
        names = builtins.attrNames data;
        depNames = builtins.attrNames dep;
        inputNames = builtins.attrNames self.inputs;
        same = self.inputs.dep.lib.x == dep.lib.x;
        hash = dep.own;
        text = builtins.readFile "${data}/file";
        listing = builtins.readDir data;
        place = dep.where;
        copied = "${dep.path}";
        outputs = builtins.attrNames dep.outputs;
        date = dep.lastModifiedDate;
        twice = (import "${dep}/flake.nix").outputs { self = dep; };
      };
    }""",
    "dep/flake.nix": DEPENDENCY,
    "data/file": "hello\n",
}


@pytest.fixture
def paths(tmp_path: Path) -> Path:
    """A flake with two inputs that are directories."""
    return flake(tmp_path, PATHS)


def test_inputs_that_are_directories(paths: Path) -> None:
    """`path:` inputs are used, absolute and relative, flakes and not."""
    assert value(paths, "v") == 42
    assert value(paths, "names") == ["lastModified", "lastModifiedDate", "narHash", "outPath"]
    assert value(paths, "inputNames") == ["data", "dep"]
    assert value(paths, "same") is True
    assert value(paths, "text") == "hello\n"
    assert value(paths, "listing") == {"file": "regular"}
    assert value(paths, "outputs") == ["lib", "own", "path", "where"]


def test_hashes_and_store_paths(paths: Path) -> None:
    """`narHash` and `outPath` are those of Nix, though nothing is copied anywhere."""
    assert value(paths, "hash") == NAR_HASH
    assert value(paths, "place") == "/nix/store/l6s1xjld3gg71lmwc4fy2dz3ayc8r23r-source"
    assert value(paths, "twice.where") == value(paths, "place")


def test_time_of_the_newest_file(paths: Path) -> None:
    """`lastModified` is when something in the tree was last changed."""
    for name in ("dep/flake.nix", "dep"):
        os.utime(paths / name, (0, 86400))
    assert value(paths, "date") == "19700102000000"


def test_places_are_those_of_the_real_files(paths: Path) -> None:
    """A path of the store is shown to the program, never to the user."""
    where = run(paths, trace=True).explain("twice.lib.x").where
    assert where is not None
    assert where.span is not None
    assert Path(where.span.file.name).resolve() == (paths / "dep" / "flake.nix").resolve()


def test_what_is_known_of_a_tree_is_an_input(paths: Path) -> None:
    """`narHash` comes from outside the program."""
    depends = run(paths, trace=True).explain("hash").depends
    assert [leaf.name for leaf in depends if leaf.kind == "flake"] == ["dep.narHash"]


@pytest.mark.parametrize("version", ["2.8", "2.18", "latest"])
def test_what_a_flake_has(paths: Path, version: str) -> None:
    """`_type` came with 2.12."""
    names = value(paths, "depNames", nix_version=version)
    more = [] if version == "2.8" else ["_type"]
    basic = ["inputs", "lastModified", "lastModifiedDate", "lib", "narHash", "outPath", "outputs"]
    assert names == sorted([*more, *basic, "own", "path", "sourceInfo", "where"])


def test_relative_inputs_are_parts_of_their_flake(paths: Path) -> None:
    """Since 2.26; and since 2.30 a tree that is no flake knows its `sourceInfo`."""
    text = (paths / "flake.nix").read_text().replace("names =", "place2 = data.outPath; own = self.outPath; names =")
    (paths / "flake.nix").write_text(text)
    assert value(paths, "names", nix_version="latest") == [
        "lastModified",
        "lastModifiedDate",
        "narHash",
        "outPath",
        "sourceInfo",
    ]
    assert value(paths, "place2", nix_version="latest") == value(paths, "own", nix_version="latest") + "/data"
    assert value(paths, "place2", nix_version="2.25") != value(paths, "own", nix_version="2.25") + "/data"
    assert value(paths, "text", nix_version="latest") == "hello\n"


def test_follows(tmp_path: Path) -> None:
    """An input of an input is replaced, and what it would have been is never looked for."""
    directory = flake(
        tmp_path,
        {
            "flake.nix": """{
              inputs.dep.url = "path:./dep";
              inputs.two = { url = "path:./two"; inputs.dep.follows = "dep"; inputs.top.follows = ""; };
              outputs = { self, dep, two }: { x = two.x; same = two.inputs.dep.narHash == dep.narHash;
                top = two.inputs.top.narHash == self.narHash; };
            }""",
            "dep/flake.nix": DEPENDENCY,
            "two/flake.nix": """{
              inputs.dep.url = "github:no/where"; inputs.top.url = "nowhere";
              outputs = { self, dep, top }: { x = dep.lib.x; };
            }""",
        },
    )
    assert value(directory, "x") == 41
    assert value(directory, "same") is True
    assert value(directory, "top") is True


def test_follow_cycles(tmp_path: Path) -> None:
    """Inputs that follow each other are an error."""
    text = '{ inputs.a.follows = "b"; inputs.b.follows = "a"; outputs = { self, a, b }: { x = a; }; }'
    assert "follow cycle detected" in failure(flake(tmp_path, {"flake.nix": text})).message


# --- inputs that would have to be fetched ---------------------------------------------------------------------------

REVISION = "0123456789abcdef0123456789abcdef01234567"


def locked(reference: Mapping[str, Any], narHash: str = NAR_HASH) -> str:
    """A lock file for one input `dep` from a forge."""
    node = {
        "original": dict(reference),
        "locked": {**reference, "rev": REVISION, "narHash": narHash, "lastModified": 1700000000},
    }
    return json.dumps({"version": 7, "root": "root", "nodes": {"root": {"inputs": {"dep": "dep"}}, "dep": node}})


REFERENCE = {"type": "github", "owner": "o", "repo": "r"}
REMOTE = """{ inputs.dep.url = "github:o/r"; outputs = { self, dep }: {
  x = dep.lib.x; rev = dep.rev; short = dep.shortRev; date = dep.lastModifiedDate; hash = dep.narHash; }; }"""


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A flake whose input is locked to a revision on a forge, and an unpacked copy elsewhere."""
    flake(tmp_path / "unpacked", {"dep/flake.nix": DEPENDENCY})
    return flake(tmp_path / "top", {"flake.nix": REMOTE, "flake.lock": locked(REFERENCE)})


def test_the_error_names_input_and_revision(remote: Path) -> None:
    """Nothing is fetched; the error says what is missing and how to give it."""
    problem = failure(remote)
    assert "'dep'" in problem.message
    assert "github:o/r" in problem.message
    assert problem.notes == [f"it is locked to {REVISION}"]
    assert "--override-input dep DIR" in (problem.help or "")
    assert problem.span is not None
    assert problem.span.file.name.endswith("flake.lock")


def test_a_directory_of_inputs(remote: Path) -> None:
    """An unpacked tree with the locked hash is used, with the revision of the lock."""
    given = {"inputs_directory": str(remote.parent / "unpacked")}
    assert value(remote, "x", **given) == 41
    assert value(remote, "rev", **given) == REVISION
    assert value(remote, "short", **given) == REVISION[:7]
    assert value(remote, "date", **given) == "20231114221320"
    assert value(remote, "hash", **given) == NAR_HASH


def test_each_lock_finds_its_own_revision(remote: Path) -> None:
    """Two states of a flake, each with its own lock, have their trees side by side: what an update changes."""
    unpacked, other = remote.parent / "unpacked", "f" * 40
    newer = flake(unpacked / f"dep-{other}", {"flake.nix": DEPENDENCY.replace("41", "42")})
    digest = value(flake(remote.parent / "hash", {"flake.nix": DEPENDENCY.replace("41", "42")}), "own")
    assert newer.is_dir()
    after = flake(remote.parent / "after", {"flake.nix": REMOTE})
    (after / "flake.lock").write_text(
        (remote / "flake.lock").read_text().replace(REVISION, other).replace(NAR_HASH, digest)
    )
    before, now = (run(directory, inputs_directory=str(unpacked)) for directory in (remote, after))
    assert [outcome.select("x").value for outcome in (before, now)] == [41, 42]
    assert {each.path: (each.before, each.after) for each in compare(before, now).differences}["x"] == (41, 42)


def test_the_hash_must_be_the_locked_one(remote: Path) -> None:
    """Another tree than the one that was locked is refused."""
    (remote.parent / "unpacked" / "dep" / "more").write_text("x")
    problem = failure(remote, inputs_directory=str(remote.parent / "unpacked"))
    assert f"flake.lock expects {NAR_HASH}" in problem.message


def test_override_input(remote: Path) -> None:
    """An input given by hand counts, whatever the lock says; a name that is no input is an error."""
    other = flake(remote.parent / "other", {"flake.nix": DEPENDENCY.replace("41", "43")})
    assert value(remote, "x", override_inputs={"dep": str(other)}) == 43
    problem = failure(remote, override_inputs={"dpe": str(other)})
    assert "no input 'dpe'" in problem.message
    assert problem.help == "did you mean 'dep'?"


def test_stale_and_missing_locks(remote: Path) -> None:
    """A lock entry for another reference is not used; an input that is in no lock is named."""
    (remote / "flake.nix").write_text(REMOTE.replace("github:o/r", "github:o/r/branch"))
    assert "flake.lock has github:o/r, flake.nix asks for another" in failure(remote).message
    (remote / "flake.lock").unlink()
    assert "which flake.lock does not have" in failure(remote).message
    indirect = flake(remote.parent / "indirect", {"flake.nix": "{ outputs = { self, nixpkgs }: { x = nixpkgs; }; }"})
    assert "flake:nixpkgs would have to be fetched" in failure(indirect).message


def test_unused_inputs_need_not_be_there(remote: Path) -> None:
    """Inputs are looked for when somebody looks at them."""
    (remote / "flake.nix").write_text(REMOTE.replace("x = dep.lib.x", "x = 1"))
    assert value(remote, "x") == 1


# --- what flake.nix may say -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{ }", "lacks attribute 'outputs'"),
        ("{ outputs = { self }: { }; foo = 1; }", "unsupported attribute 'foo'"),
        ("let x = 1; in { outputs = { self }: { }; }", "must be an attribute set"),
        ('{ inputs.a.url = "a" + "b"; outputs = { self, a }: { }; }', "expected a string but got something else"),
        ('{ inputs.a.url = "a b c"; outputs = { self, a }: { }; }', "is not a valid URL"),
        ("{ outputs = 1; }", "expected a function"),
        ("{ outputs = { self }: 1; }", "are not a set"),
    ],
)
def test_errors_of_flake_nix(tmp_path: Path, text: str, message: str) -> None:
    """What Nix refuses is refused."""
    assert message in failure(flake(tmp_path, {"flake.nix": text})).message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ('{"version": 99}', "unsupported version 99"),
        ('{"version": 7, "nodes": {}}', "no root"),
        ('{"version": 7, "root": "r", "nodes": {"r": {"inputs": {"a": "b"}}}}', "'b' that does not exist"),
    ],
)
def test_errors_of_flake_lock(tmp_path: Path, text: str, message: str) -> None:
    """A lock file that can not be used says why."""
    files = {"flake.nix": "{ outputs = { self }: { x = 1; }; }", "flake.lock": text}
    assert message in failure(flake(tmp_path, files)).message


def test_trees_outside_the_roots_are_not_read(tmp_path: Path) -> None:
    """A flake may not name a directory that the user did not allow."""
    flake(tmp_path / "secret", {"flake.nix": DEPENDENCY})
    text = f'{{ inputs.s.url = "path:{tmp_path}/secret"; outputs = {{ self, s }}: {{ x = s.lib.x; }}; }}'
    top = flake(tmp_path / "top", {"flake.nix": text})
    assert "outside the allowed directories" in failure(top).message
    assert value(top, "x", roots=[str(tmp_path / "secret")]) == 41


# --- references -----------------------------------------------------------------------------------------------------

REFERENCES: dict[str, dict[str, Any]] = {
    "github:NixOS/nixpkgs/23.05?dir=lib": {
        "type": "github",
        "owner": "NixOS",
        "repo": "nixpkgs",
        "ref": "23.05",
        "dir": "lib",
    },
    f"github:o/r/{REVISION}": {"type": "github", "owner": "o", "repo": "r", "rev": REVISION},
    "gitlab:o/r": {"type": "gitlab", "owner": "o", "repo": "r"},
    "flake:nixpkgs": {"type": "indirect", "id": "nixpkgs"},
    "flake:nixpkgs/nixos-23.05": {"type": "indirect", "id": "nixpkgs", "ref": "nixos-23.05"},
    "path:/some/where?lastModified=1": {"type": "path", "path": "/some/where", "lastModified": 1},
    "git+https://example.org/r?ref=main": {"type": "git", "url": "https://example.org/r", "ref": "main"},
    "https://example.org/x.tar.gz": {"type": "tarball", "url": "https://example.org/x.tar.gz"},
    "https://example.org/x.txt": {"type": "file", "url": "https://example.org/x.txt"},
    "tarball+https://example.org/x": {"type": "tarball", "url": "https://example.org/x"},
}


@pytest.mark.parametrize("text", REFERENCES)
def test_references(text: str) -> None:
    """A reference as text and as attributes, there and back."""
    assert parse_reference(text) == REFERENCES[text]
    assert show_reference(REFERENCES[text]) == text


@pytest.mark.parametrize("text", ["", "a b", "github:o", "github:o//r", "gopher://x/y", "1abc", "a/b/c/d"])
def test_no_references(text: str) -> None:
    """Texts that are no references."""
    with pytest.raises(BadReference):
        parse_reference(text)


# --- the real Nix ---------------------------------------------------------------------------------------------------


@pytest.mark.oracle
def test_nix_gives_the_same(paths: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every output of the flake with directories, compared with `nix eval`."""
    store = tmp_path_factory.mktemp("store")
    command = ["nix", "--extra-experimental-features", "nix-command flakes", "--store", str(store), "eval", "--json"]
    for name in ("v", "names", "depNames", "inputNames", "same", "hash", "text", "listing", "place", "copied", "date"):
        answer = subprocess.run(
            [*command, "--no-write-lock-file", f"path:{paths}#{name}"], capture_output=True, check=True
        )
        assert json.loads(answer.stdout) == _json(paths, name)


def _json(directory: Path, name: str) -> Any:
    outcome = run(directory, attr_path=name)
    return json.loads(outcome.printed("json", strict=True))  # type: ignore[attr-defined]
