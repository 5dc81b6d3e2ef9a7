"""The values of the Puppet language, as Python objects.

Most of them are Python's own, so that evaluators and functions stay ordinary Python:

    undef    None          Boolean  bool      Integer  int      Float  float
    String   str           Array    list      Hash     dict     types  `wherefrom.puppet.types.PuppetType`

What Python has no match for is a small class here: `DEFAULT` (the value `default`), `Regexp`, `Sensitive`, `Binary`,
`Timestamp`, `Timespan`, `SemVer`, `SemVerRange`, `URI`, `Deferred`, `Iterator`, `Reference` and `ObjectValue`. They are
immutable by convention, compare by content and can be hashed.

**Hash keys** are `wherefrom.base.keys`: strings and integers are themselves, everything else is wrapped in a `Key`.

**Values of the evaluator.** Lambdas and functions are values too. Whatever has an attribute `puppet_type` that holds a
type is a value of that type; this package needs to know nothing else about them.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator as PythonIterator
from typing import Any

from ...base.keys import MAX_PARTS as MAX_PARTS
from ...base.keys import HashKey as HashKey
from ...base.keys import Key as Key
from ...base.keys import freeze as freeze
from ...base.keys import hash_key as hash_key
from ...base.keys import key_value as key_value
from ...base.keys import make_hash as make_hash
from ...base.keys import weigh as weigh
from ...base.keys import weigh_text as weigh_text
from ...base.secrets import learn

# A Puppet value is one of the Python types listed above.  `Any` keeps signatures readable: mypy has no closed sum
# that also contains the evaluator's own callables.
Value = Any


class Default:
    """The class of the value `default`; its only instance is `DEFAULT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "DEFAULT"

    def __reduce__(self) -> str:
        return "DEFAULT"


DEFAULT = Default()


class Regexp:
    """A regular expression, written in Ruby's syntax; translated for Python when first used."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._compiled: Any = None

    @property
    def compiled(self) -> Any:
        """The compiled `wherefrom.puppet.kernel.regex.Regex`.  Raises `BadRegex` for what is no regular expression."""
        if self._compiled is None:
            from .regex import compile_regex

            self._compiled = compile_regex(self.source)
        return self._compiled

    def search(self, text: str) -> Any:
        """The first match in `text` (a `re.Match`), or nothing."""
        return self.compiled.search(text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Regexp) and other.source == self.source

    def __hash__(self) -> int:
        return hash(("regexp", self.source))

    def __repr__(self) -> str:
        return f"Regexp({self.source!r})"

    def __reduce__(self) -> tuple[type[Regexp], tuple[str]]:
        return Regexp, (self.source,)


class Sensitive:
    """A value that must not be shown.  Its text is always the same; `value` is what it hides."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value
        learn(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sensitive) and freeze(self.value) == freeze(other.value)

    def __hash__(self) -> int:
        return hash(("sensitive", freeze(self.value)))

    def __repr__(self) -> str:
        return "Sensitive [value redacted]"


class Binary:
    """A sequence of bytes."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Binary) and self.data == other.data

    def __hash__(self) -> int:
        return hash(("binary", self.data))

    def __repr__(self) -> str:
        return f"Binary({self.data!r})"

    def base64(self) -> str:
        """The bytes in strict base 64, as Puppet shows them."""
        from base64 import b64encode

        return b64encode(self.data).decode("ascii")

    def texts_shown(self) -> tuple[str, ...]:
        """As what they are written, so that bytes that are secret are found (`wherefrom.base.secrets`)."""
        return self.base64(), bytes_text(self)


def bytes_text(value: Binary) -> str:
    """The bytes as a text; what is no UTF-8 is shown as Puppet's log shows it."""
    return value.data.decode(errors="replace")


NANOSECONDS = 1_000_000_000


class _Time:
    """What `Timestamp` and `Timespan` share: a count of nanoseconds, compared with one another and with seconds."""

    __slots__ = ("nanoseconds",)

    def __init__(self, nanoseconds: int) -> None:
        self.nanoseconds = nanoseconds

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.nanoseconds == self.nanoseconds

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.nanoseconds))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.nanoseconds})"

    @property
    def seconds(self) -> float:
        """The count in seconds."""
        return self.nanoseconds / NANOSECONDS


class Timestamp(_Time):
    """A point in time: nanoseconds since 1970-01-01 UTC."""

    __slots__ = ()

    def __str__(self) -> str:
        from .times import format_timestamp

        return format_timestamp(self)


class Timespan(_Time):
    """A length of time in nanoseconds, possibly negative."""

    __slots__ = ()

    def __str__(self) -> str:
        from .times import format_timespan

        return format_timespan(self)


class SemVer:
    """A semantic version: three numbers, and the identifiers of a pre-release and of a build."""

    __slots__ = ("build", "major", "minor", "patch", "prerelease")

    def __init__(
        self,
        major: int,
        minor: int,
        patch: int,
        prerelease: tuple[str | int, ...] = (),
        build: tuple[str | int, ...] = (),
    ) -> None:
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = prerelease
        self.build = build

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SemVer) and (self.order, self.build) == (other.order, other.build)

    def __hash__(self) -> int:
        return hash(("semver", self.order, self.build))

    def __lt__(self, other: SemVer) -> bool:
        return self.order < other.order

    def __le__(self, other: SemVer) -> bool:
        return self.order <= other.order

    def __repr__(self) -> str:
        return f"SemVer({str(self)!r})"

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        if self.prerelease:
            text += "-" + ".".join(map(str, self.prerelease))
        if self.build:
            text += "+" + ".".join(map(str, self.build))
        return text

    @property
    def order(self) -> tuple[Any, ...]:
        """What versions are compared by: the build takes no part, numbers come before words (SemVer 2.0, 11)."""
        release = tuple(
            (0, identifier, "") if isinstance(identifier, int) else (1, 0, identifier) for identifier in self.prerelease
        )
        return (self.major, self.minor, self.patch, 0 if release else 1, release)


class SemVerRange:
    """A set of versions; `types.versions` reads them and knows which versions they include."""

    __slots__ = ("alternatives", "text")

    def __init__(self, text: str, alternatives: tuple[Any, ...]) -> None:
        self.text = text
        self.alternatives = alternatives

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SemVerRange) and self.alternatives == other.alternatives

    def __hash__(self) -> int:
        return hash(("range", self.alternatives))

    def __repr__(self) -> str:
        return f"SemVerRange({self.text!r})"

    def __str__(self) -> str:
        return self.text


class URI:
    """A uniform resource identifier in its parts; absent parts are `None`."""

    __slots__ = ("fragment", "host", "opaque", "path", "port", "query", "scheme", "text", "userinfo")

    def __init__(
        self,
        text: str,
        scheme: str | None = None,
        userinfo: str | None = None,
        host: str | None = None,
        port: int | None = None,
        path: str | None = None,
        query: str | None = None,
        fragment: str | None = None,
        opaque: str | None = None,
    ) -> None:
        self.text = text
        self.scheme = scheme
        self.userinfo = userinfo
        self.host = host
        self.port = port
        self.path = path
        self.query = query
        self.fragment = fragment
        self.opaque = opaque

    def parts(self) -> tuple[Any, ...]:
        """The parts in a fixed order, which is what equality looks at."""
        return (
            self.scheme,
            self.userinfo,
            self.host,
            self.port,
            self.path,
            self.query,
            self.fragment,
            self.opaque,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, URI) and self.parts() == other.parts()

    def __hash__(self) -> int:
        return hash(("uri", self.parts()))

    def __repr__(self) -> str:
        return f"URI({self.text!r})"

    def __str__(self) -> str:
        return self.text


class Deferred:
    """A call that the agent makes when it applies the catalog: a function's name and, if any were given, arguments."""

    __slots__ = ("arguments", "name")

    def __init__(self, name: str, arguments: list[Value] | None = None) -> None:
        self.name = name
        self.arguments = arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deferred) and self.name == other.name and self.arguments == other.arguments

    def __hash__(self) -> int:
        return hash(("deferred", self.name, freeze(self.arguments)))

    def __repr__(self) -> str:
        return f"Deferred({self.name!r}, {self.arguments!r})"


class Iterator:
    """A sequence that is made while it is walked (`reverse_each`, `step`, `tree_each`, ranges): Puppet's `Iterator`.

    `make` gives a fresh Python iterator each time, so that a value can be walked more than once. `stride` is how far
    apart the numbers of a range are (their range is the type of the elements); `runtime` is the Ruby class that
    programs see as the type of an iterator over a tree, `walker` that which messages show of all others.
    """

    __slots__ = ("element_type", "make", "runtime", "stride", "walker")

    def __init__(
        self,
        make: Callable[[], PythonIterator[Value]],
        element_type: Value,
        stride: int | None = None,
        runtime: str | None = None,
        walker: str = "Iterator",
    ) -> None:
        self.make = make
        self.element_type = element_type
        self.stride = stride
        self.runtime = runtime
        self.walker = walker if stride is None else "IntegerRangeIterator"

    @property
    def ruby_class(self) -> str:
        """Ruby's class, where Puppet's messages show it."""
        return self.runtime or f"Puppet::Pops::Types::{self.walker}"

    def __iter__(self) -> PythonIterator[Value]:
        return self.make()


class Reference:
    """A reference that an attribute or a parameter of a class or define holds: `File[/x]`, `Class[A]`.

    In an expression `File['/x']` is a type. Given to an attribute it becomes this: no type any more, but a name, which
    prints without quotes, equals only its like, and whose own type is that of the resource.
    """

    __slots__ = ("title", "type_name")

    def __init__(self, type_name: str, title: str) -> None:
        self.type_name = type_name
        self.title = title

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and (self.type_name, self.title) == (other.type_name, other.title)

    def __hash__(self) -> int:
        return hash(("reference", self.type_name, self.title))

    def __repr__(self) -> str:
        return f"Reference({self.type_name!r}, {self.title!r})"

    def __str__(self) -> str:
        return f"{self.type_name}[{self.title}]"


class ObjectValue:
    """An instance of an Object type: its type and the values of its attributes, in order.

    `annotations` is what the function `annotate` attached to it, by type; it takes no part in equality. Neither does
    `is_typed_early`: its type was worked out before it had its attributes, so that parameters of the type are undef.
    """

    __slots__ = ("annotations", "attributes", "is_typed_early", "puppet_type")

    def __init__(self, puppet_type: Value, attributes: dict[str, Value]) -> None:
        self.puppet_type = puppet_type
        self.attributes = attributes
        self.annotations: dict[Value, Any] = {}
        self.is_typed_early = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectValue) or other.puppet_type != self.puppet_type:
            return False
        if self is not other and getattr(self.puppet_type, "compares_identity", bool)():
            return False
        compared = getattr(self.puppet_type, "compared_attributes", None)
        names = list(self.attributes) if compared is None else compared()
        for name in names:
            if compared is not None:
                self.puppet_type.check_readable(name)
            if freeze(self.attributes.get(name)) != freeze(other.attributes.get(name)):
                return False
        return True

    def __hash__(self) -> int:
        return hash(("object", self.puppet_type, tuple(self.attributes)))

    def __repr__(self) -> str:
        return f"ObjectValue({self.puppet_type!r}, {self.attributes!r})"
