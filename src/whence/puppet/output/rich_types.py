"""Types as rich data: how a catalog carries a type among its values, `{"__ptype": "Pcore::IntegerType", "from": 1}`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernel.failures import EvaluationError
from ..kernel.values import Regexp
from ..types import callables, containers, model, scalars

Wire = Callable[[Any], Any]


def type_document(value: model.PuppetType, wire: Wire) -> dict[str, Any]:
    """A type; `wire` writes the values inside of it."""
    name = type(value).__name__.removesuffix("Type")
    made: dict[str, Any] = {"__ptype": f"Pcore::{name}Type"}

    def inner(each: model.PuppetType) -> Any:
        return type_document(each, wire)

    match value:
        case model.TypeAlias():
            if value.recursive:
                raise EvaluationError(
                    "Endless recursion detected when attempting to serialize value of class "
                    "Puppet::Pops::Types::PTypeAliasType",
                    None,
                    issue="SERIALIZATION_ENDLESS_RECURSION",
                )
            made = {
                "__ptype": "Pcore::TypeAliasType",
                "name": value.name,
                "type_expr": None,
                "resolved_type": inner(value.resolved),
            }
        case scalars.NumericType() | scalars.TimeType():
            if value.low is not None or value.high is not None:
                made["from"] = wire(value.low)
                if value.high is not None:
                    made["to"] = wire(value.high)
        case scalars.StringType():
            if value.value is not None:
                made["size_type_or_value"] = value.value
            elif value.size is not None:
                made["size_type_or_value"] = inner(value.size)
        case scalars.EnumType():
            if value.values:
                made["values"] = list(value.values)
            if value.case_insensitive:
                made["case_insensitive"] = True
        case scalars.RegexpType():
            if value.pattern is not None:
                made["pattern"] = value.pattern.source if isinstance(value.pattern, Regexp) else value.pattern
        case scalars.PatternType():
            if value.patterns:
                made["patterns"] = [
                    {"__ptype": "Pcore::RegexpType", "pattern": getattr(each, "source", None) or str(each)}
                    for each in value.patterns
                ]
        case scalars.BooleanType():
            pass  # Puppet does not write which of the two it is
        case scalars.SemVerType():
            if value.ranges:
                made["ranges"] = [wire(each) for each in value.ranges]
        case callables.InitType():
            if value.type is not None:
                made["type"] = inner(value.type)
            if value.arguments:
                made["init_args"] = [wire(each) for each in value.arguments]
        case model.ContainedType():
            if value.type is not None:
                made["type"] = inner(value.type)
        case model.VariantType():
            if value.types:
                made["types"] = [inner(each) for each in value.types]
        case containers.ArrayType():
            if value != containers.ARRAY:
                made["element_type"] = inner(value.element)
            _size(value.size, made, inner)
        case containers.HashType():
            if value != containers.HASH:
                made["key_type"] = inner(value.key)
                made["value_type"] = inner(value.value)
            _size(value.size, made, inner)
        case containers.CollectionType():
            _size(value.size, made, inner)
        case containers.TupleType():
            if value.types:
                made["types"] = [inner(each) for each in value.types]
            _size(value.size, made, inner)
        case containers.StructType():
            if value.elements:
                made["elements"] = [
                    {"__ptype": "Pcore::StructElement", "key_type": inner(each.key), "value_type": inner(each.value)}
                    for each in value.elements
                ]
        case callables.CallableType():
            if value.parameters is not None:
                made["param_types"] = inner(value.parameters)
                made["block_type"] = None if value.block is None else inner(value.block)
                made["return_type"] = None if value.result is None else inner(value.result)
        case callables.ClassType():
            if value.class_name is not None:
                made["class_name"] = value.class_name
        case callables.ResourceType():
            if value.type_name is not None:
                made["type_name"] = value.type_name
            if value.title is not None:
                made["title"] = value.title
        case callables.RuntimeType():
            if value.runtime is not None:
                made["runtime"] = value.runtime
                made["name_or_pattern"] = wire(value.name_or_pattern)
        case model.TypeReference():
            made = {"__ptype": "Pcore::TypeReferenceType", "type_string": value.type_string}
    return made


def _size(size: scalars.IntegerType | None, made: dict[str, Any], inner: Wire) -> None:
    if size is not None:
        made["size_type"] = inner(size)
