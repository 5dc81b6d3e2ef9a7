"""What a run did beside its catalog, for whoever wants to use the catalog for another node.

A catalog tells what became of a run; not every test, every computed value and every check of a type leaves a trace in
it: a test that kept `fail` from being called, a variable that nobody reads, an argument that was of the right type. A
run that is asked to keep a `Ledger` notes them, with their origins, so that one can see whether all of them would have
come out alike with other inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ...provenance.origins import Guard, Origin
    from ..kernel.sought import Rerun
    from ..kernel.traced import Traced


class Accepting(Protocol):
    """A type, or something else that values may be of."""

    def accepts(self, value: Any) -> bool: ...


class _Alone:
    """The type of a value that goes by itself."""

    __slots__ = ("_type",)

    def __init__(self, kind: Accepting) -> None:
        self._type = kind

    def accepts(self, value: Any) -> bool:
        """Whether the value is of the type."""
        return self._type.accepts(value[""])


class Ledger:
    """`tests` decided which way the run went; `values` were computed; `checks` are parameters that fitted a type.

    Of `truths` it is whether they are true that decided; of what was `walked` over, which elements there are. `reruns`
    are the texts of templates that can be rendered again, in their order. Resources that were `sought`, by type and
    title, were not there.
    """

    __slots__ = ("checks", "reruns", "sought", "tests", "truths", "values", "walked")

    def __init__(self) -> None:
        self.tests: list[Origin | Guard] = []
        self.truths: list[Traced] = []
        self.walked: list[Origin] = []
        self.sought: set[tuple[str, str]] = set()
        self.values: list[Traced] = []
        self.reruns: list[Rerun] = []
        self.checks: list[tuple[Accepting, Mapping[str, Traced]]] = []

    def reached(self, names: Iterable[Origin]) -> None:
        """A resource was found by one of its names: under another one it would not have been."""
        self.tests.extend(names)

    def accepted(self, kind: Accepting, value: Traced) -> None:
        """A value was of a type, and was passed on for that."""
        self.checks.append((_Alone(kind), {"": value}))

    def call(self, origins: Any, result: Traced, acts: bool, walks: bool = False) -> None:
        """A function was called: what it acts on decides, what it computes is a value.

        One that `walks` over its first argument hands the elements to a block, and does nothing else with them.
        """
        if walks:
            self.walked.append(origins[0])
            self.tests.extend(origins[1:])
        elif acts:
            self.tests.extend(origins)
        self.values.append(result)

    def part(self, result: Traced) -> None:
        """A part of something was read.  One that has parts itself matters as far as they are read."""
        if type(result[0]) is not dict and type(result[0]) is not list:
            self.values.append(result)
