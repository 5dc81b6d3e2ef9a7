"""Every difference has causes, each of them is one, and none is missed: random edits, tried one by one.

Worlds and changes are those of the promise of dependency (`support.puppet_dependency_programs`): manifests, a module,
a template, data of many levels, `hiera.yaml`, facts, the node and its classifier, in which everything hangs together.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from support.control_edits import compiled_control, edited
from support.diff_causes import Side, again, judge
from support.examples import fresh
from support.puppet_dependency_changes import changes
from support.puppet_dependency_programs import ROOT, World, make
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.base.recording import RecordingHost
from wherefrom.causes import Experience
from wherefrom.comparison import Comparison, compare
from wherefrom.language import Inputs, Outcome
from wherefrom.provenance.extract import depends
from wherefrom.provenance.origins import Leaf
from wherefrom.puppet.front import LANGUAGE


def side_of(world: World) -> Side:
    options = {"classes": world.classes, "parameters": world.parameters}
    return Side(world.files, Inputs(world.node, world.facts, options))


def compiled(files: dict[str, str], inputs: Inputs) -> Outcome | None:
    settings = {"strict": "off", "storeconfigs": True}
    try:
        given = Inputs(inputs.node, inputs.facts, {**inputs.options, "settings": settings})
        return LANGUAGE.run(ROOT, RecordingHost(PureHost(files)), given)  # a session's runs are witnessed, too
    except WherefromError:
        return None


def leaves_of(outcome: Outcome) -> list[tuple[Leaf, int]]:
    """The inputs that outputs depend on, each with the number of outputs."""
    leaves: dict[object, Leaf] = {}
    counts: Counter[object] = Counter()
    for output in outcome.outputs():
        for leaf in depends(output.origin):
            leaves[leaf.key] = leaf
            counts[leaf.key] += 1
    return [(leaves[key], count) for key, count in counts.items()]


def check(seeds: Iterable[int]) -> tuple[Counter[str], list[str]]:
    """Edit worlds in one to four places, and try the causes of what differs."""
    counts: Counter[str] = Counter()
    complaints: list[str] = []
    for seed in seeds:
        random = Random(seed)
        before = after = make(random)
        outcome = compiled(*side_of(before))
        if outcome is None:
            continue
        used = leaves_of(outcome)
        for _ in range(random.choice((1, 2, 2, 3, 4, 6))):
            for change in changes(random, after, 1, used):
                after = change.world
        judged = judge(compiled, (side_of(before), side_of(after)))
        if judged is not None:
            counts += judged.counts
            complaints += [f"{seed}: {words}" for words in judged.complaints]
    return counts, complaints


def check_repository(seeds: Iterable[int]) -> tuple[Counter[str], list[str]]:
    """Edit a control repository in one to five places, and try the causes of what differs."""
    counts: Counter[str] = Counter()
    complaints: list[str] = []
    for seed in seeds:
        random = Random(seed)
        before, after, names = edited(random, random.choice((1, 1, 2, 3, 4, 5)))
        judged = judge(compiled_control, (before, after))
        if judged is not None:
            counts += judged.counts
            complaints += [f"{seed} {names}: {words}" for words in judged.complaints]
        else:
            counts["does not compile"] += 1
    return counts, complaints


def test_what_comparisons_share() -> None:
    """When no compilations are left, an equal difference has the causes it had; any other is not proved."""
    before, after, _ = edited(Random(3), 5)
    outcomes = [compiled_control(*side) for side in (before, after)]
    assert outcomes[0] is not None and outcomes[1] is not None
    once_more = again(compiled_control, (before, after))
    experience = Experience()
    first = compare(outcomes[0], outcomes[1], once_more, experience)
    tried = Experience().left - experience.left
    assert tried > 1 and all(difference.proved for difference in first.differences)
    experience.left = 0
    assert compare(outcomes[0], outcomes[1], once_more, experience) == first
    unknown = compare(outcomes[0], outcomes[1], once_more, Experience(0))
    assert not all(difference.proved for difference in unknown.differences)


@pytest.mark.long
def test_nodes_that_share_have_the_causes_that_each_has_alone() -> None:
    """Of nodes with other facts; and what they share saves compilations."""
    others: tuple[dict[str, Any], ...] = ({}, {"role": "db", "memory": 512}, {"virtual": False, "memory": 8192})
    differences = saved = 0
    for seed in fresh(range(91_000, 91_040)):
        sides = edited(Random(seed), 2 + seed % 4)[:2]
        shared = Experience()
        for changed in others:
            inputs = [Inputs(side.inputs.node, {**side.inputs.facts, **changed}) for side in sides]
            both = Side(sides[0].files, inputs[0]), Side(sides[1].files, inputs[1])
            old, new = (compiled_control(*side) for side in both)
            if old is None or new is None:
                continue
            alone, before = Experience(), shared.left
            told = compare(old, new, again(compiled_control, both), alone)
            assert compare(old, new, again(compiled_control, both), shared) == told, (seed, changed)
            differences += len(told.differences)
            saved += (Experience().left - alone.left) - (before - shared.left)
    assert differences > 300 and saved > 20


def test_a_file_that_is_looked_for_in_every_module_is_a_cause() -> None:
    """A resource type that appears in any module hides a define; another edit of the line beside it is no cause."""
    site = "define d1 { notify { $title: } }\nd1 { 'a': }\n$facts.each |$k, $x| { notify { \"%s${k}\": } }\n"
    files = {f"{ROOT}/manifests/site.pp": site % "m-", f"{ROOT}/modules/x/metadata.json": "{}"}
    kind = f"{ROOT}/modules/any/lib/puppet/type/d1.rb"
    edited_files = {f"{ROOT}/manifests/site.pp": site % "n-", kind: "Puppet::Type.newtype(:d1) { newparam(:name) }\n"}
    sides = Side(files, Inputs("web1", {"f": 1})), Side({**files, **edited_files}, Inputs("web1", {"f": 1}))
    judged = judge(compiled, sides)
    assert judged is not None and judged.complaints == []
    outcomes = [compiled(*side) for side in sides]
    assert outcomes[0] is not None and outcomes[1] is not None
    differences = compare(outcomes[0], outcomes[1], again(compiled, sides)).differences
    named = {each.path: [edit.after_place for edit in each.edits] for each in differences}
    assert named["Notify[a]"] == [f"{kind}:1"] and named["Notify[m-f]"] == [f"{ROOT}/manifests/site.pp:3"]


def test_a_main_manifest_that_goes_away_is_no_file_of_a_module() -> None:
    """The environment begins with a class of a module then, which the classifier names on one side alone."""
    module = {f"{ROOT}/modules/m/manifests/init.pp": "class m {\n  notify { 'm': }\n}\n"}
    before = compiled({f"{ROOT}/manifests/site.pp": "notify { 'a': }\n", **module}, Inputs("web01", {}))
    after = compiled(module, Inputs("web01", {}, {"classes": ["m"]}))
    assert before is not None and after is not None
    edits = [edit for difference in compare(before, after).differences for edit in difference.edits]
    places = {(edit.before_place.partition(":")[0], edit.after_place.partition(":")[0]) for edit in edits}
    assert (f"{ROOT}/manifests/site.pp", "") in places
    assert (f"{ROOT}/manifests/site.pp", f"{ROOT}/modules/m/manifests/init.pp") not in places


def test_comparisons_read_back_and_name_places_that_are() -> None:
    """JSON has all of a comparison; an edit has the lines that stand at its places, and no place where no file is."""
    lines = 0
    for seed in range(25):
        sides = edited(Random(seed), 3)[:2]
        outcomes = [compiled_control(*side) for side in sides]
        if outcomes[0] is None or outcomes[1] is None:
            continue
        comparison = compare(outcomes[0], outcomes[1], again(compiled_control, sides))
        assert Comparison.from_json(json.loads(json.dumps(comparison.to_json()))) == comparison
        for edit in {edit for difference in comparison.differences for edit in difference.edits}:
            for side, shown, place in zip(sides, (edit.before, edit.after), (edit.before_place, edit.after_place)):
                file, _, line = place.rpartition(":")
                if file in side.files and shown:
                    text = side.files[file].split("\n")[int(line) - 1 :]
                    assert [each.strip() for each in text[: len(shown)]] == [each.strip() for each in shown], edit
                    lines += len(shown)
                elif not place:
                    others = sides[1 - sides.index(side)].files
                    assert (edit.after_place or edit.before_place).rpartition(":")[0] in others.keys() - side.files
    assert lines > 40


@pytest.mark.long
def test_causes_of_edits_to_a_repository() -> None:
    counts, complaints = check_repository(range(50))
    assert complaints == []
    assert counts["differences"] > 100 and counts["2 causes"] > 2


@pytest.mark.soak
def test_causes_of_many_edits_to_a_repository() -> None:
    counts, complaints = check_repository(fresh(range(1_000, 4_000)))
    print(dict(counts))
    assert complaints == []


def test_causes_of_random_edits() -> None:
    counts, complaints = check(range(90))
    assert complaints == []
    assert counts["differences"] > 100 and counts["2 causes"] > 10


@pytest.mark.soak
def test_many_causes_of_random_edits() -> None:
    counts, complaints = check(fresh(range(10_000, 16_000)))
    print(dict(counts))
    assert complaints == []


def test_an_element_in_the_place_of_another_has_the_causes_of_both() -> None:
    """Without the edit that took the old one away it is back, though behind the new one."""
    files = {f"{ROOT}/manifests/site.pp": "notify { 'n': message => $facts['first'] + $facts['last'] }\n"}
    facts: list[dict[str, Any]] = [{"first": [], "last": ["old"]}, {"first": ["new"], "last": []}]
    before, after = (Side(files, Inputs("n", values, {})) for values in facts)
    outcomes = compiled(*before), compiled(*after)
    assert outcomes[0] is not None and outcomes[1] is not None
    (difference,) = compare(outcomes[0], outcomes[1], again(compiled, (before, after))).differences
    assert (difference.before, difference.after, difference.proved) == ("old", "new", True)
    assert {edit.after_place or edit.before_place for edit in difference.edits} == {"fact first", "fact last"}


def named(before: dict[str, str], after: dict[str, str]) -> dict[str, list[str]]:
    """The places that are named as causes, by output; every one of them is judged."""
    sides = tuple(
        Side({f"{ROOT}/{name}": text for name, text in each.items()}, Inputs("n", {})) for each in (before, after)
    )
    both = sides[0], sides[1]
    judged = judge(compiled, both)
    assert judged is not None and judged.complaints == []
    outcomes = compiled(*sides[0]), compiled(*sides[1])
    assert outcomes[0] is not None and outcomes[1] is not None
    differences = compare(outcomes[0], outcomes[1], again(compiled, both)).differences
    assert all(difference.proved for difference in differences)
    return {
        each.path: [(edit.after_place or edit.before_place).removeprefix(f"{ROOT}/") for edit in each.edits]
        for each in differences
    }


def test_a_value_in_whose_place_its_elements_are_has_their_causes() -> None:
    """`{}` goes because there are elements now, not because the line went where it was written."""
    files = {"manifests/site.pp": "notify { 'a': message => lookup('h', Any, undef, 'c') }\n", "hiera.yaml": LEVELS}
    sides = ({**files, "data/common.yaml": text} for text in ("h: {}\nz: 1\n", "z: 1\nh: {t: 1}\n"))
    causes = named(*sides)
    assert causes == {path: ["data/common.yaml:2"] for path in ("Notify[a].message", "Notify[a].message.t")}


LEVELS = "version: 5\nhierarchy: [{name: common, path: common.yaml, data_hash: yaml_data}]\n"


def test_a_new_class_is_a_cause_beside_its_new_include() -> None:
    """Nothing compiles without the class, so it is no cause by itself; but what it declares stands in it."""
    site, module = "manifests/site.pp", "modules/x/manifests/init.pp"
    new = {site: "notify { 'a': }\ninclude x\n", module: "class x { notify { 'nx': } }\n"}
    assert named({site: "notify { 'a': }\n"}, new)["Notify[nx]"] == [f"{site}:2", f"{module}:1"]


def test_a_new_class_with_two_includes_has_three_causes() -> None:
    """Each include would do, and neither without the class."""
    site, new, other = ("manifests/site.pp", "modules/x/manifests/init.pp", "modules/y/manifests/init.pp")
    before = {site: "include y\n", other: "class y { }\n"}
    after = {site: "include y\ninclude x\n", other: "class y { include x }\n", new: "class x { notify { 'nx': } }\n"}
    assert sorted(named(before, after)["Notify[nx]"]) == [f"{site}:2", f"{new}:1", f"{other}:1"]
