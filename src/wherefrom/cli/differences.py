"""A comparison shown: for a terminal, as a comment on a change (Markdown), as a page (HTML).

All three have the same order: what differs, grouped by the edit behind it. A long text that changed is shown line by
line. The Markdown keeps below the size that a comment may have (65,536 characters on GitHub), leaving out whole groups
and the ends of very long ones, and saying how much; names in it can not call people or other changes, and a fence is
longer than any in the text.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..base.lines import changed_runs
from ..base.plural import count_of
from ..base.render import Styled, visible
from ..provenance.explain import short
from .reports import node_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..comparison import Comparison, Difference, Edit, FleetComparison

LONGEST_COMMENT = 60_000
"""Characters: what a comment may hold, with room for what is put round it."""

SHOWN_LINES = 40
"""Of one text that changed; further ones are counted."""

LONGEST_GROUP = 150
"""Lines of one group in a comment; further ones are counted."""

MOST_STOPPED = 20
"""Of what gates stop, in a comment; further ones are counted."""

CONTEXT = 1
"""Unchanged lines shown round a change."""


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
        and ("\n" in difference.before.rstrip("\n") or "\n" in difference.after.rstrip("\n"))
    )


def line_changes(before: str, after: str) -> list[str]:
    """Two texts line by line: `-` and `+` for what went and came, a blank for what stands round it, `@` for a jump."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[str] = []
    shown = 0
    for old_start, old_end, new_start, new_end in changed_runs(old, new):
        first = max(old_start - CONTEXT, shown)
        if first > shown and lines:
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


def styled(comparison: Comparison) -> Styled:
    """For a person at a terminal."""
    out: Styled = []
    if not comparison.differences:
        out.append((f"no differences in {comparison.same} outputs\n", ""))
    for edit, differences in comparison.by_edit():
        if out:
            out.append(("\n", ""))
        out += _styled_edit(edit)
        for difference in differences:
            out += _styled_difference(difference)
    return out


def styled_nodes(fleet: FleetComparison) -> Styled:
    """Many nodes, for a person at a terminal: each group of nodes with the differences they share."""
    out: Styled = [(visible(fleet.verdict()) + "\n", "strong")]
    out += [(visible(words) + "\n", "") for words in _coming_and_going(fleet)]
    for nodes, comparison in fleet.groups:
        out += [("\n", ""), (visible(node_words(nodes)) + "\n", "strong")]
        out += styled(comparison)
    return out


def _coming_and_going(fleet: FleetComparison) -> list[str]:
    """`new: web03`, `gone: db01`."""
    return [
        f"{words}: {node_list(list(nodes), 12)}" for words, nodes in (("new", fleet.new), ("gone", fleet.gone)) if nodes
    ]


def node_words(nodes: list[str]) -> str:
    """`2 nodes: web01, web02`."""
    return f"{count_of(len(nodes), 'node')}: {node_list(nodes, 12)}"


def _styled_edit(edit: Edit | None) -> Styled:
    if edit is None:
        return [("no edited line found behind these:\n", "strong")]
    out: Styled = [("edit ", "strong"), (visible(_place(edit)) + "\n", "place")]
    out += [(f"  - {visible(line)}\n", "error") for line in edit.before[:8]]
    out += [(f"  + {visible(line)}\n", "help") for line in edit.after[:8]]
    return out


def _styled_difference(difference: Difference) -> Styled:
    head: Styled = [(f"  {difference.change:8}", "dim"), (visible(difference.path), "key")]
    if is_text_change(difference):
        styles = {"-": "error", "+": "help", "@": "dim", " ": ""}
        lines = line_changes(difference.before, difference.after)
        return [*head, ("\n", ""), *((f"    {visible(line)}\n", styles[line[0]]) for line in lines)]
    told: Styled = [(f"  ({visible(difference.definition)})", "dim")] if difference.definition else []
    return [*head, (_words(difference), ""), *told, ("\n", "")]


def _words(difference: Difference) -> str:
    """What happened to a value, behind its path."""
    match difference.change:
        case "added":
            return f" = {short(difference.after, 80)}"
        case "removed":
            return f" was {short(difference.before, 80)}"
        case "order":
            return ": the same values in another order"
    return f": {short(difference.before, 60)} -> {short(difference.after, 60)}"


def _place(edit: Edit) -> str:
    places = (
        edit.before_place if edit.before_place == edit.after_place else f"{edit.before_place} -> {edit.after_place}"
    )
    return places.strip()


# --- as a comment ---


def markdown(comparison: Comparison) -> str:
    """For a comment on a change: a verdict, then a folded block for each edit."""
    return _comment(counts(comparison), _markdown_blocks(comparison))


def markdown_of_nodes(fleet: FleetComparison, stopped: Sequence[str] = ()) -> str:
    """The same for many nodes: what a gate `stopped`, who fails and why, then each group of nodes before its edits."""
    blocks: list[str] = [f"\n**stopped by a gate**: {_harmless(words)}\n" for words in stopped[:MOST_STOPPED]]
    if len(stopped) > MOST_STOPPED:
        blocks.append(f"\nand {len(stopped) - MOST_STOPPED} more that gates stop\n")
    blocks += [f"\n{_harmless(words)}\n" for words in _coming_and_going(fleet)]
    for words, names in _alike_failures(fleet).items():
        blocks.append(f"\n**does not compile**: {_harmless(node_words(names))}\n\n{_fenced(words, '')}\n")
    for nodes, comparison in fleet.groups:
        first, *rest = _markdown_blocks(comparison)
        blocks += [f"\n**{_harmless(node_words(nodes))}**\n{first}", *rest]
    return _comment(_harmless(fleet.verdict()), blocks)


def _alike_failures(fleet: FleetComparison) -> dict[str, list[str]]:
    """Nodes by what is wrong with them."""
    alike: dict[str, list[str]] = {}
    for node, problems in fleet.failed:
        alike.setdefault("\n".join(map(str, problems)), []).append(node)
    return alike


def _markdown_blocks(comparison: Comparison) -> list[str]:
    return [_markdown_block(edit, differences) for edit, differences in comparison.by_edit()]


def _comment(verdict: str, blocks: list[str]) -> str:
    head = f"<!-- wherefrom:diff -->\n**wherefrom**: {verdict}\n"
    size = len(head)
    kept: list[str] = []
    for block in blocks:
        if size + len(block) > LONGEST_COMMENT:
            break
        kept.append(block)
        size += len(block)
    left = len(blocks) - len(kept)
    tail = f"\n{left} more group{'s' * (left != 1)} of differences, too long for one comment.\n" if left else ""
    return head + "".join(kept) + tail


def _markdown_block(edit: Edit | None, differences: list[Difference]) -> str:
    number = len(differences)
    title = "no edited line found behind these" if edit is None else f"<code>{_harmless(_place(edit))}</code>"
    summary = f"{title}: {count_of(number, 'output')}"
    lines: list[str] = []
    if edit is not None:
        lines += [f"-{line}" for line in edit.before[:8]] + [f"+{line}" for line in edit.after[:8]]
        lines.append("")
    for difference in differences:
        if is_text_change(difference):
            lines += [f"# {difference.path}", *line_changes(difference.before, difference.after)]
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


def _harmless(text: str) -> str:
    """Text outside a fence: one line, no markup or link, and nothing that names a person or another change."""
    line = " ".join(visible(text).splitlines()).replace("://", ":\u200b//")
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
    return _page(counts(comparison), _html_sections(comparison))


def html_of_nodes(fleet: FleetComparison) -> str:
    """The same for many nodes."""
    out: list[str] = [f"<p>{escape(visible(words))}</p>" for words in _coming_and_going(fleet)]
    for nodes, comparison in fleet.groups:
        out += [f"<h2>{escape(node_words(nodes))}</h2>", *_html_sections(comparison)]
    return _page(fleet.verdict(), out)


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
    for edit, differences in comparison.by_edit():
        title = "no edited line found behind these" if edit is None else _place(edit)
        out.append(f"<section><h3>{escape(visible(title))}</h3>")
        if edit is not None:
            lines = [*(f"-{line}" for line in edit.before[:8]), *(f"+{line}" for line in edit.after[:8])]
            out.append(_html_lines(lines))
        for difference in differences:
            path = f"<code>{escape(visible(difference.path))}</code>"
            if is_text_change(difference):
                out.append(f"<p>{path}</p>{_html_lines(line_changes(difference.before, difference.after))}")
            else:
                out.append(f"<p>{escape(difference.change)} {path}{escape(visible(_words(difference)))}</p>")
        out.append("</section>")
    return out


def _html_lines(lines: list[str]) -> str:
    classes = {"-": "gone", "+": "came", "@": "dim"}
    marked = (f'<span class="{classes.get(line[0], "")}">{escape(visible(line))}</span>' for line in lines if line)
    return "<pre>" + "\n".join(marked) + "</pre>"
