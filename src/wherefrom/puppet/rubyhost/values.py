"""Puppet's values as Ruby sees them, and the way back.

Most are the same objects on both sides: texts, numbers, arrays and hashes are handed over as they are, so that a
template that changes an array changes Puppet's. `enter` and `leave` deal with the others: a regular expression is
Ruby's own on the Ruby side, `default` is the Symbol `:default`, and what Ruby gives back is opened (`Text`) and made
plain (`Hash`). Types, `Sensitive`, versions, times and the like stay what they are; `foreign_classes` says what Ruby
can do with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.keys import Symbol
from ...base.secrets import opened
from ...ruby.classes import COMPARABLE, OBJECT, REGEXP, SYMBOL, error
from ...ruby.showing import regexp_text
from ...ruby.values import Arguments, Class, Hash, Keywords, Method, Text
from ...ruby.values import Regexp as RubyRegexp
from ..kernel.values import (
    DEFAULT,
    URI,
    Binary,
    Default,
    Iterator,
    Key,
    Reference,
    Regexp,
    SemVer,
    SemVerRange,
    Sensitive,
    Timespan,
    Timestamp,
    Value,
    hash_key,
    key_value,
)

if TYPE_CHECKING:
    from ...ruby.interpreter import Interpreter

UNDEF = Symbol("undef")
DEFAULT_SYMBOL = Symbol("default")


def enter(interpreter: Interpreter, value: Value) -> Any:
    """A value of Puppet's as Ruby gets it."""
    kind = type(value)
    if kind is Regexp:
        return interpreter.regexp(value.source)
    if kind is Default:
        return DEFAULT_SYMBOL
    return value


def leave(value: Any) -> Value:
    """What Ruby gives back, as Puppet keeps it.  Arrays and plain hashes stay the same objects, put right in place."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None or kind is float:
        return value
    if kind is Text:
        return value.value
    if kind is list or kind is dict or kind is Hash or kind is Keywords:
        return _settled(value, {})
    if kind is RubyRegexp:
        return Regexp(regexp_text(value) if value.options else value.source)
    if kind is Symbol:
        return DEFAULT if value == DEFAULT_SYMBOL else None if value == UNDEF else value
    return value


def _settled(value: Any, seen: dict[int, Any]) -> object:
    known = seen.get(id(value))
    if known is not None:
        return known
    kind = type(value)
    if kind is list:
        seen[id(value)] = value
        for index, item in enumerate(value):
            inside = type(item)
            if inside is not str and inside is not int:
                new = _settled(item, seen) if inside is list or isinstance(item, dict) else leave(item)
                if new is not item:
                    value[index] = new
        return value
    plain = value if kind is dict else dict(value)
    seen[id(value)] = plain
    for key, item in list(plain.items()):
        inside = type(item)
        if inside is not str and inside is not int:
            new = _settled(item, seen) if inside is list or isinstance(item, dict) else leave(item)
            if new is not item:
                plain[key] = new
    return plain


def rebuilt(value: object, moved: dict[int, tuple[Any, tuple[Any, ...]]]) -> Value:
    """What a function of the old interface gives back: new containers, and `:undef` anywhere is undef.

    The new containers are put down as `moved` from the old ones.
    """
    copy: object
    if type(value) is list:
        copy = [rebuilt(item, moved) for item in value]
    elif isinstance(value, dict):
        copy = {_key(key): rebuilt(item, moved) for key, item in value.items()}
    else:
        return leave(value)
    moved[id(copy)] = copy, (value,)
    return copy


def _key(key: object) -> Any:
    return hash_key(leave(key_value(key))) if type(key) is Key else key


# --- what Ruby can do with values of Puppet's own --------------------------------------------------------------------


def _shown(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return str(self)


def _equal(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> Any:
    return bool(self == arguments[0])


def _unwrap(interpreter: Interpreter, self: Sensitive, arguments: Arguments, block: Any) -> object:
    opened()
    if block is not None:
        return block.call([self.value])
    return self.value


def _accepts(interpreter: Interpreter, self: Any, arguments: Arguments, block: object) -> object:
    return bool(self.accepts(leave(arguments[0])))


def _assignable(interpreter: Interpreter, self: Any, arguments: Arguments, block: object) -> object:
    return bool(self.assignable(arguments[0]))


def _type_name(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    return str(self).partition("[")[0]


def _type_key(part: int) -> Any:
    """`type_name` and `title` of a reference to a resource."""

    def read(interpreter: Interpreter, self: Any, arguments: Arguments, block: Any) -> Any:
        from ..types.callables import ClassType

        if isinstance(self, ClassType):
            return ("Class", self.class_name)[part]
        return (self.type_name, self.title)[part]

    return read


def _compare(interpreter: Interpreter, self: Any, arguments: Arguments, block: Any) -> Any:
    other = arguments[0]
    if type(other) is not type(self):
        return None
    return (self > other) - (self < other)


def _seconds(interpreter: Interpreter, self: Any, arguments: Arguments, block: object) -> object:
    return self.nanoseconds // 1_000_000_000


def _base64(interpreter: Interpreter, self: Binary, arguments: Arguments, block: object) -> object:
    return self.base64()


def _each(interpreter: Interpreter, self: Iterator, arguments: Arguments, block: Any) -> object:
    for value in _walk(self):
        block.one(value)
    return self


def _to_a(interpreter: Interpreter, self: Iterator, arguments: Arguments, block: object) -> object:
    return _walk(self)


def _walk(iterator: Iterator) -> list[object]:
    return [enter_plain(value) for value in iterator]


def enter_plain(value: Value) -> object:
    """A value inside a container, where no interpreter is at hand."""
    return DEFAULT_SYMBOL if value is DEFAULT else value


def _inspected(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """Sensitive values show themselves as what they are, never what is in them."""
    return f"#<{self}>"


def _is_default(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    return arguments[0] is self or arguments[0] == DEFAULT_SYMBOL


def _version_next(interpreter: Interpreter, self: SemVer, arguments: Arguments, block: object) -> object:
    """`version.next(:minor)`"""
    part = word(arguments[0])
    if part == "major":
        return SemVer(self.major + 1, 0, 0)
    return SemVer(self.major, self.minor + 1, 0) if part == "minor" else SemVer(self.major, self.minor, self.patch + 1)


def _identifiers(parts: tuple[str | int, ...]) -> str | None:
    return ".".join(map(str, parts)) if parts else None


_VERSION_PARTS: dict[str, Any] = {
    "major": lambda i, self, a, b: self.major,
    "minor": lambda i, self, a, b: self.minor,
    "patch": lambda i, self, a, b: self.patch,
    "tiny": lambda i, self, a, b: self.patch,
    "prerelease": lambda i, self, a, b: _identifiers(self.prerelease),
    "build": lambda i, self, a, b: _identifiers(self.build),
    "stable?": lambda i, self, a, b: not self.prerelease,
    "next": _version_next,
}
_SHOWN = {"to_s": _shown, "==": _equal, "eql?": _equal}
ANY_TYPE = Class("Puppet::Pops::Types::PAnyType", OBJECT, {**_SHOWN, "instance?": _accepts, "===": _accepts,
                 "assignable?": _assignable, "name": _type_name, "simple_name": _type_name}, frozen=True)  # fmt: skip
ENTRY_TYPE = Class("Puppet::Pops::Types::PCatalogEntryType", ANY_TYPE, frozen=True)
RESOURCE_TYPE = Class("Puppet::Pops::Types::PResourceType", ENTRY_TYPE,
                      {"type_name": _type_key(0), "title": _type_key(1)}, frozen=True)  # fmt: skip
CLASS_TYPE = Class("Puppet::Pops::Types::PClassType", ENTRY_TYPE, {"class_name": _type_key(1)}, frozen=True)
REFERENCE = Class("Puppet::Resource", OBJECT, frozen=True)
SENSITIVE = Class("Puppet::Pops::Types::PSensitiveType::Sensitive", OBJECT,
                  {**_SHOWN, "inspect": _inspected, "unwrap": _unwrap}, frozen=True)  # fmt: skip
VERSION = Class("SemanticPuppet::Version", OBJECT, {**_SHOWN, "inspect": _shown, "<=>": _compare, **_VERSION_PARTS},
                frozen=True)  # fmt: skip
VERSION.included.append(COMPARABLE)
VERSION_RANGE = Class("SemanticPuppet::VersionRange", OBJECT, {**_SHOWN, "inspect": _shown}, frozen=True)
BINARY = Class("Puppet::Pops::Types::PBinaryType::Binary", OBJECT, {
    **_SHOWN, "to_s": _base64, "length": lambda i, self, a, b: len(self.data),
    "binary_buffer": lambda i, self, a, b: self.data.decode("utf-8", "surrogateescape"),
}, frozen=True)  # fmt: skip
TIMESPAN = Class("Puppet::Pops::Time::Timespan", OBJECT, {**_SHOWN, "<=>": _compare, "to_i": _seconds}, frozen=True)
TIMESTAMP = Class("Puppet::Pops::Time::Timestamp", OBJECT, {**_SHOWN, "<=>": _compare, "to_i": _seconds}, frozen=True)
ADDRESS = Class("URI::Generic", OBJECT, dict(_SHOWN), frozen=True)


def _as_regexp(name: str) -> Any:
    """A method of Ruby's regular expressions, for one of Puppet's that stands in a container."""

    def call(interpreter: Interpreter, self: Regexp, arguments: Arguments, block: Any) -> Any:
        return interpreter.send(interpreter.regexp(self.source), name, arguments, block)

    return call


PATTERN = Class("Regexp", REGEXP, {
    name: _as_regexp(name) for name in "source to_s inspect match match? =~ === options casefold? names hash".split()
} | {"==": _equal, "eql?": _equal}, frozen=True)  # fmt: skip
DEFAULT_CLASS = Class("Symbol", SYMBOL, {
    "to_s": lambda i, self, a, b: "default", "inspect": lambda i, self, a, b: ":default",
    "to_sym": lambda i, self, a, b: DEFAULT_SYMBOL, "==": _is_default, "===": _is_default, "eql?": _is_default,
}, frozen=True)  # fmt: skip
"""`default` that stands in a container: by itself it is handed over as the Symbol."""
ITERATOR = Class("Puppet::Pops::Types::Iterator", OBJECT, {"each": _each, "to_a": _to_a}, frozen=True)


def _make_sensitive(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    return Sensitive(leave(arguments[0]))


SENSITIVE.own["new"] = Method("new", _make_sensitive, 1, 1)


def _binary_of_bytes(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """`Binary.from_binary_string(bytes)`, `Binary.from_string(text)`"""
    return Binary(text_argument(arguments[0]).encode("utf-8", "surrogateescape"))


def _binary_of_base64(interpreter: Interpreter, self: object, arguments: Arguments, block: object) -> object:
    """`Binary.from_base64(text)`, `Binary.from_base64_strict(text)`"""
    decoded = interpreter.send(interpreter.top_constant("Base64"), "decode64", arguments)
    return _binary_of_bytes(interpreter, self, [decoded], block)


for _name, _maker in (("from_binary_string", _binary_of_bytes), ("from_string", _binary_of_bytes),
                      ("from_base64", _binary_of_base64), ("from_base64_strict", _binary_of_base64)):  # fmt: skip
    BINARY.own[_name] = Method(_name, _maker, 1, 1)


def type_class_name(kind: type) -> str:
    """The Ruby class of a type: `PStringType` for `StringType`."""
    return f"Puppet::Pops::Types::P{kind.__name__}"


def foreign_classes() -> dict[type, Class]:
    """The Ruby classes of Puppet's own values, by their Python types."""
    from ..types.callables import ClassType, ResourceType
    from ..types.model import PuppetType

    classes: dict[type, Class] = {
        Reference: REFERENCE,
        Sensitive: SENSITIVE,
        SemVer: VERSION,
        SemVerRange: VERSION_RANGE,
        Binary: BINARY,
        Timespan: TIMESPAN,
        Timestamp: TIMESTAMP,
        URI: ADDRESS,
        Iterator: ITERATOR,
        Regexp: PATTERN,
        Default: DEFAULT_CLASS,
        ResourceType: RESOURCE_TYPE,
        ClassType: CLASS_TYPE,
    }
    waiting: list[type] = [PuppetType]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if kind not in classes:
            classes[kind] = Class(type_class_name(kind), ANY_TYPE, frozen=True)
    return classes


def text_argument(value: object, what: str = "String") -> str:
    """An argument that must be a text."""
    if type(value) is str:
        return value
    if type(value) is Text:
        return value.value
    from ...ruby.classes import class_of

    name = "nil" if value is None else str(value).lower() if isinstance(value, bool) else class_of(value).name
    raise error("TypeError", f"no implicit conversion of {name} into {what}")


def word(value: object) -> str:
    """A name given as a text or a Symbol."""
    if type(value) is Symbol:
        return str(value.name)
    return text_argument(value)


def need_arguments(arguments: Arguments, count: int) -> None:
    """Ruby's complaint about fewer arguments than a method needs."""
    if len(arguments) < count:
        raise error("ArgumentError", f"wrong number of arguments (given {len(arguments)}, expected {count})")
