"""Live comparison with `puppet lookup`: every key of the example control repository, for every node, value for value.

`puppet lookup` looks data up by facts alone, `wherefrom lookup` by compiling; in this repository no level of the
hierarchy depends on a variable that a manifest sets, so that the two must agree. The encrypted level is read as plain
YAML, since real Puppet needs a further library for it, and the key that is encrypted is left out; and the node's own
level goes by the fact `networking.fqdn`, since `puppet lookup` knows no trusted data of a node whose facts it is given.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(shutil.which("puppet") is None, reason="Puppet is not installed"),
    pytest.mark.usefixtures("real_puppet"),
]

CONTROL = Path(__file__).resolve().parents[2] / "examples" / "control"
NODES = sorted(file.stem for file in (CONTROL / "facts").glob("*.yaml"))
KEYS = [
    "nginx::worker_connections",
    "profile::base::admins",
    "profile::base::motd_mode",
    "profile::db::settings",
    "profile::wiki::aliases",
    "profile::wiki::port",
    "no::such::key",
]


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as the environment `production`, with its encrypted level as plain data."""
    directory = tmp_path_factory.mktemp("environments")
    shutil.copytree(CONTROL, directory / "production")
    hiera = directory / "production" / "hiera.yaml"
    text = hiera.read_text().replace("    lookup_key: eyaml_lookup_key\n", "")
    hiera.write_text(text.replace("%{trusted.certname}", "%{facts.networking.fqdn}"))
    return directory


def puppet_lookup(environments: Path, node: str, key: str) -> Any:
    """What real Puppet finds; nothing if it finds nothing."""
    command = ["puppet", "lookup", key, "--node", node, "--environmentpath", str(environments)]
    command += ["--facts", str(environments / "production" / "facts" / f"{node}.yaml"), "--render-as", "json"]
    command += ["--confdir", str(environments / "conf"), "--vardir", str(environments / "var")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return json.loads(done.stdout) if done.returncode == 0 else None


def wherefrom_lookup(environments: Path, node: str, key: str) -> Any:
    """What we find in the data; a class's own default, which `puppet lookup` does not know, is none of it."""
    command = [sys.executable, "-m", "wherefrom", "lookup", key, "--node", node, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=environments / "production")
    assert done.returncode in (0, 1), done.stderr
    answer = json.loads(done.stdout)
    in_data = any(rung["status"] in ("chosen", "merged") and rung["layer"] != "class" for rung in answer["ladder"])
    return answer["value"] if in_data else None


@pytest.mark.parametrize("node", NODES)
def test_the_same_values(environments: Path, node: str) -> None:
    """Key for key; most are found, one is not."""
    theirs = {key: puppet_lookup(environments, node, key) for key in KEYS}
    assert sum(value is not None for value in theirs.values()) >= 5
    assert theirs["no::such::key"] is None
    assert {key: wherefrom_lookup(environments, node, key) for key in KEYS} == theirs
