"""The catalog as Puppet writes it: the document that `puppet catalog compile` prints.

Resources that are virtual are left out. Parameters that only repeat the title are left out too. Values that JSON has no
form for (types, regular expressions, `default`, timestamps, ...) are written as rich data, `{"__ptype": "Regexp",
"__pvalue": "a+"}`. References to resources are strings, `File[/a]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Label
from ..kernel.failures import EvaluationError
from ..kernel.values import (
    URI,
    Binary,
    Default,
    Deferred,
    Iterator,
    Key,
    ObjectValue,
    Reference,
    Regexp,
    SemVer,
    SemVerRange,
    Sensitive,
    Timespan,
    Timestamp,
    key_value,
)
from ..runtime.relations import reference_text
from ..runtime.resources import flatten
from ..types import puppet_string
from ..types.callables import CatalogEntryType, ClassType, ResourceType
from ..types.model import PuppetType
from ..types.objects import ObjectType, ObjectTypeExtension
from ..types.regexps import data_text

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Resource

_AS_TEXT = {SemVer: "SemVer", SemVerRange: "SemVerRange", Timestamp: "Timestamp", Timespan: "Timespan", URI: "URI"}


def catalog_document(run: Compilation) -> dict[str, Any]:
    """The whole catalog."""
    catalog = run.catalog
    shown = shown_resources(run)
    order = {resource.ref: index for index, resource in enumerate(shown)}
    edges = [edge for edge in catalog.edges.values() if edge.source.ref in order and edge.target.ref in order]
    edges.sort(key=lambda edge: order[edge.target.ref])
    binaries = run.ruby.interpreter.binaries if run.ruby is not None else {}
    return {
        "tags": list(catalog.tags),
        "name": run.node,
        "version": int(run.now),
        "code_id": None,
        "catalog_format": 2,
        "environment": str(run.settings.get("environment", "production")),
        "resources": [resource_document(resource, binaries) for resource in shown],
        "edges": [{"source": edge.source.ref, "target": edge.target.ref} for edge in edges],
        "classes": list(catalog.classes),
    }


def shown_resources(run: Compilation) -> list[Resource]:
    """The resources that the catalog has for an agent."""
    return [resource for resource in run.catalog.resources if not resource.virtual]


def resource_document(resource: Resource, binaries: Mapping[int, str]) -> dict[str, Any]:
    """One resource.  `binaries` are texts, by identity, that Ruby gave without an encoding: Puppet writes `Binary`."""
    document: dict[str, Any] = {"type": resource.type, "title": resource.title, "tags": list(resource.tags)}
    if resource.span is not None:
        document["file"] = resource.span.file.name
        document["line"] = resource.span.line
    document["exported"] = resource.exported
    document["kind"] = resource.wire_kind
    try:
        parameters = parameters_document(resource)
    except EvaluationError as problem:  # told at the resource, where Puppet tells a place at all
        if problem.issue is not None and problem.span is None and resource.span is not None:
            problem.labels.append(Label(resource.span))
            problem.column = False
        raise
    if parameters:
        document["parameters"] = _with_binaries(parameters, binaries) if binaries else parameters
    if resource.sensitive:
        document["sensitive_parameters"] = list(resource.sensitive)
    return document


def _with_binaries(written: object, binaries: Mapping[int, str]) -> Any:
    """A value as rich data, with what Puppet writes for texts without an encoding."""
    if type(written) is str:
        return wire_value(Binary(written.encode("utf-8", "surrogateescape"))) if id(written) in binaries else written
    if type(written) is list:
        return [_with_binaries(element, binaries) for element in written]
    if type(written) is dict:
        return {key: _with_binaries(element, binaries) for key, element in written.items()}
    return written


def parameters_document(resource: Resource) -> dict[str, Any]:
    """The parameters that are written: set, and more than the title again."""
    title = resource.title
    kind = resource.kind
    namevar = "name" if kind is None else kind.namevar
    # `name` is another word for the attribute that names a resource, and wins over it.
    by_name = resource.value("name") if kind is not None and namevar != "name" else None
    parameters: dict[str, Any] = {}
    if resource.ref in ("Class[main]", "Stage[main]"):
        parameters["name"] = "main"  # their title is a symbol to Puppet, and so not equal to their name
    elif kind is None and resource.raw_title is not None:
        parameters["name"] = title
    elif kind is not None and kind.patterns is not None:
        for name, part in kind.from_title(title).items():
            set_value = resource.value(name)
            value = part if set_value is None else set_value
            if name == namevar and by_name is not None:
                value = by_name
            if value is not None and not (name == namevar and value == title):
                parameters[name] = wire_value(value)
    elif kind is not None:
        named = resource.value(namevar) if by_name is None else by_name
        if named is None:
            named = kind.named_by(title)
        if named != title or resource.raw_title is not None:
            parameters[namevar] = wire_value(named)  # what names the resource comes first
    for name, attribute in resource.attributes.items():
        value = attribute.value
        if value is None or name in parameters or (name == "name" and by_name is not None):
            continue
        if name == namevar and (value == title or (kind is not None and kind.patterns is None)):
            continue
        if name in ("before", "require", "notify", "subscribe") and isinstance(value, list):
            value = _without_undef(value)
        elif type(value) is list and _refers(value):
            value = flatten(value)
        parameters[name] = value if type(value) is str else wire_value(value, name in resource.sensitive)
    return parameters


def _without_undef(values: list[Any]) -> list[Any]:
    flat: list[Any] = []
    for element in values:
        if isinstance(element, list):
            flat.extend(_without_undef(element))
        elif element is not None:
            flat.append(element)
    return flat


def _refers(values: list[Any]) -> bool:
    """Whether an array, or one inside it, holds a reference; such an array is written flat."""
    return any(type(element) is Reference or (type(element) is list and _refers(element)) for element in values)


def wire_value(value: Any, inside: bool = False) -> Any:
    """A value as rich data.  `inside` of a secret, a deferred call or an object a reference is a type like others."""
    kind = type(value)
    if kind is str or value is None or kind is bool or kind is int or kind is float:
        return value
    if kind is list:
        return [wire_value(element, inside) for element in value]
    if kind is dict:
        return _hash(value, inside)
    reference = None if inside and kind is not Reference else reference_of(value)
    if reference is not None:
        return reference
    if isinstance(value, PuppetType):
        if type(value) is CatalogEntryType and not inside:
            return str(value)
        from .rich_types import type_document

        return type_document(value, _inner)
    if isinstance(value, Default):
        return {"__ptype": "Default"}
    if isinstance(value, Regexp):
        return {"__ptype": "Regexp", "__pvalue": data_text(value.source)}
    if isinstance(value, Sensitive):
        return {"__ptype": "Sensitive", "__pvalue": _inner(value.value)}
    if isinstance(value, Binary):
        return {"__ptype": "Binary", "__pvalue": value.base64()}
    if kind in _AS_TEXT:
        return {"__ptype": _AS_TEXT[kind], "__pvalue": str(value)}
    if isinstance(value, Deferred):
        document: dict[str, Any] = {"__ptype": "Deferred", "name": value.name}
        if value.arguments is not None:
            document["arguments"] = _inner(value.arguments)
        return document
    if isinstance(value, ObjectValue):
        return {"__ptype": _type_name(value), **_attributes(value)}
    if isinstance(value, Iterator):
        words = f"{puppet_string(value)} cannot be written into a catalog"
        raise EvaluationError(words, None, issue=None, kind="not a reference", lead="")
    return puppet_string(value)


def reference_of(value: object) -> str | None:
    """A reference to a resource or class as catalogs have it; nothing for other values."""
    if type(value) is Reference:
        return str(value)
    if isinstance(value, ResourceType | ClassType):
        named = value.title if isinstance(value, ResourceType) else value.class_name
        return reference_text(value) if named is not None else None
    return None


def _inner(value: object) -> Any:
    return wire_value(value, inside=True)


def _type_name(value: ObjectValue) -> str:
    """The name of an object's type; of one that takes parameters Puppet writes the last part alone."""
    own = value.puppet_type
    name: str = own.name
    takes_parameters = isinstance(own, ObjectType) and own.type_parameters()
    return name.rpartition("::")[2] if takes_parameters else name


def _attributes(value: ObjectValue) -> dict[str, Any]:
    """What makes the object again: arguments in the constructor's order, but for the last ones that are defaults."""
    own = value.puppet_type
    if isinstance(own, ObjectTypeExtension):
        own = own.base
    assert isinstance(own, ObjectType)
    known = own.attributes()
    needed, names = own.parameters()
    while len(names) > needed:
        last = known[names[-1]]
        if not last.has_value or last.value != value.attributes.get(last.name):
            break
        names.pop()
    return {name: _inner(value.attributes.get(name)) for name in names}


def _hash(value: dict[Any, Any], inside: bool) -> Any:
    if all(type(key) is str for key in value):
        if "__ptype" not in value:
            return {key: wire_value(element, inside) for key, element in value.items()}
    elif all(not isinstance(key, Key) and type(key) is str for key in value):
        return {key: wire_value(element, inside) for key, element in value.items()}
    elif all(type(key) is str or (type(key) is Key and type(key.value) is Reference) for key in value):
        return {str(key_value(key)): wire_value(element, inside) for key, element in value.items()}
    flat: list[Any] = []
    for key, element in value.items():
        flat.append(wire_value(key_value(key), inside))
        flat.append(wire_value(element, inside))
    return {"__ptype": "Hash", "__pvalue": flat}
