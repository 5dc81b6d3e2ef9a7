"""BLAKE2 for keys of caches, taken from where it is without OpenSSL.

`hashlib` and `hmac` load OpenSSL's library for algorithms that nobody asks for here, which takes longer than all the
hashing of a run.
"""

from __future__ import annotations

from _operator import _compare_digest as compare_digest

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that has it elsewhere
    from hashlib import blake2b

__all__ = ["blake2b", "compare_digest"]
