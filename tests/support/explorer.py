"""An explorer in the process of a test: its documents, and its server on a port of its own."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from wherefrom.cli.options import Invocation
from wherefrom.cli.serve import command, fleet_of, subject_of
from wherefrom.web.contained import ContainedDocuments
from wherefrom.web.documents import Documents

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-for-tests"


def documents_for(*arguments: str) -> Documents:
    """The documents that `wherefrom serve` with these arguments would serve."""
    context = command.make_context("serve", list(arguments))
    options: dict[str, Any] = dict(context.params)
    path, nodes, since = (options.pop(name) for name in ("path", "nodes", "since"))
    fleet = fleet_of(options.pop("store_path"), options.pop("comparison"))
    del options["port"], options["no_browser"]
    with click.Context(command):
        return Documents(subject_of(Invocation(options), path, nodes, since, fleet))


@contextmanager
def served(documents: Documents | ContainedDocuments) -> Iterator[int]:
    """A server for documents; gives its port."""
    import socket

    import uvicorn

    from wherefrom.web.server import ADDRESS, application

    listener = socket.create_server((ADDRESS, 0))
    port: int = listener.getsockname()[1]
    config = uvicorn.Config(application(documents, TOKEN, port), log_level="error", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
    thread.start()
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


def request(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    """One request, with these headers (`_` for `-`); without a `Host`, the right one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": f"127.0.0.1:{port}", **given}.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()
