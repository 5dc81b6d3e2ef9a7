"""The language server as an editor meets it: started as a process, spoken to over its streams."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.lsp_client import ROOT, SECONDS, Client, Refused
from wherefrom.editor.texts import path_of, uri_of

pytest.importorskip("pygls")

BASE = "site/profile/manifests/base.pp"
COMMON = "data/common.yaml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example's control repository."""
    path = tmp_path_factory.mktemp("editor") / "control"
    shutil.copytree(ROOT / "examples" / "control", path)
    return path


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    """An editor that shows a class, compiled for a web server."""
    with Client(folder, options={"node": "web01.example.org"}) as client:
        client.open(BASE)
        client.ready()
        yield client


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    """The class."""
    return (folder / BASE).read_text("utf-8")


def hovered(client: Client, name: str, text: str, word: str, within: int = 1) -> str:
    """What is shown over a word."""
    answer = client.request("textDocument/hover", client.at(name, text, word, within))
    return "" if answer is None else str(answer["contents"]["value"])


def explained(client: Client, name: str, text: str, word: str, within: int = 1) -> str:
    """The same with the history, which comes when the other process has time for it."""
    for _ in range(SECONDS * 20):
        shown = hovered(client, name, text, word, within)
        if "```text" in shown:
            break
        time.sleep(0.05)
    return shown


def whole(client: Client, name: str) -> dict[str, Any]:
    """Parameters of a request about all of a file."""
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
    return {"textDocument": {"uri": client.uri(name)}, "range": everything}


def places(answer: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    """File name, line and character of locations, the first two from the end of the address and from 1."""
    return [
        (
            item["uri"].rpartition("/control/")[2],
            item["range"]["start"]["line"] + 1,
            item["range"]["start"]["character"],
        )
        for item in answer
    ]


def test_what_it_can_do_is_told(client: Client) -> None:
    """The editor learns what it may ask, and in which units places are counted."""
    told = client.capabilities
    assert told["positionEncoding"] == "utf-16" and told["textDocumentSync"]["change"] == 2
    for name in ("hover", "definition", "references", "documentSymbol", "workspaceSymbol", "documentHighlight"):
        assert told[f"{name}Provider"], name
    assert {"wherefrom/node", "wherefrom/facts", "wherefrom/reach"} <= set(told["executeCommandProvider"]["commands"])


def test_hover_shows_the_value_and_where_it_came_from(client: Client, text: str) -> None:
    """On the chosen node, with the ladder of the data; the words are those of `explain`."""
    shown = explained(client, BASE, text, "$motd_mode,", 3)
    assert shown.startswith('`"0640"` on web01.example.org')
    assert 'edit    "0640"   data/os/Debian.yaml:2:27' in shown
    assert '"0644"  hidden  site/profile/manifests/base.pp:8:35' in shown


def test_hover_over_a_variable_of_a_lambda(client: Client, text: str) -> None:
    """Values that no outcome names: those of intermediate expressions."""
    assert hovered(client, BASE, text, "server} iburst").startswith('`"pool.ntp.example.org"` on web01')


def test_hover_over_a_key_shows_the_ladder(client: Client) -> None:
    """What each level of the data says."""
    data = client.open(COMMON)
    shown = explained(client, COMMON, data, "nginx::worker_connections")
    assert "data/role/web.yaml" in shown and "1024" in shown and "hidden" in shown


def test_definition_of_a_parameter_is_where_it_is_set_too(client: Client, text: str) -> None:
    """The parameter itself, and the keys of the data that bind to it."""
    answer = client.request("textDocument/definition", client.at(BASE, text, "$motd_mode,", 3))
    assert sorted(places(answer)) == [("data/os/Debian.yaml", 2, 15), (BASE, 8, 20)]


def test_definition_of_a_template_and_a_class(client: Client, text: str) -> None:
    """By the names that code has for files and classes."""
    answer = client.request("textDocument/definition", client.at(BASE, text, "'profile/motd", 5))
    assert answer["uri"].endswith("/control/site/profile/templates/motd.epp")
    site = client.open("manifests/site.pp")
    answer = client.request("textDocument/definition", client.at("manifests/site.pp", site, "profile::base", 3))
    assert places(answer) == [(BASE, 6, 6)]


def test_references_go_through_code_and_data(client: Client) -> None:
    """From a key of the data to whoever reads it."""
    data = client.open(COMMON)
    params = {**client.at(COMMON, data, "nginx::worker_connections", 9), "context": {"includeDeclaration": True}}
    assert set(places(client.request("textDocument/references", params))) == {
        (COMMON, 13, 7),
        ("data/role/web.yaml", 2, 7),
        ("modules/nginx/manifests/init.pp", 6, 14),
        ("modules/nginx/manifests/init.pp", 16, 70),
    }


def test_outline(client: Client) -> None:
    """A class with its parameters inside."""
    answer = client.request("textDocument/documentSymbol", {"textDocument": {"uri": client.uri(BASE)}})
    assert [symbol["name"] for symbol in answer] == ["profile::base"]
    assert [symbol["name"] for symbol in answer[0]["children"]] == ["admins", "motd_mode", "ntp_servers"]


def test_symbols_of_the_folder(client: Client) -> None:
    """Letters in their order are enough."""
    names = {symbol["name"] for symbol in client.request("workspace/symbol", {"query": "ngserv"})}
    assert "nginx::server" in names and "profile::base" not in names


def test_hints_show_values_that_are_not_written_there(client: Client) -> None:
    """Parameters and variables of lambdas, with their values on the node."""
    hints = client.request("textDocument/inlayHint", whole(client, BASE))
    labels = {(hint["position"]["line"] + 1, hint["label"]) for hint in hints}
    assert (8, ' = "0640"') in labels and (19, ' = "pool.ntp.example.org"') in labels


def test_lenses_say_how_far_a_definition_reaches(client: Client) -> None:
    """As many outputs as `reach` then lists."""
    lens = client.request("textDocument/codeLens", {"textDocument": {"uri": client.uri(BASE)}})[0]
    command = client.request("codeLens/resolve", lens)["command"]
    answer = client.request("workspace/executeCommand", command)
    assert command["title"] == f"reaches {answer['count']} outputs on web01.example.org"
    assert "File[/etc/motd].mode" in answer["affected"]


def test_what_is_wrong_is_told_while_typing(folder: Path, text: str) -> None:
    """A slip, and that it is gone; the values stay those of the last text that could be read."""
    with Client(folder, options={"node": "web01.example.org"}) as client:
        client.open(BASE)
        client.ready()
        broken = text.replace("ensure  => file,", "ensure  => ,", 1)
        client.change(BASE, broken)
        [problem] = client.problems(BASE, bool)
        assert problem["code"] == "P035" and problem["range"]["start"] == {"line": 11, "character": 15}
        assert hovered(client, BASE, broken, "$motd_mode,", 3).startswith('`"0640"`')
        client.change(BASE, text)
        assert client.problems(BASE) == []
        assert client.leave() == 0


def test_a_text_is_compiled_before_it_is_saved(folder: Path, text: str) -> None:
    """Errors of the compilation stand in the text, and values are those of the text."""
    with Client(folder, options={"node": "web01.example.org"}) as client:
        client.open(BASE)
        client.ready()
        client.change(BASE, text.replace("'/etc/motd':", "'/etc/motd': owner => nobody,"))
        client.ready("compiling")
        client.ready()
        changed = text.replace("'/etc/motd':", "'/etc/motd': owner => nobody,")
        assert hovered(client, BASE, changed, "nobody").startswith('`"nobody"`')
        client.change(BASE, text.replace("Service['ntp']", "Service[$nonsense.upcase]"))
        client.ready("failed")
        problems = client.problems(BASE, bool)
        assert any("upcase" in problem["message"] or "Undef" in problem["message"] for problem in problems), problems
        assert (folder / BASE).read_text("utf-8") == text
        assert (
            client.request("workspace/executeCommand", {"command": "wherefrom/node", "arguments": ["/none", None]})
            is None
        )


def test_the_node_can_be_switched_and_a_fact_supposed(folder: Path, text: str) -> None:
    """Values are those of the node that was chosen, and of a fact that is supposed to be another."""
    with Client(folder, options={"node": "web01.example.org"}) as client:
        client.open(BASE)
        status = client.ready()
        assert status["nodes"] == ["db01.example.org", "web01.example.org", "web02.example.org"]
        arguments = [status["place"], "web02.example.org"]
        client.request("workspace/executeCommand", {"command": "wherefrom/node", "arguments": arguments})
        assert client.ready()["node"] == "web02.example.org"
        assert "on web02.example.org" in hovered(client, BASE, text, "$motd_mode,", 3)
        facts = {"os.family": "RedHat"}
        arguments = [status["place"], facts]
        client.request("workspace/executeCommand", {"command": "wherefrom/facts", "arguments": arguments})
        assert client.ready()["facts"] == facts
        assert hovered(client, BASE, text, "$ntp_servers.map", 3).startswith('`["0.rhel.pool.ntp.example.org"]`')


def test_malformed_requests_are_refused_and_nothing_else_happens(client: Client, text: str) -> None:
    """Each is answered once, with an error that says no more than it must; the server goes on."""
    position = {"textDocument": {"uri": client.uri(BASE)}, "position": {"line": -1, "character": 0}}
    for method, params, code in [
        ("textDocument/hover", position, -32602),
        ("textDocument/hover", {}, -32602),
        ("textDocument/definition", {"textDocument": 3, "position": []}, -32602),
        ("no/such", {}, -32601),
        ("workspace/executeCommand", {"command": "none"}, -32602),
    ]:
        number = client.begin(method, params)
        with pytest.raises(Refused) as refused:
            client.answer_to(number)
        assert refused.value.code == code, method
        assert "Traceback" not in str(refused.value) + str(refused.value.data), method
        assert len(client.answers[number]) == 1
    client.write(b"no JSON at all")
    client.notify("no/such", {})
    assert client.request("textDocument/hover", client.at("nowhere.pp", text, "$motd_mode")) is None
    assert hovered(client, BASE, text, "$motd_mode,", 3)


def test_a_request_can_be_taken_back(client: Client, text: str) -> None:
    """It is answered all the same: with its answer, if that was quicker, or that it was cancelled."""
    number = client.begin("textDocument/hover", client.at(BASE, text, "$motd_mode,", 3))
    client.notify("$/cancelRequest", {"id": number})
    try:
        assert client.answer_to(number) is not None
    except Refused as refused:
        assert refused.code == -32800
    assert len(client.answers[number]) == 1


def test_places_are_counted_in_the_units_of_the_editor(folder: Path, text: str) -> None:
    """Characters beyond ASCII before a place, in both units; the definition of a name behind them."""
    odd = text.replace("Array[String[1]] $admins,", "Array[String[1]] $admins, # 🦊", 1)
    odd = odd.replace("  file { '/etc/motd':", "  notice('🦊🦊', $motd_mode)\n  file { '/etc/motd':", 1)
    for encoding, width in (("utf-16", 2), ("utf-8", 4)):
        general = {"general": {"positionEncodings": [encoding]}}
        with Client(folder, capabilities=general) as client:
            assert client.capabilities["positionEncoding"] == encoding
            client.open(BASE, odd)
            line = odd[: odd.index("notice(")].count("\n")
            column = len("  notice('', $mo") + 2 * width
            params = {"textDocument": {"uri": client.uri(BASE)}, "position": {"line": line, "character": column}}
            marks = client.request("textDocument/documentHighlight", params)
            starts = [(mark["range"]["start"]["line"], mark["range"]["start"]["character"]) for mark in marks]
            assert (line, len("  notice('', $") + 2 * width) in starts, (encoding, starts)


def test_an_untrusted_folder_is_read_and_not_compiled(folder: Path, text: str) -> None:
    """Names and syntax, no values."""
    with Client(folder, options={"trusted": False}) as client:
        client.open(BASE)
        assert client.problems(BASE) == []
        assert "on web01" not in hovered(client, BASE, text, "$motd_mode,", 3)
        client.leave()
        assert not any(message["method"] == "wherefrom/status" for message in client.notifications)


SECRETS = """class c {
  $password = Sensitive('hunter2secret')
  $louder = upcase($password.unwrap)
  file { '/a': content => "x ${louder}", mode => '0600' }
  notify { "t-${louder}": message => md5($louder) }
  [$louder].each |$part| { notice("part ${part}") }
}
include c
"""


def test_no_secret_is_sent(tmp_path: Path) -> None:
    """Neither what is in the text, nor what is computed from it: over no word, in no hint and no notification."""
    (tmp_path / "a.pp").write_text(SECRETS)
    words = ("$password", "$louder", "upcase", "unwrap", "'/a'", "content", "t-", "message", "md5", "$part", "include")
    with Client(tmp_path) as client:
        client.open("a.pp")
        client.ready()
        assert "(sensitive)" in explained(client, "a.pp", SECRETS, "$louder")
        answers: list[Any] = [hovered(client, "a.pp", SECRETS, word) for word in words]
        for method in ("inlayHint", "codeLens", "documentSymbol"):
            answers.append(client.request(f"textDocument/{method}", whole(client, "a.pp")))
        said = json.dumps([*answers, client.notifications]).lower()
    assert "(sensitive)" in said
    assert "hunter2secret" not in said
    assert hashlib.md5(b"HUNTER2SECRET").hexdigest() not in said


def test_it_ends_when_the_editor_does(folder: Path) -> None:
    """Whoever starts it and dies leaves nothing behind."""
    with Client(folder) as client:
        client.open(BASE)
        client.ready()
        stream = client.process.stdin
        assert stream is not None
        stream.close()
        assert client.process.wait(SECONDS) == 1


def test_other_languages(tmp_path: Path) -> None:
    """SmartFrog and Nix: what is wrong, and the values of what is written."""
    (tmp_path / "a.sf").write_text("sfConfig extends { port 80; copy port; }\n")
    (tmp_path / "a.nix").write_text("{ port = 80; }\n")
    with Client(tmp_path) as client:
        for name, broken in (("a.sf", "sfConfig extends {"), ("a.nix", "{ port = ; }")):
            text = client.open(name)
            client.ready()
            assert hovered(client, name, text, "80").startswith("`80`")
            client.change(name, broken)
            assert client.problems(name, bool)[0]["severity"] == 1


@pytest.mark.parametrize("uri", ["untitled:a.pp", "file:///a%00.pp", "file:///\ud83d.pp", "file://host/a.pp", ""])
def test_an_address_of_no_file(uri: str) -> None:
    """Nothing is read, and nothing fails."""
    assert path_of(uri) is None


@pytest.mark.parametrize("name", ["a b.pp", "é.pp", "\U0001f40d.pp", "a%20b.pp", "a#b?.pp", "\udcff.pp"])
def test_every_name_has_an_address(name: str) -> None:
    """Also one of bytes that are no text."""
    assert path_of(uri_of(f"/somewhere/{name}")) == f"/somewhere/{name}"
