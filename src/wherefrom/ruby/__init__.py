"""Ruby, the closed part of it that configurations carry: run without Ruby, hermetic and bounded.

This package knows no Puppet. It is used so:

    program = compile_ruby(SourceFile("modules/x/lib/puppet/functions/f.rb", text))    # once; RubySyntaxError
    template = compile_erb(SourceFile("modules/x/templates/a.erb", text))              # once
    interpreter = Interpreter(world, budget, foreign)                                  # one per compilation
    value = interpreter.run(program)                                                   # the file's last value
    text = template.render(interpreter, self_object)                                   # a str

**Values** are Python's own and shared, not copied: nil None, true/false bool, Integer int, Float float, String str,
Array list, Hash dict (keys as in `wherefrom.base.keys`: `str`, `int`, `Symbol`, everything else `Key`), Symbol
`wherefrom.base.keys.Symbol`. Ruby code that changes an array changes the caller's list. Inside Ruby a string may be a
`values.Text` (one that can change); what leaves (results, arguments of host methods) is opened to `str` by `settle`.
The rest (`Range`, `Regexp`, `Proc`, `Set`, `Object`, `Class`, ...) are the classes of `wherefrom.ruby.values`.

**Offering objects to Ruby.** Everything reachable is a closed table of Python functions
`(interpreter, self, arguments, block) -> value`; no Python attribute ever is.

* a module or class: `Module("Puppet::Util", own={"method": function})`; `Class("Puppet::X", OBJECT, natives={...},
  own={...})`. `natives` are instance methods, `own` the module's own (`Puppet::Util.method`). Ruby code can open one
  (`module Puppet::Parser::Functions`) and subclass it unless it is `frozen=True`. `Module.host` may hold anything.
* an object: a subclass of `HostObject` with `ruby_class = Class(...)`. If it has an attribute `ruby_variables` (a
  dict by `@name`, or anything with `get`, `in`, `[]=`), these are its instance variables: a template's `@x` are those
  of the `self_object` it is rendered with.
* a Python type whose values the host has anyway (its own regexps, versions, sensitive values): `foreign={type: Class}`.

**Constants** that Ruby code names and that neither it nor Ruby defines are asked of `World.constant(interpreter, scope,
name)`: `scope` is None at the top, or a `Module`; answer `MISSING` if there is none (NameError). `require` of an
unknown library asks `World.require`. Files, clock, environment, random numbers, printing are doors of `World`, closed
unless overridden.

**Calling into Ruby.** `interpreter.send(receiver, name, arguments, block)`; `interpreter.instantiate(cls, arguments)`;
blocks are `Proc`s: `block.call(arguments)`, `block.one(value)`; `interpreter.call_with_self(block, self, arguments,
definee)` is `instance_exec`, and with `definee` (a `Class`) `class_exec`: `def` inside puts methods there;
`interpreter.call_as_method(block, self, arguments)` runs a block as a method body, where `return` works. A `NativeProc`
is a block made in Python.

**Errors.** A Ruby exception that nobody rescues is `RubyError`: `class_name`, `message`, `is_a("ArgumentError")`,
`span` (innermost place in a source), `places` (all, innermost first). A host raises one with `error("ArgumentError",
"words")` from `wherefrom.ruby.classes`. What wherefrom does not run is `NotSupported`, what would reach out of the run
`RubyRefused`, what goes over the budget `OverBudget`; no `rescue` in Ruby code catches those three.
"""

from __future__ import annotations

from ..base.keys import Symbol as Symbol
from .builtins import core_constants as core_constants
from .errors import NotSupported as NotSupported
from .errors import RubyError as RubyError
from .errors import RubyRefused as RubyRefused
from .errors import RubySyntaxError as RubySyntaxError
from .interpreter import Interpreter as Interpreter
from .programs import Program as Program
from .programs import Template as Template
from .programs import compile_erb as compile_erb
from .programs import compile_ruby as compile_ruby
from .values import Class as Class
from .values import HostObject as HostObject
from .values import Method as Method
from .values import Module as Module
from .values import NativeProc as NativeProc
from .values import Object as Object
from .values import Proc as Proc
from .values import settle as settle
from .world import MISSING as MISSING
from .world import World as World
