"""A module system of several thousand lines of Nix runs as it runs under real Nix."""

from __future__ import annotations

import pytest

from support.cases import load_cases
from support.nix_modules import DIRECTORY, answers, goldens

CASES = load_cases("nix/modules")


def test_goldens_are_of_these_cases() -> None:
    """A changed case file wants a new recording."""
    assert {case.path.stem: sorted(case.sections["expressions"].splitlines()) for case in CASES} == {
        stem: sorted(answers) for stem, answers in goldens().items()
    }


def test_library_is_large() -> None:
    """The library and the modules have several thousand lines."""
    assert sum(len(file.read_text().splitlines()) for file in DIRECTORY.rglob("*.nix")) > 3_000


@pytest.mark.parametrize(
    ("stem", "traced"),
    [
        ("library", False),
        ("library", True),
        ("evaluation", False),
        ("evaluation", True),
        ("site", False),
        pytest.param("site", True, marks=pytest.mark.soak),
    ],
)
def test_answers_as_nix(stem: str, traced: bool) -> None:
    """Every expression gives what real Nix gave, or fails with the same words; recording changes nothing."""
    differences = []
    want_all = goldens()[stem]
    for expression, got in answers(stem, list(want_all), traced).items():
        want = want_all[expression]
        if unwrapped(got) != unwrapped(want):
            differences.append(f"{expression}\n  ours {got}\n  Nix  {want}")
    assert not differences, "\n".join(differences)


def unwrapped(result: dict[str, str]) -> dict[str, str]:
    """Nix indents the further lines of a message."""
    return {kind: "\n".join(line.strip() for line in text.strip().splitlines()) for kind, text in result.items()}
