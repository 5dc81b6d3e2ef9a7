"""The evaluation that runs on this thread: what `force` and `==` need of it, though nobody hands it to them.

Everything else of a run depends on its machine. But builtins force slots all the time, and with recording on each look
must be noted for the builtin that looks; so the list of what it touched is found through the thread's context.
`front.guarded` sets up a fresh one for each piece of work and puts the old one back, so evaluations may be nested, and
threads do not meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...base.source import SourceFile


Order: TypeAlias = Callable[[Iterable[str]], list[str]]
"""Puts names of a program into the order in which Nix goes through sets."""


class Masks(Protocol):
    """What a masked evaluation gathers: see `kernel.masks`."""

    used: int
    names: Mapping[str, Any]

    def bit(
        self, kind: str, name: str, source: SourceFile | None = None, start: int = 0, end: int = 0, value: Any = None
    ) -> int:
        """The bit of an input."""

    def use(self, kind: str, name: str) -> None:
        """The computation in progress reads something outside of the program."""

    def force(self, thunk: Any, code: Callable[..., Any]) -> Any:
        """Compute a thunk, and keep in it what that used."""


class Running:
    """What runs on a thread."""

    __slots__ = ("arguments", "masks", "order", "overflow", "touched")

    def __init__(self) -> None:
        self.touched: list[Any] | None = None
        """While a builtin runs with recording on: the thunks and cells it forced so far."""
        self.arguments: tuple[Any, ...] = ()
        """The arguments of the builtin that is running, with recording on."""
        self.masks: Masks | None = None
        """What a masked evaluation gathers."""
        self.order: Order | None = None
        self.overflow = True
        """Whether integers wrap at 64 bits, as they did before Nix 2.25; else it is an error."""


class _Idle(Running):
    """What is found where no evaluation runs.  All threads find the same, so nothing can be noted in it."""

    __slots__ = ("_is_made",)

    def __init__(self) -> None:
        super().__init__()
        self._is_made = True

    def __setattr__(self, name: str, value: object) -> None:
        assert not hasattr(self, "_is_made"), "something is recorded where no evaluation runs"
        super().__setattr__(name, value)


_RUNNING: ContextVar[Running] = ContextVar("running", default=_Idle())  # noqa: B039 - it can not be changed

running_here = _RUNNING.get
"""What runs on the thread that asks.  (To ask costs more than to look: ask once.)  A context's variable is found four
times as fast as a thread's own.
"""


@contextmanager
def running(order: Order, overflow: bool = True, masks: Masks | None = None) -> Iterator[None]:
    """On this thread an evaluation with these names runs, and no builtin of it yet."""
    fresh = Running()
    fresh.order, fresh.overflow, fresh.masks = order, overflow, masks
    outer = _RUNNING.set(fresh)
    try:
        yield
    finally:
        _RUNNING.reset(outer)
