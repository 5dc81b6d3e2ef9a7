"""A `Session`: everything of a run, on one object; and the pipeline on one screen.

    session = wherefrom.Session(roots=["/srv/modules"])
    outcome = session.compile("site.pp", node="web01", facts=facts)   # a path and inputs become an outcome
    outcome.explain("File[/etc/motd].mode")                           # where a value came from
    session.changed("modules/ntp/manifests/init.pp")                  # an editor says so; or the session looks itself
    session.compile("site.pp", node="web01", facts=facts)             # only what depends on that file is read again

A run is three steps: a host that reads below the given directories and nowhere else; the language, by suffix or as
named; and the language's own `run`, which works in the session's `ExecutionContext` (deep stack, garbage collector,
caches between runs). Nothing of a run lives in a module, so any number of sessions may exist in one process
and work at once, each in a thread of its own. Threads that share a session take turns. Nothing here knows one language
from another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .base.budget import Budget
from .base.contained import doing
from .base.diagnostics import CannotRead, Diagnostic, ManyErrors, NotText, UsageError, WherefromError, once
from .base.execution import ExecutionContext
from .base.host import STANDARD_INPUT, ChangedHost, Host, InputHost, OverlaidHost, RealHost
from .language import Inputs, Language, Outcome, Snapshot
from .languages import language_at, language_of, language_to_check, load_language

if TYPE_CHECKING:
    from .causes import Again
    from .comparison import Comparison
    from .contained import Contained
    from .edits import EditedSide
    from .provenance.explain import Explanation
    from .provenance.impact import Impact
    from .provenance.inventory import Inventory
    from .revisions import RevisionHost


def host_for(path: str, roots: Iterable[str] = ()) -> Host:
    """A host that reads below the directory of `path` (or `path` itself, if it is one) and below `roots`."""
    own = path if os.path.isdir(path) else os.path.dirname(path) or "."
    return RealHost([own, *roots])


def _modules_by_file(host: Host, path: str) -> tuple[str, Iterable[str]]:
    """Where the `Puppetfile` of an environment has its modules put, and their names."""
    from .puppetfile import NAME, directory_of, modules_of

    file = os.path.join(path, NAME)
    text = host.source(file).text if host.is_file(file) else ""
    return os.path.join(path, directory_of(text)), modules_of(text)


def with_files(host: Host, files: Mapping[str, bytes | None] | None) -> Host:
    """The same host, with other contents of some files."""
    return ChangedHost(host, files) if files else host


class _Hosts(dict[tuple[Any, ...], Host]):
    """Who reads, by the place and what names the roots."""


class Session:
    """Many runs that share what they read; see the module's text.

    `roots` are directories that every run may read, besides the one of the file it is given. `options` are the
    languages' own (`modulepath`, `search_path`, `max_nodes`, ...), for every run; a run's own come before them. Every
    run may use what `budget` says, anew. While a run computes, Python's collector of cycles rests; with `rest=False` it
    is left alone.

    A `contained` session does its runs in a child process, which the kernel bounds: one operation that can not be
    interrupted ends with the child, as a diagnostic. Its outcomes are what saved ones are (`wherefrom.contained`).
    """

    def __init__(
        self,
        *,
        roots: Iterable[str] = (),
        budget: Budget | None = None,
        rest: bool = True,
        contained: bool = False,
        **options: Any,
    ) -> None:
        self.roots = tuple(roots)
        self.options = options
        self.execution = ExecutionContext(rest, budget)
        self.budget = self.execution.budget
        self._revisions: dict[tuple[str, str, str, str | None], RevisionHost] = {}
        self._overlays: dict[str, bytes] = {}
        self._child: Contained | None = None
        if contained:
            from .contained import Contained

            self._child = Contained(Session(roots=self.roots, budget=budget, rest=rest, **options))

    def close(self) -> None:
        """Let the child of a contained session go; others have none."""
        if self._child is not None:
            self._child.close()

    # --- from a path to an outcome ---

    def compile(
        self,
        path: str,
        *,
        language: str | None = None,
        node: str | None = None,
        facts: Mapping[str, object] | None = None,
        roots: Iterable[str] = (),
        **options: object,
    ) -> Outcome:
        """Compile a file or directory.  `roots` are further directories it may read; `options` the language's own.

        Raises `Diagnostic` or `ManyErrors` (both `WherefromError`) when the configuration is wrong.
        """
        return self.run(path, Inputs(node, facts or {}, options), language=language, roots=roots)

    def run(
        self,
        path: str,
        inputs: Inputs,
        *,
        language: str | None = None,
        roots: Iterable[str] = (),
        content: bytes | None = None,
        files: Mapping[str, bytes | None] | None = None,
    ) -> Outcome:
        """Compile `path` with ready-made inputs; a saved outcome is loaded instead; `path@rev` is read from git.

        `content` is that of the file `-`, which is none: what standard input said. `files` have another content for
        this run than where they lie; nothing for one that is not to be there.
        """
        if self._child is not None:
            given = {"language": language, "roots": tuple(roots), "content": content, "files": files}
            return self._child.run(path, inputs, given)
        doing(f"compiling {path}")
        if content is not None:
            chosen = load_language(language or "puppet")
            inputs = self._with_options(inputs)
            host: Host = InputHost([".", *self.roots, *roots, *chosen.roots(inputs)], content)
            return self.execution.do(lambda: chosen.run(STANDARD_INPUT, host, inputs, self.execution))
        if path.endswith(".json") and language is None:
            return self.load(path)
        if "@" in path:
            from .revisions import split_revision

            name, revision = split_revision(path)
            if revision is not None:
                return self._run_revision(name, revision, inputs, language, roots, files)
        chosen = load_language(language or language_at(path))
        inputs = self._with_options(inputs)
        read = with_files(self._reading(path, inputs, chosen, roots), files)
        return self.execution.do(lambda: chosen.run(path, read, inputs, self.execution))

    def _run_revision(
        self,
        path: str,
        revision: str,
        inputs: Inputs,
        language: str | None,
        roots: Iterable[str],
        files: Mapping[str, bytes | None] | None = None,
    ) -> Outcome:
        """Compile `path` as it was.  A revision does not change: what was read of it serves further runs."""
        inputs = self._with_options(inputs)
        chosen, host = self._at_revision(path, revision, inputs, language, roots)
        read = with_files(host, files)
        return self.execution.do(lambda: chosen.run(path, read, inputs, self.execution))

    def again(
        self, paths: Sequence[str], inputs: Sequence[Inputs], *, language: str | None = None, roots: Iterable[str] = ()
    ) -> Again | None:
        """Who compiles one of two sides again with some edits made or taken back; nobody for saved outcomes."""
        from .edits import with_inputs

        if any(path.endswith(".json") and language is None for path in paths):
            return None

        def compiled(side: int, changes: EditedSide) -> Outcome | None:
            given = with_inputs(inputs[side], changes.inputs)
            try:
                return self.run(paths[side], given, language=language, roots=roots, files=changes.files)
            except WherefromError:
                return None

        return compiled

    def _at_revision(
        self, path: str, revision: str, inputs: Inputs, language: str | None, roots: Iterable[str]
    ) -> tuple[Language, Host]:
        from .revisions import RevisionHost

        modules: str | None = inputs.options.get("modules_from")
        key = (os.getcwd(), path, revision, modules)
        host = self._revisions.get(key)
        if host is None:
            host = self._revisions[key] = RevisionHost(path, revision)
            folder, names = _modules_by_file(host, path)
            host.expect(os.path.join(folder, name) for name in names)
            if modules is not None:
                host.lend(folder, modules)
        chosen = load_language(language or ("puppet" if host.is_directory(path) else language_of(path)))
        several = (*self.roots, *roots)
        named = chosen.named_by(inputs) if self.execution.is_still else None
        hosts = self.execution.keep(_Hosts)
        if named is None or (key, several, named) not in hosts:
            host.allow([*several, *chosen.roots(inputs)])
            if named is not None:
                hosts[key, several, named] = host
        if host.kind(path) is None:
            raise CannotRead(path, f"not in revision {revision}")
        return chosen, host

    def answers(self, path: str, inputs: Inputs, *, language: str | None = None, roots: Iterable[str] = ()) -> Snapshot:
        """What the files at `path` (or `path@rev`) answer now to what an earlier run of it read."""
        from .revisions import split_revision

        self._refuse_contained()
        name, revision = split_revision(path)
        inputs = self._with_options(inputs)
        if revision is not None:
            chosen, host = self._at_revision(name, revision, inputs, language, roots)
            return chosen.answers(name, host, inputs, self.execution)
        chosen = load_language(language or language_at(name))
        host = self._host(name, [*self.roots, *roots, *chosen.roots(inputs)])
        return chosen.answers(name, host, inputs, self.execution)

    def evaluate(
        self, expression: str, *, language: str = "nix", roots: Iterable[str] = (), **options: object
    ) -> Outcome:
        """Evaluate an expression given as text."""
        if self._child is not None:
            return self._child.evaluate(expression, {"language": language, "roots": tuple(roots), **options})
        doing("evaluating an expression")
        chosen = load_language(language)
        inputs = self._with_options(Inputs(None, {}, {**options, "expression": expression}))
        host = RealHost([*self.roots, *roots, *chosen.roots(inputs)])
        return self.execution.do(lambda: chosen.run("", host, inputs, self.execution))

    def load(self, path: str) -> Outcome:
        """Read an outcome saved by `wherefrom compile --save`."""
        from .saved import restore

        return restore(self._host(path, self.roots).read_bytes(path))

    def _reading(self, path: str, inputs: Inputs, chosen: Language, roots: Iterable[str]) -> Host:
        """Who reads for a run; while files stand still, whoever read for one of the same place and roots."""
        several = (*self.roots, *roots)
        named = chosen.named_by(inputs) if self.execution.is_still and not self._overlays else None
        if named is None:
            return self._host(path, [*several, *chosen.roots(inputs)])
        hosts = self.execution.keep(_Hosts)
        key = os.getcwd(), path, chosen.name, several, named
        host = hosts.get(key)
        if host is None:
            host = hosts[key] = self._host(path, [*several, *chosen.roots(inputs)])
        return host

    def _host(self, path: str, roots: Iterable[str] = ()) -> Host:
        """Who reads for a run of `path`: the files as they are, or as they were laid over."""
        if not self._overlays:
            return host_for(path, roots)
        own = path if os.path.isdir(path) else os.path.dirname(path) or "."
        return OverlaidHost([own, *roots], self._overlays)

    def _refuse_contained(self) -> None:
        if self._child is not None:
            raise UsageError("a contained session can compile, check and answer: use a session that is not contained")

    def _with_options(self, inputs: Inputs) -> Inputs:
        return Inputs(inputs.node, inputs.facts, {**self.options, **inputs.options}) if self.options else inputs

    # --- questions ---

    def explain(self, path: str, value_path: str, **inputs: Any) -> Explanation:
        """Where the value at `value_path` came from, in the outcome of `path`; `inputs` as for `compile`."""
        return self.compile(path, **{"trace": True, **inputs}).explain(value_path)

    def impact(self, path: str, target: str, **inputs: Any) -> Impact:
        """Which outputs of `path` may change when an input does: `FILE:LINE[:COLUMN]`, `fact:NAME`, `hiera:KEY`."""
        return self.compile(path, **{"trace": True, **inputs}).impact(target)

    def diff(self, before: str, after: str, **inputs: Any) -> Comparison:
        """What differs between the outcomes of two paths, and which edit made each difference."""
        from .comparison import compare

        language, roots = inputs.pop("language", None), inputs.pop("roots", ())
        given = Inputs(inputs.pop("node", None), inputs.pop("facts", None) or {}, {"trace": True, **inputs})
        old, new = (self.run(path, given, language=language, roots=roots) for path in (before, after))
        return compare(old, new, self.again((before, after), (given, given), language=language, roots=roots))

    def check(self, path: str, *, language: str | None = None, **options: object) -> list[Diagnostic]:
        """Parse and validate one file: every error and warning in it.  An unreadable file is an error too."""
        if self._child is not None:
            return self._child.check(path, {"language": language, **options})
        doing(f"checking {path}")
        host = self._host(path, self.roots)
        chosen = load_language(language or language_to_check(path))
        try:
            source = host.source(path)
            inputs = self._with_options(Inputs(None, {}, options))
            return once(self.execution.do(lambda: chosen.check_with(source, host, inputs)))
        except (CannotRead, NotText) as problem:
            return [problem]
        except ManyErrors as problems:
            return once(problems.diagnostics)
        except Diagnostic as problem:
            return [problem]

    def check_all(self, path: str, inputs: Inputs, *, roots: Iterable[str] = ()) -> list[Diagnostic]:
        """What is wrong with a directory as a whole: names that nothing defines, data that is wrong."""
        if self._child is not None:
            return self._child.check_all(path, inputs, tuple(roots))
        chosen = load_language(language_at(path))
        inputs = self._with_options(inputs)
        host = self._host(path, [*self.roots, *roots, *chosen.roots(inputs)])
        return once(chosen.check_all(path, host, inputs, self.execution))

    def inventory(self, path: str, inputs: Inputs, *, roots: Iterable[str] = ()) -> Inventory:
        """Everything that is written in a directory: definitions, and keys of the data."""
        self._refuse_contained()
        chosen = load_language(language_at(path))
        inputs = self._with_options(inputs)
        host = self._host(path, [*self.roots, *roots, *chosen.roots(inputs)])
        return chosen.inventory(path, host, inputs, self.execution)

    # --- many runs ---

    def changed(self, *paths: str) -> None:
        """Say that files or directories are not what they were: what depends on them is read again when needed."""
        if self._child is not None:
            self._child.tell("changed", *map(os.path.abspath, paths))
        self.execution.changed(os.path.abspath(path) for path in paths)

    def cancel(self) -> None:
        """End the run that another thread does in this session: there it raises `Cancelled`.  Nothing waits for it."""
        self._refuse_contained()
        self.execution.cancel()

    def overlay(self, texts: Mapping[str, str]) -> None:
        """Read these texts in place of the files', as an editor has them, and all other files as they lie there."""
        self._refuse_contained()
        laid = {os.path.realpath(path): text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
        before, self._overlays = self._overlays, laid
        changed = [path for path in {**before, **laid} if before.get(path) != laid.get(path)]
        if not all(os.path.exists(path) for path in changed):
            self.clear()  # that nothing is there went into answers of all kinds
        elif changed:
            self.changed(*changed)

    def clear(self) -> None:
        """Forget everything that was read."""
        if self._child is not None:
            self._child.tell("clear")
        self.execution.clear()

    # --- the batch protocol ---

    def answer(self, document: Mapping[str, object]) -> dict[str, Any]:
        """One `batch` request: a Puppet compilation unless it names another `language`.

        What is wrong with the configuration is in the answer; `UsageError` is raised for what is no request.
        """
        if self._child is not None:
            return self._child.answer(document)
        from .batch import read_request

        request = read_request(document)
        chosen = load_language(request.language)
        return self.execution.do(lambda: chosen.answer(request, self.execution, self.roots))
