"""The hands and operations of SmartFrog.

SmartFrog computes nothing: its operations are `Shape`s, which decided what is there. Its hands are those of Def 12 and
the following of the paper: assignment, placement, inheritance from a prototype, links.
"""

from __future__ import annotations

from ..provenance.operations import Hand, NamedHand, Reason, Shape

BASIC_VALUE = Shape("a basic value")
VECTOR_OF = Shape("vector")
COMPONENT = Shape("component")
POSITION = Shape("position")

KEEPS_PLACE = Reason("overridden, which keeps the place")


class LinkedFrom(NamedHand):
    """A link, by the path that it was found at."""

    __slots__ = ()
    said = "linked from"


class FromPrototype(NamedHand):
    """A prototype, by the path that it was found at."""

    __slots__ = ()
    said = "inherited from prototype"


class ChangedInside(NamedHand):
    """A placement into a component that was inherited or linked."""

    __slots__ = ()
    said = "changed inside by"


class PlacedBy(NamedHand):
    """A placement, as it is written."""

    __slots__ = ()
    said = "placed by"


class PutBy(NamedHand):
    """The component whose text gave an attribute its place."""

    __slots__ = ()
    said = "put here by"


class Overriding(NamedHand):
    """What covers an older value; `name` says what became of that: how it had come here."""

    __slots__ = ()
    said = "overrides the value"


class OverriddenAt(Hand):
    """Why an older value is not seen: how it had come here, and the place that overrides it."""

    __slots__ = ("place", "story")

    def __init__(self, story: str, place: str) -> None:
        self.story = story
        self.place = place

    @property
    def words(self) -> str:
        return f"{self.story}, overridden at {self.place}"


class ComesBefore(Hand):
    """Why an attribute stands before another that its component writes first."""

    __slots__ = ("component", "other")

    def __init__(self, other: str, component: str) -> None:
        self.other = other
        self.component = component

    @property
    def words(self) -> str:
        return f"comes before {self.other}, though {self.component} writes {self.other} first"
