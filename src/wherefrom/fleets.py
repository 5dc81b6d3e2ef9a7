"""The fleet for programs: nodes compiled into a store, and the store asked, without a command line.

    from wherefrom.fleets import Fleet

    fleet = Fleet("control", "store", {"web01": {"os": {"family": "Debian"}}})
    fleet.compile().compiled                        # ("web01",); the second time (), as nothing that it read changed
    with fleet.open() as questions:
        questions.impact("fact:os.family")          # which outputs of which nodes may change with it
        questions.sql("select count(*) from resources")

The nodes are those that have facts. The command `wherefrom fleet` adds what settings, inventories and revisions say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from . import __version__
from .base.json_bytes import json_bytes
from .base.record import replace
from .language import Inputs
from .session import Session

if TYPE_CHECKING:
    from .base.recording import ReadSet
    from .fleet.compiling import FleetSummary
    from .fleet.questions import Questions
    from .fleet.rounds import Exchange
    from .fleet.traces import DigestedSnapshot
    from .language import Outcome


class Fleet:
    """The environment at `path`, its nodes by their `facts`, and a `store` (a directory) with what they compile to.

    `jobs` is the number of processes, by default one for each core; `roots` are further directories that may be read;
    `options` are Puppet's own, as of `Session.compile`.
    """

    def __init__(
        self,
        path: str,
        store: str,
        facts: Mapping[str, Mapping[str, Any]],
        *,
        session: Session | None = None,
        jobs: int | None = None,
        roots: Iterable[str] = (),
        **options: Any,
    ) -> None:
        from .fleet.store import Store

        self.path = path
        self.facts = facts
        self.session = session or Session()
        self.jobs = jobs
        self.roots = tuple(roots)
        self.options = {**options, "storeconfigs": True}  # nodes collect what others export
        self.store = Store(store)

    def compile(self) -> FleetSummary:
        """Bring the store up to date: compile nodes that are new or read what has changed; others leave nothing to do.

        Nodes without facts leave the store. A node that does not compile is named in the summary with the error. A
        store that is damaged, or of another format, is made anew; the summary says so (`rebuilt`).
        """
        from .fleet.compiling import compile_fleet, usable
        from .fleet.rounds import Exchange

        rebuilt = tuple(usable(self.store))
        exchange = Exchange.of_store(self.store.path)
        run = self._compiler({"exports": exchange})
        with self.session.execution.standing_still():
            done = compile_fleet(self.store, sorted(self.facts), run, self._snapshot(), self.jobs, exchange=exchange)
        summary: FleetSummary = replace(done, rebuilt=rebuilt)
        return summary

    @contextmanager
    def open(self) -> Iterator[Questions]:
        """The store, to be asked.  What values depend on is worked out for the nodes that a question is about."""
        from .fleet.questions import Questions

        with closing(Questions(self.store, self._make_graphs)) as questions:
            yield questions

    def _make_graphs(self, nodes: Sequence[str]) -> None:
        from .fleet.compiling import known_nodes
        from .fleet.graph_making import make
        from .fleet.origins import OriginsFile
        from .fleet.rounds import Exchange

        exchange: Exchange = Exchange.of_store(self.store.path)
        side = self._snapshot()
        side.exchange = exchange
        known = known_nodes(self.store)
        exchange.join([*known])
        with self.store.relied_on(), self.session.execution.standing_still():
            make(
                OriginsFile(self.store.path),
                nodes,
                known,
                self._compiler({"exports": exchange}),
                side,
                self.jobs,
                lambda results, count: results,
            )

    def _compiler(self, more: Mapping[str, object]) -> Callable[[str, ReadSet], Outcome]:
        def run(node: str, reads: ReadSet) -> Outcome:
            options = {**self.options, **more, "trace": True, "reads": reads}
            inputs = Inputs(node, self.facts[node], options)
            return self.session.run(self.path, inputs, language="puppet", roots=self.roots)

        return run

    def _snapshot(self) -> DigestedSnapshot:
        """The files and inputs as they are now: a node whose trace has the same digests is not compiled again."""
        from .fleet.traces import DigestedSnapshot

        inputs = Inputs(None, {}, self.options)
        files = self.session.answers(self.path, inputs, language="puppet", roots=self.roots)
        return DigestedSnapshot(files, self._given, self.store.key())

    def _given(self, node: str) -> bytes:
        said = [__version__, node, sorted(self.options.items()), self.roots]
        return repr(said).encode("utf-8", "surrogateescape") + json_bytes(self.facts[node])
