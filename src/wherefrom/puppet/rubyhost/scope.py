"""`scope` and what depends on it: narrow objects that Ruby code may ask, each with a closed table of methods.

    Puppet::Parser::Scope        variables, functions, resources; `self` of functions of the old interface
    Puppet::Resource::Catalog    resources, classes, tags
    Puppet::Parser::Resource     one resource: type, title, attributes
    Puppet::Parser::Compiler     catalog, environment, node
    Puppet::Node::Environment    its name and modules

Whatever is read is noted with its origin; whatever is not there is noted as absent, with what could have put it there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...base.keys import Symbol
from ...provenance.origins import Leaf, Origin, guarded
from ...ruby.classes import ENUMERABLE, OBJECT, error
from ...ruby.errors import RubyError, RubyRefused
from ...ruby.showing import inspect, to_s
from ...ruby.values import Arguments, Class, HostObject, Module
from ...ruby.world import MISSING
from ..kernel.values import Reference
from ..runtime.variables import absence, read
from ..types.model import PuppetType
from .values import REFERENCE, enter, leave, need_arguments, text_argument, word

if TYPE_CHECKING:
    from ...ruby.interpreter import Interpreter
    from ..runtime.scope import Frame
    from .run import RubyRun

LOG_LEVELS = ("debug", "info", "notice", "warning", "err", "alert", "emerg", "crit")
_QUIET = ("module_name", "caller_module_name")
_FUNCTION = "function_"


def ruby_run(interpreter: Interpreter) -> RubyRun:
    """The compilation's Ruby, from the interpreter that runs it."""
    ruby: RubyRun = interpreter.world.ruby  # type: ignore[attr-defined]
    return ruby


class ScopeObject(HostObject):
    """A scope of Puppet's, as Ruby sees it: the frame of the call."""

    __slots__ = ("frame",)
    ruby_class = Class("Puppet::Parser::Scope", OBJECT, frozen=True)

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScopeObject) and other.frame is self.frame

    def __hash__(self) -> int:
        return id(self.frame)


# --- variables -------------------------------------------------------------------------------------------------------


def lookup_variable(interpreter: Interpreter, frame: Frame, name: Any) -> object:
    """`scope.lookupvar(name)`"""
    ruby = ruby_run(interpreter)
    if type(name) is Symbol or (not isinstance(name, str) and not hasattr(name, "value")):
        kind = interpreter.send(interpreter.send(name, "class"), "to_s")
        words = f"Scope variable name {inspect(interpreter, name)} is a {leave(kind)}, not a string"
        raise ruby.error("Puppet::ParseError", words)
    name = text_argument(name)
    variable = read(frame, name)
    if variable is not None:
        ruby.note_value(*variable)
        class_name = name.removeprefix("::").rpartition("::")[0]
        ruby.alias(variable[0], ruby.run.class_scopes.get(class_name) if class_name else None)
        return enter(interpreter, variable[0])
    ruby.note(absence(frame, name))
    if name in _QUIET or name.isdecimal():
        return None
    try:
        interpreter.send(interpreter.main, "throw", [Symbol("undefined_variable")])
    except RubyError as problem:
        if not problem.is_a("UncaughtThrowError"):
            raise
    _complain(ruby, name, frame)
    return None


def _complain(ruby: RubyRun, name: str, frame: Frame) -> None:
    run = ruby.run
    strict = str(run.strict)
    if strict == "off":
        return
    reason = ""
    qualified = name.removeprefix("::")
    class_name = qualified.rpartition("::")[0]
    if class_name:
        if ruby.environment.find_class(class_name) is None:
            reason = f"class {class_name} could not be found"
        elif class_name not in run.class_scopes:
            reason = f"class {class_name} has not been evaluated"
    elif name.startswith("::"):
        qualified = name
    words = f"Undefined variable '{qualified}'; {reason}"
    if strict == "error":
        raise error("ArgumentError", words)
    frame.machine.warn_once(f"Variable: {name}", words, None)


def _get(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: object) -> object:
    need_arguments(arguments, 1)
    return lookup_variable(interpreter, self.frame, arguments[0])


def _includes(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: Any) -> object:
    """Whether a variable is there and not undef; never complains."""
    ruby = ruby_run(interpreter)
    name = word(arguments[0])
    variable = read(self.frame, name)
    ruby.note(variable[1] if variable is not None else absence(self.frame, name))
    return variable is not None and variable[0] is not None


def _exists(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: Any) -> object:
    ruby = ruby_run(interpreter)
    name = word(arguments[0])
    variable = read(self.frame, name)
    ruby.note(variable[1] if variable is not None else absence(self.frame, name))
    return variable is not None or name.removeprefix("::") in _QUIET


def _set(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: Any) -> Any:
    ruby = ruby_run(interpreter)
    name = arguments[0]
    if type(name) is Symbol:
        raise ruby.error("Puppet::ParseError", f"Scope variable name {name!r} is a Symbol, not a string")
    name = text_argument(name)
    if name.isdecimal():
        raise ruby.error("Puppet::ParseError", f"Cannot assign to a numeric match result variable '${name}'")
    if name in ("trusted", "facts", "server_facts"):
        raise ruby.error("Puppet::ParseError", f"Attempt to assign to a reserved variable name: '{name}'")
    if name in self.frame.vars:
        raise ruby.error("Puppet::ParseError", f"Cannot reassign variable '${name}'")
    try:
        self.frame.assign(name, leave(arguments[1]), ruby.origin(), ruby.span)
    except Diagnostic as problem:
        raise ruby.raised(problem) from None
    return arguments[1]


def visible(frame: Frame) -> dict[str, tuple[Any, Origin]]:
    """The variables that a template in `frame` sees: outer ones first; an undef hides what is outside."""
    frames = []
    here: Frame | None = frame
    while here is not None:
        frames.append(here)
        here = here.up
    variables: dict[str, tuple[object, Origin]] = {}
    for here in reversed(frames):
        for name, variable in here.vars.items():
            if variable[0] is None:
                variables.pop(name, None)
            elif name[0] != "@":
                variables[name] = variable
    return variables


def _to_hash(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: object) -> object:
    ruby = ruby_run(interpreter)
    variables, origin, containers = ruby.variables(self.frame)
    ruby.note(origin)
    for container in containers:
        ruby.alias(container)
    return dict(variables)


# --- functions -------------------------------------------------------------------------------------------------------


def _call_function(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: Any) -> object:
    ruby = ruby_run(interpreter)
    need_arguments(arguments, 1)
    name = word(arguments[0])
    given = arguments[1] if len(arguments) > 1 else []
    values = given if type(given) is list else [given]
    if not ruby.environment.has_function(name):
        raise error("ArgumentError", f"Unknown function '{name}'")
    return ruby.call_puppet(self.frame, name, values, block)


def _missing(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: object) -> Any:
    """`function_NAME([arguments])`"""
    name = word(arguments[0])
    if not name.startswith(_FUNCTION):
        return MISSING
    from .legacy import call_old

    given = arguments[1:]
    if len(given) != 1 or type(given[0]) is not list:
        raise error(
            "ArgumentError",
            "custom functions must be called with a single array that contains the arguments. For example, "
            "function_example([1]) instead of function_example(1)",
        )
    return call_old(ruby_run(interpreter), self.frame, name.removeprefix(_FUNCTION), given[0])


def _responds(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: object) -> object:
    name = word(arguments[0])
    return name.startswith(_FUNCTION) and ruby_run(interpreter).environment.has_function(name.removeprefix(_FUNCTION))


# --- the catalog -----------------------------------------------------------------------------------------------------


class ResourceObject(HostObject):
    """A resource of the catalog."""

    __slots__ = ("resource",)
    ruby_class = Class("Puppet::Parser::Resource", OBJECT, frozen=True)

    def __init__(self, resource: Any) -> None:
        self.resource = resource

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResourceObject) and other.resource is self.resource

    def __hash__(self) -> int:
        return id(self.resource)

    def __str__(self) -> str:
        return str(self.resource.ref)


ResourceObject.ruby_class.superclass = REFERENCE


def reference_of(value: object) -> object:
    """A reference of Puppet's as functions of the old interface get it; anything else as it is."""
    if type(value) in _PLAIN:
        return value
    from ..types.callables import CatalogEntryType, ClassType, ResourceType

    if not isinstance(value, CatalogEntryType):
        return value
    if isinstance(value, ResourceType):
        if not value.type_name:
            raise error("NoMethodError", "undefined method `include?' for nil:NilClass")
        return Reference(capitalized(value.type_name), value.title or "")
    if not isinstance(value, ClassType):
        words = "it represents neither a PClassType, nor a PResourceType."
        raise error("ArgumentError", f"Cannot split the type Puppet::Pops::Types::PCatalogEntryType, {words}")
    if value.class_name is None:
        raise error("ArgumentError", 'No title provided and "class" is not a valid resource reference')
    return Reference("Class", capitalized(value.class_name))


def capitalized(name: str) -> str:
    """`a::b` as references write it: `A::B`."""
    return "::".join(part[:1].upper() + part[1:] for part in name.split("::"))


_PLAIN = frozenset((str, int, bool, float, list, dict, type(None)))
_REFERENCE = re.compile(r"\A([^\[\]]+)\[(.+)\]\Z", re.DOTALL)


def type_and_title(reference: str | None, title: str | None, main: bool = False) -> tuple[str, str] | None:
    """`File[/a]` taken apart, or a type and a title as references have them (`Puppet::Resource.type_and_title`).

    No type is that of classes, whose title is a name; the title of the `main` one is nothing, or its symbol.
    """
    from ..types.callables import capitalize_segments

    whole = title if reference is None else reference if title is None else None
    parts = None if whole is None else _REFERENCE.match(whole)
    if parts is not None:
        reference, title = parts[1], parts[2]
    elif title is None:
        return None
    kind = "Class" if not reference or reference.lower() == "component" else capitalize_segments(reference)
    if kind == "Class" and not main:
        title = "main" if title == "" else "Class" if title.lower() == "component" else capitalize_segments(title)
    return kind, title


_TAG = re.compile(r"\A\w[\w:.-]*\Z")


def find_resource(interpreter: Interpreter, type_name: object, title: object) -> object:
    """A resource of the catalog by type and title, or by `Type[title]`; nothing if there is none by now."""
    from ..types.callables import capitalize_segments

    ruby = ruby_run(interpreter)
    name = None if type_name is None else leave(interpreter.send(type_name, "to_s"))
    inside = None if title is None else leave(interpreter.send(title, "to_s"))
    is_main = title == Symbol("main")
    wanted = type_and_title(name, inside, is_main)
    if wanted is None:
        raise error(
            "ArgumentError",
            f"No title provided and {inspect(interpreter, type_name)} is not a valid resource reference",
        )
    kind, inside = wanted
    if not _TAG.match(kind):
        raise error("ArgumentError", f"Invalid tag '{kind.lower()}'")
    is_known = kind == capitalize_segments(kind.lower())  # the catalog has no other spellings
    if kind == "Class":
        is_main = is_main or inside == "main"
        is_known = is_main or (inside == capitalize_segments(inside.lower()) and not inside.startswith("::"))
        inside = "" if is_main else inside.lower()
    if not is_known:
        return None
    ruby.note(ruby.frame.machine.resource_declared(kind.lower(), inside)[1])
    resource = ruby.run.catalog.find(kind, inside)
    return None if resource is None else ResourceObject(resource)


def _find_resource(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    return find_resource(interpreter, arguments[0], arguments[1] if len(arguments) > 1 else None)


def _attribute(interpreter: Interpreter, self: ResourceObject, arguments: Arguments, block: Any) -> Any:
    ruby = ruby_run(interpreter)
    name = word(arguments[0])
    resource = self.resource
    if name == "title":
        ruby.note(resource.title_origin)
        return resource.title
    run = ruby.run
    if run.may_spare:
        ruby.note(
            run.absences.later(f"another {resource.ref}.{name}", lambda now: run.unmade_changes(resource, name, now))
        )
    attribute = resource.attributes.get(name)
    if attribute is None or attribute.value is None:
        ruby.note(resource.existence)
        return None
    ruby.note(attribute.origin)
    return enter(interpreter, attribute.value)


def _resource_title(interpreter: Interpreter, self: ResourceObject, arguments: Arguments, block: Any) -> object:
    ruby_run(interpreter).note(self.resource.title_origin)
    return self.resource.title


def _resource_hash(interpreter: Interpreter, self: ResourceObject, arguments: Arguments, block: Any) -> Any:
    ruby = ruby_run(interpreter)
    parameters = {}
    for name, attribute in self.resource.attributes.items():
        ruby.note(attribute.origin)
        parameters[Symbol(name)] = enter(interpreter, attribute.value)
    return parameters


def _named_hash(interpreter: Interpreter, self: ResourceObject, arguments: Arguments, block: Any) -> Any:
    """`to_hash`: what the title says comes first, and attributes without a value are left out."""
    resource = self.resource
    ruby_run(interpreter).note(resource.title_origin)
    named = {"name": resource.title} if resource.kind is None else resource.kind.from_title(resource.title)
    given = _resource_hash(interpreter, self, arguments, block)
    return {
        **{Symbol(name): enter(interpreter, value) for name, value in named.items()},
        **{name: value for name, value in given.items() if value is not None},
    }


class ParameterObject(HostObject):
    """`Puppet::Parser::Resource::Param`: an attribute with its name."""

    __slots__ = ("name", "value")
    ruby_class = Class("Puppet::Parser::Resource::Param", OBJECT, frozen=True)

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value


def _parameter_text(interpreter: Interpreter, self: ParameterObject, arguments: Arguments, block: object) -> object:
    return f"{self.name} => {to_s(interpreter, self.value)}"


ParameterObject.ruby_class.methods.update(
    Module(None, {"name": lambda i, self, a, b: Symbol(self.name), "value": lambda i, self, a, b: self.value,
                  "to_s": _parameter_text}).methods
)  # fmt: skip


def _parameter_objects(interpreter: Interpreter, self: ResourceObject, arguments: Arguments, block: object) -> Any:
    given = _resource_hash(interpreter, self, arguments, block)
    return {name: ParameterObject(name.name, value) for name, value in given.items()}


def _tag_resource(interpreter: Interpreter, self: ResourceObject, arguments: Arguments, block: Any) -> object:
    """`resource.tag(...)`"""
    ruby = ruby_run(interpreter)
    self.resource.tag([leave(interpreter.send(name, "to_s")) for name in _flat(arguments)])
    self.resource.tagged_by += (guarded(ruby.origin(), ruby.frame.guard),)
    return None


def _flat(values: list[Any]) -> list[Any]:
    return [item for value in values for item in (_flat(value) if type(value) is list else [value])]


def _resource_tags(interpreter: Interpreter, self: ResourceObject, arguments: Arguments, block: Any) -> object:
    ruby = ruby_run(interpreter)
    ruby.note(self.resource.existence)
    return list(self.resource.tags)


ResourceObject.ruby_class.methods.update(
    Module(None, {
        "type": lambda i, self, a, b: self.resource.type,
        "title": _resource_title,
        "name": lambda i, self, a, b: self.resource.title,
        "ref": lambda i, self, a, b: self.resource.ref,
        "to_s": lambda i, self, a, b: self.resource.ref,
        "[]": _attribute,
        "to_hash": _named_hash, "to_h": _resource_hash, "parameters": _parameter_objects,
        "tag": _tag_resource,
        "tags": _resource_tags,
        "virtual?": lambda i, self, a, b: bool(self.resource.virtual),
        "virtual": lambda i, self, a, b: bool(self.resource.virtual),
        "exported?": lambda i, self, a, b: bool(self.resource.exported),
        "exported": lambda i, self, a, b: bool(self.resource.exported),
        "class?": lambda i, self, a, b: bool(self.resource.is_class),
        "file": lambda i, self, a, b: self.resource.span.file.name if self.resource.span is not None else None,
        "line": lambda i, self, a, b: self.resource.span.line if self.resource.span is not None else None,
    }).methods
)  # fmt: skip
REFERENCE.included.append(ENUMERABLE)
REFERENCE.methods.update(
    Module(None, {
        "each": lambda i, self, a, b: self,  # it has no parameters to go through
        "type": lambda i, self, a, b: self.type_name,
        "title": lambda i, self, a, b: self.title,
        "name": lambda i, self, a, b: self.title,
        "ref": lambda i, self, a, b: str(self),
        "to_s": lambda i, self, a, b: str(self),
        "inspect": lambda i, self, a, b: str(self),
        "[]": lambda i, self, a, b: None,
        "==": lambda i, self, a, b: isinstance(a[0], Reference) and self == a[0],
    }).methods
)  # fmt: skip


def _type_and_title(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    kind, title = arguments[0], arguments[1] if len(arguments) > 1 else None
    main = title == Symbol("main")
    named = None if kind is None else text_argument(kind)
    pair = type_and_title(named, None if title is None else leave(interpreter.send(title, "to_s")), main)
    if pair is None:
        words = f"No title provided and {inspect(interpreter, arguments[0])} is not a valid resource reference"
        raise error("ArgumentError", words)
    return [pair[0], Symbol("main") if pair == ("Class", "main") else pair[1]]


def _new_reference(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    kind, title = _type_and_title(interpreter, self, arguments, block)
    return Reference(kind, str(title))


REFERENCE.own.update(Module(None, None, {"type_and_title": _type_and_title, "new": _new_reference}).own)


class CatalogObject(HostObject):
    """The catalog as it is by now."""

    __slots__ = ("run",)
    ruby_class = Class("Puppet::Resource::Catalog", OBJECT, frozen=True)

    def __init__(self, run: Any) -> None:
        self.run = run


def _all_resources(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    ruby = ruby_run(interpreter)
    resources = list(ruby.run.catalog.resources)
    for resource in resources:
        ruby.note(resource.existence)
    absences = ruby.run.absences
    ruby.note(absences.later("other resources", lambda now: absences.of_resources()))
    return [ResourceObject(resource) for resource in resources]


def _classes(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    ruby = ruby_run(interpreter)
    for resource in ruby.run.catalog.resources:
        if resource.is_class:
            ruby.note(resource.existence)
    absences = ruby.run.absences
    ruby.note(absences.later("other classes", lambda now: absences.of_classes()))
    return list(ruby.run.catalog.classes)


def _tags(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    _classes(interpreter, self, arguments, block)
    return list(ruby_run(interpreter).run.catalog.tags)


def _add_resource(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    """`catalog.add_resource(r)`, `compiler.add_resource(scope, r)`: a resource that Ruby code made."""
    ruby = ruby_run(interpreter)
    frame = ruby.frame
    resource = arguments[-1]
    attributes = getattr(resource, "attributes", {})
    origin = ruby.origin()
    given = {name: (leave(value), origin) for name, value in attributes.items()}
    try:
        frame.machine.create_resources(
            resource.type_name.lower(),
            "regular",
            {resource.title: given},
            {resource.title: origin},
            ruby.span,
            (origin, origin),
            {resource.title: (origin,)},
        )
    except Diagnostic as problem:
        raise ruby.raised(problem) from None
    return resource


def _remove_resource(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    raise RubyRefused("`catalog.remove_resource` undoes what was declared, which is not allowed", interpreter.at)


CatalogObject.ruby_class.methods.update(
    Module(None, {
        "resource": _find_resource,
        "resources": _all_resources,
        "classes": _classes,
        "tags": _tags,
        "add_resource": _add_resource, "remove_resource": _remove_resource,
    }).methods
)  # fmt: skip


class MadeResource(HostObject):
    """A resource that Ruby code is making: `Puppet::Parser::Resource.new(type, title, :scope => self)`."""

    __slots__ = ("attributes", "title", "type_name")
    ruby_class = Class("Puppet::Parser::Resource", REFERENCE, frozen=True)

    def __init__(self, type_name: str, title: str) -> None:
        self.type_name = type_name
        self.title = title
        self.attributes: dict[str, Any] = {}

    def __str__(self) -> str:
        return f"{self.type_name}[{self.title}]"


def _new_resource(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    kind, title = text_argument(arguments[0]), leave(interpreter.send(arguments[1], "to_s"))
    return MadeResource(capitalized(kind.lower()), title)


def _set_parameter(interpreter: Interpreter, self: MadeResource, arguments: Arguments, block: object) -> object:
    self.attributes[word(arguments[0])] = arguments[1]
    return arguments[1]


MadeResource.ruby_class.methods.update(
    Module(None, {"set_parameter": _set_parameter, "[]=": _set_parameter,
                  "[]": lambda i, self, a, b: self.attributes.get(word(a[0]))}).methods
)  # fmt: skip
ResourceObject.ruby_class.own.update(Module(None, None, {"new": _new_resource}).own)


# --- compiler, environment, definitions ------------------------------------------------------------------------------


class CompilerObject(HostObject):
    """The compiler of this catalog."""

    __slots__ = ()
    ruby_class = Class("Puppet::Parser::Compiler", OBJECT, frozen=True)


def _evaluate_classes(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """`compiler.evaluate_classes(names, scope, lazy)`"""
    ruby_run(interpreter).call_puppet(arguments[1].frame, "include", list(arguments[0]), None)
    return arguments[0]


class NodeObject(HostObject):
    """The node that the catalog is for."""

    __slots__ = ()
    ruby_class = Class("Puppet::Node", OBJECT, frozen=True)


class EnvironmentObject(HostObject):
    """The environment: its name and modules."""

    __slots__ = ()
    ruby_class = Class("Puppet::Node::Environment", OBJECT, frozen=True)


class ModuleObject(HostObject):
    """A module of the environment."""

    __slots__ = ("name", "path")
    ruby_class = Class("Puppet::Module", OBJECT, frozen=True)

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self.path = path


class DefinitionObject(HostObject):
    """What a scope belongs to: a class, a define or a node."""

    __slots__ = ("definition",)
    ruby_class = Class("Puppet::Resource::Type", OBJECT, frozen=True)

    def __init__(self, definition: Any) -> None:
        self.definition = definition


class NewDefinition:
    """A class or define that Ruby code makes: nothing can be done with it but ask for its name."""

    __slots__ = ("kind", "name")
    module = ""
    span = None

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name


def _new_definition(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """`Puppet::Resource::Type.new(:hostclass, name)`"""
    need_arguments(arguments, 2)
    given = word(arguments[0])
    kinds = {name: kind for kind, name in _DEFINITIONS.items()}
    if given not in kinds:
        raise error("ArgumentError", f"Invalid resource supertype '{given}'")
    return DefinitionObject(NewDefinition(kinds[given], word(arguments[1]).lower()))


_DEFINITIONS = {"class": "hostclass", "define": "definition", "node": "node"}


def _node_name(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    ruby = ruby_run(interpreter)
    ruby.note(ruby.run.node_origin)
    return ruby.run.node


def _environment_name(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    ruby = ruby_run(interpreter)
    name = str(ruby.environment.name)
    ruby.note(Leaf("setting", "environment", None, name))
    return name


def _find_module(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    ruby = ruby_run(interpreter)
    given = leave(arguments[0])
    name = given.name if type(given) is Symbol else given if isinstance(given, str) else ""
    path = ruby.environment.module_directory(name) if name else None
    if path is None:
        ruby.note(Leaf("file", f"modules/{name}", None, None, absent=True))
        return None
    ruby.note(Leaf("file", path, None, path))
    return ModuleObject(name, path)


def _metadata(interpreter: Interpreter, self: ModuleObject, arguments: Arguments, block: object) -> object:
    return f"{self.path}/metadata.json"


NodeObject.ruby_class.methods.update(Module(None, {"name": _node_name, "to_s": _node_name}).methods)
EnvironmentObject.ruby_class.methods.update(
    Module(None, {
        "name": lambda i, self, a, b: Symbol(_environment_name(i, self, a, b)),
        "to_s": _environment_name,
        "module": _find_module,
        "modules": lambda i, self, a, b: [ModuleObject(*module) for module in ruby_run(i).environment.modules()],
        "modulepath": lambda i, self, a, b: list(ruby_run(i).environment.modulepath),
        "full_modulepath": lambda i, self, a, b: list(ruby_run(i).environment.modulepath),
        "known_resource_types": lambda i, self, a, b: KnownTypes(),
    }).methods
)  # fmt: skip
ModuleObject.ruby_class.methods.update(
    Module(None, {
        "name": lambda i, self, a, b: self.name,
        "path": lambda i, self, a, b: self.path,
        "metadata_file": _metadata,
    }).methods
)  # fmt: skip
ModuleObject.ruby_class.own.update(Module(None, None, {"find": _find_module}).own)
DefinitionObject.ruby_class.methods.update(
    Module(None, {
        "name": lambda i, self, a, b: self.definition.name,
        "to_s": lambda i, self, a, b: f"{self.definition.kind} {self.definition.name}",
        "type": lambda i, self, a, b: Symbol(_DEFINITIONS.get(self.definition.kind, self.definition.kind)),
        "module_name": lambda i, self, a, b: self.definition.module,
        "file": lambda i, self, a, b: self.definition.span.file.name if self.definition.span is not None else None,
    }).methods
)  # fmt: skip
DefinitionObject.ruby_class.own.update(Module(None, None, {"new": _new_definition}).own)
CompilerObject.ruby_class.methods.update(
    Module(None, {
        "catalog": lambda i, self, a, b: CatalogObject(ruby_run(i).run),
        "environment": lambda i, self, a, b: EnvironmentObject(),
        "node": lambda i, self, a, b: NodeObject(),
        "topscope": lambda i, self, a, b: ScopeObject(ruby_run(i).run.top),
        "add_resource": _add_resource, "evaluate_classes": _evaluate_classes,
        "findresource": _find_resource, "resources": _all_resources,
        "loaders": lambda i, self, a, b: Loaders(),
    }).methods
)  # fmt: skip


class Loaders(HostObject):
    """The loaders of the environment, and each of them: `load(:function, name)` gives something if there is one."""

    __slots__ = ()
    ruby_class = Class("Puppet::Pops::Loaders", OBJECT, frozen=True)


def _load(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    environment = ruby_run(interpreter).environment
    kind, name = word(arguments[0]), word(arguments[1]).removeprefix("::")
    if kind == "function":
        return LoadedFunction(name) if environment.has_function(name) else None
    if kind == "type":
        return environment.resolve(name)
    definition = environment.find_class(name) or environment.find_type(name)
    return None if definition is None else DefinitionObject(definition)


class LoadedFunction(HostObject):
    """A function that a loader gave."""

    __slots__ = ("name",)
    ruby_class = Class("Puppet::Pops::Functions::Function", OBJECT, frozen=True)

    def __init__(self, name: str) -> None:
        self.name = name


def _call_loaded(interpreter: Interpreter, self: LoadedFunction, arguments: Arguments, block: Any) -> object:
    return ruby_run(interpreter).call_puppet(arguments[0].frame, self.name, arguments[1:], block)


LoadedFunction.ruby_class.methods.update(
    Module(None, {"call": _call_loaded, "name": lambda i, self, a, b: self.name}).methods
)
_LOADERS = ("private_environment_loader", "public_environment_loader", "puppet_system_loader", "static_loader",
            "find_loader", "private_loader_for_module", "public_loader_for_module")  # fmt: skip
Loaders.ruby_class.methods.update(
    Module(None, {"load": _load, **dict.fromkeys(_LOADERS, lambda i, self, a, b: self)}).methods
)


class KnownTypes(HostObject):
    """The classes and defines that can be found."""

    __slots__ = ()
    ruby_class = Class("Puppet::Resource::TypeCollection", OBJECT, frozen=True)


def _find_class(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    definition = ruby_run(interpreter).environment.find_class(word(arguments[0]).lower())
    return None if definition is None else DefinitionObject(definition)


def _find_definition(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    definition = ruby_run(interpreter).environment.find_type(word(arguments[0]).lower())
    return DefinitionObject(definition) if definition is not None and hasattr(definition, "kind") else None


KnownTypes.ruby_class.methods.update(
    Module(None, {"find_hostclass": _find_class, "hostclass": _find_class,
                  "find_definition": _find_definition, "definition": _find_definition}).methods
)  # fmt: skip


# --- logs ------------------------------------------------------------------------------------------------------------


def logger(level: str) -> Any:
    """`warning('...')` and the like, of scopes and templates."""

    def log(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
        ruby = ruby_run(interpreter)
        if ruby.run is not None:
            text = " ".join(leave(interpreter.send(argument, "to_s")) for argument in arguments)
            ruby.run.log(level, text, ruby.span, ruby.origin())
        return None

    return log


LOGGERS = {level: logger(level) for level in LOG_LEVELS}


def _untranslated(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """`_('text')`: messages are told as they are written."""
    return arguments[0]


def _plural(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """`n_('one', 'many', count)`"""
    return arguments[0] if arguments[2] == 1 else arguments[1]


GETTEXT = {"_": _untranslated, "n_": _plural, "s_": _untranslated}


def _global_scope(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: Any) -> object:
    return ScopeObject(self.frame.base.global_scope())


def _class_scope(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: Any) -> object:
    ruby = ruby_run(interpreter)
    given = arguments[0]
    name = given.definition.name if isinstance(given, DefinitionObject) else word(given)
    scope = ruby.run.class_scopes.get(name)
    ruby.note(ruby.frame.machine.resource_declared("class", name)[1])
    return None if scope is None else ScopeObject(scope)


def _has_local(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: Any) -> object:
    """Whether a variable is one of this scope's own."""
    ruby = ruby_run(interpreter)
    name = word(arguments[0])
    here = self.frame.base
    variable = here.vars.get(name)
    ruby.note(variable[1] if variable is not None else absence(here, name))
    return True if variable is not None else None


def _class_names(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: object) -> object:
    """`scope.transform_and_assert_classnames(names)`: whatever names a class, as the full name of one."""
    names = []
    for given in arguments[0]:
        value = leave(given)
        name = value
        if isinstance(value, PuppetType):
            name = getattr(value, "class_name", None) or getattr(value, "title", None)
        if not isinstance(name, str):
            words = "Cannot use undef as a class name" if name is None else f"Illegal name {to_s(interpreter, given)}"
            raise error("ArgumentError", words)
        names.append(f"::{name.removeprefix('::')}")
    return names


def _defaults(interpreter: Interpreter, self: ScopeObject, arguments: Arguments, block: object) -> object:
    raise RubyRefused(
        "`scope.lookupdefaults` returns Puppet's internal objects, which wherefrom does not have", interpreter.at
    )


ScopeObject.ruby_class.methods.update(
    Module(None, {
        **LOGGERS,
        **GETTEXT,
        "lookupvar": _get, "[]": _get, "include?": _includes, "exist?": _exists, "bound?": _exists,
        "setvar": _set, "[]=": _set, "to_hash": _to_hash, "has_local_variable?": _has_local,
        "transform_and_assert_classnames": _class_names,
        "call_function": _call_function, "method_missing": _missing, "respond_to_missing?": _responds,
        "findresource": _find_resource, "find_resource": _find_resource, "lookupdefaults": _defaults,
        "catalog": lambda i, self, a, b: CatalogObject(ruby_run(i).run),
        "compiler": lambda i, self, a, b: CompilerObject(),
        "environment": lambda i, self, a, b: EnvironmentObject(),
        "resource": lambda i, self, a, b: ResourceObject(self.frame.base.resource),
        "source": lambda i, self, a, b: DefinitionObject(self.frame.base.source),
        "find_hostclass": _find_class, "find_definition": _find_definition,
        "find_global_scope": _global_scope, "class_scope": _class_scope,
        "is_nodescope?": lambda i, self, a, b: getattr(self.frame.base.source, "kind", None) == "node",
        "is_topscope?": lambda i, self, a, b: self.frame.base is ruby_run(i).run.top,
        "to_s": lambda i, self, a, b: f"Scope({self.frame.base.resource.ref})",
        "inspect": lambda i, self, a, b: f"Scope({self.frame.base.resource.ref})",
        "self_scope": lambda i, self, a, b: self,
    }).methods
)  # fmt: skip
