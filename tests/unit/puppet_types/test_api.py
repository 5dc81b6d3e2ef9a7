"""What other rooms call: parameters, signatures, aliases, objects, trees."""

from __future__ import annotations

from typing import Any

import pytest

from wherefrom.base.diagnostics import Diagnostic, LimitReached
from wherefrom.puppet.kernel.times import format_timespan, format_timestamp, parse_timestamp
from wherefrom.puppet.kernel.type_failures import AliasProblem
from wherefrom.puppet.kernel.values import DEFAULT, ObjectValue, Regexp, Sensitive, Timespan, Timestamp
from wherefrom.puppet.types import (
    SignatureMismatch,
    TypeMismatchError,
    TypeProblem,
    access,
    check_parameters,
    describe_mismatch,
    describe_signatures,
    infer_set,
    label,
    named_type,
    new_instance,
    parse_type,
    puppet_string,
    to_string,
)
from wherefrom.puppet.types.access import callable_type, struct_type
from wherefrom.puppet.types.callables import CallableType, ClassType, ResourceType
from wherefrom.puppet.types.containers import StructElement, StructType
from wherefrom.puppet.types.formats import format_value
from wherefrom.puppet.types.model import OptionalType, PuppetType, TypeAlias, TypeReference
from wherefrom.puppet.types.objects import ObjectType
from wherefrom.puppet.types.reading import type_of_text
from wherefrom.puppet.types.scalars import StringType
from wherefrom.puppet.types.signatures import CallableSignature, match_signature
from wherefrom.puppet.types.sprintf import sprintf


def parameters(**types: str) -> StructType:
    """Parameters of a class; those whose type starts with `?` have a default."""
    elements = []
    for name, text in types.items():
        key: PuppetType = StringType(value=name)
        elements.append(StructElement(OptionalType(key) if text[0] == "?" else key, parse_type(text.lstrip("?"))))
    return StructType(tuple(elements))


class Block:
    """A lambda, as far as types are concerned."""

    def __init__(self, *arguments: Any) -> None:
        self.puppet_type: CallableType = callable_type(list(arguments))


def test_parameters_that_fit() -> None:
    """Nothing is said when nothing is wrong."""
    check_parameters("Class[A]", parameters(x="Integer", y="?String"), {"x": 1})
    check_parameters("Class[A]", parameters(x="Integer"), {}, missing_allowed=True)


def test_one_wrong_parameter() -> None:
    """One problem is one sentence."""
    with pytest.raises(TypeMismatchError) as problem:
        check_parameters("Class[A]", parameters(x="Integer"), {"x": "a"})
    assert problem.value.message == "Class[A]: parameter 'x' expects an Integer value, got String"


def test_many_wrong_parameters() -> None:
    """Several problems are several lines: unknown ones first, then in the order of the parameters."""
    with pytest.raises(TypeMismatchError) as problem:
        check_parameters(
            "D[t]", parameters(a="Integer", b="Struct[{x => String}]", c="Any"), {"a": "x", "b": {"x": 1}, "z": 1}
        )
    assert problem.value.message == (
        "D[t]:\n  has no parameter named 'z'\n  parameter 'a' expects an Integer value, got String\n"
        "  parameter 'b' entry 'x' expects a String value, got Integer\n  expects a value for parameter 'c'"
    )


SLICE = [
    CallableSignature(
        [parse_type("Hash"), parse_type("Integer[1]")],
        ["hash", "slice_size"],
        block=OptionalType(callable_type([2, 2])),
    ),
    CallableSignature(
        [parse_type("Iterable"), parse_type("Integer[1]")],
        ["enumerable", "slice_size"],
        block=OptionalType(callable_type([1, 1])),
    ),
]


def test_signature_is_chosen() -> None:
    """The first signature that fits is the one."""
    assert match_signature(SLICE, [{}, 2]) == 0
    assert match_signature(SLICE, [[1], 2]) == 1
    assert match_signature(SLICE, [[1], 0]) is None
    assert match_signature(SLICE, [[1], 1], Block(1, 1)) == 1


def test_no_signature_fits() -> None:
    """All signatures are listed with the reason for each, or one sentence says what they have in common."""
    assert describe_signatures("slice", SLICE, [1]) == "'slice' expects 2 arguments, got 1"
    assert describe_signatures("slice", SLICE, [True, 0]).splitlines() == [
        "The function 'slice' was called with arguments it does not accept. It expects one of:",
        "  (Hash hash, Integer[1] slice_size, Callable[2, 2] block?)",
        "    rejected: parameter 'hash' expects a Hash value, got Boolean",
        "  (Iterable enumerable, Integer[1] slice_size, Callable[1, 1] block?)",
        "    rejected: parameter 'enumerable' expects an Iterable value, got Boolean",
    ]


def test_blocks_are_checked() -> None:
    """A block may be wanted, not wanted, or of the wrong shape."""
    wants = [CallableSignature([parse_type("Any")], ["x"], block=callable_type([1, 1]))]
    assert match_signature(wants, [1], Block(1, 1)) == 0
    assert describe_signatures("f", wants, [1]) == "'f' expects a block"
    assert describe_signatures("f", wants, [1], Block(3, 3)) == "'f' block expects 1 argument, got 3"
    refuses = [CallableSignature([], [])]
    assert describe_signatures("f", refuses, [], Block()) == "'f' does not expect a block"


def alias(name: str, text: str, **others: PuppetType) -> TypeAlias:
    """`type Name = text`, where the text may name the alias itself."""
    made: TypeAlias

    def resolve() -> PuppetType:
        return parse_type(text, lambda wanted: made if wanted == name else others.get(wanted))

    made = TypeAlias(name, resolve)
    return made


def test_recursive_alias() -> None:
    """A type may be defined by itself."""
    tree = alias("Tree", "Variant[Integer, Array[Tree]]")
    assert tree.accepts([1, [2, [[3]]]]) and not tree.accepts([1, ["a"]])
    assert to_string(tree) == "Tree" and puppet_string(tree) == "Tree = Variant[Integer, Array[Tree]]"
    other = alias("Other", "Variant[Integer, Array[Other]]")
    wider = alias("Wider", "Variant[Integer, String, Array[Wider]]")
    assert tree.assignable(other) and other.assignable(tree)
    assert wider.assignable(tree) and not tree.assignable(wider)


def test_alias_of_nothing() -> None:
    """`type A = A` is refused; `type A = Variant[A, Integer]` is `Integer`; `type A = Optional[A]` ends."""
    with pytest.raises(AliasProblem, match="Type alias 'A' cannot be resolved to a real type"):
        alias("A", "A").accepts(1)
    assert alias("B", "Variant[B, Integer]").resolved == parse_type("Integer")
    empty = alias("C", "Optional[C]")
    assert empty.accepts(None) and not empty.accepts(1)
    assert not empty.assignable(parse_type("Integer"))


def test_unknown_types() -> None:
    """A name that nobody knows is kept, accepts nothing, and is told."""
    unknown = parse_type("Foo::Bar[1, 2]")
    assert unknown == TypeReference("Foo::Bar[1, 2]") and not unknown.accepts(1)
    assert describe_mismatch("x", parse_type("Array[Foo]"), infer_set([1])) == "x references an unresolved type 'Foo'"


def test_object_types() -> None:
    """Objects have attributes, some with defaults, parents, and equality by attributes."""
    point = ObjectType(
        {"attributes": {"x": parse_type("Integer"), "y": {"type": parse_type("Integer"), "value": 0}}}, "Point"
    )
    made = new_instance(point, [1])
    assert isinstance(made, ObjectValue) and made.attributes == {"x": 1, "y": 0}
    assert puppet_string(made) == "Point({'x' => 1})"
    assert made == new_instance(point, [{"x": 1, "y": 0}]) != new_instance(point, [2])
    named = ObjectType({"parent": point, "attributes": {"name": parse_type("String")}}, "Named")
    child = new_instance(named, [1, "n"])
    assert point.accepts(child) and not named.accepts(made)
    assert puppet_string(named) == "Object[{name => 'Named', parent => Point, attributes => {'name' => String}}]"
    with pytest.raises(
        SignatureMismatch, match="The function 'new_Point' was called with arguments it does not accept"
    ):
        new_instance(point, ["a"])


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ({"attributes": {"x": 1}}, r"attribute Object\[x\] has wrong type, expects a Type value, got Integer"),
        ({"attributes": {"x": {"type": parse_type("Integer"), "value": "a"}}}, "value has wrong type"),
        ({"attributes": {"x": {"type": parse_type("Integer"), "kind": "constant"}}}, "requires a value"),
        ({"equality": "x"}, "equality is referencing non existent attribute 'x'"),
        ({"nonsense": 1}, "object initializer has wrong type, unrecognized key 'nonsense'"),
    ],
)
def test_bad_object_types(definition: dict[Any, Any], words: str) -> None:
    """A definition that is none is refused in Puppet's words."""
    with pytest.raises(TypeProblem, match=words):
        ObjectType(definition)


def test_references() -> None:
    """Resource and class references are types; letter case of the type's name does not matter."""
    assert access(ResourceType("File"), ["/x"]) == ResourceType("file", "/x")
    assert access(ResourceType("File"), ["/x", "/y"]) == [ResourceType("File", "/x"), ResourceType("File", "/y")]
    assert access(ClassType(), ["::A::B"]) == ClassType("a::b")


def test_problem_names_the_argument() -> None:
    """A wrong argument is known by its place."""
    with pytest.raises(TypeProblem) as problem:
        access(parse_type("Integer"), [1, "a"])
    assert (problem.value.issue, problem.value.argument) == ("BAD_INTEGER_SLICE_TYPE", 1)


def test_labels() -> None:
    """What operators call their operands."""
    values: tuple[Any, ...] = (None, True, 1, 1.5, "a", [], {}, Regexp("a"), Sensitive(1), parse_type("Integer[1]"))
    shown = [label(each) for each in values]
    assert shown == [
        "Undef Value",
        "Boolean",
        "Integer",
        "Float",
        "String",
        "Array",
        "Hash",
        "Regexp",
        "Sensitive",
        "Integer[1]-Type",
    ]
    assert label(ResourceType("File", "/x")) == "File['/x'] Resource-Reference"


@pytest.mark.parametrize(
    "text", ["", "integer", "Integer[", "Integer]", "Integer[1", "Struct[{a => }]", "1", "'a'", "Integer 1"]
)
def test_text_that_is_no_type(text: str) -> None:
    """Anything but one type is refused."""
    with pytest.raises(TypeProblem, match="is not a valid type specification"):
        parse_type(text)


@pytest.mark.parametrize("comments", ["/**/" * 40, "# " * 40 + "\n", "#" * 4_000 + "\n", "/*" * 4_000, " /* # */" * 40])
def test_comments_that_could_be_cut_in_many_ways(comments: str) -> None:
    """They are cut in one, or this would not end."""
    with pytest.raises(Diagnostic):
        type_of_text(f"{comments}!")
    if not comments.endswith("/*"):
        assert type_of_text(f"{comments}Integer{comments}[1{comments}]{comments}") == parse_type("Integer[1]")


def test_names_ignore_case() -> None:
    """Built-in names are found whatever their case."""
    assert named_type("integer") is named_type("INTEGER") is named_type("::Integer") is not None
    assert named_type("Nonsense") is None


def test_sprintf() -> None:
    """Positional, named and starred arguments."""
    assert sprintf("%2$s %1$05.1f %%", [1.25, "a"]) == "a 001.2 %"
    assert sprintf("%<n>03d %{s}", [{"n": 7, "s": "x"}]) == "007 x"
    assert sprintf("%*d|%-*d|", [5, 1, 3, 2]) == "    1|2  |"
    for template, arguments, words in (
        ("%d", [], "too few arguments"),
        ("%d", ["x"], "invalid value"),
        ("%y", [1], "malformed"),
    ):
        with pytest.raises(TypeProblem, match=words):
            sprintf(template, arguments)


def test_times() -> None:
    """Formats of points and lengths of time."""
    stamp = Timestamp(1_475_056_801_500_000_000)
    assert (
        format_timestamp(stamp, "%A %-d %b %Y %I:%M %p %j %V %3N %s")
        == "Wednesday 28 Sep 2016 10:00 AM 272 39 500 1475056801"
    )
    assert format_timestamp(stamp, "%F %T %z", "+02:00") == "2016-09-28 12:00:01 +0200"
    assert parse_timestamp(format_timestamp(stamp)) == stamp
    assert format_timespan(Timespan(93_784_005_006_007)) == "1-02:03:04.5006007"
    assert format_timespan(Timespan(-93_784_000_000_000), "%H:%M") == "-26:03"
    assert format_timestamp(Timestamp(10**20)) == "5138-11-16T09:46:40.000000000 UTC"


def test_limits() -> None:
    """Nothing small makes something huge."""
    with pytest.raises(LimitReached):
        new_instance(parse_type("Array"), [10**12])
    with pytest.raises(TypeProblem):
        sprintf("%999999999d", [1])


def test_deep_values() -> None:
    """Deep nesting is followed as deep as Python's stack goes."""
    value: Any = 1
    for _ in range(200):
        value = [value]
    assert parse_type("Data").accepts(value)
    assert parse_type("Array").assignable(infer_set(value))


def test_struct_by_hash() -> None:
    """Keys may be strings or types that hold one."""
    made = struct_type({"a": parse_type("Integer"), "b": parse_type("Optional[String]")})
    assert made.accepts({"a": 1}) and made.accepts({"a": 1, "b": None}) and not made.accepts({"b": "x"})


def test_format_of_default() -> None:
    """`String(value)` without formats."""
    assert format_value([1, "a", None, 1.5, {"k": True}], DEFAULT) == "[1, 'a', undef, 1.5, {'k' => true}]"


def test_type_parameters() -> None:
    """A type parameter restricts the attribute of the same name, and is inferred from it."""
    definition = {"type_parameters": {"p": parse_type("Integer")}, "attributes": {"p": parse_type("Integer")}}
    type = ObjectType(definition, "Foo")
    three = access(type, [3])
    assert to_string(three) == "Foo[3]" and three == access(type, [{"p": 3}])
    assert three.accepts(new_instance(type, [3])) and not three.accepts(new_instance(type, [4]))
    assert type.assignable(three) and not three.assignable(type)
    assert to_string(infer_set(new_instance(type, [4]))) == "Foo[4]"
    with pytest.raises(TypeProblem, match="has wrong type, expects a value of type Undef or Integer, got String"):
        access(type, ["a"])
    with pytest.raises(TypeProblem, match="cannot be parameterized using an empty parameter list"):
        access(type, [DEFAULT])
    with pytest.raises(TypeProblem, match=r"The Bar-Type cannot be parameterized using \[\]"):
        access(ObjectType({"attributes": {"p": parse_type("Integer")}}, "Bar"), [1])
