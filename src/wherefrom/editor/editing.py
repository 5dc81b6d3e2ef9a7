"""What the process has that the editor talks to: texts, names, and what was compiled for them.

Everything happens in one event loop. What takes long is not done here: a compilation is a question to the servant
(`wherefrom.editor.answers`), asked in a thread that only waits, one at a time; texts that arrive meanwhile are compiled
next, all at once. A file that is being typed in is read when nothing was typed for a moment (`SETTLED`), which takes
ten milliseconds for a thousand lines.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from ..base.contained import Stopped
from ..base.diagnostics import ERROR, Diagnostic, ManyErrors, UsageError, WherefromError, once
from ..base.host import Host, PureHost, RealHost
from ..base.json_bytes import json_bytes
from ..base.source import SourceFile
from ..languages import language_to_check, load_language
from ..provenance.observed import decided
from .answers import Unwanted, problem_json
from .names import Names
from .positions import range_of
from .subject import Subject
from .texts import Change, Text, path_of, uri_of
from .view import Expression, View

SETTLED = 0.03
"""Seconds without a key after which a text is read."""
QUIET = 0.2
"""Seconds without a key after which it is compiled."""
MOST_CANCELLED = 5
"""Compilations of a place that are cancelled one after another, when something was typed again; then one is let end."""
MOST_FILES = 20_000
SKIPPED = frozenset((".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__", ".bundle", "vendor"))

Ask = Callable[[Mapping[str, Any]], Awaitable[Any]]


class Place:
    """Something that is compiled as a whole: for which node, and what came of it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.nodes: list[str] = []
        self.node: str | None = None
        self.facts: dict[str, str] = {}
        self.known = False
        self.state = "new"
        self.said = ""
        self.problems: dict[str, list[Any]] = {}
        self.checked: dict[str, list[Any]] = {}
        self.published: set[str] = set()
        self.is_due = False
        self.asked = 0
        """The number of the question about it that is being answered; 0 if none is."""
        self.cancelled = 0
        """How many were cancelled since one came to its end."""
        self.running: asyncio.Task[None] | None = None


class Editor:
    """One editor: its texts, its folders, and the places that are compiled for it."""

    def __init__(
        self,
        subject: Subject,
        ask: Callable[[bytes], bytes],
        ask_fleet: Callable[[bytes], bytes] | None,
        unwanted: Unwanted,
        protocol: Any,
    ) -> None:
        self.subject = subject
        self._ask = ask
        self._ask_fleet = ask_fleet
        self._unwanted = unwanted
        self._asked = 0
        self._asking = ThreadPoolExecutor(1, "asking")
        self._asking_fleet = ThreadPoolExecutor(1, "asking the fleet")
        self.protocol = protocol
        self.encoding = "utf-16"
        self.trusted = True
        self.commands: frozenset[str] = frozenset()
        """Commands that the client has itself."""
        self.wanted: str | None = None
        """The node that the editor's settings name."""
        self.names = Names()
        self.views: dict[str, View] = {}
        self.places: dict[str, Place] = {}
        self.folders: list[str] = []
        self.busy = 0
        self._timers: dict[tuple[str, str], asyncio.TimerHandle] = {}
        self._scans: set[asyncio.Task[None]] = set()

    # --- the servant ---

    async def ask(self, question: Mapping[str, object], place: Place | None = None) -> Any:
        """What the other process answers.  One question is answered at a time; of a `place`, it may be cancelled."""
        self.busy += 1
        self._asked += 1
        if place is not None:
            place.asked = self._asked
        try:
            written = json_bytes({"encoding": self.encoding, "number": self._asked, **question})
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._asking, self._answered, self._ask, written)
        finally:
            self.busy -= 1
            if place is not None:
                place.asked = 0
        return answer

    @property
    def has_fleet(self) -> bool:
        """Whether there is a fleet to be asked."""
        return self.trusted and self._ask_fleet is not None

    async def ask_fleet(self, question: Mapping[str, object]) -> Any:
        """What the process for the fleet answers: it waits for no compilation, and none for it."""
        assert self._ask_fleet is not None
        written = json_bytes(question)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._asking_fleet, self._answered, self._ask_fleet, written)

    def _answered(self, ask: Callable[[bytes], bytes], question: bytes) -> object:
        try:
            return json.loads(ask(question))
        except Stopped as stopped:
            return {"error": stopped.problem.message}

    def texts(self) -> dict[str, str]:
        """The open texts as they are to be compiled: as they were when they could last be read."""
        return {
            view.text.path: view.text.good.text
            for view in self.views.values()
            if view.text.good is not None and language_of(view.text.path) is not None
        }

    # --- texts ---

    def opened(self, uri: str, text: str, version: int) -> None:
        """The editor shows a file."""
        path = path_of(uri)
        if path is None or language_of(path) is None:
            return
        self.views[uri] = View(Text(uri, path, text, version), self.subject.place(path) if self.trusted else None)
        self._read(uri)
        self._due(uri)

    def changed(self, uri: str, changes: list[Change], version: int) -> None:
        """Something was typed."""
        view = self.views.get(uri)
        if view is not None:
            view.text.change(changes, version, self.encoding)
            self._later("read", uri, SETTLED, self._read)
            self._later("compile", uri, QUIET, self._due)

    def closed(self, uri: str) -> None:
        """The file is as it lies on the disk."""
        view = self.views.pop(uri, None)
        if view is not None:
            for kind in ("read", "compile"):
                timer = self._timers.pop((kind, uri), None)
                if timer is not None:
                    timer.cancel()
            self._take_from_disk(view.text.path)
            self._publish(view.text.path)
            if view.place is not None and view.text.good is not None:
                self.compile(view.place)

    def changed_on_disk(self, paths: list[str]) -> None:
        """Files were written by somebody."""
        opened = {os.path.realpath(view.text.path) for view in self.views.values()}
        for path in paths:
            if os.path.realpath(path) not in opened:
                self._take_from_disk(path)
        for place in self.places.values():
            place.known = False
            self.compile(place.path)

    def _later(self, kind: str, uri: str, seconds: float, work: Callable[[str], None]) -> None:
        """Do something when nothing more was typed for a moment."""
        timer = self._timers.pop((kind, uri), None)
        if timer is not None:
            timer.cancel()

        def due() -> None:
            self._timers.pop((kind, uri), None)
            work(uri)

        self._timers[kind, uri] = asyncio.get_running_loop().call_later(seconds, due)

    def settle(self, uri: str) -> View | None:
        """The view of a file whose text has been read, whatever was typed a moment ago."""
        timer = self._timers.pop(("read", uri), None)
        if timer is not None:
            timer.cancel()
            self._read(uri)
        return self.views.get(uri)

    def _read(self, uri: str) -> None:
        """Read a text: what is wrong with it, and the names in it."""
        view = self.views.get(uri)
        if view is None:
            return
        source = view.read = view.text.source
        problems = checked(source)
        view.syntax = [
            problem_json(problem, self.encoding) if problem.span is not None else _unplaced(problem)
            for problem in problems
        ]
        if not any(problem.severity == ERROR for problem in problems):
            view.text.good = source
        self._take(view.text.path, source)
        self._publish(view.text.path)

    def _due(self, uri: str) -> None:
        view = self.views.get(uri)
        if view is not None and view.place is not None:
            self.compile(view.place)

    def uri_of_file(self, path: str) -> str:
        """The address of a file, as the editor names it if it shows it."""
        return next((view.text.uri for view in self.views.values() if view.text.path == path), uri_of(path))

    def can_rename_files(self) -> bool:
        """Whether the editor renames files that an edit says are called otherwise."""
        workspace = getattr(self.protocol.client_capabilities, "workspace", None)
        operations = getattr(getattr(workspace, "workspace_edit", None), "resource_operations", None)
        return "rename" in [getattr(operation, "value", operation) for operation in operations or ()]

    # --- names ---

    def _take(self, path: str, source: SourceFile) -> None:
        with suppress(WherefromError, RecursionError):
            self.names.take(path, load_language(language_of(path) or "puppet").mentions(source))

    def _take_from_disk(self, path: str) -> None:
        if language_of(path) is None:
            return
        host = RealHost([os.path.dirname(path) or "."])
        try:
            self._take(path, host.source(path))
        except Diagnostic:
            self.names.forget(path)

    def scan(self, folder: str) -> None:
        """Read the names of a folder, a file at a time, while the editor is served."""

        async def scanning() -> None:
            opened = {view.text.path for view in self.views.values()}
            for number, path in enumerate(files_below(RealHost([folder]), folder)):
                if number >= MOST_FILES:
                    break
                if path not in opened and path not in self.names:
                    self._take_from_disk(path)
                await asyncio.sleep(0)

        task = asyncio.get_running_loop().create_task(scanning())
        self._scans.add(task)
        task.add_done_callback(self._scans.discard)

    async def scanned(self) -> None:
        """All names of the folders are known."""
        while self._scans:
            await asyncio.wait(list(self._scans))

    # --- compiling ---

    def compile(self, path: str) -> None:
        """Compile a place as soon as nothing else of it is being compiled."""
        place = self.places.setdefault(path, Place(path))
        place.is_due = True
        if place.asked and place.cancelled < MOST_CANCELLED:
            self._unwanted.number = place.asked
            place.cancelled += 1
        if place.running is None:
            place.running = asyncio.get_running_loop().create_task(self._compiling(place))

    async def settled(self) -> None:
        """Everything that was typed so far is read, compiled, checked and told."""
        await self.scanned()
        for kind, uri in list(self._timers):
            timer = self._timers.pop((kind, uri), None)
            if timer is not None:
                timer.cancel()
                (self._read if kind == "read" else self._due)(uri)
        while running := [place.running for place in self.places.values() if place.running is not None]:
            await asyncio.wait(running)

    async def _compiling(self, place: Place) -> None:
        try:
            while place.is_due:
                place.is_due = False
                await self._compile(place)
                if not place.is_due and os.path.isdir(place.path):
                    answer = await self.ask({"ask": "check", "place": place.path, "texts": self.texts()}, place)
                    if "cancelled" not in answer:
                        place.checked = answer.get("problems", {})
                        self._publish_place(place)
        finally:
            place.running = None

    async def _compile(self, place: Place) -> None:
        if not place.known:
            answer = await self.ask({"ask": "nodes", "place": place.path})
            place.nodes = answer.get("nodes", [])
            place.node = place.node or self.wanted or answer.get("node")
            place.known = True
        place.state = "compiling"
        self.tell(place)
        views = [view for view in self.views.values() if view.place == place.path and view.text.good is not None]
        sources = {view.text.path: view.text.good for view in views}
        question = {**self.about(place), "ask": "compile", "texts": self.texts(), "watch": list(sources)}
        answer = await self.ask(question, place)
        if "cancelled" in answer:
            return
        place.cancelled = 0
        place.said = answer.get("said") or answer.get("error") or ""
        place.state = "ready" if answer.get("ok") else "failed"
        place.problems = answer.get("problems", {})
        if answer.get("ok"):
            for view in views:
                source = sources[view.text.path]
                if source is not None:
                    view.compiled_as(source, answer["observed"].get(view.text.path))
        self._publish_place(place)
        self.tell(place)
        if answer.get("ok"):
            self.refresh()

    def about(self, place: Place) -> dict[str, Any]:
        """What all questions about a place say."""
        return {"place": place.path, "node": place.node, "facts": place.facts}

    def place_of(self, uri: str) -> Place | None:
        """What is compiled for the sake of a file."""
        view = self.views.get(uri)
        return None if view is None or view.place is None else self.places.get(view.place)

    # --- telling the editor ---

    def tell(self, place: Place) -> None:
        """Report the state of a place, for the client's status line."""
        status = {
            "place": place.path,
            "node": place.node,
            "nodes": place.nodes,
            "facts": place.facts,
            "state": place.state,
            "message": place.said,
        }
        self.protocol.tell("wherefrom/status", status)

    def refresh(self) -> None:
        """Have the editor ask again for what it draws beside the text."""
        workspace = getattr(self.protocol.client_capabilities, "workspace", None)
        for name, method in (("inlay_hint", "inlayHint"), ("code_lens", "codeLens")):
            wanted = getattr(workspace, name, None)
            if wanted is not None and wanted.refresh_support:
                self.protocol.send_request(f"workspace/{method}/refresh")

    def _publish_place(self, place: Place) -> None:
        named = {*place.problems, *place.checked}
        for path in named | place.published:
            self._publish(path)
        place.published = named
        for view in self.views.values():
            if view.place == place.path:
                self._publish(view.text.path)

    def _publish(self, path: str) -> None:
        """Say what is wrong with a file: with its text, with what was compiled, with the whole."""
        real = os.path.realpath(path)
        view = next((view for view in self.views.values() if os.path.realpath(view.text.path) == real), None)
        if view is not None and view.read is not view.text.source:
            return  # it is said when the text has been read, with its version
        problems: list[Any] = list(view.syntax) if view is not None else []
        if view is None or view.text.good is view.text.source:
            for place in self.places.values():
                problems += [*place.problems.get(real, ()), *place.checked.get(real, ())]
        if view is not None:
            problems += self.faded(view)
        told: dict[str, Any] = {}
        for problem in problems:
            key = json.dumps([problem["range"]["start"], problem.get("code"), problem["message"].partition("\n")[0]])
            told.setdefault(key, _with_addresses(problem))
        document: dict[str, Any] = {"uri": view.text.uri if view is not None else uri_of(real)}
        document["diagnostics"] = list(told.values())
        if view is not None:
            document["version"] = view.text.version
        self.protocol.tell("textDocument/publishDiagnostics", document)

    def faded(self, view: View) -> list[Any]:
        """The statements that did not run, where what is around them did; of the text that was compiled alone."""
        place = self.places.get(view.place or "")
        if place is None or not view.is_read or not view.same_text():
            return []
        ran = {(item.start, item.end) for item in view.expressions}
        values = [(item.start, item.end, _only(item)) for item in view.expressions]
        source = view.text.source
        outside: list[tuple[int, int]] = []
        answer: list[object] = []
        for span in load_language(language_of(source.name) or "puppet").statements(source):
            here = (span.start, span.end)
            if here in ran or any(start <= span.start and span.end <= end for start, end in outside):
                continue
            outside.append(here)
            if any(start <= span.start and span.end <= end for start, end in ran):
                words = f"does not run on {place.node}" if place.node else "does not run"
                test = decided(values, *here)
                if test is not None:
                    told_of = " ".join(source.text[test[0] : test[1]].split())
                    words += f": {told_of}" + (f" is {test[2]}" if test[2] else "")
                told = {"range": range_of(span, self.encoding), "severity": 4, "source": "wherefrom", "tags": [1]}
                answer.append({**told, "code": "unused", "message": words})
        return answer


def _only(expression: Expression) -> str:
    """The only value of an expression."""
    return expression.values[0].text if expression.distinct == 1 and expression.values else ""


def language_of(path: str) -> str | None:
    """The language of a file, if it has one of ours."""
    with suppress(UsageError):
        return language_to_check(path) if os.path.splitext(path)[1] not in ("", ".json") else None
    return None


def checked(source: SourceFile) -> list[Diagnostic]:
    """What is wrong with a text by itself."""
    language = language_of(source.name)
    if language is None:
        return []
    try:
        return once(load_language(language).check(source, PureHost({source.name: source.text})))
    except ManyErrors as problems:
        return once(problems.diagnostics)
    except Diagnostic as problem:
        return [problem]


def has_names(path: str) -> bool:
    """Whether a file is one of those that have names in them."""
    return language_of(path) is not None


def files_below(host: Host, folder: str, is_wanted: Callable[[str], bool] = has_names) -> Iterator[str]:
    """The files below a folder that are wanted, links to directories followed once."""
    waiting, seen = [folder], set()
    while waiting:
        place = waiting.pop()
        real = os.path.realpath(place)
        if real in seen:
            continue
        seen.add(real)
        with suppress(Diagnostic):
            for name in host.list_directory(place):
                path = os.path.join(place, name)
                if os.path.isdir(path):
                    if name not in SKIPPED and not name.startswith("."):
                        waiting.append(path)
                elif is_wanted(path):
                    yield path


def _unplaced(problem: Diagnostic) -> dict[str, object]:
    """A problem of the file as a whole."""
    nowhere = {"line": 0, "character": 0}
    return {
        "range": {"start": nowhere, "end": nowhere},
        "severity": 1 if problem.severity == ERROR else 2,
        "code": problem.code,
        "source": "wherefrom",
        "message": problem.message,
    }


def _with_addresses(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A diagnostic whose related places are named by addresses."""
    document = dict(problem)
    related = document.pop("related", None)
    if related:
        document["relatedInformation"] = [
            {"location": {"uri": uri_of(item["path"]), "range": item["range"]}, "message": item["message"]}
            for item in related
        ]
    return document
