"""Diagnostics in the forms that other tools read: SARIF 2.1.0 and the workflow commands of GitHub Actions.

SARIF (OASIS, *Static Analysis Results Interchange Format* 2.1.0): one run, one rule for each code that occurs, one
result for each diagnostic, further labels as related locations. Places are relative to the current directory, which in
CI is the repository. A fingerprint is made of rule, file and the text of the line, not of its number, so that a finding
stays the same when lines above it come and go.

Workflow commands (`::error file=F,line=L,col=C,title=T::message`): `%`, carriage return and line feed are escaped in
messages, `:` and `,` too in properties.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from typing import Any

from .. import __version__
from ..base.diagnostics import Diagnostic, NotText
from ..base.source import Span

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SARIF_LEVELS = {"error": "error", "warning": "warning", "note": "note"}


def sarif(problems: Iterable[Diagnostic], hide: Callable[[Any], Any]) -> dict[str, object]:
    """All diagnostics as one SARIF document, of what `hide` leaves of their words and of names of files."""
    rules: dict[str, dict[str, object]] = {}
    results = []
    for problem in problems:
        rules.setdefault(problem.code, _rule(problem))
        results.append(_result(problem, list(rules).index(problem.code), hide))
    driver = {"name": "wherefrom", "version": __version__, "rules": list(rules.values())}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return sarif_log(run)


def sarif_log(run: dict[str, Any]) -> dict[str, Any]:
    """The document around one run: the schema that it keeps to, and the version."""
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(problem: Diagnostic) -> dict[str, object]:
    issue = getattr(problem, "issue_code", None)
    text = issue.replace("_", " ").capitalize() if issue else type(problem).__doc__ or problem.code
    about = " ".join(text.split("\n\n")[0].split())
    return {"id": problem.code, "shortDescription": {"text": about}, "help": {"text": about}}


def _result(problem: Diagnostic, index: int, hide: Callable[[Any], Any]) -> dict[str, Any]:
    words = hide([problem.message, *problem.notes, *([problem.help] if problem.help else [])])
    result: dict[str, object] = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": SARIF_LEVELS.get(problem.severity, "warning"),
        "message": {"text": "\n".join(words)},
    }
    if isinstance(problem, NotText):
        result["locations"] = [file_location(hide(problem.file_name), {"startLine": problem.line})]
    elif problem.span is not None:
        result["locations"] = [span_location(problem.span, hide)]
        result["partialFingerprints"] = {"wherefrom/v1": _fingerprint(problem.code, problem.span, hide)}
        if problem.labels[1:]:
            result["relatedLocations"] = [
                {**span_location(label.span, hide), **({"message": {"text": hide(label.text)}} if label.text else {})}
                for label in problem.labels[1:]
            ]
    elif path := getattr(problem, "path", None):
        result["locations"] = [file_location(hide(str(path)), None)]
    return result


def span_location(span: Span, hide: Callable[[Any], Any]) -> dict[str, object]:
    """A place, as SARIF has it."""
    line, column = span.file.line_and_column(span.start)
    end_line, end_column = span.file.line_and_column(span.end)
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return file_location(hide(span.file.name), region)


def file_location(path: str, region: dict[str, int] | None = None) -> dict[str, object]:
    """A file, or a region of it, as SARIF has it."""
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(path)}}
    if region is not None:
        place["region"] = region
    return {"physicalLocation": place}


def _uri(path: str) -> str:
    from urllib.parse import quote

    relative = os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)
    return quote(relative.replace(os.sep, "/"))


def _fingerprint(code: str, span: Span, hide: Callable[[Any], Any]) -> str:
    text = f"{code}\0{_uri(span.file.name)}\0{hide(span.file.line_text(span.line)).strip()}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def workflow_commands(problems: Iterable[Diagnostic], hide: Callable[[Any], Any]) -> str:
    """All diagnostics as workflow commands, one a line, of what `hide` leaves of their words."""
    return "".join(_workflow_command(problem, hide) + "\n" for problem in problems)


def _workflow_command(problem: Diagnostic, hide: Callable[[Any], Any]) -> str:
    properties: dict[str, object] = {}
    if isinstance(problem, NotText):
        properties = {"file": problem.file_name, "line": problem.line}
    elif problem.span is not None:
        line, column = problem.span.file.line_and_column(problem.span.start)
        end_line, end_column = problem.span.file.line_and_column(problem.span.end)
        properties = {"file": problem.span.file.name, "line": line, "col": column}
        properties |= {"endLine": end_line, "endColumn": end_column}
    elif path := getattr(problem, "path", None):
        properties = {"file": path}
    properties["title"] = f"wherefrom {problem.code}"
    listed = ",".join(f"{name}={_escaped(str(hide(value)), ':,')}" for name, value in properties.items())
    words = hide([problem.message, *problem.notes, *([problem.help] if problem.help else [])])
    kind = {"error": "error", "warning": "warning"}.get(problem.severity, "notice")
    return f"::{kind} {listed}::{_escaped(chr(10).join(words))}"


def _escaped(text: str, more: str = "") -> str:
    for character in ("%", "\r", "\n", *more):
        text = text.replace(character, f"%{ord(character):02X}")
    return text
