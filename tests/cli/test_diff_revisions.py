"""`wherefrom diff` over a repository's history, and the forms in which it answers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import commands

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def wherefrom(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example repository with its history."""
    directory = tmp_path_factory.mktemp("control") / "repository"
    subprocess.run([sys.executable, str(ROOT / "examples/control-history.py"), str(directory)], check=True)
    return directory


WEB = ("--node", "web01.example.org")


def test_since_a_revision(control: Path) -> None:
    """Each difference stands below the edit that made it, with the same file name on both sides."""
    document = json.loads(wherefrom("diff", "--since", "HEAD~2", *WEB, "--json", cwd=control).stdout)
    causes = {each["path"]: [edit["after_place"] for edit in each["edits"]] for each in document["differences"]}
    assert causes["File[/etc/motd].mode"][0] == "data/os/Debian.yaml:2"
    assert "data/role/web.yaml:3" in causes["Nginx::Server[wiki].tls"]
    assert len(causes) == 6


def test_two_revisions_from_elsewhere(control: Path, tmp_path: Path) -> None:
    """`DIR@REV` on both sides, from another directory; the work tree may be in any state."""
    spoilt = control / "data/common.yaml"
    text = spoilt.read_text()
    spoilt.write_text("][")
    try:
        done = wherefrom("diff", f"{control}@HEAD~1", f"{control}@HEAD", *WEB, "--json", cwd=tmp_path)
    finally:
        spoilt.write_text(text)
    assert [each["path"] for each in json.loads(done.stdout)["differences"]] == [
        "Class[Profile::Base].motd_mode",
        "File[/etc/motd].mode",
    ]


def test_exit_code(control: Path) -> None:
    """Status 4 says that there are differences; without the option they are no failure."""
    assert wherefrom("diff", "--since", "HEAD~1", *WEB, cwd=control).returncode == 0
    assert wherefrom("diff", "--since", "HEAD~1", *WEB, "--exit-code", cwd=control).returncode == 4
    assert wherefrom("diff", "--since", "HEAD", *WEB, "--exit-code", cwd=control).returncode == 0
    assert wherefrom("diff", "--since", "nope", *WEB, "--exit-code", cwd=control).returncode == 1


def test_ignored_paths(control: Path) -> None:
    """What is left out is no difference any more."""
    ignored = ["--ignore", "*.motd_mode", "--ignore", "File[*].mode"]
    done = wherefrom("diff", "--since", "HEAD~1", *WEB, *ignored, "--exit-code", cwd=control)
    assert done.returncode == 0
    assert "no differences" in done.stdout


def test_a_text_is_compared_line_by_line(control: Path) -> None:
    """A rendered file shows the lines that changed."""
    shown = wherefrom("diff", "--since", "HEAD~2", *WEB, cwd=control).stdout
    assert "    -  listen 80;\n    +  listen 443 ssl;\n" in shown
    assert "worker_connections" not in shown


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Two manifests whose titles and values try to get out of the form they are shown in."""
    (tmp_path / "a.pp").write_text("notify { 'x': message => 'old' }\n")
    evil = "</code><script>alert(1)</script> @someone #12 ```` \\u001b[31m"
    (tmp_path / "b.pp").write_text(
        f'notify {{ "{evil}": message => "{evil}\\nsecond" }}\nnotify {{ "x": message => "n\\nm" }}\n'
    )
    return tmp_path


def test_markdown_can_not_be_broken_out_of(hostile: Path) -> None:
    """Values stand in a fence longer than any they hold; outside of it nothing is markup."""
    text = wherefrom("diff", "a.pp", "b.pp", "--format", "markdown", cwd=hostile).stdout
    assert text.startswith("<!-- wherefrom:diff -->\n**wherefrom**: ")
    lines = text.splitlines()
    fences = [line for line in lines if line.startswith("```")]
    assert fences and all(len(fence.removesuffix("diff")) >= 5 for fence in fences)
    inside = False
    for line in lines:
        if line.startswith("`````"):
            inside = not inside
        elif not inside:
            assert "<script" not in line and "@someone" not in line
    assert "\x1b" not in text


def test_html_holds_only_text(hostile: Path) -> None:
    """Everything from a configuration is escaped, and the page forbids scripts."""
    text = wherefrom("diff", "a.pp", "b.pp", "--format", "html", cwd=hostile).stdout
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in text
    assert "\x1b" not in text


def test_a_long_comment_is_cut_by_whole_groups(tmp_path: Path) -> None:
    """A comment has a greatest size; what is left out is counted."""
    rows = 900
    for name, value in (("a.pp", "old"), ("b.pp", "new")):
        lines = (f"notify {{ 'n{row}': message => '{value} {'x' * 60}' }}\n# after {row}\n" for row in range(rows))
        (tmp_path / name).write_text("".join(lines))
    text = wherefrom("diff", "a.pp", "b.pp", "--format", "markdown", cwd=tmp_path).stdout
    assert len(text) < 65_000
    shown = text.count("<details>")
    assert shown > 100
    assert f"{rows - shown} more groups of differences" in text


def test_a_long_group_is_cut_too(tmp_path: Path) -> None:
    """One edit with a thousand effects is still shown, as far as there is room."""
    for name, value in (("a.pp", "old"), ("b.pp", "new")):
        (tmp_path / name).write_text(f"Integer[1, 1000].each |$n| {{ notify {{ \"n$n\": message => '{value}' }} }}\n")
    text = wherefrom("diff", "a.pp", "b.pp", "--format", "markdown", cwd=tmp_path).stdout
    assert len(text) < 65_000
    assert "Notify[n1].message" in text
    assert "more lines" in text


def test_wrong_use(tmp_path: Path) -> None:
    """One side missing, or too many."""
    assert wherefrom("diff", "a.pp", cwd=tmp_path).returncode == 2
    assert wherefrom("diff", "--since", "main", "a", "b", cwd=tmp_path).returncode == 2


# --- causes ---


def edited(control: Path, name: str, old: str, new: str) -> None:
    """Change a file of the work tree."""
    path = control / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.fixture
def work_tree(control: Path) -> Iterator[Path]:
    """The repository, whose work tree may be spoilt."""
    yield control
    subprocess.run(["git", "-C", str(control), "checkout", "-q", "."], check=True)


def causes_since(control: Path, *options: str) -> dict[str, list[str]]:
    """For each output that differs since the last commit, the places of its edits."""
    done = wherefrom("diff", "--since", "HEAD", *WEB, *options, "--json", cwd=control)
    return {
        each["path"]: [edit["after_place"] or edit["before_place"] for edit in each["edits"]]
        for each in json.loads(done.stdout)["differences"]
    }


@pytest.mark.parametrize(
    ("name", "old", "new", "cause"),
    [
        ("facts/web01.example.org.yaml", "role: web", "role: database", "fact role"),
        ("site/role/manifests/web.pp", "  include profile::wiki\n", "", "site/role/manifests/web.pp:4"),
        (
            "site/profile/manifests/wiki.pp",
            "  include nginx",
            "  if $facts['virtual'] == 'kvm' { return() }\n  include nginx",
            "site/profile/manifests/wiki.pp:11",
        ),
        ("data/common.yaml", "wiki.example.org", "www.example.org", "data/common.yaml:10"),
    ],
)
def test_everything_that_comes_or_goes_has_a_cause(work_tree: Path, name: str, old: str, new: str, cause: str) -> None:
    """Facts, includes taken out, jumps put in: each difference names its edit, and no file that was not edited."""
    edited(work_tree, name, old, new)
    causes = causes_since(work_tree)
    assert causes
    assert {path: places for path, places in causes.items() if cause not in places} == {}
    assert {place.partition(":")[0] for places in causes.values() for place in places} == {cause.partition(":")[0]}


def test_equal_differences_of_nodes_stand_together(control: Path) -> None:
    """Over all nodes: what the same nodes share is told once."""
    document = json.loads(wherefrom("diff", "--since", "HEAD~2", "--nodes", "--json", cwd=control).stdout)
    groups = {tuple(name.partition(".")[0] for name in group["nodes"]): group for group in document["groups"]}
    assert set(groups) == {("db01", "web01"), ("web01", "web02")}
    shared = [each["path"] for each in groups["web01", "web02"]["differences"]]
    assert "File[/etc/nginx/sites-enabled/wiki.conf].content" in shared
    assert document["same"] == []
    text = wherefrom("diff", "--since", "HEAD~2", "--nodes", "web*", cwd=control).stdout
    assert text.startswith("2 nodes: 2 changed, 0 the same\n")
    assert wherefrom("diff", "--since", "HEAD", "--nodes", "--exit-code", cwd=control).returncode == 0
    assert wherefrom("diff", "--since", "HEAD~2", "--nodes", "--exit-code", cwd=control).returncode == 4
    for form, sign in (
        ("markdown", "**2 nodes: web01.example.org, web02.example.org**"),
        ("html", "<h2>2 nodes: web01"),
    ):
        assert sign in wherefrom("diff", "--since", "HEAD~2", "--nodes", "--format", form, cwd=control).stdout


def test_a_node_that_does_not_compile_stops_nobody(work_tree: Path) -> None:
    """It is told, and the status says so."""
    edited(work_tree, "site/profile/manifests/db.pp", "package {", "fail('no')\n  package {")
    done = wherefrom("diff", "--since", "HEAD", "--nodes", cwd=work_tree)
    assert done.returncode == 1
    assert "1 did not compile" in done.stdout
    assert "while compiling db01.example.org" in done.stderr


def test_two_nodes_of_one_repository(control: Path) -> None:
    """The same code for two nodes: facts and the node's name are the causes."""
    done = wherefrom("diff", *WEB, "--other-node", "web02.example.org", cwd=control)
    assert done.returncode == 0
    assert 'edit fact os.family\n  - "Debian"\n  + "RedHat"\n' in done.stdout
    assert 'edit node name\n  - "web01.example.org"\n  + "web02.example.org"\n' in done.stdout
    document = json.loads(
        wherefrom("diff", ".", *WEB, "--other-node", "web02.example.org", "--json", cwd=control).stdout
    )
    assert {"File[/etc/motd].mode", "Package[smartmontools]"} <= {each["path"] for each in document["differences"]}
    assert all(each["edits"] for each in document["differences"])
    same = wherefrom("diff", *WEB, "--other-node", "web01.example.org", "--exit-code", cwd=control)
    assert (same.returncode, same.stdout) == (0, "no differences in 57 outputs\n")


def test_two_sets_of_facts(control: Path, tmp_path: Path) -> None:
    """The same node with other facts."""
    facts = (control / "facts/web01.example.org.yaml").read_text()
    (tmp_path / "other.yaml").write_text(facts.replace("Debian", "RedHat"))
    done = wherefrom("diff", *WEB, "--other-facts", str(tmp_path / "other.yaml"), "--exit-code", cwd=control)
    assert done.returncode == 4
    assert 'changed File[/etc/motd].mode: "0640" -> "0644"' in done.stdout


def test_nodes_are_compared_with_themselves_or_with_another(control: Path) -> None:
    """Not both at once; and the other node must be known."""
    done = wherefrom("diff", "--since", "HEAD", "--nodes", "--other-node", "web02.example.org", cwd=control)
    assert (done.returncode, "--nodes cannot be combined with" in done.stderr) == (2, True)
    done = wherefrom("diff", *WEB, "--other-node", "web09.example.org", cwd=control)
    assert (done.returncode, "no facts for this node" in done.stderr) == (1, True)


# --- every kind of edit ---

MODULE = {
    "hiera.yaml": "version: 5\nhierarchy:\n  - name: os\n    path: os/%{facts.os.family}.yaml\n"
    "  - name: common\n    path: common.yaml\n",
    "data/os/Debian.yaml": "m::a: deb\n",
    "data/common.yaml": "m::a: common\nm::b: bb\n",
    "manifests/site.pp": "include m\n",
    "modules/m/manifests/init.pp": """class m(
  $a,
  $b = 'none',
) {
  notify { 'both': message => "${a} ${b}" }
  file { '/etc/x': content => template('m/x.erb') }
  file { '/etc/y': content => file('m/y') }
  file { '/etc/z': content => epp('m/z.epp', { 'b' => $b }) }
  if $facts['extra'] {
    notify { 'extra': }
  }
}
""",
    "modules/m/templates/x.erb": "A <%= @a %>\n",
    "modules/m/templates/z.epp": "Z <%= $b %>\n",
    "modules/m/files/y": "y\n",
    "facts.yaml": "os:\n  family: Debian\nextra: true\n",
}


def causes_between(tmp_path: Path, *edits: tuple[str, str, str]) -> dict[str, list[str]]:
    """For each output that differs after edits (file, old, new), the files or inputs of its causes."""
    for side in ("a", "b"):
        for name, text in MODULE.items():
            for file, old, new in edits if side == "b" else ():
                assert name != file or old in text
                text = text.replace(old, new) if name == file else text
            path = tmp_path / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    facts = ("--facts", "a/facts.yaml", "--other-facts", "b/facts.yaml")
    document = json.loads(wherefrom("diff", "a", "b", "--node", "n", *facts, "--json", cwd=tmp_path).stdout)
    assert all(each.get("proved", True) for each in document["differences"])
    return {
        each["path"]: [(edit["after_place"] or edit["before_place"]).removeprefix("b/") for edit in each["edits"]]
        for each in document["differences"]
    }


@pytest.mark.parametrize(
    ("file", "old", "new", "path", "cause"),
    [
        ("facts.yaml", "extra: true\n", "", "Notify[extra]", "fact extra"),
        ("data/os/Debian.yaml", "m::a: deb\n", "other: 1\n", "Class[M].a", "data/os/Debian.yaml:1"),
        ("hiera.yaml", "  - name: os\n    path: os/%{facts.os.family}.yaml\n", "", "Class[M].a", "hiera.yaml:3"),
        ("modules/m/templates/x.erb", "A ", "AA ", "File[/etc/x].content", "modules/m/templates/x.erb:1"),
        ("modules/m/templates/z.epp", "Z ", "ZZ ", "File[/etc/z].content", "modules/m/templates/z.epp:1"),
        ("modules/m/files/y", "y", "yy", "File[/etc/y].content", "modules/m/files/y:1"),
        ("modules/m/manifests/init.pp", "$b", "$c", "Class[M].c", "modules/m/manifests/init.pp:3"),
    ],
)
def test_each_kind_of_edit_is_a_cause(tmp_path: Path, file: str, old: str, new: str, path: str, cause: str) -> None:
    """A fact or a datum that is gone, the hierarchy, templates, files that are read, a parameter with a new name."""
    assert cause in causes_between(tmp_path, (file, old, new))[path]


def test_two_edits_that_meet_in_a_value(tmp_path: Path) -> None:
    """Both are named, and no third one."""
    causes = causes_between(
        tmp_path,
        ("data/os/Debian.yaml", "deb", "x"),
        ("data/common.yaml", "bb", "cc"),
        ("modules/m/files/y", "y", "yy"),
    )
    assert causes["Notify[both].message"] == ["data/os/Debian.yaml:1", "data/common.yaml:2"]
    assert causes["Class[M].a"] == ["data/os/Debian.yaml:1"]


def test_keys_of_data_that_stand_together_are_edits_of_their_own(tmp_path: Path) -> None:
    """A key whose value no output has is not told beside the next one."""
    causes = causes_between(tmp_path, ("data/common.yaml", "common", "ordinary"), ("data/common.yaml", "bb", "cc"))
    assert set(map(tuple, causes.values())) == {("data/common.yaml:2",)}
    assert "Class[M].b" in causes and "Class[M].a" not in causes


def test_edits_that_only_do_together_what_each_does_not(tmp_path: Path) -> None:
    """Where either would do, both are named; one that changes nothing is not."""
    causes = causes_between(
        tmp_path,
        ("facts.yaml", "extra: true\n", ""),
        ("modules/m/manifests/init.pp", "  if $facts['extra'] {\n    notify { 'extra': }\n  }\n", ""),
        ("hiera.yaml", "version: 5", "# the hierarchy\nversion: 5"),
    )
    assert causes == {"Notify[extra]": ["fact extra", "modules/m/manifests/init.pp:9"]}


def test_saved_outcomes_can_not_be_compiled_again(tmp_path: Path) -> None:
    """Several edits that may be behind a difference are all named, and told as not proved."""
    causes_between(tmp_path, ("data/os/Debian.yaml", "deb", "x"), ("data/common.yaml", "bb", "cc"))
    wherefrom("compile", "a", "--node", "n", "--facts", "a/facts.yaml", "--save", "a.json", cwd=tmp_path)
    done = wherefrom("diff", "a.json", "b", "--node", "n", "--facts", "a/facts.yaml", cwd=tmp_path)
    assert "one of these edits, or several:\n" in done.stdout
    assert "Notify[both].message" in done.stdout


def test_the_order_of_resources_counts_and_that_of_attributes_does_not(tmp_path: Path) -> None:
    """Resources are applied one after the other; an attribute that is written before another one changes nothing."""
    site = "notify { 'a': message => 'x', withpath => true }\nnotify { 'b': }\n"
    for name, text in (
        ("old", site),
        ("new", site.replace("message => 'x', withpath => true", "withpath => true, message => 'x'")),
    ):
        (tmp_path / f"{name}.pp").write_text(text)
    assert "no differences" in wherefrom("diff", "old.pp", "new.pp", "--node", "n", cwd=tmp_path).stdout
    (tmp_path / "new.pp").write_text("".join(reversed(site.splitlines(keepends=True))))
    shown = wherefrom("diff", "old.pp", "new.pp", "--node", "n", cwd=tmp_path).stdout
    assert "order   Notify[a]: in another place of the order" in shown
