"""A `Session`: everything of a run, on one object; and the pipeline on one screen.

    session = wherefrom.Session(roots=["/srv/modules"])
    outcome = session.compile("site.pp", node="web01", facts=facts)   # a path and inputs become an outcome
    outcome.explain("File[/etc/motd].mode")                           # wherefrom a value came
    session.changed("modules/ntp/manifests/init.pp")                  # an editor says so; or the session looks itself
    session.compile("site.pp", node="web01", facts=facts)             # only what hangs on that file is read again

A run is three steps: a host that reads below the given directories and nowhere else; the language, by suffix or as
named; and the language's own `run`, which works in the session's `Workshop` (deep stack, collector of cycles, what is
kept from one run for the next). Nothing of a run lives in a module, so any number of sessions may exist in one process
and work at once, each in a thread of its own. Threads that share a session take turns. Nothing here knows one language
from another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .base.budget import Budget
from .base.diagnostics import CannotRead, Diagnostic, ManyErrors, NotText, once
from .base.host import STANDARD_INPUT, Host, InputHost, RealHost
from .base.workshop import Workshop
from .language import Answers, Inputs, Language, Outcome
from .languages import language_at, language_of, load_language

if TYPE_CHECKING:
    from .comparison import Comparison
    from .provenance.explain import Explanation
    from .provenance.impact import Impact
    from .provenance.inventory import Inventory
    from .revisions import RevisionHost


def host_for(path: str, roots: Iterable[str] = ()) -> Host:
    """A host that reads below the directory of `path` (or `path` itself, if it is one) and below `roots`."""
    own = path if os.path.isdir(path) else os.path.dirname(path) or "."
    return RealHost([own, *roots])


class Session:
    """Many runs that share what they read; see the module's text.

    `roots` are directories that every run may read, besides the one of the file it is given. `options` are the
    languages' own (`modulepath`, `search_path`, `max_nodes`, ...), for every run; a run's own come before them. Every
    run may use what `budget` says, anew. While a run computes, Python's collector of cycles rests; with `rest=False` it
    is left alone.
    """

    def __init__(
        self, *, roots: Iterable[str] = (), budget: Budget | None = None, rest: bool = True, **options: Any
    ) -> None:
        self.roots = tuple(roots)
        self.options = options
        self.workshop = Workshop(rest, budget)
        self.budget = self.workshop.budget
        self._revisions: dict[tuple[str, str, str], RevisionHost] = {}

    # --- from a path to an outcome ---

    def compile(
        self,
        path: str,
        *,
        language: str | None = None,
        node: str | None = None,
        facts: Mapping[str, Any] | None = None,
        roots: Iterable[str] = (),
        **options: Any,
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
    ) -> Outcome:
        """Compile `path` with ready-made inputs; a saved outcome is loaded instead; `path@rev` is read from git.

        `content` is that of the file `-`, which is none: what standard input said.
        """
        if content is not None:
            chosen = load_language(language or "puppet")
            inputs = self._with_options(inputs)
            host: Host = InputHost([".", *self.roots, *roots, *chosen.roots(inputs)], content)
            return self.workshop.do(lambda: chosen.run(STANDARD_INPUT, host, inputs, self.workshop))
        if path.endswith(".json") and language is None:
            return self.load(path)
        if "@" in path:
            from .revisions import split_revision

            name, revision = split_revision(path)
            if revision is not None:
                return self._run_revision(name, revision, inputs, language, roots)
        chosen = load_language(language or language_at(path))
        inputs = self._with_options(inputs)
        host = host_for(path, [*self.roots, *roots, *chosen.roots(inputs)])
        return self.workshop.do(lambda: chosen.run(path, host, inputs, self.workshop))

    def _run_revision(
        self, path: str, revision: str, inputs: Inputs, language: str | None, roots: Iterable[str]
    ) -> Outcome:
        """Compile `path` as it was.  A revision does not change: what was read of it serves further runs."""
        inputs = self._with_options(inputs)
        chosen, host = self._at_revision(path, revision, inputs, language, roots)
        return self.workshop.do(lambda: chosen.run(path, host, inputs, self.workshop))

    def _at_revision(
        self, path: str, revision: str, inputs: Inputs, language: str | None, roots: Iterable[str]
    ) -> tuple[Language, Host]:
        from .revisions import RevisionHost

        key = (os.getcwd(), path, revision)
        host = self._revisions.get(key)
        if host is None:
            host = self._revisions[key] = RevisionHost(path, revision)
        chosen = load_language(language or ("puppet" if host.is_directory(path) else language_of(path)))
        host.allow([*self.roots, *roots, *chosen.roots(inputs)])
        if host.kind(path) is None:
            raise CannotRead(path, f"not there at {revision}")
        return chosen, host

    def answers(self, path: str, inputs: Inputs, *, language: str | None = None, roots: Iterable[str] = ()) -> Answers:
        """What the files at `path` (or `path@rev`) answer now to what an earlier run of it read."""
        from .revisions import split_revision

        name, revision = split_revision(path)
        inputs = self._with_options(inputs)
        if revision is not None:
            chosen, host = self._at_revision(name, revision, inputs, language, roots)
            return chosen.answers(name, host, inputs, self.workshop)
        chosen = load_language(language or language_at(name))
        host = host_for(name, [*self.roots, *roots, *chosen.roots(inputs)])
        return chosen.answers(name, host, inputs, self.workshop)

    def evaluate(self, expression: str, *, language: str = "nix", roots: Iterable[str] = (), **options: Any) -> Outcome:
        """Evaluate an expression given as text."""
        chosen = load_language(language)
        inputs = self._with_options(Inputs(None, {}, {**options, "expression": expression}))
        host = RealHost([*self.roots, *roots, *chosen.roots(inputs)])
        return self.workshop.do(lambda: chosen.run("", host, inputs, self.workshop))

    def load(self, path: str) -> Outcome:
        """Read an outcome saved by `wherefrom compile --save`."""
        from .saved import restore

        return restore(host_for(path, self.roots).read_bytes(path))

    def _with_options(self, inputs: Inputs) -> Inputs:
        return Inputs(inputs.node, inputs.facts, {**self.options, **inputs.options}) if self.options else inputs

    # --- questions ---

    def explain(self, path: str, value_path: str, **inputs: Any) -> Explanation:
        """Wherefrom the value at `value_path` came, in the outcome of `path`; `inputs` as for `compile`."""
        return self.compile(path, **{"trace": True, **inputs}).explain(value_path)

    def impact(self, path: str, target: str, **inputs: Any) -> Impact:
        """Which outputs of `path` may change when an input does: `FILE:LINE[:COLUMN]`, `fact:NAME`, `hiera:KEY`."""
        return self.compile(path, **{"trace": True, **inputs}).impact(target)

    def diff(self, before: str, after: str, **inputs: Any) -> Comparison:
        """What differs between the outcomes of two paths, and which edit made each difference."""
        from .comparison import compare

        inputs = {"trace": True, **inputs}
        return compare(self.compile(before, **inputs), self.compile(after, **inputs))

    def check(self, path: str, *, language: str | None = None) -> list[Diagnostic]:
        """Parse and validate one file: every error and warning in it.  An unreadable file is an error too."""
        host = host_for(path, self.roots)
        chosen = load_language(language or language_of(path))
        try:
            source = host.source(path)
            return once(self.workshop.do(lambda: chosen.check(source, host)))
        except (CannotRead, NotText) as problem:
            return [problem]
        except ManyErrors as problems:
            return once(problems.diagnostics)
        except Diagnostic as problem:
            return [problem]

    def check_all(self, path: str, inputs: Inputs, *, roots: Iterable[str] = ()) -> list[Diagnostic]:
        """What is wrong with a directory as a whole: names that nothing defines, data that is wrong."""
        chosen = load_language(language_at(path))
        inputs = self._with_options(inputs)
        host = host_for(path, [*self.roots, *roots, *chosen.roots(inputs)])
        return once(chosen.check_all(path, host, inputs, self.workshop))

    def inventory(self, path: str, inputs: Inputs, *, roots: Iterable[str] = ()) -> Inventory:
        """Everything that is written in a directory: definitions, and keys of the data."""
        chosen = load_language(language_at(path))
        inputs = self._with_options(inputs)
        host = host_for(path, [*self.roots, *roots, *chosen.roots(inputs)])
        return chosen.inventory(path, host, inputs, self.workshop)

    # --- many runs ---

    def changed(self, *paths: str) -> None:
        """Say that files or directories are not what they were: what hangs on them is read again when needed."""
        self.workshop.changed(os.path.abspath(path) for path in paths)

    def clear(self) -> None:
        """Forget everything that was read."""
        self.workshop.clear()

    # --- the batch protocol ---

    def answer(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """One `batch` request: a Puppet compilation unless it names another `language`.

        What is wrong with the configuration is in the answer; `UsageError` is raised for what is no request.
        """
        from .batch import read_request

        request = read_request(document)
        chosen = load_language(request.language)
        return self.workshop.do(lambda: chosen.answer(request, self.workshop, self.roots))
