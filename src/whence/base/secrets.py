"""Secrets in texts: whatever is written, what is known to be a secret is not in it.

A run knows the values that it may not show: sensitive ones, and decrypted data. Values are held back where they are
asked for; but a secret may also stand in a line of source that an answer quotes, inside of a longer text, or in an
error. So everything that a command writes passes `Secrets.redacted` as well, which replaces each secret wherever it
occurs, as it is, as JSON writes it, and line by line if it has several. A secret of fewer than `SHORTEST` characters
can not be found so without spoiling everything else; it is held back as a value alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

SHORTEST = 4
SHORTEST_LINE = 8
REDACTED = "(sensitive)"


class Secrets:
    """Texts that must not be written."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._texts: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self.add(secrets)

    def __bool__(self) -> bool:
        return bool(self._texts)

    def add(self, secrets: Iterable[str]) -> None:
        """Some more."""
        for secret in secrets:
            if len(secret.strip()) >= SHORTEST:
                self._texts.update((secret, secret.strip()))
            self._texts.update(line.strip() for line in secret.splitlines() if len(line.strip()) >= SHORTEST_LINE)
        self._pattern = None

    def redacted(self, text: str, masked: bool = False) -> str:
        """`text` without them; `masked`: with as many characters, so that places in it stay where they are."""
        if not self._texts:
            return text
        if self._pattern is None:
            forms = {form for text in self._texts for form in (text, json.dumps(text)[1:-1], _json(text))}
            self._pattern = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))))
        if masked:
            return self._pattern.sub(lambda secret: "*" * len(_plain(secret[0])), text)
        return self._pattern.sub(REDACTED, text)

    def redacted_bytes(self, data: bytes, masked: bool = False) -> bytes:
        """The same for what is written as bytes."""
        if not self._texts:
            return data
        text = data.decode("utf-8", "surrogateescape")
        return self.redacted(text, masked).encode("utf-8", "surrogateescape")


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _plain(text: str) -> str:
    """A text as it was before JSON wrote it, as far as it is one."""
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def texts_in(value: Any) -> set[str]:
    """Every text and number in a value, as text."""
    secrets: set[str] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            secrets.add(item)
        elif isinstance(item, list | tuple):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, int | float) and not isinstance(item, bool):
            secrets.add(str(item))
    return secrets


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
