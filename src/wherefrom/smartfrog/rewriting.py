"""Changes of SmartFrog sources that may give an attribute another value.

A literal is replaced where it stands; below a component that came by a prototype or a link, the value is placed beside
it instead, as the last statement of `sfConfig` (`web:port 8080;`), so that what else extends the prototype stays as it
is. Which of them do it, a compilation says (`wherefrom.wishes`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from ..base.data_texts import list_changed
from ..base.source import SourceFile, Span
from ..base.splices import DEFINED, GONE, REMOVED, REPLACED, Obstacle, Rewrite, Splice
from ..provenance.backwards import Apply, Goal, goals
from ..provenance.origins import Copy, Items, Leaf, Origin
from .labels import FromPrototype, LinkedFrom
from .tree import Assignment, Block, Extends


def literal_text(value: object) -> str | None:
    """A value as a literal; nothing for a value that has none."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
        return '"' + "".join(escapes.get(character, character) for character in value) + '"'
    if isinstance(value, list):
        texts = [literal_text(part) for part in value]
        return None if None in texts else "[" + ", ".join(map(str, texts)) + "]"
    return json.dumps(value) if isinstance(value, int | float) else None


def rewrites(
    path: str, names: Sequence[str], value: object, wanted: object, origin: Origin, block: Block, apply: Apply
) -> Iterator[Rewrite | Obstacle]:
    """The changes that may make `value`, which stands at `path`, the wanted one; `names` are those of the path."""
    if wanted is GONE:
        yield from _removed(path, origin)
        return
    inherited = False
    for goal in goals(origin, value, wanted, apply):
        match goal.origin:
            case Leaf():
                yield from _leaf(goal.origin, goal)
            case Items():
                yield from _vector(goal.origin, goal)
            case Copy(how=FromPrototype() | LinkedFrom()):
                inherited = True
    text = literal_text(wanted)
    if text is not None and inherited and names:
        yield from _placed(path, names, text, block)


def _leaf(leaf: Leaf, goal: Goal) -> Iterator[Rewrite | Obstacle]:
    if leaf.kind != "literal" or leaf.span is None:
        if leaf.kind not in ("literal", "reference") and not leaf.absent:
            yield Obstacle(f"{leaf.kind} {leaf.name}".strip(), "it is given from outside, and stands in no file")
        return
    text = literal_text(goal.wanted)
    if text is not None and leaf.span.text[:1] != "[":
        yield Rewrite(REPLACED, "", (Splice(leaf.span.file.name, leaf.span.start, leaf.span.end, text),))


def _vector(items: Items, goal: Goal) -> Iterator[Rewrite]:
    """A vector that gets or loses elements."""
    if not isinstance(goal.value, list) or not isinstance(goal.wanted, list) or isinstance(items.elements, Mapping):
        return
    spans = [element.span for element in items.elements if isinstance(element, Leaf) and element.span is not None]
    if len(spans) != len(goal.value) or not spans or any(literal_text(part) is None for part in goal.wanted):
        return
    source = spans[0].file
    start, end = source.text.rfind("[", 0, spans[0].start), source.text.find("]", spans[-1].end)
    if start < 0 or end < 0:
        return
    whole = source.span(start, end + 1)
    change = list_changed(source, whole, spans, goal.value, goal.wanted, lambda part: str(literal_text(part)))
    if change is not None:
        yield Rewrite(REPLACED, "", (Splice(source.name, *change),))


def _placed(path: str, names: Sequence[str], text: str, block: Block) -> Iterator[Rewrite]:
    """The value as the last statement of each `sfConfig`."""
    for assignment in block.assignments():
        if assignment.target.names != ("sfConfig",) or not isinstance(assignment.value, Extends):
            continue
        body = _body(assignment)
        if body is None:
            continue
        source, at = body
        line = source.text.rfind("\n", 0, at) + 1
        own_line = not source.text[line:at].strip()
        written = f"  {path} {text};\n" if own_line else f" {path} {text}; "
        at = line if own_line else at
        yield Rewrite(DEFINED, path, (Splice(source.name, at, at, written),))


def _body(assignment: Assignment) -> tuple[SourceFile, int] | None:
    """Where the closing brace of a component stands."""
    span: Span = assignment.span
    end = span.end
    text = span.file.text[span.start : end].rstrip().rstrip(";").rstrip()
    return (span.file, span.start + len(text) - 1) if text.endswith("}") else None


def _removed(path: str, origin: Origin) -> Iterator[Rewrite | Obstacle]:
    """The statement that sets an attribute, where the attribute is a literal of its own."""
    if not isinstance(origin, Leaf) or origin.span is None or origin.kind != "literal":
        yield Obstacle(path, "it is no literal that stands at its own place")
        return
    span = origin.span
    text = span.file.text
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
    end = len(text) if end < 0 else end + 1
    if text[start:end].count(";") == 1 and not set("{}") & set(text[start:end]):
        yield Rewrite(REMOVED, path, (Splice(span.file.name, start, end, ""),))
    else:
        yield Obstacle(span.place, "its statement does not stand on a line of its own")
