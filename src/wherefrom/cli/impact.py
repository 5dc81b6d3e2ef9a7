"""`wherefrom impact`: which outputs may change when an input does."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..base.render import Styled, show, visible
from ..provenance.explain import short
from ..provenance.impact import missing_line, parse_target
from .helping import LanguageCommand
from .options import Invocation, input_options, print_json, question

EPILOG = """\b
Examples:
  wherefrom impact site.pp site.pp:12 --node web01
  wherefrom impact site.pp fact:os.family --node web01 --facts facts.yaml
  wherefrom impact site.pp fact:os --nodes web01,db01 --facts facts/
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("arguments", metavar="[FILE|DIR] INPUT", nargs=-1)
@input_options
@click.option("--nodes", metavar="A,B,...", help="Ask for several nodes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(arguments: tuple[str, ...], nodes: str | None, as_json: bool, **options: Any) -> None:
    """Say which outputs of FILE or DIR may change when INPUT does; all others certainly can not.

    INPUT is FILE:LINE[:COLUMN], fact:NAME, hiera:KEY, or another kind of input with its name.
    """
    path, input_name = question(arguments, "INPUT")
    target = parse_target(input_name)  # wrong words are told before anything is compiled
    invocation = Invocation(options)
    names: list[str | None] = list(nodes.split(",")) if nodes else [None]
    answers: list[dict[str, Any]] = []
    for name in names:
        outcome = invocation.run(path, name, trace=True)
        answers.append(outcome.impact(input_name).to_json())
        words = missing_line(target, outcome.sources)
        if words is not None and not as_json:
            show([(visible(words) + "\n", "dim")], sys.stderr)
    if as_json:
        documents = [{**({"node": name} if name else {}), **answer} for name, answer in zip(names, answers)]
        print_json(documents[0] if len(documents) == 1 else {"nodes": documents})
        return
    for name, answer in zip(names, answers):
        show(_styled(name, answer), sys.stdout)


def _styled(node: str | None, answer: dict[str, Any]) -> Styled:
    out: Styled = [(f"{node}\n", "strong")] if node else []
    rows = answer["affected"]
    for leaf in answer["inputs"]:
        what = leaf.get("text") or f"{leaf['kind']} {leaf.get('name', leaf.get('key', ''))}"
        place = f"  {leaf['file']}:{leaf['line']}:{leaf['column']}" if "file" in leaf else ""
        out += [("input   ", "strong"), (what.splitlines()[0] if what else "", "value"), (place + "\n", "place")]
    if not rows:
        out.append((f"nothing there is an input of any of {answer['unaffected']} outputs\n", ""))
        return out
    out.append((f"{len(rows)} may change, {answer['unaffected']} do not depend on it:\n", "strong"))
    shown: set[str] = set()
    for group in answer.get("definitions", ()):
        out.append((f"through {visible(group['definition'])}\n", "strong"))
        out += [piece for row in rows if row["path"] in group["paths"] for piece in _styled_row(row)]
        shown.update(group["paths"])
    return out + [piece for row in rows if row["path"] not in shown for piece in _styled_row(row)]


def _styled_row(row: dict[str, Any]) -> Styled:
    return [("  ", ""), (row["path"], "key"), (f" = {short(row['value'], 80)}\n", "")]
