"""From slots to origins, at level production: the history of a value, made when somebody asks for it.

What the phases left in slots and routes becomes origins, as `..history` does for the other levels:

* a prototype, a link and a placement are a `Copy` inside a `Choice`, whose tests are the reference and what was not
  found;
* a function is a `Step` of its arguments, a condition a `Choice` of its branches, a vector an `Items`;
* a value inside of a component is told with the transfers that brought the component to its place (`_carried`), and
  with what could have come into the component and did not (`_in`): prototypes to the right of the one that brought it,
  placements, which prototypes bring along, and that the component is none of the functions of the program;
* a placement whose path leads through a link may land anywhere; where there is one, every attribute of its name depends
  on the references of the program (`_anywhere`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import cast

from ...base.source import Span
from ...provenance.composites import shape as decisions
from ...provenance.origins import Absent, Choice, Copy, Hidden, Items, Leaf, Origin, Overridden, Step
from ..labels import (
    COMPONENT,
    CONDITION,
    DEFAULT,
    FRESH,
    KEEPS_PLACE,
    LAZY,
    POSITION,
    STAYS,
    VECTOR_OF,
    WAY,
    Calling,
    ComesBefore,
    FromPrototype,
    LinkedFrom,
    Numbered,
    Operator,
    OverriddenAt,
    Overriding,
    PlacedBy,
    PutBy,
    ReadValue,
    WouldLeadTo,
)
from ..standing import Standing
from ..store import Component, DataPath, Inherited, Slot, Written, as_put, span_of
from .build import FUNCTION_CLASS, FUNCTIONS
from .functions import FUNCTIONS as PLAIN
from .functions import chosen
from .nodes import Application, Computed, Defaulted, Left, Node, Placed, Reached, Resolved, Route
from .output import key_text, plain
from .resolve import Resolver
from .tree import Applied, Block, Boolean, Bytes, Call, Extends, Null, Number, Path, String, Value, Vector
from .waiting import would_lead_to

NOTHING = Step(COMPONENT, ())
VECTOR = Step(VECTOR_OF, ())


class ProductionHistory:
    """Origins for one finished store.

    `placed` are its placements, `tree` the text of the program; `functions` says that there are functions in it, so
    that a prototype may make one of what extends it; `resolver` follows lazy links, which the run left.
    """

    def __init__(
        self,
        included: Mapping[str, Span],
        placed: list[Placed],
        tree: Block,
        functions: bool,
        resolver: Resolver,
    ) -> None:
        self._functions = functions
        self._included = included
        self._resolver = resolver
        self._tree = tree
        self._survey: tuple[list[Path], set[str]] | None = None
        self._shapes: dict[tuple[int, int], Origin] = {}
        self.standing = Standing()
        self._kept: list[Node] = []
        self._applications: dict[int, Step] = {}
        self._first = {placement.key[0] for placement in placed}
        linked = {placement.key[-1] for placement in placed if self._through_link(placement)}
        self._wide_names = linked
        self._wide: Origin | None = None

    def _through_link(self, placement: Placed) -> bool:
        """Whether the path of a placement may lead through a link, here or in an heir: a link has one of its names."""
        if any(isinstance(slot, Resolved) for _, _, slot in placement.route.steps):
            return True
        return not self._surveyed()[1].isdisjoint(placement.key[:-1])

    def _surveyed(self) -> tuple[list[Path], set[str]]:
        """Every reference of the program, and the names of all attributes that are given a link or a function."""
        if self._survey is None:
            self._survey = survey(self._tree)
        return self._survey

    # --- values at paths ---

    def at_path(self, steps: list[tuple[Component, str]]) -> Origin:
        """The origin of the value reached by these components and names, the outermost first."""
        component, name = steps[-1]
        origin = self.element(component, name)
        for component, name in reversed(steps[:-1]):
            slot = component.entries[name]
            origin = self._in(component, name, slot, self._carried(name, slot, origin))
        return origin

    def element(self, component: Component, name: str) -> Origin:
        """The origin of one attribute, seen from its component."""
        slot = component.entries[name]
        return self._in(component, name, slot, self.origin(name, slot))

    def origin(self, name: str, slot: Slot) -> Origin:
        """How the value in `slot`, which stands at `name`, came to be there."""
        if slot.origin is None:
            history = self._carried(name, slot, None)
            old = slot.hidden
            if old is not None and not (isinstance(slot, Resolved) and old is slot.source):
                history = self._overridden(name, slot, old, history)
            slot.origin = history
        return cast(Origin, slot.origin)

    def _overridden(self, name: str, slot: Slot, old: Slot, new: Origin) -> Origin:
        match as_put(old) if not isinstance(old, Placed) else old:
            case Inherited(search=search):
                story = f"inherited from {search.path}"
            case Placed(key=key):
                story = f"placed by {':'.join(key)}"
            case _:
                story = "set earlier"
        decided: tuple[Origin, ...] = ()
        placed = slot
        while isinstance(placed, Resolved):
            placed = placed.source
        if isinstance(placed, Placed):  # the last placement wins, so it matters which one that is
            decided = self._order(placed.holder)
            if isinstance(old, Placed):
                decided += self._order(old.holder)
        at = span_of(slot)
        hidden = Hidden(plain(old.value), self.origin(name, old), OverriddenAt(story, at.place), span_of(old))
        return Overridden(Overriding(story), new, (hidden,), decided, at)

    def _order(self, holder: Node) -> tuple[Origin, ...]:
        """What decides when the placements in a component are made: the order of attributes in it and around it."""
        here: Node | None = holder
        shapes: list[Origin] = []
        while here is not None:
            shapes.append(self.shape(here))
            here = here.outer
        return tuple(shapes)

    # --- transfers ---

    def _carried(self, name: str, slot: Slot, inner: Origin | None) -> Origin:
        """`inner`, something inside the value in `slot` (or nothing: that itself), in the transfers that brought it."""
        match slot:
            case Written():
                return inner if inner is not None else self._written(slot)
            case Inherited(search=route, source=source):
                value = slot.value
                if inner is None and type(value) is Node:
                    inner = self.items(value)
                if inner is None and isinstance(value, Application):
                    inner = self._application(value)
                inner = self._carried(name, source, inner)
                return self._inherited(cast(Route, route), name, source, inner)
            case Placed(source=source, holder=holder, route=route):
                last = slot.key[-1]
                if inner is None and type(slot.value) is Node:
                    inner = self.items(slot.value)
                inner = self._in(holder, slot.key, source, self._carried(last, source, inner))
                way = (self._way(route),)
                return Choice(way, Copy(PlacedBy(":".join(slot.key)), inner, span_of(slot)), span_of(slot))
            case Reached(source=source, route=route):
                return self._carried(name, source, self._linked(route, inner))
            case Computed(source=source, application=application):
                result = self._computed(application, slot.value, inner)
                return self._carried(name, source, result)
            case Defaulted(source=source, route=route):
                reference = cast(Path, source.value)
                span = reference.span
                given = reference.default
                value = self.literal(given.value) if given is not None and given.value is not None else Step(FRESH, ())
                if given is not None and given.value is None:
                    value = Leaf("literal", "", given.span, None, self._detail(given.span))
                failed = (*self.tests(route), self._failure(route))
                return self._carried(name, source, Choice(failed, value, span, DEFAULT))
            case Left(source=source, route=route, cause=cause):
                tests: tuple[Origin, ...] = ()
                if route is not None:
                    tests = (*self.tests(route), self._failure(route))
                if cause is not None:
                    tests = (*tests, self.origin("", cause))
                stays = self._staying(slot)
                if cause is not None:
                    stays = Choice(tests, stays, span_of(slot), LAZY)
                return self._carried(name, source, stays)
            case _:
                raise AssertionError(slot)

    def _inherited(self, route: Route, name: str, source: Slot, inner: Origin) -> Origin:
        prototype = cast(Node, route.value)
        inner = self._in(prototype, name, source, inner)
        if route.target is not None:
            inner = self._carried(route.steps[-1][1], route.target, inner)
        inner = self._reached(route, inner)
        span = route.reference.span
        return Choice(self.tests(route), Copy(FromPrototype(route.path), inner, span), span)

    def _linked(self, route: Route, inner: Origin | None) -> Origin:
        span = route.reference.span
        if inner is None:
            inner = self._found(route)
        elif route.target is not None:
            inner = self._carried(route.steps[-1][1], route.target, inner)
        tests = self.tests(route)
        if route.reference.default is not None:
            tests += self._may_fail(route)
        return Choice(tests, Copy(LinkedFrom(route.path), self._reached(route, inner), span), span)

    def _may_fail(self, route: Route) -> tuple[Origin, ...]:
        """What the functions were computed of that a link with a default led to: had one failed, it would be here."""
        origins: list[Origin] = []
        waiting = list(route.slots)
        seen: set[Slot] = set()
        while waiting:
            slot = waiting.pop()
            if slot in seen:
                continue
            seen.add(slot)
            if isinstance(slot, Computed):
                arguments = slot.application.arguments
                for key, argument in arguments.entries.items():
                    if key != FUNCTION_CLASS or arguments.call is None:
                        origins.append(self.element(arguments, key))
                        waiting.append(argument)
            elif isinstance(slot, Reached | Defaulted):
                waiting += slot.route.slots
        return tuple(origins)

    def _found(self, route: Route) -> Origin:
        """How what a route ends at came to be there."""
        if route.inputs:
            kind, name, text = route.inputs[-1]
            leaf = Leaf(kind, name, None, text)
            part = route.reference.parts[-1]
            return Step(ReadValue(part.kind), (leaf,), part.span) if part.kind.startswith("I") else leaf
        if route.target is None or route.reference.parts[-1].kind in ("PARENT", "ROOT", "THIS"):
            value = route.value
            return self.items(value) if type(value) is Node else NOTHING
        holder, name, slot = route.steps[-1]
        del holder
        return self.origin(name, slot)

    def _reached(self, route: Route, inner: Origin) -> Origin:
        """Wrap `inner`, the story of what was found, in the attributes that the path leads through."""
        last = len(route.steps) - 1
        for depth in range(last, -1, -1):
            component, name, slot = route.steps[depth]
            if depth < last:
                inner = self._carried(name, slot, inner)
            inner = self._in(component, name, slot, inner)
        return inner

    def _way(self, route: Route) -> Origin:
        """What decided where a path leads."""
        inner: Origin = NOTHING
        for component, name, slot in reversed(route.steps):
            inner = self._in(component, name, slot, self._carried(name, slot, inner))
        return Step(WAY, (inner,), route.reference.span)

    def _failure(self, route: Route) -> Origin:
        """Why a path led nowhere, or to what is lazy."""
        causes: list[Origin] = [self._reached(route, NOTHING)]
        for _, name, slot in route.steps[-1:]:
            if type(slot) is not Reached:  # a lazy link or function that nobody has come by yet is told itself
                waits = isinstance(slot.value, Path | Application)
                causes.append(self._carried(name, slot, None if waits else NOTHING))
        inner = route.inner
        if inner is not None:
            causes += [*self.tests(inner), self._failure(inner)]
        return Absent(route.reference.written, tuple(causes), route.reference.span)

    def _in(self, component: Component, name: str | tuple[str, ...], slot: Slot, inner: Origin) -> Origin:
        """Wrap `inner`, the story of `slot`, in what could have come into its component in its place."""
        tests: list[Origin] = []
        first = self._functions or key_text(name) in self._first
        here: Node | None = cast(Node, component)
        while here is not None:
            for route in here.prototypes:
                if first or route.tick > slot.tick:
                    what = f"{key_text(name)} in prototype {route.path}"
                    tests.append(Absent(what, (self._applied(route),), route.reference.span))
            here = here.base
        if name in self._wide_names:
            tests.append(self._anywhere())
        return Choice(tuple(tests), inner) if tests else inner

    def _anywhere(self) -> Origin:
        if self._wide is None:
            leaves = [Leaf("reference", path.written, path.span, path.written) for path in self._surveyed()[0]]
            self._wide = Absent("a placement through another link", tuple(leaves))
        return self._wide

    # --- values ---

    def _written(self, slot: Written) -> Origin:
        value = slot.value
        if type(value) is Node:
            return self.items(value)
        if isinstance(value, Application):
            return self._application(value)
        if isinstance(value, Path) and not value.data:
            return Leaf("reference", value.written, value.span, plain(value))
        written = slot.assignment.value
        if isinstance(written, Call) and isinstance(value, list):
            return self.literal(written)
        if isinstance(written, Call | Applied):  # a name that the language made up, such as the class of a function
            return Leaf("literal", "", slot.assignment.span, value, self._detail(slot.assignment.span))
        if isinstance(written, String | Number | Boolean | Null | Path | Vector | Bytes):
            return self.literal(written)
        return Leaf("literal", "", written.span, plain(value), self._detail(written.span))

    def literal(self, value: Value) -> Origin:
        """The origin of a value as written."""
        span = value.span
        match value:
            case Vector(items):
                return Items([self.literal(cast(Value, item)) for item in items], VECTOR)
            case Call(arguments=arguments):  # a vector of values
                return Items([self.literal(item) for _, item in arguments], VECTOR)
            case Boolean(inner) | Number(inner) | String(inner) | Bytes(inner):
                return Leaf("literal", "", span, inner, self._detail(span))
            case Null():
                return Leaf("literal", "", span, None, self._detail(span))
            case Path(data=True, lazy=False, default=None):
                return Leaf("literal", "", span, DataPath(f"$.{value.written}"), self._detail(span))
            case _:
                return Leaf("literal", "", span, plain(value), self._detail(span))

    def _detail(self, span: Span) -> str:
        by = self._included.get(span.file.name)
        return f"included at {by.place}" if by is not None else ""

    def _staying(self, slot: Left) -> Origin:
        """A link or function that stays; of a link it is told what it would lead to."""
        value = slot.value
        if isinstance(value, Application):
            return self._application(value)
        assert isinstance(value, Path)
        words, at = would_lead_to(value, slot.holder, self._resolver)
        leaf = Leaf("reference", value.written, value.span, plain(value))
        return Copy(WouldLeadTo(words), leaf, at or value.span)

    def _application(self, application: Application) -> Origin:
        arguments = application.arguments
        inputs = [self.element(arguments, name) for name in arguments.entries]
        return Choice((self.shape(arguments),), Step(STAYS, tuple(inputs), arguments.written_at))

    def _computed(self, application: Application, value: object, inside: Origin | None) -> Origin:
        """What a function gave, or something inside of a component that it gave."""
        arguments = application.arguments
        if application.kind == "ASSERT":
            return self._application(application)
        slot = arguments.entries.get(FUNCTION_CLASS)
        name = str(slot.value).removeprefix(FUNCTIONS) if slot is not None else "Set"
        span = arguments.written_at
        elements = {key: self.element(arguments, key) for key in arguments.entries if key != FUNCTION_CLASS}
        values = {key: slot.value for key, slot in arguments.entries.items() if key != FUNCTION_CLASS}
        result: Origin
        if name in ("IfThenElse", "Switch"):
            picked = chosen(values)
            conditions = [key for key in values if key == "if" or (key.startswith("IF") and name == "Switch")]
            if picked is not None and name == "Switch":
                conditions = conditions[: conditions.index(f"IF{picked[4:]}") + 1]
            tests = tuple(elements[key] for key in conditions)
            tests += self._not_lazy(arguments, elements, (picked, *conditions))
            if picked is None:
                return Choice((*tests, self.shape(arguments)), Step(FRESH, ()), span, CONDITION)
            branch = arguments.entries[picked]
            chosen_origin = elements[picked] if inside is None else self._carried(picked, branch, inside)
            result = Choice(tests, chosen_origin, span, CONDITION)
        elif inside is not None:
            result = Choice(tuple(elements.values()), inside, span)
        elif type(value) is Node:
            result = Choice(tuple(elements.values()), self.items(value), span)
        elif name == "Vector":
            decided = (self.shape(arguments), *self._not_lazy(arguments, elements, ()))
            result = Items(list(elements.values()), Step(VECTOR_OF, decided, span))
        elif name in PLAIN:
            symbol = arguments.call.symbol if arguments.call is not None else None
            operation = Operator(symbol) if symbol is not None else Calling(name, tuple(elements))
            result = Step(operation, tuple(elements.values()), span)
        else:
            result = Step(Numbered(name), tuple(elements.values()), span)
        if arguments.call is None:
            tests = (self.shape(arguments), self.element(arguments, FUNCTION_CLASS)) if slot is not None else ()
            result = Choice((*tests, self.shape(arguments)), result)
        return result

    def _not_lazy(
        self, arguments: Node, elements: Mapping[str, Origin], required: Sequence[str | None]
    ) -> tuple[Origin, ...]:
        """Those arguments, beside the `required` ones, that could be lazy: the function would wait for them."""
        tests: list[Origin] = []
        for key, origin in elements.items():
            if key not in required and may_be_lazy(as_put(arguments.entries[key])):
                causes = [
                    cause for cause in decisions(origin) if not (isinstance(cause, Leaf) and cause.kind == "literal")
                ]
                tests.append(Absent(f"a lazy link as {key}", tuple(causes), span_of(arguments.entries[key])))
        return tuple(tests)

    def items(self, component: Node) -> Items:
        """The origin of a component itself: its attributes, its shape and its order."""
        if component.items is None:
            elements = {key_text(name): self.element(component, name) for name in component.entries}
            component.items = Items(elements, self.shape(component), self._placed(component))
        return cast(Items, component.items)

    # --- tests ---

    def tests(self, route: Route) -> tuple[Origin, ...]:
        """What decided that a path led where it did: the reference, every place where nothing was found, inputs."""
        if route.tests is None:
            reference = route.reference
            tests: list[Origin] = [Leaf("reference", reference.written, reference.span, route.path)]
            for component, name, count in route.missed:
                causes: tuple[Origin, ...] = (self.shape(component, count),)
                if name in self._wide_names:
                    causes = (*causes, self._anywhere())
                where = component.path or "the top level"
                tests.append(Absent(f"{name} in {where}", causes, component.written_at))
            for kind, name, text in route.inputs:
                tests.append(Leaf(kind, name, None, text, absent=text is None))
            route.tests = tuple(tests)
        return cast("tuple[Origin, ...]", route.tests)

    def _applied(self, route: Route) -> Origin:
        """That a prototype was applied, and which attributes it had.

        A component may find a prototype among its own attributes, which are told with its prototypes: then this is part
        of itself, which no walk over origins minds.
        """
        applied = self._applications.get(id(route))
        if applied is None:
            applied = self._applications[id(route)] = Step(COMPONENT, (), route.reference.span)
            inner = self.shape(cast(Node, route.value))
            if route.target is not None:
                inner = self._carried(route.steps[-1][1], route.target, inner)
            applied.inputs = (*self.tests(route), self._reached(route, inner))
        return applied

    def shape(self, component: Node, count: int | None = None) -> Origin:
        """Which attributes a component has (with its first `count` prototypes): what made it what it is."""
        count = len(component.prototypes) if count is None else count
        key = (id(component), count)
        shape = self._shapes.get(key)
        if shape is None:
            self._kept.append(component)
            inputs = [self._applied(route) for route in component.prototypes[:count]]
            if component.base is not None:
                inputs.append(self.shape(component.base))
            if component.forced is not None:
                inputs += self.tests(component.forced)
            shape = Step(COMPONENT, (), component.written_at)
            self._shapes[key] = shape  # what is placed in it may have been looked for in it
            for slot in component.entries.values():
                put = slot
                while isinstance(put, Resolved):
                    put = put.source
                if isinstance(put, Placed):
                    inputs.append(self._way(put.route))
                    inputs += self._order(put.holder)
            if self._wide_names:
                inputs.append(self._anywhere())
            shape.inputs = tuple(inputs)
        return shape

    # --- order ---

    def _placed(self, component: Node) -> dict[str, Origin]:
        """For each attribute, what put it where it stands."""
        swapped = out_of_order(component)
        placed: dict[str, Origin] = {}
        for name, slot in component.entries.items():
            first = _first_put(slot.placed)
            origin = self._position(component, name, first)
            if name in swapped:
                origin = Copy(ComesBefore(swapped[name], component.path), origin, span_of(slot))
            elif first is not _first_put(slot):
                origin = Copy(KEEPS_PLACE, origin, span_of(slot))
            placed[key_text(name)] = origin
        return placed

    def _position(self, component: Node, name: str, slot: Slot) -> Origin:
        """How `slot`, which first put `name` into a component, came to do so."""
        here = component
        while (base := here.base) is not None and name in base.entries:
            here = base
        tests: list[Origin] = []
        for through in here.prototypes:
            tests += [self._applied(through), *map(self.standing.of, through.slots)]
        origin: Origin
        match slot:
            case Inherited(search=search, source=source):
                prototype = cast(Node, cast(Route, search).value)
                inner = self._position(prototype, name, _first_put(source.placed))
                origin = Copy(FromPrototype(search.path), inner, search.reference.span)
            case Placed(key=key, route=route, holder=holder):
                span = span_of(slot)
                tests += [self._way(route), *self._order(holder), self.standing.of(slot)]
                origin = Copy(PlacedBy(":".join(key)), Step(POSITION, (), span), span)
            case _:
                span = span_of(slot)
                origin = Copy(PutBy(here.path or "the top level"), Step(POSITION, (), span), span)
        return Choice(tuple(tests), origin) if tests else origin


def _first_put(slot: Slot) -> Slot:
    """The slot before the phase link."""
    while isinstance(slot, Resolved):
        slot = slot.source
    return slot


def out_of_order(component: Node) -> dict[str, str]:
    """Attributes that come before another although the component's own text writes the other first."""
    written = [
        (name, put.assignment.span)
        for name, put in ((name, _first_put(slot)) for name, slot in component.entries.items())
        if isinstance(put, Written)
    ]
    return {
        name: following
        for (name, span), (following, next_span) in pairwise(written)
        if span.file is next_span.file
        and span.start > next_span.start
        and isinstance(_first_put(component.entries[name].placed), Inherited)
    }


def may_be_lazy(argument: Slot) -> bool:
    """Whether an argument would be lazy if some reference were another: not if it is written without one."""
    if not isinstance(argument, Written):
        return True
    waiting: list[object] = [argument.assignment.value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Call):
            waiting += (written for _, written in value.arguments)
        elif isinstance(value, Path | Applied):
            return True
    return False


def survey(tree: Block) -> tuple[list[Path], set[str]]:
    """Every reference in a program, and the names of all attributes that are given a link or a function."""
    references: list[Path] = []
    names: set[str] = set()
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case Block():
                for assignment in node.assignments():
                    value = assignment.value
                    if isinstance(value, Path | Call | Applied):
                        names.add(assignment.target.names[-1])
                    waiting.append(value)
            case Extends():
                waiting.extend(node.prototypes)
            case Call():
                waiting.extend(value for _, value in node.arguments)
                if node.bindings is not None:
                    waiting.append(node.bindings)
            case Applied():
                waiting.append(node.block)
            case Vector():
                waiting.extend(node.items)
            case Path():
                references.append(node)
            case _:
                pass
    return references, names
