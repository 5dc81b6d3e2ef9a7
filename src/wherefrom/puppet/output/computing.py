"""Doing again what a step of an origin did: how each operation of Puppet is computed from the values of its inputs.

A `Step` records an operation, a record of `wherefrom.puppet.kernel.operations`; together with the values of its inputs
it determines the value. This is the table of how, by class. A function is called again, with nothing round it; one in
Ruby too, if it read nothing but its arguments. Of what else Ruby did only the inputs are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

from ...base.diagnostics import UsageError
from ...provenance.operations import BuiltIn, Computations, FunctionCall, NotComputed, Render
from ...provenance.origins import UNTRACED
from ...ruby.operations import Joined, MethodCall, NamedConstant, Written
from ..compile.access import slice_bounds
from ..compile.arithmetic import apply_operator, to_number
from ..compile.calls import member
from ..compile.operators import compare_values
from ..functions.alone import AloneMachine
from ..functions.digests import fqdn_number
from ..functions.reaching import error_value, failure_at
from ..functions.signatures import legacy_arguments
from ..functions.table import find
from ..functions.walking import sequence, truthy
from ..kernel import operations as ops
from ..kernel.values import Iterator, Regexp, Sensitive, Value, bytes_text, hash_key, key_value
from ..runtime.relations import reference_text
from ..types import includes, infer_set, match, new_instance, parse_type, puppet_string
from ..types.access import access
from ..types.callables import ClassType, ResourceType
from ..types.model import UNIT, PuppetType, variant_of


class Types(Protocol):
    """What an operation may ask: the types of an environment."""

    def resolve_type_name(self, name: str) -> Any:
        """The type of a name."""

    def type_of_text(self, text: str, span: None) -> Any:
        """The type that is written so."""


COMPUTATIONS: Computations[Types] = Computations()
computes = COMPUTATIONS.of

# --- operators -------------------------------------------------------------------------------------------------------


@computes(ops.Arithmetic)
def _arithmetic(op: ops.Arithmetic, arguments: Sequence[object], types: Types) -> Any:
    return apply_operator(op.symbol, *arguments)


@computes(ops.Comparison)
def _comparison(op: ops.Comparison, arguments: Sequence[object], types: Types) -> Any:
    return compare_values(op.symbol, *arguments)


@computes(ops.Logic)
def _logic(op: ops.Logic, arguments: Sequence[object], types: Types) -> Any:
    return truthy(arguments[-1])


@computes(ops.Matching)
def _matching(op: ops.Matching, arguments: Sequence[object], types: Types) -> Any:
    value, pattern = arguments
    matched = match(value, Regexp(pattern) if isinstance(pattern, str) else pattern)
    return matched is (op is ops.OPERATORS["=~"])


@computes(ops.Membership)
def _membership(op: ops.Membership, arguments: Sequence[object], types: Types) -> Any:
    return includes(arguments[1], arguments[0])


@computes(ops.Arrow)
def _arrow(op: ops.Arrow, arguments: Sequence[object], types: Types) -> Any:
    return None


@computes(ops.Not)
def _not(op: ops.Not, arguments: Sequence[object], types: Types) -> Any:
    return not truthy(arguments[0])


@computes(ops.Negate)
def _negate(op: ops.Negate, arguments: Sequence[object], types: Types) -> Any:
    number = to_number(arguments[0])
    assert number is not None
    return -number


@computes(ops.Access)
def _access(op: ops.Access, arguments: Sequence[Any], types: Types) -> Any:
    value, *keys = arguments
    if isinstance(value, PuppetType):
        return access(value, keys)
    if isinstance(value, dict):
        return value.get(hash_key(keys[0]))
    if isinstance(value, str | list):
        if len(keys) == 1:
            index = int(keys[0])
            index = index if index >= 0 else len(value) + index
            inside = 0 <= index < len(value)
            return value[index] if inside else ("" if isinstance(value, str) else None)
        start, count = slice_bounds(len(value), int(keys[0]), int(keys[1]))
        return value[start : start + count]
    raise UsageError("[] of a value without elements")


# --- texts -----------------------------------------------------------------------------------------------------------


@computes(ops.Interpolate)
def _interpolate(op: ops.Interpolate, arguments: Sequence[object], types: Types) -> Any:
    return "".join(map(puppet_string, arguments))


@computes(ops.Concatenate)
def _concatenate(op: ops.Concatenate, arguments: Sequence[Any], types: Types) -> Any:
    return "".join(arguments)


@computes(Render)
def _render(op: Render, arguments: Sequence[Any], types: Types) -> Any:
    return "".join(map(puppet_string, arguments[0]))


@computes(ops.HieraText)
def _hiera_text(op: ops.HieraText, arguments: Sequence[Any], types: Types) -> Any:
    template, *values = arguments[0]
    left = iter(values)
    return re.sub(r"%\{[^}]*\}", lambda hole: puppet_string(next(left, "")), template)


# --- parts of values -------------------------------------------------------------------------------------------------


@computes(ops.Item)
def _item(op: ops.Item, arguments: Sequence[object], types: Types) -> Any:
    elements = sequence(arguments[0])
    if op.index >= len(elements):
        raise NotComputed("what Ruby added to an array or hash")
    return elements[op.index]


def _pair(value: Any, index: int) -> tuple[Any, Any]:
    if index >= len(value):
        raise NotComputed("what Ruby added to an array or hash")
    pair: tuple[Any, Any] = list(value.items())[index]
    return pair


@computes(ops.KeyAt)
def _key(op: ops.KeyAt, arguments: Sequence[object], types: Types) -> Any:
    return key_value(_pair(arguments[0], op.index)[0])


@computes(ops.ValueAt)
def _value(op: ops.ValueAt, arguments: Sequence[object], types: Types) -> Any:
    return _pair(arguments[0], op.index)[1]


@computes(ops.Entry)
def _entry(op: ops.Entry, arguments: Sequence[object], types: Types) -> Any:
    value = arguments[0]
    if not isinstance(value, dict) or op.key not in value:
        raise NotComputed("what Ruby added to an array or hash")
    return value[op.key]


@computes(ops.Dug)
def _dug(op: ops.Dug, arguments: Sequence[object], types: Types) -> Any:
    if isinstance(op.key, int):
        return [*([None] * op.key), arguments[0]]
    return {hash_key(op.key): arguments[0]}


@computes(ops.Counted)
def _counted(op: ops.Counted, arguments: Sequence[object], types: Types) -> Any:
    return op.index


@computes(ops.Group)
def _group(op: ops.Group, arguments: Sequence[Any], types: Types) -> Any:
    text, pattern = arguments
    hit = (pattern if isinstance(pattern, Regexp) else Regexp(pattern)).search(text)
    if hit is None or op.index > len(hit.groups()):
        return None
    return hit.group(op.index)


@computes(ops.DeferredArgument)
def _deferred(op: ops.DeferredArgument, arguments: Sequence[Any], types: Types) -> Any:
    return arguments[0].arguments[op.index]


@computes(ops.Member)
def _member(op: ops.Member, arguments: Sequence[object], types: Types) -> Any:
    return member(arguments[0], op.name)[1]


@computes(ops.AttributeOf)
def _attribute(op: ops.AttributeOf, arguments: Sequence[Any], types: Types) -> Any:
    return arguments[0].attributes[op.name]


@computes(ops.IteratorOver)
def _iterator(op: ops.IteratorOver, arguments: Sequence[Any], types: Types) -> Any:
    values: list[Value] = arguments[0]
    return Iterator(lambda: iter(values), variant_of(map(infer_set, values)) if values else UNIT)


@computes(ops.ErrorAt)
def _error(op: ops.ErrorAt, arguments: Sequence[object], types: Types) -> Any:
    return error_value(failure_at(arguments[0], op.name))


# --- constants -------------------------------------------------------------------------------------------------------


@computes(ops.NoValue)
def _nothing(op: ops.NoValue, arguments: Sequence[object], types: Types) -> Any:
    return None


@computes(ops.Truth)
def _truth(op: ops.Truth, arguments: Sequence[object], types: Types) -> Any:
    return op.value


@computes(BuiltIn)
def _built_in(op: BuiltIn, arguments: Sequence[object], types: Types) -> Any:
    return op.name


# --- types, references -----------------------------------------------------------------------------------------------


@computes(ops.TypeName)
def _type(op: ops.TypeName, arguments: Sequence[object], types: Types) -> Any:
    return types.resolve_type_name(op.name)


@computes(ops.ParsedType)
def _parsed_type(op: ops.ParsedType, arguments: Sequence[Any], types: Types) -> Any:
    return parse_type(arguments[0])


@computes(ops.ConvertTo)
def _converted(op: ops.ConvertTo, arguments: Sequence[object], types: Types) -> Any:
    return new_instance(types.type_of_text(op.name, None), [*arguments, *op.arguments])


@computes(ops.ReferenceTo)
def _reference(op: ops.ReferenceTo, arguments: Sequence[object], types: Types) -> Any:
    return reference_text(ResourceType(op.name, puppet_string(arguments[0])))


@computes(ops.ClassReference)
def _class_reference(op: ops.ClassReference, arguments: Sequence[Any], types: Types) -> Any:
    return arguments[0] if isinstance(arguments[0], ClassType) else ClassType(arguments[0].lower())


@computes(ops.ClassName)
def _class_name(op: ops.ClassName, arguments: Sequence[Any], types: Types) -> Any:
    value = arguments[0]
    name = value.class_name if isinstance(value, ClassType) else value.title
    return (name or "").removeprefix("::").lower()


@computes(ops.Presence)
def _presence(op: ops.Presence, arguments: Sequence[object], types: Types) -> Any:
    return (arguments[0] is not None) is op.expected


# --- functions -------------------------------------------------------------------------------------------------------


@computes(ops.AllOf)
def _all_of(op: ops.AllOf, arguments: Sequence[object], types: Types) -> Any:
    return all(map(truthy, arguments))


@computes(ops.AnyOf)
def _any_of(op: ops.AnyOf, arguments: Sequence[object], types: Types) -> Any:
    return any(map(truthy, arguments))


@computes(ops.BytesAsText)
def _bytes_as_text(op: ops.BytesAsText, arguments: Sequence[Any], types: Types) -> Any:
    return bytes_text(arguments[0])


@computes(ops.Hide)
def _hide(op: ops.Hide, arguments: Sequence[object], types: Types) -> Any:
    return Sensitive(arguments[0])


@computes(ops.FqdnRand)
def _fqdn_rand(op: ops.FqdnRand, arguments: Sequence[object], types: Types) -> Any:
    return fqdn_number(arguments[0], *legacy_arguments(arguments[1:]))


@computes(FunctionCall)
def _call(op: FunctionCall, arguments: Sequence[object], types: Types) -> Any:
    function = find(op.name)
    if function is None:
        from ..rubyhost.alone import call_alone

        return call_alone(op.name, arguments, types)
    if not function.calling:
        return function.apply(arguments)
    if op == _UNWRAP:
        return arguments[0].value if isinstance(arguments[0], Sensitive) else arguments[0]
    value, _ = function.call(AloneMachine(), arguments, [UNTRACED] * len(arguments))
    return value


_UNWRAP = FunctionCall("unwrap")

# --- Ruby ------------------------------------------------------------------------------------------------------------


@computes(MethodCall)
def _method(op: MethodCall, arguments: Sequence[object], types: Types) -> Any:
    from ..rubyhost.alone import send_alone

    return send_alone(op.name, arguments)


@computes(Joined)
def _joined(op: Joined, arguments: Sequence[object], types: Types) -> Any:
    from ..rubyhost.alone import send_alone

    return "".join(send_alone("to_s", [argument]) for argument in arguments)


@computes(Written)
def _written(op: Written, arguments: Sequence[object], types: Types) -> Any:
    from ..rubyhost.alone import written

    return written(op.value)


@computes(NamedConstant)
def _constant(op: NamedConstant, arguments: Sequence[object], types: Types) -> Any:
    from ..rubyhost.alone import constant

    return constant(op.name)
