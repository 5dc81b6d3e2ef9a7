"""A person's configuration in the manner of home managers and of flakes put together from parts.

The modules of `tests/cases/nix/home` have what such trees are made of: submodules below `attrsOf` and `listOf`,
freeform settings, renamed and removed options, conditions inside merges inside conditions, lines in order, `apply`,
`defaultText`, modules that are evaluated once per system, and a walk over all options for a manual.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.nix_home import HOME, QUERIES, USERS, answer, goldens, nix_answers, outcome
from wherefrom.api import compare, compile
from wherefrom.nix.front.language import NixOutcome

recorded = cache(outcome)

Row = tuple[str, str, str, str | None]


def document(path: str) -> dict[str, Any]:
    """What a program is told of an option of Alice's."""
    found = recorded("alice").explain(f"config.{path}").to_json()["option"]
    assert isinstance(found, dict)
    return found


def place(span: dict[str, Any] | None) -> str | None:
    """File and line, in short."""
    return None if span is None else f"{Path(span['file']).stem}:{span['line']}"


def rows(path: str) -> list[Row]:
    """State, words, value and place of every definition, but for those that only the library makes."""
    return [
        (row["status"], row.get("words") or row.get("order_words") or "", str(row.get("value", row.get("text"))), at)
        for row in document(path)["definitions"]
        if (at := place(row["place"])) is not None
    ]


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("traced", [False, pytest.param(True, marks=pytest.mark.long)])
def test_answers_as_nix(user: str, traced: bool) -> None:
    """Values, the manual's list of options and failures are Nix's; recording changes nothing."""
    assert {query: answer(user, query, traced) for query in QUERIES} == goldens()[user]


@pytest.mark.parametrize("version", ["2.18", "2.24", "latest"])
def test_ways_of_writing_mean_the_same_to_later_versions(version: str) -> None:
    """What libraries of these days are written in gives the same values, whichever Nix is asked for."""
    run = outcome("alice", False, attr_path="idioms", nix_version=version)
    assert isinstance(run, NixOutcome)
    assert run.printed("text", strict=True) == goldens()["alice"]["idioms"]["value"]


@pytest.mark.oracle
@pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="no Nix here")
def test_goldens_are_what_nix_says() -> None:
    """The recording is of these files."""
    assert nix_answers() == goldens()


@pytest.mark.parametrize(
    ("path", "want"),
    [
        (
            "programs.git.settings.user.email",
            [
                ("chosen", "", "alice@work.example", "work:5"),
                ("hidden", "mkDefault", "alice@example.org", "alice:9"),
                ("inactive", "mkForce", "bob@work.example", "work:7"),
            ],
        ),
        ("programs.git.settings.user.name", [("chosen", "", "Alice", "alice:8")]),
        (
            "programs.git.settings.core.editor",
            [("chosen", "mkForce", "emacs", "alice:11"), ("hidden", "default", "vi", "git:38")],
        ),
        (
            "programs.git.settings.commit.gpgSign",
            [("chosen", "", "True", "work:6"), ("hidden", "mkDefault", "False", "git:70")],
        ),
        ("programs.shell.aliases.g", [("chosen", "", "git", "alice:17")]),
        (
            "programs.shell.history.size",
            [("chosen", "", "10000", "alice:20"), ("hidden", "default", "1000", "shell:22")],
        ),
        ("programs.shell.history.ignoreSpace", [("chosen", "", "True", "alice:21")]),
        ("services.timers.backup.every", [("chosen", "", "6", "alice:24"), ("hidden", "default", "1d", "timers:9")]),
        (
            "services.timers.mail.unit.Unit.Description",
            [("chosen", "", "mail", "work:14"), ("hidden", "mkDefault", "timer mail", "timers:20")],
        ),
        ('home.file.".shellrc".target', [("chosen", "mkDefault", ".shellrc", "files:21")]),
        (
            "flake.checks.x86_64-linux.style",
            [("chosen", "", "strict", "work:16"), ("hidden", "mkDefault", "style", "alice:28")],
        ),
        ("flake.checks.aarch64-linux.style", [("chosen", "mkDefault", "style", "alice:28")]),
    ],
)
def test_definitions(path: str, want: list[Row]) -> None:
    """Each definition with what became of it, wherever a condition stands: at the option or above it."""
    assert sorted(rows(path)) == sorted(want)


def test_lines_in_their_order() -> None:
    """The parts of a text, with the words that put them where they stand."""
    merged = [row for row in rows("programs.shell.initExtra") if row[0] == "merged"]
    assert {(words, at) for _, words, _, at in merged} == {
        ("mkBefore", "shell:34"),
        ("", "alice:19"),
        ("mkOrder 1200", "shell:39"),
        ("mkAfter", "work:11"),
    }
    styled = recorded("alice").explain("config.programs.shell.initExtra").styled()
    told = "".join(text for text, _ in styled)
    places = ["modules/shell.nix:34", "users/alice.nix:19", "modules/shell.nix:39", "users/work.nix:11"]
    assert [told.index(place) for place in places] == sorted(told.index(place) for place in places)


def test_a_renamed_option_names_the_old_one() -> None:
    """What was defined under an older name is told with it."""
    (chosen,) = [row for row in document("programs.git.settings.user.name")["definitions"] if row["place"] is not None]
    assert chosen["via"] == "programs.git.userName"


def test_apply_is_told() -> None:
    """The value before and after `apply`."""
    option = document('home.file.".config/git/ignore".target')
    assert place(option["applied"]) == "files:12"


@pytest.mark.long
def test_every_option_can_be_explained() -> None:
    """No option of the tree is beyond explaining; each has definitions that count, and says where it is declared."""
    run = recorded("alice")
    removed = {"programs.git.svn"}
    renamed = {"home.directory", "programs.git.userEmail", "programs.git.userName", "programs.installed"}
    names = [name for name in run.select("declared").value if name not in removed]
    assert len(names) == 26
    for name in names:
        option = document(name)
        states = {row["status"] for row in option["definitions"]}
        assert states & {"chosen", "merged"} or name in renamed, name
        assert option["declarations"] or name in renamed, name


def test_missing_parts() -> None:
    """An attribute under a false condition; one that nobody defines, with a close name."""
    run = recorded("alice")
    (reason,) = run.missing("config.programs.shell.aliases.p")
    assert "its condition is false" in reason.message
    (reason,) = run.missing("config.programs.git.settings.core.pager")
    assert "`core.pager' is not defined in it" in reason.message
    (reason,) = run.missing("config.programs.git.signing.kye")
    assert reason.help == "did you mean `key'?"


def test_impact_of_a_line() -> None:
    """What a definition may change, told through the option it defines; other programs are left out."""
    impact = recorded("alice").impact(f"{HOME / 'users' / 'work.nix'}:14")
    changed = {path for path, _ in impact.affected}
    assert {"config.services.timers.mail.command", 'config.home.file.".config/timers/mail".text'} <= changed
    assert not any(path.startswith(("config.programs", "config.flake")) for path in changed)
    assert [name.partition(",")[0] for name, _ in impact.groups] == ["services.timers"]


@pytest.mark.long
def test_each_edit_is_named_for_its_own_outputs(tmp_path: Path) -> None:
    """Two edits in two files: each output that differs has the edit that made it, and the option it came through."""
    runs = []
    for revision in ("before", "after"):
        folder = tmp_path / revision / "home"
        shutil.copytree(HOME, folder)
        shutil.copytree(HOME.parent / "modules" / "lib", tmp_path / revision / "modules" / "lib")
        if revision == "after":
            edit(folder / "users" / "work.nix", 'command = "fetch"', 'command = "fetch --all"')
            edit(folder / "users" / "alice.nix", 'alias.st = "status"', 'alias.st = "status --short"')
        runs.append(compile(str(folder / "default.nix"), roots=[str(tmp_path)], trace=True))
    differences = {
        each.path: each for each in compare(runs[0], runs[1]).differences if not each.path.endswith("._file")
    }
    edits = {path: [edit.after_place for edit in each.edits] for path, each in differences.items()}
    assert {path: [place.rpartition("/")[2] for place in places] for path, places in edits.items()} == {
        'config.home.file.".config/git/config".text': ["alice.nix:10"],
        'config.home.file.".config/timers/mail".text': ["work.nix:14"],
        "config.programs.git.settings.alias.st": ["alice.nix:10"],
        "config.services.timers.mail.command": ["work.nix:14"],
        "config.services.timers.mail.unit.Service.ExecStart": ["work.nix:14"],
    }
    alias = differences["config.programs.git.settings.alias.st"].definition or ""
    assert alias.startswith("programs.git.settings.alias.st, defined ")


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
