"""Live comparison with real Puppet: random edits to a control repository make no difference that `diff` does not tell,
and no cause that it tells is none.

Real Puppet compiles the repository before and after. A resource that came, went, or has another parameter in its
catalogs, or points at a file with another content, must be a difference of ours, and the other way round. Then it
compiles the second state again with each edit taken back alone: an edit that is named as a cause changes what it is
named for, and one that changes something is named for it. Where two edits would do, each alone, one of them does it
when it is made alone on the first state.

`WHEREFROM_EDITS` is how many pairs are compared, `WHEREFROM_SEED` which ones.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

import pytest

from support.control_edits import NODE, ROOT, compiled_control, edited
from support.diff_causes import Side, again, edited_side, history_of
from support.examples import fresh
from support.puppet_real import ask
from wherefrom.comparison import Comparison, compare
from wherefrom.edits import Edits

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("real_puppet")]

COUNT = int(os.environ.get("WHEREFROM_EDITS", "300"))
CONTENT = "content of "
POINTED = f"{CONTENT}File[/etc/app.acl]"
Place = tuple[str, str]
"""A resource and a parameter of it, or nothing for the resource itself."""


class Pair(NamedTuple):
    """Two states that compile, with what real Puppet says of them and what we say."""

    position: int
    sides: tuple[Side, Side]
    real: tuple[Mapping[Place, Any], Mapping[Place, Any]]
    edits: Edits
    named: Mapping[Place, set[int]]
    """For each place that differs, the edits that are named as causes there."""


def request_of(side: Side) -> dict[str, Any]:
    """What real Puppet is asked."""
    files = {name.removeprefix(f"{ROOT}/"): text for name, text in side.files.items()}
    return {"manifest": files.pop("manifests/site.pp"), "files": files, "node": NODE, "facts": dict(side.inputs.facts)}


def values_of(answer: dict[str, Any], side: Side) -> dict[Place, Any] | None:
    """What a catalog says at each place, and what the file has that it points at; nothing without a catalog."""
    if not answer["ok"]:
        return None
    values: dict[Place, Any] = {}
    for each in answer["catalog"]["resources"]:
        reference = f"{each['type']}[{each['title']}]"
        values[reference, ""] = each["title"]
        values |= {(reference, name): value for name, value in (each.get("parameters") or {}).items()}
    if ("File[/etc/app.acl]", "source") in values:
        values[POINTED, ""] = side.files.get(f"{ROOT}/modules/app/files/acl")
    return values


def differing(before: Mapping[Place, Any], after: Mapping[Place, Any]) -> set[Place]:
    """Resources that came or went, and what is not the same of others."""
    places = {place for place in before.keys() | after.keys() if before.get(place) != after.get(place)}
    alone = {reference for reference, name in places if not name and not reference.startswith(CONTENT)}
    return {(reference, name) for reference, name in places if not name or reference not in alone}


def places_of(comparison: Comparison, edits: Edits, real: tuple[Mapping[Place, Any], ...]) -> dict[Place, set[int]]:
    """The places of our differences, with the numbers of the edits that are named there."""
    numbers = {edit: number for number, edit in enumerate(edits.all)}
    expected = differing(*real)
    references = {reference for values in real for reference, name in values if not name}
    named: dict[Place, set[int]] = {}
    for difference in comparison.differences:
        if difference.change == "order":
            continue
        assert difference.edits and difference.proved, difference
        path = difference.path
        reference = next(name for name in references if path == name or path.startswith(f"{name}."))
        rest = path[len(reference) + 1 :].partition("[")[0].partition(".")[0]
        place = (reference, "" if (reference, "") in expected else rest)
        named.setdefault(place, set()).update(numbers[edit] for edit in difference.edits)
    return named


def compared() -> list[Pair]:
    """All pairs that compile on both sides: here and there alike."""
    both = [edited(Random(seed), 1 + seed % 4)[:2] for seed in fresh(range(50_000, 50_000 + COUNT))]
    answers = ask([request_of(side) for sides in both for side in sides], together=True)
    pairs = []
    for index, sides in enumerate(both):
        real = [values_of(answers[2 * index + which], side) for which, side in enumerate(sides)]
        outcomes = [compiled_control(*side) for side in sides]
        assert [outcome is None for outcome in outcomes] == [values is None for values in real], index
        if outcomes[0] is None or outcomes[1] is None or real[0] is None or real[1] is None:
            continue
        comparison = compare(outcomes[0], outcomes[1], again(compiled_control, sides))
        edits = Edits(outcomes[0], outcomes[1], [history_of(outcomes[0], outcomes[1])])
        named = places_of(comparison, edits, (real[0], real[1]))
        assert named.keys() == differing(real[0], real[1]), (index, named.keys() ^ differing(real[0], real[1]))
        pairs.append(Pair(index, sides, (real[0], real[1]), edits, named))
    return pairs


def tried(wanted: list[tuple[Pair, int, frozenset[int]]]) -> list[Mapping[Place, Any] | None]:
    """What real Puppet's catalogs say of a side that is what the other is as far as some edits go."""
    sides = []
    for pair, side, numbers in wanted:
        changes = pair.edits.changes(side, numbers)
        assert changes is not None
        sides.append(edited_side(pair.sides[side], changes))
    answers = ask(map(request_of, sides), together=True)
    return [values_of(answer, side) for answer, side in zip(answers, sides, strict=True)]


def test_no_difference_is_missed_and_no_cause_is_wrong() -> None:
    """Nor is a difference told that real Puppet does not have, nor a cause left out."""
    pairs = compared()
    alone = [(pair, 1, frozenset((number,))) for pair in pairs for number in range(len(pair.edits.all))]
    missed, doubtful, right = [], [], 0
    for (pair, _, numbers), values in zip(alone, tried(alone), strict=True):
        for place, named in pair.named.items():
            changes = None if values is None else values.get(place) != pair.real[1].get(place)
            if changes and not numbers <= named:
                missed.append((pair.position, place, [pair.edits.all[number] for number in numbers]))
            elif changes is False and numbers <= named:
                doubtful.append((pair, place, numbers))
            right += changes is True
    made = tried([(pair, 0, numbers) for pair, _, numbers in doubtful])
    together = tried([(pair, 1, frozenset(pair.named[place])) for pair, place, _ in doubtful])
    wrong = [
        (pair.position, place, [pair.edits.all[number] for number in numbers])
        for (pair, place, numbers), first, without in zip(doubtful, made, together, strict=True)
        if (first is None or first.get(place) == pair.real[0].get(place))
        and not (len(pair.named[place]) > 1 and (without is None or without.get(place) != pair.real[1].get(place)))
    ]
    told = sum(len(pair.named) for pair in pairs)
    print(f"{len(pairs)} pairs, {told} places that differ, {len(alone)} edits tried, {right} causes seen")
    assert (missed, wrong) == ([], [])
    assert len(pairs) > COUNT // 2 and told > COUNT and right > COUNT
