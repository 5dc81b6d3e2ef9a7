"""The names of the language itself: every builtin, which of them are variables, and where each is written.

`INDEX` says which module of the package `builtins` holds which builtin, so that a run loads only the modules it uses. A
test checks the index against the modules. Some builtins are also variables of their own (`map`, `toString`,
`derivation`, ...; see `GLOBALS`), and every other one is a variable with two underscores before its name
(`__attrNames`), as in Nix.
"""

from __future__ import annotations

from .versions import OLD, Dialect, Version

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
        "newer": (
            "addDrvOutputDependencies break convertHash flakeRefToString getFlake outputOf parseFlakeRef readFileType"
            " traceVerbose warn"
        ),
        "fetching": "fetchGit fetchMercurial fetchTarball fetchTree fetchurl",
        "world": "getEnv",
    }.items()
    for name in names.split()
}
"""Every builtin function, and the module of this package that holds it."""

SINCE: dict[str, Version] = {
    "break": (2, 9),
    "traceVerbose": (2, 10),
    "readFileType": (2, 14),
    "flakeRefToString": (2, 18),
    "getFlake": (2, 18),
    "outputOf": (2, 18),
    "parseFlakeRef": (2, 18),
    "addDrvOutputDependencies": (2, 19),
    "convertHash": (2, 19),
    "warn": (2, 23),
}
"""The builtins that are younger than Nix 2.8.  Those of flakes are there earlier where flakes are on."""

_OF_FLAKES = ("getFlake",)

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
        "abort baseNameOf break builtins derivation derivationStrict dirOf false fetchGit fetchMercurial fetchTarball"
        " fetchTree fromTOML import isNull map null placeholder removeAttrs scopedImport throw toString true"
    ).split()
)
"""The names that are variables without underscores."""


def is_there(name: str, dialect: Dialect = OLD) -> bool:
    """Whether this version's `builtins` has the name."""
    if name not in INDEX:
        return name in CONSTANTS
    return dialect.version >= SINCE.get(name, (0, 0)) or (name in _OF_FLAKES and dialect.has("flakes"))


def names(dialect: Dialect = OLD) -> list[str]:
    """Everything in the set `builtins`, sorted."""
    return sorted(name for name in (*INDEX, *CONSTANTS) if is_there(name, dialect))


def is_global(name: str, dialect: Dialect = OLD) -> bool:
    """Whether a variable of this name is bound outside every program."""
    if name in GLOBALS:
        return name not in SINCE or is_there(name, dialect)
    bare = name[2:]
    return name.startswith("__") and bare not in GLOBALS and is_there(bare, dialect)


def global_names(dialect: Dialect = OLD) -> list[str]:
    """Every name bound outside every program, sorted."""
    return sorted(name if name in GLOBALS else f"__{name}" for name in names(dialect))
