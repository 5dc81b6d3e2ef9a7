"""Functions on arrays and hashes that need no lambda (though some take one).

They move data: the elements of a result are the elements of the arguments and keep their origins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.secrets import opened
from ...base.sorting import merge_sort
from ...provenance.composites import unwrapped
from ...provenance.operations import FunctionCall
from ...provenance.origins import Absent, Choice, Copy, Guard, Items, Origin, Step
from ...provenance.secrecy import OPENED
from ..kernel.failures import DataFailure
from ..kernel.operations import CONCATENATE
from ..kernel.shadow import Shadow, gathered, traced_items
from ..kernel.traced import Traced
from ..kernel.values import Binary, Sensitive, Value, freeze, hash_key, key_value, weigh
from ..types import ruby
from .registry import Call, calling
from .walking import Walk


@calling("keys", "Hash $hsh")
def keys(call: Call) -> Traced:
    """The keys of a hash, in order.

    puppet> keys({ 'a' => 1, 2 => 'b' })
    ['a', 2]
    """
    shadow = Shadow(call.origins[0])
    pairs = ((key_value(key), shadow.key(key, position)) for position, key in enumerate(call.values[0]))
    return gathered(pairs, shadow.own)


@calling("values", "Hash $hsh")
def values(call: Call) -> Traced:
    """The values of a hash, in order.

    puppet> values({ 'a' => 1, 2 => 'b' })
    [1, 'b']
    """
    shadow = Shadow(call.origins[0])
    pairs = ((element, shadow.value(key, position)) for position, (key, element) in enumerate(call.values[0].items()))
    return gathered(pairs, shadow.own)


@calling("flatten", "Any *$args")
def flatten(call: Call) -> Traced:
    """The arguments as one array without arrays inside; hashes stay as they are.

    puppet> flatten(1, [2, [3, [4]]])
    [1, 2, 3, 4]
    """
    owns: list[Origin] = []
    flat: list[Traced] = []
    weigh(list(call.values))
    pending = list(reversed(list(zip(call.values, call.origins, strict=True))))
    while pending:
        value, origin = pending.pop()
        if isinstance(value, list):
            shadow = Shadow(origin)
            owns.append(shadow.own)
            pending.extend(reversed([(element, shadow.item(index)) for index, element in enumerate(value)]))
        else:
            flat.append((value, origin))
    return gathered(flat, call.step(*owns) if owns else call.step())


@calling(
    "unique",
    "String $string, Callable[String] &$block?",
    "Hash $hash, Callable[Any] &$block?",
    "Array $array, Callable[Any] &$block?",
    "Iterable $iterable, Callable[Any] &$block?",
)
def unique(call: Call) -> Traced:
    """Without repetition: the first of the elements that are the same, or for which a lambda gives the same.

    Of a text, its characters; of a hash, a hash from arrays of keys to arrays of the distinct values they have.

    puppet> unique([1, 3, 1, 'a', 'A', 'a'])
    [1, 3, 'a', 'A']
    puppet> unique({ 'a' => 1, 'b' => 2, 'c' => 1 })
    {['a', 'c'] => [1], ['b'] => [2]}
    """
    value, origin = call.values[0], call.origins[0]
    if isinstance(value, str):
        walk = Walk(list(value), origin)
        kept, tests = _distinct(call, walk.items(), walk.own)
        return _text_of(call, kept, tests)
    if isinstance(value, dict):
        return _unique_hash(call, value, origin)
    walk = Walk(value, origin)
    kept, tests = _distinct(call, walk.items(), walk.own)
    return gathered(kept, Choice(tests, walk.own, call.span, call.function.label))


def _text_of(call: Call, characters: list[Traced], tests: tuple[Origin, ...]) -> Traced:
    """The text made of characters that tests picked or put in order."""
    joined = Step(CONCATENATE, tuple(origin for _, origin in characters), call.span)
    text = "".join(character for character, _ in characters)
    return text, Choice((call.origins[0], *tests), joined, call.span, call.function.label)


def _distinct(call: Call, items: Any, own: Origin) -> tuple[list[Traced], tuple[Origin, ...]]:
    seen: set[object] = set()
    kept: list[Traced] = []
    tests: list[Origin] = []
    for value, origin in items:
        sign, test = (value, origin) if call.block is None else call.block.call((value,), (origin,), own)
        tests.append(test)
        mark = freeze(sign)
        if mark not in seen:
            seen.add(mark)
            kept.append((value, origin))
    return kept, tuple(tests)


def _unique_hash(call: Call, value: dict[Any, Value], origin: Origin) -> Traced:
    walk = Walk(value, origin)
    groups: dict[Any, tuple[list[Traced], list[Traced], set[object]]] = {}
    tests: list[Origin] = []
    for key, key_origin, element, element_origin in walk.entries():
        sign, test = (
            (element, element_origin)
            if call.block is None
            else call.block.call((element,), (element_origin,), walk.own)
        )
        tests.append(test)
        if call.block is not None:
            tests.append(element_origin)  # the values of a group are compared too
        names, members, seen = groups.setdefault(freeze(sign), ([], [], set()))
        names.append((key, key_origin))
        if freeze(element) not in seen:
            seen.add(freeze(element))
            members.append((element, element_origin))
    own = Choice(tuple(tests), walk.own, call.span, call.function.label) if tests else walk.own
    result: dict[Any, Value] = {}
    origins: dict[Any, Origin] = {}
    placed: dict[Any, Origin] = {}
    for names, members, _ in groups.values():
        joined, joined_origin = gathered(names, own)
        stored = hash_key(joined)
        placed[stored] = joined_origin
        result[stored], origins[stored] = gathered(members, own)
    return result, Items(origins, own, placed)


@calling("sort", "String $string_value, Callable[2,2] &$block?", "Array $array_value, Callable[2,2] &$block?")
def sort(call: Call) -> Traced:
    """The elements of an array, or the characters of a text, in order; a lambda may say how two of them compare.

    puppet> sort([3, 1, 2])
    [1, 2, 3]
    puppet> sort(['b', 'A', 'c']) |$a, $b| { compare($b, $a) }
    ['c', 'b', 'A']
    """
    value, origin = call.values[0], call.origins[0]
    block = call.block
    tests: list[Origin] = []

    def by_block(left: Traced, right: Traced) -> int:
        assert block is not None
        verdict, test = block.call((left[0], right[0]), (left[1], right[1]), shadow.own)
        tests.append(test)
        return ruby.order_of(verdict, left[0], right[0])

    def by_value(left: Traced, right: Traced) -> int:
        return ruby.compare_or_fail(left[0], right[0])

    shadow = Shadow(origin)
    is_text = isinstance(value, str)
    items = list(traced_items(list(value) if is_text else value, origin))
    if block is None and _one_kind(value):
        items.sort(key=lambda item: item[0])
    else:
        items = merge_sort(items, by_value if block is None else by_block)
    reasons = tuple(tests) if block is not None else tuple(item_origin for _, item_origin in items)
    if is_text:
        return _text_of(call, items, reasons)
    return gathered(items, Choice(reasons, shadow.own, call.span, call.function.label))


def _one_kind(value: Sequence[Value]) -> bool:
    """Whether Python orders the values as Ruby does: all texts, or all whole numbers."""
    return all(type(element) is str for element in value) or all(type(element) is int for element in value)


@calling("dig", "Optional[Collection] $data, Any *$arg", passes_on=True)
def dig(call: Call) -> Traced:
    """The value found by going into arrays and hashes along keys and indexes; `undef` where the path ends early.

    puppet> dig({ 'a' => { 'b' => [10, 20] } }, 'a', 'b', 1)
    20
    puppet> dig({ 'a' => 1 }, 'b', 'c')
    undef
    """
    return walk_path(call, call.values[0], call.origins[0], list(zip(call.values[1:], call.origins[1:], strict=True)))


def walk_path(call: Call, value: Value, origin: Origin, path: Sequence[Traced]) -> Traced:
    """Go into `value` along `path`.  Raises Puppet's `SLICE_ERROR` where there is nothing to go into."""
    from ..types import infer
    from ..types.printing import type_text

    walked: list[Value] = []
    for key, reason in path:
        if value is None or key is None:
            return None, Absent("element", (origin, reason), call.span)
        if not isinstance(value, list | dict):
            kind = infer(value)
            raise DataFailure(
                f"The given data does not contain a Collection at {ruby.inspect(walked)}, got '{type_text(kind)}'",
                "SLICE_ERROR",
                "EXPECTED_COLLECTION",
                {"walked_path": list(walked), "value_type": kind},
            )
        walked.append(key)
        shadow = Shadow(origin)
        if isinstance(value, dict):
            stored = hash_key(key)
            if stored not in value:
                return _missing(call, walked, *shadow.missing(stored), reason)
            origin = shadow.value_in(value, stored)
            value = value[stored]
        elif not isinstance(key, int) or isinstance(key, bool):
            kind = infer(key)
            raise DataFailure(
                f"The given data requires an Integer index at {ruby.inspect(walked)}, got '{kind}'",
                "SLICE_ERROR",
                "EXPECTED_INTEGER_INDEX",
                {"walked_path": list(walked), "index_type": kind},
            )
        elif -len(value) <= key < len(value):
            key = key + len(value) if key < 0 else key
            origin = shadow.item(key)
            value = value[key]
        else:
            return _missing(call, walked, shadow.own, reason)
        origin = Choice((reason,), origin, call.span, call.function.label)
    return value, origin


def _missing(call: Call, walked: list[Value], *causes: Origin | Guard) -> Traced:
    return None, Absent(f"element {ruby.inspect(walked)}", causes, call.span)


@calling(
    "empty", "Collection $coll", "Sensitive[String] $str", "String $str", "Numeric $num", "Binary $bin", "Undef $x"
)
def empty(call: Call) -> Traced:
    """Whether a collection, text or binary has nothing in it; `undef` is empty, a number (deprecated) is not.

    puppet> empty([])
    true
    puppet> empty('a')
    false
    """
    value = call.values[0]
    if isinstance(value, Sensitive):
        value = value.value
    if value is None:
        return call.computed(True)
    if ruby.is_number(value):
        place = call.span.place if call.span is not None else ""
        call.machine.warn_once(
            f"empty-from-{place}", "Calling function empty() with Numeric value is deprecated.", call.span
        )
        return call.computed(False)
    return call.computed(not (value.data if isinstance(value, Binary) else value))


@calling("unwrap", "Sensitive $arg, Callable &$block?", "Any $arg, Callable &$block?")
def unwrap(call: Call) -> Traced:
    """What a `Sensitive` hides; other values are themselves.  With a lambda, what it makes of that.

    puppet> unwrap(Sensitive('secret'))
    'secret'
    """
    value, origin = call.values[0], call.origins[0]
    if isinstance(value, Sensitive):
        value = value.value
        origin = inside(origin, call)
    if call.block is None:
        return value, origin
    return call.block.call((value,), (origin,))


_NEW = FunctionCall("new")


def inside(origin: Origin, call: Call) -> Origin:
    """The origin of what a `Sensitive` with this origin hides: what it was made of, if that can be seen."""
    here = unwrapped(origin)[1]
    if isinstance(here, Step) and here.op == _NEW and len(here.inputs) == 2:
        hidden = here.inputs[1]
        inner = hidden if here is origin else Choice((origin,), hidden, call.span, call.function.label)
    else:
        inner = call.step(origin)
    opened()
    return Copy(OPENED, inner, call.span)
