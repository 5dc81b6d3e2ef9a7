"""Derivations to walk through, shipped with the page: the counter-examples of `docs/semantics/` and their company."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "static" / "examples"


class Example:
    """A small program of one language, and what there is to see in it."""

    def __init__(self, name: str, file_name: str, title: str) -> None:
        self.name = name
        self.file = FOLDER / file_name
        self.title = title

    @property
    def language(self) -> str:
        """By the suffix."""
        return {".pp": "puppet", ".sf": "smartfrog", ".nix": "nix"}[self.file.suffix]

    @cached_property
    def text(self) -> str:
        """The program."""
        return self.file.read_text(encoding="utf-8")

    def to_json(self) -> dict[str, Any]:
        """For the page."""
        return {"name": self.name, "title": self.title, "language": self.language, "text": self.text}


EXAMPLES = (
    Example("G22", "G22.pp", "An override that did not happen: the thesis' own counter-example"),
    Example("G27", "G27.pp", "Every read qualified: a class declared conditionally, then included"),
    Example("G28", "G28.pp", "The order of the catalog depends on a condition"),
    Example("G29", "G29.pp", "A parent pointer depends on a condition"),
    Example("G30", "G30.pp", "A default is used because an argument is undef"),
    Example("servers", "servers.sf", "Prototypes, links and overrides"),
    Example("firewall", "firewall.sf", "The order of attributes: rules of a firewall"),
    Example("termination", "termination.sf", "A component that extends the one around it"),
    Example("capture", "capture.nix", "A function is applied: nothing is captured"),
    Example("fixpoint", "fixpoint.nix", "A fixed point and an override"),
)


def example(name: str) -> Example | None:
    """The example of that name."""
    return next((item for item in EXAMPLES if item.name == name), None)
