"""Work in a child process that the kernel bounds and a parent can end.

The budget (`wherefrom.base.budget`) bounds a run from inside: it is looked at between two steps of the interpreter. One
step can be a single operation in C that takes hours (a regular expression, a power of large numbers), or a read that
waits for ever. So work on what may be hostile is done in a child, forked from this process, so that nothing is loaded
again:

    ended = in_child(work)      # -> Ended(status=0, ...)

While the child works, a page of memory that both see says on what (`doing`) and until when. Each time it begins
something (`bounded`, called where a deep stack is made), the child has the kernel end it some time after the budget's
`seconds` of the processor (SIGXCPU), refuses itself more address space than the budget's `memory`, and writes down a
deadline by the clock, which the parent keeps: at that it kills the child. Before the kernel ends the child, a handler
in C writes its stack into a file that the parent reads: so the diagnostic says what was running. Elsewhere `bounded`
does nothing: a process that embeds wherefrom is not ours to bound.

Children that stay and answer one question after another are `wherefrom.base.servant`'s.
"""

from __future__ import annotations

import os
import re
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

from .budget import OverBudget
from .diagnostics import Diagnostic, WherefromError
from .record import Record
from .source import lines_of

if TYPE_CHECKING:
    import mmap

    from .budget import Budget

GRACE = 1
"""Seconds of the processor after the budget's, in which the friendlier bound inside can say the same with a place."""
REST = 600
"""Seconds of the processor for what is done between runs and after the last one: to answer, compare, draw and write."""
WAITING = 10
PATIENCE = 60
"""A deadline by the clock is so many times the budget's seconds, and so many more: on a machine that has much to do."""
LOOK = 5
WORKING = 0.01
"""Who has used this share of a processor is not idle: at its deadline it is given so many seconds more, again and
again.  The kernel's bound on processor time ends it all the same."""
OPEN_FILES = 1024
FILE_BYTES = 1 << 34
HEADROOM = 512 * 1024 * 1024
"""Address space beside the budget's memory: stacks, libraries, what is not returned to the system at once."""

SHARED = ("base", "provenance")
"""Rooms that are called by everything: a function there says little about what was being done."""

_PAGE = 4096
_HEAD = struct.Struct("dddqqI")
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$')


class Ended(Record):
    """How a child came to its end: its own status, or the signal it died of; and what it was at."""

    status: int | None
    problem: Diagnostic | None = None


class _Board:
    """A page of memory that parent and child share: what the child does, and by when it should have done it."""

    def __init__(self) -> None:
        import mmap

        self._page: mmap.mmap = mmap.mmap(-1, _PAGE)
        self.write(0.0, 0, 0, "")

    def write(self, deadline: float, seconds: int, memory: int, doing: str) -> None:
        """Say what is done now, until when by the clock, and within which bounds."""
        words = doing.encode("utf-8", "backslashreplace")[: _PAGE - _HEAD.size]
        now, used = time.monotonic(), time.process_time()
        self._page[: _HEAD.size] = _HEAD.pack(deadline, now, used, seconds, memory, len(words))
        self._page[_HEAD.size : _HEAD.size + len(words)] = words

    def read(self) -> tuple[float, int, int, str]:
        """The same, from bytes that an untrusted process may have written: nothing else in them is trusted."""
        deadline, _, _, seconds, memory, length = _HEAD.unpack(self._page[: _HEAD.size])
        words = self._page[_HEAD.size : _HEAD.size + min(length, _PAGE - _HEAD.size)]
        return deadline, seconds, memory, words.decode("utf-8", "replace")

    def written(self) -> tuple[float, float]:
        """When that was written, and the processor time that had been used by then."""
        _, now, used, *_ = _HEAD.unpack(self._page[: _HEAD.size])
        return now, used


class _Child:
    """The current process as a child, if it is one."""

    board: _Board | None = None
    doing = ""
    depth = 0
    ends = False
    """Whether what it does outside of runs has an end, too."""


def can_contain() -> bool:
    """Whether this system can: it has `fork`, and limits."""
    return hasattr(os, "fork") and sys.platform != "win32"


def is_contained() -> bool:
    """Whether this process is a child that can be ended."""
    return _Child.board is not None


def doing(what: str) -> None:
    """Record what has begun, so that a parent that ends the process can name it."""
    _Child.doing = what


@contextmanager
def bounded(budget: Budget) -> Iterator[None]:
    """Inside, the kernel ends this process if it is a contained one and uses more than `budget`; else nothing."""
    board = _Child.board
    if board is None or _Child.depth:
        yield
        return
    seconds, memory = budget.limits["seconds"], budget.limits["memory"]
    _Child.depth += 1
    _limit("RLIMIT_CPU", int(_used() + seconds) + 1 + GRACE)
    _limit("RLIMIT_AS", _address_space() + memory + HEADROOM + (1 << 30))
    board.write(time.monotonic() + WAITING * seconds + PATIENCE, seconds, memory, _Child.doing)
    try:
        yield
    finally:
        _Child.depth -= 1
        _limit("RLIMIT_CPU", None)
        _limit("RLIMIT_AS", None)
        board.write(0.0, seconds, memory, _Child.doing)
        if _Child.ends:
            bound_rest(seconds)


def bound_rest(least: int = 0) -> None:
    """From now on the kernel ends this process, if it is a contained one, when it works so long outside of runs."""
    board = _Child.board
    if board is not None:
        seconds = max(least, REST)
        _Child.ends = True
        _limit("RLIMIT_CPU", int(_used() + seconds) + 1)
        board.write(0.0, seconds, board.read()[2], _Child.doing)


def _used() -> float:
    """Seconds of the processor that this process has taken."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _used_by(process: int) -> float | None:
    """The processor time that another process has taken; nothing where that is not to be had."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime(~process << 3 | 2)  # its clock, as `clock_getcpuclockid(3)` names it
    except OSError:
        return None


def _limit(name: str, most: int | None) -> None:
    """Set a soft limit, as far as the hard one allows; or take it back."""
    import resource

    kind = getattr(resource, name, None)
    if kind is None:
        return
    _, hard = resource.getrlimit(kind)
    if most is None:
        soft = hard
    elif hard == resource.RLIM_INFINITY:
        soft = most
    else:  # at the hard limit of time the kernel kills, and nobody can say where
        soft = min(most, max(1, hard - 1) if name == "RLIMIT_CPU" else hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (soft, hard))


def _address_space() -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 1 << 31


def _become_child(board: _Board, stack: int, dies_along: bool) -> None:
    """In the child: bounds that hold from the beginning; the parent's end is its own, if it `dies_along`."""
    import faulthandler

    _Child.board = board
    _Child.depth = 0
    _Child.ends = False
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_NOFILE", OPEN_FILES)
    _limit("RLIMIT_FSIZE", FILE_BYTES)
    if hasattr(signal, "SIGXCPU"):
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        faulthandler.register(signal.SIGXCPU, file=stack, all_threads=True, chain=True)
        if hasattr(signal, "SIGUSR2"):
            faulthandler.register(signal.SIGUSR2, file=stack, all_threads=True)
    if dies_along and sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


class Child:
    """A child process as its parent has it: the page that both see, the file of its stack, and how it is ended."""

    def __init__(self) -> None:
        self._board = _Board()
        self._stack = _nameless()
        self._late = False
        self._looked = (0.0, 0.0)
        """When was last looked at what it uses of the processor, and how much that was."""
        self._more = 0.0
        self.number = 0

    def begin(self, work: Callable[[], int], speaks: bool = True) -> None:
        """Fork it, to do `work`, which says its status.

        If it `speaks`, what is in its streams is written at its end, and so is an exception that nobody expected; else
        its parent is to say it (`doing`).
        """
        parent = os.getpid()
        dies_along = _is_main_thread()  # else it would end with the thread that began it
        self.number = os.fork()
        if self.number == 0:
            _run_as_child(self._board, self._stack, parent if dies_along else 0, work, speaks)

    def left(self) -> float:
        """Seconds until its deadline; one, where it has none now."""
        deadline = self._board.read()[0]
        return max(deadline, self._more) - time.monotonic() if deadline else 1.0

    def end_if_late(self) -> None:
        """Kill it, if its deadline is over and it does not work, however slowly."""
        if self.left() > 0 or self._is_given_more():
            return
        self._late = True
        with suppress(ProcessLookupError):
            if hasattr(signal, "SIGUSR2"):
                os.kill(self.number, signal.SIGUSR2)  # where it is, before it goes
                time.sleep(0.05)
            os.kill(self.number, signal.SIGKILL)

    def _is_given_more(self) -> bool:
        """Whether it waits for nothing but the processor: on a machine that has far more to do than it can."""
        used = _used_by(self.number)
        if used is None:
            return False
        now = time.monotonic()
        at, before = max(self._looked, self._board.written())
        self._looked = now, used
        if used - before < WORKING * (now - at):
            return False
        self._more = now + LOOK
        return True

    def doing(self) -> str:
        """What it said last that it does."""
        return self._board.read()[3]

    def ended(self) -> Ended:
        """How it came to its end, which is waited for.  It is to be asked once."""
        try:
            _, ended = os.waitpid(self.number, 0)
            return _verdict(ended, self._late, self._board, self._stack)
        finally:
            os.close(self._stack)


def in_child(work: Callable[[], int]) -> Ended:
    """Do `work`, which says a status, in a child with this process's streams; and say how that ended."""
    child = Child()
    child.begin(work)
    alarm = _Alarm(child.number)
    interrupted = signal.getsignal(signal.SIGINT)

    def pass_on(*_: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child.number, signal.SIGINT)

    is_main = _is_main_thread()
    if is_main:
        signal.signal(signal.SIGINT, pass_on)
    try:
        while not alarm.wait(child.left()):
            child.end_if_late()
        return child.ended()
    finally:
        if is_main:
            signal.signal(signal.SIGINT, interrupted)
        alarm.close()


def _run_as_child(board: _Board, stack: int, parent: int, work: Callable[[], int], speaks: bool) -> NoReturn:
    status = 3
    try:
        _become_child(board, stack, bool(parent))
        if not parent or os.getppid() == parent:
            status = work()
    except BaseException as problem:
        if isinstance(problem, SystemExit) and isinstance(problem.code, int):
            status = problem.code
        elif speaks:
            sys.excepthook(*sys.exc_info())
        else:
            board.write(0.0, 0, 0, f"{_Child.doing or 'working'}: {type(problem).__name__}: {problem}")
    finally:
        with suppress(BaseException):
            for stream in (sys.stdout, sys.stderr) if speaks else ():
                stream.flush()
        os._exit(status)


def _is_main_thread() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()


class _Alarm:
    """Waits for the end of a child, without asking again and again where the system can tell."""

    def __init__(self, child: int) -> None:
        self._child = child
        self._descriptor: int | None = None
        with suppress(OSError, AttributeError):
            self._descriptor = os.pidfd_open(child)

    def wait(self, seconds: float) -> bool:
        """Whether the child has ended, at the latest when some seconds are over."""
        seconds = max(0.0, min(seconds, 1.0))
        if self._descriptor is not None:
            import select

            poll = select.poll()
            poll.register(self._descriptor, select.POLLIN)
            return bool(poll.poll(seconds * 1000))
        until = time.monotonic() + seconds
        while not os.waitid(os.P_PID, self._child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if time.monotonic() >= until:
                return False
            time.sleep(0.002)
        return True

    def close(self) -> None:
        """It is over."""
        if self._descriptor is not None:
            os.close(self._descriptor)


def _verdict(ended: int, late: bool, board: _Board, stack: int) -> Ended:
    if os.WIFEXITED(ended) and not late:
        return Ended(os.WEXITSTATUS(ended))
    number = os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else 0
    _, seconds, _, what = board.read()
    words = _words(what, _place(stack)) or "a run"
    problem: Diagnostic
    if late:
        problem = OverBudget("seconds", seconds, words).with_note(
            f"the process was idle: it was stopped after {WAITING * seconds + PATIENCE:,} seconds of wall-clock time"
        )
    elif number == getattr(signal, "SIGXCPU", None):
        problem = OverBudget("seconds", seconds, words).with_note(
            "a single operation, which cannot be interrupted, exceeded the remaining time; the process was stopped"
        )
    elif number == getattr(signal, "SIGKILL", None):
        problem = Crashed(
            f"was ended by {_name_of(number)}",
            words,
            "the signal came from outside, for example because the system ran out of memory",
        )
    else:
        return Ended(None, Crashed(f"was ended by {_name_of(number)}", words))
    return Ended(1, problem)


class Crashed(Diagnostic):
    """The process that did the work died of a signal: a bug of ours, or of Python."""

    code = "W011"

    def __init__(self, end: str, words: str, why: str = "this is a bug in wherefrom or in Python") -> None:
        super().__init__(f"the worker process {end} while {words}")
        self.notes.append(f"{why}; its partial results are discarded")


class Stopped(WherefromError):
    """A contained question has no answer: `problem` says why."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(str(problem))
        self.problem = problem


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def at_work(thread: int | None) -> str:
    """What a thread of this process is at, in the words that are said of a child that was ended."""
    frame = None if thread is None else sys._current_frames().get(thread)
    frames: list[tuple[str, str, str]] = []
    while frame is not None:
        line = frame.f_lineno or ""  # between two lines there is none
        frames.append((frame.f_code.co_filename, str(line), frame.f_code.co_name))
        frame = frame.f_back
    return _words(_Child.doing, _innermost(frames))


def _words(what: str, where: str | None) -> str:
    return f"{what}{f', in {where}' if where else ''}"


def _place(stack: int) -> str | None:
    """The innermost function of ours in the stack that the child wrote while it worked."""
    data = os.pread(stack, 1 << 16, 0).decode("utf-8", "replace")
    for thread in re.split(r"^(?:Current thread|Thread) .*$", data, flags=re.M):
        matches = [frame for frame in map(_FRAME.match, lines_of(thread)) if frame is not None]
        frames = [(frame[1], frame[2], frame[3]) for frame in matches]
        if not any(name == "_wait" and file.endswith("deep.py") for file, _, name in frames):
            place = _innermost(frames)
            if place is not None:
                return place
    return None


def _innermost(frames: Iterable[tuple[str, str, str]]) -> str | None:
    """Of a stack (files, lines and functions, the innermost first) the first function of ours that says the most."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    ours = [frame for frame in frames if frame[0].startswith(package)]
    shared = tuple(f"{package}{room}{os.sep}" for room in SHARED)
    first = next((frame for frame in ours if not frame[0].startswith(shared)), ours[0] if ours else None)
    if first is None:
        return None
    file, line, name = first
    return f"`{name}` ({file.removeprefix(package)}{f':{line}' if line else ''})"


def _nameless() -> int:
    """A file in memory, which the child writes to and the parent reads."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("wherefrom-stack")
    from .folder import scratch_file

    return scratch_file()
