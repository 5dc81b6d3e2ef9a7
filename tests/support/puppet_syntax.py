"""The syntax cases: what the parser says about a text, in the words in which the goldens are recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from wherefrom.base.diagnostics import ERROR, WARNING, Diagnostic
from wherefrom.base.source import SourceFile
from wherefrom.puppet.kernel.issues import LANGUAGE_VALIDATION, PuppetError, full_message, verdict
from wherefrom.puppet.syntax.location import file_namespace
from wherefrom.puppet.syntax.parser import ParseResult, ParserSettings, parse, parse_epp

from .cases import Case, load_cases

TREES = Path(__file__).resolve().parent.parent / "oracle" / "goldens" / "puppet_syntax_trees.json"
MODULES = "/modules/"
BREAKS_DOWN = "breaks down"


def settings_of(case: Case) -> ParserSettings:
    namespace = file_namespace(case.header["name"].removeprefix(MODULES)) if "name" in case.header else None
    return ParserSettings(case.header.get("strict", "warning"), case.header.get("tasks", False), namespace)


def snippets() -> list[tuple[Case, str]]:
    """Every text of every syntax case, with its name."""
    return [(case, name) for case in load_cases("puppet/syntax") for name in case.files]


def parse_snippet(case: Case, name: str) -> ParseResult:
    source = SourceFile(case.header.get("name", "site.pp"), case.sections[name])
    return (parse_epp if name.endswith(".epp") else parse)(source, settings_of(case))


def said(result: ParseResult) -> str:
    """What wherefrom says, as a golden has it: Puppet's one error, and its log."""
    error = verdict(result.diagnostics)
    logs = [(level, problem.message) for level, problem in logged(result.diagnostics)]
    if error is None:
        return words("accepted", None, logs)
    return words(full_message(error), error.issue_code, logs)


def puppet_said(answer: dict[str, Any]) -> str:
    """What Puppet said, from an answer of the oracle."""
    logs = [(level, message) for level, message, _ in answer.get("logs", ())]
    if answer["ok"]:
        return words("accepted", None, logs)
    error = answer["error"]
    if not error["class"].startswith("Puppet::Parse") and error["class"] != "RegexpError":
        return f"{BREAKS_DOWN}: {error['class']}\n"
    return words(error["message"], error.get("issue_code"), logs)


def words(message: str, code: str | None, logs: list[tuple[str, str]]) -> str:
    first = f"error[{code}]: {message}" if code else message if message == "accepted" else f"error: {message}"
    return "".join(f"{each}\n" for each in [first, *(f"{level}: {text}" for level, text in logs)])


@cache
def trees() -> dict[str, Any]:
    """Puppet's models of the accepted texts, by `topic/name`."""
    found: dict[str, Any] = json.loads(TREES.read_text())
    return found


def key(case: Case, name: str) -> str:
    return f"{case.path.stem}/{name}"


MAX_LOGGED = 10


def logged(problems: Sequence[Diagnostic]) -> list[tuple[str, PuppetError]]:
    """What Puppet writes to its log for these problems, with the level of each line.

    All warnings of the lexer, ten of the validator's (and ten deprecations); errors only if there are several, and then
    ten of them: a single one is raised and not logged.
    """
    known = [problem for problem in problems if isinstance(problem, PuppetError)]
    lines: list[tuple[str, PuppetError]] = []
    counts = {True: 0, False: 0}
    for problem in known:
        if problem.severity != WARNING:
            continue
        if problem.code >= LANGUAGE_VALIDATION.code:
            counts[problem.deprecation] += 1
            if counts[problem.deprecation] > MAX_LOGGED:
                continue
        lines.append((WARNING, problem))
    raised = verdict(problems)
    if raised is not None and raised.issue is LANGUAGE_VALIDATION:
        lines += [("err", problem) for problem in known if problem.severity == ERROR][:MAX_LOGGED]
    return lines
