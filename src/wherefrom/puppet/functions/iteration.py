"""Functions that walk over a collection with a lambda, and those that hand a value to one.

They move data: an element that passes through keeps its own origin, and what a test let through or found owes its being
there to the test's result (Puppet language reference, "Iteration and loops").

Which of them `break()` ends is Puppet's choice: `each`, `map`, `reduce`, `slice`, `step`, `reverse_each`, `tree_each`,
and `filter` over anything but a hash. In the others it goes on to whatever iteration is further out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator as PythonIterator
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base.budget import current
from ...provenance.origins import Absent, Choice, Items, Origin, Step, built_in
from ..kernel.acts import Acts
from ..kernel.edge_labels import BREAK
from ..kernel.jumps import Break
from ..kernel.operations import ALL_OF, ANY_OF, ITERATOR, AttributeOf
from ..kernel.shadow import Selected, Shadow, gathered
from ..kernel.traced import Traced
from ..kernel.values import Iterator, ObjectValue, Value, hash_key, key_value
from ..types.ruby import equal
from .registry import Call, calling
from .walking import Walk, sequence, takes_two, truthy

GROUP = 20
"""Elements that an array within an array counts as, with its history: an empty one takes memory too."""

_ITERABLE = (
    "Hash[Any, Any] $hash, Callable[2,2] &$block",
    "Hash[Any, Any] $hash, Callable[1,1] &$block",
    "Iterable $enumerable, Callable[2,2] &$block",
    "Iterable $enumerable, Callable[1,1] &$block",
)


@calling("each", *_ITERABLE, acts=Acts.ENDS_BREAK, passes_on=True)
def each(call: Call) -> Traced:
    """Runs a lambda for every element, for what it does rather than what it gives; the result is the collection itself.

    A lambda with two parameters gets index and element, or key and value of a hash.

    puppet> [1, 2].each |$x| { notice($x) }
    [1, 2]
    """
    walk = Walk(call.values[0], call.origins[0])
    try:
        for _ in walk.run(call):
            pass
    except Break:
        pass
    return call.values[0], call.origins[0]


@calling("map", *_ITERABLE, acts=Acts.ENDS_BREAK)
def map_(call: Call) -> Traced:
    """An array of what a lambda makes of every element.

    puppet> [1, 2, 3].map |$x| { $x * 10 }
    [10, 20, 30]
    puppet> { 'a' => 1 }.map |$key, $value| { "${key}=${value}" }
    ['a=1']
    """
    walk = Walk(call.values[0], call.origins[0])
    results = [result for _, result in walk.run_until_break(call)]
    return gathered(results, walk.own)


@calling("filter", *_ITERABLE, acts=Acts.ENDS_BREAK)
def filter_(call: Call) -> Traced:
    """The elements for which a lambda gives something other than `false` or `undef`; of a hash, a hash.

    puppet> [1, 20, 3].filter |$x| { $x < 10 }
    [1, 3]
    puppet> { 'a' => 1, 'b' => 2 }.filter |$key, $value| { $value > 1 }
    {'b' => 2}
    """
    value = call.values[0]
    walk = Walk(value, call.origins[0])
    tests: list[Origin] = []
    kept: list[Traced] = []
    run = walk.run(call) if isinstance(value, dict) else walk.run_until_break(call)
    for element, (verdict, test) in run:
        tests.append(test)
        if truthy(verdict):
            kept.append((element[0], Choice((test,), element[1], call.span, call.function.label)))
    own = Choice(tuple(tests), walk.own, call.span, call.function.label) if tests else walk.own
    if not isinstance(value, dict):
        return gathered(kept, own)
    result: dict[Any, Value] = {}
    origins: dict[Any, Origin] = {}
    placed: dict[Any, Origin] = {}
    for (key, item), origin in kept:
        pair = Shadow(origin)
        stored = hash_key(key)
        result[stored] = item
        origins[stored] = pair.item(1)
        placed[stored] = pair.item(0)
    return result, Items(origins, own, placed)


@calling(
    "reduce",
    "Iterable $enumerable, Callable[2,2] &$block",
    "Iterable $enumerable, Any $memo, Callable[2,2] &$block",
    acts=Acts.ENDS_BREAK,
    passes_on=True,
)
def reduce(call: Call) -> Traced:
    """One value made of all elements: a lambda gets what it made so far and the next element.

    It begins with the second argument, or with the first element if there is none.

    puppet> [1, 2, 3].reduce |$sum, $x| { $sum + $x }
    6
    puppet> [1, 2, 3].reduce(100) |$sum, $x| { $sum + $x }
    106
    """
    walk = Walk(call.values[0], call.origins[0])
    items = walk.items()
    start = call.argument(1)
    if start is None:
        start = next(items, None)
        if start is None:
            return None, Absent("reduce of nothing", (walk.own,), call.span)
    memo, origin = start
    assert call.block is not None
    invoke, own = call.block.call, walk.own
    try:
        for element, element_origin in items:
            memo, origin = invoke((memo, element), (origin, element_origin), own)
    except Break as jump:
        origin = Choice((jump.origin,), origin, call.span, BREAK)
    if not isinstance(own, Step) or own.inputs:
        origin = Choice((own,), origin, call.span, call.function.label)
    return memo, origin


@calling("all", *_ITERABLE, acts=Acts.ENDS_BREAK)
def all_(call: Call) -> Traced:
    """Whether a lambda gives something true for every element.

    puppet> [1, 2, 3].all |$x| { $x > 0 }
    true
    """
    walk = Walk(call.values[0], call.origins[0])
    tests: list[Origin] = []
    result = True
    for _, (verdict, test) in walk.run(call):
        tests.append(test)
        if not truthy(verdict):
            result = False
            break
    return result, Choice((walk.own,), Step(ALL_OF, tuple(tests), call.span), call.span, call.function.label)


@calling("any", *_ITERABLE, acts=Acts.ENDS_BREAK)
def any_(call: Call) -> Traced:
    """Whether a lambda gives something true for at least one element.

    puppet> [1, 2, 3].any |$x| { $x > 2 }
    true
    """
    walk = Walk(call.values[0], call.origins[0])
    tests: list[Origin] = []
    result = False
    for _, (verdict, test) in walk.run(call):
        tests.append(test)
        if truthy(verdict):
            result = True
            break
    return result, Choice((walk.own,), Step(ANY_OF, tuple(tests), call.span), call.span, call.function.label)


@calling(
    "index",
    *_ITERABLE,
    "String $str, Variant[String,Regexp] $match",
    "Iterable $enumerable, Any $match",
    acts=Acts.ENDS_BREAK,
)
def index(call: Call) -> Traced:
    """Where something is: the index or key of the first element that a lambda accepts, or that equals the argument.

    In a string, where another string or a match of a regular expression begins. `undef` if there is none. A lambda with
    one parameter gets the values of a hash.

    puppet> index(['a', 'b'], 'b')
    1
    puppet> { 'a' => 1, 'b' => 2 }.index |$value| { $value > 1 }
    'b'
    """
    value = call.values[0]
    if call.block is None:
        if isinstance(value, str) and call.signature.parameters[0].type_text == "String":
            return call.computed(_index_in_text(value, call.values[1]))
        walk = Walk(value, call.origins[0])
        sought, reason = call.values[1], call.origins[1]
        tests: list[Origin] = [walk.own, reason]
        for key, key_origin, element, origin in walk.entries():
            tests.append(origin)
            if equal(element, sought):
                return key, Choice(tuple(tests), key_origin, call.span, call.function.label)
        return None, Absent("element", tuple(tests), call.span)
    walk = Walk(value, call.origins[0])
    two = takes_two(call)
    tests = [walk.own]
    for key, key_origin, element, origin in walk.entries():
        if two:
            verdict, test = call.block.call((key, element), (key_origin, origin), walk.own)
        else:
            verdict, test = call.block.call((element,), (origin,), walk.own)
        tests.append(test)
        if truthy(verdict):
            return key, Choice(tuple(tests), key_origin, call.span, call.function.label)
    return None, Absent("element", tuple(tests), call.span)


def _index_in_text(text: str, sought: Value) -> int | None:
    if isinstance(sought, str):
        at = text.find(sought)
        return at if at >= 0 else None
    hit = sought.search(text)
    return None if hit is None else int(hit.start())


@calling("with", "Any *$arg, Callable &$block", passes_on=True)
def with_(call: Call) -> Traced:
    """Runs a lambda with the arguments and gives its result; variables set inside stay inside.

    puppet> with(1, 2) |$x, $y| { $x + $y }
    3
    """
    assert call.block is not None
    return call.block.call(call.values, call.origins)


@calling("then", "Any $arg, Callable[1,1] &$block", passes_on=True)
def then(call: Call) -> Traced:
    """What a lambda makes of the argument, or `undef` if the argument is `undef`.

    puppet> 3.then |$x| { $x * 2 }
    6
    puppet> undef.then |$x| { $x * 2 }
    undef
    """
    value, origin = call.values[0], call.origins[0]
    if value is None:
        return value, origin
    assert call.block is not None
    result, result_origin = call.block.call((value,), (origin,), origin)
    return result, Choice((origin,), result_origin, call.span, call.function.label)


@calling("lest", "Any $arg, Callable[0,0] &$block", passes_on=True)
def lest(call: Call) -> Traced:
    """The argument, or what a lambda gives if the argument is `undef`.

    puppet> undef.lest || { 'nothing' }
    'nothing'
    """
    value, origin = call.values[0], call.origins[0]
    if value is not None:
        return value, origin
    assert call.block is not None
    result, result_origin = call.block.call((), (), origin)
    return result, Choice((origin,), result_origin, call.span, call.function.label)


@calling(
    "reverse_each",
    "Iterable $iterable",
    "Iterable $iterable, Callable[1,1] &$block",
    acts=Acts.ENDS_BREAK,
    differs="an iterator can be walked over again; Puppet's is used up by the first walk. The "
    "same is true of `step` and `tree_each`",
)
def reverse_each(call: Call) -> Traced:
    """The elements from last to first, as an iterator; with a lambda, runs it for each of them.

    puppet> [1, 2, 3].reverse_each.map |$x| { $x }
    [3, 2, 1]
    """
    value, origin = call.values[0], call.origins[0]
    count = len(sequence(value))
    numbers = _Numbers.of(value)
    return _picked(call, value, origin, range(count - 1, -1, -1), numbers and numbers.reversed())


@calling(
    "step",
    "Iterable $iterable, Integer[1] $step",
    "Iterable $iterable, Integer[1] $step, Callable[1,1] &$block",
    acts=Acts.ENDS_BREAK,
)
def step(call: Call) -> Traced:
    """Every n-th element beginning with the first, as an iterator; with a lambda, runs it for each of them.

    puppet> [1, 2, 3, 4, 5].step(2).map |$x| { $x }
    [1, 3, 5]
    """
    value, origin = call.values[0], call.origins[0]
    count = len(sequence(value))
    wide, reason = call.values[1], call.origins[1]
    numbers = _Numbers.of(value)
    walker = "StepIterator" if wide > 1 else "HashIterator" if isinstance(value, dict) else "Iterator"
    return _picked(call, value, origin, range(0, count, wide), numbers and numbers.wider(wide), reason, walker=walker)


class _Numbers(NamedTuple):
    """The numbers of a range that is walked over: from `low` to `high`, or down if `stride` is negative."""

    low: int
    high: int
    stride: int

    @classmethod
    def of(cls, value: Value) -> _Numbers | None:
        """Those of a number, a range or an iterator over one; nothing else has any."""
        if isinstance(value, Iterator):
            if value.stride is None:
                return None
            return cls(int(value.element_type.low), int(value.element_type.high), value.stride)
        values = sequence(value)
        return cls(values[0], values[-1], 1) if isinstance(values, range) and values else None

    def reversed(self) -> _Numbers:
        return self._replace(stride=-self.stride)

    def wider(self, step: int) -> _Numbers:
        """Every `step`-th.  The range ends where the last step does; Puppet cuts the lower end of a range that is
        walked down by what remains modulo the (negative) stride, so that it may lose its last number."""
        if step == 1:
            return self
        stride = self.stride * step
        rest = (self.high - self.low) % stride
        return (
            _Numbers(self.low - rest, self.high, stride) if rest < 0 else _Numbers(self.low, self.high - rest, stride)
        )

    def walk(self) -> range:
        if self.stride < 0:
            return range(self.high, self.low - 1, self.stride)
        return range(self.low, self.high + 1, self.stride)


def _picked(
    call: Call,
    value: Value,
    origin: Origin,
    indices: range,
    numbers: _Numbers | None,
    *reasons: Origin,
    walker: str = "Iterator",
) -> Traced:
    """The elements at `indices`: an iterator, or a lambda run for each of them (which gives undef)."""
    if numbers is not None:
        walked = numbers.walk()
        picked_values: Sequence[Value] = walked
        indices = indices[: len(walked)]
    else:
        values = sequence(value)
        picked_values = [values[place] for place in indices]
    walk = Walk(value, origin)
    own = Choice(reasons, walk.own, call.span, call.function.label) if reasons else walk.own
    if isinstance(value, dict):
        keys = list(value)
        pairs = [walk.shadow.pair(keys[place], place) for place in indices]
        picked: Any = Items(pairs, own)
    else:
        picked = Items(Selected(walk.shadow, indices), own)
    if call.block is None:
        from ..types.scalars import IntegerType

        kind = _element_type(value) if numbers is None else IntegerType(numbers.low, numbers.high)
        stride = None if numbers is None else numbers.stride
        iterator = Iterator(lambda: iter(picked_values), kind, stride, walker=walker)
        return iterator, Step(ITERATOR, (picked,), call.span)
    shadow = Shadow(picked)
    try:
        for position, element in enumerate(picked_values):
            call.block.call((element,), (shadow.item(position),), own)
    except Break:
        pass
    return None, Absent(f"result of {call.function.name}", (), call.span)


def _element_type(value: Value) -> Any:
    """The type of what an iterator over `value` yields, which is no range of numbers."""
    from ..types import infer_set
    from ..types.containers import TupleType
    from ..types.model import TypeAlias, variant_of
    from ..types.scalars import EnumType, IntegerType, StringType

    while isinstance(value, TypeAlias):
        value = value.resolved
    if isinstance(value, Iterator):
        return value.element_type
    if isinstance(value, EnumType):
        return value
    if isinstance(value, str):
        return StringType(IntegerType(1, 1))
    if isinstance(value, dict):
        sides = (map(key_value, value), value.values())
        kinds = tuple(variant_of(map(infer_set, side)) if value else _unit() for side in sides)
        return TupleType(kinds, IntegerType(2, 2))
    values = sequence(value)
    return variant_of(map(infer_set, values)) if values else _unit()


def _unit() -> Any:
    from ..types.model import UNIT

    return UNIT


@calling(
    "slice",
    "Hash[Any, Any] $hash, Integer[1, default] $slice_size, Callable &$block?",
    "Iterable $enumerable, Integer[1, default] $slice_size, Callable &$block?",
    acts=Acts.ENDS_BREAK,
    differs="of an iterator made by `step`, Puppet's groups may be smaller than asked for, as it miscounts them",
)
def slice_(call: Call) -> Traced:
    """The elements in groups of a size, as an array of arrays; with a lambda, runs it for each group.

    The lambda takes the group as one array, or has as many parameters as a group has elements.

    puppet> slice([1, 2, 3, 4, 5], 2)
    [[1, 2], [3, 4], [5]]
    """
    value, size = call.values[0], call.values[1]
    serving = _serving_size(call, size)
    walk = Walk(value, call.origins[0])
    size = _slice_size(value, size)
    own = Choice((call.origins[1],), walk.own, call.span, call.function.label)
    if call.block is None:
        groups: list[Traced] = []
        group: list[Traced] = []
        budget = current()
        for item in walk.items():
            group.append(item)
            if len(group) == size:
                budget.draw("elements", GROUP + size, "making groups of elements", call.span)
                groups.append(gathered(group, own))
                group = []
        if group:
            groups.append(gathered(group, own))
        return gathered(groups, own)
    filler: Value = [] if isinstance(value, dict) else None
    batch: list[Traced] = []
    try:
        for item in walk.items():
            batch.append(item)
            if len(batch) == size:
                _serve(call, batch, serving, filler, own)
                batch = []
        if batch:
            _serve(call, batch, serving, filler, own)
    except Break:
        pass
    return value, call.origins[0]


def _slice_size(value: Value, size: int) -> int:
    """How large the groups really are.

    Ruby makes no group larger than the number of elements, and Puppet's iterator over a range of integers says that it
    has one less than it has: of a range, the largest group is one short of everything.
    """
    if isinstance(value, str | list | dict | Iterator):
        return size
    most = len(sequence(value)) - 1
    return min(size, most) if most > 0 else 1


def _serving_size(call: Call, size: int) -> int:
    """How many arguments the lambda gets at a time."""
    block = call.block
    if block is None:
        return 1
    serving = block.most if block.most is not None and block.most == block.least else size
    if serving == 0:
        raise call.fail("slice(): block must define at least one parameter. Block has 0.")
    if serving not in (1, size):
        raise call.fail(
            "slice(): block must define one parameter, or the same number of parameters as the given size of the slice "
            f"({size}). Block has {serving}; {', '.join(block.parameter_names)}"
        )
    return serving


def _serve(call: Call, batch: list[Traced], serving: int, filler: Value, own: Origin) -> None:
    assert call.block is not None
    if serving == 1:
        values, origins = gathered(batch, own)
        call.block.call((values,), (origins,), own)
        return
    padded = batch + [(filler, own)] * (serving - len(batch))
    call.block.call(tuple(value for value, _ in padded), tuple(origin for _, origin in padded), own)


_OPTIONS = {
    "OptionsType": "Struct[{container_type => Optional[Type], include_root => Optional[Boolean], "
    "include_containers => Optional[Boolean], include_values => Optional[Boolean], "
    "order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]"
}
_TREE = "Variant[Iterator, Array, Hash, Object] $tree, OptionsType $options?"


@calling(
    "tree_each",
    f"{_TREE}, Callable[2,2] &$block",
    f"{_TREE}, Callable[1,1] &$block",
    _TREE,
    local=_OPTIONS,
    acts=Acts.ENDS_BREAK,
    passes_on=True,
    differs="types among the values have no parts; Puppet walks into their parameters",
)
def tree_each(call: Call) -> Traced:
    """Walks over a whole tree of arrays and hashes: for every place in it, its path (an array) and its value.

    A lambda with one parameter gets the value, one with two gets path and value; the result is then the tree. Without a
    lambda the result is an iterator of `[path, value]`. Options choose what is included, and the order.

    puppet> tree_each({ 'a' => [1, 2] }, { 'include_containers' => false }).map |$place| { $place }
    [[['a', 0], 1], [['a', 1], 2]]
    """
    value, origin = call.values[0], call.origins[0]
    options = call.values[1] if len(call.values) > 1 else {}
    places = _tree(call, value, origin, options)
    reasons = tuple(call.origins[1:])
    own = Choice(reasons, Shadow(origin).own, call.span, call.function.label) if reasons else Shadow(origin).own
    block = call.block
    if block is None:
        from ..types.model import ANY

        shadow = Items([Items((Items(keys, own), at), own) for keys, _, _, at in places], own)
        order = "Breadth" if options.get("order") == "breadth_first" else "Depth"
        iterator = Iterator(
            lambda: iter([[list(path), element] for _, path, element, _ in places]),
            ANY,
            runtime=f"Puppet::Pops::Types::Iterable::{order}FirstTreeIterator",
        )
        return iterator, Step(ITERATOR, (shadow,), call.span)
    two = takes_two(call)
    try:
        for keys, path, element, at in places:
            if two:
                block.call((list(path), element), (Items(keys, own), at), own)
            else:
                block.call((element,), (at,), own)
    except Break:
        pass
    return value, origin


_Part = tuple[Value, Origin, Value, Origin]
"""Key, its origin, value, its origin."""

_Place = tuple[list[Origin], list[Value], Value, Origin]
"""The origins of the keys on the path, the path, the value, its origin."""


def _tree(call: Call, root: Value, origin: Origin, options: dict[str, Value]) -> list[_Place]:
    """The places of a tree in the order asked for."""
    containers = options.get("container_type")
    _check_containers(call, containers)
    with_containers = options.get("include_containers") is not False
    with_values = options.get("include_values") is not False
    with_root = with_containers and options.get("include_root") is not False
    if not (with_containers or with_values):
        raise call.fail("Options 'include_containers' and 'include_values' cannot both be false")
    breadth_first = options.get("order") == "breadth_first"
    places: list[_Place] = []
    if with_root:
        places.append(([], [], root, origin))
    pending: deque[tuple[list[Origin], list[Value], PythonIterator[_Part]]] = deque()
    references = options.get("include_refs") is True
    inside = _parts(root, origin, containers, references)
    if inside is not None:
        pending.append(([], [], inside))
    budget = current()
    while pending:
        keys, path, rest = pending[0] if breadth_first else pending[-1]
        budget.draw("steps", 30 + len(path), "walking over a tree", call.span)
        part = next(rest, None)
        if part is None:
            if breadth_first:
                pending.popleft()
            else:
                pending.pop()
            continue
        key, key_origin, value, at = part
        place = ([*keys, key_origin], [*path, key], value, at)
        inside = _parts(value, at, containers, references)
        if inside is not None:
            pending.append((place[0], place[1], inside))
            if not with_containers:
                continue
        elif not with_values and not breadth_first:
            continue
        places.append(place)
    return places


def _parts(value: Value, at: Origin, containers: Any, references: bool) -> PythonIterator[_Part] | None:
    """The parts of a container, or nothing if the value is not one.

    Of an object, its attributes; those of kind `reference` lead out of the tree and are left out unless asked for.
    """
    if containers is not None and not containers.accepts(value):
        return None
    if isinstance(value, list | dict):
        return Walk(value, at).entries()
    if isinstance(value, ObjectValue):
        kinds = {name: attribute.kind for name, attribute in value.puppet_type.attributes().items()}
        return iter(
            [
                (name, built_in(name), attribute, Step(AttributeOf(name), (at,)))
                for name, attribute in value.attributes.items()
                if references or kinds.get(name) != "reference"
            ]
        )
    return None


def _check_containers(call: Call, containers: Any) -> None:
    if containers is None:
        return
    from ..types import parse_type

    if not parse_type("Variant[Array, Hash, Object]").assignable(containers):
        raise call.fail(f"Only Array, Hash, and Object types can be used as container types. Got {containers}")


@calling(
    "group_by",
    "Collection $collection, Callable[1,1] &$block",
    "Array $array, Callable[2,2] &$block",
    "Collection $collection, Callable[2,2] &$block",
)
def group_by(call: Call) -> Traced:
    """A hash of arrays: the elements grouped by what a lambda makes of them.

    puppet> group_by([1, 2, 3, 4]) |$x| { $x % 2 == 0 }
    {false => [1, 3], true => [2, 4]}
    """
    walk = Walk(call.values[0], call.origins[0])
    groups: dict[Any, list[Traced]] = {}
    keys: dict[Any, Origin] = {}
    tests: list[Origin] = []
    for element, (group, test) in walk.run(call):
        key = hash_key(group)
        tests.append(test)
        groups.setdefault(key, []).append(element)
        keys.setdefault(key, test)
    own = Choice(tuple(tests), walk.own, call.span, call.function.label) if tests else walk.own
    result: dict[Any, Value] = {}
    origins: dict[Any, Origin] = {}
    for key, members in groups.items():
        result[key], origins[key] = gathered(members, own)
    return result, Items(origins, own, keys)


@calling(
    "partition",
    "Collection $collection, Callable[1,1] &$block",
    "Array $array, Callable[2,2] &$block",
    "Collection $collection, Callable[2,2] &$block",
)
def partition(call: Call) -> Traced:
    """Two arrays: the elements for which a lambda gives something true, and the others.

    puppet> partition([1, 2, 3, 4]) |$x| { $x > 2 }
    [[3, 4], [1, 2]]
    """
    walk = Walk(call.values[0], call.origins[0])
    accepted: list[Traced] = []
    refused: list[Traced] = []
    tests: list[Origin] = []
    for element, (verdict, test) in walk.run(call):
        tests.append(test)
        (accepted if truthy(verdict) else refused).append(element)
    own = Choice(tuple(tests), walk.own, call.span, call.function.label) if tests else walk.own
    return gathered((gathered(accepted, own), gathered(refused, own)), own)
