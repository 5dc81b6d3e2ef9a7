"""One compilation: everything that is about one node, while its catalog is made.

An environment is shared by many compilations and holds nothing of any one of them; what they do, in which order, is in
`wherefrom.puppet.runtime.phases`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...base.record import field
from ...base.secrets import Learned
from ...language import Log
from ...provenance.origins import BUILT_IN, Absent, Choice, Guard, Later, Leaf, Origin, built_in
from ..kernel.edge_labels import NAMED
from ..kernel.failures import Failure, UnknownStage
from ..kernel.traced import NoData, Traced
from ..types.sprintf import to_s
from .absences import Absences
from .catalog import Catalog
from .collectors import FixedCollector, RunningCollector
from .definitions import Definition
from .names import is_word
from .relations import Relations, stands_in
from .resources import Attribute, Resource
from .scope import Frame, Match, Scope, pieces_of

if TYPE_CHECKING:
    from ...base.source import Span
    from ...provenance.exported import Database, Exported, ExportSource
    from ...provenance.observed import Observations
    from ..functions.registry import Machine
    from .effects import Effects
    from .inputs import NodeInputs
    from .left_out import LeftOut
    from .library import Library
    from .recorded import Recorder

DEFAULT_SETTINGS: Mapping[str, Any] = {
    "strict": "warning",
    "strict_variables": False,
    "storeconfigs": False,
    "tasks": False,
    "environment": "production",
    "rich_data": True,
}

RESOURCE = 40
"""Steps that declaring a resource takes."""


class PuppetLog(Log):
    """A line that was logged, with the place that logged it."""

    span: Span | None = field(default=None)

    @property
    def is_complaint(self) -> bool:
        """Whether the compiler says it about a place, and not the manifest by a call."""
        return self.span is not None and (self.origin is None or self.origin is BUILT_IN)

    @property
    def place(self) -> str:
        """Where what the compiler complains of stands; some complaints say it in a line of their own."""
        return self.span.place if self.span is not None and self.is_complaint and "\n" not in self.message else ""


class Compilation:
    """The state of one compilation.  `machine_for` gives what a function sees of the evaluator, by the call's frame."""

    __slots__ = (  # it has more attributes than Python keeps in the quick form
        "__weakref__", "_files", "absences", "asked_elsewhere", "budget", "by_type", "calls", "catalog",
        "class_scopes", "classified", "collections", "data", "data_only", "database", "declared_at", "depth",
        "environment", "exports", "foreign", "has_defaults", "inputs", "learned", "left_out", "logs", "machine_for",
        "main_resource", "may_ask_ruby", "may_override", "named_aliases", "node", "node_match", "node_origin",
        "not_taken", "now", "observed", "parameter_types", "pending_overrides", "plain_templates", "public_outputs",
        "recorder",
        "relations", "resources", "rich_data", "ruby", "settings", "shows_derived", "strict", "strict_variables", "top",
        "unevaluated", "untitled", "warned", "warnings_before",
    )  # fmt: skip

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
        self.collections: list[RunningCollector | FixedCollector] = []
        self.relations = Relations(self)
        self.pending_overrides: dict[str, list[Any]] = {}
        self.may_override: set[int] = set()
        self.class_scopes: dict[str, Scope] = {}
        self.not_taken: dict[int, Guard] = {}
        """By the identity of their effects (which the environment keeps): branches not taken, and why the last time."""
        self.absences = Absences(self)
        self.classified = False
        self.data_only = False
        """Is it about the data alone, so that no code of the node is evaluated?"""
        self.left_out: list[LeftOut] | None = None
        """Code that failed and was left out, where that is wanted."""
        self.observed: Observations | None = None
        """What each expression gave, where that is wanted."""
        self.declared_at: int | None = None
        """When the class (or the class round the define) that is being evaluated was declared, in notes of absence."""
        self.has_defaults = False
        self.untitled = False
        """Was an attribute given the type `File`, without a title?"""
        self.parameter_types: dict[Any, Any] = {}
        """Types of parameters that are not the same in every run, by the definition or function they belong to."""
        self.named_aliases: set[str] = set()
        """Aliases of what is no type that have been named: the second time is an error."""
        self.logs: list[PuppetLog] = []
        self.warnings_before = len(environment.warnings)
        self.warned: set[str] = set()
        self.node_match: Match | None = None
        self.node_origin = Leaf("node", "name", None, self.node)
        self.data = environment.data_for(self)
        self.plain_templates: dict[str, str | None] = {}
        """Templates that were read: their text if they have no tags, else nothing."""
        self._files: dict[tuple[str, str], str | None] = {}
        self.ruby: Any = None
        """Ruby for this catalog (`wherefrom.puppet.rubyhost.run`), made when first needed."""
        self.may_ask_ruby = False
        """Whether functions that wherefrom's own Ruby can not run may be asked of a Ruby process."""
        self.rich_data: Callable[[Any], Any] | None = None
        """How the catalog writes a value, for Ruby code that asks for it; set by the output layer."""
        self.learned = Learned()
        """What has turned out to be secret in this run."""
        self.shows_derived = False
        """Whether what is computed from secrets may be shown."""
        self.public_outputs: tuple[str, ...] = ()
        """Paths of outputs that may be shown although they are computed from secrets."""
        self.exports: ExportSource | None = None
        """A source of what other nodes export."""
        self.recorder: Recorder | None = None
        """Asks DNS, programs and PuppetDB, and records their answers."""
        self.database: Database | None = None
        """What answers `puppetdb_query`."""
        self.foreign: dict[str, Exported] = {}
        """By reference: the resources that were collected from other nodes."""
        self.asked_elsewhere: dict[str, Sequence[Exported]] = {}
        """Questions about what other nodes export, with the answers: in one run, each is asked once."""
        """What it did beside its catalog, if somebody wants to know."""
        self.budget = current()
        self.depth = 0
        self.calls = 0
        main = environment.main
        self.main_resource = Resource(
            "Class", "main", built_in("main"), None, main, None, None, definition=main, wire_kind="unknown"
        )
        self.top = Scope(self, None, main, self.main_resource, None)
        self.main_resource.scope = self.top

    def is_named_again(self, alias: str) -> bool:
        """Has the run named this alias before?  From now on it has."""
        before = alias in self.named_aliases
        self.named_aliases.add(alias)
        return before

    def find_file(self, kind: str, path: str) -> str | None:
        """The file that `MODULE/PATH` names below the module's `kind`; looked for once in a run."""
        if (kind, path) not in self._files:
            self._files[kind, path] = self.environment.find_file(kind, path)
        return self._files[kind, path]

    # --- resources ---------------------------------------------------------------------------------------------------

    def add_resource(self, scope: Scope, resource: Resource) -> None:
        """Add a resource to the catalog, inside of the resource whose scope it stands in."""
        budget = self.budget
        budget.steps -= RESOURCE
        if budget.steps < 0:
            budget.over("steps", f"declaring {resource.ref}", resource.span)
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
        resource.since = self.absences.now
        resource.late = self.classified
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
        named = resource.value("stage")
        own = named not in (None, False)
        if not own and resource.scope is not None:
            named = resource.scope.resource.value("stage")
        stage = self.catalog.find("Stage", to_s(named) if named not in (None, False) else "main")
        if stage is None:
            shown = to_s(named) if own else "main"
            raise UnknownStage(
                f"Could not find stage {shown} specified by {resource.ref}",
                kind="unknown stage",
                help=self.catalog.near_title("Stage", to_s(named)),
            )
        if not own and stage.title != "main":
            above = Later(f"another stage of {resource.ref}", self._stage_above, None, (resource,))
            origin = Choice((above,), built_in(stage.title))
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

    def data_value(
        self, key: str, merge: object, frame: Frame, how: Mapping[str, object] | None = None
    ) -> Traced | Absent:
        """The value of a Hiera key, or why there is none."""
        if self.data is None:
            if how is not None:  # asked for by a function: complain as a search would
                from ..hiera.keys import Key
                from ..hiera.merging import Strategy

                Key(key)
                Strategy(merge)
            return NoData(key)
        answer: Traced | Absent = self.data.lookup(key, merge, frame, **(how or {"parameter": True}))
        return answer

    def note_absent(self, frame: Frame, effects: Any, guard: Guard) -> None:
        """A branch with these effects was not taken because of `guard` (rule R1)."""
        self.not_taken[id(effects)] = guard
        names = effects.names
        if names:
            frame.note_absent(names, guard)
        if effects.lasting:
            self.absences.note(effects, guard, frame.base)
        if effects.renders:
            pieces_of(frame).append(("", Absent("text of a branch", (guard,))))

    def is_classified(self, name: str) -> bool:
        """Whether the classifier names a class."""
        return name in self.inputs.classes

    def note_other(self, frame: Frame, effects: Effects, causes: Sequence[Origin | Guard], span: Span | None) -> None:
        """A name was computed (or is an input): had it been another, something with these effects would have happened.

        A name that is part of the program's text decides nothing. Nor do the tests in force: had they come out
        otherwise, this name would not have been used, but no other either.
        """
        deciding = tuple([cause for cause in causes if isinstance(cause, Guard) or not is_word(cause)])
        if deciding:
            test = deciding[0] if len(deciding) == 1 else Absent("another name", deciding)
            guard = test if isinstance(test, Guard) else Guard(test, None, span, NAMED)
            self.absences.notes.append((effects, guard, frame.base))

    def unmade_changes(self, resource: Resource, name: str, before: int | None = None) -> tuple[Origin | Guard, ...]:
        """Why an attribute was not changed: branches that were not taken, queries that did not match."""
        attribute = resource.attributes.get(name)
        defaulted = attribute is None or attribute.is_default
        now = self.absences.now if before is None else before
        causes = [*self.absences.of_change(resource, name, defaulted, now)]
        if attribute is None:
            causes.extend(resource.lacking(name))
        for collection in self.collections:
            if isinstance(collection, RunningCollector):
                if resource.ref in collection.passed_by and collection.changes(name):
                    causes.extend((*collection.why, *collection.passed_by[resource.ref]))
                if collection.collected and name in collection.related and stands_in(resource.ref, collection):
                    causes.extend(
                        (*collection.causes(), *(collected.existence for collected in collection.collected.values()))
                    )
        return tuple(causes)

    @property
    def may_spare(self) -> bool:
        """Whether anything could have changed an attribute that did not."""
        return bool(self.absences.notes or self.collections)

    def placement(self, resource: Resource) -> tuple[Origin | Guard, ...]:
        """What decided where a resource stands: a class could have been declared elsewhere, all else stands in one."""
        above: Resource | None = resource
        while above is not None and not above.is_class:
            above = above.scope.resource if above.scope is not None and above.scope.resource is not above else None
        return self.absences.of_any_class(above.since) if above is not None else ()

    def stage_causes(self, resource: Resource) -> tuple[Origin | Guard, ...]:
        """What decided which stage a class stands in: its own parameter, or that of what declared it."""
        stage = resource.attributes.get("stage")
        own = (stage.origin,) if stage is not None else ()
        given = self.absences.of_any_class(resource.since, parameters=True)
        return (*own, *self.unmade_changes(resource, "stage"), *self._stage_above(resource), *given)

    def _stage_above(self, resource: Resource) -> tuple[Origin | Guard, ...]:
        """What decided about the stage of a class that names none: who declared it, and the stage of that."""
        causes: list[Origin | Guard] = [resource.existence, *self.placement(resource), *resource.lacking("stage")]
        holder = resource.scope.resource if resource.scope is not None else None
        if holder is not None:
            stage = holder.attributes.get("stage")
            causes += (holder.existence, *self.unmade_changes(holder, "stage"))
            causes += (stage.origin,) if stage is not None else ()
        return tuple(causes)

    def inherited_causes(self, resource: Resource, name: str, own: tuple[Origin, ...]) -> tuple[Origin | Guard, ...]:
        """What decided that a resource takes a metaparameter from what contains it, and from which of them.

        `own` is why it says undef itself, if it does. Metaparameters come down from the main class, so that all that
        contains what contains it has a say.
        """
        causes: list[Origin | Guard] = [*own]
        waiting, seen = [resource], {resource.ref}
        while waiting:
            holder = waiting.pop()
            causes += (
                holder.existence,
                *holder.lacking(name),
                *self.unmade_changes(holder, name),
                *self.placement(holder),
            )
            if holder.is_class:
                causes += self.absences.of_containing(holder.title.lower())
            for edge in self.catalog.containing(holder.ref):
                causes += (edge.origin,) if edge.origin is not None else ()
                if edge.source.ref not in seen:
                    seen.add(edge.source.ref)
                    waiting.append(edge.source)
        return tuple(causes)

    def tag_causes(self, resource: Resource) -> tuple[Origin | Guard, ...]:
        """What decided about the tags of a resource: its own, and those of everything that contains it."""
        causes: list[Origin | Guard] = []
        waiting, seen = [resource], {resource.ref}
        while waiting:
            holder = waiting.pop()
            causes += (holder.existence, *holder.tagged_by, *self.absences.of_tags(holder), *self.placement(holder))
            causes += self.unmade_changes(holder, "tag")
            if holder.is_class:
                causes += self.absences.of_containing(holder.title.lower())
            edges = self.catalog.containing(holder.ref)
            around = [edge.source for edge in edges]
            causes += (edge.origin for edge in edges if edge.origin is not None)
            if holder.scope is not None:
                around.append(holder.scope.resource)
            for above in around:
                if above.ref not in seen:
                    seen.add(above.ref)
                    waiting.append(above)
        return tuple(causes)

    def tag_origin(self, resource: Resource) -> Origin:
        """The same as an origin, worked out when somebody looks."""
        if resource.tag_origin is None:
            resource.tag_origin = Later(f"other tags of {resource.ref}", self.tag_causes, None, (resource,))
        return resource.tag_origin
