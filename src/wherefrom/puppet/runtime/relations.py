"""Relationships: `->`, `~>` and their mirror images, `require`, and the check that every end exists.

An arrow is remembered while code runs and made at the end, when collectors know what they collected: it becomes a
`before` or `notify` attribute of its source. An arrow whose end is a collector that found nothing passes on to what
stood before it in the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...provenance.composites import element
from ...provenance.origins import Absent, Choice, Guard, Items, Later, Origin, Step, guarded
from ..kernel.failures import CatalogError, Failure
from ..kernel.operations import Item, ReferenceTo
from ..kernel.values import Reference
from ..types.callables import ClassType, ResourceType
from ..types.ruby import inspect, to_s
from .collectors import RunningCollector
from .effects import ANY, any_change
from .resource_types import RELATIONSHIPS
from .resources import Attribute, Resource, capitalize_segments, check_tags, component_reference, flatten

if TYPE_CHECKING:
    from ...base.source import Span
    from .compilation import Compilation
    from .definitions import Definition
    from .scope import Frame

End = Any
"""One end of an arrow: a `ResourceType`, a `ClassType` or a `RunningCollector`."""


def reference_text(end: object) -> str:
    """`File[/a]`, `Class[Foo]`, as catalogs write references; a text or an object of Ruby's says it itself."""
    if isinstance(end, ClassType):
        return f"Class[{capitalize_segments(end.class_name or '')}]"
    if not isinstance(end, ResourceType):
        return str(end)
    if end.lower_name == "class":
        return f"Class[{capitalize_segments((end.title or '').removeprefix('::'))}]"
    if end.lower_name == "component":
        return "{}[{}]".format(*component_reference(end.title or ""))
    return f"{capitalize_segments(end.type_name or '')}[{end.title or ''}]"


RELATIONS = frozenset(RELATIONSHIPS)


def own_lists(attributes: Sequence[Attribute]) -> None:
    """Give relationship attributes arrays of their own, so that only resources of one expression share one."""
    for attribute in attributes:
        if attribute.name in RELATIONS and type(attribute.value) is list:
            attribute.value = list(attribute.value)


class OrderEdge:
    """One `source -> target`, with why it is there."""

    __slots__ = ("attribute", "origin", "source", "span", "target")

    def __init__(self, source: End, target: End, attribute: str, origin: Origin, span: Span) -> None:
        self.source = source
        self.target = target
        self.attribute = attribute
        self.origin = origin
        self.span = span


class Relations:
    """The arrows of one compilation."""

    def __init__(self, run: Compilation) -> None:
        self.run = run
        self.arrows: list[OrderEdge] = []
        self.sharing: dict[int, list[Resource]] = {}
        self.groups: dict[tuple[str, str], list[Resource]] = {}
        self.known: set[str] = set()
        """References that name resources of the catalog."""

    def add(
        self, frame: Frame, sources: Sequence[End], targets: Sequence[End], attribute: str, origin: Origin, span: Span
    ) -> None:
        """Remember an arrow from each source to each target."""
        origin = guarded(origin, frame.guard)
        self._draw(len(sources) * len(targets), span)
        for source in sources:
            if isinstance(source, RunningCollector):
                source.related.add(attribute)
            else:
                kind = _split(source)[0].lower() or ANY
                frame.run.note_other(frame, any_change(kind, (attribute,)), (origin,), span)
        for target in targets:
            if isinstance(target, RunningCollector):
                target.aimed_at = True
        for source in sources:
            for target in targets:
                self.arrows.append(OrderEdge(source, target, attribute, origin, span))

    def _draw(self, count: int, span: Span | None) -> None:
        """Draw edges from the budget."""
        budget = self.run.budget
        budget.edges -= count
        if budget.edges < 0:
            budget.over("edges", "relating resources", span)

    def evaluate(self) -> None:
        """Make the attributes.

        Resources declared by one expression, and those that took a default or an override, share the arrays in it.
        Puppet adds to such an array in place, so that an arrow from one of them becomes an arrow from all.
        """
        if self.arrows:
            self._find_sharing()
        for arrow in self.arrows:
            sources, instead = _sources(arrow.source)
            targets = _targets(arrow.target)
            others = self._others(arrow.target)
            self._draw(len(sources) * len(targets), arrow.span)
            for source in sources:
                # What stands in for a collector is told as it is written, anything else as a resource.
                text = str(source) if instead else _text(source)
                for target in targets:
                    looked = self._looked(arrow.source, source, self._looked(arrow.target, target))
                    self._make(source, text, target, arrow, looked, others)

    def _others(self, end: End) -> Later | None:
        """What else a query that is an end of an arrow could have found, and what could have been there for it."""
        if not isinstance(end, RunningCollector):
            return None
        absences = self.run.absences
        return Later(
            "another resource for the query", lambda: (*end.causes(), *absences.of_type(end.type_name.lower()))
        )

    def _looked(self, end: End, resource: object, more: tuple[Origin | Guard, ...] = ()) -> tuple[Origin | Guard, ...]:
        """What a query that is an end of an arrow looked at to find a resource, or to find none."""
        while isinstance(end, RunningCollector):
            if isinstance(resource, Resource) and resource.ref in end.looked:
                return (*more, resource.existence, *end.why, *end.looked[resource.ref])
            others = self._others(end)
            more = more if others is None else (*more, others)
            alternative = end.alternative
            if alternative is None or len(alternative) != 1:
                break
            end = alternative[0]
        return more

    def _find_sharing(self) -> None:
        for resource in self.run.catalog.resources:
            for name in ("before", "notify"):
                attribute = resource.attributes.get(name)
                if attribute is not None and type(attribute.value) is list:
                    self.sharing.setdefault(id(attribute.value), []).append(resource)

    def _sharers(self, resource: Resource, name: str) -> list[Resource]:
        """The resources whose array an addition to this one's goes into."""
        group = self.groups.get((resource.ref, name))
        if group is None:
            attribute = resource.attributes.get(name)
            group = self.sharing.get(id(attribute.value), [resource]) if attribute is not None else [resource]
            for sharer in group:
                self.groups[sharer.ref, name] = group
        return group

    def _make(
        self,
        source: End,
        source_text: str,
        target: End,
        arrow: OrderEdge,
        looked: tuple[Origin | Guard, ...],
        others: Later | None,
    ) -> None:
        find = self.run.catalog.find
        target_text = _text(target)
        holder = source if isinstance(source, Resource) else find(*_split(source))
        if holder is None:
            raise CatalogError(
                f"Could not find resource '{source_text}' for relationship on '{target_text}'",
                arrow.span,
                issue=None,
                kind="dangling relationship",
                help=self.run.catalog.near_title(*_split(source)),
                lead="",
                placeless=True,
            )
        if not isinstance(target, Resource) and find(*_split(target)) is None:
            raise CatalogError(
                f"Could not find resource '{target_text}' for relationship from '{source_text}'",
                arrow.span,
                issue=None,
                kind="dangling relationship",
                help=self.run.catalog.near_title(*_split(target)),
                lead="",
                placeless=True,
            )
        aim = target if isinstance(target, Resource) else find(*_split(target))
        assert aim is not None
        origin: Origin = Step(ReferenceTo(aim.type), (aim.title_origin, arrow.origin), arrow.span)
        if looked:
            origin = Choice((Absent("another query", looked),), origin)
        self.known.add(target_text)
        for sharer in self._sharers(holder, arrow.attribute):
            self._append(sharer, arrow.attribute, target_text, origin, arrow.span, others)

    def append_reference(
        self, resource: Resource, attribute: str, target: Resource, origin: Origin, span: Span | None
    ) -> None:
        """Add a reference to a relationship attribute (what the function `require` does)."""
        origin = Step(ReferenceTo(target.type), (target.title_origin, origin), span)
        self._append(resource, attribute, ResourceType("Class", target.title), origin, span)

    def _append(
        self,
        resource: Resource,
        name: str,
        target: object,
        origin: Origin,
        span: Span | None,
        others: Origin | None = None,
    ) -> None:
        current = resource.attributes.get(name)
        values = (
            []
            if current is None or current.value is None
            else (list(current.value) if isinstance(current.value, list) else [current.value])
        )
        if isinstance(current, _Growing) and isinstance(current.value, list):
            current.value.append(target)
            current.elements.append(origin)
            if others is not None:
                current.others.append(others)
            return
        elements: list[Origin] = []
        if current is not None and values:
            inside = current.origin
            if isinstance(current.value, list):
                elements = [_item(inside, index) for index in range(len(values))]
            else:
                elements = [inside]
        growing = _Growing(name, [*values, target], [*elements, origin], resource.source, span)
        if current is None:
            growing.others.extend(resource.lacking(name))
        if others is not None:
            growing.others.append(others)
        resource.attributes[name] = growing

    def validate(self) -> None:
        """Every reference in a relationship attribute must name a resource of the catalog."""
        catalog = self.run.catalog
        for resource in catalog.resources:
            if resource.virtual or RELATIONS.isdisjoint(resource.attributes):
                continue
            for name, attribute in resource.attributes.items():
                if name not in RELATIONS or attribute.value is None:
                    continue
                references = flatten(attribute.value)
                self._draw(len(references), attribute.span)
                for reference in references:
                    if reference is None or (type(reference) is str and reference in self.known):
                        continue
                    # A type that was kept back until now (`Sensitive(File['/x'])`) has its quotes, and is never found.
                    named = isinstance(reference, str | Reference | ResourceType | ClassType)
                    text = _text(reference) if named and name not in resource.sensitive else to_s(reference)
                    parts = parse_reference(text)
                    if parts is None or not parts[1]:
                        raise CatalogError(
                            f"No title provided and {inspect(text)} is not a valid resource reference",
                            attribute.span,
                            issue=None,
                            kind="not a reference",
                            lead="",
                            column=False,
                        )
                    if catalog.find(*parts) is None:
                        _check_type_name(parts[0], attribute.span)
                        raise CatalogError(
                            f"Could not find resource '{text}' in parameter '{name}'",
                            attribute.span,
                            issue=None,
                            kind="dangling relationship",
                            help=self.run.catalog.near_title(*parts),
                            lead="",
                            column=False,
                        )


def _check_type_name(name: str, span: Span | None) -> None:
    """What is looked for is tagged by the name of its type, which has to be a tag."""
    try:
        check_tags([name], None)
    except Failure as problem:
        raise CatalogError(problem.message, span, issue=None, kind="invalid tag", lead="", placeless=True) from None


def _item(origin: Origin, index: int) -> Origin:
    """The origin of an element of an array."""
    apart = element(origin, index)
    return Step(Item(index), (origin,)) if apart is None else apart


class _Growing(Attribute):
    """A relationship attribute made here, whose list belongs to one resource alone and may grow.

    Where an element stands depends on all of them, and on the `others` that queries could have found.
    """

    __slots__ = ("elements", "others")

    def __init__(
        self, name: str, value: list[Any], elements: list[Origin], source: Definition | None, span: Span | None
    ) -> None:
        self.elements = elements
        self.others: list[Origin] = []
        own = Later("other references", _together, None, (elements, self.others))
        super().__init__(name, value, Items(elements, own), source, span)


def _together(elements: list[Origin], others: list[Origin]) -> tuple[Origin, ...]:
    return (*elements, *others)


def parse_reference(text: str) -> tuple[str, str] | None:
    """The type and the title in `File[/a]`; nothing if it is no reference."""
    start = text.find("[")
    if start <= 0 or not text.endswith("]"):
        return None
    return text[:start], text[start + 1 : -1]


def _split(end: object) -> tuple[str, str]:
    if isinstance(end, ClassType):
        return "Class", end.class_name or ""
    if isinstance(end, ResourceType):
        return end.type_name or "", end.title or ""
    parts = parse_reference(str(end))
    return parts if parts is not None else (str(end), "")


def _text(end: object) -> str:
    if isinstance(end, Resource):
        return end.ref
    return reference_text(end)


def stands_in(ref: str, end: End) -> bool:
    """Whether an arrow from a collector would begin at this resource, had the collector found nothing."""
    while isinstance(end, RunningCollector):
        alternative = end.alternative or ()
        if len(alternative) != 1 or not isinstance(alternative[0], RunningCollector):
            return any(not isinstance(part, RunningCollector) and _text(part) == ref for part in alternative)
        end = alternative[0]
    return False


def _sources(end: End) -> tuple[Sequence[End], bool]:
    """The resources at the beginning of an arrow, and whether they stand in for a collector that found nothing."""
    while isinstance(end, RunningCollector):
        if end.collected:
            return list(end.collected.values()), False
        alternative = end.alternative
        if alternative is None:
            return (), False
        if len(alternative) == 1 and isinstance(alternative[0], RunningCollector):
            end = alternative[0]
            continue
        return alternative, True
    return (end,), False


def _targets(end: End) -> Sequence[End]:
    return list(end.collected.values()) if isinstance(end, RunningCollector) else (end,)
