"""Explanations: what an origin says, told to a person and to a program.

An `Explanation` joins one value of an outcome with everything that can be read off its origin: the input it was copied
from, or the formula that made it; the hands it went through; the tests it stood under; every input it depends on; the
values it hides; and, for a composite, what put its elements in their order. `to_json` is the contract's document;
`styled` the same story for a terminal.
"""

from __future__ import annotations

import json
from typing import Any

from ..base.diagnostics import Diagnostic
from ..base.record import Record, field
from ..base.render import Styled, excerpt, plain, span_json, visible, width_of
from ..base.source import Span
from .composites import unwrapped
from .extract import (
    Apply,
    Build,
    Given,
    Nothing,
    Passing,
    Term,
    chain,
    depends,
    expression,
    guards,
    hidden,
    where,
)
from .operations import Infix, Op
from .origins import Absent, Foreign, Guard, Hidden, Items, Leaf, Origin

MAX_TERM_NODES = 2_000
"""A formula larger than this is cut; `"elided": true` marks the place."""
MAX_TERM_DEPTH = 150
FORMULA_WIDTH = 400
FORMULA_DEPTH = 30
MAX_OPERANDS = 8
"""The same for a formula on one line; of the operands of a longer sum only the first and last are shown."""
MAX_LISTED = 12
"""How many inputs, hands or hidden values the terminal shows before it counts the rest."""


ALL_PARTS = frozenset({"where", "how", "depends"})

MAX_ORDERED = 50
"""The same for the positions of a composite's elements."""


class Explanation(Record):
    """One value and its origin."""

    path: str
    value: Any
    origin: Origin
    by: str = field(default="", kw_only=True)
    """Who wrote the place to edit, and when, if that was asked."""

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
        """How many inputs, hands or hidden values a list shows before it counts the rest."""
        return MAX_LISTED

    def with_everything(self) -> Explanation:
        """The same, with nothing left out that is usually only counted."""
        return self

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
    def chain(self) -> list[Passing]:
        """The hands it went through, the last first."""
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
        document: dict[str, Any] = {
            "path": self.path,
            "value": self.value,
            "where": None if source is None else leaf_json(source),
            "expression": term_json(self.expression),
            "depends": [leaf_json(leaf) for leaf in self.depends],
            "chain": [{"how": hand.how.words, **span_json(_span(hand.origin))} for hand in self.chain],
            "hidden": [hidden_json(covered) for covered in self.hidden],
        }
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
                    "because": [{"how": hand.how.words, **span_json(_span(hand.origin))} for hand in chain(origin)],
                    **span_json(_position_span(origin)),
                }
                for key, origin in self.order
            ]
        return document

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        """The story for a terminal.  `parts` picks from `where`, `how`, `depends`."""
        out: Styled = [(visible(self.path), "key"), (" = ", ""), (short(self.value, 200), "value"), ("\n", "")]
        if "where" in parts:
            out += self._styled_where()
        if "how" in parts:
            out += self._styled_formula()
            out += self._styled_chain()
            out += self._styled_guards()
            out += self._styled_hidden()
            out += self._styled_order()
        if "depends" in parts:
            out += self._styled_depends(alone="where" not in parts)
        return out

    def text(self, parts: frozenset[str] = ALL_PARTS) -> str:
        """The story as plain text."""
        return plain(self.styled(parts))

    def _styled_where(self) -> Styled:
        source = self.where
        if source is not None:
            out: Styled = [("\n", ""), ("wherefrom  ", "strong"), *_leaf_line(source)]
            if source.span is not None and source.span.end > source.span.start:
                out += indented(excerpt(source.span, "", style="value"))
            return out + self.styled_by()
        if isinstance(core(self.origin), Absent):
            absent = core(self.origin)
            assert isinstance(absent, Absent)
            return [("\n", ""), ("wherefrom  ", "strong"), (f"nothing was there: {absent.what}", ""), *_at(absent.span)]
        if isinstance(core(self.origin), Items):
            return [("\n", ""), ("wherefrom  ", "strong"), ("composed; ask for its elements one by one\n", "")]
        return [("\n", ""), ("wherefrom  ", "strong"), ("computed, not copied from one place\n", ""), *self.styled_by()]

    def styled_by(self) -> Styled:
        """Who wrote it."""
        return [("by      ", "strong"), (visible(self.by) + "\n", "")] if self.by else []

    def _styled_formula(self) -> Styled:
        if self.where is not None or isinstance(core(self.origin), Items | Absent):
            return []
        behind = core(self.origin)
        out: Styled = [("\n", ""), ("formula ", "strong"), (visible(term_text(self.expression, FORMULA_WIDTH)), "")]
        return [*out, *_at(_span(behind))]

    def _styled_chain(self) -> Styled:
        rows = [(hand.how.words, _span(hand.origin)) for hand in self.chain]
        return _section("through ", rows, self.limit)

    def _styled_guards(self) -> Styled:
        return _section("under   ", [(f"{guard.how}{_tests(guard)}", guard.span) for guard in self.guards], self.limit)

    def _styled_hidden(self) -> Styled:
        rows = [
            (f"{short(covered.value, 60)}, {covered.why}", covered.span or _span(covered.origin))
            for covered in self.hidden
        ]
        return _section("hides   ", rows, self.limit)

    def _styled_order(self) -> Styled:
        if len(self.order) < 2:
            return []
        out: Styled = [("\n", "")]
        for number, (key, origin) in enumerate(self.order[:MAX_ORDERED]):
            out += [("order   " if number == 0 else " " * 8, "strong"), (f"{number + 1}. {visible(key)}", "key")]
            out += _at(_position_span(origin))
            out += [(f"           {visible(hand.how.words)}\n", "") for hand in chain(origin)]
        if len(self.order) > MAX_ORDERED:
            out.append((f"        and {len(self.order) - MAX_ORDERED} more (--json lists all)\n", "dim"))
        return out

    def _styled_depends(self, alone: bool) -> Styled:
        """The inputs; beside the `where` part, without the one shown there."""
        leaves = self.depends
        source = None if alone else self.where
        others = [leaf for leaf in leaves if source is None or leaf.key != source.key]
        if not others:
            return [] if leaves else [("\n", ""), ("depends ", "strong"), ("on no input\n", "")]
        title = "depends also on" if source is not None else "depends on"
        out: Styled = [("\n", ""), (title + "\n", "strong")]
        for leaf in others[: self.limit]:
            out += [("        ", ""), *_leaf_line(leaf)]
        if len(others) > self.limit:
            out.append((f"        and {len(others) - self.limit} more (--json lists all)\n", "dim"))
        return out


def _tests(guard: Guard) -> str:
    leaves = depends(guard.test)
    if not leaves:
        return ""
    shown = ", ".join(_leaf_name(leaf) for leaf in leaves[:4])
    return f", tested on {shown}" + (f" and {len(leaves) - 4} more" if len(leaves) > 4 else "")


def _section(title: str, rows: list[tuple[str, Span | None]], limit: int) -> Styled:
    if not rows:
        return []
    out: Styled = [("\n", "")]
    wide = min(60, max(width_of(how) for how, _ in rows[:limit]))
    for number, (how, span) in enumerate(rows[:limit]):
        out.append((title if number == 0 else " " * len(title), "strong"))
        pad = " " * max(0, wide - width_of(how))
        out.append((visible(how), ""))
        out += [("\n", "")] if span is None else [(pad + "  ", ""), (span.place + "\n", "place")]
    if len(rows) > limit:
        out.append((" " * len(title) + f"and {len(rows) - limit} more (--json lists all)\n", "dim"))
    return out


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


def _at(span: Span | None) -> Styled:
    return [("\n", "")] if span is None else [("  ", ""), (span.place + "\n", "place")]


def _leaf_name(leaf: Leaf) -> str:
    if leaf.kind == "literal":
        text = leaf.span.text if leaf.span is not None else ""
        # A piece of text between interpolations has no quotes of its own; its value says more than its span.
        if not text or (isinstance(leaf.value, str) and text[0] not in "'\"@"):
            return short(leaf.value, 60)
        return visible(text.splitlines()[0])[:60]
    if leaf.kind == "node" and not leaf.name:
        return "the node's name"
    if not leaf.name:
        return _WHOLES.get(leaf.kind, f"every {leaf.kind}")
    return f"{leaf.kind} {leaf.name}"


_WHOLES = {"fact": "the set of facts", "classifier": "what the classifier says", "hiera": "the keys of the data"}


def _leaf_line(leaf: Leaf) -> Styled:
    name = _leaf_name(leaf)
    out: Styled = [(name, "value" if leaf.kind == "literal" else "")]
    if leaf.absent:
        out.append((", which is not there", ""))
    elif leaf.kind != "literal":
        out.append((f" = {short(leaf.value, 60)}", ""))
    if leaf.span is None and leaf.file:
        out.append((f" in {leaf.file}", ""))
    if leaf.detail:
        out.append((f", {leaf.detail}", ""))
    return [*out, *_at(leaf.span)]


def short(value: Any, limit: int) -> str:
    """A value on one line, cut to about `limit` characters."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = "a value too deep to print"
    text = visible(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def core(origin: Origin) -> Origin:
    """The origin behind copies, choices, guards and overrides."""
    return unwrapped(origin)[1]


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
        for hand in chain(origin):
            span = _span(hand.origin) or span
    return span


# --- JSON -----------------------------------------------------------------------------------------------------------


def leaf_json(leaf: Leaf) -> dict[str, Any]:
    """An input for a program."""
    document: dict[str, Any] = {"kind": leaf.kind}
    if leaf.name:
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


def hidden_json(covered: Hidden) -> dict[str, Any]:
    """A covered value for a program."""
    source = where(covered.origin)
    place = covered.span or (source.span if source is not None else _span(covered.origin))
    return {"value": jsonable(covered.value), "why": covered.why.words, **span_json(place)}


def jsonable(value: Any) -> Any:
    """`value` if JSON can hold it, else its text."""
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return str(value)
    return value


def term_json(term: Term) -> Any:
    """A term as nested `{"op": ..., "args": [...]}`, cut at `MAX_TERM_NODES` nodes or `MAX_TERM_DEPTH` levels."""
    left = MAX_TERM_NODES

    def convert(term: Term, depth: int) -> Any:
        nonlocal left
        left -= 1
        match term:
            case Given(leaf):
                return leaf_json(leaf)
            case Nothing(what):
                return {"absent": what}
        head: dict[str, Any] = {"op": term.op.words} if isinstance(term, Apply) else {}
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
                text = _leaf_name(leaf)
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
