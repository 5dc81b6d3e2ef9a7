"""`wherefrom policy`: rules over values and their provenance."""

from __future__ import annotations

import datetime
import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..base.diagnostics import CannotRead, PathNotFound, UsageError, WherefromError
from ..base.extras import extra
from ..base.plural import count_of
from ..base.record import replace
from ..base.render import Styled, show, visible
from ..base.source import Span
from ..influence import Way, read_owners, relative
from ..policy import Finding, Policy, Report, Rule, grouped, only_rules, read_rules
from ..wishes import values_of
from .helping import LanguageCommand
from .options import Invocation, input_options, nodes_option, print_json
from .streams import hidden, write_document

if TYPE_CHECKING:
    from ..language import Outcome

BROKEN = 4
"""The exit status when a rule is broken, as of other gates."""
MOST_SHOWN = 4

EPILOG = """\b
Examples:
  wherefrom policy
  wherefrom policy . --rules policy.toml --nodes 'web*'
  wherefrom policy --format sarif > policy.sarif
  wherefrom policy --confirm
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("path", metavar="[FILE|DIR]", required=False)
@input_options
@nodes_option
@click.option("--rules", "file", metavar="FILE", help="A TOML file of rules (default: those of wherefrom.toml).")
@click.option("--store", "store_path", metavar="STORE", help="Ask a fleet's store in place of compiling.")
@click.option("--confirm", is_flag=True, help="Change each input that was found and compile: does the output change?")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "sarif", "markdown"]), default="text", help="What to print."
)
def command(
    path: str | None,
    nodes: str | None,
    file: str | None,
    store_path: str | None,
    confirm: bool,
    form: str,
    **options: object,
) -> int:
    """Hold rules against all nodes: which inputs may have a part in which outputs.

    The status is 4 if a rule is broken.
    """
    invocation = Invocation(options)
    rules, source = _rules(path, file)
    failed: list[str] = []
    if store_path is not None:
        if confirm:
            raise UsageError("--confirm compiles; leave out --store")
        report, base, failed = _of_store(store_path, rules, nodes if nodes is not None else invocation.node)
    else:
        report, base = _of_nodes(invocation, path, rules, nodes, confirm)
    if form == "json":
        print_json(report.to_json())
    elif form == "sarif":
        import json

        write_document(json.dumps(sarif(report, base, source, hidden), indent=2, ensure_ascii=False) + "\n")
    elif form == "markdown":
        write_document(markdown(report, base))
    else:
        show(styled(report, base), sys.stdout)
    if failed:
        words = ", ".join(failed[:MOST_SHOWN]) + (", ..." if len(failed) > MOST_SHOWN else "")
        sys.stderr.write(
            f"wherefrom: {count_of(len(failed), 'node')} did not compile, so nothing is known of: {words}\n"
        )
    return BROKEN if report.findings else 1 if failed else 0


def _of_nodes(
    invocation: Invocation, path: str | None, rules: list[Rule], nodes: str | None, confirm: bool
) -> tuple[Report, str]:
    """What the rules say of nodes that are compiled, and the directory that names of files are below."""
    names: list[str | None] = [invocation.node]
    if invocation.node is None or nodes is not None:
        try:
            names = [*invocation.all_nodes(path, nodes or "")]
        except UsageError:
            if nodes is not None:
                raise
            names = [None]
    policy: Policy | None = None
    findings: list[Finding] = []
    for name in names or [None]:
        outcome = invocation.run_with(path, name, {})
        if policy is None:
            base = outcome.directory or "."
            policy = Policy(rules, base, read_owners(base), datetime.date.today())
        new = policy.check(outcome, name)
        if confirm:
            before = values_of(outcome)
            new = [_confirmed(finding, invocation, path, before, outcome) for finding in new]
        findings += new
    assert policy is not None
    for name in () if policy.is_settled else _known_nodes(invocation, path):
        if name not in names and not policy.is_settled:  # a pattern of another node is no mistake
            with suppress(WherefromError):
                policy.note(invocation.run_with(path, name, {}))
    report = policy.finished()
    report = Report(report.rules, report.covered, report.nodes, tuple(findings), report.accepted)
    return report, policy.base


def _known_nodes(invocation: Invocation, path: str | None) -> list[str]:
    try:
        return list(invocation.all_nodes(path))
    except UsageError:  # none are known
        return []


def _of_store(store_path: str, rules: list[Rule], nodes: str | None) -> tuple[Report, str, list[str]]:
    """The same of the nodes of a fleet's store, all or some; and those that the store knows only to fail."""
    with extra("fleet"):
        from ..fleet.rules import StorePolicy
    from .fleet_origins import base_of, inside, questions_of

    questions = questions_of(store_path)
    directory, base = base_of(store_path)
    known = [row[0] for row in questions.rows("select node from nodes where status = 'compiled' order by 1")]
    chosen = [name for name in known if _is_asked(name, nodes)]
    if not chosen:
        raise UsageError(f"the store has no compiled node {nodes}" if nodes else "the store has no compiled nodes")
    with inside(directory):
        policy = StorePolicy(rules, base, read_owners(base), datetime.date.today())
        report = policy.check_store(questions, chosen)
    rows = questions.rows("select node from nodes where status <> 'compiled' order by 1")
    failed = [row[0] for row in rows if _is_asked(row[0], nodes)]
    return report, os.path.join(directory, base), failed


def _is_asked(node: str, patterns: str | None) -> bool:
    return any(fnmatchcase(node, pattern) for pattern in (patterns or "*").split(","))


def _rules(path: str | None, file: str | None) -> tuple[list[Rule], str]:
    """The rules of a file, or of the project's settings."""
    from ..project import FILE_NAME, SHARED_FILE_NAME, rules_table

    if file is not None and not os.path.isfile(file):
        raise CannotRead(file, "no such file")
    source, table = rules_table(path or ".", file)
    if file is not None and os.path.basename(file) not in (FILE_NAME, SHARED_FILE_NAME):
        only_rules(file, table)
    if source is None:
        raise UsageError("there are no rules: name a FILE with --rules, or write [[policy]] tables in wherefrom.toml")
    rules = read_rules(source, table)
    if not rules:
        raise UsageError(f"{source.name} has no rules: expected tables [[policy]]")
    return rules, source.name


# --- confirming ------------------------------------------------------------------------------------------------------


def _confirmed(
    finding: Finding, invocation: Invocation, path: str | None, before: Mapping[str, object], outcome: Outcome
) -> Finding:
    """The finding, with whether another value of the input was seen to change the output."""
    about = finding.input
    if about is None or about.absent:
        return finding
    trials: list[Callable[[], Outcome]] = []
    if about.kind == "fact" and about.name:
        for other in _other_facts(invocation, path, about.name, outcome):
            trials.append(lambda other=other: invocation.run(path, finding.node, {about.name: other}))  # type: ignore[misc]
    span = finding.way[-1].span if finding.way else None
    if about.file and span is not None and about.kind != "code":
        for text in _other_texts(span):
            content = (span.file.text[: span.start] + text + span.file.text[span.end :]).encode()
            trials.append(lambda content=content: invocation.run_with(path, finding.node, {about.file: content}))  # type: ignore[misc]
    if not trials:
        return finding
    for trial in trials:
        try:
            after = values_of(trial())
        except WherefromError:
            continue  # that it compiles no more says nothing of this output
        if after.get(finding.output) != before.get(finding.output):
            return _marked(finding, True)
    return _marked(finding, False)


def _marked(finding: Finding, seen: bool) -> Finding:
    marked: Finding = replace(finding, seen=seen)
    return marked


def _other_facts(invocation: Invocation, path: str | None, name: str, outcome: Outcome) -> list[object]:
    """Other values of a fact: those of other nodes, and one that nobody has."""
    here = _dug(
        {key: value for (kind, key, node), value in (outcome.given() or {}).items() if kind == "fact" and not node},
        name,
    )
    values: list[object] = []
    place, given = invocation.settled(path)
    try:
        nodes = given.all_nodes(path)
    except UsageError:
        nodes = []
    for node in nodes[:50]:
        try:
            value = _dug(given.facts_of(place, node), name)
        except (WherefromError, PathNotFound):
            continue
        if value is not None and value != here and value not in values:
            values.append(value)
    if isinstance(here, bool):
        values.append(not here)
    elif isinstance(here, int | float):
        values.append(here + 1)
    else:
        values.append(f"{here}-other")
    return values[:4]


def _dug(facts: Mapping[str, object], name: str) -> object:
    here: object = facts
    if name in facts:
        return facts[name]
    for key in name.split("."):
        if not isinstance(here, Mapping) or key not in here:
            return None
        here = here[key]
    return here


def _other_texts(span: Span) -> list[str]:
    """Other texts in place of a literal or a datum."""
    text = span.text
    if text in ("true", "false"):
        return ["false" if text == "true" else "true"]
    if text.isdigit():
        return [str(int(text) + 1)]
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        return [f"{text[:-1]}x{text[-1]}"]
    return [f"{text}x"] if text and text.isprintable() else []


# --- showing ---------------------------------------------------------------------------------------------------------


def styled(report: Report, base: str) -> Styled:
    """The rules, each with what breaks it."""
    out: Styled = []
    by_rule: dict[str, list[Finding]] = {}
    for finding in report.findings:
        by_rule.setdefault(finding.rule.name, []).append(finding)
    nodes = [node for node in report.nodes if node is not None]
    for rule in report.rules:
        findings = by_rule.get(rule.name, [])
        about = count_of(report.covered[rule.name], "output")
        if not findings:
            out += [
                ("passed  ", "help"),
                (visible(rule.name), "strong"),
                (f"  {about}: {report.proves(rule)}\n", "dim"),
            ]
            continue
        out += [("broken  ", "error"), (visible(rule.name), "strong"), (f"  {about}\n", "dim")]
        for (_, _), some in grouped(findings).items():
            out += _styled_group(some, base)
    for finding, reason in report.accepted:
        out += [("except  ", "dim"), (f"{finding.output}: {visible(finding.words)}  ({visible(reason)})\n", "dim")]
    broken = len(by_rule)
    on = f" on {count_of(len(nodes), 'node')}" if nodes else ""
    out.append((f"{count_of(len(report.rules), 'rule')}{on}: {broken} broken\n", "strong"))
    return out


def _styled_group(findings: list[Finding], base: str) -> Styled:
    first = findings[0]
    outputs = list(dict.fromkeys(finding.output for finding in findings))
    nodes = list(dict.fromkeys(finding.node for finding in findings if finding.node))
    seen = "" if first.seen is None else "  seen to change" if any(f.seen for f in findings) else "  not seen to change"
    clause = f"{first.clause} {first.relation}".strip()
    out: Styled = [(f"  {clause}: ", ""), (visible(first.words), "value"), (seen + "\n", "dim")]
    shown = ", ".join(outputs[:MOST_SHOWN]) + (", ..." if len(outputs) > MOST_SHOWN else "")
    where = f"  on {', '.join(nodes[:MOST_SHOWN])}{', ...' if len(nodes) > MOST_SHOWN else ''}" if nodes else ""
    out += [("    ", ""), (visible(shown), "key"), (f"{where}\n", "dim")]
    for way in _short_way(first.way):
        place = f"  {relative(way.span.file.name, base)}:{way.span.line}" if way.span is not None else ""
        out += [("      <- ", "dim"), (visible(way.words), ""), (place + "\n", "place")]
    return out


def _short_way(way: tuple[Way, ...]) -> list[Way]:
    """The first steps and the last ones of a long way."""
    return list(way) if len(way) <= 8 else [*way[:4], *way[-4:]]


def markdown(report: Report, base: str) -> str:
    """A comment for a pull request."""
    broken = {finding.rule.name for finding in report.findings}
    verdict = f"{len(broken)} of {count_of(len(report.rules), 'rule')} broken" if broken else "all rules passed"
    lines = [f"### Policy: {verdict}", ""]
    if report.findings:
        lines += ["| rule | input | outputs | nodes |", "|---|---|---|---|"]
    for (rule, _), findings in grouped(report.findings).items():
        outputs = list(dict.fromkeys(finding.output for finding in findings))
        nodes = list(dict.fromkeys(finding.node for finding in findings if finding.node))
        shown = ", ".join(f"<code>{_cell(output)}</code>" for output in outputs[:3])
        shown += ", ..." if len(outputs) > 3 else ""
        named = ", ".join(nodes[:3]) + (f" and {len(nodes) - 3} more" if len(nodes) > 3 else "")
        lines.append(f"| {_cell(rule)} | {_cell(findings[0].words)} | {shown} | {_cell(named)} |")
    if report.findings:
        lines.append("")
    lines += [
        f"- {_cell(rule.name)}: passed, {report.proves(rule)}" for rule in report.rules if rule.name not in broken
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Secrets are looked for before marks are escaped, since afterwards they read otherwise."""
    from .differences import harmless

    return harmless(str(hidden(text)))


def sarif(report: Report, base: str, source: str, hide: Callable[[Any], Any]) -> dict[str, object]:
    """SARIF 2.1.0: one result for each rule and input, with the way from the output as a code flow."""
    from .formats import file_location, sarif_log, span_location

    rules = [
        {
            "id": rule.name,
            "shortDescription": {"text": rule.name},
            "help": {"text": f"a pass says: {report.proves(rule)}"},
        }
        for rule in report.rules
    ]
    numbers = {rule.name: number for number, rule in enumerate(report.rules)}
    results = []
    for (rule_name, key), findings in grouped(report.findings).items():
        first = findings[0]
        outputs = list(dict.fromkeys(finding.output for finding in findings))
        nodes = list(dict.fromkeys(finding.node for finding in findings if finding.node))
        on = f" on {count_of(len(nodes), 'node')} ({', '.join(nodes[:5])})" if nodes else ""
        words = f"{rule_name}: {first.words}: {', '.join(outputs[:5])}{on}"
        last = first.way[-1].span if first.way else None
        rule_span = first.rule.span
        if last is not None:
            location = span_location(last, hide)
        elif first.input is not None and first.input.file:
            location = file_location(first.input.file)
        else:
            location = span_location(rule_span, hide) if rule_span is not None else file_location(source)
        place = relative(first.input.file, base) if first.input is not None else ""
        mark = "\0".join([rule_name, first.clause, key.partition(" ")[0], place, *sorted(outputs)])
        result: dict[str, object] = {
            "ruleId": rule_name,
            "ruleIndex": numbers[rule_name],
            "level": "error",
            "message": {"text": hide(words)},
            "locations": [location],
            "partialFingerprints": {"wherefrom/policy/v1": hashlib.sha256(mark.encode()).hexdigest()[:32]},
        }
        flow = [
            {"location": {**span_location(way.span, hide), "message": {"text": hide(way.words)}}}
            for way in first.way
            if way.span is not None
        ]
        if flow:
            result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
        results.append(result)
    driver = {"name": "wherefrom", "version": __version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return sarif_log(run)
