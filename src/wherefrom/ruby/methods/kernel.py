"""Kernel's functions: those that are called without a receiver."""

from __future__ import annotations

from typing import Any

from ...base.keys import Symbol
from ..classes import EXCEPTION, EXCEPTIONS, KERNEL, error, is_string, method, methods, text_of
from ..errors import RubyError, ThrowJump
from ..interpreter import Interpreter
from ..numerals import float_, format_text, integer
from ..requiring import require
from ..showing import inspect, to_s, uncaught
from ..support import splatted
from ..values import Exception_, Keywords, Method, Value, Visibility, truth
from .objects import Args, is_same


def _options(a: Args) -> tuple[Args, dict[Any, Value]]:
    """Arguments and keywords."""
    if a and type(a[-1]) is Keywords:
        return a[:-1], a[-1]
    return a, {}


def _quietly(options: dict[Any, Value]) -> bool:
    return options.get(Symbol("exception"), True) is False


@method(KERNEL, "Integer", 1, 3)
def integer_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    a, options = _options(a)
    try:
        return integer(i, a[0], a[1] if len(a) > 1 and a[1] is not None else 0)
    except RubyError:
        if _quietly(options):
            return None
        raise


@method(KERNEL, "Float", 1, 2)
def float__(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    a, options = _options(a)
    try:
        return float_(i, a[0])
    except RubyError:
        if _quietly(options):
            return None
        raise


@method(KERNEL, "Array", 1)
def array(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return a[0] if type(a[0]) is list else splatted(i, a[0])


@method(KERNEL, "Hash", 1)
def hash_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if isinstance(a[0], dict):
        return a[0]
    if a[0] is None or a[0] == []:
        return {}
    entry = i.find(a[0], "to_hash")
    if entry is None:
        from ..classes import class_name

        raise error("TypeError", f"can't convert {class_name(a[0])} into Hash")
    return entry.run(i, a[0], [], None)


@method(KERNEL, "raise fail", 0, -1)
def raise_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    a, options = _options(a)
    if not a:
        current = i.globals.get("$!")
        exception = current if current is not None else Exception_(EXCEPTIONS["RuntimeError"], "unhandled exception")
    elif is_string(a[0]):
        exception = Exception_(EXCEPTIONS["RuntimeError"], text_of(a[0]))
    else:
        rest = [value for key, value in options.items() if key != Symbol("cause")]
        if options and rest and len(a) == 1:
            keywords = Keywords({key: value for key, value in options.items() if key != Symbol("cause")})
            exception = i.send(a[0], "new", [keywords])
        else:
            exception = i.exception_of(a[0], a[1] if len(a) > 1 else None, len(a) > 1)
    if Symbol("cause") in options:
        exception.cause = options[Symbol("cause")]
    elif exception.cause is None and i.globals.get("$!") is not exception:
        exception.cause = i.globals.get("$!")
    if not isinstance(exception, Exception_):
        raise error("TypeError", "exception class/object expected")
    raise RubyError(exception)


@method(KERNEL, "catch", 0, 1)
def catch(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    from ..values import Object

    tag = a[0] if a else Object(EXCEPTION)
    tags = i.globals.setdefault("*tags", [])
    tags.append(tag)
    depth = i.depth
    try:
        return block.one(tag)
    except ThrowJump as jump:
        if not same_tag(jump.target, tag):
            raise
        i.depth = depth
        return jump.value
    finally:
        tags.pop()


def same_tag(left: Value, right: Value) -> bool:
    """Whether a `throw` goes to a `catch`."""
    return is_same(left, right) or (is_string(left) and left == right)


@method(KERNEL, "throw", 1, 2)
def throw(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    jump = ThrowJump(a[0], a[1] if len(a) > 1 else None)
    if not any(same_tag(a[0], tag) for tag in i.globals.get("*tags", [])):
        raise uncaught(i, jump)
    raise jump


@method(KERNEL, "puts", 0, -1)
def puts(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    lines: list[str] = []

    def add(value: Value) -> None:
        if type(value) is list:
            for item in value:
                add(item)
        else:
            text = to_s(i, value)
            lines.append(text if text.endswith("\n") else text + "\n")

    for value in a:
        add(value)
    i.world.print("".join(lines) if a else "\n")
    return None


@method(KERNEL, "p", 0, -1)
def p(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.world.print("".join(inspect(i, value) + "\n" for value in a))
    return a[0] if len(a) == 1 else a or None


@method(KERNEL, "warn", 0, -1)
def warn(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    a, _ = _options(a)
    i.world.print("".join(to_s(i, value) + "\n" for value in a), True)
    return None


@method(KERNEL, "loop", 0)
def loop(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    try:
        while True:
            i.budget.draw("steps", 1, "in a loop", i.at)
            block.call([])
    except RubyError as problem:
        if problem.is_a("StopIteration"):
            return problem.exception.details.get("result")
        raise


@method(KERNEL, "rand", 0, 1)
def rand(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    from ..values import Range

    number = i.world.random("rand", i.at)
    if not a or a[0] is None or a[0] == 0:
        return number
    if isinstance(a[0], Range):
        low, high = a[0].first, a[0].last
        return low + int(number * (high - low + (0 if a[0].exclusive else 1)))
    return int(number * abs(a[0]))


@method(KERNEL, "caller caller_locations", 0, 2)
def caller(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return [f"{i.at.file.name}:{i.at.line}:in `block'"] if i.at is not None else []


methods(
    KERNEL,
    1,
    1,
    {
        "String": lambda i, s, a, b: to_s(i, a[0]),
        "require": lambda i, s, a, b: require(i, a, None, i.at),
        "require_relative": lambda i, s, a, b: require(i, a, i.at.file.name if i.at else None, i.at),
    },
)
methods(
    KERNEL,
    0,
    -1,
    {
        "format sprintf": lambda i, s, a, b: format_text(i, text_of(a[0]), a[1:]),
        "print": lambda i, s, a, b: i.world.print("".join(to_s(i, value) for value in a)),
        "printf": lambda i, s, a, b: i.world.print(format_text(i, text_of(a[0]), a[1:])) if a else None,
        "pp": p,
    },
)
PRIVATE = (
    "Integer Float Array Hash String raise fail catch throw puts p warn loop rand caller caller_locations require"
    " require_relative format sprintf print printf pp"
).split()
for _name in PRIVATE:
    _method = KERNEL.methods[_name]
    KERNEL.own[_name] = Method(_name, _method.run, _method.low, _method.high, owner=KERNEL)
    _method.visibility = Visibility.PRIVATE

__all__ = ["same_tag", "truth"]
