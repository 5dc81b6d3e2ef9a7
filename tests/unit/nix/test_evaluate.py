"""The evaluator: depth, bounds, errors with their places, imports, arguments."""

from __future__ import annotations

from typing import Any

import pytest

from support.nix_language import answer, evaluate
from wherefrom.base.diagnostics import Diagnostic, LimitReached, ManyErrors, OutsideRoots, PathNotFound, UsageError
from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile
from wherefrom.language import Inputs
from wherefrom.nix.front.language import LANGUAGE, NixOutcome, Request
from wherefrom.nix.kernel.errors import InfiniteRecursion, MissingArgument, NixError, UndefinedVariable


def run(files: dict[str, str], path: str = "/site/main.nix", traced: bool = False, **options: Any) -> NixOutcome:
    return NixOutcome(Request(path, PureHost(files), options), traced)


def failure(text: str) -> Diagnostic:
    with pytest.raises(Diagnostic) as raised:
        evaluate(text).printed("text", strict=True)
    return raised.value


# --- depth ---


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("let f = n: if n == 0 then 0 else 1 + f (n - 1); in f 20000", "20000"),
        ("let f = n: if n == 100000 then n else f (n + 1); in f 0", "100000"),
        ("let f = { n }: if n == 0 then 0 else 1 + f { n = n - 1; }; in f { n = 20000; }", "20000"),
        (
            "let at = builtins.elemAt; xs = builtins.genList (i: if i == 0 then 0 else at xs (i - 1) + 1) 9999;"
            " in at xs 9998",
            "9998",
        ),
        ("builtins.foldl' (s: f: f s) 0 (builtins.genList (i: x: x + 1) 20000)", "20000"),
    ],
)
def test_deep_recursion(text: str, value: str, traced: bool) -> None:
    """20,000 nested calls and more, as in Nix."""
    assert answer(text, traced=traced) == value


def test_runaway_recursion_is_bounded() -> None:
    """A function that never returns is a diagnostic."""
    assert isinstance(failure("let f = x: f (x + 1); in f 0"), LimitReached)
    assert isinstance(failure("let x = { a = x; }; y = { a = y; }; in x == y"), LimitReached)
    assert isinstance(failure("let f = n: [ (f (n + 1)) ]; in f 0"), LimitReached)
    for start, double in (("[ 1 ]", "p ++ p"), ('"a"', "p + p"), ('"a"', '"${p}-${p}"')):
        text = f"let f = n: if n == 0 then {start} else let p = f (n - 1); in {double}; in f 60"
        problem = failure(text)
        assert isinstance(problem, LimitReached) and problem.span is not None and problem.span.text == double


def test_infinite_recursion_names_the_cycle() -> None:
    """The error points at every thunk of the circle."""
    problem = failure("let\n  a = b + 1;\n  b = c;\n  c = 2 * a;\nin a")
    assert isinstance(problem, InfiniteRecursion)
    assert {label.span.text for label in problem.labels} >= {"b + 1", "2 * a"}
    assert "again" in problem.labels[0].text


def test_failed_thunks_fail_again() -> None:
    """A thunk that failed can be asked again and fails in the same way."""
    assert answer('let x = throw "a"; t = builtins.tryEval; in [ (t x).success (t x).success ]') == "[ false false ]"


@pytest.mark.parametrize("deep", [300, 3000])
@pytest.mark.parametrize(
    "form",
    ["[%s]", "{ a = %s; }", "(x: %s) 1", "let a = 1; in %s", "if true then %s else 0", "with { }; %s", "(1 + %s)"],
)
def test_deep_nesting_compiles(form: str, deep: int) -> None:
    """Nesting beyond what Python's own parser takes."""
    before, after = form.split("%s")
    assert not answer(before * deep + "1" + after * deep).startswith("error")


def test_wide_programs_compile() -> None:
    """Long selections, calls and functions."""
    assert answer("{ a = " * 300 + "1" + "; }" * 300 + ".a" * 300) == "1"
    names = [f"a{n}" for n in range(300)]
    assert answer(f"let f = {': '.join(names)}: a299; in f {' '.join(map(str, range(300)))}") == "299"
    assert answer(f"({': '.join(names)}: a7) {' '.join(map(str, range(300)))}") == "7"


def test_odd_names() -> None:
    """Names that Python would not take."""
    assert answer('rec { "0" = 1; "" = 2; "a b" = 3; "é" = 4; "lambda" = 5; x = lambda; }.x') == "5"
    assert answer('let "0" = 1; class = 2; None = 3; "a-b" = class; in [ a-b None ]') == "[ 2 3 ]"


# --- errors ---


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ('1 + "a"', "N028", "1:1"),
        ("{ a = 1; }.b", "N022", "1:12"),
        ("1 2", "N023", "1:1"),
        ("({ a }: a) { }", "N024", "1:4"),
        ("({ a }: a) { a = 1; b = 2; }", "N025", "1:21"),
        ("1 / 0", "N026", "1:1"),
        ("{ } < 1", "N027", "1:1"),
        ("let x = x; in x", "N030", "1:9"),
        ('throw "stop"', "N031", "1:1"),
        ("assert 1 == 2; 3", "N032", "1:8"),
        ('abort "stop"', "N033", "1:1"),
        ("if 1 then 2 else 3", "N020", "1:4"),
        ('"${1}"', "N021", "1:1"),
        ("with { }; nope", "N010", "1:11"),
        ("builtins.head [ ]", "N040", "1:1"),
    ],
)
def test_codes_and_places(text: str, code: str, place: str) -> None:
    """Every error has a stable code and points into the source."""
    problem = failure(text)
    if not code.startswith("N04"):
        assert problem.code == code
    assert problem.span is not None
    assert problem.span.place == f"«string»:{place}"


def test_hints() -> None:
    """Mistyped names get the name that was meant."""
    assert failure("{ port = 1; }.prot").help == "did you mean 'port'?"
    assert failure("({ port }: 1) { port = 1; prot = 2; }").help == "did you mean 'port'?"
    assert failure("let port = 1; in prot").help == "did you mean 'port'?"


def test_several_unbound_names_at_once() -> None:
    """All of them are reported, in order."""
    with pytest.raises(ManyErrors) as raised:
        evaluate("{ a = nope; b = nada; }")
    assert [str(each.message) for each in raised.value.diagnostics] == [
        "undefined variable 'nope'",
        "undefined variable 'nada'",
    ]


# --- files ---


def test_imports() -> None:
    """Relative to the importing file, a directory's default.nix, each file once."""
    files = {
        "/site/main.nix": "{ a = import ./lib; b = (import ./lib/one.nix).x; same = import ./lib == import ./lib; }",
        "/site/lib/default.nix": "rec { inherit (import ./one.nix) x; f = y: y; y = f x; }",
        "/site/lib/one.nix": "{ x = 1; }",
    }
    assert run(files).printed("text", strict=True) == "{ a = { f = <LAMBDA>; x = 1; y = 1; }; b = 1; same = true; }"


def test_search_path() -> None:
    """`<name>` looks through `-I`, in order; NIX_PATH does not count."""
    files = {"/site/main.nix": "[ (import <one>) (import <two/x.nix>) ]", "/a/default.nix": "1", "/b/two/x.nix": "2"}
    assert run(files, search_path=["one=/a", "/b"]).printed("text", strict=True) == "[ 1 2 ]"
    with pytest.raises(NixError, match="not found in the Nix search path"):
        run(files, search_path=["/b"]).printed("text", strict=True)


def test_missing_file() -> None:
    """The error names the file and the place of the import."""
    with pytest.raises(NixError, match=r"no-such\.nix") as raised:
        run({"/site/main.nix": "\nimport ./no-such.nix"})
    assert raised.value.span is not None
    assert raised.value.span.place == "/site/main.nix:2:1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import ./nope.nix", "getting status of '/site/nope.nix'"),
        ("scopedImport { } ./nope.nix", "getting status of '/site/nope.nix'"),
        ("import ./lib", "opening file '/site/lib/default.nix'"),
    ],
)
def test_an_import_of_nothing_has_nix_own_words(text: str, words: str) -> None:
    """What a name stands for is asked first; in a directory a file is opened (Nix 2.8)."""
    with pytest.raises(NixError) as raised:
        run({"/site/main.nix": text, "/site/lib/other.nix": "1"})
    assert raised.value.message == f"{words}: No such file or directory"


def test_errors_in_imported_files() -> None:
    """A syntax error or unbound name is reported in its own file."""
    with pytest.raises(UndefinedVariable) as raised:
        run({"/site/main.nix": "import ./bad.nix", "/site/bad.nix": "\n  nope"})
    assert raised.value.span is not None
    assert raised.value.span.place == "/site/bad.nix:2:3"


def test_bytes_that_are_not_text() -> None:
    """Strings are bytes in Nix: what is not UTF-8 passes through."""
    outcome = run(
        {
            "/site/main.nix": '{ text = builtins.readFile ./raw; l = builtins.stringLength "\udcff"; }',
            "/site/raw": "a\udcffb",
        }
    )
    assert outcome.printed("text", strict=True) == '{ l = 1; text = "a\udcffb"; }'


def test_outside_roots() -> None:
    """Files outside the given directories can not be read."""
    with pytest.raises(OutsideRoots):
        evaluate("import /etc/passwd")


# --- arguments ---


def test_arguments_and_attribute_paths() -> None:
    """`--arg`, `--argstr` and `-A`, with functions called on the way."""
    files = {"/site/main.nix": "{ n ? 1, name }: { a.b = [ n name ]; f = { n }: n + 1; g = x: x; }"}

    def printed(**options: Any) -> str:
        return run(files, **options).printed("text", strict=True)

    assert printed(argstrs={"name": "x"}, attr_path="a.b") == '[ 1 "x" ]'
    assert printed(args={"n": "1 + 4"}, argstrs={"name": "x"}, attr_path="a.b.0") == "5"
    assert printed(args={"n": "2"}, argstrs={"name": "x"}, attr_path="f") == "3"
    assert printed(argstrs={"name": "x"}, attr_path="g") == "<LAMBDA>"
    assert printed() == "<LAMBDA>"
    with pytest.raises(MissingArgument):
        printed(args={"n": "1"}, attr_path="a")
    with pytest.raises(NixError, match="'q' in selection path 'q' not found"):
        printed(argstrs={"name": "x"}, attr_path="q")


def test_logs() -> None:
    """`builtins.trace` becomes a log line."""
    outcome = evaluate('builtins.trace "looking" 1')
    assert [log.message for log in outcome.logs] == ["trace: looking"]


# --- the language's front door ---


def test_check_reports_everything() -> None:
    """A syntax error, or every unbound name."""
    host = PureHost({})
    assert [each.code for each in LANGUAGE.check(SourceFile("a.nix", "{ a = "), host)] == ["N001"]
    assert [each.code for each in LANGUAGE.check(SourceFile("a.nix", "[ x y ]"), host)] == ["N010", "N010"]
    assert LANGUAGE.check(SourceFile("a.nix", "x: x"), host) == []


def test_outcome_paths() -> None:
    """Paths into the value, with hints."""
    outcome = evaluate('{ services.web = { ports = [ 80 443 ]; "odd name".x = 1; }; }')
    assert outcome.select("services.web.ports[1]").value == 443
    assert outcome.select('services.web."odd name".x').value == 1
    assert outcome.select("").value == outcome.document()
    odd = evaluate(r'{ "a.\t\"\${b" = { c = 1; }; }')
    assert [each.path for each in odd.outputs()] == [r'"a.\t\"\${b".c']
    assert odd.select(r'"a.\t\"\${b".c').value == 1
    with pytest.raises(PathNotFound) as raised:
        outcome.select("servces.web.ports")
    assert raised.value.help == "did you mean services?"
    for path in ("services.web.ports[2]", "services[0]", "services.web.ports.x", "services.web.ports[0].x"):
        with pytest.raises(PathNotFound):
            outcome.select(path)


def test_missing() -> None:
    """What made the set that lacks the attribute: the literal and the test that picked it."""
    outcome = evaluate("let on = 1 == 2; in { web = if on then { port = 80; } else { host = 1; }; }")
    notes = outcome.missing("web.port")
    assert [(note.message, note.span.text) for note in notes if note.span] == [
        ("selected here (if: else)", "if on then { port = 80; } else { host = 1; }"),
        ("created here, without it", "{ host = 1; }"),
        ("computed here by ==", "1 == 2"),
    ]


def test_outputs() -> None:
    """Every smallest value, in order of names."""
    found = [(each.path, each.value) for each in evaluate("{ b = [ 1 { } ]; a.x = null; c = { }; }").outputs()]
    assert found == [("a.x", None), ("b[0]", 1), ("b[1]", {}), ("c", {})]


def test_positions() -> None:
    """Where each attribute was defined."""
    outcome = run({"/site/main.nix": "{\n  a.b = 1;\n  c = { d = 2; } // { d = 3; };\n}"})
    assert dict(outcome.positions()) == {
        "a": "/site/main.nix:2:3",
        "a.b": "/site/main.nix:2:3",
        "c": "/site/main.nix:3:3",
        "c.d": "/site/main.nix:3:23",
    }


def test_nothing_to_evaluate() -> None:
    """A request needs a file or an expression."""
    with pytest.raises(UsageError):
        LANGUAGE.run("", PureHost({}), Inputs())


def test_an_attribute_that_needs_a_deep_stack_is_printed_without_strict() -> None:
    """What `-A` names is computed when it is printed, with as much room as the rest of the program."""
    text = "{ x = let f = n: if n == 0 then 0 else 1 + f (n - 1); in f 3000; }"
    assert evaluate(text, attr_path="x").printed() == "3000"
