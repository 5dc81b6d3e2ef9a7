"""What a branch would do if it were taken: assign variables, declare classes and resources, change attributes.

A branch that is not taken matters, because something else may look for what it would have made: the repaired dependency
rules call these *may-effects* (rule R1). They are read off the tree once and kept: assignments that stand in the branch
itself (those in lambdas and definitions are local to them), classes that are declared with or without parameters,
resources by type and title, changes to attributes of other resources (overrides, collectors, defaults, arrows), tags;
in templates, text. So are the jumps (`break`, `next`, `return`): all that comes after a branch that would have left the
body depends on the tests that it was not taken.

What a function does is declared at the function (`wherefrom.puppet.kernel.acts`), or summed up from its body if it is
written in Puppet; a name that is computed may be any name (`ANY`), and a function that nobody knows may do anything.
`Summary` follows classes, defines and functions into their bodies; it is worked out when somebody asks why something is
not there, and not before.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import Protocol

from ...base.record import Record
from ...base.source import SourceFile
from ..functions import table
from ..kernel.acts import Acts
from ..syntax import tree

ANY = "*"
"""A name that is computed."""
_LEAVING = {Acts.BREAKS: "break", Acts.CONTINUES: "next", Acts.RETURNS: "return"}
_JUMP = re.compile(r"\b(?:break|next|return)\b")


class AttributeChange(Record):
    """A change to attributes of resources of a type (or any): those with these titles, or all; of these names, or all.

    A `default` changes only what has no value of its own.
    """

    type_name: str
    titles: tuple[str, ...] | None
    attributes: tuple[str, ...] | None
    default: bool = False

    def touches(self, type_name: str, title: str, attribute: str) -> bool:
        """Whether it may change an attribute of a resource."""
        return (
            self.type_name in (type_name, ANY)
            and (self.titles is None or title in self.titles)
            and (self.attributes is None or attribute in self.attributes)
        )


class Effects:
    """What a branch may do, and the jumps that may leave it.

    What an inner branch does is not copied but linked (`parts`), so that deep nesting costs no more than its text; it
    is summed up when it is asked for. The variables of a lambda (`local`) stay inside of it.
    """

    __slots__ = (
        "_lasting", "_names", "anything", "calls", "changes", "classes", "contained", "jumps", "local", "names_here",
        "parts", "realizes", "renders", "resources", "tags",
    )  # fmt: skip

    def __init__(self) -> None:
        self.names_here: dict[str, None] = {}
        self.classes: dict[str, bool] = {}  # declared with parameters?
        self.contained: dict[str, bool] = {}  # classes that `contain` names
        self.resources: dict[tuple[str, str], None] = {}
        self.changes: dict[AttributeChange, None] = {}
        self.calls: dict[str, None] = {}
        self.jumps: frozenset[str] = frozenset()
        self.parts: list[Effects] = []
        self.tags = False
        self.realizes = False
        self.anything = False
        self.renders = False  # adds text to a template
        self.local = False
        self._names: tuple[str, ...] | None = None
        self._lasting: bool | None = None

    def __bool__(self) -> bool:
        here = self.names_here or self.classes or self.resources or self.changes or self.calls or self.parts
        return bool(here or self.jumps or self.renders or self.tags or self.realizes or self.anything)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that may be assigned."""
        if self._names is None:
            names: dict[str, None] = {}
            for part, local in self.all_parts():
                if not local:
                    names.update(part.names_here)
            self._names = tuple(names)
        return self._names

    @property
    def lasting(self) -> bool:
        """Whether anything is done that is seen beyond the scope it stands in."""
        if self._lasting is None:
            self._lasting = any(
                part.classes
                or part.resources
                or part.changes
                or part.calls
                or part.tags
                or part.realizes
                or part.anything
                for part, _ in self.all_parts()
            )
        return self._lasting

    def all_parts(self) -> Iterable[tuple[Effects, bool]]:
        """Itself and all that is linked to it, each with whether its variables stay inside."""
        stack = [(self, self.local)]
        while stack:
            part, local = stack.pop()
            yield part, local
            stack.extend((inner, local or inner.local) for inner in part.parts)


Memo = dict[int, tuple[tree.Node, "Effects | None"]]
"""The effects of nodes, by identity; the node is kept so that its identity is not given to another."""


def effects_of(node: tree.Node, memo: Memo) -> Effects | None:
    """The effects of a branch, or nothing if it has none that another place could miss."""
    known = memo.get(id(node))
    if known is not None:
        return known[1]
    effects = _collect(node, memo)
    kept = effects if effects else None
    memo[id(node)] = (node, kept)
    return kept


class Jumping(Protocol):
    """What caches effects of code, and whether a file has words for leaving code early: the environment."""

    @property
    def effects(self) -> Memo:
        """The effects of nodes."""

    @property
    def jumping(self) -> dict[SourceFile, bool]:
        """Whether files have such words."""


def may_leave(node: tree.Node, environment: Jumping) -> Effects | None:
    """The effects of code that a jump may leave; nothing for all other code, which is most of it."""
    file = node.span.file
    jumping = environment.jumping.get(file)
    if jumping is None:
        jumping = environment.jumping[file] = _JUMP.search(file.text) is not None
    effects = effects_of(node, environment.effects) if jumping else None
    return effects if effects is not None and effects.jumps else None


# --- reading the tree -------------------------------------------------------------------------------------------------


_TELLING = frozenset(
    kind
    for kind in tree.NODE_CLASSES
    if issubclass(
        kind,
        tree.Definition
        | tree.Lambda
        | tree.Assignment
        | tree.Call
        | tree.MethodCall
        | tree.Resource
        | tree.RenderText
        | tree.RenderExpression
        | tree.ResourceOverride
        | tree.Collector
        | tree.ResourceDefaults
        | tree.Relationship,
    )
)
"""The constructs that do something by themselves; others do what their parts do."""

_LEAVES = frozenset(kind for kind in tree.NODE_CLASSES if issubclass(kind, tree.Literal)) | {tree.Variable}
"""Constructs without parts."""


def _collect(start: tree.Node, memo: Memo) -> Effects:
    effects = Effects()
    absorbing: set[int] = set()
    stack = [start]
    while stack:
        node = stack.pop()
        if id(node) in memo:
            _link(effects, memo[id(node)][1])
            continue
        if type(node) not in _TELLING:
            if type(node) not in _LEAVES:
                stack.extend(node.children())
            continue
        if isinstance(node, tree.Definition):
            continue
        if isinstance(node, tree.Lambda):
            _link(effects, _outside(node, id(node) in absorbing, memo))
            continue
        if isinstance(node, tree.Assignment):
            _targets(node.left, effects.names_here)
        elif isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
            _note_call(effects, node.function.value, node.arguments, node.block, absorbing)
        elif isinstance(node, tree.MethodCall):
            _note_call(effects, node.name, (node.receiver, *node.arguments), node.block, absorbing)
        elif isinstance(node, tree.Resource):
            _note_resource(effects, node)
        elif isinstance(node, tree.RenderText | tree.RenderExpression):
            effects.renders = True
        elif isinstance(node, tree.ResourceOverride | tree.Collector | tree.ResourceDefaults):
            change = _change(node)
            effects.realizes = effects.realizes or isinstance(node, tree.Collector)
            if change is not None:
                effects.changes[change] = None
            if isinstance(node, tree.Collector) and node.query.exported and isinstance(node.type, tree.TypeName):
                effects.resources[node.type.lower, ANY] = None  # whatever another node exports
        elif isinstance(node, tree.Relationship):
            source = node.left if node.operator in ("->", "~>") else node.right
            for change in _related(source, "before" if node.operator in ("->", "<-") else "notify"):
                effects.changes[change] = None
        stack.extend(node.children())
    return effects


def _link(effects: Effects, part: Effects | None) -> None:
    if part is not None:
        effects.parts.append(part)
        effects.jumps |= part.jumps
        effects.renders = effects.renders or part.renders


def _note_call(
    effects: Effects, name: str, arguments: tuple[tree.Expression, ...], block: tree.Lambda | None, absorbing: set[int]
) -> None:
    function = table.find(name)
    if function is None:
        effects.calls[name.lower().removeprefix("::")] = None
        return
    acts = function.acts
    if not acts:
        return
    if Acts.DECLARES in acts:
        for argument in arguments:
            class_names(argument, effects.classes)
    if Acts.CONTAINS in acts:
        for argument in arguments:
            class_names(argument, effects.contained)
    if Acts.DECLARES_DATA in acts:
        effects.classes.setdefault(ANY, False)
    if Acts.RELATES in acts:
        effects.changes[AttributeChange(ANY, None, ("require",))] = None
    if Acts.CREATES in acts:
        effects.classes[ANY] = True
        effects.resources[_literal(arguments[0] if arguments else None).lstrip("@").lower(), ANY] = None
    if Acts.CALLS in acts:
        called = _literal(arguments[0] if arguments else None)
        if called == ANY:
            effects.anything = True
        else:
            _note_call(effects, called, arguments[1:], block, absorbing)
    effects.tags = effects.tags or Acts.TAGS in acts
    effects.realizes = effects.realizes or Acts.REALIZES in acts
    effects.anything = effects.anything or Acts.ANYTHING in acts
    for act, word in _LEAVING.items():
        if act in acts:
            effects.jumps |= {word}
    if block is not None and Acts.ENDS_BREAK in acts:
        absorbing.add(id(block))


def _literal(node: tree.Expression | None) -> str:
    """The text of a name or string that is written, else `ANY`."""
    while isinstance(node, tree.Parenthesized):
        node = node.inner
    return node.value if isinstance(node, tree.Name | tree.String) else ANY


def _titles(node: tree.Expression) -> list[str]:
    while isinstance(node, tree.Parenthesized):
        node = node.inner
    if isinstance(node, tree.Array):
        return [title for item in node.items for title in _titles(item)]
    return [] if isinstance(node, tree.Default) else [_literal(node)]


def _note_resource(effects: Effects, node: tree.Resource) -> None:
    type_name = node.type.value.lower().removeprefix("::") if isinstance(node.type, tree.Name) else ANY
    if type_name in ("class", ANY):
        for body in node.bodies:
            class_names(body.title, effects.classes, parameters=True)
    if type_name != "class":
        for body in node.bodies:
            for title in _titles(body.title):
                effects.resources[type_name, title] = None


def _outside(node: tree.Lambda, absorbed: bool, memo: Memo) -> Effects | None:
    """What of a lambda's effects is seen outside: not its variables, not its `next`, nor a `break` of its loop."""
    inside = effects_of(node.body, memo)
    if inside is None:
        return None
    seen = Effects()
    seen.local = True
    seen.parts.append(inside)
    seen.renders = inside.renders
    seen.jumps = inside.jumps - ({"next", "break"} if absorbed else {"next"})
    return seen


def _reference(node: tree.Expression) -> tuple[str, tuple[str, ...] | None]:
    """The type and titles that a reference names; any and all where that is computed."""
    while isinstance(node, tree.Parenthesized):
        node = node.inner
    if not isinstance(node, tree.Access) or not isinstance(node.target, tree.TypeName):
        return ANY, None
    if node.target.lower == "resource":
        return ANY, None
    titles = [title for key in node.keys for title in _titles(key)]
    return node.target.lower, None if ANY in titles else tuple(titles)


def _change(node: tree.ResourceOverride | tree.Collector | tree.ResourceDefaults) -> AttributeChange | None:
    names: list[str] | None = []
    for operation in node.operations:
        if names is not None and isinstance(operation, tree.Attribute):
            names.append(operation.name)
        else:
            names = None
    attributes = None if names is None else tuple(names)
    if isinstance(node, tree.ResourceOverride):
        return AttributeChange(*_reference(node.references), attributes)
    if not isinstance(node.type, tree.TypeName) or not node.operations:
        return None
    return AttributeChange(node.type.lower, None, attributes, isinstance(node, tree.ResourceDefaults))


def _related(node: tree.Expression, attribute: str) -> list[AttributeChange]:
    """The changes that an arrow from `node` makes: of what it names, and of what stands before it in a chain."""
    while isinstance(node, tree.Parenthesized):
        node = node.inner
    if isinstance(node, tree.Relationship):
        return _related(node.left, attribute) + _related(node.right, attribute)
    if isinstance(node, tree.Array):
        return [change for item in node.items for change in _related(item, attribute)]
    if isinstance(node, tree.Collector) and isinstance(node.type, tree.TypeName):
        return [AttributeChange(node.type.lower, None, (attribute,))]
    if isinstance(node, tree.Resource) and isinstance(node.type, tree.Name):
        return []  # a resource that the arrow itself declares
    return [AttributeChange(*_reference(node), (attribute,))]


def _targets(node: tree.Expression, names: dict[str, None]) -> None:
    if isinstance(node, tree.Variable):
        names[node.name] = None
    elif isinstance(node, tree.Array):
        for item in node.items:
            _targets(item, names)


def class_names(node: tree.Expression, classes: dict[str, bool], parameters: bool = False) -> None:
    """Add the classes that an argument of `include` and its like names; `ANY` if a name is computed."""
    if isinstance(node, tree.Name | tree.String):
        name = node.value.lower().removeprefix("::")
        classes[name] = classes.get(name, False) or parameters
    elif isinstance(node, tree.Array):
        for part in node.items:
            class_names(part, classes, parameters)
    elif isinstance(node, tree.Parenthesized):
        class_names(node.inner, classes, parameters)
    elif isinstance(node, tree.Access) and isinstance(node.target, tree.TypeName) and node.target.lower == "class":
        for part in node.keys:
            class_names(part, classes, parameters)
    elif not isinstance(node, tree.Default):
        classes[ANY] = classes.get(ANY, False) or parameters


def declares_classes(function: str) -> bool:
    """Whether a function declares the classes that it is given."""
    entry = table.find(function)
    return entry is not None and Acts.DECLARES in entry.acts


# --- following definitions into their bodies --------------------------------------------------------------------------


class Body(Protocol):
    """A definition, as far as summing up goes."""

    @property
    def parent(self) -> str | None: ...

    @property
    def tree(self) -> tree.Definition | None: ...


class BodiesByName(Protocol):
    """What is defined, by name: the environment."""

    @property
    def effects(self) -> Memo:
        """The effects of nodes."""

    def class_body(self, name: str) -> Body | None:
        """A class, loaded if it can be."""

    def define_body(self, name: str) -> Body | None:
        """A define, loaded if it can be."""

    def function_body(self, name: str) -> tree.Node | None:
        """The body of a function written in Puppet."""


class Summary:
    """All that some effects lead to: classes and resources that may be declared, attributes that may be changed.

    `any_class` is nothing, or whether a class of a computed name may be declared with parameters. What the body of such
    a class does is not in here: it may be any. `tags_here` is the place itself being tagged, `tags_main` the main
    class, which functions tag wherever they are called from.
    """

    __slots__ = (
        "any_class", "anything", "changes", "classes", "contained", "realizes", "resources", "tags_here", "tags_main",
    )  # fmt: skip

    def __init__(self, start: Effects, definitions: BodiesByName, declared: Container[str] = ()) -> None:
        """`declared` are classes that are there already: their bodies would not run again."""
        self.classes: dict[str, bool] = {}
        self.resources: dict[tuple[str, str], None] = {}
        self.changes: dict[AttributeChange, None] = {}
        self.any_class: bool | None = None
        self.contained: dict[str, bool] = {}
        self.tags_here = any(part.tags for part, _ in start.all_parts())
        self.tags_main = False
        self.realizes = False
        self.anything = False
        seen: set[tuple[str, str]] = set()
        waiting: list[Effects | None] = [start]
        functions: list[Effects | None] = []
        while waiting or functions:
            of_function = not waiting
            effects = (waiting or functions).pop()
            if effects is not None:
                for part, _ in effects.all_parts():
                    self.tags_main = self.tags_main or (of_function and part.tags)
                    self._take(part, definitions, declared, seen, waiting, functions)

    def _take(
        self,
        part: Effects,
        definitions: BodiesByName,
        declared: Container[str],
        seen: set[tuple[str, str]],
        waiting: list[Effects | None],
        functions: list[Effects | None],
    ) -> None:
        self.anything = self.anything or part.anything
        self.realizes = self.realizes or part.realizes
        self.contained.update(part.contained)
        self.changes.update(part.changes)
        self.resources.update(part.resources)
        for name, parameters in part.classes.items():
            if name == ANY:
                self.any_class = bool(self.any_class) or parameters
                continue
            above: str | None = name
            while above is not None and above not in declared:
                self.classes[above] = self.classes.get(above, False) or (parameters and above == name)
                if ("class", above) in seen:
                    break
                seen.add(("class", above))
                definition = definitions.class_body(above)
                waiting.append(_body_effects(definition, definitions))
                above = definition.parent if definition is not None else None
        for type_name, _ in part.resources:
            if ("define", type_name) not in seen:
                seen.add(("define", type_name))
                waiting.append(_body_effects(definitions.define_body(type_name), definitions))
        for name in part.calls:
            if ("function", name) not in seen:
                seen.add(("function", name))
                body = definitions.function_body(name)
                if body is None:
                    self.anything = True
                else:
                    functions.append(effects_of(body, definitions.effects))

    def contains(self, name: str) -> bool:
        """Whether it may put a class into another, or into a define."""
        return self.anything or name in self.contained or ANY in self.contained

    def declares(self, type_name: str, title: str) -> bool:
        """Whether it may declare a resource."""
        resources = self.resources
        return (
            self.anything
            or (type_name, title) in resources
            or (type_name, ANY) in resources
            or (ANY, title) in resources
            or (ANY, ANY) in resources
        )

    def changed(self, type_name: str, title: str, attribute: str, defaulted: bool) -> bool:
        """Whether it may change an attribute."""
        return self.anything or any(
            change.touches(type_name, title, attribute) and (defaulted or not change.default) for change in self.changes
        )


def _body_effects(definition: Body | None, definitions: BodiesByName) -> Effects | None:
    body = getattr(definition.tree, "body", None) if definition is not None else None
    return None if body is None else effects_of(body, definitions.effects)


def computed_classes(parameters: bool, contained: bool = False) -> Effects:
    """The effects of declaring a class of a computed name."""
    return _CONTAINED if contained else _COMPUTED[parameters]


def declared_class(name: str) -> Effects:
    """The effects of declaring a class."""
    effects = Effects()
    effects.classes[name] = False
    return effects


@lru_cache(256)
def any_resource(type_name: str) -> Effects:
    """The effects of declaring a resource with a computed title."""
    effects = Effects()
    effects.resources[type_name, ANY] = None
    return effects


@lru_cache(256)
def any_change(type_name: str, attributes: tuple[str, ...] | None) -> Effects:
    """The effects of changing a resource whose title is computed."""
    effects = Effects()
    effects.changes[AttributeChange(type_name, None, attributes)] = None
    return effects


def _computed(parameters: bool) -> Effects:
    effects = Effects()
    effects.classes[ANY] = parameters
    return effects


_COMPUTED = {parameters: _computed(parameters) for parameters in (False, True)}
_CONTAINED = _computed(False)
_CONTAINED.contained[ANY] = False


def _anything_declared() -> Effects:
    effects = _computed(True)
    effects.resources[ANY, ANY] = None
    return effects


ANYTHING_DECLARED = _anything_declared()
"""The effects of declaring something of a computed type."""
