"""What may be written at a place of a manifest, a template or a file of data: by the text before it.

The text is in the middle of being written, so it is not parsed: the words before the place say what is to come, and in
a resource the brace that is still open.
"""

from __future__ import annotations

import re

from ...base.mentions import Called, Described, Expected
from ...base.source import SourceFile
from ..functions.table import find
from ..functions.table import names as function_names
from ..runtime.resource_types import METAPARAMETERS, core_kind, core_names

_VARIABLE = re.compile(r"\$(?:::)?((?:\w+::)*\w*)\Z")
_FACT = re.compile(r"\$facts((?:\[['\"][\w.-]+['\"]\])*)\[['\"]?([\w.-]*)\Z")
_CLASS = re.compile(
    r"(?:\b(?:include|contain|require)[ (\[]+(?:['\"]?[\w:]+['\"]?\s*,\s*)*|\bclass\s*\{\s*|\bClass\[\s*|\binherits\s+)"
    r"['\"]?((?:\w+::)*\w*)\Z"
)
_WORD = re.compile(r"(?<![\w:$'\"])((?:\w+::)*\w*)\Z")
_TYPE = re.compile(r"(?<![\w:$'\"])([A-Z]\w*(?:::\w*)*)\Z")
_HEAD = re.compile(r"(?:^|[\s;}])@{0,2}((?:\w+::)*\w+)\s*\Z")
_TITLE = re.compile(r"\s*(?:\[[^\]]*\]|['\"]([^'\"]*)['\"]|\$?[\w:]+(?:\[[^\]]*\])*)\s*:(?!:)")
_KEY = re.compile(r"(?:\A|\n)((?:\w+::)*\w*)\Z")
_KEYWORDS = "class define node if unless case function inherits undef default true false and or in".split()
_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|#[^\n]*", re.DOTALL)
_FUNCTION = re.compile(r"(\.?)(?<![\w$])((?:::)?[a-z]\w*(?:::\w+)*)\Z")
_MARKS = {"optional": ("", "?"), "repeated": ("*", ""), "required_repeated": ("+", "")}
_LONGEST = 20_000
"""Characters before a place that are looked at."""


def expected_at(source: SourceFile, offset: int) -> Expected | None:
    """What may be written at an offset."""
    before = source.text[max(0, offset - _LONGEST) : offset]
    if source.name.endswith((".yaml", ".yml", ".eyaml")):
        key = _KEY.search(before)
        return None if key is None else Expected(offset - len(key[1]), ("parameter",))
    fact = _FACT.search(before)
    if fact is not None:
        path = ".".join(re.findall(r"[\w.-]+", fact[1]))
        return Expected(offset - len(fact[2]), ("fact",), path)
    variable = _VARIABLE.search(before)
    if variable is not None:
        return Expected(offset - len(variable[1]), ("variable",))
    named = _CLASS.search(before)
    if named is not None:
        return Expected(offset - len(named[1]), ("class",))
    kind = _TYPE.search(before)
    if kind is not None:
        return Expected(
            offset - len(kind[1]), ("type",), words=tuple(sorted(map(_written, core_names()))), capital=True
        )
    word = _WORD.search(before)
    if word is None or _is_in_text(before):
        return None
    owner = _resource(before[: len(before) - len(word[1])])
    if owner is not None:
        core = core_kind(owner)
        own = tuple(sorted(core.attributes)) if core is not None else ()
        return Expected(offset - len(word[1]), ("attribute",), owner, (*own, *sorted(METAPARAMETERS)))
    words = (*_KEYWORDS, *sorted(core_names()), *sorted(function_names()))
    return Expected(offset - len(word[1]), ("function", "type"), words=words)


def called_at(source: SourceFile, offset: int) -> Called | None:
    """The call whose arguments an offset is in: the bracket that is open, the name before it, the commas behind it."""
    before = source.text[max(0, offset - _LONGEST) : offset]
    if re.search(r"#[^\n'\"]*\Z", before):
        return None
    plain = _TEXT.sub(lambda text: " " * len(text[0]), before)
    waiting: list[tuple[int, int]] = []
    for at, letter in enumerate(plain):
        if letter in "([{":
            waiting.append((at, 0))
        elif letter in ")]}" and waiting:
            waiting.pop()
        elif letter == "," and waiting:
            waiting[-1] = (waiting[-1][0], waiting[-1][1] + 1)
    if not waiting or plain[waiting[-1][0]] != "(":
        return None
    opened, commas = waiting[-1]
    name = _FUNCTION.search(plain[:opened])
    if name is None or name[2] in _KEYWORDS:
        return None
    return Called(name[2].removeprefix("::"), commas + (name[1] == "."))


def signatures_of(name: str) -> list[Described]:
    """The ways to call a function of Puppet's, each with its manual page."""
    function = find(name)
    ways: list[Described] = []
    for signature in function.signatures if function is not None else ():
        parameters = []
        for parameter in signature.parameters:
            before, behind = _MARKS.get(parameter.kind, ("", ""))
            parameters.append(f"{parameter.type_text} {before}${parameter.name}{behind}")
        ways.append(Described(tuple(parameters), function.documentation if function is not None else ""))
    return ways


def _written(name: str) -> str:
    return "::".join(part[:1].upper() + part[1:] for part in name.split("::"))


def _is_in_text(before: str) -> bool:
    """Whether a place is in a comment or in a text, as far as its line tells."""
    line = re.sub(r"\\.|'[^'\n]*'|\"[^\"\n]*\"", "", before.rpartition("\n")[2])
    return "#" in line or "'" in line or '"' in line


def _resource(before: str) -> str | None:
    """The type (or the class) whose attributes may be written, if a brace of one is open and its title is there."""
    if not re.search(r"[,:;{]\s*(?:#[^\n]*\s*)*\Z", before):
        return None
    depth = 0
    plain = re.sub(r"#[^\n]*", lambda comment: " " * len(comment[0]), before)
    for at in range(len(plain) - 1, -1, -1):
        if plain[at] in "})]":
            depth += 1
        elif plain[at] in "{([":
            if depth:
                depth -= 1
                continue
            head = _HEAD.search(plain[:at]) if plain[at] == "{" else None
            title = _TITLE.match(before, at + 1)
            if head is None or title is None or head[1] in ("else", "default"):
                return None
            last = before.rfind(";", at)  # of several bodies the last
            again = _TITLE.match(before, last + 1) if last > at else None
            name = (again or title)[1] if head[1] == "class" else head[1]
            return None if name is None else name.lower().removeprefix("::")
    return None
