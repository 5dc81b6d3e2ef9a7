"""The variables that a compilation starts with: facts, trusted data, server facts, the classifier's parameters.

Each is an input with a name. `$facts` is a hash whose shadow has a leaf for every single fact, so that what
`$facts['os']['family']` gives depends on the fact `os.family` and on no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

from ...provenance.origins import Choice, Items, Leaf, Origin
from ..kernel.failures import CatalogError
from ..kernel.values import hash_key
from ..types.sprintf import to_s
from .names import RESERVED, reserved

if TYPE_CHECKING:
    from ..kernel.traced import Traced


def agent_facts(node: str, version: str) -> dict[str, Any]:
    """What an agent adds to the facts that were gathered on its machine."""
    return {
        "puppetversion": version,
        "clientversion": version,
        "clientcert": node,
        "clientnoop": False,
    }


class NodeInputs:
    """What a compilation is given about its node."""

    __slots__ = ("changed", "classes", "facts", "node", "parameters", "server_facts", "settings", "trusted")

    def __init__(
        self,
        node: str,
        facts: Mapping[str, Any] | None = None,
        trusted: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        classes: Sequence[str] | Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        server_facts: Mapping[str, Any] | None = None,
        changed: Mapping[str, Any] | None = None,
    ) -> None:
        self.node = node
        self.facts = facts
        self.trusted = trusted
        self.parameters = parameters or {}
        self.classes = classes or ()
        self.settings = settings or {}
        self.server_facts = server_facts or {}
        self.changed = changed or {}
        """Values for parameters, by `Class[ntp].servers`; they win over every declaration."""


class GivenVariables(NamedTuple):
    """Variables by name, as they were given, and the facts in one hash."""

    variables: dict[str, Traced]
    facts: Traced


_OF_MAIN = ("module_name", "title", "name")
"""What the class `main` sets in the top scope, in this order."""

_NUMBER = re.compile(r"^[0-9]+$", re.MULTILINE)
"""What Puppet takes for the name of a match variable: a line of digits."""


def input_variables(inputs: NodeInputs, settings: Mapping[str, object], warn: Callable[[str], None]) -> GivenVariables:
    """The variables of the top scope that are given, by name, and `facts`.

    The classifier's parameters come first, then the facts, then the server's: what has a name that is taken is told by
    `warn` and left out, and the environment's name is never taken from any of them.
    """
    facts = _without_nulls(inputs.facts) if inputs.facts else {}
    values, origin = traced_input("fact", "", facts)
    shadow: Any = origin.elements  # type: ignore[attr-defined]
    _named_by_node(inputs, shadow, "clientcert")
    environment = settings.get("environment", "production")
    named_environment = Leaf("setting", "environment", None, environment)
    variables: dict[str, Traced] = {"environment": (environment, named_environment)}

    def is_free(name: str, value: object) -> bool:
        if name in variables:
            taken = to_s(variables[name][0])
            warn(
                f"The node parameter '{name}' for node '{inputs.node}' was already set to '{taken}'. "
                f"It could not be set to '{to_s(value)}'"
            )
        return name not in variables

    for name, value in inputs.parameters.items():
        if is_free(name, value):
            variables[name] = traced_input("classifier", name, value)
    for name, value in values.items():
        if is_free(str(name), value):
            # The classifier could have given a variable of this name, which would hide the fact.
            hidden = Leaf("classifier", str(name), None, None, absent=True)
            variables[str(name)] = (value, Choice((hidden,), shadow[name]))
    for name, value in inputs.server_facts.items():
        if is_free(name, value):
            above = tuple(Leaf(kind, name, None, None, absent=True) for kind in ("classifier", "fact"))
            variables[name] = (value, Choice(above, Leaf("setting", name, None, value)))
    return GivenVariables(variables, (values, origin))


def _without_nulls(value: Any) -> Any:
    """A fact as Puppet takes it, for which nothing (`null`) is an empty text; the same object if it has none in it."""
    exact = type(value)
    if exact is str:
        return value
    if value is None:
        return ""
    if exact is dict or isinstance(value, Mapping):
        members = {_without_nulls(key): _without_nulls(element) for key, element in value.items()}
        same = all(key is not None and members[key] is element for key, element in value.items())
        return value if same else members
    if isinstance(value, list | tuple):
        elements = [_without_nulls(element) for element in value]
        return value if all(map(is_, elements, value)) else elements
    return value


def checked_variables(inputs: NodeInputs, given: GivenVariables) -> dict[str, Traced]:
    """All variables that a run starts with.  Fails where one is given that no code may set."""
    variables = given.variables
    if "trusted" in variables and variables["trusted"][0] not in (None, False):
        del variables["trusted"]  # taken for the node's trusted data, which it has already
    for name in variables:
        _check_assignable(name)
    for name in _OF_MAIN:
        if name in variables:
            raise CatalogError(f"Cannot reassign variable '${name}'", None, issue="ILLEGAL_REASSIGNMENT", lead="")
    environment = variables["environment"][0]
    variables["trusted"] = _trusted(inputs)
    server_facts = {**inputs.server_facts, "environment": environment}
    variables["server_facts"] = traced_input("setting", "", server_facts)
    variables["facts"] = given.facts
    return variables


def _check_assignable(name: str) -> None:
    """Fail for names that no variable may have, from any source."""
    if name in RESERVED:
        raise CatalogError(reserved(name).message, None, issue="ILLEGAL_RESERVED_ASSIGNMENT", lead="")
    if not name.isidentifier() and _NUMBER.search(name):
        words = f"Cannot assign to a numeric match result variable '${name}'"
        raise CatalogError(words, None, issue="ILLEGAL_NUMERIC_ASSIGNMENT", lead="")


def _named_by_node(inputs: NodeInputs, shadow: Any, *names: str) -> None:
    """What is made from the node's name, unless it was given, depends on that name."""
    node = (Leaf("node", "name", None, inputs.node),)
    for name in names:
        if name in shadow and name not in (inputs.trusted or {}):
            shadow[name] = Choice(node, shadow[name])


def trusted_data(inputs: NodeInputs) -> dict[str, Any]:
    """What is known of a node from its certificate."""
    host, dot, domain = inputs.node.partition(".")
    trusted: dict[str, Any] = {
        "authenticated": "local",
        "certname": inputs.node,
        "extensions": {},
        "hostname": host,
        "domain": domain if dot else None,
        "external": {},
    }
    trusted.update(inputs.trusted or {})
    return trusted


def _trusted(inputs: NodeInputs) -> Traced:
    """The trusted data as a variable.  Where none is given, it is known what it is made of."""
    trusted = trusted_data(inputs)
    if inputs.trusted:
        variable = traced_input("trusted", "", trusted)
        _named_by_node(inputs, variable[1].elements, "certname", "hostname", "domain")  # type: ignore[attr-defined]
        return variable
    node = (Leaf("node", "name", None, inputs.node),)
    shadows: dict[Any, Origin] = {
        "authenticated": _AUTHENTICATED,
        "certname": Choice(node, Leaf("trusted", "certname", None, inputs.node)),
        "extensions": Items({}, _EXTENSIONS),
        "hostname": Choice(node, Leaf("trusted", "hostname", None, trusted["hostname"])),
        "domain": Choice(node, Leaf("trusted", "domain", None, trusted["domain"])),
        "external": Items({}, _EXTERNAL),
    }
    return {**trusted, "extensions": {}, "external": {}}, Items(shadows, Leaf("trusted", "", None, trusted))


_AUTHENTICATED = Leaf("trusted", "authenticated", None, "local")
_EXTENSIONS = Leaf("trusted", "extensions", None, {})
_EXTERNAL = Leaf("trusted", "external", None, {})


def traced_input(kind: str, name: str, value: Any) -> Traced:
    """Data from outside as a Puppet value, with a leaf for every scalar in it; paths go by dots.

    That a composite has the elements it has is an input itself, its own leaf; reading one element by its key does not
    ask it. Every node of a fleet passes here with all its facts, so that the plain types come first.
    """
    exact = type(value)
    if exact is str:
        return value, Leaf(kind, name, None, value)
    if exact is dict or isinstance(value, Mapping):
        values: dict[Any, Any] = {}
        shadows: dict[Any, Origin] = {}
        for key, element in value.items():
            inner = key if type(key) is str else hash_key(key)
            path = f"{name}.{key}" if name else str(key)
            values[inner], shadows[inner] = traced_input(kind, path, element)
        return values, Items(shadows, Leaf(kind, name, None, value))
    if isinstance(value, list | tuple):
        pairs = [traced_input(kind, f"{name}.{index}", element) for index, element in enumerate(value)]
        elements, origins = [element for element, _ in pairs], [origin for _, origin in pairs]
        return elements, Items(origins, Leaf(kind, name, None, value))
    return value, Leaf(kind, name, None, value)
