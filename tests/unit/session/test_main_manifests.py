"""A main manifest that changes is read again; the rest of the environment serves on where only nodes are defined."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import wherefrom
from support.examples import examples, fresh
from wherefrom.puppet import program

FILES = {
    "environment.conf": "modulepath = modules\n",
    "manifests/a.pp": "$above = 'a'\nnode 'x', /y\\d/ { include m }\n",
    "manifests/site.pp": "node default { include m }\n",
    "modules/m/manifests/init.pp": "class m (String $p = 'p') {\n"
    "  notify { 'm': message => \"${p} ${above} ${below}\" }\n}\n",
    "modules/m/functions/f.pp": "function m::f() { 'f' }\n",
}
MAIN = (
    "node default { include m }\n",
    "$below = 'b'\nnode default { include m }\n",
    "node default { include m notify { 'site': message => m::f() } }\n",
    "node default { notify { 'no m': } }\nFile { mode => '0600' }\nfile { '/f': }\n",
    "node default { class { 'm': p => 'other' } }\n",
    "node default { include n }\nclass n { notify { 'n': } }\n",
    "node default { include m }\nfunction g() { 1 }\nnotify { 'g': message => \"${g()}\" }\n",
    "node default { include m }\nnode 'z' { }\n",
    "node /y1/ { notify { 'y1': } }\nnode default { }\n",
    "node 'm' { }\nnode default { include m }\n",
    "node default { include m }\nnotice({ a => 1, a => 2 })\n",
    "node default { include m",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An environment with two main manifests."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def came(session: wherefrom.Session, folder: Path, node: str) -> Any:
    """What a node compiles to, with histories and logs, or what is wrong."""
    try:
        outcome = session.compile(str(folder), node=node, trace=True)
    except wherefrom.WherefromError as problem:
        return str(problem)
    shown = [(row.path, str(row.value), outcome.explain(row.path).text()) for row in outcome.outputs()]
    return shown, [(log.level, log.message) for log in outcome.logs]


@pytest.mark.parametrize("seed", fresh(range(3)))
def test_after_edits_of_main_manifests_catalogs_are_those_of_a_new_session(seed: int, folder: Path) -> None:
    """Nodes, statements, classes, functions, warnings and errors; edits of both manifests and of a class between."""
    random = Random(seed)
    session = wherefrom.Session()
    kept: list[tuple[Any, Any]] = []
    for number in range(examples(18)):
        name, text = random.choice(
            [("site.pp", random.choice(MAIN)), ("a.pp", f"$above = 'a{number % 3}'\n" + FILES["manifests/a.pp"][12:])]
        )
        path = folder / "manifests" / name
        path.write_text(text)
        session.changed(str(path))
        if random.random() < 0.3:
            path = folder / "modules/m/manifests/init.pp"
            path.write_text(FILES["modules/m/manifests/init.pp"] + f"# {number}\n")
            session.changed(str(path))
        for node in ("x", "y1", "other", "z"):
            assert came(session, folder, node) == came(wherefrom.Session(), folder, node), (number, text)
        try:
            outcome = session.compile(str(folder), node="x", trace=True)
        except wherefrom.WherefromError:
            continue
        kept.append((outcome, [(row.path, outcome.explain(row.path).text()) for row in outcome.outputs()]))
    for outcome, shown in kept:  # what came of earlier texts is as it was
        assert [(row.path, outcome.explain(row.path).text()) for row in outcome.outputs()] == shown


def test_an_environment_is_not_opened_anew_for_the_body_of_a_node(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is where more than nodes is defined, or nodes of other names are."""
    opened: list[str] = []
    opening = program._opened

    def counted(path: str, *given: Any) -> Any:
        opened.append(path)
        return opening(path, *given)

    monkeypatch.setattr(program, "_opened", counted)
    session = wherefrom.Session()
    for text, times in zip(MAIN[:8], (1, 1, 1, 1, 1, 2, 3, 4)):
        (folder / "manifests/site.pp").write_text(text)
        session.changed(str(folder / "manifests/site.pp"))
        session.compile(str(folder), node="x")
        assert len(opened) == times, text
