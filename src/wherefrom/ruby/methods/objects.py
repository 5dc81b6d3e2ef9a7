"""Object, Kernel's instance methods, Comparable, nil, true and false."""

from __future__ import annotations

from typing import Any

from ...base.keys import Symbol
from ..classes import (
    BASIC_OBJECT,
    CLASS,
    COMPARABLE,
    FALSE,
    KERNEL,
    MODULE,
    NIL,
    TRUE,
    class_name,
    class_of,
    error,
    method,
    methods,
)
from ..errors import RubyRefused
from ..hashing import number_of
from ..interpreter import Interpreter
from ..procs import BoundMethod, method_from_block
from ..showing import compare, default_inspect, default_to_s, eql, equal, inspect, name_of, to_s
from ..support import instance_variables
from ..values import (
    Class,
    Enumerator,
    Exception_,
    Hash,
    HostObject,
    Module,
    Object,
    Proc,
    Range,
    Regexp,
    Set,
    StructValue,
    Text,
    Value,
    Visibility,
    truth,
)

Args = list[Value]


def is_same(left: Value, right: Value) -> bool:
    """`left.equal?(right)`: the same object; numbers, symbols and the like are always the same."""
    return left is right or (type(left) is type(right) and type(left) in (int, float, Symbol) and left == right)


methods(
    BASIC_OBJECT,
    1,
    1,
    {
        "== equal?": lambda i, s, a, b: is_same(s, a[0]),
        "!=": lambda i, s, a, b: not equal(i, s, a[0]),
    },
)
methods(BASIC_OBJECT, 0, 0, {"!": lambda i, s, a, b: not truth(s)})


@method(BASIC_OBJECT, "initialize", 0, -1)
def initialize(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if a and type(self) is Object:
        raise error("ArgumentError", f"wrong number of arguments (given {len(a)}, expected 0)")
    return None


BASIC_OBJECT.methods["initialize"].visibility = Visibility.PRIVATE


@method(BASIC_OBJECT, "instance_eval instance_exec", 0, -1)
def instance_exec(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if block is None:
        raise RubyRefused("`instance_eval` of a string evaluates it as code, which is not allowed", i.at)
    return i.call_with_self(block, self, a or [self], of_self=True)


@method(BASIC_OBJECT, "__send__", 1, -1)
def send(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    return i.send(self, name_of(a[0]), a[1:], block)


KERNEL.methods["send"] = BASIC_OBJECT.methods["__send__"]


@method(KERNEL, "public_send", 1, -1)
def public_send(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    name = name_of(a[0])
    entry = i.find(self, name)
    if entry is not None and entry.visibility is not Visibility.PUBLIC:
        raise i.private_call(self, name, entry.visibility)
    return i.send(self, name, a[1:], block)


@method(KERNEL, "hash", 0)
def hash_number(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return number_of(i, self)


def class_in(i: Interpreter, value: Value) -> Class:
    """The class of a value, the host's own kinds included."""
    return i.foreign.get(type(value)) or class_of(value)


def instance_of_class(i: Interpreter, value: Value, cls: Value) -> bool:
    """Whether a value is an instance of a class or module, or of one below it."""
    if not isinstance(cls, Module):
        raise error("TypeError", "class or module required")
    if isinstance(value, Module):
        return cls in value.extended or (CLASS if value.is_class else MODULE).inherits(cls)
    if isinstance(value, Object) and value.extensions is not None and cls in value.extensions:
        return True
    return class_in(i, value).inherits(cls)


@method(KERNEL, "respond_to?", 1, 2)
def respond_to(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    name = name_of(a[0])
    if len(a) > 1 and truth(a[1]) and i.find(self, name) is not None:
        return True
    return i.responds(self, name)


def _is_plain(value: Value) -> bool:
    """Whether `showing` knows a value without asking its methods."""
    return value is None or isinstance(value, (str, Text, bool, int, float, Symbol, list, dict, Range, Regexp, Module))


@method(KERNEL, "to_s", 0)
def to_s_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if self is i.main:
        return "main"
    return to_s(i, self) if _is_plain(self) else default_to_s(i, self)


@method(KERNEL, "inspect", 0)
def inspect_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if self is i.main:
        return "main"
    return inspect(i, self) if _is_plain(self) else default_inspect(i, self)


@method(KERNEL, "tap", 0)
def tap(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    block.one(self)
    return self


@method(KERNEL, "clone", 0, 1)
def clone(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    copy = duplicate(i, self)
    thaw = bool(a) and isinstance(a[0], dict) and a[0].get(Symbol("freeze")) is False
    if is_frozen(i, self) and not thaw:
        freeze(i, copy)
    return copy


def duplicate(i: Interpreter, value: Value) -> Value:
    """A shallow copy."""
    kind = type(value)
    if kind is str:
        return Text(value)
    if kind is Text:
        return Text(value.value)
    if kind is list:
        i.make_items(len(value))
        return list(value)
    if isinstance(value, dict):
        i.make_items(len(value))
        return Hash(value, value.default, value.default_proc) if isinstance(value, Hash) else dict(value)
    if isinstance(value, Set):
        return Set(dict(value.members))
    if isinstance(value, Object):
        return _duplicate_object(i, value)
    if isinstance(value, Enumerator):
        return Enumerator(value.receiver, value.method, value.arguments, value.is_sized)
    return value


def _duplicate_object(i: Interpreter, value: Object) -> Object:
    copy: object
    if isinstance(value, StructValue):
        copy = StructValue(value.cls)
        copy.fields = dict(value.fields)
    elif isinstance(value, Exception_):
        copy = Exception_(value.cls, value.message)
    else:
        copy = Object(value.cls)
    copy.host = value.host
    copy.ivars = dict(value.ivars)
    hook = value.cls.find("initialize_copy")
    if hook is not None:
        hook.run(i, copy, [value], None)
    return copy


def freeze(i: Interpreter, value: Value) -> Value:
    """Make a value one that can not be changed."""
    if type(value) is Text:
        value.frozen = True
    elif isinstance(value, (list, dict, Object, Set)):
        i.frozen[id(value)] = value
    return value


def is_frozen(i: Interpreter, value: Value) -> bool:
    """Whether a value can not be changed."""
    if type(value) is Text:
        return value.frozen
    if type(value) is str:
        return i.world.is_frozen(value)
    if isinstance(value, (list, dict, Object, Set)):
        return id(value) in i.frozen or i.world.is_frozen(value)
    return not isinstance(value, (Module, Proc))


@method(KERNEL, "method public_method", 1)
def method_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    name = name_of(a[0])
    entry = i.find(self, name)
    if entry is None:
        raise error("NameError", f"undefined method `{name}' for class `{class_name(self)}'")
    return BoundMethod(i, self, entry)


@method(KERNEL, "singleton_methods", 0, 1)
def singleton_methods(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    own = self.own if isinstance(self, (Module, Object)) else None
    return [Symbol(name) for name in own or {}]


@method(KERNEL, "methods public_methods", 0, 1)
def methods_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if isinstance(self, Module):
        return [Symbol(name) for name in self.own]
    names: dict[str, None] = {}
    for module in class_in(i, self).line():
        names.update(dict.fromkeys(n for n, m in module.methods.items() if m.visibility is Visibility.PUBLIC))
    return [Symbol(name) for name in names]


def _variable(value: Value) -> str:
    name = name_of(value)
    if not name.startswith("@"):
        raise error("NameError", f"'{name}' is not allowed as an instance variable name")
    return name


@method(KERNEL, "instance_variable_set", 2)
def instance_variable_set(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    instance_variables(self, writing=True)[_variable(a[0])] = a[1]
    return a[1]


@method(KERNEL, "extend", 1, -1)
def extend(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    for module in a:
        if not isinstance(module, Module) or module.is_class:
            raise error("TypeError", f"wrong argument type {class_name(module)} (expected Module)")
        if isinstance(self, Module):
            if self.frozen:
                raise RubyRefused(f"`{self.name}` cannot be changed", i.at)
            self.extended.append(module)
        elif isinstance(self, Object):
            self.own = self.own or {}
            self.extensions = [*(self.extensions or []), module]
            for ancestor in reversed(module.line()):
                self.own.update(ancestor.methods)
        hook = module.find_own("extended")
        if hook is not None:
            hook.run(i, module, [self], None)
    return self


@method(KERNEL, "define_singleton_method", 1, 2)
def define_singleton_method(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    from ..calling import own_methods

    name = name_of(a[0])
    own_methods(i, self)[name] = method_from_block(name, block or a[1], self)
    return Symbol(name)


methods(
    KERNEL,
    0,
    0,
    {
        "nil?": lambda i, s, a, b: s is None,
        "class": lambda i, s, a, b: class_in(i, s),
        "singleton_class": lambda i, s, a, b: s if isinstance(s, Module) else class_in(i, s),
        "itself": lambda i, s, a, b: s,
        "taint untaint trust untrust": lambda i, s, a, b: s,  # they do nothing any more
        "tainted? untrusted?": lambda i, s, a, b: False,
        "then yield_self": lambda i, s, a, b: b.one(s),
        "dup": lambda i, s, a, b: duplicate(i, s),
        "freeze": lambda i, s, a, b: freeze(i, s),
        "frozen?": lambda i, s, a, b: is_frozen(i, s),
        "instance_variables": lambda i, s, a, b: [Symbol(name) for name in instance_variables(s)],
        "display": lambda i, s, a, b: i.world.print(to_s(i, s)),
    },
)
methods(
    KERNEL,
    1,
    1,
    {
        "===": lambda i, s, a, b: equal(i, s, a[0]),
        "=~": lambda i, s, a, b: None,
        "!~": lambda i, s, a, b: not truth(i.send(s, "=~", a)),
        "eql?": lambda i, s, a, b: s is a[0] if isinstance(s, Object | HostObject) else eql(i, s, a[0]),
        "<=>": lambda i, s, a, b: 0 if s is a[0] or equal(i, s, a[0]) else None,
        "is_a? kind_of?": lambda i, s, a, b: instance_of_class(i, s, a[0]),
        "instance_of?": lambda i, s, a, b: class_in(i, s) is a[0],
        "instance_variable_get": lambda i, s, a, b: instance_variables(s).get(_variable(a[0])),
        "instance_variable_defined?": lambda i, s, a, b: _variable(a[0]) in instance_variables(s),
        "remove_instance_variable": lambda i, s, a, b: instance_variables(s).pop(_variable(a[0]), None),
    },
)
methods(
    KERNEL,
    0,
    -1,
    {"enum_for to_enum": lambda i, s, a, b: Enumerator(s, name_of(a[0]) if a else "each", a[1:])},
)

# --- Comparable ------------------------------------------------------------------------------------------------------


def compared(i: Interpreter, left: Value, right: Value) -> int:
    """`left <=> right`, which must be comparable."""
    result = compare(i, left, right)
    if result is None:
        raise error("ArgumentError", comparison_words(i, left, right))
    return result


def comparison_words(i: Interpreter, left: Value, right: Value) -> str:
    """`comparison of Integer with String failed`; numbers, nil and booleans are shown as they are."""
    special = right is None or type(right) in (bool, float, Symbol) or (type(right) is int and abs(right) < 1 << 62)
    shown = inspect(i, right) if special else class_name(right)
    return f"comparison of {class_name(left)} with {shown} failed"


def clamp(i: Interpreter, value: Value, a: Args) -> Value:
    """`value.clamp(low, high)`, or of a range."""
    if len(a) == 1:
        if not isinstance(a[0], Range):
            raise error("TypeError", f"wrong argument type {class_name(a[0])} (expected Range)")
        low, high = a[0].first, a[0].last
        if a[0].exclusive and high is not None:
            raise error("ArgumentError", "cannot clamp with an exclusive range")
    else:
        low, high = a
    if low is not None and high is not None and compared(i, low, high) > 0:
        raise error("ArgumentError", "min argument must be smaller than max argument")
    if low is not None and compared(i, value, low) < 0:
        return low
    return high if high is not None and compared(i, value, high) > 0 else value


methods(
    COMPARABLE,
    1,
    1,
    {
        "<": lambda i, s, a, b: compared(i, s, a[0]) < 0,
        ">": lambda i, s, a, b: compared(i, s, a[0]) > 0,
        "<=": lambda i, s, a, b: compared(i, s, a[0]) <= 0,
        ">=": lambda i, s, a, b: compared(i, s, a[0]) >= 0,
        "==": lambda i, s, a, b: s is a[0] or compare(i, s, a[0]) == 0,
    },
)
methods(COMPARABLE, 2, 2, {"between?": lambda i, s, a, b: compared(i, s, a[0]) >= 0 and compared(i, s, a[1]) <= 0})
methods(COMPARABLE, 1, 2, {"clamp": lambda i, s, a, b: clamp(i, s, a)})

# --- nil, true, false ------------------------------------------------------------------------------------------------

methods(
    NIL,
    0,
    0,
    {
        "to_s": lambda i, s, a, b: Text("", frozen=True),
        "inspect": lambda i, s, a, b: "nil",
        "to_a": lambda i, s, a, b: [],
        "to_h": lambda i, s, a, b: {},
        "to_i": lambda i, s, a, b: 0,
        "to_f": lambda i, s, a, b: 0.0,
    },
)
methods(NIL, 1, 1, {"&": lambda i, s, a, b: False, "|": lambda i, s, a, b: truth(a[0])})
for _boolean in (TRUE, FALSE):
    methods(
        _boolean,
        1,
        1,
        {
            "&": lambda i, s, a, b: s is True and truth(a[0]),
            "|": lambda i, s, a, b: s is True or truth(a[0]),
            "^": lambda i, s, a, b: s is not truth(a[0]),
        },
    )
    methods(_boolean, 0, 0, {"to_s inspect": lambda i, s, a, b: Text("true" if s else "false", frozen=True)})
