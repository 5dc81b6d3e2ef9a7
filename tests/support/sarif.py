"""What SARIF 2.1.0 says of the documents that we write, in our own words, and a reader of JSON Schema.

Only the objects that we write are described, with every property that we use; any other property is refused, as the
standard's own schema refuses those that it does not know. `problems` reads the parts of JSON Schema that occur here and
in the standard's schema, so that the latter can be put in its place:

    python -m support.sarif DOCUMENT.sarif sarif-schema-2.1.0.json
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Schema = Mapping[str, Any]

TEXT = {"type": "string"}
FROM_ONE = {"type": "integer", "minimum": 1}
FROM_ZERO = {"type": "integer", "minimum": 0}


def an_object(required: str, **properties: Schema) -> Schema:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def many(item: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": item, **more}


def named(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}


SCHEMA: Schema = {
    **an_object(
        "version runs",
        **{"$schema": {"type": "string", "format": "uri"}},
        version={"enum": ["2.1.0"]},
        runs=many(named("run")),
    ),
    "definitions": {
        "run": an_object(
            "tool",
            tool=an_object("driver", driver=named("component")),
            columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            results=many(named("result")),
        ),
        "component": an_object(
            "name",
            name=TEXT,
            version=TEXT,
            informationUri={"type": "string", "format": "uri"},
            rules=many(named("rule"), uniqueItems=True),
        ),
        "rule": an_object(
            "id",
            id=TEXT,
            shortDescription=an_object("text", text=TEXT),
            fullDescription=an_object("text", text=TEXT),
            help=an_object("text", text=TEXT),
        ),
        "result": an_object(
            "message",
            ruleId=TEXT,
            ruleIndex=FROM_ZERO,
            level={"enum": ["none", "note", "warning", "error"]},
            message=named("message"),
            locations=many(named("location")),
            relatedLocations=many(named("location"), uniqueItems=True),
            partialFingerprints={"type": "object", "additionalProperties": TEXT},
            codeFlows=many(named("flow")),
        ),
        "message": an_object("text", text=TEXT),
        "location": an_object("", physicalLocation=named("place"), message=named("message")),
        "place": an_object(
            "artifactLocation",
            artifactLocation=an_object("uri", uri={"type": "string", "format": "uri-reference"}),
            region=an_object(
                "startLine", startLine=FROM_ONE, startColumn=FROM_ONE, endLine=FROM_ONE, endColumn=FROM_ONE
            ),
        ),
        "flow": an_object(
            "threadFlows",
            threadFlows=many(
                an_object("locations", locations=many(an_object("", location=named("location")), minItems=1)),
                minItems=1,
            ),
        ),
    },
}
"""SARIF 2.1.0, sections 3.13 (log), 3.14 (run), 3.19 (component), 3.27 (result), 3.28 to 3.30 (places), 3.36 (flow)."""

_KINDS: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)
}  # fmt: skip
_URI = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:[\w.~!$&'()*+,;=:@/?#\[\]-]|%[0-9A-Fa-f]{2})*", re.ASCII)


def problems(value: Any, schema: Any = SCHEMA, root: Schema | None = None, at: str = "$") -> Iterator[str]:
    """What is wrong with a document by a schema (draft 7)."""
    root = schema if root is None else root
    if schema is True or schema is False:
        if schema is False:
            yield f"{at}: nothing may be here"
        return
    if "$ref" in schema:
        target: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        yield from problems(value, target, root, at)
        return
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_a(value, kind) for kind in kinds):
        yield f"{at}: {type(value).__name__} is no {' or '.join(kinds)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    for several, least in (("anyOf", 1), ("oneOf", 1), ("allOf", len(schema.get("allOf", ())))):
        fits = sum(not [*problems(value, each, root, at)] for each in schema.get(several, ()))
        if several in schema and (fits < least or (several == "oneOf" and fits > 1)):
            yield f"{at}: {fits} of {several} fit"
    if "not" in schema and not [*problems(value, schema["not"], root, at)]:
        yield f"{at}: is what it must not be"
    match value:
        case dict():
            yield from _in_object(value, schema, root, at)
        case list():
            if len(value) < schema.get("minItems", 0):
                yield f"{at}: {len(value)} items"
            if schema.get("uniqueItems") and len({json.dumps(item, sort_keys=True) for item in value}) < len(value):
                yield f"{at}: items that are the same"
            for index, item in enumerate(value):
                yield from problems(item, schema.get("items", True), root, f"{at}[{index}]")
        case str():
            if "pattern" in schema and not re.search(schema["pattern"], value):
                yield f"{at}: {value!r} does not match {schema['pattern']}"
            if schema.get("format") in ("uri", "uri-reference") and not _URI.fullmatch(value):
                yield f"{at}: {value!r} is no address"
            if schema.get("format") == "uri" and ":" not in value:
                yield f"{at}: {value!r} is no whole address"
        case int() | float() if "minimum" in schema and value < schema["minimum"]:
            yield f"{at}: {value} is less than {schema['minimum']}"


def _in_object(value: dict[str, Any], schema: Schema, root: Schema, at: str) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}: no {name}"
    known = schema.get("properties", {})
    for name, part in value.items():
        yield from problems(part, known.get(name, schema.get("additionalProperties", True)), root, f"{at}.{name}")


def _is_a(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and not (isinstance(value, bool) and kind in ("integer", "number"))


if __name__ == "__main__":
    found = list(problems(json.loads(Path(sys.argv[1]).read_text()), json.loads(Path(sys.argv[2]).read_text())))
    print("\n".join(found) or "as the schema says")
    sys.exit(bool(found))
