"""Exception and its subclasses."""

from __future__ import annotations

from ..classes import EXCEPTION, EXCEPTIONS, method, methods, singleton
from ..interpreter import Interpreter
from ..showing import default_inspect, to_s
from ..values import Exception_, Native, Value
from .objects import Args


def _detail(name: str) -> Native:
    return lambda i, s, a, b: s.details.get(name)


@method(EXCEPTION, "initialize", 0, -1)
def initialize(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    self.message = a[0] if a else None
    return None


@method(EXCEPTION, "message", 0)
def message(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return to_s(i, self)


@method(EXCEPTION, "to_s", 0)
def to_s_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return to_s(i, self.message) if self.message is not None else self.cls.name


@method(EXCEPTION, "full_message", 0, 1)
def full_message(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return f"{to_s(i, self)} ({self.cls.name})"


@singleton(EXCEPTION, "exception", 0, -1)
def exception(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return i.send(self, "new", a)


@method(EXCEPTION, "exception", 0, 1)
def exception_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return i.exception_of(self, a[0], True) if a else self


def backtrace(value: Exception_) -> Value:
    """The places as Ruby writes them."""
    if value.backtrace is None:
        return None
    return [f"{span.file.name}:{span.line}:in `block'" for span in value.backtrace]


@method(EXCEPTION, "set_backtrace", 1)
def set_backtrace(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return a[0]


methods(
    EXCEPTION,
    0,
    0,
    {
        "backtrace": lambda i, s, a, b: backtrace(s),
        "backtrace_locations": lambda i, s, a, b: None,
        "cause": lambda i, s, a, b: s.cause,
        "inspect": lambda i, s, a, b: default_inspect(i, s),
    },
)
methods(
    EXCEPTION,
    1,
    1,
    {
        "==": lambda i, s, a, b: (
            s is a[0] or (isinstance(a[0], Exception_) and s.cls is a[0].cls and s.message == a[0].message)
        )
    },
)
for _name, _fields in {
    "KeyError": ("key", "receiver"),
    "NameError": ("name", "receiver"),
    "StopIteration": ("result",),
    "FrozenError": ("receiver",),
    "UncaughtThrowError": ("tag", "value"),
}.items():
    for _field in _fields:
        methods(EXCEPTIONS[_name], 0, 0, {_field: _detail(_field)})
