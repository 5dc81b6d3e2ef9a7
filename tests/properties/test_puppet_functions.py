"""The laws of provenance, on random calls of core functions.

* Expression: the term of a result evaluates to the result.
* Dependency is sound: a literal that is not in `depends(result)` can be changed without changing the result.

Left out of the second, as the evaluator's own affair: keys of hash literals, and calls with lambdas that jump.
"""

from __future__ import annotations

import re

import pytest

from support.puppet_function_calls import calls
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs, Outcome, Selected
from wherefrom.provenance.extract import depends, evaluate_term, expression
from wherefrom.puppet.front import LANGUAGE

HEAD = "$result = with() || {\n"
TAIL = "\n}\nnotify { 'r': message => String($result, '%p') }\n"
LITERAL = re.compile(r"""'(?:[^'\\]|\\.)*'|(?<![\w$.'"-])-?\d+(?:\.\d+)?(?:e\d+)?(?![\w'"])|\b(?:true|false|undef)\b""")
OTHERS = {"'": ["'zz'", "''"], "digit": ["7", "-5"], "word": ["true", "false", "undef", "7"]}


def compiled(code: str) -> tuple[Outcome, Selected]:
    """The outcome of a call, and its result."""
    facts = {"networking": {"fqdn": "node.example.com"}}
    given = Inputs("node", facts, {"show_derived": True})
    outcome = LANGUAGE.run("site.pp", PureHost({"site.pp": HEAD + code + TAIL}), given)
    return outcome, outcome.select("Notify[r].message")


def changed(code: str, selected: Selected) -> list[str]:
    """Changes of a literal that the result should not notice, but does."""
    known = {leaf.span.start for leaf in depends(selected.origin) if leaf.span is not None}
    noticed = []
    for literal in LITERAL.finditer(code):
        text = literal[0]
        is_key = re.match(r"\s*=>", code[literal.end() :])
        is_regex = "/" in code[max(0, literal.start() - 2) : literal.start()]
        if len(HEAD) + literal.start() in known or is_key or is_regex:
            continue
        kind = "'" if text[0] == "'" else "digit" if text[-1].isdigit() else "word"
        for other in OTHERS[kind]:
            try:
                _, again = compiled(code[: literal.start()] + other + code[literal.end() :])
            except WherefromError:
                continue
            if again.value != selected.value:
                noticed.append(f"{code}: {text} -> {other}: {selected.value} -> {again.value}")
    return noticed


def check(seed: int, count: int) -> int:
    """Check the laws on `count` calls; says how many of them had a result."""
    had_result = 0
    for code in calls(seed, count):
        try:
            outcome, selected = compiled(code)
        except WherefromError:
            continue
        had_result += 1
        assert evaluate_term(expression(selected.origin), outcome.apply) == selected.value, code
        if '"' not in code and "break" not in code and "next" not in code:
            assert changed(code, selected) == []
    return had_result


def test_laws() -> None:
    """A few hundred calls in every run."""
    assert check(seed=1, count=300) > 150


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_laws_at_length(seed: int) -> None:
    """Thousands of calls."""
    assert check(seed, count=3000) > 1500
