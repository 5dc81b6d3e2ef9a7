"""Sets of types: `TypeSet[{...}]`, a versioned family of types that are reached as `Set::Member`.

A set may refer to others by aliases, with the versions that will do (`references`); its members then know the others'
as `Alias::Member`. Names of members and aliases do not mind letter case. A set that a `type` statement defines is
checked as a whole when it is first asked for: every member, and every set that it refers to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..kernel.type_failures import TypeProblem
from ..kernel.values import Regexp, SemVerRange
from .containers import HashType
from .model import ANY, PuppetType, TypeAlias, TypeType, VariantType
from .objects import TYPE_NAME, ObjectType, struct_of, with_annotations
from .scalars import NON_EMPTY_STRING, SEMVER, SEMVER_RANGE, IntegerType, PatternType
from .services import SERVICES
from .versions import includes, parse_range, parse_version

RUNTIME_AUTHORITY = "http://puppet.com/2016.1/runtime"
_READABLE = parse_range("1.x")
"""The versions of the notation itself that Puppet 7 reads."""

_URI = PatternType((Regexp(r"\A[^:/?#]+:(//)?[^/?#]*[^?#]*(\?[^#]*)?(#.*)?\z"),))
_SIMPLE_NAME = PatternType((Regexp(r"\A[A-Z]\w*\z"),))
_REFERENCE = with_annotations(
    struct_of(
        {
            "name": TYPE_NAME,
            "version_range": VariantType((NON_EMPTY_STRING, SEMVER_RANGE)),
            "name_authority?": _URI,
            "annotations?": ANY,
        }
    )
)
_DEFINITION = with_annotations(
    struct_of(
        {
            "pcore_uri?": _URI,
            "pcore_version": VariantType((NON_EMPTY_STRING, SEMVER)),
            "name_authority?": _URI,
            "name?": TYPE_NAME,
            "version?": VariantType((NON_EMPTY_STRING, SEMVER)),
            "types?": HashType(_SIMPLE_NAME, VariantType((TypeType(), ANY)), IntegerType(1)),
            "references?": HashType(_SIMPLE_NAME, _REFERENCE, IntegerType(1)),
            "annotations?": ANY,
        }
    )
)


class TypeSetReference:
    """Another set that a set knows by an alias."""

    __slots__ = ("definition", "name", "owner", "type_set", "versions")

    def __init__(self, owner: TypeSetType, definition: dict[Any, Any]) -> None:
        given = definition["version_range"]
        self.owner = owner
        self.definition = definition
        self.name: str = definition["name"]
        self.versions: SemVerRange = parse_range(given) if isinstance(given, str) else given
        self.type_set: TypeSetType | None = None

    def resolve(self, find: Callable[[str], PuppetType | None]) -> None:
        """Find the set.  Raises `TypeProblem` if there is none, or none of a version that will do."""
        label = f"TypeSet '{self.owner.name}' reference to TypeSet named '{self.name}'"
        named = find(self.name)
        if named is None:
            raise TypeProblem(f"{label} cannot be resolved")
        if not isinstance(named, TypeSetType):
            raise TypeProblem(f"{label} resolves to a {named.name}")
        version = parse_version(str(named.definition.get("version")))
        if not includes(self.versions, version):
            raise TypeProblem(f"{label} resolves to an incompatible version. Expected {self.versions}, got {version}")
        self.type_set = named


class TypeSetType(PuppetType):
    """`TypeSet[{...}]`.  `definition` is checked; its `types` are types or definitions of object types."""

    __slots__ = ("_name", "definition", "named", "references", "types")
    simple_name = "TypeSet"

    def __init__(self, definition: dict[Any, Any] | None = None, name: str | None = None) -> None:
        if definition is not None:
            SERVICES.assert_instance("TypeSet initializer", _DEFINITION, definition)
        self.definition = definition or {}
        self.types: dict[str, PuppetType] = {}
        self.references: dict[str, TypeSetReference] = {}
        self.named = name is not None
        """Does the name come from a `type` statement?"""
        self._name = name or self.definition.get("name")
        if definition is not None:
            self._read(definition)

    def _read(self, definition: dict[Any, Any]) -> None:
        notation = parse_version(str(definition["pcore_version"]))
        if not includes(_READABLE, notation):
            raise TypeProblem(
                f"The pcore version for TypeSet '{self.name}' is not understood by this runtime. "
                f"Expected range {_READABLE}, got {notation}"
            )
        if definition.get("version") is not None:
            parse_version(str(definition["version"]))
        for member, given in (definition.get("types") or {}).items():
            full = f"{self._name}::{member}" if self._name else member
            if isinstance(given, dict):
                self.types[member] = ObjectType(given, full)
            else:
                named = isinstance(given, ObjectType | TypeAlias | TypeSetType) and given.name == full
                self.types[member] = given if named else TypeAlias(full, given)
        for alias, reference in (definition.get("references") or {}).items():
            if alias in self.types:
                raise TypeProblem(
                    f"TypeSet '{self.name}' references a TypeSet using alias '{alias}'. "
                    "The alias collides with the name of a declared type"
                )
            self.references[alias] = TypeSetReference(self, reference)

    @property
    def name(self) -> str:
        return self._name or ("TypeSet" if self.definition else "DefaultTypeSet")

    def _key(self) -> tuple[Any, ...]:
        return (self._name, str(self.definition.get("version")), self.definition.get("name_authority"))

    def member(self, name: str) -> PuppetType | None:
        """The type called `Set::name`, or one of a set referred to; letter case does not matter."""
        wanted = name.lower()
        for key, member in self.types.items():
            if key.lower() == wanted:
                return member
        first, _, rest = wanted.partition("::")
        for alias, reference in self.references.items():
            if alias.lower() == first and reference.type_set is not None:
                return reference.type_set.member(rest) if rest else reference.type_set
        return None

    def name_for(self, wanted: PuppetType, otherwise: str) -> str:
        """What a type is called inside of this set."""
        for key, member in self.types.items():
            if member is wanted:
                return key
        for alias, reference in self.references.items():
            inner = "" if reference.type_set is None else reference.type_set.name_for(wanted, "")
            if inner:
                return f"{alias}::{inner}"
        return otherwise

    def defines(self, wanted: PuppetType) -> bool:
        """Is it a member?"""
        return any(member is wanted for member in self.types.values())

    def accepts(self, value: object) -> bool:
        return isinstance(value, TypeSetType)

    def _takes(self, other: PuppetType) -> bool:
        return isinstance(other, TypeSetType) and (self.is_default() or self == other)

    def is_default(self) -> bool:
        """Is this the bare `TypeSet`, above all others?"""
        return not self.definition and not self.named

    def children(self) -> Iterable[PuppetType]:
        return self.types.values()

    def written(self) -> dict[str, Any]:
        """The definition as it would be written, members and references apart."""
        given = self.definition
        parts = {key: given[key] for key in ("annotations", "pcore_uri", "pcore_version") if given.get(key) is not None}
        authority = given.get("name_authority")
        if self.named:
            authority = RUNTIME_AUTHORITY
        if authority is not None:
            parts["name_authority"] = authority
        parts["name"] = self._name
        if given.get("version") is not None:
            parts["version"] = given["version"]
        return parts


TYPE_SET = TypeSetType()
