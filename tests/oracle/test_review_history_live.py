"""The eleven commits of the example history, compared with real Puppet's catalogs and with the files themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.puppet_real import ask
from support.review_history import NODE, SCRIPT, answer, states

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("real_puppet")]


def request_of(files: dict[str, str]) -> dict[str, Any]:
    """What real Puppet is asked: it has one directory of modules."""
    given = {name.replace("site/profile/", "modules/profile/", 1): text for name, text in files.items()}
    facts = yaml.safe_load(given.pop(f"facts/{NODE}.yaml"))
    for name in (".gitignore", "environment.conf", "Puppetfile", "wherefrom.toml"):
        del given[name]
    return {"manifest": given.pop("manifests/site.pp"), "files": given, "node": NODE, "facts": facts}


def resources(reply: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The resources of a catalog with their parameters; a node definition has another name in each Puppet."""
    assert reply["ok"], reply
    every = reply["catalog"]["resources"]
    return {f"{one['type']}[{one['title']}]": one.get("parameters") or {} for one in every if one["type"] != "Node"}


def test_every_difference_of_puppets_catalogs_is_in_ours(tmp_path: Path) -> None:
    """Resources that came or went, parameters, and the contents of files that are pointed at; and no other ones."""
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path / "control")], check=True)
    every = states()
    catalogs = [resources(reply) for reply in ask([request_of(files) for files in every], together=True)]
    for number, (old, new) in enumerate(pairwise(catalogs), 1):
        expected = {(name, "") for name in old.keys() ^ new.keys()}
        for name in old.keys() & new.keys():
            keys = old[name].keys() | new[name].keys()
            expected |= {(name, key) for key in keys if old[name].get(key) != new[name].get(key)}
        before, after = every[number - 1], every[number]
        expected |= {
            (f"content of {name}", "")
            for file, name in (
                ("krb5.acl", "File[/etc/krb5.acl]"),
                ("scripts/backup.sh", "File[/etc/scripts]/backup.sh"),
            )
            if before[f"site/profile/files/{file}"] != after[f"site/profile/files/{file}"]
        }
        told = set()
        for difference in json.loads(answer(tmp_path / "control", number, "--json").stdout)["differences"]:
            path = difference["path"]
            if path.startswith("Node["):
                continue
            name, dot, rest = path.partition("].")
            attribute = rest.partition(".")[0].partition("[")[0] if dot else ""
            reference = f"{name}]" if dot else path
            told.add((reference, "" if (reference, "") in expected else attribute))
        assert told == expected, (number, told ^ expected)
