"""Functions that look at the catalog or change it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...provenance.composites import missing
from ...provenance.origins import Absent, Choice, Origin, Step
from ..kernel.acts import Acts
from ..kernel.operations import CLASS_NAME, CLASS_REFERENCE, FALSE, TRUE
from ..kernel.shadow import Shadow, gathered, traced_items
from ..kernel.traced import Traced
from ..kernel.values import HashKey, Reference, Value, hash_key, key_value
from ..types import ruby
from .registry import Call, calling


def _flattened(values: Sequence[Value], origins: Sequence[Origin]) -> list[Traced]:
    flat: list[Traced] = []
    for value, origin in zip(values, origins, strict=True):
        if isinstance(value, list):
            parts = list(traced_items(value, origin))
            flat.extend(_flattened([part for part, _ in parts], [part_origin for _, part_origin in parts]))
        else:
            flat.append((value, origin))
    return flat


def _declare(call: Call) -> Traced:
    """Declare the named classes, as `include`, `contain` or `require`, and return references to them."""
    from ..types.callables import ClassType

    named = [
        (class_name(call, value), origin if isinstance(value, str) else Step(CLASS_NAME, (origin,), call.span))
        for value, origin in _flattened(call.values, call.origins)
    ]
    names = [name for name, _ in named]
    call.machine.declare_classes(names, [origin for _, origin in named], call.function.name, call.span, call.origins)
    references = ((ClassType(name), Step(CLASS_REFERENCE, (origin,), call.span)) for name, origin in named)
    return gathered(references, call.step())


def class_name(call: Call, value: Value) -> str:
    """The name of the class that a value stands for: a text, `Class['x']` or `Resource['class', 'x']`."""
    from ..types.callables import ClassType, ResourceType, entry_type

    if type(value) is Reference:
        value = entry_type(value)
    if value is None:
        raise call.fail("Cannot use undef as a class name")
    if isinstance(value, str):
        if not value:
            raise call.fail("Cannot use empty string as a class name")
        name = value
    elif isinstance(value, ClassType):
        if value.class_name is None:
            raise call.fail("Cannot use an unspecific Class[] Type")
        name = value.class_name
    elif isinstance(value, ResourceType):
        if not value.type_name:
            raise call.fail("Cannot use an unspecific Resource[] where a Resource['class', name] is expected")
        if value.type_name.lower() != "class":
            raise call.fail(f"Cannot use a Resource[{value.type_name}] where a Resource['class', name] is expected")
        if value.title is None:
            raise call.fail("Cannot use an unspecific Resource['class'] where a Resource['class', name] is expected")
        name = value.title
    else:
        raise call.fail("undefined method `downcase' for nil:NilClass")
    return name.removeprefix("::").lower()


@calling("include", "Any +$names", acts=Acts.DECLARES)
def include(call: Call) -> Traced:
    """Declares classes by name, unless they are declared already.  The result is an array of references to them.

    puppet> include('ntp')
    [Class['ntp']]
    """
    return _declare(call)


@calling("contain", "Any +$names", acts=Acts.DECLARES | Acts.CONTAINS)
def contain(call: Call) -> Traced:
    """Declares classes, and makes the current class or define contain them, so that ordering it orders them.

    puppet> contain('ntp')
    [Class['ntp']]
    """
    return _declare(call)


@calling("require", "Any +$names", acts=Acts.DECLARES | Acts.RELATES)
def require(call: Call) -> Traced:
    """Declares classes, and makes the current class or define require them.

    puppet> require('ntp')
    [Class['ntp']]
    """
    return _declare(call)


@calling("realize", "Any $reference, Any *$more", legacy=True, acts=Acts.REALIZES)
def realize(call: Call) -> Traced:
    """Makes virtual resources real, given by reference.

    puppet> realize(User['luke'])
    undef
    """
    from ..types.callables import ClassType, ResourceType

    references: list[tuple[str, str | None]] = []
    for value, _ in _flattened(call.values, call.origins):
        if isinstance(value, Reference):
            value = ResourceType(value.type_name, value.title)
        if isinstance(value, ResourceType) and value.type_name and value.title:
            references.append((value.type_name, value.title))
        elif isinstance(value, ClassType) and value.class_name is not None:
            references.append(("Class", value.class_name))
        else:
            text = ruby.legacy_text(value)
            reference = re.fullmatch(r"([^\[\]]+)\[(.+)\]", text, re.DOTALL)
            references.append((reference[1], reference[2]) if reference else (text, None))
    call.machine.realize(references, call.step(), call.span)
    return None, Absent("result of realize", (), call.span)


@calling("tag", "Any $name, Any *$names", legacy=True, acts=Acts.TAGS)
def tag(call: Call) -> Traced:
    """Adds tags to the current class or define, and so to all that it contains.

    puppet> tag('web')
    undef
    """
    given = [value for value, _ in _flattened(call.values, call.origins) if value is not None]
    names = [ruby.legacy_text(value).lower() for value in given]
    call.machine.tag(names, call.step(), call.span)
    return None, Absent("result of tag", (), call.span)


@calling("tagged", "Any $name, Any *$names", legacy=True)
def tagged(call: Call) -> Traced:
    """Whether the current class or define (or the catalog) has all of the tags.

    puppet> tagged('web')
    false
    """
    tests: list[Origin] = list(call.origins)
    verdict = True
    for value in call.values:
        has_tag, origin = call.machine.tagged(ruby.to_s(value), call.span)
        tests.append(origin)
        if not has_tag:
            verdict = False
            break
    return _verdict(call, verdict, tests)


def _verdict(call: Call, verdict: bool, tests: Sequence[Origin]) -> Traced:
    """A truth value that tests decided."""
    return verdict, Choice(tuple(tests), Step(TRUE if verdict else FALSE, ()), call.span, call.function.label)


@calling("defined", "Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] +$vals")
def defined(call: Call) -> Traced:
    """Whether at least one of the arguments is there.

    A text names a class, define or resource type, or a variable with its `$`; a reference, such as `File['/tmp']` or
    `Class['ntp']`, asks whether the resource is in the catalog by now.

    puppet> defined('notify')
    true
    puppet> defined('$nothing')
    false
    """
    tests: list[Origin] = []
    for value, origin in zip(call.values, call.origins, strict=True):
        exists, test = _defined(call, value)
        tests += (origin, test)
        if exists:
            return _verdict(call, True, tests)
    return _verdict(call, False, tests)


def _defined(call: Call, value: Value) -> Traced:
    from ..types.callables import ClassType, ResourceType, entry_type
    from ..types.model import TypeType

    machine = call.machine
    if type(value) is Reference:
        value = entry_type(value)
    if isinstance(value, str):
        variable = re.search(r"^\$(.+)$", value, re.MULTILINE)
        if variable is not None:
            known = machine.existing_variable(variable[1])
            return (False, machine.absent_variable(variable[1], call.span)) if known is None else (True, known[1])
        if not value:
            return False, Step(FALSE, ())
        if value == "main":
            return True, Step(TRUE, ())
        return machine.type_or_class_exists(value)
    if isinstance(value, TypeType):
        if isinstance(value.type, ClassType):
            if value.type.class_name is None:
                raise call.fail("The given class type is a reference to all classes")
            return machine.class_exists(value.type.class_name)
        return _defined(call, value.type)
    if isinstance(value, ResourceType):
        if not value.type_name:
            raise call.fail("The given resource type is a reference to all kind of types")
        if value.title is None:
            return machine.resource_type_exists(value.type_name)
        return machine.resource_declared(value.type_name, value.title)
    assert isinstance(value, ClassType)
    if value.class_name is None:
        raise call.fail("The given class type is a reference to all classes")
    return machine.resource_declared("class", value.class_name)


@calling("create_resources", "Any $type, Any $resources, Any *$defaults", legacy=True, acts=Acts.CREATES)
def create_resources(call: Call) -> Traced:
    """Declares a resource for every entry of a hash from titles to hashes of parameters.

    A third argument gives parameters for those that have not got them. A type's name that begins with `@` or `@@` makes
    them virtual or exported.

    puppet> create_resources('notify', { 'hello' => { 'message' => 'world' } })
    undef
    """
    values = call.values
    if len(values) > 3:
        raise call.fail(f"create_resources(): wrong number of arguments ({len(values)}; must be 2 or 3)")
    if not isinstance(values[1], dict):
        raise call.fail("create_resources(): second argument must be a hash")
    if len(values) == 3 and not isinstance(values[2], dict):
        raise call.fail("create_resources(): third argument, if provided, must be a hash")
    if not isinstance(values[0], str):
        raise call.fail(f"undefined method `sub' for {ruby.inspect(values[0])}:{ruby.ruby_class(values[0])}")
    name = values[0]
    form = "exported" if name.startswith("@@") else "virtual" if name.startswith("@") else "regular"
    type_name = re.sub(r"^@{1,2}", "", name, count=1, flags=re.MULTILINE).lower()
    if type_name == "class" and form != "regular":
        from ..kernel.failures import EvaluationError

        raise EvaluationError("Classes are not virtualizable", call.span, issue="CLASS_NOT_VIRTUALIZABLE", column=False)
    defaults = _parameters(call, values[2], call.origins[2]) if len(values) == 3 else {}
    resources: dict[HashKey, dict[str, Traced]] = {}
    origins: dict[HashKey, Origin] = {}
    composites: dict[HashKey, tuple[Origin, ...]] = {}
    shadow = Shadow(call.origins[1])
    for position, (key, parameters) in enumerate(values[1].items()):
        origin = shadow.value(key, position)
        if not isinstance(parameters, dict):
            kind = "nil" if parameters is None else str(parameters).lower() if isinstance(parameters, bool) else None
            raise call.fail(f"no implicit conversion of {kind or ruby.ruby_class(parameters)} into Hash")
        own = _parameters(call, parameters, origin)
        given = {
            name: (default, because if name in own else Choice((Absent(name, missing(origin, name)),), because))
            for name, (default, because) in defaults.items()
        } | own
        title = key_value(key)
        for item, reason in _titles(title, shadow.key(key, position)):
            named = hash_key(item)
            resources[named] = given
            composites[named] = (origin, *call.origins[2:])
            origins[named] = Choice((call.origins[0],), reason, call.span, call.function.label)
    call.machine.create_resources(type_name, form, resources, origins, call.span, call.origins, composites)
    return None, Absent("result of create_resources", (), call.span)


def _titles(title: Value, origin: Origin) -> list[tuple[Any, Origin]]:
    if isinstance(title, list):
        return list(traced_items(title, origin))
    return [(title, origin)]


def _parameters(call: Call, value: dict[Any, Value], origin: Origin) -> dict[str, Traced]:
    shadow = Shadow(origin)
    parameters: dict[str, Traced] = {}
    for position, (key, parameter) in enumerate(value.items()):
        parameters[ruby.to_s(key_value(key))] = (parameter, shadow.value(hash_key(key_value(key)), position))
    return parameters
