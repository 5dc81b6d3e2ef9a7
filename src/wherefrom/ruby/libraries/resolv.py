"""Resolv, as far as it needs no network: the forms of addresses, and addresses as objects.  Lookups are refused."""

from __future__ import annotations

import ipaddress
from typing import Any

from ..classes import EXCEPTIONS, OBJECT, error, methods, singleton, text_of
from ..errors import RubyRefused
from ..interpreter import Interpreter, compile_pattern
from ..methods.objects import Args
from ..registry import LIBRARY_CONSTANTS, PerRun
from ..values import Class, HostObject, Module, Regexp, Value

_BYTE = r"(0|1\d{0,2}|2(?:[0-4]\d?|5[0-5]?|[6-9])?|[3-9]\d?)"
_HEX = r"[0-9A-Fa-f]{1,4}"
_SOME = rf"((?:{_HEX}(?::{_HEX})*)?)"
_NUMBERS = r"(\d+)\.(\d+)\.(\d+)\.(\d+)"
_FOUR = rf"\A{_BYTE}\.{_BYTE}\.{_BYTE}\.{_BYTE}\z"
_SIX = {
    "Regex_8Hex": rf"\A(?:{_HEX}:){{7}}{_HEX}\z",
    "Regex_CompressedHex": rf"\A{_SOME}::{_SOME}\z",
    "Regex_6Hex4Dec": rf"\A((?:{_HEX}:){{6}}){_NUMBERS}\z",
    "Regex_CompressedHex4Dec": rf"\A{_SOME}::((?:{_HEX}:)*){_NUMBERS}\z",
}
_LINK_LOCAL = (
    rf"\A[Ff][Ee]80(?::{_HEX}){{7}}%[0-9A-Za-z\-]+\z|\A[Ff][Ee]80:(?:{_SOME}::{_SOME})?:{_HEX}%[0-9A-Za-z.\-]+\z"
)
_ANY_SIX = "|".join(f"(?:{source})" for source in (*_SIX.values(), _LINK_LOCAL))


def _regexp(source: str) -> Regexp:
    return Regexp(source, 0, compile_pattern(source, 0))


class Numeric(HostObject):
    """`Resolv::IPv4.create(text)`, `Resolv::IPv6.create(text)`"""

    __slots__ = ("address", "ruby_class")

    def __init__(self, cls: Class, address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
        self.ruby_class = cls
        self.address = address

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Numeric) and other.address == self.address

    def __hash__(self) -> int:
        return hash(self.address)


class Name(HostObject):
    """The name under which an address is asked for: `Resolv::DNS::Name`."""

    __slots__ = ("text",)
    ruby_class = Class("Resolv::DNS::Name", OBJECT)

    def __init__(self, text: str) -> None:
        self.text = text


def _bytes(value: Numeric) -> str:
    return value.address.packed.decode("utf-8", "surrogateescape")


def _creator(kind: Any, complaint: str) -> object:
    def create(i: Interpreter, self: Class, a: Args, block: object) -> Value:
        if isinstance(a[0], Numeric):
            return a[0]
        try:
            return Numeric(self, kind(text_of(a[0])))
        except ValueError:
            raise error("ArgumentError", complaint.format(text_of(a[0]))) from None

    return create


def _address_class(name: str, create: Any, constants: dict[str, str]) -> Class:
    """`Resolv::IPv4`, `Resolv::IPv6`"""
    cls = Class(f"Resolv::{name}", OBJECT)
    singleton(cls, "create", 1)(create)
    methods(
        cls,
        0,
        0,
        {
            "to_s": lambda i, s, a, b: str(s.address),
            "inspect": lambda i, s, a, b: f"#<{s.ruby_class.name} {s.address}>",
            "to_name": lambda i, s, a, b: Name(s.address.reverse_pointer),
            "address": lambda i, s, a, b: _bytes(s),
        },
    )
    methods(cls, 1, 1, {"== eql?": lambda i, s, a, b: s == a[0]})
    cls.constants.update({constant: _regexp(source) for constant, source in constants.items()})
    return cls


methods(
    Name.ruby_class,
    0,
    0,
    {
        "to_s": lambda i, s, a, b: s.text,
        "inspect": lambda i, s, a, b: f"#<Resolv::DNS::Name: {s.text}.>",
        "absolute?": lambda i, s, a, b: True,
    },
)
Name.ruby_class.frozen = True


def _refuse(i: Interpreter, self: Module, a: Args, block: object) -> Value:
    raise RubyRefused(f"`{self.name}` reaches the network, which is not allowed", i.at)


_LOOKUPS = "new open getaddress getaddresses getname getnames each_address each_name getresource getresources"
_RECORDS = ("A", "AAAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT", "ANY", "HINFO")


def resolv() -> Module:
    """The library, for one run."""
    module = Module("Resolv")
    dns, hosts = Class("Resolv::DNS", OBJECT), Class("Resolv::Hosts", OBJECT)
    for lookup in (module, dns, hosts):
        methods(lookup, 0, -1, {_LOOKUPS: _refuse}, own=True)
    resource = Class("Resolv::DNS::Resource", OBJECT)
    internet = Class("Resolv::DNS::Resource::IN", resource)
    for record in _RECORDS:
        internet.constants[record] = Class(f"Resolv::DNS::Resource::IN::{record}", resource)
    resource.constants["IN"] = internet
    dns.constants.update(Resource=resource, Name=Name.ruby_class)
    four = _creator(ipaddress.IPv4Address, 'cannot interpret as IPv4 address: "{}"')
    six = _creator(ipaddress.IPv6Address, "not numeric IPv6 address: {}")
    module.constants.update(
        IPv4=_address_class("IPv4", four, {"Regex": _FOUR, "Regex256": _BYTE}),
        IPv6=_address_class("IPv6", six, {"Regex": _ANY_SIX, **_SIX}),
        AddressRegex=_regexp(f"(?:{_FOUR})|(?:{_ANY_SIX})"),
        DNS=dns,
        Hosts=hosts,
        ResolvError=EXCEPTIONS["Resolv::ResolvError"],
        ResolvTimeout=EXCEPTIONS["Resolv::ResolvTimeout"],
    )
    return module


LIBRARY_CONSTANTS["Resolv"] = PerRun(resolv)
