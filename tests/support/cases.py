"""Test cases as files: a TOML header, then the inputs and every expected output, in one file.

    title = "a resource's own value beats its type's default"
    --- site.pp
    File { mode => '0644' }
    --- want.json
    {"File[/etc/motd]": {"mode": "0600"}}

A section starts at a line `--- NAME` and runs to the next one; `NAME` may hold spaces (`want.why File[a].mode`).
A section's text ends with a line end, unless its header line ends in ` (no newline)`. With `WHEREFROM_UPDATE=1` in the
environment, `Case.expect` rewrites sections that differ instead of failing: read the diff before you commit it.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parent.parent / "cases"
MARK = "--- "
NO_NEWLINE = " (no newline)"


class Case:
    """One case: `header` (TOML), `sections` by name in file order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path.relative_to(CASES).with_suffix(""))
        self.header, self.sections = parse_case(path.read_bytes().decode())
        self.title: str = self.header.get("title", self.name)

    def __repr__(self) -> str:
        return self.name

    @property
    def files(self) -> dict[str, str]:
        """The inputs: every section that is not an expectation."""
        return {name: text for name, text in self.sections.items() if not name.startswith("want")}

    def wants(self, prefix: str) -> dict[str, str]:
        """Expectations `want.PREFIX ARGUMENT`, by argument."""
        start = f"want.{prefix} "
        return {name.removeprefix(start): text for name, text in self.sections.items() if name.startswith(start)}

    def expect(self, section: str, actual: str) -> None:
        """Assert that `section` is `actual`, or write it so when updating."""
        if os.environ.get("WHEREFROM_UPDATE") and self.sections.get(section) != actual:
            self.sections[section] = actual
            self.path.write_text(format_case(self.header_text(), self.sections))
        assert self.sections.get(section) == actual, f"{self.name}: section {section!r} differs"

    def header_text(self) -> str:
        """The header as written."""
        text = self.path.read_text()
        return text[: text.index("\n" + MARK) + 1] if "\n" + MARK in text else text


def parse_case(text: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Split a case file into its header and sections."""
    head: list[str] = []
    sections: dict[str, str] = {}
    name: str | None = None
    lines: list[str] = head
    strip = False

    def close() -> None:
        if name is not None:
            body = "".join(lines)
            sections[name] = body[:-1] if strip and body.endswith("\n") else body

    for line in text.splitlines(keepends=True):
        if line.startswith(MARK):
            close()
            name = line[len(MARK) :].rstrip("\n")
            strip = name.endswith(NO_NEWLINE)
            name = name.removesuffix(NO_NEWLINE)
            lines = []
        else:
            lines.append(line)
    close()
    return tomllib.loads("".join(head)), sections


def format_case(header: str, sections: dict[str, str]) -> str:
    """The text of a case file."""
    parts = [header]
    for name, body in sections.items():
        if body.endswith("\n") or body == "":
            parts.append(f"{MARK}{name}\n{body}")
        else:
            parts.append(f"{MARK}{name}{NO_NEWLINE}\n{body}\n")
    return "".join(parts)


def load_cases(folder: str) -> list[Case]:
    """All cases below `tests/cases/<folder>`, sorted by name."""
    return [Case(path) for path in sorted((CASES / folder).rglob("*.case"))]
