"""Declaring classes: by name, which may be done twice, or like a resource, which may not.

The classes that a class inherits from come first. A class is a resource of its own, `Class[Name]`, in the stage of
whatever declared it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...provenance.origins import Choice, Guard, Origin, built_in
from ..kernel.edge_labels import CLASS_NAMED, INHERITED
from ..kernel.failures import Failure
from .binding import evaluate
from .names import is_program_text
from .resources import Attribute, Resource, apply_defaults, capitalize_segments

if TYPE_CHECKING:
    from ...base.source import Span
    from .compilation import Compilation
    from .definitions import Definition
    from .scope import Frame, Scope


def include_classes(
    run: Compilation, frame: Frame, names: Sequence[str], origins: Sequence[Origin], how: str, span: Span | None
) -> list[Resource]:
    """Declare classes that may have been declared before, then evaluate the new ones in order."""
    definitions = []
    for name in names:
        known = run.environment.find_class(name)
        if known is None:
            shown = name if name.startswith("::") else f"::{name}"
            raise Failure(
                f"Could not find class {shown} for {run.node}",
                kind="unknown class",
                help=run.environment.near_class(name),
            )
        definitions.append(known)
    resources: list[Resource] = []
    new: list[Resource] = []
    for definition, origin in zip(definitions, origins):
        scope = run.class_scopes.get(definition.name)
        if scope is not None:
            resources.append(scope.resource)
            continue
        guard = class_guard(frame, origin, span)
        resource = ensure_class(run, definition, frame.base, origin, guard)
        resources.append(resource)
        new.append(resource)
    for resource in new:
        evaluate(run, resource)
    return resources


def ensure_class(
    run: Compilation, definition: Definition, scope: Scope, origin: Origin, guard: Guard | None
) -> Resource:
    """The resource of a class, made if it is not there yet."""
    known = run.catalog.find("Class", definition.name)
    if known is not None:
        if known.kind is not None:  # declared as a `component`
            raise Failure("Cannot evaluate a builtin type (Class)", kind="unknown class")
        return known
    resource = class_resource(definition, scope, origin, guard, None)
    add_class_resource(run, definition, resource, scope)
    return resource


def class_resource(
    definition: Definition, scope: Scope, origin: Origin, guard: Guard | None, span: Span | None
) -> Resource:
    """A resource for a class, which is not in the catalog yet."""
    return Resource(
        "Class",
        capitalize_segments(definition.name),
        origin,
        scope,
        definition,
        span,
        guard,
        definition=definition,
        wire_kind="unknown",
    )


def add_class_resource(run: Compilation, definition: Definition, resource: Resource, scope: Scope) -> None:
    """Add the resource of a class to the catalog, those of the classes it inherits from before it."""
    seen = {definition.name}
    parent = definition.parent_definition()
    line = [definition]
    while parent is not None and run.catalog.find("Class", parent.name) is None:
        if parent.name in seen:
            raise Failure(
                f"class {definition.name} inherits from itself: {' -> '.join(d.name for d in line)}",
                kind="inherits from itself",
            )
        seen.add(parent.name)
        line.append(parent)
        parent = parent.parent_definition()
    if run.has_defaults:
        apply_defaults(resource, scope.lookup_defaults("Class"))
    for above in reversed(line[1:]):
        inherited = Choice((resource.title_origin,), built_in(above.name), None, INHERITED)
        ancestor = class_resource(above, scope, inherited, resource.guard, None)
        run.catalog.add_tags(*ancestor.tags)
        run.add_resource(scope, ancestor)
    run.catalog.add_tags(*resource.tags)
    run.add_resource(scope, resource)


def declare_class(
    run: Compilation,
    frame: Frame,
    title: str,
    origin: Origin,
    attributes: Sequence[Attribute],
    span: Span | None,
    composites: tuple[Origin, ...] = (),
) -> Resource:
    """`class { 'a': }`: declare a class like a resource, and evaluate it."""
    definition = run.environment.find_class(title)
    if definition is None:
        raise Failure(
            f"Could not find declared class {title}", kind="unknown class", help=run.environment.near_class(title)
        )
    guard = class_guard(frame, origin, span)
    resource = class_resource(definition, frame.base, origin, guard, span)
    resource.source = frame.base.source
    resource.wire_kind = "class"
    resource.composites = composites
    for attribute in attributes:
        resource.set(attribute)
    add_class_resource(run, definition, resource, frame.base)
    if definition.name not in run.class_scopes:
        evaluate(run, resource)
    return resource


def class_guard(frame: Frame, origin: Origin, span: Span | None) -> Guard | None:
    """The guard of a class that is declared by a name with this origin.

    A bare word decides nothing (it is part of the program, and the papers give class names no label); a string, and a
    name that was computed or looked up, does.
    """
    if is_program_text(origin):
        return frame.guard
    return Guard(origin, frame.guard, span, CLASS_NAMED)
