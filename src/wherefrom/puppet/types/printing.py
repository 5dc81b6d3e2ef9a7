"""Types and values as text.

`to_string` prints a type as Puppet does; with `expanded`, aliases are shown with what they stand for, which is how
mismatches are told (`Port = Integer[1, 65535]`). `puppet_string` is what interpolation makes of a value, `quote` what a
string looks like in a program, `label` what messages about operators call a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ..kernel.values import (
    URI,
    Binary,
    Default,
    Deferred,
    Iterator,
    ObjectValue,
    Reference,
    Regexp,
    SemVer,
    SemVerRange,
    Sensitive,
    Timespan,
    Timestamp,
    Value,
    key_value,
    weigh_text,
)
from .aliases import BUILTIN_ALIASES
from .callables import CallableType, ClassType, InitType, ResourceType, RuntimeType, capitalize_segments
from .containers import ARRAY, HASH, ArrayType, CollectionType, HashType, StructElement, StructType, TupleType
from .model import (
    UNDEF,
    AnyType,
    ContainedType,
    NotUndefType,
    OptionalType,
    PuppetType,
    TypeAlias,
    TypeReference,
    UnitType,
    VariantType,
)
from .objects import RUBY_METHOD, ObjectType, ObjectTypeExtension
from .regexps import written_text
from .scalars import (
    BooleanType,
    EnumType,
    FloatType,
    IntegerType,
    NumericType,
    PatternType,
    RegexpType,
    SemVerType,
    SensitiveType,
    StringType,
    TimespanType,
    TimestampType,
    TimeType,
    URIType,
)
from .services import SERVICES
from .type_sets import TypeSetType

if TYPE_CHECKING:
    from ...base.source import Span

# --- strings and numbers ---------------------------------------------------------------------------------------------

_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 0x22: '\\"', 0x24: "\\$", 0x5C: "\\\\"}
_DOUBLE = {**{code: f"\\u{{{code:X}}}" for code in range(32)}, **_ESCAPES}


def quote(text: str, double: bool = False) -> str:
    """A string as a program writes it: in single quotes unless it holds control characters.

    >>> print(quote("it's"), quote("a\\nb"), quote('a', double=True))
    'it\\'s' "a\\nb" "a"
    """
    if double or any(character < " " for character in text):
        return '"' + text.translate(_DOUBLE) + '"'
    if "'" not in text and "\\" not in text:
        return f"'{text}'"
    written = []
    escaped = False
    for character in text:
        if escaped:
            written.append("\\" + character)
            escaped = False
        elif character == "'":
            written.append("\\'")
        elif character == "\\":
            escaped = True
        else:
            written.append(character)
    return "'" + "".join(written) + ("\\'" if escaped else "'")


def float_text(number: float) -> str:
    """A float as Ruby prints it: `1.0`, `1.0e+15`, `1.0e-05`."""
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    text = repr(number)
    size = abs(number)
    if "e" not in text and (number == 0 or 1e-4 <= size < 1e15):
        return text
    digits, _, exponent = text.partition("e")
    if not exponent:
        digits, _, exponent = f"{number:.17e}".partition("e")
        for precision in range(17):
            short = f"{number:.{precision}e}"
            if float(short) == number:
                digits, _, exponent = short.partition("e")
                break
    if "." not in digits:
        digits += ".0"
    power = int(exponent)
    return f"{digits}e{'-' if power < 0 else '+'}{abs(power):02d}"


# --- values ----------------------------------------------------------------------------------------------------------


def puppet_string(value: Value, at: Span | None = None) -> str:
    """The text of `value` when it is interpolated into a string."""
    if type(value) is list or isinstance(value, dict):
        weigh_text(value, at)
    return _text(value)


def _text(value: Value) -> str:
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return float_text(value)
        case list():
            return "[" + ", ".join(map(_text, value)) + "]"
        case dict():
            pairs = (f"{_text(key_value(key))} => {_text(element)}" for key, element in value.items())
            return "{" + ", ".join(pairs) + "}"
        case Default():
            return "default"
        case Regexp():
            return written_text(value.source)
        case PuppetType():
            return type_text(value)
        case Sensitive():
            return "Sensitive [value redacted]"
        case Binary():
            return value.base64()
        case Iterator():
            return f"Iterator[{to_string(value.element_type.generalize())}]-Value"
        case ObjectValue() | Deferred():
            return value_text(value)
    return str(value)


def type_text(type: PuppetType) -> str:
    """A type that is itself the value to be shown: an alias or object type is shown with its definition."""
    return to_string(type, expanded=isinstance(type, TypeAlias | ObjectType | TypeSetType))


def value_text(value: Value, indent: int | None = None) -> str:
    """A value inside of a type, or an object with its attributes, as `TypeFormatter` writes them.

    With `indent`, a level of two blanks each, hashes and longer arrays have a line for each element.
    """
    return _Printer(False, indent).value(value)


def label(value: Value) -> str:
    """What messages about operators call a value."""
    match value:
        case None:
            return "Undef Value"
        case bool():
            return "Boolean"
        case int():
            return "Integer"
        case float():
            return "Float"
        case str():
            return "String"
        case list():
            return "Array"
        case dict():
            return "Hash"
        case Regexp():
            return "Regexp"
        case Reference():
            return "Resource Statement"
        case ResourceType() if value.title is not None:
            return f"{to_string(value)} Resource-Reference"
        case PuppetType():
            return f"{type_text(value)}-Type"
        case Binary() | Sensitive() | Timestamp() | Timespan():
            return type(value).__name__
        case SemVer():
            return "Semver"
        case SemVerRange():
            return "SemverRange"
    return "Object"


# --- types -----------------------------------------------------------------------------------------------------------


def to_string(type: PuppetType, expanded: bool = False) -> str:
    """The type as Puppet prints it; `expanded` shows what aliases stand for."""
    return _Printer(expanded).type(type)


_Entry = tuple[str, str]


class _Printer:
    """Prints types; remembers whether aliases are to be expanded and which ones are being printed."""

    def __init__(self, expanded: bool, indent: int | None = None) -> None:
        self.expanded = expanded
        self.indent = indent
        self.type_set: TypeSetType | None = None
        """The set whose members are being printed: they are called by their short names."""
        self.inside: set[str] = set()
        self.budget = current()

    def type(self, type: PuppetType) -> str:
        self.budget.draw("steps", 4, "printing a type")
        for kind in type.__class__.__mro__:
            show = _SHOW.get(kind)
            if show is not None:
                return show(self, type)
        return type.simple_name

    def value(self, value: Value) -> str:
        match value:
            case PuppetType():
                return self.type(value)
            case str():
                return quote(value)
            case None:
                return "undef"
            case list():
                self.budget.draw("steps", len(value) + 1, "printing a value")
                return self.array_value(value)
            case dict():
                self.budget.draw("steps", len(value) + 1, "printing a value")
                return self.hash((self.value(key_value(key)), self.value(element)) for key, element in value.items())
            case SemVer() | SemVerRange() | Timespan() | Timestamp():
                return f"'{value}'"
            case URI():
                return f"URI({quote(str(value))})"
            case ObjectValue():
                return f"{SERVICES.infer(value).name}({self.value(initial_attributes(value))})"
            case Sensitive() | Binary() | Iterator():
                return f"Instance of {self.type(SERVICES.infer(value))}"
            case Deferred():
                given: dict[Any, object] = {"name": value.name}
                given = given if value.arguments is None else {**given, "arguments": value.arguments}
                return f"Deferred({self.value(given)})"
        return puppet_string(value)

    def hash(self, pairs: Iterable[_Entry]) -> str:
        """Entries in braces; the pairs are made one by one, so that what they hold knows how deep it stands."""
        if self.indent is None:
            return "{" + ", ".join(f"{key} => {value}" for key, value in pairs) + "}"
        return "{" + self.lines(f"{key} => {value}" for key, value in pairs) + "}"

    def array_value(self, values: Sequence[Value]) -> str:
        if self.indent is None or _is_short(values, 100 - 2 * self.indent):
            return "[" + ", ".join(map(self.value, values)) + "]"
        return "[" + self.lines(map(self.value, values)) + "]"

    def lines(self, parts: Iterable[str]) -> str:
        """Each part on a line of its own, one level deeper, and the beginning of the line after them."""
        assert self.indent is not None
        self.indent += 1
        deeper = "\n" + "  " * self.indent
        written = ",".join(deeper + part for part in parts)
        self.indent -= 1
        return written + "\n" + "  " * self.indent

    def parts(self, name: str, parts: list[str]) -> str:
        if not parts:
            return name
        text = f"{name}[{', '.join(parts)}]"
        self.budget.draw("characters", len(text), "printing a type")
        return text

    def range(self, low: object, high: object, show: Callable[[Any], str] = str) -> list[str]:
        if low is None and high is None:
            return []
        first = "default" if low is None else show(low)
        return [first] if high is None else [first, show(high)]

    def size(self, size: IntegerType | None) -> list[str]:
        return [] if size is None else self.range(size.low, size.high)

    # one method per type

    def numeric(self, type: NumericType) -> str:
        return self.parts(type.simple_name, self.range(type.low, type.high))

    def float(self, type: FloatType) -> str:
        return self.parts("Float", self.range(type.low, type.high, float_text))

    def boolean(self, type: BooleanType) -> str:
        return self.parts("Boolean", [] if type.value is None else [self.value(type.value)])

    def contained(self, type: ContainedType) -> str:
        return self.parts(type.simple_name, [] if type.type is None else [self.type(type.type)])

    def sensitive(self, type: SensitiveType) -> str:
        return self.parts("Sensitive", [] if isinstance(type.type, AnyType) else [self.type(type.type)])

    def optional(self, type: ContainedType) -> str:
        inner = type.type
        if inner is None:
            return type.simple_name
        literal = inner.value if isinstance(inner, StringType) else None
        return self.parts(type.simple_name, [self.type(inner) if literal is None else quote(literal)])

    def init(self, type: InitType) -> str:
        if type.type is None:
            return "Init"
        return self.parts("Init", [self.type(type.type), *map(self.value, type.arguments)])

    def string(self, type: StringType) -> str:
        return self.parts("String", self.size(type.size))

    def enum(self, type: EnumType) -> str:
        parts = [quote(word) for word in type.values]
        return self.parts("Enum", [*parts, "true"] if parts and type.case_insensitive else parts)

    def variant(self, type: VariantType) -> str:
        return self.parts("Variant", [self.type(member) for member in type.types])

    def semver(self, type: SemVerType) -> str:
        return self.parts("SemVer", [f"'{versions}'" for versions in type.ranges])

    def time(self, type: TimeType) -> str:
        if type.low is None and type.high is None:
            return type.simple_name
        parts = ["default" if type.low is None else f"'{type.bound_text(type.low)}'"]
        if type.high is not None and type.high != type.low:
            parts.append(f"'{type.bound_text(type.high)}'")
        return self.parts(type.simple_name, parts)

    def regexp(self, type: RegexpType) -> str:
        return self.parts("Regexp", [] if type.pattern is None else [written_text(type.pattern)])

    def pattern(self, type: PatternType) -> str:
        return self.parts("Pattern", [written_text(pattern.source) for pattern in type.patterns])

    def uri(self, type: URIType) -> str:
        return self.parts("URI", [] if type.parameters is None else [self.value(type.parameters)])

    def tuple(self, type: TupleType) -> str:
        if not type.types:
            return "Tuple"
        return self.parts("Tuple", [*map(self.type, type.types), *self.size(type.size)])

    def struct(self, type: StructType) -> str:
        if not type.elements:
            return "Struct"
        return self.parts("Struct", [self.hash(map(self.element, type.elements))])

    def element(self, element: StructElement) -> _Entry:
        key = element.key
        if element.value.assignable(UNDEF):
            shown = quote(element.name) if isinstance(key, OptionalType) else self.type(NotUndefType(key))
        else:
            shown = self.type(key) if isinstance(key, OptionalType) else quote(element.name)
        return shown, self.type(element.value)

    def collection(self, type: CollectionType) -> str:
        return self.parts("Collection", self.size(type.size))

    def array(self, type: ArrayType) -> str:
        if type.is_empty():
            return "Array[0, 0]"
        return "Array" if type == ARRAY else self.parts("Array", [self.type(type.element), *self.size(type.size)])

    def hash_type(self, type: HashType) -> str:
        if type.is_empty():
            return "Hash[0, 0]"
        if type == HASH:
            return "Hash"
        return self.parts("Hash", [self.type(type.key), self.type(type.value), *self.size(type.size)])

    def callable(self, type: CallableType) -> str:
        if type.parameters is None:
            return "Callable" if type.result is None else self.parts("Callable", ["[]", self.type(type.result)])
        types = type.parameters.types
        parts = [self.type(parameter) for parameter in types if not isinstance(parameter, UnitType)]
        parts += self.size(type.parameters.size) if types else ["0", "0"]
        if type.block is not None:
            parts.append(self.type(type.block))
        if type.result is None:
            return self.parts("Callable", parts)
        return f"Callable[[{', '.join(parts)}], {self.type(type.result)}]"

    def class_type(self, type: ClassType) -> str:
        return self.parts("Class", [] if type.class_name is None else [type.class_name])

    def resource(self, type: ResourceType) -> str:
        if type.type_name is None:
            return "Resource"
        return self.parts(capitalize_segments(type.type_name), [] if type.title is None else [quote(type.title)])

    def runtime(self, type: RuntimeType) -> str:
        if type.runtime is None and type.name_or_pattern is None:
            return "Runtime"
        runtime = "undef" if type.runtime is None else type.runtime
        return self.parts("Runtime", [runtime, self.value(type.name_or_pattern)])

    def reference(self, type: TypeReference) -> str:
        return self.parts("TypeReference", [quote(type.type_string)])

    def alias(self, type: TypeAlias) -> str:
        if not self.expanded or type.name in self.inside:
            return type.name if self.type_set is None else self.type_set.name_for(type, type.name)
        resolved = type.resolved  # only then it is known whether it is recursive
        if type.recursive:
            self.inside.add(type.name)
        try:
            if self.type_set is not None:
                if self.type_set.defines(type):
                    return self.type(resolved)
                return self.type_set.name_for(type, type.name)
            builtin = type.name.lower() in BUILTIN_ALIASES
            return type.name if builtin else f"{type.name} = {self.type(resolved)}"
        finally:
            self.inside.discard(type.name)

    def object(self, type: ObjectType) -> str:
        if not self.expanded:
            return type.label if self.type_set is None else self.type_set.name_for(type, type.label)
        return self.object_hash(type.definition(self.type_set is None or not self.type_set.defines(type)))

    def object_hash(self, definition: dict[str, Any]) -> str:
        expanded, self.expanded = self.expanded, False
        try:
            return self.parts("Object", [self.hash(self.feature(key, value) for key, value in definition.items())])
        finally:
            self.expanded = expanded

    def feature(self, key: str, value: Any) -> _Entry:
        if key not in ("attributes", "functions"):
            return key, self.value(value)
        return key, self.hash((quote(name), self.member(part)) for name, part in value.items())

    def member(self, given: Any) -> str:
        if not isinstance(given, dict):
            return self.value(given)
        return self.hash((key, value if key == "kind" else self.value(value)) for key, value in given.items())

    def extension(self, type: ObjectTypeExtension) -> str:
        shown = type.shown_parameters()
        return self.parts(
            type.name, [self.value(shown)] if isinstance(shown, dict) else [self.value(part) for part in shown]
        )

    def whole_set(self, type: TypeSetType) -> str:
        if not type.definition:
            return f"TypeSet[{{pcore_version => '', name => {quote(type.name)}}}]" if type.named else _BARE_TYPE_SET
        pairs = [(key, self.value(value)) for key, value in type.written().items()]
        outer, self.type_set = self.type_set, type
        try:
            members = [(name, self.type(member)) for name, member in type.types.items()]
        finally:
            self.type_set = outer
        if members:
            pairs.append(("types", self.hash(members)))
        references = [(alias, self.value(reference.definition)) for alias, reference in type.references.items()]
        if references:
            pairs.append(("references", self.hash(references)))
        return self.parts("TypeSet", [self.hash(pairs)])


_BARE_TYPE_SET = (
    "TypeSet[{pcore_uri => 'http://puppet.com/2016.1/pcore', pcore_version => '1.0.0', "
    "name_authority => 'http://puppet.com/2016.1/runtime', name => 'DefaultTypeSet', version => '0.0.0'}]"
)


def _is_short(values: Sequence[Value], room: int) -> bool:
    """Whether an array of plain values fits into what is left of a line."""
    return not values or sum(map(_width, values)) < room


def _width(value: Value) -> int:
    match value:
        case None:
            return 3
        case bool() | int() | float():
            return len(_text(value))
        case str():
            return 2 + len(value)
        case Default():
            return len(":default")
        case list() | dict():
            return 1000 if value else 2
    return 1000


def initial_attributes(value: ObjectValue) -> dict[Any, object]:
    """What `new` would need to make the object again: its attributes, without those that have their default.

    Those of `RubyMethod` are the business of a class of Ruby's, which does not tell them.
    """
    own = value.puppet_type
    if isinstance(own, ObjectTypeExtension):
        own = own.base
    if not isinstance(own, ObjectType):
        return dict(value.attributes)
    untold = RUBY_METHOD.attributes() if RUBY_METHOD.assignable(own) else {}
    known = {name: attribute for name, attribute in own.attributes().items() if name not in untold}
    return {
        name: attribute
        for name, attribute in value.attributes.items()
        if name in known
        and known[name].kind not in ("constant", "derived")
        and not (known[name].has_value and known[name].value == attribute)
    }


_SHOW: dict[type, Callable[[_Printer, Any], str]] = {
    IntegerType: _Printer.numeric,
    FloatType: _Printer.float,
    BooleanType: _Printer.boolean,
    ContainedType: _Printer.contained,
    SensitiveType: _Printer.sensitive,
    OptionalType: _Printer.optional,
    NotUndefType: _Printer.optional,
    InitType: _Printer.init,
    StringType: _Printer.string,
    EnumType: _Printer.enum,
    VariantType: _Printer.variant,
    SemVerType: _Printer.semver,
    TimespanType: _Printer.time,
    TimestampType: _Printer.time,
    RegexpType: _Printer.regexp,
    PatternType: _Printer.pattern,
    URIType: _Printer.uri,
    TupleType: _Printer.tuple,
    StructType: _Printer.struct,
    CollectionType: _Printer.collection,
    ArrayType: _Printer.array,
    HashType: _Printer.hash_type,
    CallableType: _Printer.callable,
    ClassType: _Printer.class_type,
    ResourceType: _Printer.resource,
    RuntimeType: _Printer.runtime,
    TypeReference: _Printer.reference,
    TypeAlias: _Printer.alias,
    ObjectType: _Printer.object,
    ObjectTypeExtension: _Printer.extension,
    TypeSetType: _Printer.whole_set,
}
