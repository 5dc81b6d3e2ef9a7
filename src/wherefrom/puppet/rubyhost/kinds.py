"""Resource types written in Ruby: run their class bodies with a small host, and keep what a compiler needs.

    Puppet::Type.newtype(:ini_setting) do ... end          Puppet::ResourceApi.register_type(name: ..., attributes:
    {...})

A compiler needs of a type which attributes it has, which of them name a resource, how they are read off the title, and
whether two resources of one name are the same thing. `newparam` and `newproperty` run their blocks for `isnamevar`
alone; `validate`, `munge`, `newvalues` and the rest describe what an agent does, and their blocks are not run.
`title_patterns` is a method of the type and is called. The attribute `provider` exists if some module has a provider
for the type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.keys import Symbol
from ...ruby.classes import OBJECT, error
from ...ruby.errors import RubyError
from ...ruby.values import Arguments, Class, Method, Module, Proc
from ...ruby.values import Regexp as RubyRegexp
from ...ruby.world import MISSING
from ..kernel.failures import Failure
from ..runtime.resource_types import ResourceKind, core_kind
from .run import RubyRun
from .scope import GETTEXT, ruby_run
from .values import leave, text_argument, word

if TYPE_CHECKING:
    from ...ruby.interpreter import Interpreter

TYPES = "puppet/type"


class RubyTypeDefinition:
    """What a class body said."""

    __slots__ = ("attributes", "cls", "is_of_api", "isomorphic", "keys", "name", "parameters", "patterns")

    def __init__(self, name: str, cls: Class) -> None:
        self.name = name
        self.cls = cls
        self.attributes: dict[str, Class] = {}
        self.parameters: set[str] = set()
        self.keys: list[str] = []
        self.isomorphic = True
        self.patterns: Any = None
        self.is_of_api = False


def _definition(cls: Any) -> RubyTypeDefinition:
    here = cls
    while here is not None:
        if isinstance(here.host, RubyTypeDefinition):
            return here.host
        here = here.superclass
    raise error("NoMethodError", "not a resource type")


# --- the words of a type's body --------------------------------------------------------------------------------------


def _attribute(kind: str) -> Any:
    """`newparam(:name, options) { ... }`, `newproperty(...)`"""

    def declare(interpreter: Interpreter, self: Class, arguments: Arguments, block: Any) -> Any:
        definition = _definition(self)
        options = next((argument for argument in arguments[1:] if isinstance(argument, dict)), {})
        given = {word(key): value for key, value in options.items()}
        name = word(arguments[0])
        base = given.get("parent")
        ruby = ruby_run(interpreter)
        above = (
            base if isinstance(base, Class) else _constant(ruby, "Property" if kind == "newproperty" else "Parameter")
        )
        cls = Class(f"{self.name}::{name.capitalize()}", above)
        cls.host = (definition, name)
        definition.attributes[name] = cls
        if kind == "newparam":
            definition.parameters.add(name)
        self.constants[("" if kind == "newproperty" else "Parameter") + _constant_name(name)] = cls
        if name == "name" or given.get("namevar") or given.get("isnamevar"):
            _name_by(definition, name)
        if block is not None:
            interpreter.call_with_self(block, cls, [], cls)
        return cls

    return declare


def _constant_name(name: str) -> str:
    return name[:1].upper() + name[1:]


def _name_by(definition: RubyTypeDefinition, name: str) -> None:
    """A parameter names the resource; properties never do, whatever they say."""
    if name not in definition.keys and name in definition.parameters:
        definition.keys.append(name)


def _is_namevar(interpreter: Interpreter, self: Class, arguments: Arguments, block: object) -> Any:
    here: Class | None = self
    while here is not None:
        if isinstance(here.host, tuple):
            _name_by(*here.host)
            break
        here = here.superclass
    return True


def _ensurable(interpreter: Interpreter, self: Class, arguments: Arguments, block: Any) -> Any:
    definition = _definition(self)
    cls = Class(f"{self.name}::Ensure", _constant(ruby_run(interpreter), "Property"))
    cls.host = (definition, "ensure")
    definition.attributes["ensure"] = cls
    if block is not None:
        interpreter.call_with_self(block, cls, [], cls)
    return None


def _nothing(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """Something that matters to an agent alone."""
    return None


def _valid(interpreter: Interpreter, self: Class, arguments: Arguments, block: object) -> Any:
    definition = _definition(self)
    name = word(arguments[0])
    return name in definition.attributes or name == "name"


def _names(properties: bool) -> Any:
    def listed(interpreter: Interpreter, self: Class, arguments: Arguments, block: object) -> object:
        definition = _definition(self)
        prop = _constant(ruby_run(interpreter), "Property")
        return [Symbol(name) for name, cls in definition.attributes.items() if cls.inherits(prop) == properties]

    return listed


def _attribute_class(interpreter: Interpreter, self: Class, arguments: Arguments, block: object) -> Any:
    return _definition(self).attributes.get(word(arguments[0]))


def _key_attributes(interpreter: Interpreter, self: Class, arguments: Arguments, block: object) -> Any:
    return [Symbol(name) for name in _definition(self).keys or ("name",)]


def _default_patterns(interpreter: Interpreter, self: Class, arguments: Arguments, block: object) -> Any:
    definition = _definition(self)
    keys = definition.keys or ["name"]
    if len(keys) > 1:
        words = "you must specify title patterns when there are two or more key attributes"
        raise ruby_run(interpreter).error("Puppet::DevError", words)
    return [[interpreter.regexp("(.*)", 4), [[Symbol(keys[0])]]]]


_IGNORED_IN_TYPES = """
    validate autorequire autobefore autosubscribe autonotify feature features desc apply_to apply_to_device eachattr
    apply_to_all newmetaparam providify provide defaultprovider attr_alias set_default initvars debug warning info
    notice err private_constant deprecate_params apply_to_host
"""
_IGNORED_IN_ATTRIBUTES = """
    desc newvalue newvalues aliasvalue defaultto nodefault validate munge unmunge isrequired required_features sensitive
    def_insync array_matching= defaultvalues label insync? retrieve is_to_s should_to_s change_to_s required? doc=
    metaparam proxymethods nilvalue noop noop=
"""


def _table(words: str) -> dict[str, Any]:
    return dict.fromkeys(words.split(), _nothing)


def _constant(ruby: RubyRun, name: str) -> Class:
    cls: Class = ruby.interpreter.constants["Puppet"].constants[name]
    return cls


# --- newtype, register_type ------------------------------------------------------------------------------------------


def _new_type(interpreter: Interpreter, self: Class, arguments: Arguments, block: Any) -> Any:
    ruby = ruby_run(interpreter)
    name = word(arguments[0]).lower()
    cls = Class(f"Puppet::Type::{name.capitalize()}", self)
    definition = RubyTypeDefinition(name, cls)
    cls.host = definition
    self.constants[name.capitalize()] = cls
    types(ruby)[name] = definition
    if block is not None:
        interpreter.call_with_self(block, cls, [], cls)
    if leave(cls.ivars.get("@isomorphic")) is False:
        definition.isomorphic = False
    return cls


def _find_type(interpreter: Interpreter, self: Class, arguments: Arguments, block: object) -> Any:
    definition = definition_of(ruby_run(interpreter), word(arguments[0]).lower())
    return None if definition is None else definition.cls


def _register_type(interpreter: Interpreter, self: Module, arguments: Arguments, block: object) -> Any:
    """`Puppet::ResourceApi.register_type(name:, attributes:, title_patterns:, features:)`"""
    ruby = ruby_run(interpreter)
    given = {word(key): value for key, value in arguments[0].items()}
    if "name" not in given or "attributes" not in given:
        words = "requires a `:name`" if "name" not in given else "requires `:attributes`"
        raise ruby.error("Puppet::DevError", words)
    name = text_argument(given["name"]) if not isinstance(given["name"], Symbol) else given["name"].name
    cls = Class(f"Puppet::Type::{name.capitalize()}", ruby.interpreter.constants["Puppet"].constants["Type"])
    definition = RubyTypeDefinition(name, cls)
    definition.is_of_api = True
    cls.host = definition
    for key, options in given["attributes"].items():
        attribute = word(key)
        definition.attributes[attribute] = Class(attribute, OBJECT)
        if isinstance(options, dict) and _symbol(options, "behaviour", "behavior") == "namevar":
            definition.keys.append(attribute)
    patterns = given.get("title_patterns")
    if patterns:
        definition.patterns = [_api_pattern(interpreter, pattern) for pattern in patterns]
    elif len(definition.keys) > 1:
        definition.patterns = [[interpreter.regexp("(.*)", 4), [[Symbol(definition.keys[0])]]]]
    types(ruby)[name] = definition
    return cls


def _symbol(options: dict[Any, Any], *names: str) -> str | None:
    for key, value in options.items():
        if word(key) in names and type(value) is Symbol:
            return str(value.name)
    return None


def _api_pattern(interpreter: Interpreter, given: dict[Any, Any]) -> list[object]:
    """A pattern with named groups, as `title_patterns` gives them."""
    options = {word(key): value for key, value in given.items()}
    pattern: RubyRegexp = options["pattern"]
    names = interpreter.send(pattern, "names", [])
    return [pattern, [[Symbol(leave(name))] for name in names]]


def types(ruby: RubyRun) -> dict[str, RubyTypeDefinition]:
    """The types that were defined in this run."""
    definitions: dict[str, RubyTypeDefinition] = ruby.interpreter.constants["Puppet"].constants["Type"].host
    return definitions


def type_constant(ruby: RubyRun, name: str) -> object:
    """`Puppet::Type::Name`: the type is loaded when it is named."""
    definition = definition_of(ruby, name.lower())
    return MISSING if definition is None else definition.cls


def definition_of(ruby: RubyRun, name: str) -> RubyTypeDefinition | None:
    """The type of this name, its file run if need be."""
    known = types(ruby)
    if name not in known:
        path = ruby.library.find(TYPES, name)
        if path is not None:
            ruby.interpreter.run(ruby.library.program(path))
        else:
            core = core_kind(name)
            if core is not None:
                known[name] = _core_definition(ruby, core)
    return known.get(name)


def _core_definition(ruby: RubyRun, core: ResourceKind) -> RubyTypeDefinition:
    """A type of Puppet's own, for those that borrow from it (`parent: Puppet::Type::File::Owner`)."""
    cls = Class(f"Puppet::Type::{core.name.capitalize()}", _constant(ruby, "Type"))
    definition = RubyTypeDefinition(core.name, cls)
    cls.host = definition
    above = _constant(ruby, "Property")
    for name in sorted(core.attributes):
        inner = Class(f"{cls.name}::{_constant_name(name)}", above)
        definition.attributes[name] = cls.constants[_constant_name(name)] = inner
        cls.constants[f"Parameter{_constant_name(name)}"] = inner
    definition.keys = list(core.keys)
    definition.isomorphic = core.isomorphic
    return definition


def install_types(ruby: RubyRun, puppet: Module) -> None:
    """`Puppet::Type`, its parameters and properties, and the resource API."""
    table: dict[str, Any] = {
        **_table(_IGNORED_IN_TYPES),
        "newtype": _new_type, "type": _find_type,
        "newparam": _attribute("newparam"), "newproperty": _attribute("newproperty"), "ensurable": _ensurable,
        "validattr?": _valid, "valid_parameter?": _valid, "validproperty?": _valid, "validparameter?": _valid,
        "parameters": _names(False), "properties": _names(True), "validproperties": _names(True),
        "paramclass": _attribute_class, "attrclass": _attribute_class, "propertybyname": _attribute_class,
        "key_attributes": _key_attributes, "title_patterns": _default_patterns,
        "isomorphic?": lambda i, self, a, b: _definition(self).isomorphic,
        "name": lambda i, self, a, b: Symbol(_definition(self).name),
        "suitable?": lambda i, self, a, b: True,
        **GETTEXT,
    }  # fmt: skip
    type_class = Class("Puppet::Type", OBJECT, None, table)
    type_class.host = {}
    parameter_table = {**_table(_IGNORED_IN_ATTRIBUTES), "isnamevar": _is_namevar}
    parameter = Class("Puppet::Parameter", OBJECT, None, parameter_table)
    prop = Class("Puppet::Property", parameter)
    for name in ("Boolean", "Path", "PackageOptions"):
        parameter.constants[name] = Class(f"Puppet::Parameter::{name}", parameter)
    for name in ("Boolean", "List", "OrderedList", "KeyValue", "Ensure"):
        prop.constants[name] = Class(f"Puppet::Property::{name}", prop)
    puppet.constants.update(Type=type_class, Parameter=parameter, Property=prop)
    provider = Class("Puppet::Provider", OBJECT)
    for name in ("ParsedFile", "Package", "NameService", "Exec"):
        provider.constants[name] = Class(f"Puppet::Provider::{name}", provider)
    puppet.constants["Provider"] = provider
    api = Module("Puppet::ResourceApi", None, {"register_type": Method("register_type", _register_type, 1, 1)})
    puppet.constants["ResourceApi"] = api


# --- for the compiler ------------------------------------------------------------------------------------------------


def read_kind(ruby: RubyRun, name: str) -> ResourceKind | None:
    """The type of this name from the modules' Ruby, or nothing."""
    try:
        definition = definition_of(ruby, name)
    except RubyError as problem:
        raise Failure(f"Could not autoload {TYPES}/{name}: {problem.message}", kind="ruby") from None
    if definition is None:
        return None
    attributes = {"name", *definition.attributes}
    if not definition.is_of_api and ruby.library.has_provider(name):  # the API's providers are not Puppet's
        attributes.add("provider")
    keys = tuple(definition.keys) or (("name",) if "name" in definition.attributes else ())
    patterns = _patterns(ruby, definition)
    wrong = None
    if patterns is None and not keys:
        patterns = ()  # nothing could be read off a title, so that none fits
    if patterns is None and len(keys) > 1:
        wrong = "you must specify title patterns when there are two or more key attributes"
    return ResourceKind(name, frozenset(attributes), keys, definition.isomorphic, None, False, patterns, wrong)


def _patterns(ruby: RubyRun, definition: RubyTypeDefinition) -> Any:
    """The title patterns as (compiled pattern, ((attribute, conversion), ...)); nothing for the usual one."""
    interpreter = ruby.interpreter
    if definition.patterns is None:
        own = definition.cls.find_own("title_patterns")
        if own is None or own.run is _usual_patterns(ruby):
            return None
        try:
            given = interpreter.send(definition.cls, "title_patterns", [])
        except RubyError as problem:
            raise Failure(problem.message, kind="ruby") from None
    else:
        given = definition.patterns
    patterns = []
    for pattern, parts in given:
        groups = []
        for part in parts:
            conversion = part[1] if len(part) > 1 else None
            groups.append((word(part[0]), _conversion(ruby, conversion)))
        patterns.append((pattern.pattern, tuple(groups)))
    return tuple(patterns)


def _usual_patterns(ruby: RubyRun) -> object:
    return ruby.interpreter.constants["Puppet"].constants["Type"].own["title_patterns"].run


def _conversion(ruby: RubyRun, given: object) -> object:
    """What makes an attribute's value of a group's text; nothing if it is the text itself."""
    if not isinstance(given, Proc):
        return None
    return lambda text: leave(given.call([text]))
