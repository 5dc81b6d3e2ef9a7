"""A comparison shown: for a terminal, as a comment on a change (Markdown), as a page (HTML).

All three have the same order: what differs, grouped by the edit behind it. A long text that changed is shown line by
line. The Markdown keeps below the size that a comment may have (65,536 characters on GitHub), leaving out whole groups
and the ends of very long ones, and saying how much; names in it can not call people or other changes, and a fence is
longer than any in the text.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from ..base.lines import changed_runs
from ..base.plural import count_of
from ..base.render import Styled, visible
from ..base.source import lines_of, pieces_of
from ..comparison import Comparison, FleetComparison
from ..provenance.explain import short
from .reports import node_list
from .short import attribute_counts, condensed, data_changes, each_failure, node_words, nodes_sentence, sentence
from .streams import hidden

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..comparison import Difference, Edit

LONGEST_COMMENT = 65_000
"""Characters: what a comment may hold, with a little room for what is put round it."""

ROOM_FOR_END = 2_500
"""Of these, for what is said about groups that are left out."""

_ADDRESS = re.compile(r"https?://[\w./:?&=%#~+,@-]+")
"""What a link of ours may be."""

SHOWN_LINES = 40
"""Of one text that changed; further ones are counted."""

LONGEST_GROUP = 150
"""Lines of one group in a comment; further ones are counted."""

MOST_STOPPED = 20
"""Of what gates stop, in a comment; further ones are counted."""

CONTEXT = 1
"""Unchanged lines shown round a change."""


def hidden_values(comparison: Comparison) -> Comparison:
    """A comparison without secrets, from which any of the forms can be written."""
    return Comparison.from_json(hidden(comparison.to_json()))


def hidden_nodes(fleet: FleetComparison) -> FleetComparison:
    """The same of many nodes."""
    return FleetComparison(
        tuple((hidden(nodes), hidden_values(comparison)) for nodes, comparison in fleet.groups),
        tuple(hidden(fleet.same)),
        fleet.failed,
        tuple(hidden(fleet.new)),
        tuple(hidden(fleet.gone)),
        fleet.traits,
        tuple(hidden(fleet.notes)),
    )


def counts(comparison: Comparison) -> str:
    """`3 outputs differ, 20 are the same`."""
    number = len(comparison.differences)
    return f"{count_of(number, 'output')} differ{'s' * (number == 1)}, {comparison.same} are the same"


def is_text_change(difference: Difference) -> bool:
    """Whether to show a difference line by line."""
    return (
        difference.change == "changed"
        and isinstance(difference.before, str)
        and isinstance(difference.after, str)
        and (
            "\n" in difference.before.rstrip("\n")
            or "\n" in difference.after.rstrip("\n")
            or data_changes(difference) is not None
        )
    )


def line_changes(before: str, after: str, causes: Mapping[int, str] = {}) -> list[str]:
    """Two texts line by line: `-` and `+` for what went and came, a blank for what stands round it, `@` for a jump.

    `causes` are told before a run of changes, by the line that it begins with.
    """
    old, new = lines_of(before), lines_of(after)
    lines: list[str] = []
    shown = 0
    for old_start, old_end, new_start, new_end in changed_runs(old, new):
        first = max(old_start - CONTEXT, shown)
        cause = causes.get(new_start + 1)
        if cause is not None:
            lines.append(f"@ {cause}")
        elif first > shown and lines:
            lines.append("@")
        lines += [f" {line}" for line in old[first:old_start]]
        lines += [f"-{line}" for line in old[old_start:old_end]]
        lines += [f"+{line}" for line in new[new_start:new_end]]
        shown = old_end
        lines += [f" {line}" for line in old[shown : shown + CONTEXT]]
        shown = min(shown + CONTEXT, len(old))
    if before.endswith("\n") != after.endswith("\n"):
        lines.append("-(no line end)" if after.endswith("\n") else "+(no line end)")
    if len(lines) > SHOWN_LINES:
        lines = [*lines[:SHOWN_LINES], f"@ {len(lines) - SHOWN_LINES} more lines"]
    return lines


# --- for a terminal ---


def styled(comparison: Comparison, everything: bool = False) -> Styled:
    """For a person at a terminal; with `everything`, each attribute of what came or went."""
    out: Styled = []
    out += [(f"note: {visible(words)}\n", "strong") for words in comparison.notes]
    if not comparison.differences:
        out.append((f"no differences in {comparison.same} outputs\n", ""))
    counted = {} if everything else attribute_counts(comparison)
    comparison = comparison if everything else condensed(comparison)
    shown: set[Edit] = set()
    for edits, differences in comparison.by_edits():
        if out:
            out.append(("\n", ""))
        out += _styled_edits(edits, differences[0].proved, shown)
        for difference in differences:
            out += _styled_difference(difference, counted)
    return out


def styled_nodes(fleet: FleetComparison, everything: bool = False) -> Styled:
    """Many nodes, for a person at a terminal: each group of nodes with the differences they share."""
    out: Styled = [(f"note: {visible(words)}\n", "strong") for words in fleet.notes]
    out += [(visible(fleet.verdict()) + "\n", "strong")]
    out += [(visible(words) + "\n", "") for words in _coming_and_going(fleet)]
    for nodes, comparison in fleet.groups:
        out += [("\n", ""), (visible(set_of(fleet, nodes)) + "\n", "strong")]
        out += styled(comparison, everything)
    return out


def set_of(fleet: FleetComparison, nodes: list[str]) -> str:
    """The nodes of a group, among all that were compared."""
    return node_words(nodes, fleet.everybody, fleet.traits)


def _coming_and_going(fleet: FleetComparison) -> list[str]:
    """`new: web03`, `gone: db01`."""
    return [
        f"{words}: {node_list(list(nodes), 12)}" for words, nodes in (("new", fleet.new), ("gone", fleet.gone)) if nodes
    ]


NO_CAUSE = "cause not identified"


def _relation(edits: Sequence[Edit], proved: bool) -> str:
    """What several edits have to do with the differences below them."""
    if not proved:
        return "one of these edits, or several:" if len(edits) > 1 else "perhaps this edit:"
    return f"{count_of(len(edits), 'edit')} together:" if len(edits) > 1 else ""


def _styled_edits(edits: Sequence[Edit], proved: bool, shown: set[Edit]) -> Styled:
    """The edits behind a group of differences: each with its lines where it is named first."""
    if not edits:
        return [(f"{NO_CAUSE}:\n", "strong")]
    relation = _relation(edits, proved)
    out: Styled = [(f"{relation}\n", "strong")] if relation else []
    for edit in edits:
        known = edit in shown
        shown.add(edit)
        out += [
            (f"{_kind(edit)} ", "strong"),
            (visible(_place(edit)), "place"),
            (" (above)\n" if known else "\n", "dim"),
        ]
        if not known:
            out += [(f"  - {visible(line)}\n", "error") for line in edit.before[:8]]
            out += [(f"  + {visible(line)}\n", "help") for line in edit.after[:8]]
    return out


def _styled_difference(difference: Difference, counted: Mapping[str, int]) -> Styled:
    head: Styled = [(f"  {difference.change:8}", "dim"), (visible(difference.path), "key")]
    if counted.get(difference.path):
        return [*head, (f" ({count_of(counted[difference.path], 'attribute')})\n", "dim")]
    if is_text_change(difference):
        styles = {"-": "error", "+": "help", "@": "dim", " ": ""}
        lines = text_changes(difference)
        return [*head, ("\n", ""), *((f"    {visible(line)}\n", styles[line[0]]) for line in lines)]
    words: Styled = [(f"  ({visible(difference.definition)})", "dim")] if difference.definition else []
    return [*head, (_words(difference), ""), *words, ("\n", "")]


def text_changes(difference: Difference) -> list[str]:
    """Two texts, line by line; where both are data, key by key."""
    causes = {line: " and ".join(places) for line, places in difference.hunks}
    return data_changes(difference) or line_changes(difference.before, difference.after, causes)


def _words(difference: Difference) -> str:
    """What happened to a value, behind its path."""
    match difference.change:
        case "added":
            return f" = {short(difference.after, 80)}"
        case "removed":
            named = difference.path.endswith(f"[{difference.before}]")  # a resource: its title says it
            return "" if named else f" was {short(difference.before, 80)}"
        case "order":
            moved = difference.path in difference.before  # else it is what is around the values
            return ": in another place of the order" if moved else ": the same values in another order"
    return f": {short(difference.before, 60)} -> {short(difference.after, 60)}"


def _kind(edit: Edit) -> str:
    """What happened to the file: one side alone may have it."""
    return "edit" if edit.before_place and edit.after_place else "deleted" if edit.before_place else "new"


def _place(edit: Edit) -> str:
    places = dict.fromkeys(place for place in (edit.before_place, edit.after_place) if place)
    return " -> ".join(places)


def _named(edit: Edit, place: str) -> str:
    """An edit as a title; that a file was only edited goes without saying."""
    return place if _kind(edit) == "edit" else f"{_kind(edit)} {place}"


# --- as a comment ---


def markdown(comparison: Comparison, everything: bool = False, report: str | None = None) -> str:
    """For a comment on a change: a verdict, then a folded block for each edit."""
    blocks = [*_noted(comparison.notes), *_markdown_blocks(comparison, everything)]
    return _comment(harmless(sentence(comparison)), blocks, report)


def markdown_of_nodes(
    fleet: FleetComparison, stopped: Sequence[str] = (), everything: bool = False, report: str | None = None
) -> str:
    """The same for many nodes: what a gate `stopped`, who fails and why, then each group of nodes before its edits."""
    blocks: list[str] = [*_noted(fleet.notes)]
    blocks += [f"\n**stopped by a gate**: {harmless(words)}\n" for words in stopped[:MOST_STOPPED]]
    if len(stopped) > MOST_STOPPED:
        blocks.append(f"\nand {len(stopped) - MOST_STOPPED} more stopped by gates\n")
    blocks += [f"\n{harmless(words)}\n" for words in _coming_and_going(fleet)]
    for names, problem in each_failure(fleet.failed):
        words = harmless(set_of(fleet, names))
        blocks.append(f"\n**does not compile**: {words}\n\n{_fenced(str(problem), '')}\n")
    for nodes, comparison in fleet.groups:
        first, *rest = _markdown_blocks(comparison, everything)
        blocks += [f"\n**{harmless(set_of(fleet, nodes))}**\n{first}", *rest]
    return _comment(harmless(nodes_sentence(fleet, stopped)), blocks, report)


def _noted(notes: Sequence[str]) -> list[str]:
    return [f"\n**note**: {harmless(words)}\n" for words in notes]


def _markdown_blocks(comparison: Comparison, everything: bool) -> list[str]:
    shown: set[Edit] = set()
    counted = {} if everything else attribute_counts(comparison)
    kept = comparison if everything else condensed(comparison)
    return [_markdown_block(edits, differences, shown, counted) for edits, differences in kept.by_edits()]


def _comment(verdict: str, blocks: list[str], report: str | None) -> str:
    head = f"<!-- wherefrom:diff -->\n**wherefrom**: {verdict}\n"
    size = len(head)
    kept: list[str] = []
    for block in blocks:
        if size + len(block) > LONGEST_COMMENT - ROOM_FOR_END:
            break
        kept.append(block)
        size += len(block)
    left = len(blocks) - len(kept)
    link = f" All of them: <{report}>" if report and left and _ADDRESS.fullmatch(report) else ""
    tail = f"\n{left} more group{'s' * (left != 1)} of differences, too long for one comment.{link}\n" if left else ""
    return head + "".join(kept) + tail


def _markdown_block(
    edits: Sequence[Edit], differences: list[Difference], shown: set[Edit], counted: Mapping[str, int]
) -> str:
    number = len(differences)
    places = " and ".join(_named(edit, f"<code>{harmless(_place(edit))}</code>") for edit in edits)
    doubt = "" if differences[0].proved or not edits else "perhaps "
    summary = f"{doubt}{places or NO_CAUSE}: {count_of(number, 'output')}"
    lines: list[str] = []
    for edit in edits:
        if edit not in shown:
            lines += [f"-{line}" for line in edit.before[:8]] + [f"+{line}" for line in edit.after[:8]]
            lines.append("")
        shown.add(edit)
    for difference in differences:
        if counted.get(difference.path):
            sign = "+" if difference.change == "added" else "-"
            lines.append(f"{sign} {difference.path} ({count_of(counted[difference.path], 'attribute')})")
        elif is_text_change(difference):
            lines += [f"# {difference.path}", *text_changes(difference)]
        else:
            sign = {"added": "+", "removed": "-", "order": "!"}.get(difference.change, "!")
            lines.append(f"{sign} {difference.path}{_words(difference)}")
    if len(lines) > LONGEST_GROUP:
        lines = [*lines[:LONGEST_GROUP], f"# {len(lines) - LONGEST_GROUP} more lines"]
    return f"\n<details><summary>{summary}</summary>\n\n{_fenced(chr(10).join(lines), 'diff')}\n\n</details>\n"


def _fenced(text: str, language: str) -> str:
    """A text as it is, between fences that are longer than any in it."""
    body = "\n".join(visible(line) for line in text.split("\n")[: LONGEST_GROUP + 1])
    fence = "`" * max(3, _longest_fence(body) + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def _longest_fence(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest


def harmless(text: str) -> str:
    """Text outside a fence: one line, no markup or link, and nothing that names a person or another change."""
    line = " ".join(pieces_of(visible(text))).replace("://", ":\u200b//")
    for mark in ("@", "#", "www."):
        line = line.replace(mark, mark + "\u200b")
    return "".join(f"&#{ord(character)};" if character in "&<>\"'[]()!*_`~|\\$" else character for character in line)


# --- as a page ---

_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #1b1b1f;
  background: #fff }
pre { background: #f5f5f7; padding: .7em 1em; overflow-x: auto; border-radius: 6px }
.gone { color: #a11 } .came { color: #075 } .dim { color: #666 }
h3 { font: 600 1em/1.4 ui-monospace, monospace; margin-top: 2em }
@media (prefers-color-scheme: dark) { body { color: #e6e6ea; background: #16161a } pre { background: #222228 }
  .gone { color: #f88 } .came { color: #6d9 } .dim { color: #999 } }
"""


def html(comparison: Comparison) -> str:
    """One page that needs nothing else."""
    return _page(counts(comparison), [*_html_notes(comparison.notes), *_html_sections(comparison)])


def html_of_nodes(fleet: FleetComparison) -> str:
    """The same for many nodes."""
    out: list[str] = _html_notes([*fleet.notes, *_coming_and_going(fleet)])
    for nodes, comparison in fleet.groups:
        out += [f"<h2>{escape(set_of(fleet, nodes))}</h2>", *_html_sections(comparison)]
    return _page(fleet.verdict(), out)


def _html_notes(notes: Sequence[str]) -> list[str]:
    return [f"<p>{escape(visible(words))}</p>" for words in notes]


def _page(title: str, sections: list[str]) -> str:
    out = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>wherefrom diff</title><style>{_STYLE}</style></head><body><main>",
        f"<h1>{escape(visible(title))}</h1>",
        *sections,
    ]
    return "\n".join([*out, "</main></body></html>\n"])


def _html_sections(comparison: Comparison) -> list[str]:
    out: list[str] = []
    for edits, differences in comparison.by_edits():
        doubt = "" if differences[0].proved or not edits else "perhaps "
        title = doubt + (" and ".join(_named(edit, _place(edit)) for edit in edits) or NO_CAUSE)
        out.append(f"<section><h3>{escape(visible(title))}</h3>")
        for edit in edits:
            lines = [*(f"-{line}" for line in edit.before[:8]), *(f"+{line}" for line in edit.after[:8])]
            out.append(_html_lines(lines))
        for difference in differences:
            path = f"<code>{escape(visible(difference.path))}</code>"
            if is_text_change(difference):
                out.append(f"<p>{path}</p>{_html_lines(text_changes(difference))}")
            else:
                out.append(f"<p>{escape(difference.change)} {path}{escape(visible(_words(difference)))}</p>")
        out.append("</section>")
    return out


def _html_lines(lines: list[str]) -> str:
    classes = {"-": "gone", "+": "came", "@": "dim"}
    marked = (f'<span class="{classes.get(line[0], "")}">{escape(visible(line))}</span>' for line in lines if line)
    return "<pre>" + "\n".join(marked) + "</pre>"
