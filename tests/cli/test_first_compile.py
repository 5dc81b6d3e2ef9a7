"""Getting to the first compile: `init` on repositories of many shapes, and hints that name what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import wherefrom
from wherefrom.project import read_project
from wherefrom.sample_facts import SYSTEMS, facts_of_system, node_name

SITE = "notify { 'site': }\n"
PLUGIN = "groups:\n  - name: linux\n    targets:\n      - _plugin: puppetdb\n        query: nodes {}\n"


def written(root: Path, files: dict[str, str]) -> Path:
    """A directory with some files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


SHAPES = {
    "plain": {"manifests/site.pp": SITE},
    "dynamic inventory": {"manifests/site.pp": SITE, "inventory.yaml": PLUGIN},
    "broken inventory": {"manifests/site.pp": SITE, "inventory.yaml": "targets: {\n"},
    "static inventory": {"manifests/site.pp": SITE, "inventory.yaml": "targets: [web01]\n"},
    "beside a flake": {"manifests/site.pp": SITE, "flake.nix": "{ outputs = _: { }; }\n"},
    "environments": {
        "environments/production/manifests/site.pp": SITE,
        "environments/dev/manifests/site.pp": "fail('dev')\n",
        "environments/production/hiera.yaml": "version: 5\n",
        "facts/web01.yaml": "role: web\n",
    },
    "environments without production": {"environments/a b/manifests/site.pp": SITE, "environments/notes.txt": "x\n"},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_what_init_writes_loads_and_compiles(tmp_path: Path, shape: str) -> None:
    """The file is read again, and a node compiles with it."""
    written(tmp_path, SHAPES[shape])
    done = wherefrom("init", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert read_project(str(tmp_path / "wherefrom.toml")).environment is not None
    compiled = wherefrom("compile", "--node", "web01", cwd=tmp_path)
    assert (compiled.returncode, compiled.stderr) == (0, "")
    assert "notify { 'site'" in compiled.stdout


def test_init_says_why_an_inventory_is_not_used(tmp_path: Path) -> None:
    """A plugin would have to be run: the setting is a comment, and the remark says how to save the targets."""
    written(tmp_path, SHAPES["dynamic inventory"])
    done = wherefrom("init", cwd=tmp_path)
    assert "inventory.yaml is not used: the plugin puppetdb would have to be run" in done.stdout
    assert '# inventory = "inventory.yaml"' in (tmp_path / "wherefrom.toml").read_text()


def test_init_names_the_other_environments(tmp_path: Path) -> None:
    """Production is asked about; the others are comments."""
    written(tmp_path, SHAPES["environments"])
    done = wherefrom("init", cwd=tmp_path)
    assert "environment environments/production" in done.stdout
    assert "other environments: environments/dev" in done.stdout
    settings = (tmp_path / "wherefrom.toml").read_text()
    assert 'environment = "environments/production"\n# environment = "environments/dev"\nfacts = "facts"\n' in settings


def test_a_flake_alone_needs_no_settings(tmp_path: Path) -> None:
    """And is told so, with the command that asks it."""
    written(tmp_path, {"flake.nix": "{ outputs = _: { }; }\n"})
    done = wherefrom("init", cwd=tmp_path)
    assert done.returncode == 2
    assert "is a Nix flake, which needs no wherefrom.toml: ask `wherefrom eval .#ATTR`" in done.stderr


READERS = {
    "manifests/site.pp": """class typed (String $role, Optional[String] $other = undef) { }
notify { "${facts['role']}": }
class { 'typed': role => $facts['role'], other => $facts['never_named'] }
$tier = $facts['host_env'] ? { 'prod' => 1, 'dev' => 2 }
notice(split($ifaces_linked, ' '))
$facts['networking2']['vlan'].upcase
if $facts['decides'] { } else { notice(upcase(undef)) }
""",
    "modules/m/manifests/init.pp": "class m { notify { $::host_env: } }\n",
    "modules/m/manifests/other.pp": "class m::other { notice(fact('host_env'), $host_environment) }\n",
    "modules/m/manifests/none.pp": "class m::none { notice($host_environment) }\n",
}


def test_a_fact_that_no_file_has_is_named(tmp_path: Path) -> None:
    """Where its absence made a selector, a parameter, an argument fail; not where it only decided what ran."""
    done = wherefrom("compile", ".", "--node", "web01", cwd=written(tmp_path, READERS))
    hints = [line.partition("help: ")[2] for line in done.stderr.splitlines() if "= help" in line]
    assert hints == [
        "node web01 has no fact role; 1 manifest reads it",
        "node web01 has no fact host_env; 3 manifests read it",
        "node web01 has no fact ifaces_linked; 1 manifest reads it",
        "node web01 has no fact networking2; 1 manifest reads it",
    ]


@pytest.mark.parametrize(
    ("name", "module"),
    [("mount", "mount_core"), ("cron", "cron_core"), ("sshkey", "sshkeys_core"), ("augeas", "augeas_core"),
     ("nagios_host", "nagios_core"), ("yumrepo", "yumrepo_core"), ("zpool", "zfs_core"), ("selmodule", "selinux_core")],
)  # fmt: skip
def test_a_type_of_a_shipped_module_names_the_module(tmp_path: Path, name: str, module: str) -> None:
    """Declared, and as a reference with defaults."""
    written(tmp_path, {"a.pp": f"{name} {{ 'x': }}\n", "b.pp": f"{name.capitalize()} {{ noop => true }}\n"})
    for file in ("a.pp", "b.pp"):
        done = wherefrom("compile", file, "--node", "web01", cwd=tmp_path)
        assert f"{name} is a type of the module puppetlabs-{module}, which Puppet's packages ship" in done.stderr


def test_facts_to_start_from(tmp_path: Path) -> None:
    """One node for each system; what is there is left alone; an unknown one names those that there are."""
    written(
        tmp_path, {"manifests/site.pp": "notify { \"${facts['os']['name']} ${facts['os']['release']['major']}\": }\n"}
    )
    done = wherefrom("init", "--facts", "debian-12,rocky-9,freebsd-14", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    compiled = wherefrom("compile", "--nodes", cwd=tmp_path)
    assert "3 nodes: 3 compiled, 0 failed" in compiled.stdout
    rocky = wherefrom("compile", "--node", "rocky-9.example.org", cwd=tmp_path)
    assert "notify { 'Rocky 9'" in rocky.stdout
    again = wherefrom("init", "--force", "--facts", "debian-12", cwd=tmp_path)
    assert (again.returncode, "has facts already" in again.stderr) == (2, True)
    unknown = wherefrom("init", "--facts", "beos", cwd=written(tmp_path / "other", SHAPES["plain"]))
    assert (unknown.returncode, "known are debian-11, debian-12" in unknown.stderr) == (2, True)
    assert not (tmp_path / "other/facts").exists()


def test_example_facts_agree_with_each_other() -> None:
    """Old names say what today's names say, and every system has what modules decide by."""
    for number, system in enumerate(SYSTEMS, 1):
        facts = facts_of_system(system, number)
        assert facts["osfamily"] == facts["os"]["family"]
        assert facts["operatingsystemmajrelease"] == facts["os"]["release"]["major"]
        assert facts["fqdn"] == facts["networking"]["fqdn"] == node_name(system)
        assert facts["os"]["release"]["full"].startswith(facts["os"]["release"]["major"])
        assert facts["networking"]["interfaces"][facts["networking"]["primary"]]["ip"] == facts["ipaddress"]
        assert facts["service_provider"] and facts["kernel"]
