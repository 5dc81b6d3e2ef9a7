"""Every question that the page asks, and its answer: one JSON document each, the same as the command line prints.

| question    | parameters                                  | the document                                          |
|-------------|---------------------------------------------|-------------------------------------------------------|
| `subject`   |                                             | what is shown: language, nodes, questions             |
| `state`     |                                             | a number that grows with every change of a file       |
| `compile`   | `node`                                      | `wherefrom compile --json` (Nix: `wherefrom eval --json`)    |
| `outputs`   | `node`                                      | every smallest value with its path                    |
| `inputs`    | `node`                                      | every input of every output                           |
| `logs`      | `node`                                      | what the configuration asked to have printed          |
| `graph`     | `node`                                      | `wherefrom graph --json`                                 |
| `explain`   | `node`, `path`, `line`, `blame`             | `wherefrom explain --json`                               |
| `fragments` | `node`, `path`                              | a text, each stretch with its origin                  |
| `impact`    | `node`, `input`                             | `wherefrom impact --json`                                |
| `lookup`    | `node`, `key`                               | `wherefrom lookup --json`                                |
| `missing`   | `node`, `path`                              | the reasons of `wherefrom explain --missing --json`      |
| `diff`      | `node`; `since` (`until`), `with`, `facts`  | `wherefrom diff --json`                                  |
| `revisions` |                                             | the last commits that one may compare with            |
| `sources`   | `node`                                      | the names of the files that were read                 |
| `source`    | `node`, `file`                              | one of them                                           |
| `fleet`     |                                             | `wherefrom fleet plot --json`: `reach`, `causes`          |
| `examples`  |                                             | derivations to walk through                           |
| `step`      | `example`, `node`, `annotate`, `rules`, ... | `wherefrom step --json`                                  |

Outcomes are kept until a file changes; the session that compiles keeps what it has read, so that a change costs what
hangs on it. One question is answered at a time. What is wrong with a configuration is an answer too (`Refusal`).
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
from ..base.secrets import Secrets, learning, texts_in
from ..comparison import compare
from ..language import Outcome
from ..provenance.explain import leaf_json
from ..provenance.extract import depends
from ..revisions import NoRevision, author_of, recent
from .examples import EXAMPLES, example
from .fragments import fragments_of
from .subject import Subject

Parameters = Mapping[str, str]

STEP_LIMIT = 2_000
"""Steps of a derivation that a page shows."""
MAX_REVISIONS = 30
WHOLES = ("compile", "graph", "outputs", "inputs")
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
        self._outcomes: dict[str, Outcome | Refusal] = {}
        self._written: dict[tuple[str, str | None], bytes] = {}
        self._questions: dict[str, Callable[[Parameters], Any]] = {
            "subject": self._subject,
            "state": self._state,
            "compile": lambda asked: self.outcome(asked).document(),
            "outputs": self._outputs,
            "inputs": self._inputs,
            "logs": self._logs,
            "graph": lambda asked: self.outcome(asked).graph().to_json(),
            "explain": self._explain,
            "fragments": lambda asked: fragments_of(self.outcome(asked), _needed(asked, "path")),
            "impact": lambda asked: self.outcome(asked).impact(_needed(asked, "input")).to_json(),
            "lookup": lambda asked: self.outcome(asked).lookup(_needed(asked, "key")).to_json(),
            "missing": self._missing,
            "diff": self._diff,
            "revisions": self._revisions,
            "sources": lambda asked: {"files": list(self.outcome(asked).sources)},
            "source": self._source,
            "fleet": self._fleet,
            "examples": lambda _: {"examples": [item.to_json() for item in EXAMPLES]},
            "step": self._step,
        }

    @property
    def questions(self) -> tuple[str, ...]:
        """The names of all questions."""
        return tuple(self._questions)

    def answer(self, question: str, asked: Parameters) -> bytes:
        """The document, written.  Raises `Refusal`."""
        handler = self._questions.get(question)
        if handler is None:
            raise Refusal(404, {"error": f"there is no question {question!r}"})
        with self._lock, at_rest():
            key = (question, asked.get("node"))
            if key in self._written:
                return self._written[key]
            try:
                written = with_deep_stack(lambda: json_bytes(handler(asked)))
            except Refusal as refusal:
                refusal.document = json.loads(self.secrets.redacted_bytes(json_bytes(refusal.document)))
                raise
            except PathNotFound as problem:
                raise self._refused(404, [problem]) from None
            except ManyErrors as problems:
                raise self._refused(422, problems.diagnostics) from None
            except Diagnostic as problem:
                raise self._refused(422, [problem]) from None
            except UsageError as problem:
                raise Refusal(400, {"error": self.secrets.redacted(str(problem))}) from None
            answer = self.secrets.redacted_bytes(written, masked=question == "source")
            if question in WHOLES:
                self._written[key] = answer
            return answer

    def document(self, question: str, **asked: str) -> Any:
        """The same as plain data, for whoever is in the same process."""
        return json.loads(self.answer(question, asked))

    def _refused(self, status: int, problems: list[Diagnostic]) -> Refusal:
        text = diagnostics_text(problems)
        document = {
            "error": problems[0].message if problems else "",
            "problems": [diagnostic_json(problem) for problem in problems],
            "text": text,
        }
        return Refusal(status, json.loads(self.secrets.redacted_bytes(json_bytes(document))))

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

    def _run(self, revision: str | None, node: str | None, facts: Mapping[str, Any]) -> Outcome:
        with learning() as learned:
            try:
                outcome = self.subject.run(revision, node, facts)
            finally:  # a run that fails may quote what it has come to know
                self.secrets.add(texts_in(learned))
        self.secrets.add(outcome.secrets())
        return outcome

    def _look(self) -> None:
        """Forget what was compiled, if a file has changed since."""
        looked = self.subject.looks()
        if looked != self._looked:
            self._looked = looked
            self._outcomes.clear()
            self._written.clear()
            self.version += 1

    # --- answers ---

    def _subject(self, _: Parameters) -> Any:
        subject = self.subject
        document: dict[str, Any] = {"title": subject.title, "nodes": list(subject.nodes), "node": subject.node}
        if subject.since is not None:
            document["since"] = subject.since
        if subject.fleet is not None:
            document["fleet"] = True
        try:
            document["language"] = self.outcome({}).language
        except Refusal:
            document["language"] = None  # the page shows what is wrong
        return document

    def _fleet(self, _: Parameters) -> Any:
        if self.subject.fleet is None:
            raise UsageError("no store of a fleet is shown: name one with --store")
        return self.subject.fleet()

    def _state(self, _: Parameters) -> Any:
        self._look()
        return {"version": self.version}

    def _outputs(self, asked: Parameters) -> Any:
        outputs = self.outcome(asked).outputs()
        return {"outputs": [{"path": output.path, "value": output.value} for output in outputs]}

    def _inputs(self, asked: Parameters) -> Any:
        leaves = depends(*(output.origin for output in self.outcome(asked).outputs()))
        return {"inputs": [leaf_json(leaf) for leaf in leaves]}

    def _logs(self, asked: Parameters) -> Any:
        return {"logs": [[log.level, log.message] for log in self.outcome(asked).logs]}

    def _explain(self, asked: Parameters) -> Any:
        outcome, path = self.outcome(asked), _needed(asked, "path")
        line = asked.get("line")
        explanation = outcome.explain(path) if line is None else outcome.explain_line(path, _number(line, "line"))
        if asked.get("blame"):
            explanation.by = author_of(explanation.edit_place)  # type: ignore[misc]  # nobody else has seen it yet
        return explanation.to_json()

    def _missing(self, asked: Parameters) -> Any:
        path = _needed(asked, "path")
        reasons = self.outcome(asked).missing(path)
        return {"path": path, "missing": True, "reasons": [diagnostic_json(reason) for reason in reasons]}

    def _diff(self, asked: Parameters) -> Any:
        """Against a revision, another node, or this node with some facts changed."""
        node = asked.get("node") or self.subject.node
        if "since" in asked:
            until = asked.get("until")
            later = self._run(until, node, {}) if until else self.outcome(asked)
            return compare(self._run(_needed(asked, "since"), node, {}), later).to_json()
        after = self.outcome(asked)
        if "with" in asked:
            return compare(self.outcome({"node": _needed(asked, "with")}), after).to_json()
        return compare(after, self._run(None, node, _facts(_needed(asked, "facts")))).to_json()

    def _revisions(self, _: Parameters) -> Any:
        if self.subject.path is None:
            return {"revisions": []}
        try:
            return {"revisions": recent(self.subject.path, MAX_REVISIONS)}
        except NoRevision:
            return {"revisions": []}

    def _source(self, asked: Parameters) -> Any:
        """Only what the run has read: the name is looked up there, never on the disk."""
        name = _needed(asked, "file")
        source = self.outcome(asked).sources.get(name)
        if source is None:
            raise Refusal(404, {"error": f"{name} was not read in this run"})
        return {"file": source.name, "text": source.text}

    def _step(self, asked: Parameters) -> Any:
        options: dict[str, Any] = {name: asked.get(name) or None for name in ("node", "annotate", "rules", "switches")}
        if (options["annotate"] or "where") not in ("where", "expression", "dependency"):
            raise UsageError(f"cannot annotate with {options['annotate']!r}")
        if (options["rules"] or "thesis") not in ("thesis", "repaired"):
            raise UsageError(f"there are no rules {options['rules']!r}: expected thesis or repaired")
        options["limit"] = min(_number(asked.get("limit") or str(STEP_LIMIT), "limit"), STEP_LIMIT)
        name = asked.get("example")
        if name:
            shown = example(name)
            if shown is None:
                raise Refusal(404, {"error": f"there is no example {name!r}"})
            return {**self.subject.derive(shown.file.name, shown.text, options), "text": shown.text}
        path = self.subject.path
        if path is None or not os.path.isfile(path):
            raise UsageError("only a file has a derivation: this is a whole repository")
        options["node"] = options["node"] or self.subject.node
        source = self.outcome(asked).sources.get(path)
        return {**self.subject.derive(path, None, options), "text": source.text if source is not None else ""}


def _needed(asked: Parameters, name: str) -> str:
    value = asked.get(name)
    if not value:
        raise UsageError(f"the question needs a parameter {name!r}")
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
