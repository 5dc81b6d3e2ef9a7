"""Real Puppet for the tests that ask it. Whether it is here is told by starting it, which takes a second: that is done
once, and only when a test that needs it is run, not whenever tests are collected."""

from __future__ import annotations

import pytest

from support.puppet_real import installed


@pytest.fixture(scope="session")
def real_puppet() -> None:
    """Skips what needs Puppet where it is not installed."""
    if not installed():
        pytest.skip("Puppet is not installed")
