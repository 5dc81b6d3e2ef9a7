"""Bad and hostile arguments: a bounded, clear error, never a traceback and never a hang."""

from __future__ import annotations

from random import Random

import pytest

from support.puppet_requests import answer
from wherefrom.base.diagnostics import LimitReached, Refused, WherefromError
from wherefrom.base.host import PureHost
from wherefrom.provenance.origins import UNTRACED
from wherefrom.puppet.functions.alone import AloneMachine
from wherefrom.puppet.functions.scanning import scan
from wherefrom.puppet.functions.table import find, names


def message(code: str) -> str:
    """The error of an expression, or an empty text."""
    reply = answer({"manifest": f"$r = {code}\n"})
    return "" if reply["ok"] else str(reply["error"]["message"])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("Integer[1, 1000000000000].each |$x| { $x }", "limit: 20,000,000"),
        pytest.param("1000000000000000.map |$x| { $x }", "limit: 20,000,000", marks=pytest.mark.long),
        ("Integer[0, 9000000000000000000].reverse_each |$x| { $x }", "limit: 20,000,000"),
        ("Integer[1, 99999999999].step(2)", "limit: 20,000,000"),
        ("slice(99999999999, 2)", "limit: 20,000,000"),
        ("sprintf('%999999999d', 1)", "width too big"),
        ("sprintf('%*d', 999999999, 1)", "width too big"),
        (f"abs('{'9' * 5000}')", "a number of 5,000 digits"),
        (f"get([1], '{'9' * 5000}')", "a number of 5,000 digits"),
        (f"fqdn_rand('{'9' * 5000}')", "a number of 5,000 digits"),
        ("scanf('a', '%[z-a]')", "bad character range z-a"),
        ("scanf('a', '%99999999999999999999s')", "scanf: "),
    ],
)
def test_bounds(code: str, words: str) -> None:
    """Each bound has its message."""
    reply = answer({"manifest": f"$r = {code}\n", "facts": {"networking": {"fqdn": "n"}}})
    assert words in reply["error"]["message"]


@pytest.mark.parametrize("function", ["split", "match", "regsubst"])
def test_regular_expressions_that_would_take_forever(function: str) -> None:
    """A pattern that divides a text in exponentially many ways is still quick."""
    rest = ", 'x'" if function == "regsubst" else ""
    assert message(f"{function}('{'a' * 40}b', '^(a+)+$'{rest})") == ""


def test_deep_values() -> None:
    """Nesting is bounded by the parser's and evaluator's stack, not by the functions."""
    nested = "[" * 400 + "1" + "]" * 400
    for call in (f"flatten({nested})", f"join({nested})", f"upcase({nested})", f"tree_each({nested}).map |$x| {{ 1 }}"):
        assert message(call) == ""


def test_programs_are_not_run() -> None:
    """`generate` is refused, unless the host offers to run programs."""
    function = find("generate")
    assert function is not None
    with pytest.raises(Refused, match="runs no programs"):
        function.call(AloneMachine(), ["/bin/date"], [UNTRACED])

    class Willing(PureHost):
        def run_program(self, words: list[str]) -> str:
            return " ".join(words)

    value, _ = function.call(AloneMachine(Willing({})), ["/bin/echo", "a", 1], [UNTRACED] * 3)
    assert value == "/bin/echo a 1"


def test_limits_are_diagnostics() -> None:
    """What a function raises on purpose is a diagnostic."""
    with pytest.raises(LimitReached):
        scan("9" * 5000, "%d")


HOSTILE = [
    f"'{'9' * 5000}'", "'%'", "'%z'", "'%<a'", "'(('", "'[z-a]'", "'%[z-a]'", "'%99999999999s'", "'%*d'", r"'\\'",
    r"'a\1'", "'0x'", "'1e999'", "''", '"\\u{0}"', "'a..b'", "'\"'", "-1", "9223372036854775807", "1e308", "[]", "{}",
    "[[]]", "undef", "default", "true", "Integer", "Integer[1]", "Enum", "Regexp", "Class", "Resource", "Notify",
    "Type", "Sensitive(undef)", "Timespan(0)", "Binary('')", "{undef => undef}", "{[1] => 2}", "'$'", "'$x'", "'::'",
    "'%1$s'", "['a', 1, undef, []]", "Callable", "Object", "[1, 2, 3].reverse_each", "Deferred('x')",
    "Deferred('$x', [1])", "'/etc/passwd'", "'../x'", "'<% '", "'<%= $x %>'", "Notify['a', 'b']", "'class'",
    "'@@x'", "'@notify'",
]  # fmt: skip
BLOCKS = [
    "", "", " |$x| { $x }", " |$x, $y| { $y }", " || { 1 }", " |*$x| { $x }", " |$x| { fail('in block') }",
    " |$x| { return($x) }", " |$x, $y| { break() }",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_hostile_arguments(seed: int) -> None:
    """Whatever a function is called with, the answer is a result or an error of ours."""
    random = Random(seed)
    for _ in range(200):
        arguments = ", ".join(random.choice(HOSTILE) for _ in range(random.randint(0, 4)))
        code = f"{random.choice(names())}({arguments}){random.choice(BLOCKS)}"
        try:
            answer({"manifest": f"$r = {code}\nnotify {{ 'r': message => String($r, '%p') }}\n"})
        except WherefromError as problem:  # pragma: no cover
            pytest.fail(f"{code}: {problem}")
