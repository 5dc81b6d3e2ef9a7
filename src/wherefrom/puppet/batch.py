"""The Puppet side of the batch protocol: a request becomes a path, a host and inputs, and goes in by the front door.

The answer is the catalog as Puppet writes it, or the error as Puppet words it, and the log. Inline `files` lie below
the environment's directory, which is the current one, and inline `global_files` below `/codedir`, where `hiera.yaml`
is the global layer of data; besides them only the given module path and manifest are read, from the disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base.deep import with_deep_stack
from ..base.diagnostics import Diagnostic, ManyErrors, WherefromError
from ..base.host import Host, PureHost, RealHost
from ..base.source import SourceFile
from ..batch import clock_of
from ..language import Inputs
from .environment.environment import parsing_failed
from .environment.modules import module_roots
from .kernel.failures import EvaluationError, ParsingFailed, lead_of, puppet_message, reported_place
from .output.wire import catalog_document
from .program import CatalogProgram, open_environment
from .runtime.given import node_inputs, node_name, puppet_version
from .runtime.inputs import input_variables
from .runtime.phases import compile_catalog
from .runtime.versions import defaults_of

if TYPE_CHECKING:
    from ..batch import BatchRequest

MANIFEST = "manifests/site.pp"
GLOBAL = "/codedir"
ENVIRONMENT = "."


def answer(request: BatchRequest, roots: Sequence[str] = ()) -> dict[str, Any]:
    """Compile what a request asks for.  Never raises for what is wrong with the request's code."""
    reply: dict[str, Any] = {"id": request.id}
    logs: list[list[Any]] = []
    node: str | None = None
    try:
        if request.dump:
            reply.update(_dump(request, logs))
        else:
            path, host, inputs = opened(request, roots)
            node = inputs.node
            reply.update(_compile(path, host, inputs, logs))
    except ManyErrors as problems:
        reply.update(ok=False, error=error_document(problems.diagnostics[0], node))
    except Diagnostic as problem:
        reply.update(ok=False, error=error_document(problem, node))
    except WherefromError as problem:
        reply.update(ok=False, error={"message": str(problem)})
    reply["logs"] = logs
    return reply


def _dump(request: BatchRequest, logs: list[list[Any]]) -> dict[str, Any]:
    """Parse and validate alone."""
    from .syntax.parser import ParserSettings, parse

    defaults = defaults_of(puppet_version({"puppet_version": request.puppet}))
    strict = request.settings.get("strict", defaults.get("strict", "warning"))
    settings = ParserSettings(str(strict), bool(request.settings.get("tasks")))
    if request.manifest_path is not None:
        source = RealHost([request.manifest_path]).source(request.manifest_path)
    else:
        source = SourceFile("site.pp", request.manifest or "")
    result = parse(source, settings)
    for diagnostic in result.diagnostics:
        if diagnostic.severity != "error":
            logs.append(_log("warning", diagnostic.message, diagnostic.span))
    if not result.ok:
        problem = parsing_failed(result.diagnostics, "production")
        if isinstance(problem, ParsingFailed):
            return {"ok": False, "error": error_document(problem, None)}
        raise problem
    return {"ok": True}


def opened(request: BatchRequest, roots: Sequence[str] = ()) -> tuple[str, Host, Inputs]:
    """The path, the host and the inputs that a request stands for."""
    layer = {f"{GLOBAL}/{path}": text for path, text in request.global_files.items()}
    inline = {**request.files, **layer}
    manifest = request.manifest_path
    if manifest is None:
        manifest = MANIFEST
        inline[MANIFEST] = request.manifest or ""
    now = clock_of(request)
    host: Host = PureHost(inline, now=now)
    disk = [*roots, *module_roots(request.modulepath)]
    if request.manifest_path is not None:
        disk.append(request.manifest_path)
    if disk:
        host = _Layered(PureHost(inline), RealHost(disk), now)
    options = {
        "manifest": manifest,
        "modulepath": ["modules", *request.modulepath] if request.modulepath else (),
        "hiera_config": f"{GLOBAL}/hiera.yaml" if f"{GLOBAL}/hiera.yaml" in layer else None,
        "settings": request.settings,
        "trusted": request.trusted,
        "classes": request.classes,
        "parameters": request.parameters,
        "server_facts": request.server_facts,
        "agent_facts": request.agent_facts,
        "puppet_version": request.puppet,
        "no_cache": True,
    }
    facts = request.facts or {}
    inputs = Inputs(request.node or node_name(facts), facts, options)
    alone = manifest == MANIFEST and not request.files and not layer and not request.modulepath
    return MANIFEST if alone else ENVIRONMENT, host, inputs


def _compile(path: str, host: Host, inputs: Inputs, logs: list[list[Any]]) -> dict[str, Any]:
    hidden: list[str] = []  # told before anything is read
    input_variables(node_inputs(inputs), inputs.options.get("settings") or {}, hidden.append)
    hidden = list(dict.fromkeys(hidden))
    logs.extend(_log("warning", words, None) for words in hidden)
    try:
        environment = open_environment(path, host, inputs)
    except EvaluationError as problem:
        logs.extend(_log("warning", element.message, element.span) for element in problem.warnings)
        raise
    run = CatalogProgram(environment).start(inputs)
    try:
        with_deep_stack(lambda: compile_catalog(run))
        document = catalog_document(run)
    finally:
        logs.extend(
            _log("warning", warning.message, warning.span) for warning in environment.warnings[: run.warnings_before]
        )
        logs.extend(_log(log.level, log.message, log.span) for log in run.logs[len(hidden) :])
    return {"ok": True, "catalog": document}


class _Layered(PureHost):
    """Inline files first, then the disk.  The environment's own directory is there, however empty."""

    def __init__(self, inline: PureHost, disk: RealHost, now: float) -> None:
        super().__init__({}, now=now)
        self._inline = inline
        self._disk = disk

    def read_bytes(self, path: str, at: Any = None) -> bytes:
        return (self._inline if self._inline.kind(path) else self._disk).read_bytes(path, at)

    def kind(self, path: str) -> str | None:
        if path == ENVIRONMENT:
            return "directory"
        return self._inline.kind(path) or self._disk.kind(path)

    def is_file(self, path: str) -> bool:
        return self.kind(path) == "file" or (self._is_elsewhere(path) and self._disk.is_file(path))

    def is_directory(self, path: str) -> bool:
        return self.kind(path) == "directory" or (self._is_elsewhere(path) and self._disk.is_directory(path))

    def exists(self, path: str) -> bool:
        return self.kind(path) is not None or (self._is_elsewhere(path) and self._disk.exists(path))

    def kind_asked(self, path: str) -> str | None:
        return self.kind(path) or (self._disk.kind_asked(path) if self._is_elsewhere(path) else None)

    def _is_elsewhere(self, path: str) -> bool:
        """Whether a path that was given in full is not inline: whether it may be looked at is the disk's to say."""
        return path.startswith("/") and self._inline.kind(path) is None

    def list_directory(self, path: str, at: Any = None) -> list[str]:
        return (self._inline if self._inline.kind(path) else self._disk).list_directory(path, at)


def _log(level: str, message: str, span: Any) -> list[Any]:
    if span is None:
        return [level, message, None, None]
    return [level, message, span.file.name, span.line]


def error_document(problem: Diagnostic, node: str | None) -> dict[str, Any]:
    """An error as the protocol reports it; without a node, that of parsing alone."""
    if isinstance(problem, ParsingFailed) and problem.first is not None:
        file, line, column = problem.first.puppet_place
        known = [("file", file), ("line", line), ("column", column)]
        place = ", ".join(f"{name}: {value}" for name, value in known if value is not None)
        document: dict[str, Any] = {
            "message": _full(problem, f" ({place})" if place else "", node),
        }
        if problem.issue or node is None:  # to the compiler, what has no issue tells its place in the message alone
            document.update(file=file, line=line, pos=column, issue_code=problem.issue)
        return {key: value for key, value in document.items() if value is not None}
    document = {"message": puppet_message(problem, node or "")}
    span = reported_place(problem)
    if span is not None and getattr(problem, "issue", None) is not None:
        line, column = span.file.line_and_column(span.start)
        document["file"] = span.file.name
        if not getattr(problem, "lineless", False):
            document["line"] = line
            if getattr(problem, "column", True):
                document["pos"] = column
    if isinstance(problem, EvaluationError) and problem.issue is not None:
        document["issue_code"] = problem.issue
    return document


def _full(problem: Diagnostic, place: str, node: str | None) -> str:
    if node is None:
        return f"{problem.message}{place}"
    return f"{lead_of(problem)}{problem.message}{place} on node {node}"
