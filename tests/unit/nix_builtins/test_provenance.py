"""Builtins that move data keep each element's history; builtins that compute depend on all they looked at."""

from __future__ import annotations

import pytest

from support.nix_builtins import DIRECTORY, answer, goldens
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.host import RealHost
from wherefrom.language import Inputs
from wherefrom.nix.front.language import LANGUAGE, NixOutcome
from wherefrom.provenance.extract import depends, evaluate_term, expression, where
from wherefrom.provenance.origins import Leaf


def recorded(text: str) -> NixOutcome:
    host = RealHost([str(DIRECTORY)])
    options = {"expression": text, "trace": True, "directory": str(DIRECTORY)}
    return LANGUAGE.run("", host, Inputs(options=options))


def shown(leaf: Leaf) -> str:
    return leaf.span.text if leaf.span is not None else f"{leaf.kind} {leaf.name}"


@pytest.mark.parametrize(
    ("text", "path", "literal"),
    [
        ("map (x: x) [ 11 22 ]", "[1]", "22"),
        ("builtins.filter (x: x > 11) [ 11 22 ]", "[0]", "22"),
        ("builtins.attrValues { b = 1; a = 2; }", "[0]", "2"),
        ('builtins.listToAttrs [ { name = "a"; value = 5; } ]', "a", "5"),
        ("builtins.mapAttrs (n: v: v) { a = 5; }", "a", "5"),
        ("builtins.concatLists [ [ 1 ] [ 2 3 ] ]", "[2]", "3"),
        ("builtins.concatMap (x: [ x 9 ]) [ 1 2 ]", "[2]", "2"),
        ("{ x = builtins.foldl' (a: b: b) 0 [ 1 2 ]; }", "x", "2"),
        ("builtins.sort (a: b: a < b) [ 3 1 2 ]", "[0]", "1"),
        ("builtins.sort builtins.lessThan [ 3 1 2 ]", "[0]", "1"),
        ("builtins.partition (x: x > 1) [ 1 2 ]", "right[0]", "2"),
        ("builtins.groupBy (x: toString x) [ 1 2 ]", '"2"[0]', "2"),
        ("builtins.zipAttrsWith (n: vs: vs) [ { a = 1; } { a = 2; } ]", "a[1]", "2"),
        ('builtins.removeAttrs { a = 1; b = 2; } [ "a" ]', "b", "2"),
        ("builtins.intersectAttrs { a = 1; } { a = 2; b = 3; }", "a", "2"),
        ('builtins.catAttrs "a" [ { a = 1; } { a = 2; } ]', "[1]", "2"),
        ("{ x = builtins.elemAt [ 1 2 ] 1; }", "x", "2"),
        ("{ x = builtins.head [ 7 8 ]; }", "x", "7"),
        ("builtins.tail [ 7 8 ]", "[0]", "8"),
        ("builtins.genList (i: 7) 3", "[2]", "7"),
        ('{ x = builtins.getAttr "a" { a = 1; }; }', "x", "1"),
        ("{ x = (builtins.tryEval 5).value; }", "x", "5"),
        ("{ x = builtins.seq 1 2; }", "x", "2"),
        ("{ x = builtins.deepSeq [ 1 ] 2; }", "x", "2"),
        ('{ x = builtins.trace "m" 2; }', "x", "2"),
        ('{ x = builtins.addErrorContext "m" 2; }', "x", "2"),
        ("builtins.genericClosure { startSet = [ { key = 1; v = 8; } ]; operator = x: [ ]; }", "[0].v", "8"),
    ],
)
def test_moving(text: str, path: str, literal: str) -> None:
    """An element that was only moved comes from its literal."""

    def found() -> str | None:
        leaf = where(recorded(text).select(path).origin)
        return None if leaf is None else shown(leaf)

    assert with_deep_stack(found) == literal


@pytest.mark.parametrize(
    ("text", "path", "inputs"),
    [
        ("map (x: x + 1) [ 11 22 ]", "[1]", {"1", "22"}),
        ("{ x = builtins.foldl' (a: b: a + b) 0 [ 1 2 ]; }", "x", {"0", "1", "2"}),
        ("builtins.sort (a: b: a < b) [ 3 1 2 ]", "[0]", {"3", "1", "2"}),
        ("builtins.filter (x: x > 11) [ 11 22 ]", "[0]", {"11", "22"}),
        ('{ x = builtins.substring 0 2 "hello"; }', "x", {"0", "2", '"hello"'}),
        ('{ x = builtins.replaceStrings [ "a" ] [ "b" ] "aa"; }', "x", {'"a"', '"b"', '"aa"'}),
        ('builtins.split "a" "bab"', "[0]", {'"a"', '"bab"'}),
        ('{ x = builtins.concatStringsSep "," [ "a" "b" ]; }', "x", {'","', '"a"', '"b"'}),
        ('{ x = builtins.hashString "md5" "a"; }', "x", {'"md5"', '"a"'}),
        ("{ x = builtins.toJSON { a = 1; }; }", "x", {"1"}),
        ("{ x = builtins.any (x: x > 2) [ 1 5 6 ]; }", "x", {"2", "1", "5"}),
        ("{ x = builtins.elem 2 [ 1 2 3 ]; }", "x", {"2", "1"}),
        ('{ x = (derivation { name = "a"; builder = "b"; system = "c"; }).outPath; }', "x", {'"a"', '"b"', '"c"'}),
        ("{ x = builtins.readFile ./files/hello.txt; }", "x", {f"file {DIRECTORY}/files/hello.txt"}),
        ("{ x = builtins.readDir ./files/tree; }", 'x."a.txt"', {f"file {DIRECTORY}/files/tree"}),
        ("{ x = builtins.pathExists ./files/none; }", "x", {f"file {DIRECTORY}/files/none"}),
        ('{ x = builtins.hashFile "md5" ./files/hello.txt; }', "x", {f"file {DIRECTORY}/files/hello.txt", '"md5"'}),
        ("{ x = builtins.path { path = ./files/tree; }; }", "x", {f"file {DIRECTORY}/files/tree"}),
        ('{ x = builtins.getEnv "HOME"; }', "x", {"environment HOME", '"HOME"'}),
        ("{ x = if builtins.pathExists ./files then 1 else 2; }", "x", {f"file {DIRECTORY}/files", "1"}),
    ],
)
def test_computing(text: str, path: str, inputs: set[str]) -> None:
    """A computed value depends on every literal that its builtin looked at (and no literal that it did not)."""

    def found() -> set[str]:
        leaves = depends(recorded(text).select(path).origin)
        return {shown(leaf) for leaf in leaves if ":" not in shown(leaf) or leaf.kind == "file"}

    assert inputs <= with_deep_stack(found)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("map (x: x + 1) [ 11 22 ]", "[1]"),
        ("{ x = builtins.foldl' (a: b: a + b) 0 [ 1 2 ]; }", "x"),
        ('{ x = builtins.substring 0 2 "hello"; }', "x"),
        ('{ x = builtins.concatStringsSep "," [ "a" "b" ]; }', "x"),
        ('{ x = builtins.hashString "md5" "a"; }', "x"),
        ("{ x = builtins.toJSON { a = [ 1 null ]; }; }", "x"),
        ('{ x = builtins.fromJSON "[1, 2]"; }', "x[1]"),
        ("{ x = toString [ 1 2 ]; }", "x"),
        ("{ x = builtins.length [ 1 2 ] + 1; }", "x"),
        ('{ x = builtins.compareVersions "1.2" "1.10"; }', "x"),
        ('{ x = builtins.replaceStrings [ "a" ] [ "b" ] "aa"; }', "x"),
        ("{ x = builtins.bitXor 12 10; }", "x"),
    ],
)
def test_terms(text: str, path: str) -> None:
    """The term of a computed value evaluates to it again."""

    def both() -> tuple[object, object]:
        outcome = recorded(text)
        chosen = outcome.select(path)
        return evaluate_term(expression(chosen.origin), outcome.apply), chosen.value

    again, value = with_deep_stack(both)
    assert again == value


@pytest.mark.parametrize("stem", sorted(set(goldens()) - {"small_lists"}))
def test_recording_changes_nothing(stem: str) -> None:
    """With recording on, every builtin answers as it does without."""
    for mode, answers in goldens()[stem].items():
        if mode == "plain":
            continue
        for text in answers:
            assert answer(text, mode, traced=True) == answer(text, mode), text
