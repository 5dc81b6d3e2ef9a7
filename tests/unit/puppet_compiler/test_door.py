"""One door: a request of the batch protocol, a path on disk and a second node of an environment give one answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import wherefrom
from support.cases import Case
from support.puppet_cases import NODE, recorded_cases, request_of
from support.puppet_requests import OUR_DIRECTORY, answer, case_answer
from wherefrom.base.diagnostics import Diagnostic, ManyErrors, UsageError
from wherefrom.base.host import PureHost
from wherefrom.batch import KINDS, BatchRequest, read_request
from wherefrom.language import Inputs
from wherefrom.puppet.batch import MANIFEST, error_document, opened
from wherefrom.puppet.program import CatalogProgram, open_environment

CASES = recorded_cases()


def written(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Write the environment of a request to disk; the options that `wherefrom.compile` takes for the rest of it."""
    for name, text in {**request.get("files", {}), MANIFEST: request["manifest"]}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {name: request[name] for name in ("facts", "classes", "parameters", "settings") if name in request}


def verdict(work: Any) -> Any:
    """What a compilation gives: the catalog, or the words and place of the error."""
    try:
        return json.loads(json.dumps(work().document()))
    except ManyErrors as problems:
        return error_document(problems.diagnostics[0], NODE)
    except Diagnostic as problem:
        return error_document(problem, NODE)


def told(reply: dict[str, Any]) -> Any:
    return reply.get("catalog") or reply["error"]


def plain(result: Any) -> Any:
    """Without what the clock says; of an error its place, since people get the parser's words as they are."""
    if "resources" in result:
        return {key: value for key, value in result.items() if key != "version"}
    return {key: result.get(key) for key in ("file", "line", "pos")}


@pytest.mark.parametrize("case", [case for case in CASES if "global_files" not in request_of(case)], ids=str)
def test_users_and_requests_get_the_same(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files on disk, by the way that `wherefrom compile` goes, and inline in a request."""
    request = {"node": NODE, **request_of(case)}
    monkeypatch.chdir(tmp_path)
    options = written(request, tmp_path)
    compiled = verdict(
        lambda: wherefrom.compile(
            ".", node=request["node"], manifest=MANIFEST, no_cache=True, language="puppet", **options
        )
    )
    assert plain(compiled) == plain(told(case_answer(request)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_second_node_gets_what_a_fresh_one_gets(case: Case) -> None:
    """An environment that was compiled before is as good as new, for the same node and after another one."""
    request = request_of(case)
    layer = {name: text.replace("@CODEDIR@", OUR_DIRECTORY) for name, text in request.get("global_files", {}).items()}
    path, host, inputs = opened(read_request({**request, "global_files": layer}))
    try:
        program = CatalogProgram(open_environment(path, host, inputs))
    except (Diagnostic, ManyErrors):
        return  # what can not even be opened
    other = Inputs("other.example.com", {"kernel": "Plan9"}, inputs.options)
    results = [plain(verdict(lambda given=given: program.run(given))) for given in (inputs, other, inputs)]
    fresh = plain(verdict(lambda: CatalogProgram(open_environment(path, host, other)).run(other)))
    assert results[0] == results[2]
    assert results[1] == fresh


BOUNDED = {
    "lambda": "[10, 1].map |$m| { with(5) |Integer[0, $m] $p| { $p } }",
    "method": "[10, 1].map |$m| { [5].each |Integer[0, $m] $p| { $p } }",
    "optional": "[10, 1].map |$m| { with(5, 1) |Integer[0, $m] $p, $q = 2| { $p } }",
    "returned": "[10, 1].map |$m| { with(5) |$p| >> Integer[0, $m] { $p } }",
}


@pytest.mark.parametrize("text", BOUNDED.values(), ids=BOUNDED)
def test_types_of_parameters_are_those_of_their_own_lambda(text: str) -> None:
    """Each lambda checks its arguments by the variables that it sees itself, as Puppet does."""
    assert "expects an Integer[0, 1] value, got Integer[5, 5]" in answer({"manifest": text})["error"]["message"]


@pytest.mark.parametrize(
    "text",
    [
        "function f(Integer[0, $facts['m']] $p) { $p }\nnotice(f(5))",
        "with(5) |Integer[0, $facts['m']] $p| { notice($p) }",
        "include c",
        "c { 'x': p => 5 }",
    ],
)
def test_types_of_parameters_are_those_of_their_own_run(text: str) -> None:
    """What one node's facts allowed says nothing about the next node."""
    kind = "class" if "include" in text else "define"
    module = {"modules/c/manifests/init.pp": f"{kind} c(Integer[0, $::m] $p = 5) {{ notice($p) }}"}
    host = PureHost({"manifests/site.pp": text, **module})
    program = CatalogProgram(open_environment(".", host, Inputs()))
    assert program.run(Inputs("a", {"m": 10})).logs[0].message == "5"
    with pytest.raises(Diagnostic, match=r"expects an Integer\[0, 1\] value, got Integer\[5, 5\]"):
        program.run(Inputs("b", {"m": 1}))
    assert program.run(Inputs("c", {"m": 10})).logs[0].message == "5"


# --- what an agent and a server add -----------------------------------------------------------------------------------

KNOWN = 'notice("$serverversion $clientcert $clientversion $puppetversion $clientnoop ${facts[clientcert]}")'


def test_every_door_knows_agent_and_server(tmp_path: Path) -> None:
    """`$serverversion`, `$clientcert` and the like are there whichever way one comes in; given facts come first."""
    (tmp_path / "site.pp").write_text(KNOWN)
    wanted = "7.23.0 web01 7.23.0 7.23.0 false web01"
    assert wherefrom.compile(str(tmp_path / "site.pp"), node="web01").logs[0].message == wanted
    assert answer({"manifest": KNOWN, "node": "web01"})["logs"][0][1] == wanted
    given = {"clientcert": "c", "puppetversion": "6"}
    assert answer({"manifest": KNOWN, "node": "web01", "facts": given})["logs"][0][1] == "7.23.0 c 7.23.0 6 false c"


def test_nothing_is_invented() -> None:
    """No facts but the agent's, no server but its version, unless they are given."""
    manifest = "notice($facts.keys.sort)\nnotice($server_facts.keys.sort)\nnotice($trusted['certname'])"
    logs = [line[1] for line in answer({"manifest": manifest})["logs"]]
    agent = "[clientcert, clientnoop, clientversion, puppetversion]"
    assert logs == [agent, "[environment, serverversion]", "localhost"]
    assert answer({"manifest": manifest, "agent_facts": False})["logs"][0][1] == "[]"
    named = {"manifest": "notice($servername)", "server_facts": {"servername": "puppet.example.com"}}
    assert answer(named)["logs"][0][1] == "puppet.example.com"


def test_global_files_lie_below_their_directory() -> None:
    """The global layer is where the page says, and texts of an answer are left as they are."""
    layer = {
        "hiera.yaml": "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n",
        "data/common.yaml": "k: /codedir/x\n",
    }
    reply = answer({"manifest": "notice(lookup('k'))", "global_files": layer})
    assert reply["logs"][0][1] == "/codedir/x"


# --- requests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"facts": []}, "the field 'facts' must be an object, not a list"),
        ({"facts": "x"}, "the field 'facts' must be an object, not a string"),
        ({"node": 7}, "the field 'node' must be a string, not a number"),
        ({"manifest": ["x"]}, "the field 'manifest' must be a string, not a list"),
        (
            {"files": {"a": 1}},
            "the field 'files' must be an object that holds strings: path to text, not one with a number",
        ),
        ({"files": ["a"]}, "the field 'files' must be an object that holds strings: path to text, not a list"),
        ({"modulepath": "m"}, "the field 'modulepath' must be a list of strings, not a string"),
        ({"modulepath": [1]}, "the field 'modulepath' must be a list of strings, not a list with a number in it"),
        ({"classes": "ntp"}, "the field 'classes' must be a list of strings, or an object that holds objects"),
        ({"classes": {"ntp": 1}}, "the field 'classes' must be a list of strings, or an object that holds objects"),
        ({"classes": [{}]}, "the field 'classes' must be a list of strings, or an object that holds objects"),
        ({"parameters": [1]}, "the field 'parameters' must be an object, not a list"),
        ({"settings": "strict"}, "the field 'settings' must be an object, not a string"),
        ({"trusted": False}, "the field 'trusted' must be an object, not false"),
        ({"dump": 1}, "the field 'dump' must be true or false, not a number"),
        ({"language": 1}, "the field 'language' must be a string, not a number"),
        ({"fact": {}}, "unknown field 'fact', did you mean 'facts'?"),
        ({"zzz": {}}, "unknown field 'zzz'"),
        ({"manifest_path": "x"}, "the fields 'manifest' and 'manifest_path' cannot be combined"),
        ({"language": "nix", "classes": []}, "the field 'classes' does not apply to 'nix'"),
    ],
)
def test_wrong_fields_are_named(fields: dict[str, Any], words: str) -> None:
    """A field of the wrong kind, or that is none, is told in words."""
    with pytest.raises(UsageError) as problem:
        answer({"manifest": "", **fields})
    assert str(problem.value).startswith(words)


@pytest.mark.parametrize("name", sorted(KINDS))
@pytest.mark.parametrize("value", [None, True, 0, -1.5, "", "x", [], [[]], {}, {"a": {}}, {"a": None}, {"": ""}])
def test_no_field_is_our_bug(name: str, value: Any) -> None:
    """Whatever a field holds, the answer is an answer or an error of usage."""
    try:
        reply = answer({"manifest": "notice(1)", name: value} if name != "manifest_path" else {name: value})
        assert isinstance(reply["ok"], bool)
    except UsageError as problem:
        assert "field" in str(problem) or "language" in str(problem)


def test_nothing_is_left_out() -> None:
    """`null` is the same as leaving a field out."""
    assert read_request({"id": None, **dict.fromkeys(KINDS)}) == BatchRequest()
