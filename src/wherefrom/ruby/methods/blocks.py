"""Proc, Method and Enumerator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...base.keys import Symbol
from ..classes import (
    ENUMERABLE,
    ENUMERATOR,
    METHOD,
    OBJECT,
    PROC,
    PYTHON_CLASSES,
    core_class,
    error,
    integer_of,
    long_of,
    method,
    methods,
    singleton,
)
from ..interpreter import Interpreter
from ..iteration import enumerated, iterate
from ..procs import BlockProc, BoundMethod
from ..showing import inspect
from ..values import Enumerator, HostObject, Method, NativeProc, Object, Proc, Range, Value
from .objects import Args

PYTHON_CLASSES[BlockProc] = PROC
PYTHON_CLASSES[BoundMethod] = METHOD


@singleton(PROC, "new", 0)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if block is None:
        raise error("ArgumentError", "tried to create Proc object without a block")
    return block


def parameters_of(value: Proc) -> Value:
    """`proc.parameters`"""
    names: tuple[tuple[str, str], ...] = ()
    if isinstance(value, BlockProc):
        names = value.code.node.parameters.names
    elif isinstance(value, BoundMethod) and value.method.parameters is not None:
        names = value.method.parameters.names
    elif value.names_of_host:
        names = value.names_of_host
    loose = isinstance(value, BlockProc) and not value.is_lambda
    return [
        [Symbol("opt" if loose and kind == "req" else kind), *([Symbol(name)] if name else [])] for kind, name in names
    ]


def curry(value: Proc, count: int, given: list[Value]) -> Proc:
    """`proc.curry`"""

    def run(arguments: list[Value]) -> Value:
        now = [*given, *arguments]
        return value.call(now) if len(now) >= count else curry(value, count, now)

    return NativeProc(run)


def compose(i: Interpreter, first: Value, second: Value) -> Proc:
    """The proc that calls `first`, then `second` with the result."""

    def run(arguments: list[Value]) -> Value:
        return i.send(second, "call", [i.send(first, "call", arguments)])

    return NativeProc(run)


for _class in (PROC, METHOD):
    methods(
        _class,
        0,
        -1,
        {
            "call () yield [] ===": lambda i, s, a, b: s.call(a, b),
            "curry": lambda i, s, a, b: curry(s, a[0] if a else abs(s.arity), []),
        },
    )
    methods(
        _class,
        0,
        0,
        {
            "to_proc": lambda i, s, a, b: s,
            "lambda?": lambda i, s, a, b: s.is_lambda,
            "arity": lambda i, s, a, b: s.arity,
            "parameters": lambda i, s, a, b: parameters_of(s),
            "inspect to_s": lambda i, s, a, b: "#<Proc>" if not s.is_lambda else "#<Proc (lambda)>",
        },
    )
    methods(
        _class,
        1,
        1,
        {
            ">>": lambda i, s, a, b: compose(i, s, a[0]),
            "<<": lambda i, s, a, b: compose(i, a[0], s),
        },
    )
methods(
    METHOD,
    0,
    0,
    {
        "name": lambda i, s, a, b: Symbol(s.method.name),
        "owner": lambda i, s, a, b: s.method.owner,
        "receiver": lambda i, s, a, b: s.receiver,
        "unbind": lambda i, s, a, b: s,
    },
)
methods(METHOD, 1, 1, {"bind": lambda i, s, a, b: BoundMethod(i, a[0], s.method)})

# --- Enumerator ------------------------------------------------------------------------------------------------------


def each(i: Interpreter, self: Enumerator, block: Proc) -> Value:
    """Run the iteration with a block."""
    return i.send(self.receiver, self.method, self.arguments, block)


@method(ENUMERATOR, "each", 0, -1)
def each_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if a:
        self = Enumerator(self.receiver, self.method, [*self.arguments, *a])
    if block is None:
        return self
    result = each(i, self, block)
    return self if self.method in ("step", "%") else result  # Ruby has a class of its own for steps


@method(ENUMERATOR, "with_index each_with_index", 0, 1)
def with_index(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    start = long_of(a[0]) if a and a[0] is not None else 0
    counter = [start - 1]

    def run(arguments: list[Value]) -> Value:
        counter[0] += 1
        return block.two(arguments[0] if len(arguments) == 1 else arguments, counter[0])

    return each(i, self, NativeProc(run, is_lambda=False))


@method(ENUMERATOR, "map collect", 0)
def map_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    """A block of one parameter gets the first of the values that are given at once, as in Ruby 3.1."""
    results: list[Value] = []

    def run(arguments: list[Value]) -> Value:
        results.append(block.one(arguments[0]) if len(arguments) == 1 else block.call(arguments))
        return None

    each(i, self, NativeProc(run, is_lambda=False))
    return results


@method(ENUMERATOR, "with_object each_with_object", 1)
def with_object(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    def run(arguments: list[Value]) -> Value:
        return block.two(arguments[0] if len(arguments) == 1 else arguments, a[0])

    each(i, self, NativeProc(run, is_lambda=False))
    return a[0]


@method(ENUMERATOR, "next", 0)
def next_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if self.values is None:
        self.values = enumerated(i, self)
    if self.position >= len(self.values):
        raise error("StopIteration", "iteration reached an end")
    self.position += 1
    return self.values[self.position - 1]


@method(ENUMERATOR, "peek", 0)
def peek(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if self.values is None:
        self.values = enumerated(i, self)
    if self.position >= len(self.values):
        raise error("StopIteration", "iteration reached an end")
    return self.values[self.position]


@method(ENUMERATOR, "rewind", 0)
def rewind(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    self.position = 0
    return self


class Giver(HostObject):
    """What gives an enumerator its values, one after the other; `run` is told who takes them."""

    __slots__ = ("run",)
    ruby_class = core_class("Enumerator::Generator", OBJECT, ENUMERABLE)

    def __init__(self, run: Callable[[Proc], Value]) -> None:
        self.run = run


_YIELDER = core_class("Enumerator::Yielder", OBJECT)
methods(Giver.ruby_class, 0, 0, {"each": lambda i, s, a, b: s.run(b)})


def given_each(self: Value, values: Iterable[Value], block: Proc) -> Value:
    """Give each of the values to the block."""
    for value in values:
        block.one(value)
    return self


def generated(rows: Callable[[], Iterable[Value]]) -> Enumerator:
    """An enumerator of rows that are made when they are asked for."""

    def run(taker: Proc) -> Value:
        return given_each(None, rows(), taker)

    return Enumerator(Giver(run), "each", [])


def size(i: Interpreter, self: Enumerator, a: Args, block: object) -> Value:
    """`enumerator.size`: of the receiver, or as many as the method gives; nothing where Ruby does not know."""
    if not self.is_sized:
        return None
    if self.method in _OWN_SIZE:
        return len(enumerated(i, self))
    return i.send(self.receiver, "size") if i.find(self.receiver, "size") is not None else None


_OWN_SIZE = frozenset(
    "each_slice each_cons combination permutation times upto downto step % each_char each_byte cycle".split()
)
"""Methods that give another number of values than their receiver has."""


@singleton(ENUMERATOR, "new", 0, 1)
def new_enumerator(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    """An enumerator whose values a block gives."""

    def run(taker: Proc) -> Value:
        def give(inner: Interpreter, receiver: Value, arguments: Args, _block: object) -> Value:
            return taker.call(arguments)

        def add(inner: Interpreter, receiver: Value, arguments: Args, _block: object) -> Value:
            taker.one(arguments[0])
            return receiver

        yielder = Object(_YIELDER)
        yielder.own = {"<<": Method("<<", add, 1, 1), "yield": Method("yield", give), "call": Method("call", give)}
        return block.one(yielder)

    if block is None:
        raise error("ArgumentError", "no block given")
    return Enumerator(Giver(run), "each", [])


methods(
    ENUMERATOR,
    0,
    0,
    {
        "size": size,
        "inspect": lambda i, s, a, b: _shown(i, s),
    },
)


def _shown(i: Interpreter, value: Enumerator) -> str:
    """`#<Enumerator: receiver:method(arguments)>`; steps of numbers are `(1.step(9, 4))`."""
    arguments = ", ".join(inspect(i, argument) for argument in value.arguments)
    last = value.arguments[-1] if value.arguments else None
    if isinstance(last, dict) and last and all(type(key) is Symbol for key in last):  # shown as keywords
        keywords = [f"{key.name}: {inspect(i, item)}" for key, item in last.items()]
        arguments = ", ".join([*(inspect(i, argument) for argument in value.arguments[:-1]), *keywords])
    call = f"{value.method}({arguments})" if arguments else value.method
    receiver = inspect(i, value.receiver)
    if value.method in ("step", "%"):
        if type(value.receiver) is not Range:
            return f"({receiver}.{call})"
        if any(type(end) in (int, float) for end in (value.receiver.first, value.receiver.last)):
            return f"(({receiver}).{call})"
    return f"#<Enumerator: {receiver}:{call}>"


# --- Enumerator::Chain -----------------------------------------------------------------------------------------------


class Chain(HostObject):
    """Several things to go over, one after the other: `one.each + two`."""

    __slots__ = ("parts",)
    ruby_class = core_class("Enumerator::Chain", OBJECT, ENUMERABLE)

    def __init__(self, parts: list[Value]) -> None:
        self.parts = parts


@method(Chain.ruby_class, "each", 0)
def each_of_chain(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if block is None:
        return Enumerator(self, "each", [])
    for part in self.parts:
        for value in iterate(i, part):
            block.one(value)
    return self


methods(ENUMERATOR, 1, 1, {"+": lambda i, s, a, b: Chain([s, a[0]])})
methods(Chain.ruby_class, 1, 1, {"+": lambda i, s, a, b: Chain([s, a[0]])})
methods(
    Chain.ruby_class,
    0,
    0,
    {
        "size": lambda i, s, a, b: sum(integer_of(i.send(part, "size", [])) for part in s.parts),
        "inspect": lambda i, s, a, b: f"#<Enumerator::Chain: {inspect(i, s.parts)}>",
    },
)
