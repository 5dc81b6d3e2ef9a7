"""`flake.nix`, read without running it: its inputs, and what its outputs are called with.

The file must be an attribute set that is written out, and what it says of its inputs must be literals (Nix manual, "nix
flake", section "Flake format"), so that inputs are known before anything is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...base.diagnostics import Diagnostic
from ...base.record import Record
from ...base.source import Span
from ..syntax.tree import (
    Attribute,
    AttrSet,
    Expr,
    Interpolation,
    IntLiteral,
    Lambda,
    ListLiteral,
    PathLiteral,
    PatternLambda,
    StringLiteral,
    Variable,
)
from .reference import Attributes, BadReference, parse_reference

_KNOWN = ("description", "edition", "inputs", "nixConfig", "outputs")


class BadFlake(Diagnostic):
    """A `flake.nix` that Nix would refuse to read."""

    code = "N061"

    def __init__(self, message: str, span: Span | None = None, help: str | None = None) -> None:
        super().__init__(message, span, help=help)


class InputSpec(Record):
    """One input as `flake.nix` has it: a reference or a path to follow, and what it says of the input's inputs."""

    name: str
    reference: Attributes | None
    follows: tuple[str, ...] | None
    is_flake: bool
    overrides: Mapping[str, InputSpec]
    span: Span | None


class Manifest(Record):
    """What a flake says of itself."""

    description: str | None
    inputs: Mapping[str, InputSpec]


def read_manifest(tree: Expr, name: str) -> Manifest:
    """The inputs of the flake in `tree`; `name` is how messages call the flake.  Raises `BadFlake`."""
    if not isinstance(tree, AttrSet) or tree.dynamic:
        raise BadFlake(f"file '{name}' must be an attribute set", tree.span)
    attributes = {attribute.name: attribute for attribute in tree.attributes}
    for attribute in tree.attributes:
        if attribute.name not in _KNOWN:
            raise BadFlake(f"flake '{name}' has an unsupported attribute '{attribute.name}'", attribute.span)
    if "outputs" not in attributes:
        raise BadFlake(f"flake '{name}' lacks attribute 'outputs'", tree.span)
    outputs = attributes["outputs"].value
    if not isinstance(outputs, Lambda | PatternLambda):
        raise BadFlake("expected a function as 'outputs'", attributes["outputs"].span)
    description = None
    if "description" in attributes:
        description = _string(attributes["description"])
    inputs: dict[str, InputSpec] = {}
    if "inputs" in attributes:
        inputs = dict(_inputs(attributes["inputs"]))
    if isinstance(outputs, PatternLambda):
        for formal in outputs.formals:
            if formal.name != "self" and formal.name not in inputs:
                inputs[formal.name] = _indirect(formal.name, formal.span)
    inputs.pop("self", None)
    return Manifest(description, inputs)


def _inputs(attribute: Attribute) -> Iterator[tuple[str, InputSpec]]:
    if not isinstance(attribute.value, AttrSet):
        raise BadFlake(f"expected a set as '{attribute.name}', of literals", attribute.span)
    for written in attribute.value.attributes:
        yield written.name, _input(written)


def _input(attribute: Attribute) -> InputSpec:
    if not isinstance(attribute.value, AttrSet):
        raise BadFlake(f"expected a set as flake input '{attribute.name}', written out", attribute.span)
    reference: Attributes = {}
    url: Attribute | None = None
    follows: tuple[str, ...] | None = None
    is_flake = True
    overrides: Mapping[str, InputSpec] = {}
    for written in attribute.value.attributes:
        match written.name:
            case "url":
                url = written
            case "flake":
                is_flake = bool(_literal(written, bool))
            case "follows":
                text = _string(written)
                follows = tuple(part for part in text.split("/") if part)
            case "inputs":
                overrides = dict(_inputs(written))
            case _:
                reference[written.name] = _literal(written, object)
    if "type" not in reference:
        if reference:
            strange = next(iter(reference))
            raise BadFlake(f"flake input '{attribute.name}' has an unsupported attribute '{strange}'", attribute.span)
        reference = {}
    if url is not None:
        value = url.value
        text = value.text if isinstance(value, PathLiteral) else _string(url)
        try:
            reference = parse_reference(text)
        except BadReference as problem:
            raise BadFlake(str(problem), url.span) from None
    spec = InputSpec(attribute.name, reference or None, follows, is_flake, overrides, attribute.span)
    if spec.reference is None and follows is None:
        plain = _indirect(attribute.name, attribute.span)
        return InputSpec(attribute.name, plain.reference, None, is_flake, overrides, attribute.span)
    return spec


def _indirect(name: str, span: Span | None) -> InputSpec:
    return InputSpec(name, {"type": "indirect", "id": name}, None, True, {}, span)


def _string(attribute: Attribute) -> str:
    return str(_literal(attribute, str))


def _literal(attribute: Attribute, wanted: type) -> Any:
    """The value of an attribute that must be written as a literal."""
    value: object = None
    match attribute.value:
        case StringLiteral() | IntLiteral():
            value = attribute.value.value
        case Variable("true" | "false" as word):
            value = word == "true"
        case Interpolation(parts) if all(isinstance(part, StringLiteral) for part in parts):
            value = "".join(part.value for part in parts if isinstance(part, StringLiteral))
        case ListLiteral() | AttrSet() | Lambda() | PatternLambda():
            pass
    if value is None or not isinstance(value, wanted):
        expected = {str: "a string", bool: "a Boolean"}.get(wanted, "a string, number or Boolean")
        raise BadFlake(
            f"expected {expected} but got something else, for '{attribute.name}' in 'flake.nix'",
            attribute.span,
            help="inputs of a flake must be literals, without operators or variables",
        )
    return value
