"""`World`: everything Ruby code can learn from outside comes through here.

A host subclasses it. Each method is a door; the default is closed: it refuses with the Ruby line that asked. What comes
through a door is an input of the run, and it is the host that records it (`wherefrom.ruby.tracking` has `Read`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import RubyRefused
from .values import Module, Native, Value

if TYPE_CHECKING:
    from ..base.source import SourceFile, Span


class _Missing:
    """The type of `MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()
"""What a door answers when it has nothing of that name."""


class World:
    """The closed world: no files, no clock, no constants beyond Ruby's own."""

    def constant(self, interpreter: Any, scope: Module | None, name: str) -> Value:
        """A constant that Ruby code names and nobody has defined: below `scope`, or at the top.  `MISSING` if none."""
        return MISSING

    def home(self, at: Span | None) -> str | None:
        """The module that code at the top of a file stands in, if it is not Ruby's own top."""
        return None

    def method(self, receiver: Value, name: str) -> Native | None:
        """A method that the host gives to values of Ruby's own, where Ruby itself has none of that name."""
        return None

    def require(self, interpreter: Any, name: str, relative_to: str | None, at: Span) -> SourceFile | bool | None:
        """`require name` beyond the known libraries: a file to run, true for nothing to do, or nothing (LoadError).

        `relative_to` is the requiring file for `require_relative`.
        """
        return None

    def file_kind(self, path: str, at: Span | None) -> str | None:
        """`file`, `directory`, or nothing."""
        raise RubyRefused(f"files cannot be accessed here: {path}", at)

    def is_link(self, path: str, at: Span | None) -> bool:
        """Whether there is a symbolic link at `path`."""
        raise RubyRefused(f"files cannot be accessed here: {path}", at)

    def read_file(self, path: str, at: Span | None) -> str:
        """The text of a file."""
        raise RubyRefused(f"files cannot be read here: {path}", at)

    def list_directory(self, path: str, at: Span | None) -> Sequence[str]:
        """The names in a directory."""
        raise RubyRefused(f"directories cannot be listed here: {path}", at)

    def environment(self, name: str, at: Span | None) -> str | None:
        """An environment variable."""
        raise RubyRefused(f"`ENV[{name!r}]` reads an environment variable, which is not allowed", at)

    def now(self, at: Span | None) -> float:
        """The time, in seconds since 1970."""
        raise RubyRefused("the clock cannot be read here", at)

    def random(self, what: str, at: Span | None) -> float:
        """A random number in [0, 1) from nowhere (`rand`, `shuffle` without a seed)."""
        raise RubyRefused(f"`{what}` without a seed is not deterministic, which is not allowed", at)

    def print(self, text: str, to_error: bool = False) -> None:
        """`puts`, `print`, `warn`."""

    def reads(self) -> int:
        """How many things of the host have been read."""
        return 0

    def picked(self, before: int, key: str, value: Value) -> None:
        """`value` stands under a key of something that was read since there were `before` reads, for its sake alone."""

    def is_frozen(self, value: Value) -> bool:
        """Whether a container of the host must not be changed."""
        return False
