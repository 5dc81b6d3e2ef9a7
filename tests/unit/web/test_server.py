"""The server shows itself to its own page and to nobody else."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.explorer import ROOT, TOKEN, documents_for, request, served
from wherefrom.web.page import ASSETS, PLAYGROUND_POLICY

PAGE = f"/{TOKEN}/"
API = f"/{TOKEN}/api/"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        with served(
            documents_for("examples/web/site.pp", "--node", "web01", "--facts", "examples/web/facts.yaml")
        ) as it:
            yield it


def test_the_page_and_its_parts(port: int) -> None:
    status, headers, body = request(port, PAGE)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"explorer.js" in body and b"http" not in body.replace(b"http-equiv", b"")
    for name, kind in ASSETS.items():
        status, headers, _ = request(port, PAGE + name)
        assert (status, headers["Content-Type"]) == (200, kind)


def test_every_answer_has_the_policy(port: int) -> None:
    for path in (PAGE, API + "subject", API + "nothing", PAGE + "explorer.js", PAGE + "no", "/", "/x/api/subject"):
        _, headers, _ = request(port, path)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy, path
        assert "unsafe" not in policy and "*" not in policy and "http" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/subject",
        "/wrong/",
        "/wrong/api/subject",
        f"/{TOKEN}x/",
        f"/{TOKEN[:-1]}/",
        f"//{TOKEN}/",
        f"/{TOKEN}",
    ],
)
def test_without_the_token_there_is_nothing(port: int, path: str) -> None:
    status, _, body = request(port, path)
    assert (status, json.loads(body)) == (404, {"error": "not found"})


@pytest.mark.parametrize("path", ["../pyproject.toml", "..%2fpage.py", "%2e%2e/page.py", "examples/G22.pp", "page.py"])
def test_no_other_file_is_given(port: int, path: str) -> None:
    status, _, _ = request(port, PAGE + path)
    assert status == 404


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1:{port}.evil.example",
        "[::1]:{port}",
        "",
    ],
)
def test_another_host_is_refused(port: int, host: str) -> None:
    """A name that somebody makes point here is not ours (DNS rebinding)."""
    status, _, _ = request(port, API + "subject", Host=host.format(port=port))
    assert status in (400, 421)


def test_two_hosts_are_refused(port: int) -> None:
    lines = [f"GET {API}subject HTTP/1.1", f"Host: 127.0.0.1:{port}", "Host: evil.example", "Connection: close", "", ""]
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall("\r\n".join(lines).encode())
        status = connection.makefile("rb").readline()
    assert b" 400 " in status or b" 421 " in status


def test_localhost_is_ours(port: int) -> None:
    assert request(port, API + "subject", Host=f"localhost:{port}")[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_other_pages_are_refused(port: int, headers: dict[str, str]) -> None:
    assert request(port, API + "subject", **headers)[0] == 403


def test_its_own_page_is_served(port: int) -> None:
    assert request(port, API + "subject", Origin=f"http://127.0.0.1:{port}", Sec_Fetch_Site="same-origin")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_can_be_changed(port: int, method: str) -> None:
    assert request(port, API + "subject", method)[0] == 405


def post(port: int, path: str, body: bytes, **headers: str) -> tuple[int, Any]:
    """The status and the document of a request with a body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    given = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    try:
        connection.request("POST", path, body, given)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


SITE = "examples/web/site.pp"


def test_texts_that_nobody_saved_are_compared(port: int) -> None:
    """What an edit would change; the file stays, and so does what is shown."""
    saved = (ROOT / SITE).read_text()
    texts = json.dumps({SITE: saved.replace("'0600'", "'0604'")})
    assert texts != json.dumps({SITE: saved})
    status, document = post(port, API + "try", json.dumps({"texts": texts, "file": SITE}).encode())
    assert status == 200
    assert [row["path"] for row in document["differences"]] == ["Class[Motd].mode", "File[/etc/motd].mode"]
    assert any(row["values"] == ['"0604"'] for row in document["observed"])
    place = {"file": SITE, "line": "1", "column": "1", "texts": json.dumps({SITE: "notice($facts['os']['family'])\n"})}
    status, document = post(port, API + "at", json.dumps({**place, "column": "9"}).encode())
    assert status == 200 and document["text"] == "$facts"
    status, document = post(port, API + "try", json.dumps({"texts": json.dumps({SITE: "class {"})}).encode())
    assert status == 422 and document["problems"][0]["file"] == SITE
    assert (ROOT / SITE).read_text() == saved
    assert json.loads(request(port, API + "explain?path=File%5B/etc/motd%5D.mode")[2])["value"] == "0600"


@pytest.mark.parametrize("name", ["/etc/passwd", "../README.md", "README.md", "examples/web/other.pp", ""])
def test_texts_are_of_files_that_were_read(port: int, name: str) -> None:
    """Nothing else can be put in place of anything, or be made known to be there."""
    status, document = post(port, API + "try", json.dumps({"texts": json.dumps({name: "x"})}).encode())
    assert (status, document) == (400, {"error": f"{name} was not read in this run"})


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"[]", {}, 400),
        (b"nothing", {}, 400),
        (b'{"texts": 1}', {}, 400),
        (b'{"texts": "[1]"}', {}, 400),
        (b"[" * 100_000, {}, 400),
        (b"{}", {"Content_Type": "text/plain"}, 415),
        (b"{}", {"Origin": "http://evil.example"}, 403),
        (b" " * 8_000_001, {}, 413),
    ],
)
def test_a_body_that_is_no_question(port: int, body: bytes, headers: dict[str, str], status: int) -> None:
    """Refused before anything is compiled; from another page, before it is read."""
    assert post(port, API + "try", body, **headers)[0] == status


def test_no_copy_of_a_file_with_secrets_is_edited(tmp_path: Path) -> None:
    """A page has its masked text, which would come back as another value."""
    site = tmp_path / "site.pp"
    site.write_text("notify { 'a': message => Sensitive('s3cret-s3cret') }\n")
    with served(documents_for(str(site), "--node", "n")) as port:
        texts = json.dumps({str(site): "notify { 'a': }\n"})
        status, document = post(port, API + "try", json.dumps({"texts": texts}).encode())
    assert status == 400 and "contains secret values" in document["error"]


def test_the_playground_has_a_policy_of_its_own(port: int) -> None:
    """Styles within the page, and nothing else, are its own matter."""
    status, headers, body = request(port, PAGE + "playground")
    assert status == 200 and b"playground.js" in body
    assert headers.get_all("Content-Security-Policy") == [PLAYGROUND_POLICY]


def test_answers_and_refusals_are_documents(port: int) -> None:
    status, headers, body = request(port, API + "explain?path=File%5B/etc/motd%5D.mode")
    assert (status, headers["Content-Type"], json.loads(body)["value"]) == (200, "application/json", "0600")
    status, _, body = request(port, API + "explain?path=File%5B/etc/mtd%5D.mode")
    assert status == 404 and json.loads(body)["problems"][0]["help"] == "did you mean File[/etc/motd]?"
    status, _, body = request(port, API + "explain?path=a&path=b")
    assert (status, json.loads(body)) == (400, {"error": "a parameter is given twice"})


def test_a_bug_of_ours_is_told_and_ends_nothing(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise KeyError("oops")

    with monkeypatch.context() as patch:
        patch.setattr("wherefrom.web.documents.Documents.answer", broken)
        status, _, body = request(port, API + "subject")
        assert status == 500 and "this is a bug in wherefrom" in json.loads(body)["error"]
    assert request(port, API + "subject")[0] == 200


def test_it_listens_to_this_machine_alone(port: int) -> None:
    """Not even by another address of this machine."""
    try:
        other = socket.gethostbyname(socket.gethostname())
    except OSError:
        pytest.skip("this machine has no other address")
    if other.startswith("127."):
        other = "127.0.0.2"
    with pytest.raises(OSError), socket.create_connection((other, port), timeout=5):
        pass
