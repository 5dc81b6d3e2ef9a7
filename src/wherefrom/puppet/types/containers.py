"""Types of collections: `Collection`, `Array`, `Hash`, `Tuple`, `Struct`, `Iterable`, `Iterator`.

Sizes are `Integer` types with no negative part. An `Array` or `Hash` of size zero has `Unit` inside, the type that
agrees with all others, so that an empty collection fits wherever a collection of that size does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..kernel.values import Iterator, Key, Value
from .model import (
    ANY,
    UNDEF,
    UNIT,
    AnyType,
    ContainedType,
    OptionalType,
    PuppetType,
    TypeAlias,
    spend_visits,
    variant_of,
)
from .scalars import ANY_SIZE, NO_SIZE, EnumType, IntegerType, StringType
from .services import SERVICES


class CollectionType(PuppetType):
    """`Collection[min, max]`: an array or a hash of that size."""

    __slots__ = ("size",)
    simple_name = "Collection"

    def __init__(self, size: IntegerType | None = None) -> None:
        self.size = None if size is None else size.to_size()

    def _key(self) -> tuple[Any, ...]:
        return (self.size,)

    def accepts(self, value: Value) -> bool:
        kind = type(value)
        return (kind is list or kind is dict) and (self.size is None or self.size.accepts(len(value)))

    def _takes(self, other: PuppetType) -> bool:
        if isinstance(other, CollectionType):
            return self._takes_size(other.size or ANY_SIZE)
        if isinstance(other, TupleType):
            return self._takes_size(other.own_size())
        if isinstance(other, StructType):
            return self._takes_size(IntegerType(len(other.elements), len(other.elements)))
        return False

    def _takes_size(self, size: IntegerType) -> bool:
        return self.size is None or self.size.assignable(size)

    def is_empty(self) -> bool:
        """Is the only possible size zero?"""
        return self.size is not None and self.size.low == 0 and self.size.high == 0

    def generalize(self) -> PuppetType:
        return COLLECTION

    def normalize(self) -> PuppetType:
        # Puppet drops the size here; messages show it.
        return COLLECTION

    def children(self) -> Iterable[PuppetType]:
        return () if self.size is None else (self.size,)

    def iterable(self) -> bool:
        return True


class ArrayType(CollectionType):
    """`Array[T, min, max]`"""

    __slots__ = ("element",)
    simple_name = "Array"

    def __init__(self, element: PuppetType | None = None, size: IntegerType | None = None) -> None:
        super().__init__(size)
        if size is not None and size.low == 0 and size.high == 0:
            self.element: PuppetType = UNIT
        else:
            self.element = ANY if element is None else element

    def _key(self) -> tuple[Any, ...]:
        return (self.size, self.element)

    def accepts(self, value: Value) -> bool:
        if type(value) is not list or (self.size is not None and not self.size.accepts(len(value))):
            return False
        spend_visits(len(value))
        return type(self.element) is AnyType or all(map(self.element.accepts, value))

    def _takes(self, other: PuppetType) -> bool:
        if isinstance(other, TupleType):
            return self._takes_size(other.own_size()) and all(map(self.element.assignable, other.types))
        if isinstance(other, ArrayType):
            return self._takes_size(other.size or ANY_SIZE) and self.element.assignable(other.element)
        return False

    def generalize(self) -> PuppetType:
        if isinstance(self.element, AnyType):
            return ARRAY
        general = self.element.generalize()
        return self if self.size is None and general is self.element else ArrayType(general)

    def normalize(self) -> PuppetType:
        if isinstance(self.element, AnyType):
            return ARRAY
        normal = self.element.normalize()
        return self if normal is self.element else ArrayType(normal, self.size)

    def children(self) -> Iterable[PuppetType]:
        return (self.element,) if self.size is None else (self.size, self.element)

    def iterable_type(self) -> PuppetType | None:
        return ITERABLE if isinstance(self.element, AnyType) else IterableType(self.element)


class HashType(CollectionType):
    """`Hash[K, V, min, max]`"""

    __slots__ = ("key", "value")
    simple_name = "Hash"

    def __init__(
        self, key: PuppetType | None = None, value: PuppetType | None = None, size: IntegerType | None = None
    ) -> None:
        super().__init__(size)
        if size is not None and size.low == 0 and size.high == 0:
            self.key: PuppetType = UNIT
            self.value: PuppetType = UNIT
        else:
            self.key = ANY if key is None else key
            self.value = ANY if value is None else value

    def _key(self) -> tuple[Any, ...]:
        return (self.size, self.key, self.value)

    def accepts(self, value: Value) -> bool:
        if type(value) is not dict or (self.size is not None and not self.size.accepts(len(value))):
            return False
        spend_visits(len(value))
        if type(self.key) is not AnyType:
            accepts = self.key.accepts
            for key in value:
                if not accepts(key.value if type(key) is Key else key):
                    return False
        return type(self.value) is AnyType or all(map(self.value.accepts, value.values()))

    def _takes(self, other: PuppetType) -> bool:
        if isinstance(other, HashType):
            if (self.size is None or self.size.low == 0) and other == EMPTY_HASH:
                return True
            return (
                self.key.assignable(other.key)
                and self.value.assignable(other.value)
                and self._takes_size(other.size or ANY_SIZE)
            )
        if isinstance(other, StructType):
            return (self.size or ANY_SIZE).accepts(len(other.elements)) and all(
                self.key.accepts(element.name) and self.value.assignable(element.value) for element in other.elements
            )
        return False

    def generalize(self) -> PuppetType:
        if self in (HASH, EMPTY_HASH):
            return self
        key, value = self.key.generalize(), self.value.generalize()
        return self if self.size is None and key is self.key and value is self.value else HashType(key, value)

    def normalize(self) -> PuppetType:
        if self in (HASH, EMPTY_HASH):
            return self
        key, value = self.key.normalize(), self.value.normalize()
        return self if key is self.key and value is self.value else HashType(key, value, self.size)

    def children(self) -> Iterable[PuppetType]:
        return (self.key, self.value) if self.size is None else (self.size, self.key, self.value)

    def iterable_type(self) -> PuppetType | None:
        if self in (HASH, EMPTY_HASH):
            return IterableType(TupleType((UNIT, UNIT), TWO))
        return IterableType(TupleType((self.key, self.value), TWO))


class TupleType(PuppetType):
    """`Tuple[A, B, min, max]`: an array whose elements have these types in this order; the last may repeat."""

    __slots__ = ("size", "types")
    simple_name = "Tuple"

    def __init__(self, types: tuple[PuppetType, ...] = (), size: IntegerType | None = None) -> None:
        self.types = types
        self.size = None if size is None else size.to_size()

    def _key(self) -> tuple[Any, ...]:
        return (self.types, self.size)

    def accepts(self, value: Value) -> bool:
        if type(value) is not list:
            return False
        types = self.types
        if self.size is not None:
            if not self.size.accepts(len(value)):
                return False
        elif types and len(types) != len(value):
            return False
        if not types:
            return True
        spend_visits(len(value))
        last = len(types) - 1
        for index, element in enumerate(value):  # noqa: SIM110 - a generator costs more than the checks
            if not types[min(index, last)].accepts(element):
                return False
        return True

    def own_size(self) -> IntegerType:
        """The size constraint, or the number of types."""
        return self.size if self.size is not None else IntegerType(len(self.types), len(self.types))

    def size_range(self) -> IntegerType:
        """The size constraint; without one, the number of types, or any size for the bare `Tuple`."""
        if self.size is not None:
            return self.size
        return IntegerType(len(self.types), len(self.types)) if self.types else ANY_SIZE

    def type_at(self, index: int) -> PuppetType:
        """The type of the element at `index`; the last one repeats."""
        return self.types[min(index, len(self.types) - 1)]

    def _takes(self, other: PuppetType) -> bool:
        if self == other:
            return True
        mine = self.size_range()
        if isinstance(other, TupleType):
            if not mine.assignable(other.size_range()):
                return False
            if not self.types:
                return True
            if not other.types:
                return bool(mine.low == 0)
            return all(self.type_at(index).assignable(theirs) for index, theirs in enumerate(other.types))
        if isinstance(other, ArrayType):
            size = other.size or ANY_SIZE
            if not mine.assignable(size):
                return False
            count = len(self.types) if size.high is None else min(len(self.types), size.high)
            return all(element.assignable(other.element) for element in self.types[:count])
        return False

    def generalize(self) -> PuppetType:
        general = tuple(element.generalize() for element in self.types)
        return TupleType(general, self.size) if any(a is not b for a, b in zip(general, self.types)) else self

    def normalize(self) -> PuppetType:
        normal = tuple(element.normalize() for element in self.types)
        return TupleType(normal, self.size) if any(a is not b for a, b in zip(normal, self.types)) else self

    def children(self) -> Iterable[PuppetType]:
        return self.types if self.size is None else (self.size, *self.types)

    def iterable(self) -> bool:
        return True

    def iterable_type(self) -> PuppetType | None:
        return IterableType(variant_of(self.types))


class StructElement:
    """One member of a `Struct`: the type of its key (a literal string, perhaps optional) and of its value."""

    __slots__ = ("key", "name", "value")

    def __init__(self, key: PuppetType, value: PuppetType) -> None:
        self.key = key
        self.value = value
        literal = key.type if isinstance(key, OptionalType) else key
        self.name: str = ""
        if isinstance(literal, StringType):
            self.name = literal.value or ""
        elif isinstance(literal, EnumType) and literal.values:
            self.name = literal.values[0]

    @property
    def is_optional(self) -> bool:
        """May the key be missing?"""
        return self.key.assignable(UNDEF)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StructElement) and self.key == other.key and self.value == other.value

    def __hash__(self) -> int:
        return hash((self.key, self.value))


class StructType(PuppetType):
    """`Struct[{key => T, Optional[key] => T}]`: a hash with exactly these keys."""

    __slots__ = ("_checks", "by_name", "elements")
    simple_name = "Struct"

    def __init__(self, elements: tuple[StructElement, ...] = ()) -> None:
        self.elements = elements
        self.by_name = {element.name: element for element in elements}
        self._checks = tuple((element.name, element.is_optional, element.value) for element in elements)

    def _key(self) -> tuple[Any, ...]:
        return self.elements

    def accepts(self, value: Value) -> bool:
        if type(value) is not dict:
            return False
        matched = 0
        spend_visits(len(value))
        for name, optional, type_ in self._checks:
            if name in value:
                if not type_.accepts(value[name]):
                    return False
                matched += 1
            elif not optional:
                return False
        return matched == len(value)

    def _takes(self, other: PuppetType) -> bool:
        if isinstance(other, StructType):
            matched = 0
            for mine in self.elements:
                theirs = other.by_name.get(mine.name)
                if theirs is None:
                    if not mine.is_optional:
                        return False
                else:
                    matched += 1
                    if not mine.key.assignable(theirs.key) or not mine.value.assignable(theirs.value):
                        return False
            return matched == len(other.by_name)
        if isinstance(other, HashType):
            required = [element for element in self.elements if not element.is_optional]
            for element in required:
                if not element.value.assignable(other.value) or not element.key.generalize().assignable(other.key):
                    return False
            return IntegerType(len(required), len(self.elements)).assignable(other.size or ANY_SIZE)
        return False

    def generalize(self) -> PuppetType:
        return self._with_values([element.value.generalize() for element in self.elements])

    def normalize(self) -> PuppetType:
        return self._with_values([element.value.normalize() for element in self.elements])

    def _with_values(self, values: list[PuppetType]) -> PuppetType:
        if all(value is element.value for value, element in zip(values, self.elements)):
            return self
        return StructType(tuple(StructElement(element.key, value) for value, element in zip(values, self.elements)))

    def children(self) -> Iterable[PuppetType]:
        return [part for element in self.elements for part in (element.key, element.value)]

    def iterable(self) -> bool:
        return True

    def iterable_type(self) -> PuppetType | None:
        if not self.elements:
            return IterableType(TupleType((UNIT, UNIT), TWO))
        keys = variant_of(element.key for element in self.elements)
        return IterableType(TupleType((keys, variant_of(element.value for element in self.elements)), TWO))


class IterableType(ContainedType):
    """`Iterable[T]`: whatever yields instances of T when iterated over."""

    __slots__ = ()
    simple_name = "Iterable"

    def accepts(self, value: Value) -> bool:
        if self.type is None or self.type.assignable(ANY):
            if isinstance(value, TypeAlias):
                return self.accepts(value.resolved)
            if isinstance(value, IntegerType):
                return value.is_finite()
            if type(value) is int:
                return value >= 0
            return isinstance(value, str | list | dict | Iterator | EnumType)
        return self.assignable(SERVICES.infer(value))

    def _takes(self, other: PuppetType) -> bool:
        if self.type is None or self.type.assignable(ANY):
            return other.iterable()
        yields = other.iterable_type()
        return isinstance(yields, IterableType) and yields.type is not None and self.type.assignable(yields.type)

    def iterable(self) -> bool:
        return True

    def iterable_type(self) -> PuppetType | None:
        return self


class IteratorType(ContainedType):
    """`Iterator[T]`: a sequence that is made while it is walked."""

    __slots__ = ()
    simple_name = "Iterator"

    def accepts(self, value: Value) -> bool:
        return isinstance(value, Iterator) and (self.type is None or self.type.assignable(value.element_type))

    def _takes(self, other: PuppetType) -> bool:
        if not isinstance(other, IteratorType):
            return False
        return self.type is None or (other.type is not None and self.type.assignable(other.type))

    def iterable(self) -> bool:
        return True

    def iterable_type(self) -> PuppetType | None:
        return ITERABLE if self.type is None else IterableType(self.type)


TWO = IntegerType(2, 2)
COLLECTION = CollectionType()
ARRAY = ArrayType()
HASH = HashType()
EMPTY_ARRAY = ArrayType(UNIT, NO_SIZE)
EMPTY_HASH = HashType(UNIT, UNIT, NO_SIZE)
TUPLE = TupleType()
STRUCT = StructType()
ITERABLE = IterableType()
ITERATOR = IteratorType()
