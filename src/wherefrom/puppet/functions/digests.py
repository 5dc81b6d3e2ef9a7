"""Functions that turn text into numbers nobody could guess but everybody can check: digests, and `fqdn_rand`."""

from __future__ import annotations

from typing import Any

from ...provenance.operations import FunctionCall
from ...provenance.origins import Step
from ..kernel.failures import FunctionFailure
from ..kernel.operations import FQDN_RAND
from ..kernel.traced import Traced
from ..kernel.values import Value
from ..types import ruby
from .registry import Call, calling, function
from .walking import truthy


def _digest(algorithm: str, value: Value) -> str:
    import hashlib

    if not isinstance(value, str):
        raise FunctionFailure(f"no implicit conversion of {ruby.kind_name(value)} into String")
    digits: str = hashlib.new(algorithm, value.encode("utf-8", "surrogateescape")).hexdigest()
    return digits


@function("md5", "Any $text", legacy=True)
def md5(text: Value) -> str:
    """The MD5 digest of a text, in hexadecimal.

    puppet> md5('abc')
    '900150983cd24fb0d6963f7d28e17f72'
    """
    return _digest("md5", text)


@function("sha1", "Any $text", legacy=True)
def sha1(text: Value) -> str:
    """The SHA-1 digest of a text, in hexadecimal.

    puppet> sha1('abc')
    'a9993e364706816aba3e25717850c26c9cd0d89d'
    """
    return _digest("sha1", text)


@function("sha256", "Any $text", legacy=True)
def sha256(text: Value) -> str:
    """The SHA-256 digest of a text, in hexadecimal.

    puppet> sha256('abc')
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    """
    return _digest("sha256", text)


@calling("digest", "Any $text", legacy=True)
def digest(call: Call) -> Traced:
    """The digest of a text by the algorithm of the setting `digest_algorithm` (SHA-256 unless it is set).

    puppet> digest('abc')
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    """
    algorithm = str(call.machine.setting("digest_algorithm") or "sha256")
    return _digest(algorithm, call.values[0]), Step(FunctionCall(algorithm), tuple(call.origins), call.span)


@calling("fqdn_rand", "Any $max, Any *$seed", legacy=True)
def fqdn_rand(call: Call) -> Traced:
    """A number from zero up to but not including a maximum, always the same for the same node and seed.

    The node counts by the fact `networking.fqdn` (in the example `Node.example.com`); a third argument that is true
    takes it in lower case.

    puppet> fqdn_rand(100, 'seed')
    72
    """
    from ..kernel.shadow import Shadow

    facts = call.machine.variable("facts")
    if facts is None or not isinstance(facts[0], dict):
        raise call.fail("undefined method `dig' for nil:NilClass")
    name: Value = facts[0]
    origin = facts[1]
    for key in ("networking", "fqdn"):
        if name is None:
            break
        if not isinstance(name, dict):
            raise call.fail(f"{ruby.ruby_class(name)} does not have #dig method")
        if key not in name:
            name = None
            break
        origin = Shadow(origin).value_in(name, key)
        name = name[key]
    downcase = len(call.values) > 2 and truthy(call.values[2])
    if downcase and not isinstance(name, str):
        raise call.fail(f"undefined method `downcase' for {ruby.inspect(name)}:{ruby.ruby_class(name)}")
    return fqdn_number(name, *call.values), Step(FQDN_RAND, (origin, *call.origins), call.span)


def fqdn_number(name: Value, maximum: Value, seed: Value = None, downcase: Value = None, *rest: Value) -> Value:
    """What `fqdn_rand` gives on a node with this name."""
    import hashlib

    if truthy(downcase):
        name = ruby.downcase(name)
    if isinstance(maximum, str):
        limit: Any = ruby.leading_integer(maximum)
    elif ruby.is_number(maximum):
        limit = int(maximum)
    else:
        raise FunctionFailure(f"undefined method `to_i' for {ruby.inspect(maximum)}:{ruby.ruby_class(maximum)}")
    text = ruby.join([name, limit, seed], ":")
    return random_number(int(hashlib.md5(text.encode("utf-8"), usedforsecurity=False).hexdigest(), 16), limit)


def random_number(seed: int, limit: int) -> int:
    """`Random.new(seed).rand(limit)` of Ruby.

    Ruby and Python share the generator (MT19937); `wherefrom.base.twister` seeds it as Ruby does. Ruby draws a number
    below `limit` by masking words to the bits that `limit - 1` needs, from the highest word down, and begins anew as
    soon as the number is too large. Python's `getrandbits(32)` gives those words.
    """
    if limit <= 0:
        raise FunctionFailure(f"invalid argument - {limit}")
    from ...base.twister import seeded

    words = seeded(seed)
    top = limit - 1
    if top >= 1 << 64:
        return _limited_big(words, top)
    mask = (1 << top.bit_length()) - 1
    while True:
        number = 0
        for position in (1, 0):
            if (mask >> (32 * position)) & 0xFFFFFFFF:
                number |= words.getrandbits(32) << (32 * position)
                number &= mask
                if number > top:
                    break
        else:
            return number


def _limited_big(words: Any, top: int) -> int:
    """As above for limits of more than 64 bits, word by word from the highest."""
    count = (top.bit_length() + 31) // 32
    while True:
        number, boundary = 0, True
        mask = 0
        for position in range(count - 1, -1, -1):
            limit = (top >> (32 * position)) & 0xFFFFFFFF
            mask = 0xFFFFFFFF if mask else ((1 << limit.bit_length()) - 1)
            word = (words.getrandbits(32) & mask) if mask else 0
            if boundary and mask:
                if word > limit:
                    break
                boundary = word == limit
            number |= word << (32 * position)
        else:
            return number
