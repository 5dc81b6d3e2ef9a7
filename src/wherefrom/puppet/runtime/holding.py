"""What an attribute holds of the value that it is given.

Puppet's evaluator hands attributes over to an older part of itself, and converts their values on the way: references
become names (`Reference`, printed `File[/x]`), a resource type without a title the name of nothing; what makes its
elements only while it is walked, and integers of more than 64 bits, are refused. Everything that becomes an attribute
or a parameter of a class or define passes here: attributes that are written, `*` hashes, defaults of parameters,
`create_resources`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..kernel.failures import CatalogError, Failure, too_large
from ..kernel.values import Iterator, Reference, hash_key, key_value, weigh
from ..types.callables import CatalogEntryType, ClassType, ResourceType
from .resources import capitalize_segments, component_reference, flatten

if TYPE_CHECKING:
    from .compilation import Compilation

AS_THEY_ARE = frozenset((str, bool, float, type(None)))
"""Types of values that attributes hold unchanged, as most are."""


def held(run: Compilation, value: object) -> Any:
    """The value as an attribute holds it; the same object if nothing in it is converted."""
    kind = type(value)
    if kind in AS_THEY_ARE:
        return value
    if kind is list or kind is dict:
        weigh(value)
        return _held_inside(run, value)
    return _held_other(run, value)


def _held_inside(run: Compilation, value: Any) -> Any:
    kind = type(value)
    if kind in AS_THEY_ARE:
        return value
    if kind is list:
        elements = [element if type(element) in AS_THEY_ARE else _held_inside(run, element) for element in value]
        return elements if any(map(_differ, elements, value)) else value
    if kind is dict:
        pairs = [(_held_key(run, key), _held_inside(run, element)) for key, element in value.items()]
        same = all(key is old and element is value[old] for (key, element), old in zip(pairs, value, strict=True))
        return value if same else dict(pairs)
    return _held_other(run, value)


def _differ(new: object, old: object) -> bool:
    return new is not old


def _held_key(run: Compilation, key: Any) -> Any:
    if type(key) is str:
        return key
    value = key_value(key)
    converted = _held_inside(run, value)
    return key if converted is value else hash_key(converted)


def _held_other(run: Compilation, value: object) -> Any:
    if type(value) is int:
        if -(2**63) <= value < 2**63:
            return value
        raise too_large(value)
    if type(value) is Iterator:
        raise Failure("Use of an Iterator is not supported here")
    if not isinstance(value, CatalogEntryType):
        return value
    if isinstance(value, ClassType):
        return _named_class(value.class_name)
    if isinstance(value, ResourceType):
        return _named_resource(run, value)
    raise Failure(
        "Cannot split the type Puppet::Pops::Types::PCatalogEntryType, it represents neither a PClassType, nor a "
        "PResourceType.",
        kind="not a reference",
    )


def check_untitled(run: Compilation) -> None:
    """A file without a title may stand in a hash, but not by itself: Puppet finds out when the catalog is complete."""
    for resource in run.catalog.resources:
        if resource.virtual:
            continue
        for attribute in resource.attributes.values():
            if any(type(part) is Reference and part == _NO_FILE for part in flatten(attribute.value)):
                message = 'No set of title patterns matched the title "".'
                raise CatalogError(message, None, issue=None, kind="not a reference", lead="", column=False)


_NO_FILE = Reference("File", "")


def _named_class(name: str | None) -> Reference:
    if name is None:
        raise Failure('No title provided and "class" is not a valid resource reference', kind="not a reference")
    return Reference("Class", "main" if name == "" else capitalize_segments(name.removeprefix("::")))


def _named_resource(run: Compilation, value: ResourceType) -> Reference:
    name = value.lower_name
    if name is None:
        raise Failure("undefined method `include?' for nil:NilClass", kind="not a reference")
    if name == "class":
        return _named_class(value.title)
    if name == "node":
        return Reference("Node", value.title or "")
    kind = run.environment.find_type(name)
    if kind is None:  # to Puppet, what has no type is a class
        return _named_class(value.title or "")
    if value.title is None and kind.name.lower() == "file":
        run.untitled = True
    if kind.name.lower() == "component":
        return Reference(*component_reference(value.title or ""))
    return Reference(capitalize_segments(kind.name), value.title or "")
