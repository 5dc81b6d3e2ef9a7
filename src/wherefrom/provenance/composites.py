"""Into composites: the origin of one element, of the shape, and of an element that is not there.

The shadow of a composite is an `Items`, but seldom alone: copies, choices, guards and overrides stand round it, and all
of these count for each element as they do for the whole. Everything that goes into a composite goes through here, so
that the rules are the same for every language:

* an element keeps its own origin, below whatever stood round the composite; of the values that the composite covers,
  those that had this element stay visible as covered;
* it also exists because of the composite's `own` origin, unless that is a constant of the program, or an input:
  of data from outside every element is an input by itself;
* what is *not* there is an input by itself if the composite is data from outside (`Leaf.within`), else it owes its
  absence to everything that decided which elements there are.
"""

from __future__ import annotations

from collections.abc import Mapping

from .origins import Choice, Copy, Guard, Guarded, Hidden, Items, Leaf, Origin, Overridden, Step, spine


def is_constant(origin: Origin) -> bool:
    """Whether an origin is a constant of the program, on which nothing depends."""
    return isinstance(origin, Step) and not origin.inputs


def unwrapped(origin: Origin) -> tuple[list[Origin], Origin]:
    """What stands round the inside of an origin, the outermost first, and the inside: an input, a step, `Items`..."""
    *wrappers, inner = spine(origin)
    return wrappers, inner


def wrapped(wrappers: list[Origin], inner: Origin, key: object = None) -> Origin:
    """`inner` with the same things round it; of covered composites, their element `key`."""
    for wrapper in reversed(wrappers):
        match wrapper:
            case Copy():
                inner = Copy(wrapper.how, inner, wrapper.span)
            case Choice():
                inner = wrapper.around(inner)
            case Guarded():
                inner = Guarded(inner, wrapper.guard)
            case Overridden():
                inner = Overridden(wrapper.how, inner, _covered(wrapper.hidden, key), wrapper.decided, wrapper.span)
    return inner


def _covered(hidden: tuple[Hidden, ...], key: object) -> tuple[Hidden, ...]:
    """What of the covered values stood at `key`."""
    covered = []
    for hiding in hidden:
        try:
            value = hiding.value[key]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            continue
        origin = element(hiding.origin, key)
        covered.append(Hidden(value, hiding.origin if origin is None else origin, hiding.why, hiding.span))
    return tuple(covered)


def element(origin: Origin, key: object) -> Origin | None:
    """The origin of the element `key` of a composite, or nothing if it is not known apart from the whole."""
    if type(origin) is Items:  # the common case: nothing round it
        return _owing(origin, key)
    wrappers, inner = unwrapped(origin)
    if not isinstance(inner, Items):
        return None
    inner_origin = _owing(inner, key)
    return None if inner_origin is None else wrapped(wrappers, inner_origin, key)


def _owing(items: Items, key: object) -> Origin | None:
    try:
        origin: Origin = items.elements[key]  # type: ignore[index, call-overload]
    except (KeyError, IndexError, TypeError):
        return None
    return owing(items.own, origin)


def owing(own: Origin, inner: Origin) -> Origin:
    """`inner`, an element of a composite whose own origin is `own`."""
    if (isinstance(own, Leaf) and own.kind != "literal") or (isinstance(own, Step) and not own.inputs):
        return inner
    return Choice((own,), inner)


def shape(origin: Origin) -> tuple[Origin | Guard, ...]:
    """What decided which elements a composite has: all that stands round it and its own origin, not the elements."""
    causes: list[Origin | Guard] = []
    wrappers, inner = unwrapped(origin)
    for wrapper in wrappers:
        match wrapper:
            case Choice():
                causes.extend(wrapper.tests)
            case Overridden():
                causes.extend(wrapper.decided)
            case Guarded():
                causes.append(wrapper.guard)
            case _:
                pass
    if isinstance(inner, Items):
        return (*causes, inner.own, *(inner.placed or {}).values())
    return (*causes, inner)


def missing(origin: Origin, key: object) -> tuple[Origin | Guard, ...]:
    """What could have put an element `key` into a composite that has none."""
    causes = shape(origin)
    inner = unwrapped(origin)[1]
    if isinstance(inner, Items) and isinstance(inner.own, Leaf) and isinstance(inner.elements, Mapping):
        return tuple(inner.own.within(key) if cause is inner.own else cause for cause in causes)
    return causes
