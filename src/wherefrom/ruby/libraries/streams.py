"""`StringIO`: a text that is read and written as if it were a file.

Most of its users write line by line and ask for the whole at the end. So what is written at the end is kept in pieces,
which are joined when somebody looks; a write elsewhere replaces what lies there. A string that the stream was made of,
or that was asked for, is the stream's own: it changes with every write. Positions are counted in characters
here and in bytes in Ruby; they are translated where Ruby code sees them.
"""

from __future__ import annotations

from typing import Any

from ...base.keys import Symbol
from ..classes import ENUMERABLE, OBJECT, error, methods, singleton, text_of
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..numerals import format_text
from ..registry import LIBRARY_CONSTANTS
from ..showing import to_s
from ..values import Class, HostObject, Keywords, Text, Value

STRING_IO = Class("StringIO", OBJECT)
STRING_IO.included.append(ENUMERABLE)


class Stream(HostObject):
    """A text, a position in it, and the number of lines read.  `shared` is the string outside, where there is one."""

    __slots__ = ("_pieces", "_size", "at", "line", "reads", "shared", "writes", "writes_at_end")
    ruby_class = STRING_IO

    def __init__(self, text: str, mode: str = "r+", shared: Text | None = None) -> None:
        self._pieces = [text]
        self._size = len(text)
        self.shared = shared
        self.at = 0
        self.line = 0
        self.reads = mode[0] == "r" or "+" in mode
        self.writes = mode[0] != "r" or "+" in mode
        self.writes_at_end = mode[0] == "a"

    @property
    def text(self) -> str:
        """All of it."""
        if self.shared is not None:
            return self.shared.value
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    @text.setter
    def text(self, text: str) -> None:
        if self.shared is not None:
            self.shared.value = text
        self._pieces = [text]
        self._size = len(text)

    @property
    def size(self) -> int:
        """How many characters there are."""
        return self._size if self.shared is None else len(self.shared.value)

    def append(self, text: str) -> None:
        """Write at the end, where the position is."""
        if self.shared is not None:
            self.shared.value += text
        else:
            self._pieces.append(text)
            self._size += len(text)
        self.at += len(text)

    def string(self) -> Text:
        """The string itself."""
        if self.shared is None:
            self.shared = Text(self.text)
        return self.shared

    def write(self, text: str) -> None:
        """Write at the position, over what is there."""
        if self.writes_at_end:
            self.at = len(self.text)
        whole = self.text
        whole += "\0" * (self.at - len(whole))
        self.text = whole[: self.at] + text + whole[self.at + len(text) :]
        self.at += len(text)


def reader(text: str) -> Stream:
    """A stream over a text, to be read."""
    return Stream(text, "r")


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _readable(stream: Stream) -> Stream:
    if not stream.reads:
        raise error("IOError", "not opened for reading")
    return stream


def _new(i: Interpreter, a: Args) -> Stream:
    plain = [value for value in a if not isinstance(value, Keywords)]
    text = text_of(plain[0]) if plain else ""
    shared = plain[0] if plain and type(plain[0]) is Text else None
    mode = text_of(plain[1]) if len(plain) > 1 else "r" if shared is not None and shared.frozen else "r+"
    stream = Stream(text, mode, shared)
    if mode.startswith("w"):
        stream.text = ""
    return stream


@singleton(STRING_IO, "new", 0, -1)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    """`StringIO.new(text, mode)`"""
    return _new(i, a)


@singleton(STRING_IO, "open", 0, -1)
def open_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    """With a block: what the block gives; the stream is closed after it."""
    stream = _new(i, a)
    if block is None:
        return stream
    try:
        return block.one(stream)
    finally:
        stream.reads = stream.writes = False


# --- reading ----------------------------------------------------------------------------------------------------------


def _read(stream: Stream, a: Args) -> Value:
    _readable(stream)
    text = stream.text
    if not a or a[0] is None:
        rest = text[stream.at :]
        stream.at = max(len(text), stream.at)
        return rest
    if not isinstance(a[0], int):
        raise error("TypeError", "no implicit conversion into Integer")
    if stream.at >= len(text):
        return None if a[0] else ""
    data = text[stream.at :].encode("utf-8", "surrogateescape")[: a[0]]
    piece = data.decode("utf-8", "surrogateescape")
    stream.at += len(piece)
    return piece


def _line(stream: Stream, a: Args) -> Value:
    """The next line, or nothing.  `gets(separator, chomp: true)`; a separator of nothing takes all that is left."""
    _readable(stream)
    chomp = bool(a) and isinstance(a[-1], Keywords) and bool(a[-1].get(Symbol("chomp")))
    plain = [value for value in a if not isinstance(value, Keywords)]
    text = stream.text
    if stream.at >= len(text):
        return None
    if plain and plain[0] is None:
        end, separator = len(text), ""
    else:
        given = text_of(plain[0]) if plain else "\n"
        while not given and text.startswith("\n", stream.at):  # paragraphs: empty lines before one are passed over
            stream.at += 1
        separator = given or "\n\n"
        place = text.find(separator, stream.at)
        end = len(text) if place < 0 else place + len(separator)
    line = text[stream.at : end]
    stream.at = end
    stream.line += 1
    return line.removesuffix(separator) if chomp and separator else line


def _lines(stream: Stream, a: Args) -> list[Value]:
    lines: list[Value] = []
    while (line := _line(stream, a)) is not None:
        lines.append(line)
    return lines


def _each_line(stream: Stream, a: Args, block: Any) -> Value:
    while (line := _line(stream, a)) is not None:
        block.one(line)
    return stream


def _required(value: Value) -> Value:
    if value is None:
        raise error("EOFError", "end of file reached")
    return value


def _character(stream: Stream) -> Value:
    _readable(stream)
    if stream.at >= len(stream.text):
        return None
    stream.at += 1
    return stream.text[stream.at - 1]


def _each_character(stream: Stream, block: Any) -> Value:
    while (character := _character(stream)) is not None:
        block.one(character)
    return stream


# --- writing ----------------------------------------------------------------------------------------------------------


def _write(i: Interpreter, stream: Stream, text: str) -> int:
    if not stream.writes:
        raise error("IOError", "not opened for writing")
    i.make_text(len(text) + max(stream.at - stream.size, 0) + 65)
    if stream.at == stream.size:
        stream.append(text)
    else:
        stream.write(text)
    return _bytes(text)


def _write_all(i: Interpreter, stream: Stream, values: Args) -> int:
    return sum(_write(i, stream, to_s(i, value)) for value in values)


def _put_lines(i: Interpreter, stream: Stream, values: Args) -> None:
    for value in values or [""]:
        if type(value) is list:
            if value:
                _put_lines(i, stream, value)
            continue
        text = to_s(i, value)
        _write(i, stream, text if text.endswith("\n") else text + "\n")


def _push(i: Interpreter, stream: Stream, value: Value) -> Stream:
    _write(i, stream, to_s(i, value))
    return stream


def _put_character(i: Interpreter, stream: Stream, value: Value) -> Value:
    _write(i, stream, chr(value % 256) if isinstance(value, int) else text_of(value)[:1])
    return value


# --- positions --------------------------------------------------------------------------------------------------------


def _position(stream: Stream) -> int:
    return _bytes(stream.text[: stream.at]) + max(stream.at - len(stream.text), 0)


def _move(stream: Stream, to: Value) -> None:
    if not isinstance(to, int):
        raise error("TypeError", "no implicit conversion into Integer")
    if to < 0:
        raise error("Errno::EINVAL", "Invalid argument")
    data = stream.text.encode("utf-8", "surrogateescape")
    stream.at = len(data[:to].decode("utf-8", "surrogateescape")) + max(to - len(data), 0)


def _seek(stream: Stream, a: Args) -> int:
    origin = a[1] if len(a) > 1 else 0
    base = {0: 0, 1: _position(stream), 2: _bytes(stream.text)}.get(origin if isinstance(origin, int) else -1)
    if base is None or not isinstance(a[0], int):
        raise error("Errno::EINVAL", "Invalid argument - invalid whence")
    _move(stream, base + a[0])
    return 0


def _rewind(stream: Stream) -> int:
    stream.at = stream.line = 0
    return 0


def _truncate(i: Interpreter, stream: Stream, size: Value) -> int:
    if not isinstance(size, int) or size < 0:
        raise error("Errno::EINVAL", "Invalid argument - negative length")
    i.make_text(size)
    stream.text = (stream.text + "\0" * max(size - len(stream.text), 0))[:size]
    return size


def _replace(stream: Stream, text: Value) -> Value:
    stream.shared = text if type(text) is Text else None
    stream.text = text_of(text)
    _rewind(stream)
    return text


def _close(stream: Stream, reads: bool = True, writes: bool = True) -> None:
    stream.reads = stream.reads and not reads
    stream.writes = stream.writes and not writes


methods(
    STRING_IO,
    0,
    -1,
    {
        "read": lambda i, s, a, b: _read(s, a),
        "gets": lambda i, s, a, b: _line(s, a),
        "readline": lambda i, s, a, b: _required(_line(s, a)),
        "each_line each": lambda i, s, a, b: _each_line(s, a, b),
        "readlines": lambda i, s, a, b: _lines(s, a),
        "write": lambda i, s, a, b: _write_all(i, s, a),
        "print": lambda i, s, a, b: _write_all(i, s, a) and None,
        "puts": lambda i, s, a, b: _put_lines(i, s, a),
    },
)
methods(
    STRING_IO,
    0,
    0,
    {
        "getc": lambda i, s, a, b: _character(s),
        "readchar": lambda i, s, a, b: _required(_character(s)),
        "each_char": lambda i, s, a, b: _each_character(s, b),
        "string": lambda i, s, a, b: s.string(),
        "rewind": lambda i, s, a, b: _rewind(s),
        "eof? eof": lambda i, s, a, b: _readable(s).at >= s.size,
        "close": lambda i, s, a, b: _close(s),
        "close_read": lambda i, s, a, b: _close(s, writes=False),
        "close_write": lambda i, s, a, b: _close(s, reads=False),
        "closed?": lambda i, s, a, b: not (s.reads or s.writes),
        "pos tell": lambda i, s, a, b: _position(s),
        "lineno": lambda i, s, a, b: s.line,
        "size length": lambda i, s, a, b: _bytes(s.text),
        "flush": lambda i, s, a, b: s,
        "fsync": lambda i, s, a, b: 0,
        "sync": lambda i, s, a, b: True,
        "tty? isatty": lambda i, s, a, b: False,
    },
)
methods(
    STRING_IO,
    1,
    1,
    {
        "<<": lambda i, s, a, b: _push(i, s, a[0]),
        "putc": lambda i, s, a, b: _put_character(i, s, a[0]),
        "pos=": lambda i, s, a, b: _move(s, a[0]),
        "string=": lambda i, s, a, b: _replace(s, a[0]),
        "truncate": lambda i, s, a, b: _truncate(i, s, a[0]),
        "sync=": lambda i, s, a, b: a[0],
    },
)
methods(STRING_IO, 1, 2, {"seek": lambda i, s, a, b: _seek(s, a)})
methods(STRING_IO, 1, -1, {"printf": lambda i, s, a, b: _push(i, s, format_text(i, text_of(a[0]), a[1:])) and None})
STRING_IO.frozen = True
LIBRARY_CONSTANTS["StringIO"] = STRING_IO
