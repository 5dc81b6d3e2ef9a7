"""The fast code generator: Python that computes plain values and keeps no history.

Every expression can be written in two ways. `strict(node)` is Python code that computes the value in weak head normal
form. `slot(node)` is code that makes a slot for it without computing anything that could fail or take long: the value
itself where it is at hand (literals, functions, variables, small lists and sets), else a thunk `T(lambda: ...)`.

What makes it fast:

* Integer operators are written out for two ready integers and call `operators` otherwise. An *argument* such as `n - 1`
  is computed at once if `n` is a ready integer, since that can not fail; only otherwise is a thunk made.
* A variable once forced is known to be ready from there on (`known`), inside closures made later too.
* `let f = x: y: ...` also makes a twin of f that takes both arguments at once; a call with enough arguments uses it.
* A builtin that is plainly named is called with all its arguments at once, those it surely forces already computed.

In the text: `T` is `Thunk`, `A` is `Attrs`, `F` the type of functions, `Z` a value that no slot ever holds, `M` the
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from ...base.source import Span
from ..kernel.operators import MAX, MIN
from ..kernel.values import NixPath
from ..syntax.tree import (
    Assert,
    Attribute,
    AttrSet,
    Binary,
    Call,
    CurrentPosition,
    Expr,
    FloatLiteral,
    HasAttr,
    If,
    Interpolation,
    IntLiteral,
    Lambda,
    Let,
    ListLiteral,
    Negate,
    Not,
    OldLet,
    PathInterpolation,
    PathLiteral,
    PathStep,
    PatternLambda,
    SearchPath,
    Select,
    StringLiteral,
    Variable,
    With,
)
from .writer import MAX_NESTING, Binding, Emitter, Scope, small

_HARMLESS = (IntLiteral, FloatLiteral, StringLiteral, PathLiteral, Lambda, PatternLambda, ListLiteral)
"""Forms that are made without computing anything; sets and some variables are, too."""

_CERTAIN: dict[str, tuple[type, ...]] = {
    "function": (Lambda, PatternLambda),
    "int": (IntLiteral,),
    "str": (StringLiteral, Interpolation),
    "list": (ListLiteral,),
    "attrs": (AttrSet,),
}

_ATOMS = {"true": ("True", "bool"), "false": ("False", "bool"), "null": ("None", "null")}

_CHECKED: dict[str, tuple[tuple[int, str], ...]] = {
    **dict.fromkeys("filter sort all any concatMap".split(), ((0, "function"), (1, "list"))),
    **dict.fromkeys("bitAnd bitOr bitXor".split(), ((0, "int"), (1, "int"))),
    **dict.fromkeys("getAttr hasAttr".split(), ((0, "str"), (1, "attrs"))),
    **dict.fromkeys("match split hashString compareVersions".split(), ((0, "str"), (1, "str"))),
    "elemAt": ((1, "int"), (0, "list")),
    "concatStringsSep": ((0, "str"), (1, "list")),
    "foldl'": ((0, "function"), (2, "list")),
    "intersectAttrs": ((0, "attrs"), (1, "attrs")),
    "removeAttrs": ((0, "attrs"), (1, "list")),
    "replaceStrings": ((0, "list"), (1, "list"), (2, "str")),
    "substring": ((0, "int"), (1, "int"), (2, "str")),
}
"""Builtins that insist on one argument's type before they force the next: their arguments in that order."""

STRICT_ARGUMENTS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("add sub mul div bitAnd bitOr bitXor lessThan elemAt getAttr hasAttr".split(), (0, 1)),
    **dict.fromkeys("removeAttrs intersectAttrs compareVersions match split hashString".split(), (0, 1)),
    **dict.fromkeys("length head tail attrNames attrValues typeOf isAttrs isBool isFloat isFunction".split(), (0,)),
    **dict.fromkeys("isInt isList isNull isPath isString stringLength toString ceil floor concatLists".split(), (0,)),
    **dict.fromkeys("listToAttrs functionArgs baseNameOf dirOf seq fromJSON import".split(), (0,)),
    **dict.fromkeys("map filter elem genList sort all any mapAttrs concatStringsSep concatMap".split(), (1,)),
    **dict.fromkeys(("foldl'",), (2,)),
    "substring": (0, 1, 2),
    "replaceStrings": (0, 1, 2),
}
"""Arguments that a builtin always forces, and forces before it could do anything else that can be observed."""

MAX_CHAIN = 6
"""How many steps of a selection, or arguments of a call, are written as one nest of brackets."""

Code = tuple[str, str]
"""Python text, and the type of its value if that is certain."""


class PlainEmitter(Emitter):
    """Writes the fast code."""

    def compile(self, tree: Expr, outside: dict[str, Any] | None = None) -> Callable[[], Any]:
        """The program of a file, as a Python function.  `outside` binds names around it (`scopedImport`)."""
        names = outside or {}
        for name in names:
            self.scope.bound[name] = Binding(self.fresh(name), self.frame)
            self.shadowable = self.shadowable or name.startswith("__")
        parameters = ", ".join(binding.python for binding in self.scope.bound.values())
        body, _ = self.strict(tree)
        run: Callable[..., Any] = self.module(body, parameters)
        slots = list(names.values())
        return lambda: run(*slots)

    # --- the two ways ---

    def strict(self, node: Expr) -> Code:
        """Code for the value of `node`."""
        self.depth += 1
        code = self.lift(node) if self.depth > MAX_NESTING else self.STRICT[type(node)](self, node)
        self.depth -= 1
        return code

    def made(self, node: Expr) -> str:
        """Code for a value that is made without computing anything.  Never lifted: its variables may not be set yet."""
        self.depth += 1
        code, _ = self.STRICT[type(node)](self, node)
        self.depth -= 1
        return code

    def lift(self, node: Expr) -> Code:
        """Code that calls a function of its own for `node`."""
        saved = self.enter()
        self.depth = 0
        body, kind = self.strict(node)
        return self.unit(body, self.leave(saved)), kind

    def slot(self, node: Expr) -> str:
        """Code for a slot with `node` in it."""
        match node:
            case Variable():
                return self.variable_slot(node)
            case IntLiteral() | FloatLiteral() | StringLiteral() | PathLiteral():
                return self.made(node)
            case _ if self.machine.exact:
                return self.thunk(node)
            case Lambda() | PatternLambda():
                return self.made(node)
            case ListLiteral() | AttrSet() if self.depth < MAX_NESTING - 2 and small(node):
                return self.made(node)
            case ListLiteral() if not node.elements:
                return "[]"
            case Binary() | Negate():
                ready = self.ready_arithmetic(node)
                if ready is not None:
                    return ready
        return self.thunk(node)

    def thunk(self, node: Expr) -> str:
        """Code that makes a thunk of `node`."""
        saved = self.enter()
        self.depth = saved[2] + 1
        site = self.site(node.span, self.label)
        body = self.outlined(self.strict(node)[0])
        self.leave(saved)
        return f"T(#{site}\nlambda: {body})"

    def span(self, span: Span) -> str:
        """A constant for a place."""
        return self.constant(span, "s")

    def atom(self, node: Expr) -> tuple[str, str, str]:
        """A value to be used twice: code that computes it, the text to use afterwards, its type."""
        code, kind = self.strict(node)
        if code.isidentifier() or isinstance(node, IntLiteral | StringLiteral | FloatLiteral):
            return code, code, kind
        name = self.fresh()
        return f"({name} := {code})", name, kind

    def harmless(self, node: Expr) -> bool:
        """Whether computing `node` can not fail, so that it does not matter what is computed or checked before it."""
        if isinstance(node, AttrSet):
            return not node.dynamic and all(each.name != "__overrides" for each in node.attributes)
        if isinstance(node, Variable):
            return node.name in _ATOMS and self.lookup(node.name)[0] is None
        return isinstance(node, _HARMLESS)

    def may_fail(self, nodes: Iterable[Expr]) -> bool:
        """Whether computing one of the nodes may fail."""
        return not all(self.harmless(each) for each in nodes)

    # --- literals ---

    def strict_int(self, node: IntLiteral) -> Code:
        return f"({node.value})", "int"

    def strict_float(self, node: FloatLiteral) -> Code:
        return f"({node.value!r})", "float"

    def strict_text(self, node: StringLiteral) -> Code:
        return repr(node.value), "str"

    def strict_path(self, node: PathLiteral) -> Code:
        return self.constant(NixPath(node.value), "p"), "path"

    def strict_search_path(self, node: SearchPath) -> Code:
        finder = Variable("__findFile", span=node.span)
        entries = Variable("__nixPath", span=node.span)
        return self.strict(Call(finder, (entries, StringLiteral(node.text, span=node.span)), span=node.span))

    def strict_interpolation(self, node: Interpolation) -> Code:
        text = literal_text(node)
        if text is not None:
            return repr(text), "str"
        parts = [self.text_part(node.parts, index, node.span) for index in range(len(node.parts))]
        if all(kind == "str" for _, kind in parts):
            return f"({' + '.join(code for code, _ in parts)})", "str"
        computed = [code for code, kind in parts if not (kind == "str" and code[0] in "'\"")]
        if len(computed) != 1:
            return f"interpolate(M, {self.span(node.span)}, {', '.join(code for code, _ in parts)})", ""
        name = self.fresh()
        pieces = [name if code is computed[0] else code for code, _ in parts]
        general = f"interpolate(M, {self.span(node.span)}, {', '.join(pieces)})"
        return f"({' + '.join(pieces)} if ({name} := {computed[0]}).__class__ is str else {general})", ""

    def text_part(self, parts: tuple[Expr, ...], index: int, span: Span) -> Code:
        """A part of a text; it must be fit for one before the next is computed."""
        code, kind = self.strict(parts[index])
        if kind in ("str", "path") or not self.may_fail(parts[index + 1 :]):
            return code, kind
        name = self.fresh()
        return f"({name} if ({name} := {code}).__class__ is str else interpolable({name}, {self.span(span)}))", ""

    def strict_path_interpolation(self, node: PathInterpolation) -> Code:
        parts = ", ".join(self.text_part(node.parts, index, node.span)[0] for index in range(len(node.parts)))
        return f"interpolate_path(M, {self.span(node.span)}, {parts})", "path"

    def strict_position(self, node: CurrentPosition) -> Code:
        return f"current_position({self.span(node.span)})", "attrs"

    # --- variables ---

    def strict_variable(self, node: Variable) -> Code:
        binding, withs = self.lookup(node.name)
        if binding is None:
            return self.free_variable(node, withs)
        name = self.use(binding.python)
        if binding.kind or name in self.known:
            return name, binding.kind
        if name in self.frame.own:
            self.known.add(name)
            return f"({name} if {name}.__class__ is not T else ({name} := {name}.force()))", ""
        forced = f"{name}.value if {name}.code is None else {name}.force()"
        return f"({name} if {name}.__class__ is not T else {forced})", ""

    def free_variable(self, node: Variable, withs: list[str]) -> Code:
        """A variable that no construct of the program binds: a global, or one that a `with` may have."""
        name = self.builtin_name(node)
        if name is not None:
            if name in _ATOMS:
                return _ATOMS[name]
            return f"force({self.builtin_slot(name)})", ""
        sets = ", ".join(self.use(each) for each in withs)
        return f"with_lookup({node.name!r}, {self.span(node.span)}, {sets})", ""

    def builtin_slot(self, name: str) -> str:
        if name in _ATOMS:
            return _ATOMS[name][0]
        return self.constant(self.machine.builtins.table[name], "b")

    def variable_slot(self, node: Variable) -> str:
        binding, _ = self.lookup(node.name)
        if binding is None:
            name = self.builtin_name(node)
            return self.thunk(node) if name is None else self.builtin_slot(name)
        if not binding.ready and binding.frame is self.frame:
            return self.thunk(node)
        return self.use(binding.python)

    # --- sets, let, with ---

    def strict_set(self, node: AttrSet) -> Code:
        positions = self.constant({each.name: each.span for each in node.attributes}, "p")
        if not node.recursive:
            items = ", ".join(f"{each.name!r}: {self.attribute_slot(each)}" for each in node.attributes)
            code = f"A({{{items}}}, {positions})"
            return (self.with_dynamic(code, node), "attrs") if node.dynamic else (code, "attrs")
        outer = self.scope
        assignments = self.bind(node)
        items = ", ".join(f"{name!r}: {self.use(each.python)}" for name, each in self.scope.bound.items())
        code = f"A({{{items}}}, {positions})"
        if any(each.name == "__overrides" for each in node.attributes):
            code = self.with_overrides(code, node)
        if node.dynamic:
            code = self.with_dynamic(code, node)
        self.scope = outer
        return self.after(assignments, code), "attrs"

    def attribute_slot(self, each: Attribute) -> str:
        old, self.label = self.label, each.name
        code = self.slot(each.value)
        self.label = old
        return code

    def with_dynamic(self, code: str, node: AttrSet) -> str:
        """Add attributes whose names are computed."""
        parts = []
        for index, each in enumerate(node.dynamic):
            name, kind = self.strict(each.name)
            if kind != "str" and self.may_fail(later.name for later in node.dynamic[index + 1 :]):
                found = self.fresh()
                wrong = f"nameable({found}, {self.span(each.span)})"
                name = f"({found} if ({found} := {name}).__class__ is str else {wrong})"
            parts.append(f"({name}, {self.slot(each.value)}, {self.span(each.span)})")
        return f"add_dynamic({code}, {', '.join(parts)})"

    def with_overrides(self, code: str, node: AttrSet) -> str:
        """`__overrides` in a recursive set: its attributes replace the set's own, in their scope too (Nix manual
        15.1).
        """
        overrides = self.fresh("overrides")
        own = self.scope.bound["__overrides"]
        tests = [f"({overrides} := overriding_set({own.python}, {self.span(node.span)})) is not Z"]
        for name, binding in self.scope.bound.items():
            self.known.discard(binding.python)
            binding.kind, binding.twin = "", None
            tests.append(
                f"({binding.python} := {overrides}.table[{name!r}]"
                f" if {name!r} in {overrides}.table else {binding.python}) is not Z"
            )
        return f"(override({code}, {overrides}) if {' and '.join(tests)} else 0)"

    def after(self, assignments: list[str], code: str) -> str:
        """`code`, once the assignments are made."""
        if not assignments:
            return code
        return f"({code} if {' and '.join(f'({each}) is not Z' for each in assignments)} else 0)"

    def bind(self, node: AttrSet) -> list[str]:
        """Open the scope of a recursive set or `let`: the assignments that set it up, in an order that works.

        Functions come first, then thunks, then what is made at once: only the last look at other variables now.
        """
        outer = self.scope
        inner = Scope(outer)
        overridden = node.recursive and any(each.name == "__overrides" for each in node.attributes)
        plain = not overridden and not self.machine.exact
        for each in node.attributes:
            binding = Binding(self.fresh(each.name), self.frame, "", ready=False)
            binding.node = each.value
            inner.bound[each.name] = binding
            if plain:
                self.foresee(binding, each.value)
        assignments: list[str] = []
        order: Sequence[Attribute] = node.attributes
        if not self.machine.exact:
            order = sorted(order, key=lambda each: _set_up_order(each.value))
        for each in order:
            binding = inner.bound[each.name]
            self.scope = outer if each.inherited else inner
            old, self.label = self.label, each.name
            if binding.twin is not None:
                assignments.extend(self.curried(binding, each.value))
            elif overridden:  # what `__overrides` replaces must be looked up when it is needed
                assignments.append(f"{binding.python} := {self.thunk(each.value)}")
            else:
                assignments.append(f"{binding.python} := {self.bound_slot(each)}")
            self.label = old
            binding.ready = True
        self.scope = inner
        return assignments

    def bound_slot(self, each: Attribute) -> str:
        """The slot of a variable that a `let` or recursive set binds."""
        return self.slot(each.value)

    def foresee(self, binding: Binding, value: Expr) -> None:
        """Note what is certain about a binding before its code is written."""
        match value:
            case Lambda():
                binding.kind = "function"
                while isinstance(value, Lambda) and isinstance(value.body, Lambda) and binding.arity < MAX_CHAIN:
                    binding.arity += 1
                    value = value.body
                if binding.arity > 1:
                    binding.twin = self.fresh(f"{binding.python}_twin")
            case PatternLambda():
                binding.kind = "function"
            case IntLiteral():
                binding.kind = "int"
            case StringLiteral():
                binding.kind = "str"

    def strict_let(self, node: Let) -> Code:
        outer = self.scope
        assignments = self.bind(node.bindings)
        body, kind = self.strict(node.body)
        self.scope = outer
        return self.after(assignments, body), kind

    def strict_old_let(self, node: OldLet) -> Code:
        code, _ = self.strict_set(node.bindings)
        return f"select({code}, 'body', {self.span(node.span)})", ""

    def strict_with(self, node: With) -> Code:
        scope_slot = self.slot(node.scope)
        name = self.fresh("with")
        outer = self.scope
        self.scope = Scope(outer, with_python=name)
        body, kind = self.strict(node.body)
        self.scope = outer
        return self.after([f"{name} := {scope_slot}"], body), kind

    def strict_list(self, node: ListLiteral) -> Code:
        if node.elements and all(isinstance(each, IntLiteral | StringLiteral) for each in node.elements):
            # A copy each time: printing tells a list that occurs twice from two that are alike.
            elements = [each.value for each in node.elements]  # type: ignore[attr-defined]
            return f"{self.constant(elements, 'c')}.copy()", "list"
        return f"[{', '.join(self.slot(each) for each in node.elements)}]", "list"

    # --- selection ---

    def strict_select(self, node: Select) -> Code:
        name = self.builtin_name(node)
        if name is not None:
            return _ATOMS.get(name) or (f"force({self.builtin_slot(name)})", "")
        if node.default is None and len(node.steps) > MAX_CHAIN:
            return self.strict(_split_select(node))
        code, _ = self.strict(node.subject)
        if node.default is None:
            for step, span in zip(node.steps, node.step_spans):
                code = f"select({code}, {self.step(step)}, {self.span(span)})"
            return code, ""
        found = self.fresh()
        steps = ", ".join(self.lazy_step(step) for step in node.steps)
        before = set(self.known)
        default, _ = self.strict(node.default)
        self.known = before
        return f"(force({found}) if ({found} := find({code}, {steps})) is not Z else {default})", ""

    def step(self, step: PathStep) -> str:
        """Code for the name of one step of an attribute path."""
        if isinstance(step, str):
            return repr(step)
        code, _ = self.strict(step)
        return f"attribute_name({code}, {self.span(step.span)})"

    def lazy_step(self, step: PathStep) -> str:
        """The same, computed only when the step is reached."""
        if isinstance(step, str):
            return repr(step)
        saved = self.enter()
        code = self.step(step)
        self.leave(saved)
        return f"(lambda: {code})"

    def strict_has(self, node: HasAttr) -> Code:
        code, _ = self.strict(node.subject)
        steps = ", ".join(self.lazy_step(step) for step in node.steps)
        return f"(find({code}, {steps}) is not Z)", "bool"

    # --- functions ---

    def strict_lambda(self, node: Lambda) -> Code:
        if isinstance(node.body, Lambda):  # with a twin for builtins that give both arguments at once
            binding = Binding(self.fresh("function"), self.frame)
            binding.arity, binding.twin = 2, self.fresh("twin")
            twin, function = self.curried(binding, node)
            return f"({function.partition(' := ')[2]} if ({twin}) is not Z else 0)", "function"
        saved = self.enter()
        self.depth = saved[2] + 1
        site = self.site(node.span, self.label, self.information(node))
        outer = self.scope
        self.scope = Scope(outer)
        argument = self.fresh(node.argument)
        self.scope.bound[node.argument] = Binding(argument, self.frame)
        self.label = ""
        body = self.outlined(self.strict(node.body)[0], argument)
        self.scope = outer
        self.leave(saved)
        return f"(#{site}\nlambda {argument}: {body})", "function"

    def curried(self, binding: Binding, value: Expr) -> list[str]:
        """A function of several arguments and its twin that takes them all at once."""
        saved = self.enter()
        outer = self.scope
        arguments: list[str] = []
        levels: list[tuple[Lambda, int]] = []
        node = value
        for _ in range(binding.arity):
            assert isinstance(node, Lambda)
            levels.append((node, self.site(node.span, self.label, self.information(node))))
            self.scope = Scope(self.scope)
            argument = self.fresh(node.argument)
            self.scope.bound[node.argument] = Binding(argument, self.frame)
            arguments.append(argument)
            node = node.body
            self.label = ""
        self.depth = saved[2] + 1
        body = self.outlined(self.strict(node)[0], *arguments)
        self.scope = outer
        self.leave(saved)
        together = ", ".join(arguments)
        assert binding.twin is not None
        first = self.sites[levels[0][1]].info
        if binding.arity == 2 and first is not None:
            first.twin = binding.twin
        wrapper = f"{binding.twin}({together})"
        for (level, site), argument in zip(reversed(levels), reversed(arguments)):
            wrapper = self.curried_level(level, f"(#{site}\nlambda {argument}: {wrapper})")
        return [f"{binding.twin} := (lambda {together}: {body})", f"{binding.python} := {wrapper}"]

    def curried_level(self, node: Lambda, code: str) -> str:
        """The value of one of the functions that take one argument each."""
        return code

    def strict_pattern_lambda(self, node: PatternLambda) -> Code:
        saved = self.enter()
        self.depth = saved[2] + 1
        information = self.information(node)
        site = self.site(node.span, self.label, information)
        self.label = ""
        outer = self.scope
        self.scope = Scope(outer)
        given, table = self.fresh("given"), self.fresh("table")
        matched = f"match_formals({given}, {self.constant(information, 'f')})"
        if node.name is not None:
            whole = self.fresh(node.name)
            self.scope.bound[node.name] = Binding(whole, self.frame, "attrs")
            matched = f"({whole} := {matched})"
        assignments = [f"{table} := {matched}.table"]
        for formal in node.formals:
            self.scope.bound[formal.name] = Binding(self.fresh(formal.name), self.frame, ready=False)
        for formal in sorted(node.formals, key=lambda each: each.default is not None):
            binding = self.scope.bound[formal.name]
            if formal.default is None:
                assignments.append(f"{binding.python} := {table}[{formal.name!r}]")
            else:
                default = self.slot(formal.default)
                key = repr(formal.name)
                assignments.append(f"{binding.python} := {table}[{key}] if {key} in {table} else {default}")
            binding.ready = True
        body = self.outlined(self.after(assignments, self.strict(node.body)[0]), given)
        self.scope = outer
        self.leave(saved)
        return f"(#{site}\nlambda {given}: {body})", "function"

    def strict_call(self, node: Call) -> Code:
        name = self.builtin_name(node.function)
        arguments = node.arguments
        if name is not None:
            arity = self.machine.builtin_arity(name)
            if arity and len(arguments) >= arity:
                code = self.builtin_call(name, arguments[:arity], node.span)
                return self.applied(code, "", arguments[arity:], node.span)
        elif len(arguments) > MAX_CHAIN:
            inner = Call(node.function, arguments[:MAX_CHAIN], span=node.span)
            return self.strict(Call(inner, arguments[MAX_CHAIN:], span=node.span))
        elif isinstance(node.function, Variable):
            binding, _ = self.lookup(node.function.name)
            if binding is not None and binding.twin is not None and len(arguments) >= binding.arity:
                together = ", ".join(self.slot(each) for each in arguments[: binding.arity])
                code = f"{self.use(binding.twin)}({together})"
                return self.applied(code, "", arguments[binding.arity :], node.span)
        code, kind = self.strict(node.function)
        return self.applied(code, kind, arguments, node.span)

    def applied(self, code: str, kind: str, arguments: tuple[Expr, ...], span: Span) -> Code:
        """Apply code for a function to arguments, one by one."""
        for argument in arguments:
            if kind != "function":
                if code.isidentifier():
                    code = f"({code} if {code}.__class__ is F else callable_of({code}, {self.span(span)}))"
                else:
                    name = self.fresh()
                    code = f"({name} if ({name} := {code}).__class__ is F else callable_of({name}, {self.span(span)}))"
            code = f"{code}({self.slot(argument)})"
            kind = ""
        return code, kind

    def builtin_call(self, name: str, arguments: tuple[Expr, ...], span: Span) -> str:
        """Call a builtin with all its arguments."""
        strict = STRICT_ARGUMENTS.get(name, ())
        if name == "toString":
            code, value = self.strict(arguments[0])[0], self.fresh()
            function = self.constant(self.machine.builtin(name), "b")
            general = f"call_builtin({function}, {self.span(span)}, {value})"
            return f"(str({value}) if ({value} := {code}).__class__ is int else {general})"
        ready = self.ready_arguments(name, arguments)
        codes = [
            self.strict(argument)[0] if index in strict and index in ready else self.slot(argument)
            for index, argument in enumerate(arguments)
        ]
        function = self.constant(self.machine.builtin(name), "b")
        return f"call_builtin({function}, {self.span(span)}, {', '.join(codes)})"

    def ready_arguments(self, name: str, arguments: tuple[Expr, ...]) -> set[int]:
        """The arguments that may be computed before the builtin is called: no check of another could come first."""
        ready = set(range(len(arguments)))
        certain = True
        for index, kind in _CHECKED.get(name, ()):
            if not certain and not self.harmless(arguments[index]):
                ready.discard(index)
            certain = certain and self.certainly(arguments[index], kind)
        return ready

    def certainly(self, node: Expr, kind: str) -> bool:
        """Whether a value, if there is one, is plainly of this type."""
        if isinstance(node, Variable):
            binding, _ = self.lookup(node.name)
            return binding is not None and binding.kind == kind
        return isinstance(node, _CERTAIN[kind])

    # --- control ---

    def boolean(self, node: Expr) -> str:
        """Code for a value that must be a Boolean."""
        code, kind = self.strict(node)
        if kind == "bool":
            return code
        if code.isidentifier():
            return f"({code} if {code}.__class__ is bool else not_boolean({code}, {self.span(node.span)}))"
        name = self.fresh()
        return f"({name} if ({name} := {code}).__class__ is bool else not_boolean({name}, {self.span(node.span)}))"

    def strict_if(self, node: If) -> Code:
        test = self.boolean(node.test)
        before = set(self.known)
        yes, yes_kind = self.strict(node.yes)
        self.known = set(before)
        no, no_kind = self.strict(node.no)
        self.known = before
        return f"({yes} if {test} else {no})", yes_kind if yes_kind == no_kind else ""

    def strict_assert(self, node: Assert) -> Code:
        test = self.boolean(node.test)
        body, kind = self.strict(node.body)
        return f"({body} if {test} else assertion_failed({self.constant(node, 'n')}))", kind

    # --- operators ---

    def strict_binary(self, node: Binary) -> Code:
        match node.operator:
            case "&&":
                return self.both(node, "({right} if {left} else False)")
            case "||":
                return self.both(node, "(True if {left} else {right})")
            case "->":
                return self.both(node, "({right} if {left} else True)")
            case "==":
                return self.equality(node), "bool"
            case "!=":
                return f"(not {self.equality(node)})", "bool"
            case "//":
                return self.updated(node), "attrs"
            case "++":
                return self.operator_call("concatenate", node), "list"
            case "<":
                return self.comparison(node.left, node.right, node), "bool"
            case ">":
                return self.comparison(node.right, node.left, node), "bool"
            case "<=":
                return f"(not {self.comparison(node.right, node.left, node)})", "bool"
            case ">=":
                return f"(not {self.comparison(node.left, node.right, node)})", "bool"
            case _:
                return self.arithmetic(node)

    def both(self, node: Binary, form: str) -> Code:
        left = self.boolean(node.left)
        before = set(self.known)
        right = self.boolean(node.right)
        self.known = before
        return form.format(left=left, right=right), "bool"

    def operator_call(self, function: str, node: Binary) -> str:
        left, _ = self.strict(node.left)
        right, _ = self.strict(node.right)
        return f"{function}({left}, {right}, {self.span(node.span)})"

    def updated(self, node: Binary) -> str:
        left, kind = self.strict(node.left)
        if kind != "attrs" and not self.harmless(node.right):
            name = self.fresh()
            left = f"({name} if ({name} := {left}).__class__ is A else updatable({name}, {self.span(node.span)}))"
        return f"update({left}, {self.strict(node.right)[0]}, {self.span(node.span)})"

    def equality(self, node: Binary) -> str:
        left, right = node.left, node.right
        if isinstance(right, Variable) and self.builtin_name(right) == "null":
            if isinstance(left, IntLiteral | FloatLiteral | StringLiteral):
                return "False"
            return f"({self.strict(left)[0]} is None)"
        one, again, kind = self.atom(left)
        two, again_two, other = self.atom(right)
        simple = {"int", "str", "bool"}
        if kind == other and kind in simple:
            return f"({one} == {two})"
        if other in simple and two == again_two:
            return f"({again} == {two} if {one}.__class__ is {other} else equal({again}, {two}))"
        test = f"{one}.__class__ is {two}.__class__ in QUICK"
        return f"({again} == {again_two} if {test} else equal({again}, {again_two}))"

    def comparison(self, left: Expr, right: Expr, node: Binary) -> str:
        if self.is_shadowed("__lessThan"):
            return self.boolean(self.as_call("__lessThan", node, left, right))
        one, again, kind = self.atom(left)
        two, again_two, other = self.atom(right)
        test = _both_int(one, again, kind, two, again_two, other)
        if test is None:
            return f"({one} < {two})"
        return f"({again} < {again_two} if {test} else less_than({again}, {again_two}, {self.span(node.span)}))"

    def as_call(self, name: str, node: Expr, *operands: Expr) -> Expr:
        """An operator whose builtin the program has bound anew."""
        return Call(Variable(name, span=node.span), operands, span=node.span)

    def arithmetic(self, node: Binary) -> Code:
        builtin, function = _ARITHMETIC[node.operator]
        if builtin and self.is_shadowed(builtin):
            return self.strict(self.as_call(builtin, node, node.left, node.right))
        one, again, kind = self.atom(node.left)
        two, again_two, other = self.atom(node.right)
        machine = ", M" if node.operator == "+" else ""
        general = f"{function}({again}, {again_two}, {self.span(node.span)}{machine})"
        if node.operator == "/":
            if isinstance(node.right, IntLiteral) and node.right.value > 0:
                quick = f"{one}.__class__ is int and {again} >= 0"
                return f"({again} // {two} if {quick} else {general})", ""
            return f"{function}({one}, {two}, {self.span(node.span)})", ""
        if kind == "str" and other == "str" and node.operator == "+":
            return f"({one} + {two})", "str"
        check = ""
        if node.operator == "+" and kind not in ("int", "float", "str", "path") and not self.harmless(node.right):
            check = f"({one}.__class__ is int or addable({again}, {self.span(node.span)})) and "
            one = again
        test = _both_int(one, again, kind, two, again_two, other)
        if test is None:
            return self.wrapped(f"{one} {node.operator} {two}", node), "int"
        quick = self.wrapped(f"{again} {node.operator} {again_two}", node)
        return f"({quick} if {check}{test} else {general})", ""

    def wrapped(self, code: str, node: Binary) -> str:
        """An integer computation, brought back to 64 bits where it leaves them."""
        name = self.fresh()
        literal = isinstance(node.right, IntLiteral)
        if literal and node.operator == "-":
            return f"({name} if ({name} := {code}) >= {MIN} else wrap({name}))"
        if literal and node.operator == "+":
            return f"({name} if ({name} := {code}) <= {MAX} else wrap({name}))"
        return f"({name} if {MIN} <= ({name} := {code}) <= {MAX} else wrap({name}))"

    def strict_not(self, node: Not) -> Code:
        return f"(not {self.boolean(node.operand)})", "bool"

    def strict_negate(self, node: Negate) -> Code:
        if self.is_shadowed("__sub"):
            return self.strict(self.as_call("__sub", node, IntLiteral(0, span=node.span), node.operand))
        code, _ = self.strict(node.operand)
        return f"subtract(0, {code}, {self.span(node.span)})", ""

    def ready_arithmetic(self, node: Expr) -> str | None:
        """Code for a slot with integer arithmetic: computed now if all its variables are ready integers."""
        names: list[str] = []
        code = self.plain_arithmetic(node, names, 3)
        if code is None or not names:
            return None
        if self.shadowable and any(self.is_shadowed(name) for name in ("__sub", "__mul", "__lessThan")):
            return None
        unique = list(dict.fromkeys(names))
        test = " and ".join(f"{name}.__class__ is int" for name in unique)
        return f"({code} if {test} else {self.thunk(node)})"

    def plain_arithmetic(self, node: Expr, names: list[str], depth: int) -> str | None:
        match node:
            case IntLiteral(value):
                return f"({value})"
            case Variable(name):
                binding, _ = self.lookup(name)
                if binding is None or binding.kind not in ("", "int"):
                    return None
                if not binding.ready and binding.frame is self.frame:
                    return None
                names.append(self.use(binding.python))
                return binding.python
            case Binary(operator, left, right) if operator in "+-*" and depth:
                one = self.plain_arithmetic(left, names, depth - 1)
                two = self.plain_arithmetic(right, names, depth - 1) if one is not None else None
                return None if one is None or two is None else self.wrapped(f"{one} {operator} {two}", node)
            case _:
                return None

    STRICT: ClassVar[dict[type, Callable[[PlainEmitter, Any], Code]]] = {
        IntLiteral: strict_int,
        FloatLiteral: strict_float,
        StringLiteral: strict_text,
        PathLiteral: strict_path,
        SearchPath: strict_search_path,
        Interpolation: strict_interpolation,
        PathInterpolation: strict_path_interpolation,
        CurrentPosition: strict_position,
        Variable: strict_variable,
        AttrSet: strict_set,
        Let: strict_let,
        OldLet: strict_old_let,
        With: strict_with,
        ListLiteral: strict_list,
        Select: strict_select,
        HasAttr: strict_has,
        Lambda: strict_lambda,
        PatternLambda: strict_pattern_lambda,
        Call: strict_call,
        If: strict_if,
        Assert: strict_assert,
        Binary: strict_binary,
        Not: strict_not,
        Negate: strict_negate,
    }


_ARITHMETIC = {
    "+": ("", "add"),
    "-": ("__sub", "subtract"),
    "*": ("__mul", "multiply"),
    "/": ("__div", "divide"),
}


def _both_int(one: str, again: str, kind: str, two: str, again_two: str, other: str) -> str | None:
    """The test that two operands are integers; nothing if that is certain.  It also computes what is still to
    compute.
    """
    if kind == "int" and other == "int":
        return None
    if other == "int" and two == again_two:
        return f"{one}.__class__ is int"
    if kind == "int" and one == again:
        return f"{two}.__class__ is int"
    return f"{one}.__class__ is {two}.__class__ is int"


def literal_text(node: Interpolation) -> str | None:
    """The text of a string that was only cut into pieces by its escapes; nothing if something is interpolated."""
    if all(isinstance(part, StringLiteral) and not _is_interpolated(part) for part in node.parts):
        return "".join(part.value for part in node.parts)  # type: ignore[attr-defined]
    return None


def _is_interpolated(part: Expr) -> bool:
    """Whether a piece of a string stands in `${...}`."""
    return part.span.file.text[: part.span.start].rstrip().endswith("${")


def _split_select(node: Select) -> Select:
    """A long selection as a selection from a selection."""
    inner = Select(node.subject, node.steps[:-MAX_CHAIN], None, step_spans=node.step_spans[:-MAX_CHAIN], span=node.span)
    return Select(inner, node.steps[-MAX_CHAIN:], node.default, step_spans=node.step_spans[-MAX_CHAIN:], span=node.span)


def _set_up_order(value: Expr) -> int:
    """Functions first, then what becomes a thunk, last what is made at once."""
    match value:
        case IntLiteral() | StringLiteral() | FloatLiteral() | PathLiteral():
            return 0
        case Lambda() | PatternLambda():
            return 1
        case Variable() | ListLiteral() | AttrSet() | Binary() | Negate():
            return 3
        case _:
            return 2
