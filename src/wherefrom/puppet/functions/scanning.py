"""`scanf`: reading values out of a text by a format, as Ruby's library of that name does.

    %d %u   decimal number          %i   number in any base, by its prefix      %x %X  hexadecimal    %o  octal
    %f %e %E %g %G %a %A  float     %s   text up to white space                 %c     characters (one, or the width)
    %[a-z] %[^,]  characters of a class          %%  a percent sign             white space: any amount of it

A width limits how many characters a directive takes, `*` reads without keeping. Reading stops at the first directive
that does not fit; what was read until then is the result.
"""

from __future__ import annotations

import re

from ..kernel.failures import FunctionFailure
from ..kernel.traced import Traced
from ..kernel.values import Value
from ..types.ruby import whole_number
from .registry import Call, calling

_DIRECTIVE = re.compile(r"%(\*?)(\d*)(?:h|l|L)?(\[\^?\]?[^\]]*\]|[diuxXofFeEgGaAsc%])|(\s+)|([^%\s]+|%)", re.DOTALL)


@calling(
    "scanf",
    "String $data, String $format, Callable &$block?",
    differs="Ruby no longer comes with the library that Puppet's function needs; written to its documentation",
)
def scanf(call: Call) -> Traced:
    """The values read from a text by a format; with a lambda, what it makes of the array of them.

    puppet> scanf('42 apples at 1.5', '%i %s at %f')
    [42, 'apples', 1.5]
    """
    value, origin = call.computed(scan(call.values[0], call.values[1]))
    return (value, origin) if call.block is None else call.block.call((value,), (origin,))


def scan(text: str, format: str) -> list[Value]:
    """Read `text` by `format`."""
    result: list[Value] = []
    at = 0
    for directive in _DIRECTIVE.finditer(format):
        skip, width, kind, space, literal = directive.groups()
        if space is not None:
            at += len(text[at:]) - len(text[at:].lstrip())
            continue
        if literal is not None or kind == "%":
            wanted = literal if literal is not None else "%"
            if kind == "%":
                at += len(text[at:]) - len(text[at:].lstrip())
            if not text.startswith(wanted, at):
                return result
            at += len(wanted)
            continue
        token = _read(kind, int(width) if width else None, text, at)
        if token is None:
            return result
        at = token.end()
        if not skip:
            result.append(_converted(kind, token[1]))
    return result


def _read(kind: str, width: int | None, text: str, at: int) -> re.Match[str] | None:
    """The match of a directive at a place; its first group is the text that counts."""
    count = f"{{1,{width}}}" if width else "+"
    if kind == "c":
        return _compiled(f"([\\s\\S]{{1,{width or 1}}})").match(text, at)
    if kind == "s":
        return _compiled(f"\\s*(\\S{count})").match(text, at)
    if kind.startswith("["):
        inside = kind[1:-1]
        negated = inside.startswith("^")
        body = re.sub(r"([\[\]\\])", r"\\\1", inside[1:] if negated else inside)
        return _compiled(f"([{'^' if negated else ''}{body}]{count})").match(text, at)
    digits = {
        "d": r"[-+]?\d+",
        "u": r"[-+]?\d+",
        "i": r"[-+]?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)",
        "x": r"[-+]?(?:0[xX])?[0-9a-fA-F]+",
        "X": r"[-+]?(?:0[xX])?[0-9a-fA-F]+",
        "o": r"[-+]?[0-7]+",
    }.get(kind, r"[-+]?(?:0[xX][\da-fA-F.]+(?:[pP][-+]?\d+)?|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)")
    begin = at + len(text[at:]) - len(text[at:].lstrip())
    return re.compile(f"({digits})").match(text, begin, begin + width if width else len(text))


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError) as problem:
        raise FunctionFailure(f"scanf: {problem}") from None


def _converted(kind: str, text: str) -> Value:
    if kind in "sc" or kind.startswith("["):
        return text
    if kind in "du":
        return whole_number(text)
    if kind == "o":
        return whole_number(text, 8)
    if kind in "xX":
        return whole_number(text, 16)
    if kind == "i":
        sign, digits = (text[0], text[1:]) if text[0] in "+-" else ("", text)
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits.startswith("0") else 10
        return whole_number(sign + digits, base)
    return float.fromhex(text) if "x" in text.lower() else float(text)
