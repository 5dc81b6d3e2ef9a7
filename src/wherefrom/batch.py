"""A request of the batch protocol: plain JSON data, checked before anything is done with it.

    {"id": 1, "manifest": "notify { 'x': }", "node": "web01", "facts": {"kernel": "Linux"}}

Every field has a kind. One that is not known, of the wrong kind, or of no use to the language that is asked for, is an
error that names it; `null` is the same as leaving a field out. What a field means is the language's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .base.diagnostics import UsageError
from .base.record import Record
from .base.spell import nearest


class BatchRequest(Record):
    """What one line of a batch asks for.

    `files` and `global_files` are inline trees: path to text. `facts` is nothing where the request has none.
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
    dump: bool = False


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(element, str) for element in value)


def _is_tree(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _is_classes(value: Any) -> bool:
    if isinstance(value, dict):
        return all(parameters is None or isinstance(parameters, dict) for parameters in value.values())
    return _is_texts(value)


_TEXT = (_is_text, "a string")
_FLAG = (_is_flag, "true or false")
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
    "dump": _FLAG,
}
"""The fields besides `id`, which is anything: what each must be, as a test and in words."""

EVERY_LANGUAGE = frozenset(
    ("id", "language", "manifest", "manifest_path", "node", "facts", "files", "settings", "dump")
)
"""The fields that every language has a use for; the others are Puppet's."""


def read_request(document: Mapping[str, Any], every_field: str = "puppet") -> BatchRequest:
    """The request that a JSON object stands for.  Raises `UsageError`; `every_field` names who has use for all."""
    given = {name: value for name, value in document.items() if name == "id" or value is not None}
    for name, value in given.items():
        if name != "id" and name not in KINDS:
            near = nearest(name, KINDS)
            raise UsageError(f"unknown field {name!r}{f', did you mean {near!r}?' if near else ''}")
        if name != "id" and not KINDS[name][0](value):
            raise UsageError(f"the field {name!r} must be {KINDS[name][1]}, not {_kind(value, KINDS[name][1])}")
    if "manifest" in given and "manifest_path" in given:
        raise UsageError("the fields 'manifest' and 'manifest_path' exclude each other")
    request = BatchRequest(**given)
    if request.language != every_field:
        for name in given:
            if name not in EVERY_LANGUAGE:
                raise UsageError(f"the field {name!r} is of no use to the language {request.language!r}")
    return request


def _kind(value: Any, wanted: str) -> str:
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
