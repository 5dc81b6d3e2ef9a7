"""Deep nesting of everything that nests: compiled in time proportional to its length, or refused with a clear error."""

from __future__ import annotations

import pytest

from support.effort import effort
from wherefrom.base.budget import OverBudget
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Diagnostic, LimitReached
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.kernel.codes import CODES
from wherefrom.puppet.kernel.issues import NESTED_TOO_DEEPLY
from wherefrom.puppet.program import open_environment
from wherefrom.puppet.runtime.effects import effects_of

DEEP = 10_000
PATIENCE = 1_000
"""Millions of additions; each takes about twenty, what is quadratic takes thousands."""


def nest(opening: str, closing: str, inside: str = "", before: str = "") -> str:
    """`opening` as many times, with `#` numbered, then as many closings."""
    return before + "".join(opening.replace("#", str(level)) for level in range(DEEP)) + inside + closing * DEEP


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (nest("if true { ", "}"), None),
        (nest("if true { $v# = 1 ", "}"), None),
        (nest("if false { $v# = 1 include c# ", "}"), None),
        (nest("unless true { } else { ", "}"), None),
        pytest.param("if false { $a = 1 }" + " elsif false { $b = 1 }" * DEEP, None, marks=pytest.mark.long),
        (nest("case 1 { 1: { $v# = 1 ", "} }"), None),
        (nest("[1].each |$x#| { ", "}"), None),
        (nest("[", "]", before="$x = "), None),
        (nest("{ a => ", "}", "1", "$x = "), None),
        (nest("$a[", "]", "'k'", "$a = {}\n$x = "), None),
        (nest("Array[", "]", "Any", "$x = "), None),
        (nest("1 ? { 1 => ", "}", "1", "$x = "), None),
        (nest("(true and ", ")", "true", "$x = "), None),
        (nest('"${', '}"', "1", "$x = "), None),
        (nest("class c# { ", "}"), (NESTED_TOO_DEEPLY.code,)),
        (nest("Class[", "]", "'k'", "$x = "), (CODES["ILLEGAL_HOSTCLASS_NAME"],)),
        pytest.param(
            "".join(f"function f{level}() {{ f{level + 1}() }}\n" for level in range(DEEP)) + "f0()",
            (OverBudget.code,),
            marks=pytest.mark.long,
        ),
        (
            "".join(f"define d{level} {{ d{level + 1} {{ 'a': }} }}\n" for level in range(DEEP)) + "d0 { 'a': }",
            (LimitReached.code, CODES["UNKNOWN_RESOURCE_TYPE"], CODES["endless evaluation"]),
        ),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_deep_nesting(text: str, codes: tuple[str, ...] | None) -> None:
    """No hang, no traceback."""
    found: list[str | None] = []

    def run() -> None:
        try:
            LANGUAGE.run("site.pp", PureHost({"site.pp": text}), Inputs("n"))
            found.append(None)
        except Diagnostic as problem:
            found.append(problem.code)

    assert effort(run) < PATIENCE
    assert found[0] in (codes or (None,))


@pytest.mark.long
def test_effects_are_linked_not_copied() -> None:
    """What nested branches assign is kept once, and summed up where it is asked for."""
    text = nest("if $x { $v# = 1 ", "}")
    environment = open_environment("site.pp", PureHost({"site.pp": text}), Inputs())
    with_deep_stack(environment.main_bodies)
    held = sum(len(effects.names_here) for _, effects in environment.effects.values() if effects is not None)
    assert held <= 2 * DEEP
    whole = effects_of(environment.programs()[0].body, environment.effects)
    assert whole is not None and len(whole.names) == DEEP
