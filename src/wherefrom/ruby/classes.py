"""Ruby's own classes, and how Python functions become their methods.

The classes here are constants: no Ruby code can change them, so that all runs share them. A method is one Python
function `(interpreter, receiver, arguments, block) -> result`, put into its class's table by `@method(CLASS, "name",
low, high)`. `table_of` flattens the tables of a class and its ancestors into one dictionary per Python type, which
is all that a call has to look into.

Methods that fit on a line are lambdas in a dictionary, `methods(CLASS, low, high, {"name": lambda i, s, a, b:
...})`; the letters are always those four: interpreter, self, arguments, block.

Methods of String that do not change it receive a `str`; those that do are marked `mutates=True` and receive a `Text`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..base.budget import LARGE
from ..base.diagnostics import LimitReached
from ..base.keys import Symbol
from .errors import RubyError
from .values import (
    Class,
    Enumerator,
    Exception_,
    Hash,
    Keywords,
    MatchData,
    Method,
    Module,
    Native,
    NativeProc,
    Object,
    Range,
    Regexp,
    Set,
    StructValue,
    Text,
    Value,
)

BASIC_OBJECT = Class("BasicObject", None, frozen=True)
OBJECT = Class("Object", BASIC_OBJECT, frozen=True, make=Object)
KERNEL = Module("Kernel", frozen=True)
COMPARABLE = Module("Comparable", frozen=True)
ENUMERABLE = Module("Enumerable", frozen=True)
OBJECT.included.append(KERNEL)


def core_class(name: str, superclass: Class = OBJECT, *included: Module) -> Class:
    """A class of Ruby itself."""
    cls = Class(name, superclass, frozen=True)
    cls.make = None
    cls.included.extend(included)
    return cls


MODULE = core_class("Module")
CLASS = core_class("Class", MODULE)
NIL = core_class("NilClass")
TRUE = core_class("TrueClass")
FALSE = core_class("FalseClass")
NUMERIC = core_class("Numeric", OBJECT, COMPARABLE)
INTEGER = core_class("Integer", NUMERIC)
FLOAT = core_class("Float", NUMERIC)
STRING = core_class("String", OBJECT, COMPARABLE)
SYMBOL = core_class("Symbol", OBJECT, COMPARABLE)
ARRAY = core_class("Array", OBJECT, ENUMERABLE)
HASH = core_class("Hash", OBJECT, ENUMERABLE)
RANGE = core_class("Range", OBJECT, ENUMERABLE)
REGEXP = core_class("Regexp")
MATCH_DATA = core_class("MatchData")
PROC = core_class("Proc")
METHOD = core_class("Method")
SET = core_class("Set", OBJECT, ENUMERABLE)
STRUCT = core_class("Struct", OBJECT, ENUMERABLE)
ENUMERATOR = core_class("Enumerator", OBJECT, ENUMERABLE)
EXCEPTION = core_class("Exception")
EXCEPTION.make = Exception_

EXCEPTIONS: dict[str, Class] = {"Exception": EXCEPTION}


def _exception(name: str, superclass: str) -> None:
    cls = Class(name, EXCEPTIONS[superclass], frozen=True)
    EXCEPTIONS[name] = cls


for _line in """
    NoMemoryError Exception; ScriptError Exception; LoadError ScriptError; NotImplementedError ScriptError
    SyntaxError ScriptError; SecurityError Exception; SignalException Exception; Interrupt SignalException
    SystemExit Exception; SystemStackError Exception; StandardError Exception; ArgumentError StandardError
    UncaughtThrowError ArgumentError; EncodingError StandardError; FiberError StandardError; IOError StandardError
    EOFError IOError; IndexError StandardError; KeyError IndexError; StopIteration IndexError
    LocalJumpError StandardError; NameError StandardError; NoMethodError NameError; RangeError StandardError
    FloatDomainError RangeError; RegexpError StandardError; RuntimeError StandardError; FrozenError RuntimeError
    SystemCallError StandardError; ThreadError StandardError; TypeError StandardError; ZeroDivisionError StandardError
    Errno::ENOENT SystemCallError; Errno::EACCES SystemCallError; Errno::EISDIR SystemCallError
    Errno::ENOTDIR SystemCallError; Errno::EINVAL SystemCallError; Errno::EEXIST SystemCallError
    Errno::ECONNREFUSED SystemCallError
    JSON::JSONError StandardError; JSON::ParserError JSON::JSONError; JSON::GeneratorError JSON::JSONError
    JSON::NestingError JSON::ParserError
    Psych::Exception StandardError; Psych::SyntaxError Psych::Exception; Psych::DisallowedClass Psych::Exception
    Psych::BadAlias Psych::Exception
    Date::Error ArgumentError
    IPAddr::Error ArgumentError; IPAddr::InvalidAddressError IPAddr::Error; IPAddr::AddressFamilyError IPAddr::Error
    IPAddr::InvalidPrefixError IPAddr::InvalidAddressError
    URI::Error StandardError; URI::InvalidURIError URI::Error; URI::InvalidComponentError URI::Error
    Encoding::UndefinedConversionError EncodingError; Encoding::InvalidByteSequenceError EncodingError
    Encoding::CompatibilityError EncodingError; Encoding::ConverterNotFoundError EncodingError
    Math::DomainError ArgumentError; OpenSSL::OpenSSLError StandardError; OpenSSL::KDF::KDFError OpenSSL::OpenSSLError
    Timeout::Error RuntimeError
    SocketError StandardError; Gem::LoadError LoadError; Resolv::ResolvError StandardError
    Resolv::ResolvTimeout Timeout::Error
""".replace("\n", ";").split(";"):
    if _line.strip():
        _exception(*_line.split())


def error(class_name: str, message: str, **details: Value) -> RubyError:
    """A Ruby exception of one of the classes above, to be raised."""
    exception = Exception_(EXCEPTIONS[class_name], message)
    exception.details = details
    return RubyError(exception)


def argument_count(given: int, low: int, high: int) -> RubyError:
    """The complaint about a wrong number of arguments."""
    if low == high:
        expected = str(low)
    else:
        expected = f"{low}+" if high < 0 else f"{low}..{high}"
    return error("ArgumentError", f"wrong number of arguments (given {given}, expected {expected})")


_Decorated = Callable[[Native], Native]
_LONG = 1 << 63
"""Places and counts are below this number."""


def method(owner: Module, names: str, low: int = 0, high: int | None = None, mutates: bool = False) -> _Decorated:
    """Make the decorated function the method `names` (separated by blanks) of `owner`.

    It takes `low` to `high` arguments (just `low` if `high` is not given; any number if it is negative).
    """
    return _register(owner, owner.methods, names, low, low if high is None else high, mutates)


def methods(
    owner: Module, low: int, high: int, table: dict[str, Native], mutates: bool = False, own: bool = False
) -> None:
    """Several methods at once, by name (or names, separated by blanks), all taking `low` to `high` arguments."""
    for names, function in table.items():
        _register(owner, owner.own if own else owner.methods, names, low, high, mutates)(function)


def singleton(owner: Module, names: str, low: int = 0, high: int | None = None) -> _Decorated:
    """The same for a method of the class or module itself."""
    return _register(owner, owner.own, names, low, low if high is None else high, False)


def _register(owner: Module, table: dict[str, Method], names: str, low: int, high: int, mutates: bool) -> _Decorated:
    def decorate(function: Native) -> Native:
        run = checked(function, low, high, names)
        for name in names.split():
            table[name] = Method(name, run, low, high, mutates, owner)
        return function

    return decorate


_WRONG_VALUES = (TypeError, AttributeError, ValueError, IndexError, KeyError, OverflowError, ZeroDivisionError)


def refuse_digits(problem: ValueError) -> None:
    """Refuse a number that is too long for Python: no program may rescue that as an error of its own."""
    if str(problem).startswith("Exceeds the limit"):
        raise LimitReached("a number has too many digits", sys.get_int_max_str_digits()) from None


def ill_typed(problem: Exception, name: str, self: Value, arguments: list[Value]) -> RubyError:
    """The Ruby error for arguments that a method in Python could do nothing with.

    Methods check what Ruby has own words for; the rest ends here, so that no value from outside makes us fail.
    """
    if isinstance(problem, ValueError):
        refuse_digits(problem)
    if isinstance(problem, AttributeError) and problem.obj is None and problem.name in ("one", "two", "call", "width"):
        return error("LocalJumpError", "no block given (yield)")
    shown = ", ".join(kind_word(argument) for argument in arguments)
    return error("TypeError", f"wrong argument type in `{class_name(self)}#{name.split()[0]}` ({shown})")


QUICK = frozenset(
    """
    [] []= << append at bytesize class clear concat dig each each_char each_pair each_with_index each_index
    empty? equal? fetch first freeze frozen? getbyte hash instance_of? is_a? key? has_key? kind_of? last
    length member? nil? object_id pop push respond_to? send setbyte shift size slice store tap then itself
    to_a to_s to_str to_sym to_h value? lazy yield_self bit_length even? odd? zero? ! != !~ ===
    instance_variable_get public_send __send__ default default=
    """.split()
)
"""Methods that take no longer with a large receiver, or count what they walk over by themselves.

A method in Python that is none of them draws for the size of its receiver and arguments: it may loop over them in C.
"""

_SIZES: dict[type, Callable[[Any], int]] = {
    str: len,
    Text: lambda text: len(text.value),
    list: len,
    dict: len,
    Hash: len,
    int: lambda number: int(number).bit_length() // 8,
}


def _weigh(interpreter: Any, value: Value) -> None:
    size = _SIZES.get(type(value))
    if size is not None:
        count = size(value)
        if count > LARGE:
            interpreter.budget.walk(count, "calling a method", interpreter.at)


def checked(function: Native, low: int, high: int, names: str = "method") -> Native:
    """The function behind a check of the number of its arguments and a draw for their size; see `ill_typed` too."""
    quick = QUICK.issuperset(names.split())
    if high == 0 and low == 0:

        def run_none(interpreter: object, self: Value, arguments: list[Value], block: object) -> Value:
            if arguments:
                raise argument_count(len(arguments), 0, 0)
            if not quick:
                _weigh(interpreter, self)
            try:
                return function(interpreter, self, arguments, block)
            except _WRONG_VALUES as problem:
                raise ill_typed(problem, names, self, arguments) from problem

        return run_none

    def run(interpreter: object, self: Value, arguments: list[Value], block: object) -> Value:
        given = len(arguments)
        if given < low or given > high >= 0:
            raise argument_count(given, low, high)
        if not quick:
            _weigh(interpreter, self)
            for argument in arguments:
                _weigh(interpreter, argument)
        try:
            return function(interpreter, self, arguments, block)
        except _WRONG_VALUES as problem:
            raise ill_typed(problem, names, self, arguments) from problem

    return run


PYTHON_CLASSES: dict[type, Class] = {
    type(None): NIL,
    int: INTEGER,
    float: FLOAT,
    str: STRING,
    Text: STRING,
    Symbol: SYMBOL,
    list: ARRAY,
    dict: HASH,
    Hash: HASH,
    Keywords: HASH,
    Range: RANGE,
    Regexp: REGEXP,
    MatchData: MATCH_DATA,
    Set: SET,
    Enumerator: ENUMERATOR,
    NativeProc: PROC,
    Class: CLASS,
    Module: MODULE,
}
"""The class of a value, by its Python type; booleans and objects say it themselves."""


def table_of(cls: Class, kind: type) -> dict[str, Method]:
    """All methods that a value of the Python type `kind` has as an instance of `cls`."""
    table: dict[str, Method] = {}
    for module in reversed(cls.line()):
        table.update(module.methods)
    if cls is STRING:
        for name, entry in STRING.methods.items():
            if entry.mutates and kind is str:
                table[name] = _with_run(entry, _boxing(entry.run))
            elif not entry.mutates and kind is Text:
                table[name] = _with_run(entry, _opening(entry.run))
    return table


def _with_run(entry: Method, run: Native) -> Method:
    return Method(entry.name, run, entry.low, entry.high, entry.mutates, entry.owner, entry.visibility)


def _boxing(run: Native) -> Native:
    return lambda interpreter, self, arguments, block: run(interpreter, Text(self), arguments, block)


def _opening(run: Native) -> Native:
    return lambda interpreter, self, arguments, block: run(interpreter, self.value, arguments, block)


def text_of(value: Value) -> str:
    """The text of a String; anything else is Ruby's TypeError."""
    if type(value) is str:
        return value
    if type(value) is Text:
        return value.value
    raise error("TypeError", f"no implicit conversion of {kind_word(value)} into String")


def integer_of(value: Value) -> int:
    """An Integer, or a Float cut off; anything else is Ruby's TypeError."""
    kind = type(value)
    if type(value) is int:
        return value
    if kind is float:
        if value != value or value in (float("inf"), float("-inf")):
            raise error("FloatDomainError", {True: "NaN"}.get(value != value, "Infinity" if value > 0 else "-Infinity"))
        return int(value)
    word = "from nil to integer" if value is None else f"of {kind_word(value)} into Integer"
    if value is True or value is False:
        word = f"of {'true' if value else 'false'} into Integer"
    raise error("TypeError", f"no implicit conversion {word}")


def long_of(value: Value) -> int:
    """An Integer that can be a place or a count: what has more than 64 bits is Ruby's RangeError."""
    number = integer_of(value)
    if -_LONG <= number < _LONG:
        return number
    if type(value) is float:
        raise error("RangeError", f"float {value:.15g} out of range of integer")
    raise error("RangeError", "bignum too big to convert into `long'")


def kind_word(value: Value) -> str:
    """How messages about conversions name a value: `nil`, `true`, or its class."""
    if value is None:
        return "nil"
    if value is True:
        return "true"
    if value is False:
        return "false"
    return class_name(value)


def class_name(value: Value) -> str:
    """The name of a value's class."""
    return class_of(value).name or "#<Class>"


def class_of(value: Value) -> Class:
    """The class of a value."""
    cls = PYTHON_CLASSES.get(type(value))
    if cls is not None:
        return cls
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    if isinstance(value, Object):
        return value.cls
    from .values import HostObject, Proc

    if isinstance(value, HostObject):
        return value.ruby_class
    if isinstance(value, Proc):
        return PROC
    if isinstance(value, Class):
        return CLASS
    if isinstance(value, Module):
        return MODULE
    if isinstance(value, FunctionType):
        return METHOD
    return OBJECT


def is_string(value: Value) -> bool:
    """Is it a String?"""
    kind = type(value)
    return kind is str or kind is Text


__all__ = [
    "ARRAY",
    "StructValue",
    "class_of",
    "error",
    "method",
    "singleton",
]
