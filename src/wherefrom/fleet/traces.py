"""Verifying traces: what a compilation read, with digests, and whether all of it is still the same.

A result may be used again if every question that its compilation asked has the same answer now. The term is that of A.
Mokhov, N. Mitchell and S. Peyton Jones, *Build Systems a la Carte* (ICFP 2018), section 4.2.2. Misses are questions
too: that there was no file, that a file did not have a key.

    content  site.pp                                   digest 3f2a...
    key      data/common.yaml, ntp::mode               digest of "absent"
    given    node, facts, classifier and settings      digest 91bc...

An edit to another key of `data/common.yaml` leaves this trace valid; adding `ntp::mode` does not.

Digests are keyed with a secret of the store, so that a trace that is passed on does not allow short secrets to be
guessed by computing digests of candidates.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from ..provenance.exported import condition_words
from .exports import QUESTIONS

if TYPE_CHECKING:
    from ..language import Snapshot
    from .puppetdb import PuppetDB
    from .rounds import Exchange

Question: TypeAlias = tuple[str, str]
Trace: TypeAlias = "tuple[tuple[str, str, str], ...]"
"""Kind, name and digest of the answer, sorted."""

DIGEST_BYTES = 16
MOST_DIGESTS = 50_000
"""Digests that are remembered; with more, all are worked out again."""
NEVER = ""
"""The digest of what has no answer that lasts: it is never the same as another."""
CODE = "code"
"""The kind of questions about code that did not run."""
QUERY = "query"
"""The kind of questions that a database was asked."""
GIVEN: Question = ("given", "node, facts, classifier and settings")


TOUCHED: Question = ("touched", "files that changed while it was compiled")


class DigestedSnapshot:
    """One state of the files and inputs, as digests.  `given` are the bytes of what a node is given."""

    def __init__(self, answers: Snapshot, given: Callable[[str], bytes], key: bytes) -> None:
        self.answers = answers
        self._given = given
        self._key = key
        self.exchange: Exchange | None = None
        """What the nodes export, for those that collect it."""
        self.database: PuppetDB | None = None
        """What answers queries."""
        self._digests: dict[Question, str] = {}
        self._checked: dict[int, tuple[Trace, list[Question]]] = {}
        self._same: set[tuple[str, str, str]] = set()
        """Entries of traces that are known to hold, of any node."""
        self.given_digests: dict[str, str] | None = None
        """What nodes are given, where it is asked more than once: sides with the same facts share it."""

    def digest(self, question: Question) -> str:
        """The digest of today's answer."""
        if question[0] in QUESTIONS:  # another one after each round
            return NEVER if self.exchange is None else self.of(self.exchange.answer(question))
        if question[0] == QUERY:
            return NEVER if self.database is None else self.of(self.database.answer(question))
        known = self._digests.get(question)
        if known is None:
            if len(self._digests) >= MOST_DIGESTS:
                self._digests.clear()  # nodes have questions of their own, and memory does not grow with them
            answer = self.answers.answer(question)
            known = self._digests[question] = NEVER if answer is None else self.of(answer)
        return known

    def of(self, answer: bytes) -> str:
        """The digest of an answer."""
        return blake2b(answer, key=self._key, digest_size=DIGEST_BYTES).hexdigest()

    def given(self, node: str) -> tuple[str, str, str]:
        """What a node is given, as an entry of its trace."""
        known = self.given_digests
        if known is None:
            return (*GIVEN, self.of(self._given(node)))
        if node not in known:
            known[node] = self.of(self._given(node))
        return (*GIVEN, known[node])

    def trace(self, questions: Iterable[Question]) -> Trace:
        """Questions with today's answers."""
        known = self._digests.get  # never has one that changes from round to round
        return tuple(sorted([(*question, known(question) or self.digest(question)) for question in questions]))

    def changed_set(self, trace: Trace) -> list[Question]:
        """The same for a set of reads that many nodes share: the very same set is looked at once."""
        known = self._checked.get(id(trace))
        if known is None:
            known = self._checked[id(trace)] = trace, self.changed("", trace)
        return known[1]

    def changed(self, node: str, trace: Iterable[Sequence[str]]) -> list[Question]:
        """The questions of a trace that have another answer now.  What many traces have is looked at once."""
        changes: list[Question] = []
        same = self._same
        for entry in trace:
            if entry in same:
                continue
            kind, name, digest = entry
            is_given = (kind, name) == GIVEN
            now = self.given(node)[2] if is_given else self.digest((kind, name))
            if now != digest or digest == NEVER:
                changes.append((kind, name))
            elif not is_given and kind not in QUESTIONS:
                if len(same) >= MOST_DIGESTS:
                    same.clear()
                same.add((kind, name, digest))
        return changes


def words_of(question: Question) -> str:
    """A question for a person."""
    kind, name = question
    name = name.replace("{environment}/", "", 1)
    match kind:
        case "content":
            return f"the content of {name}"
        case "names":
            return f"the names in {name}"
        case "kind":
            return f"whether {name} is there"
        case "link":
            return f"whether {name} is a link"
        case "key":
            path, _, key = name.split("\0", 2)
            return f"the key {key} in {path}"
        case "code":
            return f"what code that did not run would do ({name})"
        case "clock":
            return "the clock or another process"
        case "touched":
            return name
        case "exports":
            return f"what other nodes export as {_query_words(name)}"
        case "query":
            return f"what PuppetDB answers to {json.loads(name)}"
        case "exported":
            return "what it exports"
        case "given":
            return f"what it is given: {name}"
    return f"the {kind} {name}"


def _query_words(text: str) -> str:
    """The query of a collector, in words."""
    _, (_, _, type_name), _, _, *conditions = json.loads(text)
    return " ".join([type_name, *map(condition_words, conditions)])
