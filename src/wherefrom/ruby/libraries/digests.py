"""Digest, OpenSSL's digests and HMAC, Zlib.crc32: functions of bytes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import zlib
from typing import Any

from ...base.keys import Symbol
from ..classes import EXCEPTIONS, OBJECT, error, methods, text_of
from ..errors import RubyRefused
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..registry import LIBRARY_CONSTANTS, library_module
from ..showing import inspect, to_s
from ..values import Class, HostObject, Keywords, Module, Value, value_of

DIGEST = library_module("Digest")
OPENSSL = library_module("OpenSSL")
_ALGORITHMS = {"MD5": "md5", "SHA1": "sha1", "SHA256": "sha256", "SHA384": "sha384", "SHA512": "sha512"}


def data_of(value: Value) -> bytes:
    """The bytes of a String."""
    return text_of(value).encode("utf-8", "surrogateescape")


def text_from(data: bytes) -> str:
    """Bytes as a String of bytes: each is a character of its own, even where some would together be one."""
    return data.decode("ascii", "surrogateescape")


def hashed(algorithm: str, data: bytes) -> bytes:
    """The digest of bytes."""
    return hashlib.new(algorithm, data, usedforsecurity=False).digest()


class Running(HostObject):
    """A digest that is fed piece by piece."""

    __slots__ = ("algorithm", "data")
    ruby_class = Class("Digest::Instance", OBJECT)

    def __init__(self, algorithm: str) -> None:
        self.algorithm = algorithm
        self.data = b""


def _update(i: Interpreter, running: Running, a: Args) -> Value:
    more = data_of(a[0])
    i.make_text(len(more))
    running.data += more
    return running


def _finished(running: Running, a: Args) -> bytes:
    return hashed(running.algorithm, data_of(a[0]) if a else running.data)


methods(
    Running.ruby_class,
    0,
    1,
    {
        "update <<": lambda i, s, a, b: _update(i, s, a),
        "hexdigest to_s": lambda i, s, a, b: _finished(s, a).hex(),
        "digest": lambda i, s, a, b: i.binary(text_from(_finished(s, a))),
        "base64digest": lambda i, s, a, b: base64.b64encode(_finished(s, a)).decode(),
        "digest_length length": lambda i, s, a, b: len(_finished(s, [])),
        "name": lambda i, s, a, b: s.algorithm.upper(),
    },
)
Running.ruby_class.frozen = True


def _digest_class(outer: str, name: str, algorithm: str) -> Class:
    cls = Class(f"{outer}::{name}", OBJECT, frozen=True)
    methods(
        cls,
        0,
        1,
        {
            "hexdigest": lambda i, s, a, b: hashed(algorithm, data_of(a[0])).hex(),
            "digest": lambda i, s, a, b: i.binary(text_from(hashed(algorithm, data_of(a[0])))),
            "base64digest": lambda i, s, a, b: base64.b64encode(hashed(algorithm, data_of(a[0]))).decode(),
            "new": lambda i, s, a, b: _new(algorithm, a),
        },
        own=True,
    )
    return cls


def _new(algorithm: str, a: Args) -> Running:
    digest = Running(algorithm)
    if a and a[0] is not None:
        digest.data = data_of(a[0])
    return digest


for _name, _algorithm in _ALGORITHMS.items():
    DIGEST.constants[_name] = _digest_class("Digest", _name, _algorithm)
DIGEST.constants["SHA2"] = _digest_class("Digest", "SHA2", "sha256")
OPENSSL_DIGEST = Class("OpenSSL::Digest", OBJECT, frozen=True)
for _name, _algorithm in _ALGORITHMS.items():
    OPENSSL_DIGEST.constants[_name] = _digest_class("OpenSSL::Digest", _name, _algorithm)


def algorithm_named(i: Interpreter, value: Value) -> str:
    """The algorithm that a name or a digest object means."""
    if isinstance(value, Running):
        return value.algorithm
    name = to_s(i, value).replace("-", "").upper()
    if name not in _ALGORITHMS:
        raise error("RuntimeError", f"Unsupported digest algorithm ({to_s(i, value)}).: unknown object name")
    return _ALGORITHMS[name]


methods(OPENSSL_DIGEST, 1, 2, {"new": lambda i, s, a, b: _new(algorithm_named(i, a[0]), a[1:])}, own=True)
methods(
    OPENSSL_DIGEST,
    2,
    2,
    {
        "hexdigest": lambda i, s, a, b: hashed(algorithm_named(i, a[0]), data_of(a[1])).hex(),
        "digest": lambda i, s, a, b: i.binary(text_from(hashed(algorithm_named(i, a[0]), data_of(a[1])))),
    },
    own=True,
)
HMAC = Class("OpenSSL::HMAC", OBJECT, frozen=True)


def _hmac(i: Interpreter, a: Args) -> bytes:
    return hmac.new(data_of(a[1]), data_of(a[2]), algorithm_named(i, a[0])).digest()


methods(
    HMAC,
    3,
    3,
    {
        "hexdigest": lambda i, s, a, b: _hmac(i, a).hex(),
        "digest": lambda i, s, a, b: i.binary(text_from(_hmac(i, a))),
    },
    own=True,
)
PKCS5 = Module("OpenSSL::PKCS5", frozen=True)
MAXIMUM_ROUNDS = 1_000_000


def _pbkdf2(i: Interpreter, a: Args) -> str:
    rounds = int(a[2])
    if not 0 < rounds <= MAXIMUM_ROUNDS or not 0 < a[3] <= 4096:
        raise error("ArgumentError", "iterations out of bounds")
    i.budget.draw("steps", rounds // 10, "deriving a key", i.at)
    algorithm = algorithm_named(i, a[4]) if len(a) > 4 else "sha1"
    return text_from(hashlib.pbkdf2_hmac(algorithm, data_of(a[0]), data_of(a[1]), rounds, int(a[3])))


methods(PKCS5, 4, 5, {"pbkdf2_hmac": lambda i, s, a, b: _pbkdf2(i, a)}, own=True)
KDF = Module("OpenSSL::KDF", frozen=True)


def _named(a: Args, words: str) -> list[Value]:
    """The keyword arguments of a function that derives keys; all of them are needed."""
    given = a[-1] if type(a[-1]) is Keywords else {}
    names = [Symbol(name) for name in words.split()]
    missing = [f":{name}" for name in names if name not in given]
    if missing:
        raise error("ArgumentError", f"missing keyword{'s' if len(missing) > 1 else ''}: {', '.join(missing)}")
    unknown = [inspect(None, value_of(key)) for key in given if key not in names]
    if unknown:
        raise error("ArgumentError", f"unknown keyword{'s' if len(unknown) > 1 else ''}: {', '.join(unknown)}")
    return [given[name] for name in names]


def _hkdf(i: Interpreter, a: Args) -> str:
    """RFC 5869: a key is extracted from what is given, and made as long as it is wanted."""
    salt, info, length, name = _named(a, "salt info length hash")
    algorithm = algorithm_named(i, name)
    size = hashlib.new(algorithm).digest_size
    wanted = int(length)
    if not 0 < wanted <= 255 * size:
        raise error("ArgumentError", "length out of bounds")
    key = hmac.digest(data_of(salt) or bytes(size), data_of(a[0]), algorithm)
    block, output = b"", b""
    while len(output) < wanted:
        block = hmac.digest(key, block + data_of(info) + bytes([len(output) // size + 1]), algorithm)
        output += block
    return text_from(output[:wanted])


def _scrypt(i: Interpreter, a: Args) -> str:
    salt, cost, size, parallel, length = (
        value if at == 0 else int(value) for at, value in enumerate(_named(a, "salt N r p length"))
    )
    if cost < 2 or cost & (cost - 1) or size < 1 or parallel < 1 or length < 1:
        raise error("OpenSSL::KDF::KDFError", "EVP_PBE_scrypt")
    if cost * size * parallel > 1 << 18 or length > 4096:
        raise RubyRefused("`OpenSSL::KDF.scrypt` with these costs takes too long", i.at)
    i.budget.draw("steps", cost * size * parallel, "deriving a key", i.at)
    memory = 1 << 26
    return text_from(
        hashlib.scrypt(data_of(a[0]), salt=data_of(salt), n=cost, r=size, p=parallel, dklen=length, maxmem=memory)
    )


def _pbkdf2_named(i: Interpreter, a: Args) -> str:
    salt, iterations, length, name = _named(a, "salt iterations length hash")
    return _pbkdf2(i, [a[0], salt, iterations, length, name])


methods(
    KDF,
    1,
    2,
    {
        "pbkdf2_hmac": lambda i, s, a, b: _pbkdf2_named(i, a),
        "hkdf": lambda i, s, a, b: _hkdf(i, a),
        "scrypt": lambda i, s, a, b: _scrypt(i, a),
    },
    own=True,
)
KDF.constants["KDFError"] = EXCEPTIONS["OpenSSL::KDF::KDFError"]
OPENSSL.constants.update(Digest=OPENSSL_DIGEST, HMAC=HMAC, PKCS5=PKCS5, KDF=KDF)
ZLIB = library_module("Zlib")
methods(
    ZLIB,
    1,
    1,
    {
        "crc32": lambda i, s, a, b: zlib.crc32(data_of(a[0])),
        "adler32": lambda i, s, a, b: zlib.adler32(data_of(a[0])),
    },
    own=True,
)

__all__ = ["LIBRARY_CONSTANTS", "Any"]
