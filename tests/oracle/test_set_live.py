"""Live comparison with real Puppet: a proposal of `wherefrom set`, applied, gives what was wished, and what was told.

The repositories are random edits of a small one. Real Puppet compiles each with and without the proposal: the attribute
has the wished value, and what else differs is what the proposal says.
"""

from __future__ import annotations

import json
import os
import re
from random import Random
from typing import Any

import pytest

from support.control_edits import NODE, ROOT, compiled_control, edited
from support.diff_causes import Side
from support.puppet_real import ask
from support.wished import another
from wherefrom.base.diagnostics import CannotRead
from wherefrom.base.secrets import Secret
from wherefrom.base.splices import GONE
from wherefrom.language import Catalog, Outcome
from wherefrom.wishes import Answer, Change, Proposal, Wish, proposals

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("real_puppet")]

COUNT = int(os.environ.get("WHEREFROM_WISHES", "100"))
SEED = int(os.environ.get("WHEREFROM_SEED", "70000"))
"""Where the random repositories begin: another number asks about others."""
RELATIONS = ("require", "notify", "before", "subscribe", "alias", "tag")


def scalar(outcome: Outcome, random: Random) -> Wish | None:
    """Another value of a text, a number or a truth value."""
    candidates = [
        output
        for output in outcome.outputs()
        if "]." in output.path
        and not output.path.startswith(("Class[", "Node["))
        and output.path.rpartition("].")[2].partition("[")[0] not in RELATIONS
        and "[" not in output.path.rpartition("].")[2]
        and isinstance(output.value, str | int)
        and not isinstance(output.value, Secret)
    ]
    output = random.choice(candidates)
    text = another(output.value, random)
    return None if text is None else Wish(output.path, text)


def longer_or_shorter(outcome: Outcome, random: Random) -> Wish | None:
    """A list with an element more or less."""
    lists = [output for output in outcome.outputs() if isinstance(output.value, list) and "]." in output.path]
    lists = [output for output in lists if output.path.rpartition("].")[2] not in RELATIONS and output.value]
    if not lists:
        return None
    output = random.choice(lists)
    values = list(output.value)
    if random.random() < 0.5:
        values.insert(random.randint(0, len(values)), "new.example.org")
    else:
        values.pop(random.randrange(len(values)))
    return Wish(output.path, json.dumps(values))


def gone(outcome: Outcome, random: Random) -> Wish | None:
    """A resource, or an attribute of one, that is to go."""
    resources = [
        output.path
        for output in outcome.outputs()
        if re.fullmatch(r"(File|Package|Service|Notify)\[[^]]+\]", output.path)
    ]
    attributes = [
        output.path for output in outcome.outputs() if re.fullmatch(r"File\[[^]]+\]\.(mode|owner)", output.path)
    ]
    several = random.choice([resources, attributes])
    return Wish(random.choice(several), None) if several else None


def unset(outcome: Outcome, random: Random) -> Wish | None:
    """An attribute that nothing sets."""
    files = [output.path for output in outcome.outputs() if re.fullmatch(r"File\[[^]]+\]", output.path)]
    path = f"{random.choice(files)}.{random.choice(['group', 'seltype', 'backup'])}"
    return Wish(path, random.choice(["adm", "x y"])) if isinstance(outcome, Catalog) and outcome.unset(path) else None


KINDS = (*(scalar,) * 5, longer_or_shorter, longer_or_shorter, gone, gone, unset)


def wished(side: Side, random: Random) -> Answer | None:
    """Proposals for one wish about a repository, chosen at random; nothing for one that does not compile."""

    def compiled(_: str | None, files: Any) -> Outcome:
        changed = {**side.files, **{name: content.decode() for name, content in files.items()}}
        outcome = compiled_control(changed, side.inputs)
        if outcome is None:
            raise CannotRead("site.pp", "does not compile")
        return outcome

    outcome = compiled_control(*side)
    if outcome is None:
        return None
    wish = random.choice(KINDS)(outcome, random)
    return None if wish is None else proposals([wish], NODE, compiled, lambda _: None)


def request_of(files: dict[str, str], side: Side) -> dict[str, Any]:
    """What real Puppet is asked."""
    named = {name.removeprefix(f"{ROOT}/"): text for name, text in files.items()}
    return {"manifest": named.pop("manifests/site.pp"), "files": named, "node": NODE, "facts": dict(side.inputs.facts)}


def applied(side: Side, proposal: Proposal) -> dict[str, str]:
    """The files with a proposal."""
    return {**side.files, **{name: new.decode() for name, (_, new) in proposal.files.items()}}


def parameters(answer: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """Every parameter of a catalog, by resource and name."""
    values: dict[tuple[str, str], Any] = {}
    for resource in answer["catalog"]["resources"]:
        reference = f"{resource['type']}[{resource['title']}]"
        values[reference, ""] = True
        values |= {(reference, name): value for name, value in (resource.get("parameters") or {}).items()}
    return values


def told(change: Change | str) -> tuple[str, str]:
    """The resource and the parameter of an output."""
    path = change if isinstance(change, str) else change.path
    reference, bracket, rest = path.partition("].")
    return (reference + "]" if bracket else path), rest.partition("[")[0].partition(".")[0]


def test_proposals_do_in_puppet_what_they_say() -> None:
    """The value, and the same other differences."""
    asked: list[tuple[Answer, Proposal]] = []
    requests: list[dict[str, Any]] = []
    wishes = 0
    seed = 0
    while len(asked) < COUNT and seed < 4 * COUNT:
        random = Random(SEED + seed)
        seed += 1
        side = edited(random, 1 + seed % 4)[1]
        answer = wished(side, random)
        if answer is None:
            continue
        wishes += 1
        if not answer.proposals:
            continue
        proposal = random.choice(answer.proposals)
        asked.append((answer, proposal))
        requests += [request_of(side.files, side), request_of(applied(side, proposal), side)]
    answers = ask(requests, together=True)
    for index, (answer, proposal) in enumerate(asked):
        before, after = answers[2 * index], answers[2 * index + 1]
        assert before["ok"] and after["ok"], (index, answer.wanted, proposal.patch, after)
        old, new = parameters(before), parameters(after)
        one = answer.wanted[0]
        key = told(one.path)
        assert key not in new if one.wanted is GONE else new[key] == one.wanted, (index, one, proposal.patch)
        real = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
        ours = {key, *map(told, proposal.changes)}
        came = {reference for reference, name in real if not name}
        assert {key for key in real if key[0] not in came} == {key for key in ours if key[0] not in came}, (
            proposal.patch
        )
    assert len(asked) == COUNT
    assert wishes <= COUNT * 1.33  # three in four wishes have a proposal
