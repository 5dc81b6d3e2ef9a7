"""`whence diff`: what differs between two outcomes, and why."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..api import compare
from ..base.render import Styled, show, visible
from ..provenance.explain import short
from .options import Request, input_options, print_json

EPILOG = """\b
Examples:
  whence diff old.sf new.sf
  whence diff before.json site.pp --node web01     # before.json: `whence compile --save`
"""


@click.command(epilog=EPILOG)
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@input_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(before: str, after: str, as_json: bool, **options: Any) -> None:
    """Compare the outcomes of A and B: two files, directories or saved outcomes."""
    request = Request(options)
    comparison = compare(request.run(before, trace=True), request.run(after, trace=True))
    if as_json:
        print_json(comparison.to_json())
        return
    out: Styled = []
    if not comparison.differences:
        out.append((f"no differences in {comparison.same} outputs\n", ""))
    for edit, differences in comparison.by_edit():
        if out:
            out.append(("\n", ""))
        out += _styled_edit(edit)
        for each in differences:
            out += _styled_difference(each)
    show(out, sys.stdout)


def _styled_edit(edit: Any) -> Styled:
    if edit is None:
        return [("no edited line found behind these:\n", "strong")]
    place = edit.before_place if edit.before_place == edit.after_place else f"{edit.before_place} -> {edit.after_place}"
    out: Styled = [("edit ", "strong"), (place.strip() + "\n", "place")]
    out += [(f"  - {visible(line)}\n", "error") for line in edit.before[:8]]
    out += [(f"  + {visible(line)}\n", "help") for line in edit.after[:8]]
    return out


def _styled_difference(each: Any) -> Styled:
    head: Styled = [(f"  {each.change:8}", "dim"), (visible(each.path), "key")]
    match each.change:
        case "added":
            return [*head, (f" = {short(each.after, 80)}\n", "")]
        case "removed":
            return [*head, (f" was {short(each.before, 80)}\n", "")]
        case "order":
            return [*head, (": the same values in another order\n", "")]
    return [*head, (f": {short(each.before, 60)} -> {short(each.after, 60)}\n", "")]
