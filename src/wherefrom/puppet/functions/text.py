"""Functions on strings.  They compute; a few also take arrays and do the same to every element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.budget import current
from ..kernel.failures import FunctionFailure
from ..kernel.traced import Traced
from ..kernel.values import Binary, Regexp, Sensitive, Value, hash_key, key_value, weigh_text
from ..types import ruby
from .registry import FEW, Call, calling, function
from .walking import sequence

_EACH = ("Numeric $arg", "String $arg", "Iterable[Variant[String, Numeric]] $arg")
_STRING_DATA = {"StringData": "Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]"}
_DEEP = ("Numeric $arg", "String $arg", "Array[StringData] $arg", "Hash[StringData, StringData] $arg")


def _on_each(change: Callable[[str], str], value: Value) -> Value:
    """`change` done to a string, or to every string of an iterable; numbers stay."""
    if isinstance(value, str):
        return change(value)
    if ruby.is_number(value):
        return value
    values = list(sequence(value))
    weigh_text(values)
    return [change(element) if isinstance(element, str) else element for element in values]


def _deeply(change: Callable[[str], str], value: Value) -> Value:
    """`change` done to every string in a tree of arrays and hashes, keys included."""
    if not isinstance(value, str):
        weigh_text(value)
    return _changed(change, value)


def _changed(change: Callable[[str], str], value: Value) -> Value:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_changed(change, element) for element in value]
    if isinstance(value, dict):
        return {hash_key(_changed(change, key_value(key))): _changed(change, element) for key, element in value.items()}
    return value


@function("upcase", *_DEEP, local=_STRING_DATA)
def upcase(arg: Value) -> Value:
    """The text in upper case; in arrays and hashes, every text in it.

    puppet> upcase('straße')
    'STRASSE'
    puppet> upcase(['a', { 'b' => 'c' }])
    ['A', {'B' => 'C'}]
    """
    return _deeply(str.upper, arg)


@function("downcase", *_DEEP, local=_STRING_DATA)
def downcase(arg: Value) -> Value:
    """The text in lower case; in arrays and hashes, every text in it.

    puppet> downcase('HELLO')
    'hello'
    """
    return _deeply(ruby.downcase, arg)


@function("capitalize", *_EACH)
def capitalize(arg: Value) -> Value:
    """The text with its first character in upper case and the rest in lower case; of an iterable, every element.

    puppet> capitalize(['hELLO', 'world'])
    ['Hello', 'World']
    """
    return _on_each(ruby.capitalize, arg)


@function("camelcase", *_EACH)
def camelcase(arg: Value) -> Value:
    """The text without its underscores, every part between them capitalized; of an iterable, every element.

    puppet> camelcase('hello_friend')
    'HelloFriend'
    """
    return _on_each(lambda text: "".join(map(ruby.capitalize, text.split("_"))), arg)


@function("chomp", *_EACH)
def chomp(arg: Value) -> Value:
    r"""The text without a line end at its end (`\n`, `\r\n` or `\r`); of an iterable, every element.

    puppet> chomp("hello\n")
    'hello'
    """
    return _on_each(ruby.chomp, arg)


@function("chop", *_EACH)
def chop(arg: Value) -> Value:
    r"""The text without its last character, `\r\n` counting as one; of an iterable, every element.

    puppet> chop('hello')
    'hell'
    """
    return _on_each(ruby.chop, arg)


@function("strip", *_EACH)
def strip(arg: Value) -> Value:
    r"""The text without white space and NUL characters at both ends; of an iterable, every element.

    puppet> strip(" hello\t\n")
    'hello'
    """
    return _on_each(lambda text: text.strip(ruby.WHITESPACE + "\0"), arg)


@function("lstrip", *_EACH)
def lstrip(arg: Value) -> Value:
    """The text without white space and NUL characters at its beginning; of an iterable, every element.

    puppet> lstrip('  hello ')
    'hello '
    """
    return _on_each(lambda text: text.lstrip(ruby.WHITESPACE + "\0"), arg)


@function("rstrip", *_EACH)
def rstrip(arg: Value) -> Value:
    """The text without white space and NUL characters at its end; of an iterable, every element.

    puppet> rstrip(' hello  ')
    ' hello'
    """
    return _on_each(lambda text: text.rstrip(ruby.WHITESPACE + "\0"), arg)


@function("join", "Array $arg, String $delimiter?")
def join(arg: list[Value], delimiter: str = "") -> str:
    """The elements as one text, with `delimiter` between them.  Arrays inside are joined too; `undef` is empty.

    puppet> join(['a', ['b', 1], undef], '-')
    'a-b-1-'
    """
    return ruby.join(arg, delimiter)


@function("split", "String $str, String $pattern", "String $str, Regexp $pattern", "String $str, Type[Regexp] $pattern")
def split(text: str, pattern: Value) -> list[str]:
    """The parts of a text between the matches of a regular expression (given as such, as a string or as a type).

    Empty parts at the end are left out, and groups in the expression are part of the result.

    puppet> split('a,b,,c,,', ',')
    ['a', 'b', '', 'c']
    puppet> split('a1b22c', /(\\d+)/)
    ['a', '1', 'b', '22', 'c']
    """
    return split_text(text, pattern_of(pattern))


_TEXT = "Variant[String,Sensitive[String]] $str"


@function(
    "split", f"{_TEXT}, String $pattern", f"{_TEXT}, Regexp $pattern", f"{_TEXT}, Type[Regexp] $pattern", newer=True
)
def split_secret(text: str | Sensitive, pattern: Value) -> list[str] | Sensitive:
    """The parts of a text, as before; those of a secret are one."""
    if isinstance(text, Sensitive):
        return Sensitive(split(text.value, pattern))
    return split(text, pattern)


def split_text(text: str, regex: Any) -> list[str]:
    """`String#split` by a compiled regular expression."""
    parts: list[str] = []
    begin = start = 0
    after_empty = False
    budget = current()
    while start <= len(text):
        budget.draw("steps", 1, "splitting a text")
        separator = regex.search(text, start)
        if separator is None:
            break
        if separator.start() == separator.end() == start:
            # An empty match where the last one ended cuts off one character, at the second try.
            if not after_empty:
                start += 1
                after_empty = True
                continue
            parts.append(text[begin : begin + 1])
            begin = start
        else:
            parts.append(text[begin : separator.start()])
            begin = start = separator.end()
        after_empty = False
        parts.extend(group for group in separator.groups() if group is not None)
    if begin < len(text):
        parts.append(text[begin:])
    while parts and parts[-1] == "":
        parts.pop()
    return parts


def pattern_of(pattern: Value, options: str = "") -> Any:
    """The compiled form of a pattern given as string, regular expression or type `Regexp[...]`."""
    source: str
    if isinstance(pattern, str):
        source = pattern
    elif isinstance(pattern, Regexp):
        if not options:
            return pattern.compiled
        source = pattern.source
    else:
        source = pattern.pattern or ""
    return compile_pattern(source, options)


def compile_pattern(source: str, options: str = "") -> object:
    """Compile Ruby's regular expression `source`; `options` are letters of Ruby's `i`, `m` and `x`."""
    from ..kernel.regex import compile_regex
    from ..kernel.type_failures import BadRegex

    try:
        return compile_regex(f"(?{options}:{source})" if options else source)
    except BadRegex as problem:
        raise FunctionFailure(str(problem)) from None


_SUBSTITUTING = (
    "Variant[Array[String],String] $target, String $pattern, Variant[String,Hash[String,String]] $replacement, "
    "Optional[Pattern[/^[GEIM]*$/]] $flags?, Enum['N','E','S','U'] $encoding?",
    "Variant[Array[String],String] $target, Variant[Regexp,Type[Regexp]] $pattern, "
    "Variant[String,Hash[String,String]] $replacement, Pattern[/^G?$/] $flags?",
)


@function("regsubst", *_SUBSTITUTING)
def regsubst(target: Value, pattern: Value, replacement: Value, flags: str | None = None, encoding: str = "U") -> Value:
    r"""The text, or every text of an array, with what a regular expression matches replaced.

    In the replacement `\1` to `\9` and `\k<name>` stand for groups, `\0` for the whole match. It may also be a hash
    that maps what was matched to what shall stand there. Flags: `G` every match and not only the first; for patterns
    given as strings `E` extended, `I` ignoring case, `M` with dots that match line ends.

    puppet> regsubst('abcabc', 'b', 'X', 'G')
    'aXcaXc'
    puppet> regsubst('192.168.0.5', '^(\\d+)\\.(\\d+)', '\\2.\\1')
    '168.192.0.5'
    """
    letters = flags or ""
    options = "".join(ours for theirs, ours in (("M", "m"), ("I", "i"), ("E", "x")) if theirs in letters)
    regex = pattern_of(pattern, options if isinstance(pattern, str) else "")
    every = "G" in letters

    def change(text: str) -> str:
        return _substitute(regex, text, replacement, every)

    if isinstance(target, list):
        weigh_text(target)
        return [change(element) for element in target]
    return change(target)


@calling("regsubst", *_SUBSTITUTING, newer=True)
def regsubst_without_encoding(call: Call) -> Traced:
    """The same; the argument that says an encoding has had no meaning for long, and is to go."""
    if len(call.values) > 4:
        call.machine.warn_once(
            "regsubst_function_encoding",
            "The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be removed in a "
            "future release",
            call.span,
        )
    return call.computed(regsubst(*call.values))


def _substitute(regex: Any, text: str, replacement: Value, every: bool) -> str:
    parts: list[str] = []
    begin = 0
    budget = current()
    for hit in regex.finditer(text):
        parts.append(text[begin : hit.start()])
        if isinstance(replacement, dict):
            parts.append(replacement.get(hit.group(), ""))
        else:
            parts.append(_expand(replacement, hit, text))
        budget.draw("steps", 1, "replacing")
        if len(parts[-1]) > FEW:
            budget.draw("characters", len(parts[-1]), "replacing")
        begin = hit.end()
        if not every:
            break
    parts.append(text[begin:])
    return "".join(parts)


def _expand(replacement: str, hit: Any, text: str) -> str:
    """A replacement with its back references filled in, as Ruby's `sub` reads them."""
    if "\\" not in replacement:
        return replacement
    parts: list[str] = []
    at, end = 0, len(replacement)
    while at < end:
        character = replacement[at]
        if character != "\\" or at + 1 == end:
            parts.append(character)
            at += 1
            continue
        letter = replacement[at + 1]
        at += 2
        if letter.isascii() and letter.isdigit():
            number = int(letter)
            if number <= len(hit.groups()):
                parts.append(hit.group(number) or "")
        elif letter == "k" and replacement.startswith("<", at) and ">" in replacement[at:]:
            close = replacement.index(">", at)
            parts.append(_named_group(hit, replacement[at + 1 : close]))
            at = close + 1
        elif letter == "&":
            parts.append(hit.group())
        elif letter == "`":
            parts.append(text[: hit.start()])
        elif letter == "'":
            parts.append(text[hit.end() :])
        elif letter == "\\":
            parts.append("\\")
        else:
            parts.append("\\" + letter)
    return "".join(parts)


def _named_group(hit: Any, name: str) -> str:
    if name.isdigit():
        number = int(name)
        if number <= len(hit.groups()):
            return hit.group(number) or ""
    try:
        return hit.group(name) or ""
    except (IndexError, KeyError):
        raise FunctionFailure(f"undefined group name reference: {name}") from None


@function("match", "String $string, Variant[Any, Type] $pattern", "Array[String] $string, Variant[Any, Type] $pattern")
def match(string: Value, pattern: Value) -> Value:
    """The match of a pattern and its groups, or `undef`; for an array of texts, an array of that.

    The pattern is a string, a regular expression, a type `Regexp[...]` or `Pattern[...]`, or an array of those, of
    which the first that matches counts.

    puppet> match('abc123', /([a-z]+)([1-9]+)/)
    ['abc123', 'abc', '123']
    """
    if isinstance(string, list):
        return [_match_one(element, pattern) for element in string]
    return _match_one(string, pattern)


def _match_one(text: str, pattern: Value) -> list[str | None] | None:
    from ..types.model import TypeAlias, VariantType
    from ..types.scalars import PatternType, RegexpType

    while isinstance(pattern, TypeAlias):
        pattern = pattern.resolved
    if isinstance(pattern, str | Regexp):
        regex = pattern_of(pattern)
        hit = regex.search(text)
        return None if hit is None else [hit.group(), *hit.groups()]
    if isinstance(pattern, RegexpType):
        if pattern.pattern is None:
            raise FunctionFailure("Given Regexp Type has no regular expression")
        return _match_one(text, pattern.pattern)
    alternatives: Any
    if isinstance(pattern, VariantType):
        alternatives = pattern.types
    elif isinstance(pattern, PatternType):
        alternatives = pattern.patterns
    elif isinstance(pattern, list):
        alternatives = _flat(pattern)
    else:
        raise FunctionFailure(
            "match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. "
            f"Got {ruby.ruby_class(pattern)}"
        )
    for alternative in alternatives:
        result = _match_one(text, alternative)
        if result is not None:
            return result
    return None


def _flat(values: list[Value]) -> list[Value]:
    flat: list[Value] = []
    for element in values:
        if isinstance(element, list):
            flat.extend(_flat(element))
        else:
            flat.append(element)
    return flat


@function("length", "Collection $arg", "String $arg", "Binary $arg")
def length(arg: Value) -> int:
    """How many elements a collection, characters a text or bytes a binary has.

    puppet> length('roses')
    5
    puppet> length({ 'a' => 1, 'b' => 2 })
    2
    """
    return len(arg.data) if isinstance(arg, Binary) else len(arg)


@function("size", "Variant[Collection, String, Binary] $arg")
def size(arg: Value) -> int:
    """The same as `length`.

    puppet> size([1, 2, 3])
    3
    """
    return length(arg)


@function("shellquote", "Any *$words", legacy=True)
def shellquote(*words: Value) -> str:
    """The arguments (and the elements of arrays among them) quoted for the Bourne shell, with spaces between them.

    puppet> shellquote('ls', 'my file', ['$HOME'])
    'ls "my file" \\'$HOME\\''
    """
    return " ".join(_quoted(word) for word in _flat(list(words)))


_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-")
_DANGEROUS = '!"`$\\'


def _quoted(word: Value) -> str:
    if not isinstance(word, str):
        kind = ruby.kind_name(word)
        if kind in ("Hash", "Puppet::Resource"):  # these have a length, and are found out later
            raise FunctionFailure(f"no implicit conversion of {kind} into String")
        raise FunctionFailure(f"undefined method `length' for {ruby.inspect(word)}:{ruby.ruby_class(word)}")
    if word and _SAFE.issuperset(word):
        return word
    if not any(character in word for character in _DANGEROUS):
        return f'"{word}"'
    if "'" not in word:
        return f"'{word}'"
    return '"' + "".join("\\" + character if character in _DANGEROUS else character for character in word) + '"'


@function("versioncmp", "String $a, String $b, Boolean $ignore_trailing_zeroes?")
def versioncmp(a: str, b: str, ignore_trailing_zeroes: bool = False) -> int:
    """Compares two version numbers: -1, 0 or 1.  Numbers in them count as numbers.

    puppet> versioncmp('2.6-1', '2.4.5')
    1
    puppet> versioncmp('1.0.0', '1.0', true)
    0
    """
    import re

    if ignore_trailing_zeroes:
        a, b = _without_trailing_zeroes(a), _without_trailing_zeroes(b)
    pieces = re.compile(r"[-.]|[0-9]+|[^-.0-9]+")
    for one, other in zip(pieces.findall(a), pieces.findall(b), strict=False):
        if one == other:
            continue
        for separator in ("-", "."):
            if one == separator:
                return -1
            if other == separator:
                return 1
        if one[0].isdigit() and one.isascii() and other[0].isdigit() and other.isascii():
            if not one.startswith("0") and not other.startswith("0"):
                left, right = (len(one), one), (len(other), other)  # without leading zeroes, longer is larger
                return int(left > right) - int(left < right)
        one, other = one.upper(), other.upper()
        return int(one > other) - int(one < other)
    return int(a > b) - int(a < b)


def _without_trailing_zeroes(version: str) -> str:
    import re

    parts = version.split("-")
    while parts and parts[-1] == "":
        parts.pop()
    if not parts:
        raise FunctionFailure("undefined method `sub!' for nil:NilClass")
    parts[0] = re.sub(r"[.0]+$", "", parts[0], count=1, flags=re.MULTILINE)
    return "-".join(parts)
