"""`wherefrom compile --nodes`: many nodes at once, on all cores; one that fails stops nobody; a summary at the end."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..base.deep import deeply
from ..base.diagnostics import Diagnostic, ManyErrors, UsageError
from ..base.json_bytes import json_bytes
from ..base.plural import count_of
from ..base.render import Styled, diagnostic_json, diagnostics_text, show, visible, width_of
from ..base.writing import write_whole
from ..fleet.workers import LOST, Result, in_processes
from .options import Invocation, print_json
from .streams import without_secrets

if TYPE_CHECKING:
    from ..language import Outcome


def compile_nodes(
    invocation: Invocation, path: str | None, nodes: list[str], form: str, directory: str | None, processes: int | None
) -> int:
    """Compile nodes; `form` is `text`, `json` or `yaml`; catalogs go to `directory`, or (as JSON) to the output."""
    if directory is not None:
        os.makedirs(directory, exist_ok=True)
    elif form == "yaml":
        raise UsageError("--yaml of many nodes needs --output DIR: one NODE.yaml each")
    for node in nodes if directory is not None else ():
        if os.sep in node or node in (".", ".."):
            raise UsageError(f"{node} can not be the name of a file")

    def work(node: str) -> Result:
        return _compiled(invocation, path, node, form, directory)

    results: dict[str, Result] = {}
    for node, result in _shown(in_processes(nodes, work, processes), len(nodes)):
        results[node] = result
    failed = [node for node in nodes if not results[node]["ok"]]
    if form == "json":
        print_json({"nodes": [{"node": node, **results[node]} for node in nodes], "failed": failed})
    else:
        show(_summary(nodes, results), sys.stdout)
    for node in failed:
        sys.stderr.write(f"{node}: {results[node].get('message', 'its process ended')}\n")
    return 1 if failed else 0


def _compiled(invocation: Invocation, path: str | None, node: str, form: str, directory: str | None) -> Result:
    try:
        outcome = invocation.run(path, node)
        warnings = sum(log.level == "warning" for log in outcome.logs)
        counts = {"resources": sum(1 for _ in _resources(outcome)), "warnings": warnings}
        result: Result = {"ok": True, **counts}
        if directory is not None:
            write_whole(os.path.join(directory, f"{node}.{_SUFFIXES[form]}"), without_secrets(_written(outcome, form)))
        elif form == "json":
            result["catalog"] = json.loads(without_secrets(json_bytes(deeply(outcome.document))))
        return result
    except ManyErrors as problems:
        return _failure(problems.diagnostics)
    except Diagnostic as problem:
        return _failure([problem])
    except UsageError as problem:
        return {"ok": False, "message": str(problem)}
    except Exception as bug:
        # One node must not take the others down; the answer says that the fault is ours.
        return {"ok": False, "message": f"internal error: {type(bug).__name__}: {bug}"}


_SUFFIXES = {"text": "pp", "json": "json", "yaml": "yaml"}


def _written(outcome: Outcome, form: str) -> bytes:
    match form:
        case "json":
            return json_bytes(deeply(outcome.document), indent=True) + b"\n"
        case "yaml":
            return deeply(outcome.yaml).encode("utf-8", "surrogateescape")
    return deeply(outcome.text).encode("utf-8", "surrogateescape")


def _resources(outcome: Outcome) -> Iterator[Any]:
    """The resources of a catalog: outputs that are no attributes."""
    return (node for node in outcome.graph().nodes if not node.name.startswith(("Class[", "Node[")))


def _failure(problems: list[Diagnostic]) -> Result:
    text = diagnostics_text(problems).rstrip("\n")
    errors = [diagnostic_json(problem) for problem in problems]
    failure: Result = json.loads(without_secrets(json_bytes({"ok": False, "message": text, "errors": errors})))
    return failure


def _shown(results: Iterator[tuple[str, Result]], count: int) -> Iterator[tuple[str, Result]]:
    """The results, with a line of progress if somebody looks."""
    if not sys.stderr.isatty() or count < 2:
        yield from results
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=getattr(sys.stderr, "terminal", sys.stderr)), transient=True) as progress:
        task = progress.add_task("compiling", total=count)
        for result in results:
            progress.advance(task)
            yield result


def _summary(nodes: list[str], results: dict[str, Result]) -> Styled:
    wide = max(map(width_of, nodes), default=0)
    out: Styled = []
    for node in nodes:
        result = results[node]
        out.append((visible(node) + " " * (wide - width_of(node)) + "  ", "key"))
        if result["ok"]:
            warnings = f", {count_of(result['warnings'], 'warning')}" if result["warnings"] else ""
            out.append((f"{count_of(result['resources'], 'resource')}{warnings}\n", ""))
        else:
            first = "its process ended" if result == LOST else result["message"].splitlines()[0]
            out.append((visible(first) + "\n", "error"))
    failed = sum(not result["ok"] for result in results.values())
    verdict = f"{count_of(len(nodes), 'node')}: {len(nodes) - failed} compiled, {failed} failed\n"
    return [*out, (verdict, "strong")]
