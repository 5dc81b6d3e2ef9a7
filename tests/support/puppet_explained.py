"""Differences from real Puppet that are known and meant: each kind has a name, a row in docs/puppet.md, a predicate.

A predicate looks at Puppet's answer and ours, both reduced to what must be equal (`puppet_real.normal`), and says
whether all of their difference is of its kind; some look at the program, too. It names what may differ, and asks for
the rest to be the same: a kind never excuses another message, another line or another resource. `explained` gives the
name of the kind, or nothing; the live comparison fails for what has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Answer = dict[str, Any]

_ADDRESS = re.compile(r"#?<object>|#<[^ ]*?:0x[0-9a-f]+|#<<object>")
_OVERFLOW = "stack level too deep"


def explained(theirs: Answer, mine: Answer, manifest: str = "") -> str | None:
    """The kind that all of the difference is of, or nothing.

    Where kinds meet in one program, each text that differs must be explained by itself, as if it were the only one.
    """
    kind = _kind_of(theirs, mine, manifest)
    if kind is None and _same_but_texts(theirs, mine):
        pairs = enumerate(zip(_told(theirs), _told(mine), strict=True))
        kinds = [_kind_of(_with_text(mine, at, their), mine, manifest) for at, (their, our) in pairs if their != our]
        if kinds and None not in kinds:
            kind = ", ".join(sorted({str(each) for each in kinds}))
    return kind


def _kind_of(theirs: Answer, mine: Answer, manifest: str) -> str | None:
    return next((kind for kind, covers in EXPLAINED.items() if covers(theirs, mine, manifest)), None)


def _with_text(answer: Answer, at: int, text: str) -> Answer:
    """`answer` with another text in one place: a line of the log, or the error behind them."""
    logs = [[level, text if index == at else message] for index, (level, message) in enumerate(answer["logs"])]
    return {**answer, "logs": logs} if at < len(logs) else {**answer, "error": text}


def _same_place(theirs: Answer, mine: Answer) -> bool:
    """Both refuse, at the same line, after the same log."""
    return (
        "error" in theirs
        and "error" in mine
        and theirs.get("line") == mine.get("line")
        and theirs["logs"] == mine["logs"]
    )


def _until(mark: re.Pattern[str], theirs: str, mine: str) -> bool:
    """Whether the texts are the same up to the first `mark` in theirs."""
    found = mark.search(theirs)
    return found is not None and mine.startswith(theirs[: found.start()])


def _ruby_error(theirs: Answer, mine: Answer, _: str) -> bool:
    """Puppet stops with an error of Ruby's, and shows its own code."""
    return _same_place(theirs, mine) and _until(
        re.compile(r"(undefined (local variable or )?|protected )method"), theirs["error"], mine["error"]
    )


def _address(theirs: Answer, mine: Answer, _: str) -> bool:
    """Puppet shows where an object lies in memory."""
    if not _same_but_texts(theirs, mine):
        return False
    pairs = zip(_told(theirs), _told(mine), strict=True)
    return all(their == our or _until(_ADDRESS, their, our) for their, our in pairs)


def _own_parent(theirs: Answer, mine: Answer, _: str) -> bool:
    """Puppet's stack overflows for a class that inherits from itself; ours tells the cycle."""
    return theirs.get("error") == _OVERFLOW and "inherits from itself" in mine.get("error", "")


def _error_value(theirs: Answer, mine: Answer, manifest: str) -> bool:
    """Puppet's stack overflows while it writes a value of the type `Error`; we write it, or refuse another."""
    if mine.get("error", "").endswith("-Value cannot be written into a catalog") and "Error(" in manifest:
        return bool(theirs.get("error") == _OVERFLOW and theirs["logs"] == mine["logs"])
    if "Endless recursion detected when attempting to serialize" in mine.get("error", ""):
        return theirs.get("error") == _OVERFLOW
    return theirs.get("error") == _OVERFLOW and '"__ptype": "Error"' in json.dumps(mine.get("resources"))


_OWN_ALTERNATIVE = re.compile(r"\btype (\S+) = Variant\[.*\bOptional\[\1\]")


def _own_alternative(theirs: Answer, mine: Answer, manifest: str) -> bool:
    """Puppet's stack overflows for a type that is an alternative of itself; ours says what does not fit."""
    if theirs.get("error") != _OVERFLOW:
        return False
    return " expects " in mine.get("error", "") or _OWN_ALTERNATIVE.search(manifest) is not None


_TIME_AS_KEY = re.compile(r"\bTime(?:stamp|span)\b[^\n]*=>")


def _time_as_key(theirs: Answer, mine: Answer, manifest: str) -> bool:
    """Times that are keys of a hash, or types of them, are the same in Puppet only if they are one object."""
    return _same_but_texts(theirs, mine) and "error" not in mine and _TIME_AS_KEY.search(manifest) is not None


def _told(answer: Answer) -> list[str]:
    """All texts of an answer: its log, and its error at the end."""
    return [message for _, message in answer["logs"]] + ([answer["error"]] if "error" in answer else [])


def _same_but_texts(theirs: Answer, mine: Answer) -> bool:
    """The same kinds of messages, at the same places; the same catalog, or both refuse at the same line."""
    levels = [[level for level, _ in answer["logs"]] for answer in (theirs, mine)]
    rest = [{key: answer[key] for key in answer if key not in ("logs", "error")} for answer in (theirs, mine)]
    return levels[0] == levels[1] and ("error" in theirs) == ("error" in mine) and rest[0] == rest[1]


_SET = re.compile(r"TypeSet\[\{.*?\bname => '([\w:]+)'.*\}\]")
_ALIASES = re.compile(r"references => \{(.*)\}\}")


def _printed_set(theirs: Answer, mine: Answer, _: str) -> bool:
    """Once Puppet has printed a set of types, its members go by their short names in all that is printed later."""
    if not _same_but_texts(theirs, mine):
        return False
    families: list[str] = []
    for their, our in zip(_told(theirs), _told(mine), strict=True):
        if their != our:
            if not families or not _same_in_set(their, our, "|".join(families)):
                return False
        printed = _SET.search(our)
        if printed is not None:
            references = re.findall(r"(\w+) => \{'name' => '([\w:]+)'", "".join(_ALIASES.findall(our)))
            families += [printed[1], *(name for reference in references for name in reference)]
    return True


def _same_in_set(theirs: str, mine: str, families: str) -> bool:
    def bare(text: str) -> str:
        text = re.sub(rf"name => '(?:{families})::\w+'(?:, )?", "", text)
        return re.sub(rf"\b(?:{families})::", "", re.sub(r"\b[A-Z]\w*(?:::\w+)* = ", "", text))

    forms = (mine, _unexpanded(mine), _expanded_once(mine), *mine.split(" = "))
    return bare(theirs) in map(bare, forms) or bare(_unexpanded(theirs)) == bare(_unexpanded(mine))


_ALIAS = re.compile(r"\b([A-Z]\w*(?:::[A-Z]\w*)*) = [A-Z]\w*(?:::[A-Z]\w*)*")


_QUOTED = re.compile(r"/(?:\\.|[^/\\])*/|'(?:\\.|[^'\\])*'")


def _expanded_once(text: str) -> str:
    """`text` with the first alias written as what it stands for, where other aliases go by their names."""
    alias = _ALIAS.search(text)
    if alias is None:
        return text
    start = alias.end(1) + len(" = ")
    end = _end_of_alias(text, alias)
    return text[: alias.start()] + _unexpanded(text[start:end]) + text[end:]


def _unexpanded(text: str) -> str:
    """`text` with `A = Array[Integer]` written as `A`: aliases without what they stand for."""
    alias = _ALIAS.search(text)
    if alias is None:
        return text
    return text[: alias.start()] + alias[1] + _unexpanded(text[_end_of_alias(text, alias) :])


def _end_of_alias(text: str, alias: re.Match[str]) -> int:
    """Where what an alias stands for ends."""
    end, depth = alias.end(), 0
    while end < len(text) and (depth or text[end] == "["):
        quoted = _QUOTED.match(text, end)
        depth += (text[end] in "[{(") - (text[end] in "]})")
        end = end + 1 if quoted is None else quoted.end()
    return end


_REFERENCE = re.compile(r"(Creation of new instance of type ')?TypeReference\['\w+'\]")


def _module_set(theirs: Answer, mine: Answer, _: str) -> bool:
    """A module's set that is first asked for by its own name does not know its own members in Puppet."""
    if "error" in theirs and "reference to unresolved type" in theirs["error"]:
        return bool(theirs["logs"] == mine["logs"][: len(theirs["logs"])])
    if not _same_but_texts(theirs, mine):
        return False
    pairs = [(their, our) for their, our in zip(_told(theirs), _told(mine), strict=True) if their != our]
    members = set(re.findall(r"\b(\w+) => ", "".join(_SETS.findall("".join(_told(mine))))))
    return bool(pairs) and all(
        _until(_REFERENCE, their, our) or _until_unresolved(their, our, members) for their, our in pairs
    )


_SETS = re.compile(r"\btypes => \{(.*)\}")


def _until_unresolved(theirs: str, mine: str, members: set[str]) -> bool:
    """Whether the texts are the same up to where Puppet does not know a member of a set that was printed."""
    unknown = re.search(r"references an unresolved type '(\w+)'", theirs)
    return unknown is not None and unknown[1] in members and mine.startswith(theirs[: unknown.start()])


def _unsimplified(theirs: Answer, mine: Answer, _: str) -> bool:
    """Puppet fails to simplify a type that a definition holds, with an error of Ruby's."""
    logs = bool(theirs["logs"] == mine["logs"][: len(theirs["logs"])])
    told = theirs.get("error", "")
    return logs and (
        told.endswith("wrong number of arguments (given 1, expected 2)")
        or "Error while evaluating a Type-Name, undefined method `normalize' for nil:NilClass" in told
    )


def _cut_text(theirs: Answer, mine: Answer, _: str) -> bool:
    """Puppet prints a set of types up to a member that is none, and goes on; we refuse there."""
    told = len(mine["logs"])
    return (
        theirs["logs"][:told] == mine["logs"]
        and len(theirs["logs"]) > told
        and theirs["logs"][told][1].endswith("Regexp[}]")
        and mine.get("error", "").endswith("no implicit conversion of Puppet::Pops::Types::PRegexpType into String")
    )


EXPLAINED: dict[str, Callable[[Answer, Answer, str], bool]] = {
    "error of Ruby": _ruby_error,
    "address of an object": _address,
    "class that inherits from itself": _own_parent,
    "`Error` in a catalog": _error_value,
    "alternative of itself": _own_alternative,
    "set that has been printed": _printed_set,
    "set of a module": _module_set,
    "type that Puppet can not simplify": _unsimplified,
    "set that Puppet cuts off": _cut_text,
    "time as a key": _time_as_key,
}
