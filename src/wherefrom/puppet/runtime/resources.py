"""Resources and their attributes while a catalog is being made.

An `Attribute` is immutable and may be shared by all resources of one expression; it knows its value, the origin of that
value, who set it (the class or define whose code it stands in: Puppet's permission to override goes by that) and where.
A `Resource` collects attributes, remembers what every override covered, and knows why it exists at all: the origin of
its title and the guard it was declared under.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Label
from ...base.keys import FEW_PARTS
from ...provenance.composites import missing
from ...provenance.operations import EdgeLabel
from ...provenance.origins import Absent, Choice, Copy, Guard, Hidden, Items, Origin, Overridden, Step, guarded
from ..kernel.edge_labels import REALIZED, AddedBy, DefaultFor
from ..kernel.failures import EvaluationError, Failure, location
from ..kernel.operations import ADDED
from ..kernel.values import Reference, Sensitive, key_value, weigh, weigh_text
from ..types.containers import StructType, TupleType
from ..types.model import VariantType
from ..types.sprintf import to_s
from .resource_types import ResourceKind

if TYPE_CHECKING:
    from ...base.source import Span
    from .definitions import Definition
    from .scope import Scope

_TAG = re.compile(r"\A\w[\w:.\-]*\n?\Z")
_SPLIT = re.compile("::")


def capitalize_segments(name: str) -> str:
    """`foo::bar` as the name of a type: `Foo::Bar`."""
    if "::" not in name:
        return name[:1].upper() + name[1:].lower() if not name[:1].isupper() else name
    return "::".join([part[:1].upper() + part[1:] for part in name.split("::")])


def component_reference(title: str) -> tuple[str, str]:
    """Type and title of a resource of the type `component`: what its title refers to, or a class of that name."""
    referred = _REFERENCE.fullmatch(title)
    if referred is not None:
        return capitalize_segments(referred[1]), referred[2]
    return "Class", title if title[:1].isupper() else capitalize_segments(title)


_REFERENCE = re.compile(r"([^\[\]]+)\[(.+)\]", re.DOTALL)


def title_tags(title: str) -> dict[str, None]:
    """The tags that a title gives: itself in lower case and the parts of a qualified one, if it may be a tag."""
    lower = title.lower()
    if not _TAG.match(lower):
        return {}
    return dict.fromkeys((lower, *_SPLIT.split(lower)))


class Attribute:
    """One attribute of a resource.  `add` is set by `+>`, `is_default` where a resource default had a say in it."""

    __slots__ = ("add", "is_default", "name", "origin", "source", "span", "value")

    def __init__(
        self,
        name: str,
        value: Any,
        origin: Origin,
        source: Definition | None,
        span: Span | None,
        add: bool = False,
        is_default: bool = False,
    ) -> None:
        self.is_default = is_default
        self.name = name
        self.value = value
        self.origin = origin
        self.source = source
        self.span = span
        self.add = add

    def because(self, test: Origin) -> Attribute:
        """The same for resources without an own value, which is known by a test."""
        origin = Choice((test,), self.origin)
        return Attribute(self.name, self.value, origin, self.source, self.span, self.add, is_default=True)


def lacking(name: str, composites: Sequence[Origin]) -> Origin:
    """What decided that hashes which attributes are taken from do not have one of this name."""
    return Absent(name, tuple([cause for whole in composites for cause in missing(whole, name)]))


class Resource:
    """A resource of the catalog: type and title, attributes, tags, and what became of it."""

    __slots__ = (
        "attributes",
        "checked",
        "collected",
        "composites",
        "definition",
        "evaluated",
        "exported",
        "finished",
        "guard",
        "kind",
        "late",
        "permitted",
        "raw_title",
        "ref",
        "scope",
        "sensitive",
        "since",
        "source",
        "span",
        "tag_origin",
        "tagged",
        "tagged_by",
        "tags",
        "title",
        "title_origin",
        "type",
        "virtual",
        "wire_kind",
    )

    def __init__(
        self,
        type_name: str,
        title: str,
        title_origin: Origin,
        scope: Scope | None,
        source: Definition | None,
        span: Span | None,
        guard: Guard | None,
        kind: ResourceKind | None = None,
        definition: Definition | None = None,
        wire_kind: str = "compilable_type",
        raw_title: Any = None,
    ) -> None:
        """`raw_title` is the title where it is no text: it names the resource, and its code sees it, as it is."""
        self.type = type_name
        self.title = title
        self.raw_title = raw_title
        self.ref = f"{type_name}[{title}]"
        self.title_origin = title_origin
        self.scope = scope
        self.source = source
        self.span = span
        self.guard = guard
        self.kind = kind
        self.definition = definition
        self.wire_kind = wire_kind
        self.attributes: dict[str, Attribute] = {}
        self.virtual = False
        self.exported = False
        self.evaluated = False
        self.checked = False  # its parameters, all of them, against their types
        self.finished = False
        self.tagged = False
        self.tagged_by: tuple[Origin | Guard, ...] = ()
        self.tag_origin: Origin | None = None
        self.since = 0
        self.late = False  # declared after the classifier had its say
        self.sensitive: list[str] = []
        self.permitted: tuple[Origin | Guard, ...] = ()
        self.collected: tuple[Origin | Guard, ...] = ()
        self.composites: tuple[Origin, ...] = ()
        """Hashes that attributes were taken from (`* => $hash`, `create_resources`): others could be in them."""
        tags: dict[str, None] = {}
        lower = type_name.lower()
        tags[lower] = None
        if "::" in lower:
            tags.update(dict.fromkeys(_SPLIT.split(lower)))
        if raw_title is not None:
            pass  # only texts are tags
        elif title != "main" or type_name not in ("Class", "Stage"):  # those two are Puppet's own, and not tagged so
            tags.update(title_tags(title))
        self.tags = tags

    def __repr__(self) -> str:
        return f"Resource({self.ref})"

    @property
    def is_class(self) -> bool:
        """Whether this is a class."""
        return self.type == "Class"

    @property
    def existence(self) -> Origin:
        """Why there is such a resource: its title, the tests it was declared under, and what realized it."""
        origin = guarded(self.title_origin, self.guard)
        if self.collected:
            origin = Overridden(REALIZED, origin, (), self.collected)
        return origin

    def lacking(self, name: str) -> tuple[Origin, ...]:
        """What decided that the hashes which attributes were taken from do not have this one."""
        return (lacking(name, self.composites),) if self.composites else ()

    def names(self) -> list[Origin]:
        """What decided what it is called: had that been otherwise, another resource would be there."""
        origins = [self.title_origin]
        for name in ("alias", "name", "path"):
            attribute = self.attributes.get(name)
            if attribute is not None:
                origins.append(attribute.origin)
            else:
                origins.extend(self.lacking(name))
        return origins

    def value(self, name: str) -> Any:
        """The value of an attribute, or nothing."""
        attribute = self.attributes.get(name)
        return None if attribute is None else attribute.value

    def set(self, attribute: Attribute) -> None:
        """Set an attribute, whatever it was before."""
        if attribute.name == "tag":
            self.tag(attribute.value)
            self.tagged_by += (attribute.origin,)
        self.checked = False
        self.attributes[attribute.name] = attribute

    def tag(self, value: object) -> None:
        """Add one tag or many; a qualified one also adds its parts."""
        for name in check_tags(value, self.span):
            if name not in self.tags:
                self.tags[name] = None
                if "::" in name:
                    self.tags.update(dict.fromkeys(name.split("::")))

    def is_tagged(self, tags: list[str]) -> bool:
        """Whether the resource, or what contains it, has one of these tags."""
        resource: Resource | None = self
        while resource is not None:
            if not resource.tags.keys().isdisjoint(tags):
                return True
            above = resource.scope.resource if resource.scope is not None else None
            resource = None if above is resource else above
        return False

    def add_scope_tags(self) -> None:
        """Take over the tags of the container, once."""
        if self.tagged:
            return
        self.tagged = True
        above = self.scope.resource if self.scope is not None else None
        if above is not None and above is not self:
            self.tags.update(above.tags)

    def finish(self) -> None:
        """Everything is set: take Sensitive values out of their wrappers and check attribute names."""
        if self.finished:
            return
        self.finished = True
        self.add_scope_tags()
        for name, attribute in self.attributes.items():
            if type(attribute.value) is str:
                if len(attribute.value) > FEW_PARTS:
                    weigh_text(attribute.value, attribute.span or self.span)
                continue
            hidden = type(attribute.value) is Sensitive
            weigh_text(attribute.value.value if hidden else attribute.value, attribute.span or self.span)
            if hidden:
                self.sensitive.append(name)
                self.attributes[name] = Attribute(
                    name, attribute.value.value, attribute.origin, attribute.source, attribute.span
                )
        if self.kind is not None:
            kind = self.kind
            for name, attribute in self.attributes.items():
                if not kind.allows(name):
                    where = location(self.span)
                    raise EvaluationError(
                        f"no parameter named '{name}' {where} on {self.ref}",
                        attribute.span or self.span,
                        issue=None,
                        kind="unknown attribute",
                        reported_at=self.span,
                        lead="",
                        column=False,
                        help=_known_attribute(name, kind),
                    )

    # --- overrides ---------------------------------------------------------------------------------------------------

    def override(self, attribute: Attribute, how: EdgeLabel, permitted: tuple[Origin | Guard, ...]) -> None:
        """Accept an attribute from an override, if its source may override what is set."""
        assert self.scope is not None
        name = attribute.name
        current = self.attributes.get(name)
        if current is None:
            decided = (*permitted, *self.lacking(name))
            origin = Overridden(how, attribute.origin, (), decided, attribute.span) if decided else attribute.origin
            self.set(Attribute(name, attribute.value, origin, attribute.source, attribute.span, is_default=True))
            return
        defaults = self.scope.default_origins(self.type, name)
        if self.scope.is_default(self.type, name, attribute.value):
            # Puppet takes no notice of an override that says what a default says: both could have said something else.
            tests = (attribute.origin, Absent("another override", (*permitted, *defaults)))
            kept = Choice(tests, current.origin, current.span)
            self.attributes[name] = Attribute(
                name, current.value, kept, current.source, current.span, current.add, is_default=True
            )
            return
        run = self.scope.run
        assert attribute.source is not None and current.source is not None
        if not (
            run.child_of(attribute.source, current.source)
            or (attribute.source is current.source and self.scope.is_default(self.type, name, current.value))
        ):
            where = location(current.span)
            # Puppet also says "by" whom, as the address of a Ruby object.
            message = f"Parameter '{name}' is already set on {self.ref}" + (f" at {where}" if where else "")
            earlier = [Label(current.span, "set here")] if current.span is not None else []
            raise EvaluationError(
                f"{message}; cannot redefine",
                attribute.span,
                *earlier,
                issue=None,
                kind="attribute already set",
                lead="",
                column=False,
            )
        value, origin = attribute.value, attribute.origin
        if attribute.add:
            old, new = as_list(current.value), as_list(value)
            value = [*flatten(current.value), *flatten(value)]
            origin = Items(
                [*_element_origins(current.origin, old), *_element_origins(origin, new)],
                Step(ADDED, (current.origin, origin), attribute.span),
            )
            how = AddedBy(how)
        hidden = Hidden(current.value, current.origin, how, current.span)
        decided = (*permitted, *_decided(current.origin), *defaults)
        origin = Overridden(how, origin, (hidden,), decided, attribute.span)
        self.set(Attribute(name, value, origin, attribute.source, attribute.span, is_default=True))

    # --- names -------------------------------------------------------------------------------------------------------

    def unique_key(self) -> tuple[Any, ...] | None:
        """The values that name this resource, if they are not simply its title; nothing if they are."""
        kind = self.kind
        attributes = self.attributes
        if kind is None:
            name = attributes.get("name")
            return (name.value,) if name is not None and name.value is not None and name.value != self.title else None
        if not kind.isomorphic:
            return None
        namevar = kind.namevar
        if kind.patterns is not None or kind.unpatterned is not None:
            given = {**kind.from_title(self.title), **{name: attribute.value for name, attribute in attributes.items()}}
            named = given.get(namevar) or given.get("name") or self.title
            for attribute in (namevar, "name"):
                given[attribute] = given.get(attribute) or named
            key = tuple(given.get(attribute) for attribute in sorted(kind.keys))
            return None if key == (self.title,) else key
        named = self.value(namevar)
        if named is None:
            named = kind.named_by(self.title)
        if len(kind.keys) == 1:
            return None if named == self.title else (named,)
        return tuple(named if attribute == namevar else self.value(attribute) for attribute in sorted(kind.keys))


def check_repeated(attributes: Sequence[Attribute], ref: str, span: Span | None) -> None:
    """Fail if an override names an attribute twice."""
    seen: set[str] = set()
    for attribute in attributes:
        if attribute.name in seen:
            raise EvaluationError(
                f"Duplicate parameter '{attribute.name}' for on {ref}",
                span,
                issue=None,
                kind="DUPLICATE_ATTRIBUTE",
                lead="",
                column=False,
            )
        seen.add(attribute.name)


def check_tags(value: object, span: Span | None) -> list[str]:
    """The tags that a value says, in lower case.  Fails for what is no tag."""
    names = [_tag_text(tag) for tag in flatten(_several(value)) if tag is not None]
    for name in names:
        if not _TAG.match(name) or not (name.isascii() or _is_spelled(name)):
            if span is None:
                raise Failure(f"Invalid tag '{name}'", kind="invalid tag")
            raise EvaluationError(f"Invalid tag '{name}'", span, issue=None, kind="invalid tag", lead="", column=False)
    return names


def _is_spelled(name: str) -> bool:
    """Whether nothing in a name is a number without being a digit (`²`): such are no letters to Ruby."""
    from unicodedata import category

    return all(category(character) != "No" for character in name)


def flatten(value: object) -> list[Any]:
    """`value` as a flat list."""
    if type(value) is not list:
        return [value]
    if len(value) == 1 and type(value[0]) is not list:
        return [value[0]]
    weigh(value)
    flat: list[Any] = []
    _flatten(value, flat)
    return flat


def _flatten(value: list[Any], flat: list[Any]) -> None:
    for element in value:
        if type(element) is list:
            _flatten(element, flat)
        else:
            flat.append(element)


def as_list(value: object) -> list[Any]:
    """`value` as a list, itself if it is one."""
    return value if type(value) is list else [value]


def _element_origins(origin: Origin, values: list[Any]) -> list[Origin]:
    if isinstance(origin, Items) and not isinstance(origin.elements, dict) and len(origin.elements) == len(values):
        return list(origin.elements)  # type: ignore[arg-type]
    return [origin] * len(values)


def _decided(origin: Origin) -> tuple[Origin | Guard, ...]:
    """What decided about the covered value still counts: had that override not happened, this one might have failed."""
    return origin.decided if isinstance(origin, Overridden) else ()


def _several(value: Any) -> Any:
    """The values that Ruby's `*value` hands over: pairs of a hash, parts of a type, and of a reference nothing."""
    kind = type(value)
    if kind is str or kind is list:
        return value
    if kind is dict:
        return [[key_value(key), element] for key, element in value.items()]
    if kind is Reference:
        return []
    if isinstance(value, VariantType | TupleType):
        return list(value.types)
    return ["Pcore::StructElement({})"] * len(value.elements) if isinstance(value, StructType) else value


def _tag_text(value: object) -> str:
    return value.lower() if type(value) is str else to_s(value).lower()


def _known_attribute(name: str, kind: ResourceKind) -> str | None:
    from ...base.spell import nearest

    near = nearest(name, kind.attributes)
    return f"did you mean {near}?" if near else None


def check_permission(resource: Resource, scope: Scope, span: Span | None) -> None:
    """Only code of the class that declared a resource, or of one that inherits from it, may override it."""
    run = scope.run
    assert resource.source is not None
    if scope.source is not resource.source and not run.child_of(scope.source, resource.source):
        declared = [Label(resource.span, "declared here")] if resource.span is not None else []
        raise EvaluationError(
            "Only subclasses can override parameters",
            span,
            *declared,
            issue=None,
            kind="override not permitted",
            lead="",
            column=False,
        )
    if resource.evaluated:
        where = location(resource.span)
        message = "Attempt to override an already evaluated resource" + (
            f", defined at {where}, with new values" if where else " with new values"
        )
        if run.strict == "error":
            raise EvaluationError(message, span, issue=None, kind="override too late", lead="", column=False)
        if run.strict == "warning":
            run.warn(f"{message} {location(span)}" if span is not None else message, None)


def merge_override(
    resource: Resource,
    attributes: Sequence[Attribute],
    scope: Scope,
    span: Span | None,
    how: EdgeLabel,
    permitted: tuple[Origin | Guard, ...],
) -> None:
    """Apply an override to a resource."""
    check_permission(resource, scope, span)
    for attribute in attributes:
        resource.override(attribute, how, permitted)


def apply_defaults(resource: Resource, defaults: dict[str, Attribute]) -> None:
    """Give a resource the defaults it has no value for, and let its own values remember what they cover."""
    own = resource.attributes
    run = resource.scope.run if resource.scope is not None else None
    early = None
    how = DefaultFor(resource.type)
    if run is not None and run.absences.computed and run.declared_at is not None:
        early = run.absences.early(run.declared_at)  # declared elsewhere, other defaults would be in force
    for name, default in defaults.items():
        current = own.get(name)
        if current is None:
            taken: Origin = Copy(how, default.origin, default.span)
            if early is not None:
                taken = Choice((early,), taken)
            if resource.composites:
                taken = Choice(resource.lacking(name), taken)
            resource.set(Attribute(name, default.value, taken, default.source, default.span, is_default=True))
        else:
            hidden = Hidden(default.value, default.origin, how, default.span)
            origin = Overridden(None, current.origin, (hidden,), (), current.span)
            own[name] = Attribute(name, current.value, origin, current.source, current.span, current.add)
