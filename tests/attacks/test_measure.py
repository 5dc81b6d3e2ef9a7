"""The measure itself: what a command took is its own, however large the process is that started it."""

from __future__ import annotations

from attacks.running import peak_megabytes, wherefrom


def test_the_memory_of_the_starter_is_not_counted() -> None:
    """The kernel's own figure would begin with ours."""
    ballast = bytearray(b"x") * 500_000_000
    assert peak_megabytes() > 450
    ran = wherefrom("--version", cold=True)
    assert ran.status == 0, ran
    assert 5 < ran.megabytes < 200, ran
    assert 0 < ran.seconds < 20, ran
    assert len(ballast) == 500_000_000
