"""A ladder: every place that may say what a key's value is, in the order in which they are asked, and what each said.

    nginx::worker_connections = 4096

            data/nodes/web01.example.org.yaml  -
      ->    data/role/web.yaml:2               4096
            data/os/Debian.yaml                -
            data/common.yaml:13                1024  hidden
            default of class nginx             512   hidden  modules/nginx/manifests/init.pp:6

A *rung* is one file (or function, or the default of a parameter) on one node. Of a value that several rungs have a part
in, each element is told with its own place.
"""

from __future__ import annotations

import re
from typing import Any

from ..base.record import Record
from ..base.render import Styled, span_json, visible, width_of
from ..base.secrets import REDACTED
from ..base.source import Span
from .explain import leaf_json, short
from .origins import Leaf

CHOSEN = "chosen"
MERGED = "merged"
HIDDEN = "hidden"
NO_KEY = "no key"
NO_FILE = "no file"
FAILED = "failed"
WIDEST_VALUE = 60
_STRING = re.compile(r"""(['"])([^'"\\$]*)\1""")
MAX_ELEMENTS = 24
"""Elements of a merged value that are told one by one."""


class Rung(Record):
    """One place: `layer` is `global`, `environment`, `module`, `module default` or `class`; `level` its name there.

    `because` are the inputs that its name was made from; `words` say what went wrong where it can not be asked.
    """

    layer: str
    level: str
    file: str
    status: str
    value: Any = None
    span: Span | None = None
    because: tuple[Leaf, ...] = ()
    words: str = ""
    public_key: str = ""
    """Of a level with encrypted data: the file of the key that encrypts it, if the hierarchy names one."""

    @property
    def has_value(self) -> bool:
        """Whether there is a value here."""
        return self.status in (CHOSEN, MERGED, HIDDEN)


class Element(Record):
    """A smallest part of a merged value: the steps to it, and the place it came from."""

    path: str
    value: Any
    span: Span | None


class WrittenKey(Record):
    """A key written in a data file."""

    key: str
    file: str
    span: Span | None


class KeyPlace(Record):
    """Where a part of a value came from; `module` if the level is one of a module's own hierarchy."""

    module: str
    level: str
    file: str
    line: int


class KeyAnswer(Record):
    """What a compilation was told about a key: the value, as it may be shown, and the places it came from."""

    key: str
    has_value: bool
    value: Any
    places: tuple[KeyPlace, ...]


class Ladder(Record):
    """One key on one node.  `merge` is the strategy; `secret` says that values are not to be shown."""

    key: str
    node: str
    has_value: bool
    value: Any
    merge: str
    rungs: tuple[Rung, ...]
    elements: tuple[Element, ...] = ()
    filled: tuple[Leaf, ...] = ()
    """What was filled into the value itself (`%{...}`)."""
    options: dict[str, Any] | None = None
    options_span: Span | None = None
    secret: bool = False
    read: bool | None = True
    """Whether the compilation itself looked the key up; nothing where the node does not compile."""
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> Any:
        """The value, as it may be shown."""
        return REDACTED if self.secret and self.has_value else self.value

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        document: dict[str, object] = {"key": self.key, "node": self.node, "found": self.has_value}
        if self.has_value:
            document["value"] = self.shown
        if self.secret:
            document["sensitive"] = True
        document |= {"merge": self.merge, "read": self.read}
        if self.options is not None:
            document["lookup_options"] = {**self.options, **span_json(self.options_span)}
        document["ladder"] = [self._rung_json(rung) for rung in self.rungs]
        if self.elements and not self.secret:
            document["elements"] = [
                {"path": element.path, "value": element.value, **span_json(element.span)} for element in self.elements
            ]
        if self.filled:
            document["interpolated"] = [leaf_json(leaf) for leaf in self.filled]
        if self.notes:
            document["notes"] = list(self.notes)
        return document

    def _rung_json(self, rung: Rung) -> dict[str, object]:
        document: dict[str, object] = {"layer": rung.layer, "level": rung.level, "status": rung.status}
        if rung.file:
            document["file"] = rung.file
        document |= span_json(rung.span)
        if rung.has_value:
            document["value"] = REDACTED if self.secret else rung.value
        if rung.because:
            document["because"] = [leaf_json(leaf) for leaf in rung.because]
        if rung.words:
            document["message"] = rung.words
        return document

    # --- for a terminal ---

    def styled(self) -> Styled:
        """The whole answer: the value, the rungs, how they were joined, and why these files."""
        out: Styled = [(visible(self.key), "key")]
        if self.has_value:
            out += [(" = ", ""), (_shown(self.shown, 200), "value"), ("\n", "")]
        else:
            out.append((": no level has it\n", "strong"))
        out += [("\n", ""), *self.styled_rungs()]
        remarks = self._remarks()
        return [*out, ("\n", ""), *remarks] if remarks else out

    def styled_rungs(self, elements: bool = True) -> Styled:
        """A line for each rung, and below them the elements of a merged value, if they are not told elsewhere."""
        rows = [(_name(rung), _said(rung, self.secret), _remark(rung), rung) for rung in self.rungs]
        if not rows:
            return [("        there is no data: no hiera.yaml was found\n", "dim")]
        wide = max(width_of(row[0]) for row in rows)
        value_wide = max((width_of(row[1]) for row in rows if row[2]), default=0)
        out: Styled = []
        for name, said, remark, rung in rows:
            marked = rung.status in (CHOSEN, MERGED)
            out.append(("  ->    " if marked else " " * 8, "strong"))
            out.append((visible(name) + " " * (wide - width_of(name)) + "  ", "place" if rung.has_value else "dim"))
            out.append((said, "value" if marked else "" if rung.has_value else "dim"))
            if remark:
                out.append((" " * max(0, value_wide - width_of(said)) + "  " + remark, "dim"))
            out.append(("\n", ""))
        return out + self._styled_elements() if elements else out

    def _styled_elements(self) -> Styled:
        if not self.elements or self.secret:
            return []
        rows = self.elements[:MAX_ELEMENTS]
        texts = [f"{element.path} {_shown(element.value, WIDEST_VALUE)}".strip() for element in rows]
        wide = max(width_of(text) for text in texts)
        out: Styled = [("\n", "")]
        for number, (element, text) in enumerate(zip(rows, texts)):
            out.append((f"{self.merge:8}" if number == 0 else " " * 8, "strong"))
            out.append((text, "value"))
            place = element.span.place if element.span is not None else "computed"
            out += [(" " * (wide - width_of(text)) + "  ", ""), (visible(place) + "\n", "place")]
        if len(self.elements) > MAX_ELEMENTS:
            out.append((f"        and {len(self.elements) - MAX_ELEMENTS} more (--json lists all)\n", "dim"))
        return out

    def _remarks(self) -> Styled:
        lines: list[str] = []
        described_files: set[str] = set()
        for rung in self.rungs:
            if rung.status in (CHOSEN, MERGED):
                reasons = " and ".join(_reason(leaf) for leaf in rung.because)
                if reasons and rung.file not in described_files:
                    described_files.add(rung.file)
                    lines.append(f"{rung.file} is read because {reasons}")
        for leaf in self.filled:
            lines.append(f"filled in: {leaf.kind} {leaf.name} = {_shown(leaf.value, WIDEST_VALUE)}")
        if self.options is not None:
            said = ", ".join(f"{name}: {_shown(value, 40)}" for name, value in self.options.items())
            place = f"  {self.options_span.place}" if self.options_span is not None else ""
            lines.append(f"lookup_options say {said}{place}")
        lines += self.notes
        if self.read is False:
            lines.append("no code on this node looks this key up")
        return [(visible(line) + "\n", "") for line in lines]


def _reason(leaf: Leaf) -> str:
    """An input that a file's name was made from."""
    if leaf.kind == "literal":
        return f"of {_shown(leaf.value, 40)}" + (f" ({leaf.span.place})" if leaf.span is not None else "")
    return f"{leaf.kind} {leaf.name} is {_shown(leaf.value, 40)}"


def _shown(value: object, limit: int) -> str:
    return value if value == REDACTED else short(value, limit)


def _name(rung: Rung) -> str:
    if rung.layer == "class":
        return f"default of {rung.level}"
    name = rung.file or f"{rung.level} ({rung.layer})"
    return f"{name}:{rung.span.line}" if rung.span is not None and rung.has_value else name


def _said(rung: Rung, secret: bool) -> str:
    if rung.has_value:
        return REDACTED if secret else _default(rung) if rung.layer == "class" else _shown(rung.value, WIDEST_VALUE)
    return "no such file" if rung.status == NO_FILE else f"failed: {rung.words}" if rung.status == FAILED else "-"


def _default(rung: Rung) -> str:
    """The text of a default, which is not evaluated where another level won; a string in quotes like all others."""
    text = str(rung.value)
    return _shown(text[1:-1], WIDEST_VALUE) if _STRING.fullmatch(text) else text


def _remark(rung: Rung) -> str:
    words = "hidden" if rung.status == HIDDEN else ""
    if rung.layer == "class" and rung.span is not None:
        words = f"{words}  {rung.span.place}".strip()
    return words
