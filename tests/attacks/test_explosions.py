"""Programs of a few lines that ask for more than there is: each ends at a bound of the budget, and soon.

They are run with a fiftieth of the default budget: what draws from it is the same, and the tests are quick.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from attacks.running import wherefrom
from support.commands import Ran

BUDGET = "steps=400000,elements=500000,characters=4000000,pairs=200000,edges=20000,nodes=10000,interpolations=4000"


def doubled(first: str, step: str, end: str) -> str:
    steps = [step.replace("{0}", str(number)).replace("{1}", str(number + 1)) for number in range(40)]
    return "\n".join([first, *steps, end.replace("{0}", "40")])


ARRAYS = ("$a0 = ['x']", "$a{1} = [$a{0}, $a{0}]")
TUPLES = ("$a0 = Integer", "$a{1} = Tuple[$a{0}, $a{0}]")
VARIANTS = ("$a0 = Integer", "$a{1} = Variant[Array[$a{0}], Tuple[$a{0}, String]]")
SETS = ("let a0 = { x = 1; };", "a{1} = { l = a{0}; r = a{0}; };")
LISTS = ("let a0 = [ 1 ];", "a{1} = [ a{0} a{0} ];")
ALSO = " b0 = { x = 1; };" + " ".join(f"b{n + 1} = {{ l = b{n}; r = b{n}; }};" for n in range(40))
LONG = 'let s = builtins.concatStringsSep "" (builtins.genList (x: "0123456789") 10000); in '
NINES = "9" * 5_000

SHARED = (
    "$s = Integer[1,15].reduce('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') |$m, $i| { \"$m$m\" }\n"
    "$l = Integer[1,400].map |$i| { $s }\n"
)
PUPPET = {
    "calls": "function f($x) { if $x < 1 { 1 } else { f($x - 1) + f($x - 1) } } notice(f(60))",
    "titles": doubled(*ARRAYS, "notify { $a{0}: }"),
    "tree_each": doubled(*ARRAYS, "$a{0}.tree_each |$x| { }"),
    "data": doubled(*ARRAYS, "notice($a{0} =~ Data)"),
    "argument": "function f(Data $x) { 1 }\n" + doubled(*ARRAYS, "notice(f($a{0}))"),
    "parameter": doubled(*ARRAYS, "notify { 'a': message => $a{0} }"),
    "text": doubled(*ARRAYS, 'notice("${a{0}}")'),
    "tuples printed": doubled(*TUPLES, "notice($a{0})"),
    "tuples compared": doubled(
        *TUPLES, doubled("$b0 = Integer", "$b{1} = Tuple[$b{0}, $b{0}]", "notice($a40 == $b40)")
    ),
    "variants printed": doubled(*VARIANTS, "notice($a{0})"),
    "arrows": "$x = Integer[1,300].map |$i| { notify { \"a$i\": } Notify[\"a$i\"] } "
    "$y = Integer[1,300].map |$i| { notify { \"b$i\": } Notify[\"b$i\"] } $x -> $y",
    "collectors": "Integer[1,400].each |$i| { @notify { \"a$i\": } }\n"
    + "\n".join(f"Notify <| title != 'x{number}' |>" for number in range(400)),
    "blocks": "Integer[1,9000].each |$a| { Integer[1,9000].each |$b| { } }",
    "strftime": "notice(strftime(Timestamp(0), '%999999999Y'))",
    "keys that double": doubled("$a0 = [1]", "$a{1} = {$a{0} => $a{0}}", "$a{0}.tree_each |$x| { notice($x) }"),
    **{f"long texts: {use}": SHARED + use for use in (
        'notice("${l}")', "notice(String($l))", "notice(join($l))", "notice(join([1, 2, 3, 4, 5], $s))",
        "notice(sprintf('%s', $l))", "notice(sprintf('%1$s%1$s%1$s%1$s%1$s', $s))", "notify { 'x': message => $l }",
        "$l.each |$i, $x| { notify { \"a$i\": message => $x } }", "$l.each |$x| { notice($x) }",
        "notice($l.map |$x| { \"$x$x\" }.length)", "notice(regsubst($s, 'x', $s, 'G'))",
        "notice(regsubst($s, 'x', \"\\\\`\\\\'\", 'G'))", "notice(regsubst($l, 'x', 'yy', 'G'))", "notice(upcase($l))",
        "notice(strip($l).length)", "notice(inline_epp('<% $l.each |$x| { %><%= $x %><% } %>', {l => $l}))",
        "notice(split($s, '').length, split($s, '').length)",
    )},
    "keys": "$a = Hash(Integer[1,1000].map |$i| { [$i, $i] }) notice(Integer[1,9000].map |$i| { $a.keys }.length)",
}  # fmt: skip
NIX = {
    "calls": "let f = n: if n == 0 then 1 else f (n - 1) + f (n - 1); in f 60",
    "calls with sets": "let f = { n }: if n == 0 then 1 else f { n = n - 1; } + f { n = n - 1; }; in f { n = 60; }",
    "concatMap": "let l = builtins.genList (x: x) 10000; in builtins.length (builtins.concatMap (x: l) l)",
    "toJSON": doubled(*SETS, "in builtins.stringLength (builtins.toJSON a{0})"),
    "toXML": doubled(*SETS, "in builtins.stringLength (builtins.toXML a{0})"),
    "==": doubled(*SETS, ALSO + " in a{0} == b{0}"),
    "toString": doubled(*LISTS, "in builtins.stringLength (toString a{0})"),
    "derivation": doubled(*LISTS, 'in (derivation { name = "x"; system = "x"; builder = "x"; args = a{0}; }).outPath'),
    "genericClosure": "builtins.length (builtins.genericClosure { startSet = [ { key = 0; } ]; "
    "operator = x: [ { key = x.key + 1; } ]; })",
    "replaceStrings": LONG + 'builtins.stringLength (builtins.replaceStrings [ "" ] [ s ] s)',
    "genList": "builtins.length (builtins.genList (x: x) 1000000000)",
    "++": doubled("let a0 = [ 1 ];", "a{1} = a{0} ++ a{0};", "in builtins.length a{0}"),
    "+": doubled('let a0 = "xy";', "a{1} = a{0} + a{0};", "in builtins.stringLength a{0}"),
}


NAMES = [*(f"puppet {name}" for name in PUPPET), *(f"nix {name}" for name in NIX)]


def explode(name: str, folder: Path, *options: str) -> Ran:
    """Run one of the programs."""
    language, _, which = name.partition(" ")
    suffix, command = ("pp", "compile") if language == "puppet" else ("nix", "eval")
    (folder / f"a.{suffix}").write_text((PUPPET if language == "puppet" else NIX)[which])
    return wherefrom(command, f"a.{suffix}", *options, cwd=folder)


PLACELESS = {"puppet keys that double"}
"""What ends where no source is known: a key is weighed wherever a hash is made."""


@pytest.mark.parametrize("name", NAMES)
def test_what_explodes_meets_a_bound(name: str, tmp_path: Path) -> None:
    """Status 1, the bound and the option that would raise it, in little time and memory."""
    ran = explode(name, tmp_path, "--budget", BUDGET)
    assert ran.status == 1, ran
    assert b"error[W009]: the budget of " in ran.err, ran
    assert b"--budget " in ran.err, ran
    assert b" --> " in ran.err or name in PLACELESS, ran
    assert ran.megabytes < 500, ran
    assert ran.seconds < 10, ran


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_what_explodes_meets_a_default_bound(name: str, tmp_path: Path) -> None:
    """Within a gigabyte and ten seconds of the processor, whatever it asks for; some of them are allowed that much."""
    ran = explode(name, tmp_path)
    assert ran.status == 0 or b"error[W009]: the budget of " in ran.err, ran
    assert ran.megabytes < 1000, ran
    assert ran.seconds < 10, ran


BOUNDED = {
    "deep values": ("pp", "$a0 = []\n" + "\n".join(f"$a{n + 1} = [$a{n}]" for n in range(2500))
                    + "\nnotify { 'a': message => $a2500 }", 0),
    "trees without end": (
        "nix", "let g = x: { a = g (x + 1); b = g (x + 1); }; in (g 0) == (g 0)", 1
    ),
    "Init": ("pp", "type One = Init[One] notice(1 =~ One)", 0),
    "digits in Puppet": ("pp", f"notice('{NINES}' + 1)", 1),
    "digits in a version": ("pp", f"notice(SemVer('{NINES}.1.1'))", 1),
    "digits in TOML": ("nix", f'builtins.fromTOML "x = {NINES}"', 1),
    "digits in Nix": ("nix", NINES, 1),
    "long sums": ("nix", "1" + " + 1" * 4_000, 0),
    "long selections": ("nix", "let a = { b = a; }; in a" + ".b" * 4_000 + " == 1", 0),
    "a date in TOML": ("nix", 'builtins.fromTOML "x = 2001-99-99"', 1),
    "a plan": ("pp", "plan x() {}", 1),
    "a query for what is no name": ("pp", "@notify { 'a': } Notify <| **le == 'a' |>", 1),
    "calling null": ("nix", "null 1", 1),
    "calling truth": ("nix", "(x: true x 2) 1", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDED)
def test_what_is_large_or_odd_has_a_documented_end(name: str, tmp_path: Path) -> None:
    """Never status 3."""
    suffix, text, status = BOUNDED[name]
    (tmp_path / f"a.{suffix}").write_text(text)
    ran = wherefrom("eval" if suffix == "nix" else "compile", f"a.{suffix}", cwd=tmp_path)
    assert b"Warning" not in ran.err, ran
    assert ran.status == status, ran
    assert b"internal error" not in ran.err


YAML = {
    "a node in itself": "k: &a [*a]",
    "brackets": "k: " + "[" * 100_000,
    "aliases": "a0: &a0 [x]\n" + "\n".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]" for n in range(40)),
    "merges": "a0: &a0 {x: 1}\n" + "\n".join(f"a{n + 1}: &a{n + 1} {{<<: [*a{n}, *a{n}]}}" for n in range(40)),
    "digits": f"k: {NINES}",
}


@pytest.mark.parametrize("name", YAML)
@pytest.mark.parametrize("use", ["facts", "hiera"])
def test_yaml_that_has_no_end(name: str, use: str, tmp_path: Path) -> None:
    """In facts and in data: an error, and little memory."""
    (tmp_path / "env/manifests").mkdir(parents=True)
    (tmp_path / "env/data").mkdir()
    (tmp_path / "env/manifests/site.pp").write_text("notice(lookup('k', default_value => 1))")
    (tmp_path / "env/hiera.yaml").write_text("version: 5\nhierarchy:\n- {name: c, path: c.yaml}\n")
    (tmp_path / ("facts.yaml" if use == "facts" else "env/data/c.yaml")).write_text(YAML[name])
    arguments = ["--facts", "facts.yaml"] if use == "facts" else []
    ran = wherefrom("compile", "env", *arguments, cwd=tmp_path, gigabytes=1)
    assert ran.status == 1, ran
    assert ran.megabytes < 1000, ran
    assert ran.seconds < 10, ran
    assert b"internal error" not in ran.err


HIERA = {
    "values that double": (
        "hierarchy:\n- {name: c, path: c.yaml}\n",
        "a0: xxxxxxxx\n" + "\n".join(f"a{n + 1}: \"%{{lookup('a{n}')}}%{{lookup('a{n}')}}\"" for n in range(40))
        + "\nk: \"%{lookup('a40')}\"",
    ),
    "a uri": ("hierarchy:\n- {name: c, uri: 'http://x', data_hash: yaml_data}\n", "k: 1"),
    "a directory": ("hierarchy:\n- {name: c, path: folder}\n", "k: 1"),
    "a glob": ("hierarchy:\n- {name: c, glob: '**'}\n", "k: 1"),
    "a glob of braces": ("hierarchy:\n- {name: c, glob: '" + "{a,b}" * 40 + "'}\n", "k: 1"),
    "options": ("hierarchy:\n- {name: c, path: c.yaml}\n", "k: 1\nlookup_options: {k: 5}"),
}  # fmt: skip


@pytest.mark.parametrize("name", HIERA)
def test_odd_data_is_an_error_or_an_answer(name: str, tmp_path: Path) -> None:
    """Never status 3, and never for long."""
    config, data = HIERA[name]
    (tmp_path / "manifests").mkdir()
    (tmp_path / "data/folder").mkdir(parents=True)
    (tmp_path / "manifests/site.pp").write_text("notice(lookup('k'))")
    (tmp_path / "hiera.yaml").write_text("version: 5\n" + config)
    (tmp_path / "data/c.yaml").write_text(data)
    ran = wherefrom("compile", ".", "--budget", BUDGET, cwd=tmp_path)
    assert ran.status in (0, 1), ran
    assert b"internal error" not in ran.err


def test_digits_in_the_settings(tmp_path: Path) -> None:
    """`wherefrom.toml` is read before anything else is."""
    (tmp_path / "wherefrom.toml").write_text(f"x = {NINES}")
    (tmp_path / "a.pp").write_text("notice(1)")
    ran = wherefrom("compile", "a.pp", cwd=tmp_path)
    assert ran.status == 1, ran
    assert ran.err.startswith(b"error[W040]: wherefrom.toml is not TOML"), ran
