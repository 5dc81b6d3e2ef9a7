"""`whence fleet diff`: what differs over all nodes, compiling no more of them than read something that differs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import Diagnostic, ManyErrors, UsageError
from ..base.json_bytes import json_bytes
from ..base.render import diagnostics_text, show
from ..comparison import Comparison, Difference, FleetComparison, compare, ignoring, pattern_shape
from ..fleet.compiling import compile_fleet, known_nodes
from ..fleet.differing import Verdict, compared, verdicts
from ..fleet.store import CURRENT, Store
from .diff import DIFFERENT
from .grouping import grouped
from .options import Invocation, print_json
from .streams import without_secrets

if TYPE_CHECKING:
    import re

    from ..fleet.workers import Result

CHANGES = ("added", "removed", "changed", "order")


class NotCompiled(Diagnostic):
    """A node that does not compile, told in one piece."""

    code = "W044"


def gates(patterns: Sequence[str]) -> list[tuple[str, re.Pattern[str], str | None]]:
    """`Service[*] removed`: paths in which `*` stands for anything, and perhaps the change.  Raises `UsageError`."""
    checks: list[tuple[str, re.Pattern[str], str | None]] = []
    for text in patterns:
        path, _, change = text.strip().rpartition(" ")
        if path and change in CHANGES:
            checks.append((text, pattern_shape(path.strip()), change))
        elif path and change.isalpha():
            raise UsageError(f"--fail-on {text!r}: {change} is no change (expected {', '.join(CHANGES)})")
        else:
            checks.append((text, pattern_shape(text.strip()), None))
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

    def answer(
        self,
        store_path: str | None,
        why_not: str | None,
        checks: list[tuple[str, re.Pattern[str], str | None]],
        form: str,
    ) -> int:
        """Print the answer; the status."""
        if _is_store(self._before) and _is_store(self._after):
            return self._print(self._between_stores(str(self._before), str(self._after)), {}, checks, form)
        with ExitStack() as stack:
            place = store_path or stack.enter_context(TemporaryDirectory(prefix="whence-fleet-"))
            store = Store(place)
            stack.enter_context(self._invocation.standing_still(self._before, self._after))
            known = self._verdicts(store)
            if why_not is not None:
                if why_not not in known:
                    raise UsageError(f"{why_not} is not among the {len(known)} nodes")
                sys.stdout.write(known[why_not].words(why_not))
                return 0
            return self._print(self._compared(known), known, checks, form)

    def _verdicts(self, store: Store) -> dict[str, Verdict]:
        """Traces of every node on the first side, and whether they hold on the second."""
        invocation, key = self._invocation, store.key()
        nodes = invocation.all_nodes(self._after, self._nodes)
        side = invocation.side(self._before, key)

        def run(node: str, reads: Any) -> Any:
            return invocation.run(self._before, node, trace=True, reads=reads)

        traces = known_nodes(store)
        stale = [node for node in nodes if node not in traces or traces[node].changed(node, side)]
        if stale:
            compile_fleet(store, stale, run, side, self._jobs, False, self._progress)
            traces = known_nodes(store)
        lost = [node for node in nodes if node not in traces]
        if lost:
            raise UsageError(f"the process that compiled {lost[0]} ended before it had a result")
        return verdicts(traces, nodes, invocation.side(self._after, key))

    def _compared(self, known: dict[str, Verdict]) -> FleetComparison:
        changed = [node for node, verdict in known.items() if not verdict.reused]
        results: dict[str, Comparison | list[Diagnostic]] = {
            node: [NotCompiled(verdict.error)] if verdict.error else Comparison((), 0)
            for node, verdict in known.items()
        }
        for node, result in compared(changed, self._compare, self._jobs, self._progress):
            if result is None:
                results[node] = [NotCompiled(f"{node}: its process ended")]
            elif result["ok"]:
                results[node] = Comparison.from_json(result["comparison"])
            else:
                results[node] = [NotCompiled(result["message"])]
        return grouped(results.items())

    def _compare(self, node: str) -> Result:
        try:
            outcomes = [self._invocation.run(path, node, trace=True) for path in (self._before, self._after)]
            comparison = ignoring(compare(*outcomes), self._ignore)
            document = without_secrets(json_bytes({"ok": True, "comparison": comparison.to_json()}))
        except ManyErrors as problems:
            document = without_secrets(json_bytes(_failure(problems.diagnostics)))
        except Diagnostic as problem:
            document = without_secrets(json_bytes(_failure([problem])))
        result: Result = json.loads(document)
        return result

    def _between_stores(self, before: str, after: str) -> FleetComparison:
        """Two stores: values that differ, without the edits behind them, as the sources are not at hand."""
        left, right = Store(before), Store(after)
        states = {store: {row["node"]: row for row in store.rows("nodes")} for store in (left, right)}
        results: dict[str, Comparison | list[Diagnostic]] = {}
        differing: list[str] = []
        for node in sorted(states[left].keys() & states[right].keys()):
            rows = [states[store][node] for store in (left, right)]
            failed = next((row for row in rows if row["status"] != "compiled"), None)
            if failed is not None:
                results[node] = [NotCompiled(failed["error"])]
            else:
                results[node] = Comparison((), 0)
                if rows[0]["catalog"] != rows[1]["catalog"]:
                    differing.append(node)
        values = [_values(store, set(differing)) for store in (left, right)]
        for node in differing:
            olds, news = values[0].get(node, {}), values[1].get(node, {})
            differences = [
                Difference(path, change, olds.get(path), news.get(path), ())
                for path in [*olds, *(path for path in news if path not in olds)]
                if (change := _change(path, olds, news)) is not None
            ]
            results[node] = ignoring(Comparison(tuple(differences), 0), self._ignore)
        return grouped(results.items())

    def _print(
        self,
        fleet: FleetComparison,
        known: dict[str, Verdict],
        checks: list[tuple[str, re.Pattern[str], str | None]],
        form: str,
    ) -> int:
        from . import differences

        broken = _broken(fleet, checks)
        compiled = sum(not verdict.reused for verdict in known.values())
        if form == "json":
            print_json({**fleet.to_json(), "compiled": compiled, "gates": broken})
        elif form == "markdown":
            sys.stdout.write(differences.markdown_of_nodes(fleet))
        else:
            show(differences.styled_nodes(fleet), sys.stdout)
            if known:
                show([(f"{compiled} compiled, {len(known) - compiled} reused\n", "dim")], sys.stdout)
        for node, problems in fleet.failed:
            sys.stderr.write(f"{node}: {problems[0].message}\n")
        for words in broken:
            sys.stderr.write(f"--fail-on: {words}\n")
        return 1 if fleet.failed else DIFFERENT if broken else 0


def _is_store(path: str | None) -> bool:
    return path is not None and os.path.isfile(os.path.join(path, CURRENT))


def _failure(problems: list[Diagnostic]) -> Result:
    return {"ok": False, "message": diagnostics_text(problems).rstrip("\n")}


def _values(store: Store, nodes: set[str]) -> dict[str, dict[str, Any]]:
    values: dict[str, dict[str, Any]] = {}
    for row in store.rows("attributes"):
        if row["node"] in nodes:
            path = f"{row['type']}[{row['title']}]" if row["type"] else row["title"]
            path += f".{row['attribute']}" if row["attribute"] else ""
            values.setdefault(row["node"], {})[path] = json.loads(row["value"])
    return values


def _change(path: str, olds: dict[str, Any], news: dict[str, Any]) -> str | None:
    if path not in olds:
        return "added"
    if path not in news:
        return "removed"
    return None if olds[path] == news[path] else "changed"


def _broken(fleet: FleetComparison, checks: list[tuple[str, re.Pattern[str], str | None]]) -> list[str]:
    """What the gates do not let pass, in words."""
    broken: list[str] = []
    for text, shape, change in checks:
        for nodes, comparison in fleet.groups:
            for difference in comparison.differences:
                if change in (None, difference.change) and shape.fullmatch(difference.path):
                    many = f"{len(nodes)} node{'s' * (len(nodes) != 1)}"
                    broken.append(f"{text!r}: {difference.path} {difference.change} on {many}")
    return broken
