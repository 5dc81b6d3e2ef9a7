"""Settings and what writes them: a `wherefrom.toml` in somebody else's repository, and `wherefrom init` there."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from attacks.running import wherefrom


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
    assert b"the secret" in wherefrom("compile", "control", cwd=tmp_path).err
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
