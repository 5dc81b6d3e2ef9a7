"""`wherefrom fleet diff`: what differs over all nodes, compiling no more of them than read something that differs."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import Diagnostic, ManyErrors, UsageError
from ..base.folder import scratch_folder
from ..base.globs import Shape
from ..base.json_bytes import json_bytes
from ..base.plural import count_of
from ..base.record import Record
from ..base.recording import ReadSet
from ..base.render import diagnostics_text, show
from ..base.spell import nearest_host
from ..causes import Experience
from ..comparison import Comparison, Difference, FleetComparison, compare, ignoring, pattern_shape
from ..fleet.compiling import COMPILED, compile_fleet, known_nodes
from ..fleet.differing import NodeVerdict, asked_again, compared, verdicts
from ..fleet.exports import ASKED, digest_of, sending_of
from ..fleet.place import CURRENT
from ..fleet.rounds import Exchange
from ..fleet.rows import CatalogValues
from ..fleet.store import Store, Table
from ..fleet.workers import is_lost
from ..language import catalog_of
from .diff import DIFFERENT
from .fleet_origins import request_of, start_anew
from .grouping import Sides, grouped, identity, nodes_of_sides, traits_of
from .module_notes import notes_of
from .options import Invocation, print_json
from .short import each_failure
from .streams import hidden, write_document

if TYPE_CHECKING:
    from ..causes import Again
    from ..fleet.compiling import Known
    from ..fleet.traces import DigestedSnapshot
    from ..fleet.workers import Result
    from ..language import Outcome

TOGETHER = 64
"""Nodes that differ, whose values of the first side are read at once."""
CHANGES = ("added", "removed", "changed", "order")


class NodeNotCompiled(Diagnostic):
    """A node that does not compile, told in one piece."""

    code = "W044"


class Gate(Record):
    """What must not change: `Service[*] removed`, `File[/etc/ssh/*]`."""

    text: str
    shape: Shape
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
            raise UsageError(f"--fail-on {text!r}: unknown kind of change {change} (expected {', '.join(CHANGES)})")
        if not path or change not in CHANGES:
            path, change = text.strip(), ""
        if "[" not in path and "*" not in path:
            raise UsageError(
                f"--fail-on {text!r}: expected TYPE[TITLE] or TYPE[TITLE].ATTRIBUTE, "
                "optionally followed by a kind of change"
            )
        shape = pattern_shape(path.strip())
        inside = re.compile(rf"({shape.source})\..+", re.DOTALL) if path.rstrip().endswith("]") else None
        checks.append(Gate(text, shape, inside, change or None))
    return checks


class Display(Record):
    """In which form differences are shown; with `everything`, each attribute of what came or went."""

    form: str
    everything: bool = False
    report: str | None = None
    """Where the whole report is."""


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
        self._experience = Experience()
        self._progress = progress
        self._exports: list[Exchange] = []
        """What the nodes export, on both sides."""
        self._traces: dict[str, Known] = {}
        self._known: dict[str, NodeVerdict] = {}
        self._side: DigestedSnapshot
        self._store: Store
        self._sides = Sides((), (), ())

    def answer(
        self,
        store_path: str | None,
        why_not: str | None,
        checks: list[Gate],
        shown: Display,
        given: dict[str, Any],
    ) -> int:
        """Print the answer; the status.  `given` are the options as they were."""
        stores = [path for path in (self._before, self._after) if _is_store(path)]
        if len(stores) == 1:
            raise UsageError(
                f"{stores[0]} is a store but the other side is not: compare two stores, or two directories or revisions"
            )
        if stores:
            if store_path is not None or why_not is not None:
                raise UsageError("--store and --why-not cannot be used when two stores are compared")
            return self._print(self._between_stores(str(self._before), str(self._after)), {}, checks, shown)
        with ExitStack() as stack:
            place = store_path or stack.enter_context(scratch_folder("wherefrom-fleet-"))
            store = Store(place)
            start_anew(store)
            stack.enter_context(store.relied_on())
            stack.enter_context(self._invocation.standing_still(self._before, self._after))
            known = self._verdicts(store, given)
            if why_not is not None:
                if why_not in self._sides.new:
                    sys.stdout.write(f"{why_not} is compiled: it is new, with no earlier result\n")
                    return 0
                if why_not in self._sides.gone:
                    sys.stdout.write(f"{why_not} is not compiled: it no longer exists\n")
                    return 0
                if why_not not in known:
                    close = nearest_host(why_not, [*known, *self._sides.new, *self._sides.gone])
                    hint = f"; did you mean {close}?" if close else ""
                    raise UsageError(f"{why_not} is not one of the {len(known)} nodes{hint}")
                if known[why_not].reused and self._exports[1].asks(why_not):
                    self._compared(known)  # others may have changed what it collects
                sys.stdout.write(known[why_not].words(why_not))
                return 0
            return self._print(self._compared(known), known, checks, shown)

    def _verdicts(self, store: Store, given: dict[str, Any]) -> dict[str, NodeVerdict]:
        """Traces of every node on the first side, and whether they hold on the second."""
        invocation, key = self._invocation, store.key()
        self._store = store
        self._sides = nodes_of_sides(invocation, self._before, self._after, self._nodes)
        nodes = [*self._sides.both, *self._sides.gone]
        side = invocation.side(self._before, key)

        if invocation.gives_the_same(self._before, self._after):
            side.given_digests = {}
        exchange = side.exchange = Exchange.of_store(store.path)
        exchange.others = invocation.database

        def run(node: str, reads: object) -> Any:
            more: dict[str, Any] = {"exports": exchange, "storeconfigs": True}
            return invocation.run(self._before, node, trace=True, reads=reads, **more)

        traces = known_nodes(store)
        stale = [node for node in nodes if node not in traces or traces[node].changed(node, side)]
        # Where all nodes are asked about, the first side has no others: what a store has of them is not collected.
        strange = not self._nodes and bool(exchange.exporters(traces.keys() - {*nodes}))
        if stale or strange or not exchange.is_settled:
            store.remember(request_of(self._before, given))
            compile_fleet(store, nodes, run, side, self._jobs, strange, self._progress, None, exchange, traces, False)
        lost = [node for node in nodes if node not in traces]
        if lost:
            raise UsageError(f"the process that compiled {lost[0]} ended without a result")
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

    def _compared(self, known: dict[str, NodeVerdict]) -> FleetComparison:
        self._known = known
        changed = [*(node for node, verdict in known.items() if not verdict.reused), *self._sides.new]
        results: dict[str, Comparison | list[Diagnostic]] = {
            node: [NodeNotCompiled(verdict.error)] if verdict.error else Comparison((), 0)
            for node, verdict in known.items()
        }
        alike: dict[str, str] = {}
        """What differs on a node, in short: nodes with the same differ for the same cause."""
        while changed:
            waiting: list[tuple[str, Result]] = []
            for node, result in compared(changed, self._compiled, self._jobs, self._progress):
                alike.pop(node, None)
                if is_lost(result):
                    results[node] = [NodeNotCompiled(f"{node}: {result['message']}")]
                    continue
                self._exports[1].note(node, {**result, "ok": result["compiled"]})
                results[node] = Comparison((), 0) if result["ok"] else [NodeNotCompiled(result["message"])]
                if "attributes" in result:
                    waiting.append((node, result))
                if len(waiting) >= TOGETHER:
                    alike.update(self._in_short(waiting))
                    waiting.clear()
            alike.update(self._in_short(waiting))
            changed = self._exports[1].next_round(self._side.digest)
            for node in changed:
                if node in known:
                    known[node] = self._known[node] = asked_again(known[node], self._traces[node], node, self._side)
        first = {words: node for node, words in reversed(alike.items())}
        told: dict[str, Comparison | list[Diagnostic]] = {}
        for node, result in compared([*first.values()], self._compare, self._jobs, self._progress):
            if is_lost(result):
                told[node] = [NodeNotCompiled(f"{node}: {result['message']}")]
            elif result["ok"]:
                told[node] = Comparison.from_json(result["comparison"])
            else:
                told[node] = [NodeNotCompiled(result["message"])]
        results.update((node, told[first[words]]) for node, words in alike.items())
        fleet = grouped(results.items(), self._sides.new, self._sides.gone)
        traits = traits_of(self._invocation, self._after, [*self._sides.both, *self._sides.new]) if fleet.groups else {}
        notes = tuple(notes_of(self._invocation, self._before, self._after))
        return FleetComparison(fleet.groups, fleet.same, fleet.failed, fleet.new, fleet.gone, traits, notes)

    def _compiled(self, node: str) -> Result:
        """A node compiled on the second side, with what it exports; and its values, if they are not those of the first.

        Where it did not compile on the first, that is what is told.
        """
        reads = ReadSet(queries=True)
        after, problems = self._outcome(self._after, node, self._exports[1], reads)
        before = None if node in self._sides.new else self._traces.get(node)  # a store may know it from before
        result: Result = {"ok": after is not None}
        if before is not None and before.status != COMPILED:
            result = {"ok": False, "message": before.error}
        elif after is None:
            result = json.loads(json_bytes(hidden(_failure(problems))))
        elif before is not None:
            told = CatalogValues(after, self._side.of)
            pointed = {self._side.answers.question("content", path) for path in after.static_paths()}
            static = sorted(pointed.intersection(self._known[node].changed))
            if told.content != before.content or static:
                types, titles, files, lines, _ = told.resources
                places = dict(zip(map(_path, types, titles), zip(files, lines)))
                classes = [title for type_name, title in zip(types, titles) if type_name == "Class"]
                result |= {"attributes": told.attributes, "content": told.content, "places": places}
                result["kind"] = [classes, static, self._known[node].changed]
        result["asks"] = self._side.trace([(kind, name) for kind, name in reads.own if kind == ASKED])
        result["compiled"] = after is not None
        if after is not None:
            result["exports"] = sending_of(after)
            after.let_go()
        return result

    def _in_short(self, several: Sequence[tuple[str, Result]]) -> Iterator[tuple[str, str]]:
        """What differs on nodes: what, where it was declared, which reads are other now, and which classes a node has.

        Where that is the same on two nodes, so is the cause, and it is sought once.
        """
        nodes = [node for node, _ in several]
        stored = self._store.together(
            ("nodes", "attributes"),
            lambda rows, attributes: (
                {row[0]: row[-1] for row in rows.of(nodes)},
                _values(attributes.of(nodes)),
            ),
        )
        for node, result in several:
            before = self._traces[node].content
            olds = stored[1].get(node, {})
            if stored[0].get(node) != before:  # somebody else wrote over it
                yield node, node
                continue
            news: dict[str, object] = {}
            declared: dict[str, str] = {}
            for type_name, title, name, value in zip(*result["attributes"], strict=True):
                path = _path(type_name, title, name)
                news[path], declared[path] = json.loads(value), _path(type_name, title)
            changes = {path: _change(path, olds, news) for path in [*olds, *news]}
            differences = [
                identity(Difference(path, change, olds.get(path), news.get(path), ()))
                for path, change in changes.items()
                if change is not None
            ]
            declaring = {declared[path] for path, change in changes.items() if change is not None and path in declared}
            places = {place for ref, place in result["places"].items() if ref in declaring}
            secrets = [content.partition(":")[2] for content in (before, result["content"])]
            words = [differences or [before, result["content"]], sorted(places), result["kind"]]
            yield node, digest_of(json_bytes([words, secrets if secrets[0] != secrets[1] else []]))

    def _compare(self, node: str) -> Result:
        """A node compiled on both sides and compared; whatever goes wrong."""
        before, problems = self._outcome(self._before, node, self._exports[0])
        after, more = self._outcome(self._after, node, self._exports[1])
        if before is None or after is None:
            document: object = _failure(problems or more)
        else:
            comparison = ignoring(compare(before, after, self._again(node), self._experience), self._ignore)
            document = {"ok": True, "comparison": comparison.to_json()}
        result: Result = json.loads(json_bytes(hidden(document)))
        return result

    def _again(self, node: str) -> Again | None:
        """Who compiles a side of a node again, with some edits taken back."""
        more = [{"exports": exchange, "storeconfigs": True} for exchange in self._exports]
        return self._invocation.again(self._before, self._after, (node, node), more=more)

    def _outcome(
        self, path: str | None, node: str, exchange: Exchange, reads: ReadSet | None = None
    ) -> tuple[Outcome | None, list[Diagnostic]]:
        """The outcome of one side, or what is wrong; what was read is left in `reads`."""
        try:
            run = self._invocation.run
            return run(path, node, trace=True, exports=exchange, storeconfigs=True, reads=reads), []
        except ManyErrors as problems:
            return None, problems.diagnostics
        except Diagnostic as problem:
            return None, [problem]

    def against_stored(self, checks: list[Gate], shown: Display) -> int:
        """Compare the catalogs that PuppetDB stores with those that are compiled now, and print the answer."""
        database = self._invocation.database
        if database is None:
            raise UsageError("--stored needs --puppetdb URL")
        nodes = self._invocation.all_nodes(self._after, self._nodes)
        results: dict[str, Comparison | list[Diagnostic]] = {}
        with self._invocation.standing_still(self._after):
            for node, result in compared(nodes, self._against, self._jobs, self._progress):
                if is_lost(result):
                    results[node] = [NodeNotCompiled(f"{node}: {result['message']}")]
                elif result["ok"]:
                    results[node] = Comparison.from_json(result["comparison"])
                else:
                    results[node] = [NodeNotCompiled(result["message"])]
        return self._print(grouped(results.items()), {}, checks, shown)

    def _against(self, node: str) -> Result:
        """One node: its stored catalog, and the one that is compiled now."""
        from ..fleet.puppetdb import stored_differences

        database = self._invocation.database
        assert database is not None
        try:
            theirs = database.catalog(node)
            if theirs is None:
                raise NodeNotCompiled(f"{node}: PuppetDB has no catalog for it")
            ours = catalog_of(
                self._invocation.run(self._after, node, trace=True), "PuppetDB stores Puppet catalogs, not"
            ).stored()
            rows = [Difference(*row, ()) for row in stored_differences(ours, theirs)]
            comparison = ignoring(Comparison(tuple(rows), 0), self._ignore)
            document: object = {"ok": True, "comparison": comparison.to_json()}
        except ManyErrors as several:
            document = _failure(several.diagnostics)
        except Diagnostic as problem:
            document = _failure([problem])
        result: Result = json.loads(json_bytes(hidden(document)))
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
            raise UsageError(f"neither store has a node that matches {self._nodes}")
        self._sides = Sides.of(sorted(names[0]), sorted(names[1]))
        for node in self._sides.both:
            both = [state[node] for state in states]
            failed = next((error for status, error, _ in both if status != COMPILED), None)
            if failed is not None:
                results[node] = [NodeNotCompiled(failed)]
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
        known: dict[str, NodeVerdict],
        checks: list[Gate],
        shown: Display,
    ) -> int:
        from . import differences

        broken = _broken(fleet, checks)
        fleet = differences.hidden_nodes(fleet)
        compiled = sum(not verdict.reused for verdict in known.values()) + (len(self._sides.new) if known else 0)
        match shown.form:
            case "json":
                print_json({**fleet.to_json(), "compiled": compiled, "gates": broken})
            case "markdown":
                stopped = hidden(broken)
                write_document(differences.markdown_of_nodes(fleet, stopped, shown.everything, shown.report))
            case "html":
                write_document(differences.html_of_nodes(fleet))
            case _:
                show(differences.styled_nodes(fleet, shown.everything), sys.stdout)
                if known:
                    reused = sum(verdict.reused for verdict in known.values())
                    show([(f"{compiled} compiled, {reused} reused\n", "dim")], sys.stdout)
        for names, problem in each_failure(fleet.failed):
            sys.stderr.write(f"{differences.set_of(fleet, names)}: {problem.message}\n")
        for words in broken:
            sys.stderr.write(f"--fail-on: {words}\n")
        return 1 if fleet.failed else DIFFERENT if broken else 0


def _is_store(path: str | None) -> bool:
    return path is not None and os.path.isfile(os.path.join(path, CURRENT))


def _failure(problems: list[Diagnostic]) -> Result:
    return {"ok": False, "message": diagnostics_text(problems).rstrip("\n")}


def _path(type_name: str, title: str, attribute: str = "") -> str:
    path = f"{type_name}[{title}]" if type_name else title
    return f"{path}.{attribute}" if attribute else path


def _values(attributes: Iterable[tuple[Any, ...]]) -> dict[str, dict[str, object]]:
    values: dict[str, dict[str, Any]] = {}
    for node, type_name, title, attribute, value in attributes:
        values.setdefault(node, {})[_path(type_name, title, attribute)] = json.loads(value)
    return values


def _change(path: str, olds: dict[str, object], news: dict[str, object]) -> str | None:
    if path not in olds:
        return "added"
    if path not in news:
        return "removed"
    return None if json_bytes(olds[path]) == json_bytes(news[path]) else "changed"  # true is not 1


def _broken(fleet: FleetComparison, checks: list[Gate]) -> list[str]:
    """What the gates do not let pass, in words."""
    broken: list[str] = []
    for gate in checks:
        for nodes, difference in gate.stops(fleet):
            many = count_of(len(nodes), "node")
            broken.append(f"{gate.text!r}: {difference.path} {difference.change} on {many}")
    return broken
