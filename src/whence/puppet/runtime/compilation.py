"""One compilation: everything that is about one node, while its catalog is made.

An environment is shared by many compilations and holds nothing of any one of them; what they do, in which order, is in
`whence.puppet.runtime.phases`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.record import field
from ...language import Log
from ...provenance.origins import BUILT_IN, Absent, Copy, Guard, Leaf, Origin, Step
from ..kernel.failures import Failure
from ..kernel.traced import Traced
from .catalog import Catalog
from .collectors import Collector, FixedCollector
from .definitions import Definition
from .relations import Relations
from .resources import Attribute, Resource
from .scope import Frame, Match, Scope, pieces_of

if TYPE_CHECKING:
    from ...base.source import Span
    from ..functions.registry import Machine
    from .inputs import NodeInputs
    from .library import Change, Library

DEFAULT_SETTINGS: Mapping[str, Any] = {
    "strict": "warning",
    "strict_variables": False,
    "storeconfigs": False,
    "tasks": False,
    "environment": "production",
    "rich_data": True,
}


class PuppetLog(Log):
    """A line that was logged, with the place that logged it."""

    span: Span | None = field(default=None)


class Compilation:
    """The state of one compilation.  `machine_for` gives what a function sees of the evaluator, by the call's frame."""

    def __init__(self, environment: Library, inputs: NodeInputs, machine_for: Callable[[Frame], Machine]) -> None:
        self.machine_for = machine_for
        self.environment = environment
        self.now = environment.host.now()
        self.inputs = inputs
        self.node = inputs.node
        self.settings = {**DEFAULT_SETTINGS, **environment.settings, **inputs.settings}
        self.strict: str = str(self.settings["strict"])
        self.strict_variables = bool(self.settings["strict_variables"])
        self.catalog = Catalog()
        self.resources: list[Resource] = []
        self.by_type: dict[str, list[Resource]] = {}
        self.unevaluated: list[Resource] = []
        self.collections: list[Collector | FixedCollector] = []
        self.relations = Relations(self)
        self.pending_overrides: dict[str, list[Any]] = {}
        self.may_override: set[int] = set()
        self.class_scopes: dict[str, Scope] = {}
        self.begun: set[str] = set()
        """The classes whose evaluation has begun; their scopes are there when their parents have run."""
        self.not_taken: dict[int, Guard] = {}
        """By the identity of their effects (which the environment keeps): branches not taken, and why the last time."""
        self.absent_classes: dict[str, list[Guard]] = {}
        self.absent_changes: list[tuple[Sequence[Change], Guard]] = []
        self.absent_variables: dict[str, dict[str, list[Guard]]] = {}
        self.has_defaults = False
        self.parameter_types: dict[Any, Any] = {}
        """Types of parameters that are not the same in every run, by the definition or function they belong to."""
        self.logs: list[PuppetLog] = []
        self.warnings_before = len(environment.warnings)
        self.warned: set[str] = set()
        self.node_match: Match | None = None
        self.node_origin = Leaf("node", "name", None, self.node)
        self.data = environment.data_for(self)
        self.ruby: Any = None
        """Ruby for this catalog (`whence.puppet.rubyhost.run`), made when the first template or function needs it."""
        self.depth = 0
        self.calls = 0
        self.blocks = 0
        self.built = 0
        main = environment.main
        self.main_resource = Resource(
            "Class", "main", BUILT_IN, None, main, None, None, definition=main, wire_kind="unknown"
        )
        self.top = Scope(self, None, main, self.main_resource, None)
        self.main_resource.scope = self.top

    # --- resources ---------------------------------------------------------------------------------------------------

    def add_resource(self, scope: Scope, resource: Resource) -> None:
        """Add a resource to the catalog, inside of the resource whose scope it stands in."""
        self.resources.append(resource)
        self.catalog.add(resource)
        if not resource.is_class and "stage" in resource.attributes and resource.value("stage") is not None:
            raise Failure(
                f"Only classes can set 'stage'; normal resources like {resource.ref} cannot change run stage",
                kind="stage of a resource",
            )
        if resource.definition is not None:
            self.unevaluated.append(resource)
        self.by_type.setdefault(resource.type, []).append(resource)
        if resource.type == "Stage":
            return
        if not resource.is_class:
            self.catalog.add_edge(scope.resource, resource, resource.guard)

    def resources_of(self, type_name: str) -> list[Resource]:
        """The resources of a type so far."""
        return self.by_type.get(type_name, [])

    def add_edge_to_stage(self, resource: Resource) -> None:
        """A class stands in a stage: the one it names, that of the class that declared it, or `main`."""
        if not resource.is_class:
            return
        name = resource.value("stage")
        if name is None and resource.scope is not None:
            name = resource.scope.resource.value("stage")
        stage = self.catalog.find("Stage", str(name) if name is not None else "main")
        if stage is None:
            raise Failure(
                f"Could not find stage {name} specified by {resource.ref}",
                kind="unknown stage",
                help=self.catalog.near_title("Stage", str(name)),
            )
        if resource.value("stage") is None and stage.title != "main":
            origin = Step(f"built in {stage.title}", ())
            resource.set(Attribute("stage", stage.title, origin, resource.source, None))
        self.catalog.add_edge(stage, resource, resource.guard)

    def child_of(self, definition: Definition, other: Definition) -> bool:
        """Whether code of `definition` may override what code of `other` set."""
        if id(definition) in self.may_override:
            return True
        parent = definition.parent_definition() if definition.kind == "class" else None
        while parent is not None:
            if parent is other or id(parent) in self.may_override:
                return True
            parent = parent.parent_definition()
        return False

    # --- services ----------------------------------------------------------------------------------------------------

    def setting(self, name: str) -> Any:
        """A setting, or nothing if it is not known."""
        return self.settings.get(name)

    def log(self, level: str, message: str, span: Span | None, origin: Origin) -> None:
        """Log a line of the manifest's own."""
        self.logs.append(PuppetLog(level, message, origin, span))

    def warn(self, message: str, span: Span | None) -> None:
        """Log a warning of the compiler."""
        self.logs.append(PuppetLog("warning", message, BUILT_IN, span))

    def warn_once(self, key: str, message: str, span: Span | None) -> None:
        """Log a warning of the compiler, once for each key."""
        if key not in self.warned:
            self.warned.add(key)
            self.warn(message, span)

    def data_value(self, key: str, merge: Any, frame: Frame, how: Mapping[str, Any] | None = None) -> Traced | None:
        """The value of a Hiera key, or nothing."""
        if self.data is None:
            if how is not None:  # asked for by a function: complain as a search would
                from ..hiera.keys import Key
                from ..hiera.merging import Strategy

                Key(key)
                Strategy(merge)
            return None
        found: Traced | None = self.data.lookup(key, merge, frame, **(how or {"parameter": True}))
        return found

    def note_absent(self, frame: Frame, effects: Any, guard: Guard) -> None:
        """A branch with these effects was not taken because of `guard` (rule R1)."""
        self.not_taken[id(effects)] = guard
        names, classes = effects.names, effects.classes
        if names:
            frame.note_absent(names, guard)
        if effects.changes:
            self.absent_changes.append((effects.changes, guard))
        if classes:
            self._note_absent_classes(classes, guard)
        if effects.renders:
            pieces_of(frame).append(("", Absent("text of a branch", (guard,))))

    def _note_absent_classes(self, classes: Sequence[str], guard: Guard) -> None:
        for name in self.environment.reachable_classes(classes, self.begun):
            self.absent_classes.setdefault(name, []).append(guard)
            changes = self.environment.changes_in_class(name)
            if changes:
                self.absent_changes.append((changes, guard))
            assigned = self.environment.assigned_in_class(name)
            if assigned:
                table = self.absent_variables.setdefault(name, {})
                for each in assigned:
                    table.setdefault(each, []).append(guard)

    def spared(self, resource: Resource, name: str) -> tuple[Origin | Guard, ...]:
        """What kept an attribute from being changed: branches not taken, queries that did not match."""
        type_name, title = resource.type.lower(), resource.title
        found: list[Origin | Guard] = []
        attribute = resource.attributes.get(name)
        defaulted = (
            attribute is not None
            and isinstance(attribute.origin, Copy)
            and attribute.origin.how.startswith("default for")
        )
        for changes, guard in self.absent_changes:
            if any(each.touches(type_name, title, name) and (defaulted or not each.default) for each in changes):
                found.append(guard)
        for collection in self.collections:
            if isinstance(collection, Collector) and resource.ref in collection.passed_by:
                if any(each.name == name for each in collection.overrides):
                    found.extend((*collection.why, *collection.passed_by[resource.ref]))
        return tuple(found)
