"""What a batch is given besides its requests: the Puppet to be like, and the clock."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from support.commands import wherefrom
from wherefrom.puppet.runtime.versions import VERSIONS

ROOT = Path(__file__).resolve().parents[2]
VERSION = """Puppet::Functions.create_function(:'m::about') do
  def about
    [Puppet.version, Puppet::PUPPETVERSION, Time.now.to_i]
  end
end
"""
FILES = {"modules/m/lib/puppet/functions/m/about.rb": VERSION}
MANIFEST = """notify { 'r': message => { 'ruby' => m::about(),
  'clock' => Integer(strftime('%s')), 'made' => Timestamp(),
  'server' => $serverversion, 'agent' => $facts['puppetversion'], 'legacy' => $facts['osfamily'] } }"""


def message(*options: str, **fields: Any) -> dict[str, Any]:
    """What the manifest says about its run."""
    facts = {"osfamily": "Debian"}
    request = {"manifest": MANIFEST, "files": FILES, "facts": facts, **fields}
    done = wherefrom("batch", *options, input=json.dumps(request) + "\n")
    (resource,) = (each for each in json.loads(done.stdout)["catalog"]["resources"] if each["title"] == "r")
    told: dict[str, Any] = resource["parameters"]["message"]
    return told


def test_the_clock_is_now_unless_a_time_is_given() -> None:
    """The same in Puppet and in Ruby; a request's own time wins over the command's."""
    before = int(time.time())
    told = message()
    assert before <= told["clock"] == told["ruby"][2] <= time.time()
    assert message("--time", "86400")["clock"] == 86400
    told = message("--time", "86400", time=1_000_000_000)
    assert told["clock"] == told["ruby"][2] == 1_000_000_000
    assert "2001-09-09" in str(told["made"])


def test_the_clock_of_other_languages() -> None:
    """Nix sees the same clock, of a text and of a file."""
    program = {"language": "nix", "manifest": "builtins.currentTime"}
    done = wherefrom("batch", "--time", "5", "--puppet", "8", input=json.dumps(program) + "\n")
    assert json.loads(done.stdout)["value"] == 5


def test_the_puppet_to_be_like() -> None:
    """Its version is the same whoever asks, and its rules hold."""
    told = message()
    assert {told["server"], told["agent"], *told["ruby"][:2]} == {VERSIONS["7"]}
    assert told["legacy"] == "Debian"
    for told in (message("--puppet", "8"), message("--puppet", "7", puppet="8")):
        assert {told["server"], told["agent"], *told["ruby"][:2]} == {VERSIONS["8"]}
        assert told["legacy"] is None
    strict = wherefrom("batch", "--puppet", "8", input='{"manifest": "notice($nosuch)"}\n')
    assert "Unknown variable: 'nosuch'" in json.loads(strict.stdout)["error"]["message"]


def test_the_version_is_written_in_one_place() -> None:
    """Everybody else asks `versions.py`."""
    written = VERSIONS["7"]
    files = [path for path in (ROOT / "src").rglob("*.py") if f'"{written}"' in path.read_text()]
    assert [path.name for path in files] == ["versions.py"]
