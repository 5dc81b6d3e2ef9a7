"""What a program would download is given with `--fetched`: values, store paths and contexts are Nix's."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from wherefrom.api import compile
from wherefrom.base.diagnostics import Refused
from wherefrom.base.host import RealHost
from wherefrom.language import Outcome
from wherefrom.nix.builtins.errors import HashMismatch
from wherefrom.nix.kernel.errors import NixError
from wherefrom.nix.store.nar import archive_hash
from wherefrom.nix.store.paths import encode_base32

URL = "file://{}/src.tar.gz"
FILE = "file://{}/notes.txt"
REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """An unpacked source, the archive of it, a file, and the hashes of both."""
    source = tmp_path / "src"
    (source / "sub").mkdir(parents=True)
    (source / "default.nix").write_text(
        '{ x = 1; y = import ./sub/z.nix; copied = "${./sub}"; here = toString ./.; }\n'
    )
    (source / "sub" / "z.nix").write_text("7\n")
    (tmp_path / "notes.txt").write_text("hello\n")
    with tarfile.open(tmp_path / "src.tar.gz", "w:gz") as archive:
        archive.add(source, "src")
    return tmp_path


def digest(tree: Path) -> str:
    return encode_base32(archive_hash(RealHost([str(tree)]), str(tree / "src")).digest)


def run(tree: Path, text: str, urls: dict[str, str] | None = None) -> Outcome:
    (tree / "main.nix").write_text(text)
    fetched = {URL.format(tree): f"{tree}/src", FILE.format(tree): f"{tree}/notes.txt"} if urls is None else urls
    return compile(str(tree / "main.nix"), fetched=fetched, no_cache=True)


def program(tree: Path) -> str:
    flat = encode_base32(hashlib.sha256(b"hello\n").digest())
    return f"""
let
  source = fetchTarball {{ url = "{URL.format(tree)}"; sha256 = "{digest(tree)}"; }};
  file = builtins.fetchurl {{ url = "{FILE.format(tree)}"; sha256 = "{flat}"; }};
in {{
  inherit source file;
  named = fetchTarball {{ name = "pkgs"; url = "{URL.format(tree)}"; sha256 = "{digest(tree)}"; }};
  bare = fetchTarball "{URL.format(tree)}";
  imported = import source;
  content = builtins.readFile file;
  context = builtins.attrNames (builtins.getContext source);
  listed = builtins.readDir (source + "/sub");
  drv = (derivation {{ name = "x"; system = "s"; builder = "b"; inherit source file; sub = source + "/sub"; }}).drvPath;
}}
"""


def test_what_was_fetched_is_used(tree: Path) -> None:
    """Files are read, imported and listed under their store paths; places in answers are the real ones."""
    outcome = run(tree, program(tree))
    document: dict[str, Any] = outcome.document()
    assert document["imported"]["y"] == 7
    assert document["content"] == "hello\n"
    assert document["imported"]["here"] == document["source"] == document["context"][0] == document["bare"]
    assert document["source"].endswith("-source") and document["named"].endswith("-pkgs")
    where = outcome.explain("imported.y").to_json()["where"]
    assert where["file"].endswith("src/sub/z.nix")


@pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="Nix is not installed")
def test_real_nix_has_the_same(tree: Path) -> None:
    """Paths, contexts and a derivation."""
    ours = run(tree, program(tree)).document()
    command = ["nix-instantiate", "--eval", "--strict", "--json", str(tree / "main.nix")]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode:
        pytest.skip(f"Nix can not fetch here: {answer.stderr[-200:]}")
    assert json.loads(answer.stdout) == ours


def test_another_content_than_the_hash_says_is_an_error(tree: Path) -> None:
    """What was fetched is checked, before anything of it is used."""
    text = program(tree)
    (tree / "src" / "sub" / "z.nix").write_text("8\n")
    with pytest.raises(HashMismatch, match="hash mismatch in what was fetched"):
        run(tree, text).document()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('fetchTarball "https://example.org/a.tar.gz"', "needs the network"),
        ('builtins.fetchGit "https://example.org/a.git"', "needs the network and Git"),
        ('builtins.fetchTree "github:a/b"', "needs the network"),
    ],
)
def test_what_was_not_given_is_refused_with_a_hint(tree: Path, text: str, words: str) -> None:
    """The hint has the URL."""
    with pytest.raises(Refused, match=words) as caught:
        run(tree, text).document()
    assert caught.value.code == "W006"
    assert "--fetched" in (caught.value.help or "")


def test_an_archive_is_no_directory(tree: Path) -> None:
    """`--fetched` names what the archive holds."""
    with pytest.raises(NixError, match="give the directory that the archive holds"):
        run(tree, f'fetchTarball "{URL.format(tree)}"', {URL.format(tree): f"{tree}/src.tar.gz"}).document()


def test_trees_of_repositories_have_what_can_be_known(tree: Path) -> None:
    """The path, the hash and the revision; not the time of a commit that nobody can see."""
    url = "https://example.org/a.git"
    text = f"""
let git = builtins.fetchGit {{ url = "{url}"; rev = "{REVISION}"; }};
    hub = builtins.fetchTree {{ type = "github"; owner = "a"; repo = "b"; rev = "{REVISION}"; }};
in {{
  inherit (git) narHash rev shortRev;
  y = (import git).y;
  more = git ? lastModified;
  same = git.outPath == hub.outPath;
}}
"""
    outcome = run(tree, text, {url: f"{tree}/src", f"github:a/b/{REVISION}": f"{tree}/src"})
    content = archive_hash(RealHost([str(tree)]), str(tree / "src"))
    assert outcome.document() == {
        "narHash": f"sha256-{base64.b64encode(content.digest).decode()}",
        "rev": REVISION,
        "shortRev": REVISION[:7],
        "y": 7,
        "more": False,
        "same": True,
    }


def test_pinned_sources_in_a_file_of_json(tree: Path) -> None:
    """As niv and npins write them: a file of pins, and a file that fetches each."""
    pins = {"pins": {"tools": {"type": "Git", "url": URL.format(tree), "hash": digest(tree)}}}
    (tree / "pins.json").write_text(json.dumps(pins))
    (tree / "pins.nix").write_text(
        "let data = builtins.fromJSON (builtins.readFile ./pins.json);"
        " load = name: pin: pin // { outPath = fetchTarball { inherit (pin) url; sha256 = pin.hash; }; };"
        " in builtins.mapAttrs load data.pins"
    )
    outcome = run(tree, 'let pins = import ./pins.nix; in { y = (import pins.tools).y; path = pins.tools + "/sub"; }')
    assert outcome.document()["y"] == 7
    assert outcome.document()["path"].endswith("-source/sub")
