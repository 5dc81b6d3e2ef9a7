"""`Array#pack` and `String#unpack`: the directives that modules use (a A Z H h B b C c n N v V S L Q U w m M x).

>>> pack([1, 258], "Cn"), unpack(b"AB", "H*")
(b'\\x01\\x01\\x02', ['4142'])
"""

from __future__ import annotations

import base64
import binascii
import re
import struct

from .classes import error, integer_of, text_of
from .values import Value

_NUMBERS = {"C": "B", "c": "b", "n": ">H", "N": ">I", "v": "<H", "V": "<I", "S": "<H", "L": "<I", "Q": "<Q", "q": "<q"}
_NUMBERS |= {"s": "<h", "l": "<i", "J": "<Q", "j": "<q", "I": "<I", "i": "<i"}
_NUMBERS |= {"E": "<d", "G": ">d", "e": "<f", "g": ">f"}
_DIRECTIVE = re.compile(r"([a-zA-Z@])([_!<>]*)(\*|\d+)?")
MAXIMUM_COUNT = 1_000_000


def _directives(template: str) -> list[tuple[str, str, str | None]]:
    return [(match[1], match[2], match[3]) for match in _DIRECTIVE.finditer(re.sub(r"#.*", "", template))]


def _format(letter: str, marks: str) -> str:
    form = _NUMBERS[letter]
    return ">" + form[-1] if ">" in marks else form


def pack(values: list[Value], template: str) -> bytes:
    """`values.pack(template)`"""
    out = bytearray()
    rest = list(values)

    def take() -> Value:
        if not rest:
            raise error("ArgumentError", "too few arguments")
        return rest.pop(0)

    for letter, marks, count in _directives(template):
        number = 1 if count is None else -1 if count == "*" else min(int(count), MAXIMUM_COUNT)
        if letter in "aAZ":
            data = text_of(take()).encode("utf-8", "surrogateescape")
            if number < 0:
                out += data + (b"\0" if letter == "Z" else b"")
            else:
                out += data[:number].ljust(number, b" " if letter == "A" else b"\0")
        elif letter in "Hh":
            text = text_of(take())
            text = text if number < 0 or count is None else text[:number]
            text += "0" * (len(text) % 2)
            if letter == "h":
                text = "".join(text[at + 1] + text[at] for at in range(0, len(text), 2))
            out += bytes(int(text[at : at + 2], 16) for at in range(0, len(text), 2))
        elif letter in "Bb":
            bits = text_of(take())
            bits = bits if number < 0 else bits[:number]
            bits += "0" * (-len(bits) % 8)
            for at in range(0, len(bits), 8):
                byte = bits[at : at + 8]
                out.append(int(byte if letter == "B" else byte[::-1], 2))
        elif letter in "mM":
            out += _base64(text_of(take()).encode("utf-8", "surrogateescape"), count)
        elif letter == "x":
            out += b"\0" * max(0, number)
        elif letter in "Uw" or letter in _NUMBERS:
            for _ in range(len(rest) if number < 0 else number):
                value = take()
                if letter == "U":
                    out += chr(integer_of(value)).encode("utf-8", "surrogateescape")
                elif letter in "EGeg":
                    out += struct.pack(_format(letter, marks), float(value))
                else:
                    size = struct.calcsize(_format(letter, marks))
                    data = (integer_of(value) % (1 << 8 * size)).to_bytes(size, "little")
                    out += data[::-1] if _format(letter, marks).startswith(">") else data
        else:
            raise error("ArgumentError", f"unknown pack directive '{letter}' in '{template}'")
    return bytes(out)


def _base64(data: bytes, count: str | None) -> bytes:
    if count == "0":
        return base64.b64encode(data)
    width = max(1, int(count) // 3) * 3 if count and count != "*" else 45
    lines = [base64.b64encode(data[at : at + width]) + b"\n" for at in range(0, len(data), width)]
    return b"".join(lines)


def unpack(data: bytes, template: str) -> list[Value]:
    """`data.unpack(template)`"""
    values: list[Value] = []
    at = 0
    for letter, marks, count in _directives(template):
        number = 1 if count is None else -1 if count == "*" else int(count)
        left = len(data) - at
        if letter in "aAZ":
            size = left if number < 0 else min(number, left)
            part = data[at : at + size]
            at += size
            if letter == "A":
                part = part.rstrip(b" \0")
            if letter == "Z":
                part = part.partition(b"\0")[0]
            values.append(part.decode("utf-8", "surrogateescape"))
        elif letter in "Hh":
            digits = left * 2 if number < 0 else min(number, left * 2)
            part = data[at : at + (digits + 1) // 2]
            at += len(part)
            text = part.hex()
            if letter == "h":
                text = "".join(text[k + 1] + text[k] for k in range(0, len(text), 2))
            values.append(text[:digits])
        elif letter in "Bb":
            bits = left * 8 if number < 0 else min(number, left * 8)
            part = data[at : at + (bits + 7) // 8]
            at += len(part)
            text = "".join(f"{byte:08b}" if letter == "B" else f"{byte:08b}"[::-1] for byte in part)
            values.append(text[:bits])
        elif letter == "m":
            try:
                values.append(base64.b64decode(data[at:]).decode("utf-8", "surrogateescape"))
            except binascii.Error:
                values.append("")
            at = len(data)
        elif letter == "U":
            text = data[at:].decode("utf-8", "surrogateescape")
            text = text if number < 0 else text[:number]
            at += len(text.encode("utf-8", "surrogateescape"))
            values.extend(ord(char) for char in text)
        elif letter in _NUMBERS:
            form = _format(letter, marks)
            size = struct.calcsize(form)
            rounds = left // size if number < 0 else min(number, MAXIMUM_COUNT)
            for _ in range(rounds):
                part = data[at : at + size]
                values.append(struct.unpack(form, part)[0] if len(part) == size else None)
                at += size
        elif letter == "x":
            at += max(0, number)
        else:
            raise error("ArgumentError", f"unknown unpack directive '{letter}' in '{template}'")
    return values
