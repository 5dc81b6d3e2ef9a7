"""Small environments with a file of data for each site, and whether a node at one site is made from one at another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from support.moulds import compiled, inputs_of, rows
from support.puppet_dependency_programs import ROOT, SITE, World, dumped
from whence.fleet.rows import Form

FITS, REFUSED, DIFFERENT = "fits", "refused", "different"
LEVELS = ("nodes/%{trusted.certname}.yaml", "site/%{facts.site}.yaml", "role/%{facts.role}.yaml", "common.yaml")


def site_world(program: str, sites: Mapping[str, Any], more: Mapping[str, str]) -> dict[str, str]:
    """The files of an environment with this program and these data of sites."""
    hierarchy = [{"name": path, "path": path} for path in LEVELS]
    files = {
        SITE: program,
        f"{ROOT}/hiera.yaml": json.dumps({"version": 5, "hierarchy": hierarchy}),
        f"{ROOT}/data/common.yaml": "c: common\n",
    }
    files.update((f"{ROOT}/data/site/{site}.yaml", dumped(data)) for site, data in sites.items())
    return {**files, **{f"{ROOT}/{path}": text for path, text in more.items()}}


def outcome_for(
    files: dict[str, str], ours: tuple[str, dict[str, Any]], theirs: tuple[str, dict[str, Any]]
) -> tuple[str, Any]:
    """What becomes of a node if another one's catalog is the mould, and what was told of it."""
    world, other = (World(files, facts, node, {}, {}) for node, facts in (ours, theirs))
    outcome = compiled(world)
    assert outcome is not None
    mould = outcome.mould()
    if mould is None:
        return REFUSED, "no mould"
    form = Form(outcome)
    given = mould.given(inputs_of(other))
    if mould.key_of(given) != mould.key:
        return REFUSED, mould.fixed
    cast = mould.fit(given)
    made = None if cast is None else form.cast(cast)
    if made is None:
        return REFUSED, None
    real = compiled(other)
    if real is None:
        return DIFFERENT, "does not compile"
    told = difference(rows(made), rows(Form(real)))
    return (DIFFERENT, told) if told else (FITS, None)


def difference(made: list[Any], real: list[Any]) -> list[Any]:
    """Where rows are not the same."""
    told: list[Any] = []
    for name, one, other in zip(("resources", "attributes", "edges", "answers"), made, real):
        if len(one) != len(other):
            told.append((name, len(one), len(other)))
        told += ((name, row, another) for row, another in zip(one, other) if row != another)
    return told
