"""`explain` by what a person has in hand: a file of a machine and a line of it, a package, a piece of text.

`/etc/nginx/nginx.conf:12`, `nginx`, `--find TEXT` without a path; and `--against FILE`, the file as it really is:
which of its lines are not those of the outcome, and where these should have come from.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import PathNotFound, UsageError
from ..base.digests import size_and_digest
from ..base.host import RealHost
from ..base.plural import count_of
from ..base.render import Styled, show, span_json, visible
from ..base.secrets import Secret
from ..base.source import lines_of
from ..provenance.explain import leaf_json
from ..provenance.extract import leaves, where
from ..provenance.layout import leaf_words
from .options import print_json

if TYPE_CHECKING:
    from ..language import Outcome
    from ..provenance.explain import Explanation
    from ..provenance.origins import Leaf

MOST_SOURCES = 3
"""Inputs of one line that are shown."""
MOST_NAMED = 12
"""Places with a text that are named."""
_REFERENCE = re.compile(r"[A-Z][\w:]*\[(?:(?!\]\.).)*\]", re.DOTALL)


def text_at(outcome: Outcome, path: str) -> tuple[str, str]:
    """The text at a path, or of the file that it names; with the path of the text.  Raises `PathNotFound`."""
    for place in (path, f"{path}.content", f"content of {path}"):
        with suppress(PathNotFound):
            value = outcome.text_of(place)
            is_title = place == path and _is_reference(outcome, path)
            if value is not None and not isinstance(value, Secret) and not is_title:
                return place, value
    raise PathNotFound(path, "it is not text")


def _is_reference(outcome: Outcome, path: str) -> bool:
    """Whether a path names a whole resource, whose value is its title."""
    return outcome.language == "puppet" and _REFERENCE.fullmatch(path) is not None


def places_with(outcome: Outcome, text: str) -> list[str]:
    """The outputs, and the contents of files, that have `text` in them.  Raises `PathNotFound` if none has."""
    outputs = [*outcome.outputs(), *(outcome.contents() or ())]
    holding = [output.path for output in outputs if _has(output.value, text)]
    if not holding:
        raise PathNotFound(text, "no output contains it")
    # What is on the machine comes before the parameters that it was made of.
    return sorted(dict.fromkeys(holding), key=lambda path: path.startswith("Class["))


def _has(value: object, text: str) -> bool:
    """Whether a value is a text, and no secret, with a text in it."""
    return isinstance(value, str) and not isinstance(value, Secret) and text in value


def explain_against(outcome: Outcome, path: str, file: str, as_json: bool) -> int:
    """Compare the text at `path` with a real file, and say of each line that differs where it comes from."""
    if not os.path.isfile(file):
        raise UsageError(f"--against {file}: no such file")
    place, wanted = text_at(outcome, path)
    host = RealHost([os.path.dirname(file) or "."])
    if _is_told_by_digest(outcome, place):
        return _compared_as_wholes(place, wanted, file, size_and_digest(host.read_bytes(file)), as_json)
    deployed = host.source(file).text
    hunks = [_hunk(outcome, place, *hunk) for hunk in _hunks(lines_of(deployed), lines_of(wanted))]
    if as_json:
        print_json({"path": place, "against": file, "same": deployed == wanted, "differences": hunks})
        return 0
    show(_styled(place, file, hunks, deployed == wanted), sys.stdout)
    return 0


def _is_told_by_digest(outcome: Outcome, place: str) -> bool:
    """Whether the text at a path only tells the size and digest of a file that is no text."""
    source = where(outcome.select(place).origin)
    return source is not None and source.kind == "file" and source.span is None


def _compared_as_wholes(place: str, wanted: str, file: str, deployed: str, as_json: bool) -> int:
    """Compare a content that has no lines, by sizes and digests."""
    if as_json:
        print_json({"path": place, "against": file, "same": deployed == wanted, "wanted": wanted, "deployed": deployed})
    elif deployed == wanted:
        show(_styled(place, file, [], True), sys.stdout)
    else:
        out: Styled = [(visible(place), "key"), (f" has no lines, and is not {visible(file)}\n\n", "")]
        out += [(f"- {visible(deployed)}\n", "removed"), (f"+ {visible(wanted)}\n", "added")]
        show(out, sys.stdout)
    return 0


Numbered = list[tuple[int, str]]


def _hunks(old: list[str], new: list[str]) -> list[tuple[Numbered, Numbered]]:
    """The lines that differ, with their numbers: of the first text, and of the second in their place."""
    from difflib import SequenceMatcher  # takes long to import, and most questions compare nothing

    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        (list(enumerate(old[a:b], a + 1)), list(enumerate(new[c:d], c + 1)))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _hunk(outcome: Outcome, place: str, deployed: Numbered, wanted: Numbered) -> dict[str, object]:
    return {
        "deployed": [{"line": number, "text": text} for number, text in deployed],
        "wanted": [_wanted(outcome.explain_line(place, number), number) for number, _ in wanted],
    }


def _wanted(explanation: Explanation, number: int) -> dict[str, object]:
    edit = explanation.edit_place
    document: dict[str, object] = {"line": number, "text": str(explanation.value).rstrip("\r\n")}
    if edit is not None:
        document["edit"] = {**span_json(edit), "text": " ".join(edit.file.line_text(edit.line).split())}
    sources = _sources(explanation)
    document["from"] = [{"words": leaf_words(leaf), **leaf_json(leaf)} for leaf in sources]
    return document


def _sources(explanation: Explanation) -> list[Leaf]:
    """What was filled into a line: its inputs, without the text of the line that is edited."""
    edit = explanation.edit_place
    own = None if edit is None else edit.file.name
    return [
        leaf
        for leaf in dict.fromkeys(leaves(explanation.expression))
        if leaf.kind not in ("literal", "file") or (leaf.span is not None and leaf.span.file.name != own)
    ][:MOST_SOURCES]


def _styled(place: str, file: str, hunks: list[dict[str, Any]], same: bool) -> Styled:
    out: Styled = [(visible(place), "key")]
    if same:
        return [*out, (f" is the content of {visible(file)}\n", "")]
    count = sum(max(len(hunk["deployed"]), len(hunk["wanted"])) for hunk in hunks)
    if not hunks:
        return [*out, (f" and {visible(file)} differ in how their lines end\n", "")]
    out.append((f": {count_of(count, 'line')} of {visible(file)} differ{'s' * (count == 1)}\n", ""))
    for hunk in hunks:
        out.append(("\n", ""))
        for row in hunk["deployed"]:
            out += [(f"- {row['line']:>4} | ", "dim"), (visible(str(row["text"])) + "\n", "removed")]
        for row in hunk["wanted"]:
            out += [(f"+ {row['line']:>4} | ", "dim"), (visible(str(row["text"])) + "\n", "added")]
            edit = row.get("edit")
            if edit is not None:
                out.append((f"         edit  {visible(edit['file'])}:{edit['line']}  {visible(edit['text'])}\n", ""))
            for source in row["from"]:
                at = f"  {visible(source['file'])}:{source['line']}" if source.get("line") else ""
                out.append((f"         from  {visible(source['words'])}{at}\n", ""))
        if not hunk["wanted"]:
            out.append(("         these lines are not in the outcome\n", "dim"))
    return out
