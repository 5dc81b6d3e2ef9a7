"""The operations of Puppet: what a step of an origin can be, beside those of `wherefrom.provenance.operations`.

How each is computed again stands in `wherefrom.puppet.output.computing`, by class. What is `Opaque`, or a `Shape`, is
never computed: it decided which elements there are or which branch was taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...provenance.operations import At, Infix, Named, Op, Opaque, Shape

# --- operators -------------------------------------------------------------------------------------------------------


class Arithmetic(Infix):
    """`+`, `-`, `*`, `/`, `%`, `<<`, `>>`, of numbers and of arrays and hashes."""

    __slots__ = ()


class Comparison(Infix):
    """`==`, `!=`, `<`, `<=`, `>`, `>=`."""

    __slots__ = ()


class Logic(Infix):
    """`and`, `or`; of the first operand alone if that decided."""

    __slots__ = ()


class Matching(Infix):
    """`=~`, `!~`."""

    __slots__ = ()


class Membership(Infix):
    """`in`."""

    __slots__ = ()


class Arrow(Infix):
    """`->` and the other relationships, as statements: their value is nothing."""

    __slots__ = ()


class Not(Op):
    """`!`"""

    __slots__ = ()
    said = "!"


class Negate(Op):
    """Unary minus."""

    __slots__ = ()
    said = "negate"


class Access(Op):
    """`a[b]`, of values and of types."""

    __slots__ = ()
    said = "[]"


ADD = Arithmetic("+")
SUBTRACT = Arithmetic("-")
MULTIPLY = Arithmetic("*")
MODULO = Arithmetic("%")
OPERATORS: Mapping[str, Op] = {
    symbol: operator(symbol)
    for operator, symbols in (
        (Arithmetic, "/ << >>"),
        (Comparison, "== != < <= > >="),
        (Logic, "and or"),
        (Matching, "=~ !~"),
        (Membership, "in"),
        (Arrow, "-> ~> <- <~"),
    )
    for symbol in symbols.split()
} | {"+": ADD, "-": SUBTRACT, "*": MULTIPLY, "%": MODULO}
"""The operators by their symbols."""
NOT = Not()
NEGATE = Negate()
ACCESS = Access()
MEMBERSHIP = OPERATORS["in"]

# --- texts -----------------------------------------------------------------------------------------------------------


class Interpolate(Op):
    """A text in double quotes: its parts, as texts."""

    __slots__ = ()
    said = "interpolate"


class Concatenate(Op):
    """Texts one after the other."""

    __slots__ = ()
    said = "concatenate"


class HieraText(Op):
    """A text of the data (the first element of its input) with values filled in for each `%{...}` (the others)."""

    __slots__ = ()
    said = "hiera text"


INTERPOLATE = Interpolate()
CONCATENATE = Concatenate()
HIERA_TEXT = HieraText()

# --- parts of values -------------------------------------------------------------------------------------------------


class Item(At):
    """The element at a position of an array, a hash (as `[key, value]`), a string, a range."""

    __slots__ = ()
    said = "item"


class KeyAt(At):
    """The key at a position of a hash."""

    __slots__ = ()
    said = "key"


class ValueAt(At):
    """The value at a position of a hash."""

    __slots__ = ()
    said = "value"


class Counted(At):
    """A number that an iteration counted."""

    __slots__ = ()
    said = "index"


class Group(At):
    """A group of a match: of the text and the pattern."""

    __slots__ = ()
    said = "group"


class DeferredArgument(At):
    """An argument of a deferred call."""

    __slots__ = ()
    said = "deferred"


class Entry(Op):
    """The value under a key of a hash."""

    __slots__ = ("key",)
    said = "entry"

    def __init__(self, key: Any) -> None:
        self.key = key

    @property
    def words(self) -> str:
        return f"{self.said} {self.key}"


class Dug(Entry):
    """A value put back into what it was dug out of: under a key, or at a position."""

    __slots__ = ()
    said = "dug"


class Member(Named):
    """`a.name` of an object that has such a member."""

    __slots__ = ()

    @property
    def words(self) -> str:
        return f".{self.name}"


class AttributeOf(Named):
    """An attribute of an object."""

    __slots__ = ()
    said = "attribute"


class IteratorOver(Op):
    """An iterator over an array."""

    __slots__ = ()
    said = "iterator"


class ErrorAt(Named):
    """The error that following a path into a value meets."""

    __slots__ = ()
    said = "error"


ITERATOR = IteratorOver()

# --- constants -------------------------------------------------------------------------------------------------------


class NoValue(Op):
    """Nothing: `undef`, and what a statement is worth."""

    __slots__ = ("_words",)

    def __init__(self, words: str) -> None:
        self._words = words

    @property
    def words(self) -> str:
        return self._words


class Truth(Op):
    """True or false, decided by what stands round it."""

    __slots__ = ("value",)

    def __init__(self, value: bool) -> None:
        self.value = value

    @property
    def words(self) -> str:
        return "true" if self.value else "false"


NO_VALUE = NoValue("nothing")
COLLECTOR = NoValue("collector")
TRUE = Truth(True)
FALSE = Truth(False)

# --- types, references -----------------------------------------------------------------------------------------------


class TypeName(Named):
    """A type by its name; its inputs are what its alias is written with."""

    __slots__ = ()
    said = "type"


class ParsedType(Op):
    """A type written as a text."""

    __slots__ = ()
    said = "parsed type"


class ConvertTo(Named):
    """What `convert_to` of `lookup_options` makes of a value, with what the option says beside the type."""

    __slots__ = ("arguments",)
    said = "convert to"

    def __init__(self, name: str, arguments: tuple[Any, ...] = ()) -> None:
        super().__init__(name)
        self.arguments = arguments


class ReferenceTo(Named):
    """A reference to a resource of a type by its title."""

    __slots__ = ()
    said = "reference"


class ClassReference(Op):
    """A reference to a class by its name."""

    __slots__ = ()
    said = "class reference"


class ClassName(Op):
    """The name in a reference to a class."""

    __slots__ = ()
    said = "class name"


class Presence(Op):
    """Whether something is there; `expected` is what counts as true."""

    __slots__ = ("expected",)

    def __init__(self, expected: bool) -> None:
        self.expected = expected

    @property
    def words(self) -> str:
        return "present" if self.expected else "absent"


PARSED_TYPE = ParsedType()
CLASS_REFERENCE = ClassReference()
CLASS_NAME = ClassName()
PRESENT = Presence(True)
MISSING = Presence(False)

# --- functions -------------------------------------------------------------------------------------------------------


class AllOf(Op):
    """Whether all tests held."""

    __slots__ = ()
    said = "all of"


class AnyOf(Op):
    """Whether any test held."""

    __slots__ = ()
    said = "any of"


class FqdnRand(Op):
    """A number made from the name of the node and the arguments."""

    __slots__ = ()
    said = "fqdn_rand"


class Hide(Op):
    """A sensitive value."""

    __slots__ = ()
    said = "hide"


class BytesAsText(Op):
    """The text that the bytes of a `Binary` are."""

    __slots__ = ()
    said = "text of bytes"


ALL_OF = AllOf()
ANY_OF = AnyOf()
FQDN_RAND = FqdnRand()
HIDE = Hide()
BYTES_AS_TEXT = BytesAsText()


class Kept(Opaque):
    """Whether a function that answers for Hiera kept a value under a key."""

    __slots__ = ()
    said = "kept"
    reason = "a function kept it between its calls"


KEPT = Kept()

# --- what decided ----------------------------------------------------------------------------------------------------

ADDED = Shape("+>")
MERGE_UNIQUE = Shape("merge unique")
MERGE_HASH = Shape("merge hash")
MERGE_DEEP = Shape("merge deep")
NODE_CHOICE = Shape("node")
CASE_TESTS = Shape("case")
SELECTOR_TESTS = Shape("selector")
BLOCK_RESULT = Shape("block")
BOTH = Shape("both")
LAMBDA = Shape("lambda")
NEVER = Shape("never")
