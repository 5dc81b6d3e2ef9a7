"""`wherefrom set`: from an output and a value to edits that were compiled."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import commands
from wherefrom.base import writing
from wherefrom.base.diagnostics import UsageError
from wherefrom.base.secrets import raw
from wherefrom.cli.set import _apply
from wherefrom.language import Inputs
from wherefrom.session import Session
from wherefrom.wishes import Proposal

CONTROL = Path(__file__).resolve().parents[2] / "examples/control"
WEB = ("--node", "web01.example.org")
DB = ("--node", "db01.example.org")
MODE = "File[/etc/motd].mode"


@pytest.fixture
def control(tmp_path: Path) -> Path:
    """A copy of the example, which may be written."""
    return Path(shutil.copytree(CONTROL, tmp_path / "control"))


def wherefrom(*arguments: str, cwd: Path = CONTROL) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


def document(*arguments: str, cwd: Path = CONTROL) -> Any:
    """The answer of `set --json`."""
    done = wherefrom("set", *arguments, "--json", cwd=cwd)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def value(folder: Path, path: str, *options: str) -> object:
    """What another command says of a value."""
    done = wherefrom("explain", ".", path, *options, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["value"]


def first_lines(answer: Any) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each proposal's first file with its changed lines."""
    rows = []
    for proposal in answer["proposals"]:
        file = proposal["files"][0]
        rows.append((file["file"], [(line["sign"], line["text"]) for line in file["lines"]]))
    return rows


def test_levels_of_the_data_come_first() -> None:
    """The node's own file, then wider ones, then a constant, then an override; a level below is hidden."""
    answer = document(MODE, "0600", *WEB)
    assert [proposal["kinds"] for proposal in answer["proposals"]] == [
        ["data added"],
        ["value replaced"],
        ["data added"],
        ["expression replaced by a constant"],
        ["override added"],
    ]
    assert first_lines(answer)[0] == (
        "data/nodes/web01.example.org.yaml",
        [("+", "profile::base::motd_mode: '0600'")],
    )
    assert [row["path"] for row in answer["proposals"][0]["changes"]] == ["Class[Profile::Base].motd_mode"]
    assert [node["node"] for node in answer["proposals"][2]["nodes"]] == ["web02.example.org"]
    assert {"what": "data/common.yaml", "because": "hidden by data/os/Debian.yaml:2"} in answer["obstacles"]


@pytest.mark.parametrize(
    ("reach", "file"),
    [
        ("node", "data/nodes/web01.example.org.yaml"),
        ("role", "data/role/web.yaml"),
        ("Operating system", "data/os/Debian.yaml"),
    ],
)
def test_for_a_level(reach: str, file: str) -> None:
    """A level by its name, or by the input that its files are named after."""
    rows = first_lines(document(MODE, "0600", *WEB, "--for", reach))
    assert [name for name, _ in rows] == [file]


def test_an_unknown_level_is_an_error() -> None:
    """With those that there are."""
    done = wherefrom("set", MODE, "0600", *WEB, "--for", "datacenter")
    assert done.returncode == 2
    assert "node, one node, operating system" in done.stderr


@pytest.mark.parametrize(
    ("output", "wanted", "node", "line"),
    [
        ("File[/etc/ntp.conf].content", "server ntp.example.org iburst\n", WEB, "  - ntp.example.org"),
        ("/etc/ntp.conf:1", "server ntp.example.org iburst", WEB, "  - ntp.example.org"),
        ("File[/etc/nginx/nginx.conf].content", None, WEB, "nginx::worker_connections: 99"),
        ("Nginx::Server[wiki].port", "8443", WEB, "profile::wiki::port: 8443"),
        ("Package[postgresql].ensure", "16", DB, "profile::db::version: '16'"),
        ("Class[Profile::Db].settings.max_connections", "200", DB, "  max_connections: 200"),
        ("Service[ntp].enable", "false", WEB, "    enable => false,"),
        ("Service[ntp].ensure", "stopped", WEB, "    ensure => stopped,"),
        ("File[/etc/motd].owner", "adm", WEB, "  owner => 'adm',"),
    ],
)
def test_what_is_written(output: str, wanted: str | None, node: tuple[str, str], line: str) -> None:
    """Through parameters, templates, joined lists, merged hashes; written as the file writes it."""
    if wanted is None:
        wanted = str(value(CONTROL, output, *node)).replace("4096", "99")
    answer = document(output, wanted, *node)
    assert line in [row["text"] for proposal in answer["proposals"] for row in proposal["files"][0]["lines"]]
    assert answer["proposals"][0]["kinds"] != ["override added"]


def test_apply_and_ask_again(control: Path) -> None:
    """What was applied is what is there; then nothing is left to do, and all other bytes are what they were."""
    before = {path: path.read_bytes() for path in control.rglob("*") if path.is_file()}
    done = wherefrom("set", MODE, "0600", *WEB, "--for", "role", "--apply", cwd=control)
    assert (done.returncode, done.stdout) == (0, "wrote data/role/web.yaml\n")
    assert value(control, MODE, *WEB) == "0600"
    after = {path: path.read_bytes() for path in control.rglob("*") if path.is_file()}
    assert [path.name for path in after if after[path] != before.get(path)] == ["web.yaml"]
    assert (control / "data/role/web.yaml").read_text().startswith((CONTROL / "data/role/web.yaml").read_text())
    again = wherefrom("set", MODE, "0600", *WEB, cwd=control)
    assert (again.returncode, again.stdout) == (0, f'{MODE} = "0600", wanted "0600"\nnothing to do\n')


def test_a_new_file(control: Path) -> None:
    """A level whose file is not there yet."""
    done = wherefrom("set", "Package[postgresql].ensure", "16", *DB, "--for", "node", "--apply", cwd=control)
    assert done.returncode == 0, done.stderr
    assert (control / "data/nodes/db01.example.org.yaml").read_text() == "---\nprofile::db::version: '16'\n"


def test_a_patch_for_git(control: Path) -> None:
    """`git apply` takes it, with a file that is new and one that is there."""
    wishes = ("Package[postgresql].ensure=16", "Service[ntp].enable=false")
    patch = wherefrom("set", *wishes, *DB, "--patch", cwd=control).stdout
    assert patch.count("diff --git") == 2
    subprocess.run(["git", "apply"], input=patch, text=True, cwd=control, check=True)
    assert value(control, "Package[postgresql].ensure", *DB) == "16"
    assert value(control, "Service[ntp].enable", *DB) is False


def test_a_patch_for_a_project_elsewhere(control: Path) -> None:
    """Git takes no names that lead upwards, so they are below the project."""
    subprocess.run(["git", "init", "-q", "."], cwd=control, check=True)
    for place in ("../control", str(control)):
        (control.parent / "beside").mkdir(exist_ok=True)
        done = wherefrom("set", place, MODE, "0600", *WEB, "--patch", cwd=control.parent / "beside")
        assert done.stdout.startswith("diff --git a/data/nodes/"), done.stdout
        subprocess.run(["git", "apply", "--check"], cwd=control, input=done.stdout, text=True, check=True)


def test_a_link_is_edited_where_it_leads(control: Path) -> None:
    """And every node that reads the file, by a link or not, is told to change with it."""
    node = control / "data/nodes/web01.example.org.yaml"
    node.unlink()
    node.symlink_to("../role/web.yaml")
    answer = document("Class[Nginx].worker_connections", "77", *WEB, cwd=control)
    first = answer["proposals"][0]
    assert first["files"][0]["file"] == "data/role/web.yaml"
    assert [entry["node"] for entry in first["nodes"]] == ["web02.example.org"]
    done = wherefrom("set", "Class[Nginx].worker_connections", "77", *WEB, "--apply", cwd=control)
    assert done.returncode == 0, done.stderr
    assert node.is_symlink()
    assert "worker_connections: 77\n" in (control / "data/role/web.yaml").read_text()
    shown = document("Class[Nginx].worker_connections", "88", "--node", "web02.example.org", cwd=control)
    of_role = next(one for one in shown["proposals"] if one["files"][0]["file"] == "data/role/web.yaml")
    assert [entry["node"] for entry in of_role["nodes"]] == ["web01.example.org"]


@pytest.mark.parametrize(
    ("output", "wanted", "file", "line"),
    [
        ("File[/etc/motd].seltype", "etc_t", "site/profile/manifests/base.pp", "    seltype => 'etc_t',"),
        ("Class[Opt].number", "5", "data/common.yaml", "opt::number: 5"),
        ("Class[Opt].empty", "x", "data/common.yaml", "opt::empty: x"),
        ("Opt::Thing[a].size", "[1]", "site/opt/manifests/init.pp", "  opt::thing { 'a': size => [1] }"),
    ],
)
def test_what_is_not_set_yet(output: str, wanted: str, file: str, line: str, control: Path) -> None:
    """A parameter that is undefined, in data or as null in it, or an attribute that nothing sets."""
    module = control / "site/opt/manifests"
    module.mkdir(parents=True)
    (module / "init.pp").write_text(
        "class opt (Optional[Integer] $number = undef, $empty = undef) {\n  opt::thing { 'a': }\n}\n"
    )
    (module / "thing.pp").write_text("define opt::thing ($size = undef) { }\n")
    with (control / "manifests/site.pp").open("a") as manifest:
        manifest.write("include opt\n")
    with (control / "data/common.yaml").open("a") as data:
        data.write("opt::empty: ~\n")
    answer = document(output, wanted, *WEB, cwd=control)
    assert "value" not in answer["wishes"][0]
    assert [("+", line)] in [
        [edit for edit in lines if edit[0] == "+"] for name, lines in first_lines(answer) if name == file
    ]
    done = wherefrom("set", output, wanted, *WEB, "--apply", cwd=control)
    assert done.returncode == 0, done.stderr
    assert document(output, wanted, *WEB, cwd=control)["proposals"] == []
    assert wherefrom("set", "Class[Opt].nmber", "5", *WEB, cwd=control).returncode == 1


def test_an_element_goes_without_what_is_below_it(tmp_path: Path) -> None:
    """The last element of a list within a mapping: the keys and comments behind it stay."""
    text = "---\na::n:\n  k:\n    - x: 1\n      y: 2\n    - x: 3   # here\n\n  # of m\n  m: 5\n"
    for name, content in {
        **ODD,
        "data/common.yaml": text,
        "manifests/site.pp": "class a ($n) { }\ninclude a\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    given = ("--node", "n.x", "--files", "data/common.yaml")
    assert first_lines(document(".", "Class[A].n.k[1]", "--absent", *given, cwd=tmp_path)) == [
        ("data/common.yaml", [("-", "    - x: 3   # here")])
    ]


def test_one_of_several_titles_goes(control: Path) -> None:
    """A resource that is declared with others: its title goes from the list, in the code or in the data."""
    with (control / "manifests/site.pp").open("a") as manifest:
        manifest.write("package { ['a', 'b', 'c']: }\nlookup('names').each |$name| { group { $name: } }\n")
    with (control / "data/common.yaml").open("a") as data:
        data.write("names: [x, y]\n")
    for output, file, lines in (
        ("Package[a]", "manifests/site.pp", [("-", "package { ['a', 'b', 'c']: }"), ("+", "package { ['b', 'c']: }")]),
        ("Package[c]", "manifests/site.pp", [("-", "package { ['a', 'b', 'c']: }"), ("+", "package { ['a', 'b']: }")]),
        ("Group[y]", "data/common.yaml", [("-", "names: [x, y]"), ("+", "names: [x]")]),
    ):
        answer = document(output, "--absent", *WEB, cwd=control)
        assert first_lines(answer) == [(file, lines)]
        assert not answer["proposals"][0]["changes"]


def test_plain_data_is_not_put_among_secrets_first(control: Path) -> None:
    """Where two levels reach the same nodes, the one that is there for encrypted values comes behind."""
    hierarchy = (control / "hiera.yaml").read_text()
    level = "  - name: secrets\n    path: secrets.yaml\n    lookup_key: eyaml_lookup_key\n"
    level += (
        "    options: {pkcs7_private_key: keys/private_key.pkcs7.pem, pkcs7_public_key: keys/public_key.pkcs7.pem}\n"
    )
    (control / "hiera.yaml").write_text(hierarchy.replace("  - name: Everywhere", level + "  - name: Everywhere"))
    (control / "data/secrets.yaml").write_text("--- {}\n")
    (control / "site/more/manifests").mkdir(parents=True)
    (control / "site/more/manifests/init.pp").write_text("class more ($port = 1) { }\n")
    with (control / "manifests/site.pp").open("a") as manifest:
        manifest.write("include more\n")
    answer = document("Class[More].port", "2", *WEB, "--for", "all", cwd=control)
    assert [name for name, _ in first_lines(answer)] == ["data/common.yaml"]
    (control / "data/secrets.yaml").write_text("---\nother: 1\n")
    answer = document("Class[More].port", "2", *WEB, "--for", "all", cwd=control)
    assert [name for name, _ in first_lines(answer)] == ["data/common.yaml", "data/secrets.yaml"]


def test_other_repositories_are_not_edited(control: Path) -> None:
    """A module that is a clone of its own, or a submodule."""
    (control / "site/profile/.git").write_text("gitdir: ../../.git/modules/profile\n")
    answer = document(MODE, "0600", *WEB, cwd=control)
    names = [file["file"] for proposal in answer["proposals"] for file in proposal["files"]]
    assert names and "site/profile/manifests/base.pp" not in names
    assert any("another repository" in one["because"] for one in answer["obstacles"])


def test_several_wishes_are_fulfilled_together() -> None:
    """One set of edits, of one file where that is best."""
    answer = document("Class[Profile::Wiki].port=444", f"{MODE}=0600", *WEB)
    assert first_lines(answer)[0] == (
        "data/nodes/web01.example.org.yaml",
        [("+", "profile::wiki::port: 444"), ("+", "profile::base::motd_mode: '0600'")],
    )


def test_a_title_that_ends_with_a_quote(tmp_path: Path) -> None:
    """It is a title as any other, whether or not it is put in quotes."""
    (tmp_path / "site.pp").write_text("""exec { "say 'no'": command => '/bin/no' }\n""")
    for path in ("Exec[say 'no'].command", """Exec["say 'no'"].command"""):
        done = wherefrom("set", "site.pp", path, "/bin/yes", "--patch", cwd=tmp_path)
        assert "+exec { \"say 'no'\": command => '/bin/yes' }" in done.stdout, (path, done.stderr)


@pytest.mark.parametrize(
    ("output", "node", "file", "lines"),
    [
        (
            "Class[Profile::Wiki].aliases[2]",
            WEB,
            "data/common.yaml",
            [("-", "profile::wiki::aliases:"), ("-", "  - wiki"), ("+", "profile::wiki::aliases: []")],
        ),
        ("Class[Profile::Db].settings.max_connections", DB, "data/common.yaml", [("-", "  max_connections: 100")]),
        (
            "File[/etc/postgresql/postgresql.conf].mode",
            DB,
            "site/profile/manifests/db.pp",
            [("-", "    mode    => '0640',")],
        ),
    ],
)
def test_absent(output: str, node: tuple[str, str], file: str, lines: list[tuple[str, str]]) -> None:
    """An element of a merged list, a key of a merged hash, an attribute."""
    assert (file, lines) in first_lines(document(output, "--absent", *node))


def test_a_resource_goes_with_its_lines(control: Path) -> None:
    """A declaration, if nothing needs it."""
    done = wherefrom("set", "File[/root/.pgpass]", "--absent", *DB, "--apply", cwd=control)
    assert done.returncode == 0, done.stderr
    text = (control / "site/profile/manifests/db.pp").read_text()
    assert "pgpass" not in text
    assert text.endswith("    require => Package['postgresql'],\n  }\n}\n")
    answer = document("Package[postgresql]", "--absent", *DB)
    assert not answer["proposals"]
    assert "does not compile" in str(answer["obstacles"])


def test_elements_of_lists(control: Path) -> None:
    """A new element stands in the file of the level beside whose element it stands."""
    answer = document("Class[Profile::Base].admins", "[ops@example.org, new@example.org]", *WEB, "--for", "all")
    assert first_lines(answer) == [("data/common.yaml", [("+", "  - new@example.org")])]


def test_installed_modules_are_not_edited() -> None:
    """Unless `--files` says so."""
    answer = document("File[/etc/nginx/nginx.conf].ensure", "absent", *WEB)
    assert [proposal["kinds"] for proposal in answer["proposals"]] == [["override added"]]
    assert "installed module" in str(answer["obstacles"])
    answer = document("File[/etc/nginx/nginx.conf].ensure", "absent", *WEB, "--files", "modules/*")
    assert first_lines(answer)[0] == (
        "modules/nginx/manifests/init.pp",
        [("-", "    ensure  => file,"), ("+", "    ensure  => absent,")],
    )


def test_what_has_no_edit() -> None:
    """A fact; what is sensitive; what does not fit its type."""
    answer = document("File[/etc/motd].content", "other", *WEB, "--files", "data/*")
    assert not answer["proposals"]
    done = wherefrom("set", "File[/root/.pgpass].content", "x", *DB)
    assert done.returncode == 1
    assert "it is sensitive" in done.stdout
    done = wherefrom("set", "Nginx::Server[wiki].tls", "maybe", *WEB)
    assert done.returncode == 1
    assert "expects a match for Enum['off', 'on']" in done.stdout


@pytest.mark.parametrize(
    ("output", "wanted", "node"),
    [
        (MODE, "0600", WEB),
        ("Nginx::Server[wiki].port", "8443", WEB),
        ("Package[postgresql].ensure", "16", DB),
        ("/etc/ntp.conf:1", "server ntp.example.org iburst", WEB),
        ("Service[ntp].enable", "false", DB),
        ("Class[Profile::Base].admins", "[new@example.org]", WEB),
    ],
)
def test_a_store_leaves_out_only_nodes_that_stay_as_they_are(
    output: str, wanted: str, node: tuple[str, str], stored: Path
) -> None:
    """What is said of other nodes is the same as if all were compiled."""
    everywhere = document(output, wanted, *node, cwd=stored)
    concerned = document(output, wanted, *node, "--store", "store", cwd=stored)
    assert concerned["proposals"] == everywhere["proposals"]
    told = any(proposal["nodes"] for proposal in everywhere["proposals"])
    assert told or output.startswith("Package")  # of which there is one machine


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example with a store of its nodes, which collect nothing from each other."""
    pytest.importorskip("duckdb")
    folder = Path(shutil.copytree(CONTROL, tmp_path_factory.mktemp("stored") / "control"))
    base = folder / "site/profile/manifests/base.pp"
    base.write_text(base.read_text().replace("  File <<| tag == 'lan' |>>\n", ""))
    assert wherefrom("fleet", "compile", "--store", "store", ".", cwd=folder).returncode == 0
    return folder


SECRET = "Class[Profile::Db].password"
PUBLIC = ("--eyaml-public-key", "keys/public_key.pkcs7.pem")
PRIVATE = ("--eyaml-key", "keys/private_key.pkcs7.pem")


@pytest.mark.parametrize("opened", [(), PRIVATE])
@pytest.mark.parametrize("where", ["option", "hierarchy"])
def test_an_encrypted_value_is_encrypted_anew(opened: tuple[str, ...], where: str, control: Path) -> None:
    """For the certificate that is given or that the hierarchy names; nothing shows the new value."""
    pytest.importorskip("cryptography")
    hierarchy = control / "hiera.yaml"
    lookup = "    lookup_key: eyaml_lookup_key\n"
    if where == "hierarchy":
        named = f"{lookup}    options:\n      pkcs7_public_key: keys/public_key.pkcs7.pem\n"
        hierarchy.write_text(hierarchy.read_text().replace(lookup, named))
    public = PUBLIC if where == "option" else ()
    before = (control / "data/role/database.yaml").read_text()
    asked = ("set", SECRET, "it's new %{too}", *DB, *public, *opened)
    for form in ((), ("--json",), ("--patch",)):
        done = wherefrom(*asked, *form, cwd=control)
        assert done.returncode == 0, done.stderr
        assert "it's new" not in done.stdout + done.stderr
    assert wherefrom(*asked, "--apply", cwd=control).stdout == "wrote data/role/database.yaml\n"
    after = (control / "data/role/database.yaml").read_text()
    start, end = before.index("    ENC["), before.index("lookup_options")
    behind = after.index("lookup_options")
    assert (after[:start], after[behind:]) == (before[:start], before[end:])
    assert {len(line) for line in after[start:behind].splitlines()[:-1]} == {64}
    facts = yaml.safe_load((control / "facts/db01.example.org.yaml").read_text())
    options = {"trace": True, "eyaml_keys": [str(control / PRIVATE[1])]}
    outcome = Session().run(str(control), Inputs("db01.example.org", facts, options))
    assert raw(outcome.select(SECRET).value) == "it's new %{too}"


def test_without_a_public_key_it_is_refused() -> None:
    """With the place; and no other edit is proposed, in which the value could be read."""
    done = wherefrom("set", SECRET, "new", *DB)
    assert done.returncode == 1
    assert "--eyaml-public-key names the key" in done.stdout
    done = wherefrom("set", SECRET, "new", *DB, "--eyaml-public-key", "hiera.yaml")
    assert "is no certificate of an RSA key" in done.stdout


ODD = {
    "hiera.yaml": """---
version: 5
hierarchy:
  - {name: node, path: "%{trusted.certname}.yaml"}
  - {name: common, path: common.yaml}
""",
    "data/common.yaml": """---
a::block: |
  Welcome.   # no comment

  Second
a::port: &port 8080   # the port
a::same: *port
a::base: &base {x: 1, y: 2}
a::merged:
  <<: *base
  z: 3
a::url: "http://%{facts.fqdn}:%{lookup('a::port')}/p"  # filled in
a::quoted: 'it''s'   # keep
a::flow: [a, b,  c]   # flow
a::hash: {k: v,  l: 1}
""",
    "manifests/site.pp": """class a ($block, $port, $same, $base, $merged, $url, $quoted, $flow, $hash) {
  file { '/b': content => $block }
  if $facts['fqdn'] {
    file { '/gone': }
  }
  notice('end')
}
include a
""",
}


@pytest.mark.parametrize(
    ("output", "wanted", "before", "after"),
    [
        ("/b:1", "Hello.   # no comment", ["  Welcome.   # no comment"], ["  Hello.   # no comment"]),
        (
            "Class[A].block",
            "One\ntwo",
            ["a::block: |", "  Welcome.   # no comment", "", "  Second"],
            ["a::block: |-", "  One", "  two"],
        ),
        ("Class[A].port", "90", ["a::port: &port 8080   # the port"], ["a::port: &port 90   # the port"]),
        ("Class[A].same", "90", ["a::port: &port 8080   # the port"], ["a::port: &port 90   # the port"]),
        ("Class[A].merged.x", "7", ["a::base: &base {x: 1, y: 2}"], ["a::base: &base {x: 7, y: 2}"]),
        ("Class[A].merged.z", "7", ["  z: 3"], ["  z: 7"]),
        (
            "Class[A].url",
            "https://n.x:8080/p",
            ["a::url: \"http://%{facts.fqdn}:%{lookup('a::port')}/p\"  # filled in"],
            ["a::url: \"https://%{facts.fqdn}:%{lookup('a::port')}/p\"  # filled in"],
        ),
        (
            "Class[A].quoted",
            "%{it}'s",
            ["a::quoted: 'it''s'   # keep"],
            ["a::quoted: '%{literal(''%'')}{it}''s'   # keep"],
        ),
        ("Class[A].flow[1]", None, ["a::flow: [a, b,  c]   # flow"], ["a::flow: [a, c]   # flow"]),
        ("Class[A].hash.k", None, ["a::hash: {k: v,  l: 1}"], ["a::hash: {l: 1}"]),
        ("Class[A].hash.l", None, ["a::hash: {k: v,  l: 1}"], ["a::hash: {k: v}"]),
        ("File[/gone]", None, ["  if $facts['fqdn'] {", "    file { '/gone': }", "  }"], []),
    ],
)
def test_odd_layouts(output: str, wanted: str | None, before: list[str], after: list[str], tmp_path: Path) -> None:
    """Blocks, anchors, merged keys, what is filled in, braces: changed where they stand, the rest as it was."""
    for name, text in ODD.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "facts.json").write_text('{"fqdn": "n.x"}')
    given = ("--node", "n.x", "--facts", "facts.json")
    answer = document(".", output, "--absent" if wanted is None else wanted, *given, cwd=tmp_path)
    lines = [*(("-", line) for line in before), *(("+", line) for line in after)]
    assert lines in [edit for name, edit in first_lines(answer) if name != "data/n.x.yaml"]


def test_a_value_with_an_equals_sign() -> None:
    """`OUTPUT VALUE` is meant, unless the first names a file or a directory."""
    answer = document("/etc/postgresql/postgresql.conf:1", "max_connections = 200", *DB)
    assert first_lines(answer)[0] == (
        "data/common.yaml",
        [("-", "  max_connections: 100"), ("+", "  max_connections: 200")],
    )
    assert document(".", f"{MODE}=0600", *WEB)["proposals"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((MODE,), "expected"),
        (("File[/etc/mod].mode", "x", *WEB), "File[/etc/motd]"),
        ((MODE, "0600", *WEB, "--pick", "99"), "there are only 5 proposals"),
        (("Class[Profile::Wiki].port", "[", *WEB), "not a valid YAML value"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], words: str) -> None:
    """Told in a line, with a hint."""
    done = wherefrom("set", *arguments)
    assert done.returncode in (1, 2)
    assert words in done.stderr


def test_a_file_that_changed_is_not_written(control: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the proposal and the writing somebody else wrote."""
    monkeypatch.chdir(control)
    proposal = Proposal((), {"data/new.yaml": (None, b"a: 1\n"), "data/common.yaml": (b"old", b"new")}, (), {}, {})
    with pytest.raises(UsageError, match="changed since"):
        _apply(proposal)
    assert not (control / "data/new.yaml").exists()


FILES = {"data/new.yaml": b"new: 1\n", "data/common.yaml": b"a: 1\n" * 500, "manifests/site.pp": b"# new\n" * 500}
STEPS = ("_nameless", "_fill", "_give_name", "_rename")


def proposal_of(folder: Path) -> Proposal:
    """One of several files of a copy of the example."""
    pairs = {
        name: ((folder / name).read_bytes() if (folder / name).exists() else None, new) for name, new in FILES.items()
    }
    return Proposal((), pairs, (), {}, {})


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("behind", [False, True])
def test_a_process_that_is_killed_while_it_applies(
    step: str, number: int, behind: bool, control: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before or behind any of its steps, for any of the files: each file is the old or the new one."""
    monkeypatch.chdir(control)
    proposal = proposal_of(control)
    child = os.fork()
    if child == 0:
        real, seen = getattr(writing, step), [0]

        def killed(*arguments: Any) -> Any:
            if seen[0] == number and not behind:
                os.kill(os.getpid(), signal.SIGKILL)
            done = real(*arguments)
            if seen[0] == number:
                os.kill(os.getpid(), signal.SIGKILL)
            seen[0] += 1
            return done

        setattr(writing, step, killed)
        os.close(1)
        os.open(os.devnull, os.O_WRONLY)
        _apply(proposal)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == -signal.SIGKILL or (status, step, number) == (0, "_rename", 2)  # a new file is not renamed
    for name, (old, new) in proposal.files.items():
        file = control / name
        assert (file.read_bytes() if file.exists() else None) in (old, new)


def test_a_full_disk_leaves_all_files_as_they_are(control: Path) -> None:
    """The first file would find its place, and a later one not."""
    import resource

    before = {file: file.read_bytes() for file in control.rglob("*") if file.is_file()}
    child = os.fork()
    if child == 0:
        os.chdir(control)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            _apply(proposal_of(control))
        except UsageError as problem:
            os._exit(7 if "cannot write data/common.yaml: file too large" in str(problem) else 8)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert {file: file.read_bytes() for file in control.rglob("*") if file.is_file()} == before
