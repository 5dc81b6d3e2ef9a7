"""Ruby's own classes, complete: loads the files that fill the tables, and names the constants at the top."""

from __future__ import annotations

import math
from functools import lru_cache
from importlib import import_module

import wherefrom.ruby.classes as c

from .registry import CORE, LIBRARY_CONSTANTS, PerRun
from .values import Method, Module, Value

METHOD_FILES = (
    "objects",
    "modules",
    "kernel",
    "numbers",
    "strings",
    "changing_strings",
    "arrays",
    "changing_arrays",
    "hashes",
    "enumerables",
    "ranges",
    "regexps",
    "blocks",
    "exceptions",
    "sets",
    "structs",
    "files",
    "iterators",
    "iterators",
    "iterators",
)
LIBRARY_FILES = (
    "json",
    "yaml",
    "digests",
    "times",
    "dates",
    "ipaddr",
    "resolv",
    "uri",
    "random",
    "small",
    "streams",
    "pathname",
)


@lru_cache(maxsize=1)
def load() -> None:
    """Fill the tables."""
    for name in METHOD_FILES:
        import_module(f"wherefrom.ruby.methods.{name}")
    for name in LIBRARY_FILES:
        import_module(f"wherefrom.ruby.libraries.{name}")


@lru_cache(maxsize=1)
def core_constants() -> dict[str, Value]:
    """Every constant at the top that Ruby itself has."""
    load()
    constants: dict[str, Value] = {
        cls.name: cls
        for cls in vars(c).values()
        if isinstance(cls, Module) and cls.name is not None and "::" not in cls.name
    }
    for name, cls in c.EXCEPTIONS.items():
        outer, _, inner = name.rpartition("::")
        if not outer:
            constants[name] = cls
            continue
        holder = LIBRARY_CONSTANTS.get(outer)
        if holder is None:
            holder = LIBRARY_CONSTANTS[outer] = Module(outer, frozen=True)
        if not isinstance(holder, PerRun):
            holder.constants[inner] = cls
    constants.update(LIBRARY_CONSTANTS)
    constants["Psych"] = LIBRARY_CONSTANTS.get("YAML", constants.get("Psych"))
    constants.update(Fixnum=c.INTEGER, Bignum=c.INTEGER)  # as Ruby before 3.2 still has them
    constants.update(RUBY_VERSION="3.1.2", RUBY_PLATFORM="x86_64-linux-gnu", RUBY_ENGINE="ruby", ARGV=[])
    c.FLOAT.constants.update(
        INFINITY=math.inf,
        NAN=math.nan,
        EPSILON=2.220446049250313e-16,
        MAX=1.7976931348623157e308,
        MIN=2.2250738585072014e-308,
        DIG=15,
    )
    c.REGEXP.constants.update(IGNORECASE=1, EXTENDED=2, MULTILINE=4)
    return constants


def _tables() -> dict[type, dict[str, Method]]:
    load()
    return {kind: c.table_of(cls, kind) for kind, cls in c.PYTHON_CLASSES.items()}


CORE.constants = core_constants
CORE.tables = lru_cache(maxsize=1)(_tables)
