"""From trees to Python text: what both code generators (`emit_plain`, `emit_traced`) share.

A Nix file becomes one Python module text of a few assignments `u0 = (lambda: ...)`. Nix functions and thunks become
Python lambdas, Nix variables become Python variables of the lambda that binds them, so Python's own closures do the
lexical addressing. Everything is an expression: a `let` is `(body if (x := ...) is not Z and (y := ...) is not Z
else 0)`. Python runs each expression of a lambda at most once per call, so every variable is assigned once.

The text never contains anything of the Nix source but numbers, `repr` of strings and identifiers made of letters,
digits and a counter; everything else (spans, positions, paths) is a constant in the module's name space. Each lambda
begins a line whose predecessor ends in `#NUMBER`: that is how a code object is traced back to its place in the Nix
file.

Compiling Python text costs more than anything else that happens to a file, and most functions of a library are not
called. So the body of a function or thunk that is longer than `LAZY` characters is *outlined*: it becomes a function of
its own that is compiled when it is first called.

Python's parser limits how deeply brackets nest, so an expression nested more than `MAX_NESTING` levels is *lifted*: it
becomes a function of its own at the top of the module, whose parameters are its free variables.
"""

from __future__ import annotations

import re
from types import CodeType
from typing import TYPE_CHECKING, Any

from ..kernel.names import is_global
from ..kernel.values import FUNCTIONS, FunctionInfo
from ..syntax.tree import AttrSet, Expr, Lambda, ListLiteral, Node, PatternLambda, Select, Variable

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span
    from ..kernel.world import Machine

MAX_NESTING = 16

LAZY = 1000

GENERATED = "<nix "
"""How the file name of generated code begins."""

NOTED = "_"
"""The last character of a Python variable that holds something the code has looked at: see `caught`."""

_ODD = re.compile(r"[^a-zA-Z0-9_]")


class Binding:
    """A Nix variable at compile time: the Python variable that holds it, and what is known of its value."""

    __slots__ = ("arity", "frame", "kind", "node", "python", "ready", "twin")

    def __init__(self, python: str, frame: Frame, kind: str = "", ready: bool = True) -> None:
        self.python = python
        self.frame = frame
        self.kind = kind
        """The type of the value if it is known never to be a thunk: `function`, `int`, `attrs`, ...; else empty."""
        self.ready = ready
        """False while a `let` is being set up and the variable has no value yet."""
        self.twin: str | None = None
        self.arity = 1
        """`twin` is a Python function that takes `arity` arguments at once, for `x: y: ...`."""
        self.node: Expr | None = None


class Scope:
    """One construct that binds names, or one `with` (then `with_python` holds the set)."""

    __slots__ = ("bound", "parent", "with_python")

    def __init__(self, parent: Scope | None, with_python: str | None = None) -> None:
        self.parent = parent
        self.bound: dict[str, Binding] = {}
        self.with_python = with_python


class Frame:
    """One Python function being written: the variables it uses, and those it binds itself."""

    __slots__ = ("own", "parent", "used")

    def __init__(self, parent: Frame | None) -> None:
        self.parent = parent
        self.used: set[str] = set()
        self.own: set[str] = set()


class Site:
    """The place in Nix of one lambda of the generated text."""

    __slots__ = ("info", "label", "span")

    def __init__(self, span: Span, label: str, info: FunctionInfo | None = None) -> None:
        self.span = span
        self.label = label
        self.info = info


SITES: dict[int, Site] = {}
"""Where generated code comes from, by the identity of its code object (which `KEEP` keeps alive)."""

KEEP: list[CodeType] = []


class Emitter:
    """State of one compilation; subclasses say what each form of the tree becomes."""

    def __init__(self, machine: Machine, source: SourceFile) -> None:
        self.machine = machine
        self.source = source
        self.constants: dict[str, Any] = {}
        self.constant_names: dict[int, str] = {}
        self.units: dict[str, str] = {}
        self.sites: list[Site] = []
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
        made = f"{_ODD.sub('_', name)}_{self.counter}"
        if made[0].isdigit():
            made = f"n{made}"
        self.frame.own.add(made)
        return made

    def constant(self, value: object, prefix: str = "c") -> str:
        """The name of a module constant that holds `value`."""
        name = self.constant_names.get(id(value))
        if name is None:
            name = f"{prefix}{len(self.constants)}"
            self.constants[name] = value
            self.constant_names[id(value)] = name
        return name

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
            elif (found := scope.bound.get(name)) is not None:
                return found, []
            scope = scope.parent
        return None, withs

    def is_shadowed(self, name: str) -> bool:
        """Whether the program binds one of the names that operators stand for (`__sub`, `__lessThan`, ...)."""
        return self.shadowable and self.lookup(name)[0] is not None

    def builtin_name(self, node: Expr) -> str | None:
        """The builtin that an expression plainly is: `map`, `__add`, `builtins.length`; else nothing."""
        if isinstance(node, Variable):
            if is_global(node.name) and self.lookup(node.name)[0] is None:
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
        free = self.frame.used - self.frame.own
        self.frame, self.known, self.depth = saved
        self.frame.used |= free
        return free

    def site(self, span: Span, label: str, info: FunctionInfo | None = None) -> int:
        """The number that marks a lambda's line."""
        self.sites.append(Site(span, label, info))
        return len(self.sites) - 1

    def information(self, node: Lambda | PatternLambda) -> FunctionInfo:
        """What the program may ask of a function."""
        name = self.label or None
        if isinstance(node, Lambda):
            return FunctionInfo(node.span, node.argument, None, False, name)
        formals = {each.name: (each.span, each.default is not None) for each in node.formals}
        return FunctionInfo(node.span, node.name, formals, node.ellipsis, name)

    def outlined(self, body: str, *arguments: str) -> str:
        """The body of the current frame's function, or, if it is long, a call of a function that is compiled later."""
        if len(body) <= LAZY:
            return body
        return self.unit(body, {*(self.frame.used - self.frame.own), *arguments})

    def unit(self, body: str, names: set[str]) -> str:
        """A call of a function of its own with this body; `names` are the variables it needs."""
        name = f"u{len(self.units) + 1}"
        parameters = ", ".join(sorted(names))
        self.units[name] = f"{name} = (lambda {parameters}: {body})\n"
        return f"{name}({parameters})"

    # --- the finished module ---

    def module(self, body: str, parameters: str = "") -> Any:
        """Compile the text; returns the function `u0`, ready to run."""
        namespace: dict[str, Any] = {**self.machine.runtime(), **self.constants}
        now = []
        for name, text in self.units.items():
            if len(text) > LAZY:
                namespace[name] = _compiled_later(self.source.name, name, text, self.sites, namespace)
            else:
                now.append(text)
        _run_module(self.source.name, "".join([*now, f"u0 = (lambda {parameters}: {body})\n"]), self.sites, namespace)
        return namespace["u0"]


def _run_module(file: str, text: str, sites: list[Site], namespace: dict[str, Any]) -> None:
    """Compile and run text that assigns functions."""
    code = compile(text, f"{GENERATED}{file}>", "exec", dont_inherit=True, optimize=0)
    _register(text, code, sites)
    exec(code, namespace)  # noqa: S102 - text made by the emitter, see the module's text


def _compiled_later(file: str, name: str, text: str, sites: list[Site], namespace: dict[str, Any]) -> Any:
    """A stand-in for the function `name` that puts the real one in its place when it is first called."""

    def stand_in(*arguments: Any) -> Any:
        _run_module(file, text, sites, namespace)
        return namespace[name](*arguments)

    return stand_in


def _register(text: str, code: CodeType, sites: list[Site]) -> None:
    """Remember which code object belongs to which place."""
    by_line: dict[int, Site] = {}
    for number, line in enumerate(text.split("\n"), 1):
        _, mark, site = line.rpartition("#")
        if mark and site.isdigit():
            by_line[number + 1] = sites[int(site)]
    KEEP.append(code)
    stack = [code]
    while stack:
        here = stack.pop()
        for each in here.co_consts:
            if isinstance(each, CodeType):
                stack.append(each)
                found = by_line.get(each.co_firstlineno)
                if found is not None and id(each) not in SITES:
                    SITES[id(each)] = found
                    if found.info is not None:
                        FUNCTIONS[id(each)] = found.info


def small(node: Expr, budget: int = 4) -> bool:
    """Whether a list or set literal is so small that making it costs no more than a thunk for it."""
    if isinstance(node, ListLiteral):
        return len(node.elements) <= budget and not any(isinstance(each, AttrSet) for each in node.elements)
    if isinstance(node, AttrSet):
        return not node.recursive and not node.dynamic and len(node.attributes) <= budget
    return False


def span_of(node: Node) -> Span:
    """A node's place."""
    return node.span
