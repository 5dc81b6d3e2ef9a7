"""`wherefrom record`: ask the world outside what code asks it, and write the answers into a file.

Compiling asks nobody: DNS, programs and databases are answered from a file (`--answers`). This command compiles nodes
too, and asks for real what `--allow` names: a program that `generate` names is run, `puppetdb_query` goes to the
PuppetDB of `--puppetdb`, any other function is run by a Ruby process with Puppet's own libraries, `clock` is the time.
Nodes are compiled with what fails left out, since one answer that is not there yet must not hide the questions after
it. What is in the file already is not asked again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import Diagnostic, Refused
from ..base.host import RealHost
from ..base.plural import count_of
from ..base.writing import write_whole
from ..base.yaml_nodes import yaml_value
from .helping import LanguageCommand
from .left_out import independent
from .options import Invocation, input_options, nodes_option
from .reports import report
from .short import tell_failures

if TYPE_CHECKING:
    from ..base.source import Span

EPILOG = """\b
Examples:
  wherefrom record answers.yaml --allow 'dnsquery::*' --nodes
  wherefrom record answers.yaml --allow generate,clock --node web01
  wherefrom record answers.yaml --allow puppetdb_query --puppetdb https://puppetdb:8081 --nodes
"""

SECONDS = 60
"""How long a program may take."""
DNS = ("dnsquery::*", "dns_*", "dnsquery", "dns*lookup*")
"""What `dns` stands for: functions of the modules that ask DNS."""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("file", metavar="ANSWERS")
@click.argument("path", metavar="[FILE|DIR]", required=False)
@input_options
@nodes_option
@click.option(
    "--allow", metavar="NAME,...", multiple=True, required=True,
    help="Functions that may be asked for real: generate, puppetdb_query, clock, dns, or names (with *). Unsafe.",
)  # fmt: skip
@click.option("--again", is_flag=True, help="Ask again even where the file has an answer.")
def command(
    file: str, path: str | None, nodes: str | None, allow: tuple[str, ...], again: bool, **options: object
) -> int:
    """Record what programs, DNS, PuppetDB and the clock answer, in ANSWERS, a YAML file for --answers."""
    patterns = [name for word in allow for name in word.split(",") if name]
    patterns = [pattern for name in patterns for pattern in (DNS if name == "dns" else (name.removeprefix("::"),))]
    if os.path.exists(file) and not again:
        options["answers"] = file
    invocation = Invocation(options)
    recorder = Recording(patterns, invocation)
    asked: Sequence[str | None] = [None] if nodes is None else invocation.all_nodes(path, nodes)
    failures: list[tuple[str, list[Diagnostic]]] = []
    asking = invocation.with_option("lenient", True).with_option("recorder", recorder)
    for node in asked:
        try:
            problems = independent(asking.run(path, node))
        except Diagnostic as problem:
            problems = [problem]
        if problems:
            failures.append((node or "", problems))
    before = {} if again or not os.path.exists(file) else _read(file)
    document = merged(before, recorder, "clock" in patterns)
    write_whole(file, written(document).encode("utf-8", "surrogateescape"))
    sys.stdout.write(f"{file}: {count_of(len(recorder.answers), 'answer')} recorded\n")
    if nodes is None:
        report([problem for _, problems in failures for problem in problems])
    else:
        tell_failures(failures, [node for node in asked if node])
    return 1 if failures else 0


class Recording:
    """Asks for real what is allowed, each question of a node once, and keeps what was said."""

    def __init__(self, patterns: Sequence[str], invocation: Invocation) -> None:
        self.patterns = patterns
        self.answers: dict[tuple[str, str, str], tuple[list[Any], Any]] = {}
        """By function, question and node: the arguments and the answer."""
        self._database = invocation.database

    def ask(
        self, run: Any, name: str, values: Sequence[Any], span: Span | None, by_ruby: Callable[[], Any]
    ) -> tuple[bool, Any]:
        """Whether the question may be asked, and the answer."""
        if not any(fnmatchcase(name, pattern) for pattern in self.patterns):
            return False, None
        arguments = [run.rich_data(value) for value in values]
        key = name, json.dumps(arguments, sort_keys=True, default=str), run.node
        if key not in self.answers:
            if name == "generate":
                said: Any = _printed([str(argument) for argument in arguments], span)
            elif name == "puppetdb_query":
                if self._database is None:
                    return False, None
                said = self._database.query(values[0])
            else:
                said = run.rich_data(by_ruby())
            self.answers[key] = arguments, said
        return True, self.answers[key][1]


def _printed(words: list[str], span: Span | None) -> str:
    """What a program prints."""
    try:
        done = subprocess.run(words, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=SECONDS)
    except (OSError, ValueError, subprocess.TimeoutExpired) as problem:
        raise Refused(f"{words[0]} can not be run: {problem}", span) from None
    if done.returncode != 0:
        raise Refused(f"{words[0]} ended with status {done.returncode}", span)
    return done.stdout.decode("utf-8", "surrogateescape")


def _read(file: str) -> dict[str, Any]:
    """What the file has already; it was checked when the nodes were compiled with it."""
    value = yaml_value(RealHost([os.path.dirname(file) or "."]).source(file))
    return value if isinstance(value, dict) else {}


def merged(before: Mapping[str, Any], recorder: Recording, with_clock: bool) -> dict[str, Any]:
    """The file's content: what it had, and what was said now; one entry for all nodes that were told the same."""
    functions: dict[str, list[dict[str, Any]]] = {
        name: list(entries or ()) for name, entries in (before.get("functions") or {}).items()
    }
    by_question: dict[tuple[str, str], dict[str, tuple[list[object], object]]] = {}
    for (name, question, node), said in recorder.answers.items():
        by_question.setdefault((name, question), {})[node] = said
    for (name, _), of_nodes in by_question.items():
        entries = functions.setdefault(name, [])
        answers = list(of_nodes.values())
        if all(said == answers[0] for said in answers):
            entries.append({"arguments": answers[0][0], "answer": answers[0][1]})
        else:
            entries += [{"arguments": said[0], "node": node, "answer": said[1]} for node, said in of_nodes.items()]
    document: dict[str, object] = {}
    if with_clock:
        document["clock"] = int(RealHost(()).now())
    elif "clock" in before:
        document["clock"] = before["clock"]
    return {**document, "functions": dict(sorted(functions.items()))}


def written(document: Mapping[str, object]) -> str:
    """The text of the file."""
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    body: str = yaml.dump(dict(document), Dumper=dumper, sort_keys=False, allow_unicode=True)
    return f"# What the world outside said, for `--answers`; written by `wherefrom record`.\n{body}"
