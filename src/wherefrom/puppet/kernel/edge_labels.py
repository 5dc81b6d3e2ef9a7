"""The edge labels of Puppet: who passed a value on, what chose it among others, and the tests that things stand under.

Of most there is one; code that wants to know compares with the very object (`choice.how is DEFAULT_VALUE`).
"""

from __future__ import annotations

from functools import lru_cache

from ...provenance.operations import CASE, IF, EdgeLabel, NamedEdgeLabel, Reason

# --- variables, parameters, attributes -------------------------------------------------------------------------------


class VariableEdge(NamedEdgeLabel):
    """A variable that was assigned."""

    __slots__ = ()

    @property
    def words(self) -> str:
        return f"variable ${self.name}"


class ParameterEdge(NamedEdgeLabel):
    """A parameter of a class or define; `kind` and `owner` say which."""

    __slots__ = ("kind", "owner")

    def __init__(self, name: str, kind: str, owner: str) -> None:
        self.name = name
        self.kind = kind
        self.owner = owner

    @property
    def words(self) -> str:
        return f"parameter ${self.name} of {self.kind} {self.owner}"


variable_of = lru_cache(4096)(VariableEdge)
parameter_of = lru_cache(4096)(ParameterEdge)
"""One record for each name, however many resources bind it."""


class Changing(EdgeLabel):
    """What sets an attribute from outside of the declaration of its resource."""

    __slots__ = ()


class DefaultFor(NamedEdgeLabel, Changing):
    """The default of an attribute for all resources of a type."""

    __slots__ = ()
    said = "default for"


class OverrideIn(NamedEdgeLabel, Changing):
    """An override in a class, a define or a node."""

    __slots__ = ()
    said = "override in"


class ByCollector(Changing):
    """A collector with a body."""

    __slots__ = ()
    said = "a collector"


class AddedBy(Changing):
    """`+>` in an override."""

    __slots__ = ("by",)

    def __init__(self, by: EdgeLabel) -> None:
        self.by = by

    @property
    def words(self) -> str:
        return f"added to by {self.by.words}"


class ExportedBy(NamedEdgeLabel):
    """Another node, which exported the resource that a value is of."""

    __slots__ = ()
    said = "exported by"


A_COLLECTOR = ByCollector()
TITLE = Reason("title")
REALIZED = Reason("realized")
PARAMETER_DEFAULT = Reason("the default of the parameter")
LOWER_LEVEL = Reason("lower in the hierarchy")
PRINTED = Reason("printed by a template")

# --- what chose, what was tested -------------------------------------------------------------------------------------

UNLESS = Reason("unless")
AND = Reason("and")
OR = Reason("or")
SELECTOR = Reason("selector")
DEFAULT_VALUE = Reason("default value")
ALIAS = Reason("alias")
NODE = Reason("node")
CLASSIFIER = Reason("classifier")
FOR_EACH = Reason("for each of")
ARGUMENTS = Reason("arguments")
INHERITED = Reason("inherited from")
NAMED = Reason("named")
CLASS_NAMED = Reason("class named")
DECLARED = Reason("declared")
FIRST_DECLARED = Reason("first declared")
RETURN = Reason("return")
NEXT = Reason("next")
BREAK = Reason("break")
LOOKUP_DEFAULT = Reason("lookup default")
LEFT_OUT = Reason("left out because it fails")

BRANCHES = (IF, UNLESS, AND, OR)
PICKING = (CASE, SELECTOR)
DECIDING = frozenset((*BRANCHES, *PICKING, DEFAULT_VALUE, ALIAS))
"""Labels of choices: answers list them as decisions, not in the chain."""
