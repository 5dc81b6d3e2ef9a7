"""What is said of an option's definitions agrees with what the module system did with them.

Definitions nobody wrote, in wrappers upon wrappers, are merged by the library; the definitions that are said to have
been chosen or merged must be those that the library kept, in its order, and nothing may be lost from sight.
"""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.examples import examples
from wherefrom.api import evaluate

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "examples" / "flake" / "nixlib" / "lib"

numbers = st.integers(0, 99)


def wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """One more wrapper around definitions, as a program may put it."""
    conditions = st.sampled_from(["true", "false", "config.on", "(!config.on)", "(config.on && 1 < 2)"])
    return st.one_of(
        st.builds("lib.mkIf {} ({})".format, conditions, inner),
        st.builds(
            lambda parts: f"lib.mkMerge [ {' '.join(f'({part})' for part in parts)} ]", st.lists(inner, max_size=3)
        ),
    )


def prioritised(lists: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A list, perhaps with an order and a priority: innermost the order, as the library wants it."""
    ordered = st.one_of(
        lists, st.builds("lib.mkOrder {} {}".format, numbers, lists), lists.map("lib.mkBefore {}".format)
    )
    return st.one_of(
        ordered,
        ordered.map("lib.mkForce ({})".format),
        ordered.map("lib.mkDefault ({})".format),
        st.builds("lib.mkOverride {} ({})".format, numbers, ordered),
    )


lists = st.lists(numbers, max_size=3).map(lambda elements: f"[ {' '.join(map(str, elements))} ]")
definitions = st.recursive(prioritised(lists), wrapped, max_leaves=4)


@given(st.lists(definitions, max_size=4), st.booleans())
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_table_agrees_with_the_library(texts: list[str], on: bool) -> None:
    """Winners and their elements are the library's; the value is the elements one after the other."""
    modules = " ".join(f"({{ config, lib, ... }}: {{ x = {text}; }})" for text in texts)
    program = f"""let lib = import {LIBRARY}; r = lib.evalModules {{ modules = [
      {{ options.x = lib.mkOption {{ type = lib.types.listOf lib.types.int; default = [ 7 ]; }};
         options.on = lib.mkOption {{ type = lib.types.bool; default = {json.dumps(on)}; }}; }}
      {modules}
    ]; }}; in {{ inherit (r) config options; kept = r.options.x.definitions; best = r.options.x.highestPrio; }}"""
    outcome = evaluate(program, roots=[str(LIBRARY)], trace=True)
    option = outcome.explain("config.x").to_json()["option"]
    rows = option["definitions"]
    live = [row for row in rows if row["status"] in ("chosen", "merged")]
    in_order = sorted(live, key=lambda row: row.get("order", 1000))
    assert [row["value"] for row in in_order] == outcome.select("kept").value
    assert {row["priority"] for row in live} == {outcome.select("best").value}
    assert {row["status"] for row in live} == ({"chosen"} if len(live) == 1 else {"merged"})
    assert all(row["priority"] > live[0]["priority"] for row in rows if row["status"] == "hidden")
    assert all(
        any(condition["value"] is not True for condition in row["conditions"])
        for row in rows
        if row["status"] == "inactive"
    )
    parts = option.get("parts", [])
    assert [part["value"] for part in parts] == outcome.select("config.x").value
    for part in parts:
        (owner,) = part["definitions"]
        assert part["value"] in rows[owner]["value"]
