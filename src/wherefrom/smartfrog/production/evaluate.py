"""The door of level production: a program is read, goes through its phases, and leaves a store.

The phases are `type`, `place` and `function` on the whole file, then `sfConfig` is taken, and `link` works on that and
what it refers to. `phaseList [|"type", ..|]` at the top level names others. Every error says in which phase it was
found.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ...base.diagnostics import Diagnostic, ManyErrors
from ...base.host import Host, PureHost
from ...base.source import Span
from ..errors import BadPhases, NoConfiguration, SmartFrogError
from ..parser import Limits, Program, Reading
from ..store import Slot, Written, kind_of, span_of
from ..tree import Assignment, Extends, Reference, Vector
from .build import Builder
from .construct import construct
from .link import DROPPED, LinkPhase
from .nodes import Application, Key, Node, Placed
from .parser import ProductionParser
from .place import PlacePhase
from .resolve import Lazy, NotFound, Resolver
from .size import check_written
from .types import TypePhase

PHASES = ("type", "place", "function", "sfConfig", "link")
LIBRARY = ("org/smartfrog/functions.sf", "org/smartfrog/predicates.sf")


class ProductionReading(Reading):
    """How files are read: an included file is looked for from the roots of the search path, then in the library."""

    def __init__(self, main: str, search_path: tuple[str, ...]) -> None:
        super().__init__("production", ProductionParser)
        self.roots = (posixpath.dirname(main), *search_path)

    def file(self, path: str, at: Span, host: Host) -> tuple[str, Host]:
        """The first root that has the file; the library if none has it and that does."""
        name = posixpath.normpath(path.lstrip("/"))
        places = [posixpath.normpath(posixpath.join(root, name)) for root in self.roots]
        for place in places:
            if host.kind(place) is not None:
                return place, host
        if name in LIBRARY:
            return name, library()
        return places[0], host


def library() -> Host:
    """The files of templates that SmartFrog's own compiler brings along, written for this one."""
    from importlib.resources import files  # takes as long to load as a small program to compile

    folder = files(__package__) / "library"
    return PureHost({name: (folder / name.rpartition("/")[2]).read_text("utf-8") for name in LIBRARY})


class Compiled:
    """What the phases leave: the holder of the result, and what explanations need."""

    def __init__(
        self,
        top: Node,
        placed: list[Placed],
        functions: bool,
        resolver: Resolver,
        dropped: dict[tuple[int, Key], Slot],
    ) -> None:
        self.top = top
        self.placed = placed
        self.functions = functions
        self.resolver = resolver
        self.dropped = dropped
        """Attributes that were taken away at last, by the identity of their component and their name."""


@contextmanager
def in_phase(name: str) -> Iterator[None]:
    """Errors inside say that they belong to a phase."""
    try:
        yield
    except SmartFrogError as problem:
        problem.phase = problem.phase or name
        raise
    except ManyErrors as problems:
        for error in problems.diagnostics:
            if isinstance(error, SmartFrogError):
                error.phase = error.phase or name
        raise


def refuse(problems: list[SmartFrogError]) -> None:
    """Raise errors, if there are any."""
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ManyErrors(list[Diagnostic](problems))


def evaluate_production(
    program: Program, limits: Limits, properties: Mapping[str, str], environment: Mapping[str, str]
) -> Compiled:
    """Run the phases."""
    builder = Builder(limits)
    root = builder.root(program.tree.block)
    resolver = Resolver(root, properties, environment)
    resolver.build = builder.called_again
    with in_phase("parse"):
        phases = phases_of(root)
    here = root
    link: LinkPhase | None = None
    result: Slot | None = None
    placed: list[Placed] = []
    for phase in phases:
        with in_phase(phase):
            match phase:
                case "type":
                    refuse(TypePhase(resolver, limits).run(here))
                case "place":
                    place = PlacePhase(resolver)
                    refuse(place.run(here))
                    placed += place.routes
                case "sfConfig":
                    link = link or LinkPhase(resolver, limits)
                    result = configuration(root, resolver, program)
                    assert isinstance(result.value, Node)
                    here = result.value
                case "link":
                    link = link or LinkPhase(resolver, limits)
                    problems = link.walk(here)
                    for problem, kind in problems:
                        problem.kind = kind
                    refuse([problem for problem, _ in problems])
                case _:
                    construct(here, resolver, builder.actions, phase)
    top = root
    if result is None:
        span = program.tree.span.file.span(0)
        top = Node("", None, span)
        target = Reference(("sfConfig",), span=span)
        result = Written(root, 1, Assignment(target, Extends((), span=span), span=span))
    top.entries["sfConfig"] = result
    configured = result.value
    assert type(configured) is Node
    dropped: dict[tuple[int, Key], Slot] = {}
    if builder.temporary or (link is not None and link.dropped):
        dropped = drop_temporary(configured)
    small = link is not None and not link.shared and link.count <= limits.max_nodes
    if not small or link is None or link.deepest > limits.max_nesting:
        with in_phase("link"):
            check_written(configured, span_of(result), limits)
    return Compiled(top, placed, bool(builder.actions), resolver, dropped)


def phases_of(root: Node) -> tuple[str, ...]:
    """The phases to run: the usual ones, or those that the file names."""
    slot = root.entries.get("phaseList")
    if slot is None:
        return PHASES
    names = slot.value
    literal = isinstance(slot, Written) and isinstance(slot.assignment.value, Vector)
    if not literal or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadPhases(span_of(slot))
    del root.entries["phaseList"]
    return tuple(names)


def configuration(root: Node, resolver: Resolver, program: Program) -> Slot:
    """The slot of `sfConfig`, which must be a component or lead to one."""
    slot = root.entries.get("sfConfig")
    if slot is None:
        raise NoConfiguration(program.tree.span.file.span(0), None)
    try:
        settled = resolver.settled(root, "sfConfig", slot)
    except NotFound as failure:
        raise failure.problem from None
    except Lazy:
        raise NoConfiguration(span_of(slot), "a lazy reference") from None
    if type(settled.value) is not Node:
        raise NoConfiguration(span_of(settled), kind_of(settled.value))
    if settled.value.outer is None and settled.value is not root:
        settled.value.outer = root
    return settled


def drop_temporary(top: Node) -> dict[tuple[int, Key], Slot]:
    """Take away what is tagged `sfTemp`, and assertions that hold and leave nothing; what it was, by component."""
    seen: set[int] = set()
    dropped: dict[tuple[int, Key], Slot] = {}
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for name, slot in list(node.entries.items()):
            value = slot.value
            if value is DROPPED or (node.tags and "sfTemp" in node.tags.get(name, ())):
                dropped[id(node), name] = node.entries.pop(name)
                continue
            inside = [value]
            while inside:
                item = inside.pop()
                if type(item) is Node:
                    waiting.append(item)
                elif type(item) is list:
                    inside += item
                elif type(item) is Application:
                    waiting.append(item.arguments)
    return dropped
