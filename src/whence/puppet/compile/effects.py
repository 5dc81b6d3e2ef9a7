"""What a branch would do if it were taken: assign variables, declare classes, change attributes.

A branch that is not taken matters, because something else may look for what it would have made: the repaired dependency
rules call these *may-effects* (rule R1). They are read off the tree once and captured: assignments that stand in the
branch itself (those in lambdas and definitions are local to them), classes named by `include` and its like or by a
resource-like declaration, defined types, whose bodies may declare classes in turn, and changes to attributes of other
resources: overrides, collectors with overrides, resource defaults.
"""

from __future__ import annotations

from ...base.record import Record
from ..syntax import tree

_DECLARING = ("include", "contain", "require", "hiera_include")


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


class Effects(Record):
    """Variables assigned in place, classes declared, attributes changed.

    Among the classes, `define x` stands for what a define of that name declares.
    """

    names: tuple[str, ...]
    classes: tuple[str, ...]
    changes: tuple[Change, ...] = ()


Memo = dict[int, "Effects | None"]


def effects_of(node: tree.Node, memo: Memo) -> Effects | None:
    """The effects of a branch, or nothing if it has none that another place could miss.

    `memo` remembers blocks by identity, so that nested conditions are not walked again for every level round them.
    """
    if id(node) in memo:
        return memo[id(node)]
    names: dict[str, None] = {}
    classes: dict[str, None] = {}
    changes: dict[Change, None] = {}
    _collect(node, names, classes, changes, memo)
    found = Effects(tuple(names), tuple(classes), tuple(changes)) if names or classes or changes else None
    memo[id(node)] = found
    return found


def _collect(
    start: tree.Node, names: dict[str, None], classes: dict[str, None], changes: dict[Change, None], memo: Memo
) -> None:
    stack = [start]
    while stack:
        node = stack.pop()
        if isinstance(node, tree.Definition):
            continue
        if isinstance(node, tree.Block) and id(node) in memo:
            known = memo[id(node)]
            if known is not None:
                names.update(dict.fromkeys(known.names))
                classes.update(dict.fromkeys(known.classes))
                changes.update(dict.fromkeys(known.changes))
            continue
        if isinstance(node, tree.Lambda):
            _collect(node.body, {}, classes, changes, memo)
            continue
        if isinstance(node, tree.Assignment):
            _targets(node.left, names)
        elif isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
            if node.function.value in _DECLARING:
                for argument in node.arguments:
                    _class_names(argument, classes)
        elif isinstance(node, tree.MethodCall) and node.name in _DECLARING:
            _class_names(node.receiver, classes)
        elif isinstance(node, tree.Resource) and isinstance(node.type, tree.Name):
            if node.type.value.lower() == "class":
                for body in node.bodies:
                    _class_names(body.title, classes)
            else:
                classes[f"define {node.type.value.lower().removeprefix('::')}"] = None
        elif isinstance(node, tree.ResourceOverride | tree.Collector | tree.ResourceDefaults):
            change = _change(node)
            if change is not None:
                changes[change] = None
        stack.extend(node.children())


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


def _class_names(node: tree.Expression, classes: dict[str, None]) -> None:
    if isinstance(node, tree.Name | tree.String):
        classes[node.value.lower().removeprefix("::")] = None
    elif isinstance(node, tree.Array):
        for each in node.items:
            _class_names(each, classes)
    elif isinstance(node, tree.Parenthesized):
        _class_names(node.inner, classes)
    elif isinstance(node, tree.Access) and isinstance(node.target, tree.TypeName) and node.target.lower == "class":
        for each in node.keys:
            _class_names(each, classes)
