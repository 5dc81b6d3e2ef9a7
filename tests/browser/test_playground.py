"""The playground in a real browser: a copy of a file is edited, and what it changes is shown; nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.browser import WIDE, control_repository, explorer, until

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "build/explorer"
NODE = "web01.example.org"
BASE = "site/profile/manifests/base.pp"
STATUS = "document.querySelector('[role=status]')?.textContent"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return control_repository(tmp_path_factory.mktemp("playground") / "control")


@pytest.fixture(scope="module")
def page(repository: Path, browser: Any) -> Iterator[Any]:
    """The playground with a class; nothing goes wrong in it, and nobody else is asked."""
    trouble: list[str] = []
    with explorer(repository, "--node", NODE) as address:
        one = browser.new_page(viewport=WIDE)
        one.on("pageerror", lambda problem: trouble.append(str(problem)))
        one.on("console", lambda line: trouble.append(line.text) if "Content Security Policy" in line.text else None)
        one.on("request", lambda request: None if _is_ours(request.url, address) else trouble.append(request.url))
        one.goto(address)
        one.wait_for_selector("nav.tabs a:text('playground')", timeout=60_000).click()
        one.wait_for_selector(".view-line", timeout=60_000)
        one.select_option("select[aria-label=file]", BASE)
        until(one, "document.querySelector('.view-lines').textContent.includes('profile::base')")
        until(one, f"{STATUS}?.includes('This is a copy')")
        yield one
        one.close()
    assert trouble == []


def _is_ours(url: str, address: str) -> bool:
    return url.startswith((address, "data:", "blob:"))


def replace(page: Any, old: str, new: str) -> None:
    """Type in the copy: find a text, and write another in its place."""
    page.click(".view-lines")
    page.keyboard.press("Control+F")
    page.wait_for_selector(".find-widget.visible")
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(old)
    page.wait_for_timeout(300)
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.insert_text(new)


def test_values_beside_the_text(page: Any) -> None:
    """Hints as they are drawn."""
    until(page, "document.querySelector('.view-lines').textContent.replace(/\\u00a0/g, ' ').includes('= \"0640\"')")


def test_a_hover_shows_the_value_and_its_history(page: Any) -> None:
    """Over a variable that data set."""
    word = page.locator(".view-line span", has_text="$motd_mode").last
    box = word.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 8)
    page.wait_for_selector(".monaco-hover:not(.hidden) .hover-row", timeout=30_000)
    until(page, "document.querySelector('.monaco-hover').textContent.includes('Debian.yaml')")
    page.screenshot(path=PICTURES / "playground-hover.png")
    page.mouse.move(5, 400)


def test_an_edit_shows_what_it_changes_and_writes_nothing(page: Any, repository: Path) -> None:
    """One more resource's mode; then a slip; then everything taken back."""
    saved = (repository / BASE).read_text()
    replace(page, "=> $motd_mode", "=> '0600'")
    until(page, f"{STATUS}?.startsWith('1 output changed, ')")
    until(page, "document.querySelector('.differences').textContent.includes('File[/etc/motd].mode')")
    page.wait_for_timeout(600)
    page.screenshot(path=PICTURES / "playground.png")
    replace(page, "'0600'", "'0600")
    page.wait_for_selector(".trouble", timeout=60_000)
    until(page, "document.querySelector('.squiggly-error') !== null")
    page.click("text=undo all changes")
    until(page, f"{STATUS}?.includes('This is a copy') && !document.querySelector('.trouble')")
    assert (repository / BASE).read_text() == saved
