"""A catalog as PuppetDB keeps it, and what of it other nodes may collect.

Puppet's terminus (`puppet/indirector/catalog/puppetdb.rb`) does not send the catalog as agents get it: rich values
become texts, what is sensitive is left out, a resource that is named by an attribute gets that name as an `alias`,
metaparameters in which order means nothing are sorted, and relationships become edges. Resources that are exported and
not collected here are in it, though no agent sees them. The same form is what `wherefrom` passes between nodes itself,
so that a node collects what it would collect by way of PuppetDB, with the origins beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...base.secrets import texts_in
from ...provenance.exported import Exported
from ...provenance.operations import FunctionCall
from ...provenance.origins import Copy, Items, Origin, Step
from ..kernel.edge_labels import TITLE
from ..kernel.values import Default, Regexp, Sensitive, key_value
from ..runtime.resources import flatten
from ..types.model import PuppetType
from ..types.objects import ObjectType
from .wire import parameters_document, wire_value

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Resource

UNORDERED = ("alias", "audit", "before", "check", "notify", "require", "subscribe", "tag")
"""Metaparameters in whose arrays order means nothing."""
_EDGES = {
    "before": ("before", True),
    "require": ("required-by", False),
    "notify": ("notifies", True),
    "subscribe": ("subscription-of", False),
}
"""By relationship metaparameter: the edge's word, and whether it leads from the resource that has it."""
_REFERENCE = re.compile(r"\A([^\[\]]+)\[(.+)\]\Z", re.DOTALL)


def stored_catalog(run: Compilation) -> dict[str, Any]:
    """`certname`, `version`, `environment`, `resources` and `edges`, as `replace catalog` of version 9 wants them."""
    kept = [resource for resource in run.catalog.resources if _is_kept(resource)]
    refs = {resource.ref for resource in kept}
    resources = [_resource(resource) for resource in kept]
    edges = [
        _edge(_named(edge.source), _named(edge.target), "contains")
        for edge in run.catalog.edges.values()
        if edge.source.ref in refs and edge.target.ref in refs
    ]
    for resource, document in zip(kept, resources):
        if not resource.virtual:
            edges += _relationships(run, resource, document)
    unique = {tuple(sorted((key, str(part)) for key, part in edge.items())): edge for edge in edges}
    return {
        "certname": run.node,
        "version": str(int(run.now)),
        "environment": str(run.settings.get("environment", "production")),
        "resources": resources,
        "edges": list(unique.values()),
    }


def exported_resources(run: Compilation, secrets: set[str]) -> list[Exported]:
    """What the node exports, collected here or not, with origins; those of the run's `secrets` come along."""
    exported = [resource for resource in run.catalog.resources if resource.exported]
    if not exported:
        return []
    resources: list[Exported] = []
    for resource in exported:
        document = _resource(resource)
        parameters = document["parameters"]
        shown = texts_in([parameters])
        origins = {name: _origin(resource, name, value) for name, value in parameters.items()}
        resources.append(
            Exported(
                run.node,
                resource.type,
                resource.title,
                tuple(document["tags"]),
                parameters,
                document["file"] or "",
                document["line"] or 0,
                resource.existence,
                origins,
                tuple(sorted(secret for secret in secrets if any(secret in text for text in shown))),
            )
        )
    return resources


def _is_kept(resource: Resource) -> bool:
    return not resource.virtual or resource.exported


def _resource(resource: Resource) -> dict[str, Any]:
    return {
        "type": resource.type,
        "title": resource.title,
        "tags": list(resource.tags),
        "exported": resource.exported,
        "file": None if resource.span is None else resource.span.file.name,
        "line": None if resource.span is None else resource.span.line,
        "parameters": _parameters(resource),
    }


def _parameters(resource: Resource) -> dict[str, Any]:
    written = parameters_document(resource)
    parameters: dict[str, Any] = {}
    for name, rich in written.items():
        if name not in resource.sensitive:
            attribute = resource.attributes.get(name)
            parameters[name] = (
                rich if attribute is None or attribute.value is None else exported_parameter(rich, attribute.value)
            )
    aliases = _aliases(resource)
    if aliases:
        parameters["alias"] = aliases
    for name in UNORDERED:
        if isinstance(parameters.get(name), list):
            values = flatten(parameters[name]) if name in _EDGES else parameters[name]
            parameters[name] = sorted((value for value in values if value is not None), key=str)
    return parameters


def exported_parameter(rich: object, value: object) -> Any:
    """A value as PuppetDB keeps it, of which `rich` is what the catalog has."""
    return rich if isinstance(rich, str) else stringified(value)


def _aliases(resource: Resource) -> list[Any]:
    """Other names: those it was given, and what names it if that is not its title."""
    kind = resource.kind
    if kind is not None and len(kind.keys) > 1:
        return []
    aliases = [stringified(alias) for alias in flatten(resource.value("alias")) if alias is not None]
    if kind is not None and not kind.isomorphic:
        return aliases
    namevar = "name" if kind is None else kind.namevar
    named = resource.value(namevar)
    if named is None and kind is not None:
        named = kind.named_by(resource.title)
    if resource.ref in ("Class[main]", "Stage[main]"):
        named = "main"  # whose title is a symbol to Puppet
    elif named is None or named == resource.title or named in aliases:
        return aliases
    return [*aliases, stringified(named)]


def stringified(value: object) -> Any:
    """A value as PuppetDB keeps it: what JSON has no form for is text (`ToStringifiedConverter`)."""
    if type(value) is list:
        return [stringified(element) for element in value]
    if type(value) is dict:
        return {_text(key_value(key)): stringified(element) for key, element in value.items()}
    if value is None or type(value) in (str, bool, int, float):
        return value
    return _text(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Default):
        return "default"
    if isinstance(value, Regexp):
        return f"/{value.source}/"
    if isinstance(value, Sensitive):
        return "#<Sensitive [value redacted]>"
    if isinstance(value, ObjectType):
        return str(value.name)
    written = wire_value(value)
    if isinstance(written, str):
        return written
    return str(value) if isinstance(value, PuppetType) else _printed(value)


def _printed(value: object) -> str:
    from ..types import puppet_string

    return str(puppet_string(value))


def _origin(resource: Resource, name: str, value: Any) -> Origin:
    """Where a parameter came from; where its array was sorted, its elements' origins are in that order too."""
    attribute = resource.attributes.get(name)
    if attribute is None or (name == "alias" and attribute.value != value):
        namevar = resource.attributes.get("name" if resource.kind is None else resource.kind.namevar)
        named = resource.title_origin if namevar is None else namevar.origin
        sources = (named,) if attribute is None else (named, attribute.origin)
        return Copy(TITLE, named) if attribute is None else Step(FunctionCall("sort"), sources)
    origin = attribute.origin
    if name in UNORDERED and isinstance(attribute.value, list) and attribute.value != value:
        elements = origin.elements if isinstance(origin, Items) else ()
        if isinstance(origin, Items) and isinstance(elements, list | tuple) and len(elements) == len(value):
            pairs = sorted(zip(attribute.value, elements), key=lambda pair: str(stringified(pair[0])))
            return Items([element for _, element in pairs], origin.own)
        return Step(FunctionCall("sort"), (origin,))
    return origin


def _named(resource: Resource) -> dict[str, str]:
    return {"type": resource.type, "title": resource.title}


def _edge(source: dict[str, str], target: dict[str, str], relationship: str) -> dict[str, Any]:
    return {"source": source, "target": target, "relationship": relationship}


def _relationships(run: Compilation, resource: Resource, document: dict[str, Any]) -> list[dict[str, Any]]:
    edges: list[dict[str, Any]] = []
    here = _named(resource)
    for name, (word, forward) in _EDGES.items():
        for text in flatten(document["parameters"].get(name)):
            reference = _REFERENCE.match(text) if isinstance(text, str) else None
            other = None if reference is None else run.catalog.find(reference[1], reference[2])
            if other is not None and _is_kept(other):
                ends = (here, _named(other)) if forward else (_named(other), here)
                edges.append(_edge(*ends, word))
    return edges
