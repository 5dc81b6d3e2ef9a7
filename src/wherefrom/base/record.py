"""Immutable records: what `dataclass(frozen=True, slots=True)` gives, but quick to define and quick to make.

A front end defines about a hundred node classes and makes hundreds of thousands of nodes. `dataclasses` spends some
0.4 ms to define each class (a third of our whole start-up budget) and a frozen instance pays for `object.__setattr__`
on every field. `Record` writes one plain `__init__` per class, from the annotated field names, and leaves
immutability to the type checker: `dataclass_transform(frozen_default=True)` makes `mypy` refuse assignments.

    class Node(Record):
        span: Span = field(kw_only=True, compare=False)

    class If(Node):
        test: Node
        yes: Node
        no: Node | None = None

    If(test, yes, span=span)

Fields are inherited, base fields first; keyword-only fields come after all others. A field with `compare=False` takes
no part in equality, hashing and `repr`: two trees are equal when their programs are. Records work with `match`,
`pickle` and `copy`. Modules that define records say `from __future__ import annotations`.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, dataclass_transform

_MISSING: Any = object()


class _Field:
    """What `field(...)` leaves in a class body until the class is made."""

    __slots__ = ("compare", "default", "kw_only")

    def __init__(self, default: Any, kw_only: bool, compare: bool) -> None:
        self.default = default
        self.kw_only = kw_only
        self.compare = compare


def field(*, default: object = _MISSING, kw_only: bool = False, compare: bool = True) -> Any:
    """Say more about a field than its type."""
    return _Field(default, kw_only, compare)


class _RecordType(type):
    """Turns the annotations of a class body into slots, an `__init__` and `__match_args__`."""

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any], **options: object) -> type:
        own = [
            field
            for field, annotation in body.get("__annotations__", {}).items()
            if not str(annotation).startswith("ClassVar") and not field.startswith("__")
        ]
        fields: list[str] = []
        defaults: dict[str, object] = {}
        last: set[str] = set()
        silent: set[str] = set()
        for base in bases:
            fields.extend(field for field in getattr(base, "__fields__", ()) if field not in fields)
            defaults.update(getattr(base, "__field_defaults__", {}))
            last.update(getattr(base, "__last__", ()))
            silent.update(getattr(base, "__silent__", ()))
        inherited = set(fields)
        for field_name in own:
            given = body.pop(field_name, _MISSING)
            if isinstance(given, _Field):
                if given.kw_only:
                    last.add(field_name)
                if not given.compare:
                    silent.add(field_name)
                given = given.default
            if given is not _MISSING:
                defaults[field_name] = given
            if field_name not in inherited:
                fields.append(field_name)
        fields = [field_name for field_name in fields if field_name not in last] + [
            field_name for field_name in fields if field_name in last
        ]
        body["__slots__"] = tuple(field_name for field_name in own if field_name not in inherited) + tuple(
            body.get("__slots__", ())
        )
        body["__fields__"] = tuple(fields)
        body["__field_defaults__"] = defaults
        body["__last__"] = frozenset(last)
        body["__silent__"] = frozenset(silent)
        body["__compared__"] = tuple(field_name for field_name in fields if field_name not in silent)
        body["__match_args__"] = tuple(fields)
        if fields and "__init__" not in body:
            body["__init__"] = _make_init(name, fields, defaults)
        return super().__new__(mcs, name, bases, body, **options)


def _make_init(name: str, fields: list[str], defaults: dict[str, Any]) -> Any:
    """An `__init__` that assigns its arguments.  The text is made of identifiers that Python itself has parsed."""
    needs_default = False
    parameters = []
    for field_name in fields:
        needs_default = needs_default or field_name in defaults
        parameters.append(f"{field_name}=_{field_name}" if needs_default else field_name)
    code = f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(f" self.{f} = {f}" for f in fields)
    namespace = {f"_{field_name}": defaults.get(field_name, _MISSING) for field_name in fields}
    exec(code, namespace)  # noqa: S102 - see the docstring
    init = namespace["__init__"]
    init.__qualname__ = f"{name}.__init__"
    return init


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(metaclass=_RecordType):
    """Base of all records; see the module's text."""

    __fields__: ClassVar[tuple[str, ...]]
    __compared__: ClassVar[tuple[str, ...]]
    __last__: ClassVar[frozenset[str]]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, field_name) == getattr(other, field_name) for field_name in self.__compared__)

    def __hash__(self) -> int:
        return hash((type(self).__name__, *(getattr(self, field_name) for field_name in self.__compared__)))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(repr(getattr(self, field_name)) for field_name in self.__compared__)})"
        )

    def __reduce__(self) -> Any:
        return type(self), tuple(getattr(self, field_name) for field_name in self.__fields__)

    def __setstate__(self, state: object) -> NoReturn:
        raise TypeError("a record is made whole")  # what is read from a file must not change one afterwards


def replace(record: Any, **changes: Any) -> Any:
    """The same record with some fields changed."""
    return type(record)(*(changes.get(field_name, getattr(record, field_name)) for field_name in record.__fields__))
