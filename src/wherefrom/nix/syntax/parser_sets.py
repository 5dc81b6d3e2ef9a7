"""Attribute sets while they are being parsed: paths are merged as they come, then the set is frozen into the tree.

`{ a.b = 1; a = { c = 2; }; }` is one set `a` with two attributes. Nix merges while it parses, and so do we: a value
that is itself a set literal can be added to; anything else is "already defined". What is merged keeps the first
literal's `rec`.
"""

from __future__ import annotations

from ...base.source import Span
from ..kernel.errors import AlreadyDefined
from .tree import Attribute, AttrSet, DynamicAttribute, Expr, PathStep


class Definition:
    """One attribute so far."""

    __slots__ = ("inherited", "selected", "span", "value")

    def __init__(self, value: Expr | SetBuilder, span: Span, inherited: bool = False, selected: bool = False) -> None:
        self.value = value
        self.span = span
        self.inherited = inherited
        self.selected = selected


class SetBuilder:
    """A set so far."""

    __slots__ = ("dynamic", "named", "recursive", "span")

    def __init__(self, recursive: bool, span: Span) -> None:
        self.recursive = recursive
        self.span = span
        self.named: dict[str, Definition] = {}
        self.dynamic: list[tuple[Expr, Expr | SetBuilder, Span]] = []

    @classmethod
    def reopen(cls, node: AttrSet) -> SetBuilder:
        """A finished set, to be added to."""
        builder = cls(node.recursive, node.span)
        for attribute in node.attributes:
            builder.named[attribute.name] = Definition(
                attribute.value, attribute.span, attribute.inherited, attribute.selected
            )
        builder.dynamic = [(attribute.name, attribute.value, attribute.span) for attribute in node.dynamic]
        return builder

    def add(self, path: list[PathStep], value: Expr, span: Span, keep_dynamic: bool = False) -> None:
        """Define `path` (names and, for dynamic steps, expressions) as `value`.  `span` is the place of the path.

        The dynamic attributes of a second literal for one name are lost in Nix 2.8; since 2.17 they are kept.
        """
        inside = self
        for step in path[:-1]:
            inside = inside.descend(step, path, span)
        last = path[-1]
        if not isinstance(last, str):
            inside.dynamic.append((last, value, span))
            return
        old = inside.named.get(last)
        if old is None:
            inside.named[last] = Definition(value, span)
            return
        target = _as_builder(old)
        if target is None or not isinstance(value, AttrSet):
            raise AlreadyDefined(_show(path), span, old.span)
        for attribute in value.attributes:
            if attribute.name in target.named:
                raise AlreadyDefined(attribute.name, attribute.span, target.named[attribute.name].span)
            target.named[attribute.name] = Definition(
                attribute.value, attribute.span, attribute.inherited, attribute.selected
            )
        if keep_dynamic:
            target.dynamic.extend((attribute.name, attribute.value, attribute.span) for attribute in value.dynamic)

    def descend(self, step: PathStep, path: list[PathStep], span: Span) -> SetBuilder:
        """The set at `step`, made if it is not there yet."""
        if not isinstance(step, str):
            builder = SetBuilder(False, span)
            self.dynamic.append((step, builder, span))
            return builder
        old = self.named.get(step)
        if old is None:
            builder = SetBuilder(False, span)
            self.named[step] = Definition(builder, span)
            return builder
        target = None if old.inherited else _as_builder(old)
        if target is None:
            raise AlreadyDefined(_show(path), span, old.span)
        return target

    def inherit(self, name: str, value: Expr, span: Span, selected: bool) -> None:
        """Define `name` by `inherit`."""
        if name in self.named:
            raise AlreadyDefined(name, span, self.named[name].span)
        self.named[name] = Definition(value, span, inherited=not selected, selected=selected)

    def freeze(self) -> AttrSet:
        """The finished set."""
        return AttrSet(
            tuple(
                Attribute(
                    name,
                    definition.value.freeze() if isinstance(definition.value, SetBuilder) else definition.value,
                    definition.span,
                    definition.inherited,
                    selected=definition.selected,
                )
                for name, definition in self.named.items()
            ),
            tuple(
                DynamicAttribute(name, value.freeze() if isinstance(value, SetBuilder) else value, span)
                for name, value, span in self.dynamic
            ),
            self.recursive,
            span=self.span,
        )


def _as_builder(definition: Definition) -> SetBuilder | None:
    """The set that `definition` holds, open for more, or nothing if it is not a set literal."""
    value = definition.value
    if isinstance(value, AttrSet):
        value = definition.value = SetBuilder.reopen(value)
    return value if isinstance(value, SetBuilder) else None


def _show(path: list[PathStep]) -> str:
    return ".".join(step if isinstance(step, str) else "${...}" for step in path)
