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
        re.compile(r"undefined (local variable or )?method"), theirs["error"], mine["error"]
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
    """Puppet's stack overflows while it writes a value of the type `Error`."""
    return theirs.get("error") == _OVERFLOW and '"__ptype": "Error"' in json.dumps(mine.get("resources"))


EXPLAINED: dict[str, Callable[[Answer, Answer], bool]] = {
    "error of Ruby": _ruby_error,
    "address of an object": _address,
    "class that inherits from itself": _own_parent,
    "`Error` in a catalog": _error_value,
}
