"""The explorer's documents are the command line's; what is asked wrongly is refused; what changes is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import commands
from support.browser import control_repository
from support.explorer import ROOT, documents_for
from wherefrom.web.documents import Documents, Refusal
from wherefrom.web.examples import EXAMPLES

CONTROL = ("examples/control", "--node", "web01.example.org")
FIREWALL = ("examples/firewall/test.sf",)
FLAKE = ("examples/flake#",)


def command(*arguments: str) -> Any:
    return json.loads(commands.wherefrom(*arguments).stdout)


@pytest.fixture
def control(monkeypatch: pytest.MonkeyPatch) -> Documents:
    monkeypatch.chdir(ROOT)
    return documents_for(*CONTROL)


def without_time(document: Any) -> Any:
    return {**document, "version": 0}


def test_the_catalog_is_that_of_compile(control: Documents) -> None:
    assert without_time(control.document("compile")) == without_time(command("compile", *CONTROL, "--json"))


@pytest.mark.parametrize("path", ["File[/etc/motd].mode", "File[/etc/motd]", "Class[Nginx].worker_connections"])
def test_explanations_are_those_of_explain(control: Documents, path: str) -> None:
    there = command("explain", CONTROL[0], path, *CONTROL[1:], "--json")
    assert control.document("explain", path=path) == there


def test_a_line_is_explained(control: Documents) -> None:
    path = "File[/etc/motd].content"
    there = command("explain", CONTROL[0], path, *CONTROL[1:], "--json", "--line", "2")
    assert control.document("explain", path=path, line="2") == there


def test_edits_are_those_of_set(control: Documents) -> None:
    """For an output and what it should be, and for one that is to go; nothing is written."""
    before = {file: file.read_bytes() for file in (ROOT / CONTROL[0]).rglob("*") if file.is_file()}
    path = "File[/etc/motd].mode"
    there = command("set", CONTROL[0], path, "0600", *CONTROL[1:], "--json")
    assert control.document("set", path=path, value="0600") == there
    there = command("set", CONTROL[0], "Service[ntp]", "--absent", *CONTROL[1:], "--json")
    assert control.document("set", path="Service[ntp]") == there
    with pytest.raises(Refusal) as refusal:
        control.answer("set", {"path": "Service[nosuch].ensure", "value": "x"})
    assert refusal.value.status == 404
    assert {file: file.read_bytes() for file in (ROOT / CONTROL[0]).rglob("*") if file.is_file()} == before


def test_files_that_are_pointed_at_are_shown(tmp_path: Path) -> None:
    """Their contents are outputs with inputs, a text and its lines; nothing else of the disk is."""
    files = {
        "manifests/site.pp": "file { '/etc/acl': source => 'puppet:///modules/m/acl' }\npackage { 'vim': }\n",
        "modules/m/files/acl": "root\nadmin\n",
        "modules/m/files/other": "x\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    documents = documents_for(str(tmp_path), "--node", "web")
    content = {"path": "content of File[/etc/acl]", "value": "root\nadmin\n"}
    assert documents.document("contents") == {"contents": [content]}
    assert content in documents.document("outputs")["outputs"]
    file = str(tmp_path / "modules/m/files/acl")
    assert file in documents.document("sources")["files"]
    assert documents.document("source", file=file)["text"] == "root\nadmin\n"
    assert {"file", "literal"} <= {leaf["kind"] for leaf in documents.document("inputs")["inputs"]}
    affected = documents.document("impact", input="modules/m/files/acl:2")["affected"]
    assert [each["path"] for each in affected] == [content["path"]]
    assert documents.document("hand", words="/etc/acl:2") == {"paths": ["File[/etc/acl]"], "line": 2}
    assert documents.document("hand", words="vim") == {"paths": ["Package[vim]"]}
    assert documents.document("hand", words="/etc/nothing:2") == {"paths": []}
    assert documents.document("explain", path="File[/etc/acl]", line="2")["value"] == "admin\n"
    with pytest.raises(Refusal):
        documents.document("source", file=str(tmp_path / "modules/m/files/other"))


def test_other_questions_are_the_commands(control: Documents) -> None:
    assert control.document("impact", input="fact:role") == command(
        "impact", CONTROL[0], "fact:role", *CONTROL[1:], "--json"
    )
    assert control.document("graph") == command("graph", *CONTROL, "--json")
    key = "nginx::worker_connections"
    assert control.document("lookup", key=key) == command("lookup", CONTROL[0], key, *CONTROL[1:], "--json")


@pytest.mark.parametrize(
    ("subject", "path"), [(FIREWALL, "testServer"), (FLAKE, "nixosConfigurations.web.config.services.openssh.ports")]
)
def test_other_languages_too(monkeypatch: pytest.MonkeyPatch, subject: tuple[str, ...], path: str) -> None:
    monkeypatch.chdir(ROOT)
    documents = documents_for(*subject)
    assert documents.document("explain", path=path) == command("explain", subject[0], path, "--json")
    paths = [output["path"] for output in documents.document("outputs")["outputs"]]
    assert any(name.startswith(path) for name in paths)


def test_differences_between_nodes(control: Documents) -> None:
    document = control.document("diff", **{"with": "db01.example.org"})
    changes = {row["path"]: row["change"] for row in document["differences"]}
    assert changes["Package[postgresql]"] == "removed"
    assert changes["Package[nginx]"] == "added"
    causes = {edit["after_place"] for row in document["differences"] for edit in row["edits"]}
    assert "fact role" in causes, "proved by compiling again with the other node's fact"


def test_differences_between_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    control_repository(tmp_path / "control")
    monkeypatch.chdir(tmp_path / "control")
    documents = documents_for("--node", "web01.example.org")
    newest, before, *_, oldest = [revision["commit"] for revision in documents.document("revisions")["revisions"]]
    for asked in ({"since": before}, {"since": before, "until": newest}):
        rows = documents.document("diff", **asked)["differences"]
        assert {row["path"] for row in rows} == {"Class[Profile::Base].motd_mode", "File[/etc/motd].mode"}
        assert rows[0]["edits"][0]["after_place"] == "data/os/Debian.yaml:2"
    rows = documents.document("diff", since=oldest, until=before)["differences"]
    assert {edit["after_place"] for row in rows for edit in row["edits"]} >= {"data/role/web.yaml:3"}


def test_differences_with_another_fact(control: Documents) -> None:
    document = control.document("diff", facts=json.dumps({"os.family": "RedHat"}))
    causes = {edit["after_place"] for row in document["differences"] for edit in row["edits"]}
    assert "fact os.family" in causes
    assert control.document("diff", facts=json.dumps({"os.family": "Debian"}))["differences"] == []


def test_inputs_are_all_that_outputs_depend_on(control: Documents) -> None:
    inputs = control.document("inputs")["inputs"]
    assert {"kind": "fact", "name": "role", "value": "web"} in inputs
    assert {leaf["kind"] for leaf in inputs} >= {"fact", "hiera", "literal", "node"}


def test_fragments_are_the_text(control: Documents) -> None:
    path = "File[/etc/motd].content"
    fragments = control.document("fragments", path=path)["fragments"]
    assert "".join(part["text"] for part in fragments) == control.document("explain", path=path)["value"]
    assert {part["kind"] for part in fragments} == {"literal", "fact", "hiera"}


def test_fragments_of_an_interpolated_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    documents = documents_for("examples/web/site.pp", "--node", "x", "--facts", "examples/web/facts.yaml")
    fragments = documents.document("fragments", path="File[/etc/apache2/ports.conf].content")["fragments"]
    assert [part["text"] for part in fragments] == ["Listen ", "8080", "\n"]
    assert fragments[1]["where"]["line"] == 45


def test_sources_are_those_that_were_read(control: Documents) -> None:
    files = control.document("sources")["files"]
    assert "examples/control/manifests/site.pp" in files
    text = control.document("source", file="examples/control/manifests/site.pp")["text"]
    assert text == (ROOT / "examples/control/manifests/site.pp").read_text()
    for name in ("/etc/passwd", "examples/control/../../pyproject.toml", "examples/control/keys/private_key.pkcs7.pem"):
        with pytest.raises(Refusal) as refusal:
            control.document("source", file=name)
        assert refusal.value.status == 404


@pytest.mark.parametrize(
    ("question", "asked", "status"),
    [
        ("nothing", {}, 404),
        ("explain", {}, 400),
        ("explain", {"path": "File[/nowhere].mode"}, 404),
        ("explain", {"path": "File[/etc/motd].content", "line": "x"}, 400),
        ("explain", {"path": "File[/etc/motd].content", "line": "99"}, 404),
        ("impact", {"input": "nonsense"}, 400),
        ("diff", {}, 400),
        ("diff", {"facts": "[]"}, 400),
        ("diff", {"since": "--output=/tmp/x"}, 400),
        ("compile", {"node": "no-such-node"}, 422),
        ("step", {"example": "../../x"}, 404),
        ("step", {}, 400),
        ("step", {"example": "G22", "rules": "mine"}, 400),
        ("step", {"example": "G22", "limit": "-1"}, 400),
    ],
)
def test_wrong_questions_are_refused(control: Documents, question: str, asked: dict[str, str], status: int) -> None:
    with pytest.raises(Refusal) as refusal:
        control.document(question, **asked)
    assert (refusal.value.status, bool(refusal.value.document["error"])) == (status, True)


def test_every_example_has_a_derivation(control: Documents) -> None:
    for item in EXAMPLES:
        walk = control.document("step", example=item.name, annotate="dependency")
        assert walk["steps"] and walk["text"] == item.text, item.name


def test_counter_examples_are_those_of_the_semantics() -> None:
    """The shipped programs are the cases that the documentation tells of."""
    for item in EXAMPLES[:5]:
        case = (ROOT / "tests/cases/mupuppet/examples" / f"{item.name}.case").read_text()
        assert item.text.strip() in case, item.name


def test_thesis_and_repaired_differ(control: Documents) -> None:
    """What the walk is there to show."""
    ends = [
        control.document("step", example="G22", annotate="dependency", rules=rules)["catalog"][0]["parameters"]["mode"]
        for rules in ("thesis", "repaired")
    ]
    assert [end["annotation"] for end in ends] == ["{l1}", "{l1, l2, l4}"]


def test_a_change_is_seen_and_an_error_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    site = tmp_path / "site.pp"
    site.write_text("file { '/a': mode => '0600' }\n")
    documents = documents_for("site.pp")
    assert documents.document("explain", path="File[/a].mode")["value"] == "0600"
    assert documents.document("state") == {"version": 0}
    site.write_text("file { '/a': mode => '0644' }  # longer\n")
    assert documents.document("state") == {"version": 1}
    assert documents.document("explain", path="File[/a].mode")["value"] == "0644"
    site.write_text("file { '/a': mode => }\n")
    assert documents.document("state") == {"version": 2}
    with pytest.raises(Refusal) as refusal:
        documents.document("compile")
    problem = refusal.value.document["problems"][0]
    assert (refusal.value.status, problem["file"], problem["line"]) == (422, "site.pp", 1)


def test_secrets_are_in_no_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.pp").write_text(
        "$p = Sensitive('hunter2-secret')\nfile { '/a': content => $p }\nnotify { 'x': message => 'hunter2-secret' }\n"
    )
    documents = documents_for("site.pp")
    for question, asked in (
        ("compile", {}),
        ("outputs", {}),
        ("inputs", {}),
        ("explain", {"path": "File[/a].content"}),
        ("explain", {"path": "Notify[x].message"}),
        ("fragments", {"path": "Notify[x].message"}),
        ("source", {"file": "site.pp"}),
    ):
        assert b"hunter2" not in documents.answer(question, asked), question
    source = documents.document("source", file="site.pp")["text"]
    assert len(source) == len((tmp_path / "site.pp").read_text())


def test_the_manual_knows_every_question(control: Documents) -> None:
    page = (ROOT / "docs/explorer.md").read_text()
    rows = [line.split("|")[1] for line in page.partition("## The HTTP API")[2].splitlines() if line.startswith("| `")]
    assert {name.strip(" `") for row in rows for name in row.split(",")} == set(control.questions)


NASTY = (
    "\0",
    "[",
    "File[",
    "File[]",
    "]].x",
    "x" * 5_000,
    "../../../etc/passwd",
    "../data/common",
    "\ud83d",
    "$",
    "$a[",
    "-1",
    "--help",
)
NAMES = (
    "path",
    "input",
    "key",
    "file",
    "example",
    "since",
    "until",
    "with",
    "facts",
    "line",
    "node",
    "annotate",
    "limit",
)


@pytest.mark.parametrize("words", NASTY, ids=range(len(NASTY)))
def test_an_enemy_gets_documents(control: Documents, words: str) -> None:
    """Whatever is asked, the answer is a document or a refusal; nothing outside of the repository is in it."""
    for question in control.questions:
        for names in ((*NAMES,), *((name,) for name in NAMES)):
            asked = dict.fromkeys(names, words)
            if question in ("explain", "fragments") and names == ("line",):
                asked["path"] = "File[/etc/motd].content"
            try:
                answer = control.answer(question, asked)
            except Refusal as refusal:
                assert refusal.status in (400, 404, 422)
                answer = json.dumps(refusal.document).encode()
            assert b"root:x:0" not in answer and b"PRIVATE KEY" not in answer
