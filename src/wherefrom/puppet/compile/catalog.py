"""What manifests are for: resources, their defaults and overrides, collectors, and arrows between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...base.source import Span
from ...provenance.composites import shape
from ...provenance.operations import ARRAY
from ...provenance.origins import Choice, Items, Origin, Step
from ..kernel.failures import CatalogError, EvaluationError, Failure, a_an, placed
from ..kernel.operations import COLLECTOR, OPERATORS
from ..kernel.shadow import Shadow
from ..kernel.values import DEFAULT, Reference, weigh
from ..runtime.collectors import Looked, Query, RunningCollector
from ..runtime.declaring import declare, define_defaults, note_others, override
from ..runtime.effects import ANYTHING_DECLARED, any_resource, computed_classes
from ..runtime.elsewhere import Elsewhere, predicate_of
from ..runtime.holding import AS_THEY_ARE, held
from ..runtime.library import Code
from ..runtime.relations import RELATIONS, own_lists
from ..runtime.resources import Attribute, Resource, capitalize_segments, flatten, lacking
from ..syntax import tree
from ..types import equals, includes, infer_generalized, label, puppet_string, shown_type
from ..types.callables import CatalogEntryType, ClassType, ResourceType, entry_type
from ..types.model import PuppetType, TypeReference, TypeType
from .build import NOTHING, build, builds, unfold

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from ..runtime.compilation import Compilation
    from ..runtime.library import Library
    from ..runtime.scope import Frame


def flat(value: object, origin: Origin) -> list[Traced]:
    """A value, or the elements of arrays within arrays, each with its origin."""
    if type(value) is not list:
        return [(value, origin)]
    weigh(value, getattr(origin, "span", None))
    elements: list[Traced] = []
    _flatten(value, origin, elements)
    return elements


def _flatten(value: list[Any], origin: Origin, elements: list[Traced]) -> None:
    shadow = Shadow(origin)
    for index, element in enumerate(value):
        if type(element) is list:
            _flatten(element, shadow.item(index), elements)
        else:
            elements.append((element, shadow.item(index)))


# --- attributes -------------------------------------------------------------------------------------------------------


class Operations:
    """The attribute operations of a body, compiled.  `declares`: of a resource, which has each attribute once."""

    __slots__ = ("declares", "parts", "plain", "relates", "whole")

    def __init__(
        self, operations: Sequence[tree.Operation], environment: Library, whole: Span, declares: bool = True
    ) -> None:
        self.whole = whole
        self.declares = declares
        self.parts: list[tuple[str | None, Code, bool, Span, Span]] = []
        for operation in operations:
            code = build(operation.value, environment)
            if isinstance(operation, tree.Attribute):
                self.parts.append((operation.name, code, operation.operator == "+>", operation.at, operation.value.at))
            else:
                self.parts.append((None, code, False, operation.at, operation.value.at))
        names = [name for name, *_ in self.parts]
        self.plain = None not in names and len(set(names)) == len(names)
        self.relates = None in names or not RELATIONS.isdisjoint(names)

    def evaluate(self, frame: Frame) -> tuple[list[Attribute], tuple[Origin, ...]]:
        """The attributes, each with its origin, and the hashes that some were taken from."""
        composites: list[Origin] = []
        attributes = self._evaluate(frame, composites)
        if self.relates:
            own_lists(attributes)
        return attributes, tuple(composites)

    def _evaluate(self, frame: Frame, composites: list[Origin]) -> list[Attribute]:
        source = frame.base.source
        attributes: list[Attribute] = []
        if self.plain:
            for name, code, add, at, _ in self.parts:
                value, origin = code(frame)
                if type(value) not in AS_THEY_ARE:
                    value = _held(frame, value, "'=>' expression", at)
                attributes.append(Attribute(name, value, origin, source, at, add))  # type: ignore[arg-type]
            return attributes
        seen: set[str] = set()
        for name, code, add, at, value_at in self.parts:
            value, origin = code(frame)
            if name is not None:
                value = _held(frame, value, "'=>' expression", at)
                self._add(attributes, seen, Attribute(name, value, origin, source, at, add))
                continue
            if not isinstance(value, dict):
                raise EvaluationError(
                    f"Expected value of type Hash, got {infer_generalized(value)}", value_at, issue="TYPE_MISMATCH"
                )
            shadow = Shadow(origin)
            composites.append(origin)
            for index, (key, element) in enumerate(value.items()):
                element = _held(frame, element, "Object", at)
                self._add(attributes, seen, Attribute(str(key), element, shadow.value(key, index), source, at))
        return attributes

    def _add(self, attributes: list[Attribute], seen: set[str], attribute: Attribute) -> None:
        if attribute.name in seen and self.declares:
            raise EvaluationError(
                f"The attribute '{attribute.name}' has already been set",
                self.whole,
                issue="DUPLICATE_ATTRIBUTE",
            )
        seen.add(attribute.name)
        attributes.append(attribute)


def _held(frame: Frame, value: object, what: str, at: Span) -> Any:
    try:
        return held(frame.run, value)
    except CatalogError:
        raise
    except Diagnostic as failure:
        raise placed(failure, what, at) from None


# --- resources --------------------------------------------------------------------------------------------------------


def _type_name(node: tree.Expression, environment: Library) -> Any:
    """Code that gives the name of the type before the brace."""
    if isinstance(node, tree.Name):
        name = node.value
        written = (name, NOTHING[1])
        return lambda frame: written
    code = build(node, environment)
    acceptable = isinstance(node, tree.TypeName) or (
        isinstance(node, tree.Access) and isinstance(node.target, tree.TypeName)
    )
    at = node.at

    def type_name(frame: Frame) -> tuple[str, Origin]:
        value, origin = code(frame)
        if acceptable:
            if isinstance(value, ClassType) and value.class_name is None:
                return "class", origin
            if isinstance(value, ResourceType) and value.title is None and value.type_name is not None:
                return value.type_name, origin
            if isinstance(value, TypeReference):
                raise EvaluationError(
                    f"Resource type not found: {value.type_string}",
                    at,
                    issue="UNKNOWN_RESOURCE_TYPE",
                    help=environment.near_type(value.type_string),
                )
        named = acceptable and isinstance(value, ClassType | ResourceType)
        actual = str(value) if named else str(infer_generalized(value))
        raise EvaluationError(
            f"Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {actual}",
            at,
            issue="ILLEGAL_RESOURCE_TYPE",
        )

    return type_name


@builds(tree.Resource)
def build_resource(node: tree.Resource, environment: Library, wanted: bool) -> Code:
    type_name = _type_name(node.type, environment)
    at = node.at
    form = node.form
    bodies = [
        (build(body.title, environment), body.title.at, Operations(body.operations, environment, at))
        for body in node.bodies
    ]

    def resource(frame: Frame) -> Traced:
        name, name_origin = type_name(frame)
        if name_origin is not NOTHING[1]:
            frame.run.note_other(frame, ANYTHING_DECLARED, (name_origin,), at)
        if frame.run.settings["tasks"]:
            raise EvaluationError(
                "A Resource Statement is only available when compiling a catalog",
                at,
                issue="EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING",
            )
        if form == "exported" and not frame.run.setting("storeconfigs"):
            frame.run.warn(
                "You cannot collect exported resources without storeconfigs being set; the export is ignored", at
            )
        evaluated: list[tuple[list[tuple[str, Origin]], list[Attribute], tuple[Origin, ...]]] = []
        used: dict[Any, int] = {}
        for title_code, title_at, operations in bodies:
            value, origin = title_code(frame)
            if type(value) is str and value != "" and value not in used:
                used[value] = len(evaluated)
                titles = [(value, origin)]
            else:
                titles = _titles(value, origin, used, len(evaluated), title_at, at)
                if type(value) is list:
                    declared = computed_classes(True) if name.lower() == "class" else any_resource(name.lower())
                    frame.run.note_other(frame, declared, shape(origin), at)
            if name_origin is not NOTHING[1]:
                titles = [(title, Choice((name_origin,), title_origin)) for title, title_origin in titles]
            evaluated.append((titles, *operations.evaluate(frame)))
        _, defaults, others = evaluated[used[DEFAULT]] if DEFAULT in used else (None, None, ())
        resources: list[Resource] = []
        try:
            for titles, attributes, composites in evaluated:
                if defaults is not None and defaults is not attributes:
                    attributes = _with_defaults(defaults, attributes, composites)
                    composites = (*composites, *others)
                resources.extend(declare(frame, name, titles, attributes, form, at, composites))
        except EvaluationError:
            raise
        except Diagnostic as failure:
            raise placed(failure, "Resource Statement", at) from None
        if not wanted:
            return NOTHING
        return [reference(resource) for resource in resources], Items(
            [resource.title_origin for resource in resources], Step(ARRAY, ())
        )

    return resource


def _with_defaults(
    defaults: list[Attribute], attributes: list[Attribute], composites: tuple[Origin, ...]
) -> list[Attribute]:
    """The attributes of a body, and those of the body `default` that neither it nor the hashes in it have."""
    own = {attribute.name: attribute for attribute in attributes}
    if composites:
        defaults = [
            attribute if attribute.name in own else attribute.because(lacking(attribute.name, composites))
            for attribute in defaults
        ]
    return list({attribute.name: attribute for attribute in (*defaults, *attributes)}.values())


def reference(resource: Resource) -> ResourceType:
    """The reference that a declaration gives; a class is a resource of the type `Class` here."""
    return ResourceType(resource.type, resource.title)


def _titles(
    value: object, origin: Origin, used: dict[Any, int], body: int, title_at: Span, at: Span
) -> list[tuple[str, Origin]]:
    """Check titles: strings, not empty, not twice; `default` stands for no resource."""
    if value is None:
        raise EvaluationError("Missing title. The title expression resulted in undef", title_at, issue="MISSING_TITLE")
    titles: list[tuple[str, Origin]] = []
    for index, (title, title_origin) in enumerate(flat(value, origin)):
        if title is None:
            raise EvaluationError(
                f"Missing title at index {index}. The title expression resulted in an undef title",
                title_at,
                issue="MISSING_TITLE_AT",
            )
        if not isinstance(title, str) and title is not DEFAULT:
            raise EvaluationError(
                f"Illegal title type at index {index}. Expected String, got {shown_type(title)}",
                title_at,
                issue="ILLEGAL_TITLE_TYPE_AT",
            )
        if title == "":
            raise EvaluationError(
                f"Empty string title at {index}. Title strings must have a length greater than zero.",
                title_at,
                issue="EMPTY_STRING_TITLE_AT",
            )
        if title in used:
            shown = "default" if title is DEFAULT else title
            raise EvaluationError(
                f"The title '{shown}' has already been used in this resource expression", at, issue="DUPLICATE_TITLE"
            )
        used[title] = body
        if isinstance(title, str):
            titles.append((title, title_origin))
    return titles


@builds(tree.ResourceDefaults)
def build_defaults(node: tree.ResourceDefaults, environment: Library, wanted: bool) -> Code:
    type_code = build(node.type, environment)
    operations = Operations(node.operations, environment, node.at, declares=False)
    at, type_at = node.at, node.type.at

    def defaults(frame: Frame) -> Traced:
        kind, origin = type_code(frame)
        if not (isinstance(kind, ResourceType) and kind.type_name is not None and kind.title is None):
            raise EvaluationError(
                "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got "
                f"{infer_generalized(kind)}",
                type_at,
                issue="ILLEGAL_RESOURCE_TYPE",
            )
        try:
            define_defaults(frame, kind.type_name, *operations.evaluate(frame))
        except EvaluationError:
            raise
        except Diagnostic as failure:
            raise placed(failure, "Resource Defaults Expression", at) from None
        return kind, origin

    return defaults


@builds(tree.ResourceOverride)
def build_override(node: tree.ResourceOverride, environment: Library, wanted: bool) -> Code:
    references = build(node.references, environment)
    operations = Operations(node.operations, environment, node.at, declares=False)
    at = node.at

    def overrides(frame: Frame) -> Traced:
        value, origin = references(frame)
        attributes, composites = operations.evaluate(frame)
        for target, target_origin in flat(value, origin):
            if type(target) is Reference:
                target = entry_type(target)
            if not isinstance(target, ResourceType) or target.lower_name == "class":
                raise EvaluationError(
                    f"Resource Override can only operate on resources, got: {label(target)}",
                    at,
                    issue="ILLEGAL_OVERRIDDEN_TYPE",
                )
            try:
                override(frame, target.type_name or "", target.title or "", attributes, target_origin, at, composites)
            except EvaluationError:
                raise
            except Diagnostic as failure:
                raise placed(failure, "Resource Override", at) from None
        return value, origin

    return overrides


# --- collectors -------------------------------------------------------------------------------------------------------


@builds(tree.Collector)
def build_collector(node: tree.Collector, environment: Library, wanted: bool) -> Code:
    operations = Operations(node.operations, environment, node.at, declares=False)
    at = node.at
    exported = node.query.exported
    condition = None if node.query.condition is None else _query(node.query.condition, environment)
    asked = _filter(node.query.condition, environment) if exported and node.query.condition is not None else None
    name = node.type.lower if isinstance(node.type, tree.TypeName) else ""

    def collector(frame: Frame) -> Traced:
        run = frame.run
        if exported and not run.setting("storeconfigs"):
            run.warn(
                "You cannot collect exported resources without storeconfigs being set; the collection will be ignored",
                at,
            )
        if name == "class":
            raise placed(Failure("Classes cannot be collected", kind="illegal query"), node.text_of(), at)
        kind = environment.find_type(name)
        if kind is None:
            hint = environment.near_type(name)
            failure = Failure(f"Resource type {name} doesn't exist", kind="UNKNOWN_RESOURCE_TYPE", help=hint)
            raise placed(failure, node.text_of(), at)
        overrides, composites = operations.evaluate(frame) if operations.parts else ((), ())
        try:
            query = None if condition is None else condition(frame)
            wanted = () if asked is None or run.exports is None else asked(frame)
        except EvaluationError:
            raise
        except Diagnostic as failure:
            raise placed(failure, node.text_of(), at) from None
        why: Looked = () if frame.guard is None else (frame.guard,)
        type_name = capitalize_segments(kind.name)
        collection = RunningCollector(frame.base, type_name, query, list(overrides), why, at, exported)
        note_others(frame, kind.name, composites, at)
        if exported and run.exports is not None and run.setting("storeconfigs"):
            collection.elsewhere = Elsewhere(run, kind, type_name, *wanted)
            run.note_other(frame, any_resource(kind.name.lower()), (collection.elsewhere.input,), at)
        run.collections.append(collection)
        return collection, Step(COLLECTOR, (), at)

    return collector


def _query(node: tree.Expression, environment: Library) -> Any:
    """Code that gives the query: a function of a resource that says whether it matches and what it looked at."""
    node = unfold(node)
    if isinstance(node, tree.And | tree.Or):
        left, right = _query(node.left, environment), _query(node.right, environment)
        stops = isinstance(node, tree.Or)

        def both(frame: Frame) -> Query:
            first, second = left(frame), right(frame)

            def query(resource: Resource) -> tuple[bool, Looked]:
                matches, looked = first(resource)
                if matches is stops:
                    return matches, looked
                other, more = second(resource)
                return other, (*looked, *more)

            return query

        return both
    if isinstance(node, tree.Comparison):
        return _comparison_query(node, environment)

    def impossible(frame: Frame) -> Query:
        raise Failure(f"Cannot transform object of class {type(node).__name__}", kind="illegal query")

    return impossible


_UNASKED: dict[type[tree.Node], str] = {
    tree.Array: "LiteralList",
    tree.Hash: "LiteralHash",
    tree.Default: "LiteralDefault",
    tree.Regex: "LiteralRegularExpression",
    tree.TypeName: "QualifiedReference",
    tree.Heredoc: "HeredocExpression",
    tree.Splat: "UnfoldExpression",
    tree.Minus: "UnaryMinusExpression",
    tree.Not: "NotExpression",
    tree.Arithmetic: "ArithmeticExpression",
    tree.Call: "CallNamedFunctionExpression",
    tree.MethodCall: "CallMethodExpression",
    tree.If: "IfExpression",
    tree.Unless: "UnlessExpression",
    tree.Case: "CaseExpression",
}
"""What a query can not be made of, with Puppet's names for it (`Puppet::Pops::Evaluator::CollectorTransformer`)."""


def _comparison_query(node: tree.Comparison, environment: Library) -> Any:
    left, right = build(node.left, environment), build(node.right, environment)
    negated = node.operator == "!="
    impossible = _UNASKED.get(type(unfold(node.left))) or _UNASKED.get(type(unfold(node.right)))

    def comparison(frame: Frame) -> Query:
        if impossible is not None:
            raise Failure(f"Cannot transform object of class Puppet::Pops::Model::{impossible}", kind="illegal query")
        name, _ = left(frame)
        wanted, wanted_origin = right(frame)
        wanted = held(frame.run, wanted)
        if name == "tag" and not negated:
            return _tag_query(frame.run, wanted, wanted_origin)

        def query(resource: Resource) -> tuple[bool, Looked]:
            if name == "title":
                value: Any = resource.title if resource.raw_title is None else resource.raw_title
                origin: Origin = resource.title_origin
            else:
                attribute = resource.attributes.get(name)
                if attribute is None:
                    value, origin = None, _unset(frame.run, resource, name)
                else:
                    value, origin = attribute.value, attribute.origin
            if negated:
                return not equals(value, wanted), (origin, wanted_origin)
            if type(value) is list:
                return includes(value, wanted), (origin, wanted_origin)
            return (value == wanted and type(value) is str) or equals(value, wanted), (origin, wanted_origin)

        return query

    return comparison


def _unset(run: Compilation, resource: Resource, name: str) -> Origin:
    """Why a resource that a query looked at has no such attribute."""
    return run.absences.later(f"{resource.ref}.{name}", lambda now: run.unmade_changes(resource, name, now))


def _tag_query(run: Compilation, wanted: object, origin: Origin) -> Query:
    tags = []
    for tag in flatten(wanted):
        if isinstance(tag, int | float) and not isinstance(tag, bool):
            raise Failure("Cannot transform a number to a tag", kind="illegal query")
        tags.append(puppet_string(tag).lower())

    def query(resource: Resource) -> tuple[bool, Looked]:
        return resource.is_tagged(tags), (origin, run.tag_origin(resource))

    return query


def _filter(node: tree.Expression, environment: Library) -> Any:
    """Code that gives the query as a database is asked it, and the origins of what it compares with."""
    node = unfold(node)
    if isinstance(node, tree.And | tree.Or):
        left, right = _filter(node.left, environment), _filter(node.right, environment)
        word = "and" if isinstance(node, tree.And) else "or"

        def both(frame: Frame) -> tuple[list[Any], Looked]:
            (first, looked), (second, more) = left(frame), right(frame)
            return [word, first, second], (*looked, *more)

        return both
    assert isinstance(node, tree.Comparison)  # or `_query` has complained
    field, value = build(node.left, environment), build(node.right, environment)
    negated = node.operator == "!="

    def comparison(frame: Frame) -> tuple[list[Any], Looked]:
        name, _ = field(frame)
        wanted, origin = value(frame)
        predicate = predicate_of(frame.run, name, held(frame.run, wanted))
        return (["not", predicate] if negated else predicate), (origin,)

    return comparison


# --- arrows -----------------------------------------------------------------------------------------------------------


@builds(tree.Relationship)
def build_relationship(node: tree.Relationship, environment: Library, wanted: bool) -> Code:
    left = build(node.left, environment)
    right = build(node.right, environment)
    at = node.at
    attribute = "before" if node.operator in ("->", "<-") else "notify"
    reverse = node.operator in ("<-", "<~")

    def relationship(frame: Frame) -> Traced:
        a, a_origin = left(frame)
        b, b_origin = right(frame)
        try:
            first = _ends(a, a_origin, environment, at)
            second = _ends(b, b_origin, environment, at)
        except EvaluationError:
            raise
        except Diagnostic as failure:
            raise placed(failure, node.text_of(), at) from None
        sources, targets = (second, first) if reverse else (first, second)
        frame.run.relations.add(
            frame, sources, targets, attribute, Step(OPERATORS[node.operator], (a_origin, b_origin), node.span), at
        )
        if not second:
            return first, a_origin
        if len(second) == 1 and isinstance(second[0], RunningCollector):
            second[0].alternative = first
        return second, b_origin

    return relationship


def _ends(value: object, origin: Origin, environment: Library, at: Span) -> list[Any]:
    """The ends of an arrow that a value stands for, each once."""
    ends: list[Any] = []
    for end in value if type(value) is list and not any(type(x) is list for x in value) else flatten(value):
        if isinstance(end, str):
            end = environment.type_of_text(end, None)
        if isinstance(end, TypeType) and end.type is not None:
            end = end.type
        if type(end) is Reference:
            end = entry_type(end)
        if isinstance(end, PuppetType):
            if not isinstance(end, CatalogEntryType):
                raise EvaluationError(
                    "Illegal relationship operand, can not form a relationship with something of type "
                    f"{end}. A Catalog type is required.",
                    at,
                    issue="NOT_CATALOG_TYPE",
                )
        elif not isinstance(end, RunningCollector):
            raise EvaluationError(
                f"Illegal relationship operand, can not form a relationship with {a_an(label(end))}. "
                "A Catalog type is required.",
                at,
                issue="ILLEGAL_RELATIONSHIP_OPERAND_TYPE",
            )
        if end not in ends:
            ends.append(end)
    return ends
