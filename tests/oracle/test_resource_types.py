"""The resource types of Debian's modules, as we read them, against what real Puppet knows of them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.debian_changes import MODULES, NODE, Machine
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not MODULES.is_dir(), reason="Debian's modules are not installed"),
    pytest.mark.usefixtures("real_puppet"),
]
SCRIPT = Path(__file__).parent / "resource_types.rb"


def test_attributes_and_names(tmp_path: Path) -> None:
    """Every type has the same attributes, naming attributes and kind."""
    command = ["ruby", str(SCRIPT), str(MODULES)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout
    real = [json.loads(line) for line in told.splitlines()]
    assert len(real) > 200
    machine = Machine(tmp_path)
    inputs = Inputs(NODE, machine.facts, machine.options)

    def read() -> list[list[object]]:
        outcome = LANGUAGE.run(machine.site, machine.host, inputs, machine.execution)
        environment: Any = outcome.run.environment
        library = environment.ruby_library()
        kinds = [library.kind(name) for name, *_ in real]
        return [[kind.name, sorted(kind.attributes), list(kind.keys), kind.isomorphic] for kind in kinds]

    assert machine.execution.do(read) == real
