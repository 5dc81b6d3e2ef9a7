"""Live comparison with real Nix: proposals of `wherefrom set`, applied, give what was wished for options and values."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.wished import another
from wherefrom.language import Inputs, Outcome
from wherefrom.provenance.backwards import same
from wherefrom.session import Session
from wherefrom.wishes import Wish, proposals

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="Nix is not installed"),
]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WHOLE = """let
  flake = import ./flake.nix;
  nixlib = (import ./nixlib/flake.nix).outputs { self = { }; };
in
flake.outputs { self = { }; inherit nixlib; }
"""
COUNT = int(os.environ.get("WHEREFROM_WISHES", "50"))
SEED = int(os.environ.get("WHEREFROM_SEED", "11"))


def real(folder: Path, path: str) -> Any:
    """What Nix says of a value."""
    command = ["nix-instantiate", "--eval", "--strict", "--json", "default.nix", "-A", path]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_proposals_do_in_nix_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every proposal for outputs of three machines, chosen at random, until there are enough."""
    folder = Path(shutil.copytree(EXAMPLES / "flake", tmp_path / "flake"))
    (folder / "default.nix").write_text(WHOLE)
    monkeypatch.chdir(folder)
    session = Session()
    inputs = Inputs(None, {}, {"trace": True})
    first = session.run("default.nix", inputs)

    def compiled(_: str | None, files: Any) -> Outcome:
        return session.run("default.nix", inputs, files=files) if files else first

    random = Random(SEED)
    outputs = [output for output in first.outputs() if isinstance(output.value, str | int)]
    options = [output for output in outputs if output.path.startswith("nixosConfigurations.")]
    asked = answered = checked = 0
    while checked < COUNT and options:
        output = options.pop(random.randrange(len(options)))
        text = another(output.value, random)
        is_failure = str(output.value).startswith("«")  # an option that is used and not defined
        if text is None or is_failure or '"' in output.path:  # no quotes: the path is one of Nix's command line
            continue
        asked += 1
        answer = proposals(
            [Wish(output.path, text)], None, compiled, lambda file: "library" if "nixlib" in file else None
        )
        answered += bool(answer.proposals)
        for proposal in answer.proposals:
            for name, (_, after) in proposal.files.items():
                Path(name).write_bytes(after)
            path = output.path.replace("[", ".").replace("]", "")
            assert same(real(folder, path), answer.wanted[0].wanted), (output.path, proposal.patch)
            for name, (before, _) in proposal.files.items():
                assert before is not None
                Path(name).write_bytes(before)
            checked += 1
    assert checked >= COUNT
    assert answered * 4 >= asked * 3, (answered, asked)
