"""Sessions, servers and fleets evaluate in children that can be ended; what was running is told."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wherefrom
import wherefrom.contained
from attacks.running import wherefrom as command
from attacks.test_contained import NO_CHECKS
from support.commands import ROOT
from support.explorer import TOKEN, documents_for, request, served
from support.fleets import build
from wherefrom.base.budget import Budget
from wherefrom.base.contained import Child, doing
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.landlock import version
from wherefrom.base.remote_diagnostics import from_document, raised_from, several_from_document, to_document
from wherefrom.base.seccomp import is_there
from wherefrom.base.servant import Servant
from wherefrom.cli.main import status_of
from wherefrom.fleet.workers import in_processes, is_lost
from wherefrom.language import catalog_of
from wherefrom.web.contained import ContainedDocuments

SITE = "$x = 1\nnotify { 'a': message => \"x${x}\" }\nnotice('said')\n"
SECONDS = Budget(seconds=1, steps=10**12)


def endless(*_: object) -> Any:
    """One operation in C that takes minutes, and can not be interrupted."""
    return with_deep_stack(lambda: pow(3, 1 << 27))


@pytest.fixture
def site(tmp_path: Path) -> str:
    """A manifest."""
    (tmp_path / "a.pp").write_text(SITE)
    return str(tmp_path / "a.pp")


def test_a_contained_session_says_what_another_says(site: str) -> None:
    """Values, histories, sources, what was logged; by the child, which keeps what it has read."""
    here, there = wherefrom.Session(), wherefrom.Session(contained=True)
    one, other = here.compile(site), there.compile(site)
    assert {**other.document(), "version": 0} == {**one.shown(), "version": 0}  # which is the second of each run
    assert other.text() == one.text()
    assert [(log.level, log.message) for log in other.logs] == [(log.level, log.message) for log in one.logs]
    told, want = (outcome.explain("Notify[a].message").to_json() for outcome in (other, one))
    assert told == {name: want[name] for name in told}
    assert told.keys() >= {"where", "expression", "depends", "edit"} & want.keys()
    assert other.impact(f"{site}:1").to_json() == one.impact(f"{site}:1").to_json()
    assert there.evaluate("{ a = 1 + 1; }").document() == {"a": 2}
    Path(site).write_text(SITE.replace("= 1", "= 2"))
    there.changed(site)
    assert there.compile(site).select("Notify[a].message").value == "x2"
    assert there.diff(site, site).differences == ()
    request = {"id": 1, "manifest": "notice(1)"}
    assert there.answer(request)["catalog"]["resources"] == here.answer(request)["catalog"]["resources"]
    there.clear()
    there.close()


def test_errors_of_a_contained_session(site: str) -> None:
    """They are diagnostics with places; wrong use is that; and what only an outcome here can say is refused."""
    Path(site).write_text("notice(1 +)\n")
    there = wherefrom.Session(contained=True)
    with pytest.raises(wherefrom.Diagnostic) as raised:
        there.compile(site)
    assert (raised.value.code, raised.value.span and raised.value.span.place) == ("P035", f"{site}:1:11")
    assert [(problem.code, str(problem)) for problem in there.check(site)] == [("P035", str(raised.value))]
    with pytest.raises(wherefrom.WherefromError, match="unknown field 'no'"):
        there.answer({"id": 1, "no": 1})
    with pytest.raises(wherefrom.WherefromError, match="must be picklable"):
        there.compile(site, modulepath=lambda: 1)
    Path(site).write_text(SITE)
    with pytest.raises(wherefrom.WherefromError, match="contained session"):
        catalog_of(there.compile(site)).graph()
    there.close()


def test_a_contained_session_is_ended_and_goes_on(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One operation that can not be interrupted ends with the child, with what was running; then there is a new one."""
    wherefrom.Session().compile(site)  # what a child would import first: a second may not be enough for both
    there = wherefrom.Session(contained=True, budget=SECONDS)
    with monkeypatch.context() as patch:
        patch.setattr(wherefrom.contained, "save", endless)
        with pytest.raises(wherefrom.Diagnostic, match=f"seconds is spent compiling {site}") as raised:
            there.compile(site)
    assert raised.value.code == "W009"
    assert there.compile(site).select("Notify[a].message").value == "x1"
    there.close()


def test_contained_sessions_of_several_threads(site: str) -> None:
    """Each has its child; one session of many threads has them take turns; none waits for another's end."""
    shared = wherefrom.Session(contained=True)
    said: list[object] = []

    def work() -> None:
        own = wherefrom.Session(contained=True)
        said.append(own.compile(site).select("Notify[a].message").value)
        own.close()
        said.append(shared.compile(site).select("Notify[a].message").value)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == ["x1"] * 8
    assert shared.compile(site).select("Notify[a].message").value == "x1"  # whoever began its child has ended
    shared.close()


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"many": 1},
        {"many": {"sources": [], "rows": [["W1", "error", "x", [[0, 0, 1, ""]], [], None]]}},
        {"many": {"sources": [["a", "b"]], "rows": [["W1", "error", "x", [[0, 1, 9, ""]], [], None]]}},
        {"many": {"sources": [["a", 1]], "rows": []}},
        {"many": {"sources": [], "rows": [[1, "error", "x", [], [], None]]}},
        {"words": 1, "usage": True},
    ],
)
def test_nothing_is_believed_of_what_a_child_tells(document: dict[str, Any]) -> None:
    """What is no error is a `ValueError`, and no place lies outside of its source."""
    with pytest.raises(ValueError):
        raised_from(document)
    with pytest.raises(ValueError):
        several_from_document({"sources": [["a", "b"]], "rows": [[None] * 6]})


def test_diagnostics_come_back_as_they_were() -> None:
    """Code, words, places, notes and hint."""
    with pytest.raises(wherefrom.Diagnostic) as raised:
        wherefrom.evaluate("{ port = 80; }.prot")
    there = from_document(json.loads(json.dumps(to_document(raised.value))))
    for name in ("code", "severity", "message", "notes", "help"):
        assert getattr(there, name) == getattr(raised.value, name)
    assert [label.span for label in there.labels] == [label.span for label in raised.value.labels]


# --- serve ---


@pytest.mark.long
def test_a_server_goes_on_after_a_question_that_was_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that listens evaluates nothing; a question that has to be ended is refused with the reason."""
    pytest.importorskip("uvicorn")
    (tmp_path / "a.pp").write_text(SITE)
    monkeypatch.chdir(tmp_path)
    wherefrom.Session().compile("a.pp")  # what a child would import first: a second may not be enough for both
    documents = documents_for("a.pp", "--budget", "seconds=1")
    monkeypatch.setitem(documents._questions, "graph", endless)
    contained = ContainedDocuments(documents)
    with served(contained) as port:
        place = f"/{TOKEN}/api/"
        assert request(port, f"{place}explain?path=Notify%5Ba%5D.message")[0] == 200
        status, _, body = request(port, f"{place}graph")
        assert status == 422
        assert json.loads(body)["problems"][0]["code"] == "W009"
        status, _, body = request(port, f"{place}explain?path=Notify%5Ba%5D.message")
        assert (status, json.loads(body)["value"]) == (200, "x1")
        assert request(port, f"{place}explain?path=no")[0] == 404
        assert request(port, f"{place}nothing")[0] == 404
    contained.close()


def test_the_budget_of_a_server_is_that_of_its_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question may use it."""
    from wherefrom.web.documents import Refusal

    (tmp_path / "a.pp").write_text("notice(Integer[1, 10000].map |$x| { $x })")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refusal, match="budget of steps"):
        documents_for("a.pp", "--budget", "steps=1000").answer("compile", {})
    documents_for("a.pp").answer("compile", {})


# --- many nodes ---


@pytest.mark.long
def test_why_a_process_of_many_ended_is_told() -> None:
    """By a signal, by the kernel past the budget's seconds, by an exception nobody expected, by itself."""

    def work(item: str) -> dict[str, Any]:
        doing(f"compiling for {item}")
        if item == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if item == "long":
            with SECONDS.fresh().in_force():
                endless()
        if item == "wrong":
            raise MemoryError("so much")
        if item == "status":
            os._exit(9)
        return {"ok": True, "item": item}

    items = ["a", "killed", "long", "wrong", "status", "b"]
    results = dict(in_processes(items, work, 2))
    assert [item for item in items if not is_lost(results[item])] == ["a", "b"]
    told = {item: results[item]["message"] for item in items if is_lost(results[item])}
    assert "ended by SIGKILL" in told["killed"]
    assert "seconds is spent compiling for long, in `endless`" in told["long"] or "seconds is spent" in told["long"]
    assert "compiling for wrong: MemoryError: so much" in told["wrong"]
    assert "status 9" in told["status"]


def test_why_a_node_of_a_fleet_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """`fleet compile` tells it, the other nodes are in the store, and the next run has the lost one again."""
    pytest.importorskip("pyarrow")
    from wherefrom.fleet import compiling

    build(tmp_path / "c", 4)
    nodes = sorted(path.stem for path in (tmp_path / "c/facts").iterdir())
    original: Callable[..., Any] = compiling.Worker.result

    def dies(self: Any, node: str) -> Any:
        if node == nodes[2]:
            doing(f"compiling {node}")
            os.kill(os.getpid(), signal.SIGKILL)
        return original(self, node)

    words = ["fleet", "compile", str(tmp_path / "c"), "--facts", str(tmp_path / "c/facts"), "--no-settings"]
    words += ["--store", str(tmp_path / "s"), "--jobs", "2"]
    with monkeypatch.context() as patch:
        patch.setattr(compiling.Worker, "result", dies)
        assert status_of(words) == 1
    said = capfd.readouterr()
    assert nodes[2] in said.out and "ended by SIGKILL" in said.out
    assert "3 compiled" in said.out
    assert status_of(words) == 0
    assert "1 compiled, 3 kept" in capfd.readouterr().out


# --- Landlock ---


def kept(tmp_path: Path, *arguments: str) -> dict[str, str]:
    """What an evaluator without checks of its own can do in a child of such a command."""
    work = tmp_path / "work"
    (work / "control").mkdir(parents=True)
    (work / "out").mkdir()
    (work / "control/a.pp").write_text("notice(1)")
    (work / "control/program").write_text("#!/bin/sh\n")
    (work / "control/program").chmod(0o755)
    (tmp_path / "secret").write_text("the secret")
    (tmp_path / "proof.py").write_text(NO_CHECKS)
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path / "home")}
    environ |= {"XDG_CACHE_HOME": "", "XDG_STATE_HOME": "", "TMPDIR": str(work / "out")}
    command = [sys.executable, "-P", str(tmp_path / "proof.py"), *arguments]
    ran = subprocess.run(command, cwd=work, env=environ, capture_output=True)
    assert ran.returncode == 0, ran
    said: dict[str, str] = json.loads(ran.stdout)
    assert set(said.values()) <= {"done", "refused"}, said
    return said


@pytest.mark.skipif(not version() or not is_there(), reason="this kernel has no Landlock, or no seccomp")
@pytest.mark.parametrize(
    ("arguments", "done"),
    [
        (["fleet", "compile", "control", "--store", "out/s"], {"inside", "saving"}),
        (["fleet", "sql", "select 1", "--store", "out"], {"inside", "saving"}),
        (["serve", "control/a.pp"], {"inside"}),
        (["batch"], {"inside", "outside", "beside", "listing"}),
    ],
)
def test_the_kernel_keeps_fleets_servers_and_batches(arguments: list[str], done: set[str], tmp_path: Path) -> None:
    """A fleet writes its store, a server nothing; a batch reads what requests may name, and writes nothing."""
    assert {name for name, what in kept(tmp_path, *arguments).items() if what == "done"} == done


def test_commands_work_as_they_are_kept(tmp_path: Path) -> None:
    """A fleet in a new store, asked and compared; requests that name files."""
    pytest.importorskip("pyarrow")
    build(tmp_path / "c", 3)
    (tmp_path / "a.pp").write_text(SITE)
    for words, want in {
        ("fleet", "compile", "c", "--facts", "c/facts", "--store", "new/s", "--jobs", "2"): b"3 compiled",
        ("fleet", "sql", "select count(*) as n from nodes", "--store", "new/s"): b"3",
        ("fleet", "impact", "data/common.yaml", "--store", "new/s"): b"",
        ("fleet", "diff", "new/s", "new/s"): b"",
        ("compile", "c", "--facts", "c/facts", "--nodes", "--output", "out"): b"3 compiled",
    }.items():
        ran = command(*words, cwd=tmp_path)
        assert ran.status == 0 and want in ran.out, ran
    line = json.dumps({"id": 1, "manifest_path": str(tmp_path / "a.pp")}).encode()
    assert json.loads(command("batch", input=line + b"\n").out)["ok"] is True


def test_a_servant_whose_keeper_ends_is_told() -> None:
    """A kept servant says why its child ended, and answers again."""

    def answer(question: bytes) -> bytes:
        if question == b"die":
            faulthandler.disable()  # no trace of an end that is meant
            os.kill(os.getpid(), signal.SIGSEGV)
        return question

    servant = Servant(answer, kept=True)
    assert servant.ask(b"a") == b"a"
    with pytest.raises(wherefrom.WherefromError, match="SIGSEGV"):
        servant.ask(b"die")
    assert servant.ask(b"b") == b"b"
    servant.close()


def test_a_child_is_asked_once() -> None:
    """What it said last stays readable for whoever tells of its end."""
    child = Child()
    child.begin(lambda: 4, speaks=False)
    assert child.ended().status == 4
    assert child.doing() == ""


def test_an_outcome_that_hangs_on_a_long_list_is_saved() -> None:
    """The elements that say nothing themselves are written too; a child sends its outcomes so."""
    session = wherefrom.Session(contained=True)
    text = "let list = builtins.genList (i: i) 3000; in builtins.seq (builtins.concatMap (x: [ x x ]) list) 1"
    assert session.evaluate(text, trace=True).explain("").to_json()["value"] == 1
    session.close()
