"""The bundle that is shipped is what the sources give, is small, and names no other host."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.explorer import ROOT
from wherefrom.web.page import ASSETS, PLAYGROUND_POLICY, STATIC

LARGEST = {"explorer": 200_000, "playground": 1_100_000}
"""Bytes of what a page loads, compressed."""


@pytest.mark.parametrize("page", LARGEST)
def test_the_bundle_is_small(page: str) -> None:
    files = [name for name in ASSETS if name.startswith(page)]
    assert len(files) >= 2
    assert sum(len(gzip.compress((STATIC / name).read_bytes())) for name in files) < LARGEST[page]


def test_the_playground_asks_nobody() -> None:
    """Its policy lets it load nothing of another host; the fonts and images of its style are its own."""
    assert not re.search(
        r"@import|url\((?!['\"]?(?:data:|\./playground\.ttf))", (STATIC / "playground.css").read_text()
    )
    assert "http" not in PLAYGROUND_POLICY and "unsafe-eval" not in PLAYGROUND_POLICY
    assert "script-src 'self';" in PLAYGROUND_POLICY and "connect-src 'self';" in PLAYGROUND_POLICY


def test_the_bundle_asks_nobody() -> None:
    """Names of other hosts in it are those of namespaces and of the libraries' texts, never fetched."""
    text = (STATIC / "explorer.js").read_text()
    assert set(re.findall(r"https?://[\w.-]+", text)) <= {"http://www.w3.org"}
    assert not re.search(r"https?:|@import", (STATIC / "explorer.css").read_text())
    assert "</script" not in text and "eval(" not in text
    for source in (ROOT / "web/src").iterdir():  # what a configuration says is text
        assert "InnerHTML" not in source.read_text() and "innerHTML" not in source.read_text()


def test_the_pictures_are_small() -> None:
    """What the documentation shows is loaded by everybody who reads it."""
    pictures = sorted((ROOT / "docs/pictures").glob("*.png"))
    assert len(pictures) == 6 and all(picture.stat().st_size < 300_000 for picture in pictures)


@pytest.mark.parametrize("folder", ["web", "web/client"])
def test_the_lock_names_no_address(folder: str) -> None:
    lock = (ROOT / folder / "package-lock.json").read_text()
    assert '"resolved"' not in lock


def test_the_bundle_is_what_the_sources_give(tmp_path: Path) -> None:
    """Where Node and the packages are installed (`make web`)."""
    if shutil.which("node") is None or not (ROOT / "web/node_modules/esbuild").is_dir():
        pytest.skip("Node or the page's packages are not installed")
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=ROOT / "web", check=True, timeout=120)
    for name in sorted(set(ASSETS) - {"icon.svg"}):
        assert (tmp_path / name).read_bytes() == (STATIC / name).read_bytes(), f"{name}: run `make web`"
