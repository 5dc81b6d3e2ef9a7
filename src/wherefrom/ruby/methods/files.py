"""File, Dir, IO and ENV: paths are texts; whether they exist and what they contain is asked of the host (`World`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...base import globs
from ..classes import OBJECT, core_class, error, long_of, methods, singleton, text_of
from ..interpreter import Interpreter
from ..registry import LIBRARY_CONSTANTS
from ..showing import to_s
from ..values import Module, Value
from .objects import Args

IO = core_class("IO")
FILE = core_class("File", IO)
DIR = core_class("Dir")
FILE_TEST = Module("FileTest", frozen=True)
ENV = Module("ENV", frozen=True)
for _module in (FILE, DIR, FILE_TEST, ENV):
    assert _module.name is not None
    LIBRARY_CONSTANTS[_module.name] = _module
FILE.constants.update(SEPARATOR="/", ALT_SEPARATOR=None, PATH_SEPARATOR=":", Separator="/")


def join(i: Interpreter, parts: Args) -> str:
    """`File.join`: exactly one slash between the parts."""
    flat: list[str] = []
    for part in parts:
        if type(part) is list:
            flat.append(join(i, part))
        else:
            flat.append(path_of(i, part))
    if not flat:
        return ""
    result = flat[0]
    for part in flat[1:]:
        if result.endswith("/") and part.startswith("/"):
            result = result.rstrip("/") + part
        elif result.endswith("/") or part.startswith("/"):
            result += part
        else:
            result += "/" + part
    return result


def path_of(i: Interpreter, value: Value) -> str:
    """A path as a text: a String, or what has `to_path`."""
    entry = i.find(value, "to_path")
    return text_of(entry.run(i, value, [], None)) if entry is not None else text_of(value)


def basename(path: str, suffix: str | None = None) -> str:
    """`File.basename`"""
    stripped = path.rstrip("/")
    if not stripped:
        return "/" if path else ""
    name = stripped.rpartition("/")[2]
    if suffix == ".*":
        extension = extname(name)
        return name[: -len(extension)] if extension and extension != name else name
    if suffix and name.endswith(suffix) and name != suffix:
        return name[: -len(suffix)]
    return name


def extname(path: str) -> str:
    """`File.extname`"""
    name = path.rpartition("/")[2]
    stripped = name.lstrip(".")
    dot = stripped.rfind(".")
    if dot < 1:
        return ""
    return stripped[dot:] if dot < len(stripped) - 1 else "."


def dirname(path: str, levels: int = 1) -> str:
    """`File.dirname`: what is above, or above that; slashes at the beginning count as one."""
    if levels < 0:
        raise error("ArgumentError", f"negative level: {levels}")
    for _ in range(levels):
        stripped = path.rstrip("/")
        if not stripped:
            return "/" if path else "."
        head, slash, _name = stripped.rpartition("/")
        if not slash:
            return "."
        path = re.sub(r"\A/+", "/", head.rstrip("/")) or "/"
    return path


def expand_path(i: Interpreter, a: Args, homes: bool = True) -> str:
    """`File.expand_path`: of absolute paths, or relative to one; `homes`: `~` is one, which `absolute_path` ignores."""
    from ..errors import RubyRefused

    path = path_of(i, a[0])
    base = path_of(i, a[1]) if len(a) > 1 and a[1] is not None else None
    for name in (path, *(() if base is None or path.startswith("/") else (base,))):
        if homes and name.startswith("~"):
            raise RubyRefused("`File.expand_path` of `~` looks up a home directory, which is not allowed", i.at)
    if not path.startswith("/"):
        if base is None or not base.startswith("/"):
            raise RubyRefused(
                "`File.expand_path` of a relative path depends on the current directory, which is not allowed", i.at
            )
        path = f"{base}/{path}"
    slashes = path[: len(path) - len(path.lstrip("/"))]
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
            slashes = slashes if parts else "/"  # Ruby keeps all that a path begins with until `..` leads back there
        elif part not in ("", "."):
            parts.append(part)
    return slashes + "/".join(parts)


def _kind(i: Interpreter, value: Value) -> str | None:
    path = path_of(i, value)
    return i.world.file_kind(path, i.at) if path else None


def _absolute(path: str) -> bool:
    return path.startswith("/")


def read(i: Interpreter, a: Args) -> str:
    """`File.read`"""
    path = path_of(i, a[0])
    if path.startswith("|"):
        from ..errors import RubyRefused

        raise RubyRefused("a name that begins with `|` runs a program, which is not allowed", i.at)
    kind = i.world.file_kind(path, i.at)
    if kind is None:
        raise error("Errno::ENOENT", f"No such file or directory @ rb_sysopen - {path}")
    if kind == "directory":
        raise error("Errno::EISDIR", f"Is a directory @ io_fread - {path}")
    text = i.world.read_file(path, i.at)
    i.make_text(len(text))
    return text


@singleton(FILE, "open", 1, -1)
def open_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    mode = text_of(a[1]) if len(a) > 1 and type(a[1]) is str else "r"
    if not mode.startswith("r") or "+" in mode:
        from ..errors import RubyRefused

        raise RubyRefused("`File.open` for writing changes files, which is not allowed", i.at)
    from ..libraries.streams import reader

    stream = reader(read(i, a))
    return block.one(stream) if block is not None else stream


@singleton(FILE, "readlines", 1, -1)
def readlines(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    from .strings import lines

    return lines(read(i, a))


@singleton(FILE, "foreach", 1, -1)
def foreach(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for line in readlines(i, self, a, None):
        block.one(line)
    return None


def _globbed(i: Interpreter, patterns: Value) -> list[Value]:
    """The paths of one pattern, or of each of several."""
    several = patterns if type(patterns) is list else [patterns]
    return [path for pattern in several for path in glob(i, path_of(i, pattern))]


def glob(i: Interpreter, pattern: str) -> list[Value]:
    """`Dir.glob`: walks only what the world shows."""
    paths: list[Value] = list(globs.glob(pattern, _Shown(i)))
    i.make_items(len(paths))
    return paths


class _Shown:
    """The files that the world shows.  Names are taken as they are: what is above a root can not be looked at."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._world = interpreter.world
        self._at = interpreter.at

    def names(self, directory: str) -> Sequence[str]:
        return self._world.list_directory(directory, self._at) if self.is_directory(directory) else ()

    def is_directory(self, path: str) -> bool:
        return self._world.file_kind(path, self._at) == "directory"

    def is_own_directory(self, path: str) -> bool:
        return self.is_directory(path) and not self._world.is_link(path, self._at)

    def is_there(self, path: str) -> bool:
        return self._world.file_kind(path, self._at) is not None


def children(i: Interpreter, value: Value) -> list[Value]:
    """`Dir.children`"""
    path = path_of(i, value)
    if i.world.file_kind(path, i.at) != "directory":
        raise error("Errno::ENOENT", f"No such file or directory @ dir_initialize - {path}")
    return list(i.world.list_directory(path, i.at))


methods(
    FILE,
    0,
    -1,
    {
        "join": lambda i, s, a, b: join(i, a),
        "read binread": lambda i, s, a, b: read(i, a),
        "expand_path": lambda i, s, a, b: expand_path(i, a),
        "absolute_path realpath": lambda i, s, a, b: expand_path(i, a, homes=False),
    },
    own=True,
)
methods(
    FILE,
    1,
    2,
    {
        "basename": lambda i, s, a, b: basename(path_of(i, a[0]), text_of(a[1]) if len(a) > 1 else None),
        "dirname": lambda i, s, a, b: dirname(path_of(i, a[0]), long_of(a[1]) if len(a) > 1 else 1),
        "fnmatch fnmatch?": lambda i, s, a, b: _fnmatch(text_of(a[0]), text_of(a[1])),
    },
    own=True,
)


def _fnmatch(pattern: str, path: str) -> bool:
    from ...base.globs import name_test

    return name_test(pattern)(path)


for _owner in (FILE, FILE_TEST):
    methods(
        _owner,
        1,
        1,
        {
            "exist? exists? readable?": lambda i, s, a, b: _kind(i, a[0]) is not None,
            "file?": lambda i, s, a, b: _kind(i, a[0]) == "file",
            "directory?": lambda i, s, a, b: _kind(i, a[0]) == "directory",
            "symlink?": lambda i, s, a, b: i.world.is_link(path_of(i, a[0]), i.at),
        },
        own=True,
    )
methods(
    FILE,
    1,
    1,
    {
        "extname": lambda i, s, a, b: extname(path_of(i, a[0])),
        "split": lambda i, s, a, b: [dirname(path_of(i, a[0])), basename(path_of(i, a[0]))],
        "absolute_path?": lambda i, s, a, b: _absolute(path_of(i, a[0])),
        "size": lambda i, s, a, b: len(read(i, a).encode("utf-8", "surrogateescape")),
        "zero? empty?": lambda i, s, a, b: not read(i, a),
        "path": lambda i, s, a, b: path_of(i, a[0]),
    },
    own=True,
)
methods(
    DIR,
    1,
    -1,
    {
        "glob []": lambda i, s, a, b: _globbed(i, a[0]) if b is None else [b.one(path) for path in _globbed(i, a[0])],
        "exist?": lambda i, s, a, b: _kind(i, a[0]) == "directory",
        "children": lambda i, s, a, b: children(i, a[0]),
        "entries": lambda i, s, a, b: [".", "..", *children(i, a[0])],
        "empty?": lambda i, s, a, b: not children(i, a[0]),
    },
    own=True,
)
methods(
    ENV,
    1,
    2,
    {
        "[]": lambda i, s, a, b: i.world.environment(text_of(a[0]), i.at),
        "key? has_key? include?": lambda i, s, a, b: i.world.environment(text_of(a[0]), i.at) is not None,
        "fetch": lambda i, s, a, b: _env_fetch(i, a, b),
    },
    own=True,
)


def _env_fetch(i: Interpreter, a: Args, block: Any) -> Value:
    value = i.world.environment(text_of(a[0]), i.at)
    if value is not None:
        return value
    if block is not None:
        return block.one(a[0])
    if len(a) > 1:
        return a[1]
    raise error("KeyError", f'key not found: "{to_s(i, a[0])}"')


__all__ = ["OBJECT"]
