"""`wherefrom set`: edits of the sources that give an output another value, proved by compiling."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from ..base.diagnostics import CannotRead, UsageError
from ..base.extras import extra
from ..base.plural import count_of
from ..base.render import Styled, show, visible
from ..base.splices import GONE, changed_lines
from ..provenance.explain import short
from ..revisions import split_revision
from ..wishes import MOST_NODES, Answer, Change, Concerned, Proposal, Wish, proposals, summary
from .helping import LanguageCommand
from .options import Invocation, input_options, print_json, question, split_flake
from .what_if import what_if_options

if TYPE_CHECKING:
    from ..language import Outcome

EPILOG = """\b
Examples:
  wherefrom set . 'File[/etc/motd].mode' 0600 --node web01.example.org
  wherefrom set 'Class[Ntp].port'=124 'File[/etc/motd].mode'=0600 --node web01 --patch
  wherefrom set . /etc/ntp.conf:3 'server ntp2.example.org iburst' --pick 2 --apply
  wherefrom set . 'Class[Profile::Wiki].aliases[1]' --absent
"""

MOST_SHOWN = 6
MOST_CHANGES = 3


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("arguments", metavar="[FILE|DIR] OUTPUT VALUE | OUTPUT=VALUE...", nargs=-1)
@input_options
@what_if_options
@click.option(
    "--eyaml-public-key",
    "public_key",
    metavar="FILE",
    help="The certificate that encrypts new values of encrypted data (default: that of hiera.yaml).",
)
@click.option("--absent", is_flag=True, help="Remove OUTPUT: a resource, an attribute, an element of a list.")
@click.option("--for", "reach", metavar="LEVEL", help="Only edits of the data at this level: node, role, all, a name.")
@click.option("--files", "patterns", metavar="GLOB", multiple=True, help="Files that may be edited.")
@click.option("--nodes", metavar="A,B*,...", help="Other nodes to compile each proposal for (default: up to 20).")
@click.option("--store", "store_path", metavar="STORE", help="A fleet's store: it says which nodes could differ.")
@click.option("--pick", type=click.IntRange(min=1), metavar="N", help="The proposal to print or apply (default: 1).")
@click.option("--apply", "applying", is_flag=True, help="Write the proposal to the files.")
@click.option("--patch", "as_patch", is_flag=True, help="Print the proposal as a patch for `git apply`.")
@click.option("--all", "everything", is_flag=True, help="Show all proposals and all other changes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    arguments: tuple[str, ...],
    absent: bool,
    reach: str | None,
    patterns: tuple[str, ...],
    nodes: str | None,
    pick: int | None,
    applying: bool,
    as_patch: bool,
    everything: bool,
    as_json: bool,
    public_key: str | None,
    store_path: str | None,
    **options: object,
) -> int:
    """Propose edits of the sources that give OUTPUT the value VALUE.

    Each proposal was compiled, and gives it. Nothing is written without --apply.
    """
    path, wishes = read_wishes(arguments, absent)
    invocation = Invocation(options)
    if public_key is not None:
        if not os.path.isfile(public_key):
            raise CannotRead(public_key, "no such file")
        invocation = invocation.with_option("eyaml_public_key", public_key)
    answer = answered(invocation, path, wishes, patterns, nodes, reach, store_path=store_path)
    if pick is not None and pick > len(answer.proposals):
        raise UsageError(f"--pick {pick}: there are only {count_of(len(answer.proposals), 'proposal')}")
    chosen = answer.proposals[(pick or 1) - 1] if answer.proposals else None
    if as_json:
        print_json(answer.to_json())
    elif as_patch and chosen is not None:
        sys.stdout.write(chosen.patch)
    elif not as_patch and not (applying and chosen is not None):
        show(styled(answer, everything, pick), sys.stdout)
    if chosen is None:
        if not answer.is_so:
            words = "no edit of the files that may be written gives it this value" if not as_json else ""
            sys.stderr.write(f"wherefrom: {words}\n" if words else "")
            return 1
        return 0
    if applying:
        _apply(chosen)
    return 0


def read_wishes(arguments: tuple[str, ...], absent: bool) -> tuple[str | None, list[Wish]]:
    """The file or directory, if one was named, and the wishes; `DIR#ATTR` names both."""
    path, wishes = _read_wishes(arguments, absent)
    if path is not None:
        return path, wishes
    both = [question((wish.path,), "OUTPUT") for wish in wishes]
    if len({folder for folder, _ in both}) > 1:
        raise click.UsageError("the outputs must be of one FILE or DIR")
    return both[0][0], [Wish(output, wish.text) for (_, output), wish in zip(both, wishes)]


def _read_wishes(arguments: tuple[str, ...], absent: bool) -> tuple[str | None, list[Wish]]:
    if absent:
        if not 1 <= len(arguments) <= 2:
            raise click.UsageError("expected [FILE|DIR] OUTPUT --absent")
        return (arguments[0] if len(arguments) == 2 else None), [Wish(arguments[-1], None)]
    assigned = [_assignment(argument) for argument in arguments]
    first = 1 if arguments and assigned[0] is None else 0
    if len(arguments) == 2 and first and assigned[1] is not None and not _is_file(arguments[0]):
        return None, [Wish(*arguments)]  # a value may have an equals sign in it
    if len(arguments) > first and all(assigned[first:]):
        return (arguments[0] if first else None), [wish for wish in assigned[first:] if wish is not None]
    if len(arguments) == 2:
        return None, [Wish(*arguments)]
    if len(arguments) == 3:
        return arguments[0], [Wish(arguments[1], arguments[2])]
    raise click.UsageError("expected [FILE|DIR] OUTPUT VALUE, or [FILE|DIR] OUTPUT=VALUE...")


def _is_file(argument: str) -> bool:
    """Whether an argument names what is to be compiled: a file, a directory, one of its revisions, a flake's output."""
    return os.path.exists(split_flake(split_revision(argument)[0] or ".")[0])


def _assignment(text: str) -> Wish | None:
    """`OUTPUT=VALUE`; a title in brackets may have an equals sign in it."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "=" and depth <= 0 and at:
            return Wish(text[:at], text[at + 1 :])
    return None


def answered(
    invocation: Invocation,
    path: str | None,
    wishes: list[Wish],
    patterns: tuple[str, ...] = (),
    nodes: str | None = None,
    reach: str | None = None,
    for_node: str | None = None,
    store_path: str | None = None,
) -> Answer:
    """What can be done for some wishes about a node (nothing: the one that the options name)."""
    base: dict[str | None, Outcome] = {}

    def compiled(node: str | None, files: Mapping[str, bytes | None]) -> Outcome:
        if not files and node in base:
            return base[node]
        outcome = invocation.run_with(path, node or for_node, files)
        if not files:
            base[node] = outcome
        return outcome

    outcome = compiled(None, {})
    given = outcome.given() or {}
    asked = next((str(value) for (kind, _, owner), value in given.items() if kind == "node" and not owner), None)
    concerned: Concerned | None = None
    if store_path is not None:
        with extra("fleet"):
            from ..fleet.concerned import concerned_by
        from .fleet_origins import questions_of

        known, concerned = concerned_by(questions_of(store_path), outcome.file_content)
        if nodes is not None:
            wanted = invocation.all_nodes(path, nodes)
            known = [node for node in known if node in wanted]
    else:
        known = _other_nodes(invocation, path, nodes, outcome)
    others = [node for node in known if node != asked]
    answer = proposals(wishes, None, compiled, refusal(outcome, patterns), others, reach, concerned)
    return Answer(answer.wanted, asked, answer.proposals, answer.obstacles, answer.nodes)


def _other_nodes(invocation: Invocation, path: str | None, nodes: str | None, outcome: Outcome) -> list[str]:
    """The nodes that each proposal is compiled for: those that are named, else all, if there are not too many."""
    if nodes is not None:
        return invocation.all_nodes(path, nodes)
    if outcome.language != "puppet":
        return []
    try:
        known = invocation.all_nodes(path)
    except UsageError:  # none are known
        return []
    if len(known) > MOST_NODES:
        sys.stderr.write(
            f"note: {len(known)} nodes are known; --nodes names those to compile each proposal for, "
            "--store STORE asks which could differ\n"
        )
        return []
    return known


def refusal(outcome: Outcome, patterns: tuple[str, ...]) -> Callable[[str], str | None]:
    """Who says why a file must not be written: it is outside of the project, or somebody else's module."""
    root = os.path.realpath(outcome.directory or ".")
    installed = [os.path.realpath(place) for place in _installed(outcome.directory or ".")]

    def refused(file: str) -> str | None:
        real = os.path.realpath(file)
        if patterns:
            names = (os.path.normpath(file), os.path.relpath(real, root))
            is_meant = any(fnmatchcase(name, pattern) for pattern in patterns for name in names)
            return None if is_meant else "--files does not name it"
        if os.path.commonpath([real, root]) != root:
            return "it lies outside of the project (--files names what may be edited)"
        if any(os.path.commonpath([real, place]) == place for place in installed):
            return "it belongs to an installed module (--files names what may be edited)"
        if _is_of_another_repository(real, root):
            return "it belongs to another repository (--files names what may be edited)"
        return None

    return refused


def _is_of_another_repository(file: str, root: str) -> bool:
    """Whether a directory between the project's and the file is a repository of its own: a clone or a submodule."""
    folder = os.path.dirname(file)
    while len(folder) > len(root):
        if os.path.lexists(os.path.join(folder, ".git")):
            return True
        folder = os.path.dirname(folder)
    return False


def _installed(root: str) -> list[str]:
    """The directories of the modules that a `Puppetfile` brings, those aside that it calls local."""
    from ..puppetfile import NAME, directory_of, modules_of

    content = _content(os.path.join(root, NAME))
    text = (content or b"").decode("utf-8", "replace")
    folder = os.path.join(root, directory_of(text))
    return [os.path.join(folder, name) for name, module in modules_of(text).items() if ":local" not in module.rest]


# --- writing ---------------------------------------------------------------------------------------------------------


def _apply(proposal: Proposal) -> None:
    """Write the files, each whole or not at all; none, if one is not what it was when the proposal was made."""
    from ..base.folder import NOTHING, Folder
    from ..base.writing import write_all

    for name, (before, _) in proposal.files.items():
        if _content(name) != before:
            raise UsageError(f"{name} has changed since the proposal was made; nothing was written")
    for name in proposal.files:
        folder = os.path.dirname(name)
        if folder and not os.path.isdir(folder):
            Folder(folder, NOTHING).make()
    write_all({name: after for name, (_, after) in proposal.files.items()})
    for name in proposal.files:
        print(f"wrote {visible(name)}")


def _content(name: str) -> bytes | None:
    """What a file holds now."""
    from ..base.host import RealHost

    host = RealHost([os.path.dirname(name) or "."])
    return host.read_bytes(name) if host.is_file(name) else None


# --- showing ---------------------------------------------------------------------------------------------------------


def styled(answer: Answer, everything: bool = False, pick: int | None = None) -> Styled:
    """The wishes, the proposals, and why there are not more."""
    out: Styled = []
    for one in answer.wanted:
        wanted = "absent" if one.wanted is GONE else short(one.wanted, 70)
        present = " is not set" if one.value is GONE else f" = {short(one.value, 70)}"
        out += [(visible(one.path), "key"), (present, ""), (f", wanted {wanted}\n", "value")]
    if answer.is_so:
        return [*out, ("nothing to do\n", "")]
    out.append(("\n", ""))
    shown = answer.proposals if everything else answer.proposals[:MOST_SHOWN]
    for number, proposal in enumerate(shown, 1):
        if pick is None or pick == number:
            out += _styled_proposal(number, proposal, everything)
    left = len(answer.proposals) - len(shown)
    if left:
        out.append((f"and {count_of(left, 'more proposal')} (--all shows all)\n", "dim"))
    if answer.obstacles and pick is None:
        out.append(("not possible\n", "strong"))
        obstacles = answer.obstacles if everything else answer.obstacles[:MOST_SHOWN]
        for obstacle in obstacles:
            out += [(f"   {visible(obstacle.what)}", "place"), (f"  {visible(obstacle.because)}\n", "dim")]
        if len(answer.obstacles) > len(obstacles):
            out.append((f"   and {len(answer.obstacles) - len(obstacles)} more (--all shows all)\n", "dim"))
    return out


def _styled_proposal(number: int, proposal: Proposal, everything: bool) -> Styled:
    kinds = ", ".join(
        dict.fromkeys(
            f"{rewrite.kind}: {rewrite.words}" if rewrite.words else rewrite.kind for rewrite in proposal.rewrites
        )
    )
    out: Styled = [(f"{number}  ", "strong"), (kinds + "\n", "")]
    for name, (before, after) in proposal.files.items():
        out.append((f"   {visible(os.path.normpath(name))}{'  (new file)' if before is None else ''}\n", "place"))
        for sign, line, text in changed_lines(before, after):
            out.append((f"   {line:>5} {sign} {visible(text)}".rstrip() + "\n", "value" if sign == "+" else ""))
    out += _styled_changes("   here  ", proposal.changes, everything)
    alike: dict[tuple[str, ...], list[str]] = {}
    for node, changes in proposal.elsewhere.items():
        if changes:
            alike.setdefault(tuple(change.path for change in changes), []).append(node)
    for nodes in alike.values():
        names = nodes if everything else nodes[:MOST_CHANGES]
        more = f" and {len(nodes) - len(names)} more nodes" if len(names) < len(nodes) else ""
        head = f"   on {', '.join(map(visible, names))}{more}  "
        out += _styled_changes(head, proposal.elsewhere[nodes[0]], everything)
    if proposal.uncompiled:
        many = count_of(len(proposal.uncompiled), "more node")
        shown_nodes = ", ".join(map(visible, proposal.uncompiled[:MOST_CHANGES]))
        out += [("   ", ""), (f"{many} may change, and {'was' if len(proposal.uncompiled) == 1 else 'were'} not ", "")]
        out += [(f"compiled: {shown_nodes}{', ...' if len(proposal.uncompiled) > MOST_CHANGES else ''}\n", "")]
    for node, words in proposal.broken.items():
        out.append((f"   {node} does not compile any more: {visible(words)}\n", "error"))
    return [*out, ("\n", "")]


def _styled_changes(head: str, changes: tuple[Change, ...], everything: bool) -> Styled:
    if not changes:
        return []
    shown = changes if everything else changes[:MOST_CHANGES]
    names = ", ".join(visible(change.path) for change in shown) + (", ..." if len(shown) < len(changes) else "")
    return [(head, "dim"), (f"{summary(changes)}: ", ""), (names + "\n", "key")]
