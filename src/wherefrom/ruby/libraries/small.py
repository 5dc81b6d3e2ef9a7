"""Small libraries: Base64, Shellwords, Math, Encoding, CGI, ERB, Singleton, Forwardable, Gem::Version."""

from __future__ import annotations

import base64
import math
import re
from typing import Any

from ..classes import OBJECT, core_class, error, methods, singleton, text_of
from ..hashing import number_of
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..numerals import float_
from ..registry import LIBRARY_CONSTANTS, library_module
from ..showing import to_s
from ..values import Class, HostObject, Module, Native, Object, Value

BASE64 = library_module("Base64")


def _data(value: Value) -> bytes:
    return text_of(value).encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def encode64(data: bytes) -> str:
    """Base64 in lines of 60 characters."""
    encoded = base64.b64encode(data).decode()
    return "".join(encoded[at : at + 60] + "\n" for at in range(0, len(encoded), 60))


def decode64(text: str) -> bytes:
    """Base64, forgiving."""
    cleaned = re.sub(r"[^A-Za-z0-9+/]", "", text.partition("=")[0])
    cleaned += "=" * (-len(cleaned) % 4)
    try:
        return base64.b64decode(cleaned)
    except ValueError:
        return b""


def strict_decode64(text: str) -> bytes:
    """Base64, strict."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise error("ArgumentError", "invalid base64") from None


methods(
    BASE64,
    1,
    2,
    {
        "encode64": lambda i, s, a, b: encode64(_data(a[0])),
        "strict_encode64": lambda i, s, a, b: base64.b64encode(_data(a[0])).decode(),
        "urlsafe_encode64": lambda i, s, a, b: base64.urlsafe_b64encode(_data(a[0])).decode(),
        "decode64": lambda i, s, a, b: i.binary(_text(decode64(text_of(a[0])))),
        "strict_decode64": lambda i, s, a, b: i.binary(_text(strict_decode64(text_of(a[0])))),
        "urlsafe_decode64": lambda i, s, a, b: i.binary(
            _text(decode64(text_of(a[0]).replace("-", "+").replace("_", "/")))
        ),
    },
    own=True,
)

# --- Shellwords ------------------------------------------------------------------------------------------------------

SHELLWORDS = library_module("Shellwords")


def shell_escape(text: str) -> str:
    """`Shellwords.escape`"""
    if not text:
        return "''"
    return re.sub(r"[^A-Za-z0-9_\-.,:+/@\n]", lambda character: "\\" + character.group(), text).replace("\n", "'\n'")


def shell_split(i: Interpreter, text: str) -> list[Value]:
    """`Shellwords.split`: words of ASCII stay without an encoding, as the empty texts that they are gathered in."""
    import shlex

    try:
        return [i.binary(word) if word.isascii() else word for word in shlex.split(text)]
    except ValueError:
        raise error("ArgumentError", f"Unmatched quote: {text}") from None


methods(
    SHELLWORDS,
    1,
    1,
    {
        "escape shellescape": lambda i, s, a, b: shell_escape(to_s(i, a[0])),
        "split shellsplit shellwords": lambda i, s, a, b: shell_split(i, text_of(a[0])),
        "join shelljoin": lambda i, s, a, b: " ".join(shell_escape(to_s(i, part)) for part in a[0]),
    },
    own=True,
)

# --- Math ------------------------------------------------------------------------------------------------------------

MATH = library_module("Math")
MATH.constants.update(PI=math.pi, E=math.e)


def _domain(name: str, function: Any, i: Interpreter, a: Args) -> float:
    try:
        return float(function(*(float_(i, value) for value in a)))
    except (ValueError, OverflowError):
        raise error("ArgumentError", f'Numerical argument is out of domain - "{name}"') from None


def _in_domain(name: str) -> Native:
    function = getattr(math, name)
    return lambda i, s, a, b: _domain(name, function, i, a)


for _name in (
    "sqrt",
    "cbrt",
    "sin",
    "cos",
    "tan",
    "atan",
    "exp",
    "log2",
    "log10",
    "asin",
    "acos",
    "sinh",
    "cosh",
    "tanh",
):
    methods(
        MATH,
        1,
        1,
        {_name: _in_domain(_name)},
        own=True,
    )
methods(
    MATH,
    1,
    2,
    {
        "log": lambda i, s, a, b: -math.inf if a[0] == 0 else _domain("log", math.log, i, a),
        "pow": lambda i, s, a, b: float_(i, a[0]) ** float_(i, a[1]),
        "hypot": lambda i, s, a, b: math.hypot(*a),
        "atan2": lambda i, s, a, b: math.atan2(*a),
    },
    own=True,
)

# --- Encoding --------------------------------------------------------------------------------------------------------

ENCODING = core_class("Encoding")
LIBRARY_CONSTANTS["Encoding"] = ENCODING


class Encoding(HostObject):
    """An encoding by name; texts are Unicode whatever it is."""

    __slots__ = ("name",)
    ruby_class = ENCODING

    def __init__(self, name: str) -> None:
        self.name = name


_encodings = {
    name: Encoding(name) for name in ("UTF-8", "US-ASCII", "ASCII-8BIT", "ISO-8859-1", "UTF-16LE", "UTF-16BE")
}
for _label, _encoding in _encodings.items():
    ENCODING.constants[_label.replace("-", "_")] = _encoding
ENCODING.constants.update(BINARY=_encodings["ASCII-8BIT"], ASCII=_encodings["US-ASCII"])
methods(ENCODING, 0, 0, {"to_s name": lambda i, s, a, b: s.name, "inspect": lambda i, s, a, b: f"#<Encoding:{s.name}>"})
methods(ENCODING, 1, 1, {"==": lambda i, s, a, b: s is a[0]})
methods(
    ENCODING,
    0,
    0,
    {"default_external default_internal": lambda i, s, a, b: _encodings["UTF-8"]},
    own=True,
)


def encoding(name: str) -> Encoding:
    """An encoding by name."""
    return _encodings[name]


# --- CGI and ERB::Util -----------------------------------------------------------------------------------------------


def escape_html(text: str) -> str:
    """`ERB::Util.html_escape`"""
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(char, entity)
    return text


def percent_encode(text: str, safe: str, space: str) -> str:
    """Percent-encoding of everything outside `safe`."""
    from urllib.parse import quote

    return quote(text.encode("utf-8", "surrogateescape"), safe=safe).replace("%20", space)


ERB = core_class("ERB")
LIBRARY_CONSTANTS["ERB"] = ERB
ERB_UTIL = Module("ERB::Util", frozen=True)
ERB.constants["Util"] = ERB_UTIL
for _owner in (ERB_UTIL,):
    methods(
        _owner,
        1,
        1,
        {
            "html_escape h": lambda i, s, a, b: escape_html(to_s(i, a[0])),
            "url_encode u": lambda i, s, a, b: percent_encode(to_s(i, a[0]), "-_.~", "%20"),
        },
        own=True,
    )


@singleton(ERB, "new", 0, -1)
def new_erb(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    from ..errors import RubyRefused

    raise RubyRefused("`ERB.new` evaluates a string as code, which is not allowed", i.at)


CGI = core_class("CGI")
LIBRARY_CONSTANTS["CGI"] = CGI


def _unescape(text: str) -> str:
    from urllib.parse import unquote_plus

    return unquote_plus(text)


methods(
    CGI,
    1,
    1,
    {
        "escape": lambda i, s, a, b: percent_encode(text_of(a[0]), "*-._", "+"),
        "unescape": lambda i, s, a, b: _unescape(text_of(a[0])),
        "escapeHTML escape_html h": lambda i, s, a, b: escape_html(text_of(a[0])),
    },
    own=True,
)

# --- Singleton, Forwardable ------------------------------------------------------------------------------------------

SINGLETON = library_module("Singleton")
FORWARDABLE = library_module("Forwardable")


def _instance(i: Interpreter, cls: Class) -> Value:
    instance = cls.ivars.get("*instance")
    if instance is None:
        instance = cls.ivars["*instance"] = i.send(cls, "new", [])
    return instance


def _included(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    from ..values import Method

    a[0].own["instance"] = Method("instance", lambda i, s, a, b: _instance(i, s), 0, 0)
    return None


methods(SINGLETON, 1, 1, {"included": _included}, own=True)


def _delegate(i: Interpreter, module: Module, target: str, name: str, alias: str) -> None:
    from ..values import Method

    def run(inner: Interpreter, self: Value, a: Args, block: Any) -> Value:
        holder = self.ivars.get(target) if target.startswith("@") else inner.send(self, target)
        return inner.send(holder, name, a, block)

    module.methods[alias] = Method(alias, run, owner=module)


def _def_delegators(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    for name in a[1:]:
        _delegate(i, self, to_s(i, a[0]), to_s(i, name), to_s(i, name))
    return None


def _def_delegator(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    _delegate(i, self, to_s(i, a[0]), to_s(i, a[1]), to_s(i, a[2] if len(a) > 2 else a[1]))
    return None


methods(
    FORWARDABLE,
    2,
    -1,
    {
        "def_delegators def_instance_delegators": _def_delegators,
        "def_delegator def_instance_delegator": _def_delegator,
    },
)

# --- Gem::Version ----------------------------------------------------------------------------------------------------

GEM = library_module("Gem")
VERSION = Class("Gem::Version", OBJECT, make=Object)
GEM.constants["Version"] = VERSION


def version_parts(text: str) -> list[Value]:
    """The segments of a version; letters make a prerelease."""
    return [int(part) if part.isdigit() else part for part in re.findall(r"[0-9]+|[a-z]+", text.lower())]


def compare_versions(one: str, two: str) -> int:
    """`Gem::Version#<=>`"""
    left, right = version_parts(one), version_parts(two)
    while left and left[-1] == 0:
        left.pop()
    while right and right[-1] == 0:
        right.pop()
    for at in range(max(len(left), len(right))):
        first = left[at] if at < len(left) else 0
        second = right[at] if at < len(right) else 0
        if first == second:
            continue
        if isinstance(first, str) and isinstance(second, int):
            return -1
        if isinstance(first, int) and isinstance(second, str):
            return 1
        return -1 if first < second else 1
    return 0


def _new_version(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    text = to_s(i, a[0]).strip()
    if text and not re.fullmatch(r"[0-9]+(\.[0-9a-zA-Z]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?", text):
        raise error("ArgumentError", f"Malformed version number string {text}")
    version = Object(VERSION)
    version.host = text or "0"
    return version


def _version_text(i: Interpreter, value: Value) -> str:
    return value.host if isinstance(value, Object) and value.cls is VERSION else to_s(i, value)


from ..classes import COMPARABLE  # noqa: E402

VERSION.included.append(COMPARABLE)
methods(VERSION, 1, 1, {"new create": _new_version}, own=True)
methods(
    VERSION,
    1,
    1,
    {
        "<=>": lambda i, s, a, b: compare_versions(s.host, _version_text(i, a[0])) if a[0] is not None else None,
        "eql?": lambda i, s, a, b: isinstance(a[0], Object) and a[0].cls is VERSION and s.host == a[0].host,
    },
)
methods(
    VERSION,
    0,
    0,
    {
        "to_s version": lambda i, s, a, b: s.host,
        "hash": lambda i, s, a, b: number_of(i, s.host),
        "segments": lambda i, s, a, b: version_parts(s.host),
        "inspect": lambda i, s, a, b: f'Gem::Version.new("{s.host}")',
        "prerelease?": lambda i, s, a, b: any(isinstance(part, str) for part in version_parts(s.host)),
    },
)
VERSION.frozen = True
