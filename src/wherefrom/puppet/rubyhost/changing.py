"""What Ruby code changes in place: containers that Puppet holds too.

Arrays and hashes are shared with the scope, not copied: `@list << 1` in a template changes `$list` and, in a define,
the parameter in the catalog (Puppet's template wrapper hands over the scope's own objects). So does a function that
changes an argument. Who holds such a container now holds what depends on all that the template or function read.

Before Ruby changes a container, what is in it is kept (`Changes.about_to`). When the activity is over, `Changes.settle`
looks for those that were handed to it by Puppet, and gives every variable that holds one, and the attribute that is the
same parameter, a new origin: elements that were there before keep theirs, what is new depends on the activity, and so
does which elements there are. Containers that Ruby code made itself are nobody else's: for them nothing is done.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...provenance.operations import Op
from ...provenance.origins import Items, Origin, Step
from ...ruby.operations import RUBY
from ..kernel.operations import Item, ValueAt
from ..kernel.shadow import Shadow
from ..runtime.resources import Attribute
from ..runtime.scope import Frame, Scope
from .values import leave

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 5_000
"""How many containers are looked at in one value; what has more of them is taken as changed, where it may be."""


class Changes:
    """The containers that Ruby code has changed since the last time that somebody asked, as they were before."""

    __slots__ = ("before",)

    def __init__(self) -> None:
        self.before: dict[int, tuple[Any, Any]] = {}
        """By identity: the container, and what was in it."""

    def __bool__(self) -> bool:
        return bool(self.before)

    def about_to(self, container: Any) -> None:
        """A container will be changed now."""
        if id(container) not in self.before:
            kind = type(container)
            before = list(container) if kind is list else dict(container) if isinstance(container, dict) else container
            self.before[id(container)] = container, before

    def settle(
        self,
        aliased: Sequence[Any],
        frame: Frame,
        scopes: Iterable[Any],
        frozen: Container[int],
        cause: Callable[[], Origin],
        is_over: bool = True,
    ) -> None:
        """Make what was put into containers what Puppet keeps there, and tell who holds those that are `aliased`.

        `frame` is where Ruby was called from; `scopes` are others whose variables were read by their full names.
        What is `frozen`, by its identity, has nothing in it that could have been changed. If Ruby `is_over`, the
        changes are forgotten; else whoever called this activity is to tell of them too, for they may be its own.
        """
        before = self.before
        if is_over:
            self.before = {}
        for container, _ in before.values():
            leave(container)
        if not aliased:
            return
        shared = _Shared(before, frozen)
        if any(shared.is_in(value) for value in aliased):
            origin = cause()
            here: Frame | None = frame
            while here is not None:
                shared.tell(here, origin)
                here = here.up
            for scope in scopes:
                shared.tell(scope, origin)


class _Shared:
    """Containers that were changed, and how to find them in what others hold."""

    __slots__ = ("_before", "_frozen", "_known")

    def __init__(self, before: dict[int, tuple[Any, Any]], frozen: Container[int]) -> None:
        self._before = before
        self._frozen = frozen
        self._known: dict[int, bool] = {}

    def is_in(self, value: object) -> bool:
        """Whether a value is, or has in it, a container that was changed."""
        if (type(value) is not list and type(value) is not dict) or id(value) in self._frozen:
            return False
        known = self._known.get(id(value))
        if known is None:
            if id(value) in self._before or len(self._known) > LARGEST:
                known = True
            else:
                self._known[id(value)] = False  # of one that contains itself, until the rest is known
                items: Iterable[object] = value.values() if isinstance(value, dict) else value
                known = any(self.is_in(item) for item in items)
            self._known[id(value)] = known
        return known

    def tell(self, frame: Frame, cause: Origin) -> None:
        """Give the variables of a frame that hold a changed container, and the attributes they are, new origins."""
        attributes = frame.resource.attributes if isinstance(frame, Scope) else {}
        for name, (value, origin) in list(frame.vars.items()):
            if not self.is_in(value):
                continue
            frame.vars[name] = (value, self.origin(value, origin, cause))
            old = attributes.get(name)
            if old is not None and old.value is value:
                origin = self.origin(value, old.origin, cause)
                attributes[name] = Attribute(name, value, origin, old.source, old.span, old.add, old.is_default)

    def origin(self, value: Any, origin: Origin, cause: Origin) -> Origin:
        """The origin of a value in which something was changed because of `cause`."""
        container, before = self._before.get(id(value), (value, value))
        own: Origin = Step(RUBY, (origin, cause)) if container is not before else Shadow(origin).own
        shadow = Shadow(origin)
        if type(value) is list:
            origins = [inside for _, inside in zip(before, shadow.in_order(), strict=False)]
            places = _places(before)
            elements = []
            for index, item in enumerate(value):
                place = index if index < len(before) and before[index] is item else places.get(id(item))
                known = None if place is None else origins[place]
                elements.append(self._element(item, known, Item(index), own, cause))
            return Items(elements, own)
        positions = {name: position for position, name in enumerate(before)}
        entries: dict[Any, Origin] = {}
        for position, (name, item) in enumerate(value.items()):
            is_old = name in before and before[name] is item
            known = shadow.value(name, positions[name]) if is_old else None
            entries[name] = self._element(item, known, ValueAt(position), own, cause)
        return Items(entries, own, shadow.items.placed if shadow.items is not None else None)

    def _element(self, item: object, known: Origin | None, op: Op, own: Origin, cause: Origin) -> Origin:
        if known is None:
            return Step(op, (own,))
        return self.origin(item, known, cause) if self.is_in(item) else known


def _places(items: Sequence[object]) -> dict[int, int]:
    """Where each element stands, by its identity; what stands in several places is nowhere."""
    places: dict[int, int] = {}
    twice: set[int] = set()
    for index, item in enumerate(items):
        if id(item) in places:
            twice.add(id(item))
        places[id(item)] = index
    return {identity: index for identity, index in places.items() if identity not in twice}
