"""Resources whose names have holes: whether they are as different, and found as they were, on another node.

A title, a `path` or another attribute that names a resource may be made from what each node has its own of. On another
node it is another name, and all is well as long as no two resources meet, and whoever names the resource by a reference
(`require => File["/etc/${site}.conf"]`) names it by the new one. Both are looked at here: the keys of the catalog's
table are made anew, as the catalog makes them, and relationships must be the old ones with the new names in them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from ...provenance.extract import Term
from ..kernel.values import freeze
from ..runtime.relations import RELATIONS, parse_reference
from ..runtime.resource_types import core_kind
from ..runtime.resources import check_tags, flatten
from .wire import wire_value

if TYPE_CHECKING:
    from ...provenance.origins import Origin
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Resource

FIXED = frozenset(("alias", "audit", "loglevel", "noop", "schedule", "stage"))
"""Attributes by which a resource is found, ordered or checked, whose values are fixed."""


def naming(resource: Resource) -> frozenset[str]:
    """The attributes by which a resource of this type is known."""
    return frozenset(("name",)) if resource.kind is None else frozenset(("name", *resource.kind.keys))


class _Named:
    """A resource of which a name has holes: the formulas, and what it is known by."""

    __slots__ = ("_other", "attributes", "has_unique_key", "resource", "texts", "title")

    def __init__(self, resource: Resource, title: Term | None, attributes: dict[str, Term]) -> None:
        self.resource = resource
        self.title = title
        self.attributes = attributes
        self.texts = list(_texts(resource))
        self.has_unique_key = resource.unique_key() is not None
        self._other = copy(resource)
        """The resource on another node, one after the other."""
        self._other.attributes = {
            name: copy(attribute) if name in attributes else attribute
            for name, attribute in resource.attributes.items()
        }

    def terms(self) -> Iterator[Term]:
        """The formulas."""
        if self.title is not None:
            yield self.title
        yield from self.attributes.values()

    def renamed(self, computed: Callable[[Term], Any]) -> Resource | None:
        """The resource on another node, until the next is asked for; nothing where its name is none."""
        other = self._other
        if self.title is not None:
            title = computed(self.title)
            if type(title) is not str or not title:
                return None
            other.title = title
        for name, term in self.attributes.items():
            value = computed(term)
            if type(value) is not str or not value:
                return None
            other.attributes[name].value = value
        return other


class Names:
    """The names in a catalog that have holes.  `solid` are formulas that stand in the way: their holes are none."""

    def __init__(
        self, run: Compilation, expression: Callable[[Origin], Term], has_holes: Callable[[Term], bool]
    ) -> None:
        self._named: list[_Named] = []
        self.solid: list[Term] = []
        for resource in run.catalog.resources:
            if resource.is_class:
                continue
            title = expression(resource.title_origin)
            terms = {
                name: expression(resource.attributes[name].origin)
                for name in naming(resource) & resource.attributes.keys()
            }
            attributes = {name: term for name, term in terms.items() if has_holes(term)}
            if has_holes(title) or attributes:
                named = _Named(resource, title if has_holes(title) else None, attributes)
                self._named.append(named)
                if resource.raw_title is not None or any(
                    type(resource.attributes[name].value) is not str for name in attributes
                ):
                    self.solid.extend(named.terms())
        self._tags = [
            term
            for resource in run.catalog.resources
            if (tag := resource.attributes.get("tag")) is not None and has_holes(term := expression(tag.origin))
        ]
        known = {id(named.resource): named for named in self._named}
        self._relations: list[tuple[Any, Term]] = []
        for resource in run.catalog.resources:
            for name in RELATIONS & resource.attributes.keys():
                attribute = resource.attributes[name]
                written = wire_value(attribute.value)
                term = expression(attribute.origin)
                related = has_holes(term)
                if related:
                    self._relations.append((written, term))
                for text in _flat(written):
                    parts = parse_reference(text)
                    holder = None if parts is None or not known else known.get(id(run.catalog.find(*parts)))
                    if holder is not None and not (related and text in holder.texts):
                        # Whoever is found by a name that is always the same, or is no name of its own, has no other.
                        self.solid.extend(holder.terms())
        self._taken = _taken(run, known) if self._named else set()

    def terms(self) -> Iterator[Term]:
        """All formulas that are computed again."""
        for named in self._named:
            yield from named.terms()
        yield from (term for _, term in self._relations)
        yield from self._tags

    def fold(self, fold: Callable[[Term], Term]) -> None:
        """Make the formulas shorter."""
        for named in self._named:
            named.title = None if named.title is None else fold(named.title)
            named.attributes = {name: fold(term) for name, term in named.attributes.items()}
        self._relations = [(written, fold(term)) for written, term in self._relations]
        self._tags = list(map(fold, self._tags))

    def fit(self, titles: dict[str, str], computed: Callable[[Term], Any]) -> bool:
        """Give resources their new titles; whether all are different, and all references lead where they led."""
        for term in self._tags:
            check_tags(computed(term), None)
        texts: dict[str, str] = {}
        keys: dict[Any, Resource] = {}
        for named in self._named:
            other = named.renamed(computed)
            if other is None:
                return False
            resource = named.resource
            own_keys = list(_keys(other))
            if (len(own_keys) > 1) is not named.has_unique_key:
                return False
            for key in own_keys:
                lower = _lower(key)
                if lower in self._taken or keys.setdefault(lower, resource) is not resource:
                    return False
            texts.update(zip(named.texts, map(_text, own_keys), strict=True))
            if named.title is not None:
                titles[resource.ref] = other.title
        return all(_renamed(written, texts) == wire_value(computed(term)) for written, term in self._relations)


def _taken(run: Compilation, without: Container[int]) -> set[tuple[Any, ...]]:
    """The names, in lower case, that all but some resources have, and those that were looked for in vain."""
    taken = {_lower(key) for key, resource in run.catalog.table.items() if id(resource) not in without}
    for resource in run.catalog.resources:
        if id(resource) not in without:
            taken.update(_lower((resource.type, text)) for text in _other_names(resource))
    assert run.ledger is not None
    for type_name, text in run.ledger.sought:
        kind = core_kind(type_name.lower())
        taken.add(_lower((type_name, text)))
        taken.add(_lower((type_name, text if kind is None else kind.named_by(text))))
    return taken


def _keys(resource: Resource) -> Iterator[tuple[Any, ...]]:
    """What the catalog's table knows a resource by, but for aliases."""
    yield (resource.type, resource.title)
    unique = resource.unique_key()
    if unique is not None:
        yield (resource.type, *map(freeze, flatten(list(unique))))


def _texts(resource: Resource) -> Iterator[str]:
    """How references may be written that lead to a resource, but for aliases."""
    return map(_text, _keys(resource))


def _text(key: Sequence[Any]) -> str:
    type_name, *names = key
    return f"{type_name}[{names[0] if len(names) == 1 else names}]"


def _other_names(resource: Resource) -> Iterator[str]:
    for name in ("alias", "name", "path"):
        for text in flatten([resource.value(name)]):
            if type(text) is str:
                yield text


def _lower(key: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(part.lower() if type(part) is str else repr(part) for part in key)


def _flat(written: Any) -> Iterator[str]:
    for part in flatten([written]):
        if type(part) is str:
            yield part


def _renamed(written: Any, texts: dict[str, str]) -> Any:
    """References with other names in them."""
    if isinstance(written, list):
        return [_renamed(part, texts) for part in written]
    return texts.get(written, written) if type(written) is str else written
