"""Trees as bytes: a row of numbers and a row of texts, in which nothing but a tree can be said.

The numbers are a walk over the tree: for every node the number of its class, then its fields in order, parts in place;
the whole lies backwards, because a list gives its last element fastest.
A text is its number in the row of texts; a number that the program holds is a text too (it may be of any size), while
places in the file are what they are. The file itself is not written: whoever reads the tree brings it. A definition is
written where it stands, and in the list of a program's definitions by its number in the order of the walk, so that both
are one node afterwards.

For every class a function is written that reads one node. Where a part is to come it looks for the part's class among
those that may stand there, where a text is to come in the row of texts, and all else is a number: so a tree that was
read has the right type in every field, whatever the bytes were, and reading takes no more memory than they do. There is
no faster way to look at fields than not having to.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from struct import Struct
from struct import error as StructError
from typing import Any

from ...base.collector import at_rest
from ...base.source import SourceFile
from . import tree

_HEAD = Struct("II")  # how many bytes of numbers follow, and what stands between the texts after them
_SEPARATORS = ("\0", "\x01", "\uffff", "\U0010ffff")
"""What may stand between texts: the first that is in none of them."""


class NoTree(ValueError):
    """Bytes that are no tree, or a tree that can not be written."""


def encode(program: tree.Program) -> bytes:
    """A tree as bytes, without its source."""
    words: list[int] = []
    texts: dict[str, int] = {}
    try:
        _WRITERS[tree.Program](program, words.append, lambda text: texts.setdefault(text, len(texts)), {})
        numbers = array("I", reversed(words)).tobytes()
    except (RecursionError, OverflowError, LookupError, ValueError) as problem:
        raise NoTree("a tree that is nested too deeply, or shares its parts, or is too large") from problem
    separator = next((mark for mark in _SEPARATORS if not any(mark in text for text in texts)), None)
    if separator is None:
        raise NoTree("nothing can stand between the texts")
    written = separator.join(texts).encode("utf-8", "surrogatepass")
    return b"".join((_HEAD.pack(len(numbers), ord(separator)), numbers, written))


def decode(data: bytes | memoryview, source: SourceFile) -> tree.Program:
    """The tree that `encode` wrote, in `source`."""
    try:
        size, separator = _HEAD.unpack_from(data)
        body = memoryview(data)[_HEAD.size :]
        if size > len(body):
            raise NoTree("numbers outside of the entry")
        walk = body[:size].cast("I").tolist()
        texts = str(body[size:], "utf-8", "surrogatepass").split(chr(separator))
        with at_rest():  # everything that is made here stays: looking for garbage meanwhile would take most of the time
            program: tree.Program = _reader(tree.Program)(walk.pop, texts, source, [])
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError, StructError) as problem:
        raise NoTree("something else than a tree") from problem
    if walk:
        raise NoTree("a tree and something else")
    return program


# --- a function for every class ---------------------------------------------------------------------------------------

_Reader = Callable[[Callable[[], int], list[str], SourceFile, list[tree.Definition]], Any]
_Writer = Callable[[Any, Callable[[int], None], Callable[[str], int], dict[int, int]], None]

_NUMBERS = {node_class: number for number, node_class in enumerate(tree.NODE_CLASSES)}
_READERS: dict[type[tree.Node], _Reader] = {}
_PARTS: dict[str, list[_Reader]] = {}
"""By an annotation, readers by the number of their class.  All are made when first asked for: few files have every kind
of node."""


def _parts(annotation: str) -> list[_Reader]:
    """Readers by the number of a class, for a place of this type; another class is refused there."""
    if annotation not in _PARTS:
        kinds = tuple(getattr(tree, name.strip()) for name in annotation.split("|"))
        readers = _PARTS[annotation] = [_refuse] * len(_NUMBERS)
        for part, number in _NUMBERS.items():
            if issubclass(part, kinds):
                readers[number] = _first_reader(part, number, readers)
    return _PARTS[annotation]


def _refuse(*_: object) -> Any:
    raise NoTree("a part that has no place there")


def _first_reader(part: type[tree.Node], number: int, readers: list[_Reader]) -> _Reader:
    """A reader that puts the true one in its place when it is first called."""

    def read(*walk: Any) -> Any:
        readers[number] = _reader(part)
        return readers[number](*walk)

    return read


class _Writers(dict[type[tree.Node], _Writer]):
    """Writers by class, made when first asked for."""

    def __missing__(self, node_class: type[tree.Node]) -> _Writer:
        writer: _Writer = _made(node_class, "node, word, text, definitions", _writing)
        self[node_class] = writer
        return writer


_WRITERS = _Writers()


def _reader(node_class: type[tree.Node]) -> _Reader:
    if node_class not in _READERS:
        _READERS[node_class] = _made(node_class, "word, texts, file, definitions", _reading)
    return _READERS[node_class]


def _made(node_class: type[tree.Node], parameters: str, lines: Callable[..., list[str]]) -> Any:
    """A function for one class.  It is written out in Python; the text is made of our own field names."""
    names: dict[str, object] = {
        "_class": node_class, "_new": object.__new__, "_number_of": _NUMBERS, "_writers": _WRITERS
    }  # fmt: skip
    text = [f"def walk({parameters}):", *lines(node_class, names)]
    exec("\n".join(text), names)  # noqa: S102 - see the docstring
    return names["walk"]


def _annotations(node_class: type[tree.Node]) -> dict[str, str]:
    """What each field holds, as the class says it."""
    annotations: dict[str, str] = {}
    for base in reversed(node_class.__mro__):
        annotations.update({name: str(note) for name, note in vars(base).get("__annotations__", {}).items()})
    return {name: annotations[name] for name in node_class.__fields__}


def _is_place(node_class: type[tree.Node], field: str) -> bool:
    """Whether a whole number is a place in the file: those fields, and only those, are given by keyword."""
    return field in node_class.__last__


def _reading(node_class: type[tree.Node], names: dict[str, Any]) -> list[str]:
    """The lines that read a node's fields from a walk."""
    lines = [" node = _new(_class)"]
    if issubclass(node_class, tree.Definition):
        lines.append(" definitions.append(node)")
    for field, annotation in _annotations(node_class).items():
        optional = annotation.endswith(" | None")
        kinds = annotation.removesuffix(" | None")
        put = f" node.{field} ="
        if field == "definitions":
            lines.append(f"{put} tuple([definitions[word()] for _ in range(word())])")
        elif kinds == "SourceFile":
            lines.append(f"{put} file")
        elif kinds == "int" and _is_place(node_class, field):
            lines.append(f"{put} word()")
        elif kinds in ("int", "float"):
            lines.append(f"{put} {kinds}(texts[word()])")
        elif kinds == "bool":
            lines.append(f"{put} word() != 0")
        elif kinds == "str":
            lines += [" at = word()", f"{put} texts[at - 1] if at else None"] if optional else [f"{put} texts[word()]"]
        else:
            several = kinds.startswith("tuple[")
            names[f"{field}_parts"] = _parts(kinds.removeprefix("tuple[").removesuffix(", ...]"))
            part = f"{field}_parts[{{}}](word, texts, file, definitions)"
            if several:
                items = f"tuple([{part.format('word()')} for _ in range(count{' - 1' if optional else ''})])"
                lines += [" count = word()", f"{put} {items} if count else {'None' if optional else '()'}"]
            elif optional:
                lines += [" number = word()", f"{put} {part.format('number - 1')} if number else None"]
            else:
                lines.append(f"{put} {part.format('word()')}")
    return [*lines, " return node"]


def _writing(node_class: type[tree.Node], names: dict[str, Any]) -> list[str]:
    """The lines that write a node's fields, as `_reading` reads them."""
    lines: list[str] = []
    if issubclass(node_class, tree.Definition):
        lines += [" if id(node) in definitions: raise ValueError", " definitions[id(node)] = len(definitions)"]
    for field, annotation in _annotations(node_class).items():
        optional = annotation.endswith(" | None")
        kinds = annotation.removesuffix(" | None")
        value = f"node.{field}"
        if field == "definitions":
            lines += [f" word(len({value}))", f" for part in {value}: word(definitions[id(part)])"]
        elif kinds == "SourceFile":
            continue
        elif kinds == "bool" or (kinds == "int" and _is_place(node_class, field)):
            lines.append(f" word({value})")
        elif kinds in ("int", "float"):
            lines.append(f" word(text(repr({value})))")
        elif kinds == "str":
            lines.append(f" word(0 if {value} is None else text({value}) + 1)" if optional else f" word(text({value}))")
        elif kinds.startswith("tuple["):
            lines.append(f" word(0 if {value} is None else len({value}) + 1)" if optional else f" word(len({value}))")
            lines += [f" for part in {value} or ():", *_part(indent="  ")]
        else:
            lines.append(f" part = {value}")
            lines += [" if part is None: word(0)", " else:", *_part("  ", " + 1")] if optional else _part(" ")
    return lines or [" pass"]


def _part(indent: str, more: str = "") -> list[str]:
    return [
        f"{indent}word(_number_of[type(part)]{more})",
        f"{indent}_writers[type(part)](part, word, text, definitions)",
    ]
