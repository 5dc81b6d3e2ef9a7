"""`String#crypt` for the methods that are public specifications: MD5 (`$1$`), SHA-256 (`$5$`) and SHA-512 (`$6$`).

SHA-crypt follows Ulrich Drepper's "Unix crypt using SHA-256 and SHA-512"; the numbers in the comments are its steps.
The old method of Unix (DES) and those of other families (`$2b$`, `$y$`) are refused: the system's library has them.

>>> sha_crypt(b"Hello world!", "$5$saltstring")
'$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from ..classes import error, text_of
from ..errors import RubyRefused
from ..values import Value

_LETTERS = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ORDER_256 = (
    *(0, 10, 20, 21, 1, 11, 12, 22, 2, 3, 13, 23, 24, 4, 14),
    *(15, 25, 5, 6, 16, 26, 27, 7, 17, 18, 28, 8, 9, 19, 29),
)
_ORDER_MD5 = ((0, 6, 12), (1, 7, 13), (2, 8, 14), (3, 9, 15), (4, 10, 5))
LEAST, MOST, USUAL = 1_000, 999_999_999, 5_000
"""How many rounds SHA-crypt takes."""
AFFORDABLE = 200_000
"""More rounds than these are not computed."""
_SHA = re.compile(r"\$(?P<kind>[56])\$(?P<rounds>rounds=(?P<count>[1-9][0-9]*)\$)?(?P<salt>[^$]*)")
_MD5 = re.compile(r"\$1\$(?P<salt>[^$]*)")
_NEVER = re.compile(r"[^!-~]|[!*:;\\]")
"""What no salt may have in it."""
_OTHERS = re.compile(r"[./0-9A-Za-z]{2}|_|\$(?:2[abxy]?|3|7|y|gy|sha1|md5)\b")
"""The salts of other methods."""


def crypt(interpreter: Any, text: str, given: Value) -> str:
    """`text.crypt(salt)`"""
    setting = text_of(given)
    if len(setting.encode("utf-8", "surrogateescape")) < 2:
        raise error("ArgumentError", "salt too short (need >=2 bytes)")
    if "\0" in text or "\0" in setting:
        raise error("ArgumentError", "string contains null byte")
    word = text.encode("utf-8", "surrogateescape")
    failed = "*1" if setting.startswith("*0") else "*0"
    if _NEVER.search(setting):
        return failed
    if setting.startswith(("$5$", "$6$")):
        rounds = rounds_of(setting)
        if not LEAST <= rounds <= MOST:
            return failed
        if rounds > AFFORDABLE:
            raise RubyRefused(f"`crypt` with {rounds:,} rounds takes too long", interpreter.at)
        interpreter.budget.draw("steps", rounds + len(word), "hashing a password", interpreter.at)
        return sha_crypt(word, setting)
    if setting.startswith("$1$"):
        interpreter.budget.draw("steps", LEAST + len(word), "hashing a password", interpreter.at)
        return md5_crypt(word, setting)
    if _OTHERS.match(setting):
        words = f"`crypt` with the salt `{setting}` needs the system's C library, which is not used"
        raise RubyRefused(words, interpreter.at)
    return failed


def rounds_of(setting: str) -> int:
    """How many rounds a salt asks for; -1 if that is not a number."""
    match = _SHA.match(setting)
    assert match is not None
    if match["rounds"]:
        return int(match["count"][:12])
    return -1 if match["salt"].startswith("rounds=") else USUAL


def sha_crypt(word: bytes, setting: str) -> str:
    """SHA-crypt of a password; the setting has the method, perhaps the rounds, and the salt."""
    match, rounds = _SHA.match(setting), rounds_of(setting)
    assert match is not None
    make = hashlib.sha256 if match["kind"] == "5" else hashlib.sha512
    size = make().digest_size
    salt = match["salt"].encode("utf-8", "surrogateescape")[:16]
    twice = make(word + salt + word).digest()  # 4 to 8
    first = make(word + salt + _repeated(twice, len(word)))  # 1 to 3, 9 and 10
    bits = len(word)
    while bits:  # 11
        first.update(twice if bits & 1 else word)
        bits >>= 1
    digest = first.digest()  # 12
    words = _repeated(make(word * len(word)).digest(), len(word))  # 13 to 16
    salts = _repeated(make(salt * (16 + digest[0])).digest(), len(salt))  # 17 to 20
    for number in range(rounds):  # 21
        odd = number & 1
        parts = words if odd else digest
        parts += (salts if number % 3 else b"") + (words if number % 7 else b"")
        digest = make(parts + (digest if odd else words)).digest()
    text = _written_256(digest) if size == 32 else _written_512(digest)  # 22
    return f"${match['kind']}${match['rounds'] or ''}{salt.decode('utf-8', 'surrogateescape')}${text}"


def md5_crypt(word: bytes, setting: str) -> str:
    """The method of FreeBSD: a thousand rounds of MD5."""
    match = _MD5.match(setting)
    assert match is not None
    salt = match["salt"].encode("utf-8", "surrogateescape")[:8]
    first = hashlib.md5(word + b"$1$" + salt)
    first.update(_repeated(hashlib.md5(word + salt + word).digest(), len(word)))
    bits = len(word)
    while bits:
        first.update(b"\0" if bits & 1 else word[:1])
        bits >>= 1
    digest = first.digest()
    for number in range(1_000):
        odd = number & 1
        parts = word if odd else digest
        parts += (salt if number % 3 else b"") + (word if number % 7 else b"")
        digest = hashlib.md5(parts + (digest if odd else word)).digest()
    text = "".join(_letters([digest[place] for place in places], 4) for places in _ORDER_MD5)
    return f"$1${salt.decode('utf-8', 'surrogateescape')}${text}{_letters([digest[11]], 2)}"


def _repeated(block: bytes, length: int) -> bytes:
    """As much of a block, over and over, as fills the length."""
    return (block * (length // len(block) + 1))[:length]


def _letters(numbers: Sequence[int], count: int) -> str:
    """Bytes, the first of which counts most, as letters of six bits each, the last of which count most."""
    value = int.from_bytes(bytes(numbers), "big")
    return "".join(_LETTERS[value >> 6 * at & 63] for at in range(count))


def _written_256(digest: bytes) -> str:
    groups = [_ORDER_256[at : at + 3] for at in range(0, 30, 3)]
    return "".join(_letters([digest[place] for place in group], 4) for group in groups) + _letters(
        [digest[31], digest[30]], 3
    )


def _written_512(digest: bytes) -> str:
    text = ""
    for at in range(21):  # the three that stand together are turned round by one place every time
        places = (at, at + 21, at + 42)
        turn = at % 3
        text += _letters([digest[place] for place in (*places[turn:], *places[:turn])], 4)
    return text + _letters([digest[63]], 2)


__all__ = ["crypt"]
