"""Programs nobody wrote: random Nix expressions over the whole language, for comparison with real Nix.

`program(seed)` is a text. Expressions are made by the type that is wanted, with variables of that type preferred, so
that most programs have a value; now and then something of another type is put in its place, so that errors are
exercised too. What stands below a `tryEval` may throw or fail an assertion, under conditions that a change of a
literal turns over. Nothing depends on files, time or the environment.
"""

from __future__ import annotations

import re
from random import Random
from re import Match

TYPES = ("int", "float", "bool", "string", "list", "set", "function", "null")
NAMES = ("a", "b", "c", "d", "x", "y", "foo", "bar'", "a-b", "_z")
STRINGS = ("", "a", "foo", "x y", "$", "\\n", "\\${", '\\"', "$$", "\\t.", "ü", "0", "/p")


class Maker:
    """Makes one program.  `scope` lists the variables in sight and their types."""

    def __init__(self, seed: int, size: int = 5) -> None:
        self.random = Random(seed)
        self.scope: list[tuple[str, str]] = []
        self.caught = 0
        """How many `tryEval`s stand around the expression being made: below one, failing is a choice like others."""
        self.size = size

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def name(self) -> str:
        return self.random.choice(NAMES)

    def expression(self, kind: str, depth: int) -> str:
        """An expression that should be of type `kind`."""
        if self.chance(0.02):
            kind = self.random.choice(TYPES)
        found = [name for name, known in self.scope if known == kind and self.visible(name, kind)]
        if found and self.chance(0.35 if depth > 0 else 0.7):
            return self.random.choice(found)
        if depth <= 0:
            return self.literal(kind)
        if self.caught and self.chance(0.25):
            return self.fill(self.random.choice(FAILING).replace("<>", f"<{kind}>"), depth)
        if self.chance(0.45):
            return self.wrapped(kind, depth)
        return self.made(kind, depth)

    def visible(self, name: str, kind: str) -> bool:
        """Whether the innermost variable of this name has this type."""
        for known, other in reversed(self.scope):
            if known == name:
                return other == kind
        return False

    def literal(self, kind: str) -> str:
        match kind:
            case "int":
                return str(self.random.choice((0, 1, 2, 3, 7, 10, 100, 9223372036854775807)))
            case "float":
                return self.pick("0.5", "1.5", "2.0", ".25", "1.0e3", "100.125", "3.0e-2")
            case "bool":
                return self.pick("true", "false")
            case "string":
                return f'"{self.random.choice(STRINGS)}"'
            case "list":
                return self.pick("[ ]", "[ 1 ]", '[ "a" 2 ]')
            case "set":
                return self.pick("{ }", "{ a = 1; }", '{ b = "s"; c = [ ]; }')
            case "function":
                return self.pick("(q: q)", "(q: 1)", "toString", "(q: [ q ])")
            case _:
                return "null"

    # --- forms that any type can have ---

    def wrapped(self, kind: str, depth: int) -> str:
        form = self.random.choice(
            (
                "let",
                "let",
                "if",
                "with",
                "call",
                "pattern",
                "select",
                "select_or",
                "paren",
                "assert",
                "old_let",
                "element",
                "rec",
                "try",
            )
        )
        made: str = getattr(self, f"wrap_{form}")(kind, depth - 1)
        return made

    def bindings(self, depth: int, recursive: bool) -> tuple[str, list[tuple[str, str]]]:
        """Definitions, and the names they bind."""
        chosen = self.random.sample(NAMES, self.random.randint(1, 3))
        kinds = [self.random.choice(TYPES) for _ in chosen]
        bound = list(zip(chosen, kinds))
        inside = self.scope + bound if recursive else self.scope
        text = []
        for index, (name, kind) in enumerate(bound):
            outer, self.scope = self.scope, inside
            if recursive:  # mostly refer to earlier names, so that few programs run in circles
                self.scope = outer + bound[:index] if self.chance(0.9) else inside
            if self.chance(0.12) and any(known == name for known, _ in outer):
                text.append(f"inherit {name};")
                bound[index] = (name, next(k for known, k in reversed(outer) if known == name))
            elif self.chance(0.1):
                text.append(f"inherit ({{ {name} = {self.expression(kind, depth - 1)}; }}) {name};")
            elif self.chance(0.12):
                inner = self.name()
                text.append(f"{name}.{inner} = {self.expression(self.random.choice(TYPES), depth - 1)};")
                bound[index] = (name, "set")
            elif self.chance(0.06):
                text.append(f'"{name}" = {self.expression(kind, depth - 1)};')
            else:
                text.append(f"{name} = {self.expression(kind, depth - 1)};")
            self.scope = outer
        return " ".join(text), bound

    def wrap_let(self, kind: str, depth: int) -> str:
        text, bound = self.bindings(depth, True)
        self.scope.extend(bound)
        body = self.expression(kind, depth)
        del self.scope[len(self.scope) - len(bound) :]
        return f"(let {text} in {body})"

    def wrap_old_let(self, kind: str, depth: int) -> str:
        return f"(let {{ body = {self.expression(kind, depth)}; }})"

    def wrap_if(self, kind: str, depth: int) -> str:
        test, yes, no = self.expression("bool", depth), self.expression(kind, depth), self.expression(kind, depth)
        return f"(if {test} then {yes} else {no})"

    def wrap_with(self, kind: str, depth: int) -> str:
        name = f"w{self.random.randint(1, 3)}"
        value = self.expression(kind, depth - 1)
        if self.chance(0.3):
            return f"(with {{ {name} = {value}; }}; with {self.expression('set', depth - 1)}; {name})"
        return f"(with {{ {name} = {value}; }}; {name})"

    def wrap_call(self, kind: str, depth: int) -> str:
        name, of = self.name(), self.random.choice(TYPES)
        self.scope.append((name, of))
        body = self.expression(kind, depth)
        self.scope.pop()
        return f"(({name}: {body}) {self.argument(of, depth - 1)})"

    def argument(self, kind: str, depth: int) -> str:
        text = self.expression(kind, depth)
        return text if text[0] in '("[{' or text.isalnum() else f"({text})"

    def wrap_pattern(self, kind: str, depth: int) -> str:
        names = self.random.sample(NAMES, self.random.randint(1, 3))
        formals: list[str] = []
        given: list[str] = []
        bound: list[tuple[str, str]] = []
        for name in names:
            of = self.random.choice(TYPES)
            optional = self.chance(0.4)
            outer = list(self.scope)
            self.scope.extend(bound)
            default = self.expression(of, depth - 1) if optional else ""
            self.scope = outer
            formals.append(f"{name} ? {default}" if optional else name)
            if not optional or self.chance(0.5):
                if self.chance(0.97):
                    given.append(f"{name} = {self.expression(of, depth - 1)};")
            bound.append((name, of))
        if self.chance(0.3):
            formals.append("...")
            given.append(f"extra = {self.expression('int', 0)};")
        elif self.chance(0.03):
            given.append("extra = 1;")
        whole = self.pick("", "", "", "@args", "args@")
        pattern = "{ " + ", ".join(formals) + " }"
        head = f"args@{pattern}" if whole == "args@" else f"{pattern}{whole}"
        self.scope.extend(bound)
        body = self.expression(kind, depth)
        del self.scope[len(self.scope) - len(bound) :]
        return f"(({head}: {body}) {{ {' '.join(given)} }})"

    def wrap_select(self, kind: str, depth: int) -> str:
        name = self.name()
        if self.chance(0.25):
            return f"{{ {name}.y = {self.expression(kind, depth)}; }}.{name}.y"
        if self.chance(0.2):
            return f'{{ "{name}" = {self.expression(kind, depth)}; }}.${{"{name}"}}'
        return f"{{ {name} = {self.expression(kind, depth)}; }}.{name}"

    def wrap_select_or(self, kind: str, depth: int) -> str:
        subject = self.argument("set", depth) + "." + self.name() if self.chance(0.5) else "{ }.a.b"
        return f"({subject} or {self.argument(kind, depth)})"

    def wrap_paren(self, kind: str, depth: int) -> str:
        return f"({self.expression(kind, depth)})"

    def wrap_assert(self, kind: str, depth: int) -> str:
        test = "true" if self.chance(0.8) else self.expression("bool", depth - 1)
        return f"(assert {test}; {self.expression(kind, depth)})"

    def wrap_element(self, kind: str, depth: int) -> str:
        value = self.argument(kind, depth)
        form = self.pick(
            "(builtins.head [ % ])", "(builtins.elemAt [ 1 % ] 1)", "(builtins.seq 1 %)", "(if true then % else 1)"
        )
        return form.replace("%", value)

    def wrap_rec(self, kind: str, depth: int) -> str:
        text, bound = self.bindings(depth, True)
        same = [name for name, known in bound if known == kind]
        if not same:
            return self.expression(kind, depth)
        return f"(rec {{ {text} }}.{self.random.choice(same)})"

    def wrap_try(self, kind: str, depth: int) -> str:
        """A value that may fail, and another if it does."""
        name = self.pick("r", "r'")
        tried = self.fill(self.random.choice(TRIED).replace("<!>", f"<!{kind}>"), depth)
        form = self.pick(
            f"(let {name} = builtins.tryEval %; in if {name}.success then {name}.value else *)",
            "(({ success, value }: if success then value else *) (builtins.tryEval %))",
            "(with builtins.tryEval %; if success && true then value else *)",
        )
        return form.replace("%", tried).replace("*", self.expression(kind, depth - 1))

    # --- forms of one type ---

    def fill(self, template: str, depth: int) -> str:
        """A template with its holes filled.

        `<int>` any expression, `<(int)>` one that may stand as an argument, `<!int>` one whose failure is caught.
        """

        def part(hole: Match[str]) -> str:
            kind = self.random.choice(TYPES) if hole["kind"] == "any" else hole["kind"]
            if kind == "name":
                return self.name()
            if kind == "text":
                return self.random.choice(STRINGS)
            self.caught += bool(hole["caught"])
            made = self.argument(kind, depth - 1) if hole["argument"] else self.expression(kind, depth - 1)
            self.caught -= bool(hole["caught"])
            return made

        return _HOLE.sub(part, template)

    def made(self, kind: str, depth: int) -> str:
        """One of the forms of this type."""
        if kind == "set" and self.chance(0.5):
            recursive = self.chance(0.3)
            text, _ = self.bindings(depth, recursive)
            dynamic = self.fill(" ${<string>} = <int>;", depth) if self.chance(0.15) else ""
            return f"{'rec ' if recursive else ''}{{ {text}{dynamic} }}"
        if kind == "function":
            name = self.name()
            self.scope.append((name, self.random.choice(TYPES)))
            body = self.expression(self.random.choice(TYPES), depth - 1)
            self.scope.pop()
            return f"{{ __functor = self: {name}: {body}; }}" if self.chance(0.2) else f"({name}: {body})"
        return self.fill(self.random.choice(FORMS[kind]), depth)


_HOLE = re.compile(r"<(?P<caught>!)?(?P<argument>\()?(?P<kind>[a-z]+)\)?>")

FAILING = (
    "(if <bool> then <> else throw <(string)>)",
    "(if <(set)> ? <name> then throw <(string)> else <>)",
    "(assert <bool>; <>)",
    "(assert <int> < <int>; <>)",
    "(let guard = v: if <bool> then v else throw <(string)>; in guard (<>))",
    "(({ a, b ? throw <(string)> }: if <bool> then a else b) { a = <>; })",
    '(let s = { ok = <>; bad = throw <(string)>; }; in s.${if <bool> then "ok" else "bad"})',
    '(<(set)>.<name> or (if <bool> then <> else throw "none"))',
    '(with { x = <>; }; if <bool> then x else throw "${<string>}!")',
    "(builtins.seq (assert <bool>; 1) (<>))",
    '((({ a, ... }: { r = a; }) (if <bool> then { a = <>; } else { a = throw "x"; })).r)',
    "((({ a ? throw <(string)> }: { r = a; }) (if <bool> then { a = <>; } else { })).r)",
    "((s: s.a.b or (throw <(string)>)) (if <bool> then { a.b = <>; } else { a = <int>; }))",
    '(builtins.head (builtins.filter (v: <bool> || throw "no") [ (<>) ]))',
    '(builtins.elemAt (map (v: if v > <int> then throw "big" else (<>)) [ <(int)> 1 ]) 0)',
    "(rec { v = assert <bool>; <>; w = v; }.w)",
)
"""What may throw or fail an assertion; `<>` is an expression of the type wanted."""

TRIED = (
    "(<!>)",
    "(if <bool> then <!> else <!>)",
    "(let v = <!>; in builtins.deepSeq [ v <!(any)> ] v)",
    "(let v = <!>; w = builtins.tryEval v; in if w.success then v else w.value)",
)
"""What stands after `tryEval`."""

FORMS: dict[str, tuple[str, ...]] = {
    "int": (
        "(<int> + <int>)",
        "(<int> - <int>)",
        "(<int> * <int>)",
        "(<int> / <int>)",
        "(-<(int)>)",
        "(builtins.length <(list)>)",
        "(builtins.stringLength <(string)>)",
        "(builtins.add <(int)> <(int)>)",
        "(builtins.foldl' (p: q: p + q) 0 [ <(int)> <(int)> ])",
        "(builtins.bitXor <(int)> <(int)>)",
        "(let go = n: m: if n <= 0 then m else go (n - 1) (m + n); in go 5 <(int)>)",
    ),
    "float": ("(<float> + <int>)", "(<float> - <float>)", "(<int> * <float>)", "(<float> / <float>)"),
    "bool": (
        "(<int> < <int>)",
        "(<string> <= <string>)",
        "(<float> > <int>)",
        "(<list> >= <list>)",
        "(<any> == <any>)",
        "(<set> == <set>)",
        "(<list> != <list>)",
        "(<bool> && <bool>)",
        "(<bool> || <bool>)",
        "(<bool> -> <bool>)",
        "(!<(bool)>)",
        "(<(set)> ? <name>)",
        "(<(any)> ? a.b)",
        "(<(set)> ? ${<string>})",
        "(builtins.isInt <(any)>)",
        "(builtins.elem <(int)> <(list)>)",
        "(builtins.tryEval <!(any)>).success",
        "(builtins.tryEval (<!bool> && <!bool>)).success",
        "(builtins.all (q: (builtins.tryEval q).success) [ <!(any)> <!(any)> ])",
        "(builtins.hasAttr <(string)> <(set)>)",
    ),
    "string": (
        '"<text>${<string>}"',
        '"${<string>}<text>${toString <(int)>}"',
        "(<string> + <string>)",
        "''\n  a\n    ${<string>}\n  ''",
        "''\n    x <text>\n  ${<string>}\n\n   y''",
        "''  ${<string>} ''${ $x ''' ''\\n''",
        "(toString <(int)>)",
        "(toString <(any)>)",
        "(toString <(list)>)",
        "(builtins.substring 0 2 <(string)>)",
        '(builtins.concatStringsSep "," [ <(string)> <(string)> ])',
        "(builtins.typeOf <(any)>)",
        "(builtins.toJSON <(any)>)",
        '(builtins.replaceStrings [ "a" ] [ "bb" ] <(string)>)',
        "(toString (/a/b + <(string)>))",
        "(toString /x/${<string>})",
    ),
    "list": (
        "[ <(any)> <(any)> ]",
        "[ <(any)> <(any)> <(any)> ]",
        "(<list> ++ <list>)",
        "(map <(function)> <(list)>)",
        "(builtins.filter (q: <bool>) <(list)>)",
        "(builtins.attrNames <(set)>)",
        "(builtins.attrValues <(set)>)",
        "(builtins.genList (i: i * <(int)>) 3)",
        "(builtins.sort builtins.lessThan [ 3 <(int)> 1 ])",
        "(builtins.sort (p: q: q < p) [ <(int)> 2 <(int)> ])",
        "(builtins.concatLists [ <(list)> <(list)> ])",
        "(builtins.concatMap (q: [ q <(any)> ]) <(list)>)",
        "(builtins.tail [ <(any)> <(any)> ])",
        "(map (q: (builtins.tryEval q).success) [ <!(any)> <!(int)> ])",
    ),
    "set": (
        "(<set> // <set>)",
        "(<set> // <set> // { <name> = <any>; })",
        "(builtins.mapAttrs (n: v: [ n v ]) <(set)>)",
        "(builtins.listToAttrs [ { name = <string>; value = <int>; } ])",
        '(builtins.removeAttrs <(set)> [ "a" ])',
        "(builtins.intersectAttrs <(set)> <(set)>)",
        "(builtins.tryEval <!(any)>)",
        "(let self = <set> // { q = self ? a; }; in self)",
        "(builtins.functionArgs ({ a, b ? <any> }: a))",
        "(builtins.groupBy (q: toString q) [ <(int)> <(int)> ])",
    ),
    "null": ("null", "(let n = null; in n)"),
}
"""How a value of each type can be made; see `Maker.fill`."""


def program(seed: int, size: int = 5) -> str:
    """The program number `seed`."""
    maker = Maker(seed, size)
    return maker.expression(maker.random.choice(TYPES), maker.random.randint(1, size))


def failing_program(seed: int, size: int = 4) -> str:
    """Program number `seed` of those that ask whether an expression that may well fail does so."""
    maker = Maker(seed, size)
    tried = maker.random.choice(TRIED).replace("<!>", f"<!{maker.random.choice(TYPES)}>")
    return maker.fill(f"(builtins.tryEval {tried}).success", maker.random.randint(2, size))
