"""Values written as YAML and JSON into a file that somebody else keeps.

A value takes the place of another in the same style: quotes stay the quotes they were, a word without quotes stays one
where it can be read back, a block of lines keeps its indentation. A list gets or loses single elements, so that the
comments between the others stay. A new key becomes a line at the end.

Nothing here is sure to be read back as it was meant (a reader has its own ideas of `017` or `on`): whoever makes a
splice of it reads the new text, and compares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .source import SourceFile, Span

_PLAIN = re.compile(r"[A-Za-z0-9_./][\w./+@-]*(?::[\w./+@-]+)*", re.ASCII)
"""Words that no style of YAML takes for anything but themselves, numbers and names of constants apart."""
_KEY = re.compile(r"[A-Za-z_][\w.-]*(?:::?[\w.-]+)*", re.ASCII)
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_BLOCK = re.compile(r"[|>][-+0-9]*[ \t]*(?:#.*)?\r?\n")

Read = Callable[[str], Any]
"""What a word without quotes means."""
Write = Callable[[Any], str]


def yaml_text(value: object, read: Read, style: str = "") -> str:
    """A value on one line, in a `style`: `'`, `"`, or as a plain word where that can be."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml_key(key)}: {yaml_text(part, read)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(yaml_text(part, read) for part in value) + "]"
    if value is None:
        return "null"
    if not isinstance(value, str):
        return json.dumps(value)
    if not style and _PLAIN.fullmatch(value) and _reads_as(read, value):
        return value
    if style == '"' or not value.isprintable():
        return json.dumps(value, ensure_ascii=not value.isprintable())
    return "'" + value.replace("'", "''") + "'"


def _reads_as(read: Read, value: str) -> bool:
    try:
        return type(read(value)) is str and read(value) == value
    except Exception:  # a reader may refuse a word in ways of its own; quotes are always right
        return False


def yaml_key(key: object) -> str:
    """A key of a mapping."""
    return key if isinstance(key, str) and _KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def yaml_replaced(span: Span, old: object, new: object, read: Read) -> tuple[int, int, str] | None:
    """What takes the place of a scalar: where, and the text.  Nothing for what is not rewritten in one piece."""
    from .splices import narrowed

    text = span.text
    start = span.start + _property_length(text)
    body = span.file.text[start : span.end]
    if _BLOCK.match(body):
        if not (isinstance(old, str) and isinstance(new, str)):
            return None
        piece = narrowed(body, old, new)
        if piece is None or "\n" in piece[2]:
            return _block(span, start, body, new)
        return start + piece[0], start + piece[1], piece[2]
    if body[:1] in ("'", '"'):
        return start, span.end, yaml_text(new, read, body[0] if isinstance(new, str) else "")
    if "\n" in body and isinstance(old, str) and isinstance(new, str):  # a plain word over several lines
        piece = narrowed(body, old, new)
        return None if piece is None else (start + piece[0], start + piece[1], piece[2])
    if not body.strip() and not span.file.text[max(0, start - 1) : start].isspace():
        return start, span.end, " " + yaml_text(new, read)
    return start, span.end, yaml_text(new, read)


def sealed_replaced(span: Span, token: str) -> tuple[int, int, str] | None:
    """What takes the place of an encrypted value: in quotes or not, or folded over lines as long as they were."""
    text = span.text
    start = span.start + _property_length(text)
    body = span.file.text[start : span.end]
    head = _BLOCK.match(body)
    if head is None:
        return start, span.end, token if body[:1] not in ("'", '"') else body[0] + token + body[0]
    lines = [line for line in body[head.end() :].split("\n") if line.strip()]
    if not lines or any(character.isdigit() for character in head.group()):
        return None
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    width = max(len(lines[0].strip()), 20)
    line_end = "\r\n" if head.group().endswith("\r\n") else "\n"
    written = "".join(" " * indent + token[at : at + width] + line_end for at in range(0, len(token), width))
    tail = body[len(body.rstrip(" \r\n")) :].partition("\n")[2]
    return start + head.end(), span.end, written + tail


def _block(span: Span, start: int, body: str, new: str) -> tuple[int, int, str] | None:
    """All lines of a block of text (`|`) anew, indented as they were."""
    head = _BLOCK.match(body)
    lines = [line for line in body.split("\n")[1:] if line.strip()]
    if head is None or body[0] != "|" or not lines or any(character.isdigit() for character in head.group()):
        return None
    indent = min(len(line) - len(line.lstrip(" ")) for line in lines)
    stripped = new.rstrip("\n")
    chomping = {0: "-", 1: ""}.get(len(new) - len(stripped))
    if not stripped or chomping is None:
        return None  # lines that are empty at the end are told from those behind the block by its first line alone
    line_end = "\r\n" if head.group().endswith("\r\n") else "\n"
    first = "|" + chomping + body[1 : head.end()].lstrip("-+")
    written = "".join((" " * indent + line if line else "") + line_end for line in stripped.split("\n"))
    tail = body[len(body.rstrip(" \r\n")) :].partition("\n")[2]
    return start, span.end, first + written + tail


def list_changed(
    source: SourceFile,
    whole: Span,
    elements: Sequence[Span],
    old: Sequence[object],
    new: Sequence[object],
    write: Write,
) -> tuple[int, int, str] | None:
    """How a list gets or loses some elements that stand together: where, and what takes the place.

    `elements` are the places of the elements that are there. Nothing where the elements do not stand in the list one by
    one: a line each with a dash before it, or with commas between them.
    """
    start, old_end, new_end = changed_range(old, new)
    removed, added = range(start, old_end), new[start:new_end]
    if len(elements) != len(old):
        return None
    text = source.text
    if not elements:
        body = whole.text.strip()
        if not (body.startswith("[") and body.endswith("]") and not body[1:-1].strip()):
            return None
        return whole.start, whole.start + len(body), "[" + ", ".join(map(write, added)) + "]"
    lines = [_line_start(text, span.start) for span in elements]
    dashes = [re.fullmatch(r"( *)-( +)", text[line : span.start]) for line, span in zip(lines, elements)]
    if all(dashes) and dashes[0] is not None:
        ends = [*lines[1:], _line_end(text, elements[-1])]
        if len(removed) == len(old) and not added:  # a key without anything behind it has no value at all
            head = text[: lines[0]].rstrip()
            return (len(head), ends[-1] - (text[ends[-1] - 1] == "\n"), " []") if head.endswith(":") else None
        line_end = "\r\n" if "\r\n" in text else "\n"
        written = "".join(f"{dashes[0][1]}-{dashes[0][2]}{write(value)}{line_end}" for value in added)
        if removed:
            return lines[removed[0]], ends[removed[-1]], written
        at = lines[start] if start < len(lines) else ends[-1]
        if at and text[at - 1] != "\n":
            written = line_end + written.removesuffix(line_end)
        return at, at, written
    if not whole.text.startswith("["):
        return None
    written = ", ".join(map(write, added))
    if not removed:
        if start < len(elements):
            return elements[start].start, elements[start].start, written + ", "
        return elements[-1].end, elements[-1].end, ", " + written
    if added:
        return elements[removed[0]].start, elements[removed[-1]].end, written
    if removed[-1] + 1 < len(elements):
        return elements[removed[0]].start, elements[removed[-1] + 1].start, ""
    if removed[0]:
        return elements[removed[0] - 1].end, elements[removed[-1]].end, ""
    return elements[0].start, elements[-1].end, ""


def hash_changed(
    whole: Span, places: Mapping[Any, Span | None], added: Mapping[Any, object], removed: Sequence[object], read: Read
) -> tuple[int, int, str] | None:
    """How a mapping gets keys at its end, or loses one: where, and what takes the place.

    `places` are those of its values, where they are no composites. Nothing for a mapping in which a line has several
    keys, or that is left empty.
    """
    text = whole.file.text
    body = whole.text.rstrip()
    if body.startswith("{"):
        if not body.endswith("}"):
            return None
        if removed:
            return _entry_cut(whole, len(body), list(places.items()), removed)
        entries = ", ".join(f"{yaml_key(key)}: {yaml_text(value, read)}" for key, value in added.items())
        at = whole.start + len(body) - 1
        return (at, at, f", {entries}") if body[1:-1].strip() else (at, at, entries)
    line = _line_start(text, whole.start)
    indent = text[line : whole.start]
    if indent.strip() or not places:
        return None
    if removed:
        place = places.get(removed[0])
        if len(removed) > 1 or len(places) == 1 or place is None:
            return None
        start = _line_start(text, place.start)
        written = re.compile(rf"{indent}(['\"]?){re.escape(str(removed[0]))}\1\s*:")
        return (start, _line_end(text, place), "") if written.match(text, start) else None
    last = list(places.values())[-1]
    if last is None:
        return None
    at = _line_end(text, last)
    line_end = "\r\n" if "\r\n" in text else "\n"
    entries = "".join(f"{indent}{yaml_key(key)}: {yaml_text(value, read)}{line_end}" for key, value in added.items())
    return at, at, entries if text[at - 1 : at] == "\n" else line_end + entries


def _entry_cut(
    whole: Span, length: int, places: Sequence[tuple[object, Span | None]], removed: Sequence[object]
) -> tuple[int, int, str] | None:
    """An entry of a mapping in braces goes, with the comma beside it."""
    at = next((index for index, (key, _) in enumerate(places) if key == removed[0]), None)
    if at is None or len(removed) > 1 or any(place is None for _, place in places):
        return None
    spans = [place for _, place in places if place is not None]
    if at:
        return spans[at - 1].end, spans[at].end, ""
    if len(spans) == 1:
        return whole.start + 1, whole.start + length - 1, ""
    text = whole.file.text
    comma = re.compile(r"[ \t]*,\s*").match(text, spans[0].end)
    head = re.compile(r"\{\s*").match(text, whole.start)
    return (head.end(), comma.end(), "") if comma is not None and head is not None else None


def changed_range(old: Sequence[object], new: Sequence[object]) -> tuple[int, int, int]:
    """Where two lists begin to differ, and where what differs ends in each."""
    start = 0
    while start < min(len(old), len(new)) and _equal(old[start], new[start]):
        start += 1
    behind = 0
    while behind < min(len(old), len(new)) - start and _equal(old[-1 - behind], new[-1 - behind]):
        behind += 1
    return start, len(old) - behind, len(new) - behind


def _equal(one: object, other: object) -> bool:
    return type(one) is type(other) and bool(one == other)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, span: Span) -> int:
    """Where the line behind an element begins.

    The place of a composite ends where the next thing begins: empty lines between, and comments that stand further to
    the left than the element, are not its own.
    """
    end = span.end
    body = span.text[_property_length(span.text) :]
    if _BLOCK.match(body):
        end = max(span.start, end - 1)
    else:
        column = span.start - _line_start(text, span.start)
        while (begin := _line_start(text, end)) > span.start:
            last = text[begin:end]
            behind = last.strip()
            if behind and not (behind[0] == "#" and len(last) - len(last.lstrip()) < column):
                break
            end = begin - 1
    end = text.find("\n", end)
    return len(text) if end < 0 else end + 1


def _property_length(text: str) -> int:
    """How long the anchor and the tag are that stand before a value."""
    properties = _PROPERTIES.match(text)
    return properties.end() if properties else 0


def yaml_key_added(text: str, key: str, value: Any, read: Read) -> tuple[int, str]:
    """Where a new key of the whole file goes, and the text: at the end; `text` may be empty, for a new file."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    if isinstance(value, list) and value:
        shown = "".join(f"{line_end}  - {yaml_text(element, read)}" for element in value)
    elif isinstance(value, dict) and value:
        shown = "".join(f"{line_end}  {yaml_key(name)}: {yaml_text(part, read)}" for name, part in value.items())
    else:
        shown = " " + yaml_text(value, read, "'" if isinstance(value, str) and not _PLAIN.fullmatch(value) else "")
    before = "---" + line_end if not text else "" if text.endswith("\n") else line_end
    return len(text), f"{before}{yaml_key(key)}:{shown}{line_end}"


def json_key_added(text: str, key: str, value: object) -> tuple[int, str] | None:
    """The same for JSON: behind the last entry of the object that the file is, indented as that one."""
    body = text.rstrip()
    if not body:
        return len(text), "{\n  " + json.dumps(key) + ": " + json.dumps(value) + "\n}\n"
    if not body.endswith("}"):
        return None
    inside = body[:-1].rstrip()
    last = re.search(r"\n([ \t]+)\"[^\n]*$", inside)
    between = f"\n{last[1]}" if last else " "
    comma = "" if inside.endswith("{") else ","
    return len(inside), f"{comma}{between}{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
