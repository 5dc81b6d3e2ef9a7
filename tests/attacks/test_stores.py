"""Stores of somebody else's: what they say that their nodes are compiled from is not the user's own word."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from attacks.running import wherefrom
from support.commands import Ran
from support.fleets import build
from wherefrom.cli.fleet import compile_command
from wherefrom.fleet.requests import _LISTS, _PATHS, read

pytest.importorskip("pyarrow")

QUESTION = ("fleet", "impact", "data/common.yaml:1", "--store")


class Site:
    """A fleet with a store beside it, and a directory of the user's that is nobody's business."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        build(self.work / "c", 2)
        build(folder / "private", 2)
        (folder / "private/wherefrom.toml").write_text("")
        assert self.run("fleet", "compile", "c", "--facts", "c/facts", "--store", "s").status == 0
        self.store = self.work / "s"

    def run(self, *arguments: str, cwd: Path | None = None) -> Ran:
        """A command of a user with a home."""
        state = {"XDG_STATE_HOME": str(self.folder / "state")}
        return wherefrom(*arguments, cwd=cwd or self.work, environ=state, seconds=120)

    def request(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.store / "request.json").read_text())
        return document

    def change(self, options: dict[str, Any] | None = None, **fields: Any) -> None:
        """Write another request, as whoever made the repository could."""
        document = self.request()
        document.pop("signed", None)
        document["options"] |= options or {}
        (self.store / "request.json").write_text(json.dumps(document | fields))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def asking(folder: Path) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Requests that ask for more: fields and options."""
    private = str(folder / "private")
    paths: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {name: ({}, {name: private}) for name in _PATHS}
    lists: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {name: ({}, {name: [private]}) for name in _LISTS}
    return {
        **paths,
        **lists,
        "directory": ({"directory": private, "path": "."}, {}),
        "the root": ({"directory": "/"}, {}),
        "path": ({"path": private}, {}),
        "a revision": ({"path": f"{private}@HEAD"}, {}),
        "above": ({"path": "../private"}, {}),
        "a link": ({"path": "link"}, {}),
        "modulepath": ({}, {"modulepath": f"c/site:{private}"}),
        "include": ({}, {"include": [f"x={private}"]}),
        "override_input": ({}, {"override_input": [["x", private]]}),
        "puppetdb": ({}, {"puppetdb": "http://127.0.0.1:9"}),
        "budget": ({}, {"budget": "10"}),
        "env": ({}, {"env": ["HOME"]}),
        "show_derived": ({}, {"show_derived": True}),
    }


@pytest.mark.parametrize("name", asking(Path()))
def test_a_request_that_asks_for_more_is_refused(name: str, site: Site) -> None:
    """With what it names, and what to do about it; nothing is read or asked there."""
    (site.work / "link").symlink_to(site.folder / "private")
    fields, options = asking(site.folder)[name]
    site.change(options, **fields)
    ran = site.run(*QUESTION, "s")
    assert ran.status == 2, ran
    assert b"wherefrom trust" in ran.err, ran
    key = {"a revision": "path", "above": "path", "a link": "path", "the root": "directory"}.get(name, name)
    assert (b"a larger budget" if key == "budget" else f"{key} = ".encode()) in ran.err, ran


def test_a_request_that_asks_for_nothing_more_is_done(site: Site) -> None:
    """A repository may bring its store along, with what is compiled beside it."""
    site.change()
    assert read(str(site.store)) is not None
    ran = site.run(*QUESTION, "s")
    assert ran.status == 0, ran


def test_your_own_store_may_ask_for_anything(site: Site) -> None:
    """It is signed by who compiled into it, wherever it lies."""
    place = site.folder / "stores/deep"
    assert site.run("fleet", "compile", "c", "--facts", "c/facts", "--store", str(place)).status == 0
    request = read(str(place))
    assert request is not None and request.asks  # nobody's key here
    assert not request.is_own
    assert site.run(*QUESTION, str(place), cwd=site.folder).status == 0


def test_a_store_that_was_moved_or_changed_is_not_yours(site: Site) -> None:
    """The signature is for one place and one content."""
    place = site.folder / "stores/deep"
    assert site.run("fleet", "compile", "c", "--facts", "c/facts", "--store", str(place)).status == 0
    shutil.move(place, site.folder / "stores/other")
    assert site.run(*QUESTION, "stores/other", cwd=site.folder).status == 2
    shutil.move(site.folder / "stores/other", place)
    document = json.loads((place / "request.json").read_text())
    document["options"]["root"] = ["/"]
    (place / "request.json").write_text(json.dumps(document))
    ran = site.run(*QUESTION, str(place))
    assert ran.status == 2, ran
    assert b"root = '/'" in ran.err, ran


def test_a_store_can_be_trusted(site: Site) -> None:
    """`wherefrom trust STORE` says what it asks for; `--forget` takes it back."""
    place = site.folder / "stores/deep"
    assert site.run("fleet", "compile", "c", "--facts", "c/facts", "--store", str(place)).status == 0
    document = json.loads((place / "request.json").read_text())
    document.pop("signed")
    (place / "request.json").write_text(json.dumps(document))
    assert site.run(*QUESTION, str(place)).status == 2
    ran = site.run("trust", str(place))
    assert ran.status == 0 and b"directory = " in ran.out, ran
    ran = site.run("trust", "--forget", str(place))
    assert b"no longer trusted" in ran.out, ran
    assert site.run(*QUESTION, str(place)).status == 2
    site.run("trust", str(place))
    ran = site.run(*QUESTION, str(place))
    assert ran.status == 0, ran


SHAPES: dict[str, Any] = {
    "no options": {"options": 1},
    "a list": {"options": []},
    "an unknown option": {"options": {"no": 1}},
    "a number": {"options": {"facts": 1}},
    "a text for a list": {"options": {"root": "c"}},
    "numbers in a list": {"options": {"root": [1]}},
    "pairs of one": {"options": {"arg": [["a"]]}},
    "pairs of numbers": {"options": {"override_input": [[1, 2]]}},
    "a text for a switch": {"options": {"no_cache": "yes"}},
    "a list for a text": {"options": {"node": ["a"]}},
    "a budget that is none": {"options": {"budget": "no"}},
    "NUL": {"directory": "a\0b"},
    "NUL in a path": {"path": "a\0b"},
    "NUL in an option": {"options": {"facts": "a\0b"}},
    "a number for a path": {"path": 1},
    "a number for a directory": {"directory": 1},
    "nothing": {"directory": None},
}


@pytest.mark.parametrize("name", SHAPES)
def test_requests_of_any_shape(name: str, site: Site) -> None:
    """Refused, and never a bug of ours; what allows programs is not taken from a store at all."""
    document = site.request()
    document.pop("signed")
    document["options"] |= {"ruby": True}
    (site.store / "request.json").write_text(json.dumps(document | SHAPES[name]))
    ran = site.run(*QUESTION, "s")
    assert ran.status == 2, ran
    assert b"internal error" not in ran.err, ran


def test_every_option_that_is_a_path_is_covered() -> None:
    """A new option is a path that is looked at, or names nothing on the disk."""
    harmless = (
        "path nodes store_path jobs ray parts batch send as_json node puppet_version environment strict_variables "
        "puppetdb ruby attr arg argstr nix_version features env no_settings trust language level properties max_nodes "
        "max_nesting max_source budget show_derived no_cache bootstrap"
    ).split()
    names = {parameter.name for parameter in compile_command.params}
    paths = {*_PATHS, *_LISTS, "modulepath", "include", "fetched", "override_input"}
    changed = {name for name in names if name and name.startswith("changed_")}
    assert names - paths - changed == {*harmless}
    assert paths <= names


def test_a_store_that_is_no_store(tmp_path: Path) -> None:
    """Nothing to trust."""
    os.makedirs(tmp_path / "s")
    assert wherefrom("trust", "s", cwd=tmp_path).status == 1
