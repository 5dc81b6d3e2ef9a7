"""Uniform resource identifiers: reading, writing, and the parameters of the type `URI`.

The parts are those of RFC 3986, found with the pattern of its appendix B. As in Ruby's library, an identifier whose
part after the scheme does not start with a slash is opaque (`mailto:me@example.com`), and the schemes below have a
port of their own, which is not written.
"""

from __future__ import annotations

import re

from ...base.sprintf import text_literal
from ..kernel.type_failures import ConversionError, TypeProblem
from ..kernel.values import URI, Value
from .containers import StructElement, StructType
from .model import NotUndefType, OptionalType, PuppetType, TypeType, UndefType, VariantType
from .scalars import (
    ENUM,
    NON_EMPTY_STRING,
    PATTERN,
    REGEXP,
    URI_PARTS,
    IntegerType,
    StringType,
    URIType,
)

DEFAULT_PORTS = {"ftp": 21, "http": 80, "https": 443, "ldap": 389, "ldaps": 636, "ws": 80, "wss": 443}
_PARTS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_ALLOWED = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*")
_WITH_SCHEME = re.compile(r"[a-zA-Z][-+.a-zA-Z0-9]*:")
_AUTHORITY = re.compile(r"(?:([^@]*)@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?")


def parse_uri(text: str) -> URI:
    """The parts of a URI; raises `ConversionError` for what is none."""
    if not text.isascii():
        raise ConversionError(f"URI must be ascii only {text_literal(text, ascii_only=True)}")
    if not _ALLOWED.fullmatch(text):
        raise ConversionError(f"bad URI(is not URI?): {text_literal(text)}")
    whole = _PARTS.fullmatch(text)
    assert whole is not None
    scheme, authority, path, query, fragment = whole.groups()
    lower = None if scheme is None else scheme.lower()
    if scheme is None and authority is None and ":" in path.partition("/")[0]:
        raise ConversionError(f"bad URI(is not URI?): {text_literal(text)}")
    if scheme is not None and authority is None and path and not path.startswith("/"):
        opaque = path if query is None else f"{path}?{query}"
        return URI(_join(lower, None, opaque, None, fragment), lower, opaque=opaque, fragment=fragment)
    userinfo = host = port = None
    if authority is not None:
        parts = _AUTHORITY.fullmatch(authority)
        if parts is None:
            raise ConversionError(f"bad URI(is not URI?): {text_literal(text)}")
        userinfo, host = parts[1], parts[2]
        port = int(parts[3]) if parts[3] else None
    usual = DEFAULT_PORTS.get(lower or "")
    if authority is not None:
        shown = host if port is None or port == usual else f"{host}:{port}"
        authority = shown if userinfo is None else f"{userinfo}@{shown}"
    port = usual if port is None else port
    return URI(_join(lower, authority, path, query, fragment), lower, userinfo, host, port, path, query, fragment)


def _join(scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None) -> str:
    text = "" if scheme is None else f"{scheme}:"
    text += ("" if authority is None else f"//{authority}") + path
    text += "" if query is None else f"?{query}"
    return text if fragment is None else f"{text}#{fragment}"


def build_uri(parts: dict[str, Value]) -> URI:
    """A URI from a hash of its parts, each of which must be one; queries and fragments are made so."""
    parts = {name: parts[name] for name in URI_PARTS if name in parts}
    for name in ("scheme", "userinfo", "host", "path", "opaque"):
        if name in parts:
            _check_component(name, str(parts[name]), str(parts.get("scheme", "")))
    scheme = parts.get("scheme")
    text = f"{scheme}:" if scheme is not None else ""
    if "opaque" in parts:
        text += str(parts["opaque"])
    else:
        if "host" in parts:
            text += "//"
            if "userinfo" in parts:
                text += f"{parts['userinfo']}@"
            text += str(parts["host"])
            port = parts.get("port")
            if port is not None and port != DEFAULT_PORTS.get(str(scheme)):
                text += f":{port}"
        path = str(parts.get("path", ""))
        if path and not path.startswith("/") and "host" in parts:  # as Ruby writes it, which nobody can read again
            shown = URI(text + path, *(parts.get(name) for name in URI_PARTS[:-1]))
            return shown
        text += path
        if "query" in parts:
            text += f"?{_escaped(str(parts['query']))}"
    if "fragment" in parts:
        text += f"#{_escaped(str(parts['fragment']))}"
    return parse_uri(text)


_COMPONENTS = {
    "scheme": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*"),
    "userinfo": re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:%]*"),
    "host": re.compile(r"\[[0-9A-Fa-f:.]*\]|[A-Za-z0-9\-._~!$&'()*+,;=%]*"),
    "path": re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*"),
    "opaque": re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*"),
}


def _check_component(name: str, text: str, scheme: str) -> None:
    """Complain about what can not be this part of a URI; with a scheme, other than that of FTP, a path is absolute."""
    part = "userinfo component or user" if name == "userinfo" else name
    absolute = name == "path" and scheme not in ("", "ftp")
    if name == "path":
        part = "absolute path" if absolute else "relative path"
    if not _COMPONENTS[name].fullmatch(text) or (absolute and text and not text.startswith("/")):
        raise ConversionError(f"bad component(expected {part} component): {text}")


def _escaped(text: str) -> str:
    return re.sub(
        rb"(?!%[0-9A-Fa-f]{2}|[!$-&(-;=?-_a-~]).", lambda byte: b"%%%02X" % ord(byte[0]), text.encode()
    ).decode()


def _parameter(*more: PuppetType) -> PuppetType:
    return OptionalType(VariantType((*more, TypeType(NotUndefType()), TypeType(UndefType()))))


_TEXT = _parameter(NON_EMPTY_STRING, REGEXP, TypeType(PATTERN), TypeType(ENUM))
_PORT = _parameter(IntegerType(0))


def _struct(text: PuppetType, port: PuppetType) -> StructType:
    return StructType(
        tuple(
            StructElement(OptionalType(StringType(value=part)), port if part == "port" else text) for part in URI_PARTS
        )
    )


URI_PARAMETERS = _struct(_TEXT, _PORT)
URI_HASH = _struct(NON_EMPTY_STRING, IntegerType(0))


def uri_type(uri: URI) -> URIType:
    """The type of one URI: all its parts, in lower case where case does not matter, without the usual port."""
    parts: dict[str, object] = {}
    if uri.scheme is not None:
        parts["scheme"] = uri.scheme
    if uri.userinfo is not None:
        parts["userinfo"] = uri.userinfo
    if uri.host:
        parts["host"] = uri.host.lower()
    usual = (uri.port, uri.scheme) in ((80, "http"), (443, "https"))
    if uri.port is not None and not usual:
        parts["port"] = str(uri.port)
    if uri.path:
        parts["path"] = uri.path
    for name in ("query", "fragment", "opaque"):
        if getattr(uri, name) is not None:
            parts[name] = getattr(uri, name)
    return URIType(parts)


def uri_parameters(given: Value) -> dict[str, object] | None:
    """What `URI[given]` asks for, or nothing if that is no URI and no hash of parts."""
    if isinstance(given, str) and given:
        if not _WITH_SCHEME.search(given):
            raise TypeProblem("URI-Type parameter has wrong type, expects a URI with a scheme, got String")
        return uri_type(parse_uri(given)).parameters
    if isinstance(given, dict) and URI_PARAMETERS.accepts(given):
        return {str(key): value for key, value in given.items()}
    return None
