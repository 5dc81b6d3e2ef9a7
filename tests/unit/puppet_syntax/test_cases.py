"""Every text of the syntax cases against what real Puppet said about it: verdict, words, places, log and tree."""

from __future__ import annotations

from typing import Any

import pytest

from support.cases import Case
from support.puppet_model import program_model, simplified
from support.puppet_printer import to_source
from support.puppet_syntax import BREAKS_DOWN, key, parse_snippet, said, snippets, trees

SNIPPETS = snippets()
IDS = [key(case, name) for case, name in SNIPPETS]


@pytest.mark.parametrize(("case", "name"), SNIPPETS, ids=IDS)
def test_says_what_puppet_says(case: Case, name: str) -> None:
    """The same verdict with the same words at the same place, and the same warnings."""
    want = case.wants("puppet")[name]
    result = parse_snippet(case, name)
    if want.startswith(BREAKS_DOWN):  # a bug in Puppet's own code: what matters is that neither accepts the text
        assert not result.ok
    elif name in case.header.get("differs", {}):
        assert (said(result) == "accepted\n") == (want == "accepted\n")
        assert said(result) != want, "no longer differs: take it from the header"
    else:
        assert said(result) == want


ACCEPTED = [(case, name) for case, name in SNIPPETS if key(case, name) in trees()]


@pytest.mark.parametrize(("case", "name"), ACCEPTED, ids=[key(case, name) for case, name in ACCEPTED])
def test_builds_puppets_tree(case: Case, name: str) -> None:
    """The tree is Puppet's, node by node, and every node is at the line and column that Puppet gives it."""
    want = trees()[key(case, name)]
    program = parse_snippet(case, name).program
    found = simplified(program_model(program))
    if found[3]["body"] == "nothing":
        assert want[3]["body"][0] == "Nop"
    elif key(case, name) in MADE_BY_HAND:
        assert unplaced(found) == unplaced(want)
    else:
        assert found == want


MADE_BY_HAND = {"resources/017.pp", "names/020.pp", "names/021.pp"}
"""Texts for which Puppet makes nodes that nobody wrote and gives them the place of something else; ours stand where
the words are."""


def unplaced(model: Any) -> Any:
    """A model without its places."""
    if isinstance(model, dict):
        return {name: unplaced(part) for name, part in model.items()}
    if isinstance(model, list):
        if len(model) == 4 and isinstance(model[3], dict):
            return [model[0], unplaced(model[3])]
        return [unplaced(each) for each in model]
    return model


@pytest.mark.parametrize(("case", "name"), SNIPPETS, ids=IDS)
def test_prints_back(case: Case, name: str) -> None:
    """What can be parsed can be printed; the printed text parses to an equal tree, and prints as itself."""
    first = parse_snippet(case, name)
    if any(each.code < "P050" for each in first.diagnostics if each.severity == "error"):
        return
    text = to_source(first.program)
    again = Case.__new__(Case)
    again.header, again.sections = case.header, {name: text}
    second = parse_snippet(again, name)
    assert second.program == first.program
    assert to_source(second.program) == text
