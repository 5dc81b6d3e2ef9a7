"""What an unquoted word of YAML means to Ruby, which reads Puppet's data.

Ruby's YAML goes by the types of YAML 1.1 with ways of its own, and they decide values: `1,000` is a number, `1:30` are
minutes and seconds of an hour's worth (5400), `08` and `1e3` are texts, `:name` is a symbol, and a date is refused,
because Puppet reads data without classes of Ruby.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..types.model import PuppetType

_WORD = re.compile(r"[^\d.:-]?[^\W\d_]|[^\d.:-]?[_\s!@#$%^&*(){}<>|/\\~;=]")
_TIME = re.compile(
    r"-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?", re.ASCII
)
_DATE = re.compile(r"\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)", re.ASCII)
_SIXTIES = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(\.[0-9_]*)?")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][-+][0-9]+)?")
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0b(?P<two>[01_,]+)|0x(?P<sixteen>[0-9a-fA-F_,]+)|0(?P<eight>[0-7_,]+)"
    r"|(?P<ten>0|[1-9](?:[0-9]|,[0-9]|_[0-9])*))"
)
_BASES = {"two": 2, "eight": 8, "ten": 10, "sixteen": 16}
_SEPARATORS = re.compile(r"[,_]")


class Symbol:
    """A symbol of Ruby: no value of Puppet, and refused where one is wanted."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and self.name == other.name

    def __hash__(self) -> int:
        return hash((Symbol, self.name))

    @property
    def puppet_type(self) -> PuppetType:
        """What messages call it."""
        from ..types.callables import RuntimeType

        return RuntimeType("ruby", "Symbol")


class ForbiddenClass(Exception):
    """A value of a class of Ruby that data may not have."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Tried to load unspecified class: {name}")


class NotAFloat(Exception):
    """What looks like a number with a point, or is said to be one, but is none."""

    def __init__(self, text: str, value: Any = "") -> None:
        word = {True: "true", False: "false", None: "nil"}.get(value)
        super().__init__(f"can't convert {word} into Float" if word else f'invalid value for Float(): "{text}"')


def plain_scalar(text: str) -> Any:
    """The value of a word without quotes.  Raises `ForbiddenClass` and `NotAFloat`.

    >>> [plain_scalar(word) for word in ("1,000", "017", "08", "1:30", "1.", "Yes", "~", "nope", "0x1F")]
    [1000, 15, '08', 5400, 1.0, True, None, 'nope', 31]
    """
    if not text:
        return None
    if "\n" in text or _WORD.match(text):
        return _WORDS.get(text.lower(), text) if len(text) <= 5 else text
    if _TIME.fullmatch(text):
        raise ForbiddenClass("Time")
    if _DATE.fullmatch(text):
        raise ForbiddenClass("Date")
    if text.lower() in _SPECIAL:
        return _SPECIAL[text.lower()]
    if text[0] == ":" and len(text) > 1:
        quoted = re.match(r"""(["'])(.*)\1""", text[1:])
        return Symbol(quoted[2] if quoted else text[1:])
    return _number(text)


_WORDS = (
    {"~": None, "null": None}
    | dict.fromkeys(("yes", "true", "on"), True)
    | dict.fromkeys(("no", "false", "off"), False)
)
_SPECIAL = {".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}


def _number(text: str) -> object:
    sixties = _SIXTIES.fullmatch(text)
    if sixties:
        read = int if sixties[1] is None else float
        parts = [read(part.replace("_", "").rstrip(".") or "0") for part in text.split(":")]
        return sum(part * 60 ** abs(place - 2) for place, part in enumerate(parts))
    if _FLOAT.fullmatch(text):
        digits = re.sub(r"[,_]|\.(?=[eE]|$)", "", text)
        if not digits.lstrip("+-"):
            return text
        if digits.lstrip("+-")[0] in "eE":
            raise NotAFloat(digits)
        return float(digits)
    number = _INTEGER.fullmatch(text)
    if number is None:
        return text
    base = str(number.lastgroup)
    digits = _SEPARATORS.sub("", number[base]) or "0"
    return int(number["sign"] + digits, _BASES[base])


def tagged_scalar(tag: str, text: str) -> object:
    """The value of a word with a tag, raising as `plain_scalar` does.  Tags that Ruby does not know say nothing."""
    match tag:
        case "!str" | "tag:yaml.org,2002:str":
            return text
        case "!binary" | "tag:yaml.org,2002:binary":
            import binascii

            return binascii.a2b_base64(text).decode("utf-8", "surrogateescape")
        case "!float" | "tag:yaml.org,2002:float":
            value = plain_scalar(text)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise NotAFloat(text, value)
            return float(value)
        case "!ruby/regexp" | "!ruby/range":
            raise ForbiddenClass(tag.removeprefix("!ruby/").capitalize())
        case _ if tag.startswith("!ruby/sym"):
            return Symbol(text)
    return plain_scalar(text)


def check_mapping_tag(tag: str) -> None:
    """Refuse a mapping that stands for an object of Ruby."""
    if tag in ("!set", "tag:yaml.org,2002:set"):
        raise ForbiddenClass("Psych::Set")
    for kind in ("!ruby/object:", "!ruby/struct:"):
        name = tag.removeprefix(kind)
        if name not in (tag, "Hash"):
            raise ForbiddenClass(name)
    if tag.startswith("!ruby/hash:"):
        raise ForbiddenClass(tag.removeprefix("!ruby/hash:"))
