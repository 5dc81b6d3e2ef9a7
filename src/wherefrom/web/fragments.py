"""A text, each stretch of it with its origin: what the page tints.

A template knows how long each of its parts is (`Rendered`). A text with values filled in knows its parts alone; they
are computed again, as any formula can be, and if together they are the text, their lengths are known too. A part may
itself be made of parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..base.render import span_json
from ..language import Outcome
from ..provenance.explain import leaf_json, term_text
from ..provenance.extract import depends, evaluate_term, expression, where
from ..provenance.origins import Leaf, Origin, Step, core
from ..provenance.rendered import Rendered

MAX_FRAGMENTS = 5_000
MAX_DEPTH = 12
FORMULA_WIDTH = 200

Fragment = tuple[str, Origin]


def fragments_of(outcome: Outcome, path: str) -> dict[str, object]:
    """The document: the text at `path` as a list of fragments, each with its text, its kind, its place and inputs."""
    selected = outcome.select(path)
    if not isinstance(selected.value, str):
        return {"path": selected.path, "fragments": []}
    pieces = list(_pieces(outcome, selected.value, selected.origin, MAX_DEPTH))
    if len(pieces) > MAX_FRAGMENTS:
        pieces = [(selected.value, selected.origin)]
    return {"path": selected.path, "fragments": [_document(text, origin) for text, origin in pieces if text]}


def _pieces(outcome: Outcome, text: str, origin: Origin, depth: int) -> Iterator[Fragment]:
    """The parts that together are `text`; the whole, where no parts are known."""
    behind = core(origin)
    parts = _parts(outcome, text, behind) if depth else []
    if not parts:
        yield text, origin
    for part_text, part_origin in parts:
        yield from _pieces(outcome, part_text, part_origin, depth - 1)


def _parts(outcome: Outcome, text: str, origin: Origin) -> list[Fragment]:
    if isinstance(origin, Rendered):
        return _stretches(text, origin)
    if not isinstance(origin, Step) or len(origin.inputs) < 2:
        return []
    texts = [_text_of(outcome, part) for part in origin.inputs]
    if any(part is None for part in texts) or "".join(part or "" for part in texts) != text:
        return []
    return [(part or "", part_origin) for part, part_origin in zip(texts, origin.inputs)]


def _stretches(text: str, origin: Rendered) -> list[Fragment]:
    stretches: list[Fragment] = []
    start = 0
    for length in origin.lengths:
        if length:
            stretches += [(text[start : start + length], part) for part, _ in origin.between(start, start + length)]
        start += length
    return stretches if start == len(text) and sum(len(part) for part, _ in stretches) == len(text) else []


def _text_of(outcome: Outcome, origin: Origin) -> str | None:
    """A part as text, computed again."""
    source = where(origin)
    try:
        value = source.value if source is not None else evaluate_term(expression(origin), outcome.apply)
    except Exception:  # a formula that can not be computed again: the whole text is one fragment
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value) if isinstance(value, str | int | float) else None


def _document(text: str, origin: Origin) -> dict[str, Any]:
    source = where(origin)
    leaves = depends(origin)
    document: dict[str, object] = {"text": text, "kind": _kind(source, leaves)}
    if source is not None:
        document["where"] = leaf_json(source)
    else:
        document["formula"] = term_text(expression(origin), FORMULA_WIDTH)
        document |= span_json(getattr(core(origin), "span", None))
    document["depends"] = [leaf_json(leaf) for leaf in leaves if leaf.kind != "literal"]
    return document


def _kind(source: Leaf | None, leaves: list[Leaf]) -> str:
    """Whose words these are: an input's kind, or that they were computed, and from what."""
    if source is not None:
        return source.kind
    kinds = {leaf.kind for leaf in leaves}
    return next((kind for kind in ("fact", "hiera") if kind in kinds), "computed")
