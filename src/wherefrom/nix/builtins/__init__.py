"""The builtins of Nix 2.8, by name.

A slot in the set `builtins` is a thunk that imports the module of a builtin (`kernel.names.INDEX`) when somebody looks.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..kernel.names import CONSTANTS, INDEX, is_there
from ..kernel.values import Attrs, LoadLater, Slot, delay

if TYPE_CHECKING:
    from ..kernel.world import Machine
    from .registry import Entry


def find(name: str) -> Entry:
    """The registered builtin `name`; its module is imported now if it was not before."""
    from .registry import REGISTRY

    if name not in REGISTRY:
        import_module(f"{__name__}.{INDEX[name]}")
    return REGISTRY[name]


def make_builtins(machine: Machine) -> Attrs:
    """The set `builtins` of one machine."""
    table: dict[str, Slot] = {}
    whole = Attrs(table)

    for name in INDEX:
        if not is_there(name, machine.dialect):
            continue
        table[name] = delay(LoadLater(machine, name))
    for name in CONSTANTS:
        table[name] = delay(LoadLater(machine, name))
    table.update({"true": True, "false": False, "null": None, "builtins": whole})
    return whole


def load_all() -> None:
    """Import every module, for the manual and for tests."""
    for module in sorted(set(INDEX.values())):
        import_module(f"{__name__}.{module}")
