"""One compilation: an environment and a node make a catalog.

The order of things is Puppet's: facts and other inputs become variables of the top scope; the main manifest is
evaluated; then the node definition that matches; then the classes the classifier gave; then collectors and defines,
over and over, until nothing new appears; then overrides that waited, relationships, and the metaparameters and tags
that resources take from what contains them; then everything is checked.

An environment is shared by many compilations; everything that is about one node is here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.collector import at_rest
from ...base.diagnostics import Diagnostic
from ...base.record import field
from ...language import Log
from ...provenance.origins import BUILT_IN, Absent, Choice, Copy, Guard, Leaf, Origin, Step
from ..kernel.failures import CatalogError, EvaluationError, Failure
from ..kernel.jumps import Break, Next, Return
from ..kernel.traced import Traced
from .binding import evaluate, located_failure
from .catalog import Catalog
from .collectors import Collector, FixedCollector
from .declaring import apply_defaults, check_permission
from .definitions import Definition
from .inputs import input_variables
from .machine import class_guard
from .relations import Relations
from .resource_types import INHERITED, core_kind
from .resources import Attribute, Resource, capitalize_segments
from .scope import Frame, Match, Scope

if TYPE_CHECKING:
    from ...base.source import Span
    from ..compile.effects import Change
    from ..environment.environment import Environment

MAX_ROUNDS = 1000

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


class Inputs:
    """What a compilation is given about its node."""

    __slots__ = ("classes", "facts", "node", "parameters", "server_facts", "settings", "trusted")

    def __init__(
        self,
        node: str,
        facts: Mapping[str, Any] | None = None,
        trusted: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        classes: Sequence[str] | Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        server_facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.node = node
        self.facts = facts
        self.trusted = trusted
        self.parameters = parameters or {}
        self.classes = classes or ()
        self.settings = settings or {}
        self.server_facts = server_facts or {}


class Compilation:
    """The state of one compilation; `compile` runs it."""

    def __init__(self, environment: Environment, inputs: Inputs) -> None:
        self.environment = environment
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
        self.logs: list[PuppetLog] = []
        self.warnings_before = len(environment.warnings)
        self.warned: set[str] = set()
        self.node_match: Match | None = None
        self.node_origin = Leaf("node", "name", None, self.node)
        self.data = environment.data_for(self)
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

    # --- the whole of it ---------------------------------------------------------------------------------------------

    def compile(self) -> Catalog:
        """Run everything and return the catalog.  Raises a `Diagnostic`.

        A run makes many small objects and hardly any cycles; looking for cycles meanwhile would walk all origins over
        and over, so that waits until the end.
        """
        with at_rest():
            try:
                self.environment.instantiate(self)
                return self._compile()
            finally:
                self.environment.running = None

    def _compile(self) -> Catalog:
        catalog = self.catalog
        stage = Resource("Stage", "main", BUILT_IN, self.top, None, None, None, core_kind("stage"))
        catalog.add(stage)
        for name in self.inputs.classes:
            catalog.add_class(name)
        self.top.vars.update(input_variables(self.inputs, self.settings))
        self._settings_class()
        self._main()
        self._node()
        self._classifier()
        self._generate()
        self._finish()
        self._check_leftovers()
        self.relations.validate()
        catalog.check_aliases()
        return catalog

    def _settings_class(self) -> None:
        definition = self.environment.settings_class
        resource = Resource("Class", "Settings", BUILT_IN, self.top, self.environment.main, None, None,
                            definition=definition, wire_kind="unknown")  # fmt: skip
        self.catalog.add(resource)
        self.catalog.add_class("settings")
        resource.evaluated = True
        scope = Scope(self, self.top, definition, resource, self.top)
        self.class_scopes["settings"] = scope
        for name, value in self.settings.items():
            scope.vars[name] = (value, Leaf("setting", name, None, value))
        scope.vars["all_local"] = (dict(self.settings), BUILT_IN)
        self.add_edge_to_stage(resource)

    def _main(self) -> None:
        resource = self.main_resource
        self.resources.append(resource)
        self.catalog.add(resource)
        resource.evaluated = True
        resource.tagged = True
        top = self.top
        self.class_scopes[""] = top
        top.vars.setdefault("module_name", ("", BUILT_IN))
        top.vars.setdefault("title", ("main", BUILT_IN))
        top.vars.setdefault("name", ("main", BUILT_IN))
        self.add_edge_to_stage(resource)
        try:
            for body in self.environment.main_bodies():
                body(top)
        except Break as jump:
            raise _illegal("break", jump.span) from None
        except Return as jump:
            raise _illegal("return", jump.span) from None
        except Next as jump:
            raise _illegal("next", jump.span) from None
        top.guard = None

    def _node(self) -> None:
        nodes = self.environment.nodes
        if not nodes:
            return
        found, groups, tried = self.environment.match_node(self.node)
        if found is None:
            raise CatalogError(
                f"Could not find node statement with name 'default' or '{', '.join(tried)}'",
                None,
                issue=None,
                kind="unknown node",
                lead="",
            )
        if groups is not None:
            self.node_match = (groups, (self.node_origin, found.pattern_origin))
        guard = Guard(self.node_origin, None, found.span, "node")
        named = Step(f"built in {found.name}", ())
        resource = Resource(
            "Node", found.name, named, self.top, found, None, guard, definition=found, wire_kind="unknown"
        )
        self.catalog.add_tags(*resource.tags)
        self.add_resource(self.top, resource)
        try:
            evaluate(self, resource)
        except (Break, Return, Next) as jump:
            raise _illegal(type(jump).__name__.lower(), jump.span) from None

    def _classifier(self) -> None:
        classes = self.inputs.classes
        scope = self.class_scopes.get(self._node_class_name(), self.top)
        with_parameters: dict[str, Mapping[str, Any]] = {}
        without: list[str] = []
        if isinstance(classes, Mapping):
            for name, parameters in classes.items():
                if parameters:
                    with_parameters[name] = parameters
                else:
                    without.append(name)
        else:
            without = list(classes)
        for name, parameters in with_parameters.items():
            leaf = Leaf("classifier", name, None, name)
            definition = self._class_for(name)
            attributes = [
                Attribute(key, value, Leaf("classifier", f"{name}.{key}", None, value), definition, None)
                for key, value in parameters.items()
            ]
            resource = self._make_class(definition, scope, leaf, Guard(leaf, scope.guard, None, "classifier"), None)
            for attribute in attributes:
                resource.set(attribute)
            self._add_class_resource(definition, resource, scope)
        for name in without:
            leaf = Leaf("classifier", name, None, name)
            definition = self._class_for(name)
            if definition.name not in self.class_scopes:
                self.ensure_class(definition, scope, leaf, Guard(leaf, scope.guard, None, "classifier"))

    def _node_class_name(self) -> str:
        for resource in self.resources:
            if resource.type == "Node" and resource.definition is not None:
                return resource.definition.name
        return ""

    def _class_for(self, name: str) -> Definition:
        found = self.environment.find_class(name)
        if found is None:
            raise CatalogError(
                f"Could not find class {name} for {self.node}",
                None,
                issue=None,
                kind="unknown class",
                lead="",
                help=self._near_class(name),
            )
        return found

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
                help=self.near_title("Stage", str(name)),
            )
        if resource.value("stage") is None and stage.title != "main":
            origin = Step(f"built in {stage.title}", ())
            resource.set(Attribute("stage", stage.title, origin, resource.source, None))
        self.catalog.add_edge(stage, resource, resource.guard)

    # --- classes -----------------------------------------------------------------------------------------------------

    def include_classes(
        self, frame: Frame, names: Sequence[str], origins: Sequence[Origin], how: str, span: Span | None
    ) -> list[Resource]:
        """Declare classes that may have been declared before, then evaluate the new ones in order."""
        definitions = []
        for name in names:
            found = self.environment.find_class(name)
            if found is None:
                shown = name if name.startswith("::") else f"::{name}"
                raise Failure(
                    f"Could not find class {shown} for {self.node}", kind="unknown class", help=self._near_class(name)
                )
            definitions.append(found)
        resources: list[Resource] = []
        new: list[Resource] = []
        for definition, origin in zip(definitions, origins):
            scope = self.class_scopes.get(definition.name)
            if scope is not None:
                resources.append(scope.resource)
                continue
            guard = class_guard(frame, origin, span)
            resource = self.ensure_class(definition, frame.base, origin, guard)
            resources.append(resource)
            new.append(resource)
        for resource in new:
            evaluate(self, resource)
        return resources

    def _near_class(self, name: str) -> str | None:
        return self.environment.near_class(name)

    def near_title(self, type_name: str, title: str) -> str | None:
        """A hint for a reference to a resource that is not in the catalog."""
        from ...base.spell import nearest

        wanted = capitalize_segments(type_name)
        near = nearest(title, [each.title for each in self.catalog.resources if each.type == wanted])
        return f"did you mean {wanted}[{near}]?" if near else None

    def ensure_class(self, definition: Definition, scope: Scope, origin: Origin, guard: Guard | None) -> Resource:
        """The resource of a class, made if it is not there yet."""
        found = self.catalog.find("Class", definition.name)
        if found is not None:
            return found
        resource = self._make_class(definition, scope, origin, guard, None)
        self._add_class_resource(definition, resource, scope)
        return resource

    def _make_class(
        self, definition: Definition, scope: Scope, origin: Origin, guard: Guard | None, span: Span | None
    ) -> Resource:
        return Resource(
            "Class",
            capitalize_segments(definition.name),
            origin,
            scope,
            definition,
            span,
            guard,
            definition=definition,
            wire_kind="unknown",
        )

    def _add_class_resource(self, definition: Definition, resource: Resource, scope: Scope) -> None:
        seen = {definition.name}
        parent = definition.parent_definition()
        line = [definition]
        while parent is not None and self.catalog.find("Class", parent.name) is None:
            if parent.name in seen:
                raise Failure(
                    f"class {definition.name} inherits from itself: {' -> '.join(d.name for d in line)}",
                    kind="inherits from itself",
                )
            seen.add(parent.name)
            line.append(parent)
            parent = parent.parent_definition()
        if self.has_defaults:
            apply_defaults(resource, scope.lookup_defaults("Class"))
        for above in reversed(line[1:]):
            inherited = Choice((resource.title_origin,), Step(f"built in {above.name}", ()), None, "inherited from")
            made = self._make_class(above, scope, inherited, resource.guard, None)
            self.catalog.add_tags(*made.tags)
            self.add_resource(scope, made)
        self.catalog.add_tags(*resource.tags)
        self.add_resource(scope, resource)

    def declare_class(
        self, frame: Frame, title: str, origin: Origin, attributes: Sequence[Attribute], span: Span | None
    ) -> Resource:
        """`class { 'a': }`: declare a class like a resource, and evaluate it."""
        definition = self.environment.find_class(title)
        if definition is None:
            raise Failure(f"Could not find declared class {title}", kind="unknown class", help=self._near_class(title))
        guard = class_guard(frame, origin, span)
        resource = self._make_class(definition, frame.base, origin, guard, span)
        resource.source = frame.base.source
        resource.wire_kind = "class"
        for attribute in attributes:
            resource.set(attribute)
        self._add_class_resource(definition, resource, frame.base)
        if definition.name not in self.class_scopes:
            evaluate(self, resource)
        return resource

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

    # --- overrides ---------------------------------------------------------------------------------------------------

    def merge_override(
        self,
        resource: Resource,
        attributes: Sequence[Attribute],
        scope: Scope,
        span: Span | None,
        how: str,
        permitted: tuple[Origin | Guard, ...],
    ) -> None:
        """Apply an override to a resource."""
        check_permission(resource, scope, span)
        for attribute in attributes:
            resource.override(attribute, how, permitted)

    # --- the end -----------------------------------------------------------------------------------------------------

    def _generate(self) -> None:
        """Evaluate collectors and definitions until nothing is left to do."""
        rounds = 0
        while True:
            done = True
            for collection in list(self.collections):
                if collection.evaluate():
                    done = False
            if self._evaluate_definitions():
                done = False
            if done:
                return
            rounds += 1
            if rounds > MAX_ROUNDS:
                raise CatalogError(
                    "Somehow looped more than 1000 times while evaluating host catalog",
                    None,
                    issue=None,
                    kind="endless evaluation",
                    lead="",
                )

    def _evaluate_definitions(self) -> bool:
        waiting = [each for each in self.unevaluated if not each.evaluated]
        ready = [each for each in waiting if not each.virtual]
        self.unevaluated = [each for each in waiting if each.virtual]
        for resource in ready:
            try:
                evaluate(self, resource)
            except (Break, Return, Next) as jump:
                word = type(jump).__name__.lower()
                raise EvaluationError(
                    f"Error while evaluating an Object, {word}() from context where this is illegal",
                    jump.span,
                    kind="illegal jump",
                    column=False,
                ) from None
            except Diagnostic as problem:
                raise located_failure(problem, resource) from None
        return bool(ready)

    def _finish(self) -> None:
        self.relations.evaluate()
        for resource in self.resources:
            if self.pending_overrides:
                waiting = self.pending_overrides.pop(resource.ref, None)
                for each in waiting or ():
                    self.merge_override(resource, *each)
            resource.finish()
        self._inherit_metaparameters()

    def _inherit_metaparameters(self) -> None:
        """Resources take tags and metaparameters (not relationships) from what contains them, from Class[main] down."""
        children = self.catalog.children
        waiting = [self.main_resource]
        seen: set[str] = set()
        data: dict[str, dict[str, Attribute]] = {}
        while waiting:
            following: list[Resource] = []
            for source in waiting:
                ref = source.ref
                if ref in seen:
                    continue
                seen.add(ref)
                contained = children.get(ref, ())
                inherited = data.get(ref)
                if inherited is None:
                    inherited = _metaparameters(source)
                tags = source.tags
                for target in contained:
                    if inherited:
                        data[ref] = inherited
                        for name, attribute in inherited.items():
                            if target.value(name) is None:
                                target.set(attribute)
                        data[target.ref] = {**inherited, **_metaparameters(target)}
                    target.tags.update(tags)
                following.extend(contained)
            waiting = following

    def _check_leftovers(self) -> None:
        if self.pending_overrides:
            left = [ref for ref, waiting in self.pending_overrides.items() for _ in waiting]
            if left:
                spans = [each[2] for waiting in self.pending_overrides.values() for each in waiting]
                raise CatalogError(
                    f"Could not find resource(s) {', '.join(left)} for overriding",
                    None,
                    issue=None,
                    kind="override of nothing",
                    lead="",
                    notes=[f"the override is at {span.place}" for span in spans if span is not None],
                )
        left = [ref for collection in self.collections for ref in collection.unresolved()]
        if left:
            raise CatalogError(
                f"Failed to realize virtual resources {', '.join(left)}",
                None,
                issue=None,
                kind="never realized",
                lead="",
            )

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
            from ..compile.templates import pieces_of

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


def _metaparameters(resource: Resource) -> dict[str, Attribute]:
    attributes = resource.attributes
    if not attributes:
        return {}
    return {name: attributes[name] for name in INHERITED if name in attributes and attributes[name].value is not None}


def _illegal(word: str, span: Span | None) -> CatalogError:
    return CatalogError(
        f"{word}() from context where this is illegal", span, issue=None, kind="illegal jump", lead="", column=False
    )
