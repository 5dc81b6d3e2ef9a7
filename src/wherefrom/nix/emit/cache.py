"""Compiled programs kept on disk, so that a file that has not changed is neither parsed nor compiled again.

An entry (`base.private_cache` says where entries lie and why nobody else can make one) is named by a hash of everything
that decides a program: the text, the kind of code, the version of Nix, of wherefrom and of Python, and the files of
this package. Neither the name nor the directory of the file is in it: places are put back into the file at hand, and
relative paths are kept as they were written. So another checkout of the same files finds them all, and an entry can
never change an answer; without any, everything is done again.

A program is written when the evaluation that used it is over. The entry holds the code of each unit that was called and
the text of those that were not; when a later run compiles more of them it is written again. Each unit is encoded by
itself (Python's `marshal`, which is made for code), and only those that are called are decoded; what is needed to
compile the others is kept apart.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Mapping
from functools import cache

from ...base.private_cache import PrivateCache, cache_directory, key_directory
from .program import Program, Unit

FORMAT = 6


def default_directory() -> str | None:
    """Where programs are kept for this user; nothing if there is no home."""
    base = cache_directory()
    return None if base is None else os.path.join(base, "nix-programs")


@cache
def compiler_version() -> str:
    """What tells this compiler from others: the versions, and when the newest of its files was changed."""
    package = os.path.dirname(os.path.dirname(__file__))
    newest = 0
    for folder, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py"):
                newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime_ns)
    wherefrom = sys.modules[__name__.partition(".")[0]]
    return f"{wherefrom.__version__} {FORMAT} {sys.version} {sys.implementation.cache_tag} {newest}"


class ProgramCache:
    """Programs by the hash of what they were made from.  Without a directory nothing is kept."""

    def __init__(self, directory: str | None, keys: str | None = None) -> None:
        self.entries = PrivateCache(directory, key_directory() if keys is None else keys)
        self.hits = 0
        self.misses = 0

    def key(self, kind: str, text: str) -> str:
        """The name of the entry for a text; `kind` says what else decides the program."""
        from ...base.digests import blake2b

        whole = f"{compiler_version()}\n{kind}\n{text}".encode("utf-8", "surrogatepass")
        return blake2b(whole, digest_size=20).hexdigest()

    def find(self, key: str) -> tuple[Program, bytes] | None:
        """The program of an entry, and the encoded names of its text."""
        content = self.entries.get(key)
        try:
            blobs, bodies, tables, count, names = (None, (), b"", 0, b"") if content is None else marshal.loads(content)
        except (ValueError, EOFError, TypeError):  # made by this user and yet no entry of ours
            blobs = None
        if blobs is None:
            self.misses += 1
            return None
        self.hits += 1
        decoded = cache(lambda: marshal.loads(tables))
        all_names = (*blobs, *bodies)
        program = Program(all_names, len(blobs), lambda name: Unit.decoded(blobs[name]), decoded, count, grown=False)
        return program, names

    def keep(self, programs: Mapping[str, tuple[Program, bytes]]) -> None:
        """Write what is new in the programs of an evaluation, by their keys."""
        for key, (program, names) in programs.items():
            if program.grown and self.entries.usable:
                program.grown = False
                tables = marshal.dumps(program.tables())
                # each unit by itself, so that one can be read without the others
                units = {name: program.unit(name).encoded() for name in program.unit_names}
                bodies = program.names[program.unit_count :]
                self.entries.put(key, marshal.dumps((units, bodies, tables, program.constant_count, names)))
