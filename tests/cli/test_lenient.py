"""Code that fails: all errors of a node at once, and answers about the rest where that is wanted."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support import commands

SITE = "node default {\n  include a\n  include b\n  include c\n  include d\n}\n"
CLASSES = {
    "a": """class a {
  $port = nosuch(1)
  file { '/a': content => "port ${port}" }
  file { '/a2': mode => '0644' }
}
""",
    "b": """class b (Integer $n = 'x') {
  file { '/b': content => "${n}" }
}
""",
    "c": """class c {
  file { '/c': content => "p ${a::port}" }
  file { '/c2': require => File['/a'] }
  include nowhere
}
""",
    "d": """class d {
  file { '/d': ensure => file mode => '0644' }
}
""",
}


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """An environment of four classes, each with an error of its own, and two that only follow."""
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/site.pp").write_text(SITE)
    for name, text in CLASSES.items():
        (tmp_path / f"modules/{name}/manifests").mkdir(parents=True)
        (tmp_path / f"modules/{name}/manifests/init.pp").write_text(text)
    return tmp_path


def wherefrom(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


def test_all_errors_that_do_not_follow_from_others(broken: Path) -> None:
    """One run tells four; a variable that a failure left unset, and a resource that is missing for one, are none."""
    done = wherefrom("compile", ".", "--node", "x", cwd=broken)
    assert done.returncode == 1
    heads = [line for line in done.stderr.splitlines() if line.startswith("error[")]
    assert [head.partition("]: ")[2] for head in heads] == [
        "Unknown function: 'nosuch'.",
        "Class[B]: parameter 'n' expects an Integer value, got String",
        "Error while evaluating a Function Call, Could not find class ::nowhere for x",
        "Syntax error at 'mode'",
    ]


def test_the_rest_is_explained(broken: Path) -> None:
    """The answer says what was left out, and whether the value may depend on it."""
    strict = wherefrom("explain", ".", "File[/c2].require", "--node", "x", cwd=broken)
    assert strict.returncode == 1 and not strict.stdout
    done = wherefrom("explain", ".", "File[/c2].require", "--node", "x", "--lenient", cwd=broken)
    assert done.returncode == 0 and "modules/c/manifests/init.pp:3" in done.stdout
    assert "left out because it fails: Class[A], Class[B], Class[C], Node[default]" in done.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_rest_is_compared(broken: Path) -> None:
    """What one side left out is no difference; what changed beside it is one, and doubtful if it may depend on it."""
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=broken, check=True)
    changed = CLASSES["a"].replace("nosuch(1)", "80").replace("0644", "0600")
    changed = changed.replace("  file { '/a2'", "  file { '/a3': }\n  file { '/a2'")
    (broken / "modules/a/manifests/init.pp").write_text(changed)
    assert wherefrom("diff", ".", "--since", "HEAD", "--node", "x", cwd=broken).returncode == 1
    done = wherefrom("diff", ".", "--since", "HEAD", "--node", "x", "--lenient", "--json", cwd=broken)
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert [(each["path"], each["edits"][0]["after_place"]) for each in document["differences"]] == [
        ("File[/a2].mode", "modules/a/manifests/init.pp:4")
    ]
    notes = "\n".join(document["notes"])
    assert "left out before, since it fails: Class[A], Class[B]" in notes and "File[/a3]" in notes
    gate = wherefrom("diff", ".", "--since", "HEAD", "--node", "x", "--lenient", "--exit-code", cwd=broken)
    assert gate.returncode == 2 and "--lenient cannot be combined with --exit-code" in gate.stderr
