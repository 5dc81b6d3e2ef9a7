"""What the trees of level production have beside those of the core (`..tree`)."""

from __future__ import annotations

from ..tree import Assignment, Block, Boolean, Extends, Further, Node, Null, Number, Reference, String, Value, Vector

SEARCHED = "ATTRIB"
"""The kind of part that is searched for outwards; a bare name in the first place is one."""
HERE = "HERE"
"""The kind of part that is an attribute of the component itself; a bare name in a later place is one."""
NAMED = ("ATTRIB", "HERE", "PROPERTY", "IPROPERTY", "ENVPROPERTY", "IENVPROPERTY", "CONSTANT", "HOST")
BARE = ("ROOT", "PARENT", "THIS", "PROCESS")


class Part(Node):
    """One part of a path: `PARENT`, `HERE name`; bare names are of the kind `SEARCHED` or `HERE`."""

    kind: str
    name: str


class Path(Further):
    """A reference: `LAZY OPTIONAL(1) ROOT:a:b`, `DATA a:b`.  As a value of an attribute it is a link."""

    parts: tuple[Part, ...]
    lazy: bool = False
    data: bool = False
    default: Default | None = None

    @property
    def written(self) -> str:
        """The parts as SmartFrog's own compiler prints them: the kinds that go without saying are left out."""
        return ":".join(_shown(part, index) for index, part in enumerate(self.parts))

    @property
    def text(self) -> str:
        """The parts as a person writes them."""
        return self.written

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it."""
        return tuple(part.name for part in self.parts if part.name)


def _shown(part: Part, index: int) -> str:
    if part.kind == (HERE if index else SEARCHED):
        return part.name
    return f"{part.kind} {part.name}" if part.name else part.kind


class Default(Node):
    """What `OPTIONAL(value)` gives when nothing is found; without a value it is NULL.  `plain` is what it means."""

    value: Value | None
    plain: object


class ToBeDefined(Further):
    """`TBD`."""


class Variable(Further):
    """`VAR ..`, which a solver would give a value."""


class Bytes(Further):
    """`#HEX#00ff#`."""

    value: bytes


class Applied(Further):
    """`APPLY { .. }` or `ASSERT { .. }`, written out."""

    kind: str
    block: Block
    lazy: bool = False
    data: bool = False


class Call(Further):
    """An operator, a condition or a vector: a function with arguments.  Names are nothing where they are made up."""

    function: str
    arguments: tuple[tuple[str, Value], ...]
    symbol: str
    bindings: Block | None = None


class DataExtends(Extends):
    """`extends DATA ..`: a component that is not to be deployed."""


class Tagged(Assignment):
    """`[tags] target value`."""

    tags: tuple[str, ...]


def plain_value(value: Value) -> object:
    """What a value that stands for itself means; references stay as they are written."""
    match value:
        case Boolean() | Number() | String() | Bytes():
            return value.value
        case Null():
            return None
        case Vector(items):
            return [plain_value(item) for item in items]
        case _:
            return value


__all__ = [
    "BARE",
    "HERE",
    "NAMED",
    "SEARCHED",
    "Applied",
    "Assignment",
    "Block",
    "Boolean",
    "Bytes",
    "Call",
    "DataExtends",
    "Default",
    "Extends",
    "Node",
    "Null",
    "Number",
    "Part",
    "Path",
    "Reference",
    "String",
    "Tagged",
    "ToBeDefined",
    "Value",
    "Variable",
    "Vector",
    "plain_value",
]
