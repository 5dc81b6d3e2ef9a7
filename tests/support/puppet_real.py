"""Real Puppet, where it is installed: many manifests in, many answers out; and what counts as the same answer.

The driver is `bench/puppet_catalogs.rb`. `normal` reduces an answer, Puppet's or ours, to what must be equal: the
verdict; of a catalog its resources with parameters, tags, places and kinds, its containment edges, its classes and the
log; of an error the words and the line.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

DRIVER = Path(__file__).resolve().parents[2] / "bench" / "puppet_catalogs.rb"


@cache
def installed() -> bool:
    """Whether Ruby and Puppet are here."""
    if shutil.which("ruby") is None:
        return False
    return subprocess.run(["ruby", "-e", "require 'puppet'"], capture_output=True, check=False).returncode == 0


def ask(requests: Iterable[dict[str, Any]], together: bool = False) -> list[dict[str, Any]]:
    """Real Puppet's answers, in order; each from a process of its own, or `together` from one, which is faster."""
    lines = "".join(json.dumps({"id": index, **each}) + "\n" for index, each in enumerate(requests))
    command = ["ruby", str(DRIVER), *(["--together"] if together else [])]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def ours(request: dict[str, Any]) -> dict[str, Any]:
    """Our answer to the same request, as JSON has it."""
    from .puppet_requests import case_answer

    return case_answer({"id": 0, "facts": {}, **request, "agent_facts": False})


_PLACE = re.compile(r"\s*\((?:file|line)[^)]*\)")
_JSON_LINE = re.compile(r"(Unable to parse \([^)]*\): )\d+: ")
"""Some versions of Ruby's JSON reader tell the line of their own source."""
_OBJECT = re.compile(r"#<[\w:]+:0x[0-9a-f]+>")


def words(message: str) -> str:
    """An error's message without places, node and addresses of Ruby objects."""
    message = re.sub(r" on node \S+$", "", _PLACE.sub("", message).strip())
    message = _JSON_LINE.sub(r"\1", message)
    return re.sub(r" by <object>", "", _OBJECT.sub("<object>", message)).strip()


def normal(answer: dict[str, Any]) -> dict[str, Any]:
    """What must be equal."""
    logs = [each[:2] for each in answer.get("logs", []) if each[0] in ("notice", "warning")]
    if not answer["ok"]:
        error = answer["error"]
        return {"error": words(error["message"]), "line": error.get("line"), "logs": logs}
    catalog = answer["catalog"]
    resources = {}
    for each in catalog["resources"]:
        kept = {key: each.get(key) for key in ("file", "line", "kind", "parameters", "sensitive_parameters")}
        kept["tags"] = sorted(each["tags"])
        resources[f"{each['type']}[{each['title']}]"] = kept
    return {
        "order": list(resources),
        "resources": resources,
        "edges": sorted([edge["source"], edge["target"]] for edge in catalog["edges"]),
        "classes": catalog["classes"],
        "logs": logs,
    }
