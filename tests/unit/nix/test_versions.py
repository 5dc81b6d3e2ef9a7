"""What changed in the language since Nix 2.8: each change, just before it and since.

The texts are ours; what each version says of them is taken from its release notes and reference manual.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.nix_builtins import evaluate
from wherefrom.base.diagnostics import Diagnostic, UsageError
from wherefrom.base.source import SourceFile
from wherefrom.nix.kernel.versions import FEATURES, LATEST, OLD, Dialect, parse_dialect, parse_version
from wherefrom.nix.syntax.parser import parse

DOCS = Path(__file__).resolve().parents[3] / "docs" / "nix.md"
LARGEST = "9223372036854775807"
FAILS = "an error"

CHANGES = [
    ((2, 9), "break 1", FAILS, "1"),
    ((2, 9), "builtins ? break", "false", "true"),
    ((2, 10), 'builtins.traceVerbose (throw "not looked at") 1', FAILS, "1"),
    ((2, 12), "builtins.toJSON [ 1.0 1.23456789 10000000000.0 (-0.5) ]", '"[1,1.23457,1e+10,-0.5]"', None),
    ((2, 12), "builtins.toJSON 10000000000.0", '"1e+10"', '"10000000000.0"'),
    ((2, 14), 'builtins.readFileType (builtins.toFile "x" "")', FAILS, '"regular"'),
    ((2, 16), 'builtins.replaceStrings [ "a" "b" ] [ "x" (throw "unused") ] "a"', FAILS, '"x"'),
    ((2, 17), '{ a = { x = 1; }; a = { ${"y" + ""} = 2; }; }', "{ a = { x = 1; }; }", "{ a = { x = 1; y = 2; }; }"),
    ((2, 17), '{ a = { x = 1; }; a = { ${"x" + ""} = 2; }; }', "{ a = { x = 1; }; }", FAILS),
    ((2, 18), 'builtins.parseFlakeRef "nixpkgs"', FAILS, '{ id = "nixpkgs"; type = "indirect"; }'),
    ((2, 18), 'builtins.flakeRefToString { type = "indirect"; id = "a"; }', FAILS, '"flake:a"'),
    ((2, 18), "builtins ? getFlake", "false", "true"),
    ((2, 19), 'builtins.convertHash { hash = "md5-1B2M2Y8AsgTpgAmY7PhCfg=="; toHashFormat = "nix32"; }', FAILS, None),
    ((2, 21), '(builtins.unsafeGetAttrPos "x" (let x = 1; in { inherit x; })).column', "56", "57"),
    ((2, 23), 'builtins.warn "old" 1', FAILS, "1"),
    ((2, 23), "builtins.warn 1 1", FAILS, FAILS),
    ((2, 25), f"{LARGEST} + 1", "-9223372036854775808", FAILS),
    ((2, 25), f"-2 - {LARGEST}", LARGEST, FAILS),
    ((2, 25), f"{LARGEST} * 2", "-2", FAILS),
    ((2, 25), f"builtins.add {LARGEST} 1", "-9223372036854775808", FAILS),
    ((2, 25), f"let x = {LARGEST}; in builtins.length [ (x + 1) ]", "1", "1"),
    ((2, 25), f"let x = {LARGEST}; in (y: 1) (x * x)", "1", "1"),
    ((2, 25), 'builtins.fromJSON "9223372036854775808"', "-9223372036854775808", FAILS),
    ((2, 26), '"a\0b" == ""', "false", FAILS),
    ((2, 26), "''\0'' == \"\"", "false", FAILS),
    ((2, 26), 'builtins.toJSON "\udcff" == ""', "false", FAILS),
    ((2, 26), 'fromTOML "\\"a\\\\u0000\\" = 1" == { }', "false", FAILS),
    ((2, 29), f"builtins.floor ({LARGEST} * 4.0)", "-9223372036854775808", FAILS),
    ((2, 29), f"builtins.ceil ({LARGEST} * 4.0)", "-9223372036854775808", FAILS),
    ((2, 32), 'fromTOML "a = 9223372036854775808"', f"{{ a = {LARGEST}; }}", FAILS),
]


def answer(expression: str, dialect: Dialect, traced: bool = False) -> str:
    """The value, or that there is none."""
    try:
        return evaluate(expression, traced=traced, dialect=dialect)
    except Diagnostic:
        return FAILS


@pytest.mark.parametrize("traced", [False, True], ids=["plain", "recorded"])
@pytest.mark.parametrize(("since", "expression", "before", "after"), CHANGES)
def test_changes(since: tuple[int, int], expression: str, before: str, after: str | None, traced: bool) -> None:
    """Before a change the old answer, from then on the new one."""
    assert answer(expression, OLD, traced) == before
    assert answer(expression, Dialect((since[0], since[1] - 1)), traced) == before
    new = answer(expression, Dialect(since), traced)
    assert new == after if after is not None else new not in (before, FAILS)
    assert answer(expression, Dialect(LATEST), traced) == new


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("1.0", "1.0"),
        ("1.5", "1.5"),
        ("0.1", "0.1"),
        ("1.23456789", "1.23456789"),
        ("123456789012345.0", "123456789012345.0"),
        ("1000000000000000.0", "1e+15"),
        ("1234567890123456.0", "1.234567890123456e+15"),
        ("1.0e20", "1e+20"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("1.5e-7", "1.5e-07"),
        ("-2.5e-300", "-2.5e-300"),
    ],
)
def test_floats_in_json(number: str, text: str) -> None:
    """The shortest digits, as the JSON library of later versions writes them."""
    assert evaluate(f"builtins.toJSON ({number})", dialect=Dialect((2, 12))) == f'"{text}"'


STAMPS = Dialect(LATEST, frozenset({"parse-toml-timestamps"}))


@pytest.mark.parametrize(
    ("toml", "value"),
    [
        ("t = 1979-05-27T00:32:00.123456789-07:00", "1979-05-27T00:32:00.123456789-07:00"),
        ("t = 1979-05-27 00:32:00.1234567891z", "1979-05-27T00:32:00.123456789Z"),
        ("t = 07:32:00.9999999", "07:32:00.999999900"),
        ("t = 07:32:00.123456000", "07:32:00.123456"),
        ("t = '07:32:00.1234567'", None),
        ('x = """ "" 07:32:00.1234567 """""\nt = "07:32:00.1234567" # 07:32:00.1234567', None),
    ],
)
def test_nanoseconds(toml: str, value: str | None) -> None:
    """A time keeps nine digits of its second; what only looks like a time, in a string or comment, is none."""
    answer = evaluate(f"(fromTOML ''{toml}\n'').t", dialect=STAMPS)
    assert answer == ('"07:32:00.1234567"' if value is None else f'{{ _type = "timestamp"; value = "{value}"; }}')


PIPES = Dialect(LATEST, frozenset({"pipe-operators"}))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 |> (x: x + 1) |> toString", '"2"'),
        ("toString <| (x: x + 1) <| 1", '"2"'),
        ("1 + 1 |> toString", '"2"'),
        ("{ f = x: x; }.f <| 1 == 1", "true"),
        ("[ 1 ] ++ [ 2 ] |> builtins.length", "2"),
        ("let f = a: b: a - b; in 10 |> f 3", "-7"),
        ('(throw "never") |> (x: 1)', "1"),
        ("1 |> (x: x) <| 2", FAILS),
        ("1 |>", FAILS),
    ],
)
def test_pipes(expression: str, value: str) -> None:
    """The weakest operators; they are lazy, and do not mix."""
    assert answer(expression, PIPES) == value
    assert answer(expression, PIPES, traced=True) == value
    assert answer(expression, Dialect(LATEST)) == FAILS


TIMES = Dialect(LATEST, frozenset({"parse-toml-timestamps"}))


@pytest.mark.parametrize(
    "text", ["1979-05-27T07:32:00Z", "1979-05-27T00:32:00-07:00", "1979-05-27T07:32:00", "1979-05-27", "07:32:00"]
)
def test_timestamps(text: str) -> None:
    """Dates and times keep their text."""
    assert answer(f'fromTOML "t = {text}"', TIMES) == f'{{ t = {{ _type = "timestamp"; value = "{text}"; }}; }}'
    assert answer(f'fromTOML "t = {text}"', Dialect(LATEST)) == FAILS


ELSEWHERE = {
    (2, 12): "what a flake has: test_flakes.py",
    (2, 14): "what a flake has: test_flakes.py",
    (2, 17): "timestamps: below",
    (2, 24): "pipes: below",
    (2, 26): "relative inputs of flakes: test_flakes.py",
    (2, 30): "inputs that are no flakes: test_flakes.py",
}
"""Versions with changes that are no matter of one expression, and where they are tested."""


def test_every_change_in_the_docs_has_a_case() -> None:
    """The table of `docs/nix.md`: each row names its source, and each version in it has a case, and no other has."""
    text = DOCS.read_text("utf-8")
    table = text[text.index("| since | what | before |") :].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in row.replace("\\|", "!").strip("|").split("|")] for row in table]
    assert all(len(row) == 4 and row[3] for row in rows)
    told = {tuple(map(int, number.split("."))) for row in rows for number in row[0].split(", ")}
    assert told == {since for since, *_ in CHANGES} | ELSEWHERE.keys()


def test_toml_must_be_utf8() -> None:
    """Bytes that are no UTF-8 are an error in all versions, wherever they stand."""
    for text in ('a = \\"\udcff\\"', "# \udcff", "a = '\udcff'"):
        assert answer(f'fromTOML "{text}"', OLD) == FAILS
    assert answer("fromTOML \"a = 'é'\"", OLD) == '{ a = "é"; }'


def test_outputs_may_not_be_called_drv_path() -> None:
    """Since 2.23."""
    text = '(derivation { name = "x"; builder = "b"; system = "s"; outputs = [ "drvPath" ]; }).drvPath != ""'
    assert answer(text, Dialect((2, 23))) == FAILS


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (
            "builtins.convertHash {"
            ' hash = "d41d8cd98f00b204e9800998ecf8427e"; hashAlgo = "md5"; toHashFormat = "sri"; }',
            '"md5-1B2M2Y8AsgTpgAmY7PhCfg=="',
        ),
        (
            'builtins.convertHash { hash = "md5:d41d8cd98f00b204e9800998ecf8427e"; toHashFormat = "base64"; }',
            '"1B2M2Y8AsgTpgAmY7PhCfg=="',
        ),
        ('builtins.convertHash { hash = "nonsense"; hashAlgo = "md5"; toHashFormat = "sri"; }', FAILS),
        ('builtins.convertHash { hash = "md5-1B2M2Y8AsgTpgAmY7PhCfg=="; toHashFormat = "rot13"; }', FAILS),
        ('builtins.convertHash { toHashFormat = "sri"; }', FAILS),
        (
            'let d = derivation { name = "x"; builder = "b"; system = "s"; }; in builtins.getContext'
            " (builtins.addDrvOutputDependencies (builtins.unsafeDiscardOutputDependency d.drvPath))"
            " == builtins.getContext d.drvPath",
            "true",
        ),
        ('builtins.addDrvOutputDependencies "x"', FAILS),
        ("builtins.outputOf 1 2", FAILS),
        ('builtins.parseFlakeRef "a b"', FAILS),
        ("builtins.flakeRefToString { type = 1.5; }", FAILS),
        ("builtins.readFileType /no/such", FAILS),
    ],
)
def test_newer_builtins(expression: str, value: str) -> None:
    """What they give, and what they refuse."""
    assert answer(expression, Dialect(LATEST)) == value


def test_local_trees_and_flakes(tmp_path: Path) -> None:
    """`fetchTree` and `getFlake` take directories, below the allowed ones."""
    (tmp_path / "flake.nix").write_text("{ outputs = { self }: { x = 41; hash = self.narHash; }; }")
    new = Dialect(LATEST)
    text = f'let f = builtins.getFlake "path:{tmp_path}"; in f.x + 1'
    assert evaluate(text, directory=tmp_path, dialect=new) == "42"
    text = (
        f'let t = fetchTree {{ type = "path"; path = "{tmp_path}"; }}; f = builtins.getFlake "{tmp_path}"; in'
        ' [ (t.narHash == f.hash) (builtins.readDir t) (t.outPath == "${f}") ]'
    )
    assert evaluate(text, directory=tmp_path, dialect=new) == '[ true { "flake.nix" = "regular"; } true ]'
    assert answer('builtins.getFlake "github:o/r"', new) == FAILS
    assert answer('fetchTree { type = "github"; owner = "o"; repo = "r"; }', new) == FAILS
    assert answer(f'fetchTree "path:{tmp_path}"', new) == FAILS


@pytest.mark.parametrize(
    ("text", "version"), [(None, (2, 8)), ("2.18", (2, 18)), ("2.24.1", (2, 24)), ("latest", LATEST)]
)
def test_versions_by_name(text: str | None, version: tuple[int, int]) -> None:
    """What may be given with `--nix`."""
    assert parse_version(text) == version


@pytest.mark.parametrize("text", ["2.7", "2.99", "3", "two", "", "2.x", "1.11.16"])
def test_unknown_versions(text: str) -> None:
    """What may not."""
    with pytest.raises(UsageError, match="unknown version"):
        parse_version(text)


def test_features_need_their_version() -> None:
    """A feature that the version does not have is a mistake, and so is one that no version has."""
    assert parse_dialect("latest", FEATURES).features == frozenset(FEATURES)
    with pytest.raises(UsageError, match=r"came with Nix 2\.24"):
        parse_dialect("2.8", ["pipe-operators"])
    with pytest.raises(UsageError, match="unknown feature"):
        parse_dialect("latest", ["pipe-operatros"])


def test_the_old_parser_knows_no_pipes() -> None:
    """The error says how to switch them on."""
    with pytest.raises(Diagnostic) as caught:
        parse(SourceFile("x.nix", "1 |> f"))
    assert "--feature pipe-operators" in (caught.value.help or "")
