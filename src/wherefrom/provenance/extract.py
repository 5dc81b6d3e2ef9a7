"""The papers' provenances, read off an origin.

* `where(origin)`: the one input the value was copied from, or nothing if it was computed (Fu, thesis, chapter 4.2).
* `expression(origin)`: a term over inputs that evaluates to the value again (chapter 4.3).
* `depends(origin)`: every input that could have changed it, control flow and absences included (chapter 5, with the
  repairs that make it sound).
* `chain(origin)`: the transfers through which the value passed, nearest first.
* `hidden(origin)`: the values it covers.

Origins form graphs, not trees, and may be as deep as an evaluation was long, so nothing here recurses: each function
is a loop over an explicit stack, and each visits a node once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from ..base.record import Record
from .operations import EdgeLabel, Op
from .origins import (
    OUTSIDE,
    Absent,
    Choice,
    Copy,
    Elements,
    Foreign,
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
    core,
    outside,
    spine,
)


def where(origin: Origin) -> Leaf | None:
    """The input that the value is a copy of, or nothing."""
    source = core(origin)
    return source if isinstance(source, Leaf) else None


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


def expression(origin: Origin) -> Term:
    """The term that computed the value: operations at the nodes, inputs at the leaves."""
    done: dict[int, Term] = {}
    stack: list[Origin] = [origin]
    while stack:
        here = stack[-1]
        if id(here) in done:
            stack.pop()
            continue
        needed = term_inputs(here)
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


def term_inputs(origin: Origin) -> tuple[Origin, ...]:
    """The parts of a history that are in the formula: the values that it computes with."""
    if isinstance(origin, Step):
        return origin.inputs
    if isinstance(origin, Items):
        return tuple(_each(origin.elements))
    before = origin.passed_from
    return () if before is None else (before,)


def _each(elements: Elements) -> Iterable[Origin]:
    return elements.values() if isinstance(elements, Mapping) else elements


def evaluate_term(
    term: Term, apply: Callable[[Op, list[object]], object], given: Callable[[Leaf], object] | None = None
) -> object:
    """Evaluate a term again: inputs have their recorded values (or what `given` says), `apply` does the operations."""
    done: dict[int, object] = {}
    stack = [term]
    while stack:
        here = stack[-1]
        arguments = here.arguments if isinstance(here, Apply | Build) else ()
        missing = [argument for argument in arguments if id(argument) not in done]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        values = [done[id(argument)] for argument in arguments]
        match here:
            case Given():
                done[id(here)] = here.leaf.value if given is None else given(here.leaf)
            case Apply():
                done[id(here)] = apply(here.op, values)
            case Build(keys=keys):
                done[id(here)] = values if keys is None else dict(zip(keys, values, strict=True))
            case _:
                done[id(here)] = None
    return done[id(term)]


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
    """Every input that could have changed a value with these origins, in source order, each once.

    Classes that a classifier could name and does not are one input together.
    """
    return inputs_of(reachable(origins))


def inputs_of(nodes: Iterable[Origin | Guard]) -> list[Leaf]:
    """The inputs among the nodes of histories, as `depends` tells them."""
    inputs = {node.key: node for node in nodes if isinstance(node, Leaf)}
    return together([inputs[key] for key in sorted(inputs, key=_reading_order)])


def together(leaves: list[Leaf]) -> list[Leaf]:
    """Inputs, with those that a classifier could name and does not as one: for each node that they are of."""
    several = [leaf for leaf in leaves if leaf.detail == OUTSIDE]
    if len(several) < 2:
        return leaves
    gathered: dict[str, list[Leaf]] = {}
    for leaf in several:
        gathered.setdefault(leaf.node if isinstance(leaf, Foreign) else "", []).append(leaf)
    ones: dict[str, Leaf] = {}
    for node, some in gathered.items():
        one = outside({name for leaf in some for name in leaf.names})
        ones[node] = Foreign(one, node) if node else one
    rest: list[Leaf] = []
    for leaf in leaves:
        if leaf.detail != OUTSIDE:
            rest.append(leaf)
        else:
            first = ones.pop(leaf.node if isinstance(leaf, Foreign) else "", None)
            rest += [first] if first is not None else []
    return rest


def _reading_order(key: tuple[str, str, str, int, int]) -> tuple[bool, str, int, int, str, str]:
    kind, name, file, start, end = key
    return (kind == "literal", file, start, end, kind, name)


# --- the story ------------------------------------------------------------------------------------------------------


class Transfer(Record):
    """One transfer that passed a value on; `origin` is the node that recorded it."""

    how: EdgeLabel
    origin: Origin


def chain(origin: Origin) -> list[Transfer]:
    """The transfers the value went through, the last one first, up to the input or the operation that made it."""
    return [
        Transfer(here.how, here)
        for here in spine(origin)
        if isinstance(here, Copy | Choice | Overridden) and here.how is not None
    ]


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
        if isinstance(here, Overridden):
            covered.extend(here.hidden)
            stack.extend(value.origin for value in reversed(here.hidden))
        before = here.passed_from
        if before is not None:
            stack.append(before)
    return covered


def guards(origin: Origin) -> list[Guard]:
    """The tests in force where the value took effect, innermost first, along its chain."""
    tests: list[Guard] = []
    for here in spine(origin):
        guard: Guard | None = here.guard if isinstance(here, Guarded) else None
        while guard is not None:
            if guard not in tests and not isinstance(guard.test, Later):  # what did not happen is no test
                tests.append(guard)
            guard = guard.parent
    return tests
