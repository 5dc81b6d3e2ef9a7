"""Resources of other nodes: what an exported collector asks for, and how what it is told becomes part of the catalog.

The question is the one that Puppet's terminus asks of PuppetDB (`puppet/indirector/resource/puppetdb.rb`): exported
resources of the type, of every node but this one, that match the query as the database understands it, where an array
is equal to an array only, and tags are those that the exporter's classes gave too. In the catalog the resource is no
longer exported, has no place in any manifest, the tags of its type, title and parameter `tag` alone, and the defaults
in force where the collector stands. A resource that is here already, and not from the same node, is an error.

What matched is an input: its name is the query, and everything that could be otherwise if another resource matched
depends on it. What a collected value itself depends on came along with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...provenance.exported import Exported, condition_words
from ...provenance.origins import Choice, Copy, Guard, Leaf, Origin
from ..kernel.edge_labels import ExportedBy
from ..kernel.failures import CatalogError, Failure
from ..types.sprintf import inspect
from .resource_types import ResourceKind
from .resources import Attribute, Resource, apply_defaults

if TYPE_CHECKING:
    from .collectors import RunningCollector
    from .compilation import Compilation
    from .definitions import Definition

Looked = tuple[Origin | Guard, ...]


def predicate_of(run: Compilation, name: object, wanted: object) -> list[Any]:
    """One comparison of a query, as PuppetDB is asked it.  Tags are compared in lower case."""
    value = wanted if run.rich_data is None else run.rich_data(wanted)
    if name == "tag":
        if not isinstance(value, str):
            owner = {list: "Array", dict: "Hash", bool: f"{value}Class"}.get(type(value), "NilClass")
            raise Failure(f"undefined method `downcase' for {inspect(value)}:{owner}", kind="illegal query")
        return ["=", "tag", value.lower()]
    return ["=", "title" if name == "title" else ["parameter", str(name)], value]


class Elsewhere:
    """What one collector asks about other nodes."""

    def __init__(
        self,
        run: Compilation,
        kind: ResourceKind | Definition,
        type_name: str,
        condition: list[Any] | None = None,
        wanted: Looked = (),
    ) -> None:
        self.kind = kind
        self.query: list[Any] = [
            "and",
            ["=", "type", type_name],
            ["=", "exported", True],
            ["not", ["=", "certname", run.node]],
            *([] if condition is None else [condition]),
        ]
        shown = type_name if condition is None else f"{type_name} {condition_words(condition)}"
        self.input = Leaf("export", shown, None, None)
        self.looked: Looked = (self.input, *wanted)

    def collect(self, collector: RunningCollector) -> list[tuple[Resource, Looked]]:
        """Add what matches and is not here yet; the resources that were added."""
        run = collector.scope.run
        new: list[tuple[Resource, Looked]] = []
        answer = self._answer(run)
        run.budget.draw("pairs", 4 * len(answer), "collecting exported resources", collector.span)
        for exported in answer:
            known = run.catalog.find(exported.type, exported.title)
            if known is None:
                new.append((self._added(collector, exported), self.looked))
                continue
            before = run.foreign.get(known.ref)
            if before is None or (before.node, before.title) != (exported.node, exported.title):
                raise _duplicate(collector, exported, before)
        return new

    def _answer(self, run: Compilation) -> Sequence[Exported]:
        if run.exports is None:
            return ()
        question = json.dumps(self.query, separators=(",", ":"), sort_keys=True)
        answer = run.asked_elsewhere.get(question)
        if answer is None:
            run.environment.host.own("exports", question)
            answer = run.asked_elsewhere[question] = run.exports.search(self.query)
        return answer

    def _added(self, collector: RunningCollector, exported: Exported) -> Resource:
        scope = collector.scope
        run = scope.run
        by = ExportedBy(exported.node)
        existence = Copy(by, Choice((self.input,), exported.existence))
        definition = None if isinstance(self.kind, ResourceKind) else self.kind
        kind = self.kind if isinstance(self.kind, ResourceKind) else None
        wire_kind = "compilable_type" if definition is None else "defined_type"
        resource = Resource(
            collector.type_name, exported.title, existence, scope, scope.source, None, None, kind, definition, wire_kind
        )
        resource.collected = (*collector.why, *self.looked)
        for name, value in exported.parameters.items():
            origin = Copy(by, exported.origins.get(name, exported.existence))
            resource.set(Attribute(name, _own(value), origin, scope.source, None))
        if run.has_defaults:
            apply_defaults(resource, scope.lookup_defaults(resource.type))
        run.add_resource(scope, resource)
        run.foreign[resource.ref] = exported
        return resource


def _duplicate(collector: RunningCollector, exported: Exported, before: Exported | None) -> CatalogError:
    """Two resources of one name, at least one of them from another node."""
    ref = f"{exported.type}[{exported.title}]"
    first = "declared here" if before is None else f"exported by {before.node}"
    return CatalogError(
        f"A duplicate resource was found while collecting exported resources, with the type and title {ref}",
        collector.span,
        issue=None,
        kind="duplicate export",
        lead="",
        placeless=True,
        notes=[f"it is both {first} and exported by {exported.node}"],
    )


def _own(value: object) -> Any:
    """Arrays and hashes of its own: other nodes are given the same ones."""
    if type(value) is list:
        return [_own(element) for element in value]
    return {key: _own(element) for key, element in value.items()} if type(value) is dict else value
