"""The Puppet side of the batch protocol: one request, one answer, both plain JSON data.

A request carries a manifest and everything around it (facts, classifier, inline files); the answer is the catalog as
Puppet writes it, or the error as Puppet words it, and the log. Files are inline, below the environment's directory, or
on disk below the given module path; nothing else can be read. What an agent adds to the facts (`clientcert`, ...) is
added, unless `agent_facts` is false.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..base.deep import with_deep_stack
from ..base.diagnostics import Diagnostic, ManyErrors, WhenceError
from ..base.host import PureHost, RealHost
from ..base.source import SourceFile
from .environment.environment import Environment, manifest_sources, module_roots, parsing_failed
from .kernel.failures import EvaluationError, ParsingFailed, lead_of, puppet_message, told_place
from .output.wire import catalog_document
from .runtime.inputs import NodeInputs
from .runtime.phases import compile_catalog, new_compilation

MANIFEST = "manifests/site.pp"
GLOBAL = "/codedir"
PUPPET_VERSION = "7.23.0"

DEFAULT_FACTS: Mapping[str, Any] = {
    "networking": {"fqdn": "testnode.example.com", "hostname": "testnode", "domain": "example.com", "ip": "10.0.0.5"},
    "os": {
        "name": "Debian",
        "family": "Debian",
        "architecture": "amd64",
        "release": {"full": "12.4", "major": "12", "minor": "4"},
    },
    "operatingsystem": "Debian",
    "osfamily": "Debian",
    "kernel": "Linux",
}


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Compile what a request asks for.  Never raises for what is wrong with the request's code."""
    node = str(request.get("node") or "testnode.example.com")
    reply: dict[str, Any] = {"id": request.get("id")}
    logs: list[list[Any]] = []
    try:
        if request.get("dump"):
            reply.update(_dump(request, logs))
        else:
            reply.update(_compile(request, node, logs))
    except ManyErrors as problems:
        reply.update(ok=False, error=error_document(problems.diagnostics[0], node))
    except Diagnostic as problem:
        reply.update(ok=False, error=error_document(problem, node))
    except WhenceError as problem:
        reply.update(ok=False, error={"message": str(problem)})
    reply["logs"] = logs
    return _with_global_names(reply) if request.get("global_files") else reply


def _with_global_names(reply: dict[str, Any]) -> dict[str, Any]:
    """The global directory is called as the request called it."""
    renamed: dict[str, Any] = json.loads(json.dumps(reply).replace(GLOBAL, "@CODEDIR@"))
    return renamed


def _dump(request: Mapping[str, Any], logs: list[list[Any]]) -> dict[str, Any]:
    from .syntax.parser import Settings, parse

    given = request.get("settings") or {}
    settings = Settings(str(given.get("strict", "warning")), bool(given.get("tasks")))
    result = parse(SourceFile("site.pp", str(request.get("manifest") or "")), settings)
    for each in result.diagnostics:
        if each.severity != "error":
            logs.append(_log("warning", each.message, each.span))
    if not result.ok:
        problem = parsing_failed(result.diagnostics, "production")
        if isinstance(problem, ParsingFailed):
            return {"ok": False, "error": error_document(problem, None)}
        raise problem
    return {"ok": True}


def _compile(request: Mapping[str, Any], node: str, logs: list[list[Any]]) -> dict[str, Any]:
    environment, inputs = environment_of(request, node)
    run = new_compilation(environment, inputs)
    try:
        with_deep_stack(lambda: compile_catalog(run))
        document = catalog_document(run)
    finally:
        logs.extend(_log("warning", each.message, each.span) for each in environment.warnings[: run.warnings_before])
        logs.extend(_log(each.level, each.message, each.span) for each in run.logs)
    return {"ok": True, "catalog": document}


def environment_of(request: Mapping[str, Any], node: str) -> tuple[Environment, NodeInputs]:
    """The environment and the inputs that a request describes."""
    files = dict(request.get("files") or {})
    for module, inside in (request.get("modules") or {}).items():
        files.update({f"modules/{module}/{path}": text for path, text in inside.items()})
    modulepath = ["modules", *(request.get("modulepath") or ())]
    if request.get("hiera") is not None:
        given = request["hiera"]
        files["hiera.yaml"] = given if isinstance(given, str) else json.dumps(given)
    global_files = {
        f"{GLOBAL}/{path}": text.replace("@CODEDIR@", GLOBAL)
        for path, text in (request.get("global_files") or {}).items()
    }
    host: Any = PureHost({**files, **global_files})
    if request.get("modulepath") or request.get("manifest_path"):
        roots = module_roots(request.get("modulepath") or ())
        if request.get("manifest_path"):
            roots.append(str(request["manifest_path"]))
        host = _Layered(host, RealHost(roots))
    if request.get("manifest_path"):
        manifests = manifest_sources(host, str(request["manifest_path"]))
    else:
        manifests = [SourceFile(MANIFEST, str(request.get("manifest") or ""))]
    settings = dict(request.get("settings") or {})
    data = None
    if files or global_files or request.get("modulepath"):
        from .hiera import Data

        data = Data(host, ".", f"{GLOBAL}/hiera.yaml" if f"{GLOBAL}/hiera.yaml" in global_files else None)
    environment = Environment(host, manifests, modulepath, settings, root=".", data=data)
    facts = request.get("facts", DEFAULT_FACTS)
    if facts is not None:
        agent = {
            "puppetversion": PUPPET_VERSION,
            "clientversion": PUPPET_VERSION,
            "clientcert": node,
            "clientnoop": False,
        }
        added = agent if request.get("agent_facts", True) else {}
        facts = {**added, **facts, **(request.get("extra_facts") or {})}
    inputs = NodeInputs(
        node,
        facts,
        request.get("trusted"),
        request.get("parameters"),
        request.get("classes"),
        settings,
        {"serverversion": PUPPET_VERSION, "servername": "puppet.example.com", "serverip": "10.0.0.1"},
    )
    return environment, inputs


class _Layered(PureHost):
    """Inline files first, then the disk."""

    def __init__(self, inline: PureHost, disk: RealHost) -> None:
        super().__init__({})
        self._inline = inline
        self._disk = disk

    def read_bytes(self, path: str, at: Any = None) -> bytes:
        return (self._inline if self._inline.kind(path) else self._disk).read_bytes(path, at)

    def kind(self, path: str) -> str | None:
        return self._inline.kind(path) or self._disk.kind(path)

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
            "file": file,
            "line": line,
            "pos": column,
            "issue_code": problem.issue,
        }
        return {key: value for key, value in document.items() if value is not None}
    document = {"message": puppet_message(problem, node or "")}
    span = told_place(problem)
    if span is not None and getattr(problem, "issue", None) is not None:
        line, column = span.file.line_and_column(span.start)
        document.update(file=span.file.name, line=line)
        if getattr(problem, "column", True):
            document["pos"] = column
    if isinstance(problem, EvaluationError) and problem.issue is not None:
        document["issue_code"] = problem.issue
    return document


def _full(problem: Diagnostic, place: str, node: str | None) -> str:
    if node is None:
        return f"{problem.message}{place}"
    return f"{lead_of(problem)}{problem.message}{place} on node {node}"
