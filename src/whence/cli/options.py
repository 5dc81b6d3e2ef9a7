"""Options that several commands share, and how they become the inputs of a run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..api import host_for, run
from ..base.diagnostics import CannotRead, Diagnostic, UsageError
from ..base.source import Span
from ..language import Inputs, Outcome

Command = TypeVar("Command", bound=Callable[..., Any])


def input_options(command: Command) -> Command:
    """The inputs of a run, as options: `--node`, `--facts` and the languages' own."""
    for decorate in reversed(_INPUT_OPTIONS):
        command = decorate(command)
    return command


_INPUT_OPTIONS = [
    click.option("--node", metavar="NAME", help="The node to compile for (Puppet)."),
    click.option("--facts", metavar="FILE", help="Facts as YAML or JSON, or a directory of NODE.yaml files (Puppet)."),
    click.option("--modulepath", metavar="DIRS", help="Directories of modules, separated by colons (Puppet)."),
    click.option("--hiera", metavar="FILE", help="A hiera.yaml to use (Puppet)."),
    click.option("--environment", metavar="NAME", help="The environment's name (Puppet)."),
    click.option("--strict-variables", is_flag=True, help="Unknown variables are errors (Puppet)."),
    click.option("-A", "--attr", metavar="PATH", help="Take this attribute of the value (Nix)."),
    click.option("-I", "--include", metavar="K=V", multiple=True, help="Add to the search path (Nix)."),
    click.option("--arg", nargs=2, metavar="NAME EXPR", multiple=True, help="Argument for a function (Nix)."),
    click.option("--argstr", nargs=2, metavar="NAME TEXT", multiple=True, help="The same, as a string (Nix)."),
    click.option("--root", metavar="DIR", multiple=True, help="A further directory that may be read."),
    click.option("--language", metavar="NAME", help="smartfrog, puppet or nix, when the suffix does not tell."),
    click.option("--max-nodes", type=int, metavar="N", help="Bound on the size of the outcome."),
    click.option("--max-nesting", type=int, metavar="N", help="Bound on nesting in the source (SmartFrog)."),
    click.option("--max-source", type=int, metavar="N", help="Bound on the size of all sources (SmartFrog)."),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache of parsed files."),
]


class Request:
    """What the shared options say."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.roots: tuple[str, ...] = options.pop("root")
        self.language: str | None = options.pop("language")
        self.node: str | None = options.pop("node")
        self.facts: str | None = options.pop("facts")
        modulepath: str | None = options.pop("modulepath")
        self.options: dict[str, Any] = {
            "modulepath": modulepath.split(":") if modulepath else None,
            "hiera": options.pop("hiera"),
            "environment": options.pop("environment"),
            "strict_variables": options.pop("strict_variables") or None,
            "attr_path": options.pop("attr"),
            "search_path": list(options.pop("include")) or None,
            "args": dict(options.pop("arg")) or None,
            "argstrs": dict(options.pop("argstr")) or None,
            "max_nodes": options.pop("max_nodes"),
            "max_nesting": options.pop("max_nesting"),
            "max_source": options.pop("max_source"),
            "no_cache": options.pop("no_cache") or None,
        }
        self.options = {name: value for name, value in self.options.items() if value is not None}

    def run(self, path: str, node: str | None = None, **more: Any) -> Outcome:
        """Compile `path` with these inputs."""
        if not os.path.exists(path):
            raise CannotRead(path, "no such file or directory")
        name = node or self.node
        inputs = Inputs(name, read_facts(self.facts, name), {**self.options, **more})
        return run(path, inputs, language=self.language, roots=self.roots)


def read_facts(path: str | None, node: str | None) -> dict[str, Any]:
    """Facts from a YAML or JSON file; from a directory, the file of the node."""
    if path is None:
        return {}
    if os.path.isdir(path):
        found = [
            os.path.join(path, f"{node}{suffix}")
            for suffix in (".yaml", ".yml", ".json")
            if os.path.isfile(os.path.join(path, f"{node}{suffix}"))
        ]
        if not found:
            raise CannotRead(os.path.join(path, f"{node}.yaml"), "no facts for this node")
        path = found[0]
    source = host_for(path).source(path)
    try:
        if path.endswith(".json"):
            facts = json.loads(source.text)
        else:
            import yaml

            # Fact files saved by Puppet are tagged as Ruby objects; the tag adds nothing to the mapping below it.
            text = source.text.replace("--- !ruby/object:Puppet::Node::Facts", "---", 1)
            facts = yaml.load(text, Loader=_without_dates(getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except json.JSONDecodeError as problem:
        raise BadFacts(path, problem.msg, source.span(problem.pos)) from None
    except (ValueError, RecursionError) as problem:
        raise BadFacts(path, str(problem)) from None
    except Exception as problem:
        if not type(problem).__module__.startswith("yaml"):
            raise
        mark = getattr(problem, "context_mark", None) or getattr(problem, "problem_mark", None)
        starts = source.line_starts
        place = source.span(starts[min(mark.line, len(starts) - 1)] + mark.column) if mark is not None else None
        words = " ".join(filter(None, (getattr(problem, each, None) for each in ("problem", "context"))))
        raise BadFacts(path, words or str(problem), place) from None
    if isinstance(facts, dict) and isinstance(facts.get("values"), dict) and "name" in facts:
        facts = facts["values"]
    if not isinstance(facts, dict):
        raise BadFacts(path, f"expected a mapping from names to values, found {type(facts).__name__}")
    return facts


def _without_dates(loader: Any) -> Any:
    """A YAML loader for which dates are texts, as they are in facts."""
    known = {
        letter: [each for each in resolvers if each[0] != "tag:yaml.org,2002:timestamp"]
        for letter, resolvers in loader.yaml_implicit_resolvers.items()
    }
    return type("Loader", (loader,), {"yaml_implicit_resolvers": known})


class BadFacts(Diagnostic):
    """A facts file that is not a mapping in YAML or JSON."""

    code = "W008"

    def __init__(self, path: str, reason: str, place: Span | None = None) -> None:
        super().__init__(f"cannot use {path} as facts: {reason}", place)


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    try:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    except RecursionError:
        raise UsageError("the outcome is nested too deeply for JSON") from None


def write_file(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    import tempfile

    folder = os.path.dirname(path) or "."
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".whence-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as problem:
        raise UsageError(f"cannot write {path}: {problem.strerror}") from None
