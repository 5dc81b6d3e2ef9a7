"""PuppetDB, asked over HTTP: facts, exported resources, stored catalogs, queries; and told what nodes export.

Nothing is asked unless a command was given `--puppetdb URL`. Plain HTTP has no authentication; HTTPS presents the
client's certificate (`--cert`, `--key`) and trusts the authority of `--ca` alone, else those of the system. No proxy is
used and no redirection followed: what is asked of the named server is asked of nobody else. An answer is bounded in
size and time, and every one of its fields is checked.

The wire formats are those of the documented API (https://puppet.com/docs/puppetdb/7/api/query/v4/overview.html,
https://puppet.com/docs/puppetdb/7/api/command/v1/commands.html).
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from ..base.diagnostics import Diagnostic, UsageError
from ..base.json_bytes import json_bytes
from ..base.render import visible
from ..provenance.exported import Database, Exported, ExportSource
from ..provenance.origins import Leaf, Origin
from .exports import Row, matches

SECONDS = 60.0
"""For one answer, from the first byte asked to the last byte read."""
LARGEST = 1 << 28
"""Bytes; no answer is larger."""
COMMAND_SECONDS = 30
"""How long a command is waited for; one that PuppetDB can not use is never answered otherwise."""
_PIECE = 1 << 16
_SHOWN = 300


class PuppetDBFailed(Diagnostic):
    """PuppetDB could not be asked, or its answer can not be used."""

    code = "W046"

    def __init__(self, url: str, reason: str, help: str | None = None) -> None:
        super().__init__(f"PuppetDB at {url}: {reason}", help=help)


class PuppetDB(Database, ExportSource):
    """One PuppetDB, by the address of its server."""

    def __init__(
        self,
        url: str,
        cert: str | None = None,
        key: str | None = None,
        ca: str | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.url = url.rstrip("/")
        parts = urlsplit(self.url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1 or parts.query or parts.username:
            raise UsageError(
                f"--puppetdb: {url!r} is not the URL of a server: expected http://HOST:PORT or https://..."
            )
        if parts.scheme == "http" and (cert or key or ca):
            raise UsageError("--cert, --key and --ca are for https: plain http has no certificates")
        if bool(cert) != bool(key):
            raise UsageError("--cert and --key belong together")
        for option, file in (("--cert", cert), ("--key", key), ("--ca", ca)):
            if file is not None and not os.path.isfile(file):
                raise UsageError(f"{option}: there is no file {file}")
        self._secure = parts.scheme == "https"
        self._host, self._port, self._path = parts.hostname, port, parts.path
        self._cert, self._key, self._ca = cert, key, ca
        self._seconds = seconds
        self._exported: dict[str, list[tuple[str, Row]]] = {}
        self._answers: dict[str, Any] = {}
        self._facts: dict[str, dict[str, Any]] = {}

    # --- questions ---

    def nodes(self) -> list[str]:
        """The nodes that are not deactivated."""
        rows = self._rows("nodes", None)
        return sorted(self._field(row, "certname", str) for row in rows)

    def facts(self, node: str) -> dict[str, Any]:
        """The facts of a node, with `trusted` among them if it is known.  Raises `PuppetDBFailed` if there are none."""
        if node not in self._facts:
            rows = self._rows("inventory", ["=", "certname", node])
            if not rows:
                raise PuppetDBFailed(self.url, f"it has no facts for {node}", "is the node's name its certname?")
            facts = dict(self._field(rows[0], "facts", dict))
            trusted = rows[0].get("trusted")
            self._facts[node] = {**facts, "trusted": trusted} if isinstance(trusted, dict) and trusted else facts
        return self._facts[node]

    def catalog(self, node: str) -> dict[str, Any] | None:
        """The catalog that is stored of a node: `resources` and `edges`; nothing if there is none."""
        document = self._get(f"catalogs/{quote(node, safe='')}", {}, missing=True)
        if document is None:
            return None
        if not isinstance(document, dict):
            raise self._unusable("a catalog is not an object")
        tables: dict[str, object] = {}
        for name in ("resources", "edges"):
            held = document.get(name)
            rows = held.get("data") if isinstance(held, dict) else held
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise self._unusable(f"the catalog of {node} has no list of {name}")
            if not all(isinstance(row.get("parameters") or {}, dict) for row in rows):
                raise self._unusable(f"the catalog of {node} has parameters that are not an object")
            tables[name] = rows
        return tables

    def query(self, query: str | Sequence[object]) -> list[Any]:
        """The answer to a query in PQL, or as lists; it is sent as it is, and asked once."""
        key = json.dumps(query)
        if key not in self._answers:
            answer = self._asked("POST", "/pdb/query/v4", {"query": query})
            if not isinstance(answer, list):
                raise self._unusable("the answer to a query is not a list")
            self._answers[key] = answer
        answer = self._answers[key]
        return list(answer)

    def answer(self, question: tuple[str, str]) -> bytes:
        """The answer to a query that a trace names."""
        return json_bytes(self.query(json.loads(question[1])))

    # --- exported resources ---

    def search(self, query: Sequence[Any]) -> list[Exported]:
        """The exported resources that match, by node and title. PuppetDB is asked once for each type."""
        kinds = [part[2] for part in query[1:] if part[:2] == ["=", "type"]] if query[:1] == ["and"] else []
        if len(kinds) != 1:
            raise UsageError(f"not a query for exported resources: {json.dumps(query)}")
        return [self._collected(node, row) for node, row in self.exported(kinds[0]) if matches(query, node, row)]

    def exported(self, type_name: str) -> list[tuple[str, Row]]:
        """The exported resources of a type, each with its node."""
        if type_name not in self._exported:
            asked = ["and", ["=", "type", type_name], ["=", "exported", True]]
            rows = [self._row(document) for document in self._rows("resources", asked)]
            self._exported[type_name] = sorted(rows, key=lambda pair: (pair[0], pair[1].title))
        return self._exported[type_name]

    def _row(self, document: Mapping[str, object]) -> tuple[str, Row]:
        tags = self._field(document, "tags", list)
        parameters = self._field(document, "parameters", dict)
        title, kind = self._field(document, "title", str), self._field(document, "type", str)
        file, line = document.get("file"), document.get("line")
        row = Row(
            kind,
            title,
            tuple(str(tag) for tag in tags),
            parameters,
            file if isinstance(file, str) else "",
            line if isinstance(line, int) else 0,
            -1,
            {},
            (),
        )
        return self._field(document, "certname", str), row

    def _collected(self, node: str, row: Row) -> Exported:
        """A resource whose values are inputs: PuppetDB keeps no histories."""
        ref = f"{row.type}[{row.title}]"
        place = f" ({row.file}:{row.line} there)" if row.file else ""
        detail = f"from PuppetDB at {self.url}, exported by {node}{place}"
        origins: dict[str, Origin] = {
            name: Leaf("export", f"{ref}.{name}", None, value, detail, node) for name, value in row.parameters.items()
        }
        existence = Leaf("export", ref, None, row.title, detail, node)
        return Exported(
            node, row.type, row.title, row.tags, row.parameters, row.file, row.line, existence, origins, row.secrets
        )

    # --- commands ---

    def replace_catalog(self, catalog: Mapping[str, object], producer: str = "wherefrom") -> None:
        """Store a node's catalog in place of the one it had, and wait until that is done."""
        node = str(catalog["certname"])
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + ".000Z"
        body = {
            "code_id": None,
            "catalog_uuid": None,
            "transaction_uuid": None,
            "job_id": None,
            "producer": producer,
            "producer_timestamp": stamp,
            **catalog,
        }
        words = {
            "command": "replace_catalog",
            "version": 9,
            "certname": node,
            "producer-timestamp": stamp,
            "secondsToWaitForCompletion": COMMAND_SECONDS,
        }
        answer = self._asked("POST", f"/pdb/cmd/v1?{urlencode(words)}", body)
        if not isinstance(answer, dict) or answer.get("processed") is not True:
            raise PuppetDBFailed(self.url, f"it did not store the catalog of {node} within {COMMAND_SECONDS} seconds")

    # --- HTTP ---

    def _rows(self, entity: str, query: Sequence[object] | None) -> list[dict[str, Any]]:
        rows = self._get(entity, {} if query is None else {"query": json.dumps(query)})
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self._unusable(f"{entity} are not a list of objects")
        return rows

    def _field(self, row: Mapping[str, object], name: str, kind: type[Any]) -> Any:
        value = row.get(name)
        if not isinstance(value, kind):
            raise self._unusable(f"`{name}` is not {_KINDS[kind]}")
        return value

    def _unusable(self, reason: str) -> PuppetDBFailed:
        return PuppetDBFailed(self.url, f"its answer cannot be used: {reason}")

    def _get(self, entity: str, words: Mapping[str, str], missing: bool = False) -> object:
        return self._asked("GET", f"/pdb/query/v4/{entity}" + (f"?{urlencode(words)}" if words else ""), None, missing)

    def _asked(self, method: str, path: str, document: object, missing: bool = False) -> object:
        """The document that is answered.  With `missing`, nothing where there is no such thing."""
        deadline = time.monotonic() + self._seconds
        connection = self._connection()
        try:
            body = None if document is None else json_bytes(document)
            headers = {"Accept": "application/json", **({"Content-Type": "application/json"} if body else {})}
            connection.request(method, self._path + path, body, headers)
            response = connection.getresponse()
            with closing(response):
                content = self._content(response, connection, deadline)
            if missing and response.status == 404:
                return None
            if not 200 <= response.status < 300:
                said = visible(content.decode("utf-8", "replace").strip()[:_SHOWN])
                raise PuppetDBFailed(self.url, f"{response.status} {visible(response.reason)}" + (said and f": {said}"))
        except ssl.SSLError as problem:
            help = "--cert, --key and --ca name the certificates" if self._cert is None or self._ca is None else None
            if problem.reason in _NO_TLS:
                help = f"the port may be the one without TLS: http://{self.url.partition('://')[2]}"
            raise PuppetDBFailed(self.url, f"no secure connection: {_words(problem)}", help) from None
        except TimeoutError:
            raise PuppetDBFailed(self.url, f"no answer within {self._seconds:g} seconds") from None
        except (OSError, http.client.HTTPException) as problem:
            raise PuppetDBFailed(self.url, _words(problem), self._help(problem)) from None
        finally:
            connection.close()
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as problem:
            raise self._unusable(f"no JSON: {_words(problem)}") from None

    def _help(self, problem: Exception) -> str:
        if isinstance(problem, http.client.IncompleteRead):
            return "it ended in the middle of its answer: ask again when it runs"
        if not self._secure and isinstance(problem, ConnectionResetError | http.client.BadStatusLine):
            # A port that expects TLS ends the connection, or answers with an alert of TLS.
            return f"is it running? The port may be the one with TLS: https://{self.url.partition('://')[2]}"
        return "is it running, and is this its address?"

    def _connection(self) -> http.client.HTTPConnection:
        if not self._secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._seconds)
        try:
            context = ssl.create_default_context(cafile=self._ca)
            if self._cert is not None:
                context.load_cert_chain(self._cert, self._key, password=lambda: b"")
        except (ssl.SSLError, OSError, ValueError) as problem:
            raise PuppetDBFailed(self.url, f"the certificates cannot be used: {_words(problem)}") from None
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._seconds, context=context)

    def _content(
        self, response: http.client.HTTPResponse, connection: http.client.HTTPConnection, deadline: float
    ) -> bytes:
        pieces: list[bytes] = []
        size = 0
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if connection.sock is not None:
                connection.sock.settimeout(left)
            piece = response.read1(_PIECE)
            if not piece:
                if response.length:  # it said that there is more
                    raise http.client.IncompleteRead(b"".join(pieces), response.length)
                return b"".join(pieces)
            size += len(piece)
            if size > LARGEST:
                raise self._unusable(f"it is larger than {LARGEST} bytes")
            pieces.append(piece)


_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")
"""What OpenSSL says of a server that does not speak TLS."""
_KINDS: dict[type[Any], str] = {str: "text", list: "list", dict: "object"}


def _words(problem: Exception) -> str:
    """What went wrong, without what a server could make a terminal do."""
    if isinstance(problem, socket.gaierror):
        return "there is no such host"
    words = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return visible(str(words)[:_SHOWN])


def stored_differences(
    ours: Mapping[str, object], theirs: Mapping[str, object]
) -> list[tuple[str, str, object, object]]:
    """What differs between two catalogs as PuppetDB keeps them: path, `added`, `removed` or `changed`, old and new.

    The stored one is the old one. Tags, places and versions do not count.
    """
    before, after = _outputs(theirs), _outputs(ours)
    rows: list[tuple[str, str, object, object]] = []
    for path in [*before, *(path for path in after if path not in before)]:
        old, new = before.get(path), after.get(path)
        if path not in after:
            rows.append((path, "removed", old, None))
        elif path not in before:
            rows.append((path, "added", None, new))
        elif json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):
            rows.append((path, "changed", old, new))
    return rows


def _outputs(catalog: Mapping[str, Any]) -> dict[str, object]:
    outputs: dict[str, object] = {}
    for resource in catalog["resources"]:
        ref = f"{resource.get('type')}[{resource.get('title')}]"
        outputs[ref] = "exported" if resource.get("exported") else "realized"
        for name, value in (resource.get("parameters") or {}).items():
            outputs[f"{ref}.{name}"] = value
    for edge in catalog["edges"]:
        ends = [_end(edge, side) for side in ("source", "target")]
        outputs[f"{ends[0]} {edge.get('relationship')} {ends[1]}"] = True
    return outputs


def _end(edge: Mapping[str, object], side: str) -> str:
    """An end of an edge: an object, or (as `catalogs` answers) two fields."""
    end = edge.get(side)
    if isinstance(end, Mapping):
        return f"{end.get('type')}[{end.get('title')}]"
    return f"{edge.get(f'{side}_type')}[{edge.get(f'{side}_title')}]"
