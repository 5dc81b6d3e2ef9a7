"""`wherefrom policy`: rules over values and their provenance."""

from __future__ import annotations

import datetime
import hashlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from .. import __version__
from ..base.diagnostics import CannotRead, Diagnostic, ManyErrors, PathNotFound, UsageError, WherefromError
from ..base.extras import extra
from ..base.plural import count_of
from ..base.record import replace
from ..base.render import Styled, show, visible
from ..base.source import Span
from ..influence import CODE, Input, Way, read_owners, relative
from ..policy import Finding, Policy, Report
from ..policy_rules import Rule, only_rules, read_rules
from ..wishes import values_of
from .helping import LanguageCommand
from .options import Invocation, input_options, nodes_option, print_json
from .short import tell_failures
from .streams import hidden, write_document

if TYPE_CHECKING:
    from ..language import Outcome

MOST_TRIALS = 6
"""Other values of an input that are compiled, until all outputs were seen to change."""
BROKEN = 4
"""The exit status when a rule is broken, as of other gates."""
MOST_SHOWN = 4
MOST_FINDINGS = 20
"""Inputs that are shown of each broken rule."""
MOST_ROWS = 100
"""Rows of a table in a comment: forges refuse long ones."""

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
    """Check rules on all nodes: which inputs may affect which outputs.

    The status is 4 if a rule is broken.
    """
    invocation = Invocation(options)
    rules, source = _rules(path, file)
    if store_path is not None:
        if confirm:
            raise UsageError("--confirm compiles; leave out --store")
        report, base = _of_store(store_path, rules, nodes if nodes is not None else invocation.node)
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
    if report.failed:
        sys.stderr.write(f"wherefrom: {_failed_words(report)}\n")
    return BROKEN if report.findings else 1 if report.failed else 0


def _failed_words(report: Report) -> str:
    failed = report.failed
    names = ", ".join(failed[:MOST_SHOWN]) + (", ..." if len(failed) > MOST_SHOWN else "")
    return f"{count_of(len(failed), 'node')} did not compile, so nothing is known of: {names}"


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
    policy: Policy | None = None
    failed: dict[str, Sequence[Diagnostic]] = {}
    for name in names or [None]:
        try:
            outcome = invocation.run_with(path, name, {})
        except (Diagnostic, ManyErrors) as problem:
            if len(names) < 2 or name is None:
                raise
            failed[name] = problem.diagnostics if isinstance(problem, ManyErrors) else [problem]
            continue
        if policy is None:
            base = outcome.directory or "."
            policy = Policy(rules, base, read_owners(base), datetime.date.today())
        policy.check(outcome, name, Trials(invocation, path, name, outcome).confirmed if confirm else None)
    tell_failures(failed.items(), [name for name in names if name is not None])
    if policy is None:
        base = os.path.dirname(path) if path and os.path.isfile(path) else path or "."
        policy = Policy(rules, base, read_owners(base), datetime.date.today())
    policy.failed += failed
    for name in () if failed or policy.is_settled else _known_nodes(invocation, path):
        if name not in names and not policy.is_settled:  # a pattern of another node is no mistake
            try:
                policy.note(invocation.run_with(path, name, {}))
            except WherefromError:
                policy.unseen += 1
    return policy.finished(), policy.base


def _known_nodes(invocation: Invocation, path: str | None) -> list[str]:
    try:
        return list(invocation.all_nodes(path))
    except UsageError:  # none are known
        return []


def _of_store(store_path: str, rules: list[Rule], nodes: str | None) -> tuple[Report, str]:
    """The same of the nodes of a fleet's store, all or some; those aside that it knows only to fail."""
    with extra("fleet"):
        from ..fleet.rules import StorePolicy
    from .fleet_origins import base_of, inside, questions_of

    questions = questions_of(store_path)
    directory, base = base_of(store_path)
    known = [row[0] for row in questions.rows("select node from nodes where status = 'compiled' order by 1")]
    chosen = [name for name in known if _is_asked(name, nodes)]
    if not chosen:
        raise UsageError(f"the store has no compiled node {nodes}" if nodes else "the store has no compiled nodes")
    rows = questions.rows("select node from nodes where status <> 'compiled' order by 1")
    with inside(directory):
        policy = StorePolicy(rules, base, read_owners(base), datetime.date.today())
        policy.failed += [row[0] for row in rows if _is_asked(row[0], nodes)]
        report = policy.check_store(questions, chosen)
    return report, os.path.join(directory, base)


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


class Trials:
    """A node compiled with other values of single inputs: which outputs are seen to change."""

    def __init__(self, invocation: Invocation, path: str | None, node: str | None, outcome: Outcome) -> None:
        self._invocation = invocation
        self._path = path
        self._node = node
        self._outcome = outcome
        self._before = values_of(outcome)
        self._trials: dict[Hashable, tuple[Iterator[Mapping[str, object]], list[Mapping[str, object]]]] = {}
        """Of each input the trials that are left, and what the others gave."""

    def confirmed(self, finding: Finding) -> Finding:
        """The finding, with those of its outputs that were seen to change; as it is where nothing can be tried."""
        about = finding.input
        if about is None or about.absent:
            return finding
        place = finding.way[-1].span if finding.way else None
        key = about.kind, about.name, about.file, place.start if place is not None else about.line
        trials = self._trials.get(key)
        if trials is None:
            trials = self._trials[key] = self._tried(about, finding.way), []
        waiting, after = trials
        seen = {output for values in after for output in finding.places if self._differs(output, values)}
        for values in waiting if len(seen) < len(finding.places) else ():
            after.append(values)
            seen |= {output for output in finding.places if self._differs(output, values)}
            if len(seen) == len(finding.places):
                break
        if not after:
            return finding
        confirmed: Finding = replace(finding, seen=frozenset(seen))
        return confirmed

    def _differs(self, output: str, values: Mapping[str, object]) -> bool:
        missing = object()
        return values.get(output, missing) != self._before.get(output, missing)

    def _tried(self, about: Input, way: tuple[Way, ...]) -> Iterator[Mapping[str, object]]:
        """The values of the node with other values of an input, as far as somebody asks."""
        invocation, path, node = self._invocation, self._path, self._node
        trials: list[Callable[[], Outcome]] = []
        if about.kind == "fact" and about.name:
            for other in _other_facts(invocation, path, about.name, self._outcome, way):
                trials.append(partial(invocation.run, path, node, {about.name: other}))
        span = way[-1].span if way else None
        if about.file and span is not None and about.kind != CODE:
            for text in _other_texts(span):
                content = (span.file.text[: span.start] + text + span.file.text[span.end :]).encode()
                trials.append(partial(invocation.run_with, path, node, {about.file: content}))
        for trial in islice(trials, MOST_TRIALS):
            try:
                yield values_of(trial())
            except WherefromError:  # that it compiles no more says nothing of the outputs
                continue


def _other_facts(
    invocation: Invocation, path: str | None, name: str, outcome: Outcome, way: tuple[Way, ...]
) -> list[object]:
    """Other values of a fact: those of other nodes, what the code on the way compares with, and one that nobody has."""
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
    values = values[:3]
    if isinstance(here, bool):
        return [*values, not here]
    if isinstance(here, int | float):
        return [*values, here + 1]
    if isinstance(here, str):
        near = [text[1:-1] for step in way if step.span is not None for text in _texts_near(step.span, _QUOTED)]
        values += [text for text in dict.fromkeys(near) if text != here and text not in values][:2]
    return [*values, f"{here}-other"]


_QUOTED = re.compile(r"'[^'\\\n]*'")
_QUALIFIED = re.compile(r"\b[a-z]\w*(?:::\w+)+")
_NEAR = 12
"""Lines below a place in which other texts are looked for: about as many as a `case` has."""


def _texts_near(span: Span, pattern: re.Pattern[str]) -> list[str]:
    """Other texts of the same form, round a place."""
    starts = span.file.line_starts
    first, last = max(span.line - _NEAR, 1), min(span.line + _NEAR, len(starts))
    end = starts[last] if last < len(starts) else len(span.file.text)
    texts = pattern.findall(span.file.text[starts[first - 1] : end])
    return [text for text in dict.fromkeys(texts) if text != span.text]


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
    text, file = span.text, span.file.name
    if text in ("true", "false"):
        return ["false" if text == "true" else "true"]
    if text.isdigit():
        return [str(int(text) + 1)]
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        return [f"{text[:-1]}x{text[-1]}", *_texts_near(span, _QUOTED)[:3]]
    if file.endswith((".epp", ".erb")) and not text.isprintable():
        return [f"x{text}"]
    if file.endswith((".yaml", ".yml", ".eyaml")):
        if text in _MERGES:
            return [merge for merge in _MERGES if merge != text]
        if text[:1] in ("-", "[", "{") or "\n" in text:
            return ["[x]", "{x: x}"]
    if _QUALIFIED.fullmatch(text):
        return _texts_near(span, _QUALIFIED)[:3]
    return [f"{text}x"] if text and text.isprintable() else []


_MERGES = ("first", "unique", "hash", "deep")
"""How data of several levels is put together."""


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
            verdict: tuple[str, str] = ("unknown ", "") if report.failed else ("passed  ", "help")
            out += [verdict, (visible(rule.name), "strong"), (f"  {about}: {report.proves(rule)}\n", "dim")]
            continue
        out += [("broken  ", "error"), (visible(rule.name), "strong"), (f"  {about}\n", "dim")]
        for finding in findings[:MOST_FINDINGS]:
            out += _styled_finding(finding, base)
        if len(findings) > MOST_FINDINGS:
            more = count_of(len(findings) - MOST_FINDINGS, "more input")
            out.append((f"  and {more} (--format json has all)\n", "dim"))
    accepted: dict[tuple[str, str], list[str]] = {}
    for finding, reason in report.accepted:
        accepted.setdefault((finding.words, reason), []).extend(finding.outputs)
    for (words, reason), several in accepted.items():
        shown = _some([*dict.fromkeys(several)])
        out += [("except  ", "dim"), (f"{visible(shown)}: {visible(words)}  ({visible(reason)})\n", "dim")]
    on = f" on {count_of(len(nodes), 'node')}" if nodes else ""
    but = f", {count_of(len(report.failed), 'node')} did not compile" if report.failed else ""
    out.append((f"{count_of(len(report.rules), 'rule')}{on}: {len(by_rule)} broken{but}\n", "strong"))
    return out


def _some(names: list[str]) -> str:
    return ", ".join(names[:MOST_SHOWN]) + (", ..." if len(names) > MOST_SHOWN else "")


def _styled_finding(finding: Finding, base: str) -> Styled:
    outputs, nodes = finding.outputs, finding.nodes
    clause = f"{finding.clause} {finding.relation}".strip()
    out: Styled = [(f"  {clause}: ", ""), (visible(finding.words), "value"), (_seen_words(finding) + "\n", "dim")]
    where = f"  on {_some(nodes)}" if nodes else ""
    out += [("    ", ""), (visible(_some(outputs)), "key"), (f"{where}\n", "dim")]
    for way in _short_way(finding.way):
        place = f"  {relative(way.span.file.name, base)}:{way.span.line}" if way.span is not None else ""
        out += [("      <- ", "dim"), (visible(way.words), ""), (place + "\n", "place")]
    return out


def _seen_words(finding: Finding) -> str:
    """Whether the outputs were seen to change."""
    if finding.seen is None:
        return ""
    if not finding.seen:
        return "  not seen to change"
    return "  seen to change" if len(finding.seen) == len(finding.places) else f"  {len(finding.seen)} seen to change"


def _short_way(way: tuple[Way, ...]) -> list[Way]:
    """The first steps and the last ones of a long way."""
    return list(way) if len(way) <= 8 else [*way[:4], *way[-4:]]


def markdown(report: Report, base: str) -> str:
    """A comment for a pull request."""
    broken = report.broken
    verdict = f"{len(broken)} of {count_of(len(report.rules), 'rule')} broken" if broken else "all rules passed"
    if report.failed:
        verdict = f"{verdict}, {count_of(len(report.failed), 'node')} did not compile" if broken else "unknown"
    lines = [f"### Policy: {verdict}", ""]
    if report.failed:
        lines += [_cell(_failed_words(report)), ""]
    if report.findings:
        lines += ["| rule | input | outputs | nodes |", "|---|---|---|---|"]
    for finding in report.findings[:MOST_ROWS]:
        outputs, nodes = finding.outputs, finding.nodes
        shown = ", ".join(f"<code>{_cell(output)}</code>" for output in outputs[:3])
        shown += f" and {len(outputs) - 3} more" if len(outputs) > 3 else ""
        named = ", ".join(nodes[:3]) + (f" and {len(nodes) - 3} more" if len(nodes) > 3 else "")
        words = _cell(finding.words + _seen_words(finding))
        lines.append(f"| {_cell(finding.rule.name)} | {words} | {shown} | {_cell(named)} |")
    if len(report.findings) > MOST_ROWS:
        lines += ["", f"and {count_of(len(report.findings) - MOST_ROWS, 'more finding')}"]
    if report.findings:
        lines.append("")
    word = "unknown" if report.failed else "passed"
    lines += [
        f"- {_cell(rule.name)}: {word}, {report.proves(rule)}" for rule in report.rules if rule.name not in broken
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
    marks: Counter[str] = Counter()
    for first in report.findings:
        rule_name, outputs, nodes = first.rule.name, first.outputs, first.nodes
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
        about = first.input
        kind, place = (about.kind, relative(about.file, base)) if about is not None else ("", "")
        mark = "\0".join([rule_name, first.clause, kind, place, *sorted(outputs)])
        marks[mark] += 1  # several literals of one file may break it for the same outputs
        mark += f"\0{marks[mark]}" if marks[mark] > 1 else ""
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
    run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    if report.failed:
        told = {"level": "error", "message": {"text": hide(_failed_words(report))}}
        run["invocations"] = [{"executionSuccessful": False, "toolExecutionNotifications": [told]}]
    return sarif_log(run)
