"""`wherefrom fleet diff`: what differs over all nodes, compiling no more of them than read something that differs."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import Diagnostic, ManyErrors, UsageError
from ..base.json_bytes import json_bytes
from ..base.plural import count_of
from ..base.record import Record
from ..base.render import diagnostics_text, show
from ..base.spell import nearest_host
from ..base.witness import Reads
from ..comparison import Comparison, Difference, FleetComparison, compare, ignoring, pattern_shape
from ..fleet.compiling import COMPILED, compile_fleet, known_nodes
from ..fleet.differing import Verdict, asked_again, compared, verdicts
from ..fleet.exports import ASKED, sending_of
from ..fleet.moulds import Moulds
from ..fleet.rounds import Exchange
from ..fleet.store import CURRENT, Store, Table
from .diff import DIFFERENT
from .grouping import Sides, grouped, nodes_of_sides
from .options import Invocation, print_json
from .streams import without_secrets

if TYPE_CHECKING:
    from ..fleet.compiling import Known
    from ..fleet.traces import Side
    from ..fleet.workers import Result
    from ..language import Outcome

CHANGES = ("added", "removed", "changed", "order")


class NotCompiled(Diagnostic):
    """A node that does not compile, told in one piece."""

    code = "W044"


class Gate(Record):
    """What must not change: `Service[*] removed`, `File[/etc/ssh/*]`."""

    text: str
    shape: re.Pattern[str]
    """What a path must be like."""
    inside: re.Pattern[str] | None
    """Of a resource: what the path of an attribute must be like; in it, the resource's."""
    change: str | None

    def stops(self, fleet: FleetComparison) -> Iterator[tuple[Sequence[str], Difference]]:
        """The differences that it does not let pass, with their nodes."""
        whole: dict[str, set[str]] = {}
        for nodes, comparison in fleet.groups:
            for difference in comparison.differences:
                if difference.change in ("added", "removed"):
                    whole.setdefault(difference.path, set()).update(nodes)
        for nodes, comparison in fleet.groups:
            for difference in comparison.differences:
                attribute = self.inside and self.inside.fullmatch(difference.path)
                if self.shape.fullmatch(difference.path):
                    if self.change in (None, difference.change):
                        yield nodes, difference
                elif attribute and self.change in (None, "changed") and not whole.get(attribute[1], set()) >= {*nodes}:
                    yield nodes, difference  # a resource changes with whatever becomes of its attributes


def gates(patterns: Sequence[str]) -> list[Gate]:
    """`Service[*] removed`: paths in which `*` stands for anything, and perhaps the change.  Raises `UsageError`."""
    checks: list[Gate] = []
    for text in patterns:
        path, _, change = text.strip().rpartition(" ")
        if path and change not in CHANGES and change.isalpha():
            raise UsageError(f"--fail-on {text!r}: {change} is no change (expected {', '.join(CHANGES)})")
        if not path or change not in CHANGES:
            path, change = text.strip(), ""
        if "[" not in path and "*" not in path:
            raise UsageError(f"--fail-on {text!r}: expected TYPE[TITLE] or TYPE[TITLE].ATTRIBUTE, and perhaps a change")
        shape = pattern_shape(path.strip())
        inside = re.compile(rf"({shape.pattern})\..+", re.DOTALL) if path.rstrip().endswith("]") else None
        checks.append(Gate(text, shape, inside, change or None))
    return checks


class FleetDiff:
    """One request."""

    def __init__(
        self,
        invocation: Invocation,
        before: str | None,
        after: str | None,
        nodes: str,
        jobs: int | None,
        ignore: Sequence[str],
        progress: Callable[..., Any],
    ) -> None:
        self._invocation = invocation
        self._before = before
        self._after = after
        self._nodes = nodes
        self._jobs = jobs
        self._ignore = ignore
        self._progress = progress
        self._exports: list[Exchange] = []
        """What the nodes export, on both sides."""
        self._traces: dict[str, Known] = {}
        self._side: Side
        self._sides = Sides((), (), ())

    def answer(
        self,
        store_path: str | None,
        why_not: str | None,
        checks: list[Gate],
        form: str,
    ) -> int:
        """Print the answer; the status."""
        stores = [path for path in (self._before, self._after) if _is_store(path)]
        if len(stores) == 1:
            raise UsageError(f"{stores[0]} is a store, and the other side is not: compare two stores, or two states")
        if stores:
            if store_path is not None or why_not is not None:
                raise UsageError(
                    "two stores are compared as they are: --store and --why-not are for states of the files"
                )
            return self._print(self._between_stores(str(self._before), str(self._after)), {}, checks, form)
        with ExitStack() as stack:
            place = store_path or stack.enter_context(TemporaryDirectory(prefix="wherefrom-fleet-"))
            store = Store(place)
            stack.enter_context(store.relied_on())
            stack.enter_context(self._invocation.standing_still(self._before, self._after))
            known = self._verdicts(store)
            if why_not is not None:
                if why_not in self._sides.new:
                    sys.stdout.write(f"{why_not} is compiled: it is new, and there is nothing to compare it with\n")
                    return 0
                if why_not in self._sides.gone:
                    sys.stdout.write(f"{why_not} is not compiled: it is gone\n")
                    return 0
                if why_not not in known:
                    close = nearest_host(why_not, [*known, *self._sides.new, *self._sides.gone])
                    hint = f"; did you mean {close}?" if close else ""
                    raise UsageError(f"{why_not} is not among the {len(known)} nodes{hint}")
                if known[why_not].reused and self._exports[1].asks(why_not):
                    self._compared(known)  # others may have changed what it collects
                sys.stdout.write(known[why_not].words(why_not))
                return 0
            return self._print(self._compared(known), known, checks, form)

    def _verdicts(self, store: Store) -> dict[str, Verdict]:
        """Traces of every node on the first side, and whether they hold on the second."""
        invocation, key = self._invocation, store.key()
        self._sides = nodes_of_sides(invocation, self._before, self._after, self._nodes)
        nodes = [*self._sides.both, *self._sides.gone]
        side = invocation.side(self._before, key)

        if invocation.gives_the_same(self._before, self._after):
            side.given_digests = {}
        exchange = side.exchange = Exchange.of_store(store.path)
        exchange.others = invocation.database

        def run(node: str, reads: Any) -> Any:
            more: dict[str, Any] = {"exports": exchange, "storeconfigs": True, "ledger": True}
            return invocation.run(self._before, node, trace=True, reads=reads, **more)

        traces = known_nodes(store)
        stale = [node for node in nodes if node not in traces or traces[node].changed(node, side)]
        # Where all nodes are asked about, the first side has no others: what a store has of them is not collected.
        strange = not self._nodes and bool(exchange.exporters(traces.keys() - {*nodes}))
        if stale or strange or not exchange.is_settled:
            place, settled = invocation.settled(self._before)
            moulds = Moulds(lambda node: settled.given_inputs(place, node, trace=True))
            compile_fleet(
                store, nodes, run, side, self._jobs, strange, self._progress, None, exchange, traces, False, moulds
            )
        lost = [node for node in nodes if node not in traces]
        if lost:
            raise UsageError(f"the process that compiled {lost[0]} ended before it had a result")
        after = invocation.side(self._after, key)
        after.given_digests = side.given_digests
        after.exchange = exchange.copy()
        after.exchange.leave(self._sides.gone)
        after.exchange.join(self._sides.new)
        for node in self._sides.both:
            after.exchange.know(
                node, traces[node].status == COMPILED, [entry for entry in traces[node].own if entry[0] == ASKED]
            )
        self._exports, self._traces, self._side = [exchange, after.exchange], traces, after
        return verdicts(traces, self._sides.both, after)

    def _compared(self, known: dict[str, Verdict]) -> FleetComparison:
        changed = [*(node for node, verdict in known.items() if not verdict.reused), *self._sides.new]
        results: dict[str, Comparison | list[Diagnostic]] = {
            node: [NotCompiled(verdict.error)] if verdict.error else Comparison((), 0)
            for node, verdict in known.items()
        }
        while changed:
            for node, result in compared(changed, self._compare, self._jobs, self._progress):
                if result is None:
                    results[node] = [NotCompiled(f"{node}: its process ended")]
                    continue
                self._exports[1].note(node, {**result, "ok": result["compiled"]})
                if result["ok"]:
                    results[node] = Comparison.from_json(result["comparison"])
                else:
                    results[node] = [NotCompiled(result["message"])]
            changed = self._exports[1].next_round(self._side.digest)
            for node in changed:
                if node in known:
                    known[node] = asked_again(known[node], self._traces[node], node, self._side)
        return grouped(results.items(), self._sides.new, self._sides.gone)

    def _compare(self, node: str) -> Result:
        """A node compiled on both sides and compared, with what it exports on the second; whatever goes wrong."""
        reads = Reads()
        is_new = node in self._sides.new
        before, problems = (None, []) if is_new else self._outcome(self._before, node, self._exports[0])
        after, more = self._outcome(self._after, node, self._exports[1], reads)
        problems = problems or more
        if is_new and after is not None:
            document: Any = {"ok": True, "comparison": Comparison((), 0).to_json()}
        elif before is None or after is None:
            document = _failure(problems)
        else:
            comparison = ignoring(compare(before, after), self._ignore)
            document = {"ok": True, "comparison": comparison.to_json()}
        result: Result = json.loads(without_secrets(json_bytes(document)))
        asked = [(kind, name) for kind, name in reads.own if kind == ASKED]
        result["asks"] = self._side.trace(asked)
        result["compiled"] = after is not None
        sending = None if after is None else sending_of(after)
        result["exports"] = None if sending is None else sending.document()
        return result

    def _outcome(
        self, path: str | None, node: str, exchange: Exchange, reads: Reads | None = None
    ) -> tuple[Outcome | None, list[Diagnostic]]:
        """The outcome of one side, or what is wrong; what was read is left in `reads`."""
        try:
            run = self._invocation.run
            return run(path, node, trace=True, exports=exchange, storeconfigs=True, reads=reads), []
        except ManyErrors as problems:
            return None, problems.diagnostics
        except Diagnostic as problem:
            return None, [problem]

    def against_stored(self, checks: list[Gate], form: str) -> int:
        """Compare the catalogs that PuppetDB stores with those that are compiled now, and print the answer."""
        database = self._invocation.database
        if database is None:
            raise UsageError("--stored needs --puppetdb: whose catalogs?")
        nodes = self._invocation.all_nodes(self._after, self._nodes)
        results: dict[str, Comparison | list[Diagnostic]] = {}
        with self._invocation.standing_still(self._after):
            for node, result in compared(nodes, self._against, self._jobs, self._progress):
                if result is None:
                    results[node] = [NotCompiled(f"{node}: its process ended")]
                elif result["ok"]:
                    results[node] = Comparison.from_json(result["comparison"])
                else:
                    results[node] = [NotCompiled(result["message"])]
        return self._print(grouped(results.items()), {}, checks, form)

    def _against(self, node: str) -> Result:
        """One node: its stored catalog, and the one that is compiled now."""
        from ..fleet.puppetdb import stored_differences

        database = self._invocation.database
        assert database is not None
        try:
            theirs = database.catalog(node)
            if theirs is None:
                raise NotCompiled(f"{node}: PuppetDB stores no catalog of it")
            ours = self._invocation.run(self._after, node, trace=True).stored()
            rows = [Difference(*row, ()) for row in stored_differences(ours, theirs)]
            comparison = ignoring(Comparison(tuple(rows), 0), self._ignore)
            document: Any = {"ok": True, "comparison": comparison.to_json()}
        except ManyErrors as several:
            document = _failure(several.diagnostics)
        except Diagnostic as problem:
            document = _failure([problem])
        result: Result = json.loads(without_secrets(json_bytes(document)))
        return result

    def _between_stores(self, before: str, after: str) -> FleetComparison:
        """Two stores: values that differ, without the edits behind them, as the sources are not at hand."""
        tables = ("nodes", "attributes")
        return Store(before).together(
            tables, lambda *left: Store(after).together(tables, lambda *right: self._between(left, right))
        )

    def _between(self, left: tuple[Table, ...], right: tuple[Table, ...]) -> FleetComparison:
        """What differs between two stores' nodes and their attributes."""
        states = [
            {node: (status, error, catalog) for node, status, error, _, catalog, *_ in nodes}
            for nodes, _ in (left, right)
        ]
        results: dict[str, Comparison | list[Diagnostic]] = {}
        differing: list[str] = []
        patterns = self._nodes.split(",") if self._nodes else ["*"]
        names = [{name for name in state if any(fnmatchcase(name, one) for one in patterns)} for state in states]
        if not any(names) and self._nodes:
            raise UsageError(f"no node of the two stores matches {self._nodes}")
        self._sides = Sides.of(sorted(names[0]), sorted(names[1]))
        for node in self._sides.both:
            both = [state[node] for state in states]
            failed = next((error for status, error, _ in both if status != COMPILED), None)
            if failed is not None:
                results[node] = [NotCompiled(failed)]
            else:
                results[node] = Comparison((), 0)
                if both[0][2] != both[1][2]:
                    differing.append(node)
        values = [_values(attributes.of(differing)) for _, attributes in (left, right)]
        for node in differing:
            olds, news = values[0].get(node, {}), values[1].get(node, {})
            differences = [
                Difference(path, change, olds.get(path), news.get(path), ())
                for path in [*olds, *(path for path in news if path not in olds)]
                if (change := _change(path, olds, news)) is not None
            ]
            results[node] = ignoring(Comparison(tuple(differences), 0), self._ignore)
        return grouped(results.items(), self._sides.new, self._sides.gone)

    def _print(
        self,
        fleet: FleetComparison,
        known: dict[str, Verdict],
        checks: list[Gate],
        form: str,
    ) -> int:
        from . import differences

        broken = _broken(fleet, checks)
        compiled = sum(not verdict.reused for verdict in known.values()) + (len(self._sides.new) if known else 0)
        if form == "json":
            print_json({**fleet.to_json(), "compiled": compiled, "gates": broken})
        elif form == "markdown":
            sys.stdout.write(differences.markdown_of_nodes(fleet, broken))
        else:
            show(differences.styled_nodes(fleet), sys.stdout)
            if known:
                reused = sum(verdict.reused for verdict in known.values())
                show([(f"{compiled} compiled, {reused} reused\n", "dim")], sys.stdout)
        for node, problems in fleet.failed:
            sys.stderr.write(f"{node}: {problems[0].message}\n")
        for words in broken:
            sys.stderr.write(f"--fail-on: {words}\n")
        return 1 if fleet.failed else DIFFERENT if broken else 0


def _is_store(path: str | None) -> bool:
    return path is not None and os.path.isfile(os.path.join(path, CURRENT))


def _failure(problems: list[Diagnostic]) -> Result:
    return {"ok": False, "message": diagnostics_text(problems).rstrip("\n")}


def _values(attributes: Iterable[tuple[Any, ...]]) -> dict[str, dict[str, Any]]:
    values: dict[str, dict[str, Any]] = {}
    for node, type_name, title, attribute, value, _ in attributes:
        path = f"{type_name}[{title}]" if type_name else title
        path += f".{attribute}" if attribute else ""
        values.setdefault(node, {})[path] = json.loads(value)
    return values


def _change(path: str, olds: dict[str, Any], news: dict[str, Any]) -> str | None:
    if path not in olds:
        return "added"
    if path not in news:
        return "removed"
    return None if olds[path] == news[path] else "changed"


def _broken(fleet: FleetComparison, checks: list[Gate]) -> list[str]:
    """What the gates do not let pass, in words."""
    broken: list[str] = []
    for gate in checks:
        for nodes, difference in gate.stops(fleet):
            many = count_of(len(nodes), "node")
            broken.append(f"{gate.text!r}: {difference.path} {difference.change} on {many}")
    return broken
