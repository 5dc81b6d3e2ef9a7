"""Secrets in what is written: what is known to be a secret is in no text of ours.

A run knows the values that it may not show: sensitive ones, and decrypted data. Values are held back where they are
asked for; but a secret may also stand in a line of source that an answer quotes, inside of a longer text, or in an
error. So everything that a command writes is searched as well. Each secret is replaced wherever it occurs: as it is, as
JSON, YAML, HTML and Puppet quote it, and line by line if it has several. A secret of fewer than `SHORTEST` characters
can not be found so without spoiling everything else; it is held back as a value alone.

A document (JSON, YAML, SARIF, a page, a drawing) is searched before it is written down: `Secrets.redacted_data` goes
through its values, and the writer gets what is left of them, so that a document is one whatever the secrets are. Only
text that people read, in which nothing has a form, is searched as text (`Secrets.redacted`). Names of fields stay:
`NAME` says what is one. So do numbers, which are places and counts far more often than values, unless one stands under
the name of a value.

A run that fails has no outcome to ask. Whoever makes a secret therefore says so at once (`learn`), and whoever is about
to write knows it (`learning`), whatever happened in between. What is computed from a secret is learned as well, as
`derived`: which values are, their origins say (`wherefrom.provenance.secrecy`).

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
from .source import pieces_of

SHORTEST = 4
SHORTEST_LINE = 8
SHORTEST_DERIVED = 6
"""Characters of a text that was computed from a secret: shorter ones are words of every language."""
REDACTED = "(sensitive)"
LONGEST_NAME = 100
"""Characters of a text that may be told as a name, in small letters."""
CUT = "…"
"""Stands where the rest of a text was cut off."""

FEW = 64
"""Secrets that are looked for one by one to see whether any is there at all: mostly none is, and that is quick."""

WIDEST = 200
"""Characters beside it that are looked at."""

NAME = re.compile(r"[A-Za-z_$]+")
"""What the name of a field of a document looks like.  Such keys are left alone: a hash that has a secret for a key is
held back where it is asked for."""

VALUES = frozenset(("value", "before", "after", "shown"))
"""Names of fields under which a number is a value."""


class Secrets:
    """Texts that must not be written."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._texts: set[str] = set()
        self._search: _Search | None = None
        self.add(secrets)

    def __bool__(self) -> bool:
        return bool(self._texts)

    def add(self, secrets: Iterable[str]) -> None:
        """Some more."""
        for secret in secrets:
            if len(secret.strip()) >= SHORTEST:
                self._texts.update((secret, secret.strip()))
            self._texts.update(line.strip() for line in pieces_of(secret) if len(line.strip()) >= SHORTEST_LINE)
        self._search = None

    def redacted(self, text: str, masked: bool = False) -> str:
        """`text` without them; `masked`: with as many characters, so that places in it stay where they are."""
        if not self._texts or len(text) < SHORTEST:
            return text
        return self._all.redacted(text, masked)

    @property
    def _all(self) -> _Search:
        if self._search is None:
            self._search = _Search({form for text in self._texts for form in _forms(text)})
        return self._search

    def are_in(self, value: object) -> bool:
        """Whether some of them are shown by plain data."""
        return bool(self.redacted_data(value) != value)

    def redacted_data(self, value: object, masked: bool = False, numbers: bool = True) -> Any:
        """The same for plain data: the texts in it, and with `numbers` those that are values.

        Most data has no secret in it, which is found out at once.
        """
        if not self._texts:
            return value
        texts = [text for text in _written_texts(value) if len(text) >= SHORTEST]
        search = self._all.narrowed("\0".join(texts))
        if search is None:
            return value
        hiding = _Hiding(search, self._all, masked, numbers, self._texts)
        try:
            return hiding.hidden(value, not isinstance(value, dict))
        except RecursionError:
            from .deep import with_deep_stack

            return with_deep_stack(lambda: hiding.hidden(value, not isinstance(value, dict)))


class _Hiding:
    """Goes through plain data and replaces what `search` finds."""

    def __init__(self, search: _Search, everything: _Search, masked: bool, numbers: bool, texts: set[str]) -> None:
        self._search = search
        self._all = everything
        self._masked = masked
        self._numbers = numbers
        self._texts = texts

    def hidden(self, value: object, inside: bool) -> Any:
        """The same without secrets.  `inside` of a value, numbers are values."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list | tuple):
            return [self.hidden(part, inside) for part in value]
        if isinstance(value, dict):
            return self._entries(value, inside)
        if self._numbers and inside and isinstance(value, int | float) and not isinstance(value, bool):
            text = repr(value)
            return ("*" * len(text) if self._masked else REDACTED) if text in self._texts else value
        return value

    def _text(self, text: str) -> str:
        if len(text) < SHORTEST or text == REDACTED:
            return text
        return (self._all if CUT in text else self._search).redacted(text, self._masked)

    def _entries(self, value: dict[Any, Any], inside: bool) -> dict[Any, object]:
        entries: dict[Any, object] = {}
        for key, part in value.items():
            redacted_key = key
            if isinstance(key, str) and NAME.fullmatch(key) is None:
                redacted_key = self._text(key)
                number = 1
                while redacted_key != key and redacted_key in entries:  # two keys that are not shown are two keys
                    number += 1
                    redacted_key = f"{self._text(key)} {number}"
            entries[redacted_key] = self.hidden(part, inside or key in VALUES)
        return entries


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

    def narrowed(self, text: str) -> _Search | None:
        """What finds those that are in `text`, which is many texts one after the other; nothing if none is."""
        budget = current()
        if CUT in text or any("\0" in secret for secret in self._texts):
            return self
        if len(self._texts) <= FEW:
            budget.draw("steps", len(self._texts), "hiding secrets in what is written")
            there = {secret for secret in self._texts if secret in text}
        else:
            there = {text[start:end] for start, end in self._whole(text)}
        return _Search(there) if there else None

    def redacted(self, text: str, masked: bool = False) -> str:
        """`text` without what is there in it."""
        pieces: list[str] = []
        end = 0
        for start, after in self.places(text):
            pieces += (text[end:start], "*" * (after - start) if masked else REDACTED)
            end = after
        return "".join([*pieces, text[end:]]) if pieces else text

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
                there = text[at : at + length]  # which is shorter at the end of the text
                if there in self._texts:
                    end = at + len(there)
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


def _written_texts(value: object) -> Iterator[str]:
    """Every text, key and number in plain data, as text."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list | tuple):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, int | float):
            yield repr(item)


def texts_in(value: Any) -> set[str]:
    """Every text and number in a value, as text; parts that are shared are looked at once.

    A value of another kind that is written as a text of its own (bytes as base 64) says so by `texts_shown`.
    """
    secrets: set[str] = set()
    for item in parts_of(value):
        if isinstance(item, str):
            secrets.add(item)
        elif isinstance(item, int | float) and not isinstance(item, bool):
            secrets.add(str(item))
        else:
            secrets.update(getattr(item, "texts_shown", tuple)())
    return secrets


PLAIN = frozenset({str, bool, int, float, type(None)})
"""Types of values that have nothing in them."""


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


class Learned:
    """What has turned out to be secret: `values`, and what was computed from them, `derived`.

    `opened` counts how often a value was taken out of what hides it: before, nothing can have been computed from one.
    `public` are texts that were computed from secrets and may be seen all the same.
    """

    __slots__ = ("derived", "opened", "public", "secrecy", "values")

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.derived: list[object] = []
        self.opened = 0
        self.public: set[str] = set()
        self.secrecy: Any = None
        """Which values were computed from secrets (`wherefrom.provenance.secrecy`), once somebody asks."""

    def texts(self, derived: bool = True, known: tuple[int, int] = (0, 0)) -> set[str]:
        """The texts of it, with those that were computed from secrets or without; of values after the `known` ones."""
        texts = texts_in(self.values[known[0] :])
        if derived:
            more = {text for text in texts_in(self.derived[known[1] :]) if len(text) >= SHORTEST_DERIVED}
            texts |= more - self.public
        names = {text.lower() for text in texts if len(text) <= LONGEST_NAME and not text.islower()}
        return texts | (names - self.public)

    @property
    def count(self) -> tuple[int, int]:
        """How many values of both kinds there are."""
        return len(self.values), len(self.derived)

    def add(self, other: Learned) -> None:
        """What somebody else has learned."""
        self.values += other.values
        self.derived += other.derived
        self.public |= other.public
        self.opened += other.opened


_LEARNED: ContextVar[Learned | None] = ContextVar("wherefrom.secrets", default=None)


def learn(secret: object) -> None:
    """Say that a value is a secret, in case somebody is `learning`."""
    learned = _LEARNED.get()
    if learned is not None and secret is not REDACTED:
        current().draw("elements", 1, "remembering secrets")
        learned.values.append(secret)


def opened() -> None:
    """Say that a value was taken out of what hides it."""
    learned = _LEARNED.get()
    if learned is not None:
        learned.opened += 1


def learned_now() -> Learned | None:
    """What was learned in the run that is going on; nothing if nobody is `learning`."""
    return _LEARNED.get()


@contextmanager
def learning() -> Iterator[Learned]:
    """What is learned while the block runs; enclosing blocks learn it too."""
    learned = Learned()
    before = _LEARNED.get()
    token = _LEARNED.set(learned)
    try:
        yield learned
    finally:
        _LEARNED.reset(token)
        if before is not None:
            before.add(learned)


class Secret(str):
    """The value of something that may not be shown: looks like any other secret, and is equal to the same one alone.

    `raw` is that value; of a text that has a secret in it, `shown` is what may be seen.
    """

    _digest: bytes
    raw: Any

    def __new__(cls, value: object, shown: str = REDACTED) -> Secret:
        from hashlib import blake2b

        text = super().__new__(cls, shown)
        text.raw = value
        text._digest = blake2b(repr(value).encode("utf-8", "surrogateescape")).digest()
        return text

    def __eq__(self, other: object) -> bool:
        return self._digest == other._digest if isinstance(other, Secret) else str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(REDACTED)

    def __reduce__(self) -> Any:
        return str, (str(self),)  # what is written somewhere knows no secret

    def __str__(self) -> str:
        return str.__str__(self)


def raw(value: object) -> Any:
    """A value with its secrets, for callers that inspect it and show nothing of it."""
    return value.raw if isinstance(value, Secret) else value
