"""The README's pictures of the explorer: `make pictures`, from the example control repository.

Each is a screenshot in few colours, which keeps it small.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHOTS = (
    ("explorer-value", "light", "#File[/etc/motd].mode"),
    ("explorer-impact", "dark", "#/impact/fact:os.family"),
    ("explorer-steps", "light", "#/steps/G22/12"),
)
SIZE = {"width": 1360, "height": 700}


def main(target: Path) -> None:
    """Take them."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.browser import chromium, control_repository, explorer, opened

    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        repository = control_repository(Path(folder) / "control")
        with explorer(repository, "--node", "web01.example.org") as address:
            for name, scheme, view in SHOTS:
                page = browser.new_page(viewport=SIZE, color_scheme=scheme)
                opened(page, f"{address}#File[/etc/motd].mode")
                page.evaluate("view => { location.hash = view; }", view)
                page.wait_for_timeout(500)
                page.screenshot(path=str(target / f"{name}.png"))
                page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
