"""How Ruby's values were made: texts and numbers by calls, containers out of other containers.

Values stay plain, and what is moved (by `each`, `map`, `sort`, `merge`, `[]`, `dig`, ...) stays the very object that it
was; so whoever knows where an object came from knows it wherever Ruby has put it. What is left to know is how *new*
objects were made. A program that is compiled by `RecordingCompiler` notes that in the interpreter's `Makings`:

* a text or number that one of Ruby's own methods gave, or an interpolation: the call, its receiver and arguments;
* the texts that a text was taken apart into (`split`, `scan`): the list they stood in first;
* an array or hash that one of Ruby's own methods made of another's elements: that one. Small numbers, booleans and
  single letters exist once, wherever they stand: which of them was moved is told by the containers alone.

Notes are taken by identity and read only if somebody asks, when the function or template has ended. Literals of the
source are known by identity too (`Interpreter.literals`). What is not noted was made in ways not followed: nothing is
said about it here, and the host says that it depends on everything that was read.
"""

from __future__ import annotations

from typing import Any

import wherefrom.ruby.nodes as n

from ..base.keys import Symbol
from ..base.source import Span
from ..provenance.origins import Origin, Step
from .classes import OBJECT
from .compiler import Compiler
from .facts import MAKES_NOTHING, MAKES_TEXT, OTHER_ELEMENTS
from .frames import Frame
from .operations import JOINED, MethodCall, NamedConstant, Written
from .procs import Runner
from .showing import to_s
from .values import Hash, Method, Module, Range, Regexp, Text, Value

LARGEST = 20_000
"""How many notes are taken of one activity; what is made after that is not known."""

_GIVERS = frozenset((str, Text, int, float, Symbol, Regexp, Range))
"""Receivers whose methods make what they give."""
_LISTS = frozenset((list, dict, Hash))
_NEW = frozenset((str, Text, list, dict, int, float))


class Site:
    """A call in a program as far as it is known before it runs: what it does, and which operands are literals."""

    __slots__ = ("constants", "op", "span")

    def __init__(self, op: Any, constants: tuple[Origin | None, ...], span: Span) -> None:
        self.op = op
        self.constants = constants
        self.span = span


class Makings:
    """The notes of one activity, by the identity of what was made; whatever is noted is kept alive."""

    __slots__ = ("apart", "moved", "results")

    def __init__(self) -> None:
        self.results: dict[int, tuple[Value, Site, tuple[Value, ...]]] = {}
        """Texts, numbers and lists that a call made: the call and its operands."""
        self.apart: dict[int, tuple[Value, int, Value]] = {}
        """Texts that another was taken apart into: where they stood in the list that `results` knows."""
        self.moved: dict[int, tuple[Value, tuple[Value, ...]]] = {}
        """Containers with the containers that their elements come from."""

    def text(self, text: str, site: Site, operands: tuple[Value, ...]) -> None:
        """A text was made."""
        if len(text) > 1 and len(self.results) < LARGEST:
            self.results[id(text)] = text, site, operands

    def result(self, site: Site, receiver: Value, arguments: list[Value], result: Value) -> None:
        """One of Ruby's own methods has given a result of a kind that may be new."""
        kind, giver = type(result), type(receiver)
        if giver in _LISTS:
            if kind is list or kind is dict:
                if result is not receiver and site.op.name not in OTHER_ELEMENTS and len(self.moved) < LARGEST:
                    self.moved[id(result)] = result, (receiver, *arguments)
                return
            if site.op.name not in MAKES_TEXT:
                return
            receiver = _as_it_is(receiver)
        elif giver not in _GIVERS and not isinstance(receiver, Module):
            return
        if kind is Text:
            result = result.value
            kind = str
        operands = tuple([value.value if type(value) is Text else value for value in (receiver, *arguments)])
        if any(result is operand for operand in operands) or len(self.results) >= LARGEST:
            return
        if kind is str:
            if len(result) > 1 and id(result) not in self.results:
                self.results[id(result)] = result, site, operands
        elif kind is list:
            self.results[id(result)] = result, site, operands
            for index, item in enumerate(result[:256]):
                if type(item) is str and len(item) > 1:
                    self.apart[id(item)] = item, index, result
        elif kind is float or (kind is int and not -6 < result < 257):
            self.results[id(result)] = result, site, operands

    def change(self, site: Site, before: str, arguments: list[Value], box: Text) -> None:
        """A text was changed in place: what is in the box now was made of what was in it before."""
        self.text(box.value, site, (before, *[value.value if type(value) is Text else value for value in arguments]))


_CHANGES = {"<<": "+", "concat": "+"}
"""Methods that change a text, with those that give the changed text; `upcase!` and its like have theirs by name."""


def _as_it_is(container: Value) -> Value:
    """The elements of a container, which may be changed later, and so may its texts."""
    if type(container) is list:
        return [item.value if type(item) is Text else item for item in container]
    return {key: item.value if type(item) is Text else item for key, item in container.items()}


def constant(node: n.Node | str | None, span: Span) -> Origin | None:
    """The origin of an operand that is written out."""
    if isinstance(node, str):
        return Step(Written(node), (), span)
    if isinstance(node, (n.Str, n.Constant)):
        return Step(Written(node.value), (), node.span)
    if isinstance(node, n.Regex):
        return Step(Written((node.source, node.options)), (), node.span)
    if isinstance(node, n.ConstantName) and isinstance(node.scope, n.ConstantName | None):
        return Step(NamedConstant(node.span.text.removeprefix("::")), (), node.span)
    return None


_SCOPES = ("scope", "closure_scope")


def _is_read(node: n.Node) -> bool:
    """Whether code reads a variable of the host, or a part of one, and nobody else gets what it read."""
    match node:
        case n.InstanceVariable():
            return True
        case n.Index():
            return len(node.arguments) == 1 and (_is_read(node.object) or _is_scope(node.object))
        case n.Call():
            return node.name == "lookupvar" and node.receiver is not None and _is_scope(node.receiver)
    return False


def _is_scope(node: n.Node) -> bool:
    return isinstance(node, n.Call) and node.receiver is None and not node.arguments and node.name in _SCOPES


class RecordingCompiler(Compiler):
    """One file's compiler; the program notes how values are made."""

    def __init__(self, root: n.Root) -> None:
        super().__init__(root)
        self.literals: dict[int, tuple[str, Origin]] = {}

    def _literal(self, node: n.Node) -> None:
        if isinstance(node, n.Str) and len(node.value) > 1:
            self.literals[id(node.value)] = node.value, Step(Written(node.value), (), node.span)

    def bare(self, node: n.Node) -> Runner:
        self._literal(node)
        return super().bare(node)

    def on_Str(self, node: n.Str) -> Runner:
        self._literal(node)
        return super().on_Str(node)

    def _interpolate(self, node: n.Interpolated) -> Runner:
        if node.kind == "regexp":
            return super()._interpolate(node)
        runs = [(lambda frame, text=part: text) if isinstance(part, str) else self.compile(part) for part in node.parts]
        site = Site(JOINED, tuple(constant(part, node.span) for part in node.parts), node.span)

        def interpolate(frame: Frame) -> str:
            interpreter = frame[0]
            values = [run(frame) for run in runs]
            texts = [value if type(value) is str else to_s(interpreter, value) for value in values]
            text = "".join(texts)
            if len(text) > 64:
                interpreter.make_text(len(text))
            interpreter.makings.text(
                text,
                site,
                tuple([word if type(value) is Text else value for value, word in zip(values, texts, strict=True)]),
            )
            return text

        return interpolate

    def on_Index(self, node: n.Index) -> Runner:
        plain = super().on_Index(node)
        if len(node.arguments) != 1 or not isinstance(node.arguments[0], n.Str) or not _is_read(node.object):
            return plain
        key = node.arguments[0].value

        def index(frame: Frame) -> Value:
            world = frame[0].world
            before = world.reads()
            value = plain(frame)
            world.picked(before, key, value)
            return value

        return index

    def on_OperatorAssign(self, node: n.OperatorAssign) -> Runner:
        simple = isinstance(node.target, (n.Local, n.InstanceVariable))
        if not simple or node.operator in ("||", "&&"):
            return super().on_OperatorAssign(node)
        call = n.Call(node.target, node.operator, (node.value,), span=node.span)
        return self.on_Assign(n.Assign(node.target, call, span=node.span))

    def on_Call(self, node: n.Call) -> Runner:
        if node.receiver is None and node.name in ("format", "sprintf"):
            return self._noted(node)
        return super().on_Call(node)

    def _call_of(self, node: n.Call) -> Runner:
        quiet = node.name in MAKES_NOTHING or node.name.endswith("?")
        return super()._call_of(node) if quiet else self._noted(node)

    def _noted(self, node: n.Call) -> Runner:
        """A call whose result, if one of Ruby's own methods gives it, is noted."""
        name, span, is_own = node.name, node.span, node.receiver is None
        first = Step(NamedConstant("Kernel"), (), span) if is_own else constant(node.receiver, span)
        constants = (first, *[constant(argument, span) for argument in node.arguments])
        changed = _CHANGES.get(name) or (name[:-1] if name.endswith("!") else None)
        site = Site(MethodCall(changed or name), constants, span)

        def note(
            interpreter: Any,
            method: Method,
            given: Value,
            before: str | None,
            values: list[Value],
            proc: Any,
            result: Value,
        ) -> None:
            if type(result) not in _NEW or method.parameters is not None:
                return
            if before is not None and changed is not None and before is not given.value:
                if proc is None:
                    interpreter.makings.change(site, before, values, given)
            elif proc is None or type(given) in _LISTS:
                interpreter.makings.result(site, OBJECT if is_own else given, values, result)

        return self._call_general(node, note)
