"""The names of the built-in types, and the types behind them when no parameters are given."""

from __future__ import annotations

from . import callables, containers, model, objects, scalars
from .aliases import BUILTIN_ALIASES
from .model import PuppetType

_BARE: tuple[PuppetType, ...] = (
    model.ANY,
    model.UNDEF,
    model.DEFAULT_TYPE,
    model.OptionalType(),
    model.NotUndefType(),
    model.VariantType(),
    model.TypeType(),
    model.TypeReference(),
    scalars.SCALAR,
    scalars.SCALAR_DATA,
    scalars.NUMERIC,
    scalars.INTEGER,
    scalars.FLOAT,
    scalars.STRING,
    scalars.ENUM,
    scalars.PATTERN,
    scalars.REGEXP,
    scalars.BOOLEAN,
    scalars.TIMESTAMP,
    scalars.TIMESPAN,
    scalars.SEMVER,
    scalars.SEMVER_RANGE,
    scalars.BINARY,
    scalars.URI_TYPE,
    scalars.SENSITIVE,
    containers.COLLECTION,
    containers.ARRAY,
    containers.HASH,
    containers.TUPLE,
    containers.STRUCT,
    containers.ITERABLE,
    containers.ITERATOR,
    callables.CALLABLE,
    callables.CATALOG_ENTRY,
    callables.CLASS,
    callables.RESOURCE,
    callables.RUNTIME,
    callables.INIT,
    objects.OBJECT,
    objects.TYPE_SET,
)

BUILTIN_TYPES: dict[str, PuppetType] = {
    **{each.simple_name.lower(): each for each in _BARE},
    "typealias": model.TypeAlias("UnresolvedAlias", model.UNRESOLVED),
    **BUILTIN_ALIASES,
    **objects.BUILTIN_OBJECTS,
}


def named_type(name: str) -> PuppetType | None:
    """The built-in type called `name`, whatever the letter case, or nothing."""
    return BUILTIN_TYPES.get(name.lower().removeprefix("::"))
