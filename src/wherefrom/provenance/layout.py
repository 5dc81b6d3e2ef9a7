"""The words and columns of answers: inputs, literals and covered values in few words; rows with places beside them.

Every language's explanation is made of these, so that they look alike (`wherefrom.provenance.explain` has the order of
the headings).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ..base.plural import count_of
from ..base.render import Styled, excerpt, visible, width_of
from ..base.source import Span, lines_of
from .extract import expression, leaves, parts
from .origins import CODE, OUTSIDE, Choice, Foreign, Guard, Hidden, Later, Leaf, Origin, spine

Row: TypeAlias = tuple[str, Span | None, str]
"""A text, its place, a note."""
Line: TypeAlias = tuple[str, str, str, str]
"""A title, a text, a place, a note, ready to be put into columns."""

ABSENT = " (absent)"

# --- words -----------------------------------------------------------------------------------------------------------

ORDER = {"fact": 0, "node": 1, "trusted": 1, "classifier": 2, "hiera": 3, "setting": 4, "file": 5}


def word_of(leaf: Leaf, ladder: str | None) -> str | None:
    """An input that is no literal, in a word or two; `""` for one that is told elsewhere, nothing for a mere name."""
    word = _word_of(leaf, ladder)
    return f"{word} of {leaf.node}" if word and isinstance(leaf, Foreign) else word


def _word_of(leaf: Leaf, ladder: str | None) -> str | None:
    if leaf.kind == "hiera":
        if not leaf.name or leaf.name.startswith("lookup_options"):
            return None
        root = leaf.name.partition(".")[0]
        if ladder is not None and root == ladder.partition(".")[0]:
            return ""
        return f"data {root}" + (ABSENT if leaf.absent else "")
    if leaf.kind == "file":
        is_told = not leaf.absent and leaf.detail != CODE and not leaf.name.endswith("hiera.yaml")
        return f"file {leaf.name}" if is_told else None
    if leaf.kind == "classifier" and leaf.absent:
        return None
    if leaf.kind == "trusted" and leaf.name == "certname":
        return "node name"
    if leaf.kind == "export":
        return f"what other nodes export as {leaf.name}" if not leaf.file else f"export {leaf.name}"
    if not leaf.name:
        return {"fact": "the set of facts", "node": "node name", "classifier": "the classifier"}.get(
            leaf.kind, f"every {leaf.kind}"
        )
    return f"{leaf.kind} {leaf.name}" + (ABSENT if leaf.absent else "")


def leaf_words(leaf: Leaf, limit: int = 50) -> str:
    """An input with its value."""
    if leaf.kind == "literal":
        return literal_text(leaf)
    if leaf.detail in (OUTSIDE, CODE) or (leaf.kind == "file" and leaf.value is None and not leaf.absent):
        return leaf_name(leaf)
    if not leaf.name and not isinstance(leaf, Foreign):
        return leaf_name(leaf) + (ABSENT if leaf.absent else f" = {short(leaf.value, limit)}")
    kind = "data" if leaf.kind == "hiera" else leaf.kind
    name = f"{leaf.name} of {leaf.node}" if isinstance(leaf, Foreign) else leaf.name
    return f"{kind} {name}" + (ABSENT if leaf.absent else f" = {short(leaf.value, limit)}")


def hidden_words(covered: Hidden) -> str:
    """A covered value; of a default that was never computed, its text."""
    if covered.span is not None and covered.value == covered.span.text:
        return cut(first_line(covered.span), 50)
    return short(covered.value, 50)


def input_words(leaf: Leaf) -> str:
    words = leaf_words(leaf)
    return f"{words} {short_place(leaf.span)}" if leaf.span is not None else words


def short_place(span: Span) -> str:
    """The file's own name and the line."""
    return f"{span.file.name.rpartition('/')[2]}:{span.line}"


def literal_text(leaf: Leaf) -> str:
    text = lines_of(leaf.span.text)[0] if leaf.span is not None and leaf.span.text else ""
    if not text or (isinstance(leaf.value, str) and text[0] not in "'\"@"):
        return short(leaf.value, 40)
    return cut(visible(text), 40)


def literal_words(leaf: Leaf) -> str:
    place = f" {short_place(leaf.span)}" if leaf.span is not None else ""
    return f"{literal_text(leaf)}{place}"


def inputs_of(test: Origin, span: Span | None) -> Iterator[Leaf]:
    """The inputs that a test looked at, those aside that are written in it."""
    seen: set[object] = set()
    for leaf in leaves(expression(test)):
        written = span is not None and leaf.span is not None and is_within(leaf.span, span)
        if not written and leaf.key not in seen:
            seen.add(leaf.key)
            yield leaf


def header_of(span: Span) -> str:
    """`node 'web01'` of a node's definition."""
    return cut(" ".join(span.text.partition("{")[0].split()))


def first_line(span: Span) -> str:
    text = span.text.strip()
    first = lines_of(text)[0].strip() if text else ""
    return first if first == text else f"{first} …"


def cut(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def is_within(inner: Span, outer: Span) -> bool:
    return inner.file is outer.file and outer.start <= inner.start and inner.end <= outer.end


def on_line_of(inner: Span | None, outer: Span) -> bool:
    return inner is not None and inner.file.name == outer.file.name and inner.line == outer.line


# --- origins ---------------------------------------------------------------------------------------------------------


def choices_on(origin: Origin) -> Iterator[Choice]:
    """The choices along the way of a value."""
    return (here for here in spine(origin) if isinstance(here, Choice) and here.how is not None)


def happened(origin: Origin) -> list[Leaf]:
    """The inputs of what happened: those aside that are worked out only when somebody asks what did not."""
    inputs: dict[object, Leaf] = {}
    seen: set[int] = set()
    stack: list[Origin | Guard] = [origin]
    while stack:
        node = stack.pop()
        if id(node) not in seen and not isinstance(node, Later):
            seen.add(id(node))
            if isinstance(node, Leaf):
                inputs.setdefault(node.key, node)
            else:
                stack.extend(parts(node))
    return sorted(inputs.values(), key=lambda leaf: (leaf.file, leaf.span.start if leaf.span is not None else 0))


# --- layout ----------------------------------------------------------------------------------------------------------


def edit_leaf(source: Leaf) -> Styled:
    words = literal_text(source) if source.kind == "literal" else leaf_words(source)
    if source.kind == "hiera":
        words = short(source.value, 60)
    if source.kind == "file" and source.span is None:
        return aligned([("edit    ", "the file", source.name, "")], "value")
    if source.span is None:
        words += "" if source.kind == "literal" else "   (given, not written here)"
    out = edit_rows([(words, source.span, "")])
    if source.span is not None and source.span.end > source.span.start:
        out += indented(excerpt(source.span, "", style="value"))
    return out


def edit_rows(rows: Sequence[Row]) -> Styled:
    lines = []
    for number, (text, span, note) in enumerate(rows):
        lines.append(("edit    " if number == 0 else " " * 8, text, span.place if span is not None else "", note))
    return aligned(lines, "value")


def aligned(rows: Sequence[Line], style: str = "") -> Styled:
    """Rows of a title, a text, a place and a note, in columns."""
    if not rows:
        return []
    wide = min(64, max(width_of(row[1]) for row in rows))
    places = min(60, max(width_of(row[2]) for row in rows))
    out: Styled = []
    for title, text, place, note in rows:
        out += [(title, "strong"), (visible(text), style)]
        if place or note:
            out += [(" " * max(0, wide - width_of(text)) + "   ", ""), (visible(place), "place")]
        if note:
            out.append((" " * max(0, places - width_of(place)) + "   " + visible(note), "dim"))
        out.append(("\n", ""))
    return out


def wrapped(items: list[str], limit: int) -> list[str]:
    """Items with commas between them, on as many lines as it takes."""
    lines = [""]
    for number, item in enumerate(items):
        text = item + ("," if number < len(items) - 1 else "")
        if lines[-1] and len(lines[-1]) + len(text) > limit:
            lines.append("")
        lines[-1] += f" {text}" if lines[-1] else text
    return lines


def indented(pieces: Styled) -> Styled:
    """Eight spaces before each line of an excerpt."""
    out: Styled = []
    at_start = True
    for text, style in pieces:
        if at_start:
            out.append(("        ", ""))
        out.append((text, style))
        at_start = text.endswith("\n")
    return out


def short(value: object, limit: int) -> str:
    """A value on one line, cut to about `limit` characters."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = "a value too deep to print"
    text = visible(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def leaf_name(leaf: Leaf) -> str:
    if leaf.kind == "literal":
        text = leaf.span.text if leaf.span is not None else ""
        # A piece of text between interpolations has no quotes of its own; its value says more than its span.
        if not text or (isinstance(leaf.value, str) and text[0] not in "'\"@"):
            return short(leaf.value, 60)
        return visible(lines_of(text)[0])[:60]
    if leaf.kind == "node" and not leaf.name:
        return "the node's name"
    if not leaf.name:
        return WHOLES.get(leaf.kind, f"every {leaf.kind}")
    if leaf.detail == OUTSIDE:
        return f"{OUTSIDE}: none of {count_of(len(leaf.names), 'class')}"
    return f"{leaf.kind} {leaf.name}"


WHOLES = {"fact": "the set of facts", "classifier": "the classifier's answer", "hiera": "the keys of the data"}
