"""Hashes in Nix's notations, and the arithmetic that turns them into store paths.

A store path is `/nix/store/` + 32 characters + `-` + name. The 32 characters are 160 bits, in Nix's own base 32, folded
out of a SHA-256 over a short text that says what the path holds (E. Dolstra, "The Purely Functional Software Deployment
Model", section 5.2; Nix manual, "store path specification"):

    type ":" "sha256:" inner-hash-in-base-16 ":" store-directory ":" name

where *type* is `source` (a file tree by its NAR hash), `text` (a file by its content), or `output:NAME` (what a
derivation builds), the first two followed by the paths that the content refers to. Nothing here touches a store: the
paths are those that real Nix would use.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable

from ...base.record import Record

STORE_DIR = "/nix/store"
HASH_SIZES = {"md5": 16, "sha1": 20, "sha256": 32, "sha512": 64}
_BASE32 = "0123456789abcdfghijklmnpqrsvwxyz"  # no e, o, t, u
_BASE32_VALUES = {char: value for value, char in enumerate(_BASE32)}
_NAME_CHARACTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-._?=")
_MAX_NAME = 211


class BadHash(Exception):
    """A text that is no hash, or not of the kind asked for.  The words are Nix's."""


class BadStorePath(Exception):
    """A name that can not be part of a store path.  The words are Nix's."""


class Hash(Record):
    """The digest `digest` made by `algorithm`."""

    algorithm: str
    digest: bytes

    @property
    def base16(self) -> str:
        """In hexadecimal, without the algorithm."""
        return self.digest.hex()

    @property
    def prefixed(self) -> str:
        """`sha256:` and the hexadecimal form."""
        return f"{self.algorithm}:{self.digest.hex()}"


def encode_base32(data: bytes) -> str:
    """Nix's base 32: the digits of `data` read as a little-endian number, most significant first.

    >>> encode_base32(bytes(range(16)))
    '0g1q6hq2qa1440f1h50h1h4080'
    """
    number = int.from_bytes(data, "little")
    length = (len(data) * 8 - 1) // 5 + 1
    return "".join(_BASE32[number >> 5 * place & 31] for place in range(length - 1, -1, -1))


def decode_base32(text: str, size: int) -> bytes:
    """The inverse of `encode_base32` for `size` bytes.  Raises `ValueError`."""
    number = 0
    for char in text:
        if char not in _BASE32_VALUES:
            raise ValueError(char)
        number = number << 5 | _BASE32_VALUES[char]
    if number >> 8 * size:
        raise ValueError(text)
    return number.to_bytes(size, "little")


SHORT_DATA = 1 << 16
"""Bytes up to which they are hashed sooner than OpenSSL's library, which is faster, is loaded."""


def compute_hash(algorithm: str, data: bytes) -> Hash:
    """The hash of `data`; `algorithm` is one of `HASH_SIZES`."""
    if algorithm == "sha256" and len(data) <= SHORT_DATA:
        from ...base.digests import sha256

        return Hash(algorithm, sha256(data).digest())
    import hashlib

    return Hash(algorithm, hashlib.new(algorithm, data, usedforsecurity=False).digest())


def parse_hash(text: str, algorithm: str | None) -> Hash:
    """A hash as people write it: `[ALGO:]DIGITS` in base 16, 32 or 64, or `ALGO-BASE64`.

    `algorithm` is what the surroundings say; the text may say it too, and then they must agree.
    """
    rest = text
    said: str | None = None
    is_sri = False
    for separator in ":-":
        head, separated, tail = text.partition(separator)
        if separated and (separator == ":" or head in HASH_SIZES):
            said, rest, is_sri = head, tail, separator == "-"
            break
    if said is not None and said not in HASH_SIZES:
        raise BadHash(f"unknown hash algorithm '{said}', expect 'md5', 'sha1', 'sha256', or 'sha512'")
    if said is None and algorithm is None:
        raise BadHash(f"hash '{rest}' does not include a type, nor is the type otherwise known from context")
    if said is not None and algorithm is not None and said != algorithm:
        raise BadHash(f"hash '{text}' should have type '{algorithm}'")
    kind = said or algorithm or ""
    size = HASH_SIZES[kind]
    try:
        if not is_sri and len(rest) == size * 2:
            return Hash(kind, binascii.unhexlify(rest))
        if not is_sri and len(rest) == (size * 8 - 1) // 5 + 1:
            return Hash(kind, decode_base32(rest, size))
        if is_sri or len(rest) == (4 * size // 3 + 3) & ~3:
            digest = binascii.a2b_base64(rest, strict_mode=True)
            if len(digest) == size:
                return Hash(kind, digest)
            raise BadHash(f"invalid {'SRI' if is_sri else 'base-64'} hash '{rest if is_sri else text}'")
    except ValueError:
        base = (
            64
            if is_sri or len(rest) not in (size * 2, (size * 8 - 1) // 5 + 1)
            else 16
            if len(rest) == size * 2
            else 32
        )
        raise BadHash(f"invalid base-{base} hash '{rest}'") from None
    raise BadHash(f"hash '{rest}' has wrong length for hash type '{kind}'")


def check_name(name: str, path: str) -> None:
    """Raise `BadStorePath` unless `name` can follow the hash in a store path."""
    if not name:
        raise BadStorePath(f"store path '{path}' has an empty name")
    if len(name) > _MAX_NAME:
        raise BadStorePath(f"store path '{path}' has a name longer than {_MAX_NAME} characters")
    for char in name:
        if char not in _NAME_CHARACTERS:
            raise BadStorePath(f"store path '{path}' contains illegal character '{char}'")


def make_store_path(kind: str, inner: Hash, name: str) -> str:
    """The store path for content of `kind` whose fingerprint is `inner`."""
    described = f"{kind}:{inner.prefixed}:{STORE_DIR}:{name}"
    digest = compute_hash("sha256", described.encode("utf-8", "surrogateescape")).digest
    folded = bytearray(20)
    for place, byte in enumerate(digest):
        folded[place % 20] ^= byte
    base = f"{encode_base32(bytes(folded))}-{name}"
    check_name(name, base)
    return f"{STORE_DIR}/{base}"


def _with_references(kind: str, references: Iterable[str]) -> str:
    return ":".join([kind, *sorted(references)])


def text_path(name: str, content: bytes, references: Iterable[str] = ()) -> str:
    """The path of a file added by its content, as `toFile` and store derivations are."""
    return make_store_path(_with_references("text", references), compute_hash("sha256", content), name)


def fixed_output_path(recursive: bool, content_hash: Hash, name: str, references: Iterable[str] = ()) -> str:
    """The path of something known by its hash: of its NAR if `recursive`, else of the bytes of a single file."""
    if recursive and content_hash.algorithm == "sha256":
        return make_store_path(_with_references("source", references), content_hash, name)
    described = f"fixed:out:{'r:' if recursive else ''}{content_hash.prefixed}:"
    return make_store_path("output:out", compute_hash("sha256", described.encode()), name)


def output_path(output: str, modulo: Hash, derivation_name: str) -> str:
    """The path of output `output` of a derivation whose masked hash is `modulo`."""
    name = derivation_name if output == "out" else f"{derivation_name}-{output}"
    return make_store_path(f"output:{output}", modulo, name)


def placeholder(output: str) -> str:
    """What stands for an output's path inside the derivation that makes it."""
    return "/" + encode_base32(compute_hash("sha256", f"nix-output:{output}".encode("utf-8", "surrogateescape")).digest)


def is_store_path(path: str) -> bool:
    """Whether `path` is the path of a whole store object (and not of a file inside one)."""
    directory, _, base = path.rpartition("/")
    if directory != STORE_DIR or len(base) < 34 or base[32] != "-":
        return False
    return all(char in _BASE32_VALUES for char in base[:32]) and all(char in _NAME_CHARACTERS for char in base[33:])


def store_object_of(path: str) -> str | None:
    """The store object that `path` is or lies in, if it is in the store at all."""
    if not path.startswith(STORE_DIR + "/"):
        return None
    whole = "/".join(path.split("/", 4)[:4])
    return whole if is_store_path(whole) else None
