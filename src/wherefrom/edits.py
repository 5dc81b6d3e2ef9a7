"""What was edited between two outcomes, and which values rest on which edit.

An *edit* is a run of changed lines of a file, a file that came, went or is no text, or an input that stands in no file
(a fact, the node's name, what a classifier says) with another value. All files that either side read are looked at, and
all that the histories of differing values name; files are paired by their names below the two outcomes' directories.

A value rests on an edit if its history goes through a changed line, through a file of which it needs the whole, through
a key of the data that the edit is about (or that is not there), or through the input. The histories are walked once for
all values (`Edits.behind`).

An edit can be taken back, or made on the other side (`Edits.changes`): who compiles again with that alone knows whether
it is a cause (`wherefrom.causes`).
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Any, TypeAlias

from .base.diagnostics import NotText
from .base.host import as_bytes
from .base.lines import changed_runs
from .base.plural import count_of
from .base.record import Record
from .base.secrets import Secrets
from .base.source import SourceFile, Span
from .base.splices import GONE
from .language import Given, Inputs, Outcome
from .provenance.explain import short
from .provenance.extract import inputs_of, parts
from .provenance.origins import Foreign, Guard, Leaf, Origin


class Edit(Record):
    """A run of changed lines, or an input with another value.  Line numbers from 1; an empty side has no lines."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    before_place: str
    after_place: str


class EditedSide(Record):
    """How one side is changed: contents of files (nothing where there is to be none), values of inputs."""

    files: Mapping[str, bytes | None]
    inputs: Mapping[Given, Any]
    """By input; `GONE` for one that is not to be there."""


Lines: TypeAlias = tuple[int, int]
"""Lines [first, last) of a file, counted from 0."""


class _File(Record):
    """A file on both sides: its names there, its content (nothing where there is none), as text if it is text."""

    names: tuple[str, str]
    contents: tuple[bytes | None, bytes | None]
    texts: tuple[str | None, str | None]


class _Part(Record):
    """An edit of a file: which lines on which side; the whole file if it has none."""

    file: _File
    lines: tuple[Lines, Lines] | None
    keys: frozenset[str] | None
    """The keys of the data that it is about, where that can be told."""


class History:
    """Everything that some values rest on: walked once, however often it is asked which edits are in it."""

    def __init__(self, origins: Sequence[Origin]) -> None:
        self.origins = origins
        self.nodes: dict[int, Origin | Guard] = {}
        """By identity; kept, so that no identity is used again."""
        self.users: dict[int, list[int]] = {}
        """What rests on a node."""
        nodes, users = self.nodes, self.users
        stack: list[Origin | Guard] = list(origins)
        while stack:
            node = stack.pop()
            here = id(node)
            if here in nodes:
                continue
            nodes[here] = node
            for part in parts(node):
                known = id(part)
                if known in users:
                    users[known].append(here)
                else:
                    users[known] = [here]
                    stack.append(part)

    def leaves(self) -> list[Leaf]:
        """The inputs."""
        return inputs_of(self.nodes.values())


class Edits:
    """The edits between the sources and inputs of two outcomes, and which of them a history touches."""

    def __init__(self, a: Outcome, b: Outcome, histories: Iterable[History] = ()) -> None:
        self.sides = (a, b)
        self.all: list[Edit] = []
        self._parts: dict[int, _Part] = {}
        self._given: dict[Given, int] = {}
        self._values: dict[int, tuple[object, object]] = {}
        self._at: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
        self._below: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
        self._matched: dict[tuple[int, str], list[int]] = {}
        self._structural: set[int] = set()
        self._secrets: dict[int, Secrets] = {}
        self._knows_inputs = self._add_inputs()
        for file in self._files(node for history in histories for node in history.nodes.values()):
            self._add_file(file)

    # --- finding them ---

    def _add(self, edit: Edit) -> int:
        self.all.append(edit)
        return len(self.all) - 1

    def _add_inputs(self) -> bool:
        """Inputs that no file has, of outcomes that know what they were given."""
        before, after = (side.given() for side in self.sides)
        if before is None or after is None:
            return False
        for given in dict.fromkeys([*before, *after]):
            for part, old, new in _apart(given, before.get(given, GONE), after.get(given, GONE)):
                self._add_input(part, old, new)
        names = [[name for kind, name, _ in given if kind == "fact"] for given in (before, after)]
        both = set(names[0]) & set(names[1])
        orders = [[name for name in side if name in both] for side in names]
        if orders[0] != orders[1]:
            self._add_input(ORDER_OF_FACTS, *orders)
        return True

    def _add_input(self, given: Given, old: object, new: object) -> int:
        known = self._given.get(given)
        if known is None:
            kind, name, node = given
            words = " ".join(
                part for part in ("classifier" if kind == "class" else kind, name, node and f"of {node}") if part
            )
            words = words if name else "order of facts"
            known = self._given[given] = self._add(Edit((_said(old),), (_said(new),), words, words))
            self._values[known] = (old, new)
        return known

    def _files(self, named: Iterable[Origin | Guard]) -> Iterator[_File]:
        """The files of both sides that are not the same."""
        texts: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for side, outcome in enumerate(self.sides):
            texts[side].update({name: source.text for name, source in outcome.sources.items()})
            if self.sides[1 - side].is_masked and not outcome.is_masked:
                secrets = self._secrets[side] = Secrets(outcome.secrets())
                texts[side].update({name: secrets.redacted(text, masked=True) for name, text in texts[side].items()})
        read: list[dict[str, None]] = [
            dict.fromkeys([*outcome.sources, *outcome.files_read()]) for outcome in self.sides
        ]
        for node in named:
            for name in _files_of(node):
                if name not in read[0] and name not in read[1]:
                    read[1][name] = None
        for name in [name for name in read[1] if name.startswith("«") and texts[0].get(name) == texts[1].get(name)]:
            for names in read:  # a text that was given with both: no file, so below no directory
                names.pop(name, None)
        for left, right in _paired(self.sides, (read[0], read[1])):
            old, new = self._content(0, left, texts[0]), self._content(1, right, texts[1])
            if old != new:
                decoded = [
                    None if content is None else _decoded(name, content)
                    for name, content in ((left, old), (right, new))
                ]
                yield _File((left, right), (old, new), (decoded[0], decoded[1]))

    def _content(self, side: int, name: str, texts: Mapping[str, str]) -> bytes | None:
        text = texts.get(name)
        if text is not None:
            return as_bytes(text)
        content = self.sides[side].file_content(name)
        content = content and content.removeprefix(b"\xef\xbb\xbf")  # as texts are that were read
        secrets = self._secrets.get(side)
        known = content and secrets and _decoded(name, content)
        return as_bytes(secrets.redacted(known, masked=True)) if known and secrets else content

    def _add_file(self, file: _File) -> None:
        left, right = file.texts
        is_text = [content is None or text is not None for content, text in zip(file.contents, file.texts, strict=True)]
        numbers: list[int] = []
        if not all(is_text):
            numbers.append(self._add_part(_Part(file, None, None), _digested(file, 0), _digested(file, 1), 0, 0))
        else:
            old, new = (split_lines(text or "") for text in (left, right))
            keys = _changed_keys(file)
            for run in changed_runs(old, new):
                for i1, i2, j1, j2 in (run,) if keys is None else _by_key(run, keys):
                    about = None
                    if keys is not None:
                        about = _keys_of((i1, i2), keys[0]) | _keys_of((j1, j2), keys[1])
                    part = _Part(file, ((i1, i2), (j1, j2)), about)
                    numbers.append(self._add_part(part, old[i1:i2], new[j1:j2], i1, j1))
        for side, name in enumerate(file.names):
            self._at[side].setdefault(name, []).extend(numbers)
            if None in file.contents:
                folder = os.path.dirname(name)
                while folder not in ("", "/"):
                    self._below[side].setdefault(folder, []).extend(numbers)
                    folder = os.path.dirname(folder)

    def _add_part(self, part: _Part, old: Sequence[str], new: Sequence[str], i: int, j: int) -> int:
        places = [
            f"{name}:{line + 1}" if part.lines is not None else name
            for name, line in zip(part.file.names, (i, j), strict=True)
        ]
        before = places[0] if part.file.contents[0] is not None else ""
        after = places[1] if part.file.contents[1] is not None else ""
        number = self._add(Edit(tuple(_shown(old)), tuple(_shown(new)), before, after))
        self._parts[number] = part
        if part.file.names[1].endswith(".pp") and _shape(old) != _shape(new):
            self._structural.add(number)
        return number

    @property
    def structural(self) -> frozenset[int]:
        """The edits that change more of a manifest than its literals: what is declared, and what is looked for."""
        return frozenset(self._structural)

    # --- who rests on them ---

    def behind(self, side: int, history: History, inputs_only: bool = False) -> list[set[int]]:
        """For each value with a history on a side, the edits that it rests on, by number; if asked, by its inputs."""
        users, origins = history.users, history.origins
        touched: dict[int, list[int]] = {}
        for here, node in history.nodes.items():
            for number in self.touched(side, node) if not inputs_only or isinstance(node, Leaf) else ():
                touched.setdefault(number, []).append(here)
        numbers_behind: list[set[int]] = [set() for _ in origins]
        for number, reached in touched.items():
            hit = set(reached)
            while reached:
                for user in users.get(reached.pop(), ()):
                    if user not in hit:
                        hit.add(user)
                        reached.append(user)
            for index, origin in enumerate(origins):
                if id(origin) in hit:
                    numbers_behind[index].add(number)
        return numbers_behind

    def at(self, side: int, span: Span) -> list[int]:
        """The edits that a place touches."""
        numbers = self._at[side].get(span.file.name)
        if not numbers:
            return []
        if span.file.identity != span.file.name or span.file.name.endswith(_TEMPLATES):
            return numbers  # a text inside of the file has other lines; a template is rendered as a whole
        first, last = span.line - 1, span.file.line_of(max(span.start, span.end - 1)) - 1
        return [number for number in numbers if self._overlaps(side, number, first, last)]

    def _overlaps(self, side: int, number: int, first: int, last: int) -> bool:
        lines = self._parts[number].lines
        if lines is None:
            return True
        start, end = lines[side]
        return first < end and start <= last if start < end else first < start <= last

    def touched(self, side: int, node: Origin | Guard) -> Iterable[int]:
        """The edits that one node of a history rests on."""
        span: Span | None = getattr(node, "span", None)
        if span is not None:
            return self.at(side, span)
        if not isinstance(node, Leaf):
            return ()
        if node.kind == "file" and node.absent and "*" in node.name:  # looked for in several directories
            return self._matching(side, node.name)
        if node.kind == "file":
            return [*self._at[side].get(node.name, ()), *self._below[side].get(node.name.rstrip("/"), ())]
        if node.file:
            key = node.name.partition(".")[0]
            numbers = self._at[side].get(node.file, ())
            return [number for number in numbers if self._is_about(number, key, node.name)]
        return self._inputs_of(node)

    def _matching(self, side: int, pattern: str) -> list[int]:
        """The edits of files whose names a pattern matches."""
        known = self._matched.get((side, pattern))
        if known is None:
            names = [name for name in self._at[side] if fnmatchcase(name, pattern)]
            known = self._matched[side, pattern] = [number for name in names for number in self._at[side][name]]
        return known

    def _is_about(self, number: int, *keys: str) -> bool:
        about = self._parts[number].keys
        return about is None or not keys[0] or any(key in about for key in keys)

    def _inputs_of(self, leaf: Leaf) -> Iterable[int]:
        if leaf.kind == "literal" or not self._given:
            return ()
        owner = leaf.node if isinstance(leaf, Foreign) else ""
        return [
            number for (kind, name, node), number in self._given.items() if node == owner and is_named(leaf, kind, name)
        ]

    def add_inputs_of(self, before: Iterable[Leaf], after: Iterable[Leaf]) -> None:
        """Inputs that two histories have with other values, where the outcomes do not know what they were given."""
        old, new = (_given_of(leaves) for leaves in (before, after))
        for given in sorted(old.keys() & new.keys()):
            kind = given[0]
            if self._knows_inputs and kind in GIVEN_KINDS and not given[2]:
                continue
            left, right = (GONE if leaf.absent else leaf.value for leaf in (old[given], new[given]))
            if not same(left, right):
                self._add_input(given, left, right)

    # --- without them ---

    def changes(self, side: int, numbers: Iterable[int]) -> EditedSide | None:
        """How a side becomes, for these edits, what the other is; nothing where that can not be said."""
        files: dict[str, bytes | None] = {}
        inputs: dict[Given, object] = {}
        other = 1 - side
        hunks: dict[int, tuple[_File, list[tuple[Lines, Lines]]]] = {}
        for number in numbers:
            part = self._parts.get(number)
            if part is None:
                given = next(given for given, known in self._given.items() if known == number)
                if not self._knows_inputs or given[2] or given[0] not in GIVEN_KINDS:
                    return None
                inputs[given] = self._values[number][other]
            elif part.lines is None or None in part.file.contents:
                files[part.file.names[side]] = part.file.contents[other]
            else:
                hunks.setdefault(id(part.file), (part.file, []))[1].append((part.lines[side], part.lines[other]))
        for file, runs in hunks.values():
            here, there = (split_lines(file.texts[which] or "") for which in (side, other))
            for mine, theirs in sorted(runs, reverse=True):
                here[mine[0] : mine[1]] = there[theirs[0] : theirs[1]]
            files[file.names[side]] = as_bytes("\n".join(here))
        return EditedSide(files, inputs)


GIVEN_KINDS = frozenset(("fact", "node", "trusted", "classifier", "class", "argument"))
"""Kinds of inputs that an outcome which knows what it was given tells all of."""


def _apart(given: Given, old: Any, new: Any) -> Iterator[tuple[Given, object, object]]:
    """What differs in an input: of hashes, the elements that do."""
    if same(old, new):
        return
    kind, name, node = given
    hashes = isinstance(old, Mapping) and isinstance(new, Mapping)
    if hashes and all(isinstance(key, str) and "." not in key for key in (*old, *new)):
        for key in dict.fromkeys([*old, *new]):
            yield from _apart((kind, f"{name}.{key}", node), old.get(key, GONE), new.get(key, GONE))
    else:
        yield given, old, new


def with_inputs(inputs: Inputs, changed: Mapping[Given, Any]) -> Inputs:
    """The inputs of a run, some of them changed."""
    node = inputs.node
    options = dict(inputs.options)
    kept = {
        "fact": dict(inputs.facts),
        "trusted": dict(options.get("trusted") or {}),
        "classifier": dict(options.get("parameters") or {}),
        "class": _classes(options.get("classes")),
        "argument": dict(options.get("changed_parameters") or {}),
    }
    for (kind, name, _), value in changed.items():
        if kind == "node":
            node = value
        elif kind == "argument":
            kept[kind] = {known: said for known, said in {**kept[kind], name: value}.items() if said is not GONE}
        elif not name:
            order = {fact: index for index, fact in enumerate(value)}
            there = [fact for fact in kept[kind] if fact in order]
            places = iter(sorted(there, key=order.__getitem__))
            kept[kind] = {
                fact: kept[kind][fact] for fact in [next(places) if fact in order else fact for fact in kept[kind]]
            }
        else:
            _set(kept[kind], name, value)
    for option, kind in (
        ("trusted", "trusted"),
        ("parameters", "classifier"),
        ("classes", "class"),
        ("changed_parameters", "argument"),
    ):
        if kept[kind] or options.get(option):
            options[option] = kept[kind]
    return Inputs(node, kept["fact"], options)


def _classes(given: Any) -> dict[str, Any]:
    return (
        {name: parameters or {} for name, parameters in given.items()}
        if isinstance(given, Mapping)
        else {name: {} for name in given or ()}
    )


def _set(values: dict[str, Any], name: str, value: object) -> None:
    """Set or take away a part of nested hashes by its dotted name; the hashes on the way are copies afterwards."""
    if name in values or "." not in name:
        if value is GONE:
            values.pop(name, None)
        else:
            values[name] = value
        return
    first, _, rest = name.partition(".")
    inner = values.get(first)
    values[first] = dict(inner) if isinstance(inner, Mapping) else {}
    _set(values[first], rest, value)


def _files_of(node: Origin | Guard) -> list[str]:
    """The names of the files that a node of a history tells of."""
    span: Span | None = getattr(node, "span", None)
    names = [span.file.name] if span is not None else []
    if isinstance(node, Leaf) and node.kind == "file":
        names.append(node.name)
    elif isinstance(node, Leaf) and node.file and span is None:
        names.append(node.file)
    return names


ORDER_OF_FACTS: Given = ("fact", "", "")
"""The order of the facts, an input of code that iterates over all of them."""


def same(before: object, after: object) -> bool:
    """Whether two values are the same, in kind too."""
    return type(before) is type(after) and bool(before == after)


def is_named(leaf: Leaf, kind: str, name: str) -> bool:
    """Whether an input is meant by a leaf: as itself, as a part, or as a whole that it is part of."""
    if kind == "node":
        return leaf.kind == "node" or (
            leaf.kind == "trusted" and leaf.name.partition(".")[0] in ("", "certname", "hostname", "domain")
        )
    if leaf.kind != ("classifier" if kind == "class" else kind):
        return False
    if not name:
        return not leaf.name
    return any(not own or own == name or _is_inside(own, name) or _is_inside(name, own) for own in leaf.names)


def _is_inside(name: str, whole: str) -> bool:
    return name.startswith((f"{whole}.", f"{whole}["))


_TEMPLATES = (".erb", ".epp")
_LITERAL = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\$])*"|\b\d+(?:\.\d+)?\b|(?<==>)\s*(?:[a-z]\w*)\b(?!\s*[:(])|#.*"""
)


def _shape(lines: Sequence[str]) -> str:
    """Code without comments and blanks, and with one word for every literal."""
    text = "\n".join(lines)
    return re.sub(r"\s+", "", _LITERAL.sub(lambda literal: "" if literal[0][0] == "#" else "0", text))


def split_lines(text: str) -> list[str]:
    """The lines of a text, as editors count them; the last one is what stands behind the last line end."""
    return text.split("\n")


def _given_of(leaves: Iterable[Leaf]) -> dict[Given, Leaf]:
    """Inputs that are given, and stand in no text: facts, the node's name, settings."""
    return {
        (leaf.kind, leaf.name, leaf.node if isinstance(leaf, Foreign) else ""): leaf
        for leaf in leaves
        if leaf.span is None and leaf.kind not in ("literal", "hiera", "file")
    }


def _said(value: object) -> str:
    return "(absent)" if value is GONE else short(value, 60)


def _shown(lines: Sequence[str]) -> Sequence[str]:
    """Lines as they are shown: what stands behind the last line end is no line, if it is empty."""
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _decoded(name: str, content: bytes) -> str | None:
    """A content as text, if it is one that can be written back as it was."""
    try:
        text = SourceFile.from_bytes(name, content).text
    except NotText:
        return None
    return None if "\0" in text else text


def _digested(file: _File, side: int) -> list[str]:
    content = file.contents[side]
    if content is None:
        return []
    from .base.digests import sha256

    return [f"{count_of(len(content), 'byte')}, sha256 {sha256(content).hexdigest()[:16]}"]


# --- keys of data ---

_KEY = re.compile(r"""(?P<quote>['"]?)(?P<key>[^\s'"#&*!|>%@`\[\]{},?-][^'"#]*?|[^'"]+)(?P=quote)\s*:(?:\s|$)""")


def _changed_keys(file: _File) -> tuple[list[str], list[str]] | None:
    """For each line of a file of data in block style, on both sides, the key at the top that it belongs to."""
    if not file.names[1].endswith((".yaml", ".yml", ".eyaml")):
        return None
    both: list[list[str]] = []
    for text in file.texts:
        owners = _owners(split_lines(text or ""))
        if owners is None:
            return None
        both.append(owners)
    return both[0], both[1]


def _owners(lines: list[str]) -> list[str] | None:
    owners: list[str] = []
    owner = ""
    for line in lines:
        if line[:1] not in ("", " ", "#", "\t", "-", "\r") or (line[:1] == "-" and line.startswith("---")):
            if line.startswith("---"):
                owner = ""
            else:
                key = _KEY.match(line)
                if key is None or "&" in line or "<<" in key["key"]:
                    return None  # flow style, anchors: what belongs to what is not told by lines
                owner = key["key"]
        elif "&" in line:
            return None
        owners.append(owner)
    return owners


def _by_key(run: tuple[int, int, int, int], owners: tuple[list[str], list[str]]) -> list[tuple[int, int, int, int]]:
    """A run of changed lines of data, taken apart where both sides have the same keys in the same order."""
    i1, i2, j1, j2 = run
    old, new = (
        [(key, len(list(lines))) for key, lines in groupby(side[start:end])]
        for side, (start, end) in zip(owners, ((i1, i2), (j1, j2)), strict=True)
    )
    if [key for key, _ in old] != [key for key, _ in new]:
        return [run]
    runs = []
    for (_, before), (_, after) in zip(old, new, strict=True):
        runs.append((i1, i1 + before, j1, j1 + after))
        i1, j1 = i1 + before, j1 + after
    return runs


def _keys_of(run: Lines, owners: list[str]) -> frozenset[str]:
    start, end = run
    return frozenset(owners[start:end]) | (frozenset(owners[start - 1 : start]) if start == end else frozenset())


# --- which files belong together ---


def _paired(
    sides: tuple[Outcome, Outcome], read: tuple[Mapping[str, None], Mapping[str, None]]
) -> Iterator[tuple[str, str]]:
    """The names of files on both sides: of the same name below the two directories, and the two main files.

    These may have different names, but lie in the same folder: without its main manifest an environment begins with
    some file of a module, which is no other version of what was there.
    """
    bases = [side.directory for side in sides]
    names = [dict(known) for known in read]
    if all(len(side.sources) for side in sides):
        left, right = (next(iter(side.sources)) for side in sides)
        moved = _moved(left, *bases)
        beside = os.path.dirname(moved) == os.path.dirname(os.path.normpath(right))
        if beside and moved not in names[1] and _moved(right, *reversed(bases)) not in names[0]:
            yield left, right
            del names[0][left], names[1][right]
    known: set[tuple[str, str]] = set()
    for side in (0, 1):
        for name in names[side]:
            other = _moved(name, bases[side], bases[1 - side])
            if other not in names[1 - side] and os.path.isabs(name) and _relative(name, bases[side]).startswith(".."):
                if name in names[1 - side] or sides[1 - side].file_content(other) is None:
                    other = name  # outside of both directories: a module path that they share
            pair = (name, other) if side == 0 else (other, name)
            if pair not in known:
                known.add(pair)
                yield pair


def _relative(name: str, base: str) -> str:
    return os.path.relpath(name, base or ".")


def _moved(name: str, base: str, other: str) -> str:
    """What a file of one side is called on the other."""
    if base == other:
        return name
    return os.path.normpath(os.path.join(other, _relative(name, base)))
