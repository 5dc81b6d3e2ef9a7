"""Verifying traces: a node whose trace holds gives the catalog that compiling it again gives, whatever was edited."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.fleets import FILES, build, edited, facts_files, facts_of, invocation_for, write
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.recording import ReadSet
from wherefrom.fleet.traces import DigestedSnapshot, Trace, words_of
from wherefrom.language import Inputs
from wherefrom.session import Session

KEY = b"a key"


def compiled(root: Path, node: str, session: Session) -> tuple[Any, ReadSet]:
    """The catalog of a node, or what is wrong; and what was read for it."""
    from wherefrom.cli.facts import read_facts

    reads = ReadSet()
    facts = read_facts(str(root / "facts"), node)
    try:
        document = session.compile(str(root), node=node, facts=facts, reads=reads).document()
        return {name: value for name, value in document.items() if name != "version"}, reads
    except ManyErrors as problems:
        return [problem.message for problem in problems.diagnostics], reads
    except Diagnostic as problem:
        return problem.message, reads


def side_of(root: Path) -> DigestedSnapshot:
    """The state of the files below a directory."""
    answers = Session().answers(str(root), Inputs(None, {}, {}))
    return DigestedSnapshot(answers, lambda node: (root / "facts" / f"{node}.yaml").read_bytes(), KEY)


def traced(root: Path, nodes: list[str]) -> dict[str, tuple[Any, Trace]]:
    """The catalogs of nodes with their traces, in one session."""
    session, side = Session(), side_of(root)
    results: dict[str, tuple[Any, Trace]] = {}
    for node in nodes:
        document, reads = compiled(root, node, session)
        results[node] = document, (side.given(node), *side.trace({**reads.own, **reads.shared}))
    return results


def neutral(document: Any, root: Path) -> str:
    """A catalog without the name of the directory it came from."""
    return repr(document).replace(str(root), "ROOT")


def check_pairs(folder: Path, count: int, nodes: int, seed: int) -> tuple[int, int]:
    """Compare reuse with compiling for `count` pairs of an edit and a node; pairs, and how many were reused."""
    chance = random.Random(seed)
    pairs = reused = 0
    root = folder / "environment"
    first = {**FILES, **facts_files(nodes)}
    names = [facts_of(number)[0] for number in range(nodes)]
    files = first
    while pairs < count:
        if chance.random() < 0.3:
            files = first
        shutil.rmtree(root, ignore_errors=True)
        write(root, files)
        before = traced(root, names)
        files, words = edited(files, chance)
        shutil.rmtree(root)
        write(root, files)
        now, session = side_of(root), Session()
        for node in names:
            document, trace = before[node]
            pairs += 1
            if not now.changed(node, trace):
                reused += 1
                fresh, _ = compiled(root, node, session)
                assert neutral(fresh, root) == neutral(document, root), f"{words}: {node} differs, and was reused"
    return pairs, reused


def test_reuse_is_sound(tmp_path: Path) -> None:
    """Whatever is edited: a node whose trace holds would be compiled to the same catalog, or fail in the same words."""
    pairs, reused = check_pairs(tmp_path, 60, 4, seed=1)
    assert pairs >= 60
    assert reused > 10  # and it is of use


@pytest.mark.soak
def test_reuse_is_sound_for_long(tmp_path: Path) -> None:
    """The same for twenty thousand pairs."""
    pairs = sum(check_pairs(tmp_path, 200, 8, seed)[0] for seed in range(100))
    assert pairs >= 20_000


@pytest.mark.parametrize(
    ("name", "text", "again"),
    [
        ("data/role/web.yaml", "profile::web::port: 9090\n", {"web"}),
        ("data/role/web.yaml", "# a comment\nprofile::web::port: 8080\n", set()),
        ("data/role/web.yaml", "profile::web::port: 8080\nother: 1\n", set()),
        ("data/nodes/web00.north.yaml", "other: 1\n", {"web00.north"}),
        ("site/profile/manifests/db.pp", "class profile::db(Integer $size) { }\n", {"db"}),
        ("site/profile/templates/db.erb", "<%= @size %>\n", {"db"}),
        ("site/profile/files/index.html", "bye\n", {"web"}),
        ("site/profile/functions/number.pp", "function profile::number($n) { 7 }\n", {"web", "db"}),
        ("site/profile/manifests/extra.pp", "class profile::extra { }\n", {"db"}),
        ("modules/profile/manifests/web.pp", "class profile::web { }\n", {"web", "db"}),
        ("README", "nothing\n", set()),
    ],
)
def test_only_what_was_read_counts(tmp_path: Path, name: str, text: str, again: set[str]) -> None:
    """An edit touches the nodes that read what was edited: a key, a class, a template, that something was not there."""
    nodes = build(tmp_path, 4)
    before = traced(tmp_path, nodes)
    write(tmp_path, {name: text})
    now = side_of(tmp_path)
    changed = {node for node in nodes if now.changed(node, before[node][1])}
    assert changed == {node for node in nodes if any(node.startswith(prefix) for prefix in again)}


def test_a_directory_that_becomes_a_link_counts(tmp_path: Path) -> None:
    """Manifests behind a link to a directory are not read, whatever lies there; behind one to a file they are."""
    nodes = build(tmp_path, 2)
    write(tmp_path, {"manifests/more/one.pp": "notify { 'one': }\n"})
    before = traced(tmp_path, nodes)
    (tmp_path / "manifests/more").rename(tmp_path / "elsewhere")
    (tmp_path / "manifests/more").symlink_to("../elsewhere")
    now = side_of(tmp_path)
    assert all([words_of(question) for question in now.changed(node, before[node][1])] for node in nodes)
    after = traced(tmp_path, nodes)
    for node in nodes:
        assert "one" in neutral(before[node][0], tmp_path) and "'one'" not in neutral(after[node][0], tmp_path)
        words = [words_of(question) for question in now.changed(node, before[node][1])]
        assert "whether manifests/more is a link" in words


@pytest.mark.parametrize(
    ("name", "text", "mended", "other"),
    [
        ("manifests/site.pp", "node default { }\nnode default { }\n", "node default { }\n", "data/common.yaml"),
        ("manifests/more.pp", "node default { }\n", None, "site/profile/manifests/web.pp"),
        ("manifests/site.pp", "class {\n", "", "data/common.yaml"),
        ("environment.conf", "modulepath = a\nmodulepath\n[x\n", "", "README"),
    ],
)
def test_what_does_not_open_hangs_on_what_was_read(
    tmp_path: Path, name: str, text: str, mended: str | None, other: str
) -> None:
    """Nodes of an environment that can not be opened fail by what was read until then: when it is mended they are not
    taken for the same; and by nothing else.
    """
    nodes = build(tmp_path, 2)
    write(tmp_path, {name: text})
    before = traced(tmp_path, nodes)
    assert all(len(trace) > 1 for _, trace in before.values())
    write(tmp_path, {other: "# nothing that is read\n"})
    failed = [node for node, (document, _) in before.items() if isinstance(document, str)]
    assert not any(side_of(tmp_path).changed(node, before[node][1]) for node in failed)
    if mended is None:
        (tmp_path / name).unlink()
    else:
        write(tmp_path, {name: mended})
    now = side_of(tmp_path)
    assert all(now.changed(node, before[node][1]) for node in nodes)


@pytest.mark.parametrize(
    ("reader", "before", "after"),
    [
        ("yaml_data", "profile::web::port: [1\n", "profile::web::port: [1,\n2\n"),
        ("yaml_data", "profile::web::port: *here\n", "profile::web::port: *there\n"),
        ("json_data", "profile::web::port: 1\n", "profile::web::port: 2\n"),
        ("hocon_data", "profile::web::port = {\n", "profile::web::port = {{\n"),
    ],
)
def test_who_fails_on_a_file_hangs_on_all_of_it(tmp_path: Path, reader: str, before: str, after: str) -> None:
    """A file that cannot be read as data has no keys to depend on: the error tells of its content."""
    nodes = build(tmp_path, 4)
    role = "{name: role, path: 'role/%{facts.role}.yaml'"
    write(
        tmp_path,
        {
            "hiera.yaml": FILES["hiera.yaml"].replace(role, f"{role}, data_hash: {reader}"),
            "data/role/web.yaml": before,
            "data/role/db.yaml": "{}\n",
        },
    )
    results = traced(tmp_path, nodes)
    assert {node for node in nodes if isinstance(results[node][0], str | list)} == {"web00.north", "web02.south"}
    side = side_of(tmp_path)
    assert not any(side.changed(node, results[node][1]) for node in nodes)
    write(tmp_path, {"data/role/web.yaml": after})
    side = side_of(tmp_path)
    assert {node for node in nodes if side.changed(node, results[node][1])} == {"web00.north", "web02.south"}


def test_a_file_that_two_levels_read_in_different_ways(tmp_path: Path) -> None:
    """What one reader can make nothing of is still good for the other: the node is kept while it is the same."""
    nodes = build(tmp_path, 2)
    common = "  - {name: common, path: common.yaml}\n"
    again = "  - {name: again, path: common.yaml, data_hash: json_data}\n"
    write(tmp_path, {"hiera.yaml": FILES["hiera.yaml"].replace(common, common + again)})
    results = traced(tmp_path, nodes)
    assert all(isinstance(document, dict) for document, _ in results.values())
    side = side_of(tmp_path)
    assert not any(side.changed(node, trace) for node, (_, trace) in results.items())


@pytest.mark.parametrize("now", ["strftime('%Y')", "Timestamp()", "Timestamp.new"])
def test_facts_and_clock_count(tmp_path: Path, now: str) -> None:
    """Other facts are another node; what asks for the time is never reused."""
    nodes = build(tmp_path, 2)
    before = traced(tmp_path, nodes)
    write(tmp_path, {f"facts/{nodes[0]}.yaml": facts_of(0)[1] + "more: 1\n"})
    side = side_of(tmp_path)
    assert [bool(side.changed(node, before[node][1])) for node in nodes] == [True, False]
    write(tmp_path, {"site/profile/manifests/db.pp": f"class profile::db($size) {{ notice({now}) }}\n"})
    again = traced(tmp_path, nodes)
    assert [words_of(question) for question in side_of(tmp_path).changed(nodes[1], again[nodes[1]][1])] == [
        "the clock or another process"
    ]


def test_two_directories_can_be_asked_the_same(tmp_path: Path) -> None:
    """A trace speaks of places in the environment, wherever that lies."""
    nodes = build(tmp_path / "a", 2)
    build(tmp_path / "b", 2)
    before = traced(tmp_path / "a", nodes)
    assert all(not side_of(tmp_path / "b").changed(node, before[node][1]) for node in nodes)


def test_a_node_is_given_the_facts_of_its_digest(tmp_path: Path) -> None:
    """What was read for the digest is what the node is compiled with, once; who reads later reads anew."""
    nodes = build(tmp_path, 2)
    invocation = invocation_for(tmp_path)
    path = str(tmp_path)
    file = tmp_path / f"facts/{nodes[0]}.yaml"

    def given() -> Any:
        return invocation.inputs(path, nodes[0])[2].facts.get("role")

    for read, after in (("web", "db"), ("db", "web")):
        before = invocation.side(path, KEY).given(nodes[0])
        assert before == invocation.side(path, KEY).given(nodes[0])
        file.write_text(file.read_text().replace(f"role: {read}", f"role: {after}"))
        assert [given(), given()] == [read, after]
        assert invocation.side(path, KEY).given(nodes[0]) != before
        invocation.side(path, KEY).given(nodes[1])
        assert given() == after  # what was read last is of another node
