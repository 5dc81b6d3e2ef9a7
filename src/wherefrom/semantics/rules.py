"""Rules as values: relations, equations, derivations, fuel.

A paper's semantics is a set of named rules. Here each rule is one Python function that either applies to a
configuration and returns the next one, or returns `None` ("does not apply"). A `Relation` is the set of rules of one
judgement: it tries all of them, asserts that *at most one* applies (so the relation is single-valued on every state
ever reached) and remembers which. An `@equation` is one clause of a denotational definition, remembered by its number.

Every rule and equation that ever fires is counted in `FIRED`, so that a test can ask whether each is exercised by some
case. A `Derivation` is the sequence of steps taken, printable as text and as JSON.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Generic, ParamSpec, TypeVar

from ..base.diagnostics import Diagnostic
from ..base.source import lines_of

State = TypeVar("State")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

FIRED: Counter[str] = Counter()
"""How often each rule and equation fired in this process, by full name (`puppet.step/IfT`, `smartfrog/Def 23`)."""

RELATIONS: dict[str, Relation[Any]] = {}
EQUATIONS: dict[str, Equation] = {}


class TwoRulesApply(AssertionError):
    """The relation is not single-valued on some state: a bug in the rules."""


class OutOfFuel(Diagnostic):
    """The derivation is longer than the fuel allows; perhaps it has no end."""

    code = "W010"

    def __init__(self, steps: int) -> None:
        super().__init__(f"not finished after {steps:,} steps", help="raise the bound with --limit")
        self.steps = steps


class Rule(Generic[State]):
    """One rule: its paper's name, the rule itself as its docstring, and the function."""

    __slots__ = ("full_name", "name", "relation", "statement", "try_on")

    def __init__(self, relation: str, name: str, try_on: Callable[[State], Any]) -> None:
        self.relation = relation
        self.name = name
        self.full_name = f"{relation}/{name}"
        self.statement = (try_on.__doc__ or "").strip()
        self.try_on = try_on

    def __repr__(self) -> str:
        return f"Rule({self.full_name})"


class Relation(Generic[State]):
    """The rules of one judgement.  `cites` names the paper and place."""

    def __init__(self, name: str, cites: str) -> None:
        self.name = name
        self.cites = cites
        self.rules: dict[str, Rule[State]] = {}
        RELATIONS[name] = self

    def rule(self, name: str) -> Callable[[Callable[[State], Any]], Callable[[State], Any]]:
        """Register a rule under the paper's name.  Its docstring must state the rule."""

        def register(function: Callable[[State], Any]) -> Callable[[State], Any]:
            if name in self.rules:
                raise ValueError(f"{self.name} has two rules called {name}")
            if not (function.__doc__ or "").strip():
                raise ValueError(f"rule {self.name}/{name} does not state itself")
            self.rules[name] = Rule(self.name, name, function)
            return function

        return register

    def apply(self, state: State) -> tuple[Rule[State], Any] | None:
        """The one rule that applies to `state` and its result, or nothing.  Raises `TwoRulesApply`."""
        applied: tuple[Rule[State], object] | None = None
        for rule in self.rules.values():
            result = rule.try_on(state)
            if result is None:
                continue
            if applied is not None:
                raise TwoRulesApply(f"{applied[0].full_name} and {rule.full_name} both apply to {state!r}")
            applied = (rule, result)
        if applied is not None:
            FIRED[applied[0].full_name] += 1
        return applied


class Equation:
    """One definition of a denotational semantics, by number."""

    __slots__ = ("full_name", "function", "number", "statement", "theory")

    def __init__(self, theory: str, number: str, function: Callable[..., Any]) -> None:
        self.theory = theory
        self.number = number
        self.full_name = f"{theory}/{number}"
        self.function = function
        self.statement = (function.__doc__ or "").strip()


def equation(theory: str, number: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Mark a function as definition `number` of `theory`; each call counts as fired."""

    def register(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        numbered = Equation(theory, number, function)
        if not numbered.statement:
            raise ValueError(f"equation {numbered.full_name} does not state itself")
        EQUATIONS[numbered.full_name] = numbered

        @functools.wraps(function)
        def counted(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            FIRED[numbered.full_name] += 1
            return function(*args, **kwargs)

        return counted

    return register


class DerivationStep(Generic[State]):
    """One step: the rule's name, the state it led to, and (for nested rules) the names down to the base step."""

    __slots__ = ("rules", "state")

    def __init__(self, rules: tuple[str, ...], state: State) -> None:
        self.rules = rules
        self.state = state


class Derivation(Generic[State]):
    """A start and the steps taken from it."""

    def __init__(self, start: State) -> None:
        self.start = start
        self.steps: list[DerivationStep[State]] = []

    def add(self, rules: tuple[str, ...], state: State) -> None:
        """Append one step."""
        self.steps.append(DerivationStep(rules, state))

    @property
    def last(self) -> State:
        """The state reached so far."""
        return self.steps[-1].state if self.steps else self.start

    def states(self) -> Iterator[State]:
        """All states, the start first."""
        yield self.start
        for step in self.steps:
            yield step.state

    def to_json(self, show: Callable[[State], Any]) -> dict[str, Any]:
        """`{"start": ..., "steps": [{"rules": [...], "state": ...}]}` with states as `show` gives them."""
        return {
            "start": show(self.start),
            "steps": [{"rules": list(step.rules), "state": show(step.state)} for step in self.steps],
        }

    def to_text(self, show: Callable[[State], str]) -> str:
        """One block a step: number, rule names, then the state as `show` gives it."""
        blocks = [f"   0  start\n{_indent(show(self.start))}"]
        for number, step in enumerate(self.steps, 1):
            blocks.append(f"{number:4}  {' > '.join(step.rules)}\n{_indent(show(step.state))}")
        return "\n".join(blocks) + "\n"


def _indent(text: str) -> str:
    return "\n".join(f"      {line}" if line else "" for line in lines_of(text))
