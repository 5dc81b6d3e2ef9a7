"""The language client of Visual Studio Code in a real browser: what it draws of the server's answers.

Its own code (`vscode-languageclient`, the editor of VS Code) runs in Chromium; messages go from the page to the test,
and from there to `wherefrom lsp`. `make browser` builds it (`web/client`) and keeps a picture of each view
below `build/explorer`.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from support.lsp_client import ROOT

pytestmark = pytest.mark.browser
pytest.importorskip("pygls")

CLIENT = ROOT / "web/client"
PICTURES = ROOT / "build/explorer"
BASE = "site/profile/manifests/base.pp"
NODE = "web01.example.org"
HTML = (
    '<!doctype html><link rel="stylesheet" href="client.css"><div id="editor" style="height:640px;width:1000px"></div>'
    '<script type="module" src="client.js"></script>'
)
ROUNDS = 1_500
"""Times that the page is looked at, each some 20 ms."""


class Bridge:
    """A page whose client speaks with a server."""

    def __init__(self, page: Any, process: subprocess.Popen[bytes]) -> None:
        self.page = page
        self._process = process
        self._waiting: queue.Queue[str] = queue.Queue()
        page.expose_function("toServer", self._to_server)
        threading.Thread(target=self._listen, daemon=True).start()

    def _to_server(self, text: str) -> None:
        assert self._process.stdin is not None
        data = text.encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            length = int(line.partition(b":")[2])
            while stream.readline().strip():
                pass
            self._waiting.put(stream.read(length).decode())

    def until(self, expression: str) -> None:
        """Pass messages on until something is true in the page."""
        for _ in range(ROUNDS):
            while not self._waiting.empty():
                self.page.evaluate("text => fromServer(text)", self._waiting.get())
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never true: {expression}")

    def shows(self, text: str, where: str = ".monaco-editor") -> None:
        """Wait until a text is drawn somewhere."""
        shown = f"[...document.querySelectorAll({json.dumps(where)})].some(it => it.textContent"
        self.until(f"{shown}.replace(/\\u00a0/g, ' ').includes({json.dumps(text)}))")

    def picture(self, name: str) -> None:
        """Keep what is drawn, when nothing moves any more."""
        self.page.wait_for_timeout(600)
        self.page.screenshot(path=PICTURES / f"{name}.png")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a folder that has the client in it."""
    if not (CLIENT / "node_modules").exists():
        pytest.skip("the packages of web/client are not installed: make browser")
    folder = tmp_path_factory.mktemp("client")
    subprocess.run(["node", "build.mjs", str(folder)], cwd=CLIENT, check=True, timeout=300)
    (folder / "index.html").write_text(HTML)
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def editor(bundle: str, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bridge]:
    """A class in the editor, compiled."""
    control = tmp_path_factory.mktemp("drawn") / "control"
    shutil.copytree(ROOT / "examples" / "control", control)
    command = [sys.executable, "-m", "wherefrom", "lsp"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        command, cwd=control, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            page = browser.new_page(viewport={"width": 1000, "height": 640})
            page.goto(bundle)
            bridge = Bridge(page, process)
            text = (control / BASE).read_text()
            told = "() => { window.ready = true; }, problem => { window.failed = String(problem); }"
            page.evaluate(f"given => {{ begin(...given).then({told}); }}", [str(control), BASE, text, NODE])
            bridge.until("window.ready || window.failed")
            assert page.evaluate("window.failed") is None
            yield bridge
            page.close()
        finally:
            process.kill()  # also when the page does not begin


def test_values_are_drawn_beside_the_text(editor: Bridge) -> None:
    """Inlay hints."""
    editor.shows('= "0640"')
    editor.picture("client-hints")


def test_the_reach_is_drawn_above_a_class(editor: Bridge) -> None:
    """A code lens, resolved."""
    editor.shows(f"on {NODE}", ".codelens-decoration")
    editor.shows("reaches", ".codelens-decoration")


def test_a_hover_is_drawn(editor: Bridge) -> None:
    """The value, and where it came from."""
    word = editor.page.locator(".view-line span", has_text="$motd_mode").last
    box = word.bounding_box()
    editor.page.mouse.move(box["x"] + 20, box["y"] + 6)
    editor.shows("data/os/Debian.yaml:2", ".monaco-hover")
    editor.picture("client-hover")
    editor.page.mouse.move(2, 2)


def test_what_is_wrong_is_marked_while_typing(editor: Bridge) -> None:
    """A squiggle, without saving; gone when it is taken back."""
    editor.page.locator(".view-line", has_text="ensure").first.click()
    editor.page.keyboard.press("End")
    editor.page.keyboard.type(" )")
    editor.until("document.querySelector('.squiggly-error') !== null")
    editor.picture("client-error")
    editor.page.keyboard.press("Backspace")
    editor.page.keyboard.press("Backspace")
    editor.until("document.querySelector('.squiggly-error') === null")


def test_completions_are_drawn(editor: Bridge) -> None:
    """Variables with their values."""
    editor.page.locator(".view-line", has_text="ensure").first.click()
    editor.page.keyboard.press("End")
    editor.page.keyboard.press("Enter")
    editor.page.keyboard.type("notice($motd")
    editor.shows("motd_mode", ".suggest-widget.visible")
    editor.picture("client-completion")
