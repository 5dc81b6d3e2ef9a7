"""An inventory: everything that is written in an environment, whether somebody needs it or not, with its places.

What a definition *mentions* is known by words: `names` are the functions, types, classes and words in its texts, all in
lower case; `variables` the variables that it reads by name; `texts` its literal texts.
"""

from __future__ import annotations

from ..base.record import Record
from ..base.source import Span
from .ladder import WrittenKey


class WrittenParameter(Record):
    """A parameter of a class or define."""

    name: str
    span: Span


class WrittenDefinition(Record):
    """A definition: `class`, `define`, `function`, `type`, `resource type`; or `main`, code that always runs."""

    kind: str
    name: str
    span: Span
    parameters: tuple[WrittenParameter, ...]
    names: frozenset[str]
    variables: frozenset[str]
    texts: frozenset[str]
    unknown: str
    """Why it may read variables that it does not name, if so."""
    parent: str = ""


class Inventory(Record):
    """The definitions of an environment, and the keys of its data."""

    definitions: tuple[WrittenDefinition, ...]
    keys: tuple[WrittenKey, ...]
