"""Puppet cases: a manifest, what is around it, and real Puppet's answer.

A case below `tests/cases/puppet/compile` or `.../mupuppet` holds `site.pp` and, as further sections, files of the
environment (`modules/...`, `data/...`, `hiera.yaml`), and as `global/...` those of the global layer of data, whose
directory they call `@CODEDIR@`; its header may set `node`, `facts`, `classes`, `parameters` and
`settings`. The section `want.json` is real Puppet's answer in normal form, written by
`tests/oracle/record_puppet_catalogs.py`.
"""

from __future__ import annotations

import json
from typing import Any

from .cases import Case, load_cases

FOLDERS = ("puppet/compile", "puppet/mupuppet", "puppet/hiera", "puppet/ruby")
NODE = "node.example.com"


def recorded_cases() -> list[Case]:
    """All cases that have a recorded answer."""
    return [case for folder in FOLDERS for case in load_cases(folder)]


def request_of(case: Case) -> dict[str, Any]:
    """The request that a case stands for."""
    request: dict[str, Any] = {"manifest": case.sections["site.pp"], "node": NODE, "facts": {}}
    for name in ("node", "facts", "classes", "parameters", "settings"):
        if name in case.header:
            request[name] = case.header[name]
    files = {name: text for name, text in case.files.items() if name != "site.pp" and not name.startswith("global/")}
    if files:
        request["files"] = files
    layer = {name.removeprefix("global/"): text for name, text in case.files.items() if name.startswith("global/")}
    if layer:
        request["global_files"] = layer
    return request


def text_of(answer: dict[str, Any]) -> str:
    """An answer in normal form, as the section holds it."""
    return json.dumps(answer, indent=1, ensure_ascii=False) + "\n"
