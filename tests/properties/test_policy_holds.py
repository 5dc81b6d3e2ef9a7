"""Non-interference: no change of an input that a passed rule excludes changes an output that the rule covers.

Random edits of a small control repository are compiled; of each, inputs are excluded by a rule `never` over all
outputs: by `depends` what is there, by `may` what somebody could add. Those that break the rule may change; the others,
for which it passed, must not, whatever the input becomes. `WHEREFROM_MUTATIONS` says how many changes are tried,
`WHEREFROM_SEED` chooses others.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from random import Random

import pytest

from support.control_edits import ROOT, compiled_control, edited
from support.diff_causes import Side
from support.examples import fresh
from wherefrom.base.source import SourceFile
from wherefrom.influence import Owners
from wherefrom.language import Inputs, Outcome
from wherefrom.policy import Policy
from wherefrom.policy_rules import read_rules
from wherefrom.wishes import values_of

COUNT = int(os.environ.get("WHEREFROM_MUTATIONS", "10000"))
_WORD = re.compile(r"(?<=['\"])[\w./-]+(?=['\"])|(?<=: )[\w./-]+$|\b\d+\b", re.MULTILINE)


class Held(Policy):
    """Rules for files that are not on the disk."""

    def _project_files(self) -> list[str]:
        return []


def broken_by(outcome: Outcome, pattern: str, relation: str) -> set[str]:
    """The outputs that an input has a part in, as the rule that excludes it says."""
    clause = f"never = {{ {relation} = [{json.dumps(pattern)}] }}"
    text = f'[[policy]]\nname = "r"\noutputs = ["*[*].*", "*[*]"]\n{clause}\n'
    policy = Held(read_rules(SourceFile("r", text), tomllib.loads(text)), ROOT, Owners(), datetime.date(2026, 11, 19))
    return {output for finding in policy.check(outcome) for output in finding.outputs}


Mutation = tuple[str, str, Side]
"""The pattern of an input, the relation by which a rule excludes it, and the repository with another such input."""


def _changed_fact(random: Random, side: Side) -> Mutation:
    """Another value of a fact, or of a part of one."""
    facts = json.loads(json.dumps(dict(side.inputs.facts)))
    here, names = facts, [random.choice(sorted(facts))]
    while isinstance(here[names[-1]], dict) and here[names[-1]] and random.random() < 0.8:
        here = here[names[-1]]
        names.append(random.choice(sorted(here)))
    others = ["web", "db", "north", "south", "RedHat", "Debian", "11", 1, 4096, True, False, None, {"x": 1}, "x y"]
    here[names[-1]] = random.choice(others)
    return f"fact:{'.'.join(names)}", "depends", Side(side.files, Inputs(side.inputs.node, facts, side.inputs.options))


def _changed_file(random: Random, side: Side) -> Mutation:
    """One or several words of a file."""
    name = random.choice(sorted(side.files))
    text = side.files[name]
    for _ in range(random.choice([1, 1, 1, 3])):
        places = list(_WORD.finditer(text))
        if places:
            place = random.choice(places)
            new = str(random.randint(1, 9999)) if place[0].isdigit() else random.choice(["other", f"{place[0]}x"])
            text = text[: place.start()] + new + text[place.end() :]
    return name.removeprefix(f"{ROOT}/"), "depends", Side({**side.files, name: text}, side.inputs)


def _added_fact(random: Random, side: Side) -> Mutation:
    """A fact, or a part of one, that nobody has yet."""
    facts = json.loads(json.dumps(dict(side.inputs.facts)))
    name = random.choice(["zone", "fqdn", "os.distro", "os.release.minor", "tier", "owner"])
    *above, last = name.split(".")
    here = facts
    for step in above:
        here = here[step] if isinstance(here.get(step), dict) else {}
    here[last] = random.choice(["web", 1, True, {"x": 1}])
    return f"fact:{name}", "may", Side(side.files, Inputs(side.inputs.node, facts, side.inputs.options))


def _added_data(random: Random, side: Side) -> Mutation:
    """A key in a file of data, which may be new."""
    known = [name for name in side.files if name.startswith(f"{ROOT}/data/") and name.endswith(".yaml")]
    new = [f"{ROOT}/data/{name}.yaml" for name in ("nodes/web01.example.org", "role/web", "role/db", "os/Debian", "x")]
    name = random.choice([*known, *new])
    keys = {match[1] for text in side.files.values() for match in _KEY.finditer(text)}
    parameters = {f"{module}::{own}" for module in ("ntp", "app", "motd") for own in ("mode", "port", "owner", "text")}
    key = random.choice(sorted(keys | parameters))
    value = random.choice(["'0611'", "81", "[x]", "{x: 1}", "true", "other"])
    before = [line for line in re.findall(r".+\n", side.files.get(name, "---\n")) if not line.startswith(f"{key}:")]
    text = "".join([*before, f"{key}: {value}\n"])
    return name.removeprefix(f"{ROOT}/"), "may", Side({**side.files, name: text}, side.inputs)


def _added_file(random: Random, side: Side) -> Mutation:
    """A file that Puppet could come to read; nothing in it means anything in another one."""
    texts = {
        "modules/base/metadata.json": "{",
        "modules/motd/metadata.json": '{"dependencies": []}',
        "modules/ntp/hiera.yaml": "---\nversion: 5\n",
        "modules/ntp/templates/ntp.conf.epp": "x",
        "modules/motd/templates/motd.epp": "x",
        "modules/app/lib/puppet/functions/f.rb": "",
        "environment.conf": "modulepath = other:modules\n",
        "data/common.yml": "---\nntp::mode: '0611'\n",
    }
    name = random.choice(sorted(name for name in texts if f"{ROOT}/{name}" not in side.files))
    return name, "may", Side({**side.files, f"{ROOT}/{name}": texts[name]}, side.inputs)


_KEY = re.compile(r"^([a-z_]+(?:::[a-z_]+)*):", re.MULTILINE)

MUTATIONS: tuple[Callable[[Random, Side], Mutation], ...] = (
    *(_changed_fact, _changed_file) * 2,
    _added_fact,
    _added_data,
    _added_data,
    _added_file,
)


def mutations(seeds: Iterator[int]) -> Iterator[tuple[int, str, set[str], set[str]]]:
    """Changes of inputs that compile: the outputs that the rule allows to change, and those that did."""
    for seed in seeds:
        random = Random(seed)
        side = edited(random, 1 + seed % 4)[1]
        outcome = compiled_control(*side)
        if outcome is None:
            continue
        before = values_of(outcome)
        known: dict[tuple[str, str], set[str]] = {}
        for _ in range(20):
            pattern, relation, changed = random.choice(MUTATIONS)(random, side)
            after = compiled_control(*changed)
            if after is None:
                continue
            if (pattern, relation) not in known:
                known[pattern, relation] = broken_by(outcome, pattern, relation)
            values = values_of(after)
            differing = {path for path in before if "[" in path and before[path] != values.get(path, ())}
            yield seed, f"{relation} {pattern}", known[pattern, relation], differing


def held(count: int) -> tuple[int, int, int]:
    """How many changes were tried, and of how many outputs that could change how many did."""
    tried = changed = allowed = 0
    for seed, pattern, broken, differing in mutations(iter(fresh(range(10_000_000)))):
        assert differing <= broken, (seed, pattern, sorted(differing - broken))
        tried += 1
        changed += bool(differing)
        allowed += bool(broken)
        if tried == count:
            break
    return tried, changed, allowed


@pytest.mark.long
def test_passed_rules_hold() -> None:
    """Some hundred changes, many of which change something."""
    tried, changed, _ = held(400)
    assert tried == 400
    assert changed > 80


@pytest.mark.soak
def test_passed_rules_hold_ten_thousand_times() -> None:
    """As many as the settings say."""
    tried, changed, allowed = held(COUNT)
    print(f"{tried} changes, {changed} of which change an output; rules allowed {allowed} to")
    assert changed * 5 > tried
