"""A project's settings: found upwards, read strictly, beaten by options; and `wherefrom init`, which writes them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support import commands

ROOT = Path(__file__).resolve().parents[2]
CONTROL = ROOT / "examples/control"


def wherefrom(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An environment with facts of two nodes and a module beside the usual place."""
    files = {
        "manifests/site.pp": "include m\n",
        "extra/m/manifests/init.pp": "class m { notify { 'a': message => $facts['role'] } }\n",
        "facts/web01.yaml": "role: web\n",
        "facts/db01.json": '{"role": "database"}',
        "wherefrom.toml": 'environment = "."\nfacts = "facts"\nmodulepath = ["extra"]\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def message(done: subprocess.CompletedProcess[str]) -> str:
    """The value explained, or the error."""
    return str(json.loads(done.stdout)["value"]) if done.returncode == 0 else done.stderr


@pytest.mark.parametrize("place", [".", "manifests", "extra/m/manifests"])
def test_settings_are_found_upwards(repository: Path, place: str) -> None:
    """A command needs only its question, wherever below the project it is asked."""
    asked = ["explain", "Notify[a].message", "--json"]
    assert message(wherefrom(*asked, "--node", "web01", cwd=repository / place)) == "web"
    assert message(wherefrom(*asked, "--node", "db01", cwd=repository / place)) == "database"


def test_settings_belong_to_the_directory_asked_about(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file or directory named on the command line brings its own project, from anywhere."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    asked = ["explain", str(repository), "Notify[a].message", "--json", "--node", "web01"]
    assert message(wherefrom(*asked, cwd=elsewhere)) == "web"


def test_options_win(repository: Path) -> None:
    """What the command line says is not overridden by the settings."""
    (repository / "other.yaml").write_text("role: mail\n")
    done = wherefrom("explain", "Notify[a].message", "--json", "--facts", "other.yaml", cwd=repository)
    assert message(done) == "mail"


def test_settings_in_pyproject(repository: Path) -> None:
    """`[tool.wherefrom]` serves as well; without that table the file is not ours and the search goes on."""
    text = (repository / "wherefrom.toml").read_text()
    (repository / "wherefrom.toml").unlink()
    (repository / "pyproject.toml").write_text("[tool.wherefrom]\n" + text)
    (repository / "manifests/pyproject.toml").write_text("[project]\nname = 'x'\n")
    done = wherefrom("explain", "Notify[a].message", "--json", "--node", "web01", cwd=repository / "manifests")
    assert message(done) == "web"


def test_several_nodes_need_a_name(repository: Path) -> None:
    """Facts of several nodes and no node: the answer lists them."""
    done = wherefrom("compile", cwd=repository)
    assert done.returncode == 2
    assert "facts has facts of db01, web01; name one with --node, or ask for all with" in done.stderr
    assert wherefrom("compile", str(repository), "--facts", "facts", cwd=repository).returncode == 2


def test_checking_what_the_project_names(repository: Path) -> None:
    """`wherefrom check` alone is about the project's environment, from anywhere in it."""
    done = wherefrom("check", cwd=repository / "manifests")
    assert (done.returncode, "files checked: 0 errors" in done.stdout) == (0, True), done.stdout + done.stderr
    (repository / "manifests/wrong.pp").write_text("include nothing_at_all\n")
    done = wherefrom("check", cwd=repository)
    assert (done.returncode, "unknown class nothing_at_all" in done.stderr) == (1, True), done.stderr


def test_a_budget_in_the_settings(repository: Path) -> None:
    """It holds, an option wins over it, and one that can not be is an error with its place."""
    settings = repository / "wherefrom.toml"
    text = settings.read_text()
    settings.write_text(text + 'budget = "steps=10"\n')
    asked = ("explain", "Notify[a].message", "--node", "web01")
    done = wherefrom(*asked, cwd=repository)
    assert (done.returncode, "steps" in done.stderr) == (1, True), done.stderr
    assert wherefrom(*asked, "--budget", "1", cwd=repository).returncode == 0
    settings.write_text(text + 'budget = "10"\n')
    assert wherefrom(*asked, cwd=repository).returncode == 0
    settings.write_text(text + 'budget = "much"\n')
    done = wherefrom(*asked, cwd=repository)
    assert (done.returncode, "'much' is neither NAME=NUMBER nor a factor" in done.stderr) == (1, True), done.stderr
    assert "wherefrom.toml:" in done.stderr


def test_one_node_needs_no_name(repository: Path) -> None:
    """Facts of one node alone leave no question."""
    (repository / "facts/db01.json").unlink()
    assert message(wherefrom("explain", "Notify[a].message", "--json", cwd=repository)) == "web"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("enviroment = '.'\n", "did you mean environment?"),
        ("environment = 5\n", "environment in wherefrom.toml must be a text, found int"),
        ("modulepath = 'a'\n", "modulepath in wherefrom.toml must be a list of strings, found str"),
        ("modulepath = [5]\n", "modulepath in wherefrom.toml must be a list of strings, found int"),
        ("strict_variables = 'yes'\n", "strict_variables in wherefrom.toml must be true or false, found str"),
        ("environment = \n", "wherefrom.toml is not TOML"),
        ("facts = 'facts'\n", "names no environment"),
    ],
)
def test_wrong_settings(repository: Path, text: str, words: str) -> None:
    """A wrong settings file is an error with its place, never ignored."""
    (repository / "wherefrom.toml").write_text(text)
    done = wherefrom("compile", "--node", "web01", cwd=repository)
    assert done.returncode in (1, 2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_named_and_no_project(tmp_path: Path) -> None:
    """Without settings a command still asks for its file, and says what would spare it."""
    done = wherefrom("compile", cwd=tmp_path)
    assert done.returncode == 2
    assert "wherefrom init" in done.stderr


def test_classifier(repository: Path) -> None:
    """`--enc`: classes and parameters as a classifier prints them."""
    (repository / "extra/c/manifests").mkdir(parents=True)
    (repository / "extra/c/manifests/init.pp").write_text(
        "class c($p = 1) { notify { 'c': message => \"$p $tier\" } }\n"
    )
    (repository / "enc").mkdir()
    (repository / "enc/web01.yaml").write_text("classes:\n  c:\n    p: 7\nparameters:\n  tier: front\n")
    asked = ["explain", "Notify[c].message", "--json", "--node", "web01", "--enc", "enc"]
    assert message(wherefrom(*asked, cwd=repository)) == "7 front"
    (repository / "enc/web01.yaml").write_text("classes: [c]\nparameters: {tier: back}\n")
    assert message(wherefrom(*asked, cwd=repository)) == "1 back"
    (repository / "enc/web01.yaml").write_text("classes: 5\n")
    done = wherefrom(*asked, cwd=repository)
    assert done.returncode == 1
    assert "`classes` must be" in done.stderr


def test_init_writes_settings_that_work(tmp_path: Path) -> None:
    """The example repository, without its settings: `init` finds environment, data, facts and what is missing."""
    import shutil

    copy = tmp_path / "control"
    shutil.copytree(CONTROL, copy, ignore=shutil.ignore_patterns("wherefrom.toml"))
    done = wherefrom("init", cwd=copy)
    assert done.returncode == 0, done.stderr
    assert "modules in site, modules (environment.conf)" in done.stdout
    assert "puppetlabs/stdlib" in done.stdout
    assert (copy / "wherefrom.toml").read_text() == (CONTROL / "wherefrom.toml").read_text()
    asked = ["explain", "Class[nginx].worker_connections", "--json", "--node", "web01.example.org"]
    assert message(wherefrom(*asked, cwd=copy / "data")) == "4096"


def test_init_does_not_overwrite(repository: Path) -> None:
    """A file that is there stays, unless told otherwise."""
    before = (repository / "wherefrom.toml").read_text()
    assert wherefrom("init", cwd=repository).returncode == 2
    assert (repository / "wherefrom.toml").read_text() == before
    assert wherefrom("init", "--force", cwd=repository).returncode == 0


def test_init_elsewhere(tmp_path: Path) -> None:
    """A directory without Puppet code gets no settings."""
    done = wherefrom("init", cwd=tmp_path)
    assert done.returncode == 2
    assert not (tmp_path / "wherefrom.toml").exists()
