"""Rules of a policy, as they are written: tables `[[policy]]`, read and checked.

    [[policy]]
    name = "database password not by claim"
    outputs = ["File[/root/.pgpass].content"]
    never = { depends = ["fact:*"] }

A rule names outputs by patterns, and says of their inputs which must *never* be among them, which *only* may be, of
which *some* must be; each by one of three relations (`wherefrom.influence`). `wherefrom.policy` holds rules against
outcomes.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping

from .base.diagnostics import Diagnostic, ManyErrors
from .base.record import Record
from .base.source import SourceFile, Span, lines_of
from .base.spell import nearest
from .influence import MADE, RELATIONS
from .patterns import InputPattern, OutputPattern
from .provenance.origins import KINDS

KEYS = ("name", "outputs", "never", "only", "some", "sensitive", "owners", "except")


class BadRule(Diagnostic):
    """A rule that says something it can not say, or that could never fail."""

    code = "W053"


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
        raise BadRule(f"the rule {name!r} has no requirement: expected never, only, some, owners or sensitive", span)
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
