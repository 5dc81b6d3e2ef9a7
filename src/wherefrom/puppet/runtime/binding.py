"""Evaluating classes, nodes and defines: a scope of their own, parameters bound, then the body.

A parameter's value is, in this order: the one given in the declaration (undef counts as not given), for classes the one
found in data under `class::parameter`, the default, nothing. Then all of them are checked against their types. Defaults
are evaluated left to right and may use parameters to their left.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic, Label, LimitReached
from ...provenance.origins import (
    BUILT_IN,
    Absent,
    Choice,
    Copy,
    Guard,
    Guarded,
    Hidden,
    Later,
    Leaf,
    Origin,
    Overridden,
    built_in,
    guarded,
)
from ..kernel.edge_labels import (
    CLASSIFIER,
    DECLARED,
    DEFAULT_VALUE,
    FIRST_DECLARED,
    PARAMETER_DEFAULT,
    REALIZED,
    TITLE,
    parameter_of,
)
from ..kernel.failures import CatalogError, EvaluationError, Failure, of_catalog, placed
from ..kernel.jumps import Next, Return
from ..kernel.traced import Traced
from ..kernel.values import Deferred
from ..types import TypeMismatchError, TypeProblem, check_parameters
from ..types.containers import StructType
from ..types.model import OptionalType
from ..types.sprintf import to_s
from .holding import held
from .lenient import leave_out_resource, may_be_left_out
from .missing_facts import lacking_facts
from .names import RESERVED, reserved
from .resources import Attribute, Resource
from .scope import Frame, Scope, UnevaluatedParameter

if TYPE_CHECKING:
    from .compilation import Compilation
    from .definitions import Definition, ParameterCode

MAX_NESTED_CLASSES = 400


def evaluate(run: Compilation, resource: Resource) -> None:
    """Evaluate a class, node or define in a scope of its own, once."""
    if resource.evaluated:
        return
    if run.left_out is not None and not (resource.definition is not None and resource.definition.kind == "node"):
        _evaluate_leniently(run, resource)
    else:
        _evaluate(run, resource)


def _evaluate_leniently(run: Compilation, resource: Resource) -> None:
    """The same, where a class or define that fails as a whole is left out."""
    depth, declared_at = run.depth, run.declared_at
    try:
        _evaluate(run, resource)
    except Diagnostic as problem:
        if not may_be_left_out(problem):
            raise
        run.depth, run.declared_at = depth, declared_at
        reported = problem if resource.span is None else located_failure(problem, resource)
        leave_out_resource(run, resource, reported if isinstance(reported, Diagnostic) else problem)


def _evaluate(run: Compilation, resource: Resource) -> None:
    resource.evaluated = True
    definition = resource.definition
    assert definition is not None
    resource.add_scope_tags()
    if definition.kind == "class":
        run.absences.begun[definition.name] = run.absences.now
    run.depth += 1
    if run.depth > MAX_NESTED_CLASSES:
        raise LimitReached("classes and defines nested too deeply", MAX_NESTED_CLASSES, resource.span)
    outer = run.declared_at
    scope = _new_scope(run, resource, definition)
    run.declared_at = scope.declared_at
    if definition.kind != "define" and definition.name:
        run.catalog.add_class(definition.name)
    bind_parameters(run, resource, definition, scope)
    run.add_edge_to_stage(resource)
    if definition.pattern is not None:
        scope.match = run.node_match
    body = definition.body
    if body is not None:
        try:
            body(scope)
        except (Return, Next):
            if definition.kind == "node":
                raise
        scope.guard = resource.guard
    run.declared_at = outer
    run.depth -= 1


def _new_scope(run: Compilation, resource: Resource, definition: Definition) -> Scope:
    above = resource.scope
    assert above is not None
    inherited: Scope | None = None
    parent = definition.parent_definition()
    if parent is not None:
        parent_resource = run.catalog.find("Class", parent.name)
        if parent_resource is not None:
            evaluate(run, parent_resource)
            inherited = run.class_scopes.get(parent.name)
            if inherited is None:  # it has begun, waits for its own parent, and that led back here
                raise Failure(f"Could not find scope for {parent.name}", kind="parent not ready")
    scope = Scope(run, inherited or above, definition, resource, None)
    scope.up = inherited or scope.enclosing()
    absences = run.absences
    others = definition.others
    if others is not None:
        resource.guard = Guard(others, resource.guard, None, DECLARED)
    if resource.collected:
        resource.guard = Guard(Absent("another query", resource.collected), resource.guard, None, REALIZED)
    first: Guard | None = None
    if definition.kind == "class":
        scope.declared_at = absences.now
        if resource.late:  # the classifier could have declared it before, and with other parameters
            said = absences.later("another class", lambda now: absences.of_classifier(definition.name))
            resource.guard = Guard(said, resource.guard, None, CLASSIFIER)
        if absences.notes:
            first = resource.guard = first_declared(run, definition.name, resource.guard)
    elif definition.kind == "define":
        scope.declared_at = above.declared_at
    scope.guard = resource.guard
    if inherited is None:
        scope.link = _pointer(scope, resource.guard, definition)
    if definition.kind != "define":
        scope.link = scope.link or resource.guard
        run.class_scopes[definition.name] = scope
        if first is not None:
            assigned = run.environment.assigned_in_class(definition.name)
            if assigned:
                scope.absent = {name: [Guard(first.test, None, None, first.how)] for name in assigned}
    return scope


def _pointer(scope: Scope, guard: Guard | None, definition: Definition) -> Guard | None:
    """What decided which node or top scope this scope lies under: every class passed on the way to it (rule R4).

    Nothing if that is no more than `guard`, under which everything in this scope happens.
    """
    passed: list[Guard] = []
    above = scope.parent
    while above is not None and not above.is_global:
        link = above.link
        if link is not None and link not in passed and not _is_within(link, guard):
            passed.append(link)
        above = above.parent
    if not passed:
        return None
    return Guard(Absent(f"another scope above {definition.name}", tuple(passed)), guard, None, DECLARED)


def _is_within(inner: Guard, guard: Guard | None) -> bool:
    while guard is not None:
        if guard is inner:
            return True
        guard = guard.parent
    return False


def _change(run: Compilation, resource: Resource) -> None:
    """Give parameters the values that are supposed of them, whatever the declaration says."""
    reference = f"{resource.ref}.".lower()
    for name, value in run.inputs.changed.items():
        parameter = name[len(reference) :]
        if name.lower().startswith(reference) and "." not in parameter:
            leaf = Leaf("argument", name, None, value)
            resource.attributes[parameter] = Attribute(parameter, value, leaf, None, None)


def bind_parameters(run: Compilation, resource: Resource, definition: Definition, scope: Scope) -> None:
    """Set the built-in variables and the parameters of a scope."""
    if run.inputs.changed:
        _change(run, resource)
    variables = scope.vars
    guard = resource.guard
    module = definition.module
    if module is not None:
        variables["module_name"] = (module, built_in(module))
    caller = scope.parent.source.module if scope.parent is not None else None
    if caller is not None:
        variables["caller_module_name"] = (caller, built_in(caller))
    title_origin = Copy(TITLE, guarded(resource.title_origin, guard), resource.span)
    if definition.kind == "class":
        title: Any = resource.title.lower()
    else:
        title = resource.title if resource.raw_title is None else resource.raw_title
    named = resource.attributes.get("name")
    own_name: Traced = (title, title_origin)
    if named is None and resource.composites:
        own_name = (title, Choice(resource.lacking("name"), title_origin))
    if named is not None and named.value not in (None, False):
        own_name = (to_s(named.value).lower() if definition.kind == "class" else named.value, named.origin)
    parameters = definition.parameters
    if not parameters and not resource.attributes:
        resource.checked = True
        variables["title"], variables["name"] = (title, title_origin), own_name
        return
    given: dict[str, Traced] = {}
    for attribute in resource.attributes.values():
        if attribute.name not in ("name", "title"):
            given[attribute.name] = (attribute.value, attribute.origin)
    missed: dict[str, Origin] = {}
    if definition.kind == "class":
        # Data that interpolates `%{title}` while a class is bound sees that of the scope above, `main` or the node.
        _from_data(run, resource, definition, parameters, given, scope, missed)
    variables["title"], variables["name"] = (title, title_origin), own_name
    if parameters:
        _defaults(resource, parameters, given, scope, missed)
        check(resource, definition, given, scope)
    elif given:
        check(resource, definition, given, scope)
    resource.checked = "title" not in resource.attributes  # which is a parameter of nothing, and found out at the end
    may_spare = definition.kind == "define" and run.may_spare
    unmade_changes, before = run.unmade_changes, len(run.absences.notes)
    for name, (value, origin) in given.items():
        if name in RESERVED or name in variables:
            problem = reserved(name) if name in RESERVED else _reassigned(name)
            if definition.kind == "class":
                raise CatalogError(
                    problem.message, resource.span, issue=None, kind=problem.kind, lead="", placeless=True
                )
            raise problem
        if may_spare:  # why it was not overridden before the define is evaluated
            origin = Choice((Later("another change", unmade_changes, None, (resource, name, before)),), origin)
        if guard is not None:
            origin = Guarded(origin, guard)
        absent = scope.absent.get(name) if scope.absent is not None else None
        if absent:
            origin = Choice((Absent(f"another variable ${name}", tuple(absent)),), origin)
        variables[name] = (value, Copy(parameter_of(name, definition.kind, definition.name), origin, resource.span))


def _reassigned(name: str) -> Failure:
    return Failure(f"Cannot reassign variable '${name}'", kind="ILLEGAL_REASSIGNMENT")


def _from_data(
    run: Compilation,
    resource: Resource,
    definition: Definition,
    parameters: list[ParameterCode],
    given: dict[str, Traced],
    scope: Scope,
    missed: dict[str, Origin],
) -> None:
    """Take from data what was not given; `missed` gets the reasons of what is not there either."""
    if run.data is None:
        return
    for parameter in parameters:
        name = parameter.name
        current = given.get(name)
        if current is not None and current[0] is not None:
            continue
        answer = run.data_value(f"{definition.name}::{name}", None, scope)
        if isinstance(answer, Absent):
            missed[name] = answer
            continue
        value, origin = answer
        if run.absences.computed:
            origin = Choice((run.absences.other_parameters(definition.name),), origin)
        if current is None and resource.composites:
            origin = Choice(resource.lacking(name), origin)
        if value is None and parameter.default is not None:
            missed[name] = origin
            continue
        if current is not None:
            origin = Choice((current[1],), origin)
        if parameter.default_span is not None:
            span = parameter.default_span
            hidden = Hidden(span.text, BUILT_IN, PARAMETER_DEFAULT, span)
            origin = Overridden(None, origin, (hidden,))
        given[name] = (value, origin)
        resource.set(Attribute(name, value, origin, resource.source, None, is_default=True))


def _defaults(
    resource: Resource,
    parameters: list[ParameterCode],
    given: dict[str, Traced],
    scope: Scope,
    missed: Mapping[str, Origin],
) -> None:
    """Evaluate the defaults of parameters that have no value, left to right."""
    wanted = [
        parameter
        for parameter in parameters
        if parameter.default is not None and given.get(parameter.name, (None, None))[0] is None
    ]
    if not wanted:
        return
    names = [parameter.name for parameter in parameters]
    frame = Frame(scope)
    frame.vars.update(given)
    frame.pending = {name for name in names if name not in given}
    scope.binding = frame
    for parameter in wanted:
        name = parameter.name
        frame.pending.add(name)
        frame.vars.pop(name, None)
        value, origin = evaluate_default(frame, parameter, names, resource.ref)
        value = held(scope.run, value)
        undef = given.get(name)
        tests = resource.lacking(name) if undef is None else (undef[1],)
        if name in missed:
            tests = (*tests, missed[name])
        if scope.run.absences.computed and scope.source.kind == "class":
            tests = (*tests, scope.run.absences.other_parameters(scope.source.name))
        origin = Choice(tests, origin, parameter.default_span, DEFAULT_VALUE)
        given[name] = frame.vars[name] = (value, origin)
        frame.pending.discard(name)
        resource.set(Attribute(name, value, origin, resource.source, None, is_default=True))
    scope.binding = None


def evaluate_default(frame: Frame, parameter: ParameterCode, names: list[str], callee: str) -> Traced:
    """The default of a parameter.  Fails if it asks for one that has no value yet."""
    assert parameter.default is not None
    frame.match = None  # what one default matched is not seen by the next
    try:
        return parameter.default(frame)
    except UnevaluatedParameter as asked:
        if names.index(asked.name) < names.index(parameter.name):
            raise Failure(f"{callee}: expects a value for parameter ${asked.name}", kind="TYPE_MISMATCH") from None
        raise Failure(
            f"{callee}: default expression for ${parameter.name} tries to illegally access not yet "
            f"evaluated ${asked.name}",
            kind="parameter not evaluated",
        ) from None


def check(resource: Resource, definition: Definition, traced: dict[str, Traced], scope: Scope) -> None:
    """Check values against the types of the parameters."""
    values = {name: value for name, (value, _) in traced.items()}
    struct = definition.struct(scope)
    returned = None
    if any(type(value) is Deferred for value in values.values()):
        from .deferred import returned_types

        returned = returned_types(scope.run, struct, values, lazily=definition.kind == "define")
    try:
        check_parameters(resource.ref, struct, values, returned=returned)
    except TypeMismatchError as failure:
        wrong = _blame(failure, resource, definition, struct, values)
        failure.help = failure.help or lacking_facts(scope.run, (traced[name] for name in wrong))
        raise


def check_at_the_end(resource: Resource) -> None:
    """Check once more what was changed after its code had run, and what was never realized, which has no defaults."""
    definition, scope = resource.definition, resource.scope
    if resource.checked or definition is None or definition.kind == "node" or scope is None:
        return
    values = {name: (attribute.value, attribute.origin) for name, attribute in resource.attributes.items()}
    try:
        check(resource, definition, values, scope)
    except Failure as problem:
        raise of_catalog(problem) from None


def _blame(
    failure: TypeMismatchError, resource: Resource, definition: Definition, struct: StructType, values: dict[str, Any]
) -> list[str]:
    """Point at the attributes that are wrong, at the parameters they are for, and at the definition that wants more.

    The names of the parameters whose values are of another type.
    """
    written = {name: attribute.span for name, attribute in resource.attributes.items()}
    declared = {parameter.name: parameter.span for parameter in definition.parameters}
    unknown = [name for name in values if name not in struct.by_name]
    wrong = [
        element.name
        for element in struct.elements
        if element.name in values and not element.value.accepts(values[element.name])
    ]
    missing = [name for name in declared if name in struct.by_name and name not in values]
    missing = [name for name in missing if not isinstance(struct.by_name[name].key, OptionalType)]
    places = [
        *(Label(span, "no such parameter") for name in unknown if (span := written.get(name)) is not None),
        *(Label(span, "of another type") for name in wrong if (span := written.get(name)) is not None),
    ]
    labels = [Label(declared[name], "declared here") for name in wrong if name in declared]
    if missing:
        labels += [Label(declared[name], "has no value") for name in missing]
    elif unknown and definition.span is not None:
        labels.append(Label(definition.span, "defined here"))
    if places:
        failure.blame = places[0]
    failure.labels += [*places[1:], *labels]
    for name in unknown:
        from ...base.spell import nearest

        near = nearest(name, missing) or nearest(name, declared)
        if near is not None:
            failure.help = f"did you mean {near}?"
            break
    return wrong


def first_declared(run: Compilation, name: str, guard: Guard | None) -> Guard:
    """A class declared here for the first time depends on what could have declared it before (rule R3)."""
    absences = run.absences
    earlier = absences.later(f"an earlier declaration of class {name}", lambda now: absences.of_class(name, now))
    return Guard(earlier, guard, None, FIRST_DECLARED)


def located_failure(problem: Exception, resource: Resource) -> Exception:
    """A failure inside a define, told at the place where the define was declared, as Puppet does.

    A class that a classifier declared has no such place; people get that of the failure itself.
    """
    from ..kernel.failures import CompilerFailed, UnknownStage, lead_of, location, reported_place

    if isinstance(problem, CompilerFailed):
        return problem
    if isinstance(problem, UnknownStage):
        failed = CompilerFailed("ArgumentError", problem.message, resource.span, "unknown stage")
        failed.help = problem.help
        return failed
    if isinstance(problem, TypeProblem) and not isinstance(problem, TypeMismatchError):
        # a type that turns out to be impossible while a value is checked: nobody in Puppet wraps it
        failed = CompilerFailed("ArgumentError", problem.message, problem.blame or resource.span, problem.kind or "")
        failed.code = problem.code  # still the same kind of error
        return failed
    if resource.span is None and resource.is_class and isinstance(problem, EvaluationError | Failure):
        detail = lead_of(problem) + problem.message if isinstance(problem, EvaluationError) else problem.message
        blamed = problem.blame if isinstance(problem, Failure) else None
        labels = problem.labels or ((blamed,) if blamed is not None else ())
        reported: EvaluationError = EvaluationError(
            f"Error while evaluating a Resource Statement, {detail}",
            *(labels or (None,)),
            issue=None,
            kind=problem.kind if isinstance(problem, Failure) else problem.issue,
            placeless=True,
            notes=problem.notes,
            help=problem.help,
        )
        if reported.code == EvaluationError.code and type(problem) is not Failure:
            reported.code = problem.code  # still the same kind of error
        return reported
    if isinstance(problem, EvaluationError):
        detail = lead_of(problem) + problem.message
        place = reported_place(problem)
        if place is not None:
            detail += " " + location(place, problem.column)
        if resource.span is None:
            return problem
        located = EvaluationError(
            f"Error while evaluating a Resource Statement, {detail}",
            resource.span,
            *problem.labels,
            column=False,
            notes=problem.notes,
            help=problem.help,
        )
        located.code = problem.code  # still the same kind of error
        return located
    if isinstance(problem, Failure) and resource.span is not None:
        at_declaration = placed(problem, "Resource Statement", resource.span)
        at_declaration.column = False  # type: ignore[attr-defined]
        return at_declaration
    return problem
