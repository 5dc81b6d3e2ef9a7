"""Every question that the page asks, and its answer: one JSON document each, the same as the command prints.

| question    | parameters                                 | the document                                     |
|-------------|--------------------------------------------|--------------------------------------------------|
| `subject`   |                                            | what is shown: language, nodes, questions        |
| `state`     |                                            | a number that grows with every change of a file  |
| `compile`   | `node`                                     | `compile --json` (Nix: `eval --json`)            |
| `outputs`   | `node`                                     | every smallest value with its path               |
| `inputs`    | `node`                                     | every input of every output                      |
| `contents`  | `node`                                     | the contents of files that a catalog points at   |
| `logs`      | `node`                                     | what the configuration asked to have printed     |
| `graph`     | `node`                                     | `graph --json`                                   |
| `explain`   | `node`, `path`, `line`, `blame`            | `explain --json`                                 |
| `fragments` | `node`, `path`                             | a text, each stretch with its origin             |
| `impact`    | `node`, `input`                            | `impact --json`                                  |
| `lookup`    | `node`, `key`                              | `lookup --json`                                  |
| `hand`      | `node`, `words`                            | the paths that a file, line or name may mean     |
| `missing`   | `node`, `path`                             | the reasons of `explain --missing --json`        |
| `diff`      | `node`; `since` (`until`), `with`, `facts` | `diff --json`                                    |
| `revisions` |                                            | the last commits that one may compare with       |
| `set`       | `node`, `path`; `value`                    | `set --json`; without `value`, of its absence    |
| `sources`   | `node`                                     | the names of the files that were read            |
| `source`    | `node`, `file`                             | one of them                                      |
| `fleet`     |                                            | `wherefrom fleet plot --json`: `reach`, `causes` |
| `examples`  |                                            | derivations to walk through                      |
| `step`      | `example`, `node`, `annotate`, `rules`     | `step --json`                                    |
| `at`        | `node`, `file`, `line`, `column`; `texts`  | the expression at a place, and what it gave      |
| `try`       | `node`, `texts`; `file`                    | what texts in place of files change              |

Outcomes are kept until a file changes; the session that compiles keeps what it has read, so that a change costs what
depends on it. One question is answered at a time. What is wrong with a configuration is an answer too (`Refusal`).
Whatever is written has no secret in it; a source keeps its length, so that places in it stay where they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

from ..base.collector import at_rest
from ..base.deep import with_deep_stack
from ..base.diagnostics import Diagnostic, ManyErrors, PathNotFound, UsageError
from ..base.json_bytes import json_bytes
from ..base.render import diagnostic_json, diagnostics_text
from ..base.secrets import Secrets, learning
from ..base.source import SourceFile
from ..comparison import compare
from ..language import Outcome, catalog_of, data_of
from ..provenance.explain import leaf_json
from ..provenance.extract import depends
from ..revisions import NoRevision, author_of, recent
from .examples import EXAMPLES, example
from .fragments import fragments_of
from .subject import Side, Subject
from .trying import Trying

Parameters = Mapping[str, str]

STEP_LIMIT = 2_000
"""Steps of a derivation that a page shows."""
MAX_REVISIONS = 30
WHOLES = ("compile", "graph", "outputs", "contents", "inputs")
"""Questions about the whole outcome of a node, whose answers are large: kept as they are written."""


class Refusal(Exception):
    """A question without an answer: an HTTP status, and a document that says why."""

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        super().__init__(document.get("error", ""))
        self.status = status
        self.document = document


class Documents:
    """The answers about one subject."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.version = 0
        self.secrets = Secrets()
        self._lock = RLock()
        self._looked = subject.looks()
        self._trying = Trying(subject.attempt, self.secrets) if subject.attempt is not None else None
        self._outcomes: dict[str, Outcome | Refusal] = {}
        self._written: dict[tuple[str, str | None], bytes] = {}
        self._questions: dict[str, Callable[[Parameters], Any]] = {
            "subject": self._subject,
            "state": self._state,
            "compile": lambda asked: self.outcome(asked).shown(),
            "outputs": self._outputs,
            "contents": self._contents,
            "inputs": self._inputs,
            "logs": self._logs,
            "graph": lambda asked: catalog_of(self.outcome(asked)).graph().to_json(),
            "explain": self._explain,
            "fragments": lambda asked: fragments_of(self.outcome(asked), _needed(asked, "path")),
            "impact": lambda asked: self.outcome(asked).impact(_needed(asked, "input")).to_json(),
            "hand": self._hand,
            "lookup": lambda asked: data_of(self.outcome(asked)).lookup(_needed(asked, "key")).to_json(),
            "missing": self._missing,
            "diff": self._diff,
            "revisions": self._revisions,
            "set": self._set,
            "sources": lambda asked: {"files": list(_sources(self.outcome(asked)))},
            "source": self._source,
            "fleet": self._fleet,
            "examples": lambda _: {"examples": [item.to_json() for item in EXAMPLES]},
            "step": self._step,
            "at": self._at,
            "try": self._try,
        }

    @property
    def questions(self) -> tuple[str, ...]:
        """The names of all questions."""
        return tuple(self._questions)

    def answer(self, question: str, asked: Parameters) -> bytes:
        """The document, written.  Raises `Refusal`."""
        handler = self._questions.get(question)
        if handler is None:
            raise Refusal(404, {"error": f"unknown query {question!r}"})
        with self._lock, at_rest(), self.subject.budget.fresh().in_force():
            key = (question, asked.get("node"))
            if key in self._written:
                return self._written[key]
            try:
                document = with_deep_stack(lambda: handler(asked))
            except Refusal as refusal:
                refusal.document = self.secrets.redacted_data(refusal.document)
                raise
            except PathNotFound as problem:
                raise self._refused(404, [problem]) from None
            except ManyErrors as problems:
                raise self._refused(422, problems.diagnostics) from None
            except Diagnostic as problem:
                raise self._refused(422, [problem]) from None
            except UsageError as problem:
                raise Refusal(400, {"error": self.secrets.redacted(str(problem))}) from None
            answer = json_bytes(self.secrets.redacted_data(document, masked=question == "source"))
            if question in WHOLES:
                self._written[key] = answer
            return answer

    def answer_or_refuse(self, question: str, asked: Parameters) -> bytes:
        """The same for a server: a bug of ours is a refusal too, as one question must not end the others."""
        try:
            return self.answer(question, asked)
        except Refusal:
            raise
        except Exception as bug:
            words = f"internal error: {type(bug).__name__}: {bug}; this is a bug in wherefrom"
            raise Refusal(500, {"error": self.secrets.redacted(words)}) from None

    def document(self, question: str, **asked: str) -> Any:
        """The same as plain data, for callers in the same process."""
        return json.loads(self.answer(question, asked))

    def _refused(self, status: int, problems: list[Diagnostic]) -> Refusal:
        text = diagnostics_text(problems)
        document = {
            "error": problems[0].message if problems else "",
            "problems": [diagnostic_json(problem) for problem in problems],
            "text": text,
        }
        return Refusal(status, self.secrets.redacted_data(document))

    # --- outcomes ---

    def outcome(self, asked: Parameters) -> Outcome:
        """The outcome for the node asked for: kept, or compiled now.  A failure is kept as well."""
        node = asked.get("node") or self.subject.node or ""
        known = self._outcomes.get(node)
        if known is None:
            try:
                known = self._run(None, node or None, {})
            except ManyErrors as problems:
                known = self._refused(422, problems.diagnostics)
            except Diagnostic as problem:
                known = self._refused(422, [problem])
            self._outcomes[node] = known
        if isinstance(known, Refusal):
            raise Refusal(known.status, known.document)
        return known

    def _run(self, revision: str | None, node: str | None, facts: Mapping[str, object]) -> Outcome:
        with learning() as learned:
            try:
                outcome = self.subject.run(revision, node, facts)
            finally:  # a run that fails may quote what it has come to know
                self.secrets.add(learned.texts())
        self.secrets.add(outcome.secrets())
        return outcome

    def _look(self) -> None:
        """Forget what was compiled, if a file has changed since."""
        looked = self.subject.looks()
        if looked != self._looked:
            self._looked = looked
            self._outcomes.clear()
            self._written.clear()
            if self._trying is not None:
                self._trying.forget()
            self.version += 1

    # --- answers ---

    def _subject(self, _: Parameters) -> object:
        subject = self.subject
        document: dict[str, object] = {"title": subject.title, "nodes": list(subject.nodes), "node": subject.node}
        if subject.since is not None:
            document["since"] = subject.since
        if subject.fleet is not None:
            document["fleet"] = True
        if subject.attempt is not None:
            document["playground"] = True
        try:
            document["language"] = self.outcome({}).language
        except Refusal:
            document["language"] = None  # the page shows what is wrong
        return document

    def _at(self, asked: Parameters) -> Any:
        """The expression at a place of a source, of the files or of texts in their place."""
        line, column = (_number(_needed(asked, name), name) for name in ("line", "column"))
        place = (_needed(asked, "file"), line, column)
        return self._tried(asked, lambda saved, node, texts: self._playground.at(saved, node, texts, place))

    def _try(self, asked: Parameters) -> Any:
        file = asked.get("file")
        return self._tried(asked, lambda saved, node, texts: self._playground.tried(saved, node, texts, file))

    @property
    def _playground(self) -> Trying:
        if self._trying is None:
            raise UsageError("this page has no playground")
        return self._trying

    def _tried(self, asked: Parameters, answer: Callable[[Outcome, str | None, str], dict[str, Any]]) -> Any:
        saved = self.outcome(asked)
        with learning() as learned:
            try:
                return answer(saved, asked.get("node") or self.subject.node, asked.get("texts", ""))
            finally:
                self.secrets.add(learned.texts())

    def _fleet(self, _: Parameters) -> Any:
        if self.subject.fleet is None:
            raise UsageError("no fleet store is open: name one with --store")
        return self.subject.fleet()

    def _state(self, _: Parameters) -> object:
        self._look()
        return {"version": self.version}

    def _outputs(self, asked: Parameters) -> object:
        outcome = self.outcome(asked)
        outputs = [*outcome.outputs(), *(outcome.contents() or ())]
        return {"outputs": [{"path": output.path, "value": output.value} for output in outputs]}

    def _contents(self, asked: Parameters) -> object:
        """Of files that the outcome points at: all that a catalog does not say itself."""
        contents = self.outcome(asked).contents() or ()
        return {"contents": [{"path": content.path, "value": content.value} for content in contents]}

    def _hand(self, asked: Parameters) -> object:
        """What somebody means who has a path of a machine in hand, with a line of it, or the name of something."""
        words = _needed(asked, "words")
        path, line, others = self.outcome(asked).meant(words)
        paths = [path, *others] if self.outcome(asked).has(path) else []
        return {"paths": paths, **({} if line is None or not paths else {"line": line})}

    def _inputs(self, asked: Parameters) -> object:
        outcome = self.outcome(asked)
        leaves = depends(*(output.origin for output in (*outcome.outputs(), *(outcome.contents() or ()))))
        return {"inputs": [leaf_json(leaf) for leaf in leaves]}

    def _logs(self, asked: Parameters) -> object:
        return {"logs": [[log.level, log.message] for log in self.outcome(asked).logs]}

    def _explain(self, asked: Parameters) -> object:
        outcome, path = self.outcome(asked), _needed(asked, "path")
        line = asked.get("line")
        explanation = outcome.explain(path) if line is None else outcome.explain_line(path, _number(line, "line"))
        if asked.get("blame"):
            explanation.by = author_of(explanation.edit_place)  # type: ignore[misc]  # nobody else has seen it yet
        return explanation.to_json()

    def _set(self, asked: Parameters) -> Any:
        """Edits that were compiled, and that nobody makes here."""
        if self.subject.propose is None:
            raise UsageError("this page cannot propose edits")
        path, node = _needed(asked, "path"), asked.get("node") or self.subject.node
        self.outcome(asked).select(path)  # what is wrong is told as for every other question
        with learning() as learned:
            try:
                return self.subject.propose(node, path, asked.get("value")).to_json()
            finally:
                self.secrets.add(learned.texts())

    def _missing(self, asked: Parameters) -> Any:
        path = _needed(asked, "path")
        reasons = self.outcome(asked).missing(path)
        return {"path": path, "missing": True, "reasons": [diagnostic_json(reason) for reason in reasons]}

    def _diff(self, asked: Parameters) -> object:
        """Against a revision, another node, or this node with some facts changed."""
        node = asked.get("node") or self.subject.node
        here: Side = (None, node, {})
        before: Side
        after: Side
        if "since" in asked:
            before, after = (_needed(asked, "since"), node, {}), (asked.get("until") or None, node, {})
        elif "with" in asked:
            before, after = (None, _needed(asked, "with"), {}), here
        else:
            before, after = here, (None, node, _facts(_needed(asked, "facts")))
        return compare(self._side(before), self._side(after), self.subject.again(before, after)).to_json()

    def _side(self, side: Side) -> Outcome:
        revision, node, facts = side
        return self.outcome({"node": node or ""}) if revision is None and not facts else self._run(*side)

    def _revisions(self, _: Parameters) -> object:
        if self.subject.path is None:
            return {"revisions": []}
        try:
            return {"revisions": recent(self.subject.path, MAX_REVISIONS)}
        except NoRevision:
            return {"revisions": []}

    def _source(self, asked: Parameters) -> Any:
        """Only what the run has read: the name is looked up there, never on the disk."""
        name = _needed(asked, "file")
        source = _sources(self.outcome(asked)).get(name)
        if source is None:
            raise Refusal(404, {"error": f"{name} was not read in this run"})
        return {"file": source.name, "text": source.text}

    def _step(self, asked: Parameters) -> object:
        options: dict[str, object] = {
            name: asked.get(name) or None for name in ("node", "annotate", "rules", "switches")
        }
        if (options["annotate"] or "where") not in ("where", "expression", "dependency"):
            raise UsageError(f"unknown annotation {options['annotate']!r}")
        if (options["rules"] or "thesis") not in ("thesis", "repaired"):
            raise UsageError(f"unknown rules {options['rules']!r}: expected thesis or repaired")
        options["limit"] = min(_number(asked.get("limit") or str(STEP_LIMIT), "limit"), STEP_LIMIT)
        name = asked.get("example")
        if name:
            shown = example(name)
            if shown is None:
                raise Refusal(404, {"error": f"there is no example {name!r}"})
            return {**self.subject.derive(shown.file.name, shown.text, options), "text": shown.text}
        path = self.subject.path
        if path is None or not os.path.isfile(path):
            raise UsageError("only single files have derivations, not whole repositories")
        options["node"] = options["node"] or self.subject.node
        source = self.outcome(asked).sources.get(path)
        return {**self.subject.derive(path, None, options), "text": source.text if source is not None else ""}


def _sources(outcome: Outcome) -> dict[str, SourceFile]:
    """What the run has read, and the texts that the outcome points at."""
    return {**outcome.pointed_sources(), **outcome.sources}


def _needed(asked: Parameters, name: str) -> str:
    value = asked.get(name)
    if not value:
        raise UsageError(f"the query needs the parameter {name!r}")
    return value


def _number(text: str, name: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise UsageError(f"{name} must be a number, found {text!r}")
    return int(text)


def _facts(text: str) -> dict[str, Any]:
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise UsageError("facts must be a JSON object from dotted names to values")
    return facts
