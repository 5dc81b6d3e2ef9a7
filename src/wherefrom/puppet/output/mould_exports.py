"""What a node exports, as a mould for what others export.

A node that is made from another one's catalog (`mould`) exports what it would export if it were compiled: title and
parameters are computed from their formulas; tags are those that titles give, computed again, and for the rest the same.
The history that goes along tells what each input was; on the other node it is what that one has there.

What an exported value *hides* (an attribute that another one overrode) is told in its history too, so its inputs have
to be the same. Where a title that can be another one is also the tag of something else, or names the resource by
another name (`alias`), nothing is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...language import CastExport
from ...provenance.extract import Term
from ...provenance.origins import Items, Origin, Overridden
from ...provenance.sets import below
from ..runtime.resources import title_tags
from .stored import UNORDERED, exported_parameter
from .wire import wire_value

if TYPE_CHECKING:
    from ...provenance.exported import Exported
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Resource


class NotMade(Exception):
    """What a node exports can not be made for others."""


def told_beside(run: Compilation) -> Iterator[Origin]:
    """What the histories of exported resources tell besides what these depend on: what is hidden, what orders."""
    resources = [resource for resource in run.catalog.resources if resource.exported]
    waiting: list[Any] = []
    for resource in resources:
        waiting += (resource.existence, *(attribute.origin for attribute in resource.attributes.values()))
    seen: set[int] = set()
    kept: list[Any] = []
    while waiting:
        origin = waiting.pop()
        if id(origin) in seen:
            continue
        seen.add(id(origin))
        kept.append(origin)  # so that no identity is used again
        waiting.extend(below(origin))
        beside: list[Origin] = []
        if isinstance(origin, Overridden):
            beside = [covered.origin for covered in origin.hidden]
        elif isinstance(origin, Items) and origin.placed is not None:
            beside = list(origin.placed.values())
        yield from beside
        waiting.extend(beside)


class ExportedMould:
    """One exported resource: what of it is computed again.  Raises `NotMade` where it can not be."""

    def __init__(
        self,
        run: Compilation,
        exported: Exported,
        expression: Callable[[Origin], Term],
        has_holes: Callable[[Term], bool],
        fold: Callable[[Term], Term],
    ) -> None:
        resource = run.catalog.find(exported.type, exported.title)
        assert resource is not None
        self._resource = resource
        self._parameters = exported.parameters
        self._tags = exported.tags
        self._own_tags = frozenset(title_tags(resource.title))
        namevar = "name" if resource.kind is None else resource.kind.namevar
        title = expression(resource.title_origin)
        self._title = fold(title) if has_holes(title) else None
        if self._title is not None:
            named = {"alias", "name", namevar}
            if resource.raw_title is not None or not named.isdisjoint((*exported.parameters, *resource.attributes)):
                raise NotMade
            if resource.kind is not None and resource.kind.patterns is not None:
                raise NotMade
            self._check_tags(_around(run, resource))
        for holder in _around(run, resource):
            if not holder.is_class and has_holes(expression(holder.title_origin)):
                raise NotMade  # its title may be a tag of what stands in it
        self._terms: dict[str, Term] = {}
        for name, written in exported.parameters.items():
            attribute = resource.attributes.get(name)
            term = None if attribute is None else expression(attribute.origin)
            if attribute is None or term is None or not has_holes(term):
                continue
            value = attribute.value
            if name in UNORDERED or name == namevar or exported_parameter(wire_value(value), value) != written:
                raise NotMade
            self._terms[name] = fold(term)

    def _check_tags(self, around: Sequence[Resource]) -> None:
        """The tags of a title that may be another must be nobody else's, so that they can be told from others."""
        others = {tag for holder in around for tag in holder.tags} | set(_type_tags(self._resource))
        given = self._resource.attributes.get("tag")
        if given is not None:
            others |= _lower_texts(given.value)
        if not self._own_tags.isdisjoint(others):
            raise NotMade

    def terms(self) -> list[Term]:
        """The formulas that are computed again."""
        return [*self._terms.values(), *(() if self._title is None else (self._title,))]

    def cast(self, computed: Callable[[Term], Any]) -> CastExport | None:
        """The resource of another node; nothing if that has to be compiled."""
        resource = self._resource
        title, tags = resource.title, self._tags
        if self._title is not None:
            title = computed(self._title)
            new = title_tags(title)
            others = [tag for tag in tags if tag not in self._own_tags]
            if resource.kind is not None and resource.kind.named_by(title) != title:
                return None
            if not new.keys().isdisjoint(others):
                return None
            place = len(_type_tags(resource))
            tags = (*others[:place], *new, *others[place:])
        parameters = self._parameters
        if self._terms:
            changed: dict[str, Any] = {}
            for name, term in self._terms.items():
                value = computed(term)
                if value is None:
                    return None
                changed[name] = exported_parameter(wire_value(value), value)
            parameters = {**parameters, **changed}
        return CastExport(title, tags, parameters)


def _type_tags(resource: Resource) -> list[str]:
    """The tags that a resource has by its type."""
    lower = resource.type.lower()
    return list(dict.fromkeys((lower, *lower.split("::"))))


def _around(run: Compilation, resource: Resource) -> list[Resource]:
    """Everything that a resource has tags of: what declared it and what contains it, all the way up."""
    holders: dict[str, Resource] = {}
    waiting = [resource]
    while waiting:
        holder = waiting.pop()
        around = list(run.catalog.containers(holder.ref))
        if holder.scope is not None and holder.scope.resource is not None:
            around.append(holder.scope.resource)
        for above in around:
            if above.ref not in holders and above is not resource:
                holders[above.ref] = above
                waiting.append(above)
    return list(holders.values())


def _lower_texts(value: Any) -> set[str]:
    """The texts of a value of `tag` in lower case, with the parts of qualified ones."""
    values = value if isinstance(value, list) else [value]
    texts: set[str] = set()
    for text in values:
        if isinstance(text, list):
            texts |= _lower_texts(text)
        else:
            lower = str(text).lower()
            texts.update((lower, *lower.split("::")))
    return texts
