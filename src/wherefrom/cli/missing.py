"""`wherefrom explain --missing`: why nothing is at a path, and which nodes have it.

The outcome says which places would have made it. Where a class is not declared on this node, the other nodes that are
known are compiled, as far as they are not too many, to say which of them have it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..base.diagnostics import Diagnostic, ManyErrors, PathNotFound, UsageError
from ..base.render import Styled, diagnostic_json, show, styled_diagnostic, visible
from .options import Invocation, print_json
from .reports import node_list

if TYPE_CHECKING:
    from ..language import Outcome

MAX_NODES = 60
"""Other nodes that are compiled to say which of them have a class."""


def explain_missing(
    outcome: Outcome, value_path: str, invocation: Invocation, path: str | None, as_json: bool
) -> int | None:
    """Say why nothing is at `value_path`; nothing if there is something."""
    reasons = outcome.missing(value_path)
    try:
        outcome.explain(value_path)
        if not any(getattr(reason, "unrealized", False) for reason in reasons):
            return None
        problem = PathNotFound(value_path, "it is not realized")
    except PathNotFound as absent:
        problem = absent
    lacking = list(dict.fromkeys(name for reason in reasons for name in getattr(reason, "lacking", ())))
    having = _nodes_with(lacking, invocation, path)
    if as_json:
        hint = {"help": problem.help} if problem.help and not reasons else {}
        document = {"path": problem.path, "missing": True, "reasons": [diagnostic_json(reason) for reason in reasons]}
        print_json({**document, **({"nodes": having} if having else {}), **hint})
        return 0
    if not reasons:
        print(f"{problem.message}\nnothing in these sources declares it, unless its title is computed")
        if problem.help:
            print(problem.help)
    out: Styled = []
    for number, reason in enumerate(reasons):
        out += [("\n", "")] if number else []
        out += styled_diagnostic(reason)
    for number, name in enumerate(lacking):
        if name in having:
            nodes = having[name]
            words = node_list(nodes) if nodes else "no node that is known"
            verb = "have" if len(nodes) > 1 else "has"
            out.append((f"{chr(10) * (number == 0)}{visible(words)} {verb} class {visible(name)}\n", ""))
    show(out, sys.stdout)
    return 0


def _nodes_with(classes: list[str], invocation: Invocation, path: str | None) -> dict[str, list[str]]:
    """Of classes, the nodes that have them; nothing where no other nodes are known, or too many."""
    if not classes:
        return {}
    try:
        nodes = invocation.all_nodes(path)
    except UsageError:
        return {}
    if len(nodes) > MAX_NODES:
        return {}
    having: dict[str, list[str]] = {name: [] for name in classes}
    for node in nodes:
        try:
            outcome = invocation.run(path, node)
        except (Diagnostic, ManyErrors):
            continue  # a node that does not compile has nothing
        for name in classes:
            try:
                outcome.select(f"Class[{name}]")
            except PathNotFound:
                continue
            having[name].append(node)
    return having
