"""The papers' provenances, read off an origin.

* `where(origin)`: the one input the value was copied from, or nothing if it was computed (Fu, thesis, chapter 4.2).
* `expression(origin)`: a term over inputs that evaluates to the value again (chapter 4.3).
* `depends(origin)`: every input that could have changed it, control flow and absences included (chapter 5, with the
  repairs that make it sound).
* `chain(origin)`: the hands through which the value passed, nearest first.
* `hidden(origin)`: the values it covers.

Origins form graphs, not trees, and may be as deep as an evaluation was long, so nothing here recurses: each function
is a loop over an explicit stack, and each visits a node once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ..base.record import Record
from .operations import Hand, Op
from .origins import (
    Absent,
    Choice,
    Copy,
    Elements,
    Guard,
    Guarded,
    Hidden,
    Items,
    Later,
    LaterItems,
    Leaf,
    Origin,
    Overridden,
    Step,
)


def where(origin: Origin) -> Leaf | None:
    """The input that the value is a copy of, or nothing."""
    here = origin
    while True:
        match here:
            case Leaf():
                return here
            case Copy():
                here = here.source
            case Choice() | Overridden():
                here = here.chosen
            case Guarded():
                here = here.inner
            case _:
                return None


# --- expression -----------------------------------------------------------------------------------------------------


class Given(Record):
    """A term that is an input."""

    leaf: Leaf


class Apply(Record):
    """A term that applies an operation or function to terms.  Equal subterms are shared objects."""

    op: Op
    arguments: tuple[Term, ...]


class Build(Record):
    """A term that builds a composite: a sequence if `keys` is nothing, else a mapping."""

    keys: tuple[str, ...] | None
    arguments: tuple[Term, ...]


class Nothing(Record):
    """A term for the absence of a value."""

    what: str


Term: TypeAlias = Given | Apply | Build | Nothing
_NONE: Mapping[int, Leaf] = {}


def expression(origin: Origin, inputs: Mapping[int, Leaf] = _NONE) -> Term:
    """The term that computed the value: operations at the nodes, inputs at the leaves.

    An origin whose identity `inputs` has is taken for that input.
    """
    return _expression(origin, {identity: Given(leaf) for identity, leaf in inputs.items()})


class Expressions:
    """The terms of many origins: what they have in common is the same object in all of them."""

    def __init__(self, inputs: Mapping[int, Leaf] = _NONE) -> None:
        self._done: dict[int, Term] = {identity: Given(leaf) for identity, leaf in inputs.items()}
        self._kept: list[Origin] = []

    def of(self, origin: Origin) -> Term:
        """The same as `expression`."""
        self._kept.append(origin)  # so that no identity is used again
        return _expression(origin, self._done)


def _expression(origin: Origin, done: dict[int, Term]) -> Term:
    stack: list[Origin] = [origin]
    while stack:
        here = stack[-1]
        if id(here) in done:
            stack.pop()
            continue
        needed = _term_inputs(here)
        missing = [need for need in needed if id(need) not in done]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        parts = tuple(done[id(need)] for need in needed)
        match here:
            case Leaf():
                term: Term = Given(here)
            case Step():
                term = Apply(here.op, parts)
            case Items(elements=elements):
                keys = tuple(elements) if isinstance(elements, Mapping) else None
                term = Build(keys, parts)
            case Absent():
                term = Nothing(here.what)
            case _:
                term = parts[0]
        done[id(here)] = term
    return done[id(origin)]


def leaves(term: Term) -> Iterator[Leaf]:
    """The inputs in a term, from left to right; each subterm is visited once."""
    seen: set[int] = set()
    stack = [term]
    while stack:
        here = stack.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Given):
            yield here.leaf
        elif isinstance(here, Apply | Build):
            stack.extend(reversed(here.arguments))


def _term_inputs(origin: Origin) -> tuple[Origin, ...]:
    match origin:
        case Step():
            return origin.inputs
        case Copy():
            return (origin.source,)
        case Choice() | Overridden():
            return (origin.chosen,)
        case Guarded():
            return (origin.inner,)
        case Items(elements=elements):
            return tuple(_each(elements))
        case _:
            return ()


def _each(elements: Elements) -> Iterable[Origin]:
    return elements.values() if isinstance(elements, Mapping) else elements


def evaluate_term(
    term: Term, apply: Callable[[Op, list[object]], object], given: Callable[[Leaf], object] | None = None
) -> object:
    """Evaluate a term again: inputs have their recorded values (or what `given` says), `apply` does the operations."""
    return Plan([term]).evaluated(apply, given or (lambda leaf: leaf.value))[id(term)]


class Plan:
    """Terms in the order in which they are evaluated, for who evaluates them many times."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._steps: list[tuple[Any, tuple[int, ...]]] = []
        self._numbers: dict[int, int] = {}
        self._terms = list(terms)
        for term in self._terms:
            self._add(term)

    def _add(self, term: Term) -> None:
        numbers = self._numbers
        stack = [term]
        while stack:
            here = stack[-1]
            if id(here) in numbers:
                stack.pop()
                continue
            arguments = here.arguments if isinstance(here, Apply | Build) else ()
            missing = [argument for argument in arguments if id(argument) not in numbers]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            numbers[id(here)] = len(self._steps)
            self._steps.append((here, tuple([numbers[id(argument)] for argument in arguments])))

    def evaluated(
        self, apply: Callable[[Op, list[object]], object], given: Callable[[Leaf], object]
    ) -> dict[int, object]:
        """The values of all of them, by the identities of the terms."""
        values: list[object] = []
        for term, arguments in self._steps:
            kind = type(term)
            if kind is Given:
                values.append(given(term.leaf))
            elif kind is Apply:
                values.append(apply(term.op, [values[number] for number in arguments]))
            elif kind is Build:
                several = [values[number] for number in arguments]
                values.append(several if term.keys is None else dict(zip(term.keys, several, strict=True)))
            else:
                values.append(None)
        return {id(term): values[self._numbers[id(term)]] for term in self._terms}


# --- dependency -----------------------------------------------------------------------------------------------------


def parts(node: Origin | Guard, elements: bool = True) -> Iterator[Origin | Guard]:
    """Everything that the value at `node` directly depends on.  Without `elements`, a composite's shape alone."""
    match node:
        case Leaf():
            return
        case Step():
            yield from node.inputs
        case Copy():
            yield node.source
        case Choice():
            yield from node.tests
            yield node.chosen
        case Guarded():
            yield node.inner
            yield node.guard
        case Guard():
            yield node.test
            if node.parent is not None:
                yield node.parent
        case Absent():
            yield from node.causes
        case Items():
            yield node.own
            if elements:
                yield from node.telling if isinstance(node, LaterItems) else _each(node.elements)
        case Overridden():
            yield node.chosen
            yield from node.decided


def reachable(roots: Iterable[Origin | Guard]) -> Iterator[Origin | Guard]:
    """Every node that the roots depend on, each once."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        stack.extend(parts(node))


def depends(*origins: Origin | Guard) -> list[Leaf]:
    """Every input that could have changed a value with these origins, in source order, each once."""
    inputs = {node.key: node for node in reachable(origins) if isinstance(node, Leaf)}
    return [inputs[key] for key in sorted(inputs, key=_reading_order)]


def _reading_order(key: tuple[str, str, str, int, int]) -> tuple[bool, str, int, int, str, str]:
    kind, name, file, start, end = key
    return (kind == "literal", file, start, end, kind, name)


# --- the story ------------------------------------------------------------------------------------------------------


class Passing(Record):
    """One hand that passed a value on; `origin` is the node that recorded it."""

    how: Hand
    origin: Origin


def chain(origin: Origin) -> list[Passing]:
    """The hands the value went through, the last one first, up to the input or the operation that made it."""
    hands: list[Passing] = []
    here = origin
    while True:
        match here:
            case Copy():
                hands.append(Passing(here.how, here))
                here = here.source
            case Choice():
                if here.how is not None:
                    hands.append(Passing(here.how, here))
                here = here.chosen
            case Overridden():
                if here.how is not None:
                    hands.append(Passing(here.how, here))
                here = here.chosen
            case Guarded():
                here = here.inner
            case _:
                return hands


def hidden(origin: Origin) -> list[Hidden]:
    """The values that this one covers, the most recently covered first, and what those had covered before."""
    covered: list[Hidden] = []
    seen: set[int] = set()
    stack: list[Origin] = [origin]
    while stack:
        here = stack.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        match here:
            case Overridden():
                covered.extend(here.hidden)
                stack.extend(value.origin for value in reversed(here.hidden))
                stack.append(here.chosen)
            case Copy():
                stack.append(here.source)
            case Choice():
                stack.append(here.chosen)
            case Guarded():
                stack.append(here.inner)
            case _:
                pass
    return covered


def guards(origin: Origin) -> list[Guard]:
    """The tests in force where the value took effect, innermost first, along its chain."""
    tests: list[Guard] = []
    here = origin
    while True:
        match here:
            case Guarded():
                guard: Guard | None = here.guard
                while guard is not None:
                    if guard not in tests and not isinstance(guard.test, Later):  # what did not happen is no test
                        tests.append(guard)
                    guard = guard.parent
                here = here.inner
            case Copy():
                here = here.source
            case Choice() | Overridden():
                here = here.chosen
            case _:
                return tests
