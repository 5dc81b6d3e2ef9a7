"""Every template, function and type of the installed modules is read and compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from wherefrom.base.source import SourceFile
from wherefrom.ruby import Interpreter, compile_erb, compile_ruby
from wherefrom.ruby.tracking import Tracker

MODULES = Path("/usr/share/puppet/modules")
pytestmark = [pytest.mark.oracle, pytest.mark.skipif(not MODULES.is_dir(), reason="no modules are installed")]


def source(path: Path) -> SourceFile:
    return SourceFile(str(path), path.read_bytes().decode("utf-8", "surrogateescape"))


def test_templates_compile() -> None:
    """Plainly and tracked."""
    paths = sorted(MODULES.glob("*/templates/**/*.erb"))
    for path in paths:
        program = compile_erb(source(path)).program
        program.body(Interpreter())
        program.body(Interpreter(tracker=Tracker()))
    assert len(paths) > 300


def test_functions_and_types_compile() -> None:
    """All of them: functions of both kinds, and types."""
    folders = ("puppet/functions", "puppet/parser/functions", "puppet/type")
    paths = sorted(path for folder in folders for path in MODULES.glob(f"*/lib/{folder}/**/*.rb"))
    for path in paths:
        program = compile_ruby(source(path))
        program.body(Interpreter())
        program.body(Interpreter(tracker=Tracker()))
    assert len(paths) >= 475
