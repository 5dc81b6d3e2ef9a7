"""Every question is answered at every level: explain, order, impact, diff, what is missing, the explorer, the steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import commands
from support.explorer import documents_for
from wherefrom.base.diagnostics import Diagnostic, ManyErrors, PathNotFound, UsageError
from wherefrom.base.host import PureHost
from wherefrom.comparison import compare
from wherefrom.language import Inputs
from wherefrom.provenance.extract import chain, depends
from wherefrom.semantics.smartfrog.step import derive_and_show
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome
from wherefrom.web.documents import Refusal

CORE = """Server extends { host "a"; port 80; }
Other extends { port 443; host "b"; }
sfConfig extends {
  client "x";
  web extends Server, { port 8080; name client; }
  alias web:port;
}
"""
FORWARD = CORE.replace('  client "x";\n', "").replace("  alias", '  client "x";\n  alias')
PRODUCTION = f"sfConfig:later LAZY web:name;\n{FORWARD.replace(' name client;', '')}sfConfig:web:name client;\n"
TEXTS = {"core": CORE, "forward": FORWARD, "production": PRODUCTION}
LEVELS = tuple(TEXTS)


def run(text: str, level: str) -> SmartFrogOutcome:
    """Compile one file at a level."""
    return LANGUAGE.run("main.sf", PureHost({"main.sf": text}), Inputs(options={"level": level}))


def hands(outcome: SmartFrogOutcome, path: str) -> list[str]:
    """The hands of a value, in words."""
    return [hand.how.words for hand in outcome.explain(path).chain]


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest) -> str:
    """Each level."""
    return str(request.param)


def test_values_are_explained(level: str) -> None:
    """Through links, prototypes and overrides, and for level production placements."""
    outcome = run(TEXTS[level], level)
    assert "linked from sfConfig:client" in hands(outcome, "web:name")
    assert "inherited from prototype Server" in hands(outcome, "web:host")
    assert "linked from sfConfig:web:port" in hands(outcome, "alias")
    assert [covered.value for covered in outcome.explain("alias").hidden] == [80]
    if level == "production":
        assert hands(outcome, "web:name")[0] == "placed by sfConfig:web:name"


def test_the_order_of_a_component_is_explained(level: str) -> None:
    """What put each attribute where it stands, and which references that depends on."""
    outcome = run(TEXTS[level], level)
    order = dict(outcome.explain("web").order)
    assert list(order) == ["host", "port", "name"]
    said = [hand.how.words for hand in chain(order["port"])]
    assert said == ["overridden, position unchanged", "inherited from prototype Server", "put here by Server"]
    assert [leaf.name for leaf in depends(order["port"])] == ["Server"]
    entries = outcome.explain("web").to_json()["order"]
    assert [entry["key"] for entry in entries] == ["host", "port", "name"]
    assert [leaf["name"] for leaf in entries[0]["depends"]] == ["Server"]
    alone = outcome.explain("order of web")
    assert (alone.value, alone.path) == (["host", "port", "name"], "order of web")
    assert "Server" in {leaf.name for leaf in alone.depends}
    with pytest.raises(PathNotFound, match="only a component has an order"):
        outcome.explain("order of alias")


def test_impact_tells_which_orders_may_change(level: str) -> None:
    """A prototype that is another brings its attributes in another order; a literal changes no order."""
    outcome = run(TEXTS[level], level)
    at = next(n for n, line in enumerate(TEXTS[level].splitlines(), 1) if "web extends" in line)
    column = TEXTS[level].splitlines()[at - 1].index("Server") + 1
    answer = outcome.impact(f"main.sf:{at}:{column}").to_json()
    assert {"path": "web", "keys": ["host", "port", "name"]} in answer["orders"]
    assert "web:host" in {row["path"] for row in answer["affected"]}
    first = TEXTS[level].splitlines().index(CORE.splitlines()[0]) + 1
    literal = outcome.impact(f"main.sf:{first}:{CORE.index('80') + 1}").to_json()
    assert "orders" not in literal
    changed = run(TEXTS[level].replace("web extends Server", "web extends Other"), level)
    assert list(changed.document()["web"]) == ["port", "host", "name"]


NAMED = """P extends {
  web
  extends {
    host 1;
    port 2;
  }
}
Q extends {
  other extends P
}
sfConfig extends {
  c extends Q
  d extends c:other
}
"""


@pytest.mark.parametrize("path", ["c:other:web", "d:web"])
def test_an_order_depends_on_the_names_it_came_by(level: str, path: str) -> None:
    """The line that names a component in a prototype gives no value, but says which component is ordered."""
    impact = run(NAMED, level).impact("main.sf:2").to_json()
    assert impact["affected"] == []
    assert {"path": path, "keys": ["host", "port"]} in impact["orders"]
    twice = NAMED.replace("  web\n", "  web extends { port 2; host 1; }\n  other\n")
    assert run(twice, level).explain(f"order of {path}").value == ["port", "host"]


def test_a_difference_of_order_has_its_cause(level: str) -> None:
    """Two lines of a prototype change places; the values stay."""
    before = run(TEXTS[level], level)
    after = run(TEXTS[level].replace('{ host "a"; port 80; }', '{ port 80; host "a"; }'), level)
    comparison = compare(before, after)
    assert [(each.path, each.change) for each in comparison.differences] == [("web", "order")]
    line = TEXTS[level].splitlines().index(CORE.splitlines()[0]) + 1
    assert [edit.before_place for edit in comparison.differences[0].edits] == [f"main.sf:{line}"]


def test_what_is_missing_is_told(level: str) -> None:
    """Where a component was made, and that its prototype has no such attribute either."""
    notes = run(TEXTS[level], level).missing("web:nix")
    assert [note.message for note in notes] == ["no statement gives `web` an attribute `nix`"]
    assert "prototype `Server` has no `nix` either" in [label.text for label in notes[0].labels]
    notes = run(TEXTS[level], level).missing("web:host:x")
    assert notes[0].message == "`web:host` is a string, so it has no attribute `x`"


def test_a_prototype_that_got_an_attribute_later(level: str) -> None:
    """It is not said to have none."""
    text = "P extends { x 1; }\nsfConfig extends { c extends P }\nP:y 2;\n"
    (note,) = run(text, level).missing("c:y")
    assert "prototype `P` had no `y` yet when it was copied" in [label.text for label in note.labels]


TEMPORARY = """#include "org/smartfrog/functions.sf"
#include "org/smartfrog/predicates.sf"
P extends { [sfTemp] t 3; u (t + 1); }
sfConfig extends {
  c extends P;
  n 4;
  as extends Assertions { sfAssertionPhase "static"; ok (n > 3); }
}
"""


@pytest.mark.parametrize(
    ("path", "words", "line"),
    [
        ("c:t", "`c` has `t` only while it is compiled: it is tagged `sfTemp`", 3),
        ("as", "the assertions `as` of `sfConfig` hold, and are not part of the result", 7),
        ("as:ok", "the assertions `as` of `sfConfig` hold, and are not part of the result", 7),
    ],
)
def test_what_level_production_takes_away_is_told(path: str, words: str, line: int) -> None:
    """And where it stands."""
    (note,) = run(TEMPORARY, "production").missing(path)
    assert (note.message, note.labels[0].span.line) == (words, line)


@pytest.mark.parametrize("text", ["sfConfig extends { a (1 + 2); }", "P extends { x 1; } sfConfig extends P { y 2; }"])
@pytest.mark.parametrize("below", ["core", "forward"])
def test_syntax_of_level_production_says_so(text: str, below: str) -> None:
    """At the levels that do not have it."""
    with pytest.raises((Diagnostic, ManyErrors)) as caught:
        run(text, below)
    first = caught.value.diagnostics[0] if isinstance(caught.value, ManyErrors) else caught.value
    assert isinstance(first, Diagnostic)
    assert "--level production" in (first.help or "")


def test_the_explorer_asks_the_same(level: str, tmp_path: Path) -> None:
    """Its documents are those of the commands at the level, the order of attributes included."""
    file = tmp_path / "main.sf"
    file.write_text(TEXTS[level])
    documents = documents_for(str(file), "--level", level)

    def command(name: str, *arguments: str) -> Any:
        return json.loads(commands.wherefrom(name, str(file), *arguments, "--level", level, "--json").stdout)

    explanation = documents.document("explain", path="web")
    assert explanation == command("explain", "web")
    assert [entry["key"] for entry in explanation["order"]] == ["host", "port", "name"]
    assert documents.document("impact", input=f"{file}:1") == command("impact", f"{file}:1")
    if level == "production":
        with pytest.raises((Refusal, UsageError), match="no steps at level production"):
            documents.document("step")
    else:
        steps = documents.document("step")["steps"]
        assert steps[-1]["rules"][0] == ("Def 27 specification" if level == "core" else "Fwd 6 specification")


# --- steps ----------------------------------------------------------------------------------------------------------


def test_the_steps_of_level_forward_follow_links_last() -> None:
    """First every value is bound, links as they are, then every link is followed, then the result is taken."""
    report = derive_and_show("main.sf", PureHost({"main.sf": FORWARD}), {"level": "forward", "rules": True})
    names = [step.rules[0] for step in report.derivation.steps]
    assert names[-3:] == ["Fwd 5 replaceLink", "Fwd 5 replaceLink", "Fwd 6 specification"]
    assert "Fwd 2 prototypes" in names
    assert set(names[:-3]) == {"Fwd 1 value", "Fwd 2 prototypes"}
    text = report.text()
    assert "name:LINK client" in text
    assert "Fwd 5  replaceLink" in text
    assert report.finished


def test_the_steps_of_level_forward_end_with_the_error_and_its_place() -> None:
    """Figure 8 of the paper, and a link to nothing."""
    for text, code, place in (
        ("sfConfig extends { comp1 extends { comp2 comp1; } }", "S008", "main.sf:1:42"),
        ("sfConfig extends { a extends { b c; } }", "S005", "main.sf:1:34"),
        ("sfConfig extends { a b; b a; }", "S008", "main.sf:1:22"),
    ):
        problem = derive_and_show("main.sf", PureHost({"main.sf": text}), {"level": "forward"}).problem
        assert isinstance(problem, Diagnostic)
        assert problem.code == code
        assert problem.span is not None
        assert problem.span.place == place


def test_the_command_has_steps_at_the_level_that_is_chosen(tmp_path: Path) -> None:
    """By the option, or by the settings; level production has none, and says so."""
    file = tmp_path / "main.sf"
    file.write_text(FORWARD)
    assert commands.wherefrom("step", str(file)).returncode == 1
    assert "Fwd 5 replaceLink" in commands.wherefrom("step", str(file), "--level", "forward").stdout
    (tmp_path / "wherefrom.toml").write_text('level = "forward"\n')
    assert "Fwd 5 replaceLink" in commands.wherefrom("step", str(file)).stdout
    refused = commands.wherefrom("step", str(file), "--level", "production")
    assert refused.returncode == 2
    assert "there are no steps at level production" in refused.stderr


# --- lazy links -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("LAZY x", 'sfConfig:x, which is "text"'),
        ("LAZY ROOT:sfConfig:c", "sfConfig:c, which is a component"),
        ("LAZY c:y", "sfConfig:c:y, which is 7L"),
        ("LAZY other", 'sfConfig:other, which is "text"'),
        ("LAZY nowhere", "nothing: unresolved link: `nowhere` does not exist"),
        ("LAZY OPTIONAL(5) nowhere", "its default, 5"),
        ("LAZY self", "itself"),
        ("LAZY HOST web", "what is known where it runs"),
        ("LAZY PROPERTY p", 'PROPERTY p, which is "given"'),
        ("LAZY f", "what a function gives where it runs"),
        ("LAZY v", "sfConfig:v, which is [|1, 2|]"),
    ],
)
def test_a_lazy_link_says_what_it_would_lead_to(link: str, words: str) -> None:
    """It stays, as a value that depends on nothing it would lead to."""
    text = (
        'sfConfig extends { x "text"; c extends { y 7L; } other LAZY x; f (other ++ 1); v [1, 2]; '
        f"self {link}; again self; }}"
    )
    inputs = Inputs(options={"level": "production", "properties": {"p": "given"}})
    outcome = LANGUAGE.run("main.sf", PureHost({"main.sf": text}), inputs)
    for path in ("self", "again"):
        assert f"would lead to {words}" in hands(outcome, path) or path == "again", hands(outcome, path)
    assert outcome.document()["self"] == {"$ref": link.replace("OPTIONAL(5)", "OPTIONAL  (5)")}
    assert {leaf.kind for leaf in depends(outcome.select("self").origin)} == {"reference"}
    assert any(said.startswith("would lead to") for said in hands(outcome, "again"))
