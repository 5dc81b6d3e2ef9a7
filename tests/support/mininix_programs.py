"""A generator of Nix programs inside Mininix.

`generate(choose)` writes one program as Nix text; `choose(n)` draws a number below n, from Hypothesis (which then
shrinks failures) or from a seeded random generator (which is fast). Programs are mostly well typed: an expression is
generated for a wanted kind (integer, string, boolean, set, function), names are picked from those in scope, and now and
then a wrong kind or an unknown name slips in, so that stuck programs occur too.
"""

from __future__ import annotations

from collections.abc import Callable

Choose = Callable[[int], int]
Scope = dict[str, str]
NAMES = ["a", "b", "c", "x", "y"]
KINDS = ["int", "string", "bool", "set", "function"]


def generate(choose: Choose, depth: int = 4) -> str:
    """One program."""
    return _Writer(choose).expression(KINDS[choose(4)], {}, depth)


class _Writer:
    def __init__(self, choose: Choose) -> None:
        self.choose = choose

    def pick(self, options: list[str]) -> str:
        return options[self.choose(len(options))]

    def expression(self, kind: str, scope: Scope, depth: int) -> str:
        if self.choose(40) == 0:
            kind = self.pick(KINDS)
        known = [name for name, its in scope.items() if its == kind]
        if known and self.choose(3) == 0:
            return self.pick(known)
        if depth <= 0:
            return self.atom(kind, scope)
        form = self.choose(10)
        if form == 0:
            test = self.expression("bool", scope, depth - 1)
            yes, no = self.expression(kind, scope, depth - 1), self.expression(kind, scope, depth - 1)
            return f"(if {test} then {yes} else {no})"
        if form == 1:
            return self.let(kind, scope, depth)
        if form == 2:
            name = self.pick(NAMES)
            argument = self.pick(KINDS)
            body = self.expression(kind, {**scope, name: argument}, depth - 1)
            return f"(({name}: {body}) {self.expression(argument, scope, depth - 1)})"
        if form == 3:
            return self.with_(kind, scope, depth)
        if form == 4:
            return self.pattern_call(kind, scope, depth)
        if form == 5:
            name = self.pick(NAMES)
            inside = f"{{ {name} = {self.expression(kind, scope, depth - 1)}; {self.extra(name, scope, depth)}}}"
            if self.choose(3) == 0:
                return f"({inside}.{self.pick(NAMES)} or {self.expression(kind, scope, depth - 1)})"
            return f"{inside}.{name}"
        if form == 6:
            return f"(assert {self.expression('bool', scope, depth - 1)}; {self.expression(kind, scope, depth - 1)})"
        if form == 7:
            body = self.expression(kind, {**scope, "n": "int"}, depth - 1)
            return f"({{ __functor = self: n: {body}; }} {self.expression('int', scope, depth - 1)})"
        return getattr(self, f"{kind}_")(scope, depth)  # type: ignore[no-any-return]

    def extra(self, name: str, scope: Scope, depth: int) -> str:
        other = self.pick(NAMES)
        return "" if other == name else f"{other} = {self.expression(self.pick(KINDS), scope, depth - 2)}; "

    def atom(self, kind: str, scope: Scope) -> str:
        if self.choose(60) == 0:
            return self.pick(NAMES)
        match kind:
            case "int":
                return str(self.choose(5))
            case "string":
                return self.pick(['""', '"a"', '"b"', '"ab"'])
            case "bool":
                return self.pick(["true", "false"])
            case "set":
                return self.pick(["{ }", "{ a = 1; }", '{ b = "s"; a = true; }'])
        return self.pick(["(x: x)", "(x: 1)", "({ a ? 1, ... }: a)"])

    def int_(self, scope: Scope, depth: int) -> str:
        left, right = self.expression("int", scope, depth - 1), self.expression("int", scope, depth - 1)
        return f"({left} {self.pick(['+', '+', '-', '/'])} {right})"

    def string_(self, scope: Scope, depth: int) -> str:
        return f"({self.expression('string', scope, depth - 1)} + {self.expression('string', scope, depth - 1)})"

    def bool_(self, scope: Scope, depth: int) -> str:
        form = self.choose(5)
        if form == 0:
            return f"(!{self.expression('bool', scope, depth - 1)})"
        if form == 1:
            return f"({self.expression('set', scope, depth - 1)} ? {self.pick(NAMES)})"
        if form == 2:
            operator = self.pick(["&&", "||", "->"])
            left, right = self.expression("bool", scope, depth - 1), self.expression("bool", scope, depth - 1)
            return f"({left} {operator} {right})"
        kind = self.pick(["int", "string"])
        operator = self.pick(["<", "<=", ">", ">=", "==", "!="])
        return f"({self.expression(kind, scope, depth - 1)} {operator} {self.expression(kind, scope, depth - 1)})"

    def set_(self, scope: Scope, depth: int) -> str:
        if self.choose(3) == 0:
            return f"({self.expression('set', scope, depth - 1)} // {self.expression('set', scope, depth - 1)})"
        recursive = self.choose(2) == 0
        bindings, _ = self.bindings(scope, depth, recursive)
        return f"{'rec ' if recursive else ''}{{ {bindings}}}"

    def function_(self, scope: Scope, depth: int) -> str:
        name = self.pick(NAMES)
        return f"({name}: {self.expression(self.pick(KINDS), {**scope, name: 'int'}, depth - 1)})"

    def bindings(self, scope: Scope, depth: int, recursive: bool) -> tuple[str, Scope]:
        kinds = {name: self.pick(KINDS) for name in NAMES if self.choose(2) == 0}
        text = ""
        seen = dict(scope)
        for name, kind in kinds.items():
            if name in scope and self.choose(5) == 0:
                text += f"inherit {name}; "
                kinds[name] = scope[name]
            else:
                text += f"{name} = {self.expression(kind, seen if recursive else scope, depth - 1)}; "
            seen[name] = kinds[name]
        return text, {**scope, **kinds}

    def let(self, kind: str, scope: Scope, depth: int) -> str:
        bindings, inner = self.bindings(scope, depth, True)
        return f"(let {bindings}in {self.expression(kind, inner, depth - 1)})"

    def with_(self, kind: str, scope: Scope, depth: int) -> str:
        bindings, inner = self.bindings(scope, depth, False)
        return f"(with {{ {bindings}}}; {self.expression(kind, inner, depth - 1)})"

    def pattern_call(self, kind: str, scope: Scope, depth: int) -> str:
        inner = dict(scope)
        formals, given = [], ""
        for name in NAMES[:3]:
            its = self.pick(["int", "string", "bool"])
            use = self.choose(3)
            if use == 0:
                continue
            inner[name] = its
            if use == 1:
                formals.append(name)
                given += f"{name} = {self.expression(its, scope, depth - 2)}; "
            else:
                formals.append(f"{name} ? {self.expression(its, inner, depth - 2)}")
                if self.choose(2):
                    given += f"{name} = {self.expression(its, scope, depth - 2)}; "
        if self.choose(3) == 0:
            formals.append("...")
            given += "z = 1; "
        at = self.pick(["", "", "@args"])
        return f"(({{ {', '.join(formals)} }}{at}: {self.expression(kind, inner, depth - 1)}) {{ {given}}})"
