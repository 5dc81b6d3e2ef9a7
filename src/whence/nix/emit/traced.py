"""The recording code generator: Python that computes values together with how they came to be.

The text has the same shape as the fast one's (`emit_plain`), but every expression computes a *cell*: a tuple
`(value, how, *inputs)`. `how` is a constant made at compile time (`trace.How`: operation, place, words for a person)
and the inputs are other cells or thunks; `history` turns such tuples into the origins of `whence.provenance` when
somebody asks. Slots are cells or thunks, so the history of an element travels with it through lists, sets and builtins.

Recording must stay cheap: a literal's cell is a constant, reading a variable makes nothing, an integer operation on
ready cells makes one tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ...base.source import Span
from ..builtins.constants import FROM_OUTSIDE
from ..kernel.operators import MAX, MIN
from ..kernel.paths import STRING
from ..kernel.values import NixPath
from ..syntax.printer import show, show_name
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
from ..trace.cells import COMPUTED, How, literal_cell
from ..trace.merges import HINT, Watch, watched_bodies
from .plain import _ARITHMETIC, MAX_CHAIN, PlainEmitter, _split_select, literal_text
from .writer import MAX_NESTING, NOTED, Binding, Scope, small

Code = tuple[str, str]

CONSTANT = (IntLiteral, FloatLiteral, StringLiteral, PathLiteral, Lambda, PatternLambda)
"""Forms whose cell needs no computing."""

CONDITION = "condition of mkIf"

_WORDS = {"true": True, "false": False, "null": None}


class TracedEmitter(PlainEmitter):
    """Writes the recording code."""

    def how(self, kind: str, op: str, span: Span, **more: Any) -> str:
        """A constant that says how a cell came to be."""
        if kind == "function" and self.is_own:
            kind = "constant"
        return self.constant(How(kind, op, span, **more), "h")

    @property
    def is_own(self) -> bool:
        """Whether this text is the language's own: what is written in it is no input."""
        return self.source.name.startswith("«") and self.source.name != STRING

    def cell(self, value: object, span: Span) -> str:
        """A constant cell for a literal."""
        if self.is_own:
            return self.constant((value, How("constant", "", span)), "l")
        return self.constant(literal_cell(value, span), "l")

    def marked(self, name: str) -> str:
        """A new variable for something that is looked at now, so that a failure later on can be blamed on it."""
        made = f"{self.fresh(name)}{NOTED}"
        self.frame.own.add(made)
        return made

    def noted(self, node: Expr) -> str:
        """Code for the cell of an operand after which others are computed, which may fail."""
        code, _ = self.strict(node)
        return code if isinstance(node, CONSTANT) else f"({self.marked('seen')} := {code})"

    def noted_all(self, nodes: Sequence[Expr]) -> str:
        """Code for the cells of several operands, computed one after the other."""
        return ", ".join([*(self.noted(each) for each in nodes[:-1]), *(self.strict(each)[0] for each in nodes[-1:])])

    # --- the module system ---

    def compile(self, tree: Expr, outside: dict[str, Any] | None = None) -> Callable[[], Any]:
        if HINT in self.source.text:
            self.watches = watched_bodies(tree)
        return super().compile(tree, outside)

    watches: Mapping[int, Watch] = {}

    def strict(self, node: Expr) -> Code:
        code, kind = super().strict(node)
        if self.watches and (watch := self.watches.get(id(node))) is not None:
            slots = ", ".join(self.variable_slot(Variable(name, span=node.span)) for name in watch.arguments)
            return f"watched(M.merges, {self.constant(watch)}, {slots}, {code})", ""
        return code, kind

    # --- slots ---

    def slot(self, node: Expr) -> str:
        """Code for a thunk, evaluated or not, of `node`."""
        match node:
            case Variable():
                return self.variable_slot(node)
            case Lambda() | PatternLambda() | IntLiteral() | FloatLiteral() | StringLiteral() | PathLiteral():
                return self.made(node)
            case ListLiteral() | AttrSet() if self.depth < MAX_NESTING - 2 and small(node):
                return self.made(node)
            case Binary():
                ready = self.ready_arithmetic(node)
                if ready is not None:
                    return ready
        return self.thunk(node)

    def thunk(self, node: Expr, label: str = "None") -> str:
        saved = self.enter()
        self.depth = saved[2] + 1
        site = self.site(node.span, self.label)
        body = self.outlined(self.strict(node)[0])
        self.leave(saved)
        return f"T(#{site}\nlambda: {body}, None, {label})"

    def named_slot(self, node: Expr, how: str) -> str:
        """A slot whose history names the hand that holds it: an attribute, a `let`, an argument."""
        match node:
            case Variable():
                binding, _ = self.lookup(node.name)
                if self.is_word(node):
                    return f"passed({self.word(node)}, {how})"
                ready = binding is not None and (binding.ready or binding.frame is not self.frame)
                if ready:
                    return f"passed({self.variable_slot(node)}, {how})"
                return self.thunk(node, how)
            case Lambda() | PatternLambda() | ListLiteral() | AttrSet():
                made = self.slot(node)
                return f"passed({made}, {how})"
            case IntLiteral() | FloatLiteral() | StringLiteral() | PathLiteral():
                return f"passed({self.made(node)}, {how})"
        return self.thunk(node, how)

    def variable_slot(self, node: Variable) -> str:
        binding, _ = self.lookup(node.name)
        if binding is None:
            if self.is_word(node):
                return self.word(node)
            name = self.builtin_name(node)
            return self.thunk(node) if name is None else self.builtin_slot(name)
        if not binding.ready and binding.frame is self.frame:
            return self.thunk(node)
        return self.use(binding.python)

    def builtin_slot(self, name: str) -> str:
        return self.constant(self.machine.builtin_cell(name), "b")

    def attribute_slot(self, each: Attribute) -> str:
        old, self.label = self.label, each.name
        code = self.named_slot(each.value, self.hand(each))
        self.label = old
        return code

    def hand(self, each: Attribute) -> str:
        if each.inherited:
            words = f"inherit {each.name}"
        elif each.selected and isinstance(each.value, Select):
            words = f"inherit ({show(each.value.subject)}) {each.name}"
        else:
            words = f"attribute {each.name}"
        return self.how("hand", words, each.span)

    # --- literals ---

    def is_word(self, node: Variable) -> bool:
        """Whether this is `true`, `false` or `null`: names to the grammar, literals to whoever writes them."""
        return node.name in _WORDS and self.lookup(node.name)[0] is None

    def word(self, node: Variable) -> str:
        return self.cell(_WORDS[node.name], node.span)

    def strict_literal(self, node: IntLiteral | FloatLiteral | StringLiteral) -> Code:
        return self.cell(node.value, node.span), ""

    def strict_path(self, node: PathLiteral) -> Code:
        return self.cell(NixPath(node.value), node.span), ""

    def strict_interpolation(self, node: Interpolation) -> Code:
        text = literal_text(node)
        if text is not None:
            return self.cell(text, node.span), ""
        parts = self.text_parts(node.parts, node.span)
        return f"t_interpolate(M, {self.how('step', 'interpolate', node.span)}, {parts})", ""

    def text_parts(self, parts: tuple[Expr, ...], span: Span) -> str:
        """The parts of a text; each must be fit for one before the next is computed."""
        codes = []
        for index, part in enumerate(parts):
            code = self.noted(part)
            if not isinstance(part, StringLiteral | PathLiteral) and self.may_fail(parts[index + 1 :]):
                code = f"t_fit({code}, interpolable, {self.span(span)})"
            codes.append(code)
        return ", ".join(codes)

    def strict_path_interpolation(self, node: PathInterpolation) -> Code:
        parts = self.text_parts(node.parts, node.span)
        return f"t_interpolate_path(M, {self.how('step', 'path', node.span)}, {parts})", ""

    def strict_position(self, node: CurrentPosition) -> Code:
        return f"(current_position({self.span(node.span)}), {self.how('set', 'set', node.span)})", ""

    # --- variables ---

    def strict_variable(self, node: Variable) -> Code:
        binding, withs = self.lookup(node.name)
        if binding is None:
            if self.is_word(node):
                return self.word(node), ""
            name = self.builtin_name(node)
            if name is not None:
                return self.evaluated(self.builtin_slot(name)), ""
            sets = ", ".join(self.use(each) for each in withs)
            return f"t_with({node.name!r}, {self.how('with', f'with: {node.name}', node.span)}, {sets})", ""
        name = self.use(binding.python)
        if binding.kind or name in self.known:
            return name, binding.kind
        if name in self.frame.own:
            self.known.add(name)
            return f"({name} if {name}.__class__ is tuple else ({name} := cell({name})))", ""
        return self.evaluated(name), ""

    def evaluated(self, name: str) -> str:
        return f"({name} if {name}.__class__ is tuple else cell({name}))"

    # --- sets, let, with ---

    def strict_set(self, node: AttrSet) -> Code:
        positions = self.constant({each.name: each.span for each in node.attributes}, "p")
        how = self.how("set", "set", node.span)
        if not node.recursive:
            items = ", ".join(f"{each.name!r}: {self.attribute_slot(each)}" for each in node.attributes)
            code = f"A({{{items}}}, {positions})"
            if node.dynamic:
                return self.with_dynamic(code, node), ""
            return f"({code}, {how})", ""
        outer = self.scope
        assignments = self.bind(node)
        items = ", ".join(f"{name!r}: {self.use(each.python)}" for name, each in self.scope.bound.items())
        code = f"A({{{items}}}, {positions})"
        if any(each.name == "__overrides" for each in node.attributes):
            code = self.with_overrides(code, node)
        code = self.with_dynamic(code, node) if node.dynamic else f"({code}, {how})"
        self.scope = outer
        return self.after(assignments, code), ""

    def with_dynamic(self, code: str, node: AttrSet) -> str:
        parts = []
        for index, each in enumerate(node.dynamic):
            name = self.noted(each.name)
            if self.may_fail(later.name for later in node.dynamic[index + 1 :]):
                name = f"t_fit({name}, nameable, {self.span(each.span)})"
            hand = self.how("hand", "attribute with a computed name", each.span)
            parts.append(f"({name}, {self.named_slot(each.value, hand)}, {self.span(each.span)})")
        return f"t_dynamic({self.how('set', 'set', node.span)}, {code}, {', '.join(parts)})"

    def bind(self, node: AttrSet) -> list[str]:
        self.binding_words = "let " if self.in_let else "attribute "
        return super().bind(node)

    in_let = False
    binding_words = "let "

    def bound_slot(self, each: Attribute) -> str:
        if each.inherited or each.selected:
            return self.named_slot(each.value, self.hand(each))
        return self.named_slot(each.value, self.how("hand", f"{self.binding_words}{each.name}", each.span))

    def foresee(self, binding: Binding, value: Expr) -> None:
        if isinstance(value, Lambda | PatternLambda):
            super().foresee(binding, value)

    def strict_let(self, node: Let) -> Code:
        outer, was = self.scope, self.in_let
        self.in_let = True
        assignments = self.bind(node.bindings)
        self.in_let = was
        body, kind = self.strict(node.body)
        self.scope = outer
        return self.after(assignments, body), kind

    def strict_old_let(self, node: OldLet) -> Code:
        code, _ = self.strict_set(node.bindings)
        return f"t_select({code}, 'body', {self.how('select', 'body', node.span)})", ""

    def strict_list(self, node: ListLiteral) -> Code:
        elements = ", ".join(self.slot(each) for each in node.elements)
        return f"([{elements}], {self.how('set', 'list', node.span)})", ""

    # --- selection ---

    def strict_select(self, node: Select) -> Code:
        name = self.builtin_name(node)
        if name is not None:
            if name in _WORDS:
                return self.cell(_WORDS[name], node.span), ""
            if name in FROM_OUTSIDE:
                return self.evaluated(self.builtin_slot(name)), ""
            # a new cell each time: `[ builtins.add ] == [ builtins.add ]` is false
            return f"(force({self.builtin_slot(name)}), {self.how('constant', name, node.span)})", ""
        if node.default is None and len(node.steps) > MAX_CHAIN:
            return self.strict(_split_select(node))
        code, _ = self.strict(node.subject)
        if node.default is None:
            for step, span in zip(node.steps, node.step_spans):
                if isinstance(step, str):
                    code = f"t_select({code}, {step!r}, {self.how('select', step, span)})"
                else:
                    inner, _ = self.strict(step)
                    subject = f"({self.marked('seen')} := {code})"
                    code = f"t_select_computed({subject}, {inner}, {self.how('select', '', span)})"
            return code, ""
        steps = ", ".join(self.lazy_step(step) for step in node.steps)
        path = self.how("choice", f"attribute {_dotted(node.steps)}", node.span)
        found = self.marked("found")
        before = set(self.known)
        default, _ = self.strict(node.default)
        self.known = before
        missing = self.how("choice", f"default, since {_dotted(node.steps)} is missing", node.default.span)
        return f"(t_chosen({found}, {path}) if ({found} := t_find({code}, {steps}))[0] is not None" + (
            f" else t_default({found}, {default}, {missing}))"
        ), ""

    def lazy_step(self, step: PathStep) -> str:
        if isinstance(step, str):
            return repr(step)
        saved = self.enter()
        code, _ = self.strict(step)
        self.leave(saved)
        return f"(lambda: {code})"

    def strict_has(self, node: HasAttr) -> Code:
        code, _ = self.strict(node.subject)
        steps = ", ".join(self.lazy_step(step) for step in node.steps)
        how = self.how("has", f"? {_dotted(node.steps)}", node.span)
        return f"t_has({how}, t_find({code}, {steps}))", ""

    # --- functions ---

    def strict_lambda(self, node: Lambda) -> Code:
        code, _ = super().strict_lambda(node)
        if isinstance(node.body, Lambda):
            return code, ""  # `curried_level` has made the cells
        how = self.how("function", "function", node.span)
        return f"({code}, {how})", ""

    def curried_level(self, node: Lambda, code: str) -> str:
        return f"({code}, {self.how('function', 'function', node.span)})"

    def strict_pattern_lambda(self, node: PatternLambda) -> Code:
        how = self.how("function", "function", node.span)
        code, _ = self.pattern_lambda(node)
        return f"({code}, {how})", ""

    def pattern_lambda(self, node: PatternLambda) -> Code:
        saved = self.enter()
        self.depth = saved[2] + 1
        information = self.information(node)
        site = self.site(node.span, self.label, information)
        self.label = ""
        outer = self.scope
        self.scope = Scope(outer)
        given, table = self.marked("given"), self.fresh("table")
        matched = f"match_formals({given}, {self.constant(information, 'f')})"
        assignments = [f"{table} := {matched}.table"]
        if node.name is not None:
            self.scope.bound[node.name] = Binding(given, self.frame)
        for formal in node.formals:
            self.scope.bound[formal.name] = Binding(self.fresh(formal.name), self.frame, ready=False)
        for formal in sorted(node.formals, key=lambda each: each.default is not None):
            binding = self.scope.bound[formal.name]
            key = repr(formal.name)
            words = f"argument {formal.name}"
            if formal.default is None:
                how = self.how("select", formal.name, formal.span, words=words)
                assignments.append(f"{binding.python} := t_formal({given}, {table}[{key}], {how})")
            else:
                how = self.how("select", formal.name, formal.span, words=words, unused=formal.default)
                used = self.how("default", f"default of {words}", formal.span)
                default = self.slot(formal.default)
                assignments.append(
                    f"{binding.python} := t_formal({given}, {table}[{key}], {how}) if {key} in {table}"
                    f" else t_default_formal({given}, {default}, {used})"
                )
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
                together = ", ".join(self.argument(each, node) for each in arguments[: binding.arity])
                code = f"{self.use(binding.twin)}({together})"
                return self.applied(code, "", arguments[binding.arity :], node.span)
            if binding is not None and binding.kind == "function":
                code = f"{self.use(binding.python)}[0]({self.argument(arguments[0], node)})"
                return self.applied(code, "", arguments[1:], node.span)
        code, _ = self.strict(node.function)
        if _called(node.function) == "mkIf":
            # the place of a condition is worth telling, even if it is only copied from somewhere
            condition = self.condition(arguments[0])
            code = f"t_call({code}, {condition}, {self.how('call', 'call', node.span)})"
            arguments = arguments[1:]
        return self.applied(code, "", arguments, node.span)

    def condition(self, node: Expr) -> str:
        """Code for the slot of a module system's condition, which remembers where the condition was written."""
        return self.named_slot(node, self.how("hand", CONDITION, node.span))

    def argument(self, node: Expr, call: Call | None = None) -> str:
        if call is not None and node is call.arguments[0] and _called(call.function) == "mkIf":
            return self.condition(node)
        if call is not None and not isinstance(node, Variable) and isinstance(call.function, Variable | Select):
            if not isinstance(node, IntLiteral | FloatLiteral | StringLiteral | PathLiteral | Binary):
                return self.named_slot(node, self.how("hand", f"argument of {show(call.function)}", node.span))
        return self.slot(node)

    def applied(self, code: str, kind: str, arguments: tuple[Expr, ...], span: Span) -> Code:
        for argument in arguments:
            code = f"t_call({code}, {self.slot(argument)}, {self.how('call', 'call', span)})"
        return code, ""

    def builtin_call(self, name: str, arguments: tuple[Expr, ...], span: Span) -> str:
        codes = ", ".join(self.slot(argument) for argument in arguments)
        function = self.constant(self.machine.builtin(name), "b")
        return f"traced_call({function}, ({codes},), {self.how('builtin', f'call {name}', span)})"

    # --- control ---

    def boolean(self, node: Expr) -> str:
        """Code for a Python Boolean; the cell it came from stays in the variable `self.tested`."""
        code, _ = self.strict(node)
        cell, name = self.marked("test"), self.fresh()
        self.tested = cell
        return (
            f"({name} if ({name} := ({cell} := {code})[0]).__class__ is bool"
            f" else not_boolean({name}, {self.span(node.span)}))"
        )

    tested = ""

    def strict_if(self, node: If) -> Code:
        test = self.boolean(node.test)
        tested = self.tested
        before = set(self.known)
        yes, _ = self.strict(node.yes)
        self.known = set(before)
        no, _ = self.strict(node.no)
        self.known = before
        chosen = self.fresh("chosen")
        how_yes = self.how("choice", "if: then", node.span)
        how_no = self.how("choice", "if: else", node.span)
        return (
            f"((({chosen} := {yes})[0], {how_yes}, {chosen}, {tested}) if {test}"
            f" else (({chosen} := {no})[0], {how_no}, {chosen}, {tested}))"
        ), ""

    def strict_assert(self, node: Assert) -> Code:
        test = self.boolean(node.test)
        tested = self.tested
        body, _ = self.strict(node.body)
        chosen = self.fresh("chosen")
        how = self.how("choice", "assert", node.test.span)
        return (
            f"((({chosen} := {body})[0], {how}, {chosen}, {tested}) if {test}"
            f" else assertion_failed({self.constant(node, 'n')}))"
        ), ""

    # --- operators ---

    def strict_binary(self, node: Binary) -> Code:
        match node.operator:
            case "&&" | "||" | "->":
                return self.logical(node), ""
            case "==" | "!=":
                return self.two(f"t_{'equal' if node.operator == '==' else 'unequal'}", node), ""
            case "//":
                return self.updated(node), ""
            case "++":
                return self.two("t_concatenate", node, "concat"), ""
            case "<":
                return self.compared(node, node.left, node.right, False), ""
            case ">":
                return self.compared(node, node.right, node.left, False), ""
            case "<=":
                return self.compared(node, node.right, node.left, True), ""
            case ">=":
                return self.compared(node, node.left, node.right, True), ""
            case _:
                return self.arithmetic(node)

    def logical(self, node: Binary) -> str:
        left = self.boolean(node.left)
        first = self.tested
        before = set(self.known)
        right = self.boolean(node.right)
        second = self.tested
        self.known = before
        how = self.how("step", node.operator, node.span)
        both = f"({right}, {how}, {first}, {second})"
        only = f"{self.how('step', f'{node.operator} decided by', node.span)}, {first}"
        match node.operator:
            case "&&":
                return f"({both} if {left} else (False, {only}))"
            case "||":
                return f"((True, {only}) if {left} else {both})"
            case _:
                return f"({both} if {left} else (True, {only}))"

    def updated(self, node: Binary) -> str:
        left = self.noted(node.left)
        if not self.harmless(node.right):
            left = f"t_fit({left}, updatable, {self.span(node.span)})"
        return f"t_update({left}, {self.strict(node.right)[0]}, {self.how('update', '//', node.span)})"

    def two(self, function: str, node: Binary, kind: str = "step") -> str:
        return f"{function}({self.noted_all((node.left, node.right))}, {self.how(kind, node.operator, node.span)})"

    def compared(self, node: Binary, left: Expr, right: Expr, negated: bool) -> str:
        if self.is_shadowed("__lessThan"):
            code, _ = self.strict(self.as_call("__lessThan", node, left, right))
            return f"t_not({code}, {self.how('step', '!', node.span)})" if negated else code
        one, _ = self.strict(left)
        two, _ = self.strict(right)
        a, b, x, y = self.marked("a"), self.marked("b"), self.fresh(), self.fresh()
        # `a <= b` is `!(b < a)`; the operation is recorded as written, with its operands as written.
        how = self.how("step", node.operator, node.span)
        swapped = left is node.right
        order = f"{b}, {a}" if swapped else f"{a}, {b}"
        relation = ">=" if negated else "<"
        return (
            f"(({x} {relation} {y}, {how}, {order}) if ({x} := ({a} := {one})[0]).__class__"
            f" is ({y} := ({b} := {two})[0]).__class__ is int else t_less({a}, {b}, {how}, {negated}, {swapped}))"
        )

    def arithmetic(self, node: Binary) -> Code:
        builtin, _ = _ARITHMETIC[node.operator]
        if builtin and self.is_shadowed(builtin):
            return self.strict(self.as_call(builtin, node, node.left, node.right))
        one, _ = self.strict(node.left)
        two, _ = self.strict(node.right)
        how = self.how("step", node.operator, node.span)
        a, b, x, y, r = self.marked("a"), self.marked("b"), self.fresh(), self.fresh(), self.fresh()
        if node.operator == "/":
            return f"t_arithmetic(({a} := {one}), ({b} := {two}), {how}, M)", ""
        if node.operator == "+" and not isinstance(node.left, IntLiteral) and not self.harmless(node.right):
            unfit = f"t_fit({a}, addable, {self.span(node.span)})"
            one = f"({a} if ({a} := {one})[0].__class__ is int else {unfit})"
        return (
            f"(({r}, {how}, {a}, {b}) if ({x} := ({a} := {one})[0]).__class__"
            f" is ({y} := ({b} := {two})[0]).__class__ is int and {MIN} <= ({r} := {x} {node.operator} {y}) <= {MAX}"
            f" else t_arithmetic({a}, {b}, {how}, M))"
        ), ""

    def ready_arithmetic(self, node: Expr) -> str | None:
        if not isinstance(node, Binary) or node.operator not in ("+", "-", "*"):
            return None
        if self.shadowable and any(self.is_shadowed(name) for name in ("__sub", "__mul")):
            return None
        operands: list[str] = []
        for each in (node.left, node.right):
            if isinstance(each, IntLiteral):
                operands.append(self.cell(each.value, each.span))
            elif isinstance(each, Variable):
                binding, _ = self.lookup(each.name)
                if binding is None or binding.kind or (not binding.ready and binding.frame is self.frame):
                    return None
                operands.append(self.use(binding.python))
            else:
                return None
        one, two = operands
        x, y, r = self.fresh(), self.fresh(), self.fresh()
        how = self.how("step", node.operator, node.span)
        cells = [f"{name}.__class__ is tuple" for name in dict.fromkeys(operands) if name not in self.constants]
        test = " and ".join([*cells, f"({x} := {one}[0]).__class__ is ({y} := {two}[0]).__class__ is int"])
        return (
            f"(({r}, {how}, {one}, {two}) if {test} and {MIN} <= ({r} := {x} {node.operator} {y}) <= {MAX}"
            f" else {self.thunk(node)})"
        )

    def strict_not(self, node: Not) -> Code:
        code, _ = self.strict(node.operand)
        return f"t_not({code}, {self.how('step', '!', node.span)})", ""

    def strict_negate(self, node: Negate) -> Code:
        if self.is_shadowed("__sub"):
            return self.strict(self.as_call("__sub", node, IntLiteral(0, span=node.span), node.operand))
        code, _ = self.strict(node.operand)
        return f"t_negate({code}, {self.how('step', 'negate', node.span)})", ""

    STRICT: ClassVar[dict[type, Callable[[Any, Any], Code]]] = {
        IntLiteral: strict_literal,
        FloatLiteral: strict_literal,
        StringLiteral: strict_literal,
        PathLiteral: strict_path,
        SearchPath: PlainEmitter.strict_search_path,
        Interpolation: strict_interpolation,
        PathInterpolation: strict_path_interpolation,
        CurrentPosition: strict_position,
        Variable: strict_variable,
        AttrSet: strict_set,
        Let: strict_let,
        OldLet: strict_old_let,
        With: PlainEmitter.strict_with,
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


def _called(function: Expr) -> str | None:
    """The last name of a function that is called by its name."""
    match function:
        case Variable(name):
            return name
        case Select(_, (*_, str(name)), None):
            return name
    return None


def _dotted(steps: tuple[PathStep, ...]) -> str:
    return ".".join(show_name(step) if isinstance(step, str) else COMPUTED for step in steps)
