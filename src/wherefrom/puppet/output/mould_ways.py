"""What of a run decided which way it went, and what only went into values.

A mould (`mould`) may be used for another node as long as everything that decided comes out alike there. What decided is
read off the origins, and so is *how much* of it mattered:

| weight  | what must be alike                                           | for instance                                |
|---------|--------------------------------------------------------------|---------------------------------------------|
| `VALUE` | nothing: it is computed again                                | `"This is ${facts['networking']['fqdn']}"`  |
| `SHAPE` | which elements there are, not what they are                  | `$servers.each |$server| { ... }`           |
| `TRUTH` | whether it is true                                           | `if $content { ... }`                       |
| `SAME`  | the value                                                    | `include "profile::${facts['role']}"`       |

An input that decided by its value is fixed (`control`). A computed value that decided is a `Condition`: its formula is
computed again with the inputs of the other node, and must come out alike; those inputs are holes like others. What can
not be computed again (an `Opaque` step) hands its weight on to its inputs. Where a module's function in Ruby gave a
text, more of its history is told, for some texts: what it gave must be `PLAIN` (true, false, nothing), and stay so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...base.record import Record
from ...provenance.operations import FunctionCall, Opaque, Render
from ...provenance.origins import Absent, Choice, Copy, Foreign, Guard, Guarded, Items, Leaf, Origin, Overridden, Step
from ...provenance.sets import below
from ...ruby.operations import Joined, MethodCall
from ..functions.table import find
from ..kernel.hands import BRANCHES, FOR_EACH
from ..kernel.operations import (
    NODE_CHOICE,
    AllOf,
    AnyOf,
    Arrow,
    Concatenate,
    Counted,
    HieraText,
    Interpolate,
    Logic,
    NoValue,
    Presence,
    ReferenceTo,
    Truth,
)
from ..kernel.sought import Passed, Place, Rerun, Sought
from .mould_exports import told_beside
from .mould_names import FIXED
from .text import BUILT_IN_RESOURCES

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation

GIVEN = ("fact", "trusted", "node")
"""Kinds of inputs that each node has its own of."""
VALUE, SHAPE, TRUTH, SAME, PLAIN = range(5)
_TEXTS = (Concatenate, HieraText, Interpolate, Render)
_IN_TURN = (AllOf, AnyOf, Logic)
"""Operations that look at one input after the other, until they know: which are looked at hangs on each one's truth."""
_BLIND = (Arrow, Counted, NoValue, Presence, Truth)
"""What these give is the same whatever their inputs are: they tell that something was there."""
_AS_INPUTS = (Opaque, *_TEXTS)
"""Steps that decide as their inputs do: what they give is not known again, or tells as much as these."""
_OF_RUBY = (Joined, MethodCall)
"""What Ruby code did with texts is told by the very objects that it had; of a short text there is but one object."""


class Condition(Record):
    """A computed value that decided, and by what of it."""

    origin: Origin
    weight: int


def judged(value: Any, weight: int) -> Any:
    """What of a value decides, to be compared with `is_same`."""
    if weight == PLAIN:
        return value is None or type(value) is bool
    if weight == TRUTH:
        return value is not None and value is not False
    if weight == SHAPE:
        if isinstance(value, list):
            return len(value)
        if isinstance(value, Mapping):
            return list(value)
    return value


def is_same(one: Any, other: Any) -> bool:
    """Whether two values can not be told apart: of the same classes, hashes in the same order."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, Mapping):
        return len(one) == len(other) and all(
            is_same(key, other_key) and is_same(value, other_value)
            for (key, value), (other_key, other_value) in zip(one.items(), other.items())
        )
    return bool(one == other)


class Ways:
    """The inputs of a run (`leaves`), those that decided by their values (`control`), and computed values that did.

    `places` are the files of levels whose names were made from inputs, with what was asked of each.
    """

    def __init__(self) -> None:
        self.leaves: dict[Any, Leaf] = {}
        self.control: set[Any] = set()
        self.conditions: dict[tuple[int, int], Condition] = {}
        self.places: dict[tuple[str, ...], tuple[Place, set[tuple[str, str]]]] = {}
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []

    def value(self, origin: Origin) -> None:
        """Something that went into a value."""
        self._go([(origin, VALUE)])

    def decides(self, origins: Iterable[Origin | Guard], weight: int = SAME) -> None:
        """Things that decided."""
        self._go([(origin, weight) for origin in origins])

    def _is_known(self, node: Any, weight: int) -> bool:
        """Whether a node was looked at with this weight, or with one that takes more of it."""
        identity = id(node)
        seen = self._seen.get(identity, 0)
        if seen >> weight & 1 or seen >> SAME & 1 or (weight == VALUE and seen >> TRUTH & 1):
            return True
        self._seen[identity] = seen | 1 << weight
        self._kept.append(node)
        return False

    def _go(self, waiting: list[tuple[Any, int]]) -> None:
        while waiting:
            node, weight = waiting.pop()
            if self._is_known(node, weight):
                continue
            if isinstance(node, Leaf):
                self.leaves[node.key] = node
                if weight == SAME or (weight == SHAPE and type(node.value) is str):
                    self.control.add(node.key)
            elif isinstance(node, Sought):
                _, asked = self.places.setdefault(node.place.made_from, (node.place, set()))
                if node.place.exists:
                    asked.add((node.reader, node.key))
                waiting.append((node.chosen, weight))
            elif isinstance(node, Passed):
                waiting.append((node.source, VALUE))
            elif isinstance(node, Rerun):  # what it reads, it reads again; a text is true
                if weight in (SHAPE, SAME):
                    self._condition(node, SAME)
            elif isinstance(node, Step):
                waiting.extend(self._of_step(node, weight))
            elif isinstance(node, Choice) and isinstance(node.chosen, Leaf) and all(map(is_node, node.tests)):
                waiting.append((node.chosen, weight))  # made from the node's name: another node has its own
            else:
                waiting.extend(_parts(node, weight))

    def _condition(self, origin: Origin, weight: int) -> None:
        self.conditions[id(origin), weight] = Condition(origin, weight)

    def _of_step(self, step: Step, weight: int) -> Iterable[tuple[Any, int]]:
        op = step.op
        if op is NODE_CHOICE:
            return [(part, SAME) for part in step.inputs if not is_node(part)]
        if isinstance(op, ReferenceTo):  # to what has a title; the others decided that it is there
            return [(step.inputs[0], weight), *((part, SAME) for part in step.inputs[1:])]
        if isinstance(op, _BLIND):
            return [(part, SAME) for part in step.inputs]
        if isinstance(op, _IN_TURN):
            return [(part, TRUTH) for part in step.inputs]
        if isinstance(op, _OF_RUBY):
            return [(part, SAME) for part in step.inputs]
        if isinstance(op, FunctionCall) and find(op.name) is None:
            self._condition(step, PLAIN)
        if weight == VALUE:
            return [(part, VALUE) for part in step.inputs]
        if weight == TRUTH and isinstance(op, _TEXTS):
            return [(part, VALUE) for part in step.inputs]
        if isinstance(op, _AS_INPUTS):
            return [(part, SAME) for part in step.inputs]
        self._condition(step, weight)
        return [(part, VALUE) for part in step.inputs]


def is_own(leaf: Leaf) -> bool:
    """Whether an input is one that each node has its own of, and of this node."""
    return leaf.kind in GIVEN and not isinstance(leaf, Foreign)


def is_node(origin: object) -> bool:
    """Whether an origin is the name of this node."""
    return isinstance(origin, Leaf) and origin.kind == "node" and not isinstance(origin, Foreign)


def _parts(node: Any, weight: int) -> Iterable[tuple[Any, int]]:
    """What something that is no input and no step is made from, and how that decided."""
    match node:
        case Copy():
            return [(node.source, weight)]
        case Choice():
            test = TRUTH if node.how in BRANCHES else SAME
            return [*((part, test) for part in node.tests), (node.chosen, weight)]
        case Guarded():
            return [(node.inner, weight), (node.guard, SAME)]
        case Guard():
            test = TRUTH if node.how in BRANCHES else SHAPE if node.how is FOR_EACH else SAME
            return [(node.test, test), *(() if node.parent is None else ((node.parent, SAME),))]
        case Items():
            if weight == SHAPE:
                return [(node.own, SAME)]
            elements = below(node)[1:]
            return [(node.own, SAME), *((part, SAME if weight == SAME else VALUE) for part in elements)]
        case Overridden():
            return [(node.chosen, weight), *((part, SAME) for part in node.decided)]
        case Absent():
            return [(part, SAME) for part in node.causes]
    return [(part, SAME) for part in below(node)]


def walk(run: Compilation, ways: Ways) -> None:
    """Everything that decided what the catalog is, and everything that went into it."""
    ledger = run.ledger
    assert ledger is not None
    ways.decides(ledger.tests)
    ways.decides((origin for _, origin in ledger.truths), TRUTH)
    ways.decides(ledger.walked, SHAPE)
    ways.decides(guard for _, guard, _ in run.absences.notes)
    ways.decides(told_beside(run))
    for collection in run.collections:
        ways.decides(collection.causes())
    for edge in run.catalog.edges.values():
        if edge.origin is not None:
            ways.decides([edge.origin])
    exports = any(resource.exported for resource in run.catalog.resources)
    for resource in run.catalog.resources:
        if resource.ref in BUILT_IN_RESOURCES:
            continue
        if resource.is_class:
            ways.decides([resource.existence])
        else:
            ways.value(resource.existence)
        if exports:  # tags go along with what is exported; all others who look at tags say so
            ways.decides(resource.tagged_by)
        ways.decides(run.placement(resource))
        for name, attribute in resource.attributes.items():
            ways.decides(run.spared(resource, name))
            if name in FIXED or (name == "tag" and exports):
                ways.decides([attribute.origin])
            else:
                ways.value(attribute.origin)
    for _, origin in ledger.values:
        ways.value(origin)
    for _, given in ledger.checks:
        for _, origin in given.values():
            ways.value(origin)
