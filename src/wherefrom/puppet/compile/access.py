"""`target[keys]`: elements, slices, substrings, types with arguments, and attributes of resources.

An element keeps its own origin: reading `$hash['port']` gives the origin of that port, and adds that of the key. What
is not there is `Absent`, because of the key and of whatever decided which keys are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...provenance.composites import missing
from ...provenance.operations import ARRAY
from ...provenance.origins import Absent, Choice, Items, Origin, Step
from ...provenance.secrecy import note_derived
from ..kernel.failures import EvaluationError, FunctionFailure, a_an, a_an_uc, placed
from ..kernel.operations import ACCESS, Item
from ..kernel.shadow import part
from ..kernel.values import Binary, ObjectValue, Reference, hash_key
from ..runtime.library import Code
from ..runtime.missing_facts import lacking_facts
from ..runtime.resources import Resource, capitalize_segments, flatten
from ..syntax import tree
from ..types import access as access_type
from ..types import infer_generalized, label
from ..types.callables import ClassType, ResourceType, entry_type
from ..types.model import UNRESOLVED_NAME, PuppetType, TypeReference
from ..types.objects import ObjectFunction, ObjectType
from .arithmetic import coerce, to_number
from .build import build, builds, is_fixed_type, unfold
from .literals import build_list, named_type_code

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.traced import Traced
    from ..runtime.compilation import Compilation
    from ..runtime.library import Library
    from ..runtime.scope import Frame


@builds(tree.Access)
def build_access(node: tree.Access, environment: Library, wanted: bool) -> Code:
    if isinstance(node.target, tree.TypeName):
        target = named_type_code(node.target, environment)
    else:
        target = build(node.target, environment)
    if len(node.keys) == 1 and not isinstance(node.keys[0], tree.Splat) and not isinstance(node.target, tree.TypeName):
        return _element_code(node, target, build(node.keys[0], environment))
    if isinstance(node.target, tree.TypeName) and node.target.lower == "class":
        keys = _class_keys(node, environment)
    else:
        keys = build_list(node.keys, environment)
    if any(isinstance(unfold(key), tree.Splat) for key in node.keys):
        return _unfolded_keys(node, target, keys, [build(key, environment) for key in node.keys])
    if is_fixed_type(node):
        kept: list[Traced] = []

        def constant(frame: Frame) -> Traced:
            if not kept:
                value, origin = target(frame)
                values, origins = keys(frame)
                kept.append(access(frame, node, value, origin, values, origins))
            return kept[0]

        return constant

    def code(frame: Frame) -> Traced:
        value, origin = target(frame)
        values, origins = keys(frame)
        result = access(frame, node, value, origin, values, origins)
        return result

    return code


def _unfolded_keys(node: tree.Access, target: Code, keys: Any, whole: list[Code]) -> Code:
    """`x[*keys]`: a hash is asked for the array itself; to all others its elements are keys like the rest."""

    def code(frame: Frame) -> Traced:
        value, origin = target(frame)
        if isinstance(value, dict):
            pairs = [key(frame) for key in whole]
            return access(
                frame, node, value, origin, [key for key, _ in pairs], [key_origin for _, key_origin in pairs]
            )
        values, origins = keys(frame)
        return access(frame, node, value, origin, values, origins)

    return code


def _class_keys(node: tree.Access, environment: Library) -> Any:
    """The keys of `Class[...]`: a type name that is not known is no error here, but no class name either."""
    plain = build_list(node.keys, environment)
    if not any(isinstance(key, tree.TypeName) for key in node.keys):
        return plain

    def keys(frame: Frame) -> tuple[list[Any], list[Origin]]:
        for key in node.keys:
            if isinstance(key, tree.TypeName) and environment.resolve_type_name(key.value) is None:
                raise EvaluationError(
                    "Illegal Class name in class reference. "
                    f"{a_an_uc(label(TypeReference(key.value)))} cannot be used where a String is expected",
                    key.at,
                    issue="ILLEGAL_HOSTCLASS_NAME",
                )
        evaluated: tuple[list[Any], list[Origin]] = plain(frame)
        return evaluated

    return keys


def _element_code(node: tree.Access, target: Code, key_code: Code) -> Code:
    """`x[key]` with one key, the common case."""

    def element(frame: Frame) -> Traced:
        value, origin = target(frame)
        key, key_origin = key_code(frame)
        kind = type(value)
        if kind is dict and type(key) is str:
            result = _hash_element(value, origin, key, key_origin)
        elif kind is list and type(key) is int:
            result = _array_element(value, origin, key, key_origin)
        else:
            result = access(frame, node, value, origin, [key], [key_origin])
        return result

    return element


def _hash_element(value: dict[Any, Any], origin: Origin, key: object, key_origin: Origin) -> Traced:
    name = hash_key(key)
    if name not in value:
        return None, Absent(f"key {key}", (key_origin, *missing(origin, key)))
    return value[name], Choice((key_origin,), part(origin, name))


def _array_element(value: list[Any], origin: Origin, index: int, key_origin: Origin) -> Traced:
    at = index if index >= 0 else len(value) + index
    if not 0 <= at < len(value):
        return None, Absent(f"element {index}", (key_origin, *missing(origin, index)))
    return value[at], Choice((key_origin,), part(origin, at))


def access(
    frame: Frame, node: tree.Access, value: object, origin: Origin, keys: list[Any], origins: Sequence[Origin]
) -> Traced:
    """`value[keys]`, whatever it is."""
    if type(value) is Reference:
        value = entry_type(value)
    if isinstance(value, PuppetType):
        return _access_type(frame, node, value, origin, keys, origins)
    step = Step(ACCESS, (origin, *origins), node.span)
    if isinstance(value, list):
        return _access_array(frame, node, value, origin, flatten(keys), origins, step)
    if isinstance(value, dict):
        try:
            return _access_hash(node, value, origin, keys, origins, step)
        except FunctionFailure as failure:  # two objects that can not be compared
            raise placed(failure, "'[]' expression", node.at) from None
    if isinstance(value, str):
        sliced = _substring(node, value, flatten(keys))
        note_derived(sliced, step)
        return sliced, step
    if isinstance(value, Binary):
        text = value.data.decode("latin-1")
        cut = Binary(_substring(node, text, flatten(keys)).encode("latin-1"))
        note_derived(cut, step)
        return cut, step
    if isinstance(value, ObjectValue) and isinstance(value.puppet_type, ObjectType):
        function = value.puppet_type.all_functions().get("[]")
        if function is not None:
            return _access_object(frame, node, value, function, [origin, *origins], keys)
    raise EvaluationError(
        f"Operator '[]' is not applicable to {a_an(label(value))}.",
        node.target.at,
        issue="OPERATOR_NOT_APPLICABLE",
        help=lacking_facts(frame.run, [(value, origin)]),
    )


def _access_object(
    frame: Frame,
    node: tree.Access,
    value: ObjectValue,
    function: ObjectFunction,
    origins: list[Origin],
    keys: list[Any],
) -> Traced:
    """`object[keys]`, for an object whose type has a function of that name."""
    from .calls import unimplemented

    kind = value.puppet_type
    try:
        if kind.implementation is None:
            unimplemented(function, keys)
        answer: Traced = kind.implementation.call("[]", frame, [value, *keys], origins, None, node.at)
        return answer
    except EvaluationError:
        raise
    except Diagnostic as failure:
        raise placed(failure, "'[]' expression", node.at) from None


# --- arrays, hashes, strings ------------------------------------------------------------------------------------------


def slice_bounds(length: int, start: int, count: int) -> tuple[int, int]:
    """Where a slice begins and how long it is: negative positions count from the end."""
    start = length + start if start < 0 else start
    count = length - start + count + 1 if count < 0 else count
    if start < 0:
        count += start
        start = 0
    return start, max(count, 0)


def _access_array(
    frame: Frame,
    node: tree.Access,
    value: list[Any],
    origin: Origin,
    keys: list[Any],
    origins: Sequence[Origin],
    step: Origin,
) -> Traced:
    if len(keys) not in (1, 2):
        raise EvaluationError(
            f"Array supports [] with one or two arguments. Got {len(keys)}",
            node.target.at,
            issue="BAD_ARRAY_SLICE_ARITY",
        )
    numbers = []
    for index, key in enumerate(keys):
        at = node.keys[min(index, len(node.keys) - 1)].at
        number = coerce(frame, key, at)
        if not isinstance(number, int):
            raise _bad_key(value, number, at)
        numbers.append(number)
    if len(numbers) == 1:
        return _array_element(value, origin, numbers[0], origins[0])
    start, count = slice_bounds(len(value), *numbers)
    if start > len(value):
        return [], step
    picked = value[start : start + count]
    return picked, Items([part(origin, start + index) for index in range(len(picked))], step)


def _access_hash(
    node: tree.Access, value: dict[Any, Any], origin: Origin, keys: list[Any], origins: Sequence[Origin], step: Origin
) -> Traced:
    if not keys:
        raise EvaluationError(
            "Hash supports [] with one or more arguments. Got 0", node.target.at, issue="BAD_HASH_SLICE_ARITY"
        )
    if len(keys) == 1:
        return _hash_element(value, origin, keys[0], origins[0])
    pairs = [_hash_element(value, origin, key, key_origin) for key, key_origin in zip(keys, origins)]
    kept = [pair for pair in pairs if pair[0] is not None]
    return [element for element, _ in kept], Items([element_origin for _, element_origin in kept], step)


def _substring(node: tree.Access, value: str, keys: list[Any]) -> str:
    if len(keys) not in (1, 2):
        raise EvaluationError(
            f"String supports [] with one or two arguments. Got {len(keys)}",
            node.target.at,
            issue="BAD_STRING_SLICE_ARITY",
        )
    numbers = []
    for index, key in enumerate(keys):
        number = to_number(key)
        if not isinstance(number, int):
            kind = str(infer_generalized(key if number is None else number))
            at = node.keys[min(index, len(node.keys) - 1)].at
            raise EvaluationError(
                f"A substring operation does not accept {a_an(kind)} as a character index. Expected an Integer",
                at,
                issue="BAD_STRING_SLICE_KEY_TYPE",
            )
        numbers.append(number)
    if len(numbers) == 1:
        at_character = numbers[0] if numbers[0] >= 0 else len(value) + numbers[0]
        return value[at_character : at_character + 1] if at_character >= 0 else ""
    start, count = slice_bounds(len(value), *numbers)
    return value[start : start + count]


def _bad_key(value: object, key: object, at: Span) -> EvaluationError:
    return EvaluationError(
        f"{a_an_uc(label(value))}[] cannot use {infer_generalized(key)} where Integer is expected",
        at,
        issue="BAD_SLICE_KEY_TYPE",
    )


# --- types and references ---------------------------------------------------------------------------------------------


def _access_type(
    frame: Frame, node: tree.Access, value: PuppetType, origin: Origin, keys: list[Any], origins: Sequence[Origin]
) -> Traced:
    if isinstance(value, TypeReference) and value.type_string != UNRESOLVED_NAME:
        raise EvaluationError(
            f"Resource type not found: {value.type_string}",
            node.at,
            issue="UNKNOWN_RESOURCE_TYPE",
            help=frame.run.environment.near_type(value.type_string),
        )
    reference: tuple[str, str] | None = None
    if isinstance(value, ResourceType) and value.title is not None:
        reference = (value.type_name or "", value.title)
    elif isinstance(value, ClassType) and value.class_name is not None:
        reference = ("Class", value.class_name)
    if reference is not None:
        return _attributes(frame, node, reference, origin, keys, origins)
    step = Step(ACCESS, (origin, *origins), node.span)
    if isinstance(value, ResourceType) and value.type_name is None and len(keys) == 1:
        only = keys[0]
        if isinstance(only, ResourceType):
            return only, step
    try:
        accessed = access_type(value, keys)
    except Diagnostic as failure:
        raise placed(failure, "'[]' expression", node.at, [key.at for key in node.keys]) from None
    if isinstance(accessed, list):
        items = [Step(Item(index), (step,)) for index in range(len(accessed))]
        return accessed, Items(items, Step(ARRAY, ()))
    return accessed, step


def _attributes(
    frame: Frame,
    node: tree.Access,
    reference: tuple[str, str],
    origin: Origin,
    keys: list[Any],
    origins: Sequence[Origin],
) -> Traced:
    """`File['/a']['mode']`: attributes of a resource that has been declared."""
    type_name, title = reference
    many = len(keys) > 1 or (bool(keys) and isinstance(keys[0], list))
    names = [name for name in flatten(keys) if name is not None]
    shown = f"{capitalize_segments(type_name)}['{title}']"
    if not names:
        return ([] if many else None), Step(ACCESS, (origin, *origins), node.span)
    resource = frame.run.catalog.find(type_name, title)
    if resource is None:
        raise EvaluationError(
            f"Resource not found: {shown}",
            node.at,
            issue="UNKNOWN_RESOURCE",
            help=frame.run.catalog.near_title(type_name, title),
        )
    pairs = []
    for name in names:
        if not isinstance(name, str) or not _has_parameter(resource, name):
            raise EvaluationError(
                f"The resource {shown} does not have a parameter called '{name}'",
                node.at,
                issue="UNKNOWN_RESOURCE_PARAMETER",
                help=_near_parameter(resource, name),
            )
        pairs.append(_attribute(frame.run, resource, name, origin, origins))
    if many:
        return [value for value, _ in pairs], Items(
            [attribute_origin for _, attribute_origin in pairs], Step(ARRAY, ())
        )
    return pairs[-1]


def _has_parameter(resource: Resource, name: str) -> bool:
    if resource.kind is not None:
        return resource.kind.allows(name)
    if resource.definition is None or resource.scope is None:
        return False
    return name in resource.definition.struct(resource.scope).by_name


def _near_parameter(resource: Resource, name: object) -> str | None:
    from ...base.spell import nearest

    if resource.kind is not None:
        near = nearest(str(name), resource.kind.attributes)
    elif resource.definition is not None:
        near = nearest(str(name), [parameter.name for parameter in resource.definition.parameters])
    else:
        return None
    return f"did you mean {near}?" if near else None


def _attribute(run: Compilation, resource: Resource, name: str, origin: Origin, origins: Sequence[Origin]) -> Traced:
    tests: tuple[Origin, ...] = (origin, *origins, resource.existence)
    if name == "title":
        return resource.title, Choice(tests, resource.title_origin)
    if run.may_spare:
        absences = run.absences
        unmade_changes = absences.later(
            f"another change of {resource.ref}", lambda now: run.unmade_changes(resource, name, now)
        )
        tests = (*tests, unmade_changes)
        if absences.computed and run.declared_at is not None:
            tests = (*tests, absences.early(run.declared_at))
    attribute = resource.attributes.get(name)
    if attribute is None or attribute.value is None:
        scope = resource.scope
        default = scope.lookup_defaults(resource.type).get(name) if scope is not None else None
        if default is not None:
            return default.value, Choice(tests, default.origin)
        if attribute is not None:  # written, and undef: what it was computed from could have made it something
            tests = (*tests, attribute.origin)
        return None, Absent(f"{resource.ref}.{name}", tests)
    return attribute.value, Choice(tests, attribute.origin)
