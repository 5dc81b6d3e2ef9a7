"""JSON as people read it, written as fast as JSON that nobody reads.

`json.dumps(document, indent=2)` leaves the quick encoder, which is written in C, for a slow one, and writing an outcome
could then cost as much as compiling it. But the quick one takes any text as the separator between two items. So a
container whose items are all numbers, words and the like (most of them are) is written by it in one go, with a
separator that holds the line end and the indentation; only containers of containers are walked here. The text is the
same to the letter.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json import encoder as _json
from typing import Any

INDENT = "  "
_SCALARS = frozenset({str, int, float, bool, type(None)})
_quote = _json.encode_basestring


def indented(document: object) -> str:
    """What `json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)` gives, or `ValueError`.

    Nesting takes stack: a frame for each level.
    """
    writer = _Writer()
    writer.write(document, 0)
    return "".join(writer.pieces)


class _Writer:
    """One document.  What is needed at each depth is made when it is first reached."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._encoders: list[Callable[[Any], str]] = []
        self._starts: list[str] = []

    def write(self, value: object, depth: int) -> None:
        """Add the text of `value`, whose first line needs no indentation."""
        inner = depth + 1
        while inner >= len(self._encoders):
            start = "\n" + INDENT * len(self._starts)
            self._encoders.append(_encoder("," + start))
            self._starts.append(start)
        flat = self._encoders[inner]
        add = self.pieces.append
        start, end = self._starts[inner], self._starts[depth]
        if isinstance(value, dict):
            if not value:
                add("{}")
            elif _SCALARS.issuperset(map(type, value.values())):
                add(f"{{{start}{flat(value)[1:-1]}{end}}}")
            else:
                before = "{" + start
                for key, item in value.items():
                    name = _quote(key) if type(key) is str else flat({key: 0})[1:-4]
                    kind = type(item)
                    if kind is str:
                        add(f"{before}{name}: {_quote(item)}")
                    elif kind in _SCALARS:
                        add(f"{before}{name}: {flat(item)}")
                    else:
                        add(f"{before}{name}: ")
                        self.write(item, inner)
                    before = "," + start
                add(end + "}")
        elif isinstance(value, list | tuple):
            if not value:
                add("[]")
            elif _SCALARS.issuperset(map(type, value)):
                add(f"[{start}{flat(value)[1:-1]}{end}]")
            else:
                before = "[" + start
                for item in value:
                    add(before)
                    self.write(item, inner)
                    before = "," + start
                add(end + "]")
        else:
            add(flat(value))


def _encoder(separator: str) -> Callable[[Any], str]:
    """What writes containers of numbers, words and the like, in C where Python has it so."""
    plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(separator, ": "), check_circular=False)
    make = getattr(_json, "c_make_encoder", None)
    if make is None:
        return plain.encode
    quick = make(None, plain.default, _quote, None, ": ", separator, False, False, False)
    join = "".join
    return lambda value: join(quick(value, 0))
