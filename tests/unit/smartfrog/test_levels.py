"""The levels of SmartFrog: how one is chosen, its grammar, its numbers, its library, its protocol, what it takes."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import wherefrom.smartfrog.production.parser as production
from support.commands import wherefrom
from support.effort import lines
from wherefrom.base.diagnostics import Diagnostic, ManyErrors, UsageError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends
from wherefrom.session import Session
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome
from wherefrom.smartfrog.production.evaluate import LIBRARY
from wherefrom.smartfrog.production.functions import FUNCTIONS
from wherefrom.smartfrog.production.lexer import RESERVED
from wherefrom.smartfrog.production.values import Float, Long, added, divided, java_text, multiplied, remainder

ROOT = Path(__file__).resolve().parents[3]
GRAMMAR = (Path(production.__file__).parent / "grammar.txt").read_text()
RULES = dict(re.findall(r"^(\w+)\s*=\s*(.*?)(?:\s{2,}#.*)?$", GRAMMAR, re.M))


def run(text: str, level: str = "production", **options: Any) -> SmartFrogOutcome:
    """Compile one file at a level."""
    return LANGUAGE.run("main.sf", PureHost({"main.sf": text}), Inputs(options={"level": level, **options}))


# --- grammar ---


def test_every_production_has_its_method_and_every_method_its_production() -> None:
    """One method `parse_<production>` for each line of the grammar."""
    kinds = [kind for kind in production.ProductionParser.__mro__ if kind is not object]
    own = {name.removeprefix("parse_") for name in vars(kinds[0]) if name.startswith("parse_")}
    everything = {name.removeprefix("parse_") for kind in kinds for name in vars(kind) if name.startswith("parse_")}
    assert own <= set(RULES) <= everything


def test_productions_use_only_what_is_defined_and_reserved_words_are_quoted() -> None:
    """Every word on a right side is a production or comes from the lexer."""
    used = {word for right in RULES.values() for word in re.findall(r"[A-Za-z]+", re.sub(r'"[^"]*"', "", right))}
    assert used <= set(RULES) | {"NAME", "NUMBER", "STRING", "BYTES", "END"}
    quoted = {word for right in RULES.values() for word in re.findall(r'"([A-Za-z]+)"', right)}
    assert quoted == RESERVED


# --- figures ---


def test_the_figures_are_as_the_page_says() -> None:
    """Figures 6 to 10 of the paper at each level, from the table of the page."""
    page = (ROOT / "docs" / "smartfrog.md").read_text()
    rows = re.findall(r"^\| (\d+)[^|]* \| `(.*?)` \| (.*?) \| (.*?) \| (.*?) \|$", page, re.M)
    assert [row[0] for row in rows] == ["6", "6", "7", "8", "9", "10"]
    included = re.search(r"`server.sf` of figure 6 is `(.*?)`", page)
    assert included is not None
    for _, text, *answers in rows:
        for level, answer in zip(("core", "forward", "production"), answers, strict=True):
            try:
                host = PureHost({"main.sf": text, "server.sf": included[1]})
                shown = json.dumps(LANGUAGE.run("main.sf", host, Inputs(options={"level": level})).document())
            except ManyErrors as problems:
                shown = problems.diagnostics[0].code
            except Diagnostic as problem:
                shown = problem.code
            assert answer.strip("`").startswith(shown), (text, level)


# --- values ---


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (Long(5), "5"),
        (1.0, "1.0"),
        (1e10, "1.0E10"),
        (1e7, "1.0E7"),
        (1234567.5, "1234567.5"),
        (0.001, "0.001"),
        (0.00012, "1.2E-4"),
        (-0.0, "-0.0"),
        (100.0, "100.0"),
        (Float(1.1), "1.1"),
        (Float(0.1), "0.1"),
        (float("inf"), "Infinity"),
    ],
)
def test_numbers_are_printed_as_java_prints_them(value: float, text: str) -> None:
    """With a point, and with an exponent from ten millions on and below a thousandth."""
    assert java_text(value) == text


def test_arithmetic_is_that_of_java() -> None:
    """Whole numbers wrap, division goes towards zero, the wider kind counts."""
    assert added(2**31 - 1, 1) == -(2**31)
    assert added(2**31 - 1, Long(1)) == 2**31
    assert type(multiplied(2, Float(1.5))) is Float
    assert divided(-7, 2) == -3
    assert remainder(-7, 2) == -1
    assert divided(1.0, 0) == float("inf")
    with pytest.raises(ZeroDivisionError):
        divided(1, 0)


# --- library ---


def test_templates_of_the_library_compile_and_name_functions_that_there_are() -> None:
    """Each template can be extended; those that no function stands for are the solver's and the deployer's."""
    text = "".join(
        (files(production.__package__) / "library" / name.rpartition("/")[2]).read_text() for name in LIBRARY
    )
    names = set(re.findall(r"functions\.(\w+)\"", text))
    others = {"Set", "Ref", "Next", "Random", "Date", "UserInput", "CheckSchemaElement"}
    solver = {"Constraint", "Array", "Aggregator", "PrettyPrint", "DynamicPolicyEvaluation", "ApplyEffects"}
    assert names == (set(FUNCTIONS) - {"Switch"}) | others | solver
    outcome = run('#include "org/smartfrog/functions.sf"\nsfConfig extends { a extends sum { x 1; y 2; } }')
    assert outcome.document() == {"a": 3}


# --- choosing a level ---


def test_an_unknown_level_is_refused() -> None:
    """And so are properties that are no texts."""
    with pytest.raises(UsageError, match="unknown level 'top'"):
        run("sfConfig extends {}", "top")
    with pytest.raises(UsageError, match="properties"):
        run("sfConfig extends {}", properties={"a": 1})


def test_the_command_and_the_settings_choose(tmp_path: Path) -> None:
    """`--level`, `level` in `wherefrom.toml`; the option wins; `check` and `explain` too."""
    file = tmp_path / "a.sf"
    file.write_text("sfConfig extends { a b; b 1; }")
    assert wherefrom("compile", str(file), "--json").returncode == 1
    assert wherefrom("compile", str(file), "--json", "--level", "forward").returncode == 0
    (tmp_path / "wherefrom.toml").write_text('level = "production"\n')
    assert wherefrom("compile", str(file)).returncode == 0
    assert wherefrom("check", str(file)).returncode == 0
    assert "linked from sfConfig:b" in wherefrom("explain", str(file), "a").stdout
    assert wherefrom("compile", str(file), "--level", "core").returncode == 1
    (tmp_path / "wherefrom.toml").write_text('level = "top"\n')
    assert "level in" in wherefrom("compile", str(file)).stderr


def test_properties_are_inputs() -> None:
    """A property that was given, or was not, is what a value depends on."""
    outcome = run("sfConfig extends { a PROPERTY p; b OPTIONAL(1) PROPERTY q; }", properties={"p": "x"})
    keys = {(leaf.kind, leaf.name, leaf.absent) for path in ("a", "b") for leaf in depends(outcome.select(path).origin)}
    assert {("argument", "p", False), ("argument", "q", True)} <= keys
    assert [path for path, _ in outcome.impact("argument:p").affected] == ["a"]


def test_the_environment_is_given_and_not_ours(tmp_path: Path) -> None:
    """A variable is not seen unless it is named, or given with its text."""
    (tmp_path / "main.sf").write_text("sfConfig extends { a OPTIONAL(1) ENVPROPERTY SECRET; }")
    given = {(): 1, ("--env", "SECRET"): "ours", ("--env", "SECRET=x=y"): "x=y", ("--env", "SECRET="): ""}
    for options, value in given.items():
        arguments = ("compile", str(tmp_path / "main.sf"), "--level", "production", "--json", *options)
        assert json.loads(wherefrom(*arguments, SECRET="ours").stdout) == {"a": value}


# --- the batch protocol ---


@pytest.mark.parametrize(
    ("level", "text", "phase", "kind"),
    [
        ("PROD", "sfConfig extends { a", "parse", "syntax"),
        ("PROD", "sfConfig extends { ##a# 1; }", "parse", "syntax"),
        ("PROD", '#include "no.sf"', "parse", "include-missing"),
        ("PROD", '#include "main.sf"', "parse", "include-cycle"),
        ("PROD", "phaseList 1;", "parse", "phase-list"),
        ("PROD", "sfConfig extends P;", "type", "unresolved"),
        ("PROD", "P 1; sfConfig extends P;", "type", "not-a-component"),
        ("PROD", "sfConfig extends { a extends sfConfig; }", "type", "cycle"),
        ("PROD", "P extends { [sfFinal] a 1; } sfConfig extends P { a 2; }", "type", "final"),
        ("PROD", "P extends { } sfConfig extends P { [sfOverride] a 2; }", "type", "override"),
        ("PROD", "sfConfig extends { a:b 1; }", "place", "unresolved"),
        ("PROD", "sfConfig extends { a extends { [sfFinal] b 1; } a:b 2; }", "place", "final"),
        ("PROD", 'sfConfig extends { a extends { phase.function "x"; } }', "function", "function"),
        ("PROD", "a 1;", "sfConfig", "missing"),
        ("PROD", "sfConfig 1;", "sfConfig", "not-a-component"),
        ("PROD", "sfConfig extends { a b; }", "link", "unresolved"),
        ("PROD", "sfConfig extends { a TBD; }", "link", "tbd"),
        ("PROD", "sfConfig extends { a (1 / 0); }", "link", "function"),
        ("PROD", "sfConfig extends { a b; b a; }", "link", "cycle"),
        ("FWD", "sfConfig 1;", "sfConfig", "missing"),
        ("FWD", "sfConfig extends { a extends { x 1; } b a; b:x 2; }", "build", "parent-not-a-component"),
        ("FWD", "sfConfig extends { a b; b a; }", "link", "cycle"),
        ("CORE", "sfConfig extends { a b; }", "link", "unresolved"),
    ],
)
def test_errors_say_their_phase_and_kind(level: str, text: str, phase: str, kind: str) -> None:
    """Every phase and kind of the protocol."""
    request = {"id": 1, "language": "smartfrog", "level": level, "main": "main.sf", "files": {"main.sf": text}}
    answer = Session().answer(request)
    assert (answer["ok"], answer["error"]["phase"], answer["error"]["kind"]) == (False, phase, kind)


def test_stores_are_typed() -> None:
    """Nothing is lost: kinds of numbers, references, functions that stay, tags."""
    text = "sfConfig extends { [t] a 1L; b 1D; c DATA x:y; d LAZY e; f (d + 1); g extends DATA { h #HEX#ff#; } }"
    answer = Session().answer({"language": "smartfrog", "level": "production", "files": {"main.sf": text}})
    assert answer["store"]["a"] == {"$long": 1}
    assert answer["store"]["b"] == {"$double": 1.0}
    assert answer["store"]["c"] == {"$ref": "DATA x:y"}
    assert answer["store"]["d"] == {"$ref": "LAZY e"}
    assert answer["store"]["f"]["lazy"] is True
    assert answer["store"]["g"] == {"h": {"$bytes": "FF"}}
    assert answer["tags"] == {"a": ["t"]}
    assert answer["data_components"] == ["g"]


def test_fields_of_smartfrog_are_not_puppets() -> None:
    """And the other way round."""
    with pytest.raises(UsageError, match="the field 'level' does not apply"):
        Session().answer({"level": "core", "manifest": ""})
    with pytest.raises(UsageError, match="the field 'trusted' does not apply"):
        Session().answer({"language": "smartfrog", "trusted": {}})


# --- what it takes ---


def chain(each: str, end: str, size: int) -> str:
    """A program of `size` statements, each of which refers to the next one."""
    links = " ".join(each.replace("<n>", str(n)).replace("<n+1>", str(n + 1)) for n in range(size))
    return f"sfConfig extends {{ {links} {end.replace('<n>', str(size))} }}"


def reversed_placements(size: int) -> str:
    """`a:a:a extends {} a:a extends {} a extends {}`: each placement needs all that are written after it."""
    return f"sfConfig extends {{ {' '.join(':'.join('a' * depth) + ' extends {}' for depth in range(size, 0, -1))} }}"


CHAINS = {
    "links": ("a<n> a<n+1>;", "a<n> 1;"),
    "links to an attribute": ("a<n> extends { y 1; x a<n+1>:y; }", "a<n> extends { y 1; }"),
    "prototypes": ("a<n> extends a<n+1>;", "a<n> extends { x 1; }"),
    "prototypes behind links": ("b<n> extends a<n>; a<n> a<n+1>;", "a<n> extends { x 1; }"),
    "placements behind links": ("a<n+1> a<n>:x; a<n>:x extends {}", "a0 extends {}"),
    "expressions": ("a<n> (a<n+1> + 1);", "a<n> 1;"),
    "defaults": ("a<n> OPTIONAL(1) a<n+1>;", ""),
    "lazy links": ("a<n> a<n+1>;", "a<n> LAZY x;"),
    "links to nothing": ("a<n> a<n+1>;", ""),
}


@pytest.mark.parametrize(("level", "kind"), [("forward", "links"), *(("production", kind) for kind in CHAINS)])
def test_work_grows_as_a_chain_of_forward_references_does(level: str, kind: str) -> None:
    """Twice as many references are followed with twice the work."""
    run("sfConfig extends { a 1; b a; }", level)  # so that all modules are there
    each, end = CHAINS[kind]
    small, large = (work(chain(each, end, size), level) for size in (60, 120))
    assert large < 2.3 * small, (small, large)


def test_work_grows_as_the_links_before_prototypes_do() -> None:
    """Level forward, where a prototype comes after what it leads to."""
    texts = [
        f"a0 extends {{ x 1; }} {' '.join(f'a{n + 1} a{n}; b{n} extends a{n + 1}' for n in range(size))} sfConfig b1;"
        for size in (60, 120)
    ]
    small, large = (work(text, "forward") for text in texts)
    assert large < 2.3 * small, (small, large)


def test_work_grows_as_the_text_of_reversed_placements_does() -> None:
    """Each waits for the next and goes on from there: the text of twice as many is four times as long."""
    small, large = (reversed_placements(size) for size in (40, 80))
    works = [work(text, "production") for text in (small, large)]
    assert works[1] / works[0] < 1.2 * len(large) / len(small), works


def work(text: str, level: str) -> int:
    """How much work a compilation is, whatever comes of it."""

    def compiling() -> None:
        with suppress(Diagnostic, ManyErrors):
            run(text, level)

    return lines(compiling)
