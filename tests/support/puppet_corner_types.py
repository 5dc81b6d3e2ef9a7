# ruff: noqa: E501 - programs stand on one line
"""Random Puppet programs about types, for comparison with real Puppet.

Types of every family, written out and by name, with parameters that fit and now and then some that do not; sets of
types; object types with attributes, constants, functions, parents, equality and type parameters. Programs print them,
compare them, infer them from values, make values of them, convert between them, put them into catalogs and fail to fit
parameters, so that the words of mismatches are seen as well.

`make_types`, `make_set` and `make_objects` give requests.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

FACTS = {"os": {"family": "Debian", "name": "Debian"}, "kernel": "Linux"}
NODE = "testnode"

PLAIN = """
Any Undef Default Scalar ScalarData Numeric Integer Float String Boolean Regexp Enum Pattern Data RichData RichDataKey
Collection Array Hash Tuple Struct Callable Type Iterable Iterator CatalogEntry Class Resource Sensitive Timespan Timestamp
SemVer SemVerRange Optional NotUndef Variant Binary URI Init Object TypeSet Runtime TypeReference TypeAlias Deferred Error
File Notify User Annotation Pcore
""".split()
LARGEST = "9223372036854775807"
WORDS = ("a", "b", "ab", "abc", "A", "x::y", "0", "12", "Foo")


class Texts:
    """Writes types and values."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.aliases: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def some(self, make: Callable[[], str], least: int, most: int) -> str:
        return ", ".join(make() for _ in range(self.random.randint(least, most)))

    # --- types ---------------------------------------------------------------------------------------------------------

    def bounds(self, ends: tuple[str, ...] = ("0", "1", "2", "3", "7")) -> str:
        low, high = sorted(self.random.choices(range(len(ends)), k=2))
        if self.chance(0.03):
            low, high = high, low
        text = self.pick(ends[low], "default", f"{ends[low]}, {ends[high]}", f"default, {ends[high]}")
        return text if self.chance(0.97) else self.pick("'x'", "1.5", "undef", "", f"{text}, 9", "-1")

    def sizes(self) -> str:
        return f", {self.bounds()}" if self.chance(0.25) else ""

    def word(self) -> str:
        return f"'{self.random.choice(WORDS)}'"

    def type(self, depth: int = 2) -> str:
        if self.aliases and self.chance(0.2):
            return self.random.choice(self.aliases)
        if depth <= 0 or self.chance(0.2):
            return self.random.choice(PLAIN)
        return str(self.random.choice(FAMILIES)(self, depth - 1))

    def _number(self, _: int) -> str:
        if self.chance(0.4):
            return f"Float[{self.bounds(('-1.5', '0.0', '1', '2.25', '1e3'))}]"
        return f"Integer[{self.bounds(('-3', '0', '1', '2', '0x10'))}]"

    def _text(self, _: int) -> str:
        match self.random.randrange(6):
            case 0:
                return f"String[{self.bounds()}]"
            case 1:
                return f"Enum[{self.some(self.word, 1, 3)}{self.pick('', '', ', true', ', false')}]"
            case 2:
                return f"Pattern[{self.some(self.regexp, 1, 2)}]"
            case 3:
                return f"Regexp[{self.regexp()}]"
            case 4:
                return f"String[{self.word()}]" if self.chance(0.3) else f"Boolean[{self.pick('true', 'false')}]"
        return f"Enum[{self.some(self.word, 1, 2)}]"

    def regexp(self) -> str:
        return self.pick("/a/", "/^b$/", "/[a-c]+/", r"/\d/", "'a.c'", "Regexp[/x/]", r"/a\/b/", "/(?i)x/", "//")

    def _array(self, depth: int) -> str:
        if self.chance(0.1):
            return f"{self.pick('Array', 'Collection')}[{self.bounds()}]"
        return f"Array[{self.type(depth)}{self.sizes()}]"

    def _hash(self, depth: int) -> str:
        return f"Hash[{self.pick('String', self.type(0), self.type(depth))}, {self.type(depth)}{self.sizes()}]"

    def _tuple(self, depth: int) -> str:
        return f"Tuple[{self.some(lambda: self.type(depth), 1, 3)}{self.sizes()}]"

    def _struct(self, depth: int) -> str:
        names = self.random.sample(("a", "b", "'c d'", "e::f", "5"), self.random.randint(0, 3))
        entries = []
        for name in names:
            key = self.pick(name, name, f"Optional[{name}]", f"NotUndef[{name}]")
            entries.append(f"{key} => {self.type(depth)}")
        return f"Struct[{{{', '.join(entries)}}}]"

    def _wrapped(self, depth: int) -> str:
        name = self.pick("Optional", "NotUndef", "Type", "Sensitive", "Iterable", "Iterator", "Init", "Optional")
        inner = self.word() if name in ("Optional", "NotUndef") and self.chance(0.15) else self.type(depth)
        more = f", {self.value(0)}" if name == "Init" and self.chance(0.3) else ""
        return f"{name}[{inner}{more}]"

    def _variant(self, depth: int) -> str:
        return f"Variant[{self.some(lambda: self.type(depth), 1, 3)}]"

    def _callable(self, depth: int) -> str:
        parts = [self.type(depth) for _ in range(self.random.randint(0, 2))]
        if self.chance(0.3):
            parts.append(self.bounds())
        if self.chance(0.3):
            parts.append(self.pick("Callable", "Optional[Callable]", f"Callable[{self.type(0)}]", "Callable[0, 0]"))
        inside = ", ".join(parts)
        if self.chance(0.3):
            inside = f"[{inside}], {self.type(depth)}"
        return f"Callable[{inside}]"

    def _time(self, _: int) -> str:
        if self.chance(0.5):
            spans = ("'0-00:01:00'", "60", "1.5", "{hours => 3}", "'2-01:00:00'")
            return f"Timespan[{self.bounds(spans)}]"
        moments = ("'2000-01-01'", "'2010-02-03T04:05:06'", "1e9", "2000000000")
        return f"Timestamp[{self.bounds(moments)}]"

    def _version(self, _: int) -> str:
        ranges = ("'1.x'", "'>=1.0.0 <2.0.0'", "'~1.2'", "SemVerRange('1.2.3')", "'<=1'", "'1.0.0 - 2.0.0'", "'nope'")
        return f"SemVer[{self.some(lambda: self.pick(*ranges), 1, 2)}]"

    def _catalog(self, _: int) -> str:
        return self.pick(
            "File['/x']",
            "File['/x', '/y']",
            "Class['a']",
            "Class['::A::b']",
            "Class['a', 'b']",
            "Resource['file']",
            "Resource['file', '/x']",
            "Resource['file', '/x', '/y']",
            "Resource[File]",
            "Resource[File['/x']]",
            "Resource[file][a]",
            "Foo::Bar",
            "Foo::Bar['x']",
            "Resource['foo::bar', 'x']",
            "CatalogEntry",
            "Class",
        )

    def _rare(self, depth: int) -> str:
        return self.pick(
            "URI['http://a/b']",
            "URI[{scheme => 'http'}]",
            "URI[/x/]",
            "Runtime[ruby, 'Foo']",
            "Runtime['ruby', 'Puppet::Foo::Bar']",
            "Runtime[ruby]",
            "Error['a/b']",
            "Error['a/b', 'c']",
            "Error[Enum['x', 'y']]",
            "Error[default, 'c']",
            "Target",
            "TypeReference['Nope[1]']",
            "TypeReference['a b']",
            f"Type[{self.type(depth)}]",
            "Object[{attributes => {a => Integer}}]",
            "Object[{name => 'N::M', attributes => {a => {type => String, value => 'd'}}}]",
            "Boolean[true]",
            "Puppet::LookupContext",
            "Unknown::Thing",
            "Unknown::Thing[3]",
        )

    # --- values --------------------------------------------------------------------------------------------------------

    def value(self, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.5):
            return self.scalar()
        if self.chance(0.5):
            return f"[{self.some(lambda: self.value(depth - 1), 0, 3)}]"
        keys = self.random.sample(
            ("a", "b", "'c d'", "1", "2.5", "true", "undef", "Integer"), self.random.randint(0, 3)
        )
        return "{" + ", ".join(f"{key} => {self.value(depth - 1)}" for key in keys) + "}"

    def scalar(self) -> str:
        match self.random.randrange(12):
            case 0 | 1:
                return self.pick("0", "1", "3", "-2", "0x1F", "017", LARGEST, "1.5", "-0.0", "1e10", "1.0e-7")
            case 2 | 3 | 4:
                return self.pick(
                    self.word(), "''", "' '", "'1.5'", "'0x1f'", "'true'", "'1.2.3'", '"a\\tb"', '"it\'s"', "'é'"
                )
            case 5:
                return self.pick("undef", "default", "true", "false")
            case 6:
                return self.pick("/a/", "/^[a-z]+$/", r"/a\/b/", "//")
            case 7:
                return self.pick("Timespan(5)", "Timespan('1-02:03:04.5')", "Timestamp(0)", "Timestamp('2020-02-03')")
            case 8:
                return self.pick(
                    "SemVer('1.2.3-rc1+b')", "SemVerRange('>=1 <3')", "Binary('AQID')", "URI('http://u@h:1/p?q#f')"
                )
            case 9:
                return self.pick("Sensitive(1)", "Sensitive('s')", "Deferred('upcase', ['a'])", "Error('m', 'k/i')")
            case 10:
                return self.type(1)
        return self.pick(
            "File['/x']", "Class['a']", "[1, 2].reverse_each", "Integer[1, 4].step(2)", "$facts['os']", "1"
        )

    # --- statements ----------------------------------------------------------------------------------------------------

    def question(self) -> str:
        """A statement that shows something about types."""
        return str(self.random.choice(QUESTIONS)(self))

    def _print(self) -> str:
        return f"notice({self.type(3)})"

    def _format(self) -> str:
        shape = self.pick("%s", "%p", "%#p", "%#s", "%30s", "%-40p|", "%.9s", "%d", "%x", "%#a", "%h", "%B", "%u", "%t")
        subject = self.type(2) if self.chance(0.7) else self.value()
        return f"notice(String({subject}, '{shape}'))"

    def _formats(self) -> str:
        key = self.pick(
            "Type", "Integer", "String", "Array", "Hash", "Any", "Scalar", "Numeric", "Object", "Default", "Undef"
        )
        shape = self.pick(
            "'%p'", "'%#s'", "'%x'", "'%-6s|'", "{format => '%(a', separator => ';'}", "{format => '%#h'}", "'% a'"
        )
        return f"notice(String({self.value()}, {{{key} => {shape}}}))"

    def _interpolate(self) -> str:
        return f'$v{self.random.randrange(10**6)} = {self.value()} notice("<${{{self.type(1)}}}>")'

    def _infer(self) -> str:
        how = self.pick("", "", ", 'detailed'", ", reduced", ", generalized", ", 'other'" if self.chance(0.1) else "")
        return f"notice(type({self.value(3)}{how}))"

    def _compare(self) -> str:
        first, second = self.type(2), self.type(2)
        if self.chance(0.4):
            second = self.pick(
                f"Variant[{first}]", f"Optional[{first}]", f"NotUndef[{first}]", f"Variant[{second}, {first}]"
            )
        return f"notice({first} {self.pick('==', '!=', '<', '<=', '>', '>=', '=~', 'in')} {second})"

    def _match(self) -> str:
        return f"notice({self.value()} {self.pick('=~', '!~', 'in', '==')} {self.type(2)})"

    def _assert(self) -> str:
        return f"notice(assert_type({self.type(2)}, {self.value()}))"

    def _ask(self) -> str:
        """Several answers in one statement."""
        subject = self.value()
        return f"$s = {subject} notice({self.some(lambda: '$s =~ ' + self.type(2), 2, 4)})"

    def _make(self) -> str:
        name = self.pick(
            "Integer", "Float", "Numeric", "String", "Boolean", "Array", "Hash", "Tuple[Integer, String]", "Struct[{a => Integer}]",
            "Timespan", "Timestamp", "SemVer", "SemVerRange", "Binary", "URI", "Regexp", "Sensitive", "Init[Integer]", "Type",
            "Variant[Integer, String]", "Optional[Integer]", "Enum[a, b]", "Pattern[/a/]", "NotUndef[Integer]", "Error", "Deferred",
            "Object", "TypeSet", "Iterable", "Init[Integer, 16]", self.type(1), self.type(2),
        )  # fmt: skip
        more = f", {self.value(1)}" if self.chance(0.3) else ""
        return f"notice({name}{self.pick('.new', '')}({self._given()}{more}))"

    def _convert(self) -> str:
        return f"notice({self._given()}.convert_to({self.type(1)}))"

    def _given(self) -> str:
        """A value to make another of; not the largest integer, of which Puppet would try to make a collection."""
        value = self.value()
        return "4096" if value == LARGEST else value

    def _access(self) -> str:
        return f"notice({self.type(1)}[{self.some(lambda: self.pick(self.value(0), self.type(1)), 0, 3)}])"

    def _alias(self) -> str:
        name = f"{self.pick('My', 'Al', 'My::In')}{len(self.aliases)}"
        inner = self.type(2)
        if self.chance(0.15):
            inner = f"Variant[{inner}, {self.pick('Array', 'Hash[String, ', 'Optional')}"
            inner += f"{name}]]" if "Hash" in inner[-20:] else f"[{name}]]"
        self.aliases.append(name)
        return f"type {name} = {inner}"

    def _catalog_value(self) -> str:
        holder = self.pick(
            "notify { %s: message => %s }", "notify { %s: message => [%s] }", "notify { %s: message => { k => %s } }"
        )
        return holder % (f"'n{self.random.randrange(10**6)}'", self.pick(self.type(2), self.value()))

    def _function(self) -> str:
        name = f"f{self.random.randrange(10**6)}"
        returns = f" >> {self.type(1)}" if self.chance(0.4) else ""
        mark = self.pick("", "", "*")
        default = "" if mark or self.chance(0.6) else f" = {self.value(1)}"
        return f"function {name}({self.type(2)} {mark}$x{default}){returns} {{ $x }} notice({name}({self.some(self.value, 0, 2)}))"

    def _lambda(self) -> str:
        return f"notice(with({self.some(self.value, 1, 2)}) |{self.type(2)} $x{self.pick('', ', *$y', ', $y = 1')}| {{ $x }})"

    def _define(self) -> str:
        name = f"d{self.random.randrange(10**6)}"
        given = f"x => {self.value()}" if self.chance(0.9) else ""
        body = self.pick("notice($x)", 'notice("${x}")', "notice(type($x))", "notify { $title: message => $x }")
        kind = self.pick("define", "class")
        if kind == "class":
            body = body.replace("$title", "'t'")
            return f"class {name}({self.type(2)} $x) {{ {body} }} class {{ '{name}': {given} }}"
        return f"define {name}({self.type(2)} $x) {{ {body} }} {name} {{ 't': {given} }}"

    def _case(self) -> str:
        arms = " ".join(f"{self.type(2)}: {{ notice({index}) }}" for index in range(3))
        return f"case {self.value()} {{ {arms} default: {{ notice('none') }} }}"

    def _keyed(self, depth: int) -> str:
        """A type to be looked for; those of times are the same in Puppet if they are one object, and not else."""
        kind = self.type(depth)
        return "Integer[1, 2]" if "Time" in kind else kind

    def _collections(self) -> str:
        first, second = self._keyed(1), self._keyed(2)
        return self.pick(
            f"notice(unique([{first}, {second}, {first}]))",
            f"notice({{{first} => 1, {second} => 2}}[{second}])",
            f"notice([{first}, {second}] - {first})",
            f"notice([{first}, {second}].filter |$t| {{ $t =~ Type[{second}] }})",
            f"notice({first} in [{first}, {second}])",
            f"notice([{self.value(1)}, {self.value(1)}, {self.value(1)}].filter |$t| {{ $t =~ {second} }})",
            f"notice({first}.each |$x| {{ notice($x) }})",
            f"notice(Integer[{self.bounds()}].map |$x| {{ $x }})",
            f"notice({first}.size)",
            f"notice(sort([{first}, {second}]))",
            f"notice(flatten({first}, [{second}]))",
            f"notice(join([{first}, {second}], '-'))",
        )


FAMILIES: tuple[Callable[[Texts, int], str], ...] = (
    *(Texts._number, Texts._text, Texts._array, Texts._hash, Texts._tuple, Texts._struct, Texts._variant) * 3,
    *(Texts._wrapped, Texts._wrapped, Texts._wrapped, Texts._callable, Texts._callable),
    *(Texts._time, Texts._version, Texts._catalog, Texts._rare),
)
QUESTIONS: tuple[Callable[[Texts], str], ...] = (
    *(Texts._print, Texts._infer, Texts._compare, Texts._match, Texts._ask) * 3,
    *(Texts._alias, Texts._function, Texts._define, Texts._collections, Texts._make) * 2,
    *(Texts._format, Texts._formats, Texts._assert, Texts._convert, Texts._access, Texts._catalog_value),
    *(Texts._lambda, Texts._case, Texts._interpolate),
)  # fmt: skip


def make_types(random: Random) -> dict[str, Any]:
    """A few questions about types."""
    texts = Texts(random)
    # A block, so that names of variables do not meet.
    lines = []
    for _ in range(random.randint(1, 4)):
        line = texts.question()
        if line.startswith("$s"):
            line = f"with() || {{ {line} }}"
        lines.append(line)
    return {"manifest": "\n".join(lines) + "\n", "node": NODE, "facts": FACTS}
