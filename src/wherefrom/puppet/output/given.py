"""What a run was given that stands in no file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...language import Given
    from ..runtime.inputs import NodeInputs


def given_inputs(inputs: NodeInputs) -> dict[Given, Any]:
    """Every input by kind and name, structured facts as wholes."""
    given: dict[Given, Any] = {("node", "name", ""): inputs.node}
    given.update((("fact", str(name), ""), value) for name, value in (inputs.facts or {}).items())
    given.update((("trusted", str(name), ""), value) for name, value in (inputs.trusted or {}).items())
    given.update((("classifier", str(name), ""), value) for name, value in inputs.parameters.items())
    given.update((("argument", name, ""), value) for name, value in inputs.changed.items())
    classes = inputs.classes
    named = classes if isinstance(classes, Mapping) else dict.fromkeys(classes)
    given.update((("class", name, ""), parameters or {}) for name, parameters in named.items())
    return given
