"""A wheel and a source distribution, each installed into an empty environment outside of the source tree, do what the
documentation says.

Every session of the README, the tutorial, the guides and the reference pages is typed there, and every shell step of
the recipes for continuous integration is run from a copied control repository. Commands for extras are tried
twice: before the extra is installed they are usage errors, afterwards they do what the page shows. Packages come from
wherever `pip` is set up to take them from.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.recipes import EVENTS, Repository, github_action, github_recipe, gitlab_recipe
from support.sessions import COPIES, GUIDES, PAGES, ROOT, copy_of_control, environment, follow, shell
from wherefrom import __version__

pytestmark = pytest.mark.install

EXTRA_OF = {"fleet.md": "fleet"}
"""Pages whose sessions need an extra."""
PYTHONS = ("python3.11", "python3.12", "python3.13")
FORMS = ("wheel", "sdist")


@dataclass
class Installed:
    """An environment with the package in it."""

    folder: Path
    archive: Path

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    def add(self, extra: str = "") -> None:
        """Install the package, or an extra of it."""
        pip(self.bin / "python", "install", f"{self.archive}[{extra}]" if extra else str(self.archive))


def pip(python: Path | str, *words: str) -> None:
    done = subprocess.run(
        [python, "-m", "pip", "--quiet", *words], capture_output=True, text=True, timeout=1200, cwd="/", env=outside()
    )
    assert done.returncode == 0, done.stderr


def outside() -> dict[str, str]:
    """The variables without those that would lead back to the source tree."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel and the source distribution, built from the files that git tracks, as a release is."""
    folder = tmp_path_factory.mktemp("source")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in tracked.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for hook in ("build_wheel", "build_sdist"):
        subprocess.run(
            [sys.executable, "-c", f"import setuptools.build_meta as backend; backend.{hook}('dist')"],
            cwd=folder, check=True, capture_output=True, timeout=600, env=outside(),
        )  # fmt: skip
    [wheel], [sdist] = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


def created(folder: Path, archive: Path, python: str = sys.executable) -> Installed:
    """An empty environment with the package, and nothing else, in it."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True, timeout=600, env=outside())
    installed = Installed(folder, archive)
    installed.add()
    return installed


@pytest.fixture(scope="module", params=FORMS)
def installed(
    request: pytest.FixtureRequest, archives: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    return created(tmp_path_factory.mktemp(request.param) / "venv", archives[request.param])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the pages name: the examples, and a few cases; no source."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "tests/cases/nix/options", folder / "tests/cases/nix/options")
    return folder


def followed(page: Path, installed: Installed, project: Path, tmp_path: Path) -> list[str]:
    (tmp_path / "home").mkdir()
    environ = environment(tmp_path / "home", installed.bin)
    if page in GUIDES:
        return follow(page, tmp_path / "home", environ)
    if page.name == "tutorial-puppet.md":  # it makes its own copy
        shutil.copytree(project / "examples", tmp_path / "examples")
        return follow(page, tmp_path, environ, only_ours=True)
    folder = copy_of_control(tmp_path) if page.name in COPIES else project
    return follow(page, folder, environ, only_ours=True)


def has_session(page: Path) -> bool:
    return "```console\n" in page.read_text()


def needs(page: Path) -> str:
    return EXTRA_OF.get(page.name, "fleet" if page in GUIDES and "$ wherefrom fleet" in page.read_text() else "")


SESSIONS = sorted(filter(has_session, PAGES), key=needs)
"""Those that need an extra come last: then it is installed into the same environment."""


@pytest.mark.parametrize("page", [page for page in SESSIONS if not needs(page)], ids=lambda page: page.name)
def test_sessions(page: Path, installed: Installed, project: Path, tmp_path: Path) -> None:
    """Without any extra: every command prints what the page shows."""
    assert followed(page, installed, project, tmp_path) == []


def test_python_is_not_the_source(installed: Installed, tmp_path: Path) -> None:
    """What runs is what was installed; it knows its version, and its start needs three packages."""
    environ = environment(tmp_path, installed.bin)
    said, _ = shell("wherefrom --version; python -c 'import wherefrom; print(wherefrom.__file__)'", tmp_path, environ)
    version, where = said.splitlines()
    assert version == f"wherefrom {__version__}" and where.startswith(str(installed.folder))


def test_extras_are_named_and_then_there(installed: Installed, project: Path, tmp_path: Path) -> None:
    """A usage error says what to type; when it was typed, the sessions about it run, and so do the recipes."""
    environ = environment(tmp_path, installed.bin)
    said, _ = shell("wherefrom fleet compile examples/control --store store; echo $?", project, environ)
    assert "pip install 'wherefrom[fleet]'" in said and said.startswith("2\n")
    installed.add("fleet")
    for number, page in enumerate(page for page in SESSIONS if needs(page)):
        (tmp_path / str(number)).mkdir()
        assert followed(page, installed, project, tmp_path / str(number)) == []
    for number, (recipe, event) in enumerate(
        [(github_recipe, event) for event in EVENTS]
        + [(github_action, event) for event in EVENTS]
        + [(gitlab_recipe, "")]
    ):
        repository = Repository(tmp_path / f"recipe{number}", installed.bin / "wherefrom")
        assert recipe(repository, event) == 0, (recipe, event)


@pytest.mark.parametrize("python", PYTHONS)
def test_other_pythons(python: str, archives: dict[str, Path], tmp_path: Path) -> None:
    """Each version that the project's file names, as far as it is there: an example of each language."""
    if not shutil.which(python) or subprocess.run([python, "--version"], capture_output=True).returncode:
        pytest.skip(f"needs {python}")
    installed = created(tmp_path / "venv", archives["wheel"], python)
    environ = environment(tmp_path, installed.bin)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    said, _ = shell(
        "wherefrom explain examples/control 'File[/root/.pgpass].content' --where --node db01.example.org | head -1\n"
        "wherefrom compile examples/firewall/test.sf --yaml | head -1\n"
        "wherefrom eval examples/flake#nixosConfigurations.gate.config.services.openssh.ports --json",
        tmp_path, environ,
    )  # fmt: skip
    assert [line for line in said.splitlines() if not line.startswith("warning")] == [
        'File[/root/.pgpass].content = "(sensitive)"', "testServer:", "[22,2222,443]",
    ]  # fmt: skip


def test_what_is_in_the_archives(archives: dict[str, Path]) -> None:
    """Every module and every file that a module reads; the sdist builds the same wheel."""
    names = {name for name in zipfile.ZipFile(archives["wheel"]).namelist() if name.startswith("wherefrom/")}
    wanted = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src/wherefrom").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == wanted
    with tarfile.open(archives["sdist"]) as archive:
        packed = {name.partition("/src/")[2] for name in archive.getnames() if "/src/wherefrom/" in name}
    assert wanted <= packed
