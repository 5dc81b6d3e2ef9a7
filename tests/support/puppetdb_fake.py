"""A small PuppetDB for tests: a server of this process that speaks the documented wire format over plain HTTP or TLS.

It keeps facts and catalogs by node, answers the queries that wherefrom sends, and remembers what it was asked. A
`fault` is answered instead of everything else. The real server's answers to the same requests are compared in
`tests/oracle/test_puppetdb.py`.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


class FakePuppetDB:
    """What the server knows."""

    def __init__(self) -> None:
        self.facts: dict[str, dict[str, Any]] = {}
        self.catalogs: dict[str, dict[str, Any]] = {}
        self.answers: dict[str, Any] = {}
        """By query: what `puppetdb_query` is answered."""
        self.asked: list[str] = []
        self.fault: tuple[int, bytes] | None = None
        self.delay = 0.0
        self.url = ""

    def answer(self, method: str, target: str, body: bytes) -> tuple[int, Any]:
        """Status and document."""
        self.asked.append(f"{method} {unquote(target)}")
        parts = urlsplit(target)
        words = {name: values[0] for name, values in parse_qs(parts.query).items()}
        query = json.loads(words["query"]) if "query" in words else None
        if method == "POST" and parts.path == "/pdb/cmd/v1":
            catalog = json.loads(body)
            if not {"certname", "version", "edges", "producer", "code_id", "catalog_uuid"} <= catalog.keys():
                return 503, {"processed": False, "timed_out": True}
            self.catalogs[catalog["certname"]] = catalog
            return 200, {"uuid": "0", "processed": True, "timed_out": False}
        if method == "POST" and parts.path == "/pdb/query/v4":
            return 200, self.answers.get(json.dumps(json.loads(body)["query"]), [])
        entity, _, name = parts.path.removeprefix("/pdb/query/v4/").partition("/")
        if entity == "nodes":
            return 200, [{"certname": node, "deactivated": None} for node in self.facts]
        if entity == "inventory":
            rows = [
                {"certname": node, "facts": facts, "trusted": {"certname": node}} for node, facts in self.facts.items()
            ]
            return 200, [row for row in rows if _matches(query, row)]
        if entity == "resources":
            return 200, [row for row in self._resources() if _matches(query, row)]
        if entity == "catalogs" and unquote(name) in self.catalogs:
            catalog = self.catalogs[unquote(name)]
            edges = [
                {"source_type": edge["source"]["type"], "source_title": edge["source"]["title"],
                 "target_type": edge["target"]["type"], "target_title": edge["target"]["title"],
                 "relationship": edge["relationship"]}
                for edge in catalog["edges"]
            ]  # fmt: skip
            return 200, {"certname": name, "resources": {"data": catalog["resources"]}, "edges": {"data": edges}}
        return 404, {"error": f"No information is known about {entity} {name}"}

    def _resources(self) -> list[dict[str, Any]]:
        rows = [(node, resource) for node, catalog in self.catalogs.items() for resource in catalog["resources"]]
        return [{**resource, "certname": node} for node, resource in rows]


def _matches(query: Any, row: dict[str, Any]) -> bool:
    if query is None:
        return True
    match query:
        case ["and", *parts]:
            return all(_matches(part, row) for part in parts)
        case ["=", field, value]:
            return bool(row[field] == value)
    raise AssertionError(f"the fake has no {query}")


@contextmanager
def serving(database: FakePuppetDB, tls: tuple[Path, Path, Path] | None = None) -> Iterator[FakePuppetDB]:
    """Inside, the server answers at `database.url`.  `tls`: authority, certificate and key; clients need one too."""

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            time.sleep(database.delay)
            if database.fault is not None:
                status, content = database.fault
                database.asked.append(f"{self.command} {unquote(self.path)}")
            else:
                status, document = database.answer(self.command, self.path, body)
                content = json.dumps(document).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _reply

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Who hangs up is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if tls is not None:
        authority, certificate, key = tls
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.load_verify_locations(authority)
        context.verify_mode = ssl.CERT_REQUIRED
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        scheme = "https"
    database.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield database
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
