"""What functions may ask of the evaluator, answered for the frame that the call stands in.

Every frame has a `Machine` (see `wherefrom.puppet.functions.registry`): a function that includes a class, reads a
variable or declares a resource does so in the scope, and under the guard, of its own call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...provenance.composites import shape
from ...provenance.origins import BUILT_IN, Absent, Choice, Guard, Later, Leaf, Origin, Step, guarded
from ..functions.registry import Machine
from ..kernel.failures import EvaluationError, FunctionFailure
from ..kernel.operations import MISSING, PRESENT
from ..kernel.values import key_value
from .classes import include_classes
from .collectors import FixedCollector
from .declaring import declare
from .effects import ANYTHING_DECLARED, any_resource, computed_classes
from .holding import held
from .inputs import traced_input
from .names import is_program_text
from .recorded import answered, clock_of, to_record
from .relations import RELATIONS
from .resource_types import ResourceKind, core_kind
from .resources import Attribute, capitalize_segments
from .templates import missed_files, render_file, render_text
from .variables import absence, existing, read

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import Span
    from ..kernel.traced import Traced
    from .compilation import Compilation
    from .definitions import Definition
    from .resources import Resource
    from .scope import Frame, Scope


def _file_of(definition: ResourceKind | Definition | None) -> str | None:
    """The file that something is defined in."""
    span = getattr(definition, "span", None)
    return None if span is None else str(span.file.name)


class FrameMachine(Machine):
    """A `Machine`: the evaluator, as functions see it from the frame that their call stands in."""

    __slots__ = ("frame",)

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    @property
    def machine(self) -> FrameMachine:
        """Itself: a function that calls another one does so from the same frame."""
        return self

    @property
    def run(self) -> Compilation:
        """The compilation."""
        return self.frame.run

    @property
    def base(self) -> Scope:
        """The scope that the call stands in."""
        return self.frame.base

    @property
    def guard(self) -> Guard | None:
        """The tests in force at the call."""
        return self.frame.guard

    @property
    def host(self) -> Host:
        """The door to files and clock."""
        return self.run.environment.host

    @property
    def node_name(self) -> str:
        """The name of the node a catalog is made for."""
        return self.run.node

    @property
    def puppet_version(self) -> str:
        """The Puppet version to emulate."""
        return self.run.environment.puppet_version

    def setting(self, name: str) -> Any:
        """A setting of Puppet."""
        return self.run.setting(name)

    # variables and functions

    def held(self, value: object) -> Any:
        """A value as attributes hold it: references are names."""
        return held(self.run, value)

    def variable(self, name: str) -> Traced | None:
        """The variable `name`, or nothing."""
        return read(self.frame, name)

    def top_variable(self, name: str) -> Traced | None:
        """The variable `name` as code at top scope sees it (in its lambdas too), or nothing."""
        top = self.run.top
        return read(self.frame if self.base is top else top, name)

    def absent_variable(self, name: str, span: Span | None) -> Origin:
        """Why the variable `name` is not there."""
        return absence(self.frame, name, span)

    def existing_variable(self, name: str) -> Traced | None:
        """The variable that `defined('$name')` finds, or nothing."""
        return existing(self.frame, name)

    def call_function(
        self, name: str, values: Sequence[object], origins: Sequence[Origin], block: object, span: Span | None
    ) -> Traced:
        """Call any function by name."""
        environment = self.run.environment
        result: Traced = environment.function(name, span).call(self.frame, values, origins, block, span)
        others = environment.other_function(name)
        return result if others is None else (result[0], Choice((others,), result[1]))

    def resolve_type(self, text: str, span: Span | None) -> Any:
        """The type that a text names."""
        return self.run.environment.type_of_text(text, self)

    # logs

    def log(self, level: str, message: str, span: Span | None, origin: Origin) -> None:
        """Log a message that the manifest asked for."""
        self.run.log(level, message, span, guarded(origin, self.guard))

    def warn_once(self, key: str, message: str, span: Span | None) -> None:
        """Log a warning of the compiler itself, once for each key."""
        place = "(file & line not available)" if span is None else f"(file: {span.file.name}, line: {span.line})"
        self.run.warn_once(key, f"{message}\n   {place}", None)

    # the catalog

    def declare_classes(
        self,
        names: Sequence[str],
        origins: Sequence[Origin],
        how: str,
        span: Span | None,
        given: Sequence[Origin],
    ) -> None:
        """Declare classes by name and evaluate them."""
        run = self.run
        self._needs_catalog(how, span)
        causes = [
            cause for argument in given for cause in (argument, *shape(argument)) if not is_program_text(argument)
        ]
        if causes:
            run.absences.computed = True
            run.note_other(self.frame, computed_classes(False, how == "contain"), causes, span)
        resources = include_classes(run, self.frame, names, origins, how, span)
        container = self.base.resource
        if how == "contain":
            for resource, origin in zip(resources, origins):
                run.catalog.add_edge(container, resource, guarded(origin, self.guard))
        elif how == "require":
            for resource, origin in zip(resources, origins):
                run.relations.append_reference(container, "require", resource, guarded(origin, self.guard), span)

    def realize(self, references: Sequence[tuple[str, str | None]], origin: Origin, span: Span | None) -> None:
        """Make virtual resources real, when all resources are known."""
        self._needs_catalog("realize", span)
        wanted = [
            (type_name if title is None else capitalize_segments(type_name), title) for type_name, title in references
        ]
        self.run.collections.append(FixedCollector(self.base, wanted, guarded(origin, self.guard)))

    def create_resources(
        self,
        type_name: str,
        form: str,
        resources: Mapping[Any, Mapping[str, Traced]],
        origins: Mapping[Any, Origin],
        span: Span | None,
        given: Sequence[Origin],
        composites: Mapping[Any, tuple[Origin, ...]],
    ) -> None:
        """Declare resources: title to parameters."""
        self._needs_catalog("create_resources", span)
        run = self.run
        declared = computed_classes(True) if type_name == "class" else any_resource(type_name)
        run.note_other(self.frame, declared, shape(given[1]), span)
        run.note_other(self.frame, ANYTHING_DECLARED, given[:1], span)
        run.absences.computed = True
        source = self.base.source
        copies: dict[int, Any] = {}  # resources of one call share the arrays of relationships
        for title, parameters in resources.items():
            if key_value(title) is None:
                known = isinstance(run.environment.find_type(type_name), ResourceKind)
                shown = f":{type_name}" if known else f'"{type_name}"'
                raise FunctionFailure(f"No title provided and {shown} is not a valid resource reference")
            attributes = [
                Attribute(name, held(run, value), origin, source, None) for name, (value, origin) in parameters.items()
            ]
            for attribute in attributes:
                if attribute.name in RELATIONS and type(attribute.value) is list:
                    attribute.value = copies.setdefault(id(attribute.value), list(attribute.value))
            titles = [(held(run, key_value(title)), origins[title])]
            declare(self.frame, type_name, titles, attributes, form, span, composites[title])

    def _needs_catalog(self, operation: str, span: Span | None) -> None:
        if self.run.settings["tasks"]:
            raise EvaluationError(
                f"The catalog operation '{operation}' is only available when compiling a catalog",
                span,
                issue="CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING",
                lead="",
                column=False,
            )

    def tag(self, names: Sequence[str], origin: Origin, span: Span | None) -> None:
        """Tag the resource that is being evaluated."""
        self._needs_catalog("tag", span)
        self.base.resource.tag(list(names))
        self.base.resource.tagged_by += (guarded(origin, self.guard),)

    def tagged(self, name: str, span: Span | None = None) -> Traced:
        """Whether the resource being evaluated, or the catalog, has a tag."""
        self._needs_catalog("tagged", span)
        lower = str(name).lower()
        run = self.run
        resource = self.base.resource
        present = lower in run.catalog.tags or resource.is_tagged([lower])
        absences = run.absences

        def causes(now: int) -> tuple[Origin | Guard, ...]:
            named = [
                other for other in run.catalog.resources if other.type in ("Class", "Node") and lower in other.tags
            ]
            declared = [other.existence for other in named if other.since <= now]
            others = absences.of_tag(lower, now)
            return (*run.tag_causes(resource), *(declared[:1] or ()), *others)

        return present, Step(PRESENT if present else MISSING, (absences.later(f"tag {name}", causes),))

    def type_or_class_exists(self, name: str) -> Traced:
        """Whether a class, define or resource type of this name can be found."""
        exists, origin = self.resource_type_exists(name)
        if exists:
            return True, origin
        exists, other = self.class_exists(name)
        return exists, Absent(f"definition of {name}", (origin, other))

    def resource_type_exists(self, name: str) -> Traced:
        """Whether a define or resource type of this name can be found."""
        name = name.lower().removeprefix("::")
        kind = self.run.environment.find_type(name)
        if isinstance(kind, ResourceKind):
            return True, BUILT_IN if core_kind(name) is not None else self._looked_for("type", name, None)
        return kind is not None, self._looked_for("type", name, _file_of(kind))

    def class_exists(self, name: str) -> Traced:
        """Whether a class of this name can be found."""
        name = name.lower().removeprefix("::")
        definition = self.run.environment.find_class(name)
        return definition is not None, self._looked_for("class", name, _file_of(definition))

    def _looked_for(self, what: str, name: str, chosen: str | None) -> Origin:
        """Why there is a definition of a name, or none: the file that has it, and those that are not there."""
        environment = self.run.environment
        there = () if chosen is None else (Leaf("file", chosen, None, None),)
        return Later(f"definition of {name}", lambda: (*there, *environment.looked_for(what, name, chosen)))

    def ask_database(self, query: str | list[Any]) -> Traced:
        """What PuppetDB answers: an input, with every part of it by its path."""
        run = self.run
        known = answered(run, "puppetdb_query", [query], (), None)
        if known is not None:
            return known
        if run.database is None:
            network = "name a server with --puppetdb URL; the network is not used otherwise"
            recorded = to_record(run, "puppetdb_query", [query])
            raise FunctionFailure(
                "puppetdb_query needs --puppetdb URL",
                kind="no database",
                help=f"{network}. {recorded}" if run.environment.answers is None else recorded,
            )
        text = json.dumps(query)
        run.environment.host.own("query", text)
        return traced_input("query", query if isinstance(query, str) else text, run.database.query(query))

    def clock(self) -> tuple[float, Leaf]:
        """What the clock says: the recorded time, else that of the host."""
        return clock_of(self.run.environment)

    def recorded(
        self, name: str, values: Sequence[object], origins: Sequence[Origin], span: Span | None
    ) -> Traced | None:
        """What was recorded of a call that asks the world outside."""
        return answered(self.run, name, values, origins, span)

    def resource_declared(self, type_name: str, title: str) -> Traced:
        """Whether the catalog has the resource by now."""
        resource: Resource | None = self.run.catalog.find(type_name, title)
        run = self.run
        absences = run.absences
        if resource is not None:
            origin: Origin = resource.existence
            if absences.computed and run.declared_at is not None:
                origin = Choice((absences.early(run.declared_at),), origin)
            return True, Step(PRESENT, (origin,), None)
        shown = f"{capitalize_segments(type_name)}[{title}]"
        lower = type_name.lower()
        if lower == "class":
            name = title.lower().removeprefix("::")
            classified = run.classified

            def of_class(now: int) -> tuple[Origin | Guard, ...]:
                causes = (*absences.of_class(name, now), *absences.of_any_class(now))
                return (*causes, *absences.of_classifier(name)) if classified else causes

            return False, Step(PRESENT, (absences.later(shown, of_class),))
        known = run.resources_of(capitalize_segments(type_name))
        count, late = len(known), run.classified

        def of_resource(now: int) -> tuple[Origin | Guard, ...]:
            named = (name for resource in known[:count] for name in resource.names())
            return (*named, *absences.of_resource(lower, title, now, late))

        return False, Step(PRESENT, (absences.later(shown, of_resource),))

    # files, templates and data

    def find_file(self, kind: str, path: str) -> str | None:
        """The file that `MODULE/PATH` names below the module's `kind`, or an absolute path that exists."""
        return self.run.find_file(kind, path)

    @property
    def plain_templates(self) -> dict[str, str | None]:
        """Templates that were read: their text if they have no tags, else nothing."""
        return self.run.plain_templates

    def missed_files(self, kind: str, path: str) -> list[Origin]:
        """The files that were looked for and are not there, as inputs."""
        return missed_files(self.run.environment, kind, path)

    def another_module(self, name: str) -> Origin:
        """Why a name is that of this module, or of none."""
        return self.run.environment.another_module(name)

    def module_directory(self, name: str) -> str | None:
        """The directory of a module."""
        return self.run.environment.module_directory(name)

    def epp(self, path: str, parameters: Traced | None, span: Span | None) -> Traced:
        """Evaluate an EPP template file."""
        return render_file(self.frame, path, parameters, span)

    def inline_epp(self, text: Traced, parameters: Traced | None, span: Span | None) -> Traced:
        """Evaluate an EPP template text."""
        return render_text(self.frame, text, parameters, span)

    def template(self, path: str, span: Span | None) -> Traced:
        """Evaluate an ERB template file."""
        return self.run.environment.render_erb(self.frame, path, span)

    def inline_template(self, text: Traced, span: Span | None) -> Traced:
        """Evaluate an ERB template text."""
        return self.run.environment.render_erb_text(self.frame, text, span)

    def lookup(self, key: str, merge: object, span: Span | None, how: Mapping[str, object]) -> Traced | Absent:
        """The value of a Hiera key, or why there is none.  `how`: what a function says beside the key and the merge."""
        return self.run.data_value(key, merge, self.frame, how)
