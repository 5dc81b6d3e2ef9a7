"""Bad and hostile input to builtins: a clear error, bounded in time and memory; and no builtin is slow."""

from __future__ import annotations

import pytest

from support.effort import effort
from support.nix_builtins import DIRECTORY, evaluate
from wherefrom.base.diagnostics import Diagnostic, LimitReached, OutsideRoots, Refused

LONG = 'builtins.concatStringsSep "" (builtins.genList (x: "xxxxxxxxxx") 100000)'
NUMBERS = 'builtins.concatStringsSep "," (builtins.genList toString 50000)'
PAIRS = "builtins.listToAttrs (builtins.genList (x: { name = toString x; value = x; }) 100000)"


@pytest.mark.parametrize(
    "expression",
    [
        "builtins.genList (x: x) 1000000000",
        "builtins.length (builtins.genList (x: x) 9223372036854775807)",
        "let l = builtins.genList (x: x) 100000; in builtins.concatLists (builtins.genList (x: l) 1000)",
        "let l = builtins.genList (x: x) 100000; in builtins.concatMap (x: l) (builtins.genList (x: x) 1000)",
        f"let s = {LONG}; in builtins.concatStringsSep s (builtins.genList (x: s) 1000)",
        f'let s = {LONG}; in builtins.replaceStrings [ "x" ] [ s ] s',
        "builtins.toXML (builtins.foldl' (a: b: [ a ]) 1 (builtins.genList (x: x) 50000))",
        pytest.param(
            "builtins.toJSON (builtins.foldl' (a: b: [ a a ]) 1 (builtins.genList (x: x) 60))", marks=pytest.mark.long
        ),
        "builtins.genericClosure { startSet = [ { key = 0; } ]; operator = x: builtins.genList (i: x) 6000000; }",
    ],
)  # fmt: skip
def test_bounded(expression: str) -> None:
    """A line that asks for more than fits is refused."""
    with pytest.raises(LimitReached):
        evaluate(expression)


@pytest.mark.parametrize("name", ["fetchurl", "fetchTarball", "fetchGit", "fetchMercurial", "fetchTree"])
def test_network_is_refused(name: str) -> None:
    """What needs the network says so."""
    with pytest.raises(Refused, match=name):
        evaluate(f'builtins.{name} "https://example.org/x"')


@pytest.mark.parametrize(
    "expression",
    [
        "builtins.readFile /etc/passwd",
        "builtins.readDir /etc",
        'import /etc/nix.nix',
        'builtins.hashFile "md5" /etc/passwd',
        '"${/etc/passwd}"',
        "builtins.path { path = /etc/passwd; }",
        "builtins.filterSource (p: t: true) /etc",
        "builtins.readFile (./. + \"/../../../../../../../../../etc/passwd\")",
        'builtins.readFile (toString ./. + "/../../../../../../../../../../../../../../../../../../../../etc/passwd")',
        'builtins.readDir (toString ./files + "/../../../../../../../../../../../../../../../../../../../../etc")',
    ],
)  # fmt: skip
def test_outside_the_roots(expression: str) -> None:
    """Files outside the allowed directories can not be read."""
    with pytest.raises(Diagnostic) as caught:
        evaluate(expression)
    assert isinstance(caught.value, OutsideRoots) or "No such file" in caught.value.message


def test_what_must_be_built_can_not_be_read() -> None:
    """Reading a derivation's output would mean to build it."""
    with pytest.raises(Refused, match="builds nothing"):
        evaluate('builtins.readFile (derivation { name = "a"; builder = "b"; system = "c"; })')


def test_a_file_made_during_evaluation_can_be_read() -> None:
    """`toFile` and copied paths can be read again under their store path."""
    assert evaluate('import (builtins.toFile "x.nix" "{ a = 1; }")') == "{ a = 1; }"
    assert evaluate('builtins.readFile "${./files/tree}/sub/b.txt"') == '"deep\\n"'
    assert evaluate('builtins.pathExists (builtins.toFile "x" "")') == "true"


def test_deep_values() -> None:
    """Values nested a hundred thousand deep are printed, forced and converted."""
    nested = "builtins.foldl' (a: b: [ a ]) 1 (builtins.genList (x: x) 20000)"
    assert evaluate(nested).count("[") == 20_000
    assert evaluate(f"builtins.deepSeq ({nested}) 1") == "1"
    assert evaluate(f"builtins.stringLength (builtins.toJSON ({nested}))") == "40001"
    assert evaluate('builtins.length (builtins.fromJSON "' + "[" * 5000 + "]" * 5000 + '")') == "1"


@pytest.mark.parametrize(
    "expression",
    [
        "builtins.length (builtins.sort builtins.lessThan (builtins.genList (x: 100000 - x) 100000))",
        "builtins.length (builtins.sort (a: b: a < b) (builtins.genList (x: builtins.bitXor x 21845) 20000))",
        "builtins.foldl' (a: b: a + b) 0 (builtins.genList (x: x) 100000)",
        f"builtins.length (builtins.attrNames ({PAIRS}))",
        "builtins.length (builtins.concatLists (builtins.genList (x: [ x x ]) 100000))",
        f"builtins.stringLength ({NUMBERS})",
        "builtins.length (builtins.attrNames (builtins.groupBy toString (builtins.genList (x: x) 100000)))",
        "builtins.length (builtins.genericClosure { startSet = [ { key = 0; } ];"
        " operator = x: if x.key < 50000 then [ { key = x.key + 1; } ] else [ ]; })",
        f'builtins.length (builtins.split "," ({NUMBERS}))',
        f'builtins.length (builtins.split "(,|;)" ({NUMBERS}))',
        f'builtins.stringLength (builtins.replaceStrings [ "1" "2" ] [ "one" "two" ] ({NUMBERS}))',
        pytest.param(
            "builtins.attrNames (builtins.zipAttrsWith (n: v: v) (builtins.genList (x: { ${toString x} = x; }) 20000))",
            marks=pytest.mark.long,
        ),
        f"builtins.intersectAttrs ({PAIRS}) {{ }}",
        f"builtins.removeAttrs ({PAIRS}) (builtins.genList toString 100000)",
        f"builtins.length (builtins.attrValues (builtins.mapAttrs (n: v: v) ({PAIRS})))",
    ],
)  # fmt: skip
def test_quick(expression: str) -> None:
    """No builtin is slower than n log n: for large inputs, n * n would be hundreds of times what is allowed."""
    assert effort(lambda: evaluate(expression)) < 400


def test_not_utf8() -> None:
    """Bytes that are no UTF-8 pass through strings unharmed."""
    assert evaluate("builtins.stringLength (builtins.readFile ./files/bytes.txt)") == "8"
    read = "builtins.readFile ./files/bytes.txt"
    assert evaluate(f'builtins.hashString "md5" ({read}) == builtins.hashFile "md5" ./files/bytes.txt') == "true"
    assert (
        evaluate('builtins.substring 3 1 (builtins.readFile ./files/bytes.txt) == builtins.substring 0 1 "é"') == "true"
    )
    with pytest.raises(Diagnostic, match="parse error"):
        evaluate('builtins.fromJSON ("\\"" + builtins.substring 6 1 (builtins.readFile ./files/bytes.txt) + "\\"")')
    assert (DIRECTORY / "files" / "bytes.txt").read_bytes() == b"caf\xc3\xa9 \xff\n"
