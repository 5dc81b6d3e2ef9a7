"""Every branch, option, arm and level that an answer names is the one that was taken.

A run that is the same up to the moment when the named branch runs must fail there if the branch is made to fail: so
each arm that a decision of an answer names is replaced by `fail`, and the world compiled again. Worlds come from
`support.puppet_dependency_programs`; functions in Ruby test what can not be computed again. Of a ladder, the level that
is said to be chosen must be the one whose file the value is a copy of, and the value must be gone from there when the
key is.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
import yaml

from support.examples import fresh
from support.puppet_dependency_programs import ROOT, World, dumped, make, run
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.base.source import Span
from wherefrom.language import Inputs
from wherefrom.provenance.ladder import CHOSEN
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.answer import Decision
from wherefrom.puppet.output.outcome import PuppetOutcome

MESSAGE = "the named branch runs"


def failing(arm: Span) -> str:
    """The text of a file in which a branch fails as soon as it runs."""
    text, at = arm.file.text, arm.start
    taken = arm.text
    call = f"fail('{MESSAGE}')"
    if not taken:  # no branch was taken: one that would be
        new = f" default: {{ {call} }} " if text[at : at + 1] == "}" and _in_case(text, at) else f" else {{ {call} }} "
    elif taken.startswith("{"):
        new = f"{{ {call} {taken[1:]}"
    elif taken.startswith("elsif"):
        new = f"elsif {call} and {taken[5:]}"
    elif _arrow(taken) >= 0:
        new = f"{taken[: _arrow(taken)]}=> {call}"
    else:  # an option of a case: its block begins behind the colon that stands outside of all brackets
        brace = _outside(taken, "{")
        new = f"{taken[: brace + 1]} {call} {taken[brace + 1 :]}"
    return text[:at] + new + text[arm.end :]


def _outside(text: str, wanted: str) -> int:
    """Where something first stands outside of strings and of square and round brackets; -1 if nowhere."""
    depth, quote = 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif not depth and text.startswith(wanted, at):
            return at
        else:
            depth += (char in "([") - (char in ")]")
    return -1


def _arrow(text: str) -> int:
    arrow, brace = _outside(text, "=>"), _outside(text, "{")
    return arrow if brace < 0 or 0 <= arrow < brace else -1


def _in_case(text: str, at: int) -> bool:
    depth = 0
    for before in range(at - 1, -1, -1):
        depth += (text[before] == "}") - (text[before] == "{")
        if depth < 0:
            return "case " in text[max(0, before - 60) : before]
    return False


def compiled(world: World) -> PuppetOutcome | str:
    """The outcome, or what went wrong."""
    options = {
        "classes": world.classes,
        "parameters": world.parameters,
        "settings": {"strict": "off", "storeconfigs": True},
    }
    try:
        return LANGUAGE.run(ROOT, PureHost(world.files), Inputs(world.node, world.facts, options))
    except WherefromError as problem:
        return str(problem)


def check(seeds: Iterable[int]) -> tuple[int, list[str]]:
    """How many branches were named, and those that did not run."""
    named, wrong = 0, []
    for seed in seeds:
        world = make(Random(seed))
        outcome = compiled(world)
        if isinstance(outcome, str):
            continue
        arms: dict[tuple[str, int, int], Decision] = {}
        for each in outcome.outputs():
            for decision in outcome.explain(each.path).decisions:
                if decision.taken is not None and decision.taken.file.name in world.files:
                    arms.setdefault((decision.taken.file.name, decision.taken.start, decision.taken.end), decision)
        for (name, _, _), decision in arms.items():
            assert decision.taken is not None
            named += 1
            after = compiled(world._replace(files={**world.files, name: failing(decision.taken)}))
            if not isinstance(after, str) or MESSAGE not in after:
                wrong.append(f"{seed}: {decision.text}: {decision.taken.text!r}: {str(after)[:200]}")
    return named, wrong


def test_named_branches_ran() -> None:
    """A few worlds."""
    named, wrong = check(range(700, 780))
    assert not wrong, "\n".join(wrong[:5])
    assert named > 40


@pytest.mark.soak
@pytest.mark.parametrize("start", range(700_000, 702_000, 100))
def test_named_branches_ran_many(start: int) -> None:
    """The same, many times."""
    _, wrong = check(fresh(range(start, start + 100)))
    assert not wrong, "\n".join(wrong[:5])


def check_levels(seeds: Iterable[int]) -> tuple[int, list[str]]:
    """How many values are copies of a level's, and those of which another level was named."""
    named, wrong = 0, []
    for seed in seeds:
        world = make(Random(seed))
        outcome = run(world)
        if outcome is None:
            continue
        for each in outcome.outputs():
            answer = outcome.explain(each.path)
            source, ladder = answer.where, answer.ladder
            if source is None or source.kind != "hiera" or ladder is None or source.span is None:
                continue
            chosen = [rung for rung in ladder.rungs if rung.status == CHOSEN]
            named += 1
            file, root = source.span.file.name, source.name.partition(".")[0]
            if len(chosen) == 1 and chosen[0].file != file:
                wrong.append(f"{seed}: {each.path}: {chosen[0].file}, not {file}")
            data = {key: value for key, value in yaml.safe_load(world.files[file]).items() if key != root}
            after = run(world._replace(files={**world.files, file: dumped(data)}))
            if after is not None:
                there = {other.path: other for other in after.outputs()}.get(each.path)
                now = None if there is None else after.explain(each.path).where
                if now is not None and now.kind == "hiera" and now.span is not None and now.span.file.name == file:
                    wrong.append(f"{seed}: {each.path}: still from {file}")
    return named, wrong


def test_named_levels_were_chosen() -> None:
    """A few worlds."""
    named, wrong = check_levels(range(700, 800))
    assert not wrong, "\n".join(wrong[:5])
    assert named > 20


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("if has_interface_with('eth0') { notify { 'a': } } else { notify { 'b': } }", "if has_interface_with('eth0')"),
        ("if inline_template('x') == 'x' { notify { 'a': } } else { notify { 'b': } }", "if inline_template"),
        ("unless has_interface_with('eth0') { notify { 'b': } } else { notify { 'a': } }", "else of unless has_inter"),
        ("case inline_template('x') { 'x': { notify { 'a': } } default: { notify { 'b': } } }", 'is "x"'),
        ("$t = inline_template('x') ? { 'x' => 'a', default => 'b' } notify { $t: }", None),
        ("$h = { 'q?{' => 'x' } case $h['q?{'] { 'x': { notify { 'a': } } }", "$h['q?{'] is \"x\""),
    ],
)
def test_what_can_not_be_computed_again_is_told_as_it_was(code: str, words: str | None) -> None:
    """A test of which Ruby kept how it came out: what it came to is noted when it is made."""
    function = (
        "Puppet::Functions.create_function(:has_interface_with) do\n  def has_interface_with(name)\n"
        "    closure_scope['facts'].key?(name) || !Puppet.nil?\n  end\nend\n"
    )
    files = {
        f"{ROOT}/manifests/site.pp": code,
        f"{ROOT}/lib/puppet/functions/has_interface_with.rb": function,
    }
    outcome = LANGUAGE.run(ROOT, PureHost(files), Inputs("web1", {"eth0": "up"}, {}))
    decisions = [decision.text for decision in outcome.explain("Notify[a]").decisions]
    assert words is None or any(words in text for text in decisions), decisions
