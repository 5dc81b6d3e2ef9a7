"""Reading a merge as its user would: every definition of an option, with what happened to it.

A definition reaches the merge in its wrappers (`mkIf`, `mkMerge`, `mkOverride`, `mkOrder`: sets with `_type`, see
nixpkgs' manual, "Writing NixOS Modules: Option Definitions").  The library then drops those whose condition is false,
keeps those with the least priority, and forgets the others; here they are all still present.  `Merges.options` reads
them again by the same rules:

* `merge`: each of its contents is a definition of its own;
* `if`: the condition is noted; if it is false, what is inside is *inactive*;
* `override`: the outermost gives the priority (100 without one, 1500 for the option's default);
* `order`: where it comes among those that are merged (1000 without one).

Of the active definitions, those with the least priority count: one alone is *chosen*, several are *merged*, and the
others are *hidden*; these are the words of a ladder too. On a host with `tls = true`:

    port = mkDefault 443;                 priority 1000              hidden
    port = mkIf tls 8443;                 priority 100, if `tls`     chosen
    port = mkIf (! tls) 80;               priority 100, if not       inactive

Places come from the recorded cells: the transfer `attribute NAME` that passed the value on.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...base.record import Record
from ...provenance.ladder import CHOSEN, HIDDEN, MERGED
from ..kernel.errors import NixError
from ..kernel.values import Attrs, Slot, Thunk, Value, force, position_of
from ..trace.cells import Cell
from ..trace.history import plain
from ..trace.merges import MERGE, OPTION, Merge
from ..trace.operations import ATTRIBUTE, COMPUTED_ATTRIBUTE, CONDITION, INHERIT
from .disabled import DisabledDefinition, DisabledModules
from .notes import (
    UNKNOWN,
    attribute,
    chain,
    computed,
    decisive,
    inputs,
    note_of,
    passed_by,
    passed_on,
    source_span,
    walk,
)

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span

DEFAULT_PRIORITY = 100
OPTION_DEFAULT = 1500
DEFAULT_ORDER = 1000

_PRIORITY_WORDS = {
    1500: "mkOptionDefault",
    1000: "mkDefault",
    60: "mkImageMediaOverride",
    50: "mkForce",
    10: "mkVMOverride",
}
_ORDER_WORDS = {500: "mkBefore", 1500: "mkAfter"}

_HOLDS = {
    "merge": ("contents",),
    "if": ("condition", "content"),
    "override": ("priority", "content"),
    "order": ("priority", "content"),
    "definition": ("value",),
}
"""What each kind of wrapper has besides `_type`."""

_WRAPPING = frozenset({*_PRIORITY_WORDS.values(), *_ORDER_WORDS.values(), "mkOverride", "mkOrder", "mkIf", "mkMerge"})

INACTIVE = "inactive"
"""The status of a definition whose condition is false, or was not decided."""

MAX_RESTS = 12
"""How many things a condition is said to rest on."""


class Input(Record):
    """What a condition or a computed definition rests on: another option, or a place of the program."""

    name: str
    """The option's path; empty for a place."""
    value: Any
    place: Span | None
    is_default: bool = False
    """Nobody defines the option: the place is its declaration."""


class Condition(Record):
    """The condition of an `mkIf`; `value` is nothing if the program did not get so far as to decide it."""

    text: str
    value: bool | None
    place: Span | None
    rests_on: tuple[Input, ...] = ()


class Definition(Record):
    """One definition of an option."""

    status: str
    """`CHOSEN`, `MERGED`, `HIDDEN` or `INACTIVE`."""
    priority: int
    words: str
    """What gave it the priority: `mkForce`, `mkOverride 40`, `default`; empty for a plain definition."""
    order: int | None
    order_words: str
    conditions: tuple[Condition, ...]
    place: Span | None
    file: str | None
    """What the module system takes for the file, where that is another than the place's."""
    via: str | None
    """The option whose definition this was first, if it was renamed."""
    content: Slot
    rests_on: tuple[Input, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether the option's value is made of it."""
        return self.status in (CHOSEN, MERGED)

    @property
    def is_default(self) -> bool:
        """Whether this is the default that the option's declaration gives."""
        return self.words == "default"

    @property
    def value(self) -> Any:
        """The value as plain data as far as the program computed it; `UNKNOWN` if it did not."""
        return UNKNOWN if computed(self.content) is UNKNOWN else plain(self.content)

    @property
    def text(self) -> str:
        """The source text of a value that the program did not compute."""
        span = source_span(self.content)
        return span.text if span is not None else "…"


class Part(Record):
    """One element or attribute of an option's value: whose definition it is (by their numbers), and its place."""

    key: str | int
    value: Any
    definitions: tuple[int, ...]
    place: Span | None


class Option(Record):
    """An option of the module system, or a part of one that was merged by itself (a key of `attrsOf`)."""

    path: tuple[str, ...]
    type: str | None
    description: str | None
    declarations: tuple[Span, ...]
    declared: bool
    """Whether it was declared itself; else it is a part of one, or freeform."""
    definitions: tuple[Definition, ...]
    parts: tuple[Part, ...]
    apply: Span | None
    merged: Any
    """What the definitions gave before `apply` was called."""
    disabled: tuple[DisabledDefinition, ...] = ()

    @property
    def name(self) -> str:
        """The path as text."""
        return dotted(self.path)


def dotted(path: Sequence[str]) -> str:
    """A path as it is written."""
    from ..syntax.printer import show_name

    return ".".join(show_name(step) if not step.startswith(("<", "[")) else step for step in path)


class Merges:
    """The merges of one recorded run, and the way from a value to the option that gave it."""

    def __init__(
        self,
        merges: Sequence[Merge],
        main: str,
        vendors: Sequence[str] = (),
        library: Sequence[str] = (),
        sources: Mapping[str, SourceFile] | None = None,
        inside: Callable[[Callable[[], None]], None] = lambda work: work(),
    ) -> None:
        self.merges = merges
        self._inside = inside
        """Does work inside of an evaluation: where things stand may be asked when that is over."""
        self.main = main
        """The directory of the file or flake that was asked for."""
        self.vendors = vendors
        """The directories of others, even if they lie below that one: a flake's inputs."""
        self.library: tuple[str, ...] = tuple(library)
        """The directories of the module systems met so far, or those that the user says are the library."""
        self._library_is_given = bool(library)
        self._disabled = DisabledModules(sources or {})
        self._in_library: dict[str, bool] = {}
        self._by_result: dict[int, Merge] = {}
        self._by_note: dict[int, Merge] = {}
        self._by_definition: dict[int, dict[tuple[str, ...], Merge]] = {}
        """The merges, by their paths, that a note is a definition of: what a function wrote may define several."""
        self._reading: set[int] = set()
        self._by_loc: dict[int, list[Merge]] = {}
        self._indexed = 0
        self._unfinished: list[Merge] = []
        self._winners: dict[int, Definition | None] = {}
        self._paths: tuple[int, dict[tuple[str, ...], list[Merge]]] | None = None

    # --- which option ---

    def _index(self) -> None:
        """Look at what was merged since the last question: values may have been computed in between."""
        fresh = [merge for merge in self.merges[self._indexed :] if path_of(merge)]  # others only have the shape
        for merge in fresh:
            self._by_result[id(merge.result[0])] = merge
            self._by_loc.setdefault(id(_value(merge.loc)), []).append(merge)
        libraries = () if self._library_is_given else _libraries(fresh, self.main)
        if not set(libraries) <= set(self.library):
            self.library = tuple(dict.fromkeys((*self.library, *libraries)))
            self._in_library.clear()
        self._unfinished += fresh
        self._indexed = len(self.merges)
        self._unfinished = [merge for merge in self._unfinished if not self._finish(merge)]

    def _finish(self, merge: Merge) -> bool:
        """Note the value of a merge and those of its definitions; false if some of them are not computed yet."""
        note = note_of(attribute(merge.result[0], "value" if merge.watch.kind == OPTION else "mergedValue"))
        definitions = computed(merge.definitions)
        if note is not None:
            self._by_note[id(note)] = merge
        if type(definitions) is not list:
            return False
        done = note is not None
        for definition in definitions:
            slot = attribute(computed(definition), "value")
            written = None if slot is None else note_of(slot)
            if written is None:
                done = False
                continue
            for content in _unwrapped(slot):
                if (written := note_of(content)) is not None:
                    self._by_definition.setdefault(id(written), {}).setdefault(path_of(merge), merge)
        return done

    def first_definition(self, slot: Slot, path: tuple[str, ...]) -> tuple[str, Definition | None] | None:
        """The option that a definition of the one at `path` came from, if it was renamed, and the definition there."""
        for note in chain(slot):
            options = self._by_definition.get(id(note), {})
            if path in options:
                continue
            for other, merge in options.items():
                if other and other[: len(path)] != path and path[: len(other)] != other:
                    return dotted(other), self._written_there(merge, other, note)
        return None

    def _written_there(self, merge: Merge, path: tuple[str, ...], note: Cell) -> Definition | None:
        """The definition with this note.  Two options may be names of each other: that is asked once."""
        if id(merge) in self._reading:
            return None
        self._reading.add(id(merge))
        try:
            return next((row for row in self._definitions(merge, path) if note_of(row.content) is note), None)
        finally:
            self._reading.discard(id(merge))

    def of_note(self, note: Cell) -> Merge | None:
        """The merge whose value this note holds."""
        merge = self._by_note.get(id(note))
        if merge is None and note[1].kind == "select":
            container = computed(note[3])
            if type(container) is Attrs and note[1].op in ("value", "mergedValue"):
                merge = self._by_result.get(id(container))
        return merge

    def of_result(self, value: Value) -> Merge | None:
        """The merge that made this set of an option's properties."""
        self._index()
        return self._by_result.get(id(value)) if type(value) is Attrs else None

    def behind(self, slot: Slot) -> Merge | None:
        """The merge that gave a value: the first on its way."""
        self._index()
        first: Merge | None = None
        for note in chain(slot):
            merge = self.of_note(note)
            if merge is None:
                continue
            if first is None:
                first = merge
            elif path_of(merge) != path_of(first):
                break
            if merge.watch.kind == OPTION:
                return merge
        return first

    def named(self, path: Sequence[str], near: Slot | None = None) -> Merge | None:
        """The merge at a path; `near` is the set of options that the path starts from, if there is one."""
        self._index()
        if near is not None:
            value = _follow(near, path)
            if type(value) is Attrs and id(value) in self._by_result:
                return self._by_result[id(value)]
        merges = [merge for merge in self.merges if path_of(merge) == tuple(path)]
        options = [merge for merge in merges if merge.watch.kind == OPTION]
        candidates = options or merges
        return candidates[-1] if candidates else None

    def partner(self, merge: Merge) -> tuple[Merge | None, Merge | None]:
        """The option and the merge of its definitions that belong together: both were given the same path."""
        self._index()
        together = self._by_loc.get(id(_value(merge.loc)), [merge])
        options = [other for other in together if other.watch.kind == OPTION]
        merges = [other for other in together if other.watch.kind == MERGE]
        # definitions of a read-only option may also have been merged one by one, for the error
        return options[-1] if options else None, max(merges, key=_size, default=None)

    # --- reading one ---

    def option(self, merge: Merge) -> Option:
        """Everything that can be told of an option."""
        declared, merged = self.partner(merge)
        if merged is None and declared is not None:  # nobody has asked for its value yet
            _value(declared.result[0].table["value"])
            declared, merged = self.partner(merge)
        self._index()
        path = path_of(merge)
        about = computed(declared.about) if declared is not None else UNKNOWN
        kind = computed(merged.about) if merged is not None else computed(attribute(about, "type"))
        definitions = (*self._definitions(merged or merge, path), *self._off_above(merged or merge, path))
        result = attribute(merged.result[0], "mergedValue") if merged is not None else None
        apply = attribute(about, "apply")
        return Option(
            path,
            _text(kind, "description") or _text(kind, "name"),
            _text(about, "description"),
            tuple(self._declarations(declared, path)) if declared is not None else (),
            declared is not None,
            definitions,
            tuple(self._parts(result, definitions)) if result is not None else (),
            source_span(apply) if apply is not None else None,
            plain(result) if result is not None and computed(result) is not UNKNOWN else UNKNOWN,
            tuple(self._disabled.definitions(path)),
        )

    def _definitions(self, merge: Merge, path: tuple[str, ...]) -> Iterator[Definition]:
        definitions = computed(merge.definitions)
        rows: list[Definition] = []
        for definition in definitions if type(definitions) is list else ():
            value = computed(definition)
            slot = attribute(value, "value")
            if slot is None:
                continue
            file = computed(attribute(value, "file"))
            reader = _Reader(self, path, file if isinstance(file, str) else None)
            rows.extend(reader.read(slot))
        live = [row.priority for row in rows if row.status != INACTIVE]
        best = min(live, default=None)
        count = live.count(best) if best is not None else 0
        for row in rows:
            if row.status != INACTIVE:
                status = HIDDEN if row.priority != best else CHOSEN if count == 1 else MERGED
                row = _changed(row, status=status)
            yield row

    def _off_above(self, merge: Merge, path: tuple[str, ...]) -> Iterator[Definition]:
        """Definitions that an option above never passed on, because their condition is false: `a = mkIf off { b = 1; }`
        for `a.b`.
        """
        for length in range(len(path) - 1, 0, -1):
            container = self._above(merge, path, length)
            for row in self._definitions(container, path[:length]) if container is not None else ():
                if row.status == INACTIVE and (slot := _written_below(row.content, path[length:])) is not None:
                    reader = _Reader(self, path, row.file)
                    yield from reader.read(slot, row)

    def _above(self, merge: Merge, path: tuple[str, ...], length: int) -> Merge | None:
        """The merge of the option that holds the one of `merge`; nothing if it can not be told from others."""
        groups: dict[int, Merge] = {}
        for other in self._by_path().get(path[:length], ()):
            known = groups.get(id(_value(other.loc)))
            if known is None or _size(other) > _size(known):
                groups[id(_value(other.loc))] = other
        if len(groups) > 1:  # several configurations: the one that passed on what was merged here
            passed = {id(note) for slot in _defined(merge) for note in chain(slot)}
            groups = {
                loc: other
                for loc, other in groups.items()
                if any(
                    (slot := _written_below(content, path[length:])) is not None and id(note_of(slot)) in passed
                    for content in _defined(other)
                )
            }
        return next(iter(groups.values())) if len(groups) == 1 else None

    def _by_path(self) -> dict[tuple[str, ...], list[Merge]]:
        """The merges of definitions, by their paths."""
        if self._paths is None or self._paths[0] != len(self.merges):
            paths: dict[tuple[str, ...], list[Merge]] = {}
            for merge in self.merges:
                if merge.watch.kind == MERGE:
                    paths.setdefault(path_of(merge), []).append(merge)
            self._paths = len(self.merges), paths
        return self._paths[1]

    def _declarations(self, merge: Merge, path: tuple[str, ...]) -> Iterator[Span]:
        """Where an option was declared: the attributes of its name that hold what `mkOption` was given."""
        places: dict[tuple[str, int], Span] = {}
        waiting = [merge.about]
        seen: set[int] = set()
        while waiting and len(seen) < 400:
            note = note_of(waiting.pop())
            if note is None or id(note) in seen:
                continue
            seen.add(id(note))
            how = note[1]
            if (
                how.kind == "transfer"
                and how.op == ATTRIBUTE
                and how.words == path[-1]
                and not self.in_library(how.span)
            ):
                places[how.span.file.name, how.span.start] = how.span
                continue
            if how.kind == "update":
                waiting.extend(note[2:4])
            elif how.kind == "builtin":
                waiting.extend(inputs(note))
            elif (source := passed_on(note)) is not None:
                waiting.append(source)
        if not places:
            option = computed(merge.about)
            for name in ("type", "default", "description"):
                span = position_of(option, name) if type(option) is Attrs else None
                if span is not None and not self.in_library(span):
                    places[span.file.name, span.start] = span
                    break
        yield from places.values()

    def _parts(self, result: Slot, definitions: tuple[Definition, ...]) -> Iterator[Part]:
        """Whose definition each element of a list and each attribute of a set is."""
        value = computed(result)
        live = [(number, definition) for number, definition in enumerate(definitions) if definition.counts]
        if type(value) is list:
            owners: dict[int, int] = {}
            for number, definition in live:
                content = computed(definition.content)
                for element in content if type(content) is list else ():
                    if (note := note_of(element)) is not None:
                        owners[id(note)] = number
                    owners[id(element)] = number
            for index, element in enumerate(value):
                yield Part(index, plain(element), tuple(_owner(element, owners)), self._written(element))
        elif type(value) is Attrs:
            for name in value.sorted_names():
                numbers = tuple(
                    number for number, definition in live if attribute(computed(definition.content), name) is not None
                )
                if numbers:
                    content = computed(definitions[numbers[0]].content)
                    yield Part(name, plain(value.table[name]), numbers, position_of(content, name))

    def _written(self, slot: Slot) -> Span | None:
        """Where a part was written: the literal or the formula; of a set, which a library made, where it was named."""
        nearest = last = None
        for note in chain(slot):
            if note[1].leaf is not None:
                span: Span | None = note[1].leaf.span
                return span
            last = note[1].span
            if nearest is None and not self.in_library(last):
                nearest = last
        return nearest if type(computed(slot)) is Attrs or self.in_library(last) else last

    # --- who is who ---

    def in_library(self, span: Span | None) -> bool:
        """Whether a place belongs to the library that holds the module system."""
        if self._indexed < len(self.merges):
            self._inside(self._index)
        if span is None:
            return True
        name = span.file.name
        if name not in self._in_library:
            inside = any(_below(name, directory) for directory in self.library)
            self._in_library[name] = name.startswith("«") or inside
        return self._in_library[name]

    def is_own(self, span: Span | None) -> bool:
        """Whether a place belongs to the user: below the directory asked for, and not the library's or an input's."""
        if span is None or self.in_library(span) or not _below(span.file.name, self.main):
            return False
        return not any(_below(span.file.name, vendor) for vendor in self.vendors)

    def rests_on(self, slot: Slot) -> tuple[Input, ...]:
        """The options that a value was computed from; if there is none, the places outside the library."""
        names: dict[tuple[str, ...], Input] = {}
        places: dict[tuple[str, int], Input] = {}
        own = note_of(slot)

        def ends(note: Cell) -> bool:
            merge = self.of_note(note) or self._asked(note)
            if merge is None or note is own:
                return False
            path = path_of(merge)
            whole = self._by_path().get(path[:-1]) if path[-1].startswith("[definition ") else None
            if whole:  # an element of a list: the list is the option
                merge, path = whole[-1], path[:-1]
            if path not in names:
                names[path] = self._option_input(merge, path)
            return True

        for note in walk(slot, ends, decisive):
            leaf = note[1].leaf
            if leaf is not None and leaf.span is not None and not self.in_library(leaf.span):
                places.setdefault((leaf.span.file.name, leaf.span.start), Input("", note[0], leaf.span))
        return tuple(list(names.values() or places.values())[:MAX_RESTS])

    def _asked(self, note: Cell) -> Merge | None:
        """The option that code outside of the library asked for by its name, as in `config.NAME`.

        Between the two the library looks at all options around it, of which the answer is none.
        """
        how = note[1]
        if how.kind not in ("select", "with") or self.in_library(how.span):
            return None
        for passed in islice(chain(note), 1, None):
            merge = self.of_note(passed)
            if merge is not None:
                return merge if path_of(merge)[-1] == how.op else None
            if passed[1].span is not None and not self.in_library(passed[1].span):
                return None
        return None

    def _option_input(self, merge: Merge, path: tuple[str, ...]) -> Input:
        _, merged = self.partner(merge)
        slot = attribute(merge.result[0], "value" if merge.watch.kind == OPTION else "mergedValue")
        value = plain(slot) if computed(slot) is not UNKNOWN else None
        winner = self._winner(merged or merge, path)
        if winner is None or winner.is_default or winner.place is None:
            declared, _ = self.partner(merge)
            places = [] if declared is None else list(self._declarations(declared, path))
            return Input(dotted(path), value, places[0] if places else None, is_default=True)
        return Input(dotted(path), value, winner.place)

    def _winner(self, merge: Merge, path: tuple[str, ...]) -> Definition | None:
        """The definition that counts, or the first of those that do."""
        if id(merge) not in self._winners:
            self._winners[id(merge)] = None  # an option may rest on itself: say nothing of it then
            rows = self._definitions(merge, path)
            self._winners[id(merge)] = next((row for row in rows if row.counts), None)
        return self._winners[id(merge)]


class _Reader:
    """Takes one definition out of its wrappers."""

    def __init__(self, merges: Merges, path: tuple[str, ...], file: str | None) -> None:
        self.merges = merges
        self.path = path
        self.file = file

    def read(self, slot: Slot, above: Definition | None = None) -> Iterator[Definition]:
        """The definitions in a slot; `above` is the one that holds it, if an option above read that."""
        if above is None:
            yield from self._read(slot, None, "", None, "", (), [])
        else:
            yield from self._read(slot, None, "", None, "", above.conditions, [])

    def _read(
        self,
        slot: Slot,
        priority: int | None,
        words: str,
        order: int | None,
        order_words: str,
        conditions: tuple[Condition, ...],
        around: list[Slot],
    ) -> Iterator[Definition]:
        value = computed(slot)
        around = [*around, slot]
        off = any(condition.value is not True for condition in conditions)
        if value is UNKNOWN and (not off or _is_wrapping(slot)):
            value = _value(slot)
        match _wrapper(value):
            case "merge":
                contents = computed(value.table["contents"])
                for content in contents if type(contents) is list else ():
                    yield from self._read(content, priority, words, order, order_words, conditions, around)
            case "if":
                condition = self._condition(value.table["condition"], decided=not off)
                if condition.value is not True or condition.place is not None:  # else one of the library's own
                    conditions = (*conditions, condition)
                yield from self._read(value.table["content"], priority, words, order, order_words, conditions, around)
            case "override":
                if priority is None:
                    priority = _number(value.table["priority"], DEFAULT_PRIORITY)
                    usual = "" if priority == DEFAULT_PRIORITY else f"mkOverride {priority}"
                    words = self._words(slot, _PRIORITY_WORDS.get(priority, usual), "mkOverride", priority)
                yield from self._read(value.table["content"], priority, words, order, order_words, conditions, around)
            case "order":
                number = _number(value.table["priority"], DEFAULT_ORDER)
                said = self._words(slot, _ORDER_WORDS.get(number, f"mkOrder {number}"), "mkOrder", number)
                yield from self._read(value.table["content"], priority, words, number, said, conditions, around)
            case "definition":
                file = computed(attribute(value, "file"))
                self.file = file if isinstance(file, str) else self.file
                yield from self._read(value.table["value"], priority, words, order, order_words, conditions, around)
            case _:
                yield self._definition(slot, priority, words, order, order_words, conditions, around, off)

    def _definition(
        self,
        slot: Slot,
        priority: int | None,
        words: str,
        order: int | None,
        order_words: str,
        conditions: tuple[Condition, ...],
        around: list[Slot],
        off: bool,
    ) -> Definition:
        own = self._own_place(around)
        place, is_default = (own, False) if own is not None else self._place(around)
        if is_default and priority == OPTION_DEFAULT:
            words = "default"
        via, first = self._first(around)
        if first is not None and own is None:
            place = first.place or place
            words = first.words if first.priority == priority else words
            conditions = (*first.conditions, *conditions)
        file = self.file
        if file is not None and (place is None or _same(file, place.file.name) or is_default):
            file = None if place is not None else file
        return Definition(
            INACTIVE if off else CHOSEN,
            DEFAULT_PRIORITY if priority is None else priority,
            words,
            order,
            order_words,
            conditions,
            place,
            file,
            via,
            slot,
            () if off or computed(slot) is UNKNOWN else self.merges.rests_on(slot) if _made(slot) else (),
        )

    def _own_place(self, around: list[Slot]) -> Span | None:
        """Where the user wrote the attribute of the option's name, if he did."""
        for slot in reversed(around):
            for how in _transfers(slot):
                span: Span | None = how.span
                if span is None or self.merges.in_library(span):
                    continue
                if how.op == COMPUTED_ATTRIBUTE or (how.op in (ATTRIBUTE, INHERIT) and how.words == self.path[-1]):
                    return span
        return None

    def _place(self, around: list[Slot]) -> tuple[Span | None, bool]:
        """Where a definition comes from that no attribute of the option's name tells; and whether it is a default."""
        other: Span | None = None
        default: Span | None = None
        for slot in reversed(around):
            for how in _transfers(slot):
                if how.span is None or self.merges.in_library(how.span):
                    continue
                if how.op == ATTRIBUTE and how.words == "default":
                    default = default or how.span
                other = other or how.span
        if default is not None:
            return default, True
        content = around[-1]
        for note in chain(content):
            leaf = note[1].leaf
            if leaf is not None and not self.merges.in_library(leaf.span):
                return leaf.span, False
            if other is None and note[1].span is not None and not self.merges.in_library(note[1].span):
                other = note[1].span
        if other is None:
            span = source_span(content)
            other = None if self.merges.in_library(span) else span
        return other, False

    def _first(self, around: list[Slot]) -> tuple[str | None, Definition | None]:
        """The option whose definition this was first, if that was renamed, and what was written there."""
        for slot in reversed(around):
            first = self.merges.first_definition(slot, self.path)
            if first is not None:
                return first
        return None, None

    def _words(self, slot: Slot, fallback: str, general: str, number: int) -> str:
        """The name of the function that the user called for this wrapper."""
        for note in chain(slot):
            how = note[1]
            if how.kind == "call" and how.span is not None and not self.merges.in_library(how.span):
                name = _called(how.span.text)
                if name.startswith("mk") and name not in ("mkIf", "mkMerge"):
                    return f"{name} {number}" if name == general else name
        return fallback

    def _condition(self, slot: Slot, decided: bool) -> Condition:
        value = _value(slot) if decided else computed(slot)
        place = None
        for how in _transfers(slot):
            if how.op == CONDITION and not self.merges.in_library(how.span):
                place = how.span
        place = place or source_span(slot)
        if place is not None and self.merges.in_library(place):
            place = None
        text = place.text if place is not None else ("true" if value is True else "false" if value is False else "…")
        rests_on = self.merges.rests_on(slot) if value is not UNKNOWN else ()
        return Condition(text, value if type(value) is bool else None, place, rests_on)


def _transfers(slot: Slot) -> Iterator[Any]:
    """The transfers that passed a value on, the last first; also of a value that is not computed."""
    if type(slot) is Thunk and slot.code is not None:
        while type(slot) is Thunk and slot.code is not None:
            if slot.origin is not None and type(slot.origin) is not tuple:
                yield slot.origin
            inner = passed_by(slot)
            if inner is None:
                return
            slot = inner
    for note in chain(slot):
        if note[1].kind == "transfer":
            yield note[1]


def _made(slot: Slot) -> bool:
    """Whether a value was computed, not written down."""
    last = None
    for note in chain(slot):
        last = note
    return last is not None and last[1].leaf is None and last[1].kind not in ("set", "function", "constant")


def _owner(slot: Slot, owners: dict[int, int]) -> Iterable[int]:
    if id(slot) in owners:
        return (owners[id(slot)],)
    for note in chain(slot):
        if id(note) in owners:
            return (owners[id(note)],)
    return ()


def _defined(merge: Merge) -> Iterator[Slot]:
    """The values of the definitions that a merge was given, in their wrappers."""
    definitions = computed(merge.definitions)
    for definition in definitions if type(definitions) is list else ():
        if (slot := attribute(computed(definition), "value")) is not None:
            yield slot


def _written_below(slot: Slot, path: Sequence[str]) -> Slot | None:
    """What a definition says at a path inside of it, as far as it is written there and nothing must be computed."""
    for step in path:
        value = computed(slot)
        if value is UNKNOWN:
            span = source_span(slot)
            if span is None or not span.text.startswith("{"):
                return None
            value = _value(slot)
        inner = attribute(value, step)
        if inner is None:
            return None
        slot = inner
    return slot


def _size(merge: Merge) -> int:
    definitions = computed(merge.definitions)
    return len(definitions) if type(definitions) is list else 0


def path_of(merge: Merge) -> tuple[str, ...]:
    """The path of a merge, as far as it is known."""
    loc = _value(merge.loc)
    return tuple(str(_value(step)) for step in loc) if type(loc) is list else ()


def _wrapper(value: Value) -> str | None:
    kind = computed(attribute(value, "_type")) if type(value) is Attrs else None
    if not isinstance(kind, str) or not all(name in value.table for name in _HOLDS.get(kind, ())):
        return None  # a value that only looks like one
    return kind


def _unwrapped(slot: Slot) -> Iterator[Slot]:
    """A definition as it is written and all that is in its wrappers, as far as the program computed them."""
    yield slot
    value = computed(slot)
    match _wrapper(value):
        case "merge":
            contents = computed(value.table["contents"])
            for content in contents if type(contents) is list else ():
                yield from _unwrapped(content)
        case "if" | "override" | "order":
            yield from _unwrapped(value.table["content"])


def _value(slot: Slot) -> Value:
    """The value of something that is cheap to compute; `UNKNOWN` if that fails."""
    value = computed(slot)
    if value is not UNKNOWN:
        return value
    try:
        return force(slot)
    except (NixError, RecursionError):
        return UNKNOWN


def _is_wrapping(slot: Slot) -> bool:
    """Whether a slot that the program did not compute only puts something into a wrapper: that may be done safely."""
    span = source_span(slot)
    return span is not None and _called(span.text) in _WRAPPING


def _number(slot: Slot, default: int) -> int:
    value = _value(slot)
    return value if type(value) is int else default


def _text(value: Value, name: str) -> str | None:
    slot = attribute(value, name)
    text = None if slot is None else _value(slot)
    return str(text) if isinstance(text, str) else None


def _called(text: str) -> str:
    head = text.lstrip("( ").split(None, 1)
    return head[0].rpartition(".")[2] if head else ""


def _follow(slot: Slot, path: Sequence[str]) -> Value:
    for step in path:
        inner = attribute(_value(slot), step)
        if inner is None:
            return UNKNOWN
        slot = inner
    return _value(slot)


def _changed(row: Definition, **fields: Any) -> Definition:
    return Definition(*(fields.get(name, getattr(row, name)) for name in Definition.__fields__))


def _libraries(merges: Sequence[Merge], main: str) -> tuple[str, ...]:
    """The directories of the files that hold a module system; the file alone if the user's files are beside it."""
    directories: dict[str, None] = {}
    for merge in merges:
        if merge.watch.kind == MERGE:
            file = os.path.abspath(merge.watch.span.file.name)
            directory = os.path.dirname(file)
            directories[file if _below(main, directory) else directory] = None
    return tuple(directories)


def _below(name: str, directory: str) -> bool:
    path = os.path.abspath(name)
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _same(file: str, name: str) -> bool:
    return os.path.abspath(file) == os.path.abspath(name) or file.endswith("/" + name)
