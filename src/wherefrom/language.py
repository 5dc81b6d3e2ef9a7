"""What a language must offer.

A `Language` turns a request (a source file or directory, and the inputs of the run) into an `Outcome`: plain values
with their origins beside them. Everything above this line (`api`, the commands) works on outcomes and never asks which
language they came from; everything below it (a language's own room) knows nothing of commands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from os.path import dirname
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .base.diagnostics import Diagnostic, ManyErrors, PathNotFound, UsageError
from .base.record import Record

if TYPE_CHECKING:
    from .base.graph import Graph
    from .base.host import Host
    from .base.secrets import Secrets
    from .base.source import SourceFile
    from .base.workshop import Workshop
    from .batch import BatchRequest
    from .provenance.explain import Explanation
    from .provenance.exported import Exported
    from .provenance.impact import Impact
    from .provenance.inventory import Inventory
    from .provenance.ladder import KeyAnswer, Ladder, WrittenKey
    from .provenance.operations import Op
    from .provenance.origins import Leaf, Origin


class Inputs(Record):
    """What a run is given besides the source.  A language ignores what it has no use for.

    `options` holds what only one language knows, by name (`modulepath`, `search_path`, `max_nodes`, ...).
    """

    node: str | None = None
    facts: Mapping[str, Any] = {}
    options: Mapping[str, Any] = {}


class Selected(Record):
    """One value of an outcome: its path in canonical form, the plain (JSON-like) value, its origin."""

    path: str
    value: Any
    origin: Origin


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

    @abstractmethod
    def text(self) -> str:
        """The whole outcome for a person, ending in a line end."""

    def yaml(self) -> str:
        """The whole outcome as YAML, order kept."""
        import yaml

        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        text: str = yaml.dump(
            self.document(), Dumper=dumper, sort_keys=False, allow_unicode=True, default_flow_style=False
        )
        return text

    @abstractmethod
    def select(self, path: str) -> Selected:
        """The value at `path`.  Raises `PathNotFound`, with a hint when a name is close."""

    @abstractmethod
    def outputs(self) -> Iterator[Selected]:
        """Every smallest value that can be named by a path, in output order.  Empty composites count as smallest."""

    def everything(self) -> Iterator[Selected]:
        """All that can be asked about: the outputs, and what a language has beside values (order, edges, tags)."""
        return self.outputs()

    def explain(self, path: str) -> Explanation:
        """Wherefrom the value at `path` came.  Raises `PathNotFound`."""
        from .provenance.explain import Explanation

        selected = self.select(path)
        return Explanation(selected.path, selected.value, selected.origin)

    def explain_line(self, path: str, number: int) -> Explanation:
        """Wherefrom a line (counted from 1) of the text at `path` came.  Raises `PathNotFound`."""
        from .provenance.explain import Explanation
        from .provenance.rendered import line_origin

        selected = self.select(path)
        start, line = line_of(path, selected.value, number)
        origin = line_origin(selected.origin, start, start + len(line))
        return Explanation(f"{selected.path}, line {number}", line, origin)

    def impact(self, target: str) -> Impact:
        """Which outputs may change when an input does: `FILE:LINE[:COLUMN]`, `fact:NAME`, `hiera:KEY`, ...

        Raises `UsageError` for words that name no input, and for a file that was not read.
        """
        from .provenance.impact import impact_on, parse_target

        asked = parse_target(target)
        outputs = [(output.path, output.value, output.origin) for output in self.outputs()]
        return impact_on(asked, self.sources, outputs)  # only now is it known which files were read

    def unread_source(self, name: str) -> SourceFile | None:
        """A file that the run could have read and did not ask for, if it is there and that can be known."""
        return None

    def declared_in(self, path: str) -> str | None:
        """The path of what declared the output at `path`, where outputs declare others."""
        return None

    def definition(self, path: str) -> str | None:
        """Whose definition the value at `path` is, in a few words, for outcomes that know definitions."""
        return None

    def graph(self) -> Graph:
        """Who contains whom and who comes before whom, for outcomes that know such things."""
        raise UsageError(f"{self.language} has no graph: it is for Puppet's catalogs")

    def lookup(self, key: str, merge: str | None = None) -> Ladder:
        """What each level of the data says about a key, for languages that look values up in data."""
        raise UsageError(f"{self.language} looks nothing up in data: it is Puppet that has Hiera")

    def secrets(self) -> set[str]:
        """Texts that no output may show: what is sensitive, and what was decrypted."""
        return set()

    def data_keys(self) -> list[WrittenKey]:
        """Every key of the files of data that the run could read."""
        return []

    def exports(self) -> list[Exported]:
        """What the node exports, for other nodes to collect."""
        return []

    def stored(self) -> dict[str, Any]:
        """The whole outcome as PuppetDB keeps it, for languages that have one."""
        raise UsageError(f"{self.language} has nothing that PuppetDB keeps: it keeps Puppet's catalogs")

    def keys_read(self) -> set[str]:
        """Every key of the data that the run asked for."""
        return set()

    def key_answers(self) -> list[KeyAnswer]:
        """Every key of the data that the run asked for, with what it was told."""
        return []

    def data_directories(self) -> list[str]:
        """The directories that data lies in, read by this run or not."""
        return []

    def consulted(self) -> list[tuple[str, str]]:
        """What the histories of outputs hang on that the run did not read: questions about other code, and answers.

        It is known when all outputs have been looked at. `Answers` are asked the same of another state of the files.
        """
        return []

    def mould(self) -> Mould | None:
        """This outcome as one that others can be made from; nothing where that can not be."""
        return None

    def apply(self, op: Op, arguments: list[object]) -> object:
        """Do the operation `op` of a term again, on plain values."""
        raise UsageError(f"{self.language} has no operation '{op}'")

    def missing(self, path: str) -> list[Diagnostic]:
        """Why nothing is at `path`: places that would have made it, each as a note with its place."""
        return []


def line_of(path: str, value: object, number: int) -> tuple[int, str]:
    """Where line `number` (from 1) of the text at `path` begins, and the line.  Raises `PathNotFound`."""
    if not isinstance(value, str):
        raise PathNotFound(path, "only a text has lines")
    lines = value.splitlines(keepends=True)
    if not 1 <= number <= len(lines):
        raise PathNotFound(path, f"the text has {len(lines)} lines")
    return sum(map(len, lines[: number - 1])), lines[number - 1]


class CastExport(NamedTuple):
    """A resource that an outcome exports, which was made from another one."""

    title: str
    tags: tuple[str, ...]
    parameters: Mapping[str, Any]


class Cast(Protocol):
    """An outcome that was made from another one: what is other in it.

    `values` are by the number of the output, `titles` by what they are titles of, `inputs` the inputs in place of
    others, by their keys, `paths` the files in place of others, `answers` what the data says about keys, `lines` where
    it says so, by key and by the file in whose place another is, `secrets` texts that may not be shown, `exports` what
    it exports, in the order of the other's exports.
    """

    values: dict[int, Any]
    titles: dict[str, str]
    inputs: dict[Any, Leaf]
    paths: dict[str, str]
    answers: dict[str, Any]
    lines: dict[tuple[str, str], int]
    secrets: set[str]
    exports: list[CastExport]

    def given(self, leaf: Leaf) -> Leaf:
        """The input in place of one of the other outcome's.  Raises `LookupError` if there is none."""

    def beyond(self, others: Secrets) -> Secrets:
        """The secrets that are not among those of the other outcome."""


class Mould(Protocol):
    """An outcome that others can be made from: those for which the inputs that `fixed` names give the same `key`."""

    @property
    def fixed(self) -> tuple[Hashable, ...]:
        """Which inputs must be the same."""

    @property
    def key(self) -> str:
        """What they are here."""

    @property
    def marks(self) -> frozenset[str]:
        """Texts in lower case that may be others in an outcome that is made from it: no words may have them."""

    @property
    def makes_exports(self) -> bool:
        """Whether what it exports can be made too; if not, it must export nothing."""

    def given(self, inputs: Inputs) -> Any:
        """What another run is given, for the questions below."""

    def key_of(self, given: Any) -> str:
        """What the inputs that must be the same are there."""

    def fit(self, given: Any) -> Cast | None:
        """The other outcome, if its key is ours; nothing if it has to be computed."""


class Answers(Protocol):
    """One state of the files, asked what a run once asked."""

    def question(self, kind: str, path: str) -> tuple[str, str]:
        """A question about a path, as runs write it."""

    def path_of(self, question: tuple[str, str]) -> str | None:
        """The file or directory of the machine that a question is about, if it is about one that may change."""

    def answer(self, question: tuple[str, str]) -> bytes | None:
        """The answer, as bytes that are equal only if the answers are; nothing if no answer lasts."""


class Language(ABC):
    """A language's front door.  Each room's package offers one as `LANGUAGE` in its module `front`."""

    name: str
    suffixes: Sequence[str]

    @abstractmethod
    def check(self, source: SourceFile, host: Host) -> list[Diagnostic]:
        """Parse and validate one file: all errors and warnings found."""

    def check_all(self, path: str, host: Host, inputs: Inputs, workshop: Workshop) -> list[Diagnostic]:
        """What is wrong with the directory `path` as a whole, beyond its single files."""
        return []

    def inventory(self, path: str, host: Host, inputs: Inputs, workshop: Workshop) -> Inventory:
        """Everything that is written in the directory `path`, whoever needs it."""
        raise UsageError(f"{self.name} has no inventory: it is Puppet that has environments")

    def roots(self, inputs: Inputs) -> Sequence[str]:
        """Directories that the inputs themselves name (module paths, search paths) and that may therefore be read."""
        return ()

    @abstractmethod
    def run(self, path: str, host: Host, inputs: Inputs, workshop: Workshop | None = None) -> Outcome:
        """Compile the file or directory `path`.  Raises `Diagnostic` or `ManyErrors`.

        All work is done in `workshop`, that of the session; without one, in one of the outcome's own.
        """

    def answers(self, path: str, host: Host, inputs: Inputs, workshop: Workshop) -> Answers:
        """What the files at `path` answer now to what a run read; see `wherefrom.base.witness.Reads`."""
        raise UsageError(f"{self.name} does not say what its runs read: it is Puppet that has nodes")

    def answer(self, request: BatchRequest, workshop: Workshop, roots: Sequence[str] = ()) -> dict[str, Any]:
        """The answer to a request of the batch protocol: the outcome as plain data, or what is wrong."""
        from .base.host import PureHost, RealHost
        from .base.render import diagnostic_json

        answer: dict[str, Any] = {"id": request.id, "ok": True}
        if request.manifest_path is not None:
            path = request.manifest_path
            host: Host = RealHost([dirname(path) or ".", *roots])
        else:
            path = f"main{self.suffixes[0]}"
            host = PureHost({**request.files, path: request.manifest or ""})
        inputs = Inputs(request.node, request.facts or {}, request.settings)
        try:
            if request.dump:
                problems = self.check(host.source(path), host)
                errors = [problem for problem in problems if problem.severity == "error"]
                return answer if not errors else {**answer, "ok": False, "error": diagnostic_json(errors[0])}
            outcome = self.run(path, host, inputs, workshop)
            return {**answer, "value": outcome.document(), "logs": [[log.level, log.message] for log in outcome.logs]}
        except ManyErrors as problems:
            return {**answer, "ok": False, "error": diagnostic_json(problems.diagnostics[0])}
        except Diagnostic as problem:
            return {**answer, "ok": False, "error": diagnostic_json(problem)}
