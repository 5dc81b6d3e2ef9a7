"""Values of level production: what failed fails again, what is too large is refused, what is printed compiles again."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from support.examples import examples
from support.smartfrog_levels import PROPERTIES, forward_program, production_program
from support.smartfrog_programs import random_program
from wherefrom.base.budget import OverBudget
from wherefrom.base.diagnostics import Diagnostic, LimitReached, ManyErrors, PathNotFound
from wherefrom.base.host import Host, PureHost
from wherefrom.language import Inputs
from wherefrom.smartfrog.errors import LinkCycle
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome, names_in, path_of
from wherefrom.smartfrog.production.output import typed

LIBRARY = '#include "org/smartfrog/functions.sf"\n#include "org/smartfrog/predicates.sf"\n'


def run(text: str | Host, level: str = "production") -> SmartFrogOutcome:
    """Compile a program."""
    host = PureHost({"main.sf": text}) if isinstance(text, str) else text
    return LANGUAGE.run("main.sf", host, Inputs(options={"level": level, "properties": PROPERTIES}))


# --- what failed ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ['(nowhere ++ "x")', '(TBD ++ "y")', "((1 / 0) + 1)", "[nowhere, 1]"])
def test_a_function_that_failed_fails_again(function: str) -> None:
    """Whoever refers to it second gets the default too, and not what the function makes of unresolved arguments."""
    outcome = run(f"f {function}; sfConfig extends {{ a OPTIONAL(1) f; b OPTIONAL(2) f; c OPTIONAL(3) b; }}")
    assert outcome.document() == {"a": 1, "b": 2, "c": 2}


def test_an_assertion_that_failed_fails_again() -> None:
    """It may have looked at the component around it, which is not copied for that."""
    with pytest.raises(ManyErrors) as caught:
        run(f"{LIBRARY} sfConfig extends {{ f extends Assertions {{ held PARENT; }} g f; }}")
    assert {str(problem).partition(": ")[0] for problem in caught.value.diagnostics} == {"main.sf:3:44"}


def test_an_assertion_that_looks_at_what_is_around_it_is_explained() -> None:
    """An attribute that begins with `sf` is not asserted, so it may be a component."""
    outcome = run(f"{LIBRARY} sfConfig extends {{ f extends Assertions {{ sfx PARENT; }} }}")
    assert outcome.explain("f").value["lazy"] is True


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("sfConfig extends { a extends { b PARENT; } }", "PARENT"),
        ("sfConfig extends { v [1, PARENT:PARENT]; }", "PARENT:PARENT"),
        ("sfConfig extends { a extends { b c; } c extends { d extends { e a; } } }", "a"),
    ],
)
def test_a_link_to_what_is_around_it_is_the_place_of_the_error(text: str, link: str) -> None:
    """Also where the walk comes back to a component through others inside of what the link leads to."""
    with pytest.raises(LinkCycle) as caught:
        run(text)
    assert caught.value.span is not None
    assert caught.value.span.text == link
    assert f"the link `{link}` leads to" in str(caught.value)


# --- sizes ----------------------------------------------------------------------------------------------------------


def doubled(each: Callable[[int], str], end: str, times: int = 60) -> str:
    """A program in which each of so many statements doubles the next one."""
    return f"{LIBRARY} sfConfig extends {{ {' '.join(map(each, range(times)))} a{times} {end} }}"


@pytest.mark.parametrize(
    "text",
    [
        doubled(lambda n: f"a{n} [a{n + 1}, a{n + 1}];", "1;"),
        doubled(lambda n: f"a{n} [[a{n + 1}], a{n + 1}];", "extends { x 1; }"),
        doubled(lambda n: f"a{n} extends {{ x [a{n + 1}, a{n + 1}]; }}", "1;"),
        doubled(lambda n: f"a{n} (a{n + 1} <> a{n + 1});", "[1];"),
        doubled(lambda n: f"a{n} (a{n + 1} ++ a{n + 1});", '"x";'),
        doubled(lambda n: f"a{n} (a{n + 1} ++ a{n + 1});", "[1];"),
        doubled(lambda n: f'a{n} extends formatString {{ format "$0$0"; s0 a{n + 1}; }}', '"x";'),
        doubled(lambda n: f"a{n} extends {{ x a{n + 1}; y a{n + 1}; }}", "1;") + " sfConfig:t (sfConfig:a0 == 1);",
        doubled(lambda n: f"a{n} [a{n + 1}, a{n + 1}];", "1;") + " sfConfig:t (sfConfig:a0 == sfConfig:a0);",
        f"{LIBRARY} sfConfig extends {{ a extends Set {{ setSize 9000; setElem b; }} b extends Set {{ setSize 9000; "
        "setElem extends { x 1; } } }",
        f"{LIBRARY} sfConfig extends {{ a extends Set {{ setSize 2147483647; setElem extends {{}} }} }}",
    ],
    ids=lambda text: text.partition("sfConfig extends { ")[2][:40],
)
def test_what_a_few_lines_double_is_refused(text: str) -> None:
    """Vectors and texts that functions give are bounded as components are; the error has a place."""
    with pytest.raises((LimitReached, OverBudget)) as caught:
        run(text)
    assert caught.value.span is not None


def test_deep_vectors_are_refused() -> None:
    """As deep components are."""
    with pytest.raises(LimitReached, match="nested too deeply"):
        run(f"sfConfig extends {{ {' '.join(f'a{n} [a{n + 1}];' for n in range(600))} a600 1; }}")


# --- what is printed ------------------------------------------------------------------------------------------------


def check_again(outcome: SmartFrogOutcome, level: str) -> None:
    """What is printed compiles to the same store, kinds of numbers and order included."""
    again = run(outcome.text(), level)
    assert json.dumps(typed(again.store)) == json.dumps(typed(outcome.store)), outcome.text()


@pytest.mark.parametrize(
    "values",
    [
        "a 1.5f; b (1.0D / 0); c (-1.0f / 0); d (0.0D / 0); e 1e-300D; g 3.4e38f;",
        "a extends {} b extends DATA {} c extends DATA { d extends {} }",
        "a [(extends { x 1; }), 2, [(extends {})], (1.5f + 0)]; b [(1.0D / 0)]; c [|1, [|DATA x:y|]|];",
        'x LAZY HERE "a b"; y LAZY ATTRIB "c:d":e; z LAZY OPTIONAL("q\\"") HOST "h-1":f;',
        '"odd name" 1; "extends" 2; "" 3; [t, "odd tag"] u 4; "\\\\" "\\101\\t\\"";',
        "a LAZY y; f (a ++ [1.5f, 2]); g #HEX#00ff#; h VAR; i [|TBD|]; j 5L; k -0.0D;",
    ],
)
def test_what_is_printed_compiles_to_the_same(values: str) -> None:
    """Values that SmartFrog's own compiler writes in a form that it does not read again."""
    check_again(run(f"sfConfig extends {{ {values} }}"), "production")


@pytest.mark.parametrize("level", ["core", "forward", "production"])
def test_what_is_printed_of_random_programs_compiles_to_the_same(level: str) -> None:
    """At every level."""
    programs = {"core": lambda seed: random_program(seed).host, "forward": forward_program}
    compiled = 0
    for seed in range(examples(300)):
        try:
            outcome = run(programs.get(level, production_program)(seed), level)
        except (Diagnostic, ManyErrors):
            continue
        check_again(outcome, level)
        compiled += 1
    assert compiled > 3


# --- paths ----------------------------------------------------------------------------------------------------------


def test_paths_to_odd_names_have_quotes() -> None:
    """Every output and order is found again by its path."""
    text = (
        'sfConfig extends { "a:b" 1; "c[0]" [1, 2]; "d\\"e" extends { " x" 3; z 4; "" 5; "\\\\" 6; "order of x" 7; } '
        'web extends { "p q" 8; "" extends { "r:s" 9; t 1; } } }'
    )
    outcome = run(text)
    paths = [each.path for each in outcome.everything()]
    assert '"a:b"' in paths and '"c[0]"[1]' in paths and 'web:"":"r:s"' in paths and 'order of web:""' in paths
    for each in outcome.everything():
        if each.path.startswith("order of"):
            assert outcome.select(each.path).value == each.value
        else:
            assert json.dumps(outcome.select(each.path).value) == json.dumps(each.value)
        assert outcome.explain(each.path).path == each.path
    for wrong in ('"a"b', '"a', "web:t:", "web:::t", '"a:b":x', "c[0]"):
        with pytest.raises(PathNotFound):
            outcome.select(wrong)
    assert outcome.missing('web:"x:y"')[0].message == "no statement gives `web` an attribute `x:y`"


@pytest.mark.parametrize("names", [["a"], ["a", "b c"], ["a:b", ""], ['"', "\\"], [" a", "[1]", "x"]])
def test_names_are_read_from_the_path_that_they_make(names: list[str]) -> None:
    """The two functions are the inverse of each other."""
    assert names_in(path_of(names)) == names


def test_placements_that_stay_have_paths() -> None:
    """A list of phases without `place` leaves them in the result."""
    text = 'phaseList [|"type", "sfConfig"|]; sfConfig extends { a extends {} a:b:c extends { x 1; y 2; } a:d 3; }'
    outcome = run(text)
    assert [each.path for each in outcome.outputs()] == ["a", '"a:b:c":x', '"a:b:c":y', '"a:d"']
    assert outcome.explain('"a:b:c":y').value == 2
    assert outcome.explain('order of "a:b:c"').value == ["x", "y"]
