"""Module and Class: definitions that Ruby code makes, and what it may ask about them."""

from __future__ import annotations

from typing import Any

from ...base.keys import Symbol
from ..calling import inherited, new_class
from ..classes import CLASS, MODULE, OBJECT, checked, class_name, error, method, methods, singleton
from ..errors import RubyRefused
from ..interpreter import Interpreter
from ..procs import BoundMethod, method_from_block
from ..showing import module_name, name_of
from ..support import instance_variables
from ..values import Class, Method, Module, Value, Visibility, truth
from ..world import MISSING
from .objects import Args, instance_of_class


@method(CLASS, "new", 0, -1)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    instance = allocate(i, self)
    hook = self.find("initialize")
    if hook is not None:
        hook.run(i, instance, a, block)
    return instance


def allocate(i: Interpreter, cls: Class) -> Value:
    """An instance that is not initialized."""
    if cls.make is None:
        raise error("NoMethodError", f"undefined method `new' for {module_name(cls)}:Class")
    return cls.make(cls)


@singleton(CLASS, "new", 0, 1)
def new_class_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    above = a[0] if a else OBJECT
    if not isinstance(above, Class):
        raise error("TypeError", f"superclass must be a Class ({class_name(above)} given)")
    cls = new_class(i, above)
    inherited(i, cls)
    if block is not None:
        i.call_with_self(block, cls, [cls], cls)
    return cls


@singleton(MODULE, "new", 0)
def new_module(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    module = Module(None)
    if block is not None:
        i.call_with_self(block, module, [module], module)
    return module


def is_below(one: Module, two: Value) -> bool | None:
    """`one <= two`: nil when they have nothing to do with each other."""
    if not isinstance(two, Module):
        raise error("TypeError", "compared with non class/module")
    return True if two in one.line() else False if one in two.line() else None


def writable(i: Interpreter, module: Module) -> None:
    """Refuse to change Ruby's own classes and the host's."""
    if module.frozen:
        raise RubyRefused(f"`{module.name}` cannot be changed", i.at)


@method(MODULE, "include", 1, -1)
def include(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    for module in reversed(a):
        if not isinstance(module, Module) or module.is_class:
            raise error("TypeError", f"wrong argument type {class_name(module)} (expected Module)")
        if module not in self.included:
            self.included.append(module)
        hook = module.find_own("included")
        if hook is not None:
            hook.run(i, module, [self], None)
    return self


@method(MODULE, "prepend", 1, -1)
def prepend(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    self.prepended.extend(a)
    return self


def _reader(name: str) -> Method:
    variable = f"@{name}"

    def read(i: Interpreter, self: Value, a: Args, block: object) -> Value:
        if a:
            raise error("ArgumentError", f"wrong number of arguments (given {len(a)}, expected 0)")
        return instance_variables(self).get(variable)

    return Method(name, read, 0, 0)


def _writer(name: str) -> Method:
    variable = f"@{name}"

    def write(i: Interpreter, self: Value, a: Args, block: object) -> Value:
        i.check_frozen(self)
        instance_variables(self, writing=True)[variable] = a[0]
        return a[0]

    return Method(f"{name}=", checked(write, 1, 1), 1, 1)


def _attributes(i: Interpreter, module: Module, names: Args, read: bool, write: bool) -> Value:
    writable(i, module)
    symbols: list[Value] = []
    for value in names:
        name = name_of(value)
        for accessor in [_reader(name)] * read + [_writer(name)] * write:
            accessor.owner = module
            module.methods[accessor.name] = accessor
            i.defined.add(accessor.name)
            symbols.append(Symbol(accessor.name))
    return symbols


def _set_visibility(i: Interpreter, module: Module, names: Args, visibility: str, own: bool = False) -> Value:
    writable(i, module)
    given = names
    if len(names) == 1 and type(names[0]) is list:
        names = names[0]
    for value in names:
        name = name_of(value)
        entry = module.find_own(name) if own else module.find(name)
        if entry is None:
            raise error("NameError", f"undefined method `{name}' for class `{module_name(module)}'")
        copy = Method(name, entry.run, entry.low, entry.high, entry.mutates, entry.owner, visibility)
        copy.parameters, copy.written = entry.parameters, entry.written
        (module.own if own else module.methods)[name] = copy
    return given[0] if given else None


@method(MODULE, "module_function", 0, -1)
def module_function(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    for value in a:
        entry = self.find(name_of(value))
        if entry is not None:
            self.own[name_of(value)] = entry
    return None


@method(MODULE, "define_method", 1, 2)
def define_method(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    name = name_of(a[0])
    self.methods[name] = method_from_block(name, block if block is not None else a[1], self)
    i.defined.add(name)
    return Symbol(name)


@method(MODULE, "alias_method", 2)
def alias_method(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    new_name, old_name = (name_of(value) for value in a)
    entry = self.find(old_name)
    if entry is None:
        raise error("NameError", f"undefined method `{old_name}' for class `{module_name(self)}'")
    self.methods[new_name] = entry
    i.defined.add(new_name)
    return Symbol(new_name)


@method(MODULE, "remove_method undef_method", 0, -1)
def remove_method(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    for value in a:
        self.methods.pop(name_of(value), None)
    return self


@method(MODULE, "instance_methods public_instance_methods", 0, 1)
def instance_methods(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    line = [self] if a and not truth(a[0]) else self.line()
    names: dict[str, None] = {}
    for module in line:
        names.update(dict.fromkeys(n for n, m in module.methods.items() if m.visibility is not Visibility.PRIVATE))
    return [Symbol(name) for name in names]


@method(MODULE, "instance_method", 1)
def instance_method(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    entry = self.find(name_of(a[0]))
    if entry is None:
        raise error("NameError", f"undefined method `{name_of(a[0])}' for class `{module_name(self)}'")
    return BoundMethod(i, None, entry)


def _constant_at(i: Interpreter, start: Value, path: str) -> Value:
    """`start::path`, or `MISSING`."""
    here = start
    for part in path.split("::"):
        if not part:
            here = OBJECT
            continue
        if not part[0].isupper():
            raise error("NameError", f"wrong constant name {part}")
        value = i.constant_in(here, part)
        if value is MISSING and here is start:
            value = i.top_constant(part)
        if value is MISSING:
            return MISSING
        here = value
    return here


@method(MODULE, "const_get", 1, 2)
def const_get(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    value = _constant_at(i, self, name_of(a[0]))
    if value is MISSING:
        raise i.uninitialized(self, name_of(a[0]), i.at)
    return value


@method(MODULE, "const_set", 2)
def const_set(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if self is not OBJECT:
        writable(i, self)
    i.define_constant(self, name_of(a[0]), a[1])
    return a[1]


@method(MODULE, "class_variable_get", 1)
def class_variable_get(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    for module in self.line():
        if name_of(a[0]) in module.class_variables:
            return module.class_variables[name_of(a[0])]
    raise error("NameError", f"uninitialized class variable {name_of(a[0])} in {module_name(self)}")


@method(MODULE, "class_variable_set", 2)
def class_variable_set(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    self.class_variables[name_of(a[0])] = a[1]
    return a[1]


@method(MODULE, "class_eval class_exec module_eval module_exec", 0, -1)
def class_exec(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if block is None:
        raise RubyRefused("`class_eval` of a string evaluates it as code, which is not allowed", i.at)
    writable(i, self)
    return i.call_with_self(block, self, a or [self], self)


@method(MODULE, "refine using", 0, -1)
def refine(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    raise RubyRefused("refinements change Ruby's own classes, which is not allowed", i.at)


def _is_defined(module: Module, name: Value, private: bool) -> bool:
    entry = module.find(name_of(name))
    return entry is not None and (entry.visibility is Visibility.PRIVATE) is private


methods(
    CLASS,
    0,
    0,
    {"allocate": lambda i, s, a, b: allocate(i, s), "superclass": lambda i, s, a, b: s.superclass},
)
methods(
    MODULE,
    0,
    0,
    {
        "name": lambda i, s, a, b: s.name,
        "to_s inspect": lambda i, s, a, b: module_name(s),
        "ancestors": lambda i, s, a, b: list(s.line()),
        "included_modules": lambda i, s, a, b: [m for m in s.line() if not m.is_class and m is not s],
    },
)
methods(
    MODULE,
    1,
    1,
    {
        "===": lambda i, s, a, b: instance_of_class(i, a[0], s),
        "==": lambda i, s, a, b: s is a[0],
        "<": lambda i, s, a, b: False if s is a[0] else is_below(s, a[0]),
        "<=": lambda i, s, a, b: is_below(s, a[0]),
        ">": lambda i, s, a, b: False if s is a[0] else is_below(a[0], s),
        ">=": lambda i, s, a, b: is_below(a[0], s),
        "include?": lambda i, s, a, b: a[0] is not s and a[0] in s.line(),
        "included extended inherited method_added prepended": lambda i, s, a, b: None,
        "class_variable_defined?": lambda i, s, a, b: any(name_of(a[0]) in m.class_variables for m in s.line()),
    },
)
methods(
    MODULE,
    0,
    -1,
    {
        "attr_reader attr": lambda i, s, a, b: _attributes(i, s, a, True, False),
        "attr_writer": lambda i, s, a, b: _attributes(i, s, a, False, True),
        "attr_accessor": lambda i, s, a, b: _attributes(i, s, a, True, True),
        "private": lambda i, s, a, b: _set_visibility(i, s, a, Visibility.PRIVATE),
        "public": lambda i, s, a, b: _set_visibility(i, s, a, Visibility.PUBLIC),
        "protected": lambda i, s, a, b: _set_visibility(i, s, a, Visibility.PROTECTED),
        "private_class_method": lambda i, s, a, b: _set_visibility(i, s, a, Visibility.PRIVATE, True),
        "public_class_method": lambda i, s, a, b: _set_visibility(i, s, a, Visibility.PUBLIC, True),
        "private_constant public_constant deprecate_constant": lambda i, s, a, b: None,
        "constants": lambda i, s, a, b: [Symbol(name) for name in s.constants],
    },
)
methods(
    MODULE,
    1,
    2,
    {
        "method_defined? public_method_defined?": lambda i, s, a, b: _is_defined(s, a[0], False),
        "private_method_defined?": lambda i, s, a, b: _is_defined(s, a[0], True),
        "const_defined?": lambda i, s, a, b: _constant_at(i, s, name_of(a[0])) is not MISSING,
    },
)
