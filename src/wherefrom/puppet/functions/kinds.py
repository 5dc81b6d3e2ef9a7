"""Functions about types: asking for one, asserting one, and making a value of one."""

from __future__ import annotations

from typing import Any

from ...provenance.operations import FunctionCall
from ...provenance.origins import Absent, Choice, Items, Origin, Step
from ..kernel.operations import PARSED_TYPE
from ..kernel.shadow import Shadow
from ..kernel.traced import Traced
from ..kernel.values import ObjectValue, Timestamp, Value, hash_key, key_value
from ..types import ruby
from .registry import Call, calling, function


@function(
    "type",
    "Any $value, Enum[detailed] $inference_method?",
    "Any $value, Enum[reduced] $inference_method",
    "Any $value, Enum[generalized] $inference_method",
)
def type_(value: Value, inference_method: str = "detailed") -> object:
    """The type of a value: in detail, `reduced` to one type for all elements, or `generalized` without sizes.

    puppet> type([1, 'a'])
    Tuple[Integer[1, 1], String]
    puppet> type([1, 2], 'generalized')
    Array[Integer]
    """
    from ..types import generalize, infer, infer_set

    if inference_method == "detailed":
        return infer_set(value)
    return infer(value) if inference_method == "reduced" else generalize(infer(value))


@calling(
    "assert_type",
    "Type $type, Any $value, Callable[Type, Type] &$block?",
    "String $type_string, Any $value, Callable[Type, Type] &$block?",
)
def assert_type(call: Call) -> Traced:
    """The value, if it is of a type; else what a lambda makes of the expected and the actual type, or an error.

    puppet> assert_type(Integer, 5)
    5
    puppet> assert_type(Integer, 'five')
    error: assert_type(): expects an Integer value, got String
    """
    from ..types import TypeMismatchError, describe_mismatch, infer_set

    expected, value = call.values[0], call.values[1]
    expected_origin = call.origins[0]
    if isinstance(expected, str):
        expected = call.machine.resolve_type(expected, call.span)
        expected_origin = Step(PARSED_TYPE, (expected_origin,), call.span)
    if expected.accepts(value):
        return value, Choice((expected_origin,), call.origins[1], call.span, call.function.label)
    actual = infer_set(value)
    if call.block is None:
        raise TypeMismatchError(describe_mismatch("assert_type():", expected, actual))
    test = call.origins[1]
    result, origin = call.block.call(
        (expected, actual), (expected_origin, Step(FunctionCall("type"), (test,), call.span)), test
    )
    return result, Choice((call.origins[0], test), origin, call.span, call.function.label)


@calling("new", "Type $type, Any *$args, Callable &$block?")
def new(call: Call) -> Traced:
    """A value of a type, made from the arguments; calling a type (`Integer('7')`) is the same.

    Each type has its own ways: `Integer` and `Float` read text, `String` formats, `Array` and `Hash` convert
    collections, `Timestamp`, `SemVer` and others parse their notations. With a lambda, what it makes of the new value.

    puppet> new(Integer, '0x1F')
    31
    puppet> String(255, '%#x')
    '0xff'
    puppet> Array({ 'a' => 1 })
    [['a', 1]]
    """
    from ..types.callables import InitType

    wanted, arguments = call.values[0], list(call.values[1:])
    if len(arguments) == 1 and not isinstance(wanted, InitType) and wanted.accepts(arguments[0]):
        return arguments[0], Choice((call.origins[0],), call.origins[1], call.span, call.function.label)
    value, origin = make(call, wanted, arguments, list(call.origins))
    if call.block is None:
        return value, origin
    return call.block.call((value,), (origin,))


def make(call: Call, wanted: Any, arguments: list[Value], origins: list[Origin]) -> Traced:
    """A new value of a type, with the origins of its elements where it was made of elements."""
    from ..types import new_instance

    value = new_instance(wanted, arguments)
    if isinstance(value, Timestamp) and not arguments:  # a time made of nothing is now, and that is an input
        now, clock = call.machine.clock()
        return Timestamp(round(now * 1_000_000_000)), call.step(*origins, clock)
    if arguments and isinstance(value, list | dict):
        moved = _moved(value, arguments, origins[1], call)
        if moved is not None:
            return value, moved
    return value, call.step(*origins)


def _moved(collection: Value, arguments: list[Value], origin: Origin, call: Call) -> Origin | None:
    """The shadow of a collection that was made of the elements of another one, if that is how it was made."""
    given = arguments[0]
    shadow = Shadow(origin)
    own = Choice((call.origins[0],), shadow.own, call.span, call.function.label)
    if isinstance(collection, list):
        if isinstance(given, list) and collection == given:
            return Items([shadow.item(index) for index in range(len(collection))], own)
        if isinstance(given, dict) and len(arguments) == 1 and len(collection) == len(given):
            return Items([shadow.pair(key, position) for position, key in enumerate(given)], own)
        if len(arguments) == 2 and arguments[1] is True and len(collection) == 1:
            return Items([origin], own)
        return None
    if isinstance(given, dict) and collection.keys() == given.keys():
        return Items({key: shadow.value(key, position) for position, key in enumerate(given)}, own)
    if not isinstance(given, list) or len(arguments) > 1:
        return None
    return _moved_pairs(collection, given, shadow, own)


def _moved_pairs(collection: dict[Any, Value], given: list[Value], shadow: Shadow, own: Origin) -> Origin | None:
    """As `_moved`, for a hash made of `[[key, value], ...]` or of `[key, value, key, value, ...]`."""
    elements: dict[Any, Origin] = {}
    placed: dict[Any, Origin] = {}
    if given and all(isinstance(entry, list) and len(entry) == 2 for entry in given):
        for index, (key, _) in enumerate(given):
            pair = Shadow(shadow.item(index))
            elements[hash_key(key)] = pair.item(1)
            placed[hash_key(key)] = pair.item(0)
    else:
        for index in range(0, len(given) - 1, 2):
            elements[hash_key(given[index])] = shadow.item(index + 1)
            placed[hash_key(given[index])] = shadow.item(index)
    if list(elements) != list(collection):
        return None
    # Any key could have been another, and have replaced an element.
    return Items(elements, Choice(tuple(placed.values()), own), placed)


@calling("convert_to", "Any $value, Type $type, Any *$args, Callable[1,1] &$block?")
def convert_to(call: Call) -> Traced:
    """The same as `new` with the value first, so that it can end a chain of calls.

    puppet> '42'.convert_to(Integer)
    42
    """
    values, origins = call.values, call.origins
    value, origin = call.machine.call_function(
        "new", [values[1], values[0], *values[2:]], [origins[1], origins[0], *origins[2:]], None, call.span
    )
    return (value, origin) if call.block is None else call.block.call((value,), (origin,))


@calling(
    "annotate",
    "Type[Annotation] $type, Any $value, Callable[0, 0] &$block?",
    "Type[Annotation] $type, Any $value, Variant[Enum[clear],Hash[Pcore::MemberName,Any]] $annotation_hash",
    "Type[Pcore] $type, Any $value, Hash[Type[Annotation], Hash[Pcore::MemberName,Any]] $annotations",
    differs="only objects can be annotated, not texts, numbers or types",
)
def annotate(call: Call) -> Traced:
    """Attaches data to an object, or finds what was attached: an instance of a type whose parent is `Annotation`.

    With a hash, an instance made of it is attached; with `clear`, what was attached is taken off. Without either the
    result is what is attached, or what a lambda's hash makes, or `undef`. `Pcore` in place of the type takes a hash
    from types to hashes, and gives the object back.

    puppet> annotate(Integer)
    error: 'annotate' expects between 2 and 3 arguments, got 1
    """
    kind, value = call.values[0], call.values[1]
    given = call.argument(2)
    if not isinstance(value, ObjectValue):
        return _annotated_other(call, kind, value, given)
    if given is None:
        return _annotation(call, kind, value)
    if call.signature is call.function.signatures[2]:
        for key, fields in given[0].items():
            if key_value(key) not in value.annotations:
                _attach(call, key_value(key), value, fields)
        return value, call.origins[1]
    if given[0] == "clear":
        annotation: Traced | None = value.annotations.pop(kind, None)
        return annotation if annotation is not None else (None, Absent("annotation", (), call.span))
    return _attach(call, kind, value, given[0])


def _annotated_other(call: Call, kind: Any, value: Value, given: Traced | None) -> Traced:
    """What is no object has annotations only where an object type declares them."""
    from ..types import assert_instance, new_instance
    from ..types.objects import ObjectType

    declared = value.read().annotations if isinstance(value, ObjectType) else None
    if declared is not None and (name := hash_key(kind)) in declared:
        if given is None:
            assert_instance(f"{kind.name} initializer", kind.initializer(), declared[name])
            return new_instance(kind, [declared[name]]), call.step()
        what = "clear" if given[0] == "clear" else "redefine"
        raise call.fail(f"attempt to {what} {kind.name} annotation declared on {value.name}")
    if given is None and not isinstance(value, ObjectType) and call.block is None:
        return None, Absent("annotation", (), call.span)
    if isinstance(value, str | int | float):
        raise call.fail(f"can't modify frozen {ruby.ruby_class(value)}: {ruby.inspect(value)}")
    raise call.fail("only objects can be annotated")


def _annotation(call: Call, kind: object, value: ObjectValue) -> Traced:
    annotation: Traced | None = value.annotations.get(kind)
    if annotation is not None:
        return annotation
    if call.block is not None:
        fields, _ = call.block.call((), ())
        if fields is not None:
            return _attach(call, kind, value, fields)
    return None, Absent("annotation", (), call.span)


def _attach(call: Call, kind: Any, value: ObjectValue, fields: Value) -> Traced:
    from ..types import assert_instance, new_instance
    from ..types.model import real_type

    assert_instance(f"{kind.name} initializer", real_type(kind).initializer(), fields)  # type: ignore[attr-defined]
    annotation: Traced = (new_instance(kind, [fields]), call.step())
    value.annotations[kind] = annotation
    return annotation
