"""The machine: one evaluation's world and memory, and the way from a source text to a value.

*source -> tree -> checked names -> generated Python -> value.* A machine holds the host (the only door to files), the
search path, the files already imported, the set `builtins`, what the program asked to have printed, and the store
paths it made up. It is made for one run, traced or not; `compile` picks the code generator.
"""

from __future__ import annotations

import marshal
import os.path
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...base.diagnostics import CannotRead, Label, ManyErrors
from ...base.execution import ExecutionContext
from ...base.source import SourceFile
from ..builtins import find, make_builtins
from ..builtins.support import look_at, note_input
from ..emit.program import place_of
from ..kernel.errors import InfiniteRecursion, NixError, PathProblem
from ..kernel.names import INDEX
from ..kernel.paths import STRING, known_name
from ..kernel.values import (
    Attrs,
    Builtin,
    NixPath,
    Slot,
    Thunk,
    Value,
    delay,
    expect_recording,
    from_bytes,
    with_context,
)
from ..kernel.versions import OLD, Dialect
from .symbols import Symbols, names_in

if TYPE_CHECKING:
    from ...base.host import Host
    from ..emit.cache import ProgramCache
    from ..emit.program import Codes, Program
    from ..emit.walk import Emitter
    from ..kernel.running import Masks
    from ..store.derivation import Store
    from ..syntax.tree import Expr
    from ..trace.merges import Merge

METERED = 6
"""Steps that a call of a function which is counted takes."""


ALLOWANCE = 1_024
"""Calls that are drawn from the budget at once."""


class Machine:
    """One evaluation."""

    def __init__(
        self,
        host: Host,
        search_path: Sequence[tuple[str, str]] = (),
        system: str = "x86_64-linux",
        directory: str | None = None,
        traced: bool = False,
        names_below: str | None = None,
        exact: bool = False,
        execution: ExecutionContext | None = None,
        dialect: Dialect = OLD,
        cache: ProgramCache | None = None,
        masks: Masks | None = None,
        is_own: Callable[[str], bool] = lambda path: True,
        fetched: Mapping[str, str] | None = None,
        pure: bool = False,
    ) -> None:
        self.execution = execution or ExecutionContext()
        self.host = host
        self.search_path = list(search_path)
        self.fetched = fetched or {}
        self.pure = pure
        """A flake is evaluated: what lies outside of it and its inputs does not exist."""
        self.system = system
        self.dialect = dialect
        """The Nix whose language and builtins count: see `kernel.versions`."""
        self.directory = directory if directory is not None else os.getcwd()
        self.traced = traced
        self.names_below = names_below
        """Files below this directory are called by their relative names in messages and histories."""
        self.looked: list[Any] = []
        if traced:
            expect_recording()
        self.masks = masks
        """In a masked run: what gathers the inputs of every value (`kernel.masks`)."""
        self.is_own = is_own
        """Whether a file (by its absolute path) is the user's, in a masked run: its parts are inputs."""
        self.exact = exact
        """Make a thunk wherever Nix makes one, so that printing without `--strict` shows the same `<CODE>`."""
        self.sources: dict[str, SourceFile] = {}
        self.messages: list[str] = []
        self.merges: list[Merge] = []
        """With recording on: every merge of a module system's definitions, see `trace.merges`."""
        self.on_message: Callable[[str], None] | None = None
        self._imported: dict[str, Value] = {}
        self._functions: dict[str, Builtin] = {}
        self._copied: dict[str, str] = {}
        self._store: Store | None = None
        self.symbols = Symbols()
        self.meter = [True]
        """Counts the calls of functions that may run for ever: above a `True` it has a `False` for each that may still
        be made.  To take one off is the cheapest way to count; after the last, `allow_more` adds some.
        """
        self.cache = cache
        """Where compiled files are kept, if anywhere; written when this evaluation is over."""
        self.compiled: dict[str, Codes] = {}
        """Compiled code, by its text: files of the same shape have much of it in common."""
        self._names: dict[str, tuple[str, ...]] = {}
        self.programs: dict[str, tuple[Program, bytes]] = {}
        """The compiled files of this evaluation, by their keys in the cache."""
        if cache is not None:
            weakref.finalize(self, cache.keep, self.programs)
        self.builtins: Attrs = make_builtins(self)

    # --- what builtins ask for ---

    def allow_more(self) -> bool:
        """Draw calls from the budget in force, a thousand at a time, and make the first of them."""
        budget = current()
        calls = min(ALLOWANCE, budget.steps // METERED)
        self.meter.append(True)
        if calls <= 0:
            budget.over("steps", "calling functions")
        budget.steps -= calls * METERED
        self.meter.extend([False] * (calls - 1))
        return True

    @property
    def store(self) -> Store:
        """What this evaluation would have put into the store."""
        if self._store is None:
            from ..store.derivation import Store

            self._store = Store()
        return self._store

    def trace(self, message: str) -> None:
        """Print a line for `builtins.trace`."""
        self.messages.append(message)
        if self.on_message is not None:
            self.on_message(message)

    def file_value(self, path: str, content: str) -> Slot:
        """The content of a file read by the program; with tracing on it knows that it is an input."""
        if self.traced:
            from ..trace.cells import file_input

            return file_input(path, content)
        return content

    def copy_to_store(self, path: NixPath) -> str:
        """The store path that a copy of `path` would have, with itself as context."""
        store_path = self._copied.get(path.text)
        if store_path is None:
            from ..builtins.files import add_to_store

            store_path = self._copied[path.text] = add_to_store(self, path.text, os.path.basename(path.text))
        note_input(self, "file", path.text, store_path)  # it is made from a hash of what the file holds
        return with_context(store_path, (store_path,))

    def builtin(self, name: str) -> Builtin:
        """The builtin function `name`."""
        known = self._functions.get(name)
        if known is None:
            entry = find(name)
            known = self._functions[name] = Builtin(name, entry.arity, entry.function, self, (), entry.looks)
        return known

    def load_builtin(self, name: str) -> Slot:
        """What `builtins` holds under this name."""
        if name in INDEX:
            return self.builtin(name)
        from ..builtins.constants import constant_value

        return constant_value(self, name)

    def builtin_cell(self, name: str) -> Thunk:
        """The slot of something in `builtins`, as a thunk even if it is a plain value: for recording code."""
        slot = self.builtins.table[name]
        return slot if type(slot) is Thunk else delay(None, slot)

    def call_builtin(self, builtin: Builtin, arguments: tuple[Slot, ...]) -> Slot:
        """Run a builtin that has all its arguments."""
        if self.traced:
            from ..trace.cells import traced_call

            return traced_call(builtin, arguments, None)
        return builtin.function(self, *arguments)

    def mount(self, path: str, store_path: str) -> None:
        """Show a file or directory under a store path from now on."""
        from ..flakes.sources import Tree, mounting

        self.host = host = mounting(self.host)
        host.mount(Tree(path, store_path, {}))

    def fetch_directory(self, reference: Mapping[str, object]) -> Slot:
        """`builtins.fetchTree` of a local directory or git repository."""
        from ..flakes.sources import git_directory
        from .flakes import Flakes

        return Flakes(self, {}, None).tree_value(git_directory(reference) or str(reference["path"]), reference)

    def get_flake(self, reference: str) -> Slot:
        """`builtins.getFlake`: the flake in a local directory."""
        from .flakes import load_flake

        flakes = load_flake(self, self.directory, {}, None, reference)
        return flakes.call(flakes.whole)

    # --- from text to values ---

    def parse(self, source: SourceFile, directory: str) -> Expr:
        """The tree of a text."""
        self.sources[source.name] = source
        from ..syntax.lexer import tokenize
        from ..syntax.parser import parse_tokens

        tokens = tokenize(source)
        if source.name == STRING or not source.name.startswith("«"):
            names = tuple(dict.fromkeys(names_in(tokens)))
            self.symbols.read(lambda: names)
            self._names[source.name] = names
        return parse_tokens(tokens, directory, self.host.environment("HOME"), self.dialect)

    def check_names(self, tree: Expr, outside: Sequence[str] = ()) -> None:
        """Raise the errors of all names that nothing binds."""
        from ..syntax.scope import check_names

        problems = list(check_names(tree, outside, self.dialect))
        if problems:
            problems.sort(key=lambda problem: problem.span.start if problem.span else 0)
            raise problems[0] if len(problems) == 1 else ManyErrors(problems)

    def compile(
        self, source: SourceFile, directory: str, scope: Mapping[str, Slot] | None = None
    ) -> Callable[[], Slot]:
        """The program of a text, as a Python function."""
        if self.traced:
            from ..emit.recording import image
        elif self.masks is not None:
            from ..emit.masking import image
        else:
            from ..emit.program import plain_image as image
        run = image(self.program(source, directory, scope), self, source, directory).load("u0")
        slots = list((scope or {}).values())
        return lambda: run(*slots)

    def program(self, source: SourceFile, directory: str, scope: Mapping[str, Slot] | None) -> Program:
        """The compiled program of a text: a file's from the cache, if it is there."""
        if self.cache is None or scope is not None or source.name == STRING:
            return self._compiled(source, directory, tuple(scope or ()))
        mode = "traced" if self.traced else "exact" if self.exact else "plain"
        if self.masks is not None:
            mode = "masked own" if self._is_own(source) else "masked"
        home = self.host.environment("HOME") if "~/" in source.text else ""
        key = self.cache.key(f"{mode} {self.dialect.version} {sorted(self.dialect.features)}\n{home}", source.text)
        cached = self.cache.find(key)
        if cached is None:
            program = self._compiled(source, directory)
            names = marshal.dumps(self._names.pop(source.name, ()))
        else:
            program, names = cached
            self.sources[source.name] = source
            self.symbols.read(lambda: marshal.loads(names))
        self.programs[key] = program, names
        return program

    def precompile(self, path: str) -> None:
        """Have a file in the cache, with all of its units compiled."""
        program = self.program(self.read_source(path), os.path.dirname(path), None)
        for name in program.unit_names:
            program.code(name, self.compiled)

    def _compiled(self, source: SourceFile, directory: str, outside: Sequence[str] = ()) -> Program:
        tree = self.parse(source, directory)
        emitter: Emitter
        if self.traced:
            from ..emit.traced import Traced

            emitter = Traced(self, source)
        elif self.masks is not None:
            from ..emit.masked import Masked

            emitter = Masked(self, source, self._is_own(source))
        else:
            from ..emit.plain import Plain

            emitter = Plain(self, source)
        program = emitter.compile(tree, outside)
        if emitter.unbound:
            self.check_names(tree, outside)
        return program

    def _is_own(self, source: SourceFile) -> bool:
        if source.name.startswith("«"):
            return source.name == STRING
        return self.is_own(os.path.join(self.names_below or "/", source.name))

    def evaluate_text(self, name: str, text: str, directory: str | None = None) -> Slot:
        """The value of a text."""
        known = name if name == STRING else f"«{name}»"  # a text of the language's own: nobody can change it
        return self.compile(SourceFile(known, text), directory or self.directory)()

    def read_source(self, path: str) -> SourceFile:
        """A Nix file's text.  Bytes that are no UTF-8 are kept, as Nix keeps them."""
        text = self._store.texts.get(path) if self._store is not None else None
        data = text if text is not None else self.host.read_bytes(path)
        return SourceFile(known_name(self.host.real(path), self.names_below), from_bytes(data))

    def resolve_import(self, path: str) -> str:
        """The file that `import path` reads: a directory's `default.nix`, and links followed."""
        for _ in range(64):
            target = self.host.link_target(path)
            if target is None:
                break
            path = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if self.host.is_directory(path):
            path = os.path.normpath(os.path.join(path, "default.nix"))
        return path

    def import_file(self, path: str, scope: Attrs | None = None) -> Slot:
        """`import path`; each file is evaluated once.  With a scope (`scopedImport`), each time."""
        file = self.resolve_import(path)
        if scope is not None:
            source = self.read(file, path)
            if self.masks is not None:
                self.masks.used |= self._import_bit(source.name)
            return self.compile(source, os.path.dirname(file), scope.table)()
        if file not in self._imported:
            run = self.compile(self.read(file, path), os.path.dirname(file))
            bit = self._import_bit(known_name(self.host.real(file), self.names_below)) if self.masks else None
            self._imported[file] = delay(run, None, bit)
        return self._imported[file]

    def _import_bit(self, name: str) -> int:
        """The bit of a file that is run, in a masked run."""
        assert self.masks is not None
        return self.masks.bit("import", name, value=self.is_own(os.path.join(self.names_below or "/", name)))

    def read(self, file: str, named: str) -> SourceFile:
        """A file to be imported, by this name or in a directory of this name; or Nix's words for why there is none."""
        try:
            return self.read_source(file)
        except CannotRead as problem:
            look_at(self, named)
            reason = problem.message.rpartition(": ")[2]
            if reason.startswith("no such"):
                tried = "getting status of" if named == file else "opening file"
                raise PathProblem(f"{tried} '{file}': No such file or directory") from None
            if reason == "not a directory":
                raise PathProblem(f"getting status of '{file}': Not a directory") from None
            raise

    # --- errors ---

    def explain_error(self, problem: NixError) -> NixError:
        """Add places to an error that only the machine can know: the thunks of an infinite recursion."""
        if isinstance(problem, InfiniteRecursion) and len(problem.labels) <= 1:
            places = []
            for code, given in problem.cycle:
                place = place_of(code, given)
                if place is not None and place not in places:
                    places.append(place)
            if places:
                again, *between = places
                problem.labels[:] = [Label(again, "needed again here, while it is being evaluated")]
                problem.labels.extend(Label(span, "which is needed by this") for span in between[:6])
        return problem
