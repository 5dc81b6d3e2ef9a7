"""Whatever the secrets are, every document is one, shows none of them, and has everything else in its place.

A small environment has a secret where secrets get to: as a parameter, inside of a text, a list and a hash, in a title,
in data, in a default, in an error. Every command that writes documents is asked about it in every form, with secrets of
all shapes: of several lines, in the syntax of the documents themselves, words that the documents use, numbers.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import commands
from support.examples import examples
from wherefrom.base.secrets import REDACTED, SHORTEST, SHORTEST_LINE

PLAIN = {"a": {"b": "x1234"}, "key": ["plain", 12345678]}
"""A value that has nothing to do with secrets."""

MANIFEST = """
class secretive($password = Sensitive(%s), $quiet = Sensitive(%s)) {
  file { '/direct': content => $password }
  file { '/within': content => "user: x\\npassword: ${password.unwrap}\\nlast line\\n" }
  notify { "about ${password.unwrap}": message => [$password, { 'k' => $password.unwrap }] }
  notify { 'keyed': message => { $password.unwrap => 1 } }
  notify { 'plain': message => { 'a' => { 'b' => 'x1234' }, 'key' => ['plain', 12345678] } }
  File['/direct'] -> Notify['plain']
  notice("it is ${password.unwrap}")
  warning($password)
}
include secretive
"""

FIRST = ["compile a.pp --save saved.json", "fleet compile a.pp --store store --nodes n,m --json"]
"""What writes down what others read."""

DOCUMENTS = [
    "compile a.pp --json", "compile a.pp --yaml", "compile --nodes n,m a.pp --json",
    "compile --nodes n --output out a.pp --json", "compile --nodes n --output out a.pp --yaml",
    "compile --nodes n,m fail.pp --json",
    "diff a.pp b.pp --json", "diff a.pp b.pp --format markdown", "diff a.pp b.pp --format html",
    "diff a.pp b.pp --nodes n,m --json", "diff a.pp b.pp --nodes n,m --format markdown",
    "diff a.pp b.pp --nodes n,m --format html", "diff saved.json b.pp --json",
    "graph a.pp --json", "graph a.pp", "graph a.pp --format svg",
    "explain a.pp File[/direct].content --json", "explain a.pp File[/within].content --json --all",
    "explain a.pp Notify[keyed].message --json", "explain a.pp File[/within].content --line 2 --json",
    "explain a.pp Class[secretive] --json", "explain a.pp Notify[nothing] --missing --json",
    "explain saved.json File[/within].content --json", "impact a.pp a.pp:2 --json", "impact saved.json a.pp:2 --json",
    "lookup . x --node n --json", "lookup . --all --node n --json", "lookup . x --nodes n,m --json",
    "check a.pp --json", "check fail.pp --format sarif", "check . --format sarif", "check a.pp --format github",
    "report a.pp -o page.html", "batch --hide-secrets",
    "fleet find --store store --json File[*].content", "fleet sql --store store --json SELECT",
    "fleet sql --store store SELECT",
    "fleet lookup --store store --json x", "fleet drift --store store --json",
    "fleet where-used --store store --json a.pp:3", "fleet impact --store store --json a.pp:3",
    "fleet plot --store store --json reach",
]  # fmt: skip

WORDS = (
    "type",
    "parameters",
    "value",
    "message",
    "content",
    "literal",
    "sensitive",
    "Notify",
    "nodes",
    "error",
    "null",
)
"""Words that the documents themselves use."""

VALUES = ("compile a.pp --json", "compile a.pp --yaml", "explain a.pp File[/within].content --json --all")

PIECES = [
    "\n", "\n  ", '"', "'", "\\", "\\n", "{", "}", "[", "]", ": ", ", ", "<", ">", "&amp;", "</script>", "-->", "```",
    "| x |", "#", "$", "%{x}", "é", "\u2028", "…", "x1234", "12345678", "password", "true", "  ", "- ", "---\n", "\t",
]  # fmt: skip


def secret(chance: random.Random) -> str:
    """A secret of some shape, long enough to be looked for."""
    match chance.randrange(6):
        case 0:
            return chance.choice(WORDS)
        case 1:
            return str(chance.randrange(1000, 10**9))
        case 2:
            value = {"a": {"b": chance.choice(["x1234", "ü", 5])}, "list": [1, {"type": "x"}]}
            return json.dumps(value, indent=chance.choice([None, 2])) + chance.choice(["", "\n"])
        case 3:
            return f"-----BEGIN KEY-----\n{'x' * 20}\n  {'parameters: '}\n-----END KEY-----\n"
    while True:
        text = "".join(chance.choice(PIECES) for _ in range(chance.randint(2, 9)))
        if len(text.strip()) >= SHORTEST:
            return text


def quoted(text: str) -> str:
    """As Puppet reads it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def environment(folder: Path, text: str) -> None:
    """The manifests and the data, with a secret in them."""
    manifest = MANIFEST % (quoted(text), quoted("a second one 4711"))
    (folder / "a.pp").write_text(manifest)
    (folder / "b.pp").write_text(manifest.replace("user: x", "user: y").replace("last line", "no line"))
    (folder / "fail.pp").write_text(manifest + 'fail("no: ${secretive::password.unwrap}")')
    (folder / "hiera.yaml").write_text("version: 5\nhierarchy:\n- {name: c, path: c.yaml}\n")
    (folder / "data").mkdir(exist_ok=True)
    options = "lookup_options: {x: {convert_to: Sensitive}}"
    escaped = text.replace("%{", "%{literal('%')}{")
    (folder / "data/c.yaml").write_text(f"x: {json.dumps(escaped)}\n{options}\n")


def texts(document: Any) -> Iterator[str]:
    """Every value of a document that is a text, and every key that is no name of a field."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for key, part in document.items():
            if not re.fullmatch(r"[A-Za-z_$]+", key):
                yield key
            yield from texts(part)
    elif isinstance(document, list):
        for part in document:
            yield from texts(part)


class Page(HTMLParser):
    """A page whose elements are closed in the order they were opened; what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in ("meta", "link", "br", "img", "input", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "link", "br", "img", "input", "hr", "p"):
            while self.open and self.open[-1] == "p":
                self.open.pop()
            assert self.open and self.open[-1] == tag, (tag, self.open)
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("script", "style"):
            self.said.append(data)


def read(form: str, text: str) -> list[str]:
    """The texts of a document of a form, which has to be one."""
    match form:
        case "json":
            document = json.loads(text)
            if document.get("version") == "2.1.0":
                levels = [result["level"] for run in document["runs"] for result in run["results"]]
                assert set(levels) <= {"error", "warning", "note"}
            return [*texts(document)]
        case "yaml":
            return [*texts(yaml.safe_load(text))]
        case "html":
            page = Page()
            page.feed(text)
            page.close()
            return page.said
    return [text]


def shown(line: str, folder: Path, text: str) -> list[str]:
    """What a command writes, read as what it is."""
    arguments = line.split()
    request = json.dumps({"id": 1, "manifest": (folder / "a.pp").read_text()})
    if arguments[-1] == "SELECT":
        arguments[-1] = "SELECT * FROM attributes"
    done = commands.ran(*arguments, cwd=folder, input=request.encode() if "batch" in line else b"")
    assert done.status in (0, 1, 4), (line, text, done)
    assert b"internal error" not in done.err, (line, text, done)
    out = done.out.decode()
    said = [] if "check" in line else done.err.decode().splitlines()
    if "--save" in line:
        said += read("json", (folder / "saved.json").read_text())
    elif "--output" in line:
        name = "n.json" if "--json" in line else "n.yaml"
        said += read(name[2:], (folder / "out" / name).read_text())
    elif "page.html" in line:
        said += read("html", (folder / "page.html").read_text())
    elif not out and done.status == 1:
        assert done.err, (line, text)  # an error, which is no document
    elif any(form in line for form in ("--json", "sarif", "batch")):
        said += read("json", out)
    elif "--yaml" in line:
        said += read("yaml", out)
    elif "html" in line or "svg" in line:
        said += read("html", out)
    else:
        said.append(out)
    return said


def parts_of(text: str) -> set[str]:
    """What is looked for of a secret."""
    lines = {line.strip() for line in text.splitlines() if len(line.strip()) >= SHORTEST_LINE}
    return {text, text.strip(), *lines}


def explore(folder: Path, text: str, lines: list[str]) -> None:
    """Ask everything about an environment with a secret."""
    environment(folder, text)
    for line in [*FIRST, *lines]:
        for said in shown(line, folder, text):
            if text in WORDS and line not in VALUES:
                continue  # the document says it by itself
            if said != REDACTED and line != "check a.pp --json":
                left = said.replace(REDACTED, "")
                assert not [part for part in parts_of(text) if part in left], (line, text, said)
        if line == "compile a.pp --json":
            done = commands.wherefrom(*line.split(), cwd=folder)
            resources = json.loads(done.stdout)["resources"]
            (plain,) = [each for each in resources if each["title"] == "plain"] or [None]
            if plain is not None and not any(part in json.dumps(PLAIN) for part in parts_of(text)):
                assert plain["parameters"]["message"] == PLAIN, text


def usable() -> list[str]:
    """The questions that this machine can answer."""
    return [line for line in DOCUMENTS if "svg" not in line or shutil.which("dot") is not None]


EXAMPLE = '{\n  "a": {\n    "b": "x1234"\n  }\n}\n'


@pytest.mark.long
def test_a_secret_in_the_syntax_of_the_document(tmp_path: Path) -> None:
    """It looks like the lines of another resource, which stay what they are."""
    explore(tmp_path, EXAMPLE, usable())
    done = commands.wherefrom("compile", "a.pp", "--json", cwd=tmp_path)
    (plain,) = [each for each in json.loads(done.stdout)["resources"] if each["title"] == "plain"]
    assert plain["parameters"]["message"] == PLAIN


@pytest.mark.parametrize("seed", range(examples(4)))
def test_every_document_is_one(seed: int, tmp_path: Path) -> None:
    """With any secret, and none of them is in it."""
    chance = random.Random(f"documents {seed}")
    explore(tmp_path, secret(chance), chance.sample(usable(), 9))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(examples(30)))
def test_very_many_documents(seed: int, tmp_path: Path) -> None:
    """The same for many more, every one of them."""
    explore(tmp_path, secret(random.Random(f"more documents {seed}")), usable())
