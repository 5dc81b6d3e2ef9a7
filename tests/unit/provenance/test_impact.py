"""Which inputs a user's words name, and what an input means for the outputs of a run."""

from __future__ import annotations

import pytest

from support.marked import at
from wherefrom.base.diagnostics import UsageError
from wherefrom.base.source import SourceFile
from wherefrom.provenance import Absent, Choice, Copy, Guard, Guarded, Leaf, Origin, Step
from wherefrom.provenance.impact import (
    Impact,
    ImpactTarget,
    affected,
    impact_on,
    inputs_matching,
    missing_line,
    parse_target,
    same_file,
)
from wherefrom.provenance.operations import Infix, Reason
from wherefrom.provenance.origins import Later

SITE = SourceFile("manifests/site.pp", "$a = 'one'\n$b = @(END)\n  two\n  | END\nif $a { $c = 3 }\n")
DATA = SourceFile(
    "data/common.yaml",
    """profile: &anchor
  web:

# a remark
    'port': 80
  db: 2
servers: # of the lan
- first
- name:
    x: 9
  other: 7
'quoted key':
  x: 1
plain: text
profile2:
  profile:
    deep: 3
""",
)
ONE = Leaf("literal", "", at(SITE, "'one'"), "one")
TWO = Leaf("literal", "", at(SITE, "@(END)\n  two\n  | END\n"), "two\n")
FACT = Leaf("fact", "os.family", None, "Debian")


def datum(name: str, text: str) -> Leaf:
    return Leaf("hiera", name, at(DATA, text), 0)


# --- a line of source ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "matching"),
    [
        ("manifests/site.pp:1", [ONE]),
        ("site.pp:1", [ONE]),
        ("./manifests/site.pp:1", [ONE]),
        ("te.pp:1", []),
        ("site.pp:2", [TWO]),
        ("site.pp:3", [TWO]),
        ("site.pp:4", [TWO]),
        ("site.pp:5", []),
        ("site.pp:1:5", []),
        ("site.pp:1:6", [ONE]),
        ("site.pp:1:10", [ONE]),
        ("site.pp:1:11", []),
        ("site.pp:3:1", [TWO]),
        ("site.pp:1:20", []),
        ("site.pp:2:60", [TWO]),
    ],
)
def test_a_place_of_a_literal(asked: str, matching: list[Leaf]) -> None:
    """The lines on which it stands, with columns from its first character to its last."""
    target = parse_target(asked)
    assert [target.matches(leaf) for leaf in (ONE, TWO)] == [leaf in matching for leaf in (ONE, TWO)]


def test_a_line_is_more_than_its_literals() -> None:
    """A test or an operation there counts too; a column asks for what is written at it."""
    place = at(SITE, "if $a { $c = 3 }")
    for node in (Guard(ONE, None, place), Step(Infix("+"), (), place), Copy(Reason("hand"), ONE, place)):
        assert parse_target("site.pp:5").matches(node)
        assert not parse_target("site.pp:4").matches(node)
        assert not parse_target("site.pp:5:1").matches(node)
        assert parse_target("site.pp:5:1").matches(node) is False
    assert not parse_target("site.pp:5").matches(Step(Infix("+"), ()))
    to_line_2 = Leaf("literal", "", SITE.span(0, SITE.text.index("$b") + 1), "")
    assert parse_target("site.pp:2").matches(to_line_2), "the last character is the first of its line"


def test_an_empty_place_has_one_column() -> None:
    leaf = Leaf("literal", "", SITE.span(3), "")
    assert [column for column in range(1, 9) if ImpactTarget("literal", "site.pp", 1, column).matches(leaf)] == [4]
    end_of_line = Leaf("literal", "", SITE.span(11), "")
    assert parse_target("site.pp:2").matches(end_of_line) and not parse_target("site.pp:1").matches(end_of_line)


@pytest.mark.parametrize(
    ("leaf", "lines"),
    [
        (datum("profile.web.port", "80"), [1, 2, 5]),
        (datum("profile.db", "2"), [1, 6]),
        (datum("servers.0", "first"), [7, 8]),
        (datum("servers.1.name.x", "9"), [7, 9, 10]),
        (datum("servers.1.other", "7"), [7, 9, 11]),
        (datum("quoted key.x", "1\nplain"), [12, 13, 14]),
        (datum("plain", "text"), [14]),
        (datum("profile2.profile.deep", "3\n"), [15, 16, 17]),
        (Leaf("fact", "profile.db", at(DATA, "2"), 2), [6]),
    ],
)
def test_a_line_of_data(leaf: Leaf, lines: list[int]) -> None:
    """Its own, and those of keys and items that it stands in: above it, with nothing between that ends them."""
    matching = [line for line in range(1, 18) if ImpactTarget("literal", "common.yaml", line).matches(leaf)]
    assert matching == lines


def test_a_line_of_json() -> None:
    """There a key may stand anywhere: each line above with a key of its path counts."""
    text = '{ "a":\n{"x": 1, "b":\n{\n"c": 2},\n"d": {\n"b": 3\n}}}'
    file = SourceFile("d.json", text)
    leaves = [Leaf("hiera", name, at(file, value), 0) for name, value in (("a.b.c", "2"), ("a.d.b", "3"))]
    matching = [
        [line for line in range(1, 8) if ImpactTarget("literal", "d.json", line).matches(leaf)] for leaf in leaves
    ]
    assert matching == [[1, 2, 4], [1, 2, 5, 6]]


def test_lines_that_are_above_no_datum() -> None:
    """A column asks for the datum alone; another file, a datum without a place and another key are none of it."""
    assert not parse_target("common.yaml:1:1").matches(datum("profile.db", "2"))
    assert not parse_target("other.yaml:1").matches(datum("profile.db", "2"))
    assert not parse_target("common.yaml:1").matches(Leaf("hiera", "profile.db", None, 2, "", "common.yaml"))
    assert not parse_target("common.yaml:1").matches(datum("profiled.db", "2"))
    begun = SourceFile("b.yaml", "---\n  a: 1\n")
    assert not parse_target("b.yaml:1").matches(Leaf("hiera", "a", at(begun, "1"), 1)), "no item, but a beginning"


# --- an input by its name --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "kind", "name", "matches"),
    [
        ("fact:os.family", "fact", "os.family", True),
        ("fact:os", "fact", "os.family", True),
        ("fact:os.family", "fact", "os", True),
        ("fact:os.family", "fact", "", True),
        ("fact:", "fact", "os.family", True),
        ("fact:disks[0]", "fact", "disks", True),
        ("fact:disks", "fact", "disks[0]", True),
        ("fact:os", "fact", "osx", False),
        ("fact:osx", "fact", "os", False),
        ("fact:os", "hiera", "os", False),
        ("node:", "node", "web01", True),
        ("node:web01", "trusted", "", True),
        ("node:web01", "trusted", "certname", True),
        ("node:web01", "trusted", "hostname", True),
        ("node:web01", "trusted", "domain", True),
        ("node:web01", "trusted", "domain.x", True),
        ("node:web01", "trusted", "extensions", False),
        ("trusted:extensions", "trusted", "extensions.role", True),
        ("trusted:extensions", "node", "", False),
        ("fact:os", "trusted", "certname", False),
        ("file:/etc/motd", "file", "/etc/motd", True),
        ("file:motd", "file", "/etc/motd", True),
        ("file:/etc/motd", "file", "/etc", True),
        ("file:/etc/motd", "file", "/etc/", True),
        ("file:/etcetera", "file", "/etc", False),
        ("file:", "file", "/etc", True),
        ("file:/etc/motd", "setting", "/etc/motd", False),
    ],
)
def test_a_name(asked: str, kind: str, name: str, matches: bool) -> None:
    """It names the input, its parts, and wholes that it is part of; the node's name is also in its certificate."""
    assert parse_target(asked).matches(Leaf(kind, name, None, None)) is matches


def test_a_key_is_part_of_its_file() -> None:
    leaf = Leaf("hiera", "k", None, 1, "", "data/common.yaml")
    assert parse_target("file:common.yaml").matches(leaf)
    assert not parse_target("file:k").matches(leaf)
    assert not parse_target("file:common.yaml").matches(Guard(leaf, None))


def test_all_that_stands_in_a_file() -> None:
    assert parse_target("file:site.pp").matches(ONE)
    assert parse_target("manifests/site.pp").matches(Guard(ONE, None, ONE.span))
    assert not parse_target("manifests/other.pp").matches(ONE)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("site.pp:12", ImpactTarget("literal", "site.pp", 12)),
        ("site.pp:12:3", ImpactTarget("literal", "site.pp", 12, 3)),
        ("a:b.pp:1", ImpactTarget("literal", "a:b.pp", 1)),
        ("fact:os.family", ImpactTarget("fact", "os.family")),
        ("hiera:ntp::servers", ImpactTarget("hiera", "ntp::servers")),
        ("file:3", ImpactTarget("literal", "file", 3)),
        ("file:3:4", ImpactTarget("literal", "file", 3, 4)),
        ("fact:3a", ImpactTarget("fact", "3a")),
        ("fact:", ImpactTarget("fact", "")),
        ("modules/m/files/acl", ImpactTarget("file", "modules/m/files/acl")),
    ],
)
def test_reading_an_input(text: str, target: ImpactTarget) -> None:
    assert parse_target(text) == target


@pytest.mark.parametrize("text", ["fact", "literal:x", "colour:red", "site.pp", ":1", ""])
def test_words_that_name_no_input(text: str) -> None:
    with pytest.raises(UsageError, match=r"is not an input.*kinds: argument, classifier, .*trusted"):
        parse_target(text)


def test_names_of_files() -> None:
    """A file is named by all of its path, or by the end of it."""
    assert same_file("a/b.pp", "b.pp") and same_file("./a/b.pp", "a/b.pp") and same_file("a/b.pp", "./a/b.pp")
    assert not same_file("a/b.pp", "a") and not same_file("b.pp", "a/b.pp") and not same_file("ab.pp", "b.pp")


# --- outputs ---------------------------------------------------------------------------------------------------------


def test_outputs_that_share_a_history() -> None:
    shared = Step(Infix("+"), (ONE, FACT))
    roots: list[Origin] = [Copy(Reason("hand"), shared), TWO, shared, Guarded(TWO, Guard(FACT, None))]
    assert affected(roots, parse_target("fact:os").matches) == [True, False, True, True]
    assert affected(roots, parse_target("site.pp:1").matches) == [True, False, True, False]
    assert affected([], parse_target("fact:os").matches) == []


def test_absences_that_owe_to_each_other() -> None:
    """A history that leads back to itself is walked to its end."""
    first: Later = Later("first", lambda: (second,))
    second: Later = Later("second", lambda: (first, FACT))
    beside = Absent("beside", (ONE,))
    above = Choice((first,), TWO)
    assert affected([first, second, above, beside], parse_target("fact:os").matches) == [True, True, True, False]


def test_the_inputs_that_a_name_means() -> None:
    """Each once, however many nodes stand for it."""
    again = Leaf("fact", "os.family", None, "Debian")
    release = Leaf("fact", "os.release", None, "12")
    roots = [Step(Infix("+"), (FACT, ONE)), Step(Infix("+"), (again, release))]
    assert {leaf.name for leaf in inputs_matching(roots, parse_target("fact:os"))} == {"os.family", "os.release"}
    assert len(inputs_matching(roots, parse_target("fact:os"))) == 2
    assert inputs_matching(roots, parse_target("fact:kernel")) == []


OUTPUTS = [("a", 1, Step(Infix("+"), (FACT,))), ("b", 2, ONE), ("c", 3, FACT)]


def test_what_may_change_and_what_can_not() -> None:
    impact = impact_on(parse_target("fact:os"), {}, OUTPUTS)
    assert impact == Impact([FACT], [("a", 1), ("c", 3)], 1)
    assert impact.to_json() == {
        "inputs": [{"kind": "fact", "name": "os.family", "value": "Debian"}],
        "affected": [{"path": "a", "value": 1}, {"path": "c", "value": 3}],
        "unaffected": 1,
    }


def test_an_input_that_nothing_depends_on() -> None:
    impact = impact_on(parse_target("fact:kernel"), {}, OUTPUTS)
    assert not impact.is_known
    assert impact.to_json() == {"inputs": [], "affected": [], "unaffected": 3, "known": False}
    assert Impact([], [("a", 1)], 0).is_known, "a line may have no literal, and matter"


def test_definitions_that_hold_an_input() -> None:
    document = Impact([FACT], [], 0, [("services.nginx", ("a", "b"))]).to_json()
    assert document["definitions"] == [{"definition": "services.nginx", "paths": ["a", "b"]}]


def test_a_line_or_column_that_a_file_does_not_have() -> None:
    sources = {"manifests/site.pp": SITE}
    assert missing_line(parse_target("site.pp:9"), sources) == "manifests/site.pp has only 5 lines, no line 9"
    assert (
        missing_line(parse_target("site.pp:1:12"), sources)
        == "line 1 of manifests/site.pp has 10 columns, no column 12"
    )
    assert (
        missing_line(parse_target("site.pp:1:0"), sources) == "line 1 of manifests/site.pp has 10 columns, no column 0"
    )
    for there in ("site.pp:5", "fact:os", "other.pp:9", "site.pp:1:11", "site.pp:5:1"):
        assert missing_line(parse_target(there), sources) is None


def test_a_file_that_was_not_read() -> None:
    """It is refused, with the name of one that was, if that is close: the whole path, or the last part of it."""
    names = ("manifests/site.pp", "modules/ntp/manifests/init.pp")
    sources = {name: SourceFile(name, "one\ntwo\n") for name in names}
    assert impact_on(parse_target("site.pp:1"), sources, OUTPUTS).affected == [("b", 2)]
    for asked, hint in {
        "manifests/sit.pp:1": r"manifests/sit\.pp was not read in this run; did you mean manifests/site\.pp\?",
        "sitte.pp:1": r"did you mean manifests/site\.pp\?",
        "other/place/inite.pp:1": r"did you mean modules/ntp/manifests/init\.pp\?",
        "nginx.conf:1": r"was not read in this run \(3 files read\)",
    }.items():
        with pytest.raises(UsageError, match=hint):
            impact_on(parse_target(asked), sources, OUTPUTS)
    assert impact_on(parse_target("fact:os"), sources, OUTPUTS).is_known, "a name is no file"
