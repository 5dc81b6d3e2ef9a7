"""`wherefrom compile --nodes`: many nodes at once, on all cores; one that fails stops nobody; a summary at the end."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..base.deep import deeply
from ..base.diagnostics import Diagnostic, ManyErrors, UsageError, once
from ..base.folder import Folder
from ..base.json_bytes import json_bytes
from ..base.plural import count_of
from ..base.render import Styled, diagnostic_json, diagnostics_text, show, visible, width_of
from ..base.source import lines_of
from ..fleet.workers import Result, in_processes
from ..language import catalog_of
from .options import Invocation, print_json
from .reports import by_cause
from .short import node_words
from .streams import hidden

if TYPE_CHECKING:
    from ..language import Outcome


def compile_nodes(
    invocation: Invocation, path: str | None, nodes: list[str], form: str, directory: str | None, processes: int | None
) -> int:
    """Compile nodes; `form` is `text`, `json` or `yaml`; catalogs go to `directory`, or (as JSON) to the output."""
    if directory is not None:
        try:
            Folder(directory, _CATALOGS).make()
        except OSError as problem:
            raise UsageError(f"cannot write {directory}: {(problem.strerror or str(problem)).lower()}") from None
    elif form == "yaml":
        raise UsageError("--yaml with --nodes needs --output DIR, for one NODE.yaml per node")
    for node in nodes if directory is not None else ():
        if os.sep in node or node in (".", ".."):
            raise UsageError(f"{node} cannot be used as a file name")

    def work(node: str) -> Result:
        return _compiled(invocation, path, node, form, directory)

    results: dict[str, Result] = {}
    for node, result in _shown(in_processes(nodes, work, processes), len(nodes)):
        results[node] = result
    failed = [node for node in nodes if not results[node]["ok"]]
    if form == "json":
        shown = {node: {name: part for name, part in results[node].items() if name != "texts"} for node in nodes}
        print_json({"nodes": [{"node": node, **shown[node]} for node in nodes], "failed": failed})
    else:
        show(_summary(nodes, results), sys.stdout)
    texts = ((node, text) for node in failed for text in results[node].get("texts", [results[node]["message"]]))
    for several, message in by_cause(texts, str):
        words = several[0] if len(several) == 1 else node_words(several, nodes)
        sys.stderr.write(f"{words}: {message}\n")
    return 1 if failed else 0


def _compiled(invocation: Invocation, path: str | None, node: str, form: str, directory: str | None) -> Result:
    try:
        outcome = invocation.run(path, node)
        as_is = invocation.shows_secrets
        warnings = sum(log.level == "warning" for log in outcome.logs)
        counts = {"resources": sum(1 for _ in _resources(outcome)), "warnings": warnings}
        result: Result = {"ok": True, **counts}
        if directory is not None:
            _write(directory, f"{node}.{_SUFFIXES[form]}", _written(outcome, form, as_is))
        elif form == "json":
            document = deeply(outcome.document if as_is else outcome.shown)
            result["catalog"] = json.loads(json_bytes(hidden(document)))
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


def _write(directory: str, name: str, content: bytes) -> None:
    """Put a catalog in its place; a link that stands there is replaced, and not followed."""
    try:
        Folder(directory, _CATALOGS).replace(name, content, 0o666, lasting=False)
    except OSError as problem:
        words = (problem.strerror or str(problem)).lower()
        raise UsageError(f"cannot write {os.path.join(directory, name)}: {words}") from None


_CATALOGS = re.compile(r"[^/]+\.(pp|json|yaml)")
_SUFFIXES = {"text": "pp", "json": "json", "yaml": "yaml"}


def _written(outcome: Outcome, form: str, as_is: bool) -> bytes:
    match form:
        case "json":
            return json_bytes(hidden(deeply(outcome.document if as_is else outcome.shown)), indent=True) + b"\n"
        case "yaml":
            return deeply(lambda: outcome.yaml(hidden, as_is)).encode("utf-8", "surrogateescape")
    return str(hidden(deeply(outcome.text))).encode("utf-8", "surrogateescape")


def _resources(outcome: Outcome) -> Iterator[object]:
    """The resources of a catalog: outputs that are no attributes."""
    return (node for node in catalog_of(outcome).graph().nodes if not node.name.startswith(("Class[", "Node[")))


def _failure(problems: list[Diagnostic]) -> Result:
    text = diagnostics_text(problems).rstrip("\n")
    texts = [diagnostics_text([problem]).rstrip("\n") for problem in once(problems)]
    errors = [diagnostic_json(problem) for problem in problems]
    document = {"ok": False, "message": text, "errors": errors, "texts": texts}
    failure: Result = json.loads(json_bytes(hidden(document)))
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
            first = lines_of(result["message"])[0]
            out.append((visible(first) + "\n", "error"))
    failed = sum(not result["ok"] for result in results.values())
    verdict = f"{count_of(len(nodes), 'node')}: {len(nodes) - failed} compiled, {failed} failed\n"
    return [*out, (verdict, "strong")]
