"""Secrets in texts: whatever is written, what is known to be a secret is not in it.

A run knows the values that it may not show: sensitive ones, and decrypted data. Values are held back where they are
asked for; but a secret may also stand in a line of source that an answer quotes, inside of a longer text, or in an
error. So everything that a command writes passes `Secrets.redacted` as well, which replaces each secret wherever it
occurs: as it is, as JSON, YAML, HTML and Puppet write it, and line by line if it has several. A secret of fewer than
`SHORTEST` characters can not be found so without spoiling everything else; it is held back as a value alone.

A run that fails has no outcome to ask. Whoever makes a secret therefore says so at once (`learn`), and whoever is about
to write knows it (`learning`), whatever happened in between.

There may be very many secrets, and very long texts. A place where one may begin is found by the four sets of characters
that secrets begin with; there, as many lookups are made as secrets that begin so have different lengths. What that
takes is drawn from the budget.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

from .budget import current

SHORTEST = 4
SHORTEST_LINE = 8
REDACTED = "(sensitive)"
CUT = "…"
"""Stands where the rest of a text was cut off."""

FEW = 64
"""Secrets that are looked for one by one to see whether any is there at all: mostly none is, and that is quick."""

WIDEST = 200
"""Characters beside it that are looked at."""


class Secrets:
    """Texts that must not be written."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._texts: set[str] = set()
        self._search: _Search | None = None
        self.add(secrets)

    def __bool__(self) -> bool:
        return bool(self._texts)

    def beyond(self, others: Secrets) -> Secrets:
        """Those that are not among others."""
        more = Secrets()
        more._texts = self._texts - others._texts
        return more

    def is_same(self, others: Secrets) -> bool:
        """Whether these are the others."""
        return self._texts == others._texts

    def add(self, secrets: Iterable[str]) -> None:
        """Some more."""
        for secret in secrets:
            if len(secret.strip()) >= SHORTEST:
                self._texts.update((secret, secret.strip()))
            self._texts.update(line.strip() for line in secret.splitlines() if len(line.strip()) >= SHORTEST_LINE)
        self._search = None

    def redacted(self, text: str, masked: bool = False) -> str:
        """`text` without them; `masked`: with as many characters, so that places in it stay where they are."""
        if not self._texts or len(text) < SHORTEST:
            return text
        if self._search is None:
            self._search = _Search({form for text in self._texts for form in _forms(text)})
        pieces: list[str] = []
        end = 0
        for start, after in self._search.places(text):
            pieces += (text[end:start], "*" * len(_plain(text[start:after])) if masked else REDACTED)
            end = after
        return "".join([*pieces, text[end:]]) if pieces else text

    def redacted_data(self, value: Any, masked: bool = False, numbers: bool = True) -> Any:
        """The same for plain data: the texts in it, and its `numbers` unless they stand for something else."""
        if isinstance(value, str):
            return self.redacted(value, masked)
        if isinstance(value, list | tuple):
            return [self.redacted_data(part, masked, numbers) for part in value]
        if isinstance(value, dict):
            return {
                self.redacted(key, masked): self.redacted_data(part, masked, numbers) for key, part in value.items()
            }
        if numbers and isinstance(value, int | float) and not isinstance(value, bool):
            text = repr(value)
            told = self.redacted(text, masked)
            return value if told == text else told
        return value

    def redacted_bytes(self, data: bytes, masked: bool = False) -> bytes:
        """The same for what is written as bytes."""
        if not self._texts:
            return data
        text = data.decode("utf-8", "surrogateescape")
        told = self.redacted(text, masked)
        return data if told is text else told.encode("utf-8", "surrogateescape")


class _Search:
    """Finds any of many texts of at least `SHORTEST` characters: the first from the left, and of these the longest."""

    def __init__(self, texts: set[str]) -> None:
        self._texts = texts

    # What follows is worked out where it is needed: mostly no text has a secret in it, and few secrets are seen so.

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """How long the texts are that begin with some characters, longest first."""
        lengths: dict[str, set[int]] = {}
        for text in self._texts:
            lengths.setdefault(text[:SHORTEST], set()).add(len(text))
        return {start: sorted(several, reverse=True) for start, several in lengths.items()}

    @cached_property
    def _start(self) -> re.Pattern[str]:
        """Where one may begin."""
        columns = ("".join(sorted({start[at] for start in self._lengths})) for at in range(SHORTEST))
        return re.compile("".join(f"[{re.escape(column)}]" for column in columns))

    @cached_property
    def _forwards(self) -> list[str]:
        return sorted(self._texts)

    @cached_property
    def _backwards(self) -> list[str]:
        return sorted(text[::-1] for text in self._texts)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where they are: start and end, in order."""
        if len(self._texts) <= FEW and CUT not in text:
            current().draw("steps", len(self._texts), "hiding secrets in what is written")
            if not any(secret in text for secret in self._texts):
                return []
        whole = [*self._whole(text)]
        if CUT not in text:
            return whole
        places: list[tuple[int, int]] = []
        for start, end in sorted([*whole, *self._cut(text)]):  # a part of one may lie within another
            if places and start < places[-1][1]:
                places[-1] = places[-1][0], max(end, places[-1][1])
            else:
                places.append((start, end))
        return places

    def _cut(self, text: str) -> Iterator[tuple[int, int]]:
        """What a line that was cut has left of them: their beginnings before the mark, their ends after it."""
        at = text.find(CUT)
        while at >= 0:
            before = len(text[max(0, at - WIDEST) : at].rstrip()) + max(0, at - WIDEST)
            start = _overlap(text[max(0, before - WIDEST) : before], self._forwards)
            if start:
                yield before - start, before
            end = _overlap(text[at + 1 : at + 1 + WIDEST][::-1], self._backwards)
            if end:
                yield at + 1, at + 1 + end
            at = text.find(CUT, at + 1)

    def _whole(self, text: str) -> Iterator[tuple[int, int]]:
        budget = current()
        start = self._start.search(text)
        while start is not None:
            at = end = start.start()
            lengths = self._lengths.get(start[0], ())
            budget.draw("steps", 1 + len(lengths), "hiding secrets in what is written")
            for length in lengths:
                if text[at : at + length] in self._texts:
                    end = at + length
                    yield at, end
                    break
            start = self._start.search(text, max(end, at + 1))


def _overlap(text: str, texts: list[str]) -> int:
    """How many of the last characters of `text` one of `texts` (which are sorted) begins with."""
    current().draw("steps", len(text), "hiding secrets in what is written")
    for start in range(len(text) - SHORTEST + 1):
        rest = text[start:]
        at = bisect_left(texts, rest)
        if at < len(texts) and texts[at].startswith(rest):
            return len(rest)
    return 0


def _forms(text: str) -> Iterator[str]:
    """A text as it is, as Puppet and YAML quote it, and each of them as JSON and HTML write it."""
    from html import escape

    if text.isalnum():
        yield text
        return
    quoted = text.replace("'", "\\'")
    doubled = text.replace("\\", "\\\\")
    for form in {text, quoted, doubled.replace("'", "\\'"), doubled.replace('"', '\\"'), text.replace("'", "''")}:
        yield form
        yield json.dumps(form)[1:-1]
        yield json.dumps(form, ensure_ascii=False)[1:-1]
        yield escape(form)
        yield escape(form, quote=False)


def _plain(text: str) -> str:
    """A text as it was before JSON wrote it, as far as it is one."""
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def texts_in(value: Any) -> set[str]:
    """Every text and number in a value, as text; parts that are shared are looked at once."""
    secrets: set[str] = set()
    for item in parts_of(value):
        if isinstance(item, str):
            secrets.add(item)
        elif isinstance(item, int | float) and not isinstance(item, bool):
            secrets.add(str(item))
    return secrets


def parts_of(value: Any) -> Iterator[Any]:
    """A value and everything in it: elements of lists and tuples, values of hashes; what is shared comes once."""
    budget = current()
    seen: set[int] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list | tuple | dict):
            if id(item) in seen:
                continue
            seen.add(id(item))
            budget.draw("steps", 1 + len(item), "looking for secrets")
            stack.extend(item.values() if isinstance(item, dict) else item)
        yield item


# --- secrets of a run that may fail -----------------------------------------------------------------------------------

_LEARNED: ContextVar[list[Any] | None] = ContextVar("wherefrom.secrets", default=None)


def learn(secret: Any) -> None:
    """Say that a value is a secret, in case somebody is `learning`."""
    learned = _LEARNED.get()
    if learned is not None:
        current().draw("elements", 1, "remembering secrets")
        learned.append(secret)


@contextmanager
def learning() -> Iterator[list[Any]]:
    """What is learned while the block runs: values, of which `texts_in` tells the texts."""
    learned: list[Any] = []
    token = _LEARNED.set(learned)
    try:
        yield learned
    finally:
        _LEARNED.reset(token)


class Secret(str):
    """The value of something that may not be shown: looks like any other secret, and is equal to the same one alone."""

    _digest: bytes

    def __new__(cls, value: Any) -> Secret:
        from hashlib import blake2b

        text = super().__new__(cls, REDACTED)
        text._digest = blake2b(repr(value).encode("utf-8", "surrogateescape")).digest()
        return text

    def __eq__(self, other: object) -> bool:
        return self._digest == other._digest if isinstance(other, Secret) else str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(REDACTED)

    def __reduce__(self) -> Any:
        return str, (REDACTED,)  # what is written somewhere knows no secret
