"""Recorded answers: what the world outside said when it was asked, as an input of the run (`--answers FILE`).

Code asks what no compiler knows: DNS (`dnsquery`), programs (`generate`), PuppetDB (`puppetdb_query`), the clock. A
file has the answers, and is read through the host as data is, so that an answer has its place, an edit of it is the
cause of what it changes, and a revision has its own:

    clock: 2026-01-02T03:04:05Z
    functions:
      dnsquery::a:
        - arguments: [www.example.org]
          answer: [192.0.2.1]
        - arguments: [www.example.org]
          node: web01
          answer: [198.51.100.7]

An answer counts where wherefrom has none: a function that it can run itself is run. That of a `node` comes before one
for all. `wherefrom record` writes the file: a `Recorder` asks for real what the user allows, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...base.diagnostics import Diagnostic
from ...provenance.operations import Function as Moved
from ...provenance.origins import Choice, Items, Leaf, Origin
from ..hiera.files import read_yaml
from ..hiera.scalars import ForbiddenClass, Symbol, plain_scalar
from ..kernel.times import parse_timestamp
from ..kernel.values import Timestamp
from .inputs import traced_input

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import SourceFile, Span
    from ..kernel.traced import Traced

KIND = "query"
CLOCK = "clock"
_KEYS = frozenset(("arguments", "answer", "node"))


class BadAnswers(Diagnostic):
    """A file of recorded answers that says something it can not say."""

    code = "W052"


class AnswersAndClock(Protocol):
    """The environment, as far as the clock and recorded answers are asked of it."""

    @property
    def answers(self) -> Any:
        """Recorded answers, if there are any."""

    @property
    def host(self) -> Host:
        """The door to the clock."""


class AskingRun(Protocol):
    """The compilation that asks."""

    node: str
    recorder: Recorder | None
    rich_data: Callable[[Any], Any] | None

    @property
    def environment(self) -> AnswersAndClock:
        """Whose answers are taken."""


class Recorder(Protocol):
    """Who asks for real, and notes what was said."""

    def ask(
        self, run: AskingRun, name: str, values: Sequence[Any], span: Span | None, by_ruby: Callable[[], Any]
    ) -> tuple[bool, Any]:
        """Whether the question may be asked, and the answer; `by_ruby` gives what a Ruby process says."""


class RecordedAnswers:
    """The answers of one file."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.clock: tuple[float, Leaf] | None = None
        self._answers: dict[tuple[str, str, str | None], Traced] = {}
        self._read(*read_yaml(source, _plain))

    def find(self, name: str, arguments: Sequence[object], node: str) -> Traced | None:
        """What a function said of some arguments, as plain data."""
        question = question_text(arguments)
        own = self._answers.get((name, question, node))
        return own or self._answers.get((name, question, None))

    def _read(self, value: object, origin: Origin) -> None:
        document = self._mapping({} if value is None else value, origin, "the file")
        for key in document.keys() - {CLOCK, "functions"}:
            raise self._bad(f"unknown key {key!r}: there are `clock` and `functions`", _within(origin, key))
        if CLOCK in document:
            self.clock = self._moment(document[CLOCK], _within(origin, CLOCK))
        functions = document.get("functions") or {}
        below = _within(origin, "functions")
        for name, entries in self._mapping(functions, below, "`functions`").items():
            of_name = _within(below, name)
            if not isinstance(entries, list):
                raise self._bad(f"the answers of {name} must be a list of `arguments` and `answer`", of_name)
            for index, entry in enumerate(entries):
                self._add(str(name), entry, _within(of_name, index))

    def _add(self, name: str, entry: object, origin: Origin) -> None:
        fields = self._mapping(entry, origin, f"an answer of {name}")
        if fields.keys() - _KEYS or "answer" not in fields or not isinstance(fields.get("arguments", []), list):
            raise self._bad(f"an answer of {name} has `arguments` (a list), `answer` and perhaps `node`", origin)
        arguments = fields.get("arguments", [])
        label = call_text(name, arguments)
        answer = _renamed(fields["answer"], _within(origin, "answer"), label)
        self._answers[name.removeprefix("::"), question_text(arguments), fields.get("node")] = answer

    def _moment(self, value: object, origin: Origin) -> tuple[float, Leaf]:
        if isinstance(value, Timestamp):
            seconds = value.nanoseconds / 1_000_000_000
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            seconds = float(value)
        else:
            try:
                seconds = parse_timestamp(str(value)).nanoseconds / 1_000_000_000
            except Diagnostic:
                words = "clock must be a time such as 2026-01-02T03:04:05Z, or seconds since 1970"
                raise self._bad(words, origin) from None
        return seconds, Leaf(KIND, CLOCK, _span_of(origin), value)

    def _mapping(self, value: object, origin: Origin, what: str) -> Mapping[Any, Any]:
        if not isinstance(value, dict):
            raise self._bad(f"{what} must be a mapping", origin)
        return value

    def _bad(self, words: str, origin: Origin) -> BadAnswers:
        return BadAnswers(f"cannot use {self.source.name} as recorded answers: {words}", _span_of(origin))


def _plain(text: str) -> Any:
    """A word without quotes; dates are texts, as in facts."""
    try:
        value = plain_scalar(text)
    except ForbiddenClass:
        return text
    return value.name if isinstance(value, Symbol) else value


def read_answers(host: Host, path: str) -> RecordedAnswers:
    """The answers in a file.  Raises `BadAnswers`, and what a host raises for a file that can not be read."""
    return RecordedAnswers(host.source(path))


def question_text(arguments: Sequence[object]) -> str:
    """What is asked, as one text: equal arguments give equal texts."""
    return json.dumps(list(arguments), sort_keys=True, default=str)


def call_text(name: str, arguments: Sequence[object]) -> str:
    """A call as people write it: `dnsquery::a("www.example.org")`."""
    return f"{name}({', '.join(json.dumps(argument, default=str) for argument in arguments)})"


def answered(
    run: AskingRun,
    name: str,
    values: Sequence[object],
    origins: Sequence[Origin],
    span: Span | None,
    by_ruby: Callable[[], Any] = lambda: None,
) -> Traced | None:
    """What was recorded of a call, or what is said now where it may be asked; nothing if there is neither."""
    answers: RecordedAnswers | None = run.environment.answers
    if answers is None and run.recorder is None:
        return None
    plain = [value if run.rich_data is None else run.rich_data(value) for value in values]
    known = answers.find(name.removeprefix("::"), plain, run.node) if answers is not None else None
    if known is None and run.recorder is not None:
        allowed, said = run.recorder.ask(run, name.removeprefix("::"), values, span, by_ruby)
        known = traced_input(KIND, call_text(name, plain), said) if allowed else None
    if known is None:
        return None
    value, origin = known
    if not origins:
        return known
    return value, Choice(tuple(origins), origin, span, Moved(name))


def to_record(run: AskingRun, name: str, values: Sequence[object]) -> str:
    """A hint: what has no answer, and how to record one."""
    plain = [value if run.rich_data is None else run.rich_data(value) for value in values]
    file = "ANSWERS.yaml" if run.environment.answers is None else run.environment.answers.source.name
    call = call_text(name, plain)
    call = call if len(call) <= 100 else f"{call[:100]}..."
    return f"{file} has no answer to {call}; record it: wherefrom record {file} --allow {name.removeprefix('::')}"


def clock_of(environment: AnswersAndClock) -> tuple[float, Leaf]:
    """What the clock says, in seconds since 1970: the recorded time, else that of the host, which no trace can keep."""
    answers: RecordedAnswers | None = environment.answers
    if answers is not None and answers.clock is not None:
        return answers.clock
    environment.host.own("clock", "now")
    now = environment.host.now()
    return now, Leaf("environment", CLOCK, None, now)


def _within(origin: Origin, key: object) -> Origin:
    if not isinstance(origin, Items):
        return origin
    elements: Any = origin.elements
    try:
        inner: Origin = elements[key]
    except (KeyError, IndexError):
        return origin
    return inner


def _span_of(origin: Origin) -> Span | None:
    leaf = origin.own if isinstance(origin, Items) else origin
    return getattr(leaf, "span", None)


def _renamed(value: Any, origin: Origin, name: str) -> Traced:
    """An answer whose parts are named after the call that they answer."""
    if not isinstance(origin, Items):
        return value, Leaf(KIND, name, _span_of(origin), value)
    own = Leaf(KIND, name, _span_of(origin), value)
    elements: Any = origin.elements
    if isinstance(elements, Mapping):
        inner = {key: _renamed(value[key], part, f"{name}.{key}") for key, part in elements.items()}
        return {key: part[0] for key, part in inner.items()}, Items({key: part[1] for key, part in inner.items()}, own)
    parts = [_renamed(value[index], part, f"{name}.{index}") for index, part in enumerate(elements)]
    return [part[0] for part in parts], Items([part[1] for part in parts], own)
