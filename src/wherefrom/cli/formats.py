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
from collections.abc import Iterable
from typing import Any

from .. import __version__
from ..base.diagnostics import Diagnostic, NotText
from ..base.source import Span

SARIF_LEVELS = {"error": "error", "warning": "warning", "note": "note"}


def sarif(problems: Iterable[Diagnostic]) -> dict[str, Any]:
    """All diagnostics as one SARIF document."""
    rules: dict[str, dict[str, Any]] = {}
    results = []
    for problem in problems:
        rules.setdefault(problem.code, _rule(problem))
        results.append(_result(problem, list(rules).index(problem.code)))
    driver = {"name": "wherefrom", "version": __version__, "rules": list(rules.values())}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"version": "2.1.0", "runs": [run]}


def _rule(problem: Diagnostic) -> dict[str, Any]:
    issue = getattr(problem, "issue_code", None)
    text = issue.replace("_", " ").capitalize() if issue else type(problem).__doc__ or problem.code
    about = " ".join(text.split("\n\n")[0].split())
    return {"id": problem.code, "shortDescription": {"text": about}, "help": {"text": about}}


def _result(problem: Diagnostic, index: int) -> dict[str, Any]:
    words = [problem.message, *problem.notes, *([problem.help] if problem.help else [])]
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": SARIF_LEVELS.get(problem.severity, "warning"),
        "message": {"text": "\n".join(words)},
    }
    if isinstance(problem, NotText):
        result["locations"] = [_location(problem.file_name, {"startLine": problem.line})]
    elif problem.span is not None:
        result["locations"] = [_span_location(problem.span)]
        result["partialFingerprints"] = {"wherefrom/v1": _fingerprint(problem.code, problem.span)}
        if problem.labels[1:]:
            result["relatedLocations"] = [
                {**_span_location(label.span), **({"message": {"text": label.text}} if label.text else {})}
                for label in problem.labels[1:]
            ]
    elif path := getattr(problem, "path", None):
        result["locations"] = [_location(str(path), None)]
    return result


def _span_location(span: Span) -> dict[str, Any]:
    line, column = span.file.line_and_column(span.start)
    end_line, end_column = span.file.line_and_column(span.end)
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return _location(span.file.name, region)


def _location(path: str, region: dict[str, int] | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    if region is not None:
        place["region"] = region
    return {"physicalLocation": place}


def _uri(path: str) -> str:
    from urllib.parse import quote

    relative = os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)
    return quote(relative.replace(os.sep, "/"))


def _fingerprint(code: str, span: Span) -> str:
    text = f"{code}\0{_uri(span.file.name)}\0{span.file.line_text(span.line).strip()}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def workflow_commands(problems: Iterable[Diagnostic]) -> str:
    """All diagnostics as workflow commands, one a line."""
    return "".join(_workflow_command(problem) + "\n" for problem in problems)


def _workflow_command(problem: Diagnostic) -> str:
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
    listed = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in properties.items())
    words = [problem.message, *problem.notes, *([problem.help] if problem.help else [])]
    kind = {"error": "error", "warning": "warning"}.get(problem.severity, "notice")
    return f"::{kind} {listed}::{_escaped(chr(10).join(words))}"


def _escaped(text: str, more: str = "") -> str:
    for character in ("%", "\r", "\n", *more):
        text = text.replace(character, f"%{ord(character):02X}")
    return text
