"""The phase `function`: components with `phase.function` become what the phase `link` computes or checks.

Components are visited depth first, what is inside before what is around. `phase.function` names a class of SmartFrog's
own compiler: one makes a function of a component, one an assertion, one a schema.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...base.diagnostics import Label
from ..errors import BadFunction
from ..store import Derived, Inherited, Slot, Written, kind_of, span_of
from ..tree import Assignment
from .build import FUNCTION_CLASS, FUNCTIONS, PHASE_FUNCTION
from .nodes import Application, Node
from .resolve import Lazy, NotFound, Resolver
from .tree import Path

_CLASSES = "org.smartfrog.sfcore.languages.sf."
ASSERTION_PHASE = "sfAssertionPhase"
FUNCTION_LAZY = "sfFunctionLazy"
DESCRIPTION = "sfSchemaDescription"


def construct(root: Node, resolver: Resolver, names: Iterable[str], phase: str = "function") -> None:
    """Run the phase on all components but the outermost; `names` are the names of actions that there are."""
    actions = [name for name in names if name.startswith(f"phase.{phase}")]
    if not actions:
        return
    stack: list[tuple[Node, str, Node, bool]] = [(root, "", root, False)]
    while stack:
        holder, key, node, below = stack.pop()
        if not below:
            stack.append((holder, key, node, True))
            for name, slot in reversed(node.entries.items()):
                if type(slot.value) is Node:
                    stack.append((node, name, slot.value, False))
            continue
        if node is root:
            continue
        for action in actions:
            if action in node.entries:
                value = _constructed(node, node.entries[action], resolver)
                holder.entries[key] = _with(holder.entries[key], value)


def _with(slot: Slot, value: Application) -> Slot:
    return slot.with_value(value)


def _constructed(node: Node, action: Slot, resolver: Resolver) -> Application:
    match action.value:
        case "org.smartfrog.sfcore.languages.sf.ConstructFunction":
            return as_application(node, resolver)
        case "org.smartfrog.sfcore.languages.sf.ConstructAssertions":
            arguments = _arguments(node)
            _set_class(arguments, action)
            _add(arguments, node)
            return Application("ASSERT", arguments, None)
        case "org.smartfrog.sfcore.languages.sf.ConstructSchema":
            return _schema(node, action, resolver)
        case other:
            raise BadFunction(
                f"`{node.path}`",
                f"`{PHASE_FUNCTION}` is {other!r}, which is unknown" if isinstance(other, str) else "no class is named",
                node.written_at,
                Label(span_of(action), "named here"),
                help=f"the actions are {_CLASSES}ConstructFunction, ConstructAssertions and ConstructSchema",
            )


def _arguments(node: Node) -> Node:
    arguments = Node(node.name, node.outer, node.written_at)
    arguments.call = node.call
    arguments.base = node
    arguments.state = node.state
    return arguments


def _add(arguments: Node, node: Node) -> None:
    """The attributes, in order, without what says what to make of them."""
    for name, slot in node.entries.items():
        if name != PHASE_FUNCTION and name not in arguments.entries:
            arguments.entries[name] = slot
            if type(slot.value) is Node:
                slot.value.outer = arguments
            if tags := node.tags.get(name):
                arguments.add_tags(name, tags)


def _set_class(arguments: Node, action: Slot, name: str = "CheckAssertions") -> None:
    assert isinstance(action, Slot)
    arguments.entries[FUNCTION_CLASS] = action.with_value(FUNCTIONS + name)


def _settled(node: Node, name: str, resolver: Resolver) -> object:
    slot = node.entries.get(name)
    if slot is None:
        return None
    try:
        return resolver.settled(node, name, slot).value
    except (NotFound, Lazy):
        return None


def as_application(node: Node, resolver: Resolver) -> Application:
    """The function that a component with `phase.function` is."""
    if FUNCTION_CLASS not in node.entries:
        raise BadFunction(f"`{node.path}`", f"a function needs `{FUNCTION_CLASS}`", node.written_at)
    arguments = _arguments(node)
    arguments.entries[FUNCTION_CLASS] = node.entries[FUNCTION_CLASS]
    _add(arguments, node)
    lazy = _settled(node, FUNCTION_LAZY, resolver)
    return Application("APPLY", arguments, node.call, lazy is True)


def _schema(node: Node, action: Slot, resolver: Resolver) -> Application:
    arguments = _arguments(node)
    for name, slot in node.entries.items():
        if name in (PHASE_FUNCTION, ASSERTION_PHASE, DESCRIPTION):
            continue
        element = slot.value
        if not isinstance(element, Application):
            kind = "a link" if isinstance(element, Path) else kind_of(element)
            raise BadFunction(
                f"schema `{node.path}`", f"the element `{name}` is {kind}, not a schema element", node.written_at,
                Label(span_of(slot), "given here"), help="a schema holds `name extends Integer;` and the like",
            )  # fmt: skip
        named = element.arguments
        given = named.entries.get("name", slot)
        written = Written(name, given.tick, _assignment(slot))
        written.place = named.entries["name"].placed if "name" in named.entries else None
        named.entries["name"] = written
        arguments.entries[name] = slot
        named.outer = arguments
    _set_class(arguments, action)
    if ASSERTION_PHASE in node.entries:
        arguments.entries[ASSERTION_PHASE] = node.entries[ASSERTION_PHASE]
    return Application("ASSERT", arguments, None)


def _assignment(slot: Slot) -> Assignment:
    while not isinstance(slot, Written):
        assert isinstance(slot, Derived | Inherited)
        slot = slot.source
    return slot.assignment
