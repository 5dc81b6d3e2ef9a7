"""What the language server tells of texts and names alone: colours, folds, layout, signatures, who calls whom; and the
names of SmartFrog and Nix."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from support.lsp_client import ROOT, Client, Refused

pytest.importorskip("pygls")

BASE = "site/profile/manifests/base.pp"
SITE = "manifests/site.pp"
HOSTS = "hosts.nix"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """An editor that shows a class; nothing is compiled, since nothing has to be."""
    folder = tmp_path_factory.mktemp("editor") / "control"
    shutil.copytree(ROOT / "examples" / "control", folder)
    with Client(folder, options={"trusted": False}) as client:
        client.open(BASE)
        yield client


@pytest.fixture(scope="module")
def text(client: Client) -> str:
    """The class."""
    return (client.folder / BASE).read_text("utf-8")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """An editor that shows SmartFrog and Nix."""
    folder = tmp_path_factory.mktemp("other")
    shutil.copy(ROOT / "examples/nix/hosts.nix", folder)
    (folder / "a.sf").write_text(
        "base extends { port 80; }\nsfConfig extends {\n  web extends base;\n  p web:port;\n}\n"
    )
    (folder / "module.nix").write_text(
        "{ config, ... }: { services.a.port = 1; x = config.services.a.port; y = ./hosts.nix; }\n"
    )
    with Client(folder, options={"trusted": False}) as client:
        for name in (HOSTS, "a.sf", "module.nix"):
            client.open(name)
        yield client


def document(client: Client, name: str) -> dict[str, Any]:
    """Parameters of a request about a file."""
    return {"textDocument": {"uri": client.uri(name)}}


def coloured(client: Client, name: str, text: str) -> list[tuple[str, str]]:
    """The pieces of a text with their colours."""
    legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = client.request("textDocument/semanticTokens/full", document(client, name))["data"]
    lines, line, character, pieces = text.split("\n"), 0, 0, []
    for at in range(0, len(data), 5):
        down, right, length, kind, _ = data[at : at + 5]
        line, character = line + down, right if down else character + right
        pieces.append((lines[line][character : character + length], legend[kind]))
    return pieces


def test_colours(client: Client, text: str) -> None:
    """Pieces by what they are, names by what they name; every piece is a piece of the text."""
    pieces = coloured(client, BASE, text)
    for piece in [
        ("class", "keyword"),
        ("profile::base", "class"),
        ("$motd_mode", "parameter"),
        ("file", "type"),
        ("'/etc/motd'", "string"),
        ("mode", "property"),
        ("=>", "operator"),
        ("epp", "function"),
    ]:
        assert piece in pieces, piece
    assert any(kind == "comment" for _, kind in pieces)


def test_colours_of_other_languages(other: Client) -> None:
    """Nix and SmartFrog."""
    nix = coloured(other, HOSTS, (other.folder / HOSTS).read_text())
    assert {("let", "keyword"), ("80", "number"), ("port", "property"), ("name", "parameter")} <= set(nix)
    frog = coloured(other, "a.sf", (other.folder / "a.sf").read_text())
    assert {("extends", "keyword"), ("port", "property"), ("80", "number")} <= set(frog)


def test_folds(client: Client, text: str) -> None:
    """From a bracket to its partner; comments; in data by what is indented."""
    lines = text.split("\n")
    folds = client.request("textDocument/foldingRange", document(client, BASE))
    stretches = {(fold["startLine"], fold["endLine"]) for fold in folds if "kind" not in fold}
    opened = next(number for number, line in enumerate(lines) if line.startswith("  file {"))
    assert any(first == opened and lines[last + 1] == "  }" for first, last in stretches), stretches
    comments = [fold for fold in folds if fold.get("kind") == "comment"]
    assert all(
        lines[line].lstrip().startswith("#") for fold in comments for line in (fold["startLine"], fold["endLine"])
    )
    client.open("hiera.yaml")
    assert client.request("textDocument/foldingRange", document(client, "hiera.yaml"))


def test_layout(client: Client, text: str) -> None:
    """Arrows below each other; comments and texts in quotes stay; what is broken is left alone."""
    messy = (
        "file { '/a':\t\n\tensure => file, # a\n  content     => \"x  \n  y => \", \n  # b  \n  mode=>'0644',\n}\n\n\n"
        "notify { 'x': message => { 'a' => 1, 'bcd' => 2 } }"
    )
    tidy = (
        "file { '/a':\n  ensure  => file, # a\n  content => \"x  \n  y => \",\n  # b\n  mode    =>'0644',\n}\n\n\n"
        "notify { 'x': message => { 'a' => 1, 'bcd' => 2 } }\n"
    )
    client.open("new.pp", messy)
    options = {"options": {"tabSize": 2, "insertSpaces": True}}
    edits = client.request("textDocument/formatting", {**document(client, "new.pp"), **options})
    assert edited(messy, edits) == tidy
    client.change("new.pp", tidy)
    assert client.request("textDocument/formatting", {**document(client, "new.pp"), **options}) == []
    client.change("new.pp", messy + "}")
    assert client.request("textDocument/formatting", {**document(client, "new.pp"), **options}) == []
    assert edited(text, client.request("textDocument/formatting", {**document(client, BASE), **options})) == text


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """A text with edits made, the last first."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines) + 1)]

    def offset(place: dict[str, int]) -> int:
        return min(len(text), starts[place["line"]] + place["character"])

    for edit in sorted(edits, key=lambda edit: offset(edit["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


@pytest.mark.parametrize(
    ("typed", "label", "argument"),
    [
        ("  $x = join(['a'], ", "join(", 1),
        ("  $x = profile::twice(1, ", "profile::twice(Integer $a, $b = 2)", 1),
        ("  $x = 'a,b'.split(", "split(", 1),
        ("  $x = size(split('(', ", "split(", 1),
    ],
)
def test_signatures(client: Client, text: str, typed: str, label: str, argument: int) -> None:
    """Of Puppet's own functions, with their pages, and of those that a file defines."""
    client.open("site/profile/functions/twice.pp", "function profile::twice(Integer $a, $b = 2) { $a * $b }\n")
    changed = text.replace("true,\n  }\n", f"true,\n  }}\n{typed}", 1)
    client.change(BASE, changed)
    answer = client.request("textDocument/signatureHelp", client.at(BASE, changed, typed, len(typed)))
    client.change(BASE, text)
    chosen = answer["signatures"][answer["activeSignature"]]
    assert chosen["label"].startswith(label) and answer["activeParameter"] == argument
    start, end = chosen["parameters"][argument]["label"]
    assert "$" in chosen["label"][start:end]


def test_no_signature_outside_of_a_call(client: Client, text: str) -> None:
    """In a resource, in a test, in a comment."""
    for typed in ("  file { '/x': mode => ", "  if (1 + ", "  # join("):
        changed = text.replace("true,\n  }\n", f"true,\n  }}\n{typed}", 1)
        client.change(BASE, changed)
        assert client.request("textDocument/signatureHelp", client.at(BASE, changed, typed, len(typed))) is None, typed
    client.change(BASE, text)


def test_who_declares_whom(client: Client, text: str) -> None:
    """Classes and defines, both ways; what stands outside of a definition belongs to its file."""
    [item] = client.request("textDocument/prepareCallHierarchy", client.at(BASE, text, "profile::base", 3))
    assert item["name"] == "profile::base"
    callers = client.request("callHierarchy/incomingCalls", {"item": item})
    assert {caller["from"]["name"] for caller in callers} == {"default", "role::database", "role::web"}
    wiki = client.open("site/profile/manifests/wiki.pp")
    [item] = client.request(
        "textDocument/prepareCallHierarchy", client.at("site/profile/manifests/wiki.pp", wiki, "profile::wiki", 3)
    )
    called = client.request("callHierarchy/outgoingCalls", {"item": item})
    assert "nginx::server" in {target["to"]["name"] for target in called}
    assert client.request("callHierarchy/incomingCalls", {"item": {**item, "data": None}}) == []


def test_names_of_nix(other: Client) -> None:
    """Bindings, arguments, attributes of sets that are written there, options, files; and an outline."""
    text = (other.folder / HOSTS).read_text()
    [place] = other.request("textDocument/definition", other.at(HOSTS, text, "defaults.root", 2))
    assert place["range"]["start"] == {"line": 2, "character": 2}
    [place] = other.request("textDocument/definition", other.at(HOSTS, text, "defaults.root", 10))
    assert place["range"]["start"] == {"line": 2, "character": 26}
    context = {"context": {"includeDeclaration": True}}
    found = other.request("textDocument/references", {**other.at(HOSTS, text, "mkHost", 2), **context})
    assert len(found) == 2
    outline = other.request("textDocument/documentSymbol", document(other, HOSTS))
    assert [symbol["name"] for symbol in outline][:3] == ["defaults", "secure", "mkHost"]
    module = (other.folder / "module.nix").read_text()
    [place] = other.request("textDocument/definition", other.at("module.nix", module, "config.services.a.port", 19))
    assert place["range"]["start"]["character"] == module.index("port")
    place = other.request("textDocument/definition", other.at("module.nix", module, "./hosts.nix", 4))
    assert place["uri"].endswith("/hosts.nix")
    symbols = other.request("workspace/symbol", {"query": "servicesaport"})
    assert [symbol["name"] for symbol in symbols] == ["services.a.port"]


def test_names_of_nix_are_renamed_where_that_is_certain(other: Client) -> None:
    """A binding of a `let`; not an argument that callers name, nor into a name that is there."""
    text = (other.folder / HOSTS).read_text()
    answer = other.request("textDocument/rename", {**other.at(HOSTS, text, "secure =", 2), "newName": "tls"})
    [edits] = answer["changes"].values()
    renamed = edited(text, edits)
    assert renamed == text.replace("secure", "tls")
    for word, new, reason in (
        ("profile ?", "x", "programs elsewhere may use it"),
        ("secure =", "defaults", "might hide"),
    ):
        with pytest.raises(Refused, match=reason):
            other.request("textDocument/rename", {**other.at(HOSTS, text, word, 2), "newName": new})


def test_names_of_smartfrog(other: Client) -> None:
    """References, step by step, and prototypes; an outline."""
    text = (other.folder / "a.sf").read_text()
    [place] = other.request("textDocument/definition", other.at("a.sf", text, "web:port", 1))
    assert place["range"]["start"] == {"line": 2, "character": 2}
    [place] = other.request("textDocument/definition", other.at("a.sf", text, "extends base;", 9))
    assert place["range"]["start"] == {"line": 0, "character": 0}
    outline = other.request("textDocument/documentSymbol", document(other, "a.sf"))
    assert [symbol["name"] for symbol in outline] == ["base", "sfConfig"]
    assert [child["name"] for child in outline[1]["children"]] == ["web", "p"]
