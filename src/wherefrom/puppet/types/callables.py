"""Types of things that can be called, of catalog entries, and of the runtime below the language.

`Callable` is contravariant in its parameters and covariant in its result. `Resource` and `Class` types double as
references: `File['/x']` is the value `ResourceType('File', '/x')`. `Init[T]` holds whatever `new` could turn into a T.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..kernel.values import Reference, Value
from .containers import TupleType
from .model import ANY, UNDEF, UNDERWAY, AnyType, ContainedType, PuppetType, VariantType
from .services import SERVICES


class CallableType(PuppetType):
    """`Callable[[A, B, min, max, Block], Result]`; without `parameters`, anything that can be called."""

    __slots__ = ("block", "parameters", "result")
    simple_name = "Callable"

    def __init__(
        self,
        parameters: TupleType | None = None,
        block: PuppetType | None = None,
        result: PuppetType | None = None,
    ) -> None:
        self.parameters = parameters
        self.block = block
        self.result = None if isinstance(result, AnyType) else result

    def _key(self) -> tuple[Any, ...]:
        return (self.parameters, self.block, self.result)

    def accepts(self, value: Value) -> bool:
        own = getattr(value, "puppet_type", None)
        return isinstance(own, CallableType | VariantType) and self.assignable(own)

    def _takes(self, other: PuppetType) -> bool:
        if not isinstance(other, CallableType):
            return False
        if self.result is not None and not self.result.assignable(other.result or ANY):
            return False
        if self.parameters is None:
            return True
        if other.parameters is None or not other.parameters.assignable(self.parameters):
            return False
        return (other.block or UNDEF).assignable(self.block or UNDEF)

    def generalize(self) -> PuppetType:
        return self._each(PuppetType.generalize.__name__)

    def normalize(self) -> PuppetType:
        return self._each(PuppetType.normalize.__name__)

    def _each(self, method: str) -> PuppetType:
        parts = [None if part is None else getattr(part, method)() for part in self._key()]
        return self if all(a is b for a, b in zip(parts, self._key())) else CallableType(*parts)

    def children(self) -> Iterable[PuppetType]:
        return [part for part in self._key() if part is not None]

    def is_callable(self, optional: bool = True) -> bool:
        return True


class CatalogEntryType(PuppetType):
    """`CatalogEntry`: classes and resources.  Only references to them are values, and these are types."""

    __slots__ = ()
    simple_name = "CatalogEntry"

    def accepts(self, value: Value) -> bool:
        return self.assignable(SERVICES.infer(value))

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, CatalogEntryType)


class ClassType(CatalogEntryType):
    """`Class['name']`"""

    __slots__ = ("class_name",)
    simple_name = "Class"

    def __init__(self, class_name: str | None = None) -> None:
        self.class_name = class_name

    def _key(self) -> tuple[Any, ...]:
        return (self.class_name,)

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, ClassType) and (self.class_name is None or self.class_name == other.class_name)


class ResourceType(CatalogEntryType):
    """`File['/x']` or `Resource['file', '/x']`; letter case in the type's name does not matter."""

    __slots__ = ("lower_name", "title", "type_name")
    simple_name = "Resource"

    def __init__(self, type_name: str | None = None, title: str | None = None) -> None:
        self.type_name = type_name
        self.title = title
        self.lower_name = None if type_name is None else type_name.lower()

    def _key(self) -> tuple[Any, ...]:
        return (self.lower_name, self.title)

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, ResourceType) and (
            self.lower_name is None
            or (self.lower_name == other.lower_name and (self.title is None or self.title == other.title))
        )


def entry_type(reference: Reference) -> CatalogEntryType:
    """The type that a reference was before an attribute held it; that of a class is `Resource['class', ...]`."""
    if reference.type_name == "Class" and reference.title == "main":
        return ClassType("main")
    return ResourceType(reference.type_name, reference.title)


def entry_name(entry: CatalogEntryType) -> Value:
    """The name that an attribute holds for a class or resource that has a title, as far as its type alone tells."""
    if isinstance(entry, ResourceType) and entry.type_name and entry.title is not None:
        return Reference(capitalize_segments(entry.type_name), entry.title)
    if isinstance(entry, ClassType) and entry.class_name:
        return Reference("Class", capitalize_segments(entry.class_name))
    return entry


def capitalize_segments(name: str) -> str:
    """`foo::bar` as `Foo::Bar`; a name that starts with a capital letter stays as it is."""
    if "A" <= name[:1] <= "Z":
        return name
    return "::".join(segment[:1].upper() + segment[1:].lower() for segment in name.split("::"))


class RuntimeType(PuppetType):
    """`Runtime['ruby', 'Name']`: an object of the machine below.  Ours has none, so these types have no instances."""

    __slots__ = ("name_or_pattern", "runtime")
    simple_name = "Runtime"

    def __init__(self, runtime: str | None = None, name_or_pattern: Any = None) -> None:
        self.runtime = runtime
        self.name_or_pattern = name_or_pattern

    def _key(self) -> tuple[Any, ...]:
        name = self.name_or_pattern
        return (self.runtime, tuple(name) if isinstance(name, list) else name)

    def accepts(self, value: Value) -> bool:
        return self.assignable(SERVICES.infer(value))

    def _takes(self, other: PuppetType) -> bool:
        if not isinstance(other, RuntimeType) or (self.runtime is not None and self.runtime != other.runtime):
            return False
        return self.name_or_pattern is None or self.name_or_pattern == other.name_or_pattern


class InitType(ContainedType):
    """`Init[T, arguments...]`: a value from which `T.new(value, arguments...)` makes a T.

    What `new` of a type takes is known to `construct`; it is asked on first use, because types may be recursive.
    """

    __slots__ = ("_other", "_preparing", "_single", "_takes_single_optionally", "arguments")
    simple_name = "Init"

    def __init__(self, type: PuppetType | None = None, arguments: tuple[Value, ...] = ()) -> None:
        super().__init__(type)
        self.arguments = arguments
        self._single: PuppetType | None = None
        self._other: PuppetType | None = None
        self._takes_single_optionally = False
        self._preparing = False

    def _key(self) -> tuple[Any, ...]:
        from ..kernel.values import freeze

        return (self.type, freeze(list(self.arguments)))

    def prepare(self) -> InitType:
        """Find out what `new` takes.  Raises a diagnostic if the type has no `new`, or not with these arguments."""
        if self._single is None and self.type is not None and not self._preparing:
            self._preparing = True  # a type whose `new` takes what makes one of its own asks again meanwhile
            try:
                self._single, self._other, self._takes_single_optionally = SERVICES.init_types(self)
            finally:
                self._preparing = False
        return self

    @property
    def single(self) -> PuppetType | None:
        """What `new` takes as its only argument."""
        return self.prepare()._single

    def accepts(self, value: Value) -> bool:
        if self.type is None:
            from .aliases import RICH_DATA

            return RICH_DATA.accepts(value)
        self.prepare()
        asked = (id(self), id(value))
        if asked in UNDERWAY.matching:  # it leads back to itself, and so to nothing new
            return False
        UNDERWAY.matching.add(asked)
        try:
            return self._accepts(self.type, value)
        finally:
            UNDERWAY.matching.discard(asked)

    def _accepts(self, type: PuppetType, value: Value) -> bool:
        return (
            type.accepts(value)
            or (self._single is not None and self._single.accepts(value))
            or (
                self._other is not None
                and (self._other.accepts(value) or (self._takes_single_optionally and self._other.accepts([value])))
            )
        )

    def _takes(self, other: PuppetType) -> bool:
        if self.type is None:
            from .aliases import RICH_DATA

            return isinstance(other, InitType) or RICH_DATA.assignable(other)
        self.prepare()
        if isinstance(other, InitType):
            return other.type is not None and self.type.assignable(other.type)
        asked = (id(self), id(other))
        if asked in UNDERWAY.taking:
            return False
        UNDERWAY.taking.add(asked)
        try:
            return self._takes_one(self.type, other)
        finally:
            UNDERWAY.taking.discard(asked)

    def _takes_one(self, type: PuppetType, other: PuppetType) -> bool:
        return (
            type.assignable(other)
            or (self._single is not None and self._single.assignable(other))
            or (
                self._other is not None
                and (
                    self._other.assignable(other)
                    or (self._takes_single_optionally and self._other.assignable(TupleType((other,))))
                )
            )
        )

    def generalize(self) -> PuppetType:
        return self

    def normalize(self) -> PuppetType:
        return self


CALLABLE = CallableType()
CATALOG_ENTRY = CatalogEntryType()
CLASS = ClassType()
RESOURCE = ResourceType()
RUNTIME = RuntimeType()
INIT = InitType()
