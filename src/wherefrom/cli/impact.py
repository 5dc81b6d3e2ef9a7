"""`wherefrom impact`: which outputs may change when an input does."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import UsageError
from ..base.plural import count_of
from ..base.render import Styled, show, visible
from ..base.source import lines_of
from ..provenance.explain import short
from ..provenance.impact import missing_line, parse_target
from .helping import LanguageCommand
from .options import Invocation, input_options, print_json, question

if TYPE_CHECKING:
    from ..language import Outcome

MOST = 20
"""How many sets and lists are named around outputs that keep their values."""

EPILOG = """\b
Examples:
  wherefrom impact site.pp site.pp:12 --node web01
  wherefrom impact site.pp fact:os.family --node web01 --facts facts.yaml
  wherefrom impact site.pp fact:os --nodes web01,db01 --facts facts/
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("arguments", metavar="[FILE|DIR] INPUT", nargs=-1)
@input_options
@click.option("--nodes", metavar="A,B,...", help="Several nodes.")
@click.option("--absent", is_flag=True, help="Allow an INPUT that does not exist yet.")
@click.option("--all", "everything", is_flag=True, help="List each output whose place alone may change (Nix).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    arguments: tuple[str, ...], nodes: str | None, absent: bool, everything: bool, as_json: bool, **options: object
) -> None:
    """List the outputs of FILE or DIR that may change when INPUT changes; no other output can.

    INPUT is FILE:LINE[:COLUMN], fact:NAME, hiera:KEY, or another kind of input with its name. `wherefrom fleet impact`
    answers for all nodes of a store.
    """
    path, input_name = question(arguments, "INPUT")
    target = parse_target(input_name)  # wrong words are told before anything is compiled
    invocation = Invocation(options)
    names: list[str | None] = list(nodes.split(",")) if nodes else [None]
    answers: list[dict[str, object]] = []
    outcomes: list[Outcome] = []
    for name in names:
        outcome = invocation.run(path, name, trace=True)
        outcomes.append(outcome)
        answers.append(outcome.impact(input_name, absent=True).to_json())
        words = missing_line(target, {**outcome.sources, **outcome.pointed_sources()})
        if words is not None and not as_json:
            show([(visible(words) + "\n", "dim")], sys.stderr)
    if not absent:
        _refuse_unknown(outcomes, input_name, invocation, path)
    if as_json:
        documents = [{**({"node": name} if name else {}), **answer} for name, answer in zip(names, answers)]
        print_json(documents[0] if len(documents) == 1 else {"nodes": documents})
        return
    for name, answer in zip(names, answers):
        show(_styled(name, input_name, answer, everything), sys.stdout)


def _refuse_unknown(outcomes: list[Outcome], input_name: str, invocation: Invocation, path: str | None) -> None:
    """Refuse the name of an input that no outcome knows, and no other node has."""
    problem = _unknown(outcomes, input_name, ())
    if problem is not None and input_name.startswith("fact:"):
        problem = _unknown(outcomes, input_name, invocation.fact_names(path))
    if problem is not None:
        raise problem


def _unknown(outcomes: list[Outcome], input_name: str, others: Iterable[str]) -> UsageError | None:
    """What is wrong with the name, if it is wrong for every outcome."""
    problem: UsageError | None = None
    for outcome in outcomes:
        problem = outcome.unknown_input(input_name, others)
        if problem is None:
            return None
    return problem


def _place(leaf: dict[str, Any]) -> str:
    """Where an input stands: its file alone, where it is a key that the file does not have."""
    if "file" not in leaf:
        return ""
    if "line" not in leaf:
        return f"  {leaf['file']}" + ("  (not there)" if leaf.get("absent") else "")
    return f"  {leaf['file']}:{leaf['line']}:{leaf['column']}"


def _styled(node: str | None, asked: str, answer: dict[str, Any], everything: bool) -> Styled:
    out: Styled = [(f"{node}\n", "strong")] if node else []
    rows = answer["affected"]
    for leaf in answer["inputs"]:
        what = leaf.get("text") or f"{leaf['kind']} {leaf.get('name', leaf.get('key', ''))}"
        place = _place(leaf)
        out += [("input   ", "strong"), (lines_of(what)[0] if what else "", "value"), (place + "\n", "place")]
    orders = _styled_orders(answer.get("orders", ()))
    if not rows:
        what = "value" if orders else "output"
        out.append((f"no {what} depends on {visible(asked)}: {answer['unaffected']} outputs were checked\n", ""))
        return out + orders
    out.append((f"{len(rows)} may change, {answer['unaffected']} do not depend on it:\n", "strong"))
    shown: set[str] = set()
    for group in answer.get("definitions", ()):
        out.append((f"via {visible(group['definition'])}\n", "strong"))
        out += [piece for row in rows if row["path"] in group["paths"] for piece in _styled_row(row)]
        shown.update(group["paths"])
    rest = [row for row in rows if row["path"] not in shown]
    shaped = [row for row in rest if row.get("decides") == "shape"]
    out += [piece for row in rest if "decides" not in row for piece in _styled_row(row)]
    return out + _styled_shaped(shaped, everything) + orders


def _styled_shaped(rows: list[dict[str, Any]], everything: bool) -> Styled:
    """The outputs whose values do not change, but which may come, go or move with the set or list around them."""
    if not rows:
        return []
    number = f"{len(rows)} of them"
    out: Styled = [(f"{number} keep their values, but may come, go or move with the set or list around them", "strong")]
    if everything:
        return [*out, (":\n", "strong"), *(piece for row in rows for piece in _styled_row(row))]
    around = Counter(_around(row["path"]) for row in rows)
    out.append((" (--all):\n", "strong"))
    for path, inside in around.most_common(MOST):
        out += [("  ", ""), (visible(path), "key"), (f"  {inside}\n", "")]
    if len(around) > MOST:
        out.append((f"  and in {count_of(len(around) - MOST, 'other')}\n", "dim"))
    return out


def _around(path: str) -> str:
    """The outermost list that an output is in, or else the set that it is in.

    >>> _around("config.assertions[3].message"), _around("config.users.alice.home"), _around("a")
    ('config.assertions', 'config.users.alice', 'the value')
    """
    return path.partition("[")[0] if "[" in path else path.rpartition(".")[0] or "the value"


def _styled_orders(orders: Sequence[dict[str, Any]]) -> Styled:
    """The composites that may get another order."""
    if not orders:
        return []
    out: Styled = [("the order of attributes may change in:\n", "strong")]
    for order in orders:
        out += [("  ", ""), (visible(order["path"]), "key"), (f"  {short(order['keys'], 80)}\n", "")]
    return out


def _styled_row(row: dict[str, Any]) -> Styled:
    return [("  ", ""), (row["path"], "key"), (f" = {short(row['value'], 80)}\n", "")]
