"""Dependencies of an explanation on code that did not run (static dependencies).

To say what a value depends on, the compiler looks at code that this run did not execute: the classes, defines and
functions that an untaken branch would have used, and every class that a classifier could have named. The catalog does
not depend on that code, but the dependency sets do. A fleet store keeps dependency sets, so it has to know when they go
stale: this module records the questions that were asked about code, each a short text, and `Library.static_answer`
answers them again for a later revision.

    class NAME, define NAME, function NAME    its source text
    changes TYPE      what each class would change in resources of a type
    resources TYPE    those that each class would declare
    classes           the classes and tags that each class would lead to

For example, a node whose answers asked `changes File` is looked at again when an edit gives some class an override of a
file, even if that class is on no node. The last three questions are the same for all resources of a type, so that
catalogs of one kind of node share them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from . import effects

if TYPE_CHECKING:
    from ..syntax import tree
    from .class_summaries import ClassSummaries
    from .effects import Body, Effects, Memo, Summary


class ClassesByName(effects.BodiesByName, Protocol):
    """What can be declared."""

    def class_summaries(self) -> ClassSummaries:
        """What each class that could be declared would lead to, itself included."""

    def summed(self, effects: Effects, declared: frozenset[str]) -> tuple[Summary, tuple[str, ...]]:
        """What some effects lead to where some classes are declared, and the questions that this depends on."""


class Consulted:
    """The definitions of an environment, and the questions that were asked about them."""

    def __init__(self, definitions: Callable[[], ClassesByName]) -> None:
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

    def summary(self, effects: Effects, declared: frozenset[str]) -> Summary:
        """What some effects lead to where some classes are declared; records what that depends on.

        Another run may have had it worked out. What it asked for is asked for again, as who reads for this run listens.
        """
        summary, questions = self._definitions().summed(effects, declared)
        for question in questions:
            if question not in self.questions:
                kind, _, name = question.partition(" ")
                if kind == "class":
                    self.class_body(name)
                elif kind == "define":
                    self.define_body(name)
                else:
                    self.function_body(name)
        return summary

    def changes_of(self, type_name: str) -> ClassSummaries:
        """Summaries of all classes; records that the run depends on what each would change in resources of a type."""
        self.questions[f"changes {type_name}"] = None
        return self._definitions().class_summaries()

    def leading_to(self, asked: tuple[str, ...]) -> ClassSummaries:
        """Summaries of all classes; records that the run depends on what each would declare."""
        kind, *what = asked
        self.questions[f"resources {what[0]}" if kind in ("resource", "type") else "classes"] = None
        return self._definitions().class_summaries()
