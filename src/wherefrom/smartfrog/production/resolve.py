"""How a reference is looked up in the tree, in any phase: part by part, the first hit counts.

A name in the first place is searched for outwards (`ATTRIB`), later names are those of the component that was reached
(`HERE`); what is found on the way and is a link or a function itself is followed where it stands. What each link led to
is remembered, so that a chain is walked once; only functions that are another each time (`next`) are computed again.
The phases before `link` change what lookups pass: `type` remembers a link that came through finished components only
(`lasts`), `place` forgets again what its placements change.

A `Route` keeps what was passed. A lookup that fails raises `NotFound` with its route, one that meets a lazy link raises
`Lazy`, one that comes back to itself `LinkCycle`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn, cast

from ..errors import LinkCycle, SmartFrogError, StillToBeDefined, Unresolved
from ..store import Derived, Inherited, Slot, Written
from .lexer import END
from .nodes import Application, Defaulted, Node, Reached, Route, with_value
from .tree import HERE, SEARCHED, Block, Call, Part, Path, ToBeDefined, plain_value

TYPED = 2
"""State of a component: its prototypes are merged, and those of all components inside."""


class NotFound(Exception):
    """Nothing is where a reference leads; `problem` says why."""

    def __init__(self, problem: SmartFrogError, route: Route | None, kind: str = "unresolved") -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.route = route
        self.kind = kind

    def again(self) -> NotFound:
        """The same, to be raised anew."""
        return NotFound(self.problem, self.route, self.kind)


class Lazy(Exception):
    """A reference leads to a link or function that waits for the run time; `cause` is where that stands."""

    def __init__(self, cause: Slot, route: Route | None) -> None:
        super().__init__("lazy")
        self.cause = cause
        self.route = route

    def again(self) -> Lazy:
        """The same, to be raised anew."""
        return Lazy(self.cause, self.route)


class Resolver:
    """Looks references up in one tree.  `properties` and `environment` are what the run was given."""

    def __init__(self, root: Node, properties: Mapping[str, str], environment: Mapping[str, str]) -> None:
        self.root = root
        self.properties = properties
        self.environment = environment
        self.known: dict[tuple[int, object], Slot | NotFound | Lazy] = {}
        self.active: dict[tuple[int, object], Slot] = {}
        self.kept: list[Node] = []
        self.remember = False
        self.lasts: Callable[[Route], bool] | None = None  # whether a link may be remembered that took this way
        self.remembered: Callable[[Node, object, Route], None] | None = None
        self.eager = False  # whether lazy links are followed as well
        self.compute: Callable[[Application, Node, str, Slot], Slot] | None = None
        self.build: Callable[[Call, Node, str], Node] | None = None

    def opened(self, route: Route) -> bool:
        """Whether a route led to a vector that is a function still: it is made a component, as all functions are.

        Vectors of values alone are built as what they give, which is what nearly all are for. Before the phase
        `function` one may be extended, and placed into. The route is to be followed again.
        """
        if type(route.value) is not list:
            return False
        holder, name, slot = route.steps[-1]
        while isinstance(slot, Reached):
            self.known.pop((id(holder), name), None)
            holder, name, slot = slot.route.steps[-1]
        slot = holder.entries[name]
        if isinstance(slot.value, list):
            vector = self.as_function(holder, name, slot)
            if vector is None:
                return False
            holder.entries[name] = with_value(slot, vector)
        return True

    def as_function(self, holder: Node, name: str, slot: Slot) -> Node | None:
        """The function that gave a vector of values alone, if that was not written as it is."""
        while isinstance(slot, Inherited | Derived):
            slot = slot.source
        call = slot.assignment.value if isinstance(slot, Written) else None
        return self.build(call, holder, name) if isinstance(call, Call) and self.build is not None else None

    def forget(self) -> None:
        """Remember nothing, neither from before nor from now on."""
        self.known.clear()
        self.kept.clear()
        self.remember = False
        self.remembered = None
        self.lasts = None

    def follow(self, reference: Path, start: Node) -> Route:
        """Where a reference leads."""
        route = Route(reference, start)
        try:
            self._walk(route)
        except NotFound as failure:
            route.failed = failure.kind
            failure.route = route
            raise
        except Lazy as lazy:
            lazy.route = route
            raise
        return route

    def _walk(self, route: Route) -> None:
        reference, here = route.reference, route.start
        value: object = here
        last = len(reference.parts) - 1
        for index, part in enumerate(reference.parts):
            if not isinstance(value, Node):
                self._fail(route, part, "a path leads through components only")
            here = value
            match part.kind:
                case "ATTRIB":
                    value = self._search(route, here, part)
                case "HERE":
                    if part.name in here.entries and (index == 0 or "sfLocal" not in here.tags.get(part.name, ())):
                        value = self._step(route, here, part.name)
                    else:
                        route.missed.append((here, part.name, len(here.prototypes)))
                        if part.name in here.entries:
                            self._fail(
                                route, part, f"`{part.name}` is tagged sfLocal: only what is inside may refer to it"
                            )
                        self._fail(route, part)
                case "PARENT":
                    if here.outer is None:
                        self._fail(route, part, "there is nothing around this component")
                    value = here.outer
                case "THIS":
                    value = here
                case "ROOT":
                    while here.outer is not None:
                        here = here.outer
                    value = here
                case "PROPERTY" | "IPROPERTY" | "ENVPROPERTY" | "IENVPROPERTY":
                    value = self._property(route, part)
                    if part.kind.startswith("I"):
                        break
                case "CONSTANT":
                    self._fail(
                        route, part, "it is a constant of a Java class, which only SmartFrog's own compiler can read"
                    )
                case _:
                    self._fail(
                        route, part, f"{part.kind} is known where SmartFrog runs: write `LAZY {reference.written}`"
                    )
            if index == last:
                break
        route.value = value

    def _search(self, route: Route, start: Node, part: Part) -> object:
        here: Node | None = start
        name = part.name
        while here is not None:
            if name in here.entries:
                return self._step(route, here, name)
            route.missed.append((here, name, len(here.prototypes)))
            here = here.outer
        self._fail(route, part)

    def _step(self, route: Route, here: Node, name: str) -> object:
        slot = here.entries[name]
        if type(slot.value) in _MOVING:
            try:
                slot = self.settled(here, name, slot)
            except (NotFound, Lazy) as failure:
                route.steps.append((here, name, slot))
                route.inner = failure.route
                raise
        route.steps.append((here, name, slot))
        return slot.value

    def settled(self, here: Node, name: object, slot: Slot) -> Slot:
        """What stands at a name: a link is followed, a function computed."""
        value = slot.value
        key = (id(here), name)
        known = self.known.get(key)
        if isinstance(known, Slot):
            return known
        if known is not None:
            raise known.again()
        if isinstance(value, Path):
            if value.data:
                return slot
            if value.lazy and not self.eager:
                raise Lazy(slot, None)
            return self._followed(value, here, name, slot)
        if isinstance(value, Application):
            if value.data:
                return slot
            if value.lazy or self.compute is None:
                raise Lazy(slot, None)
            self._begin(key, slot)
            try:
                settled = self.compute(value, here, str(name), slot)
            finally:
                del self.active[key]
            if value.pure and self.remember:
                self.known[key] = settled
                self.kept.append(here)
            return settled
        if isinstance(value, ToBeDefined):
            raise NotFound(StillToBeDefined(f"{here.path}:{name}".lstrip(":"), value.span), None, "tbd")
        if isinstance(value, list):
            return self._vector(here, slot)
        return slot

    def _followed(self, link: Path, here: Node, name: object, slot: Slot) -> Slot:
        """Follow a link, and remember what it leads to, or why it leads to nothing."""
        key = (id(here), name)
        self._begin(key, slot)
        result: Slot | NotFound | Lazy
        route: Route | None
        try:
            result = reached = self.reached(link, here, slot)
            route = reached.route
        except (NotFound, Lazy) as failure:
            result, route = failure.again(), failure.route
        finally:
            del self.active[key]
        if self.remember and route is not None and (self.lasts is None or self.lasts(route)):
            self.known[key] = result
            self.kept.append(here)
            if self.remembered is not None:
                self.remembered(here, name, route)
        if isinstance(result, Slot):
            return result
        raise result.again()

    def reached(self, reference: Path, here: Node, slot: Slot) -> Reached | Defaulted:
        """The slot that a link becomes when it is followed from the component that it stands in."""
        try:
            route = self.follow(reference, here)
        except NotFound as failure:
            if reference.default is None or failure.route is None:
                raise
            return Defaulted(reference.default.plain, slot, failure.route)
        except Lazy as lazy:
            if reference.default is None or lazy.route is None:
                raise
            return Defaulted(reference.default.plain, slot, lazy.route)
        return Reached(route.value, slot, route)

    def _vector(self, here: Node, slot: Slot) -> Slot:
        """A literal vector: an element that is still to be defined is an error for code that refers to it."""
        assert isinstance(slot.value, list)
        waiting = list(slot.value)
        while waiting:
            item = waiting.pop()
            if isinstance(item, list):
                waiting += item
            elif isinstance(item, ToBeDefined):
                raise NotFound(StillToBeDefined("an item of the vector", item.span), None, "tbd")
        return slot

    def _begin(self, key: tuple[int, object], slot: Slot) -> None:
        if key in self.active:
            places = list(self.active)
            spans = [self.active[place].value for place in places[places.index(key) :]]
            value = slot.value
            text = value.written if isinstance(value, Path) else str(key[1])
            at = value.span if isinstance(value, Path) else cast(Application, value).arguments.written_at
            through = [link.span for link in spans if isinstance(link, Path)]
            names = [str(place[1]) for place in places[places.index(key) :]]
            raise LinkCycle(text, at, through, help=argument_help(names))
        self.active[key] = slot

    def _property(self, route: Route, part: Part) -> object:
        from_environment = "ENV" in part.kind
        given = self.environment if from_environment else self.properties
        text = given.get(part.name)
        route.inputs.append(("environment" if from_environment else "argument", part.name, text))
        if text is None:
            option = "--env" if from_environment else "--property"
            self._fail(route, part, f"it was not given: {option} {part.name}=TEXT")
        if part.kind.startswith("I"):
            return read_value(str(text))
        return text

    def _fail(self, route: Route, part: Part, why: str = "") -> NoReturn:
        near: list[str] = []
        if not why and part.kind in (SEARCHED, HERE):
            for holder, _, _ in route.missed:
                near += [key for key in holder.entries if isinstance(key, str)]
        name = f"{part.kind} {part.name}".strip() if part.kind not in (SEARCHED, HERE) else part.name
        raise NotFound(Unresolved(route.reference.written, name, part.span, near, why), route)


_MOVING = frozenset((Path, Application, ToBeDefined, list))


def argument_help(names: list[str]) -> str | None:
    """Why an operand that has the name of its own place refers to itself."""
    for name in names:
        if name in ("left", "right", "data", "if", "then", "else"):
            return f"an operand's place is called `{name}`, so `{name}` in it means itself: write `PARENT:{name}`"
    return None


def read_path(text: str) -> Path | None:
    """A reference that is given as text."""
    value = _read(text)
    return value if isinstance(value, Path) else None


def _read(text: str) -> object:
    from ...base.source import SourceFile
    from .parser import ProductionParser

    parser = ProductionParser(SourceFile("a text", text), lambda path, at: Block((), span=at), 100)
    try:
        value = parser.parse_simple()
    except SmartFrogError:
        return text
    if parser.kinds[parser.at] != END or parser.problems:
        return text
    return plain_value(value)


def read_value(text: str) -> object:
    """What the text of a property means as a value of SmartFrog: a basic value, or a reference that stays."""
    return _read(text)
