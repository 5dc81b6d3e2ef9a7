"""Settings and what writes them: a `wherefrom.toml` in somebody else's repository, and `wherefrom init` there."""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path

import pytest

from attacks.running import wherefrom
from wherefrom.project import Project, asked_by, find_project
from wherefrom.trust import PATHS, trust


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "control"
    (folder / "manifests").mkdir(parents=True)
    (folder / "manifests/site.pp").write_text(f"notice(file('{tmp_path}/secret'))")
    (tmp_path / "secret").write_text("the secret")
    return folder


def test_settings_can_be_left_unread(repository: Path, tmp_path: Path) -> None:
    """They may name further roots; `--no-settings` is for repositories that are not one's own."""
    (repository / "wherefrom.toml").write_text('roots = ["/"]\n')
    assert b"the secret" in wherefrom("compile", "control", "--trust", cwd=tmp_path).err
    ran = wherefrom("compile", "control", "--no-settings", cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"the secret" not in ran.out + ran.err
    assert b"--root" in ran.err, ran


@pytest.mark.parametrize("options", [[], ["--force"]])
def test_init_writes_through_no_link(options: list[str], repository: Path, tmp_path: Path) -> None:
    """A link that leads nowhere yet would otherwise make a file anywhere."""
    os.symlink(tmp_path / "elsewhere", repository / "wherefrom.toml")
    ran = wherefrom("init", *options, cwd=repository)
    assert ran.status == 2, ran
    assert not (tmp_path / "elsewhere").exists()


def test_init_allows_nothing_by_itself(repository: Path, tmp_path: Path) -> None:
    """Directories elsewhere that an `environment.conf` names are written as a comment; names stay names."""
    (repository / "environment.conf").write_text("modulepath = modules:/absent:/absent/too\n")
    (repository / "facts").mkdir()
    (repository / "facts/n.yaml").write_text("a: 1")
    (repository / 'x"\nroots = ["%2f"]\n.yaml').write_text("version: 5\n")
    ran = wherefrom("init", cwd=repository)
    assert ran.status == 0, ran
    settings = tomllib.loads((repository / "wherefrom.toml").read_text())
    assert "roots" not in settings
    assert '# roots = ["/absent", "/absent/too"]' in (repository / "wherefrom.toml").read_text()
    ran = wherefrom("compile", "control", cwd=tmp_path)
    assert b"the secret" not in ran.out + ran.err


SETTINGS = {
    "a pipe": None, "brackets": "x = " + "[" * 100_000, "not text": b"\xff\xfe", "types": "roots = 5\nfacts = [1]\n",
    "an odd date": "x = 2001-99-99", "a NUL": 'facts = "a\\u0000b"', "tables": "[tool]\nwherefrom = 3\n",
    "a long path": f'facts = "{"a" * 100_000}"', "itself": 'facts = "wherefrom.toml"\nhiera = "."\nenc = "/dev/zero"\n',
}  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS)
def test_odd_settings_are_errors(name: str, repository: Path) -> None:
    """Never status 3, and never a hang."""
    content = SETTINGS[name]
    if content is None:
        os.mkfifo(repository / "wherefrom.toml")
    else:
        data = content if isinstance(content, bytes) else content.encode()
        (repository / ("pyproject.toml" if name == "tables" else "wherefrom.toml")).write_bytes(data)
    ran = wherefrom("compile", ".", cwd=repository)
    assert ran.status in (1, 2), ran
    assert b"internal error" not in ran.err, ran


SHARED = ["tool = 1", 'tool = "wherefrom"', "[tool]\nwherefrom = 1", "[[tool.wherefrom]]\na = 1",
          "[tool.wherefrom]\npolicy = 1", "[tool.wherefrom.policy]\na = 1"]  # fmt: skip
READING = [("compile", "a.pp"), ("trust",), ("trust", "pyproject.toml"), ("policy", "a.pp"),
           ("policy", "a.pp", "--rules", "pyproject.toml"), ("check", ".")]  # fmt: skip


@pytest.mark.parametrize("command", READING, ids=" ".join)
@pytest.mark.parametrize("text", SHARED)
def test_odd_tables_in_a_file_that_is_shared_are_errors(text: str, command: tuple[str, ...], tmp_path: Path) -> None:
    """By every command that reads `pyproject.toml`, whatever of it it wants."""
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "a.pp").write_text("notice(1)")
    ran = wherefrom(*command, cwd=tmp_path, environ={"XDG_STATE_HOME": str(tmp_path / "state")})
    assert ran.status in (0, 1, 2), ran
    assert b"internal error" not in ran.err, ran


# --- settings that ask for more ---

WIDENING = {
    "roots": 'roots = ["{outside}"]', "above": 'roots = [".."]', "modulepath": 'modulepath = ["modules", "{outside}"]',
    "facts": 'facts = "{outside}"', "inventory": 'inventory = "{outside}/inventory.yaml"',
    "enc": 'enc = "{outside}/enc.yaml"', "answers": 'answers = "{outside}/answers.yaml"',
    "hiera": 'hiera = "{outside}/hiera.yaml"',
    "environment": 'environment = "{outside}"', "eyaml_keys": 'eyaml_keys = ["{outside}/key"]',
    "a link": 'roots = ["link"]', "budget": 'budget = "10"', "one bound": 'budget = "steps=1e9"',
    "time": 'budget = "seconds=100000"', "public_outputs": 'public_outputs = ["User[*].password"]',
    "bootstrap": 'bootstrap = ["r10k", "install"]',
}  # fmt: skip
NARROWING = {
    "inside": 'roots = ["site"]', "budget": 'budget = "0.5"', "one bound": 'budget = "steps=1000000"',
    "modulepath": 'modulepath = ["modules"]', "node": 'node = "web"', "strict": "strict_variables = true",
}  # fmt: skip


@pytest.fixture
def stranger(repository: Path, tmp_path: Path) -> Path:
    """A repository beside a directory of the user's, and a link that leads there."""
    (tmp_path / "outside").mkdir()
    (repository / "link").symlink_to("../outside")
    (repository / "site").mkdir()
    (repository / "modules").mkdir()
    (repository / "manifests/site.pp").write_text("notice(1)")
    return repository


def test_every_setting_that_is_a_path_is_covered() -> None:
    """A new setting is in one of the tables, or names nothing that is read and opens nothing."""
    harmless = {
        "environment_name",
        "node",
        "level",
        "nodes",
        "puppet",
        "strict_variables",
        "file",
        "untrusted",
    }
    assert {*PATHS, "budget", "public_outputs", "bootstrap"} | harmless == set(Project.__annotations__)
    assert {*PATHS, "budget", "public_outputs", "bootstrap"} <= set(WIDENING)


@pytest.mark.parametrize("name", WIDENING)
def test_what_asks_for_more_needs_trust(
    name: str, stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left out with a warning that says how to allow it; taken when the file is trusted, and until it changes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    key = {"above": "roots", "a link": "roots", "one bound": "budget", "time": "budget"}.get(name, name)
    file = stranger / "wherefrom.toml"
    file.write_text(WIDENING[name].replace("{outside}", str(tmp_path / "outside")) + "\n")
    plain = getattr(Project("x"), key)

    def seen(trusting: bool = False) -> tuple[bool, bool]:
        """Whether the setting has an effect, and whether there is a warning."""
        project = find_project(str(stranger), trusting)
        assert project is not None
        value = getattr(project, key)
        outside = [path for path in value if path != str(stranger / "modules")] if isinstance(value, tuple) else value
        return bool(outside) and value != plain, project.untrusted is not None

    assert seen() == (False, True)
    assert seen(trusting=True) == (True, False)
    ran = wherefrom("compile", str(stranger / "manifests/site.pp"), environ={"XDG_STATE_HOME": str(tmp_path / "state")})
    assert b"warning[W049]" in ran.err, ran
    assert b"wherefrom trust" in ran.err, ran
    text, words = asked_by(str(file))
    assert words
    trust(str(file), text)
    assert seen() == (True, False)
    file.write_text(file.read_text() + "# changed\n")
    assert seen() == (False, True)


@pytest.mark.parametrize("name", NARROWING)
def test_what_asks_for_nothing_more_needs_none(name: str, stranger: Path) -> None:
    """Settings may choose and narrow freely."""
    (stranger / "wherefrom.toml").write_text(NARROWING[name] + "\n")
    project = find_project(str(stranger))
    assert project is not None
    assert project.untrusted is None


def test_trust_is_for_one_file_in_one_place(stranger: Path, tmp_path: Path) -> None:
    """A copy elsewhere is another file; what was trusted can be forgotten; a forged list is not believed."""
    environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
    (stranger / "wherefrom.toml").write_text('roots = ["/"]\n')
    (stranger / "manifests/site.pp").write_text(f"notice(file('{tmp_path}/secret'))")

    def reads(folder: Path, *options: str) -> bool:
        return b"the secret" in wherefrom("compile", str(folder), *options, environ=environ).err

    assert not reads(stranger)
    assert reads(stranger, "--trust")
    assert not reads(stranger)
    ran = wherefrom("trust", cwd=stranger, environ=environ)
    assert ran.status == 0, ran
    assert b"roots = '/' is outside of it" in ran.out
    assert reads(stranger)
    copy = tmp_path / "copy"
    shutil.copytree(stranger, copy, symlinks=True)
    assert not reads(copy)
    (tmp_path / "state/wherefrom/trusted").chmod(0o666)
    assert not reads(stranger)
    (tmp_path / "state/wherefrom/trusted").chmod(0o600)
    assert wherefrom("trust", "--forget", cwd=stranger, environ=environ).status == 0
    assert not reads(stranger)
