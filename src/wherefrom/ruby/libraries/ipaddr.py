"""IPAddr, on Python's `ipaddress` for the reading and writing of addresses."""

from __future__ import annotations

import ipaddress
import re

from ..classes import COMPARABLE, EXCEPTIONS, OBJECT, error, integer_of, is_string, method, methods, singleton, text_of
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..registry import LIBRARY_CONSTANTS, library_module
from ..showing import to_s
from ..values import Class, HostObject, Range, Value

UNSPECIFIED, INET, INET6 = 0, 2, 10
IPADDR = Class("IPAddr", OBJECT)
IPADDR.included.append(COMPARABLE)
SOCKET = library_module("Socket")
SOCKET.constants.update(AF_UNSPEC=UNSPECIFIED, AF_INET=INET, AF_INET6=INET6)


class Address(HostObject):
    """An address and the mask it was given with.

    The mask is applied where it is given; what is computed from an address keeps its mask and is not masked again.
    """

    __slots__ = ("family", "number", "prefix")
    ruby_class = IPADDR

    def __init__(self, number: int, family: int, prefix: int | None = None) -> None:
        self.family = family
        self.prefix = self.bits if prefix is None else prefix
        self.number = number & self.mask

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and (self.number, self.family, self.prefix) == (
            other.number,
            other.family,
            other.prefix,
        )

    def __hash__(self) -> int:
        return hash((self.number, self.family, self.prefix))

    def at(self, number: int) -> Address:
        """Another address under the same mask."""
        if not 0 <= number < 1 << self.bits:
            raise error("IPAddr::InvalidAddressError", f"invalid address: {self.number}")
        copy = Address(number, self.family)
        copy.prefix = self.prefix
        return copy

    @property
    def bits(self) -> int:
        """How long an address of the family is."""
        return 32 if self.family == INET else 128

    @property
    def mask(self) -> int:
        """The mask as a number."""
        return ((1 << self.prefix) - 1) << (self.bits - self.prefix)

    @property
    def first(self) -> int:
        """The first address of the range."""
        return self.number & self.mask

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
def variable(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    """What Ruby's own class keeps, under its names: people ask for `@mask_addr`, which no method tells."""
    name = _VARIABLES.get(to_s(i, a[0]))
    return None if name is None else getattr(self, name)


@singleton(IPADDR, "new", 0, 2)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if not a:
        return Address(0, INET6)
    family = a[1] if len(a) > 1 else UNSPECIFIED
    if is_string(a[0]):
        return _of_family(parse(text_of(a[0])), family)
    if family == UNSPECIFIED:
        raise error("IPAddr::AddressFamilyError", "address family must be specified")
    if family not in (INET, INET6):
        raise error("IPAddr::AddressFamilyError", f"unsupported address family: {to_s(i, family)}")
    number = integer_of(i.send(a[0], "to_i"))
    if not 0 <= number < 1 << (32 if family == INET else 128):
        raise error("IPAddr::InvalidAddressError", "invalid address: ")
    return Address(number, family)


def _of_family(address: Address, family: Value) -> Address:
    """An address that was read, if it is one of the family that was asked for."""
    if family in (UNSPECIFIED, address.family):
        return address
    if family == INET6:
        raise error("IPAddr::InvalidAddressError", "invalid address: ")
    raise error("IPAddr::AddressFamilyError", "address family mismatch")


@singleton(IPADDR, "new_ntoh", 1)
def from_bytes(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return parse(_dotted(text_of(a[0])))


@singleton(IPADDR, "ntop", 1)
def bytes_shown(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return _dotted(text_of(a[0]))


def _dotted(packed: str) -> str:
    """The text of an address in network byte order."""
    data = packed.encode("utf-8", "surrogateescape")
    if len(data) == 4:
        return shown(int.from_bytes(data, "big"), INET)
    if len(data) == 16:
        return ipaddress.IPv6Address(data).exploded
    raise error("IPAddr::AddressFamilyError", "unsupported address family")


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
    return address.first <= other.first and other.last <= address.last


def masked(i: Interpreter, address: Address, mask: Value) -> Address:
    """`address.mask(mask)`"""
    if type(mask) is int:
        if not 0 <= mask <= address.bits:
            raise error("IPAddr::InvalidPrefixError", f"invalid length: {mask}")
        return Address(address.number, address.family, mask)
    return parse(f"{shown(address.number, address.family)}/{to_s(i, mask)}")


def set_prefix(address: Address, prefix: Value) -> Value:
    """`address.prefix = length`"""
    if type(prefix) is not int:
        raise error("IPAddr::InvalidPrefixError", "prefix must be an integer")
    if not 0 <= prefix <= address.bits:
        raise error("IPAddr::InvalidPrefixError", f"invalid length: {address.number}")
    address.prefix = prefix
    address.number &= address.mask
    return prefix


def reverse(address: Address) -> str:
    """`address.reverse`"""
    kind = ipaddress.IPv4Address if address.family == INET else ipaddress.IPv6Address
    return kind(address.number).reverse_pointer


def _only_six(address: Address, suffix: str) -> str:
    """`address.ip6_arpa` and `ip6_int`"""
    if address.family == INET:
        raise error("IPAddr::InvalidAddressError", f"not an IPv6 address: {address.number}")
    return reverse(address).removesuffix("ip6.arpa") + suffix


_MAPPED = 0xFFFF << 32


def _is_mapped(address: Address) -> bool:
    return address.family == INET6 and address.number >> 32 == 0xFFFF


def _is_compatible(address: Address) -> bool:
    return address.family == INET6 and address.number >> 32 == 0 and address.number > 1


def mapped(address: Address) -> Address:
    """`address.ipv4_mapped`"""
    if address.family != INET:
        raise error("IPAddr::InvalidAddressError", f"not an IPv4 address: {address.number}")
    six = Address(address.number | _MAPPED, INET6)
    six.prefix = address.prefix + 96
    return six


def native(address: Address) -> Address:
    """`address.native`"""
    if not (_is_mapped(address) or _is_compatible(address)):
        return address
    four = Address(address.number & 0xFFFFFFFF, INET)
    four.prefix = max(address.prefix - 96, 0)
    return four


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
        "to_range": lambda i, s, a, b: Range(Address(s.first, s.family), Address(s.last, s.family)),
        "succ": lambda i, s, a, b: s.at(s.number + 1),
        "reverse": lambda i, s, a, b: reverse(s),
        "ip6_arpa": lambda i, s, a, b: _only_six(s, "ip6.arpa"),
        "ip6_int": lambda i, s, a, b: _only_six(s, "ip6.int"),
        "hton": lambda i, s, a, b: _bytes(s),
        "native": lambda i, s, a, b: native(s),
        "ipv4_mapped": lambda i, s, a, b: mapped(s),
        "ipv4_mapped?": lambda i, s, a, b: _is_mapped(s),
        "ipv4_compat?": lambda i, s, a, b: _is_compatible(s),
        "clone dup": lambda i, s, a, b: s.at(s.number),
        "private?": lambda i, s, a, b: _is_private(s),
        "loopback?": lambda i, s, a, b: _is_loopback(s),
        "link_local?": lambda i, s, a, b: _is_link_local(s),
        "hash": lambda i, s, a, b: s.number,
        "~": lambda i, s, a, b: s.at(~s.number & ((1 << s.bits) - 1)),
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
        "==": lambda i, s, a, b: order(s, a[0]) == 0,
        "eql?": lambda i, s, a, b: s == a[0],
        "&": lambda i, s, a, b: s.at(s.number & coerce(a[0], s).number),
        "|": lambda i, s, a, b: s.at(s.number | coerce(a[0], s).number),
        "<<": lambda i, s, a, b: s.at((s.number << integer_of(a[0])) & ((1 << s.bits) - 1)),
        ">>": lambda i, s, a, b: s.at(s.number >> integer_of(a[0])),
        "prefix=": lambda i, s, a, b: set_prefix(s, a[0]),
    },
)
for _error in ("Error", "InvalidAddressError", "AddressFamilyError", "InvalidPrefixError"):
    IPADDR.constants[_error] = EXCEPTIONS[f"IPAddr::{_error}"]
IPADDR.frozen = True
LIBRARY_CONSTANTS["IPAddr"] = IPADDR
