"""Differences from real Puppet that are known and meant: each kind has a name, a row in docs/puppet.md, a predicate.

A predicate looks at Puppet's answer and ours, both reduced to what must be equal (`puppet_real.normal`), and says
whether all of their difference is of its kind. It names what may differ, and asks for the rest to be the same: a kind
never excuses another message, another line or another resource. `explained` gives the name of the kind, or nothing; the
live comparison fails for what has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Answer = dict[str, Any]

_ADDRESS = re.compile(r"#?<object>|#<[^ ]*?:0x[0-9a-f]+|#<<object>")
_OVERFLOW = "stack level too deep"


def explained(theirs: Answer, mine: Answer) -> str | None:
    """The kind that all of the difference is of, or nothing."""
    return next((kind for kind, covers in EXPLAINED.items() if covers(theirs, mine)), None)


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


def _ruby_error(theirs: Answer, mine: Answer) -> bool:
    """Puppet stops with an error of Ruby's, and shows its own code."""
    return _same_place(theirs, mine) and _until(
        re.compile(r"(undefined (local variable or )?|protected )method"), theirs["error"], mine["error"]
    )


def _address(theirs: Answer, mine: Answer) -> bool:
    """Puppet shows where an object lies in memory."""
    if "error" in theirs:
        return _same_place(theirs, mine) and _until(_ADDRESS, theirs["error"], mine["error"])
    if "error" in mine or len(theirs["logs"]) != len(mine["logs"]):
        return False
    pairs = zip(theirs["logs"], mine["logs"], strict=True)
    logs = all(one == other or _until(_ADDRESS, one[1], other[1]) for one, other in pairs)
    return logs and {**theirs, "logs": []} == {**mine, "logs": []}


def _own_parent(theirs: Answer, mine: Answer) -> bool:
    """Puppet's stack overflows for a class that inherits from itself; ours tells the cycle."""
    return theirs.get("error") == _OVERFLOW and "inherits from itself" in mine.get("error", "")


def _error_value(theirs: Answer, mine: Answer) -> bool:
    """Puppet's stack overflows while it writes a value of the type `Error`; we write it, or refuse another."""
    if "Endless recursion detected when attempting to serialize" in mine.get("error", ""):
        return theirs.get("error") == _OVERFLOW
    return theirs.get("error") == _OVERFLOW and '"__ptype": "Error"' in json.dumps(mine.get("resources"))


def _own_alternative(theirs: Answer, mine: Answer) -> bool:
    """Puppet's stack overflows for a type that is an alternative of itself; ours says what does not fit."""
    return theirs.get("error") == _OVERFLOW and " expects " in mine.get("error", "")


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


def _printed_set(theirs: Answer, mine: Answer) -> bool:
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
            families += [printed[1], *re.findall(r"(\w+) => \{'name'", "".join(_ALIASES.findall(our)))]
    return True


def _same_in_set(theirs: str, mine: str, families: str) -> bool:
    def bare(text: str) -> str:
        text = re.sub(rf"name => '(?:{families})::\w+'(?:, )?", "", text)
        return re.sub(rf"\b(?:{families})::", "", re.sub(r"\b[A-Z]\w*(?:::\w+)* = ", "", text))

    return bare(theirs) == bare(mine) or bare(theirs) == bare(_unexpanded(mine)) or theirs in mine.split(" = ")


_ALIAS = re.compile(r"\b([A-Z]\w*(?:::[A-Z]\w*)*) = [A-Z]\w*(?:::[A-Z]\w*)*")


def _unexpanded(text: str) -> str:
    """`text` with `A = Array[Integer]` written as `A`: aliases without what they stand for."""
    alias = _ALIAS.search(text)
    if alias is None:
        return text
    end, depth = alias.end(), 0
    while end < len(text) and (depth or text[end] == "["):
        depth += (text[end] in "[{(") - (text[end] in "]})")
        end += 1
    return text[: alias.start()] + alias[1] + _unexpanded(text[end:])


_REFERENCE = re.compile(r"TypeReference\['\w+'\]")


def _module_set(theirs: Answer, mine: Answer) -> bool:
    """A module's set that is first asked for by its own name does not know its own members in Puppet."""
    if "error" in theirs and "reference to unresolved type" in theirs["error"]:
        return bool(theirs["logs"] == mine["logs"][: len(theirs["logs"])])
    if not _same_but_texts(theirs, mine):
        return False
    pairs = [(their, our) for their, our in zip(_told(theirs), _told(mine), strict=True) if their != our]
    return bool(pairs) and all(_until(_REFERENCE, their, our) for their, our in pairs)


def _unsimplified(theirs: Answer, mine: Answer) -> bool:
    """Puppet fails to simplify a type that a definition holds, with an error of Ruby's."""
    logs = bool(theirs["logs"] == mine["logs"][: len(theirs["logs"])])
    told = theirs.get("error", "")
    return logs and (
        told.endswith("wrong number of arguments (given 1, expected 2)")
        or "Error while evaluating a Type-Name, undefined method `normalize' for nil:NilClass" in told
    )


EXPLAINED: dict[str, Callable[[Answer, Answer], bool]] = {
    "error of Ruby": _ruby_error,
    "address of an object": _address,
    "class that inherits from itself": _own_parent,
    "`Error` in a catalog": _error_value,
    "alternative of itself": _own_alternative,
    "set that has been printed": _printed_set,
    "set of a module": _module_set,
    "type that Puppet can not simplify": _unsimplified,
}
