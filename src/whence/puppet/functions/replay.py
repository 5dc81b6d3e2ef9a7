"""Doing again what a step of an origin did: the functions' part of `Outcome.apply`.

A `Step` records an operation by name; together with the values of its inputs it determines the value. This module knows
the operations that functions record: `call NAME` for those that compute, and the picking and counting steps of
`whence.puppet.kernel.shadow`, `iteration` and `digests`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...base.diagnostics import Refused, UsageError
from ...provenance.origins import UNTRACED
from ..kernel.values import Iterator, Sensitive, Value, key_value
from .signatures import legacy_arguments
from .table import find
from .walking import sequence, truthy


def replay(op: str, arguments: Sequence[Value]) -> Value:
    """Apply the operation `op` to plain values.  Raises `UsageError` for operations that are not the functions'."""
    name, _, rest = op.partition(" ")
    if name == "call":
        return _call(rest, arguments)
    if name in ("item", "key", "value"):
        return _picked(name, int(rest), arguments[0])
    match op:
        case "ruby" | "inline_template" | "template" | "kept":
            raise NotComputed("what Ruby did")
        case "true":
            return True
        case "false":
            return False
        case "any of":
            return any(map(truthy, arguments))
        case "all of":
            return all(map(truthy, arguments))
        case "class reference":
            from ..types.callables import ClassType

            return arguments[0] if isinstance(arguments[0], ClassType) else ClassType(arguments[0].lower())
        case "class name":
            return _class_name(arguments[0])
        case "present" | "absent":
            return (arguments[0] is not None) is (op == "present")
        case "parsed type":
            from ..types import parse_type

            return parse_type(arguments[0])
        case "hide":
            return Sensitive(arguments[0])
        case "iterator":
            return _iterator(arguments[0])
        case "concatenate":
            return "".join(arguments)
        case "fqdn_rand":
            from .digests import fqdn_number

            return fqdn_number(arguments[0], *legacy_arguments(arguments[1:]))
    if name == "index":
        return int(rest)
    if name == "deferred":
        return arguments[0].arguments[int(rest)]
    if name == "error":
        return _error(arguments[0], rest)
    raise UsageError(f"the functions have no operation {op!r}")


class NotComputed(Refused):
    """A function of a module, or Ruby in a template: the inputs are known, but not how they came to the answer."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} can not be computed again from its inputs alone",
            help="compile again to see what another input would give",
        )


def _class_name(value: Value) -> Value:
    from ..types.callables import ClassType

    name = value.class_name if isinstance(value, ClassType) else value.title
    return (name or "").removeprefix("::").lower()


def _iterator(values: list[Value]) -> Iterator:
    from ..types import infer_set
    from ..types.model import UNIT, variant_of

    element_type = variant_of(map(infer_set, values)) if values else UNIT
    return Iterator(lambda: iter(values), element_type)


def _error(value: Value, path: str) -> Value:
    """The error that following `path` into `value` meets."""
    from .reaching import error_value, failure_at

    return error_value(failure_at(value, path))


def _picked(name: str, position: int, value: Value) -> Value:
    if position >= len(sequence(value)):
        raise NotComputed("what Ruby added to an array or hash")
    if name == "item":
        return sequence(value)[position]
    key, element = list(value.items())[position]
    return key_value(key) if name == "key" else element


def entry_of(value: Value, name: str) -> Value:
    """An entry of a hash."""
    if not isinstance(value, dict) or name not in value:
        raise NotComputed("what Ruby added to an array or hash")
    return value[name]


def _call(name: str, arguments: Sequence[Value]) -> Value:
    function = find(name)
    if function is None:
        raise NotComputed(f"what the function '{name}' of a module did")
    if not function.calling:
        return function.apply(arguments)
    if name == "unwrap":
        return arguments[0].value if isinstance(arguments[0], Sensitive) else arguments[0]
    from .alone import AloneMachine

    value, _ = function.call(AloneMachine(), arguments, [UNTRACED] * len(arguments))
    return value
