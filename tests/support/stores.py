"""Stores of fleets, looked at whole: what they say about their nodes, and whether every number names something."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def content(store: Path) -> dict[str, list[str]]:
    """What a store says about its nodes, as text without what differs between runs."""
    from wherefrom.fleet.store import Store

    opened = Store(str(store))
    tables = {name: opened.rows(name) for name in ("nodes", "resources", "attributes", "edges", "lookups")}
    for row in tables["nodes"]:
        for name in ("own", "shared", "evidence", "milliseconds"):
            del row[name]
    return {name: sorted(json.dumps(row, sort_keys=True) for row in rows) for name, rows in tables.items()}


def check_whole(store: Path) -> None:
    """Every file that counts can be read, every node is there once, and every number names something."""
    from wherefrom.fleet.store import TABLES, Store

    def taken(*tables: Iterable[Any]) -> dict[str, list[dict[str, Any]]]:
        return {name: [dict(zip(TABLES[name], row)) for row in rows] for name, rows in zip(TABLES, tables)}

    tables = Store(str(store)).together(list(TABLES), taken)
    names = [row["node"] for row in tables["nodes"]]
    assert sorted(names) == sorted(set(names))
    assert {row["answer"] for row in tables["lookups"]} <= {row["answer"] for row in tables["answers"]}
    assert {row[set_name] for row in tables["nodes"] for set_name in ("own", "shared")} <= {
        row["reads"] for row in tables["reads"]
    }
