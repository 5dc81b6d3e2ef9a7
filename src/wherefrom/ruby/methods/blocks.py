"""Proc, Method and Enumerator."""

from __future__ import annotations

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
    method,
    methods,
    singleton,
)
from ..interpreter import Interpreter
from ..iteration import enumerated, iterate
from ..procs import BlockProc, BoundMethod
from ..showing import inspect
from ..values import Enumerator, HostObject, Method, NativeProc, Object, Proc, Value
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
    if self.method == "*values":
        for value in list(self.receiver):
            block.one(value)
        return self.receiver
    return i.send(self.receiver, self.method, self.arguments, block)


@method(ENUMERATOR, "each", 0, -1)
def each_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    return self if block is None else each(i, self, block)


@method(ENUMERATOR, "with_index each_with_index", 0, 1)
def with_index(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    start = a[0] if a and a[0] is not None else 0
    if block is None:
        return Enumerator([[value, start + at] for at, value in enumerate(enumerated(i, self))], "*values", [])
    counter = [start - 1]

    def run(arguments: list[Value]) -> Value:
        counter[0] += 1
        return block.two(arguments[0] if len(arguments) == 1 else arguments, counter[0])

    return each(i, self, NativeProc(run, is_lambda=False))


@method(ENUMERATOR, "map collect", 0)
def map_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    """A block of one parameter gets the first of the values that are given at once, as in Ruby 3.1."""
    if block is None:
        return Enumerator(self, "map", [])
    results: list[Value] = []

    def run(arguments: list[Value]) -> Value:
        results.append(block.call(arguments) if len(arguments) > 1 else block.one(arguments[0]))
        return results[-1]

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


@singleton(ENUMERATOR, "new", 0, 1)
def new_enumerator(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    """An enumerator whose values a block gives; they are taken at once, so they must come to an end."""
    values: list[Value] = []

    def give(inner: Interpreter, receiver: Value, arguments: Args, _block: object) -> Value:
        values.append(arguments[0] if len(arguments) == 1 else arguments)
        i.make_items(len(values) if len(values) % 1024 == 0 else 0)
        return receiver

    yielder = Object(OBJECT)
    yielder.own = {name: Method(name, give) for name in ("<<", "yield", "call")}
    block.one(yielder)
    return Enumerator(values, "*values", [])


methods(
    ENUMERATOR,
    0,
    0,
    {
        "size": lambda i, s, a, b: len(enumerated(i, s)),
        "inspect": lambda i, s, a, b: f"#<Enumerator: {_shown(i, s)}>",
    },
)


def _shown(i: Interpreter, value: Enumerator) -> str:
    if value.method == "*values":
        return f"{inspect(i, value.receiver)}:each"
    arguments = ", ".join(inspect(i, argument) for argument in value.arguments)
    return f"{inspect(i, value.receiver)}:{value.method}{f'({arguments})' if arguments else ''}"


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
