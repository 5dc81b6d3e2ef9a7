"""The order in which Nix goes through a set: by its table of symbols, not by name.

Printing sorts names, but `==` and `deepSeq` meet the attributes in the order in which their names first became known to
Nix: the names of the language itself, then those of the program as its parser came across them. That order is visible
where one attribute decides before another would fail: `{ b = 1; a = throw "x"; } == { b = 2; a = 2; }` is false.

A parser of Nix's kind learns the argument of a function only after its body, so an argument's place is not counted.
The names are collected when the order is first asked for, which few programs do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..syntax.lexer import Tokens

_FIRST = """
outPath drvPath type meta name value system __overrides outputs outputName __ignoreNulls file line column __functor
__toString right wrong __structuredAttrs builder args __contentAddressed outputHash outputHashAlgo outputHashMode
recurseForDerivations description self startSet operator key path prefix outputSpecified builtins true false null
currentTime currentSystem nixVersion storeDir langVersion nixPath scopedImport import typeOf isNull isFunction isInt
isFloat isString isBool isPath genericClosure abort throw addErrorContext ceil floor tryEval getEnv seq deepSeq trace
derivationStrict placeholder toPath storePath pathExists baseNameOf dirOf readFile findFile hashFile readDir toXML
toJSON fromJSON toFile filterSource attrNames attrValues getAttr unsafeGetAttrPos hasAttr isAttrs removeAttrs
listToAttrs intersectAttrs catAttrs functionArgs mapAttrs zipAttrsWith isList elemAt head tail map filter elem
concatLists length foldl' any all genList sort partition groupBy concatMap add sub mul div bitAnd bitOr bitXor lessThan
toString substring stringLength hashString match split concatStringsSep replaceStrings parseDrvName compareVersions
splitVersion unsafeDiscardStringContext hasContext unsafeDiscardOutputDependency getContext appendContext
fetchMercurial fetchTree fetchurl fetchTarball fetchGit fromTOML derivation drvAttrs strict commonAttrs outputsList
outputToAttrListElement
"""
"""The names that Nix 2.8 knows before it reads a program, in its order (`--parse` prints a `let` of them in it)."""


class Symbols:
    """The names of one evaluation in the order in which they became known."""

    __slots__ = ("_known", "_unread")

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._unread: list[Callable[[], Iterable[str]]] = []

    def read(self, names: Callable[[], Iterable[str]]) -> None:
        """The names of a text come next; they are asked for when the order is."""
        self._unread.append(names)

    def sorted(self, names: Iterable[str]) -> list[str]:
        """The names in Nix's order; those that no text contains come last, as the program made them."""
        known = self._known
        if not known:
            known.update((name, place) for place, name in enumerate(_FIRST.split()))
        for names_of_text in self._unread:
            for name in names_of_text():
                known.setdefault(name, len(known))
        self._unread.clear()
        return sorted(names, key=lambda name: known.setdefault(name, len(known)))


def names_in(tokens: Tokens) -> Iterator[str]:
    """The attribute names and variables of a text, in the order in which a parser meets them."""
    from ..syntax.lexer import unescape

    kinds, texts = tokens.kinds, tokens.texts
    for place, kind in enumerate(kinds):
        if kind == "ID":
            if kinds[place + 1] not in (":", "@") and kinds[place - 1] != "@":
                yield texts[place]
        elif kind == "STR":
            yield texts[place]
        elif kind == "STRING" and len(texts[place]) > 2:
            yield unescape(texts[place][1:-1])
