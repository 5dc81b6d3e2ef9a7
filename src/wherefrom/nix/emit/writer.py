"""Writing Python text: names, frames, scopes, constants and units.

A Nix file becomes a few Python lambdas. Nix functions and thunks become lambdas, Nix variables become Python variables
of the lambda that binds them, so Python's own closures do the lexical addressing. Everything is an expression: a `let`
is `(body if (x := ...) is not Z and (y := ...) is not Z else 0)`. Python runs each expression of a lambda at most once
per call, so every variable is assigned once.

The text never contains anything of the Nix source but numbers, `repr` of strings and identifiers made of letters,
digits and a counter; everything else (spans, positions, paths) is a constant (`program`). Each lambda begins a line
whose predecessor ends in `#NUMBER`: that is how a code object is traced back to its place in the Nix file.

Compiling Python text costs more than anything else that happens to a file, and most functions of a library are not
called. So the body of a function or thunk that is longer than `LAZY` characters is *outlined*: it becomes a unit of its
own that is compiled when it is first called.

Making a Python function costs as much as calling one. So the lambda of a thunk is made once for all such thunks where
that is possible (a *body*): it is a global function, `b` and the number of its site, and a thunk holds it together with
the variables it needs, `D(b7, x)` for one and `D(b7, (x, y))` for several. It is not possible where one of them has no
value yet (`let` and `rec`), or may get another (`__overrides`): then the thunk has a closure of its own.

Code that runs once per file (a module's options and definitions, a library's list of functions) is written short; only
what stands in functions of a file is worth the longer code that runs faster.

Python's parser limits how deeply brackets nest, so an expression nested more than `MAX_NESTING` levels is *lifted*: it
becomes a unit of its own, whose parameters are its free variables.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..kernel.names import is_global
from ..syntax.tree import AttrSet, Expr, Lambda, ListLiteral, PatternLambda, Select, Variable
from .program import Program, Recipe, SiteRecipe, Unit, body_name, constant_name

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span
    from ..kernel.world import Machine

MAX_NESTING = 16

LAZY = 300

LAZY_ONCE = 150
"""The same for code that runs once, where another call does not count."""

LAZY_BODY = 150
"""The same for a function that thunks share: whether it is a unit of its own makes no difference to a call of it."""

LOOP = 2_400
"""The same for a function that calls itself: it is likely to be called often, and another call inside each counts."""

MAX_HELD_ONCE = 3
"""How many variables a thunk of long code that runs once holds beside its function: with more of them a closure takes
less code, and with short code from the second variable on."""

_ODD = re.compile(r"[^a-zA-Z0-9_]")


class Binding:
    """A Nix variable at compile time: the Python variable that holds it, and what is known of its value."""

    __slots__ = ("alias", "arity", "frame", "kind", "python", "ready", "twin")

    def __init__(self, python: str, frame: Frame, kind: str = "", ready: bool = True) -> None:
        self.python = python
        self.frame = frame
        self.kind = kind
        """The type of the value if it is known never to be a thunk: `function`, `int`, `attrs`, ...; else empty."""
        self.ready = ready
        """False while a `let` is being set up and the variable has no value yet."""
        self.twin: str | None = None
        self.alias: str | None = None
        """The builtin that the variable is another name of (`inherit (builtins) length`)."""
        self.arity = 1
        """`twin` is a Python function that may be called with `arity` arguments at once, for `x: y: ...`."""


class Scope:
    """One construct that binds names, or one `with` (then `with_python` holds the set)."""

    __slots__ = ("bound", "parent", "with_python")

    def __init__(self, parent: Scope | None, with_python: str | None = None) -> None:
        self.parent = parent
        self.bound: dict[str, Binding] = {}
        self.with_python = with_python


class Frame:
    """One Python function being written: the variables it uses, and those it binds itself.

    `hot` if it may run often: it belongs to a function of the file that is not the file itself.
    """

    __slots__ = ("bodies", "hot", "length", "own", "parent", "used", "waiting")

    def __init__(self, parent: Frame | None) -> None:
        self.parent = parent
        self.bodies: list[str] = []
        """Lambdas that stand beside the function, since its thunks share them."""
        self.length = 0
        """Characters of those."""
        self.waiting = 0
        """How many variables have no value yet."""
        self.hot: bool = parent is not None and parent.hot
        self.used: set[str] = set()
        self.own: set[str] = set()


class Writer:
    """State of one compilation."""

    def __init__(self, machine: Machine, source: SourceFile) -> None:
        self.machine = machine
        self.source = source
        self.constants: dict[str, Recipe] = {}
        self.constant_names: dict[Recipe, str] = {}
        self.units: dict[str, str] = {}
        self.sites: list[SiteRecipe] = []
        self.body_names: list[str] = []
        self.unset: dict[str, Frame | None] = {}
        """Python variables that have no value yet in the frame that sets them up; nothing is the frame of those that
        may change at any time."""
        self.changing = 0
        """How many of those there are."""
        self.frame = Frame(None)
        self.scope = Scope(None)
        self.known: set[str] = set()
        self.counter = 0
        self.depth = 0
        self.label = ""
        self.shadowable = "__" in source.text

    # --- names ---

    def fresh(self, name: str = "t") -> str:
        """A new Python variable of the current frame."""
        self.counter += 1
        if not name.isidentifier() or not name.isascii():
            name = f"n{_ODD.sub('_', name)}"
        python = f"{name}_{self.counter}"
        self.frame.own.add(python)
        return python

    def constant(self, *recipe: object) -> str:
        """The name of a constant, given its recipe."""
        name = self.constant_names.get(recipe)
        if name is None:
            name = self.constant_names[recipe] = constant_name(len(self.constant_names))
            self.constants[name] = recipe
        return name

    def span(self, span: Span) -> str:
        """A constant for a place."""
        return self.constant("span", span.start, span.end)

    def await_value(self, python: str, changing: bool = False) -> None:
        """Note that a variable of the current frame has no value yet, or one that may change."""
        self.unset[python] = None if changing else self.frame
        if changing:
            self.changing += 1
        else:
            self.frame.waiting += 1

    def has_value(self, python: str) -> None:
        """Note that a variable of the current frame has its value."""
        if self.unset.get(python) is not None:
            del self.unset[python]
            self.frame.waiting -= 1

    def use(self, python: str) -> str:
        """Note that the current frame uses a Python variable."""
        self.frame.used.add(python)
        return python

    def lookup(self, name: str) -> tuple[Binding | None, list[str]]:
        """The binding of a Nix variable, or nothing, and then the `with` sets to ask, innermost first."""
        withs: list[str] = []
        scope: Scope | None = self.scope
        while scope is not None:
            if scope.with_python is not None:
                withs.append(scope.with_python)
            elif (binding := scope.bound.get(name)) is not None:
                return binding, []
            scope = scope.parent
        return None, withs

    def is_shadowed(self, name: str) -> bool:
        """Whether the program binds one of the names that operators stand for (`__sub`, `__lessThan`, ...)."""
        return self.shadowable and self.lookup(name)[0] is not None

    def builtin_name(self, node: Expr) -> str | None:
        """The builtin that an expression plainly is: `map`, `__add`, `builtins.length`; else nothing."""
        if isinstance(node, Variable):
            binding, _ = self.lookup(node.name)
            if binding is not None:
                return binding.alias
            if is_global(node.name, self.machine.dialect):
                return node.name.removeprefix("__")
        elif isinstance(node, Select) and len(node.steps) == 1 and node.default is None:
            subject, step = node.subject, node.steps[0]
            if isinstance(subject, Variable) and subject.name == "builtins" and isinstance(step, str):
                if self.lookup("builtins")[0] is None and step in self.machine.builtins.table:
                    return step
        return None

    # --- functions ---

    def enter(self) -> tuple[Frame, set[str], int]:
        """Begin a Python function inside the current one."""
        saved = (self.frame, self.known, self.depth)
        self.frame = Frame(self.frame)
        self.known = set(self.known)
        return saved

    def leave(self, saved: tuple[Frame, set[str], int]) -> set[str]:
        """End it; returns its free variables."""
        inner = self.frame
        free = inner.used - inner.own
        self.frame, self.known, self.depth = saved
        self.frame.used |= free
        if inner.bodies:
            self.frame.bodies += inner.bodies
            self.frame.length += inner.length
        return free

    def site(self, *recipe: object) -> int:
        """The number that marks a lambda's line."""
        self.sites.append(recipe)
        return len(self.sites) - 1

    def function_site(self, node: Lambda | PatternLambda) -> SiteRecipe:
        """The site of a function: what the program may ask of it."""
        span = node.span
        if isinstance(node, Lambda):
            return (span.start, span.end, self.label, node.argument, None, False)
        formals = tuple(
            [(formal.name, formal.span.start, formal.span.end, formal.default is not None) for formal in node.formals]
        )
        return (span.start, span.end, self.label, node.name, formals, node.ellipsis)

    def outlined(self, body: str, *arguments: str, limit: int) -> str:
        """The body of the current frame's function, or, if it is long, a call of a function that is compiled later."""
        if not self.is_long(body, limit):
            return body
        return self.unit(body, {*(self.frame.used - self.frame.own), *arguments})

    def is_long(self, body: str, limit: int) -> bool:
        """Whether code of the current frame is better compiled when it is first called."""
        length = len(body) + self.frame.length
        return length > (limit if self.frame.hot else min(limit, LAZY_ONCE))

    def unit(self, body: str, names: set[str]) -> str:
        """A call of a function of its own with this body of the current frame; `names` are the variables it needs."""
        parameters = ", ".join(sorted(names))
        return f"{self.unit_of(f'(lambda {parameters}: {body})')}({parameters})"

    def unit_of(self, function: str) -> str:
        """The name of a unit of its own for a function, with the bodies that stand beside it."""
        name = f"u{len(self.units) + 1}"
        self.units[name] = _together(function, self.frame.bodies)
        self.frame.bodies = []
        self.frame.length = 0
        self.constants[name] = ("unit", name)
        return name

    @property
    def is_set_up(self) -> bool:
        """Whether all variables of the current frame have their values, so that functions of its thunks stand apart."""
        return self.frame.hot and not self.frame.waiting and not self.changing

    def delayed(self, body: str, site: int, saved: tuple[Frame, set[str], int], limit: int) -> tuple[str, str]:
        """End the function of a thunk: code for the function, and for what it is given."""
        frame, outside = self.frame, saved[0]
        held = sorted(frame.used - frame.own)
        most = MAX_HELD_ONCE if self.is_long(body, limit) else 1
        waits = self.unset and any(self.unset.get(name, frame) in (None, outside) for name in held)
        if waits or (len(held) > most and not frame.hot):
            body = self.outlined(body, limit=limit)
            self.leave(saved)
            return f"#{site}\nlambda: {body}", "None"
        parameters = given = held[0] if held else ""
        if len(held) > 1:
            parameters, given = "held", f"({', '.join(held)})"
            opened = [f"{name} := held[{index}]" for index, name in enumerate(held)]
            test = " and ".join([f"({name}) is not Z" for name in opened]) if frame.hot else f"({', '.join(opened)})"
            body = f"({body} if {test} else 0)"
        function = f"(#{site}\nlambda {parameters}: {body})"
        if self.is_long(function, min(limit, LAZY_BODY)):
            name = self.unit_of(function)
        else:
            name = body_name(site)
            frame.bodies.append(function)
            frame.length += len(function)
            self.body_names.append(name)
        self.leave(saved)
        return name, given or "None"

    # --- the finished program ---

    def program(self, body: str, parameters: list[str]) -> Program:
        """The program whose `u0` computes `body`."""
        units, tables = self.units, (self.constants, self.sites)
        units["u0"] = _together(f"(lambda {', '.join(parameters)}: {body})", self.frame.bodies)
        names = (*units, *self.body_names)
        return Program(names, len(units), lambda name: Unit(units[name]), lambda: tables, len(self.constant_names))


def _together(function: str, bodies: list[str]) -> str:
    """The text of a unit."""
    return f"({', '.join([function, *bodies])})" if bodies else function


def small(node: Expr, budget: int = 4) -> bool:
    """Whether a list or set literal is so small that making it costs no more than a thunk for it."""
    if isinstance(node, ListLiteral):
        return len(node.elements) <= budget and not any(isinstance(element, AttrSet) for element in node.elements)
    if isinstance(node, AttrSet):
        return not node.recursive and not node.dynamic and len(node.attributes) <= budget
    return False
