"""The root of Puppet's type system: the base class, and the types that are about other types.

Every type is an immutable object with structural equality that answers a few questions by itself, without a central
dispatcher, so that checking a parameter costs one method call:

    accepts(value)      is the value an instance of the type?
    assignable(other)   is every instance of `other` an instance of this type?
    generalize()        the same without sizes, ranges and literal values
    normalize()         a simpler type that means the same
    iterable(), iterable_type(), is_callable()      what iteration and blocks need to know

Assignability is a double dispatch. `target.assignable(source)` asks `source.assign_to(target)`: types that stand for
others (aliases, `Variant`, `Optional`, `NotUndef`) first take themselves apart; all others end in
`target._takes(source)`.

Recursive aliases (`type Tree = Variant[Integer, Array[Tree]]`) make types infinite trees. Comparing two of them assumes
what is being proved (a pair of types that comes up again while it is being compared is fine); matching a value against
an alias that comes back to the same value without having consumed anything fails.

Reference: Puppet language specification, "Types" and "The Type System"; behaviour checked against Puppet 7.23.
"""

from __future__ import annotations

from _thread import RLock, _local
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

from ...base.budget import current
from ...base.forking import held_at_forks
from ..kernel.type_failures import AliasProblem
from ..kernel.values import Reference, Value, weigh
from .services import SERVICES

Answer = TypeVar("Answer")

MATCH = 2
"""Steps that matching one element with a type takes."""


def spend_pair() -> None:
    """Draw a comparison of two types from the budget: types may share their parts as values do."""
    budget = current()
    budget.pairs -= 2
    if budget.pairs < 0:
        budget.over("pairs", "comparing types")


def spend_visits(count: int) -> None:
    """Draw from the budget for elements that are matched with a type."""
    budget = current()
    budget.steps -= MATCH * count
    if budget.steps < 0:
        budget.over("steps", "matching a value with a type")


class PuppetType:
    """Base of all types.  Subclasses give `_key` (what equality looks at) and override what differs from `Any`."""

    __slots__ = ("_extent", "_hash")

    # The name Puppet calls the type by when it has no parameters.
    simple_name: ClassVar[str] = "Any"
    # `new` of the type accepts what `String(value)` makes of it, so a catalog may carry it as text.

    @property
    def name(self) -> str:
        """What messages call the type: its simple name, or the own name of an alias or object type."""
        return self.simple_name

    def _key(self) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        mine = self._key()
        if mine:
            spend_pair()
        return bool(mine == other._key())

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash: int = hash((type(self).__name__, self._key()))
            return self._hash

    def __repr__(self) -> str:
        return f"<{SERVICES.to_string(self)}>"

    def __str__(self) -> str:
        return SERVICES.to_string(self)

    def accepts(self, value: Value) -> bool:
        """Is `value` an instance of this type?"""
        raise NotImplementedError

    def assignable(self, other: PuppetType) -> bool:
        """Is every instance of `other` an instance of this type?"""
        spend_pair()
        return other.assign_to(self)

    def assign_to(self, target: PuppetType) -> bool:
        """Second half of `assignable`; types that stand for others take themselves apart here."""
        return target._takes(self)

    def _takes(self, other: PuppetType) -> bool:
        """`assignable` for an `other` that is a plain type."""
        raise NotImplementedError

    def generalize(self) -> PuppetType:
        """The type without sizes, ranges and literal values."""
        return self

    def normalize(self) -> PuppetType:
        """A simpler type with the same instances."""
        return self

    def children(self) -> Iterable[PuppetType]:
        """The types that this one is made of."""
        return ()

    def extent(self) -> int:
        """How many types this one is made of, each counted as often as it stands in it."""
        try:
            return self._extent
        except AttributeError:
            self._extent: int = 1
            self._extent = 1 + sum(part.extent() for part in self.children())
            return self._extent

    def is_callable(self, optional: bool = True) -> bool:
        """Can an instance be a block?  `optional` also counts `Optional[Callable]`."""
        return False

    def iterable(self) -> bool:
        """Can instances be iterated over?"""
        return False

    def iterable_type(self) -> PuppetType | None:
        """`Iterable[E]` where E is what iteration yields."""
        return None


class AnyType(PuppetType):
    """`Any`: every value."""

    __slots__ = ()

    def accepts(self, value: Value) -> bool:
        return True

    def _takes(self, other: PuppetType) -> bool:
        return True


class UnitType(PuppetType):
    """`Unit`: the element type of empty collections; agrees with everything in both directions."""

    __slots__ = ()
    simple_name = "Unit"

    def accepts(self, value: Value) -> bool:
        return True

    def assignable(self, other: PuppetType) -> bool:
        return True

    def assign_to(self, target: PuppetType) -> bool:
        return True

    def _takes(self, other: PuppetType) -> bool:
        return True


class UndefType(PuppetType):
    """`Undef`: the value `undef`."""

    __slots__ = ()
    simple_name = "Undef"

    def accepts(self, value: Value) -> bool:
        return value is None

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, UndefType)


class DefaultType(PuppetType):
    """`Default`: the value `default`."""

    __slots__ = ()
    simple_name = "Default"

    def accepts(self, value: Value) -> bool:
        from ..kernel.values import DEFAULT

        return value is DEFAULT

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, DefaultType)


ANY = AnyType()
UNIT = UnitType()
UNDEF = UndefType()
DEFAULT_TYPE = DefaultType()


class ContainedType(PuppetType):
    """A type around one other type, or around none."""

    __slots__ = ("type",)
    type: PuppetType | None

    def __init__(self, type: PuppetType | None = None) -> None:
        self.type = type

    def _key(self) -> tuple[Any, ...]:
        return (self.type,)

    def generalize(self) -> PuppetType:
        if self.type is None:
            return self
        general = self.type.generalize()
        return self if general is self.type else self.__class__(general)

    def normalize(self) -> PuppetType:
        if self.type is None:
            return self
        normal = self.type.normalize()
        return self if normal is self.type else self.__class__(normal)

    def children(self) -> Iterable[PuppetType]:
        return () if self.type is None else (self.type,)


class OptionalType(ContainedType):
    """`Optional[T]`: an instance of T, or undef."""

    __slots__ = ()
    simple_name = "Optional"

    def accepts(self, value: Value) -> bool:
        return value is None or (self.type is not None and self.type.accepts(value))

    def assign_to(self, target: PuppetType) -> bool:
        return target.assignable(UNDEF) and (self.type is None or target.assignable(self.type))

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, UndefType) or self.type is None or self.type.assignable(other)

    def normalize(self) -> PuppetType:
        normal = super().normalize()
        inner = normal.type if isinstance(normal, OptionalType) else None
        if inner is None:
            return normal
        if isinstance(inner, NotUndefType):
            return OptionalType(inner.type).normalize()
        return inner if inner.assignable(UNDEF) else normal

    def is_callable(self, optional: bool = True) -> bool:
        return optional and self.type is not None and self.type.is_callable(optional)


class NotUndefType(ContainedType):
    """`NotUndef[T]`: an instance of T that is not undef."""

    __slots__ = ()
    simple_name = "NotUndef"

    def __init__(self, type: PuppetType | None = None) -> None:
        super().__init__(None if isinstance(type, AnyType) else type)

    def accepts(self, value: Value) -> bool:
        return value is not None and (self.type is None or self.type.accepts(value))

    def assign_to(self, target: PuppetType) -> bool:
        if self.type is None or self.type.assignable(UNDEF):
            return target._takes(self)
        return target.assignable(self.type)

    def _takes(self, other: PuppetType) -> bool:
        return not other.assignable(UNDEF) and (self.type is None or self.type.assignable(other))

    def normalize(self) -> PuppetType:
        normal = super().normalize()
        inner = normal.type if isinstance(normal, NotUndefType) else None
        if inner is None:
            return normal
        if isinstance(inner, OptionalType):
            return NotUndefType(inner.type).normalize()
        return normal if inner.assignable(UNDEF) else inner


class VariantType(PuppetType):
    """`Variant[A, B, ...]`: an instance of one of the types.  The order is kept but does not matter for equality."""

    __slots__ = ("types",)
    simple_name = "Variant"

    def __init__(self, types: tuple[PuppetType, ...] = ()) -> None:
        self.types = types

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, VariantType) or len(self.types) != len(other.types):
            return False
        spend_pair()
        return all(member in other.types for member in self.types)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = hash(("Variant", frozenset(self.types)))
            return self._hash

    def accepts(self, value: Value) -> bool:
        if type(value) is list or type(value) is dict:
            spend_visits(len(self.types))
        for member in self.types:  # noqa: SIM110 - a generator costs more than the checks
            if member.accepts(value):
                return True
        return False

    def assignable(self, other: PuppetType) -> bool:
        spend_pair()
        if isinstance(other, VariantType):
            return not self.types or (bool(other.types) and all(self._assignable_one(member) for member in other.types))
        return self._assignable_one(other)

    def _assignable_one(self, other: PuppetType) -> bool:
        if not self.types and isinstance(other, UndefType):
            return False
        return other.assign_to(self)

    def assign_to(self, target: PuppetType) -> bool:
        if isinstance(target, AnyType):
            return True
        if isinstance(target, NotUndefType) and not self.types:
            return target._takes(self)
        return bool(self.types) and all(target.assignable(member) for member in self.types)

    def _takes(self, other: PuppetType) -> bool:
        return any(member.assignable(other) for member in self.types)

    def generalize(self) -> PuppetType:
        general = tuple(member.generalize() for member in self.types)
        return variant_of(general) if any(a is not b for a, b in zip(general, self.types)) else self

    def normalize(self) -> PuppetType:
        simplest: PuppetType = SERVICES.normalized_variant(self)
        return simplest

    def children(self) -> Iterable[PuppetType]:
        return self.types

    def is_callable(self, optional: bool = True) -> bool:
        return all(member.is_callable(optional) for member in self.types)


def variant_of(types: Iterable[PuppetType]) -> PuppetType:
    """`Variant` of the types, flattened and without repetition; a single type is itself."""
    flat: list[PuppetType] = []
    for member in types:
        for one in member.types if isinstance(member, VariantType) else (member,):
            if one not in flat:
                flat.append(one)
    return flat[0] if len(flat) == 1 else VariantType(tuple(flat))


class TypeType(ContainedType):
    """`Type[T]`: the types that are assignable to T."""

    __slots__ = ()
    simple_name = "Type"

    def accepts(self, value: Value) -> bool:
        if isinstance(value, Reference):
            return self.assignable(SERVICES.infer(value))
        return isinstance(value, PuppetType) and (self.type is None or self.type.assignable(value))

    def _takes(self, other: PuppetType) -> bool:
        if not isinstance(other, TypeType):
            return False
        return self.type is None or (other.type is not None and self.type.assignable(other.type))

    def iterable(self) -> bool:
        return self.iterable_type() is not None

    def iterable_type(self) -> PuppetType | None:
        from .containers import IterableType
        from .scalars import EnumType, IntegerType

        if isinstance(self.type, EnumType) or (isinstance(self.type, IntegerType) and self.type.is_finite()):
            return IterableType(self.type)
        return None


UNRESOLVED_NAME = "UnresolvedReference"
"""What the bare `TypeReference` refers to."""


class TypeReference(PuppetType):
    """`TypeReference['Name']`: a name that no loader could resolve; nothing is an instance of it."""

    __slots__ = ("type_string",)
    simple_name = "TypeReference"

    def __init__(self, type_string: str = UNRESOLVED_NAME) -> None:
        self.type_string = type_string

    def _key(self) -> tuple[Any, ...]:
        return (self.type_string,)

    def accepts(self, value: Value) -> bool:
        return False

    def _takes(self, other: PuppetType) -> bool:
        return self == other


UNRESOLVED = TypeReference()


class Underway(_local):
    """What a thread compares, matches or resolves just now: for recursive aliases."""

    def __init__(self) -> None:
        self.comparing: set[tuple[PuppetType, PuppetType]] = set()
        self.taking: set[tuple[int, int]] = set()
        self.matching: set[tuple[int, int]] = set()
        self.resolving: set[int] = set()


UNDERWAY = Underway()
_turn = held_at_forks(RLock())
"""Aliases of the language itself (`Data`, ...) are shared by everybody; they are resolved by one thread at a time."""


class TypeAlias(PuppetType):
    """`type Name = T`.  The right-hand side is worked out on first use, so that aliases can name one another.

    `resolve` gives the right-hand side, which is then normalized; a reference to the alias inside of it must be this
    very object. A type given instead is taken as it is.
    """

    __slots__ = ("_name", "_resolve", "_resolved", "recursive")
    simple_name = "TypeAlias"

    def __init__(self, name: str, resolve: Callable[[], PuppetType] | PuppetType) -> None:
        self._name = name
        self._resolve = resolve
        self._resolved: PuppetType | None = None
        self.recursive = False

    @property
    def name(self) -> str:
        return self._name

    def _key(self) -> tuple[Any, ...]:
        return (self._name,)

    def __hash__(self) -> int:
        return hash(("alias", self._name))

    @property
    def resolved(self) -> PuppetType:
        """The type that the alias stands for.  Raises `AliasProblem` for `type A = A` and its like."""
        known = self._resolved
        if known is not None and (known is not UNRESOLVED or id(self) in UNDERWAY.resolving):
            return known
        with _turn:
            if self._resolved is None:
                UNDERWAY.resolving.add(id(self))
                try:
                    self._find_out()
                finally:
                    UNDERWAY.resolving.discard(id(self))
            assert self._resolved is not None
            return self._resolved

    def _find_out(self) -> None:
        """Resolve the right-hand side, for good."""
        self._resolved = UNRESOLVED
        self.recursive = True  # assumed while it is being found out
        try:
            resolved = self._work_out()
            for alias in _aliases_in(resolved, {}):
                if alias is not self:
                    _ = alias.resolved
            self._resolved = resolved
            if not _reaches_real_type(self._resolved, set()):
                raise AliasProblem(f"Type alias '{self._name}' cannot be resolved to a real type")
            self.recursive = _reaches(self._resolved, self, set())
            if self.recursive:
                if isinstance(self._resolved, VariantType):
                    self._drop_own_branches(self._resolved)
                # Those that were resolved while this one was not yet could not tell.
                for alias in _aliases_in(self._resolved, {}, deep=True):
                    alias.recursive = alias.recursive or _reaches(alias.resolved, alias, set())
        except BaseException:
            self._resolved = None
            raise

    def _work_out(self) -> PuppetType:
        return self._resolve if isinstance(self._resolve, PuppetType) else self._resolve().normalize()

    def _drop_own_branches(self, variant: VariantType) -> None:
        """`type A = Variant[A, Integer]` means `Integer`."""
        real = [member for member in variant.types if member is not self and _reaches_real_type(member, {id(self)})]
        if len(real) != len(variant.types):
            self._resolved = variant_of(real)
            self.recursive = _reaches(self._resolved, self, set())

    def has_cut_reference(self) -> bool:
        """Does it stand for a type with parameters that nobody defines?

        Puppet keeps the text of such an alias without its last bracket (`A = Unknown[3`), and reads it again whenever
        the alias is named once more, in vain. The text of a type inside of another (`Array[Unknown[3]]`) is whole.
        """
        return _has_cut_reference(self, set())

    def accepts(self, value: Value) -> bool:
        resolved = self.resolved
        if not self.recursive:
            return resolved.accepts(value)
        token = (id(self), id(value))
        if token in UNDERWAY.matching:
            return False
        if not UNDERWAY.matching:
            weigh(value)
        UNDERWAY.matching.add(token)
        try:
            return resolved.accepts(value)
        finally:
            UNDERWAY.matching.discard(token)

    def assign_to(self, target: PuppetType) -> bool:
        resolved = self.resolved
        if target is self:
            return True
        if not self.recursive:
            return target.assignable(resolved)
        pair = (target, self)
        if pair in UNDERWAY.comparing:
            return True
        UNDERWAY.comparing.add(pair)
        try:
            return target.assignable(resolved)
        finally:
            UNDERWAY.comparing.discard(pair)

    def _takes(self, other: PuppetType) -> bool:
        resolved = self.resolved
        if not self.recursive:
            return resolved.assignable(other)
        token = (id(self), id(other))
        if token in UNDERWAY.taking:
            return False
        UNDERWAY.taking.add(token)
        try:
            return resolved.assignable(other)
        finally:
            UNDERWAY.taking.discard(token)

    def children(self) -> Iterable[PuppetType]:
        return () if self._resolved is None else (self._resolved,)

    def is_callable(self, optional: bool = True) -> bool:
        return not self.recursive and self.resolved.is_callable(optional)

    def iterable(self) -> bool:
        return self._unless_asked(self.resolved.iterable) or False

    def iterable_type(self) -> PuppetType | None:
        return self._unless_asked(self.resolved.iterable_type)

    def _unless_asked(self, ask: Callable[[], Answer]) -> Answer | None:
        """What `ask` says, or nothing while this very alias is being asked: it stands for itself, then."""
        token = (id(self), 0)
        if token in UNDERWAY.matching:
            return None
        UNDERWAY.matching.add(token)
        try:
            return ask()
        finally:
            UNDERWAY.matching.discard(token)


def _aliases_in(start: PuppetType, seen: dict[int, PuppetType], deep: bool = False) -> list[TypeAlias]:
    """The aliases that a type names; `deep` looks into them, too."""
    if id(start) not in seen:
        seen[id(start)] = start
        if deep or not isinstance(start, TypeAlias):
            for part in start.children():
                _aliases_in(part, seen, deep)
    return [part for part in seen.values() if isinstance(part, TypeAlias)]


def _reaches(start: PuppetType, wanted: PuppetType, seen: set[int]) -> bool:
    """Does `wanted` occur in `start`?"""
    if start is wanted:
        return True
    if id(start) in seen:
        return False
    seen.add(id(start))
    inside = (start.resolved,) if isinstance(start, TypeAlias) else start.children()
    return any(_reaches(part, wanted, seen) for part in inside)


def _has_cut_reference(start: PuppetType, seen: set[int]) -> bool:
    if isinstance(start, TypeReference):
        name, bracket, _ = start.type_string.partition("[")
        return bool(bracket) and " = " in name
    if id(start) in seen:
        return False
    seen.add(id(start))
    inside = (start.resolved,) if isinstance(start, TypeAlias) else start.children()
    return any(_has_cut_reference(part, seen) for part in inside)


def _reaches_real_type(start: PuppetType, seen: set[int]) -> bool:
    """Is there anything but aliases and variants in `start`?"""
    if not isinstance(start, TypeAlias | VariantType):
        return True
    if id(start) in seen:
        return False
    seen.add(id(start))
    inside = (start.resolved,) if isinstance(start, TypeAlias) else start.types
    return any(_reaches_real_type(part, seen) for part in inside)


def find_unresolved(start: PuppetType, seen: set[int] | None = None) -> str | None:
    """The name of the first type reference in `start` that could not be resolved."""
    if isinstance(start, TypeReference):
        return start.type_string
    seen = set() if seen is None else seen
    if id(start) in seen:
        return None
    seen.add(id(start))
    for part in start.children():
        name = find_unresolved(part, seen)
        if name is not None:
            return name
    return None


def real_type(type: PuppetType) -> PuppetType:
    """The type behind an alias, or the type itself."""
    while isinstance(type, TypeAlias):
        type = type.resolved
    return type
