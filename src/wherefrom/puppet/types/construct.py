"""`new`: making instances of types from other values.

Every type that can be made has a `Constructor`: signatures with the functions behind them, like any function of the
language, and perhaps words of its own for arguments that fit none. The names under which Puppet registers these
functions appear in its messages (`'new_float' The string 'x' cannot be converted to Float`), so they are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ...base.budget import current
from ..kernel.failures import a_an
from ..kernel.type_failures import ConversionError, FormatProblem, SignatureMismatch, TypeProblem
from ..kernel.values import (
    DEFAULT,
    NANOSECONDS,
    Binary,
    Deferred,
    Iterator,
    ObjectValue,
    Regexp,
    SemVer,
    Sensitive,
    Timespan,
    Timestamp,
    Value,
    hash_key,
    key_value,
)
from .access import ruby_class
from .callables import InitType
from .containers import ITERABLE, ArrayType, HashType, StructType, TupleType
from .infer import infer, shown_type
from .mismatch import assert_instance
from .model import NotUndefType, OptionalType, PuppetType, TypeAlias, TypeType, UnitType, variant_of
from .objects import BUILTIN_OBJECTS, DEFERRED, ERROR, ObjectType, ObjectTypeExtension
from .printing import type_text
from .reading import parse_type, type_of_text
from .scalars import (
    BinaryType,
    BooleanType,
    EnumType,
    FloatType,
    IntegerType,
    NumericType,
    RegexpType,
    SemVerRangeType,
    SemVerType,
    SensitiveType,
    StringType,
    TimespanType,
    TimestampType,
    URIType,
)
from .signatures import CallableSignature, describe_signatures, match_signature
from .sprintf import float_from_text, integer_from_text

Make = Callable[..., Value]
Words = Callable[..., str]


class Constructor:
    """The `new` of one type: what it takes, what it does, and what it says when it cannot."""

    __slots__ = ("dispatches", "mismatches", "name")

    def __init__(
        self,
        name: str,
        dispatches: Sequence[tuple[CallableSignature, Make]],
        mismatches: Sequence[tuple[CallableSignature, Words]] = (),
    ) -> None:
        self.name = name
        self.dispatches = dispatches
        self.mismatches = mismatches

    def call(self, arguments: list[Value]) -> Value:
        """Make an instance."""
        signatures = [signature for signature, _ in self.dispatches]
        chosen = match_signature(signatures, arguments)
        if chosen is not None:
            return self.dispatches[chosen][1](*arguments)
        for signature, words in self.mismatches:
            if signature.takes(arguments):
                raise ConversionError(f"'{self.name}' {words(*arguments)}")
        raise SignatureMismatch(describe_signatures(self.name, signatures, arguments))


def new_instance(type: PuppetType, arguments: list[Value]) -> Value:
    """`type.new(arguments...)`"""
    if len(arguments) == 1 and not isinstance(type, InitType) and type.accepts(arguments[0]):
        return arguments[0]
    instance = constructor(type).call(arguments)
    return assert_instance(f"Converted value from {type_text(type)}.new()", type, instance)


def constructor(type: PuppetType) -> Constructor:
    """The `new` of a type.  Raises `TypeProblem` if it has none."""
    match type:
        case TypeAlias():
            return constructor(type.resolved)
        case OptionalType() if type.type is not None:
            return constructor(type.type)
        case NotUndefType() | UnitType():
            if isinstance(type, NotUndefType) and type.type is not None:
                return constructor(type.type)
            return Constructor("new_unit", [(_signature("Any from"), lambda value: value)])
        case InitType() if type.type is not None:
            return _init_constructor(type)
        case ObjectType() if not type.is_default():
            return _object_constructor(type)
        case ObjectTypeExtension():
            return _object_constructor(type.base)
        case StructType():
            return _builtin(HashType)
        case TupleType():
            return _builtin(ArrayType)
    if type.__class__ in _TABLES:
        return _builtin(type.__class__)
    raise TypeProblem(f"Creation of new instance of type '{type_text(type)}' is not supported")


_made: dict[type, Constructor] = {}


def _builtin(kind: type) -> Constructor:
    if kind not in _made:
        _made[kind] = _TABLES[kind]()
    return _made[kind]


# --- signatures as text ----------------------------------------------------------------------------------------------


def _signature(text: str, local: dict[str, PuppetType] | None = None) -> CallableSignature:
    """`Integer days; String format?`: types and names, the optional ones marked."""
    types, names, required = [], [], 0
    resolver = None if local is None else local.get
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        type_words, name = part.rsplit(" ", 1)
        types.append(parse_type(type_words, resolver))
        names.append(name.rstrip("?"))
        required += not name.endswith("?")
    return CallableSignature(types, names, required)


def _local_types(*definitions: str) -> dict[str, PuppetType]:
    """`Name = Type` one after the other; later ones may use earlier ones."""
    known: dict[str, PuppetType] = {}
    for definition in definitions:
        name, text = definition.split(" = ", 1)
        known[name] = TypeAlias(name, parse_type(text, known.get))
    return known


_DECIMAL = r"(?:0|[1-9]\d*)"
_HEX = "(?:0[xX][0-9A-Fa-f]+)"
_OCTAL = "(?:0[0-7]+)"
_BINARY = "(?:0[bB][01]+)"
_SIGN = r"[+-]?\s*"
_FLOAT_TEXT = rf"\A{_SIGN}(?:(?:{_DECIMAL}(?:\.\d+)?(?:[eE]-?\d+)?)|{_HEX}|{_OCTAL}|{_BINARY})\z"
_INTEGER_TEXT = rf"\A{_SIGN}(?:(?:\d+)|{_HEX}|{_BINARY})\z"


def _cannot_convert(kind: str) -> Words:
    def words(value: Value, *_: Value) -> str:
        if isinstance(value, str):
            return f"The string '{value}' cannot be converted to {kind}"
        return f"Value of type {shown_type(value)} cannot be converted to {kind}"

    return words


# --- numbers ---------------------------------------------------------------------------------------------------------


def _without_gap(text: str) -> str | None:
    """A sign and a number that are apart, brought together."""
    parts = re.fullmatch(r"([+-])[ \t]+(.*)", text, re.DOTALL)
    return None if parts is None else parts[1] + parts[2]


def _parsed(text: str, read: Callable[[str], Any]) -> Any:
    """A number from text, or Ruby's words for what is none."""
    try:
        return read(text)
    except FormatProblem as problem:
        joined = _without_gap(text)
        if joined is not None:
            try:
                return read(joined)
            except FormatProblem:
                pass
        raise ConversionError(problem.message) from None


def _whole(value: Value, radix: Value = DEFAULT) -> int:
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            from .printing import float_text

            raise ConversionError(float_text(value))
        return int(value)
    if isinstance(value, Timespan | Timestamp):
        return value.nanoseconds // NANOSECONDS
    if isinstance(value, int):
        return int(value)
    return int(_parsed(value, lambda text: integer_from_text(text, None if radix is DEFAULT else radix)))


def _integer() -> Constructor:
    local = _local_types(
        "Radix = Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]",
        f"Convertible = Variant[Numeric, Boolean, Pattern[/{_INTEGER_TEXT}/], Timespan, Timestamp]",
        "NamedArgs = Struct[{from => Convertible, Optional[radix] => Radix, Optional[abs] => Boolean}]",
    )

    def from_arguments(value: Value, radix: Value = DEFAULT, absolute: bool = False) -> int:
        number = _whole(value, radix)
        return abs(number) if absolute else number

    def from_hash(given: dict[Any, Value]) -> int:
        return from_arguments(given["from"], given.get("radix") or DEFAULT, given.get("abs") or False)

    def check_radix(radix: Value) -> None:
        if radix is not DEFAULT and radix not in (2, 8, 10, 16):
            raise ConversionError(f"Illegal radix: {radix}, expected 2, 8, 10, 16, or default")

    def bad_hash(given: dict[Any, Value]) -> str:
        if "from" in given and not local["Convertible"].accepts(given["from"]):
            return bad(given["from"])
        if given.get("radix") is not None:
            check_radix(given["radix"])
        assert_instance("Integer.new", local["NamedArgs"], given)
        return ""

    def bad(value: Value, radix: Value = DEFAULT, absolute: Value = None) -> str:
        check_radix(radix)
        return _cannot_convert("Integer")(value)

    return Constructor(
        "new",
        [
            (_signature("Convertible from; Radix radix?; Boolean abs?", local), from_arguments),
            (_signature("NamedArgs hash_args", local), from_hash),
        ],
        [(_signature("Hash hash_args"), bad_hash), (_signature("Any from; Integer radix?; Boolean abs?"), bad)],
    )


def _real(value: Value) -> float:
    if isinstance(value, Timespan | Timestamp):
        return value.seconds
    if isinstance(value, str):
        if value[:2].lower() == "0b":
            return float(integer_from_text(value))
        return float(_parsed(value, float_from_text))
    return float(value)


def _numeric_constructor(name: str, kind: str, accepted: str, convert: Callable[[Value], Any]) -> Constructor:
    local = _local_types(
        f"Convertible = Variant[{accepted}, Boolean, Pattern[/{_FLOAT_TEXT}/], Timespan, Timestamp]",
        "NamedArgs = Struct[{from => Convertible, Optional[abs] => Boolean}]",
    )

    def from_arguments(value: Value, absolute: bool = False) -> object:
        number = convert(value)
        return abs(number) if absolute else number

    def from_hash(given: dict[Any, Value]) -> object:
        return from_arguments(given["from"], given.get("abs") or False)

    return Constructor(
        name,
        [
            (_signature("Convertible from; Boolean abs?", local), from_arguments),
            (_signature("NamedArgs hash_args", local), from_hash),
        ],
        [(_signature("Any from; Boolean abs?"), _cannot_convert(kind))],
    )


def _float() -> Constructor:
    return _numeric_constructor("new_float", "Float", "Numeric", _real)


_NUMERIC = re.compile(r"[ \t]*([-+]?)[ \t]*((0[xX][0-9A-Fa-f]+)|(0?\d+)((?:\.\d+)?(?:[eE]-?\d+)?))[ \t]*", re.ASCII)


def to_number(text: str) -> int | float | None:
    """The number that a text says, as arithmetic on strings reads it; nothing if it says none.

    >>> to_number("0x1F"), to_number("017"), to_number("1.5e3"), to_number("09"), to_number("abc")
    (31, 15, 1500.0, None, None)
    """
    parts = _NUMERIC.fullmatch(text.removeprefix("::"))
    if parts is None:
        return None
    sign, digits, _, whole, fraction = parts.groups()
    if fraction:
        if int(whole) == 0 and re.fullmatch(r"\.?0*[eE].*", fraction):
            return None
        number: int | float = float(digits)
        if number == float("inf"):
            return None
    else:
        try:
            number = integer_from_text(digits)
        except FormatProblem:
            return None
    return -number if sign == "-" else number


def _numeric() -> Constructor:
    def convert(value: Value) -> object:
        if isinstance(value, Timespan | Timestamp):
            return value.seconds
        if isinstance(value, bool):
            return int(value)
        if not isinstance(value, str):
            return value
        if value[:2].lower() in ("0b", "0x"):
            return integer_from_text(value)
        return to_number(value)

    return _numeric_constructor("new_numeric", "Numeric", "Integer, Float", convert)


def _boolean() -> Constructor:
    def convert(value: Value) -> bool:
        if isinstance(value, str):
            return value.lower() not in ("false", "no", "n")
        return bool(value)

    accepted = "Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]] from"
    return Constructor(
        "new_boolean", [(_signature(accepted), convert)], [(_signature("Any from"), _cannot_convert("Boolean"))]
    )


# --- text ------------------------------------------------------------------------------------------------------------


def _string() -> Constructor:
    from .formats import format_value

    local = _local_types(
        r"Format = Pattern[/^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$/]",
        "ContainerFormat = Struct[{Optional[format] => Format, Optional[separator] => String, "
        "Optional[separator2] => String, Optional[string_formats] => Hash[Type, Format]}]",
        "TypeMap = Hash[Type, Variant[Format, ContainerFormat]]",
        "Convertible = Any",
        "Formats = Variant[Default, String[1], TypeMap]",
    )
    return Constructor("new_string", [(_signature("Convertible from; Formats string_formats?", local), format_value)])


def _regexp() -> Constructor:
    def convert(pattern: str, escape: bool = False) -> Regexp:
        regexp = Regexp(_escape(pattern) if escape else pattern)
        _ = regexp.compiled  # to find errors here
        return regexp

    # Puppet registers this one under the name of another.
    return Constructor("new_float", [(_signature("String pattern; Boolean escape?"), convert)])


def _escape(text: str) -> str:
    """Ruby's `Regexp.escape`."""
    controls = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\v": "\\v", " ": "\\ "}
    return "".join(
        controls.get(character) or ("\\" + character if character in r".*?+^$|\()[]{}-#" else character)
        for character in text
    )


def _type() -> Constructor:
    return Constructor("new_type", [(_signature("String[1] type_string"), type_of_text)])


# --- collections -----------------------------------------------------------------------------------------------------


def elements_of(value: Value) -> list[Value] | None:
    """What iterating over a value yields, or nothing if it cannot be iterated over."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [[key_value(key), element] for key, element in value.items()]
    if isinstance(value, str | Iterator):
        return list(value)
    if isinstance(value, TypeAlias):
        return elements_of(value.resolved)
    if isinstance(value, EnumType):
        return list(value.values)
    if isinstance(value, IntegerType) and value.is_finite():
        _check_length(value.high - value.low)
        return list(range(value.low, value.high + 1))
    if type(value) is int and value >= 0:
        _check_length(value)
        return list(range(value))
    return None


def _check_length(length: int) -> None:
    budget = current()
    if not budget.allows("elements", length):
        budget.over("elements", f"making an array of {length:,} integers")


def _array() -> Constructor:
    def to_array(value: Value, wrap: bool = False) -> list[Value]:
        if isinstance(value, Binary):
            return list(value.data)
        elements = elements_of(value)
        return [] if elements is None else elements

    def wrapped(value: Value, wrap: bool) -> list[Value]:
        return value if isinstance(value, list) else [value]

    def bad(value: Value, wrap: bool = False) -> str:
        return f"Value of type {shown_type(value)} cannot be converted to Array"

    return Constructor(
        "new_array",
        [
            (_signature("Variant[Array,Hash,Binary,Iterable] from; Boolean[false] wrap?"), to_array),
            (_signature("Any from; Boolean[true] wrap"), wrapped),
        ],
        [(_signature("Any from; Boolean wrap?"), bad)],
    )


def _hash() -> Constructor:
    def from_pairs(pairs: list[Value]) -> dict[Any, Value]:
        return {hash_key(key): value for key, value in pairs}

    def from_tree(pairs: list[Value], option: str | None = None) -> dict[Any, Value]:
        return from_pairs(pairs) if option is None else _build_tree(pairs, option == "hash_tree")

    def from_any(value: Value) -> dict[Any, Value]:
        if isinstance(value, dict):
            return value
        elements = elements_of(value) if isinstance(value, list) or ITERABLE.accepts(value) else None
        if elements is None:
            raise ConversionError(f"Value of type {shown_type(value)} cannot be converted to Hash")
        if len(elements) % 2:
            raise ConversionError("odd number of arguments for Hash")
        return {hash_key(elements[at]): elements[at + 1] for at in range(0, len(elements), 2)}

    local = _local_types(
        "KeyValueArray = Array[Tuple[Any,Any],1]",
        "TreeArray = Array[Tuple[Array,Any],1]",
        "NewHashOption = Enum[tree, hash_tree]",
    )
    return Constructor(
        "new_hash",
        [
            (_signature("TreeArray from; NewHashOption build_option?", local), from_tree),
            (_signature("KeyValueArray from", local), from_pairs),
            (_signature("Any from"), from_any),
        ],
    )


def _build_tree(pairs: list[Value], all_hashes: bool) -> dict[Any, Value]:
    """A nested hash from pairs of a path and a value; an array met on the way is changed in a copy."""

    def as_hash(value: Value) -> Value:
        if not all_hashes or not isinstance(value, list):
            return list(value) if isinstance(value, list) else dict(value) if isinstance(value, dict) else value
        return {index: as_hash(element) for index, element in enumerate(value)}

    result: dict[Any, Value] = {}
    for path, value in pairs:
        if not path:
            if isinstance(value, list):
                result.update(enumerate(value))
            elif isinstance(value, dict):
                result.update(value)
            else:
                raise ConversionError(f"no implicit conversion of {ruby_class(value)} into Hash")
            continue
        inside: object = result
        for step in path[:-1]:
            if isinstance(inside, list):
                inside = inside[step] if isinstance(step, int) and -len(inside) <= step < len(inside) else None
            elif isinstance(inside, dict):
                inside = inside.setdefault(hash_key(step), {})
        last = path[-1]
        if isinstance(inside, list) and isinstance(last, int):
            _check_length(last)
            inside.extend([None] * (last + 1 - len(inside)))
            inside[last] = as_hash(value)
        elif isinstance(inside, dict):
            inside[hash_key(last)] = as_hash(value)
        else:
            raise ConversionError(f"undefined method `[]=' for {ruby_class(inside)}")
    return result


# --- the rest --------------------------------------------------------------------------------------------------------


def _sensitive() -> Constructor:
    return Constructor(
        "new_Sensitive",
        [(_signature("Sensitive value"), lambda value: value), (_signature("Any value"), Sensitive)],
    )


def _binary() -> Constructor:
    import base64
    import binascii

    local = _local_types(
        "ByteInteger = Integer[0,255]",
        'Base64Format = Enum["%b", "%u", "%B", "%s", "%r"]',
        'StringHash = Struct[{value => String, "format" => Optional[Base64Format]}]',
        "ArrayHash = Struct[{value => Array[ByteInteger]}]",
        "BinaryArgsHash = Variant[StringHash, ArrayHash]",
    )

    def from_text(text: str, format: str | None = None) -> Binary:
        if format == "%s":
            return Binary(text.encode())
        if format == "%r":
            return Binary(text.encode())
        if format == "%b":
            kept = re.sub(r"[^A-Za-z0-9+/]", "", text.split("=")[0])
            kept = kept[: len(kept) - (len(kept) % 4 == 1)]
            return Binary(base64.b64decode(kept + "=" * (-len(kept) % 4)))
        try:
            if format == "%u":
                padded = text if text.endswith("=") else text + "=" * (-len(text) % 4)
                return Binary(base64.b64decode(padded.replace("-", "+").replace("_", "/"), validate=True))
            return Binary(base64.b64decode(text, validate=True))
        except (binascii.Error, ValueError):
            raise ConversionError("invalid base64") from None

    def from_hash(given: dict[Any, Value]) -> Binary:
        value = given["value"]
        return Binary(bytes(value)) if isinstance(value, list) else from_text(value, given.get("format"))

    return Constructor(
        "new_Binary",
        [
            (_signature("String str; Base64Format format?", local), from_text),
            (_signature("Array[ByteInteger] byte_array", local), lambda given: Binary(bytes(given))),
            (_signature("BinaryArgsHash hash_args", local), from_hash),
        ],
    )


_FORMATS = "Formats = Variant[String[2],Array[String[2], 1]]"


def _seconds(seconds: int | float) -> int:
    return seconds * NANOSECONDS if isinstance(seconds, int) else int(seconds * NANOSECONDS)


def _timespan() -> Constructor:
    from ..kernel.times import TIMESPAN_FORMATS, parse_timespan, timespan_from_fields, timespan_from_hash

    local = _local_types(_FORMATS)
    fields = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds")
    members = ", ".join(f"Optional[{field}] => Integer" for field in fields)
    return Constructor(
        "new_timespan",
        [
            (_signature("Variant[Integer,Float] seconds"), lambda seconds: Timespan(_seconds(seconds))),
            (
                _signature("String[1] string; Formats format?", local),
                lambda text, format=TIMESPAN_FORMATS: parse_timespan(text, format),
            ),
            (
                _signature("; ".join(f"Integer {field}{'?' if at > 3 else ''}" for at, field in enumerate(fields))),
                lambda *counts: timespan_from_fields(False, *counts),
            ),
            (
                _signature("Struct[{string => String[1], Optional[format] => Formats}] hash_arg", local),
                timespan_from_hash,
            ),
            (_signature(f"Struct[{{Optional[negative] => Boolean, {members}}}] hash_arg"), timespan_from_hash),
        ],
    )


def _timestamp() -> Constructor:
    from ..kernel.times import parse_timestamp, timestamp_from_hash

    local = _local_types(_FORMATS)
    members = "string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]"

    def now() -> Timestamp:
        from time import time_ns

        return Timestamp(time_ns())

    return Constructor(
        "new_timestamp",
        [
            (CallableSignature((), ()), now),
            (_signature("Variant[Integer,Float] seconds"), lambda seconds: Timestamp(_seconds(seconds))),
            (_signature("String[1] string; Formats format?; String[1] timezone?", local), parse_timestamp),
            (_signature(f"Struct[{{{members}}}] hash_arg", local), timestamp_from_hash),
        ],
    )


def _semver() -> Constructor:
    from .versions import VERSION, parse_version

    local = _local_types(
        "PositiveInteger = Integer[0,default]",
        r"SemVerQualifier = Pattern[/\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z/]",
        rf"SemVerPattern = Pattern[/\A{VERSION.pattern.removesuffix(chr(92) + 'n?')}\Z/]",
        "SemVerHash = Struct[{major=>PositiveInteger,minor=>PositiveInteger,patch=>PositiveInteger,"
        "Optional[prerelease]=>SemVerQualifier,Optional[build]=>SemVerQualifier}]",
    )

    def make(major: int, minor: int, patch: int, prerelease: str | None = None, build: str | None = None) -> SemVer:
        return SemVer(major, minor, patch, (prerelease,) if prerelease else (), (build,) if build else ())

    def from_hash(given: dict[Any, Value]) -> SemVer:
        return make(given["major"], given["minor"], given["patch"], given.get("prerelease"), given.get("build"))

    parts = "PositiveInteger major; PositiveInteger minor; PositiveInteger patch"
    return Constructor(
        "new_Version",
        [
            (_signature("SemVerPattern str", local), parse_version),
            (_signature(f"{parts}; SemVerQualifier prerelease?; SemVerQualifier build?", local), make),
            (_signature("SemVerHash hash_args", local), from_hash),
        ],
        [(_signature("String str"), lambda text: f"The string '{text}' cannot be converted to a SemVer")],
    )


def _semver_range() -> Constructor:
    from .versions import between, parse_range

    local = _local_types(
        "SemVerRangeString = String[1]",
        "SemVerRangeHash = Struct[{min=>Variant[Default,SemVer],Optional[max]=>Variant[Default,SemVer],"
        "Optional[exclude_max]=>Boolean}]",
    )

    def make(low: Value, high: Value = DEFAULT, open_end: bool = False) -> Value:
        return between(None if low is DEFAULT else low, None if high is DEFAULT else high, open_end)

    def from_hash(given: dict[Any, Value]) -> Value:
        return make(given["min"], given.get("max", DEFAULT), given.get("exclude_max", False))

    return Constructor(
        "new_VersionRange",
        [
            (_signature("SemVerRangeString str", local), parse_range),
            (_signature("Variant[Default,SemVer] min; Variant[Default,SemVer] max; Boolean exclude_max?"), make),
            (_signature("SemVerRangeHash hash_args", local), from_hash),
        ],
    )


def _uri() -> Constructor:
    from .uris import URI_HASH, build_uri, parse_uri

    return Constructor(
        "new_error",
        [(_signature("String[1] uri"), parse_uri), (CallableSignature((URI_HASH,), ("hash",)), build_uri)],
    )


def _object_constructor(type: ObjectType) -> Constructor:
    type.check_class()
    own: Constructor | None = type.own_constructor()
    if own is not None:
        return own
    initializer = type.initializer()
    attributes = type.attributes()
    required, names = type.parameters()
    types = {element.name: element.value for element in initializer.elements}
    given_least = sum(not attributes[name].has_value for name in names)

    def make(given: dict[str, Value], typed_early: bool = False) -> Value:
        if type == DEFERRED:
            return Deferred(given["name"], given.get("arguments"))
        if type != ERROR and ERROR.assignable(type):  # Puppet has a class of its own for it, and loses track of heirs
            problem = f"has wrong type, expects {a_an(type.label)} value, got Runtime"
            raise ConversionError(f"Converted value from {type_text(type)}.new() {problem}")
        instance = ObjectValue(
            type,
            {
                name: given.get(name, attribute.value if attribute.has_value else None)
                for name, attribute in attributes.items()
            },
        )
        instance.is_typed_early = typed_early
        infer(instance)  # attributes must fit the type's parameters of the same name
        return instance

    def from_arguments(*arguments: Value) -> Value:
        if len(arguments) < given_least:  # the class that Puppet makes in Ruby wants all that have no default
            most = f"..{len(names)}" if len(names) > given_least else ""
            raise ConversionError(f"wrong number of arguments (given {len(arguments)}, expected {given_least}{most})")
        # Puppet asks the object itself for a default that is no scalar, before it has any attributes.
        asked = any(_is_no_literal(attributes[name].value) for name in names[len(arguments) :])
        return make(dict(zip(names, arguments)), asked)

    dispatches: list[Any] = [(CallableSignature([types[name] for name in names], names, required), from_arguments)]
    if type is not BUILTIN_OBJECTS["annotation"]:  # which is made by its own class, from arguments alone
        dispatches.insert(0, (CallableSignature((initializer,), ("hash",)), make))
    return Constructor(f"new_{type.name}", dispatches)


def _is_no_literal(value: Value) -> bool:
    return value is not None and not isinstance(value, bool | int | float | str)


def _init_constructor(type: InitType) -> Constructor:
    """`Init[T, arguments...].new(value)`; an array is spread unless T takes it as a single value."""
    target = type.type
    assert target is not None
    single = type.single

    def create(value: Value) -> Value:
        return new_instance(target, [value, *type.arguments])

    def from_array(value: list[Value]) -> Value:
        if single is not None and single.accepts(value):
            return new_instance(target, [value])
        return new_instance(target, value)

    dispatches: list[tuple[CallableSignature, Make]] = [(_signature("Any value"), create)]
    if not type.arguments:
        dispatches.insert(0, (_signature("Array value"), from_array))
    return Constructor("new_Init", dispatches)


def init_types(init: InitType) -> tuple[PuppetType | None, PuppetType | None, bool]:
    """What `Init[T]` accepts besides instances of T: single arguments of `new`, and arrays of several."""
    target = init.type
    assert target is not None
    if isinstance(target, InitType | OptionalType | NotUndefType):
        raise TypeProblem(f"Creation of new instance of type '{target}' is not supported")
    try:
        signatures = [signature for signature, _ in constructor(target).dispatches]
    except TypeProblem:
        if isinstance(target, TypeAlias):  # the message names the alias, not what it stands for
            raise TypeProblem(f"Creation of new instance of type '{type_text(target)}' is not supported") from None
        raise
    if init.arguments:
        from .infer import infer_set

        given = [infer_set(argument) for argument in init.arguments]
        count = 1 + len(given)
        fitting = []
        for signature in signatures:
            if signature.minimum <= count and (signature.maximum is None or count <= signature.maximum):
                parameters = signature.type.parameters
                if parameters is not None and parameters.assignable(TupleType((signature.types[0], *given))):
                    fitting.append(signature)
        if not fitting:
            raise TypeProblem(
                f"The type '{init}' does not represent a valid set of parameters for {target.generalize().name}.new()"
            )
        return variant_of((target, *(signature.types[0] for signature in fitting))), None, False
    singles = [signature for signature in signatures if (signature.minimum, signature.maximum) == (1, 1)]
    others = [signature for signature in signatures if signature not in singles]
    tuples = [signature.type.parameters for signature in others]
    return (
        variant_of((target, *(signature.types[0] for signature in singles))),
        variant_of(tuple_type for tuple_type in tuples if tuple_type is not None) if others else None,
        any(signature.minimum == 1 for signature in others),
    )


_TABLES: dict[type, Callable[[], Constructor]] = {
    IntegerType: _integer,
    FloatType: _float,
    NumericType: _numeric,
    BooleanType: _boolean,
    StringType: _string,
    RegexpType: _regexp,
    TypeType: _type,
    ArrayType: _array,
    HashType: _hash,
    SensitiveType: _sensitive,
    BinaryType: _binary,
    TimespanType: _timespan,
    TimestampType: _timestamp,
    SemVerType: _semver,
    SemVerRangeType: _semver_range,
    URIType: _uri,
}
