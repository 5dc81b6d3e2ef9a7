"""Builtins on lists.  Those that move elements move their slots, so each keeps its laziness and its history."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import TYPE_CHECKING

from ..kernel.operators import FEW, check_list_size, equal, less_than
from ..kernel.running import running_here
from ..kernel.values import Attrs, Builtin, Slot, Thunk, Value, force, uncurried
from .errors import BadListSize, EmptyTail, IndexOutOfBounds
from .registry import builtin
from .support import (
    caller,
    calls_later,
    need_bool,
    need_function,
    need_index,
    need_int,
    need_list,
    need_plain_string,
    walk_list,
)

if TYPE_CHECKING:
    from ..kernel.world import Machine


@builtin("map", forces=(1,), repeats=(0,))
def map_(machine: Machine, function: Slot, elements: Slot) -> Slot:
    """The list of `function x` for each `x` in `elements`.  The calls are made when their results are looked at.

    nix> map (x: x * 2) [ 1 2 3 ]
    [ 2 4 6 ]
    """
    return calls_later(function, need_list(elements))


@builtin("filter", forces=(1,), checks=((0, "function"), (1, "list")), repeats=(0,))
def filter_(machine: Machine, test: Slot, elements: Slot) -> Slot:
    """The elements for which `test` gives true.

    nix> builtins.filter (x: x > 1) [ 1 2 3 ]
    [ 2 3 ]
    """
    wanted = caller(need_function(test))
    return [
        item
        for item in walk_list(elements, "filtering a list")
        if (verdict := wanted(item)) is True or (verdict is not False and need_bool(verdict))
    ]


@builtin("head", forces=(0,))
def head(machine: Machine, elements: Slot) -> Slot:
    """The first element of a list.

    nix> builtins.head [ 1 2 3 ]
    1
    """
    return _element(need_list(elements), 0)


@builtin("tail", forces=(0,))
def tail(machine: Machine, elements: Slot) -> Slot:
    """The list without its first element.  Takes time in proportion to the list, so do not loop with it.

    nix> builtins.tail [ 1 2 3 ]
    [ 2 3 ]
    """
    items = need_list(elements)
    if not items:
        raise EmptyTail()
    check_list_size(len(items), "'tail'")
    return items[1:]


@builtin("length", forces=(0,))
def length(machine: Machine, elements: Slot) -> Slot:
    """The number of elements of a list.

    nix> builtins.length [ 1 2 3 ]
    3
    """
    return len(need_list(elements))


@builtin("elemAt", forces=(0, 1), checks=((1, "int"), (0, "list")))
def elem_at(machine: Machine, elements: Slot, index: Slot) -> Slot:
    """Element number `index` of a list, counted from 0.

    nix> builtins.elemAt [ "a" "b" ] 1
    "b"
    """
    place = need_index(index)
    return _element(need_list(elements), place)


def _element(items: list[Slot], index: int) -> Slot:
    if not 0 <= index < len(items):
        raise IndexOutOfBounds(index)
    return items[index]


@builtin("elem", forces=(1,), looks=True)
def elem(machine: Machine, value: Slot, elements: Slot) -> Slot:
    """Whether some element of the list equals `value`.

    nix> builtins.elem 2 [ 1 2 3 ]
    true
    """
    # The same slot is equal to itself even if it holds a function, as in Nix.
    return any(
        value is item or equal(force(value), force(item)) for item in walk_list(elements, "looking for an element")
    )


@builtin("genList", forces=(1,), repeats=(0,))
def gen_list(machine: Machine, generator: Slot, size: Slot) -> Slot:
    """The list of `generator 0`, `generator 1`, ... with `size` elements, each computed when it is looked at.

    nix> builtins.genList (i: i * i) 4
    [ 0 1 4 9 ]
    """
    count = need_int(size)
    if count < 0:
        raise BadListSize(count)
    return calls_later(generator, range(count))


@builtin("sort", forces=(1,), checks=((0, "function"), (1, "list")), repeats=(0,))
def sort(machine: Machine, comparator: Slot, elements: Slot) -> Slot:
    """The list in the order of `comparator`, which says whether its first argument comes before its second.

    Elements of which neither comes before the other keep their order.

    nix> builtins.sort (a: b: a < b) [ 3 1 2 ]
    [ 1 2 3 ]
    """
    before = need_function(comparator)
    items = walk_list(elements, "sorting a list")
    check_list_size(len(items), "'sort'")
    for item in items:
        force(item)
    if type(before) is Builtin and before.name == "lessThan" and not before.arguments:
        ready = _sorted_plain(items)
        if ready is not None:
            return ready
        return sorted(items, key=cmp_to_key(lambda left, right: -1 if less_than(force(left), force(right)) else 0))
    both = uncurried(before)
    touched = running_here().touched
    if touched is not None:
        return _sorted_cells(items, both, touched.append)

    def order(left: Slot, right: Slot) -> int:
        result = both(left, right)
        return -1 if result is True or (result is not False and need_bool(result)) else 0

    return sorted([force(item) for item in items], key=cmp_to_key(order))


def _sorted_cells(items: list[Slot], both: Callable[[Slot, Slot], Slot], note: Callable[[Slot], object]) -> list[Slot]:
    """The sorted list, with recording on: the elements keep their histories."""
    from ..trace.cells import cell

    def order(left: Slot, right: Slot) -> int:
        result = both(left, right)
        if type(result) is tuple:
            # a plain comparison of the two says nothing that they do not say, and they have been looked at
            if len(result) != 4 or result[2] is not left or result[3] is not right:
                note(result)
            result = result[0]
        return -1 if result is True or (result is not False and need_bool(result)) else 0

    return sorted([cell(item) for item in items], key=cmp_to_key(order))


def _sorted_plain(items: list[Slot]) -> list[Slot] | None:
    """The sorted list, if all elements are integers or all are plain ASCII strings, which Python sorts as Nix does."""
    values: list[Value] = [force(item) for item in items]
    if all(type(value) is int for value in values) or all(type(value) is str and value.isascii() for value in values):
        return [items[index] for index in sorted(range(len(items)), key=values.__getitem__)]
    return None


@builtin("partition", repeats=(0,))
def partition(machine: Machine, test: Slot, elements: Slot) -> Slot:
    """The elements for which `test` gives true, and the others, as `{ right = ...; wrong = ...; }`.

    nix> builtins.partition (x: x > 2) [ 1 2 3 4 ]
    { right = [ 3 4 ]; wrong = [ 1 2 ]; }
    """
    wanted = caller(need_function(test))
    right: list[Slot] = []
    wrong: list[Slot] = []
    for item in walk_list(elements, "dividing a list"):
        (right if need_bool(wanted(item)) else wrong).append(item)
    return Attrs({"right": right, "wrong": wrong})


@builtin("groupBy", repeats=(0,))
def group_by(machine: Machine, key: Slot, elements: Slot) -> Slot:
    """The elements in groups: a set from each string that `key` gives to the list of elements that gave it.

    nix> builtins.groupBy (builtins.substring 0 1) [ "foo" "bar" "baz" ]
    { b = [ "bar" "baz" ]; f = [ "foo" ]; }
    """
    name_of = caller(need_function(key))
    groups: dict[str, Slot] = {}
    for item in walk_list(elements, "grouping a list"):
        groups.setdefault(need_plain_string(name_of(item)), []).append(item)
    return Attrs(groups)


@builtin("concatLists", forces=(0,))
def concat_lists(machine: Machine, lists: Slot) -> Slot:
    """The lists of a list, one after the other, as one list.

    nix> builtins.concatLists [ [ 1 ] [ 2 3 ] ]
    [ 1 2 3 ]
    """
    return _concatenated([need_list(part) for part in walk_list(lists, "joining lists")], "'concatLists'")


@builtin("concatMap", forces=(1,), checks=((0, "function"), (1, "list")), repeats=(0,))
def concat_map(machine: Machine, function: Slot, elements: Slot) -> Slot:
    """`concatLists (map function elements)`, with the calls made at once.

    nix> builtins.concatMap (x: [ x x ]) [ 1 2 ]
    [ 1 1 2 2 ]
    """
    make = caller(need_function(function))
    parts: list[list[Slot]] = []
    for item in walk_list(elements, "joining lists"):
        part = make(item)
        if type(part) is not list:
            part = need_list(part)
        if len(part) > FEW:
            check_list_size(len(part), "'concatMap'")  # each is there before the whole is
        parts.append(part)
    return _concatenated(parts, "'concatMap'")


def _concatenated(parts: list[list[Slot]], builtin_name: str) -> list[Slot]:
    filled = [part for part in parts if part]
    if len(filled) == 1:
        return filled[0]
    if filled:
        check_list_size(sum(map(len, filled)), builtin_name)
    return [item for part in filled for item in part]


@builtin("foldl'", forces=(2,), checks=((0, "function"), (2, "list")), repeats=(0,))
def foldl_strict(machine: Machine, function: Slot, start: Slot, elements: Slot) -> Slot:
    """`function (... (function (function start x0) x1) ...) xn`, computed step by step.

    nix> builtins.foldl' (sum: x: sum + x) 0 [ 1 2 3 ]
    6
    """
    step = need_function(function)
    items = walk_list(elements, "folding a list")
    result = start
    both = uncurried(step)
    for item in items:
        result = both(result, item)
        if type(result) is Thunk:
            force(result)
    return result


@builtin("all", forces=(1,), checks=((0, "function"), (1, "list")), repeats=(0,))
def all_(machine: Machine, test: Slot, elements: Slot) -> Slot:
    """Whether `test` gives true for every element.  Stops at the first that fails.

    nix> builtins.all (x: x < 3) [ 1 2 3 ]
    false
    """
    wanted = caller(need_function(test))
    for item in walk_list(elements, "testing a list"):
        if (verdict := wanted(item)) is not True and (verdict is False or not need_bool(verdict)):
            return False
    return True


@builtin("any", forces=(1,), checks=((0, "function"), (1, "list")), repeats=(0,))
def any_(machine: Machine, test: Slot, elements: Slot) -> Slot:
    """Whether `test` gives true for some element.  Stops at the first that does.

    nix> builtins.any (x: x < 3) [ 1 2 3 ]
    true
    """
    wanted = caller(need_function(test))
    for item in walk_list(elements, "testing a list"):
        if (verdict := wanted(item)) is True or (verdict is not False and need_bool(verdict)):
            return True
    return False
