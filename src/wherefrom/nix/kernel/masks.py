"""Dependency by masks: every input of the user has a bit, and every thunk keeps the union of what computing it used.

Recording every step of a run answers *how* a value came about, at several times the price of evaluation. Which inputs
a value *depends on* is a smaller question, and dynamic taint tracking answers it at little more than the price of
evaluation. A masked run holds one accumulator, `Masks.used`. Whoever reads an input (a literal, a definition, the names
of a set, a file, an argument) adds its bit to the accumulator. Forcing a thunk saves the accumulator, clears it, runs
the thunk's code, keeps what has gathered in the thunk's `origin`, and adds that to what was saved; forcing it again
only adds it. For

    let port = 80; tls = true; in { url = "http:${toString port}"; ports = if tls then [ 443 ] else [ port ]; }

the thunk of `url` keeps the bits of its own definition, of the texts in it, of the definition of `port` and of `80`.
The thunk of `ports` keeps those of `tls` and of `[ 443 ]`; its element keeps that of `443`.

What a value depends on is the union of the masks of all slots on the way to it from the root of the outcome. The last
slot's mask is called its *value*, the others' union its *shape*: whatever decided that there is such an attribute or
element at all, and which one it is. The claim rests on this: a computation can get hold of a slot only through values
that it forced itself, or that were forced by the computation that made it; and it was itself got hold of through the
result of that computation. So an input that decided *which* slot is read, and is not in the slot's own mask, is in the
mask of a container on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from . import operators
from .errors import InfiniteRecursion
from .runtime import ABSENT
from .values import Attrs, Slot, Thunk, Value, black_hole, delay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...base.source import SourceFile, Span


class MaskedInput(NamedTuple):
    """What a bit stands for."""

    kind: str
    """`literal`; `definition`, `names` (of a set), `elements` (of a list), `function` (its body): parts of a file that
    hold other inputs; `import`, a file as a program; or `file`, `argument`, `environment`."""
    name: str
    """The name of a definition, file, argument or variable."""
    source: SourceFile | None
    start: int = 0
    end: int = 0
    value: Any = None
    """The value of a literal or argument; of an import, whether the file is the user's."""


class Masks:
    """The inputs of one masked run, and the accumulator."""

    __slots__ = ("_bits", "_kept", "inputs", "names", "used")

    def __init__(self) -> None:
        self.used = 0
        """The inputs that the computation in progress has used."""
        self.inputs: list[MaskedInput] = []
        """What each bit stands for, from the lowest on."""
        self._bits: dict[tuple[str, str, str, int, int], int] = {}
        self._kept: dict[int, int] = {}
        self.names = names_for(self)
        """What generated code calls, in place of what looks at computed thunks without a word."""

    def bit(
        self, kind: str, name: str, source: SourceFile | None = None, start: int = 0, end: int = 0, value: object = None
    ) -> int:
        """The bit of an input."""
        key = kind, name, "" if source is None else source.name, start, end
        bit = self._bits.get(key)
        if bit is None:
            bit = self._bits[key] = 1 << len(self.inputs)
            self.inputs.append(MaskedInput(kind, name, source, start, end, value))
        return bit

    def use(self, kind: str, name: str) -> None:
        """The computation in progress reads something outside of the program."""
        self.used |= self.bit(kind, name)

    def kept(self, mask: int) -> int:
        """The one integer that stands for all equal masks: long ones are shared by very many thunks."""
        return self._kept.setdefault(mask, mask)

    def of(self, slot: Slot) -> int:
        """The mask of a slot that has been computed."""
        return slot.origin or 0 if type(slot) is Thunk else 0

    def named(self, mask: int) -> Iterator[MaskedInput]:
        """The inputs in a mask."""
        while mask:
            low = mask & -mask
            yield self.inputs[low.bit_length() - 1]
            mask ^= low

    def force(self, thunk: Thunk, code: Callable[..., Slot]) -> Value:
        """Compute a thunk, and keep in it what that used.  `Thunk.force` comes here in a masked run."""
        thunk.code = black_hole
        argument = thunk.value
        outer = self.used
        self.used = 0
        try:
            value = code() if argument is None else code(argument)
            if type(value) is Thunk:
                value = value.force()
        except BaseException as problem:
            thunk.code = code
            self.used |= outer | (thunk.origin or 0)  # code that catches the error depends on what led to it
            if type(problem) is InfiniteRecursion:
                problem.passed_through(code, argument)
            raise
        thunk.value = value
        thunk.code = None
        used = self.used
        if own := thunk.origin:
            used |= own
        if used:
            thunk.origin = self.kept(used)
        self.used = used | outer
        return value

    @contextmanager
    def apart(self) -> Iterator[None]:
        """A computation of its own, which begins with an empty accumulator."""
        outer, self.used = self.used, 0
        try:
            yield
        finally:
            self.used = outer


def names_for(masks: Masks) -> Mapping[str, object]:
    """What generated code calls in a masked run, in place of what looks at computed thunks without a word."""

    def force(slot: Slot) -> Value:
        if type(slot) is Thunk:
            if slot.code is None:
                if mine := slot.origin:
                    masks.used |= mine
                return slot.value
            return slot.force()
        return slot

    def select(subject: Slot, name: str, span: Span | None = None) -> Value:
        if type(subject) is Thunk:
            subject = force(subject)
        try:
            slot = subject.table[name]
        except (AttributeError, KeyError):
            operators.missing(subject, name, span)
        return force(slot)

    def select_two(subject: Slot, first: str, second: str, span: Span | None, span_two: Span | None) -> Value:
        return select(select(subject, first, span), second, span_two)

    def picked(held: tuple[Slot, str, Span, Span]) -> Value:
        subject, name, span, _ = held
        return select(subject, name, span)

    def picked_two(held: tuple[Slot, str, str, Span, Span, Span]) -> Value:
        subject, first, second, span, span_two, _ = held
        return select(select(subject, first, span), second, span_two)

    def taken(subject: Slot, name: str, code: Callable[[Slot], Slot]) -> Slot:
        """As `runtime.taken`, but a slot with a mask is handed on as it is, and a set with one is looked at later."""
        attrs = subject
        if type(attrs) is Thunk:
            if attrs.code is not None or attrs.origin:
                return delay(code, subject)
            attrs = attrs.value
        slot = attrs.table.get(name, ABSENT) if type(attrs) is Attrs else ABSENT
        if (type(slot) is Thunk and slot.code is None) or type(slot) in _AT_HAND:
            return slot
        return delay(code, subject)

    def noted(bit: int, value: Value) -> Value:
        masks.used |= bit
        return value

    def seen(bit: int) -> None:
        masks.used |= bit

    return {
        "force": force,
        "select": select,
        "select_two": select_two,
        "picked": picked,
        "picked_two": picked_two,
        "taken": taken,
        "noted": noted,
        "seen": seen,
        "passed": passed,
    }


_AT_HAND = frozenset((int, float, str, bool, type(None), Attrs))
"""Values of which it does not show whether two slots hold the same one."""


def passed(slot: Slot = None) -> Slot:
    """The code of the thunk of a definition whose value is a variable."""
    return slot
