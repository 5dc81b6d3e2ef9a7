"""Random with a seed: Ruby's Mersenne Twister, number for number.  Without one it is refused.

Whole numbers below a limit are taken by masking words of the generator (`wherefrom.base.twister`) and trying again
(Ruby 3.1, random.c), where Python's `randrange` takes the upper bits.
"""

from __future__ import annotations

import math

from ...base.twister import seeded
from ..classes import OBJECT, error, integer_of, methods, singleton
from ..errors import RubyRefused
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..registry import LIBRARY_CONSTANTS, library_module
from ..showing import inspect
from ..values import Class, HostObject, Range, Value


class RandomGenerator(HostObject):
    """A seeded generator."""

    __slots__ = ("seed", "twister")
    ruby_class = Class("Random", OBJECT)

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.twister = seeded(seed)

    def word(self) -> int:
        """32 bits."""
        return self.twister.getrandbits(32)

    def below(self, limit: int) -> int:
        """A whole number in [0, limit]."""
        if limit == 0:
            return 0
        if limit >= 1 << 64:
            raise error("RangeError", "limit too big")
        mask = (1 << limit.bit_length()) - 1
        while True:
            value = 0
            retry = False
            for part in (1, 0) if limit >> 32 else (0,):
                if (mask >> (part * 32)) & 0xFFFFFFFF:
                    value |= self.word() << (part * 32)
                    value &= mask
                    if limit < value:
                        retry = True
                        break
            if not retry:
                return value


def rand(i: Interpreter, generator: RandomGenerator, a: Args) -> Value:
    """`generator.rand(limit)`"""
    limit = a[0] if a else None
    if limit is None:
        return generator.twister.random()
    if isinstance(limit, Range):
        if type(limit.first) is int and type(limit.last) is int:
            width = limit.last - limit.first - (1 if limit.exclusive else 0)
            if width < 0:
                raise error("ArgumentError", f"invalid argument - {inspect(i, limit)}")
            return limit.first + generator.below(width)
        return limit.first + generator.twister.random() * (limit.last - limit.first)
    if type(limit) is float:
        return generator.twister.random() * limit
    number = integer_of(limit)
    if number <= 0:
        raise error("ArgumentError", f"invalid argument - {inspect(i, limit)}")
    return generator.below(number - 1)


def data(i: Interpreter, generator: RandomGenerator, count: int) -> str:
    """`generator.bytes(count)`"""
    i.make_text(count)
    out = bytearray()
    while len(out) < count:
        out += generator.word().to_bytes(4, "little")
    return bytes(out[:count]).decode("utf-8", "surrogateescape")


RANDOM = RandomGenerator.ruby_class


@singleton(RANDOM, "new", 0, 1)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if not a:
        raise RubyRefused("`Random.new` without a seed is not deterministic, which is not allowed", i.at)
    return RandomGenerator(integer_of(a[0]))


@singleton(RANDOM, "rand", 0, 1)
def class_rand(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    number = i.world.random("Random.rand", i.at)
    if not a:
        return number
    return math.floor(number * a[0])


methods(
    RANDOM,
    0,
    1,
    {
        "rand": lambda i, s, a, b: rand(i, s, a),
        "bytes": lambda i, s, a, b: data(i, s, integer_of(a[0])),
        "seed": lambda i, s, a, b: s.seed,
    },
)
RANDOM.frozen = True
LIBRARY_CONSTANTS["Random"] = RANDOM
SECURE_RANDOM = library_module("SecureRandom")


def _refuse(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    raise RubyRefused("`SecureRandom` is not deterministic, which is not allowed", i.at)


methods(
    SECURE_RANDOM,
    0,
    -1,
    {"hex uuid random_bytes random_number base64 urlsafe_base64 alphanumeric bytes rand": _refuse},
    own=True,
)
