"""The language server under messages that no editor would send, and after many edits: each request is answered once,
and what is answered in the end is what a fresh server answers.

`make soak` sends 100,000 messages; `WHEREFROM_SEED` chooses others.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.examples import examples, fresh
from support.lsp_client import ROOT, Client

pytest.importorskip("pygls")

FILES = (
    "site/profile/manifests/base.pp", "manifests/site.pp", "data/common.yaml", "site/profile/templates/motd.epp",
    "site/profile/templates/pgpass.erb", "nowhere.pp",
)  # fmt: skip
AT_PLACE = (
    "hover definition references documentHighlight completion signatureHelp prepareRename prepareCallHierarchy"
).split()
OF_FILE = "documentSymbol codeLens foldingRange semanticTokens/full formatting inlayHint codeAction rename".split()
AT_ONCE = 200
"""Requests that are sent before answers are read."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example's control repository."""
    shutil.copytree(ROOT / "examples" / "control", tmp_path / "control")
    return tmp_path / "control"


def some_value(random: Random, depth: int = 2) -> Any:
    """Anything that JSON can say."""
    kinds = 9 if depth else 6
    match random.randrange(kinds):
        case 0:
            return None
        case 1:
            return random.choice((True, False))
        case 2:
            return random.choice((-1, 0, 1, 3, 10**6, 2**31, -(2**40)))
        case 3:
            return random.choice(("", "x", "$", "🦊", "file:///etc/passwd", "\ud800"))
        case 4:
            return random.random() * 100
        case 5:
            return {"line": random.randrange(-1, 40), "character": random.randrange(-1, 60)}
        case 6:
            return [some_value(random, depth - 1) for _ in range(random.randrange(4))]
        case _:
            names = ("textDocument", "position", "range", "uri", "context", "item", "data", "start", "end", "x")
            return {name: some_value(random, depth - 1) for name in random.sample(names, random.randrange(5))}


def some_params(random: Random, client: Client, method: str) -> Any:
    """Parameters of a request: mostly good ones, some with something else in a place."""
    place = {"line": random.randrange(40), "character": random.randrange(70)}
    params: dict[str, Any] = {"textDocument": {"uri": client.uri(random.choice(FILES))}, "position": place}
    params["range"] = {"start": place, "end": {"line": random.randrange(40), "character": 0}}
    params["context"] = {"includeDeclaration": True, "diagnostics": []}
    params["newName"] = random.choice(("other", "x", "Bad", "title", ""))
    params["options"] = {"tabSize": 2, "insertSpaces": True}
    params["query"] = random.choice(("", "ng", "🦊"))
    params["item"] = {
        "name": "x",
        "kind": 1,
        "uri": client.uri(FILES[0]),
        "range": params["range"],
        "data": some_value(random),
    }
    params["item"]["selectionRange"] = params["range"]
    if random.random() < 0.3:
        params[random.choice(list(params))] = some_value(random)
    if random.random() < 0.05:
        return some_value(random)
    return params


def some_message(random: Random, client: Client) -> int | None:
    """Send anything; the number of the request, if it was one."""
    kind = random.random()
    methods = [f"textDocument/{name}" for name in (*AT_PLACE, *OF_FILE)]
    methods += ["workspace/symbol", "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "no/such"]
    if kind < 0.75:
        method = random.choice(methods)
        return client.begin(method, some_params(random, client, method) or {})
    if kind < 0.85:
        text = random.choice(("", "class x {", "$a = 'b\n", "🦊\r\n", "\ufeffinclude a\n", "@(X)\n"))
        name = random.choice(FILES[:-1])
        start = {"line": random.randrange(-1, 40), "character": random.randrange(60)}
        change: dict[str, Any] = {"text": text}
        if random.random() < 0.9:
            change["range"] = {"start": start, "end": random.choice((start, {"line": 5, "character": 2}))}
        document = {"uri": client.uri(name), "version": random.randrange(9)}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    elif kind < 0.9:
        client.notify(random.choice(("textDocument/didOpen", "textDocument/didClose", "x/y")), some_value(random) or {})
    elif kind < 0.95:
        client.notify("$/cancelRequest", {"id": client.last - random.randrange(20)})
    else:
        client.write(random.choice((b"no JSON", b"[]", b"3", b'{"jsonrpc": "2.0"}', b"{}", b"")))
    return None


def fuzzed(folder: Path, seed: int, count: int) -> None:
    """Send many messages and check that each request is answered once."""
    random = Random(seed)
    with Client(folder) as client:
        texts = {name: client.open(name) for name in FILES[:-1]}
        waiting: list[int] = []
        for _ in range(count):
            number = some_message(random, client)
            if number is not None:
                waiting.append(number)
            if len(waiting) >= AT_ONCE:
                client.settle(waiting)
                waiting.clear()
        client.settle(waiting)
        for name, text in texts.items():  # and all is well again
            client.notify("textDocument/didClose", {"textDocument": {"uri": client.uri(name)}})
            client.open(name, text)
        assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": client.uri(FILES[0])}})
        assert all(len(answers) == 1 for answers in client.answers.values())
        assert client.leave() == 0


def test_each_request_is_answered_once(folder: Path) -> None:
    """Whatever is sent between."""
    fuzzed(folder, fresh(range(1)).start, examples(600))


@pytest.mark.soak
@pytest.mark.parametrize("seed", fresh(range(10)))
def test_each_of_many_requests_is_answered_once(seed: int, folder: Path) -> None:
    """100,000 messages in all."""
    fuzzed(folder, seed, 10_000)


def edits(random: Random, text: str) -> Iterator[str]:
    """Texts on the way from one to itself: pieces taken away, doubled, written anew; the last is the text."""
    for _ in range(random.randrange(3, 8)):
        start = random.randrange(len(text))
        end = min(len(text), start + random.randrange(30))
        yield text[:start] + random.choice(("", text[start:end] * 2, "'", "{", "\n", "$x ")) + text[end:]
    yield text.replace("'/etc/motd':", "'/etc/motd':\n    owner   => 'ops',")


def answered(client: Client, name: str, text: str) -> dict[str, Any]:
    """What is told and answered of a file when nothing more happens."""
    answers: dict[str, Any] = {}
    for method in ("documentSymbol", "inlayHint", "foldingRange", "semanticTokens/full"):
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
        params = {"textDocument": {"uri": client.uri(name)}, "range": everything}
        answers[method] = client.request(f"textDocument/{method}", params)
    for line, written in enumerate(text.split("\n")):
        for column in range(0, len(written), 9):
            place = {"textDocument": {"uri": client.uri(name)}, "position": {"line": line, "character": column}}
            shown = client.request("textDocument/hover", place)
            value = shown and shown["contents"]["value"].partition("\n\n```text")[0]  # the history may come late
            answers[f"{line}:{column}"] = value, shown and shown.get("range")
    answers["problems"] = client.last_problems(name)
    return json.loads(json.dumps(answers))  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", fresh(range(2)))
def test_after_edits_the_answers_are_those_of_a_fresh_server(seed: int, folder: Path) -> None:
    """Values, names, and what is wrong."""
    random = Random(seed)
    name = FILES[0]
    original = (folder / name).read_text()
    with Client(folder, options={"node": "web01.example.org"}) as edited:
        edited.open(name)
        edited.ready()
        text = original
        for text in edits(random, original):
            edited.change(name, text)
            time.sleep(random.choice((0, 0.05, 0.3)))
        edited.compiled(name)
        after = answered(edited, name, text)
    with Client(folder, options={"node": "web01.example.org"}) as new:
        new.open(name, text)
        new.compiled(name)
        assert answered(new, name, text) == after
