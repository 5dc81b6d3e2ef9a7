# ruff: noqa: E501 - programs stand on one line
"""Small programs that try to be large: doubling, nesting and recursion, in every language, from a random choice."""

from __future__ import annotations

import random


def explosion(chance: random.Random) -> tuple[str, str]:
    """A language and a program in it."""
    return chance.choice((_puppet, _nix, _smartfrog))(chance)


def _doubled(chance: random.Random, first: str, step: str, end: str) -> str:
    """`first`, and `step` again and again: `{0}` is the number before, `{1}` its own, both at once the names."""
    count = chance.randint(5, 60)
    lines = [first, *(step.replace("{0}", str(number)).replace("{1}", str(number + 1)) for number in range(count))]
    return "\n".join(lines) + "\n" + end.replace("{0}", str(count))


def _puppet(chance: random.Random) -> tuple[str, str]:
    first, step = chance.choice((
        ("$a0 = ['x']", "$a{1} = [$a{0}, $a{0}]"),
        ("$a0 = ['x']", "$a{1} = $a{0} + $a{0}"),
        ("$a0 = {'x' => 1}", "$a{1} = {'l' => $a{0}, 'r' => $a{0}}"),
        ("$a0 = 'xy'", '$a{1} = "${a{0}}${a{0}}"'),
        ("$a0 = Integer", "$a{1} = Tuple[$a{0}, $a{0}]"),
        ("$a0 = Integer", "$a{1} = Variant[Array[$a{0}], Tuple[$a{0}, String]]"),
        ("$a0 = Integer", "$a{1} = Struct[{a => $a{0}, b => Optional[$a{0}]}]"),
        ("$a0 = 1", "$a{1} = [$a{0}]"),
        ("$a0 = [1]", "$a{1} = {$a{0} => $a{0}}"),
    ))  # fmt: skip
    end = chance.choice((
        "notice($a{0})", "notify { $a{0}: }", "notify { 'a': message => $a{0} }", "notice($a{0} == [$a{0}])",
        "$b = [$a{0}, $a{0}] notice($b == [$a{0}, $a{0}])", "notice($a{0} =~ Data)", "notice(type($a{0}))",
        "$a{0}.tree_each |$x| { notice($x) }", "notice(flatten([$a{0}]).length)", "notice(String($a{0}, '%p'))",
        "notice([1] =~ $a{0})", "notice(unique([$a{0}, $a{0}]))", "notice($a{0} in [$a{0}])", "notice({$a{0} => 1})",
        "function f(RichData $x) { $x } notice(f($a{0}))", "[$a{0}].each |$x| { notice($x) }", "notice(\"${a{0}}\")",
        "notice([$a{0}].reverse_each)", "Notify <| message == $a{0} |>", "notice(String($a{0}).length)",
        "case 1 { $a{0}: { } default: { } }", "notice(Integer($a{0}))", "notice(Array($a{0}, true))",
    ))  # fmt: skip
    others = (
        "function f($x) { if $x < 1 { 1 } else { f($x - 1) + f($x - 1) } } notice(f(N))",
        'define d($n) { if $n > 0 { d { "${title}a": n => $n - 1 } d { "${title}b": n => $n - 1 } } } d { \'x\': n => N }',
        "Integer[1, 9N].each |$a| { Integer[1, 9N].each |$b| { Integer[1, 9N].each |$c| { } } }",
        'Integer[1, 9N].each |$i| { @notify { "a$i": } Notify <| title != "x$i" |> }',
        '$x = Integer[1, 9N].map |$i| { notify { "a$i": } Notify["a$i"] } $x -> $x',
        "notice(Integer[1, 9N].reduce([]) |$m, $i| { $m + [$m] })",
        "notice(Integer[1, 9N].reduce('') |$m, $i| { \"${m}${m}x\" }.length)",
        "type T = Init[T] notice(N =~ T) type U = Array[U] notice([[[]]] =~ U) type V = Variant[V, Array[V]] notice([N] =~ V)",
        "notice(strftime(Timestamp(N), '%9N9N9Y'), sprintf('%9N9Nd', 1))",
        "notice(N << 9N, 'N' * N, -N ** 9)",
        "class a { include b } class b { include a } include a notice(Integer[1, 9N].map |$x| { [$x] * 9 })",
    )
    if chance.random() < 0.4:
        return "puppet", chance.choice(others).replace("N", str(chance.randint(1, 99)))
    if chance.random() < 0.15:
        opening, closing = chance.choice(
            (("[", "]"), ("{a => ", "}"), ("(", ")"), ("if true { ", " }"), ("Array[", "]"), ("!", ""))
        )
        depth = chance.choice((50, 1_000, 5_000))
        return (
            "puppet",
            f"$x = {opening * depth}1{closing * depth}"
            if opening != "if true { "
            else opening * depth + closing * depth,
        )
    return "puppet", _doubled(chance, first, step, end)


def _nix(chance: random.Random) -> tuple[str, str]:
    first, step = chance.choice((
        ("let a0 = [ 1 ];", "a{1} = [ a{0} a{0} ];"),
        ("let a0 = [ 1 ];", "a{1} = a{0} ++ a{0};"),
        ("let a0 = { x = 1; };", "a{1} = { l = a{0}; r = a{0}; };"),
        ('let a0 = "xy";', "a{1} = a{0} + a{0};"),
        ('let a0 = "xy";', 'a{1} = "${a{0}}${a{0}}";'),
        ("let a0 = x: x + 1;", "a{1} = x: a{0} (a{0} x);"),
        ("let a0 = { };", 'a{1} = a{0} // { "n${toString {1}}" = a{0}; };'),
        ("let a0 = [ 1 ];", "a{1} = map (x: a{0}) [ 1 2 ];"),
        ("let a0 = [ 1 2 ];", "a{1} = builtins.concatMap (x: a{0}) a{0};"),
    ))  # fmt: skip
    end = chance.choice((
        "in a{0}", "in builtins.toJSON a{0}", "in builtins.toXML a{0}", "in toString a{0}", "in a{0} == a{0}",
        "b = builtins.deepSeq a{0} a{0}; in b == a{0}", "in [ a{0} ] < [ a{0} ]", "in builtins.length a{0}",
        "in builtins.stringLength (builtins.toJSON a{0})", "in a{0} 1", "in builtins.attrNames a{0}",
        'in (derivation { name = "x"; system = "x"; builder = "x"; args = a{0}; y = a{0}; }).outPath',
        "in builtins.elem a{0} [ a{0} [ ] ]", "in builtins.sort builtins.lessThan [ a{0} a{0} ]",
        'in builtins.replaceStrings [ "" ] [ (toString a{0}) ] (toString a{0})', "in builtins.concatLists [ a{0} a{0} ]",
        "in builtins.hashString \"sha256\" (builtins.toJSON a{0})", "in builtins.foldl' (x: y: x // y) { } [ a{0} a{0} ]",
    ))  # fmt: skip
    others = (
        "let f = n: if n == 0 then 1 else f (n - 1) + f (n - 1); in f N",
        "let f = n: if n == 0 then [ ] else [ (f (n - 1)) (f (n - 1)) ]; in builtins.deepSeq (f N) 1",
        "let f = { n }: if n == 0 then 1 else f { n = n - 1; } + f { n = n - 1; }; in f { n = N; }",
        "let w = f: x: f (f x); in w w w w (x: x + 1) N",
        "builtins.length (builtins.genList (x: builtins.genList (y: y) 9N9) 9N9)",
        "builtins.foldl' (a: b: a ++ a) [ 1 ] (builtins.genList (x: x) N)",
        'builtins.foldl\' (a: b: a + a) "xy" (builtins.genList (x: x) N)',
        "builtins.genericClosure { startSet = [ { key = N; } ]; operator = x: [ { key = x.key + 1; } { key = x.key * 2; } ]; }",
        "builtins.genList (x: x) 9N9N9N",
        "let x = { a = x; b = [ x ]; }; in x",
        "let f = x: [ (f (x + 1)) ]; in f N",
        "1" + " + 1" * 2_000,
        "{ }" + " // { a = 1; }" * 1_000,
        'builtins.match "((a*)*)*(b|a{1,N}){1,N}" "' + "a" * 200 + '"',
        'builtins.fromTOML "x = ' + "9" * 5_000 + '"',
    )
    if chance.random() < 0.4:
        return "nix", chance.choice(others).replace("N", str(chance.randint(1, 99)))
    if chance.random() < 0.15:
        opening, closing = chance.choice(
            (("[", "]"), ("{ a = ", "; }"), ("(", ")"), ("x: ", ""), ("-", ""), ("let a = 1; in ", ""))
        )
        depth = chance.choice((50, 1_000, 5_000))
        return "nix", f"{opening * depth}1{closing * depth}"
    return "nix", _doubled(chance, first, step, end)


def _smartfrog(chance: random.Random) -> tuple[str, str]:
    step = chance.choice((
        "a{1} extends { l extends a{0}; r extends a{0}; }",
        "a{1} extends a{0} { l extends a{0}; }",
        "a{1} [a{0}, a{0}];",
    ))  # fmt: skip
    if chance.random() < 0.3:
        depth = chance.choice((50, 1_000, 3_000))
        return "smartfrog", "sfConfig extends " + "{ a extends " * depth + "{ x 1; }" + " }" * depth
    return "smartfrog", _doubled(chance, "a0 extends { x 1; }", step, "sfConfig extends { q extends a{0}; }")
