"""A client of the Language Server Protocol, to start `wherefrom lsp` and speak with it as an editor does.

It shares nothing with the library that the server is made with, so that what that gets wrong is seen. Requests are
answered in the order in which the server answers; notifications that come meanwhile are kept.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 600
"""How long an answer may take: longer, and there is none."""


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.data = error.get("data")


class Client:
    """An editor's side.  `folder` is what it shows."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        capabilities: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        folders: list[Path] | None = None,
    ) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wherefrom", "lsp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        self.notifications: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.answers: dict[Any, list[dict[str, Any]]] = {}
        self.versions: dict[str, int] = {}
        self._arrived: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._listen, daemon=True).start()
        self.capabilities = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder.as_uri(),
                "workspaceFolders": [{"uri": path.as_uri(), "name": path.name} for path in folders or [folder]],
                "capabilities": capabilities or {},
                "initializationOptions": options or {},
            },
        )["capabilities"]
        self.notify("initialized", {})

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *raised: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def leave(self) -> int:
        """End the session as the protocol wants it; the status of the process."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(SECONDS)

    # --- messages ---

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        try:
            while True:
                length = 0
                while (line := stream.readline()).strip():
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.partition(b":")[2])
                if not length:
                    break
                self._arrived.put(json.loads(stream.read(length)))
        except ValueError:
            pass  # closed
        self._arrived.put(None)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message as it is."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def write(self, body: bytes) -> None:
        """Send some bytes as a message."""
        stream = self.process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stream.flush()

    def notify(self, method: str, params: Any) -> None:
        """Say something."""
        self.send({"method": method, "params": params} if params is not None else {"method": method})

    def begin(self, method: str, params: Any) -> int:
        """Ask something, and do not wait for the answer; the number of the request."""
        self._number += 1
        self.send({"id": self._number, "method": method, **({"params": params} if params is not None else {})})
        return self._number

    def request(self, method: str, params: Any) -> Any:
        """Ask something; the answer.  Raises `Refused`."""
        return self.answer_to(self.begin(method, params))

    @property
    def last(self) -> int:
        """The number of the last request."""
        return self._number

    def settle(self, numbers: list[int]) -> None:
        """Wait until all these requests are answered."""
        for number in numbers:
            self._until(lambda number=number: number in self.answers)  # type: ignore[misc]

    def answer_to(self, number: Any) -> Any:
        """The answer to a request that was begun."""
        self._until(lambda: number in self.answers)
        answer = self.answers[number][0]
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def _until(self, is_there: Callable[[], bool]) -> None:
        while not is_there():
            try:
                message = self._arrived.get(timeout=SECONDS)
            except queue.Empty:
                raise AssertionError(f"no message within {SECONDS} s; so far {self.notifications[-5:]}") from None
            if message is None:
                error = self.process.stderr.read().decode() if self.process.stderr is not None else ""
                raise AssertionError(f"the server ended: {error}")
            if "method" not in message:
                self.answers.setdefault(message["id"], []).append(message)
            elif "id" in message:
                self.requests.append(message)
                self.send({"id": message["id"], "result": None})
            else:
                self.notifications.append(message)

    def wait_for(self, method: str, is_wanted: Callable[[Any], bool] = lambda params: True) -> Any:
        """The parameters of the first notification of this kind that is wanted and was not given before."""

        def place() -> int | None:
            return next(
                (
                    number
                    for number, message in enumerate(self.notifications)
                    if message["method"] == method and is_wanted(message["params"])
                ),
                None,
            )

        self._until(lambda: place() is not None)
        return self.notifications.pop(cast("int", place()))["params"]

    # --- what an editor does ---

    def uri(self, name: str) -> str:
        """The address of a file of the folder."""
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str | None = None) -> str:
        """Show a file; its text."""
        text = (self.folder / name).read_text("utf-8") if text is None else text
        self.versions[name] = 1
        document = {"uri": self.uri(name), "languageId": "puppet", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return text

    def change(self, name: str, text: str) -> None:
        """Have another text in a file."""
        self.versions[name] = self.versions.get(name, 1) + 1
        document = {"uri": self.uri(name), "version": self.versions[name]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def ready(self, state: str = "ready") -> Any:
        """Wait until something is compiled; how it stands."""
        return self.wait_for("wherefrom/status", lambda params: params["state"] == state)

    def problems(self, name: str, is_wanted: Callable[[list[Any]], bool] = lambda problems: True) -> list[Any]:
        """The next diagnostics of a file, in its version of now, that are wanted."""
        uri, version = self.uri(name), self.versions.get(name)
        params = self.wait_for(
            "textDocument/publishDiagnostics",
            lambda params: (
                params["uri"] == uri and params.get("version") == version and is_wanted(params["diagnostics"])
            ),
        )
        return cast("list[Any]", params["diagnostics"])

    def compiled(self, name: str) -> None:
        """Wait until the text of now is compiled and checked, and all is told."""
        while True:
            self.request("workspace/executeCommand", {"command": "wherefrom/settled", "arguments": []})
            told = [message["params"] for message in self.notifications if message["method"] == "wherefrom/status"]
            if told and told[-1]["state"] != "compiling":
                return

    def last_problems(self, name: str) -> Any:
        """What was told last of a file."""
        uri = self.uri(name)
        told = [message["params"] for message in self.notifications if message["params"].get("uri") == uri]
        return told[-1]["diagnostics"] if told else None

    def at(self, name: str, text: str, word: str, within: int = 0) -> dict[str, Any]:
        """Parameters of a request about the place where `word` stands first, `within` characters into it."""
        before = text[: text.index(word) + within]
        line = before.count("\n")
        column = before[before.rfind("\n") + 1 :]
        units = len(column.encode("utf-16-le")) // 2
        return {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": units}}
