"""From the tree of the text to the tree of components that the phases change.

Operators, conditions and vectors become components like any other, with `phase.function` and the arguments as
attributes: a prototype may hold them, and a component may extend one. Names that the language makes up are `unique<N>`.
"""

from __future__ import annotations

from typing import Any

from ...base.diagnostics import LimitReached
from ..evaluate import WORK_PER_NODE
from ..parser import Limits
from ..store import Written
from ..tree import Include
from .nodes import Application, Key, Node
from .parser import FUNCTIONS
from .tree import (
    Applied,
    Assignment,
    Block,
    Boolean,
    Call,
    DataExtends,
    Extends,
    Null,
    Number,
    Path,
    Reference,
    String,
    Tagged,
    Value,
    plain_value,
)

CONSTRUCT = "org.smartfrog.sfcore.languages.sf.ConstructFunction"
PHASE_FUNCTION = "phase.function"
FUNCTION_CLASS = "sfFunctionClass"
SIMPLE = (Boolean, Number, String)


def constant_vector(call: Call) -> list[object] | None:
    """The vector that a call stands for, if it is one of values that stand for themselves."""
    if call.symbol != "vector":
        return None
    items: list[object] = []
    for _, written in call.arguments:
        if isinstance(written, SIMPLE):
            items.append(written.value)
        elif isinstance(written, Null):
            items.append(None)
        else:
            inner = constant_vector(written) if isinstance(written, Call) else None
            if inner is None:
                return None
            items.append(inner)
    return items


class Builder:
    """Builds the tree of one program.

    `fresh` numbers made-up names. `actions` are the names that the phase `function` looks for, and `temporary` says
    whether an attribute is tagged `sfTemp`.
    """

    def __init__(self, limits: Limits) -> None:
        self.fresh = 0
        self.again: dict[int, int] = {}  # by the call, which the tree of the text holds
        self.actions: set[str] = set()
        self.temporary = False
        self.work = 0
        self.max_work = limits.max_nodes * WORK_PER_NODE

    def root(self, block: Block) -> Node:
        """The top level."""
        root = Node("", None, block.span)
        self.fill(root, block, 1)
        return root

    def fill(self, node: Node, block: Block, tick: int) -> None:
        """Put the attributes of a block into a component; the last of several with one name counts."""
        entries = node.entries
        for item in block.items:
            if isinstance(item, Include):
                self.fill(node, item.block, tick)
                continue
            assignment = item
            names = assignment.target.names
            name = names[-1]
            if name == "--":
                name = self.made_up()
            key: Key = name
            if len(names) > 1:
                key = (*names[:-1], name)
                node.holds = True
            written: Any = assignment.value
            kind = type(written)
            value = written.value if kind in _SIMPLE else written if kind is Path else self.value(written, node, name)
            slot = Written(value, tick, assignment)
            old = entries.get(key)
            if old is not None:
                slot.hidden = old
                slot.place = old.placed
            entries[key] = slot
            if name[:6] == "phase.":
                self.actions.add(name)
            if type(assignment) is Tagged:
                if node.tags:
                    node.tags.pop(key, None)  # as with values, the last count
                node.add_tags(key, frozenset(assignment.tags))
                self.temporary = self.temporary or "sfTemp" in assignment.tags
        self.work += len(block.items)
        if self.work > self.max_work:
            raise LimitReached("too many attributes are written", self.max_work, block.span, "--max-size")

    def value(self, value: Value, outer: Node, name: str) -> object:
        """What a value is in the tree, in a component."""
        match value:
            case Extends():
                return self.component(value, outer, name)
            case Call():
                constant = constant_vector(value)
                return self.call(value, outer, name) if constant is None else constant
            case Applied():
                arguments = Node(name, outer, value.span)
                self.fill(arguments, value.block, 1)
                return Application(value.kind, arguments, None, value.lazy, value.data)
            case _:
                return plain_value(value)

    def component(self, extends: Extends, outer: Node, name: str) -> Node:
        """A component, with its last item if that is a block, and its other prototypes."""
        node = Node(name, outer, extends.span)
        node.data = type(extends) is DataExtends
        items = extends.prototypes
        if items and type(items[-1]) is Block:
            self.fill(node, items[-1], len(items))
            items = items[:-1]
        for tick, item in enumerate(items, 1):
            if isinstance(item, Block):
                block = Node(name, node, item.span)
                self.fill(block, item, tick)
                node.types.append((tick, block))
            else:
                assert isinstance(item, Path)
                node.types.append((tick, item))
        return node

    def call(self, call: Call, outer: Node, name: str) -> Node:
        """A function with its arguments, as a component."""
        node = Node(name, outer, call.span)
        node.call = call
        self.actions.add(PHASE_FUNCTION)
        self.set(node, PHASE_FUNCTION, String(CONSTRUCT, span=call.span), CONSTRUCT)
        self.set(node, FUNCTION_CLASS, String(call.function, span=call.span), call.function)
        if call.bindings is not None:
            self.fill(node, call.bindings, 1)
        unnamed: list[tuple[Value, object]] = []
        for name, written in call.arguments:
            value = self.value(written, node, name)
            unnamed.append((written, value))
            if name == "THEN":
                number = self.made_up().removeprefix("unique")
                self.set(node, f"IF{number}", *unnamed[0])
                self.set(node, f"THEN{number}", *unnamed[1])
                unnamed.clear()
            elif name and name != "IF":
                self.set(node, name, *unnamed.pop())
        for written, value in unnamed:
            self.set(node, self.made_up(), written, value)
        return node

    def called_again(self, call: Call, outer: Node, name: str) -> Node:
        """A function that was built as what it gives; wherever that is done, its arguments have the same names."""
        fresh = self.fresh
        self.fresh = self.again.setdefault(id(call), fresh)
        node = self.call(call, outer, name)
        self.fresh = max(fresh, self.fresh)
        return node

    def set(self, node: Node, name: str, written: Value, value: object) -> None:
        """Put one argument."""
        if type(value) is Node:
            value.name = name
        target = Reference((name,), span=written.span)
        assignment = Assignment(target, written, span=written.span)
        node.put(name, Written(value, 1, assignment))

    def made_up(self) -> str:
        """A name that nobody wrote."""
        self.fresh += 1
        return f"unique{self.fresh - 1}"


_SIMPLE = frozenset(SIMPLE)

__all__ = ["CONSTRUCT", "FUNCTIONS", "FUNCTION_CLASS", "PHASE_FUNCTION", "Builder"]
