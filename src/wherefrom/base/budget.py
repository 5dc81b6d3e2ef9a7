"""`Budget`: what one run may use, of everything that a small program can make large.

Thirty lines can ask for 2^60 calls, for a list of 10^12 elements or for a text of as many characters. A run therefore
has one budget that every loop of every language draws from. Each bound is a plain integer attribute that holds what is
left of it, so that a hot loop pays for a subtraction and a comparison:

    budget.steps -= 1
    if budget.steps < 0:
        budget.over("steps", "calling f", span)

Everybody else says `budget.draw("elements", count, "joining two arrays", span)`, before the memory is taken. What goes
over is one error, `OverBudget`: which bound, where, what was being done, and the `--budget` that would allow it.

Counts are the same on every machine, so whether a program is refused does not depend on the weather. Two bounds are
there for what no count foresaw, `seconds` (of the processor) and `memory` (what the process has grown by): whoever
waits for the run looks at them a few times a second (`Watchdog`, used by `wherefrom.base.deep`).

A function far down that is handed no run (one that prints a type, say) asks `current()` for the budget it runs under:
the one that `with budget.in_force():` has set for this thread of work, or a fresh one outside of any run.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NoReturn

from .diagnostics import Diagnostic, LimitReached, UsageError

if TYPE_CHECKING:
    from types import FrameType

    from .source import Span

BOUNDS: Mapping[str, tuple[int, str]] = {
    "steps": (20_000_000, "calls of functions and blocks, and visits of values that are walked over"),
    "elements": (25_000_000, "elements of arrays, lists, hashes and sets that are built"),
    "characters": (200_000_000, "characters of texts that are built"),
    "pairs": (10_000_000, "pairs of values that are compared"),
    "edges": (1_000_000, "relationships between resources"),
    "nodes": (500_000, "nodes of data files, counted after aliases are followed"),
    "interpolations": (200_000, "interpolations in data"),
    "depth": (
        150_000,
        "levels of nesting, of values and of calls (a call in Puppet or a level of data takes a hundred)",
    ),
    "bytes": (512 * 1024 * 1024, "bytes of files that are read"),
    "seconds": (120, "seconds of processor time"),
    "memory": (2_500_000_000, "bytes that the process grows by"),
}
"""Every bound with its default and what it counts.  The largest bench takes a twentieth of a counted one."""

LARGE = 10_000
"""Characters or elements from which on a loop in C over them counts."""
WALKED = 100
"""Characters or elements that a loop in C has walked over when a step of ours is done."""

_FACTORS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_ENTRY = r"(?i)(?:([a-z]+)=)?(\d{1,15}(?:\.\d{1,9})?(?:e\d{1,2})?)([kmg]?)"
LARGEST = 10**18


class OverBudget(LimitReached):
    """A run asked for more than its budget of something.  `bound` is the name of what."""

    code = "W009"

    def __init__(self, bound: str, limit: int, doing: str = "", at: Span | None = None) -> None:
        super().__init__(f"the budget of {bound} is spent{' ' + doing if doing else ''}", limit, at)
        self.bound = bound
        self.doing = doing
        self.help = f"if this is intended, allow more with --budget {bound}={limit * 10}"
        self.notes.append(f"{bound}: {BOUNDS[bound][1]}")


class Cancelled(Diagnostic):
    """A run that was ended because nobody wants it any more."""

    code = "W054"

    def __init__(self) -> None:
        super().__init__("the run was cancelled")


_DEFAULTS = {name: default for name, (default, _) in BOUNDS.items()}


class Budget:
    """What is left of every bound.  `Budget(steps=10**9)` sets some of them; the others have their defaults."""

    __slots__ = ("cancelled", "hasty", "limits", "stop", *BOUNDS)

    steps: int
    elements: int
    characters: int
    pairs: int
    edges: int
    nodes: int
    interpolations: int
    depth: int
    bytes: int
    seconds: int
    memory: int

    def __init__(self, **limits: int) -> None:
        unknown = [name for name in limits if name not in BOUNDS]
        if unknown:
            from .spell import nearest

            near = nearest(unknown[0], BOUNDS)
            hint = f"; did you mean {near}?" if near else f" (known: {', '.join(BOUNDS)})"
            raise UsageError(f"unknown budget {unknown[0]!r}{hint}")
        self.cancelled: Callable[[], bool] | None = None
        """Whether nobody wants the run any more; asked while it works, if `hasty`, every few milliseconds."""
        self.hasty = False
        self.stop: Callable[[], None] | None = None
        """Ends what works under this budget now."""
        self.limits = {**_DEFAULTS, **limits} if limits else _DEFAULTS  # nobody changes them
        for name, limit in self.limits.items():
            setattr(self, name, limit)

    @classmethod
    def read(cls, text: str) -> Budget:
        """A budget as `--budget` writes it: `steps=1e9,memory=8G`, or a number by which every default is multiplied.

        >>> Budget.read("10, memory=8G").limits["memory"]
        8000000000
        >>> Budget.read("10").limits["steps"]
        200000000
        """
        limits: dict[str, int] = {}
        for part in text.split(","):
            entry = re.fullmatch(_ENTRY, part.strip())
            if entry is None:
                raise UsageError(f"--budget: {part.strip()!r} is neither NAME=NUMBER nor a factor")
            name, number, unit = entry.groups()
            amount = float(number) * _FACTORS[unit.lower()]
            if name is not None:
                limits[name.lower()] = min(int(amount), LARGEST)
            else:
                limits = {bound: min(int(default * amount), LARGEST) for bound, (default, _) in BOUNDS.items()} | limits
        return cls(**limits)

    def fresh(self) -> Budget:
        """A budget with the same limits, nothing of which is spent: for the next run."""
        budget = Budget.__new__(Budget)
        budget.limits = self.limits  # nobody changes them
        budget.cancelled, budget.hasty, budget.stop = self.cancelled, self.hasty, None
        for name, limit in self.limits.items():
            setattr(budget, name, limit)
        return budget

    def used(self) -> dict[str, int]:
        """How much of each bound that is counted was drawn."""
        return {name: limit - int(getattr(self, name)) for name, limit in self.limits.items()}

    def draw(self, bound: str, count: int, doing: str = "", at: Span | None = None) -> None:
        """Take `count` from a bound, or raise `OverBudget`."""
        left = getattr(self, bound) - count
        if left < 0:
            self.over(bound, doing, at)
        setattr(self, bound, left)

    def walk(self, size: int, doing: str, at: Span | None = None) -> None:
        """Draw for a loop in C over so many characters or elements, each of which takes far less than a step."""
        self.draw("steps", size // WALKED, doing, at)

    def allows(self, bound: str, count: int) -> bool:
        """Whether that much is left."""
        return bool(getattr(self, bound) >= count)

    def over(self, bound: str, doing: str = "", at: Span | None = None) -> NoReturn:
        """Raise the error of a bound that is spent; if nobody says at which place, it is that of the running code."""
        raise OverBudget(bound, self.limits[bound], doing, at or _place_in_progress(sys._getframe(1)))

    @contextmanager
    def in_force(self) -> Iterator[Budget]:
        """Make this the budget that `current()` answers, for as long as the block runs, in this thread of work."""
        token = _CURRENT.set(self)
        try:
            yield self
        finally:
            _CURRENT.reset(token)


def _place_in_progress(frame: FrameType | None) -> Span | None:
    """Where the innermost generated function comes from that is running in `frame`, or else its file.

    Functions that are generated from a source have an `IMAGE` among their globals, which knows the source and the
    place of each of them.
    """
    whole: Span | None = None
    while frame is not None:
        image = frame.f_globals.get("IMAGE")
        if image is not None:
            place: Span | None = image.place(frame.f_code)
            if place is not None:
                return place
            whole = whole or image.source.span(0)
        frame = frame.f_back
    return whole


_CURRENT: ContextVar[Budget | None] = ContextVar("wherefrom.budget", default=None)


def current() -> Budget:
    """The budget in force here; outside of any run a fresh one, so that a single call is bounded too."""
    budget = _CURRENT.get()
    return Budget() if budget is None else budget


def in_force_or_new() -> Budget:
    """The budget in force here; if there is none, a new one that is in force from now on, in this context."""
    budget = _CURRENT.get()
    if budget is None:
        budget = Budget()
        _CURRENT.set(budget)
    return budget


def own_clock() -> int | None:
    """The clock of the calling thread's processor time, for somebody else to look at.

    Only the thread itself may ask for it: to ask for the clock of a thread that has ended is undefined behaviour, while
    looking at a clock whose thread has ended is an ordinary error.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        return None
    import threading

    return time.pthread_getcpuclockid(threading.get_ident())


class Watchdog:
    """Looks at the clock and the memory of a run from outside: what counting does not see, it sees.

    `clock` is that of the thread that works (its processor time counts, nobody else's); `thread` is its number, by
    which the place is found that it is at.
    """

    INTERVAL = 0.1
    HASTE = 0.005
    """The same for a run that may be cancelled."""

    def __init__(self, budget: Budget, clock: int | None, thread: int | None = None) -> None:
        self._budget = budget
        self._thread = thread
        self._memory = _resident_bytes()
        self._clock = clock
        self._start = 0.0
        if clock is not None:
            try:
                self._start = time.clock_gettime(clock)
            except OSError:  # its thread has ended already
                self._clock = None

    def verdict(self) -> Diagnostic | None:
        """What is spent, or that the run is not wanted; or nothing."""
        budget = self._budget
        if budget.cancelled is not None and budget.cancelled():
            return Cancelled()
        if self._clock is not None:
            try:
                if time.clock_gettime(self._clock) - self._start > budget.seconds:
                    return OverBudget("seconds", budget.limits["seconds"], at=self._place())
            except OSError:
                return None
        if _resident_bytes() - self._memory > budget.memory:
            return OverBudget("memory", budget.limits["memory"], at=self._place())
        return None

    def _place(self) -> Span | None:
        """What the thread is at, as far as that is code of a configuration."""
        return _place_in_progress(sys._current_frames().get(self._thread)) if self._thread is not None else None


def _resident_bytes() -> int:
    """The memory this process has in use, where the system tells; else the most it ever had.

    The latter begins with the memory of whoever started the process: it is good for a difference alone.
    """
    if sys.platform == "linux":
        try:
            with open("/proc/self/statm", "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
