"""Rows of compiled nodes: what is numbered from its content, what nodes share, and inputs that become one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.moulds import compiled, invocation_for
from support.puppet_dependency_programs import SITE, World
from wherefrom.base.secrets import REDACTED
from wherefrom.base.witness import Reads
from wherefrom.fleet.compiling import Worker
from wherefrom.fleet.rows import Form, Rows
from wherefrom.language import Selected
from wherefrom.provenance.operations import Infix
from wherefrom.provenance.origins import Leaf, Step
from wherefrom.puppet.output.mould import Cast

FILES = {
    "hiera.yaml": (
        "version: 5\nhierarchy:\n  - {name: site, path: 'site/%{facts.site}.yaml'}\n  - {name: all, path: all.yaml}\n"
    ),
    "data/all.yaml": "".join(f"base::p{number}: '{number}'\n" for number in range(12)),
    "manifests/site.pp": "include base\n",
    "modules/base/manifests/init.pp": (
        f"class base({', '.join(f'$p{number}' for number in range(12))}) {{\n"
        + "".join(
            f"  if $p{number} != '' {{ file {{ '/f{number}': content => \"${{p{(number + 1) % 12}}}\" }} }}\n"
            for number in range(12)
        )
        + "}\n"
    ),
}


def build(root: Path, sites: int) -> None:
    """An environment with a node at each of some sites."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for folder in ("facts", "data/site"):
        (root / folder).mkdir()
    for site in range(sites):
        (root / f"data/site/s{site}.yaml").write_text(f"base::p3: at s{site}\n")
        (root / f"facts/n{site}.json").write_text(f'{{"site": "s{site}"}}')


def results(root: Path, nodes: list[str]) -> list[dict[str, Any]]:
    """The rows of nodes, each compiled, from one process."""
    invocation = invocation_for(root)

    def run(node: str, reads: Reads) -> Any:
        return invocation.run(str(root), node, trace=True, reads=reads)

    with invocation.standing_still(str(root)):
        worker = Worker(run, invocation.side(str(root), b"key"))
        return [worker.result(node) for node in nodes]


def size(result: dict[str, Any], table: str) -> int:
    """The rows of sets that a node sends."""
    return sum(len(members) for _, members in result[table])


def test_nodes_send_what_is_their_own(tmp_path: Path) -> None:
    """Every value hangs on the site's file, so each node has its own sets; but what they are made of is known."""
    build(tmp_path, 6)
    first, *_, last = results(tmp_path, [f"n{number}" for number in range(6)])
    assert first["ok"] and last["ok"]
    assert len(last["sets"]) >= 24 and size(last, "sets") <= 2 * len(last["sets"])
    assert size(last, "portions") * 2 < size(first, "portions")
    assert size(last, "bundles") * 3 < size(first, "bundles")


def test_numbers_do_not_hang_on_who_came_before(tmp_path: Path) -> None:
    """A process that compiled other nodes gives the same numbers to the sets of a node."""
    build(tmp_path, 3)
    alone = results(tmp_path, ["n1"])[0]
    after = results(tmp_path, ["n0", "n2", "n1"])[2]
    assert alone["attributes"] == after["attributes"]
    assert size(after, "bundles") < size(alone, "bundles")


class Pair:
    """An outcome with one output that depends on two inputs."""

    def __init__(self) -> None:
        leaves = [Leaf("hiera", "k", None, name, file=name) for name in ("a.yaml", "b.yaml")]
        self.selected = Selected("x", 1, Step(Infix("+"), tuple(leaves)))

    def document(self) -> Any:
        return {}

    def secrets(self) -> Any:
        return ()

    def key_answers(self) -> Any:
        return ()

    def consulted(self) -> Any:
        return ()

    def outputs(self) -> Any:
        yield self.selected


def test_two_inputs_that_become_one() -> None:
    """Such a node is compiled: a set with one input less has another number."""

    form = Form(Pair())  # type: ignore[arg-type]
    Rows().of(form)
    one, two = (thing for thing in form.things if isinstance(thing, Leaf))

    def cast(**inputs: Leaf) -> Any:
        made = Cast(lambda leaf: None)
        made.inputs = {(one if name == "one" else two).key: leaf for name, leaf in inputs.items()}
        return made

    other = Leaf("hiera", "k", None, "c", file="c.yaml")
    assert form.cast(cast(one=other)) is not None
    assert form.cast(cast(one=two)) is None
    assert form.cast(cast(one=other, two=other)) is None
    assert form.cast(cast(one=two, two=one)) is not None


@pytest.mark.parametrize("secret", ("'true'", "'null'", "'1234'", "1234", "'message'", "'[]{}'", "'site.pp'"))
def test_secrets_that_look_like_json(secret: str) -> None:
    """Whatever a secret looks like, rows without it are rows: truths and places in them stay, values in them do not."""
    more = "\n" * 1233 + "notify { 'z': message => 1234, noop => true }\n"
    program = f"notify {{ 'x': message => Sensitive({secret}) }}\nnotify {{ 'y': message => {secret} }}\n{more}"
    outcome = compiled(World({SITE: program}, {}, "n1", {}, {}))
    assert outcome is not None
    form = Form(outcome)
    values = {(row[1], row[2]): json.loads(row[3]) for row in form.attributes}
    assert values["z", "noop"] is True
    assert secret == "'message'" or values["y", "message"] == REDACTED
    assert [row[3] for row in form.resources if row[1] == "z"] == [1236]
    assert "1234" not in secret or values["z", "message"] == REDACTED


def test_columns_that_are_the_same_are_the_very_same() -> None:
    """What nodes made from one form have in common is held once; what is other is not theirs."""
    form = Form(Pair())  # type: ignore[arg-type]
    before = form.columns("attributes")
    assert before == [[""], ["x"], [""], ["1"], [0]] and form.columns("attributes") is before
    made = Cast(lambda leaf: None)
    made.values = {0: 2}
    other = form.cast(made)
    assert other is not None
    columns = other.columns("attributes")
    assert columns[3] == ["2"] and [theirs is ours for theirs, ours in zip(columns, before)] == [True] * 3 + [
        False,
        True,
    ]
    assert before[3] == ["1"]
    assert form.columns("resources") == form.columns("edges") == []


def test_a_node_without_answers() -> None:
    """It has no columns of them, not too few."""
    rows = Rows().of(Form(Pair()))  # type: ignore[arg-type]
    assert rows["lookups"] == [] and len(rows["attributes"]) == 5
