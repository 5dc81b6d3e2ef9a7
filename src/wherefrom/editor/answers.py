"""What only an outcome can answer: the process that compiles.

Each question is one JSON document, and so is its answer. A question says all that the answer depends on: the place, the
node, facts that are supposed to be others, and the texts of the open files; so it does not matter which process answers
it, and one that had to be ended is replaced by a new one.

| question  | parameters             | the answer                                                                    |
|-----------|------------------------|-------------------------------------------------------------------------------|
| `compile` | `watch`: files         | what is wrong, by file; of the files watched, what each expression gave       |
| `check`   |                        | what is wrong with the whole, by file                                         |
| `nodes`   |                        | the nodes that are known, and the one to begin with                           |
| `explain` | `file`, `start`, `end` | where the values of the expression there came from, for people                |
| `key`     | `name`                 | what each level of the data says about a key                                  |
| `reach`   | `file`, `line`, `last` | the outputs that may change when one of these lines does                      |
| `levels`  | `name`                 | the levels of the data that may set a key nearer, each with the edit for it   |
| `facts`   |                        | the facts of the node, by their dotted names                                  |
| `propose` | `file`, `start`, `end` | other edits that give the outputs which are written there their values        |
| `missing` | `path`                 | why nothing is at the path of an output, for people                           |
| `renamed` | `files`, `old`, `new`, | what else than the name of a definition is different when files have other    |
|           | `kept`                 | texts                                                                         |

All but `compile` and `renamed` are about the last outcome of the place that came to an end. Whatever is sent
has no secret in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from mmap import PAGESIZE, mmap
from typing import Any

from ..base.budget import Budget, Cancelled
from ..base.cache import Cache
from ..base.collector import at_rest
from ..base.deep import with_deep_stack
from ..base.diagnostics import ERROR, Diagnostic, ManyErrors, UsageError, WherefromError, once
from ..base.json_bytes import json_bytes
from ..base.render import plain, styled_diagnostic
from ..base.secrets import Secret, Secrets, learning
from ..base.splices import ADDED_DATA, Rewrite
from ..language import Data, Outcome, Selected, data_of
from ..provenance.explain import short
from ..provenance.extract import where
from ..provenance.observed import Observed
from ..wishes import Proposal
from .positions import range_of
from .renaming_definitions import same_but_for
from .subject import Subject

MOST_VALUES = 4
"""Values of one expression that are sent with what is observed."""
LONGEST_VALUE = 120
MOST_WISHES = 2
MOST_PROPOSALS = 5
MOST_AFFECTED = 200
MOST_COMPARED = 20
"""Nodes that are compiled with and without a rename."""
_PARTS = frozenset({"where", "how", "depends"})

Question = Mapping[str, Any]
Key = tuple[str, str | None, str]
"""A place, a node, and what is supposed of its facts."""


class Unwanted:
    """The number of the question that nobody wants any more: a page of memory that both processes see."""

    def __init__(self) -> None:
        self._page = mmap(-1, PAGESIZE)

    @property
    def number(self) -> int:
        """The number; none is 0."""
        return int.from_bytes(self._page[:8], "little")

    @number.setter
    def number(self, number: int) -> None:
        self._page[:8] = number.to_bytes(8, "little")


class Answers:
    """Answers questions about what `subject` compiles."""

    def __init__(self, subject: Subject, unwanted: Unwanted) -> None:
        self._subject = subject
        self._unwanted = unwanted
        self._secrets = Secrets()
        self._outcomes: Cache[Key, Outcome] = Cache(1)  # one place at a time is looked at
        self._watched: list[str] = []
        self._handlers = {
            "compile": self._compile,
            "check": self._check,
            "nodes": self._nodes,
            "explain": self._explain,
            "key": self._key,
            "reach": self._reach,
            "levels": self._levels,
            "facts": self._facts,
            "propose": self._propose,
            "missing": self._missing,
            "renamed": self._renamed,
        }

    def answer(self, question: bytes) -> bytes:
        """The answer to a question, both written.  What goes wrong is an answer too."""

        def answered() -> object:
            asked = json.loads(question)
            budget, number = Budget(), asked.get("number", 0)
            budget.cancelled, budget.hasty = lambda: self._unwanted.number == number, True
            with at_rest(), budget.in_force():
                return with_deep_stack(lambda: self._handlers[asked["ask"]](asked))

        return self._written(answered)

    def answer_fleet(self, question: bytes) -> bytes:
        """How far parts of a file (`file`, `stretches`), as it is saved, reach on the nodes of the fleet.

        Whatever is compiled for that has a budget of its own.
        """

        def answered() -> object:
            asked = json.loads(question)
            return self._subject.fleet(asked["file"], asked["stretches"])

        return self._written(answered)

    def _written(self, answered: Callable[[], object]) -> bytes:
        try:
            document = answered()
        except Cancelled as problem:
            document = {"error": problem.message, "cancelled": True}
        except WherefromError as problem:
            document = {"error": str(problem)}
        except Exception as bug:
            document = {"error": f"internal error: {type(bug).__name__}: {bug}; this is a bug in wherefrom"}
        return json_bytes(self._secrets.redacted_data(document))

    # --- compiling ---

    def _compile(self, asked: Question) -> object:
        encoding: str = asked["encoding"]
        key = _key_of(asked)
        problems: list[Diagnostic] = self._subject.settings(asked["place"])
        with learning() as learned:
            try:
                self._watched = asked["watch"]
                outcome = self._subject.run(
                    asked["place"], asked["node"], asked["facts"], asked["texts"], asked["watch"]
                )
                self._outcomes.keep(key, outcome)
            except ManyErrors as many:
                problems += many.diagnostics
            except Diagnostic as problem:
                problems.append(problem)
            except UsageError as problem:
                return {"ok": False, "said": str(problem), "problems": {}, "observed": {}}
            finally:
                self._secrets.add(learned.texts())
        compiled = not any(problem.severity == ERROR for problem in problems)
        answer: dict[str, Any] = {"ok": compiled, "problems": _by_file(problems, encoding), "observed": {}}
        if compiled:
            self._secrets.add(outcome.secrets())
            for file in asked["watch"]:
                source = outcome.source_named(file)
                if source is not None:
                    answer["observed"][file] = [_observed_json(seen) for seen in outcome.observed(source.name)]
        return answer

    def _check(self, asked: Question) -> Any:
        return {"problems": _by_file(self._subject.check(asked["place"], asked["texts"]), asked["encoding"])}

    def _nodes(self, asked: Question) -> object:
        known, first = self._subject.nodes(asked["place"])
        return {"nodes": known, "node": first}

    # --- questions to an outcome ---

    def _outcome(self, asked: Question) -> Outcome:
        outcome = self._outcomes.get(_key_of(asked))
        if outcome is None:
            raise UsageError(f"nothing is compiled yet for {asked['node'] or asked['place']}")
        return outcome

    def _explain(self, asked: Question) -> object:
        outcome = self._outcome(asked)
        source = outcome.source_named(asked["file"])
        for observed in outcome.observed(source.name) if source is not None else ():
            if (observed.span.start, observed.span.end) == (asked["start"], asked["end"]) and observed.seen:
                text = observed.span.text
                shown = text if len(text) <= 60 and "\n" not in text else "this"
                return {"text": outcome.explain_seen(shown, observed.seen[0]).text(_PARTS)}
        return {"text": ""}

    def _key(self, asked: Question) -> Any:
        return {"text": plain(data_of(self._outcome(asked)).lookup(asked["name"]).styled())}

    def _reach(self, asked: Question) -> object:
        outcome = self._outcome(asked)
        source = outcome.source_named(asked["file"])
        if source is None:
            return {"affected": [], "count": 0, "read": False}
        paths = outcome.reach(source.name, asked["line"], asked["last"])
        return {"affected": paths[:MOST_AFFECTED], "count": len(paths), "read": True}

    def _levels(self, asked: Question) -> Any:
        outcome = self._outcome(asked)
        path = outcome.set_by_key(asked["name"]) if isinstance(outcome, Data) else None
        value = None if path is None else outcome.select(path).value
        if path is None or isinstance(value, Secret):
            return {"levels": []}
        levels = []
        for rewrite in outcome.rewrites(path, value):
            if not isinstance(rewrite, Rewrite) or rewrite.kind != ADDED_DATA or len(rewrite.splices) != 1:
                continue
            [splice] = rewrite.splices
            source = outcome.source_named(splice.file)
            if source is not None and source.text:
                level = {"file": os.path.abspath(splice.file), "reach": rewrite.reach[0] if rewrite.reach else ""}
                where = range_of(source.span(splice.start, splice.end), asked["encoding"])
                levels.append({**level, "range": where, "text": splice.text, "length": len(source.text)})
        return {"levels": levels}

    def _facts(self, asked: Question) -> Any:
        given = self._outcome(asked).given() or {}
        facts = {name: value for (kind, name, _), value in given.items() if kind == "fact"}
        return {"facts": dict(_parts_of(facts, ""))}

    def _propose(self, asked: Question) -> object:
        """Other edits for what was typed from `start` to `end`: of the file as it is saved, its text left out."""
        outcome = self._outcome(asked)
        source = outcome.source_named(asked["file"])
        written = [] if source is None else _written(outcome, source.name, asked["start"], asked["end"])
        texts = {file: text for file, text in asked["texts"].items() if file != asked["file"]}
        rows: list[object] = []
        for output in written[:MOST_WISHES]:
            value = output.value if isinstance(output.value, str) else json.dumps(output.value)
            with suppress(WherefromError):  # an output that is new with what was typed has no other edits
                answer = self._subject.propose(asked["place"], asked["node"], texts, output.path, value)
                rows += [_proposal_json(output.path, proposal) for proposal in answer.proposals[:MOST_PROPOSALS]]
        return {"proposals": rows}

    def _missing(self, asked: Question) -> object:
        outcome = self._outcome(asked)
        self._secrets.add(outcome.secrets())
        reasons = [plain(styled_diagnostic(reason)).rstrip() for reason in outcome.missing(asked["path"])]
        return {"text": "\n\n".join(reasons)}

    def _renamed(self, asked: Question) -> object:
        """What is not equal up to the name when files have other texts (none: there is no such file), on some nodes."""
        files = {path: None if text is None else text.encode() for path, text in asked["files"].items()}
        old, new, kept = asked["old"], asked["new"], asked["kept"]
        nodes = self._subject.nodes(asked["place"])[0] or [asked["node"]]
        for node in dict.fromkeys([asked["node"], *nodes][:MOST_COMPARED]):
            try:
                before = self._outputs(self._subject.run(asked["place"], node, {}, asked["texts"], self._watched))
            except WherefromError:
                continue  # it does not compile now: there is nothing to be kept
            try:
                after = self._outputs(self._subject.run_with(asked["place"], node, files))
            except WherefromError as problem:
                return {"different": f"{node or 'it'} would not compile: {problem}"}
            wanted = sorted(same_but_for(text, old, new, kept) for text in before)
            differing = next((text for text in {*wanted} ^ {*after}), None)
            if wanted != sorted(after):
                return {"different": f"{differing or 'an output'} would be another on {node or 'this node'}"}
        return {"different": ""}

    def _outputs(self, outcome: Outcome) -> list[str]:
        """Every output with its value, as a text; secrets alone have none."""
        self._secrets.add(outcome.secrets())
        return [f"{output.path} = {json.dumps(output.value, default=repr)}" for output in outcome.outputs()]


def _written(outcome: Outcome, name: str, start: int, end: int) -> list[Selected]:
    """The outputs whose values are literals or data that stand between two offsets of a file."""
    outputs: list[Selected] = []
    for output in outcome.outputs():
        leaf = where(output.origin)
        span = leaf.span if leaf is not None else None
        if span is not None and span.file.name == name and span.start <= end and start <= span.end:
            outputs.append(output)
    return [output for output in outputs if not isinstance(output.value, Secret)]


def _proposal_json(path: str, proposal: Proposal) -> dict[str, object]:
    """A proposal with the files as they would be, by their real names."""
    outputs = len(proposal.changes) + sum(map(len, proposal.elsewhere.values()))
    return {
        "output": path,
        "kinds": [rewrite.kind for rewrite in proposal.rewrites],
        "changes": outputs,
        "nodes": sum(bool(changes) for changes in proposal.elsewhere.values()),
        "files": [
            {"path": os.path.realpath(file), "before": None if old is None else old.decode(), "after": new.decode()}
            for file, (old, new) in proposal.files.items()
        ],
    }


def _parts_of(value: Mapping[str, object], before: str, deepest: int = 8) -> Iterator[tuple[str, str]]:
    """The facts, wholes and parts, by their dotted names."""
    for name, part in value.items():
        yield f"{before}{name}", short(part, LONGEST_VALUE)
        if isinstance(part, Mapping) and deepest:
            yield from _parts_of(part, f"{before}{name}.", deepest - 1)


def _key_of(asked: Question) -> Key:
    return asked["place"], asked["node"], json.dumps(asked["facts"], sort_keys=True)


def _observed_json(observed: Observed) -> list[object]:
    """First and last offset, how often it ran, how many values, and the first of them: text, count, whose code."""
    values = [[short(seen.value, LONGEST_VALUE), seen.count, seen.owner] for seen in observed.seen[:MOST_VALUES]]
    return [observed.span.start, observed.span.end, observed.count, len(observed.seen), values]


def _by_file(problems: list[Diagnostic], encoding: str) -> dict[str, list[object]]:
    """Diagnostics in the form of the protocol, by the real names of their files; those without a place are left out."""
    problems_by_file: dict[str, list[object]] = {}
    for problem in once(problems):
        if problem.span is not None:
            problems_by_file.setdefault(os.path.realpath(problem.span.file.name), []).append(
                problem_json(problem, encoding)
            )
    return problems_by_file


def problem_json(problem: Diagnostic, encoding: str) -> dict[str, object]:
    """A diagnostic in the form of the protocol; related places name their file as `path`."""
    assert problem.span is not None
    words = [problem.message, *(f"note: {note}" for note in problem.notes)]
    document: dict[str, object] = {
        "range": range_of(problem.span, encoding),
        "severity": 1 if problem.severity == ERROR else 2,
        "code": problem.code,
        "source": "wherefrom",
        "message": "\n".join([*words, *([f"help: {problem.help}"] if problem.help else [])]),
    }
    related = [
        {"path": os.path.realpath(label.span.file.name), "range": range_of(label.span, encoding), "message": label.text}
        for label in problem.labels[1:]
        if label.text
    ]
    return {**document, "related": related} if related else document
