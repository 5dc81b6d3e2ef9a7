"""Running a muPuppet program: annotate its literals, take steps until skip, say why if there is none.

`run(program)` gives an `Outcome`: the final σ, κ and vC, annotated as the algebra says. A configuration from which no
rule leads on is `Stuck`, a diagnostic that names the rules that nearly applied. A derivation without end meets
`OutOfFuel`: `limit` bounds the steps, and twenty times that the rules fired in all steps together (a cycle of
inheritance makes ever deeper terms, so that every step costs more than the one before).

Values may be replaced by label (`override`): that is how the dependency theorem's "two manifests equal except at l" are
made without parsing twice, and without moving any label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...base.deep import with_deep_stack
from ...base.diagnostics import Diagnostic
from ...base.diagnostics import Label as Mark
from ...base.record import Record
from ...base.source import Span
from ..rules import Derivation, OutOfFuel
from . import composites, declarations, environment, expressions, manifests, resources, statements
from .annotations import EMPTY, Algebra, Plain, Product
from .judgement import PAPER, Binding, Environments, Machine, Refusal, ResourceValue, Switches
from .manifests import manifest, node_match
from .syntax import (
    TOP,
    UNDEF,
    Array,
    Branch,
    CaseOf,
    ClassDefinition,
    Data,
    Default,
    Define,
    Hash,
    Label,
    Match,
    MSeq,
    NodeDef,
    NodeDefault,
    NodeList,
    NodeName,
    NodeRegExp,
    NodeSpec,
    Outer,
    Program,
    Scope,
    Selector,
    Skip,
    Statement,
    Value,
)
from .syntax import manifest as in_sequence

RULES = (environment, expressions, composites, resources, statements, declarations, manifests)
"""The modules that hold the rules, in the papers' order."""

LIMIT = 50_000
WORK_PER_STEP = 20


class Stuck(Diagnostic):
    """No rule applies, and the manifest is not skip.  The paper's errors are all of this kind."""

    code = "P902"

    def __init__(self, refusals: list[Refusal], switches: Switches, steps: int, span: Span | None) -> None:
        self.refusals = refusals
        self.steps = steps
        marks: list[Mark | Span | None] = [
            Mark(refusal.span, f"{refusal.rule}: {refusal.reason}")
            for refusal in refusals[:1]
            if refusal.span is not None
        ]
        nearly = [f"{refusal.rule} nearly applies, but {refusal.reason}" for refusal in refusals]
        super().__init__(
            f"stuck after {steps:,} steps: {refusals[0].reason if refusals else 'no rule applies'}",
            *(marks or [span]),
            notes=nearly,
            help=_hint(refusals, switches),
        )


def _hint(refusals: list[Refusal], switches: Switches) -> str | None:
    if any("is not defined (yet)" in refusal.reason for refusal in refusals) and not switches.hoisting:
        return "in muPuppet a definition comes before its use; real Puppet hoists definitions: switch `hoisting`"
    reads = ("LVar", "TVar", "QVar", "DeRefHash", "DeRefArray", "DeRefRes")
    if any(refusal.rule in reads for refusal in refusals) and not switches.undef:
        return "in muPuppet this is an error; real Puppet gives undef: switch `undef`"
    return None


class Configuration(Record):
    """A state of the top-level derivation: environments and what is left of the manifest."""

    Γ: Environments
    m: Statement


Key = tuple[str, ...]


class Outcome:
    """Where a derivation ended."""

    def __init__(self, program: Program, Γ: Environments, steps: int, values: Mapping[Label, Data]) -> None:
        self.program = program
        self.Γ = Γ
        self.steps = steps
        self.values = values
        self.trails: list[tuple[str, ...]] = []
        self.derivation: Derivation[Configuration] | None = None

    @property
    def algebra(self) -> Algebra:
        """The algebra of the run."""
        return self.Γ.machine.algebra

    @property
    def catalog(self) -> tuple[ResourceValue, ...]:
        """vC"""
        return self.Γ.vC

    @property
    def store(self) -> Mapping[tuple[Scope, str], Binding]:
        """σ"""
        return self.Γ.σ

    def literal(self, label: Label) -> Data:
        """μ: the value that the input labelled so had in this run."""
        return self.values.get(label, label.v)

    def part(self, name: str, β: object) -> Any:
        """What the provenance called `name` says in an annotation: a part of a product, or the whole."""
        algebra = self.algebra
        return algebra.of(name, β) if isinstance(algebra, Product) else β

    def values_of_catalog(self) -> Iterator[tuple[Key, Value, Outer]]:
        """Every title and attribute of the catalog, with the outer annotation of its resource."""
        for vR in self.catalog:
            title = str(vR.w.v)
            yield (vR.t, title), vR.w, vR.β
            for k, value in vR.H:
                yield (vR.t, title, k), value, vR.β

    def values_of_store(self) -> Iterator[tuple[Key, Value, Outer]]:
        """Every variable of the store, with its outer annotation."""
        for (α, x), bound in self.store.items():
            yield (α, "$" + x), bound.value, bound.β


# --- before the first step ------------------------------------------------------------------------------------------


def rebuild(term: object, change: Callable[[Any], Any]) -> Any:
    """The same term with `change` applied to every part, from the inside out."""
    if isinstance(term, tuple):
        return tuple([rebuild(part, change) for part in term])
    if isinstance(term, Statement | Value) or hasattr(term, "__fields__"):
        parts = [
            rebuild(part, change) if isinstance(part, tuple) or hasattr(part, "__fields__") else part
            for part in [getattr(term, name) for name in term.__fields__]
        ]
        return change(type(term)(*parts))
    return term


def annotate(m: object, algebra: Algebra, override: Mapping[Label, Data]) -> Any:
    """m with every literal v^l annotated as the algebra says, and with other values where `override` has some."""

    def change(term: object) -> Any:
        if type(term) is Value and isinstance(term.β, Label):
            return Value(override.get(term.β, term.v), algebra.label(term.β), span=term.span)
        return term

    return rebuild(m, change)


def items_of(m: Statement) -> list[Statement]:
    """The top-level items of a manifest."""
    items = []
    while isinstance(m, MSeq):
        items.append(m.m1)
        m = m.m2
    return [*items, m]


def arrange(m: Statement, switches: Switches, N: str) -> Statement:
    """The manifest as the switches want it: definitions first, the node last, `default` after all other cases."""
    items = items_of(m)
    if switches.hoisting:
        items.sort(key=lambda item: not isinstance(item, Define | ClassDefinition))
    if switches.nodes_last:
        node = chosen_node([item for item in items if isinstance(item, NodeDef)], N)
        items = [item for item in items if not isinstance(item, NodeDef)] + ([node] if node is not None else [])
    arranged = in_sequence(items)
    return rebuild(arranged, _default_last) if switches.default_last else arranged


def chosen_node(nodes: list[NodeDef], N: str) -> NodeDef | None:
    """The one definition that real Puppet takes: by name, else the first regular expression, else `default`."""

    def specs(Q: NodeSpec) -> tuple[NodeSpec, ...]:
        return Q.members if isinstance(Q, NodeList) else (Q,)

    for kind in (NodeName, NodeRegExp, NodeDefault):
        for node in nodes:
            if any(isinstance(spec, kind) and node_match(N, spec) for spec in specs(node.Q)):
                return node
    return None


def _default_last(term: object) -> Any:
    def last(alternative: Match | Branch) -> bool:
        return isinstance(alternative.c, Default)

    match term:
        case Selector(e, M):
            return Selector(e, tuple(sorted(M, key=last)), span=term.span)
        case CaseOf(e, C, passed):
            return CaseOf(e, tuple(sorted(C, key=last)), passed, span=term.span)
    return term


def fact_labels(facts: Mapping[str, object]) -> dict[str, Any]:
    """A label for every scalar in the facts, in their shape.

    What muPuppet has no values for (floating-point numbers, say) is undef.
    """

    def label(name: str, v: object) -> Any:
        if isinstance(v, Mapping):
            return {k: label(f"{name}.{k}", value) for k, value in v.items()}
        if isinstance(v, list):
            return [label(f"{name}.{i}", element) for i, element in enumerate(v)]
        return Label(f"fact:{name}", v if isinstance(v, bool | int | str) else UNDEF, kind="fact")

    return {name: label(name, v) for name, v in facts.items()}


def initial_store(facts: Mapping[str, object], algebra: Algebra, override: Mapping[Label, Data]) -> dict[Any, Binding]:
    """σ at the start: a top-scope variable for every fact, and all of them in `$facts`.  (The theorems' σ is empty.)"""

    def value(v: Any) -> Value:
        match v:
            case Label():
                return Value(override.get(v, v.v), algebra.label(v))
            case dict():
                return Value(Hash(tuple((k, value(element)) for k, element in v.items())), algebra.container())
            case _:
                return Value(Array(tuple(value(element) for element in v)), algebra.container())

    if not facts:
        return {}
    store = {(TOP, name): Binding(value(v), EMPTY) for name, v in facts.items()}
    store[TOP, "facts"] = Binding(value(facts), EMPTY)
    return store


# --- the run --------------------------------------------------------------------------------------------------------


def run(
    program: Program,
    N: str = "default",
    algebra: Algebra | None = None,
    switches: Switches = PAPER,
    *,
    override: Mapping[Label, Data] = {},
    facts: Mapping[str, object] = {},
    limit: int = LIMIT,
    exhaustive: bool = False,
    trails: bool = False,
    derivation: Derivation[Configuration] | None = None,
    watch: Callable[[Configuration, Configuration], None] | None = None,
) -> Outcome:
    """Compile a program for node N.  Raises `Stuck` or `OutOfFuel`.

    `facts` are as `fact_labels` gives them. `exhaustive` tries every rule on every state. `trails` remembers the rules
    of each step, `derivation` also the states; `watch` sees each configuration with its successor.
    """

    def work() -> Outcome:
        machine = Machine(algebra or Plain(), switches, N, exhaustive)
        m = annotate(arrange(program.m, switches, N), machine.algebra, override)
        Γ = Environments(machine, initial_store(facts, machine.algebra, override), {})
        outcome = Outcome(program, Γ, 0, dict(override))
        outcome.derivation = derivation
        return _steps(outcome, Γ, m, limit, trails, watch)

    try:
        return work()
    except RecursionError:
        if derivation is not None:
            derivation.steps.clear()
        return with_deep_stack(work)


def _steps(
    outcome: Outcome,
    Γ: Environments,
    m: Statement,
    limit: int,
    trails: bool,
    watch: Callable[[Configuration, Configuration], None] | None,
) -> Outcome:
    machine = Γ.machine
    trail, nearly = machine.trail, machine.nearly
    fuel = limit * WORK_PER_STEP
    steps = 0
    while not (isinstance(m, Skip) and not Γ.waiting):
        trail.clear()
        nearly.clear()
        next = manifest.step(Γ, machine.N, m)
        if next is None:
            raise Stuck(machine.refusals(), machine.switches, steps, _innermost(m))
        steps += 1
        fuel -= len(trail)
        if steps > limit or fuel < 0:
            raise OutOfFuel(steps)
        if watch is not None:
            watch(Configuration(Γ, m), Configuration(*next))
        Γ, m = next
        if trails:
            outcome.trails.append(tuple(trail))
        if outcome.derivation is not None:
            outcome.derivation.add(tuple(trail), Configuration(Γ, m))
    outcome.Γ = Γ
    outcome.steps = steps
    return outcome


def _innermost(m: Any) -> Span | None:
    """The place of the statement that was to run next."""
    span: Span | None = None
    while m is not None:
        span = m.span or span
        m = getattr(m, "m1", None) or getattr(m, "s1", None) if not hasattr(m, "α") else m.s
    return span
