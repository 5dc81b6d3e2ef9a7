"""A ladder: every place that may say what a key's value is, told to a person and to a program."""

from __future__ import annotations

from typing import Any

from support.marked import at, marked
from wherefrom.base.secrets import REDACTED
from wherefrom.base.source import SourceFile
from wherefrom.provenance import Leaf
from wherefrom.provenance.ladder import (
    CHOSEN,
    FAILED,
    HIDDEN,
    MAX_ELEMENTS,
    MERGED,
    NO_FILE,
    NO_KEY,
    Element,
    Ladder,
    Rung,
)

ROLE = SourceFile("data/role/web.yaml", "---\nnginx::connections: 4096\n")
COMMON = SourceFile("data/common.yaml", "nginx::connections: 1024\n")
CLASS = SourceFile("init.pp", "class nginx(\n  $connections = 512,\n) {}\n")
FACT = Leaf("fact", "role", None, "web")
TITLE = Leaf("literal", "", at(CLASS, "nginx"), "nginx")

NODE = Rung("environment", "Node", "data/nodes/web01.yaml", NO_FILE)
WEB = Rung("environment", "Role", "data/role/web.yaml", CHOSEN, 4096, at(ROLE, "4096"), (FACT, TITLE))
SYSTEM = Rung("environment", "System", "data/os/Debian.yaml", NO_KEY, span=at(COMMON, "1024"))
ALL = Rung("environment", "Common", "data/common.yaml", HIDDEN, 1024, at(COMMON, "1024"))
BROKEN = Rung("module", "Computed", "", FAILED, words="no such function")
DEFAULT = Rung("class", "class nginx", "init.pp", HIDDEN, "512", at(CLASS, "512"))


def ladder(*rungs: Rung, **more: Any) -> Ladder:
    return Ladder("nginx::connections", "web01", True, 4096, "first", rungs, **more)


def test_the_whole_story() -> None:
    """The example of the module: each place below the other, the chosen one marked, hidden ones with a remark."""
    assert marked(ladder(NODE, WEB, SYSTEM, ALL, BROKEN, DEFAULT).styled()) == (
        "[key nginx::connections] = [value 4096]\n"
        "\n"
        "[strong         ][dim data/nodes/web01.yaml   ][dim no such file]\n"
        "[strong   ->    ][place data/role/web.yaml:2    ][value 4096]\n"
        "[strong         ][dim data/os/Debian.yaml     ][dim -]\n"
        "[strong         ][place data/common.yaml:1      ]1024[dim   hidden]\n"
        "[strong         ][dim Computed (module)       ][dim failed: no such function]\n"
        "[strong         ][place default of class nginx  ]512[dim    hidden  init.pp:2:18]\n"
        "\n"
        'data/role/web.yaml is read because fact role is "web" and of "nginx" (init.pp:1:7)\n'
    )


def test_no_level_has_the_key() -> None:
    nothing = Ladder("k", "web01", False, None, "first", (NODE,))
    assert marked(nothing.styled()) == (
        "[key k][strong : no level has it]\n\n[strong         ][dim data/nodes/web01.yaml  ][dim no such file]\n"
    )


def test_no_data_at_all() -> None:
    assert marked(Ladder("k", "web01", False, None, "first", ()).styled_rungs()) == (
        "[dim         there is no data: no hiera.yaml was found]\n"
    )


def test_the_default_of_a_class_that_is_chosen() -> None:
    """Its place stands behind it, and nothing says that it is hidden."""
    chosen = Rung("class", "class nginx", "init.pp", CHOSEN, "512", at(CLASS, "512"))
    assert marked(ladder(chosen).styled_rungs()) == (
        "[strong   ->    ][place default of class nginx  ][value 512][dim   init.pp:2:18]\n"
    )
    nowhere = Rung("class", "class nginx", "init.pp", HIDDEN, "512")
    assert marked(ladder(nowhere).styled_rungs()).endswith("512[dim   hidden]\n")


TREE = (Element("a.x", 1, at(ROLE, "4096")), Element("", "words", at(COMMON, "1024")), Element("b", None, None))


def test_a_merged_value() -> None:
    """Each of its elements with the place it came from, below the rungs, unless they are told elsewhere."""
    merged = Ladder("k", "web01", True, {}, "deep", (Rung("environment", "C", "c.yaml", MERGED, {}),), TREE)
    rung = "[strong   ->    ][place c.yaml  ][value {}]\n"
    assert marked(merged.styled_rungs()) == (
        f"{rung}\n"
        "[strong deep    ][value a.x 1]    [place data/role/web.yaml:2:21]\n"
        '[strong         ][value "words"]  [place data/common.yaml:1:21]\n'
        "[strong         ][value b null]   [place computed]\n"
    )
    assert marked(merged.styled_rungs(elements=False)) == rung


def test_many_elements_are_counted() -> None:
    for more in (0, 2):
        elements = tuple(Element(str(number), number, None) for number in range(MAX_ELEMENTS + more))
        text = marked(ladder(ALL, elements=elements).styled_rungs())
        assert text.count("computed") == MAX_ELEMENTS
        assert text.endswith("[dim         and 2 more (--json lists all)]\n") == ("lists all" in text) == bool(more)


def remarks(*rungs: Rung, **more: Any) -> list[str]:
    return marked(ladder(*rungs, **more).styled()).splitlines()[len(rungs) + 3 :]


def test_remarks() -> None:
    """Why a file is read is said once, and only of files that the value came from; then what else there is to know."""
    merged = Rung("environment", "Role", "role.yaml", MERGED, 1, None, (FACT,))
    hidden = Rung("environment", "Site", "site.yaml", HIDDEN, 1, None, (FACT,))
    nowhere = Rung("environment", "Name", "name.yaml", MERGED, 1, None, (Leaf("literal", "", None, "n"),))
    assert remarks(merged, merged, hidden, nowhere, ALL) == [
        'role.yaml is read because fact role is "web"',
        'name.yaml is read because of "n"',
    ]
    assert remarks(
        ALL,
        filled=(Leaf("fact", "site", None, "ams\t"),),
        options={"merge": "deep", "convert_to": ["Array"]},
        options_span=at(COMMON, "nginx"),
        notes=("a note",),
        read=False,
    ) == [
        'filled in: fact site = "ams\\t"',
        'lookup_options say merge: "deep", convert_to: ["Array"]  data/common.yaml:1:1',
        "a note",
        "no code on this node looks this key up",
    ]
    assert remarks(ALL, options={"merge": "x" * 50}) == ['lookup_options say merge: "' + "x" * 38 + "…"]


def test_long_values_are_cut() -> None:
    long, cut = "x" * 300, '"' + "x" * 38 + "…"
    inputs = (Leaf("fact", "f", None, long), Leaf("literal", "", None, long))
    rung = Rung("environment", "C", "c.yaml", CHOSEN, long, None, inputs)
    lines = marked(Ladder("k", "n", True, long, "first", (rung,), (Element("a", long, None),), inputs[:1]).styled())
    assert lines.splitlines() == [
        '[key k] = [value "' + "x" * 198 + "…]",
        "",
        '[strong   ->    ][place c.yaml  ][value "' + "x" * 58 + "…]",
        "",
        '[strong first   ][value a "' + "x" * 58 + "…]  [place computed]",
        "",
        f"c.yaml is read because fact f is {cut} and of {cut}",
        'filled in: fact f = "' + "x" * 58 + "…",
    ]


def test_a_secret_is_not_shown() -> None:
    secret = ladder(WEB, ALL, secret=True, elements=TREE)
    assert secret.shown == REDACTED
    text, document = marked(secret.styled()), secret.to_json()
    for told in (text, str(document)):
        assert REDACTED in told and "4096" not in told and "1024" not in told and "words" not in told
    assert f"[value {REDACTED}]" in text, "it is no text in quotes"
    assert document["sensitive"] is True and document["value"] == REDACTED and "elements" not in document
    assert Ladder("k", "n", False, None, "first", (), secret=True).shown is None, "there is nothing to keep"


def test_the_document() -> None:
    assert ladder(NODE, WEB, BROKEN).to_json() == {
        "key": "nginx::connections",
        "node": "web01",
        "found": True,
        "value": 4096,
        "merge": "first",
        "read": True,
        "ladder": [
            {"layer": "environment", "level": "Node", "status": "no file", "file": "data/nodes/web01.yaml"},
            {
                "layer": "environment",
                "level": "Role",
                "status": "chosen",
                "file": "data/role/web.yaml",
                "line": 2,
                "column": 21,
                "value": 4096,
                "because": [
                    {"kind": "fact", "name": "role", "value": "web"},
                    {"kind": "literal", "file": "init.pp", "line": 1, "column": 7, "text": "nginx"},
                ],
            },
            {"layer": "module", "level": "Computed", "status": "failed", "message": "no such function"},
        ],
    }


def test_the_document_of_a_merged_value() -> None:
    document = ladder(
        elements=TREE,
        filled=(FACT,),
        options={"merge": "deep"},
        options_span=at(COMMON, "nginx"),
        notes=("a note",),
        read=False,
    ).to_json()
    assert document["lookup_options"] == {"merge": "deep", "file": "data/common.yaml", "line": 1, "column": 1}
    assert document["elements"][0] == {
        "path": "a.x", "value": 1, "file": "data/role/web.yaml", "line": 2, "column": 21,
    }  # fmt: skip
    assert len(document["elements"]) == 3
    assert document["interpolated"] == [{"kind": "fact", "name": "role", "value": "web"}]
    assert document["notes"] == ["a note"]
    assert document["read"] is False


def test_the_document_of_a_key_that_no_level_has() -> None:
    assert Ladder("k", "n", False, None, "first", ()).to_json() == {
        "key": "k",
        "node": "n",
        "found": False,
        "merge": "first",
        "read": True,
        "ladder": [],
    }
