"""Sessions whose runs are done in a child process, which can be ended: `Session(contained=True)`.

The child has a session of its own, with what it has read, and answers one question after another
(`wherefrom.base.servant`). A question goes there as Python writes it; what comes back is JSON, and an outcome comes as
a saved one does (`wherefrom.saved`): with every output, its history and the sources, with secrets masked, and none of
it is believed. So explaining, impact and comparisons are done here, on what cannot run any more. A child that had to be
ended is `Stopped`, with the diagnostic; the next question gets a new one, which has nothing read yet.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, Protocol

from .base.collector import stay
from .base.contained import Stopped, can_contain
from .base.deep import with_deep_stack
from .base.diagnostics import Diagnostic, UsageError, WherefromError
from .base.execution import ExecutionContext
from .base.json_bytes import json_bytes
from .base.remote_diagnostics import raised_from, several_from_document, several_to_document, to_document
from .base.servant import Servant
from .language import Catalog, Data, Inputs, Log, Outcome, Selected
from .provenance.export import BadExport
from .saved import SavedOutcome, restore, save


class Runs(Protocol):
    """What the child's session does (`wherefrom.session.Session`)."""

    execution: ExecutionContext

    def run(
        self,
        path: str,
        inputs: Inputs,
        *,
        language: str | None = None,
        roots: Iterable[str] = (),
        content: bytes | None = None,
        files: Mapping[str, bytes | None] | None = None,
    ) -> Outcome:
        """Compile a file or directory."""

    def evaluate(self, expression: str, **given: Any) -> Outcome:
        """Evaluate an expression."""

    def check(self, path: str, **given: Any) -> list[Diagnostic]:
        """Parse and validate a file."""

    def check_all(self, path: str, inputs: Inputs, *, roots: Iterable[str] = ()) -> list[Diagnostic]:
        """What is wrong with a directory as a whole."""

    def answer(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """A request of the batch protocol."""

    def changed(self, *paths: str) -> None:
        """Files are not what they were."""

    def clear(self) -> None:
        """Forget everything."""


_OUTCOME, _DOCUMENT, _RAISED = b"O", b"D", b"R"


class ContainedOutcome(SavedOutcome, Catalog, Data):
    """What a contained run came to."""

    def __init__(self, saved: SavedOutcome, logs: Sequence[Log]) -> None:
        outputs: dict[str, Selected] = {selected.path: selected for selected in saved.outputs()}
        contents = saved.contents()
        super().__init__(
            saved.language,
            saved.document(),
            saved.text(),
            outputs,
            dict(saved.sources),
            None if contents is None else list(contents),
            saved.directory,
        )
        self.logs = logs

    def _not_here(self) -> NoReturn:
        raise UsageError(
            "a contained session has only values and their provenance: use a session that is not contained"
        )

    def graph(self) -> NoReturn:
        self._not_here()

    def lookup(self, key: str, merge: str | None = None) -> NoReturn:
        self._not_here()

    def missing(self, path: str) -> NoReturn:
        self._not_here()

    def stored(self) -> NoReturn:
        self._not_here()


class Contained:
    """The child of a session, as that session asks it."""

    def __init__(self, session: Runs) -> None:
        if not can_contain():
            raise UsageError("a contained session needs `fork`, which this system lacks")
        self._session = session
        """The child's: this process has it only to fork it."""
        self._servant = Servant(self._answer, stay)

    def close(self) -> None:
        """Let the child go."""
        self._servant.close()

    # --- here ---

    def run(self, path: str, inputs: Inputs, given: Mapping[str, object]) -> ContainedOutcome:
        """`Session.run`."""
        return self._outcome("run", path, _plain(inputs), dict(given))

    def evaluate(self, expression: str, given: Mapping[str, object]) -> ContainedOutcome:
        """`Session.evaluate`."""
        return self._outcome("evaluate", expression, dict(given))

    def check(self, path: str, given: Mapping[str, object]) -> list[Diagnostic]:
        """`Session.check`."""
        return several_from_document(self._document("check", path, dict(given)))

    def check_all(self, path: str, inputs: Inputs, roots: Sequence[str]) -> list[Diagnostic]:
        """`Session.check_all`."""
        return several_from_document(self._document("check_all", path, _plain(inputs), roots))

    def answer(self, document: Mapping[str, object]) -> dict[str, Any]:
        """`Session.answer`."""
        answer = self._document("answer", json_bytes(document))
        if not isinstance(answer, dict):
            raise BadExport("no answer")
        return answer

    def tell(self, name: str, *words: str) -> None:
        """`Session.changed` and `Session.clear`."""
        self._document(name, *words)

    def _outcome(self, *question: object) -> ContainedOutcome:
        kind, content = self._asked(question)
        head, _, saved = content.partition(b"\n")
        if kind != _OUTCOME:
            raise BadExport("no outcome")
        return ContainedOutcome(restore(saved), [Log(str(level), str(words)) for level, words in json.loads(head)])

    def _document(self, *question: object) -> Any:
        kind, content = self._asked(question)
        if kind != _DOCUMENT:
            raise BadExport("no document")
        return with_deep_stack(lambda: json.loads(content))

    def _asked(self, question: tuple[object, ...]) -> tuple[bytes, bytes]:
        try:
            written = pickle.dumps((os.getcwd(), question))
        except (pickle.PicklingError, TypeError, AttributeError) as problem:
            raise UsageError(f"arguments of a contained session must be picklable: {problem}") from None
        try:
            answer = self._servant.ask(written)
        except Stopped as stopped:
            raise stopped.problem from None
        if answer[:1] == _RAISED:
            raise raised_from(json.loads(answer[1:]))
        return answer[:1], answer[1:]

    # --- in the child ---

    def _answer(self, written: bytes) -> bytes:
        place, question = pickle.loads(written)  # our parent wrote it
        try:
            os.chdir(place)
            return self._done(*question)
        except WherefromError as problem:
            return _RAISED + json.dumps(to_document(problem)).encode()
        except OSError as problem:
            return _RAISED + json.dumps(to_document(UsageError(str(problem)))).encode()
        except Exception as bug:
            words = f"internal error: {type(bug).__name__}: {bug}; this is a bug in wherefrom"
            return _RAISED + json.dumps(to_document(WherefromError(words))).encode()

    def _done(self, name: str, *given: Any) -> bytes:
        session = self._session
        match name, given:
            case ("run", (path, (node, facts, options), more)):
                return _saved(session, session.run(path, Inputs(node, facts, options), **more))
            case ("evaluate", (expression, more)):
                return _saved(session, session.evaluate(expression, **more))
            case ("check", (path, more)):
                return _DOCUMENT + json_bytes(several_to_document(session.check(path, **more)))
            case ("check_all", (path, (node, facts, options), roots)):
                problems = session.check_all(path, Inputs(node, facts, options), roots=roots)
                return _DOCUMENT + json_bytes(several_to_document(problems))
            case ("answer", (document,)):
                return _DOCUMENT + json_bytes(session.answer(json.loads(document)))
            case ("changed", paths):
                session.changed(*paths)
            case ("clear", ()):
                session.clear()
            case _:
                raise ValueError(name)
        return _DOCUMENT + b"null"


def _saved(session: Runs, outcome: Outcome) -> bytes:
    saved = session.execution.do(lambda: save(outcome))
    return _OUTCOME + json_bytes([[log.level, log.message] for log in outcome.logs]) + b"\n" + saved


def _plain(inputs: Inputs) -> tuple[str | None, dict[str, Any], dict[str, Any]]:
    return inputs.node, dict(inputs.facts), dict(inputs.options)
