"""A request of the batch protocol: plain JSON data, checked before anything is done with it.

    {"id": 1, "manifest": "notify { 'x': }", "node": "web01", "facts": {"kernel": "Linux"}}

Every field has a kind. One that is not known, of the wrong kind, or of no use to the language that is asked for, is an
error that names it; `null` is the same as leaving a field out. What a field means is the language's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .base.diagnostics import UsageError
from .base.host import RealHost
from .base.record import Record
from .base.spell import nearest


class BatchRequest(Record):
    """What one line of a batch asks for.

    `files` and `global_files` are inline trees: path to text. `facts` is nothing where the request has none. `puppet`
    is the Puppet version to emulate. `time`, in seconds since 1970, is what its clock says, in place of this machine's.
    """

    id: Any = None
    language: str = "puppet"
    manifest: str | None = None
    manifest_path: str | None = None
    node: str | None = None
    facts: Mapping[str, Any] | None = None
    trusted: Mapping[str, Any] | None = None
    classes: Sequence[str] | Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] | None = None
    modulepath: Sequence[str] = ()
    files: Mapping[str, str] = {}
    global_files: Mapping[str, str] = {}
    settings: Mapping[str, Any] = {}
    server_facts: Mapping[str, Any] | None = None
    agent_facts: bool = True
    puppet: str | None = None
    time: float | None = None
    dump: bool = False
    level: str | None = None
    main: str | None = None
    properties: Mapping[str, str] = {}
    environment: Mapping[str, str] = {}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(element, str) for element in value)


def _is_tree(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _is_classes(value: object) -> bool:
    if isinstance(value, dict):
        return all(parameters is None or isinstance(parameters, dict) for parameters in value.values())
    return _is_texts(value)


_TEXT = (_is_text, "a string")
_FLAG = (_is_flag, "true or false")
_NUMBER = (_is_number, "a number")
_OBJECT = (_is_object, "an object")
_TREE = (_is_tree, "an object that holds strings: path to text")

KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "language": _TEXT,
    "manifest": _TEXT,
    "manifest_path": _TEXT,
    "node": _TEXT,
    "facts": _OBJECT,
    "trusted": _OBJECT,
    "classes": (_is_classes, "a list of strings, or an object that holds objects: class to parameters"),
    "parameters": _OBJECT,
    "modulepath": (_is_texts, "a list of strings"),
    "files": _TREE,
    "global_files": _TREE,
    "settings": _OBJECT,
    "server_facts": _OBJECT,
    "agent_facts": _FLAG,
    "puppet": _TEXT,
    "time": _NUMBER,
    "dump": _FLAG,
    "level": _TEXT,
    "main": _TEXT,
    "properties": _TREE,
    "environment": _TREE,
}
"""The fields besides `id`, which is anything: what each must be, as a test and in words."""

EVERY_LANGUAGE = frozenset(
    ("id", "language", "manifest", "manifest_path", "node", "facts", "files", "settings", "time", "dump")
)
"""The fields that every language has a use for; the others are Puppet's, but for these."""

OWN_FIELDS = {"smartfrog": frozenset(("level", "main", "properties", "environment"))}
"""The fields of one language alone."""


def clock_of(request: BatchRequest) -> float:
    """What the clock of a run says that a request asks for: it is an input, and one moment for the whole run."""
    return RealHost(()).now() if request.time is None else float(request.time)


def read_request(document: Mapping[str, Any], every_field: str = "puppet") -> BatchRequest:
    """The request that a JSON object stands for; `every_field` is the language that takes all.  Raises `UsageError`."""
    given = {name: value for name, value in document.items() if name == "id" or value is not None}
    for name, value in given.items():
        if name != "id" and name not in KINDS:
            near = nearest(name, KINDS)
            raise UsageError(f"unknown field {name!r}{f', did you mean {near!r}?' if near else ''}")
        if name != "id" and not KINDS[name][0](value):
            raise UsageError(f"the field {name!r} must be {KINDS[name][1]}, not {_kind(value, KINDS[name][1])}")
    if "manifest" in given and "manifest_path" in given:
        raise UsageError("the fields 'manifest' and 'manifest_path' cannot be combined")
    request = BatchRequest(**given)
    own = OWN_FIELDS.get(request.language, frozenset())
    others = frozenset().union(*OWN_FIELDS.values()) - own
    if request.language != every_field or not others.isdisjoint(given):
        for name in given:
            if name in others or (request.language != every_field and name not in EVERY_LANGUAGE | own):
                raise UsageError(f"the field {name!r} does not apply to {request.language!r}")
    return request


def _kind(value: object, wanted: str) -> str:
    """What a value is, in JSON's words; where the kind is right and a part is not, the part."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, list):
        inner = next((element for element in value if not isinstance(element, str)), None) if "list" in wanted else None
        return "a list" if inner is None else f"a list with {_kind(inner, '')} in it"
    if isinstance(value, dict):
        if "holds" not in wanted:
            return "an object"
        right = dict if "objects" in wanted else str
        name = next(name for name, inner in value.items() if not isinstance(inner, right))
        return f"one with {_kind(value[name], '')} under {name!r}"
    return "null"
