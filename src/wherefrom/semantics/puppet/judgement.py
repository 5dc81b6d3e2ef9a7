"""Configurations, and the judgements between them.

A judgement is a `Relation` of `wherefrom.semantics.rules`. Here its states are configurations `Γ, α, term` with
Γ = (σ, κ, vC), and every rule says which forms of term its conclusion is about. Of a term's rules *all* are tried, and
at most one may apply; rules about other forms are not tried, because their conclusions do not fit. (The tests also run
with `exhaustive`, which tries every rule of the judgement on every state.)

A rule whose conclusion fits but one of whose premises fails may say so with `refuse`; if in the end no rule applies,
the configuration is stuck and these are the rules that nearly applied. A premise that is itself a step comes last in a
rule, so that a derivation that succeeds inside is never thrown away outside; `Machine.trail` then holds the rules of
the whole derivation, which in this semantics is a path (the ancestry of scopes left aside): base rule first, then those
round it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...base.diagnostics import UsageError
from ...base.record import Record
from ...base.source import Span
from ...base.spell import nearest
from ..rules import FIRED, Relation, Rule, TwoRulesApply
from .annotations import EMPTY, Algebra, whole
from .syntax import Definition, Outer, PlusE, PlusS, Scope, Value

Anything = TypeVar("Anything")


class Switches(Record):
    """Where real Puppet differs from the paper.  All off is the paper's muPuppet.

    * `hoisting` (paper, 3.2, definition environments): definitions are known before any statement runs.
    * `undef` (paper, 5.3, undefined values and strict mode): what is not found is undef, not an error.
    * `lazy_defines` (paper, 2.1, defined resource types): bodies of defined types run when all else has run.
    * `default_last` (paper, C.2 selectors and C.4 case): `default` is tested after all other cases.
    * `nodes_last` (paper, 2.1, manifests and catalogs): top-level statements run first, then one node definition.
    * `begin_first` (paper, C.4, IncPU and CDecPU): a class counts as declared while its parent runs.

    The first two only let more manifests compile. The others change what some manifests mean.
    """

    hoisting: bool = False
    undef: bool = False
    lazy_defines: bool = False
    default_last: bool = False
    nodes_last: bool = False
    begin_first: bool = False


PAPER = Switches()
LENIENT = Switches(hoisting=True, undef=True)
REAL = Switches(**dict.fromkeys(PAPER.__fields__, True))


def switches_named(names: str) -> Switches:
    """Switches as one writes them: `paper`, `lenient`, `puppet`, or the names of those that are on, with commas."""
    sets = {"paper": PAPER, "lenient": LENIENT, "puppet": REAL}
    if names in sets:
        return sets[names]
    chosen = [switch.strip() for switch in names.split(",")]
    for name in chosen:
        if name not in PAPER.__fields__:
            near = nearest(name, [*PAPER.__fields__, *sets])
            known = f"did you mean {near}?" if near else f"there are {', '.join(PAPER.__fields__)}"
            raise UsageError(f"unknown switch {name!r}; {known}")
    return Switches(**dict.fromkeys(chosen, True))


class Refusal(Record):
    """A rule that nearly applied, and the premise that failed."""

    rule: str
    reason: str
    span: Span | None = None


class Machine:
    """What stays the same during a run, and a note-book for the step being taken.

    `trail` are the rules of the step, the base rule first; `redex` is the term that the base rule was applied to, with
    its result; `nearly` are the rules that were refused.
    """

    __slots__ = ("N", "algebra", "exhaustive", "nearly", "redex", "switches", "trail")

    def __init__(self, algebra: Algebra, switches: Switches, N: str, exhaustive: bool = False) -> None:
        self.algebra = algebra
        self.switches = switches
        self.N = N
        self.exhaustive = exhaustive
        self.trail: list[str] = []
        self.redex: tuple[Any, Any] = (None, None)
        self.nearly: list[tuple[str, str, tuple[Any, ...], Any]] = []

    def refusals(self) -> list[Refusal]:
        """The rules that nearly applied in the last attempt, the innermost first, each once."""
        nearly = [
            Refusal(rule, reason.format(*values), getattr(term, "span", None))
            for rule, reason, values, term in self.nearly
        ]
        return list(dict.fromkeys(nearly))


class Binding(Record):
    """What a store holds for (α, x): the value, and the outer annotation of the variable (thesis, Figure 5.3)."""

    value: Value
    β: Outer


class ResourceValue(Record):
    """vR = (t {w : vH})^{+β}.  With undef allowed, attributes that are undef stay as tombstones (repair R7)."""

    t: str
    w: Value
    H: tuple[tuple[str, Value], ...]
    β: Outer
    span: Span | None = None

    def get(self, k: str) -> Value | None:
        """The attribute k, tombstones included."""
        return next((value for key, value in self.H if key == k), None)


class Waiting(Record):
    """A defined resource whose body has yet to run (switch `lazy_defines`)."""

    s: Any
    α: Scope
    β: Outer


Store = Mapping[tuple[Scope, str], Binding]
Definitions = Mapping[str, Definition]


class Environments:
    """σ, κ and vC; the absence labels of repair R1, Abs_σ and Abs_κ; and what `lazy_defines` keeps waiting.

    Never changed: `but` makes a new one.
    """

    __slots__ = ("absent_κ", "absent_σ", "machine", "vC", "waiting", "κ", "σ")

    def __init__(
        self,
        machine: Machine,
        σ: Store,
        κ: Definitions,
        vC: tuple[ResourceValue, ...] = (),
        absent_σ: Mapping[tuple[Scope, str], Outer] = {},
        absent_κ: Mapping[str, Outer] = {},
        waiting: tuple[Waiting, ...] = (),
    ) -> None:
        self.machine = machine
        self.σ = σ
        self.κ = κ
        self.vC = vC
        self.absent_σ = absent_σ
        self.absent_κ = absent_κ
        self.waiting = waiting

    def but(self, **changes: object) -> Environments:
        """The same, with some parts changed."""
        new = object.__new__(Environments)
        for name in Environments.__slots__:
            setattr(new, name, changes.get(name) if name in changes else getattr(self, name))
        return new

    @property
    def algebra(self) -> Algebra:
        """How values are annotated in this run."""
        return self.machine.algebra

    def outer(self, *tests: Value) -> Outer:
        """The outer annotation that deciding by these values leaves."""
        algebra = self.machine.algebra
        return algebra.outer(*[whole(algebra, test) for test in tests])

    def variable_absence(self, α: Scope, x: str) -> Outer:
        """Abs_σ[(α, x)]: what decided that x was not assigned in α (R1); empty in the thesis' mode."""
        return self.absent_σ.get((α, x), EMPTY)

    def class_absence(self, a: str) -> Outer:
        """Abs_κ[a]: what decided that a was not declared (R1); empty in the thesis' mode."""
        return self.absent_κ.get(a, EMPTY)


class State:
    """A configuration: Γ, the ambient scope α, and the term to step."""

    __slots__ = ("term", "Γ", "α")

    def __init__(self, Γ: Environments, α: Scope, term: Any) -> None:
        self.Γ = Γ
        self.α = α
        self.term = term

    def __repr__(self) -> str:
        return f"State({self.α}, {self.term!r})"

    def refuse(self, rule: str, reason: str, *values: object) -> Anything | None:
        """Say that `rule` fits here but a premise fails; the result is nothing, for the rule to return.

        The words are put together only if somebody reads them.
        """
        self.Γ.machine.nearly.append((rule, reason, values, self.term))
        return None


Body = Callable[[State], Any]


class Judgement(Relation[State]):
    """A relation whose rules are found by the form of the term."""

    def __init__(self, name: str, cites: str, on_trail: bool = True) -> None:
        super().__init__(name, cites)
        self._on_trail = on_trail
        self._by_form: dict[Any, list[Rule[State]]] = {}
        self._anywhere: list[Rule[State]] = []
        self.places: dict[str, str] = {}

    def on(self, name: str, *forms: object, place: str = "") -> Callable[[Body], Body]:
        """Register a rule for terms of these forms: classes, or `(PlusS, class)` for annotated ones; none means any.

        `place` says where the rule stands if not in the place that the judgement cites.
        """
        register = self.rule(name)

        def registered(function: Body) -> Body:
            register(function)
            registered_rule = self.rules[name]
            self.places[name] = place or self.cites
            for form in forms:
                self._by_form.setdefault(form, []).append(registered_rule)
            if not forms:
                self._anywhere.append(registered_rule)
            return function

        return registered

    def forms(self) -> list[object]:
        """Every form of term that some rule is about, in the order of registration."""
        return list(self._by_form)

    def apply(self, state: State) -> tuple[Rule[State], Any] | None:
        """The one rule that applies, and its result; nothing if none does.  Raises `TwoRulesApply`."""
        machine = state.Γ.machine
        if machine.exhaustive:
            applied = super().apply(state)
        else:
            applied = None
            term = state.term
            kind = type(term)
            form: object = kind
            if kind is PlusS:
                form = (PlusS, type(term.s))
            elif kind is PlusE:
                form = (PlusE, type(term.e))
            for rule in self._by_form.get(form, self._anywhere):
                result = rule.try_on(state)
                if result is None:
                    continue
                if applied is not None:
                    raise TwoRulesApply(f"{applied[0].full_name} and {rule.full_name} both apply to {state!r}")
                applied = (rule, result)
            if applied is not None:
                FIRED[applied[0].full_name] += 1
        if applied is not None and self._on_trail:
            if not machine.trail:
                machine.redex = (state.term, applied[1])
            machine.trail.append(applied[0].name)
        return applied

    def step(self, Γ: Environments, α: Scope, term: object) -> Any:
        """The result of the one step from here, or nothing."""
        applied = self.apply(State(Γ, α, term))
        return None if applied is None else applied[1]
