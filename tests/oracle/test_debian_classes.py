"""A sample of Debian's module classes against recorded answers of real Puppet; `bench/debian_classes.py` has all."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.debian_classes import MODULES, judge, our_answer, recorded

pytestmark = pytest.mark.skipif(not MODULES.is_dir(), reason="Debian's modules are not installed")

COUNT = int(os.environ.get("WHEREFROM_CLASSES", "40"))


@pytest.mark.long
def test_sample_of_classes() -> None:
    """The same catalogs, and the same refusals."""
    known = recorded()
    drawn = Random(5).sample(sorted(known), COUNT)
    verdicts = {name: judge(our_answer(name), known[name]) for name in drawn}
    wrong = {
        name: reason for name, (verdict, reason) in verdicts.items() if verdict not in ("identical", "same message")
    }
    assert len(wrong) <= COUNT // 10, wrong
