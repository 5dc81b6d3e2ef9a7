"""Nix's front door: the language and its outcomes, as `wherefrom.language` wants them, and `evaluate` for `wherefrom
eval`.

    source -> tree -> checked names -> generated Python -> value

An evaluation first runs without recording. Only when somebody asks where a value came from is the program run again
with recording on; Nix is deterministic, so the second run tells the truth about the first.

Options (`Inputs.options`): `expression` (or `expr`: text instead of a file), `attr_path`, `search_path` (a list of
`k=v` or directories), `args` and `argstrs` (by name, for functions with a pattern), `directory` (where relative paths
in an expression start), `trace` (record from the start).
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...base.deep import with_deep_stack
from ...base.diagnostics import (
    Diagnostic,
    LimitReached,
    ManyErrors,
    OutsideRoots,
    PathNotFound,
    UsageError,
    WherefromError,
)
from ...base.execution import ExecutionContext
from ...base.host import Host, RealHost
from ...base.source import SourceFile, lines_of
from ...base.spell import nearest
from ...language import Inputs, Language, Log, Options, Outcome, Selected
from ...provenance.extract import reachable
from ...provenance.operations import Op
from ...provenance.origins import Absent, Choice, Origin, Step
from ..kernel.errors import MissingArgument, NixError, NothingHere, NothingSelected, WrongSelection
from ..kernel.masks import Masks
from ..kernel.paths import STRING
from ..kernel.running import running
from ..kernel.runtime import function_name
from ..kernel.values import (
    Attrs,
    Slot,
    Thunk,
    Value,
    apply,
    call,
    count_masking,
    delay,
    describe_type,
    force,
    function_info,
    is_function,
    position_of,
)
from ..kernel.versions import parse_dialect
from ..trace.operations import EmptyList, EmptySet
from .in_hand import hint_for_module
from .machine import Machine

if TYPE_CHECKING:
    from ...base.mentions import Expected, Mention, Token
    from ...base.splices import Obstacle, Rewrite
    from ...provenance.explain import Explanation
    from ...provenance.impact import Impact
    from ...provenance.observed import Observed
    from ..options.definitions import Merges
    from ..trace.history import History
    from ..trace.inputs import InputGroups
    from .dependence import Dependence, MaskedOutput

Result = TypeVar("Result")

_STEP = re.compile(r'"((?:[^"\\]|\\.)*)"|\[(\d+)\]|([^."\[\]]+)')


MOST_REPEATED = 2_000
"""Outputs of a configuration that is evaluated again and again to tell which edit made which difference."""


class NixOutcome(Outcome, Options):
    """The value of a Nix program."""

    language = "nix"

    def __init__(self, request: Request, traced: bool) -> None:
        self.request = request
        self.machine, self.root = request.evaluate(traced)
        self._traced: tuple[Machine, Slot] | None = None
        self._exact: tuple[Machine, Slot] | None = None
        self._history: History | None = None
        self._spine: History | None = None
        self._merges: Merges | None = None
        self._dependence: Dependence | None = None
        self._read: Mapping[str, SourceFile] = {}
        """The files that the masked run read."""
        self._influenced: list[Selected] | None = None

    @property
    def sources(self) -> Mapping[str, SourceFile]:  # type: ignore[override]
        """The files read so far."""
        return {**self.machine.sources, **self._read, **(self._traced[0].sources if self._traced else {})}

    @property
    def logs(self) -> Sequence[Log]:  # type: ignore[override]
        """What `builtins.trace` printed."""
        return [Log("trace", message) for message in self.machine.messages]

    # --- printing ---

    def printed(self, form: str = "text", strict: bool = False, positions: bool = True) -> str:
        """The value as `nix-instantiate --eval` prints it: `text`, `json` or `xml`.  No line end."""
        from ..kernel.output import print_json, print_value, print_xml

        machine, root = self.machine, self.root
        if not strict and guarded(machine, lambda: type(force(self.root)) in (list, Attrs)):
            machine, root = self.exact

        def work() -> str:
            match form:
                case "json":
                    return print_json(machine, root, strict, valid=True)
                case "xml":
                    return print_xml(machine, root, strict, positions).rstrip("\n")
                case _:
                    return print_value(root, strict)

        return guarded(machine, work)

    @property
    def exact(self) -> tuple[Machine, Slot]:
        """A run that is as lazy as Nix, no more and no less: what is printed as `<CODE>` depends on it."""
        if self._exact is None:
            self._exact = self.request.evaluate(False, exact=True)
        return self._exact

    def document(self) -> Any:
        """The whole value as JSON data."""
        import json

        return json.loads(self.printed("json", strict=True))

    def text(self) -> str:
        """The value as Nix prints it, evaluated throughout."""
        return self.printed("text", strict=True) + "\n"

    def positions(self) -> list[tuple[str, str]]:
        """Where every attribute of the value was defined: pairs of path and `file:line:column`."""
        return guarded(self.machine, lambda: list(_positions(self.root, "", set())))

    # --- provenance ---

    @property
    def traced(self) -> tuple[Machine, Slot]:
        """The machine and root cell of the run with recording on."""
        if self._traced is None:
            machine, root = self.request.evaluate(True) if self.machine.traced is False else (self.machine, self.root)
            self._traced = machine, guarded(machine, lambda: self.request.called(machine, root))
        return self._traced

    @property
    def dependence(self) -> Dependence:
        """The masked run: what every output depends on."""
        if self._dependence is None:
            from .dependence import Dependence

            machine, root = self.request.evaluate(False, masked=True)
            self._read = machine.sources
            self._dependence = Dependence(machine, root, partial(self.request.called, machine))
        return self._dependence

    def inputs_of(self, path: str) -> Callable[[], InputGroups]:
        """What finds what the value at a path depends on, once."""

        @cache
        def work() -> InputGroups:
            dependence = self.dependence
            return guarded(dependence.machine, lambda: dependence.inputs(self._masked(path)))

        return work

    def _masked(self, path: str) -> MaskedOutput:
        steps = _read_path(path)
        return self.dependence.at(steps, lambda at, value: self._step(path, steps[:at], steps[at], value))

    def dependencies(self, path: str) -> Explanation | None:
        """What the value at a path depends on, from masks alone; nothing for a program that uses no library.

        Where the user's own files hold a module system, `explain` tells which of them are the library's.
        """
        from ..options.explain import Dependencies
        from .options import computable

        dependence = self.dependence
        output = guarded(dependence.machine, lambda: self._masked(path))
        if output.error is not None or not dependence.has_library or self._holds_library(dependence.machine):
            return None
        value = guarded(dependence.machine, lambda: computable(output.slot))
        return Dependencies(path, value, lambda: dependence.inputs(output))

    def _holds_library(self, machine: Machine) -> bool:
        """Whether a file of the user's may hold a module system: the words of one stand in it."""
        return any(
            "mergedValue" in source.text and self.request.is_own(os.path.join(machine.names_below or "/", name))
            for name, source in machine.sources.items()
        )

    @property
    def history(self) -> History:
        """The origins of the recorded run."""
        if self._history is None:
            from ..trace.history import History

            self._history = History()
        return self._history

    @property
    def spine(self) -> History:
        """The same without the tests that libraries made: how values came about, but not all they depend on."""
        if self._spine is None:
            from ..trace.history import History

            self._spine = History(self.merges.is_own)
        return self._spine

    def spine_of(self, steps: list[str | int], here: Slot, containers: list[Slot]) -> Callable[[], Origin]:
        """What tells how a value came about, without the tests of libraries, once somebody asks."""

        @cache
        def work() -> Origin:
            return guarded(self.traced[0], lambda: self._origin(steps, here, containers, self.spine))

        return work

    def select(self, path: str) -> Selected:
        """The value at an attribute path: `services.web.port`, `"a.b".c`, `hosts[0].name`."""
        machine, root = self.traced
        return guarded(machine, lambda: self._select(path, _read_path(path), root))

    def written(self, path: str) -> Selected:
        """The value at a path; in a program with a module system without the tests of libraries."""
        machine, root = self.traced
        steps = _read_path(path)

        def work() -> Selected:
            containers = self._reach(path, steps, root)
            here = containers.pop()
            force(here)
            history = self.spine if machine.merges else self.history
            return Selected(write_path(steps), plain(here, strict=True), self._origin(steps, here, containers, history))

        from ..trace.history import plain

        return guarded(machine, work)

    def explain_line(self, path: str, number: int) -> Explanation:
        """Where a line of a text came from; where there is a module system, the pieces that are in the line.

        The inputs are then those of the whole text.
        """
        from .texts import explain_line

        here = self._at(path)
        told = guarded(self.traced[0], lambda: explain_line(self, path, number, here()))
        return told or super().explain_line(path, number)

    def _at(self, path: str) -> Callable[[], Slot]:
        """What finds the slot at a path, inside of an evaluation."""
        root = self.traced[1]
        return lambda: self._reach(path, _read_path(path), root).pop()

    def text_of(self, path: str) -> str | None:
        from ..options.texts import text_behind

        machine, here = self.traced[0], self._at(path)
        behind = guarded(machine, lambda: text_behind(here(), machine))
        return None if behind is None else behind.text

    def meant(self, words: str, line: int | None = None) -> tuple[str, int | None, list[str]]:
        """For a line of a file of a machine, the text or the source of that file."""
        from .in_hand import in_lines

        path, number, others = super().meant(words, line)
        if number is not None and path != words:
            for text in in_lines(words):
                with suppress(Diagnostic):
                    if self.text_of(text) is not None:
                        return text, number, []
        return path, number, others

    def in_hand(self, words: str) -> list[str]:
        """The first option that is there, and is not null, of those that `words` could mean."""
        from .in_hand import candidates

        empty: list[str] = []
        for path in candidates(words):
            with suppress(Diagnostic):
                if self._is_null(path):
                    empty.append(path)
                    continue
                return [path]
        return empty[:1]

    def _is_null(self, path: str) -> bool:
        here = self._at(path)
        return guarded(self.traced[0], lambda: force(here()) is None)

    def has(self, path: str) -> bool:
        """Whether a path leads to something; what is there is not computed, and no origin is made."""
        machine, root = self.traced
        try:
            guarded(machine, lambda: self._reach(path, _read_path(path), root))
        except PathNotFound:
            return False
        except NixError:  # a part of the path fails: asking for the value reports it
            pass
        return True

    def record(self, path: str) -> None:
        """Compute the value at a path with recording on, so that its merges are known.  No origin is made of it."""
        machine, root = self.traced
        guarded(machine, lambda: force(self._reach(path, _read_path(path), root).pop()))

    def _select(self, path: str, steps: list[str | int], root: Slot) -> Selected:
        from ..trace.history import plain

        containers = self._reach(path, steps, root)
        here = containers.pop()
        force(here)
        return Selected(write_path(steps), plain(here, strict=True), self._origin(steps, here, containers))

    def _reach(self, path: str, steps: list[str | int], root: Slot) -> list[Slot]:
        """The slots on the way to a value, the root first and the value's own last (it is not computed)."""
        from ..trace.cells import How

        way = [root]
        for depth, step in enumerate(steps):
            container = way[-1] = self.request.called(self.traced[0], way[-1])
            here = self._step(path, steps[:depth], step, force(container))
            if type(here) not in (Thunk, tuple):
                here = (here, How("element", str(step), None), container)
            way.append(here)
        return way

    def _origin(
        self, steps: list[str | int], here: Slot, containers: list[Slot], history: History | None = None
    ) -> Origin:
        history = history or self.history
        origin: Origin = history.whole(here)
        if steps and isinstance(steps[-1], str) and type(force(containers[-1])) is Attrs:
            origin = history.replaced(containers[-1], steps[-1], origin)
        if not history.complete:
            return origin
        around = [history.own(container) for container in containers]
        tests = tuple(test for test in around if not (isinstance(test, Step) and not test.inputs))
        return Choice(tests, origin) if tests else origin

    def explain(self, path: str) -> Explanation:
        """Where the value at `path` came from; if it is an option of a module system, as an option."""
        machine, root = self.traced
        steps = _read_path(path)
        return guarded(machine, lambda: self._explain(path, steps, root, machine))

    def _explain(self, path: str, steps: list[str | int], root: Slot, machine: Machine) -> Explanation:
        from ...provenance.explain import Explanation
        from .options import explain_option

        explanation = explain_option(self, path, steps, root)
        if explanation is not None:
            return explanation
        if not machine.merges:
            selected = self._select(path, steps, root)
            return Explanation(selected.path, selected.value, selected.origin)
        from ..options.explain import Folded
        from ..trace.history import plain

        containers = self._reach(path, steps, root)
        here = containers.pop()
        value = plain(here, strict=True)
        return Folded(
            write_path(steps),
            value,
            self.spine_of(steps, here, containers),
            self.inputs_of(path),
            self.merges,
        )

    def observed(self, file: str) -> list[Observed]:
        """What the expressions of a file gave that were evaluated; the result is evaluated for it, within bounds."""
        from .observing import evaluated, observed_in

        machine, root = self.traced

        def work() -> list[Observed]:
            evaluated(root)
            return observed_in(file, root, self.history)

        return guarded(machine, work)

    @property
    def merges(self) -> Merges:
        """What the module systems of the recorded run merged."""
        if self._merges is None:
            from ..options.definitions import Merges

            main = self.request.path or self.machine.directory
            directory = main if os.path.isdir(main) else os.path.dirname(main)
            machine = self.traced[0]
            self._merges = Merges(
                machine.merges,
                os.path.abspath(directory),
                self.request.others(),
                self.request.library,
                machine.sources,
                partial(guarded, machine),
            )
        return self._merges

    def _step(self, path: str, before: list[str | int], step: str | int, value: Value) -> Slot:
        """The slot one step further on."""
        inside = write_path(before) or "the value"
        if type(value) is list:
            if isinstance(step, str) and not step.isdigit():
                raise PathNotFound(path, f"{inside} is a list, not a set")
            if int(step) >= len(value):
                raise PathNotFound(path, f"{inside} has {len(value)} elements, counted from 0")
            return value[int(step)]
        if isinstance(step, int):
            raise PathNotFound(path, f"{inside} is {describe_type(value)}, not a list")
        if type(value) is not Attrs:
            problem = PathNotFound(path, f"{inside} is {describe_type(value)}, not a set")
            if not before:
                problem.help = hint_for_module(value, self.request.path, path) or problem.help
            raise problem
        if step not in value.table:
            near = nearest(step, value.table)
            raise PathNotFound(path, f"{inside} has no attribute {step}", write_path([*before, near]) if near else None)
        return value.table[step]

    def missing(self, path: str) -> list[Diagnostic]:
        """Where the set that lacks the attribute was made, and the tests and `//` that made it what it is."""
        machine, root = self.traced
        return guarded(machine, lambda: self._missing(path, root))

    def _missing(self, path: str, root: Slot) -> list[Diagnostic]:
        from .options import missing_option

        if reasons := missing_option(self, _read_path(path), root):
            return reasons
        here: Slot = root
        for step in _read_path(path):
            value = force(here)
            if type(value) is list and (isinstance(step, int) or step.isdigit()) and int(step) < len(value):
                here = value[int(step)]
            elif type(value) is Attrs and step in value.table:
                here = value.table[str(step)]
            else:
                break
        notes: list[Diagnostic] = []
        seen: set[tuple[str, int]] = set()
        for node in reachable([self.history.own(here)]):
            span = getattr(node, "span", None)
            if span is None or (span.file.name, span.start) in seen or len(notes) == 12:
                continue
            match node:
                case Step(op=EmptySet() | EmptyList()):
                    words = "created here, without it"
                case Step(op=op):
                    words = f"computed here by {op}"
                case Choice(how=how) if how:
                    words = f"selected here ({how})"
                case _:
                    continue
            seen.add((span.file.name, span.start))
            notes.append(NothingHere(words, span))
        return notes

    def outputs(self) -> Iterator[Selected]:
        """Every number, string, ... with its path, in order of names; empty sets and lists too."""
        machine, root = self.traced
        paths = guarded(machine, lambda: list(_leaves(root, [], set(), self._configuration)))
        for steps in paths:
            yield guarded(machine, partial(self._output, write_path(steps), steps, root))

    def influenced(self) -> Iterator[Selected]:
        """The outputs; of a program that uses a library with what they depend on by masks."""
        if self._influenced is None:
            dependence = self.dependence
            rows = guarded(dependence.machine, lambda: list(dependence.outputs()))
            if not dependence.has_library:
                return self.outputs()
            self._influenced = guarded(
                dependence.machine, lambda: [dependence.selected(write_path(row.steps), row) for row in rows]
            )
            # two sides of a comparison need not be in memory at once: only what was read is kept of the run
            self._dependence = None
            del dependence, rows
            gc.collect()
        return iter(self._influenced)

    @property
    def repeats(self) -> bool:
        return self._influenced is None or len(self._influenced) <= MOST_REPEATED

    def values(self) -> Iterator[tuple[str, str, str, Any]]:
        """The outputs without their origins, which take far longer than the values."""
        machine, root = self.traced
        for steps in guarded(machine, lambda: list(_leaves(root, [], set(), self._configuration))):
            path = write_path(steps)
            yield "", path, "", guarded(machine, partial(self._plain_value, path, steps, root))

    def _plain_value(self, path: str, steps: list[str | int], root: Slot) -> object:
        from ..trace.history import plain

        try:
            return plain(self._reach(path, steps, root).pop(), strict=True)
        except NixError as problem:
            if not self.traced[0].merges:
                raise
            return f"«{lines_of(problem.message)[0]}»"

    def _configuration(self, value: Value) -> Slot | None:
        """The configuration, if a set is what a module system gave: its `options` are no outputs."""
        if type(value) is not Attrs or "config" not in value.table or "options" not in value.table:
            return None
        from .options import has_options

        return value.table["config"] if has_options(self.merges, force(value.table["options"])) else None

    def _output(self, path: str, steps: list[str | int], root: Slot) -> Selected:
        """One output; an option that has no value is one too."""
        try:
            return self._select(path, steps, root)
        except NixError as problem:
            if not self.traced[0].merges:
                raise
            return Selected(path, f"«{lines_of(problem.message)[0]}»", Absent("it failed"))

    def impact(self, target: str, absent: bool = False) -> Impact:
        """What may change, grouped by the definitions of options that hold the input."""
        from .impact import impact_of

        return impact_of(self, target)

    def definition(self, path: str) -> str | None:
        """The option behind a value and its definitions that count."""
        if not self.repeats:  # to record parts of a whole host takes many times what comparing it takes
            return None
        machine, root = self.traced
        if not machine.merges and self._influenced is None:
            return None
        from .options import defined_by

        return guarded(machine, lambda: defined_by(self, path, _read_path(path), root))

    def rewrites(self, path: str, wanted: object) -> Iterator[Rewrite | Obstacle]:
        """Changes of the sources that may give the value at `path`, or the option behind it, another value."""
        machine, root = self.traced
        return iter(guarded(machine, lambda: self._rewrites(path, wanted, root)))

    def _rewrites(self, path: str, wanted: object, root: Slot) -> list[Rewrite | Obstacle]:
        from .options import explain_option
        from .rewriting import changes_of

        steps = _read_path(path)
        option = explain_option(self, path, steps, root)
        selected = self._select(path, steps, root)
        own = [source for source in self.sources.values() if self.request.is_own(os.path.abspath(source.name))]
        return list(changes_of(self, selected.origin, selected.value, wanted, option, own))

    def apply(self, op: Op, arguments: list[object]) -> object:
        """Do an operation of a term again, on plain values."""
        from ..trace.terms import apply_operation

        return guarded(self.machine, lambda: apply_operation(self.machine, op, arguments))


def _positions(slot: Slot, path: str, seen: set[int]) -> Iterator[tuple[str, str]]:
    value = force(slot)
    if type(value) is not Attrs or id(value) in seen:
        return
    seen.add(id(value))
    for name in value.sorted_names():
        below = f"{path}.{write_path([name])}" if path else write_path([name])
        span = position_of(value, name)
        if span is not None:
            yield below, span.place
        yield from _positions(value.table[name], below, seen)


def _leaves(
    slot: Slot,
    steps: list[str | int],
    above: set[int],
    configuration: Callable[[Value], Slot | None],
    inside: bool = False,
) -> Iterator[list[str | int]]:
    """The paths of all smallest values; inside a configuration, of what failed too, and not of derivations."""
    try:
        value = force(slot)
    except NixError:
        if not inside:
            raise
        yield steps
        return
    if inside and type(value) is Attrs and "drvPath" in value.table:
        return
    chosen = configuration(value)
    if chosen is not None:
        yield from _leaves(chosen, [*steps, "config"], above, configuration, True)
        return
    if type(value) not in (list, Attrs) or id(value) in above:
        yield steps
        return
    above.add(id(value))
    if type(value) is list:
        children: list[tuple[str | int, Slot]] = list(enumerate(value))
    else:
        children = [(name, value.table[name]) for name in value.sorted_names()]
    if not children:
        yield steps
    for step, child in children:
        yield from _leaves(child, [*steps, step], above, configuration, inside)
    above.discard(id(value))


def _read_path(path: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        if path[at] == "." and steps:
            at += 1
        step = _STEP.match(path, at)
        if step is None:
            raise PathNotFound(path, "expected attribute names with dots between them, and [i] into lists")
        quoted, index, name = step.groups()
        if index is not None:
            steps.append(int(index))
        else:
            if quoted is not None:
                from ..syntax.lexer import unescape

                name = unescape(quoted)
            steps.append(name)
        at = step.end()
    return steps


def write_path(steps: Sequence[str | int]) -> str:
    from ..syntax.printer import show_name

    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += ("." if text else "") + show_name(step)
    return text


# --- running ----------------------------------------------------------------------------------------------------------


def guarded(machine: Machine, work: Callable[[], Result]) -> Result:
    """Do `work` with room for deep recursion, and turn what goes wrong into diagnostics with their places."""

    def run() -> Result:
        count_masking(machine.masks is not None)
        try:
            with running(machine.symbols.sorted, machine.dialect.version < (2, 25), machine.masks):
                return work()
        except NixError as problem:
            raise machine.explain_error(problem) from None
        finally:
            count_masking(-(machine.masks is not None))

    try:
        return machine.execution.do(run)
    except LimitReached as problem:
        if problem.message.startswith("nested too deeply"):
            problem.help = "stack overflow: perhaps an infinite recursion"
        raise
    except OutsideRoots as problem:
        if problem.path.startswith("/.") and not machine.host.environment("HOME"):
            problem.help = "this was looked for below HOME, which is not known: give one with --home and --root"
            problem.notes.append("nixpkgs looks for its configuration there; an empty directory has none")
        raise


class Request:
    """What is to be evaluated, so that it can be done again with recording on."""

    def __init__(
        self, path: str, host: Host, options: Mapping[str, Any], execution: ExecutionContext | None = None
    ) -> None:
        self.path = path
        self.host = host
        self.execution = execution or ExecutionContext()
        self.cache = None
        if isinstance(host, RealHost) and not options.get("no_cache"):
            from ..emit.cache import ProgramCache, default_directory

            self.cache = ProgramCache(default_directory())
        self.expression: str | None = options.get("expression", options.get("expr"))
        self.attr_path: str = options.get("attr_path") or ""
        self.search_path = [_search_entry(entry) for entry in _search_path(options)]
        self.args: Mapping[str, str] = options.get("args") or {}
        self.argstrs: Mapping[str, str] = options.get("argstrs") or {}
        self.directory: str | None = options.get("directory")
        self.fetched = {url: os.path.abspath(place) for url, place in (options.get("fetched") or {}).items()}
        self.flake: bool = bool(options.get("flake")) or _is_flake(path, host)
        asked = options.get("flake")
        self.flake_reference: str | None = asked if isinstance(asked, str) else None
        """How the flake was named, if not by its directory."""
        features = options.get("features") or ()
        self.dialect = parse_dialect(options.get("nix_version"), ["flakes", *features] if self.flake else features)
        self.override_inputs: Mapping[str, str] = options.get("override_inputs") or {}
        self.inputs_directory: str | None = options.get("inputs_directory")
        self.library = [os.path.abspath(directory) for directory in options.get("library") or ()]
        self.on_message: Callable[[str], None] | None = options.get("on_message")

    def evaluate(self, traced: bool, exact: bool = False, masked: bool = False) -> tuple[Machine, Slot]:
        """Run the program: the machine, and the slot of its value (with recording on, a cell).

        What the program prints is passed on once, however often it is run.
        """
        below = None if os.path.isabs(self.path) else os.getcwd()
        machine = Machine(
            self.host,
            self.search_path,
            directory=self.directory,
            traced=traced,
            names_below=below,
            exact=exact,
            execution=self.execution,
            dialect=self.dialect,
            cache=self.cache,
            masks=Masks() if masked else None,
            is_own=self.is_own,
            fetched=self.fetched,
            pure=self.flake,
        )
        machine.on_message, self.on_message = self.on_message, None

        def work() -> Slot:
            if self.expression is not None:
                slot: Slot = machine.evaluate_text(STRING, self.expression)
            elif self.flake:
                slot = self.flake_outputs(machine)
            else:
                slot = machine.import_file(os.path.abspath(self.path))
            force(slot)
            return self.pick(machine, slot)

        def root() -> Slot:  # in a masked run what `work` reads belongs to the root
            whole = delay(lambda: self.called(machine, work()))
            force(whole)
            return whole

        return machine, guarded(machine, root if masked else work)

    def is_own(self, path: str) -> bool:
        """Whether a file is the user's: below the directory of what was asked for, and no library's."""
        main = os.path.abspath(self.path or self.directory or os.getcwd())
        directory = main if os.path.isdir(main) else os.path.dirname(main)
        others = [*self.others(), *self.library]
        return _is_below(path, directory) and not any(_is_below(path, other) for other in others)

    def flake_outputs(self, machine: Machine) -> Slot:
        """The outputs of the flake in a directory."""
        from .flakes import load_flake

        flakes = load_flake(machine, self.path, self.override_inputs, self.inputs_directory, self.flake_reference)
        self.vendors = flakes.directories
        return flakes.outputs(flakes.whole)

    def others(self) -> list[str]:
        """The directories of code of others: inputs of a flake, the search path, what was fetched."""
        return [*self.vendors(), *(place for _, place in self.search_path), *self.fetched.values()]

    vendors: Callable[[], list[str]] = staticmethod(list)
    """The directories of a flake's inputs that were used: code of others."""

    def arguments(self, machine: Machine) -> dict[str, Slot]:
        """The arguments for functions, from the command line."""
        arguments: dict[str, Slot] = {}
        for name, text in self.args.items():
            arguments[name] = delay(lambda text=text: machine.evaluate_text(STRING, text))
        arguments.update(self.argstrs)
        if machine.masks is not None:
            for name, slot in arguments.items():
                arguments[name] = delay(partial(force, slot), None, machine.masks.bit("argument", name))
        if machine.traced:
            from ..trace.cells import argument_cell

            for name, slot in arguments.items():
                arguments[name] = argument_cell(name, force(slot), {**self.args, **self.argstrs}[name])
        return arguments

    def called(self, machine: Machine, slot: Slot) -> Slot:
        """What a function gives if all it needs has a default or was given; anything else as it is."""
        value = force(slot)
        if not is_function(value) or type(value).__name__ == "Builtin":
            return slot
        arguments = self.arguments(machine)
        formals = function_info(value).formals
        if formals is None or not all(has_default or name in arguments for name, (_, has_default) in formals.items()):
            return slot
        return auto_call(slot, arguments, machine)

    def pick(self, machine: Machine, slot: Slot) -> Slot:
        """The value at `attr_path`; functions on the way are called with the arguments given (`-A`, `--arg`)."""
        arguments = self.arguments(machine)
        steps = _read_path(self.attr_path)
        for step in steps:
            slot = auto_call(slot, arguments, machine)
            value = force(slot)
            if isinstance(step, int) or step.isdigit():
                if type(value) is not list:
                    raise WrongSelection(self.attr_path, "a list", describe_type(value))
                if int(step) >= len(value):
                    raise NothingSelected(f"list index {step} in selection path '{self.attr_path}' is out of range")
                slot = value[int(step)]
                continue
            if type(value) is not Attrs:
                raise WrongSelection(self.attr_path, "a set", describe_type(value))
            if step not in value.table:
                near = nearest(step, value.table)
                raise NothingSelected(f"attribute '{step}' in selection path '{self.attr_path}' not found", near)
            slot = value.table[step]
        # as in Nix, without arguments it is not called
        return auto_call(slot, arguments, machine) if arguments else slot


def auto_call(slot: Slot, arguments: Mapping[str, Slot], machine: Machine) -> Slot:
    """Call a function that has a pattern with those of `arguments` it names; anything else stays as it is."""
    value = force(slot)
    if type(value) is Attrs and "__functor" in value.table:
        return auto_call(call(force(value.table["__functor"]), value), arguments, machine)
    if not is_function(value) or type(value).__name__ == "Builtin":
        return slot
    info = function_info(value)
    if info.formals is None:
        return slot
    if info.ellipsis:
        given = dict(arguments)
    else:
        given = {name: arguments[name] for name in info.formals if name in arguments}
    for name, (span, has_default) in info.formals.items():
        if not has_default and name not in given:
            raise MissingArgument(function_name(info), name, span).with_note("give it with --arg or --argstr")
    if machine.masks is not None:
        machine.masks.use("argument", "")
    if not machine.traced:
        return apply(value, Attrs(given))
    from ..trace.cells import arguments_cell

    return apply(value, arguments_cell(given))


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _is_flake(path: str, host: Host) -> bool:
    """Whether a directory is to be taken as a flake: it has a `flake.nix` and no `default.nix`."""
    if not path or not host.is_directory(path):
        return False
    return host.is_file(os.path.join(path, "flake.nix")) and not host.is_file(os.path.join(path, "default.nix"))


def _search_path(options: Mapping[str, Any]) -> list[str]:
    """The entries of `-I`, then those of `NIX_PATH`, if the program may see that."""
    shown = (options.get("environ") or {}).get("NIX_PATH", "")
    # a colon separates entries, unless it begins what stands after the scheme of a URL
    return [*(options.get("search_path") or ()), *(entry for entry in re.split(r":(?!//)", shown) if entry)]


def _search_entry(text: str) -> tuple[str, str]:
    prefix, equals, path = text.partition("=")
    if not equals:
        prefix, path = "", text
    return prefix, os.path.abspath(path)


class Nix(Language):
    """Nix 2.8."""

    name = "nix"
    suffixes = (".nix",)

    def roots(self, inputs: Inputs) -> Sequence[str]:
        """The directories of the search path; for an expression without a file, the current one."""
        directories = [_search_entry(entry)[1] for entry in _search_path(inputs.options)]
        if inputs.options.get("expression", inputs.options.get("expr")) is not None:
            directories.append(".")
        directories.extend((inputs.options.get("override_inputs") or {}).values())
        directories.extend((inputs.options.get("fetched") or {}).values())
        if inputs.options.get("inputs_directory"):
            directories.append(inputs.options["inputs_directory"])
        return directories

    def check(self, source: SourceFile, host: Host) -> list[Diagnostic]:
        """Syntax errors, or else every variable that nothing binds."""
        return ExecutionContext().do(lambda: _check(source, host))

    def mentions(self, source: SourceFile) -> list[Mention]:
        """Bindings, arguments and attributes with their uses, in what can be read of a file."""
        from ..syntax.mentions import mentions_in
        from ..syntax.recovering import recovered

        def work() -> list[Mention]:
            try:
                tree = parse(source, home="/homeless")
            except WherefromError:
                tree = recovered(source)
            return mentions_in(tree, source)

        from ..syntax.parser import parse

        return with_deep_stack(work)

    def expected(self, source: SourceFile, offset: int) -> Expected | None:
        """Names of the file and the folder, and what is bound outside every program; behind a dot, parts."""
        from ...base.mentions import Expected, expected_name
        from ..kernel.names import global_names, names
        from ..syntax.lexer import KEYWORDS

        words = (*global_names(), *KEYWORDS)
        expected = expected_name(source, self.tokens(source), offset, "_'-", ".", words)
        if expected is not None and expected.owner == "builtins":
            return Expected(expected.start, (), words=tuple(names()))
        return expected

    def tokens(self, source: SourceFile) -> list[Token]:
        """The pieces of a file."""
        from ..syntax.tokens import tokens_of

        return list(tokens_of(source))

    def run(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext | None = None) -> NixOutcome:
        """Evaluate a file, or the text in the option `expression`."""
        if not path and inputs.options.get("expression", inputs.options.get("expr")) is None:
            raise UsageError("nothing to evaluate: give a file or an expression")
        host.grant(inputs.options.get("environ") or {})
        request = Request(path, host, inputs.options, execution)
        return NixOutcome(request, bool(inputs.options.get("trace")))


def _check(source: SourceFile, host: Host) -> list[Diagnostic]:
    from ..syntax.parser import parse
    from ..syntax.scope import check_names

    try:
        tree = parse(source, home=host.environment("HOME") or "/homeless")
    except ManyErrors as problems:
        return problems.diagnostics
    except Diagnostic as problem:
        return [problem]
    return sorted(check_names(tree), key=lambda problem: problem.span.start if problem.span else 0)


def show_parse(source: SourceFile, host: Host, directory: str | None = None) -> str:
    """The tree of a text as `nix-instantiate --parse` prints it; all names must be bound."""
    from ..syntax.parser import parse
    from ..syntax.printer import show
    from ..syntax.scope import check_names

    def work() -> str:
        tree = parse(source, directory, host.environment("HOME"))
        problems = list(check_names(tree))
        if problems:
            raise problems[0]
        return show(tree)

    return ExecutionContext().do(work)


LANGUAGE = Nix()
