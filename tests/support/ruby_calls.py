r"""Calls of every method of Ruby's own classes, with receivers, arguments and blocks of all shapes.

`call(random)` gives a program that calls one method that we have: with a block of one parameter, of several, with rest,
keywords or patterns, one given by `&`, or none at all, and often with a call of what it gave (an enumerator, as a
rule). The program's value holds the receiver after the call and what the block was given, in order.
"""

from __future__ import annotations

from functools import cache
from random import Random

from wherefrom.ruby.facts import CHANGES_RECEIVER
from wherefrom.ruby.manual import modules

RECEIVERS: dict[str, list[str]] = {
    "Array": [
        "[]",
        "[1, 2, 3]",
        "[[1, 2], [3, 4]]",
        "['a', 'b', nil]",
        "[3, 1.5, 2]",
        "[[1, [2, 3]], [4]]",
        "[[]]",
        "[nil, false]",
        "[1, 1, 2]",
        "%w[x yy zzz]",
        "[{a: 1}, {a: 2}]",
        "[:b, :a]",
        "[1, 'a']",
        "[[1, 2, 3]]",
    ],
    "Hash": [
        "{}",
        "{a: 1, 'b' => 2}",
        "{1 => [2, 3], 4 => nil}",
        "{[1, 2] => 3}",
        "{a: {b: {c: 1}}}",
        "Hash.new(5).merge({x: 1})",
        "{nil => nil}",
        "Hash.new { |h, k| h[k] = k.to_s }",
    ],
    "Range": [
        "(1..4)",
        "(1...4)",
        "('a'..'d')",
        "(4..1)",
        "(1.5..4)",
        "(0..10)",
        "('az'..'bb')",
        "(1..1)",
        "(1...1)",
        "(1..nil)",
        "(nil..3)",
    ],
    "String": [
        "+''",
        "+'abc'",
        "+'Hello World'",
        "+'a,b,,c'",
        "+'é日本'",
        "+'12abc'",
        "+' x '",
        '+"l1\\nl2\\n"',
        "+'az'",
        "+'Zz9'",
        "+'0x1f'",
        "+'a-b'",
        '+"\\t\\u0000"',
    ],
    "Symbol": [
        ":a",
        ":abc",
        ":'a b'",
        ":A?",
    ],
    "Integer": [
        "0",
        "1",
        "7",
        "-3",
        "255",
        "10**20",
        "-1",
    ],
    "Float": [
        "0.0",
        "1.5",
        "-2.5",
        "1e20",
        "3.0",
        "0.1",
        "-0.0",
        "1e-7",
        "2.675",
        "123.456",
    ],
    "NilClass": [
        "nil",
    ],
    "TrueClass": [
        "true",
    ],
    "FalseClass": [
        "false",
    ],
    "Set": [
        "Set.new",
        "Set[1, 2, 3]",
        "Set['a', :b]",
        "Set[[1, 2], [3, 4]]",
        "Set[Set[1], Set[2]]",
    ],
    "Enumerator": [
        "[1, 2, 3].each",
        "[[1, 2], [3, 4]].each",
        "[1, 2, 3].map",
        "[[1, 2], [3, 4]].each_with_index",
        "{a: 1, b: 2}.each",
        "{a: 1, b: 2}.map",
        "[4, 5].each_with_index",
        "'abc'.each_char",
        "(1..4).each_slice(2)",
        "[1, 2, 3].select",
        "3.times",
        "[3, 1, 2].sort_by",
        "{a: 1}.each_with_index",
        "[1, 2, 3].each_with_object([])",
        "(1..5).each_cons(2)",
        "Enumerator.new { |y| y << 1; y.yield 2, 3; y << [4, 5] }",
        "'a,b'.each_line(',')",
        "1.upto(3)",
        "1.step(9, 4)",
        "[1, 2].each_entry",
        "{b: 1}.each_pair",
        "[1, 2, 3, 4].group_by",
        "[1, 2].each.with_index(1)",
        "[[1, 2]].flat_map",
        "[5, 6].reject",
        "{a: 1}.select",
        "[9].each_index",
        "[1, 2].reverse_each",
    ],
    "MatchData": [
        "'foobar'.match(/(o+)(b)?(x)?/)",
        "'k=v'.match(/(?<key>\\w)=(?<val>\\w)/)",
        "'é-a'.match(/a/)",
    ],
    "Proc": [
        "proc { |x| x }",
        "lambda { |x| x }",
        "proc { |x, y| [x, y] }",
        "lambda { |x, y = 2| [x, y] }",
        ":upcase.to_proc",
        "proc { |*a, **k| [a, k] }",
        "proc { |(a, b), c| [a, b, c] }",
        "->(x, *y, z:) { [x, y, z] }",
        "12.method(:+).to_proc",
        "proc { |a, | a }",
    ],
    "Struct": [
        "Struct.new(:a, :b).new(1, 2)",
        "Struct.new(:a, :b, keyword_init: true).new(a: 1)",
        "Struct.new(:a).new([1, 2])",
    ],
    "Regexp": [
        "/a+/",
        "/(?<x>.)b/i",
        "/^l/m",
        "/[a-c]|d/x",
    ],
    "Time": [
        "Time.at(0).utc",
        "Time.utc(2024, 2, 29, 12, 30, 45)",
        "Time.at(1700000000.5).utc",
    ],
}
INCLUDED: dict[str, list[str]] = {
    "Array": ["Enumerable", "Kernel"],
    "Hash": ["Enumerable", "Kernel"],
    "Range": ["Enumerable", "Kernel"],
    "Set": ["Enumerable", "Kernel"],
    "Struct": ["Enumerable", "Kernel"],
    "Enumerator": ["Enumerable", "Kernel"],
    "String": ["Comparable", "Kernel"],
    "Symbol": ["Comparable", "Kernel"],
    "Integer": ["Numeric", "Comparable", "Kernel"],
    "Float": ["Numeric", "Comparable", "Kernel"],
    "Time": ["Comparable"],
}
ARGUMENTS = [
    "0",
    "1",
    "2",
    "-1",
    "5",
    "nil",
    "'a'",
    "'b'",
    "'l'",
    "','",
    "''",
    "/a/",
    "/(.)b/",
    "[1, 2]",
    "[]",
    "[3, 4]",
    "{a: 1}",
    "{'a' => 'x'}",
    ":a",
    "1.5",
    "(0..1)",
    "(1..)",
    "(..-2)",
    "Integer",
    "String",
    "true",
    "[[1, 2]]",
    ":+",
    "'a-c'",
    "Set[1, 9]",
    "'%d'",
    "false",
    "3.0",
    "[1, 'k']",
    "->(x) { x == 1 }",
    "'é'",
    "(1..3)",
    "10",
    "16",
]
BLOCKS = [
    "{ |x| log << x; x }",
    "{ |x, y| log << [x, y]; x }",
    "{ |x, y| log << [x, y]; y }",
    "{ |*a| log << a; a }",
    "{ |x, *a| log << [x, a]; a.size }",
    "{ |(x, y), z| log << [x, y, z]; z }",
    "{ log << 0; 1 }",
    "{ nil }",
    "{ true }",
    "{ false }",
    "{ |x, | log << x; x }",
    "(&:to_s)",
    "(&:first)",
    "(&:+)",
    "{ |x| break log << x }",
    "{ |x| next 7 }",
    "(&lambda { |x| log << x; x })",
    "(&lambda { |x, y| log << [x, y]; y })",
    "(&method(:Array))",
    "{ [_1, _2] }",
    "{ _1 }",
    "{ |x, k: 3| log << [x, k]; k }",
    "{ |x, y = 5| log << [x, y]; y }",
    "{ |a, b| a <=> b }",
    "{ |x| x.to_s }",
    "{ |x| x.to_s > 'a' }",
    "{ |a, b| b }",
    "{ 0 }",
    "{ 'z' }",
    "{ [1, 2] }",
    "{ |x| [x, x] }",
    "{ |a, b, c| log << [a, b, c]; nil }",
    "{ |x| x.is_a?(Integer) }",
    "{ 1.5 }",
    "{ -1 }",
    "(&{a: 1, 1 => 2})",
    "(&nil)",
    "{ |x| x == 1 }",
    "{ |a, (b, c)| log << [a, b, c]; c }",
]
AFTER = [
    ".map { |x| x }",
    ".to_a",
    ".size",
    ".with_index.to_a",
    ".with_index(1) { |x, i| log << [x, i]; x }",
    ".each { |x| log << x; x }",
    ".each_with_object([]) { |x, y| y << x }",
    ".next",
    ".with_index.map { |x, i| [i, x] }",
    ".each_slice(2).map { |a, b| [b, a] }",
]
OUTSIDE = frozenset(
    "cycle loop rand shuffle shuffle! sample hash object_id display p pp print puts printf warn caller caller_locations"
    " raise fail throw catch require require_relative send public_send instance_variable_get instance_variable_set"
    " instance_variables define_singleton_method extend methods public_methods singleton_methods method public_method"
    " singleton_class to_enum enum_for taint tainted? trust untaint untrust untrusted? remove_instance_variable lazy"
    " to_yaml to_json respond_to? crypt Pathname URI pack parameters iso8601 xmlschema chr curry frozen?"
    " scrub scrub! class b to_c then yield_self".split()
)
"""Methods that reach out of the run, never end, are another thing every time, or have a test of their own."""
NO_ARGUMENTS = frozenset("each_with_index each_entry each to_a reverse_each find detect last step localtime".split())
"""Methods that hand on to `each`, or keep, arguments that no program has."""
OPERATORS = frozenset("+ - * / % ** & | ^ << >> < > <= >= == != <=> === =~ !~".split())


def call(random: Random) -> str:
    """A program that calls one method."""
    kind = random.choice(sorted(RECEIVERS))
    receiver = random.choice(RECEIVERS[kind])
    name = random.choice(_names(random.choice([kind, kind, *INCLUDED.get(kind, [])])) or _names(kind))
    arguments = ", ".join(random.choice(ARGUMENTS) for _ in range(random.choice((0, 0, 0, 1, 1, 1, 2, 3))))
    one = random.choice(ARGUMENTS)
    if name in NO_ARGUMENTS:
        arguments = ""
    if name in OPERATORS:
        value = f"(r {name} {one})"
    elif name in ("+@", "-@", "~", "!"):
        value = f"({name[0]}r)"
    elif name == "[]":
        value = f"r[{arguments}]"
    elif name == "[]=":
        value = f"(r[{arguments or 0}] = {one})"
    elif name.endswith("="):
        value = f"(r.{name} {one})"
    else:
        block = random.choice(BLOCKS) if random.random() < 0.6 else ""
        given = f"({', '.join(part for part in (arguments, block[1:-1]) if part)})"
        given = given if block.startswith("(") else f"({arguments}) {block}".rstrip()
        after = random.choice(["", "", random.choice(AFTER)])
        if after == ".next" and name in CHANGES_RECEIVER:  # the values are taken at once, which is documented
            after = ""
        value = f"r.{'call' if name == '()' else name}{given}{after}"
    return f"r = {receiver}; log = []; v = {value}; [v, r, log]"


@cache
def _names(kind: str) -> list[str]:
    (module,) = (each for each in modules() if each.name == kind)
    own = frozenset(("inspect", "to_s", ">>", "<<") if kind == "Proc" else ())
    return [name for name in sorted(module.methods) if name not in OUTSIDE | own]
