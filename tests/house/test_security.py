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
TEST_ELSEWHERE = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


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
    "self.max_work": "--max-size",
    "limits.max_nodes": "--max-size",
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
        text = path.read_text()
        if "LimitReached(" not in text:  # to search a text is quicker than to parse it
            continue
        for node in ast.walk(ast.parse(text)):
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


def section(title: str) -> str:
    """What stands below a heading of the page."""
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_every_promise_names_tests_that_exist() -> None:
    """Wherever they are; and what is not promised is said."""
    rows = re.findall(r"^\| (.+) \| (.+) \|$", section("Each promise and its tests"), re.M)[1:]
    assert len(rows) > 25
    assert [promise for promise, tests in rows if not TEST.search(tests) and not TEST_ELSEWHERE.search(tests)] == []
    assert all(len(re.findall("`[^`]+`", tests)) == len(tests.split(", ")) for _, tests in rows)
    there: dict[str, set[str]] = {}
    for path, _ in TEST_ELSEWHERE.findall(PAGE):
        nodes = ast.walk(ast.parse((ROOT / path).read_text()))
        there.setdefault(path, {node.name for node in nodes if isinstance(node, ast.FunctionDef)})
    assert [name for path, name in TEST_ELSEWHERE.findall(PAGE) if name not in there[path]] == []
    assert len(re.findall("^- ", section("What is not promised"), re.M)) >= 5


def test_every_attack_names_tests_that_exist() -> None:
    """And each test of an attack is named."""
    named, there = set(TEST.findall(PAGE)), attack_tests()
    assert sorted(named - there) == []
    assert sorted(there - named) == []
    rows = re.findall(r"^\| .+ \| .+ \| (.*) \|$", PAGE[PAGE.index("## Attacks tried") :], re.M)[1:]
    assert [row for row in rows[1:] if not TEST.search(row)] == []
