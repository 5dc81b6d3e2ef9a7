"""The recording code generator: Python that computes values together with how they came to be.

Every expression computes a *cell*: a tuple `(value, how, *inputs)`. `how` is a constant made at compile time
(`trace.cells.How`: operation, place, words for a person) and the inputs are other cells or thunks; `trace.history`
turns such tuples into the origins of `wherefrom.provenance` when somebody asks. Slots are cells or thunks, so the
history of an element travels with it through lists, sets and builtins.

Recording must stay cheap: a literal's cell is a constant, reading a variable makes nothing, an integer operation on
ready cells makes one tuple.

A test under which something is computed is put on the stack `L` meanwhile, so that a failure that comes about there is
known to depend on it (`trace.failures`). The cell of the choice takes it off again. All this only inside `tryEval`,
which lays something on the stack first: nobody else catches a failure, and as long as `L` is empty it stays so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.source import Span
from ..builtins import find
from ..builtins.constants import FROM_OUTSIDE
from ..kernel.operators import MAX, MIN
from ..kernel.paths import STRING
from ..syntax.printer import show, show_name
from ..syntax.tree import (
    Assert,
    Attribute,
    AttrSet,
    Binary,
    CurrentPosition,
    DynamicAttribute,
    Expr,
    FloatLiteral,
    Formal,
    HasAttr,
    If,
    Interpolation,
    IntLiteral,
    Lambda,
    ListLiteral,
    Negate,
    Not,
    PathInterpolation,
    PathLiteral,
    PathStep,
    PatternLambda,
    Select,
    StringLiteral,
    Variable,
)
from ..trace.cells import COMPUTED, LOOKS
from ..trace.merges import HINT, merging_kind
from ..trace.operations import default_of, since_missing
from .program import Recipe
from .walk import WORDS, Code, Emitter, TransferSite
from .writer import Binding

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ..kernel.world import Machine

TYPE_TESTS = {
    "isAttrs": "(A,)",
    "isList": "(list,)",
    "isBool": "(bool,)",
    "isInt": "(int,)",
    "isFloat": "(float,)",
    "isNull": "(NULL,)",
    "isString": "STRINGS",
    "isFunction": "FUNCTIONS",
    "isPath": "(PATH,)",
}
"""Builtins that are a test of the value's class, and the classes."""

_CONSTANT_CELLS = ("literal", "path literal", "own")


class Traced(Emitter):
    """Writes the recording code."""

    bare_functions = False

    def __init__(self, machine: Machine, source: SourceFile) -> None:
        super().__init__(machine, source)
        self.has_merges = HINT in source.text
        self.new_cells: dict[str, tuple[str, str]] = {}
        """The parts of code for cells of composites and functions: code for the value, and the name of its `How`."""

    # --- constants ---

    def how(self, kind: str, op: str, span: Span, words: str = "", unused: tuple[str, int, int] | None = None) -> str:
        """A constant that says how a cell came to be."""
        return self.constant("how", kind, op, span.start, span.end, words, unused)

    @property
    def is_own(self) -> bool:
        """Whether this text is the language's own: what is written in it is no input."""
        return self.source.name.startswith("«") and self.source.name != STRING

    def cell(self, value: object, span: Span) -> str:
        """A constant cell for a literal."""
        return self.constant("own" if self.is_own else "literal", value, span.start, span.end)

    def held(self, transfer: TransferSite) -> Recipe:
        """The recipe of a `How` for a transfer that passes something on."""
        kind, what, span = transfer
        match kind:
            case "inherit from":
                name = f"({show(what.value.subject)}) {what.name}"
            case "argument":
                name = show(what)
            case _:
                name = what
        return ("how", "transfer", kind, span.start, span.end, name, None)

    # --- values ---

    def literal(self, node: IntLiteral | FloatLiteral | StringLiteral | PathLiteral) -> Code:
        if isinstance(node, PathLiteral):
            return self.constant("path literal", node.independent, node.span.start, node.span.end), ""
        return self.cell(node.value, node.span), ""

    def word(self, name: str, span: Span) -> Code:
        return self.cell(WORDS[name], span), "bool" if name != "null" else ""

    def joined(self, parts: list[Code], node: Interpolation | PathInterpolation) -> Code:
        codes = ", ".join([code for code, _ in parts])
        if isinstance(node, PathInterpolation):
            return f"t_interpolate_path(M, {self.how('step', 'path', node.span)}, {codes})", ""
        return f"t_interpolate(M, {self.how('step', 'interpolate', node.span)}, {codes})", ""

    def position(self, node: CurrentPosition) -> Code:
        return f"(current_position({self.span(node.span)}), {self.how('set', 'set', node.span)})", ""

    def bound(self, binding: Binding) -> Code:
        return self.bound_under(binding, "")

    def bound_under(self, binding: Binding, looked: str) -> Code:
        """The cell of a variable; if it is still to be computed, `looked` (if it names something) led there."""
        name = self.use(binding.python)
        if binding.kind or name in self.known:
            return name, binding.kind
        computed = f"cell({name})"
        if name in self.frame.own:
            self.known.add(name)
            computed = f"({name} := {computed})"
        return f"({name} if {name}.__class__ is tuple else {self.under(computed, [looked] if looked else [])})", ""

    def from_with(self, node: Variable, sets: list[str]) -> Code:
        how = self.how("with", f"with: {node.name}", node.span)
        return f"t_with({node.name!r}, {how}, {', '.join(sets)})", ""

    def builtin(self, name: str) -> Code:
        return f"cell({self.builtin_slot(name)})", ""

    def builtin_selected(self, name: str, span: Span) -> Code:
        if name in FROM_OUTSIDE:
            return self.builtin(name)
        # a new cell each time: `[ builtins.add ] == [ builtins.add ]` is false
        return f"(force({self.builtin_slot(name)}), {self.how('constant', name, span)})", ""

    def builtin_slot(self, name: str) -> str:
        return self.constant("thunk", name)

    def set_value(self, raw: str, node: AttrSet) -> Code:
        return self.new_cell(raw, self.how("set", "set", node.span))

    def dynamic_set(self, raw: str, parts: list[tuple[str, str, DynamicAttribute]], node: AttrSet) -> Code:
        defined = ", ".join([f"({name}, {slot}, {self.span(attribute.span)})" for name, slot, attribute in parts])
        return f"t_dynamic({self.how('set', 'set', node.span)}, {raw}, {defined})", ""

    def overriding(self, own: str, span: Span) -> str:
        return f"t_overriding({own}, {self.span(span)})"

    def overridden(self, own: str, overrides: str, attribute: Attribute) -> str:
        how = self.how("overridden", attribute.name, attribute.span)
        return f"t_overridden({own}, {overrides}, {attribute.name!r}, {how})"

    def value_of(self, code: str) -> str:
        return f"{code}[0]"

    def list_value(self, raw: str, node: ListLiteral) -> Code:
        return self.new_cell(raw, self.how("set", "list", node.span))

    def function_value(self, raw: str, node: Lambda | PatternLambda) -> Code:
        kind = "constant" if self.is_own else "function"
        return self.new_cell(raw, self.how(kind, "function", head_of(node)))

    def foreseen(self, value: Expr) -> str:
        return ""

    # --- slots ---

    def transferred(self, code: str, transfer: TransferSite | None) -> str:
        if transfer is None:
            return code
        recipe = self.constants.get(code)
        if recipe is not None and recipe[0] in _CONSTANT_CELLS:
            return self.constant("held", recipe, self.held(transfer))
        passing = self.constant(*self.held(transfer))
        if code in self.new_cells:
            raw, how = self.new_cells[code]
            value = self.fresh()
            return f"(({value} := {raw}), {passing}, ({value}, {how}))"
        if code.isidentifier():
            return f"(({code}[0], {passing}, {code}) if {code}.__class__ is tuple else passed({code}, {passing}))"
        return f"passed({code}, {passing})"

    def new_cell(self, raw: str, how: str) -> Code:
        """The cell of something that is made here."""
        code = f"({raw}, {how})"
        self.new_cells[code] = raw, how
        return code, ""

    def thunk_object(self, function: str, given: str, transfer: TransferSite | None) -> str:
        if transfer is not None:
            return f"D({function}, {given}, {self.constant(*self.held(transfer))})"
        return f"D({function})" if given == "None" else f"D({function}, {given})"

    def ready_arithmetic(self, node: Binary | Negate, transfer: TransferSite | None) -> str | None:
        if transfer is not None or not isinstance(node, Binary) or node.operator not in ("+", "-", "*"):
            return None
        if self.shadowable and any(self.is_shadowed(name) for name in ("__sub", "__mul")):
            return None
        operands: list[str] = []
        waiting: dict[str, None] = {}
        for operand in (node.left, node.right):
            if isinstance(operand, IntLiteral):
                operands.append(self.cell(operand.value, operand.span))
            elif isinstance(operand, Variable):
                binding, _ = self.lookup(operand.name)
                if binding is None or binding.kind or (not binding.ready and binding.frame is self.frame):
                    return None
                operands.append(self.use(binding.python))
                waiting[binding.python] = None
            else:
                return None
        one, two = operands
        x, y, result = self.fresh(), self.fresh(), self.fresh()
        how = self.how("step", node.operator, node.span)
        tests = [f"{name}.__class__ is tuple" for name in waiting if name not in self.known]
        if isinstance(node.right, IntLiteral):
            tests.append(f"({x} := {one}[0]).__class__ is int")
            y = f"({node.right.value})"
        else:
            tests.append(f"({x} := {one}[0]).__class__ is ({y} := {two}[0]).__class__ is int")
        tests.append(self.within(f"({result} := {x} {node.operator} {y})", node))
        return f"(({result}, {how}, {one}, {two}) if {' and '.join(tests)} else {self.thunk(node)})"

    def ready_selection(self, node: Select, binding: Binding) -> str | None:
        return None

    # --- selection and functions ---

    def selected(self, subject: Code, step: PathStep, span: Span) -> Code:
        if isinstance(step, str):
            return f"t_select({subject[0]}, {step!r}, {self.how('select', step, span)})", ""
        return f"t_select_computed({subject[0]}, {self.step_name(step)}, {self.how('select', '', span)})", ""

    def selected_path(self, node: Select) -> Code:
        subject = self.strict(node.subject)
        for step, span in zip(node.steps, node.step_spans):
            subject = self.selected(subject, step, span)
        return subject

    def step_name(self, step: Expr) -> str:
        return f"t_fit({self.strict(step)[0]}, attribute_name, {self.span(step.span)})"

    def selected_or(self, subject: Code, node: Select) -> Code:
        assert node.default is not None
        path = _dotted(node.steps)
        reached = self.fresh("reached")
        chosen = self.how("choice", f"attribute {path}", node.span)
        if len(node.steps) == 1 and isinstance(name := node.steps[0], str):
            asked = self.fresh("asked")
            missing = self.branch(node.default, since_missing(path), node.default.span, asked)
            selection = f"({asked} := {subject[0]}), {name!r}, {self.constant('selection', name)}, {chosen}"
            return f"({reached} if ({reached} := t_select_if_any({selection})) is not None else {missing})", ""
        default, _ = self.apart(node.default)
        reaching = f"t_find({subject[0]}, {self.lazy_steps(node.steps)})"
        missing = self.how("choice", since_missing(path), node.default.span)
        looked = f"{reached}[1]"
        there = f"t_chosen({reached}, {chosen}) if ({reached} := {reaching})[0] is not None"
        return f"({there} else t_default({_pushed(looked)} or {default}, {missing}, {_popped(looked)}))", ""

    def has(self, subject: Code, node: HasAttr) -> Code:
        how = self.how("has", _dotted(node.steps), node.span)
        if len(node.steps) == 1 and isinstance(name := node.steps[0], str):
            return f"t_has_one({subject[0]}, {name!r}, {how})", "bool"
        return f"t_has({how}, t_find({subject[0]}, {self.lazy_steps(node.steps)}))", "bool"

    def opened(self, node: PatternLambda, given: str, table: str, information: str) -> str:
        if node.name is not None:
            self.scope.bound[node.name] = Binding(given, self.frame)
        return f"{table} := match_formals({given}, {information}).table"

    def formal_slot(self, formal: Formal, given: str, table: str) -> str:
        key = repr(formal.name)
        words = f"argument {formal.name}"
        if formal.default is None:
            how = self.how("select", formal.name, formal.span, words)
            return f"passed_from({table}[{key}], {given}, {how})"
        default = formal.default.span
        unused = (show(formal.default), default.start, default.end)
        how = self.how("select", formal.name, formal.span, words, unused)
        used = self.how("default", default_of(formal.name), formal.span)
        return (
            f"passed_from({table}[{key}], {given}, {how}) if {key} in {table}"
            f" else t_default_formal({given}, {self.slot(formal.default)}, {used})"
        )

    def applied(self, function: Code, slots: list[str], span: Span) -> Code:
        code, _ = function
        while slots:
            how = self.how("call", "call", span)
            if len(slots) == 1:
                return f"t_call({code}, {slots[0]}, {how})", ""
            code = f"t_call_two({code}, {slots[0]}, {slots[1]}, {how})"
            slots = slots[2:]
        return code, ""

    def watched(self, node: Expr, code: str) -> str:
        """The functions of a module system that merge definitions note their calls (`trace.merges`)."""
        kind = merging_kind(node) if self.has_merges else None
        if kind is None:
            return code
        scope = self.scope
        names: list[str] = []
        while len(names) < 3 and scope is not None and len(scope.bound) == 1:
            names[:0] = scope.bound
            scope = scope.parent  # type: ignore[assignment]
        if len(names) < 3:
            return code
        slots = ", ".join([self.slot(Variable(name, span=node.span)) for name in names])
        watch = self.constant("watch", kind, tuple(names), node.span.start, node.span.end)
        return f"watched(M.merges, {watch}, {slots}, {code})"

    def builtin_call(self, name: str, arguments: tuple[Expr, ...], span: Span) -> Code:
        codes = ", ".join([self.slot(argument) for argument in arguments])
        function = self.constant("builtin", name)
        how = self.how("builtin", name, span, LOOKS if find(name).looks else "")
        if name in TYPE_TESTS:
            return f"t_type_test({function}, {codes}, {how}, {TYPE_TESTS[name]})", "bool"
        return f"traced_call({function}, ({codes},), {how})", ""

    # --- control ---

    def fit(self, code: Code, check: str, span: Span) -> tuple[Code, str]:
        name = self.fresh("fit")
        return (f"t_fit(({name} := {code[0]}), {check}, {self.span(span)})", ""), name

    def under(self, code: str, checked: list[str]) -> str:
        if not checked:
            return code
        looked = checked[0] if len(checked) == 1 else f"[{', '.join(checked)}]"
        name = self.fresh("under")
        return f"({name} if not ({_pushed(looked)}) and ({name} := {code}) and (not L or L.pop()) else 0)"

    def operands(self, left: Expr, right: Expr) -> tuple[str, str, str]:
        """Code for two operands, and a variable that holds the first: it led to a failure of the second."""
        one, _ = self.strict(left)
        name = self.fresh("left")
        two = self.strict(right)[0] if self.harmless(right) else self.simple_under(right, name)
        if two is None:
            two = self.under(self.strict(right)[0], [name])
        return f"({name} := {one})", two, name

    def simple_under(self, node: Expr, looked: str) -> str | None:
        """Code for a variable, or an attribute of one, that tells a failure what led there; nothing if it is neither.

        What is called there can say so itself: nothing has to be put on `L`.
        """
        match node:
            case Variable(name) if (binding := self.lookup(name)[0]) is not None:
                return self.bound_under(binding, looked)[0]
            case Select(Variable(name), (str(step),), None) if (binding := self.lookup(name)[0]) is not None:
                how = self.how("select", step, node.step_spans[0])
                return f"t_select({self.bound_under(binding, looked)[0]}, {step!r}, {how}, {looked})"
        return None

    def integers(self, left: Expr, right: Expr, fit: Span | None = None) -> tuple[str, str, str, str, str]:
        """Two operands, which are integers more often than not: a test that computes them and says whether they are;
        the names of their cells; and code for their values, once the test is passed.

        With `fit`, the place of a `+`, the first must be fit for it before the second is computed.
        """
        if isinstance(left, IntLiteral):
            b, y = self.fresh("right"), self.fresh()
            test = f"({y} := ({b} := {self.strict(right)[0]})[0]).__class__ is int"
            return test, self.cell(left.value, left.span), b, f"({left.value})", y
        one, two, a = self.operands(left, right)
        x = self.fresh()
        first = f"({x} := {one}[0]).__class__"
        if isinstance(right, IntLiteral):
            return f"{first} is int", a, two, x, f"({right.value})"
        b, y = self.fresh("right"), self.fresh()
        both = f"is ({y} := ({b} := {two})[0]).__class__ is int"
        if fit is not None and not self.harmless(right):
            return f"({first} is int or t_fit({a}, addable, {self.span(fit)})) and {x}.__class__ {both}", a, b, x, y
        return f"{first} {both}", a, b, x, y

    def is_ready(self, node: Expr) -> bool:
        """Whether computing a value can not fail, because it is made at once or has been computed."""
        if isinstance(node, Variable):
            binding, _ = self.lookup(node.name)
            if binding is not None:
                return bool(binding.kind) or binding.python in self.known
        return self.harmless(node)

    def tested(self, node: Expr) -> tuple[str, str]:
        """Code for a Python Boolean, and the name that its cell has from then on."""
        code, kind = self.strict(node)
        cell = self.fresh("test")
        if kind == "bool":
            return f"({cell} := {code})[0]", cell
        value = self.fresh()
        wrong = f"({_pushed(cell)} or not_boolean({value}, {self.span(node.span)}))"
        return f"({value} if ({value} := ({cell} := {code})[0]).__class__ is bool else {wrong})", cell

    def branch(self, node: Expr, words: str, span: Span, test: str) -> str:
        """The cell of what a test picked.  The test is on `L` while that is computed, unless it can not fail."""
        known = set(self.known)
        simple = self.simple_under(node, test)
        self.known = known
        certain = simple is not None or self.is_ready(node)
        code = simple or self.apart(node)[0]
        how = self.how("choice", words, span)
        chosen = code if code.isidentifier() else self.fresh("chosen")
        computed = f"{chosen}[0]" if chosen == code else f"({chosen} := {code})[0]"
        if certain:
            return f"({computed}, {how}, {chosen}, {test})"
        return f"({_pushed(test)} or {computed}, {how}, {chosen}, {_popped(test)})"

    def conditional(self, node: If) -> Code:
        test, cell = self.tested(node.test)
        yes = self.branch(node.yes, "if: then", node.span, cell)
        no = self.branch(node.no, "if: else", node.span, cell)
        return f"({yes} if {test} else {no})", ""

    def assertion(self, node: Assert) -> Code:
        test, cell = self.tested(node.test)
        body = self.branch(node.body, "assert", node.test.span, cell)
        failed = f"assertion_failed({show(node.test)!r}, {self.span(node.test.span)})"
        return f"({body} if {test} else {_pushed(cell)} or {failed})", ""

    def logical(self, node: Binary) -> Code:
        left, first = self.tested(node.left)
        certain = self.is_ready(node.right)
        code, kind = self.apart(node.right)
        second, value = self.fresh("test"), self.fresh()
        right = f"({second} := {code})[0]"
        if kind != "bool":
            wrong = f"not_boolean({value}, {self.span(node.right.span)})"
            right = f"({value} if ({value} := {right}).__class__ is bool else {wrong})"
        how = self.how("step", node.operator, node.span)
        if certain and kind == "bool":
            both = f"({right}, {how}, {first}, {second})"
        else:
            both = f"({_pushed(first)} or {right}, {how}, {_popped(first)}, {second})"
        only = f"{self.how('step', f'{node.operator} decided by', node.span)}, {first}"
        match node.operator:
            case "&&":
                return f"({both} if {left} else (False, {only}))", "bool"
            case "||":
                return f"((True, {only}) if {left} else {both})", "bool"
            case _:
                return f"({both} if {left} else (True, {only}))", "bool"

    def negation(self, node: Not) -> Code:
        operand, _ = self.strict(node.operand)
        return f"t_not({operand}, {self.how('step', '!', node.span)}, {self.span(node.operand.span)})", "bool"

    # --- operators ---

    def two(self, function: str, node: Binary, kind: str = "step") -> str:
        """A call of a function of `trace.cells` with both operands."""
        left, right, _ = self.operands(node.left, node.right)
        return f"{function}({left}, {right}, {self.how(kind, node.operator, node.span)})"

    def equality(self, node: Binary) -> Code:
        return self.two("t_equal" if node.operator == "==" else "t_unequal", node), "bool"

    def comparison(self, node: Binary, left: Expr, right: Expr, negated: bool) -> Code:
        test, a, b, x, y = self.integers(left, right)
        # `a <= b` is `!(b < a)`; the operation is recorded as written, with its operands as written.
        how = self.how("step", node.operator, node.span)
        swapped = left is node.right
        order = f"{b}, {a}" if swapped else f"{a}, {b}"
        relation = ">=" if negated else "<"
        general = f"t_less({a}, {b}, {how}, {negated}, {swapped})"
        return f"(({x} {relation} {y}, {how}, {order}) if {test} else {general})", "bool"

    def arithmetic(self, node: Binary) -> Code:
        how = self.how("step", node.operator, node.span)
        if node.operator == "/" and not (isinstance(node.right, IntLiteral) and node.right.value > 0):
            one, two, _ = self.operands(node.left, node.right)
            return f"t_arithmetic({one}, {two}, {how}, M)", ""
        test, a, b, x, y = self.integers(node.left, node.right, node.span if node.operator == "+" else None)
        general = f"t_arithmetic({a}, {b}, {how}, M)"
        if node.operator == "/":
            return f"(({x} // {y}, {how}, {a}, {b}) if {test} and {x} >= 0 else {general})", ""
        result = self.fresh()
        fits = self.within(f"({result} := {x} {node.operator} {y})", node)
        return f"(({result}, {how}, {a}, {b}) if {test} and {fits} else {general})", ""

    def within(self, code: str, node: Binary) -> str:
        """The test that the result of an integer operation needs no more than 64 bits."""
        if isinstance(node.right, IntLiteral) and node.operator != "*":  # a literal is never negative
            return f"{code} >= {MIN}" if node.operator == "-" else f"{code} <= {MAX}"
        return f"{MIN} <= {code} <= {MAX}"

    def minus(self, node: Negate) -> Code:
        return f"t_negate({self.strict(node.operand)[0]}, {self.how('step', 'negate', node.span)})", ""

    def update(self, node: Binary) -> Code:
        left = self.strict(node.left)
        right, _ = self.strict(node.right)
        if not self.harmless(node.right):
            left, name = self.fit(left, "updatable", node.span)
            right = self.under(right, [name])
        return f"t_update({left[0]}, {right}, {self.how('update', '//', node.span)})", ""

    def concatenation(self, node: Binary) -> Code:
        return self.two("t_concatenate", node, "concat"), ""


def head_of(node: Lambda | PatternLambda) -> Span:
    """The head of a function, up to its colon: all of it that a look at the function itself can see."""
    file, start = node.span.file, node.span.start
    at = start
    if isinstance(node, Lambda):
        at = node.argument_span.end
    elif node.formals:
        last = node.formals[-1]
        at = last.default.span.end if last.default is not None else last.span.end
    end = file.text.find(":", at, node.span.end) + 1
    return Span(file, start, end or node.span.end)


def _pushed(looked: str) -> str:
    """Code that is false, and puts what was looked at on `L` if somebody may catch a failure now."""
    return f"L and L.append({looked})"


def _popped(looked: str) -> str:
    """Code that takes what `_pushed` put on `L` off again, and gives it."""
    return f"L.pop() if L else {looked}"


def _dotted(steps: tuple[PathStep, ...]) -> str:
    return ".".join(show_name(step) if isinstance(step, str) else COMPUTED for step in steps)
