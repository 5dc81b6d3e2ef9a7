"""A catalog for people: resource declarations in catalog order, each with its place and its container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..kernel.values import Reference, Sensitive
from ..types import program_string
from ..types.callables import ClassType, ResourceType, entry_type
from ..types.printing import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...provenance.exported import Exported
    from ...provenance.origins import Origin
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Resource


BUILT_IN_RESOURCES = ("Stage[main]", "Class[Settings]", "Class[main]")
"""Resources that every catalog has, and nobody wrote."""


def catalog_text(run: Compilation, seen: Callable[[str, Any, Origin], Any]) -> str:
    """The whole catalog, with what `seen` leaves of the values at paths."""
    catalog = run.catalog
    shown = [
        resource
        for resource in catalog.resources
        if not resource.virtual and resource.ref not in BUILT_IN_RESOURCES and resource.type != "Node"
    ]
    containers: dict[str, str] = {}
    for edge in catalog.edges.values():
        if edge.source.ref not in ("Stage[main]", "Class[main]"):
            containers.setdefault(edge.target.ref, edge.source.ref)
    resources = sum(1 for resource in shown if not resource.is_class)
    classes = len(shown) - resources
    count = f"{resources} resource{'s' if resources != 1 else ''}"
    also = f" and {classes} class{'es' if classes != 1 else ''}" if classes else ""
    lines = [f"# catalog for {run.node}, environment {run.settings.get('environment')}: {count}{also}", ""]
    for resource in shown:
        lines.extend(_resource_lines(resource, containers.get(resource.ref), run.foreign.get(resource.ref), seen))
    return "\n".join(lines).rstrip("\n") + "\n"


def _resource_lines(
    resource: Resource, container: str | None, elsewhere: Exported | None, seen: Callable[[str, Any, Origin], Any]
) -> list[str]:
    notes = []
    if resource.span is not None:
        notes.append(f"{resource.span.file.name}:{resource.span.line}")
    if container is not None:
        notes.append(f"in {container}")
    if resource.exported:
        notes.append("exported")
    if elsewhere is not None:
        notes.append(f"exported by {elsewhere.node}")
    comment = f"  # {', '.join(notes)}" if notes else ""
    title = resource.title.lower() if resource.is_class else resource.title
    set_ones = {
        name: attribute.value
        if name in resource.sensitive
        else seen(f"{resource.ref}.{name}", attribute.value, attribute.origin)
        for name, attribute in resource.attributes.items()
        if attribute.value is not None
    }
    head = f"{resource.type.lower()} {{ {quote(title)}:"
    if not set_ones:
        return [f"{head} }}{comment}"]
    width = max(map(len, set_ones))
    lines = [f"{head}{comment}"]
    for name, value in set_ones.items():
        text = "'[redacted]'" if name in resource.sensitive else _value_text(value)
        lines.append(f"  {name:<{width}} => {text},")
    lines.append("}")
    return lines


def _value_text(value: object) -> str:
    if type(value) is str:  # most values are: they need none of the machinery of formats
        return quote(value)
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        return str(value)
    if isinstance(value, Sensitive):
        return "Sensitive('[redacted]')"
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, Reference):
        return str(entry_type(value))
    if isinstance(value, ResourceType | ClassType):
        return str(value)
    return program_string(value)
