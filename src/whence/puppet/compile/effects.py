"""What a branch would do if it were taken: assign variables, declare classes, change attributes.

A branch that is not taken matters, because something else may look for what it would have made: the repaired dependency
rules call these *may-effects* (rule R1). They are read off the tree once and captured: assignments that stand in the
branch itself (those in lambdas and definitions are local to them), classes named by `include` and its like or by a
resource-like declaration, defined types, whose bodies may declare classes in turn, and changes to attributes of other
resources: overrides, collectors with overrides, resource defaults; in templates, text. So are the jumps (`break`,
`next`, `return`): all that comes after a branch that would have left the body owes to the tests that it was not taken.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...base.record import Record
from ..syntax import tree

if TYPE_CHECKING:
    from ..runtime.library import Library

DECLARING = ("include", "contain", "require", "hiera_include")
"""The functions that declare the classes that they are given."""
_JUMPS = ("break", "next", "return")
_JUMP = re.compile(r"\b(?:break|next|return)\b")
_ENDED_BY_BREAK = (
    "all",
    "any",
    "each",
    "filter",
    "index",
    "map",
    "reduce",
    "reverse_each",
    "slice",
    "step",
    "tree_each",
)


class Change(Record):
    """A change to attributes of resources of a type: those with these titles, or all; of these names, or all."""

    type_name: str
    titles: tuple[str, ...] | None
    attributes: tuple[str, ...] | None
    default: bool = False

    def touches(self, type_name: str, title: str, attribute: str) -> bool:
        """Whether it may change an attribute of a resource."""
        return (
            self.type_name == type_name
            and (self.titles is None or title in self.titles)
            and (self.attributes is None or attribute in self.attributes)
        )


class Effects:
    """Variables assigned in place, classes declared, attributes changed, and the jumps that may leave the branch.

    Among the classes, `define x` stands for what a define of that name declares. What an inner branch does is not
    copied but linked (`parts`), so that deep nesting costs no more than its text; it is summed up when it is asked for.
    The variables of a lambda (`local`) stay inside of it.
    """

    __slots__ = ("_sums", "changes_here", "classes_here", "jumps", "local", "names_here", "parts", "renders")

    def __init__(self) -> None:
        self.names_here: dict[str, None] = {}
        self.classes_here: dict[str, None] = {}
        self.changes_here: dict[Change, None] = {}
        self.jumps: frozenset[str] = frozenset()
        self.parts: list[Effects] = []
        self.renders = False  # adds text to a template
        self.local = False
        self._sums: tuple[tuple[str, ...], tuple[str, ...], tuple[Change, ...]] | None = None

    def __bool__(self) -> bool:
        here = self.names_here or self.classes_here or self.changes_here
        return bool(here or self.jumps or self.renders or self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that may be assigned."""
        return self._sum()[0]

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes and defines that may be declared."""
        return self._sum()[1]

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes to attributes that may be made."""
        return self._sum()[2]

    def _sum(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Change, ...]]:
        if self._sums is None:
            names: dict[str, None] = {}
            classes: dict[str, None] = {}
            changes: dict[Change, None] = {}
            stack = [(self, self.local)]
            while stack:
                part, local = stack.pop()
                if not local:
                    names.update(part.names_here)
                classes.update(part.classes_here)
                changes.update(part.changes_here)
                stack.extend((each, local or each.local) for each in part.parts)
            self._sums = (tuple(names), tuple(classes), tuple(changes))
        return self._sums


Memo = dict[int, tuple[tree.Node, "Effects | None"]]
"""The effects of nodes, by identity; the node is kept so that its identity is not given to another."""


def effects_of(node: tree.Node, memo: Memo) -> Effects | None:
    """The effects of a branch, or nothing if it has none that another place could miss."""
    known = memo.get(id(node))
    if known is not None:
        return known[1]
    made = _collect(node, memo)
    found = made if made else None
    memo[id(node)] = (node, found)
    return found


def may_leave(node: tree.Node, environment: Library) -> Effects | None:
    """The effects of code that a jump may leave; nothing for all other code, which is most of it."""
    file = node.span.file
    jumping = environment.jumping.get(file)
    if jumping is None:
        jumping = environment.jumping[file] = _JUMP.search(file.text) is not None
    effects = effects_of(node, environment.effects) if jumping else None
    return effects if effects is not None and effects.jumps else None


def _collect(start: tree.Node, memo: Memo) -> Effects:
    made = Effects()
    absorbing: set[int] = set()
    stack = [start]
    while stack:
        node = stack.pop()
        if isinstance(node, tree.Definition):
            continue
        if id(node) in memo:
            _link(made, memo[id(node)][1])
            continue
        if isinstance(node, tree.Lambda):
            _link(made, _outside(node, id(node) in absorbing, memo))
            continue
        if isinstance(node, tree.Assignment):
            _targets(node.left, made.names_here)
        elif isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
            name = node.function.value
            if name in DECLARING:
                for argument in node.arguments:
                    class_names(argument, made.classes_here)
            _note_call(made, name, node.block, absorbing)
        elif isinstance(node, tree.MethodCall):
            if node.name in DECLARING:
                class_names(node.receiver, made.classes_here)
            _note_call(made, node.name, node.block, absorbing)
        elif isinstance(node, tree.Resource) and isinstance(node.type, tree.Name):
            if node.type.value.lower() == "class":
                for body in node.bodies:
                    class_names(body.title, made.classes_here)
            else:
                made.classes_here[f"define {node.type.value.lower().removeprefix('::')}"] = None
        elif isinstance(node, tree.RenderText | tree.RenderExpression):
            made.renders = True
        elif isinstance(node, tree.ResourceOverride | tree.Collector | tree.ResourceDefaults):
            change = _change(node)
            if change is not None:
                made.changes_here[change] = None
        stack.extend(node.children())
    return made


def _link(made: Effects, part: Effects | None) -> None:
    if part is not None:
        made.parts.append(part)
        made.jumps |= part.jumps
        made.renders = made.renders or part.renders


def _note_call(made: Effects, name: str, block: tree.Lambda | None, absorbing: set[int]) -> None:
    if name in _JUMPS:
        made.jumps |= {name}
    elif block is not None and name in _ENDED_BY_BREAK:
        absorbing.add(id(block))


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


def _change(node: tree.ResourceOverride | tree.Collector | tree.ResourceDefaults) -> Change | None:
    names: list[str] | None = []
    for each in node.operations:
        if names is not None and isinstance(each, tree.Attribute):
            names.append(each.name)
        else:
            names = None
    attributes = None if names is None else tuple(names)
    if isinstance(node, tree.ResourceOverride):
        target = node.references
        if not isinstance(target, tree.Access) or not isinstance(target.target, tree.TypeName):
            return None
        titles: list[str] | None = []
        for key in target.keys:
            if titles is not None and isinstance(key, tree.String | tree.Name):
                titles.append(key.value)
            else:
                titles = None
        return Change(target.target.lower, None if titles is None else tuple(titles), attributes)
    if not isinstance(node.type, tree.TypeName) or not node.operations:
        return None
    return Change(node.type.lower, None, attributes, isinstance(node, tree.ResourceDefaults))


def _targets(node: tree.Expression, names: dict[str, None]) -> None:
    if isinstance(node, tree.Variable):
        names[node.name] = None
    elif isinstance(node, tree.Array):
        for each in node.items:
            _targets(each, names)


def class_names(node: tree.Expression, classes: dict[str, None]) -> None:
    """Add the classes that an argument of `include` and its like names in writing."""
    if isinstance(node, tree.Name | tree.String):
        classes[node.value.lower().removeprefix("::")] = None
    elif isinstance(node, tree.Array):
        for each in node.items:
            class_names(each, classes)
    elif isinstance(node, tree.Parenthesized):
        class_names(node.inner, classes)
    elif isinstance(node, tree.Access) and isinstance(node.target, tree.TypeName) and node.target.lower == "class":
        for each in node.keys:
            class_names(each, classes)
