"""Exported resources: nodes are compiled in rounds until no collector's result changes (a fixed point).

In each round every node sees what all nodes had exported when the round began. The order of compilation within a round
therefore has no influence, and the result is the same on one core and on many. After a round, the nodes whose queries
have other results now are compiled again:

    round 1   every node, nothing exported yet     web01 exports Host[web01]; lb collects nothing
    round 2   lb, since its query has a result     lb collects Host[web01] and exports nothing itself: finished

Where no export depends on a collected resource, the fixed point is unique, and a store is updated from its present
state. Where one does (a collected define that exports in its turn, a condition on what was collected), two nodes could
keep each other's exports alive without a reason; the rounds then start again from nothing, so that the result is that
of an empty store. Exports that return to an earlier state without becoming stable never converge: that is the error
W045, which names the resources that come and go.

A node that fails because of what it collects (two nodes export the same resource) keeps its previous exports, as it
would with PuppetDB; a node that fails by itself exports nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..base.diagnostics import Diagnostic, UsageError
from ..base.json_bytes import json_bytes
from ..provenance.exported import Exported, ExportSource
from .exports import ASKED, ASKED_ORIGINS, OWN, ExportsFile, ExportsSnapshot, NodeExports, Sent, nothing, received
from .locks import SharedLock
from .place import CURRENT, RUNS, place_of

MOST_ROUNDS = 100
MOST_RETOLD = 8
"""Rounds in which only the histories of exports change; two that tell each other would grow for ever."""
MOST_NAMED = 6

Question = tuple[str, str]
Digest = Callable[[Question], str]


class NeverSettles(Diagnostic):
    """Nodes that export by what they collect, and never agree."""

    code = "W045"

    def __init__(self, rounds: int, flipping: Sequence[str], back: bool) -> None:
        shown = ", ".join(flipping[:MOST_NAMED])
        more = len(flipping) - MOST_NAMED
        shown += f" and {more} more" if more > 0 else ""
        how = "the same exports recur" if back else "they still change"
        super().__init__(
            f"exported resources do not converge: after {rounds} rounds {how}; these keep changing: {shown}",
            help="an exported resource must not depend on a collected one that depends on it in turn",
        )


class Exchange(ExportSource):
    """What the nodes of a fleet export, from round to round.  `file` is where it is kept, if it is."""

    def __init__(self, snapshot: ExportsSnapshot, settled: bool = True, file: ExportsFile | None = None) -> None:
        self.snapshot = snapshot
        """What the nodes of this round see."""
        self._exports = dict(snapshot.nodes)
        """What each node exported when it was last compiled."""
        self.others: ExportSource | None = None
        """A source of resources that nodes outside of this fleet export."""
        self._members = set(snapshot.nodes)
        self._file = file
        self._hold: SharedLock | None = None
        self._settled = settled
        self._cold = not snapshot.nodes
        self._asks: dict[str, list[tuple[Question, str]]] = {}
        self._unwritten: dict[str, tuple[NodeExports, Sent | None]] = {}
        self._changed = False
        self._succeeded: set[str] = set()
        """Nodes that came to their end, since the rounds began."""
        self._failed: set[str] = set()
        """Nodes that did not, the last time."""
        self._start()

    @classmethod
    def of_store(cls, path: str) -> Exchange:
        """Of a store, as it is now."""
        file = ExportsFile(path)
        return cls(*file.snapshot(), file)

    @classmethod
    def of_existing(cls, path: str) -> Exchange:
        """Of a store that must be there.  Raises `UsageError`."""
        if not os.path.exists(os.path.join(path, CURRENT)):
            raise UsageError(f"no fleet store at {path}: create one with `wherefrom fleet compile --store`")
        hold = SharedLock(place_of(path), RUNS)  # histories are read when they are asked for
        exchange = cls.of_store(path)
        exchange._hold = hold
        return exchange

    @classmethod
    def of_shipped(cls, content: bytes) -> Exchange:
        """Of what another host shipped."""
        return cls(ExportsSnapshot.unpacked(content))

    def shipped(self) -> bytes:
        """What this round sees, for another host."""
        return self.snapshot.packed()

    def copy(self) -> Exchange:
        """The same exports, to go on from without a file."""
        other = Exchange(self.snapshot)
        other.others = self.others
        other.join(self._members)
        return other

    @property
    def is_settled(self) -> bool:
        """Whether the last run that wrote these exports came to its end."""
        return self._settled

    def exporters(self, nodes: Iterable[str]) -> list[str]:
        """Those of some nodes that export something."""
        return sorted(node for node in nodes if node in self._exports and not self._exports[node].is_empty)

    def asks(self, node: str) -> bool:
        """Whether what a node becomes depends on what others export."""
        return node in self._asks

    # --- what a round sees ---

    def search(self, query: Sequence[object]) -> Sequence[Exported]:
        """What others had exported when the round began."""
        own = self.snapshot.search(query)
        if self.others is None:
            return own
        others = [exported for exported in self.others.search(query) if exported.node not in self._members]
        return sorted([*own, *others], key=lambda exported: (exported.node, exported.title))

    def answer(self, question: Question) -> bytes:
        """The same as an answer of a trace."""
        own = self.snapshot.answer(question)
        if self.others is None or question[0] == OWN:
            return own
        others = self.others.search(json.loads(question[1]))
        return own + json_bytes(
            [
                [exported.node, exported.title, exported.parameters]
                for exported in others
                if exported.node not in self._members
            ]
        )

    @property
    def members(self) -> list[str]:
        """The nodes of the fleet."""
        return sorted(self._members)

    def join(self, nodes: Iterable[str]) -> None:
        """These are nodes of the fleet: what a database says that they export does not count."""
        self._members.update(nodes)

    # --- what a round leaves ---

    def know(self, node: str, succeeded: bool, trace: Iterable[Sequence[str]]) -> None:
        """A node that is not compiled: whether it once was, and what its trace asks of others."""
        (self._succeeded if succeeded else self._failed).add(node)
        asks = [((kind, name), digest) for kind, name, digest in trace if kind in (ASKED, ASKED_ORIGINS)]
        if asks:
            self._asks[node] = asks

    def note(self, node: str, result: Mapping[str, Any]) -> None:
        """A node that was compiled: what it exports and asks."""
        self._changed = True
        self._asks.pop(node, None)
        if result.get("asks"):
            self._asks[node] = [((kind, name), digest) for kind, name, digest in result["asks"]]
        sent = result.get("exports")
        self._failed.add(node)
        if result["ok"]:
            self._failed.discard(node)
            self._succeeded.add(node)
            exports = received(node, sent, self.snapshot.origins)
        elif node in self._asks and (not self._cold or node in self._succeeded):
            # As by way of PuppetDB: what it last exported stays. Whether there was such, an empty store will tell.
            before = self._exports.get(node, nothing(node))
            exports = before.as_chained()
        else:
            self._succeeded.discard(node)
            exports = nothing(node, node in self._asks)
        self._export(exports, sent)

    def _export(self, exports: NodeExports, sent: Sent | None = None) -> None:
        node = exports.node
        if exports != self._exports.get(node, nothing(node)):
            self._unwritten[node] = exports, sent
            self._exports[node] = exports
        if exports.is_empty and not exports.chained:
            self._exports.pop(node, None)

    def leave(self, nodes: Iterable[str]) -> None:
        """Nodes that are no longer there export nothing."""
        leaving = [node for node in nodes if self._exports.pop(node, None) is not None]
        if leaving:
            self._changed = True
            self.snapshot = ExportsSnapshot(dict(self._exports), self.snapshot.origins)
            self._start()
            self.save(leaving)

    def save(self, gone: Iterable[str] = ()) -> None:
        """Write what was noted.  Must be called before the rows of a node are committed."""
        if self._file is not None:
            self._file.write(self._unwritten, gone)
        self._unwritten = {}

    def settle(self, whole: bool, alone: bool) -> None:
        """The rounds are over; `whole`: all nodes took part; `alone`: no other run is under way."""
        if self._file is not None and self._changed and whole:
            self._file.settle(alone)

    def next_round(self, digest: Digest) -> list[str]:
        """The nodes that have to be compiled again, in the order of their names.  Raises `NeverSettles`."""
        self._begin(self._exports)
        stale = self._stale(digest)
        if stale:
            try:
                return stale if self._goes_on() else []
            except NeverSettles:
                if self._cold:
                    raise
        elif self._cold or not (self._changed or not self._settled) or not self._is_chained():
            return []
        return self._anew(digest)

    def _anew(self, digest: Digest) -> list[str]:
        """Something could keep itself alive, or from settling: what would come of nothing?"""
        self._cold = True
        self._begin({})
        self._start()
        stale = self._stale(digest)
        early = self._failed & self._asks.keys() - set(stale)
        self._succeeded.difference_update(stale, early)
        for node in early:
            self._export(nothing(node, True))  # it fails with nothing to collect, so it never exported anything
        # Where nobody is to be compiled with nothing to collect, all were: that round is behind us, and the next one
        # begins with what they exported in it.
        return stale or self.next_round(digest)

    def _begin(self, exports: Mapping[str, NodeExports]) -> None:
        if exports != self.snapshot.nodes:
            self.snapshot = ExportsSnapshot(dict(exports), self.snapshot.origins)

    def _is_chained(self) -> bool:
        return any(exports.chained for exports in self.snapshot.nodes.values())

    def _stale(self, digest: Digest) -> list[str]:
        return sorted(
            node for node, asked in self._asks.items() if any(digest(question) != known for question, known in asked)
        )

    def _start(self) -> None:
        self._states: dict[bytes, int] = {}
        """The states of the trajectory, once there is a second."""
        self._trajectory = [self.snapshot]
        self._retold = 0

    def _goes_on(self) -> bool:
        """Whether there is a next round."""
        state = self.snapshot.state()
        if not self._states:
            self._states[self._trajectory[0].state()] = 0
        number = self._states.get(state)
        if number == len(self._trajectory) - 1:
            self._retold += 1
            return self._retold <= MOST_RETOLD
        self._retold = 0
        rounds = len(self._trajectory)
        if number is not None:
            raise NeverSettles(rounds, _flipping(self._trajectory[number:]), True)
        if rounds >= MOST_ROUNDS:
            raise NeverSettles(rounds, _flipping([*self._trajectory[-2:], self.snapshot]), False)
        self._states[state] = rounds
        self._trajectory.append(self.snapshot)
        return True


def _flipping(snapshots: Sequence[ExportsSnapshot]) -> list[str]:
    """The resources that some of the snapshots have and others have not, or have otherwise."""
    seen: list[dict[tuple[str, str, str], str]] = []
    for snapshot in snapshots:
        seen.append(
            {
                (name, row.type, row.title): repr(row.parameters)
                for name, exports in snapshot.nodes.items()
                for row in exports.rows
            }
        )
    keys = sorted({key for rows in seen for key in rows})
    return [
        f"{type_name}[{title}] of {node}"
        for node, type_name, title in keys
        if len({rows.get((node, type_name, title)) for rows in seen}) > 1
    ]
