"""What an outcome answers: paths, outputs, printed forms, checks, steps."""

from __future__ import annotations

import json

import pytest
import yaml

from wherefrom.base.diagnostics import PathNotFound, UsageError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import where
from wherefrom.provenance.operations import Infix
from wherefrom.semantics.rules import Derivation
from wherefrom.semantics.smartfrog.step import derive, derive_and_show, show, show_json
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome

PROGRAM = """
Service extends { port 80; aliases ["a", ["b", NULL]]; }
sfConfig extends {
  web extends Service, { on true; yes DATA no; }
  copy web;
  empty extends {}
  nothing [];
}
"""


def outcome(text: str = PROGRAM) -> SmartFrogOutcome:
    return LANGUAGE.run("main.sf", PureHost({"main.sf": text}), Inputs())


def test_paths_lead_to_values() -> None:
    """References into sfConfig, `[i]` into vectors; the empty path and `sfConfig` are the whole."""
    result = outcome()
    assert result.select("web:port").value == 80
    assert result.select(" web : aliases[1][0] ").path == "web:aliases[1][0]"
    assert result.select("copy:aliases[0]").value == "a"
    assert result.select("sfConfig:web:port").path == "web:port"
    for whole in ("", "sfConfig"):
        assert result.select(whole).value == result.document()
        assert result.select(whole).path == "sfConfig"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("web:prot", "web:port"),
        ("webb:port", "web:port"),
        ("web:port:more", None),
        ("web:port[0]", None),
        ("web:aliases[2]", None),
        ("web[0]", None),
        ("web:aliases[x]", None),
    ],
)
def test_paths_that_lead_nowhere(path: str, hint: str | None) -> None:
    """An error that says how far the path goes, with a hint when a name is close."""
    with pytest.raises(PathNotFound) as raised:
        outcome().select(path)
    assert (raised.value.help or "") == (f"did you mean {hint}?" if hint else "")


def test_outputs_are_the_smallest_values() -> None:
    """Vectors are taken apart, empty composites count, order is kept, and each is what `select` gives."""
    result = outcome()
    outputs = list(result.outputs())
    service = ["port", "aliases[0]", "aliases[1][0]", "aliases[1][1]", "on", "yes"]
    wanted = [f"{name}:{each}" for name in ("web", "copy") for each in service] + ["empty", "nothing"]
    assert [each.path for each in outputs] == wanted
    for each in outputs:
        again = result.select(each.path)
        assert again.value == each.value
        assert where(again.origin) is None or where(again.origin).key == where(each.origin).key  # type: ignore[union-attr]
    assert [each.path for each in outcome("sfConfig extends {}").outputs()] == ["sfConfig"]


def test_printed_forms_can_be_told_apart() -> None:
    """In YAML strings are quoted and data references are not, but where YAML would read them as something else."""
    assert outcome().yaml() == (
        'web:\n  port: 80\n  aliases: ["a", ["b", null]]\n  "on": true\n  "yes": "no"\n'
        'copy:\n  port: 80\n  aliases: ["a", ["b", null]]\n  "on": true\n  "yes": "no"\n'
        "empty: {}\nnothing: []\n"
    )
    read = yaml.safe_load(outcome().yaml())
    assert json.dumps(read).replace('"no"', '"$.no"') == json.dumps(outcome().document())


def test_numbers_and_odd_characters_survive_yaml() -> None:
    """Floats stay floats, and characters that YAML does not allow are escaped."""
    text = 'sfConfig extends { a 1e22; b 1e-7; c "\\u0007\\u007f\\u2028é"; d 1.0; }'
    assert yaml.safe_load(outcome(text).yaml()) == outcome(text).document()
    assert all(isinstance(value, float | str) for value in yaml.safe_load(outcome(text).yaml()).values())


def test_nothing_is_computed() -> None:
    """SmartFrog has no operations, so its terms have none to do again."""
    with pytest.raises(UsageError):
        outcome().apply(Infix("+"), [1, 2])


def test_a_library_is_checked_for_syntax_alone() -> None:
    """A file without sfConfig may use names that the includer defines."""
    host = PureHost({"lib.sf": "x extends Machine, { y z; }", "part.sf": "sfConfig:part extends {}"})
    assert LANGUAGE.check(host.source("lib.sf"), host) == []
    assert LANGUAGE.check(host.source("part.sf"), host) == []


def test_steps_can_be_limited() -> None:
    """`limit`, `until` and `rules`; text and JSON tell the same story."""
    host = PureHost({"main.sf": PROGRAM})
    whole = derive_and_show("main.sf", host, {})
    assert whole.finished
    assert whole.derivation.last.store == derive("main.sf", host).last.store
    short = derive_and_show("main.sf", host, {"limit": 2, "rules": True})
    assert len(short.derivation.steps) == 2 and not short.finished
    assert "stopped here" in short.text() and "bind(s, r, v)" in short.text()
    until = derive_and_show("main.sf", host, {"until": "inherit"})
    assert until.derivation.steps[-1].rules == ("Def 18 inherit",)
    document = json.loads(json.dumps(whole.json()))
    assert document["steps"][-1]["state"]["store"] == outcome().document()
    assert [step["rules"] for step in document["steps"]] == [list(step.rules) for step in whole.derivation.steps]
    failing = derive_and_show("bad.sf", PureHost({"bad.sf": "a b;"}), {})
    assert failing.problem is not None and failing.problem.code == "S005"
    assert "err5" in failing.text()
    assert failing.json()["error"]["code"] == "S005"  # type: ignore[index]


def test_long_stores_are_shown_on_several_lines() -> None:
    """A store that does not fit is shown attribute by attribute; JSON has it whole."""
    text = "sfConfig extends {" + "".join(f' name{n} "some text {n}";' for n in range(12)) + " }"
    derivation: Derivation[object] = derive("main.sf", PureHost({"main.sf": text}))  # type: ignore[assignment]
    lines = show(derivation.last).splitlines()  # type: ignore[arg-type]
    assert len(lines) == 12
    assert show_json(derivation.last)["store"] == outcome(text).document()  # type: ignore[arg-type]
