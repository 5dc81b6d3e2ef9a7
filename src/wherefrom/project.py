"""A project's settings: what would otherwise be repeated on every command line.

`wherefrom.toml`, or the table `[tool.wherefrom]` of `pyproject.toml`, is looked for in the directory of the file or
environment that was asked about and then upwards; without one, in the current directory and upwards. The nearest wins.
Paths in it are relative to the directory it stands in. Options on the command line win over it.

| key                | meaning                                                                  | option               |
|--------------------|--------------------------------------------------------------------------|----------------------|
| `environment`      | the Puppet environment, when a command names no file or directory        | FILE or DIR          |
| `environment_name` | its name                                                                 | `--environment`      |
| `modulepath`       | directories of modules, before those of `environment.conf`               | `--modulepath`       |
| `facts`            | a facts file, or a directory of one file a node                          | `--facts`            |
| `inventory`        | an inventory of Bolt's, or PuppetDB's answer: which nodes there are      | `--inventory`        |
| `node`             | the node, when a command names none                                      | `--node`             |
| `nodes`            | all nodes, where the facts do not tell                                   | `--nodes`            |
| `enc`              | the classifier's answer: a YAML file, or a directory of one a node      | `--enc`              |
| `hiera`            | a `hiera.yaml`                                                           | `--hiera`            |
| `answers`          | recorded answers of DNS, programs, PuppetDB, the clock                   | `--answers`          |
| `eyaml_keys`       | files of private keys that open encrypted data                           | `--eyaml-key`        |
| `roots`            | further directories that may be read                                     | `--root`             |
| `puppet`           | Puppet version to emulate: `"7"` or `"8"`                                | `--puppet`           |
| `strict_variables` | unknown variables are errors                                             | `--strict-variables` |
| `public_outputs`   | paths of outputs that may be shown although secrets are in them          |                      |
| `bootstrap`        | the command that installs the modules of a `Puppetfile`                  | `--bootstrap`        |
| `budget`           | what a run may use                                                       | `--budget`           |
| `level`            | which SmartFrog: `core`, `forward` or `production`                       | `--level`            |

What asks for more than the project's own directory (paths elsewhere, a larger budget, public outputs) has an effect
only in a file that the user has trusted (`wherefrom.trust`). A key that is not in the table, or a value of another
type, is an error with its place.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .base.diagnostics import Diagnostic, UsageError
from .base.host import RealHost
from .base.record import Record
from .base.source import SourceFile, Span, lines_of
from .base.spell import nearest
from .trust import Untrusted, is_trusted, narrowed, widening

FILE_NAME = "wherefrom.toml"
SHARED_FILE_NAME = "pyproject.toml"

_PATHS = ("environment", "facts", "inventory", "enc", "hiera", "answers")
_TEXTS = ("environment_name", "node", "puppet", "budget", "level")
_PATH_LISTS = ("modulepath", "roots", "eyaml_keys")
_LISTS = ("nodes", "public_outputs", "bootstrap")
_SWITCHES = ("strict_variables",)
_RULES = "policy"
"""Tables of rules, which `wherefrom policy` reads."""

LEVELS = ("core", "forward", "production")
FACT_SUFFIXES = (".yaml", ".yml", ".json")


class Project(Record):
    """The settings of one project, paths made relative to the place of work."""

    file: str
    environment: str | None = None
    environment_name: str | None = None
    modulepath: tuple[str, ...] = ()
    facts: str | None = None
    inventory: str | None = None
    node: str | None = None
    nodes: tuple[str, ...] = ()
    enc: str | None = None
    hiera: str | None = None
    answers: str | None = None
    roots: tuple[str, ...] = ()
    eyaml_keys: tuple[str, ...] = ()
    puppet: str | None = None
    strict_variables: bool | None = None
    public_outputs: tuple[str, ...] = ()
    bootstrap: tuple[str, ...] = ()
    budget: str | None = None
    level: str | None = None
    untrusted: Diagnostic | None = None
    """What was left out, since it asks for more than the project and nobody has trusted the file."""


class BadProject(Diagnostic):
    """A settings file that says something it can not say."""

    code = "W040"


def find_project(start: str, trusting: bool = False) -> Project | None:
    """The project that `start`, a file or directory, belongs to.

    What asks for more than the project (`wherefrom.trust`) is left out unless the file is trusted, or `trusting`.
    """
    for folder in _upwards(start):
        path = os.path.normpath(os.path.join(folder, FILE_NAME))
        if os.path.isfile(path):
            return read_project(path, trusting)
        path = os.path.normpath(os.path.join(folder, SHARED_FILE_NAME))
        if os.path.isfile(path):
            source = RealHost([folder]).source(path)
            if (
                "wherefrom" not in source.text and "\\" not in source.text
            ):  # to parse it would take longer than most runs
                continue
            table = _own_table(source)
            if table is not None:
                return _project(source, table, trusting)
    return None


def read_project(path: str, trusting: bool = False) -> Project:
    """The settings in one `wherefrom.toml`."""
    source = RealHost([os.path.dirname(path) or "."]).source(path)
    return _project(source, _table(source), trusting)


def rules_table(start: str, file: str | None = None) -> tuple[SourceFile | None, Any]:
    """The file and the table that hold rules: the one that is named, else that of the project of `start`."""
    if file is None:
        project = find_project(start)
        file = None if project is None else project.file
    if file is None:
        return None, {}
    source = RealHost([os.path.dirname(file) or "."]).source(file)
    table = _own_table(source) or {}
    return (source if _RULES in table else None), table


def asked_by(path: str) -> tuple[str, list[str]]:
    """The text of a file of settings, and in words what in it asks for more than its project."""
    source = RealHost([os.path.dirname(path) or "."]).source(path)
    table = _own_table(source) or {}
    return source.text, [words for _, _, words in widening(os.path.dirname(path), _settings(source, table))]


def _upwards(start: str) -> Iterator[str]:
    """`start`'s directory and those above it, named as `start` was: relative names stay relative while they can."""
    folder = start if os.path.isdir(start) else os.path.dirname(start)
    folder = folder or "."
    real = os.path.abspath(folder)
    while True:
        yield os.path.normpath(folder)
        parent = os.path.dirname(real)
        if parent == real:
            return
        real = parent
        folder = os.path.relpath(real) if not os.path.isabs(start) else real


def _own_table(source: SourceFile) -> dict[str, object] | None:
    """The table of a file that is for us: of one shared with other tools, `[tool.wherefrom]`, if there is one."""
    table = _table(source)
    if os.path.basename(source.name) == SHARED_FILE_NAME:
        tools = table.get("tool")
        own = tools.get("wherefrom") if isinstance(tools, dict) else None
        if not (own is None or isinstance(own, dict)):
            raise BadProject(f"{source.name}: `tool.wherefrom` must be a table")
        return own
    return table


def _table(source: SourceFile) -> dict[str, Any]:
    import tomllib  # most runs have no settings to read

    try:
        return tomllib.loads(source.text)
    except (ValueError, RecursionError) as problem:  # what is no TOML; also a number of too many digits, an odd date
        raise BadProject(f"{source.name} is not TOML: {problem}", _toml_place(source, str(problem))) from None


def _toml_place(source: SourceFile, words: str) -> Span | None:
    """The place that the TOML reader names in its words: `(at line 3, column 5)`."""
    import re

    place = re.search(r"\(at line (\d+), column (\d+)\)", words)
    if place is None:
        return None
    line = min(int(place[1]), len(source.line_starts)) - 1
    return source.span(source.line_starts[line] + int(place[2]) - 1)


def _project(source: SourceFile, table: Mapping[str, object], trusting: bool) -> Project:
    settings = _settings(source, table)
    wide = list(widening(os.path.dirname(source.name), settings))
    if not wide or trusting or is_trusted(source.name, source.text):
        return Project(source.name, **settings)
    at = _key_place(source, wide[0][0])
    untrusted = Untrusted(source.name, [words for _, _, words in wide], at)
    return Project(source.name, untrusted=untrusted, **narrowed(settings, wide))


def _settings(source: SourceFile, table: Mapping[str, object]) -> dict[str, Any]:
    """The settings of a table, checked; paths made relative to the place of work."""
    folder = os.path.dirname(source.name)
    settings: dict[str, Any] = {}
    for name, value in table.items():
        if name in _PATHS:
            settings[name] = _below(folder, _expect(source, name, value, str))
        elif name in _TEXTS:
            settings[name] = _expect(source, name, value, str)
        elif name == _RULES:
            continue
        elif name in _SWITCHES:
            settings[name] = _expect(source, name, value, bool)
        elif name in _PATH_LISTS or name in _LISTS:
            texts = [_expect(source, name, text, str) for text in _expect(source, name, value, list)]
            settings[name] = tuple(_below(folder, text) for text in texts) if name in _PATH_LISTS else tuple(texts)
        else:
            close = nearest(name, [*_PATHS, *_TEXTS, *_PATH_LISTS, *_LISTS, *_SWITCHES])
            raise BadProject(
                f"unknown setting {name!r} in {source.name}",
                _key_place(source, name),
                help=f"did you mean {close}?" if close else None,
            )
    if "budget" in settings:
        _check_budget(source, settings["budget"])
    if settings.get("level", "core") not in LEVELS:
        words = f"level in {source.name} must be one of {', '.join(LEVELS)}"
        raise BadProject(words, _key_place(source, "level"))
    return settings


def _check_budget(source: SourceFile, text: str) -> None:
    from .base.budget import Budget

    try:
        Budget.read(text)
    except UsageError as problem:
        words = str(problem).removeprefix("--budget: ")
        raise BadProject(f"budget in {source.name}: {words}", _key_place(source, "budget")) from None


_TYPE_WORDS = {str: "a text", bool: "true or false", list: "a list of strings"}


def _expect(source: SourceFile, name: str, value: object, kind: type) -> Any:
    if not isinstance(value, kind):
        expected = _TYPE_WORDS[list if name in (*_PATH_LISTS, *_LISTS) else kind]
        actual = type(value).__name__
        raise BadProject(f"{name} in {source.name} must be {expected}, found {actual}", _key_place(source, name))
    return value


def _key_place(source: SourceFile, name: str) -> Span | None:
    """Where a key is written.  TOML's reader keeps no places, so this looks for the first line that begins with it."""
    for number, line in enumerate(lines_of(source.text)):
        bare = line.lstrip().strip("\"'")
        if bare.startswith(name):
            start = source.line_starts[number] + line.index(name)
            return source.span(start, start + len(name))
    return None


def _below(folder: str, name: str) -> str:
    return os.path.normpath(os.path.join(folder, name))


def nodes_of(facts: str | None) -> list[str]:
    """The nodes that a directory of facts knows, sorted."""
    return [] if facts is None or not os.path.isdir(facts) else node_names(os.listdir(facts))


def node_names(files: Iterable[str]) -> list[str]:
    """The nodes whose facts have files of these names, sorted."""
    names = (os.path.splitext(name) for name in files)
    return sorted({stem for stem, suffix in names if suffix in FACT_SUFFIXES and not stem.startswith(".")})
