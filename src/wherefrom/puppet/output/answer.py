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
data first. Names (see `wherefrom.puppet.output.names`) are counted. The JSON document has all of it beside the
contract's fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ...base.record import Record
from ...base.render import Styled, span_json, visible
from ...base.source import Span
from ...provenance.explain import (
    ALL_PARTS,
    MAX_ELEMENTS,
    MAX_SOURCES,
    Explanation,
    leaf_json,
    rendered_words,
    short,
)
from ...provenance.extract import guards, leaves, where
from ...provenance.layout import (
    ABSENT,
    ORDER,
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
    is_within,
    leaf_words,
    on_line_of,
    word_of,
)
from ...provenance.operations import IF, EdgeLabel
from ...provenance.origins import CODE, Absent, Choice, Guard, Items, Leaf, Origin, Step, Taken, core
from ...provenance.rendered import Rendered
from ..kernel.edge_labels import (
    AND,
    CLASSIFIER,
    DECIDING,
    DEFAULT_VALUE,
    FOR_EACH,
    NODE,
    OR,
    PICKING,
    UNLESS,
    ExportedBy,
)
from ..kernel.operations import ConvertTo
from ..kernel.traced import NoData
from .layout import is_printing, is_template_text, smallest, template_of

if TYPE_CHECKING:
    from ...base.graph import Graph
    from ...provenance.ladder import Ladder
    from .names import LiteralNames

MAX_DECISIONS = 5
MAX_TRANSFERS = 4
MAX_HIDDEN = 4
"""How much of each is shown; the rest is counted."""


class Asked(Protocol):
    """The outcome that a value is of, as far as answers ask it."""

    @property
    def names(self) -> LiteralNames:
        """The literals that are names."""

    def lookup(self, key: str, merge: str | None = None) -> Ladder:
        """What each level of the data says about a key."""

    def graph(self) -> Graph:
        """Containment and relationships."""


class Decision(Record):
    """A test as it is written, what it found, and the inputs that decided it; `taken` is the branch that ran."""

    text: str
    span: Span | None
    inputs: tuple[Leaf, ...]
    taken: Span | None = None


class Answer(Explanation):
    """One value of a catalog, and all that is to be said about it.  `passed` is the attribute as it is written."""

    outcome: Asked
    passed: Span | None = None
    existence: Origin | None = None
    declared: Span | None = None
    """Where the resource was declared, or its class defined: the place to begin with where no better one is known."""

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
        labels = (transfer.how for transfer in self.chain)
        return next((how.name for how in labels if isinstance(how, ExportedBy)), None)

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
            return Decision(f"no data for {missed[0]}: the default is used", None, ())
        return _decided(choice.how, choice.tests[0], choice.span, choice.taken)

    def _guard(self, guard: Guard) -> Decision | None:
        span = guard.span
        if guard.how is NODE and span is not None:
            return Decision(header_of(span), span, tuple(inputs_of(guard.test, span)))
        if guard.how is FOR_EACH:
            inputs = tuple(inputs_of(guard.test, None))
            return Decision("for each of several", span, inputs) if inputs else None
        if guard.how is CLASSIFIER:
            return Decision("set by the classifier", span, tuple(inputs_of(guard.test, span)))
        test = guard.test
        if guard.how in PICKING and isinstance(test, Step) and test.inputs:
            test = test.inputs[0]
        return _decided(guard.how, test, span, guard.taken)

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
            if word is None and leaf.detail != CODE:
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
                    **({"taken": span_json(decision.taken)} if decision.taken is not None else {}),
                }
                for decision in self.decisions
            ]
        if self.passed is not None:
            document["passed"] = {"text": first_line(self.passed), **span_json(self.passed)}
        ladder = self.ladder
        if ladder is not None:
            document["ladder"] = ladder.to_json()["ladder"]
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
            *self.lines("because ", self._decision_rows(), MAX_DECISIONS),
            *self.lines("via     ", self._transfer_rows(), MAX_TRANSFERS),
            *self.lines("hides   ", self._hidden_rows(), MAX_HIDDEN),
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
        out = edit_rows([(text if isinstance(inner, Rendered) else cut(text, 70), span, "")])
        return out + aligned(self.lines("from    ", sources, MAX_SOURCES))

    def _formula_place(self, inner: Origin) -> tuple[str, Span | None]:
        """Where a computed value is computed: a template, the value of the attribute, or the call itself."""
        if isinstance(inner, Rendered):
            lines = self.value.count("\n") if isinstance(self.value, str) else 0
            hint = "; ask for a line (--line N, --find TEXT)" if lines > 1 else ""
            return f"{rendered_words(inner, self.expression)}{hint}", template_of(inner) or self.passed
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

    def _transfer_rows(self) -> list[Row]:
        rows: list[Row] = []
        source = self.where
        written = source.span if source is not None else self._formula_place(core(self.origin))[1]
        if self.passed is not None and not on_line_of(written, self.passed):
            rows.append((cut(first_line(self.passed)), self.passed, ""))
        for transfer in self.chain:
            span: Span | None = getattr(transfer.origin, "span", None)
            if transfer.how not in DECIDING and not (span and self.passed and is_within(span, self.passed)):
                rows.append((transfer.how.words, span, ""))
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


def _decided(how: EdgeLabel | None, test: Origin, span: Span | None, taken: Taken | None) -> Decision | None:
    """A test and the branch that ran because of it, as the run noted them; nothing where it noted none."""
    if span is None or taken is None:
        return None
    written = cut(" ".join(span.text.split()))
    if how in PICKING:
        text = f"{written} is {'undef' if taken.value is None else short(taken.value, 40)}"
    elif how in (AND, OR):
        text = f"{how.words} after {written}" if taken.value else f"{written} alone decided"
    elif how in (IF, UNLESS):
        text = f"{how.words} {written}" if taken.value is (how is IF) else f"else of {how.words} {written}"
    else:
        return None
    return Decision(text, span, tuple(inputs_of(test, span)), taken.arm)


def _converted(inner: Origin) -> Leaf | None:
    """The datum behind a value that `lookup_options` had converted."""
    if isinstance(inner, Step) and isinstance(inner.op, ConvertTo) and inner.inputs:
        return where(inner.inputs[0])
    return None
