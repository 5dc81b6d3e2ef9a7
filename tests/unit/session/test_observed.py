"""Runs that are observed, and texts that are not saved: what an editor builds on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import wherefrom
from wherefrom.base.diagnostics import UsageError
from wherefrom.base.host import RealHost
from wherefrom.base.recording import RecordingHost
from wherefrom.provenance.observed import decided

CONTROL = Path(__file__).resolve().parents[3] / "examples" / "control"
NODES = ("db01.example.org", "web01.example.org", "web02.example.org")


def facts_of(node: str) -> Any:
    """What is known of a node."""
    return yaml.safe_load((CONTROL / "facts" / f"{node}.yaml").read_text())


def seen(outcome: wherefrom.Outcome, file: str, text: str) -> list[list[Any]]:
    """The values of each expression that is written so."""
    return [
        [each_value.value for each_value in expression.seen]
        for expression in outcome.observed(file)
        if expression.span.text == text
    ]


@pytest.mark.parametrize("node", NODES)
def test_observing_changes_nothing(node: str) -> None:
    """The catalog and its histories are those of a run that nobody observes."""
    session = wherefrom.Session()
    plain = session.compile(str(CONTROL), node=node, facts=facts_of(node))
    observed = session.compile(str(CONTROL), node=node, facts=facts_of(node), observe=True)
    catalogs = [{**outcome.document(), "version": 0} for outcome in (plain, observed)]  # which is the time of day
    assert catalogs[0] == catalogs[1]
    assert not any(plain.observed(name) for name in plain.sources)
    for row in plain.outputs():
        assert plain.explain(row.path).to_json() == observed.explain(row.path).to_json()


@pytest.mark.parametrize("node", NODES)
def test_what_is_seen_is_what_the_catalog_has(node: str) -> None:
    """The value of an attribute, at the expression that it was given by; and both are explained alike."""
    outcome = wherefrom.compile(str(CONTROL), node=node, facts=facts_of(node), observe=True)
    compared = 0
    values = {
        (name, expression.span.start, expression.span.end): expression
        for name in outcome.sources
        for expression in outcome.observed(name)
    }
    for resource in outcome.run.catalog.resources:  # type: ignore[attr-defined]  # of a Puppet outcome
        for name, attribute in resource.attributes.items():
            span = attribute.span
            if span is None or "=>" not in span.text or resource.virtual:
                continue
            start = span.start + span.text.index("=>") + 2
            start += len(span.file.text[start:]) - len(span.file.text[start:].lstrip())
            ends = [end for (file, begin, end) in values if file == span.file.name and begin == start]
            if not ends:
                continue
            expression = values[span.file.name, start, max(ends)]
            shown = outcome.select(f"{resource.ref}.{name}").value if attribute.value is not None else None
            matching = [item for item in expression.seen if item.value == shown]
            assert matching, (resource.ref, name, shown, expression.seen)
            where, told = outcome.explain_seen(name, matching[0]).where, outcome.explain(f"{resource.ref}.{name}").where
            assert (where and where.key) == (told and told.key), (resource.ref, name)
            compared += 1
    assert compared > 10


def test_each_value_of_a_define_and_of_a_lambda(tmp_path: Path) -> None:
    """Distinct values, counted, with whose code it was; what did not run is not there."""
    site = tmp_path / "site.pp"
    site.write_text(
        "define d($p) { $x = $p * 2  if $x > 100 { notice($x) } }\n"
        "d { 'a': p => 1 }\nd { 'b': p => 2 }\nd { 'c': p => 1 }\n[1, 2, 3].each |$i| { notice($i) }\n"
    )
    outcome = wherefrom.compile(str(site), observe=True)
    [doubled] = [item for item in outcome.observed(str(site)) if item.span.text == "$p * 2"]
    assert [(item.value, item.count, item.owner) for item in doubled.seen] == [(2, 2, "D[a]"), (4, 1, "D[b]")]
    assert doubled.count == 3
    assert seen(outcome, str(site), "$i") == [[1, 2, 3], [1, 2, 3]]  # the parameter, and its use
    assert seen(outcome, str(site), "$x") == [[2, 4], [2, 4]]  # the target and the test, not the call
    assert seen(outcome, str(site), "notice($x)") == []


def test_many_values_are_counted_and_the_first_kept(tmp_path: Path) -> None:
    """Memory is bounded, whatever a loop does."""
    site = tmp_path / "site.pp"
    site.write_text("Integer[1, 1000].each |$i| { notice($i) }\n")
    outcome = wherefrom.compile(str(site), observe=True)
    [use] = [item for item in outcome.observed(str(site)) if item.span.text == "$i" and item.span.column > 25]
    assert use.count == 1000 and [item.value for item in use.seen] == list(range(1, 65))


def test_what_is_secret_is_not_shown(tmp_path: Path) -> None:
    """A sensitive value, as everywhere."""
    site = tmp_path / "site.pp"
    site.write_text("$x = Sensitive('hunter2')\nnotify { 'a': message => $x }\n")
    outcome = wherefrom.compile(str(site), observe=True)
    assert seen(outcome, str(site), "$x") == [["(sensitive)"], ["(sensitive)"]]


def test_places_of_other_languages(tmp_path: Path) -> None:
    """The literals that outputs are copies of, with the paths as owners."""
    file = tmp_path / "a.sf"
    file.write_text("sfConfig extends { a extends { port 80; } }\n")
    outcome = wherefrom.compile(str(file))
    [port] = [item for item in outcome.observed(str(file)) if item.span.text == "80"]
    assert port.seen[0].value == 80 and port.count >= 1


def test_what_is_no_data_is_what_notice_prints(tmp_path: Path) -> None:
    """Types, patterns, and keys of hashes; a set of types can not be in a catalog, and is shown all the same."""
    (tmp_path / "manifests").mkdir()
    site = tmp_path / "manifests/site.pp"
    site.write_text("$a = [Integer[1, 2], /x/, default]\n$b = { true => 1 }\n$c = TypeSet\n$d = File['/x']\n")
    outcome = wherefrom.compile(str(tmp_path), observe=True)
    assert seen(outcome, str(site), "$a") == [[["Integer[1, 2]", "/x/", "default"]]]
    assert seen(outcome, str(site), "$b") == [[{"true": 1}]]
    [[types]] = seen(outcome, str(site), "$c")
    assert types.startswith("TypeSet[{")
    assert seen(outcome, str(site), "$d") == [["File[/x]"]]


def test_a_position_has_its_expressions_the_smallest_first(tmp_path: Path) -> None:
    """In Puppet, in a template in Ruby, in data; and where there is none."""
    files = {
        "manifests/site.pp": "class c($p) { notify { 'n': message => template('c/t.erb') } }\ninclude c\n",
        "modules/c/templates/t.erb": "a <%= @p + 1 %> b\n",
        "data/common.yaml": "---\nc::p: 4\n",
        "hiera.yaml": "version: 5\nhierarchy:\n  - name: c\n    path: common.yaml\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    outcome = wherefrom.compile(str(tmp_path), observe=True, trace=True)

    def values(file: str, line: int, column: int) -> list[tuple[str, list[Any]]]:
        return [(item.span.text, [each.value for each in item.seen]) for item in outcome.at(file, line, column)]

    assert values("manifests/site.pp", 1, 10) == [("$p", [4])]
    assert [text for text, _ in values(str(tmp_path / "manifests/site.pp"), 1, 52)][:2] == [
        "'c/t.erb'",
        "template('c/t.erb')",
    ]
    assert values("modules/c/templates/t.erb", 1, 9) == [(" @p + 1 ", ["5"])]
    assert values("data/common.yaml", 2, 7) == [("4", [4])]
    assert values("manifests/site.pp", 1, 3) == []
    with pytest.raises(UsageError, match="only 3 lines"):
        outcome.at("manifests/site.pp", 9, 1)
    with pytest.raises(UsageError, match="was not read"):
        outcome.at("manifests/none.pp", 1, 1)


def test_what_was_changed_later_is_shown_as_it_was(tmp_path: Path) -> None:
    """A template may change an array of Puppet's in place."""
    (tmp_path / "manifests").mkdir()
    site = tmp_path / "manifests/site.pp"
    site.write_text("$a = [1, [2]]\n$b = inline_template('<% @a << 3 %><% @a[1] << 4 %>')\nnotice($a)\n")
    outcome = wherefrom.compile(str(tmp_path), observe=True)
    assert [log.message for log in outcome.logs] == ["[1, [2, 4], 3]"]
    assert seen(outcome, str(site), "[1, [2]]") == [[[1, [2]]]]
    assert seen(outcome, str(site), "$a") == [[[1, [2]]], [[1, [2, 4], 3]]]


def test_expressions_of_nix(tmp_path: Path) -> None:
    """What was evaluated, at its place: names that are bound, computed values, each value of a function's body."""
    file = tmp_path / "a.nix"
    file.write_text('let f = x: x * 2; unused = 1 + 1; in { a.b = f 4; c = f 5; d = throw "no"; }\n')
    outcome = wherefrom.compile(str(file), trace=True)
    assert seen(outcome, str(file), "x * 2") == [[10, 8]] or seen(outcome, str(file), "x * 2") == [[8, 10]]
    assert seen(outcome, str(file), "a.b") == [[8]]
    assert seen(outcome, str(file), "c") == [[10]]
    assert seen(outcome, str(file), "d") == []
    [told] = outcome.at(str(file), 1, 12)[:1]
    assert told.count == 2 and outcome.explain_seen("x * 2", told.seen[0]).text().startswith("x * 2 = ")


def test_what_decided_that_something_did_not_run() -> None:
    """The test of the smallest expression around, or nothing."""
    ran = [(0, 50, ""), (3, 9, "false"), (4, 5, "1"), (60, 70, "")]
    assert decided(ran, 12, 20) == (3, 9, "false")
    assert decided(ran, 52, 55) is None
    assert decided([(0, 50, "")], 12, 20) is None


# --- texts that are not saved ---


def test_texts_in_place_of_files(tmp_path: Path) -> None:
    """Read as if they lay there, by what was kept of earlier runs too; and taken back."""
    control = tmp_path / "control"
    shutil.copytree(CONTROL, control)
    session = wherefrom.Session()
    node = NODES[1]
    base = str(control / "site/profile/manifests/base.pp")
    data = str(control / "data/os/Debian.yaml")

    def modes() -> list[Any]:
        outcome = session.compile(str(control), node=node, facts=facts_of(node))
        return [row.value for row in outcome.outputs() if row.path.endswith(("motd].mode", "motd2].mode"))]

    saved = modes()
    assert saved == ["0640"]
    session.overlay({data: Path(data).read_text().replace("0640", "0604")})
    assert modes() == ["0604"]
    session.overlay({base: Path(base).read_text().replace("mode    => $motd_mode", "mode    => '0111'")})
    assert modes() == ["0111"]
    session.overlay({})
    assert modes() == saved


def test_texts_in_place_of_files_that_go_by_two_names(tmp_path: Path) -> None:
    """A folder that an editor shows through a symbolic link, and a module that is linked into the environment."""
    (tmp_path / "real/manifests").mkdir(parents=True)
    (tmp_path / "real/modules").mkdir()
    (tmp_path / "real/manifests/site.pp").write_text("include linked\n")
    (tmp_path / "elsewhere/manifests").mkdir(parents=True)
    code = tmp_path / "elsewhere/manifests/init.pp"
    code.write_text("class linked { notify { 'told': message => 'saved' } }\n")
    (tmp_path / "real/modules/linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    session = wherefrom.Session(roots=[str(tmp_path)])

    def told(folder: str) -> Any:
        return session.compile(str(tmp_path / folder), node="n").select("Notify[told].message").value

    names = (code, tmp_path / "real/modules/linked/manifests/init.pp", tmp_path / "link/modules/linked/manifests")
    for number, name in enumerate([*names[:2], names[2] / "init.pp"]):
        assert [told("real"), told("link")] == ["saved"] * 2
        session.overlay({str(name): code.read_text().replace("saved", f"typed {number}")})
        assert [told("real"), told("link")] == [f"typed {number}"] * 2
        session.overlay({})


def test_a_directory_that_changed_under_another_name(tmp_path: Path) -> None:
    """Said of the directory itself, of files that were written twice within a moment."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real/site.pp").write_text("notify { 'a': }\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    recorder = RecordingHost(RealHost([str(tmp_path)]))
    recorder.read_bytes(str(tmp_path / "link/site.pp"))
    past = 1_000_000_000
    os.utime(tmp_path / "real/site.pp", ns=(past, past))
    recorder.changes()
    recorder.read_bytes(str(tmp_path / "link/site.pp"))
    (tmp_path / "real/site.pp").write_text("notify { 'b': }\n")
    os.utime(tmp_path / "real/site.pp", ns=(past, past))
    assert recorder.changes() == []
    recorder.distrust([str(tmp_path / "real")])
    assert recorder.changes() == [str(tmp_path / "link/site.pp")]


def test_a_variable_in_a_text_ran_as_often_as_the_text(tmp_path: Path) -> None:
    """`$x` in quotes is one expression, and so are the text of a heredoc and `${x}`."""
    site = tmp_path / "site.pp"
    site.write_text('$x = 1\n$y = "a $x b ${x}"\n$z = @("END")\n  $x ${$x}\n  | END\nnotice($y, $z)\n')
    outcome = wherefrom.compile(str(site), node="n", observe=True)
    read = [item for item in outcome.observed(str(site)) if item.span.text.strip() in ("$x", "x")]
    assert len(read) == 5
    assert {item.count for item in read} == {1}


def test_a_text_of_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    """A new class, before it was ever saved."""
    (tmp_path / "manifests").mkdir()
    (tmp_path / "modules/new/manifests").mkdir(parents=True)
    (tmp_path / "manifests/site.pp").write_text("include new\n")
    session = wherefrom.Session()
    with pytest.raises(wherefrom.WherefromError):
        session.compile(str(tmp_path), node="a")
    session.overlay({str(tmp_path / "modules/new/manifests/init.pp"): "class new { notify { 'here': } }\n"})
    assert session.compile(str(tmp_path), node="a").select("Notify[here]").value == "here"
    session.overlay({})
    with pytest.raises(wherefrom.WherefromError):
        session.compile(str(tmp_path), node="a")


def test_a_text_outside_of_the_roots_is_not_read(tmp_path: Path) -> None:
    """Laying a text over a file opens no door to it."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.sf").write_text('#include "../out.sf"\nsfConfig extends { }\n')
    session = wherefrom.Session()
    session.overlay({str(tmp_path / "out.sf"): "x 1;\n"})
    with pytest.raises(wherefrom.WherefromError, match="outside"):
        session.compile(str(tmp_path / "in/a.sf"))


def test_a_contained_session_has_none() -> None:
    """Its files are read elsewhere."""
    session = wherefrom.Session(contained=True)
    with pytest.raises(UsageError):
        session.overlay({})
    session.close()


def test_only_the_files_that_are_watched_are_observed(tmp_path: Path) -> None:
    """Another file can be watched in the next run of the same session; values stay what they are."""
    files = {
        "manifests/site.pp": "node default { $x = 1 + 1 include m }\n",
        "modules/m/manifests/init.pp": "class m { $y = m::f(2) notify { 'm': message => epp('m/t.epp') } }\n",
        "modules/m/functions/f.pp": "function m::f($z) { $z * 2 }\n",
        "modules/m/templates/t.epp": "<%= 3 + 4 %>\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in files]
    session = wherefrom.Session()
    every = session.compile(str(tmp_path), node="n", trace=True, observe=True)
    everything = {path: [(item.span.start, item.count, item.seen) for item in every.observed(path)] for path in paths}
    assert all(map(str, everything.values()))
    for watched in ([], paths[:1], paths[1:3], paths, paths[3:], paths[2:3], []):
        outcome = session.compile(str(tmp_path), node="n", trace=True, observe=watched)
        assert outcome.select("Notify[m].message").value == "7\n"
        for path in paths:
            seen = [(item.span.start, item.count, item.seen) for item in outcome.observed(path)]
            assert [row[:2] for row in seen] == ([row[:2] for row in everything[path]] if path in watched else [])
            for row, other in zip(seen, everything[path]):
                assert [(one.value, one.count, one.owner) for one in row[2]] == [
                    (one.value, one.count, one.owner) for one in other[2]
                ]
