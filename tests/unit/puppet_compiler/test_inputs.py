"""What a node is given: facts, what its classifier and its certificate say, and whose each of them is."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from support.puppet_requests import answer
from wherefrom.base.diagnostics import Diagnostic, UsageError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome
from wherefrom.puppet.runtime.given import node_name


def compiled(text: str, node: str = "web01.example.org", facts: Any = None, **options: Any) -> PuppetOutcome:
    """The outcome of a manifest; `files` among the options are beside it."""
    files = {"env/manifests/site.pp": text, **options.pop("files", {})}
    return LANGUAGE.run("env", PureHost(files), Inputs(node, facts or {}, options))


def message(text: str, **given: Any) -> Any:
    """The value of an expression."""
    return compiled(f"notify {{ 'n': message => {text} }}", **given).select("Notify[n].message").value


def inputs(text: str, **given: Any) -> list[str]:
    """What an expression depends on, beside literals and files, as `kind:name`."""
    origin = compiled(f"notify {{ 'n': message => {text} }}", **given).select("Notify[n].message").origin
    return sorted(f"{leaf.kind}:{leaf.name}" for leaf in depends(origin) if leaf.kind not in ("literal", "file"))


# --- facts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [dict, MappingProxyType])
def test_a_fact_that_is_nothing_is_an_empty_text(kind: Any) -> None:
    """Wherever it stands, in whatever mapping; a fact beside it stays as it is."""
    facts = kind({"none": None, "deep": kind({"a": None, "b": [1, None, "x"]}), "some": kind({"c": [2]})})
    assert message("[$none, $facts['deep'], $facts['some']]", facts=facts) == [
        "",
        {"a": "", "b": [1, "", "x"]},
        {"c": [2]},
    ]


def test_a_fact_may_have_keys_that_are_no_texts() -> None:
    """As YAML has them; they are found by what they are."""
    facts = {"ports": {80: "http", 1.5: "half", "x": "text"}}
    assert message("[$facts['ports'][80], $ports[1.5], $ports['x'], $ports['80']]", facts=facts) == [
        "http", "half", "text", None,
    ]  # fmt: skip
    assert inputs("$facts['ports'][80]", facts=facts) == ["fact:ports.80"]


def test_an_element_of_a_fact_is_named_by_its_number() -> None:
    facts = {"disks": ["sda", ("sdb", "sdc")]}
    assert message("$facts['disks'][1][0]", facts=facts) == "sdb"
    assert inputs("$facts['disks'][1][0]", facts=facts) == ["fact:disks.1.0"]


def test_the_name_of_the_node_is_a_fact_by_another_name() -> None:
    """Unless the certificate says otherwise."""
    facts = {"clientcert": "web01.example.org"}
    assert inputs("$facts['clientcert']", facts=facts) == ["fact:clientcert", "node:name"]
    given = {"certname": "web01", "clientcert": "x"}
    assert inputs("$facts['clientcert']", facts=facts, trusted=given) == ["fact:clientcert"]


# --- who gives a variable --------------------------------------------------------------------------------------------


def test_the_classifier_comes_before_facts() -> None:
    """A fact of the same name is left out, with a warning; one of another name could have been hidden by it."""
    request = {"manifest": "notice($role)", "facts": {"role": "fact"}, "parameters": {"role": "given"}, "node": "web01"}
    logs = answer(request)["logs"]
    assert ["notice", "given"] in [log[:2] for log in logs]
    words = "The node parameter 'role' for node 'web01' was already set to 'given'. It could not be set to 'fact'"
    assert ["warning", words] in [log[:2] for log in logs]
    assert inputs("$role", facts={"role": 1}) == ["classifier:role", "fact:role"]
    assert inputs("$role", parameters={"role": 1}) == ["classifier:role"]


def test_what_the_server_says() -> None:
    """In one hash, and as variables, which classifier and facts could hide."""
    given = {"serverversion": "7.23.0"}
    assert message("$server_facts['environment']") == "production"
    assert inputs("$server_facts['environment']") == ["setting:environment"]
    assert inputs("$serverversion", server_facts=given) == [
        "classifier:serverversion",
        "fact:serverversion",
        "setting:serverversion",
    ]
    assert inputs("$server_facts", server_facts=given)[0] == "setting:"


@pytest.mark.parametrize(
    ("parameters", "words", "issue"),
    [
        ({"facts": 1}, "Attempt to assign to a reserved variable name: 'facts'", "ILLEGAL_RESERVED_ASSIGNMENT"),
        ({"title": 1}, "Cannot reassign variable '$title'", "ILLEGAL_REASSIGNMENT"),
        ({"12": 1}, "Cannot assign to a numeric match result variable '$12'", "ILLEGAL_NUMERIC_ASSIGNMENT"),
        ({"trusted": False}, "Attempt to assign to a reserved variable name: 'trusted'", "ILLEGAL_RESERVED_ASSIGNMENT"),
    ],
)
def test_names_that_nobody_may_give(parameters: dict[str, Any], words: str, issue: str) -> None:
    error = answer({"manifest": "", "node": "web01", "parameters": parameters})["error"]
    assert error["message"].startswith(words)
    assert error["issue_code"] == issue


def test_trusted_data_are_no_parameter() -> None:
    """What a classifier gives by that name is not theirs."""
    assert message("$trusted['certname']", parameters={"trusted": {"certname": "x"}}) == "web01.example.org"


# --- the certificate -------------------------------------------------------------------------------------------------


def test_what_the_certificate_says() -> None:
    """Made of the name, unless more is given."""
    assert message("$trusted") == {
        "authenticated": "local",
        "certname": "web01.example.org",
        "extensions": {},
        "hostname": "web01",
        "domain": "example.org",
        "external": {},
    }
    assert message("[$trusted['domain']]", node="web01") == [None]
    given = {"extensions": {"pp_role": "front"}, "authenticated": "remote"}
    assert message("[$trusted['extensions'], $trusted['hostname'], $trusted['authenticated']]", trusted=given) == [
        {"pp_role": "front"},
        "web01",
        "remote",
    ]


def test_what_is_made_of_the_name_depends_on_it() -> None:
    for name in ("certname", "hostname", "domain"):
        assert inputs(f"$trusted['{name}']") == ["node:name", f"trusted:{name}"]
        assert inputs(f"$trusted['{name}']", trusted={"extensions": {}}) == ["node:name", f"trusted:{name}"]
        assert inputs(f"$trusted['{name}']", trusted={name: "given"}) == [f"trusted:{name}"]
    assert inputs("$trusted['authenticated']") == ["trusted:authenticated"]
    assert "trusted:" in inputs("join(keys($trusted))") and "trusted:" in inputs(
        "join(keys($trusted))", trusted={"x": 1}
    )
    assert inputs("$trusted['extensions']['pp_role'] =~ Undef") == ["trusted:extensions.pp_role"]
    given = {"extensions": {"pp_role": "x"}}
    assert inputs("$trusted['extensions']['pp_role']", trusted=given) == ["trusted:extensions.pp_role"]


def test_the_puppet_to_be_like() -> None:
    """By the first part of its version; one that is not here is refused."""
    assert message("$facts['puppetversion']") == "7.23.0"
    for version in ("8", "8.1", "8.10.0"):
        assert str(message("$facts['puppetversion']", puppet_version=version)).startswith("8.")
    with pytest.raises(UsageError, match=r"unknown Puppet version 6\.1: expected one of 7, 8"):
        message("1", puppet_version="6.1")


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({}, "localhost"),
        ({"clientcert": "a"}, "a"),
        ({"clientcert": "a", "fqdn": "b"}, "b"),
        ({"clientcert": "a", "fqdn": "b", "networking": {"fqdn": "c"}}, "c"),
        ({"fqdn": "b", "networking": {}}, "b"),
        ({"fqdn": "b", "networking": "none"}, "b"),
    ],
)
def test_a_node_that_is_not_named(facts: dict[str, Any], name: str) -> None:
    assert node_name(facts) == name


# --- nodes and templates ---------------------------------------------------------------------------------------------


def test_a_match_of_the_name_depends_on_it() -> None:
    """What a node's pattern took out of the name."""
    outcome = compiled("node /^web(\\d+)/ { notify { 'n': message => $1 } }\nnode default { }")
    selected = outcome.select("Notify[n].message")
    assert selected.value == "01"
    leaves = depends(selected.origin)
    assert "node:name" in {f"{leaf.kind}:{leaf.name}" for leaf in leaves}
    assert any(leaf.span is not None and leaf.span.text.startswith("node /^web") for leaf in leaves), (
        "and on the pattern"
    )


def test_a_file_that_could_have_been_another_one() -> None:
    """What was looked for first and is not there is an input, whether a file or a directory is found."""
    text = "notify { 'n': message => find_file('m/a', 'm/d') }"
    selected = compiled(text, files={"env/modules/m/files/d/f": "text"}).select("Notify[n].message")
    assert selected.value == "env/modules/m/files/d"
    missing = {leaf.name for leaf in depends(selected.origin) if leaf.kind == "file" and leaf.absent}
    assert missing == {"env/modules/m/files/a", "env/environment.conf", "env/modules/m/metadata.json"}


def test_templates_are_in_modules_alone() -> None:
    """What lies in a directory of the environment that is called `templates` is no template, as in Puppet."""
    for call in ("epp('m/t')", "template('m/t.epp')"):
        with pytest.raises(Diagnostic, match=r"Could not find template 'm/t\.epp'"):
            compiled(f"notify {{ 'n': message => {call} }}", files={"env/templates/m/t.epp": "text"})


def test_the_type_of_an_address_needs_a_scheme() -> None:
    """`URI['a']` matches nothing that Puppet would take; `URI['a:']` does."""
    with pytest.raises(Diagnostic, match="expects a URI with a scheme"):
        compiled("notice(URI['a'])")
    compiled("notice(URI['a:'])")
