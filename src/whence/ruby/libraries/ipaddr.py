"""IPAddr, on Python's `ipaddress` for the reading and writing of addresses."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from ..classes import COMPARABLE, EXCEPTIONS, OBJECT, error, integer_of, is_string, method, methods, singleton, text_of
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..registry import LIBRARY_CONSTANTS, library_module
from ..showing import to_s
from ..values import Class, HostObject, Range, Value

INET, INET6 = 2, 10
IPADDR = Class("IPAddr", OBJECT)
IPADDR.included.append(COMPARABLE)
SOCKET = library_module("Socket")
SOCKET.constants.update(AF_INET=INET, AF_INET6=INET6)


class Address(HostObject):
    """An address and the mask it was given with."""

    __slots__ = ("family", "number", "prefix")
    ruby_class = IPADDR

    def __init__(self, number: int, family: int, prefix: int | None = None) -> None:
        self.family = family
        self.prefix = self.bits if prefix is None else prefix
        self.number = number & self.mask

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and (self.number, self.family) == (other.number, other.family)

    def __hash__(self) -> int:
        return hash((self.number, self.family))

    @property
    def bits(self) -> int:
        """How long an address of the family is."""
        return 32 if self.family == INET else 128

    @property
    def mask(self) -> int:
        """The mask as a number."""
        return ((1 << self.prefix) - 1) << (self.bits - self.prefix)

    @property
    def last(self) -> int:
        """The last address of the range."""
        return self.number | ((1 << (self.bits - self.prefix)) - 1)


def shown(number: int, family: int) -> str:
    """The text of an address."""
    return str(ipaddress.IPv4Address(number) if family == INET else ipaddress.IPv6Address(number))


_ZEROS = re.compile(r"(?:\A|\.)0\d+(?=\.|\Z)")


def _number(text: str) -> tuple[int, int] | None:
    """Number and family of an address."""
    try:
        read = ipaddress.ip_address(text)
    except ValueError:
        return None
    return int(read), INET if read.version == 4 else INET6


def parse(text: str) -> Address:
    """`IPAddr.new(text)`.  Ruby's words tell the address as far as it was known: as a number, or not at all."""
    address, slash, mask = text.partition("/")
    if address.startswith("[") and address.endswith("]"):
        address = address[1:-1]
    known = _number(address.partition("%")[0])
    if known is None:
        if address.count(".") == 3 and _ZEROS.search(address) and address.replace(".", "").isdigit():
            raise error("IPAddr::InvalidAddressError", "zero-filled number in IPv4 address is ambiguous: ")
        raise error("IPAddr::InvalidAddressError", "invalid address: ")
    number, family = known
    if not slash:
        return Address(number, family)
    bits = 32 if family == INET else 128
    if mask.isdigit():
        if int(mask) > bits:
            raise error("IPAddr::InvalidPrefixError", f"invalid length: {number}")
        return Address(number, family, int(mask))
    given = _number(mask)
    if given is None:
        raise error("IPAddr::InvalidAddressError", "invalid address: ")
    prefix = bin(given[0]).count("1")
    if given[0] != ((1 << prefix) - 1) << (bits - prefix):
        raise error("IPAddr::InvalidPrefixError", f"invalid mask {mask}: {number}")
    return Address(number, family, prefix)


_VARIABLES = {"@addr": "number", "@mask_addr": "mask", "@family": "family"}


@method(IPADDR, "instance_variable_get", 1)
def variable(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    """What Ruby's own class keeps, under its names: people ask for `@mask_addr`, which no method tells."""
    name = _VARIABLES.get(to_s(i, a[0]))
    return None if name is None else getattr(self, name)


@singleton(IPADDR, "new", 0, 2)
def new(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if not a:
        return Address(0, INET6)
    if not is_string(a[0]) and len(a) < 2:
        raise error("IPAddr::AddressFamilyError", "address family must be specified")
    if type(a[0]) is int:
        return Address(a[0], a[1])
    return parse(text_of(a[0]))


def coerce(value: Value, like: Address) -> Address:
    """An address from an address, a text or a number."""
    if isinstance(value, Address):
        return value
    if type(value) is int:
        return Address(value, like.family)
    return parse(text_of(value)) if is_string(value) else like


def includes(address: Address, value: Value) -> bool:
    """`address.include?(value)`"""
    other = coerce(value, address)
    if other.family != address.family:
        return False
    return address.number <= other.number and other.last <= address.last


def masked(i: Interpreter, address: Address, mask: Value) -> Address:
    """`address.mask(mask)`"""
    if type(mask) is int:
        if not 0 <= mask <= address.bits:
            raise error("IPAddr::InvalidPrefixError", f"invalid length: {mask}")
        return Address(address.number, address.family, mask)
    return parse(f"{shown(address.number, address.family)}/{to_s(i, mask)}")


def reverse(address: Address) -> str:
    """`address.reverse`"""
    kind = ipaddress.IPv4Address if address.family == INET else ipaddress.IPv6Address
    return kind(address.number).reverse_pointer


def order(address: Address, value: Value) -> Value:
    """`address <=> value`"""
    try:
        other = coerce(value, address)
    except Exception:
        return None
    if not (isinstance(value, Address) or is_string(value) or type(value) is int) or other.family != address.family:
        return None
    return (address.number > other.number) - (address.number < other.number)


def _long(address: Address) -> str:
    if address.family == INET:
        return shown(address.number, INET)
    return ipaddress.IPv6Address(address.number).exploded


def _bytes(address: Address) -> str:
    return address.number.to_bytes(address.bits // 8, "big").decode("utf-8", "surrogateescape")


def _inspect(address: Address) -> str:
    version = "IPv4" if address.family == INET else "IPv6"
    long = _long(address)
    mask = shown(address.mask, INET) if address.family == INET else ipaddress.IPv6Address(address.mask).exploded
    return f"#<IPAddr: {version}:{long}/{mask}>"


def _is_private(address: Address) -> bool:
    networks = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16") if address.family == INET else ("fc00::/7",)
    return any(includes(parse(network), address) for network in networks)


def _is_loopback(address: Address) -> bool:
    return includes(parse("127.0.0.0/8" if address.family == INET else "::1"), address)


def _is_link_local(address: Address) -> bool:
    return includes(parse("169.254.0.0/16" if address.family == INET else "fe80::/10"), address)


methods(
    IPADDR,
    0,
    0,
    {
        "to_s": lambda i, s, a, b: shown(s.number, s.family),
        "to_string": lambda i, s, a, b: _long(s),
        "to_i": lambda i, s, a, b: s.number,
        "inspect": lambda i, s, a, b: _inspect(s),
        "ipv4?": lambda i, s, a, b: s.family == INET,
        "ipv6?": lambda i, s, a, b: s.family == INET6,
        "family": lambda i, s, a, b: s.family,
        "prefix": lambda i, s, a, b: s.prefix,
        "netmask": lambda i, s, a, b: shown(s.mask, s.family),
        "to_range": lambda i, s, a, b: Range(Address(s.number, s.family), Address(s.last, s.family)),
        "succ": lambda i, s, a, b: Address(s.number + 1, s.family),
        "reverse": lambda i, s, a, b: reverse(s),
        "hton": lambda i, s, a, b: _bytes(s),
        "native ipv4_mapped": lambda i, s, a, b: s,
        "private?": lambda i, s, a, b: _is_private(s),
        "loopback?": lambda i, s, a, b: _is_loopback(s),
        "link_local?": lambda i, s, a, b: _is_link_local(s),
        "hash": lambda i, s, a, b: s.number,
        "~": lambda i, s, a, b: Address(~s.number & ((1 << s.bits) - 1), s.family),
    },
)
methods(
    IPADDR,
    1,
    1,
    {
        "include? ===": lambda i, s, a, b: includes(s, a[0]),
        "mask": lambda i, s, a, b: masked(i, s, a[0]),
        "<=>": lambda i, s, a, b: order(s, a[0]),
        "== eql?": lambda i, s, a, b: order(s, a[0]) == 0,
        "&": lambda i, s, a, b: Address(s.number & coerce(a[0], s).number, s.family),
        "|": lambda i, s, a, b: Address(s.number | coerce(a[0], s).number, s.family),
        "<<": lambda i, s, a, b: Address((s.number << integer_of(a[0])) & ((1 << s.bits) - 1), s.family),
        ">>": lambda i, s, a, b: Address(s.number >> integer_of(a[0]), s.family),
        "+": lambda i, s, a, b: Address(s.number + integer_of(a[0]), s.family),
        "-": lambda i, s, a, b: Address(s.number - integer_of(a[0]), s.family),
    },
)
for _error in ("Error", "InvalidAddressError", "AddressFamilyError", "InvalidPrefixError"):
    IPADDR.constants[_error] = EXCEPTIONS[f"IPAddr::{_error}"]
IPADDR.frozen = True
LIBRARY_CONSTANTS["IPAddr"] = IPADDR
