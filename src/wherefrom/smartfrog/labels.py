"""The edge labels and operations of SmartFrog.

The paper's language computes nothing: its operations are `Shape`s, which decided what is there. Its edge labels are
those of Def 12 and the following: assignment, placement, inheritance from a prototype, links. Level production adds
operators and functions, conditions, defaults, and what stays because it is lazy.
"""

from __future__ import annotations

from ..provenance.operations import EdgeLabel, FunctionCall, Infix, NamedEdgeLabel, Opaque, Reason, Shape

BASIC_VALUE = Shape("a basic value")
VECTOR_OF = Shape("vector")
COMPONENT = Shape("component")
POSITION = Shape("position")
ATTRIBUTES = Shape("attributes in their order")

WAY = Shape("way to a component")
FRESH = Shape("fresh")


class Operator(Infix):
    """An operator of level production."""

    __slots__ = ()


class Calling(FunctionCall):
    """A function of level production; `keys` are the names of its arguments."""

    __slots__ = ("keys",)

    def __init__(self, name: str, keys: tuple[str, ...]) -> None:
        super().__init__(name)
        self.keys = keys


class ReadValue(Infix):
    """The text of a property, read as a value (`IPROPERTY`)."""

    __slots__ = ()


class Stays(Opaque):
    """A function or assertion that is left for the run time, with its arguments."""

    __slots__ = ()
    said = "left to be computed where it runs"
    reason = "it waits for what is known at run time"


class Numbered(Opaque):
    """A function that looks around or counts: `next`, `Set`, `Ref`."""

    __slots__ = ("_name",)
    reason = "it depends on more than its arguments"

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def words(self) -> str:
        return f"call {self._name}"


STAYS = Stays()

CONDITION = Reason("if")
DEFAULT = Reason("the default, because nothing is found")
LAZY = Reason("kept, because it depends on a lazy link")
KEEPS_PLACE = Reason("overridden, position unchanged")


class LinkedFrom(NamedEdgeLabel):
    """A link, by the path that it was found at."""

    __slots__ = ()
    said = "linked from"


class WouldLeadTo(NamedEdgeLabel):
    """A link that stays, as it is lazy: what it would come to if it were followed in the finished store."""

    __slots__ = ()
    said = "would lead to"


class FromPrototype(NamedEdgeLabel):
    """A prototype, by the path that it was found at."""

    __slots__ = ()
    said = "inherited from prototype"


class ChangedInside(NamedEdgeLabel):
    """A placement into a component that was inherited or linked."""

    __slots__ = ()
    said = "changed inside by"


class PlacedBy(NamedEdgeLabel):
    """A placement, as it is written."""

    __slots__ = ()
    said = "placed by"


class PutBy(NamedEdgeLabel):
    """The component whose text gave an attribute its place."""

    __slots__ = ()
    said = "put here by"


class Overriding(NamedEdgeLabel):
    """What covers an older value; `name` says what became of that: how it had come here."""

    __slots__ = ()
    said = "overrides the value"


class OverriddenAt(EdgeLabel):
    """Why an older value is not seen: how it had come here, and the place that overrides it."""

    __slots__ = ("place", "story")

    def __init__(self, story: str, place: str) -> None:
        self.story = story
        self.place = place

    @property
    def words(self) -> str:
        return f"{self.story}, overridden at {self.place}"


class ComesBefore(EdgeLabel):
    """Why an attribute stands before another that its component writes first."""

    __slots__ = ("component", "other")

    def __init__(self, other: str, component: str) -> None:
        self.other = other
        self.component = component

    @property
    def words(self) -> str:
        return f"comes before {self.other}, though {self.component} writes {self.other} first"
