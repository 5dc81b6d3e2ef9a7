"""Catalogs that were compiled, kept as moulds for the nodes that follow.

Most nodes of a fleet are like one that was compiled before, but for what went straight into some values. A language
that can tell (`Outcome.mould`) says which inputs must be the same for that, and makes the other catalog. A node that no
mould fits is compiled, and may become a mould itself.

Moulds that ask for the same inputs stand together, by what these are in each of them, so that a node looks in as many
places as there are different sets of inputs, not moulds. Few are kept, so memory does not grow with the nodes; where
hardly a node fits, fewer are made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base.diagnostics import WherefromError
from .exports import ASKED, ASKED_ORIGINS
from .likeness import SAMPLE, alike_together, spread
from .rows import Form

if TYPE_CHECKING:
    from ..language import Cast, Inputs, Mould, Outcome
    from .exports import Sending, Sent
    from .traces import Question, Trace

MOST_MOULDS = 96
MOST_OUTPUTS = 5_000
"""The values of all that are kept: large catalogs make fewer moulds, so that memory does not grow with them."""
TRIAL = 4
"""Moulds of one kind of catalog that are made before anybody asks what they were good for."""
SELDOM = 32
"""Where they were good for little, one node in so many becomes one."""
MOST_KINDS = 10_000
MOST_EXCHANGED = 128
"""Files in the place of others, of which each mould knows what is asked about them."""
MOST_STAYING = 32
"""Sets of what nodes made from one mould read alike."""
OF_FILES = ("content", "key", "kind", "names", "variable", ASKED)
"""Questions that are the same for every node, or can be asked for another one; what asked others (the clock, a
database) is compiled each time."""
Fixed = tuple[Hashable, ...]
OWN_NAME = 3
"""Where in a collector's query its own node stands, which it leaves out."""


def answers_to(query: str, digest: Callable[[Question], str]) -> tuple[str, str]:
    """What a collector finds, and the histories of that, as digests."""
    return digest((ASKED, query)), digest((ASKED_ORIGINS, query))


class Asked(NamedTuple):
    """What a collector asked about other nodes: the place in the trace, the query, and the digests of the answers."""

    place: int
    query: list[Any]
    answers: tuple[str, str]

    def of(self, node: str) -> str:
        """The same question of another node: it does not collect its own."""
        query = [["not", ["=", "certname", node]] if number == OWN_NAME else part
                 for number, part in enumerate(self.query)]  # fmt: skip
        return json.dumps(query, separators=(",", ":"), sort_keys=True)


class Kept:
    """A mould with the rows, reads and exports of the node it was compiled for."""

    __slots__ = ("_staying", "asked", "asks", "exchanged", "form", "kind", "mould", "own", "paths", "sending", "shared")

    def __init__(
        self,
        mould: Mould,
        form: Form,
        own: Trace,
        shared: Trace,
        kind: Kind,
        sending: Sending | None,
        asks: list[Asked],
    ) -> None:
        self.mould = mould
        self.form = form
        self.own = own
        self.shared = shared
        self.kind = kind
        self.sending = sending
        self.asks = asks
        self.paths: dict[str, str] = {}
        """Paths as questions write them."""
        self.asked: dict[str, list[int]] = {}
        """The positions in `own` of what was asked about each path."""
        for number, (_, name, _) in enumerate(own):
            self.asked.setdefault(name.partition("\0")[0], []).append(number)
        self.exchanged: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
        """What was asked about a file, asked about another one."""
        self._staying: dict[tuple[int, ...], Trace] = {}

    def exchange(self, before: str, after: str, entries: list[tuple[str, str, str]]) -> None:
        """Remember what was asked about a file, asked about another one; not what is asked once, as of a node's own."""
        if len(entries) > 1:
            if len(self.exchanged) >= MOST_EXCHANGED:
                self.exchanged.clear()
            self.exchanged[before, after] = entries

    def staying(self, exchanged: tuple[int, ...]) -> Trace:
        """All that was read but for some of what the node asked itself, by position: the very same for who asks again.

        Which these are hangs on which files the other node has its own of, so there are few such sets.
        """
        known = self._staying.get(exchanged)
        if known is None:
            leaving = frozenset(exchanged)
            staying = (entry for number, entry in enumerate(self.own) if number not in leaving)
            if len(self._staying) >= MOST_STAYING:
                self._staying.clear()
            known = self._staying[exchanged] = tuple(sorted({*self.shared, *staying}))
        return known


class Kind:
    """Catalogs of the same classes: how many were compiled, became moulds, and were made from these."""

    __slots__ = ("compiled", "fitted", "moulds")

    def __init__(self) -> None:
        self.compiled = 0
        self.moulds = 0
        self.fitted = 0

    def is_worth_it(self) -> bool:
        """Whether one more becomes a mould: as many as were good for something, and some more."""
        self.compiled += 1
        return self.moulds < TRIAL + self.fitted or self.compiled % SELDOM == 0


class Moulds:
    """The moulds of one process.  `given` says what a node is given."""

    def __init__(self, given: Callable[[str], Inputs]) -> None:
        self._given = given
        self._groups: dict[Fixed, dict[str, list[Kept]]] = {}
        self._order: list[tuple[Fixed, str, Kept]] = []
        self._kinds: dict[Hashable, Kind] = {}
        self._outputs = 0

    def forget(self) -> None:
        """Keep none of them."""
        self._groups.clear()
        self._order.clear()
        self._outputs = 0

    def in_order(self, nodes: Sequence[str]) -> Sequence[str]:
        """Nodes, those together that are likely to be made from one another.

        Where a mould is there already it tells what nodes must have in common; if a sample of them has so few different
        values of that that a mould for each can be kept, any order does.
        """
        if self._order:
            kept = self._order[0][2]
            mould: Any = kept.mould
            room = min(MOST_MOULDS, MOST_OUTPUTS // max(1, len(kept.form.attributes)))
            with suppress(WherefromError):
                keys = {mould.key_of(mould.given(self._given(node))) for node in spread(nodes, SAMPLE)}
                if 2 * len(keys) <= room:
                    return nodes
        return alike_together(nodes, self._facts)

    def _facts(self, node: str) -> Mapping[str, Any]:
        try:
            return self._given(node).facts
        except WherefromError:  # it is told when the node is compiled
            return {}

    def fitting(self, node: str, digest: Callable[[Question], str]) -> tuple[Kept, Cast, Sent | None] | None:
        """A mould that fits a node, what is other in its catalog, and what the node exports.

        A node that collects from others fits if it finds the same, by the `digest` of the answer.
        """
        if not self._order:
            return None
        given: Any = self._order[0][2].mould.given(self._given(node))
        for by_key in self._groups.values():
            sample = next(iter(by_key.values()))[0].mould
            for kept in by_key.get(sample.key_of(given), ()):
                if not all(ask.answers == answers_to(ask.of(node), digest) for ask in kept.asks):
                    continue
                cast = kept.mould.fit(given)
                if cast is None:
                    continue
                sent = None if kept.sending is None else kept.sending.cast(cast, kept.mould.marks)
                if (sent is None) is (kept.sending is None):
                    kept.kind.fitted += 1
                    return kept, cast, sent
        return None

    def add(
        self,
        outcome: Outcome,
        form: Form,
        own: Trace,
        shared: Trace,
        sending: Sending | None,
        digest: Callable[[Question], str],
    ) -> None:
        """Make a mould of what was compiled, if that is possible and worth it."""
        name = tuple(row[1] for row in form.resources if row[0] == "Class")
        if len(self._kinds) > MOST_KINDS:
            self._kinds.clear()
        kind = self._kinds.setdefault(name, Kind())
        if not kind.is_worth_it() or any(question not in OF_FILES for question, _, _ in own):
            return
        mould = outcome.mould()
        if mould is None or (sending is not None and (not mould.makes_exports or sending.shows(mould.marks))):
            return
        kind.moulds += 1
        asks = [
            Asked(place, json.loads(name), answers_to(name, digest))
            for place, (question, name, _) in enumerate(own)
            if question == ASKED
        ]
        kept = Kept(mould, form, own, shared, kind, sending, asks)
        if mould.fixed not in self._groups:  # who asks for more is asked first: fewer fit, and seldom in vain
            self._groups[mould.fixed] = {}
            self._groups = dict(sorted(self._groups.items(), key=lambda group: -len(group[0])))
        self._groups[mould.fixed].setdefault(mould.key, []).append(kept)
        self._order.append((mould.fixed, mould.key, kept))
        self._outputs += len(form.attributes)
        while len(self._order) > MOST_MOULDS or (self._outputs > MOST_OUTPUTS and len(self._order) > 1):
            group, key, oldest = self._order.pop(0)
            self._outputs -= len(oldest.form.attributes)
            alike = self._groups[group][key]
            alike.remove(oldest)
            if not alike:
                del self._groups[group][key]
                if not self._groups[group]:
                    del self._groups[group]
