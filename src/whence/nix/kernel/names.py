"""The names of the language itself: every builtin, which of them are variables, and where each is written.

`INDEX` says which module of the room `builtins` holds which builtin, so that a run loads only the modules it uses. A
test checks the index against the modules. Some builtins are also variables of their own (`map`, `toString`,
`derivation`, ...; see `GLOBALS`), and every other one is a variable with two underscores before its name
(`__attrNames`), as in Nix.
"""

from __future__ import annotations

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
