"""What a branch would do if it were taken: the variables it may assign and the classes it may declare.

A branch that is not taken matters, because something else may look for what it would have made: the repaired dependency
rules call these *may-effects* (rule R1). They are read off the tree once and captured: assignments that stand in the
branch itself (those in lambdas and definitions are local to them), classes named by `include` and its like or by a
resource-like declaration, and defined types, whose bodies may declare classes in turn.
"""

from __future__ import annotations

from ...base.record import Record
from ..syntax import tree

_DECLARING = ("include", "contain", "require", "hiera_include")


class Effects(Record):
    """Variables assigned in place, and classes declared; `define x` stands for what a define of that name declares."""

    names: tuple[str, ...]
    classes: tuple[str, ...]


Memo = dict[int, "Effects | None"]


def effects_of(node: tree.Node, memo: Memo) -> Effects | None:
    """The effects of a branch, or nothing if it has none that another place could miss.

    `memo` remembers blocks by identity, so that nested conditions are not walked again for every level round them.
    """
    if id(node) in memo:
        return memo[id(node)]
    names: dict[str, None] = {}
    classes: dict[str, None] = {}
    _collect(node, names, classes, memo)
    found = Effects(tuple(names), tuple(classes)) if names or classes else None
    memo[id(node)] = found
    return found


def _collect(start: tree.Node, names: dict[str, None], classes: dict[str, None], memo: Memo) -> None:
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
            continue
        if isinstance(node, tree.Lambda):
            _collect(node.body, {}, classes, memo)
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
        stack.extend(node.children())


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
