"""What a language must offer.

A `Language` turns a request (a source file or directory, and the inputs of the run) into an `Outcome`: plain values
with their origins beside them. Everything above this line (`api`, the commands) works on outcomes and never asks which
language they came from; everything below it (a language's own package) knows nothing of commands.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from os.path import dirname
from typing import TYPE_CHECKING, Any, TypeAlias

from .base.collector import take_apart
from .base.diagnostics import Diagnostic, ManyErrors, PathNotFound, UsageError
from .base.record import Record
from .base.source import lines_of

if TYPE_CHECKING:
    from .base.execution import ExecutionContext
    from .base.graph import Graph
    from .base.host import Host
    from .base.mentions import Called, Described, Expected, Mention, Token
    from .base.source import SourceFile, Span
    from .base.splices import Obstacle, Rewrite
    from .batch import BatchRequest
    from .provenance.explain import Explanation
    from .provenance.exported import Exported
    from .provenance.impact import Impact
    from .provenance.inventory import Inventory
    from .provenance.ladder import KeyAnswer, Ladder, WrittenKey
    from .provenance.observed import Observed, Seen
    from .provenance.operations import Op
    from .provenance.origins import Origin

_WITH_LINE = re.compile(r"(?P<name>.+?):(?P<line>[1-9]\d*)", re.DOTALL)


class Inputs(Record):
    """What a run is given besides the source.  A language ignores what it has no use for.

    `options` holds what only one language knows, by name (`modulepath`, `search_path`, `max_nodes`, ...).
    """

    node: str | None = None
    facts: Mapping[str, Any] = {}
    options: Mapping[str, Any] = {}


Given: TypeAlias = tuple[str, str, str]
"""An input that stands in no file: its kind, its name, and the node it is of, where that is another one."""


class Selected(Record):
    """One value of an outcome: its path in canonical form, the plain (JSON-like) value, its origin."""

    path: str
    value: Any
    origin: Origin


class LaterSelected(Selected):
    """The same, whose origin is computed on first use, by `make`, called with `given`."""

    __slots__ = ("_given", "_make")

    def __init__(self, path: str, value: Any, make: Callable[..., Origin], given: tuple[Any, ...]) -> None:
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "value", value)
        self._make = make
        self._given = given

    def __getattr__(self, name: str) -> Any:
        """The origin, as long as it is not there."""
        if name != "origin":
            raise AttributeError(name)
        origin = self._make(*self._given)
        object.__setattr__(self, "origin", origin)
        return origin

    def __reduce__(self) -> Any:
        return Selected, (self.path, self.value, self.origin)


class Log(Record):
    """A line that the configuration itself asked to have printed."""

    level: str
    message: str
    origin: Origin | None = None

    @property
    def place(self) -> str:
        """Where what it complains of stands, if it is a complaint and does not say so itself."""
        return ""


class Outcome(ABC):
    """What a compilation produced.  `sources` are the files that were read, by name."""

    language: str
    sources: Mapping[str, SourceFile]
    logs: Sequence[Log] = ()

    @abstractmethod
    def document(self) -> Any:
        """The whole outcome as plain JSON-like data: what `--json` prints."""

    def shown(self) -> Any:
        """The same with secrets hidden: what is shown unless secrets are asked for."""
        return self.document()

    @abstractmethod
    def text(self) -> str:
        """The whole outcome for a person, ending in a line end."""

    def yaml(self, hide: Callable[[Any], Any] = lambda document: document, as_is: bool = False) -> str:
        """The whole outcome as YAML, order kept, of what `hide` leaves of it; `as_is`, with what is secret."""
        import yaml

        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        document = hide(self.document() if as_is else self.shown())
        text: str = yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True, default_flow_style=False)
        return text

    @abstractmethod
    def select(self, path: str) -> Selected:
        """The value at `path`.  Raises `PathNotFound`, with a hint when a name is close."""

    def in_hand(self, words: str) -> list[str]:
        """The paths of the outputs that a person means by what is at hand: a file of a machine, the name of a package
        or a service.  None if there is nothing like that, several if it is not clear."""
        return []

    def meant(self, words: str, line: int | None = None) -> tuple[str, int | None, list[str]]:
        """The path that `words` mean, the line that they name, and further paths that they could mean."""
        if self.has(words):
            return words, line, []
        named = _WITH_LINE.fullmatch(words)
        for name, number in ((words, line), (named["name"], int(named["line"])) if named else ("", None)):
            paths = self.in_hand(name) if name else []
            if paths:
                return paths[0], number, paths[1:]
        return words, line, []

    @abstractmethod
    def outputs(self) -> Iterator[Selected]:
        """Every smallest value that can be named by a path, in output order.  Empty composites count as smallest."""

    def contents(self) -> Iterator[Selected] | None:
        """The contents of files that the outcome points at and does not hold; nothing where that can not be known."""
        return iter(())

    def static_paths(self) -> Iterator[str]:
        """The files that the outcome points at and does not hold."""
        return iter(())

    def pointed_sources(self) -> dict[str, SourceFile]:
        """Those of them that are texts, by name."""
        from .provenance.extract import where

        leaves = (where(selected.origin) for selected in self.contents() or ())
        spans = (leaf.span for leaf in leaves if leaf is not None and leaf.span is not None)
        return {span.file.name: span.file for span in spans}

    def values(self) -> Iterator[tuple[str, str, str, Any]]:
        """The outputs without their origins: type and title of a resource, attribute, value; of others the path."""
        return (("", output.path, "", output.value) for output in self.outputs())

    def influenced(self) -> Iterator[Selected]:
        """The outputs with origins that tell what each depends on, but perhaps not how it came about."""
        return self.outputs()

    def ordered(self) -> Container[str] | None:
        """The paths of the outputs whose order among each other means something; nothing if that of all does."""
        return None

    @property
    def is_masked(self) -> bool:
        """Whether asterisks stand for the characters of secrets."""
        return False

    @property
    def repeats(self) -> bool:
        """Whether it takes little enough to compile this again, many times, with some edits taken back."""
        return True

    def everything(self) -> Iterator[Selected]:
        """All that can be asked about: the outputs, and what a language has beside values (order, edges, tags)."""
        return self.outputs()

    def orders(self) -> Iterator[tuple[Selected, str]]:
        """Of each composite whose order means something its keys, what put them in their order, and what all paths of
        outputs in it begin with."""
        return iter(())

    def explain(self, path: str) -> Explanation:
        """Where the value at `path` came from.  Raises `PathNotFound`."""
        from .provenance.explain import Explanation

        selected = self.select(path)
        return Explanation(selected.path, selected.value, selected.origin)

    def written(self, path: str) -> Selected:
        """The value at `path` with how it was written; the origin may leave out tests that it depends on."""
        return self.select(path)

    def has(self, path: str) -> bool:
        """Whether there is something at `path`."""
        try:
            self.select(path)
        except PathNotFound:
            return False
        return True

    def dependencies(self, path: str) -> Explanation | None:
        """Only what the value at `path` depends on, where that can be told at less cost than all about it."""
        return None

    def text_of(self, path: str) -> str | None:
        """The text at `path`, or of the file that stands there; nothing if there is none.  Raises `PathNotFound`."""
        value = self.select(path).value
        return value if isinstance(value, str) else None

    def explain_line(self, path: str, number: int) -> Explanation:
        """Where a line (counted from 1) of the text at `path` came from.  Raises `PathNotFound`."""
        from .provenance.explain import Explanation
        from .provenance.rendered import line_origin

        selected = self.written(path)
        start, line = line_of(path, selected.value, number)
        origin = line_origin(selected.origin, start, start + len(line))
        return Explanation(f"{selected.path}, line {number}", line, origin)

    def impact(self, target: str, absent: bool = False) -> Impact:
        """Which outputs may change when an input does: `FILE:LINE[:COLUMN]`, `fact:NAME`, `hiera:KEY`, ...

        Raises `UsageError` for words that name no input, for a file that was not read, and for a name that nothing
        knows, unless it is asked what something `absent` would do.
        """
        from .provenance.impact import impact_on, parse_target, same_file

        asked = parse_target(target)
        unknown = None if absent else self.unknown_input(target)
        if unknown is not None:
            raise unknown
        rows = [*self.outputs(), *(self.contents() or ())]
        outputs = [(output.path, output.value, output.origin) for output in rows]
        orders = [(order.path, order.value, order.origin, inside) for order, inside in self.orders()]
        pointed = list(self.static_paths())
        lineless = [name for name in pointed if asked.line is not None and same_file(name, asked.name)]
        if lineless and not self.pointed_sources().keys() & lineless:
            raise UsageError(f"{lineless[0]} is not text, or too long, and has no lines: name the file alone")
        return impact_on(asked, [*self.sources, *pointed], outputs, orders)  # only now is it known what was read

    def reach(self, file: str, first: int, last: int) -> list[str]:
        """The paths of the outputs that may change when a definition does, which takes some lines of a file."""
        from .provenance.impact import Stretch, affected

        rows = list(self.outputs())
        hits = affected([row.origin for row in rows], Stretch("literal", file, first, None, last).matches)
        return [row.path for row, is_hit in zip(rows, hits) if is_hit]

    def unknown_input(self, target: str, others: Iterable[str] = ()) -> UsageError | None:
        """What is wrong with the name of an input that nothing has or mentions; nothing where that is not known.

        `others` are further names of its kind that are known: the facts of other nodes. Here it is arguments and
        environment variables that are known: where a source mentions them, or an output's history has them.
        """
        from .base.spell import nearest_few
        from .provenance.impact import parse_target, recorded_names, word_is_in

        asked = parse_target(target)
        what = {"argument": "argument", "environment": "environment variable"}.get(asked.kind)
        if what is None or word_is_in(asked.name, (source.text for source in self.sources.values())):
            return None
        known = list(recorded_names((output.origin for output in self.outputs()), asked.kind))
        if not asked.name or asked.name in known:
            return None
        near = nearest_few(asked.name, sorted(set(known)))
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        return UsageError(f"unknown {what} {asked.name}{hint} (--absent allows names that do not exist yet)")

    @property
    def directory(self) -> str:
        """The directory that the names of files are compared below: that of the first file, unless a language knows."""
        return dirname(next(iter(self.sources), ""))

    def files_read(self) -> Iterable[str]:
        """The files that the run read besides `sources`, as far as that is known."""
        return ()

    def file_content(self, name: str) -> bytes | None:
        """The content of a file that the run read or could have read, if it is there and that can be known."""
        source = self.sources.get(name)
        return None if source is None else source.text.encode("utf-8", "surrogateescape")

    def given(self) -> Mapping[Given, Any] | None:
        """Every input of the run that stands in no file, with its value; nothing where that is not known."""
        return None

    def observed(self, file: str) -> list[Observed]:
        """The expressions of a source that ran, each with what it gave; see `wherefrom.provenance.observed`."""
        from .provenance.observed import copies_in

        return copies_in(file, ((output.path, output.value, output.origin) for output in self.outputs()))

    def at(self, file: str, line: int, column: int) -> list[Observed]:
        """The expressions with values at a position (from 1) of a source, the smallest first.

        Raises `UsageError` for a file that was not read, and for a line that it has not.
        """
        from .provenance.observed import reaching

        source = self.source_named(file)
        if source is None:
            raise UsageError(f"{file} was not read")
        starts = source.line_starts
        if not 1 <= line <= len(starts):
            raise UsageError(f"{file} has only {len(starts)} lines")
        last = starts[line] - 1 if line < len(starts) else len(source.text)
        return reaching(self.observed(source.name), min(starts[line - 1] + max(column, 1) - 1, last))

    def source_named(self, file: str) -> SourceFile | None:
        """A file that was read, by its name; a relative one is looked for below the directory of the outcome too."""
        from .base.source import SourceFile

        places = {os.path.realpath(file), os.path.realpath(os.path.join(self.directory, file))}
        for name in (*self.sources, *self.files_read()):
            if name == file or os.path.realpath(name) in places:
                content = None if name in self.sources else self.file_content(name)
                return self.sources.get(name) or (content and SourceFile.from_bytes(name, content)) or None
        return None

    def explain_seen(self, text: str, seen: Seen) -> Explanation:
        """Where a value came from that the expression `text` gave."""
        from .provenance.explain import Explanation

        return Explanation(text, seen.value, seen.origin)

    def secrets(self) -> set[str]:
        """Texts that no output may show: what is sensitive, and what was decrypted."""
        return set()

    def let_go(self) -> None:
        """Say that nothing more will be asked of it: what it holds may go, and it has no answers any more."""
        take_apart([self])

    def consulted(self) -> list[tuple[str, str]]:
        """What the histories of outputs depend on that the run did not read: questions about other code, and answers.

        It is known when all outputs have been looked at. `Snapshot` are asked the same of another state of the files.
        """
        return []

    def apply(self, op: Op, arguments: list[object]) -> object:
        """Do the operation `op` of a term again, on plain values."""
        raise UsageError(f"{self.language} has no operation '{op}'")

    def rewrites(self, path: str, wanted: object) -> Iterator[Rewrite | Obstacle]:
        """Changes of the sources that may give the value at `path` the value `wanted`, and where there can be none.

        They are guesses: whoever has one compiles with it. `GONE` is wanted where nothing is to be left.
        """
        raise UsageError(f"outputs of {self.language} cannot be set")

    def missing(self, path: str) -> list[Diagnostic]:
        """Why nothing is at `path`: places that would have made it, each as a note with its place."""
        return []


# --- what some languages' outcomes can do beside ---------------------------------------------------------------------
#
# A command that needs one of these asks for it by type (`isinstance(outcome, Data)`), or by `catalog_of` and `data_of`,
# which say to a person what the language has not. A language's outcome inherits what it has, and nothing else.


class Catalog(ABC):
    """An outcome made of resources, which contain each other and have an order."""

    @abstractmethod
    def graph(self) -> Graph:
        """Who contains whom and who comes before whom."""

    @abstractmethod
    def stored(self) -> dict[str, Any]:
        """The whole outcome as PuppetDB keeps it."""

    def left_out(self) -> list[tuple[str, Diagnostic, bool]]:
        """Code that failed and was left out: whose it is, why, and whether no other failure is the reason."""
        return []

    def declared_in(self, path: str) -> str | None:
        """The path of what declared the output at `path`."""
        return None

    def unset(self, path: str) -> str | None:
        """The path of a value that is not there and could be: an attribute or a parameter that nothing gives one."""
        return None


class Data(ABC):
    """An outcome whose run looked keys up in data that stands in levels."""

    @abstractmethod
    def lookup(self, key: str, merge: str | None = None) -> Ladder:
        """What each level of the data says about a key."""

    def data_keys(self) -> list[WrittenKey]:
        """Every key of the files of data that the run could read."""
        return []

    def keys_read(self) -> set[str]:
        """Every key of the data that the run looked up."""
        return set()

    def key_answers(self) -> list[KeyAnswer]:
        """Every key of the data that the run looked up, with the answer."""
        return []

    def data_directories(self) -> list[str]:
        """The directories that data lies in, read by this run or not."""
        return []

    def set_by_key(self, key: str) -> str | None:
        """The path of the value that a key of the data is bound to, where there is one."""
        return None


class Exports(ABC):
    """The outcome of a node that other nodes may collect from."""

    @abstractmethod
    def exports(self) -> list[Exported]:
        """What the node exports, for other nodes to collect."""


class Options(ABC):
    """An outcome whose values are made of definitions of declared options."""

    @abstractmethod
    def definition(self, path: str) -> str | None:
        """Whose definition the value at `path` is, in a few words; nothing where no option stands behind it."""


def catalog_of(outcome: Outcome, refusal: str = "graphs are drawn of Puppet catalogs, not of") -> Catalog:
    """The outcome as a catalog.  Raises `UsageError`, which says what they are needed for, if it is none."""
    if isinstance(outcome, Catalog):
        return outcome
    raise UsageError(f"{refusal} {outcome.language}")


def data_of(outcome: Outcome) -> Data:
    """The outcome as one of a run that looked up data.  Raises `UsageError` if its language does not."""
    if isinstance(outcome, Data):
        return outcome
    raise UsageError(f"lookup works on Puppet's Hiera data, not on {outcome.language}")


def declared_in(outcome: Outcome, path: str) -> str | None:
    """The path of what declared the output at `path`, where outputs declare others (`Catalog.declared_in`)."""
    return outcome.declared_in(path) if isinstance(outcome, Catalog) else None


def failures_in(outcome: Outcome) -> list[tuple[str, Diagnostic, bool]]:
    """Code that failed and was left out of an outcome (`Catalog.left_out`); only catalogs are made without."""
    return outcome.left_out() if isinstance(outcome, Catalog) else []


def line_of(path: str, value: object, number: int) -> tuple[int, str]:
    """Where line `number` (from 1) of the text at `path` begins, and the line.  Raises `PathNotFound`."""
    if not isinstance(value, str):
        raise PathNotFound(path, "the value is not a string, so it has no lines")
    lines = lines_of(value, keep_ends=True)
    if not 1 <= number <= len(lines):
        raise PathNotFound(path, f"the string has only {len(lines)} lines")
    return sum(map(len, lines[: number - 1])), lines[number - 1]


class Snapshot(ABC):
    """One state of the files, asked what a run once asked."""

    @abstractmethod
    def question(self, kind: str, path: str) -> tuple[str, str]:
        """A question about a path, as runs write it."""

    @abstractmethod
    def path_of(self, question: tuple[str, str]) -> str | None:
        """The file or directory of the machine that a question is about, if it is about one that may change."""

    @abstractmethod
    def answer(self, question: tuple[str, str]) -> bytes | None:
        """The answer, as bytes that are equal only if the answers are; nothing if no answer lasts."""


class Language(ABC):
    """A language's front door.  Each language's package offers one as `LANGUAGE` in its module `front`."""

    name: str
    suffixes: Sequence[str]

    @abstractmethod
    def check(self, source: SourceFile, host: Host) -> list[Diagnostic]:
        """Parse and validate one file: all errors and warnings found."""

    def check_with(self, source: SourceFile, host: Host, inputs: Inputs) -> list[Diagnostic]:
        """The same for a language whose files are read one way or another: `inputs` say how."""
        return self.check(source, host)

    def mentions(self, source: SourceFile) -> list[Mention]:
        """The names in one file, as far as it can be read; see `wherefrom.base.mentions`."""
        return []

    def expected(self, source: SourceFile, offset: int) -> Expected | None:
        """What may be written at a place of a text that is being written."""
        return None

    def statements(self, source: SourceFile) -> list[Span]:
        """The statements of a file, the outer before those inside: what an observed run tells of if it ran."""
        return []

    def tokens(self, source: SourceFile) -> list[Token]:
        """The pieces of a file with their kinds, in order: for colours and folds."""
        return []

    def formatted(self, source: SourceFile) -> str | None:
        """The file in good layout, for a language that has one; nothing where it can not be read."""
        return None

    def called(self, source: SourceFile, offset: int) -> Called | None:
        """The call that is being written at a place."""
        return None

    def signatures(self, name: str) -> list[Described]:
        """The ways to call one of the language's own functions."""
        return []

    def check_all(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext) -> list[Diagnostic]:
        """What is wrong with the directory `path` as a whole, beyond its single files."""
        return []

    def inventory(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext) -> Inventory:
        """All definitions below the directory `path`, used or not."""
        raise UsageError(f"this works on Puppet environments, not on {self.name}")

    def roots(self, inputs: Inputs) -> Sequence[str]:
        """Directories that the inputs themselves name (module paths, search paths) and that may therefore be read."""
        return ()

    def named_by(self, inputs: Inputs) -> Hashable | None:
        """What the `roots` of inputs hang on, beside the disk; nothing if they are to be asked for each time."""
        return None

    @abstractmethod
    def run(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext | None = None) -> Outcome:
        """Compile the file or directory `path`.  Raises `Diagnostic` or `ManyErrors`.

        All work is done in `execution`, that of the session; without one, in one of the outcome's own.
        """

    def answers(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext) -> Snapshot:
        """What the files at `path` answer now to what a run read; see `wherefrom.base.recording.Reads`."""
        raise UsageError(f"this works on Puppet nodes, not on {self.name}")

    def answer(self, request: BatchRequest, execution: ExecutionContext, roots: Sequence[str] = ()) -> dict[str, Any]:
        """The answer to a request of the batch protocol: the outcome as plain data, or what is wrong."""
        from .base.host import PureHost, RealHost
        from .base.render import diagnostic_json
        from .batch import clock_of

        answer: dict[str, object] = {"id": request.id, "ok": True}
        if request.manifest_path is not None:
            path = request.manifest_path
            host: Host = RealHost([dirname(path) or ".", *roots], now=request.time)
        else:
            path = f"main{self.suffixes[0]}"
            host = PureHost({**request.files, path: request.manifest or ""}, now=clock_of(request))
        inputs = Inputs(request.node, request.facts or {}, request.settings)
        try:
            if request.dump:
                problems = self.check(host.source(path), host)
                errors = [problem for problem in problems if problem.severity == "error"]
                return answer if not errors else {**answer, "ok": False, "error": diagnostic_json(errors[0])}
            outcome = self.run(path, host, inputs, execution)
            return {**answer, "value": outcome.document(), "logs": [[log.level, log.message] for log in outcome.logs]}
        except ManyErrors as problems:
            return {**answer, "ok": False, "error": diagnostic_json(problems.diagnostics[0])}
        except Diagnostic as problem:
            return {**answer, "ok": False, "error": diagnostic_json(problem)}
