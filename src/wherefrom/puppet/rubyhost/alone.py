"""Ruby by itself: what a step of an origin did, done again without a catalog, variables or files round it.

One of Ruby's own methods needs nothing but its receiver and arguments. A function of a module is loaded and called as
in a compilation; if it then asks for a scope, a resource or a file, it can not be computed from its arguments alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ...provenance.operations import NotComputed
from ...provenance.origins import UNTRACED
from ...ruby.classes import OBJECT
from ...ruby.errors import RubyError
from ...ruby.interpreter import Interpreter
from ...ruby.support import option_bits
from ..kernel.failures import Failure
from .run import Called
from .values import enter, foreign_classes, leave

if TYPE_CHECKING:
    from ..runtime.scope import Frame


def send_alone(name: str, operands: Sequence[object]) -> Any:
    """Call one of Ruby's own methods: of the first operand, with the others."""
    interpreter = Interpreter(foreign=foreign_classes())
    receiver, *arguments = [enter(interpreter, operand) for operand in operands]
    try:
        return leave(interpreter.send(receiver, name, arguments))
    except RubyError as problem:
        raise NotComputed(f"'{name}'", problem.message) from None


def written(value: object) -> Any:
    """What is written out in Ruby code."""
    if isinstance(value, tuple):
        source, options = value
        return Interpreter().regexp(source, option_bits(options))
    return value


def constant(name: str) -> Any:
    """A class or module of Ruby's own."""
    interpreter = Interpreter()
    module: object = OBJECT
    for part in name.split("::"):
        module = interpreter.constant_in(module, part)
    return module


class _Alone:
    """A compilation in which there is nothing but the environment's Ruby."""

    def __init__(self, environment: Any) -> None:
        self.environment = environment
        self.ruby: Any = None
        self.may_ask_ruby = False
        self.observed = None
        self.run = self  # it is its own frame, at the top
        self.top = self
        self.up = None
        self.vars: dict[str, Any] = {}
        self.class_scopes: dict[str, Any] = {}
        self.observed = None

    def __getattr__(self, name: str) -> object:
        raise NotComputed("what a function of a module did", "it needs a running compilation")


def call_alone(name: str, arguments: Sequence[Any], environment: Any) -> object:
    """Call a function of a module, by name."""
    function = environment.function(name, None)
    if not isinstance(function, Called):
        raise NotComputed(f"what the function '{name}' of a module did")
    library = environment.ruby_library()
    alone, library.alone = library.alone or _Alone(environment), None  # a failure leaves nothing behind
    if alone.ruby is not None:
        alone.ruby.forget()
    try:
        value, _ = function.call(cast("Frame", alone), list(arguments), [UNTRACED] * len(arguments))
    except Failure as problem:
        raise NotComputed(f"what the function '{name}' of a module did", problem.message) from None
    library.alone = alone
    return value
