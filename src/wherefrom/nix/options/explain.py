"""An option's explanation: its value, every definition of it and what became of each, for a person and for a program.

`Folded` is the explanation of any value of a program that uses libraries: transfers inside the library that holds the
module system are counted, not listed, and so are the files of libraries among the inputs.  `OptionExplanation` puts the
table of definitions before that.
The origin behind the general questions (`--how`, `--depends`, `--where`) is only worked out when they are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...base.record import Record
from ...base.render import Styled, span_json, visible, width_of
from ...base.source import Span, lines_of
from ...provenance.explain import Explanation, jsonable, leaf_json, leaf_note, short
from ...provenance.extract import Transfer
from ...provenance.layout import Row, aligned, leaf_words
from ...provenance.origins import Leaf, Origin
from ..kernel.paths import STRING
from .definitions import Condition, Definition, Input, Merges, Option
from .notes import UNKNOWN

if TYPE_CHECKING:
    from ..trace.inputs import InputGroups

ALL_PARTS = frozenset({"where", "how", "depends"})

SHOWN = 44
"""So many characters of a definition's value are shown beside its place."""

MAX_PARTS = 30
"""How many elements or attributes a terminal is shown."""

_STYLE = {"won": "help", "merged": "help", "lost": "dim", "off": "dim"}


class Folded(Explanation):
    """A value of a program with a module system.

    Its origin is worked out when it is first needed, and so are its inputs: they come from a masked run, in which a
    file of a library is one input.
    """

    __slots__ = ("_inputs", "_origin", "merges")

    def __init__(
        self,
        path: str,
        value: Any,
        origin: Callable[[], Origin],
        inputs: Callable[[], InputGroups],
        merges: Merges | None,
        everything: bool = False,
    ) -> None:
        self.path = path  # type: ignore[misc]
        self.value = value  # type: ignore[misc]
        self.everything = everything  # type: ignore[misc]
        self.by = ""  # type: ignore[misc]
        self.merges = merges
        """What the module systems of the run merged; nothing if nobody looked."""
        self._origin = origin
        self._inputs = inputs

    @property  # type: ignore[misc]
    def origin(self) -> Origin:
        """Worked out when it is first needed."""
        return self._origin()

    @property
    def chain(self) -> list[Transfer]:
        transfers = super().chain
        return (
            transfers
            if self.everything
            else [transfer for transfer in transfers if not self._is_folded(_span(transfer.origin))]
        )

    @property
    def depends(self) -> list[Leaf]:
        inputs = self._inputs()
        return [*self._listed(inputs.value), *self._listed(inputs.shape), *(inputs.library if self.everything else ())]

    def _listed(self, leaves: Sequence[Leaf]) -> list[Leaf]:
        """Those that are no text of a library: of a module system, too, that stands among the user's files."""
        return [leaf for leaf in leaves if self.everything or is_given(leaf.span) or not self._is_folded(leaf.span)]

    def _is_folded(self, span: Span | None) -> bool:
        return span is not None and self.merges is not None and self.merges.in_library(span)

    def folded(self, parts: frozenset[str] = ALL_PARTS) -> dict[str, int]:
        """How many transfers and inputs of libraries are left out."""
        if self.everything:
            return {}
        out: dict[str, int] = {}
        if "how" in parts:
            out["steps"] = len(super().chain) - len(self.chain)
        if "depends" in parts:
            inputs = self._inputs()
            out["inputs"] = sum(map(len, inputs)) - len(self.depends)
        return out if any(out.values()) else {}

    def with_everything(self) -> Folded:
        """The same, with nothing left out."""
        return Folded(self.path, self.value, self._origin, self._inputs, self.merges, everything=True)

    def to_json(self) -> dict[str, Any]:
        document = super().to_json()
        document.update(self.depends_json())
        if folded := self.folded():
            document["folded"] = folded
        return document

    def depends_json(self) -> dict[str, object]:
        """The inputs for a program: with each, whether it decides the value or only that there is one."""
        inputs = self._inputs()
        shape = {leaf.key for leaf in inputs.shape}
        return {
            "depends": [
                leaf_json(leaf, self.opens) | {"decides": "shape" if leaf.key in shape else "value"}
                for leaf in self.depends
            ]
        }

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        out = super().styled(parts)
        if folded := self.folded(parts):
            counted = " and ".join(f"{number} {what}" for what, number in folded.items())
            out += [("\n", ""), (f"folded  {counted} of libraries (--all)\n", "dim")]
        return out

    def _styled_depends(self) -> Styled:
        inputs = self._inputs()
        library = inputs.library if self.everything else ()
        out: Styled = []
        for title, leaves in (
            ("changes with", self._listed(inputs.value)),
            ("exists with", self._listed(inputs.shape)),
            ("files of libraries", library),
        ):
            if leaves:
                rows: list[Row] = [(leaf_words(leaf, 60), leaf.span, leaf_note(leaf)) for leaf in leaves]
                out += [("\n", ""), (f"{title}\n", "strong"), *aligned(self.lines(" " * 8, rows, self.limit))]
        return out or [("\n", ""), ("changes with  ", "strong"), ("no input\n", "")]


class Dependencies(Folded):
    """Only what a value depends on."""

    def __init__(self, path: str, value: Any, inputs: Callable[[], InputGroups], everything: bool = False) -> None:
        super().__init__(path, value, no_origin, inputs, None, everything)

    def with_everything(self) -> Dependencies:
        return Dependencies(self.path, self.value, self._inputs, everything=True)

    def to_json(self) -> dict[str, Any]:
        document = {"path": self.path, "value": jsonable(self.value), **self.depends_json()}
        if folded := self.folded(DEPENDS):
            document["folded"] = folded
        return document


DEPENDS = frozenset({"depends"})


def no_origin() -> Origin:
    """The origin of what has none, or was not recorded: nobody asks for it."""
    raise AssertionError("there is no origin")


def is_given(span: Span | None) -> bool:
    """Whether something stands in no file: it was given with the question."""
    return span is None or span.file.name == STRING


def _span(origin: Origin) -> Span | None:
    return getattr(origin, "span", None)


class OptionExplanation(Folded):
    """The value of an option."""

    merges: Merges

    __slots__ = ("_failure", "option")

    def __init__(
        self,
        path: str,
        value: Any,
        origin: Callable[[], Origin],
        inputs: Callable[[], InputGroups],
        merges: Merges,
        option: Option,
        failure: Diagnostic | None = None,
        everything: bool = False,
    ) -> None:
        super().__init__(path, value, origin, inputs, merges, everything)
        self.option = option
        self._failure = failure

    @property
    def failure(self) -> Diagnostic | None:
        return self._failure

    def with_everything(self) -> OptionExplanation:
        return OptionExplanation(
            self.path, self.value, self._origin, self._inputs, self.merges, self.option, self.failure, everything=True
        )

    # --- for a program ---

    def to_json(self) -> dict[str, Any]:
        if self.failure is not None:
            from ...base.render import diagnostic_json

            return {"path": self.path, "error": diagnostic_json(self.failure), "option": self.option_json()}
        return {**super().to_json(), "option": self.option_json()}

    def option_json(self) -> dict[str, object]:
        """The option, its declaration and every definition."""
        option = self.option
        document: dict[str, object] = {"path": option.name, "type": option.type}
        if option.description is not None:
            document["description"] = option.description
        document["declarations"] = [span_json(span) for span in option.declarations]
        if not option.declared:
            document["freeform"] = True
        if option.merged is not UNKNOWN:
            document["value"] = jsonable(option.merged)
        if option.apply is not None:
            document["applied"] = {"value": jsonable(self.value), **span_json(option.apply)}
        document["definitions"] = [self._definition_json(definition) for definition in option.definitions]
        if option.disabled:
            document["disabled"] = [
                {**span_json(module.place), "by": span_json(module.by)} for module in option.disabled
            ]
        if option.parts:
            document["parts"] = [
                {
                    "key": part.key,
                    "value": jsonable(part.value),
                    "definitions": list(part.definitions),
                    **span_json(part.place),
                }
                for part in option.parts
            ]
        return document

    def _definition_json(self, definition: Definition) -> dict[str, object]:
        document: dict[str, object] = {"state": definition.state, "priority": definition.priority}
        if definition.words:
            document["words"] = definition.words
        if definition.order is not None:
            document |= {"order": definition.order, "order_words": definition.order_words}
        if definition.conditions:
            document["conditions"] = [_condition_json(condition) for condition in definition.conditions]
        document["place"] = span_json(definition.place) or None
        if definition.file is not None:
            document["file"] = definition.file
        if definition.through is not None:
            document["through"] = definition.through
        if definition.value is UNKNOWN:
            document["text"] = definition.text
        else:
            document["value"] = jsonable(definition.value)
        if definition.rests_on:
            document["rests_on"] = [_input_json(basis) for basis in definition.rests_on]
        return document

    # --- for a person ---

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        if parts != ALL_PARTS and self.failure is None:
            return super().styled(parts)
        out: Styled = [(visible(self.path), "key")]
        if self.failure is None:
            out += [(" = ", ""), (short(self.value, 200), "value"), ("\n", "")]
        else:
            out += [(" fails: ", "error"), (visible(self.failure.message.split("\n")[0]) + "\n", "")]
        out += [("\n", ""), *self._styled_head()]
        out += self._styled_definitions()
        out += self._styled_apply()
        out += self._styled_parts()
        if self.everything and self.failure is None:
            rest = Folded(self.path, self.value, self._origin, self._inputs, self.merges, True).styled(parts)
            out += rest[4:]
        return out

    def _styled_head(self) -> Styled:
        option = self.option
        kind = option.type or "no type"
        what = "" if option.declared else "part of an option, "
        out: Styled = [("option  ", "strong"), (visible(f"{option.name}: {what}{kind}"), "")]
        for number, span in enumerate(option.declarations):
            out += [(", declared " if number == 0 else " and ", ""), (span.place, "place")]
        return [*out, ("\n", "")]

    def _styled_definitions(self) -> Styled:
        rows, folded = self._rows()
        if not rows and not folded:
            return [("\n", ""), ("no definition, and no default\n", "strong"), *self._styled_disabled()]
        wide = min(SHOWN, max((width_of(_shown(row)) for row in rows), default=0))
        out: Styled = [("\n", "")]
        for row in rows:
            shown = _shown(row)
            words = _words(row)
            out += [(f"{row.state:8}", _STYLE[row.state]), (shown, "value" if row.state in ("won", "merged") else "")]
            out += [(" " * max(0, wide - width_of(shown)) + "  ", "")]
            out += [(row.place.place if row.place is not None else row.file or "the library", "place")]
            out += [(f"  {words}" if words else "", ""), ("\n", "")]
            if row.place is not None:
                line = row.place.file.line_text(row.place.line)
                out += [(f"{'':8}{row.place.line} | ", "dim"), (visible(line).rstrip()[:120] + "\n", "")]
            for condition in row.conditions:
                out += [("        ", ""), *_styled_condition(condition)]
            if row.rests_on and row.state in ("won", "merged"):
                out += [("        computed from ", ""), *_styled_inputs(row.rests_on), ("\n", "")]
        if folded:
            noun = "definition" if folded == 1 else "definitions"
            more = "more " if any(row.state == "off" for row in rows) else ""
            out += [(f"off     {folded} {more}{noun} of other modules, conditions false (--all)\n", "dim")]
        return [*out, *self._styled_disabled()]

    def _styled_disabled(self) -> Styled:
        out: Styled = []
        for module in self.option.disabled:
            out += [("off     ", "dim"), (module.place.place, "place"), ("  its module is disabled by ", "")]
            out += [(module.by.place + "\n", "place")]
            line = module.place.file.line_text(module.place.line)
            out += [(f"{'':8}{module.place.line} | ", "dim"), (visible(line).rstrip()[:120] + "\n", "")]
        return out

    def _rows(self) -> tuple[list[Definition], int]:
        """The definitions in the order in which a user looks for them, and how many are not worth a line."""
        rank = {"won": 0, "merged": 0, "lost": 1, "off": 2}
        rows = sorted(
            self.option.definitions,
            key=lambda row: (
                rank[row.state],
                (row.order or 1000) if row.state == "merged" else row.priority,
                row.state == "off" and not self._is_own(row),
            ),
        )
        if self.everything:
            return rows, 0
        shown = [row for row in rows if row.state != "off" or self._is_own(row)]
        return shown, len(rows) - len(shown)

    def _is_own(self, row: Definition) -> bool:
        return self.merges is not None and self.merges.is_own(row.place)

    def _styled_apply(self) -> Styled:
        if self.option.apply is None:
            return []
        out: Styled = [("\n", ""), ("apply   ", "strong"), (visible(lines_of(self.option.apply.text)[0])[:80], "")]
        if self.option.merged is not UNKNOWN and self.failure is None:
            out += [(f" made {short(self.value, 60)} of {short(self.option.merged, 60)}", "")]
        return [*out, ("  ", ""), (self.option.apply.place + "\n", "place")]

    def _styled_parts(self) -> Styled:
        parts = self.option.parts
        live = sum(definition.state in ("won", "merged") for definition in self.option.definitions)
        if live < 2 or not parts:
            return []
        out: Styled = [("\n", "")]
        keys = [f"[{part.key}]" if isinstance(part.key, int) else visible(part.key) for part in parts[:MAX_PARTS]]
        wide = min(30, max(8, *(width_of(key) + 2 for key in keys)))
        for key, part in zip(keys, parts):
            out += [(f"{key:{wide}}", "key"), (short(part.value, 60), "value")]
            places = [part.place] if part.place is not None else []
            if not isinstance(part.key, int) or not places:
                owners = [self.option.definitions[number].place for number in part.definitions]
                places = [span for span in owners if span is not None] or places
            out += [("  ", ""), (" and ".join(span.place for span in places) + "\n", "place")]
        if len(parts) > MAX_PARTS:
            out.append((f"and {len(parts) - MAX_PARTS} more (--json lists all)\n", "dim"))
        return out


class TreeRow(Record):
    """One option of a set of options: its value, or why it has none, and the definitions that count."""

    name: str
    value: Any
    failure: str | None
    winners: tuple[Definition, ...]


class OptionTree(Folded):
    """A set of options: each with its value, and whose definition that is."""

    merges: Merges

    __slots__ = ("rows",)

    def __init__(
        self,
        path: str,
        value: Any,
        origin: Callable[[], Origin],
        inputs: Callable[[], InputGroups],
        merges: Merges,
        rows: tuple[TreeRow, ...],
        everything: bool = False,
    ) -> None:
        super().__init__(path, value, origin, inputs, merges, everything)
        self.rows = rows

    def with_everything(self) -> OptionTree:
        return OptionTree(self.path, self.value, self._origin, self._inputs, self.merges, self.rows, everything=True)

    def to_json(self) -> dict[str, Any]:
        options = [
            {
                "path": row.name,
                **({"value": jsonable(row.value)} if row.failure is None else {"error": row.failure}),
                "definitions": [span_json(winner.place) | {"words": winner.words} for winner in row.winners],
            }
            for row in self.rows
        ]
        return {**super().to_json(), "options": options}

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        if parts != ALL_PARTS:
            return super().styled(parts)
        noun = "option" if len(self.rows) == 1 else "options"
        out: Styled = [(visible(self.path), "key"), (f": {len(self.rows)} {noun}\n\n", "")]
        shown = [row for row in self.rows if self.everything or not _is_unset(row)]
        for row in shown:
            out += [("  ", ""), (visible(row.name), "key")]
            if row.failure is not None:
                out += [(" fails: ", "error"), (visible(row.failure) + "\n", "")]
                continue
            places = ", ".join(winner.place.place for winner in row.winners[:3] if winner.place is not None)
            out += [(" = ", ""), (short(row.value, 60), "value"), ("  ", ""), (places + "\n", "place")]
        if len(shown) < len(self.rows):
            out.append((f"  and {len(self.rows) - len(shown)} that nobody sets (--all)\n", "dim"))
        return out


def _is_unset(row: TreeRow) -> bool:
    return row.failure is None and all(winner.is_default for winner in row.winners)


def _shown(row: Definition) -> str:
    if row.value is not UNKNOWN:
        return short(row.value, SHOWN)
    text = " ".join(row.text.split())
    return visible(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def _words(row: Definition) -> str:
    """Priority, order and the transfers between: what is unusual about a definition."""
    words = []
    if row.is_default:
        words.append("default of the option")
    elif row.words.startswith("mkOverride"):
        words.append(row.words)
    elif row.words:
        words.append(f"{row.words} (priority {row.priority})")
    if row.order is not None:
        words.append(
            row.order_words if row.order_words.startswith("mkOrder") else f"{row.order_words} (order {row.order})"
        )
    if row.through is not None:
        words.append(f"through {row.through}")
    if row.file is not None and row.place is not None:
        words.append(f"for the module system in {visible(row.file)}")
    return ", ".join(words)


def _styled_condition(condition: Condition) -> Styled:
    state = {True: "true", False: "false", None: "not decided"}[condition.value]
    text = " ".join(condition.text.split())
    out: Styled = [("if ", "strong"), (visible(text)[:80], ""), (f" is {state}", "strong")]
    if condition.place is not None:
        out += [("  ", ""), (condition.place.place, "place")]
    if condition.rests_on:
        out += [(": ", ""), *_styled_inputs(condition.rests_on)]
    return [*out, ("\n", "")]


def _styled_inputs(inputs: tuple[Input, ...]) -> Styled:
    out: Styled = []
    for number, basis in enumerate(inputs):
        if number:
            out.append((", ", ""))
        shown = short(jsonable(basis.value), 40)
        out.append((f"{visible(basis.name)} = {shown}" if basis.name else shown, ""))
        if basis.is_default:
            out.append((" by default", ""))
        if basis.place is not None:
            out += [(" (", ""), (basis.place.place, "place"), (")", "")]
    return out


def _condition_json(condition: Condition) -> dict[str, object]:
    return {
        "text": condition.text,
        "value": condition.value,
        "place": span_json(condition.place) or None,
        "rests_on": [_input_json(basis) for basis in condition.rests_on],
    }


def _input_json(basis: Input) -> dict[str, object]:
    document: dict[str, object] = {"option": basis.name} if basis.name else {}
    return {
        **document,
        "value": jsonable(basis.value),
        **({"default": True} if basis.is_default else {}),
        **span_json(basis.place),
    }
