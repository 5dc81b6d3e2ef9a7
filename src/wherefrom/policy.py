"""Rules over values and their provenance: which inputs may have a part in which outputs.

    [[policy]]
    name = "database password not by claim"
    outputs = ["File[/root/.pgpass].content"]
    never = { depends = ["fact:*"] }

A rule names outputs by patterns, and says of their inputs which must *never* be among them, which *only* may be, of
which *some* must be; each by one of three relations (`wherefrom.influence`). A rule is a question about one walk over
the shared histories of all its outputs; only where it fails are inputs listed, with the shortest way to each.

A pass must not come from a typing mistake: a pattern of outputs that matches none on any node, and a pattern of inputs
that nothing could match, are errors.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from .base.diagnostics import Diagnostic, ManyErrors
from .base.host import RealHost
from .base.plural import count_of
from .base.record import Record
from .base.secrets import Secret
from .base.source import SourceFile, Span, lines_of
from .base.spell import nearest
from .influence import (
    DEPENDS,
    MADE,
    RELATIONS,
    Input,
    Node,
    Owners,
    Way,
    below,
    input_of,
    inputs_with_ways,
    is_input,
    path_shape,
    relative,
)
from .language import Outcome, Selected
from .patterns import WORDS, InputPattern, OutputPattern, file_of
from .provenance.impact import affected, names_in
from .provenance.origins import KINDS, Leaf

KEYS = ("name", "outputs", "never", "only", "some", "sensitive", "owners", "except")
MOST_INPUTS = 20
"""Inputs that are told for each output that breaks a rule."""
MOST_FILES = 200_000


class BadRule(Diagnostic):
    """A rule that says something it can not say, or that could never fail."""

    code = "W053"


# --- rules -----------------------------------------------------------------------------------------------------------


class Accepted(Record):
    """Findings that are accepted: of which output, by which input (nothing: by any, or none), why, and until when."""

    output: OutputPattern
    input: InputPattern | None
    reason: str
    until: datetime.date


class Rule(Record):
    """One rule.  `never`, `only`, `some` and `owners` each name their relation."""

    name: str
    outputs: tuple[OutputPattern, ...]
    never: tuple[tuple[str, tuple[InputPattern, ...]], ...] = ()
    only: tuple[tuple[str, tuple[InputPattern, ...]], ...] = ()
    some: tuple[tuple[str, tuple[InputPattern, ...]], ...] = ()
    owners: tuple[tuple[str, tuple[str, ...]], ...] = ()
    sensitive: bool = False
    accepted: tuple[Accepted, ...] = ()
    span: Span | None = None

    @property
    def inputs(self) -> Iterator[InputPattern]:
        """All patterns of inputs in it."""
        for relations in (self.never, self.only, self.some):
            for _, patterns in relations:
                yield from patterns

    def proves(self) -> str:
        """What a pass says, in a sentence."""
        said: list[str] = []
        relations = {relation for group in (self.never, self.only, self.owners) for relation, _ in group}
        if relations - {MADE}:
            which = "" if MADE not in relations else f" (by {' or '.join(r for r in RELATIONS[1:] if r in relations)})"
            said.append(f"no change of an excluded input{which} alone changes a value, for these nodes and facts")
        if MADE in relations:
            said.append("the text of an input that is excluded by made is in no value, which says nothing of influence")
        if self.some:
            said.append("such an input is in each value" + ("" if relations else ", which says nothing of others"))
        if self.sensitive:
            said.append("the values are sensitive")
        return "; ".join(said)


def only_rules(file: str, table: Mapping[str, object]) -> None:
    """Refuse what is no rule in a file of rules: of a misspelt `[[polcy]]` nothing would be checked."""
    for key in table:
        if key != "policy":
            close = nearest(key, ["policy"])
            words = f"{file}: unknown table {key!r}; rules are tables [[policy]]"
            raise BadRule(words, help=f"did you mean {close}?" if close else None)


def read_rules(source: SourceFile, table: object) -> list[Rule]:
    """The rules of a file: its tables `[[policy]]`.  Raises `ManyErrors`."""
    problems: list[BadRule] = []
    rules: list[Rule] = []
    entries = table.get("policy", []) if isinstance(table, dict) else []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadRule(f"{source.name}: rules are tables [[policy]]")
    for number, entry in enumerate(entries):
        span = _rule_place(source, number)
        try:
            rules.append(_rule(entry, span))
        except BadRule as problem:
            problems.append(problem)
    names = [rule.name for rule in rules]
    problems += [
        BadRule(f"two rules are called {rule.name!r}", rule.span)
        for at, rule in enumerate(rules)
        if rule.name in names[:at]
    ]
    if problems:
        raise ManyErrors(problems)
    return rules


def _rule_place(source: SourceFile, number: int) -> Span | None:
    """The head of the table with a number.  TOML's reader keeps no places."""
    seen = -1
    for line, text in enumerate(lines_of(source.text)):
        if re.match(r"\s*\[\[\s*(tool\.wherefrom\.)?policy\s*\]\]", text):
            seen += 1
            if seen == number:
                start = source.line_starts[line]
                return source.span(start, start + len(text))
    return None


def _rule(entry: Mapping[str, object], span: Span | None) -> Rule:
    for key in entry:
        if key not in KEYS:
            close = nearest(key, KEYS)
            raise BadRule(f"unknown key {key!r} in a rule", span, help=f"did you mean {close}?" if close else None)
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise BadRule("a rule must have a name", span)
    outputs = tuple(OutputPattern(text) for text in _texts(entry.get("outputs"), f"outputs of {name!r}", span))
    if not outputs:
        raise BadRule(f"the rule {name!r} has no outputs", span)
    never, only, some = (
        tuple(
            (relation, tuple(_pattern(text, span) for text in texts))
            for relation, texts in _relations(entry, key, span)
        )
        for key in ("never", "only", "some")
    )
    owners = tuple((relation, tuple(texts)) for relation, texts in _relations(entry, "owners", span))
    sensitive = entry.get("sensitive", False)
    if not isinstance(sensitive, bool):
        raise BadRule(f"sensitive of {name!r} must be true or false", span)
    if not (never or only or some or owners or sensitive):
        raise BadRule(f"the rule {name!r} says nothing: expected never, only, some, owners or sensitive", span)
    exceptions = entry.get("except", [])
    if not isinstance(exceptions, list):
        raise BadRule(f"except of {name!r} must be a list of tables", span)
    accepted = tuple(_exception(given, name, span) for given in exceptions)
    return Rule(name, outputs, never, only, some, owners, sensitive, accepted, span)


def _texts(value: object, what: str, span: Span | None) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise BadRule(f"{what} must be a list of strings", span)
    return value


def _relations(entry: Mapping[str, object], key: str, span: Span | None) -> Iterator[tuple[str, list[str]]]:
    if key not in entry:
        return
    value = entry[key]
    if not isinstance(value, dict):
        raise BadRule(f"{key} must name its relation: {key} = {{ depends = [...] }} (made, depends or may)", span)
    for relation, texts in value.items():
        if relation not in RELATIONS:
            raise BadRule(f"unknown relation {relation!r} in {key}: expected made, depends or may", span)
        yield relation, _texts(texts, f"{key}.{relation}", span)


def _pattern(text: str, span: Span | None) -> InputPattern:
    pattern = InputPattern(text)
    kind, colon, _ = text.partition(":")
    if not pattern.kind and colon and kind != "file" and "/" not in kind:
        close = nearest(kind, KINDS)
        raise BadRule(f"unknown kind of inputs in {text!r}", span, help=f"did you mean {close}:?" if close else None)
    return pattern


def _exception(given: object, rule: str, span: Span | None) -> Accepted:
    if not isinstance(given, dict) or not isinstance(given.get("reason"), str) or not given["reason"].strip():
        raise BadRule(f"an exception of {rule!r} must have a reason", span)
    unknown = set(given) - {"output", "input", "reason", "until"}
    if unknown:
        raise BadRule(f"unknown key {min(unknown)!r} in an exception of {rule!r}", span)
    until = given.get("until")
    if isinstance(until, datetime.datetime):
        until = until.date()
    if not isinstance(until, datetime.date):
        raise BadRule(f"an exception of {rule!r} must have a date, as in until = 2027-01-31", span)
    for key in ("output", "input"):
        if not isinstance(given.get(key, ""), str):
            raise BadRule(f"{key} of an exception of {rule!r} must be a string", span)
    about = _pattern(given["input"], span) if "input" in given else None
    return Accepted(OutputPattern(given.get("output", "*")), about, given["reason"], until)


# --- findings --------------------------------------------------------------------------------------------------------


class Finding(Record):
    """An output that breaks a rule on a node, and the input by which it does; `seen` if that was confirmed."""

    rule: Rule
    clause: str
    relation: str
    output: str
    node: str | None
    input: Input | None
    way: tuple[Way, ...]
    words: str
    seen: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        from .base.render import span_json

        about = self.input
        return {
            "rule": self.rule.name,
            "clause": self.clause,
            **({"relation": self.relation} if self.relation else {}),
            "output": self.output,
            **({"node": self.node} if self.node else {}),
            **(
                {
                    "input": {
                        "kind": about.kind,
                        **({"name": about.name} if about.name else {}),
                        **({"file": about.file} if about.file else {}),
                        **({"line": about.line} if about.line else {}),
                        **({"absent": True} if about.absent else {}),
                    },
                    "path": [{"what": way.words, **span_json(way.span)} for way in self.way],
                }
                if about is not None
                else {}
            ),
            "message": self.words,
            **({} if self.seen is None else {"seen": self.seen}),
        }


class Report(Record):
    """What the rules say of some nodes: findings, and how many outputs each rule was about."""

    rules: tuple[Rule, ...]
    covered: Mapping[str, int]
    nodes: tuple[str | None, ...]
    findings: tuple[Finding, ...]
    accepted: tuple[tuple[Finding, str], ...]

    def proves(self, rule: Rule) -> str:
        """What it says that a rule passed."""
        if not self.covered[rule.name]:
            return "nothing, these nodes have no such output"
        but = sum(finding.rule is rule for finding, _ in self.accepted)
        return rule.proves() + (f"; but for {count_of(but, 'accepted finding')}" if but else "")

    def to_json(self) -> dict[str, Any]:
        """What `wherefrom policy --json` prints."""
        broken = {finding.rule.name for finding in self.findings}
        return {
            "nodes": [node for node in self.nodes if node is not None],
            "rules": [
                {
                    "name": rule.name,
                    "passed": rule.name not in broken,
                    "outputs": self.covered[rule.name],
                    **({} if rule.name in broken else {"proves": self.proves(rule)}),
                }
                for rule in self.rules
            ],
            "findings": [finding.to_json() for finding in self.findings],
            "accepted": [{**finding.to_json(), "reason": reason} for finding, reason in self.accepted],
        }


class Policy:
    """Rules, held against one node after the other."""

    def __init__(self, rules: Sequence[Rule], base: str, owners: Owners, today: datetime.date) -> None:
        self.rules = list(rules)
        self.base = base
        self.owners = owners
        self.today = today
        self.nodes: list[str | None] = []
        self.findings: list[Finding] = []
        self.accepted: list[tuple[Finding, str]] = []
        self._covered: set[OutputPattern] = set()
        self._counts: dict[str, int] = {rule.name: 0 for rule in self.rules}
        self._possible: set[InputPattern] = set()
        self._files: list[str] | None = None

    def check(self, outcome: Outcome, node: str | None = None) -> list[Finding]:
        """Hold all rules against one node."""
        self.nodes.append(node)
        outputs = self._noted(outcome)
        findings: list[Finding] = []
        for rule in self.rules:
            covered = [output for output, patterns in outputs if patterns & set(rule.outputs)]
            self._counts[rule.name] += len(covered)
            findings += self._of_rule(rule, covered, outcome, node)
        self.findings += findings
        return findings

    def note(self, outcome: Outcome) -> None:
        """Which patterns a node that is not asked about has anything for: they are no mistakes."""
        self._noted(outcome)

    @property
    def is_settled(self) -> bool:
        """Whether all patterns have matched something."""
        rules = self.rules
        return all(pattern in self._covered for rule in rules for pattern in rule.outputs) and all(
            pattern in self._possible for rule in rules for pattern in rule.inputs
        )

    def _noted(self, outcome: Outcome) -> list[tuple[Selected, set[OutputPattern]]]:
        """The outputs, each with the patterns that match it."""
        known = {pattern for rule in self.rules for pattern in rule.outputs}
        outputs: list[tuple[Selected, set[OutputPattern]]] = []
        for output in outcome.outputs():
            parts = resource_parts(outcome, output.path)
            hits = {pattern for pattern in known if pattern.matches(parts, output.path)}
            self._covered |= hits
            outputs.append((output, hits))
        self._note_inputs(outcome, [output for output, _ in outputs])
        return outputs

    def _of_rule(
        self, rule: Rule, covered: Sequence[Selected], outcome: Outcome, node: str | None
    ) -> Iterator[Finding]:
        """What breaks a rule, without what is accepted."""

        def told(finding: Finding, about: Node | None = None) -> bool:
            return not self._accept(finding, resource_parts(outcome, finding.output), about)

        if rule.sensitive:
            for output in covered:
                if not isinstance(output.value, Secret):
                    finding = Finding(rule, "sensitive", "", output.path, node, None, (), "the value is not sensitive")
                    if told(finding):
                        yield finding
        for relation, patterns in rule.never:

            def excluded(origin: Node, patterns: tuple[InputPattern, ...] = patterns) -> bool:
                return any(pattern.touches(origin, self.base) for pattern in patterns)

            yield from self._broken(rule, "never", relation, covered, node, excluded, told)
        for relation, patterns in rule.only:

            def other(origin: Node, patterns: tuple[InputPattern, ...] = patterns) -> bool:
                return not any(pattern.covers(origin, self.base) for pattern in patterns)

            yield from self._broken(rule, "only", relation, covered, node, other, told)
        for relation, names in rule.owners:

            def foreign(origin: Node, names: tuple[str, ...] = names) -> bool:
                return self._is_foreign(origin, names)

            yield from self._broken(rule, "owners", relation, covered, node, foreign, told)
        for relation, patterns in rule.some:

            def meant(origin: Node, relation: str = relation, patterns: tuple[InputPattern, ...] = patterns) -> bool:
                return is_input(origin, relation) and any(pattern.covers(origin, self.base) for pattern in patterns)

            hits = affected([output.origin for output in covered], meant, below(relation))
            for output, hit in zip(covered, hits):
                if not hit:
                    texts = ", ".join(pattern.text for pattern in patterns)
                    words = f"no input ({relation}) is one of {texts}"
                    finding = Finding(rule, "some", relation, output.path, node, None, (), words)
                    if told(finding):
                        yield finding

    def _broken(
        self,
        rule: Rule,
        clause: str,
        relation: str,
        covered: Sequence[Selected],
        node: str | None,
        wanted: Callable[[Node], bool],
        told: Callable[[Finding, Node], bool],
    ) -> Iterator[Finding]:
        """A finding for each input that breaks a clause; one walk tells which outputs have any."""

        def breaks(origin: Node) -> bool:
            return is_input(origin, relation) and wanted(origin)

        hits = affected([output.origin for output in covered], breaks, below(relation))
        for output, hit in zip(covered, hits):
            if not hit:
                continue
            count = 0
            for origin, way in inputs_with_ways(output.origin, relation, wanted):
                about = input_of(origin)
                words = self._words(about, relation)
                finding = Finding(rule, clause, relation, output.path, node, about, tuple(way), words)
                if told(finding, origin):  # what is accepted leaves room for others
                    yield finding
                    count += 1
                if count == MOST_INPUTS:
                    break

    def _words(self, about: Input, relation: str) -> str:
        """What an input does."""
        verb = {MADE: "is in the value", DEPENDS: "has a part in it"}.get(relation, "could change it")
        line = f":{about.line}" if about.line else ""
        return f"{about.words}{f' ({relative(about.file, self.base)}{line})' if about.file else ''} {verb}"

    def _is_foreign(self, origin: Node, names: tuple[str, ...]) -> bool:
        """Whether an input stands in a file that none of some owners owns."""
        file = file_of(origin)
        return bool(file) and not set(self.owners.of(relative(file, self.base))) & set(names)

    def _accept(self, finding: Finding, parts: tuple[str, str, str] | None, about: Node | None) -> bool:
        """Whether a finding is accepted, and still; then it is kept with its reason."""
        for exception in finding.rule.accepted:
            if not exception.output.matches(parts, finding.output) or exception.until < self.today:
                continue
            if exception.input is None or (about is not None and exception.input.covers(about, self.base)):
                self.accepted.append((finding, exception.reason))
                return True
        return False

    # --- a pass is no typing mistake ---------------------------------------------------------------------------------

    def _note_inputs(self, outcome: Outcome, outputs: Sequence[Selected]) -> None:
        """Which patterns of inputs could match something here."""
        unknown = {pattern for rule in self.rules for pattern in rule.inputs} - self._possible
        if not unknown:
            return
        named: dict[str, dict[Any, Any]] = {}
        for (kind, name, _), value in (outcome.given() or {}).items():
            named.setdefault(kind, {})[name] = value
        names = {kind: [Leaf(kind, name, None, None) for name in names_in(values)] for kind, values in named.items()}
        for pattern in unknown:
            is_there = pattern.text in WORDS or (pattern.kind != "" and pattern.name == "*")
            is_there = is_there or any(pattern.covers(leaf, self.base) for leaf in names.get(pattern.kind, ()))
            if not is_there and not pattern.kind:
                is_there = any(self._is_file(pattern, file) for file in self._project_files())
            if is_there or self._is_met(pattern, outputs):
                self._possible.add(pattern)

    def _is_met(self, pattern: InputPattern, outputs: Sequence[Selected]) -> bool:
        """Whether any history has such an input."""

        def meant(node: Node) -> bool:
            return pattern.could_be(node, self.base)

        return any(affected([output.origin for output in outputs], meant))

    def _is_file(self, pattern: InputPattern, file: str) -> bool:
        return path_shape(pattern.path).fullmatch(file)

    def _project_files(self) -> list[str]:
        if self._files is None:
            self._files = list(islice(_files_below(self.base), MOST_FILES))
        return self._files

    def finished(self) -> Report:
        """The report on all nodes.  Raises `ManyErrors` for rules that could not have failed."""
        problems: list[BadRule] = []
        for rule in self.rules:
            for pattern in rule.outputs:
                if pattern not in self._covered:
                    problems.append(
                        BadRule(f"the rule {rule.name!r} is about {pattern.text}, which no node has", rule.span)
                    )
            for wanted in rule.inputs:
                if wanted not in self._possible:
                    problems.append(
                        BadRule(f"the rule {rule.name!r} names {wanted.text}, which no input can match", rule.span)
                    )
            for _, names in rule.owners:
                missing = [name for name in names if name not in self.owners.known]
                if missing:
                    where = self.owners.file or "there is no CODEOWNERS"
                    words = f"the rule {rule.name!r} names the owner {missing[0]}, who owns no file ({where})"
                    problems.append(BadRule(words, rule.span))
            for exception in rule.accepted:
                if exception.until < self.today:
                    words = f"an exception of the rule {rule.name!r} ended on {exception.until}: {exception.reason}"
                    problems.append(BadRule(words, rule.span))
        if problems:
            raise ManyErrors(problems)
        return Report(tuple(self.rules), self._counts, tuple(self.nodes), tuple(self.findings), tuple(self.accepted))


def resource_parts(outcome: Outcome, path: str) -> tuple[str, str, str] | None:
    """Type, title and attribute of an output of a catalog; nothing for other languages."""
    if outcome.language != "puppet":
        return None
    above = outcome.declared_in(path)
    reference, attribute = (above, path[len(above) + 1 :]) if above and path.startswith(f"{above}.") else (path, "")
    kind, _, title = reference.partition("[")
    return kind, title.removesuffix("]"), attribute


def _files_below(base: str) -> Iterator[str]:
    host = RealHost([base or "."])
    waiting = [base or "."]
    while waiting:
        folder = waiting.pop()
        for name in host.list_directory(folder):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                continue
            if host.is_directory(path):
                if name != ".git":
                    waiting.append(path)
            else:
                yield relative(path, base)


def grouped(findings: Iterable[Finding]) -> dict[tuple[str, str], list[Finding]]:
    """Findings by rule and input: an input that breaks a rule for many outputs is one thing to mend."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        about = finding.input
        key = f"{about.kind} {about.name} {about.place}" if about is not None else finding.words
        groups.setdefault((finding.rule.name, key), []).append(finding)
    return groups
