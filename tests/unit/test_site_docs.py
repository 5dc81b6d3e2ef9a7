"""The documentation as a site: every page is in its menu, every link and anchor leads somewhere, lines are short.

MkDocs itself is not needed here (`make site` has it, and fails on a broken link too).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from support.messages import ROOT
from support.sessions import PAGES

DOCS = ROOT / "docs"
WIDEST = 120
LINK = re.compile(r"\]\(([^)\s]+)\)")


def menu(entry: object) -> list[str]:
    """The pages of a menu."""
    if isinstance(entry, str):
        return [entry]
    entries = entry if isinstance(entry, list) else list(entry.values()) if isinstance(entry, dict) else []
    return [page for each in entries for page in menu(each)]


def anchors(page: Path) -> set[str]:
    """The names that headings have, as GitHub and MkDocs make them."""
    found = set()
    for heading in re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), flags=re.M
    ):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-"))
    return found


def test_every_page_is_in_the_menu() -> None:
    """And nothing in the menu is missing."""
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    assert site["strict"] and site["theme"]["font"] is False, "the site needs no network"
    assert sorted(menu(site["nav"])) == sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """To files that are there, and to headings in them; pages of the site link to pages of the site alone."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    wrong = []
    for link in LINK.findall(text):
        if re.match(r"\w+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            wrong.append(link)
        if DOCS in page.parents and DOCS not in target.parents:
            wrong.append(f"{link} leads out of the site")
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_are_short(page: Path) -> None:
    """Rows of tables, and what is printed in sessions, are as long as they must be."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    assert [
        line for line in text.splitlines() if len(line) > WIDEST and not line.lstrip().startswith(("|", "!["))
    ] == []


def test_the_research_page_names_tests_that_exist() -> None:
    """Every theorem has its test."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (DOCS / "research.md").read_text())
    assert len(named) >= 14
    assert [name for file, name in named if f"def {name}(" not in (ROOT / file).read_text()] == []
