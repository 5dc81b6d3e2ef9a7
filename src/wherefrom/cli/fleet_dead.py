"""`wherefrom fleet dead`: definitions, parameters and keys of the data that no node of a store uses."""

from __future__ import annotations

import sys
from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ..base.plural import count_of
from ..base.render import Styled, show, visible
from ..fleet.compiling import known_nodes
from ..fleet.dead import KINDS, Dead, DeadCode, use_of, verdict
from ..fleet.questions import Questions
from ..fleet.rounds import Exchange
from .diff import DIFFERENT
from .options import Invocation, print_json
from .reports import node_list

if TYPE_CHECKING:
    from ..fleet.dead import Use
    from ..fleet.store import Store

SINGULARS = {"key": "key of the data", "file": "file of data"}
PLURALS = {"class": "classes", "key": "keys of the data", "file": "files of data"}


def answer(
    invocation: Invocation, path: str | None, store: Store, only: tuple[str, ...], exit_code: bool, as_json: bool
) -> int:
    """Print the answer; the status is 0, or 4 with `--exit-code` if something is dead."""
    use = use_of(Questions(store))
    side = invocation.side(path, store.key())
    side.exchange = Exchange.of_store(store.path)
    side.exchange.others = invocation.database
    answers = side.answers

    def text_of(name: str) -> str:
        content = answers.answer(("content", name)) or b""
        return content.partition(b" ")[2].decode("utf-8", "replace")

    verdicts = verdict(invocation.inventory(path), use, lambda file: answers.question("content", file)[1], text_of)
    old = [node for node, known in known_nodes(store).items() if known.changed(node, side)]
    dead = [item for item in verdicts.dead if _is_wanted(item, only)]
    unjudged = [item for item in verdicts.unjudged if _is_wanted(item, only)]
    if as_json:
        print_json(_json(use, old, dead, unjudged, verdicts))
    else:
        show(_styled(use, old, dead, unjudged), sys.stdout)
    return DIFFERENT if exit_code and dead else 0


def _is_wanted(item: Dead, only: tuple[str, ...]) -> bool:
    file = item.file.removeprefix("./")
    return not only or any(fnmatchcase(file, pattern) or fnmatchcase(file, f"*/{pattern}") for pattern in only)


def _json(use: Use, old: list[str], dead: list[Dead], unjudged: list[Dead], verdicts: DeadCode) -> dict[str, object]:
    return {
        "nodes": use.nodes,
        "failed": list(use.failed),
        "outdated": old,
        "written": verdicts.written,
        "dead": [_item_json(item) for item in dead],
        "unjudged": [_item_json(item) for item in unjudged],
    }


def _item_json(item: Dead) -> dict[str, object]:
    document: dict[str, object] = {"kind": item.kind, "name": item.name, "file": item.file}
    if item.line:
        document["line"] = item.line
    return {**document, "note": item.note} if item.note else document


def _styled(use: Use, old: list[str], dead: list[Dead], unjudged: list[Dead]) -> Styled:
    out: Styled = []
    for kind in KINDS:
        items = [item for item in dead if item.kind == kind]
        if items:
            out.append((f"{_plural(kind, len(items))} that no node uses\n", "strong"))
            for item in items:
                place = f"{item.file}:{item.line}" if item.line else item.file
                name = "" if kind == "file" else f"  {item.name}"
                note = f"  ({item.note})" if item.note else ""
                out += [(f"  {visible(place)}", "place"), (visible(name), "key"), (visible(note) + "\n", "dim")]
            out.append(("\n", ""))
    counts = Counter(item.kind for item in dead)
    parts = [f"{counts[kind]} {_plural(kind, counts[kind])}" for kind in KINDS if counts[kind]]
    many = count_of(use.nodes, "node")
    out.append((f"{', '.join(parts) or 'nothing'} that none of {many} uses\n", "strong"))
    if unjudged:
        owners = sorted({item.name.rpartition("::")[0] for item in unjudged})
        many = count_of(len(unjudged), "parameter")
        out.append((f"not checked, because names are computed: {many} of {', '.join(map(visible, owners))}\n", "dim"))
    if use.failed:
        some = node_list(list(use.failed))
        out.append(
            (
                f"{count_of(len(use.failed), 'node')} did not compile; what only they use is listed, too: {some}\n",
                "error",
            )
        )
    if old:
        out.append(
            (f"the store is out of date for {count_of(len(old), 'node')}: run `wherefrom fleet compile`\n", "error")
        )
    return out


def _plural(kind: str, count: int) -> str:
    return PLURALS.get(kind, f"{kind}s") if count != 1 else SINGULARS.get(kind, kind)
