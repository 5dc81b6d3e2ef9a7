"""The documents over HTTP, for the user of this machine and nobody else.

The server listens on the loopback address. Every address begins with a token that is new with each start: without it
there is nothing to see, not even that there is a server. A request must be meant for this server (`Host`), so that a
page elsewhere can not reach it by a name that it makes point here, and must not come from another page (`Origin`,
`Sec-Fetch-Site`). Nothing can be changed by any request; the two that are about texts which nobody has saved (`TRIED`)
have them in their body. See `docs/explorer.md` for the addresses.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..base.collector import stay
from ..base.json_bytes import json_bytes
from .contained import ContainedDocuments
from .documents import Documents, Refusal
from .page import ASSETS, PLAYGROUND_POLICY, SERVED_POLICY, asset, playground_page, served_page

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
_JSON = "application/json"
TRIED = ("try", "at")
"""Questions whose parameters may be the body of a `POST`: a JSON object of texts."""
LARGEST = 8_000_000
"""Bytes of such a body."""

HEADERS = {
    "Content-Security-Policy": SERVED_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def application(documents: Documents | ContainedDocuments, token: str, port: int) -> ASGIApp:
    """The application: everything below `/TOKEN/`, for requests that are meant for us."""

    answered = documents.answer_or_refuse if isinstance(documents, Documents) else documents.answer

    async def page(_: Request) -> Response:
        return Response(served_page(documents.subject.title), media_type="text/html; charset=utf-8")

    async def playground(_: Request) -> Response:
        policy = {"Content-Security-Policy": PLAYGROUND_POLICY}
        return Response(playground_page(documents.subject.title), headers=policy, media_type="text/html; charset=utf-8")

    async def bundle(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in ASSETS:
            return _refusal(404, "there is no such file")
        return Response(asset(name), headers={"Content-Type": ASSETS[name]})

    async def answer(request: Request) -> Response:
        asked = dict(request.query_params)
        if len(asked) != len(request.query_params.multi_items()):
            return _refusal(400, "a parameter is given twice")
        if request.method == "POST":
            if request.headers.get("Content-Type", "").partition(";")[0].strip() != _JSON:
                return _refusal(415, f"the body must be {_JSON}")
            written = await _body(request)
            if written is None:
                return _refusal(413, f"the body has more than {LARGEST} bytes")
            more = _parameters(written)
            if more is None or asked.keys() & more.keys():
                return _refusal(400, "the body must be a JSON object of texts")
            asked |= more
        try:
            document = await run_in_threadpool(answered, request.path_params["question"], asked)
        except Refusal as refusal:
            return Response(json_bytes(refusal.document), refusal.status, media_type=_JSON)
        return Response(document, media_type=_JSON)

    prefix = f"/{token}"
    routes = [
        Route(f"{prefix}/", page),
        Route(f"{prefix}/playground", playground),
        Route(f"{prefix}/api/{{question}}", answer, methods=["GET", "POST"]),
        Route(f"{prefix}/{{name}}", bundle),
    ]
    return _Guard(Starlette(routes=routes), prefix, port)


async def _body(request: Request) -> bytes | None:
    """The body of a request, unless it is too large."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST:
            return None
        parts.append(part)
    return b"".join(parts)


def _parameters(written: bytes) -> dict[str, str] | None:
    """What a body says, if it is an object of texts."""
    try:
        asked = json.loads(written)
    except (ValueError, RecursionError):
        return None
    if not isinstance(asked, dict) or not all(isinstance(text, str) for text in asked.values()):
        return None
    return asked


class _Guard:
    """Lets requests through that know the token, are meant for this server and come from its own page."""

    def __init__(self, inner: ASGIApp, prefix: str, port: int) -> None:
        self._inner = inner
        self._prefix = f"{prefix}/".encode()
        self._tried = {f"{prefix}/api/{question}" for question in TRIED}
        self._hosts = {f"{name}:{port}".encode() for name in NAMES}
        self._origins = {b"http://" + host for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        response = self._refused(scope)
        if response is not None:
            await response(scope, receive, send)
            return
        await self._inner(scope, receive, _with_headers(send))

    def _refused(self, scope: Scope) -> Response | None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _refusal(421, "the request names another host")
        if any(origin not in self._origins for origin in headers.get(b"origin", [])):
            return _refusal(403, "only the explorer's own page may send requests")
        if any(site not in (b"same-origin", b"none") for site in headers.get(b"sec-fetch-site", [])):
            return _refusal(403, "only the explorer's own page may send requests")
        path: bytes = scope.get("raw_path") or scope["path"].encode()
        if not secrets.compare_digest(path[: len(self._prefix)], self._prefix):
            return _refusal(404, "not found")
        if scope["method"] not in ("GET", "HEAD") and (scope["method"] != "POST" or scope["path"] not in self._tried):
            return _refusal(405, "this server is read-only")
        return None


def _refusal(status: int, words: str) -> Response:
    return Response(json_bytes({"error": words}), status, headers=dict(HEADERS), media_type=_JSON)


def _with_headers(send: Send) -> Callable[..., Awaitable[None]]:
    """Every answer with the headers that keep others out."""

    async def guarded(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            given = message.get("headers")
            known = list(given) if isinstance(given, list | tuple) else []
            names = {name.lower() for name, _ in known}
            added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*known, *(item for item in added if item[0] not in names)]}
        await send(message)

    return guarded


def serve(
    documents: Documents | ContainedDocuments, port: int, ready: Callable[[str], None], token: str | None = None
) -> None:
    """Serve until interrupted.  `port` 0: any that is free.  `ready` is told the address once it can be asked."""
    import uvicorn

    listener = socket.create_server((ADDRESS, port))
    number: int = listener.getsockname()[1]
    token = token or secrets.token_urlsafe(24)
    config = uvicorn.Config(
        application(documents, token, number),
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    stay()  # what a change leaves behind is collected
    ready(f"http://{ADDRESS}:{number}/{token}/")
    uvicorn.Server(config).run(sockets=[listener])
