"""The language against real Nix's recorded answers, with recording off and on."""

from __future__ import annotations

import pytest

from support.nix_language import DIRECTORY, answer, expressions, goldens, language_cases, same_tree

CASES = language_cases()
GOLDENS = goldens()


def test_goldens_are_of_the_cases() -> None:
    """Every expression of every case has an answer in each of its modes, and nothing else has."""
    for case in CASES:
        named = list(expressions(case))
        assert {mode: list(GOLDENS[case.name][mode]) for mode in case.header["modes"]} == dict.fromkeys(
            case.header["modes"], named
        )
    assert set(GOLDENS) == {case.name for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("traced", [False, True], ids=["plain", "recorded"])
def test_same_as_nix(case: object, traced: bool) -> None:
    """The same text, or a failure where Nix fails."""
    wrong: list[str] = []
    for mode, answers in GOLDENS[case.name].items():  # type: ignore[attr-defined]
        if traced and mode != "strict":
            continue
        for name, text in expressions(case).items():  # type: ignore[arg-type]
            ours = answer(text, mode, traced)
            theirs = answers[name]
            if "error" in theirs:
                good = ours.startswith("error ")
            else:
                want = theirs["value"].replace("@DIR@", str(DIRECTORY)).replace("@ABOVE@", str(DIRECTORY.parent))
                good = same_tree(ours, want) if mode == "parse" else ours == want
            if not good:
                wrong.append(f"{mode} {name}: {text}\n  Nix: {theirs}\n  we:  {ours}")
    assert not wrong, "\n".join(wrong)


def test_thesis_examples() -> None:
    """The 56 examples of the thesis have the results that it states (or, where it errs, that Nix gives)."""
    case = next(each for each in CASES if each.name.endswith("thesis"))
    wants = {
        name.removeprefix("want "): text.strip() for name, text in case.sections.items() if name.startswith("want ")
    }
    named = expressions(case)
    assert len(named) == 56
    assert {name: answer(text) for name, text in named.items()} == wants
