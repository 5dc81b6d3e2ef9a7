"""Differences in few words: resources as one line, data as data, nodes as the sets that they are, a first sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import commands
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.cli.short import attribute_counts, condensed, data_changes, node_words, nodes_sentence, sentence
from wherefrom.comparison import Comparison, Difference, FleetComparison

WEB = [f"web{number:02}.example.org" for number in range(1, 8)]
DB = [f"db{number:02}.example.org" for number in range(1, 6)]


def added(path: str, value: object = "x") -> Difference:
    return Difference(path, "added", None, value, ())


def changed(path: str, before: object, after: object) -> Difference:
    return Difference(path, "changed", before, after, ())


COMPARISON = Comparison(
    (
        added("File[/a]"),
        added("File[/a].mode"),
        added("File[/a].options[0]"),
        added("File[/a].options[1]"),
        added("File[/b].mode"),
        Difference("Package[p]", "removed", "p", None, ()),
        Difference("Package[p].ensure", "removed", "held", None, ()),
        changed("File[/c].mode", "1", "2"),
    ),
    5,
)


def test_a_resource_is_one_line() -> None:
    """An attribute that came alone is told; what came with its resource is counted."""
    assert [each.path for each in condensed(COMPARISON).differences] == [
        "File[/a]", "File[/b].mode", "Package[p]", "File[/c].mode"
    ]  # fmt: skip
    assert attribute_counts(COMPARISON) == {"File[/a]": 2, "Package[p]": 1}


def test_a_first_sentence() -> None:
    """What is gone first; a change that is not ready says so."""
    assert sentence(COMPARISON) == "removes Package[p], adds File[/a], changes 2 resources; 5 outputs stay the same"
    assert sentence(Comparison((), 5)) == "no differences: all 5 outputs are the same"
    fleet = FleetComparison(((["a"], COMPARISON),), ("b",), ())
    assert nodes_sentence(fleet).startswith("2 nodes: 1 changed, 1 the same; removes Package[p], adds File[/a]")
    failing = FleetComparison((), ("b",), (("a", [Diagnostic("no")]),))
    assert nodes_sentence(failing).startswith("not ready: 1 node would not compile. 2 nodes:")
    assert nodes_sentence(fleet, ["gate"]).startswith("stopped by 1 gate. ")


@pytest.mark.parametrize(
    ("path", "before", "after", "lines"),
    [
        ("File[/a].content", '{"a": 1, "b": {"c": [1, 2, 3]}}', '{"b": {"c": [1, 3]}, "d": 2}',
         ["-a: 1", "-b.c[1]: 2", "+d: 2"]),
        ("File[/a].content", '{"a": 1}', '{\n  "a": 1\n}', [" the same data in another notation"]),
        ("File[/a.yaml].content", "a: 1\nb: x\n", "b: y\na: 1\n", ['-b: "x"', '+b: "y"']),
        ("File[/a.conf].content", "a: 1\nb: 2\n", "a: 1\nb: 3\n", None),
        ("File[/a.json].content", "{", "{}", None),
        ("File[/a.yaml].content", "text", "other", None),
        ("File[/a].content", "[{}, {\"x\": 1}]", "[{}, {\"x\": 2}]", ["-[1].x: 1", "+[1].x: 2"]),
    ],
)  # fmt: skip
def test_texts_that_are_data(path: str, before: str, after: str, lines: list[str] | None) -> None:
    """Key by key, and element by element; a text that is no data on one side is a text."""
    assert data_changes(changed(path, before, after)) == lines


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (WEB[:2], "2 nodes: web01.example.org, web02.example.org"),
        (WEB, "all 7 web nodes"),
        (WEB + DB, "all 12 nodes"),
        (DB[:4], "4 of 5 db nodes: db01.example.org, db02.example.org, db03.example.org, db04.example.org"),
        ([*WEB[:4], *DB[:2]], "all 6 nodes with site=north"),
        ([*WEB[:3], DB[0]], "4 of 6 nodes with site=north: web01.example.org, web02.example.org, web03.example.org, "
         "db01.example.org"),
    ],
)  # fmt: skip
def test_sets_of_nodes(nodes: list[str], words: str) -> None:
    """By the stems of names and by facts: whole groups before parts, small parts before large ones."""
    north = {*WEB[:4], *DB[:2]}
    traits = {node: {"site": "north" if node in north else "south"} for node in WEB + DB}
    assert node_words(nodes, WEB + DB, traits) == words


REPOSITORY = """class c($xs, $mode) {
  notify { 'n': message => $xs }
  file { '/a.json': content => "{\\"port\\": 1, \\"mode\\": \\"${mode}\\"}\\n\\n", mode => $mode }
  %s
}
class { 'c': xs => [%s], mode => '%s' }
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two manifests: an element less in a list, a resource more, another key in a file of data."""
    (tmp_path / "a.pp").write_text(REPOSITORY % ("", "'a', 'b', 'c', 'd'", "0600"))
    file = "file { '/new': content => 'x', mode => '0644', owner => 'root' }"
    (tmp_path / "b.pp").write_text(REPOSITORY % (file, "'a', 'c', 'd', 'e'", "0644"))
    return tmp_path


def test_lists_compare_by_element(two: Path) -> None:
    """What stands elsewhere is no difference."""
    shown = commands.wherefrom("diff", "a.pp", "b.pp", "--node", "n", cwd=two).stdout
    assert '  removed Notify[n].message[1] was "b"\n' in shown
    assert '  added   Notify[n].message[3] = "e"\n' in shown
    assert "message[2]" not in shown


def test_a_resource_that_came_is_opened_with_all(two: Path) -> None:
    shown = commands.wherefrom("diff", "a.pp", "b.pp", "--node", "n", cwd=two).stdout
    assert "  added   File[/new] (3 attributes)\n" in shown
    assert "File[/new].mode" not in shown
    assert '-mode: "0600"\n    +mode: "0644"\n' in shown  # of the content, as data
    everything = commands.wherefrom("diff", "a.pp", "b.pp", "--node", "n", "--all", cwd=two).stdout
    assert '  added   File[/new].mode = "0644"\n' in everything


def test_a_comment_begins_with_a_sentence(two: Path) -> None:
    """And links to the report where it is too long."""
    text = commands.wherefrom("diff", "a.pp", "b.pp", "--node", "n", "--format", "markdown", cwd=two).stdout
    assert text.splitlines()[1].startswith("**wherefrom**: adds File&#91;/new&#93;, changes ")
    for name, value in (("c.pp", "old"), ("d.pp", "new")):
        lines = (f"notify {{ 'n{row}': message => '{value} {'x' * 60}' }}\n# after {row}\n" for row in range(900))
        (two / name).write_text("".join(lines))
    link = ("--report", "https://example.org/report.html")
    text = commands.wherefrom("diff", "c.pp", "d.pp", "--format", "markdown", *link, cwd=two).stdout
    assert len(text) <= 65_000
    assert "too long for one comment. All of them: <https://example.org/report.html>" in text


def test_equal_failures_are_told_once(tmp_path: Path) -> None:
    """With the nodes that have them."""
    (tmp_path / "facts").mkdir()
    for node in WEB:
        (tmp_path / "facts" / f"{node}.yaml").write_text("role: web\n")
    (tmp_path / "a.pp").write_text("notify { 'x': }\n")
    (tmp_path / "b.pp").write_text("fail('no')\n")
    done = commands.wherefrom("diff", "a.pp", "b.pp", "--facts", "facts", "--nodes", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("while compiling all 7 nodes") == 1
    assert done.stderr.count("fail('no')") == 1


@pytest.mark.parametrize(
    "words",
    [
        "compile --nodes",
        "diff --nodes --fact role=db",
        "diff --nodes --fact role=db --format markdown",
        "lookup a --nodes",
        "check --dead",
        "record answers.yaml --allow clock --nodes",
        "report --nodes -o page.html",
        "fleet compile --store store",
        "fleet diff . . --store store",
    ],
)
def test_a_failure_that_names_its_node_is_told_once(tmp_path: Path, words: str) -> None:
    """Puppet says for which node it looked: that makes no other cause; the file of a node that is broken does."""
    if words.startswith("fleet"):
        pytest.importorskip("duckdb")
    broken(tmp_path, "if $facts['whole'] { include nosuch } else { notice(lookup('a')) }\n")
    done = commands.wherefrom(*words.split(), cwd=tmp_path)
    assert done.returncode == 1
    told = done.stderr if "fleet compile" not in words and "markdown" not in words else done.stdout
    assert told.count("Could not find class ::nosuch") == 1
    assert "5 of 7" in told or "web03.example.org, web04.example.org, web05.example.org" in told
    assert told.count("while parsing a flow sequence") == 2


@pytest.mark.parametrize("words", ["compile --nodes", "diff --nodes --fact role=db", "check --dead"])
def test_each_of_several_failures_is_told_once(tmp_path: Path, words: str) -> None:
    """What keeps all nodes from compiling is not told again for those that something else is wrong with, too."""
    broken(tmp_path, "lookup('a', Any, 'first', 1)\ninclude nosuch\n")
    told = commands.wherefrom(*words.split(), cwd=tmp_path).stderr
    assert told.count("Could not find class ::nosuch") == 1 and "all 7 nodes" in told
    assert told.count("while parsing a flow sequence") == 2


def broken(root: Path, manifest: str) -> None:
    """A repository of seven nodes, with a broken file of data for two of them."""
    for node in WEB:
        write(root / "facts" / f"{node}.yaml", f"role: web\nwhole: {str(node not in WEB[:2]).lower()}\n")
    for node in WEB[:2]:
        write(root / "data" / f"{node}.yaml", "a: [1\n")
    write(root / "hiera.yaml", "version: 5\nhierarchy:\n  - name: n\n    path: '%{trusted.certname}.yaml'\n")
    write(root / "manifests/site.pp", manifest)
    write(root / "wherefrom.toml", 'environment = "."\nfacts = "facts"\n')


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_cause_of_each_run_of_lines(tmp_path: Path) -> None:
    """Where several edits changed one text, each run of lines has those that it rests on."""
    template = "<%- | $a, $b | -%>\na <%= $a %>\n1\n2\n3\n4\nb <%= $b %>\n"
    for name, values in (("a.pp", ("x", "y")), ("b.pp", ("xx", "yy"))):
        lines = [f"$a = '{values[0]}'", "# between", f"$b = '{values[1]}'", "# the file"]
        lines.append(f"file {{ '/f': content => inline_epp('{template}', {{ a => $a, b => $b }}) }}")
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    shown = commands.wherefrom("diff", "a.pp", "b.pp", "--node", "n", cwd=tmp_path).stdout
    assert "    @ b.pp:1\n    -a x\n    +a xx\n" in shown
    assert "    @ b.pp:3\n     4\n    -b y\n    +b yy\n" in shown
