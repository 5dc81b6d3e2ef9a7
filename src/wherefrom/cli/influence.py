"""`wherefrom influence`: who could change an output."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import WherefromError
from ..base.render import Styled, show, visible, width_of
from ..influence import DEPENDS, MADE, MAY, Input, input_of, inputs_with_ways, read_owners, relative
from ..language import Data
from .helping import LanguageCommand
from .options import Invocation, input_options, print_json, question
from .streams import hidden, write_document
from .what_if import what_if_options

if TYPE_CHECKING:
    from ..language import Outcome

EPILOG = """\b
Examples:
  wherefrom influence . 'File[/root/.pgpass].content' --node db01.example.org
  wherefrom influence . 'Service[sshd].ensure' --node web01 --may
  wherefrom influence web.sf web:port --dot | dot -Tsvg > web.svg
"""

_STRENGTH = {MADE: "in the value", DEPENDS: "has a part", MAY: "could"}


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("arguments", metavar="[FILE|DIR] OUTPUT", nargs=-1)
@input_options
@what_if_options
@click.option("--may", is_flag=True, help="Also what is not there: files and keys that could be added.")
@click.option("--blame", is_flag=True, help="Say who last changed each file (git).")
@click.option("--dot", is_flag=True, help="Print a picture for Graphviz.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(arguments: tuple[str, ...], may: bool, blame: bool, dot: bool, as_json: bool, **options: object) -> None:
    """Tell who could change OUTPUT: files with their owners, facts, data, and how.

    A file or fact that is not listed can not change it, as long as the others stay as they are.
    """
    path, output = question(arguments, "OUTPUT")
    outcome = Invocation(options).run_with(path, None, {})
    rows = influences(outcome, output, may, blame)
    shown = outcome.select(output).path
    if as_json:
        print_json({"path": shown, "influences": rows})
    elif dot:
        write_document(picture(hidden(shown), hidden(rows)))
    else:
        show(styled(shown, rows), sys.stdout)


def influences(outcome: Outcome, output: str, may: bool, blame: bool = False) -> list[dict[str, object]]:
    """A row for each file and each input that stands in none, the strongest relation first."""
    origin = outcome.select(output).origin
    base = outcome.directory or "."
    owners = read_owners(base)
    keys: dict[str, None] = {}
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for relation in (MADE, DEPENDS, MAY) if may else (MADE, DEPENDS):
        for node, _, _ in inputs_with_ways([origin], relation, lambda node: True):
            about = input_of(node)
            kind, name = _party(about, base)
            row = rows.setdefault((kind, name), {"kind": kind, "name": name, "relation": relation, "lines": []})
            if about.file and about.line and row["relation"] == relation and about.line not in row["lines"]:
                row["lines"].append(about.line)
            if about.kind == "hiera":
                keys[about.name.partition(".")[0]] = None
            if kind == "file" and "owners" not in row:
                row["owners"] = list(owners.of(name))
                if blame:
                    author = _last_author(about.file)
                    row["by"] = author
            if kind == "fact":
                row["trust"] = "claimed by the machine"
            elif kind in ("trusted", "node"):
                row["trust"] = "from the certificate"
    levels = _levels(outcome, keys, base)
    for row in rows.values():
        row["lines"].sort()
        if row["kind"] == "file" and row["name"] in levels:
            row["level"] = levels[row["name"]]
    order = {MADE: 0, DEPENDS: 1, MAY: 2}
    return sorted(rows.values(), key=lambda row: (order[row["relation"]], row["kind"] != "file", row["name"]))


def _levels(outcome: Outcome, keys: Iterable[str], base: str) -> dict[str, str]:
    """The files of data that are asked for some keys, with the names of their levels."""
    levels: dict[str, str] = {}
    if not isinstance(outcome, Data):
        return levels
    for key in keys:
        with suppress(WherefromError):  # a name that is no key
            levels.update((relative(rung.file, base), rung.level) for rung in outcome.lookup(key).rungs if rung.file)
    return levels


def _party(about: Input, base: str) -> tuple[str, str]:
    """What an input is a part of: its file, or itself."""
    if about.file:
        return "file", about.file if "*" in about.file else relative(about.file, base)
    return about.kind, about.name


def _last_author(file: str) -> str:
    """Who made the last commit of a file, in a line; empty where there is none."""
    from ..revisions import NoRevision, last_change

    try:
        return last_change(file)
    except NoRevision:
        return ""


def styled(path: str, rows: list[dict[str, Any]]) -> Styled:
    """A line for each."""
    out: Styled = [(visible(path) + "\n\n", "key")]
    names = [_name(row) for row in rows]
    wide = max(map(width_of, names), default=0)
    for row, name in zip(rows, names):
        level = f"level {row['level']}" if "level" in row else ""
        said = [level, *row.get("owners", ()), row.get("trust", ""), row.get("by", "")]
        out += [
            (f"{_STRENGTH[row['relation']]:14}", "strong" if row["relation"] == MADE else ""),
            (name, "place" if row["kind"] == "file" else "value"),
        ]
        remarks = "  ".join(visible(remark) for remark in said if remark)
        out.append((" " * (wide - width_of(name) + 2) + remarks + "\n" if remarks else "\n", "dim"))
    return out


def _name(row: dict[str, Any]) -> str:
    if row["kind"] != "file":
        return visible(f"{row['kind']} {row['name']}".strip())
    lines = row["lines"]
    numbers = ",".join(map(str, lines[:5])) + (",..." if len(lines) > 5 else "")
    return visible(row["name"] + (f":{numbers}" if numbers else ""))


def picture(path: str, rows: list[dict[str, Any]]) -> str:
    """The output and what has influence on it, for Graphviz."""
    lines = [
        "digraph influence {",
        "  rankdir=LR;",
        "  node [shape=box];",
        f"  output [label={_quoted(path)}, style=bold];",
    ]
    styles = {MADE: "solid", DEPENDS: "dashed", MAY: "dotted"}
    for number, row in enumerate(rows):
        label = _name(row) + "".join(f"\n{owner}" for owner in row.get("owners", ()))
        label += f"\nlevel {row['level']}" if "level" in row else ""
        label += f"\n{row['trust']}" if "trust" in row else ""
        lines.append(f"  input{number} [label={_quoted(label)}];")
        lines.append(f"  input{number} -> output [style={styles[row['relation']]}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
