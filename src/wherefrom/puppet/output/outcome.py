"""A compiled catalog as an outcome: printed, asked for single values, explained.

| path                          | the value                                               |
|-------------------------------|---------------------------------------------------------|
| `File[/etc/motd]`             | the resource itself: its title; why it exists           |
| `File[/etc/motd].mode`        | an attribute, with `.key` and `[i]` into composites     |
| `Class[ntp].port`             | a parameter of a class                                  |
| `$ntp::port`                  | a variable of a class, `$::x` one of the top scope      |
| `File[/a] -> File[/b]`        | a relationship (`~>` too)                               |

An attribute exists because of its resource: its origin says both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...base.collector import take_apart
from ...base.diagnostics import Diagnostic, PathNotFound, UsageError
from ...base.execution import ExecutionContext
from ...base.recording import RecordingHost
from ...base.secrets import Secret, raw
from ...base.spell import nearest
from ...language import Catalog, Data, Exports, Given, LaterSelected, Log, Outcome, Selected, line_of
from ...provenance.observed import Observed, Seen, distinct
from ...provenance.operations import Op
from ...provenance.origins import UNTRACED, Absent, Choice, Guard, Items, Later, Leaf, Origin, Step
from ..kernel.operations import INTERPOLATE
from ..kernel.shadow import part
from ..kernel.values import key_value
from ..runtime.catalog import Edge
from ..runtime.compilation import Compilation, PuppetLog
from ..runtime.cycles import find_cycles
from ..runtime.relations import reference_text
from ..runtime.resources import Resource, flatten
from ..runtime.variables import read
from ..types import puppet_string
from .paths import key_step, steps_of
from .static_files import PREFIX
from .text import BUILT_IN_RESOURCES, catalog_text
from .visible import Visible
from .wire import catalog_document, shown_resources

if TYPE_CHECKING:
    from ...base.graph import Graph
    from ...base.splices import Obstacle, Rewrite
    from ...provenance.exported import Exported
    from ...provenance.ladder import KeyAnswer, Ladder, WrittenKey
    from .answer import Answer
    from .names import LiteralNames

_ARROW = re.compile(r"\A(?P<source>.+\]) *(?P<arrow>->|~>) *(?P<target>.+\])\Z")


class PuppetOutcome(Outcome, Catalog, Data, Exports):
    """A catalog, and the compilation it came from."""

    language = "puppet"

    def __init__(self, run: Compilation, execution: ExecutionContext | None = None) -> None:
        self.run = run
        self.execution = execution or ExecutionContext()
        self.sources = dict(run.environment.sources)
        for exported in run.foreign.values():
            self.sources = {**exported.sources, **self.sources}
        before = run.environment.warnings[: run.warnings_before]
        warnings = [PuppetLog("warning", diagnostic.message, None, diagnostic.span) for diagnostic in before]
        self.visible = Visible(run)
        self.logs = _once([*warnings, *map(self.visible.log, run.logs), *_cycle_warnings(run)])
        self._document: Any = None
        self._graph: Graph | None = None
        self._exports: list[Exported] | None = None
        self._sensitive: set[str] | None = None
        self._names: LiteralNames | None = None
        self._ladders: dict[tuple[str, str | None], Ladder] = {}

    def document(self) -> Any:
        """The catalog as `puppet catalog compile` prints it."""
        if self._document is None:
            self._document = catalog_document(self.run)
        return self._document

    def shown(self) -> Any:
        """The same without what is sensitive and what was computed from it."""
        return self.visible.document(self.document(), shown_resources(self.run))

    def text(self) -> str:
        """The catalog as resource declarations, each with its place."""
        return catalog_text(self.run, self.visible.value)

    def graph(self) -> Graph:
        """Containment and relationships."""
        if self._graph is None:
            from .graph import catalog_graph

            self._graph = catalog_graph(self.run)
        return self._graph

    # --- answers -----------------------------------------------------------------------------------------------------

    def explain(self, path: str) -> Answer:
        """Where the value at `path` came from, as an answer that people act on."""
        from .answer import Answer

        selected = self.select(path)
        place = self._split(path.strip()) if "[" in path and not _ARROW.match(path) else None
        if place is None or place[0].ref not in selected.path:
            return Answer(selected.path, selected.value, selected.origin, self)
        resource, tail = place
        declared = resource.span or (resource.definition.span if resource.definition is not None else None)
        if not tail:
            from .resource_answer import ResourceAnswer

            return ResourceAnswer(
                selected.path,
                selected.value,
                selected.origin,
                self,
                None,
                resource.existence,
                declared,
                resource,
            )
        name = str(steps_of(path, tail)[0])
        attribute = resource.attributes.get(name)
        passed = attribute.span if attribute is not None else None
        return Answer(selected.path, selected.value, selected.origin, self, passed, resource.existence, declared)

    def explain_line(self, path: str, number: int) -> Answer:
        """Where a line (counted from 1) of the text at `path` came from."""
        from ...provenance.rendered import line_origin
        from .answer import Answer
        from .line_answer import line_answer
        from .static_files import static_source

        static = self._static(path)
        if static is not None:
            if static_source(static) is None:
                raise PathNotFound(static.path, f"it is not text, or too long, and has no lines: {static.value}")
            start, line = line_of(static.path, static.value, number)
            origin = line_origin(static.origin, start, start + len(line.rstrip("\r\n")))
            return Answer(f"{static.path}, line {number}", line, origin, self)
        place = self._split(path.strip())
        if place is not None and place[0].type == "File" and not place[1] and "content" in place[0].attributes:
            path = f"{path.strip()}.content"  # of a file, its lines are asked for
        whole = self.explain(path)
        start, line = line_of(path, raw(whole.value), number)
        return line_answer(self, whole, number, start, self.visible.line(whole.origin, raw(whole.value), start, line))

    def in_hand(self, words: str) -> list[str]:
        from .in_hand import in_hand

        return in_hand(self.run, words)

    def observed(self, file: str) -> list[Observed]:
        """The expressions of a file that ran, if the run was observed; in data and in Ruby, what outputs copied."""
        notes, source = self.run.observed, self.sources.get(file)
        if notes is None:
            return []
        if source is None or not file.endswith((".pp", ".epp")):
            return super().observed(file)
        return [
            Observed(
                source.span(start, end),
                note.count,
                distinct(
                    Seen(self.visible.seen(value, origin), origin, scope.resource.ref)
                    for value, origin, scope in note.values
                ),
            )
            for start, end, note in notes.of_file(file)
        ]

    def explain_seen(self, text: str, seen: Seen) -> Answer:
        """Where a value came from that an expression gave."""
        from .answer import Answer

        return Answer(text, seen.value, seen.origin, self)

    def set_by_key(self, key: str) -> str | None:
        """The parameter of a class that is called as a key is."""
        owner, _, parameter = key.rpartition("::")
        path = f"Class[{'::'.join(part.capitalize() for part in owner.split('::'))}].{parameter}"
        return path if owner and self.has(path) else None

    def static_paths(self) -> Iterator[str]:
        """The files of the environment that the catalog points at."""
        from .static_files import fetches, static_files

        for resource in self.run.catalog.resources:
            if fetches(resource):
                yield from (file.path for file in static_files(self.run, resource))

    def _static(self, path: str) -> Selected | None:
        """The content of a file that is copied from a source, for questions about one of its lines."""
        from .static_files import contents_of, fetches

        text = path.strip()
        if text.startswith(PREFIX):
            return self._content(text)
        place = self._split(text)
        if place is None or not fetches(place[0]) or place[1] not in ("", ".source", ".content"):
            return None
        resource = place[0]
        content = resource.attributes.get("content")
        if content is not None and content.value is not None:
            return None
        return next(
            (selected for selected in contents_of(self.run, resource) if selected.path == PREFIX + resource.ref), None
        )

    @property
    def names(self) -> LiteralNames:
        """The literals of the manifests that are names."""
        if self._names is None:
            from .names import LiteralNames

            self._names = LiteralNames(self.run.environment.programs())
        return self._names

    def left_out(self) -> list[tuple[str, Diagnostic, bool]]:
        """Code that failed and was left out, where that was wanted."""
        return [(entry.owner, entry.problem, entry.own) for entry in self.run.left_out or ()]

    def secrets(self) -> set[str]:
        """What is sensitive, and what was decrypted."""
        from .data import other_secrets, sensitive_texts

        if self._sensitive is None:
            self._sensitive = sensitive_texts(self.run)
        return self._sensitive | other_secrets(self.run)

    def let_go(self) -> None:
        """Take the catalog apart: its resources and scopes name each other, and who keeps none would have to look."""
        run = self.run
        scopes = [*run.class_scopes.values(), *(resource.scope for resource in run.catalog.resources)]
        take_apart([*dict.fromkeys(scopes), *run.catalog.resources, run.catalog, run.absences, run, self])

    def exports(self) -> list[Exported]:
        """What the node exports, for other nodes to collect."""
        from .stored import exported_resources

        if self._exports is None:
            self._exports = self.execution.do(lambda: exported_resources(self.run, self.secrets()))
        return self._exports

    def stored(self) -> dict[str, Any]:
        """The catalog as PuppetDB keeps it."""
        from .stored import stored_catalog

        return self.execution.do(lambda: stored_catalog(self.run))

    # --- data --------------------------------------------------------------------------------------------------------

    def lookup(self, key: str, merge: str | None = None) -> Ladder:
        """What each level of the data says about a key on this node."""
        from .data import ladder_of

        known = self._ladders.get((key, merge))
        if known is None:
            known = self._ladders[key, merge] = self.execution.do(lambda: ladder_of(self.run, key, merge))[0]
        return known

    def data_keys(self) -> list[WrittenKey]:
        """Every key of the files of data that this node reads."""
        from .data import data_keys

        return self.execution.do(lambda: data_keys(self.run))

    def keys_read(self) -> set[str]:
        """Every key of the data that the run looked up."""
        from .data import keys_read

        return keys_read(self.run)

    def key_answers(self) -> list[KeyAnswer]:
        """Every key of the data that the run looked up, with the answer."""
        from .data import key_answers

        return key_answers(self.run)

    def data_directories(self) -> list[str]:
        """The directories that the environment keeps its data in."""
        from .data import data_directories

        return self.execution.do(lambda: data_directories(self.run))

    def declared_in(self, path: str) -> str | None:
        """Of an attribute, its resource; of a resource, the class or define whose code declared it."""
        place = self._split(path)
        if place is None:
            return None
        resource, tail = place
        if tail:
            return resource.ref
        above = resource.scope.resource if resource.scope is not None else None
        return None if above is None or above is resource else above.ref

    def unknown_input(self, target: str, others: Iterable[str] = ()) -> UsageError | None:
        """What is wrong with the name of a fact, key or file that nothing here knows."""
        from ...provenance.impact import parse_target
        from .known_inputs import unknown_input

        asked = parse_target(target)
        return self.execution.do(lambda: unknown_input(self, self.run, asked, others))

    @property
    def directory(self) -> str:
        """That of the environment, or of a manifest of its own."""
        root = self.run.environment.root
        return root if root is not None else super().directory

    def files_read(self) -> Iterable[str]:
        """Every file whose content was read, by any run of the environment."""
        host = self.run.environment.host
        asked = host.asked() if isinstance(host, RecordingHost) else ()
        return [name for kind, name in asked if kind == "content"]

    def file_content(self, name: str) -> bytes | None:
        """A file of the environment, as it is now."""
        host = self.run.environment.host
        try:
            return host.read_bytes(name) if host.is_file(name) else None
        except Diagnostic:  # outside, or too large
            return None

    def given(self) -> Mapping[Given, Any]:
        """The node's name, facts, trusted facts, and what a classifier says."""
        from .given import given_inputs

        return given_inputs(self.run.inputs)

    # --- paths -------------------------------------------------------------------------------------------------------

    def select(self, path: str) -> Selected:
        """The value at `path`."""
        return self._configured(self._selected(path))

    def _configured(self, selected: Selected) -> Selected:
        """An output, which depends on `environment.conf` as well: it says where all code is."""
        return Selected(selected.path, selected.value, self._with_configuration(selected.origin))

    def _with_configuration(self, origin: Origin) -> Origin:
        configured = self._configuration
        return origin if configured is None else Choice((configured,), origin)

    @cached_property
    def _configuration(self) -> Later | None:
        root, host = self.run.environment.root, self.run.environment.host
        if root is None:
            return None
        with host.apart():
            leaf = Leaf("file", f"{root}/environment.conf", None, None)
            leaf.absent = not host.is_file(leaf.name)
        return Later("another configuration of the environment", lambda: (leaf,))

    def _selected(self, path: str) -> Selected:
        text = path.strip()
        if text.startswith("$"):
            return self._variable(text)
        if text == "order":
            return self._order()
        if text == "classes":
            return self._classes()
        if text.startswith(PREFIX):
            return self._content(text)
        if text.startswith("tags of "):
            tagged = self._split(text.removeprefix("tags of "))
            if tagged is None or tagged[1]:
                raise self._not_found(text.removeprefix("tags of "))
            return self._tags(tagged[0])
        if " contains " in text:
            return self._contains(text)
        arrow = _ARROW.match(text)
        if arrow is not None and self._split(arrow["source"]) is not None:
            return self._edge(arrow["source"], arrow["arrow"], arrow["target"])
        parts = self._split(text)
        if parts is None:
            raise self._not_found(text)
        resource, tail = parts
        if not tail:
            return Selected(_shown(resource), _title(resource), resource.existence)
        steps = steps_of(text, tail)
        name = str(steps[0])
        if name == "title":
            return Selected(f"{_shown(resource)}.title", _title(resource), resource.existence)
        attribute = resource.attributes.get(name)
        if attribute is None or attribute.value is None:
            known = [key for key, setting in resource.attributes.items() if setting.value is not None]
            near = nearest(name, known)
            raise PathNotFound(
                text,
                f"{_shown(resource)} has no attribute {name}",
                f"{_shown(resource)}.{near}" if near else None,
            )
        origin = self._attribute_origin(resource, name)
        if name in resource.sensitive:
            return Selected(f"{_shown(resource)}.{name}", Secret(attribute.value), origin)
        return self._inside(text, f"{_shown(resource)}.{name}", attribute.value, origin, steps[1:])

    def _attribute_origin(self, resource: Resource, name: str) -> Origin:
        """An attribute's origin: its value's, why its resource is there, and what did not change it."""
        origin = resource.attributes[name].origin
        unmade_changes = Later(
            f"another change of {resource.ref}.{name}", lambda: self.run.unmade_changes(resource, name)
        )
        return Choice((resource.existence,), Choice((unmade_changes,), origin))

    def _inside(self, path: str, shown: str, value: object, origin: Origin, steps: list[str | int]) -> Selected:
        for step in steps:
            if isinstance(value, list):
                if not isinstance(step, int) or step >= len(value):
                    raise PathNotFound(path, f"{shown} has {len(value)} elements, counted from 0")
                value, origin, shown = value[step], part(origin, step), f"{shown}[{step}]"
            elif isinstance(value, dict):
                key = _same_key(value, step)
                if key not in value:
                    near = nearest(str(step), [str(other) for other in value])
                    raise PathNotFound(path, f"{shown} has no key {step}", f"{shown}{key_step(near)}" if near else None)
                value, origin, shown = value[key], part(origin, key), f"{shown}{key_step(key)}"
            else:
                raise PathNotFound(path, f"{shown} is neither an array nor a hash")
        return Selected(shown, self.visible.selected(shown, value, origin), origin)

    def _variable(self, path: str) -> Selected:
        shape = re.match(r"\A\$(?P<name>[\w:]+)(?P<tail>.*)\Z", path)
        name = shape["name"] if shape else ""
        variable = read(self.run.top, name if "::" in name else f"::{name}") if name else None
        if variable is None or shape is None:
            known = list(self.run.top.vars)
            for class_name, scope in self.run.class_scopes.items():
                known.extend(f"{class_name}::{other}" for other in scope.vars if class_name)
            near = nearest(name.removeprefix("::"), known)
            raise PathNotFound(path, "no such variable after the run", f"${near}" if near else None)
        return self._inside(
            path, f"${name}", variable[0], variable[1], steps_of(path, shape["tail"]) if shape["tail"] else []
        )

    def _edge(self, source_text: str, arrow: str, target_text: str) -> Selected:
        parts = self._split(source_text)
        assert parts is not None
        source = parts[0]
        target = self._split(target_text)
        wanted = target[0].ref if target is not None else target_text
        attribute = source.attributes.get("before" if arrow == "->" else "notify")
        if attribute is not None:
            for index, end in enumerate(flatten(attribute.value)):
                if reference_text(end) == wanted:
                    is_list = isinstance(attribute.value, list)
                    origin = _element_alone(attribute.origin, index) if is_list else attribute.origin
                    return Selected(f"{source.ref} {arrow} {wanted}", wanted, Choice((source.existence,), origin))
        raise PathNotFound(f"{source_text} {arrow} {target_text}", f"{source.ref} has no such relationship")

    def _contains(self, path: str) -> Selected:
        """`A contains B`."""
        outer, inner = (self._ref(end.strip()) for end in path.split(" contains ", 1))
        for edge in self.run.catalog.edges.values():
            if (edge.source.ref, edge.target.ref) == (outer, inner):
                return self._containment(edge)
        raise PathNotFound(
            path, f"the catalog has no such containment; {inner} is contained in {self._container(inner)}"
        )

    def _container(self, inner: str) -> str:
        containers = self.run.catalog.containers(inner)
        return ", ".join(container.ref for container in containers) or "nothing"

    def _content(self, path: str) -> Selected:
        """`content of File[/etc/acl]`, and `content of File[/etc/dir]/a/file` below a directory."""
        from .static_files import contents_of, fetches

        asked = path.removeprefix(PREFIX)
        for resource in self.run.catalog.resources:
            if fetches(resource) and asked.startswith(resource.ref):
                for selected in contents_of(self.run, resource):
                    if selected.path == path:
                        return selected
        raise PathNotFound(path, "the catalog refers to no such file of this environment")

    def _ref(self, text: str) -> str:
        """A reference as the catalog writes it (`Class[Ntp]`), or the text if there is no such resource."""
        resource = self._split(text)
        return text if resource is None else resource[0].ref

    def place(self, path: str) -> tuple[Resource, str] | None:
        """The resource that a path begins with, and the rest."""
        return self._split(path)

    def _split(self, path: str) -> tuple[Resource, str] | None:
        """The resource that a path begins with, and the rest.  Titles may hold brackets: the first that exists wins."""
        start = path.find("[")
        if start <= 0:
            return None
        type_name = path[:start]
        end = path.find("]", start)
        while end >= 0:
            written, tail = path[start + 1 : end], path[end + 1 :]
            if not tail or tail[0] in ".[":
                for title in dict.fromkeys((written, _unquoted(written))):  # a title may end with a quote itself
                    resource = self._find(type_name, title)
                    if resource is not None:
                        return resource, tail
            end = path.find("]", end + 1)
        return None

    def _find(self, type_name: str, title: str) -> Resource | None:
        if type_name.lower() == "class" and title == "main":
            return self.run.main_resource
        return self.run.catalog.find(type_name, title)

    def _not_found(self, path: str) -> PathNotFound:
        if path.startswith("/"):
            titles = {resource.title: resource.ref for resource in self.run.catalog.resources}
            return PathNotFound(path, "no resource of the catalog is or writes this file", nearest(path, titles))
        if "[" not in path:
            return PathNotFound(path, "expected Type[title], Type[title].attribute or $variable")
        near = nearest(path.partition("].")[0] + "]", [resource.ref for resource in self.run.catalog.resources])
        return PathNotFound(path, "the catalog has no such resource", near)

    def _shown_resources(self) -> Iterator[Resource]:
        """The resources that have outputs, in catalog order."""
        for resource in self.run.catalog.resources:
            if not resource.virtual and resource.ref not in BUILT_IN_RESOURCES:
                yield resource

    def ordered(self) -> set[str]:
        """The resources, which are applied in their order; that of their attributes means nothing."""
        return {_shown(resource) for resource in self._shown_resources()}

    def values(self) -> Iterator[tuple[str, str, str, Any]]:
        """The outputs without their origins, which are looked at where something may be secret."""
        hides, selected = self.visible.hides, self.visible.selected
        for resource in self._shown_resources():
            type_name, title, start = resource.type, resource.title, len(resource.ref) + 1
            yield type_name, title, "", _title(resource)
            for name, attribute in resource.attributes.items():
                value = attribute.value
                if value is None:
                    continue
                if name in resource.sensitive:
                    yield type_name, title, name, Secret(value)
                elif hides:
                    origin = self._attribute_origin(resource, name)
                    for output in self._smallest(f"{resource.ref}.{name}", value, origin):
                        yield type_name, title, output.path[start:], output.value
                elif type(value) is str:
                    yield type_name, title, name, value
                else:
                    for path, smallest, _ in _smallest_values(name, value):
                        yield type_name, title, path, selected(path, smallest, UNTRACED)

    def outputs(self) -> Iterator[Selected]:
        """Every attribute of every resource, composites element by element, in catalog order.

        Origins are put together when they are asked for: of most outputs only the value is looked at.
        """
        hides, selected, make = self.visible.hides, self.visible.selected, self._output_origin
        for resource in self._shown_resources():
            shown = _shown(resource)
            yield LaterSelected(shown, _title(resource), self._configured_title, (resource,))
            for name, attribute in resource.attributes.items():
                value, path = attribute.value, f"{shown}.{name}"
                if value is None:
                    continue
                if name in resource.sensitive:
                    yield LaterSelected(path, Secret(value), make, (resource, name, ()))
                elif type(value) is str and not hides:
                    yield LaterSelected(path, value, make, (resource, name, ()))
                elif hides:
                    smallest = self._smallest(path, value, self._attribute_origin(resource, name))
                    yield from map(self._configured, smallest)
                else:
                    for inside, part_of, steps in _smallest_values(path, value):
                        seen = selected(inside, part_of, UNTRACED)
                        yield LaterSelected(inside, seen, make, (resource, name, steps))

    def _configured_title(self, resource: Resource) -> Origin:
        return self._with_configuration(_title_origin(resource))

    def _output_origin(self, resource: Resource, name: str, steps: tuple[str | int, ...]) -> Origin:
        """The origin of an attribute as an output, or of a part of it."""
        origin = self._attribute_origin(resource, name)
        for step in steps:
            origin = part(origin, step)
        return self._with_configuration(origin)

    def _smallest(self, path: str, value: object, origin: Origin) -> Iterator[Selected]:
        if isinstance(value, list) and value:
            for index, element in enumerate(value):
                yield from self._smallest(f"{path}[{index}]", element, part(origin, index))
        elif isinstance(value, dict) and value:
            for key, element in value.items():
                yield from self._smallest(f"{path}{key_step(key)}", element, part(origin, key))
        else:
            yield Selected(path, self.visible.selected(path, value, origin), origin)

    def contents(self) -> Iterator[Selected]:
        """The contents of the environment's files that the catalog points at: `content of File[/etc/acl]`."""
        from .static_files import contents

        return contents(self.run)

    def everything(self) -> Iterator[Selected]:
        """The outputs, and beside them variables, edges, tags, classes and the order of resources."""
        yield from self.outputs()
        yield from map(self._configured, self._beside())

    def _beside(self) -> Iterator[Selected]:
        yield from self._variables()
        run = self.run
        shown = [
            resource
            for resource in run.catalog.resources
            if not resource.virtual and resource.ref not in BUILT_IN_RESOURCES
        ]
        for resource in shown:
            yield self._tags(resource)
        there = {resource.ref for resource in shown} | set(BUILT_IN_RESOURCES)
        for edge in run.catalog.edges.values():
            if edge.source.ref in there and edge.target.ref in there and edge.target.ref not in BUILT_IN_RESOURCES:
                yield self._containment(edge)
        for resource in shown:
            for arrow, attribute in (("->", "before"), ("~>", "notify")):
                for target in self._targets(resource, attribute):
                    yield self._edge(resource.ref, arrow, target)
        yield self._order()
        yield self._classes()

    def _variables(self) -> Iterator[Selected]:
        """Variables that manifests assigned, of the top scope and of classes."""
        for class_name, scope in self.run.class_scopes.items():
            for name in scope.times or ():
                if name in scope.vars:
                    value, origin = scope.vars[name]
                    shown = f"${class_name}::{name}" if class_name else f"${name}"
                    yield from self._smallest(shown, value, origin)

    def _tags(self, resource: Resource) -> Selected:
        return Selected(f"tags of {resource.ref}", sorted(resource.tags), self.run.tag_origin(resource))

    def _containment(self, edge: Edge) -> Selected:
        """`A contains B`: why B stands where it stands."""
        run = self.run
        source, target = edge.source, edge.target
        causes: list[Origin | Guard] = [source.existence, *run.placement(target)]
        if edge.origin is not None:
            causes.append(edge.origin)
        if source.type == "Stage":
            causes += run.stage_causes(target)
        origin = Choice((Absent(f"another place of {target.ref}", tuple(causes)),), target.existence)
        return Selected(f"{source.ref} contains {target.ref}", target.ref, origin)

    def _order(self) -> Selected:
        """The resources in their order; all that decided what is there had a say in it."""
        run = self.run
        shown = [resource for resource in run.catalog.resources if not resource.virtual]
        causes: list[Origin | Guard] = [resource.existence for resource in run.catalog.resources]
        causes += run.absences.of_resources()
        causes += (cause for collection in run.collections for cause in collection.causes())
        causes.append(Leaf("classifier", "", None, None))
        return Selected("order", [resource.ref for resource in shown], Absent("another order", tuple(causes)))

    def _classes(self) -> Selected:
        """The classes in the order in which they were evaluated."""
        run = self.run
        causes: list[Origin | Guard] = [resource.existence for resource in run.catalog.resources if resource.is_class]
        causes += run.absences.of_classes()
        causes += (
            resource.existence for resource in run.catalog.resources if resource.type == "Node" or resource.definition
        )
        causes.append(Leaf("classifier", "", None, None))
        return Selected("classes", list(run.catalog.classes), Absent("other classes", tuple(causes)))

    def _targets(self, resource: Resource, attribute: str) -> list[str]:
        relation = resource.attributes.get(attribute)
        values = [] if relation is None or relation.value is None else flatten(relation.value)
        texts = (reference_text(reference) for reference in values if reference is not None)
        return list(dict.fromkeys(texts))

    # --- terms -------------------------------------------------------------------------------------------------------

    def apply(self, op: Op, arguments: list[object]) -> object:
        """Do an operation of a term again."""
        from .computing import COMPUTATIONS

        return COMPUTATIONS.apply(op, arguments, self.run.environment)

    # --- changes of the sources --------------------------------------------------------------------------------------

    def rewrites(self, path: str, wanted: object) -> Iterator[Rewrite | Obstacle]:
        """Changes of manifests, templates and data that may give the value at `path` another one."""
        from .rewriting import rewrites

        return iter(self.execution.do(lambda: list(rewrites(self, path, wanted))))

    def unset(self, path: str) -> str | None:
        """A parameter that is undefined, or an attribute that a resource of Puppet's own types does not have."""
        place = self._split(path.strip())
        steps = steps_of(path, place[1]) if place is not None and place[1] else []
        if place is None or len(steps) != 1:
            return None
        resource, name = place[0], str(steps[0])
        attribute = resource.attributes.get(name)
        is_free = attribute.value is None if attribute is not None else resource.definition is None
        return f"{_shown(resource)}.{name}" if is_free and name != "title" and not resource.sensitive else None

    # --- what is not there -------------------------------------------------------------------------------------------

    def consulted(self) -> list[tuple[str, str]]:
        """The answers about code that did not run, as far as the histories of outputs needed them."""
        static_answer, questions = self.run.environment.static_answer, self.run.absences.consulted.questions
        return self.execution.do(lambda: [(question, static_answer(question)) for question in questions])

    def missing(self, path: str) -> list[Diagnostic]:
        """Why nothing is at `path`: declarations that would have made it, and what kept them from it."""
        return self.execution.do(lambda: self._missing(path))  # files may have to be read for that

    def _missing(self, path: str) -> list[Diagnostic]:
        from .absent_parts import why_no_part, why_no_path, why_no_variable
        from .missing import why_absent, why_unset, why_virtual

        text = path.strip()
        if text.startswith("$"):
            return why_no_variable(self.run, text[1:].partition(".")[0].partition("[")[0])
        place = self._split(text)
        if place is None:
            named = _absent_resource(text)
            if named is None:
                return list(why_no_path(self.run, text))
            return why_absent(self.run, named[0].lower().removeprefix("::"), named[1])
        resource, tail = place
        if resource.virtual:
            return [why_virtual(self.run, resource)]
        steps = steps_of(text, tail) if tail else []
        if not steps:
            return []
        name = str(steps[0])
        attribute = resource.attributes.get(name)
        if attribute is None or attribute.value is None:
            return [] if name == "title" else why_unset(self.run, resource, name)
        if name in resource.sensitive:
            return []
        return why_no_part(self.run, f"{_shown(resource)}.{name}", attribute.value, attribute.origin, steps[1:])


def _unquoted(title: str) -> str:
    """A title without the quotes that it was put in."""
    return title[1:-1] if len(title) > 1 and title[0] == title[-1] and title[0] in "'\"" else title


def _smallest_values(
    path: str, value: Any, steps: tuple[str | int, ...] = ()
) -> Iterator[tuple[str, Any, tuple[str | int, ...]]]:
    """A value, composites element by element, each with its path and the steps that lead to it."""
    if isinstance(value, list) and value:
        for index, element in enumerate(value):
            yield from _smallest_values(f"{path}[{index}]", element, (*steps, index))
    elif isinstance(value, dict) and value:
        for key, element in value.items():
            yield from _smallest_values(f"{path}{key_step(key)}", element, (*steps, key))
    else:
        yield path, value, steps


def _absent_resource(text: str) -> tuple[str, str] | None:
    """The type and title of a resource that is not there: the title ends where only a path into it can follow."""
    start = text.find("[")
    end = text.find("]", start)
    while 0 < start < end:
        tail = text[end + 1 :]
        with suppress(PathNotFound):
            if tail:
                steps_of(text, tail)
            return text[:start], _unquoted(text[start + 1 : end])
        end = text.find("]", end + 1)
    return None


def _once(logs: Iterable[Log]) -> list[Log]:
    """What the compiler warns of, once for each place; lines that the manifest logs itself are all there."""
    reported: set[tuple[str, object]] = set()
    kept: list[Log] = []
    for log in logs:
        if isinstance(log, PuppetLog) and log.is_complaint:
            if (log.message, log.span) in reported:
                continue
            reported.add((log.message, log.span))
        kept.append(log)
    return kept


def _cycle_warnings(run: Compilation) -> Iterator[Log]:
    """Puppet's compiler accepts dependency cycles, but its agent does not."""
    for cycle in find_cycles(run):
        yield Log("warning", f"Found a dependency cycle: ({' => '.join(cycle)})")


def _shown(resource: Resource) -> str:
    return resource.ref


def _title(resource: Resource) -> str:
    """The title as it was written: the name of a class is in lower case."""
    return resource.title.lower() if resource.is_class else resource.title


def _title_origin(resource: Resource) -> Origin:
    """Where the title came from; one that was given as a number is a text in the catalog."""
    if resource.raw_title is None or isinstance(resource.raw_title, str):
        return resource.existence
    return Step(INTERPOLATE, (resource.existence,))


def _same_key(value: dict[Any, Any], step: str | int) -> Any:
    """The key of a hash that a step means: itself, or one that is no text and is written so."""
    if step in value:
        return step
    wanted = str(step)
    return next((key for key in value if type(key) is not str and puppet_string(key_value(key)) == wanted), wanted)


def _element_alone(origin: Origin, index: int) -> Origin:
    """An element of an array, whatever stands before it."""
    elements = origin.elements if isinstance(origin, Items) else ()
    return elements[index] if isinstance(elements, Sequence) and index < len(elements) else part(origin, index)
