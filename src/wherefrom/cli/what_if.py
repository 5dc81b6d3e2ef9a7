"""What if: other facts, data and parameters for one run, without any file.

    wherefrom explain . 'File[/etc/motd].mode' --fact os.family=RedHat
    wherefrom diff . --data profile::web::port=8080 --param 'Class[ntp].servers=[a, b]'

Values are written as in YAML. A datum is said by a level above all others (Hiera's global layer); a parameter of a
class, or of an instance of a define, has its value whoever declares it. For `diff` all of it is about the second side.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..base.diagnostics import UsageError
from ..base.record import Record

if TYPE_CHECKING:
    from ..language import Outcome

Command = TypeVar("Command", bound=Callable[..., Any])

FOLDER = "--data"
"""Where the level of what is said stands, as answers name it: no directory has such a name."""
_PARAMETER = re.compile(r"(?P<type>[\w:]+)\[(?P<title>.+?)\]\.(?P<name>\w+)=(?P<value>.*)", re.DOTALL)


class WhatIf(Record):
    """What is otherwise in one run: facts by their dotted names, keys of the data, parameters."""

    facts: Mapping[str, Any] = {}
    data: Mapping[str, Any] = {}
    parameters: Mapping[str, Any] = {}
    """By resource and name: `Class[ntp].servers`."""

    def __bool__(self) -> bool:
        return bool(self.facts or self.data or self.parameters)

    def options(self) -> dict[str, Any]:
        """The options of a run that it needs."""
        options: dict[str, object] = {"changed_parameters": dict(self.parameters)} if self.parameters else {}
        return {**options, "hiera_config": f"{FOLDER}/hiera.yaml"} if self.data else options

    def files(self, others: Mapping[str, object] = {}) -> dict[str, bytes]:
        """The files of the level above all others; a key that only `others` say has a line that is empty."""
        keys = {**others, **self.data}
        if not keys:
            return {}
        hierarchy = (
            "version: 5\nhierarchy:\n  - name: --data\n    datadir: .\n    path: data.yaml\n    data_hash: yaml_data\n"
        )
        lines: list[str] = []
        for key in keys:
            said = f"{json.dumps(key)}: {json.dumps(self.data[key])}" if key in self.data else ""
            lines += [f"# {key}", *([said] if said else [])]
        return {
            f"{FOLDER}/hiera.yaml": hierarchy.encode(),
            f"{FOLDER}/data.yaml": ("\n".join(lines) + "\n").encode(),
        }


NO_CHANGE = WhatIf()


def what_if_options(command: Command) -> Command:
    """`--fact`, `--data` and `--param`."""
    for decorate in (
        click.option(
            "--param", "changed_parameters", metavar="REF.P=V", multiple=True,
            help="What if a parameter had this value: 'Class[ntp].servers=[a, b]' (Puppet).",
        ),
        click.option(
            "--data", "changed_data", metavar="KEY=V", multiple=True,
            help="What if the data said this, above all levels: profile::web::port=8080 (Puppet).",
        ),
        click.option(
            "--fact", "changed_facts", metavar="NAME=V", multiple=True,
            help="What if a fact had this value: os.family=RedHat (Puppet).",
        ),
    ):  # fmt: skip
        command = decorate(command)
    return command


def read_what_if(facts: Sequence[str], data: Sequence[str], parameters: Sequence[str]) -> WhatIf:
    """What the options say.  Raises `UsageError`."""
    return WhatIf(
        dict(_pair(text, "--fact", "os.family=RedHat") for text in facts),
        dict(_pair(text, "--data", "profile::web::port=8080") for text in data),
        dict(_parameter(text) for text in parameters),
    )


def unknown_names(outcome: Outcome, what_if: WhatIf) -> list[str]:
    """What is said of a fact or a key that nothing knows, more likely misspelt than without effect."""
    asked = [*(f"fact:{name}" for name in what_if.facts), *(f"hiera:{key}" for key in what_if.data)]
    problems = (outcome.unknown_input(name) for name in asked)
    return [str(problem).partition(" (--absent")[0] for problem in problems if problem is not None]


def _pair(text: str, option: str, example: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"{option} {text}: expected NAME=VALUE, as in {option} {example}")
    return name.strip(), _value(value, option)


def _parameter(text: str) -> tuple[str, Any]:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise UsageError(f"--param {text}: expected TYPE[TITLE].NAME=VALUE, as in --param 'Class[ntp].servers=[a, b]'")
    title = match["title"].strip("'\"").removeprefix("::")
    type_name = "::".join(part.capitalize() for part in match["type"].removeprefix("::").split("::"))
    if type_name == "Class":
        title = title.lower()
    return f"{type_name}[{title}].{match['name']}", _value(match["value"], "--param")


def _value(text: str, option: str) -> Any:
    """A value written as in YAML; dates are texts, as in data."""
    import yaml

    from ..base.source import SourceFile
    from ..base.yaml_nodes import yaml_value

    try:
        return yaml_value(SourceFile(option, text))
    except (yaml.YAMLError, ValueError):
        raise UsageError(f"{option}: {text} is not a valid YAML value; put a string in quotes") from None
