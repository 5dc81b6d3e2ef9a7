"""Changes of manifests, templates and data that may give an output of a catalog another value.

The walk backwards (`wherefrom.provenance.backwards`) says which inputs would have to be what. Here each becomes
splices:

| the walk meets                     | the change                                                                   |
|------------------------------------|------------------------------------------------------------------------------|
| a literal, a text of a template    | its characters are replaced                                                  |
| a datum                            | the same, in the file of data; a list gets or loses elements                 |
| a parameter of a class             | its key is added at each level of the data that is asked before              |
| a parameter of a define            | it is added where the define is declared                                     |
| the attribute itself               | it is added at its resource, or its expression becomes a constant            |
| code that must not be written      | a collector with a body, in the main manifest: the last resort               |

Which of them really do it, a compilation says (`wherefrom.wishes`).
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...base.data_texts import (
    changed_range,
    hash_changed,
    json_key_added,
    list_changed,
    sealed_replaced,
    yaml_key_added,
    yaml_replaced,
    yaml_text,
)
from ...base.diagnostics import Diagnostic, PathNotFound
from ...base.record import replace
from ...base.secrets import Secret, raw
from ...base.source import SourceFile, Span
from ...base.splices import (
    ADDED,
    ADDED_DATA,
    CONSTANT,
    GONE,
    OVERRIDE,
    REMOVED,
    REPLACED,
    Obstacle,
    Rewrite,
    Splice,
    narrowed,
    spliced,
)
from ...provenance.backwards import Goal, goals, same
from ...provenance.composites import unwrapped
from ...provenance.ladder import HIDDEN, NO_FILE, NO_KEY, Ladder, Rung
from ...provenance.origins import Copy, Items, Leaf, Origin, Step
from ..hiera.eyaml import ENCRYPTED_WORDS
from ..hiera.files import read_yaml
from ..hiera.scalars import plain_scalar
from ..kernel.edge_labels import ParameterEdge
from ..kernel.failures import Failure
from ..kernel.operations import HieraText
from ..kernel.values import Sensitive
from .literals import literal_text, replacements
from .paths import steps_of

if TYPE_CHECKING:
    from ...language import Selected
    from ...provenance.operations import Op
    from ..hiera.eyaml import Eyaml
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Attribute, Resource

MOST_PLACES = 4
"""Elements of a parameter that one value could be: more are not told apart."""


class Rewritable(Protocol):
    """The outcome whose output is to be another, as far as it is asked here."""

    run: Compilation
    sources: Mapping[str, SourceFile]

    @property
    def directory(self) -> str:
        """The environment's."""

    def select(self, path: str) -> Selected:
        """The value at a path."""

    def unset(self, path: str) -> str | None:
        """The path of a value that is not there and could be."""

    def place(self, path: str) -> tuple[Resource, str] | None:
        """The resource that a path begins with, and the rest."""

    def lookup(self, key: str) -> Ladder:
        """What each level of the data says about a key."""

    def file_content(self, name: str) -> bytes | None:
        """What a file holds."""

    def apply(self, op: Op, arguments: list[object]) -> object:
        """Do an operation again."""


class Rewriting:
    """The changes for one output."""

    def __init__(self, outcome: Rewritable, path: str, wanted: Any) -> None:
        self.outcome = outcome
        self.path = path
        self.wanted = wanted
        self.through: list[str] = []
        self._lists: dict[str, Origin] = {}
        self._tokens: dict[object, str] = {}

    def all(self) -> Iterator[Rewrite | Obstacle]:
        """Every change, the nearest to the output first."""
        place = self.outcome.place(self.path) if "[" in self.path else None
        if self.wanted is GONE:
            yield from self._removals(place)
            return
        if self.outcome.unset(self.path) is not None:
            yield from self._of_unset(place)
            return
        selected = self.outcome.select(self.path)
        if isinstance(self.wanted, Secret):
            for goal in goals(selected.origin, raw(selected.value), raw(self.wanted), self.outcome.apply):
                if isinstance(goal.origin, Leaf) and goal.origin.detail == ENCRYPTED_WORDS:
                    yield self._sealed(goal.origin, goal)
            yield Obstacle(self.path, "it is sensitive: elsewhere than in encrypted data, the new value could be read")
            return
        if place is not None and place[0].is_class and place[1]:
            resource, tail = place
            yield from self._class_parameter(resource.title.lower(), tail, selected.value, self.wanted)
        for goal in goals(selected.origin, selected.value, self.wanted, self.outcome.apply):
            yield from self._at(goal)
        if place is not None and place[1]:
            yield from self._at_resource(*place)

    def _of_unset(self, place: tuple[Resource, str] | None) -> Iterator[Rewrite | Obstacle]:
        """A value for what has none: in the data of a class, at a declaration, or by a collector."""
        assert place is not None
        resource, tail = place
        name = str(steps_of(self.path, tail)[0])
        attribute = resource.attributes.get(name)
        if resource.is_class:
            if attribute is not None and (resource.span is None or not self._is_passed(resource, attribute)):
                yield from self._levels(f"{resource.title.lower()}::{name}", None, self.wanted)
            return
        declaration = resource.span
        is_passed = attribute is not None and attribute.span is not None
        if declaration is not None and self._is_code(declaration) and not is_passed:
            if sum(other.span == declaration for other in self.outcome.run.catalog.resources) == 1:
                yield from self._new_attribute(declaration, resource.ref, name, self.wanted, ())
        yield from self._collector(resource, name, self.wanted, ())

    def _at(self, goal: Goal) -> Iterator[Rewrite | Obstacle]:
        match goal.origin:
            case Leaf():
                yield from self._leaf(goal.origin, goal)
            case Copy(how=ParameterEdge()):
                how = goal.origin.how
                assert isinstance(how, ParameterEdge)
                if how.kind == "class":
                    yield from self._class_parameter(how.owner, f".{how.name}", goal.value, goal.wanted)
                elif goal.origin.span is not None:
                    yield from self._declared(goal.origin.span, how.name, goal.value, goal.wanted)
            case Items():
                yield from self._composite(goal.origin, goal)
            case Step(op=HieraText()):
                pieces = goal.origin.inputs[0]
                elements = pieces.elements if isinstance(pieces, Items) else ()
                text = elements[0] if isinstance(elements, Sequence) and elements else None
                if isinstance(text, Leaf) and text.span is not None and text.detail != ENCRYPTED_WORDS:
                    yield from self._datum(text, text.span, goal)

    # --- inputs ------------------------------------------------------------------------------------------------------

    def _leaf(self, leaf: Leaf, goal: Goal) -> Iterator[Rewrite | Obstacle]:
        name = f"{leaf.kind} {leaf.name}".strip()
        if leaf.absent:
            return
        if leaf.detail == ENCRYPTED_WORDS:
            yield self._sealed(leaf, goal)
        elif leaf.kind == "literal" and leaf.span is not None:
            if leaf.span.file.identity == leaf.span.file.name:
                for start, end, text in replacements(leaf.span, leaf.value, goal.wanted):
                    yield Rewrite(
                        REPLACED, "", (Splice(leaf.span.file.name, start, end, text),), (), tuple(self.through)
                    )
        elif leaf.kind == "hiera" and leaf.span is not None:
            yield from self._datum(leaf, leaf.span, goal)
        elif leaf.kind == "file" and isinstance(goal.value, str) and isinstance(goal.wanted, str):
            source = self._source(leaf.name)
            piece = narrowed(source.text, goal.value, goal.wanted)
            if piece is not None:
                yield Rewrite(REPLACED, "", (Splice(leaf.name, *piece),), (), tuple(self.through))
        elif leaf.kind != "literal":
            yield Obstacle(name, "it is an input of the node, and stands in no file of the configuration")

    def _datum(self, leaf: Leaf, span: Span, goal: Goal) -> Iterator[Rewrite | Obstacle]:
        file, key = span.file.name, leaf.name.partition(".")[0]
        if file.endswith(".json"):
            change: tuple[int, int, str] | None = (
                span.start,
                span.end,
                yaml_text(_as_data(goal.wanted), plain_scalar, '"'),
            )
        elif isinstance(leaf.value, str) and not same(leaf.value, goal.value) and isinstance(goal.wanted, str):
            change = narrowed(span.text, goal.value, goal.wanted)  # `%{...}` was filled in: what stands beside it
            change = change and (span.start + change[0], span.start + change[1], _as_data(change[2]))
            if change is None:
                yield Obstacle(span.place, "what is to change in it is filled in, or stands in it more than once")
                return
        else:
            change = yaml_replaced(span, goal.value, _as_data(goal.wanted), plain_scalar)
        if change is None:
            yield Obstacle(span.place, "a text over several lines is not written anew")
            return
        yield self._data_rewrite(REPLACED, leaf.name, Splice(file, *change), self._reach(key, file))

    def _sealed(self, leaf: Leaf, goal: Goal) -> Rewrite | Obstacle:
        """An encrypted value encrypted anew, for the certificate that was given or that the hierarchy names."""
        from ..hiera.eyaml import encrypted, is_token

        name = leaf.name or "the value"
        if leaf.span is None or leaf.span.file.name.endswith(".json"):
            return Obstacle(name, "it is encrypted, and its place is not known")
        eyaml = self._eyaml()
        certificate = eyaml.certificate if eyaml is not None else None
        if certificate is None:
            rungs = self.outcome.lookup(leaf.name.partition(".")[0]).rungs
            named = next((rung.public_key for rung in rungs if rung.file == leaf.span.file.name), "")
            certificate = self._key_file(named) if named else None
        if certificate is None:
            return Obstacle(leaf.span.place, "it is encrypted: --eyaml-public-key names the key to encrypt it anew")
        old = _dug(read_yaml(leaf.span.file)[0], leaf.name)
        if not isinstance(goal.wanted, str) or not isinstance(old, str) or not is_token(old):
            return Obstacle(leaf.span.place, "it is not one encrypted text alone")
        try:
            if leaf.key not in self._tokens:  # each time it would be another one
                self._tokens[leaf.key] = encrypted(_as_data(goal.wanted), certificate)
            token = self._tokens[leaf.key]
        except ValueError:
            return Obstacle(leaf.span.place, "what is to encrypt it is no certificate of an RSA key")
        change = sealed_replaced(leaf.span, token)
        if change is None:
            return Obstacle(leaf.span.place, "its lines are not written anew")
        new = Splice(leaf.span.file.name, *change)
        rewrite = self._data_rewrite(REPLACED, leaf.name, new, self._reach(leaf.name, leaf.span.file.name))
        if isinstance(rewrite, Rewrite) and (eyaml is None or not eyaml.can_open):
            clear = json.dumps(_as_data(goal.wanted)) + "\n"
            tried = Splice(leaf.span.file.name, leaf.span.start, leaf.span.end, clear)
            return Rewrite(rewrite.kind, rewrite.words, rewrite.splices, rewrite.reach, rewrite.through, (tried,))
        return rewrite

    def _eyaml(self) -> Eyaml | None:
        searches = self.outcome.run.data
        return searches.data.eyaml if searches is not None else None

    def _key_file(self, name: str) -> bytes | None:
        return self.outcome.file_content(posixpath.join(self.outcome.directory, name))

    def _composite(self, items: Items, goal: Goal) -> Iterator[Rewrite | Obstacle]:
        """A list that gets or loses elements, or a composite literal as a whole."""
        own = items.own
        if isinstance(goal.value, list) and isinstance(goal.wanted, list):
            yield from self._merged_list(items, goal.value, goal.wanted)
        if isinstance(goal.value, dict) and isinstance(goal.wanted, dict):
            yield from self._entries(items, goal.value, goal.wanted)
        span = own.span if isinstance(own, Leaf | Step) else None
        if span is None or span.file.identity != span.file.name or not isinstance(goal.wanted, type(goal.value)):
            return
        is_data = isinstance(own, Leaf) and own.kind == "hiera"
        if isinstance(own, Leaf) and own.kind not in ("hiera", "literal"):
            return
        change: tuple[int, int, str] | None = None
        if isinstance(goal.value, list):
            spans = _element_spans(items)

            def write(value: object) -> str:
                return yaml_text(_as_data(value), plain_scalar) if is_data else literal_text(value)

            if spans is not None and all(place.file.name == span.file.name for place in spans):
                change = list_changed(span.file, span, spans, goal.value, goal.wanted, write)
        elif not is_data and isinstance(goal.value, dict) and span.text[:1] == "{":
            change = (span.start, span.end, literal_text(goal.wanted))
        if change is None:
            return
        splice = Splice(span.file.name, *change)
        if is_data:
            assert isinstance(own, Leaf)
            reach = self._reach(own.name.partition(".")[0], span.file.name)
            yield self._data_rewrite(REPLACED, own.name, splice, reach)
        else:
            yield Rewrite(REPLACED, "", (splice,), (), tuple(self.through))

    def _merged_list(self, items: Items, old: list[Any], new: list[Any]) -> Iterator[Rewrite | Obstacle]:
        """Elements that a list gets or loses, in the file of data that each element beside it came from."""
        leaves = [unwrapped(element)[1] for element in items.elements] if isinstance(items.elements, Sequence) else []
        own = items.own
        if len(leaves) != len(old) or (isinstance(own, Leaf) and own.kind == "hiera" and own.span is not None):
            return
        start, old_end, new_end = changed_range(old, new)
        if old_end > start and new_end > start:
            return
        beside = range(start, old_end) if old_end > start else range(max(0, start - 1), min(len(old), start + 1))
        places = [self._in_file(leaves[index]) for index in beside]
        if old_end > start:
            known = [place for place in places if place is not None]
            if len(known) == len(places) and len({(name, items) for name, items, _ in known}) == 1:
                name, inside, _ = known[0]
                gone = {index for _, _, index in known}
                yield from self._list_of(
                    name, inside, [value for at, value in enumerate(_values_of(inside)) if at not in gone]
                )
            return
        for index, place in zip(beside, places):
            if place is not None:
                name, inside, at = place
                values = _values_of(inside)
                at += index < start
                yield from self._list_of(name, inside, [*values[:at], *new[start:new_end], *values[at:]])

    def _entries(self, items: Items, old: dict[Any, Any], new: dict[Any, Any]) -> Iterator[Rewrite | Obstacle]:
        """Keys that a hash gets or loses, in each file of data that it was put together from."""
        added = {key: value for key, value in new.items() if key not in old}
        removed = [key for key in old if key not in new]
        if any(not same(old[key], new[key]) for key in old if key in new) or (added and removed):
            return
        for own in _hashes(items.own):
            span = own.span
            if span is None or span.file.name.endswith(".json"):
                continue
            inside = _hash_at(self._data(span.file.name), own)
            if inside is None or not isinstance(inside.elements, Mapping):
                continue
            spans = {key: _end_of(element) for key, element in inside.elements.items()}
            change = hash_changed(span, spans, _as_data(added), removed, plain_scalar)
            if change is not None:
                reach = self._reach(own.name.partition(".")[0], span.file.name)
                yield self._data_rewrite(REPLACED, own.name, Splice(span.file.name, *change), reach)

    def _data(self, file: str) -> Origin:
        if file not in self._lists:
            self._lists[file] = read_yaml(self._source(file))[1]
        return self._lists[file]

    def _in_file(self, leaf: Origin) -> tuple[str, Items, int] | None:
        """The list of a file of data that an input is an element of: its name, its elements, and which one."""
        if not isinstance(leaf, Leaf) or leaf.kind != "hiera" or leaf.span is None:
            return None
        name, _, index = leaf.name.rpartition(".")
        if not name or not index.isdigit() or leaf.span.file.name.endswith(".json"):
            return None
        for here in _composites(self._data(leaf.span.file.name)):
            if isinstance(here.own, Leaf) and here.own.name == name and isinstance(here.elements, Sequence):
                return (name, here, int(index)) if int(index) < len(here.elements) else None
        return None

    def _list_of(self, name: str, items: Items, wanted: list[Any]) -> Iterator[Rewrite | Obstacle]:
        own, spans = items.own, _element_spans(items)
        if not isinstance(own, Leaf) or own.span is None or spans is None:
            return

        def write(value: object) -> str:
            return yaml_text(_as_data(value), plain_scalar)

        file = own.span.file.name
        change = list_changed(own.span.file, own.span, spans, _values_of(items), wanted, write)
        if change is None:
            yield Obstacle(own.span.place, "its elements do not stand on lines of their own")
            return
        reach = self._reach(name.partition(".")[0], file)
        yield self._data_rewrite(REPLACED, name, Splice(file, *change), reach)

    # --- data --------------------------------------------------------------------------------------------------------

    def _class_parameter(self, owner: str, tail: str, value: object, wanted: object) -> Iterator[Rewrite | Obstacle]:
        """The key of a parameter at each level of the data, where what has the value is the parameter or in it."""
        resource = self.outcome.run.catalog.find("Class", owner)
        steps = steps_of(tail, tail)
        name = str(steps[0])
        attribute = resource.attributes.get(name) if resource is not None else None
        if resource is None or attribute is None:
            return
        whole = attribute.value
        if isinstance(whole, Sensitive) or name in resource.sensitive:
            yield Obstacle(f"{owner}::{name}", "it is sensitive")
            return
        if len(steps) > 1:
            wholes = [_with(whole, steps[1:], wanted)]
        elif same(whole, value):
            wholes = [wanted]
        else:  # the parameter stands round an element of it alone
            wholes = [_with(whole, path, wanted) for path in _places_of(whole, value)][:MOST_PLACES]
        through = f"{resource.ref}.{name}"
        if through not in self.through:
            self.through.append(through)
        for new in wholes:
            if resource.span is None or not self._is_passed(resource, attribute):
                yield from self._levels(f"{owner}::{name}", whole, new)

    def _is_passed(self, resource: Resource, attribute: Attribute) -> bool:
        """Whether a declaration gives a parameter of a class its value, so that no data is asked."""
        return attribute.span is not None and resource.span is not None and _is_inside(attribute.span, resource.span)

    def _levels(self, key: str, old: object, new: object) -> Iterator[Rewrite | Obstacle]:
        ladder = self.outcome.lookup(key)
        value = new
        if ladder.merge in ("hash", "deep") and isinstance(new, dict) and isinstance(old, dict):
            value = {name: part for name, part in new.items() if name not in old or not same(part, old[name])}
            if not value or set(old) - set(new):
                return
        elif ladder.merge != "first":
            yield Obstacle(key, f"its levels are merged ({ladder.merge}): only single elements can be changed")
            return
        rungs = [rung for rung in ladder.rungs if rung.file and rung.layer != "class"]
        if not ladder.rungs:
            return
        taken: Rung | None = None
        for rung in rungs:
            if rung.has_value and rung.span is not None and rung.value is None and taken is None:  # written as null
                change = yaml_replaced(rung.span, None, _as_data(value), plain_scalar)
                if change is not None and not rung.file.endswith(".json"):
                    yield self._data_rewrite(REPLACED, key, Splice(rung.file, *change), _reach_of(rung))
            elif rung.status == HIDDEN or (taken is not None and ladder.merge == "first"):
                where = f"{taken.file}:{taken.span.line}" if taken is not None and taken.span is not None else "it"
                yield Obstacle(rung.file, f"hidden by {where}")
            elif rung.status in (NO_KEY, NO_FILE) and "*" not in rung.file:
                yield from self._added(key, value, rung, ladder)
            if rung.has_value and taken is None:
                taken = rung

    def _added(self, key: str, value: object, rung: Rung, ladder: Ladder) -> Iterator[Rewrite | Obstacle]:
        file, value = rung.file, _as_data(value)
        text = "" if rung.status == NO_FILE else self._source(file).text
        if file.endswith(".json"):
            added = json_key_added(text, key, value)
        elif file.endswith((".yaml", ".yml", ".eyaml")):
            added = yaml_key_added(text, key, value, plain_scalar)
        else:
            added = None
        if added is None:
            yield Obstacle(file, "a key is not added to a file of this form")
            return
        rewrite = self._data_rewrite(ADDED_DATA, key, Splice(file, added[0], added[0], added[1]), _reach_of(rung))
        is_plain = isinstance(rewrite, Rewrite) and bool(rung.public_key)
        yield replace(rewrite, is_among_secrets=True) if is_plain else rewrite

    def _data_rewrite(self, kind: str, name: str, splice: Splice, reach: tuple[str, ...]) -> Rewrite | Obstacle:
        """A change of data, if the file says afterwards what it said before, but for what is at one name."""
        text = self._source(splice.file).text if self._exists(splice.file) else ""
        if not splice.file.endswith(".json") and "&" not in text:
            try:
                before = read_yaml(SourceFile(splice.file, text))[0]
                after = read_yaml(SourceFile(splice.file, spliced(text, [splice])))[0]
            except Failure as problem:
                return Obstacle(splice.file, f"the file could not be read afterwards: {problem.message}")
            if not _differ_only_at(before or {}, after, name):
                return Obstacle(splice.file, "the file's layout does not let one value be changed alone")
        return Rewrite(kind, name, (splice,), reach, (*self.through, *_parameters_of(name)))

    def _reach(self, key: str, file: str) -> tuple[str, ...]:
        rungs = [rung for rung in self.outcome.lookup(key).rungs if rung.file == file]
        return _reach_of(rungs[0]) if rungs else ()

    # --- code --------------------------------------------------------------------------------------------------------

    def _declared(self, span: Span, name: str, old: object, new: object) -> Iterator[Rewrite | Obstacle]:
        """A parameter of a define, at the declaration of the instance, which `span` is."""
        for resource in self.outcome.run.catalog.resources:
            if resource.span != span or resource.is_class:
                continue
            attribute = resource.attributes.get(name)
            if attribute is None or same(attribute.value, old):
                self.through.append(f"{resource.ref}.{name}")
                yield from self._at_resource(resource, f".{name}", new)

    def _at_resource(self, resource: Resource, tail: str, wanted: object = GONE) -> Iterator[Rewrite | Obstacle]:
        """The attribute itself: a constant in place of its expression, or a new attribute; or a collector's body."""
        steps = steps_of(tail, tail)
        name = str(steps[0])
        attribute = resource.attributes.get(name)
        if attribute is None or name in resource.sensitive or isinstance(attribute.value, Sensitive):
            return
        value = self.wanted if wanted is GONE else wanted
        if len(steps) > 1:
            value = _with(attribute.value, steps[1:], value)
        through = tuple(self.through)
        declaration = resource.span
        if not resource.is_class and declaration is not None and self._is_code(declaration):
            span = attribute.span
            if span is not None and _is_inside(span, declaration):
                arrow = span.text.find("=>")
                start = span.start + arrow + 2
                if arrow >= 0:
                    start += len(span.file.text[start:]) - len(span.file.text[start:].lstrip())
                    splice = Splice(span.file.name, start, span.end, literal_text(value))
                    yield Rewrite(CONSTANT, f"{resource.ref}.{name}", (splice,), (), through)
            elif sum(other.span == declaration for other in self.outcome.run.catalog.resources) == 1:
                yield from self._new_attribute(declaration, resource.ref, name, value, through)
        if not resource.is_class and wanted is GONE:
            yield from self._collector(resource, name, value, through)

    def _new_attribute(
        self, declaration: Span, ref: str, name: str, value: object, through: tuple[str, ...]
    ) -> Iterator[Rewrite]:
        """`name => value`, as the last line of a declaration."""
        text = declaration.text
        body = text.rstrip().removesuffix("}").rstrip()
        if not text.rstrip().endswith("}") or body.endswith(";"):
            return
        last = body.rsplit("\n", 1)[-1]
        indent = last[: len(last) - len(last.lstrip())] if "\n" in body else ""
        comma = "" if body.endswith((",", ":")) else ","
        if "\n" in body and body.endswith(":"):
            indent += "  "
        between = f"\n{indent}" if "\n" in text else " "
        at = declaration.start + len(body)
        written = f"{comma}{between}{name} => {literal_text(value)}" + ("," if "\n" in text else "")
        yield Rewrite(ADDED, f"{ref}.{name}", (Splice(declaration.file.name, at, at, written),), (), through)

    def _collector(self, resource: Resource, name: str, value: object, through: tuple[str, ...]) -> Iterator[Rewrite]:
        file = self._main_manifest()
        if file is None or resource.raw_title is not None:
            return
        text = self.outcome.sources[file].text
        before = "" if text.endswith("\n") or not text else "\n"
        query = f"{resource.type} <| title == {literal_text(resource.title)} |>"
        body = f"{before}\n{query} {{\n  {name} => {literal_text(value)},\n}}\n"
        splice = Splice(file, len(text), len(text), body)
        yield Rewrite(OVERRIDE, f"{resource.ref}.{name}", (splice,), (), through)

    def _main_manifest(self) -> str | None:
        manifests = posixpath.join(self.outcome.directory, "manifests") + "/"
        names = [name for name in self.outcome.sources if name.endswith(".pp")]
        inside = [name for name in names if posixpath.normpath(name).startswith(posixpath.normpath(manifests) + "/")]
        if self.outcome.run.environment.root is not None:
            return inside[0] if inside else None
        return names[0] if names else None

    # --- removing ----------------------------------------------------------------------------------------------------

    def _removals(self, place: tuple[Resource, str] | None) -> Iterator[Rewrite | Obstacle]:
        if place is None:
            raise PathNotFound(self.path, "only a resource, an attribute or an element can be removed")
        resource, tail = place
        steps = steps_of(self.path, tail) if tail else []
        if len(steps) > 1:
            parent = self.path.strip()[: -len(tail)] + f".{steps[0]}"
            container = self.outcome.select(parent).value
            self.outcome.select(self.path)
            smaller = _without(container, steps[1:])
            yield from Rewriting(self.outcome, parent, smaller).all()
            return
        if not steps:
            yield from self._removed_resource(resource)
            return
        self.outcome.select(self.path)
        attribute = resource.attributes[str(steps[0])]
        span, declaration = attribute.span, resource.span
        if span is None or declaration is None or not _is_inside(span, declaration):
            yield Obstacle(f"{resource.ref}.{steps[0]}", "it is not set at the declaration of the resource")
            return
        end = span.end
        text = span.file.text
        if text[end : end + 1] == ",":
            end += 1
        splice = _whole_lines(span.file, span.start, end)
        yield Rewrite(REMOVED, f"{resource.ref}.{steps[0]}", (splice,))

    def _removed_resource(self, resource: Resource) -> Iterator[Rewrite | Obstacle]:
        span = resource.span
        if resource.is_class or span is None or not self._is_code(span):
            yield Obstacle(resource.ref, "it has no declaration of its own")
            return
        others = [other.ref for other in self.outcome.run.catalog.resources if other.span == span]
        if len(others) > 1:
            yield from self._removed_title(resource)
            yield Obstacle(span.place, f"the declaration is that of {', '.join(others[:3])} as well")
            return
        yield Rewrite(REMOVED, resource.ref, (_whole_lines(span.file, span.start, span.end),))
        around = _condition_of(span)
        if around is not None:  # nothing would be left in it, which Puppet may refuse
            yield Rewrite(REMOVED, resource.ref, (_whole_lines(span.file, around.start, around.end),))

    def _removed_title(self, resource: Resource) -> Iterator[Rewrite | Obstacle]:
        """A resource goes by its title, where that is an element of a list in the code or the data."""
        leaf = unwrapped(resource.title_origin)[1]
        place = self._in_file(leaf)
        if place is not None:
            name, inside, index = place
            values = _values_of(inside)
            yield from self._list_of(name, inside, [*values[:index], *values[index + 1 :]])
        elif isinstance(leaf, Leaf) and leaf.kind == "literal" and leaf.span is not None and self._is_code(leaf.span):
            elements = _list_around(leaf.span)
            if len(elements) > 1:
                at = elements.index(leaf.span)
                start, end = elements[at].start, elements[at].end
                if at:
                    start = elements[at - 1].end
                else:
                    end = elements[1].start
                yield Rewrite(REMOVED, resource.ref, (Splice(leaf.span.file.name, start, end, ""),))

    # --- files -------------------------------------------------------------------------------------------------------

    def _is_code(self, span: Span) -> bool:
        return span.file.name.endswith(".pp") and span.file.identity == span.file.name

    def _exists(self, file: str) -> bool:
        return self.outcome.file_content(file) is not None

    def _source(self, file: str) -> SourceFile:
        known = self.outcome.sources.get(file)
        if known is not None:
            return known
        content = self.outcome.file_content(file)
        return SourceFile.from_bytes(file, content or b"")


def _list_around(span: Span) -> list[Span]:
    """The places of the elements of a list that is written in a manifest, one of which is `span`."""
    from ..syntax.parser import parse
    from ..syntax.tree import Array, walk

    for node in walk(parse(span.file).program):
        if isinstance(node, Array) and any(item.span == span for item in node.items):
            return [item.span for item in node.items]
    return []


def _condition_of(span: Span) -> Span | None:
    """The condition in which a declaration stands alone, or the outermost in which nothing else stands."""
    from ..syntax.parser import parse
    from ..syntax.tree import If, Unless, walk

    around: Span | None = None
    conditions = [node for node in walk(parse(span.file).program) if isinstance(node, If | Unless)]
    for node in reversed(conditions):  # the inner ones first
        statements = node.then.statements
        if node.otherwise is None and len(statements) == 1 and statements[0].span in (span, around):
            around = node.span
    return around


def _dug(whole: object, name: str) -> Any:
    """The value of a dotted key of data."""
    for step in name.split("."):
        if isinstance(whole, dict) and step in whole:
            whole = whole[step]
        elif isinstance(whole, list) and step.isdigit() and int(step) < len(whole):
            whole = whole[int(step)]
        else:
            return None
    return whole


def _differ_only_at(before: Any, after: Any, name: str) -> bool:
    """Whether two composites of data are the same, apart from what a dotted name stands for."""
    step, _, rest = name.partition(".")
    if isinstance(before, dict) and isinstance(after, dict):
        key = next((key for key in after if str(key) == name), None)  # a key may have a dot in it
        if key is None:
            key = next((key for key in after if str(key) == step), None)
        else:
            rest = ""
        others = [[at for at in data if at != key] for data in (before, after)]
        if others[0] != others[1] or any(not _same(before[at], after[at]) for at in others[0]):
            return False
        return not rest or key not in before or _differ_only_at(before[key], after[key], rest)
    if isinstance(before, list) and isinstance(after, list) and step.isdigit() and len(before) == len(after):
        at = int(step)
        if any(not _same(old, new) for place, (old, new) in enumerate(zip(before, after)) if place != at):
            return False
        return not rest or at >= len(before) or _differ_only_at(before[at], after[at], rest)
    return isinstance(before, dict) == isinstance(after, dict)


def _as_data(value: Any) -> Any:
    """A value as it stands in a file of data: Hiera would fill in what looks like a hole."""
    if isinstance(value, str):
        return value.replace("%{", "%{literal('%')}{")
    if isinstance(value, list):
        return [_as_data(part) for part in value]
    if isinstance(value, dict):
        return {_as_data(key): _as_data(part) for key, part in value.items()}
    return value


def _parameters_of(key: str) -> tuple[str, ...]:
    """The parameter of a class that has its value from a key of the data."""
    owner, _, name = key.partition(".")[0].rpartition("::")
    return (f"Class[{'::'.join(part.capitalize() for part in owner.split('::'))}].{name}",) if owner else ()


def _reach_of(rung: Rung) -> tuple[str, ...]:
    """What a level is called: by its name, and by the inputs that its file is named after."""
    names = [rung.level.lower()]
    if not rung.because:
        names.append("all")
    for leaf in rung.because:
        if leaf.kind in ("node", "trusted") or leaf.name in ("networking.fqdn", "fqdn", "clientcert", "hostname"):
            names.append("node")
        names += [leaf.name.lower(), leaf.name.rpartition(".")[2].lower()]
    return tuple(dict.fromkeys(names))


def _element_spans(items: Items) -> list[Span] | None:
    spans: list[Span] = []
    if isinstance(items.elements, Mapping):
        return None
    for element in items.elements:
        source: Origin = element.own if isinstance(element, Items) else element
        span = source.span if isinstance(source, Leaf) else None
        if span is None:
            return None
        spans.append(span)
    return spans


def _composites(origin: Origin) -> Iterator[Items]:
    """All composites of a file of data."""
    waiting = [origin]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Items):
            yield here
            waiting += here.elements.values() if isinstance(here.elements, Mapping) else here.elements


def _hashes(own: Origin) -> Iterator[Leaf]:
    """The hashes of data that one was put together from."""
    inner = unwrapped(own)[1]
    if isinstance(inner, Leaf) and inner.kind == "hiera" and isinstance(inner.value, dict):
        yield inner
    elif isinstance(inner, Step):
        for part in inner.inputs:
            yield from _hashes(part)


def _hash_at(origin: Origin, own: Leaf) -> Items | None:
    return next((here for here in _composites(origin) if isinstance(here.own, Leaf) and here.own.key == own.key), None)


def _end_of(origin: Origin) -> Span | None:
    """The place of a value that is no composite."""
    return origin.span if isinstance(origin, Leaf) else None


def _values_of(items: Items) -> list[Any]:
    """The elements of a list of data."""
    return list(items.own.value) if isinstance(items.own, Leaf) and isinstance(items.own.value, list) else []


def _is_inside(span: Span, outer: Span) -> bool:
    return span.file.name == outer.file.name and outer.start <= span.start and span.end <= outer.end


def _whole_lines(file: SourceFile, start: int, end: int) -> Splice:
    """A piece of a text goes; with it the line or lines, where nothing else stands on them."""
    text = file.text
    line, behind = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    behind = len(text) if behind < 0 else behind + 1
    if not text[line:start].strip() and not text[end:behind].strip():
        if text[line - 2 : line] == "\n\n" or line == 0:  # one of the empty lines round it goes too
            if text[behind : behind + 1] == "\n":
                behind += 1
            elif line:
                line -= 1
        return Splice(file.name, line, behind, "")
    return Splice(file.name, start, end, "")


def _with(whole: object, steps: Sequence[str | int], value: object) -> Any:
    """A composite with another value at the end of some steps."""
    if not steps:
        return value
    first = steps[0]
    if isinstance(whole, list) and isinstance(first, int) and first < len(whole):
        return [*whole[:first], _with(whole[first], steps[1:], value), *whole[first + 1 :]]
    if isinstance(whole, dict) and first in whole:
        return {**whole, first: _with(whole[first], steps[1:], value)}
    return value


def _without(whole: Any, steps: Sequence[str | int]) -> Any:
    """A composite without the element at the end of some steps."""
    first = steps[0]
    if len(steps) > 1:
        return _with(whole, [first], _without(whole[first], steps[1:]))
    if isinstance(whole, list):
        return [element for index, element in enumerate(whole) if index != first]
    return {key: element for key, element in whole.items() if key != first}


def _places_of(whole: object, value: object) -> Iterator[list[str | int]]:
    """The steps to each element of a composite that is a value."""
    if same(whole, value):
        yield []
        return
    pairs: Sequence[tuple[Any, Any]] = ()
    if isinstance(whole, list):
        pairs = list(enumerate(whole))
    elif isinstance(whole, dict):
        pairs = list(whole.items())
    for key, element in pairs:
        for steps in _places_of(element, value):
            yield [key, *steps]


def _same(one: object, other: object) -> bool:
    return same(one, other) or bool(one == other)


def _place(span: Span | None) -> str:
    return span.place if span is not None else ""


def rewrites(outcome: Rewritable, path: str, wanted: object) -> Iterator[Rewrite | Obstacle]:
    """Changes that may give the value at `path` the value `wanted`; what goes wrong on the way ends the list."""
    try:
        yield from Rewriting(outcome, path, wanted).all()
    except PathNotFound:
        raise
    except Diagnostic as problem:
        yield Obstacle(path, problem.message)
