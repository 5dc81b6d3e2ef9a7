"""Provenance: origins recorded while evaluating, and the answers read off them.

`origins` is the structure, `extract` the papers' provenances as functions over it, `explain` the story told to a
person, `export` the structure as JSON and back.
"""

from .composites import element
from .origins import (
    BUILT_IN,
    UNTRACED,
    Absent,
    Choice,
    Copy,
    Guard,
    Guarded,
    Hidden,
    Items,
    Leaf,
    Origin,
    Overridden,
    Step,
    guarded,
)

__all__ = [
    "BUILT_IN",
    "UNTRACED",
    "Absent",
    "Choice",
    "Copy",
    "Guard",
    "Guarded",
    "Hidden",
    "Items",
    "Leaf",
    "Origin",
    "Overridden",
    "Step",
    "element",
    "guarded",
]
