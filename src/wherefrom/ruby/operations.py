"""What Ruby did, as operations and edge labels of origins.

Of a text or number that one of Ruby's own methods made it is known how (`MethodCall`, `Joined`), and it can be made
again. Of the rest it is known what was read, not how it came to the answer.
"""

from __future__ import annotations

from ..base.keys import Symbol
from ..provenance.operations import FunctionCall, Named, Op, Opaque, Reason


class MethodCall(Named):
    """One of Ruby's own methods: of the receiver and the arguments."""

    __slots__ = ()
    said = "method"

    @property
    def shown(self) -> str:
        return self.name


class Joined(Op):
    """A text with `#{...}` in it: of its parts."""

    __slots__ = ()
    said = "text"


class Written(Op):
    """Something written out in Ruby code: a text, number or symbol, a pattern with its options."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    @property
    def words(self) -> str:
        value = self.value
        if isinstance(value, tuple):
            return f"/{value[0]}/{value[1]}"
        if isinstance(value, Symbol):
            return f":{value.name}"
        return "nil" if value is None else str(value).lower() if type(value) is bool else repr(value)


class NamedConstant(Named):
    """A class or module of Ruby's own, by name."""

    __slots__ = ()
    said = "constant"

    @property
    def shown(self) -> str:
        return self.name


class Consulting(Opaque):
    """A function of a module that read more than its arguments, by name."""

    __slots__ = ("name",)
    reason = "it read more than its arguments"

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def words(self) -> str:
        return f"{FunctionCall.said} {self.name}"

    @property
    def shown(self) -> str:
        return self.name


class ByRuby(Opaque):
    """What a template or a function did that Ruby kept to itself."""

    __slots__ = ("_words",)
    reason = "Ruby did it"

    def __init__(self, words: str) -> None:
        self._words = words

    @property
    def words(self) -> str:
        return self._words


class NamedTemplate(ByRuby):
    """A template, by its name."""

    __slots__ = ()
    said = "template"

    @property
    def words(self) -> str:
        return f"{self.said} {self._words}"


JOINED = Joined()
RUBY = ByRuby("ruby")
TEMPLATE = ByRuby("template")
INLINE_TEMPLATE = ByRuby("inline_template")

REACHED = Reason("reached")
BLOCK = Reason("block")
PRINTED = Reason("printed")
