"""The fast code generator: Python that computes plain values and keeps no history.

What makes it fast:

* Integer operators are written out for two ready integers and call `operators` otherwise. An *argument* such as `n - 1`
  is computed at once if `n` is a ready integer, since that can not fail; only otherwise is a thunk made.
* A variable once forced is known to be ready from there on (`known`), inside closures made later too.
* `let f = x: y: ...` is a Python function that may be given both arguments at once; a call with enough arguments does
  so, and so do builtins that call a function again and again.
* A builtin that is plainly named is called with all its arguments at once, those it surely forces already computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..builtins import find
from ..kernel.operators import MAX, MIN
from ..syntax.printer import show
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
from .walk import Code, Emitter, TransferSite
from .writer import Binding

if TYPE_CHECKING:
    from ...base.source import Span

_CERTAIN: dict[str, tuple[type, ...]] = {
    "function": (Lambda, PatternLambda),
    "int": (IntLiteral,),
    "str": (StringLiteral, Interpolation),
    "list": (ListLiteral,),
    "attrs": (AttrSet,),
}

_SCALARS = (IntLiteral, FloatLiteral, StringLiteral)

_WORDS = {"true": ("True", "bool"), "false": ("False", "bool"), "null": ("None", "null")}

_QUICK = {"interpolable": "str", "nameable": "str", "updatable": "A"}
"""The class of a value that passes each check without being looked at, by its name in generated code."""

_PASSES = {"interpolable": "str", "nameable": "str", "updatable": "attrs"}
"""The same, as a type that is certain."""

_TYPE_TESTS = {
    "isAttrs": ".__class__ is A",
    "isList": ".__class__ is list",
    "isBool": ".__class__ is bool",
    "isInt": ".__class__ is int",
    "isFloat": ".__class__ is float",
    "isNull": ".__class__ is NULL",
    "isString": ".__class__ in STRINGS",
    "isFunction": ".__class__ in FUNCTIONS",
    "isPath": ".__class__ is PATH",
}
"""Builtins that are a test of the value's class."""

SHORT_SLOT = 40
"""Characters."""

_RUN = ("", "run_one", "run_two", "run_three")
"""What calls a builtin, by the number of its arguments."""

_FUNCTIONS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


class Plain(Emitter):
    """Writes the fast code."""

    bare_functions = True

    # --- values ---

    def literal(self, node: IntLiteral | FloatLiteral | StringLiteral | PathLiteral) -> Code:
        match node:
            case IntLiteral(value):
                return f"({value})", "int"
            case FloatLiteral(number):
                return f"({number!r})", "float"
            case StringLiteral(text):
                return repr(text), "str"
            case _:
                return self.constant("path", node.independent), "path"

    def word(self, name: str, span: Span) -> Code:
        return _WORDS[name]

    def joined(self, parts: list[Code], node: Interpolation | PathInterpolation) -> Code:
        span = self.span(node.span)
        if isinstance(node, PathInterpolation):
            return f"interpolate_path(M, {span}, {', '.join([code for code, _ in parts])})", "path"
        if all(kind == "str" for _, kind in parts):
            return f"({' + '.join([code for code, _ in parts])})", "str"
        computed = [code for code, kind in parts if not (kind == "str" and code[0] in "'\"")]
        if len(computed) != 1 or not self.frame.hot:
            return f"interpolate(M, {span}, {', '.join([code for code, _ in parts])})", ""
        name = self.fresh()
        pieces = [name if code is computed[0] else code for code, _ in parts]
        general = f"interpolate(M, {span}, {', '.join(pieces)})"
        return f"({' + '.join(pieces)} if ({name} := {computed[0]}).__class__ is str else {general})", ""

    def position(self, node: CurrentPosition) -> Code:
        return f"current_position({self.span(node.span)})", "attrs"

    def bound(self, binding: Binding) -> Code:
        name = self.use(binding.python)
        if binding.kind or name in self.known:
            return name, binding.kind
        if not self.frame.hot:
            return f"force({name})", ""
        if name in self.frame.own:
            self.known.add(name)
            return f"({name} if {name}.__class__ is not T else ({name} := {name}.force()))", ""
        forced = f"{name}.value if {name}.code is None else {name}.force()"
        return f"({name} if {name}.__class__ is not T else {forced})", ""

    def from_with(self, node: Variable, sets: list[str]) -> Code:
        return f"with_lookup({node.name!r}, {self.span(node.span)}, {', '.join(sets)})", ""

    def builtin(self, name: str) -> Code:
        return f"force({self.builtin_slot(name)})", ""

    def builtin_selected(self, name: str, span: Span) -> Code:
        return self.builtin(name)

    def builtin_slot(self, name: str) -> str:
        return self.constant("slot", name)

    def set_value(self, raw: str, node: AttrSet) -> Code:
        return raw, "attrs"

    def dynamic_set(self, raw: str, parts: list[tuple[str, str, DynamicAttribute]], node: AttrSet) -> Code:
        defined = ", ".join([f"({name}, {slot}, {self.span(attribute.span)})" for name, slot, attribute in parts])
        return f"add_dynamic({raw}, {defined})", "attrs"

    def overriding(self, own: str, span: Span) -> str:
        return f"overriding_set({own}, {self.span(span)})"

    def overridden(self, own: str, overrides: str, attribute: Attribute) -> str:
        return f"{overrides}.table.get({attribute.name!r}, {own})"

    def value_of(self, code: str) -> str:
        return code

    def list_value(self, raw: str, node: ListLiteral) -> Code:
        return raw, "list"

    def function_value(self, raw: str, node: Lambda | PatternLambda) -> Code:
        return raw, "function"

    def foreseen(self, value: Expr) -> str:
        match value:
            case IntLiteral():
                return "int"
            case StringLiteral():
                return "str"
            case _:
                return ""

    # --- slots ---

    def transferred(self, code: str, transfer: TransferSite | None) -> str:
        return code

    def thunk_object(self, function: str, given: str, transfer: TransferSite | None) -> str:
        return f"D({function})" if given == "None" else f"D({function}, {given})"

    def ready_arithmetic(self, node: Binary | Negate, transfer: TransferSite | None) -> str | None:
        if self.machine.dialect.version >= (2, 25):
            return None  # it may overflow, which is an error, and nobody may ever look at it
        names: list[str] = []
        code = self.plain_arithmetic(node, names, 3)
        if code is None or not names:
            return None
        if self.shadowable and any(self.is_shadowed(name) for name in ("__sub", "__mul", "__lessThan")):
            return None
        test = " and ".join([f"{name}.__class__ is int" for name in dict.fromkeys(names)])
        return f"({code} if {test} else {self.thunk(node)})"

    def plain_arithmetic(self, node: Expr, names: list[str], depth: int) -> str | None:
        """Arithmetic on variables (`names` gathers them) and numbers, as it is computed on integers."""
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

    def ready_selection(self, node: Select, binding: Binding) -> str | None:
        name = node.steps[0]
        if not self.frame.hot:
            return self.selection_later(node, binding)
        if len(node.steps) > 1:
            return None
        if self.unset.get(binding.python, self.frame) is None:
            return None
        saved = self.enter()
        self.depth = 1
        site = self.site(node.span.start, node.span.end, self.label)
        function, given = self.delayed(self.selected_path(node)[0], site, saved, self.limit)
        return f"taken({given}, {name!r}, {function})"

    def selection_later(self, node: Select, binding: Binding) -> str | None:
        """A thunk for a selection that is computed once, if ever: it needs no code of its own."""
        if len(node.steps) > 2 or self.unset.get(binding.python, self.frame) is None:
            return None
        places = ", ".join([self.span(span) for span in node.step_spans])
        names = ", ".join([repr(name) for name in node.steps])
        picked = "picked" if len(node.steps) == 1 else "picked_two"
        return f"D({picked}, ({self.use(binding.python)}, {names}, {places}, {self.span(node.span)}))"

    # --- selection and functions ---

    def selected(self, subject: Code, step: PathStep, span: Span) -> Code:
        name = repr(step) if isinstance(step, str) else self.step_name(step)
        return f"select({subject[0]}, {name}, {self.span(span)})", ""

    def selected_path(self, node: Select) -> Code:
        subject = self.subject(node.subject)
        if len(node.steps) == 1:
            return self.selected(subject, node.steps[0], node.step_spans[0])
        steps = [*zip(node.steps, node.step_spans)]
        while steps:
            (name, span), *rest = steps
            if rest and isinstance(name, str) and isinstance(second := rest[0][0], str):
                places = f"{self.span(span)}, {self.span(rest[0][1])}"
                subject = f"select_two({subject[0]}, {name!r}, {second!r}, {places})", ""
                steps = rest[1:]
            else:
                subject, steps = self.selected(subject, name, span), rest
        return subject

    def subject(self, node: Expr) -> Code:
        """What `select` is given: a variable of a function outside it forces itself, which makes shorter code."""
        if isinstance(node, Variable) and (binding := self.lookup(node.name)[0]) is not None:
            if not binding.kind and binding.python not in self.known and binding.python not in self.frame.own:
                return self.use(binding.python), ""
        return self.strict(node)

    def step_name(self, step: Expr) -> str:
        return f"attribute_name({self.strict(step)[0]}, {self.span(step.span)})"

    def selected_or(self, subject: Code, node: Select) -> Code:
        assert node.default is not None
        slot = self.fresh()
        if len(node.steps) == 1 and isinstance(node.steps[0], str) and not self.frame.hot:
            test = f"({slot} := find_named({subject[0]}, {node.steps[0]!r})) is not Z"
            return f"(force({slot}) if {test} else {self.apart(node.default)[0]})", ""
        if len(node.steps) == 1 and isinstance(node.steps[0], str):
            value = self.fresh()
            default, _ = self.apart(node.default)
            test = f"({slot} := {value}.table.get({node.steps[0]!r}, Z)) is not Z"
            return f"(force({slot}) if ({value} := {subject[0]}).__class__ is A and {test} else {default})", ""
        path = self.find_path(subject, node.steps)
        default, _ = self.apart(node.default)
        return f"(force({slot}) if ({slot} := {path}) is not Z else {default})", ""

    def has(self, subject: Code, node: HasAttr) -> Code:
        if len(node.steps) == 1 and isinstance(node.steps[0], str) and self.frame.hot:
            value = self.fresh()
            return f"(({value} := {subject[0]}).__class__ is A and {node.steps[0]!r} in {value}.table)", "bool"
        return f"({self.find_path(subject, node.steps)} is not Z)", "bool"

    def find_path(self, subject: Code, steps: tuple[PathStep, ...]) -> str:
        """Code for the slot at the end of an attribute path, or `Z`."""
        if len(steps) == 1:
            name = repr(steps[0]) if isinstance(steps[0], str) else self.step_name(steps[0])
            return f"find_named({subject[0]}, {name})"
        return f"find({subject[0]}, {self.lazy_steps(steps)})"

    def opened(self, node: PatternLambda, given: str, table: str, information: str) -> str:
        matched = f"match_formals({given}, {information})"
        if node.name is not None:
            whole = self.fresh(node.name)
            self.scope.bound[node.name] = Binding(whole, self.frame, "attrs")
            matched = f"({whole} := {matched})"
        return f"{table} := {matched}.table"

    def formal_slot(self, formal: Formal, given: str, table: str) -> str:
        key = repr(formal.name)
        if formal.default is None:
            return f"{table}[{key}]"
        return f"{table}[{key}] if {key} in {table} else {self.slot(formal.default)}"

    def applied(self, function: Code, slots: list[str], span: Span) -> Code:
        code, kind = function
        if not slots:
            return function
        if kind == "function":
            code, slots = f"{code}({slots[0]})", slots[1:]
        if not slots:
            return code, ""
        if len(slots) > 2 or kind in ("bool", "null"):  # Python would warn of code that calls a constant
            return f"call({code}, {self.span(span)}, {', '.join(slots)})", ""
        if not self.frame.hot:
            return (
                f"{'apply_one' if len(slots) == 1 else 'call_two'}({code}, {self.span(span)}, {', '.join(slots)})",
                "",
            )
        name = code if code.isidentifier() else self.fresh()
        if len(slots) == 1 and not _is_short(slots[0]):
            test = f"{name}.__class__" if name == code else f"({name} := {code}).__class__"
            return f"({name} if {test} is F else callable_of({name}, {self.span(span)}))({slots[0]})", ""
        arguments = [slot if _is_short(slot) else self.fresh() for slot in slots]
        tests = [f"({argument} := {slot}) is not Z" for argument, slot in zip(arguments, slots) if argument != slot]
        if name == code:
            tests.append(f"{name}.__class__ is F")
        elif tests:
            tests = [f"({name} := {code}) is not Z", *tests, f"{name}.__class__ is F"]
        else:
            tests.append(f"({name} := {code}).__class__ is F")
        general = "call_one"
        if len(slots) == 2:
            tests.append(f"{name}.__code__.co_argcount == 2")
            general = "call_two"
        together = ", ".join(arguments)
        return (
            f"({name}({together}) if {' and '.join(tests)} else {general}({name}, {self.span(span)}, {together}))",
            "",
        )

    def watched(self, node: Expr, code: str) -> str:
        return code

    def builtin_call(self, name: str, arguments: tuple[Expr, ...], span: Span) -> Code:
        entry = find(name)
        function = self.constant("builtin", name)
        if name == "toString":
            code, value = self.strict(arguments[0])[0], self.fresh()
            general = f"run_one({function}, {self.span(span)}, {value})"
            return f"(str({value}) if ({value} := {code}).__class__ is int else {general})", ""
        if name in _TYPE_TESTS:
            return f"({self.strict(arguments[0])[0]}{_TYPE_TESTS[name]})", "bool"
        ready = self.ready_arguments(entry.checks, arguments)
        codes = [
            self.strict(argument)[0] if index in entry.forces and index in ready else self.slot(argument)
            for index, argument in enumerate(arguments)
        ]
        return f"{_RUN[len(codes)]}({function}, {self.span(span)}, {', '.join(codes)})", ""

    def ready_arguments(self, checks: tuple[tuple[int, str], ...], arguments: tuple[Expr, ...]) -> set[int]:
        """The arguments that may be computed before the builtin is called: no check of another could come first."""
        ready = set(range(len(arguments)))
        certain = True
        for index, kind in checks:
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

    def fit(self, code: Code, check: str, span: Span) -> tuple[Code, str]:
        text, kind = code
        if kind == _PASSES[check] or (kind == "path" and check == "interpolable"):
            return code, ""
        if not self.frame.hot:
            return (f"{check}({text}, {self.span(span)})", ""), ""
        name = self.fresh()
        wrong = f"{check}({name}, {self.span(span)})"
        return (f"({name} if ({name} := {text}).__class__ is {_QUICK[check]} else {wrong})", ""), name

    def under(self, code: str, checked: list[str]) -> str:
        return code

    def boolean(self, node: Expr) -> str:
        """Code for a value that must be a Boolean."""
        code, kind = self.strict(node)
        if kind == "bool":
            return code
        if code.isidentifier():
            return f"({code} if {code}.__class__ is bool else not_boolean({code}, {self.span(node.span)}))"
        if not self.frame.hot:
            return f"truth({code}, {self.span(node.span)})"
        one, name, _ = self.atom_of(node, code, kind)
        return f"({name} if {one}.__class__ is bool else not_boolean({name}, {self.span(node.span)}))"

    def conditional(self, node: If) -> Code:
        test = self.boolean(node.test)
        yes, yes_kind = self.apart(node.yes)
        no, no_kind = self.apart(node.no)
        return f"({yes} if {test} else {no})", yes_kind if yes_kind == no_kind else ""

    def assertion(self, node: Assert) -> Code:
        test = self.boolean(node.test)
        body, kind = self.strict(node.body)
        return f"({body} if {test} else assertion_failed({show(node.test)!r}, {self.span(node.test.span)}))", kind

    def logical(self, node: Binary) -> Code:
        left = self.boolean(node.left)
        before = set(self.known)
        right = self.boolean(node.right)
        self.known = before
        match node.operator:
            case "&&":
                return f"({right} if {left} else False)", "bool"
            case "||":
                return f"(True if {left} else {right})", "bool"
            case _:
                return f"({right} if {left} else True)", "bool"

    def negation(self, node: Not) -> Code:
        return f"(not {self.boolean(node.operand)})", "bool"

    # --- operators ---

    def atom(self, node: Expr) -> tuple[str, str, str]:
        """A value to be used twice: code that computes it, the text to use afterwards, its type."""
        return self.atom_of(node, *self.strict(node))

    def atom_of(self, node: Expr, code: str, kind: str) -> tuple[str, str, str]:
        """The same, given the code of the value."""
        if code.isidentifier() or isinstance(node, _SCALARS):
            return code, code, kind
        if type(node) is Variable:
            binding, _ = self.lookup(node.name)
            if binding is not None and binding.python in self.known:  # once it is computed the variable holds it
                return code, binding.python, kind
        name = self.fresh()
        return f"({name} := {code})", name, kind

    def equality(self, node: Binary) -> Code:
        code = self.equal(node.left, node.right)
        return code if node.operator == "==" else f"(not {code})", "bool"

    def equal(self, left: Expr, right: Expr) -> str:
        """Code for `left == right`."""
        if isinstance(right, Variable) and self.builtin_name(right) == "null":
            if isinstance(left, _SCALARS):
                return "False"
            return f"({self.strict(left)[0]} is None)"
        if isinstance(right, ListLiteral) and not right.elements:
            code, name = self.strict(left)[0], self.fresh()
            return f"(({name} := {code}).__class__ is list and not {name})"
        if not self.frame.hot:
            return f"equal({self.strict(left)[0]}, {self.strict(right)[0]})"
        one, again, kind = self.atom(left)
        two, again_two, other = self.atom(right)
        simple = {"int", "str", "bool"}
        if kind == other and kind in simple:
            return f"({one} == {two})"
        if other in simple and two == again_two:
            return f"({again} == {two} if {one}.__class__ is {other} else equal({again}, {two}))"
        test = f"{one}.__class__ is {two}.__class__ in QUICK"
        return f"({again} == {again_two} if {test} else equal({again}, {again_two}))"

    def comparison(self, node: Binary, left: Expr, right: Expr, negated: bool) -> Code:
        if not self.frame.hot:
            code = f"less_than({self.strict(left)[0]}, {self.strict(right)[0]}, {self.span(node.span)})"
            return f"(not {code})" if negated else code, "bool"
        one, again, kind = self.atom(left)
        two, again_two, other = self.atom(right)
        test = _both_int(one, again, kind, two, again_two, other)
        code = f"({one} < {two})"
        if test is not None:
            general = f"less_than({again}, {again_two}, {self.span(node.span)})"
            code = f"({again} < {again_two} if {test} else {general})"
        return f"(not {code})" if negated else code, "bool"

    def arithmetic(self, node: Binary) -> Code:
        if not self.frame.hot:
            return self.arithmetic_once(node)
        one, again, kind = self.atom(node.left)
        two, again_two, other = self.atom(node.right)
        machine = ", M" if node.operator == "+" else ""
        function = _FUNCTIONS[node.operator]
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

    def arithmetic_once(self, node: Binary) -> Code:
        """The same for code that runs once."""
        left, kind = self.strict(node.left)
        right, other = self.strict(node.right)
        span = self.span(node.span)
        if node.operator != "+":
            return f"{_FUNCTIONS[node.operator]}({left}, {right}, {span})", ""
        if kind == "str" and other == "str":
            return f"({left} + {right})", "str"
        if kind not in ("int", "float", "str", "path") and not self.harmless(node.right):
            left = f"addend({left}, {span})"
        return f"add({left}, {right}, {span}, M)", ""

    def wrapped(self, code: str, node: Binary) -> str:
        """An integer computation, brought back to 64 bits where it leaves them."""
        name = self.fresh()
        literal = isinstance(node.right, IntLiteral)
        if self.machine.dialect.version >= (2, 25):
            return f"({name} if {MIN} <= ({name} := {code}) <= {MAX} else wrap({name}, {self.span(node.span)}))"
        if literal and node.operator == "-":
            return f"({name} if ({name} := {code}) >= {MIN} else wrap({name}))"
        if literal and node.operator == "+":
            return f"({name} if ({name} := {code}) <= {MAX} else wrap({name}))"
        return f"({name} if {MIN} <= ({name} := {code}) <= {MAX} else wrap({name}))"

    def minus(self, node: Negate) -> Code:
        return f"subtract(0, {self.strict(node.operand)[0]}, {self.span(node.span)})", ""

    def update(self, node: Binary) -> Code:
        left = self.strict(node.left)
        if not self.harmless(node.right):
            left, _ = self.fit(left, "updatable", node.span)
        return f"update({left[0]}, {self.strict(node.right)[0]}, {self.span(node.span)})", "attrs"

    def concatenation(self, node: Binary) -> Code:
        left, _ = self.strict(node.left)
        right, _ = self.strict(node.right)
        return f"concatenate({left}, {right}, {self.span(node.span)})", "list"


def _is_short(slot: str) -> bool:
    """Whether code for a slot may as well be written twice, of which one is run: it names nothing that it sets."""
    return slot.isidentifier() or (len(slot) <= SHORT_SLOT and ":=" not in slot and "#" not in slot)


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
