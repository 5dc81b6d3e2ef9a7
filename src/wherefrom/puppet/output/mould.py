"""A catalog that was compiled for one node, as a mould for others.

Nodes of a fleet differ little: a name, an address, a site. If a catalog was compiled for one node, its provenance says
what of another node's inputs could make that one's catalog differ, and how:

* An input that had a say in *which way* the run went (a guard, an absence, which class, which file of data says what)
  must be the same: it is `fixed`. What was computed and had a say must come out alike (`mould_ways`).
* An input that only went *into values* (`"This is ${facts['networking']['fqdn']}"`) is a *hole*: the values are
  computed anew from their formulas (the papers' expression provenance), with what the other node has there.
* The name of a level's file may be another, if that file says the same about every key that was asked of it; texts in
  it may be others where they are holes (`mould_data`).
* A template in Ruby that only reads variables is rendered again.

What the run did beside its catalog (`runtime.ledger`) is looked at in the same way: tests that led to nothing, values
that nobody used, types that were checked. A hole is a text and stays one, and is not empty. What can not be computed
again makes its inputs fixed. If anything is in doubt, the answer is that the node does not fit, and it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...base.diagnostics import WherefromError
from ...base.secrets import Secret, Secrets, learn, learning, texts_in
from ...language import CastExport, Inputs
from ...provenance import extract
from ...provenance.extract import Plan, Term, evaluate_term, leaves
from ...provenance.origins import Absent, Choice, Foreign, Guard, Guarded, Leaf, Origin, Overridden, Step
from ...provenance.sets import below
from ...ruby.operations import RUBY
from ..kernel.sought import Rerun, Way
from ..kernel.values import Sensitive
from ..runtime.given import node_inputs
from ..runtime.inputs import NodeInputs, checked_variables, input_variables, trusted_data
from .mould_data import Exchange, is_plain
from .mould_exports import ExportedMould, NotMade
from .mould_names import Names
from .mould_ways import GIVEN, PLAIN, TRUTH, Ways, is_own, is_same, judged, walk
from .wire import wire_value

if TYPE_CHECKING:
    from ...base.workshop import Workshop
    from ...language import Selected
    from ...provenance.exported import Exported
    from ...provenance.operations import Op
    from ..runtime.compilation import Compilation

_FAILURES = (WherefromError, ArithmeticError, LookupError, TypeError, ValueError, AssertionError)
"""What computing something again may raise: then it is compiled."""
_MISSING = object()
MOST_COMPARED = 5_000
MOST_VERDICTS = 512
_TEMPLATE = "\0template "


class Catalogued(Protocol):
    """An outcome, as far as this module looks at it."""

    run: Compilation
    workshop: Workshop

    def outputs(self) -> Iterator[Selected]: ...

    def exports(self) -> list[Exported]: ...

    def apply(self, op: Op, arguments: list[object]) -> object: ...


class NoMould(Exception):
    """The catalog can not be used for another node."""


class Cast:
    """A catalog for another node: what is other than in the mould.

    `values` are by the number of the output; `titles` by the reference of the resource; `inputs` are leaves in place of
    others, by their keys; `paths` the files of data in place of others; `answers` what the data says about keys, and
    `lines` where, by key and by our file;
    `secrets` texts that are not shown; `exports` what the node exports.
    """

    __slots__ = ("_beyond", "_place", "answers", "exports", "inputs", "lines", "paths", "secrets", "titles", "values")

    def __init__(self, place: Callable[[Leaf], Any]) -> None:
        self._place = place
        self.values: dict[int, Any] = {}
        self.titles: dict[str, str] = {}
        self.inputs: dict[Any, Leaf] = {}
        self.paths: dict[str, str] = {}
        self.answers: dict[str, Any] = {}
        self.lines: dict[tuple[str, str], int] = {}
        self.secrets: set[str] = set()
        self.exports: list[CastExport] = []
        self._beyond: tuple[Secrets, Secrets] | None = None

    def beyond(self, others: Secrets) -> Secrets:
        """The secrets that are not among those of the mould, for which more than one asks."""
        if self._beyond is None or not self._beyond[0].is_same(others):
            self._beyond = others, Secrets(self.secrets).beyond(others)
        return self._beyond[1]

    def given(self, leaf: Leaf) -> Leaf:
        """The input in place of one of the mould's.  Raises `LookupError` if there is none."""
        other = self.inputs.get(leaf.key)
        if other is not None:
            return other
        if not is_own(leaf):
            return leaf
        value = self._place(leaf)
        if (value is _MISSING) is not leaf.absent:
            raise LookupError(leaf.name)
        if leaf.absent or (type(value) is str and type(leaf.value) is str and value == leaf.value):
            return leaf
        return Leaf(leaf.kind, leaf.name, None, value, leaf.detail, leaf.file)


class Given:
    """What a node is given, and the same by kind of input."""

    __slots__ = ("inputs", "tables")

    def __init__(self, inputs: NodeInputs) -> None:
        self.inputs = inputs
        self.tables: dict[str, Any] = {
            "fact": inputs.facts or {},
            "trusted": trusted_data(inputs),
            "node": {"name": inputs.node},
        }


class CatalogMould:
    """See the module's text.  Raises `NoMould` where the outcome can be none."""

    def __init__(self, outcome: Catalogued) -> None:
        run = outcome.run
        if run.ledger is None:
            raise NoMould
        self._outcome = outcome
        self._given = Given(run.inputs)
        self._tables = self._given.tables
        self._definition = run.environment.match_node(run.node)[0]
        if self._definition is not None and self._definition.pattern is not None:
            raise NoMould
        ways = Ways()
        walk(run, ways)
        self._places = ways.places
        self._in_order = [place for place, _ in ways.places.values()]
        self._varying = {place.path for place, _ in ways.places.values() if place.reads}
        self._told: dict[str, dict[str, list[Leaf]]] = {}
        """By file of data, and by key: the inputs whose lines are told."""
        if run.data is not None:
            self._varying -= run.data.unplaced
            for key, inputs in run.data.inputs_told():
                for leaf in inputs:
                    self._told.setdefault(leaf.file, {}).setdefault(key, []).append(leaf)
        self._foreign = _foreign_inputs(run)
        """What collected resources owe to on the nodes that exported them: it stays, whoever collects them."""
        self._named = list(_variables(run.inputs, run.settings))
        self._compared: dict[tuple[str, str], Exchange | None] = {}
        """By our file of data and another one: what is in place of ours; nothing where they do not say the same."""
        self._flat = {kind: _flat(self._tables[kind]) for kind in GIVEN}
        reruns = [_Again(number, rerun) for number, rerun in enumerate(run.ledger.reruns)]
        texts = {id(again.rerun): again.leaf for again in reruns}
        possible = {**self._holes(ways), **self._data_holes(ways)}
        self._reruns = [again for again in reruns if again.reads_any(possible)]
        """What is run again: of the others, what they read decides, and is the same."""
        ways.decides(again.rerun.source for again in reruns if again not in self._reruns)
        written = {again.leaf.key: again.leaf for again in self._reruns}

        expression = extract.Expressions(texts).of
        values = [(number, output.value, expression(output.origin)) for number, output in enumerate(outcome.outputs())]
        others = [(value, expression(origin)) for value, origin in run.ledger.values]
        answers = [(key, value, expression(origin)) for key, value, origin in _answers(outcome)]
        others += ((value, term) for _, value, term in answers)
        titles = [
            (resource, expression(resource.title_origin)) for resource in run.catalog.resources if not resource.is_class
        ]
        exports = outcome.exports()
        sent = [
            (attribute.value, expression(attribute.origin))
            for resource in run.catalog.resources
            if resource.exported
            for attribute in resource.attributes.values()
        ]
        checks = [
            (struct, {name: (value, expression(origin)) for name, (value, origin) in given.items()})
            for struct, given in run.ledger.checks
        ]
        conditions = [(condition.weight, expression(condition.origin)) for condition in ways.conditions.values()]
        truths = [(value, expression(origin)) for value, origin in run.ledger.truths]
        self.holes = self._holes(ways)
        while True:  # until nothing that has holes is in the way
            self._texts = self._data_holes(ways)
            holes = {**self.holes, **self._texts, **written}
            solid = self._solid(holes, values, [*others, *sent], titles, checks)
            solid |= self._undecided(holes, conditions, truths)
            names = Names(run, expression, lambda term, holes=holes: _has(term, holes))  # type: ignore[misc]
            solid.update(leaf.key for term in names.solid for leaf in leaves(term) if leaf.key in holes)
            if not solid:
                break
            if not solid.isdisjoint(written):
                raise NoMould
            ways.control.update(solid)
            self.holes = self._holes(ways)
        fold = _Folding(holes, outcome.apply).folded
        self._conditions = _Conditions(conditions, holes, fold, outcome.apply)
        self._values = [
            (number, fold(term)) for number, value, term in values if _has(term, holes) and not _secret(value)
        ]
        self._answers = [(key, fold(term)) for key, value, term in answers if _has(term, holes) and not _secret(value)]
        self._secrets = [fold(term) for _, value, term in values if _has(term, holes) and _secret(value)]
        self._variables = self._seen(holes, expression) if self._reruns else []
        self._others = [fold(term) for _, term in others if _has(term, holes) and not _is_safe(term)]
        names.fold(fold)
        self._names = names
        self._checks = [
            (struct, {name: value for name, (value, _) in given.items()}, [
                (name, fold(term)) for name, (_, term) in given.items() if _has(term, holes)
            ])
            for struct, given in checks
            if any(_has(term, holes) for _, term in given.values())
        ]  # fmt: skip
        self._exports = _exported(run, exports, expression, lambda term: _has(term, holes), fold)
        self._late_variables = [variable for variable in self._variables if _has(variable[-1], written)]
        """Variables that something goes into which is run again: they change while that is done."""
        self._plan_of_variables = Plan(term for *_, term in self._variables)
        self._plan_of_late_ones = Plan(term for *_, term in self._late_variables)
        self._plan = Plan(
            (
                *(term for _, term in (*self._values, *self._answers)),
                *self._secrets,
                *self._others,
                *self._names.terms(),
                *(term for *_, terms in self._checks for _, term in terms),
                *(term for export in self._exports or () for term in export.terms()),
            )
        )
        varying = [leaf.value for leaf in (*self.holes.values(), *self._texts.values())]
        varying += (resource.title for resource, term in titles if _has(term, holes))
        self.marks = frozenset(str(text).lower() for text in varying)
        fixed = {key: leaf for key, leaf in ways.leaves.items() if is_own(leaf) and key not in holes}
        self.fixed = tuple(sorted({(leaf.kind, self._path(leaf)) for leaf in fixed.values()}, key=repr))
        self.key = self.key_of(self._given)
        run.ledger = None  # all that it said is known

    # --- making ------------------------------------------------------------------------------------------------------

    def _holes(self, ways: Ways) -> dict[Any, Leaf]:
        return {
            key: leaf
            for key, leaf in ways.leaves.items()
            if is_own(leaf)
            and key not in ways.control
            and not leaf.absent
            and type(leaf.value) is str
            and leaf.value
            and _at(self._tables[leaf.kind], self._path(leaf)) == leaf.value
        }

    def _data_holes(self, ways: Ways) -> dict[Any, Leaf]:
        """Texts in files of data that another node may have another file in the place of."""
        return {
            key: leaf
            for key, leaf in ways.leaves.items()
            if leaf.kind == "hiera"
            and key not in ways.control
            and leaf.file in self._varying
            and not leaf.absent
            and not isinstance(leaf, Foreign)
            and is_plain(leaf.value)
        }

    def _undecided(
        self, holes: Mapping[Any, Leaf], conditions: Sequence[tuple[int, Term]], truths: Sequence[tuple[Any, Term]]
    ) -> set[Any]:
        """Holes in what decided and can not be computed again, or comes out otherwise than it did."""
        solid: set[Any] = set()
        known: Sequence[tuple[int, Any, Term]] = [
            *((weight, _MISSING, term) for weight, term in conditions),
            *((TRUTH, value, term) for value, term in truths),
        ]
        for weight, value, term in known:
            touched = [leaf.key for leaf in leaves(term) if leaf.key in holes]
            if not touched:
                continue
            try:
                again = judged(evaluate_term(term, self._outcome.apply), weight)
                stands = value is _MISSING or again == judged(value, weight)
                stands = stands and (weight != PLAIN or again)
            except _FAILURES:
                stands = False
            if not stands:
                solid.update(touched)
        return solid

    def _solid(
        self,
        holes: Mapping[Any, Leaf],
        values: Sequence[tuple[int, Any, Term]],
        others: Sequence[tuple[Any, Term]],
        titles: Sequence[tuple[Any, Term]],
        checks: Sequence[tuple[Any, Mapping[str, tuple[Any, Term]]]],
    ) -> set[Any]:
        """Holes that a formula does not stand: computed again for the node itself, it fails or gives another value."""
        solid: set[Any] = set()
        every = [(value, term, True) for _, value, term in values]
        every += ((value, term, False) for value, term in others)
        every += ((value, term, False) for _, given in checks for value, term in given.values())
        every += ((resource.title, term, False) for resource, term in titles)
        for value, term, written in every:
            touched = [leaf.key for leaf in leaves(term) if leaf.key in holes]
            if not touched:
                continue
            try:
                again = evaluate_term(term, self._outcome.apply)
                if isinstance(value, Secret):
                    again = Secret(again.value if isinstance(again, Sensitive) else again)
                elif written:
                    again = wire_value(again)
                same = again == value
            except _FAILURES:
                same = False
            if not same:
                solid.update(touched)
        return solid

    def _path(self, leaf: Leaf) -> tuple[Any, ...]:
        """The way to an input in the table of its kind."""
        flat = self._flat[leaf.kind]
        if leaf.name not in flat:
            return tuple(leaf.name.split("."))
        path = flat[leaf.name]
        if path is None:
            raise NoMould  # two inputs of one name
        return path

    # --- using -------------------------------------------------------------------------------------------------------

    def given(self, inputs: Inputs) -> Given:
        """What another node is given."""
        return Given(node_inputs(inputs))

    def key_of(self, given: Given) -> str:
        """What a node must have in common with this one, as a text."""
        return repr([_state(given.tables[kind], path) for kind, path in self.fixed])

    def fit(self, other: Given) -> Cast | None:
        """The catalog of another node; nothing if it has to be compiled.  Its `key_of` is ours."""
        inputs, tables = other.inputs, other.tables
        given = self._given.inputs
        environment = self._outcome.run.environment
        if (
            inputs.classes != given.classes
            or inputs.parameters != given.parameters
            or inputs.server_facts != given.server_facts
            or inputs.settings != given.settings
            or environment.match_node(inputs.node)[0] is not self._definition
        ):
            return None
        filled: dict[Any, Any] = {}
        for key, leaf in self.holes.items():
            value = _at(tables[leaf.kind], self._path(leaf))
            if type(value) is not str or not value or "%{" in value:
                return None
            filled[key] = value
        cast = Cast(lambda leaf: _at(tables[leaf.kind], self._path(leaf)))
        try:
            with learning() as learned, self._outcome.workshop.budget.fresh().in_force():
                fits = self._fill(cast, other, filled)
            cast.secrets = texts_in(learned)
        except _FAILURES:
            return None
        return cast if fits else None

    def _fill(self, cast: Cast, other: Given, filled: dict[Any, Any]) -> bool:
        """Compute everything that has holes; whether all of it is as it may be."""

        def given(leaf: Leaf) -> Any:
            return filled.get(leaf.key, leaf.value)

        run, apply = self._outcome.run, self._outcome.apply
        if not self._conditions.hold(_OF_NODE, given):
            return False
        exchange = self._place(cast, other.tables)
        if exchange is None or not self._foreign.isdisjoint(exchange.inputs):
            return False
        if not exchange.texts.keys() <= self._texts.keys():
            return False
        cast.inputs.update(exchange.inputs)
        cast.lines = exchange.lines
        filled.update(exchange.texts)
        if not self._conditions.hold(_OF_DATA, given):
            return False
        if (other.inputs.facts or {}).keys() != (self._given.inputs.facts or {}).keys():
            _variables(other.inputs, run.settings)  # some names are refused
        if self._reruns:
            self._become(other)
            self._give(self._variables, self._plan_of_variables, given)
            for again in self._reruns:
                self._give(self._late_variables, self._plan_of_late_ones, given)
                text = again.rendered()
                if text is None:
                    return False
                filled[again.leaf.key] = text
            if not self._conditions.hold(_OF_TEMPLATES, given):
                return False
        values = self._plan.evaluated(apply, given)

        def computed(term: Term) -> Any:
            return values[id(term)]

        for number, term in self._values:
            cast.values[number] = wire_value(computed(term))
        for key, term in self._answers:
            cast.answers[key] = wire_value(computed(term))
        for term in (*self._secrets, *self._others):
            secret = computed(term)
            if isinstance(secret, Sensitive):
                learn(secret.value)
        for struct, fixed, terms in self._checks:
            if not struct.accepts({**fixed, **{name: computed(term) for name, term in terms}}):
                return False
        return self._names.fit(cast.titles, computed) and self._export(cast, computed)

    @property
    def makes_exports(self) -> bool:
        """Whether what the node exports can be made for others."""
        return self._exports is not None

    def _export(self, cast: Cast, computed: Callable[[Term], Any]) -> bool:
        """Compute what the node exports; whether that can be done."""
        for mould in self._exports or ():
            export = mould.cast(computed)
            if export is None:
                return False
            cast.exports.append(export)
        return True

    def _give(
        self, variables: Sequence[tuple[Any, str, Origin, Term]], plan: Plan, given: Callable[[Leaf], Any]
    ) -> None:
        """Let variables have the values that they have on another node."""
        seen = plan.evaluated(self._outcome.apply, given)
        for frame, name, origin, term in variables:
            frame.vars[name] = (seen[id(term)], origin)

    def _become(self, other: Given) -> None:
        """Give the scopes of our run what another node is given, for what is run again."""
        run = self._outcome.run
        for name in self._named:
            run.top.vars.pop(name, None)
        given = _variables(other.inputs, run.settings)
        self._named = list(given)
        run.top.vars.update(given)
        run.inputs, run.node = other.inputs, other.inputs.node

    def _seen(
        self, holes: Mapping[Any, Leaf], expression: Callable[[Origin], Term]
    ) -> list[tuple[Any, str, Origin, Term]]:
        """The variables with holes that what is run again can see, beside those that the node is given."""
        run = self._outcome.run
        given = _variables(run.inputs, run.settings)
        frames: dict[int, Any] = {}
        for again in self._reruns:
            frame = again.rerun.frame
            while frame is not None:
                frames[id(frame)] = frame
                frame = frame.up
        frames.update((id(scope), scope) for scope in run.class_scopes.values())
        variables: list[tuple[Any, str, Origin, Term]] = []
        for frame in frames.values():
            for name, (_, origin) in frame.vars.items():
                if frame is run.top and name in given:
                    continue
                term = expression(origin)
                if _has(term, holes):
                    variables.append((frame, name, origin, term))
        return variables

    def _place(self, cast: Cast, tables: Mapping[str, Any]) -> Exchange | None:
        """What files of data say that the node reads in place of ours; nothing if that is something else."""
        assert self._outcome.run.data is not None or not self._places
        data: Any = self._outcome.run.data and self._outcome.run.data.data

        def value_of(way: Way) -> str | None:
            root, *segments = way
            kind = "fact" if root == "facts" else str(root)
            table = tables[kind]
            value = _at(table, segments)
            if (value is _MISSING) is not (_at(self._tables[kind], segments) is _MISSING):
                raise NoMould  # that there is none would be another input
            if value is _MISSING and _state(table, segments)[2] not in ("hash", None):
                raise NoMould  # a part of what has no parts
            if value is _MISSING or value is None:
                return None
            if type(value) is not str or "%{" in value:
                raise NoMould
            return value

        every = Exchange()
        try:
            for number, place in enumerate(self._in_order):
                path = place.path_for(value_of)
                fits = cast.paths.setdefault(place.path, path) == path
                if fits and path != place.path:
                    fits = data.exists(path) is place.exists
                    if fits and not place.exists:
                        absent = Leaf("file", place.path, None, None, absent=True)
                        every.inputs[absent.key] = Leaf("file", path, None, None, absent=True)
                    elif fits:
                        exchanged = self._exchanged(data, place.path, path)
                        fits = exchanged is not None and every.add(exchanged)
                if not fits:
                    self._in_order.insert(0, self._in_order.pop(number))  # the next time it is looked at first
                    return None
        except (NoMould, KeyError, WherefromError):
            return None
        cast.paths = {ours: theirs for ours, theirs in cast.paths.items() if ours != theirs}
        return every

    def _exchanged(self, data: Any, ours: str, theirs: str) -> Exchange | None:
        """What a file of data says in the place of one of ours; nothing if that is something else."""
        if (ours, theirs) not in self._compared:
            if len(self._compared) >= MOST_COMPARED:
                self._compared.clear()
            exchange = Exchange()
            same = ours in self._varying and all(
                exchange.compare(data, ours, theirs, reader, key) for reader, key in sorted(self._asked(ours))
            )
            exchange.tell(ours, self._told.get(ours, {}))
            self._compared[ours, theirs] = exchange if same else None
        return self._compared[ours, theirs]

    def _asked(self, path: str) -> set[tuple[str, str]]:
        """Everything that was asked of a file of data, by whatever level."""
        return {question for place, asked in self._places.values() if place.path == path for question in asked}


_OF_NODE, _OF_DATA, _OF_TEMPLATES = range(3)
"""When a condition can be told: from what a node is given, from what its data says, from what is rendered again."""


def _stage(leaf: Leaf) -> int:
    return _OF_TEMPLATES if leaf.name.startswith(_TEMPLATE) else _OF_NODE if is_own(leaf) else _OF_DATA


class _Conditions:
    """What decided, as far as it has holes: whether it comes out as it did, with other things in the holes."""

    def __init__(
        self,
        conditions: Iterable[tuple[int, Term]],
        holes: Mapping[Any, Leaf],
        fold: Callable[[Term], Term],
        apply: Callable[[Op, list[object]], object],
    ) -> None:
        self._apply = apply
        by_stage: list[list[tuple[int, Term, Any]]] = [[], [], []]
        self._inputs: list[dict[Any, Leaf]] = [{}, {}, {}]
        """By stage: what stands in the holes of its conditions decides about them."""
        self._verdicts: dict[tuple[Any, ...], bool] = {}
        for weight, term in conditions:
            inputs = [leaf for leaf in leaves(term) if leaf.key in holes]
            if inputs:
                value = judged(evaluate_term(term, apply), weight)
                stage = max(map(_stage, inputs))
                by_stage[stage].append((weight, fold(term), value))
                self._inputs[stage].update((leaf.key, leaf) for leaf in inputs)
        self._plans = [(Plan(term for _, term, _ in several), several) for several in by_stage]

    def hold(self, stage: int, given: Callable[[Leaf], Any]) -> bool:
        """Whether all of them do that can be told when so much is known."""
        plan, conditions = self._plans[stage]
        if not conditions:
            return True
        inputs = (stage, *map(given, self._inputs[stage].values()))
        verdict = self._verdicts.get(inputs)
        if verdict is None:
            values = plan.evaluated(self._apply, given)
            verdict = all(is_same(judged(values[id(term)], weight), value) for weight, term, value in conditions)
            if len(self._verdicts) >= MOST_VERDICTS:
                self._verdicts.clear()
            self._verdicts[inputs] = verdict
        return verdict


class _Again:
    """Something that is run again for each node, and the input that its text is taken for in formulas."""

    def __init__(self, number: int, rerun: Rerun) -> None:
        self.rerun = rerun
        self.leaf = Leaf("file", f"{_TEMPLATE}{number}", None, rerun.value)

    def reads_any(self, holes: Mapping[Any, Leaf]) -> bool:
        """Whether something with holes goes into what it reads."""
        waiting: list[Any] = [self.rerun.source]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            match node:
                case Leaf():
                    if node.key in holes:
                        return True
                case Choice():  # what the template itself tested; other tests are looked at where they were made
                    waiting.extend(test for test in node.tests if isinstance(test, Step) and test.op is RUBY)
                    waiting.append(node.chosen)
                case Guarded():
                    waiting.append(node.inner)
                case Overridden():
                    waiting.append(node.chosen)
                case Absent():
                    pass
                case _:
                    waiting.extend(below(node))
        return False

    def rendered(self) -> str | None:
        """Its text, if that came about as ours did, from the same inputs."""
        text, origin = self.rerun.again()
        return text if _is_alike(self.rerun.source, origin) else None


def _is_alike(ours: Any, theirs: Any) -> bool:
    """Whether two origins tell the same story of the same inputs, whatever the values of these."""
    waiting = [(ours, theirs)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        one, other = waiting.pop()
        if one is other:
            continue
        pair = id(one), id(other)
        if pair in seen:
            continue
        seen.add(pair)
        if type(one) is not type(other):
            return False
        if isinstance(one, Leaf):
            if one.kind != other.kind or one.name != other.name or one.absent is not other.absent:
                return False
            if one.span is not other.span and one.key != other.key:
                return False
            if one.file != other.file:
                return False
            continue
        if getattr(one, "span", None) != getattr(other, "span", None):
            return False
        parts = below(one), below(other)
        if len(parts[0]) != len(parts[1]):
            return False
        waiting.extend(zip(*parts))
    return True


def _foreign_inputs(run: Compilation) -> frozenset[Any]:
    """The inputs in the histories of what was collected from other nodes."""
    origins: list[Origin | Guard] = []
    for exported in run.foreign.values():
        origins += (exported.existence, *exported.origins.values())
    return frozenset(node.key for node in extract.reachable(origins) if isinstance(node, Leaf))


def _exported(
    run: Compilation,
    exports: Sequence[Exported],
    expression: Callable[[Origin], Term],
    has_holes: Callable[[Term], bool],
    fold: Callable[[Term], Term],
) -> list[ExportedMould] | None:
    """What the node exports as moulds; nothing where some of it can not be made for others."""
    try:
        return [ExportedMould(run, exported, expression, has_holes, fold) for exported in exports]
    except NotMade:
        return None


def _answers(outcome: Catalogued) -> Iterator[tuple[str, Any, Origin]]:
    """What the data said about keys, and what parameters are that it said nothing about."""
    run = outcome.run
    if run.data is None:
        return
    for key in run.data.asked:
        known = run.data.answered.get(key)
        if known is not None:
            yield key, known[0], known[1]
            continue
        owner, _, name = key.rpartition("::")
        resource = run.catalog.find("Class", owner) if owner else None
        attribute = None if resource is None else resource.attributes.get(name)
        if attribute is not None:
            yield key, attribute.value, attribute.origin


def _has(term: Term, holes: Mapping[Any, Leaf]) -> bool:
    return any(leaf.key in holes for leaf in leaves(term))


class _Folding:
    """Computes the parts of formulas that have no holes, once."""

    def __init__(self, holes: Mapping[Any, Leaf], apply: Callable[[Op, list[object]], object]) -> None:
        self._holes = holes
        self._apply = apply
        self._done: dict[int, tuple[Term, Term]] = {}

    def folded(self, term: Term) -> Term:
        """The same formula, with a value in place of each part that has no holes."""
        stack = [term]
        while stack:
            here = stack[-1]
            parts = here.arguments if isinstance(here, extract.Apply | extract.Build) else ()
            missing = [part for part in parts if id(part) not in self._done]
            if id(here) in self._done or not missing:
                stack.pop()
                if id(here) not in self._done:
                    self._done[id(here)] = here, self._shorter(here, [self._done[id(part)][1] for part in parts])
            else:
                stack.extend(missing)
        return self._done[id(term)][1]

    def _shorter(self, term: Term, parts: list[Term]) -> Term:
        match term:
            case extract.Apply(op, _):
                whole: Term = extract.Apply(op, tuple(parts))
            case extract.Build(keys, _):
                whole = extract.Build(keys, tuple(parts))
            case _:
                return term
        if not all(isinstance(part, extract.Given) and part.leaf.key not in self._holes for part in parts):
            return whole
        value = evaluate_term(whole, self._apply)
        return extract.Given(Leaf("argument", f"\0constant {len(self._done)}", None, value))


def _is_safe(term: Term) -> bool:
    """Whether a formula only passes a value on: it can not fail."""
    return isinstance(term, extract.Given)


def _secret(value: Any) -> bool:
    return isinstance(value, Secret | Sensitive)


def _variables(inputs: NodeInputs, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the top scope that are given."""
    return checked_variables(inputs, input_variables(inputs, settings, lambda words: None))


# --- inputs by name --------------------------------------------------------------------------------------------------


def _flat(table: Any) -> dict[str, tuple[Any, ...] | None]:
    """The way to every input, by its name with dots; nothing where two have the same name."""
    ways: dict[str, tuple[Any, ...] | None] = {}
    waiting: list[tuple[str, tuple[Any, ...], Any]] = [("", (), table)]
    while waiting:
        name, path, value = waiting.pop()
        ways[name] = None if name in ways else path
        if isinstance(value, Mapping):
            waiting.extend((f"{name}.{key}" if name else str(key), (*path, key), item) for key, item in value.items())
        elif isinstance(value, list | tuple):
            waiting.extend((f"{name}.{index}", (*path, index), item) for index, item in enumerate(value))
    return ways


def _holds(table: Any, step: Any) -> bool:
    if type(table) is dict:
        return step in table
    if isinstance(table, Mapping):
        return step in table
    return isinstance(table, list | tuple) and isinstance(step, int) and 0 <= step < len(table)


def _at(table: Any, path: Sequence[Any]) -> Any:
    """What is at the end of a way, or that nothing is."""
    for step in path:
        if not _holds(table, step):
            return _MISSING
        table = table[step]
    return table


def _state(table: Any, path: Sequence[Any]) -> Any:
    """What is at the end of a way; if nothing is, how far it goes, and what it ends at."""
    for length, step in enumerate(path):
        if not _holds(table, step):
            return ("nothing", length, "hash" if isinstance(table, Mapping) else table)
        table = table[step]
    return table
