"""Every formula computes: evaluated again from its inputs, it gives the value; no step holds its own answer.

Over all committed cases, and over generated Puppet environments (SmartFrog and Nix programs are generated in
`test_smartfrog` and `test_nix_expression`). What a function in Ruby did that read more than its arguments can not be
computed again from its inputs alone; nor can what a builtin of Nix did with a function. Such formulas are refused,
not guessed at, and counted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import pytest

from support.cases import Case, load_cases
from support.nix_language import evaluate
from support.puppet_cases import recorded_cases, request_of
from support.puppet_dependency_programs import make, run
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Refused, WherefromError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs, Outcome
from wherefrom.nix.trace import operations as nix
from wherefrom.provenance.extract import Apply, Term, evaluate_term, expression
from wherefrom.provenance.operations import BuiltIn, FunctionCall, Op, Provided
from wherefrom.puppet.front import LANGUAGE as PUPPET
from wherefrom.puppet.kernel import operations as puppet
from wherefrom.puppet.kernel.values import Sensitive
from wherefrom.puppet.output.wire import wire_value
from wherefrom.ruby import operations as ruby
from wherefrom.smartfrog.front import LANGUAGE as SMARTFROG

CONSTANTS = (
    BuiltIn, Provided, FunctionCall, puppet.NoValue, puppet.Truth, puppet.TypeName, puppet.Counted,
    nix.EmptySet, nix.EmptyList, nix.FunctionHead, ruby.Written, ruby.NamedConstant,
)  # fmt: skip
"""Operations that may stand without inputs: constants of the languages, the name of a class, a type, a position."""
BUILTINS = frozenset(
    json.dumps(evaluate(f"builtins.{name}").select("").value)
    for name in ("true", "false", "null", "nixVersion", "langVersion", "currentSystem", "storeDir", "nixPath")
) | {'"out"', '"derivation"'}
"""The constants that Nix has in `builtins`, and what `derivation` says of itself."""
POSITION = re.compile(r'\d{1,3}|"[ab]"')
"""What `genList` and `mapAttrs` give to their functions in the cases: a position, the name of an attribute."""
LONG_LOOP = re.compile(r"\b(100000|50000)\b")
"""How often loops of the cases go round that ask for depth: a thousand times will do for their formulas."""
PICKING = (
    puppet.Group, puppet.Entry, puppet.Item, puppet.KeyAt, puppet.ValueAt, nix.Attribute, nix.Element, nix.Has,
)  # fmt: skip
"""Operations that pick a part by its name, which may be the part itself: `{ a = "a"; }.a`."""


def is_constant(op: Op) -> bool:
    """Whether a step without inputs is a constant of its language, not an answer that was written down."""
    if isinstance(op, nix.Constant):  # of `builtins`
        return op.name in BUILTINS or '"abort": ' in op.name or POSITION.fullmatch(op.name) is not None
    return isinstance(op, CONSTANTS)


def operations(term: Term) -> Iterator[Apply]:
    """The operations in a term, each once; what Ruby read beside its arguments (shapes, tests) is no part of it."""
    seen: set[int] = set()
    stack = [term]
    while stack:
        here = stack.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Apply):
            yield here
            if isinstance(here.op, ruby.Consulting):
                continue
        stack.extend(getattr(here, "arguments", ()))


def check(name: object, outcome: Outcome, counts: Counter[str], plain: Callable[[Any], Any]) -> None:
    """Every output of an outcome."""
    for selected in outcome.outputs():
        term = expression(selected.origin)
        counts["outputs"] += 1
        counts["compound"] += isinstance(term, Apply)
        for each in operations(term):
            assert each.arguments or is_constant(each.op), (name, each.op)
        try:
            inner: list[tuple[Any, object]] = []
            again = with_deep_stack(partial(evaluate_term, term, partial(_noted, outcome, inner)))
        except Refused:
            counts["refused"] += 1
            counts["by Ruby"] += any(isinstance(each.op, ruby.ByRuby) for each in operations(term))
            continue
        if not isinstance(again, Sensitive):
            assert json.dumps(plain(again)) == json.dumps(selected.value), (name, selected.path, term)
        for op, value in inner:
            held = [getattr(op, field, None) for field in ("name", "index", "key")]
            assert isinstance(op, PICKING) or value is None or value not in held, (name, selected.path, op, value)


def _noted(outcome: Outcome, results: list[tuple[Any, object]], op: Any, arguments: list[object]) -> object:
    """The result of an operation, which is noted if it had arguments."""
    result = outcome.apply(op, arguments)
    if arguments:
        results.append((op, result))
    return result


def compiled(case: Case) -> Outcome:
    """The outcome of a Puppet case."""
    request = request_of(case)
    files = {f"env/{name}": text for name, text in request.get("files", {}).items()}
    options: dict[str, Any] = {name: request[name] for name in ("classes", "parameters", "settings") if name in request}
    host = PureHost({**files, "env/manifests/site.pp": request["manifest"]})
    return PUPPET.run("env", host, Inputs(request["node"], request["facts"], options))


def test_puppet_cases() -> None:
    """All cases with a recorded catalog; those with a global layer of data aside."""
    counts: Counter[str] = Counter()
    for case in recorded_cases():
        if any(name.startswith("global/") for name in case.files):
            continue
        try:
            outcome = compiled(case)
        except WherefromError:
            continue
        before = counts["refused"]
        check(case, outcome, counts, wire_value)
        assert counts["refused"] == before or case.name.startswith("puppet/ruby"), case
    assert counts["outputs"] > 500 and counts["compound"] > 100 and counts["refused"] < 50, counts


def test_puppet_worlds() -> None:
    """Generated environments with data, templates, collectors."""
    counts: Counter[str] = Counter()
    for seed in range(400, 450):
        outcome = run(make(Random(seed)))
        if outcome is not None:
            check(seed, outcome, counts, wire_value)
    assert counts["outputs"] > 300 and counts["compound"] > 50, counts
    assert counts["refused"] == counts["by Ruby"] < 10, counts


@pytest.mark.soak
@pytest.mark.parametrize("start", range(400_000, 401_000, 100))
def test_puppet_worlds_many(start: int) -> None:
    """The same, many times."""
    counts: Counter[str] = Counter()
    for seed in range(start, start + 100):
        outcome = run(make(Random(seed)))
        if outcome is not None:
            check(seed, outcome, counts, wire_value)
    assert counts["refused"] == counts["by Ruby"] < 50, counts


def test_smartfrog_cases() -> None:
    """All cases: SmartFrog copies, so that its formulas are literals and what is built of them."""
    counts: Counter[str] = Counter()
    for case in load_cases("smartfrog"):
        name = next((each for each in case.files if each.endswith(".sf")), None)
        if name is None:
            continue
        try:
            outcome = SMARTFROG.run(name, PureHost(case.files), Inputs())
        except WherefromError:
            continue
        check(case, outcome, counts, lambda value: value)
    assert counts["outputs"] > 100 and not counts["refused"], counts


def test_nix_cases() -> None:
    """The expressions of all cases that have a value of plain data; a place in the text is no such value."""
    counts: Counter[str] = Counter()
    for case in (*load_cases("nix/builtins"), *load_cases("nix/language")):
        for text in case.files.get("expressions", "").splitlines():
            if "__curPos" in text:
                continue
            text = LONG_LOOP.sub("1000", text)
            try:
                outcome = evaluate(text, traced=True)
                values = [selected.value for selected in outcome.outputs()]
            except WherefromError:
                continue
            if not any("«" in str(value) for value in values):
                check(f"{case}: {text}", outcome, counts, lambda value: value)
    assert counts["outputs"] > 1_500 and counts["compound"] > 900 and counts["refused"] < 150, counts
