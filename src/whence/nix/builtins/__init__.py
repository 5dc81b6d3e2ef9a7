"""The builtins of Nix 2.8, by name.

`INDEX` says which module of this package holds which builtin, so that a run loads only the modules it uses: a slot in
the set `builtins` is a thunk that imports the module when somebody looks. A test checks the index against the modules.

Some builtins are also variables of their own (`map`, `toString`, `derivation`, ...; see `GLOBALS`), and every other one
is a variable with two underscores before its name (`__attrNames`), as in Nix.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..kernel.values import Attrs, Slot, Thunk

if TYPE_CHECKING:
    from ..front.machine import Machine
    from .registry import Entry

INDEX: dict[str, str] = {
    name: module
    for module, names in {
        "arithmetic": "add sub mul div bitAnd bitOr bitXor ceil floor lessThan",
        "types": "typeOf isAttrs isBool isFloat isFunction isInt isList isNull isPath isString functionArgs",
        "lists": (
            "map filter head tail length elem elemAt genList sort partition groupBy"
            " concatLists concatMap foldl' all any"
        ),
        "sets": (
            "attrNames attrValues catAttrs getAttr hasAttr intersectAttrs listToAttrs mapAttrs removeAttrs"
            " unsafeGetAttrPos zipAttrsWith genericClosure"
        ),
        "strings": "concatStringsSep match replaceStrings split stringLength substring toString",
        "versions": "compareVersions parseDrvName splitVersion",
        "control": "abort addErrorContext deepSeq seq throw trace tryEval",
        "convert": "fromJSON fromTOML toJSON toXML",
        "files": (
            "baseNameOf dirOf filterSource findFile hashFile hashString import path pathExists readDir readFile"
            " scopedImport toFile toPath"
        ),
        "store": (
            "appendContext derivationStrict getContext hasContext placeholder storePath"
            " unsafeDiscardOutputDependency unsafeDiscardStringContext"
        ),
        "world": "fetchGit fetchMercurial fetchTarball fetchTree fetchurl getEnv",
    }.items()
    for name in names.split()
}
"""Every builtin function, and the module of this package that holds it."""

CONSTANTS = (
    "builtins",
    "currentSystem",
    "currentTime",
    "derivation",
    "false",
    "langVersion",
    "nixPath",
    "nixVersion",
    "null",
    "storeDir",
    "true",
)
"""What is in `builtins` besides functions (and `derivation`, a function written in Nix)."""

GLOBALS = frozenset(
    (
        "abort baseNameOf builtins derivation derivationStrict dirOf false fetchGit fetchMercurial fetchTarball"
        " fetchTree fromTOML import isNull map null placeholder removeAttrs scopedImport throw toString true"
    ).split()
)
"""The names that are variables without underscores."""


def names() -> list[str]:
    """Everything in the set `builtins`, sorted."""
    return sorted([*INDEX, *CONSTANTS])


def is_global(name: str) -> bool:
    """Whether a variable of this name is bound outside every program."""
    if name in GLOBALS:
        return True
    bare = name[2:]
    return name.startswith("__") and bare not in GLOBALS and (bare in INDEX or bare in CONSTANTS)


def global_names() -> list[str]:
    """Every name bound outside every program, sorted."""
    return sorted(name if name in GLOBALS else f"__{name}" for name in names())


def find(name: str) -> Entry:
    """The registered builtin `name`; its module is imported now if it was not before."""
    from .registry import REGISTRY

    if name not in REGISTRY:
        import_module(f"{__name__}.{INDEX[name]}")
    return REGISTRY[name]


class LoadLater:
    """The code of a thunk that holds a builtin or constant not loaded yet.  Printing may force it: it is ready."""

    __slots__ = ("machine", "name")

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine = machine
        self.name = name

    def __call__(self) -> Slot:
        if self.name in INDEX:
            return self.machine.builtin(self.name)
        from .constants import constant_value

        return constant_value(self.machine, self.name)


def make_builtins(machine: Machine) -> Attrs:
    """The set `builtins` of one machine."""
    table: dict[str, Slot] = {}
    whole = Attrs(table)

    for name in INDEX:
        table[name] = Thunk(LoadLater(machine, name))
    for name in CONSTANTS:
        table[name] = Thunk(LoadLater(machine, name))
    table.update({"true": True, "false": False, "null": None, "builtins": whole})
    return whole


def global_slot(builtins: Attrs, name: str) -> Slot | None:
    """The slot of a global variable, given the set `builtins`.  Ask `is_global` first: null is a value too."""
    return builtins.table[name if name in GLOBALS else name[2:]]


def load_all() -> None:
    """Import every module, for the manual and for tests."""
    for module in sorted(set(INDEX.values())):
        import_module(f"{__name__}.{module}")
