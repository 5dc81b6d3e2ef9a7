"""What a compilation was told about code that it did not run.

What a value depends on is also what other code would have done: the classes, defines and functions of a branch that was
not taken, and all classes that the classifier could have named. None of it is in what the compilation read, as no value
hangs on it; but what is told about values does. So whoever keeps that asks here what it hangs on: questions, each a
short text, to which an environment has an answer (`Summaries.told`).

    class NAME, define NAME, function NAME    its text
    changes TYPE      what each class would change in resources of a type
    resources TYPE    those that each class would declare
    classes           the classes and tags that each class would lead to

The last three are the same for all resources of a type, so that catalogs made alike have the same questions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from . import effects

if TYPE_CHECKING:
    from ..syntax import tree
    from .class_summaries import ClassSummaries
    from .effects import Body, Memo


class Definitions(effects.Definitions, Protocol):
    """What can be declared."""

    def class_summaries(self) -> ClassSummaries:
        """What each class that could be declared would lead to, itself included."""


class Consulted:
    """The definitions of an environment, and the questions that were asked about them."""

    def __init__(self, definitions: Callable[[], Definitions]) -> None:
        self._definitions = definitions
        self.questions: dict[str, None] = {}

    @property
    def effects(self) -> Memo:
        """The effects of nodes."""
        return self._definitions().effects

    def class_body(self, name: str) -> Body | None:
        """A class, loaded if it can be."""
        self.questions[f"class {name}"] = None
        return self._definitions().class_body(name)

    def define_body(self, name: str) -> Body | None:
        """A define, loaded if it can be."""
        self.questions[f"define {name}"] = None
        return self._definitions().define_body(name)

    def function_body(self, name: str) -> tree.Node | None:
        """The body of a function written in Puppet."""
        self.questions[f"function {name}"] = None
        return self._definitions().function_body(name)

    def changes_of(self, type_name: str) -> ClassSummaries:
        """All classes, for who asks what they would change in resources of a type."""
        self.questions[f"changes {type_name}"] = None
        return self._definitions().class_summaries()

    def leading_to(self, asked: tuple[str, ...]) -> ClassSummaries:
        """All classes, for who asks what they would lead to."""
        kind, *what = asked
        self.questions[f"resources {what[0]}" if kind in ("resource", "type") else "classes"] = None
        return self._definitions().class_summaries()
