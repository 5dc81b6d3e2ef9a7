"""Declaring resources, their defaults and their overrides.

These are the effects that resource expressions have on the catalog, apart from the syntax they are written in:
`create_resources` uses them as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Label
from ...provenance.composites import shape
from ...provenance.origins import Origin, guarded
from ..kernel.edge_labels import OverrideIn
from ..kernel.failures import EvaluationError, Failure
from ..kernel.values import weigh
from ..types.sprintf import to_s
from .classes import declare_class
from .effects import any_change, computed_classes
from .names import is_word
from .resource_types import ResourceKind
from .resources import (
    Attribute,
    Resource,
    apply_defaults,
    capitalize_segments,
    check_repeated,
    check_tags,
    component_reference,
    merge_override,
)

if TYPE_CHECKING:
    from ...base.source import Span
    from .scope import Frame, Scope


def declare(
    frame: Frame,
    type_name: str,
    titles: Sequence[tuple[object, Origin]],
    attributes: Sequence[Attribute],
    form: str,
    span: Span | None,
    composites: tuple[Origin, ...] = (),
) -> list[Resource]:
    """Declare one resource per title, with the same attributes.  Classes are evaluated at once.

    `composites` are the hashes that attributes were taken from.
    """
    run = frame.run
    lower = type_name.lower().removeprefix("::")
    if lower == "class":
        run.note_other(frame, computed_classes(True), [origin for _, origin in titles], span)
        run.absences.computed = run.absences.computed or not all(is_word(origin) for _, origin in titles)
        attributes = [attribute if type(attribute.value) is str else _own(attribute) for attribute in attributes]
        return [
            declare_class(run, frame, to_s(title), origin, attributes, span, composites) for title, origin in titles
        ]
    resource_type = run.environment.find_type(lower)
    if resource_type is None:
        raise Failure(
            f"Unknown resource type: '{type_name}'",
            kind="UNKNOWN_RESOURCE_TYPE",
            help=run.environment.near_declared(lower),
        )
    if isinstance(resource_type, ResourceKind):
        kind, definition, wire_kind = resource_type, None, "compilable_type"
    else:
        kind, definition, wire_kind = None, resource_type, "defined_type"
    scope = frame.base
    source = scope.source
    guard = frame.guard
    capitalized = capitalize_segments(resource_type.name)
    is_component = lower == "component"
    defaults = scope.lookup_defaults(capitalized) if run.has_defaults and not is_component else None
    if definition is not None:
        attributes = [attribute if type(attribute.value) is str else _own(attribute) for attribute in attributes]
    resources = []
    for title, origin in titles:
        raw = None
        if type(title) is not str:  # keys of `create_resources`
            raw, title = title, to_s(title)
        if is_component:
            capitalized, title = component_reference(title)
        resource = Resource(capitalized, title, origin, scope, source, span, guard, kind, definition, wire_kind, raw)
        if form != "regular":
            resource.virtual = True
            resource.exported = form == "exported"
        resource.composites = composites
        own = resource.attributes
        for attribute in attributes:
            name = attribute.name
            own[name] = attribute
            if name == "tag":
                resource.tag(attribute.value)
                resource.tagged_by += (attribute.origin,)
        if defaults:
            apply_defaults(resource, defaults)
        run.add_resource(scope, resource)
        resources.append(resource)
    return resources


def _own(attribute: Attribute) -> Attribute:
    """An attribute with arrays and hashes of its own: who changes a parameter in place leaves the caller's alone."""
    value = attribute.value
    if type(value) is not list and type(value) is not dict:
        return attribute
    weigh(value, attribute.span)
    copy = _copied(value)
    return Attribute(attribute.name, copy, attribute.origin, attribute.source, attribute.span, attribute.add)


def _copied(value: Any) -> Any:
    if type(value) is list:
        return [_copied(element) if type(element) is list or type(element) is dict else element for element in value]
    return {
        key: _copied(element) if type(element) is list or type(element) is dict else element
        for key, element in value.items()
    }


def note_others(frame: Frame, type_name: str, composites: Sequence[Origin], span: Span | None) -> None:
    """Attributes that are set from outside were taken from hashes, which could have had any others."""
    if composites:
        frame.run.note_other(
            frame, any_change(type_name.lower(), None), [cause for whole in composites for cause in shape(whole)], span
        )


def define_defaults(
    frame: Frame, type_name: str, attributes: Sequence[Attribute], composites: Sequence[Origin] = ()
) -> None:
    """`File { mode => '0644' }`: from now on, for resources declared under this scope."""
    note_others(frame, type_name, composites, None)
    scope = frame.base
    capitalized = "::".join(part.capitalize() for part in type_name.split("::"))
    table = scope.defaults.setdefault(capitalized, {})
    for attribute in attributes:
        if attribute.name in table:
            at = table[attribute.name].span
            first = [Label(at, "first set here")] if at is not None else []
            raise EvaluationError(
                f"Default already defined for {capitalized} {{ {attribute.name} }}; cannot redefine",
                attribute.span,
                *first,
                issue=None,
                kind="duplicate default",
                lead="",
                column=False,
            )
        table[attribute.name] = Attribute(
            attribute.name,
            attribute.value,
            guarded(attribute.origin, frame.guard),
            attribute.source,
            attribute.span,
            attribute.add,
        )
    frame.run.has_defaults = True


def override(
    frame: Frame,
    type_name: str,
    title: str,
    attributes: Sequence[Attribute],
    origin: Origin,
    span: Span,
    composites: Sequence[Origin] = (),
) -> None:
    """`File['/a'] { mode => '0600' }`: now if there is such a resource, else when there is."""
    run = frame.run
    resource_type = run.environment.find_type(type_name.lower())
    if resource_type is None:
        raise Failure(
            f"Could not find type {type_name}",
            kind="UNKNOWN_RESOURCE_TYPE",
            help=run.environment.near_declared(type_name.lower()),
        )
    permitted = (guarded(origin, frame.guard),)
    check_repeated(attributes, f"{capitalize_segments(resource_type.name)}[{title}]", span)
    for attribute in attributes:
        if attribute.name == "tag":
            check_tags(attribute.value, span)
    run.note_other(
        frame, any_change(resource_type.name, tuple(attribute.name for attribute in attributes)), (origin,), span
    )
    note_others(frame, resource_type.name, composites, span)
    how = OverrideIn(describe(frame.base))
    resource = run.catalog.find(resource_type.name, title)
    if resource is not None:
        merge_override(resource, attributes, frame.base, span, how, permitted)
    else:
        kind = capitalize_segments(resource_type.name)
        ref = "{}[{}]".format(*((kind, title) if kind != "Component" else component_reference(title)))
        run.pending_overrides.setdefault(ref, []).append((attributes, frame.base, span, how, permitted))


def describe(scope: Scope) -> str:
    """The scope in words: `class ntp`, `the top scope`."""
    source = scope.source
    if source.kind == "class" and source.name == "":
        return "the top scope"
    return f"{source.kind} {source.name}"
