"""The registry, its index, and the manual that is generated from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.nix_builtins import evaluate
from support.sessions import updating
from wherefrom.nix import builtins
from wherefrom.nix.builtins.manual import examples, manual
from wherefrom.nix.builtins.registry import REGISTRY
from wherefrom.nix.kernel import names
from wherefrom.nix.kernel.versions import LATEST, OLD, Dialect

ROOT = Path(__file__).resolve().parents[3]
builtins.load_all()


def test_index_names_the_right_modules() -> None:
    """Every registered builtin is in the index under its module, and the index has no other."""
    where = {name: entry.function.__module__.rpartition(".")[2] for name, entry in REGISTRY.items()}
    assert where == names.INDEX


def test_globals_are_those_of_nix() -> None:
    """A name is a variable with or without underscores, not both."""
    assert names.is_global("map") and not names.is_global("__map")
    assert names.is_global("__attrNames") and not names.is_global("attrNames")
    assert not names.is_global("__curPos") and not names.is_global("__nope")
    assert len(names.global_names()) == len(names.names())


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_examples_in_the_manual(name: str) -> None:
    """Each manual page has an example, and it is true."""
    found = examples(REGISTRY[name].manual)
    assert found, f"{name} has no example"
    for expression, want in found:
        newest = REGISTRY[name].function.__module__.endswith(".newer")
        assert evaluate(expression, dialect=Dialect(LATEST) if newest else OLD) == want


def test_manual_is_up_to_date() -> None:
    """`docs/nix-builtins.md` is what `python -m wherefrom.nix.builtins.manual` prints."""
    page = ROOT / "docs" / "nix-builtins.md"
    if updating():
        page.write_text(manual())
    assert page.read_text() == manual()
