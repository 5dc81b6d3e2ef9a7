"""Modules that are not in git: revisions take them from the work tree, or from where they are given."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import commands

ROOT = Path(__file__).resolve().parents[2]
WEB = ("--node", "web01.example.org")
TEMPLATE = "modules/nginx/templates/nginx.conf.epp"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> None:
    """Run git, as somebody."""
    person = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *person, "-c", "protocol.file.allow=always", *words], cwd=folder, check=True)


def wherefrom(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


def differences(*arguments: str, cwd: Path) -> dict[str, list[str]]:
    """Each path that differs, with the places of its causes."""
    done = wherefrom("diff", *arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return {
        each["path"]: [edit["after_place"] or edit["before_place"] for edit in each["edits"]]
        for each in document["differences"]
    }


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


@pytest.fixture
def control(tmp_path: Path) -> Path:
    """The example repository with its modules ignored by git."""
    folder = tmp_path / "control"
    shutil.copytree(ROOT / "examples/control", folder)
    (folder / ".gitignore").write_text("/modules/\n*.swp\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "base"]):
        git(folder, *words)
    return folder


def test_a_revision_has_the_modules_of_the_work_tree(control: Path) -> None:
    """An edit of the data is the one difference; nothing is said of modules, and nothing is missed of them."""
    edit(control / "data/role/web.yaml", "4096", "8192")
    found = differences("--since", "HEAD", *WEB, cwd=control)
    assert found.keys() == {"Class[Nginx].worker_connections", "File[/etc/nginx/nginx.conf].content"}
    assert {place for places in found.values() for place in places} == {"data/role/web.yaml:2"}
    assert wherefrom("compile", ".@HEAD", *WEB, cwd=control).returncode == 0
    assert wherefrom("explain", ".@HEAD", "Class[Nginx]", *WEB, cwd=control).returncode == 0
    done = wherefrom("fleet", "diff", "--since", "HEAD", "--format", "json", cwd=control)
    assert json.loads(done.stdout)["changed"] == ["web01.example.org", "web02.example.org"]


def test_it_does_so_from_a_directory_below(control: Path) -> None:
    """Where the command is kept to its directory, what git ignores is still known."""
    edit(control / "data/role/web.yaml", "4096", "8192")
    assert len(differences("..", "--since", "HEAD", *WEB, "--facts", "../facts", cwd=control / "data")) == 2


def test_modules_that_nobody_ignores(control: Path) -> None:
    """They are the work tree's where the `Puppetfile` names them; another new module was not there."""
    (control / ".gitignore").unlink()
    git(control, "commit", "-qam", "nothing is ignored")
    (control / "modules/other/manifests").mkdir(parents=True)
    (control / "modules/other/manifests/init.pp").write_text("class other { notify { 'x': } }\n")
    edit(control / "manifests/site.pp", "node default {", "node default {\n  include other")
    found = differences("--since", "HEAD", *WEB, cwd=control)
    assert {"Class[Other]", "Notify[x]"} <= found.keys() and not any("Nginx" in path for path in found)


def test_what_is_new_and_not_ignored_was_not_there(control: Path) -> None:
    """A file that is not added yet is a difference; so is one that the next commit adds."""
    (control / "data/nodes").mkdir(exist_ok=True)
    (control / "data/nodes/web01.example.org.yaml").write_text("nginx::worker_connections: 99\n")
    found = differences("--since", "HEAD", *WEB, cwd=control)
    assert found["Class[Nginx].worker_connections"] == ["data/nodes/web01.example.org.yaml:1"]


def test_what_a_revision_has_comes_from_it(control: Path) -> None:
    """Modules that were in git once are read from there, although git ignores the folder now."""
    git(control, "add", "-f", "modules")
    git(control, "commit", "-qm", "modules in git")
    git(control, "rm", "-rq", "--cached", "modules")
    git(control, "commit", "-qm", "modules by Puppetfile")
    edit(control / TEMPLATE, "events", "happenings")
    assert differences("--since", "HEAD~1", *WEB, cwd=control) == {
        "File[/etc/nginx/nginx.conf].content": [f"{TEMPLATE}:2"]
    }
    assert differences("--since", "HEAD", *WEB, cwd=control) == {}


def test_a_link_out_of_an_ignored_folder_leads_to_the_revision(control: Path) -> None:
    """Else a change of what is in git would be missed."""
    shutil.move(control / "modules/nginx", control / "site/nginx_here")
    (control / "modules/nginx").symlink_to("../site/nginx_here")
    edit(control / "environment.conf", "site:", "")
    (control / "modules/profile").symlink_to("../site/profile")
    (control / "modules/role").symlink_to("../site/role")
    git(control, "add", "-A")
    git(control, "commit", "-qm", "linked")
    edit(control / "site/nginx_here/templates/nginx.conf.epp", "events", "happenings")
    found = differences("--since", "HEAD", *WEB, cwd=control)
    assert found.keys() == {"File[/etc/nginx/nginx.conf].content"}


def test_modules_of_the_other_revision(control: Path, tmp_path: Path) -> None:
    """A `Puppetfile` that names other versions is told, and given modules are compared, with the line that differs."""
    old = tmp_path / "old"
    shutil.copytree(control / "modules", old)
    edit(control / "Puppetfile", "v2.1.0", "v2.2.0")
    edit(control / TEMPLATE, "events", "happenings")
    words = "the Puppetfile names different modules: nginx v2.1.0 -> v2.2.0."
    for form in ("text", "json", "html"):
        shown = wherefrom("diff", "--since", "HEAD", *WEB, "--format", form, cwd=control).stdout
        assert words in shown.replace("&gt;", ">") and "--modules-from DIR" in shown
    for command in (["diff", "--nodes"], ["fleet", "diff"]):
        shown = wherefrom(*command, "--since", "HEAD", "--format", "markdown", cwd=control).stdout
        assert "**note**: the Puppetfile names different modules" in shown
    assert differences("--since", "HEAD", *WEB, cwd=control) == {}
    given = ("--since", "HEAD", "--modules-from", str(old))
    assert differences(*given, *WEB, cwd=control) == {"File[/etc/nginx/nginx.conf].content": [f"{TEMPLATE}:2"]}
    done = wherefrom("fleet", "diff", *given, "--format", "json", cwd=control)
    document = json.loads(done.stdout)
    assert document["changed"] == ["web01.example.org", "web02.example.org"]
    assert "from" in document["notes"][0] and "--modules-from" not in document["notes"][0]


def test_two_revisions_with_modules_of_their_own(control: Path, tmp_path: Path) -> None:
    """Each side has those that are given for it, in the order of the sides."""
    for name, word in (("old", "before"), ("new", "after")):
        shutil.copytree(control / "modules", tmp_path / name)
        edit(tmp_path / name / "nginx/templates/nginx.conf.epp", "events", word)
    given = ("--modules-from", str(tmp_path / "old"), "--modules-from", str(tmp_path / "new"))
    done = wherefrom("diff", ".@HEAD", ".@main", *given, *WEB, cwd=control)
    assert "-before {\n" in done.stdout and "+after {\n" in done.stdout
    done = wherefrom("diff", "--since", "HEAD", *given, *WEB, cwd=control)
    assert done.returncode == 2 and "once for each" in done.stderr


def test_bootstrap(control: Path, tmp_path: Path) -> None:
    """The command of the settings puts the modules of a revision into a folder of its own, if the user says so."""
    shutil.copytree(control / "modules", tmp_path / "registry")
    program = tmp_path / "install.py"
    program.write_text(
        "import pathlib, shutil\n"
        "assert 'v2.1.0' in pathlib.Path('Puppetfile').read_text()\n"
        f"shutil.copytree({str(tmp_path / 'registry')!r}, 'modules')\n"
        f"pathlib.Path({str(tmp_path / 'ran')!r}).write_text('x')\n"
    )
    with (control / "wherefrom.toml").open("a") as settings:
        settings.write(f"bootstrap = [{json.dumps(sys.executable)}, {json.dumps(str(program))}]\n")
    git(control, "commit", "-qam", "settings")
    asked = ("--since", "HEAD", "--bootstrap", *WEB)
    assert differences(*asked, "--trust", cwd=control) == {} and not (tmp_path / "ran").exists()  # no need
    edit(control / "Puppetfile", "v2.1.0", "v2.2.0")
    edit(control / TEMPLATE, "events", "happenings")
    refused = wherefrom("diff", *asked, cwd=control)
    assert (
        refused.returncode == 2
        and "outside of its directory, which are ignored" in refused.stderr
        and not (tmp_path / "ran").exists()
    )
    assert differences("--since", "HEAD", *WEB, "--trust", cwd=control) == {} and not (tmp_path / "ran").exists()
    assert differences(*asked, "--trust", cwd=control) == {"File[/etc/nginx/nginx.conf].content": [f"{TEMPLATE}:2"]}
    assert (tmp_path / "ran").exists()
    program.write_text("print('no such tag'); raise SystemExit(3)")
    failed = wherefrom("diff", *asked, "--trust", cwd=control)
    assert failed.returncode == 1 and "status 3" in failed.stderr and "no such tag" in failed.stderr


@pytest.mark.parametrize("place", ["/etc", "../..", ".", "link"])
def test_modules_are_not_taken_from_elsewhere(place: str, control: Path, tmp_path: Path) -> None:
    """A revision of somebody else's may say where its modules are put: below its own directory."""
    (tmp_path / "install.py").write_text("import os\nos.symlink('/etc', 'link')\n")
    with (control / "wherefrom.toml").open("a") as settings:
        settings.write(f"bootstrap = [{json.dumps(sys.executable)}, {json.dumps(str(tmp_path / 'install.py'))}]\n")
    (control / "Puppetfile").write_text(f"moduledir '{place}'\nmod 'a', '1.0.0'\n")
    git(control, "commit", "-qam", "theirs")
    (control / "Puppetfile").write_text("mod 'b', '1.0.0'\n")
    done = wherefrom("diff", "--since", "HEAD", "--bootstrap", "--trust", *WEB, cwd=control)
    assert done.returncode == 1 and "is not below its directory" in done.stderr


def test_an_absolute_module_path_inside_of_the_repository(control: Path) -> None:
    """Whether the modules are in git or beside it."""
    here = f"{control}/site:{control}/modules"
    (control / "environment.conf").write_text("manifest = manifests\n")
    git(control, "commit", "-qam", "no module path")
    edit(control / "site/profile/manifests/base.pp", "'/etc/motd'", "'/etc/issue'")
    found = differences("--since", "HEAD", *WEB, "--modulepath", here, cwd=control)
    assert {"File[/etc/motd]", "File[/etc/issue]"} <= found.keys()
    assert all("site/profile/manifests/base.pp" in place for places in found.values() for place in places)


def test_submodules(control: Path, tmp_path: Path) -> None:
    """Each side has the commit that it names; what the submodule's repository does not have is told."""
    upstream = tmp_path / "nginx"
    shutil.move(control / "modules/nginx", upstream)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        git(upstream, *words)
    git(control, "submodule", "--quiet", "add", "-f", str(upstream), "modules/nginx")
    git(control, "commit", "-qam", "a submodule")
    edit(upstream / "templates/nginx.conf.epp", "events", "happenings")
    git(upstream, "commit", "-qam", "two")
    git(control / "modules/nginx", "pull", "-q")
    git(control, "commit", "-qam", "the submodule moves on")
    for since in ("--since HEAD~1", ".@HEAD~1 .@HEAD"):
        assert differences(*since.split(), *WEB, cwd=control) == {
            "File[/etc/nginx/nginx.conf].content": [f"{TEMPLATE}:2"]
        }
