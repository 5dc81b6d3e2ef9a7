"""`pygls` with what it leaves open closed; and how its handlers are registered.

The library speaks the protocol: framing, requests and answers, cancellation, capabilities. Four things it does
otherwise than an editor needs (2.1.1):

- a request whose parameters are malformed was never answered, and the editor waits for ever: it is refused now;
- each notification that the library handles itself left a future in a table, so that memory grew by the keystroke;
- errors of a handler went to the editor with a traceback, paths included: it is told the words alone;
- its own texts cut lines wherever Python does (form feeds, U+2028), which the protocol does not, so that a change after
  one went astray. The server keeps the texts itself (`wherefrom.editor.texts`), and they are kept once.

Imports of the library are here and in `server` alone, and only where a server is started.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification

from ..base.diagnostics import UsageError

_OURS = ("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose")
_REFUSED = "$/refused"


class Failed(JsonRpcInternalError):
    """A handler that failed: what the editor is told."""

    def __init__(self, words: str) -> None:
        super().__init__(message=words)


class RequestRefused(JsonRpcException):
    """What can not be done, and why: for the user to read."""

    CODE = -32803
    MESSAGE = "Request failed"


class Protocol(LanguageServerProtocol):
    """See the module's text."""

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        for name in _OURS:
            self.fm.builtin_features.pop(name)

    def structure_message(self, data: Any) -> object:
        """A message as the library reads it; a malformed request is answered."""
        try:
            return super().structure_message(data)
        except JsonRpcException as problem:
            if "method" not in data:
                raise
            if "id" in data:
                self._send_response(data["id"], None, problem.to_response_error())
            return JsonRPCNotification(method=_REFUSED, jsonrpc="2.0", params=None)

    @property
    def is_over(self) -> bool:
        """Whether the editor has said that it is about to leave."""
        return bool(self._shutdown)

    def tell(self, method: str, params: object) -> None:
        """Send a notification as it is."""
        self._send_data({"jsonrpc": "2.0", "method": method, "params": params})

    def _execute_handler(
        self, msg_id: object, handler: object, callback: object, args: object = None, kwargs: object = None
    ) -> None:
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))


class Server(LanguageServer):
    """A server that tells its own errors on standard error, and not to the user in a window."""

    def report_server_error(self, error: Exception, source: object) -> None:
        if not isinstance(error, RequestRefused):
            print(f"wherefrom lsp: {type(error).__name__}: {error}", file=sys.stderr)


def new_server(version: str) -> Any:
    """A server without features."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    return Server("wherefrom", version, protocol_cls=Protocol)


def guarded(handler: Callable[..., Any]) -> Callable[[Any], Any]:
    """A handler of a request: one that fails says so in a few words, and takes nothing else with it."""

    async def answered(params: Any) -> Any:  # pygls hands a server to a parameter of type `object`
        try:
            return await handler(params)
        except JsonRpcException:
            raise
        except UsageError as refused:
            raise RequestRefused(str(refused)) from None
        except Exception as bug:
            raise Failed(f"{type(bug).__name__}: {bug}; this is a bug in wherefrom") from None

    return answered
