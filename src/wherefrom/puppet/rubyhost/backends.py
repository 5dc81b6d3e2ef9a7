"""Data functions written in Ruby: `Puppet::LookupContext` as they see it.

A level of Hiera may name a Ruby function (`lookup_key`, `data_hash`, `data_dig`). It is a function like any other; what
it is given to work with is the context that functions written in Puppet get too, and its methods do the same things.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...base.keys import Symbol
from ...ruby.classes import EXCEPTIONS, OBJECT, error
from ...ruby.errors import RubyError
from ...ruby.values import Arguments, Class, Exception_, HostObject, Keywords, Module
from ..hiera.context import LookupContext
from .run import RubyBlock
from .scope import ScopeObject, ruby_run
from .values import enter, leave, text_argument

if TYPE_CHECKING:
    from ...ruby.interpreter import Interpreter


def _method(name: str) -> Any:
    """A method of the context, as functions written in Puppet call it."""

    def call(interpreter: Interpreter, self: LookupContext, arguments: Arguments, block: Any) -> Any:
        ruby = ruby_run(interpreter)
        origin = ruby.origin()
        values = [self, *(leave(argument) for argument in arguments)]
        frame = ruby.activity.frame if ruby.activity is not None else ruby.run.top
        given = None if block is None else RubyBlock(ruby, block)
        try:
            answer = self.call_method(name, frame, values, [origin] * len(values), given, ruby.span)
        except Diagnostic as problem:
            raise ruby.raised(problem) from None
        if answer is None:
            raise error("ArgumentError", f"wrong number of arguments (given {len(arguments)}) for `{name}'")
        ruby.note_value(*answer)
        return enter(interpreter, answer[0])

    return call


def _environment_name(interpreter: Interpreter, self: LookupContext, arguments: Arguments, block: object) -> Any:
    return Symbol(self.environment_of(ruby_run(interpreter).run.settings))


def _explain(interpreter: Interpreter, self: LookupContext, arguments: Arguments, block: object) -> object:
    """Nobody asks for an explanation while a catalog is compiled: the block is not run."""
    return None


def _file_data(interpreter: Interpreter, self: LookupContext, arguments: Arguments, block: Any) -> object:
    """The content of a file, or what the block makes of it; read once."""
    path = text_argument(arguments[0])
    ruby = ruby_run(interpreter)
    kept = ruby.files
    key = (id(self), path)
    if key not in kept:
        text = interpreter.world.read_file(path, interpreter.at)
        kept[key] = (self, text if block is None else block.call([text]))
    return kept[key][1]


def with_text_keys(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """`HieraConfig.symkeys_to_string(data)`: symbols that are keys become strings, at every depth."""
    return _text_keys(arguments[0])


def _text_keys(value: object) -> object:
    if isinstance(value, dict):
        return {key.name if isinstance(key, Symbol) else key: _text_keys(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_text_keys(item) for item in value]
    return value


# --- Puppet::Util::Yaml -----------------------------------------------------------------------------------------------


def _load_yaml(interpreter: Interpreter, text: object, classes: object, filename: object) -> object:
    permitted = Keywords()
    permitted[Symbol("permitted_classes")] = classes or []
    permitted[Symbol("aliases")] = True
    permitted[Symbol("filename")] = filename
    try:
        data = interpreter.send(interpreter.top_constant("YAML"), "safe_load", [text, permitted])
    except RubyError as problem:
        message = interpreter.send(problem.exception, "message")
        if problem.exception.cls is EXCEPTIONS["Psych::DisallowedClass"]:
            message = f"({'<unknown>' if filename is None else text_argument(filename)}): {message}"
        failure = ruby_run(interpreter).errors["Puppet::Util::Yaml::YamlLoadError"]
        raise RubyError(Exception_(failure, message)) from None
    return False if data is None else data


def _safe_load(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    text, classes, filename = (*arguments[:3], None, None)[:3]
    return _load_yaml(interpreter, text, classes, filename)


def _safe_load_file(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    text = interpreter.world.read_file(text_argument(arguments[0]), interpreter.at)
    return _load_yaml(
        interpreter, text.removeprefix("\ufeff"), arguments[1] if len(arguments) > 1 else [], arguments[0]
    )


def _safe_load_valid_file(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    try:
        return _safe_load_file(interpreter, self, arguments, block)
    except RubyError:
        return None


YAML_UTILITIES = {
    "safe_load": _safe_load,
    "load": _safe_load,
    "safe_load_file": _safe_load_file,
    "safe_load_file_if_valid": _safe_load_valid_file,
}


class Invocation(HostObject):
    """`context.invocation`: the scope that the lookup was made from."""

    __slots__ = ()
    ruby_class = Class("Puppet::Pops::Lookup::Invocation", OBJECT, frozen=True)


def _scope(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    ruby = ruby_run(interpreter)
    return ScopeObject(ruby.activity.frame if ruby.activity is not None else ruby.run.top)


Invocation.ruby_class.methods.update(Module(None, {"scope": _scope}).methods)

CONTEXT = Class("Puppet::LookupContext", OBJECT, {
    **{name: _method(name) for name in ("module_name", "not_found", "interpolate", "cache", "cache_all",
                                        "cache_has_key", "cached_value", "cached_entries")},
    "environment_name": _environment_name,
    "explain": _explain,
    "cached_file_data": _file_data,
    "invocation": lambda i, self, a, b: Invocation(),
}, frozen=True)  # fmt: skip
