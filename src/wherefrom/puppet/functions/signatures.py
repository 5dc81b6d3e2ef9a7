"""Choosing the signature that a call fits, and saying why none does.

The types that functions ask for most (`Any`, `String`, `Array`, `Iterable`, `Callable[2,2]`, ...) are checked by plain
Python predicates without the type system; the others are parsed once and ask `wherefrom.puppet.types`. When no
signature fits, the type system compares the arguments with all of them and words the message as Puppet does.

Functions of the old interface (`legacy`) have no types: their arguments are counted, and converted as Puppet converts
them for such functions (`undef` becomes an empty string, regular expressions and versions become text).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..kernel.failures import FunctionFailure, too_large
from ..kernel.values import (
    Binary,
    Iterator,
    Regexp,
    SemVer,
    SemVerRange,
    Sensitive,
    Timespan,
    Timestamp,
    Value,
    hash_key,
    key_value,
    weigh,
)
from .registry import Function, Lambda, Signature

Held = Callable[[Value], Value]
"""What an attribute holds of a value."""


def select(function: Function, values: Sequence[Value], block: Lambda | None) -> Signature:
    """The first signature of `function` that takes the arguments."""
    if function.legacy:
        return _counted(function, values)
    for signature in function.signatures:
        if fits(signature, values, block):
            return signature
    if function.mismatch is not None and block is None:
        words = function.mismatch(values)
        if words is not None:
            raise FunctionFailure(f"'{function.name}' {words}", kind="arguments")
    from ..types import SignatureMismatch, describe_signatures

    described = [typed(signature) for signature in function.signatures]
    raise SignatureMismatch(describe_signatures(function.name, described, values, block))


def fits(signature: Signature, values: Sequence[Value], block: Lambda | None) -> bool:
    """Whether a call with these arguments fits `signature`."""
    count = len(values)
    if count < signature.least or (signature.most is not None and count > signature.most):
        return False
    if block is None:
        if signature.block_required:
            return False
    elif signature.block is None or not _takes_block(signature, block):
        return False
    checks = signature.types
    if checks is None:
        checks = signature.types = [_predicate(parameter.type_text, signature) for parameter in signature.parameters]
    last = len(checks) - 1
    for index, value in enumerate(values):
        check = checks[index if index < last else last]
        if check is not None and not check(value):
            return False
    return True


def _takes_block(signature: Signature, block: Lambda) -> bool:
    """Whether a lambda is one that the signature asks for.  With bare counts its parameters may have any types."""
    assert signature.block is not None
    text = signature.block.type_text
    wanted = _COUNTS.get(text)
    if wanted is not None:
        return block.can_take(*wanted)
    if text == "Callable":
        return True
    return bool(_parse(text, signature).assignable(block.puppet_type))


_COUNTS = {"Callable[0,0]": (0, 0), "Callable[1,1]": (1, 1), "Callable[2,2]": (2, 2)}


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_iterable(value: Value) -> bool:
    if isinstance(value, list | dict | str | Iterator):
        return True
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return value >= 0
    return _is_iterable_type(value)


def _is_iterable_type(value: Value) -> bool:
    if value is None or isinstance(value, float):
        return False
    from ..types import parse_type

    return parse_type("Iterable").accepts(value)


_QUICK: dict[str, Callable[[Value], bool] | None] = {
    "Any": None,
    "String": lambda value: isinstance(value, str),
    "Numeric": _is_number,
    "Boolean": lambda value: isinstance(value, bool),
    "Array": lambda value: isinstance(value, list),
    "Hash": lambda value: isinstance(value, dict),
    "Hash[Any, Any]": lambda value: isinstance(value, dict),
    "Collection": lambda value: isinstance(value, list | dict),
    "Optional[Collection]": lambda value: value is None or isinstance(value, list | dict),
    "Iterable": _is_iterable,
    "Undef": lambda value: value is None,
    "Regexp": lambda value: isinstance(value, Regexp),
    "Binary": lambda value: isinstance(value, Binary),
    "Sensitive": lambda value: isinstance(value, Sensitive),
    "Integer[1]": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
    "Array[String]": lambda value: isinstance(value, list) and all(isinstance(element, str) for element in value),
    "Array[Numeric]": lambda value: isinstance(value, list) and all(map(_is_number, value)),
    "Variant[Array[String],String]": lambda value: (
        isinstance(value, str) or (isinstance(value, list) and all(isinstance(element, str) for element in value))
    ),
}
_QUICK["Integer[1, default]"] = _QUICK["Integer[1]"]


def _predicate(text: str, signature: Signature) -> Callable[[Value], bool] | None:
    if text in _QUICK:
        return _QUICK[text]
    accepts: Callable[[Value], bool] = _parse(text, signature).accepts
    return accepts


def _parse(text: str, signature: Signature) -> Any:
    """The type that `text` says; names in `signature.local` are aliases, perhaps recursive ones."""
    from ..types import parse_type
    from ..types.model import PuppetType, TypeAlias

    known: dict[str, PuppetType] = {}

    def resolve(name: str) -> PuppetType | None:
        name = name.lower().removeprefix("::")
        local = {alias.lower(): alias for alias in signature.local}.get(name)
        if local is None:
            internal: PuppetType | None = _internal_type(name)
            return internal
        if local not in known:
            known[local] = TypeAlias(local, lambda: parse_type(signature.local[local], resolve))
        return known[local]

    return parse_type(text, resolve)


def _internal_type(name: str) -> Any:
    """A type of Puppet's own workings that signatures name and no value here has."""
    if name == "pcore::membername":
        from ..types import parse_type
        from ..types.model import TypeAlias

        return TypeAlias("Pcore::MemberName", parse_type(r"Pattern[/\A[a-z_]\w*\z/]"))
    if name != "puppet::lookupcontext":
        return None
    from ..hiera.context import CONTEXT_TYPE

    return CONTEXT_TYPE


def typed(signature: Signature) -> Any:
    """The signature as the type system describes it."""
    from ..types.model import OptionalType
    from ..types.signatures import CallableSignature as Typed

    block = None
    if signature.block is not None:
        block = _parse(signature.block.type_text, signature)
        if not signature.block_required:
            block = OptionalType(block)
    return Typed(
        [_parse(parameter.type_text, signature) for parameter in signature.parameters],
        [parameter.name for parameter in signature.parameters],
        signature.least,
        signature.most,
        block,
        signature.block.name if signature.block is not None else "block",
    )


# --- the old interface -----------------------------------------------------------------------------------------------


def _counted(function: Function, values: Sequence[Value]) -> Signature:
    signature = function.signatures[0]
    count = len(values)
    if signature.most is not None and count != signature.most:
        words = f"{function.name}(): Wrong number of arguments given ({count} for {signature.most})"
        raise FunctionFailure(words, kind="arguments")
    if count < signature.least:
        words = f"{function.name}(): Wrong number of arguments given ({count} for minimum {signature.least})"
        raise FunctionFailure(words, kind="arguments")
    return signature


def legacy_arguments(values: Iterable[Value], held: Held | None = None) -> list[Value]:
    """Arguments as functions of the old interface get them; references are names there, if `held` tells them."""
    values = list(values)
    weigh(values)
    return ["" if argument is None else _legacy(argument, held) for argument in values]


def _legacy(value: Value, held: Held | None) -> Value:
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise too_large(value)
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    if isinstance(value, list):
        return [_legacy(element, held) for element in value]
    if isinstance(value, dict):
        return {hash_key(_legacy(key_value(key), held)): _legacy(element, held) for key, element in value.items()}
    if isinstance(value, Regexp):
        return f"/{value.source}/"
    if isinstance(value, SemVer | SemVerRange | Timespan | Timestamp):
        return str(value)
    if isinstance(value, Binary):
        return value.base64()
    if isinstance(value, Iterator):
        raise FunctionFailure("Use of an Iterator is not supported here")
    return value if held is None or not _is_entry(value) else held(value)


def _is_entry(value: Value) -> bool:
    from ..types.callables import CatalogEntryType

    return isinstance(value, CatalogEntryType)
