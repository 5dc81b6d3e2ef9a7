"""An option's explanation: its value, the definitions it is made of, and what became of every other one.

An option is told under the headings that all languages share (`wherefrom.provenance.explain`):

    services.web.port = 8443

    edit    8443   hosts/web.nix:8:24   mkForce (priority 50)
            8 |     port = lib.mkForce 8443;
              |                        ^^^^

    via     option services.web.port (port number)                modules/web.nix:6:5
    hides   443, mkDefault (priority 1000): overridden by priority 50   modules/web.nix:47:7

`edit` has the definitions that count, with the options they were computed `from`, and of a list or set whose definition
each part is; `because` their conditions; `via` the function `apply`, the option with its type and declaration, and
options that were renamed; `hides` the definitions of less priority, and those whose condition is false.

`Folded` is the explanation of any value of a program that uses libraries: transfers inside the library that holds the
module system are counted, not listed, and so are the files of libraries among the inputs.
The origin behind the general questions (`--how`, `--depends`, `--where`) is only worked out when they are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...base.plural import count_of
from ...base.record import Record
from ...base.render import Styled, excerpt, span_json, visible
from ...base.source import Span, lines_of
from ...provenance.explain import MAX_SOURCES, Explanation, jsonable, leaf_json, leaf_note, short
from ...provenance.extract import Transfer
from ...provenance.layout import Row, aligned, cut, edit_rows, indented, leaf_name, leaf_words, on_line_of
from ...provenance.origins import Leaf, Origin
from ..kernel.paths import STRING
from .definitions import DEFAULT_ORDER, INACTIVE, Condition, Definition, Input, Merges, Option
from .notes import UNKNOWN, chain

if TYPE_CHECKING:
    from ..trace.inputs import InputGroups

ALL_PARTS = frozenset({"where", "how", "depends"})

SHOWN = 44
"""So many characters of a definition's value are shown beside its place."""

MAX_PARTS = 30
"""How many elements or attributes a terminal is shown."""


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

    def _via_rows(self) -> list[Row]:
        steps = self.folded(frozenset({"how"})).get("steps", 0)
        rest: list[Row] = [(f"and {count_of(steps, 'step')} in library code (--all)", None, "")] if steps else []
        return [*super()._via_rows(), *rest]

    def styled_inputs(self) -> Styled:
        return super().styled_inputs() + self._styled_rest(" " * 14)

    def _styled_rest(self, before: str) -> Styled:
        """How many inputs are not listed."""
        inputs = self.folded(DEPENDS).get("inputs", 0)
        return [(f"{before}and {count_of(inputs, 'input')} in library code (--all)\n", "dim")] if inputs else []

    def _styled_depends(self) -> Styled:
        inputs = self._inputs()
        rows: list[Row] = [(leaf_words(leaf, 60), leaf.span, leaf_note(leaf)) for leaf in self._listed(inputs.value)]
        for leaf in self._listed(inputs.shape):
            words = [leaf_note(leaf), "decides only whether it is there"]
            rows.append((leaf_words(leaf, 60), leaf.span, ", ".join(filter(None, words))))
        if self.everything:
            rows += [(leaf_name(leaf), leaf.span, "library") for leaf in inputs.library]
        rest = self._styled_rest(" " * 8)
        if not rows and not rest:
            return [("\n", ""), ("changes with  ", "strong"), ("no input\n", "")]
        return [("\n", ""), ("changes with\n", "strong"), *aligned(self.lines(" " * 8, rows, self.limit)), *rest]


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
        document = super().to_json()
        document["chain"] = [*self._via_json(), *document["chain"]]
        document["hidden"] = [*self._hidden_json(), *document["hidden"]]
        if conditions := self._conditions():
            document["decisions"] = [
                {
                    "text": condition.text,
                    **span_json(condition.place),
                    "depends": [_option_leaf_json(basis) for basis in condition.rests_on],
                }
                for condition in conditions
            ]
        return {**document, "option": self.option_json()}

    def _via_json(self) -> list[dict[str, object]]:
        return [{"how": text, **span_json(span)} for text, span, _ in self._option_rows()]

    def _hidden_json(self) -> list[dict[str, object]]:
        option = self.option
        hidden = [
            {"value": _value_json(row), "why": self._why(row), **span_json(row.place)}
            for row in option.definitions
            if not row.counts
        ]
        return hidden + [
            {
                "value": _line(module.place),
                "why": f"its module is disabled by {module.by.place}",
                **span_json(module.place),
            }
            for module in option.disabled
        ]

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
        document: dict[str, object] = {"status": definition.status, "priority": definition.priority}
        if definition.words:
            document["words"] = definition.words
        if definition.order is not None:
            document |= {"order": definition.order, "order_words": definition.order_words}
        if definition.conditions:
            document["conditions"] = [_condition_json(condition) for condition in definition.conditions]
        document["place"] = span_json(definition.place) or None
        if definition.file is not None:
            document["file"] = definition.file
        if definition.via is not None:
            document["via"] = definition.via
        if definition.value is UNKNOWN:
            document["text"] = definition.text
        else:
            document["value"] = jsonable(definition.value)
        if definition.rests_on:
            document["rests_on"] = [_input_json(basis) for basis in definition.rests_on]
        return document

    # --- for a person ---

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        if self.failure is None and (self.everything or parts != ALL_PARTS):
            return super().styled(parts)
        out: Styled = [(visible(self.path), "key")]
        if self.failure is None:
            out += [(" = ", ""), (short(self.value, 200), "value"), ("\n", "")]
        else:
            out += [(" fails: ", "error"), (visible(self.failure.message.split("\n")[0]) + "\n", "")]
        out += [("\n", ""), *self.styled_edit()]
        rows = [
            *self.lines("because ", self._condition_rows(), self.limit),
            *self.lines("via     ", self._option_rows(), self.limit),
            *self.lines("hides   ", self._unused_rows(), self.limit),
        ]
        out += [("\n", ""), *aligned(rows)] if rows else []
        if self.failure is None:
            out += [("\n", ""), ("changes with  ", "strong"), ("ask with --depends\n", "")]
        return out

    def styled_edit(self) -> Styled:
        """The definitions that count, the inputs of computed ones, and whose definition each part is."""
        rows = [row for row in self.option.definitions if row.counts]
        rows.sort(key=lambda row: row.order or DEFAULT_ORDER)
        if not rows:
            return edit_rows([("nothing: no definition applies, and there is no default", None, "")])
        places = [self._edited(row) for row in rows]
        pieces = edit_rows([(_shown(row), span, _note(row)) for row, span in zip(rows, places)])
        out: Styled = []
        ends = iter(places)
        for piece in pieces:
            out.append(piece)
            if piece[0] == "\n" and (span := next(ends)) is not None:
                lines = excerpt(span, "", style="value")
                out += indented(lines if len(rows) == 1 else lines[:4])
        out += aligned(self.lines("from    ", self._from_rows(rows), MAX_SOURCES))
        return out + self._styled_parts(len(rows))

    def _edited(self, row: Definition) -> Span | None:
        """The literal that a definition gives, if it stands on the definition's line; else the definition."""
        literal = _literal(row)
        return (
            literal if literal is not None and row.place is not None and on_line_of(literal, row.place) else row.place
        )

    def _from_rows(self, rows: Sequence[Definition]) -> list[Row]:
        """What the definitions were computed or copied from."""
        out: dict[Row, None] = {}
        for row in rows:
            literal = _literal(row)
            if literal is not None and literal != self._edited(row) and not row.is_default:
                out[_shown(row), literal, ""] = None
            out |= dict.fromkeys((_input_words(basis), basis.place, "") for basis in row.rests_on)
        return list(out)

    def _styled_parts(self, definitions: int) -> Styled:
        """Whose definition each element or attribute is, where there are several definitions."""
        parts = self.option.parts
        if definitions < 2 or not parts:
            return []
        rows: list[Row] = []
        for part in parts[:MAX_PARTS]:
            key = f"[{part.key}]" if isinstance(part.key, int) else f".{part.key}"
            owners = [self.option.definitions[number].place for number in part.definitions]
            spans = [part.place] if isinstance(part.key, int) or len(owners) < 2 else owners
            known = [span for span in spans if span is not None]
            others = ", ".join(span.place for span in known[1:])
            rows.append((f"{key} {short(part.value, 50)}", known[0] if known else None, others))
        out: Styled = [("\n", ""), *aligned(self.lines(" " * 8, rows, MAX_PARTS), "value")]
        if len(parts) > MAX_PARTS:
            out.append((f"        and {len(parts) - MAX_PARTS} more (--json lists all)\n", "dim"))
        return out

    def _because_rows(self) -> list[Row]:
        return [*self._condition_rows(), *super()._because_rows()]

    def _via_rows(self) -> list[Row]:
        return [*self._option_rows(), *super()._via_rows()]

    def _hides_rows(self) -> list[Row]:
        return [*self._unused_rows(), *super()._hides_rows()]

    def _conditions(self) -> list[Condition]:
        """The conditions of the definitions that count, each once."""
        conditions = {
            (condition.text, condition.place): condition
            for row in self.option.definitions
            if row.counts
            for condition in row.conditions
        }
        return list(conditions.values())

    def _condition_rows(self) -> list[Row]:
        return [_condition_row(condition) for condition in self._conditions()]

    def _option_rows(self) -> list[Row]:
        """What passed the definitions on: the function `apply`, the option, the names that it had before."""
        option = self.option
        rows: list[Row] = []
        if option.apply is not None:
            words = f"apply {cut(lines_of(option.apply.text)[0])}"
            if option.merged is not UNKNOWN and self.failure is None:
                words += f" made {short(self.value, 60)} of {short(option.merged, 60)}"
            rows.append((words, option.apply, ""))
        kind = "option" if option.declared else "part of an option:"
        words = f"{kind} {option.name} ({option.type or 'no type'})"
        rows += [(words, span, "declared") for span in option.declarations] or [(words, None, "")]
        renamed = dict.fromkeys(row.via for row in option.definitions if row.counts and row.via is not None)
        return [*rows, *((f"option {name}, renamed", None, "") for name in renamed)]

    def _unused(self) -> list[Definition]:
        rows = [row for row in self.option.definitions if not row.counts]
        return sorted(rows, key=lambda row: (row.status == INACTIVE and 1 + (not self._is_own(row)), row.priority))

    def _unused_rows(self) -> list[Row]:
        """The definitions that do not count, with the reasons: those that are hidden, then those that are inactive."""
        rows = [row for row in self.option.definitions if not row.counts]
        rows.sort(
            key=lambda row: (row.status == INACTIVE, row.status == INACTIVE and not self._is_own(row), row.priority)
        )
        shown = [row for row in rows if self.everything or row.status != INACTIVE or self._is_own(row)]
        out: list[Row] = []
        for row in shown:
            out.append((f"{_shown(row)}, {self._why(row)}", row.place, _whose(row)))
            for condition in row.conditions:
                words, place, note = _condition_row(condition)
                out.append((f"    {words}", place, note))
        if len(shown) < len(rows):
            count = count_of(len(rows) - len(shown), "definition")
            out.append((f"and {count} of other modules: condition is false (--all)", None, ""))
        for module in self.option.disabled:
            out.append((f"{cut(_line(module.place))}, its module is disabled", module.place, f"by {module.by.place}"))
        return out

    def _why(self, row: Definition) -> str:
        """Why a definition does not count."""
        what = "the default of the option" if row.is_default else _words(row)
        if row.status == INACTIVE:
            false = any(condition.value is False for condition in row.conditions)
            reason = "condition is false" if false else "condition was not evaluated"
        else:
            strongest = min((other.priority for other in self.option.definitions if other.counts), default=0)
            what = what or f"priority {row.priority}"
            reason = f"overridden by priority {strongest}"
        return f"{what}: {reason}" if what else reason

    def _is_own(self, row: Definition) -> bool:
        return self.merges is not None and self.merges.is_own(row.place)


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


def _literal(row: Definition) -> Span | None:
    """The literal that a definition's value is a copy of."""
    leaves = (note[1].leaf for note in chain(row.content))
    return next((leaf.span for leaf in leaves if leaf is not None and leaf.kind == "literal"), None)


def _line(span: Span) -> str:
    """The line of the source that a place is on."""
    return span.file.line_text(span.line).strip()


def _words(row: Definition) -> str:
    """The priority and the order of a definition, where they are not the usual ones."""
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
    return ", ".join(words)


def _whose(row: Definition) -> str:
    """The option and the file that a definition was first given for, where they are others."""
    words = []
    if row.via is not None:
        words.append(f"set as {row.via}")
    if row.file is not None:
        words.append(f"for the module system in {visible(row.file)}" if row.place is not None else visible(row.file))
    return ", ".join(words)


def _note(row: Definition) -> str:
    """What is to be said beside a definition that counts."""
    conditions = [f"if {cut(' '.join(condition.text.split()))}" for condition in row.conditions]
    own = "" if row.place is not None or row.file is not None else "defined by the library"
    return ", ".join(filter(None, [_words(row), _whose(row), *conditions, own]))


def _condition_row(condition: Condition) -> Row:
    """A condition with what it came to, its place, and the options that made it so."""
    if condition.text in ("true", "false"):
        return f"mkIf {condition.text}", condition.place, ""
    state = {True: "is true", False: "is false", None: "was not evaluated"}[condition.value]
    inputs = [
        _input_words(basis) + (f" ({basis.place.place})" if basis.place is not None else "")
        for basis in condition.rests_on
    ]
    return f"{cut(' '.join(condition.text.split()))} {state}", condition.place, ", ".join(inputs)


def _input_words(basis: Input) -> str:
    shown = short(jsonable(basis.value), 40)
    return (f"{basis.name} = {shown}" if basis.name else shown) + (" by default" if basis.is_default else "")


def _condition_json(condition: Condition) -> dict[str, object]:
    return {
        "text": condition.text,
        "value": condition.value,
        "place": span_json(condition.place) or None,
        "rests_on": [_input_json(basis) for basis in condition.rests_on],
    }


def _value_json(row: Definition) -> object:
    """The value of a definition, or its text where the program did not compute it."""
    return row.text if row.value is UNKNOWN else jsonable(row.value)


def _option_leaf_json(basis: Input) -> dict[str, object]:
    """An option or a literal that a condition rests on, as an input."""
    kind = {"kind": "option", "name": basis.name} if basis.name else {"kind": "literal"}
    return {**kind, **span_json(basis.place), "value": jsonable(basis.value)}


def _input_json(basis: Input) -> dict[str, object]:
    document: dict[str, object] = {"option": basis.name} if basis.name else {}
    return {
        **document,
        "value": jsonable(basis.value),
        **({"default": True} if basis.is_default else {}),
        **span_json(basis.place),
    }
