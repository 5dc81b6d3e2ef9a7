"""An answer about a value of a catalog, in the order in which people act on it.

    File[/etc/motd].mode = "0640"

    edit    '0640'                                            data/os/Debian.yaml:2:27
            2 | profile::base::motd_mode: '0640'
              |                           ^^^^^^
            (the ladder, if data decided)

    because $facts['role'] is "web"                           manifests/site.pp:8:8    fact role
    via     mode => $motd_mode                                site/profile/manifests/base.pp:13:5
    hides   '0644', the default of the parameter              site/profile/manifests/base.pp:8:35

    changes with  fact os.family, fact role, node name   and 9 names (--all)

First the place to edit; then, if data decided, what each level says; the decisions as they are written, with the
values they were made on; the line that passed the value on; what it hides; and what else would change it, facts and
data first. Names (see `wherefrom.puppet.output.names`) are counted. The JSON document has all of it beside the contract's
fields.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ...base.plural import count_of
from ...base.record import Record, replace
from ...base.render import Styled, span_json, visible
from ...base.source import Span
from ...provenance.explain import ALL_PARTS, Explanation, core, leaf_json, short
from ...provenance.extract import evaluate_term, expression, guards, leaves, where
from ...provenance.operations import IF, Hand, Op
from ...provenance.origins import Absent, Choice, Guard, Items, Leaf, Origin, Step
from ...provenance.rendered import Rendered
from ..kernel.hands import BRANCHES, CLASSIFIER, DECIDING, DEFAULT_VALUE, FOR_EACH, NODE, PICKING, UNLESS, ExportedBy
from ..kernel.operations import ConvertTo
from ..kernel.traced import NoData
from .layout import (
    ABSENT,
    ORDER,
    Line,
    Row,
    aligned,
    choices_on,
    cut,
    edit_leaf,
    edit_rows,
    first_line,
    happened,
    header_of,
    hidden_words,
    input_words,
    inputs_of,
    is_printing,
    is_template_text,
    is_within,
    leaf_words,
    literal_words,
    on_line_of,
    smallest,
    template_of,
    word_of,
    wrapped,
)

if TYPE_CHECKING:
    from ...base.graph import Graph
    from ...provenance.ladder import Ladder
    from .names import Names

MAX_ELEMENTS = 6
MAX_SOURCES = 6
MAX_DECISIONS = 5
MAX_HANDS = 4
MAX_HIDDEN = 4
MAX_LITERALS = 5
WIDEST_LINE = 100
"""How much of each is shown; the rest is counted."""


class Asked(Protocol):
    """The outcome that a value is of, as far as answers ask it."""

    @property
    def names(self) -> Names:
        """The literals that are names."""

    def lookup(self, key: str, merge: str | None = None) -> Ladder:
        """What each level of the data says about a key."""

    def graph(self) -> Graph:
        """Containment and relationships."""

    def apply(self, op: Op, arguments: list[object]) -> object:
        """Do an operation of a term again."""


class Decision(Record):
    """A test as it is written, what it found, and the inputs that decided it."""

    text: str
    span: Span | None
    inputs: tuple[Leaf, ...]


class Answer(Explanation):
    """One value of a catalog, and all that is to be said about it.  `passed` is the attribute as it is written."""

    outcome: Asked
    passed: Span | None = None
    existence: Origin | None = None
    everything: bool = False
    declared: Span | None = None
    """Where the resource was declared, or its class defined: the place to begin with where no better one is known."""

    @property
    def limit(self) -> int:
        """How many inputs a list shows."""
        return sys.maxsize if self.everything else super().limit

    def with_everything(self) -> Answer:
        answer: Answer = replace(self, everything=True)
        return answer

    @property
    def edit_place(self) -> Span | None:
        source = self.where
        if source is not None:
            return source.span
        inner = core(self.origin)
        if isinstance(inner, Items):
            return next((span for _, span, _ in self._element_rows() if span is not None), self.passed)
        return self._formula_place(inner)[1]

    # --- what there is to say ---

    @property
    def ladder(self) -> Ladder | None:
        """What each level of the data says, if the value is a copy of data or made of one key's data."""
        if self.exporter is not None:
            return None  # this node's levels say nothing about it
        source = self.where
        if source is not None:
            keys = {source.name} if source.kind == "hiera" else set()
        elif isinstance(core(self.origin), Items):
            keys = {leaf.name.partition(".")[0] for leaf in leaves(self.expression) if leaf.kind == "hiera"}
        else:
            keys = set()
        if len(keys) != 1:
            return None
        ladder = self.outcome.lookup(keys.pop().partition(".")[0])
        return ladder if any(rung.has_value for rung in ladder.rungs) else None

    @property
    def exporter(self) -> str | None:
        """The node that exported it, if it was collected from another."""
        hands = (hand.how for hand in self.chain)
        return next((how.name for how in hands if isinstance(how, ExportedBy)), None)

    @property
    def decisions(self) -> list[Decision]:
        """The tests that picked the value, then those it stands under, innermost first."""
        decisions: dict[object, Decision] = {}
        for choice in choices_on(self.origin):
            decision = self._choice(choice)
            if decision is not None:
                decisions.setdefault((decision.text, decision.span and decision.span.start), decision)
        for origin in (self.existence, self.origin):
            for guard in guards(origin) if origin is not None else ():
                decision = self._guard(guard)
                if decision is not None:
                    decisions.setdefault((decision.text, decision.span and decision.span.start), decision)
        return list(decisions.values())

    def _choice(self, choice: Choice) -> Decision | None:
        if choice.how is DEFAULT_VALUE:
            missed = [test.key for test in choice.tests if isinstance(test, NoData)]
            if not missed:
                return None
            return Decision(f"no data for {missed[0]}: its default counts", None, ())
        if choice.how in PICKING and choice.span is not None:
            return self._picked(choice.tests[0], choice.span)
        if choice.how in BRANCHES and choice.span is not None:
            return self._branch(choice.how, choice.tests[0], choice.span)
        return None

    def _guard(self, guard: Guard) -> Decision | None:
        span = guard.span
        if guard.how is NODE and span is not None:
            return Decision(header_of(span), span, tuple(inputs_of(guard.test, span)))
        if guard.how in PICKING and span is not None:
            control = guard.test.inputs[0] if isinstance(guard.test, Step) and guard.test.inputs else guard.test
            return self._picked(control, span)
        if guard.how in BRANCHES and span is not None:
            return self._branch(guard.how, guard.test, span)
        if guard.how is FOR_EACH:
            inputs = tuple(inputs_of(guard.test, None))
            return Decision("for each of several", span, inputs) if inputs else None
        if guard.how is CLASSIFIER:
            return Decision("the classifier says so", span, tuple(inputs_of(guard.test, span)))
        return None

    def _picked(self, control: Origin, span: Span) -> Decision:
        text = " ".join(span.text.partition("?")[0].partition("{")[0].split())
        value = self._value_of(control)
        shown = "undef" if value is None else short(value, 40)
        return Decision(f"{cut(text)} is {shown}", span, tuple(inputs_of(control, span)))

    def _branch(self, how: Hand, test: Origin, span: Span) -> Decision:
        value = self._value_of(test)
        holds = value is not None and value is not False
        word = how.words if how in (IF, UNLESS) else f"{how.words} after"
        otherwise = holds is (how is UNLESS)
        text = f"{'else of ' if otherwise else ''}{word} {cut(' '.join(span.text.split()))}"
        return Decision(text, span, tuple(inputs_of(test, span)))

    def _value_of(self, origin: Origin) -> Any:
        """The value that a test looked at, computed again from its inputs."""
        try:
            return evaluate_term(expression(origin), self.outcome.apply)
        except Exception:  # a formula that can not be computed again is told without its value
            return None

    def groups(self) -> tuple[list[str], list[Leaf], int]:
        """What else would change the value: facts and data in words, then literals, and how many names there are.

        What did not happen, and could have changed it, is not among them: to know all of that, every class of every
        module must be read. `depends` has it.
        """
        source = self.where
        ladder = self.ladder
        shown = {source.key} if source is not None else set()
        if source is None:
            shown |= {leaf.key for leaf in leaves(self.expression)}
        words: dict[str, int] = {}
        literals: list[Leaf] = []
        names = 0
        for leaf in happened(self.origin):
            if leaf.kind == "literal" and (leaf.key in shown or is_printing(leaf)):
                continue
            if leaf.kind == "literal":
                if self._is_name(leaf):
                    names += 1
                else:
                    literals.append(leaf)
                continue
            word = word_of(leaf, ladder.key if ladder is not None else None)
            if word is None:
                names += 1
            elif word and not (leaf.key in shown and leaf.kind == "hiera"):
                words[word] = ORDER.get(leaf.kind, 9)
        words = {
            word: order for word, order in words.items() if word.removesuffix(ABSENT) not in words or word[-1] != ")"
        }
        return sorted(words, key=lambda word: (words[word], word)), literals, names

    def _is_name(self, leaf: Leaf) -> bool:
        return self.outcome.names.has(leaf.span)

    # --- for a program ---

    def to_json(self) -> dict[str, Any]:
        document = super().to_json()
        if self.exporter is not None:
            document["exported_by"] = self.exporter
        if self.decisions:
            document["decisions"] = [
                {
                    "text": decision.text,
                    **span_json(decision.span),
                    "depends": [leaf_json(leaf) for leaf in decision.inputs],
                }
                for decision in self.decisions
            ]
        if self.passed is not None:
            document["passed"] = {"text": first_line(self.passed), **span_json(self.passed)}
        ladder = self.ladder
        if ladder is not None:
            document["ladder"] = ladder.to_json()["ladder"]
        words, literals, names = self.groups()
        document["changes_with"] = {"inputs": words, "literals": [leaf_json(leaf) for leaf in literals], "names": names}
        return document

    # --- for a terminal ---

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        if parts != ALL_PARTS or self.everything:
            return super().styled(parts)
        out: Styled = [(visible(self.path), "key"), (" = ", ""), (short(self.value, 160), "value"), ("\n\n", "")]
        out += self.styled_edit()
        out += self.styled_by()
        out += self.styled_ladder()
        rows = [
            *self._rows("because ", self._decision_rows(), MAX_DECISIONS),
            *self._rows("via     ", self._hand_rows(), MAX_HANDS),
            *self._rows("hides   ", self._hidden_rows(), MAX_HIDDEN),
        ]
        if rows:
            out += [("\n", ""), *aligned(rows)]
        return out + self.styled_inputs()

    def styled_edit(self) -> Styled:
        """The place to edit, with its line."""
        inner = core(self.origin)
        source = self.where or _converted(inner)
        if source is not None:
            return edit_leaf(source)
        if isinstance(inner, Absent):
            return edit_rows([(f"nothing was there: {inner.what}", inner.span or self.passed, "")])
        if isinstance(inner, Items):
            rows = list(self._element_rows())
            more = len(rows) - MAX_ELEMENTS
            tail: Styled = [(f"        and {more} more (ask for [i] or .key)\n", "dim")] if more > 0 else []
            return edit_rows(rows[:MAX_ELEMENTS]) + tail
        text, span = self._formula_place(inner)
        sources = [(leaf_words(leaf), leaf.span, "") for leaf in self._sources(span)]
        out = edit_rows([(cut(text, 70), span, "")])
        return out + (aligned(self._rows("from    ", sources, MAX_SOURCES)) if sources else [])

    def _formula_place(self, inner: Origin) -> tuple[str, Span | None]:
        """Where a computed value is computed: a template, the value of the attribute, or the call itself."""
        if isinstance(inner, Rendered):
            lines = self.value.count("\n") if isinstance(self.value, str) else 0
            hint = f"; --line N for one of its {lines} lines" if lines > 1 else ""
            return f"the template{hint}", template_of(inner) or self.passed
        span: Span | None = getattr(inner, "span", None)
        passed = self.passed
        if passed is not None and (span is None or is_within(span, passed)):
            at = passed.text.find("=>")
            start = passed.start + at + 2 if at >= 0 else passed.start
            start += len(passed.file.text[start:]) - len(passed.file.text[start:].lstrip())
            value = passed.file.span(start, passed.end)
            return first_line(value), value
        if span is None:
            span = self._near(self.origin)
            return ("computed near here" if span is not None else "computed"), span
        return first_line(span), span

    def _sources(self, span: Span | None) -> Iterator[Leaf]:
        """The inputs of a formula that are written elsewhere, facts and data first."""
        seen: dict[object, Leaf] = {}
        for leaf in leaves(self.expression):
            inside = span is not None and leaf.span is not None and is_within(leaf.span, span)
            if not inside and not (leaf.kind == "literal" and is_template_text(leaf)):
                seen.setdefault(leaf.key, leaf)
        yield from sorted(seen.values(), key=lambda leaf: ORDER.get(leaf.kind, 9))

    def _element_rows(self) -> Iterator[Row]:
        for path, value, origin in smallest("", self.value, self.origin):
            source = where(origin)
            span = source.span if source is not None else getattr(core(origin), "span", None) or self._near(origin)
            words = "" if source is None or source.kind in ("literal", "hiera") else leaf_words(source)
            yield f"{path} {short(value, 50)}", span, words

    def _near(self, origin: Origin) -> Span | None:
        """The nearest place to something that has none itself: an empty list, a value of the language's own."""
        inner = core(origin)
        if isinstance(inner, Items):
            own = where(inner.own)
            span: Span | None = own.span if own is not None else getattr(inner.own, "span", None)
            if span is not None:
                return span
        spans = [choice.span for choice in choices_on(origin) if choice.how is DEFAULT_VALUE]
        return next((span for span in reversed(spans) if span is not None), self.passed or self.declared)

    def styled_ladder(self) -> Styled:
        """What each level of the data says."""
        ladder = self.ladder
        return [] if ladder is None else [("\n", ""), *ladder.styled_rungs(elements=False)]

    def _decision_rows(self) -> list[Row]:
        return [
            (decision.text, decision.span, ", ".join(input_words(leaf) for leaf in decision.inputs[:3]))
            for decision in self.decisions
        ]

    def _hand_rows(self) -> list[Row]:
        rows: list[Row] = []
        source = self.where
        written = source.span if source is not None else self._formula_place(core(self.origin))[1]
        if self.passed is not None and not on_line_of(written, self.passed):
            rows.append((cut(first_line(self.passed)), self.passed, ""))
        for hand in self.chain:
            span: Span | None = getattr(hand.origin, "span", None)
            if hand.how not in DECIDING and not (span and self.passed and is_within(span, self.passed)):
                rows.append((hand.how.words, span, ""))
        return rows

    def _hidden_rows(self) -> list[Row]:
        if self.ladder is not None:
            return []
        rows = []
        for covered in self.hidden:
            source = where(covered.origin)
            rows.append(
                (f"{hidden_words(covered)}, {covered.why}", covered.span or (source.span if source else None), "")
            )
        return rows

    def _rows(self, title: str, rows: list[Row], limit: int) -> list[Line]:
        out: list[Line] = []
        for number, (text, span, note) in enumerate(rows[:limit]):
            out.append((title if number == 0 else " " * 8, text, span.place if span is not None else "", note))
        if len(rows) > limit:
            out.append((" " * 8, f"and {len(rows) - limit} more (--all)", "", ""))
        return out

    def styled_inputs(self) -> Styled:
        """What else would change the value."""
        words, literals, names = self.groups()
        items = [*words, *(literal_words(leaf) for leaf in literals[:MAX_LITERALS])]
        rest = len(literals) - MAX_LITERALS
        counted = [*([count_of(rest, "literal")] if rest > 0 else []), *([count_of(names, "name")] if names else [])]
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


def _converted(inner: Origin) -> Leaf | None:
    """The datum behind a value that `lookup_options` had converted."""
    if isinstance(inner, Step) and isinstance(inner.op, ConvertTo) and inner.inputs:
        return where(inner.inputs[0])
    return None
