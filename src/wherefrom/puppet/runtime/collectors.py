"""Collectors: `File <| query |> { overrides }`, exported ones, and `realize`.

Collectors are evaluated again and again while definitions are, until nothing new turns up; a resource is collected once
by each. Collecting makes a virtual resource real and may override its attributes, whatever its source. What the query
looked at in a resource is part of why it was, or was not, collected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ...provenance.origins import Guard, Origin
from ..kernel.edge_labels import A_COLLECTOR
from ..kernel.failures import CompilerFailed
from ..types.sprintf import inspect
from .resources import Attribute, Resource, capitalize_segments, check_repeated, merge_override

if TYPE_CHECKING:
    from ...base.source import Span
    from .scope import Scope

Looked: TypeAlias = tuple[Origin | Guard, ...]
Query: TypeAlias = Callable[[Resource], tuple[bool, Looked]]


class OtherNodes(Protocol):
    """Where resources of other nodes come from (`wherefrom.puppet.runtime.elsewhere`)."""

    @property
    def looked(self) -> Looked:
        """What decided what is found there."""

    def collect(self, collector: RunningCollector) -> list[tuple[Resource, Looked]]:
        """Add what matches and is not here yet; the resources that were added."""


class RunningCollector:
    """`Type <| query |>` with its overrides.  `alternative` is what stands before it in a chain of arrows."""

    def __init__(
        self,
        scope: Scope,
        type_name: str,
        query: Query | None,
        overrides: Sequence[Attribute],
        why: Looked,
        span: Span,
        exported: bool,
    ) -> None:
        self.scope = scope
        self.type_name = type_name
        self.query = query
        self.overrides = overrides
        self.why = why
        self.span = span
        self.exported = exported
        self.collected: dict[str, Resource] = {}
        self.passed_by: dict[str, Looked] = {}
        self.looked: dict[str, Looked] = {}
        self.related: set[str] = set()
        self.aimed_at = False
        """Whether an arrow leads to what it finds."""
        self.alternative: Sequence[Any] | None = None
        self.elsewhere: OtherNodes | None = None
        """What other nodes export, for a collector that asks for it."""

    def __str__(self) -> str:
        return f"{'Exported' if self.exported else 'Catalog'}-Collector[{self.type_name}]"

    def changes(self, attribute: str) -> bool:
        """Whether it would have changed this attribute of what the query did not match: by an override or an arrow."""
        if attribute in self.related or any(override.name == attribute for override in self.overrides):
            return True
        return bool(self.overrides) and attribute in self.scope.lookup_defaults(self.type_name)

    def evaluate(self) -> bool:
        """Collect what there is now; whether anything new was found."""
        run = self.scope.run
        if self.exported and not run.setting("storeconfigs"):
            return False
        new: list[tuple[Resource, Looked]] = []
        query, type_name, collected = self.query, self.type_name, self.collected
        candidates = run.resources_of(type_name)
        run.budget.draw("pairs", 4 * len(candidates), "collecting resources", self.span)
        for resource in candidates:
            if self.exported and not resource.exported:
                continue
            if query is None:
                looked: Looked = ()
            else:
                matches, looked = query(resource)
                if not matches:
                    if self.overrides or self.related or self.aimed_at or resource.virtual:
                        self.passed_by[resource.ref] = looked
                    continue
            if resource.virtual:
                resource.virtual = False
                resource.collected = (*resource.collected, *self.why, *looked)
            if resource.ref not in collected:
                new.append((resource, looked))
        if self.elsewhere is not None:
            new += self.elsewhere.collect(self)
        if not new:
            return False
        if self.overrides:
            run.may_override.add(id(self.scope.source))
            overrides = self._with_defaults()
            for resource, looked in new:
                check_repeated(overrides, resource.ref, self.span)
                merge_override(resource, overrides, self.scope, self.span, A_COLLECTOR, (*self.why, *looked))
        for resource, looked in new:
            collected[resource.ref] = resource
            self.looked[resource.ref] = looked
        return True

    def _with_defaults(self) -> list[Attribute]:
        """The overrides, and the resource defaults in force where the collector stands: they come along, in Puppet."""
        given = {override.name for override in self.overrides}
        defaults = self.scope.lookup_defaults(self.type_name) if self.scope.run.has_defaults else {}
        return [*self.overrides, *(attribute for name, attribute in defaults.items() if name not in given)]

    def causes(self) -> Looked:
        """What decided what it collected."""
        looked = (*self.looked.values(), *self.passed_by.values())
        if self.elsewhere is not None:
            looked = (*looked, self.elsewhere.looked)
        return (*self.why, *(origin for origins in looked for origin in origins))

    def unresolved(self) -> list[str]:
        """Resources it still waits for: none, a query may match nothing."""
        return []


class FixedCollector:
    """`realize(File['/a'])`: waits for resources named one by one."""

    def __init__(self, scope: Scope, references: list[tuple[str, str | None]], why: Origin) -> None:
        self.scope = scope
        self.references = references
        self.why = why

    def evaluate(self) -> bool:
        """Realize what there is now; whether anything was found."""
        run = self.scope.run
        left: list[tuple[str, str | None]] = []
        realized = False
        for type_name, title in self.references:
            if title is None:
                words = f"No title provided and {inspect(type_name)} is not a valid resource reference"
                raise CompilerFailed("ArgumentError", words, None, "not a reference")
            resource = run.catalog.find(type_name, title)
            if resource is None:
                left.append((type_name, title))
                continue
            realized = True
            if resource.virtual:
                resource.virtual = False
                resource.collected = (*resource.collected, self.why)
        self.references = left
        if not left:
            run.collections.remove(self)
        return realized

    def causes(self) -> Looked:
        """What decided what it realized."""
        return (self.why,)

    def unresolved(self) -> list[str]:
        """References to nothing."""
        return [
            f"{type_name}[{capitalize_segments(title or '') if type_name == 'Class' else title}]"
            for type_name, title in self.references
        ]
