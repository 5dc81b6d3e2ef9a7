"""A compiled node as rows of the store's tables.

What an output depends on is a set, and outputs of one node, and of many nodes, share their sets; so a set is stored
once, by a number that is made from its content, and an output names it. So are inputs, and so are bundles: inputs that
go together. A set is two portions: of bundles that all nodes with the same classes had so far, and of others. The first
one it has in common with sets of many nodes, though something in it is the node's own. Numbers from content need no
counter: parts of a store that were written by different processes fit together. The number of a set is made from the
sum of those of its inputs, whatever bundles they come in (M. Bellare and D. Micciancio, *A new paradigm for
collision-free hashing*, 1997): it is the same in every process, and a set in which some inputs are others is numbered
without a look at the rest.

Every place that an output's history passed through is among its inputs, with the kind `place`: an edit of these words
may change it, though no literal of it stands there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence, Set
from hashlib import blake2b
from itertools import compress
from operator import is_not
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from ..base.json_bytes import json_bytes
from ..base.secrets import Secrets
from ..provenance.origins import Leaf
from ..provenance.sets import InputSets
from .answers import Answers, answer_of
from .numbers import MOST_REMEMBERED, Sent, number_of
from .traces import DIGEST_BYTES

if TYPE_CHECKING:
    from ..base.source import Span
    from ..language import Cast, Outcome

Row = list[Any]
_LARGEST = (1 << 63) - 1
MOST_FEW = 64
"""What is remembered for each combination of other things, of which there are few."""
TABLES = ("resources", "edges", "answered", "attributes")
"""What a form tells of its node, in which secrets are looked for."""
_NAMING = ((5, 5), (2, 2), (2, 3), (3, 4))
"""Of each table, the columns up to the first and from the second: all that is no value."""


Having = list[tuple[int, list[int]]]
"""Places of bundles or sets, with the places of some things or bundles in each."""


class Numbers(NamedTuple):
    """The numbers of a form's things and sets, and the sums that those of bundles and sets are made from."""

    things: list[int]
    bundle_sums: list[int]
    set_sums: list[int]
    sets: list[int]


class Touched:
    """Where some things are others: the bundles that have them, and what that does to sets.

    Most sets have the same bundles of these, so what is added to their numbers is worked out once for each `several`;
    and so are the numbers of `halves`, of which those have one here that stay as they are. `sets` are places of sets,
    with places in `several` and in `made_of`: which halves a set is made of.
    """

    def __init__(self, form: Form, exchanged: frozenset[int], everything: bool = False) -> None:
        """With `everything`, all bundles and sets are told, whether they have such things or not."""
        assert form.numbers is not None
        things, common = form.numbers.things, form.common
        self.bundles = _having(form.bundles, exchanged)
        others = frozenset(place for place, _ in self.bundles)
        is_common = [things[members[0]] in common and place not in others for place, members in enumerate(form.bundles)]
        several: dict[tuple[int, ...], int] = {}
        halves: dict[tuple[int, ...], int] = {}
        made_of: dict[tuple[int, ...], int] = {}
        self.sets: list[tuple[int, int, int]] = []
        if everything:
            self.bundles = list(enumerate(form.bundles))
        for place, members in enumerate(form.sets) if everything else _having(form.sets, others):
            own: list[int] = []
            all_have: list[int] = []
            for bundle in form.sets[place]:
                (all_have if is_common[bundle] else own).append(bundle)
            numbers = tuple([halves.setdefault(tuple(half), len(halves)) for half in (own, all_have) if half])
            changing = several.setdefault(tuple(members), len(several))
            self.sets.append((place, changing, made_of.setdefault(numbers, len(made_of))))
        self.several = list(several)
        self.made_of = list(made_of)
        sums = form.numbers.bundle_sums
        self.halves = [
            (half, sum([sums[bundle] for bundle in half]) & _LARGEST if others.isdisjoint(half) else None)
            for half in halves
        ]


class Form:
    """The rows of a compiled node before numbers are given to its sets: what another node's rows can be made from too.

    `things` are all inputs and places that outputs depend on, `bundles` those that go together, `sets` the bundles that
    outputs depend on, all by position; `attributes` name the sets by position. `refs` says for each attribute which
    resource it belongs to. A form that was made from another one knows it as `base`, and which things are others
    (`exchanged`).
    """

    def __init__(self, outcome: Outcome) -> None:
        document = outcome.document()
        self._secrets = Secrets(outcome.secrets())
        self.resources, places = _resources(document)
        self.edges: list[Row] = [[edge["source"], edge["target"]] for edge in document.get("edges", ())]
        self.answered = [answer_of(answer) for answer in outcome.key_answers()]
        """What the data said about each key."""
        self.answers: list[int] | None = None
        """The numbers of these answers, once they have some.  A number says what it stands for, not who has it."""
        self.attributes: list[Row] = []
        self.refs: list[str] = []
        self.base: Form | None = None
        self.exchanged: frozenset[int] = frozenset()
        self.numbers: Numbers | None = None
        """The numbers of things and of sets, once they have some."""
        self.common: Set[int] = frozenset()
        """The numbers of things that all nodes of its kind had so far."""
        sets = InputSets()
        numbers: dict[int, int] = {}
        current = ""
        for output in outcome.outputs():
            if output.path in places:
                current = output.path
            type_name, title = places.get(current, ("", ""))
            attribute = output.path[len(current) + 1 :] if current and output.path != current else ""
            if not current:
                type_name, title = "", output.path
            depending = sets.of(output.origin)
            number = numbers.setdefault(depending, len(numbers))
            self.attributes.append([type_name, title, attribute, json_text(output.value), number])
            self.refs.append(current)
        self.things = sets.inputs
        self.bundles, self.sets = sets.bundled(list(numbers))
        self.consulted = tuple(sorted(outcome.consulted()))
        """What histories hang on beside the sources: what other code would do, by question, and the answers."""
        self._known = frozenset(places)
        """The resources, by their references."""
        self._places = {thing.key: number for number, thing in enumerate(self.things) if isinstance(thing, Leaf)}
        self._hides_names = False
        """Whether a secret stood in a name: in another node's, something else may stand there."""
        self._hide(self._secrets)
        self._pieces: dict[tuple[str, tuple[int, ...]], list[bytes]] = {}
        """Stretches of rows, by table and by what stands between them, as the digest has them."""
        self._columns: dict[str, list[list[Any]]] = {}
        self._text = b""
        """All rows as text, once somebody looks for secrets in them."""
        self._files: dict[frozenset[int], frozenset[str]] = {}
        self._touched: dict[frozenset[int], Touched] = {}

    @property
    def files(self) -> tuple[str, ...]:
        """The sources that outputs point into."""
        base = self.base or self
        common = base._files.get(self.exchanged)
        if common is None:
            things = (thing for number, thing in enumerate(base.things) if number not in self.exchanged)
            common = base._files[self.exchanged] = frozenset(file for thing in things if (file := _file_of(thing)))
        others = (_file_of(self.things[number]) for number in self.exchanged)
        return tuple(sorted({*common, *(file for file in others if file)}))

    def split(self, own: set[int]) -> None:
        """Take bundles apart that have things which not all nodes have, and others."""
        if not own or len(own) == len(self.things):
            return
        self._touched = {}
        apart: dict[int, int] = {}
        whole, self.bundles = self.bundles, list(self.bundles)
        for place, members in enumerate(whole):
            some = [member for member in members if member in own]
            if some and len(some) < len(members):
                self.bundles[place] = [member for member in members if member not in own]
                apart[place] = len(self.bundles)
                self.bundles.append(some)
        if apart:
            self.sets = [[*members, *(apart[place] for place in members if place in apart)] for members in self.sets]

    def touched(self, exchanged: frozenset[int]) -> Touched:
        """What it does to bundles and sets that these things are others.  Its things have numbers.

        Those of what it was made from will do, as others are a node's own.
        """
        known = self._touched.get(exchanged)
        if known is None:
            if len(self._touched) >= MOST_FEW:
                self._touched.clear()
            known = self._touched[exchanged] = Touched(self, exchanged)
        return known

    def columns(self, name: str) -> list[list[Any]]:
        """The rows of a table by column: where nothing is other, the very same that all have who are made from it.

        So these are put together once, sent once with several nodes, and never gone through row by row.
        """
        base = self.base or self
        before, rows = getattr(base, name), getattr(self, name)
        common = base._columns.get(name)
        if common is None:
            common = base._columns[name] = [list(column) for column in zip(*before)]
        if rows is before:
            return common
        columns = list(common)
        for place in _others(before, rows):
            for number, (ours, theirs) in enumerate(zip(before[place], rows[place])):
                if ours is not theirs:
                    if columns[number] is common[number]:
                        columns[number] = list(common[number])
                    columns[number][place] = theirs
        return columns

    def digest(self) -> str:
        """What tells this catalog from others; nothing of what it depends on."""
        base = self.base or self
        pieces: list[bytes] = []
        for name, width in (("resources", None), ("attributes", -1), ("edges", None)):
            rows = getattr(self, name)
            places = () if self.base is None else tuple(_others(getattr(base, name), rows))
            stretches = base._stretches(name, width, places)
            for place, stretch in zip(places, stretches):
                pieces += (stretch, json_bytes(rows[place][:width]), b"\n")
            pieces.append(stretches[-1])
        return blake2b(b"".join(pieces), digest_size=DIGEST_BYTES).hexdigest()

    def _stretches(self, name: str, width: int | None, without: tuple[int, ...]) -> list[bytes]:
        """The rows of a table as the digest has them, but for some: what stands before, between and after these."""
        known = self._pieces.get((name, without))
        if known is None:
            if len(self._pieces) >= MOST_FEW:
                self._pieces.clear()
            written = [json_bytes(row[:width]) + b"\n" for row in getattr(self, name)]
            bounds = zip((-1, *without), (*without, len(written)))
            known = self._pieces[name, without] = [b"".join(written[first + 1 : last]) for first, last in bounds]
        return known

    def _hide(self, secrets: Secrets) -> None:
        """Leave out what may not be shown."""
        if secrets:
            written = json_bytes([self.resources, self.edges, self.answered, self.attributes])
            if secrets.redacted_bytes(written) != written:
                told = [secrets.redacted_data(getattr(self, name), numbers=False) for name in TABLES]
                self._hides_names = any(
                    row[:width] != hidden[:width] or row[after:] != hidden[after:]
                    for name, (width, after), rows in zip(TABLES, _NAMING, told)
                    for row, hidden in zip(getattr(self, name), rows)
                )
                self.resources, self.edges, answered, attributes = told
                self.answered = [
                    [*row[:2], secrets.redacted_data(value), *row[3:]]
                    for row, (_, _, value, _) in zip(answered, self.answered)
                ]
                self.attributes = [
                    [*row[:3], _hidden_json(secrets, text), *row[4:]]
                    for row, (*_, text, _) in zip(attributes, self.attributes)
                ]

    def _hide_more(self, cast: Cast) -> None:
        """The same for a form that was made from another one, most of whose rows it has, without that one's secrets."""
        base = self.base
        assert base is not None
        if not base._text:
            base._text = b"\n".join(json_bytes(row) for name in TABLES for row in getattr(base, name))
        others: list[Row] = []
        for name in TABLES:
            rows = getattr(self, name)
            others += (rows[place] for place in _others(getattr(base, name), rows))
        text = json_bytes(others)
        more = cast.beyond(base._secrets)
        if any(hiding.redacted_bytes(text) != text for hiding in (base._secrets, more)) or (
            more and more.redacted_bytes(base._text) != base._text
        ):
            self._hide(Secrets(cast.secrets))

    def cast(self, cast: Cast) -> Form | None:
        """The same for another node, with what is other there; nothing if two inputs become one or names are hidden."""
        if self._hides_names:
            return None
        form = Form.__new__(Form)  # a copy; `copy` takes ten times as long
        form.__dict__.update(self.__dict__)
        form.base = self
        titles = {ref: self._secrets.redacted(title) for ref, title in cast.titles.items() if ref in self._known}
        if titles:
            refs = {ref: f"{ref.partition('[')[0]}[{title}]" for ref, title in titles.items()}
            form.resources = [
                row if (title := titles.get(f"{row[0]}[{row[1]}]")) is None else [row[0], title, *row[2:]]
                for row in self.resources
            ]
            form.edges = [
                edge if refs.keys().isdisjoint(edge) else [refs.get(end, end) for end in edge] for edge in self.edges
            ]
        if titles or cast.values:
            form.attributes = list(self.attributes)
            if titles:
                for number, ref in enumerate(self.refs):
                    if ref in titles:
                        type_name, _, *rest = self.attributes[number]
                        form.attributes[number] = [type_name, titles[ref], *rest]
            for number, value in cast.values.items():
                row = list(form.attributes[number])
                row[3] = _hidden_json(self._secrets, json_text(value))
                form.attributes[number] = row
        if cast.answers or cast.paths:
            form.answered = [self._answer(row, cast) for row in self.answered]
        if cast.secrets:
            form._hide_more(cast)
        others = {self._places[key]: leaf for key, leaf in cast.inputs.items() if key in self._places}
        if others:
            keys = {leaf.key for leaf in others.values()}
            staying = {self._places[key] for key in keys if key in self._places}.difference(others)
            if staying or len(keys) < len(others):
                return None
            form.things = list(self.things)
            for place, leaf in others.items():
                form.things[place] = leaf
            form.exchanged = frozenset(others)
        return form

    def _answer(self, row: Row, cast: Cast) -> Row:
        """What the data said about a key, with what is other there: the value, the files that it is from."""
        key, has_value, value, places = row
        if key not in cast.answers and not any(place[2] in cast.paths for place in places):
            return row
        if key in cast.answers:
            value = self._secrets.redacted_data(json.loads(json_text(cast.answers[key])))
        moved = [
            [module, level, cast.paths.get(file, file), cast.lines.get((key, file), line)]
            for module, level, file, line in places
        ]
        return [key, has_value, value, moved]


class Rows:
    """Gives numbers to what forms name, for one process: what it has sent once it does not send again.

    A form may live longer than this, and so may what it is numbered by: whoever was before sent its rows, and they may
    have left the store with the node that named them. So only a form whose own rows were sent from here stands for
    what is made from it; of others, all that is named is looked at.
    """

    def __init__(self) -> None:
        self._inputs: dict[Any, int] = {}
        self._kinds: dict[tuple[str, ...], frozenset[int]] = {}
        """By their classes: what all nodes had in common so far."""
        self._sent_bundles = Sent()
        self._sent_portions = Sent()
        self._sent_sets = Sent()
        self._answers = Answers()
        self._forms: WeakSet[Form] = WeakSet()
        """Forms whose own rows were sent."""
        self._told: WeakSet[Touched] = WeakSet()
        """Those whose halves that stay as they are were sent."""

    def of(self, form: Form) -> dict[str, Any]:
        """The rows of one node, by table; those that are its own by column."""
        inputs: list[Row] = []
        base = form.base
        if base is None or base.numbers is None:
            things = [self._input(thing, inputs) for thing in form.things]
            form.common = self._common(form, things)
            form.split({place for place, number in enumerate(things) if number not in form.common})
            bundle_sums = [sum([things[member] for member in members]) for members in form.bundles]
            set_sums = [sum([bundle_sums[member] for member in members]) for members in form.sets]
            sets = list(map(_number_of_sum, set_sums))
            form.numbers = Numbers(things, bundle_sums, set_sums, sets)
            touched = Touched(form, frozenset(), everything=True)
        else:
            before = base.numbers
            things, bundle_sums, _, sets = map(list, before)
            for number in form.exchanged:
                things[number] = self._input(form.things[number], inputs)
            touched = base.touched(form.exchanged)
            more: dict[int, int] = {}
            for place, members in touched.bundles:
                more[place] = sum([things[member] - before.things[member] for member in members])
                bundle_sums[place] += more[place]
            added = [sum([more[place] for place in members]) for members in touched.several]
            set_sums = before.set_sums
            for place, number, _ in touched.sets:
                sets[place] = (set_sums[place] + added[number]) & _LARGEST
            if base not in self._forms:
                for thing in form.things:
                    self._input(thing, inputs)
                touched = Touched(base, form.exchanged, everything=True)
        fresh_bundles, portions, fresh_sets = self._fresh(form, touched, things, bundle_sums, sets)
        lookups, answers = self._lookups(form)
        if base is None:
            self._forms.add(form)
        attributes = list(form.columns("attributes"))
        if attributes:
            attributes[4] = [sets[place] for place in attributes[4]]
        return {
            "resources": form.columns("resources"),
            "attributes": attributes,
            "edges": form.columns("edges"),
            "lookups": lookups,
            "answers": answers,
            "catalog": form.digest(),
            "inputs": inputs,
            "bundles": fresh_bundles,
            "portions": portions,
            "sets": fresh_sets,
        }

    def _fresh(
        self, form: Form, touched: Touched, things: list[int], bundle_sums: list[int], sets: list[int]
    ) -> tuple[list[Row], list[Row], list[Row]]:
        """The rows of bundles, portions and sets that were not sent before, of those that are looked at."""
        bundles: list[Row] = []
        new: set[int] = set()
        for place, _ in touched.bundles:
            number = bundle_sums[place] & _LARGEST
            if self._sent_bundles.first_time(number):
                bundles.append([number, sorted({things[member] for member in form.bundles[place]})])
                new.add(place)
        numbers: list[int] = []
        portions: list[Row] = []
        is_told = touched in self._told
        self._told.add(touched)
        for half, staying in touched.halves:
            numbers.append(sum([bundle_sums[member] for member in half]) & _LARGEST if staying is None else staying)
            if is_told and staying is not None:
                continue
            if self._sent_portions.first_time(numbers[-1]):
                portions.append([numbers[-1], [bundle_sums[member] & _LARGEST for member in half]])
        made_of = [[numbers[half] for half in halves] for halves in touched.made_of]
        is_new = [not new.isdisjoint(members) for members in touched.several]  # as is whoever has a new bundle
        is_first = self._sent_sets.first_time
        fresh = [
            [sets[place], made_of[halves]]
            for place, several, halves in touched.sets
            if is_new[several] or is_first(sets[place])
        ]
        return bundles, portions, fresh

    def _common(self, form: Form, things: list[int]) -> Set[int]:
        """The numbers of what all nodes with the same classes had so far, this one among them."""
        kind = tuple([row[1] for row in form.resources if row[0] == "Class"])
        before = self._kinds.get(kind)
        if len(self._kinds) >= MOST_FEW:
            self._kinds.clear()
        common = self._kinds[kind] = frozenset(things) if before is None else before.intersection(things)
        return common

    def _lookups(self, form: Form) -> tuple[list[list[Any]], list[Row]]:
        """The keys that a node asked for with the numbers of the answers, by column; and the rows of new answers."""
        base = form.base
        answers: list[Row] = []
        if not form.answered:
            return [], answers
        if base is None or base.answers is None or len(base.answered) != len(form.answered):
            form.answers = [self._answers.number(row, answers) for row in form.answered]
            return [[row[0] for row in form.answered], form.answers], answers
        numbers = list(base.answers)
        others = set(_others(base.answered, form.answered))
        for place in range(len(numbers)) if base not in self._forms else others:
            if place in others:
                numbers[place] = self._answers.number(form.answered[place], answers)
            else:
                answers += self._answers.fresh(numbers[place], form.answered[place])
        return [form.columns("answered")[0], numbers], answers

    def _input(self, thing: Leaf | Span, inputs: list[Row]) -> int:
        """The number of an input, or of a place; the row of a new one is added."""
        key = thing.key if isinstance(thing, Leaf) else (thing.file.identity, thing.start, thing.end)
        known = self._inputs.get(key)
        if known is None:
            row = _leaf_row(thing) if isinstance(thing, Leaf) else _place_row(thing)
            known = number_of(repr(row).encode("utf-8", "surrogateescape"))
            if len(self._inputs) >= MOST_REMEMBERED:
                self._inputs.clear()
            self._inputs[key] = known
            inputs.append([known, *row])
        return known


def _number_of_sum(total: int) -> int:
    """The number of a set, a portion or a bundle: from the sum of the numbers of its inputs, as far as 63 bits go."""
    return total & _LARGEST


def _having(several: Sequence[Sequence[int]], wanted: frozenset[int]) -> Having:
    """Which of several have some that are wanted, and which of these."""
    return [
        (place, [member for member in members if member in wanted])
        for place, members in enumerate(several)
        if not wanted.isdisjoint(members)
    ]


def _others(ours: Sequence[Row], theirs: Sequence[Row]) -> Iterable[int]:
    """Where the rows of a form are not those of the one that it was made from; these are as many."""
    assert len(ours) == len(theirs)
    return compress(range(len(ours)), map(is_not, ours, theirs))


def _leaf_row(leaf: Leaf) -> Row:
    line, last, column = _lines(leaf.span)
    if leaf.kind == "hiera" and leaf.span is not None:
        line = _key_line(leaf.span, leaf.name)
    return [leaf.kind, leaf.name, leaf.file, line, last, column, leaf.absent]


def _place_row(span: Span) -> Row:
    line, last, column = _lines(span)
    return ["place", "", span.file.identity, line, last, column, False]


def _key_line(span: Span, name: str) -> int:
    """The line of the key that a datum stands under, at or above its own: an edit there may change it too."""
    key = name.partition(".")[0]
    for line in range(span.line, 0, -1):
        if span.file.line_text(line).lstrip("'\" ").startswith(key):
            return line
    return span.line


def json_text(value: Any) -> str:
    """A value as the store holds it."""
    return json_bytes(value).decode("utf-8", "replace")


def _hidden_json(secrets: Secrets, text: str) -> str:
    """A value as the store holds it, without secrets; it is JSON still, whatever the secrets look like."""
    return text if secrets.redacted(text) == text else json_text(secrets.redacted_data(json.loads(text)))


def _file_of(thing: Leaf | Span) -> str | None:
    """The source that an input or a place stands in."""
    span = thing.span if isinstance(thing, Leaf) else thing
    return None if span is None else span.file.name


def _lines(span: Span | None) -> tuple[int, int, int]:
    if span is None:
        return 0, 0, 0
    line, column = span.file.line_and_column(span.start)
    return line, span.file.line_of(max(span.start, span.end - 1)), column


def _resources(document: Any) -> tuple[list[Row], dict[str, tuple[str, str]]]:
    resources: list[Row] = []
    places: dict[str, tuple[str, str]] = {}
    written: Iterable[dict[str, Any]] = document.get("resources", ()) if isinstance(document, dict) else ()
    for resource in written:
        type_name, title = str(resource["type"]), str(resource["title"])
        places[f"{type_name}[{title}]"] = type_name, title
        resources.append(
            [type_name, title, resource.get("file") or "", resource.get("line") or 0, bool(resource.get("exported"))]
        )
    return resources, places
