"""URI: taking one apart and encoding parts of one."""

from __future__ import annotations

import re
from urllib.parse import unquote, unquote_plus

from ..classes import EXCEPTIONS, OBJECT, error, methods, text_of
from ..errors import RubyRefused
from ..hashing import number_of
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..registry import library_module
from ..showing import quote, to_s
from ..values import Class, HostObject, Native, Value, value_of
from .small import percent_encode

URI = library_module("URI")
_PARTS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.\-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?\Z", re.DOTALL)
_ALLOWED = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*\Z")
_PORTS = {"http": 80, "https": 443, "ftp": 21, "ldap": 389, "ldaps": 636, "ws": 80, "wss": 443}
GENERIC = Class("URI::Generic", OBJECT)
_CLASSES = {
    name.lower(): Class(f"URI::{name}", GENERIC, frozen=True)
    for name in ("HTTP", "FTP", "LDAP", "MailTo", "File", "WS")
}
_CLASSES["https"] = Class("URI::HTTPS", _CLASSES["http"], frozen=True)


class Parsed(HostObject):
    """A URI in its parts."""

    __slots__ = ("fragment", "host", "opaque", "path", "port", "query", "ruby_class", "scheme", "userinfo")

    def __init__(self, text: str) -> None:
        match = _PARTS.match(text)
        if match is None or not _ALLOWED.match(text):
            shown = "URI must be ascii only " if not text.isascii() else "bad URI(is not URI?): "
            raise error("URI::InvalidURIError", f"{shown}{quote(text)}")
        self.scheme, authority, self.path, self.query, self.fragment = match.groups()
        if not self.scheme and authority is None and ":" in self.path.partition("/")[0]:
            raise error("URI::InvalidURIError", f"bad URI(is not URI?): {quote(text)}")
        self.scheme = self.scheme.lower() if self.scheme else None
        self.opaque = None
        self.userinfo = self.host = self.port = None
        if self.scheme and authority is None and self.path and not self.path.startswith("/"):
            self.opaque, self.path = self.path, None
        if authority is not None:
            user, at, place = authority.rpartition("@")
            self.userinfo = user if at else None
            match = re.match(r"(\[[^\]]*\]|[^:]*)(?::(\d*))?\Z", place)
            assert match is not None
            host, port = match.groups()
            self.host = host or ("" if self.scheme == "file" else None)
            self.port = int(port) if port else None
        if self.port is None:
            self.port = _PORTS.get(self.scheme or "")
        self.ruby_class = _CLASSES.get(self.scheme or "", GENERIC)

    def text(self) -> str:
        """The whole again."""
        out = f"{self.scheme}:" if self.scheme else ""
        if self.opaque is not None:
            return out + self.opaque
        if self.host is not None:
            port = f":{self.port}" if self.port is not None and self.port != _PORTS.get(self.scheme or "") else ""
            out += f"//{self.userinfo + '@' if self.userinfo else ''}{self.host}{port}"
        out += self.path or ""
        if self.query is not None:
            out += f"?{self.query}"
        return out + (f"#{self.fragment}" if self.fragment is not None else "")

    def components(self, normal: bool = False) -> list[Value]:
        """What is compared; `normal`: as `normalize` makes it, which `==` asks for and `eql?` does not."""
        host, path = self.host, self.path
        if normal:
            host = host.lower() if host else host
            path = "/" if self.scheme and self.opaque is None and not path else path
        return [self.ruby_class.name, self.scheme, self.userinfo, host, self.port, path, self.query, self.opaque,
                self.fragment]  # fmt: skip


def _user(parsed: Parsed, at: int) -> Value:
    parts = (parsed.userinfo or "").split(":", 1)
    return parts[at] if parsed.userinfo and at < len(parts) else None


def _set(parsed: Parsed, name: str, value: Value) -> Value:
    setattr(parsed, name, value)
    return value


def _setter(name: str) -> Native:
    return lambda i, s, a, b: _set(s, name, a[0])


methods(
    GENERIC,
    0,
    0,
    {
        "scheme": lambda i, s, a, b: s.scheme,
        "host": lambda i, s, a, b: s.host,
        "hostname": lambda i, s, a, b: s.host.strip("[]") if s.host else s.host,
        "port": lambda i, s, a, b: s.port,
        "path": lambda i, s, a, b: s.path,
        "query": lambda i, s, a, b: s.query,
        "fragment": lambda i, s, a, b: s.fragment,
        "opaque": lambda i, s, a, b: s.opaque,
        "userinfo": lambda i, s, a, b: s.userinfo,
        "user": lambda i, s, a, b: _user(s, 0),
        "password": lambda i, s, a, b: _user(s, 1),
        "to_s": lambda i, s, a, b: s.text(),
        "inspect": lambda i, s, a, b: f"#<{s.ruby_class.name} {s.text()}>",
        "absolute?": lambda i, s, a, b: s.scheme is not None,
        "relative?": lambda i, s, a, b: s.scheme is None,
        "request_uri": lambda i, s, a, b: (s.path or "/") + (f"?{s.query}" if s.query else ""),
    },
)


def _fetch(i: Interpreter, self: Parsed, a: Args, block: object) -> Value:
    """What `open-uri` adds."""
    raise RubyRefused(f"`{self.ruby_class.name}#read` reaches the network, which is not allowed", i.at)


methods(GENERIC, 0, -1, {"read open": _fetch})
for _name in ("scheme", "host", "port", "path", "query", "fragment", "userinfo"):
    methods(GENERIC, 1, 1, {f"{_name}=": _setter(_name)})
methods(GENERIC, 0, 0, {"hash": lambda i, s, a, b: number_of(i, s.components())})
methods(
    GENERIC,
    1,
    1,
    {
        "==": lambda i, s, a, b: isinstance(a[0], Parsed) and s.components(True) == a[0].components(True),
        "eql?": lambda i, s, a, b: isinstance(a[0], Parsed) and s.components() == a[0].components(),
    },
)
GENERIC.frozen = True


def form(i: Interpreter, value: Value) -> str:
    """`URI.encode_www_form`"""
    pairs = [(value_of(key), item) for key, item in value.items()] if isinstance(value, dict) else value
    parts = []
    for key, item in pairs:
        name = percent_encode(to_s(i, key), "*-._", "+")
        if type(item) is list:  # of several values, those that are nothing leave their place empty
            parts.append("&".join("" if element is None else _pair(i, name, element) for element in item))
        else:
            parts.append(name if item is None else _pair(i, name, item))
    return "&".join(parts)


def _pair(i: Interpreter, name: str, value: Value) -> str:
    return f"{name}={percent_encode(to_s(i, value), '*-._', '+')}"


def decode_form(text: str) -> list[Value]:
    """`URI.decode_www_form`"""
    return [[unquote_plus(part) for part in pair.partition("=")[::2]] for pair in text.split("&") if pair]


SAFE = "-_.!~*'();/?:@&=+$,[]"
methods(
    URI,
    1,
    2,
    {
        "parse": lambda i, s, a, b: a[0] if isinstance(a[0], Parsed) else Parsed(text_of(a[0])),
        "escape encode": lambda i, s, a, b: percent_encode(text_of(a[0]), SAFE, "%20"),
        "unescape decode": lambda i, s, a, b: unquote(text_of(a[0])),
        "encode_www_form_component": lambda i, s, a, b: percent_encode(to_s(i, a[0]), "*-._", "+"),
        "decode_www_form_component": lambda i, s, a, b: unquote_plus(text_of(a[0])),
        "encode_uri_component": lambda i, s, a, b: percent_encode(to_s(i, a[0]), "*-._", "%20"),
        "encode_www_form": lambda i, s, a, b: form(i, a[0]),
        "decode_www_form": lambda i, s, a, b: decode_form(text_of(a[0])),
        "regexp": lambda i, s, a, b: i.regexp(r"[A-Za-z][A-Za-z0-9+.\-]*:\S+"),
    },
    own=True,
)
methods(URI, 1, -1, {"join": lambda i, s, a, b: _join(i, a)}, own=True)


def _join(i: Interpreter, a: Args) -> Parsed:
    from urllib.parse import urljoin

    text = to_s(i, a[0])
    for part in a[1:]:
        text = urljoin(text, to_s(i, part))
    return Parsed(text)


class Escaper(HostObject):
    """`URI::DEFAULT_PARSER`"""

    __slots__ = ()
    ruby_class = Class("URI::RFC2396_Parser", OBJECT)


methods(
    Escaper.ruby_class,
    1,
    2,
    {
        "escape": lambda i, s, a, b: percent_encode(text_of(a[0]), SAFE, "%20"),
        "unescape": lambda i, s, a, b: unquote(text_of(a[0])),
        "parse": lambda i, s, a, b: Parsed(text_of(a[0])),
    },
)
Escaper.ruby_class.frozen = True
methods(Escaper.ruby_class, 0, 0, {"new": lambda i, s, a, b: Escaper()}, own=True)
URI.constants.update(
    Generic=GENERIC,
    HTTP=_CLASSES["http"],
    HTTPS=_CLASSES["https"],
    FTP=_CLASSES["ftp"],
    LDAP=_CLASSES["ldap"],
    DEFAULT_PARSER=Escaper(),
    Parser=Escaper.ruby_class,
    RFC2396_Parser=Escaper.ruby_class,
)
for _error in ("Error", "InvalidURIError", "InvalidComponentError"):
    URI.constants[_error] = EXCEPTIONS[f"URI::{_error}"]


def _uri(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return a[0] if isinstance(a[0], Parsed) else Parsed(text_of(a[0]))


from ..classes import KERNEL  # noqa: E402

methods(KERNEL, 1, 1, {"URI": _uri})
