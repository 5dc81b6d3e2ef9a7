"""Puppet's type system: what other packages need of it, in one place.

| question                                                    | function                                             |
|-------------------------------------------------------------|------------------------------------------------------|
| is this value of that type?                                 | `type.accepts(value)`                                |
| is that type assignable to this one?                        | `type.assignable(other)`                             |
| what type has this value?                                   | `infer`, `infer_set` (detailed), `infer_generalized` |
| what have two types in common; a wider or simpler form      | `common_type`, `generalize`, `type.normalize()`      |
| `Integer[1, 2]`, `File['/x']`                               | `named_type(name)`, `access(type, arguments)`        |
| a type from text or from a tree                             | `parse_type(text)`, `type_from_tree(node)`           |
| `Integer.new('7')`, `String(1, '%x')`                       | `new_instance(type, arguments)`                      |
| text of a type, of a value in a string, of a value in code  | `to_string`, `puppet_string`, `program_string`       |
| `String(value, formats)`, `sprintf`                         | `formats.format_value`, `sprintf.sprintf`            |
| `==`, `<`, `in`, `=~`                                       | `equals`, `compare`, `includes`, `match`             |
| what is wrong with this value                               | `describe_mismatch`, `assert_instance`               |
| what is wrong with these parameters of a class or define    | `check_parameters`                                   |
| what to say if no signature fits                            | `describe_signatures`                                |

Everything raises `TypeProblem` (a `Diagnostic` with Puppet's words and issue code) and never a bare Python error. Parts
that a plain compilation seldom needs are imported when first used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..kernel.type_failures import (
    BadRegex,
    ConversionError,
    FormatProblem,
    SignatureMismatch,
    TypeMismatchError,
    TypeProblem,
)
from ..kernel.values import Value
from .algebra import common_type
from .infer import infer, infer_generalized, infer_set, shown_type
from .model import PuppetType
from .names import named_type
from .scalars import fold
from .services import SERVICES

if TYPE_CHECKING:
    from ...base.source import Span
    from .containers import StructType
    from .signatures import CallableSignature

Resolver = Callable[[str], PuppetType | None]
"""Finds the type behind a name that is not built in: an alias, an object type, a resource type."""

__all__ = [
    "BadRegex",
    "ConversionError",
    "FormatProblem",
    "PuppetType",
    "Resolver",
    "SignatureMismatch",
    "TypeMismatchError",
    "TypeProblem",
    "access",
    "assert_instance",
    "check_parameters",
    "common_type",
    "compare",
    "describe_mismatch",
    "describe_signatures",
    "equals",
    "generalize",
    "includes",
    "infer",
    "infer_generalized",
    "infer_set",
    "shown_type",
    "label",
    "match",
    "named_type",
    "new_instance",
    "parse_type",
    "program_string",
    "puppet_string",
    "to_string",
    "type_from_tree",
]


def generalize(type: PuppetType) -> PuppetType:
    """The type without sizes, ranges and literal values."""
    return type.generalize()


def access(base: PuppetType, arguments: Sequence[Value]) -> Any:
    """`base[arguments]`: a parametrised type; for several titles of a resource or class, a list of references.

    Asking a resource reference for its parameters (`File['/x']['mode']`) is the evaluator's affair.
    """
    return _access()(base, list(arguments))


@cache
def _access() -> Callable[[PuppetType, list[Value]], Any]:
    """Asking for a name in a module takes as long as much of what it is asked for: here it is done once."""
    from .access import access

    return access


def parse_type(text: str, resolver: Resolver | None = None) -> PuppetType:
    """The type that `text` says.  Unknown names become `TypeReference`s."""
    from .reading import parse_type as parse

    return parse(text, resolver)


def type_from_tree(node: Any, resolver: Resolver | None = None, text: str | None = None) -> PuppetType:
    """The type that an expression of the syntax tree says, without evaluating anything but literals.

    `text` is how messages quote it, if not as it is written.
    """
    from .reading import type_from_tree as read

    return read(node, resolver, text)


def new_instance(type: PuppetType, arguments: Sequence[Value]) -> Value:
    """`type.new(arguments...)`: every conversion of the language."""
    from .construct import new_instance as new

    return new(type, list(arguments))


def to_string(type: PuppetType) -> str:
    """The type as Puppet prints it, inside of other types and messages; aliases by their name."""
    from .printing import to_string as show

    return show(type)


def puppet_string(value: Value, at: Span | None = None) -> str:
    """The text of a value when it is interpolated into a string, at a place."""
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    from .printing import puppet_string as show

    return show(value, at)


def program_string(value: Value) -> str:
    """The value as it would be written in a program (`%p`)."""
    from .formats import format_value as show

    return show(value, "%p")


def label(value: Value) -> str:
    """What messages about operators call a value: `String`, `Undef Value`, `Integer-Type`, ..."""
    from .printing import label as show

    return show(value)


def equals(a: Value, b: Value) -> bool:
    """`a == b`: strings regardless of letter case, numbers by value."""
    if type(a) is str and type(b) is str:
        return a == b or fold(a) == fold(b)
    from .compare import equals as same

    return same(a, b)


def compare(a: Value, b: Value) -> int:
    """Below, equal or above zero as a < b, a == b, a > b.  Raises `TypeProblem` with Puppet's reason if it cannot."""
    from .compare import compare as order

    return order(a, b)


def includes(container: Value, wanted: Value, on_match: Callable[[Any], None] | None = None) -> bool:
    """`wanted in container`; `on_match` is given the `re.Match` (or nothing) when a regular expression was tried."""
    from .compare import includes as holds

    return holds(container, wanted, on_match)


def match(value: Value, pattern: Value, on_match: Callable[[Any], None] | None = None) -> bool:
    """Does `value` match `pattern`, as in `case` options and selectors?"""
    from .compare import match as matches

    return matches(value, pattern, on_match)


def describe_mismatch(subject: str, expected: PuppetType, actual: PuppetType) -> str:
    """What Puppet says when a value of type `actual` is found where `expected` is wanted; empty if it fits."""
    from .mismatch import describe_mismatch as describe

    return describe(subject, expected, actual)


def assert_instance(subject: str, expected: PuppetType, value: Value) -> Value:
    """`value`, or `TypeMismatchError`: "SUBJECT has wrong type, expects ..."."""
    from .mismatch import assert_instance as check

    return check(subject, expected, value)


def check_parameters(
    subject: str,
    parameters: StructType,
    given: Mapping[str, Value],
    missing_allowed: bool = False,
    returned: Mapping[str, PuppetType | None] | None = None,
) -> None:
    """Check what a class, define or lambda was given.  Raises `TypeMismatchError` in Puppet's words.

    `parameters` has one element per parameter; the key of one that may be left out is `Optional['name']`. `returned`
    has those that are given as deferred calls, with the types they return if that is known.
    """
    _check_parameters()(subject, parameters, given, missing_allowed, returned)


@cache
def _check_parameters() -> Callable[..., None]:
    from .mismatch import check_parameters

    return check_parameters


def describe_signatures(
    name: str, signatures: Sequence[CallableSignature], arguments: Sequence[Value], block: object = None
) -> str:
    """Why no signature of the function `name` ("lambda" for a block) takes these arguments."""
    from .signatures import describe_signatures as describe

    return describe(name, signatures, arguments, block)


def _normalized_variant(variant: Value) -> PuppetType:
    from .algebra import normalize_variant

    return normalize_variant(variant)


def _init_types(init: Value) -> tuple[PuppetType | None, PuppetType | None, bool]:
    from .construct import init_types

    return init_types(init)


SERVICES.infer = infer
SERVICES.to_string = to_string
SERVICES.normalized_variant = _normalized_variant
SERVICES.match = match
SERVICES.assert_instance = assert_instance
SERVICES.init_types = _init_types


class _Package(ModuleType):
    """Importing a module binds its name in its package; where a function here has the same name, the function stays."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and callable(self.__dict__.get(name))):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
