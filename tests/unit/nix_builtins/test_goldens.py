"""Every builtin answers as real Nix 2.8 did when the goldens were recorded (`tests/oracle/record_nix_builtins.py`)."""

from __future__ import annotations

import pytest

from support.cases import Case, load_cases
from support.nix_builtins import answer, goldens
from wherefrom.nix.kernel import names

OTHER_WORDS = ("fromJSON", "fromTOML")
"""Builtins whose messages come from another parser than Nix's: that they fail, and where, is what counts."""

OUR_WORDS = {
    "getting status of '@DIR@/files/none.nix': No such file or directory": (
        "opening file '@DIR@/files/none.nix': No such file or directory"
    ),
    "store path 'fcwpaxmwcvmm1sss1scshna3sn7asxa4-é' contains illegal character '\udcc3'": (
        "store path 'fcwpaxmwcvmm1sss1scshna3sn7asxa4-é' contains illegal character 'é'"
    ),
}
"""Nix's words, and ours where we know better or say it earlier."""

CASES = {case.path.stem: case for case in load_cases("nix/builtins")}


def test_goldens_are_of_these_cases() -> None:
    """Cases and goldens belong together: a changed case file wants a new recording."""
    assert sorted(goldens()) == sorted(CASES)


@pytest.mark.parametrize("stem", sorted(CASES))
def test_answers_as_nix(stem: str) -> None:
    """The value is printed as Nix prints it, or the error has Nix's words."""
    differences = []
    for mode, answers in goldens()[stem].items():
        if mode == "plain":
            continue
        for expression, want in answers.items():
            got = answer(expression, mode)
            if not same(got, want, CASES[stem]):
                differences.append(f"{mode}: {expression}\n  ours {got}\n  Nix  {want}")
    assert not differences, "\n".join(differences)


def same(got: dict[str, str], want: dict[str, str], case: Case) -> bool:
    """Equal values, or equal words."""
    if "error" in got and "error" in want:
        return (
            case.path.stem in OTHER_WORDS
            or got["error"] == want["error"]
            or OUR_WORDS.get(want["error"]) == got["error"]
        )
    return got == want


def test_plain_printing() -> None:
    """Without `--strict`, what Nix has not looked at yet is `<CODE>` here too, if the machine is asked to be exact."""
    differences = []
    for expression, want in goldens()["printing"]["plain"].items():
        got = answer(expression, "plain")
        if not same(got, want, CASES["printing"]):
            differences.append(f"{expression}\n  ours {got}\n  Nix  {want}")
    assert not differences, "\n".join(differences)


def test_every_builtin_has_three_cases() -> None:
    """Every name in `builtins` has at least three recorded answers."""
    recorded = {
        case.header["builtin"]: len(goldens()[stem]["strict"])
        for stem, case in CASES.items()
        if "builtin" in case.header
    }
    assert sorted(recorded) == names.names()
    assert [name for name, count in recorded.items() if count < 3] == []


def test_names_are_those_of_nix() -> None:
    """`builtins.attrNames builtins` is Nix's list."""
    want = goldens()["builtins"]["strict"]["builtins.attrNames builtins"]["value"]
    assert want == "[ " + " ".join(f'"{name}"' for name in names.names()) + " ]"


def test_fifty_derivations() -> None:
    """At least fifty derivations are among the goldens, and none of them is an error."""
    answers = goldens()["derivations"]["strict"]
    assert len(answers) >= 50
    assert all("value" in want and "/nix/store/" in want["value"] for want in answers.values())
