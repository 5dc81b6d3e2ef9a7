"""`wherefrom diff`: what differs between two outcomes, and why."""

from __future__ import annotations

import sys

import click

from ..api import compare
from ..base.plural import count_of
from ..base.render import show
from ..comparison import Comparison, ignoring
from ..uncertain import without_uncertain
from .helping import LanguageCommand
from .left_out import tell_left_out
from .module_notes import notes_of
from .options import Invocation, input_options, nodes_option, print_json
from .reports import with_progress
from .streams import write_document
from .what_if import unknown_names, what_if_options

DIFFERENT = 4
"""The exit status for differences, where one is asked for: no other outcome has it."""

EPILOG = """\b
Examples:
  wherefrom diff old.sf new.sf
  wherefrom diff before.json site.pp --node web01     # before.json: `wherefrom compile --save`
  wherefrom diff control@main control --node web01    # a revision against the work tree
  wherefrom diff --since main --node web01 --format markdown
  wherefrom diff --since main --nodes                 # all nodes, equal differences together
  wherefrom diff --node web01 --other-node web02      # the same code for two nodes
  wherefrom diff site.pp --facts old.yaml --other-facts new.yaml
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("paths", metavar="A B", nargs=-1)
@input_options
@what_if_options
@nodes_option
@click.option(
    "--since", metavar="REV", help="Compare a git revision of FILE or DIR (default: the project) with the work tree."
)
@click.option("--other-node", metavar="NAME", help="Node for the second side (Puppet).")
@click.option("--other-facts", metavar="FILE", help="Facts for the second side (Puppet).")
@click.option(
    "--ignore", metavar="PATTERN", multiple=True, help="Leave out paths like `File[*].content` or `*.ensure`."
)
@click.option("--all", "everything", is_flag=True, help="Show every attribute of added and removed resources.")
@click.option("--report", metavar="URL", help="URL of the full report, linked from a comment that had to be shortened.")
@click.option("--lenient", is_flag=True, help="Skip code that fails, and list what is unknown as a result (Puppet).")
@click.option("--exit-code", is_flag=True, help=f"End with status {DIFFERENT} when there are differences.")
@click.option("--json", "form", flag_value="json", help="Print one JSON document: the same as --format json.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "html"]),
    default="text",
    help="text for people, json, markdown for a comment on a change, html for a page.",
)
def command(
    paths: tuple[str, ...],
    nodes: str | None,
    since: str | None,
    other_node: str | None,
    other_facts: str | None,
    ignore: tuple[str, ...],
    everything: bool,
    report: str | None,
    lenient: bool,
    exit_code: bool,
    form: str,
    **options: object,
) -> int:
    """Compare the outcomes of A and B: two files, directories, revisions (DIR@REV) or saved outcomes.

    With another node or other facts for the second side, one FILE or DIR is compared with itself. With --nodes, every
    node is compiled twice; `wherefrom fleet diff` compiles only the nodes that a change affects.
    """
    invocation = Invocation(options)
    if lenient:
        if exit_code:
            raise click.UsageError("--lenient cannot be combined with --exit-code: what fails is not compared")
        invocation = invocation.with_option("lenient", True)
    others = other_node is not None or other_facts is not None or bool(invocation.what_if)
    before, after = sides(paths, since, others)
    invocation.modules.assign(before, after)
    if nodes is not None:
        if other_node is not None or other_facts is not None:
            raise click.UsageError("--nodes cannot be combined with --other-node or --other-facts")
        return _compare_nodes(invocation, before, after, nodes, ignore, form, exit_code, everything, report)
    first, other = invocation.as_it_is(), invocation.for_other(other_node, other_facts)
    old, new = first.run(before, trace=True), other.run(after, trace=True)
    comparison = ignoring(compare(old, new, first.again(before, after, other=other)), ignore)
    comparison = without_uncertain(comparison, old, new)
    unknown = unknown_names(old, invocation.what_if)
    notes = (*comparison.notes, *notes_of(invocation, before, after), *unknown)
    comparison = Comparison(comparison.differences, comparison.same, notes)
    if lenient:
        tell_left_out(old, new)
    _print(comparison, form, everything, report)
    return DIFFERENT if exit_code and comparison.differences else 0


def _compare_nodes(
    invocation: Invocation,
    before: str | None,
    after: str | None,
    nodes: str,
    ignore: tuple[str, ...],
    form: str,
    exit_code: bool,
    everything: bool,
    report: str | None,
) -> int:
    """Both sides for every node; equal differences together."""
    from . import differences
    from .grouping import compare_nodes, nodes_of_sides
    from .short import tell_failures

    names = nodes_of_sides(invocation, before, after, nodes)
    fleet = compare_nodes(invocation, before, after, names, ignore, lambda names: with_progress(names, "comparing"))
    notes = notes_of(invocation, before, after)
    if invocation.what_if and fleet.same and not fleet.differs:
        notes += unknown_names(invocation.as_it_is().run(before, fleet.same[0], trace=True), invocation.what_if)
    fleet = differences.hidden_nodes(fleet.with_notes(notes))
    match form:
        case "json":
            print_json(fleet.to_json())
        case "markdown":
            write_document(differences.markdown_of_nodes(fleet, (), everything, report))
        case "html":
            write_document(differences.html_of_nodes(fleet))
        case _:
            show(differences.styled_nodes(fleet, everything), sys.stdout)
    tell_failures(fleet.failed, fleet.everybody, fleet.traits)
    return 1 if fleet.failed else DIFFERENT if exit_code and fleet.differs else 0


def sides(paths: tuple[str, ...], since: str | None, others: bool) -> tuple[str | None, str | None]:
    """What to compare: A and B, or a revision of one path (else of the project) with that path.

    Where the second side has `others`, another node or other facts, it may be the same path.
    """
    if since is None:
        if others and len(paths) < 2:
            path = paths[0] if paths else None
            return path, path
        if len(paths) != 2:
            count = count_of(len(paths), "argument")
            raise click.UsageError(f"expected two sides to compare, or --since REV, found {count}")
        return paths
    if len(paths) > 1:
        raise click.UsageError("--since takes one FILE or DIR, or none for the project's environment")
    path = paths[0] if paths else None
    return f"{path or ''}@{since}", path


def _print(comparison: Comparison, form: str, everything: bool, report: str | None) -> None:
    from . import differences

    comparison = differences.hidden_values(comparison)
    match form:
        case "json":
            print_json(comparison.to_json())
        case "markdown":
            write_document(differences.markdown(comparison, everything, report))
        case "html":
            write_document(differences.html(comparison))
        case _:
            show(differences.styled(comparison, everything), sys.stdout)
