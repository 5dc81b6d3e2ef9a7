"""`wherefrom step site.pp`: the derivation of a manifest, rule by rule.

Each step shows the base rule, the rules round it, what was rewritten to what, and what changed in the store (σ), the
definitions (κ), the catalog (vC) and, by the repaired rules, in the absence labels. The text is for a terminal and cuts
long terms; the JSON is complete.

Manifests are read leniently: definitions are hoisted and undefined variables are undef, which changes nothing in
manifests that compile to the letter of the paper. The other switches change meanings and are off unless asked for
(`--switches`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.deep import with_deep_stack
from ...base.diagnostics import Diagnostic, UsageError
from ...base.host import Host
from ...base.record import Record
from ...base.render import span_json
from ...base.source import Span
from ..rules import RELATIONS, OutOfFuel
from .annotations import ALGEBRAS
from .elaborate import elaborate_source
from .judgement import Environments, ResourceValue, switches_named
from .run import LIMIT, Configuration, Stuck, fact_labels, run
from .show import (
    show,
    show_binding,
    show_definition,
    show_note,
    show_resource,
    show_scope,
)
from .syntax import Label, Program, Scope, Statement, capitalised, plain

WIDTH = 110
"""Longest line of a term in the text form."""

SKIPS = ("SeqSkip", "MSeqSkip")


class Change(Record):
    """One change of the environments: `σ`, `κ`, `vC`, `Abs_σ`, `Abs_κ` or `waiting`; `what` and what it is now."""

    part: str
    what: str
    now: str


class Step(Record):
    """One step: its number, its rules (base rule first), what the base rule rewrote to what, what changed.

    `span` is the piece of the program that the term was written as, if it was written.
    """

    number: int
    rules: tuple[str, ...]
    before: str
    after: str
    changes: tuple[Change, ...]
    span: Span | None = None


class Report:
    """A derivation and how it ended.  `problem` is what stopped it, if it got stuck."""

    def __init__(self, program: Program, name: str, settings: Mapping[str, Any], notes: bool) -> None:
        self.program = program
        self.name = name
        self.settings = settings
        self.notes = notes
        self.steps: list[Step] = []
        self.ending = ""
        self.problem: Diagnostic | None = None
        self.Γ: Environments | None = None
        self.rest: Statement | None = None

    def text(self) -> str:
        """For a terminal."""
        lines = [self.heading(), ""]
        if self.notes and self.program.labels:
            lines += [*_table((label.name, show_value(label), place_of(label)) for label in self.program.labels), ""]
        width = len(str(len(self.steps)))
        for step in self.steps:
            base, *around = step.rules
            lines.append(f"{step.number:{width}}  {base}" + (f"   in {' < '.join(around)}" if around else ""))
            indent = " " * (width + 4)
            if base not in SKIPS:
                lines.extend(_rewrite(step.before, step.after, indent))
            lines.extend(f"{indent}{change.part}  {cut(change.what + ' : ' + change.now)}" for change in step.changes)
        lines += ["", self.ending]
        if isinstance(self.problem, Stuck):
            lines += [f"  {note}" for note in self.problem.notes]
            lines += [f"  {self.problem.help}"] if self.problem.help else []
        if self.rest is not None:
            lines += ["left to do", f"  {cut(show(self.rest, self.notes))}"]
        lines += ["catalog", *(f"  {show_resource(resource, self.notes)}" for resource in self.catalog())]
        lines += ["store", *(f"  {line}" for line in self.store())]
        return "\n".join(lines) + "\n"

    def json(self) -> dict[str, Any]:
        """For a program: nothing is cut."""
        return {
            "file": self.name,
            **self.settings,
            "labels": [
                {"name": label.name, "value": plain(label.v), "place": place_of(label)} for label in self.program.labels
            ],
            "steps": [
                {
                    "number": step.number,
                    "rules": list(step.rules),
                    "before": step.before,
                    "after": step.after,
                    **piece_json(step.span),
                    "changes": [
                        {"part": change.part, "what": change.what, "now": change.now} for change in step.changes
                    ],
                }
                for step in self.steps
            ],
            "statements": {
                name: statement_of(name) for name in sorted({name for step in self.steps for name in step.rules})
            },
            "ending": self.ending,
            "refused": [
                {"rule": refusal.rule, "reason": refusal.reason, "place": refusal.span.place if refusal.span else None}
                for refusal in (self.problem.refusals if isinstance(self.problem, Stuck) else ())
            ],
            "rest": None if self.rest is None else show(self.rest, self.notes),
            "catalog": [resource_as_json(resource) for resource in self.catalog()],
            "store": self.store(),
        }

    def heading(self) -> str:
        """What was asked for, in words."""
        annotate = self.settings["annotate"]
        what = f"{annotate}-provenance" if annotate else "no provenance"
        by = f" by the {self.settings['rules']} rules" if annotate == "dependency" else ""
        return f"{self.name} for node {self.settings['node']}, {what}{by}"

    def catalog(self) -> tuple[ResourceValue, ...]:
        """vC at the end."""
        return self.Γ.vC if self.Γ is not None else ()

    def store(self) -> list[str]:
        """σ at the end."""
        if self.Γ is None:
            return []
        return [show_binding(α, x, bound, self.notes) for (α, x), bound in self.Γ.σ.items()]


def resource_as_json(vR: ResourceValue) -> dict[str, object]:
    """A resource value with its annotations."""
    return {
        "type": capitalised(vR.t),
        "title": plain(vR.w.v),
        "annotation": show_note(vR.w.β),
        "outer": show_note(vR.β),
        "parameters": {k: {"value": plain(v.v), "annotation": show_note(v.β)} for k, v in vR.H},
    }


def statement_of(name: str) -> str:
    """A rule as its docstring states it."""
    for relation in RELATIONS.values():
        if relation.name.startswith("puppet.") and name in relation.rules:
            return " ".join(relation.rules[name].statement.split())
    return ""


def piece_json(span: Span | None) -> dict[str, object]:
    """A piece of the program: its place and its text."""
    return {} if span is None else {**span_json(span), "text": span.text}


def show_value(label: Label) -> str:
    """A label's literal as it was written."""
    return label.span.text if label.span is not None else str(plain(label.v))


def place_of(label: Label) -> str:
    """Where a label's literal stands."""
    return label.span.place if label.span is not None else label.kind


def cut(text: str) -> str:
    """At most one line of text."""
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _rewrite(before: str, after: str, indent: str) -> list[str]:
    if len(before) + len(after) + 4 <= WIDTH:
        return [f"{indent}{before}  →  {after}"]
    return [f"{indent}{cut(before)}", f"{indent}→  {cut(after)}"]


def _table(rows: Any) -> list[str]:
    cells = list(rows)
    widths = [max(len(row[i]) for row in cells) for i in range(2)]
    return [f"  {row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}" for row in cells]


# --- the derivation -------------------------------------------------------------------------------------------------


class _Enough(Exception):
    """The reader wants no more steps."""


def derive_and_show(path: str, host: Host, options: Mapping[str, Any]) -> Report:
    """The front door of `wherefrom step`.

    Options: `node` (default: `default`), `annotate` (`where`, `expression`, `dependency`, or nothing), `rules`
    (`thesis` or `repaired`), `limit` (steps), `until` (a rule; or `$x`, `$a::x`, `Type[title]`: when it appears),
    `switches` (as `switches_named` reads them), `facts` (a mapping).
    """
    annotate = options.get("annotate")
    rules = options.get("rules") or "repaired"
    if annotate not in (None, "where", "expression", "dependency") or rules not in ("thesis", "repaired"):
        raise UsageError(f"cannot annotate with {annotate!r} by the rules {rules!r}")
    switches = switches_named(options.get("switches") or "lenient")
    settings: dict[str, Any] = {
        "node": options.get("node") or "default",
        "annotate": annotate,
        "rules": rules,
        "switches": [name for name in switches.__fields__ if getattr(switches, name)],
    }
    algebra = ALGEBRAS["plain" if annotate is None else rules if annotate == "dependency" else annotate]()
    limit = options.get("limit") or LIMIT
    facts = fact_labels(options.get("facts") or {})
    until: str | None = options.get("until")

    def work() -> Report:
        program = elaborate_source(host.source(path), switches.undef)
        report = Report(program, path, settings, annotate is not None)

        def watch(before: Configuration, after: Configuration) -> None:
            step = step_of(len(report.steps) + 1, before, after, report.notes)
            report.steps.append(step)
            report.Γ, report.rest = after.Γ, after.m
            if until is not None and reached(until, step, before.Γ, after.Γ):
                report.ending = f"stopped at {until} after {_steps(report)}"
                raise _Enough
            if len(report.steps) >= limit:
                report.ending = f"not finished after {_steps(report)}"
                raise _Enough

        try:
            outcome = run(program, settings["node"], algebra, switches, facts=facts, watch=watch)
        except _Enough:
            return report
        except (Stuck, OutOfFuel) as problem:
            report.problem = problem
            report.ending = f"{problem.message}" + (f" ({problem.span.place})" if problem.span is not None else "")
            return report
        report.Γ, report.rest = outcome.Γ, None
        report.ending = f"done after {_steps(report)}"
        return report

    return with_deep_stack(work)


def _steps(report: Report) -> str:
    count = len(report.steps)
    return f"{count:,} step{'' if count == 1 else 's'}"


def step_of(number: int, before: Configuration, after: Configuration, notes: bool) -> Step:
    """The step just taken, as text."""
    machine = before.Γ.machine
    term, result = machine.redex
    span: Span | None = getattr(term, "span", None)
    if machine.trail[0] in SKIPS:  # the term is all that is left to do: not worth repeating at every statement
        return Step(number, tuple(machine.trail), "skip _ s", "s", ())
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], Environments):
        result = result[1]
    return Step(
        number,
        tuple(machine.trail),
        show(term, notes),
        show(result, notes),
        tuple(changes(before.Γ, after.Γ, notes)),
        span,
    )


def changes(Γ: Environments, Γ2: Environments, notes: bool) -> list[Change]:
    """What a step changed in the environments."""
    changed: list[Change] = []
    if Γ.σ is not Γ2.σ:
        for (α, x), bound in Γ2.σ.items():
            if (α, x) not in Γ.σ:
                what, _, now = show_binding(α, x, bound, notes).partition(" : ")
                changed.append(Change("σ", what, now))
        changed += [Change("σ", f"{show_scope(α)} ${x}", "cleared") for α, x in Γ.σ if (α, x) not in Γ2.σ]
    if Γ.κ is not Γ2.κ:
        changed += [Change("κ", a, show_definition(d, notes)) for a, d in Γ2.κ.items() if Γ.κ.get(a) is not d]
    for vR in Γ2.vC[len(Γ.vC) :]:
        changed.append(Change("vC", f"{capitalised(vR.t)}[{plain(vR.w.v)}]", show_resource(vR, notes)))
    if Γ.absent_σ is not Γ2.absent_σ:
        changed += [
            Change("Abs_σ", f"{show_scope(α)} ${x}", show_note(β))
            for (α, x), β in Γ2.absent_σ.items()
            if Γ.absent_σ.get((α, x)) != β
        ]
        changed += [Change("Abs_κ", a, show_note(β)) for a, β in Γ2.absent_κ.items() if Γ.absent_κ.get(a) != β]
    for later in Γ2.waiting[len(Γ.waiting) :]:
        changed.append(Change("waiting", show_scope(later.α), show(later.s, notes)))
    return changed


def reached(until: str, step: Step, Γ: Environments, Γ2: Environments) -> bool:
    """Whether a step is the one that `--until` names."""
    if until.startswith("$"):
        scope, _, x = until[1:].rpartition("::")
        α: Scope | None = f"::{scope.removeprefix('::')}" if scope or until.startswith("$::") else None
        return any(key[1] == x and key not in Γ.σ and α in (None, key[0]) for key in Γ2.σ)
    if "[" in until:
        return any(change.part == "vC" and change.what.casefold() == until.casefold() for change in step.changes)
    return any(name.casefold() == until.casefold() for name in step.rules)
