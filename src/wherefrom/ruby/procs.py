"""Blocks at run time, and how arguments meet parameters.

`Binder` puts a list of arguments into a frame by Ruby's rules: required, optional, rest, required again, keywords,
block. Methods and lambdas are strict about the number; blocks take an array apart and forgive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import wherefrom.ruby.nodes as n

from ..base.keys import Symbol
from .classes import argument_count, error
from .errors import BreakJump, NextJump, ReturnJump, RubyError
from .frames import ACTIVATION, Activation, Frame
from .values import Keywords, Method, Module, Proc, Value, value_of

if TYPE_CHECKING:
    from .interpreter import Interpreter

Runner = Callable[[Frame], Value]
Storer = Callable[[Frame, Value], None]
HEAD = 5


class Binder:
    """The parameters of a method or block, compiled."""

    __slots__ = (
        "block",
        "high",
        "keyword_names",
        "keyword_rest",
        "keywords",
        "low",
        "optional",
        "post",
        "required",
        "rest",
        "simple",
        "trailing_comma",
    )

    def __init__(
        self,
        parameters: n.Parameters,
        compile_node: Callable[[n.Node], Runner],
        compile_targets: Callable[[n.Targets], Storer],
    ) -> None:
        def slot_or_storer(entry: int | n.Targets) -> int | Storer:
            return entry if isinstance(entry, int) else compile_targets(entry)

        self.required = tuple(slot_or_storer(entry) for entry in parameters.required)
        self.optional = tuple((slot, compile_node(default)) for slot, default in parameters.optional)
        self.rest = parameters.rest
        self.post = tuple(slot_or_storer(entry) for entry in parameters.post)
        self.keywords = tuple(
            (Symbol(name), slot, None if default is n.REQUIRED else compile_node(default))
            for name, slot, default in parameters.keywords
        )
        self.keyword_names = frozenset(name for name, _, _ in self.keywords)
        self.keyword_rest = parameters.keyword_rest
        self.block = parameters.block
        self.trailing_comma = parameters.trailing_comma
        self.low = len(self.required) + len(self.post)
        self.high = -1 if self.rest is not None else self.low + len(self.optional)
        plain = not (self.optional or self.post or self.keywords or self.trailing_comma)
        plain = plain and self.rest is None and self.keyword_rest is None and self.block is None
        in_order = all(entry == HEAD + index for index, entry in enumerate(self.required))
        self.simple = len(self.required) if plain and in_order else -1
        """How many required parameters there are, if there is nothing else and they fill the first slots; else -1."""

    @property
    def arity(self) -> int:
        """Ruby's number for the parameters of a method or a lambda."""
        return self.arity_of(is_lambda=True)

    def arity_of(self, is_lambda: bool) -> int:
        """The least number of arguments; less than zero where more may do. Keywords are one argument more."""
        least = self.low + any(default is None for _, _, default in self.keywords)
        most = self.low + len(self.optional) + self.takes_keywords
        is_open = self.rest is not None or (is_lambda and least != most)
        return -least - 1 if is_open else least

    @property
    def takes_keywords(self) -> bool:
        """Whether there are keyword parameters."""
        return bool(self.keywords) or self.keyword_rest is not None

    def bind(self, frame: Frame, arguments: list[Value], block: Proc | None, strict: bool) -> None:
        """Fill the frame."""
        given: dict[Any, Value] | None = None
        if arguments and type(arguments[-1]) is Keywords:
            if self.takes_keywords:
                given = arguments[-1]
                arguments = arguments[:-1]
            else:
                last = dict(arguments[-1])
                arguments = [*arguments[:-1], last] if last else arguments[:-1]
        elif not strict and self.takes_keywords and len(arguments) == 1 and type(arguments[0]) is list:
            pass
        count = len(arguments)
        if strict:
            if count < self.low or count > self.high >= 0:
                problem = argument_count(count, self.low, self.high)
                missing = [name.name for name, _, default in self.keywords if default is None]
                if missing and given is None and isinstance(problem.exception.message, str):
                    plural = "s" if len(missing) > 1 else ""
                    words = problem.exception.message[:-1]
                    problem.exception.message = f"{words}; required keyword{plural}: {', '.join(missing)})"
                raise problem
        elif count < self.low:
            arguments = arguments + [None] * (self.low - count)
            count = self.low
        self._positional(frame, arguments, count)
        if self.takes_keywords:
            self._keywords(frame, given or {})
        if self.block is not None:
            frame[self.block] = block

    def _positional(self, frame: Frame, arguments: list[Value], count: int) -> None:
        at = 0
        for entry in self.required:
            if isinstance(entry, int):
                frame[entry] = arguments[at]
            else:
                entry(frame, arguments[at])
            at += 1
        spare = count - self.low
        for slot, default in self.optional:
            if spare > 0:
                frame[slot] = arguments[at]
                at += 1
                spare -= 1
            else:
                frame[slot] = default(frame)
        if self.rest is not None:
            size = max(0, spare)
            frame[self.rest] = arguments[at : at + size]
            at += size
        for entry in self.post:
            value = arguments[at] if at < count else None
            if isinstance(entry, int):
                frame[entry] = value
            else:
                entry(frame, value)
            at += 1

    def _keywords(self, frame: Frame, given: dict[Any, Value]) -> None:
        missing = []
        for name, slot, default in self.keywords:
            if name in given:
                frame[slot] = given[name]
            elif default is None:
                missing.append(f":{name.name}")
            else:
                frame[slot] = default(frame)
        if missing:
            raise error("ArgumentError", f"missing keyword{'s' if len(missing) > 1 else ''}: {', '.join(missing)}")
        others = {key: value for key, value in given.items() if key not in self.keyword_names}
        if self.keyword_rest is not None:
            frame[self.keyword_rest] = others
        elif others:
            from .showing import inspect_plain

            names = ", ".join(inspect_plain(value_of(key)) for key in others)
            raise error("ArgumentError", f"unknown keyword{'s' if len(others) > 1 else ''}: {names}")


class BlockCode:
    """A block of the text, compiled."""

    __slots__ = ("binder", "body", "has_next", "node", "spare", "width")

    def __init__(self, node: n.Block, binder: Binder, body: Runner) -> None:
        self.node = node
        self.binder = binder
        self.body = body
        self.has_next = node.has_next
        self.spare = [None] * (node.slots - HEAD)
        count = len(binder.required) + len(binder.optional) + len(binder.post) + (binder.rest is not None)
        self.width = count if not binder.trailing_comma else 2


class BlockProc(Proc):
    """A block with the frame it was written in."""

    __slots__ = ("activation", "code", "frame", "interpreter", "self_object")

    def __init__(self, code: BlockCode, frame: Frame, is_lambda: bool = False) -> None:
        self.code = code
        self.frame = frame
        self.is_lambda = is_lambda
        self.interpreter: Interpreter = frame[0]
        self.self_object = frame[1]
        self.activation: Activation = frame[ACTIVATION]

    @property
    def arity(self) -> int:
        return self.code.binder.arity_of(self.is_lambda)

    @property
    def width(self) -> int:
        return self.code.width

    @property
    def nesting(self) -> tuple[Module, ...]:
        """The modules round the text of the block."""
        return self.activation.nesting

    def bound(self, self_object: Value, definee: Module | None, activation: Activation | None) -> BlockProc:
        """The same block with another `self`, and perhaps another place for definitions."""
        copy = self.copied(self.is_lambda)
        copy.self_object = self_object
        if activation is not None:
            copy.activation = activation
        else:
            old = self.activation
            copy.activation = Activation(old.method, old.arguments, old.nesting, definee or old.definee)
        return copy

    def as_lambda(self) -> BlockProc:
        """The same block, strict and with a `return` of its own."""
        return self.copied(True)

    def copied(self, is_lambda: bool) -> BlockProc:
        """The same block once more."""
        copy = BlockProc(self.code, self.frame, is_lambda)
        copy.self_object = self.self_object
        copy.activation = self.activation
        return copy

    def one(self, value: Value) -> Value:
        code = self.code
        simple = code.binder.simple
        if self.is_lambda or simple < 0 or (simple > 1 and type(value) is list):
            if simple == 2 and not self.is_lambda and len(value) == 2:
                return self.two(value[0], value[1])
            return self.call([value])
        frame = self.frame
        inner = [self.interpreter, self.self_object, frame[2], self.activation, frame, *code.spare]
        if simple:
            inner[HEAD] = value
        return self._run(inner)

    def two(self, first: Value, second: Value) -> Value:
        code = self.code
        simple = code.binder.simple
        if self.is_lambda or simple < 0:
            return self.call([first, second])
        frame = self.frame
        inner = [self.interpreter, self.self_object, frame[2], self.activation, frame, *code.spare]
        if simple:
            inner[HEAD] = first
            if simple > 1:
                inner[HEAD + 1] = second
        return self._run(inner)

    def _run(self, inner: Frame) -> Value:
        interpreter = self.interpreter
        budget = interpreter.budget
        budget.steps -= 1
        if budget.steps < 0:
            budget.over("steps", "calling a block", interpreter.at)
        interpreter.depth += 1
        if interpreter.depth > interpreter.depth_limit:
            interpreter.depth -= 1
            raise error("SystemStackError", "stack level too deep")
        try:
            return self.code.body(inner)
        except NextJump as jump:
            return jump.value
        finally:
            interpreter.depth -= 1

    def call(self, arguments: list[Value], block: Proc | None = None) -> Value:
        code = self.code
        frame = self.frame
        activation = self.activation
        if self.is_lambda:
            activation = Activation(activation.method, activation.arguments, activation.nesting, activation.definee)
        inner = [self.interpreter, self.self_object, frame[2], activation, frame, *code.spare]
        binder = code.binder
        if not self.is_lambda and len(arguments) == 1 and type(arguments[0]) is list:
            # A block of several parameters takes an array apart.
            if code.width > 1 or (binder.rest is not None and (binder.low or binder.optional)):
                arguments = arguments[0]
        if not self.is_lambda and binder.high >= 0 and len(arguments) > binder.high:
            last = arguments[-1]
            arguments = arguments[: binder.high]
            if type(last) is Keywords and binder.takes_keywords:
                arguments.append(last)
        if not self.is_lambda:
            binder.bind(inner, arguments, block, False)
            return self._run(inner)
        binder.bind(inner, arguments, block, True)
        try:
            return self._run(inner)
        except ReturnJump as jump:
            if jump.target is not activation:
                raise
            return jump.value
        except BreakJump as jump:
            if jump.target[0] is not frame or jump.target[1] is not code:
                raise
            return jump.value
        except RubyError as problem:
            problem.crossed = True
            raise


def values_of_block(block: Proc, arguments: list[Value]) -> Value:
    """`yield *arguments`"""
    if len(arguments) == 1:
        return block.one(arguments[0])
    if len(arguments) == 2 and type(arguments[1]) is not Keywords:
        return block.two(arguments[0], arguments[1])
    return block.call(arguments)


class BoundMethod(Proc):
    """A method as an object: `object.method(:name)`."""

    __slots__ = ("interpreter", "method", "receiver")

    def __init__(self, interpreter: Interpreter, receiver: Value, method: Method) -> None:
        self.interpreter = interpreter
        self.receiver = receiver
        self.method = method
        self.is_lambda = True

    def call(self, arguments: list[Value], block: Proc | None = None) -> Value:
        self.interpreter.budget.draw("steps", 1, "calling a method", self.interpreter.at)
        return self.method.run(self.interpreter, self.receiver, arguments, block)

    @property
    def arity(self) -> int:
        return self.method.arity

    @property
    def width(self) -> int:
        return max(1, self.method.low)


def method_from_block(name: str, block: Any, owner: Value) -> Method:
    """A method whose body is a block: `self` is the receiver, `return` ends it."""
    if isinstance(block, BoundMethod):
        return block.method

    def run(i: Any, self: Value, a: list[Value], inner: Any) -> Value:
        return i.call_as_method(block.as_lambda(), self, a, name)

    return Method(name, run, owner=owner, written=True)
