"""The page about security is true: its bounds are those of the code, all of them, and each attack names its tests."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from wherefrom.base.budget import BOUNDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/security.md").read_text()
ATTACKS = ROOT / "tests/attacks"

CONSTANT = re.compile(r"^\| [^|]+ \| ([\d,]+) \| `(wherefrom(?:\.\w+)+)\.(\w+)` \|$", re.M)
DEFAULT = re.compile(r"^\| `(\w+)` \| ([\d,]+) \| ([^|]+) \|$", re.M)
TEST = re.compile(r"`(test_\w+)\.(test_\w+)`")


def test_the_budget_is_as_the_page_says() -> None:
    """Every bound with its default and what it counts."""
    written = {name: (int(value.replace(",", "")), counts) for name, value, counts in DEFAULT.findall(PAGE)}
    assert written == BOUNDS


@pytest.mark.parametrize(("value", "module", "name"), CONSTANT.findall(PAGE))
def test_a_bound_is_as_the_page_says(value: str, module: str, name: str) -> None:
    """The constant that the page names holds the number that it says."""
    assert f"{getattr(import_module(module), name):,}" == value


OTHERWISE = {
    "frames": "FRAMES",
    "sys.getrecursionlimit()": "FRAMES",
    "self._max_bytes": "MAX_FILE_BYTES",
    "problem.limit": "MAX_WORK",
    "size": "MAX_FILE_BYTES",
    "self.max_work": "--max-nodes",
    "limits.max_nodes": "--max-nodes",
    "limits.max_nesting": "--max-nesting",
    "self.max_nesting": "--max-nesting",
    "self.limits.max_source": "--max-source",
    "sys.get_int_max_str_digits()": "4,300 digits",
}
"""What stands in the code where a bound is met, if it is not the constant itself: the word for it on the page."""


def met_bounds() -> set[str]:
    """Everything that `LimitReached` is raised with."""
    bounds: set[str] = set()
    for path in sorted((ROOT / "src/wherefrom").rglob("*.py")):
        if "semantics" in path.parts:  # the papers' rules have fuel of their own
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "LimitReached":
                bounds.add(ast.unparse(node.args[1]))
    return bounds


def test_every_bound_is_on_the_page() -> None:
    """Whatever can be met is told."""
    bounds = met_bounds()
    assert len(bounds) > 15
    assert [bound for bound in sorted(bounds) if OTHERWISE.get(bound, f".{bound}`") not in PAGE] == []
    assert [bound for bound in OTHERWISE if bound not in bounds] == []


def attack_tests() -> set[tuple[str, str]]:
    """The tests of attacks, by file and name."""
    return {
        (path.stem, node.name)
        for path in ATTACKS.glob("test_*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_attack_names_tests_that_exist() -> None:
    """And each test of an attack is named."""
    named, there = set(TEST.findall(PAGE)), attack_tests()
    assert sorted(named - there) == []
    assert sorted(there - named) == []
    rows = re.findall(r"^\| .+ \| .+ \| (.*) \|$", PAGE[PAGE.index("## Attacks tried") :], re.M)[1:]
    assert [row for row in rows[1:] if not TEST.search(row)] == []
