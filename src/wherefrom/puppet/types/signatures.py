"""Signatures of functions: which one takes a call's arguments, and what to say when none does.

A function has one or more signatures, tried in order. When none fits, Puppet either says one sentence (if all
signatures fail in the same way) or lists them all with the reason for each.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..kernel.type_failures import SignatureMismatch
from ..kernel.values import Value
from .callables import CallableType
from .containers import TupleType
from .infer import infer, infer_set
from .mismatch import (
    BLOCK,
    CountMismatch,
    Mismatch,
    MissingBlock,
    Path,
    UnexpectedBlock,
    describe,
    merge_alternatives,
    parameter_step,
    signature_step,
)
from .model import UNDEF, OptionalType, PuppetType, UnitType, VariantType, real_type
from .printing import type_text
from .scalars import IntegerType


class CallableSignature:
    """The parameters of a function: types (the last may repeat), names, how many are needed, and the block."""

    __slots__ = ("_size", "block", "block_name", "maximum", "minimum", "names", "result", "types")

    def __init__(
        self,
        types: Sequence[PuppetType],
        names: Sequence[str],
        minimum: int | None = None,
        maximum: int | None = -1,
        block: PuppetType | None = None,
        block_name: str = "block",
        result: PuppetType | None = None,
    ) -> None:
        """`minimum` defaults to all; `maximum` to the number of types, and `None` lets the last one repeat."""
        self.types = tuple(types)
        self.names = tuple(names)
        self.minimum = len(self.types) if minimum is None else minimum
        self.maximum = len(self.types) if maximum == -1 else maximum
        self.block = block
        self.block_name = block_name
        self.result = result
        self._size = IntegerType(self.minimum, self.maximum)

    @classmethod
    def of(cls, type: CallableType, names: Sequence[str] = ()) -> CallableSignature:
        """The signature that a `Callable` type says."""
        parameters = type.parameters or TupleType((), IntegerType(0))
        size = parameters.size_range() if parameters.types or parameters.size else IntegerType(0, 0)
        return cls(parameters.types, names, size.low or 0, size.high, type.block, result=type.result)

    @property
    def type(self) -> CallableType:
        """The signature as a type."""
        return CallableType(TupleType(self.types, self._size), self.block, self.result)

    @property
    def size(self) -> IntegerType:
        """How many arguments it takes."""
        return self._size

    def takes(self, arguments: Sequence[Value], block: object = None) -> bool:
        """Does a call with these arguments and this block fit?"""
        count = len(arguments)
        if count < self.minimum or (self.maximum is not None and count > self.maximum):
            return False
        last = len(self.types) - 1
        for index, argument in enumerate(arguments):
            if last >= 0 and not self.types[min(index, last)].accepts(argument):
                return False
        if block is None:
            return self.block is None or self.block.assignable(UNDEF)
        return self.block is not None and self.block.assignable(infer(block))

    def __str__(self) -> str:
        """`String name, Integer count?, Any rest*` as messages show it."""
        if self.minimum == 0 and self.maximum == 0:
            return ""
        names = self.names or ("",) * len(self.types)
        shown = []
        for index, name in enumerate(names):
            type = self.types[min(index, len(self.types) - 1)]
            mark = ""
            if self.maximum is None and index == len(names) - 1:
                mark = "+" if self.minimum == len(names) else "*"
            elif index + 1 > self.minimum:
                mark = "?"
                if isinstance(type, OptionalType) and type.type is not None:
                    type = type.type
            shown.append(f"{type_text(type)} {name}{mark}")
        block = self.block
        if isinstance(block, OptionalType) and block.type is not None:
            shown.append(f"{type_text(block.type)} {self.block_name}?")
        elif isinstance(block, CallableType):
            shown.append(f"{type_text(block)} {self.block_name}")
        return ", ".join(shown)


def match_signature(
    signatures: Sequence[CallableSignature], arguments: Sequence[Value], block: object = None
) -> int | None:
    """The index of the first signature that fits."""
    for index, signature in enumerate(signatures):
        if signature.takes(arguments, block):
            return index
    return None


def check_call(label: str, kind: PuppetType, arguments: Sequence[Value], block: object = None) -> None:
    """Complain about arguments that the type of a function of an object, a `Callable` or several, does not take."""
    kind = real_type(kind)
    alternatives = kind.types if isinstance(kind, VariantType) else (kind,)
    signatures = [CallableSignature.of(real) for real in map(real_type, alternatives) if isinstance(real, CallableType)]
    if signatures and match_signature(signatures, arguments, block) is None:
        raise SignatureMismatch(describe_signatures(label, signatures, arguments, block))


def describe_signatures(
    name: str, signatures: Sequence[CallableSignature], arguments: Sequence[Value], block: object = None
) -> str:
    """Why no signature fits.  `name` is the function's; "lambda" is said as "block"."""
    types = [infer_set(argument) for argument in arguments]
    problems = [_wrong_arguments(signature, types, (signature_step(i),)) for i, signature in enumerate(signatures)]
    if not all(problems):
        blocks = [_wrong_block(signature, block, (signature_step(i),)) for i, signature in enumerate(signatures)]
        if all(blocks):
            problems = blocks
        elif any(blocks):
            problems = [mine or other for mine, other in zip(problems, blocks)]
    shown = "block" if name == "lambda" else f"'{name}'"
    merged = merge_alternatives(0, CountMismatch, problems)
    if len(merged) == 1:
        return f"{shown}{merged[0].format()}"
    if len(signatures) == 1:
        lines = [f"{shown} expects ({signatures[0]})"]
        lines += [f"  rejected:{problem.without(0).format()}" for problem in problems[0]]
    else:
        lines = [f"The function {shown} was called with arguments it does not accept. It expects one of:"]
        for signature, wrong in zip(signatures, problems):
            lines.append(f"  ({signature})")
            lines += [f"    rejected:{problem.without(0).format()}" for problem in wrong]
    return "\n".join(lines)


def _wrong_arguments(signature: CallableSignature, types: Sequence[PuppetType], path: Path) -> list[Mismatch]:
    count = IntegerType(len(types), len(types))
    if not signature.size.assignable(count):
        return [CountMismatch(path, signature.size, count)]
    for index, actual in enumerate(types):
        at = min(index, len(signature.types) - 1)
        expected = signature.types[at]
        if isinstance(expected, UnitType) or expected.assignable(actual):
            continue
        name = signature.names[min(at, len(signature.names) - 1)] if signature.names else ""
        problems = describe(expected, actual, (*path, parameter_step(name)))
        if problems:
            return problems
    return []


def _wrong_block(signature: CallableSignature, block: object, path: Path) -> list[Mismatch]:
    expected = signature.block
    if block is None:
        if expected is None or expected.assignable(UNDEF):
            return []
        return [MissingBlock(path)]
    if expected is None:
        return [UnexpectedBlock(path)]
    return describe(expected, infer(block), (*path, BLOCK))
