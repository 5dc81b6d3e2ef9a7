"""Pathname: paths as objects.  Taking them apart is text alone; what they lead to is asked of the world."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Any

from ..classes import KERNEL, OBJECT, class_name, error, methods, singleton, text_of
from ..interpreter import Interpreter
from ..methods import files
from ..methods.files import FILE, basename, dirname, extname, glob, path_of
from ..methods.objects import Args
from ..registry import LIBRARY_CONSTANTS
from ..showing import compare_texts, quote
from ..values import Class, HostObject, Value

PATHNAME = Class("Pathname", OBJECT)


class Path(HostObject):
    """A path."""

    __slots__ = ("path",)
    ruby_class = PATHNAME

    def __init__(self, path: str) -> None:
        self.path = path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)


def path(i: Interpreter, value: Value) -> Path:
    """`Pathname(value)`"""
    if isinstance(value, Path):
        return value
    text = path_of(i, value)
    if "\0" in text:
        raise error("ArgumentError", "pathname contains null byte")
    return Path(text)


def plus(left: str, right: str) -> str:
    """`left + right`: an absolute `right` replaces `left`, `..` removes a name."""
    if right.startswith("/"):
        return right
    kept = [part for part in left.split("/") if part]
    parts = [part for part in right.split("/") if part and part != "."]
    while parts and parts[0] == "..":
        while kept and kept[-1] == ".":
            kept.pop()
        if kept and kept[-1] == "..":
            break
        if not kept and not left.startswith("/"):
            break
        parts.pop(0)
        if kept:
            kept.pop()
    if len(kept) < len([part for part in left.split("/") if part]):
        left = ("/" if left.startswith("/") else "") + "/".join(kept)
    rest = "/".join(parts)
    if not rest:
        return left or "."
    if left in ("", "."):
        return rest
    return left + rest if left.endswith("/") else f"{left}/{rest}"


def joined(i: Interpreter, self: Path, a: Args) -> Path:
    """`self.join(*parts)`"""
    result = self.path
    for part in a:
        result = plus(result, path(i, part).path)
    return Path(result)


def clean(text: str) -> str:
    """`cleanpath`: without `.`, `..` and doubled slashes, by the text alone."""
    result = posixpath.normpath(text) if text else "."
    return result[1:] if result.startswith("//") else result


def names(text: str) -> list[str]:
    """The names in a path."""
    return [part for part in text.split("/") if part]


def relative(i: Interpreter, self: Path, base: Value) -> Path:
    """`self.relative_path_from(base)`"""
    start = clean(path(i, base).path)
    here = clean(self.path)
    if here.startswith("/") != start.startswith("/"):
        raise error("ArgumentError", f"different prefix: {quote(_prefix(here))} and {quote(path(i, base).path)}")
    to, away = names(here), names(start)
    to, away = [part for part in to if part != "."], [part for part in away if part != "."]
    while to and away and to[0] == away[0]:
        to, away = to[1:], away[1:]
    if ".." in away:
        raise error("ArgumentError", f"base_directory has ..: {quote(start)}")
    return Path("/".join([".."] * len(away) + to) or ".")


def _prefix(text: str) -> str:
    return "/" if text.startswith("/") else ""


def _shown(self: Path) -> str:
    return f"#<Pathname:{self.path}>"


def ascending(text: str) -> list[str]:
    """The path and all above it."""
    steps = [text]
    while (above := dirname(steps[-1])) not in (steps[-1], "."):
        steps.append(above)
    return steps


def _each(paths: Sequence[Value], self: Path, block: Any) -> Value:
    if block is None:
        return paths
    for element in paths:
        block.one(element)
    return None


def _children(i: Interpreter, self: Path, a: Args) -> list[Path]:
    with_directory = not (a and a[0] is False) and self.path != "."
    entries = files.children(i, self.path)
    return [Path(plus(self.path, name) if with_directory else name) for name in entries]


def _sub(i: Interpreter, self: Path, a: Args, block: Any) -> Path:
    return Path(text_of(i.send(self.path, "sub", a, block)))


def _sub_extension(self: Path, extension: str) -> Path:
    old = extname(self.path)
    return Path(self.path[: len(self.path) - len(old)] + extension)


def _order(self: Path, other: Value) -> Value:
    if not isinstance(other, Path):
        return None
    return compare_texts(self.path.replace("/", "\0"), other.path.replace("/", "\0"))


def _of_file(name: str) -> Any:
    """A method that File has for a path: the path is its first argument."""

    def call(i: Interpreter, self: Path, a: Args, block: Any) -> Value:
        return i.send(FILE, name, [self.path, *a], block)

    return call


@singleton(PATHNAME, "new", 1)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if not isinstance(a[0], Path) and i.find(a[0], "to_path") is None and class_name(a[0]) != "String":
        text_of(a[0])
    return Path(path(i, a[0]).path)


@singleton(PATHNAME, "glob", 1)
def glob_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    paths = [Path(match) for match in glob(i, path_of(i, a[0]))]
    return _each(paths, paths[0], block) if block is not None and paths else paths


methods(
    PATHNAME,
    0,
    0,
    {
        "to_s to_path to_str": lambda i, s, a, b: s.path,
        "inspect": lambda i, s, a, b: _shown(s),
        "absolute?": lambda i, s, a, b: s.path.startswith("/"),
        "relative?": lambda i, s, a, b: not s.path.startswith("/"),
        "root?": lambda i, s, a, b: bool(s.path) and not s.path.strip("/"),
        "parent": lambda i, s, a, b: Path(plus(s.path, "..")),
        "dirname": lambda i, s, a, b: Path(dirname(s.path)),
        "split": lambda i, s, a, b: [Path(dirname(s.path)), Path(basename(s.path))],
        "ascend": lambda i, s, a, b: _each([Path(step) for step in ascending(s.path)], s, b),
        "descend": lambda i, s, a, b: _each([Path(step) for step in reversed(ascending(s.path))], s, b),
        "each_filename": lambda i, s, a, b: _each(names(s.path), s, b),
        "entries": lambda i, s, a, b: [Path("."), Path(".."), *(Path(n) for n in files.children(i, s.path))],
        "extname": lambda i, s, a, b: extname(s.path),
        "hash": lambda i, s, a, b: i.send(s.path, "hash"),
        "freeze": lambda i, s, a, b: s,
    },
)
methods(
    PATHNAME,
    0,
    1,
    {
        "cleanpath": lambda i, s, a, b: Path(clean(s.path)),
        "children": lambda i, s, a, b: _children(i, s, a),
        "each_child": lambda i, s, a, b: _each(_children(i, s, a), s, b),
        "basename": lambda i, s, a, b: Path(basename(s.path, text_of(a[0]) if a else None)),
        "expand_path": lambda i, s, a, b: Path(files.expand_path(i, [s.path, *a])),
        "realpath": lambda i, s, a, b: Path(files.expand_path(i, [s.path, *a])),
    },
)
methods(
    PATHNAME,
    1,
    1,
    {
        "+ /": lambda i, s, a, b: Path(plus(s.path, path(i, a[0]).path)),
        "relative_path_from": lambda i, s, a, b: relative(i, s, a[0]),
        "sub_ext": lambda i, s, a, b: _sub_extension(s, text_of(a[0])),
        "== === eql?": lambda i, s, a, b: s == a[0],
        "<=>": lambda i, s, a, b: _order(s, a[0]),
        "glob": lambda i, s, a, b: [Path(match) for match in glob(i, plus(s.path, text_of(a[0])))],
        "fnmatch fnmatch?": lambda i, s, a, b: i.send(FILE, "fnmatch", [a[0], s.path]),
    },
)
methods(PATHNAME, 0, -1, {"join": lambda i, s, a, b: joined(i, s, a)})
methods(PATHNAME, 1, 2, {"sub": _sub})
for _names in ("exist? file? directory? readable? symlink? size zero? empty?", "read binread readlines"):
    for _name in _names.split():
        methods(PATHNAME, 0, -1, {_name: _of_file(_name)})
methods(PATHNAME, 0, 0, {"each_line": _of_file("foreach")})
methods(KERNEL, 1, 1, {"Pathname": lambda i, s, a, b: path(i, a[0])})
PATHNAME.frozen = True
LIBRARY_CONSTANTS["Pathname"] = PATHNAME
