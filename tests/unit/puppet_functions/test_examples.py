"""The examples in the manual pages are true, of wherefrom and of real Puppet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.puppet_requests import answer
from wherefrom.puppet.functions.manual import Example, every_function, examples
from wherefrom.puppet.functions.table import names

OTHERS = [function.name for function in every_function() if function.home]
"""Functions that are not Puppet's own."""

GOLDENS = Path(__file__).parents[2] / "oracle" / "goldens" / "puppet_functions.json"
RECORDED: dict[str, dict[str, Any]] = {
    case["code"]: case for case in json.loads(GOLDENS.read_text(encoding="utf-8"))["cases"] if case["kind"] == "example"
}
ALL = [pytest.param(name, example, id=f"{name}: {example.code}") for name in names() for example in examples(name)]

DEFINED = "class ntp { }\n@user { 'luke': }\n"
"""What the examples take for granted."""
ONLY_OURS = {"generate('/bin/date')", "scanf('42 apples at 1.5', '%i %s at %f')"}
"""Examples that the real tool answers otherwise: it runs programs, and was recorded without the scanf library."""


@pytest.mark.parametrize(("name", "example"), ALL)
def test_wherefrom_gives_the_result(name: str, example: Example) -> None:
    """Running the example gives what the page says."""
    code = f"$result = with() || {{\n{example.code}\n}}\nnotify {{ 'r': message => String($result, '%p') }}\n{DEFINED}"
    facts = {"networking": {"fqdn": "Node.example.com"}, "os": {"family": "Debian"}}
    reply = answer({"manifest": code, "node": "node.example.com", "facts": facts})
    if example.result.startswith("error: "):
        assert not reply["ok"]
        assert example.result.removeprefix("error: ") in reply["error"]["message"]
    else:
        assert reply["ok"], reply
        (notify,) = (each for each in reply["catalog"]["resources"] if each["title"] == "r")
        assert printed(example.result) == notify["parameters"]["message"]


@pytest.mark.parametrize(("name", "example"), ALL)
def test_puppet_gave_the_result(name: str, example: Example) -> None:
    """The real tool gave what the page says."""
    if example.code in ONLY_OURS or name in OTHERS:
        return
    case = RECORDED[example.code]
    if example.result.startswith("error: "):
        assert example.result.removeprefix("error: ") in case["error"]["message"]
    else:
        assert case["value"] == printed(example.result)


def printed(result: str) -> str:
    """A result as `String(value, '%p')` prints it: references to classes without quotes."""
    return result.replace("Class['ntp']", "Class[ntp]")
