"""Explanations: what an origin says about one value, as text for a person and as JSON for a program.

An `Explanation` joins a value of an outcome with everything that can be read off its origin. The text of every
language has these headings in this order; what a language lacks, or a value has not, is left out:

| heading        | what                                                                     | JSON               |
|----------------|--------------------------------------------------------------------------|--------------------|
| `edit`, `from` | the literal to edit; of a computed value its expression, and its inputs  | where, expression  |
| `by`           | who last wrote that line                                                 | by                 |
| (a table)      | what each level of the data says; whose definition each element is       | ladder, option     |
| `order`        | what put the elements of a composite in their order                      | order              |
| `in`           | what a resource stands in                                                | containers         |
| `because`      | the decisions, as they are written, with the inputs they were made on    | guards, decisions  |
| `via`          | the steps and options that passed the value on, the last first           | chain              |
| `hides`        | the values that it covers, and those that do not apply, with the reasons | hidden             |
| `set`          | attributes of a resource that something outside of its declaration set   | set_elsewhere      |
| `after`, ...   | the resources that are applied before this one, and after it             | relationships      |
| `changes with` | the other inputs that could have changed it                              | depends            |

`--how` adds `formula`, and `--depends` lists every input below `changes with`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

from ..base.diagnostics import Diagnostic
from ..base.plural import count_of
from ..base.record import Record, field, replace
from ..base.render import Styled, plain, span_json, visible
from ..base.source import Span
from .extract import (
    Apply,
    Build,
    Given,
    Nothing,
    Term,
    Transfer,
    chain,
    depends,
    expression,
    guards,
    hidden,
    leaves,
    where,
)
from .layout import (
    ORDER,
    Line,
    Row,
    aligned,
    choices_on,
    cut,
    edit_leaf,
    edit_rows,
    first_line,
    hidden_words,
    input_words,
    inputs_of,
    is_within,
    leaf_name,
    leaf_words,
    literal_words,
    word_of,
    wrapped,
)
from .layout import short as short
from .operations import EdgeLabel, Infix, Op
from .origins import OUTSIDE, Absent, Foreign, Guard, Hidden, Items, Leaf, Origin, core
from .rendered import Rendered

MAX_TERM_NODES = 2_000
"""A formula larger than this is cut; `"elided": true` marks the place."""
MAX_TERM_DEPTH = 150
FORMULA_WIDTH = 400
FORMULA_DEPTH = 30
MAX_OPERANDS = 8
"""The same for a formula on one line; of the operands of a longer sum only the first and last are shown."""
MAX_LISTED = 12
"""How many inputs, transfers or hidden values the terminal shows before it counts the rest."""
MAX_ELEMENTS = 6
MAX_SOURCES = 6
MAX_LITERALS = 5
WIDEST_LINE = 100
"""The same for the elements of a composite, the inputs of a formula, and literals that would change a value."""

ALL_PARTS = frozenset({"where", "how", "depends"})

MAX_ORDERED = 50
"""The same for the positions of a composite's elements."""


class Explanation(Record):
    """One value and its origin."""

    path: str
    value: Any
    origin: Origin
    by: str = field(default="", kw_only=True)
    """The commit that last changed the place to edit, with `--blame`."""
    everything: bool = field(default=False, kw_only=True)
    """Whether nothing is to be left out that is usually only counted."""

    sums_up: ClassVar[bool] = True
    """Whether the document has `changes_with`."""

    @property
    def edit_place(self) -> Span | None:
        """The place that one would edit to change the value."""
        source = self.where
        return source.span if source is not None else _span(core(self.origin))

    @property
    def failure(self) -> Diagnostic | None:
        """Why there is no value, for an explanation of something that failed."""
        return None

    @property
    def limit(self) -> int:
        """How many inputs, transfers or hidden values a list shows before it counts the rest."""
        return sys.maxsize if self.everything else MAX_LISTED

    @property
    def opens(self) -> bool:
        """Whether inputs that group several are listed one by one."""
        return self.everything

    def with_everything(self) -> Explanation:
        """The same, with nothing left out that is usually only counted."""
        answer: Explanation = replace(self, everything=True)
        return answer

    @property
    def where(self) -> Leaf | None:
        """The input the value is a copy of, if it is one."""
        return where(self.origin)

    @property
    def expression(self) -> Term:
        """The formula that made the value."""
        return expression(self.origin)

    @property
    def depends(self) -> list[Leaf]:
        """Every input that could have changed the value."""
        return depends(self.origin)

    @property
    def chain(self) -> list[Transfer]:
        """The transfers it went through, the last first."""
        return chain(self.origin)

    @property
    def hidden(self) -> list[Hidden]:
        """The values it covers."""
        return hidden(self.origin)

    @property
    def guards(self) -> list[Guard]:
        """The tests it stands under, innermost first."""
        return guards(self.origin)

    @property
    def order(self) -> list[tuple[str, Origin]]:
        """For a composite whose order means something: each key with the origin of its position."""
        items = _items(self.origin)
        return list(items.placed.items()) if items is not None and items.placed else []

    def to_json(self) -> dict[str, Any]:
        """The contract's document."""
        source = self.where
        document: dict[str, object] = {
            "path": self.path,
            "value": self.value,
            "where": None if source is None else leaf_json(source),
            "expression": term_json(self.expression),
            "depends": [leaf_json(leaf, self.opens) for leaf in self.depends],
            "chain": [{"how": transfer.how.words, **span_json(_span(transfer.origin))} for transfer in self.chain],
            "hidden": [hidden_json(covered) for covered in self.hidden],
        }
        if self.sums_up:
            words, literals, names = self.groups()
            shown = [leaf_json(leaf) for leaf in literals]
            document["changes_with"] = {"inputs": words, "literals": shown, "names": names}
        if self.by:
            document["by"] = self.by
        if self.guards:
            document["guards"] = [
                {
                    "how": guard.how.words,
                    **span_json(guard.span),
                    "depends": [leaf_json(leaf) for leaf in depends(guard.test)],
                }
                for guard in self.guards
            ]
        if self.order:
            document["order"] = [
                {
                    "key": key,
                    "because": [
                        {"how": transfer.how.words, **span_json(_span(transfer.origin))} for transfer in chain(origin)
                    ],
                    **span_json(_position_span(origin)),
                    **({"depends": [leaf_json(leaf) for leaf in inputs]} if (inputs := depends(origin)) else {}),
                }
                for key, origin in self.order
            ]
        return document

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        """The answer for a terminal.  `parts` picks from `where`, `how`, `depends`."""
        out: Styled = [(visible(self.path), "key"), (" = ", ""), (short(self.value, 200), "value"), ("\n", "")]
        if "where" in parts:
            out += [("\n", ""), *self.styled_edit(), *self.styled_by()]
        if "how" in parts:
            if parts != ALL_PARTS or self.everything:
                out += self._styled_formula()
            out += self._styled_order()
            rows = [
                *self.lines("because ", self._because_rows(), self.limit),
                *self.lines("via     ", self._via_rows(), self.limit),
                *self.lines("hides   ", self._hides_rows(), self.limit),
            ]
            if rows:
                out += [("\n", ""), *aligned(rows)]
        if "depends" in parts:
            out += self._styled_depends() if parts != ALL_PARTS or self.everything else self.styled_inputs()
        return out

    def text(self, parts: frozenset[str] = ALL_PARTS) -> str:
        """The answer as plain text."""
        return plain(self.styled(parts))

    def styled_edit(self) -> Styled:
        """The place to edit, with its line: of a copied value the literal, else where the value is computed."""
        inner = core(self.origin)
        source = self.where
        if source is not None:
            return edit_leaf(source)
        if isinstance(inner, Absent):
            return edit_rows([(f"nothing: {inner.what} (absent)", inner.span, "")])
        if isinstance(inner, Items):
            return self._styled_elements(inner)
        span = _span(inner)
        written = cut(first_line(span), 70) if span is not None else visible(term_text(self.expression, FORMULA_WIDTH))
        sources = [(leaf_words(leaf), leaf.span, "") for leaf in self._sources(span)]
        return edit_rows([(written, span, "")]) + aligned(self.lines("from    ", sources, MAX_SOURCES))

    def _styled_elements(self, items: Items) -> Styled:
        rows: list[Row] = []
        pairs = items.elements.items() if isinstance(items.elements, Mapping) else enumerate(items.elements)
        more = len(items.elements) - MAX_ELEMENTS
        for key, origin in islice(pairs, MAX_ELEMENTS):
            source = where(origin)
            span = source.span if source is not None else _span(core(origin))
            value = self._element(key)
            rows.append((f"[{key}] {value}" if isinstance(key, int) else f".{key} {value}", span, ""))
        if not rows:
            own = where(items.own)
            rows = [("empty", own.span if own is not None else _span(items.own), "")]
        ask = "ask for [i]" if not isinstance(items.elements, Mapping) else "ask for .key"
        return edit_rows(rows) + ([(f"        and {more} more elements ({ask})\n", "dim")] if more > 0 else [])

    def _element(self, key: object) -> str:
        try:
            return short(self.value[key], 50)
        except (KeyError, IndexError, TypeError):
            return ""

    def _sources(self, span: Span | None) -> Iterator[Leaf]:
        """The inputs of a formula that are written elsewhere, facts and data first."""
        seen: dict[object, Leaf] = {}
        for leaf in leaves(self.expression):
            if span is None or leaf.span is None or not is_within(leaf.span, span):
                seen.setdefault(leaf.key, leaf)
        yield from sorted(seen.values(), key=lambda leaf: ORDER.get(leaf.kind, 9))

    def styled_by(self) -> Styled:
        """The commit that last changed the place to edit."""
        return [("by      ", "strong"), (visible(self.by) + "\n", "")] if self.by else []

    def _styled_formula(self) -> Styled:
        inner = core(self.origin)
        if self.where is not None or isinstance(inner, Items | Absent):
            return []
        words = formula_words(inner, self.expression)
        return [("\n", ""), ("formula ", "strong"), (visible(words), ""), *_at(_span(inner))]

    def _because_rows(self) -> list[Row]:
        """The choices that picked the value, then the tests that it stands under."""
        rows: list[Row] = [
            (_written(choice.how, choice.span), choice.span, _tests(choice.tests, choice.span))
            for choice in choices_on(self.origin)
            if choice.tests and choice.how is not None
        ]
        for guard in self.guards:
            rows.append((_written(guard.how, guard.span), guard.span, _tests((guard.test,), guard.span)))
        return rows

    def _via_rows(self) -> list[Row]:
        decided = {id(choice) for choice in choices_on(self.origin) if choice.tests}
        return [
            (transfer.how.words, _span(transfer.origin), "")
            for transfer in self.chain
            if id(transfer.origin) not in decided
        ]

    def _hides_rows(self) -> list[Row]:
        return [
            (f"{hidden_words(covered)}, {covered.why}", covered.span or _span(covered.origin), "")
            for covered in self.hidden
        ]

    def _styled_order(self) -> Styled:
        if len(self.order) < 2:
            return []
        out: Styled = [("\n", "")]
        for number, (key, origin) in enumerate(self.order[:MAX_ORDERED]):
            out += [("order   " if number == 0 else " " * 8, "strong"), (f"{number + 1}. {visible(key)}", "key")]
            out += _at(_position_span(origin))
            out += [(f"           {visible(transfer.how.words)}\n", "") for transfer in chain(origin)]
        if len(self.order) > MAX_ORDERED:
            out.append((f"        and {len(self.order) - MAX_ORDERED} more elements (--json lists all)\n", "dim"))
        return out

    def _styled_depends(self) -> Styled:
        """Every input, one a line."""
        leaves = self.depends
        if not leaves:
            return [("\n", ""), ("changes with  ", "strong"), ("no input\n", "")]
        out: Styled = [("\n", ""), ("changes with\n", "strong")]
        rows: list[Row] = []
        for leaf in leaves:
            rows.append((leaf_words(leaf, 60), leaf.span, leaf_note(leaf)))
            if self.opens and leaf.detail == OUTSIDE:
                rows += [(f"    {name}", None, "") for name in leaf.names]
        return out + aligned(self.lines(" " * 8, rows, self.limit))

    def groups(self) -> tuple[list[str], list[Leaf], int]:
        """What else would change the value: inputs in words, literals, and how many are names that nobody edits."""
        source = self.where
        shown = {source.key} if source is not None else {leaf.key for leaf in leaves(self.expression)}
        words: dict[str, int] = {}
        literals: list[Leaf] = []
        for leaf in self.depends:
            if leaf.key in shown:
                continue
            word = None if leaf.kind == "literal" else word_of(leaf, None)
            if word:
                words[word] = ORDER.get(leaf.kind, 9)
            elif leaf.kind == "literal":
                literals.append(leaf)
        return sorted(words, key=lambda word: (words[word], word)), literals, 0

    def styled_inputs(self) -> Styled:
        """What else would change the value, in a line or two."""
        words, literals, names = self.groups()
        items = list(dict.fromkeys([*words, *(literal_words(leaf) for leaf in literals[:MAX_LITERALS])]))
        rest = len(literals) - MAX_LITERALS
        counted = [
            *([count_of(rest, "literal")] if rest > 0 else []),
            *([count_of(names, "literal used as a name", "literals used as names")] if names else []),
        ]
        if not items and not counted:
            return []
        tail = f"   and {' and '.join(counted)} (--all)" if counted else ""
        lines = wrapped(items, WIDEST_LINE)
        lines[-1] += tail if lines[-1] else tail.removeprefix("   and ")
        out: Styled = [("\n", "")]
        for number, line in enumerate(lines):
            out.append(("changes with  " if number == 0 else " " * 14, "strong"))
            out.append((visible(line) + "\n", ""))
        return out

    def lines(self, title: str, rows: Sequence[Row], limit: int) -> list[Line]:
        """Rows below a heading; what is too much is counted."""
        out: list[Line] = []
        for number, (text, span, note) in enumerate(rows[:limit]):
            out.append((title if number == 0 else " " * 8, text, span.place if span is not None else "", note))
        if len(rows) > limit:
            out.append((" " * 8, f"and {len(rows) - limit} more ({self.hint})", "", ""))
        return out

    @property
    def hint(self) -> str:
        """What shows all of a list that was cut."""
        return "--all"


class RecalledExplanation(Explanation):
    """One of a saved catalog, which does not have the source: it can not tell names from other literals."""

    sums_up = False


def _written(how: EdgeLabel, span: Span | None) -> str:
    """A test as it is written, where its place is known; what it is, where the text does not begin with that."""
    text = cut(first_line(span)) if span is not None and span.end > span.start else ""
    begins = text.casefold().startswith(how.words.partition(":")[0])
    return text if begins else f"{how.words} {text}".rstrip()


def _tests(tests: Sequence[Origin], span: Span | None) -> str:
    inputs = list({leaf.key: leaf for test in tests for leaf in inputs_of(test, span)}.values())
    more = f" and {len(inputs) - 3} more" if len(inputs) > 3 else ""
    return ", ".join(input_words(leaf) for leaf in inputs[:3]) + more


def leaf_note(leaf: Leaf) -> str:
    """What is to be said about an input beside its place."""
    where = f"in {leaf.file}" if leaf.span is None and leaf.file else ""
    return ", ".join(words for words in (where, leaf.detail if leaf.detail != OUTSIDE else "") if words)


def formula_words(inner: Origin, term: Term) -> str:
    """A formula on one line; of a rendered text, what it was rendered from."""
    if isinstance(inner, Rendered):
        return rendered_words(inner, term)
    return term_text(term, FORMULA_WIDTH)


def rendered_words(inner: Rendered, term: Term) -> str:
    """`rendered by motd.epp from 2 facts and 1 datum`: of a rendered text nobody reads the formula."""
    counts: dict[str, set[object]] = {}
    template = ""
    for leaf in leaves(term):
        if leaf.span is not None and leaf.span.file.name.endswith((".epp", ".erb")):
            template = template or leaf.span.file.name.rpartition("/")[2]
        else:
            counts.setdefault(leaf.kind, set()).add(leaf.key)
    parts = [
        count_of(len(counts[kind]), *_KINDS.get(kind, (kind,)))
        for kind in sorted(counts, key=lambda kind: ORDER.get(kind, 9))
    ]
    inputs = f" from {joined(parts)}" if parts else ""
    return f"rendered by {template or 'an inline template'}{inputs}"


_KINDS = {"hiera": ("datum", "data"), "node": ("node name",), "literal": ("literal",)}


def joined(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _at(span: Span | None) -> Styled:
    return [("\n", "")] if span is None else [("  ", ""), (span.place + "\n", "place")]


def _items(origin: Origin) -> Items | None:
    behind = core(origin)
    return behind if isinstance(behind, Items) else None


def _span(origin: Origin) -> Span | None:
    span: Span | None = getattr(origin, "span", None)
    return span


def _position_span(origin: Origin) -> Span | None:
    """The place that first put an element where it stands: the innermost span of its chain."""
    span = _span(core(origin))
    if span is None:
        for transfer in chain(origin):
            span = _span(transfer.origin) or span
    return span


# --- JSON -----------------------------------------------------------------------------------------------------------


def leaf_json(leaf: Leaf, opened: bool = False) -> dict[str, object]:
    """An input for a program.  Several that are one are counted, and named if they are `opened`."""
    document: dict[str, object] = {"kind": leaf.kind}
    if leaf.detail == OUTSIDE:
        document |= {"count": len(leaf.names)} | ({"names": leaf.names} if opened else {})
    elif leaf.name:
        document["key" if leaf.kind == "hiera" else "name"] = leaf.name
    if isinstance(leaf, Foreign):
        document["node"] = leaf.node
    document |= span_json(leaf.span)
    if leaf.span is None and leaf.file:
        document["file"] = leaf.file
    if leaf.kind == "literal" and leaf.span is not None:
        document["text"] = leaf.span.text
    elif leaf.absent:
        document["absent"] = True
    else:
        document["value"] = jsonable(leaf.value)
    if leaf.detail:
        document["detail"] = leaf.detail
    return document


def hidden_json(covered: Hidden) -> dict[str, object]:
    """A covered value for a program."""
    source = where(covered.origin)
    place = covered.span or (source.span if source is not None else _span(covered.origin))
    return {"value": jsonable(covered.value), "why": covered.why.words, **span_json(place)}


def jsonable(value: object) -> object:
    """`value` if JSON can hold it, else its text."""
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return str(value)
    return value


def term_json(term: Term) -> Any:
    """A term as nested `{"op": ..., "args": [...]}`, cut at `MAX_TERM_NODES` nodes or `MAX_TERM_DEPTH` levels."""
    left = MAX_TERM_NODES

    def convert(term: Term, depth: int) -> object:
        nonlocal left
        left -= 1
        match term:
            case Given(leaf):
                return leaf_json(leaf)
            case Nothing(what):
                return {"absent": what}
        head: dict[str, object] = {"op": term.op.words} if isinstance(term, Apply) else {}
        if left < 0 or depth >= MAX_TERM_DEPTH:
            return {**head, "elided": True}
        arguments = [convert(argument, depth + 1) for argument in term.arguments]
        match term:
            case Build(keys) if keys is not None:
                return {"op": "hash", "args": arguments, "keys": [str(key) for key in keys]}
            case Build():
                return {"op": "array", "args": arguments}
        return {**head, "args": arguments}

    return convert(term, 0)


def term_text(term: Term, limit: int) -> str:
    """A term on one line, about `limit` characters at the most.  `(a + b) + c` is `a + b + c`."""
    left = limit

    def convert(term: Term, depth: int) -> str:
        nonlocal left
        if left <= 0 or depth > FORMULA_DEPTH:
            return "…"
        match term:
            case Given(leaf):
                text = leaf_name(leaf)
            case Nothing(what):
                text = f"nothing ({what})"
            case Apply(Infix(symbol=symbol) as op, (_, _)):
                left -= len(symbol)
                joined = f" {symbol} ".join(shortened(_operands(op, term), depth + 1))
                return f"({joined})" if depth else joined
            case Apply(op, arguments):
                left -= len(op.words)
                inner = listed(arguments, depth + 1)
                name = op.shown
                return f"{name}({', '.join(inner)})" if inner else name
            case Build(None, arguments):
                return "[" + ", ".join(listed(arguments, depth + 1)) + "]"
            case Build(keys, arguments):
                pairs = zip(keys or (), listed(arguments, depth + 1))
                return "{" + ", ".join(f"{key}: {element}" for key, element in pairs) + "}"
        left -= len(text)
        return text

    def listed(terms: tuple[Term, ...], depth: int) -> list[str]:
        texts: list[str] = []
        for argument in terms:
            if left <= 0:
                return [*texts, "…"]
            texts.append(convert(argument, depth))
        return texts

    def shortened(operands: list[Term], depth: int) -> list[str]:
        if len(operands) <= MAX_OPERANDS:
            return [convert(operand, depth) for operand in operands]
        few = MAX_OPERANDS // 2 - 1
        ends = [convert(operand, depth) for operand in (*operands[:few], *operands[-few:])]
        return [*ends[:few], f"… {len(operands) - 2 * few:,} more …", *ends[few:]]

    return convert(term, 0)


def _operands(op: Op, term: Term) -> list[Term]:
    """a, b and c of `(a op b) op c`."""
    operands: list[Term] = []
    while isinstance(term, Apply) and term.op == op and len(term.arguments) == 2:
        operands.append(term.arguments[1])
        term = term.arguments[0]
    return [term, *reversed(operands)]
