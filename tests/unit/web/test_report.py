"""A report is one file with all answers inside, nothing in it can be taken for code, and it is not large."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from support import commands
from support.explorer import ROOT, documents_for
from wherefrom.web.report import key_of, report

LARGEST = 5_000_000
"""Bytes of a report about a thousand resources."""


def whole(packed: Any, document: Any) -> Any:
    """A document with the shared pieces put back, as the page does it."""
    if isinstance(document, list):
        return [whole(packed, item) for item in document]
    if isinstance(document, dict):
        if list(document) == ["$"]:
            return packed["pieces"][document["$"]]
        return {key: whole(packed, value) for key, value in document.items()}
    return document


def unpacked(page: bytes) -> Any:
    data = re.search(rb'<script type="text/plain" id="documents">([A-Za-z0-9+/=]*)</script>', page)
    assert data is not None
    return json.loads(gzip.decompress(base64.b64decode(data[1])))


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        (("examples/control", "--node", "web01.example.org"), "File[/etc/motd].mode"),
        (("examples/firewall/test.sf",), "testServer"),
        pytest.param(
            ("examples/flake#nixosConfigurations.web",), "config.services.openssh.ports", marks=pytest.mark.long
        ),
    ],
)
def test_a_report_has_what_the_server_answers(
    arguments: tuple[str, ...], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    documents = documents_for(*arguments)
    node = {"node": arguments[2]} if len(arguments) > 2 else {}
    packed = unpacked(report(documents, [node.get("node")]))
    for question, asked in (("subject", {}), ("outputs", node), ("inputs", node), ("explain", {**node, "path": path})):
        answer = whole(packed, packed["answers"][key_of(question, asked)])
        assert answer["ok"] == documents.document(question, **asked), question
    for output in documents.document("outputs", **node)["outputs"]:
        assert key_of("explain", {**node, "path": output["path"]}) in packed["answers"]


def test_nothing_in_a_report_is_taken_for_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "</script><script>alert(1)<"
    (tmp_path / "<img src=x onerror=alert(1)>.pp").write_text(f"notify {{ '{name}': message => '</title>{name}' }}\n")
    page = report(documents_for("<img src=x onerror=alert(1)>.pp"), [None]).decode()
    assert "alert(1)<" not in page
    assert page.count("<script") == 2 and "<img" not in page
    assert "<title>wherefrom · &lt;img src=x onerror=alert(1)&gt;.pp</title>" in page


def test_its_policy_names_its_own_script_and_style_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = report(documents_for("examples/firewall/test.sf"), [None]).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1] and "connect-src 'none'" in policy[1] and "unsafe" not in policy[1]
    for element in ("script", "style"):
        text = re.findall(rf"<{element}>(.*?)</{element}>", page, re.S)
        assert len(text) == 1
        digest = base64.b64encode(hashlib.sha256(text[0].encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]


@pytest.mark.long
def test_a_thousand_resources_are_not_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.pp").write_text(
        "define part($port) {\n"
        "  if $facts['os'] == 'x' { $owner = 'root' } else { $owner = 'nobody' }\n"
        '  file { "/etc/${title}": owner => $owner, mode => \'0644\', content => "port ${port} for ${title}\\n" }\n'
        '  service { $title: ensure => running, require => File["/etc/${title}"] }\n'
        "}\n"
        'Integer[1, 334].each |$n| { part { "part${n}": port => 8000 + $n } }\n'
    )
    documents = documents_for("site.pp")
    page = report(documents, [None])
    assert len(documents.document("graph")["nodes"]) >= 1000
    assert len(page) < LARGEST


def test_the_same_report_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    pages = [report(documents_for("examples/firewall/test.sf"), [None]) for _ in range(2)]
    assert pages[0] == pages[1]


def test_the_command(tmp_path: Path) -> None:
    """It writes the file; what does not compile is told, and in the page too."""
    target = tmp_path / "out.html"
    done = commands.wherefrom("report", "examples/firewall/test.sf", "-o", str(target))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{target}: {target.stat().st_size:,} bytes\n"
    (tmp_path / "bad.pp").write_text("file { '/a': mode => }\n")
    done = commands.wherefrom("report", "bad.pp", "-o", "bad.html", cwd=tmp_path)
    assert done.returncode == 1 and "bad.pp:1:22" in done.stderr
    packed = unpacked((tmp_path / "bad.html").read_bytes())
    assert packed["answers"]["outputs"]["status"] == 422
