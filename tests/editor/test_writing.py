"""What the language server does while somebody writes: completion, rename, quick fixes, code that does not run."""

from __future__ import annotations

import json
import shutil
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import wherefrom
from support.lsp_client import ROOT, SECONDS, Client, Refused
from wherefrom.project import find_project

pytest.importorskip("pygls")

BASE = "site/profile/manifests/base.pp"
SITE = "manifests/site.pp"
COMMON = "data/common.yaml"
NODES = ("db01.example.org", "web01.example.org", "web02.example.org")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example's control repository."""
    path = tmp_path_factory.mktemp("editor") / "control"
    shutil.copytree(ROOT / "examples" / "control", path)
    return path


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    """An editor that shows a class."""
    with Client(folder, options={"node": "web01.example.org"}) as client:
        client.open(BASE)
        client.ready()
        yield client


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    """The class."""
    return (folder / BASE).read_text("utf-8")


def offered(client: Client, name: str, text: str, typed: str) -> dict[str, str]:
    """What is offered behind `typed`: each with the words beside it."""
    client.change(name, text)
    answer = client.request("textDocument/completion", client.at(name, text, typed, len(typed)))
    return {item["label"]: item["detail"] for item in answer["items"]} if answer else {}


@pytest.mark.parametrize(
    ("after", "typed", "label", "detail"),
    [
        ("file,\n", "    mo", "mode", ""),
        ("file,\n", "    content => $ad", "admins", '= ["ops@example.org"]'),
        ("file,\n", "    content => $nginx::wo", "nginx::worker_connections", "parameter $worker_connections"),
        ("file,\n", "    content => $facts['", "role", '"web"'),
        ("file,\n", "    content => $facts['os']['", "family", '"Debian"'),
        ("true,\n  }\n", "  include prof", "profile::wiki", "class"),
        ("true,\n  }\n", "  nginx::ser", "nginx::server", "define"),
        ("true,\n  }\n", "  nginx::server { 'x':\n    po", "port", "Integer[1, 65535] $port = 80"),
        ("true,\n  }\n", "  class { 'nginx':\n    wor", "worker_connections", "Integer[1] $worker_connections = 512"),
        ("true,\n  }\n", "  warn", "warning", ""),
        ("true,\n  }\n", "  Nginx::S", "Nginx::Server", "define"),
    ],
)
def test_completion(client: Client, text: str, after: str, typed: str, label: str, detail: str) -> None:
    """What fits where one is, with values of the node where there are any."""
    answer = offered(client, BASE, text.replace(after, after + typed, 1), typed)
    client.change(BASE, text)
    assert answer.get(label) == detail, answer


def test_nothing_is_offered_in_a_comment(client: Client, text: str) -> None:
    """Nor in a text in quotes."""
    for typed in ("  # inc", "  notice('inc"):
        assert offered(client, BASE, text.replace("true,\n  }\n", f"true,\n  }}\n{typed}", 1), typed) == {}
    client.change(BASE, text)


NIX = """{ config, lib, ... }:
let cfg = config.services.web; port = 8080; in {
  options.services.web.port = lib.mkOption { default = port; };
  options.services.web.name = lib.mkOption { default = "a b"; };
  # a comment
  config.x = HERE;
}
"""
FROG = "base extends {\n  port 80;\n}\nsfConfig extends {\n  one extends base, {\n    p HERE;\n  }\n}\n"


@pytest.mark.parametrize(
    ("name", "typed", "labels"),
    [
        ("a.nix", "po", {"port"}),
        ("a.nix", "config.services.web.", {"port", "name"}),
        ("a.nix", "config.services.we", {"web"}),
        ("a.nix", "builtins.toJ", {"toJSON"}),
        ("a.nix", "toS", {"toString"}),
        ("a.nix", '"po', set()),
        ("a.nix", "8", set()),
        ("a.sf", "po", {"port"}),
        ("a.sf", "base:", {"port"}),
        ("a.sf", "NU", {"NULL"}),
    ],
)
def test_completion_of_names(name: str, typed: str, labels: set[str], tmp_path: Path) -> None:
    """In Nix and SmartFrog: names of the file, parts behind a dot or colon, what is bound outside."""
    whole = NIX if name.endswith(".nix") else FROG
    (tmp_path / name).write_text(whole.replace("HERE", "1"))
    with Client(tmp_path) as client:
        client.open(name)
        client.compiled(name)
        text = whole.replace("HERE", typed)
        client.change(name, text)
        at = client.at(name, whole, "HERE")
        at["position"]["character"] += len(typed)
        answer = client.request("textDocument/completion", at)
        found = {item["label"] for item in answer["items"]} if answer else set()
        assert labels <= found and (labels or not found)
        for item in answer["items"] if answer else ():
            assert item["textEdit"]["range"]["end"] == at["position"]


def test_completion_in_data(client: Client) -> None:
    """Parameters of classes, not those of defines."""
    data = client.open(COMMON)
    answer = offered(client, COMMON, f"nginx::\n{data}", "nginx::")
    client.change(COMMON, data)
    assert set(answer) == {"nginx::package", "nginx::worker_connections"}


def written(actions: Any, part: str, folder: Path) -> dict[str, str]:
    """The files as an action leaves them: that of the title with `part` in it."""
    [action] = [action for action in actions if part in action["title"]]
    texts: dict[str, str] = {}
    for change in action["edit"]["documentChanges"]:
        uri = change["uri"] if change.get("kind") == "create" else change["textDocument"]["uri"]
        path = Path(uri.removeprefix("file://"))
        name = str(path.relative_to(folder))
        if change.get("kind") == "create":
            texts[name] = ""
            continue
        [edit] = change["edits"]
        text = texts.get(name, TYPED if name == BASE else path.read_text() if path.exists() else "")
        start, end = (
            sum(len(line) for line in text.splitlines(keepends=True)[: place["line"]]) + place["character"]
            for place in (edit["range"]["start"], edit["range"]["end"])
        )
        texts[name] = text[:start] + edit["newText"] + text[end:]
    return texts


TYPED = (ROOT / "examples/control" / BASE).read_text("utf-8").replace("mode    => $motd_mode", "mode    => '0600'")


def test_a_value_that_was_typed_is_written_elsewhere(client: Client, folder: Path, text: str) -> None:
    """What was typed is taken back, and the data says it; each proposal of `wherefrom set` is an action."""
    client.change(BASE, TYPED)
    params = {**client.at(BASE, TYPED, "mode    =>", 2), "context": {"diagnostics": []}}
    params["range"] = {"start": params["position"], "end": params.pop("position")}
    actions = []
    for _ in range(SECONDS * 5):  # until what was typed is compiled
        actions = client.request("textDocument/codeAction", params)
        if actions:
            break
        time.sleep(0.2)
    assert {action["kind"] for action in actions} == {"refactor.rewrite"}
    node = written(actions, "data/nodes/web01.example.org.yaml", folder)
    data = (folder / "data/nodes/web01.example.org.yaml").read_text()
    assert node == {
        BASE: text,
        "data/nodes/web01.example.org.yaml": f"{data}profile::base::motd_mode: '0600'\n",
    }
    level = written(actions, "data/os/Debian.yaml", folder)
    assert level == {BASE: text, "data/os/Debian.yaml": "---\nprofile::base::motd_mode: '0600'\n"}
    assert any("other node" in action["title"] for action in actions)
    assert not any(BASE in action["title"] for action in actions)  # that is what was typed
    elsewhere = {"line": 0, "character": 0}
    assert client.request("textDocument/codeAction", {**params, "range": {"start": elsewhere, "end": elsewhere}}) == []
    client.change(BASE, text)
    assert client.request("textDocument/codeAction", params) == []


def catalogs(folder: Path) -> list[Any]:
    """The catalogs of all nodes, without places."""
    session = wherefrom.Session()
    documents = []
    for node in NODES:
        outcome = session.compile(str(folder), node=node, facts=facts_of(folder, node))
        documents.append([[row.path, row.value] for row in outcome.outputs()])
    return documents


def facts_of(folder: Path, node: str) -> Any:
    """What is known of a node."""
    return yaml.safe_load((folder / "facts" / f"{node}.yaml").read_text())


def apply(answer: Any) -> int:
    """Write what a rename says; how many files."""
    for uri, edits in answer["changes"].items():
        path = Path(uri.removeprefix("file://"))
        lines = path.read_text("utf-8").split("\n")
        for edit in sorted(edits, key=lambda edit: json.dumps(edit["range"]["start"]), reverse=True):
            start, end = edit["range"]["start"], edit["range"]["end"]
            line = lines[start["line"]]
            lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
        path.write_text("\n".join(lines))
    return len(answer["changes"])


def test_a_rename_changes_no_catalog(tmp_path: Path) -> None:
    """A parameter with its keys and uses; after it the catalogs of all nodes are equal up to the name."""
    folder = tmp_path / "control"
    shutil.copytree(ROOT / "examples" / "control", folder)
    before = catalogs(folder)
    with Client(folder) as client:
        text = client.open(BASE)
        params = {**client.at(BASE, text, "$motd_mode,", 3), "newName": "mode_of_motd"}
        assert apply(client.request("textDocument/rename", params)) == 2
    after = json.loads(json.dumps(catalogs(folder)).replace("mode_of_motd", "motd_mode"))
    assert after == before


@pytest.mark.parametrize(
    ("word", "within", "new", "words"),
    [
        ("$motd_mode,", 3, "admins", "is there already"),
        ("$motd_mode,", 3, "Bad", "is not a valid variable name"),
        ("$motd_mode,", 3, "title", "is a built-in variable of Puppet"),
        ("class profile", 8, "x", "is not a valid name"),
        ("'profile/motd", 5, "x", "programs elsewhere may use it"),
        ("facts['networking']['hostname']", 2, "x", "nothing in the folder defines facts"),
        ("$ntp_servers.map", 3, "server", "would hide it"),
    ],
)
def test_a_rename_that_is_not_certain_is_refused(
    client: Client, text: str, word: str, within: int, new: str, words: str
) -> None:
    """With the reason, for the user."""
    client.change(BASE, text)
    with pytest.raises(Refused, match=words) as refused:
        client.request("textDocument/rename", {**client.at(BASE, text, word, within), "newName": new})
    assert refused.value.code == -32803


def test_a_rename_is_refused_where_a_name_is_computed(client: Client, text: str) -> None:
    """A text that may be the name, given to a function that takes names; a key of a hash that is spread."""
    for more in ("  notice(getvar('profile::base::motd_mode'))\n", "  file { '/x': * => { 'motd_mode' => 1 } }\n"):
        client.change(BASE, text.replace("  service {", f"{more}  service {{", 1))
        with pytest.raises(Refused, match="could use as this name"):
            client.request("textDocument/prepareRename", client.at(BASE, text, "$motd_mode,", 3))
    client.change(BASE, text)
    assert client.request("textDocument/prepareRename", client.at(BASE, text, "$motd_mode,", 3))


def test_what_does_not_run_is_faded_and_a_wrong_name_mended(folder: Path) -> None:
    """Branches that the node did not take; the nearest class for one that is not there."""
    with Client(folder, options={"node": "web01.example.org"}) as client:
        text = client.open(SITE)
        faded = client.problems(SITE, bool)
        assert {problem["range"]["start"]["line"] for problem in faded} == {9, 10}
        assert all(problem["tags"] == [1] and problem["severity"] == 4 for problem in faded)
        client.change(SITE, text.replace("profile::base", "profile::bace"))
        problems = client.problems(SITE, lambda problems: any("bace" in problem["message"] for problem in problems))
        wrong = [problem for problem in problems if "bace" in problem["message"]]
        params = {"textDocument": {"uri": client.uri(SITE)}, "range": wrong[0]["range"]}
        [fix] = client.request("textDocument/codeAction", {**params, "context": {"diagnostics": wrong}})
        assert fix["title"] == "Replace profile::bace by profile::base"
        [edit] = fix["edit"]["changes"][client.uri(SITE)]
        assert edit["newText"] == "profile::base" and edit["range"]["start"] == {"line": 10, "character": 26}


PARTS = "define parts::one (Integer $port, Array[String] $names, Optional[String] $more = undef, String $word) { }\n"


@pytest.mark.parametrize(
    ("site", "fixed"),
    [
        ("parts::one { 'a': }\n", "parts::one { 'a': port => 0, names => [], word => '', }\n"),
        (
            "  parts::one { 'a':\n    word => 'w',\n  }\n",
            "  parts::one { 'a':\n    port => 0,\n    names => [],\n    word => 'w',\n  }\n",
        ),
    ],
)
def test_parameters_without_a_value_are_written(site: str, fixed: str, tmp_path: Path) -> None:
    """Those that are asked for, each empty after its type: the next compilation has nothing to say."""
    for name, text in {"manifests/site.pp": site, "modules/parts/manifests/one.pp": PARTS}.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "environment.conf").write_text("modulepath = modules\n")
    with Client(tmp_path, options={"node": "n"}) as client:
        client.open(SITE)
        client.compiled(SITE)
        [problem] = [each for each in client.last_problems(SITE) if "expects a value" in each["message"]]
        params = {"textDocument": {"uri": client.uri(SITE)}, "range": problem["range"]}
        [fix] = client.request("textDocument/codeAction", {**params, "context": {"diagnostics": [problem]}})
        apply(fix["edit"])
        assert (tmp_path / SITE).read_text() == fixed
        client.change(SITE, fixed)
        client.compiled(SITE)
        assert client.last_problems(SITE) == []


@pytest.mark.parametrize("settings", [None, 'node = "n"\n', 'roots = ["/nowhere"]\nnode = "n"\n'])
def test_a_linked_module_is_allowed_in_the_settings(settings: str | None, tmp_path: Path) -> None:
    """One more root, in settings that are there or are made; they count when somebody trusts them."""
    folder = tmp_path / "environment"
    for name in ("environment/manifests", "environment/modules", "other/manifests"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "other/manifests/init.pp").write_text("class linked { notify { 'linked': } }\n")
    (folder / "modules/linked").symlink_to(tmp_path / "other")
    (folder / SITE).write_text("include linked\n")
    if settings is not None:
        (folder / "wherefrom.toml").write_text(settings)
    with Client(folder, options={"node": "n"}) as client:
        client.open(SITE)
        client.compiled(SITE)
        [problem] = [each for each in client.last_problems(SITE) if "outside the allowed" in each["message"]]
        params = {"textDocument": {"uri": client.uri(SITE)}, "range": problem["range"]}
        [fix] = client.request("textDocument/codeAction", {**params, "context": {"diagnostics": [problem]}})
    assert fix["title"].startswith(f"Allow {tmp_path} in wherefrom.toml")
    changes = {}
    for part in fix["edit"]["documentChanges"]:
        if "kind" in part:
            assert part["kind"] == "create" and settings is None
            (folder / "wherefrom.toml").write_text("")
        else:
            changes[part["textDocument"]["uri"]] = part["edits"]
    apply({"changes": changes})
    before = tomllib.loads(settings or "")
    after = tomllib.loads((folder / "wherefrom.toml").read_text())
    assert after == {**before, "roots": [str(tmp_path), *before.get("roots", [])]}
    assert find_project(str(folder), trusting=True).roots  # type: ignore[union-attr]  # it is there


def test_a_key_is_set_at_a_nearer_level(tmp_path: Path) -> None:
    """For each level above the one that sets it, with the value of now: applied, it holds for all nodes there."""
    folder = tmp_path / "control"
    shutil.copytree(ROOT / "examples" / "control", folder)
    before = catalogs(folder)
    with Client(folder, options={"node": "web01.example.org"}) as client:
        text = client.open(BASE)
        client.compiled(BASE)
        place = client.at(BASE, text, "$motd_mode,", 3)
        params = {
            "textDocument": place["textDocument"],
            "range": {"start": place["position"], "end": place["position"]},
            "context": {"diagnostics": []},
        }
        actions = client.request("textDocument/codeAction", params)
        assert [action["title"] for action in actions] == [
            "Set profile::base::motd_mode for one node in data/nodes/web01.example.org.yaml",
            "Set profile::base::motd_mode for role in data/role/web.yaml",
        ]
        only = {**params, "context": {"diagnostics": [], "only": ["quickfix"]}}
        assert client.request("textDocument/codeAction", only) == []
        assert apply(actions[1]["edit"]) == 1
    assert "profile::base::motd_mode: '0640'\n" in (folder / "data/role/web.yaml").read_text()
    after = catalogs(folder)
    assert after[:2] == before[:2]  # of the node it was asked for nothing is another value
    assert ["File[/etc/motd].mode", "0640"] in after[2] and ["File[/etc/motd].mode", "0644"] in before[2]
