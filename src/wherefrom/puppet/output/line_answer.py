"""An answer about one line of a rendered text: the line of the template, and the inputs of that line alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.render import Styled, span_json, visible
from ...base.source import Span
from ...provenance.explain import ALL_PARTS, MAX_SOURCES, leaf_json
from ...provenance.extract import leaves
from ...provenance.layout import Line, aligned, leaf_words
from ...provenance.operations import RENDER
from ...provenance.origins import Leaf, Origin, Step, core
from ...provenance.rendered import line_origin, rendered_parts
from .answer import MAX_DECISIONS, Answer, Asked
from .layout import template_of

_TEMPLATES = (".epp", ".erb")


class LineAnswer(Answer):
    """One line: `template` is the place in the template that made it, if it was rendered."""

    template: Span | None = None
    number: int = 0

    @property
    def edit_place(self) -> Span | None:
        return self.template or super().edit_place

    def to_json(self) -> dict[str, Any]:
        document = super().to_json()
        if self.template is not None:
            line = self.template.line
            document["template"] = {"text": self.template.file.line_text(line), **span_json(self.template)}
            document["from"] = [leaf_json(leaf) for leaf in self._parts()]
        return document

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        if parts != ALL_PARTS or self.everything or self.template is None:
            return super().styled(parts)
        line = self.template.line
        text = " ".join(self.template.file.line_text(line).split())
        out: Styled = [(f"{self.number} | ", "dim"), (visible(str(self.value).rstrip("\n")) + "\n\n", "value")]
        rows: list[Line] = [("edit    ", text, self.template.file.name + f":{line}", "")]
        sources = [(leaf_words(leaf), leaf.span, "") for leaf in self._parts()]
        rows += self.lines("from    ", sources, MAX_SOURCES)
        out += [*aligned(rows), *self.styled_by()]
        decisions = self.lines("because ", self._decision_rows(), MAX_DECISIONS)
        if decisions:
            out += [("\n", ""), *aligned(decisions)]
        return out + self.styled_inputs()

    def _parts(self) -> Iterator[Leaf]:
        """The inputs of what was filled into the line."""
        seen: set[object] = set()
        for leaf in leaves(self.expression):
            written = leaf.kind == "literal" and leaf.span is not None and leaf.span.file.name.endswith(_TEMPLATES)
            if not written and leaf.key not in seen:
                seen.add(leaf.key)
                yield leaf


def line_answer(outcome: Asked, whole: Answer, number: int, start: int, line: str) -> LineAnswer:
    """The answer about line `number` of a text, which begins at `start`."""
    end = start + len(line)
    template = _template_place(rendered_parts(whole.origin, start, end), whole.origin)
    return LineAnswer(
        f"{whole.path}, line {number}",
        line,
        line_origin(whole.origin, start, end),
        outcome,
        whole.passed,
        whole.existence,
        whole.declared,
        template,
        number,
    )


def _template_place(parts: list[tuple[Origin, int]], origin: Origin) -> Span | None:
    """The place in the template where a line begins: in the first of its parts that stands there."""
    for part, into in parts:
        inner = core(part)
        span = _span_of(part, inner)
        if span is not None and span.file.name.endswith(_TEMPLATES):
            # The text may have lost what stood round it (`-%>` takes the line end with it).
            lost = span.text.find(inner.value) if isinstance(inner, Leaf) and isinstance(inner.value, str) else -1
            at = span.start + lost + into if lost >= 0 else span.start
            return span.file.span(min(at, len(span.file.text)))
    whole = core(origin)
    return template_of(whole) if isinstance(whole, Step) and whole.op is RENDER and parts else None  # type: ignore[arg-type]


def _span_of(part: Origin, inner: Origin) -> Span | None:
    """The place of a part in the template: that of its text, or of the expression that printed it."""
    here: Any = part
    while here is not None:
        span: Span | None = getattr(here, "span", None)
        if span is not None and span.file.name.endswith(_TEMPLATES):
            return span
        here = getattr(here, "source", None) or getattr(here, "chosen", None) or getattr(here, "inner", None)
    return getattr(inner, "span", None)
