"""Types as rich data: how a catalog carries a type among its values, `{"__ptype": "Pcore::IntegerType", "from": 1}`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernel.failures import EvaluationError
from ..types import callables, containers, model, objects, scalars, type_sets
from ..types.regexps import data_text

Wire = Callable[[Any], Any]


def type_document(value: model.PuppetType, wire: Wire, aliases: tuple[model.TypeAlias, ...] = ()) -> dict[str, Any]:
    """A type; `wire` writes the values inside of it, `aliases` are those whose meaning is being written."""
    name = type(value).__name__.removesuffix("Type")
    document: dict[str, Any] = {"__ptype": f"Pcore::{name}Type"}

    def inner(part: model.PuppetType) -> Any:
        return type_document(part, wire, aliases)

    match value:
        case model.TypeAlias():
            if value in aliases:
                raise EvaluationError(
                    "Endless recursion detected when attempting to serialize value of class "
                    "Puppet::Pops::Types::PTypeAliasType",
                    None,
                    issue="SERIALIZATION_ENDLESS_RECURSION",
                )
            document = {
                "__ptype": "Pcore::TypeAliasType",
                "name": value.name,
                "type_expr": None,
                "resolved_type": type_document(value.resolved, wire, (*aliases, value)),
            }
        case scalars.TimeType():
            if value.low is not None or value.high is not None:
                document["from"] = _time_bound(value, value.low)
                if value.high is not None:
                    document["to"] = _time_bound(value, value.high)
        case scalars.NumericType():
            if value.low is not None or value.high is not None:
                document["from"] = wire(value.low)
                if value.high is not None:
                    document["to"] = wire(value.high)
        case scalars.URIType():
            if value.parameters is not None:
                document["parameters"] = wire(value.parameters)
        case scalars.SensitiveType():
            pass  # nor what it hides
        case scalars.StringType():
            if value.value is not None:
                document["size_type_or_value"] = value.value
            elif value.size is not None:
                document["size_type_or_value"] = inner(value.size)
        case scalars.EnumType():
            document["values"] = list(value.values)
            if value.case_insensitive:
                document["case_insensitive"] = True
        case scalars.RegexpType():
            if value.pattern is not None:
                document["pattern"] = data_text(getattr(value.pattern, "source", value.pattern))
        case scalars.PatternType():
            document["patterns"] = [
                {"__ptype": "Pcore::RegexpType", "pattern": data_text(pattern.source)} for pattern in value.patterns
            ]
        case scalars.BooleanType():
            pass  # Puppet does not write which of the two it is
        case scalars.SemVerType():
            if value.ranges:
                document["ranges"] = [wire(versions) for versions in value.ranges]
        case scalars.URIType():
            if value.parameters is not None:
                document["parameters"] = wire(value.parameters)
        case callables.InitType():
            if value.type is not None:
                document["type"] = inner(value.type)
            if value.arguments:
                document["init_args"] = [wire(argument) for argument in value.arguments]
        case scalars.SensitiveType():
            pass  # nor of what
        case model.ContainedType():
            if value.type is not None:
                document["type"] = inner(value.type)
        case model.VariantType():
            document["types"] = [inner(member) for member in value.types]
        case containers.ArrayType():
            if value != containers.ARRAY:
                document["element_type"] = inner(value.element)
            _size(value.size, document, inner)
        case containers.HashType():
            if value != containers.HASH:
                document["key_type"] = inner(value.key)
                if value.value != model.ANY or value.size is not None:  # the last ones that are defaults are left out
                    document["value_type"] = inner(value.value)
            _size(value.size, document, inner)
        case containers.CollectionType():
            _size(value.size, document, inner)
        case containers.TupleType():
            document["types"] = [inner(element) for element in value.types]
            _size(value.size, document, inner)
        case containers.StructType():
            document["elements"] = [
                {
                    "__ptype": "Pcore::StructElement",
                    "key_type": inner(element.key),
                    "value_type": inner(element.value),
                }
                for element in value.elements
            ]
        case callables.CallableType():
            parts = {"param_types": value.parameters, "block_type": value.block, "return_type": value.result}
            document |= {name: None if part is None else inner(part) for name, part in parts.items()}
        case callables.ClassType():
            if value.class_name is not None:
                document["class_name"] = value.class_name
        case callables.ResourceType():
            if value.type_name is not None:
                document["type_name"] = value.type_name
            if value.title is not None:
                document["title"] = value.title
        case callables.RuntimeType():
            if value.runtime is not None:
                document["runtime"] = value.runtime
                document["name_or_pattern"] = wire(value.name_or_pattern)
        case objects.ObjectType():
            document = {"__ptype": "Pcore::ObjectType", "_pcore_init_hash": wire(value.definition())}
        case objects.ObjectTypeExtension():
            document = {
                "__ptype": "Pcore::ObjectTypeExtenType",
                "base_type": inner(value.base),
                "init_parameters": wire(value.shown_parameters()),
            }
        case type_sets.TypeSetType():
            raise EvaluationError(
                "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not match "
                "any of the the attributes of type Pcore::TypeSetType",
                None,
                issue=None,
                lead="",
            )
        case model.TypeReference():
            document = {"__ptype": "Pcore::TypeReferenceType", "type_string": value.type_string}
    return document


def _time_bound(value: scalars.TimeType, count: float | None) -> Any:
    return None if count is None else {"__ptype": value.simple_name, "__pvalue": value.bound_text(count)}


def _size(size: scalars.IntegerType | None, document: dict[str, Any], inner: Wire) -> None:
    if size is not None:
        document["size_type"] = inner(size)
