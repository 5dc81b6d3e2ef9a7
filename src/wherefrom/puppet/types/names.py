"""The names of the built-in types, and the types behind them when no parameters are given."""

from __future__ import annotations

from .aliases import BUILTIN_ALIASES
from .callables import CALLABLE, CATALOG_ENTRY, CLASS, INIT, RESOURCE, RUNTIME
from .containers import ARRAY, COLLECTION, HASH, ITERABLE, ITERATOR, STRUCT, TUPLE
from .model import (
    ANY,
    DEFAULT_TYPE,
    UNDEF,
    UNRESOLVED,
    NotUndefType,
    OptionalType,
    PuppetType,
    TypeAlias,
    TypeReference,
    TypeType,
    VariantType,
)
from .objects import BUILTIN_OBJECTS, OBJECT
from .scalars import (
    BINARY,
    BOOLEAN,
    ENUM,
    FLOAT,
    INTEGER,
    NUMERIC,
    PATTERN,
    REGEXP,
    SCALAR,
    SCALAR_DATA,
    SEMVER,
    SEMVER_RANGE,
    SENSITIVE,
    STRING,
    TIMESPAN,
    TIMESTAMP,
    URI_TYPE,
)
from .type_sets import TYPE_SET

_BARE: tuple[PuppetType, ...] = (
    ANY,
    UNDEF,
    DEFAULT_TYPE,
    OptionalType(),
    NotUndefType(),
    VariantType(),
    TypeType(),
    TypeReference(),
    SCALAR,
    SCALAR_DATA,
    NUMERIC,
    INTEGER,
    FLOAT,
    STRING,
    ENUM,
    PATTERN,
    REGEXP,
    BOOLEAN,
    TIMESTAMP,
    TIMESPAN,
    SEMVER,
    SEMVER_RANGE,
    BINARY,
    URI_TYPE,
    SENSITIVE,
    COLLECTION,
    ARRAY,
    HASH,
    TUPLE,
    STRUCT,
    ITERABLE,
    ITERATOR,
    CALLABLE,
    CATALOG_ENTRY,
    CLASS,
    RESOURCE,
    RUNTIME,
    INIT,
    OBJECT,
    TYPE_SET,
)

BUILTIN_TYPES: dict[str, PuppetType] = {
    **{kind.simple_name.lower(): kind for kind in _BARE},
    "typealias": TypeAlias("UnresolvedAlias", UNRESOLVED),
    **BUILTIN_ALIASES,
    **BUILTIN_OBJECTS,
}


def named_type(name: str) -> PuppetType | None:
    """The built-in type called `name`, whatever the letter case, or nothing."""
    return BUILTIN_TYPES.get(name.lower().removeprefix("::"))
