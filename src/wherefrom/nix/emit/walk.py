"""The walk through a tree that both code generators share, and the algebra in which they differ.

Every expression can be written in two ways. `strict(node)` is Python code that computes the value in weak head normal
form. `slot(node)` is code that makes a slot for it without computing anything that could fail or take long: the value
itself where it is at hand (literals, functions, variables, small lists and sets), else a thunk `D(lambda: ...)`.

`Emitter` knows how Nix binds names: scopes, frames, the order in which a `let` is set up, patterns, calls with all
arguments at once. What is computed for each form of the language it does not know. That is the algebra: the abstract
methods below, one for each way in which values come about. `plain.Plain` answers each with code for a plain value,
`traced.Traced` with code for a *cell* (a value and how it came to be). Neither inherits from the other, and neither may
change the walk (its methods are final): a short cut that one of them takes is its own.

For `(x: x + 1) 2`, the walk asks for a call of a function whose body is a sum. `Plain` answers with a Python function
that adds two integers in place and leaves all else to `add`; `Traced` with one over cells, which pairs the sum with the
operation (`k0`) and the cells it was computed from. Shortened: the bounds of integers and the forcing of `x` left out.

    plain     (lambda x: x + 1 if x.__class__ is int else add(x, 1, k0, M))(2)
    traced    t_call((lambda x: (x[0] + 1, k0, x, k1) if x[0].__class__ is int else t_arithmetic(x, k1, k0, M), k2),
                     k3, k4)

One walk over an abstract algebra is the style "tagless final" (J. Carette, O. Kiselyov and C. Shan, *Finally tagless,
partially evaluated*, Journal of Functional Programming 19, 2009): the compiler is written once, and each meaning of a
program is one class.

In the text: `T` is `Thunk`, `D` is `delay`, `A` is `Attrs`, `F` the type of functions, `Z` a value that no slot ever
holds, `M` the machine, `L` the tests in force (recording alone).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, final

from ..builtins import find
from ..kernel.names import INDEX
from ..syntax.tree import (
    Assert,
    Attribute,
    AttrSet,
    Binary,
    Call,
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
from .program import Program
from .writer import LAZY, LOOP, MAX_NESTING, Binding, Frame, Scope, Writer, small

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span
    from ..kernel.world import Machine

MAX_LISTED = 24
"""Attributes of a set in code that runs once, up to which they are written as the arguments of a call."""

MAX_CHAIN = 6
"""How many steps of a selection, or arguments of a call, are written as one nest of brackets."""

Code: TypeAlias = tuple[str, str]
"""Python text, and the type of its value if that is certain."""

TransferSite: TypeAlias = tuple[str, Any, "Span"]
"""Who passes a value on: the words `attribute`, `let`, `inherit`, `inherit from` or `argument`; the name, attribute or
function; and the place."""

LITERALS = (IntLiteral, FloatLiteral, StringLiteral, PathLiteral)
WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
"""Constants that the grammar treats as names, but that are written like literals."""

_LITERAL_KINDS = frozenset(LITERALS)
_NEVER_AT_HAND = frozenset((Call, If, Interpolation, Let, With, Assert, HasAttr, Not))

_HANDLESS = (Variable, Binary, *LITERALS)
"""Arguments of which it is not worth telling that they are arguments."""

_HARMLESS = (*LITERALS, Lambda, PatternLambda, ListLiteral)
"""Forms that are made without computing anything; sets and some variables are, too."""


class Emitter(Writer, ABC):
    """One compilation: the walk, over an algebra."""

    bare_functions: ClassVar[bool]
    """Whether the value of a function is the Python function itself."""

    def __init__(self, machine: Machine, source: SourceFile) -> None:
        super().__init__(machine, source)
        self.exact = machine.exact
        self.calls = 0
        """How many calls were written so far."""
        self.repeated: set[int] = set()
        """The functions, by their identity, that are given to a builtin which calls them again and again."""
        self.limit = LAZY
        """From how many characters on the body of a function or thunk becomes a unit of its own."""
        self._branches: set[int] = set()
        """The branches, by their identity, of an `if` that is the body of a function."""
        self.spine: set[int] = set()
        """The functions that are the file itself: they are called once, or once for each user."""
        self.unbound = False
        """Whether there is a name that nothing binds (`syntax.scope` says which)."""
        self.forms: dict[type, Callable[[Any], Code]] = {
            IntLiteral: self.literal,
            FloatLiteral: self.literal,
            StringLiteral: self.literal,
            PathLiteral: self.literal,
            SearchPath: self._search_path,
            Interpolation: self._interpolation,
            PathInterpolation: self._interpolation,
            CurrentPosition: self.position,
            Variable: self._variable,
            AttrSet: self._set,
            Let: self._let,
            OldLet: self._old_let,
            With: self._with,
            ListLiteral: self._list,
            Select: self._select,
            HasAttr: self._has,
            Lambda: self._lambda,
            PatternLambda: self._pattern_lambda,
            Call: self._call,
            If: self.conditional,
            Assert: self.assertion,
            Binary: self._binary,
            Not: self.negation,
            Negate: self._negate,
        }

    @final
    def compile(self, tree: Expr, outside: Iterable[str] = ()) -> Program:
        """The program of a file.  `outside` are names bound around it (`scopedImport`): the parameters of `u0`."""
        for name in outside:
            self.scope.bound[name] = Binding(self.fresh(name), self.frame)
            self.shadowable = self.shadowable or name.startswith("__")
        parameters = [binding.python for binding in self.scope.bound.values()]
        self.spine = {id(function) for function in _spine(tree)}
        body, _ = self.strict(tree)
        return self.program(body, parameters)

    # --- the two ways ---

    @final
    def strict(self, node: Expr) -> Code:
        """Code for the value of `node`."""
        self.depth += 1
        code = self.lift(node) if self.depth > MAX_NESTING else self.forms[type(node)](node)
        self.depth -= 1
        return code

    @final
    def constructor(self, node: Expr) -> str:
        """Code for a value that is made without computing anything.  Never lifted: its variables may not be set yet."""
        self.depth += 1
        code, _ = self.forms[type(node)](node)
        self.depth -= 1
        return code

    @final
    def lift(self, node: Expr) -> Code:
        """Code that calls a function of its own for `node`."""
        saved = self.enter()
        self.depth = 0
        body, kind = self.strict(node)
        call = self.unit(body, self.frame.used - self.frame.own)
        self.leave(saved)
        return call, kind

    @final
    def slot(self, node: Expr, transfer: TransferSite | None = None) -> str:
        """Code for a slot with `node` in it, as `transfer` passes it on."""
        if type(node) is Variable:
            return self._variable_slot(node, transfer)
        if type(node) in _LITERAL_KINDS:
            return self.transferred(self.constructor(node), transfer)
        if self.exact or type(node) in _NEVER_AT_HAND:
            return self.thunk(node, transfer)
        match node:
            case Lambda() | PatternLambda():
                return self.transferred(self.constructor(node), transfer)
            case ListLiteral() | AttrSet() if self.depth < MAX_NESTING - 2 and small(node):
                return self.transferred(self.constructor(node), transfer)
            case ListLiteral() if not node.elements:
                return self.transferred(self.constructor(node), transfer)
            case Binary() | Negate():
                ready = self.ready_arithmetic(node, transfer)
                if ready is not None:
                    return ready
            case Select(Variable(name), steps, None) if (binding := self.lookup(name)[0]) is not None:
                if (binding.ready or binding.frame is not self.frame) and all(type(step) is str for step in steps):
                    ready = self.ready_selection(node, binding)
                    if ready is not None:
                        return ready
        return self.thunk(node, transfer)

    @final
    def thunk(self, node: Expr, transfer: TransferSite | None = None) -> str:
        """Code that makes a thunk of `node`."""
        apart = self.is_set_up
        saved = self.enter()
        self.depth = 1 if apart else saved[2] + 1
        site = self.site(node.span.start, node.span.end, self.label)
        function, given = self.delayed(self.strict(node)[0], site, saved, self.limit)
        return self.thunk_object(function, given, transfer)

    @final
    def apart(self, node: Expr) -> Code:
        """Code for a value that may not be computed: what it forces is not known to be ready afterwards."""
        before = set(self.known)
        code = self._counted(node) if id(node) in self._branches else self.strict(node)
        self.known = before
        return code

    @final
    def harmless(self, node: Expr) -> bool:
        """Whether computing `node` can not fail, so that it does not matter what is computed or checked before it."""
        if isinstance(node, AttrSet):
            return not node.dynamic and all(attribute.name != "__overrides" for attribute in node.attributes)
        if isinstance(node, Variable):
            return node.name in WORDS and self.lookup(node.name)[0] is None
        return isinstance(node, _HARMLESS)

    @final
    def may_fail(self, nodes: Iterable[Expr]) -> bool:
        """Whether computing one of the nodes may fail."""
        return not all(self.harmless(node) for node in nodes)

    # --- texts ---

    @final
    def _search_path(self, node: SearchPath) -> Code:
        finder = Variable("__findFile", span=node.span)
        entries = Variable("__nixPath", span=node.span)
        return self.strict(Call(finder, (entries, StringLiteral(node.text, span=node.span)), span=node.span))

    @final
    def _interpolation(self, node: Interpolation | PathInterpolation) -> Code:
        """A text with parts; each part must be fit for one before the next is computed."""
        if isinstance(node, Interpolation):
            text = literal_text(node)
            if text is not None:
                return self.literal(StringLiteral(text, span=node.span))
        parts: list[Code] = []
        checked: list[str] = []
        for index, part in enumerate(node.parts):
            code = self._under(part, checked)
            if not isinstance(part, StringLiteral | PathLiteral) and self.may_fail(node.parts[index + 1 :]):
                code, name = self.fit(code, "interpolable", node.span)
                checked.append(name)
            parts.append(code)
        return self.joined(parts, node)

    @final
    def _under(self, node: Expr, checked: list[str]) -> Code:
        """A value that is computed after others were checked."""
        code, kind = self.strict(node)
        return (code if self.harmless(node) or not checked else self.under(code, checked)), kind

    # --- variables ---

    @final
    def _variable(self, node: Variable) -> Code:
        binding, withs = self.lookup(node.name)
        if binding is not None:
            return self.bound(binding)
        name = self.builtin_name(node)
        if name is None:
            self.unbound = self.unbound or not withs
            return self.from_with(node, [self.use(enclosing) for enclosing in withs])
        return self.word(name, node.span) if name in WORDS else self.builtin(name)

    @final
    def _variable_slot(self, node: Variable, transfer: TransferSite | None) -> str:
        binding, _ = self.lookup(node.name)
        if binding is None:
            name = self.builtin_name(node)
            if name is None:
                return self.thunk(node, transfer)
            return self.transferred(
                self.word(name, node.span)[0] if name in WORDS else self.builtin_slot(name), transfer
            )
        if not binding.ready and binding.frame is self.frame:
            return self.thunk(node, transfer)
        return self.transferred(self.use(binding.python), transfer)

    # --- sets, let, with, lists ---

    @final
    def _set(self, node: AttrSet) -> Code:
        places: list[object] = []
        for attribute in node.attributes:
            places += (attribute.name, attribute.span.start, attribute.span.end)
        positions = self.constant("places", tuple(places))
        if not node.recursive:
            slots = [(attribute.name, self._attribute_slot(attribute)) for attribute in node.attributes]
            return self._set_value(self._raw_set(slots, positions), node)
        outer = self.scope
        assignments = self._bind(node, "attribute")
        raw = self._raw_set([(name, self.use(bound.python)) for name, bound in self.scope.bound.items()], positions)
        if any(attribute.name == "__overrides" for attribute in node.attributes):
            raw = self._with_overrides(raw, node)
        code, kind = self._set_value(raw, node)
        self.scope = outer
        return self.after(assignments, code), kind

    @final
    def _raw_set(self, slots: list[tuple[str, str]], positions: str) -> str:
        """Code for an `Attrs` with these slots; `positions` know the names, too."""
        if not self.frame.hot and 1 < len(slots) <= MAX_LISTED:
            return f"attrs_of({positions}, {', '.join([slot for _, slot in slots])})"
        items = ", ".join([f"{name!r}: {slot}" for name, slot in slots])
        return f"A({{{items}}}, {positions})"

    @final
    def _set_value(self, raw: str, node: AttrSet) -> Code:
        if not node.dynamic:
            return self.set_value(raw, node)
        parts = []
        checked: list[str] = []
        for index, attribute in enumerate(node.dynamic):
            name = self._under(attribute.name, checked)
            if self.may_fail(later.name for later in node.dynamic[index + 1 :]):
                name, variable = self.fit(name, "nameable", attribute.span)
                checked.append(variable)
            parts.append(
                (name[0], self.slot(attribute.value, ("attribute with", "a computed name", attribute.span)), attribute)
            )
        return self.dynamic_set(raw, parts, node)

    @final
    def _attribute_slot(self, attribute: Attribute) -> str:
        old, self.label = self.label, attribute.name
        code = self.slot(attribute.value, _transfer_site(attribute, "attribute"))
        self.label = old
        return code

    @final
    def _with_overrides(self, raw: str, node: AttrSet) -> str:
        """`__overrides` in a recursive set: its attributes replace the set's own, in their scope too (Nix manual
        15.1).
        """
        overrides = self.fresh("overrides")
        own = self.scope.bound["__overrides"]
        tests = [f"({overrides} := {self.overriding(own.python, node.span)}) is not Z"]
        for attribute in node.attributes:
            binding = self.scope.bound[attribute.name]
            self.known.discard(binding.python)
            binding.kind, binding.twin = "", None
            tests.append(f"({binding.python} := {self.overridden(binding.python, overrides, attribute)}) is not Z")
        return f"(override({raw}, {self.value_of(overrides)}) if {' and '.join(tests)} else 0)"

    @final
    def after(self, assignments: list[str], code: str) -> str:
        """`code`, once the assignments are made."""
        if not assignments:
            return code
        if len(assignments) == 1:
            return f"({code} if ({assignments[0]}) is not Z else 0)"
        return f"({code} if ({', '.join(assignments)}) else 0)"

    @final
    def _bind(self, node: AttrSet, words: str) -> list[str]:
        """Open the scope of a recursive set or `let`: the assignments that set it up, in an order that works.

        Functions come first, then thunks, then what is made at once: only the last look at other variables now.
        """
        outer = self.scope
        inner = Scope(outer)
        overridden = node.recursive and any(attribute.name == "__overrides" for attribute in node.attributes)
        plain = not overridden and not self.exact
        shadowed = any(attribute.name == "builtins" for attribute in node.attributes)
        for attribute in node.attributes:
            binding = Binding(self.fresh(attribute.name), self.frame, "", ready=False)
            inner.bound[attribute.name] = binding
            self.await_value(binding.python, changing=overridden)
            if plain:
                self._foresee(binding, attribute.value)
                if binding.twin is not None and binding.twin != binding.python:
                    self.await_value(binding.twin)
                if isinstance(attribute.value, Select) and not shadowed:
                    name = self.builtin_name(attribute.value)
                    binding.alias = name if name in INDEX else None
        assignments: list[str] = []
        order: Sequence[Attribute] = node.attributes
        if not self.exact:
            order = sorted(order, key=lambda attribute: _set_up_order(attribute.value))
        for attribute in order:
            binding = inner.bound[attribute.name]
            self.scope = outer if attribute.inherited else inner
            old, self.label = self.label, attribute.name
            transfer = _transfer_site(attribute, words)
            if binding.twin is not None:
                assert isinstance(attribute.value, Lambda)
                assignments.append(f"{binding.twin} := {self._curried(binding.twin, binding.arity, attribute.value)}")
                if not self.bare_functions:
                    assignments.append(f"{binding.python} := {self.function_value(binding.twin, attribute.value)[0]}")
            elif overridden and not isinstance(
                attribute.value, LITERALS
            ):  # what `__overrides` replaces must be looked up when it is needed
                assignments.append(f"{binding.python} := {self.thunk(attribute.value, transfer)}")
            else:
                assignments.append(f"{binding.python} := {self.slot(attribute.value, transfer)}")
            self.label = old
            binding.ready = True
            self.has_value(binding.python)
            if binding.twin is not None:
                self.has_value(binding.twin)
        self.scope = inner
        return assignments

    @final
    def _foresee(self, binding: Binding, value: Expr) -> None:
        """Note what is certain about a binding before its code is written."""
        match value:
            case Lambda():
                binding.kind = "function"
                while isinstance(value, Lambda) and isinstance(value.body, Lambda) and binding.arity < MAX_CHAIN:
                    binding.arity += 1
                    value = value.body
                if binding.arity > 1:
                    binding.twin = binding.python if self.bare_functions else self.fresh(f"{binding.python}_twin")
            case PatternLambda():
                binding.kind = "function"
            case _:
                binding.kind = self.foreseen(value)

    @final
    def _let(self, node: Let) -> Code:
        outer = self.scope
        assignments = self._bind(node.bindings, "let")
        body, kind = self.strict(node.body)
        self.scope = outer
        return self.after(assignments, body), kind

    @final
    def _old_let(self, node: OldLet) -> Code:
        return self.selected(self._set(node.bindings), "body", node.span)

    @final
    def _with(self, node: With) -> Code:
        scope_slot = self.slot(node.scope)
        name = self.fresh("with")
        outer = self.scope
        self.scope = Scope(outer, with_python=name)
        body, kind = self.strict(node.body)
        self.scope = outer
        return self.after([f"{name} := {scope_slot}"], body), kind

    @final
    def _list(self, node: ListLiteral) -> Code:
        return self.list_value(f"[{', '.join([self.slot(element) for element in node.elements])}]", node)

    # --- selection ---

    @final
    def _select(self, node: Select) -> Code:
        name = self.builtin_name(node)
        if name is not None:
            return self.word(name, node.span) if name in WORDS else self.builtin_selected(name, node.span)
        if node.default is None and len(node.steps) > MAX_CHAIN:
            return self.strict(_split_select(node))
        if node.default is None:
            return self.selected_path(node)
        return self.selected_or(self.strict(node.subject), node)

    @final
    def lazy_steps(self, steps: tuple[PathStep, ...]) -> str:
        """Code for the names of an attribute path, each computed only when its step is reached."""
        return ", ".join([self._lazy_step(step) for step in steps])

    @final
    def _lazy_step(self, step: PathStep) -> str:
        if isinstance(step, str):
            return repr(step)
        saved = self.enter()
        code = self.step_name(step)
        self.leave(saved)
        return f"(lambda: {code})"

    @final
    def _has(self, node: HasAttr) -> Code:
        code = self.strict(node.subject)
        return self.has(code, node)

    # --- functions ---

    @final
    def _lambda(self, node: Lambda) -> Code:
        if isinstance(node.body, Lambda):
            name = self.fresh("function")
            raw = f"({name} := {self._curried(name, 2, node)})"
        else:
            saved = self._enter_function(node)
            self.depth = saved[2] + 1
            site = self.site(*self.function_site(node))
            outer = self.scope
            self.scope = Scope(outer)
            argument = self.fresh(node.argument)
            self.scope.bound[node.argument] = Binding(argument, self.frame)
            own, self.label = self._own_name(), ""
            body = self._function_body(node, node.body, own, argument)
            self.scope = outer
            self.leave(saved)
            raw = f"(#{site}\nlambda {argument}: {body})"
        return self.function_value(raw, node)

    @final
    def _curried(self, name: str, arity: int, value: Lambda) -> str:
        """A function of several arguments, which the variable `name` will hold.

        It may be called with its first argument alone, and then gives a function that waits for the others, or with
        all at once: the others are Python's optional arguments, and the number of arguments of its code tells.
        """
        saved = self._enter_function(value)
        outer = self.scope
        arguments: list[str] = []
        levels: list[tuple[Lambda, int]] = []
        node: Expr = value
        for _ in range(arity):
            assert isinstance(node, Lambda)
            levels.append((node, self.site(*self.function_site(node))))
            self.scope = Scope(self.scope)
            argument = self.fresh(node.argument)
            self.scope.bound[node.argument] = Binding(argument, self.frame)
            arguments.append(argument)
            node = node.body
            self.label = ""
        self.depth = saved[2] + 1
        body = self._function_body(value, node, name, *arguments)
        self.scope = outer
        self.use(name)
        self.leave(saved)
        waiting = f"{name}({', '.join(arguments)})"
        for (level, site), argument in zip(reversed(levels[1:]), reversed(arguments[1:])):
            waiting = self.function_value(f"(#{site}\nlambda {argument}: {waiting})", level)[0]
        optional = ", ".join([arguments[0], *(f"{argument}=Z" for argument in arguments[1:])])
        return f"(#{levels[0][1]}\nlambda {optional}: {body} if {arguments[-1]} is not Z else {waiting})"

    @final
    def _enter_function(self, node: Lambda | PatternLambda) -> tuple[Frame, set[str], int]:
        """Begin the Python function of a Nix function."""
        saved = self.enter()
        if id(node) not in self.spine:
            self.frame.hot = True
        return saved

    @final
    def _own_name(self) -> str:
        """The Python variable that will hold the function being written, if a `let` or a recursive set names it."""
        binding, _ = self.lookup(self.label)
        return binding.python if binding is not None and binding.kind == "function" else ""

    @final
    def _function_body(self, function: Lambda, body: Expr, name: str, *arguments: str) -> str:
        """The body of a function, which a variable called `name` will hold, if it is called anything."""
        outer = self._begin_function(function)
        code = self.watched(body, self._counted(body)[0])
        code = self.outlined(code, *arguments, limit=LOOP if name in self.frame.used else self.limit)
        self.limit = outer
        return code

    @final
    def _begin_function(self, node: Lambda | PatternLambda) -> int:
        """Set the limit for units inside a function; returns the one outside."""
        outer = self.limit
        if id(node) in self.repeated:
            self.limit = LOOP  # what is made in it is made again and again, too
        return outer

    @final
    def _counted(self, node: Expr) -> Code:
        """Code for the body of a function, or for a branch of it, that counts how often it is run if it calls twice or
        more.

        Only such functions make a small program run for ever: those that call once run as long as the stack is deep,
        and what builtins do is counted by them. Of an `if` only the branches that call twice count.
        """
        before = self.calls
        if isinstance(node, If):
            self._branches |= {id(node.yes), id(node.no)}
        code, kind = self.strict(node)
        if self.calls <= before + 1:
            return code, kind
        self.calls = before
        return f"({code} if not {self.constant('meter', None)}.pop() or M.allow_more() else 0)", kind

    @final
    def _pattern_lambda(self, node: PatternLambda) -> Code:
        saved = self._enter_function(node)
        self.depth = saved[2] + 1
        recipe = self.function_site(node)
        site = self.site(*recipe)
        limit = self._begin_function(node)
        self.label = ""
        outer = self.scope
        self.scope = Scope(outer)
        given, table = self.fresh("given"), self.fresh("table")
        assignments = [self.opened(node, given, table, self.constant("function", recipe))]
        for formal in node.formals:
            binding = self.scope.bound[formal.name] = Binding(self.fresh(formal.name), self.frame, ready=False)
            self.await_value(binding.python)
        for formal in sorted(node.formals, key=lambda formal: formal.default is not None):
            binding = self.scope.bound[formal.name]
            assignments.append(f"{binding.python} := {self.formal_slot(formal, given, table)}")
            binding.ready = True
            self.has_value(binding.python)
        body = self.under(self._counted(node.body)[0], [given])  # what was given has been looked at
        body = self.outlined(self.after(assignments, body), given, limit=self.limit)
        self.limit = limit
        self.scope = outer
        self.leave(saved)
        return self.function_value(f"(#{site}\nlambda {given}: {body})", node)

    @final
    def _call(self, node: Call) -> Code:
        self.calls += 1
        name = self.builtin_name(node.function)
        arguments = node.arguments
        if name is not None:
            entry = find(name) if name in INDEX else None
            if entry is not None and entry.arity and len(arguments) >= (arity := entry.arity):
                self.repeated.update([id(arguments[index]) for index in entry.repeats])
                code = self.builtin_call(name, arguments[:arity], node.span)
                return self.applied(code, [self.slot(argument) for argument in arguments[arity:]], node.span)
        elif len(arguments) > MAX_CHAIN:
            inner = Call(node.function, arguments[:MAX_CHAIN], span=node.span)
            return self.strict(Call(inner, arguments[MAX_CHAIN:], span=node.span))
        elif isinstance(node.function, Variable):
            binding, _ = self.lookup(node.function.name)
            if binding is not None and binding.twin is not None and len(arguments) >= binding.arity:
                together = ", ".join([self._argument(argument, node) for argument in arguments[: binding.arity]])
                code = f"{self.use(binding.twin)}({together})", ""
                return self.applied(code, [self.slot(argument) for argument in arguments[binding.arity :]], node.span)
            if binding is not None and binding.kind == "function":
                function = self.value_of(self.use(binding.python))
                code = f"{function}({self._argument(arguments[0], node)})", ""
                return self.applied(code, [self.slot(argument) for argument in arguments[1:]], node.span)
        code = self.strict(node.function)
        slots = [self.slot(argument, self._condition(argument, node)) for argument in arguments]
        return self.applied(code, slots, node.span)

    @final
    def _condition(self, node: Expr, call: Call) -> TransferSite | None:
        """The transfer site of a condition of the module system: recorded even where the value is only copied."""
        if node is call.arguments[0] and _called(call.function) == "mkIf":
            return ("condition of", "mkIf", node.span)
        return None

    @final
    def _argument(self, node: Expr, call: Call) -> str:
        condition = self._condition(node, call)
        if condition is not None:
            return self.slot(node, condition)
        if isinstance(node, _HANDLESS):
            return self.slot(node)
        return self.slot(node, ("argument", call.function, node.span))

    # --- operators ---

    @final
    def _binary(self, node: Binary) -> Code:
        match node.operator:
            case "&&" | "||" | "->":
                return self.logical(node)
            case "==" | "!=":
                return self.equality(node)
            case "//":
                return self.update(node)
            case "++":
                return self.concatenation(node)
            case "<" | ">" | "<=" | ">=":
                return self._comparison(node)
            case _:
                builtin = OPERATOR_BUILTINS.get(node.operator)
                if builtin is not None and self.is_shadowed(builtin):
                    return self.strict(_as_call(builtin, node, node.left, node.right))
                return self.arithmetic(node)

    @final
    def _comparison(self, node: Binary) -> Code:
        """`a > b` is `b < a`, and `a <= b` is `!(b < a)`, in that order of computing."""
        swapped = node.operator in (">", "<=")
        negated = node.operator in ("<=", ">=")
        left, right = (node.right, node.left) if swapped else (node.left, node.right)
        if self.is_shadowed("__lessThan"):
            call = _as_call("__lessThan", node, left, right)
            return self.negation(Not(call, span=node.span)) if negated else self.strict(call)
        return self.comparison(node, left, right, negated)

    @final
    def _negate(self, node: Negate) -> Code:
        if self.is_shadowed("__sub"):
            return self.strict(_as_call("__sub", node, IntLiteral(0, span=node.span), node.operand))
        return self.minus(node)

    # --- the algebra: values ---

    @abstractmethod
    def literal(self, node: IntLiteral | FloatLiteral | StringLiteral | PathLiteral) -> Code:
        """A literal."""

    @abstractmethod
    def word(self, name: str, span: Span) -> Code:
        """`true`, `false` or `null`."""

    @abstractmethod
    def joined(self, parts: list[Code], node: Interpolation | PathInterpolation) -> Code:
        """A string or path made of parts that are fit for it."""

    @abstractmethod
    def position(self, node: CurrentPosition) -> Code:
        """`__curPos`"""

    @abstractmethod
    def bound(self, binding: Binding) -> Code:
        """The value of a variable that the program binds."""

    @abstractmethod
    def from_with(self, node: Variable, sets: list[str]) -> Code:
        """A variable that a `with` may have."""

    @abstractmethod
    def builtin(self, name: str) -> Code:
        """A builtin, by a variable of its own."""

    @abstractmethod
    def builtin_selected(self, name: str, span: Span) -> Code:
        """`builtins.NAME`"""

    @abstractmethod
    def builtin_slot(self, name: str) -> str:
        """A slot with a builtin in it."""

    @abstractmethod
    def set_value(self, raw: str, node: AttrSet) -> Code:
        """A set, given code for the `Attrs`."""

    @abstractmethod
    def dynamic_set(self, raw: str, parts: list[tuple[str, str, DynamicAttribute]], node: AttrSet) -> Code:
        """A set with attributes whose names are computed: code for each name and slot."""

    @abstractmethod
    def overriding(self, own: str, span: Span) -> str:
        """The value of `__overrides`, which must be a set."""

    @abstractmethod
    def overridden(self, own: str, overrides: str, attribute: Attribute) -> str:
        """The slot of an attribute of a recursive set, or what `__overrides` has in its place."""

    @abstractmethod
    def value_of(self, code: str) -> str:
        """The bare value, given the code of one."""

    @abstractmethod
    def list_value(self, raw: str, node: ListLiteral) -> Code:
        """A list, given code for the Python list."""

    @abstractmethod
    def function_value(self, raw: str, node: Lambda | PatternLambda) -> Code:
        """A function, given code for the Python function."""

    @abstractmethod
    def foreseen(self, value: Expr) -> str:
        """The type of a bound value that is no function, if the value will be at hand as soon as it is bound."""

    # --- the algebra: slots ---

    @abstractmethod
    def transferred(self, code: str, transfer: TransferSite | None) -> str:
        """A slot that is passed on at a transfer site."""

    @abstractmethod
    def thunk_object(self, function: str, given: str, transfer: TransferSite | None) -> str:
        """A thunk, given code for a Python function and for what it is called with, which may be `None`."""

    @abstractmethod
    def ready_arithmetic(self, node: Binary | Negate, transfer: TransferSite | None) -> str | None:
        """A slot with integer arithmetic that is computed now if its operands are ready; nothing if it is too hard."""

    @abstractmethod
    def ready_selection(self, node: Select, binding: Binding) -> str | None:
        """A slot with an attribute of a variable in it, taken now if it is at hand; nothing if that is no gain."""

    # --- the algebra: selection and functions ---

    @abstractmethod
    def selected(self, subject: Code, step: PathStep, span: Span) -> Code:
        """`subject.step`"""

    @abstractmethod
    def selected_path(self, node: Select) -> Code:
        """`subject.a.b`, without a default."""

    @abstractmethod
    def step_name(self, step: Expr) -> str:
        """The name that a computed step gives."""

    @abstractmethod
    def selected_or(self, subject: Code, node: Select) -> Code:
        """`subject.a.b or default`"""

    @abstractmethod
    def has(self, subject: Code, node: HasAttr) -> Code:
        """`subject ? a.b`"""

    @abstractmethod
    def opened(self, node: PatternLambda, given: str, table: str, information: str) -> str:
        """An assignment that matches what was given with a pattern, sets `table`, and binds the name after `@`."""

    @abstractmethod
    def formal_slot(self, formal: Formal, given: str, table: str) -> str:
        """The slot of a formal argument."""

    @abstractmethod
    def applied(self, function: Code, slots: list[str], span: Span) -> Code:
        """A value called with the arguments in these slots, one by one; perhaps with none."""

    @abstractmethod
    def watched(self, node: Expr, code: str) -> str:
        """Code for the body of a function, perhaps one whose calls are of interest."""

    @abstractmethod
    def builtin_call(self, name: str, arguments: tuple[Expr, ...], span: Span) -> Code:
        """A builtin called with all its arguments."""

    # --- the algebra: control and operators ---

    @abstractmethod
    def fit(self, code: Code, check: str, span: Span) -> tuple[Code, str]:
        """A value that must pass a check of `operators` or `runtime` before what follows is computed, and a name."""

    @abstractmethod
    def under(self, code: str, checked: list[str]) -> str:
        """Code that runs after the values of these names (given by `fit`) were checked."""

    @abstractmethod
    def conditional(self, node: If) -> Code:
        """`if`"""

    @abstractmethod
    def assertion(self, node: Assert) -> Code:
        """`assert`"""

    @abstractmethod
    def logical(self, node: Binary) -> Code:
        """`&&`, `||`, `->`"""

    @abstractmethod
    def negation(self, node: Not) -> Code:
        """`!a`"""

    @abstractmethod
    def equality(self, node: Binary) -> Code:
        """`==`, `!=`"""

    @abstractmethod
    def comparison(self, node: Binary, left: Expr, right: Expr, negated: bool) -> Code:
        """An order, as `left < right`, perhaps negated."""

    @abstractmethod
    def arithmetic(self, node: Binary) -> Code:
        """`+`, `-`, `*`, `/`"""

    @abstractmethod
    def minus(self, node: Negate) -> Code:
        """`-a`"""

    @abstractmethod
    def update(self, node: Binary) -> Code:
        """`a // b`"""

    @abstractmethod
    def concatenation(self, node: Binary) -> Code:
        """`a ++ b`"""


OPERATOR_BUILTINS = {"-": "__sub", "*": "__mul", "/": "__div"}
"""The builtins that operators are, and that a program may bind anew."""


def _as_call(name: str, node: Expr, *operands: Expr) -> Call:
    """An operator whose builtin the program has bound anew."""
    return Call(Variable(name, span=node.span), operands, span=node.span)


def _called(function: Expr) -> str | None:
    """The last name of a function that is called by its name."""
    if isinstance(function, Variable):
        return function.name
    if isinstance(function, Select) and function.default is None and isinstance(function.steps[-1], str):
        return function.steps[-1]
    return None


def _transfer_site(attribute: Attribute, words: str) -> TransferSite:
    if attribute.inherited:
        return ("inherit", attribute.name, attribute.span)
    if attribute.selected and isinstance(attribute.value, Select):
        return ("inherit from", attribute, attribute.span)
    return (words, attribute.name, attribute.span)


def _spine(tree: Expr) -> Iterator[Expr]:
    """The functions that a file is, before anything else: `{ lib, ... }: let ... in self: super: ...`."""
    while True:
        if isinstance(tree, Lambda | PatternLambda):
            yield tree
        elif not isinstance(tree, Let | With | Assert):
            return
        tree = tree.body


def literal_text(node: Interpolation) -> str | None:
    """The text of a string that was only cut into pieces by its escapes; nothing if something is interpolated."""
    texts = [part.value for part in node.parts if isinstance(part, StringLiteral) and not _is_interpolated(part)]
    if len(texts) == len(node.parts):
        return "".join(texts)
    return None


def _is_interpolated(part: Expr) -> bool:
    """Whether a piece of a string stands in `${...}`."""
    text, at = part.span.file.text, part.span.start
    while at and text[at - 1].isspace():
        at -= 1
    return text.endswith("${", 0, at)


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
