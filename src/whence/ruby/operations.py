"""What Ruby did, as operations and hands of origins: it is known what was read, not how it came to the answer."""

from __future__ import annotations

from ..provenance.operations import Opaque, Reason


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


RUBY = ByRuby("ruby")
TEMPLATE = ByRuby("template")
INLINE_TEMPLATE = ByRuby("inline_template")

REACHED = Reason("reached")
BLOCK = Reason("block")
PRINTED = Reason("printed")
