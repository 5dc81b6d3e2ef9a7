"""The catalog: resources by reference and by alias, containment edges, classes and tags.

Resources keep the order in which they were added. A resource is found by type and title, by an explicit `alias`, or by
the attributes that name it (`File['/a/']` finds the file whose path is `/a`); no two resources may share any of these.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Label, LimitReached
from ..kernel.failures import CatalogError, Failure, location
from ..kernel.values import freeze
from ..types.sprintf import inspect
from .resource_types import core_kind
from .resources import Resource, capitalize_segments, component_reference, flatten

if TYPE_CHECKING:
    from ...provenance.origins import Guard, Origin

MAX_RESOURCES = 250_000


class Edge:
    """`source` contains `target`; `origin` says why."""

    __slots__ = ("origin", "source", "target")

    def __init__(self, source: Resource, target: Resource, origin: Origin | Guard | None) -> None:
        self.source = source
        self.target = target
        self.origin = origin


class Catalog:
    """Everything that has been declared so far."""

    __slots__ = ("_containers", "children", "classes", "edges", "resources", "table", "tags")

    def __init__(self) -> None:
        self.table: dict[tuple[Any, ...], Resource] = {}
        self.resources: list[Resource] = []
        self.edges: dict[tuple[str, str], Edge] = {}
        self.children: dict[str, list[Resource]] = {}
        self._containers: tuple[int, dict[str, list[Edge]]] = (0, {})
        self.classes: list[str] = []
        self.tags: dict[str, None] = {}

    def add(self, resource: Resource) -> None:
        """Add a resource.  Fails if one of its names is taken."""
        key = (resource.type, resource.title)
        existing = self.table.get(key)
        if existing is not None:
            raise already_declared(resource, existing)
        if len(self.resources) >= MAX_RESOURCES:
            raise LimitReached("too many resources", MAX_RESOURCES, resource.span)
        self.table[key] = resource
        self.resources.append(resource)
        self._alias_explicitly(resource)
        unique = resource.unique_key()
        if unique is not None:
            self._alias(resource, unique, ruby_text(list(unique)))

    def _alias_explicitly(self, resource: Resource) -> None:
        if "alias" in resource.attributes:
            for alias in flatten(resource.attributes["alias"].value):
                if alias is not None:
                    self._alias(resource, (alias,), ruby_text(alias))

    def check_aliases(self) -> None:
        """Fail if two resources share an alias now that overrides, collectors and defaults have had their say.

        The attributes that name a resource are not looked at again, as in Puppet.
        """
        for resource in self.resources:
            if "alias" in resource.attributes:
                break
        else:
            return
        final = Catalog()
        for resource in self.resources:
            if not resource.virtual or resource.exported:
                final.table[resource.type, resource.title] = resource
                try:
                    final._alias_explicitly(resource)
                except Failure as problem:
                    first = problem.labels[0] if problem.labels else None
                    raise CatalogError(
                        problem.message, first, issue=None, kind="duplicate alias", lead="", placeless=True
                    ) from None

    def _alias(self, resource: Resource, key: tuple[object, ...], shown: str) -> None:
        full = (resource.type, *(freeze(part) for part in flatten(list(key))))
        if key == (resource.title,):
            return
        existing = self.table.get(full)
        if existing is resource:
            return
        if existing is not None:
            where = location(resource.span)
            message = f"Cannot alias {resource.ref} to {shown}" + (f" at {where}" if where else "")
            message += f"; resource {ruby_text([resource.type, *flatten(list(key))])} already declared"
            if existing.span is not None:
                message += " " + location(existing.span)
            raise Failure(message, *_first(existing), kind="duplicate alias")
        self.table[full] = resource

    def near_title(self, type_name: str, title: str) -> str | None:
        """A hint for a reference to a resource that is not here."""
        from ...base.spell import nearest

        wanted = capitalize_segments(type_name)
        near = nearest(title, [resource.title for resource in self.resources if resource.type == wanted])
        return f"did you mean {wanted}[{near}]?" if near else None

    def find(self, type_name: str, title: str) -> Resource | None:
        """The resource of a type (in any case) with this title, alias or name."""
        type_name = capitalize_segments(type_name)
        if type_name == "Component":
            type_name, title = component_reference(title)
        if type_name == "Class":
            title = "main" if title == "" else capitalize_segments(title.removeprefix("::"))
        resource = self.table.get((type_name, title))
        if resource is None:
            kind = core_kind(type_name.lower())
            if kind is not None and kind.isomorphic:
                named = kind.named_by(title)
                if len(kind.keys) == 1:
                    return self.table.get((type_name, named))
                key = tuple(named if attribute == kind.namevar else None for attribute in sorted(kind.keys))
                return self.table.get((type_name, *key))
        return resource

    def add_edge(self, source: Resource, target: Resource, origin: Origin | Guard | None = None) -> None:
        """`source` contains `target`."""
        key = (source.ref, target.ref)
        if key not in self.edges:
            self.edges[key] = Edge(source, target, origin)
            self.children.setdefault(source.ref, []).append(target)

    def containers(self, ref: str) -> list[Resource]:
        """What contains a resource."""
        return [edge.source for edge in self.containing(ref)]

    def containing(self, ref: str) -> list[Edge]:
        """The edges to a resource from what contains it; gathered when somebody asks, since few do."""
        count, known = self._containers
        if count != len(self.edges):
            known = {}
            for edge in self.edges.values():
                known.setdefault(edge.target.ref, []).append(edge)
            self._containers = (len(self.edges), known)
        return known.get(ref, [])

    def add_class(self, name: str) -> None:
        """A class has been evaluated."""
        self.classes.append(name)
        self.add_tags(name)

    def add_tags(self, *names: str) -> None:
        """Tag the catalog itself."""
        for name in names:
            lower = name.lower()
            self.tags[lower] = None
            if "::" in lower:
                self.tags.update(dict.fromkeys(lower.split("::")))


def already_declared(resource: Resource, existing: Resource) -> Failure:
    """The failure of declaring a resource again, with the place of the first declaration."""
    where = location(existing.span)
    at = f" at {where}" if where else ""
    message = f"Duplicate declaration: {resource.ref} is already declared{at}; cannot redeclare"
    if resource.span is not None:
        message += " " + location(resource.span)
    return Failure(message, *_first(existing), kind="duplicate declaration")


def _first(existing: Resource) -> list[Label]:
    return [Label(existing.span, "first declared here")] if existing.span is not None else []


def ruby_text(value: object) -> str:
    """A value as Ruby's `inspect` shows it, for messages that show keys so."""
    if isinstance(value, list):
        return f"[{', '.join(map(ruby_text, value))}]"
    if value is None:
        return "nil"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else inspect(value)
