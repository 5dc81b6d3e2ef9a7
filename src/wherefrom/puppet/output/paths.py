"""Steps into composites, as paths of outputs write them: `.name`, `[0]`, `['a.b']`."""

from __future__ import annotations

import re
from typing import Any

from ...base.diagnostics import PathNotFound
from ..kernel.values import key_value
from ..types import puppet_string

_TAIL = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]", re.DOTALL)
_PLAIN_KEY = re.compile(r"[^.\[\]\s'\"]+")


def steps_of(path: str, tail: str) -> list[str | int]:
    """The names and numbers in what stands behind a resource.  Raises `PathNotFound`."""
    steps: list[str | int] = []
    at = 0
    while at < len(tail):
        step = _TAIL.match(tail, at)
        if step is None:
            raise PathNotFound(path, f"cannot read {tail[at:]!r}: expected .name or [index]")
        name, index, *quoted = step.groups()
        if index is not None:
            steps.append(int(index))
        elif name is not None:
            steps.append(name)
        else:
            steps.append(re.sub(r"\\(.)", r"\1", next(text for text in quoted if text is not None), flags=re.DOTALL))
        at = step.end()
    return steps


def key_step(key: Any) -> str:
    """A key of a hash as a path names it: `.name`, or `['a.b']` for what could be read as something else."""
    if isinstance(key, int) and not isinstance(key, bool):
        return f"[{key}]" if key >= 0 else f"['{key}']"
    text = key if isinstance(key, str) else puppet_string(key_value(key))
    if _PLAIN_KEY.fullmatch(text):
        return f".{text}"
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"
