"""Random Puppet programs over the whole language, for comparison with real Puppet.

`make_program(random)` gives the text of a manifest. Programs are small and dense: typed expressions over a few
variables in every kind of scope, classes with parameters and inheritance, defines, nodes, functions, type aliases,
resources in all their forms, defaults, overrides, collectors, arrows, conditions and iteration. Names are drawn from
small pools, so that things meet: most programs compile, and those that do not fail for reasons that both sides must
agree on.
"""

from __future__ import annotations

from random import Random

FACTS = {
    "os": {"family": "Debian", "name": "Debian", "release": {"major": "12", "full": "12.4"}},
    "processors": {"count": 4},
    "kernel": "Linux",
    "is_virtual": True,
    "interfaces": ["lo", "eth0"],
}
NODE = "web1.example.com"

INT, STR, BOOL, INTS, STRS, HASH = "int", "str", "bool", "ints", "strs", "hash"
KINDS = (INT, STR, BOOL, INTS, STRS, HASH)
TYPES = {
    INT: ("Integer", "Integer[0]", "Numeric", "Variant[Integer, String]", "Scalar", "Size"),
    STR: ("String", "String[1]", "Optional[String]", "Variant[String, Boolean]", "Data", "Word"),
    BOOL: ("Boolean", "Optional[Boolean]", "Any"),
    INTS: ("Array", "Array[Integer]", "Collection", "Array[Variant[Integer, Undef]]"),
    STRS: ("Array[String]", "Array[Data]", "Optional[Array[String]]"),
    HASH: ("Hash", "Hash[String, Any]", "Optional[Hash]", "Hash[String, Data]"),
}
WORDS = ("alpha", "beta", "gamma", "Delta", "x1", "on")


class Scope:
    """The variables that can be read at some place, by name, with their kinds; and how a new one is called."""

    def __init__(self, above: Scope | None, prefix: str) -> None:
        self.variables: dict[str, str] = dict(above.variables) if above is not None else {}
        self.own: set[str] = set()
        self.prefix = prefix

    def add(self, name: str, kind: str) -> None:
        self.variables[name] = kind
        self.own.add(name)


class Maker:
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.counter = 0
        self.classes: list[tuple[str, list[tuple[str, str, bool]]]] = []
        self.defines: list[tuple[str, list[tuple[str, str, bool]]]] = []
        self.functions: list[tuple[str, list[str], str]] = []
        self.declared: list[tuple[str, str]] = []
        self.depth = 0

    # --- small things ------------------------------------------------------------------------------------------------

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def emit(self, indent: int, text: str) -> None:
        self.lines.append("  " * indent + text)

    # --- expressions -------------------------------------------------------------------------------------------------

    def value(self, kind: str, scope: Scope, depth: int = 2) -> str:
        """An expression of a kind."""
        names = [name for name, each in scope.variables.items() if each == kind]
        if names and self.chance(0.4):
            return f"${self.random.choice(names)}"
        if depth <= 0:
            return self.literal(kind)
        if self.chance(0.12):
            return self.selector(kind, scope, depth)
        if self.chance(0.15):
            return self.odd(kind, scope, depth - 1)
        if self.chance(0.1):
            called = self.call(kind, scope, depth - 1)
            if called is not None:
                return called
        return getattr(self, f"_{kind}")(scope, depth - 1)  # type: ignore[no-any-return]

    def literal(self, kind: str) -> str:
        match kind:
            case "int":
                return str(self.random.randint(0, 9))
            case "str":
                return f"'{self.random.choice(WORDS)}'"
            case "bool":
                return self.pick("true", "false")
            case "ints":
                return f"[{', '.join(str(self.random.randint(0, 5)) for _ in range(self.random.randint(0, 3)))}]"
            case "strs":
                return f"[{', '.join(self.literal(STR) for _ in range(self.random.randint(0, 3)))}]"
        entries = [f"'{self.random.choice(WORDS)}{index}' => {self.literal(INT)}" for index in range(2)]
        return f"{{ {', '.join(entries)} }}"

    def selector(self, kind: str, scope: Scope, depth: int) -> str:
        control = self.pick(INT, STR, BOOL)
        tests = [self.literal(control) for _ in range(2)]
        if control == STR and self.chance(0.5):
            tests[0] = self.pick("/a$/", "/^(.)(.*)/", "Enum['alpha', 'beta']")
        if control == INT and self.chance(0.4):
            tests[0] = self.pick("Integer[0, 4]", "Integer[5]", "String")
        if tests[0] == tests[1]:
            tests.pop()
        entries = [f"{test} => {self.value(kind, scope, depth - 1)}" for test in tests]
        entries.append(f"default => {self.value(kind, scope, depth - 1)}")
        return f"({self.value(control, scope, depth - 1)} ? {{ {', '.join(entries)} }})"

    def odd(self, kind: str, scope: Scope, depth: int) -> str:
        """Ways to a value of a kind that every kind has: through scopes, composites, conversions and failures."""
        plain = self.value(kind, scope, depth)
        way = self.random.randint(0, 15)
        if way in (6, 7, 10, 11, 12, 13, 14, 15) and self.chance(0.85):
            return plain  # these often end in an error
        match way:
            case 0:
                return f"[{plain}, {self.value(kind, scope, depth)}][{self.random.randint(-2, 2)}]"
            case 1:
                return f"{{ 'k' => {plain} }}['{self.pick('k', 'k', 'none')}']"
            case 2:
                return f"({plain}).then |$it| {{ $it }}"
            case 3:
                return f"(undef).lest || {{ {plain} }}"
            case 4:
                return f"with({plain}) |{self.random.choice(TYPES[kind])} $it| {{ $it }}"
            case 5:
                return f"assert_type({self.random.choice(TYPES[kind])}, {plain})"
            case 6:
                owner = self.random.choice([name for name, _ in self.classes] or ["nowhere"])
                return f"$::{owner}::{self.pick('shared', 'port', 'name_of')}"
            case 7:
                return f"$::{self.pick('shared', 'port', 'name_of', 'v1', 'kernel', 'nothing')}"
            case 8:
                return f"dig({{ 'a' => [{plain}] }}, 'a', {self.random.randint(0, 1)})"
            case 9:
                return f"if {self.value(BOOL, scope, depth)} {{ {plain} }} else {{ {self.value(kind, scope, depth)} }}"
            case 10:
                return f"({self.value(STR, scope, depth)} + {self.value(INT, scope, depth)})"
            case 11:
                return f"getvar('{self.pick('facts.os.name', 'shared', 'v1', 'nothing')}')"
            case 12:
                if self.declared:
                    type_name, title = self.random.choice(self.declared)
                    return f"{type_name}['{title}']['{self.pick('mode', 'message', 'comment', 'owner', 'tag')}']"
                return "undef"
            case 13:
                return f"String({self.value(self.random.choice(KINDS), scope, depth)}, '%p')"
            case 14:
                return f"({plain} < {self.value(self.random.choice(KINDS), scope, depth)})"
        return f"type({self.value(self.random.choice(KINDS), scope, depth)})"

    def call(self, kind: str, scope: Scope, depth: int) -> str | None:
        """A call of a function of the program that gives a value of a kind."""
        fitting = [each for each in self.functions if each[2] == kind]
        if not fitting:
            return None
        name, kinds, _ = self.random.choice(fitting)
        return f"{name}({', '.join(self.value(each, scope, depth) for each in kinds)})"

    def _int(self, scope: Scope, depth: int) -> str:
        n = self.random.randint(0, 9)
        a, b = self.value(INT, scope, depth), self.value(INT, scope, depth)
        match n:
            case 0 | 1:
                return f"({a} {self.pick('+', '-', '*')} {b})"
            case 2:
                return f"({a} % {self.random.randint(1, 7)})"
            case 3:
                return f"({a} / {self.random.randint(1, 4)})"
            case 4:
                return f"{self.value(self.pick(INTS, STRS), scope, depth)}.length"
            case 5:
                return f"({self.value(INTS, scope, depth)}.reduce(0) |$m, $e| {{ $m + $e }})"
            case 6:
                return f"Integer('{self.random.randint(0, 99)}')"
            case 7:
                return "$facts['processors']['count']"
            case 8:
                return f"max({a}, {b})"
        return f"({a} << {self.random.randint(0, 3)})"

    def _str(self, scope: Scope, depth: int) -> str:
        a = self.value(STR, scope, depth)
        match self.random.randint(0, 11):
            case 0 | 1 | 2:
                inner = self.value(self.pick(INT, STR, BOOL, INTS), scope, depth)
                return f'"<${{({inner})}}>"' if '"' not in inner else f"String({inner})"
            case 3:
                return f"{a}.{self.pick('upcase', 'downcase', 'capitalize', 'strip')}"
            case 4:
                return f"join({self.value(self.pick(STRS, INTS), scope, depth)}, '{self.pick(',', '-')}')"
            case 5:
                return f"String({self.value(INT, scope, depth)}, '%{self.pick('d', 'x', '05d')}')"
            case 6:
                return f"regsubst({a}, '{self.pick('a', 'l', '[a-e]')}', 'Z', 'G')"
            case 7:
                return "$facts['os']['family']"
            case 8:
                return self.pick("$facts['os']['release']['full']", "$trusted['certname']", "$kernel")
            case 9:
                return f"sprintf('%s-%d', {a}, {self.value(INT, scope, depth)})"
            case 10:
                return f"{a}[{self.random.randint(-2, 2)}, {self.random.randint(0, 3)}]"
        return f"String({self.value(self.pick(INTS, HASH, BOOL), scope, depth)})"

    def _bool(self, scope: Scope, depth: int) -> str:
        a, b = self.value(INT, scope, depth), self.value(INT, scope, depth)
        s = self.value(STR, scope, depth)
        match self.random.randint(0, 9):
            case 0:
                return f"({a} {self.pick('==', '!=', '<', '<=', '>', '>=')} {b})"
            case 1:
                return f"({s} {self.pick('==', '!=')} {self.value(STR, scope, depth)})"
            case 2:
                x, y = self.value(BOOL, scope, depth), self.value(BOOL, scope, depth)
                return f"({x} {self.pick('and', 'or')} {y})"
            case 3:
                return f"!{self.value(BOOL, scope, depth)}"
            case 4:
                return f"({s} {self.pick('=~', '!~')} /{self.pick('a', '^A', '[0-9]', 'ta$')}/)"
            case 5:
                return f"({s} in {self.value(STRS, scope, depth)})"
            case 6:
                return f"({a} in {self.value(INTS, scope, depth)})"
            case 7:
                return f"({self.value(self.random.choice(KINDS), scope, depth)} =~ {self.type_name()})"
            case 8:
                return f"{self.value(INTS, scope, depth)}.empty"
        return f"defined('{self.pick('file', 'nothing', '$facts', '$nope', 'c1')}')"

    def type_name(self) -> str:
        return self.random.choice(TYPES[self.random.choice(KINDS)])

    def _ints(self, scope: Scope, depth: int) -> str:
        a = self.value(INTS, scope, depth)
        match self.random.randint(0, 8):
            case 0:
                return f"({a} + {self.value(INTS, scope, depth)})"
            case 1:
                return f"({a}.map |$e| {{ $e {self.pick('+', '*')} {self.random.randint(1, 4)} }})"
            case 2:
                return f"({a}.filter |$e| {{ $e {self.pick('>', '<')} {self.random.randint(1, 4)} }})"
            case 3:
                return f"Array(Integer[{self.random.randint(0, 2)}, {self.random.randint(2, 5)}])"
            case 4:
                return f"unique({a})"
            case 5:
                return f"({a} - {self.value(INTS, scope, depth)})"
            case 6:
                return f"[{self.value(INT, scope, depth)}, *{a}]"
            case 7:
                return f"{a}.sort"
        return f"{self.value(HASH, scope, depth)}.values"

    def _strs(self, scope: Scope, depth: int) -> str:
        a = self.value(STRS, scope, depth)
        match self.random.randint(0, 6):
            case 0:
                return f"({a} + [{self.value(STR, scope, depth)}])"
            case 1:
                return f'({a}.map |$e| {{ "${{e}}!" }})'
            case 2:
                return f"split({self.value(STR, scope, depth)}, '{self.pick('a', 'l', '')}')"
            case 3:
                return f"{self.value(HASH, scope, depth)}.keys"
            case 4:
                return "$facts['interfaces']"
            case 5:
                return f"flatten([{a}, {self.value(STR, scope, depth)}])"
        return f"{a}.unique.sort"

    def _hash(self, scope: Scope, depth: int) -> str:
        a = self.value(HASH, scope, depth)
        match self.random.randint(0, 5):
            case 0:
                return f"({a} + {self.value(HASH, scope, depth)})"
            case 1:
                return f"({a}.filter |$k, $v| {{ $v {self.pick('>', '<')} {self.random.randint(1, 5)} }})"
            case 2:
                return f"({a} - '{self.random.choice(WORDS)}0')"
            case 3:
                return f'Hash({a}.map |$k, $v| {{ ["${{k}}_", $v + 1] }})'
            case 4:
                return f"{{ {self.value(STR, scope, depth)} => {self.value(INT, scope, depth)} }}"
        return self.literal(HASH)

    # --- statements --------------------------------------------------------------------------------------------------

    def statements(self, scope: Scope, indent: int, count: int) -> None:
        """Statements; Puppet refuses a condition in which nothing stands."""
        before = len(self.lines)
        for _ in range(count):
            self.statement(scope, indent)
        if len(self.lines) == before:
            self.notice(scope, indent)

    def statement(self, scope: Scope, indent: int) -> None:
        choices = (
            [self.assignment] * 4
            + [self.resource] * 6
            + [self.notice] * 2
            + [self.condition] * 3
            + [self.iteration] * 2
            + [self.declare_class] * 2
            + [self.declare_define] * 2
            + [self.defaults, self.collector, self.arrow, self.virtual, self.tagging, self.many_titles]
            + [self.chain, self.override, self.ending]
        )
        self.random.choice(choices)(scope, indent)

    def assignment(self, scope: Scope, indent: int) -> None:
        kind = self.random.choice(KINDS)
        if self.chance(0.1):
            names = [self.fresh(scope.prefix), self.fresh(scope.prefix)]
            self.emit(indent, f"[${names[0]}, ${names[1]}] = [{self.value(INT, scope)}, {self.value(STR, scope)}]")
            scope.add(names[0], INT)
            scope.add(names[1], STR)
            return
        name = self.pick("shared", "port", "name_of") if self.chance(0.25) else self.fresh(scope.prefix)
        if name in scope.own:
            return
        self.emit(indent, f"${name} = {self.value(kind, scope, 3)}")
        scope.add(name, kind)

    def notice(self, scope: Scope, indent: int) -> None:
        self.emit(indent, f"notice({self.value(self.random.choice(KINDS), scope, 3)})")

    def attributes(self, scope: Scope, names: tuple[str, ...]) -> str:
        chosen = [name for name in names if self.chance(0.5)]
        parts = []
        for name in chosen:
            kind = {"tag": STR, "noop": BOOL, "mode": STR}.get(name) or self.random.choice(KINDS)
            if name == "wrong" and self.chance(0.9):
                continue
            if name in ("alias", "name"):
                parts.append(f"{name} => '{self.fresh('a')}'")
            elif name == "tag":
                parts.append(f"tag => '{self.pick('red', 'blue', 'a::b')}'")
            elif name in ("before", "require"):
                if self.declared and self.chance(0.3):
                    type_name, title = self.random.choice(self.declared)
                    parts.append(f"{name} => {type_name}['{title}']")
            else:
                parts.append(f"{name} => {self.value(kind, scope)}")
        return ", ".join(parts)

    def resource(self, scope: Scope, indent: int, form: str = "") -> None:
        type_name, names = self.random.choice(
            (
                ("file", ("owner", "mode", "content", "tag", "noop", "before")),
                ("notify", ("message", "withpath", "tag", "require", "loglevel")),
                ("user", ("comment", "uid", "groups", "noop", "alias", "wrong")),
                ("exec", ("command", "cwd", "before")),
                ("package", ("ensure", "provider", "name")),
            )
        )
        title = self.fresh("/t" if type_name == "file" else "t")
        attributes = self.attributes(scope, names)
        shown = f"'{title}'"
        if self.chance(0.2):
            shown = f'"{title}${{{self.value(INT, scope, 1)}}}"'
        elif not form:
            self.declared.append((type_name.capitalize(), title))
        self.emit(indent, f"{form}{type_name} {{ {shown}: {attributes} }}")

    def many_titles(self, scope: Scope, indent: int) -> None:
        titles = [self.fresh("/m") for _ in range(2)]
        body = f"['{titles[0]}', '{titles[1]}']: mode => {self.value(STR, scope)}"
        if self.chance(0.5):
            body = f"default: owner => {self.value(STR, scope)}; {body}"
        if self.chance(0.3):
            body += f"; '{self.fresh('/m')}': * => {{ 'group' => {self.value(STR, scope)} }}"
        self.emit(indent, f"file {{ {body} }}")
        self.declared.extend(("File", title) for title in titles)

    def virtual(self, scope: Scope, indent: int) -> None:
        self.resource(scope, indent, "@")
        if self.chance(0.3) and self.declared:
            type_name, title = self.random.choice(self.declared)
            self.emit(indent, f"realize({type_name}['{title}'])")

    def condition(self, scope: Scope, indent: int) -> None:
        if self.depth >= 3:
            return
        self.depth += 1
        before = set(scope.variables)
        if self.chance(0.6):
            word = self.pick("if", "if", "unless")
            self.emit(indent, f"{word} {self.value(BOOL, scope)} {{")
            self.statements(scope, indent + 1, self.random.randint(0, 2))
            if word == "if" and self.chance(0.3):
                self.emit(indent, f"}} elsif {self.value(BOOL, scope)} {{")
                self.statements(scope, indent + 1, 1)
            if self.chance(0.5):
                self.emit(indent, "} else {")
                self.statements(scope, indent + 1, self.random.randint(0, 2))
            self.emit(indent, "}")
        else:
            kind = self.pick(INT, STR)
            self.emit(indent, f"case {self.value(kind, scope)} {{")
            for _ in range(self.random.randint(1, 2)):
                test = self.literal(kind)
                if kind == STR and self.chance(0.3):
                    test = self.pick("/^(.)/", "/zz/")
                self.emit(indent + 1, f"{test}, {self.literal(kind)}: {{")
                self.statements(scope, indent + 2, 1)
                self.emit(indent + 1, "}")
            self.emit(indent + 1, "default: {")
            self.statements(scope, indent + 2, self.random.randint(0, 1))
            self.emit(indent + 1, "}")
            self.emit(indent, "}")
        # What a branch assigned may not be there afterwards.
        for name in set(scope.variables) - before:
            del scope.variables[name]
        self.depth -= 1

    def iteration(self, scope: Scope, indent: int) -> None:
        if self.depth >= 2:
            return
        self.depth += 1
        inner = Scope(scope, "l")
        inner.own = set()
        if self.chance(0.5):
            self.emit(indent, f"({self.value(INTS, scope)}).unique.each |{self.pick('$i', 'Integer $i', '*$i')}| {{")
            if "*" in self.lines[-1]:
                inner.add("i", INTS)
            else:
                inner.add("i", INT)
            self.emit(indent + 1, f'notify {{ "{self.fresh("n")} ${{i}}": message => {self.value(STR, inner)} }}')
        else:
            self.emit(indent, f"({self.value(HASH, scope)}).each |$k, $v| {{")
            inner.add("k", STR)
            inner.add("v", INT)
            self.emit(indent + 1, f"notice({self.value(self.pick(STR, INT), inner)})")
        if self.chance(0.3):
            self.emit(indent + 1, f"if {self.value(BOOL, inner)} {{ {self.pick('next()', 'break()')} }}")
        self.assignment(inner, indent + 1)
        self.notice(inner, indent + 1)
        self.emit(indent, "}")
        self.depth -= 1

    def arguments(self, parameters: list[tuple[str, str, bool]], scope: Scope) -> str:
        given = [
            f"{name} => {self.value(kind, scope) if self.chance(0.95) else 'undef'}"
            for name, kind, optional in parameters
            if not optional or self.chance(0.5)
        ]
        return ", ".join(given)

    def declare_class(self, scope: Scope, indent: int) -> None:
        if not self.classes:
            return
        name, parameters = self.random.choice(self.classes)
        if all(optional for _, _, optional in parameters) and self.chance(0.7):
            self.emit(indent, f"{self.pick('include', 'include', 'contain', 'require')} {name}")
        else:
            self.emit(indent, f"class {{ '{name}': {self.arguments(parameters, scope)} }}")

    def declare_define(self, scope: Scope, indent: int) -> None:
        if not self.defines:
            return
        name, parameters = self.random.choice(self.defines)
        title = self.fresh("d")
        if self.chance(0.2):
            given = ", ".join(f"'{p}' => {self.value(kind, scope)}" for p, kind, _ in parameters)
            self.emit(indent, f"create_resources('{name}', {{ '{title}' => {{ {given} }} }})")
            return
        self.emit(indent, f"{name} {{ '{title}': {self.arguments(parameters, scope)} }}")
        self.declared.append(("::".join(part.capitalize() for part in name.split("::")), title))

    def defaults(self, scope: Scope, indent: int) -> None:
        type_name = self.pick("File", "Notify", "User")
        attribute = {"File": "group", "Notify": "withpath", "User": "shell"}[type_name]
        self.emit(indent, f"{type_name} {{ {attribute} => {self.value(STR, scope)} }}")

    def collector(self, scope: Scope, indent: int) -> None:
        type_name = self.pick("File", "Notify", "User")
        query = self.pick("", "tag == 'red'", "title != 't1'", "tag == red or owner == 'alpha'", "mode == 'beta'")
        attribute = {"File": "backup", "Notify": "loglevel", "User": "home"}[type_name]
        overrides = f" {{ {attribute} => {self.value(STR, scope)} }}" if self.chance(0.4) else ""
        self.emit(indent, f"{type_name} <| {query} |>{overrides}")

    def arrow(self, scope: Scope, indent: int) -> None:
        if len(self.declared) < 2 or self.chance(0.5):
            return
        ends = [f"{type_name}['{title}']" for type_name, title in self.random.sample(self.declared, 2)]
        if self.chance(0.2):
            ends[1] = f"[{ends[1]}, {ends[0]}]" if self.chance(0.3) else f"[{ends[1]}]"
        self.emit(indent, f"{ends[0]} {self.pick('->', '~>', '<-', '<~')} {ends[1]}")

    def chain(self, scope: Scope, indent: int) -> None:
        """Declarations, collectors and references in one chain of arrows."""
        first, second = self.fresh("/c"), self.fresh("c")
        middle = self.pick("", f"{self.pick('File', 'User')} <| tag == 'blue' |> -> ", f"File['{first}'] ~> ")
        owner = self.value(STR, scope)
        self.emit(indent, f"file {{ '{first}': owner => {owner} }} -> {middle}notify {{ '{second}': }}")
        self.declared.extend((("File", first), ("Notify", second)))
        if self.classes and self.chance(0.3):
            name = self.random.choice(self.classes)[0]
            self.emit(indent, f"Class['{name}'] -> Notify['{second}']")

    def override(self, scope: Scope, indent: int) -> None:
        if self.declared and self.chance(0.5):
            type_name, title = self.random.choice(self.declared)
            attribute = {"File": "seluser", "Notify": "withpath", "User": "password"}.get(type_name, "tag")
            self.emit(indent, f"{type_name}['{title}'] {{ {attribute} => {self.value(STR, scope)} }}")

    def ending(self, scope: Scope, indent: int) -> None:
        """Leaving early, mostly where it is allowed."""
        if self.chance(0.15):
            self.emit(indent, self.pick("return()", "fail('stopped')", "warning('late')", "next()"))

    def tagging(self, scope: Scope, indent: int) -> None:
        self.emit(indent, self.pick("tag('green')", "notice(tagged('green'))", "notice(tagged('class'))"))

    # --- definitions -------------------------------------------------------------------------------------------------

    def parameters(self, scope: Scope) -> tuple[str, list[tuple[str, str, bool]]]:
        made: list[tuple[str, str, bool]] = []
        texts = []
        inner = Scope(scope, "p")
        for _ in range(self.random.randint(0, 3)):
            kind = self.random.choice(KINDS)
            name = self.fresh("p")
            typed = f"{self.random.choice(TYPES[kind])} " if self.chance(0.6) else ""
            optional = self.chance(0.6)
            default = f" = {self.value(kind, inner)}" if optional else ""
            texts.append(f"{typed}${name}{default}")
            made.append((name, kind, optional))
            inner.add(name, kind)
        return ", ".join(texts), made

    def program(self) -> str:
        """The whole program."""
        top = Scope(None, "v")
        if self.chance(0.8):
            self.emit(0, "type Size = Integer[0, 1000]")
            self.emit(0, "type Word = Pattern[/\\A\\w*\\z/]")
        else:
            self.emit(0, "type Size = Variant[Integer, Undef]")
            self.emit(0, "type Word = String")
        for _ in range(self.random.randint(0, 2)):
            self.function(top)
        outline: list[tuple[str, str, str, str, list[tuple[str, str, bool]]]] = []
        for index in range(self.random.randint(0, 3)):
            text, parameters = self.parameters(Scope(None, "p"))
            parent = ""
            if self.classes and self.chance(0.35):
                candidates = [name for name, given in self.classes if all(optional for _, _, optional in given)]
                parent = self.random.choice(candidates) if candidates else ""
            name = f"c{index + 1}" if self.chance(0.7) else f"m::c{index + 1}"
            outline.append(("class", name, text, parent, parameters))
            self.classes.append((name, parameters))
        for index in range(self.random.randint(0, 2)):
            text, parameters = self.parameters(Scope(None, "p"))
            outline.append(("define", f"def{index + 1}", text, "", parameters))
        known = list(self.classes)
        for _ in range(self.random.randint(1, 3)):
            self.assignment(top, 0)
        for word, name, text, parent, parameters in outline:
            # A class may declare those before it, a define any: no endless circles.
            if word == "class":
                self.classes = known[: [each for each, _ in known].index(name)]
            else:
                self.classes = known
            inside = Scope(top, "i")
            inside.own = {each for each, _, _ in parameters}
            for each, kind, _ in parameters:
                inside.variables[each] = kind
            if word == "define":
                inside.variables["title"] = STR
            head = f"{word} {name}({text})" if text or self.chance(0.3) else f"{word} {name}"
            self.emit(0, f"{head}{f' inherits {parent}' if parent else ''} {{")
            declared = len(self.declared)
            if word == "define":
                self.emit(1, f'notify {{ "in {name} ${{title}}": message => {self.value(STR, inside)} }}')
                self.statements_without_resources(inside, 1, self.random.randint(0, 2))
            else:
                self.statements(inside, 1, self.random.randint(1, 4))
            if parent and self.chance(0.5) and self.declared[:declared]:
                type_name, title = self.random.choice(self.declared[:declared])
                attribute = {"File": "mode", "Notify": "message", "User": "comment"}.get(type_name)
                if attribute:
                    arrow = self.pick("=>", "=>", "+>")
                    self.emit(1, f"{type_name}['{title}'] {{ {attribute} {arrow} {self.value(STR, inside)} }}")
            self.emit(0, "}")
            if word == "define":
                self.defines.append((name, parameters))
        self.classes = known
        self.statements(top, 0, self.random.randint(2, 6))
        if self.chance(0.4):
            pattern = self.pick("default", "'web1.example.com'", "/^web(\\d)/", "'other', default", "/example/")
            self.emit(0, f"node {pattern} {{")
            self.statements(Scope(top, "n"), 1, self.random.randint(1, 3))
            self.emit(0, "}")
        return "\n".join(self.lines) + "\n"

    def statements_without_resources(self, scope: Scope, indent: int, count: int) -> None:
        """In the body of a define, which may run several times."""
        for _ in range(count):
            self.random.choice((self.assignment, self.notice, self.iteration, self.tagging))(scope, indent)

    def function(self, scope: Scope) -> None:
        name = self.fresh("f")
        kinds = [self.random.choice(KINDS) for _ in range(self.random.randint(1, 2))]
        inner = Scope(None, "q")
        texts = []
        for kind in kinds:
            parameter = self.fresh("q")
            texts.append(f"${parameter}")
            inner.add(parameter, kind)
        result = self.random.choice(KINDS)
        self.emit(0, f"function {name}({', '.join(texts)}) {{")
        self.emit(1, f"({self.value(result, inner)})")
        self.emit(0, "}")
        self.functions.append((name, kinds, result))


def make_program(random: Random) -> str:
    """A random manifest."""
    return Maker(random).program()
