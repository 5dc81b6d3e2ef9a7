"""The constants that modules' Ruby names: `Puppet` and what is below it, `Facter`, `PSON`, `SemanticPuppet`.

Made anew for each run (`install`), because Ruby code opens these modules and puts things into them; the methods in them
are closed tables, as everywhere. What a module of Puppet's has and this table has not is `uninitialized constant` or
`undefined method`, with the line of Ruby that asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...base.keys import Symbol
from ...provenance.origins import Leaf
from ...ruby.classes import EXCEPTIONS, OBJECT, error, integer_of
from ...ruby.errors import RubyRefused
from ...ruby.showing import to_s
from ...ruby.values import Arguments, Class, HostObject, Module, truth
from ...ruby.world import MISSING
from ..runtime.versions import VERSIONS
from ..types import describe_mismatch, parse_type
from ..types.infer import infer, infer_set
from ..types.model import PuppetType
from .backends import YAML_UTILITIES, with_text_keys
from .functions import create_function, function_classes
from .legacy import loaded, new_function
from .scope import (
    LOG_LEVELS,
    CatalogObject,
    CompilerObject,
    DefinitionObject,
    EnvironmentObject,
    ModuleObject,
    NodeObject,
    ResourceObject,
    ScopeObject,
    logger,
    ruby_run,
)
from .values import (
    ANY_TYPE,
    BINARY,
    REFERENCE,
    SENSITIVE,
    TIMESPAN,
    TIMESTAMP,
    VERSION,
    VERSION_RANGE,
    enter_plain,
    leave,
    text_argument,
    type_class_name,
    word,
)

if TYPE_CHECKING:
    from ...ruby.interpreter import Interpreter
    from .run import RubyRun

_ERRORS = """
    Puppet::Error RuntimeError; Puppet::DevError Puppet::Error; Puppet::ParseError Puppet::Error
    Puppet::ParseErrorWithIssue Puppet::ParseError; Puppet::PreformattedError Puppet::ParseErrorWithIssue
    Puppet::ResourceError Puppet::Error; Puppet::ExecutionFailure Puppet::Error; Puppet::MissingCommand Puppet::Error
    Puppet::SettingsError Puppet::Error; Puppet::DataBinding::LookupError Puppet::PreformattedError
    Puppet::Type::InvalidTypeName Puppet::Error; Puppet::Util::CommandLineError Puppet::Error
    Puppet::Util::Yaml::YamlLoadError Puppet::Error
"""


def _module(parent: Module | None, name: str, own: dict[str, Any] | None = None, natives: Any = None) -> Module:
    full = name if parent is None else f"{parent.name}::{name}"
    module = Module(full, natives, own, outer=parent, host=True)
    if parent is not None:
        parent.constants[name] = module
    return module


def install(ruby: RubyRun) -> None:
    """Put `Puppet` and the rest into the interpreter of a run."""
    interpreter = ruby.interpreter
    puppet = _module(None, "Puppet", _PUPPET)
    interpreter.constants["Puppet"] = puppet
    puppet.constants["PUPPETVERSION"] = VERSIONS[ruby.environment.puppet_version]
    util = _module(puppet, "Util", _UTIL, {"absolute_path?": _absolute_path})
    for name, own in _UTILITIES.items():
        _module(util, name, own, own)
    functions = _module(
        puppet, "Functions", {"create_function": _create_function, "create_loaded_function": _create_loaded}
    )
    functions.constants["Function"], functions.constants["InternalFunction"] = function_classes()
    parser = _module(puppet, "Parser")
    _module(parser, "Functions", _PARSER_FUNCTIONS)
    _module(parser, "Files", {"find_template": _find_template, "find_file": _find_file})
    parser.constants.update(Scope=ScopeObject.ruby_class, Resource=ResourceObject.ruby_class,
                            Compiler=CompilerObject.ruby_class)  # fmt: skip
    puppet.constants.update(Resource=REFERENCE, Module=ModuleObject.ruby_class, Node=NodeObject.ruby_class)
    REFERENCE.constants.setdefault("Catalog", CatalogObject.ruby_class)
    REFERENCE.constants.setdefault("Type", DefinitionObject.ruby_class)
    NodeObject.ruby_class.constants.setdefault("Environment", EnvironmentObject.ruby_class)
    _module(puppet, "FileSystem", _FILE_SYSTEM)
    _module(puppet, "DataBinding")
    _pops(puppet)
    _semantic(interpreter)
    interpreter.constants["PSON"] = _module(None, "PSON", {**_JSON, "parse": _parse_pson, "load": _parse_pson})
    util.constants["Json"] = _module(None, "Puppet::Util::Json", _JSON)
    interpreter.constants["PuppetX"] = _module(None, "PuppetX")
    interpreter.constants["Hocon"] = hocon = _module(None, "Hocon", {"load": _load_hocon, "parse": _parse_hocon_data})
    _module(hocon, "ConfigFactory", {"parse_string": _parse_hocon})
    hocon_error = _module(hocon, "ConfigError")
    _errors(ruby, puppet)
    hocon_error.constants["ConfigParseError"] = Class(
        "Hocon::ConfigError::ConfigParseError", EXCEPTIONS["StandardError"]
    )
    interpreter.constants["Facter"] = _module(None, "Facter", _FACTER)
    from .datatypes import create_type
    from .kinds import install_types

    _module(puppet, "DataTypes", {"create_type": create_type})
    install_types(ruby, puppet)


def constant(interpreter: Interpreter, scope: Module | None, name: str) -> Any:
    """A constant that is made when it is first named: `Puppet::Type::File`, `Puppet::Pops::Types::PStringType`."""
    if scope is not None and scope.name == "Puppet::Pops::Types":
        from .values import foreign_classes

        wanted = f"Puppet::Pops::Types::{name}"
        for kind, cls in foreign_classes().items():
            if type_class_name(kind) == wanted or cls.name == wanted:
                scope.constants[name] = cls
                return cls
    if scope is not None and scope.name == "Puppet::Type":
        from .kinds import type_constant

        return type_constant(ruby_run(interpreter), name)
    return MISSING


def _errors(ruby: RubyRun, puppet: Module) -> None:
    for line in _ERRORS.replace("\n", ";").split(";"):
        if line.strip():
            name, above = line.split()
            superclass = ruby.errors.get(above) or EXCEPTIONS[above]
            cls = ruby.errors[name] = Class(name, superclass, _EXCEPTION if name == "Puppet::ParseError" else None)
            owner: Any = puppet
            *path, last = name.split("::")[1:]
            for part in path:
                owner = owner.constants.get(part)
                if owner is None:
                    break
            if owner is not None:
                owner.constants[last] = cls


def _located(interpreter: Interpreter, self: Any, arguments: Arguments, block: Any) -> Any:
    """`Puppet::ParseError.new(message, file, line)`"""
    self.message = arguments[0] if arguments else None
    rest = [argument for argument in arguments[1:] if not isinstance(argument, dict)]
    if rest:
        self.ivars["@file"] = rest[0]
    if len(rest) > 1:
        self.ivars["@line"] = rest[1]
    return None


_EXCEPTION = {
    "initialize": _located,
    "file": lambda i, self, a, b: self.ivars.get("@file"),
    "line": lambda i, self, a, b: self.ivars.get("@line"),
}


# --- Puppet ----------------------------------------------------------------------------------------------------------


class RubySettings(HostObject):
    """`Puppet.settings`"""

    __slots__ = ()
    ruby_class = Class("Puppet::Settings", OBJECT, frozen=True)


_PLACES = frozenset(
    "basemodulepath cachedir cacert cadir certdir codedir confdir config environmentpath factpath hiera_config hostcert"
    " hostprivkey libdir localcacert logdir plugindest privatedir privatekeydir publickeydir reportdir rundir ssldir"
    " statedir vardir yamldir".split()
)
"""Settings that name files and directories of a server."""


def _setting(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    ruby = ruby_run(interpreter)
    name = word(arguments[0])
    settings = ruby.run.settings if ruby.run is not None else ruby.environment.settings
    value = settings.get(name)
    if value is None and name in _PLACES:
        raise RubyRefused(f"`Puppet[:{name}]` is a path on the compiling machine, which is not supported",
                          interpreter.at)  # fmt: skip
    ruby.note(Leaf("setting", name, None, value))
    if name in ("strict", "log_level") and isinstance(value, str):
        return Symbol(value)
    return value


RubySettings.ruby_class.methods.update(Module(None, {"[]": _setting, "value": _setting}).methods)


class Features(HostObject):
    """`Puppet.features`: none that depend on the machine."""

    __slots__ = ()
    ruby_class = Class("Puppet::Util::Feature", OBJECT, frozen=True)


def _feature(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return word(arguments[0]) in ("posix?", "root?", "syslog?", "hiera_eyaml?")


Features.ruby_class.methods.update(
    Module(None, {"method_missing": _feature, "add": lambda i, self, a, b: None}).methods
)


def _log_directly(level: str) -> Any:
    log = logger(level)

    def run(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
        return log(interpreter, self, arguments, block)

    return run


def _deprecation(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    """A warning, once for each key."""
    ruby = ruby_run(interpreter)
    if ruby.run is None:
        return None
    message = to_s(interpreter, arguments[0])
    key = to_s(interpreter, arguments[1]) if len(arguments) > 1 else message
    if f"deprecation {key}" in ruby.run.warned:
        return None
    span = ruby.span
    place = "(location unavailable)" if span is None else f"(file: {span.file.name}, line: {span.line})"
    words = f"{message}\n   {place}"
    ruby.run.warn_once(f"deprecation {key}", words, None)
    return words


def _warn_once(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    ruby = ruby_run(interpreter)
    if ruby.run is not None and len(arguments) >= 3:
        message = f"{to_s(interpreter, arguments[2])}\n   (file & line not available)"
        ruby.run.warn_once(to_s(interpreter, arguments[1]), message, None)
    return None


def _lookup(interpreter: Interpreter, self: object, arguments: Arguments, block: Any) -> Any:
    name = word(arguments[0])
    ruby = ruby_run(interpreter)
    if name == "global_scope" and ruby.run is not None:
        return ScopeObject(ruby.run.top)
    if name in ("current_environment", "root_environment"):
        return EnvironmentObject()
    if block is not None:
        return block.call([])
    raise ruby.error("Puppet::DevError", f"no '{name}' in {{}} at top of [[0, nil, nil]]")


_PUPPET: dict[str, Any] = {
    **{level: _log_directly(level) for level in LOG_LEVELS},
    "version": lambda i, self, a, b: VERSIONS[ruby_run(i).environment.puppet_version],
    "[]": _setting,
    "settings": lambda i, self, a, b: RubySettings(),
    "features": lambda i, self, a, b: Features(),
    "deprecation_warning": _deprecation,
    "puppet_deprecation_warning": _deprecation,
    "warn_once": _warn_once,
    "lookup": _lookup,
}


# --- Puppet::Util ----------------------------------------------------------------------------------------------------

_POSIX = re.compile(r"\A/")
_WINDOWS = re.compile(r"\A(?:(?:[A-Z]:[\\/])|(?:[\\/][\\/][^\\/]+[\\/][^\\/]+)|(?:[\\/][\\/]\?[\\/][^\\/]+))", re.I)


def _absolute_path(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    path = leave(arguments[0])
    if not isinstance(path, str):
        kind = leave(interpreter.send(interpreter.send(path, "class"), "to_s"))
        words = (
            f"Cannot check if {to_s(interpreter, path)} is an absolute path because it is a '{kind}' and not a String'"
        )
        logger("warning")(interpreter, self, [words], None)
        return False
    platform = word(arguments[1]) if len(arguments) > 1 else "posix"
    return bool((_WINDOWS if platform == "windows" else _POSIX).match(path))


def _versioncmp(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ..functions.text import versioncmp

    return versioncmp(text_argument(arguments[0]), text_argument(arguments[1]))


def _random(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ..functions.digests import random_number

    maximum = int(leave(interpreter.send(arguments[1], "to_i")))
    return random_number(integer_of(arguments[0]), maximum)


def _random_text(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return str(_random(interpreter, self, arguments, block))


def _execute(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    raise RubyRefused("`Puppet::Util::Execution.execute` runs a program, which is not allowed", interpreter.at)


def _uri_encode(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from urllib.parse import quote

    return quote(text_argument(arguments[0]), safe="!*'();:@&=+$,/?#[]~-._")


_UTIL: dict[str, Any] = {
    "absolute_path?": _absolute_path,
    "deterministic_rand": _random_text,
    "deterministic_rand_int": _random,
    "uri_encode": _uri_encode,
    "execute": _execute,
}


_UTILITIES: dict[str, dict[str, Any]] = {
    "Package": {"versioncmp": _versioncmp},
    "Execution": {"execute": _execute, "execpipe": _execute},
    "Errors": {},
    "Logging": {},
    "Checksums": {},
    "Docs": {},
    "Warnings": {},
    "FileType": {},
    "SELinux": {},
    "POSIX": {},
    "SymbolicFileMode": {},
    "Platform": {"windows?": lambda i, self, a, b: False},
    "Yaml": YAML_UTILITIES,
}


def _parse_json(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return interpreter.send(interpreter.top_constant("JSON"), "parse", arguments)


def _generate_json(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return interpreter.send(interpreter.top_constant("JSON"), "generate", arguments)


_JSON: dict[str, Any] = {
    "parse": _parse_json,
    "load": _parse_json,
    "generate": _generate_json,
    "dump": _generate_json,
}


def _to_pson(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return interpreter.send(self, "to_json", arguments)


CORE_EXTENSIONS: dict[str, Any] = {"to_pson": _to_pson}
"""Methods that Puppet gives to every object."""


def _parse_pson(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    """Puppet's own JSON, of old: a document is an array or a hash."""
    text = text_argument(arguments[0]).lstrip(" \t\r\n")
    if text[:1] not in ("[", "{"):
        words = f"source '{text[:20]}' not in PSON!" if text else "source did not contain any PSON!"
        raise error("JSON::ParserError", words)
    return _parse_json(interpreter, self, arguments, block)


def _of_file(name: str) -> Any:
    """A method of `Puppet::FileSystem` that is one of File's; paths may be Pathnames."""

    def call(interpreter: Interpreter, self: object, arguments: Arguments, block: Any) -> Any:
        return interpreter.send(interpreter.top_constant("File"), name, arguments, block)

    return call


def _file_children(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return interpreter.send(_file_path(interpreter, self, arguments, block), "children")


def _file_path(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return interpreter.send(interpreter.main, "Pathname", [arguments[0]])


def _path_string(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return to_s(interpreter, arguments[0])


_file_read = _of_file("read")
_FILE_SYSTEM: dict[str, Any] = {
    "exist?": _of_file("exist?"), "read": _file_read, "read_preserve_line_endings": _file_read,
    "binread": _of_file("binread"), "file?": _of_file("file?"), "directory?": _of_file("directory?"),
    "readable?": _of_file("readable?"), "symlink?": _of_file("symlink?"), "size": _of_file("size"),
    "each_line": _of_file("foreach"), "readlines": _of_file("readlines"), "expand_path": _of_file("expand_path"),
    "basename_string": _of_file("basename"), "dir_string": _of_file("dirname"), "children": _file_children,
    "pathname": _file_path, "path_string": _path_string,
}  # fmt: skip


# --- functions -------------------------------------------------------------------------------------------------------


def _create_function(interpreter: Interpreter, self: Module, arguments: Arguments, block: Any) -> Any:
    base = arguments[1] if len(arguments) > 1 else self.constants["Function"]
    return create_function(ruby_run(interpreter), word(arguments[0]), base, block)


def _create_loaded(interpreter: Interpreter, self: Module, arguments: Arguments, block: object) -> Any:
    rest = [argument for argument in arguments[1:] if isinstance(argument, Class)]
    return _create_function(interpreter, self, [arguments[0], *rest], block)


def _new_function(interpreter: Interpreter, self: object, arguments: Arguments, block: Any) -> Any:
    options = arguments[1] if len(arguments) > 1 else {}
    name = word(arguments[0]).lower()
    new_function(ruby_run(interpreter), name, dict(options), block)
    return {Symbol("name"): f"function_{name}"}


def _function(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    """`function(:x)` loads it and gives the name of its method, or false."""
    from ..functions.table import find as find_function

    name = word(arguments[0])
    if loaded(ruby_run(interpreter), name) is None and find_function(name) is None:
        return False
    return f"function_{name}"


def _arity(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    function = loaded(ruby_run(interpreter), word(arguments[0]))
    return function.arity if function is not None else -1


def _is_rvalue(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    function = loaded(ruby_run(interpreter), word(arguments[0]))
    return function.rvalue if function is not None else False


class Autoloader(HostObject):
    """`Puppet::Parser::Functions.autoloader`"""

    __slots__ = ()
    ruby_class = Class("Puppet::Parser::Functions::AutoloaderDelegate", OBJECT, frozen=True)


def _autoload(method: str) -> Any:
    def call(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
        ruby = ruby_run(interpreter)
        asked = f'{method}("{word(arguments[0])}")' if arguments else method
        words = f"The method 'Puppet::Parser::Functions.autoloader#{asked}' is deprecated in favor of using"
        ruby.run.warn_once(asked, f"{words} 'Scope#call_function'.\n   (file & line not available)", None)
        if not arguments:
            return None
        name = word(arguments[0])
        return ruby.legacy.get(name) is not None if method == "loaded?" else loaded(ruby, name) is not None

    return call


Autoloader.ruby_class.methods.update(
    Module(None, {method: _autoload(method) for method in ("load", "loadall", "loaded?")}).methods
)
_PARSER_FUNCTIONS: dict[str, Any] = {
    "newfunction": _new_function,
    "function": _function,
    "rvalue?": _is_rvalue,
    "arity": _arity,
    "autoloader": lambda i, self, a, b: Autoloader(),
}


def _find_template(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return ruby_run(interpreter).environment.find_file("templates", text_argument(arguments[0]))


def _find_file(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    path = text_argument(arguments[0])
    if path.startswith("/") or interpreter.world.file_kind(path, interpreter.at) is not None:
        # an absolute path, or one below the environment as `Module#path` tells it
        return path if interpreter.world.file_kind(path, interpreter.at) is not None else None
    return ruby_run(interpreter).environment.find_file("files", path)


# --- Puppet::Pops ----------------------------------------------------------------------------------------------------


class TypeParser(HostObject):
    """`Puppet::Pops::Types::TypeParser.new`"""

    __slots__ = ()
    ruby_class = Class("Puppet::Pops::Types::TypeParser", OBJECT, frozen=True)


class MismatchDescriber(HostObject):
    """`Puppet::Pops::Types::TypeMismatchDescriber.new`"""

    __slots__ = ()
    ruby_class = Class("Puppet::Pops::Types::TypeMismatchDescriber", OBJECT, frozen=True)


class Iterable(HostObject):
    """What a value is walked over with."""

    __slots__ = ("at", "hash_style", "values")
    ruby_class = Class("Puppet::Pops::Types::Iterable", OBJECT, frozen=True)

    def __init__(self, values: list[Any], hash_style: bool) -> None:
        self.values = values
        self.hash_style = hash_style
        self.at = 0


def _parse(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    ruby = ruby_run(interpreter)
    try:
        return parse_type(text_argument(arguments[0]), ruby.environment.resolve)
    except Diagnostic as problem:
        raise ruby.raised(problem) from None


def _describe(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return describe_mismatch(text_argument(arguments[0]), arguments[1], arguments[2])


def _is_instance(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return bool(arguments[0].accepts(leave(arguments[1])))


def _infer(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return infer(leave(arguments[0]))


def _infer_set(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return infer_set(leave(arguments[0]))


def _assignable(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return bool(arguments[0].assignable(arguments[1]))


def _asserted_iterable(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ..functions.walking import elements

    value = leave(arguments[1])
    if isinstance(value, dict):
        from ..kernel.values import key_value

        return Iterable([[key_value(key), item] for key, item in value.items()], True)
    try:
        return Iterable([enter_plain(item) for item in elements(value)], False)
    except Diagnostic as problem:
        raise ruby_run(interpreter).raised(problem) from None


def _next(interpreter: Interpreter, self: Iterable, arguments: Arguments, block: object) -> Any:
    if self.at >= len(self.values):
        raise error("StopIteration", "iteration reached an end")
    self.at += 1
    return self.values[self.at - 1]


def _each(interpreter: Interpreter, self: Iterable, arguments: Arguments, block: Any) -> Any:
    for value in self.values:
        block.one(value)
    return self


def _delegate(name: str) -> Any:
    def call(interpreter: Interpreter, self: Iterable, arguments: Arguments, block: Any) -> Any:
        return interpreter.send(self.values, name, arguments, block)

    return call


def _converted(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    """`ToDataConverter.convert(value, rich_data: true)`: data, with what is none as a hash that says what it is."""
    options = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], dict) else {}
    run = ruby_run(interpreter).run
    if truth(options.get(Symbol("rich_data"))) and run is not None and run.rich_data is not None:
        return run.rich_data(leave(arguments[0]))
    return _data(leave(arguments[0]))


def _data(value: object) -> Any:
    from ..kernel.values import key_value

    if isinstance(value, list):
        return [_data(item) for item in value]
    if isinstance(value, dict):
        return {str(key_value(key)): _data(item) for key, item in value.items()}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return str(value)


def _stacktrace(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    """Where in Puppet code the call stands: [[file, line]]."""
    ruby = ruby_run(interpreter)
    span = ruby.span
    if span is None:
        return []
    here = [span.file.name, span.line]
    return [here, [span.file.name, 0]] if ruby.frame.base is ruby.run.top else [here]


def _top_of_stack(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return (_stacktrace(interpreter, self, arguments, block) or [[]])[0]


def _find_type_or_class(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    """The define, class or resource type of a name; its own words are its name."""
    environment = ruby_run(interpreter).environment
    name = word(arguments[1]).removeprefix("::")
    definition = environment.find_type(name) or environment.find_class(name)
    if definition is None:
        return None
    if hasattr(definition, "parameters") and hasattr(definition, "module"):
        return DefinitionName(definition)
    from .scope import capitalized

    return capitalized(definition.name)


class DefinitionName(DefinitionObject):
    """A define or class where a type's name is wanted: its text is its name."""

    __slots__ = ()
    ruby_class = Class("Puppet::Resource::Type", DefinitionObject.ruby_class,
                       {"to_s": lambda i, self, a, b: self.definition.name}, frozen=True)  # fmt: skip


TypeParser.ruby_class.methods.update(Module(None, {"parse": _parse, "interpret": _parse}).methods)
TypeParser.ruby_class.own.update(
    Module(None, None, {"new": lambda i, self, a, b: TypeParser(), "singleton": lambda i, self, a, b: TypeParser()}).own
)
MismatchDescriber.ruby_class.methods.update(Module(None, {"describe_mismatch": _describe}).methods)
MismatchDescriber.ruby_class.own.update(
    Module(None, None, {"new": lambda i, self, a, b: MismatchDescriber(),
                        "singleton": lambda i, self, a, b: MismatchDescriber(),
                        "describe_mismatch": _describe}).own
)  # fmt: skip
Iterable.ruby_class.methods.update(
    Module(None, {
        "next": _next, "each": _each, "hash_style?": lambda i, self, a, b: self.hash_style,
        "to_a": lambda i, self, a, b: list(self.values), "size": lambda i, self, a, b: len(self.values),
        **{name: _delegate(name) for name in ("map", "select", "reject", "reduce", "inject", "each_with_index", "any?",
                                              "all?", "each_slice", "with_index", "each_with_object", "find", "sort_by",
                                              "sort", "min_by", "max_by", "group_by", "partition", "flat_map", "first",
                                              "zip", "include?", "count", "to_h", "sum", "uniq", "filter_map",
                                              "each_cons", "take_while", "drop_while", "detect", "filter", "collect",
                                              "find_index", "min", "max", "each_entry", "none?", "one?", "tally")},
    }).methods
)  # fmt: skip
Iterable.ruby_class.own.update(
    Module(None, None, {"asserted_iterable": _asserted_iterable,
                        "on": lambda i, self, a, b: _asserted_iterable(i, self, [None, a[0]], b)}).own
)  # fmt: skip

_CALCULATOR: dict[str, Any] = {
    "instance?": _is_instance,
    "infer": _infer,
    "infer_set": _infer_set,
    "assignable?": _assignable,
    "singleton": lambda i, self, a, b: self,
    "new": lambda i, self, a, b: self,
}


def _class_type(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ..types.callables import ClassType

    return ClassType(word(arguments[0]).removeprefix("::") if arguments else None)


def _resource_type(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ..types.callables import ResourceType
    from .scope import capitalized

    name = capitalized(word(arguments[0]).lower()) if arguments else None
    return ResourceType(name, leave(arguments[1]) if len(arguments) > 1 else None)


_TYPE_FACTORY: dict[str, Any] = {"host_class": _class_type, "resource": _resource_type}


def _pops(puppet: Module) -> None:
    pops = _module(puppet, "Pops")
    types = _module(pops, "Types")
    _module(types, "TypeCalculator", _CALCULATOR)
    _module(types, "TypeFactory", _TYPE_FACTORY)
    types.constants.update(
        TypeParser=TypeParser.ruby_class,
        TypeMismatchDescriber=MismatchDescriber.ruby_class,
        Iterable=Iterable.ruby_class,
        PAnyType=ANY_TYPE,
        PuppetType=ANY_TYPE,
    )
    _module(types, "PSensitiveType").constants["Sensitive"] = SENSITIVE
    _module(types, "PBinaryType").constants["Binary"] = BINARY
    time = _module(pops, "Time")
    time.constants.update(Timestamp=TIMESTAMP, Timespan=TIMESPAN)
    serialization = _module(pops, "Serialization")
    _module(serialization, "ToDataConverter", {"convert": _converted})
    _module(pops, "PuppetStack", {"stacktrace": _stacktrace, "top_of_stack": _top_of_stack})
    evaluator = _module(pops, "Evaluator")
    _module(evaluator, "Runtime3ResourceSupport", {"find_resource_type_or_class": _find_type_or_class})
    functions = _module(pops, "Functions")
    functions.constants["Function"] = puppet.constants["Functions"].constants["Function"].superclass
    _module(_module(pops, "Lookup"), "HieraConfig", {"symkeys_to_string": with_text_keys})
    _module(pops, "Parser")
    assert PuppetType is not None


# --- versions, HOCON, facts ------------------------------------------------------------------------------------------


def _new_version(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ..types.versions import parse_version

    text = text_argument(arguments[0])
    try:
        return parse_version(text)
    except (ValueError, Diagnostic) as problem:
        raise error("ArgumentError", f"Unable to parse '{text}' as a semantic version identifier") from problem


def _valid_version(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ..types.versions import parse_version

    try:
        parse_version(text_argument(arguments[0]))
    except (ValueError, Diagnostic):
        return False
    return True


def _new_range(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ..types.versions import parse_range

    return parse_range(text_argument(arguments[0]))


def _semantic(interpreter: Interpreter) -> None:
    semantic = _module(None, "SemanticPuppet")
    interpreter.constants["SemanticPuppet"] = semantic
    version = Class(VERSION.name, VERSION, None, {"parse": _new_version, "valid?": _valid_version})
    version_range = Class(VERSION_RANGE.name, VERSION_RANGE, None, {"parse": _new_range})
    semantic.constants.update(Version=version, VersionRange=version_range)


class HoconConfig(HostObject):
    """A parsed HOCON text; `resolve.root.unwrapped` gives its data."""

    __slots__ = ("data",)
    ruby_class = Class("Hocon::Impl::SimpleConfig", OBJECT, {
        "resolve": lambda i, self, a, b: self, "root": lambda i, self, a, b: self,
        "unwrapped": lambda i, self, a, b: self.data,
    }, frozen=True)  # fmt: skip

    def __init__(self, data: Any) -> None:
        self.data = data


def _parse_hocon(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    from ...base.source import SourceFile
    from ...ruby.errors import RubyError
    from ...ruby.values import Exception_
    from ..hiera.hocon import read_hocon

    try:
        return HoconConfig(read_hocon(SourceFile("String", text_argument(arguments[0])))[0])
    except Diagnostic as problem:
        cls = interpreter.constants["Hocon"].constants["ConfigError"].constants["ConfigParseError"]
        words = problem.message.removeprefix("Unable to parse (String): ")
        raise RubyError(Exception_(cls, words)) from None


def _parse_hocon_data(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return _parse_hocon(interpreter, self, arguments, block).data


def _load_hocon(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return _parse_hocon_data(interpreter, self, [_file_read(interpreter, self, arguments, block)], block)


def _no_facter(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    raise RubyRefused(
        "`Facter` inspects the compiling machine, which is not allowed (facts are in `$facts`)", interpreter.at
    )


_FACTER: dict[str, Any] = dict.fromkeys(("value", "fact", "[]", "add", "to_hash"), _no_facter)
