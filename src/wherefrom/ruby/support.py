"""What compiled code does at run time beyond calling methods: constants, variables, splats, `===`, `rescue`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.keys import Symbol
from ..base.source import Span
from .classes import OBJECT, class_of, error, long_of
from .errors import RubyError
from .frames import ACTIVATION, Frame
from .values import Class, Exception_, Hash, MatchData, Module, Object, Range, Regexp, Text, Value, truth

Runner = Callable[[Frame], Value]
Storer = Callable[[Frame, Value], None]
OPTION_BITS = {"i": 1, "x": 2, "m": 4}


def located(problem: Exception, span: Span) -> Exception:
    """The exception, with its place."""
    if isinstance(problem, RubyError):
        problem.passes(span)
    return problem


def option_bits(letters: str) -> int:
    """The options of a regular expression as a number."""
    return sum(OPTION_BITS.get(letter, 0) for letter in set(letters))


def constant_named(frame: Frame, name: str, span: Span) -> Value:
    try:
        return frame[0].constant(frame[ACTIVATION].nesting, name, span)
    except RubyError as problem:
        raise located(problem, span) from None


_NO_VARIABLES: dict[str, Value] = {}


def instance_variables(owner: Value, writing: bool = False) -> dict[str, Value]:
    """The instance variables of an object."""
    if isinstance(owner, (Object, Module)):
        return owner.ivars
    variables = getattr(owner, "ruby_variables", None)
    if variables is not None:
        own: dict[str, Value] = variables
        return own
    if writing:
        raise error("FrozenError", f"can't modify frozen {class_of(owner).name}")
    return _NO_VARIABLES


def class_variable_holder(frame: Frame, name: str) -> Module | None:
    """The module that has a class variable, as seen from a frame."""
    nesting: tuple[Module, ...] = frame[ACTIVATION].nesting
    for module in nesting[:1]:
        for ancestor in module.line():
            if name in ancestor.class_variables:
                return ancestor
    return None


def store_class_variable(name: str) -> Storer:
    def store(frame: Frame, value: Value) -> None:
        nesting = frame[ACTIVATION].nesting
        if not nesting:
            raise error("RuntimeError", "class variable access from toplevel")
        (class_variable_holder(frame, name) or nesting[0]).class_variables[name] = value

    return store


def match_variable(match: MatchData | None, name: str) -> Value:
    """`$~`, `$1`, ... of a match."""
    if name == "$~" or match is None:
        return match
    hit = match.match
    if name == "$&":
        return hit.group()
    if name == "$`":
        return match.text[: hit.start()]
    if name == "$'":
        return match.text[hit.end() :]
    if name == "$+":
        groups = [group for group in hit.groups() if group is not None]
        return groups[-1] if groups else None
    if name.startswith("$<"):
        return hit.group(name[2:-1])
    number = int(name[1:])
    return hit.group(number) if number <= match.regexp.pattern.groups else None


def splatted(interpreter: Any, value: Value) -> list[Value]:
    """`*value`"""
    if type(value) is list:
        return list(value)
    if value is None:
        return []
    if isinstance(value, dict):
        from .values import value_of

        return [[value_of(key), item] for key, item in value.items()]
    conversion = interpreter.find(value, "to_a")
    if conversion is not None:
        result = conversion.run(interpreter, value, [], None)
        if type(result) is list:
            return list(result)
    return [value]


def to_array(interpreter: Any, value: Value) -> list[Value]:
    """The right side of a multiple assignment: only what is an array is taken apart."""
    if type(value) is list:
        return value
    if isinstance(value, Object):
        conversion = interpreter.find(value, "to_ary")
        if conversion is not None:
            result = conversion.run(interpreter, value, [], None)
            if type(result) is list:
                return result
    return [value]


def hash_splatted(frame: Frame, value: Value) -> dict[Any, Value]:
    if isinstance(value, dict):
        return value
    if value is None:
        raise error("TypeError", "no implicit conversion of nil into Hash")
    conversion = frame[0].find(value, "to_hash") or frame[0].find(value, "to_h")
    if conversion is not None:
        result = conversion.run(frame[0], value, [], None)
        if isinstance(result, dict):
            return result
    raise error("TypeError", f"no implicit conversion of {class_of(value).name} into Hash")


def check_range(interpreter: object, first: Value, last: Value) -> None:
    """Only comparable ends make a range."""
    from .showing import compare

    if first is None or last is None or (type(first) is int and type(last) is int):
        return
    if compare(interpreter, first, last) is None:
        raise error("ArgumentError", "bad value for range")


def case_equal(interpreter: Any, pattern: Value, value: Value, frame: Frame | None = None) -> bool:
    """`pattern === value`"""
    kind = type(pattern)
    if kind is str:
        return bool(pattern == (value.value if type(value) is Text else value)) and type(value) in (str, Text)
    if kind is Class:
        if isinstance(value, Object):
            return value.cls.inherits(pattern)
        return (interpreter.foreign.get(type(value)) or class_of(value)).inherits(pattern)
    if kind is Regexp:
        text = value if type(value) is str else value.value if type(value) is Text else None
        if type(value) is Symbol:
            text = value.name
        if text is None:
            if frame is not None:
                frame[ACTIVATION].match = None
            return False
        hit = pattern.pattern.search(text)
        if frame is not None:
            frame[ACTIVATION].match = MatchData(hit, pattern, text) if hit is not None else None
        return hit is not None
    return truth(interpreter.send(pattern, "===", [value]))


Rescue = tuple[list[tuple[Runner, bool]], Storer | None, Runner]
"""A clause: its classes (each with whether it is splatted), where the exception goes, the body."""


def rescue_handler(frame: Frame, problem: RubyError, rescues: list[Rescue]) -> Runner | None:
    """The body of the first clause that takes the exception; its variable is set."""
    exception: Exception_ = problem.exception
    for classes, store, body in rescues:
        if not classes:
            taken = any(module.name == "StandardError" for module in exception.cls.line())
        else:
            taken = False
            for run, is_splat in classes:
                given = run(frame)
                for cls in splatted(frame[0], given) if is_splat else (given,):
                    if not isinstance(cls, Module):
                        raise error("TypeError", "class or module required for rescue clause")
                    taken = taken or case_equal_class(frame[0], cls, exception)
        if taken:
            if exception.backtrace is None:
                exception.backtrace = list(problem.places)
            if store is not None:
                store(frame, exception)
            return body
    return None


def case_equal_class(interpreter: Any, cls: Module, exception: Exception_) -> bool:
    """Whether a rescue clause's class takes the exception."""
    if isinstance(cls, Class) and cls.inherits(OBJECT) and not cls.own.get("==="):
        return exception.cls.inherits(cls)
    return truth(interpreter.send(cls, "===", [exception]))


def call_method(
    frame: Frame,
    receiver: Value,
    name: str,
    arguments: list[Value],
    span: Span,
    keep: Callable[[list[Value]], list[Value]] | None = None,
) -> Value:
    """A call of a method by name, with its place.  `keep` makes the arguments those of a method that keeps them."""
    interpreter = frame[0]
    try:
        method = interpreter.find(receiver, name)
        if keep is not None and (method is None or method.written):
            arguments = keep(arguments)
        if method is None:
            interpreter.at = span
            return interpreter.missing(receiver, name, arguments, None)
        return method.run(interpreter, receiver, arguments, None)
    except RubyError as problem:
        problem.passes(span)
        raise


def look_up(i: Any, table: Any, key: Any, written: Value) -> Value:
    """`table[key]`, defaults included."""
    if key in table:
        return table[key]
    if type(table) is Hash:
        if table.default_proc is not None:
            return table.default_proc.call([table, written])
        return table.default
    return None


def index_range(value: Range, length: int) -> tuple[int, int] | None:
    """Start and length that a range means in something of `length`, or nothing if it starts outside."""
    start = 0 if value.first is None else long_of(value.first)
    end = -1 if value.last is None else long_of(value.last)
    exclusive = value.exclusive and value.last is not None
    if start < 0:
        start += length
        if start < 0:
            return None
    if start > length:
        return None
    if end < 0:
        end += length
    count = end - start + (0 if exclusive else 1)
    return start, max(0, min(count, length - start))


def slice_range(values: list[Value], at: Range) -> Value:
    """`values[range]`"""
    place = index_range(at, len(values))
    return None if place is None else values[place[0] : place[0] + place[1]]
