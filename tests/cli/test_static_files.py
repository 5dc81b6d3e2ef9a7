"""Files that a catalog points at: their contents differ, have lines, and are inputs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support import commands

MODULE = """class m {
  file { '/etc/acl': source => 'puppet:///modules/m/acl' }
  file { '/etc/list': source => ['puppet:///modules/m/none', 'puppet:///modules/m/second'] }
  file { '/etc/dir': ensure => directory, recurse => true, source => 'puppet:///modules/m/dir', ignore => '*.swp' }
  file { '/etc/binary': source => 'puppet:///modules/m/binary' }
  file { '/etc/mounted': source => 'puppet:///extra/mounted' }
  file { '/etc/flat': ensure => directory, source => 'puppet:///modules/m/dir' }
  file { '/etc/machine': source => ['/srv/own', 'puppet:///elsewhere/a', 'puppet:///modules/m/own'] }
  m::part { 'one': source => 'puppet:///modules/m/part' }
  m_part { 'two': key_source => ['puppet:///modules/m/nothing', 'puppet:///modules/m/part'], source => '/srv/own' }
}
define m::part (String $source) {
  m_part { $title: source => $source }
}
"""
FILES = {
    "manifests/site.pp": "include m\n",
    "modules/m/manifests/init.pp": MODULE,
    "modules/m/files/acl": "root\nadmin\nuser\n",
    "modules/m/lib/puppet/type/m_part.rb": """Puppet::Type.newtype(:m_part) do
  newparam(:name, namevar: true)
  newparam(:source)
  newparam(:key_source)
end
""",
    "modules/m/files/own": "own\n",
    "modules/m/files/part": "part\n",
    "modules/m/files/dir/.y.swp": "y\n",
    "modules/m/files/second": "2\n",
    "modules/m/files/dir/one": "1\n",
    "modules/m/files/dir/sub/two": "2\n",
    "modules/m/files/dir/x.swp": "x\n",
    "fileserver.conf": "[extra]\n  path files/%h\n",
    "files/web/mounted": "m\n",
}


def wherefrom(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, "--node", "web.example.org", cwd=cwd)


@pytest.fixture
def sides(tmp_path: Path) -> Path:
    """A repository twice."""
    for name, text in FILES.items():
        path = tmp_path / "a" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "a/modules/m/files/binary").write_bytes(b"\0old")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    return tmp_path


def differences(sides: Path) -> dict[str, tuple[str, list[str]]]:
    """How each output differs, and the places of its causes."""
    document = json.loads(wherefrom("diff", "a", "b", "--json", cwd=sides).stdout)
    return {
        each["path"]: (each["change"], [edit["after_place"] or edit["before_place"] for edit in each["edits"]])
        for each in document["differences"]
    }


@pytest.mark.parametrize(
    ("file", "text", "path"),
    [
        ("modules/m/files/acl", "root\nboss\nuser\n", "content of File[/etc/acl]"),
        ("modules/m/files/second", "22\n", "content of File[/etc/list]"),
        ("modules/m/files/dir/sub/two", "22\n", "content of File[/etc/dir]/sub/two"),
        ("files/web/mounted", "mm\n", "content of File[/etc/mounted]"),
        ("modules/m/files/dir/.y.swp", "yy\n", "content of File[/etc/dir]/.y.swp"),
        (
            "modules/m/files/own",
            "other\n",
            "content of File[/etc/machine] (if /srv/own or puppet:///elsewhere/a is not there)",
        ),
    ],
)
def test_another_content_is_a_difference(sides: Path, file: str, text: str, path: str) -> None:
    """Its cause is the edit of the file; nothing else differs."""
    (sides / "b" / file).write_text(text)
    line = 2 if "boss" in text else 1
    assert differences(sides) == {path: ("changed", [f"b/{file}:{line}"])}


def test_other_types_fetch_files_too(sides: Path) -> None:
    """A fragment of a file, an archive, a key: what stands in the catalog, not the define that declares it."""
    (sides / "b/modules/m/files/part").write_text("other\n")
    place = "b/modules/m/files/part:1"
    assert differences(sides) == {
        "content of M_part[one]": ("changed", [place]),
        "content of M_part[two].key_source": ("changed", [place]),
    }
    shown = wherefrom("explain", "a", "M_part[one]", "--line", "1", cwd=sides).stdout
    assert "a/modules/m/files/part:1:1" in shown


def test_a_link_to_a_directory_is_made_as_it_is(sides: Path) -> None:
    """What is behind it is not copied, also where it leads upwards."""
    for side in "ab":
        (sides / side / "modules/m/files/dir/sub/up").symlink_to("..")
    (sides / "b/modules/m/files/dir/one").write_text("11\n")
    assert list(differences(sides)) == ["content of File[/etc/dir]/one"]


def test_files_below_a_directory_come_and_go(sides: Path) -> None:
    """With `recurse`; what is ignored, and a directory without it, is not looked into."""
    (sides / "b/modules/m/files/dir/one").unlink()
    (sides / "b/modules/m/files/dir/three").write_text("3\n")
    (sides / "b/modules/m/files/dir/x.swp").write_text("y\n")
    assert differences(sides) == {
        "content of File[/etc/dir]/one": ("removed", ["a/modules/m/files/dir/one:1"]),
        "content of File[/etc/dir]/three": ("added", ["b/modules/m/files/dir/three:1"]),
    }


def test_the_first_of_a_list_that_is_there_counts(sides: Path) -> None:
    """One that comes hides the next."""
    (sides / "b/modules/m/files/none").write_text("first\n")
    assert differences(sides) == {"content of File[/etc/list]": ("changed", ["b/modules/m/files/none:1"])}


def test_what_is_no_text_is_told_by_size_and_digest(sides: Path) -> None:
    (sides / "b/modules/m/files/binary").write_bytes(b"\0newer")
    assert differences(sides) == {"content of File[/etc/binary]": ("changed", ["b/modules/m/files/binary"])}
    shown = wherefrom("diff", "a", "b", cwd=sides).stdout
    assert "4 bytes, sha256 " in shown and "6 bytes, sha256 " in shown


def test_a_text_is_shown_line_by_line(sides: Path) -> None:
    (sides / "b/modules/m/files/acl").write_text("root\nboss\nuser\n")
    assert "    -admin\n    +boss\n" in wherefrom("diff", "a", "b", cwd=sides).stdout


def test_a_line_of_a_file(sides: Path) -> None:
    """Asked for by the file, whatever its content comes from."""
    shown = wherefrom("explain", "a", "File[/etc/acl]", "--line", "3", cwd=sides).stdout
    assert "a/modules/m/files/acl:3:1" in shown
    assert wherefrom("explain", "a", "File[/etc/acl]", "--line", "9", cwd=sides).returncode == 1
    assert "content of" in wherefrom("explain", "a", "content of File[/etc/dir]/sub/two", cwd=sides).stdout
    assert wherefrom("explain", "a", "content of File[/etc/machine]", cwd=sides).returncode == 1


def test_each_run_of_lines_has_its_own_cause(sides: Path) -> None:
    """Of two edits of one file, a line that came rests on the one that put it there."""
    (sides / "b/modules/m/files/acl").write_text("root\nuser\nguest\n")
    shown = wherefrom("diff", "a", "b", cwd=sides).stdout
    assert "    @ b/modules/m/files/acl:2\n     root\n    -admin\n" in shown
    assert "    @ b/modules/m/files/acl:3\n    +guest\n" in shown


def test_a_line_of_a_file_is_an_input(sides: Path) -> None:
    """By its name and number; a line that is not there, and a file without lines, are told."""
    shown = wherefrom("impact", "a", "modules/m/files/acl:2", cwd=sides)
    assert shown.stdout.count("content of File[") == 1 and "content of File[/etc/acl]" in shown.stdout
    assert "has only 3 lines, no line 9" in wherefrom("impact", "a", "modules/m/files/acl:9", cwd=sides).stderr
    refused = wherefrom("impact", "a", "modules/m/files/binary:1", cwd=sides)
    assert (refused.returncode, "has no lines" in refused.stderr) == (2, True)
    assert "content of File[/etc/binary]" in wherefrom("impact", "a", "files/binary", cwd=sides).stdout
    assert wherefrom("impact", "a", "modules/m/files/dir/x.swp:1", cwd=sides).returncode == 2


def test_a_content_without_lines(sides: Path) -> None:
    """Its lines can not be asked for; a real file is compared with it as a whole."""
    asked = wherefrom("explain", "a", "File[/etc/binary]", "--line", "1", cwd=sides)
    assert asked.returncode == 1 and "it is not text, or too long, and has no lines: (4 bytes, sha256" in asked.stderr
    (sides / "real").write_bytes(b"\0real")
    against = ("explain", "a", "/etc/binary", "--against")
    shown = wherefrom(*against, "real", cwd=sides).stdout
    assert "has no lines, and is not real" in shown and "- (5 bytes" in shown and "+ (4 bytes" in shown
    assert json.loads(wherefrom(*against, "real", "--json", cwd=sides).stdout)["same"] is False
    shown = wherefrom(*against, "b/modules/m/files/binary", cwd=sides).stdout
    assert shown == "content of File[/etc/binary] is the content of b/modules/m/files/binary\n"


def test_a_saved_outcome_has_the_contents(sides: Path) -> None:
    """So a comparison with it knows that one differs, also a binary one; and nothing else."""
    assert wherefrom("compile", "a", "--save", "saved.json", cwd=sides).returncode == 0
    assert "no differences" in wherefrom("diff", "saved.json", "a", cwd=sides).stdout
    (sides / "b/modules/m/files/acl").write_text("root\nboss\nuser\n")
    (sides / "b/modules/m/files/binary").write_bytes(b"\0newer")
    shown = wherefrom("diff", "saved.json", "b", cwd=sides).stdout
    assert "    -admin\n    +boss\n" in shown and "changed content of File[/etc/binary]" in shown
    assert shown.count("content of") == 2
    shown = wherefrom("explain", "saved.json", "content of File[/etc/acl]", cwd=sides).stdout
    assert "a/modules/m/files/acl:1:1" in shown


def test_impact_of_a_file(sides: Path) -> None:
    """What is pointed at is an output that the file is an input of."""
    shown = wherefrom("impact", "a", "files/acl", cwd=sides).stdout
    assert "content of File[/etc/acl]" in shown
    assert "content of File[/etc/list]" not in shown
    assert (
        "content of File[/etc/list]" in wherefrom("impact", "a", "modules/m/files/none", "--absent", cwd=sides).stdout
    )


def test_a_fleet_compiles_again_what_points_at_another_content(sides: Path) -> None:
    """The content is something that the node's catalog depends on."""
    (sides / "facts").mkdir()
    (sides / "facts/web.example.org.yaml").write_text("role: web\n")
    (sides / "b/modules/m/files/acl").write_text("root\nboss\nuser\n")
    arguments = ("fleet", "diff", "a", "b", "--facts", "facts", "--format", "json")
    document = json.loads(commands.wherefrom(*arguments, cwd=sides).stdout)
    assert [each["path"] for group in document["groups"] for each in group["differences"]] == [
        "content of File[/etc/acl]"
    ]


def test_secrets_of_a_saved_outcome_are_no_difference(tmp_path: Path) -> None:
    """It has asterisks for them; what stands beside them is compared."""
    (tmp_path / "modules/m/files").mkdir(parents=True)
    (tmp_path / "modules/m/files/a").write_text("pw hunter2-long\n")
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/site.pp").write_text(
        "$s = Sensitive('hunter2-long')\nnotify { 'a': message => $s }\n"
        "file { '/b': content => \"x ${s.unwrap}\\n\" }\nfile { '/c': source => 'puppet:///modules/m/a' }\n"
    )
    assert wherefrom("compile", ".", "--save", "saved.json", cwd=tmp_path).returncode == 0
    assert "no differences" in wherefrom("diff", "saved.json", ".", cwd=tmp_path).stdout
    (tmp_path / "modules/m/files/a").write_text("password hunter2-long\n")
    document = json.loads(wherefrom("diff", "saved.json", ".", "--json", cwd=tmp_path).stdout)
    assert [(each["path"], [edit["after_place"] for edit in each["edits"]]) for each in document["differences"]] == [
        ("content of File[/c]", ["modules/m/files/a:1"])
    ]
