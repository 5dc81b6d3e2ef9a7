"""PuppetDB, asked and told over HTTP: what goes over the wire, what is made of the answers, and what goes wrong."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from support.certificates import Authority
from support.fleets import write
from support.puppetdb_fake import FakePuppetDB, serving
from wherefrom.base.diagnostics import UsageError
from wherefrom.cli.main import status_of
from wherefrom.fleet import puppetdb
from wherefrom.fleet.puppetdb import PuppetDB, PuppetDBFailed, stored_differences
from wherefrom.session import Session

SITE = (
    "class peer(String $home) {\n"
    "  @@user { $trusted['certname']: home => $home, tag => 'lan' }\n"
    "  User <<| tag == 'lan' |>>\n"
    "}\nclass { 'peer': home => $facts['home'] }\n"
)


def resource(node: str, **parameters: Any) -> dict[str, Any]:
    """An exported user, as PuppetDB has it."""
    return {
        "type": "User", "title": node, "exported": True, "tags": ["user", "lan", node], "file": "/etc/site.pp",
        "line": 2, "parameters": {"tag": "lan", **parameters},
    }  # fmt: skip


@pytest.fixture
def database() -> Iterator[FakePuppetDB]:
    """A server that knows two nodes."""
    fake = FakePuppetDB()
    fake.facts = {"db01": {"home": "/srv"}, "web01": {"home": "/home"}}
    fake.catalogs = {"db01": {"resources": [resource("db01", home="/srv")], "edges": []}}
    with serving(fake) as served:
        yield served


class Caller:
    """Runs commands: status, output, errors."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        status = status_of(list(arguments))
        output = self._captured.readouterr()
        return status, output.out, output.err


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str]) -> Caller:
    """A command."""
    return Caller(capsys)


def test_facts_and_nodes(database: FakePuppetDB) -> None:
    """Facts come with the trusted data beside them, and are asked for once."""
    client = PuppetDB(database.url)
    assert client.nodes() == ["db01", "web01"]
    assert client.facts("db01") == {"home": "/srv", "trusted": {"certname": "db01"}}
    assert client.facts("db01") == client.facts("db01")
    assert database.asked == [
        "GET /pdb/query/v4/nodes",
        'GET /pdb/query/v4/inventory?query=["=",+"certname",+"db01"]',
    ]
    with pytest.raises(PuppetDBFailed, match="it has no facts for other"):
        client.facts("other")


def test_a_run_collects_from_it(database: FakePuppetDB, tmp_path: Path, called: Caller) -> None:
    """One node with facts and exports from a server; what was exported is an input that names server and node."""
    write(tmp_path, {"site.pp": SITE})
    status, out, err = called(
        "explain", str(tmp_path / "site.pp"), "User[db01].home", "--node", "web01", "--puppetdb", database.url, "--json"
    )
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert (answer["value"], answer["exported_by"]) == ("/srv", "db01")
    assert answer["where"] == {
        "kind": "export",
        "name": "User[db01].home",
        "file": "db01",
        "value": "/srv",
        "detail": f"from PuppetDB at {database.url}, exported by db01 (/etc/site.pp:2 there)",
    }


def test_queries_are_sent_as_they_are(database: FakePuppetDB, tmp_path: Path, called: Caller) -> None:
    """PQL or arrays; the answer is an input, part by part; without a server it is refused and nothing is asked."""
    pql = 'nodes[certname] { certname ~ "web" }'
    database.answers = {
        json.dumps(pql): [{"certname": "web01", "n": 1}],
        json.dumps(["from", "nodes", ["=", "certname", "x"]]): [],
    }
    write(
        tmp_path,
        {
            "site.pp": f"$found = puppetdb_query('{pql}')\nuser {{ $found[0]['certname']: uid => $found[0]['n'] }}\n"
            "notify { 'none': message => empty(puppetdb_query(['from', 'nodes', ['=', 'certname', 'x']])) }\n"
        },
    )
    client = PuppetDB(database.url)
    outcome = Session().compile(str(tmp_path / "site.pp"), node="n", trace=True, database=client)
    answer = outcome.explain("User[web01].uid").to_json()
    assert (answer["value"], answer["where"]["kind"], answer["where"]["name"]) == (1, "query", f"{pql}.0.n")
    assert outcome.select("Notify[none].message").value is True
    assert database.asked == ["POST /pdb/query/v4"] * 2
    status, _, err = called("compile", str(tmp_path / "site.pp"), "--node", "n")
    assert status == 1
    assert "puppetdb_query needs --puppetdb URL" in err
    assert "--puppetdb URL" in err


def test_a_fleet_with_a_server(database: FakePuppetDB, tmp_path: Path, called: Caller) -> None:
    """Nodes, facts and others' exports from the server; other answers are other reads; what was exported is sent."""
    write(tmp_path, {"site.pp": SITE})
    database.catalogs["far"] = {"resources": [resource("far", home="/far")], "edges": []}
    site, store = str(tmp_path / "site.pp"), str(tmp_path / "store")
    common = ("fleet", "compile", site, "--store", store, "--puppetdb", database.url, "--jobs", "1")
    assert called(*common)[:2] == (0, "2 nodes: 2 compiled, 0 kept, 0 failed\n")
    assert called(*common)[:2] == (0, "2 nodes: 0 compiled, 2 kept, 0 failed\n")
    database.catalogs["far"] = {"resources": [resource("far", home="/nearer")], "edges": []}
    database.catalogs["db01"] = {"resources": [resource("db01", home="/ignored")], "edges": []}  # the fleet's own
    assert called(*common)[:2] == (0, "2 nodes: 2 compiled, 0 kept, 0 failed\n")
    found = json.loads(called("fleet", "find", "User[*].home", "--store", store, "--json")[1])
    assert {row["path"]: row["value"] for row in found["affected"]} == {
        "User[db01].home": "/srv",
        "User[far].home": "/nearer",
        "User[web01].home": "/home",
    }
    database.facts["web01"]["home"] = "/other"
    status, out, err = called(*common, "--send", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["sent"] == ["db01", "web01"]
    sent = {row["title"]: row["parameters"] for row in database.catalogs["web01"]["resources"] if row["exported"]}
    assert sent == {"web01": {"home": "/other", "tag": "lan"}}
    assert called("fleet", "diff", site, "--stored", "--puppetdb", database.url, "--jobs", "1")[:2] == (
        0,
        "2 nodes: 0 changed, 2 the same\n",
    )
    database.catalogs["web01"]["resources"] = [
        row for row in database.catalogs["web01"]["resources"] if row["title"] != "far"
    ]
    status, out, _ = called("fleet", "diff", site, "--stored", "--puppetdb", database.url, "--format", "json")
    assert status == 0
    changes = [row["path"] for group in json.loads(out)["groups"] for row in group["differences"]]
    assert "User[far]" in changes and "User[far].home" in changes
    del database.catalogs["db01"]
    status, _, err = called("fleet", "diff", site, "--stored", "--puppetdb", database.url, "--jobs", "1")
    assert (status, "PuppetDB has no catalog for it" in err) == (1, True)


def test_certificates(tmp_path: Path) -> None:
    """Over TLS the server asks for a certificate, and is believed only by its authority."""
    authority, other = Authority(tmp_path / "ours"), Authority(tmp_path / "others")
    cert, key = authority.sign("wherefrom")
    fake = FakePuppetDB()
    fake.facts = {"n": {"a": 1}}
    with serving(fake, (authority.ca, *authority.sign("server"))):
        assert PuppetDB(fake.url, str(cert), str(key), str(authority.ca)).nodes() == ["n"]
        stranger, strange_key = other.sign("stranger")
        for shown, secret, trusted in (
            (None, None, str(authority.ca)),
            (None, None, None),
            (str(cert), str(key), str(other.ca)),
            (str(stranger), str(strange_key), str(authority.ca)),
        ):
            with pytest.raises(PuppetDBFailed) as raised:
                PuppetDB(fake.url, shown, secret, trusted, seconds=5).nodes()
            assert fake.url in raised.value.message
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate")
    with pytest.raises(PuppetDBFailed, match="the certificates cannot be used"):
        PuppetDB("https://127.0.0.1:1", str(broken), str(key), str(authority.ca)).nodes()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ((500, b"it broke\x1b[31m"), "500 Internal Server Error: it broke·[31m"),
        ((403, b""), "403 Forbidden"),
        ((302, b""), "302 Found"),
        ((200, b"<html>"), "its answer cannot be used: no JSON"),
        ((200, b"[" * 100_000), "its answer cannot be used: no JSON"),
        ((200, b"{}"), "its answer cannot be used: nodes are not a list of objects"),
        ((200, b"[1]"), "its answer cannot be used: nodes are not a list of objects"),
        ((200, b'[{"certname": 1}]'), "its answer cannot be used: `certname` is not text"),
    ],
)
def test_bad_answers(database: FakePuppetDB, fault: tuple[int, bytes], words: str) -> None:
    """Each is told, with the server; a redirection is not followed."""
    database.fault = fault
    with pytest.raises(PuppetDBFailed) as raised:
        PuppetDB(database.url).nodes()
    assert raised.value.message.startswith(f"PuppetDB at {database.url}: ")
    assert words.replace("\\x1b", "") in raised.value.message.replace("\\x1b", "").replace("␛", "").replace(
        "\\u{1b}", ""
    )
    assert "\x1b" not in raised.value.message
    assert len(database.asked) == 1


def test_bounds(database: FakePuppetDB, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the size nor the time of an answer is the server's to choose."""
    monkeypatch.setattr(puppetdb, "LARGEST", 1000)
    database.fault = (200, b" " * 5000)
    with pytest.raises(PuppetDBFailed, match="larger than 1000 bytes"):
        PuppetDB(database.url).nodes()
    database.delay = 2.0
    with pytest.raises(PuppetDBFailed, match=r"no answer within 0\.2 seconds"):
        PuppetDB(database.url, seconds=0.2).nodes()


def test_no_server(tmp_path: Path, called: Caller) -> None:
    """Nobody at the address is an error of the run, status 1; an address that is none is wrong usage, status 2."""
    write(tmp_path, {"site.pp": "notify { 'a': }\n"})
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        status, out, err = called("compile", str(tmp_path / "site.pp"), "--node", "n", "--puppetdb", url)
    assert (status, out) == (1, "")
    assert f"PuppetDB at {url}: connection refused" in err.lower().replace("puppetdb at", "PuppetDB at")
    with pytest.raises(PuppetDBFailed, match="there is no such host"):
        PuppetDB("http://no-such-host.invalid:8080", seconds=5).nodes()


@contextmanager
def answering(said: bytes, context: ssl.SSLContext | None = None) -> Iterator[int]:
    """A port where each connection is told the same, and ended; with `context`, one that speaks TLS."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection = server.accept()[0]
                except OSError:
                    return
                with connection, suppress(OSError):
                    if context is not None:
                        connection = context.wrap_socket(connection, server_side=True)
                    connection.recv(1 << 16)
                    connection.sendall(said)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[{}, {}", "it ended in the middle of its answer"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[{}, \r\n", "in the middle of its answer"),
        (b"", "The port may be the one with TLS: https://127.0.0.1:"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "The port may be the one with TLS: https://127.0.0.1:"),
    ],
)
def test_a_server_that_dies_or_speaks_otherwise(said: bytes, words: str) -> None:
    """In the middle of an answer, or before it; nothing of a part is believed."""
    with answering(said) as port, pytest.raises(PuppetDBFailed) as failure:
        PuppetDB(f"http://127.0.0.1:{port}").nodes()
    assert words in str(failure.value.help)


def test_a_port_with_tls_and_one_without(tmp_path: Path) -> None:
    """The other scheme is told."""
    authority = Authority(tmp_path / "tls")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.sign("localhost"))
    with answering(b"", context) as port, pytest.raises(PuppetDBFailed) as failure:
        PuppetDB(f"http://localhost:{port}").nodes()
    assert f"https://localhost:{port}" in str(failure.value.help)
    with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port, pytest.raises(PuppetDBFailed) as failure:
        PuppetDB(f"https://localhost:{port}").nodes()
    assert f"http://localhost:{port}" in str(failure.value.help)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--puppetdb", "ftp://a"),
        ("--puppetdb", "puppetdb:8080"),
        ("--puppetdb", "http://"),
        ("--puppetdb", "http://a:b"),
        ("--puppetdb", "http://user:password@a"),
        ("--puppetdb", "http://a", "--ca", "ca.pem"),
        ("--puppetdb", "https://a", "--cert", "c.pem"),
        ("--puppetdb", "https://a", "--ca", "not-there.pem"),
        ("--ca", "ca.pem"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], tmp_path: Path, called: Caller) -> None:
    """Status 2, before anything is asked."""
    write(tmp_path, {"site.pp": ""})
    status, out, err = called("compile", str(tmp_path / "site.pp"), "--node", "n", *arguments)
    assert (status, out) == (2, "")
    assert err


def test_what_is_stored_is_compared_as_json() -> None:
    """Resources, whether they are exported, parameters and edges; tags and places do not count."""
    ours = {"resources": [resource("a", uid=1)], "edges": []}
    assert stored_differences(ours, ours) == []
    other = {**resource("a", uid="1"), "exported": False, "tags": [], "line": 9}
    edge = {"source_type": "A", "source_title": "b", "target": {"type": "C", "title": "d"}, "relationship": "contains"}
    assert stored_differences(ours, {"resources": [other], "edges": [edge]}) == [
        ("User[a]", "changed", "realized", "exported"),
        ("User[a].uid", "changed", "1", 1),
        ("A[b] contains C[d]", "removed", True, None),
    ]


def test_a_command_that_is_not_processed_is_told(database: FakePuppetDB) -> None:
    """PuppetDB says nothing about what it can not use, but that the time is up."""
    with pytest.raises(PuppetDBFailed, match="503"):
        PuppetDB(database.url).replace_catalog({"certname": "n"})
    database.fault = (200, b'{"uuid": "1"}')
    with pytest.raises(PuppetDBFailed, match="it did not store the catalog of n"):
        PuppetDB(database.url).replace_catalog({"certname": "n", "version": "1", "edges": [], "resources": []})


def test_only_what_can_be_asked() -> None:
    """A search names one type."""
    with pytest.raises(UsageError, match="not a query"):
        PuppetDB("http://127.0.0.1:1").search(["=", "title", "a"])
