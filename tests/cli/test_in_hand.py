"""`explain` by what a person has in hand: a line of a file of a machine, a package, a piece of text, the real file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import wherefrom

FILES = {
    "manifests/site.pp": """class web (Integer $port, Array[String] $hosts = ['a', 'b']) {
  package { 'nginx': ensure => installed }
  service { 'web': name => 'nginx', ensure => running }
  file { '/etc/nginx/':
    ensure  => directory,
    recurse => true,
    source  => 'puppet:///modules/web/conf',
  }
  file { 'main':
    path    => '/etc/web.conf',
    content => template('web/web.erb'),
  }
  file { '/etc/acl': source => 'puppet:///modules/web/acl' }
  file_line { 'tune': path => '/etc/sysctl.conf', line => "vm.x = ${port}" }
  file { '/etc/secret': content => Sensitive("pass ${port}\\n") }
}
define file_line($path, $line) { }
include web
""",
    "modules/web/templates/web.erb": """# web
port <%= @port %>
<% @hosts.each do |host| -%>
host <%= host %>
<% end -%>
""",
    "modules/web/files/acl": "admin rw\nguest r\n",
    "modules/web/files/conf/mime.types": "text/html html\n",
    "hiera.yaml": "version: 5\nhierarchy:\n  - name: c\n    path: common.yaml\n",
    "data/common.yaml": "web::port: 8080\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose catalog has files of every kind."""
    root = tmp_path_factory.mktemp("control")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "wherefrom.toml").write_text('environment = "."\n')
    return root


def explained(control: Path, *arguments: str) -> dict[str, Any]:
    """The answer as a document."""
    done = wherefrom("explain", *arguments, "--node", "web01", "--json", cwd=control)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("/etc/web.conf:2", "File[main].content, line 2"),
        ("/etc/web.conf", "File[main]"),
        ("/etc/acl:2", "content of File[/etc/acl], line 2"),
        ("/etc/nginx/mime.types:1", "content of File[/etc/nginx/]/mime.types, line 1"),
        ("/etc/nginx", "File[/etc/nginx/]"),
        ("/etc/sysctl.conf", "File_line[tune]"),
        ("nginx", "Package[nginx]"),
        ("web", "Service[web]"),
    ],
)
def test_a_name_of_the_machine_is_the_path_of_an_output(control: Path, words: str, path: str) -> None:
    """By title, by `path`, below a directory, by who writes to it."""
    assert explained(control, words)["path"] == path


def test_a_line_of_a_file_names_its_datum(control: Path) -> None:
    """The line of the template to edit, and what was filled in."""
    answer = explained(control, "/etc/web.conf:2")
    assert answer["template"]["line"] == 2
    assert [source["key"] for source in answer["from"]] == ["web::port"]


def test_other_things_of_the_name_are_told(control: Path) -> None:
    done = wherefrom("explain", "nginx", "--node", "web01", cwd=control)
    assert done.stdout.endswith("also Service[web]\n")


def test_a_text_is_found_wherever_it_is(control: Path) -> None:
    """In attributes and in files that the catalog points at; never in what is secret."""
    done = wherefrom("explain", "--find", "8080", "--node", "web01", cwd=control)
    assert done.stdout.startswith("Class[Web].port\n") or done.stdout.startswith("File[main].content\n")
    done = wherefrom("explain", ".", "--find", "guest", "--node", "web01", cwd=control)
    assert done.stdout.startswith("content of File[/etc/acl]\ncontent of File[/etc/acl], line 2 = ")
    done = wherefrom("explain", "--find", "pass", "--node", "web01", cwd=control)
    assert (done.returncode, "no output contains it" in done.stderr) == (1, True)


def test_no_resource_is_or_writes_a_file(control: Path) -> None:
    done = wherefrom("explain", "/etc/alc", "--node", "web01", cwd=control)
    assert done.returncode == 1
    assert "no resource of the catalog is or writes this file" in done.stderr
    assert "did you mean /etc/acl?" in done.stderr


def test_against_the_file_as_it_is(control: Path, tmp_path: Path) -> None:
    """Lines that differ with where they should have come from; lines that nothing in the catalog says."""
    real = tmp_path / "web.conf"
    real.write_text("# web\nport 80\nhost a\n# by hand\n")
    answer = explained(control, "/etc/web.conf", "--against", str(real))
    first, second = answer["differences"]
    assert not answer["same"]
    assert first["deployed"] == [{"line": 2, "text": "port 80"}]
    assert first["wanted"][0]["text"] == "port 8080"
    assert first["wanted"][0]["edit"]["file"].endswith("web.erb")
    assert [(leaf["key"], leaf["line"]) for leaf in first["wanted"][0]["from"]] == [("web::port", 1)]
    assert second["deployed"] == [{"line": 4, "text": "# by hand"}]
    assert [row["text"] for row in second["wanted"]] == ["host b"]
    done = wherefrom("explain", "/etc/web.conf", "--against", str(real), "--node", "web01", cwd=control)
    assert "File[main].content: 2 lines of" in done.stdout
    assert "edit  " in done.stdout and "from  data web::port = 8080  " in done.stdout


def test_against_the_same_file_and_static_files(control: Path, tmp_path: Path) -> None:
    """Contents that come by `source` are compared too."""
    real = tmp_path / "acl"
    real.write_text("admin rw\nguest r\n")
    assert explained(control, "/etc/acl", "--against", str(real)) == {
        "path": "content of File[/etc/acl]", "against": str(real), "same": True, "differences": [],
    }  # fmt: skip
    real.write_text("admin rw\n")
    wanted = explained(control, "/etc/acl", "--against", str(real))["differences"][0]["wanted"]
    assert wanted[0]["edit"]["file"].endswith("modules/web/files/acl") and wanted[0]["edit"]["line"] == 2


def test_a_secret_file_is_not_compared(control: Path, tmp_path: Path) -> None:
    """What a guess does not match would tell about the secret."""
    (tmp_path / "guess").write_text("pass 8080\n")
    done = wherefrom("explain", "/etc/secret", "--against", str(tmp_path / "guess"), "--node", "web01", cwd=control)
    assert (done.returncode, done.stdout) == (1, "")
    assert "it is not text" in done.stderr


NIX = """{ config.environment.etc.motd.text = "hello\\nworld\\n";
  config.xdg.configFile."git/config".text = "a";
  config.home.file.".profile".text = "b";
  config.systemd.services.backup.wants = [ ];
  config.services.web.port = 80; }
"""


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("/etc/motd:2", "config.environment.etc.motd.text, line 2"),
        ("/home/ann/.config/git/config", 'config.xdg.configFile."git/config".text'),
        ("~/.profile", 'config.home.file.".profile".text'),
        ("backup.service", "config.systemd.services.backup"),
        ("web", "config.services.web"),
    ],
)
def test_options_of_nixos_and_home_manager(tmp_path: Path, words: str, path: str) -> None:
    """A file in `/etc`, of a home, a unit, a service."""
    (tmp_path / "default.nix").write_text(NIX)
    done = wherefrom("explain", "default.nix", words, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["path"] == path


def test_against_an_option(tmp_path: Path) -> None:
    """The text of a file in `/etc`."""
    (tmp_path / "default.nix").write_text(NIX)
    (tmp_path / "motd").write_text("hello\nwrld\n")
    done = wherefrom("explain", "default.nix", "/etc/motd", "--against", "motd", cwd=tmp_path)
    assert "-    2 | wrld\n+    2 | world\n         edit  default.nix:1" in done.stdout


def test_a_place_in_a_source(control: Path) -> None:
    """The expression there, with its value; what has several values, each; and why there is none."""
    line, column = next(
        (number, line.index("port}") + 1)
        for number, line in enumerate(FILES["manifests/site.pp"].split("\n"), 1)
        if "port}" in line
    )
    document = explained(control, f"manifests/site.pp:{line}:{column}")
    assert document["text"] == "port" and document["count"] == 1
    [value] = document["values"]
    assert value["value"] == 8080 and value["in"] == "Class[Web]"
    assert value["explanation"]["where"]["file"].endswith("data/common.yaml")
    by_path = wherefrom("explain", ".", f"{control}/manifests/site.pp:{line}:{column}", "--node", "web01", cwd=control)
    assert by_path.stdout.startswith("port = 8080\n\nedit    8080"), by_path.stdout + by_path.stderr
    tag = explained(control, "modules/web/templates/web.erb:4:11")
    assert [each["value"] for each in tag["values"]] == ["a", "b"]
    nothing = wherefrom("explain", "manifests/site.pp:16:2", "--node", "web01", cwd=control)
    assert nothing.returncode == 1 and "no expression there was evaluated" in nothing.stderr
    unread = wherefrom("explain", "modules/web/files/acl:1:1", "--node", "web01", cwd=control)
    assert unread.returncode == 2 and "was not read" in unread.stderr


def test_a_place_that_did_not_run(tmp_path: Path) -> None:
    """The test that decided, with its value; in a file that has no project around it."""
    site = tmp_path / "site.pp"
    site.write_text("$x = 1\nif $x > 2 {\n  notice($x)\n}\n[1, 2].each |$i| { notice($i * 2) }\n")
    ran = wherefrom("explain", "site.pp:3:4", cwd=tmp_path)
    assert ran.returncode == 1 and "$x > 2 is false" in ran.stderr
    several = wherefrom("explain", "site.pp:5:30", cwd=tmp_path)
    assert several.stdout.startswith("$i * 2 ran 2 times, 2 values:\n  2 (1 time) in Class[main]"), several.stdout
