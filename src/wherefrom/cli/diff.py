"""`wherefrom diff`: what differs between two outcomes, and why."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ..api import compare
from ..base.plural import count_of
from ..base.render import show
from ..comparison import Comparison, ignoring
from .helping import LanguageCommand
from .options import Invocation, input_options, nodes_option, print_json
from .reports import report, with_progress

if TYPE_CHECKING:
    from ..language import Outcome

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
@nodes_option
@click.option("--since", metavar="REV", help="Compare a git revision of FILE or DIR (else of the project) with now.")
@click.option("--other-node", metavar="NAME", help="The node of the second side, where it is another one (Puppet).")
@click.option("--other-facts", metavar="FILE", help="The facts of the second side, where they are others (Puppet).")
@click.option(
    "--ignore", metavar="PATTERN", multiple=True, help="Leave out paths like `File[*].content` or `*.ensure`."
)
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
    exit_code: bool,
    form: str,
    **options: Any,
) -> int:
    """Compare the outcomes of A and B: two files, directories, revisions (DIR@REV) or saved outcomes.

    With another node or other facts for the second side, one FILE or DIR is compared with itself.
    """
    others = other_node is not None or other_facts is not None
    before, after = sides(paths, since, others)
    invocation = Invocation(options)
    if nodes is not None:
        if others:
            raise click.UsageError("--nodes compares each node with itself; leave --other-node and --other-facts out")
        return _compare_nodes(invocation, before, after, nodes, ignore, form, exit_code)
    outcomes: list[Outcome] = [
        invocation.run(before, trace=True),
        invocation.for_other(other_node, other_facts).run(after, trace=True),
    ]
    comparison = ignoring(compare(*outcomes), ignore)
    _print(comparison, form)
    return DIFFERENT if exit_code and comparison.differences else 0


def _compare_nodes(
    invocation: Invocation,
    before: str | None,
    after: str | None,
    nodes: str,
    ignore: tuple[str, ...],
    form: str,
    exit_code: bool,
) -> int:
    """Both sides for every node; equal differences together."""
    from . import differences
    from .grouping import compare_nodes, nodes_of_sides

    names = nodes_of_sides(invocation, before, after, nodes)
    fleet = compare_nodes(invocation, before, after, names, ignore, lambda names: with_progress(names, "comparing"))
    match form:
        case "json":
            print_json(fleet.to_json())
        case "markdown":
            sys.stdout.write(differences.markdown_of_nodes(fleet))
        case "html":
            sys.stdout.write(differences.html_of_nodes(fleet))
        case _:
            show(differences.styled_nodes(fleet), sys.stdout)
    for node, problems in fleet.failed:
        report([problem.with_note(f"while compiling {node}") for problem in problems])
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


def _print(comparison: Comparison, form: str) -> None:
    from . import differences

    match form:
        case "json":
            print_json(comparison.to_json())
        case "markdown":
            sys.stdout.write(differences.markdown(comparison))
        case "html":
            sys.stdout.write(differences.html(comparison))
        case _:
            show(differences.styled(comparison), sys.stdout)
