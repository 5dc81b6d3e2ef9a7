"""The explorer in Debian's Chromium: a server for some arguments, a page at an address of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
WIDE = {"width": 1500, "height": 860}
ROUNDS = 600
"""Times that a page is looked at, each a tenth of a second, before a test gives up."""


@contextmanager
def explorer(folder: Path, *arguments: str) -> Iterator[str]:
    """`wherefrom serve` in a folder; gives its address."""
    line = [sys.executable, "-m", "wherefrom", "serve", *arguments, "--no-browser"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        try:
            address = re.search(r"http://\S+", process.stdout.readline())
            assert address is not None
            yield address[0]
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()


def opened(page: Any, address: str) -> None:
    """Go to an address and wait until the list is there and nothing more is asked."""
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(".tree .row", timeout=60_000)
    settled(page)


def settled(page: Any) -> None:
    """Wait until what was asked for is shown."""
    page.wait_for_timeout(250)
    until(page, "!document.querySelector('.source.waiting')")
    page.wait_for_timeout(250)


def until(page: Any, expression: str) -> None:
    """Wait until an expression is true.  (Playwright's own way has the page compile it, which its policy forbids.)"""
    for _ in range(ROUNDS):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"never true: {expression}")


def shows(page: Any, selector: str, words: str) -> None:
    """Wait until a text is in the first of some elements: what was asked for may still be on its way."""
    seen = ""
    for _ in range(ROUNDS):
        one = page.query_selector(selector)
        seen = one.inner_text() if one is not None else ""
        if words in seen:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{words!r} is never in {selector}: {seen!r}")


def control_repository(folder: Path) -> Path:
    """The example control repository with its history."""
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, str(root / "examples/control-history.py"), str(folder)], check=True)
    return folder
