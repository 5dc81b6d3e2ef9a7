"""The production evaluator: one pass over the tree, left to right (Anderson and Herry, Definitions 12-27).

The paper threads one store through every function and addresses it by absolute paths. Here the store is changed in
place: the component being defined is at hand, so writing an attribute is one dictionary access, links and prototypes
share what they copy (`store.Component`), and cost grows with the text, not with text times store. The results are the
paper's, order of attributes included; `tests/agree` compares the two on generated programs.

Every put leaves a slot that says how the value came there. Nothing else is recorded: origins are made from slots by
`wherefrom.smartfrog.history` when somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..base.diagnostics import LimitReached
from ..base.source import Span
from .errors import BadPrototype, LinkToNothing, NoConfiguration, NoSuchParent, ParentNotComponent
from .parser import Limits, Program
from .store import MANY, Component, DataPath, Inherited, Linked, Plain, Rebuilt, Search, Slot, Written, kind_of, span_of
from .tree import (
    Assignment,
    Block,
    Boolean,
    DataReference,
    Extends,
    Further,
    Include,
    Link,
    Null,
    Number,
    Reference,
    String,
    Value,
    Vector,
)

WORK_PER_NODE = 4
"""How many attributes may be written for each one that the result may have."""


def evaluate(program: Program, limits: Limits) -> tuple[Component, Slot]:
    """The top level of the finished store, and the slot of `sfConfig` in it (Def 27)."""
    with hinting(program):
        top = run(program, limits)
    configuration = top.entries.get("sfConfig")
    if configuration is None:
        raise NoConfiguration(program.tree.span.file.span(0), None)
    if type(configuration.value) is not Component:
        raise NoConfiguration(span_of(configuration), kind_of(configuration.value))
    check_size(configuration.value, span_of(configuration), limits)
    return top, configuration


def run(program: Program, limits: Limits) -> Component:
    """The top level of the finished store, whether or not it has a `sfConfig`."""
    top = Component("", None, None)
    top.live = True
    Evaluator(limits).body(program.tree.block, top)
    return top


@contextmanager
def hinting(program: Program) -> Iterator[None]:
    """The error of a forward reference says which level allows it."""
    try:
        yield
    except (LinkToNothing, BadPrototype, NoSuchParent) as problem:
        name, at = problem.missed, problem.span
        if name is not None and at is not None and defined_later(program, name, at):
            level = "forward" if isinstance(problem, LinkToNothing) else "production"
            problem.help = f"`{name}` is defined further down, which --level {level} allows"
        raise


def defined_later(program: Program, name: str, at: Span) -> bool:
    """Whether some statement behind a place, or in another file, gives a component an attribute of this name."""
    waiting = [program.tree.block]
    while waiting:
        for assignment in waiting.pop().assignments():
            span = assignment.target.span
            if name in assignment.target.names[-1:] and (span.file is not at.file or span.start > at.start):
                return True
            if isinstance(assignment.value, Extends):
                waiting += [block for block in assignment.value.prototypes if isinstance(block, Block)]
    return False


def basic_value(value: Value) -> Plain:
    """What a basic value means (Defs 19-22), as plain data."""
    match value:
        case Boolean() | Number() | String():
            return value.value
        case Null():
            return None
        case DataReference(reference):
            return DataPath("$." + reference.text)
        case Vector(items):
            return [basic_value(item) for item in items]
        case Link() | Extends() | Further():
            raise AssertionError(value)


class Evaluator:
    """One run.  `tick` counts prototypes applied (see `store`), `work` the attributes written."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.tick = 0
        self.work = 0
        self.max_work = limits.max_nodes * WORK_PER_NODE

    def body(self, block: Block, within: Component) -> None:
        """B (Def 26): the assignments of a block, in order, into `within`."""
        for item in block.items:
            self.work += 1
            if self.work > self.max_work:
                self.too_much_work(item.span)
            if isinstance(item, Include):
                self.body(item.block, within)
            else:
                self.assignment(item, within)

    def assignment(self, assignment: Assignment, within: Component) -> None:
        """A and V (Defs 24, 25): put a value at the target, which lies below `within`."""
        names = assignment.target.names
        value = assignment.value
        slot: Slot
        if type(value) is Link:
            # Resolve the link, and share what it finds, before touching the target: `a:b a;` copies the old a.
            search = self.resolve(value.reference, within)
            if search is None:
                raise LinkToNothing(value.reference.text, value.span, names_in_sight(value.reference, within))
            target = search.target.value
            if type(target) is Component:
                target = target.to_share()
                check_size(target, value.span, self.limits)
            slot = Linked(target, self.tick, assignment, search)
            holder = within if len(names) == 1 else self.holder(assignment, within)
            put(holder, names[-1], slot)
        elif type(value) is Extends:
            holder = within if len(names) == 1 else self.holder(assignment, within)
            component = Component(names[-1], holder, value.span)
            put(holder, names[-1], Written(component, self.tick, assignment))
            self.extend(component, value, within)
        else:
            holder = within if len(names) == 1 else self.holder(assignment, within)
            plain = value.value if isinstance(value, _SIMPLE) else basic_value(value)
            put(holder, names[-1], Written(plain, self.tick, assignment))

    def extend(self, component: Component, extends: Extends, within: Component) -> None:
        """P (Def 23): apply the prototypes in order.  Blocks look names up in `component`, references in `within`."""
        raised = []
        here: Component | None = component
        while here is not None and not here.live:  # `component`, and the parents on the path of a placement
            here.live = True
            raised.append(here)
            here = here.owner
        for prototype in extends.prototypes:
            if isinstance(prototype, Reference):
                self.inherit(component, prototype, within)
            else:
                self.body(prototype, component)
        for problem in raised:
            problem.live = False

    def inherit(self, target: Component, reference: Reference, within: Component) -> None:
        """`inherit` and `copy` (Defs 17, 18): the attributes of a prototype, one by one, into `target`."""
        search = self.resolve(reference, within)
        if search is None:
            raise BadPrototype(reference.text, reference.span, None, known=names_in_sight(reference, within))
        prototype = search.target.value
        if type(prototype) is not Component:
            raise BadPrototype(reference.text, reference.span, kind_of(prototype), span_of(search.target))
        if prototype.live:
            prototype = prototype.snapshot()
        entries = target.entries
        self.tick = tick = search.applied
        self.work += len(prototype.entries)
        if self.work > self.max_work:
            self.too_much_work(reference.span)
        for name, source in list(prototype.entries.items()):
            value = source.value
            if type(value) is Component:
                value.owner = None
            slot = Inherited(value, tick, search, source)
            old = entries.get(name)
            if old is not None:
                slot.hidden = old
                slot.place = old.place or old
            entries[name] = slot
        if target.prototypes is None:
            target.prototypes = [search]
        else:
            target.prototypes.append(search)

    def resolve(self, reference: Reference, start: Component) -> Search | None:
        """`resolve` (Def 16): search outwards from `start`; at every level the whole path is tried."""
        names = reference.names
        first = names[0]
        misses = 0
        partial: tuple[tuple[tuple[Component, Slot], ...], ...] = ()
        here: Component | None = start
        while here is not None:
            slot = here.entries.get(first)
            if slot is not None:
                if len(names) == 1:
                    return Search(reference, start, misses, partial, ((here, slot),), self.tick)
                steps, complete = _descend(here, slot, names)
                if complete:
                    return Search(reference, start, misses, partial, steps, self.tick)
                partial += (steps,)
            misses += 1
            here = here.outer
        return None

    def holder(self, assignment: Assignment, within: Component) -> Component:
        """The component into which a placement goes (the recursion of `bind`, Def 13), ready to be written."""
        target = assignment.target
        here = within
        for depth, name in enumerate(target.names[:-1], 1):
            slot = here.entries.get(name)
            if slot is None:
                raise NoSuchParent(":".join(target.names[:depth]), within.path, target.span, here.entries)
            inner = slot.value
            if type(inner) is not Component:
                parent = ":".join(target.names[:depth])
                raise ParentNotComponent(parent, kind_of(inner), target.span, span_of(slot))
            if inner.owner is not here:
                self.work += len(inner.entries)
                inner = inner.copy_to_write(name, here, slot)
                here.entries[name] = Rebuilt(inner, self.tick, slot, assignment)
            here = inner
        return here

    def too_much_work(self, at: Span) -> None:
        """Stop a program that writes far more than it can give."""
        raise LimitReached("too many attributes are written", self.max_work, at, "--max-size")


_SIMPLE = (Boolean, Number, String)


def put(holder: Component, name: str, slot: Slot) -> None:
    """`put` (Def 12): a new name goes last, a known one keeps its place."""
    old = holder.entries.get(name)
    if old is not None:
        slot.hidden = old
        slot.place = old.place or old
    holder.entries[name] = slot


def _descend(start: Component, slot: Slot, names: tuple[str, ...]) -> tuple[tuple[tuple[Component, Slot], ...], bool]:
    """`find` (Def 14) from the second name on: the steps that could be taken, and whether they were all."""
    steps = [(start, slot)]
    for name in names[1:]:
        inner = slot.value
        if type(inner) is not Component:
            return tuple(steps), False
        following = inner.entries.get(name)
        if following is None:
            return tuple(steps), False
        slot = following
        steps.append((inner, slot))
    return tuple(steps), True


def check_size(component: Component, at: Span, limits: Limits) -> None:
    """Refuse a component that would be too large or too deep when written out."""
    count, depth = component.size or component.measure()
    if count > limits.max_nodes:
        size = f"{count:,}" if count < MANY else f"more than {MANY:,}"
        raise LimitReached(f"this component has {size} attributes", limits.max_nodes, at, "--max-size")
    if depth > limits.max_nesting:
        raise LimitReached("the result is nested too deeply", limits.max_nesting, at, "the option max_nesting")


def names_in_sight(reference: Reference, start: Component) -> list[str]:
    """What the last name of a reference could have been, for spelling hints."""
    names: list[str] = []
    here: Component | None = start
    while here is not None:
        level: Component | None = here
        for name in reference.names[:-1]:
            slot = level.entries.get(name) if level is not None else None
            level = slot.value if slot is not None and isinstance(slot.value, Component) else None
        if level is not None:
            names.extend(level.entries)
        here = here.outer
    return names
