"""`YAML.load`, `safe_load` and `unsafe_load` as Psych 4 has them: which classes a document may make.

`load` permits symbols, `safe_load` nothing beyond plain data, `unsafe_load` everything that we have (symbols, patterns,
ranges, dates); `permitted_classes`, `permitted_symbols` and `aliases` permit more. A class that is not permitted is
Psych's `DisallowedClass`, whether it is asked for by a tag or by how a word looks. An object of a class that a program
defines is never made.
"""

from __future__ import annotations

import base64
import re
from collections import deque
from typing import Any

import yaml
from yaml.composer import Composer

from ...base.keys import Symbol
from ..classes import error
from ..errors import NotSupported, RubyError
from ..hashing import key_of
from ..interpreter import Interpreter
from ..showing import to_s
from ..support import option_bits
from ..values import Keywords, Range, Value, truth, value_of

_INTEGER = re.compile(
    r"(?:[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+|[-+]?0b[01_,]+)\Z"
)
_FLOAT = re.compile(r"(?:[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][+-][0-9]+)?(?:#.*)?)\Z")
_SIXTY = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(?:\.[0-9_]*)?\Z")
_DATE = re.compile(r"\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])\Z")
_TIME = re.compile(
    r"-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?\Z"
)
_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_PATTERN = re.compile(r"\A/(.*)/([mixn]*)\Z", re.DOTALL)
_RANGE = re.compile(r"\A(.*?)(\.\.\.?)(.*)\Z", re.DOTALL)
_OPTIONS = frozenset(
    "permitted_classes permitted_symbols aliases filename fallback symbolize_names freeze strict_integer".split()
)
_STANDARD = "tag:yaml.org,2002:"
MAX_DEPTH = 500


def scalar(text: str) -> Value:
    """What a plain text in YAML means to Ruby; a date or a time is left as text."""
    lowered = text.lower()
    if lowered in ("", "~", "null"):
        return None
    if lowered in _WORDS:
        return _WORDS[lowered]
    if text[0] == ":" and len(text) > 1:
        name = text[1:]
        return Symbol(name[1:-1] if name[0] in "\"'" and name[-1] == name[0] else name)
    if text[0] not in "-+.0123456789":
        return text
    if lowered in (".inf", "+.inf"):
        return float("inf")
    if lowered == "-.inf":
        return float("-inf")
    if lowered == ".nan":
        return float("nan")
    if _INTEGER.match(text):
        return _integer(text.replace("_", "").replace(",", ""))
    if _FLOAT.match(text) and re.search(r"\d", text):
        cleaned = text.replace("_", "").replace(",", "")
        return float(cleaned + "0" if cleaned.endswith(".") else cleaned)
    if _SIXTY.match(text):
        # Psych takes two parts for hours and minutes, and a sign for one of the first part.
        read = float if "." in text else int
        parts = [read(part.replace("_", "").rstrip(".") or "0") for part in text.split(":")]
        return sum(part * 60 ** abs(at - 2) for at, part in enumerate(parts))
    return text


def _integer(text: str) -> Value:
    sign = -1 if text.startswith("-") else 1
    body = text.lstrip("+-").lower()
    if body.startswith("0x"):
        return sign * int(body[2:], 16)
    if body.startswith("0b"):
        return sign * int(body[2:], 2)
    if len(body) > 1 and body.startswith("0"):
        return sign * int(body, 8)
    return sign * int(body)


def is_moment(text: str) -> bool:
    """Whether a plain text would be read as a date or a time."""
    return bool(_DATE.match(text) or _TIME.match(text))


_Events: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Composer(Composer, _Events):  # type: ignore[misc]  # which base it is depends on the library's build
    """Makes nodes whose tag is empty unless it is written, and refuses aliases that are not permitted.

    Events come from the parser in C where the library has it: that is libyaml, as in Psych, and some fifteen times as
    fast. The nodes are made here all the same, since the composer in C knows nothing of tags that are left out.
    """

    aliases = True

    def __init__(self, text: str) -> None:
        _Events.__init__(self, text)
        Composer.__init__(self)

    def resolve(self, kind: object, value: object, implicit: object) -> str:
        return ""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            anchor = self.peek_event().anchor
            if not self.aliases or anchor not in self.anchors:
                raise error("Psych::BadAlias", f"Unknown alias: {anchor}")
        else:
            # an anchor may be set again: aliases mean the last one before them
            self.anchors.pop(self.peek_event().anchor, None)
        return super().compose_node(parent, index)


class _StrictComposer(_Composer):
    aliases = False


def _words(problem: yaml.YAMLError) -> str:
    """What Psych says of a text that is no YAML: the problem, what was being read, and where that began.

    Where nothing was being read, the parser leaves that place at the beginning of the text; the scanner does not.
    """
    parts = [getattr(problem, name, None) for name in ("problem", "reason", "context")]
    mark = getattr(problem, "context_mark", None)
    if mark is None and isinstance(problem, yaml.scanner.ScannerError):
        mark = problem.problem_mark
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    return " ".join([*(part for part in parts if part), f"at line {line} column {column}"])


class Permission:
    """What a document may make: names of classes, and of symbols where not all are permitted; nothing for all."""

    def __init__(self, classes: frozenset[str] | None, symbols: frozenset[str]) -> None:
        self.classes = classes
        self.symbols = symbols

    def check(self, name: str, symbol: str | None = None) -> None:
        """Refuse a class that is not permitted."""
        permitted = self.classes is None or name in self.classes
        if not permitted or (symbol is not None and self.symbols and symbol not in self.symbols):
            raise error("Psych::DisallowedClass", f"Tried to load unspecified class: {name}")


def _names(values: Value) -> frozenset[str]:
    items = values if isinstance(values, list) else []
    return frozenset(item.name if isinstance(item, Symbol) else to_s(None, item) for item in items)


class Reader:
    """One document, or several, being read."""

    def __init__(self, i: Interpreter, way: str, options: dict[Any, Value]) -> None:
        """`way` is `load`, `safe_load` or `unsafe_load`."""
        named = {value_of(key).name: value for key, value in options.items() if isinstance(value_of(key), Symbol)}
        unknown = [name for name in named if name not in _OPTIONS]
        if unknown:
            words = ", ".join(f":{name}" for name in unknown)
            raise error("ArgumentError", f"unknown keyword{'s' if len(unknown) > 1 else ''}: {words}")
        self.i = i
        self.symbolize = truth(named.get("symbolize_names"))
        self.fallback = named.get("fallback", False if way == "unsafe_load" else None)
        self.name = to_s(i, named["filename"]) if named.get("filename") is not None else "<unknown>"
        unsafe = way == "unsafe_load"
        permitted = _names(named.get("permitted_classes")) | (
            {"Symbol"} if way == "load" and "permitted_classes" not in named else set()
        )
        self.permission = Permission(None if unsafe else permitted, _names(named.get("permitted_symbols")))
        self.composer = _Composer if unsafe or truth(named.get("aliases")) else _StrictComposer
        self.known: dict[int, Value] = {}

    def documents(self, text: str) -> list[Value]:
        """The values of all documents."""
        try:
            try:
                nodes = list(yaml.compose_all(text, Loader=self.composer))
            except RubyError:  # of an alias; a text that is no YAML is refused before
                deque(yaml.parse(text, Loader=self.composer), maxlen=0)
                raise
        except yaml.YAMLError as problem:
            raise error("Psych::SyntaxError", f"({self.name}): {_words(problem)}") from None
        except RecursionError:
            raise error("Psych::SyntaxError", f"({self.name}): nested too deeply") from None
        return [self.build(node, 0) for node in nodes if node is not None]

    def first(self, text: str) -> Value:
        """The value of the first document; the fallback where there is none."""
        documents = self.documents(text)
        return documents[0] if documents else self.fallback

    def build(self, node: Any, depth: int) -> Value:
        """The value of a node."""
        if id(node) in self.known:
            return self.known[id(node)]
        self.i.budget.draw("nodes", 1, "reading YAML", self.i.at)
        if depth > MAX_DEPTH:
            raise error("Psych::SyntaxError", f"({self.name}): nested too deeply")
        if isinstance(node, yaml.ScalarNode):
            value = self.known[id(node)] = self.scalar(node)
            return value
        self.check_tag(node.tag)
        if isinstance(node, yaml.SequenceNode) and node.tag in ("!omap", _STANDARD + "omap"):
            raise NotSupported("reading an ordered hash (!!omap)", self.i.at)
        if isinstance(node, yaml.SequenceNode):
            values: list[Value] = []
            self.known[id(node)] = values
            values.extend(self.build(item, depth + 1) for item in node.value)
            return values
        return self.mapping(node, depth)

    def mapping(self, node: Any, depth: int) -> dict[Any, Value]:
        """A hash; `<<` brings in the entries of another."""
        table: dict[Any, Value] = {}
        self.known[id(node)] = table
        for key, item in node.value:
            name = self.build(key, depth + 1)
            value = self.build(item, depth + 1)
            if name == "<<" and key.tag != _STANDARD + "str" and self.merged(table, key, item, value):
                continue
            table[key_of(self.i, Symbol(name) if self.symbolize and type(name) is str else name)] = value
        return table

    def merged(self, table: dict[Any, Value], key: Any, node: Any, value: Value) -> bool:
        """Merge what `<<` names into a hash, over what is there; not if it is no hash, or no list of hashes."""
        is_alias = node.start_mark.index < key.start_mark.index  # what stands for a node stands behind it
        is_list = isinstance(node, yaml.SequenceNode) and not is_alias and isinstance(value, list)
        parts = list(reversed(value)) if is_list else [value]
        if not all(isinstance(part, dict) for part in parts):
            return False
        for part in parts:
            table.update({name: item for name, item in part.items() if part is not table})
        return True

    def check_tag(self, tag: str) -> None:
        """Refuse an array or hash of a class."""
        if tag.startswith("!ruby/"):
            kind, _, name = tag.removeprefix("!ruby/").partition(":")
            wanted = name or {"range": "Range", "class": "Class", "module": "Module"}.get(kind, kind)
            raise error("Psych::DisallowedClass", f"Tried to load unspecified class: {wanted}")
        if tag == _STANDARD + "set":
            raise error("Psych::DisallowedClass", "Tried to load unspecified class: Psych::Set")

    def scalar(self, node: Any) -> Value:
        """A word, with the class that its tag or its look asks for."""
        tag, text = node.tag, node.value
        if tag.startswith("!ruby/"):
            return self.of_class(tag.removeprefix("!ruby/"), text)
        if tag.startswith(_STANDARD) or tag in ("!str", "!binary", "!float"):
            return self.of_tag(tag.removeprefix(_STANDARD).removeprefix("!"), text)
        if node.style and tag in ("", "!"):
            return text
        return self.plain(text)

    def plain(self, text: str) -> Value:
        """A word without quotes."""
        value = scalar(text)
        if isinstance(value, Symbol):
            self.permission.check("Symbol", value.name)
        elif type(value) is str and is_moment(value):
            return self.moment(value)
        return value

    def moment(self, text: str) -> Value:
        """A date or a time; one that the calendar does not have is a text."""
        from ..libraries import dates, times

        day = bool(_DATE.match(text))
        self.permission.check("Date" if day else "Time")
        make = dates.parse if day else times.parse
        return make(self.i, None, [text], None)

    def of_tag(self, tag: str, text: str) -> Value:
        """`!!str 12` and the like."""
        if tag == "str":
            return text
        if tag == "binary":
            try:
                return base64.b64decode(text).decode("utf-8", "surrogateescape")
            except ValueError:
                return ""
        value = self.plain(text)
        if tag == "float" and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise error("ArgumentError", f'invalid value for Float(): "{text}"')
        return float(value) if tag == "float" else value

    def of_class(self, written: str, text: str) -> Value:
        """`!ruby/regexp /x/i` and the like."""
        kind, _, name = written.partition(":")
        if kind in ("sym", "symbol"):
            self.permission.check("Symbol", text)
            return Symbol(text)
        if kind == "regexp":
            self.permission.check("Regexp")
            pattern = _PATTERN.match(text)
            return self.i.regexp(pattern[1], option_bits(pattern[2])) if pattern is not None else text
        if kind == "range":
            self.permission.check("Range")
            ends = _RANGE.match(text)
            return text if ends is None else Range(self.plain(ends[1]), self.plain(ends[3]), ends[2] == "...")
        wanted = name or (text if kind in ("class", "module") else kind)
        raise error("Psych::DisallowedClass", f"Tried to load unspecified class: {wanted}")


def arguments_of(way: str, a: list[Value]) -> dict[Any, Value]:
    """The options of a call; more than one plain argument is an error, as in Psych 4."""
    plain = [value for value in a if not isinstance(value, Keywords)]
    if len(plain) > 1 and way != "unsafe_load":
        raise error("ArgumentError", f"wrong number of arguments (given {len(plain)}, expected 1)")
    return next((value for value in a if isinstance(value, Keywords)), {})
