"""The phases of a compilation: an environment and a node make a catalog.

The order of things is Puppet's: facts and other inputs become variables of the top scope; the main manifest is
evaluated; then the node definition that matches; then the classes the classifier gave; then collectors and defines,
over and over, until nothing new appears; then overrides that waited, relationships, and the metaparameters and tags
that resources take from what contains them; then everything is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.collector import at_rest
from ...base.diagnostics import Diagnostic
from ...provenance.origins import BUILT_IN, Choice, Guard, Later, Leaf, Origin, Step, built_in
from ..kernel.edge_labels import CLASSIFIER, NODE
from ..kernel.failures import CatalogError, EvaluationError, Failure, of_catalog
from ..kernel.jumps import Break, Next, Return
from ..kernel.operations import NODE_CHOICE
from .binding import check_at_the_end, evaluate, located_failure
from .catalog import Catalog
from .classes import add_class_resource, class_resource, ensure_class
from .compilation import DEFAULT_SETTINGS, Compilation
from .definitions import Definition
from .holding import check_untitled
from .inputs import NodeInputs, checked_variables, input_variables
from .left_out import LeftOut
from .lenient import may_be_left_out
from .machine import FrameMachine
from .resource_types import INHERITED, core_kind
from .resources import Attribute, Resource, check_tags, merge_override
from .scope import Scope

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.traced import Traced
    from .library import Library

MAX_ROUNDS = 1000


def new_compilation(environment: Library, inputs: NodeInputs) -> Compilation:
    """A compilation that has not begun."""
    return Compilation(environment, inputs, FrameMachine)


def compile_catalog(run: Compilation) -> Catalog:
    """Run all phases and return the catalog.  Raises a `Diagnostic`.

    A run makes many small objects and hardly any cycles; looking for cycles meanwhile would walk all origins over
    and over, so that waits until the end.
    """
    with at_rest(), run.environment.serving(run):
        return _run_phases(run)


def _run_phases(run: Compilation) -> Catalog:
    catalog = run.catalog
    stage = Resource("Stage", "main", built_in("main"), run.top, None, None, None, core_kind("stage"))
    catalog.add(stage)
    given = input_variables(run.inputs, run.settings, lambda words: run.warn_once(words, words, None))
    for name in run.inputs.classes:
        try:
            check_tags([name], None)
        except Failure as problem:
            raise CatalogError(problem.message, None, issue=None, kind="invalid tag", lead="") from None
        catalog.add_class(name)
    run.top.vars.update(checked_variables(run.inputs, given))
    _settings_class(run)
    if run.data_only:
        _open_top(run)
        return catalog
    _main(run)
    _node(run)
    _classifier(run)
    run.classified = True
    _generate(run)
    if run.left_out is not None:
        return _finish_leniently(run)
    _finish(run)
    _check_leftovers(run)
    run.relations.validate()
    catalog.check_aliases()
    if run.untitled:
        check_untitled(run)
    return catalog


def _finish_leniently(run: Compilation) -> Catalog:
    """The last phases, each as far as it goes; what is missing for something that was left out is no error."""
    assert run.left_out is not None
    before = bool(run.left_out)
    phases: list[tuple[Resource, Callable[[], object]]] = [(run.main_resource, run.relations.evaluate)]
    phases += ((resource, partial(_finish_resource, run, resource)) for resource in run.resources)
    phases += (
        (run.main_resource, phase)
        for phase in (
            partial(_inherit_metaparameters, run),
            partial(_check_leftovers, run),
            run.relations.validate,
            run.catalog.check_aliases,
        )
    )
    for owner, phase in phases:
        try:
            phase()
        except Diagnostic as problem:
            if not may_be_left_out(problem):
                raise
            run.left_out.append(LeftOut(owner.ref, problem, not before))
    return run.catalog


def _setting(name: str, value: object) -> Traced:
    return value, Leaf("setting", name, None, value)


_DEFAULT_VARIABLES: Mapping[str, Traced] = {name: _setting(name, value) for name, value in DEFAULT_SETTINGS.items()}
"""The variables of the class `settings` where nothing else is given: the same in every run."""


def _settings_class(run: Compilation) -> None:
    definition = run.environment.settings_class
    resource = Resource("Class", "Settings", built_in("settings"), run.top, run.environment.main, None, None,
                        definition=definition, wire_kind="unknown")  # fmt: skip
    run.catalog.add(resource)
    run.catalog.add_class("settings")
    resource.evaluated = True
    scope = Scope(run, run.top, definition, resource, run.top)
    run.class_scopes["settings"] = scope
    scope.vars.update(_DEFAULT_VARIABLES)
    for given in (run.environment.settings, run.inputs.settings):
        for name, value in given.items():
            scope.vars[name] = _setting(name, value)
    scope.vars["all_local"] = (dict(run.settings), BUILT_IN)
    run.add_edge_to_stage(resource)


def _main(run: Compilation) -> None:
    top = _open_top(run)
    try:
        for body in run.environment.main_bodies():
            body(top)
    except Break as jump:
        raise _illegal("break", jump.span) from None
    except Return as jump:
        raise _illegal("return", jump.span) from None
    except Next as jump:
        raise _illegal("next", jump.span) from None
    top.guard = None


def _open_top(run: Compilation) -> Scope:
    """The top scope, ready for the main manifest's code."""
    resource = run.main_resource
    run.resources.append(resource)
    run.catalog.add(resource)
    resource.evaluated = True
    resource.tagged = True
    resource.checked = True  # it has no parameters, until somebody gives it one
    top = run.top
    run.class_scopes[""] = top
    top.vars.setdefault("module_name", ("", built_in("")))
    top.vars.setdefault("title", ("main", built_in("main")))
    top.vars.setdefault("name", ("main", built_in("main")))
    run.add_edge_to_stage(resource)
    return top


def _otherwise(named: Origin) -> Origin:
    """The word that patterns are tried on where none of them matches the node's name."""
    return Choice((named,), built_in("default"), None, NODE)


def _node(run: Compilation) -> None:
    nodes = run.environment.nodes
    if not nodes:
        return
    definition, groups, tried = run.environment.match_node(run.node)
    named = _node_names(run, definition)
    for other in nodes.values():
        effects = run.environment.body_effects(other)
        if other is not definition and effects is not None:
            run.note_absent(run.top, effects, Guard(named, None, other.span, NODE))
    if definition is None:
        raise CatalogError(
            f"Could not find node statement with name 'default' or '{', '.join(tried)}'",
            None,
            issue=None,
            kind="unknown node",
            lead="",
        )
    if groups is not None:
        assert definition.pattern is not None
        matched = run.node_origin if definition.pattern.search(run.node.lower()) else _otherwise(named)
        run.node_match = (groups, (matched, definition.pattern_origin))
    guard = Guard(named, None, definition.span, NODE)
    title = built_in(definition.name)
    resource = Resource(
        "Node", definition.name, title, run.top, definition, None, guard, definition=definition, wire_kind="unknown"
    )
    run.catalog.add_tags(*resource.tags)
    run.add_resource(run.top, resource)
    try:
        evaluate(run, resource)
    except (Break, Return, Next) as jump:
        raise _illegal(type(jump).__name__.lower(), jump.span) from None


def _node_names(run: Compilation, chosen: Definition | None) -> Origin:
    """What decided which node definition is taken: the node's name, and the names that were compared with it.

    A name that matches is found first; where none does, each of them could have.
    """
    if chosen is not None and chosen.name_origin is not None:
        return Step(NODE_CHOICE, (run.node_origin, chosen.name_origin))
    others = (definition.name_origin for definition in run.environment.nodes.values())
    return Step(NODE_CHOICE, (run.node_origin, *(origin for origin in others if origin is not None)))


def _classifier(run: Compilation) -> None:
    classes = run.inputs.classes
    if not classes:
        return
    scope = run.class_scopes.get(_node_class_name(run), run.top)
    with_parameters: dict[str, Mapping[str, Any]] = {}
    without: list[str] = []
    if isinstance(classes, Mapping):
        for name, parameters in classes.items():
            if parameters:
                with_parameters[name] = parameters
            else:
                without.append(name)
    else:
        without = list(classes)
    try:
        _declare_with_parameters(run, scope, with_parameters)
        _include(run, scope, without)
    except Failure as problem:
        raise of_catalog(problem) from None


def _declare_with_parameters(run: Compilation, scope: Scope, classes: Mapping[str, Mapping[str, object]]) -> None:
    """Declare classes as resource statements would; all of them are looked for before the first is made.

    Parameters are found by the class's own name: those of a class that is called otherwise (`A`, `::a`) count for
    nothing, as in Puppet.
    """
    for name, definition in [(name, _class_for(run, name)) for name in classes]:
        leaf = Leaf("classifier", name, None, name)
        called = definition.name
        resource = class_resource(definition, scope, leaf, Guard(leaf, scope.guard, None, CLASSIFIER), None)
        for key, value in classes.get(called, {}).items():
            origin = Leaf("classifier", f"{called}.{key}", None, value)
            resource.set(Attribute(key, value, origin, definition, None))
        add_class_resource(run, definition, resource, scope)


def _include(run: Compilation, scope: Scope, names: Sequence[str]) -> None:
    """Declare classes that may have been declared before."""
    for name, definition in [(name, _class_for(run, name)) for name in names]:
        if definition.name not in run.class_scopes:
            leaf = Leaf("classifier", name, None, name)
            ensure_class(run, definition, scope, leaf, Guard(leaf, scope.guard, None, CLASSIFIER))


def _node_class_name(run: Compilation) -> str:
    for resource in run.resources:
        if resource.type == "Node" and resource.definition is not None:
            return resource.definition.name
    return ""


def _class_for(run: Compilation, name: str) -> Definition:
    definition = run.environment.find_class(name)
    if definition is None:
        raise CatalogError(
            f"Could not find class {name} for {run.node}",
            None,
            issue=None,
            kind="unknown class",
            lead="",
            help=run.environment.near_class(name),
        )
    return definition


def _generate(run: Compilation) -> None:
    """Evaluate collectors and definitions until nothing is left to do."""
    rounds = 0
    while True:
        done = True
        for collection in list(run.collections):
            if collection.evaluate():
                done = False
        if _evaluate_definitions(run):
            done = False
        if done:
            return
        rounds += 1
        if rounds > MAX_ROUNDS:
            raise CatalogError(
                "Somehow looped more than 1000 times while evaluating host catalog",
                None,
                issue=None,
                kind="endless evaluation",
                lead="",
            )


def _evaluate_definitions(run: Compilation) -> bool:
    if not run.unevaluated:
        return False
    waiting = [resource for resource in run.unevaluated if not resource.evaluated]
    ready = [resource for resource in waiting if not resource.virtual]
    run.unevaluated = [resource for resource in waiting if resource.virtual]
    for resource in ready:
        try:
            evaluate(run, resource)
        except (Break, Return, Next) as jump:
            word = type(jump).__name__.lower()
            raise EvaluationError(
                f"Error while evaluating an Object, {word}() from context where this is illegal",
                jump.span,
                kind="illegal jump",
                column=False,
            ) from None
        except Diagnostic as problem:
            raise located_failure(problem, resource) from None
    return bool(ready)


def _finish(run: Compilation) -> None:
    run.relations.evaluate()
    for resource in run.resources:
        _finish_resource(run, resource)
    _inherit_metaparameters(run)


def _finish_resource(run: Compilation, resource: Resource) -> None:
    if run.pending_overrides:
        waiting = run.pending_overrides.pop(resource.ref, None)
        for pending in waiting or ():
            merge_override(resource, *pending)
    check_at_the_end(resource)
    resource.finish()


def _inherit_metaparameters(run: Compilation) -> None:
    """Resources take tags and metaparameters (not relationships) from what contains them, from Class[main] down."""
    children = run.catalog.children
    waiting = [run.main_resource]
    seen: set[str] = set()
    data: dict[str, dict[str, Attribute]] = {}
    while waiting:
        following: list[Resource] = []
        for source in waiting:
            ref = source.ref
            if ref in seen:
                continue
            seen.add(ref)
            contained = children.get(ref, ())
            inherited = data.get(ref)
            if inherited is None:
                inherited = _metaparameters(source)
            tags = source.tags
            for target in contained:
                if inherited:
                    data[ref] = inherited
                    for name, attribute in inherited.items():
                        if target.value(name) is None:
                            undef = target.attributes.get(name)
                            given = (target, name, () if undef is None else (undef.origin,))
                            why = Later(f"another {name} of {target.ref}", run.inherited_causes, None, given)
                            target.set(attribute.because(why))
                    data[target.ref] = {**inherited, **_metaparameters(target)}
                target.tags.update(tags)
            following.extend(contained)
        waiting = following


def _check_leftovers(run: Compilation) -> None:
    if run.pending_overrides:
        left = [ref for ref, waiting in run.pending_overrides.items() for _ in waiting]
        if left:
            spans = [pending[2] for waiting in run.pending_overrides.values() for pending in waiting]
            raise CatalogError(
                f"Could not find resource(s) {', '.join(left)} for overriding",
                None,
                issue=None,
                kind="override of nothing",
                lead="",
                notes=[f"the override is at {span.place}" for span in spans if span is not None],
            )
    left = [ref for collection in run.collections for ref in collection.unresolved()] if run.collections else []
    if left:
        raise CatalogError(
            f"Failed to realize virtual resources {', '.join(left)}",
            None,
            issue=None,
            kind="never realized",
            lead="",
        )


def _metaparameters(resource: Resource) -> dict[str, Attribute]:
    attributes = resource.attributes
    if not attributes:
        return {}
    return {name: attributes[name] for name in INHERITED if name in attributes and attributes[name].value is not None}


def _illegal(word: str, span: Span | None) -> CatalogError:
    return CatalogError(
        f"{word}() from context where this is illegal", span, issue=None, kind="illegal jump", lead="", column=False
    )
