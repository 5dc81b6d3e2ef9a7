"""Our type system gives what real Puppet gave, question by question (`tests/oracle/record_puppet_types.py`)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from oracle import puppet_type_cases as cases
from wherefrom.puppet.types import (
    TypeProblem,
    compare,
    describe_mismatch,
    describe_signatures,
    equals,
    includes,
    infer,
    infer_generalized,
    infer_set,
    match,
    new_instance,
    parse_type,
    program_string,
    puppet_string,
)
from wherefrom.puppet.types.access import access
from wherefrom.puppet.types.callables import ResourceType
from wherefrom.puppet.types.model import PuppetType
from wherefrom.puppet.types.reading import _Reader
from wherefrom.puppet.types.signatures import CallableSignature, match_signature

ORACLE = Path(__file__).resolve().parents[2] / "oracle"

GOLDENS: dict[str, dict[str, Any]] = json.loads((ORACLE / "goldens" / "puppet_types.json").read_text())

# Questions whose answer differs on purpose, and why.
DIFFERENT: dict[str, str] = {
    "Init": "Puppet loses itself in two recursive aliases and denies that `Data` is `RichData`",
    "Struct[{Optional[Integer] => String}]": "Puppet fails with an internal error of Ruby",
    "Struct[{Enum['a', 'b'] => String}]": "Puppet fails with an internal error of Ruby",
    "Struct[{Enum['a'] => Integer}]": "Puppet cannot print the type it made",
    "Object[1]": "Puppet fails with an internal error of Ruby",
    "SemVerRange | default, default": "Puppet says that no version is above version infinity",
}
# `Iterable[T] >= Object` makes Puppet fail.
NOT_ASKED = ("Iterable[Integer]", "Iterable[String[1, 1]]")


def resolve(name: str) -> PuppetType | None:
    """The evaluator would know the resource types."""
    return ResourceType("File") if name == "File" else None


class Reader(_Reader):
    """Reads values as the cases write them, for they are expressions: literals, types with the operator `[]`, and
    `Type(arguments)`."""

    def parameters(self, base: Any, name: str) -> Any:
        made = base
        while self.peek()[:2] == ("mark", "["):
            self.next()
            made = access(made, self.items("]"))
        found = re.compile(r"\(").match(self.text, self.at)
        if found is None:
            return made
        end = self.text.index(")", self.at)
        arguments = values(self.text[self.at + 1 : end])
        self.at = end + 1
        return new_instance(made, arguments)


def values(text: str) -> list[Any]:
    """The values of a list of arguments."""
    reader = Reader(f"[{text}]", resolve)
    made: list[Any] = reader.value()
    assert reader.at_end(), text
    return made


def value(text: str) -> Any:
    """One value."""
    (made,) = values(text)
    return made


def bits(flags: list[bool]) -> str:
    """Answers to many yes-or-no questions."""
    return "".join("1" if each else "0" for each in flags)


def tell(question: Any) -> dict[str, Any]:
    """The value of a question, or the words of its error."""
    try:
        return {"value": question()}
    except TypeProblem as problem:
        return {"error": problem.message}


def check(group: str, key: str, ours: dict[str, Any]) -> None:
    """Compare with what Puppet said."""
    assert ours == GOLDENS[group][key]


@pytest.mark.parametrize("one", cases.TYPES)
def test_assignable(one: str) -> None:
    """`A >= B` for every pair of types."""
    type = parse_type(one, resolve)
    golden = GOLDENS["assignable"][one]["value"]
    wrong = [
        other
        for other, wanted in zip([each for each in cases.TYPES if not (one in NOT_ASKED and each == "Object")], golden)
        if type.assignable(parse_type(other, resolve)) != (wanted == "1")
    ]
    assert wrong == (["Data"] if one in DIFFERENT else [])


@pytest.mark.parametrize("text", cases.VALUES)
def test_instance(text: str) -> None:
    """`value =~ T` for every value and type."""
    golden = GOLDENS["instance"][text]["value"]
    made = value(text)
    wrong = [
        type for type, wanted in zip(cases.TYPES, golden) if parse_type(type, resolve).accepts(made) != (wanted == "1")
    ]
    assert wrong == []


@pytest.mark.parametrize("text", cases.VALUES)
@pytest.mark.parametrize("how", ["detailed", "reduced", "generalized"])
def test_type_of(text: str, how: str) -> None:
    """`type(value, how)`"""
    question = {"detailed": infer_set, "reduced": infer, "generalized": infer_generalized}[how]
    check(f"type {how}", text, {"value": str(question(value(text)))})


@pytest.mark.parametrize("text", cases.TYPES)
def test_generalized(text: str) -> None:
    """The general form of a type."""
    check("generalized", text, {"value": str(infer_generalized(parse_type(text, resolve)))})


@pytest.mark.parametrize("text", GOLDENS["common"])
def test_common_type(text: str) -> None:
    """The common type of two values."""
    check("common", text, {"value": str(infer(value(text)))})


@pytest.mark.parametrize("text", cases.VALUES)
def test_interpolated(text: str) -> None:
    """What a value is in a string."""
    check("interpolated", text, {"value": puppet_string(value(text))})


@pytest.mark.parametrize("text", cases.ACCESS)
def test_access(text: str) -> None:
    """Types with parameters: how they print, or what is wrong with them."""
    ours = tell(lambda: program_string(value(text)))
    if text in DIFFERENT:
        assert ours != GOLDENS["access"][text]
    else:
        check("access", text, ours)


@pytest.mark.parametrize("text", cases.NEW)
def test_new(text: str) -> None:
    """`T.new(arguments)`"""
    type, _, arguments = text.partition("|")
    show = puppet_string if type.startswith(("Timespan", "Timestamp")) else program_string
    ours = tell(lambda: show(new_instance(parse_type(type.strip(), resolve), values(arguments))))
    if text in DIFFERENT:
        assert ours != GOLDENS["new"][text]
    else:
        check("new", text, ours)


@pytest.mark.parametrize("text", cases.FORMATS)
def test_format(text: str) -> None:
    """`String(value, format)`"""
    given, _, format = text.partition(" | ")
    check("format", text, tell(lambda: new_instance(parse_type("String"), [value(given), value(format)])))


@pytest.mark.parametrize("text", cases.MISMATCHES)
def test_mismatch(text: str) -> None:
    """`assert_type(T, value)`"""
    type_text, _, given = text.partition(" | ")
    type, made = parse_type(type_text, resolve), value(given)
    if type.accepts(made):
        check("mismatch", text, {"value": "fits"})
    else:
        check("mismatch", text, {"error": describe_mismatch("assert_type():", type, infer_set(made))})


def signature(text: str) -> CallableSignature:
    """The parameters of a function."""
    types, names, required, repeats = [], [], 0, False
    for each in filter(None, re.split(r",\s*(?=[A-Z][^,\]}]*(?:\[.*\])? [*]?\$)", text)):
        found = re.fullmatch(r"(.*) (\*?)\$(\w+)( = .*)?", each.strip())
        assert found is not None, each
        types.append(parse_type(found[1]))
        names.append(found[3])
        repeats = bool(found[2])
        required += not found[2] and not found[4]
    return CallableSignature(types, names, required, None if repeats else len(types))


@pytest.mark.parametrize("text", cases.CALLS)
def test_call(text: str) -> None:
    """A call of a function with the wrong arguments."""
    given, _, parameters = text.partition("|")
    arguments, wanted = values(given), signature(parameters.strip())
    if match_signature([wanted], arguments) == 0:
        check("call", text, {"value": "fits"})
    else:
        check("call", text, {"error": describe_signatures("f", [wanted], arguments)})


@pytest.mark.parametrize("text", cases.OPERATORS)
def test_operator(text: str) -> None:
    """`==`, `<`, `in` and `=~`"""
    left, operator, right = (part.strip() for part in text.split(" | "))
    a, b = value(left), value(right)

    def question() -> str:
        if operator == "==":
            return program_string(equals(a, b))
        if operator == "in":
            return program_string(includes(b, a))
        if operator == "=~":
            return program_string(match(a, b))
        order = compare(a, b)
        return program_string({"<": order < 0, ">": order > 0, ">=": order >= 0}[operator])

    golden = GOLDENS["operator"][text]
    ours = tell(question)
    if "error" in golden:
        assert f"Caused by '{ours['error']}'." in golden["error"]
    else:
        assert ours == golden


@pytest.mark.parametrize("text", cases.RANGES)
def test_range(text: str) -> None:
    """Which versions a range includes."""
    range = new_instance(parse_type("SemVerRange"), [text])
    made = bits([match(new_instance(parse_type("SemVer"), [each]), range) for each in cases.VERSIONS])
    check("range", text, {"value": made})


def test_differences_are_questions() -> None:
    """The list of differences names real questions only."""
    assert set(DIFFERENT) <= {key for group in GOLDENS.values() for key in group}
