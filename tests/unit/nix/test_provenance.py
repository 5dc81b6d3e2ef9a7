"""Where a value came from: where, expression, dependency, chain, hidden definitions, in every form of the language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.nix_language import evaluate
from support.nix_programs import program
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.host import PureHost, RealHost
from wherefrom.language import Selected
from wherefrom.nix.front.language import NixOutcome, Request
from wherefrom.nix.trace.terms import NotData
from wherefrom.provenance.extract import chain, depends, evaluate_term, expression, hidden, where


def select(text: str, path: str = "") -> Selected:
    return evaluate(text).select(path)


def place(selected: Selected) -> str | None:
    """The literal a value was copied from, as `line:column text`."""
    leaf = where(selected.origin)
    if leaf is None or leaf.span is None:
        return None
    return f"{leaf.span.line}:{leaf.span.column} {leaf.span.text}"


def inputs(selected: Selected) -> list[str]:
    """The texts of the literals a value depends on."""
    return [leaf.span.text if leaf.span is not None else leaf.name for leaf in depends(selected.origin)]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("{ a = 1; }", "a", "1:7 1"),
        ("let x = 1; in { a = x; }", "a", "1:9 1"),
        ("let x = 1; in { inherit x; }", "x", "1:9 1"),
        ("let s = { x = 1; }; in { inherit (s) x; }", "x", "1:15 1"),
        ("rec { a = b; b = c.d; c = { d = 7; }; }", "a", "1:33 7"),
        ("{ a = 1; } // { a = 2; }", "a", "1:21 2"),
        ("{ a = 1; } // { b = 2; }", "a", "1:7 1"),
        ("with { x = 5; }; { a = x; }", "a", "1:12 5"),
        ("with { x = 5; }; with { y = 1; }; { a = x; }", "a", "1:12 5"),
        ("(x: { a = x; }) 3", "a", "1:17 3"),
        ("({ x, y ? 4 }: { a = y; b = x; }) { x = 3; }", "a", "1:11 4"),
        ("({ x, y ? 4 }: { a = y; b = x; }) { x = 3; y = 9; }", "a", "1:48 9"),
        ("(args@{ x }: { a = args.x; }) { x = 3; }", "a", "1:37 3"),
        ("{ a = if true then 1 else 2; }", "a", "1:20 1"),
        ("{ a = { x = 1; }.x or 2; }", "a", "1:13 1"),
        ("{ a = { x = 1; }.y or 2; }", "a", "1:23 2"),
        ("{ a = assert true; 2; }", "a", "1:20 2"),
        ("{ a = builtins.head [ 1 2 ]; }", "a", "1:23 1"),
        ("{ a = builtins.elemAt [ 1 2 ] 1; }", "a", "1:27 2"),
        ("{ a = builtins.filter (x: x > 1) [ 1 2 3 ]; }", "a[1]", "1:40 3"),
        ("{ a = map (x: x) [ 1 2 3 ]; }", "a[2]", "1:24 3"),
        ("{ a = [ 1 ] ++ [ 2 ]; }", "a[1]", "1:18 2"),
        ("{ a = builtins.attrValues { x = 1; y = 2; }; }", "a[1]", "1:40 2"),
        ('{ a = builtins.listToAttrs [ { name = "k"; value = 8; } ]; }', "a.k", "1:52 8"),
        ("{ a = builtins.mapAttrs (n: v: v) { k = 8; }; }", "a.k", "1:41 8"),
        ('{ a = builtins.getAttr "k" { k = 8; }; }', "a", "1:34 8"),
        ('{ a = builtins.removeAttrs { k = 8; j = 1; } [ "j" ]; }', "a.k", "1:34 8"),
        ("{ a = builtins.intersectAttrs { k = 0; } { k = 8; }; }", "a.k", "1:48 8"),
        ("{ a = builtins.foldl' (s: x: x) 0 [ 1 2 ]; }", "a", "1:39 2"),
        ("{ a = builtins.sort (x: y: x < y) [ 3 1 ]; }", "a[0]", "1:39 1"),
        ("{ a = builtins.seq 1 2; }", "a", "1:22 2"),
        ("{ a = (builtins.tryEval 2).value; }", "a", "1:25 2"),
        ("{ a = { __functor = self: x: x; } 2; }", "a", "1:35 2"),
        ("let { body = { a = 2; }; }", "a", "1:20 2"),
        ('{ ${"a" + "b"} = 2; }', "ab", "1:18 2"),
        ("let f = x: y: y; in { a = f 1 2; }", "a", "1:31 2"),
        ("let update = a: b: a // b; in { s = update { x = 1; } { x = 2; }; }", "s.x", "1:61 2"),
        ("{ a = ''x''; }", "a", "1:7 ''x''"),
        ("{ a = 1 + 1; }", "a", None),
        ('{ a = "x${"y"}"; }', "a", None),
    ],
)
def test_where(text: str, path: str, expected: str | None) -> None:
    """Copies are followed to the literal; computed values have none."""
    assert place(select(text, path)) == expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("{ a = 1 + 2; b = 3; }", "a", ["1", "2"]),
        ("{ a = if 1 < 2 then 3 else 4; }", "a", ["1", "2", "3"]),
        ("{ a = assert 1 == 1; 5; }", "a", ["1", "1", "5"]),
        ("let c = true; in { a = c && (1 == 2); }", "a", ["true", "1", "2"]),
        ("{ a = builtins.length [ 1 2 ]; }", "a", []),
        ("{ a = builtins.filter (x: x > 1) [ 1 2 ]; }", "a[0]", ["1", "1", "2"]),
        ('{ a = { x = 1; }.${"x"}; }', "a", ["1"]),
        ('let n = "x" + ""; in { a = { x = 1; }.${n}; }', "a", ['"x"', '""', "1"]),
        ("{ a = { x = 1; } ? x; b = 2; }", "a", []),
        ("({ x ? 1, y }: { a = x; }) { y = 2; }", "a", ["1"]),
        ('{ a = "p${toString 8}"; }', "a", ["p", "8"]),
        ("{ a = map (x: x + 1) [ 1 2 ]; }", "a[0]", ["1", "1"]),
        ("(if 1 == 1 then { a = 2; } else { a = 3; })", "a", ["1", "1", "2"]),
        ("with (if 1 == 1 then { x = 2; } else { }); { a = x; }", "a", ["1", "1", "2"]),
        ("let s = if 1 == 1 then { } else { x = 1; }; in { a = s.x or 9; }", "a", ["1", "1", "9"]),
        ("{ a = [ 1 [ 2 ] ] == [ 1 [ 3 ] ]; }", "a", ["1", "2", "1", "3"]),
        ("{ a = builtins.foldl' (s: x: s + x) 0 [ 1 2 ]; }", "a", ["0", "1", "2"]),
        ("{ a = builtins.toJSON { x = 1; y = [ 2 ]; }; }", "a", ["1", "2"]),
    ],
)
def test_depends(text: str, path: str, expected: list[str]) -> None:
    """Tests, names and absences count; what was not looked at does not."""
    assert inputs(select(text, path)) == expected


def test_expression() -> None:
    """The formula, with literals at its leaves."""
    selected = select("let base = 8000; in { port = base + 80 * 1; }", "port")
    term: Any = expression(selected.origin)
    assert (term.op.words, term.arguments[1].op.words) == ("+", "*")
    assert term.arguments[0].leaf.span.text == "8000"


def test_hidden_definitions() -> None:
    """The left side of `//`, twice over, and the default that was not used."""
    found = hidden(select("{ a = 1; } // { a = 2; } // { a = 3; }", "a").origin)
    assert [each.value for each in found] == [1, 2] or [each.value for each in found] == [2, 1]
    assert all("//" in each.why.words for each in found)
    unused = hidden(select("({ p ? 80 }: { port = p; }) { p = 90; }", "port").origin)
    assert [(each.value, each.why.words) for each in unused] == [("80", "default not used")]


def test_hidden_through_variables() -> None:
    """The override is found behind bindings and functions too."""
    text = "let base = { port = 80; }; f = x: x // { port = 81; }; web = f base; in { inherit web; }"
    assert [each.value for each in hidden(select(text, "web.port").origin)] == [80]


def test_chain() -> None:
    """The hands a value went through, nearest first."""
    text = "let port = 80; conf = { inherit port; }; in { web = ({ p }: { listen = p; }) { p = conf.port; }; }"
    hands = [hand.how.words for hand in chain(select(text, "web.listen").origin)]
    assert hands == ["attribute listen", "argument p", "attribute p", "inherit port", "let port"]


def test_imports_and_files() -> None:
    """Through imported files to the literal in its own file; what is read from a file is that file."""
    files = {
        "/s/main.nix": "{ x = (import ./lib.nix { n = 3; }).y; t = builtins.readFile ./t; }",
        "/s/lib.nix": "{ n }:\n{ y = n; }",
        "/s/t": "hello",
    }
    outcome = NixOutcome(Request("/s/main.nix", PureHost(files), {}), False)
    leaf = where(outcome.select("x").origin)
    assert leaf is not None and leaf.span is not None
    assert leaf.span.place == "/s/main.nix:1:31"
    read = where(outcome.select("t").origin)
    assert read is not None and (read.kind, read.name) == ("file", "/s/t")


def test_arguments_are_inputs() -> None:
    """What comes from the command line is named."""
    options = {"expression": "{ n }: { a = n; }", "args": {"n": "1 + 1"}}
    outcome = NixOutcome(Request("", PureHost({}), options), False)
    leaf = where(outcome.select("a").origin)
    assert leaf is not None and (leaf.kind, leaf.name, leaf.value) == ("argument", "n", 2)


def test_derivations() -> None:
    """What goes into a derivation is what its paths depend on; `derivation` itself adds no inputs."""
    text = '{ d = derivation { name = "x"; system = "s"; builder = "b"; }; }'
    outcome = evaluate(text)
    assert inputs(outcome.select("d.outPath")) == ['"x"', '"s"', '"b"']
    assert place(outcome.select("d.name")) == '1:27 "x"'


def test_fixed_points() -> None:
    """Circular sets do not make circular histories."""
    text = "let fix = f: let x = f x; in x; in fix (self: { a = 1; b = self.a + 1; c = builtins.attrNames self; })"
    outcome = evaluate(text)
    assert inputs(outcome.select("b")) == ["1", "1"]
    assert outcome.select("c").value == ["a", "b", "c"]
    assert depends(outcome.select("").origin)


def test_merged_options_name_every_definition() -> None:
    """A module system's merge: each contributing definition is among the inputs, with its place."""
    text = """
    let
      modules = [
        { config.ports = [ 22 ]; }
        { config.ports = [ 80 443 ]; }
        { config.name = "web"; }
      ];
      defined = name: builtins.filter (m: m.config ? ${name}) modules;
      merged = name: builtins.concatLists (map (m: m.config.${name}) (defined name));
    in { ports = merged "ports"; }
    """
    outcome = evaluate(text)
    assert [place(outcome.select(f"ports[{n}]")) for n in range(3)] == ["4:28 22", "5:28 80", "5:31 443"]
    assert {"22", "80", "443"} <= set(inputs(outcome.select("ports")))


@pytest.mark.parametrize("seed", range(120))
def test_recording_changes_nothing(seed: int) -> None:
    """The same value or failure with recording on; every output has a history, and its term evaluates to its value."""
    text = program(seed + 5000)
    try:
        plain = evaluate(text).printed("text", strict=True)
    except (Diagnostic, ManyErrors) as problem:
        with pytest.raises(type(problem)):
            evaluate(text, traced=True).printed("text", strict=True)
        return
    outcome = evaluate(text, traced=True)
    assert outcome.printed("text", strict=True) == plain
    for selected in outcome.outputs():
        leaves = {leaf.key for leaf in depends(selected.origin)}
        source = where(selected.origin)
        assert source is None or source.key in leaves
        if isinstance(selected.value, bool | int | str):
            try:
                again = evaluate_term(expression(selected.origin), outcome.apply)
            except NotData:
                continue
            assert again == selected.value or "«" in str(selected.value) or callable(again)


@pytest.mark.parametrize("word", ["true", "false", "null", "builtins.true"])
def test_words_are_literals(word: str) -> None:
    """`true`, `false` and `null` are inputs as much as numbers are."""
    assert place(select(f"{{ enable = {word}; }}", "enable")) == f"1:12 {word}"


def test_words_as_tests() -> None:
    """A value behind a condition depends on the line that set it."""
    assert inputs(select("let on = true; in { a = if on then 1 else 2; }", "a")) == ["true", "1"]


def test_shadowed_words() -> None:
    """A program may bind `true` anew."""
    assert place(select("let true = 7; in { a = true; }", "a")) == "1:12 7"


@pytest.mark.parametrize(
    "text",
    [
        '"${./note}"',
        "builtins.toJSON ./note",
        '(derivation { name = "n"; system = "s"; builder = ./note; }).drvPath',
    ],
)
def test_copied_files_are_inputs(text: str, tmp_path: Path) -> None:
    """A store path is made from a hash of the file, so it depends on what the file holds."""
    (tmp_path / "note").write_text("hello")
    request = Request("", RealHost([str(tmp_path)], {}), {"expression": text, "directory": str(tmp_path)})
    files = [leaf.name for leaf in depends(NixOutcome(request, True).select("").origin) if leaf.kind == "file"]
    assert files == [str(tmp_path / "note")]


@pytest.mark.parametrize("text", ["builtins.currentTime", "__currentTime", "with builtins; currentTime"])
def test_the_time_is_an_input(text: str) -> None:
    """However it is written."""
    leaf = where(select(text).origin)
    assert leaf is not None and leaf.kind == "environment"


@pytest.mark.parametrize(
    "text",
    [
        "builtins.all (x: x > 0) [ 1 2 ]",
        "builtins.any builtins.isInt [ 1 2 ]",
        "builtins.all (x: x.a) [ { a = true; } ]",
    ],
)
def test_formulas_with_functions_are_refused(text: str) -> None:
    """A formula with a function in it is not computed again on the parts that are data."""
    outcome = evaluate(text)
    with pytest.raises(NotData):
        evaluate_term(expression(outcome.select("").origin), outcome.apply)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ a.b = 1; } ? a.b", True),
        ("{ a.b = 1; } ? a.c", False),
        ('{ "a.b" = 1; } ? "a.b"', True),
        ('{ "a.b" = 1; } ? a.b', False),
        ('{ a = { x = 1; }; } ? ${"a" + ""}.x', True),
        ('{ a = { x = 1; }; } ? a.${"y" + ""}', False),
        ('"a" ? a', False),
        ("builtins.typeOf (x: x)", "lambda"),
        ("builtins.isFunction map", True),
        ('toString /x/${"y"}', "/x/y"),
    ],
)
def test_formulas_of_tests_and_paths(text: str, expected: object) -> None:
    """The formula of `?` knows what the sets had."""
    outcome = evaluate(text)
    selected = outcome.select("")
    assert selected.value == expected
    assert evaluate_term(expression(selected.origin), outcome.apply) == expected


CAUGHT = [
    ("if x then 1 else throw y", "x y"),
    ("assert x; y", "x"),
    ("assert true; if z == 2 then 1 else throw y", "true z 2 y"),
    ("let f = v: assert v; 1; in f x", "x"),
    ("let f = { v ? throw y, ... }: v; in f { }", "y"),
    ("let f = { v, ... }: { w }: assert w > v; v; in f { v = z; } { w = 0; }", "0 z"),
    ('{ a = throw y; }.${if z == 1 then "a" else "b"} or (throw "d")', 'z 1 "b" "d"'),
    ('{ a = throw y; b = 1; }.${if z == 1 then "a" else "a"}', 'z 1 "a" y'),
    ('if { a = 1; } ? ${y} then 1 else throw "d"', 'y "d"'),
    ("with (if x then { } else { v = throw y; }); v", "x y"),
    ("builtins.seq z (z + (throw y))", "z y"),
    ("(({ a, ... }: { r = a; }) (if x then { a = 1; } else { a = throw y; })).r", "x y"),
    ("(({ a ? throw y }: { r = a; }) (if x then { a = 1; } else { })).r", "x y"),
    ("(args@{ a, ... }: args.a) (if x then { a = 1; } else { a = throw y; })", "x y"),
    ("(if x then { a.b = 1; } else { a = throw y; }).a.b or z", "x y"),
    ("builtins.head (builtins.filter (v: v > 4 || throw y) [ 5 z ])", "4 5 z y"),
    ("builtins.foldl' (p: q: if p > 3 then throw y else p + q) 0 [ z 3 4 ]", "3 0 z 3 y"),
    ('"${y}${toString z}${throw "d"}"', 'y z "d"'),
    ("z < (throw y)", "z y"),
    ("[ z (throw y) ] == [ 3 4 ]", "z 3 y"),
    ("(if x then (v: 1) else (v: throw v)) y", "x y"),
    ('builtins.addErrorContext (throw "d") (assert x; 1)', 'x "d"'),
    ("x && true || throw y", "x y"),
]
"""Expressions that fail, of `x`, `y` and `z`, and the literals that led to the failure."""


@pytest.mark.parametrize(("text", "expected"), CAUGHT, ids=[text for text, _ in CAUGHT])
def test_a_caught_failure_knows_what_led_to_it(text: str, expected: str) -> None:
    """`success` and `value` depend on the tests and operands that the failure met, and on no others."""
    program = f'let x = false; y = "why"; z = 3; in builtins.tryEval ({text})'
    names = {"x": "false", "y": '"why"', "z": "3"}
    wanted = sorted({names.get(word, word.replace("_", " ")) for word in expected.split()})
    for path in ("success", "value"):
        selected = select(program, path)
        assert selected.value is False
        assert sorted(set(inputs(selected))) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "let t = builtins.tryEval v; u = builtins.tryEval v; in u.success",
        "let t = builtins.tryEval v; in builtins.tryEval (assert t.success; 1)",
        "builtins.any (q: q) (builtins.attrValues (builtins.tryEval v))",
        "builtins.toJSON (builtins.tryEval v)",
        "map (q: q) (builtins.attrValues (builtins.tryEval v))",
        "(builtins.mapAttrs (n: q: !q) (builtins.tryEval v)).success",
        "if (builtins.tryEval (builtins.tryEval v).value).value then 1 else 2",
        "builtins.tryEval (builtins.deepSeq [ 1 { a = v; } ] 1) == { success = false; value = false; }",
    ],
)
def test_what_is_made_of_a_caught_failure(text: str) -> None:
    """A thunk that fails again, nested handlers, and builtins that move the answer: the cause stays known."""
    outcome = evaluate(f"let x = false; v = assert x; 1; in {text}")
    assert all("false" in inputs(each) for each in outcome.outputs())


def test_failing_deep_down() -> None:
    """A failure that unwinds thousands of frames."""
    text = "let f = n: if n == 0 then throw m else 1 + f (n - 1); m = 5; in (builtins.tryEval (f 6000)).success"
    text = text.replace("throw m", 'throw "${toString m}"')
    assert set(inputs(select(text))) == {"0", "5", "1", "6000"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('let l = builtins.stringLength "ab"; in { x = (x: x) (l + l); }', 4),
        ("{ x = (l: builtins.add (l - 1) 0) (builtins.add 1 2); }", 2),
        ('let lines = builtins.stringLength "abc"; in { x = builtins.head [ (lines * 2) ]; }', 6),
    ],
)
def test_arithmetic_on_what_is_still_to_be_computed(text: str, value: int) -> None:
    """An operand may be a thunk whatever its variable is called: the recorded sum waits for it."""
    assert select(text, "x").value == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(x: x + 1) 2", ["1", "2"]),
        ("map (x: x + 1) [ 2 ]", ["1", "2"]),
        ("let f = x: y: x; in f 1 2", ["1"]),
        ("(if true then (x: x) else (x: 9)) 3", ["true", "3"]),
        ("builtins.isFunction (x: x + 1)", ["x:"]),
        ("builtins.functionArgs ({ a, b ? 5, ... }@all: a + 7)", ["{ a, b ? 5, ... }@all:"]),
        ("if builtins.isAttrs ({ a }: a) then 1 else 2", ["{ a }:", "2"]),
        ("x: x + 1", ["x:"]),
        ("[ (x: y: x + y + 1) ]", ["x:"]),
        ("(x: 1) == 2", ["x:", "2"]),
    ],
)
def test_a_function_is_an_input_by_its_head_and_where_it_is_looked_at(text: str, expected: list[str]) -> None:
    """Calling a function is no look at it: what its body reads counts, not the lines of the body."""
    assert sorted(set(inputs(select(text)))) == sorted(expected)


def test_overrides_are_hands_too() -> None:
    """`__overrides` in a recursive set: the value that won, and the one that it hides."""
    selected = select("rec { a = 1; b = a + 1; __overrides = { a = 20; }; }", "a")
    assert selected.value == 20
    assert place(selected) == "1:45 20"
    assert [each.value for each in hidden(selected.origin)] == [1]
    assert any("__overrides" in each.how.words for each in chain(selected.origin))
    assert inputs(select("rec { a = 1; b = a + 1; __overrides = { a = 20; }; }", "b")) == ["1", "20"]


def test_overrides_that_are_not_evaluated_hide_nothing_that_was() -> None:
    """The attribute replaced need not have been computed."""
    selected = select('rec { a = abort "never"; __overrides = { a = 20 + 1; }; }', "a")
    assert selected.value == 21
    assert [each.value for each in hidden(selected.origin)] == [None]
