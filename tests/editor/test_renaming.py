"""Renames of classes, defines, functions and types: with their files, and refused where they are not certain."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import wherefrom
from support.lsp_client import ROOT, Client, Refused
from wherefrom.editor.renaming_definitions import same_but_for

pytest.importorskip("pygls")

RENAMING = {"workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["rename"]}}}
OTHER = {
    "manifests/site.pp": "$names = lookup('classes')\ninclude $names\ninclude one::part\nnotice(one::twice(2))\n",
    "environment.conf": "modulepath = modules\n",
    "hiera.yaml": "version: 5\nhierarchy:\n  - { name: common, path: common.yaml }\n",
    "data/common.yaml": "lookup_options:\n  one::part::word: { merge: first }\n"
    "classes:\n  - one::part  # one::part is for all\n  - 'one::part::inner'\none::part::word: w\n",
    "modules/one/manifests/part.pp": "# one::part, as in include one::part\n"
    "class one::part (String $word, One::Kind $kind = 'a') {\n  one::item { \"${word}\": text => $one::part::word }\n"
    "  One::Item['w'] -> Notify['last']\n  notify { 'last': require => Class['one::part::inner'] }\n"
    "  include one::part::inner\n}\n",
    "modules/one/manifests/part/inner.pp": 'class one::part::inner { notify { "kind ${one::part::kind}": } }\n',
    "modules/one/manifests/item.pp": "define one::item (String $text) {\n"
    "  notify { $name: message => template('one/t.erb') }\n"
    "  $more = { 'one::item' => { 'x' => { text => 'y' } } }\n}\n",
    "modules/one/templates/t.erb": "<%= @text %> <%= scope['one::part::word'] %>\n",
    "modules/one/functions/twice.pp": "function one::twice(Integer $x) >> Integer { $x * 2 }\n",
    "modules/one/types/kind.pp": "type One::Kind = Enum['a', 'b']\n",
}
KEPT = ("one::part::inner",)


def control(folder: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(ROOT / "examples" / "control", folder / "control"))


def small(folder: Path, **more: str) -> Path:
    """An environment in which definitions are named in all ways."""
    for name, text in {**OTHER, **more}.items():
        path = folder / "environment" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "environment"


def catalogs(folder: Path) -> list[str]:
    """What all nodes of a folder compile to."""
    session = wherefrom.Session()
    nodes = sorted(path.stem for path in (folder / "facts").glob("*.yaml")) or ["n"]
    outputs = []
    for node in nodes:
        path = folder / "facts" / f"{node}.yaml"
        facts = yaml.safe_load(path.read_text()) if path.exists() else {}
        outcome = session.compile(str(folder), node=node, facts=facts)
        outputs += [f"{node} {row.path} = {json.dumps(row.value, default=repr)}" for row in outcome.outputs()]
    return outputs


def written(answer: Any) -> None:
    """Make the edits of a rename, and give files their new names."""
    changes = answer.get("documentChanges") or [
        {"textDocument": {"uri": uri}, "edits": edits} for uri, edits in answer["changes"].items()
    ]
    for change in changes:
        if change.get("kind") == "rename":
            target = Path(change["newUri"].removeprefix("file://"))
            target.parent.mkdir(parents=True, exist_ok=True)
            Path(change["oldUri"].removeprefix("file://")).rename(target)
            continue
        path = Path(change["textDocument"]["uri"].removeprefix("file://"))
        lines = path.read_text("utf-8").split("\n")
        for edit in sorted(change["edits"], key=lambda edit: json.dumps(edit["range"]["start"]), reverse=True):
            start, end = edit["range"]["start"], edit["range"]["end"]
            line = lines[start["line"]]
            lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
        path.write_text("\n".join(lines))


def renamed(folder: Path, name: str, word: str, new: str, within: int = 3) -> Any:
    """Ask for a rename of what is named at a word."""
    with Client(folder, capabilities=RENAMING) as client:
        text = client.open(name)
        client.compiled(name)
        return client.request("textDocument/rename", {**client.at(name, text, word, within), "newName": new})


@pytest.mark.parametrize(
    ("file", "word", "old", "new", "moved"),
    [
        ("manifests/site.pp", "profile::base", "profile::base", "profile::basics", "site/profile/manifests/basics.pp"),
        ("manifests/site.pp", "role::web", "role::web", "role::web::front", "site/role/manifests/web/front.pp"),
        (
            "modules/nginx/manifests/server.pp", "nginx::server", "nginx::server", "nginx::vhost",
            "modules/nginx/manifests/vhost.pp",
        ),
        ("site/profile/manifests/db.pp", "profile::db", "profile::db", "profile::sql", "site/profile/manifests/sql.pp"),
    ],
)  # fmt: skip
def test_a_definition_is_renamed_with_its_file(
    file: str, word: str, old: str, new: str, moved: str, tmp_path: Path
) -> None:
    """In code and data; after it the catalogs of all nodes are equal up to the name."""
    folder = control(tmp_path)
    before = catalogs(folder)
    written(renamed(folder, file, word, new))
    assert (folder / moved).exists()
    assert sorted(catalogs(folder)) == sorted(same_but_for(text, old, new, ()) for text in before)


@pytest.mark.parametrize(
    ("file", "word", "old", "new", "moved"),
    [
        ("manifests/site.pp", "one::part", "one::part", "one::whole", "manifests/whole.pp"),
        ("modules/one/manifests/part.pp", "one::item", "one::item", "one::thing", "manifests/thing.pp"),
        ("manifests/site.pp", "one::twice", "one::twice", "one::doubled", "functions/doubled.pp"),
        ("modules/one/types/kind.pp", "One::Kind", "one::kind", "One::Sort", "types/sort.pp"),
    ],
)
def test_every_way_to_name_a_definition(file: str, word: str, old: str, new: str, moved: str, tmp_path: Path) -> None:
    """Texts, data that is looked up, `lookup_options`, references; other names that begin so stay, comments too."""
    folder = small(tmp_path)
    before = catalogs(folder)
    written(renamed(folder, file, word, new))
    assert (folder / "modules/one" / moved).exists()
    assert sorted(catalogs(folder)) == sorted(same_but_for(text, old, new, KEPT) for text in before)
    for path in folder.rglob("*.*"):
        for line in path.read_text().split("\n") if path.is_file() else ():
            code = line.partition("#")[0].lower().replace("one::part::inner", "")
            assert old not in code, (path, line)
    assert "# one::part" in "".join(path.read_text() for path in folder.rglob("*.pp"))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("modules/one/manifests/x.pp", "class one::x { $a = 'p'\n  include \"one::${a}art\" }", "may become one::part"),
        ("modules/one/manifests/x.pp", 'class one::x { notice("in one::part it is") }', "in another text"),
        ("modules/one/manifests/x.pp", "class one::x { notice($one::part::nothing, 'one::part::y') }", "nothing defi"),
        ("facts/n.yaml", "kind: one::part\n", "no code looks that up"),
        ("data/more.yaml", "lookup_options:\n  '^one::part::.*': { merge: first }\n", "nothing defines"),
        ("modules/one/lib/puppet/functions/a.rb", "x = 'one::part'\n", "is not understood there"),
        ("modules/one/manifests/whole.pp", "", "is there already"),
    ],
)
def test_a_rename_is_refused_where_something_else_may_mean_the_name(
    name: str, text: str, words: str, tmp_path: Path
) -> None:
    """With the place, for the user."""
    folder = small(tmp_path, **{name: text})
    with pytest.raises(Refused, match=words) as refused:
        renamed(folder, "manifests/site.pp", "one::part", "one::whole")
    assert refused.value.code == -32803
    assert name in str(refused.value)


@pytest.mark.parametrize(
    ("new", "words"),
    [("two::part", "in another module"), ("one::item", "is there already"), ("Part", "is not a valid name")],
)
def test_a_name_that_cannot_be_is_refused(new: str, words: str, tmp_path: Path) -> None:
    """Before anything is looked at."""
    with pytest.raises(Refused, match=words):
        renamed(small(tmp_path), "manifests/site.pp", "one::part", new)


def test_a_rename_that_changes_an_output_is_refused(tmp_path: Path) -> None:
    """What no text shows: a name that is put together. Nodes are compiled with the rename before it is answered."""
    site = "include one::part\ninclude join(['one', 'part', 'inner'], '::')\n"
    data = "one::part::word: w\n"
    folder = small(tmp_path, **{"manifests/site.pp": site, "data/common.yaml": data})
    with pytest.raises(Refused, match=r"after the rename, it would not compile: .*Could not find class"):
        renamed(folder, "modules/one/manifests/part/inner.pp", "one::part::inner", "one::part::outer")


def test_an_editor_that_cannot_rename_files_is_told(tmp_path: Path) -> None:
    """A class whose file has the old name would not be found."""
    with Client(small(tmp_path)) as client:
        text = client.open("manifests/site.pp")
        params = {**client.at("manifests/site.pp", text, "one::part", 3), "newName": "one::whole"}
        with pytest.raises(Refused, match="cannot rename files"):
            client.request("textDocument/rename", params)
