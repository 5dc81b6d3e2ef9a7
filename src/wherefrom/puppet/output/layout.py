"""Words of answers that only catalogs need: templates and the parts of Puppet's composites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.source import Span
from ...provenance.extract import expression, leaves
from ...provenance.origins import Leaf, Origin
from ...provenance.rendered import Rendered
from ..kernel.shadow import part


def template_of(inner: Rendered) -> Span | None:
    """The template that a text was rendered from, as far as a part of it is known."""
    if inner.span is not None and inner.span.file.name.endswith((".epp", ".erb")):
        return inner.span
    for leaf in leaves(expression(inner)):
        if is_template_text(leaf) and leaf.span is not None:
            return leaf.span.file.span(0, 0)
    return inner.span


def is_template_text(leaf: Leaf) -> bool:
    return leaf.span is not None and leaf.span.file.name.endswith((".epp", ".erb"))


def is_printing(leaf: Leaf) -> bool:
    """Whether a literal is the code of a template that prints something: who reads the template sees it."""
    span = leaf.span
    return span is not None and is_template_text(leaf) and span.file.text.endswith("<%=", 0, span.start)


def smallest(path: str, value: object, origin: Origin) -> Iterator[tuple[str, Any, Origin]]:
    """The smallest parts of a value, each with its origin."""
    if isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from smallest(f"{path}[{index}]", item, part(origin, index))
    elif isinstance(value, dict) and value:
        for key, item in value.items():
            yield from smallest(f"{path}.{key}", item, part(origin, key))
    else:
        yield path, value, origin
