"""`wherefrom serve`: the address is printed, the extra is named where it is missing, wrong usage is told."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from support.commands import SECONDS

ROOT = Path(__file__).resolve().parents[2]


def test_it_serves_until_interrupted() -> None:
    line = [sys.executable, "-m", "wherefrom", "serve", "examples/firewall/test.sf", "--no-browser"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            shown = process.stdout.readline()
            address = re.fullmatch(r"examples/firewall/test\.sf: (http://127\.0\.0\.1:\d+/[\w-]{32}/)\n", shown)
            assert address is not None, shown
            with urllib.request.urlopen(address[1] + "api/compile", timeout=SECONDS) as answer:
                assert list(json.load(answer)) == ["testServer"]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(SECONDS)
    assert process.returncode in (130, -signal.SIGINT)


def test_the_extra_is_named_where_it_is_missing(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError(name='uvicorn')\n")
    (tmp_path / "starlette.py").write_text("raise ModuleNotFoundError(name='starlette')\n")
    line = [sys.executable, "-m", "wherefrom", "serve", "examples/firewall/test.sf", "--no-browser"]
    done = subprocess.run(
        line, capture_output=True, text=True, cwd=ROOT, timeout=SECONDS, env={"PYTHONPATH": str(tmp_path)}
    )
    assert done.returncode == 2
    assert "pip install 'wherefrom[web]'" in done.stderr


def test_other_commands_load_nothing_of_it() -> None:
    """Start-up stays what it was."""
    code = (
        "import sys; from wherefrom.cli.main import status_of; status_of(['compile', 'examples/firewall/test.sf']);"
        "sys.exit(any(name.startswith(('wherefrom.web', 'starlette', 'uvicorn')) for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=SECONDS)
    assert done.returncode == 0


def test_standard_input_can_not_be_read_again() -> None:
    line = [sys.executable, "-m", "wherefrom", "serve", "-", "--no-browser"]
    done = subprocess.run(line, input="", capture_output=True, text=True, cwd=ROOT, timeout=SECONDS)
    assert done.returncode == 2 and "standard input" in done.stderr
