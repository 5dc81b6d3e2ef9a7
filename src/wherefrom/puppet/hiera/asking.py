"""What a search sees of the program that asks: its variables, its settings, and the code it can reach by name.

Data is read for the sake of a running program, and needs little of it. These are the few things; the runtime, which
lies above this package, has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span
    from ...provenance.origins import Guard, Origin
    from ..kernel.traced import Traced
    from ..types.model import PuppetType


class LookupVariables(Protocol):
    """Reads variables by name."""

    def variable(self, name: str) -> Traced | None:
        """The variable `name` (without `$`, perhaps qualified), or nothing if it is not defined."""

    def absent_variable(self, name: str, span: Span | None) -> Origin:
        """Why the variable `name` is not there."""

    @property
    def guard(self) -> Guard | None:
        """The tests in force."""


class LookupCode(Protocol):
    """What can be reached by name."""

    @property
    def name(self) -> str:
        """The name of the environment."""

    @property
    def sources(self) -> dict[str, SourceFile]:
        """The files that were read, by name."""

    def resolve(self, name: str) -> PuppetType | None:
        """The type behind a name that is not built in."""

    def type_of_text(self, text: str, frame: Any) -> PuppetType:
        """The type that a text says."""

    def module_directory(self, name: str) -> str | None:
        """The directory of a module."""

    def another_module(self, name: str) -> Origin:
        """Why a name is that of this module, or of none."""

    def find_class(self, name: str) -> object | None:
        """The class of this name, if there is one."""

    def function(self, name: str, span: Span | None) -> Any:
        """The function of this name.  Raises Puppet's error if there is none."""


class LookupRun(Protocol):
    """The compilation that asks.  `calls` counts how deep the calls of functions are nested."""

    calls: int

    @property
    def environment(self) -> LookupCode:
        """What it can reach by name."""

    @property
    def strict(self) -> str:
        """What becomes of doubtful things: `off`, `warning` or `error`."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of Puppet."""

    @property
    def class_scopes(self) -> Mapping[str, object]:
        """The scopes of the classes that have been evaluated."""

    def warn(self, message: str, span: Span | None) -> None:
        """Log a warning of the compiler."""

    def warn_once(self, key: str, message: str, span: Span | None) -> None:
        """Log a warning of the compiler, once for each key."""


class LookupFrame(Protocol):
    """The place in the program that a search is made from."""

    @property
    def machine(self) -> LookupVariables:
        """Reads the variables that can be seen from here."""

    @property
    def run(self) -> LookupRun:
        """The compilation."""

    @property
    def base(self) -> object:
        """The scope that this place lies in."""

    def below(self, name: str, value: Any, origin: Origin) -> LookupFrame:
        """The same place, with one more variable."""
