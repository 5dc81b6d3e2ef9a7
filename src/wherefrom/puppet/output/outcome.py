"""A compiled catalog as an outcome: printed, asked for single values, explained.

| path                          | the value                                               |
|-------------------------------|---------------------------------------------------------|
| `File[/etc/motd]`             | the resource itself: its title; why it exists           |
| `File[/etc/motd].mode`        | an attribute, with `.key` and `[i]` into composites     |
| `Class[ntp].port`             | a parameter of a class                                  |
| `$ntp::port`                  | a variable of a class, `$::x` one of the top scope      |
| `File[/a] -> File[/b]`        | a relationship (`~>` too)                               |

An attribute owes its being there to its resource: its origin says both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic, PathNotFound
from ...base.secrets import Secret
from ...base.spell import nearest
from ...base.workshop import Workshop
from ...language import Log, Mould, Outcome, Selected, line_of
from ...provenance.operations import Op
from ...provenance.origins import Absent, Choice, Guard, Items, Later, Leaf, Origin, Step
from ..kernel.operations import INTERPOLATE
from ..kernel.shadow import part
from ..kernel.values import Sensitive, key_value
from ..runtime.catalog import Edge
from ..runtime.compilation import Compilation, PuppetLog
from ..runtime.cycles import find_cycles
from ..runtime.relations import reference_text
from ..runtime.resources import Resource, flatten
from ..runtime.variables import read
from ..types import puppet_string
from .text import BUILT_IN_RESOURCES, catalog_text
from .wire import catalog_document, wire_value

if TYPE_CHECKING:
    from ...base.graph import Graph
    from ...base.source import SourceFile
    from ...provenance.exported import Exported
    from ...provenance.ladder import KeyAnswer, Ladder, WrittenKey
    from .answer import Answer
    from .names import Names

_ARROW = re.compile(r"\A(?P<source>.+\]) *(?P<arrow>->|~>) *(?P<target>.+\])\Z")
_TAIL = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]", re.DOTALL)
_PLAIN_KEY = re.compile(r"[^.\[\]\s'\"]+")


class PuppetOutcome(Outcome):
    """A catalog, and the compilation it came from."""

    language = "puppet"

    def __init__(self, run: Compilation, workshop: Workshop | None = None) -> None:
        self.run = run
        self.workshop = workshop or Workshop()
        self.sources = dict(run.environment.sources)
        for exported in run.foreign.values():
            self.sources = {**exported.sources, **self.sources}
        before = run.environment.warnings[: run.warnings_before]
        warnings = [PuppetLog("warning", diagnostic.message, None, diagnostic.span) for diagnostic in before]
        self.logs = _once([*warnings, *run.logs, *_cycle_warnings(run)])
        self._document: Any = None
        self._graph: Graph | None = None
        self._exports: list[Exported] | None = None
        self._names: Names | None = None
        self._ladders: dict[tuple[str, str | None], Ladder] = {}

    def document(self) -> Any:
        """The catalog as `puppet catalog compile` prints it."""
        if self._document is None:
            self._document = catalog_document(self.run)
        return self._document

    def text(self) -> str:
        """The catalog as resource declarations, each with its place."""
        return catalog_text(self.run)

    def graph(self) -> Graph:
        """Containment and relationships."""
        if self._graph is None:
            from .graph import catalog_graph

            self._graph = catalog_graph(self.run)
        return self._graph

    # --- answers -----------------------------------------------------------------------------------------------------

    def explain(self, path: str) -> Answer:
        """Wherefrom the value at `path` came, as an answer that people act on."""
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
                False,
                declared,
                resource,
            )
        name = str(_steps(path, tail)[0])
        attribute = resource.attributes.get(name)
        passed = attribute.span if attribute is not None else None
        return Answer(selected.path, selected.value, selected.origin, self, passed, resource.existence, False, declared)

    def explain_line(self, path: str, number: int) -> Answer:
        """Wherefrom a line (counted from 1) of the text at `path` came."""
        from .line_answer import line_answer

        whole = self.explain(path)
        start, line = line_of(path, whole.value, number)
        return line_answer(self, whole, number, start, line)

    @property
    def names(self) -> Names:
        """The literals of the manifests that are names."""
        if self._names is None:
            from .names import Names

            self._names = Names(self.run.environment.programs())
        return self._names

    def secrets(self) -> set[str]:
        """What is sensitive, and what was decrypted."""
        from .data import secrets_of

        return secrets_of(self.run)

    def exports(self) -> list[Exported]:
        """What the node exports, for other nodes to collect."""
        from .stored import exported_resources

        if self._exports is None:
            self._exports = self.workshop.do(lambda: exported_resources(self.run))
        return self._exports

    def stored(self) -> dict[str, Any]:
        """The catalog as PuppetDB keeps it."""
        from .stored import stored_catalog

        return self.workshop.do(lambda: stored_catalog(self.run))

    # --- data --------------------------------------------------------------------------------------------------------

    def lookup(self, key: str, merge: str | None = None) -> Ladder:
        """What each level of the data says about a key on this node."""
        from .data import ladder_of

        known = self._ladders.get((key, merge))
        if known is None:
            known = self._ladders[key, merge] = self.workshop.do(lambda: ladder_of(self.run, key, merge))[0]
        return known

    def data_keys(self) -> list[WrittenKey]:
        """Every key of the files of data that this node reads."""
        from .data import data_keys

        return self.workshop.do(lambda: data_keys(self.run))

    def keys_read(self) -> set[str]:
        """Every key of the data that the run asked for."""
        from .data import keys_read

        return keys_read(self.run)

    def key_answers(self) -> list[KeyAnswer]:
        """Every key of the data that the run asked for, with what it was told."""
        from .data import key_answers

        return key_answers(self.run)

    def mould(self) -> Mould | None:
        """This catalog as one that those of other nodes can be made from."""
        from .mould import CatalogMould, NoMould

        try:
            return CatalogMould(self)
        except NoMould:
            return None

    def data_directories(self) -> list[str]:
        """The directories that the environment keeps its data in."""
        from .data import data_directories

        return self.workshop.do(lambda: data_directories(self.run))

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

    def unread_source(self, name: str) -> SourceFile | None:
        """A file of the environment that nobody asked for."""
        host = self.run.environment.host
        try:
            return host.source(name) if host.is_file(name) else None
        except Diagnostic:  # outside, or no text
            return None

    # --- paths -------------------------------------------------------------------------------------------------------

    def select(self, path: str) -> Selected:
        """The value at `path`."""
        text = path.strip()
        if text.startswith("$"):
            return self._variable(text)
        if text == "order":
            return self._order()
        if text == "classes":
            return self._classes()
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
        steps = _steps(text, tail)
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
        spared = Later(f"another change of {resource.ref}.{name}", lambda: self.run.spared(resource, name))
        return Choice((resource.existence,), Choice((spared,), origin))

    def _inside(self, path: str, shown: str, value: Any, origin: Origin, steps: list[str | int]) -> Selected:
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
                raise PathNotFound(path, f"{shown} is no array and no hash")
        if isinstance(value, Sensitive):
            return Selected(shown, Secret(value.value), origin)
        return Selected(shown, wire_value(value), origin)

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
            path, f"${name}", variable[0], variable[1], _steps(path, shape["tail"]) if shape["tail"] else []
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
        raise PathNotFound(path, f"the catalog has no such containment; {inner} stands in {self._container(inner)}")

    def _container(self, inner: str) -> str:
        containers = self.run.catalog.containers(inner)
        return ", ".join(container.ref for container in containers) or "nothing"

    def _ref(self, text: str) -> str:
        """A reference as the catalog writes it (`Class[Ntp]`), or the text if there is no such resource."""
        resource = self._split(text)
        return text if resource is None else resource[0].ref

    def _split(self, path: str) -> tuple[Resource, str] | None:
        """The resource that a path begins with, and the rest.  Titles may hold brackets: the first that exists wins."""
        start = path.find("[")
        if start <= 0:
            return None
        type_name = path[:start]
        end = path.find("]", start)
        while end >= 0:
            title = path[start + 1 : end].strip("'\"")
            tail = path[end + 1 :]
            if not tail or tail[0] in ".[":
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
        if "[" not in path:
            return PathNotFound(path, "expected Type[title], Type[title].attribute or $variable")
        near = nearest(path.partition("].")[0] + "]", [resource.ref for resource in self.run.catalog.resources])
        return PathNotFound(path, "the catalog has no such resource", near)

    def outputs(self) -> Iterator[Selected]:
        """Every attribute of every resource, composites element by element, in catalog order."""
        for resource in self.run.catalog.resources:
            if resource.virtual or resource.ref in BUILT_IN_RESOURCES:
                continue
            shown = _shown(resource)
            yield Selected(shown, _title(resource), _title_origin(resource))
            for name, attribute in resource.attributes.items():
                if attribute.value is None:
                    continue
                origin = self._attribute_origin(resource, name)
                if name in resource.sensitive:
                    yield Selected(f"{shown}.{name}", Secret(attribute.value), origin)
                    continue
                yield from _smallest(f"{shown}.{name}", attribute.value, origin)

    def everything(self) -> Iterator[Selected]:
        """The outputs, and beside them variables, edges, tags, classes and the order of resources."""
        yield from self.outputs()
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
                    yield from _smallest(shown, value, origin)

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

    # --- what is not there -------------------------------------------------------------------------------------------

    def consulted(self) -> list[tuple[str, str]]:
        """What other code would do, as far as that was asked for the histories of outputs."""
        told, questions = self.run.environment.told, self.run.absences.consulted.questions
        return self.workshop.do(lambda: [(question, told(question)) for question in questions])

    def missing(self, path: str) -> list[Diagnostic]:
        """Why nothing is at `path`: declarations that would have made it, and what kept them from it."""
        return self.workshop.do(lambda: self._missing(path))  # files may have to be read for that

    def _missing(self, path: str) -> list[Diagnostic]:
        from .missing import Reason, why_absent, why_unset

        start = path.find("[")
        end = path.rfind("]")
        if not 0 < start < end:
            return []
        type_name, title = path[:start].lower().removeprefix("::"), path[start + 1 : end].strip("'\"")
        resource = self._find(type_name, title)
        if resource is None:
            return why_absent(self.run, type_name, title)
        if resource.virtual:
            kind = "exported, and nothing here collects it" if resource.exported else "virtual, and nothing realizes it"
            reason = Reason(f"{resource.ref} is {kind}", resource.span)
            reason.unrealized = True
            return [reason]
        attribute = path[end + 1 :].removeprefix(".")
        known = resource.attributes.get(attribute)
        return why_unset(self.run, resource, attribute) if attribute and (known is None or known.value is None) else []


def _once(logs: Iterable[Log]) -> list[Log]:
    """What the compiler warns of, once for each place; lines that the manifest logs itself are all there."""
    told: set[tuple[str, object]] = set()
    kept: list[Log] = []
    for log in logs:
        if isinstance(log, PuppetLog) and log.is_complaint:
            if (log.message, log.span) in told:
                continue
            told.add((log.message, log.span))
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
    """Wherefrom the title came; one that was given as a number is a text in the catalog."""
    if resource.raw_title is None or isinstance(resource.raw_title, str):
        return resource.existence
    return Step(INTERPOLATE, (resource.existence,))


def _steps(path: str, tail: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 0
    while at < len(tail):
        step = _TAIL.match(tail, at)
        if step is None:
            raise PathNotFound(path, f"cannot read {tail[at:]!r}: expected .name or [index]")
        name, index, *quoted = step.groups()
        if index is not None:
            steps.append(int(index))
        elif name is not None:
            steps.append(name)
        else:
            steps.append(re.sub(r"\\(.)", r"\1", next(text for text in quoted if text is not None), flags=re.DOTALL))
        at = step.end()
    return steps


def key_step(key: Any) -> str:
    """A key of a hash as a path names it: `.name`, or `['a.b']` for what could be read as something else."""
    if isinstance(key, int) and not isinstance(key, bool):
        return f"[{key}]" if key >= 0 else f"['{key}']"
    text = key if isinstance(key, str) else puppet_string(key_value(key))
    if _PLAIN_KEY.fullmatch(text):
        return f".{text}"
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"


def _same_key(value: dict[Any, Any], step: str | int) -> Any:
    """The key of a hash that a step means: itself, or one that is no text and is written so."""
    if step in value:
        return step
    wanted = str(step)
    return next((key for key in value if type(key) is not str and puppet_string(key_value(key)) == wanted), wanted)


def _smallest(path: str, value: Any, origin: Origin) -> Iterator[Selected]:
    if isinstance(value, Sensitive):
        yield Selected(path, Secret(value.value), origin)
    elif isinstance(value, list) and value:
        for index, element in enumerate(value):
            yield from _smallest(f"{path}[{index}]", element, part(origin, index))
    elif isinstance(value, dict) and value:
        for key, element in value.items():
            yield from _smallest(f"{path}{key_step(key)}", element, part(origin, key))
    else:
        yield Selected(path, wire_value(value), origin)


def _element_alone(origin: Origin, index: int) -> Origin:
    """An element of an array, whatever stands before it."""
    elements = origin.elements if isinstance(origin, Items) else ()
    return elements[index] if isinstance(elements, Sequence) and index < len(elements) else part(origin, index)
