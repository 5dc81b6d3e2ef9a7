"""The pipeline on one screen: a path and the inputs of the run become an outcome.

    host = host_for(path, roots)                 # the only door to files, open below the given directories
    language = load_language(language_of(path))  # by suffix, or as named
    outcome = language.run(path, host, inputs)   # source -> tree -> program -> plain values, origins beside them
    outcome.explain("web:port")                  # where, formula, dependencies, chain, hidden values

Each language's `run` is that middle line in its own room; nothing here knows one from another.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .base.deep import with_deep_stack
from .base.diagnostics import CannotRead, Diagnostic, ManyErrors, NotText
from .base.host import Host, RealHost
from .language import Inputs, Outcome, all_suffixes, language_of, load_language


def compile(
    path: str,
    *,
    language: str | None = None,
    node: str | None = None,
    facts: Mapping[str, Any] | None = None,
    roots: Iterable[str] = (),
    **options: Any,
) -> Outcome:
    """Compile a file or directory.  `roots` are further directories it may read; `options` are the language's own.

    Raises `Diagnostic` or `ManyErrors` (both `WhenceError`) when the configuration is wrong.
    """
    return run(path, Inputs(node, facts or {}, options), language=language, roots=roots)


def run(path: str, inputs: Inputs, *, language: str | None = None, roots: Iterable[str] = ()) -> Outcome:
    """Compile `path` with ready-made inputs; a saved outcome is loaded instead."""
    if path.endswith(".json") and language is None:
        return load(path)
    chosen = load_language(language or ("puppet" if os.path.isdir(path) else language_of(path)))
    host = host_for(path, [*roots, *chosen.roots(inputs)])
    return with_deep_stack(lambda: chosen.run(path, host, inputs))


def evaluate(expression: str, *, language: str = "nix", roots: Iterable[str] = (), **options: Any) -> Outcome:
    """Evaluate an expression given as text."""
    chosen = load_language(language)
    inputs = Inputs(None, {}, {**options, "expression": expression})
    host = RealHost([*roots, *chosen.roots(inputs)])
    return with_deep_stack(lambda: chosen.run("", host, inputs))


def host_for(path: str, roots: Iterable[str] = ()) -> Host:
    """A host that reads below the directory of `path` (or `path` itself, if it is one) and below `roots`."""
    own = path if os.path.isdir(path) else os.path.dirname(path) or "."
    return RealHost([own, *roots])


def load(path: str) -> Outcome:
    """Read an outcome saved by `whence compile --save`."""
    from .saved import restore

    return restore(host_for(path).read_bytes(path))


def compare(a: Outcome, b: Outcome) -> Any:
    """What differs between two outcomes, and which edit made each difference: a `whence.comparison.Comparison`."""
    from .comparison import compare

    return compare(a, b)


def check(path: str, *, language: str | None = None) -> list[Diagnostic]:
    """Parse and validate one file: every error and warning in it.  An unreadable file is an error too."""
    host = host_for(path)
    chosen = load_language(language or language_of(path))
    try:
        source = host.source(path)
        return with_deep_stack(lambda: chosen.check(source, host))
    except (CannotRead, NotText) as problem:
        return [problem]
    except ManyErrors as problems:
        return problems.diagnostics
    except Diagnostic as problem:
        return [problem]


def files_to_check(path: str) -> list[str]:
    """`path` itself, or every file below it that is written in a language of ours, sorted.

    Links to directories are followed, each directory once: a modulepath is often a directory of links.
    """
    if not os.path.isdir(path):
        return [path]
    found: list[str] = []
    folders = [path]
    seen: set[str] = set()
    while folders:
        folder = folders.pop()
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        host = host_for(folder)
        for name in host.list_directory(folder):
            below = os.path.join(folder, name)
            if os.path.isdir(below):
                if not name.startswith("."):
                    folders.append(below)
            elif name.endswith(all_suffixes()):
                found.append(below)
    return sorted(found)


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """One `batch` request: a Puppet compilation unless it names another `language`."""
    name = request.get("language", "puppet")
    if name == "puppet":
        from .puppet.batch import answer

        return answer(request)
    return _answer_text(name, request)


def _answer_text(name: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """A request in one of the other languages: `manifest` text (or `manifest_path`) and inline `files`."""
    from .base.host import PureHost
    from .base.render import diagnostic_json

    chosen = load_language(name)
    main = f"main{chosen.suffixes[0]}"
    files = {**request.get("files", {})}
    if "manifest_path" in request:
        path = str(request["manifest_path"])
        host: Host = host_for(path)
    else:
        path = main
        host = PureHost({**files, main: str(request.get("manifest", ""))})
    result: dict[str, Any] = {"id": request.get("id"), "ok": True}
    inputs = Inputs(request.get("node"), request.get("facts", {}), request.get("settings", {}))
    try:
        if request.get("dump"):
            problems = with_deep_stack(lambda: chosen.check(host.source(path), host))
            errors = [problem for problem in problems if problem.severity == "error"]
            return result if not errors else {**result, "ok": False, "error": diagnostic_json(errors[0])}
        outcome = with_deep_stack(lambda: chosen.run(path, host, inputs))
        return {**result, "value": outcome.document(), "logs": [[log.level, log.message] for log in outcome.logs]}
    except ManyErrors as problems:
        return {**result, "ok": False, "error": diagnostic_json(problems.diagnostics[0])}
    except Diagnostic as problem:
        return {**result, "ok": False, "error": diagnostic_json(problem)}
