"""BLAKE2 for keys of caches, and SHA-256, taken from where they are without OpenSSL.

`hashlib` and `hmac` load OpenSSL's library for algorithms that nobody asks for here, which takes longer than all the
hashing of a run.
"""

from __future__ import annotations

from _operator import _compare_digest as compare_digest

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that has it elsewhere
    from hashlib import blake2b

try:
    from _sha256 import sha256  # type: ignore[import-not-found]
except ImportError:  # the same
    from hashlib import sha256

from .plural import count_of

__all__ = ["blake2b", "compare_digest", "sha256", "size_and_digest"]


def size_and_digest(data: bytes) -> str:
    """What a content that is not shown is told by: `(266 bytes, sha256 7e52...)`."""
    return f"({count_of(len(data), 'byte')}, sha256 {sha256(data).hexdigest()[:32]})"
