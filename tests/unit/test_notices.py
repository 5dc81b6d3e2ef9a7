"""The licences of the packages in our bundles lie beside them: of each package that the lock has, its own text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUNDLES = {"web": "src/wherefrom/web/static/THIRD-PARTY-NOTICES.txt", "vscode": "vscode/THIRD-PARTY-NOTICES.txt"}
_TITLE = re.compile(r"^={80}\n(?P<name>\S+) (?P<version>\S+) \((?P<license>.+)\)\n={80}\n", re.MULTILINE)
_GRANTS = re.compile(r"permission (?:is hereby granted|to use)|apache license|blue oak|mozilla public", re.IGNORECASE)


@pytest.mark.parametrize(("folder", "notices"), BUNDLES.items())
def test_every_package_in_a_bundle_has_its_licence(folder: str, notices: str) -> None:
    """By name and version as locked, with a text that grants something; nothing else is there."""
    packages = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"]
    locked = [
        (place.rpartition("node_modules/")[2], entry["version"], entry["license"])
        for place, entry in packages.items()
        if place and not entry.get("dev")
    ]
    text = (ROOT / notices).read_text("utf-8")
    titles = list(_TITLE.finditer(text))
    assert [(title["name"], title["version"], title["license"]) for title in titles] == locked
    ends = [*(title.start() for title in titles[1:]), len(text)]
    for title, end in zip(titles, ends):
        assert _GRANTS.search(text, title.end(), end), title["name"]


@pytest.mark.parametrize(("folder", "notices"), BUNDLES.items())
def test_the_notices_are_those_of_what_is_installed(folder: str, notices: str, tmp_path: Path) -> None:
    """The script that writes them writes the same again."""
    if shutil.which("node") is None or not (ROOT / folder / "node_modules").exists():
        pytest.skip("the packages are not installed: make web, make vsix")
    target = tmp_path / "notices.txt"
    subprocess.run(["node", str(ROOT / "web/notices.mjs"), str(ROOT / folder), str(target)], check=True, timeout=60)
    assert target.read_text("utf-8") == (ROOT / notices).read_text("utf-8")


def test_the_notices_go_with_the_bundles() -> None:
    """In the package of the extension, and as licences of the wheel."""
    assert '"THIRD-PARTY-NOTICES.txt"' in (ROOT / "vscode/vsix.py").read_text()
    assert BUNDLES["web"] in (ROOT / "pyproject.toml").read_text()
