"""What can be walked over, and how: the common ground of the iterating functions.

Puppet iterates over arrays, hashes (as `[key, value]` pairs, or key and value where a lambda takes two parameters),
strings (by character), whole numbers (counting from zero), ranges (`Integer[1, 5]`), enumerations (`Enum[a, b]`) and
the iterators that `reverse_each`, `step` and `tree_each` return. `Walk` gives all of them one face: how to step through
the values, and the origin of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Iterator as PythonIterator
from typing import Any

from ...base.budget import current
from ...provenance.origins import Choice, Items, Origin
from ..kernel.edge_labels import BREAK
from ..kernel.failures import FunctionFailure
from ..kernel.jumps import Break
from ..kernel.shadow import Shadow, index_origin
from ..kernel.traced import Traced
from ..kernel.values import Iterator, Value, key_value
from .registry import Call


class Walk:
    """A value being walked over.  `own` is the origin of its being what it is: how many elements, in which order."""

    __slots__ = ("hash_style", "own", "shadow", "value")

    def __init__(self, value: Value, origin: Origin) -> None:
        self.value = value
        self.shadow = Shadow(origin)
        self.own = self.shadow.own
        self.hash_style = isinstance(value, dict)

    def items(self) -> PythonIterator[Traced]:
        """Each element with its origin; of a hash, each `[key, value]`."""
        shadow = self.shadow
        if isinstance(self.value, dict):
            for position, (key, element) in enumerate(self.value.items()):
                yield [key_value(key), element], shadow.pair(key, position)
            return
        yield from zip(elements(self.value), shadow.in_order(), strict=False)

    def entries(self) -> PythonIterator[tuple[Value, Origin, Value, Origin]]:
        """Key or index with its origin, and element with its origin."""
        shadow = self.shadow
        if isinstance(self.value, dict):
            for position, (key, element) in enumerate(self.value.items()):
                yield key_value(key), shadow.key(key, position), element, shadow.value(key, position)
            return
        for index, (element, origin) in enumerate(zip(elements(self.value), shadow.in_order(), strict=False)):
            yield index, index_origin(index), element, origin

    def run(self, call: Call) -> PythonIterator[tuple[Traced, Traced]]:
        """Call the block for each element: the element (a pair, of a hash) and what the block made of it.

        The block gets two arguments where the signature that was chosen says so.
        """
        block = call.block
        assert block is not None
        invoke, own = block.call, self.own
        if takes_two(call):
            shadow = self.shadow
            if isinstance(self.value, dict):
                for position, (key, element) in enumerate(self.value.items()):
                    plain, key_origin, origin = key_value(key), shadow.key(key, position), shadow.value(key, position)
                    result = invoke((plain, element), (key_origin, origin), own)
                    yield ([plain, element], Items((key_origin, origin), own)), result
            else:
                for index, item in enumerate(zip(elements(self.value), shadow.in_order(), strict=False)):
                    element, origin = item
                    yield item, invoke((index, element), (index_origin(index), origin), own)
        else:
            for item in self.items():
                element, origin = item
                yield item, invoke((element,), (origin,), own)

    def run_until_break(self, call: Call) -> PythonIterator[tuple[Traced, Traced]]:
        """As `run`, but `break()` in the block ends the walk, and `own` then also depends on what led to it."""
        try:
            yield from self.run(call)
        except Break as jump:
            self.own = Choice((jump.origin,), self.own, jump.span, BREAK)


def takes_two(call: Call) -> bool:
    """Whether the chosen signature hands the block a key or index beside each element."""
    block = call.signature.block
    return block is not None and block.type_text == "Callable[2,2]"


def elements(value: Value) -> Iterable[Value]:
    """The values that walking over `value` gives."""
    if isinstance(value, list | str | Iterator):
        return value
    if isinstance(value, dict):
        return ([key_value(key), element] for key, element in value.items())
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise not_iterable(value)
        return _counted(0, value)
    numbers = type_elements(value)
    if numbers is None:
        raise not_iterable(value)
    return numbers if isinstance(numbers, list) else _counted(numbers.start, numbers.stop)


def sequence(value: Value) -> Sequence[Any]:
    """The values that walking over `value` gives, with a length and an order that can be turned round."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return _bounded(0, value)
    walked = type_elements(value) or elements(value)
    if isinstance(walked, range):
        return _bounded(walked.start, walked.stop)
    return walked if isinstance(walked, list | range | str) else list(walked)


def type_elements(value: Value) -> list[object] | range | None:
    """The elements of a type that can be walked over: a finite range of integers, or an enumeration."""
    from ..types.model import TypeAlias
    from ..types.scalars import EnumType, IntegerType

    while isinstance(value, TypeAlias):
        value = value.resolved
    if isinstance(value, IntegerType) and value.is_finite():
        return range(int(value.low), int(value.high) + 1)
    if isinstance(value, EnumType):
        return list(value.values)
    return None


def _bounded(begin: int, end: int) -> range:
    """The numbers from `begin` up to `end`, if there are not more than may be walked over."""
    budget = current()
    if not budget.allows("steps", end - begin):
        budget.over("steps", f"iterating over {end - begin:,} numbers")
    return range(begin, end)


def _counted(begin: int, end: int) -> Iterable[int]:
    """The numbers from `begin` up to `end`, as many as may be walked over: who stops before that is not stopped."""
    if current().allows("steps", end - begin):
        return range(begin, end)
    return _counted_out(begin, end)


def _counted_out(begin: int, end: int) -> PythonIterator[int]:
    budget = current()
    for number in range(begin, end):
        if not budget.allows("steps", number - begin):
            budget.over("steps", f"iterating over {end - begin:,} numbers")
        yield number


def not_iterable(value: Value) -> FunctionFailure:
    """A value that passed for iterable but is not: a negative number."""
    from ..types.ruby import ruby_class

    return FunctionFailure(f"wrong argument type ({ruby_class(value)}; is not Iterable.")


def truthy(value: Value) -> bool:
    """Puppet's notion of true: everything but `undef` and `false`."""
    return value is not None and value is not False
