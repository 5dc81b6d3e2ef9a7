"""Which values were computed from secrets, and what of them may be seen.

A secret is hidden by its type, or it was decrypted. A program can take it out (`unwrap`) and compute with it: what
comes of that is as secret, whatever it looks like (`upcase($password.unwrap)`, a digest, three characters of it). The
origin of a value says so: somewhere on the way from its inputs a transfer `Opened` what was hidden, or one of the
inputs was `Decrypted`. Only data counts here, not decisions: of `if $password.unwrap == '' { 'a' } else { 'b' }` the
letter is not secret.

Of a text that was put together from parts, those that are no secrets may be seen, so that a file with a password in it
remains a file; of an array or a hash, the elements.

    Secrecy().shown(['a', 'B2'], origins)   # ['a', '(sensitive)']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.secrets import REDACTED, Learned, learned_now
from .operations import Op, Opened
from .origins import Copy, Items, LaterItems, Leaf, Origin, Step, spine
from .rendered import Rendered

if TYPE_CHECKING:
    from ..base.source import Span

NESTED = 40
"""Texts within texts whose parts are looked at; below, a text with a secret in it is not shown at all."""


OPENED = Opened("unwrap")


def openings() -> int:
    """How often a secret was taken out of what hides it, in the run that is going on."""
    learned = learned_now()
    return 0 if learned is None else learned.opened


class Decrypted(Leaf):
    """An input that was decrypted."""

    __slots__ = ()


class Filled(Step):
    """A text that was put together from parts, some of which are secret: how many characters each has."""

    __slots__ = ("lengths",)

    def __init__(self, op: Op, inputs: tuple[Origin, ...], span: Span | None, lengths: Sequence[int]) -> None:
        super().__init__(op, inputs, span)
        self.lengths = lengths


class Secrecy:
    """Answers for the origins of one run, each of which is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Origin, bool]] = {}  # the origin too, so that no identity is used again

    def is_secret(self, origin: Origin) -> bool:
        """Whether a value was computed from a secret."""
        known = self._known
        inside = _inside(origin)
        if inside is None or isinstance(inside, Leaf):
            return inside is None or isinstance(inside, Decrypted)
        stack = [inside]
        while stack:
            here = stack[-1]
            if id(here) in known:
                stack.pop()
                continue
            secret = False
            missing: list[Origin] = []
            for source in map(_inside, _data(here)):
                if source is None or isinstance(source, Decrypted):
                    secret = True
                elif not isinstance(source, Leaf):
                    known_secrecy = known.get(id(source))
                    if known_secrecy is None:
                        missing.append(source)
                    else:
                        secret = secret or known_secrecy[1]
                if secret:
                    break
            if missing and not secret:
                stack += missing
                continue
            known[id(here)] = here, secret
            stack.pop()
        return known[id(inside)][1]

    def shown(self, value: object, origin: Origin) -> Any:
        """A value as it may be shown: parts computed from a secret are `REDACTED`."""
        if value is None or not self.is_secret(origin):
            return value
        if isinstance(value, str):
            return self.text(value, origin)
        inside = _inside(origin)
        if isinstance(inside, Items) and not self.is_secret(inside.own):
            elements = inside.elements
            if isinstance(value, list) and isinstance(elements, Sequence) and len(elements) == len(value):
                return [self.shown(part, of_part) for part, of_part in zip(value, elements)]
            if isinstance(value, dict) and isinstance(elements, Mapping):
                return {
                    key: self.shown(part, elements[key]) if key in elements else REDACTED for key, part in value.items()
                }
        return REDACTED

    def text(self, text: str, origin: Origin, start: int = 0, end: int | None = None, nested: int = 0) -> str:
        """What may be seen of a text, or of its characters `[start, end)`."""
        end = len(text) if end is None else end
        if not self.is_secret(origin):
            return text[start:end]
        pieces: list[str] = []
        at = 0
        for length, part, is_open in self._parts(origin) if nested < NESTED else ():
            first, last = max(start, at), min(end, at + length)
            if first < last:
                if is_open and not self.is_secret(part):
                    pieces.append(text[first:last])
                elif not is_open:
                    pieces.append(REDACTED)
                else:
                    pieces.append(self.text(text[at : at + length], part, first - at, last - at, nested + 1))
            at += length
        return "".join(pieces) if at == len(text) and text else REDACTED

    def secret_parts(self, value: object, origin: Origin, nested: int = 0) -> Iterator[object]:
        """What of a value is not shown: of texts and composites, the parts that were computed from secrets."""
        if value is None or not self.is_secret(origin):
            return
        if isinstance(value, str):
            parts = [*self._parts(origin)] if nested < NESTED else []
            if not parts or sum(length for length, _, _ in parts) != len(value):
                yield value
                return
            at = 0
            for length, part, is_open in parts:
                if not is_open:
                    yield value[at : at + length]
                else:
                    yield from self.secret_parts(value[at : at + length], part, nested + 1)
                at += length
            return
        inside = _inside(origin)
        if nested < NESTED and isinstance(inside, Items) and not self.is_secret(inside.own):
            elements = inside.elements
            if isinstance(value, list) and isinstance(elements, Sequence) and len(elements) == len(value):
                for part, of_part in zip(value, elements):
                    yield from self.secret_parts(part, of_part, nested + 1)
                return
            if isinstance(value, dict) and isinstance(elements, Mapping):
                for key, part in value.items():
                    if key in elements:
                        yield from self.secret_parts(part, elements[key], nested + 1)
                    else:
                        yield part
                return
        yield value

    def _parts(self, origin: Origin) -> Iterable[tuple[int, Origin, bool]]:
        """The parts of a text: their lengths and origins, and whether what is in them can be told at all."""
        inside = _inside(origin)
        if isinstance(inside, Filled):
            return [(length, part, True) for length, part in zip(inside.lengths, inside.inputs)]
        if isinstance(inside, Rendered):
            items = inside.inputs[0]
            assert isinstance(items, Items)
            # Where code between the parts had a secret in hand, any text that is not written there may be made of it.
            closed = self.is_secret(items.own)
            assert isinstance(items.elements, Sequence)
            return [
                (length, part, not closed or isinstance(_inside(part), Leaf))
                for length, part in zip(inside.lengths, items.elements)
            ]
        return ()


def _inside(origin: Origin) -> Origin | None:
    """What a value is a copy of; nothing if it was taken out of what hid it."""
    *passed, inner = spine(origin)
    taken_out = any(isinstance(here, Copy) and isinstance(here.how, Opened) for here in passed)
    return None if taken_out else inner


def _data(origin: Origin) -> Iterable[Origin]:
    """What a value was made of: decisions aside."""
    match origin:
        case Step():
            yield from origin.inputs
        case Items():
            yield origin.own
            elements = origin.telling if isinstance(origin, LaterItems) else origin.elements
            yield from elements.values() if isinstance(elements, Mapping) else elements
        case _:
            pass


def secrecy_now() -> tuple[Learned, Secrecy] | None:
    """Who can tell what was computed from a secret in the run that is going on; nothing if none was opened yet."""
    learned = learned_now()
    if learned is None or not learned.opened:
        return None
    if learned.secrecy is None:
        learned.secrecy = Secrecy()
    return learned, learned.secrecy


def is_secret_now(origin: Origin) -> bool:
    """Whether a value of the run that is going on was computed from a secret."""
    telling = secrecy_now()
    return telling is not None and telling[1].is_secret(origin)


def note_derived(value: object, origin: Origin) -> None:
    """Remember a value that was computed from a secret, so that errors of a run that fails hide it too."""
    telling = secrecy_now()
    if telling is not None and telling[1].is_secret(origin):
        telling[0].derived.append(value)


def note_given(values: Sequence[Any], origins: Sequence[Origin]) -> None:
    """The same for the arguments of a call that failed and may say them."""
    telling = secrecy_now()
    if telling is not None:
        learned, secrecy = telling
        learned.derived += [value for value, origin in zip(values, origins) if secrecy.is_secret(origin)]


def filled(op: Op, texts: Sequence[str], origins: Sequence[Origin], span: Span | None) -> Step:
    """The origin of a text that was put together from others: with their lengths, where one of them is secret."""
    telling = secrecy_now()
    if telling is not None:
        learned, secrecy = telling
        secret = [text for text, origin in zip(texts, origins) if secrecy.is_secret(origin)]
        if secret:
            learned.derived += secret
            return Filled(op, tuple(origins), span, [len(text) for text in texts])
    return Step(op, tuple(origins), span)
