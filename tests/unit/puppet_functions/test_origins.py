"""Functions that move data keep the origins of what they move; computed values can be computed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from wherefrom.provenance.composites import element
from wherefrom.provenance.extract import depends, evaluate_term, expression, where
from wherefrom.provenance.operations import IF, Op, Shape
from wherefrom.provenance.origins import Choice, Copy, Items, Leaf, Origin, Step
from wherefrom.puppet.functions.alone import AloneMachine
from wherefrom.puppet.functions.table import find
from wherefrom.puppet.kernel.edge_labels import VariableEdge
from wherefrom.puppet.kernel.operations import ITERATOR
from wherefrom.puppet.kernel.traced import Traced
from wherefrom.puppet.kernel.values import Iterator, Sensitive
from wherefrom.puppet.output.computing import COMPUTATIONS


def replay(op: Op, arguments: Sequence[Any]) -> object:
    """Do an operation again that asks nobody."""
    return COMPUTATIONS.apply(op, arguments, None)  # type: ignore[arg-type]


def leaf(name: str, value: object = None) -> Leaf:
    """An input that tests can recognize."""
    return Leaf("fact", name, None, value)


def array(*values: object) -> Traced:
    """An array whose elements come from the facts e0, e1, ... and which is there because of the fact `array`."""
    return list(values), Items([leaf(f"e{index}", each) for index, each in enumerate(values)], leaf("array"))


def hash_of(**values: object) -> Traced:
    """A hash whose values come from facts named as the keys, and the keys from facts named `key_...`."""
    elements = {key: leaf(key, value) for key, value in values.items()}
    placed = {key: leaf(f"key_{key}", key) for key in values}
    return dict(values), Items(elements, leaf("hash"), placed)


class Block:
    """A lambda in Python: `body` takes and returns values with their origins."""

    puppet_type = None

    def __init__(self, body: Callable[..., Traced], arity: int) -> None:
        self.body = body
        self.least = arity
        self.most: int | None = arity
        self.parameter_names = [f"p{index}" for index in range(arity)]
        self.reasons: list[Origin | None] = []

    def can_take(self, least: int, most: int) -> bool:
        return self.least <= least and (self.most is None or self.most >= most)

    def call(self, values: Sequence[Any], origins: Sequence[Origin], because: Origin | None = None) -> Traced:
        self.reasons.append(because)
        return self.body(*zip(values, origins, strict=True))


def computed(test: Callable[..., object]) -> Callable[..., Traced]:
    """A body that computes from its arguments."""
    return lambda *arguments: (
        test(*(value for value, _ in arguments)),
        Step(Shape("test"), tuple(origin for _, origin in arguments)),
    )


def call(name: str, *arguments: Traced, block: Block | None = None) -> Traced:
    """Call a core function by itself."""
    function = find(name)
    assert function is not None
    values = [value for value, _ in arguments]
    origins = [origin for _, origin in arguments]
    return function.call(AloneMachine(), values, origins, block)


def sources(value: object, origin: Origin) -> object:
    """The shape of a value with, in place of each smallest part, the name of the input it was copied from."""
    if isinstance(value, Iterator):
        assert isinstance(origin, Step) and origin.op is ITERATOR
        value, origin = list(value), origin.inputs[0]
    if isinstance(value, list):
        parts = [element(origin, index) for index in range(len(value))]
        return [sources(each, part) if part else None for each, part in zip(value, parts, strict=True)]
    if isinstance(value, dict):
        return {key: sources(each, element(origin, key) or origin) for key, each in value.items()}
    leaf = where(origin)
    return None if leaf is None else leaf.name


def names(origin: Origin) -> set[str]:
    """The names of all inputs that a value depends on."""
    return {each.name for each in depends(origin)}


def test_each_returns_what_it_was_given() -> None:
    given = array(1, 2)
    block = Block(computed(lambda x: None), 1)
    assert call("each", given, block=block) == given
    assert {each.name for each in depends(*filter(None, block.reasons))} == {"array"}


def test_map_keeps_the_origins_of_what_the_lambda_gives() -> None:
    value, origin = call("map", array(1, 2), block=Block(lambda x: x, 1))
    assert value == [1, 2]
    assert sources(value, origin) == ["e0", "e1"]


def test_map_over_a_hash() -> None:
    value, origin = call("map", hash_of(a=1, b=2), block=Block(lambda key, value: key, 2))
    assert value == ["a", "b"]
    assert sources(value, origin) == ["key_a", "key_b"]
    value, origin = call("map", hash_of(a=1), block=Block(lambda pair: pair, 1))
    assert sources(value, origin) == [["key_a", "a"]]


def test_filter_adds_its_tests() -> None:
    value, origin = call("filter", array(1, 20, 3), block=Block(computed(lambda x: x < 10), 1))
    assert value == [1, 3]
    assert sources(value, origin) == ["e0", "e2"]
    second = element(origin, 1)
    assert second is not None
    assert names(second) == {"e0", "e1", "e2", "array"}


def test_filter_of_a_hash() -> None:
    value, origin = call("filter", hash_of(a=1, b=2), block=Block(computed(lambda key, value: value > 1), 2))
    assert value == {"b": 2}
    assert sources(value, origin) == {"b": "b"}
    assert "a" in names(origin)


def test_reduce_follows_the_lambda() -> None:
    last = Block(lambda memo, x: x, 2)
    value, origin = call("reduce", array(1, 2, 3), block=last)
    assert (value, sources(value, origin)) == (3, "e2")
    assert names(origin) == {"e2", "array"}


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("reverse_each", (), ["e2", "e1", "e0"]),
        ("step", ((2, leaf("two")),), ["e0", "e2"]),
        ("sort", (), ["e1", "e2", "e0"]),
        ("unique", (), ["e0", "e1", "e2"]),
        ("slice", ((2, leaf("two")),), [["e0", "e1"], ["e2"]]),
        ("flatten", (), ["e0", "e1", "e2"]),
        ("max", (), "e0"),
        ("min", (), "e1"),
        ("dig", ((1, leaf("one")),), "e1"),
        ("get", (("1", leaf("path")),), "e1"),
        ("unwrap", (), ["e0", "e1", "e2"]),
    ],
)
def test_moving(name: str, arguments: tuple[Traced, ...], expected: object) -> None:
    """Elements keep their origins wherever they go."""
    value, origin = call(name, array(9, 1, 5), *arguments)
    assert sources(value, origin) == expected
    assert {argument[1].name for argument in arguments} <= names(origin)  # type: ignore[attr-defined]


def test_keys_and_values() -> None:
    value, origin = call("keys", hash_of(a=1, b=2))
    assert (value, sources(value, origin)) == (["a", "b"], ["key_a", "key_b"])
    value, origin = call("values", hash_of(a=1, b=2))
    assert (value, sources(value, origin)) == ([1, 2], ["a", "b"])


def test_group_and_partition() -> None:
    value, origin = call("group_by", array(1, 2, 3), block=Block(computed(lambda x: x % 2), 1))
    assert value == {1: [1, 3], 0: [2]}
    assert sources(value, origin) == {1: ["e0", "e2"], 0: ["e1"]}
    value, origin = call("partition", array(1, 2, 3), block=Block(computed(lambda x: x > 1), 1))
    assert value == [[2, 3], [1]]
    assert sources(value, origin) == [["e1", "e2"], ["e0"]]


def test_index_depends_on_everything_before() -> None:
    value, origin = call("index", array(1, 2, 3), (2, leaf("sought")))
    assert value == 1
    assert {"e0", "e1", "sought"} <= names(origin)
    assert "e2" not in names(origin)


def test_then_and_lest() -> None:
    value, origin = call("then", (5, leaf("five")), block=Block(computed(lambda x: x + 1), 1))
    assert (value, names(origin)) == (6, {"five"})
    value, origin = call("lest", (None, leaf("nothing")), block=Block(lambda: (7, leaf("seven")), 0))
    assert (value, sources(value, origin), names(origin)) == (7, "seven", {"seven", "nothing"})
    given = (1, leaf("one"))
    assert call("lest", given, block=Block(lambda: (7, leaf("seven")), 0)) == given


def test_conversions_move() -> None:
    """`Array` and `Hash` keep the origins of what they are made of."""
    from wherefrom.puppet.types import parse_type

    wanted = (parse_type("Array"), leaf("type"))
    value, origin = call("new", wanted, hash_of(a=1))
    assert (value, sources(value, origin)) == ([["a", 1]], [["key_a", "a"]])
    value, origin = call("new", wanted, (5, leaf("five")), (True, leaf("true")))
    assert (value, sources(value, origin)) == ([5], ["five"])
    wanted = (parse_type("Hash"), leaf("type"))
    value, origin = call("new", wanted, array("k", 1))
    assert (value, sources(value, origin)) == ({"k": 1}, {"k": "e1"})
    pairs, shadow = call("map", hash_of(a=1, b=2), block=Block(lambda pair: pair, 1))
    value, origin = call("new", wanted, (pairs, shadow))
    assert (value, sources(value, origin)) == ({"a": 1, "b": 2}, {"a": "a", "b": "b"})


def test_unwrap_finds_what_was_hidden() -> None:
    from wherefrom.puppet.types import parse_type

    hidden = call("new", (parse_type("Sensitive"), leaf("type")), ("secret", leaf("password", "secret")))
    assert hidden[0] == Sensitive("secret")
    value, origin = call("unwrap", (hidden[0], Copy(VariableEdge("x"), hidden[1])))
    assert (value, sources(value, origin)) == ("secret", "password")


def test_elements_of_a_computed_array_are_picked_out() -> None:
    """An array that was computed as a whole has no element origins: each element is a step of its own."""
    text = ("a,b", leaf("text", "a,b"))
    made = call("split", text, (",", leaf("comma", ",")))
    value, origin = call("map", made, block=Block(lambda x: x, 1))
    assert value == ["a", "b"]
    assert evaluate_term(expression(origin), replay) == ["a", "b"]
    assert names(origin) == {"text", "comma"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("join", (["a", "b"], "-")),
        ("split", ("a,b", ",")),
        ("sprintf", ("%05d", 42)),
        ("abs", (-3,)),
        ("empty", ([],)),
        ("sort", ("hello",)),
        ("unique", ("hello",)),
        ("floor", (1.5,)),
        ("scanf", ("1 2", "%d %d")),
        ("length", ("abc",)),
        ("sha256", ("abc",)),
        ("type", (5,)),
        ("index", ("hello", "l")),
        ("versioncmp", ("1", "2")),
        ("include", ("a",)),
    ],
)
def test_computed_values_can_be_computed_again(name: str, arguments: tuple[object, ...]) -> None:
    """The term of a result evaluates to the result."""
    given = [(value, leaf(f"a{index}", value)) for index, value in enumerate(arguments)]
    value, origin = call(name, *given)
    assert evaluate_term(expression(origin), replay) == value
    assert names(origin) == {f"a{index}" for index in range(len(arguments))}


def test_any_and_all_can_be_computed_again() -> None:
    block = Block(lambda x: (x[0] > 1, leaf(f"test{x[0]}", x[0] > 1)), 1)
    for name, verdict in (("any", True), ("all", False)):
        value, origin = call(name, array(1, 2), block=block)
        assert value is verdict
        assert evaluate_term(expression(origin), replay) is verdict


def test_wrappers_are_kept() -> None:
    """What stands round a composite counts for its elements."""
    value, inner = array(1, 2)
    wrapped = Choice((leaf("condition"),), Copy(VariableEdge("x"), inner), None, IF)
    found, origin = call("dig", (value, wrapped), (0, leaf("zero", 0)))
    assert (found, sources(found, origin)) == (1, "e0")
    assert names(origin) == {"e0", "condition", "zero"}  # an array that is an input has elements that are inputs


def test_lookup_default_is_a_choice() -> None:
    value, origin = call(
        "lookup", ("key", leaf("name")), (None, leaf("type")), (None, leaf("merge")), ("d", leaf("default"))
    )
    assert (value, sources(value, origin)) == ("d", "default")
    assert "name" in names(origin)
