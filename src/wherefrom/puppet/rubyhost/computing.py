"""Which functions of Ruby only compute: whatever they are given, they change nothing of the catalog.

A branch that was not taken matters by what it would have done. Of a function in Ruby that is not known, so it may be
anything; most functions of modules (`pick`, `merge`, `any2array`) compute a value and do nothing else, and their code
shows it: nothing in it leads to Puppet's own objects. What leads there is known: constants of `Puppet`; methods of the
function or scope that the code runs in (`self`); an injected scope; variables that outlive a call; code that is made
while it runs. A file in which each of these is of a kind listed here only computes. Any doubt means that it may act.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ...base.diagnostics import Diagnostic
from ...ruby.errors import NotSupported, RubySyntaxError
from ...ruby.nodes import Alias as Renamed
from ...ruby.nodes import (
    Call,
    ClassVariable,
    Constant,
    ConstantName,
    Define,
    DefineClass,
    DefineModule,
    GlobalVariable,
    InstanceVariable,
    Node,
    Self,
    SingletonClass,
    Str,
    Super,
    Undefine,
    Unsupported,
    inside,
)
from ...ruby.requiring import KNOWN

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ...ruby.programs import Program
    from .library import RubyLibrary

IsHarmless: TypeAlias = Callable[[str, bool], bool]
"""Of a function by its name, that is called in the old way, or in today's."""

_OWN = frozenset(
    "raise lambda proc loop format sprintf Integer Float String Array Hash Rational Complex catch throw block_given?"
    " rand srand puts print p _ N_ n_ lookupvar newfunction create_function param required_param optional_param"
    " repeated_param optional_repeated_param required_repeated_param block_param optional_block_param"
    " required_block_param return_type dispatch local_types require debug info notice warning err".split()
)
"""Methods of the function or scope that the code runs in, of Ruby's kernel and of signatures: they change nothing."""

_PUPPET = frozenset(("Functions", "ParseError", "Error", "DevError", "Parser"))
"""Constants right below `Puppet` that lead to nothing: those by which functions are defined, and errors."""

_HOMES = ("Puppet::Parser::Functions", "Puppet::Parser", "Puppet", "Parser::Functions", "Parser", "Functions")
"""The modules that functions of the old interface are defined in."""

_LOGGING = frozenset("[] version debug info notice warning err deprecation_warning".split())
"""What may be asked of `Puppet` itself."""

_READING = frozenset("[] lookupvar exist? include? bound?".split())
"""What may be asked of the scope of a function."""

_MADE_CODE = frozenset(
    "send public_send __send__ method public_method instance_method define_method instance_eval instance_exec"
    " class_eval class_exec module_eval module_exec eval binding const_get instance_variable_get instance_variable_set"
    " method_missing load autoload require_relative extend".split()
)
"""Methods that call or make code whose name or text is worked out."""


_LEADING = frozenset(
    "closure_scope enclosing_scope scope scope_param cache_param catalog compiler resource resources environment loader"
    " loaders dispatcher known_resource_types findresource find_resource resolve setvar add_resource".split()
)
"""Methods that lead from an object of Puppet's to others, whoever they are asked of."""


def computing_code(library: RubyLibrary, path: str, is_harmless: IsHarmless) -> SourceFile | None:
    """The file of a function, if it only computes.  `is_harmless` says so of functions that it calls by name."""
    try:
        program = library.unrecorded_program(path)  # a catalog depends on whether it computes, not on its text
    except (Diagnostic, RubySyntaxError, NotSupported):
        return None
    return program.source if _only_computes(program, is_harmless) else None


def _only_computes(program: Program, is_harmless: IsHarmless) -> bool:
    records = list(inside(program.root))
    own = _OWN | {record.name for record in records if isinstance(record, Define)}
    told: set[int] = set()
    """Nodes that are in order because of what they are part of, by identity."""
    for record in records:
        if isinstance(record, Call):
            if not _is_harmless_call(record, own, told, is_harmless):
                return False
        elif isinstance(record, ConstantName):
            if not _is_harmless_constant(record, told):
                return False
        elif isinstance(record, DefineModule):
            _tell(record.path, told)
            if record.path.span.text.removeprefix("::") not in (
                "Puppet::Parser::Functions",
                "Puppet::Parser",
                "Puppet",
            ):
                return False
        elif isinstance(record, Define):
            if record.name == "call" or record.singleton is not None:  # it is given the scope; it outlives the call
                return False
        elif isinstance(record, Self):
            if id(record) not in told:
                return False
        elif isinstance(
            record,
            DefineClass | SingletonClass | Super | Renamed | Undefine | Unsupported | GlobalVariable | ClassVariable
            | InstanceVariable,
        ):  # fmt: skip
            return False
    return True


def _is_harmless_call(call: Call, own: frozenset[str], told: set[int], is_harmless: IsHarmless) -> bool:
    name, receiver = call.name, call.receiver
    if name in _MADE_CODE or (name in _LEADING and id(call) not in told):
        return False
    if name.startswith("function_"):
        return is_harmless(name.removeprefix("function_"), True)
    if name == "call_function":
        called = call.arguments[0] if call.arguments else None
        return isinstance(called, Str) and is_harmless(called.value, False)
    if name == "require":
        library = call.arguments[0] if call.arguments else None
        return isinstance(library, Str) and library.value in KNOWN
    if name == "dispatch" and len(call.arguments) == 1:
        return isinstance(call.arguments[0], Constant | Str)
    if isinstance(receiver, Call) and receiver.name == "closure_scope" and name in _READING:
        told.add(id(receiver))
    if isinstance(receiver, Self):
        told.add(id(receiver))
    if isinstance(receiver, ConstantName) and receiver.scope is None and receiver.name == "Puppet" and name in _LOGGING:
        told.add(id(receiver))
    is_own = receiver is None or isinstance(receiver, Self)
    return not is_own or name in own or id(call) in told


def _is_harmless_constant(constant: ConstantName, told: set[int]) -> bool:
    """Whether a constant is none of Puppet's, or one that leads to nothing; the outermost is met first."""
    if id(constant) in told:
        return True
    names: list[str] = []
    scope: Node | None = constant
    while isinstance(scope, ConstantName):
        names.append(scope.name)
        scope = scope.scope
    _tell(constant, told)
    if scope is not None or names[-1] != "Puppet":
        return scope is None
    return names[0] in ("Functions", "ParseError", "Error", "DevError") and names[-2] in _PUPPET and len(names) <= 3


def _tell(constant: ConstantName, told: set[int]) -> None:
    """A constant is in order, and so are those that it stands in."""
    scope: Node | None = constant
    while isinstance(scope, ConstantName):
        told.add(id(scope))
        scope = scope.scope
