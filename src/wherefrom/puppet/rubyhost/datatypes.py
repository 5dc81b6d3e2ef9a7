"""Types of objects that a module defines in Ruby: `Puppet::DataTypes.create_type(name) do ... end`.

    interface 'attributes => {...}, functions => {...}'    what an `Object[{...}]` type says, in Puppet's language
    implementation do ... end                              methods for its functions and derived attributes
    implementation_class Some::Class                       or a class that has them

The interface makes an object type like any other (`wherefrom.puppet.types.objects`). A function is done by Ruby: an
object of the implementation's class is made with the attributes of the value, and gets the call. It is a call of the
object and the arguments, like that of a function. Ruby code that is given such a value can ask for its attributes and
call its functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.keys import Symbol
from ...ruby.classes import OBJECT, error
from ...ruby.errors import RubyError
from ...ruby.values import Arguments, Class, HostObject, Method, Module, Object, Proc
from ..kernel.failures import Failure
from ..kernel.values import ObjectValue
from .values import enter, leave, text_argument

if TYPE_CHECKING:
    from ...ruby.interpreter import Interpreter


class DataType(HostObject):
    """What `create_type` made; it is the `self` of its block too."""

    __slots__ = ("block", "given_class", "interface", "name", "own_class")
    ruby_class = Class("Puppet::DataTypes::TypeBuilderAPI", OBJECT)

    def __init__(self, name: str) -> None:
        self.name = name
        self.interface: str | None = None
        self.block: Proc | None = None
        self.given_class: Class | None = None
        self.own_class: Class | None = None

    def instance(self, ruby: Any, value: ObjectValue) -> Any:
        """The Ruby object that stands for a value."""
        attributes = {name: enter(ruby.interpreter, item) for name, item in value.attributes.items()}
        if self.given_class is not None:
            return ruby.interpreter.send(self.given_class, "new", list(attributes.values()))
        if self.own_class is None:
            self.own_class = Class(None, OBJECT)
            for name in attributes:
                self.own_class.methods[name] = Method(name, _reader(f"@{name}"), 0, 0)
            if self.block is not None:
                ruby.interpreter.call_with_self(self.block, self.own_class, [], self.own_class)
        instance = Object(self.own_class)
        instance.ivars = {f"@{name}": item for name, item in attributes.items()}
        return instance


def _reader(name: str) -> Any:
    return lambda interpreter, self, arguments, block: self.ivars.get(name)


def _interface(interpreter: Interpreter, self: DataType, arguments: Arguments, block: object) -> object:

    if self.interface is not None:
        raise error("ArgumentError", "a data type can only have one interface")
    self.interface = text_argument(arguments[0])
    return None


def _implementation(interpreter: Interpreter, self: DataType, arguments: Arguments, block: Any) -> Any:
    if self.block is not None or self.given_class is not None:
        raise error("ArgumentError", "a data type can only have one implementation")
    if arguments:
        self.given_class = arguments[0]
    else:
        self.block = block
    return None


def _load_file(interpreter: Interpreter, self: DataType, arguments: Arguments, block: object) -> object:
    return interpreter.send(interpreter.main, "require", arguments)


DataType.ruby_class.methods.update(
    Module(None, {
        "interface": _interface, "implementation": _implementation, "implementation_class": _implementation,
        "load_file": _load_file,
    }).methods
)  # fmt: skip
DataType.ruby_class.frozen = True


def _ruby(interpreter: Interpreter) -> Any:
    """The Ruby of the run."""
    world: Any = interpreter.world
    return world.ruby


def create_type(interpreter: Interpreter, self: Module, arguments: Arguments, block: Any) -> object:
    """`Puppet::DataTypes.create_type(name) { ... }`"""
    definition = DataType(str(leave(interpreter.send(arguments[0], "to_s"))))
    try:
        interpreter.call_with_self(block, definition, [])
        if definition.interface is None:
            raise error("ArgumentError", "a data type must have an interface")
    except RubyError as problem:
        if not problem.is_a("StandardError"):
            raise
        words = f"Data Type Load Error for type '{definition.name}': {problem.message}"
        raise error("ArgumentError", words) from None
    _ruby(interpreter).datatypes[definition.name.lower()] = definition
    return definition


# --- their Ruby ------------------------------------------------------------------------------------------------------


def defined(ruby: Any, name: str, path: str) -> DataType:
    """The definition of a name, its file run if need be."""
    known: DataType | None = ruby.datatypes.get(name)
    if known is None:
        program = ruby.library.program(path)
        if "Puppet::DataTypes.create_type" not in program.source.text:
            words = f"The code loaded from {path} does not seem to be a Puppet data type - no create_type call."
            raise Failure(words, kind="misnamed type")
        try:
            result = ruby.interpreter.run(program)
        except RubyError as problem:
            raise ruby.failure(problem) from None
        if not isinstance(result, DataType):
            words = f"The code loaded from {path} did not create a valid PObjectType when evaluated."
            raise Failure(words, kind="misnamed type")
        if result.name.lower() != name:
            words = f"produced mis-matched name, expected '{name}', got {result.name}"
            raise Failure(f"The code loaded from {path} {words}", kind="misnamed type")
        known = result
    return known


class RubyType:
    """The Ruby of a type: where it is, and the objects that it makes of values."""

    __slots__ = ("name", "path")

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self.path = path

    def instance(self, ruby: object, value: ObjectValue) -> Any:
        """The Ruby object that stands for a value."""
        return defined(ruby, self.name, self.path).instance(ruby, value)


# --- what Ruby can do with an object ---------------------------------------------------------------------------------
def _member(interpreter: Interpreter, self: ObjectValue, arguments: Arguments, block: Any) -> object:
    """An attribute, or a function of the implementation."""
    name = arguments[0].name
    if name in self.attributes and len(arguments) == 1:
        return enter(interpreter, self.attributes[name])
    implementation = getattr(self.puppet_type, "implementation", None)
    if isinstance(implementation, RubyType):
        return interpreter.send(implementation.instance(_ruby(interpreter), self), name, arguments[1:], block)
    raise error("NoMethodError", f"undefined method `{name}' for an instance of {self.puppet_type}", name=Symbol(name))


INSTANCE = Class("Puppet::Pops::Types::PuppetObject", OBJECT, {
    "method_missing": _member,
    "_pcore_type": lambda i, self, a, b: self.puppet_type,
    "_pcore_init_hash": lambda i, self, a, b: dict(self.attributes),
    "to_s": lambda i, self, a, b: str(self),
    "==": lambda i, self, a, b: bool(self == a[0]),
}, frozen=True)  # fmt: skip
