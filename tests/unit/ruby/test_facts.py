"""What the compilers assume of a method by its name agrees with the tables of methods."""

from __future__ import annotations

import pytest

from wherefrom.ruby import facts
from wherefrom.ruby.manual import modules

METHODS = [entry for module in modules() for table in (module.methods, module.own) for entry in table.items()]
SETS = {name: value for name, value in vars(facts).items() if isinstance(value, frozenset)}


@pytest.mark.parametrize("name", sorted(SETS.keys() - {"FROM_OUTSIDE", "SYNTAX"}))
def test_facts_are_about_methods_that_exist(name: str) -> None:
    """A name that was mistyped, or whose method has gone, says nothing."""
    assert SETS[name] - {method for method, _ in METHODS} - facts.FROM_OUTSIDE - facts.SYNTAX == set()


def test_what_changes_its_receiver_is_known() -> None:
    """Every method that changes its receiver is followed; `freeze` and `initialize_copy` change no value in it."""
    mutating = {name for name, method in METHODS if method.mutates}
    assert mutating - {"freeze", "initialize_copy"} == facts.CHANGES_RECEIVER - {"instance_variable_set", "setbyte"}
