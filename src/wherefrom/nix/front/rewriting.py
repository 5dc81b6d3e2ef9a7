"""Changes of Nix sources that may give a value, or an option of a module system, another value.

| what the value has                   | the change                                                                  |
|--------------------------------------|-----------------------------------------------------------------------------|
| a literal, part of a text            | its characters are replaced                                                 |
| an option with a definition          | the definition's expression becomes a literal, plain or in `lib.mkForce`    |
| an option that a module could define | a definition is added to a module of the user's, plain or in `lib.mkForce`  |
| a list                               | the list literals behind it get or lose elements                            |

`lib.mkForce` is written only where the name `lib` is at hand. Which of the changes do it, an evaluation says
(`wherefrom.wishes`): whether a definition beside another is merged with it, loses or is an error is for the module
system to decide.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...base.data_texts import changed_range
from ...base.diagnostics import Diagnostic
from ...base.record import Record
from ...base.source import SourceFile, Span
from ...base.splices import CONSTANT, DEFINED, FORCED, GONE, REMOVED, REPLACED, Obstacle, Rewrite, Splice, narrowed
from ...provenance.backwards import Apply, Goal, goals
from ...provenance.composites import element, unwrapped
from ...provenance.origins import Leaf, Origin
from ..options.definitions import Definition, Option
from ..options.explain import OptionExplanation
from ..syntax.parser import parse
from ..syntax.printer import show_name
from ..syntax.tree import AttrSet, Call, Expr, Let, ListLiteral, PatternLambda, With

if TYPE_CHECKING:
    from ...language import Outcome
    from ...provenance.explain import Explanation


def literal_text(value: object) -> str:
    """A value as a Nix expression."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + escaped(value) + '"'
    if isinstance(value, list):
        return "[ " + "".join(f"{element_text(part)} " for part in value) + "]"
    if isinstance(value, dict):
        return "{ " + "".join(f"{show_name(key)} = {literal_text(part)}; " for key, part in value.items()) + "}"
    text = json.dumps(value)
    return text


def element_text(value: object) -> str:
    """A value as an element of a list: a negative number stands in parentheses."""
    text = literal_text(value)
    return f"({text})" if text.startswith("-") else text


def escaped(text: str) -> str:
    """A text as it stands between double quotes."""
    for character, written in (
        ("\\", "\\\\"),
        ('"', '\\"'),
        ("${", "\\${"),
        ("\n", "\\n"),
        ("\t", "\\t"),
        ("\r", "\\r"),
    ):
        text = text.replace(character, written)
    return text


class Rewriting:
    """The changes for one value."""

    def __init__(self, sources: Iterable[SourceFile], apply: Apply) -> None:
        self.sources = list(sources)
        self.apply = apply
        self._trees: dict[str, Expr | None] = {}

    def of_value(self, origin: Origin, value: object, wanted: object) -> Iterator[Rewrite | Obstacle]:
        """Along the history of a value."""
        for goal in goals(origin, value, wanted, self.apply):
            if isinstance(goal.origin, Leaf):
                yield from self._leaf(goal.origin, goal)
            if isinstance(goal.value, list) and isinstance(goal.wanted, list):
                yield from self._elements(goal.origin, goal.value, goal.wanted)

    def of_option(self, option: Option, value: object, wanted: object) -> Iterator[Rewrite | Obstacle]:
        """At the definitions of an option, and by a new one."""
        defined: set[str] = set()
        for definition in option.definitions:
            if definition.place is None:
                continue
            if not definition.is_default:
                defined.add(definition.place.file.name)
            if definition.counts:
                yield from self._definition(option, definition, value, wanted)
        if wanted is GONE:
            return
        for source in self.sources:
            if source.name not in defined:  # a set has no attribute twice
                yield from self._new_definition(option, source, wanted)

    # --- literals ----------------------------------------------------------------------------------------------------

    def _leaf(self, leaf: Leaf, goal: Goal) -> Iterator[Rewrite | Obstacle]:
        if leaf.absent:
            return
        if leaf.kind != "literal" or leaf.span is None:
            if leaf.kind != "literal":
                yield Obstacle(f"{leaf.kind} {leaf.name}".strip(), "it is given from outside, and stands in no file")
            return
        span, text = leaf.span, leaf.span.text
        if text[:1] == '"' and text[-1:] == '"' and len(text) > 1:
            yield _replaced(span, span.start, span.end, literal_text(goal.wanted))
        elif isinstance(goal.value, str) and isinstance(goal.wanted, str):
            piece = narrowed(text, goal.value, goal.wanted)
            if piece is not None:
                for written in dict.fromkeys((escaped(piece[2]), piece[2].replace("${", "''${"))):
                    yield _replaced(span, span.start + piece[0], span.start + piece[1], written)
            elif goal.value == text:  # a path or an address without quotes
                yield _replaced(span, span.start, span.end, literal_text(goal.wanted))
        else:
            yield _replaced(span, span.start, span.end, literal_text(goal.wanted))

    def _elements(self, origin: Origin, old: list[Any], new: list[Any]) -> Iterator[Rewrite | Obstacle]:
        """Elements that a list gets or loses, in the list literals that its elements stand in."""
        start, old_end, new_end = changed_range(old, new)
        if old_end > start and new_end > start:
            return
        places: dict[int, Span] = {}
        for index in range(len(old)):
            inner = element(origin, index)
            leaf = unwrapped(inner)[1] if inner is not None else None
            if isinstance(leaf, Leaf) and leaf.kind == "literal" and leaf.span is not None:
                places[index] = leaf.span
        if old_end > start:
            gone = [places[index] for index in range(start, old_end) if index in places]
            if len(gone) == old_end - start:
                yield from self._cut(gone)
            return
        added = "".join(f"{element_text(part)} " for part in new[start:new_end])
        for index in (start - 1, start):
            if index in places and self._list_around(places[index]) is not None:
                span = places[index]
                at, written = (span.start, added) if index == start else (span.end, " " + added.rstrip())
                yield _replaced(span, at, at, written)

    def _cut(self, gone: Sequence[Span]) -> Iterator[Rewrite]:
        """Literal elements of one list, with the blanks before them."""
        around = self._list_around(gone[0])
        if around is None:
            return
        spans = [element.span for element in around.elements]
        if not all(span in spans for span in gone):
            return
        first, last = spans.index(gone[0]), spans.index(gone[-1])
        if last - first + 1 != len(gone):
            return
        if len(gone) == len(spans):
            yield _replaced(gone[0], around.span.start + 1, around.span.end - 1, " ")
            return
        start = spans[first - 1].end if first else spans[first].start
        end = spans[last].end if first else (spans[last + 1].start if last + 1 < len(spans) else spans[last].end)
        yield _replaced(gone[0], start, end, "")

    def _list_around(self, span: Span) -> ListLiteral | None:
        tree = self._tree(span.file)
        for node in _nodes(tree) if tree is not None else ():
            if isinstance(node, ListLiteral) and any(element.span == span for element in node.elements):
                return node
        return None

    def removed(self, origin: Origin) -> Iterator[Rewrite | Obstacle]:
        """The line of an attribute that is a literal."""
        leaf = unwrapped(origin)[1]
        if not isinstance(leaf, Leaf) or leaf.span is None:
            yield Obstacle("the value", "it is no literal")
            return
        text = leaf.span.file.text
        start, end = text.rfind("\n", 0, leaf.span.start) + 1, text.find("\n", leaf.span.end)
        end = len(text) if end < 0 else end + 1
        if text[start:end].count(";") == 1 and text[leaf.span.end : end].strip() == ";":
            yield Rewrite(REMOVED, "", (Splice(leaf.span.file.name, start, end, ""),))
        else:
            yield Obstacle(leaf.span.place, "its definition does not stand on a line of its own")

    # --- options -----------------------------------------------------------------------------------------------------

    def _definition(
        self, option: Option, definition: Definition, value: object, wanted: object
    ) -> Iterator[Rewrite | Obstacle]:
        """The expression of a definition that is there."""
        assert definition.place is not None
        source = definition.place.file
        expression = self._bound(definition.place)
        if expression is None:
            return
        span = expression.span
        if wanted is GONE:
            text = source.text
            start, end = text.rfind("\n", 0, definition.place.start) + 1, text.find("\n", span.end)
            end = len(text) if end < 0 else end + 1
            if not text[start : definition.place.start].strip() and text[span.end : end].strip() == ";":
                yield Rewrite(REMOVED, option.name, (Splice(source.name, start, end, ""),))
            return
        lists = [node for node in _nodes(expression) if isinstance(node, ListLiteral)]
        if isinstance(value, list) and isinstance(wanted, list) and len(lists) == 1:
            start, old_end, new_end = changed_range(value, wanted)
            if old_end == start:
                added = "".join(f"{element_text(part)} " for part in wanted[start:new_end])
                inside = lists[0]
                at = inside.elements[-1].span.end if inside.elements else inside.span.start + 1
                yield _replaced(inside.span, at, at, " " + added.rstrip() + ("" if inside.elements else " "))
                if inside.elements:
                    first = inside.elements[0].span.start
                    yield _replaced(inside.span, first, first, added)
        is_literal = not isinstance(expression, Call) and len(list(_nodes(expression))) == 1
        kind = REPLACED if is_literal or isinstance(expression, ListLiteral) else CONSTANT
        if isinstance(expression, Call) and len(expression.arguments) == 1 and definition.words:
            argument = expression.arguments[0].span
            yield Rewrite(
                REPLACED, option.name, (Splice(source.name, argument.start, argument.end, element_text(wanted)),)
            )
        for written, forced in self._forms(source, wanted):
            kind = FORCED if forced else kind
            yield Rewrite(kind, option.name, (Splice(source.name, span.start, span.end, written),))

    def _forms(self, source: SourceFile, wanted: object) -> Iterator[tuple[str, bool]]:
        """The expressions of a definition, and whether it is one that wins over all others."""
        yield literal_text(wanted), False
        if self._has_lib(source):
            yield f"lib.mkForce {element_text(wanted)}", True

    def _has_lib(self, source: SourceFile) -> bool:
        tree = self._tree(source)
        return isinstance(tree, PatternLambda) and any(formal.name == "lib" for formal in tree.formals)

    def _new_definition(self, option: Option, source: SourceFile, wanted: object) -> Iterator[Rewrite]:
        """`path = value;` as the last definition of a module."""
        tree = self._tree(source)
        if not isinstance(tree, PatternLambda) or not tree.ellipsis:
            return  # a file without `{ ..., ... }:` at its head may be anything
        body: Expr = tree.body
        while isinstance(body, Let | With):
            body = body.body
        if not isinstance(body, AttrSet) or body.recursive:
            return
        names = {attribute.name for attribute in body.attributes}
        inside: Span = body.span
        prefix = option.name
        if "config" in names:  # a module with options of its own
            config = next(attribute.value for attribute in body.attributes if attribute.name == "config")
            if not isinstance(config, AttrSet):
                return
            inside = config.span
        elif "options" in names:
            prefix = f"config.{prefix}"
        if not inside.text.endswith("}"):
            return
        at = inside.end - 1
        line = source.text.rfind("\n", 0, at) + 1
        indent = source.text[line:at]
        for written, forced in self._forms(source, wanted):
            if indent.strip():
                splice = Splice(source.name, at, at, f"{prefix} = {written}; ")
            else:
                splice = Splice(source.name, line, line, f"{indent}  {prefix} = {written};\n")
            yield Rewrite(FORCED if forced else DEFINED, option.name, (splice,))

    # --- trees -------------------------------------------------------------------------------------------------------

    def _tree(self, source: SourceFile) -> Expr | None:
        if source.name not in self._trees:
            try:
                self._trees[source.name] = parse(source, home="/homeless")
            except Diagnostic:
                self._trees[source.name] = None
        return self._trees[source.name]

    def _bound(self, place: Span) -> Expr | None:
        """The expression that stands behind the `=` of a definition whose name is at `place`."""
        tree = self._tree(place.file)
        for node in _nodes(tree) if tree is not None else ():
            if isinstance(node, AttrSet):
                for attribute in node.attributes:
                    if attribute.span.start == place.start and not attribute.inherited:
                        value: Expr = attribute.value
                        while isinstance(value, AttrSet) and value.span.start <= place.start and value.attributes:
                            value = value.attributes[0].value  # a path of names is sets in one another
                        return value
        return None


def _replaced(span: Span, start: int, end: int, text: str) -> Rewrite:
    return Rewrite(REPLACED, "", (Splice(span.file.name, start, end, text),))


def _nodes(tree: Expr) -> Iterator[Expr]:
    """A tree's nodes, the outermost first."""
    waiting: list[object] = [tree]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Expr):
            yield here
        if isinstance(here, tuple):
            waiting += reversed(here)
        elif isinstance(here, Record):
            waiting += [getattr(here, name) for name in reversed(here.__fields__)]


def changes_of(
    outcome: Outcome,
    origin: Origin,
    value: object,
    wanted: object,
    explanation: Explanation | None,
    own: Sequence[SourceFile],
) -> Iterator[Rewrite | Obstacle]:
    """Every change; new definitions go into the user's `own` files."""
    rewriting = Rewriting(own, outcome.apply)
    if wanted is not GONE:
        yield from rewriting.of_value(origin, value, wanted)
    if isinstance(explanation, OptionExplanation):
        yield from rewriting.of_option(explanation.option, value, wanted)
    elif wanted is GONE:
        yield from rewriting.removed(origin)
