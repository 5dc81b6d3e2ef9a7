"""A machine without an evaluator: no variables, no files, no catalog.

Used to call functions by themselves: when a step of an origin is done again (`wherefrom.puppet.output.computing`), and
as the base of the machines that tests make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Refused
from ...base.host import Host, PureHost
from ...provenance.origins import Absent, Guard, Leaf, Origin
from ..kernel.failures import FunctionFailure
from ..kernel.traced import NoData, Traced
from ..kernel.values import Value
from .registry import Lambda, Machine
from .table import find

if TYPE_CHECKING:
    from ...base.source import Span


class AloneMachine(Machine):
    """Answers everything with "there is none"; what functions log is kept in `logs`."""

    host: Host = PureHost({})
    node_name: str = "localhost"
    puppet_version: str = "7"
    guard: Guard | None = None

    def __init__(self, host: Host | None = None) -> None:
        if host is not None:
            self.host = host
        self.logs: list[tuple[str, str]] = []
        self._warned: set[str] = set()

    @property
    def machine(self) -> AloneMachine:
        """Itself, as a caller."""
        return self

    def setting(self, name: str) -> Value:
        """No settings."""
        return None

    def held(self, value: Value) -> Value:
        """References are names, as far as they tell them themselves."""
        from ..types.callables import CatalogEntryType, entry_name

        return entry_name(value) if isinstance(value, CatalogEntryType) else value

    def variable(self, name: str) -> Traced | None:
        """No variables."""
        return None

    def top_variable(self, name: str) -> Traced | None:
        """No variables."""
        return None

    def absent_variable(self, name: str, span: Span | None) -> Origin:
        return Absent(f"variable ${name}", (), span)

    def existing_variable(self, name: str) -> Traced | None:
        """The variable that `defined('$name')` finds, or nothing."""
        return None

    def call_function(
        self, name: str, values: Sequence[Value], origins: Sequence[Origin], block: Lambda | None, span: Span | None
    ) -> Traced:
        """The core functions alone."""
        function = find(name)
        if function is None:
            raise FunctionFailure(f"Unknown function: '{name}'", span, issue="UNKNOWN_FUNCTION")
        return function.call(self, values, origins, block, span)

    def resolve_type(self, text: str, span: Span | None) -> object:
        """The types of the language alone."""
        from ..types import parse_type

        return parse_type(text)

    def log(self, level: str, message: str, span: Span | None, origin: Origin) -> None:
        """Keep the message."""
        self.logs.append((level, message))

    def warn_once(self, key: str, message: str, span: Span | None) -> None:
        """Keep the warning, once."""
        if key not in self._warned:
            self._warned.add(key)
            self.logs.append(("warning", message))

    def declare_classes(
        self,
        names: Sequence[str],
        origins: Sequence[Origin],
        how: str,
        span: Span | None,
        given: Sequence[Origin],
    ) -> None:
        """No catalog to declare anything in."""

    def realize(self, references: Sequence[tuple[str, str | None]], origin: Origin, span: Span | None) -> None:
        """No catalog to realize anything in."""

    def create_resources(
        self,
        type_name: str,
        form: str,
        resources: Mapping[str, Mapping[str, Traced]],
        origins: Mapping[str, Origin],
        span: Span | None,
        given: Sequence[Origin],
        composites: Mapping[Any, tuple[Origin, ...]],
    ) -> None:
        """No catalog to create anything in."""

    def tag(self, names: Sequence[str], origin: Origin, span: Span | None) -> None:
        """Nothing to tag."""

    def tagged(self, name: str, span: Span | None = None) -> Traced:
        """Nothing is tagged."""
        return False, Absent(f"tag {name}")

    def type_or_class_exists(self, name: str) -> Traced:
        """Nothing is defined."""
        return False, Absent(f"definition of {name}")

    def resource_type_exists(self, name: str) -> Traced:
        """Nothing is defined."""
        return False, Absent(f"definition of {name}")

    def class_exists(self, name: str) -> Traced:
        """Nothing is defined."""
        return False, Absent(f"definition of {name}")

    def resource_declared(self, type_name: str, title: str) -> Traced:
        """Nothing is declared."""
        return False, Absent(f"resource {type_name}[{title}]")

    def find_file(self, kind: str, path: str) -> str | None:
        """Absolute paths alone; there are no modules."""
        return path if path.startswith("/") and self.host.is_file(path) else None

    @property
    def plain_templates(self) -> dict[str, str | None]:
        """None is kept."""
        return {}

    def missed_files(self, kind: str, path: str) -> list[Origin]:
        """No files."""
        return []

    def another_module(self, name: str) -> Origin:
        """No modules to look for."""
        return Leaf("file", f"modules/{name}", None, None, absent=True)

    def module_directory(self, name: str) -> str | None:
        """No modules."""
        return None

    def epp(self, path: str, parameters: Traced | None, span: Span | None) -> Traced:
        """No templates."""
        raise FunctionFailure(f"Could not find template '{path}'", span)

    def inline_epp(self, text: Traced, parameters: Traced | None, span: Span | None) -> Traced:
        """No evaluator to evaluate one."""
        raise Refused("there is no evaluator to evaluate a template", span)

    def template(self, path: str, span: Span | None) -> Traced:
        """No templates."""
        raise FunctionFailure(f"Could not find template '{path}'", span)

    def inline_template(self, text: Traced, span: Span | None) -> Traced:
        """No evaluator to evaluate one."""
        raise Refused("there is no evaluator to evaluate a template", span)

    def ask_database(self, query: str | list[Any]) -> Traced:
        """No database."""
        raise FunctionFailure("puppetdb_query needs --puppetdb URL", kind="no database")

    def clock(self) -> tuple[float, Leaf]:
        """That of the host."""
        now = self.host.now()
        return now, Leaf("environment", "clock", None, now)

    def recorded(
        self, name: str, values: Sequence[Value], origins: Sequence[Origin], span: Span | None
    ) -> Traced | None:
        """Nothing."""
        return None

    def lookup(self, key: str, merge: Value, span: Span | None, how: Mapping[str, object]) -> Traced | Absent:
        """No data."""
        from ..hiera.merging import Strategy

        Strategy(merge)
        return NoData(key)
