"""The aliases that come with the language: `Data`, `RichData` and the types of lookup keys and values.

They are ordinary recursive aliases; only matching a value against them is written out by hand, because it is done for
every element of Hiera data and of rich catalogs.
"""

from __future__ import annotations

from ..kernel.values import Default, Key, Value
from .containers import ArrayType, HashType
from .model import DEFAULT_TYPE, UNDEF, PuppetType, TypeAlias, TypeType, VariantType, spend_visits
from .objects import OBJECT
from .scalars import (
    BINARY,
    NUMERIC,
    SCALAR,
    SCALAR_DATA,
    SEMVER_RANGE,
    SENSITIVE,
    STRING,
    URI_TYPE,
)
from .type_sets import TYPE_SET

_PLAIN = frozenset((str, int, float, bool, type(None)))


class _BuiltinAlias(TypeAlias):
    """An alias whose right-hand side stays as it is written: Puppet shows `Data` without normalizing it."""

    __slots__ = ()

    def _work_out(self) -> PuppetType:
        return self._resolve if isinstance(self._resolve, PuppetType) else self._resolve()


class _DataAlias(_BuiltinAlias):
    """`Data`: what JSON can hold."""

    __slots__ = ()

    def accepts(self, value: Value) -> bool:
        kind = type(value)
        if kind in _PLAIN:
            return True
        if kind is list:
            spend_visits(len(value))
            return all(map(self.accepts, value))
        if kind is dict:
            spend_visits(len(value))
            return all(type(key) is str for key in value) and all(map(self.accepts, value.values()))
        return False


class _RichDataAlias(_BuiltinAlias):
    """`RichData`: what a catalog can hold when rich data is on."""

    __slots__ = ()

    def accepts(self, value: Value) -> bool:
        kind = type(value)
        if kind in _PLAIN or isinstance(value, PuppetType | Default):
            return True
        if kind is list:
            spend_visits(len(value))
            return all(map(self.accepts, value))
        if kind is dict:
            spend_visits(len(value))
            return all(RICH_DATA_KEY.accepts(key.value if type(key) is Key else key) for key in value) and all(
                map(self.accepts, value.values())
            )
        return any(scalar.accepts(value) for scalar in _RICH_SCALARS)


_RICH_SCALARS: tuple[PuppetType, ...] = (
    SCALAR,
    SEMVER_RANGE,
    BINARY,
    SENSITIVE,
    TypeType(),
    TYPE_SET,
    URI_TYPE,
    OBJECT,
    UNDEF,
    DEFAULT_TYPE,
)

DATA: TypeAlias = _DataAlias("Data", lambda: VariantType((SCALAR_DATA, UNDEF, HashType(STRING, DATA), ArrayType(DATA))))
RICH_DATA_KEY = TypeAlias("RichDataKey", VariantType((STRING, NUMERIC)))
RICH_DATA: TypeAlias = _RichDataAlias(
    "RichData",
    lambda: VariantType((*_RICH_SCALARS, HashType(RICH_DATA_KEY, RICH_DATA), ArrayType(RICH_DATA))),
)
LOOKUP_KEY = TypeAlias("Puppet::LookupKey", RICH_DATA_KEY)
LOOKUP_VALUE = TypeAlias("Puppet::LookupValue", RICH_DATA)

BUILTIN_ALIASES: dict[str, TypeAlias] = {
    alias.name.lower(): alias for alias in (DATA, RICH_DATA_KEY, RICH_DATA, LOOKUP_KEY, LOOKUP_VALUE)
}
