"""Every core function gives what real Puppet gave: value, log lines, catalog, or error in the same words.

The answers were recorded by `tests/oracle/record_puppet_functions.py`. A case may differ only for a reason that
`DIFFERENT` names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oracle.puppet_function_cases import FILES
from support.puppet_requests import answer
from wherefrom.puppet.functions.manual import every_function
from wherefrom.puppet.functions.table import names

OTHERS = [function.name for function in every_function() if function.home]
"""Functions that are not Puppet's own."""

GOLDENS = Path(__file__).parents[2] / "oracle" / "goldens" / "puppet_functions.json"
RESULT = "$__result = with() || {\n%s\n}\nnotify { 'result': message => String($__result, '%%p') }\n"
DEFINED = "class ntp { }\n@user { 'luke': }\n"
CASES: list[dict[str, Any]] = json.loads(GOLDENS.read_text(encoding="utf-8"))["cases"]
FACTS = {
    "networking": {
        "fqdn": "Node.example.com",
        "hostname": "node",
        "domain": "example.com",
        "interfaces": {"eth0": {"ip": "10.0.0.5"}},
    },
    "os": {"name": "Debian", "family": "Debian", "release": {"major": "12"}},
}

RUBY_HINT = "Ruby adds a hint with its own source to the message"
DIFFERENT = {
    "compare('a', 'b', 'c')": "Puppet's function fails on a constant that it has not got; we say what it meant to say",
    "contain(1)": RUBY_HINT,
    "include(1)": RUBY_HINT,
    "create_resources(1, {})": RUBY_HINT,
    "versioncmp('', '', true)": RUBY_HINT,
    "generate('/bin/date')": "programs are not run",
    "scanf('42 apples at 1.5', '%i %s at %f')": "the real tool was recorded without Ruby's scanf library",
    "template('/no/such/file.erb')": "the message names places in the real tool's own source",
}


def asked(case: dict[str, Any]) -> dict[str, Any]:
    """What wherefrom answers to the question of a case, in the form of the recorded answer."""
    manifest = case["code"] + "\n" if case["kind"] in ("manifest", "modules") else RESULT % case["code"]
    if case["kind"] == "example":
        manifest += DEFINED
    files = FILES if case["kind"] == "modules" else {}
    reply = answer({"manifest": manifest, "node": "node.example.com", "facts": FACTS, "files": files})
    found: dict[str, Any] = {"logs": [[level, text] for level, text, *_ in reply["logs"]]}
    if not reply["ok"]:
        found["error"] = {
            key: reply["error"][name]
            for key, name in (("message", "message"), ("issue", "issue_code"), ("line", "line"), ("column", "pos"))
            if reply["error"].get(name) is not None
        }
    else:
        resources = [each for each in reply["catalog"]["resources"] if not is_given(each)]
        if case["kind"] in ("manifest", "modules"):
            found["resources"] = {reference(each): each.get("parameters", {}) for each in resources}
            found["tags"] = {reference(each): sorted(each["tags"]) for each in resources}
            edges = ([edge["source"], edge["target"]] for edge in reply["catalog"]["edges"])
            found["edges"] = sorted(edge for edge in edges if edge[1] not in ("Class[Settings]", "Class[main]"))
        else:
            (result,) = (each for each in resources if reference(each) == "Notify[result]")
            found["value"] = result["parameters"]["message"]
    text = json.dumps(found).replace("manifests/site.pp", "site.pp")
    made: dict[str, Any] = json.loads(text)
    return made


def is_given(resource: dict[str, Any]) -> bool:
    """Whether a resource is in every catalog."""
    return resource["type"] in ("Stage", "Class") and resource["title"] in ("main", "Settings")


def reference(resource: dict[str, Any]) -> str:
    """`Type[title]`"""
    return f"{resource['type']}[{resource['title']}]"


def expected(case: dict[str, Any]) -> dict[str, Any]:
    """The recorded answer; paths below the environment are relative, as inline files are."""
    kept = ("value", "error", "resources", "tags", "edges", "logs")
    recorded = {key: value for key, value in case.items() if key in kept}
    wanted: dict[str, Any] = json.loads(json.dumps(recorded).replace("/ENVIRONMENT/", ""))
    if "edges" in wanted:
        wanted["edges"] = sorted(wanted["edges"])
    return wanted


@pytest.mark.parametrize("name", names())
def test_gives_what_puppet_gave(name: str) -> None:
    """All recorded cases of one function."""
    wrong = []
    for case in CASES:
        if case["function"] == name and case["code"] not in DIFFERENT:
            wanted, found = expected(case), asked(case)
            if found != wanted:
                wrong.append(f"{case['code']}\n  want {wanted}\n  got  {found}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("code", sorted(DIFFERENT))
def test_known_differences_are_still_there(code: str) -> None:
    """A difference that has gone must leave the list."""
    (case,) = (case for case in CASES if case["code"] == code)
    assert asked(case) != expected(case)


def test_every_function_was_asked_about() -> None:
    """At least five questions about each function, of which some fail (those without arguments to refuse apart)."""
    counts = dict.fromkeys(names(), 0)
    for case in CASES:
        counts[case["function"]] += 1
    assert [name for name, count in counts.items() if count < 5 and name not in ("scanf", *OTHERS)] == []
