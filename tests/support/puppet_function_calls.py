"""Random calls of Puppet's core functions, mostly with arguments that their signatures accept.

`calls(seed, count)` gives Puppet expressions. Arguments are drawn by the text of a parameter's type, lambdas by the
number of their parameters; now and then an argument or a lambda is one that does not fit, so that messages are
compared too.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from wherefrom.puppet.functions.registry import Function, Signature
from wherefrom.puppet.functions.table import find, names

LEFT_OUT = frozenset(
    "annotate binary_file break call contain create_resources epp eyaml_lookup_key fail file find_file find_template "
    "generate getvar hiera hiera_array hiera_hash hiera_include hocon_data import include inline_epp inline_template "
    "json_data lookup module_directory next realize require return scanf strftime tag template yaml_data".split()
)
"""Functions whose interest lies elsewhere than in their arguments, or that the real tool may lack."""

TEXTS = r"""'a' 'abc' '' 'Hello_World' 'a,b,c' '12' '1.5' 'äöü' 'x y' "l1\nl2\n" ' pad ' 'A_b_c' '1.10.2' 'straße'
    'a-b.c' '0x1F' 'aAbBcC' "t\tq'q" 'foo_bar' '1.0.0-rc1' '10' '9' '$HOME' "it's"
    """.split()
TEXTS += ["'two words'", '"it\'s \\"quoted\\""', "' both '"]
NUMBERS = "0 1 2 -3 42 1.5 -0.25 1e3 2.5 -2.5 1000000 0.1 3.999".split()
INTEGERS = "0 1 2 3 5 -1 7".split()
OTHERS = """true false undef default /a+/ /(b)(c)?/ Integer String[1] Integer[1,3] Enum['b','a'] Regexp[/b/]
    SemVer('1.2.3') Sensitive('s') Timespan(90) Binary('YWJj') Notify['x'] Class['c'] Optional[String]
    """.split()
REGEXES = r"/a/ /[a-z]+/ /(\w)(\d)?/ /,/ /\s+/ /^/ /x*/ /(?<n>l+)/ /B/ /\./".split()
REGEX_TEXTS = r"'a' '[a-z]+' '(\w)' ',' '\s+' 'b|c' 'l+' '.' ''".split()
TYPES = """Integer String Array Hash Boolean Float Numeric Integer[1,5] Array[Integer] Optional[Integer] Enum['a','b']
    Variant[Integer,String] Struct[{'a'=>Integer}] Tuple[Integer,String] Sensitive Timespan Pattern[/a/] Any NotUndef
    Hash[String,Integer] Collection Scalar Regexp Type[Integer] Callable Undef Data SemVer Binary
    """.split()
DIRECTIVES = "%s %d %5.2f %x %-6s| %05d %e %g %b %o %p %c %% %+d %#x %.3s %10s %X".split()
REPLACEMENTS = r"""'X' '[\0]' '\1-\1' '' {'a'=>'1','abc'=>'2'} '\\\\' '\&\`' """.split()
TREE_OPTIONS = """{} {'include_root'=>false} {'include_values'=>false} {'include_containers'=>false}
    {'order'=>'breadth_first'} {'order'=>'breadth_first','include_root'=>false} {'container_type'=>Array}
    """.split()
BODIES = {
    0: ["1", "undef", "'z'", "[]"],
    1: [
        "$x", "[$x]", "$x == 1", "true", "false", "undef", '"${x}"', "$x =~ String", "type($x, 'generalized')",
        "notice($x)", "'k'", "if $x == 2 { next('n') } $x", "if $x == 3 { break() } $x", "$x in ['a', 1]",
    ],
    2: [
        "[$x, $y]", "$y", "$x", "compare($x, $y)", '"${x}${y}"', "$x == $y", "true", "false", "compare($y, $x)",
        "if $y == 3 { break() } $y", "undef", "-1", "notice($x, $y)",
    ],
    3: ["[$x, $y, $z]", "1"],
}  # fmt: skip


class Calls:
    """Draws calls."""

    def __init__(self, random: Random) -> None:
        self.random = random
        pick = random.choice
        self.by_type: dict[str, Callable[[], str]] = {
            "String": lambda: pick(TEXTS),
            "Numeric": lambda: pick(NUMBERS),
            "Array": self.array,
            "Hash": self.hash,
            "Hash[Any, Any]": self.hash,
            "Iterable": self.iterable,
            "Collection": self.collection,
            "Optional[Collection]": self.collection,
            "Boolean": lambda: pick(("true", "false")),
            "Regexp": lambda: pick(REGEXES),
            "Array[String]": lambda: self.list_of(lambda: pick(TEXTS)),
            "Array[Numeric]": lambda: self.list_of(lambda: pick(NUMBERS)),
            "Iterable[Variant[String, Numeric]]": lambda: self.list_of(lambda: pick(TEXTS + NUMBERS)),
            "Array[StringData]": lambda: self.list_of(lambda: pick(TEXTS + NUMBERS)),
            "Hash[StringData, StringData]": lambda: f"{{{pick(TEXTS)} => {pick(TEXTS)}}}",
            "Integer[1]": lambda: pick(INTEGERS),
            "Integer[1, default]": lambda: pick(INTEGERS),
            "Undef": lambda: "undef",
            "Binary": lambda: "Binary('YWJj')",
            "Sensitive": lambda: f"Sensitive({self.value()})",
            "Sensitive[String]": lambda: f"Sensitive({pick(TEXTS)})",
            "Type": lambda: pick(TYPES),
            "Variant[Array[String],String]": lambda: pick([*TEXTS, "['abc', 'b']"]),
            "Variant[String,Hash[String,String]]": lambda: pick(REPLACEMENTS),
            "Variant[Regexp,Type[Regexp]]": lambda: pick([*REGEXES, "Regexp[/b/]"]),
            "Optional[Pattern[/^[GEIM]*$/]]": lambda: pick(("'G'", "'I'", "'GI'", "'M'", "undef", "''")),
            "Pattern[/^G?$/]": lambda: pick(("'G'", "''")),
            "Type[Regexp]": lambda: pick(("Regexp[/b/]", "Regexp[/,/]")),
            "Variant[String,Regexp]": lambda: pick(TEXTS + REGEXES),
            "Variant[Any, Type]": lambda: pick([*REGEXES, *REGEX_TEXTS, "Pattern[/z/, /(b)c/]", "[/q/, 'a']"]),
            "Semver": lambda: pick(("SemVer('1.2.3')", "SemVer('1.2.3-rc.1')", "SemVer('2.0.0')")),
            "Timespan": lambda: pick(("Timespan(90)", "Timespan({'hours' => 30})", "Timespan(-61.5)")),
            "Timestamp": lambda: pick(("Timestamp(0)", "Timestamp('2020-02-29T12:34:56')")),
            "Variant[Collection, String, Binary]": self.collection,
            "Variant[Iterator, Array, Hash, Object]": lambda: pick(
                ["[[], 'a', {'b' => 1}]", "[1, [2, {'a' => [3]}], 4]"]
            ),
            "OptionsType": lambda: pick(TREE_OPTIONS),
            "Enum[detailed]": lambda: "'detailed'",
            "Enum[reduced]": lambda: "'reduced'",
            "Enum[generalized]": lambda: "'generalized'",
        }

    def list_of(self, element: Callable[[], str], most: int = 5) -> str:
        """An array of up to `most` drawn elements."""
        return "[" + ", ".join(element() for _ in range(self.random.randint(0, most))) + "]"

    def array(self) -> str:
        """An array, more often than not of one kind."""
        pick = self.random.choice
        kind = self.random.random()
        if kind < 0.3:
            return self.list_of(lambda: pick(INTEGERS))
        if kind < 0.5:
            return self.list_of(lambda: pick(TEXTS))
        if kind < 0.6:
            return self.list_of(lambda: self.list_of(lambda: pick(INTEGERS), 3), 3)
        return self.list_of(lambda: pick(NUMBERS)) if kind < 0.7 else self.list_of(self.value, 4)

    def hash(self) -> str:
        """A hash with distinct keys."""
        keys = self.random.sample(["'a'", "'b'", "'c'", "1", "true", "'d e'"], self.random.randint(0, 4))
        return "{" + ", ".join(f"{key} => {self.random.choice(TEXTS + NUMBERS + OTHERS)}" for key in keys) + "}"

    def collection(self) -> str:
        """An array or a hash."""
        return self.random.choice((self.array, self.hash))()

    def iterable(self) -> str:
        """Anything that can be walked over."""
        made = [self.array(), self.array(), self.hash(), self.random.choice(TEXTS), "3", "0", "Integer[1, 4]"]
        made += ["Enum['b', 'a', 'c']", f"{self.array()}.reverse_each", f"{self.array()}.step(2)"]
        return self.random.choice(made)

    def value(self) -> str:
        """Any value."""
        kind = self.random.random()
        if kind < 0.12:
            return self.list_of(lambda: self.random.choice(TEXTS + NUMBERS), 3)
        if kind < 0.2:
            return self.hash()
        return self.random.choice(TEXTS + NUMBERS + OTHERS)

    def block(self, signature: Signature) -> str:
        """A lambda for a signature."""
        assert signature.block is not None
        text = signature.block.type_text
        digits = [each for each in text if each.isdigit()]
        count = int(digits[0]) if digits else 2 if "Type, Type" in text else 1
        if self.random.random() < 0.06:
            count = self.random.choice((0, 1, 2, 3))
        parameters = ["$x", "$y", "$z"][:count]
        if parameters:
            kind = self.random.random()
            if kind < 0.06:
                parameters[-1] += " = 7"
            elif kind < 0.1:
                parameters[-1] = "*" + parameters[-1]
            elif kind < 0.15:
                parameters[0] = self.random.choice(("String ", "Integer ")) + parameters[0]
        return f" |{', '.join(parameters)}| {{ {self.random.choice(BODIES[count])} }}"

    def arguments(self, function: Function, signature: Signature) -> list[str]:
        """Arguments for a signature."""
        if function.name == "sprintf":
            count = self.random.randint(1, 3)
            directives = " ".join(self.random.choice(DIRECTIVES) for _ in range(count))
            return [f"'{directives}'", *(self.random.choice(TEXTS + NUMBERS + OTHERS) for _ in range(count))]
        made: list[str] = []
        for parameter in signature.parameters:
            draw = self.by_type.get(parameter.type_text, self.value)
            if parameter.kind == "optional" and self.random.random() < 0.5:
                break
            count = self.random.randint(0, 3) if parameter.kind == "repeated" else 1
            made += [draw() for _ in range(count)]
        if function.name == "assert_type" and signature is not function.signatures[0]:
            made[0] = f'"{self.random.choice(TYPES)}"'
        if function.name in ("split", "regsubst") and signature is function.signatures[0]:
            made[1] = self.random.choice(REGEX_TEXTS)
        if self.random.random() < 0.04:
            made.append(self.value())
        return made

    def call(self) -> str:
        """One call."""
        function = find(self.random.choice([name for name in names() if name not in LEFT_OUT]))
        assert function is not None
        signature = self.random.choice(function.signatures)
        text = f"{function.name}({', '.join(self.arguments(function, signature))})"
        # A walk uses Puppet's iterators up, which shows where the function gives back what it was given.
        used_up = function.name in ("each", "slice", "tree_each") and (".step" in text or ".reverse_each" in text)
        if signature.block is not None and not used_up and (signature.block_required or self.random.random() < 0.6):
            return text + self.block(signature)
        return text + (".map |$x| { $x }" if function.name in ("reverse_each", "step", "tree_each") else "")


def calls(seed: int, count: int) -> list[str]:
    """`count` random calls."""
    drawn = Calls(Random(seed))
    return [drawn.call() for _ in range(count)]
